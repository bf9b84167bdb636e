//! Answers which memories hold the words of a question, and how well: BM25 over all fields of a memory at once, with
//! our own statistics, word by word in a fixed order, so that scores depend on the memories alone and not on how the
//! index lies on disk.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use tantivy::index::{InvertedIndexReader, SegmentId};
use tantivy::schema::{Field as TextField, IndexRecordOption};
use tantivy::{SegmentReader, Term};

use super::stats::Stats;
use crate::index::analyze;
use crate::index::roster::{Number, Roster};
use crate::index::searchable::{Field, Searchable};

/// How quickly more of the same word stops counting.
const SATURATION: f32 = 1.2;
/// How much a long memory is held back.
const LENGTH: f32 = 0.75;
/// While fewer documents than this hold the words that are left, looking at all of them costs nothing.
const WORTH_PRUNING: usize = 16_384;

/// A word of the question.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub word: String,
    /// How much the question depends on it, 1 for most.
    pub share: f32,
}

/// A document whose way to the disk is not finished.
#[derive(Debug)]
pub(in crate::index) struct Pending {
    pub(in crate::index) number: Number,
    /// Sorted by word.
    words: Vec<(u64, f32)>,
}

impl Pending {
    pub(super) fn of(number: Number, searchable: &Searchable) -> Pending {
        Pending { number, words: weigh(searchable) }
    }
}

/// Every word of a memory with its weighted count, sorted.
pub(in crate::index) fn weigh(searchable: &Searchable) -> Vec<(u64, f32)> {
    let mut words: Vec<(u64, f32)> = Vec::new();
    for field in Field::ALL {
        let found = &searchable.fields[field as usize];
        words.extend(found.iter().map(|word| (analyze::hash(word), field.weight())));
    }
    // Stable: equal words keep the order of the fields, so that the sum is the one a segment gives.
    words.sort_by_key(|word| word.0);
    words.dedup_by(|later, first| {
        let same = later.0 == first.0;
        if same {
            first.1 += later.1;
        }
        same
    });
    words
}

/// The weighted number of words.
pub(in crate::index) fn length(searchable: &Searchable) -> f32 {
    Field::ALL.iter().map(|field| field.weight() * searchable.fields[*field as usize].len() as f32).sum()
}

/// One segment of the index on disk, and which memory each of its documents is.
pub(in crate::index) struct Segment {
    id: SegmentId,
    fields: [(TextField, Arc<InvertedIndexReader>); Field::ALL.len()],
    /// By document; nobody where the document is of a version that is gone.
    numbers: Vec<Option<Number>>,
}

impl Segment {
    pub(super) fn open(
        reader: &SegmentReader,
        fields: &[TextField; Field::ALL.len()],
        print: &str,
        known: &HashMap<u64, Number>,
    ) -> tantivy::Result<Segment> {
        let column = reader.fast_fields().u64(print)?;
        let alive = reader.alive_bitset();
        let numbers = (0..reader.max_doc())
            .map(|doc| {
                let print = column.first(doc).filter(|_| alive.is_none_or(|alive| alive.is_alive(doc)))?;
                known.get(&print).copied()
            })
            .collect();
        let mut inverted = Vec::with_capacity(fields.len());
        for field in fields {
            inverted.push((*field, reader.inverted_index(*field)?));
        }
        let fields = inverted.try_into().map_err(|_| tantivy::TantivyError::InternalError("fields".to_owned()))?;
        Ok(Segment { id: reader.segment_id(), fields, numbers })
    }

    pub(super) fn id(&self) -> SegmentId {
        self.id
    }

    /// The documents that hold a word, in their order, each with its weighted count over all fields.
    fn holding(&self, word: &str, into: &mut Vec<(u32, f32)>, spare: &mut Vec<(u32, f32)>) {
        into.clear();
        for (field, (handle, inverted)) in Field::ALL.iter().zip(&self.fields) {
            let term = Term::from_field_text(*handle, word);
            // A file that cannot be read has no word; the next start finds the index wanting and makes it anew.
            let Ok(Some(mut postings)) = inverted.read_block_postings(&term, IndexRecordOption::WithFreqs) else {
                continue;
            };
            let weight = field.weight();
            let first = into.is_empty();
            spare.clear();
            while postings.block_len() > 0 {
                let found =
                    postings.docs().iter().zip(postings.freqs()).map(|(doc, freq)| (*doc, *freq as f32 * weight));
                if first {
                    into.extend(found);
                } else {
                    spare.extend(found);
                }
                postings.advance();
            }
            if !first {
                let merged = merge(into, spare);
                *into = merged;
            }
        }
    }

    /// Every word with everyone who holds it: what a start counts.
    pub(in crate::index) fn each_word(&self, mut see: impl FnMut(u64, Number, f32)) -> tantivy::Result<()> {
        for (field, (_, inverted)) in Field::ALL.iter().zip(&self.fields) {
            let mut words = inverted.terms().stream()?;
            while words.advance() {
                let Ok(word) = std::str::from_utf8(words.key()) else { continue };
                let word = analyze::hash(word);
                let info = words.value();
                let mut postings = inverted.read_block_postings_from_terminfo(info, IndexRecordOption::WithFreqs)?;
                while postings.block_len() > 0 {
                    for (doc, freq) in postings.docs().iter().zip(postings.freqs()) {
                        if let Some(number) = self.numbers[*doc as usize] {
                            see(word, number, *freq as f32 * field.weight());
                        }
                    }
                    postings.advance();
                }
            }
        }
        Ok(())
    }
}

fn merge(one: &[(u32, f32)], other: &[(u32, f32)]) -> Vec<(u32, f32)> {
    let mut merged = Vec::with_capacity(one.len() + other.len());
    let (mut a, mut b) = (0, 0);
    while a < one.len() && b < other.len() {
        match one[a].0.cmp(&other[b].0) {
            std::cmp::Ordering::Less => {
                merged.push(one[a]);
                a += 1;
            }
            std::cmp::Ordering::Greater => {
                merged.push(other[b]);
                b += 1;
            }
            std::cmp::Ordering::Equal => {
                merged.push((one[a].0, one[a].1 + other[b].1));
                a += 1;
                b += 1;
            }
        }
    }
    merged.extend_from_slice(&one[a..]);
    merged.extend_from_slice(&other[b..]);
    merged
}

/// The text index at one moment.
#[derive(Clone)]
pub struct TextView {
    pub(super) segments: Vec<Arc<Segment>>,
    pub(super) pending: Arc<Vec<Arc<Pending>>>,
}

thread_local! {
    /// Sums of the last question asked on this thread, all zero again.
    static SUMS: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
}

/// How well each memory matched. Between 0 and 1: the share of the question's weight that a memory answers.
pub struct Scores {
    sums: Vec<f32>,
    touched: Vec<Number>,
    /// What a memory that says nothing but the question would reach.
    ideal: f32,
}

impl Drop for Scores {
    fn drop(&mut self) {
        for number in &self.touched {
            self.sums[*number as usize] = 0.0;
        }
        SUMS.set(std::mem::take(&mut self.sums));
    }
}

impl Scores {
    pub fn of(&self, number: Number) -> f32 {
        if self.ideal > 0.0 { self.sums.get(number as usize).copied().unwrap_or(0.0) / self.ideal } else { 0.0 }
    }

    /// The `most` best, best first; ties by `lot`, which must be the same after every rebuild.
    pub fn best(&self, most: usize, lot: impl Fn(Number) -> u64) -> Vec<Number> {
        let mut found = self.touched.clone();
        let order = |a: &Number, b: &Number| {
            let (one, other) = (self.sums[*a as usize], self.sums[*b as usize]);
            other.total_cmp(&one).then_with(|| lot(*a).cmp(&lot(*b)))
        };
        if found.len() > most {
            found.select_nth_unstable_by(most, order);
            found.truncate(most);
        }
        found.sort_unstable_by(order);
        found
    }
}

impl TextView {
    pub(in crate::index) fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }

    /// Scores every admitted memory that holds one of the words. When many hold the common words, memories that could
    /// not come among the `keep` best any more are not followed further.
    pub fn score(
        &self,
        wanted: &[Wanted],
        keep: usize,
        namespace: u16,
        stats: &Stats,
        roster: &Roster,
        admits: impl Fn(Number) -> bool,
    ) -> Scores {
        let mut sums = SUMS.take();
        sums.resize(sums.len().max(roster.len()), 0.0);
        let average = stats.average_length(namespace).max(f32::MIN_POSITIVE);
        let mut words: Vec<Word> = wanted
            .iter()
            .map(|wanted| {
                let hash = analyze::hash(&wanted.word);
                let holding = stats.holding(namespace, hash);
                Word {
                    wanted,
                    hash,
                    holding,
                    weight: wanted.share * stats.rarity(namespace, hash) * (SATURATION + 1.0),
                }
            })
            .filter(|word| word.holding > 0)
            .collect();
        let ideal = words.iter().map(|word| word.weight).sum();
        words.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.wanted.word.cmp(&b.wanted.word)));

        let mut scores = Scores { sums, touched: Vec::new(), ideal };
        let (mut docs, mut spare) = (Vec::new(), Vec::new());
        let mut only_known = false;
        for (place, word) in words.iter().enumerate() {
            let left: f32 = words[place..].iter().map(|word| word.weight).sum();
            let holding: usize = words[place..].iter().map(|word| word.holding as usize).sum();
            if !only_known && holding > WORTH_PRUNING && scores.touched.len() >= keep {
                only_known = scores.nth(keep) > left;
            }
            let count = |number: Number, times: f32, scores: &mut Scores| {
                let sum = &mut scores.sums[number as usize];
                if *sum == 0.0 {
                    if only_known || !admits(number) {
                        return;
                    }
                    scores.touched.push(number);
                }
                let damp = SATURATION * (1.0 - LENGTH + LENGTH * roster.facet(number).length / average);
                *sum += word.weight * times / (times + damp);
            };
            for segment in &self.segments {
                segment.holding(&word.wanted.word, &mut docs, &mut spare);
                for (doc, times) in &docs {
                    if let Some(number) = segment.numbers[*doc as usize] {
                        count(number, *times, &mut scores);
                    }
                }
            }
            for pending in self.pending.iter() {
                if let Ok(at) = pending.words.binary_search_by_key(&word.hash, |word| word.0) {
                    count(pending.number, pending.words[at].1, &mut scores);
                }
            }
        }
        scores
    }

    /// Which of the words a memory holds: for an explanation.
    pub fn matched<'w>(&self, searchable: &Searchable, wanted: &'w [Wanted]) -> Vec<&'w str> {
        let held = |word: &String| searchable.fields.iter().any(|words| words.contains(word));
        wanted.iter().filter(|wanted| held(&wanted.word)).map(|wanted| wanted.word.as_str()).collect()
    }
}

struct Word<'a> {
    wanted: &'a Wanted,
    hash: u64,
    holding: u32,
    weight: f32,
}

impl Scores {
    /// The `place`-th best sum so far.
    fn nth(&self, place: usize) -> f32 {
        let mut sums: Vec<f32> = self.touched.iter().map(|number| self.sums[*number as usize]).collect();
        let (_, nth, _) = sums.select_nth_unstable_by(place - 1, |a, b| b.total_cmp(a));
        *nth
    }
}
