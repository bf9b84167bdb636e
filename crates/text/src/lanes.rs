//! Loops over rows of numbers, written so that the compiler lays them side by side in wide registers: sums are kept in
//! lanes of a fixed number, so that every machine adds in the same order and comes to the same result.

const LANES: usize = 16;

/// A function whose loops are laid out for the widest registers the machine has. What it calls must be inlined.
macro_rules! wide {
    (@answer) => { () };
    (@answer $answer:ty) => { $answer };
    ($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),*) $(-> $answer:ty)? $body:block) => {
        $(#[$doc])*
        pub(super) fn $name<'a>($($arg: $type),*) $(-> $answer)? {
            struct Job<'a> { $($arg: $type),* }
            impl<'a> pulp::NullaryFnOnce for Job<'a> {
                type Output = wide!(@answer $($answer)?);

                #[inline(always)]
                fn call(self) -> Self::Output {
                    let Job { $($arg),* } = self;
                    $body
                }
            }
            pulp::Arch::new().dispatch(Job { $($arg),* })
        }
    };
}

/// Adds one to the other, number by number; a shorter one is added again and again.
pub(super) fn add(values: &mut [f32], others: &[f32]) {
    for values in values.chunks_exact_mut(others.len()) {
        for (value, other) in values.iter_mut().zip(others) {
            *value += other;
        }
    }
}

// Inside, plain loops over places: what is called and not inlined is compiled without the wide registers.

wide! {
    /// A row as whole numbers no larger than `most`; answers what a one is worth.
    fn round(row: &'a [f32], most: f32, whole: &'a mut [i16]) -> f32 {
        let mut largest = 0.0_f32;
        let mut lanes = [0.0_f32; LANES];
        let mut at = 0;
        while at + LANES <= row.len() {
            let mut lane = 0;
            while lane < LANES {
                let x = row[at + lane].abs();
                lanes[lane] = if x > lanes[lane] { x } else { lanes[lane] };
                lane += 1;
            }
            at += LANES;
        }
        while at < row.len() {
            largest = if row[at].abs() > largest { row[at].abs() } else { largest };
            at += 1;
        }
        let mut lane = 0;
        while lane < LANES {
            largest = if lanes[lane] > largest { lanes[lane] } else { largest };
            lane += 1;
        }
        let scale = if largest > 0.0 { most / largest } else { 0.0 };
        let mut at = 0;
        while at < row.len() && at < whole.len() {
            whole[at] = (row[at] * scale + NO_PARTS).to_bits() as i16;
            at += 1;
        }
        if scale > 0.0 { 1.0 / scale } else { 0.0 }
    }
}

wide! {
    /// Every row is moved and stretched to a mean of nought and a variance of one, then by the gains and biases.
    fn norm(values: &'a mut [f32], gain: &'a [f32], bias: &'a [f32], epsilon: f32) {
        let width = gain.len();
        let count = width as f32;
        let mut from = 0;
        while from + width <= values.len() {
            let row = &mut values[from..from + width];
            let mean = sum(row, 0.0, false) / count;
            let scale = 1.0 / (sum(row, mean, true) / count + epsilon).sqrt();
            let mut at = 0;
            while at < row.len() && at < gain.len() && at < bias.len() {
                row[at] = (row[at] - mean) * scale * gain[at] + bias[at];
                at += 1;
            }
            from += width;
        }
    }
}

/// Of what is left without the mean, or of its squares.
#[inline(always)]
fn sum(values: &[f32], mean: f32, squared: bool) -> f32 {
    let mut lanes = [0.0_f32; LANES];
    let mut at = 0;
    while at + LANES <= values.len() {
        let mut lane = 0;
        while lane < LANES {
            let x = values[at + lane] - mean;
            lanes[lane] += if squared { x * x } else { x };
            lane += 1;
        }
        at += LANES;
    }
    let mut whole = 0.0;
    while at < values.len() {
        let x = values[at] - mean;
        whole += if squared { x * x } else { x };
        at += 1;
    }
    let mut lane = 0;
    while lane < LANES {
        whole += lanes[lane];
        lane += 1;
    }
    whole
}

wide! {
    fn gelu(values: &'a mut [f32]) {
        let mut at = 0;
        while at < values.len() {
            let x = values[at];
            values[at] = 0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2));
            at += 1;
        }
    }
}

/// Abramowitz and Stegun 7.1.26: off by 1.5e-7 at the most, which is what an `f32` holds.
#[inline(always)]
fn erf(x: f32) -> f32 {
    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
    let series = ((((1.061_405_4 * t - 1.453_152) * t + 1.421_413_8) * t - 0.284_496_72) * t + 0.254_829_6) * t;
    (1.0 - series * exp(-x * x)).copysign(x)
}

/// A power of two times what is left of it, which a short series tells to the last digits of an `f32`; nought far below.
#[inline(always)]
fn exp(x: f32) -> f32 {
    const LOWEST: f32 = -87.0;
    let x = if x < LOWEST { LOWEST } else { x };
    let twos = nearest(x * std::f32::consts::LOG2_E);
    let rest = (x - twos * 0.693_359_4) + twos * 2.121_944_4e-4;
    let series = (((((1.987_569_1e-4 * rest + 1.398_199_9e-3) * rest + 8.333_452e-3) * rest + 4.166_579_6e-2) * rest
        + 1.666_666_5e-1)
        * rest
        + 0.5)
        * rest
        * rest
        + rest
        + 1.0;
    series * f32::from_bits(((twos as i32 + 127) as u32) << 23)
}

/// What this is added to has no room for parts, and its last bits are the nearest whole number.
const NO_PARTS: f32 = 12_582_912.0;

/// The nearest whole number, for what is far from the ends of an `f32`.
#[inline(always)]
fn nearest(x: f32) -> f32 {
    (x + NO_PARTS) - NO_PARTS
}

/// Room for one head.
#[derive(Default)]
pub(super) struct Head {
    /// The keys, a row for each of their numbers.
    keys: Vec<f32>,
    scores: Vec<f32>,
}

/// Every head lets every token of the query look at every other, and hands on the values of those it looks at.
pub(super) fn attend(
    [query, key, value]: [&[f32]; 3],
    hidden: usize,
    heads: usize,
    room: &mut Head,
    mixed: &mut [f32],
) {
    let (tokens, size) = (value.len() / hidden, hidden / heads);
    // A whole number of lanes, the last ones empty: nobody looks there.
    let width = tokens.next_multiple_of(LANES);
    room.keys.clear();
    room.keys.resize(size * width, 0.0);
    room.scores.resize(width, 0.0);
    let scale = (size as f32).sqrt().recip();
    for head in 0..heads {
        let from = head * size;
        for (at, key) in key.chunks_exact(hidden).enumerate() {
            for (row, number) in key[from..from + size].iter().enumerate() {
                room.keys[row * width + at] = number * scale;
            }
        }
        one_head(query, &room.keys, value, [hidden, from, size], &mut room.scores[..width], mixed);
    }
}

wide! {
    fn one_head(
        query: &'a [f32], keys: &'a [f32], value: &'a [f32], shape: [usize; 3], scores: &'a mut [f32], mixed: &'a mut [f32]
    ) {
        let [hidden, from, size] = shape;
        let (tokens, width) = (value.len() / hidden, scores.len());
        let mut token = 0;
        while token < query.len() / hidden {
            let place = token * hidden + from;
            // Sums stay in registers, a few lanes at a time.
            let mut part = 0;
            while part + LANES <= width {
                let lanes = products(&query[place..place + size], &keys[part..], width);
                scores[part..part + LANES].copy_from_slice(&lanes);
                part += LANES;
            }
            softmax(&mut scores[..tokens]);
            let mut part = 0;
            while part + LANES <= size {
                let lanes = products(&scores[..tokens], &value[from + part..], hidden);
                mixed[place + part..place + part + LANES].copy_from_slice(&lanes);
                part += LANES;
            }
            while part < size {
                let (mut whole, mut other) = (0.0, 0);
                while other < tokens {
                    whole += scores[other] * value[other * hidden + from + part];
                    other += 1;
                }
                mixed[place + part] = whole;
                part += 1;
            }
            token += 1;
        }
    }
}

/// Every number times the lanes of its row, all added up. Rows are `width` apart.
#[inline(always)]
fn products(numbers: &[f32], rows: &[f32], width: usize) -> [f32; LANES] {
    let mut lanes = [0.0_f32; LANES];
    let (mut at, mut from) = (0, 0);
    while at < numbers.len() && from + LANES <= rows.len() {
        let row = &rows[from..from + LANES];
        let mut lane = 0;
        while lane < LANES {
            lanes[lane] += numbers[at] * row[lane];
            lane += 1;
        }
        at += 1;
        from += width;
    }
    lanes
}

#[inline(always)]
fn softmax(scores: &mut [f32]) {
    let mut largest = f32::NEG_INFINITY;
    let mut at = 0;
    while at < scores.len() {
        largest = if scores[at] > largest { scores[at] } else { largest };
        at += 1;
    }
    let mut at = 0;
    while at < scores.len() {
        scores[at] = exp(scores[at] - largest);
        at += 1;
    }
    let whole = 1.0 / sum(scores, 0.0, false);
    let mut at = 0;
    while at < scores.len() {
        scores[at] *= whole;
        at += 1;
    }
}

/// What speaks for each of a few answers, as shares of one.
pub(super) fn shares<const N: usize>(scores: [f32; N]) -> [f32; N] {
    let mut shares = scores;
    softmax(&mut shares);
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_function_is_right_to_the_last_digits_of_a_float() {
        for (x, expect) in
            [(0.0, 0.0), (0.5, 0.520_499_9), (1.0, 0.842_700_8), (2.0, 0.995_322_3), (-3.0, -0.999_977_9)]
        {
            assert!((erf(x) - expect).abs() < 4e-7, "erf({x}) is {expect}, not {}", erf(x));
        }
    }

    #[test]
    fn powers_are_right_to_the_last_digits_of_a_float() {
        for at in -8_600..880 {
            let x = at as f32 / 100.0;
            let expect = f64::from(x).exp();
            assert!((f64::from(exp(x)) - expect).abs() <= expect * 3e-7, "exp({x}) is {expect}, not {}", exp(x));
        }
        assert!(exp(-1e9) < 1e-37 && exp(f32::NEG_INFINITY) >= 0.0);
    }

    #[test]
    fn a_row_becomes_whole_numbers_and_what_one_is_worth() {
        let mut whole = [0; 4];
        let scale = round(&[0.5, -1.0, 0.0, 0.25], 1000.0, &mut whole);
        assert_eq!((whole, scale), ([500, -1000, 0, 250], 0.001));
        assert_eq!((round(&[0.0; 4], 1000.0, &mut whole), whole), (0.0, [0; 4]));
    }

    #[test]
    fn shares_are_of_one() {
        let [one, other] = shares([0.0, 3.0_f32.ln()]);
        assert!((one - 0.25).abs() < 1e-6 && (other - 0.75).abs() < 1e-6);
    }
}
