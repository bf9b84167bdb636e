//! Why something is as it is: the commits that wrote these lines, those that explain them, what broke here before, and
//! what is remembered about it. The best of each, within a budget of tokens.

mod place;

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::error::EngineError;
use super::past::PastKnown;
use super::project::Project;
use crate::encode::commits::{self, CommitKind, about, as_memory, cause, explains, is_sweep, is_trouble, names};
use crate::encode::compress::at_level;
use crate::index::commits::CommitIndex;
use crate::index::roster::Filter;
use crate::model::{Commit, FileStatus, Level, Memory, MemoryId, Namespace, Timestamp, time, token};
use crate::retrieve::query;
use crate::sys::child::ChildError;
use crate::sys::git::blame::{Committed, Origin};
use place::{Place, parts};

/// Of each list, unless told.
const USUAL_BLAME: usize = 3;
const USUAL: usize = 5;
/// Tokens for each of them that may be told.
const TOKENS: usize = 160;
/// What every entry takes beside its words.
const FRAME: usize = 14;
/// All questions to git together.
const PATIENCE: Duration = Duration::from_secs(6);
/// A sweep may hide another one.
const ROUNDS: usize = 3;
/// More lines are asked about a piece of them.
const MOST_LINES: u32 = 2_000;
const MOST_CHANGES: usize = 200;
const MOST_TOUCHING: usize = 1_000;
const MOST_FILES: usize = 5;
/// A fix of more files is about none of them in particular.
const LEAST_ABOUT: f64 = 0.3;

#[derive(Clone, Debug, Default)]
pub struct Question {
    /// Absolute, or relative to the working tree.
    pub file: String,
    /// First and last.
    pub lines: Option<(u32, u32)>,
    pub symbol: Option<String>,
    pub namespace: Namespace,
    /// The most of each list.
    pub k: Option<usize>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Why {
    pub file: String,
    pub earlier_names: Vec<String>,
    /// What was asked for, or what the lines stand in.
    pub symbol: Option<String>,
    pub lines: Option<(u32, u32)>,
    pub blame: Vec<Blamed>,
    pub explained_by: Vec<Told>,
    /// Newest first.
    pub broke_before: Vec<Told>,
    pub memories: Vec<Arc<Memory>>,
    /// Why something is missing.
    pub note: Option<&'static str>,
}

/// A commit, and the lines that are as it left them.
#[derive(Clone, Debug, PartialEq)]
pub struct Blamed {
    pub lines: Vec<(u32, u32)>,
    /// The file's name then, where it was another.
    pub path: Option<String>,
    pub commit: Told,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    pub id: MemoryId,
    pub at: Timestamp,
    pub author: String,
    pub kind: &'static str,
    pub subject: String,
    pub reason: String,
    pub files: Vec<String>,
    /// What it has to do with the question.
    pub why: &'static str,
}

impl Project {
    /// Reads the file and asks git, for some seconds at the most.
    pub fn why(&self, asked: &Question, cancelled: &dyn Fn() -> bool) -> Result<Why, EngineError> {
        let place = self.place(&asked.file, asked.lines, asked.symbol.as_deref())?;
        let known = self.past_known();
        let mut names = known.cochange.all_names(&place.path);
        names.retain(|name| *name != place.path);
        let mut search = Search::new(self, &known, &place, &names, cancelled);
        let (blame, note) = search.blame();
        let history = search.history();
        let most = asked.k.unwrap_or(USUAL);
        let mut why = Why {
            file: place.path.clone(),
            earlier_names: names.iter().map(|name| (*name).to_owned()).collect(),
            symbol: place.symbol.clone(),
            lines: place.lines,
            blame: blame.into_iter().take(asked.k.unwrap_or(USUAL_BLAME)).collect(),
            note: note.or_else(|| self.is_reading().then_some("the history is still being read")),
            ..Why::default()
        };
        let shown = |why: &Why, commit: &Commit| {
            let id = MemoryId::of_commit(&commit.id);
            let blamed = why.blame.iter().map(|blamed| &blamed.commit);
            blamed.chain(&why.broke_before).any(|told| Some(&told.id) == id.as_ref())
        };
        let broke = history.iter().filter(|found| found.is_trouble && !shown(&why, &found.commit)).take(most);
        why.broke_before = broke.filter_map(|found| told(&found.commit, found.why, cause)).collect();
        let explaining = search.explaining(&history, most).filter(|found| !shown(&why, &found.commit)).take(most);
        why.explained_by = explaining.filter_map(|found| told(&found.commit, found.why, commits::reason)).collect();
        why.memories = self.memories_about(asked, &place, &names, &why, most);
        why.fit(TOKENS * most);
        Ok(why)
    }

    fn is_reading(&self) -> bool {
        self.eyes().is_some_and(|eyes| !eyes.past().progress().is_complete())
    }

    /// What was told first; what was read from commits that are named already is left out.
    fn memories_about(
        &self,
        asked: &Question,
        place: &Place,
        names: &[&str],
        why: &Why,
        most: usize,
    ) -> Vec<Arc<Memory>> {
        let snapshot = self.snapshot();
        let filter = Filter::new(asked.namespace.clone(), self.clock.now());
        let symbol = place.symbol.as_deref().map(|symbol| parts(symbol).1);
        let paths = std::iter::once(place.path.as_str()).chain(names.iter().copied());
        let mut found: Vec<Arc<Memory>> = paths.flat_map(|path| snapshot.anchored_to(path)).cloned().collect();
        found.extend(symbol.into_iter().flat_map(|symbol| snapshot.anchored_to_symbol(symbol)).cloned());
        let told: Vec<&str> = why.commits().filter_map(|told| told.id.commit()).collect();
        found.retain(|memory| {
            let mut commits = memory.anchors.commits.iter();
            filter.admits(memory) && !commits.any(|id| told.iter().any(|told| id.starts_with(told)))
        });
        let names_it = |memory: &Memory| {
            symbol.is_some_and(|name| {
                memory.anchors.symbols.iter().any(|known| known == name) || memory.text.contains(name)
            })
        };
        // A question about some lines is not answered by whatever was read about the file.
        found.retain(|memory| symbol.is_none() || names_it(memory) || !snapshot.is_derived(&memory.key()));
        found.sort_by_key(|memory| {
            let is_derived = snapshot.is_derived(&memory.key());
            let rank = (is_derived, !names_it(memory), memory.tier as u8);
            (rank, std::cmp::Reverse(memory.times.created_at), memory.id.clone())
        });
        found.dedup_by(|one, other| one.id == other.id);
        found.truncate(most);
        found
    }
}

impl Why {
    fn commits(&self) -> impl Iterator<Item = &Told> {
        self.blame.iter().map(|blamed| &blamed.commit).chain(&self.explained_by).chain(&self.broke_before)
    }

    /// The first of every list before the second of any; the lines' own commits before all.
    fn fit(&mut self, most: usize) {
        let mut left = most;
        let mut takes = |tokens: usize| {
            let fits = tokens + FRAME <= left;
            left = if fits { left - tokens - FRAME } else { 0 };
            fits
        };
        let of = |told: &Told| token::estimate(&told.subject) + token::estimate(&told.reason);
        let blame = self.blame.iter().take_while(|blamed| takes(of(&blamed.commit))).count();
        let (mut explained, mut broke, mut memories) = (0, 0, 0);
        let longest = self.explained_by.len().max(self.broke_before.len()).max(self.memories.len());
        for at in 0..longest {
            explained += usize::from(self.explained_by.get(at).is_some_and(|told| takes(of(told))));
            broke += usize::from(self.broke_before.get(at).is_some_and(|told| takes(of(told))));
            let memory = self.memories.get(at).map(|memory| token::estimate(&at_level(memory, Level::Summary)));
            memories += usize::from(memory.is_some_and(&mut takes));
        }
        self.blame.truncate(blame.max(1));
        self.explained_by.truncate(explained);
        self.broke_before.truncate(broke);
        self.memories.truncate(memories);
    }
}

/// A commit that has to do with the question.
struct Found {
    commit: Commit,
    why: &'static str,
    /// How much it explains of what is asked.
    score: f64,
    is_trouble: bool,
}

struct Search<'a> {
    project: &'a Project,
    commits: Option<&'a CommitIndex>,
    place: &'a Place,
    /// Today's first.
    names: Vec<&'a str>,
    committed: Option<Committed>,
    until: Instant,
    cancelled: &'a dyn Fn() -> bool,
}

impl<'a> Search<'a> {
    fn new(
        project: &'a Project,
        known: &'a PastKnown,
        place: &'a Place,
        earlier: &[&'a str],
        cancelled: &'a dyn Fn() -> bool,
    ) -> Search<'a> {
        let committed = place.lines.and_then(|_| Committed::open(&project.root, &place.path, &place.text));
        let until = project.clock.monotonic() + PATIENCE;
        let names = std::iter::once(place.path.as_str()).chain(earlier.iter().copied()).collect();
        Search { project, commits: known.commits.as_deref(), place, names, committed, until, cancelled }
    }

    fn left(&self) -> Duration {
        self.until.saturating_duration_since(self.project.clock.monotonic())
    }

    fn get(&self, id: &str) -> Option<Commit> {
        self.commits?.get(id)
    }

    /// The commits that wrote the lines, and what is to be said if there are none.
    fn blame(&mut self) -> (Vec<Blamed>, Option<&'static str>) {
        let Some((first, last)) = self.place.lines else { return (Vec::new(), None) };
        let Some(committed) = &self.committed else { return (Vec::new(), Some("the file is not committed yet")) };
        let mut passed_over = committed.passed_over();
        let mut origins = Vec::new();
        for _ in 0..ROUNDS {
            let lines = (first, last.min(first + MOST_LINES));
            match committed.blame(lines, &passed_over, self.left(), self.cancelled) {
                Ok(found) => origins = found,
                Err(ChildError::TimedOut(_)) if origins.is_empty() => {
                    return (Vec::new(), Some("git took too long to tell who wrote these lines"));
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
            let commit = told(&self.commit(origin), "wrote these lines", commits::reason)?;
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
            subject: self.project.redaction.text(&origin.subject),
            ..Commit::default()
        })
    }

    /// What happened here, newest first.
    fn history(&self) -> Vec<Found> {
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
        let mut found: Vec<Found> = commits
            .map(|commit| Found {
                score: explains(&commit) * (0.5 + 0.5 * about(&commit)),
                is_trouble: is_trouble(&commit),
                why: "changed these lines",
                commit,
            })
            .collect();
        if let Some(first) = found.last_mut().filter(|_| ids.len() < MOST_CHANGES) {
            first.why = "wrote it first";
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
        let found = commits.search_touching(&query::wanted(name), &self.names, MOST_CHANGES);
        let found = found.into_iter().map(|found| found.commit).filter(|commit| is_named(commit) && !is_sweep(commit));
        found
            .map(|commit| Found {
                score: 1.2 * explains(&commit) * (0.5 + 0.5 * about(&commit)),
                is_trouble: is_trouble(&commit),
                why: "names it",
                commit,
            })
            .collect()
    }

    fn of_file(&self) -> Vec<Found> {
        let Some(commits) = self.commits else { return Vec::new() };
        let stem = crate::index::cochange::stem_of(&self.place.path);
        let touching = commits.touching(&self.names, MOST_TOUCHING);
        let mut found: Vec<Found> = touching
            .into_iter()
            .filter(|commit| !is_sweep(commit))
            .map(|commit| {
                let is_named = stem.len() > 3 && names(&commit, &stem);
                let score = explains(&commit) * about(&commit) * if is_named { 1.5 } else { 1.0 };
                let is_trouble = is_trouble(&commit) && about(&commit) >= LEAST_ABOUT;
                Found { score, is_trouble, why: "about this file", commit }
            })
            .collect();
        if let Some(first) = commits.first_touching(&self.names).filter(|first| self.adds(first)) {
            found.retain(|found| found.commit.id != first.id);
            found.push(Found { score: 0.0, is_trouble: false, why: "added this file", commit: first });
        }
        found
    }

    fn adds(&self, commit: &Commit) -> bool {
        let mut files = commit.files.iter();
        files.any(|file| file.status == FileStatus::Added && self.names.contains(&file.path.as_str()))
    }

    /// The best first; behind them the one that began it all.
    fn explaining<'f>(&self, history: &'f [Found], most: usize) -> impl Iterator<Item = &'f Found> {
        let begins = |found: &&Found| found.why == "added this file" || found.why == "wrote it first";
        let mut best: Vec<&Found> = history.iter().filter(|found| found.score > 0.0).collect();
        best.sort_by(|one, other| other.score.total_cmp(&one.score));
        best.truncate(most.saturating_sub(1).max(1));
        let first = history.iter().find(begins);
        best.extend(first.filter(|first| !best.iter().any(|found| std::ptr::eq(*found, *first))));
        best.into_iter()
    }
}

fn told(commit: &Commit, why: &'static str, reason: fn(&Commit) -> String) -> Option<Told> {
    let memory = as_memory(commit)?;
    let kind = match commits::kind_of(commit) {
        CommitKind::Other => "change",
        kind => kind.as_str(),
    };
    Some(Told {
        id: memory.id,
        at: Timestamp::from_micros(commit.time.saturating_mul(time::SECOND)),
        author: commit.author_name.clone(),
        kind,
        subject: memory.title,
        reason: reason(commit),
        files: memory.anchors.files.into_iter().take(MOST_FILES).collect(),
        why,
    })
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

    fn entry(words: usize) -> Told {
        Told {
            id: MemoryId::of_commit(&"a".repeat(40)).unwrap(),
            at: Timestamp::from_micros(0),
            author: "Ada".into(),
            kind: "fix",
            subject: "Fix the lock".into(),
            reason: "word ".repeat(words),
            files: Vec::new(),
            why: "about this file",
        }
    }

    #[test]
    fn every_list_gets_its_best_before_any_gets_its_second() {
        let blamed = Blamed { lines: vec![(1, 1)], path: None, commit: entry(80) };
        let mut why = Why {
            blame: vec![blamed; 3],
            explained_by: vec![entry(80); 5],
            broke_before: vec![entry(80); 5],
            ..Why::default()
        };
        why.fit(800);
        assert_eq!((why.blame.len(), why.explained_by.len(), why.broke_before.len()), (3, 3, 2));
        let mut short = Why { explained_by: vec![entry(1); 5], broke_before: vec![entry(1); 5], ..Why::default() };
        short.fit(800);
        assert_eq!((short.explained_by.len(), short.broke_before.len()), (5, 5));
    }
}
