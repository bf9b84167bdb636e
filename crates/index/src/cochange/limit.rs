//! How large the log may grow, and what goes first when it would: the oldest commits, then the faintest files.

use std::collections::HashMap;

use super::{Cochange, PathId};

pub(super) const MOST_FILES: usize = 100_000;
pub(super) const MOST_AUTHORS: usize = 20_000;
/// Files of all logged commits together, at about sixteen bytes each.
pub(super) const MOST_TOUCHES: usize = 1_000_000;

impl Cochange {
    pub(super) fn keep_bounds(&mut self) {
        self.keep_bounds_of(MOST_FILES, MOST_TOUCHES);
    }

    pub(super) fn keep_bounds_of(&mut self, most_files: usize, most_touches: usize) {
        // A tenth at once, so that it seldom happens.
        if self.touches > most_touches {
            self.drop_oldest(most_touches - most_touches / 10);
        }
        if self.files.len() > most_files {
            self.forget_faintest(most_files - most_files / 10);
        }
    }

    fn forget_faintest(&mut self, most: usize) {
        let mut order: Vec<usize> = (0..self.files.len()).collect();
        order.sort_by(|one, other| {
            let (one, other) = (&self.files[*one], &self.files[*other]);
            other.weight.0.total_cmp(&one.weight.0).then_with(|| one.path.cmp(&other.path))
        });
        order.truncate(most);
        order.sort_unstable();
        let moved: HashMap<PathId, PathId> = order.iter().zip(0..).map(|(old, new)| (*old as PathId, new)).collect();
        let mut old = std::mem::take(&mut self.files).into_iter().map(Some).collect::<Vec<_>>();
        self.files = order.iter().filter_map(|at| old[*at].take()).collect();
        self.places.retain(|_, place| moved.get(place).map(|new| *place = *new).is_some());
        self.following.clear();
        for (old, new) in std::mem::take(&mut self.followed) {
            if let (Some(old), Some(new)) = (moved.get(&old), moved.get(&new)) {
                self.follow(*old, *new);
            }
        }
        self.touches = 0;
        for entry in &mut self.log {
            // An entry may be left empty: the numbers of the others must not change.
            entry.files = entry.files.iter().filter_map(|place| moved.get(place).copied()).collect();
            self.touches += entry.files.len();
        }
        self.folders.clear();
        self.stems.clear();
        (0..self.files.len()).for_each(|place| self.list(place as PathId));
    }
}
