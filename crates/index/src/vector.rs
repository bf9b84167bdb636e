//! Passages as vectors: unit vectors in eight bits a dimension. A small set is compared in full. A large one is first
//! looked through by one bit a dimension (`glance`), which takes little memory traffic, and the best few thousand are
//! compared in full. All arithmetic that ranks is on integers, so the answer is the same on every machine and after
//! every rebuild; a filter is asked before a row may take a place.

use std::ops::Range;
use std::sync::Arc;

use pulp::{Arch, Simd, WithSimd};

use super::glance::{Found, Glance};
use super::roster::Number;
use super::sketch::Tables;
use lokid_sys::heap;

/// Rows of one block; a writer copies the last block, never the others.
const BLOCK: usize = 256;
/// Rows that the bits let through to the full comparison, at least.
const SHORTLIST: usize = 3_072;
/// Up to this many rows every row is compared in full: choosing among fewer saves nothing.
const SMALL: usize = 2 * SHORTLIST;
/// Rows that are on their way from memory at once, and how much of it comes in one piece.
const AHEAD: usize = 16;
const LINE: usize = 64;
/// Bytes of a row behind its values.
const ROW_REST: usize = 5;
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

/// Rows as one run of bytes each: its values, then its scale, then whether it is an aside. What belongs together lies
/// together, because a row that is looked up costs the time its memory takes to arrive, once for every place.
#[derive(Clone, Debug, Default)]
struct VectorBlock(Vec<i8>);

impl VectorBlock {
    fn push(&mut self, row: &Row) {
        self.0.extend_from_slice(&row.values);
        self.0.extend(row.scale.to_le_bytes().map(|byte| byte as i8));
        self.0.push(i8::from(row.aside));
    }

    #[inline(always)]
    fn bytes(&self, within: usize, dim: usize) -> &[i8] {
        &self.0[within * (dim + ROW_REST)..(within + 1) * (dim + ROW_REST)]
    }

    /// The values of a row, its scale, and whether it is an aside.
    #[inline(always)]
    fn row(&self, within: usize, dim: usize) -> (&[i8], f32, bool) {
        let (values, rest) = self.bytes(within, dim).split_at(dim);
        (values, f32::from_le_bytes([rest[0], rest[1], rest[2], rest[3]].map(|byte| byte as u8)), rest[4] != 0)
    }
}

#[derive(Clone, Debug)]
pub struct Vectors {
    dim: usize,
    blocks: Vec<Arc<VectorBlock>>,
    glance: Glance,
    len: usize,
}

impl Vectors {
    pub fn new(dim: usize) -> Vectors {
        Vectors { dim, blocks: Vec::new(), glance: Glance::default(), len: 0 }
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
            block.push(row);
            self.len += 1;
            if self.len.is_multiple_of(BLOCK) {
                block.0.shrink_to_fit();
            }
            self.glance.push(owner, &row.values);
        }
        first
    }

    pub fn row(&self, at: u32) -> Row {
        let (block, within) = (&self.blocks[at as usize / BLOCK], at as usize % BLOCK);
        let (values, scale, aside) = block.row(within, self.dim);
        Row { values: values.to_vec(), scale, aside }
    }

    /// A row will be looked at in a moment.
    #[inline(always)]
    fn send_for(&self, row: u32) {
        let bytes = self.blocks[row as usize / BLOCK].bytes(row as usize % BLOCK, self.dim);
        let mut at = 0;
        while at < bytes.len() {
            heap::send_for(&bytes[at]);
            at += LINE;
        }
    }

    /// The best passage of these will be asked for in a moment.
    pub(super) fn send_for_all(&self, first: u32, rows: u16) {
        (first..first + u32::from(rows)).for_each(|row| self.send_for(row));
    }

    /// The best passage among `rows` that stand one after the other: its likeness, discount included.
    pub fn best(&self, question: &Question, first: u32, rows: u16) -> Option<f32> {
        let rows = first as usize..self.len.min(first as usize + rows as usize);
        Arch::new().dispatch(Best { vectors: self, question, rows })
    }

    /// The `most` best memories for a question among those that `admits` lets in, best first, each by its best
    /// passage. Ties are left to the caller: all that tie with the last are there.
    pub fn nearest(
        &self,
        question: &Question,
        most: usize,
        admits: impl Fn(Number) -> bool + Sync,
    ) -> Vec<(Number, f32)> {
        if self.len == 0 || most == 0 || question.values.len() != self.dim {
            return Vec::new();
        }
        let enough = SHORTLIST.max(8 * most);
        let rows = match self.len {
            0..=SMALL => None,
            _ => self.glance.shortlist(&question.tables, enough, SMALL, &admits),
        };
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
        let mut row = 0;
        for owners in self.vectors.glance.owners() {
            for owner in owners {
                let (block, within) = (row / BLOCK, row % BLOCK);
                row += 1;
                let is_first = current.is_none_or(|(known, _)| known != *owner);
                if is_first {
                    current = Some((*owner, (self.admits)(*owner)));
                }
                if current.is_some_and(|(_, admitted)| admitted) {
                    let block = &self.vectors.blocks[block];
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
    rows: &'a [Found],
}

impl WithSimd for Chosen<'_> {
    type Output = Vec<(Number, f32)>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let mut found: Vec<(Number, f32)> = Vec::with_capacity(self.rows.len());
        self.rows.iter().take(AHEAD).for_each(|found| self.vectors.send_for(found.row));
        for (at, Found { row, owner }) in self.rows.iter().enumerate() {
            if let Some(soon) = self.rows.get(at + AHEAD) {
                self.vectors.send_for(soon.row);
            }
            let (block, within) = (&self.vectors.blocks[*row as usize / BLOCK], *row as usize % BLOCK);
            let is_first = found.last().is_none_or(|last| last.0 != *owner);
            take(&mut found, *owner, likeness(block, within, self.vectors.dim, self.question), is_first);
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
fn likeness(block: &VectorBlock, within: usize, dim: usize, question: &Question) -> f32 {
    let (values, scale, aside) = block.row(within, dim);
    let likeness = dot(values, &question.values) as f32 * (scale * question.scale);
    if aside { likeness - ASIDE_DISCOUNT } else { likeness }
}

/// A plain loop: the sum of an iterator is a function of its own, which is compiled without the wide registers.
#[inline(always)]
fn dot(row: &[i8], question: &[i16]) -> i32 {
    let (row, question) = (&row[..question.len()], question);
    let (mut sum, mut at) = (0, 0);
    while at < question.len() {
        sum += i32::from(row[at]) * i32::from(question[at]);
        at += 1;
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

    /// Rows around a few directions, as texts are around topics; always the same.
    fn scattered(count: usize, dim: usize) -> Vec<Vec<f32>> {
        let mut state = 7_u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        let topics: Vec<Vec<f32>> = (0..40).map(|_| (0..dim).map(|_| next()).collect()).collect();
        (0..count).map(|at| topics[at % 40].iter().map(|value| value + next()).collect()).collect()
    }

    #[test]
    fn a_large_set_finds_what_comparing_all_finds_whatever_a_filter_leaves_out() {
        let rows = scattered(3 * SMALL, 32);
        let mut vectors = Vectors::new(32);
        for (at, row) in rows.iter().enumerate() {
            vectors.push(at as Number, &[Row::of(row, false)]);
        }
        for one_in in [1, 2, 50, 5_000] {
            let admits = |number: Number| number.wrapping_mul(2_654_435_761).rotate_right(12).is_multiple_of(one_in);
            let (mut right, mut all) = (0, 0);
            for row in rows.iter().step_by(4_001) {
                let question = Question::of(row).unwrap();
                let mut exact = Arch::new().dispatch(All { vectors: &vectors, question: &question, admits: &admits });
                exact.sort_by(|a, b| b.1.total_cmp(&a.1));
                exact.truncate(10);
                let found = vectors.nearest(&question, 10, admits);
                assert!(found.iter().all(|(number, _)| admits(*number)));
                right += exact.iter().filter(|entry| found.contains(entry)).count();
                all += exact.len();
            }
            assert!(all > 0 && right * 100 >= all * 98, "one in {one_in}: {right} of {all}");
        }
    }

    #[test]
    fn a_large_set_answers_the_same_in_whatever_order_it_came_and_whoever_is_gone() {
        let rows = scattered(2 * SMALL, 32);
        let (mut one, mut other) = (Vectors::new(32), Vectors::new(32));
        for (at, row) in rows.iter().enumerate() {
            one.push(at as Number, &[Row::of(row, false)]);
        }
        // Backwards, and with some who are gone among them.
        for at in (0..rows.len()).rev() {
            other.push(at as Number, &[Row::of(&rows[at], false)]);
            if at % 3 == 0 {
                other.push(Number::MAX, &[Row::of(&rows[(at + 1) % rows.len()], false)]);
            }
        }
        for row in rows.iter().step_by(1_999) {
            let question = Question::of(row).unwrap();
            let found = one.nearest(&question, 50, |_| true);
            assert_eq!(found, other.nearest(&question, 50, |number| number != Number::MAX));
        }
    }

    #[test]
    fn many_copies_of_one_row_do_not_hide_the_others() {
        let rows = scattered(2 * SMALL, 32);
        let mut vectors = Vectors::new(32);
        for (at, row) in rows.iter().enumerate() {
            vectors.push(at as Number, &[Row::of(if at % 8 == 0 { &rows[0] } else { row }, false)]);
        }
        let found = vectors.nearest(&Question::of(&rows[40 * 9 + 1]).unwrap(), 5, |_| true);
        assert_eq!(found[0].0, 40 * 9 + 1);
    }
}
