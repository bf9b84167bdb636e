//! The files that will be needed, as they are told: how the file at hand is tested, what earlier work or an error leads
//! to, and the others in one line.
//!
//! What is likely enough was read off 418 later commits of ten repositories. More than half of them touch one file only, so
//! that nothing else is to be said of a file whose commits mostly do. What is named has commits or its name behind it.

use std::collections::BTreeMap;

use super::Contexts;
use super::cache::Need;
use super::named;
use crate::past::PastKnown;
use lokid_context::parts::FileLine;
use lokid_context::predict::terrain::Terrain;
use lokid_context::predict::{PredictedFile, files, goal};
use lokid_encode::newcomer;
use lokid_index::cochange::folder_of;
use lokid_model::{Memory, Scope};

/// A line of its own has what earlier work, the branch or the error itself leads to, from this likelihood on.
const LIKELY: f64 = 0.25;
const MOST_LIKELY: usize = 3;
const TELLING: [&str; 5] = ["changed in [", "read in [", "defines ", "the error names", "changed on this branch"];
/// What changes with the file at hand: where there is a goal, and where there is none.
const WITH_GOAL: f64 = 0.04;
const WITHOUT_GOAL: f64 = 0.6;
const SURE: f64 = 0.45;
/// Behind the first only so many are named, each with so many commits that touched both.
const MOST_BESIDE: usize = 2;
const TOGETHER: usize = 2;
/// A commit of more files says nothing of two of them.
const SWEEP: usize = 20;
/// Tests that so many commits touched with a file are taken for its own, or fewer that are one of so many of its commits.
const WITH_TESTS: usize = 10;
const FEWER: usize = 3;
const ONE_OF: usize = 6;
/// Of so many commits of the file at hand, so large a part touches others, too: of a program, and of anything else.
const LOOKED_AT: usize = 30;
const SHARED: f64 = 0.55;
const SHARED_ASIDE: f64 = 0.75;
/// What a goal alone means: the first of them, and the others beside it.
const FIRST: f64 = 0.1;
const BESIDE: f64 = 0.05;
const BESIDE_FIRST: f64 = 0.1;
/// How a reason begins that is one by itself: others hold for whatever is worked on often.
const EVIDENT: [&str; 3] = ["it is named", "its name is", "its path says"];
const SAID_ONCE: &str = "an earlier commit said";
const SAID: &str = "earlier commits said";

impl Contexts {
    /// The files that will be needed, as they are told.
    pub(super) fn file_lines(&self, files: &[PredictedFile], need: &Need) -> Vec<FileLine> {
        let (past, one_test) = (self.repository.known(), self.known_fact(need, "test.one"));
        let code = self.repository.code();
        let names_tests = |path: &str| code.get(path)?.symbols.iter().find(|symbol| symbol.name == "tests").map(drop);
        let has_tests = |path: &str| path.ends_with(".rs") && names_tests(path).is_some();
        let (one_test, has_goal) = (one_test.as_deref(), need.goal.is_some());
        let telling = Telling { past: &past, one_test, has_goal, has_tests: &has_tests };
        telling.lines(files, need.file.as_deref().or_else(|| place_of(files)))
    }

    /// The value of a fact about how work is done here.
    fn known_fact(&self, need: &Need, key: &str) -> Option<String> {
        let snapshot = self.writer.snapshot();
        let slot = (need.namespace.clone(), Scope::default(), key.to_owned(), String::new());
        let now = self.env.clock.now();
        let may_tell = |fact: &Memory| fact.holds_now(now) && !self.is_muted(&fact.key(), need.file.as_slice());
        let known = snapshot.facts_of(&slot).filter(|fact| may_tell(fact)).last()?;
        known.fact().map(|fact| fact.value.clone())
    }
}

/// Where an error says that it happened.
pub(super) fn place_of(files: &[PredictedFile]) -> Option<&str> {
    let is_place = |file: &&PredictedFile| is_named(file) && file.score >= named::AT_THE_PLACE;
    files.iter().find(is_place).map(|file| file.path.as_str())
}

/// Whoever has the error has the path.
fn is_named(file: &PredictedFile) -> bool {
    file.why.starts_with(named::BY_ERROR)
}

struct Telling<'a> {
    past: &'a PastKnown,
    one_test: Option<&'a str>,
    has_goal: bool,
    /// Does a file of Rust hold its tests itself?
    has_tests: &'a dyn Fn(&str) -> bool,
}

impl Telling<'_> {
    fn lines(&self, files: &[PredictedFile], at_hand: Option<&str>) -> Vec<FileLine> {
        let tests = at_hand.and_then(|at_hand| self.tests(at_hand));
        let tested = tests.as_ref().map(|(path, _)| path.clone());
        let is_new = |file: &&PredictedFile| !is_named(file) && Some(&file.path) != tested.as_ref();
        let is_telling = |file: &PredictedFile| TELLING.iter().any(|start| file.why.starts_with(start));
        let (telling, others): (Vec<&PredictedFile>, Vec<&PredictedFile>) =
            files.iter().filter(is_new).partition(|file| is_telling(file));
        let likely = telling.into_iter().filter(|file| file.score >= LIKELY).take(MOST_LIKELY);
        let likely = likely.map(|file| FileLine::Likely { path: file.path.clone(), why: file.why.clone() });
        let with = at_hand.map(|at_hand| self.with(at_hand, tests.is_some(), &others)).unwrap_or_default();
        let others = match (tests, at_hand) {
            (Some((path, why)), _) => Some(FileLine::Likely { path, why: why + &beside(&with) }),
            (None, Some(_)) => {
                let all = format!("likely to change with it: {}", with.join(", "));
                (!with.is_empty()).then_some(FileLine::Others(all))
            }
            (None, None) => self.meant(&others),
        };
        others.into_iter().chain(likely).collect()
    }

    fn run(&self, path: &str) -> Option<String> {
        let fact = self.one_test.filter(|_| !is_beside_tests(path));
        let run = fact.and_then(|fact| newcomer::run_of(fact, path));
        run.or_else(|| path.ends_with("_test.go").then(|| format!("go test ./{}", folder_of(path))))
    }

    /// How many commits touched each other file with this one, sweeps aside.
    fn together(&self, path: &str) -> BTreeMap<&str, usize> {
        let cochange = &self.past.cochange;
        let mut times = BTreeMap::new();
        let commits = cochange.find(path).into_iter().flat_map(|place| cochange.commits_of(place));
        for (_, entry) in commits.filter(|(_, entry)| entry.files.len() <= SWEEP) {
            let others =
                entry.files.iter().map(|other| cochange.today(*other)).filter(|other| !cochange.is_gone(*other));
            others.for_each(|other| *times.entry(cochange.path(other)).or_default() += 1);
        }
        times
    }

    /// The tests of a file of a program, by their name or else by what changes with it, and how they are run.
    fn tests(&self, at_hand: &str) -> Option<(String, String)> {
        if let Some(run) = self.run(at_hand) {
            return Some((at_hand.to_owned(), format!("run: {run}")));
        }
        let by_crate = || Some((at_hand.to_owned(), format!("run: {}", self.crate_tests(at_hand)?)));
        if !goal::is_program(at_hand) || files::is_test(at_hand) || (self.has_tests)(at_hand) {
            return by_crate();
        }
        let together = self.together(at_hand);
        let own = together.get(at_hand).copied().unwrap_or_default();
        let ending = |path: &str| path.rsplit_once('.').map(|(_, ending)| ending.to_owned());
        let is_test = |path: &str| {
            files::is_test(path)
                && !is_beside_tests(path)
                && ending(path) == ending(at_hand)
                && self.past.ground.is_there(path)
        };
        // `tests/apps/cli/app.py` is a part of tests, `test/app.js` is one.
        let last_two = |path: &str| path.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
        let is_its = |path: &str| newcomer::are_tests_of(path, at_hand) && files::is_test(&path[last_two(path)..]);
        let is_called_so = |path: &str| files::is_test(path.rsplit('/').next().unwrap_or(path));
        let run = |path: &str| self.run(path).map(|run| format!("; run: {run}")).unwrap_or_default();
        let tests = together.into_iter().filter(|(path, _)| is_test(path));
        let mut tests: Vec<(bool, usize, &str)> =
            tests.map(|(path, times)| (is_called_so(path), times, path)).collect();
        tests.sort_unstable_by(|one, other| other.cmp(one));
        if let Some((_, _, path)) = tests.iter().find(|(_, _, path)| is_its(path)) {
            return Some(((*path).to_owned(), format!("the tests of {at_hand}{}", run(path))));
        }
        let times = |place: usize| tests.get(place).map_or(0, |(_, times, _)| *times);
        let is_enough = times(0) >= WITH_TESTS || (times(0) >= FEWER && times(0) * ONE_OF >= own);
        // One of many that are touched as often says little.
        match tests.first().filter(|_| is_enough && 2 * times(0) >= 3 * times(1)) {
            Some((_, times, path)) => {
                Some(((*path).to_owned(), format!("changed together {times} times{}", run(path))))
            }
            None => by_crate(),
        }
    }

    /// Of a file of Rust the command for its own tests, or else for its part of the workspace.
    fn crate_tests(&self, path: &str) -> Option<String> {
        let module = path.strip_suffix(".rs")?;
        let module = module.strip_suffix("/mod").unwrap_or(module).rsplit('/').next();
        let is_own = files::is_test(path) || (self.has_tests)(path);
        let module = module.filter(|module| is_own && !["lib", "main"].contains(module));
        let module = module.map(|module| format!(" {module}::")).unwrap_or_default();
        let mut folder = folder_of(path);
        while !folder.is_empty() {
            let manifest = format!("{folder}/Cargo.toml");
            if self.past.ground.stamp(&manifest).is_some() {
                return Some(format!("cargo test --manifest-path {manifest}{module}"));
            }
            folder = folder_of(folder);
        }
        (!module.is_empty()).then(|| format!("cargo test{module}"))
    }

    /// What changes with the file at hand; behind a line that stands by itself more of it may be told.
    fn with<'f>(&self, at_hand: &str, is_beside: bool, files: &[&'f PredictedFile]) -> Vec<&'f str> {
        let least = match self.has_goal {
            true if goal::is_program(at_hand) => WITH_GOAL,
            true => SURE,
            false => WITHOUT_GOAL,
        };
        let first = files.first().map_or(0.0, |first| first.score);
        let is_sure = self.has_goal && first >= SURE;
        if !is_sure && !((is_beside || first >= LIKELY) && self.is_shared(at_hand)) {
            return Vec::new();
        }
        self.behind(at_hand, files.iter().copied().filter(|file| file.score >= least))
    }

    /// Those that commits speak for, by what they touched with the first or by what they said. Beside a program a document
    /// or a manifest has to be spoken of.
    fn behind<'f>(&self, first: &str, files: impl Iterator<Item = &'f PredictedFile>) -> Vec<&'f str> {
        let together = self.together(first);
        let is_alike = |path: &str| goal::is_program(path) || !goal::is_program(first);
        let is_partner = |path: &str| together.get(path).is_some_and(|times| *times >= TOGETHER);
        let is_known = |file: &&PredictedFile| match file.why.contains(SAID) {
            true => goal::is_program(&file.path) || is_partner(&file.path),
            false => is_alike(&file.path) && is_partner(&file.path),
        };
        files.filter(is_known).map(|file| file.path.as_str()).take(MOST_BESIDE).collect()
    }

    /// Do the commits of this file touch others as well?
    fn is_shared(&self, path: &str) -> bool {
        let cochange = &self.past.cochange;
        let commits = cochange.find(path).into_iter().flat_map(|place| cochange.commits_of(place)).take(LOOKED_AT);
        let (all, shared) = commits.fold((2.0, 1.0), |(all, shared), (_, entry)| {
            (all + 1.0, shared + f64::from(u8::from(entry.files.len() > 1)))
        });
        shared / all >= if goal::is_program(path) { SHARED } else { SHARED_ASIDE }
    }

    /// What a goal means where nothing is at hand.
    fn meant(&self, files: &[&PredictedFile]) -> Option<FileLine> {
        let is_evident = |file: &PredictedFile| {
            file.why.contains(SAID)
                || (file.why.starts_with(SAID_ONCE) && file.score >= LIKELY)
                || EVIDENT.iter().any(|start| file.why.starts_with(start))
        };
        let first = files.iter().find(|file| file.score >= FIRST && is_evident(file))?;
        let least = (first.score * BESIDE_FIRST).max(BESIDE);
        let others = files.iter().copied().filter(|file| file.score >= least && file.path != first.path);
        let others = self.behind(&first.path, others);
        let run = self.run(&first.path).or_else(|| others.iter().find_map(|path| self.run(path)));
        let tests = || self.tests(&first.path).filter(|(_, why)| !why.starts_with("changed together"));
        let run = run.or_else(|| tests()?.1.split_once("run: ").map(|(_, run)| run.to_owned()));
        let run = run.map(|run| format!("; run: {run}")).unwrap_or_default();
        Some(FileLine::Likely { path: first.path.clone(), why: format!("{}{}{run}", first.why, beside(&others)) })
    }
}

/// Among tests, and none.
fn is_beside_tests(path: &str) -> bool {
    path.ends_with("conftest.py") || path.ends_with("__init__.py")
}

/// Behind a line that stands by itself.
fn beside(paths: &[&str]) -> String {
    if paths.is_empty() { String::new() } else { format!("; perhaps also {}", paths.join(", ")) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use lokid_index::cochange::Cochange;
    use lokid_model::{Commit, FileChange, FileStatus};

    const ONE_TEST: &str = "`pytest tests/test_a.py::NAME`";

    /// The lines where each of these commits was made five times.
    fn told(commits: &[&[&str]], files: &[(&str, f64, &str)], at_hand: Option<&str>, has_goal: bool) -> Vec<String> {
        let mut cochange = Cochange::default();
        for (time, files) in commits.iter().cycle().take(5 * commits.len()).enumerate() {
            let change = |path: &&str| FileChange { path: (*path).to_owned(), status: FileStatus::Modified };
            let files = files.iter().map(change).collect();
            cochange.add(&Commit { id: "x".into(), parents: 1, time: time as i64, files, ..Commit::default() });
        }
        let past = PastKnown { cochange: Arc::new(cochange), ..PastKnown::default() };
        let file = |(path, score, why): &(&str, f64, &str)| PredictedFile {
            path: (*path).to_owned(),
            score: *score,
            why: (*why).to_owned(),
        };
        let files: Vec<PredictedFile> = files.iter().map(file).collect();
        let lines =
            Telling { past: &past, one_test: Some(ONE_TEST), has_goal, has_tests: &|path| path == "src/own.rs" }
                .lines(&files, at_hand);
        let text = |line: FileLine| match line {
            FileLine::Likely { path, why } => format!("{path}: {why}"),
            FileLine::Others(text) => text,
        };
        lines.into_iter().map(text).collect()
    }

    #[test]
    fn the_tests_of_the_file_at_hand_are_told_with_how_to_run_them() {
        let history: [&[&str]; 4] =
            [&["src/b.py", "tests/test_b.py"], &["src/c.py"], &["tests/b.py"], &["tests/test_c.py"]];
        let expected = "tests/test_b.py: the tests of src/b.py; run: pytest tests/test_b.py";
        assert_eq!(told(&history, &[], Some("src/b.py"), false), [expected]);
        assert_eq!(
            told(&history, &[], Some("tests/test_b.py"), false),
            ["tests/test_b.py: run: pytest tests/test_b.py"]
        );
        assert!(told(&history, &[], Some("src/c.py"), false).is_empty(), "called so, and never changed with it");
        assert_eq!(told(&[], &[], Some("src/own.rs"), false), ["src/own.rs: run: cargo test own::"]);
    }

    #[test]
    fn tests_of_another_name_are_told_where_they_change_with_a_file_and_no_others_do() {
        let together = ["tests/test_all.py: changed together 5 times; run: pytest tests/test_all.py"];
        assert_eq!(told(&[&["src/b.py", "tests/test_all.py"]], &[], Some("src/b.py"), false), together);
        let many: [&[&str]; 2] = [&["src/b.py", "tests/test_x.py"], &["src/b.py", "tests/test_y.py"]];
        assert!(told(&many, &[], Some("src/b.py"), false).is_empty());
    }

    #[test]
    fn what_changes_with_a_file_is_told_where_its_commits_touch_others() {
        let history: [&[&str]; 2] = [&["a.py", "b.py"], &["c.py"]];
        let files = [("b.py", 0.3, "changed together 5 times"), ("d.py", 0.2, "worked on lately")];
        assert_eq!(told(&history, &files, Some("a.py"), true), ["likely to change with it: b.py"]);
        assert!(told(&history, &files, Some("a.py"), false).is_empty(), "not likely enough without a goal");
        assert!(told(&history, &files, Some("c.py"), true).is_empty(), "it changes alone");
    }

    #[test]
    fn a_goal_alone_means_what_commits_or_names_speak_for() {
        let files = [("a.py", 0.5, "an earlier commit said \"x\""), ("tests/test_b.py", 0.2, ""), ("c.py", 0.2, "")];
        let history: [&[&str]; 2] = [&["a.py", "tests/test_b.py"], &["c.py"]];
        let expected = "a.py: an earlier commit said \"x\"; perhaps also tests/test_b.py; run: pytest tests/test_b.py";
        assert_eq!(told(&history, &files, None, true), [expected]);
        let busy = [("a.py", 0.3, "touched by commits like this"), ("b.py", 0.2, "its path says \"x\"")];
        assert_eq!(told(&[], &busy, None, true), ["b.py: its path says \"x\""]);
        assert!(told(&[], &busy[..1], None, true).is_empty());
    }

    #[test]
    fn an_error_tells_what_it_leads_to() {
        let of_error = [
            ("a.py", 0.8, "named in the error, line 3"),
            ("b.py", 0.4, "defines load (line 7), which the error names"),
        ];
        assert_eq!(told(&[], &of_error, Some("a.py"), false), ["b.py: defines load (line 7), which the error names"]);
    }
}
