//! Records by the thousand, in and out.

use std::io::Write;
use std::time::{Duration, Instant};

use lokid::serve::{Request, Response};
use serde_json::{Value, json};

use super::server::{Server, read_until, rest};

fn import(server: &Server, records: impl std::io::Read, accept: &str) -> (Response, Vec<Value>) {
    let mut told = Vec::new();
    let request = Request::new("POST", "/v1/memories/import").header("accept", accept);
    let answer = server.client().upload(&request, records, |line| told.push(serde_json::from_str(line).unwrap()));
    (answer.unwrap(), told)
}

#[test]
fn a_bad_line_is_told_and_never_stops_the_rest() {
    let server = Server::start();
    let long = "x".repeat(300 << 10);
    let records = [
        r#"{"id":"n-1","kind":"note","text":"one"}"#.to_owned(),
        "{broken".to_owned(),
        String::new(),
        format!(r#"{{"kind":"note","text":"{long}"}}"#),
        r#"{"kind":"novel","text":"x"}"#.to_owned(),
        r#"{"id":"../../etc/passwd","kind":"note","text":"x"}"#.to_owned(),
        r#"{"id":"n-2","kind":"note","text":"two","unheard_of":true}"#.to_owned(),
    ]
    .join("\n");
    let (answer, _) = import(&server, records.as_bytes(), "application/json");
    let answer = answer.json().unwrap();
    assert_eq!((&answer["imported"], &answer["errors_total"]), (&json!(2), &json!(4)));
    let errors: Vec<(u64, &str)> = answer["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| (error["line"].as_u64().unwrap(), error["code"].as_str().unwrap()))
        .collect();
    assert_eq!(errors, [(2, "invalid_json"), (4, "too_large"), (5, "bad_request"), (6, "bad_request")]);
    assert!(answer["errors"][2]["detail"].as_str().unwrap().starts_with("kind: "), "{answer}");
    let (again, _) = import(&server, records.as_bytes(), "application/json");
    assert_eq!(again.json().unwrap()["skipped"], 2, "the same file twice changes nothing");
    assert_eq!(server.get("/v1/memories/n-2").json().unwrap()["source"], "import");
}

#[test]
fn progress_is_told_batch_by_batch_and_the_last_line_tells_all() {
    let server = Server::start();
    let records: String = (0..5000).map(|n| format!("{{\"kind\":\"note\",\"text\":\"note {n}\"}}\n")).collect();
    let (answer, told) = import(&server, records.as_bytes(), "application/x-ndjson");
    assert_eq!(answer.status, 200);
    let last = told.last().unwrap();
    assert_eq!((&last["done"], &last["imported"], &last["acknowledged"]), (&json!(true), &json!(5000), &json!(5000)));
    let acknowledged: Vec<u64> = told.iter().map(|line| line["acknowledged"].as_u64().unwrap()).collect();
    assert!(acknowledged.len() >= 3 && acknowledged.is_sorted(), "{acknowledged:?}");
    assert_eq!(server.json(&Request::get("/v1/status"), 200)["projects"][0]["memories"], 5000);
}

#[test]
fn at_most_a_thousand_errors_are_listed_and_all_are_counted() {
    let server = Server::start();
    let (answer, _) = import(&server, "{\n".repeat(1200).as_bytes(), "application/json");
    let answer = answer.json().unwrap();
    assert_eq!((answer["errors"].as_array().unwrap().len(), &answer["errors_total"]), (1000, &json!(1200)));
}

#[test]
fn what_arrived_whole_is_kept_when_the_client_hangs_up() {
    let server = Server::start();
    let head = "POST /v1/memories/import HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\naccept: application/x-ndjson\r\n\r\n";
    let mut stream = server.raw(head.as_bytes());
    let line = "{\"id\":\"n-1\",\"kind\":\"note\",\"text\":\"one\"}\n{\"id\":\"n-2\",\"kind\":\"note\",\"te";
    stream.write_all(format!("{:x}\r\n{line}\r\n", line.len()).as_bytes()).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let answer = rest(&mut stream);
    assert!(answer.contains("\"done\":false") && answer.contains("lines up to 1 are durable"), "{answer}");
    assert_eq!(server.get("/v1/memories/n-1").status, 200);
    assert_eq!(server.get("/v1/memories/n-2").status, 404);
}

#[test]
fn a_client_that_falls_silent_is_cut_off() {
    let server = Server::with("[server]\nrequest_timeout = \"200ms\"");
    let head =
        "POST /v1/memories/import HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n";
    let answer = server.raw_answer(head.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
}

#[test]
fn a_slow_import_lasts_longer_than_a_request_may_as_long_as_it_goes_on() {
    let limit = Duration::from_secs(1);
    let server = Server::with("[server]\nrequest_timeout = \"1s\"");
    let head = "POST /v1/memories/import HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\naccept: application/x-ndjson\r\nconnection: close\r\n\r\n";
    let mut stream = server.raw(head.as_bytes());
    let (begun, mut number) = (Instant::now(), 0);
    while begun.elapsed() < limit * 2 {
        number += 1;
        let line = format!("{{\"kind\":\"note\",\"text\":\"note {number}\"}}\n");
        stream.write_all(format!("{:x}\r\n{line}\r\n", line.len()).as_bytes()).unwrap();
        // A pause is what makes the daemon acknowledge, so each turn takes its time.
        read_until(&mut stream, &format!("\"acknowledged\":{number},"));
    }
    stream.write_all(b"0\r\n\r\n").unwrap();
    let answer = rest(&mut stream);
    assert!(answer.contains("\"done\":true") && answer.contains(&format!("\"imported\":{number},")), "{answer}");
}

#[test]
fn a_full_inbox_makes_an_import_wait_and_not_fail() {
    let server = Server::with("[server]\ninbox = 1");
    let records = |from: usize| -> String {
        (0..4500).map(|n| format!("{{\"kind\":\"note\",\"text\":\"note {from} {n}\"}}\n")).collect()
    };
    let answers: Vec<Value> = std::thread::scope(|scope| {
        let import = |from| import(&server, records(from).as_bytes(), "application/json").0.json().unwrap();
        let imports: Vec<_> = (0..4).map(|from| scope.spawn(move || import(from))).collect();
        imports.into_iter().map(|import| import.join().unwrap()).collect()
    });
    for answer in answers {
        assert_eq!((&answer["imported"], &answer["errors_total"]), (&json!(4500), &json!(0)), "{answer}");
    }
}

#[test]
fn an_export_brought_into_another_project_is_the_same_memory() {
    let server = Server::start();
    server.remember(
        json!({"id": "n-1", "kind": "note", "text": "one", "tags": ["a"], "timestamp": "2026-01-06T10:00:00Z"}),
    );
    server.remember(json!({"id": "ep-1", "episode": {"context": {"goal": "ship it"}, "outcome": "success"}}));
    server.remember(
        json!({"id": "d-1", "kind": "decision", "text": "why", "links": [{"to": "n-1", "relation": "elaborates"}]}),
    );
    server.remember(json!({"id": "n-2", "kind": "note", "text": "elsewhere", "namespace": "team"}));
    let repo = server.repo();
    let from = repo.to_str().unwrap();
    let export = server.send(&Request::get("/v1/memories/export").query("project", from)).text().into_owned();
    assert_eq!(export.lines().count(), 4);

    let trusted = |project: &str| {
        let request = Request::new("POST", "/v1/memories/import").query("project", project).query("trust", "true");
        server.client().upload(&request, export.as_bytes(), |_| {}).unwrap().json().unwrap()
    };
    let again = trusted(from);
    assert_eq!(again["skipped"], 4, "what is known already changes nothing: {again}");

    let other = server.watch("other");
    let to = other.to_str().unwrap();
    let answer = trusted(to);
    assert_eq!((&answer["imported"], &answer["errors"]), (&json!(4), &json!([])));
    let copy = server.send(&Request::get("/v1/memories/export").query("project", to)).text().into_owned();
    assert_eq!(copy, export);
    let team = server.send(&Request::get("/v1/memories/export?namespace=team").query("project", to));
    assert_eq!(team.text().lines().count(), 1);
}
