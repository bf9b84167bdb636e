//! Tests of what a goal in words foretells.

use super::*;
use crate::predict::terrain::Unknown;
use lokid_model::{Commit, FileChange, FileStatus};

const START: i64 = 1_700_000_000;

struct Lab {
    subjects: Subjects,
    cochange: Cochange,
    now: i64,
}

impl Lab {
    /// Oldest first; `+` before a file adds it, `-` deletes it.
    fn new(history: &[(&str, &[&str])]) -> Lab {
        let mut lab = Lab { subjects: Subjects::default(), cochange: Cochange::default(), now: START };
        history.iter().for_each(|(subject, files)| lab.add(subject, files));
        lab
    }

    fn add(&mut self, subject: &str, files: &[&str]) {
        let change = |file: &&str| match (file.strip_prefix('+'), file.strip_prefix('-')) {
            (Some(path), _) => FileChange { path: path.to_owned(), status: FileStatus::Added },
            (_, Some(path)) => FileChange { path: path.to_owned(), status: FileStatus::Deleted },
            _ => FileChange { path: (*file).to_owned(), status: FileStatus::Modified },
        };
        self.now += 60;
        let files = files.iter().map(change).collect();
        let commit = Commit { parents: 1, time: self.now, subject: subject.to_owned(), files, ..Commit::default() };
        self.subjects.add(&commit);
        self.cochange.add(&commit);
    }

    /// Work on other things, so that nothing else was touched last.
    fn busy(mut self) -> Lab {
        (0..100).for_each(|number| self.add("unrelated chores", &[&format!("chores/c{}", number % 30)]));
        self
    }

    fn ask(&self, text: &str) -> Vec<PredictedFile> {
        predict(&self.subjects, &self.cochange, &Unknown, text, self.now, 10)
    }

    fn first(&self, text: &str) -> (String, String) {
        self.ask(text).into_iter().next().map(|file| (file.path, file.why)).unwrap_or_default()
    }

    fn check(&self, text: &str, path: &str, why: &str) {
        assert_eq!(self.first(text), (path.to_owned(), why.to_owned()), "{text:?}");
    }
}

struct Tree {
    missing: &'static str,
    saying: &'static str,
}

impl Terrain for Tree {
    fn is_there(&self, path: &str) -> bool {
        path != self.missing
    }
    fn siblings<'a>(&'a self, _: &str) -> Vec<&'a str> {
        Vec::new()
    }
    fn imports<'a>(&'a self, _: &str) -> Vec<&'a str> {
        Vec::new()
    }
    fn importers<'a>(&'a self, _: &str) -> Vec<&'a str> {
        Vec::new()
    }
    fn alike<'a>(&'a self, _: &str, _: usize) -> Vec<(&'a str, f64)> {
        Vec::new()
    }
    fn saying<'a>(&'a self, _: &[u64]) -> Vec<(&'a str, f64)> {
        if self.saying.is_empty() { Vec::new() } else { vec![(self.saying, 0.5)] }
    }
}

#[test]
fn files_are_named_by_what_earlier_commits_said() {
    let lab = Lab::new(&[
        ("Fix the parser", &["src/syntax.rs"]),
        ("parsers: recover from errors", &["src/syntax.rs", "tests/it.rs"]),
        ("Speed up the cache", &["src/store.rs"]),
    ])
    .busy();
    lab.check("The parser loops", "src/syntax.rs", "2 earlier commits about \"parser\"");
    lab.check("caching is slow", "src/store.rs", "an earlier commit about \"caching\"");
}

#[test]
fn files_are_named_by_the_words_of_their_path() {
    let lab = Lab::new(&[("Begin", &["src/session.rs", "src/b.rs", "src/c.rs", "src/d.rs"])]).busy();
    lab.check("Expire sessions", "src/session.rs", "its path says \"sessions\"");
}

#[test]
fn a_text_that_says_nothing_gives_nothing() {
    let lab = Lab::new(&[("Fix the parser", &["src/syntax.rs"])]).busy();
    for text in ["", "   ", "the and of", "zebra giraffe", "\u{0}🙂", "!!!"] {
        assert_eq!(lab.ask(text), [], "{text:?}");
    }
    assert_eq!(Lab::new(&[]).ask("parser"), []);
    assert_eq!(predict(&lab.subjects, &lab.cochange, &Unknown, "parser", lab.now, 0), []);
}

#[test]
fn a_weak_hint_scores_low_and_a_strong_one_high() {
    let mut history: Vec<(&str, &[&str])> = vec![("Release the crate", &["Cargo.toml"]); 8];
    let names: Vec<String> = (0..40).map(|number| format!("f{number}")).collect();
    let singles: Vec<[&str; 1]> = names.iter().map(|name| [name.as_str()]).collect();
    history.extend(singles.iter().map(|files| ("Improve something", files.as_slice())));
    let lab = Lab::new(&history).busy();
    let score = |text| lab.ask(text)[0].score;
    assert!(score("Release the crate") > 0.7, "{}", score("Release the crate"));
    assert!(score("Improve the frobnication of zebras") < 0.2, "{}", score("Improve the frobnication of zebras"));
    assert!(lab.ask("Improve").iter().all(|file| (0.0..=1.0).contains(&file.score)));
    assert!(lab.ask("Improve").is_sorted_by(|one, other| one.score >= other.score));
}

#[test]
fn files_are_named_by_what_their_text_says() {
    let lab = Lab::new(&[("Begin", &["src/a.rs", "src/b.rs"])]).busy();
    let terrain = Tree { missing: "", saying: "src/b.rs" };
    let found = predict(&lab.subjects, &lab.cochange, &terrain, "frobnicate", lab.now, 3);
    assert_eq!((found[0].path.as_str(), found[0].why.as_str()), ("src/b.rs", "its text is about that"));
}

#[test]
fn a_scope_and_a_path_in_the_goal_are_heard() {
    let files = &["packages/ssr/render.ts", "packages/dom/render.ts", "packages/dom/patch.ts"];
    let lab = Lab::new(&[("Begin", files), ("Render faster", &files[..2])]).busy();
    assert_eq!(lab.first("fix(ssr): render twice").0, "packages/ssr/render.ts");
    assert_eq!(lab.first("render as packages/dom/render.ts does").0, "packages/dom/render.ts");
}

#[test]
fn a_change_log_is_named_only_where_the_goal_speaks_of_it() {
    let lab = Lab::new(&[("Fix the parser", &["src/syntax.rs", "CHANGELOG.md"])]).busy();
    assert!(lab.ask("parser").iter().all(|file| file.path != "CHANGELOG.md"));
    assert!(lab.ask("parser changelog").iter().any(|file| file.path == "CHANGELOG.md"));
}

#[test]
fn the_test_of_what_is_meant_comes_with_it() {
    let lab = Lab::new(&[("Begin", &["tests/test_syntax.py"]), ("Fix the grammar", &["src/syntax.py"])]).busy();
    assert!(lab.ask("grammar").iter().any(|file| file.path == "tests/test_syntax.py"));
}

#[test]
fn what_changes_with_the_best_is_pulled_in() {
    let mut history: Vec<(&str, &[&str])> = vec![("Tidy", &["src/syntax.rs", "src/tokens.rs"]); 9];
    history.push(("Fix the grammar", &["src/syntax.rs"]));
    let found = Lab::new(&history).busy().ask("grammar");
    assert_eq!(found[0].path, "src/syntax.rs");
    let pulled = found.iter().find(|file| file.path == "src/tokens.rs").unwrap();
    assert_eq!(pulled.why, "changes with src/syntax.rs");
    assert!(pulled.score < found[0].score);
}

#[test]
fn a_moved_file_is_named_as_it_is_called_today_and_one_that_is_gone_not_at_all() {
    let lab = Lab::new(&[
        ("Fix the parser", &["+old/syntax.rs", "+old/dead.rs"]),
        ("Parser again", &["old/syntax.rs", "old/dead.rs"]),
        ("Move", &["-old/syntax.rs", "+new/syntax.rs"]),
        ("Drop", &["-old/dead.rs"]),
    ])
    .busy();
    lab.check("parser", "new/syntax.rs", "2 earlier commits about \"parser\"");
    assert!(lab.ask("parser").iter().all(|file| !file.path.starts_with("old/")));
}

#[test]
fn a_file_that_the_tree_does_not_have_is_not_named() {
    let lab = Lab::new(&[("Fix the parser", &["a.rs", "b.rs"])]).busy();
    let found = predict(&lab.subjects, &lab.cochange, &Tree { missing: "a.rs", saying: "" }, "parser", lab.now, 1);
    assert_eq!(found[0].path, "b.rs");
}

#[test]
fn equals_come_in_the_order_of_their_paths_and_the_answer_is_always_the_same() {
    let lab = Lab::new(&[("Fix the parser", &["b.rs", "a.rs", "c.rs"])]).busy();
    let paths: Vec<String> = lab.ask("parser").into_iter().take(3).map(|file| file.path).collect();
    assert_eq!(paths, ["a.rs", "b.rs", "c.rs"]);
    assert_eq!(lab.ask("parser"), lab.ask("parser"));
    let again = Subjects::from_bytes(&lab.subjects.to_bytes()).unwrap();
    assert_eq!(predict(&again, &lab.cochange, &Unknown, "parser", lab.now, 10), lab.ask("parser"));
}

#[test]
fn a_long_text_is_about_what_is_known_of_it() {
    let lab = Lab::new(&[("Fix the parser", &["src/syntax.rs"])]).busy();
    let mut text: String = (0..500).map(|number| format!("strange{number} ")).collect();
    text.push_str("parser");
    assert_eq!(lab.first(&text).0, "src/syntax.rs");
}

proptest::proptest! {
    #[test]
    fn any_text_can_be_asked(text in "\\PC{0,60}", now in proptest::num::i64::ANY) {
        let lab = Lab::new(&[("Fix the parser é", &["src/syntax.rs", "é/ü"]), ("a b c 1.2.3", &["x"])]);
        for file in predict(&lab.subjects, &lab.cochange, &Unknown, &text, now, 10) {
            proptest::prop_assert!((0.0..=1.0).contains(&file.score), "{file:?}");
        }
    }
}
