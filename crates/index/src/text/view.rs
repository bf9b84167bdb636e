//! Answers which memories hold the words of a question, and how well: BM25 over all fields of a memory at once, with
//! our own statistics, word by word in a fixed order, so that scores depend on the memories alone and not on how the
//! index lies on disk.

use std::cell::RefCell;
use std::sync::Arc;

use super::segment::{Home, Segment, TOGETHER, Touched};
use super::stats::Stats;
use crate::analyze;
use crate::roster::{Number, Roster};
use crate::searchable::{Field, Searchable};

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
pub(crate) struct Pending {
    pub(crate) number: Number,
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
pub(crate) fn weigh(searchable: &Searchable) -> Vec<(u64, f32)> {
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
pub(crate) fn length(counts: [usize; Field::ALL.len()]) -> f32 {
    Field::ALL.iter().map(|field| field.weight() * counts[*field as usize] as f32).sum()
}

/// The text index at one moment.
#[derive(Clone)]
pub struct TextView {
    pub(super) segments: Vec<Arc<Segment>>,
    pub(super) pending: Arc<Vec<Arc<Pending>>>,
}

type Spare = (Vec<f32>, Vec<Touched>);

thread_local! {
    /// What the last question asked on this thread worked with: sums that are all zero again, and an empty list.
    static SPARE: RefCell<Spare> = const { RefCell::new((Vec::new(), Vec::new())) };
}

/// Longer lists are not kept for the next question.
const MOST_SPARE: usize = 1 << 18;

/// How well each memory matched. Between 0 and 1: the share of the question's weight that a memory answers.
pub struct Scores {
    sums: Vec<f32>,
    touched: Vec<Touched>,
    /// What a memory that says nothing but the question would reach, of the words that somebody holds.
    ideal: f32,
    /// The same of all words of the question.
    asked: f32,
    among: u64,
}

impl Drop for Scores {
    fn drop(&mut self) {
        for touched in &self.touched {
            self.sums[touched.number as usize] = 0.0;
        }
        self.touched.clear();
        self.touched.shrink_to(MOST_SPARE);
        SPARE.set((std::mem::take(&mut self.sums), std::mem::take(&mut self.touched)));
    }
}

impl Scores {
    pub fn of(&self, number: Number) -> f32 {
        if self.ideal > 0.0 { self.sums.get(number as usize).copied().unwrap_or(0.0) / self.ideal } else { 0.0 }
    }

    /// How many memories the words were weighed by.
    pub fn among(&self) -> u64 {
        self.among
    }

    /// The share of the whole question that a memory answers, also counting the words that nobody here has ever said.
    pub fn covered(&self, number: Number) -> f32 {
        if self.asked > 0.0 { self.of(number) * self.ideal / self.asked } else { 0.0 }
    }

    /// The `most` best of those admitted, best first; ties by `lot`, which must be the same after every rebuild.
    pub(crate) fn best(
        &self,
        most: usize,
        admits: &impl Fn(Number) -> bool,
        lot: impl Fn(Number) -> u64,
    ) -> Vec<Number> {
        let mut found = self.leaders(&self.touched, most, admits);
        found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| lot(a.1).cmp(&lot(b.1))));
        found.truncate(most);
        found.into_iter().map(|(_, number)| number).collect()
    }

    /// Adds what each of these, at most [`TOGETHER`], gains by a word. Nobody is twice among them.
    #[inline]
    fn add(&mut self, gains: impl Iterator<Item = (Touched, f32)>) {
        let (mut new, mut count) = ([NOBODY; TOGETHER + 1], 0);
        for (touched, gain) in gains {
            let sum = &mut self.sums[touched.number as usize];
            // Whether it is a new one cannot be foreseen: it is written down anyway, and written over if it is not.
            new[count] = touched;
            count += usize::from(*sum == 0.0 && gain > 0.0);
            *sum += gain;
        }
        self.touched.extend_from_slice(&new[..count]);
    }

    /// The `most` best admitted among some, all that tie with the last, and perhaps others; in no order. Most of many are
    /// passed over at the first look, and nobody asks whether those are admitted.
    fn leaders(&self, among: &[Touched], most: usize, admits: &impl Fn(Number) -> bool) -> Vec<(f32, Number)> {
        let mut found: Vec<(f32, Number)> = Vec::new();
        let (mut least, mut room) = (0.0, 8 * most.max(16));
        for Touched { number, .. } in among.iter().copied() {
            let sum = self.sums[number as usize];
            if sum >= least && admits(number) {
                found.push((sum, number));
                if found.len() == room {
                    least = nth(&mut found, most);
                    found.retain(|entry| entry.0 >= least);
                    room = room.max(2 * found.len());
                }
            }
        }
        found
    }
}

/// The `place`-th best sum; nothing when there are fewer.
fn nth(found: &mut [(f32, Number)], place: usize) -> f32 {
    if place == 0 || found.len() < place {
        return 0.0;
    }
    found.select_nth_unstable_by(place - 1, |a, b| b.0.total_cmp(&a.0)).1.0
}

impl TextView {
    pub(super) fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }

    /// Scores every memory that holds one of the words. When many hold the common words, memories that could not come
    /// among the `keep` best of those admitted any more are not followed further.
    pub fn score(
        &self,
        wanted: &[Wanted],
        keep: usize,
        namespace: u16,
        stats: &Stats,
        roster: &Roster,
        admits: impl Fn(Number) -> bool,
    ) -> Scores {
        let (mut sums, touched) = SPARE.take();
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
            .collect();
        let asked = words.iter().map(|word| word.weight).sum();
        words.retain(|word| word.holding > 0);
        let ideal = words.iter().map(|word| word.weight).sum();
        words.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.wanted.word.cmp(&b.wanted.word)));

        let mut scores = Scores { sums, touched, ideal, asked, among: stats.memories(namespace) };
        let gain = |word: &Word<'_>, (length, own): (f32, u16), times: f32| {
            let damp = SATURATION * (1.0 - LENGTH + LENGTH * length / average);
            if own == namespace { word.weight * times / (times + damp) } else { 0.0 }
        };
        let bm25 = |word: &Word<'_>, number: Number, times: f32| {
            let slim = roster.slim(number);
            gain(word, (slim.length, slim.namespace), times)
        };
        let mut batch = Vec::new();
        for (place, word) in words.iter().enumerate() {
            if let Some(least) = settled(&words, place, keep, &scores, &admits) {
                self.complete(&words[place..], keep, least, &mut scores, &admits, bm25);
                break;
            }
            for (at, segment) in self.segments.iter().enumerate() {
                segment.each_holding(&word.wanted.word, &mut batch, |batch| {
                    let gained = |(doc, times): &(u32, f32)| {
                        let resident = segment.resident(*doc)?;
                        let home = Home { segment: at as u32, doc: *doc };
                        let gain = gain(word, (resident.length, resident.namespace), *times);
                        Some((Touched { number: resident.number, home }, gain))
                    };
                    batch.chunks(TOGETHER).for_each(|some| scores.add(some.iter().filter_map(gained)));
                });
            }
            for (at, pending) in self.pending.iter().enumerate() {
                if let Some(times) = pending.times(word.hash) {
                    let home = Home { segment: PENDING, doc: at as u32 };
                    let touched = Touched { number: pending.number, home };
                    scores.add(std::iter::once((touched, bm25(word, pending.number, times))));
                }
            }
        }
        scores
    }

    /// Adds the words that are left to those who can still come among the best, the last of whom has `least`, and looks
    /// at nobody else.
    fn complete(
        &self,
        left: &[Word<'_>],
        keep: usize,
        mut least: f32,
        scores: &mut Scores,
        admits: &impl Fn(Number) -> bool,
        bm25: impl Fn(&Word<'_>, Number, f32) -> f32,
    ) {
        let mut weight: f32 = left.iter().map(|word| word.weight).sum();
        let all = scores.touched.iter().copied();
        let mut hopeful: Vec<Touched> = all.filter(|one| scores.sums[one.number as usize] >= least - weight).collect();
        hopeful.sort_unstable_by_key(|one| u64::from(one.home.segment) << 32 | u64::from(one.home.doc));
        for word in left {
            hopeful.retain(|one| scores.sums[one.number as usize] >= least - weight);
            for part in hopeful.chunk_by(|a, b| a.home.segment == b.home.segment) {
                match self.segments.get(part[0].home.segment as usize) {
                    Some(segment) => segment.visit(&word.wanted.word, part, |number, times| {
                        scores.sums[number as usize] += bm25(word, number, times);
                    }),
                    None => {
                        for Touched { home, number } in part {
                            if let Some(times) = self.pending[home.doc as usize].times(word.hash) {
                                scores.sums[*number as usize] += bm25(word, *number, times);
                            }
                        }
                    }
                }
            }
            weight -= word.weight;
            least = nth(&mut scores.leaders(&hopeful, keep, admits), keep);
        }
    }
}

/// Not in a segment yet.
const PENDING: u32 = u32::MAX;
const NOBODY: Touched = Touched { number: Number::MAX, home: Home { segment: PENDING, doc: u32::MAX } };

struct Word<'a> {
    wanted: &'a Wanted,
    hash: u64,
    holding: u32,
    weight: f32,
}

/// The last of the `keep` best sums, where the words from `place` on are too weak to bring anyone new among them, and too
/// common to try.
fn settled(
    words: &[Word<'_>],
    place: usize,
    keep: usize,
    scores: &Scores,
    admits: &impl Fn(Number) -> bool,
) -> Option<f32> {
    let (done, left) = words.split_at(place);
    let weight = |words: &[Word<'_>]| words.iter().map(|word| word.weight).sum::<f32>();
    let holding: usize = left.iter().map(|word| word.holding as usize).sum();
    // Nobody has more than all words so far could give; only then is it worth a look who has how much.
    if holding <= WORTH_PRUNING || scores.touched.len() < keep || weight(done) <= weight(left) {
        return None;
    }
    Some(nth(&mut scores.leaders(&scores.touched, keep, admits), keep)).filter(|least| *least > weight(left))
}
