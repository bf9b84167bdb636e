//! How large the counts may grow, and what goes first when they would: the faintest pairs, then the faintest files.

use std::collections::HashMap;

use super::{Cochange, MOST_PARTNERS, Pair};

pub(super) const MOST_FILES: usize = 100_000;
pub(super) const MOST_AUTHORS: usize = 20_000;
/// Of twelve bytes each.
pub(super) const MOST_PAIRS: usize = 2_000_000;
const FEWEST_PARTNERS: usize = 8;

/// Ties go to the file met first, so that the same history leaves the same pairs.
pub(super) fn keep_heaviest(pairs: &mut Vec<Pair>, most: usize) {
    pairs.sort_by(|one, other| other.weight.0.total_cmp(&one.weight.0).then(one.file.cmp(&other.file)));
    pairs.truncate(most);
    pairs.shrink_to_fit();
}

impl Cochange {
    pub(super) fn keep_bounds(&mut self) {
        self.keep_bounds_of(MOST_FILES, MOST_PAIRS);
    }

    pub(super) fn keep_bounds_of(&mut self, most_files: usize, most_pairs: usize) {
        if self.pairs > most_pairs {
            self.partners_kept = (self.partners_kept / 2).clamp(FEWEST_PARTNERS, MOST_PARTNERS);
            for file in &mut self.files {
                keep_heaviest(&mut file.partners, self.partners_kept);
            }
            self.count_pairs();
        }
        if self.files.len() > most_files {
            // A tenth at once, so that it seldom happens.
            self.forget_faintest(most_files - most_files / 10);
        }
    }

    pub(super) fn count_pairs(&mut self) {
        self.pairs = self.files.iter().map(|file| file.partners.len()).sum();
    }

    fn forget_faintest(&mut self, most: usize) {
        let mut order: Vec<usize> = (0..self.files.len()).collect();
        order.sort_by(|one, other| {
            let (one, other) = (&self.files[*one], &self.files[*other]);
            other.weight.0.total_cmp(&one.weight.0).then_with(|| one.path.cmp(&other.path))
        });
        order.truncate(most);
        order.sort_unstable();
        let moved: HashMap<u32, u32> = order.iter().zip(0..).map(|(old, new)| (*old as u32, new)).collect();
        let mut old = std::mem::take(&mut self.files).into_iter().map(Some).collect::<Vec<_>>();
        self.files = order.iter().filter_map(|at| old[*at].take()).collect();
        for file in &mut self.files {
            file.partners.retain_mut(|pair| moved.get(&pair.file).map(|new| pair.file = *new).is_some());
        }
        self.places.retain(|_, place| moved.get(place).map(|new| *place = *new).is_some());
        self.count_pairs();
    }
}
