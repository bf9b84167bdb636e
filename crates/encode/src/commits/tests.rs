//! Commits in, memories out.

use super::*;
use lokid_model::{FileChange, FileStatus};

fn commit(subject: &str, body: &str, files: &[&str]) -> Commit {
    let change = |path: &&str| FileChange { path: (*path).to_owned(), status: FileStatus::Modified };
    Commit {
        id: "0123456789abcdef0123456789abcdef01234567".into(),
        parents: 1,
        author_name: "Ada".into(),
        author_email: "ada@example.org".into(),
        time: 1_700_000_000,
        subject: subject.into(),
        body: body.into(),
        files: files.iter().map(change).collect(),
    }
}

fn only(commit: &Commit) -> Draft {
    let mut drafts = learn(commit);
    assert_eq!(drafts.len(), 1, "{:.80}", commit.subject);
    drafts.remove(0)
}

#[test]
fn a_fix_becomes_a_learning_with_error_cause_and_fix() {
    let body = "The pool handed out closed connections because the reaper and the\nborrower shared no lock. Take the lock before looking at the state of a connection.\n\nFixes #12\nSigned-off-by: Ada <ada@example.org>";
    let files = ["CHANGELOG.md", "tests/pool.rs", "src/pool.rs"];
    let learnt = only(&commit("fix(pool): closed connections were handed out (#34)", body, &files));
    assert_eq!(learnt.kind, Kind::Learning);
    assert_eq!(learnt.id, MemoryId::new("learn-git-0123456789ab"));
    assert_eq!(learnt.title, "closed connections were handed out");
    assert_eq!(learnt.tags, ["git", "pool"]);
    assert_eq!(learnt.files, ["src/pool.rs", "tests/pool.rs"]);
    assert_eq!(learnt.commits, ["0123456789abcdef0123456789abcdef01234567"]);
    assert_eq!(learnt.source, Some(Source::Git));
    assert_eq!(learnt.actor.as_deref(), Some("Ada"));
    assert_eq!(learnt.timestamp, Timestamp::parse("2023-11-14T22:13:20Z"));
    let Body::Learning(body) = &learnt.body else { panic!("{learnt:?}") };
    assert_eq!(body.error, "closed connections were handed out");
    assert!(body.cause.starts_with("The pool handed out closed connections because"), "{body:?}");
    assert_eq!(body.fix, "Take the lock before looking at the state of a connection.");
    assert!(!learnt.text.contains("Signed-off-by") && !learnt.text.contains("#12"), "{}", learnt.text);
}

#[test]
fn cause_and_fix_are_told_apart_only_where_the_message_does_and_belong_to_one_paragraph() {
    let parts = |body: &str| match learn(&commit("fix: lost updates in the index", body, &["src/index.rs"])).pop()?.body
    {
        Body::Learning(learning) => Some((learning.cause, learning.fix)),
        other => panic!("{other:?}"),
    };
    let (trouble, remedy) = (
        "Readers saw half a page because nobody held the lock while the writer moved on.",
        "Take the lock before the first page is read.",
    );
    let both = |cause: &str, fix: &str| Some((cause.to_owned(), fix.to_owned()));
    assert_eq!(parts(&format!("{trouble} {remedy}")), both(trouble, remedy));
    assert_eq!(
        parts(&format!("{remedy} {trouble}")),
        both(&format!("{remedy} {trouble}"), ""),
        "in the author's order"
    );
    assert_eq!(
        parts(&format!("{trouble}\n\nTo fix this, take the lock.")),
        both(trouble, "To fix this, take the lock.")
    );
    assert_eq!(parts(&format!("{trouble}\n\nAlso sort the imports of this file by name.")), both(trouble, ""));
    assert_eq!(parts("Pages are large these days, and there are many of them in this house."), None, "no cause");
    assert_eq!(parts(&format!("It probably helps. {trouble}")), None, "nobody is sure");
    assert_eq!(parts("This broke because of what the list above says about the second part."), None, "it leans");
}

#[test]
fn a_fix_without_a_cause_gives_nothing() {
    for subject in ["Fix panic in the parser when the file is empty", "fix typo", "fix(docs): broken link in the guide"]
    {
        assert_eq!(learn(&commit(subject, "", &["src/parser.rs"])), [], "{subject}");
    }
    let cause = "The parser crashed because nobody looked at the length of the file before.";
    assert_eq!(learn(&commit("fix: panic on empty files", cause, &[".github/workflows/ci.yml"])), []);
    assert_eq!(learn(&commit("fix: panic on empty files", cause, &["tests/parser.rs", "CHANGES.md"])), []);
}

#[test]
fn a_revert_with_its_reason_becomes_an_anti_pattern_a_person_could_have_written() {
    let body = "This reverts commit fedcba9876543210fedcba9876543210fedcba98.\n\nMapping files crashed on network drives, where they shrink under us.";
    let learnt = only(&commit("Revert \"perf: map files instead of reading them\"", body, &["src/read.rs"]));
    assert_eq!(learnt.kind, Kind::AntiPattern);
    assert_eq!(learnt.title, "Reverted: map files instead of reading them");
    assert_eq!(learnt.commits[1], "fedcba9876543210fedcba9876543210fedcba98");
    assert_eq!(
        learnt.text,
        "Do not map files instead of reading them: it was tried in fedcba987 and reverted in 012345678. Why: Mapping files crashed on network drives, where they shrink under us."
    );
    let Body::AntiPattern(body) = &learnt.body else { panic!("{learnt:?}") };
    assert_eq!(body.what_fails, "map files instead of reading them");
    assert_eq!(body.why, "Mapping files crashed on network drives, where they shrink under us.");
    assert_eq!(body.learnt_from, "commit 0123456789ab");
}

#[test]
fn a_revert_that_warns_of_nothing_gives_nothing() {
    let why = "It crashed on network drives because files shrink there.";
    for (subject, body) in [
        ("Revert \"Use mmap for all reads\"", "This reverts commit fedcba9876543210."),
        ("Revert \"Revert \"Use mmap for all reads\"\"", why),
        ("Revert \"Bump serde from 1.0 to 1.1\"", why),
        ("Revert to reading all files at once", why),
        (
            "Add new sync",
            "* Use mmap for all reads\n\n* Revert \"Use mmap for all reads\"\n\nThis reverts commit fedcba9876543210.",
        ),
    ] {
        assert_eq!(learn(&commit(subject, body, &["src/read.rs"])), [], "{subject}");
    }
}

#[test]
fn a_choice_with_its_reason_becomes_a_decision() {
    let body = "We decided to store times in microseconds. Other tools write six digits at most, and because\nthey round, longer fractions would never survive a round trip.";
    let learnt = only(&commit("Store times in microseconds", body, &["src/time.rs"]));
    assert_eq!(learnt.kind, Kind::Decision);
    assert_eq!(
        learnt.text,
        "Store times in microseconds\nwhy: We decided to store times in microseconds. Other tools write six digits at most, and because they round, longer fractions would never survive a round trip."
    );
    let swap = |body: &str| learn(&commit("Replace chrono with jiff", body, &["Cargo.toml", "src/time.rs"]));
    let why = "Time zones are easier to get right with jiff because it knows them all.";
    assert_eq!(swap(why)[0].text, format!("Replace chrono with jiff\nwhy: {why}"));
    assert_eq!(swap("The tests were moved because the folder is gone since last year."), [], "of something else");
    assert_eq!(swap("There is a new version of everything, and it is very nice to have."), [], "no reason");
}

#[test]
fn a_breaking_change_with_its_reason_is_a_decision_of_more_weight() {
    let body = "People took the flag for another one of the program, because `--quick` reads much alike.\n\nBREAKING CHANGE: `--fast` is gone; use `--mode=fast`.";
    let learnt = only(&commit("feat(cli)!: one flag for the mode", body, &["src/cli.rs"]));
    assert_eq!((learnt.kind, learnt.importance), (Kind::Decision, Some(0.6)));
    assert!(learnt.text.contains("Breaking change: `--fast` is gone; use `--mode=fast`."), "{}", learnt.text);
    assert_eq!(learnt.tags, ["git", "cli", "breaking"]);
}

#[test]
fn what_nobody_could_use_later_gives_nothing() {
    let long = "This is a long explanation of what was done here because it had to be done instead of something else.";
    for subject in [
        "Bump version to 1.2.3",
        "v1.2.3",
        "cargo fmt",
        "Merge pull request #1 from x/y",
        "fixup! fix: x",
        "docs: explain why",
    ] {
        assert_eq!(learn(&commit(subject, long, &["a"])), [], "{subject}");
    }
    let merge = Commit { parents: 2, ..commit("fix: x is broken when y", long, &[]) };
    assert_eq!(learn(&merge), []);
    let bot = Commit { author_name: "dependabot[bot]".into(), ..commit("fix: x is broken when y", long, &["a"]) };
    assert_eq!(learn(&bot), []);
    let many: Vec<String> = (0..101).map(|number| format!("f{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(learn(&commit("fix: x is broken when y", long, &many)), []);
    assert_eq!(learn(&commit("Tidy up the parser", "Some words about nothing in particular at all here.", &["a"])), []);
    assert_eq!(learn(&Commit::default()), []);
}

#[test]
fn the_same_commit_teaches_the_same_twice_and_long_messages_are_cut() {
    let body = "Reading failed every time because of this one long word of the author. ".repeat(4_000)
        + &"x".repeat(1_000_000);
    let commit = commit(&format!("fix: {}", "very ".repeat(10_000)), &body, &["a"]);
    let learnt = only(&commit);
    assert_eq!(learn(&commit), std::slice::from_ref(&learnt));
    assert!(learnt.title.chars().count() <= MOST_TITLE_CHARS + 1);
    assert!(learnt.text.len() < 3_000 && learnt.text.ends_with('…'), "{}", learnt.text);
}

proptest::proptest! {
    #[test]
    fn no_message_makes_it_panic(subject in "\\PC{0,80}", body in "(?s).{0,400}") {
        for prefix in ["", "fix: ", "Revert \"", "feat!: ", "Replace "] {
            let _ = learn(&commit(&format!("{prefix}{subject}"), &body, &["a/b.rs"]));
        }
    }
}
