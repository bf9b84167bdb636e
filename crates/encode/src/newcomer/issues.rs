//! The fix of an issue, tied to the test that came with it: whoever changes the file knows what to run, and why it is so.

use super::hotspots::{is_about_code, is_by_program};
use super::{from_commit, named, paths, subject};
use crate::code::Language;
use crate::commits::{CommitKind, kind_of};
use lokid_model::{Commit, Draft, FileStatus, Kind};

const MOST: usize = 100;
const LATE_DAYS: i64 = 3 * 365;
/// More of either and nobody could say which file was at fault, or which test guards it.
const MOST_SOURCES: usize = 3;
const MOST_TESTS: usize = 2;

/// `commits` are newest first; `today` is how a path is called now, if it stands.
pub fn issues(commits: &[Commit], today: &dyn Fn(&str) -> Option<String>) -> Vec<Draft> {
    let newest = commits.first().map_or(0, |commit| commit.time);
    let mut told: Vec<Draft> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for commit in commits.iter().take(super::MOST_COMMITS) {
        if told.len() == MOST {
            break;
        }
        let is_late = newest.saturating_sub(commit.time) <= LATE_DAYS * 86_400;
        let fits = is_late && !is_by_program(commit) && is_about_code(&commit.subject);
        let Some(issue) = fixed_issue(commit).filter(|_| fits && kind_of(commit) == CommitKind::Fix) else { continue };
        let changed =
            || commit.files.iter().filter(|file| file.status != FileStatus::Deleted).map(|file| file.path.as_str());
        let is_suite = |path: &&str| paths::is_test(path) && !paths::is_foreign(path) && Language::of(path).is_some();
        let sources: Vec<String> = changed().filter(|path| paths::is_source(path)).filter_map(today).collect();
        let tests: Vec<String> = changed().filter(is_suite).filter_map(today).collect();
        let few = (1..=MOST_SOURCES).contains(&sources.len()) && (1..=MOST_TESTS).contains(&tests.len());
        if !few || !seen.insert(issue) {
            continue;
        }
        let text = format!(
            "#{issue}: {} ({}). Fixed in {}; guarded by {}",
            subject(commit),
            named(commit),
            sources.join(", "),
            tests.join(", ")
        );
        told.push(Draft {
            title: format!("#{issue}: {}", subject(commit)),
            files: sources.into_iter().chain(tests).collect(),
            importance: Some(0.35),
            ..from_commit(Kind::Note, &format!("issue\0{issue}"), text, commit)
        });
    }
    told
}

/// The number behind `fixes #12`, `closes #12`, `Fixed #12 --`; one of several is none.
fn fixed_issue(commit: &Commit) -> Option<u64> {
    let mut found = None;
    for line in std::iter::once(commit.subject.as_str()).chain(commit.body.lines().take(60)) {
        let words: Vec<&str> = line.split_whitespace().take(60).collect();
        for pair in words.windows(2) {
            let verb = pair[0].trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
            let verbs = ["fix", "fixes", "fixed", "close", "closes", "closed", "resolve", "resolves", "resolved"];
            let number =
                pair[1].trim_start_matches('(').strip_prefix('#').or_else(|| Some(pair[1].rsplit_once("/issues/")?.1));
            let number = number
                .map(|rest| rest.trim_end_matches(|c: char| !c.is_ascii_digit()))
                .and_then(|rest| rest.parse().ok());
            if let Some(number) = number.filter(|_| verbs.contains(&verb.as_str())) {
                if found.is_some_and(|known| known != number) {
                    return None;
                }
                found = Some(number);
            }
        }
    }
    found
}
