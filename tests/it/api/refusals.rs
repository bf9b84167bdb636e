//! What is refused, and how: the field, the limit or the word that was wrong is always named.

use lokid::serve::Request;
use serde_json::json;

use super::server::Server;

/// A body that is refused with this code, in words that begin like this.
fn check(server: &Server, method: &'static str, path: &str, body: &str, code: &str, detail: &str) {
    let mut request = Request::new(method, path);
    request.body = body.as_bytes().to_vec();
    let answer = server.send(&request);
    assert_eq!(answer.status, 400, "{method} {path} {body}: {}", answer.text());
    assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    assert_eq!(answer.code().as_deref(), Some(code), "{method} {path} {body}: {}", answer.text());
    assert!(answer.detail().starts_with(detail), "{method} {path} {body}: {}", answer.detail());
    let document = answer.json().unwrap();
    assert_eq!((&document["status"], &document["title"]), (&json!(400), &json!("Bad Request")));
}

#[test]
fn a_wrong_body_names_what_is_wrong_with_it() {
    let server = Server::start();
    server.remember(json!({"id": "n-1", "kind": "note", "text": "one"}));
    let memories = |body, code, detail| check(&server, "POST", "/v1/memories", body, code, detail);
    memories("{\"kind\": ", "invalid_json", "not JSON: EOF");
    memories("nonsense", "invalid_json", "not JSON: expected ident at line 1");
    memories("[]", "bad_request", "a JSON object is expected");
    memories(r#"{"kind":"note","text":"x","importance":"x"}"#, "bad_request", "importance: invalid type: string");
    memories(r#"{"kind":"note","text":"x","confidence":2}"#, "bad_request", "confidence: 2 is not between 0 and 1");
    memories(r#"{"kind":"novel","text":"x"}"#, "bad_request", "kind: \"novel\" is not one of episode, pattern");
    memories(r#"{"kind":"note","text":"x","tier":"law"}"#, "bad_request", "tier: \"law\" is not one of mandate");
    memories(r#"{"kind":"note","text":"x","valid_at":"soon"}"#, "bad_request", "valid_at: \"soon\" is not");
    memories(r#"{"kind":"note","text":"x","namespace":"../x"}"#, "bad_request", "namespace: a namespace is");
    memories(r#"{"kind":"note"}"#, "bad_request", "text: is required");
    memories(r#"{"kind":"note","text":7}"#, "bad_request", "text: invalid type: integer `7`");
    memories(r#"{"kind":"note","text":"x","project":"repo"}"#, "bad_request", "project: \"repo\" is not");
    memories(r#"{"kind":"note","text":"x","supersedes":["none"]}"#, "bad_request", "supersedes: no memory none");
    check(&server, "POST", "/v1/signals", "{}", "bad_request", "missing field `type`");
    check(
        &server,
        "POST",
        "/v1/signals",
        r#"{"type":"sneeze"}"#,
        "bad_request",
        "type: \"sneeze\" is not one of file_opened",
    );
    check(&server, "PATCH", "/v1/memories/n-1", r#"{"tags":"x"}"#, "bad_request", "tags: invalid type: string");
    check(&server, "PATCH", "/v1/memories/n-1", r#"{"text":null}"#, "bad_request", "text: invalid type: null");
    check(&server, "POST", "/v1/links", r#"{"from":"n-1","to":"n-1","relation":"x"}"#, "bad_request", "relation: ");
    check(&server, "POST", "/v1/projects", "{}", "bad_request", "missing field `path`");
    check(&server, "GET", "/v1/memories?limit=0", "", "bad_request", "limit: 0 is not between 1 and 500");
    check(&server, "GET", "/v1/memories?limit=many", "", "bad_request", "limit: invalid digit");
    check(&server, "GET", "/v1/memories?kind=novel", "", "bad_request", "kind: \"novel\" is not one of episode");
    check(&server, "GET", "/v1/memories?cursor=zz", "", "bad_request", "cursor: ");
    check(&server, "GET", "/v1/memories?include=all", "", "bad_request", "include: \"all\" is not one of unverified");
    check(&server, "GET", "/v1/memories/n-1?level=tiny", "", "bad_request", "level: \"tiny\" is not one of full");
    check(&server, "GET", "/v1/memories/n-1?as_of=never", "", "bad_request", "as_of: \"never\" is not");
}

#[test]
fn no_id_leads_out_of_the_store() {
    let server = Server::start();
    let long = "x".repeat(300);
    // The night's own file comes when the project has begun.
    let before = crate::home::eventually_some(|| {
        let files = every_file(server.folder());
        files.iter().any(|file| file.ends_with("night.json")).then_some(files)
    });
    for id in ["../x", "..%2f..%2fx", "%2e%2e%2f%2e%2e%2fx", "a%00b", "%2e%2e", "a%5cb", "%ff", &long] {
        for request in [
            Request::get(format!("/v1/memories/{id}")),
            Request::delete(format!("/v1/memories/{id}?purge=true")),
            Request::patch(format!("/v1/memories/{id}"), &json!({"text": "x"})),
            Request::new("POST", format!("/v1/memories/{id}/restore")),
            Request::get(format!("/v1/links/{id}")),
        ] {
            let answer = server.send(&request);
            assert!(matches!(answer.status, 400 | 404), "{} {}: {}", request.method, request.path, answer.text());
        }
    }
    for id in ["../x", "a/b", "a\0b", ".hidden", "", long.as_str()] {
        let answer = server.post("/v1/memories", json!({"id": id, "kind": "note", "text": "x"}));
        assert_eq!(answer.status, 400, "{id:?}: {}", answer.text());
        assert!(answer.detail().starts_with("id: an id is 1 to 128 of"), "{}", answer.detail());
    }
    assert_eq!(every_file(server.folder()), before);
}

/// Except the cache, in which the files of the search index come and go.
fn every_file(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with("cache") {
                continue;
            }
            if path.is_dir() {
                open.push(path.clone());
            }
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn what_is_too_large_is_refused_before_it_is_read() {
    let server = Server::start();
    let head = "POST /v1/memories HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000000\r\n\r\n";
    let answer = server.raw_answer(head.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains("\"code\":\"too_large\""), "{answer}");

    let big = json!({"kind": "note", "text": "x".repeat(300 << 10)});
    let answer = server.post("/v1/memories", big);
    assert_eq!((answer.status, answer.code().as_deref()), (413, Some("too_large")));
    assert!(answer.detail().contains("262144"), "{}", answer.detail());
    let fits = json!({"kind": "note", "text": "x".repeat(250 << 10)});
    assert_eq!(server.post("/v1/memories", fits).status, 201);
}

#[test]
fn unknown_routes_and_methods_are_told_what_there_is() {
    let server = Server::start();
    let unknown = server.get("/v1/memoirs");
    assert_eq!((unknown.status, unknown.code().as_deref()), (404, Some("not_found")));
    assert!(unknown.detail().contains("/v1/memoirs"), "{}", unknown.detail());
    let wrong = server.send(&Request::delete("/v1/memories"));
    assert_eq!((wrong.status, wrong.code().as_deref()), (405, Some("bad_request")));
    let allowed = wrong.header("allow").unwrap();
    assert!(allowed.contains("GET") && allowed.contains("POST"), "{allowed}");
    assert_eq!(wrong.header("lokid-api"), Some("1"));
}

#[test]
fn a_client_of_another_version_is_told_both() {
    let server = Server::start();
    let head = "GET /v1/health HTTP/1.1\r\nhost: x\r\nconnection: close\r\nlokid-api: 7\r\n\r\n";
    let answer = server.raw_answer(head.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert!(answer.contains("version 7 of the API") && answer.contains("version 1"), "{answer}");
}
