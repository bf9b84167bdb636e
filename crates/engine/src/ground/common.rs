//! How common each word is in a repository, and so which words of a file tell it from others.

use std::collections::HashMap;

use super::words::Word;

/// Words kept of a file.
const MOST_OF_A_FILE: usize = 96;
/// Words whose files are counted. When there are twice as many, those of a single file leave, then those of two.
const MOST_COUNTED: usize = 32_768;
/// A word that nobody else uses likens a file to nothing yet.
const ALONE: f32 = 0.4;

/// Counts of all words, where the sketches hold the telling ones only. A file that changes is not counted again and one
/// that is removed stays counted: what is common changes slowly, and every reading from the beginning counts anew.
#[derive(Clone, Debug, Default)]
pub(super) struct Common {
    files: u32,
    of: HashMap<u32, u32>,
}

impl Common {
    pub(super) fn count(&mut self, words: &[Word]) {
        self.files = self.files.saturating_add(1);
        for word in words {
            *self.of.entry(word.hash).or_default() += 1;
        }
        let mut rare = 1;
        while self.of.len() > 2 * MOST_COUNTED {
            self.of.retain(|_, files| *files > rare);
            rare += 1;
        }
    }

    fn files_with(&self, word: u32) -> u32 {
        self.of.get(&word).copied().unwrap_or(0)
    }

    /// How much a word says that so many files are known to use.
    pub(super) fn rarity(&self, word: u32, kept: usize) -> f64 {
        f64::from(rarity(self.files_with(word).max(kept as u32), self.files))
    }

    /// With how much each says. `kept` tells how many files are known for a word; a word is at least that common.
    pub(super) fn most_telling(&self, words: Vec<Word>, kept: impl Fn(u32) -> u32) -> Vec<(Word, f32)> {
        let judge = |word: Word| {
            let files = self.files_with(word.hash).max(kept(word.hash) + 1);
            let rarity = rarity(files, self.files);
            let worth = f32::from(word.weight) * if files < 2 { rarity * ALONE } else { rarity };
            (worth, word, rarity)
        };
        let mut judged: Vec<(f32, Word, f32)> = words.into_iter().map(judge).collect();
        judged.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.hash.cmp(&other.1.hash)));
        judged.truncate(MOST_OF_A_FILE);
        judged.into_iter().map(|(_, word, rarity)| (word, rarity)).collect()
    }

    /// For the cache: the words of more than one file, with their counts.
    pub(super) fn rows(&self) -> (u32, Vec<(u32, u32)>) {
        let mut rows: Vec<(u32, u32)> = self.of.iter().map(|(word, files)| (*word, *files)).collect();
        rows.retain(|(_, files)| *files > 1);
        rows.sort_unstable_by_key(|(word, files)| (std::cmp::Reverse(*files), *word));
        rows.truncate(MOST_COUNTED);
        rows.sort_unstable();
        (self.files, rows)
    }

    pub(super) fn from_rows(files: u32, rows: impl Iterator<Item = (u32, u32)>) -> Common {
        Common { files, of: rows.collect() }
    }
}

/// How much a word says that `with` of `all` files use.
fn rarity(with: u32, all: u32) -> f32 {
    (1.0 + all as f32 / with.max(1) as f32).ln()
}
