//! What a goal or a branch means where nothing is at hand: the file that something speaks for, and where else to look.

use std::collections::BTreeMap;

use super::{LIKELY, OFTEN, PERHAPS, SAID, Telling, is_defining};
use lokid_context::parts::FileLine;
use lokid_context::predict::terrain::Terrain;
use lokid_context::predict::{PredictedFile, files, goal};

/// What a goal alone means, or a branch, and how likely it is if nothing else comes near; what is clear needs no distance. Of 870
/// later commits of 22 repositories such a file was told for three in five, and two in three of these were touched.
const FIRST: f64 = 0.3;
const FIRST_OF_BRANCH: f64 = 0.2;
const CLEAR: f64 = 0.4;
const AHEAD: f64 = 2.0;
/// How a reason begins that is one by itself: others hold for whatever is worked on often.
const EVIDENT: [&str; 3] = ["it is named", "its name is", "its path says"];
const SAID_ONCE: &str = "an earlier commit about";
/// Many commits speak for it, each a little.
const BY_COMMITS: &str = "likely, by earlier commits";
const BY_ALL: &str = "likely, by texts and earlier commits";
const LIKELY_OF_GOAL: f64 = 0.35;
const INSTEAD: f64 = 0.03;
const MOST_INSTEAD: usize = 2;
const FEWEST_IN_A_FOLDER: usize = 2;
const MOST_INSIDE: usize = 3;

impl Telling<'_> {
    /// Is it likely enough, and far enough ahead of all others?
    fn is_clear(&self, first: &PredictedFile, files: &[&PredictedFile]) -> bool {
        let second = files.iter().filter(|file| file.path != first.path).map(|file| file.score).fold(0.0, f64::max);
        let least = if self.has_goal { FIRST } else { FIRST_OF_BRANCH };
        first.score >= CLEAR || (first.score >= least && first.score >= AHEAD * second)
    }

    /// Of a program that is not to be changed: its tests, where the goal is to test.
    fn tests_meant(&self, path: &str) -> Option<FileLine> {
        let (tests, why) = self.tests(path).filter(|(tests, _)| self.sorts.tests && tests != path)?;
        Some(FileLine::Likely { path: tests, why })
    }

    /// What a goal means where nothing is at hand.
    pub(super) fn meant(&self, files: &[&PredictedFile]) -> Option<FileLine> {
        self.evident(files).or_else(|| self.likely(files))
    }

    fn evident(&self, files: &[&PredictedFile]) -> Option<FileLine> {
        let is_evident = |file: &PredictedFile| {
            file.why.contains(SAID)
                || (file.why.starts_with(SAID_ONCE) && file.score >= LIKELY)
                || EVIDENT.iter().any(|start| file.why.starts_with(start))
        };
        let defining = files.iter().find(|file| file.score >= LIKELY && is_defining(file));
        let evident = files.iter().find(|file| is_evident(file) && !is_stub(file));
        let first = defining.or_else(|| evident.filter(|file| self.is_clear(file, files)))?;
        let is_work = goal::is_program(&first.path);
        if is_work && !files::is_test(&first.path) && self.sorts.is_aside() {
            return self.tests_meant(&first.path);
        }
        let is_beside = |file: &&&PredictedFile| is_work && file.path != first.path && file.score >= PERHAPS;
        let run = self.run(&first.path);
        let run = run.or_else(|| self.run_of_tests(&first.path));
        let run = run.or_else(|| files.iter().filter(is_beside).find_map(|file| self.run(&file.path)));
        let run = run.map(|run| format!("; run: {run}")).unwrap_or_default();
        let is_other = |file: &&&PredictedFile| !run.ends_with(&file.path);
        let others: Vec<&PredictedFile> = files.iter().filter(is_other).copied().collect();
        let (why, beside) = match first.why.contains(SAID) || first.why.starts_with(SAID_ONCE) {
            false => (first.why.clone(), self.beside(&first.path, &others)),
            // Whoever counts commits finds others: one that is named can be looked at.
            true => match (self.like)(&first.path) {
                Some(like) => (format!("changed before by {like}"), self.beside(&first.path, &others)),
                None if first.score < CLEAR => return None,
                None => (BY_COMMITS.to_owned(), self.instead(first, &others)),
            },
        };
        let more = format!("{run}{beside}{}", self.usual(&first.path));
        // Whoever says its name finds it.
        let is_news = !more.is_empty() || !EVIDENT.iter().any(|start| first.why.starts_with(start));
        is_news.then(|| FileLine::Likely { path: first.path.clone(), why: why + &more })
    }

    /// Nothing speaks for it alone, all together do: of 51 such branches and goals that were silent before 38 touched one of the
    /// three.
    fn likely(&self, files: &[&PredictedFile]) -> Option<FileLine> {
        let least = if self.has_goal { LIKELY_OF_GOAL } else { LIKELY };
        let is_meant = |file: &&&PredictedFile| {
            file.score >= least
                && is_work(&file.path)
                && !is_stub(file)
                && !EVIDENT.iter().any(|start| file.why.starts_with(start))
        };
        let first =
            files.iter().take(MOST_INSTEAD).find(is_meant).filter(|_| self.is_work && !self.sorts.is_aside())?;
        let run = self.run(&first.path).or_else(|| self.run_of_tests(&first.path));
        let run = run.map(|run| format!("; run: {run}")).unwrap_or_default();
        let is_other = |file: &&&PredictedFile| !run.ends_with(&file.path);
        let others: Vec<&PredictedFile> = files.iter().filter(is_other).copied().collect();
        let instead = self.instead(first, &others);
        Some(FileLine::Likely { path: first.path.clone(), why: format!("{BY_ALL}{run}{instead}") })
    }

    /// The one folder that is called so, and what is likely in it: of 29 branches and goals that nothing else was said to 26
    /// touched it.
    pub(super) fn folder(&self, names: &[String], files: &[PredictedFile]) -> Option<FileLine> {
        let called_so = |name: &String| Some((name.clone(), self.folder_called(name)?));
        let (name, folder) = names.iter().find_map(called_so).filter(|_| !self.sorts.is_aside())?;
        let is_there = |path: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        let inside = files.iter().map(|file| file.path.as_str()).filter(|path| is_there(path) && is_work(path));
        let inside: Vec<&str> = inside.take(MOST_INSIDE).collect();
        let run = self.run_of_tests(inside.first()?).map(|run| format!("; run: {run}")).unwrap_or_default();
        let inside = inside.join(", ");
        Some(FileLine::Others(format!("folder {folder}: its name is \"{name}\"; likely there: {inside}{run}")))
    }

    fn folder_called(&self, name: &str) -> Option<&str> {
        let is_called_so = |folder: &str| {
            let last = folder.rsplit('/').next().unwrap_or(folder).to_lowercase();
            last.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with(['-', '_']))
        };
        let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
        for path in self.past.ground.paths().filter(|path| path.contains('/') && is_work(path)) {
            let folder = path.match_indices('/').map(|(at, _)| &path[..at]).find(|folder| is_called_so(folder));
            folder.into_iter().for_each(|folder| *folders.entry(folder).or_default() += 1);
        }
        let (folder, many) = folders.pop_first().filter(|_| folders.is_empty())?;
        (many >= FEWEST_IN_A_FOLDER).then_some(folder)
    }

    fn run_of_tests(&self, path: &str) -> Option<String> {
        let (_, why) = self.tests(path).filter(|(_, why)| !why.starts_with(OFTEN))?;
        why.split_once("run: ").map(|(_, run)| run.to_owned())
    }

    /// Where to look if it is not here: what is clear was touched in two of three cases, it or one of the next two in nine of
    /// ten.
    fn instead(&self, first: &PredictedFile, files: &[&PredictedFile]) -> String {
        let is_other = |file: &&&PredictedFile| {
            file.path != first.path && file.score >= INSTEAD && self.past.ground.is_there(&file.path)
        };
        let next: Vec<&str> = files.iter().filter(is_other).map(|file| file.path.as_str()).take(MOST_INSTEAD).collect();
        if next.is_empty() { String::new() } else { format!("; else {}", next.join(", ")) }
    }
}

/// What declares something is changed with what defines it.
fn is_stub(file: &PredictedFile) -> bool {
    [".pyi", ".d.ts"].iter().any(|ending| file.path.ends_with(ending))
}

fn is_work(path: &str) -> bool {
    goal::is_program(path) && !files::is_test(path)
}
