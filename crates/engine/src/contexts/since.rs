//! Since when the line that an error is at is as it is: the commit that wrote it, and where that commit tested it.

use super::Contexts;
use super::cache::Need;
use super::commits::quoted;
use super::named;
use crate::ground::LARGEST_TEXT;
use lokid_context::parts::FileLine;
use lokid_context::predict::terrain::Terrain;
use lokid_context::predict::{files, goal};
use lokid_encode::commits::{CommitKind, kind_of};
use lokid_model::Commit;
use lokid_sys::git::blame::there_since;

/// Commits of a file that are looked through; what is older is no news.
const MOST_COMMITS: usize = 64;
/// A commit of more files moved the line or formatted it.
const SWEEP: usize = 20;
const YEAR: i64 = 365 * 86_400;
/// Shorter lines stand everywhere.
const SHORTEST_LINE: usize = 12;
const MOST_TESTS: usize = 2;

impl Contexts {
    /// Nothing of a line that stands twice, or that was not committed yet.
    pub(super) fn since(&self, need: &Need, told: &[FileLine]) -> Option<FileLine> {
        let past = self.repository.known();
        let root = self.env.root.to_string_lossy();
        let mut places = need.errors.iter().flat_map(|error| named::places(&error.text, &root, &past.ground));
        let place = places.next()?;
        let (path, number) = (place.file.as_str(), place.line?);
        let text = self.repository.text_of(path, LARGEST_TEXT)?;
        let line = text.lines().nth((number as usize).checked_sub(1)?)?.trim();
        if line.len() < SHORTEST_LINE || text.lines().filter(|other| other.trim() == line).nth(1).is_some() {
            return None;
        }
        let names = past.cochange.all_names(path);
        let commits: Vec<Commit> = past.commits?.touching(&names, MOST_COMMITS);
        let named_then =
            |commit: &Commit| commit.files.iter().find(|file| names.contains(&file.path.as_str())).cloned();
        let then: Vec<(String, String)> =
            commits.iter().filter_map(|commit| Some((commit.id.clone(), named_then(commit)?.path))).collect();
        let looked_at: Vec<(&str, &str)> = then.iter().map(|(id, path)| (id.as_str(), path.as_str())).collect();
        let (id, _) = looked_at[there_since(&self.env.root, &looked_at, line)?];
        let age = |commit: &Commit| self.env.clock.now().as_micros() / 1_000_000 - commit.time;
        let is_telling = |commit: &&Commit| commit.files.len() <= SWEEP && is_news(kind_of(commit), age(commit));
        let commit = commits.iter().find(|commit| commit.id == id).filter(is_telling)?;
        let is_told = |path: &str| {
            told.iter().any(|line| {
                line.text().contains(path) || matches!(line, FileLine::Likely { path: known, .. } if known == path)
            })
        };
        let tests = commit.files.iter().map(|file| past.cochange.name_today(&file.path).unwrap_or(&file.path));
        let tests = tests.filter(|path| {
            files::is_test(path) && goal::is_program(path) && past.ground.is_there(path) && !is_told(path)
        });
        let tests: Vec<&str> = tests.take(MOST_TESTS).collect();
        let tested = if tests.is_empty() { String::new() } else { format!("; tested there by {}", tests.join(", ")) };
        Some(FileLine::Others(format!("{path}:{number} is so since {}{tested}", quoted(commit)?)))
    }
}

/// What was mended may be broken by mending it otherwise, and what is new may be wrong; a line that was tidied up says nothing.
fn is_news(kind: CommitKind, seconds: i64) -> bool {
    let years = match kind {
        CommitKind::Fix | CommitKind::Revert => 4,
        CommitKind::Feature | CommitKind::Other => 2,
        CommitKind::Refactor => 1,
        CommitKind::Merge | CommitKind::Docs | CommitKind::Test | CommitKind::Chore => 0,
    };
    seconds < years * YEAR
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fix_is_news_for_longer_than_what_was_tidied_up() {
        let kinds = [CommitKind::Fix, CommitKind::Feature, CommitKind::Refactor, CommitKind::Chore];
        assert_eq!(kinds.map(|kind| is_news(kind, 3 * YEAR)), [true, false, false, false]);
        assert_eq!(kinds.map(|kind| is_news(kind, YEAR / 2)), [true, true, true, false]);
    }
}
