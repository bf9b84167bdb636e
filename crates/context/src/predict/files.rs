//! Which other files will be needed, given that one was just opened: candidates from history, names and the working
//! tree, each with plain evidence, weighed by numbers that can be read, fitted and explained.
//!
//! Deterministic; asks neither clock nor disk.

mod evidence;
mod gather;
mod weights;
mod why;
mod words;

use std::cmp::Ordering;

pub use evidence::Feature;
pub(crate) use evidence::{FEATURES, FileEvidence};
pub use weights::{BadWeights, Weights};
pub use words::is_test;

use super::PredictedFile;
use super::terrain::Terrain;
pub(crate) use gather::gather;
use lokid_index::cochange::Cochange;

/// What is known of the moment.
#[derive(Clone, Copy, Debug)]
pub struct Opened<'a> {
    pub path: &'a str,
    /// Who is at work, by the name their commits bear.
    pub author: Option<&'a str>,
    /// Seconds since 1970.
    pub now: i64,
    /// Files opened or edited just before, the latest first.
    pub recent: &'a [&'a str],
}

/// The likeliest, best first.
pub fn predict(
    known: &Cochange,
    terrain: &dyn Terrain,
    weights: &Weights,
    clue: &Opened<'_>,
    k: usize,
) -> Vec<PredictedFile> {
    let candidates = gather(known, terrain, clue);
    best(&candidates, weights, k)
        .into_iter()
        .map(|(score, evidence)| PredictedFile {
            path: evidence.path.to_string(),
            score: weights.chance(score),
            why: why::tell(evidence, weights, clue.path, clue.now),
        })
        .collect()
}

/// The best of the candidates with what they weigh; ties by path.
pub(crate) fn best<'a, 'b>(
    candidates: &'a [FileEvidence<'b>],
    weights: &Weights,
    k: usize,
) -> Vec<(f64, &'a FileEvidence<'b>)> {
    let mut weighed: Vec<(f64, &FileEvidence<'b>)> =
        candidates.iter().map(|evidence| (weights.weigh(&evidence.features), evidence)).collect();
    let order = |one: &(f64, &FileEvidence<'b>), other: &(f64, &FileEvidence<'b>)| -> Ordering {
        other.0.total_cmp(&one.0).then_with(|| one.1.path.cmp(other.1.path))
    };
    if weighed.len() > k && k > 0 {
        weighed.select_nth_unstable_by(k - 1, order);
    }
    weighed.truncate(k);
    weighed.sort_by(order);
    weighed
}

#[cfg(test)]
mod tests;
