//! The commits that have to do with a question: who wrote the lines, who changed them, who names them, who touched the file.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::place::{WhyPlace, parts};
use super::{Blamed, told};
use crate::past::PastKnown;
use crate::recall::Recall;
use lokid_encode::commits::{about, explains, is_about, is_sweep, is_trouble, names, reason, tells};
use lokid_index::commits::CommitIndex;
use lokid_model::{Commit, FileStatus};
use lokid_retrieve::query;
use lokid_sys::child::ChildError;
use lokid_sys::git::blame::{Committed, Origin};

/// All questions to git together.
const PATIENCE: Duration = Duration::from_secs(10);
/// A sweep may hide another one.
const ROUNDS: usize = 3;
/// More lines are asked about a piece of them.
const MOST_LINES: u32 = 2_000;
const MOST_CHANGES: usize = 200;
const MOST_TOUCHING: usize = 1_000;
/// What explains less of a file is left unsaid.
const LEAST_SCORE: f64 = 0.12;
/// A commit that changed some lines among others explains them only with a reason.
const REASONED: f64 = 0.75;
/// A commit that wrote so many lines of a file is one of those that made it.
const ENOUGH_LINES: f64 = 30.0;
const MOST_RENAMES: usize = 6;

/// A commit that has to do with the question.
pub(super) struct Found {
    pub(super) commit: Commit,
    pub(super) why: String,
    /// How much it explains of what is asked.
    pub(super) score: f64,
    pub(super) is_trouble: bool,
    /// What is asked about came with it.
    pub(super) is_first: bool,
}

impl Found {
    fn new(commit: Commit, score: f64, why: impl Into<String>) -> Found {
        let is_trouble = is_trouble(&commit);
        Found { commit, why: why.into(), score, is_trouble, is_first: false }
    }
}

pub(super) struct WhySearch<'a> {
    recall: &'a Recall,
    commits: Option<&'a CommitIndex>,
    place: &'a WhyPlace,
    /// Every name the file had, today's first.
    pub(super) names: Vec<String>,
    committed: Option<Committed>,
    until: Instant,
    cancelled: &'a dyn Fn() -> bool,
}

impl<'a> WhySearch<'a> {
    pub(super) fn new(
        recall: &'a Recall,
        known: &'a PastKnown,
        place: &'a WhyPlace,
        cancelled: &'a dyn Fn() -> bool,
    ) -> WhySearch<'a> {
        let committed = Committed::open(&recall.env.root, &place.path, &place.text);
        let until = recall.env.clock.monotonic() + PATIENCE;
        let earlier = known.cochange.all_names(&place.path).into_iter().filter(|name| *name != place.path);
        let names = std::iter::once(place.path.as_str()).chain(earlier).map(str::to_owned).collect();
        let commits = known.commits.as_deref();
        let mut search = WhySearch { recall, commits, place, names, committed, until, cancelled };
        search.follow_renames();
        search
    }

    /// Adds the names that only a look at what stood in the files can tell.
    fn follow_renames(&mut self) {
        let (Some(commits), Some(committed)) = (self.commits, &self.committed) else { return };
        for _ in 0..MOST_RENAMES {
            let Some(first) = commits.first_touching(&self.paths()) else { return };
            let is_left = first.files.iter().any(|file| file.status == FileStatus::Deleted);
            let Some(added) = self.added_by(&first).filter(|_| is_left) else { return };
            let before = committed.name_before(&first.id, added, self.left(), self.cancelled);
            let Some(before) = before.filter(|before| !self.names.contains(before)) else { return };
            self.names.push(before);
        }
    }

    fn paths(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }

    fn left(&self) -> Duration {
        self.until.saturating_duration_since(self.recall.env.clock.monotonic())
    }

    fn get(&self, id: &str) -> Option<Commit> {
        self.commits?.get(id)
    }

    /// The commits that wrote the lines, and what is to be said if there are none.
    pub(super) fn blame(&self) -> (Vec<Blamed>, Option<&'static str>) {
        let Some((first, last)) = self.place.lines else { return (Vec::new(), None) };
        let Some(committed) = &self.committed else { return (Vec::new(), Some("the file is not committed yet")) };
        let mut passed_over = committed.passed_over();
        let mut origins = Vec::new();
        for _ in 0..ROUNDS {
            let lines = (first, last.min(first + MOST_LINES));
            match committed.blame(lines, true, &passed_over, self.left(), self.cancelled) {
                Ok(found) => origins = found,
                Err(error) if origins.is_empty() => {
                    let is_late = matches!(error, ChildError::TimedOut(_));
                    let late = "git took too long to tell who wrote these lines";
                    return (Vec::new(), Some(if is_late { late } else { "git cannot tell who wrote these lines" }));
                }
                Err(_) => break,
            }
            let before = passed_over.len();
            let commits = origins.iter().map(|origin| self.commit(origin)).filter(is_sweep);
            let sweeps: Vec<String> = commits.map(|commit| commit.id).filter(|id| !passed_over.contains(id)).collect();
            passed_over.extend(sweeps);
            if passed_over.len() == before {
                break;
            }
        }
        let note = origins.is_empty().then_some("these lines are not committed yet");
        // What could not be looked through comes last.
        origins.sort_by_key(|origin| passed_over.contains(&origin.commit));
        let blamed = origins.iter().filter_map(|origin| {
            let commit = told(&self.commit(origin), "wrote these lines", reason)?;
            let path = (origin.path != self.place.path).then(|| origin.path.clone());
            Some(Blamed { lines: runs(&origin.lines), path, commit })
        });
        (blamed.collect(), note)
    }

    /// As the index has it, or as far as git told.
    fn commit(&self, origin: &Origin) -> Commit {
        self.get(&origin.commit).unwrap_or_else(|| Commit {
            id: origin.commit.clone(),
            parents: 1,
            author_name: origin.author.clone(),
            time: origin.time,
            subject: self.recall.env.redaction.text(&origin.subject),
            ..Commit::default()
        })
    }

    /// What happened here, newest first.
    pub(super) fn history(&self) -> Vec<Found> {
        let mut found: Vec<Found> = match self.place.around {
            Some(around) => self.of_lines(around),
            None => self.of_file(),
        };
        found.sort_by(|one, other| {
            other.commit.time.cmp(&one.commit.time).then_with(|| one.commit.id.cmp(&other.commit.id))
        });
        found.dedup_by(|one, other| one.commit.id == other.commit.id);
        found
    }

    fn of_lines(&self, around: (u32, u32)) -> Vec<Found> {
        let Some(committed) = &self.committed else { return Vec::new() };
        let around = (around.0, around.1.min(around.0 + MOST_LINES));
        let ids = committed.changed_by(around, MOST_CHANGES, self.left(), self.cancelled);
        let commits = ids.iter().filter_map(|id| self.get(id)).filter(|commit| !is_sweep(commit));
        let score = |commit: &Commit| {
            let score = explains(commit);
            if score < REASONED { 0.0 } else { score * (0.5 + 0.5 * about(commit)) }
        };
        let mut found: Vec<Found> =
            commits.map(|commit| Found::new(commit.clone(), score(&commit), "changed these lines")).collect();
        if let Some(first) = found.last_mut().filter(|first| ids.len() < MOST_CHANGES && tells(&first.commit)) {
            (first.is_first, first.why) = (true, "wrote it first".to_owned());
        }
        found.extend(self.naming());
        found
    }

    /// Those that name the symbol, where its name is no word that is used for other things.
    fn naming(&self) -> Vec<Found> {
        let (Some(commits), Some(symbol)) = (self.commits, &self.place.symbol) else { return Vec::new() };
        let name = parts(symbol).1;
        let is_telling = name.contains('_') || name.chars().skip(1).any(char::is_uppercase);
        let calls = [format!("{name}("), format!("`{name}`"), format!(".{name}"), format!("::{name}")];
        let is_named = |commit: &Commit| {
            let is_called = || calls.iter().any(|call| commit.subject.contains(call) || commit.body.contains(call));
            names(commit, name) && (is_telling || is_called())
        };
        let found = commits.search_touching(&query::wanted(name), &self.paths(), MOST_CHANGES);
        let found = found.into_iter().map(|found| found.commit).filter(|commit| is_named(commit) && !is_sweep(commit));
        let score = |commit: &Commit| 1.2 * explains(commit) * (0.5 + 0.5 * about(commit));
        found.map(|commit| Found::new(commit.clone(), score(&commit), "names it")).collect()
    }

    fn of_file(&self) -> Vec<Found> {
        let Some(commits) = self.commits else { return Vec::new() };
        let left = self.lines_left();
        let stem = lokid_index::cochange::stem_of(&self.place.path);
        let touching = commits.touching(&self.paths(), MOST_TOUCHING).into_iter().filter(|commit| !is_sweep(commit));
        let mut found: Vec<Found> = touching
            .map(|commit| {
                let lines = left.get(&commit.id).copied().unwrap_or(0);
                let named = if stem.len() > 3 && names(&commit, &stem) { 1.5 } else { 1.0 };
                let stands = (lines as f64 / ENOUGH_LINES).min(1.0);
                let score = explains(&commit) * about(&commit) * named * (0.4 + 0.6 * stands);
                let why = if lines > 1 { format!("wrote {lines} of its lines") } else { "about this file".to_owned() };
                let is_about = is_about(&commit, &self.place.path);
                let mut found = Found::new(commit, if score < LEAST_SCORE { 0.0 } else { score }, why);
                found.is_trouble &= is_about;
                found
            })
            .collect();
        if let Some(first) = commits.first_touching(&self.paths()).filter(|first| self.added_by(first).is_some()) {
            found.retain(|found| found.commit.id != first.id);
            let mut first = Found::new(first, 0.0, "added this file");
            (first.is_first, first.is_trouble) = (true, false);
            found.push(first);
        }
        found
    }

    /// How many lines of the whole file are as each commit left them.
    fn lines_left(&self) -> BTreeMap<String, usize> {
        let Some(committed) = &self.committed else { return BTreeMap::new() };
        let last = (self.place.text.lines().count() as u32).clamp(1, MOST_LINES);
        let origins = committed.blame((1, last), false, &committed.passed_over(), self.left() / 2, self.cancelled);
        origins.unwrap_or_default().into_iter().map(|origin| (origin.commit, origin.lines.len())).collect()
    }

    /// The name under which the file came with a commit.
    fn added_by<'c>(&self, commit: &'c Commit) -> Option<&'c str> {
        let mut files = commit.files.iter().filter(|file| file.status == FileStatus::Added);
        files.find(|file| self.names.contains(&file.path)).map(|file| file.path.as_str())
    }
}

/// Numbers that follow each other, as first and last.
fn runs(lines: &[u32]) -> Vec<(u32, u32)> {
    let mut lines = lines.to_vec();
    lines.sort_unstable();
    let runs = lines.chunk_by(|one, next| one + 1 == *next);
    runs.filter_map(|run| Some((*run.first()?, *run.last()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_follow_each_other_are_one_run() {
        assert_eq!(runs(&[7, 1, 2, 3, 9]), [(1, 3), (7, 7), (9, 9)]);
        assert!(runs(&[]).is_empty());
    }
}
