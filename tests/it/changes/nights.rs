//! What nights did: kept for thirty of them, taken back one by one or whole, and not done again.

use serde_json::{Value, json};

use super::{bare, changes, newest, remember, show, stays, undo, words};
use crate::door::stopped;
use crate::home::{Home, client, get, post};
use crate::night::{STORY, night_in};
use lokid::serve::Request;

#[test]
fn two_that_became_one_are_two_again_and_stay_so() {
    let home = Home::new();
    let daemon = home.daemon();
    for (id, text) in
        [("n-1", "Integration tests require a redis listening on port 6380."), ("n-2", "tests need redis on 6380")]
    {
        remember(&home, json!({"id": id, "kind": "note", "text": text, "tags": [id]}));
    }
    let before = ["n-1", "n-2"].map(|id| bare(show(&home, id).unwrap()));
    let told = night_in(&home, 0);
    assert_eq!(told["deduped"], 1, "{told:#}");
    let merged = changes(&home, "op=merged");
    assert_eq!(merged.len(), 2, "{merged:#?}");
    assert_eq!((&merged[0]["by"], &merged[0]["night"]), (&json!("night"), &told["started_at"]));
    assert_eq!(merged[0]["group"], merged[1]["group"]);
    assert!(merged[0]["why"].as_str().unwrap().contains("says the same"), "{merged:#?}");
    let undone = undo(&home, &merged[0]);
    assert!(undone["skipped"].as_array().unwrap().iter().any(|one| one["why"].as_str().unwrap().contains("one again")));
    assert_eq!(["n-1", "n-2"].map(|id| bare(show(&home, id).unwrap())), before);
    assert_eq!(night_in(&home, 0)["deduped"], 0, "what was undone stays undone");
    stopped(daemon);
    let _daemon = home.daemon();
    assert_eq!(night_in(&home, 1)["deduped"], 0, "also after a restart");
    assert_eq!(["n-1", "n-2"].map(|id| bare(show(&home, id).unwrap())), before);
}

#[test]
fn what_was_shortened_put_to_rest_or_archived_is_left_alone_once_it_was_taken_back() {
    let home = Home::new();
    let daemon = home.daemon();
    let story = remember(&home, json!({"kind": "decision", "text": STORY}));
    let passing = remember(&home, json!({"kind": "note", "text": "The printer on the third floor is broken."}));
    let before = [&story, &passing].map(|id| bare(show(&home, id).unwrap()));
    let told = night_in(&home, 100);
    assert_eq!((&told["compressed"], &told["archived"]), (&json!(1), &json!(2)), "{told:#}");
    assert_eq!(show(&home, &story).unwrap()["tier"], "archive");
    // It was shortened, and then put to rest: the last comes first.
    let of_story = changes(&home, &format!("memory={story}&by=night"));
    assert_eq!(words(&of_story, "op"), ["changed", "changed"], "{of_story:#?}");
    assert!(stays(&home, &of_story[1]).contains("tier"));
    of_story.iter().for_each(|change| drop(undo(&home, change)));
    undo(&home, &newest(&home, &format!("memory={passing}&op=archived")));
    assert_eq!([&story, &passing].map(|id| bare(show(&home, id).unwrap())), before);
    stopped(daemon);
    let _daemon = home.daemon();
    for days in [100, 300] {
        let told = night_in(&home, days);
        assert_eq!((&told["compressed"], &told["archived"]), (&json!(0), &json!(0)), "{told:#}");
    }
    // Other words are another matter.
    super::patch(&home, &passing, json!({"text": "The printer on the fourth floor is broken."}));
    assert_eq!(night_in(&home, 700)["archived"], 1);
}

#[test]
fn a_matter_the_night_found_is_dismissed_and_not_found_again() {
    let home = Home::new();
    let _daemon = home.daemon();
    let lines = [
        json!({"id": "n-tabs", "kind": "note", "text": "The code base is indented with tabs."}),
        json!({"id": "n-spaces", "kind": "note", "text": "The code base is indented with spaces."}),
    ];
    home.run_with(&["import", "-"], &lines.map(|line| format!("{line}\n")).concat()).succeeded();
    assert_eq!(words(&changes(&home, ""), "by"), ["import", "import"]);
    assert_eq!(night_in(&home, 0)["contradictions_found"], 1);
    let conflict = newest(&home, "op=conflict");
    assert_eq!(conflict["contradiction"]["status"], "open");
    undo(&home, &conflict);
    assert_eq!(get(&home, "/v1/contradictions?status=open")["items"], json!([]));
    let told = night_in(&home, 0);
    assert_eq!((&told["contradictions_found"], &told["deduped"]), (&json!(0), &json!(0)), "{told:#}");
}

/// Somebody mends the login again and again, and the same way helps.
fn logins(home: &Home) {
    for at in 1..=3 {
        let goal = [
            "fix the login timeout in the session store",
            "login timeout: the session store is slow again",
            "fix the timeout when logging in, session store",
        ][at - 1];
        let step = |command: &str| json!({"action": "bash", "target": command});
        let error = json!({"type": "TimeoutError", "message": "session store timed out after 30 s",
            "resolution": "raise the pool of the session store to 20"});
        remember(
            home,
            json!({"id": format!("ep-login-{at}"), "kind": "episode", "outcome": "success",
            "timestamp": "2026-03-01T10:00:00Z", "episode": {"task_id": format!("t-{at}"), "agent": "claude",
            "context": {"goal": goal, "phase": "development", "files_involved": ["src/auth/session.rs"]},
            "action_log": [step("edit src/auth/session.rs"), step("cargo test -p auth")],
            "errors_encountered": [error], "files_modified": ["src/auth/session.rs"], "outcome": "success"}}),
        );
    }
}

#[test]
fn a_whole_night_is_taken_back_and_the_next_does_nothing_of_it() {
    let home = Home::new();
    let daemon = home.daemon();
    logins(&home);
    let list = || {
        let found = get(&home, "/v1/memories?limit=500&derived=false");
        let mut ids = words(found["items"].as_array().unwrap(), "id");
        ids.sort();
        ids
    };
    let before = list();
    let told = night_in(&home, 0);
    assert!(told["patterns_created"].as_u64() >= Some(1) && list().len() > before.len(), "{told:#}");
    let nights = get(&home, "/v1/consolidate?limit=30")["nights"].as_array().unwrap().clone();
    assert_eq!((nights.len(), &nights[0]["started_at"]), (1, &told["started_at"]));
    let undoable = nights[0]["undoable"].as_u64().unwrap();
    assert_eq!(undoable as usize, told["done"].as_array().unwrap().len(), "{told:#}");
    let undone = post(&home, "/v1/consolidate/undo", &json!({"started_at": told["started_at"]}));
    assert_eq!((undone["undone"].as_u64(), &undone["skipped"]), (Some(undoable), &json!([])), "{undone:#}");
    assert_eq!(list(), before);
    let links = |id: &str| get(&home, &format!("/v1/links/{id}"))["edges"].as_array().unwrap().len();
    assert_eq!(links("ep-login-1") + links("ep-login-2") + links("ep-login-3"), 0);
    stopped(daemon);
    let _daemon = home.daemon();
    let again = night_in(&home, 0);
    assert_eq!(again["done"], json!([]), "{again:#}");
    assert_eq!(list(), before);
    let nights = get(&home, "/v1/consolidate?limit=30")["nights"].as_array().unwrap().clone();
    assert_eq!((nights.len(), &nights[1]["undoable"]), (2, &json!(0)));
    assert_eq!(get(&home, "/v1/consolidate?limit=1")["nights"].as_array().unwrap().len(), 1);
    assert_eq!(get(&home, "/v1/consolidate")["nights"], Value::Null);
}

#[test]
fn thirty_nights_are_kept_and_what_is_no_night_is_refused() {
    let home = Home::new();
    let daemon = home.daemon();
    let began: Vec<Value> = (0..32)
        .map(|_| post(&home, "/v1/consolidate", &json!({"phases": ["promote"]}))["started_at"].clone())
        .collect();
    stopped(daemon);
    let _daemon = home.daemon();
    let nights = get(&home, "/v1/consolidate?limit=30")["nights"].as_array().unwrap().clone();
    let kept: Vec<&Value> = nights.iter().map(|night| &night["started_at"]).collect();
    assert_eq!(kept, began.iter().rev().take(30).collect::<Vec<_>>());
    assert_eq!(get(&home, "/v1/consolidate")["last"]["started_at"], began[31]);
    let undo = |body: Value| client(&home).send(&Request::post("/v1/consolidate/undo", &body)).unwrap();
    assert_eq!(undo(json!({"started_at": began[31]})).json().unwrap(), json!({"undone": 0, "skipped": []}));
    assert_eq!(undo(json!({"started_at": "2020-01-01T00:00:00Z"})).status, 404);
    assert_eq!(undo(json!({"started_at": "yesterday"})).status, 400);
    assert_eq!(undo(json!({})).status, 400);
    for limit in ["0", "31", "x"] {
        let answer = client(&home).send(&Request::get(format!("/v1/consolidate?limit={limit}"))).unwrap();
        assert_eq!(answer.status, 400, "{limit}");
    }
}
