//! What marks a memory, what takes the mark away, and what leaves it as it is.

use proptest::prelude::*;

use super::*;
use crate::lab::{World, day, memory};

fn unknown(_: &Memory, _: &str) -> Option<f64> {
    None
}

fn night(world: &mut World, on: i64) -> Vec<Act> {
    drifted(world, on, None)
}

fn drifted(world: &mut World, on: i64, share: Option<f64>) -> Vec<Act> {
    let planner = |scene: &Scene<'_>| plan(scene, &StaleLimits::default(), &|_, _| share);
    world.night(day(on), planner).into_iter().map(|proposal| proposal.act).collect()
}

fn world(kind: Kind, tier: Tier, files: &[&str], symbols: &[&str]) -> World {
    let mut memory = memory("n", kind, "words", 0);
    memory.tier = tier;
    memory.anchors.files = files.iter().map(|file| (*file).to_owned()).collect();
    memory.anchors.symbols = symbols.iter().map(|symbol| (*symbol).to_owned()).collect();
    World::of([memory])
}

#[test]
fn a_file_that_is_gone_marks_and_its_return_gives_everything_back() {
    let mut world = world(Kind::Learning, Tier::Guardrail, &["a.rs"], &[]);
    let before = world.get("n").clone();
    assert!(night(&mut world, 1).is_empty());
    world.gone.insert("a.rs".into());
    let told = world.plan(day(2), |scene| plan(scene, &StaleLimits::default(), &unknown));
    assert_eq!(told[0].why, "a.rs is gone, which it speaks of");
    assert_eq!(night(&mut world, 2), [Act::Staled]);
    let marked = world.get("n");
    assert!(is_marked(marked));
    assert_eq!((marked.tier, marked.confidence, marked.times.stale_after), (Tier::Reference, 0.4, Some(day(2))));
    for on in 3..33 {
        assert!(night(&mut world, on).is_empty());
    }
    world.gone.clear();
    assert_eq!(night(&mut world, 33), [Act::Promoted]);
    let after = world.get("n");
    assert_eq!((after.tier, after.confidence), (before.tier, before.confidence));
    assert_eq!((&after.tags, after.times.stale_after), (&before.tags, None));
    world.gone.insert("a.rs".into());
    assert!(night(&mut world, 34).is_empty(), "branches come and go");
    assert_eq!(night(&mut world, 47), [Act::Staled]);
}

#[test]
fn the_words_of_a_person_are_marked_and_bind_as_before() {
    let mut world = world(Kind::Note, Tier::Mandate, &["a.rs"], &[]);
    world.edit("n", |memory| memory.source = Source::User);
    world.gone.insert("a.rs".into());
    assert_eq!(night(&mut world, 1), [Act::Staled]);
    assert_eq!((world.get("n").tier, world.get("n").confidence), (Tier::Mandate, 0.8));
    world.edit("n", |memory| memory.source = Source::Agent);
}

#[test]
fn episodes_restricted_and_ended_ones_are_left_alone() {
    let mut world = world(Kind::Episode, Tier::Reference, &["a.rs"], &["f"]);
    (world.gone, world.lost) = (["a.rs".into()].into(), ["f".into()].into());
    assert!(night(&mut world, 1).is_empty());
    world.edit("n", |memory| (memory.kind, memory.restricted) = (Kind::Note, true));
    assert!(night(&mut world, 1).is_empty());
    world.edit("n", |memory| (memory.restricted, memory.times.expired_at) = (false, Some(day(0))));
    assert!(night(&mut world, 1).is_empty());
}

#[test]
fn an_edit_marks_nothing_and_a_rewrite_marks_what_says_how_code_is() {
    let check = |kind, symbols: &[&str], share, expected: &[Act]| {
        let mut world = world(kind, Tier::Reference, &["a.rs"], symbols);
        world.changed.insert("a.rs".into());
        assert_eq!(drifted(&mut world, 1, share), expected, "{kind} {share:?}");
    };
    check(Kind::CodePattern, &[], None, &[]);
    check(Kind::CodePattern, &[], Some(0.3), &[]);
    check(Kind::CodePattern, &[], Some(0.7), &[Act::Staled]);
    check(Kind::Decision, &[], Some(0.9), &[]);
    check(Kind::Note, &[], Some(0.9), &[]);
    check(Kind::Note, &["f"], Some(0.9), &[Act::Staled]);
    check(Kind::Episode, &[], Some(1.0), &[]);
    let mut two = world(Kind::CodePattern, Tier::Reference, &["a.rs", "b.rs"], &[]);
    two.changed.insert("a.rs".into());
    assert!(drifted(&mut two, 1, Some(1.0)).is_empty(), "the other file stands");
}

#[test]
fn a_file_that_is_half_the_old_one_again_is_neither_marked_nor_cleared() {
    let mut world = world(Kind::CodePattern, Tier::Reference, &["a.rs"], &[]);
    world.changed.insert("a.rs".into());
    assert!(drifted(&mut world, 1, Some(0.5)).is_empty());
    assert_eq!(drifted(&mut world, 2, Some(0.7)), [Act::Staled]);
    assert!(drifted(&mut world, 3, Some(0.5)).is_empty());
    assert_eq!(drifted(&mut world, 4, Some(0.2)), [Act::Staled], "the mark is taken away");
    assert!(!is_marked(world.get("n")));
}

#[test]
fn a_few_of_many_do_not_matter() {
    let check = |gone: &[&str], lost: &[&str], expected: usize| {
        let mut world = world(Kind::Note, Tier::Reference, &["a", "b", "c", "d"], &["f", "g", "h", "i"]);
        world.gone = gone.iter().map(|name| (*name).to_owned()).collect();
        world.lost = lost.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(night(&mut world, 1).len(), expected, "{gone:?} {lost:?}");
    };
    check(&["a"], &["f"], 0);
    check(&["a", "b"], &[], 1);
    check(&[], &["f", "g"], 1);
}

#[test]
fn who_rewrites_or_clears_it_is_believed_until_more_is_gone() {
    for by_hand in [false, true] {
        let mut world = world(Kind::Note, Tier::Guardrail, &["a", "b"], &[]);
        world.gone.insert("a".into());
        night(&mut world, 1);
        world.edit("n", |memory| {
            if by_hand {
                clear(memory);
            } else {
                memory.text = "still so".into();
            }
        });
        night(&mut world, 2);
        assert!(!is_marked(world.get("n")) && !has_tag(world.get("n")));
        assert_eq!(world.get("n").times.stale_after, None);
        assert!(night(&mut world, 50).is_empty());
        world.gone.insert("b".into());
        assert_eq!(night(&mut world, 51), [Act::Staled]);
    }
}

#[test]
fn a_mark_that_somebody_took_away_stays_away_and_one_they_set_stays() {
    let mut world = world(Kind::Note, Tier::Reference, &["a"], &[]);
    world.gone.insert("a".into());
    night(&mut world, 1);
    world.edit("n", |memory| memory.tags.clear());
    night(&mut world, 2);
    assert_eq!((world.get("n").times.stale_after, world.get("n").confidence), (None, 0.8));
    assert!(night(&mut world, 40).is_empty());

    let mut world = super::tests::world(Kind::Note, Tier::Reference, &["a"], &[]);
    world.edit("n", |memory| memory.tags.push(TAG.into()));
    assert!(night(&mut world, 1).is_empty());
    assert!(has_tag(world.get("n")));
}

#[test]
fn the_time_a_tool_gave_comes_back_with_the_code() {
    let mut world = world(Kind::Note, Tier::Reference, &["a"], &[]);
    world.edit("n", |memory| memory.times.stale_after = Some(day(77)));
    world.gone.insert("a".into());
    night(&mut world, 1);
    assert_eq!(world.get("n").times.stale_after, Some(day(1)));
    world.gone.clear();
    night(&mut world, 2);
    assert_eq!(world.get("n").times.stale_after, Some(day(77)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn whatever_happens_to_the_code_a_night_comes_to_rest(
        kind in 0usize..10,
        source in 0usize..7,
        tier in 0usize..4,
        days in prop::collection::vec((0i64..20, prop::collection::vec(0u8..3, 3), prop::option::of(0.0f64..1.0), 0u8..8), 1..12),
    ) {
        let mut world = world(Kind::ALL[kind], Tier::ALL[tier], &["a", "b"], &["f"]);
        world.edit("n", |memory| memory.source = Source::ALL[source]);
        let mut now = 0;
        for (pause, ground, share, hand) in days {
            now += pause;
            (world.gone, world.changed, world.lost) = Default::default();
            for (name, how) in ["a", "b"].into_iter().zip(&ground) {
                let list = if *how == 0 { &mut world.gone } else { &mut world.changed };
                if *how < 2 {
                    list.insert(name.to_owned());
                }
            }
            if ground[2] == 0 {
                world.lost.insert("f".into());
            }
            match hand {
                0 => world.edit("n", |memory| memory.text.push('!')),
                1 => world.edit("n", clear),
                2 => world.edit("n", |memory| memory.tags.clear()),
                _ => {}
            }
            drifted(&mut world, now, share);
            let memory = world.get("n");
            prop_assert!(memory.tags.iter().filter(|tag| *tag == TAG).count() <= 1);
            prop_assert!(memory.source != Source::User || memory.tier == Tier::ALL[tier]);
            prop_assert!(memory.confidence == 0.8 || memory.confidence == 0.4);
        }
    }
}
