//! Files that were fixed or reverted again and again, with what it was the last three times.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::{from_commit, named, paths, subject};
use crate::commits::{CommitKind, kind_of};
use crate::prose;
use lokid_model::{Commit, Draft, Kind};

const MOST: usize = 12;
/// Fewer mishaps are everybody's lot.
const LEAST: usize = 6;
/// A commit that touches more is a sweep.
const MOST_FILES: usize = 12;
/// What lies further back was another program, unless little has happened since.
const LATE_DAYS: i64 = 3 * 365;
const LATE_COMMITS: usize = 1_000;
const CAUSES: usize = 3;

/// `commits` are newest first; `today` is how a path is called now, if it stands.
pub fn hotspots(commits: &[Commit], today: &dyn Fn(&str) -> Option<String>) -> Vec<Draft> {
    let newest = commits.first().map_or(0, |commit| commit.time);
    let mut fixed: BTreeMap<String, Vec<&Commit>> = BTreeMap::new();
    let mut told = BTreeSet::new();
    for (at, commit) in commits.iter().take(super::MOST_COMMITS).enumerate() {
        let is_late = at < LATE_COMMITS || newest.saturating_sub(commit.time) <= LATE_DAYS * 86_400;
        if !is_late || !is_mishap(commit) || !told.insert(subject(commit)) {
            continue;
        }
        let sources = commit.files.iter().filter(|file| paths::is_source(&file.path));
        let standing: BTreeSet<String> = sources.filter_map(|file| today(&file.path)).collect();
        for path in standing {
            fixed.entry(path).or_default().push(commit);
        }
    }
    let mut counts: Vec<usize> = fixed.values().map(Vec::len).collect();
    counts.sort_unstable();
    // Outstanding: far above what is usual among the files that were fixed at all.
    let usual = counts.get(counts.len() * 9 / 10).copied().unwrap_or(0);
    let mut hot: Vec<(&String, &Vec<&Commit>)> =
        fixed.iter().filter(|(_, commits)| commits.len() >= LEAST.max(usual)).collect();
    hot.sort_by_key(|(path, commits)| (Reverse(commits.len()), *path));
    hot.into_iter().take(MOST).map(|(path, commits)| tell(path, commits)).collect()
}

fn tell(path: &str, commits: &[&Commit]) -> Draft {
    let causes: Vec<String> =
        commits.iter().take(CAUSES).map(|commit| format!("{} ({})", subject(commit), named(commit))).collect();
    let since =
        commits.last().map_or(String::new(), |commit| named(commit).rsplit(' ').next().unwrap_or("").to_owned());
    let text =
        format!("`{path}` was fixed or reverted {} times since {since}. Lately: {}", commits.len(), causes.join("; "));
    Draft {
        title: format!("{path} breaks often"),
        files: vec![path.to_owned()],
        commits: commits.iter().take(CAUSES).map(|commit| commit.id.clone()).collect(),
        importance: Some(0.45),
        ..from_commit(Kind::Note, &format!("hotspot\0{path}"), text, commits[0])
    }
}

/// A fix or a revert of the program by a person.
fn is_mishap(commit: &Commit) -> bool {
    !commit.is_merge()
        && commit.files.len() <= MOST_FILES
        && !is_by_program(commit)
        && is_about_code(&commit.subject)
        && matches!(kind_of(commit), CommitKind::Fix | CommitKind::Revert)
}

pub(super) fn is_by_program(commit: &Commit) -> bool {
    let name = commit.author_name.to_lowercase();
    ["[bot]", "dependabot", "renovate", "-bot", "github-actions", "pre-commit-ci"]
        .iter()
        .any(|sign| name.contains(sign))
}

/// Corrections of spelling, style and tests are none of the program.
pub(super) fn is_about_code(subject: &str) -> bool {
    let lower = prose::head(subject, 400).to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|word| !word.is_empty()).collect();
    #[rustfmt::skip]
    const ASIDE: &[&str] = &[
        "typo", "typos", "lint", "lints", "linter", "clippy", "fmt", "format", "formatting", "spelling", "grammar",
        "docs", "doc", "docstring", "docstrings", "comment", "comments", "readme", "changelog", "ci", "flaky", "test",
        "tests", "bump", "whitespace", "rustdoc", "link", "links", "warnings", "warning", "jsdoc", "godoc", "deps",
        "documentation", "mypy", "eslint", "wording", "release", "version", "chore", "style", "example", "examples",
        "license", "copyright", "import", "imports", "flake8", "pylint", "ruff", "isort", "benchmark", "benchmarks", "github", "workflow", "workflows", "codecov", "coverage",
    ];
    words.len() >= 3 && !words.iter().any(|word| ASIDE.contains(word))
}
