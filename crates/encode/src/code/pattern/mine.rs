//! Frequent ordered subsequences (PrefixSpan), within a budget of steps: on common data the search is complete, on
//! data made to explode it ends early and has still seen the most frequent branches first.

use std::collections::BTreeMap;

/// Longer patterns are one definition copied, not a way of doing things.
const LONGEST: usize = 8;

/// A subsequence and the sequences, by position, it occurs in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mined {
    pub(super) items: Vec<u32>,
    pub(super) within: Vec<u32>,
}

struct Search<'a> {
    /// One more than the greatest item.
    items: usize,
    sequences: &'a [Vec<u32>],
    least: usize,
    budget: usize,
    most: usize,
    mined: Vec<Mined>,
}

/// Closed subsequences of at least two items that occur in at least `least` of the sequences.
pub(super) fn closed(sequences: &[Vec<u32>], least: usize, budget: usize, most: usize) -> Vec<Mined> {
    let items = sequences.iter().flatten().max().map_or(0, |most| *most as usize + 1);
    let mut search = Search { items, sequences, least: least.max(1), budget, most, mined: Vec::new() };
    let everywhere: Vec<(u32, u32)> = (0..sequences.len() as u32).map(|at| (at, 0)).collect();
    search.grow(&mut Vec::new(), &everywhere);
    without_contained(search.mined)
}

impl Search<'_> {
    /// `places` says for each sequence that has the prefix where its rest begins. Recursion is as deep as a pattern.
    fn grow(&mut self, prefix: &mut Vec<u32>, places: &[(u32, u32)]) {
        if prefix.len() >= LONGEST {
            return;
        }
        // Counted first, so that places are written down only for what is frequent.
        let mut counted = vec![(0u32, u32::MAX); self.items];
        for &(sequence, start) in places {
            let rest = self.sequences[sequence as usize].get(start as usize..).unwrap_or(&[]);
            self.budget = self.budget.saturating_sub(rest.len() + 1);
            for item in rest {
                let (count, last) = &mut counted[*item as usize];
                if *last != sequence {
                    (*count, *last) = (*count + 1, sequence);
                }
            }
        }
        let frequent =
            (0u32..).zip(&counted).filter(|(item, (count, _))| *count as usize >= self.least && !prefix.contains(item));
        let mut next: Vec<(u32, Vec<(u32, u32)>)> =
            frequent.map(|(item, (count, _))| (item, Vec::with_capacity(*count as usize))).collect();
        let mut slots = vec![usize::MAX; self.items];
        for (slot, (item, _)) in next.iter().enumerate() {
            slots[*item as usize] = slot;
        }
        for &(sequence, start) in places {
            let items = &self.sequences[sequence as usize];
            for (at, item) in items.iter().enumerate().skip(start as usize) {
                let Some((_, found)) = next.get_mut(slots[*item as usize]) else { continue };
                if found.last().is_none_or(|(last, _)| *last != sequence) {
                    found.push((sequence, at as u32 + 1));
                }
            }
        }
        next.sort_by_key(|(item, places)| (std::cmp::Reverse(places.len()), *item));
        for (item, places) in next {
            if self.budget == 0 || self.mined.len() >= self.most {
                return;
            }
            prefix.push(item);
            if prefix.len() > 1 {
                let within = places.iter().map(|(sequence, _)| *sequence).collect();
                self.mined.push(Mined { items: prefix.clone(), within });
            }
            self.grow(prefix, &places);
            prefix.pop();
        }
    }
}

/// Leaves out what is part of a longer one that occurs just as often.
fn without_contained(mined: Vec<Mined>) -> Vec<Mined> {
    let mut by_support: BTreeMap<usize, Vec<Mined>> = BTreeMap::new();
    for one in mined {
        by_support.entry(one.within.len()).or_default().push(one);
    }
    let mut kept = Vec::new();
    for (_, mut group) in by_support {
        group.sort_by(|a, b| b.items.len().cmp(&a.items.len()).then_with(|| a.items.cmp(&b.items)));
        let mut closed: Vec<Mined> = Vec::new();
        for one in group {
            if !closed.iter().any(|longer| is_within(&one.items, &longer.items)) {
                closed.push(one);
            }
        }
        kept.extend(closed);
    }
    kept
}

pub(super) fn is_within(short: &[u32], long: &[u32]) -> bool {
    let mut rest = long.iter();
    short.len() <= long.len() && short.iter().all(|item| rest.any(|other| other == item))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_frequent_and_closed_is_found() {
        let sequences = vec![vec![1, 2, 3, 4], vec![1, 9, 2, 3], vec![1, 2, 8, 3], vec![7, 2]];
        let mined = closed(&sequences, 3, 10_000, 100);
        assert_eq!(mined, [Mined { items: vec![1, 2, 3], within: vec![0, 1, 2] }]);
    }

    #[test]
    fn an_exploding_input_ends_within_its_budget() {
        let long: Vec<u32> = (0..40).collect();
        let mined = closed(&vec![long; 50], 3, 100_000, 300);
        assert!(!mined.is_empty() && mined.len() <= 300);
    }

    proptest::proptest! {
        #[test]
        fn every_pattern_occurs_where_it_says(
            sequences in proptest::collection::vec(proptest::collection::vec(0u32..6, 0..9), 0..12)
        ) {
            for one in closed(&sequences, 2, 50_000, 200) {
                proptest::prop_assert!(one.items.len() > 1 && one.within.len() > 1);
                for at in &one.within {
                    proptest::prop_assert!(is_within(&one.items, &sequences[*at as usize]));
                }
            }
        }
    }
}
