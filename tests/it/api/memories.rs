//! Memories over the socket: remembered, shown, listed, changed, forgotten and brought back.

use lokid::serve::Request;
use serde_json::{Value, json};

use super::server::Server;

#[test]
fn a_memory_is_remembered_shown_changed_forgotten_and_brought_back() {
    let server = Server::start();
    let answer = server.json(
        &Request::post("/v1/memories", &json!({"id": "n-1", "kind": "note", "text": "use tabs", "tags": ["style"]})),
        201,
    );
    assert_eq!(answer, json!({"id": "n-1", "created": true, "merged_into": null, "contradictions": []}));
    let again = server.json(&Request::post("/v1/memories", &json!({"kind": "note", "text": "use  tabs"})), 200);
    assert_eq!((&again["created"], &again["merged_into"]), (&json!(false), &json!("n-1")));

    let shown = server.get("/v1/memories/n-1");
    let tag = shown.header("etag").unwrap().to_owned();
    assert_eq!(tag.len(), 66, "a sha256 in quotes");
    assert_eq!(shown.json().unwrap()["text"], "use tabs");
    assert_eq!(shown.header("lokid-api"), Some("1"));
    assert!(shown.header("server").unwrap().starts_with("lokid/"));
    let known = server.send(&Request::get("/v1/memories/n-1").header("if-none-match", &tag));
    assert_eq!((known.status, known.body.len()), (304, 0));

    let change = Request::patch("/v1/memories/n-1", &json!({"text": "use spaces", "importance": 0.9}));
    let changed = server.send(&change.clone().header("if-match", &tag));
    assert_eq!((changed.status, &changed.json().unwrap()["importance"]), (200, &json!(0.9)));
    assert_ne!(changed.header("etag"), Some(tag.as_str()));
    let stale = server.send(&change.header("if-match", &tag));
    assert_eq!((stale.status, stale.code().as_deref()), (412, Some("precondition_failed")));

    let gone = server.json(&Request::delete("/v1/memories/n-1?reason=wrong"), 200);
    assert_eq!((&gone["forgotten"][0]["id"], &gone["purge"]), (&json!("n-1"), &json!(false)));
    assert_eq!(server.get("/v1/memories/n-1").status, 404);
    assert_eq!(server.send(&Request::delete("/v1/memories/n-1")).status, 404);
    let back = server.json(&Request::new("POST", "/v1/memories/n-1/restore"), 200);
    assert_eq!(back["text"], "use spaces");
    assert_eq!(server.get("/v1/memories/n-1").status, 200);

    assert_eq!(server.json(&Request::delete("/v1/memories/n-1?purge=true"), 200)["purge"], true);
    assert_eq!(server.send(&Request::new("POST", "/v1/memories/n-1/restore")).status, 404);
}

#[test]
fn a_level_shortens_and_as_of_hides_what_was_not_known_yet() {
    let server = Server::start();
    let long = "The parser keeps unknown fields. ".repeat(60);
    server.remember(json!({"id": "n-1", "kind": "note", "text": long, "timestamp": "2026-01-06T10:00:00Z"}));
    let mut last = usize::MAX;
    for level in ["full", "summary", "compressed", "index"] {
        let shown = server.json(&Request::get("/v1/memories/n-1").query("level", level), 200);
        let length = shown["text"].as_str().unwrap().len();
        assert!(length > 0 && length <= last, "{level}: {length}");
        last = length;
    }
    assert_eq!(server.get("/v1/memories/n-1?as_of=2026-01-05").status, 404);
    assert_eq!(server.get("/v1/memories/n-1?as_of=2026-01-07").status, 200);
    assert_eq!(server.get("/v1/memories?as_of=2026-01-05").json().unwrap()["items"], json!([]));
    assert_eq!(server.get("/v1/memories?as_of=2026-01-07").json().unwrap()["items"].as_array().unwrap().len(), 1);
}

#[test]
fn a_newer_value_of_a_fact_supersedes_the_older_and_says_so() {
    let server = Server::start();
    let old = server.remember(json!({"fact": {"key": "port", "value": "80"}}));
    let answer = server.json(&Request::post("/v1/memories", &json!({"fact": {"key": "port", "value": "81"}})), 201);
    let found = &answer["contradictions"][0];
    assert_eq!((&found["a"], &found["status"]), (&json!(old), &json!("superseded")));
    let listed = server.json(&Request::get("/v1/memories?kind=fact"), 200);
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);
    let all = server.json(&Request::get("/v1/memories?kind=fact&include=invalid"), 200);
    assert_eq!(all["items"].as_array().unwrap().len(), 2);

    let changed = server.json(&Request::patch(format!("/v1/memories/{old}"), &json!({"fact": {"value": "8"}})), 200);
    assert_eq!((&changed["fact"]["key"], &changed["fact"]["value"]), (&json!("port"), &json!("8")));
}

#[test]
fn a_cursor_leads_through_everything_exactly_once() {
    let server = Server::start();
    for number in 0..23 {
        // Many share a time, so that only the id tells them apart.
        let minute = number / 5;
        let time = format!("2026-01-06T10:{minute:02}:00Z");
        server.remember(json!({"id": format!("n-{number:02}"), "kind": "note", "text": format!("note {number}"), "timestamp": time}));
    }
    let mut seen = Vec::new();
    let mut cursor = None::<String>;
    loop {
        let mut request = Request::get("/v1/memories?limit=4");
        if let Some(cursor) = &cursor {
            request = request.query("cursor", cursor);
        }
        let page = server.json(&request, 200);
        seen.extend(page["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
        // What is new stands before the cursor and disturbs nobody.
        server.remember(json!({"kind": "note", "text": format!("meanwhile {}", seen.len())}));
    }
    let mut sorted = seen.clone();
    sorted.sort();
    sorted.dedup();
    assert_eq!((seen.len(), sorted.len()), (23, 23));
    assert!(seen[0].starts_with("n-2"), "newest first: {seen:?}");
}

#[test]
fn a_list_leaves_out_what_was_not_asked_for() {
    let server = Server::start();
    server.remember(json!({"id": "plain", "kind": "note", "text": "a", "timestamp": "2026-01-06T10:00:00Z"}));
    server.remember(json!({"id": "heard", "kind": "note", "text": "b", "status": "unverified"}));
    server.remember(json!({"id": "secret", "kind": "note", "text": "c", "restricted": true}));
    server.remember(
        json!({"id": "over", "kind": "note", "text": "d", "valid_at": "2026-01-01", "invalid_at": "2026-01-02"}),
    );
    server.remember(json!({"id": "rule", "kind": "decision", "text": "e", "tier": "guardrail"}));
    server.remember(json!({"id": "elsewhere", "kind": "note", "text": "f", "namespace": "team"}));
    let check = |query: &str, expect: &[&str]| {
        let list = server.json(&Request::get(format!("/v1/memories?{query}")), 200);
        let mut ids: Vec<String> =
            list["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect();
        ids.sort();
        assert_eq!(ids, expect, "{query}");
    };
    check("", &["plain", "rule"]);
    check("include=restricted,unverified,invalid", &["heard", "over", "plain", "rule", "secret"]);
    check("kind=decision", &["rule"]);
    check("kind=note,decision&tier=reference", &["plain"]);
    check("tier=guardrail", &["rule"]);
    check("until=2026-01-07", &["plain"]);
    check("since=2026-01-07", &["rule"]);
    check("namespace=team", &["elsewhere"]);
    assert_eq!(server.get("/v1/memories/secret").status, 200, "by its id a memory is always shown");
    assert_eq!(server.get("/v1/memories/elsewhere").status, 404, "namespaces do not see each other");
    assert_eq!(server.get("/v1/memories/elsewhere?namespace=team").status, 200);
}

#[test]
fn forgetting_is_told_before_it_is_done() {
    let server = Server::start();
    server.remember(json!({"id": "n-1", "kind": "note", "text": "The Proxy needs a restart", "tags": ["network"]}));
    server.remember(json!({"id": "n-2", "kind": "note", "text": "the database needs nothing"}));
    server.remember(json!({"id": "f-1", "fact": {"key": "proxy", "value": "squid"}}));
    let forget = |body: Value| server.json(&Request::post("/v1/memories/forget", &body), 200);
    let told = forget(json!({"query": "needs PROXY network"}));
    assert_eq!(
        (&told["dry_run"], &told["count"], &told["forgotten"][0]["id"]),
        (&json!(true), &json!(1), &json!("n-1"))
    );
    assert_eq!(server.get("/v1/memories/n-1").status, 200);
    let done = forget(json!({"query": "proxy restart", "dry_run": false}));
    assert_eq!((&done["dry_run"], &done["count"]), (&json!(false), &json!(1)));
    assert_eq!(server.get("/v1/memories/n-1").status, 404);
    assert_eq!(forget(json!({"key": "proxy", "dry_run": false, "purge": true}))["forgotten"][0]["id"], "f-1");
    assert_eq!(forget(json!({"query": "unheard of"}))["count"], 0);
    let empty = server.post("/v1/memories/forget", json!({"query": " "}));
    assert_eq!(empty.status, 400);
    assert!(empty.detail().starts_with("query: "), "{}", empty.detail());
}

#[test]
fn links_lead_up_to_three_steps_around() {
    let server = Server::start();
    for id in ["a", "b", "c", "d", "e"] {
        server.remember(json!({"id": id, "kind": "note", "text": format!("note {id}"), "restricted": id == "e"}));
    }
    for (from, to, relation) in
        [("a", "b", "related_to"), ("c", "b", "elaborates"), ("c", "d", "related_to"), ("a", "e", "related_to")]
    {
        let tied =
            server.json(&Request::post("/v1/links", &json!({"from": from, "to": to, "relation": relation})), 201);
        assert_eq!((&tied["from"], &tied["relation"]), (&json!(from), &json!(relation)));
    }
    let around = |query: &str| {
        let graph = server.json(&Request::get(format!("/v1/links/a{query}")), 200);
        let nodes: Vec<String> = graph["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|node| format!("{}{}", node["id"].as_str().unwrap(), node["depth"]))
            .collect();
        (nodes.join(" "), graph["edges"].as_array().unwrap().len())
    };
    assert_eq!(around(""), ("a0 b1".to_owned(), 1));
    assert_eq!(around("?depth=3"), ("a0 b1 c2 d3".to_owned(), 3));
    assert_eq!(around("?depth=3&relation=related_to"), ("a0 b1".to_owned(), 1));
    assert_eq!(around("?include=restricted"), ("a0 b1 e1".to_owned(), 2));
    assert_eq!(server.get("/v1/links/a?depth=4").status, 400);
    assert_eq!(server.get("/v1/links/none").status, 404);
    assert_eq!(server.post("/v1/links", json!({"from": "a", "to": "none", "relation": "related_to"})).status, 404);
}

#[test]
fn a_list_is_narrowed_by_tag_file_and_source_and_an_unknown_source_is_refused() {
    let server = Server::start();
    server.remember(
        json!({"id": "n-1", "kind": "note", "text": "use tabs", "tags": ["Style"], "files": ["src/a/x.rs"], "source": "user"}),
    );
    server.remember(
        json!({"id": "n-2", "kind": "note", "text": "use redis", "tags": ["tests"], "files": ["src/ab.rs"], "source": "agent"}),
    );
    let ids = |query: &str| -> Vec<String> {
        let listed = server.json(&Request::get(format!("/v1/memories?{query}")), 200);
        let items = listed["items"].as_array().unwrap();
        items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    };
    for (query, expected) in [
        ("tag=style", &["n-1"][..]),
        ("tag=sty", &[]),
        ("file=src/a", &["n-1"]),
        ("file=src/ab.rs", &["n-2"]),
        ("file=src/", &["n-2", "n-1"]),
        ("source=agent", &["n-2"]),
        ("source=agent,user&derived=false", &["n-2", "n-1"]),
        ("derived=true", &[]),
    ] {
        assert_eq!(ids(query), expected, "{query}");
    }
    assert_eq!(server.get("/v1/memories?source=nobody").status, 400);
}
