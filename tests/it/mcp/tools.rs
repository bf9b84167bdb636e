//! Every tool with arguments that make sense: what it does can be seen by the others.

use serde_json::{Value, json};

use super::agent::{Agent, Era};
use crate::home::{Home, eventually_some};

/// Searches until the index has caught up.
fn found(agent: &mut Agent, query: &str, text: &str) -> Value {
    eventually_some(|| {
        let answer = agent.call("mem_search", json!({"query": query}));
        let results = answer["results"].as_array().unwrap();
        results.iter().find(|one| one["text"].as_str().unwrap().contains(text)).cloned()
    })
}

#[test]
fn what_is_saved_is_found_read_cited_and_forgotten_in_both_eras() {
    let home = Home::new();
    let _daemon = home.daemon();
    for (era, port, cited) in [(Era::Legacy, "6380", 1), (Era::Modern, "7391", 2)] {
        let mut agent = Agent::start(&home, era, &[]);
        let text = format!("integration tests need redis on port {port}");
        let saved = agent.call("mem_save", json!({"text": text, "tags": "tests", "files": ["tests/db.rs"]}));
        let id = saved["id"].as_str().unwrap().to_owned();
        assert_eq!(saved["created"], true);
        let again = agent.call("save", json!({"text": text}));
        assert_eq!((&again["merged_into"], &again["created"]), (&json!(id), &json!(false)));

        let hit = found(&mut agent, "what do the integration tests need", port);
        let cite = hit["cite"].as_str().unwrap().to_owned();
        assert!(cite.starts_with("R:") && hit["files"] == json!(["tests/db.rs"]), "{hit}");
        let read = agent.call("mem_get", json!({"ids": [id, "note-none"]}));
        assert_eq!(read["memories"][0]["text"], text);
        assert_eq!((&read["memories"][0]["cite"], &read["missing"][0]["id"]), (&json!(cite), &json!("note-none")));
        let listed = agent.call("mem_timeline", json!({"limit": 5, "since_hours": 1}));
        assert!(listed["entries"].as_array().unwrap().iter().any(|entry| entry["id"] == id), "{listed}");
        let around = agent.call("mem_timeline", json!({"around_id": id, "limit": 3}));
        assert!(around["entries"].as_array().unwrap().iter().any(|entry| entry["id"] == id), "{around}");

        assert_eq!(agent.call("mem_cite", json!({"cited": [cite], "outcome": "success"})), json!({"accepted": true}));
        let ledger = home.run(&["economics", "--json"]).succeeded().json();
        assert_eq!(ledger["metrics"]["memories_cited"], cited, "{ledger}");

        let context = agent.call("mem_context", json!({"goal": "fix the integration tests", "budget": 400}));
        assert!(context["token_count"].as_u64().unwrap() <= 400);
        assert!(context["context"].as_str().unwrap().contains(port), "{context}");

        let would = agent.call("mem_forget", json!({"query": format!("redis {port}")}));
        assert_eq!((&would["dry_run"], &would["count"]), (&json!(true), &json!(1)));
        agent.call("mem_forget", json!({"id": id, "reason": "a try"}));
        assert!(agent.refused("mem_get", json!({"ids": id})).contains("was forgotten"));
        assert_eq!(agent.call("mem_forget", json!({"id": id, "undo": true}))["restored"], id);
        agent.call("mem_get", json!({"id": id}));
        agent.call("mem_forget", json!({"query": format!("redis {port}"), "dry_run": false}));
        assert!(agent.refused("mem_get", json!({"ids": [id]})).contains("was forgotten"));
        agent.ends();
    }
}

#[test]
fn a_secret_is_redacted_and_no_file_holds_it_any_more() {
    let home = Home::new();
    let _daemon = home.daemon();
    let mut agent = Agent::start(&home, Era::Modern, &[]);
    let text = "the staging box is called plumtree-77 and stands in the cellar";
    let id = agent.call("mem_save", json!({"text": text, "kind": "decision", "title": "plumtree-77"}))["id"].clone();
    let would = agent.call("mem_redact", json!({"id": id, "find": "plumtree-77", "dry_run": true}));
    assert!(would["places"].as_u64().unwrap() >= 2 && would["dry_run"] == true, "{would}");
    let done = agent.call("mem_redact", json!({"id": id, "find": "plumtree-77", "replacement": "(a name)"}));
    let copy = done["replaced_by"].as_str().unwrap();
    let read = agent.call("mem_get", json!({"ids": [copy]}));
    assert_eq!(read["memories"][0]["text"], "the staging box is called (a name) and stands in the cellar");
    assert_eq!((&read["memories"][0]["kind"], &read["memories"][0]["title"]), (&json!("decision"), &json!("(a name)")));
    agent.refused("mem_get", json!({"ids": [id]}));

    let other = agent.call("mem_save", json!({"text": "the other name is mulberry-12"}))["id"].clone();
    assert_eq!(agent.call("loki_memory_redact", json!({"pattern": "mulberry-12"}))["count"], 1);
    agent.call("mem_get", json!({"ids": [other]}));
    agent.call("loki_memory_redact", json!({"pattern": "mulberry-12", "dry_run": false}));
    assert!(agent.refused("mem_get", json!({"ids": [other]})).contains("no memory"));
    for (path, bytes) in crate::lab::tree(&home.path("app/.loki")) {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("plumtree") && !text.contains("mulberry"), "{}", path.display());
    }
}

#[test]
fn contradictions_are_listed_and_settled() {
    let home = Home::new();
    let _daemon = home.daemon();
    let mut agent = Agent::start(&home, Era::Legacy, &[]);
    let fact = |value: &str| json!({"fact": {"key": "build.tool", "value": value}});
    agent.call("mem_save", fact("make"));
    let mut hearsay = fact("bazel");
    hearsay["status"] = json!("unverified");
    let saved = agent.call("mem_save", hearsay);
    assert_eq!(saved["contradictions"][0]["status"], "open", "{saved}");
    let open = agent.call("mem_contradictions", json!({}));
    let item = &open["items"][0];
    assert!(item["a_says"].as_str().unwrap().contains("make"), "{open}");
    let settled = agent.call("mem_resolve", json!({"id": item["id"], "resolution": "a_wins", "note": "seen in CI"}));
    assert_eq!(settled["item"]["resolution"], "a_wins");
    assert_eq!(agent.call("mem_contradictions", json!({}))["items"], json!([]));
    assert_eq!(agent.call("mem_contradictions", json!({"status": "resolved"}))["items"].as_array().unwrap().len(), 1);
    assert!(agent.refused("mem_resolve", json!({"id": "con-none", "resolution": "b_wins"})).contains("con-none"));
    let held = agent.call("mem_contradictions", json!({"text": "the build tool is make"}));
    assert!(held["check"]["verdict"].is_string(), "{held}");
}

#[test]
fn loki_modes_names_take_loki_modes_arguments() {
    let home = Home::new();
    let _daemon = home.daemon();
    let mut agent = Agent::start(&home, Era::Legacy, &["--loki-names"]);
    let pattern = json!({"pattern": "retry with jitter", "category": "api", "correct_approach": "back off and jitter",
        "incorrect_approach": "hammer", "confidence": 0.9});
    let id = agent.call("loki_memory_store_pattern", pattern)["id"].clone();
    let read = agent.call("mem_get", json!({"ids": [id]}));
    assert_eq!(read["memories"][0]["pattern"]["correct_approach"], "back off and jitter");
    let asked = json!({"query": "retry", "task_type": "implementation", "top_k": 3});
    eventually_some(|| (agent.call("loki_memory_retrieve", asked.clone())["results"][0]["id"] == id).then_some(()));
    let asked = json!({"query": "retry", "collection": "patterns", "limit": 2});
    assert_eq!(agent.call("mem_search", asked)["results"][0]["id"], id);
    assert_eq!(agent.call("mem_search", json!({"query": "retry", "collection": "skills"}))["results"], json!([]));
    let plan = agent.call("loki_consolidate_memory", json!({"dry_run": true, "since_hours": 24}));
    assert_eq!(plan["dry_run"], true);
}

#[test]
fn large_answers_stay_within_their_budget_and_can_be_read_on() {
    let home = Home::new();
    let _daemon = home.daemon();
    let mut agent = Agent::start(&home, Era::Modern, &[]);
    let long: String = (0..6_000).map(|n| format!("line {n} of the ledger\n")).collect();
    let id = agent.call("mem_save", json!({"text": long}))["id"].clone();
    let (mut offset, mut text) = (json!(0), String::new());
    while !offset.is_null() {
        let read = agent.call("mem_get", json!({"ids": [id], "offset": offset}));
        let piece = &read["memories"][0];
        assert!(piece["text"].as_str().unwrap().len() < 64_000);
        text.push_str(piece["text"].as_str().unwrap());
        offset = piece["next_offset"].clone();
    }
    assert_eq!(text.trim_end(), long.trim_end());
    for n in 0..12 {
        agent.call("mem_save", json!({"text": format!("ledger entry {n}: {}", "words and more words ".repeat(40))}));
    }
    eventually_some(|| {
        let asked = json!({"query": "ledger entry", "k": 12, "level": "full", "budget": 1000});
        let answer = agent.call("mem_search", asked);
        let (kept, more) = (answer["results"].as_array().unwrap().len() as u64, answer["more"].as_u64().unwrap());
        (kept >= 1 && more >= 5 && answer.to_string().len() < 8_000).then_some(())
    });
}
