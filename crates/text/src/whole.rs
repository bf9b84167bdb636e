//! Products of whole numbers: a matrix of bytes, as it lies in the file, with rows of short numbers. Exact, so that every
//! machine comes to the same sums; `pulp` chooses the widest registers there are, and a plain loop stands in elsewhere.

#[cfg(target_arch = "x86_64")]
mod wide;

/// Larger than this no number of a row of `width` may be, or a sum might not fit.
pub(super) fn most(width: usize) -> f32 {
    let fits = i32::MAX as usize / (128 * width.max(1));
    fits.min(i16::MAX as usize) as f32
}

/// What is multiplied, row by row, each row of `width`.
pub(super) struct Factors<'a> {
    pub(super) weights: &'a [u8],
    pub(super) inputs: &'a [i16],
    pub(super) width: usize,
    /// What a one is worth in each row of the inputs, and of the weights.
    pub(super) scales: &'a [f32],
    pub(super) outputs: &'a [f32],
    /// What is added to the products with each row of the weights.
    pub(super) bias: &'a [f32],
}

/// Every row of the inputs times every row of the weights, the products of an input side by side.
pub(super) fn products(of: &Factors<'_>, values: &mut [f32]) {
    #[cfg(target_arch = "x86_64")]
    if wide::products(of, values) {
        return;
    }
    plain(of, values);
}

fn plain(of: &Factors<'_>, values: &mut [f32]) {
    let inputs = of.inputs.chunks_exact(of.width).zip(of.scales);
    for ((input, scale), values) in inputs.zip(values.chunks_exact_mut(of.outputs.len())) {
        let weights = of.weights.chunks_exact(of.width).zip(of.outputs).zip(of.bias);
        for (((weights, output), bias), value) in weights.zip(values) {
            let products =
                input.iter().zip(weights).map(|(input, weight)| i32::from(*input) * i32::from(*weight as i8));
            *value = products.sum::<i32>() as f32 * (scale * output) + bias;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look like none in particular.
    fn numbers(many: usize, seed: u64) -> impl Iterator<Item = u64> {
        (0..many as u64).map(move |at| (at + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40)
    }

    #[test]
    fn every_way_comes_to_the_same_values() {
        for (rows, width, texts) in [(16, 32, 4), (32, 384, 11), (384, 1536, 5), (6, 64, 9), (32, 33, 4), (64, 64, 1)] {
            let largest = most(width) as u64;
            let weights: Vec<u8> = numbers(rows * width, 1).map(|number| number as u8).collect();
            let span = |number: u64| ((number % (2 * largest + 1)) as i64 - largest as i64) as i16;
            let inputs: Vec<i16> = numbers(texts * width, 7).map(span).collect();
            let part =
                |many: usize, seed: u64| numbers(many, seed).map(|number| number as f32 / 1e6).collect::<Vec<_>>();
            let (scales, outputs, bias) = (part(texts, 2), part(rows, 3), part(rows, 4));
            let (weights, inputs, scales, outputs, bias) = (&*weights, &*inputs, &*scales, &*outputs, &*bias);
            let of = Factors { weights, inputs, width, scales, outputs, bias };
            let mut expect = vec![0.0; rows * texts];
            plain(&of, &mut expect);
            let check = |way: &dyn Fn(&mut [f32]) -> bool| {
                let mut found = vec![0.0; rows * texts];
                assert!(!way(&mut found) || found == expect, "{rows} rows of {width}, {texts} texts");
            };
            check(&|values| {
                products(&of, values);
                true
            });
            #[cfg(target_arch = "x86_64")]
            {
                check(&|values| wide::with_avx2(&of, values));
                check(&|values| wide::with_avx512(&of, values));
            }
        }
    }

    #[test]
    fn the_largest_numbers_fit() {
        for width in [384, 1536, 1 << 20] {
            let (weights, inputs) = (vec![0x80; 32 * width], vec![most(width) as i16; 4 * width]);
            let of = Factors {
                weights: &weights,
                inputs: &inputs,
                width,
                scales: &[1.0; 4],
                outputs: &[1.0; 32],
                bias: &[0.0; 32],
            };
            let mut values = [0.0; 4 * 32];
            products(&of, &mut values);
            assert_eq!(values, [(-128 * i64::from(inputs[0]) * width as i64) as f32; 4 * 32]);
        }
    }
}
