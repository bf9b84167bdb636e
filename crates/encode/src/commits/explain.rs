//! How much a commit says to somebody who asks why something is as it is: what it explains, how far it is about one file,
//! and what went wrong there.

use super::marks::{self, Spaced};
use super::prose::Prose;
use super::subject::{self, Subject};
use super::{CommitKind, MOST_FILES, kind, noise, shorten};
use lokid_model::Commit;

const MOST_CHARS: usize = 320;
const MOST_SENTENCES: usize = 3;
/// A sentence of fewer words explains nothing,
const EXPLAINING_WORDS: usize = 8;
/// and more words explain no more.
const ENOUGH_WORDS: f64 = 60.0;
/// A fix that is told in fewer words says what broke only with its cause.
const TELLING_WORDS: usize = 3;
/// What is less about a file than this is about none in particular.
const LEAST_ABOUT: f64 = 0.3;

const FORMATTED: &str = "rustfmt, gofmt, cargo fmt, cargo fix, go fmt, clang-format, clippy, prettier, blacken, blackened, \
    isort, yapf, autopep8, pep8, flake8, pyupgrade, pre-commit, reformat, reformatted, reformats, formatting, whitespace, \
    autoformat, run black, apply black, format code, format all, format everything, ruff format, line endings, trailing \
    comma, trailing commas, typo, typos, spelling, type hints, type annotations, inline types";
const MERGED: &str = "merge master, merge main, merge branch, merge pull, merge remote-tracking";
/// Nothing that broke for anybody who uses the program.
const ASIDE: &str = "linting, linter, shellcheck, type hint, typing, annotations, description, merge issues, edition";

/// The sentences a person wrote, without the subjects that a squash strings together.
fn sentences(commit: &Commit) -> Vec<String> {
    let is_new = |sentence: &String| {
        let repeats = commit.subject.contains(sentence.trim_end_matches('.'));
        !repeats && !sentence.starts_with("This reverts") && Subject::parse(sentence).kind.is_none()
    };
    Prose::parse(&commit.body).paragraphs.into_iter().flatten().filter(is_new).collect()
}

/// What the message says beyond its subject: its first sentences.
pub fn reason(commit: &Commit) -> String {
    joined(&sentences(commit))
}

/// What went wrong, in the words of the commit that set it right: what it says before it tells what was done.
pub fn cause(commit: &Commit) -> String {
    let told = sentences(commit);
    let remedy = told.iter().position(|sentence| marks::tells_remedy(&Spaced::new(sentence)));
    joined(&told[..remedy.filter(|at| *at > 0).unwrap_or(told.len())])
}

fn joined(sentences: &[String]) -> String {
    let mut text = String::new();
    for sentence in sentences.iter().take(MOST_SENTENCES) {
        if !text.is_empty() {
            // Items of a list seldom end with anything.
            text.push_str(if text.ends_with(|c: char| c.is_alphanumeric() || c == '`') { "; " } else { " " });
        }
        text.push_str(sentence);
    }
    shorten(&text, MOST_CHARS)
}

/// From 0 to 1: nothing without a sentence one could learn from, more with a reason and with more words.
pub fn explains(commit: &Commit) -> f64 {
    let subject = Subject::parse(&commit.subject);
    if noise::by_program(commit) || noise::says_nothing(&subject) || noise::is_about_tests(&subject) {
        return 0.0;
    }
    let told = sentences(commit);
    let words = |sentence: &String| sentence.split_whitespace().count();
    if !told.iter().any(|sentence| words(sentence) >= EXPLAINING_WORDS) {
        return 0.0;
    }
    let has_reason = told.iter().any(|sentence| {
        let spaced = Spaced::new(sentence);
        marks::reasons(&spaced) || marks::tells_cause(&spaced)
    });
    let length = (told.iter().map(words).sum::<usize>() as f64 / ENOUGH_WORDS).min(1.0);
    0.4 + if has_reason { 0.4 } else { 0.0 } + 0.2 * length
}

/// From 0 to 1: the fewer files of the program it touches, the more it is about each.
pub fn about(commit: &Commit) -> f64 {
    1.0 / (commit.files.iter().filter(|file| !is_aside(&file.path)).count().max(1) as f64).sqrt()
}

/// A test or a document.
fn is_aside(path: &str) -> bool {
    noise::is_test(path) || noise::is_document(path)
}

/// It moved or reformatted what others wrote.
pub fn is_sweep(commit: &Commit) -> bool {
    commit.files.len() > MOST_FILES
        || Subject::parse(&commit.subject).kind.as_deref() == Some("style")
        || Spaced::new(&commit.subject).has_any(FORMATTED)
        || Spaced::new(&commit.subject).starts_with_any(MERGED)
}

/// Was an earlier commit taken back? One that says so of a part of what it does is none.
pub fn is_revert(commit: &Commit) -> bool {
    let body = commit.body.trim_start();
    subject::reverted(&commit.subject).is_some() || body.starts_with("This reverts commit ")
}

/// A fix of the program, or something that was taken back; told so that one can learn what broke.
pub fn is_trouble(commit: &Commit) -> bool {
    let parsed = Subject::parse(&commit.subject);
    let told = match kind::classify(commit, &parsed) {
        _ if is_revert(commit) => Subject::parse(subject::reverted(&commit.subject).unwrap_or(parsed.text)),
        CommitKind::Fix if !commit.files.iter().all(|file| is_aside(&file.path)) => parsed,
        _ => return false,
    };
    let words = told.text.split_whitespace().filter(|word| !word.contains('#')).count();
    let is_slight =
        noise::is_trivial_fix(&told) || noise::is_about_tests(&told) || Spaced::new(told.text).has_any(ASIDE);
    let says_nothing = noise::says_nothing(&told) || (words < TELLING_WORDS && cause(commit).is_empty());
    !(noise::by_program(commit) || is_sweep(commit) || is_slight || says_nothing)
}

/// Did it mend this file? A fix of many files is about none of them in particular, and tests and documents are not what
/// broke.
pub fn mends(commit: &Commit, path: &str) -> bool {
    is_trouble(commit) && is_about(commit, path)
}

/// The files that a commit mended.
pub fn mended(commit: &Commit) -> impl Iterator<Item = &str> {
    let files = if is_trouble(commit) { commit.files.as_slice() } else { &[] };
    files.iter().map(|file| file.path.as_str()).filter(|path| is_about(commit, path))
}

/// Is it about this file, of those that it touches?
pub fn is_about(commit: &Commit, path: &str) -> bool {
    about(commit) >= LEAST_ABOUT && !is_aside(path)
}

/// Does the message name this, as a word of its own?
pub fn names(commit: &Commit, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let holds = |text: &str| {
        let mut places = text.match_indices(name);
        places.any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part))
    };
    !name.is_empty() && (holds(&commit.subject) || holds(&commit.body))
}

/// Does its subject say anything by itself?
pub fn tells(commit: &Commit) -> bool {
    let subject = Subject::parse(&commit.subject);
    let is_vague = Spaced::new(subject.text).has_any("refactor, refactoring, cleanup, clean up, initial");
    !noise::says_nothing(&subject) && !is_vague && subject.text.split_whitespace().count() >= TELLING_WORDS
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::{FileChange, FileStatus};

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
        for subject in
            ["style: sort", "Run rustfmt", "Reformat with black", "Apply black to the tests", "Merge master in next"]
        {
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
            ("Fixes #711!", false),
            ("Fix linting issues of the parser", false),
        ] {
            assert_eq!(is_trouble(&commit(subject, "", &["src/a.rs"])), expected, "{subject}");
        }
        assert!(!is_trouble(&commit("fix the lock", "", &["tests/a.rs"])));
        let squashed = commit("feat: add a pane", "A pane of its own.\n\n* This reverts commit 0123456789.", &["a.rs"]);
        assert!(!is_revert(&squashed) && !is_trouble(&squashed));
    }

    #[test]
    fn a_fix_mends_the_few_files_of_the_program_that_it_touches() {
        let fix = commit("fix: stop the lock from being taken twice", "", &["src/a.rs", "src/b.rs", "tests/a.rs"]);
        assert_eq!(mended(&fix).collect::<Vec<_>>(), ["src/a.rs", "src/b.rs"]);
        let many: Vec<String> = (0..12).map(|at| format!("f{at}.rs")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(mended(&commit("fix: stop the lock from being taken twice", "", &many)).count(), 0);
        assert_eq!(mended(&commit("Cache the tokens", "", &["src/a.rs"])).count(), 0);
    }

    #[test]
    fn the_cause_stands_before_the_remedy() {
        let fix = commit(
            "Fix the lock",
            "The lock was taken twice when two sessions began at once. This commit takes it only once.",
            &["a.rs"],
        );
        assert_eq!(cause(&fix), "The lock was taken twice when two sessions began at once.");
        let bare = commit("Revert \"Cache\"", "This reverts commit 0123456789.", &["a.rs"]);
        assert_eq!(cause(&bare), "");
    }

    #[test]
    fn a_reason_is_whole_sentences_that_the_subject_does_not_say() {
        let told = commit(
            "fix: close the pool (#12)",
            "fix: close the pool. Sockets were left open.\n\n* lint the tests\n* and more",
            &["a.rs"],
        );
        assert_eq!(reason(&told), "Sockets were left open.");
        assert!(tells(&told) && !tells(&commit("General refactoring. Part 2.", "", &[])));
    }

    #[test]
    fn a_name_is_named_only_as_a_word() {
        let told = commit("Speed up Session.send()", "resend_all stays as it is.", &[]);
        assert!(names(&told, "send") && names(&told, "Session"));
        assert!(!names(&told, "resend") && !names(&told, "") && !names(&told, "sen"));
    }
}
