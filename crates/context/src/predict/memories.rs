//! From what just happened to the memories that will be needed: each signal brings evidence, evidence for the same
//! memory adds up, and every prediction says why.
//!
//! One small file a signal. Pure: the same memory, clues and moment give the same answer, in the same order.

mod asked;
mod branch;
mod clues;
mod error;
pub(crate) mod evidence;
mod file;
mod home;
mod hour;
mod merit;
mod person;
mod pool;
#[cfg(test)]
mod tests;
mod words;

use std::sync::Arc;

use pool::Pool;

pub use clues::{AuthorClue, BranchClue, Clues, ErrorClue};
pub use evidence::{Evidence, MemoryWeights};
pub use words::{branch_topic, is_common_branch};

pub(crate) use file::tells_of_error;
pub(crate) use words::{is_said, quote};

use crate::sources::Sources;
use lokid_index::roster::Filter;
use lokid_model::{Memory, Namespace, Timestamp};

/// A memory that is likely to be needed, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictedMemory {
    pub memory: Arc<Memory>,
    /// Between 0 and 1.
    pub score: f64,
    /// The strongest reason, in few words.
    pub why: String,
    /// At home in the file at hand.
    pub anchored: bool,
    /// Everything that speaks for it, strongest first: what to learn from when it is used or not.
    pub evidence: Vec<Evidence>,
}

/// The best, ties by key. Two questions to the indexes at most, and none when there is nothing to ask.
pub fn predict(
    sources: &Sources<'_>,
    clues: &Clues,
    namespace: &Namespace,
    now: Timestamp,
    k: usize,
) -> Vec<PredictedMemory> {
    predict_within(sources, clues, &Filter::new(namespace.clone(), now), k)
}

/// The same among the memories that a filter admits.
pub(crate) fn predict_within(sources: &Sources<'_>, clues: &Clues, filter: &Filter, k: usize) -> Vec<PredictedMemory> {
    let mut pool = Pool::new(sources, clues, filter);
    file::look(&mut pool);
    branch::look(&mut pool);
    error::look(&mut pool);
    hour::look(&mut pool);
    person::look(&mut pool);
    asked::look(&mut pool);
    pool.best(k)
}
