//! The layers, and Loki Mode's documents: ledgers, handoffs, learnings and skills.

use lokid::serve::Request;
use serde_json::{Value, json};

use super::server::Server;

fn items(server: &Server, path: &str) -> Vec<Value> {
    server.json(&Request::get(path), 200)["items"].as_array().unwrap().clone()
}

#[test]
fn the_layers_come_as_json_and_as_text() {
    let server = Server::start();
    server.remember(json!({"kind": "decision", "text": "use an event loop", "tags": ["engine"]}));
    let index = server.json(&Request::get("/v1/index"), 200);
    assert_eq!(index["total_memories"], 1);
    let timeline = server.json(&Request::get("/v1/timeline"), 200);
    assert!(timeline["recent_actions"].is_array() && timeline["key_decisions"].is_array(), "{timeline}");
    for path in ["/v1/index?format=text", "/v1/timeline?format=text"] {
        let answer = server.get(path);
        assert!(answer.header("content-type").unwrap().starts_with("text/plain"), "{path}");
        assert!(answer.json().is_err() && !answer.body.is_empty(), "{path}: {}", answer.text());
    }
    let wrong = server.get("/v1/index?format=yaml");
    assert_eq!(wrong.status, 400);
    assert!(wrong.detail().contains("json") && wrong.detail().contains("text"), "{}", wrong.detail());
}

#[test]
fn ledgers_and_handoffs_are_kept_whole() {
    let server = Server::start();
    let ledger =
        json!({"agent_id": "coder", "tasks_completed": 3, "state": {"files_modified": ["a.rs"]}, "own": [1, null]});
    let mut sent = ledger.clone();
    sent["project"] = json!(server.repo());
    let written = server.json(&Request::post("/v1/ledgers", &sent), 201);
    assert_eq!(written["id"], "coder");
    assert_eq!(items(&server, "/v1/ledgers"), [ledger]);

    let minted = server.json(&Request::post("/v1/handoffs", &json!({"reason": "night", "open_questions": []})), 201);
    server.json(&Request::post("/v1/handoffs", &json!({"id": "h-1", "from_agent": "a", "to_agent": "b"})), 201);
    let mut ids: Vec<Value> = items(&server, "/v1/handoffs").iter().map(|handoff| handoff["id"].clone()).collect();
    ids.sort_by_key(ToString::to_string);
    assert_eq!(ids, [json!("h-1"), minted["id"].clone()].to_vec());

    for (path, body) in [
        ("/v1/ledgers", json!({"agent_id": "../../x"})),
        ("/v1/ledgers", json!({"x": 1})),
        ("/v1/handoffs", json!({"id": "a/b"})),
    ] {
        let refused = server.post(path, body.clone());
        assert_eq!((refused.status, refused.code().as_deref()), (400, Some("bad_request")), "{path} {body}");
    }
}

#[test]
fn learnings_and_skills_are_memories_with_their_own_front_door() {
    let server = Server::start();
    let learnt =
        server.json(&Request::post("/v1/learnings", &json!({"error": "E0308", "cause": "types", "fix": "cast"})), 201);
    let learning = &items(&server, "/v1/learnings")[0];
    assert_eq!((&learning["id"], &learning["learning"]["fix"]), (&learnt["id"], &json!("cast")));
    assert!(server.post("/v1/learnings", json!({"fix": "x"})).detail().starts_with("error: "));

    let skill = json!({"name": "API Client Retry", "description": "Wrap it.", "steps": ["test", "wrap"]});
    assert_eq!(server.json(&Request::post("/v1/skills", &skill), 201)["id"], "skill-api-client-retry");
    let same = json!({"text": "# Skill: api_client retry\n\nWrap it well.\n\n## Steps\n1. test\n2. wrap\n3. ship\n"});
    let changed = server.json(&Request::post("/v1/skills", &same), 200);
    assert_eq!(changed, json!({"id": "skill-api-client-retry", "created": false}));
    let skills = items(&server, "/v1/skills");
    assert_eq!(skills.len(), 1);
    assert_eq!(skills[0]["name"], "api_client retry");
    assert!(skills[0]["text"].as_str().unwrap().contains("3. ship"), "{}", skills[0]);
    assert!(server.post("/v1/skills", json!({"steps": []})).detail().starts_with("name: "));
    assert!(server.post("/v1/skills", json!({"text": "no heading"})).detail().starts_with("text: "));
}
