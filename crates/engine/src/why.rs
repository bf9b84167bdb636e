//! Why something is as it is: the commits that wrote these lines, those that explain them, what broke here before, and
//! what is remembered about it. The best of each, within a budget of tokens.

mod place;
mod search;

use std::sync::Arc;

use super::error::EngineError;
use super::recall::Recall;
use lokid_encode::commits::{CommitKind, as_memory, cause, is_revert, kind_of, reason};
use lokid_encode::compress::at_level;
use lokid_index::roster::Filter;
use lokid_model::{Commit, Kind, Level, Memory, MemoryId, Namespace, Timestamp, time, token};
pub(crate) use place::definition_around;
use place::{WhyPlace, parts};
use search::{Found, WhySearch};

/// Of each list, unless told.
const USUAL_BLAME: usize = 3;
const USUAL: usize = 5;
/// Tokens for each of them that may be told.
const TOKENS: usize = 160;
/// What every entry takes beside its words.
const FRAME: usize = 14;
const MOST_FILES: usize = 5;

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
    pub explained_by: Vec<WhyCommit>,
    /// Newest first.
    pub broke_before: Vec<WhyCommit>,
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
    pub commit: WhyCommit,
}

#[derive(Clone, Debug, PartialEq)]
pub struct WhyCommit {
    pub id: MemoryId,
    pub at: Timestamp,
    pub author: String,
    pub kind: &'static str,
    pub subject: String,
    pub reason: String,
    pub files: Vec<String>,
    /// What it has to do with the question.
    pub why: String,
}

impl Recall {
    /// Reads the file and asks git, for some seconds at the most.
    pub fn why(&self, asked: &Question, cancelled: &dyn Fn() -> bool) -> Result<Why, EngineError> {
        let place = self.place(&asked.file, asked.lines, asked.symbol.as_deref())?;
        let known = self.repository.known();
        let search = WhySearch::new(self, &known, &place, cancelled);
        let (blame, note) = search.blame();
        let history = search.history();
        let most = asked.k.unwrap_or(USUAL);
        let mut why = Why {
            file: place.path.clone(),
            earlier_names: search.names[1..].to_vec(),
            symbol: place.symbol.clone(),
            lines: place.lines,
            blame: blame.into_iter().take(asked.k.unwrap_or(USUAL_BLAME)).collect(),
            note: note.or_else(|| self.repository.is_reading().then_some("the history is still being read")),
            ..Why::default()
        };
        why.broke_before = broken(history.iter().filter(|found| !why.tells(&found.commit)), most);
        let explaining = explaining(&history, most).into_iter().filter(|found| !why.tells(&found.commit));
        why.explained_by = explaining.filter_map(|found| told(&found.commit, &found.why, reason)).collect();
        why.memories = self.memories_about(asked, &place, &search.names, most);
        why.fit(TOKENS * most);
        Ok(why)
    }

    /// What was told first. What was read from commits is left out: the commits themselves are told.
    fn memories_about(&self, asked: &Question, place: &WhyPlace, names: &[String], most: usize) -> Vec<Arc<Memory>> {
        let snapshot = self.writer.snapshot();
        let filter = Filter::new(asked.namespace.clone(), self.env.clock.now());
        let symbol = place.symbol.as_deref().map(|symbol| parts(symbol).1);
        let mut found: Vec<Arc<Memory>> = names.iter().flat_map(|path| snapshot.anchored_to(path)).cloned().collect();
        found.extend(symbol.into_iter().flat_map(|symbol| snapshot.anchored_to_symbol(symbol)).cloned());
        let is_derived = |memory: &Memory| snapshot.is_derived(&memory.key());
        let names_it = |memory: &Memory| {
            symbol.is_some_and(|name| {
                memory.anchors.symbols.iter().any(|known| known == name) || memory.text.contains(name)
            })
        };
        found.retain(|memory| {
            // A question about some lines is not answered by whatever was read about the file.
            let is_about = !is_derived(memory)
                || (memory.anchors.commits.is_empty()
                    && memory.kind != Kind::CodePattern
                    && (place.lines.is_none() || names_it(memory)));
            filter.admits(memory) && is_about
        });
        found.sort_by_key(|memory| {
            let rank = (is_derived(memory), !names_it(memory), memory.tier as u8);
            (rank, std::cmp::Reverse(memory.times.created_at), memory.id.clone())
        });
        found.dedup_by(|one, other| one.id == other.id);
        found.truncate(most);
        found
    }
}

impl Why {
    /// Is the commit told already?
    fn tells(&self, commit: &Commit) -> bool {
        let id = MemoryId::of_commit(&commit.id);
        let mut told = self.blame.iter().map(|blamed| &blamed.commit).chain(&self.broke_before);
        told.any(|told| Some(&told.id) == id.as_ref())
    }

    /// The first of every list before the second of any; the lines' own commits before all.
    fn fit(&mut self, most: usize) {
        let mut left = most;
        let mut takes = |tokens: usize| {
            let fits = tokens + FRAME <= left;
            left = if fits { left - tokens - FRAME } else { 0 };
            fits
        };
        let of = |told: &WhyCommit| token::estimate(&told.subject) + token::estimate(&told.reason);
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

/// The best first; behind them the one that began it all.
fn explaining(history: &[Found], most: usize) -> Vec<&Found> {
    let mut best: Vec<&Found> = history.iter().filter(|found| found.score > 0.0).collect();
    best.sort_by(|one, other| other.score.total_cmp(&one.score));
    best.truncate(most.saturating_sub(1).max(1));
    let first = history.iter().find(|found| found.is_first);
    let is_new = |first: &&Found| !best.iter().any(|found| found.commit.id == first.commit.id);
    best.extend(first.filter(is_new).into_iter().collect::<Vec<_>>());
    best
}

/// Those that tell their cause before those that do not; in the order of time.
fn broken<'f>(history: impl Iterator<Item = &'f Found>, most: usize) -> Vec<WhyCommit> {
    let newest = history.filter(|found| found.is_trouble).take(2 * most);
    let mut broke: Vec<WhyCommit> = newest.filter_map(|found| told(&found.commit, &found.why, cause)).collect();
    broke.sort_by_key(|told| told.reason.is_empty());
    broke.truncate(most);
    broke.sort_by_key(|told| std::cmp::Reverse(told.at));
    broke
}

pub(super) fn told(commit: &Commit, why: &str, reason: fn(&Commit) -> String) -> Option<WhyCommit> {
    let memory = as_memory(commit)?;
    let kind = match kind_of(commit) {
        _ if is_revert(commit) => "revert",
        CommitKind::Fix => "fix",
        CommitKind::Feature => "feature",
        CommitKind::Refactor => "refactor",
        _ => "change",
    };
    Some(WhyCommit {
        id: memory.id,
        at: Timestamp::from_micros(commit.time.saturating_mul(time::SECOND)),
        author: commit.author_name.clone(),
        kind,
        subject: memory.title,
        reason: reason(commit),
        files: memory.anchors.files.into_iter().take(MOST_FILES).collect(),
        why: why.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(words: usize) -> WhyCommit {
        WhyCommit {
            id: MemoryId::of_commit(&"a".repeat(40)).unwrap(),
            at: Timestamp::from_micros(0),
            author: "Ada".into(),
            kind: "fix",
            subject: "Fix the lock".into(),
            reason: "word ".repeat(words),
            files: Vec::new(),
            why: "about this file".into(),
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
        assert_eq!((why.blame.len(), why.explained_by.len(), why.broke_before.len()), (3, 2, 2));
        let mut short = Why { explained_by: vec![entry(1); 5], broke_before: vec![entry(1); 5], ..Why::default() };
        short.fit(800);
        assert_eq!((short.explained_by.len(), short.broke_before.len()), (5, 5));
    }
}
