//! The book of sessions: what stays, what is told once, and what comes back from disk.

use super::*;
use lokid_model::{Namespace, Outcome};
use proptest::prelude::*;
use serde_json::json;

fn at(second: i64) -> Timestamp {
    Timestamp::from_micros(second * 1_000_000)
}

fn key(id: &str) -> Key {
    Key::new(&Namespace::default(), &MemoryId::new(id).unwrap())
}

fn given(text: &str, ids: &[&str]) -> SessionBlock {
    let item = |id: &&str| SessionItem { key: key(id), tier: Tier::Mandate, tokens: 3, level: Level::Full };
    SessionBlock { text: text.to_owned(), tokens: 10, items: ids.iter().map(item).collect() }
}

fn topic(vector: &[f32]) -> Beginning {
    Beginning { goal: "goal".to_owned(), agent: "agent".to_owned(), topic: vector.to_vec() }
}

#[test]
fn a_block_once_given_keeps_its_bytes_whatever_happens() {
    let mut book = SessionBook::default();
    assert_eq!(book.give_block("s", at(1), || given("first", &["n-1"])), "first");
    book.note_cited("s", [&key("n-1")], at(2));
    book.end("s", None, at(3));
    book.begin("s", &topic(&[]), at(4));
    assert_eq!(book.give_block("s", at(5), || unreachable!("made once")), "first");
    let mut again = SessionBook::from_value(&book.to_value());
    assert_eq!(again.give_block("s", at(6), || unreachable!("made once")), "first");
    assert_eq!(book.give_block("t", at(7), SessionBlock::default), "");
    assert_eq!(book.give_block("t", at(8), || given("late", &[])), "");
    assert_eq!(book.get("s").map(|session| session.tokens), Some(10));
}

#[test]
fn what_was_given_and_never_cited_was_ignored() {
    let mut book = SessionBook::default();
    book.give_block("s", at(1), || given("x", &["n-1", "n-2"]));
    book.note_injected("s", &given("y", &["n-3"]), at(2));
    book.note_loaded("s", [&key("n-4"), &key("n-5")], at(3));
    book.note_cited("s", [&key("n-2"), &key("n-5"), &key("n-6")], at(4));
    assert!(book.has("s", &key("n-4")) && !book.has("s", &key("n-6")) && !book.has("t", &key("n-4")));
    let verdicts = book.end("s", Some(Outcome::Success), at(5));
    assert_eq!(verdicts.cited, [key("n-2"), key("n-5"), key("n-6")]);
    assert_eq!(verdicts.ignored, [key("n-1"), key("n-3")]);
    assert_eq!(verdicts.outcome, Some(Outcome::Success));
}

#[test]
fn a_resumed_session_tells_only_what_is_new() {
    let mut book = SessionBook::default();
    book.give_block("s", at(1), || given("x", &["n-1", "n-2"]));
    book.end("s", None, at(2));
    book.begin("s", &Beginning::default(), at(3));
    assert_eq!(book.get("s").and_then(|session| session.ended), None);
    book.note_cited("s", [&key("n-1")], at(4));
    let verdicts = book.end("s", Some(Outcome::Partial), at(5));
    assert_eq!((verdicts.cited, verdicts.ignored), (vec![key("n-1")], vec![]));
    assert_eq!(book.end("s", None, at(6)).cited, []);
    assert_eq!(book.end("unknown", None, at(7)), Verdicts::default());
}

#[test]
fn an_answer_names_memories_by_handle_or_id() {
    let mut book = SessionBook::default();
    book.give_block("s", at(1), || given("x", &["sem-1", "sem-2", "sem-3"]));
    let said = format!("Applied: [M:{}], [sem-3], [sem-9]", lokid_model::citation::handle(&key("sem-1")));
    let named = book.get("s").unwrap().named_by(&lokid_model::citation::cited(&said));
    assert_eq!(named, [key("sem-1"), key("sem-3")]);
}

#[test]
fn what_is_purged_leaves_the_block_and_the_book() {
    let all = ["n-1", "n-2"].map(|id| candidate(memory(id, Tier::Mandate, id), 1.0));
    let mut book = SessionBook::default();
    let before = book.give_block("s", at(1), || block(&all, SESSION_TOKENS, &lengths)).to_owned();
    book.forget(&key("n-9"));
    assert_eq!(book.get("s").and_then(|session| session.block.as_deref()), Some(before.as_str()));
    book.forget(&key("n-1"));
    let after = book.give_block("s", at(2), SessionBlock::default).to_owned();
    assert_eq!(after.lines().count() + 1, before.lines().count());
    assert!(!book.to_value().to_string().contains("n-1") && after.contains("n-2") && after.ends_with(CLOSE));
}

#[test]
fn moving_to_another_topic_is_noticed_once() {
    let mut book = SessionBook::default();
    book.begin("s", &topic(&[1.0, 0.0, 0.0]), at(1));
    assert_eq!(book.topic("s", &[0.9, 0.3, 0.0]), Topic::Known);
    for odd in [&[0.0; 3][..], &[1.0, 0.0], &[f32::NAN; 3]] {
        assert_eq!(book.topic("s", odd), Topic::Known);
    }
    assert_eq!(book.topic("s", &[0.1, 1.0, 0.0]), Topic::Moved);
    assert!(book.get("s").is_some_and(Session::supplement_offered));
    assert_eq!(book.topic("s", &[0.0, 1.0, 0.0]), Topic::Known);
    book.begin("t", &Beginning::default(), at(2));
    assert_eq!(book.topic("t", &[1.0, 0.0, 0.0]), Topic::First);
    assert_eq!(book.topic("t", &[-1.0, 0.0, 0.0]), Topic::Moved);
    assert_eq!(book.topic("unknown", &[1.0]), Topic::Known);
}

#[test]
fn a_half_full_context_is_told_once_and_shortens_what_follows() {
    let mut book = SessionBook::default();
    book.begin("s", &Beginning::default(), at(1));
    assert_eq!(book.use_of_context("s", 0.5), None);
    assert_eq!(book.allowance("s", 400), 400);
    assert_eq!(book.use_of_context("s", 0.7), Some(Pressure { share: 0.7 }));
    assert_eq!(book.use_of_context("s", 0.3), None);
    assert_eq!(book.allowance("s", usize::MAX), usize::MAX);
    assert_eq!(book.use_of_context("s", 0.7), None);
    assert!((249..=250).contains(&book.allowance("s", 400)), "{}", book.allowance("s", 400));
    book.use_of_context("s", 0.9);
    assert!((99..=100).contains(&book.allowance("s", 400)));
    book.use_of_context("s", 7.0);
    assert_eq!(book.allowance("s", 400), 100);
    assert_eq!(book.use_of_context("s", f64::NAN), None);
    assert_eq!(book.allowance("unknown", 400), 400);
}

#[test]
fn the_oldest_goes_when_the_book_is_full_and_long_ids_stay_apart() {
    let mut book = SessionBook::default();
    for number in 0..600 {
        book.begin(&format!("s-{number:04}"), &Beginning::default(), at(number));
    }
    assert_eq!(book.iter().count(), 512);
    assert!(book.get("s-0087").is_none() && book.get("s-0088").is_some());
    let long = "é".repeat(300);
    book.begin(&long, &topic(&[]), at(1000));
    assert!(book.get(&long).is_some() && book.get(&format!("{long}x")).is_none());
    assert!(book.iter().all(|(id, _)| id.chars().count() <= 200));
    assert_eq!(SessionBook::from_value(&book.to_value()), book);
}

#[test]
fn a_broken_entry_costs_only_itself() {
    let mut book = SessionBook::default();
    book.begin("good", &topic(&[0.5, -0.25]), at(1));
    book.note_loaded("good", [&key("n-1")], at(2));
    let mut value = book.to_value();
    value["sessions"]["bad"] = json!({"goal": 7});
    value["sessions"]["worse"] = json!([]);
    value["sessions"]["good"]["memories"]["no slash"] = json!("i");
    value["sessions"]["good"]["memories"]["default/n-2"] = json!(3);
    assert_eq!(SessionBook::from_value(&value), book);
    value["sessions"]["good"]["topic"] = json!("zz");
    assert_eq!(SessionBook::from_value(&value).get("good").map(|session| session.topic.len()), Some(0));
    assert_eq!(SessionBook::from_value(&json!("nothing")), SessionBook::default());
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(
        steps in prop::collection::vec((0..6_u8, "[a-c]", "(?s).{0,20}", -2.0..2.0_f64), 0..40)
    ) {
        let mut book = SessionBook::default();
        for (second, (step, id, text, number)) in (0..).zip(steps) {
            let now = at(second);
            match step {
                0 => book.begin(&id, &Beginning { goal: text, ..topic(&[number as f32, 1.0]) }, now),
                1 => drop(book.give_block(&id, now, || given(&text, &["n-1"])).len()),
                2 => book.note_cited(&id, [&key("n-1")], now),
                3 => drop(book.end(&id, Some(Outcome::Failure), now)),
                4 => drop(book.use_of_context(&id, number)),
                _ => drop(book.topic(&id, &[number as f32, -1.0])),
            }
        }
        prop_assert_eq!(SessionBook::from_value(&book.to_value()), book);
    }
}
