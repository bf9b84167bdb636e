//! One bit a dimension of every vector, and an estimate of how close each is to a question from these bits alone.
//!
//! The dimensions are mixed first (signs flipped by a fixed pattern, then a Hadamard transform), so that every bit says
//! about as much as any other. An estimate is the sum of what the question holds in each dimension, for or against by
//! the bit. Four bits at a time are looked up in a table of sixteen sums made for the question; rows stand in groups of
//! thirty-two, so that one instruction looks up for all of them, and only those above a bar leave the registers.
//! Integers only: the same on every machine.

/// Dimensions that are mixed with each other: 256 sums of eight-bit values still fit into sixteen.
const MIXED: usize = 256;
/// Rows that are looked up together.
pub(super) const GROUP: usize = 32;
/// The largest sum in a table: four of them still fit into eight bits, and those of 2,048 dimensions into fifteen.
const LARGEST: i64 = 63;
/// Tables that are summed in eight bits before the sum is widened; their number is a multiple of it.
const IN_A_ROW: usize = 8;
/// Groups that are sent for ahead of the one that is looked at: two pages of memory, at whose ends the processor would
/// have to find out anew that the next one is read as well.
const AHEAD: usize = 8;
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
        let (place, shift) = place(within);
        for (four, values) in mixed.chunks(4).enumerate() {
            let code = values.iter().rev().fold(0, |code, value| code << 1 | u8::from(*value >= 0));
            self.bytes[group * size + four * GROUP / 2 + place] |= code << shift;
        }
    }

    /// No more rows are coming.
    pub(super) fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
    }
}

/// Where in the sixteen bytes of its group a row stands, and in which half of the byte: as the wide registers come to
/// have the sums in the order of the rows.
fn place(within: usize) -> (usize, usize) {
    let (half, within) = (within / 16, within % 16);
    (within % 8 * 2 + within / 8, half * 4)
}

/// A row with its estimate, larger is closer.
pub(super) type Estimate = (u32, i16);

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

    /// The rows whose estimate is no less than `least`, in their order. They are written into `room`, which must have
    /// place for all rows and a group more.
    pub(super) fn at_least<'a>(&self, least: i16, sketches: &Sketches, room: &'a mut [Estimate]) -> &'a [Estimate] {
        let mut count = self.look_up(&sketches.bytes, least, room);
        while count > 0 && room[count - 1].0 as usize >= sketches.rows {
            count -= 1;
        }
        &room[..count]
    }

    #[cfg(target_arch = "x86_64")]
    fn look_up(&self, groups: &[u8], least: i16, room: &mut [Estimate]) -> usize {
        match pulp::x86::V3::try_new() {
            Some(simd) => simd.vectorize(wide::LookUp { simd, tables: &self.0, groups, least, room }),
            None => one_by_one(&self.0, groups, least, room),
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn look_up(&self, groups: &[u8], least: i16, room: &mut [Estimate]) -> usize {
        one_by_one(&self.0, groups, least, room)
    }
}

fn one_by_one(tables: &[[u8; 16]], groups: &[u8], least: i16, room: &mut [Estimate]) -> usize {
    let mut count = 0;
    for (group, bytes) in groups.chunks_exact(tables.len() * GROUP / 2).enumerate() {
        // By the byte that holds them, the low halves first.
        let mut sums = [0_i16; GROUP];
        for (table, codes) in tables.iter().zip(bytes.as_chunks::<{ GROUP / 2 }>().0) {
            let (low, high) = sums.split_at_mut(GROUP / 2);
            for ((code, one), other) in codes.iter().zip(low).zip(high) {
                *one += i16::from(table[usize::from(code & 15)]);
                *other += i16::from(table[usize::from(code >> 4)]);
            }
        }
        for within in 0..GROUP {
            let (byte, shift) = place(within);
            let sum = sums[byte + shift * (GROUP / 8)];
            if sum >= least {
                room[count] = ((group * GROUP + within) as u32, sum);
                count += 1;
            }
        }
    }
    count
}

/// The same with registers of 32 bytes, whose halves look up in one table and in the next.
#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::__m256i;

    use pulp::x86::V3;

    use super::{AHEAD, Estimate, GROUP, IN_A_ROW};
    use lokid_sys::heap;

    /// How much of memory comes in one piece.
    const LINE: usize = 64;

    pub(super) struct LookUp<'a> {
        pub(super) simd: V3,
        pub(super) tables: &'a [[u8; 16]],
        pub(super) groups: &'a [u8],
        pub(super) least: i16,
        pub(super) room: &'a mut [Estimate],
    }

    impl pulp::NullaryFnOnce for LookUp<'_> {
        type Output = usize;

        // Plain loops over places, inlined to the last call: what is called is compiled without the wide registers.
        #[inline(always)]
        fn call(self) -> usize {
            let (avx, avx2) = (self.simd.avx, self.simd.avx2);
            let low_half = avx._mm256_set1_epi8(15);
            let low_byte = avx._mm256_set1_epi16(255);
            let below = avx._mm256_set1_epi16(self.least.saturating_sub(1));
            let (tables, _) = self.tables.as_chunks::<IN_A_ROW>();
            let (codes, _) = self.groups.as_chunks::<{ IN_A_ROW * GROUP / 2 }>();
            let (mut group, mut count) = (0, 0);
            while !tables.is_empty() && self.room.len() >= count + GROUP && (group + 1) * tables.len() <= codes.len() {
                let mut soon = (group + AHEAD) * tables.len();
                while soon < codes.len().min((group + AHEAD + 1) * tables.len()) {
                    heap::send_for(&codes[soon][0]);
                    heap::send_for(&codes[soon][LINE]);
                    soon += 1;
                }
                let codes = &codes[group * tables.len()..(group + 1) * tables.len()];
                // The low halves of even bytes, of odd bytes; the high halves of even bytes, of odd bytes.
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
                // Lower and upper halves are of the same rows.
                let one = avx2._mm256_add_epi16(
                    avx2._mm256_permute2x128_si256::<0x20>(sums[0], sums[1]),
                    avx2._mm256_permute2x128_si256::<0x31>(sums[0], sums[1]),
                );
                let other = avx2._mm256_add_epi16(
                    avx2._mm256_permute2x128_si256::<0x20>(sums[2], sums[3]),
                    avx2._mm256_permute2x128_si256::<0x31>(sums[2], sums[3]),
                );
                let near =
                    avx2._mm256_packs_epi16(avx2._mm256_cmpgt_epi16(one, below), avx2._mm256_cmpgt_epi16(other, below));
                let near = avx2._mm256_permute4x64_epi64::<0b11_01_10_00>(near);
                let mut bits = avx2._mm256_movemask_epi8(near) as u32;
                let sums: [i16; GROUP] = pulp::cast([one, other]);
                while bits != 0 {
                    let within = bits.trailing_zeros() as usize % GROUP;
                    self.room[count] = ((group * GROUP + within) as u32, sums[within]);
                    count += 1;
                    bits &= bits - 1;
                }
                group += 1;
            }
            count
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

    fn found(question: &Tables, sketches: &Sketches, least: i16) -> Vec<Estimate> {
        question.at_least(least, sketches, &mut vec![(0, 0); sketches.rows + GROUP]).to_vec()
    }

    fn estimates(question: &Tables, sketches: &Sketches) -> Vec<i16> {
        let found = found(question, sketches, 0);
        assert!(found.iter().enumerate().all(|(at, (row, _))| at == *row as usize));
        found.into_iter().map(|(_, estimate)| estimate).collect()
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
            let estimates = estimates(&question, &sketches(&rows));
            assert_eq!(estimates.len(), 70);
            assert!(estimates.iter().all(|estimate| *estimate <= estimates[3] && *estimate >= estimates[64]), "{dim}");
        }
    }

    #[test]
    fn wide_registers_and_single_steps_agree() {
        let rows: Vec<Vec<i8>> =
            (0..90_usize).map(|row| (0..384).map(|at| (at * (row + 3) * 7 % 255) as i8).collect()).collect();
        let question = Tables::of(&(0..384).map(|at| (at * 91 % 8_191) as i16 - 4_000).collect::<Vec<i16>>());
        let sketches = sketches(&rows);
        for least in [0, 1_600, 2_400, 2_800, i16::MAX] {
            let (mut wide, mut single) = ([(0, 0); 128], [(0, 0); 128]);
            let counts = [
                question.look_up(&sketches.bytes, least, &mut wide),
                one_by_one(&question.0, &sketches.bytes, least, &mut single),
            ];
            assert_eq!((counts[0], wide), (counts[1], single), "{least}");
        }
    }

    #[test]
    fn only_those_at_the_bar_or_above_are_found_and_nobody_who_is_not_there() {
        let rows: Vec<Vec<i8>> =
            (0..50_usize).map(|row| (0..64).map(|at| (at * at * (row + 1) * 31 % 255) as i8).collect()).collect();
        let question = Tables::of(&(0..64).map(|at| (at * 913 % 8_191) as i16 - 4_000).collect::<Vec<i16>>());
        let sketches = sketches(&rows);
        let all = found(&question, &sketches, i16::MIN);
        assert_eq!(all.len(), 50);
        let bar = all[17].1;
        let found = found(&question, &sketches, bar);
        assert_eq!(found, all.iter().copied().filter(|entry| entry.1 >= bar).collect::<Vec<_>>());
        assert!(found.contains(&all[17]) && found.len() < 50);
    }

    #[test]
    fn the_largest_values_do_not_overflow() {
        let question = Tables::of(&[i16::MIN; 2_048]);
        assert!(question.0.len() * LARGEST as usize <= i16::MAX as usize);
        assert_eq!(estimates(&question, &sketches(&[vec![-128; 2_048], vec![127; 2_048]])).len(), 2);
    }
}
