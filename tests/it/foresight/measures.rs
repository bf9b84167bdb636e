//! What is done when memory costs more than it gives: each of the six measures is provoked, told of, and felt.

use serde_json::{Value, json};

use super::{
    ask, begin, begin_again, cite, economics, end, ids, measures, note, remember, said, section, settled, text,
};
use crate::eyes::lab::Lab;

/// Waits for the word that a measure was taken or lifted.
fn told(lab: &mut Lab, op: &str, session: &str) -> String {
    let event = lab.hear(&format!("{op} for {session}"), |event| {
        event["kind"] == "economy" && event["data"]["op"] == op && event["data"]["session_id"] == session
    });
    event["data"]["did"].as_str().unwrap().to_owned()
}

fn long(subject: &str, at: usize) -> String {
    let line = |by: usize| {
        format!(
            "The {subject} of order {at} is kept in drawer {by}, behind the {by}th folder, until the keeper of room {} \
            has signed for it and the copy was sent to the archive of the town.",
            at * 10 + by
        )
    };
    (0..12).map(line).collect::<Vec<_>>().join("\n")
}

fn in_force(lab: &Lab, words: &str) -> bool {
    measures(lab).iter().any(|measure| measure.contains(words))
}

#[test]
fn too_much_looking_for_what_is_read_shortens_what_is_handed_out() {
    let mut lab = Lab::new();
    begin(&mut lab);
    note(&lab, "n-long", &long("ledger", 1), &["src/auth.rs"]);
    note(&lab, "n-short", "Herons nest at the pond.", &["src/pay.rs"]);
    settled(&lab);
    let context = || ask(&lab, "/v1/context/assemble", json!({"signals": {"current_file": "src/auth.rs"}}));
    let before = context();
    assert_eq!((ids(&before)[0], &before["items"][0]["level"]), ("n-long", &json!("full")), "{before:#}");
    for session in ["one", "two", "three"] {
        assert!(!in_force(&lab, "at most as summary"), "one session speaks for nobody else: {:?}", measures(&lab));
        for _ in 0..3 {
            text(&lab, &format!("/v1/index?format=text&session_id={session}"));
            text(&lab, &format!("/v1/timeline?format=text&session_id={session}"));
        }
        lab.get(&format!("/v1/memories/n-short?session_id={session}"));
        super::signal(&lab, json!({"type": "task_complete", "session_id": session}));
    }
    let sentence = told(&mut lab, "compress_layer3", "three");
    assert!(sentence.contains("summary"), "{sentence}");
    assert!(in_force(&lab, "at most as summary"), "{:?}", measures(&lab));
    let after = ask(&lab, "/v1/context/assemble", json!({"signals": {"current_file": "src/auth.rs"}}));
    assert_ne!(after["items"][0]["level"], "full", "{after:#}");
    assert!(after["token_count"].as_u64() < before["token_count"].as_u64(), "{after:#}");
    begin_again(&mut lab);
    assert!(in_force(&lab, "at most as summary"), "it outlives the daemon");
}

#[test]
fn handing_out_half_of_everything_asks_for_a_better_fit() {
    let mut lab = Lab::new();
    begin(&mut lab);
    for at in 0..16 {
        note(&lab, &format!("n-{at}"), &long("ledger", at), &["src/auth.rs"]);
    }
    settled(&lab);
    assert!(lab.project()["tokens"].as_u64() > Some(4_000));
    ask(&lab, "/v1/context/assemble", json!({"session_id": "one", "signals": {"current_file": "src/auth.rs"}}));
    end(&lab, "one");
    let sentence = told(&mut lab, "review_topic_relevance", "one");
    assert!(sentence.contains("0.05"), "{sentence}");
    assert!(in_force(&lab, "0.05 more relevance"), "{:?}", measures(&lab));
    // A session that takes little shows that it is no longer needed.
    text(&lab, "/v1/index?format=text&session_id=two");
    end(&lab, "two");
    told(&mut lab, "review_topic_relevance", "two");
    assert!(!in_force(&lab, "more relevance"), "{:?}", measures(&lab));
}

#[test]
fn topics_that_are_read_together_are_offered_as_one() {
    let mut lab = Lab::new();
    begin(&mut lab);
    for (at, topic) in ["orders", "users", "mails"].into_iter().enumerate() {
        for by in 0..4 {
            let text = format!("The {topic} table has {by}{at} columns since the move to building {by}.");
            remember(
                &lab,
                json!({"id": format!("d-{at}{by}"), "kind": "decision", "text": text, "tags": [topic],
                "files": [format!("src/{topic}/table.rs")]}),
            );
        }
    }
    settled(&lab);
    let topics = |lab: &Lab| -> Vec<String> {
        let index = lab.get("/v1/index?counted=false");
        index["topics"].as_array().unwrap().iter().map(|topic| topic["summary"].as_str().unwrap().to_owned()).collect()
    };
    let before = topics(&lab);
    for id in ["d-00", "d-10", "d-01", "d-11"] {
        lab.get(&format!("/v1/memories/{id}?session_id=one"));
    }
    let sentence = told(&mut lab, "create_specialized_index", "one");
    assert!(sentence.contains("orders") && sentence.contains("users") && !sentence.contains("mails"), "{sentence}");
    assert!(in_force(&lab, "offered as one topic"), "{:?}", measures(&lab));
    let after = topics(&lab);
    assert_ne!(after, before);
    let one = after.iter().find(|topic| topic.contains("orders") && topic.contains("users"));
    let one = one.unwrap_or_else(|| panic!("{after:#?}"));
    assert!(one.contains("8 decisions"), "{one}");
    let (name, _) = one.split_once(": ").unwrap();
    let opened = lab.home.run(&["index", name]).succeeded();
    assert!(opened.out.contains("d-00") && opened.out.contains("d-10"), "{opened:?}");
    assert!(!opened.out.contains("d-20"), "{opened:?}");
}

#[test]
fn long_searches_bring_the_topics_most_read_to_the_front() {
    let mut lab = Lab::new();
    begin(&mut lab);
    for (topic, many) in [("orders", 9), ("users", 5)] {
        for by in 0..many {
            let text = format!(
                "The {topic} table has {by} columns since the move to building {by}, as the {topic} report shows."
            );
            remember(
                &lab,
                json!({"id": format!("{topic}-{by}"), "kind": "decision", "text": text,
                "files": [format!("src/{topic}/table.rs")]}),
            );
        }
    }
    settled(&lab);
    let first = |lab: &Lab| text(lab, "/v1/index?format=text&counted=false").lines().nth(1).unwrap().to_owned();
    assert!(first(&lab).contains("orders"), "{}", first(&lab));
    for _ in 0..3 {
        ask(&lab, "/v1/recall", json!({"query": "columns of the table", "session_id": "one", "k": 10}));
    }
    lab.get("/v1/memories/users-1?session_id=one");
    assert!(economics(&lab, "one")["metrics"]["discovery_tokens"].as_u64() > Some(200));
    end(&lab, "one");
    told(&mut lab, "reorganize_topic_index", "one");
    assert!(in_force(&lab, "listed by use"), "{:?}", measures(&lab));
    assert!(first(&lab).contains("users"), "{}", first(&lab));
}

#[test]
fn a_timeline_that_is_handed_out_whole_is_cut_to_the_last_days() {
    let mut lab = Lab::new();
    begin(&mut lab);
    for (at, day) in ["2026-08-01", "2026-08-02", "2026-08-03"].into_iter().enumerate() {
        let text = format!("Old decision {at}: the heron at pond {at} is counted by the ranger himself.");
        remember(
            &lab,
            json!({"id": format!("d-old-{at}"), "kind": "decision", "text": text,
            "timestamp": format!("{day}T10:00:00Z")}),
        );
    }
    remember(&lab, json!({"id": "d-new", "kind": "decision", "text": "Otters are counted by night from now on."}));
    settled(&lab);
    let timeline = |lab: &Lab| lab.get("/v1/timeline?counted=false").to_string();
    assert!(timeline(&lab).contains("Old decision"));
    for session in ["one", "two", "three"] {
        lab.get(&format!("/v1/timeline?session_id={session}"));
        end(&lab, session);
    }
    let sentence = told(&mut lab, "split_timeline", "three");
    assert!(sentence.contains("30 days"), "{sentence}");
    assert!(in_force(&lab, "last 30 days"), "{:?}", measures(&lab));
    assert!(!timeline(&lab).contains("Old decision") && timeline(&lab).contains("Otters"), "{}", timeline(&lab));
    let words = text(&lab, "/v1/timeline?format=text&counted=false");
    assert!(!words.contains("Old decision") && words.contains("Otters"), "{words}");
    let found = ask(&lab, "/v1/recall", json!({"query": "the heron at the pond", "counted": false}));
    assert!(found.to_string().contains("d-old-1"), "it can still be asked for");
}

/// A session of an agent that says what it applies. Answers with its block.
fn session(lab: &Lab, name: &str, agent: &str, applied: Option<&str>) -> Value {
    let block =
        ask(lab, "/v1/context/session", json!({"session_id": name, "agent": agent, "goal": "count login attempts"}));
    let answer = match applied {
        Some(id) => format!("Done. Applied: [{}]", cite(&block, id)),
        None => "Done.".to_owned(),
    };
    ask(lab, "/v1/usage", json!({"session_id": name, "text": answer}));
    end(lab, name);
    block
}

fn know_what_binds(lab: &Lab) {
    remember(
        lab,
        json!({"id": "m-one", "kind": "note", "tier": "mandate", "source": "user",
        "text": "Never write a password into a log."}),
    );
    remember(
        lab,
        json!({"id": "g-one", "kind": "note", "tier": "guardrail", "source": "user",
        "text": "Do not read the clock in a parser."}),
    );
    note(lab, "n-one", "Login attempts are counted per address.", &["src/auth.rs"]);
    settled(lab);
}

#[test]
fn an_agent_that_applies_nothing_is_given_only_what_binds_until_it_cites_something() {
    let mut lab = Lab::new();
    begin(&mut lab);
    know_what_binds(&lab);
    assert_eq!(ids(&session(&lab, "idle-1", "idle", None)), ["m-one", "g-one", "n-one"]);
    assert!(!in_force(&lab, "only what binds"), "once is no habit");
    session(&lab, "idle-2", "idle", None);
    let sentence = told(&mut lab, "bypass_memory", "idle-2");
    assert!(sentence.contains("idle"), "{sentence}");
    assert!(in_force(&lab, "idle is given only what binds"), "{:?}", measures(&lab));

    let bound = ask(
        &lab,
        "/v1/context/session",
        json!({"session_id": "idle-3", "agent": "idle", "goal": "count login attempts"}),
    );
    assert_eq!(ids(&bound), ["m-one", "g-one"], "{bound:#}");
    let tail = ask(&lab, "/v1/context/prompt", json!({"session_id": "idle-3", "prompt": "count login attempts"}));
    assert_eq!(said(&tail), "", "{tail:#}");
    let context =
        ask(&lab, "/v1/context/assemble", json!({"session_id": "idle-3", "signals": {"current_file": "src/auth.rs"}}));
    assert_eq!(ids(&context), ["m-one", "g-one"], "{context:#}");
    let other = session(&lab, "busy-1", "busy", Some("n-one"));
    assert_eq!(ids(&other), ["m-one", "g-one", "n-one"], "others are not concerned");

    let applied = format!("Applied: [{}]", cite(&bound, "m-one"));
    ask(&lab, "/v1/usage", json!({"session_id": "idle-3", "text": applied}));
    end(&lab, "idle-3");
    told(&mut lab, "bypass_memory", "idle-3");
    assert!(!in_force(&lab, "only what binds"), "{:?}", measures(&lab));
    let again = session(&lab, "idle-4", "idle", Some("n-one"));
    assert_eq!(section(said(&again), "Reference").len(), 1, "{again:#}");
}

#[test]
fn a_crowd_of_sessions_that_never_end_does_not_drown_out_the_others() {
    let mut lab = Lab::new();
    begin(&mut lab);
    know_what_binds(&lab);
    for at in 0..70 {
        ask(&lab, "/v1/usage", json!({"session_id": format!("stray-{at}"), "text": "Done."}));
    }
    for name in ["a-1", "a-2"] {
        ask(&lab, "/v1/context/session", json!({"session_id": name, "agent": "idle", "goal": "count login attempts"}));
        ask(&lab, "/v1/usage", json!({"session_id": name, "text": "Done."}));
        ask(&lab, "/v1/usage", json!({"session_id": format!("stray-{name}"), "text": "Done."}));
        end(&lab, name);
    }
    told(&mut lab, "bypass_memory", "a-2");
}

#[test]
fn who_never_says_what_it_applies_is_not_judged() {
    let mut lab = Lab::new();
    begin(&mut lab);
    know_what_binds(&lab);
    remember(
        &lab,
        json!({"id": "g-agent", "kind": "note", "tier": "guardrail", "source": "agent",
        "text": "Do not call the payment provider twice."}),
    );
    for at in 0..22 {
        let name = format!("silent-{at}");
        ask(
            &lab,
            "/v1/context/session",
            json!({"session_id": name, "agent": "silent", "goal": "count login attempts"}),
        );
        end(&lab, &name);
    }
    assert_eq!(lab.record("g-agent")["tier"], "guardrail");
    assert!(!in_force(&lab, "only what binds"), "{:?}", measures(&lab));
    let found = ask(&lab, "/v1/recall", json!({"query": "payment provider", "explain": true, "counted": false}));
    let new = ask(
        &lab,
        "/v1/context/session",
        json!({"session_id": "last", "agent": "silent", "goal": "count login attempts"}),
    );
    assert!(ids(&new).contains(&"n-one") && ids(&new).contains(&"g-agent"), "{new:#}");
    assert_eq!(found["results"][0]["parts"]["usage"], 0.5, "neither used nor ignored: {found:#}");
    lab.stop();
    let judged = |event: &&Value| event["kind"] == "tier" || event["data"]["op"] == "bypass_memory";
    assert_eq!(lab.told().iter().filter(judged).count(), 0);
}
