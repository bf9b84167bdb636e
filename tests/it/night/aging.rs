//! What grows old: shorter lengths, resting, leaving, and coming back.

use serde_json::{Value, json};

use super::{STORY, client, get, in_days, night_in, post, remember, show};
use crate::home::Home;
use lokid::serve::Request;

#[test]
fn old_texts_get_shorter_lengths_and_keep_every_word() {
    let home = Home::new();
    let _daemon = home.daemon();
    let id = remember(&home, json!({"kind": "decision", "text": STORY}));
    night_in(&home, 6);
    assert!(show(&home, &id).unwrap()["summary"].is_null(), "what is new is told as it is");
    assert_eq!(night_in(&home, 8)["summarized"], 1);
    assert!(show(&home, &id).unwrap()["summary"].is_string());
    assert_eq!(night_in(&home, 31)["compressed"], 1);
    assert_eq!(show(&home, &id).unwrap()["text"], STORY);
    let short = get(&home, &format!("/v1/memories/{id}?level=compressed&counted=false"));
    assert!(short["compressed"].as_str().unwrap().contains("JWT→server-side sessions"), "{short:#}");
    // Another text is not told by the old text's summary.
    let answer = client(&home)
        .send(&Request::new("PATCH", format!("/v1/memories/{id}")).json(&json!({"text": "We keep JWT."})))
        .unwrap();
    assert!(answer.is_success(), "{}", answer.text());
    let short = get(&home, &format!("/v1/memories/{id}?level=compressed&counted=false"));
    assert_eq!(short["compressed"], "We keep JWT.");
}

#[test]
fn what_was_never_of_use_leaves_and_comes_back_byte_for_byte() {
    let home = Home::new();
    let _daemon = home.daemon();
    let passing =
        remember(&home, json!({"kind": "note", "text": "The printer on the third floor is broken.", "tags": ["x"]}));
    let persons = remember(&home, json!({"kind": "note", "text": "Ask Ada about the invoices.", "source": "user"}));
    let lasting = remember(&home, json!({"kind": "decision", "text": "Invoices are numbered per year."}));
    let before = show(&home, &passing).unwrap();
    let notes = || -> Vec<String> {
        let folder = home.path("app/.loki/memory/notes");
        let files =
            std::fs::read_dir(folder).unwrap().flatten().map(|file| std::fs::read_to_string(file.path()).unwrap());
        let lines: Vec<String> = files.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
        lines.into_iter().filter(|line| line.contains(&passing)).collect()
    };
    let line = notes().pop().unwrap();
    assert_eq!(night_in(&home, 80)["archived"], 0);
    let told = night_in(&home, 100);
    assert_eq!(told["archived"], 2, "one leaves, one rests: {told:#}");
    assert!(show(&home, &passing).is_none());
    assert_eq!(show(&home, &lasting).unwrap()["tier"], "archive");
    assert!(show(&home, &persons).is_some(), "what a person wrote stays");
    home.run(&["forget", "--undo", &passing]).succeeded();
    let mut after = show(&home, &passing).unwrap();
    // When it was last touched tells of the touching, not of the memory.
    after["updated_at"] = before["updated_at"].clone();
    after["usage"] = before["usage"].clone();
    assert_eq!(after, before);
    let words = |line: &str| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        record.as_object_mut().unwrap().remove("updated_at");
        record
    };
    assert_eq!(words(&notes().pop().unwrap()), words(&line));
    // Whoever asks finds what rests.
    let found = post(&home, "/v1/recall", &json!({"query": "how are invoices numbered", "fresh": true}));
    let ids: Vec<&Value> = found["results"].as_array().unwrap().iter().map(|result| &result["id"]).collect();
    assert!(ids.contains(&&json!(lasting)), "{found:#}");
}

#[test]
fn no_more_than_a_quarter_of_a_kind_leaves_in_one_night_however_often_it_is_asked() {
    let home = Home::new();
    let _daemon = home.daemon();
    for at in 0..40 {
        let text = format!("Passing thought number {at} about topic {} of the day.", at * 7);
        remember(&home, json!({"kind": "note", "text": text}));
    }
    let now = in_days(100);
    let mut left = 0;
    for _ in 0..3 {
        left += post(&home, "/v1/consolidate", &json!({"now": now}))["archived"].as_u64().unwrap();
    }
    assert_eq!(left, 10);
}

#[test]
fn what_speaks_of_code_that_is_gone_is_marked_until_the_code_is_back() {
    let mut lab = crate::eyes::lab::Lab::new();
    lab.write("src/queue.rs", "pub fn drain() {}\n");
    lab.commit("Add the queue");
    lab.start_at_once();
    lab.past_is_read();
    let record = json!({
        "id": "learn-drain", "kind": "learning", "text": "drain() must be called twice.", "tier": "guardrail",
        "files": ["src/queue.rs"], "symbols": ["drain"],
    });
    lab.send(&Request::post("/v1/memories", &record));
    let look = |lab: &crate::eyes::lab::Lab| {
        lab.send(&Request::post("/v1/consolidate", &json!({"phases": ["stale"]})));
        lab.record("learn-drain")
    };
    assert_eq!(look(&lab)["tier"], "guardrail");
    std::fs::remove_file(lab.path("src/queue.rs")).unwrap();
    lab.commit("Drop the queue");
    let is_marked = |memory: &Value| memory["tags"].as_array().is_some_and(|tags| tags.contains(&json!("stale")));
    let marked = crate::home::eventually_some(|| Some(look(&lab)).filter(is_marked));
    assert_eq!(marked["tier"], "reference", "{marked:#}");
    lab.write("src/queue.rs", "pub fn drain() {}\n");
    lab.commit("Bring the queue back");
    let back = crate::home::eventually_some(|| Some(look(&lab)).filter(|memory| !is_marked(memory)));
    assert_eq!(back["tier"], "guardrail", "{back:#}");
}

#[test]
fn a_file_that_another_program_wrote_comes_back_as_it_was() {
    let home = Home::new();
    let folder = home.path("app/.loki/memory/episodic/2026-03-01");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("task-ep-odd.json");
    let text = "{ \"id\" : \"ep-odd\",\n\t\"timestamp\":\"2026-03-01T10:00:00Z\", \"outcome\": \"success\",\n  \"their_own\": [1,2],\n  \
        \"context\": {\"goal\": \"look at the printer\", \"phase\": \"x\"} }\n";
    std::fs::write(&file, text).unwrap();
    let _daemon = home.daemon();
    let before = show(&home, "ep-odd").unwrap();
    let told = night_in(&home, 400);
    assert_eq!(told["archived"], 1, "{told:#}");
    assert!(!file.exists() && show(&home, "ep-odd").is_none());
    home.run(&["forget", "--undo", "ep-odd"]).succeeded();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "byte for byte");
    let mut after = show(&home, "ep-odd").unwrap();
    after["updated_at"] = before["updated_at"].clone();
    after["usage"] = before["usage"].clone();
    assert_eq!(after, before);
}
