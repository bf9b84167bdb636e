//! `lokid mcp` as agents use it: the real program, spoken to in lines of JSON-RPC, in both eras of the protocol.

mod agent;
mod alone;
mod files;
mod hostile;
mod schema;
mod tools;
mod why;

use serde_json::{Value, json};

use crate::home::Home;
use agent::{Agent, Era};

const LISTED: &[&str] = &[
    "mem_search",
    "mem_timeline",
    "mem_get",
    "mem_context",
    "mem_why",
    "mem_save",
    "mem_cite",
    "mem_contradictions",
    "mem_resolve",
    "mem_forget",
    "mem_redact",
    "memory",
];
const LOKI: &[&str] = &[
    "loki_memory_retrieve",
    "loki_memory_store_pattern",
    "loki_consolidate_memory",
    "loki_memory_promote",
    "loki_memory_redact",
];

fn names(list: &Value) -> Vec<&str> {
    list["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[test]
fn both_eras_list_the_same_tools_in_the_same_order_every_time() {
    let home = Home::new();
    let mut lists = Vec::new();
    for era in [Era::Legacy, Era::Modern] {
        for _ in 0..2 {
            let mut agent = Agent::start(&home, era, &[]);
            let mut list = agent.ask("tools/list", json!({}));
            // The later era says how long an answer stays good.
            for name in ["resultType", "ttlMs", "cacheScope", "_meta"] {
                list.as_object_mut().unwrap().remove(name);
            }
            lists.push(list.to_string());
            assert_eq!(names(&list), LISTED);
            agent.ends();
        }
    }
    assert!(lists.windows(2).all(|pair| pair[0] == pair[1]));
    let mut agent = Agent::start(&home, Era::Legacy, &["--loki-names"]);
    let all: Vec<&str> = LISTED.iter().chain(LOKI).copied().collect();
    assert_eq!(names(&agent.ask("tools/list", json!({}))), all);
}

#[test]
fn an_old_client_is_greeted_in_its_own_version() {
    let home = Home::new();
    for version in ["2025-06-18", "2025-03-26", "2025-11-25"] {
        let mut agent = Agent::silent(&home, &[]);
        let params =
            json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let hello = agent.ask("initialize", params);
        assert_eq!(hello["protocolVersion"], version);
        assert_eq!((&hello["serverInfo"]["name"], hello["capabilities"]["tools"].is_object()), (&json!("lokid"), true));
        assert!(hello["instructions"].as_str().unwrap().contains("quoted data"));
        agent.tell("notifications/initialized", json!({}));
        assert!(agent.ask("ping", json!({})).as_object().unwrap().is_empty());
    }
}

#[test]
fn a_new_client_discovers_and_needs_no_greeting() {
    let home = Home::new();
    let mut agent = Agent::start(&home, Era::Modern, &[]);
    let found = agent.ask("server/discover", json!({}));
    let versions: Vec<&str> =
        found["supportedVersions"].as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect();
    assert!(versions.contains(&"2026-07-28") && versions.contains(&"2025-06-18"), "{versions:?}");
    assert!(found["capabilities"]["prompts"].is_object() && found["capabilities"]["resources"].is_object());
    assert_eq!(agent.ask("tools/list", json!({}))["resultType"], "complete");
    // A client that only probed may still greet in the old way.
    let mut agent = Agent::start(&home, Era::Modern, &[]);
    agent.ask("server/discover", json!({}));
    agent.era = Era::Legacy;
    agent.greet();
    assert_eq!(names(&agent.ask("tools/list", json!({}))), LISTED);
}

#[test]
fn every_hint_is_set_and_every_description_is_short() {
    let home = Home::new();
    let mut agent = Agent::start(&home, Era::Legacy, &["--loki-names"]);
    for tool in agent.ask("tools/list", json!({}))["tools"].as_array().unwrap() {
        let hints = &tool["annotations"];
        for name in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(hints[name].is_boolean(), "{name} of {tool}");
        }
        assert_eq!(hints["openWorldHint"], false);
        assert!(tool["description"].as_str().unwrap().len() < 2048);
        assert!(tool["inputSchema"]["properties"].is_object() && tool["outputSchema"]["properties"].is_object());
        assert!(tool["title"].is_string());
    }
}

#[test]
fn prompts_and_resources_bring_memory_between_its_marks() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.remember("integration tests need redis on port 6380");
    for era in [Era::Legacy, Era::Modern] {
        let mut agent = Agent::start(&home, era, &[]);
        let list = agent.ask("prompts/list", json!({}));
        let prompts: Vec<&Value> = list["prompts"].as_array().unwrap().iter().map(|prompt| &prompt["name"]).collect();
        assert_eq!(prompts, ["recall", "session"]);
        let given = agent.ask("prompts/get", json!({"name": "recall", "arguments": {"topic": "integration tests"}}));
        let text = given["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(text.contains("<lokid-memory>") && text.contains("6380"), "{text}");
        let given = agent.ask("prompts/get", json!({"name": "session"}));
        assert!(given["messages"][0]["content"]["text"].as_str().unwrap().contains("Applied:"));
        let error = agent.fails("prompts/get", json!({"name": "recall"}));
        assert!(error["message"].as_str().unwrap().starts_with("topic: "), "{error}");
        assert!(agent.fails("prompts/get", json!({"name": "x\u{0}"}))["message"].as_str().unwrap().contains("recall"));

        let list = agent.ask("resources/list", json!({}));
        for resource in list["resources"].as_array().unwrap() {
            let read = agent.ask("resources/read", json!({"uri": resource["uri"]}));
            let text = read["contents"][0]["text"].as_str().unwrap();
            assert!(text.starts_with("<lokid-memory>\n") && text.ends_with("\n</lokid-memory>"), "{text}");
        }
        agent.fails("resources/read", json!({"uri": "file:///etc/passwd"}));
        agent.fails("resources/read", json!({"uri": "loki://memory/../../etc/passwd"}));
    }
}
