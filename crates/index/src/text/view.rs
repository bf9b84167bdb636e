//! Answers which memories hold the words of a question, and how well: BM25 over all fields of a memory at once, with
//! our own statistics, word by word in a fixed order, so that scores depend on the memories alone and not on how the
//! index lies on disk.

use std::cell::RefCell;
use std::sync::Arc;

use super::segment::{Home, NOBODY, Segment};
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

type Spare = (Vec<f32>, Vec<Number>, Vec<Home>);

thread_local! {
    /// What the last question asked on this thread worked with: sums that are all zero again, and lists that are empty.
    static SPARE: RefCell<Spare> = const { RefCell::new((Vec::new(), Vec::new(), Vec::new())) };
}

/// Longer lists are not kept for the next question.
const MOST_SPARE: usize = 1 << 18;

/// How well each memory matched. Between 0 and 1: the share of the question's weight that a memory answers.
pub struct Scores {
    sums: Vec<f32>,
    touched: Vec<Number>,
    /// Where each of the touched stands.
    homes: Vec<Home>,
    /// What a memory that says nothing but the question would reach, of the words that somebody holds.
    ideal: f32,
    /// The same of all words of the question.
    asked: f32,
    among: u64,
}

impl Drop for Scores {
    fn drop(&mut self) {
        for number in &self.touched {
            self.sums[*number as usize] = 0.0;
        }
        self.touched.clear();
        self.touched.shrink_to(MOST_SPARE);
        self.homes.clear();
        self.homes.shrink_to(MOST_SPARE);
        let (touched, homes) = (std::mem::take(&mut self.touched), std::mem::take(&mut self.homes));
        SPARE.set((std::mem::take(&mut self.sums), touched, homes));
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
        let mut found = self.leaders(self.touched.iter().copied(), most, admits);
        found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| lot(a.1).cmp(&lot(b.1))));
        found.truncate(most);
        found.into_iter().map(|(_, number)| number).collect()
    }

    /// Adds what each of these gains by a word. Nobody is twice among them.
    fn add(&mut self, gains: &[(Home, Number, f32)]) {
        let mut count = self.touched.len();
        self.touched.resize(count + gains.len(), NOBODY);
        self.homes.resize(count + gains.len(), NOWHERE);
        for (home, number, gain) in gains {
            let sum = &mut self.sums[*number as usize];
            // Whether it is a new one cannot be foreseen: it is written down anyway, and written over if it is not.
            (self.touched[count], self.homes[count]) = (*number, *home);
            count += usize::from(*sum == 0.0 && *gain > 0.0);
            *sum += gain;
        }
        self.touched.truncate(count);
        self.homes.truncate(count);
    }

    /// The `most` best admitted among some, all that tie with the last, and perhaps others; in no order. Most of many are
    /// passed over at the first look, and nobody asks whether those are admitted.
    fn leaders(
        &self,
        among: impl Iterator<Item = Number>,
        most: usize,
        admits: &impl Fn(Number) -> bool,
    ) -> Vec<(f32, Number)> {
        let mut found: Vec<(f32, Number)> = Vec::new();
        let (mut least, mut room) = (0.0, 8 * most.max(16));
        for number in among {
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
        let (mut sums, touched, homes) = SPARE.take();
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

        let mut scores = Scores { sums, touched, homes, ideal, asked, among: stats.memories(namespace) };
        let bm25 = |word: &Word<'_>, number: Number, times: f32| {
            let slim = roster.slim(number);
            let damp = SATURATION * (1.0 - LENGTH + LENGTH * slim.length / average);
            if slim.namespace == namespace { word.weight * times / (times + damp) } else { 0.0 }
        };
        let (mut batch, mut found) = (Vec::new(), Vec::new());
        let mut place = 0;
        while place < words.len() && !is_settled(&words, place, keep, &scores, &admits) {
            let word = &words[place];
            for (at, segment) in self.segments.iter().enumerate() {
                segment.each_holding(&word.wanted.word, &mut batch, |batch| {
                    let home = |doc| Home { segment: at as u32, doc };
                    let number = |entry: &(u32, f32)| Some((home(entry.0), segment.number(entry.0)?, entry.1));
                    found.clear();
                    found.extend(batch.iter().filter_map(number));
                    found.iter_mut().for_each(|(_, number, times)| *times = bm25(word, *number, *times));
                    scores.add(&found);
                });
            }
            found.clear();
            for (at, pending) in self.pending.iter().enumerate() {
                if let Some(times) = pending.times(word.hash) {
                    let home = Home { segment: PENDING, doc: at as u32 };
                    found.push((home, pending.number, bm25(word, pending.number, times)));
                }
            }
            scores.add(&found);
            place += 1;
        }
        if place < words.len() {
            self.complete(&words[place..], keep, &mut scores, &admits, bm25);
        }
        scores
    }

    /// Adds the words that are left to those who can still come among the best, and looks at nobody else.
    fn complete(
        &self,
        left: &[Word<'_>],
        keep: usize,
        scores: &mut Scores,
        admits: &impl Fn(Number) -> bool,
        bm25: impl Fn(&Word<'_>, Number, f32) -> f32,
    ) {
        let mut weight: f32 = left.iter().map(|word| word.weight).sum();
        let bar = nth(&mut scores.leaders(scores.touched.iter().copied(), keep, admits), keep) - weight;
        let all = scores.homes.iter().copied().zip(scores.touched.iter().copied());
        let mut hopeful: Vec<(Home, Number)> = all.filter(|(_, number)| scores.sums[*number as usize] >= bar).collect();
        hopeful.sort_unstable_by_key(|(home, _)| u64::from(home.segment) << 32 | u64::from(home.doc));
        for word in left {
            let among = hopeful.iter().map(|(_, number)| *number);
            let bar = nth(&mut scores.leaders(among, keep, admits), keep) - weight;
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

/// Not in a segment yet.
const PENDING: u32 = u32::MAX;
const NOWHERE: Home = Home { segment: PENDING, doc: u32::MAX };

struct Word<'a> {
    wanted: &'a Wanted,
    hash: u64,
    holding: u32,
    weight: f32,
}

/// Are the words from `place` on too weak to bring anyone new among the `keep` best, and too common to try?
fn is_settled(
    words: &[Word<'_>],
    place: usize,
    keep: usize,
    scores: &Scores,
    admits: &impl Fn(Number) -> bool,
) -> bool {
    let (done, left) = words.split_at(place);
    let weight = |words: &[Word<'_>]| words.iter().map(|word| word.weight).sum::<f32>();
    let holding: usize = left.iter().map(|word| word.holding as usize).sum();
    // Nobody has more than all words so far could give; only then is it worth a look who has how much.
    holding > WORTH_PRUNING
        && scores.touched.len() >= keep
        && weight(done) > weight(left)
        && nth(&mut scores.leaders(scores.touched.iter().copied(), keep, admits), keep) > weight(left)
}
