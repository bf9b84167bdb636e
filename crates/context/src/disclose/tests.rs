//! How far a memory is disclosed: something useful always, no more than is needed, never more than is allowed.

use super::*;
use crate::layers::tests::{at, limits, memory, snapshot, store};
use lokid_model::{Kind, Tier};

fn at_level(memory: &Memory, level: Level) -> String {
    let most = match level {
        Level::Full => usize::MAX,
        Level::Summary => 400,
        Level::Compressed => 160,
        Level::Index => 60,
    };
    memory.text.chars().take(most).collect()
}

fn disclose(snapshot: &Snapshot, hits: &[(Key, f64)], budget: usize) -> Disclosed {
    let sources = LayerSources {
        snapshot,
        namespace: &Namespace::default(),
        limits: &limits(),
        arrangement: &Arrangement::default(),
        lengths: &at_level,
    };
    load_relevant_context(&sources, hits, budget, at(400))
}

/// The memories whose text holds a word, as recall would bring them.
fn hits(snapshot: &Snapshot, word: &str, most: usize) -> Vec<(Key, f64)> {
    let found = snapshot.memories().filter(|memory| memory.text.contains(word)).take(most);
    found.enumerate().map(|(at, memory)| (memory.key(), 1.0 - at as f64 * 0.02)).collect()
}

#[test]
fn a_real_store_always_gives_something_useful_within_the_budget() {
    let snapshot = store(1_000);
    for budget in [0, 10, 50, 150, 400, 1_000, 3_000] {
        for hits in [hits(&snapshot, "signing key", 5), Vec::new()] {
            let told = disclose(&snapshot, &hits, budget);
            assert!(told.tokens <= budget, "{budget}: {told:?}");
            assert_eq!(told.tokens, token::estimate(&told.text));
            assert!(told.layers.iter().sum::<usize>().abs_diff(told.tokens) <= 3, "{told:?}");
            assert!(told.topics.len() <= 2 && !told.why.is_empty());
            assert!(budget < 50 || !told.text.is_empty(), "{budget}");
            if budget >= 400 && !hits.is_empty() {
                assert!(told.text.contains("signing key"), "{}", told.text);
                assert!(told.layers[2] > 0, "{told:?}");
            }
        }
    }
}

#[test]
fn what_the_timeline_tells_in_full_is_not_told_again() {
    let mut decision = memory(1, Kind::Decision, "Use one writer".to_owned(), 399);
    decision.tags = vec!["engine".to_owned()];
    let key = decision.key();
    let told = disclose(&snapshot([decision]), &[(key.clone(), 0.9)], 1_000);
    assert!(told.enough && told.topics.is_empty(), "{told:?}");
    assert_eq!(told.layers[2], 0);
    assert_eq!(told.items.len(), 1);
    assert_eq!((&told.items[0].0, told.items[0].1), (&key, Level::Index));
    assert_eq!(told.why, "the timeline tells what matters");
}

#[test]
fn it_stops_when_the_hits_are_told_though_budget_is_left() {
    let snapshot = store(2_000);
    let hits = hits(&snapshot, "signing key", 3);
    let told = disclose(&snapshot, &hits, 20_000);
    assert!(told.enough, "{told:?}");
    assert!(told.tokens < 1_500, "{}", told.tokens);
    for (key, _) in &hits {
        let level = told.items.iter().find(|(told, _, _)| told == key).map(|(_, level, _)| *level);
        assert!(level.is_some_and(|level| level <= Level::Compressed), "{key:?} {level:?}");
    }
}

#[test]
fn hits_of_many_topics_open_two_and_point_at_the_others() {
    let memories: Vec<Memory> = (0..6)
        .map(|number| {
            let mut made =
                memory(number, Kind::Learning, format!("Fact {number}. {}", "It matters a lot. ".repeat(30)), 0);
            made.anchors.files = vec![format!("src/part{number}/x.rs")];
            made
        })
        .collect();
    let hits: Vec<(Key, f64)> = memories.iter().map(|memory| (memory.key(), 0.8)).collect();
    let told = disclose(&snapshot(memories), &hits, 4_000);
    assert_eq!(told.topics.len(), 2, "{told:?}");
    assert!(!told.enough && told.text.contains("## Elsewhere"), "{}", told.text);
    let full = told.items.iter().filter(|(_, level, _)| *level == Level::Full).count();
    assert_eq!((full, told.items.len()), (2, 6));
}

#[test]
fn what_binds_in_an_opened_topic_comes_before_what_was_asked() {
    let made = |number, tier| {
        let mut made = memory(number, Kind::Note, format!("Rule {number}. {}", "Because of this. ".repeat(20)), 0);
        made.anchors.files = vec!["src/auth/x.rs".to_owned()];
        made.tier = tier;
        made
    };
    let snapshot = snapshot([made(1, Tier::Reference), made(2, Tier::Mandate)]);
    let asked = memory(1, Kind::Note, String::new(), 0).key();
    let told = disclose(&snapshot, &[(asked, 1.0)], 2_000);
    let topic = told.text.split("## auth").nth(1).unwrap();
    assert!(topic.find("Rule 2") < topic.find("Rule 1"), "{topic}");
}

#[test]
fn hits_that_are_gone_or_of_no_worth_are_as_none() {
    let snapshot = store(100);
    let gone = memory(999_999, Kind::Note, String::new(), 0).key();
    let here = snapshot.memories().next().unwrap().key();
    let told = disclose(&snapshot, &[(gone, 1.0), (here.clone(), 0.0), (here, f64::NAN)], 1_000);
    assert!(told.enough && told.layers[0] > 0 && told.layers[1] > 0, "{told:?}");
    assert_eq!(told.why, "nothing more that is remembered bears on this");
    let empty = disclose(&Snapshot::default(), &[], 1_000);
    assert_eq!(empty.why, "nothing is remembered yet");
}
