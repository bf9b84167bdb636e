//! Questions to real servers on this machine, good ones and others.

use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use super::*;

const PATIENCE: HttpLimits = HttpLimits { time: Duration::from_secs(20), answer: 100_000 };
const NEVER: &dyn Fn() -> bool = &|| false;

/// A server for one question: what is done with the connection, and what it heard of the question.
fn server(serve: impl FnOnce(&mut TcpStream) + Send + 'static) -> (Address, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = Address::parse(&format!("http://{}/v1/", listener.local_addr().unwrap())).unwrap();
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let heard = hear(&mut stream);
        serve(&mut stream);
        heard
    });
    (address, thread)
}

fn hear(stream: &mut TcpStream) -> String {
    let mut heard = String::new();
    let mut byte = [0];
    while !heard.ends_with("{\"q\":1}") && stream.read(&mut byte).unwrap() == 1 {
        heard.push(char::from(byte[0]));
    }
    heard
}

fn ask(address: &Address, limits: HttpLimits) -> Result<Vec<u8>, HttpError> {
    post_json(address, "/chat/completions", "{\"q\":1}", limits, NEVER)
}

#[test]
fn a_question_is_posted_and_its_answer_brought() {
    let (address, thread) = server(|stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: keep-alive\r\n\r\ngood").unwrap();
        // The connection stays open: the length says that this was all.
        let _ = stream.read(&mut [0]);
    });
    assert_eq!(ask(&address, PATIENCE).unwrap(), b"good");
    let heard = thread.join().unwrap();
    let host = format!("127.0.0.1:{}", address.port);
    assert!(heard.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{heard}");
    assert!(heard.contains(&format!("\r\nHost: {host}\r\n")) && heard.contains("\r\nContent-Length: 7\r\n"), "{heard}");
    assert!(heard.ends_with("\r\n\r\n{\"q\":1}"), "{heard}");
}

#[test]
fn a_server_that_says_no_is_quoted() {
    let (address, thread) = server(|stream| {
        stream.write_all(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n").unwrap();
    });
    assert_eq!(ask(&address, PATIENCE).unwrap_err().to_string(), "the server says 503");
    thread.join().unwrap();
}

#[test]
fn a_server_that_hangs_or_trickles_is_left_in_time() {
    let limits = HttpLimits { time: Duration::from_millis(300), ..PATIENCE };
    for trickles in [false, true] {
        let (address, thread) = server(move |stream| {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
            // Until the other side has gone.
            let pace = trickles.then_some(Duration::from_millis(20));
            stream.set_read_timeout(pace).unwrap();
            while stream.read(&mut [0]).is_err_and(|error| is_for_later(&error)) && stream.write_all(b"x").is_ok() {}
        });
        let began = Instant::now();
        let left = ask(&address, limits);
        assert!(matches!(left, Err(HttpError::TimedOut(_))), "{left:?}");
        assert!(began.elapsed() < Duration::from_secs(10));
        thread.join().unwrap();
    }
}

#[test]
fn a_question_can_be_called_off() {
    static HEARD: AtomicBool = AtomicBool::new(false);
    let (address, thread) = server(|stream| {
        HEARD.store(true, Ordering::SeqCst);
        let _ = stream.read(&mut [0]);
    });
    let called_off = || HEARD.load(Ordering::SeqCst);
    let answer = post_json(&address, "/chat/completions", "{\"q\":1}", PATIENCE, &called_off);
    assert!(matches!(answer, Err(HttpError::Cancelled)), "{answer:?}");
    thread.join().unwrap();
}

#[test]
fn a_flood_is_stopped_at_the_limit() {
    let (address, thread) = server(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(&[b'x'; 10_000]).is_ok() {}
    });
    assert!(matches!(ask(&address, PATIENCE), Err(HttpError::TooLong(100_000))));
    thread.join().unwrap();
}

#[test]
fn where_nobody_listens_the_place_is_named() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = Address::parse(&format!("http://localhost:{port}")).unwrap();
    let error = ask(&address, PATIENCE).unwrap_err().to_string();
    assert!(error.starts_with(&format!("localhost:{port} cannot be reached: ")), "{error}");
}

fn check(url: &str, expected: Option<(&str, u16, &str)>) {
    let found = Address::parse(url).ok();
    let found = found.as_ref().map(|address| (address.host.as_str(), address.port, address.path.as_str()));
    assert_eq!(found, expected, "{url}");
}

#[test]
fn only_plain_http_addresses_are_taken() {
    check("http://127.0.0.1:11434/v1", Some(("127.0.0.1", 11434, "/v1")));
    check("HTTP://localhost/v1//", Some(("localhost", 80, "/v1")));
    check("http://[::1]:8080", Some(("::1", 8080, "")));
    check("http://box.lan:8080/a/b", Some(("box.lan", 8080, "/a/b")));
    for url in [
        "",
        "http://",
        "http:///v1",
        "https://api.example.com/v1",
        "localhost:11434",
        "http://a:b/",
        "http://a:0/",
        "http://a:99999/",
        "http://me:secret@a/",
        "http://a/x y",
        "http://a/\r\nX: 1",
        "http://[zz]/",
        "http://[::1]x/",
        "http://ä/",
        "http://a?x",
        "ftp://a/",
        "http:/",
    ] {
        check(url, None);
    }
    assert_eq!(
        Address::parse("https://api.example.com/v1").unwrap_err().to_string(),
        "\"https://api.example.com/v1\" is no address: only http://host:port/path is, use a command for anything else"
    );
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_address_panic(text in "(http://)?\\PC{0,40}") {
        let _ = Address::parse(&text);
    }
}
