//! How good predictions are, asked of a repository's own past: each commit of the last part of the history is foretold
//! from what came before it, then learnt.
//!
//! Pure: commits in, figures out. The same commits give the same figures.

mod baselines;
mod fit;
mod measure;
mod run;
pub mod text;

pub use baselines::Method;
pub use fit::{Fitted, fit};
pub use measure::{Lead, Score, Waste};
pub use run::{Report, run};

use std::ops::ControlFlow;

use super::predict::terrain::{Terrain, Unknown};
use lokid_index::cochange::{is_bot, is_trivial};
use lokid_model::Commit;

/// Which commits are asked about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Protocol {
    /// Files a commit must have, at least and at most, without the trivial ones.
    pub fewest: usize,
    pub most: usize,
    /// The last part of those commits, as a share.
    pub asked: f64,
}

impl Default for Protocol {
    fn default() -> Protocol {
        Protocol { fewest: 2, most: 30, asked: 0.2 }
    }
}

/// A working tree as it was at each commit.
pub trait ReplayTerrain {
    fn now(&self) -> &dyn Terrain;
    /// The commit is made.
    fn learn(&mut self, commit: &Commit);
}

/// Only history is known.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blind;

impl ReplayTerrain for Blind {
    fn now(&self) -> &dyn Terrain {
        &Unknown
    }

    fn learn(&mut self, _commit: &Commit) {}
}

/// Told how many of how many commits are done; may stop it all.
pub type Progress<'a> = &'a mut dyn FnMut(usize, usize) -> ControlFlow<()>;

impl Protocol {
    pub fn qualifies(&self, commit: &Commit) -> bool {
        let files = commit.files.iter().filter(|change| !is_trivial(&change.path)).count();
        !commit.is_merge()
            && (self.fewest..=self.most).contains(&files)
            && !is_bot(&commit.author_name, &commit.author_email)
    }

    /// The place of the first commit that is asked about.
    pub fn first_asked(&self, commits: &[Commit]) -> Option<usize> {
        self.asked_of(commits).first().copied()
    }

    /// The places of those that are asked about.
    fn asked_of(&self, commits: &[Commit]) -> Vec<usize> {
        let qualified: Vec<usize> = (0..commits.len()).filter(|at| self.qualifies(&commits[*at])).collect();
        let from = (qualified.len() as f64 * (1.0 - self.asked)) as usize;
        qualified[from.min(qualified.len())..].to_vec()
    }
}

/// The files that count, each once, in order.
fn telling(commit: &Commit) -> Vec<&str> {
    let mut files: Vec<&str> =
        commit.files.iter().map(|change| change.path.as_str()).filter(|path| !is_trivial(path)).collect();
    files.sort_unstable();
    files.dedup();
    files
}

#[cfg(test)]
mod tests;
