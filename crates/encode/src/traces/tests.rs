//! Records in the shapes Loki Mode writes, and what is made of them.

use super::*;

fn at(text: &str) -> Option<Timestamp> {
    Timestamp::parse(text)
}

fn check(line: &str, expect: Trace) {
    assert_eq!(event_line(line), [expect], "{line}");
}

#[test]
fn events_of_the_runner_are_read() {
    check(
        r#"{"timestamp":"2026-01-05T10:00:00Z","type":"phase_change","data":{"from":"BOOTSTRAP","to":"BUILDING","iteration":2}}"#,
        Trace::PhaseChanged { from: Some("BOOTSTRAP".into()), to: "BUILDING".into(), at: at("2026-01-05T10:00:00Z") },
    );
    check(
        r#"{"timestamp":"2026-01-05T10:00:00Z","type":"iteration_start","data":{"iteration":3,"provider":"claude","prd":"docs/prd.md"}}"#,
        Trace::TaskStarted { id: "iteration-3".into(), goal: "docs/prd.md".into(), at: at("2026-01-05T10:00:00Z") },
    );
    check(
        r#"{"timestamp":"2026-01-05T10:09:00Z","type":"iteration_complete","data":{"iteration":3,"status":"failed","exitCode":1}}"#,
        Trace::TaskCompleted {
            id: "iteration-3".into(),
            goal: String::new(),
            outcome: Outcome::Failure,
            at: at("2026-01-05T10:09:00Z"),
        },
    );
    check(
        r#"{"timestamp":"2026-01-05T10:09:00Z","type":"session_end","data":{"result":130,"reason":"interrupted"}}"#,
        Trace::SessionEnded {
            id: None,
            reason: "interrupted".into(),
            outcome: Some(Outcome::Partial),
            at: at("2026-01-05T10:09:00Z"),
        },
    );
    check(
        r#"{"timestamp":"x","type":"stage_complete","data":{"stage":"unit_tests","status":"fail","duration_s":4,"iteration":2}}"#,
        Trace::ErrorSeen {
            message: "unit_tests failed".into(),
            kind: "stage".into(),
            context: "iteration 2, unit_tests".into(),
            at: None,
        },
    );
}

#[test]
fn events_of_the_bus_and_plain_strings_are_read() {
    let pending = "{\n  \"id\": \"0a1b2c3d\",\n  \"type\": \"session\",\n  \"source\": \"cli\",\n  \"timestamp\": \
        \"2026-01-05T10:00:00.123Z\",\n  \"payload\": {\"action\":\"start\",\"provider\":\"claude\"},\n  \"version\": \"1.0\"\n}";
    check(
        pending,
        Trace::SessionStarted { id: None, agent: Some("claude".into()), at: at("2026-01-05T10:00:00.123Z") },
    );
    check(
        r#"{"timestamp":"2026-01-05T10:00:00Z","type":"error","data":{"source":"hook","action":"failed","error":"Command blocked"}}"#,
        Trace::ErrorSeen {
            message: "Command blocked".into(),
            kind: "error_failed".into(),
            context: "hook".into(),
            at: at("2026-01-05T10:00:00Z"),
        },
    );
    check(
        r#"{"timestamp":"2026-01-05T10:00:00Z","type":"build_failed","data":"npm run build: exit 2"}"#,
        Trace::ErrorSeen {
            message: "npm run build: exit 2".into(),
            kind: "build_failed".into(),
            context: String::new(),
            at: at("2026-01-05T10:00:00Z"),
        },
    );
    let name = "claude_hook_sessionstart".to_owned();
    check(r#"{"type":"claude_hook_sessionstart","payload":{}}"#, Trace::Other { name, at: None });
}

#[test]
fn what_appears_in_a_queue_has_begun_or_ended() {
    let one =
        r#"[{"id":"iteration-1","title":"Building from docs/prd.md","startedAt":"2026-01-05T10:00:00Z","logs":[]}]"#;
    let started = queue_change(Some("[]"), one, Queue::InProgress);
    let goal = "Building from docs/prd.md".to_owned();
    assert_eq!(started, [Trace::TaskStarted { id: "iteration-1".into(), goal, at: at("2026-01-05T10:00:00Z") }]);
    assert!(queue_change(Some(one), one, Queue::InProgress).is_empty());
    // The next run calls its first iteration the same; it is another one.
    let again = one.replace("10:00:00", "12:00:00");
    assert_eq!(queue_change(Some(one), &again, Queue::InProgress).len(), 1);
    let done =
        r#"{"tasks":[{"id":"t-1","title":"Add login","completedAt":"2026-01-05T11:00:00Z"},{"id":"t-2","title":"b"}]}"#;
    assert_eq!(queue_change(None, done, Queue::Completed).len(), 2);
    let failed = r#"[{"id":"t-3","title":"Deploy","error":"no route to host"}]"#;
    let told = queue_change(None, failed, Queue::Failed);
    assert!(matches!(&told[0], Trace::TaskCompleted { outcome: Outcome::Failure, .. }));
    assert!(matches!(&told[1], Trace::ErrorSeen { message, .. } if message == "no route to host"));
    let many: Vec<String> = (0..5_000).map(|id| format!(r#"{{"id":"{id}"}}"#)).collect();
    assert_eq!(queue_change(None, &format!("[{}]", many.join(",")), Queue::Completed).len(), 100);
    assert_eq!(Queue::of_file("in-progress.json"), Some(Queue::InProgress));
    assert_eq!(Queue::of_file("current-task.json"), None);
}

#[test]
fn errors_and_crashes_are_read() {
    let record = r#"{"iteration": 4, "error_class": "build_timeout", "brief": "The build ran out of time.", "timestamp": "2026-01-05T10:00:00Z"}"#;
    let expect = Trace::ErrorSeen {
        message: "The build ran out of time.".into(),
        kind: "build_timeout".into(),
        context: "iteration 4".into(),
        at: at("2026-01-05T10:00:00Z"),
    };
    assert_eq!(last_error(record), failure_line(record));
    assert_eq!(failure_line(record), [expect]);
    let gate = r#"{"evidence": "2 tests failed: login, logout", "gate": "unit_tests", "recorded_at": "2026-01-05T10:00:00Z", "run_id": "", "verdict": "FAIL"}"#;
    let told = failure_line(gate);
    assert!(matches!(&told[0], Trace::ErrorSeen { kind, context, .. } if kind == "unit_tests" && context == "FAIL"));
    let report = r#"{"arch":"x86_64","captured_at":"2026-01-05T10:00:00Z","error_class":"NonZeroExit","exit_code":1,
        "fingerprint":"0a1b","stack_signature":["run_iteration","main"],"rarv_phase":"ACT"}"#;
    let [Trace::Crash(crash)] = &crash(report)[..] else { panic!("no crash") };
    assert_eq!(crash.headline(), "NonZeroExit at run_iteration (exit 1)");
    let log = "2026-01-05T10:00:00Z\tstore_episode\tOSError\tNo space left on device\t  File \"x.py\", line 3";
    assert!(matches!(&memory_error_line(log)[0], Trace::ErrorSeen { kind, .. } if kind == "OSError"));
}

#[test]
fn a_phase_changes_between_two_states_only() {
    let state = |phase: &str| {
        format!(r#"{{"version":"9.22.12","currentPhase":"{phase}","agents":{{}},"metrics":{{"retries":0}}}}"#)
    };
    assert_eq!(orchestrator(Some(&state("BUILDING")), &state("VERIFYING")).len(), 1);
    assert!(orchestrator(Some(&state("BUILDING")), &state("BUILDING")).is_empty());
    assert!(orchestrator(None, &state("BUILDING")).is_empty());
    assert!(orchestrator(Some(&state("BUILDING")), "").is_empty(), "it is written in place, so it may be empty");
}

#[test]
fn what_cannot_be_read_is_left_out() {
    for text in [
        "",
        "null",
        "[]",
        "{",
        "{\"type\":null}",
        "{\"type\":[1]}",
        "\0",
        "42",
        "\"x\"",
        "{\"type\":\"phase_change\",\"data\":[1]}",
    ] {
        let told =
            [event_line(text), last_error(text), crash(text), memory_error_line(text), orchestrator(Some(text), text)];
        assert!(told.iter().flatten().all(|trace| matches!(trace, Trace::Other { .. })), "{text}");
        assert!(queue_change(Some(text), text, Queue::Failed).is_empty());
    }
    assert!(event_line(&"[".repeat(1 << 20)).is_empty());
    assert!(event_line(&format!("{{\"type\":\"error\",\"data\":\"{}\"}}", "x".repeat(17 << 20))).is_empty());
}

#[test]
fn a_trace_becomes_a_signal_and_never_one_from_the_future() {
    let now = Timestamp::from_micros(5);
    let told =
        last_error(r#"{"error_class":"auth_error","brief":"Not logged in.","timestamp":"2999-01-01T00:00:00Z"}"#);
    let signal = signals(&told[0], now).unwrap();
    assert_eq!((signal.at, signal.kind), (now, SignalKind::Error));
    assert_eq!(signal.text.as_deref(), Some("auth_error: Not logged in."));
    assert!(signals(&Trace::Other { name: "x".into(), at: None }, now).is_none());
}

proptest::proptest! {
    #[test]
    fn no_text_makes_a_reader_panic(text in "(?s).{0,200}") {
        let _ = (event_line(&text), last_error(&text), crash(&text), memory_error_line(&text));
        let _ = (queue_change(Some(&text), &text, Queue::Failed), orchestrator(Some(&text), &text));
    }

    #[test]
    fn no_value_of_the_wrong_type_makes_a_reader_panic(
        name in "(type|data|tasks|id|timestamp|stack_signature|evidence|currentPhase)",
        value in "(null|1|-1e300|\"\"|\"error\"|\\[\\]|\\[null,1,\"x\"\\]|\\{\\}|\\{\"to\":1,\"id\":\\{\\}\\}|true)",
        more in "(null|1|\"phase_change\"|\"session_end\"|\"iteration_complete\"|\\[\\{\"id\":1\\}\\])",
    ) {
        let text = format!("{{\"{name}\":{value},\"type\":{more},\"data\":{value},\"tasks\":{more}}}");
        for trace in [event_line(&text), last_error(&text), crash(&text), queue_change(None, &text, Queue::Failed)].iter().flatten() {
            let _ = signals(trace, Timestamp::from_micros(0));
        }
    }
}
