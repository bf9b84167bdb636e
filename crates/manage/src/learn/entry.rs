//! Evidence brought together: the episodes that speak for one pattern, whether it is there or is to be made.

use std::collections::HashMap;
use std::sync::Arc;

use super::case::{Case, CaseReader};
use super::known::{may_retire, words_are_ours};
use super::lesson::{Lesson, lesson};
use lokid_model::{Memory, MemoryId};

/// Episodes that are evidence for one pattern.
pub(super) struct Lot<'a> {
    /// As they joined; the first gives a new pattern its name.
    pub(super) cases: Vec<&'a Case>,
    /// The mean likeness, and the number of episodes it is the mean of.
    pub(super) cohesion: (f32, usize),
}

impl<'a> Lot<'a> {
    pub(super) fn take(&mut self, other: Lot<'a>) {
        let ((ours, of_ours), (theirs, of_theirs)) = (self.cohesion, other.cohesion);
        let all = (of_ours + of_theirs).max(1);
        self.cohesion = ((ours * of_ours as f32 + theirs * of_theirs as f32) / all as f32, all);
        self.cases.extend(other.cases);
    }

    pub(super) fn lesson(&self, reader: &CaseReader<'_>) -> Option<Lesson> {
        lesson(&self.cases, self.cohesion.0, reader)
    }
}

/// A pattern that is there, or is to be made, with its evidence.
pub(super) struct Entry<'b, 'k> {
    pub(super) pattern: Option<&'k Arc<Memory>>,
    pub(super) lot: Lot<'b>,
    /// What it says, where that may be compared with others.
    pub(super) lesson: Option<Lesson>,
    /// Patterns of ours that said the same.
    pub(super) twins: Vec<&'k Arc<Memory>>,
}

impl<'b, 'k> Entry<'b, 'k> {
    pub(super) fn new(pattern: Option<&'k Arc<Memory>>, lot: Lot<'b>) -> Entry<'b, 'k> {
        Entry { pattern, lot, lesson: None, twins: Vec::new() }
    }

    pub(super) fn may_unite(&self, other: &Entry<'_, '_>) -> bool {
        self.pattern.is_none_or(|memory| words_are_ours(memory))
            && other.pattern.is_none_or(|memory| may_retire(memory))
    }
}

#[derive(Default)]
pub(super) struct Entries<'b, 'k> {
    /// By the oldest episode of each.
    pub(super) list: Vec<Entry<'b, 'k>>,
    pub(super) places: HashMap<&'k MemoryId, usize>,
}

impl<'b, 'k> Entries<'b, 'k> {
    /// More evidence for a pattern that is there; its place in the list.
    pub(super) fn give(&mut self, memory: &'k Arc<Memory>, lot: Lot<'b>) -> usize {
        match self.places.get(&memory.id) {
            Some(at) => {
                self.list[*at].lot.take(lot);
                *at
            }
            None => {
                self.places.insert(&memory.id, self.list.len());
                self.list.push(Entry::new(Some(memory), lot));
                self.list.len() - 1
            }
        }
    }
    /// Two entries become the first; of two patterns its own stays.
    pub(super) fn unite(&mut self, at: usize, other: Entry<'b, 'k>) {
        let entry = &mut self.list[at];
        match entry.pattern {
            Some(_) => entry.twins.extend(other.pattern),
            None => entry.pattern = other.pattern,
        }
        entry.lot.take(other.lot);
        if let Some(memory) = other.pattern {
            self.places.insert(&memory.id, at);
        }
    }
}
