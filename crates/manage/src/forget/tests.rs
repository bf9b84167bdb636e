//! What leaves, what stays, and how many leave in one night.

use proptest::prelude::*;

use super::*;
use crate::lab::{World, day, id, memory};
use crate::promote;
use lokid_model::{Body, Contradiction, ContradictionStatus, Fact, Verdict};

fn night(world: &mut World, on: i64) -> Vec<String> {
    let planner = |scene: &Scene<'_>| plan(scene, &ForgetLimits::default());
    let proposals = world.night(day(on), planner);
    proposals.iter().map(|proposal| format!("{} {}", proposal.act, proposal.about[0])).collect()
}

/// Is one memory, made on day 0 and then changed, forgotten on this day?
fn check(on: i64, expected: Option<&str>, change: impl FnOnce(&mut Memory)) {
    let mut world = World::of([memory("n", Kind::Note, "x", 0)]);
    world.edit("n", change);
    let found = night(&mut world, on);
    assert_eq!(found.first().map(String::as_str), expected, "day {on}");
}

#[test]
fn the_unused_leave_after_ninety_days() {
    check(90, None, |_| {});
    check(91, Some("archived n"), |_| {});
    check(91, None, |memory| memory.usage.last_used = Some(day(10)));
    check(101, Some("archived n"), |memory| memory.usage.last_used = Some(day(10)));
    check(400, None, |memory| memory.usage.referenced = 5);
    check(91, Some("archived n"), |memory| memory.usage.referenced = 4);
}

#[test]
fn what_lasts_rests_after_ninety_days_and_leaves_after_two_years() {
    for kind in Kind::ALL.iter().filter(|kind| !matches!(kind, Kind::Episode | Kind::Note)) {
        let mut world = World::of([memory("n", *kind, "x", 0)]);
        assert_eq!(night(&mut world, 90), [] as [&str; 0]);
        assert_eq!(night(&mut world, 91), ["archived n"]);
        assert_eq!(world.memories[&id("n")].tier, Tier::Archive, "still found by whoever asks");
        assert_eq!(night(&mut world, 730), [] as [&str; 0]);
        assert_eq!(night(&mut world, 731), ["archived n"]);
        assert!(world.memories.is_empty() && world.archived.len() == 1);
    }
}

#[test]
fn what_was_of_use_once_rests_and_being_used_again_wakes_it() {
    let mut world = World::of([memory("n", Kind::Note, "x", 0)]);
    world.edit("n", |memory| memory.usage.referenced = 2);
    assert_eq!(night(&mut world, 91), ["archived n"]);
    assert_eq!(world.memories[&id("n")].tier, Tier::Archive);
    world.edit("n", |memory| (memory.usage.referenced, memory.usage.last_used) = (3, Some(day(95))));
    let woken = world.night(day(96), promote::plan);
    assert_eq!((woken.len(), world.memories[&id("n")].tier), (1, Tier::Reference));
}

#[test]
fn what_has_a_rhythm_is_waited_for() {
    let quarterly = |memory: &mut Memory| memory.usage.last_used = Some(day(88));
    check(200, None, quarterly);
    check(88 + 4 * 88 + 1, Some("archived n"), quarterly);
}

#[test]
fn the_replaced_and_the_ended_leave_ninety_days_after() {
    check(190, None, |memory| memory.times.expired_at = Some(day(100)));
    check(191, Some("forgotten n"), |memory| memory.times.expired_at = Some(day(100)));
    check(191, Some("forgotten n"), |memory| memory.times.invalid_at = Some(day(100)));
    check(191, Some("forgotten n"), |memory| {
        (memory.times.expired_at, memory.usage.referenced, memory.tier) = (Some(day(100)), 50, Tier::Guardrail);
    });
    check(50, None, |memory| memory.times.invalid_at = Some(day(100)));
    // Somebody still needed it, or brought it back.
    let used = |memory: &mut Memory| {
        (memory.times.expired_at, memory.usage.last_used) = (Some(day(100)), Some(day(150)));
    };
    check(240, None, used);
    check(241, Some("forgotten n"), used);
}

#[test]
fn some_never_leave() {
    check(999, None, |memory| memory.source = Source::User);
    check(999, None, |memory| memory.tier = Tier::Mandate);
    check(999, None, |memory| memory.tier = Tier::Guardrail);
    check(999, None, |memory| memory.restricted = true);
    check(999, None, |memory| memory.anchors.files = vec!["a.rs".into()]);
    check(999, None, |memory| memory.body = Body::Fact(Fact { key: "port".into(), ..Fact::default() }.into()));
    check(999, Some("archived n"), |memory| {
        (memory.body, memory.confidence) = (Body::Fact(Box::default()), 0.4);
    });
    check(999, None, |memory| (memory.source, memory.times.updated_at) = (Source::Import, day(950)));
}

#[test]
fn an_edit_frees_an_episode_and_only_the_loss_of_the_file_frees_the_rest() {
    let left = |kind, changed: bool| {
        let mut world = World::of([memory("n", kind, "x", 0)]);
        world.edit("n", |memory| memory.anchors.files = vec!["a.rs".into()]);
        let list = if changed { &mut world.changed } else { &mut world.gone };
        list.insert("a.rs".into());
        night(&mut world, 800).len()
    };
    assert_eq!([left(Kind::Episode, true), left(Kind::Learning, true), left(Kind::Learning, false)], [1, 0, 1]);
}

#[test]
fn what_others_rest_on_stays_until_they_leave() {
    let mut world = World::of(["a", "b", "c", "d"].map(|name| memory(name, Kind::Note, "x", 0)));
    world.edit("a", |memory| memory.usage.referenced = 9);
    world.tie("a", Relation::DerivedFrom, "b");
    world.tie("a", Relation::RelatedTo, "c");
    world.tie("d", Relation::Supports, "d");
    assert_eq!(night(&mut world, 100), ["archived c"]);
    assert_eq!(night(&mut world, 101), ["archived d"]);
    assert!(night(&mut world, 102).is_empty());
    world.edit("a", |memory| memory.usage.referenced = 0);
    assert_eq!(night(&mut world, 103), ["archived a"]);
    assert_eq!(night(&mut world, 104), ["archived b"]);
}

#[test]
fn the_disputed_stay() {
    let mut world = World::of([memory("n", Kind::Note, "x", 0)]);
    let dispute = Contradiction {
        id: "con-1".into(),
        namespace: Default::default(),
        a: id("m"),
        b: id("n"),
        verdict: Verdict::Contradicts,
        status: ContradictionStatus::Open,
        why: String::new(),
        found_at: day(0),
        settled: None,
    };
    world.contradictions.push(dispute.clone().into());
    assert!(night(&mut world, 500).is_empty());
    world.contradictions = vec![Contradiction { status: ContradictionStatus::Resolved, ..dispute }.into()];
    assert_eq!(night(&mut world, 500).len(), 1);
}

#[test]
fn a_quarter_of_a_kind_leaves_in_one_night_the_least_used_first() {
    let mut world = World::of((0..40).map(|at| {
        let mut memory = memory(&format!("n{at:02}"), Kind::Note, "x", 39 - at);
        memory.usage.referenced = u64::from(at % 2 == 0);
        memory
    }));
    let first = night(&mut world, 800);
    assert_eq!(first.len(), 10);
    assert!(first.contains(&"archived n39".into()) && !first.contains(&"archived n38".into()));
    let soon = day(800).plus_micros(DAY / 2);
    assert!(world.plan(soon, |scene| plan(scene, &ForgetLimits::default())).is_empty(), "the same night");
    assert_eq!(night(&mut world, 801).len(), 7);
}

#[test]
fn use_that_nobody_counted_is_not_held_against_a_memory() {
    let world = World::of([memory("n", Kind::Note, "x", 0)]);
    let limits = ForgetLimits { watched_since: Some(day(300)), ..ForgetLimits::default() };
    assert!(world.plan(day(380), |scene| plan(scene, &limits)).is_empty());
    assert_eq!(world.plan(day(391), |scene| plan(scene, &limits)).len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn a_night_comes_to_rest_and_takes_no_more_than_its_share(
        rows in prop::collection::vec((0usize..10, 0usize..7, 0usize..4, -400i64..400, prop::option::of(-400i64..400), 0u64..8), 0..60),
        links in prop::collection::vec((0usize..60, 0usize..8, 0usize..60), 0..60),
    ) {
        let mut world = World::of(rows.iter().enumerate().map(|(at, (kind, source, tier, created, ended, named))| {
            let mut memory = memory(&format!("n{at:02}"), Kind::ALL[*kind], "x", *created);
            (memory.source, memory.tier, memory.usage.referenced) = (Source::ALL[*source], Tier::ALL[*tier], *named);
            memory.times.invalid_at = ended.map(day);
            memory
        }));
        for (from, relation, to) in links {
            if from < rows.len() && to < rows.len() {
                world.tie(&format!("n{from:02}"), Relation::ALL[relation], &format!("n{to:02}"));
            }
        }
        for on in [100, 101, 200] {
            let before = world.memories.clone();
            night(&mut world, on);
            for kind in Kind::ALL {
                let count = |memories: &BTreeMap<MemoryId, std::sync::Arc<Memory>>| {
                    memories.values().filter(|memory| memory.kind == *kind).count()
                };
                let (had, has) = (count(&before), count(&world.memories));
                prop_assert!(had - has <= (had / 4).max(1));
            }
            for (id, memory) in &before {
                prop_assert!(memory.source != Source::User || world.memories.contains_key(id));
            }
            for link in world.links.iter().filter(|link| is_support(link.relation) && link.from != link.to) {
                let held = before.contains_key(&link.to) && world.memories.contains_key(&link.from);
                prop_assert!(!held || world.memories.contains_key(&link.to));
            }
        }
    }
}
