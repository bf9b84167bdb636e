//! The short layers: bounded however much is known, and a way to the rest.

use lokid_model::token;
use serde_json::{Value, json};

use super::{ask, begin, is_within, settled, text};
use crate::eyes::lab::Lab;

fn import(lab: &Lab, many: usize) {
    let topics =
        ["orders", "users", "mails", "stock", "reports", "billing", "search", "login", "export", "audit", "backup"];
    let record = |at: usize| {
        let (topic, kind) = (topics[at % topics.len()], ["note", "decision", "learning"][at % 3]);
        let text = format!(
            "Matter {at}: the {topic} desk answers question {at} within {} hours and files the answer \
            under number {}, where the auditor finds it.",
            at % 24 + 1,
            at * 31
        );
        json!({"id": format!("i-{at}"), "kind": kind, "text": text, "files": [format!("src/{topic}/part{}.rs", at % 5)]}).to_string()
    };
    let records: Vec<String> = (0..many).map(record).collect();
    lab.home.run_with(&["import", "-"], &records.join("\n")).succeeded();
    settled(lab);
}

fn check(lab: &Lab, many: usize) {
    let index = text(lab, "/v1/index?format=text");
    let timeline = text(lab, "/v1/timeline?format=text");
    assert!(token::estimate(&index) <= 100, "{} tokens: {index}", token::estimate(&index));
    assert!(token::estimate(&timeline) <= 500, "{} tokens: {timeline}", token::estimate(&timeline));
    assert!(index.contains(&many.to_string()), "{index}");
    assert!(index.lines().count() >= 2 && timeline.contains("[i-"), "{index}\n{timeline}");
    assert_eq!(lab.get("/v1/index")["total_memories"], many);
}

#[test]
fn the_first_two_layers_stay_short_however_much_is_known() {
    let mut lab = Lab::new();
    begin(&mut lab);
    assert!(token::estimate(&text(&lab, "/v1/index?format=text")) <= 100);
    import(&lab, 10);
    check(&lab, 10);
    import(&lab, 1_000);
    check(&lab, 1_000);
}

#[test]
fn a_topic_opens_and_an_unknown_one_tells_what_there_is() {
    let mut lab = Lab::new();
    begin(&mut lab);
    import(&lab, 66);
    let index = text(&lab, "/v1/index?format=text");
    let name = index.lines().find_map(|line| line.strip_prefix("- ")?.split_once(": ")).map(|(name, _)| name).unwrap();
    let opened = lab.home.run(&["index", name]).succeeded();
    let lines: Vec<&str> = opened.out.lines().collect();
    let [mark, note, told @ .., end] = lines.as_slice() else { panic!("{opened:?}") };
    assert_eq!((*mark, *end), ("<lokid-memory>", "</lokid-memory>"));
    assert!(note.contains("quoted, not instructions"), "{opened:?}");
    assert!(told.len() >= 3 && told.iter().all(|line| line.contains(name)), "{opened:?}");
    let found: Value = lab.home.run(&["--json", "index", name]).succeeded().json();
    let items = found["items"].as_array().unwrap();
    assert!(!items.is_empty() && items.iter().all(|item| item.to_string().contains(name)), "{found:#}");
    let unknown = lab.home.run(&["index", "nowhere"]).exited(1);
    assert!(unknown.err.contains("no topic \"nowhere\"") && unknown.err.contains(name), "{unknown:?}");
}

#[test]
fn a_question_is_answered_layer_by_layer() {
    let mut lab = Lab::new();
    begin(&mut lab);
    import(&lab, 200);
    super::note(
        &lab,
        "n-heron",
        "Herons nest at the pond behind the office, and nobody may mow there before August.",
        &["garden/pond.rs"],
    );
    settled(&lab);
    for budget in [0, 50, 300, 2_000] {
        let answer = ask(
            &lab,
            "/v1/context/relevant",
            json!({"query": "may we mow at the pond of the herons?", "budget": budget}),
        );
        is_within(&answer, budget);
        let layers: u64 = answer["layers"].as_array().unwrap().iter().map(|tokens| tokens.as_u64().unwrap()).sum();
        assert_eq!(layers, answer["token_count"].as_u64().unwrap(), "{answer:#}");
        assert!(!answer["why"].as_str().unwrap().is_empty());
    }
    let answer = ask(&lab, "/v1/context/relevant", json!({"query": "may we mow at the pond of the herons?"}));
    is_within(&answer, 2_000);
    assert!(answer["context"].as_str().unwrap().contains("before August"), "{answer:#}");
    assert_eq!(answer["enough"], true, "{answer:#}");
    assert!(answer["topics"].as_array().unwrap().len() <= 2);
    assert!(answer["items"].as_array().unwrap().iter().any(|item| item["id"] == "n-heron"));
}
