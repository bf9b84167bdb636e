//! The same with registers of 32 and of 64 bytes. Bytes become numbers of two, pairs of which are multiplied and added in
//! one step; where the machine can also add to the sum in that step, the compiler sees to it.

use std::arch::x86_64::{__m128, __m128i, __m256i, __m512i};

use pulp::x86::V3;

use super::{BLOCK, Factors};

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
    let Some((simd, job)) = Wide::try_new().zip(Job::new(of, values, 32)) else { return false };
    simd.vectorize(Product { simd, job });
    true
}

pub(super) fn with_avx2(of: &Factors<'_>, values: &mut [f32]) -> bool {
    let Some((simd, job)) = V3::try_new().zip(Job::new(of, values, 16)) else { return false };
    simd.vectorize(Product { simd, job });
    true
}

struct Job<'a> {
    of: &'a Factors<'a>,
    values: &'a mut [f32],
    rows: usize,
    texts: usize,
    /// Registers in a row.
    steps: usize,
}

impl<'a> Job<'a> {
    /// Nothing where rows do not fill registers and blocks: too small, or of no model that is known.
    fn new(of: &'a Factors<'a>, values: &'a mut [f32], lanes: usize) -> Option<Job<'a>> {
        let (rows, texts) = (of.outputs.len(), of.scales.len());
        let fits = of.width.is_multiple_of(lanes) && rows.is_multiple_of(BLOCK) && texts >= BLOCK;
        (fits && values.len() == rows * texts).then_some(Job { of, values, rows, texts, steps: of.width / lanes })
    }

    /// Four sums of one input, as what they are worth.
    #[inline(always)]
    fn set(&mut self, text: usize, row: usize, sums: [i32; BLOCK]) {
        let scale = self.of.scales[text];
        let (outputs, bias) = (&self.of.outputs[row..row + BLOCK], &self.of.bias[row..row + BLOCK]);
        let values = &mut self.values[text * self.rows + row..][..BLOCK];
        let mut at = 0;
        while at < BLOCK {
            values[at] = sums[at] as f32 * (scale * outputs[at]) + bias[at];
            at += 1;
        }
    }
}

/// A block of rows, each of so many steps.
#[inline(always)]
fn rows_of<T>(all: &[T], first: usize, steps: usize) -> [&[T]; BLOCK] {
    let rows = &all[first * steps..(first + BLOCK) * steps];
    [&rows[..steps], &rows[steps..][..steps], &rows[2 * steps..][..steps], &rows[3 * steps..][..steps]]
}

struct Product<'a, S> {
    simd: S,
    job: Job<'a>,
}

// The sums of an input lie side by side, so inputs are the outer loop: written the other way round they would fall on few
// places of the cache. Plain loops over places, inlined to the last call: what is called is compiled without the wide registers. The last
// block of inputs begins early enough to be a whole one, and what it multiplies again comes to the same.

impl pulp::NullaryFnOnce for Product<'_, Wide> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let (sse, sse2, avx, avx2) = (self.simd.sse, self.simd.sse2, self.simd.avx, self.simd.avx2);
        let (avx512, words) = (self.simd.avx512f, self.simd.avx512bw);
        let Job { rows, texts, steps, .. } = self.job;
        let (weights, _) = self.job.of.weights.as_chunks::<32>();
        let (inputs, _) = self.job.of.inputs.as_chunks::<32>();
        let mut text = 0;
        while text < texts {
            let first = if text + BLOCK <= texts { text } else { texts - BLOCK };
            let inputs = rows_of(inputs, first, steps);
            let mut row = 0;
            while row < rows {
                let weights = rows_of(weights, row, steps);
                let outputs: __m128 = pulp::cast(self.job.of.outputs.as_chunks::<BLOCK>().0[row / BLOCK]);
                let bias: __m128 = pulp::cast(self.job.of.bias.as_chunks::<BLOCK>().0[row / BLOCK]);
                let mut found = [[avx512._mm512_setzero_si512(); BLOCK]; BLOCK];
                let mut step = 0;
                while step < steps {
                    let mut many = [avx512._mm512_setzero_si512(); BLOCK];
                    let mut of = 0;
                    while of < BLOCK {
                        let bytes: __m256i = pulp::cast(weights[of][step]);
                        many[of] = words._mm512_cvtepi8_epi16(bytes);
                        of += 1;
                    }
                    let mut with = 0;
                    while with < BLOCK {
                        let input: __m512i = pulp::cast(inputs[with][step]);
                        let mut of = 0;
                        while of < BLOCK {
                            let product = words._mm512_madd_epi16(many[of], input);
                            found[with][of] = avx512._mm512_add_epi32(found[with][of], product);
                            of += 1;
                        }
                        with += 1;
                    }
                    step += 1;
                }
                let mut with = 0;
                while with < BLOCK {
                    let mut halves = [avx._mm256_setzero_si256(); BLOCK];
                    let mut of = 0;
                    while of < BLOCK {
                        let [low, high]: [__m256i; 2] = pulp::cast(found[with][of]);
                        halves[of] = avx2._mm256_add_epi32(low, high);
                        of += 1;
                    }
                    let pairs =
                        [avx2._mm256_hadd_epi32(halves[0], halves[1]), avx2._mm256_hadd_epi32(halves[2], halves[3])];
                    let [low, high]: [__m128i; 2] = pulp::cast(avx2._mm256_hadd_epi32(pairs[0], pairs[1]));
                    let sums = sse2._mm_cvtepi32_ps(sse2._mm_add_epi32(low, high));
                    let scales = sse._mm_mul_ps(sse._mm_set1_ps(self.job.of.scales[first + with]), outputs);
                    let values = sse._mm_add_ps(sse._mm_mul_ps(sums, scales), bias);
                    self.job.values.as_chunks_mut::<BLOCK>().0[((first + with) * rows + row) / BLOCK] =
                        pulp::cast(values);
                    with += 1;
                }
                row += BLOCK;
            }
            text += BLOCK;
        }
    }
}

impl pulp::NullaryFnOnce for Product<'_, V3> {
    type Output = ();

    #[inline(always)]
    fn call(mut self) {
        let (avx, avx2) = (self.simd.avx, self.simd.avx2);
        let Job { rows, texts, steps, .. } = self.job;
        let (weights, _) = self.job.of.weights.as_chunks::<16>();
        let (inputs, _) = self.job.of.inputs.as_chunks::<16>();
        // Of sixteen registers, eight hold sums: half of a block at a time.
        const FEW: usize = BLOCK / 2;
        let mut text = 0;
        while text < texts {
            let first = if text + BLOCK <= texts { text } else { texts - BLOCK };
            let inputs = rows_of(inputs, first, steps);
            let mut row = 0;
            while row < rows {
                let weights = rows_of(weights, row, steps);
                let mut block = [[0; BLOCK]; BLOCK];
                let mut half = 0;
                while half < BLOCK {
                    let mut found = [[avx._mm256_setzero_si256(); BLOCK]; FEW];
                    let mut step = 0;
                    while step < steps {
                        let mut of = 0;
                        while of < FEW {
                            let bytes: __m128i = pulp::cast(weights[half + of][step]);
                            let many = avx2._mm256_cvtepi8_epi16(bytes);
                            let mut with = 0;
                            while with < BLOCK {
                                let input: __m256i = pulp::cast(inputs[with][step]);
                                let product = avx2._mm256_madd_epi16(many, input);
                                found[of][with] = avx2._mm256_add_epi32(found[of][with], product);
                                with += 1;
                            }
                            of += 1;
                        }
                        step += 1;
                    }
                    let mut of = 0;
                    while of < FEW {
                        let pairs = [
                            avx2._mm256_hadd_epi32(found[of][0], found[of][1]),
                            avx2._mm256_hadd_epi32(found[of][2], found[of][3]),
                        ];
                        let [low, high]: [[i32; BLOCK]; 2] = pulp::cast(avx2._mm256_hadd_epi32(pairs[0], pairs[1]));
                        let mut with = 0;
                        while with < BLOCK {
                            block[with][half + of] = low[with] + high[with];
                            with += 1;
                        }
                        of += 1;
                    }
                    half += FEW;
                }
                let mut with = 0;
                while with < BLOCK {
                    self.job.set(first + with, row, block[with]);
                    with += 1;
                }
                row += BLOCK;
            }
            text += BLOCK;
        }
    }
}
