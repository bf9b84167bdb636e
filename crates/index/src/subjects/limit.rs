//! How much is remembered, and what goes first: the oldest commits, and the files that were not touched for longest.

use std::collections::HashMap;

use super::{MOST_COMMITS, Subjects};

pub(super) const MOST_FILES: usize = 100_000;

impl Subjects {
    pub(super) fn keep_bounds(&mut self) {
        self.keep_bounds_of(MOST_COMMITS, MOST_FILES);
    }

    pub(super) fn keep_bounds_of(&mut self, most_commits: usize, most_files: usize) {
        if self.said.len() > most_commits {
            self.forget_commits(most_commits - most_commits / 10);
        }
        if self.files.len() > most_files {
            // A tenth at once, so that it seldom happens.
            self.forget_files(most_files - most_files / 10);
        }
    }

    fn forget_commits(&mut self, most: usize) {
        let too_many = self.said.len().saturating_sub(most);
        self.length -= self.said.drain(..too_many).map(|said| u64::from(said.length)).sum::<u64>();
        self.first += too_many as i32;
        self.postings.retain(|_, postings| {
            let left = postings.partition_point(|posting| posting.number < self.first);
            postings.drain(..left);
            !postings.is_empty()
        });
    }

    fn forget_files(&mut self, most: usize) {
        let mut order: Vec<usize> = (0..self.files.len()).collect();
        order.sort_by(|one, other| {
            let (one, other) = (&self.files[*one], &self.files[*other]);
            other.last.cmp(&one.last).then_with(|| one.path.cmp(&other.path))
        });
        order.truncate(most);
        order.sort_unstable();
        let moved: HashMap<u32, u32> = order.iter().zip(0..).map(|(old, new)| (*old as u32, new)).collect();
        let mut old: Vec<_> = std::mem::take(&mut self.files).into_iter().map(Some).collect();
        self.files = order.iter().filter_map(|at| old[*at].take()).collect();
        for said in &mut self.said {
            said.files.retain_mut(|file| moved.get(file).map(|new| *file = *new).is_some());
        }
        self.index_files();
    }

    fn index_files(&mut self) {
        self.places = self.files.iter().zip(0..).map(|(file, place)| (file.path.clone(), place)).collect();
        self.path_postings.clear();
        (0..self.files.len() as u32).for_each(|place| self.index_path(place));
    }
}
