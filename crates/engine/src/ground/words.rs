//! The words of a file: what its text and its path say, as hashes with a weight each.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use lokid_index::analyze;

/// Of one file; the rarest within it are left out.
const MOST: usize = 1_024;
/// A word of the path weighs as if it stood this often in the text, the name of the file twice as often.
const OF_THE_PATH: u32 = 4;
/// Steps of a weight: a word that is used e times as often weighs this much more.
const STEPS: f32 = 16.0;
/// Longer runs are data.
const LONGEST_CHUNK: usize = 128;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    pub(super) hash: u32,
    /// The logarithm of how often it is used.
    pub(super) weight: u8,
}

/// In the order of their hashes.
pub(super) fn of(path: &str, text: &str) -> Vec<Word> {
    let mut chunks: HashMap<&[u8], u32, BuildHasherDefault<Quick>> = HashMap::default();
    // Most of a text is the same few words: each is taken apart once.
    for chunk in text.as_bytes().split(|byte| !JOINED[usize::from(*byte)]) {
        if chunk.len() > 1 && chunk.len() <= LONGEST_CHUNK {
            *chunks.entry(chunk).or_default() += 1;
        }
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    for of_path in [path, stem] {
        *chunks.entry(of_path.as_bytes()).or_default() += OF_THE_PATH;
    }
    let mut counts: HashMap<u32, u32, BuildHasherDefault<Quick>> = HashMap::default();
    for (chunk, times) in chunks {
        // Cut at ASCII alone, so whole.
        let Ok(chunk) = std::str::from_utf8(chunk) else { continue };
        analyze::terms(chunk, |term| {
            if term.len() > 1 && !term.starts_with(|first: char| first.is_ascii_digit()) {
                let count = counts.entry(hash(term)).or_default();
                *count = count.saturating_add(times);
            }
        });
    }
    let mut words: Vec<Word> = counts.into_iter().map(|(hash, times)| Word { hash, weight: weight(times) }).collect();
    if words.len() > MOST {
        words.sort_unstable_by_key(|word| (std::cmp::Reverse(word.weight), word.hash));
        words.truncate(MOST);
    }
    words.sort_unstable_by_key(|word| word.hash);
    words
}

fn hash(term: &str) -> u32 {
    short(analyze::hash(term))
}

/// Of the hash of a term, what is kept.
pub(super) fn short(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// How often a word of such a weight is used.
pub(super) fn times(weight: f32) -> f32 {
    (weight / STEPS - 1.0).exp()
}

fn weight(times: u32) -> u8 {
    ((1.0 + (times.max(1) as f32).ln()) * STEPS).min(255.0) as u8
}

/// What a word may consist of: letters, digits and joints. What is not ASCII is told apart later.
const JOINED: [bool; 256] = {
    let mut joined = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let sign = byte as u8;
        joined[byte] =
            sign.is_ascii_alphanumeric() || !sign.is_ascii() || matches!(sign, b'_' | b'-' | b'.' | b'/' | b':');
        byte += 1;
    }
    joined
};

/// Millions of short keys are hashed for a repository. Nobody gains from making them collide: a file is small and read
/// once.
#[derive(Default)]
struct Quick(u64);

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        let (eights, rest) = bytes.as_chunks::<8>();
        for eight in eights {
            self.write_u64(u64::from_le_bytes(*eight));
        }
        for byte in rest {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    fn finish(&self) -> u64 {
        self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(words: &[Word], term: &str) -> bool {
        words.iter().any(|word| word.hash == hash(term))
    }

    #[test]
    fn a_file_says_what_its_text_and_its_path_say() {
        let words = of("docs/quick_start.md", "Calling parseConfig twice: parseConfig(7) für Öl");
        for term in ["call", "parseconfig", "config", "quick", "quickstart", "ol"] {
            assert!(has(&words, term), "{term}");
        }
        assert!(!has(&words, "7"));
        let weight = |term: &str| words.iter().find(|word| word.hash == hash(term)).unwrap().weight;
        assert!(weight("parseconfig") > weight("call"));
    }

    #[test]
    fn a_text_of_a_hundred_thousand_words_is_cut_and_data_is_no_word() {
        let text: String = (0..100_000).map(|at| format!("w{at} ")).collect();
        assert_eq!(of("a.txt", &text).len(), MOST);
        assert!(of("a.txt", &"x".repeat(1 << 20)).len() < 5);
    }
}
