//! What sort of commit it is, by its subject first and its body second.

use super::marks::{self, Spaced};
use super::prose::{self, Prose};
use super::subject::{self, Subject};
use lokid_model::Commit;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CommitKind {
    Merge,
    Revert,
    Fix,
    Feature,
    Refactor,
    Docs,
    Test,
    Chore,
    Other,
}

impl CommitKind {
    pub fn as_str(self) -> &'static str {
        match self {
            CommitKind::Merge => "merge",
            CommitKind::Revert => "revert",
            CommitKind::Fix => "fix",
            CommitKind::Feature => "feature",
            CommitKind::Refactor => "refactor",
            CommitKind::Docs => "docs",
            CommitKind::Test => "test",
            CommitKind::Chore => "chore",
            CommitKind::Other => "other",
        }
    }
}

pub fn kind_of(commit: &Commit) -> CommitKind {
    classify(commit, &Subject::parse(&commit.subject))
}

pub(super) fn classify(commit: &Commit, subject: &Subject<'_>) -> CommitKind {
    if commit.is_merge() {
        return CommitKind::Merge;
    }
    if subject::reverted(&commit.subject).is_some() || prose::reverted_commit(&commit.body).is_some() {
        return CommitKind::Revert;
    }
    if let Some(kind) = subject.kind.as_deref().and_then(by_type) {
        return kind;
    }
    by_words(commit, subject)
}

fn by_type(word: &str) -> Option<CommitKind> {
    Some(match word {
        "fix" | "bugfix" | "hotfix" | "bug" | "security" => CommitKind::Fix,
        "feat" | "feature" | "perf" | "deprecate" => CommitKind::Feature,
        "refactor" | "cleanup" => CommitKind::Refactor,
        "docs" | "doc" => CommitKind::Docs,
        "test" | "tests" => CommitKind::Test,
        "chore" | "build" | "ci" | "style" | "deps" | "release" => CommitKind::Chore,
        _ => return None,
    })
}

fn by_words(commit: &Commit, subject: &Subject<'_>) -> CommitKind {
    let spaced = Spaced::new(subject.text);
    let area = subject.scope.unwrap_or("").to_ascii_lowercase();
    if ["doc", "docs", "readme", "changelog"].contains(&area.as_str()) {
        return CommitKind::Docs;
    }
    if ["test", "tests"].contains(&area.as_str()) {
        return CommitKind::Test;
    }
    let troubled = || {
        marks::is_troubled(&spaced)
            || Prose::parse(&commit.body).paragraphs.iter().flatten().any(|said| is_about_trouble(said))
    };
    if is_fix(&spaced) || (subject.fixes_ticket && troubled()) {
        return CommitKind::Fix;
    }
    if spaced.starts_with_any("add, added, adds, implement, implemented, introduce, support, allow") {
        let tests = spaced.starts_with_any("add test, add tests, added test, added tests");
        return if tests { CommitKind::Test } else { CommitKind::Feature };
    }
    if spaced.starts_with_any("refactor, refactored, rename, renamed, move, moved, extract, simplify, split") {
        return CommitKind::Refactor;
    }
    if spaced.starts_with_any("document, documented, docs, clarify, clarified") {
        return CommitKind::Docs;
    }
    if spaced.starts_with_any("test, tests") {
        return CommitKind::Test;
    }
    if spaced.starts_with_any("bump, upgrade, release, chore") {
        return CommitKind::Chore;
    }
    if subject.fixes_ticket {
        return CommitKind::Fix;
    }
    if closes_bug(&commit.body) && !marks::chooses(&spaced) && troubled() { CommitKind::Fix } else { CommitKind::Other }
}

fn is_fix(subject: &Spaced) -> bool {
    let about_reports = subject.has_any("bug report, bug reports, bug tracker, bug template");
    subject.has_any("fix, fixes, fixed, fixing, bugfix, hotfix") || (subject.has_any("bug, bugs") && !about_reports)
}

fn is_about_trouble(sentence: &str) -> bool {
    let spaced = Spaced::new(sentence);
    marks::is_troubled(&spaced) || spaced.has_any("the problem, the issue, caused by, error")
}

/// `Fixes #12` in the body, which wishes are closed with as well. `Closes #12` closes wishes as well.
fn closes_bug(body: &str) -> bool {
    body.lines().rev().take(40).any(|line| {
        let mut words = line.split_whitespace();
        let verb = words.next().unwrap_or("").trim_end_matches(':').to_ascii_lowercase();
        let number = words.next().is_some_and(|word| word.contains('#') || word.contains("/issues/"));
        number && ["fixes", "fixed", "fix"].contains(&verb.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(subject: &str, body: &str, expect: CommitKind) {
        let commit = Commit { subject: subject.into(), body: body.into(), parents: 1, ..Commit::default() };
        assert_eq!(kind_of(&commit), expect, "{subject}");
    }

    #[test]
    fn a_prefix_is_not_a_fix() {
        check("Handle the prefix of fixtures while debugging", "", CommitKind::Other);
        check("Add a prefix to every suffix", "", CommitKind::Feature);
    }

    #[test]
    fn kinds_are_told_by_type_by_words_and_by_what_is_closed() {
        check("fix(io): retry", "", CommitKind::Fix);
        check("FIX: retry", "", CommitKind::Fix);
        check("feat: retry", "Fixes #12", CommitKind::Feature);
        check("Fixed #12 -- Retried twice.", "", CommitKind::Fix);
        check("searcher: fix the bug in line counts", "", CommitKind::Fix);
        check("Retry twice", "The first try fails on slow disks.\n\nFixes #12", CommitKind::Fix);
        check("Retry twice", "It helps a bit.\n\nFixes #12", CommitKind::Other);
        check("Retry twice", "Closes #12", CommitKind::Other);
        check("Update the bug report template", "", CommitKind::Other);
        check("Revert \"Retry twice\"", "", CommitKind::Revert);
        check("Go back to one try", "This reverts commit 0123456789.", CommitKind::Revert);
        check("refactor: split", "", CommitKind::Refactor);
        check("docs: say more", "", CommitKind::Docs);
        check("Add tests for retries", "", CommitKind::Test);
        check("chore: bump", "", CommitKind::Chore);
        check("", "", CommitKind::Other);
        let merge = Commit { parents: 2, subject: "fix: x".into(), ..Commit::default() };
        assert_eq!(kind_of(&merge), CommitKind::Merge);
    }
}
