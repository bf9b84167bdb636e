//! The life of one memory: every version with its time, and what was known at a moment.

use serde_json::{Value, json};

use super::{patch, remember, words};
use crate::home::{Home, client, get};
use lokid::serve::Request;

#[track_caller]
fn history(home: &Home, id: &str) -> Vec<Value> {
    get(home, &format!("/v1/memories/{id}/history"))["versions"].as_array().unwrap().clone()
}

fn texts(versions: &[Value]) -> Vec<&str> {
    versions.iter().map(|version| version["record"]["text"].as_str().unwrap()).collect()
}

#[test]
fn every_version_is_shown_with_its_time_and_known_at_its_time() {
    let home = Home::new();
    let _daemon = home.daemon();
    let id = remember(&home, json!({"kind": "note", "text": "one"}));
    patch(&home, &id, json!({"text": "two"}));
    home.run(&["forget", "--yes", &id]).succeeded();
    home.run(&["forget", "--undo", &id]).succeeded();
    patch(&home, &id, json!({"text": "three"}));
    let versions = history(&home, &id);
    assert_eq!(texts(&versions), ["three", "two", "two", "one"]);
    assert_eq!(words(&versions, "op"), ["changed", "restored", "changed", "new"]);
    assert_eq!(words(&versions, "by"), ["user", "user", "user", "agent"]);
    assert_eq!(versions[0]["until"], Value::Null);
    assert_eq!(versions[1]["until"], versions[0]["at"]);
    assert!(versions[2]["until"].as_str() < versions[1]["at"].as_str(), "it was archived in between");
    let at = |moment: &Value| {
        let path = format!("/v1/memories/{id}?counted=false&as_of={}", moment.as_str().unwrap());
        client(&home).send(&Request::get(path)).unwrap()
    };
    for version in &versions {
        assert_eq!(at(&version["at"]).json().unwrap()["text"], version["record"]["text"]);
    }
    assert_eq!(at(&versions[2]["until"]).status, 404, "nobody knew it while it was archived");
    assert_eq!(at(&json!("2020-01-01T00:00:00Z")).status, 404);
    home.run(&["show", &id, "--as-of", versions[3]["at"].as_str().unwrap()]).succeeded().says("one");
    let answer = client(&home).send(&Request::get("/v1/memories/nobody/history")).unwrap();
    assert_eq!(answer.status, 404);
}

#[test]
fn what_happened_before_there_was_a_log_is_read_from_the_lines_of_the_file() {
    let home = Home::new();
    let daemon = home.daemon();
    let id = remember(&home, json!({"kind": "note", "text": "one"}));
    let private = remember(&home, json!({"kind": "note", "text": "mine one", "scope": "user-private"}));
    patch(&home, &id, json!({"text": "two"}));
    patch(&home, &private, json!({"text": "mine two"}));
    crate::door::stopped(daemon);
    std::fs::remove_dir_all(super::kept::folder(&home)).unwrap();
    let _daemon = home.daemon();
    assert_eq!(get(&home, "/v1/changes")["since"], Value::Null);
    assert_eq!(texts(&history(&home, &id)), ["two", "one"]);
    assert_eq!(texts(&history(&home, &private)), ["mine two", "mine one"]);
    patch(&home, &id, json!({"text": "three"}));
    let versions = history(&home, &id);
    assert_eq!(texts(&versions), ["three", "two", "one"]);
    assert_eq!(words(&versions, "op"), ["changed", "changed", "new"]);
}
