//! The telling words of every file, from the file to its words and from a word to its files, and how near that brings
//! one file to others.

use std::collections::HashMap;

use super::common::Common;
use super::words::{Word, times};

/// A place in 24 bits, a weight in 8.
const MOST_PLACES: u32 = 1 << 24;
/// A word in more than one file of so many says nothing of likeness,
const TENTH: usize = 10;
/// unless there are few files at all.
const FEW: usize = 6;
/// How soon a further use of a word in one file stops counting.
const SATURATION: f64 = 1.2;

#[derive(Clone, Debug, Default)]
pub(super) struct Sketches {
    /// By the place of a file: the places of its words.
    files: Vec<Box<[Packed]>>,
    /// By the place of a word: the places of its files.
    words: Vec<Uses>,
    places: HashMap<u32, u32>,
    free: Vec<u32>,
}

#[derive(Clone, Debug, Default)]
struct Uses {
    hash: u32,
    /// How much it said when a file was last put here for it.
    rarity: f32,
    files: Vec<Packed>,
}

/// A place and a weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packed(u32);

impl Packed {
    fn new(place: u32, weight: u8) -> Packed {
        Packed(place << 8 | u32::from(weight))
    }

    fn place(self) -> u32 {
        self.0 >> 8
    }

    fn weight(self) -> f32 {
        (self.0 & 0xff) as f32
    }
}

impl Sketches {
    pub(super) fn files_with(&self, word: u32) -> u32 {
        self.places.get(&word).map_or(0, |place| self.words[*place as usize].files.len() as u32)
    }

    pub(super) fn put(&mut self, file: u32, words: &[(Word, f32)]) {
        if file >= MOST_PLACES {
            return;
        }
        let mut own = Vec::with_capacity(words.len());
        for (word, rarity) in words {
            let Some(place) = self.place(word.hash) else { continue };
            let uses = &mut self.words[place as usize];
            uses.rarity = *rarity;
            uses.files.push(Packed::new(file, word.weight));
            own.push(Packed::new(place, word.weight));
        }
        if self.files.len() <= file as usize {
            self.files.resize_with(file as usize + 1, Box::default);
        }
        self.files[file as usize] = own.into_boxed_slice();
    }

    pub(super) fn remove(&mut self, file: u32) {
        let Some(own) = self.files.get_mut(file as usize).map(std::mem::take) else { return };
        for word in own {
            let uses = &mut self.words[word.place() as usize];
            if let Some(at) = uses.files.iter().position(|other| other.place() == file) {
                uses.files.swap_remove(at);
            }
            if uses.files.is_empty() {
                self.places.remove(&uses.hash);
                uses.files = Vec::new();
                self.free.push(word.place());
            }
        }
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty() && self.words.iter().all(|uses| uses.files.is_empty())
    }

    /// What is kept of a file.
    pub(super) fn of(&self, file: u32) -> impl Iterator<Item = Word> {
        let own = self.files.get(file as usize).map_or(&[][..], |own| own);
        own.iter().map(|word| Word { hash: self.words[word.place() as usize].hash, weight: (word.0 & 0xff) as u8 })
    }

    /// The files that share a telling word, with the cosine of what they say, in no order.
    pub(super) fn nearest(&self, file: u32, all: usize) -> Vec<(u32, f64)> {
        let Some(own) = self.files.get(file as usize) else { return Vec::new() };
        let most = (all / TENTH).max(FEW);
        // What a word weighs now; nothing if it stands everywhere.
        let worth = |word: Packed| {
            let uses = &self.words[word.place() as usize];
            if uses.files.len() > most {
                return 0.0;
            }
            word.weight() * uses.rarity
        };
        let length = |words: &[Packed]| words.iter().map(|word| worth(*word).powi(2)).sum::<f32>().sqrt();
        let mut shared = vec![0.0_f32; self.files.len()];
        let mut met = Vec::new();
        for word in own {
            let own_worth = worth(*word);
            if own_worth <= 0.0 {
                continue;
            }
            let each = own_worth * own_worth / word.weight().max(1.0);
            for other in &self.words[word.place() as usize].files {
                let so_far = &mut shared[other.place() as usize];
                if *so_far == 0.0 {
                    met.push(other.place());
                }
                *so_far += each * other.weight();
            }
        }
        let own_length = length(own);
        met.retain(|other| *other != file);
        met.into_iter()
            .map(|other| {
                let lengths = own_length * length(&self.files[other as usize]);
                let cosine = if lengths > 0.0 { f64::from(shared[other as usize] / lengths) } else { 0.0 };
                (other, cosine.clamp(0.0, 1.0))
            })
            .collect()
    }

    /// The files that use some of these words, with how much of all these they say, in no order.
    pub(super) fn saying(&self, words: impl Iterator<Item = u32>, common: &Common) -> HashMap<u32, f64> {
        let mut said: HashMap<u32, f64> = HashMap::new();
        let mut whole = 0.0;
        for word in words {
            let files = self.places.get(&word).map_or(&[][..], |place| &self.words[*place as usize].files);
            let rarity = common.rarity(word, files.len());
            whole += rarity;
            for file in files {
                let times = f64::from(times(file.weight()));
                *said.entry(file.place()).or_default() += rarity * times / (times + SATURATION);
            }
        }
        said.values_mut().for_each(|share| *share /= whole);
        said
    }

    fn place(&mut self, hash: u32) -> Option<u32> {
        if let Some(place) = self.places.get(&hash) {
            return Some(*place);
        }
        let place = self.free.pop().or_else(|| {
            let next = self.words.len() as u32;
            (next < MOST_PLACES).then(|| {
                self.words.push(Uses::default());
                next
            })
        })?;
        self.words[place as usize].hash = hash;
        self.places.insert(hash, place);
        Some(place)
    }
}
