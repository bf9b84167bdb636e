//! The block at the start of a session, and what later prompts add to it.

use lokid::serve::Request;
use serde_json::{Value, json};

use super::{
    ask, begin, begin_again, client, ids, is_within, note, remember, said, section, sessions_on_disk, settled,
};
use crate::eyes::lab::Lab;
use crate::home::eventually_some;

fn block(lab: &Lab, session: &str, goal: &str) -> Value {
    ask(lab, "/v1/context/session", json!({"session_id": session, "agent": "claude", "goal": goal}))
}

fn prompt(lab: &Lab, session: &str, prompt: &str) -> Value {
    let answer = ask(lab, "/v1/context/prompt", json!({"session_id": session, "prompt": prompt}));
    is_within(&answer, 900);
    answer
}

fn mandate(lab: &Lab, id: &str, text: &str) {
    remember(lab, json!({"id": id, "kind": "note", "tier": "mandate", "source": "user", "text": text}));
}

#[test]
fn the_block_stays_as_it_is_whatever_happens_and_what_is_new_comes_at_the_tail_once() {
    let mut lab = Lab::new();
    begin(&mut lab);
    mandate(&lab, "m-one", "Never write a password into a log.");
    note(&lab, "n-attempts", "Login attempts are counted per address.", &["src/auth.rs"]);
    settled(&lab);
    let first = block(&lab, "one", "count login attempts");
    is_within(&first, 400);
    assert_eq!(ids(&first), ["m-one", "n-attempts"]);
    let said_first = said(&first).to_owned();
    assert_eq!(said(&block(&lab, "one", "count login attempts")), said_first);

    mandate(&lab, "m-two", "Every migration can be undone.");
    assert_eq!(said(&block(&lab, "one", "something else")), said_first, "a new mandate leaves it alone");
    let tail = prompt(&lab, "one", "count login attempts");
    assert_eq!(ids(&tail), ["m-two"], "{tail:#}");
    assert!(said(&tail).contains("Every migration can be undone."));
    assert_eq!(said(&prompt(&lab, "one", "count login attempts")), "", "once");
    lab.send(&Request::patch("/v1/memories/n-attempts", &json!({"text": "Login attempts are counted per name."})));
    assert_eq!(said(&block(&lab, "one", "count login attempts")), said_first);

    begin_again(&mut lab);
    let again = block(&lab, "one", "count login attempts");
    assert_eq!(said(&again), said_first, "and so does a new daemon");
    assert_eq!(ids(&again), ids(&first));
    assert_eq!(said(&prompt(&lab, "one", "count login attempts")), "", "what was given is known after a restart, too");
    let other = block(&lab, "two", "count login attempts");
    assert_eq!(section(said(&other), "Mandates").len(), 2, "{other:#}");
}

#[test]
fn a_block_outlives_a_daemon_that_is_killed() {
    let mut lab = Lab::new();
    begin(&mut lab);
    mandate(&lab, "m-one", "Never write a password into a log.");
    let first = block(&lab, "one", "count login attempts");
    lab.kill();
    begin(&mut lab);
    mandate(&lab, "m-two", "Every migration can be undone.");
    assert_eq!(said(&block(&lab, "one", "count login attempts")), said(&first));
    assert_eq!(ids(&prompt(&lab, "one", "count login attempts")), ["m-two"]);
}

#[test]
fn a_session_of_the_same_name_in_another_namespace_sees_only_its_own() {
    let mut lab = Lab::new();
    begin(&mut lab);
    mandate(&lab, "m-one", "Never write a password into a log.");
    remember(
        &lab,
        json!({"id": "m-zoo", "kind": "note", "tier": "mandate", "source": "user", "namespace": "zoo",
        "text": "Lions are fed at noon."}),
    );
    settled(&lab);
    let ours = block(&lab, "one", "feed the lions");
    assert_eq!(ids(&ours), ["m-one"]);
    let zoo = json!({"session_id": "one", "namespace": "zoo"});
    assert_eq!(ids(&ask(&lab, "/v1/context/session", zoo)), ["m-zoo"]);
    assert_eq!(said(&block(&lab, "one", "feed the lions")), said(&ours));
    let prompt = json!({"session_id": "two", "namespace": "zoo", "prompt": "passwords in a log"});
    assert_eq!(ids(&ask(&lab, "/v1/context/prompt", prompt)), ["m-zoo"]);
}

#[test]
fn whoever_asks_first_decides_and_everybody_gets_the_same() {
    let mut lab = Lab::new();
    begin(&mut lab);
    mandate(&lab, "m-one", "Never write a password into a log.");
    let animals = ["herons", "otters", "badgers", "swans", "beavers", "martens"];
    let asking: Vec<_> = animals.into_iter().map(|animal| (animal, client(&lab))).collect();
    let threads = asking.into_iter().map(|(animal, client)| {
        std::thread::spawn(move || {
            let text = format!("Count the {animal} once a day, before noon.");
            let rule = json!({"kind": "note", "tier": "mandate", "source": "user", "text": text});
            client.send(&Request::post("/v1/memories", &rule)).unwrap();
            let asked = Request::post("/v1/context/session", &json!({"session_id": "one", "goal": "count"}));
            client.send(&asked).unwrap().json().unwrap()
        })
    });
    let threads: Vec<_> = threads.collect();
    let blocks: Vec<Value> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    let first = said(&blocks[0]);
    assert!(first.contains("## Mandates\n- [M:") && blocks.iter().all(|block| said(block) == first), "{blocks:#?}");
}

#[test]
fn a_purge_takes_the_text_out_of_the_block_and_off_the_disk() {
    let mut lab = Lab::new();
    begin(&mut lab);
    mandate(&lab, "m-one", "Never write a password into a log.");
    note(&lab, "n-secret", "The harbour master is called Quentin.", &["src/auth.rs"]);
    note(&lab, "n-other", "The harbour opens at dawn.", &["src/auth.rs"]);
    settled(&lab);
    let first = block(&lab, "one", "who is the harbour master?");
    assert!(said(&first).contains("Quentin"), "{first:#}");
    // It is written down soon, and when the daemon stops.
    begin_again(&mut lab);
    assert!(sessions_on_disk(&lab).unwrap().contains("Quentin"));
    let answer = lab.send(&Request::delete("/v1/memories/n-secret?purge=true"));
    assert!(!sessions_on_disk(&lab).unwrap().contains("Quentin"), "{answer}");
    assert!(!sessions_on_disk(&lab).unwrap().contains("n-secret"));
    let after = block(&lab, "one", "who is the harbour master?");
    let line = said(&first).lines().find(|line| line.contains("Quentin")).unwrap();
    assert_eq!(said(&after), said(&first).replace(&format!("{line}\n"), ""));
    assert_eq!(ids(&after).len() + 1, ids(&first).len());
    lab.stop();
    let kept = lab.run("grep", &["-rl", "Quentin", &lab.home.path("").display().to_string()]);
    assert_eq!(kept, "", "nothing of it is kept anywhere");
}

#[test]
fn a_block_of_very_many_memories_is_short() {
    let mut lab = Lab::new();
    begin(&mut lab);
    // What is imported binds nobody: the mandates come from a person.
    for (at, animal) in ["heron", "otter", "badger", "marten", "beaver", "swan"].into_iter().enumerate() {
        for place in ["pond", "weir", "quarry", "meadow"] {
            let text = format!(
                "Whoever meets the {animal} at the {place} stands still, keeps {at} paces away, and tells the \
                ranger of the {place} before sunset where it went."
            );
            mandate(&lab, &format!("m-{animal}-{place}"), &text);
        }
    }
    let record = |at: usize| {
        let text = format!(
            "Rule {at}: the {at}th {} of the house is to be greeted by name, in writing, before noon of \
            the day on which it arrives, unless the porter of floor {} says otherwise.",
            ["guest", "parcel", "letter"][at % 3],
            at * 7
        );
        json!({"id": format!("n-{at}"), "kind": "note", "tier": if at.is_multiple_of(2) { "guardrail" } else { "reference" }, "text": text}).to_string()
    };
    let records: Vec<String> = (0..180).map(record).collect();
    let told = lab.home.run_with(&["--json", "import", "-"], &records.join("\n")).succeeded();
    assert!(told.out.contains("180"), "{told:?}");
    settled(&lab);
    let answer = block(&lab, "one", "greet the guest of the house");
    is_within(&answer, 400);
    assert!(answer["token_count"].as_u64() > Some(200), "{answer:#}");
    for heading in ["Mandates", "Guardrails", "Reference"] {
        assert!(!section(said(&answer), heading).is_empty(), "{heading}: {answer:#}");
    }
    for budget in [0, 1, 40, 100] {
        let small = json!({"session_id": format!("small-{budget}"), "budget": budget});
        is_within(&ask(&lab, "/v1/context/session", small), budget);
    }
}

#[test]
fn a_window_that_is_filling_up_is_told_once_and_shortens_what_comes_later() {
    let mut lab = Lab::new();
    begin(&mut lab);
    for (at, month) in ["January", "February", "March", "April", "May", "June"].into_iter().enumerate() {
        let text = format!(
            "In {month} the tide table lists {at}{at} floods at the harbour, each with the hour of high \
            water, the height above the mark at the old crane, the wind, the name of whoever wrote it down, the ships \
            that were late because of it, and the page of the log in which the pilot of the day signed for all of it."
        );
        note(&lab, &format!("n-{at}"), &text, &[]);
    }
    settled(&lab);
    let question = "the tide table of the harbour: floods, high water and the wind";
    let usual = prompt(&lab, "roomy", question)["token_count"].as_u64().unwrap();
    assert!(usual > 243, "{usual}");
    let pressed = json!({"session_id": "pressed", "prompt": question, "context_use": 0.6});
    let pressed = ask(&lab, "/v1/context/prompt", pressed);
    is_within(&pressed, 243);
    assert!(!ids(&pressed).is_empty());
    ask(&lab, "/v1/usage", json!({"session_id": "pressed", "context_use": 0.7}));
    ask(&lab, "/v1/usage", json!({"session_id": "full", "context_use": 0.3}));
    let full = json!({"session_id": "full", "prompt": question, "context_use": 0.95});
    is_within(&ask(&lab, "/v1/context/prompt", full), 75);
    let told = |session: &'static str| {
        move |event: &Value| event["kind"] == "context" && event["data"]["session_id"] == session
    };
    lab.hear("that another is full", told("full"));
    let events: Vec<&Value> = lab.told().iter().filter(|event| told("pressed")(event)).collect();
    assert_eq!(events.len(), 1, "{events:#?}");
    assert_eq!((&events[0]["data"]["op"], &events[0]["data"]["share"]), (&json!("half_full"), &json!(0.6)));
}

#[test]
fn a_session_moves_to_another_topic_once() {
    let mut lab = Lab::new();
    begin(&mut lab);
    note(&lab, "n-attempts", "Login attempts are counted per address.", &[]);
    note(&lab, "n-heron", "Herons nest at the pond behind the office.", &[]);
    settled(&lab);
    block(&lab, "one", "count login attempts per address");
    let moved = |text: &str| prompt(&lab, "one", text)["topic_moved"] == true;
    assert!(!moved("count the login attempts per address"));
    assert!(moved("where do herons build their nests in spring?"));
    assert!(!moved("bake a cake with apples"), "said once");
    lab.hear("that it moved", |event| event["kind"] == "topic" && event["data"]["session_id"] == "one");
    assert_eq!(lab.count("topic"), 1);
    eventually_some(|| (lab.get("/v1/economics?session_id=one")["session_id"] == "one").then_some(()));
}
