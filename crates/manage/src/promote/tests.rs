//! Who rises, who sinks, and who rests.

use proptest::prelude::*;

use super::*;
use crate::lab::{self, World, day};
use lokid_model::memory::{Claim, Witnessed};
use lokid_model::{Contradiction, ContradictionStatus, Kind, MemoryId, Verdict as Found};

fn tier(tier: Tier, source: Source, counts: [u64; 3]) -> Option<Tier> {
    let mut memory = Memory::new(MemoryId::new("n").unwrap(), Kind::Note, "x", Timestamp::default());
    (memory.tier, memory.source) = (tier, source);
    judge(&memory, &usage(counts)).map(|verdict| verdict.tier)
}

fn usage([referenced, success, ignored]: [u64; 3]) -> Usage {
    over(3, [referenced, success, ignored])
}

/// The same, counted here on so many days.
fn over(days: u64, [referenced, success, ignored]: [u64; 3]) -> Usage {
    let witnessed = Witnessed { sessions: referenced, good: success, days, last_day: 0 };
    Usage { referenced, success, ignored, witnessed, ..Usage::default() }
}

#[test]
fn what_is_named_again_and_again_rises_step_by_step() {
    let check = |from, counts, to| assert_eq!(tier(from, Source::Agent, counts), to, "{from} {counts:?}");
    check(Tier::Reference, [9, 9, 0], None);
    check(Tier::Reference, [10, 0, 4], Some(Tier::Guardrail));
    check(Tier::Reference, [10, 0, 5], None);
    check(Tier::Guardrail, [25, 19, 0], None);
    check(Tier::Guardrail, [25, 20, 3], Some(Tier::Mandate));
    check(Tier::Guardrail, [25, 20, 100], None);
    assert_eq!(tier(Tier::Guardrail, Source::Log, [99, 99, 0]), None, "a log gives no orders");
}

#[test]
fn calls_are_no_days_and_what_a_file_counts_was_not_seen_here() {
    let note = |tier| Memory { tier, ..lab::memory("n", Kind::Note, "x", 0) };
    for (tier, counts) in [(Tier::Reference, [99, 99, 0]), (Tier::Guardrail, [99, 99, 0])] {
        assert_eq!(judge(&note(tier), &over(2, counts)), None, "{tier} in two days");
        let told = Usage { witnessed: Witnessed::default(), ..over(3, counts) };
        assert_eq!(judge(&note(tier), &told), None, "{tier} by its file's word");
    }
    let claim = Some(Claim { tier: Tier::Mandate, source: Source::User });
    assert_eq!(judge(&Memory { claim, ..note(Tier::Reference) }, &over(9, [99, 99, 0])), None, "it asks a person");
}

#[test]
fn what_is_ignored_sinks_unless_a_person_wrote_it() {
    assert_eq!(tier(Tier::Mandate, Source::Agent, [1, 0, 20]), Some(Tier::Guardrail));
    assert_eq!(tier(Tier::Guardrail, Source::Git, [0, 0, 20]), Some(Tier::Reference));
    assert_eq!(tier(Tier::Guardrail, Source::Git, [3, 0, 20]), None);
    assert_eq!(tier(Tier::Mandate, Source::User, [0, 0, 500]), None);
    assert_eq!(tier(Tier::Reference, Source::Agent, [0, 0, 500]), None, "there is nothing below but the archive");
}

#[test]
fn hearsay_stays_where_it_is() {
    let mut memory = Memory::new(MemoryId::new("n").unwrap(), Kind::Note, "x", Timestamp::default());
    memory.status = Status::Unverified;
    assert_eq!(judge(&memory, &usage([50, 50, 0])), None);
}

fn world(tier: Tier, counts: [u64; 3]) -> World {
    let mut memory = lab::memory("n", Kind::Note, "x", 0);
    (memory.tier, memory.usage) = (tier, usage(counts).into());
    World::of([memory])
}

#[test]
fn one_step_a_night() {
    let mut world = world(Tier::Reference, [30, 25, 0]);
    let acts = world.night(day(1), plan);
    assert_eq!(
        (acts[0].act, acts[0].why.as_str()),
        (Act::Promoted, "reference to guardrail: named in 30 of 30 sessions")
    );
    assert_eq!(world.get("n").tier, Tier::Guardrail);
    world.night(day(2), plan);
    assert_eq!(world.get("n").tier, Tier::Mandate);
    assert!(world.night(day(3), plan).is_empty());
}

#[test]
fn what_rose_sinks_only_after_a_rest_and_by_what_was_counted_since() {
    let mut world = world(Tier::Reference, [10, 0, 0]);
    world.night(day(0), plan);
    world.edit("n", |memory| memory.usage.ignored = 100);
    assert!(world.night(day(13), plan).is_empty(), "too soon");
    assert_eq!(world.night(day(14), plan)[0].act, Act::Demoted);
    assert_eq!(world.get("n").tier, Tier::Reference);
    world.edit("n", |memory| memory.usage.referenced = 400);
    assert!(world.night(day(27), plan).is_empty(), "too soon");
    assert_eq!(world.night(day(28), plan)[0].act, Act::Promoted);
}

#[test]
fn a_mandate_sinks_a_second_step_only_if_it_is_ignored_again() {
    let mut world = world(Tier::Mandate, [0, 0, 50]);
    world.night(day(0), plan);
    assert_eq!(world.get("n").tier, Tier::Guardrail);
    assert!(world.night(day(99), plan).is_empty(), "nothing was counted since");
    world.edit("n", |memory| memory.usage.ignored = 70);
    world.night(day(99), plan);
    assert_eq!(world.get("n").tier, Tier::Reference);
}

#[test]
fn a_tier_that_somebody_changed_after_the_night_is_theirs() {
    let mut world = world(Tier::Reference, [20, 0, 0]);
    world.night(day(0), plan);
    world.edit("n", |memory| memory.tier = Tier::Reference);
    assert!(world.night(day(99), plan).is_empty());
    world.edit("n", |memory| note_move(memory, day(100)));
    assert!(world.night(day(113), plan).is_empty());
    assert_eq!(world.night(day(114), plan).len(), 1, "after a rest, use decides again");
}

#[test]
fn what_is_disputed_or_no_longer_true_does_not_rise() {
    let mut world = world(Tier::Reference, [20, 0, 0]);
    world.edit("n", |memory| memory.times.invalid_at = Some(day(5)));
    assert!(world.night(day(6), plan).is_empty());
    world.edit("n", |memory| memory.times.invalid_at = None);
    let dispute = Contradiction {
        id: "con-1".into(),
        namespace: Default::default(),
        a: lab::id("n"),
        b: lab::id("m"),
        verdict: Found::Contradicts,
        status: ContradictionStatus::Open,
        why: String::new(),
        found_at: day(0),
        settled: None,
    };
    world.contradictions.push(dispute.into());
    assert!(world.night(day(6), plan).is_empty());
    world.contradictions.clear();
    assert_eq!(world.night(day(6), plan).len(), 1);
}

#[test]
fn a_confirmation_is_remembered() {
    let mut memory = lab::memory("n", Kind::Note, "x", 0);
    assert_eq!(confirmed_at(&memory), None);
    note_confirmed(&mut memory, day(3));
    assert_eq!(confirmed_at(&memory), Some(day(3)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn tiers_never_swing(
        first in (0usize..4, 0usize..7),
        days in prop::collection::vec((0i64..6, 0u64..9, 0u64..9, 0u64..40), 1..60),
    ) {
        let mut world = world(Tier::ALL[first.0], [0; 3]);
        world.edit("n", |memory| memory.source = Source::ALL[first.1]);
        let (mut now, mut moves) = (0, Vec::<(i64, bool)>::new());
        for (pause, named, good, ignored) in days {
            now += pause;
            world.edit("n", |memory| {
                memory.usage.referenced += named;
                memory.usage.success += good.min(named);
                memory.usage.ignored += ignored;
                let witnessed = &mut memory.usage.witnessed;
                (witnessed.sessions, witnessed.good) = (witnessed.sessions + named, witnessed.good + good.min(named));
                witnessed.days += u64::from(pause > 0);
            });
            let before = world.get("n").tier;
            world.night(day(now), plan);
            let after = world.get("n").tier;
            if after != before {
                let rose = after < before;
                if let Some((last, rose_before)) = moves.last() {
                    prop_assert!(rose == *rose_before || now - last >= 14);
                }
                moves.push((now, rose));
            }
            prop_assert!(after != Tier::Mandate || before == Tier::Mandate || Source::ALL[first.1].may_mandate());
        }
    }
}
