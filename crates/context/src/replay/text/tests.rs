//! Tests of the replay by subject.

use super::*;
use lokid_model::{FileChange, FileStatus};

fn commit(time: i64, author: &str, subject: &str, files: &[&str]) -> Commit {
    let change = |path: &&str| FileChange { path: (*path).to_owned(), status: FileStatus::Modified };
    Commit {
        parents: 1,
        time,
        author_name: author.to_owned(),
        subject: subject.to_owned(),
        files: files.iter().map(change).collect(),
        ..Commit::default()
    }
}

#[test]
fn a_history_that_repeats_itself_is_foretold() {
    let goals: [(&str, [&str; 2]); 2] =
        [("Fix the parser", ["src/syntax.rs", "tests/a.rs"]), ("Speed up the cache", ["src/store.rs", "tests/b.rs"])];
    let history: Vec<Commit> = (0..50)
        .map(|number| {
            let (subject, files) = goals[number as usize % 2];
            commit(number, "Ada", subject, &files)
        })
        .collect();
    let mut heard = Vec::new();
    let report = run(&history, |done, all| heard.push((done, all)));
    let perfect = Figures { hit_at_3: 1.0, hit_at_10: 1.0, recall_at_10: 1.0 };
    assert_eq!(report.several, Compared { commits: 10, lokid: perfect, bm25: perfect });
    assert_eq!(report.any, report.several);
    assert_eq!((heard.len(), heard.last()), (50, Some(&(50, 50))));
}

#[test]
fn nothing_is_known_before_it_happened() {
    let subjects: Vec<String> = (0..20).map(|number| format!("subject{number}")).collect();
    let history: Vec<Commit> = (0..20)
        .map(|number| {
            let files = [format!("a{number}"), format!("b{number}")];
            commit(number as i64, "Ada", &subjects[number], &files.each_ref().map(String::as_str))
        })
        .collect();
    let report = run(&history, |_, _| {});
    assert_eq!(report.several, Compared { commits: 4, ..Compared::default() });
}

#[test]
fn commits_of_one_file_are_asked_about_apart() {
    let history: Vec<Commit> = (0..20)
        .map(|number| commit(number, "Ada", "Fix it", if number % 2 == 0 { &["a"] } else { &["a", "b"] }))
        .collect();
    let report = run(&history, |_, _| {});
    assert_eq!((report.several.commits, report.any.commits), (2, 4));
    assert_eq!(run(&[], |_, _| {}), TextReport::default());
}

#[test]
fn robots_merges_and_trivial_files_do_not_count() {
    let check = |commit: Commit, files: Option<&[&str]>| {
        let left = cleaned(&commit).map(|commit| commit.files.into_iter().map(|file| file.path).collect::<Vec<_>>());
        assert_eq!(
            left.as_deref(),
            files.map(|files| files.iter().map(|file| (*file).to_owned()).collect::<Vec<_>>()).as_deref()
        );
    };
    check(commit(0, "Ada", "x", &["a", "Cargo.lock", "docs/CHANGES.rst", "History.md"]), Some(&["a"]));
    check(commit(0, "Ada", "x", &["CHANGELOG.md", "web/yarn.lock"]), None);
    check(commit(0, "Ada", "x", &["src/changes.rs"]), Some(&["src/changes.rs"]));
    check(commit(0, "dependabot[bot]", "x", &["a"]), None);
    check(Commit { author_email: "1+Renovate[bot]@example.com".to_owned(), ..commit(0, "R", "x", &["a"]) }, None);
    check(commit(0, "Abbott", "x", &["a"]), Some(&["a"]));
    check(Commit { parents: 2, ..commit(0, "Ada", "x", &["a"]) }, None);
}

#[test]
fn figures_are_told_of_the_first_suggestions() {
    let gold = BTreeSet::from(["a", "b"]);
    let check = |suggested: &[&str], figures: (f64, f64, f64)| {
        let found = Figures::of(suggested.iter().copied(), &gold);
        assert_eq!((found.hit_at_3, found.hit_at_10, found.recall_at_10), figures, "{suggested:?}");
    };
    check(&[], (0.0, 0.0, 0.0));
    check(&["x", "a"], (1.0, 1.0, 0.5));
    check(&["x", "y", "z", "b", "a"], (0.0, 1.0, 1.0));
    check(&["x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "a"], (0.0, 0.0, 0.0));
}
