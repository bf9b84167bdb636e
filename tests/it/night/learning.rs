//! What episodes teach, and that they teach it once.

use serde_json::{Value, json};

use super::{deeds, episode, get, logins, night, night_in, post, remember};
use crate::home::Home;

fn patterns(home: &Home) -> Vec<Value> {
    let found = get(home, "/v1/memories?kind=pattern,anti_pattern,learning,skill&limit=500");
    found["items"].as_array().unwrap().clone()
}

#[test]
fn episodes_become_a_pattern_with_what_worked_and_where_it_comes_from() {
    let home = Home::new();
    let _daemon = home.daemon();
    logins(&home);
    let told = night(&home);
    assert_eq!(told["patterns_created"], 1, "{told:#}");
    let pattern = patterns(&home).into_iter().find(|memory| memory["kind"] == "pattern").unwrap();
    let id = pattern["id"].as_str().unwrap();
    let whole = get(&home, &format!("/v1/memories/{id}"));
    assert!(whole["confidence"].as_f64().unwrap() >= 0.8, "{whole:#}");
    let sources = whole["pattern"]["source_episodes"].as_array().unwrap();
    assert_eq!(sources.len(), 3, "{whole:#}");
    let approach = whole["pattern"]["correct_approach"].as_str().unwrap();
    assert!(approach.contains("cargo test"), "{whole:#}");
    let links = get(&home, &format!("/v1/links/{id}?relation=derived_from"));
    assert_eq!(links["edges"].as_array().unwrap().len(), 3, "{links:#}");
    // The same error three times: one anti-pattern or learning, with the fix that helped.
    let lessons: Vec<Value> = patterns(&home).into_iter().filter(|memory| memory["kind"] != "pattern").collect();
    assert!(!lessons.is_empty());
    assert!(
        lessons.iter().any(|lesson| lesson["summary"].as_str().unwrap_or_default().contains("pool")),
        "{lessons:#?}"
    );
}

#[test]
fn a_second_night_and_thirty_more_change_nothing() {
    let home = Home::new();
    let _daemon = home.daemon();
    logins(&home);
    remember(&home, json!({"kind": "note", "text": "The session store runs on port 6379."}));
    night(&home);
    let first = patterns(&home);
    let again = night(&home);
    assert_eq!(deeds(&again), 0, "{again:#}");
    for day in 1..=30 {
        night_in(&home, day / 8);
    }
    let ids = |found: &[Value]| found.iter().map(|memory| memory["id"].clone()).collect::<Vec<_>>();
    assert_eq!(ids(&patterns(&home)), ids(&first));
}

#[test]
fn more_evidence_strengthens_a_pattern_and_makes_no_twin() {
    let home = Home::new();
    let _daemon = home.daemon();
    logins(&home);
    night(&home);
    let before = patterns(&home).into_iter().find(|memory| memory["kind"] == "pattern").unwrap();
    let steps = [("edit src/auth/session.rs", ""), ("cargo test -p auth", "")];
    for at in 4..8 {
        let goal = "fix the login timeout in the session store";
        remember(&home, episode(&format!("ep-login-{at}"), goal, "success", &steps, &[]));
    }
    let told = night(&home);
    assert_eq!(
        (&told["patterns_created"], told["patterns_updated"].as_u64() >= Some(1)),
        (&json!(0), true),
        "{told:#}"
    );
    let after: Vec<Value> = patterns(&home).into_iter().filter(|memory| memory["kind"] == "pattern").collect();
    assert_eq!(after.len(), 1);
    let sure = |memory: &Value| {
        let id = memory["id"].as_str().unwrap();
        get(&home, &format!("/v1/memories/{id}"))["confidence"].as_f64().unwrap()
    };
    assert_eq!(after[0]["id"], before["id"]);
    assert!(sure(&after[0]) > 0.9);
}

#[test]
fn a_plan_changes_nothing_and_says_what_a_night_then_does() {
    let home = Home::new();
    let _daemon = home.daemon();
    logins(&home);
    let plan = post(&home, "/v1/consolidate", &json!({"dry_run": true}));
    assert!(patterns(&home).is_empty());
    assert!(deeds(&plan) > 0 && plan["done"].is_null(), "{plan:#}");
    let told = night(&home);
    for name in ["patterns_created", "anti_patterns", "learnings", "skills", "deduped"] {
        assert_eq!(plan[name], told[name], "{name}");
    }
    let phases = post(&home, "/v1/consolidate", &json!({"dry_run": true, "phases": ["dedupe", "connect"]}));
    assert!(phases["plan"].as_array().unwrap().iter().all(|deed| deed["phase"] != "learn"));
}

#[test]
fn ten_bad_episodes_among_a_thousand_are_named_and_cost_nothing() {
    let home = Home::new();
    let folder = home.path("app/.loki/memory/episodic/2026-03-01");
    std::fs::create_dir_all(&folder).unwrap();
    let goals = ["fix the login timeout", "speed up the nightly export", "upgrade the date library", "tidy the docs"];
    for at in 0..990 {
        // A task that is only tried again teaches nothing about others.
        let goal = format!("{}, part {}", goals[at % goals.len()], ["one", "two", "three"][at / 4 % 3]);
        let text = json!({
            "id": format!("ep-{at:04}"), "task_id": format!("t{at}"),
            "timestamp": format!("2026-03-01T{:02}:{:02}:00Z", at / 60 % 24, at % 60), "agent": "claude",
            "context": {"goal": goal, "phase": "development", "files_involved": [format!("src/m{}.rs", at % goals.len())]},
            "action_log": [{"t": 0, "action": "bash", "target": format!("cargo test -p m{}", at % goals.len())}],
            "outcome": "success", "errors_encountered": [],
        });
        std::fs::write(folder.join(format!("task-ep-{at:04}.json")), text.to_string()).unwrap();
    }
    let huge = "x".repeat(1 << 20);
    let bad = [
        r#"{"id": "ep-bad-0", "timestamp": "the day before", "context": {"goal": "g"}, "outcome": "success"}"#
            .to_owned(),
        r#"{"id": "ep-bad-1", "timestamp": "2026-03-01T00:00:00Z", "context": null, "outcome": "success"}"#.to_owned(),
        r#"{"id": "ep-bad-2", "timestamp": 99999999999999999999, "context": [], "outcome": 7}"#.to_owned(),
        r#"{"id": "ep-bad-3", "action_log": "none", "errors_encountered": {"a": 1}, "context": {"goal": ["a"]}}"#
            .to_owned(),
        r#"{"id": "ep-bad-4", "timestamp": "9999-12-31T23:59:59Z", "context": {"goal": ""}, "outcome": "maybe"}"#
            .to_owned(),
        format!(r#"{{"id": "ep-bad-5", "timestamp": "2026-03-01T00:00:00Z", "context": {{"goal": "{huge}"}}}}"#),
        r#"{"id": "ep-bad-6", "timestamp": "2026-03-01T00:00:00Z", "#.to_owned(),
        "[1, 2, 3]".to_owned(),
        "\u{0}\u{1}binary".to_owned(),
        String::new(),
    ];
    for (at, text) in bad.iter().enumerate() {
        std::fs::write(folder.join(format!("task-ep-bad-{at}.json")), text).unwrap();
    }
    let _daemon = home.daemon();
    let told = night(&home);
    assert!(told["patterns_created"].as_u64() >= Some(4), "{told:#}");
    // What cannot be read at all is named; what is merely odd took part.
    let named: Vec<&str> = told["problems"].as_array().unwrap().iter().filter_map(|one| one["path"].as_str()).collect();
    for at in 6..10 {
        assert!(named.iter().any(|path| path.contains(&format!("ep-bad-{at}"))), "{at} is not in {named:?}");
    }
    let read = get(&home, "/v1/status")["projects"][0]["counts"]["episode"].as_u64().unwrap();
    assert_eq!(read as usize + named.len(), 1000, "each is there or named: {named:?}");
}

#[test]
fn a_skill_that_a_person_wrote_is_not_overwritten() {
    let home = Home::new();
    let _daemon = home.daemon();
    let steps = [("cargo test", ""), ("cargo build --release", ""), ("git tag v1", ""), ("git push --tags", "")];
    for at in 0..4 {
        let goal = format!("release version {at}");
        remember(&home, episode(&format!("ep-release-{at}"), &goal, "success", &steps, &[]));
    }
    let told = night(&home);
    assert!(told["skills"].as_u64() >= Some(1), "{told:#}");
    let skills = get(&home, "/v1/skills");
    let skill = &skills["items"][0];
    let document = home
        .path("app/.loki/memory/skills")
        .join(format!("{}.md", skill["id"].as_str().unwrap().trim_start_matches("skill-")));
    let text = std::fs::read_to_string(&document).unwrap();
    for heading in ["# Skill:", "Prerequisites", "Steps", "Exit Criteria"] {
        assert!(text.contains(heading), "{heading} is missing in {text}");
    }
    let edited = text.replace("# Skill:", "# Skill: Our own way to").replace("cargo test", "make test");
    std::fs::write(&document, &edited).unwrap();
    get(&home, "/v1/status?fresh=true");
    for at in 4..9 {
        let goal = format!("release version {at}");
        remember(&home, episode(&format!("ep-release-{at}"), &goal, "success", &steps, &[]));
    }
    night(&home);
    assert_eq!(std::fs::read_to_string(&document).unwrap(), edited);
}

#[test]
fn an_unsolved_error_is_remembered_as_open_and_closed_once_it_is_mended() {
    let home = Home::new();
    let _daemon = home.daemon();
    let error = "deadlock detected while waiting for the ledger";
    let run = ("cargo test -p ledger", error);
    remember(&home, episode("ep-open", "make the ledger fast", "failure", &[run], &[]));
    // What belongs to the room is no lesson, however often it is met.
    for at in 0..4 {
        let lost = [("python run.py --all", "ls: testbed: No such file or directory"), ("pwd", "")];
        remember(&home, episode(&format!("ep-lost-{at}"), &format!("look at part {at}"), "failure", &lost, &[]));
    }
    night(&home);
    let lessons = patterns(&home);
    assert_eq!(lessons.len(), 1, "{lessons:#?}");
    let id = lessons[0]["id"].as_str().unwrap();
    let open = get(&home, &format!("/v1/memories/{id}"));
    assert_eq!((&open["kind"], &open["tags"]), (&json!("anti_pattern"), &json!(["error", "open"])), "{open:#}");
    let text = open["text"].as_str().unwrap();
    assert!(text.contains("deadlock detected") && text.contains("cargo test -p ledger"), "{open:#}");
    let mended = [("DeadlockError", error, "take the locks in the order of their ids")];
    remember(&home, episode("ep-mended", "the ledger hangs", "success", &[("cargo test -p ledger", "")], &mended));
    night(&home);
    let closed = get(&home, &format!("/v1/memories/{id}"));
    assert_eq!(closed["tags"], json!(["error", "learnt"]), "{closed:#}");
    assert!(closed["text"].as_str().unwrap().contains("order of their ids"), "{closed:#}");
}
