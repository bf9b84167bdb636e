//! Answers which memories hold the words of a question, and how well: BM25 over all fields of a memory at once, with
//! our own statistics, word by word in a fixed order, so that scores depend on the memories alone and not on how the
//! index lies on disk.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use tantivy::index::{InvertedIndexReader, SegmentId};
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::{Field as TextField, IndexRecordOption};
use tantivy::{DocSet, SegmentReader, Term};

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

    /// The weighted count of a word.
    fn times(&self, word: u64) -> Option<f32> {
        self.words.binary_search_by_key(&word, |word| word.0).ok().map(|at| self.words[at].1)
    }
}

/// Every word of a memory with its weighted count, sorted. The sum is reckoned as a segment gives it: field by field.
pub(in crate::index) fn weigh(searchable: &Searchable) -> Vec<(u64, f32)> {
    let mut found: Vec<(u64, Field)> = Vec::new();
    for field in Field::ALL {
        found.extend(searchable.fields[field as usize].iter().map(|word| (analyze::hash(word), field)));
    }
    found.sort_unstable();
    let mut words: Vec<(u64, f32)> = Vec::with_capacity(found.len());
    for same in found.chunk_by(|a, b| a == b) {
        let (word, field) = same[0];
        let times = same.len() as f32 * field.weight();
        match words.last_mut() {
            Some(last) if last.0 == word => last.1 += times,
            _ => words.push((word, times)),
        }
    }
    words
}

/// The weighted number of words, from their numbers by field.
pub(in crate::index) fn length(counts: [usize; Field::ALL.len()]) -> f32 {
    Field::ALL.iter().map(|field| field.weight() * counts[*field as usize] as f32).sum()
}

/// The number of no memory.
const NOBODY: Number = Number::MAX;

/// One segment of the index on disk, and which memory each of its documents is.
pub(in crate::index) struct Segment {
    id: SegmentId,
    fields: [(TextField, Arc<InvertedIndexReader>); Field::ALL.len()],
    /// By document; [`NOBODY`] where the document is of a version that is gone.
    numbers: Vec<Number>,
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
        let number = |doc| {
            let print = column.first(doc).filter(|_| alive.is_none_or(|alive| alive.is_alive(doc)))?;
            known.get(&print).copied()
        };
        let numbers = (0..reader.max_doc()).map(|doc| number(doc).unwrap_or(NOBODY)).collect();
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

    /// Which memory a document is; nobody where the index is damaged.
    fn number(&self, doc: u32) -> Option<Number> {
        self.numbers.get(doc as usize).copied().filter(|number| *number != NOBODY)
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

    /// Hands out those of `part` (in the order of their documents) that hold a word.
    fn visit(&self, word: &str, part: &[(Home, Number)], mut see: impl FnMut(Number, f32)) {
        let mut lists: Vec<(f32, SegmentPostings)> = Vec::with_capacity(Field::ALL.len());
        for (field, (handle, inverted)) in Field::ALL.iter().zip(&self.fields) {
            let term = Term::from_field_text(*handle, word);
            if let Ok(Some(postings)) = inverted.read_postings(&term, IndexRecordOption::WithFreqs) {
                lists.push((field.weight(), postings));
            }
        }
        for (home, number) in part {
            let mut times = 0.0;
            for (weight, postings) in &mut lists {
                if postings.doc() < home.doc {
                    postings.seek(home.doc);
                }
                if postings.doc() == home.doc {
                    times += *weight * postings.term_freq() as f32;
                }
            }
            if times > 0.0 {
                see(*number, times);
            }
        }
    }

    /// Every word with everyone who holds it: what a start counts.
    pub(in crate::index) fn each_word(&self, mut see: impl FnMut(u64, Number, Field, u32)) -> tantivy::Result<()> {
        for (field, (_, inverted)) in Field::ALL.iter().zip(&self.fields) {
            let mut words = inverted.terms().stream()?;
            while words.advance() {
                let Ok(word) = std::str::from_utf8(words.key()) else { continue };
                let word = analyze::hash(word);
                let info = words.value();
                let mut postings = inverted.read_block_postings_from_terminfo(info, IndexRecordOption::WithFreqs)?;
                while postings.block_len() > 0 {
                    for (doc, freq) in postings.docs().iter().zip(postings.freqs()) {
                        if let Some(number) = self.number(*doc) {
                            see(word, number, *field, *freq);
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
        let bm25 = |word: &Word<'_>, number: Number, times: f32| {
            let damp = SATURATION * (1.0 - LENGTH + LENGTH * roster.slim(number).length / average);
            word.weight * times / (times + damp)
        };
        let mut homes: Vec<Home> = Vec::new();
        let (mut docs, mut spare) = (Vec::new(), Vec::new());
        let mut place = 0;
        while place < words.len() && !self.is_settled(&words[place..], keep, &scores) {
            let word = &words[place];
            let mut count = |number: Number, times: f32, home: Home| {
                let sum = &mut scores.sums[number as usize];
                if *sum == 0.0 {
                    if !admits(number) {
                        return;
                    }
                    scores.touched.push(number);
                    homes.push(home);
                }
                *sum += bm25(word, number, times);
            };
            for (at, segment) in self.segments.iter().enumerate() {
                segment.holding(&word.wanted.word, &mut docs, &mut spare);
                for (doc, times) in &docs {
                    if let Some(number) = segment.number(*doc) {
                        count(number, *times, Home { segment: at as u32, doc: *doc });
                    }
                }
            }
            for (at, pending) in self.pending.iter().enumerate() {
                if let Some(times) = pending.times(word.hash) {
                    count(pending.number, times, Home { segment: PENDING, doc: at as u32 });
                }
            }
            place += 1;
        }
        if place < words.len() {
            self.complete(&words[place..], keep, &homes, &mut scores, bm25);
        }
        scores
    }

    /// Are the words that are left too weak to bring anyone new among the `keep` best, and too common to try?
    fn is_settled(&self, left: &[Word<'_>], keep: usize, scores: &Scores) -> bool {
        let holding: usize = left.iter().map(|word| word.holding as usize).sum();
        let weight: f32 = left.iter().map(|word| word.weight).sum();
        holding > WORTH_PRUNING && scores.touched.len() >= keep && scores.nth(keep) > weight
    }

    /// Adds the words that are left to those who can still come among the best, and looks at nobody else.
    fn complete(
        &self,
        left: &[Word<'_>],
        keep: usize,
        homes: &[Home],
        scores: &mut Scores,
        bm25: impl Fn(&Word<'_>, Number, f32) -> f32,
    ) {
        let mut hopeful: Vec<(Home, Number)> = homes.iter().copied().zip(scores.touched.iter().copied()).collect();
        hopeful.sort_unstable();
        let mut weight: f32 = left.iter().map(|word| word.weight).sum();
        for word in left {
            let bar = scores.nth(keep) - weight;
            hopeful.retain(|(_, number)| scores.sums[*number as usize] >= bar);
            for part in hopeful.chunk_by(|a, b| a.0.segment == b.0.segment) {
                match self.segments.get(part[0].0.segment as usize) {
                    Some(segment) => segment.visit(&word.wanted.word, part, |number, times| {
                        scores.sums[number as usize] += bm25(word, number, times);
                    }),
                    None => {
                        for (home, number) in part {
                            if let Some(times) = self.pending[home.doc as usize].times(word.hash) {
                                scores.sums[*number as usize] += bm25(word, *number, times);
                            }
                        }
                    }
                }
            }
            weight -= word.weight;
        }
    }
}

/// Where the words of a memory stand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Home {
    segment: u32,
    doc: u32,
}

/// Not in a segment yet.
const PENDING: u32 = u32::MAX;

struct Word<'a> {
    wanted: &'a Wanted,
    hash: u64,
    holding: u32,
    weight: f32,
}

impl Scores {
    /// The `place`-th best sum so far; nothing when there are fewer.
    fn nth(&self, place: usize) -> f32 {
        if self.touched.len() < place {
            return 0.0;
        }
        let mut sums: Vec<f32> = self.touched.iter().map(|number| self.sums[*number as usize]).collect();
        let (_, nth, _) = sums.select_nth_unstable_by(place - 1, |a, b| b.total_cmp(a));
        *nth
    }
}
