//! What a goal or a branch means where nothing is at hand: the file that something speaks for, and where else to look.

use super::super::folders::{OF_THE_FOLDER, is_inside, is_work};
use super::super::passages;
use super::{LIKELY, OFTEN, SAID, Telling, is_defining, named};
use lokid_context::parts::FileLine;
use lokid_context::predict::terrain::Terrain;
use lokid_context::predict::{PredictedFile, files, goal};
use lokid_index::cochange::{folder_of, stem_of};

/// What a goal alone means, or a branch, and how likely it is if nothing else comes near; what is clear needs no distance. Of 870
/// later commits of 22 repositories such a file was told for three in five, and two in three of these were touched.
const FIRST: f64 = 0.3;
const FIRST_OF_BRANCH: f64 = 0.2;
const CLEAR: f64 = 0.4;
const AHEAD: f64 = 2.0;
/// From here on four in five are it, whatever speaks for them.
const SURE: f64 = 0.8;
/// So likely it is that one of the definitions that are told is meant, where a name that leads elsewhere is let go.
const SPOKEN_FOR: f64 = 0.65;
pub(super) const BY_COMMITS: &str = "likely, by earlier commits";
/// How a reason begins that is one by itself: others hold for whatever is worked on often.
const EVIDENT: [&str; 3] = ["it is named", "its name is", "its path says"];
const IN_ITS_FOLDER: &str = "its path is";
const CALLED: [&str; 2] = ["its name is", IN_ITS_FOLDER];
const MOST_OF_A_FOLDER: usize = 5;
const SAID_ONCE: &str = "an earlier commit about";
/// What changed with it before may be its tests, from this likelihood on.
const PERHAPS: f64 = 0.08;
const INSTEAD: f64 = 0.03;
const MOST_INSTEAD: usize = 2;

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

    /// What a goal or a branch means where nothing is at hand; in the folder that it names, if it names one.
    pub(super) fn meant(&self, files: &[&PredictedFile]) -> Option<FileLine> {
        let is_there = |path: &str| self.folder.is_none_or(|folder| is_inside(path, &folder.path));
        let mut files: Vec<&PredictedFile> = files.iter().copied().filter(|file| is_there(&file.path)).collect();
        let spoken = self
            .spoken
            .first()
            .filter(|spoken| is_there(&spoken.path) && files.iter().all(|file| file.path != spoken.path));
        let spoken = spoken.map(|spoken| PredictedFile { path: spoken.path.clone(), score: 0.0, why: String::new() });
        files.extend(&spoken);
        self.evident(&files)
    }

    fn evident(&self, files: &[&PredictedFile]) -> Option<FileLine> {
        let is_evident = |file: &PredictedFile| {
            file.why.contains(SAID)
                || file.why.starts_with(IN_ITS_FOLDER)
                || named::is_member(file)
                || (file.why.starts_with(SAID_ONCE) && file.score >= LIKELY)
                || EVIDENT.iter().any(|start| file.why.starts_with(start))
        };
        let defining = files.iter().find(|file| file.score >= LIKELY && is_defining(file) && !is_stub(file));
        let evident = files.iter().find(|file| is_evident(file) && !is_stub(file));
        // A scope is told to say where.
        let is_told = |file: &&&PredictedFile| {
            let (_, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
            let is_called = |start: &str| file.why.starts_with(start);
            let is_told = CALLED.iter().any(|start| is_called(start));
            let is_of_folder = OF_THE_FOLDER.iter().any(|start| name.starts_with(start)) || self.is_its_folder(file);
            named::is_member(file) || (is_told && !is_of_folder)
        };
        // What the words and the history say together knows better than a name.
        let is_elsewhere = |file: &PredictedFile| {
            passages::any(self.spoken) >= SPOKEN_FOR && self.spoken.iter().all(|spoken| spoken.path != file.path)
        };
        let is_called = |file: &&&PredictedFile| {
            is_told(file) && defining.is_none_or(|other| file.score >= other.score) && !is_elsewhere(file)
        };
        let called = evident.filter(is_called);
        let clear = || {
            evident
                .filter(|file| self.is_clear(file, files) && !self.stands_for_folder(file) && !self.is_its_folder(file))
        };
        let spoken = self.spoken.first().and_then(|spoken| files.iter().find(|file| file.path == spoken.path));
        let likeliest = called.or(spoken).or(defining).or_else(clear)?;
        let there = if named::is_member(likeliest) { String::new() } else { (self.spoken_there)(&likeliest.path) };
        let first = *likeliest;
        let is_work = goal::is_program(&first.path);
        let is_by_commits = likeliest.why.contains(SAID) && (self.like)(&first.path).is_none();
        if (is_by_commits || goal::is_document(&first.path)) && !is_work && !self.sorts.build && !self.sorts.texts {
            return None;
        }
        if is_work && !files::is_test(&first.path) && self.sorts.is_aside() {
            return self.tests_meant(&first.path);
        }
        let together = self.together(&first.path);
        let is_partner = |path: &str| together.contains_key(path);
        let is_beside = |file: &&&PredictedFile| {
            is_work && file.path != first.path && file.score >= PERHAPS && is_partner(&file.path)
        };
        let run = self.how_to_test(&first.path);
        let run = run.or_else(|| files.iter().filter(is_beside).find_map(|file| self.run(&file.path)));
        let run = run.map_or_else(|| self.tests_elsewhere(&first.path), |run| format!("; run: {run}"));
        let closest = self.closest_of(&first.path);
        let is_other = |file: &&&PredictedFile| !run.ends_with(&file.path);
        let others: Vec<&PredictedFile> = files.iter().filter(is_other).copied().collect();
        let (why, beside) = match likeliest.why.contains(SAID) || likeliest.why.starts_with(SAID_ONCE) {
            false => (
                first.why.clone(),
                self.of_package(first, &others).unwrap_or_else(|| self.beside(&first.path, &others)),
            ),
            // Whoever counts commits finds others: one that is named can be looked at.
            true => match (self.like)(&first.path) {
                Some(like) => (format!("changed before by {like}"), self.beside(&first.path, &others)),
                // Many commits that say a little each lead astray where nothing in the file speaks of it.
                None if there.is_empty() && first.score < SURE => return None,
                None if there.is_empty() => (BY_COMMITS.to_owned(), String::new()),
                None => (String::new(), String::new()),
            },
        };
        let is_evident = EVIDENT.iter().any(|start| why.starts_with(start)) || why.starts_with("changed before");
        let why = match (there.is_empty(), is_evident) {
            (true, _) => why,
            (false, true) => format!("{why}; {there}"),
            (false, false) => there,
        };
        let beside = if self.spoken.is_empty() { beside } else { self.spoken_elsewhere(&first.path) };
        let more = format!("{run}{closest}{beside}{}", self.usual(&first.path));
        Some(FileLine::Likely { path: first.path.clone(), why: why + &more })
    }

    /// Is a file called so because the folder that is named is?
    fn is_its_folder(&self, file: &PredictedFile) -> bool {
        file.why.starts_with(CALLED[0]) && self.folder.is_some_and(|folder| folder.is_name_of(&file.path))
    }

    /// What a whole folder is called leads to none of its many files.
    fn stands_for_folder(&self, file: &PredictedFile) -> bool {
        let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
        let is_called_so = file.why.starts_with(CALLED[0]) && OF_THE_FOLDER.iter().any(|start| name.starts_with(start));
        let is_there = |path: &&str| is_inside(path, folder) && is_work(path);
        is_called_so && self.past.ground.paths().filter(is_there).nth(MOST_OF_A_FOLDER).is_some()
    }

    /// Others that speak of it nearly as much.
    fn spoken_elsewhere(&self, path: &str) -> String {
        let others = self.spoken.iter().filter(|passage| passage.path != path);
        let others = others.map(|passage| format!("{} ({}:{})", (self.name_of)(passage), passage.path, passage.line));
        let others: Vec<String> = others.collect();
        if others.is_empty() { String::new() } else { format!("; else {}", others.join(", ")) }
    }

    /// Where it is tested, if nobody knows by which command.
    fn tests_elsewhere(&self, path: &str) -> String {
        let tests = self.tests(path).filter(|(tests, why)| tests != path && !why.starts_with(OFTEN));
        tests.map(|(tests, _)| format!("; tests: {tests}")).unwrap_or_default()
    }

    /// Of the tests of a file, those that speak of the work.
    fn closest_of(&self, path: &str) -> String {
        let Some((tests, _)) = self.tests(path).filter(|(_, why)| !why.starts_with(OFTEN)) else {
            return String::new();
        };
        let place = if tests == path { String::new() } else { format!(" in {tests}") };
        (self.closest)(&tests).map(|closest| format!("; {closest}{place}")).unwrap_or_default()
    }

    pub(super) fn how_to_test(&self, path: &str) -> Option<String> {
        self.run(path).or_else(|| {
            let (_, why) = self.tests(path).filter(|(_, why)| !why.starts_with(OFTEN))?;
            why.split_once("run: ").map(|(_, run)| run.to_owned())
        })
    }

    /// What a package is called may mean all of it: others of it that are thought of.
    fn of_package(&self, first: &PredictedFile, files: &[&PredictedFile]) -> Option<String> {
        let folder = folder_of(&first.path);
        let is_package = is_work(&first.path)
            && CALLED.iter().any(|start| first.why.starts_with(start))
            && stem_of(folder) == stem_of(&first.path);
        let inside =
            files.iter().copied().filter(|file| is_package && is_inside(&file.path, folder) && is_work(&file.path));
        let instead = self.instead(first, &inside.collect::<Vec<_>>());
        Some(instead).filter(|instead| !instead.is_empty())
    }

    /// Where to look if it is not here: what is clear was touched in two of three cases, it or one of the next two in nine of
    /// ten.
    fn instead(&self, first: &PredictedFile, files: &[&PredictedFile]) -> String {
        let usual = self.habits(&first.path);
        let is_other = |file: &&&PredictedFile| {
            let is_usual = || usual.iter().any(|habit| habit.starts_with(&file.path));
            file.path != first.path && file.score >= INSTEAD && self.past.ground.is_there(&file.path) && !is_usual()
        };
        let next: Vec<&str> = files.iter().filter(is_other).map(|file| file.path.as_str()).take(MOST_INSTEAD).collect();
        if next.is_empty() { String::new() } else { format!("; else {}", next.join(", ")) }
    }
}

/// Whoever says the name of a file finds it, and is told no more than that.
pub(super) fn is_bare(line: &FileLine) -> bool {
    matches!(line, FileLine::Likely { why, .. } if EVIDENT.iter().any(|start| why.starts_with(start)) && !why.contains("; "))
}

/// What declares something is changed with what defines it.
fn is_stub(file: &PredictedFile) -> bool {
    [".pyi", ".d.ts"].iter().any(|ending| file.path.ends_with(ending))
}
