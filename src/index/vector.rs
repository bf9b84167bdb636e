//! Passages as vectors: unit vectors in eight bits a dimension, with one bit a dimension beside them. A small set is
//! compared in full. A large one is first looked through by its bits (`sketch`), which takes an eighth of the
//! memory traffic, and the best few thousand are compared in full. All arithmetic that ranks is on integers, so the answer is the
//! same on every machine and after every rebuild; a filter is asked before a row may take a place.

use std::ops::Range;
use std::sync::Arc;

use pulp::{Arch, Simd, WithSimd};

use super::roster::Number;
use super::sketch::{GROUP, Sketches, Tables};

/// Rows of one block; a writer copies the last block, never the others.
const BLOCK: usize = 256;
/// Up to this many rows every row is compared in full.
const SMALL: usize = 16_384;
/// Rows that the bits let through to the full comparison, at least.
const SHORTLIST: usize = 2_048;
/// A query's largest component; leaves room for 2,048 dimensions in 32 bits.
const QUERY_SCALE: f32 = 8_191.0;
/// What an assistant said must be this much closer to count as much as what a person said.
const ASIDE_DISCOUNT: f32 = 0.1;

/// A unit vector in eight bits a dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub values: Vec<i8>,
    pub scale: f32,
    pub aside: bool,
}

impl Row {
    pub fn of(vector: &[f32], aside: bool) -> Row {
        let largest = vector.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
        let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        Row { values: vector.iter().map(|value| (value / scale).round() as i8).collect(), scale, aside }
    }

    /// Of two unit vectors: how alike they are.
    pub fn likeness(&self, other: &Row) -> f32 {
        let sum: i32 = self.values.iter().zip(&other.values).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
        sum as f32 * self.scale * other.scale
    }
}

/// A question, ready to be compared.
#[derive(Clone, Debug)]
pub struct Question {
    values: Vec<i16>,
    tables: Tables,
    scale: f32,
}

impl Question {
    /// Nothing when the vector says nothing.
    pub fn of(vector: &[f32]) -> Option<Question> {
        let largest = vector.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
        if largest <= 0.0 || !largest.is_finite() {
            return None;
        }
        let scale = largest / QUERY_SCALE;
        let values: Vec<i16> = vector.iter().map(|value| (value / scale).round() as i16).collect();
        Some(Question { tables: Tables::of(&values), values, scale })
    }
}

#[derive(Clone, Debug, Default)]
struct Block {
    values: Vec<i8>,
    sketches: Sketches,
    scales: Vec<f32>,
    owners: Vec<Number>,
    asides: Vec<bool>,
}

#[derive(Clone, Debug)]
pub struct Vectors {
    dim: usize,
    blocks: Vec<Arc<Block>>,
    len: usize,
}

impl Vectors {
    pub fn new(dim: usize) -> Vectors {
        Vectors { dim, blocks: Vec::new(), len: 0 }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Appends the passages of one memory; answers where the first of them stands.
    pub(super) fn push(&mut self, owner: Number, rows: &[Row]) -> u32 {
        let first = self.len as u32;
        for row in rows {
            debug_assert_eq!(row.values.len(), self.dim);
            if self.len.is_multiple_of(BLOCK) {
                self.blocks.push(Arc::default());
            }
            let block = Arc::make_mut(self.blocks.last_mut().expect("a block was just made sure of"));
            block.values.extend_from_slice(&row.values);
            block.sketches.push(&row.values);
            block.scales.push(row.scale);
            block.owners.push(owner);
            block.asides.push(row.aside);
            self.len += 1;
        }
        first
    }

    pub fn row(&self, at: u32) -> Row {
        let (block, within) = (&self.blocks[at as usize / BLOCK], at as usize % BLOCK);
        let values = block.values[within * self.dim..(within + 1) * self.dim].to_vec();
        Row { values, scale: block.scales[within], aside: block.asides[within] }
    }

    /// The best passage among `rows` that stand one after the other: its likeness, discount included.
    pub fn best(&self, question: &Question, first: u32, rows: u16) -> Option<f32> {
        let rows = first as usize..self.len.min(first as usize + rows as usize);
        Arch::new().dispatch(Best { vectors: self, question, rows })
    }

    /// The `most` best memories for a question among those that `admits` lets in, best first, each by its best
    /// passage. Ties are left to the caller: all that tie with the last are there.
    pub fn nearest(&self, question: &Question, most: usize, admits: impl Fn(Number) -> bool) -> Vec<(Number, f32)> {
        if self.len == 0 || most == 0 || question.values.len() != self.dim {
            return Vec::new();
        }
        let rows = if self.len <= SMALL { None } else { self.shortlist(question, most, &admits) };
        let mut found = match rows {
            Some(rows) => Arch::new().dispatch(Chosen { vectors: self, question, rows: &rows }),
            None => Arch::new().dispatch(All { vectors: self, question, admits: &admits }),
        };
        let order = |a: &(Number, f32), b: &(Number, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if found.len() > most {
            let (_, last, rest) = found.select_nth_unstable_by(most - 1, order);
            let last = last.1;
            let ties: Vec<(Number, f32)> = rest.iter().copied().filter(|entry| entry.1 >= last).collect();
            found.truncate(most);
            found.extend(ties);
        }
        found.sort_unstable_by(order);
        found
    }

    /// The rows that look closest by their bits, enough of them admitted. Nothing when so few are admitted that
    /// comparing those in full is the quicker way.
    fn shortlist(&self, question: &Question, most: usize, admits: &impl Fn(Number) -> bool) -> Option<Vec<u32>> {
        let mut estimates = Vec::with_capacity(self.len + GROUP);
        for block in &self.blocks {
            question.tables.estimate(&block.sketches, &mut estimates);
        }
        // Two counts in turn: a count that was just written is not ready to be read.
        let mut counts = [vec![0_u32; question.tables.largest() + 1], vec![0_u32; question.tables.largest() + 1]];
        for pair in estimates.chunks(2) {
            for (turn, estimate) in pair.iter().enumerate() {
                counts[turn][*estimate as usize] += 1;
            }
        }
        let enough = SHORTLIST.max(8 * most);
        let mut want = enough;
        loop {
            let mut sum = 0;
            let least = (0..counts[0].len()).rev().find(|at| {
                sum += (counts[0][*at] + counts[1][*at]) as usize;
                sum >= want
            })? as i16;
            let mut admitted = Vec::with_capacity(sum);
            for (group, estimates) in estimates.chunks(GROUP).enumerate() {
                // Most groups have nobody near; one comparison tells.
                if estimates.iter().fold(0, |most, estimate| most.max(*estimate)) < least {
                    continue;
                }
                for (within, estimate) in estimates.iter().enumerate() {
                    let row = group * GROUP + within;
                    if *estimate >= least && admits(self.blocks[row / BLOCK].owners[row % BLOCK]) {
                        admitted.push(row as u32);
                    }
                }
            }
            if admitted.len() * 2 >= enough {
                return Some(admitted);
            }
            // One in sixteen or fewer: the filter is what selects.
            if admitted.len() * 16 < sum {
                return None;
            }
            want *= 4;
        }
    }
}

// The loops that see every row. Each is a value that `pulp` runs with the widest registers the machine has; they are
// written as plain loops and inlined to the last call, because a function that is called is compiled without them.

/// Every memory that is let in, by its best passage. The passages of a memory stand one after the other.
struct All<'a, F> {
    vectors: &'a Vectors,
    question: &'a Question,
    admits: &'a F,
}

impl<F: Fn(Number) -> bool> WithSimd for All<'_, F> {
    type Output = Vec<(Number, f32)>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let mut found: Vec<(Number, f32)> = Vec::with_capacity(self.vectors.len.min(SMALL));
        let mut current: Option<(Number, bool)> = None;
        for block in &self.vectors.blocks {
            for (within, owner) in block.owners.iter().enumerate() {
                let is_first = current.is_none_or(|(known, _)| known != *owner);
                if is_first {
                    current = Some((*owner, (self.admits)(*owner)));
                }
                if current.is_some_and(|(_, admitted)| admitted) {
                    take(&mut found, *owner, likeness(block, within, self.vectors.dim, self.question), is_first);
                }
            }
        }
        found
    }
}

/// The memories of these rows, which are in their order, each by the best of them.
struct Chosen<'a> {
    vectors: &'a Vectors,
    question: &'a Question,
    rows: &'a [u32],
}

impl WithSimd for Chosen<'_> {
    type Output = Vec<(Number, f32)>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let mut found: Vec<(Number, f32)> = Vec::with_capacity(self.rows.len());
        for row in self.rows {
            let (block, within) = (&self.vectors.blocks[*row as usize / BLOCK], *row as usize % BLOCK);
            let owner = block.owners[within];
            let is_first = found.last().is_none_or(|last| last.0 != owner);
            take(&mut found, owner, likeness(block, within, self.vectors.dim, self.question), is_first);
        }
        found
    }
}

struct Best<'a> {
    vectors: &'a Vectors,
    question: &'a Question,
    rows: Range<usize>,
}

impl WithSimd for Best<'_> {
    type Output = Option<f32>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let mut best: Option<f32> = None;
        for row in self.rows {
            let block = &self.vectors.blocks[row / BLOCK];
            let likeness = likeness(block, row % BLOCK, self.vectors.dim, self.question);
            best = Some(best.map_or(likeness, |best| best.max(likeness)));
        }
        best
    }
}

#[inline(always)]
fn likeness(block: &Block, within: usize, dim: usize, question: &Question) -> f32 {
    let values = &block.values[within * dim..(within + 1) * dim];
    let likeness = dot(values, &question.values) as f32 * (block.scales[within] * question.scale);
    if block.asides[within] { likeness - ASIDE_DISCOUNT } else { likeness }
}

#[inline(always)]
fn dot(row: &[i8], question: &[i16]) -> i32 {
    let ((rows, row_rest), (questions, question_rest)) = (row.as_chunks::<32>(), question.as_chunks::<32>());
    let mut sum = 0;
    for (a, b) in rows.iter().zip(questions) {
        for at in 0..32 {
            sum += i32::from(a[at]) * i32::from(b[at]);
        }
    }
    for (a, b) in row_rest.iter().zip(question_rest) {
        sum += i32::from(*a) * i32::from(*b);
    }
    sum
}

/// The best passage of a memory counts.
#[inline(always)]
fn take(found: &mut Vec<(Number, f32)>, owner: Number, likeness: f32, is_first: bool) {
    match found.last_mut() {
        Some(last) if !is_first => last.1 = last.1.max(likeness),
        _ => found.push((owner, likeness)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bytes_give_a_vector_back_to_half_a_scale(vector in prop::collection::vec(-1.0_f32..1.0, 1..300)) {
            let row = Row::of(&vector, false);
            for (value, byte) in vector.iter().zip(&row.values) {
                prop_assert!((value - f32::from(*byte) * row.scale).abs() <= row.scale * 0.5001);
            }
        }
    }

    #[test]
    fn the_best_passage_speaks_for_a_memory_and_an_aside_counts_less() {
        let mut vectors = Vectors::new(2);
        vectors.push(0, &[Row::of(&[0.0, 1.0], false), Row::of(&[1.0, 0.0], true)]);
        vectors.push(1, &[Row::of(&[0.95, 0.3], false)]);
        let found = vectors.nearest(&Question::of(&[1.0, 0.0]).unwrap(), 2, |_| true);
        assert_eq!(found.iter().map(|entry| entry.0).collect::<Vec<_>>(), [1, 0]);
        assert!((found[1].1 - 0.9).abs() < 1e-3);
        assert!(vectors.nearest(&Question::of(&[1.0, 0.0]).unwrap(), 2, |_| false).is_empty());
        assert!(Question::of(&[0.0, 0.0]).is_none());
    }
}
