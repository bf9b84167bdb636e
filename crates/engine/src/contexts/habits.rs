//! What work here brings along: files that most small commits touch besides, and folders that are given a new file each
//! time.
//!
//! Of the last 120 commits of each of 22 repositories, those that were to follow such a habit did in so many of a hundred, by
//! how many of the twenty commits before had:
//!
//! | of twenty | 6–7 | 8–11 | 12–15 | 16–20 |
//! |---|---|---|---|---|
//! | change log, with a file | 38 | 33 | 60 | 91 |
//! | anything that is no program, with any program | 27 | 42 | 48 | 92 |
//! | a new file in a folder | 44 | 56 | 73 | 91 |
//! | another program, with a file | 11 | 20 | 33 | 67 |

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::past::PastKnown;
use lokid_context::predict::terrain::Terrain;
use lokid_context::predict::{files, goal};
use lokid_index::cochange::{folder_of, is_trivial};
use lokid_index::subjects::words;

/// So many commits are looked at, and fewer than this make no habit.
const LOOKED_AT: usize = 20;
const FEWEST: usize = 5;
/// How far back they may lie.
const FURTHEST: usize = 3_000;
/// A commit of more files says little of any two of them.
const SMALL: usize = 6;
/// From these shares on something is a habit.
const USUAL: f64 = 0.6;
const USUAL_NEW: f64 = 0.5;
const NEARLY_ALWAYS: f64 = 0.8;

const SEVERAL: usize = 3;

/// A commit that says one of these changes what no work does.
static OF_RELEASES: LazyLock<Vec<u64>> =
    LazyLock::new(|| words("release bump version", 3).into_iter().map(|(term, _)| term).collect());

/// What is touched besides, as it is told, and how often.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Habit {
    pub(super) what: String,
    times: usize,
    of: usize,
}

impl Habit {
    fn share(&self) -> f64 {
        self.times as f64 / self.of.max(1) as f64
    }

    /// `CHANGES.md (in 18 of its last 20 small commits)`
    pub(super) fn told(&self, whose: &str) -> String {
        format!("{} (in {} of {whose} last {} small commits)", self.what, self.times, self.of)
    }
}

/// What goes with one file.
pub(super) fn of_file(past: &PastKnown, path: &str) -> Vec<Habit> {
    let names: BTreeSet<u32> =
        past.cochange.all_names(path).into_iter().filter_map(|name| past.subjects.find(name)).collect();
    let commits = small(past).filter(|files| files.iter().any(|file| names.contains(file)));
    let commits: Vec<&[u32]> = commits.take(LOOKED_AT).collect();
    // A lock is written by a tool, and forgotten by who edits what it is made of.
    let is_other = |other: &str| other != path && !files::is_test(other) && (!is_lock(other) || is_manifest(path));
    // Of programs one that is called the same elsewhere, a copy that is kept alike, or what nearly always goes with it.
    let name = |path: &str| path.rsplit('/').next().map(str::to_owned);
    let mut found = touched(past, &commits, &|other| is_other(other));
    found.retain(|habit| {
        !goal::is_program(&habit.what) || name(&habit.what) == name(path) || habit.share() >= NEARLY_ALWAYS
    });
    found
}

/// What goes with work on programs of the part of the repository that a file is in: files that are none, and new ones.
pub(super) fn of_programs(past: &PastKnown, path: &str) -> Vec<Habit> {
    let subjects = &past.subjects;
    let top = |path: &str| path.split_once('/').map(|(top, _)| top.to_owned());
    let part = top(path);
    let is_work = |file: &u32| {
        let path = subjects.path(*file);
        goal::is_program(path) && !files::is_test(path) && top(path) == part
    };
    let commits: Vec<&[u32]> = small(past).filter(|files| files.iter().any(is_work)).take(LOOKED_AT).collect();
    let mut habits = touched(past, &commits, &|path| !goal::is_program(path) && !is_lock(path));
    // What is done to one program again and again, as tools do, is no habit of others.
    habits.retain(|habit| {
        let goes_with = |files: &&&[u32]| files.iter().any(|file| subjects.path(*file) == habit.what);
        let programs: BTreeSet<&str> = commits
            .iter()
            .filter(goes_with)
            .flat_map(|files| files.iter().filter(|file| is_work(file)))
            .map(|file| subjects.path(*file))
            .collect();
        programs.len() >= SEVERAL || programs.contains(path)
    });
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for files in &commits {
        let new = files.iter().map(|file| subjects.path(*file)).filter(|path| is_new(past, path));
        let new: BTreeSet<&str> = new.map(folder_of).filter(|folder| !folder.is_empty()).collect();
        new.into_iter().for_each(|folder| *folders.entry(folder).or_default() += 1);
    }
    let told =
        |(folder, times): (&str, usize)| Habit { what: format!("a new file in {folder}"), times, of: commits.len() };
    habits.extend(folders.into_iter().map(told).filter(|habit| is_usual(habit, USUAL_NEW)));
    habits
}

/// The files of each small commit that is no release, newest first.
fn small(past: &PastKnown) -> impl Iterator<Item = &[u32]> {
    let subjects = &past.subjects;
    let is_work = |commit: &usize| {
        (1..=SMALL).contains(&subjects.files_of(*commit).len())
            && !OF_RELEASES.iter().any(|term| subjects.says(*commit, *term))
    };
    let newest = (0..subjects.commits()).rev().take(FURTHEST);
    newest.filter(is_work).map(|commit| subjects.files_of(commit))
}

fn touched(past: &PastKnown, commits: &[&[u32]], is_meant: &dyn Fn(&str) -> bool) -> Vec<Habit> {
    let mut times: BTreeMap<u32, usize> = BTreeMap::new();
    commits.iter().flat_map(|files| files.iter()).for_each(|file| *times.entry(*file).or_default() += 1);
    let habit =
        |(file, times): (u32, usize)| Habit { what: past.subjects.path(file).to_owned(), times, of: commits.len() };
    let habits = times.into_iter().map(habit);
    let is_meant = |habit: &Habit| is_usual(habit, USUAL) && is_meant(&habit.what);
    let mut habits: Vec<Habit> = habits.filter(|habit| is_meant(habit) && past.ground.is_there(&habit.what)).collect();
    habits.sort_by(|one, other| other.share().total_cmp(&one.share()).then_with(|| one.what.cmp(&other.what)));
    habits
}

fn is_lock(path: &str) -> bool {
    path.ends_with("go.sum") || (is_trivial(path) && path.to_lowercase().contains("lock"))
}

fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    ["Cargo.toml", "package.json", "go.mod", "pyproject.toml", "Pipfile", "Gemfile"].contains(&name)
}

fn is_usual(habit: &Habit, share: f64) -> bool {
    habit.of >= FEWEST && habit.share() >= share
}

/// Was it made by the only commit that touched it, another having removed it perhaps, in a folder that stands?
fn is_new(past: &PastKnown, path: &str) -> bool {
    let cochange = &past.cochange;
    let Some(place) = cochange.find(path) else { return false };
    let stands = || cochange.in_folder(path).any(|other| other != place && !cochange.is_gone(other));
    cochange.counts(place).0 <= 1 + u32::from(cochange.is_gone(place)) && stands()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use lokid_index::cochange::Cochange;
    use lokid_index::subjects::Subjects;
    use lokid_model::{Commit, FileChange, FileStatus};

    /// Commits with their subject, oldest first; a file is new where `+` stands before it.
    fn past(commits: &[(&str, Vec<String>)]) -> PastKnown {
        let (mut cochange, mut subjects) = (Cochange::default(), Subjects::default());
        for (time, (subject, files)) in commits.iter().enumerate() {
            let change = |path: &String| match path.strip_prefix('+') {
                Some(path) => FileChange { path: path.to_owned(), status: FileStatus::Added },
                None => FileChange { path: path.clone(), status: FileStatus::Modified },
            };
            let (files, subject) = (files.iter().map(change).collect(), (*subject).to_owned());
            let commit = Commit { id: "x".into(), parents: 1, time: time as i64, subject, files, ..Commit::default() };
            cochange.add(&commit);
            subjects.add(&commit);
        }
        PastKnown { cochange: Arc::new(cochange), subjects: Arc::new(subjects), ..PastKnown::default() }
    }

    fn told(habits: Vec<Habit>) -> Vec<String> {
        habits.iter().map(|habit| habit.told("the")).collect()
    }

    #[test]
    fn what_most_commits_touch_is_a_habit_and_releases_are_no_work() {
        let work = |at: usize| ("work", vec![format!("src/{}.rs", at % 3), "CHANGES.md".to_owned()]);
        let release = |_: usize| ("Release 1.2", vec!["src/0.rs".to_owned(), "Cargo.toml".to_owned()]);
        let commits: Vec<_> = (0..12).flat_map(|at| [work(at), release(at)]).collect();
        let known = past(&commits);
        assert_eq!(told(of_programs(&known, "src/1.rs")), ["CHANGES.md (in 12 of the last 12 small commits)"]);
        assert_eq!(told(of_file(&known, "src/1.rs")), Vec::<String>::new(), "four commits tell nothing yet");
        let commits: Vec<_> = (0..30).map(work).collect();
        let known = past(&commits);
        assert_eq!(told(of_file(&known, "src/1.rs")), ["CHANGES.md (in 10 of the last 10 small commits)"]);
        assert!(of_file(&known, "CHANGES.md").is_empty(), "each of its programs is seldom touched");
        let tool = |at: usize| ("Sync", vec![format!("src/{}.json.rs", at % 2), "data.md".to_owned()]);
        let known = past(&(0..12).map(tool).collect::<Vec<_>>());
        assert_eq!(told(of_programs(&known, "src/1.rs")), Vec::<String>::new(), "what a tool does to the same two");
        assert_eq!(told(of_programs(&known, "src/1.json.rs")), ["data.md (in 12 of the last 12 small commits)"]);
    }

    #[test]
    fn a_folder_that_is_given_a_file_each_time_is_a_habit() {
        let work = |at: usize| ("work", vec!["src/a.rs".to_owned(), format!("+.changeset/{at}.md")]);
        let commits: Vec<_> = (0..8).map(work).collect();
        assert_eq!(
            told(of_programs(&past(&commits), "src/a.rs")),
            ["a new file in .changeset (in 8 of the last 8 small commits)"]
        );
        let again = |_: usize| ("work", vec!["src/a.rs".to_owned(), "docs/a.md".to_owned()]);
        let commits: Vec<_> = (0..8).map(again).collect();
        assert_eq!(told(of_programs(&past(&commits), "src/a.rs")), ["docs/a.md (in 8 of the last 8 small commits)"]);
    }
}
