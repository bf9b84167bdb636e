//! How common each word is, among the memories of each namespace that are alive now: the same numbers however often
//! the index was rebuilt or merged, which tantivy's own counts (they include the deleted) are not.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::view::{TextView, length};
use crate::roster::Number;
use crate::searchable::Field;

/// Words are named by a hash already; hashing them again buys nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ready(u64);

impl Hasher for Ready {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

type Counts = HashMap<u64, u32, BuildHasherDefault<Ready>>;

#[derive(Debug, Default)]
struct Space {
    memories: u64,
    /// Of all memories, in thousandths, so that adding and removing leaves no trace.
    length: u64,
    holding: Counts,
}

#[derive(Debug, Default)]
pub struct Stats {
    spaces: HashMap<u16, Space>,
}

impl Stats {
    /// Counts what stands on disk, once for a word and not once for each of its holders. Answers also with the lengths
    /// of the memories, by number.
    pub(crate) fn of(
        view: &TextView,
        memories: usize,
        namespace: impl Fn(Number) -> u16,
    ) -> tantivy::Result<(Stats, Vec<f32>)> {
        let mut stats = Stats::default();
        let mut counts = vec![[0_usize; Field::ALL.len()]; memories];
        // The turn in which a memory was last counted, and how many of each namespace were in this one.
        let (mut seen, mut turn) = (vec![0_u64; memories], 0);
        let mut holding: Vec<(u16, u32)> = Vec::new();
        for segment in view.segments() {
            segment.each_word(|word, holders| {
                turn += 1;
                holding.clear();
                for (number, field, times) in holders {
                    counts[*number as usize][*field as usize] += *times as usize;
                    if std::mem::replace(&mut seen[*number as usize], turn) != turn {
                        let namespace = namespace(*number);
                        match holding.iter_mut().find(|(known, _)| *known == namespace) {
                            Some((_, count)) => *count += 1,
                            None => holding.push((namespace, 1)),
                        }
                    }
                }
                holding.iter().for_each(|(namespace, count)| stats.hold(*namespace, word, *count));
            })?;
        }
        let lengths: Vec<f32> = counts.into_iter().map(length).collect();
        for (number, length) in lengths.iter().enumerate() {
            stats.enlist(namespace(number as Number), *length);
        }
        Ok((stats, lengths))
    }

    /// One more memory. `words` are distinct.
    pub(crate) fn add(&mut self, namespace: u16, length: f32, words: impl Iterator<Item = u64>) {
        self.enlist(namespace, length);
        words.for_each(|word| self.hold(namespace, word, 1));
    }

    /// One more memory, whose words are told of apart from it.
    pub(super) fn enlist(&mut self, namespace: u16, length: f32) {
        let space = self.spaces.entry(namespace).or_default();
        space.memories += 1;
        space.length += thousandths(length);
    }

    /// So many more memories hold a word.
    pub(super) fn hold(&mut self, namespace: u16, word: u64, memories: u32) {
        *self.spaces.entry(namespace).or_default().holding.entry(word).or_insert(0) += memories;
    }

    pub(crate) fn remove(&mut self, namespace: u16, length: f32, words: impl Iterator<Item = u64>) {
        let Some(space) = self.spaces.get_mut(&namespace) else { return };
        space.memories = space.memories.saturating_sub(1);
        space.length = space.length.saturating_sub(thousandths(length));
        for word in words {
            if let Some(count) = space.holding.get_mut(&word) {
                *count -= 1;
                if *count == 0 {
                    space.holding.remove(&word);
                }
            }
        }
    }

    pub fn memories(&self, namespace: u16) -> u64 {
        self.spaces.get(&namespace).map_or(0, |space| space.memories)
    }

    pub fn average_length(&self, namespace: u16) -> f32 {
        match self.spaces.get(&namespace) {
            Some(space) if space.memories > 0 => (space.length as f64 / 1000.0 / space.memories as f64) as f32,
            _ => 1.0,
        }
    }

    /// In how many memories a word stands.
    pub fn holding(&self, namespace: u16, word: u64) -> u32 {
        self.spaces.get(&namespace).and_then(|space| space.holding.get(&word)).copied().unwrap_or(0)
    }

    /// The rarer a word, the more it tells.
    pub fn rarity(&self, namespace: u16, word: u64) -> f32 {
        let (all, holding) = (self.memories(namespace) as f32, self.holding(namespace, word) as f32);
        (1.0 + (all - holding + 0.5).max(0.5) / (holding + 0.5)).ln()
    }
}

fn thousandths(length: f32) -> u64 {
    (f64::from(length) * 1000.0).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_and_removed_leaves_no_trace() {
        let mut stats = Stats::default();
        stats.add(0, 3.08, [1, 2].into_iter());
        let before = (stats.average_length(0), stats.rarity(0, 1), stats.rarity(0, 2));
        stats.add(0, 17.3, [2, 3].into_iter());
        assert!(stats.rarity(0, 2) < stats.rarity(0, 3));
        stats.remove(0, 17.3, [2, 3].into_iter());
        assert_eq!((stats.average_length(0), stats.rarity(0, 1), stats.rarity(0, 2)), before);
        assert_eq!(stats.holding(0, 3), 0);
    }

    #[test]
    fn namespaces_do_not_see_each_other() {
        let mut stats = Stats::default();
        stats.add(0, 1.0, [1].into_iter());
        assert_eq!((stats.holding(1, 1), stats.memories(1)), (0, 0));
    }
}
