//! How likely each of several things is the best, given how often each has worked. Numbers in, numbers out.

/// Cells into which the rates from 0 to 1 are divided.
const CELLS: usize = 2_048;

/// For each pair of how often it worked and did not: the probability that its true rate is the highest, which is how
/// often Thompson sampling would draw it. They add up to 1.
pub(super) fn chances<const N: usize>(counts: &[(f64, f64); N]) -> [f64; N] {
    let densities = counts.map(|(worked, failed)| density(worked, failed));
    let mut below = [0.0_f64; N];
    let mut chances = [0.0; N];
    let cells = (0..CELLS).map(|cell| std::array::from_fn::<f64, N, _>(|one| densities[one][cell]));
    for here in cells {
        // Each of the others lies below this cell, or in its lower half.
        let lower: [f64; N] = std::array::from_fn(|other| below[other] + here[other] / 2.0);
        for one in 0..N {
            let others: f64 = (0..N).filter(|other| *other != one).map(|other| lower[other]).product();
            chances[one] += here[one] * others;
            below[one] += here[one];
        }
    }
    let whole: f64 = chances.iter().sum();
    if whole > 0.0 { chances.map(|chance| chance / whole) } else { [1.0 / N as f64; N] }
}

/// What is believed of a rate when nothing was known before, cell by cell; adds up to 1.
fn density(worked: f64, failed: f64) -> Vec<f64> {
    let rate = |cell: usize| (cell as f64 + 0.5) / CELLS as f64;
    let logs: Vec<f64> = (0..CELLS).map(rate).map(|rate| worked * rate.ln() + failed * (1.0 - rate).ln()).collect();
    let highest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let heights: Vec<f64> = logs.iter().map(|log| (log - highest).exp()).collect();
    let whole: f64 = heights.iter().sum();
    heights.into_iter().map(|height| height / whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<const N: usize>(counts: [(f64, f64); N], expected: [f64; N], within: f64) {
        let found = chances(&counts);
        assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < within, "{found} is not {expected}");
        }
    }

    #[test]
    fn what_is_equally_known_is_equally_likely_the_best() {
        check([(0.0, 0.0), (0.0, 0.0)], [0.5, 0.5], 1e-9);
        check([(7.0, 3.0); 5], [0.2; 5], 1e-9);
    }

    #[test]
    fn the_chances_are_those_of_the_beta_distributions() {
        // P(X > Y) for X ~ Beta(2, 1) and Y ~ Beta(1, 1) is the mean of X.
        check([(1.0, 0.0), (0.0, 0.0)], [2.0 / 3.0, 1.0 / 3.0], 1e-6);
        check([(1.0, 0.0), (0.0, 1.0)], [5.0 / 6.0, 1.0 / 6.0], 1e-6);
        // Two against one: the best of three alike that the third is not.
        check([(0.0, 0.0), (0.0, 0.0), (0.0, 0.0)], [1.0 / 3.0; 3], 1e-9);
    }

    #[test]
    fn much_evidence_leaves_no_doubt_and_breaks_nothing() {
        check([(70_000.0, 30_000.0), (50_000.0, 50_000.0)], [1.0, 0.0], 1e-9);
        check([(1e9, 0.0), (0.0, 1e9)], [1.0, 0.0], 1e-9);
    }
}
