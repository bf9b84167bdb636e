//! Since when what an error is at is as it is, and what was mended there before: the commits that changed its function, or else that
//! wrote its line, and where they tested it.

use super::Contexts;
use super::cache::Need;
use super::commits::quoted;
use super::lines::{LINTS, TYPES};
use super::named;
use crate::ground::LARGEST_TEXT;
use crate::why::definition_around;
use lokid_context::parts::FileLine;
use lokid_context::predict::terrain::Terrain;
use lokid_context::predict::{files, goal};
use lokid_context::situation;
use lokid_encode::code::{Definition, DefinitionKind};
use lokid_encode::commits::{CommitKind, kind_of};
use lokid_index::analyze;
use lokid_model::Commit;
use lokid_sys::git::blame::changes_of;

/// Commits of a file that are looked through; what is older is no news.
const MOST_COMMITS: usize = 24;
/// A commit of more files moved the line or formatted it.
const SWEEP: usize = 20;
const LATEST: usize = 5;
const YEAR: i64 = 365 * 86_400;
/// Lines above and below one in a long function.
const AROUND: u32 = 6;
const SHORTEST_NAME: usize = 4;
const LONGEST_FUNCTION: u32 = 60;
/// What a commit of a program, its tests and a text touches is meant by its subject.
const FEW_FILES: usize = 3;
/// In a larger one tests were touched for other reasons.
const SMALL: usize = 5;
const MOST_TESTS: usize = 2;
const FEWEST_WORDS: usize = 2;
const IDLE: [&str; 9] =
    ["comment", "comments", "docstring", "docstrings", "typo", "typos", "readability", "wording", "spelling"];

impl Contexts {
    /// Nothing of what was not committed yet, and of no line that stands twice.
    pub(super) fn since(&self, need: &Need, told: &[FileLine]) -> Option<String> {
        let past = self.repository.known();
        let root = self.env.root.to_string_lossy();
        let mut places = need.errors.iter().flat_map(|error| named::places(&error.text, &root, &past.ground));
        let place = places.next()?;
        let (path, number) = (place.file.as_str(), place.line?);
        let text = self.repository.text_of(path, LARGEST_TEXT)?;
        let around = definition_around(path, &text, (number, number));
        let is_one_thing = |around: &Definition| (1..LONGEST_FUNCTION).contains(&(around.end_line - around.line));
        let around = around.filter(|around| around.kind != DefinitionKind::Type && is_one_thing(around));
        let (name, what, lines) = match &around {
            Some(around) => {
                let shown = Some(self.shown(&around.name)).filter(|name| !name.is_empty())?;
                let what = format!("{shown} ({path}:{})", around.line);
                // What changed elsewhere in it is another matter.
                let near = (number.saturating_sub(AROUND).max(around.line), (number + AROUND).min(around.end_line));
                (around.name.to_lowercase(), what, near)
            }
            None => {
                let around = (number.saturating_sub(AROUND).max(1), number + AROUND);
                (String::new(), format!("what stands around {path}:{number}"), around)
            }
        };
        let names = past.cochange.all_names(path);
        let commits: Vec<Commit> = past.commits.as_ref()?.touching(&names, MOST_COMMITS);
        let named_then =
            |commit: &Commit| commit.files.iter().find(|file| names.contains(&file.path.as_str())).cloned();
        let then: Vec<(&Commit, String)> =
            commits.iter().filter_map(|commit| Some((commit, named_then(commit)?.path))).collect();
        let versions: Vec<(&str, &str)> =
            then.iter().map(|(commit, path)| (commit.id.as_str(), path.as_str())).collect();
        let age = |commit: &Commit| self.env.clock.now().as_micros() / 1_000_000 - commit.time;
        // Who says its name meant it; of others few have to do with what fails.
        let speaks = |commit: &Commit| {
            name.len() >= SHORTEST_NAME
                && [&commit.subject, &commit.body].iter().any(|text| text.to_lowercase().contains(&name))
        };
        let is_meant = |commit: &Commit, few: usize| {
            commit.files.len() <= SWEEP
                && is_news(kind_of(commit), age(commit))
                && says_what(&commit.subject)
                && (speaks(commit) || commit.files.len() <= few)
        };
        let mut changes = changes_of(&self.env.root, &text, lines, &versions).map(|at| then[at].0);
        let is_fix = |commit: &Commit| kind_of(commit) == CommitKind::Fix;
        // What came last is the first to be doubted.
        let newest = past.commits.as_ref()?.newest(LATEST);
        let is_latest = |commit: &Commit| newest.iter().any(|known| known.id == commit.id);
        let few = |commit: &Commit| match () {
            () if is_latest(commit) => SWEEP,
            () if is_fix(commit) => SMALL,
            () => FEW_FILES,
        };
        let since = changes.next().filter(|last| is_meant(last, few(last)));
        let is_meant_fix = |commit: &&Commit| is_fix(commit) && is_meant(commit, SMALL);
        let fix = if since.is_some_and(is_fix) { None } else { changes.find(is_meant_fix) };
        let is_told = |path: &str| {
            told.iter().any(|line| {
                line.text().contains(path) || matches!(line, FileLine::Likely { path: known, .. } if known == path)
            })
        };
        let tests = since.into_iter().chain(fix).filter(|commit| commit.files.len() <= SMALL);
        let tests = tests.flat_map(|commit| &commit.files);
        let tests = tests.map(|file| past.cochange.name_today(&file.path).unwrap_or(&file.path));
        let tests = tests.filter(|path| {
            files::is_test(path) && goal::is_program(path) && past.ground.is_there(path) && !is_told(path)
        });
        let tests: Vec<&str> = tests.take(MOST_TESTS).collect();
        let tested = (!tests.is_empty()).then(|| format!("tested there by {}", tests.join(", ")));
        let fixed = fix.and_then(quoted).map(|fix| format!("was fixed before by {fix}"));
        let since = since.and_then(quoted).map(|since| format!("is so since {since}"));
        let said: Vec<String> = since.into_iter().chain(fixed).chain(tested).collect();
        (said.len() > usize::from(!tests.is_empty())).then(|| format!("{what} {}", said.join("; ")))
    }
}

/// "Fix" and "Fix tests" do not, nor does what a linter asked for, or what changes no deed.
fn says_what(subject: &str) -> bool {
    let words = analyze::distinct(subject, situation::MOST_WORDS);
    let mut said = subject.split(|sign: char| !sign.is_alphanumeric()).map(str::to_lowercase);
    let is_idle = said.any(|word| [&LINTS[..], &TYPES, &IDLE].iter().any(|words| words.contains(&word.as_str())));
    !is_idle
        && !subject.starts_with("Merge ")
        && words.iter().filter(|word| !situation::is_doing(word)).count() >= FEWEST_WORDS
}

/// What was mended may be broken by mending it otherwise, and what is new may be wrong; a line that was tidied up says nothing.
fn is_news(kind: CommitKind, seconds: i64) -> bool {
    let years = match kind {
        CommitKind::Fix | CommitKind::Revert => 4,
        CommitKind::Feature | CommitKind::Other => 2,
        CommitKind::Refactor | CommitKind::Merge | CommitKind::Docs | CommitKind::Test | CommitKind::Chore => 0,
    };
    seconds < years * YEAR
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_that_says_nothing_is_none_to_tell() {
        assert!(["Keep the lamp on", "fix(cli): no empty answers"].iter().all(|subject| says_what(subject)));
        assert!(
            ![
                "fix",
                "Fix tests",
                "wip",
                "Update",
                "clippy: Fix new clippy rules",
                "Merge commit from fork",
                "Add a comment to it"
            ]
            .iter()
            .any(|subject| says_what(subject))
        );
    }

    #[test]
    fn a_fix_is_news_for_longer_than_what_was_tidied_up() {
        let kinds = [CommitKind::Fix, CommitKind::Feature, CommitKind::Refactor, CommitKind::Chore];
        assert_eq!(kinds.map(|kind| is_news(kind, 3 * YEAR)), [true, false, false, false]);
        assert_eq!(kinds.map(|kind| is_news(kind, YEAR / 2)), [true, true, false, false]);
    }
}
