//! One bit a dimension of every vector, and an estimate of how close each is to a question from these bits alone.
//!
//! The dimensions are mixed first (signs flipped by a fixed pattern, then a Hadamard transform), so that every bit says
//! about as much as any other. An estimate is the sum of what the question holds in each dimension, for or against by
//! the bit. Four bits at a time are looked up in a table of sixteen sums made for the question; rows stand in groups of
//! thirty-two, so that one instruction looks up for all of them. Integers only: the same on every machine.

/// Dimensions that are mixed with each other: 256 sums of eight-bit values still fit into sixteen.
const MIXED: usize = 256;
/// Rows that are looked up together.
pub(super) const GROUP: usize = 32;
/// The largest sum in a table: four of them still fit into eight bits, and those of 2,048 dimensions into fifteen.
const LARGEST: i64 = 63;
/// Tables that are summed in eight bits before the sum is widened; their number is a multiple of it.
const IN_A_ROW: usize = 8;

/// The bits of many rows: for each group, for each four dimensions, sixteen bytes; the low half of a byte belongs to
/// one of the first sixteen rows, the high half to one of the others.
#[derive(Clone, Debug, Default)]
pub(super) struct Sketches {
    bytes: Vec<u8>,
    rows: usize,
}

impl Sketches {
    pub(super) fn push(&mut self, row: &[i8]) {
        let mut mixed: Vec<i16> = row.iter().map(|value| i16::from(*value)).collect();
        mix(&mut mixed, i16::wrapping_neg, |a, b| (a.wrapping_add(b), a.wrapping_sub(b)));
        let (group, within) = (self.rows / GROUP, self.rows % GROUP);
        let size = tables(row.len()) * GROUP / 2;
        self.rows += 1;
        self.bytes.resize((group + 1) * size, 0);
        let (place, shift) = (within % (GROUP / 2), if within < GROUP / 2 { 0 } else { 4 });
        for (four, values) in mixed.chunks(4).enumerate() {
            let code = values.iter().rev().fold(0, |code, value| code << 1 | u8::from(*value >= 0));
            self.bytes[group * size + four * GROUP / 2 + place] |= code << shift;
        }
    }
}

/// A question as the estimate needs it: a table for each four dimensions.
#[derive(Clone, Debug)]
pub(super) struct Tables(Vec<[u8; 16]>);

impl Tables {
    pub(super) fn of(question: &[i16]) -> Tables {
        let mut mixed: Vec<i32> = question.iter().map(|value| i32::from(*value)).collect();
        mix(&mut mixed, i32::wrapping_neg, |a, b| (a.wrapping_add(b), a.wrapping_sub(b)));
        let weight = |four: &[i32]| four.iter().map(|value| i64::from(*value).abs()).sum::<i64>();
        let heaviest = mixed.chunks(4).map(weight).max().unwrap_or(0).max(1);
        let table = |four: &[i32]| {
            std::array::from_fn(|code| {
                let signed = |(at, value): (usize, &i32)| i64::from(*value) * if code >> at & 1 == 1 { 1 } else { -1 };
                let sum: i64 = four.iter().enumerate().map(signed).sum();
                ((sum + weight(four)) * LARGEST / (2 * heaviest)) as u8
            })
        };
        let mut all: Vec<[u8; 16]> = mixed.chunks(4).map(table).collect();
        all.resize(tables(question.len()), [0; 16]);
        Tables(all)
    }

    /// No estimate is larger.
    pub(super) fn largest(&self) -> usize {
        self.0.len() * LARGEST as usize
    }

    /// Appends an estimate for each row, larger is closer.
    pub(super) fn estimate(&self, sketches: &Sketches, estimates: &mut Vec<i16>) {
        let start = estimates.len();
        estimates.resize(start + sketches.rows.next_multiple_of(GROUP), 0);
        self.look_up(&sketches.bytes, estimates[start..].as_chunks_mut().0);
        estimates.truncate(start + sketches.rows);
    }

    #[cfg(target_arch = "x86_64")]
    fn look_up(&self, groups: &[u8], estimates: &mut [[i16; GROUP]]) {
        match pulp::x86::V3::try_new() {
            Some(simd) => simd.vectorize(wide::LookUp { simd, tables: &self.0, groups, estimates }),
            None => one_by_one(&self.0, groups, estimates),
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn look_up(&self, groups: &[u8], estimates: &mut [[i16; GROUP]]) {
        one_by_one(&self.0, groups, estimates);
    }
}

fn one_by_one(tables: &[[u8; 16]], groups: &[u8], estimates: &mut [[i16; GROUP]]) {
    for (group, sums) in groups.chunks_exact(tables.len() * GROUP / 2).zip(estimates) {
        *sums = [0; GROUP];
        for (table, codes) in tables.iter().zip(group.as_chunks::<{ GROUP / 2 }>().0) {
            let (first, second) = sums.split_at_mut(GROUP / 2);
            for ((code, one), other) in codes.iter().zip(first).zip(second) {
                *one += i16::from(table[usize::from(code & 15)]);
                *other += i16::from(table[usize::from(code >> 4)]);
            }
        }
    }
}

/// The same with registers of 32 bytes: the lower half looks up in one table, the upper half in the next.
#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::__m256i;

    use pulp::x86::V3;

    use super::{GROUP, IN_A_ROW};

    pub(super) struct LookUp<'a> {
        pub(super) simd: V3,
        pub(super) tables: &'a [[u8; 16]],
        pub(super) groups: &'a [u8],
        pub(super) estimates: &'a mut [[i16; GROUP]],
    }

    impl pulp::NullaryFnOnce for LookUp<'_> {
        type Output = ();

        // Plain loops over places, inlined to the last call: what is called is compiled without the wide registers.
        #[inline(always)]
        fn call(self) {
            let avx = self.simd.avx;
            let avx2 = self.simd.avx2;
            let low_half = avx._mm256_set1_epi8(15);
            let low_byte = avx._mm256_set1_epi16(255);
            let (tables, _) = self.tables.as_chunks::<IN_A_ROW>();
            let (codes, _) = self.groups.as_chunks::<{ IN_A_ROW * GROUP / 2 }>();
            let mut group = 0;
            while group < self.estimates.len() && (group + 1) * tables.len() <= codes.len() {
                let codes = &codes[group * tables.len()..(group + 1) * tables.len()];
                // Rows 0, 2, … 14; rows 1, 3, … 15; and the same of the other sixteen.
                let mut sums = [avx._mm256_setzero_si256(); 4];
                let mut at = 0;
                while at < tables.len() && at < codes.len() {
                    let tables: [__m256i; IN_A_ROW / 2] = pulp::cast(tables[at]);
                    let codes: [__m256i; IN_A_ROW / 2] = pulp::cast(codes[at]);
                    let mut one = avx._mm256_setzero_si256();
                    let mut other = avx._mm256_setzero_si256();
                    let mut pair = 0;
                    while pair < IN_A_ROW / 2 {
                        let low = avx2._mm256_and_si256(codes[pair], low_half);
                        let high = avx2._mm256_and_si256(avx2._mm256_srli_epi16::<4>(codes[pair]), low_half);
                        one = avx2._mm256_add_epi8(one, avx2._mm256_shuffle_epi8(tables[pair], low));
                        other = avx2._mm256_add_epi8(other, avx2._mm256_shuffle_epi8(tables[pair], high));
                        pair += 1;
                    }
                    sums[0] = avx2._mm256_add_epi16(sums[0], avx2._mm256_and_si256(one, low_byte));
                    sums[1] = avx2._mm256_add_epi16(sums[1], avx2._mm256_srli_epi16::<8>(one));
                    sums[2] = avx2._mm256_add_epi16(sums[2], avx2._mm256_and_si256(other, low_byte));
                    sums[3] = avx2._mm256_add_epi16(sums[3], avx2._mm256_srli_epi16::<8>(other));
                    at += 1;
                }
                let sums: [[i16; 16]; 4] = pulp::cast(sums);
                let rows = &mut self.estimates[group];
                let mut row = 0;
                while row < GROUP {
                    let half = &sums[row / 16 * 2 + row % 2];
                    rows[row] = half[row % 16 / 2] + half[row % 16 / 2 + 8];
                    row += 1;
                }
                group += 1;
            }
        }
    }
}

/// How many tables a vector of `dim` dimensions has.
fn tables(dim: usize) -> usize {
    dim.div_ceil(4).next_multiple_of(IN_A_ROW)
}

/// Flips signs by a fixed pattern, then mixes blocks of a power of two by Hadamard's butterflies.
fn mix<T: Copy>(values: &mut [T], negative: impl Fn(T) -> T, butterfly: impl Fn(T, T) -> (T, T)) {
    for (at, value) in values.iter_mut().enumerate() {
        if is_flipped(at as u64) {
            *value = negative(*value);
        }
    }
    let mut rest = values;
    while !rest.is_empty() {
        let size = (1 << rest.len().ilog2()).min(MIXED);
        let (block, behind) = rest.split_at_mut(size);
        let mut half = 1;
        while half < size {
            for pair in block.chunks_exact_mut(2 * half) {
                let (ones, others) = pair.split_at_mut(half);
                for (one, other) in ones.iter_mut().zip(others) {
                    (*one, *other) = butterfly(*one, *other);
                }
            }
            half *= 2;
        }
        rest = behind;
    }
}

/// A coin for every dimension, always the same (the finaliser of SplitMix64).
fn is_flipped(at: u64) -> bool {
    let mut mixed = at.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sketches(rows: &[Vec<i8>]) -> Sketches {
        let mut sketches = Sketches::default();
        rows.iter().for_each(|row| sketches.push(row));
        sketches
    }

    #[test]
    fn a_copy_comes_before_strangers_and_its_opposite_last() {
        for dim in [256_usize, 384, 100, 3] {
            let row: Vec<i8> = (0..dim).map(|at| ((at * 37 + 11) % 201) as i8).collect();
            let opposite: Vec<i8> = row.iter().map(|value| value.saturating_neg()).collect();
            let stranger =
                |seed: usize| (0..dim).map(|at| ((at * at * 13 + seed * 7 + at * seed) % 251) as i8).collect();
            let mut rows: Vec<Vec<i8>> = (0..70).map(stranger).collect();
            rows[3] = row.clone();
            rows[64] = opposite;
            let question = Tables::of(&row.iter().map(|value| i16::from(*value) * 64).collect::<Vec<_>>());
            let mut estimates = vec![7];
            question.estimate(&sketches(&rows), &mut estimates);
            assert_eq!((estimates.len(), estimates[0]), (71, 7));
            let estimates = &estimates[1..];
            assert!(estimates.iter().all(|estimate| *estimate <= estimates[3] && *estimate >= estimates[64]), "{dim}");
        }
    }

    #[test]
    fn wide_registers_and_single_steps_agree() {
        let rows: Vec<Vec<i8>> = (0..64_usize).map(|row| (0..384).map(|at| (at * row % 255) as i8).collect()).collect();
        let question = Tables::of(&(0..384).map(|at| (at * 91 % 8_191) as i16 - 4_000).collect::<Vec<i16>>());
        let sketches = sketches(&rows);
        let (mut wide, mut single) = ([[0; GROUP]; 2], [[0; GROUP]; 2]);
        question.look_up(&sketches.bytes, &mut wide);
        one_by_one(&question.0, &sketches.bytes, &mut single);
        assert_eq!(wide, single);
    }

    #[test]
    fn the_largest_values_do_not_overflow() {
        let mut estimates = Vec::new();
        Tables::of(&[i16::MIN; 2_048]).estimate(&sketches(&[vec![-128; 2_048], vec![127; 2_048]]), &mut estimates);
        assert_eq!(estimates.len(), 2);
    }
}
