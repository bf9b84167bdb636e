//! The same with registers of 32 and of 64 bytes. Bytes become numbers of two, pairs of which are multiplied and added in
//! one step; where the machine can also add to the sum in that step, the compiler sees to it. A register holds the same
//! pair of many rows of the weights, so that each sum stays in its own place and nothing is added up across.

use std::arch::x86_64::{__m128i, __m256i, __m512i};

use pulp::bytemuck::{Pod, Zeroable, cast_slice};
use pulp::x86::V3;

use super::Factors;

pulp::simd_type! {
    /// Registers of 64 bytes, with a step that multiplies, adds and adds up.
    struct Wide {
        sse: "sse",
        sse2: "sse2",
        avx: "avx",
        avx2: "avx2",
        avx512f: "avx512f",
        avx512bw: "avx512bw",
        avx512vnni: "avx512vnni",
    }
}

/// Answers whether it could.
pub(super) fn products(of: &Factors<'_>, values: &mut [f32]) -> bool {
    with_avx512(of, values) || with_avx2(of, values)
}

pub(super) fn with_avx512(of: &Factors<'_>, values: &mut [f32]) -> bool {
    let Some(simd) = Wide::try_new().filter(|_| fits::<16>(of, values)) else { return false };
    simd.vectorize(Product { simd, of, values });
    true
}

pub(super) fn with_avx2(of: &Factors<'_>, values: &mut [f32]) -> bool {
    let Some(simd) = V3::try_new().filter(|_| fits::<8>(of, values)) else { return false };
    simd.vectorize(Product { simd, of, values });
    true
}

/// Not where rows do not fill registers: too small, or of no model that is known.
fn fits<const N: usize>(of: &Factors<'_>, values: &[f32]) -> bool {
    let (rows, texts) = (of.outputs.len(), of.scales.len());
    of.width.is_multiple_of(2 * N) && rows.is_multiple_of(2 * N) && values.len() == rows * texts
}

struct Product<'a, S> {
    simd: S,
    of: &'a Factors<'a>,
    values: &'a mut [f32],
}

// As many sums are kept at once as there are registers for.

impl pulp::NullaryFnOnce for Product<'_, Wide> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        multiply::<Wide, 16, 8>(self.simd, self.of, self.values);
    }
}

impl pulp::NullaryFnOnce for Product<'_, V3> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        multiply::<V3, 8, 4>(self.simd, self.of, self.values);
    }
}

/// What registers of `N` sums can do.
trait Registers<const N: usize>: Copy {
    type Of: Pod;

    /// Pairs of bytes as pairs of numbers of two, the first 2 `N` of these.
    fn widen(self, bytes: &[u8]) -> Self::Of;
    /// Those of the one and of the other by turns.
    fn zip(self, one: Self::Of, other: Self::Of) -> [Self::Of; 2];
    /// The sums, and each pair times the same one.
    fn add(self, sums: Self::Of, pairs: Self::Of, with: [i16; 2]) -> Self::Of;
}

// Plain loops over places, inlined to the last call: what is called is compiled without the wide registers.

/// Twice `N` rows of the weights with `T` inputs at a time. Where fewer are left the last one is multiplied again.
#[inline(always)]
fn multiply<S: Registers<N>, const N: usize, const T: usize>(simd: S, of: &Factors<'_>, values: &mut [f32]) {
    let (rows, texts, pairs) = (of.outputs.len(), of.scales.len(), of.width / 2);
    let (inputs, _) = of.inputs.as_chunks::<2>();
    let mut turned = vec![[S::Of::zeroed(); 2]; pairs];
    let mut row = 0;
    while row < rows {
        let mut half = 0;
        while half < 2 {
            let weights = &of.weights[(row + half * N) * of.width..][..N * of.width];
            let mut pair = 0;
            while pair < pairs {
                let block = turn::<S, N>(simd, weights, of.width, pair);
                let mut at = 0;
                while at < N {
                    turned[pair + at][half] = block[at];
                    at += 1;
                }
                pair += N;
            }
            half += 1;
        }
        let mut text = 0;
        while text < texts {
            let mut from = [inputs; T];
            let mut with = 0;
            while with < T {
                from[with] = &inputs[(text + with).min(texts - 1) * pairs..][..pairs];
                with += 1;
            }
            let mut sums = [[S::Of::zeroed(); 2]; T];
            let mut pair = 0;
            while pair < pairs {
                let [one, other] = turned[pair];
                let mut with = 0;
                while with < T {
                    let input = from[with][pair];
                    sums[with] = [simd.add(sums[with][0], one, input), simd.add(sums[with][1], other, input)];
                    with += 1;
                }
                pair += 1;
            }
            let mut with = 0;
            while with < T && text + with < texts {
                let mut half = 0;
                while half < 2 {
                    let first = row + half * N;
                    let (outputs, bias) = (&of.outputs[first..first + N], &of.bias[first..first + N]);
                    let values = &mut values[(text + with) * rows + first..][..N];
                    let sums = [sums[with][half]];
                    let sums: &[i32] = cast_slice(&sums);
                    let mut at = 0;
                    while at < N {
                        values[at] = sums[at] as f32 * (of.scales[text + with] * outputs[at]) + bias[at];
                        at += 1;
                    }
                    half += 1;
                }
                with += 1;
            }
            text += T;
        }
        row += 2 * N;
    }
}

/// `N` pairs of each of `N` rows, from one on: a register for each pair. Rows of the one half and of the other by turns, as
/// often as halves can be halved, and every place has become a row.
#[inline(always)]
fn turn<S: Registers<N>, const N: usize>(simd: S, weights: &[u8], width: usize, pair: usize) -> [S::Of; N] {
    let mut block = [S::Of::zeroed(); N];
    let mut row = 0;
    while row < N {
        block[row] = simd.widen(&weights[row * width + 2 * pair..][..2 * N]);
        row += 1;
    }
    let mut turns = 1;
    while turns < N {
        let before = block;
        let mut at = 0;
        while at < N / 2 {
            [block[2 * at], block[2 * at + 1]] = simd.zip(before[at], before[at + N / 2]);
            at += 1;
        }
        turns *= 2;
    }
    block
}

impl Registers<16> for Wide {
    type Of = __m512i;

    #[inline(always)]
    fn widen(self, bytes: &[u8]) -> __m512i {
        let bytes: __m256i = pulp::cast(bytes.as_chunks::<32>().0[0]);
        self.avx512bw._mm512_cvtepi8_epi16(bytes)
    }

    #[inline(always)]
    fn zip(self, one: __m512i, other: __m512i) -> [__m512i; 2] {
        let low: __m512i = pulp::cast([0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23]);
        let high: __m512i = pulp::cast([8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31]);
        let avx512 = self.avx512f;
        [avx512._mm512_permutex2var_epi32(one, low, other), avx512._mm512_permutex2var_epi32(one, high, other)]
    }

    #[inline(always)]
    fn add(self, sums: __m512i, pairs: __m512i, with: [i16; 2]) -> __m512i {
        let with = self.avx512f._mm512_set1_epi32(pulp::cast(with));
        self.avx512f._mm512_add_epi32(sums, self.avx512bw._mm512_madd_epi16(pairs, with))
    }
}

impl Registers<8> for V3 {
    type Of = __m256i;

    #[inline(always)]
    fn widen(self, bytes: &[u8]) -> __m256i {
        let bytes: __m128i = pulp::cast(bytes.as_chunks::<16>().0[0]);
        self.avx2._mm256_cvtepi8_epi16(bytes)
    }

    #[inline(always)]
    fn zip(self, one: __m256i, other: __m256i) -> [__m256i; 2] {
        let avx2 = self.avx2;
        let (low, high) = (avx2._mm256_unpacklo_epi32(one, other), avx2._mm256_unpackhi_epi32(one, other));
        [avx2._mm256_permute2x128_si256::<0x20>(low, high), avx2._mm256_permute2x128_si256::<0x31>(low, high)]
    }

    #[inline(always)]
    fn add(self, sums: __m256i, pairs: __m256i, with: [i16; 2]) -> __m256i {
        let with = self.avx._mm256_set1_epi32(pulp::cast(with));
        self.avx2._mm256_add_epi32(sums, self.avx2._mm256_madd_epi16(pairs, with))
    }
}
