//! Without a daemon: reads work, writes say what to do, and nothing is started unless asked for.

use serde_json::json;

use super::agent::{Agent, Era};
use crate::home::{Home, eventually_some};

#[test]
fn reads_work_without_a_daemon_and_writes_name_the_fix() {
    let home = Home::new();
    let mut daemon = home.daemon();
    let id = home.remember("the cache is warm");
    home.run(&["stop"]).succeeded();
    daemon.ended();
    for era in [Era::Legacy, Era::Modern] {
        let mut agent = Agent::start(&home, era, &[]);
        assert_eq!(agent.call("mem_search", json!({"query": "cache"}))["results"][0]["id"], id);
        assert_eq!(agent.call("mem_get", json!({"ids": [id]}))["memories"][0]["text"], "the cache is warm");
        assert_eq!(agent.call("mem_timeline", json!({}))["entries"][0]["id"], id);
        assert!(agent.call("mem_context", json!({"goal": "cache"}))["context"].is_string());
        assert_eq!(agent.call("mem_contradictions", json!({}))["items"], json!([]));
        agent.call("memory", json!({"command": "view", "path": "/memories"}));
        for (tool, given) in [
            ("mem_save", json!({"text": "x"})),
            ("mem_cite", json!({"cited": [id]})),
            ("mem_forget", json!({"id": id})),
            ("mem_redact", json!({"id": id})),
            ("mem_resolve", json!({"id": "con-1", "resolution": "a_wins"})),
            ("loki_consolidate_memory", json!({})),
            ("memory", json!({"command": "create", "path": "/memories/a", "file_text": "x"})),
        ] {
            let told = agent.refused(tool, given);
            assert!(
                told.contains("no daemon at") && told.contains("Fix: ") && told.contains("lokid mcp --start"),
                "{tool}: {told}"
            );
        }
        assert!(!home.socket().exists(), "nothing was started");
        agent.ends();
    }
    // A daemon that comes later is found by the server that runs.
    let mut agent = Agent::start(&home, Era::Modern, &[]);
    agent.refused("mem_save", json!({"text": "x"}));
    let mut daemon = home.daemon();
    agent.call("mem_save", json!({"text": "now it works"}));
    home.run(&["stop"]).succeeded();
    daemon.ended();
    assert!(agent.refused("mem_save", json!({"text": "y"})).contains("no daemon at"));
    agent.call("mem_get", json!({"ids": [id]}));
    agent.ends();
}

#[test]
fn a_server_that_is_told_to_starts_one_daemon_that_outlives_it() {
    let home = Home::new();
    let mut agent = Agent::start(&home, Era::Modern, &["--start"]);
    assert!(!home.socket().exists(), "not before it is needed");
    let ids: Vec<u64> = (0..4)
        .map(|n| {
            agent.send(
                "tools/call",
                json!({"name": "mem_save", "arguments": {"text": format!("thing number {n} is blue")}}),
            )
        })
        .collect();
    let mut pending: std::collections::BTreeSet<u64> = ids.into_iter().collect();
    while !pending.is_empty() {
        let line = agent.out.wait_for("\"id\"");
        let answer: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        assert!(pending.remove(&answer["id"].as_u64().unwrap()));
    }
    agent.ends();
    home.run(&["status"]).succeeded().says("4 notes");
    // Another project is taken in by the same daemon.
    let other = home.repository("other");
    let mut agent = Agent::start(&home, Era::Legacy, &["--project", other.to_str().unwrap()]);
    assert!(agent.refused("mem_save", json!({"text": "x"})).contains("lokid project add"));
    let mut agent = Agent::start(&home, Era::Legacy, &["--start", "--project", other.to_str().unwrap()]);
    agent.call("mem_save", json!({"text": "elsewhere"}));
    home.run(&["project", "list"]).succeeded().says("other");
    home.run(&["stop"]).succeeded();
    eventually_some(|| (!home.socket().exists()).then_some(()));
}

#[test]
fn outside_of_any_repository_every_tool_says_so_and_none_fails() {
    let home = Home::new();
    let plain = home.path("plain");
    std::fs::create_dir(&plain).unwrap();
    let mut agent = Agent::start(&home, Era::Legacy, &["--project", plain.to_str().unwrap()]);
    let told = agent.refused("mem_search", json!({"query": "x"}));
    assert!(told.contains("is in no git repository") && told.contains("Fix: "), "{told}");
    agent.ends();
}
