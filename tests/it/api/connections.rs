//! Connections as such: slow ones, too many of them, long ones, and the last ones.

use std::io::{Read, Write};
use std::net::Shutdown;

use lokid::serve::{self, BindError, Request};
use serde_json::{Value, json};

use super::server::{Server, read_until, rest};

const HEALTH: &[u8] = b"GET /v1/health HTTP/1.1\r\nhost: x\r\n\r\n";

#[test]
fn a_head_that_never_ends_is_not_waited_for() {
    let server = Server::with("[server]\nrequest_timeout = \"200ms\"");
    let mut stream = server.raw(b"GET /v1/health HTTP/1.1\r\nhos");
    assert_eq!(stream.read(&mut [0; 64]).unwrap_or(0), 0, "closed without an answer");
    assert_eq!(server.get("/v1/health").status, 200);
}

#[test]
fn a_body_that_never_comes_is_not_waited_for() {
    let server = Server::with("[server]\nrequest_timeout = \"200ms\"");
    let answer = server.raw_answer(b"POST /v1/memories HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n{");
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
}

#[test]
fn a_resting_connection_is_closed_after_its_own_time_and_not_before() {
    let server = Server::with("[server]\nrequest_timeout = \"50ms\"\nidle_timeout = \"2s\"");
    let mut stream = server.raw(HEALTH);
    read_until(&mut stream, "}");
    // Longer than a request may take, shorter than a rest: another client's stalled head measures the time.
    rest(&mut server.raw(b"GET /v1/health HTTP/1.1\r\nhos"));
    rest(&mut server.raw(b"GET /v1/health HTTP/1.1\r\nhos"));
    stream.write_all(HEALTH).unwrap();
    read_until(&mut stream, "}");
    assert_eq!(rest(&mut stream), "", "closed at the end of its rest");
}

#[test]
fn one_connection_serves_many_requests_and_a_half_closed_one_is_answered() {
    let server = Server::start();
    let mut stream = server.raw(HEALTH);
    for _ in 0..3 {
        assert!(read_until(&mut stream, "}").contains("\"status\":\"ok\""));
        stream.write_all(HEALTH).unwrap();
    }
    stream.shutdown(Shutdown::Write).unwrap();
    assert!(rest(&mut stream).contains("\"status\":\"ok\""));
}

#[test]
fn a_client_too_many_is_told_to_come_back() {
    let server = Server::with("[server]\nmax_connections = 1");
    let mut first = server.raw(HEALTH);
    read_until(&mut first, "}");
    let second = server.get("/v1/health");
    assert_eq!((second.status, second.code().as_deref()), (503, Some("busy")));
    assert_eq!(second.header("retry-after"), Some("1"));
}

#[test]
fn those_who_listen_hear_a_write_in_either_form() {
    let server = Server::start();
    let ask = |accept: &str| {
        let head = format!("GET /v1/events HTTP/1.1\r\nhost: x\r\naccept: {accept}\r\n\r\n");
        let mut stream = server.raw(head.as_bytes());
        // Who has seen the head hears everything from then on.
        let head = read_until(&mut stream, "\r\n\r\n");
        assert!(head.contains(accept), "{head}");
        stream
    };
    let (mut events, mut lines) = (ask("text/event-stream"), ask("application/x-ndjson"));
    let id = server.remember(json!({"kind": "note", "text": "the text is nobody's business"}));
    let mut event = read_until(&mut events, "\n\n");
    // What the repository taught by itself may be told before.
    while !event.contains("event: memory\n") {
        event = read_until(&mut events, "\n\n");
    }
    assert!(event.contains("event: memory\n") && event.contains(&id) && event.contains("id: "), "{event}");
    let mut line = read_until(&mut lines, "}\n");
    while !line.contains("\"kind\":\"memory\"") {
        line = read_until(&mut lines, "}\n");
    }
    let told: Value = serde_json::from_str(line.lines().last().unwrap()).unwrap();
    assert_eq!((&told["kind"], &told["data"]["id"]), (&json!("memory"), &json!(id)));
    assert!(!event.contains("business") && !line.contains("business"));

    let unknown = server.get("/v1/events?project=/nowhere");
    assert_eq!((unknown.status, unknown.code().as_deref()), (404, Some("project_not_watched")));
}

#[test]
fn a_daemon_that_stops_finishes_what_it_began_and_ends_its_streams() {
    let mut server = Server::start();
    let mut listener = server.raw(b"GET /v1/events HTTP/1.1\r\nhost: x\r\n\r\n");
    read_until(&mut listener, "\r\n\r\n");
    let mut idle = server.raw(HEALTH);
    read_until(&mut idle, "}");
    let line = "{\"id\":\"n-1\",\"kind\":\"note\",\"text\":\"one\"}\n";
    let head = "POST /v1/memories/import HTTP/1.1\r\nhost: x\r\naccept: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n";
    let mut import = server.raw(format!("{head}{:x}\r\n{line}\r\n", line.len()).as_bytes());
    read_until(&mut import, "\"acknowledged\":1");

    server.begin_to_stop();
    assert_eq!(rest(&mut idle), "", "a resting connection is closed");
    rest(&mut listener);
    let line = "{\"id\":\"n-2\",\"kind\":\"note\",\"text\":\"two\"}\n";
    import.write_all(format!("{:x}\r\n{line}\r\n0\r\n\r\n", line.len()).as_bytes()).unwrap();
    let answer = rest(&mut import);
    assert!(answer.contains("\"imported\":2") && answer.contains("\"done\":true"), "{answer}");
    server.stopped();
    assert!(std::os::unix::net::UnixStream::connect(server.socket()).is_err());
}

#[test]
fn a_socket_is_served_by_one_daemon_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("lokid.sock");
    drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
    let bound = serve::bind(&socket).unwrap();
    let mut server = Server::on(folder, "", bound);
    assert_eq!(server.send(&Request::get("/v1/health")).status, 200);
    let refused = serve::bind(&socket).err().unwrap();
    assert!(matches!(refused, BindError::Served { pid: Some(_), .. }), "{refused}");
    assert_eq!(server.send(&Request::get("/v1/health")).status, 200, "the refused one did no harm");
    server.begin_to_stop();
    server.stopped();
    assert!(!socket.exists());
    drop(serve::bind(&socket).unwrap());
}
