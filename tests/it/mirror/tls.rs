//! Encrypted, through a proxy, with certificates of one's own; and refused where they do not fit.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use super::desk::{Desk, episode};
use crate::home::Lines;

/// Unwraps TLS in front of the test server.
const UNWRAP: &str = r#"
import socket, ssl, sys, threading
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
listener = socket.create_server(("127.0.0.1", 0))
print("port", listener.getsockname()[1], flush=True)
def pump(one, other):
    try:
        while data := one.recv(65536):
            other.sendall(data)
    except OSError:
        pass
    for end in (one, other):
        try: end.shutdown(socket.SHUT_RDWR)
        except OSError: pass
def serve(plain):
    try:
        inside = context.wrap_socket(plain, server_side=True)
    except (OSError, ssl.SSLError):
        return
    outside = socket.create_connection(("127.0.0.1", int(sys.argv[3])))
    threading.Thread(target=pump, args=(inside, outside), daemon=True).start()
    pump(outside, inside)
while True:
    plain, _ = listener.accept()
    threading.Thread(target=serve, args=(plain,), daemon=True).start()
"#;

struct Wrapped(Child, u16);

impl Drop for Wrapped {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A certificate for `stores.test` by itself, and a server that shows it. `None` where the tools are missing.
fn wrapped(desk: &Desk) -> Option<Wrapped> {
    let (certificate, key) = (desk.home.path("ca.pem"), desk.home.path("ca.key"));
    let mut openssl = Command::new("openssl");
    openssl.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]);
    openssl.args(["-subj", "/CN=stores.test", "-addext", "subjectAltName=DNS:stores.test"]);
    // Whoever signs for others may not stand for itself.
    openssl.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
    let made = openssl.arg("-out").arg(&certificate).arg("-keyout").arg(&key).stderr(Stdio::null()).status();
    if !made.is_ok_and(|made| made.success()) {
        return None;
    }
    let port = desk.server.url().rsplit(':').next()?.to_owned();
    let mut python = Command::new("python3");
    python.args(["-c", UNWRAP]).arg(&certificate).arg(&key).arg(port).stdout(Stdio::piped());
    let mut child = python.spawn().ok()?;
    let mut lines = Lines::of(child.stdout.take()?);
    let port = lines.wait_for("port ").split(' ').nth(1)?.parse().ok()?;
    Some(Wrapped(child, port))
}

/// Takes every CONNECT to one place, whatever name was asked for; tells which it was.
fn proxy(to: u16) -> (u16, std::sync::mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, asked) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let mut client: TcpStream = client;
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") && client.read(&mut byte).is_ok_and(|read| read == 1) {
                head.push(byte[0]);
            }
            let first = String::from_utf8_lossy(&head).lines().next().unwrap_or_default().to_owned();
            let _ = sender.send(first);
            let Ok(mut server) = TcpStream::connect(("127.0.0.1", to)) else { continue };
            let _ = client.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
            let (mut back, mut there) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            std::thread::spawn(move || std::io::copy(&mut client, &mut there));
            std::thread::spawn(move || std::io::copy(&mut server, &mut back));
        }
    });
    (port, asked)
}

#[test]
fn certificates_of_ones_own_and_a_proxy_work_and_what_does_not_fit_is_refused() {
    let desk = Desk::new();
    let Some(server) = wrapped(&desk) else {
        println!("skipped: there is no openssl or no python3");
        return;
    };
    let (port, asked) = proxy(server.1);
    let own = format!("ca_file = \"{}\"\n", desk.home.path("ca.pem").display());
    let through = |url: &str, more: &str| {
        desk.configure(url, more);
        let mut command = desk.command(&["run"]);
        command.env("HTTPS_PROXY", format!("http://user:proxy-password@127.0.0.1:{port}"));
        desk.started(command)
    };
    // Nobody but us knows this certificate.
    let daemon = through("https://stores.test", "");
    desk.import(&[episode("ep-1", "T-1")]);
    let refused = desk.wait_for_fallback("unreachable");
    assert!(refused["detail"].as_str().unwrap().starts_with("no secure connection"), "{refused}");
    assert!(desk.server.requests().is_empty(), "the key was never sent");
    drop(daemon);
    // It is for another name.
    let daemon = through("https://other.test", &own);
    desk.wait_for(|desk| desk.events().len() >= 2);
    assert!(desk.server.requests().is_empty(), "the key was never sent");
    drop(daemon);
    let _daemon = through("https://stores.test", &own);
    desk.wait_for_mirrored(1);
    let asked: Vec<String> = asked.try_iter().collect();
    assert!(asked.iter().any(|line| line.starts_with("CONNECT stores.test:443 ")), "{asked:?}");
    let events = serde_json::to_string(&desk.events()).unwrap();
    assert!(!events.contains("proxy-password"), "{events}");
}
