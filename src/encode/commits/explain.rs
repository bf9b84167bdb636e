//! How much a commit says to somebody who asks why something is as it is: what it explains, how far it is about one file,
//! and what went wrong there.

use super::marks::{self, Spaced};
use super::prose::Prose;
use super::subject::{self, Subject};
use super::{CommitKind, EXPLAINING_WORDS, MOST_FILES, kind, noise, only_aside, reason, shorten};
use crate::model::Commit;

const MOST_CAUSE: usize = 320;
/// More words explain no more.
const ENOUGH_WORDS: f64 = 60.0;

const FORMATTED: &str = "rustfmt, gofmt, cargo fmt, go fmt, clang-format, prettier, blacken, blackened, isort, yapf, \
    autopep8, pyupgrade, pre-commit, reformat, reformatted, reformats, formatting, whitespace, autoformat, run black, \
    apply black, format code, format all, format everything, ruff format, line endings, trailing comma, trailing commas";

/// From 0 to 1: nothing without a sentence one could learn from, more with a reason and with more words.
pub fn explains(commit: &Commit) -> f64 {
    let prose = Prose::parse(&commit.body);
    let sentences = || prose.paragraphs.iter().flatten();
    let words: usize = sentences().map(|sentence| sentence.split_whitespace().count()).sum();
    if words < EXPLAINING_WORDS / 2
        || noise::by_program(commit)
        || noise::says_nothing(&Subject::parse(&commit.subject))
    {
        return 0.0;
    }
    let has_reason = sentences().any(|sentence| {
        let spaced = Spaced::new(sentence);
        marks::reasons(&spaced) || marks::tells_cause(&spaced)
    });
    let length = (words as f64 / ENOUGH_WORDS).min(1.0);
    0.4 + if has_reason { 0.4 } else { 0.0 } + 0.2 * length
}

/// From 0 to 1: the fewer files of the program it touches, the more it is about each.
pub fn about(commit: &Commit) -> f64 {
    let is_aside = |path: &str| noise::is_test(path) || noise::is_document(path);
    let files = commit.files.iter().filter(|file| !is_aside(&file.path)).count();
    1.0 / (files.max(1) as f64).sqrt()
}

/// It moved or reformatted what others wrote.
pub fn is_sweep(commit: &Commit) -> bool {
    commit.files.len() > MOST_FILES
        || Subject::parse(&commit.subject).kind.as_deref() == Some("style")
        || Spaced::new(&commit.subject).has_any(FORMATTED)
}

/// A fix of the program, or something that was taken back.
pub fn is_trouble(commit: &Commit) -> bool {
    let parsed = Subject::parse(&commit.subject);
    let (is_revert, told) = match kind::classify(commit, &parsed) {
        CommitKind::Fix => (false, parsed),
        CommitKind::Revert => (true, Subject::parse(subject::reverted(&commit.subject).unwrap_or(parsed.text))),
        _ => return false,
    };
    let is_slight = noise::is_trivial_fix(&told) || noise::is_about_tests(&told);
    !(noise::by_program(commit)
        || noise::says_nothing(&told)
        || is_sweep(commit)
        || is_slight
        || (only_aside(commit) && !is_revert))
}

/// What went wrong, in the words of the commit that set it right: the paragraph that tells a cause; else what the message
/// says at all.
pub fn cause(commit: &Commit) -> String {
    let prose = Prose::parse(&commit.body);
    let tells = |sentence: &String| {
        let spaced = Spaced::new(sentence);
        marks::tells_cause(&spaced) && !marks::tells_remedy(&spaced)
    };
    let is_form = |sentence: &String| sentence.starts_with("This reverts");
    let Some(told) = prose.paragraphs.iter().find(|paragraph| paragraph.iter().any(tells)) else {
        let bare = prose.paragraphs.iter().flatten().all(is_form);
        return if bare { String::new() } else { reason(commit) };
    };
    let remedy = told.iter().position(|sentence| marks::tells_remedy(&Spaced::new(sentence)));
    let end = remedy.filter(|at| *at > 0).unwrap_or(told.len());
    shorten(&told[..end].join(" "), MOST_CAUSE)
}

/// Does the message name this, as a word of its own?
pub fn names(commit: &Commit, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let holds = |text: &str| {
        text.match_indices(name)
            .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part))
    };
    !name.is_empty() && (holds(&commit.subject) || holds(&commit.body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FileChange, FileStatus};

    fn commit(subject: &str, body: &str, files: &[&str]) -> Commit {
        let files = files.iter().map(|path| FileChange { path: (*path).to_owned(), status: FileStatus::Modified });
        let files = files.collect();
        Commit { subject: subject.into(), body: body.into(), parents: 1, files, ..Commit::default() }
    }

    #[test]
    fn a_reason_explains_more_than_a_description_and_a_bare_subject_nothing() {
        let described =
            commit("Cache the tokens", "The tokens of a session are kept in a map of their own.", &["a.rs"]);
        let reasoned = commit("Cache the tokens", "We cache them because parsing took half of the time.", &["a.rs"]);
        assert!(explains(&reasoned) > explains(&described) && explains(&described) > 0.0);
        assert!(explains(&commit("Cache the tokens", "Fixes #12", &["a.rs"])).abs() < f64::EPSILON);
        assert!(explains(&commit("Bump to 2.0", "It is released because it is time.", &["a.rs"])).abs() < f64::EPSILON);
    }

    #[test]
    fn tests_and_documents_do_not_make_a_commit_about_less() {
        let alone = commit("x", "", &["src/a.rs", "tests/a.rs", "docs/a.md"]);
        assert!((about(&alone) - 1.0).abs() < f64::EPSILON);
        assert!(about(&commit("x", "", &["a.rs", "b.rs"])) < 1.0);
    }

    #[test]
    fn sweeps_are_told_by_their_words_or_their_size() {
        for subject in ["style: sort", "Run rustfmt", "Reformat with black", "Apply black to the tests"] {
            assert!(is_sweep(&commit(subject, "", &["a.rs"])), "{subject}");
        }
        for subject in ["Format dates as ISO 8601", "Black list of hosts"] {
            assert!(!is_sweep(&commit(subject, "", &["a.rs"])), "{subject}");
        }
        let many: Vec<String> = (0..=MOST_FILES).map(|at| format!("f{at}.rs")).collect();
        assert!(is_sweep(&commit("Move it", "", &many.iter().map(String::as_str).collect::<Vec<_>>())));
    }

    #[test]
    fn trouble_is_a_fix_of_the_program_or_a_revert() {
        for (subject, expected) in [
            ("fix: stop the lock from being taken twice", true),
            ("Revert \"Cache the tokens of a session\"", true),
            ("fix typo", false),
            ("docs: fix the example", false),
            ("Cache the tokens", false),
        ] {
            assert_eq!(is_trouble(&commit(subject, "", &["src/a.rs"])), expected, "{subject}");
        }
        assert!(!is_trouble(&commit("fix the lock", "", &["tests/a.rs"])));
    }

    #[test]
    fn the_cause_stands_before_the_remedy() {
        let fix = commit(
            "Fix the lock",
            "The lock was taken twice when two sessions began at once. Now it is taken only once.",
            &["a.rs"],
        );
        assert_eq!(cause(&fix), "The lock was taken twice when two sessions began at once.");
        let bare = commit("Revert \"Cache\"", "This reverts commit 0123456789.", &["a.rs"]);
        assert_eq!(cause(&bare), "");
    }

    #[test]
    fn a_name_is_named_only_as_a_word() {
        let told = commit("Speed up Session.send()", "resend_all stays as it is.", &[]);
        assert!(names(&told, "send") && names(&told, "Session"));
        assert!(!names(&told, "resend") && !names(&told, "") && !names(&told, "sen"));
    }
}
