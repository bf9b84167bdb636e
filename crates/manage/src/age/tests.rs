//! What ageing keeps, and what it leaves alone.

use proptest::prelude::*;

use super::*;
use crate::lab::{World, day, memory};
use lokid_model::{Kind, Patch};

fn long(words: usize) -> String {
    "The build is slow because every crate is linked again. ".repeat(words)
}

fn lengths_of(world: &World) -> [bool; 3] {
    let shorter = &world.get("n").shorter;
    [shorter.summary.is_some(), shorter.compressed.is_some(), shorter.index.is_some()]
}

#[test]
fn lengths_come_with_age() {
    let mut world = World::of([memory("n", Kind::Note, &long(40), 0)]);
    let check = |world: &mut World, on: i64, expected| {
        world.night(day(on), plan);
        assert_eq!(lengths_of(world), expected, "day {on}");
    };
    check(&mut world, 1, [false, false, true]);
    check(&mut world, 8, [true, false, true]);
    check(&mut world, 31, [true, true, true]);
    assert_eq!(world.get("n").text, long(40));
    let done = world.get("n").clone();
    for night in 32..62 {
        assert!(world.night(day(night), plan).is_empty());
    }
    assert_eq!(world.get("n"), &done);
}

#[test]
fn acts_say_which_length_was_added() {
    let acts = |created: i64| {
        let mut world = World::of([memory("n", Kind::Note, &long(40), created)]);
        world.night(day(100), plan).into_iter().map(|proposal| proposal.act).collect::<Vec<_>>()
    };
    assert_eq!(acts(90), [Act::Summarized]);
    assert_eq!(acts(60), [Act::Compressed]);
}

#[test]
fn a_short_text_needs_nothing() {
    for text in ["", "Tabs, not spaces.", &"x".repeat(120), "😀"] {
        let mut world = World::of([memory("n", Kind::Note, text, 0)]);
        assert!(world.night(day(99), plan).is_empty(), "{text}");
    }
}

#[test]
fn what_somebody_wrote_is_kept_and_the_rest_is_added() {
    let mut world = World::of([memory("n", Kind::Note, &long(40), 0)]);
    world.edit("n", |memory| memory.shorter.summary = Some("Links too often.".into()));
    world.night(day(99), plan);
    assert_eq!(world.get("n").shorter.summary.as_deref(), Some("Links too often."));
    let shorter = &world.get("n").shorter;
    assert_eq!(
        (&shorter.compressed, &shorter.index),
        (&None, &None),
        "longer than what was written is no shorter form"
    );
}

#[test]
fn lengths_of_an_old_text_are_made_anew_and_what_was_written_over_them_stays() {
    let mut world = World::of([memory("n", Kind::Note, &long(40), 0)]);
    world.night(day(99), plan);
    let old = world.get("n").clone();
    let patch = Patch { text: Some(format!("Linking is fast now. {}", long(40))), ..Patch::default() };
    world.edit("n", |memory| *memory = patch.apply(memory, day(100)));
    world.edit("n", |memory| memory.shorter.index = Some("by hand".into()));
    world.night(day(100), plan);
    let new = world.get("n");
    assert!(new.shorter.summary.as_deref().unwrap().starts_with("Linking is fast"), "{:?}", new.shorter);
    assert_ne!(new.shorter.compressed, old.shorter.compressed);
    assert_eq!(new.shorter.index.as_deref(), Some("by hand"));
    world.edit("n", |memory| memory.text = "Short.".into());
    world.night(day(101), plan);
    assert_eq!(lengths_of(&world), [false, false, true], "only what somebody wrote");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_night_comes_to_rest(texts in prop::collection::vec((".{0,40}", 0usize..60, -40i64..40, any::<bool>()), 0..8)) {
        let mut world = World::of(texts.iter().enumerate().map(|(at, (text, times, created, restricted))| {
            let mut memory = memory(&format!("n{at}"), Kind::Note, &text.repeat(*times), *created);
            memory.restricted = *restricted;
            memory
        }));
        let texts: Vec<String> = world.memories.values().map(|memory| memory.text.clone()).collect();
        for night in [0, 10, 50] {
            world.night(day(night), plan);
        }
        prop_assert_eq!(texts, world.memories.values().map(|memory| memory.text.clone()).collect::<Vec<_>>());
    }
}
