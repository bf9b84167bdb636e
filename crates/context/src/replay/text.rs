//! How well goals in words foretell files: a history is lived through again, every commit is asked for by its subject
//! before it is learnt, and the files it touched are the truth.
//!
//! The knowledge is what came before, and grows as the replay goes. The last fifth of the commits are asked about. It
//! reads no repository: commits come in, figures go out.

mod bm25;

use std::collections::BTreeSet;

use self::bm25::Bm25;
use crate::predict::goal;
use crate::predict::terrain::Unknown;
use lokid_index::cochange::{Cochange, is_bot, is_trivial};
use lokid_index::subjects::Subjects;
use lokid_model::Commit;

const MOST_FILES: usize = 30;
const ASKED_SHARE: f64 = 0.2;
const SUGGESTIONS: usize = 10;

/// Over commits of 2 to 30 files, and over those of 1 to 30.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct TextReport {
    pub several: Compared,
    pub any: Compared,
}

#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Compared {
    /// Commits asked about.
    pub commits: usize,
    pub lokid: Figures,
    pub bm25: Figures,
}

/// Averages over the commits asked about, between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Figures {
    /// One of the first three suggestions was right,
    pub hit_at_3: f64,
    /// one of the first ten,
    pub hit_at_10: f64,
    /// and so much of the truth was among the first ten.
    pub recall_at_10: f64,
}

/// Commits oldest first; `progress` hears how many of them are done, and of how many.
pub fn run(commits: &[Commit], mut progress: impl FnMut(usize, usize)) -> TextReport {
    let history: Vec<Commit> = commits.iter().filter_map(cleaned).collect();
    let (several_from, any_from) = (first_asked(&history, 2), first_asked(&history, 1));
    let (mut subjects, mut cochange, mut bm25) = (Subjects::default(), Cochange::default(), Bm25::default());
    let mut report = TextReport::default();
    for (at, commit) in history.iter().enumerate() {
        let asked_several = at >= several_from && is_asked(commit, 2);
        let asked_any = at >= any_from && is_asked(commit, 1);
        if asked_several || asked_any {
            let gold: BTreeSet<&str> = commit.files.iter().map(|change| change.path.as_str()).collect();
            let found = goal::predict(&subjects, &cochange, &Unknown, &commit.subject, commit.time, SUGGESTIONS);
            let lokid = Figures::of(found.iter().map(|file| file.path.as_str()), &gold);
            let plain = Figures::of(bm25.suggest(&commit.subject, SUGGESTIONS).into_iter(), &gold);
            if asked_several {
                report.several.add(lokid, plain);
            }
            if asked_any {
                report.any.add(lokid, plain);
            }
        }
        subjects.add(commit);
        cochange.add(commit);
        bm25.add(commit);
        progress(at + 1, history.len());
    }
    report.several.average();
    report.any.average();
    report
}

/// What counts of a commit: nothing of a merge or a robot's, and no trivial files.
fn cleaned(commit: &Commit) -> Option<Commit> {
    if commit.is_merge() || is_bot(&commit.author_name, &commit.author_email) {
        return None;
    }
    let mut commit = commit.clone();
    commit.files.retain(|change| !is_trivial(&change.path));
    (!commit.files.is_empty()).then_some(commit)
}

fn is_asked(commit: &Commit, fewest: usize) -> bool {
    (fewest..=MOST_FILES).contains(&commit.files.len())
}

/// Where the last fifth of the commits that may be asked about begins.
fn first_asked(history: &[Commit], fewest: usize) -> usize {
    let places: Vec<usize> = (0..history.len()).filter(|at| is_asked(&history[*at], fewest)).collect();
    let known = (places.len() as f64 * (1.0 - ASKED_SHARE)) as usize;
    places.get(known).copied().unwrap_or(history.len())
}

impl Figures {
    fn of<'a>(suggested: impl Iterator<Item = &'a str>, gold: &BTreeSet<&str>) -> Figures {
        let right: Vec<bool> = suggested.take(SUGGESTIONS).map(|path| gold.contains(path)).collect();
        let among = |first: usize| right.iter().take(first).filter(|right| **right).count();
        let hit = |first| f64::from(u8::from(among(first) > 0));
        let recall = among(SUGGESTIONS) as f64 / gold.len().max(1) as f64;
        Figures { hit_at_3: hit(3), hit_at_10: hit(SUGGESTIONS), recall_at_10: recall }
    }

    fn combine(&mut self, other: Figures, join: impl Fn(f64, f64) -> f64) {
        self.hit_at_3 = join(self.hit_at_3, other.hit_at_3);
        self.hit_at_10 = join(self.hit_at_10, other.hit_at_10);
        self.recall_at_10 = join(self.recall_at_10, other.recall_at_10);
    }
}

impl Compared {
    fn add(&mut self, lokid: Figures, bm25: Figures) {
        self.commits += 1;
        self.lokid.combine(lokid, |sum, one| sum + one);
        self.bm25.combine(bm25, |sum, one| sum + one);
    }

    fn average(&mut self) {
        let commits = self.commits.max(1) as f64;
        self.lokid.combine(Figures::default(), |sum, _| sum / commits);
        self.bm25.combine(Figures::default(), |sum, _| sum / commits);
    }
}

#[cfg(test)]
mod tests;
