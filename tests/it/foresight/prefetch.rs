//! Contexts that stand ready before anybody asks, and never tell what is no longer so.

use lokid::serve::Request;
use lokid_model::Timestamp;
use serde_json::{Value, json};

use super::{ask, begin, begin_again, ids, note, ready_context, remember, said, settled, signal};
use crate::eyes::lab::Lab;
use crate::home::eventually_some;

fn prepare(lab: &Lab) {
    lab.write("src/auth.rs", "pub fn login() {}\n");
    lab.write("src/pay.rs", "pub fn pay() {}\n");
    lab.commit("Begin");
}

fn know(lab: &Lab) {
    note(lab, "n-auth", "The login form posts to the gateway.", &["src/auth.rs"]);
    note(lab, "n-pay", "Payments are rounded half to even.", &["src/pay.rs"]);
    settled(lab);
}

fn made_ready(lab: &mut Lab, path: &str) -> Value {
    lab.hear(&format!("a context for {path}"), |event| event["kind"] == "prefetch" && event["data"]["path"] == path)
}

fn opened(lab: &mut Lab, session: &str, path: &str) {
    signal(lab, json!({"type": "file_opened", "path": path, "session_id": session}));
    made_ready(lab, path);
}

#[test]
fn an_opened_file_finds_its_context_ready_and_that_is_what_a_cold_one_would_be() {
    let mut lab = Lab::new();
    prepare(&lab);
    begin(&mut lab);
    know(&lab);
    opened(&mut lab, "warm", "src/auth.rs");
    let warm = ready_context(&lab, Some("warm"), "src/auth.rs", "n-pay");
    assert!(ids(&warm).contains(&"n-auth"), "{warm:#}");
    let status = lab.project()["prefetch"].clone();
    assert_eq!(status["state"], "on");
    assert!(status["hits"].as_u64() >= Some(1) && status["prepared"].as_u64() >= Some(1), "{status}");

    lab.home.configure("[context]\nprefetch = false\n");
    begin_again(&mut lab);
    let body = json!({"session_id": "cold", "signals": {"current_file": "src/auth.rs"}});
    let cold = ask(&lab, "/v1/context/assemble", body);
    assert_eq!(cold["prefetched"], false);
    assert_eq!(said(&cold), said(&warm));
    assert_eq!((&cold["items"], &cold["tiers"]), (&warm["items"], &warm["tiers"]));
    signal(&lab, json!({"type": "file_opened", "path": "src/pay.rs", "session_id": "cold"}));
    lab.hear_signal("file_opened", "src/pay.rs");
    lab.stop();
    assert_eq!(lab.count("prefetch"), 0, "nothing is made ready where that is switched off");
}

#[test]
fn the_status_tells_what_is_worked_on_and_what_stands_ready_for_it() {
    let mut lab = Lab::new();
    prepare(&lab);
    begin(&mut lab);
    know(&lab);
    let idle = lab.project();
    assert_eq!((&idle["focus"]["branch"], &idle["focus"]["goal"]), (&json!("main"), &Value::Null), "{idle:#}");
    signal(&lab, json!({"type": "session_start", "session_id": "s-1", "goal": "fix the login that fails"}));
    opened(&mut lab, "s-1", "src/pay.rs");
    opened(&mut lab, "s-1", "src/auth.rs");
    let ready = eventually_some(|| {
        let project = lab.project();
        let contexts = project["prefetch"]["contexts"].as_array().unwrap().clone();
        let found = contexts.into_iter().find(|one| one["path"] == "src/auth.rs" && one["asked"] == false);
        found.map(|found| (project["focus"].clone(), found))
    });
    let (focus, context) = ready;
    assert_eq!(focus["files"], json!(["src/auth.rs", "src/pay.rs"]), "{focus}");
    assert_eq!((&focus["goal"], &focus["activity"]), (&json!("fix the login that fails"), &json!("debugging")));
    assert!(Timestamp::parse(focus["at"].as_str().unwrap()).is_some() && focus["errors"] == 0, "{focus}");
    assert!(context["memories"].as_u64() >= Some(1) && context["tokens"].as_u64() >= Some(1), "{context}");
    lab.home.run(&["forget", "--purge", "--yes", "n-auth"]).succeeded();
    let contexts = lab.project()["prefetch"]["contexts"].clone();
    let stale = contexts.as_array().unwrap().contains(&context);
    assert!(!stale, "what was made from something purged stands ready no longer: {contexts}");
}

#[test]
fn a_change_is_told_at_once_and_what_was_ready_before_it_is_never_given() {
    let mut lab = Lab::new();
    prepare(&lab);
    begin(&mut lab);
    know(&lab);
    opened(&mut lab, "one", "src/auth.rs");
    let body = json!({"session_id": "one"});
    for (at, word) in ["kitchen", "harbour", "lantern"].into_iter().enumerate() {
        let text = format!("The login form posts to the {word}.");
        lab.send(&Request::patch("/v1/memories/n-auth", &json!({"text": text})));
        let answer = ask(&lab, "/v1/context/assemble", body.clone());
        assert!(said(&answer).contains(&text), "{at}: {answer:#}");
        assert_eq!(said(&answer).matches("The login form").count(), 1, "{answer:#}");
    }
    lab.send(&Request::delete("/v1/memories/n-auth"));
    let answer = ask(&lab, "/v1/context/assemble", body);
    assert!(!said(&answer).contains("login form"), "{answer:#}");
}

#[test]
fn what_expires_leaves_the_context_that_stood_ready_with_it() {
    let mut lab = Lab::new();
    prepare(&lab);
    begin(&mut lab);
    know(&lab);
    let soon = Timestamp::from_micros(lokid_sys::Clock::system().now().as_micros() + 1_500_000);
    remember(
        &lab,
        json!({"id": "d-soon", "kind": "decision", "text": "Parking is free this minute.",
        "files": ["src/auth.rs"], "invalid_at": soon.record_style()}),
    );
    settled(&lab);
    opened(&mut lab, "one", "src/auth.rs");
    let gone = eventually_some(|| {
        let asked = lokid_sys::Clock::system().now();
        let answer = ask(&lab, "/v1/context/assemble", json!({"session_id": "one"}));
        let is_told = ids(&answer).contains(&"d-soon");
        assert!(!is_told || asked < soon, "{answer:#}");
        (asked >= soon).then_some(answer)
    });
    assert!(ids(&gone).contains(&"n-auth"), "{gone:#}");
}

#[test]
fn what_was_changed_is_made_ready_again_by_itself_and_what_was_in_vain_is_counted() {
    let mut lab = Lab::new();
    prepare(&lab);
    begin(&mut lab);
    know(&lab);
    opened(&mut lab, "one", "src/auth.rs");
    let before = lab.project()["prefetch"].clone();
    lab.send(&Request::patch("/v1/memories/n-auth", &json!({"text": "The login form posts to the lighthouse."})));
    made_ready(&mut lab, "src/auth.rs");
    settled(&lab);
    let answer = ready_context(&lab, Some("one"), "src/auth.rs", "n-pay");
    assert!(said(&answer).contains("lighthouse"), "{answer:#}");
    let after = lab.project()["prefetch"].clone();
    let grown = |name: &str| after[name].as_u64().unwrap() > before[name].as_u64().unwrap();
    assert!(grown("wasted") && grown("wasted_tokens") && grown("prepared"), "{before} {after}");
}

#[test]
fn two_sessions_with_two_files_stay_apart() {
    let mut lab = Lab::new();
    prepare(&lab);
    begin(&mut lab);
    know(&lab);
    opened(&mut lab, "one", "src/auth.rs");
    opened(&mut lab, "two", "src/pay.rs");
    for (session, file, first) in [("one", "src/auth.rs", "n-auth"), ("two", "src/pay.rs", "n-pay")] {
        let answer = ready_context(&lab, Some(session), file, "n-auth");
        assert_eq!(ids(&answer)[0], first, "{answer:#}");
        assert!(said(&answer).contains(&format!("For: {file}")), "{answer:#}");
    }
    let other =
        ask(&lab, "/v1/context/assemble", json!({"session_id": "one", "signals": {"current_file": "src/pay.rs"}}));
    assert_eq!(ids(&other)[0], "n-pay", "what is asked for outweighs what was seen");
}

#[test]
fn a_look_at_a_file_is_enough() {
    let mut lab = Lab::new();
    prepare(&lab);
    begin(&mut lab);
    know(&lab);
    lab.run("cat", &["src/auth.rs"]);
    made_ready(&mut lab, "src/auth.rs");
    let answer = ready_context(&lab, None, "src/auth.rs", "n-pay");
    assert_eq!(ids(&answer)[0], "n-auth", "{answer:#}");
    lab.hear_signal("file_opened", "src/auth.rs");
    let answer = eventually_some(|| {
        let answer = ask(&lab, "/v1/context/assemble", json!({}));
        ids(&answer).contains(&"n-auth").then_some(answer)
    });
    assert!(said(&answer).contains("For: src/auth.rs"), "{answer:#}");
}
