//! The figures of a replay, and how they are averaged: within a commit first, then over the commits.

/// How many of the first are looked at.
pub(super) const FIRST: usize = 3;
pub(super) const LIST: usize = 10;

/// All between 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// Was one of the first three needed?
    pub hit3: f64,
    /// One of the first ten?
    pub hit10: f64,
    /// The share of what was needed among the first ten.
    pub recall10: f64,
}

impl Score {
    pub(super) fn of(suggested: &[&str], needed: &[&str]) -> Score {
        let found = |count: usize| suggested.iter().take(count).filter(|path| needed.contains(path)).count();
        Score {
            hit3: f64::from(found(FIRST) > 0),
            hit10: f64::from(found(LIST) > 0),
            recall10: found(LIST) as f64 / needed.len().max(1) as f64,
        }
    }

    pub(super) fn add(&mut self, other: Score, share: f64) {
        self.hit3 += other.hit3 * share;
        self.hit10 += other.hit10 * share;
        self.recall10 += other.recall10 * share;
    }
}

/// How long before it was needed a file was already foretold: at the same author's previous commit, not more than a
/// day earlier.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lead {
    /// The share of all needed files that were foreseen so.
    pub foreseen: f64,
    pub median_seconds: i64,
}

/// What suggestions cost that were not needed, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Waste {
    pub tokens_per_prediction: f64,
    /// Of all tokens suggested.
    pub share: f64,
}
