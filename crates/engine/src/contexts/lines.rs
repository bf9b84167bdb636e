//! The files that will be needed, as they are told: how the file at hand is tested, what earlier work or an error leads
//! to, and the others in one line.
//!
//! What is likely enough was read off 418 later commits of ten repositories. More than half of them touch one file only, so
//! that nothing else is to be said of a file whose commits mostly do. What is named has commits or its name behind it.

mod meant;
mod tested;

use std::collections::BTreeMap;

use super::Contexts;
use super::cache::Need;
use super::cases::Spoken;
use super::commits::{ALIKE_THERE, SHOWN_OF_AN_ID};
use super::folders::{Folder, folder_meant};
use super::passages::Passage;
use super::place::{LIKELY_IN, telling_words};
use super::sites::names_said;
use super::{habits, named};
use crate::ground::LARGEST_TEXT;
use crate::past::PastKnown;
use lokid_context::gather;
use lokid_context::parts::{Candidate, FileLine};
use lokid_context::predict::memories::{branch_topic, is_common_branch};
use lokid_context::predict::{PredictedFile, files, goal};
use lokid_model::{Kind, Memory, Scope, Source};

/// A line of its own has what earlier work, the branch or the error itself leads to, from this likelihood on.
const LIKELY: f64 = 0.25;
const MOST_LIKELY: usize = 3;
const TELLING: [&str; 4] = ["changed in [", "read in [", "the error names", "changed on this branch"];
/// What may change with a file is told behind a line that stands without it, and as likely as that. Never by itself: even of
/// those that seem likeliest one in three did; of what is less likely, one in ten.
const PERHAPS_ALSO: &str = "; perhaps also ";
/// So many are named, each with so many commits that touched both.
const MOST_BESIDE: usize = 3;
const TOGETHER: usize = 2;
const MOST_HABITS: usize = 2;
/// A commit of more files says nothing of two of them.
const SWEEP: usize = 20;
/// What tools say of a test that failed.
const FAILED_TESTS: [&str; 3] = ["--- FAIL: ", "FAILED ", "test result: FAILED"];
const SAID: &str = "earlier commits about";
/// How a line begins that tells what is done again and again.
const ROUTINE: &str = "done before by ";
/// And the reason of what is told for the words of a goal or a branch.
const ABOUT: &str = "about ";
pub(super) const TYPES: [&str; 6] = ["typing", "annotation", "annotations", "mypy", "pyright", "typecheck"];
const CHECKERS: [&str; 8] = ["mypy", "pyright", "pyrefly", "pytype", "clippy", "eslint", "ruff", "pylint"];
/// What is to be formatted is mostly what a program prints.
const FORMATS: [&str; 4] = ["fmt", "prettier", "rustfmt", "gofmt"];
pub(super) const LINTS: [&str; 8] = ["lint", "lints", "linter", "linting", "clippy", "eslint", "ruff", "pylint"];
/// What stands so many lines below the beginning of a function is taken for a part of it.
const HELD: usize = 60;
const OFTEN: &str = "the tests that change most often with ";

impl Contexts {
    /// The files that will be needed, as they are told.
    pub(super) fn file_lines(&self, files: &[PredictedFile], need: &Need) -> Vec<FileLine> {
        let (past, one_test) = (self.repository.known(), self.known_fact(need, "test.one"));
        let code = self.repository.code();
        let names_tests = |path: &str| code.get(path)?.symbols.iter().find(|symbol| symbol.name == "tests").map(drop);
        // Those behind another condition are not built by the usual command.
        let says_tests = |text: String| text.contains("#[test]") && text.contains("#[cfg(test)]");
        let has_tests = |path: &str| {
            let text = || self.repository.text_of(path, LARGEST_TEXT);
            path.ends_with(".rs") && (names_tests(path).is_some() || text().is_some_and(says_tests))
        };
        let (one_test, has_goal) = (one_test.as_deref(), need.goal.is_some());
        let is_work = has_goal || need.branch.as_ref().is_some_and(|branch| !is_common_branch(&branch.name));
        let topic = need.branch.as_ref().filter(|_| !has_goal).and_then(|branch| branch_topic(&branch.name));
        let said = need.goal.as_deref().or(topic.as_deref());
        let sorts = said.map(Sorts::of).unwrap_or_default();
        let text_of = |path: &str| self.repository.text_of(path, LARGEST_TEXT);
        let like = |path: &str| self.commit_like(said?, path);
        let around = if need.file.is_none() { self.around(need, &past.ground) } else { Vec::new() };
        let names: Vec<String> = around.iter().cloned().chain(said.map(names_said).unwrap_or_default()).collect();
        let closest = |tests: &str| {
            let words = said.map(|said| telling_words(said, tests)).unwrap_or_default();
            self.closest(tests, &Spoken::new(&names, words))
        };
        let importers = |path: &str| code.importers(path).into_iter().map(str::to_owned).collect();
        let tests_called = |path: &str| self.tests_called(path, &around);
        let functions: Vec<String> = tested::words_of(&around.join(" "));
        let spoken_of =
            said.map(str::to_owned).into_iter().chain(around.iter().cloned()).collect::<Vec<String>>().join(" ");
        let spoken_of = tested::words_of(&spoken_of);
        let folder = folder_meant(&past, need);
        let is_of_tool = is_of_tool(need);
        let meant = said.filter(|_| !is_of_tool && !sorts.texts);
        let meant = meant.map(|said| self.meant_by(&past, said, need.hour.as_micros() / 1_000_000)).unwrap_or_default();
        let spoken = match need.file.is_none() && need.errors.is_empty() && !sorts.is_aside() {
            true => self.spoken(&meant, folder.as_ref()),
            false => Vec::new(),
        };
        let of_goal =
            said.unwrap_or_default().split(|sign: char| !sign.is_alphanumeric() && sign != '_').map(str::to_owned);
        let of_spoken = spoken.iter().map(|one| one.name.clone());
        let of_work: Vec<String> = around.iter().cloned().chain(of_goal).chain(of_spoken).collect();
        let tests_saying = |called_so: &str| self.tests_saying(called_so, &of_work);
        let name_of = |passage: &Passage| self.shown(&passage.name);
        let named: Vec<String> = need.goal.as_deref().map(names_said).unwrap_or_default();
        let spoken_there = |path: &str| match &need.goal {
            Some(goal) => self.named_there(path, goal, &spoken, &meant),
            None => self.told_of(&spoken, path),
        };
        let telling = Telling {
            past: &past,
            spoken: &spoken,
            spoken_there: &spoken_there,
            name_of: &name_of,
            one_test,
            has_goal,
            is_work,
            sorts,
            has_tests: &has_tests,
            text_of: &text_of,
            like: &like,
            spoken_of: &spoken_of,
            functions: &functions,
            closest: &closest,
            tests_called: &tests_called,
            tests_saying: &tests_saying,
            importers: &importers,
            folder: folder.as_ref(),
        };
        let mut lines = telling.lines(files, need.file.as_deref().or_else(|| named::place_of(files)));
        // Whoever has a failed test has run it; whoever has an error has its place, and needs more of it than a command for all.
        if need.file.is_none() && !need.errors.is_empty() {
            let is_of_tests = need.errors.iter().any(|error| FAILED_TESTS.iter().any(|said| error.text.contains(said)));
            let is_for_all = |text: &str| text.starts_with("run: ") && !text.ends_with("::");
            lines.retain(|line| !line.tells_how_to_run() || !(is_of_tests || is_for_all(line.text())));
        }
        if let Some(goal) = said {
            let has_line = |file: &&PredictedFile| {
                lines.iter().any(|line| matches!(line, FileLine::Likely { path, .. } if *path == file.path))
            };
            let others: Vec<&PredictedFile> = files.iter().filter(|file| !has_line(file)).collect();
            if !is_of_tool {
                let beside = |path: &str| telling.beside(path, &others);
                self.tell_place(&mut lines, need.file.as_deref(), goal, &meant, &beside);
            }
            lines.retain(|line| !meant::is_bare(line));
            let first = lines.iter().find_map(|line| match line {
                FileLine::Likely { path, .. } => Some(path.as_str()),
                FileLine::Others(_) => None,
            });
            let place = need.file.as_deref().or(first);
            let before = self.numbered(goal).or_else(|| self.routine(goal, need.file.as_deref()));
            let before = before.or_else(|| self.alike_in(goal, place?, has_goal));
            let id =
                |line: &str| line.split_once("\" (").and_then(|(_, id)| id.get(..SHOWN_OF_AN_ID)).map(str::to_owned);
            let is_new =
                |line: &String| id(line).is_none_or(|id| lines.iter().all(|known| !known.text().contains(&id)));
            let before = before.filter(is_new);
            lines.extend(before.map(FileLine::Others));
        }
        let names = self.name_lines(need, &lines, &|path| telling.how_to_test(path));
        // Where a name is defined is among where it stands.
        let is_again = |line: &FileLine| match line {
            FileLine::Likely { path, why } => {
                why.starts_with(named::DEFINES) && names.iter().any(|name| name.text().contains(&format!("{path}:")))
            }
            FileLine::Others(_) => false,
        };
        lines.retain(|line| (need.file.is_none() && need.errors.is_empty()) || !is_again(line));
        // Where a name of the goal stands is better than where its words do.
        if need.file.is_none() && !named.is_empty() {
            lines.iter_mut().for_each(|line| without_guess(line, &names, &named));
            lines.retain(|line| !matches!(line, FileLine::Likely { why, .. } if why.is_empty()));
        }
        lines.extend(names);
        if need.file.is_none() {
            let about = match (self.since(need, &lines), self.callers(need)) {
                (Some(since), Some((_, calls))) => Some(format!("{since}; {calls}")),
                (None, Some((name, calls))) => Some(format!("{name} {calls}")),
                (since, None) => since,
            };
            lines.extend(about.map(FileLine::Others));
        }
        let check = said.and_then(check_of);
        // Whoever names a checker does not mean another.
        let is_named = |tool: &&str| said.is_some_and(|said| said.to_lowercase().contains(*tool));
        let is_meant = |fact: &String| {
            let mut named = CHECKERS.iter().filter(|tool| is_named(tool)).peekable();
            named.peek().is_none() || named.any(|tool| fact.contains(tool))
        };
        let told = |key| self.known_fact(need, key).filter(is_meant);
        let check = check.and_then(|(key, called)| Some(format!("{called}: {}", told(key)?)));
        lines.extend(check.map(FileLine::Others));
        lines
    }

    /// Where in the file at hand, or in the one that is meant, the goal's words stand.
    fn tell_place(
        &self,
        lines: &mut Vec<FileLine>,
        at_hand: Option<&str>,
        goal: &str,
        meant: &[Passage],
        beside: &dyn Fn(&str) -> String,
    ) {
        match (at_hand, lines.first_mut()) {
            (Some(path), _) => {
                let Some(place) = self.place_in(path, goal, meant, true) else { return };
                let is_told = lines.iter().any(|line| line.text().contains(PERHAPS_ALSO));
                let more = if is_told { String::new() } else { beside(path) };
                // Its tests are told with it, wherever they stand.
                let start = format!("the tests of {path}");
                let is_its = |line: &FileLine| match line {
                    FileLine::Likely { path: other, why } => why.starts_with(&start) || other == path,
                    FileLine::Others(_) => false,
                };
                let tests = lines.iter().position(is_its);
                let tested = tests.map(|at| lines.remove(at)).and_then(|line| match line {
                    FileLine::Likely { path: other, why } if other == path => Some(format!("; {why}")),
                    FileLine::Likely { path: other, why } => Some(format!("; tests: {other}{}", &why[start.len()..])),
                    FileLine::Others(_) => None,
                });
                let why = place + &tested.unwrap_or_default() + &more;
                lines.insert(0, FileLine::Likely { path: path.to_owned(), why });
            }
            (None, Some(FileLine::Likely { path, why }))
                if !why.contains(LIKELY_IN) && !why.contains(named::DEFINES) =>
            {
                if let Some(place) = self.place_in(path, goal, meant, false) {
                    *why = match why.strip_prefix(meant::BY_COMMITS) {
                        Some(more) => format!("{place}{more}"),
                        None => format!("{why}; {place}"),
                    };
                }
            }
            (None, _) => {}
        }
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

/// Takes the functions off that say words of the goal, where a line of names leads into the same file, and none of them is called
/// so or holds that line.
fn without_guess(line: &mut FileLine, names: &[FileLine], named: &[String]) {
    let FileLine::Likely { path, why } = line else { return };
    let numbers = |text: &str, before: &str| -> Vec<usize> {
        let after = text.split(before).skip(1);
        after.filter_map(|rest| rest.split(|sign: char| !sign.is_ascii_digit()).next()?.parse().ok()).collect()
    };
    let said_at: Vec<usize> = names.iter().flat_map(|name| numbers(name.text(), &format!("{path}:"))).collect();
    let is_guess = |part: &&str| {
        let bare = part.to_lowercase().replace('_', "");
        let holds = || {
            let begin = numbers(part, "(line ");
            begin.iter().any(|begin| said_at.iter().any(|at| (*begin..begin + HELD).contains(at)))
        };
        let is_called_so = || named.iter().any(|name| bare.contains(name.as_str()));
        !said_at.is_empty() && part.starts_with(LIKELY_IN) && !is_called_so() && !holds()
    };
    *why = why.split("; ").filter(|part| !is_guess(part)).collect::<Vec<_>>().join("; ");
}

/// Does one of the lines name this commit, or all programs of one that is told for its likeness? Of 91 such commits 11 led to
/// a file that no line named, of the others 16 of 48. What git tells of by its words alone has to touch what is told already: of
/// 50 that did 45 led to a file that was changed, of 41 others 12.
pub(super) fn is_told(lines: &[FileLine], at_hand: Option<&str>, candidate: &Candidate) -> bool {
    let says = |text: &str| lines.iter().any(|line| line.text().contains(text));
    let names = |path: &str| {
        let is_path = |line: &FileLine| matches!(line, FileLine::Likely { path: known, .. } if known == path);
        says(path) || lines.iter().any(is_path)
    };
    let memory = &candidate.memory;
    let files = &memory.anchors.files;
    let is_quoted =
        || memory.id.commit().and_then(|id| id.get(..SHOWN_OF_AN_ID)).is_some_and(|id| says(&format!("({id}, ")));
    let is_new = |path: &String| goal::is_program(path) && !files::is_test(path) && !names(path);
    // One that shows how is enough.
    let is_one_too_many = || memory.is_commit() && (says(ROUTINE) || says(ALIKE_THERE));
    let is_by_words = candidate.why == gather::SIMILAR_REASON || candidate.why.starts_with(ABOUT);
    let is_of_git = memory.source == Source::Git && memory.kind != Kind::Decision;
    let has_place = at_hand.is_some() || lines.iter().any(|line| matches!(line, FileLine::Likely { .. }));
    let is_there = |path: &String| names(path) || at_hand == Some(path.as_str());
    is_quoted()
        || is_one_too_many()
        || (candidate.why == gather::SIMILAR_REASON && !files.iter().any(is_new))
        || (is_by_words && is_of_git && has_place && !files.iter().any(is_there))
}

fn is_defining(file: &PredictedFile) -> bool {
    file.why.starts_with(named::DEFINES)
}

/// What a tool does to all files: earlier commits of the sort lead to those that it had to change then.
pub(super) fn is_of_tool(need: &Need) -> bool {
    let topic = || need.branch.as_ref().and_then(|branch| branch_topic(&branch.name));
    need.goal.clone().or_else(topic).is_some_and(|said| check_of(&said).is_some())
}

/// Work that is for another check than tests: the fact that tells it, and what it is called.
fn check_of(goal: &str) -> Option<(&'static str, &'static str)> {
    let goal = goal.to_lowercase();
    let says = |words: &[&str]| goal.split(|sign: char| !sign.is_alphanumeric()).any(|word| words.contains(&word));
    match () {
        () if says(&TYPES) || goal.contains("type hint") || goal.contains("(types): ") => {
            Some(("typecheck", "type-check"))
        }
        () if says(&LINTS) => Some(("lint", "lint")),
        () if says(&FORMATS) => Some(("format", "format")),
        () => None,
    }
}

/// What the work is about, if not about programs.
#[derive(Clone, Copy, Default)]
struct Sorts {
    tests: bool,
    build: bool,
    texts: bool,
}

impl Sorts {
    fn of(text: &str) -> Sorts {
        let is_test = |word: &str| matches!(word.to_lowercase().as_str(), "test" | "tests");
        let tests = text.split(|sign: char| !sign.is_alphanumeric()).any(is_test);
        let [texts, build] = goal::sorts(text);
        Sorts { tests, build, texts }
    }

    fn is_aside(self) -> bool {
        self.tests || self.build
    }
}

struct Telling<'a> {
    past: &'a PastKnown,
    /// The definitions that speak most of what is to be done, where nothing is at hand.
    spoken: &'a [Passage],
    /// Those in a file, as they are told.
    spoken_there: &'a dyn Fn(&str) -> String,
    name_of: &'a dyn Fn(&Passage) -> String,
    one_test: Option<&'a str>,
    has_goal: bool,
    /// A goal, or a branch that is about something.
    is_work: bool,
    sorts: Sorts,
    /// Does a file of Rust hold its tests itself?
    has_tests: &'a dyn Fn(&str) -> bool,
    text_of: &'a dyn Fn(&str) -> Option<String>,
    /// The commit of a file that says most of what is to be done.
    like: &'a dyn Fn(&str) -> Option<String>,
    /// The words of the goal, and what an error happened in.
    spoken_of: &'a [String],
    /// What an error happened in.
    functions: &'a [String],
    /// The tests of a file that speak of the work.
    closest: &'a dyn Fn(&str) -> Option<String>,
    /// The tests that are called after what an error happened in.
    tests_called: &'a dyn Fn(&str) -> Option<String>,
    /// The tests that say what is worked on, and which name of it, where those of a file do not.
    tests_saying: &'a dyn Fn(&str) -> Option<(String, String)>,
    /// The files that import one.
    importers: &'a dyn Fn(&str) -> Vec<String>,
    /// The one that is named.
    folder: Option<&'a Folder>,
}

impl Telling<'_> {
    fn lines(&self, files: &[PredictedFile], at_hand: Option<&str>) -> Vec<FileLine> {
        let tests_of = |at_hand| self.tests(at_hand).or_else(|| self.tests_foreseen(at_hand, files));
        let tests = at_hand.filter(|_| !self.sorts.texts).and_then(tests_of);
        let tested = tests.as_ref().map(|(path, _)| path.clone());
        let is_new = |file: &&PredictedFile| !named::is_named(file) && Some(&file.path) != tested.as_ref();
        // Beside a file at hand, or what an error is at, none of ten that define what is named was changed.
        let is_telling = |file: &&PredictedFile| TELLING.iter().any(|start| file.why.starts_with(start));
        let (telling, others): (Vec<&PredictedFile>, Vec<&PredictedFile>) =
            files.iter().filter(is_new).partition(is_telling);
        let likely = telling.into_iter().filter(|file| file.score >= LIKELY).take(MOST_LIKELY);
        let likely = likely.map(|file| FileLine::Likely { path: file.path.clone(), why: file.why.clone() });
        let others = match (tests, at_hand) {
            (Some((path, why)), Some(at_hand)) => {
                let with = self.beside(at_hand, &others) + &self.usual(at_hand);
                let is_news = !with.is_empty() || !tested::is_obvious(&path, &why, at_hand);
                is_news.then(|| FileLine::Likely { path, why: why + &with })
            }
            (_, Some(at_hand)) => {
                let habits = self.habits(at_hand);
                let all = || FileLine::Others(format!("likely to change with it: {}", habits.join(", ")));
                (!habits.is_empty()).then(all)
            }
            (_, None) => self.meant(&others),
        };
        others.into_iter().chain(likely).collect()
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

    /// Behind a line that stands by itself: what may change with a program, as far as commits speak for it, by what they touched
    /// with it or by what they said.
    fn beside(&self, first: &str, others: &[&PredictedFile]) -> String {
        if !self.has_goal || !goal::is_program(first) {
            return String::new();
        }
        let (together, usual) = (self.together(first), self.habits(first));
        let is_usual = |path: &str| usual.iter().any(|habit| habit.starts_with(path));
        let is_partner = |path: &str| together.get(path).is_some_and(|times| *times >= TOGETHER);
        let is_known = |file: &&&PredictedFile| {
            let is_said = file.why.contains(SAID) && goal::is_program(&file.path);
            let is_other = file.path != first && !is_usual(&file.path);
            is_other && file.score >= LIKELY && (is_said || is_partner(&file.path))
        };
        let likely = others.iter().filter(is_known).map(|file| file.path.as_str());
        let likely: Vec<&str> = likely.take(MOST_BESIDE).collect();
        if likely.is_empty() { String::new() } else { format!("{PERHAPS_ALSO}{}", likely.join(", ")) }
    }

    /// Behind a line that stands by itself.
    fn usual(&self, path: &str) -> String {
        let habits = self.habits(path);
        if habits.is_empty() { String::new() } else { format!("; usually also {}", habits.join(", ")) }
    }

    /// What is touched with this file, or else with any program, by most who have a goal.
    fn habits(&self, path: &str) -> Vec<String> {
        let is_program = goal::is_program(path);
        if !self.is_work || (self.sorts.texts && is_program) || files::is_test(path) {
            return Vec::new();
        }
        let own = habits::of_file(self.past, path);
        let general = if is_program { habits::of_programs(self.past, path) } else { Vec::new() };
        let general = general.into_iter().filter(|habit| own.iter().all(|known| known.what != habit.what));
        let general: Vec<String> = general.map(|habit| habit.told("the")).collect();
        own.iter().map(|habit| habit.told("its")).chain(general).take(MOST_HABITS).collect()
    }
}

#[cfg(test)]
mod tests;
