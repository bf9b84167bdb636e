//! What is foretold from small made-up histories.

use super::*;
use crate::predict::terrain::Unknown;
use lokid_model::{Commit, FileChange, FileStatus};

const DAY: i64 = 86_400;
const START: i64 = 1_700_000_000;

fn commit(time: i64, author: &str, files: &[&str]) -> Commit {
    let change = |path: &&str| FileChange {
        path: path.trim_start_matches('-').to_owned(),
        status: if path.starts_with('-') { FileStatus::Deleted } else { FileStatus::Modified },
    };
    let files = files.iter().map(change).collect();
    Commit { id: "x".into(), parents: 1, author_name: author.into(), time, files, ..Commit::default() }
}

fn known(commits: &[Commit]) -> Cochange {
    let mut known = Cochange::default();
    commits.iter().for_each(|commit| known.add(commit));
    known
}

fn ask(known: &Cochange, terrain: &dyn Terrain, path: &str) -> Vec<PredictedFile> {
    let clue = Opened { path, author: Some("Ada"), now: START + 30 * DAY, recent: &[] };
    predict(known, terrain, &Weights::default(), &clue, 10)
}

fn paths(files: &[PredictedFile]) -> Vec<&str> {
    files.iter().map(|file| file.path.as_str()).collect()
}

/// A tree of three files, one of which imports another.
struct Tree;

impl Terrain for Tree {
    fn is_there(&self, path: &str) -> bool {
        path != "src/removed.rs"
    }

    fn siblings<'a>(&'a self, _path: &str) -> Vec<&'a str> {
        vec!["src/a.rs", "src/unseen.rs"]
    }

    fn imports<'a>(&'a self, path: &str) -> Vec<&'a str> {
        if path == "src/a.rs" { vec!["lib/imported.rs"] } else { Vec::new() }
    }

    fn importers<'a>(&'a self, path: &str) -> Vec<&'a str> {
        if path == "src/a.rs" { vec!["bin/importer.rs"] } else { Vec::new() }
    }

    fn alike<'a>(&'a self, path: &str, k: usize) -> Vec<(&'a str, f64)> {
        if path == "src/a.rs" && k > 0 { vec![("doc/alike.md", 0.9)] } else { Vec::new() }
    }
}

#[test]
fn what_changes_together_comes_first_and_says_why() {
    let mut history: Vec<Commit> =
        (0..7).map(|day| commit(START + day * DAY, "Bob", &["src/a.rs", "src/b.rs"])).collect();
    history.extend((7..27).map(|day| commit(START + day * DAY, "Bob", &["other/c.rs", "other/d.rs"])));
    let found = ask(&known(&history), &Unknown, "src/a.rs");
    assert_eq!(found[0].path, "src/b.rs");
    assert_eq!(found[0].why, "changed together 7 times, last 24 days ago");
    assert!(found.iter().all(|file| (0.0..=1.0).contains(&file.score)));
    assert!(found.windows(2).all(|pair| pair[0].score >= pair[1].score));
}

#[test]
fn a_new_file_is_told_by_its_name_and_its_neighbours() {
    let history = [
        commit(START, "Bob", &["src/parser.rs", "src/lexer.rs"]),
        commit(START + DAY, "Bob", &["far/away.rs", "far/off.rs"]),
    ];
    let known = known(&history);
    let found = ask(&known, &Unknown, "tests/parser_test.rs");
    assert_eq!((found[0].path.as_str(), found[0].why.as_str()), ("src/parser.rs", "what it tests"));
    assert_eq!(paths(&ask(&known, &Unknown, "far/new.rs"))[..2], ["far/away.rs", "far/off.rs"]);
}

#[test]
fn files_that_are_gone_and_lock_files_are_not_suggested() {
    let history = [
        commit(START, "Ada", &["src/a.rs", "src/b.rs", "src/removed.rs", "src/deleted.rs", "Cargo.lock"]),
        commit(START + 1, "Ada", &["-src/deleted.rs"]),
    ];
    let found = ask(&known(&history), &Tree, "src/a.rs");
    let paths = paths(&found);
    assert!(paths.contains(&"src/b.rs") && paths.contains(&"src/unseen.rs"), "{paths:?}");
    for path in ["src/a.rs", "src/removed.rs", "src/deleted.rs", "Cargo.lock"] {
        assert!(!paths.contains(&path), "{path}");
    }
}

#[test]
fn the_tree_alone_tells_of_a_repository_without_history() {
    let found = ask(&Cochange::default(), &Tree, "src/a.rs");
    let why = |path: &str| found.iter().find(|file| file.path == path).map(|file| file.why.clone()).unwrap_or_default();
    assert_eq!(why("lib/imported.rs"), "imported by it");
    assert_eq!(why("bin/importer.rs"), "imports it");
    assert_eq!(why("doc/alike.md"), "speaks of the same things");
    assert_eq!(ask(&Cochange::default(), &Unknown, "src/a.rs"), []);
}

#[test]
fn whoever_is_at_work_is_offered_their_own_work() {
    let history = [
        commit(START, "Ada", &["mine/x.rs"]),
        commit(START + 1, "Bob", &["his/y.rs"]),
        commit(START + 2, "Bob", &["his/z.rs"]),
    ];
    assert_eq!(ask(&known(&history), &Unknown, "new/file.rs")[0].path, "mine/x.rs");
}

#[test]
fn what_was_open_before_counts() {
    let mut history: Vec<Commit> = (0..3).map(|at| commit(START + at, "Bob", &["a/one.rs", "b/two.rs"])).collect();
    history.extend((3..6).map(|at| commit(START + at, "Bob", &["c/three.rs", "d/four.rs"])));
    let known = known(&history);
    let score = |recent: &[&str]| {
        let clue = Opened { path: "new.rs", author: None, now: START + DAY, recent };
        let found = predict(&known, &Unknown, &Weights::default(), &clue, 10);
        found.iter().find(|file| file.path == "b/two.rs").map_or(0.0, |file| file.score)
    };
    assert!(score(&["a/one.rs"]) > score(&[]));
}

#[test]
fn the_same_question_has_the_same_answer_whatever_the_order_of_reading() {
    let history: Vec<Commit> = (0..60)
        .map(|at| {
            let files = [format!("d{}/f{}", at % 3, at % 7), format!("d{}/f{}", at % 2, at % 5)];
            commit(START + at * 3600, "Ada", &files.each_ref().map(String::as_str))
        })
        .collect();
    let forward = known(&history);
    let backward = known(&history.iter().rev().cloned().collect::<Vec<_>>());
    let (one, other) = (ask(&forward, &Unknown, "d0/f0"), ask(&backward, &Unknown, "d0/f0"));
    assert_eq!(one, ask(&forward, &Unknown, "d0/f0"));
    assert_eq!(paths(&one), paths(&other));
}

proptest::proptest! {
    #[test]
    fn any_question_can_be_asked(path in ".{0,30}", now in proptest::num::i64::ANY, k in 0_usize..20) {
        let known = known(&[commit(START, "Ada", &["src/a.rs", "src/b.rs"]), commit(START + 5, "Bob", &["src/b.rs", "c"])]);
        let clue = Opened { path: &path, author: Some("Ada"), now, recent: &["c", "nothing"] };
        let found = predict(&known, &Tree, &Weights::default(), &clue, k);
        proptest::prop_assert!(found.len() <= k && found.iter().all(|file| (0.0..=1.0).contains(&file.score)));
    }
}
