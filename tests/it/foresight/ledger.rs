//! The token ledger: what is counted, and where it is written down.

use lokid_model::token;
use serde_json::{Value, json};

use super::{LEDGER, ask, begin, begin_again, economics, ledger_of, note, remember, settled, signal, text};
use crate::eyes::lab::Lab;

fn know(lab: &Lab) {
    note(
        lab,
        "n-auth",
        "Login attempts are counted per address, and the tenth is refused for an hour.",
        &["src/auth.rs"],
    );
    note(lab, "n-pay", "Payments are rounded half to even, as the bank does it.", &["src/pay.rs"]);
    remember(
        lab,
        json!({"id": "d-csv", "kind": "decision", "text": "Reports are exported as CSV.", "files": ["src/out.rs"]}),
    );
    settled(lab);
}

fn number(value: &Value, at: &str) -> u64 {
    value.pointer(at).and_then(Value::as_u64).unwrap_or_else(|| panic!("{at} in {value:#}"))
}

/// Every sort of read, by session `one`. Answers with what discovery, full reads and gifts cost, as the reader sees it.
fn read(lab: &Lab) -> [u64; 3] {
    let index = token::estimate(&text(lab, "/v1/index?format=text&session_id=one"));
    let timeline = token::estimate(&text(lab, "/v1/timeline?format=text&session_id=one"));
    let record = lab.get("/v1/memories/n-auth?session_id=one");
    let shown = token::estimate(record["text"].as_str().unwrap());
    let found = ask(lab, "/v1/recall", json!({"query": "login attempts", "session_id": "one"}));
    let found: u64 = found["results"].as_array().unwrap().iter().map(|found| number(found, "/tokens")).sum();
    let block = ask(
        lab,
        "/v1/context/session",
        json!({"session_id": "one", "agent": "claude", "goal": "payments are rounded half to even"}),
    );
    let context =
        ask(lab, "/v1/context/assemble", json!({"session_id": "one", "signals": {"current_file": "src/pay.rs"}}));
    let injected = number(&block, "/token_count") + number(&context, "/token_count");
    [index as u64 + timeline as u64 + found, shown as u64, injected]
}

#[test]
fn a_session_is_charged_for_exactly_what_it_was_handed() {
    let mut lab = Lab::new();
    begin(&mut lab);
    know(&lab);
    let [discovery, shown, injected] = read(&lab);
    let account = economics(&lab, "one");
    assert_eq!(number(&account, "/metrics/discovery_tokens"), discovery, "{account:#}");
    assert_eq!(number(&account, "/breakdown/layer3_tokens"), shown);
    assert_eq!(number(&account, "/metrics/injected_tokens"), injected);
    assert_eq!(number(&account, "/baseline_comparison/progressive_approach_tokens"), discovery + shown + injected);
    for layer in ["layer1_loads", "layer2_loads", "layer3_loads"] {
        assert_eq!(number(&account, &format!("/metrics/{layer}")), 1, "{layer}");
    }
    assert_eq!((number(&account, "/breakdown/searches"), number(&account, "/metrics/memories_cited")), (1, 0));
    let store = lab.project()["tokens"].as_u64().unwrap();
    assert_eq!(number(&account, "/baseline_comparison/traditional_approach_tokens"), store);
    let saved = account["baseline_comparison"]["tokens_saved"].as_i64().unwrap();
    assert_eq!(saved, store as i64 - (discovery + shown + injected) as i64);
    assert!(number(&account, "/metrics/read_tokens") >= shown);
    assert_eq!(number(&account, "/metrics/cache_hits") + number(&account, "/metrics/cache_misses"), 1);

    // What people read is not charged, and neither is another session.
    text(&lab, "/v1/index?format=text&session_id=one&counted=false");
    lab.get("/v1/memories/n-auth?session_id=one&counted=false");
    lab.home.run(&["index"]).succeeded();
    lab.home.run(&["timeline"]).succeeded();
    lab.home.run(&["recall", "login"]).succeeded();
    text(&lab, "/v1/index?format=text&session_id=two");
    assert_eq!(economics(&lab, "one"), account);
    let all = lab.get("/v1/economics");
    let both = number(&economics(&lab, "two"), "/metrics/discovery_tokens") + discovery;
    assert_eq!((number(&all, "/metrics/discovery_tokens"), &all["session_id"]), (both, &json!("all")));
    ask(&lab, "/v1/usage", json!({"session_id": "one", "cited": ["n-auth", "n-auth"]}));
    let block = ask(&lab, "/v1/context/session", json!({"session_id": "one"}));
    let answer = format!("Applied: [{}], [R:00000000] and [nobody]", super::cite(&block, "n-pay"));
    ask(&lab, "/v1/usage", json!({"session_id": "one", "cited": ["n-auth"], "text": answer}));
    assert_eq!(number(&economics(&lab, "one"), "/metrics/memories_cited"), 2, "each once");
}

#[test]
fn reads_alone_write_no_ledger_and_a_task_or_a_session_that_ends_does() {
    let mut lab = Lab::new();
    begin(&mut lab);
    know(&lab);
    read(&lab);
    let before = economics(&lab, "one");
    begin_again(&mut lab);
    assert!(!lab.path(LEDGER).exists(), "nothing was done yet");
    assert_eq!(economics(&lab, "one"), before, "the counts are kept elsewhere");

    signal(&lab, json!({"type": "task_complete", "session_id": "one"}));
    let written = ledger_of(&lab, "one");
    assert_eq!((number(&written, "/metrics/tasks"), written.get("measures")), (1, None));
    assert_eq!(written["metrics"]["discovery_tokens"], before["metrics"]["discovery_tokens"]);
    ask(&lab, "/v1/context/session", json!({"session_id": "two"}));
    signal(&lab, json!({"type": "session_end", "session_id": "two", "outcome": "failure"}));
    ledger_of(&lab, "two");
    signal(&lab, json!({"type": "session_end", "session_id": "ghost"}));
    signal(&lab, json!({"type": "task_complete", "session_id": "one"}));
    assert_eq!(number(&ledger_of(&lab, "one"), "/metrics/tasks"), 2);
    let gone = super::client(&lab).send(&lokid::serve::Request::get("/v1/economics?session_id=nobody")).unwrap();
    assert_eq!((gone.status, gone.detail().contains("nobody")), (404, true));
}

#[test]
fn what_others_wrote_into_the_ledger_stays() {
    let mut lab = Lab::new();
    begin(&mut lab);
    know(&lab);
    let theirs =
        json!({"mine": {"a": [1, 2.50, "ü"]}, "metrics": {"theirs": 7, "tasks": 99}, "zeta": null, "ratio": 5});
    lab.write(LEDGER, theirs.to_string());
    read(&lab);
    signal(&lab, json!({"type": "task_complete", "session_id": "one"}));
    let written = ledger_of(&lab, "one");
    assert_eq!((&written["mine"], &written["metrics"]["theirs"]), (&theirs["mine"], &json!(7)), "{written:#}");
    assert!(written.get("zeta").is_some_and(Value::is_null));
    assert_eq!((number(&written, "/metrics/tasks"), number(&written, "/metrics/layer1_loads")), (1, 1));
    assert_ne!(written["ratio"], 5);
}

#[test]
fn a_ledger_that_cannot_be_read_is_left_alone() {
    let mut lab = Lab::new();
    begin(&mut lab);
    know(&lab);
    lab.write(LEDGER, "{\"half\": ");
    read(&lab);
    signal(&lab, json!({"type": "task_complete", "session_id": "one"}));
    signal(&lab, json!({"type": "session_end", "session_id": "one"}));
    crate::home::eventually_some(|| (number(&economics(&lab, "one"), "/metrics/tasks") == 1).then_some(()));
    // What is remembered now is written behind the ledger.
    note(&lab, "n-later", "Herons nest at the pond.", &[]);
    assert_eq!(std::fs::read_to_string(lab.path(LEDGER)).unwrap(), "{\"half\": ");
}

#[test]
fn every_day_has_its_account_and_errors_are_met_and_answered_once_a_session() {
    let mut lab = Lab::new();
    begin(&mut lab);
    know(&lab);
    let error = "TypeError: cannot unpack non-iterable NoneType object";
    let trace = format!("Traceback (most recent call last):\n  File \"src/auth.py\", line 3, in load\n{error}\n");
    let learnt = ask(&lab, "/v1/learnings", json!({"error": trace, "fix": "set LAB_ENV=dev"}));
    settled(&lab);
    let fails = |session: &str, call: &str| {
        let input = json!({"session_id": session, "cwd": lab.path(""), "hook_event_name": "PostToolUseFailure",
            "tool_name": "Bash", "tool_input": {"command": "python -m app"}, "tool_use_id": call, "error": trace});
        ask(&lab, "/v1/signals", json!({"type": "phase_change", "agent": "listening"}));
        let request = lokid::serve::Request::post("/v1/hook", &json!({"event": "PostToolUseFailure", "input": input}));
        super::client(&lab).send(&request).unwrap().text().into_owned()
    };
    assert!(fails("one", "t-1").contains("LAB_ENV=dev"));
    assert_eq!(fails("one", "t-2"), "", "said once");
    ask(&lab, "/v1/mutes", json!({"memory_id": learnt["id"]}));
    assert_eq!(fails("two", "t-3"), "");
    signal(&lab, json!({"type": "error", "session_id": "three", "text": "TypeError: nobody has seen this one"}));
    let block = ask(&lab, "/v1/context/session", json!({"session_id": "one", "goal": "login attempts are counted"}));
    ask(
        &lab,
        "/v1/usage",
        json!({"session_id": "one", "text": format!("Applied: [{}]", super::cite(&block, "n-auth"))}),
    );
    super::end(&lab, "one");
    let today = |days: u32| lab.get(&format!("/v1/economics?days={days}"))["days"].clone();
    let day = crate::home::eventually_some(|| Some(today(1)[0].clone()).filter(|day| day["errors_met"] == 2));
    assert_eq!((&day["errors_answered"], &day["cited"]), (&json!(1), &json!(1)), "{day:#}");
    let all = lab.get("/v1/economics");
    assert_eq!(day["spent_tokens"], all["baseline_comparison"]["progressive_approach_tokens"]);
    assert_eq!(day["saved_vs_full_load"], all["baseline_comparison"]["tokens_saved"]);
    let given = 1 + block["items"].as_array().unwrap().len() as u64;
    assert_eq!((number(&day, "/given"), number(&day, "/ignored")), (given, given - 1), "{day:#}");
    assert!(number(&day, "/sessions") >= 2 && all.get("days").is_none());
    begin_again(&mut lab);
    assert_eq!(lab.get("/v1/economics?days=400")["days"][0]["given"], day["given"], "it outlives a restart");
    for query in ["days=0", "days=401", "days=x", "days=3&session_id=one"] {
        let refused = super::client(&lab).send(&lokid::serve::Request::get(format!("/v1/economics?{query}"))).unwrap();
        assert_eq!((refused.status, refused.detail().contains("days")), (400, true), "{query}: {}", refused.text());
    }
}
