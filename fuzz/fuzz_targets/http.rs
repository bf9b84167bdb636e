//! The answer of a server that a person configured: head, chunks, lengths. And the address itself.
#![no_main]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use lokid_sys::http::{Address, Limits, post_json};

fuzz_target!(|answer: &[u8]| {
    let _ = Address::parse(&String::from_utf8_lossy(answer));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it was bound").port();
    let address = Address::parse(&format!("http://127.0.0.1:{port}/v1")).expect("an address");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (mut stream, _) = listener.accept().expect("somebody comes");
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(answer);
        });
        let limits = Limits { time: Duration::from_secs(2), answer: 4096 };
        let _ = post_json(&address, "/x", "{}", limits, &|| false);
    });
});
