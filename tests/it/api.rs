//! The contract of the socket, kept by a real daemon on a real socket: every route, good and bad.

mod connections;
mod documents;
mod import;
mod memories;
mod recall;
mod refusals;
mod server;

use lokid::serve::{App, Embedded, Request, openapi};
use serde_json::{Value, json};
use server::Server;

#[test]
fn health_and_status_tell_the_truth() {
    let server = Server::start();
    let health = server.json(&Request::get("/v1/health"), 200);
    assert_eq!((&health["status"], &health["pid"]), (&json!("ok"), &json!(std::process::id())));

    server.remember(json!({"kind": "note", "text": "one"}));
    server.post("/v1/signals", json!({"type": "file_opened", "path": "a.rs"}));
    let status = server.json(&Request::get("/v1/status").query("project", server.repo().to_str().unwrap()), 200);
    let project = &status["projects"][0];
    assert_eq!(status["socket"], server.socket().to_str().unwrap());
    assert_eq!((&project["memories"], &project["counts"]["note"]), (&json!(1), &json!(1)));
    assert_eq!((&project["counts"]["fact"], &project["archived"]), (&json!(0), &json!(0)));
    assert_eq!(project["prefetch"]["state"], "on");
    assert!(project["consolidation"]["last"].is_null());
}

#[test]
fn projects_come_and_go_and_nothing_of_theirs_is_erased() {
    let server = Server::start();
    let other = server.folder().join("other");
    std::fs::create_dir_all(other.join(".loki/memory/notes")).unwrap();
    let request = Request::post("/v1/projects", &json!({"path": other}));
    assert_eq!(server.send(&request).status, 201);
    assert_eq!(server.send(&request).status, 200, "watched already");
    assert_eq!(server.json(&Request::get("/v1/projects"), 200)["projects"].as_array().unwrap().len(), 2);

    let several = server.post("/v1/memories", json!({"kind": "note", "text": "where?"}));
    assert_eq!((several.status, several.code().as_deref()), (400, Some("bad_request")));
    assert!(several.detail().contains("other"), "{}", several.detail());

    let path = other.to_str().unwrap();
    assert_eq!(server.send(&Request::delete("/v1/projects").query("path", path)).status, 200);
    assert!(other.join(".loki/memory/notes").is_dir());
    let unknown = server.send(&Request::get("/v1/memories").query("project", path));
    assert_eq!((unknown.status, unknown.code().as_deref()), (404, Some("project_not_watched")));
    assert!(unknown.detail().contains(server.repo().to_str().unwrap()), "{}", unknown.detail());

    let nowhere = server.post("/v1/projects", json!({"path": server.folder().join("nowhere")}));
    assert_eq!(nowhere.status, 400, "{}", nowhere.text());
    let relative = server.post("/v1/projects", json!({"path": "repo"}));
    assert!(relative.detail().starts_with("path: "), "{}", relative.detail());
    let relative = server.get("/v1/memories?project=repo");
    assert!(relative.detail().starts_with("project: "), "{}", relative.detail());
}

/// The answer to a request that names nothing, as far as its first line.
fn status_line(server: &Server, method: &str, path: &str) -> String {
    let path = path.replace("{id}", "none");
    let request = format!("{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{{}}");
    server::read_until(&mut server.raw(request.as_bytes()), "\r\n")
}

#[test]
fn every_route_of_the_document_answers_under_both_prefixes() {
    let server = Server::start();
    let document = openapi();
    let mut many = 0;
    for (path, operations) in document["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            let method = method.to_uppercase();
            let alias = path.strip_prefix("/v1").unwrap();
            let answer = status_line(&server, &method, path);
            assert_eq!(answer, status_line(&server, &method, alias), "{method} {path}");
            assert!(!answer.contains(" 405 ") && !answer.contains(" 5"), "{method} {path}: {answer}");
            assert!(path.contains("{id}") || !answer.contains(" 404 "), "{method} {path}: {answer}");
            many += 1;
        }
    }
    assert!(many > 25, "{many}");
    assert_eq!(server.json(&Request::get("/openapi.json"), 200), document);
}

#[test]
fn every_route_of_the_document_is_told_in_the_docs_and_none_that_is_not_there() {
    let told = include_str!("../../docs/API.md");
    let document = openapi();
    let mut routes = std::collections::BTreeSet::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        routes.extend(operations.as_object().unwrap().keys().map(|method| format!("{} {path}", method.to_uppercase())));
    }
    let verbs = ["GET", "POST", "PATCH", "DELETE", "PUT"];
    let code = told.split('`').filter(|code| verbs.iter().any(|verb| code.starts_with(&format!("{verb} /v1/"))));
    let named = |code: &str| {
        let route = code.split([' ', '?']).take(2).collect::<Vec<_>>().join(" ");
        route.trim_end_matches('=').to_owned()
    };
    let named: std::collections::BTreeSet<String> = code.map(named).collect();
    assert_eq!(routes.difference(&named).collect::<Vec<_>>(), Vec::<&String>::new(), "these are not in docs/API.md");
    assert_eq!(named.difference(&routes).collect::<Vec<_>>(), Vec::<&String>::new(), "these are only in docs/API.md");
}

#[test]
fn metrics_count_what_was_asked_and_what_is_known() {
    let server = Server::start();
    server.remember(json!({"kind": "note", "text": "one"}));
    server.get("/v1/memories/none");
    let metrics = server.get("/metrics").text().into_owned();
    for expect in [
        "kind=\"note\"} 1\n",
        "lokid_requests_total{method=\"GET\",route=\"/memories/{id}\",status=\"4xx\"} 1\n",
        "lokid_request_duration_seconds_count{method=\"POST\",route=\"/memories\"} 1\n",
        "# TYPE lokid_connections gauge\n",
    ] {
        assert!(metrics.contains(expect), "{expect} is not in\n{metrics}");
    }
}

#[test]
fn the_same_request_gets_the_same_answer_without_a_socket() {
    let server = Server::start();
    server.remember(json!({"id": "n-1", "kind": "note", "text": "one"}));
    let embedded = Embedded::new(App::new(std::sync::Arc::clone(&server.registry), server.socket())).unwrap();
    for request in [
        Request::get("/v1/memories/n-1"),
        Request::get("/v1/memories/none"),
        Request::get("/v1/memories"),
        Request::get("/v1/index?format=text"),
        Request::get("/v1/memories/export"),
        Request::get("/v1/nowhere"),
    ] {
        let (over, within) = (server.send(&request), embedded.send(&request).unwrap());
        // Being asked for is counted, so the counts go on.
        let told = |text: &str| text.split(",\"usage\"").next().unwrap_or_default().to_owned();
        let (over, within) = ((over.status, told(&over.text())), (within.status, told(&within.text())));
        assert_eq!(over, within, "{}", request.path);
    }
    let mut lines = 0;
    let request = Request::new("POST", "/v1/memories/import").header("accept", "application/x-ndjson");
    let records = &b"{\"kind\":\"note\",\"text\":\"two\"}\n{\"kind\":\"note\",\"text\":\"three\"}"[..];
    let answer = embedded.upload(&request, records, |_| lines += 1).unwrap();
    assert!(answer.is_success() && lines >= 2, "{}", answer.text());
    let last: Value = serde_json::from_str(answer.text().lines().last().unwrap()).unwrap();
    assert_eq!((&last["imported"], &last["done"]), (&json!(2), &json!(true)));
}
