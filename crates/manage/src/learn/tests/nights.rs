//! The same end whichever way it is reached: one night or thirty, in any order, and with a crash between two steps.

use std::sync::Arc;

use proptest::prelude::*;

use super::corpus::{DAY, START, THEMES, corpus};
use super::lab::Lab;
use super::{LATER, login, told};
use lokid_model::Memory;

#[test]
fn thirty_nights_lead_where_one_leads() {
    for seed in [1, 2, 3] {
        let all = corpus(300, seed, 10);
        let mut once = Lab::new(all.clone());
        once.night(LATER);
        let mut nightly = Lab::new([]);
        for (night, batch) in all.chunks(10).enumerate() {
            nightly.add(batch.iter().cloned());
            nightly.night(LATER + night as i64 * DAY);
        }
        let (nightly, once) = (told(&nightly), told(&once));
        assert_eq!(nightly.len(), once.len(), "seed {seed}");
        nightly.iter().zip(&once).for_each(|(nightly, once)| assert_eq!(nightly, once, "seed {seed}"));
    }
}

#[test]
fn thirty_nights_over_the_same_episodes_change_nothing() {
    let mut lab = Lab::new(corpus(200, 5, 20));
    lab.night(LATER);
    let after_one = (lab.memories.clone(), lab.links.clone());
    for night in 1..30 {
        assert_eq!(lab.night(LATER + night * DAY), 0, "night {night}");
    }
    assert_eq!((lab.memories, lab.links), after_one);
}

#[test]
fn a_crash_between_two_proposals_changes_nothing_in_the_end() {
    let all = corpus(150, 9, 20);
    let mut whole = Lab::new(all.clone());
    whole.night(LATER);
    let count = Lab::new(all.clone()).proposals(LATER).len();
    for done in 0..=count {
        let mut lab = Lab::new(all.clone());
        let proposals = lab.proposals(LATER);
        proposals.iter().take(done).for_each(|proposal| lab.apply(proposal));
        lab.night(LATER);
        assert_eq!(lab.memories, whole.memories, "after {done} of {count}");
    }
}

#[test]
fn the_order_of_the_memories_means_nothing_and_a_night_that_is_over_proposes_nothing() {
    let all = corpus(120, 4, 20);
    let mut lab = Lab::new(all);
    let straight = lab.proposals(LATER);
    lab.turned = true;
    assert_eq!(straight, lab.proposals(LATER));
    assert!(!straight.is_empty());
    lab.over = true;
    assert!(lab.proposals(LATER).is_empty(), "half of the evidence is no evidence");
}

fn any_episode() -> impl Strategy<Value = Arc<Memory>> {
    let themed = (0..THEMES.len(), 0..400_usize, any::<u64>()).prop_map(|(theme, number, seed)| {
        let mut dice = super::corpus::Dice(seed | 1);
        Arc::new(super::corpus::episode(&THEMES[theme], number, &mut dice, 40))
    });
    let odd = ("\\PC{0,60}", 0..400_usize, any::<i64>(), any::<bool>()).prop_map(|(text, number, at, well)| {
        let mut memory = Memory::clone(&login(number, well, &text));
        memory.times.created_at = lokid_model::Timestamp::from_micros(at);
        memory.text = text;
        memory.body = if number % 2 == 0 { lokid_model::Body::None } else { memory.body };
        Arc::new(memory)
    });
    prop_oneof![4 => themed, 1 => odd]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn every_night_finds_its_end(all in proptest::collection::vec(any_episode(), 0..60), cut in 0..60_usize) {
        let mut lab = Lab::new(all.iter().take(cut).cloned());
        lab.night(START);
        lab.add(all);
        lab.night(LATER);
        prop_assert_eq!(lab.night(LATER + DAY), 0);
        for pattern in lab.patterns() {
            prop_assert!(pattern.confidence.is_finite() && !pattern.text.is_empty());
        }
    }
}
