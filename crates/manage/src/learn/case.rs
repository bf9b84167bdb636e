//! An episode as learning sees it: what it was about, what was touched, what went wrong, what was done and how it ended.
//! Everything is bounded here, so that no later step meets a megabyte.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use super::deed::{Deed, deeds, path_of};
use super::words::{Words, head, weight};
use crate::errors::is_everywhere;
use crate::errors::telling::headline;
use crate::plan::Around;
use crate::worth::{self, Scratch};
use lokid_model::{Body, Episode, Memory, Outcome, Timestamp};

const LONGEST_GOAL: usize = 400;
const LONGEST_ERROR: usize = 2_000;
const MOST_STEMS: usize = 24;
const MOST_FILES: usize = 40;
const MOST_ERRORS: usize = 20;
/// The first of January 2000 and 2100: a time outside is a mistake of somebody's clock.
const SANE: std::ops::Range<i64> = 946_684_800_000_000..4_102_444_800_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Well,
    Badly,
    Open,
}

/// An error that was met.
pub(super) struct Trouble {
    pub(super) print: u32,
    pub(super) message: String,
    pub(super) resolution: String,
}

pub(super) struct Case {
    pub(super) memory: Arc<Memory>,
    /// Nothing for a time that cannot be.
    pub(super) when: Option<i64>,
    pub(super) end: End,
    pub(super) goal: String,
    /// The same for the same task, whoever did it and however often.
    pub(super) task: String,
    pub(super) phase: String,
    /// Each once, with its weight, in the order they were said.
    pub(super) stems: Vec<(u32, f32)>,
    pub(super) meaning: Option<Rc<[f32]>>,
    pub(super) files: Vec<u32>,
    pub(super) troubles: Vec<Trouble>,
    pub(super) deeds: Vec<Deed>,
    /// Keys of the deeds, each once.
    pub(super) steps: Vec<u32>,
}

impl Case {
    pub(super) fn id(&self) -> &str {
        self.memory.id.as_str()
    }

    /// Oldest first; who has no time is older than all.
    pub(super) fn order(&self) -> (Option<i64>, &str) {
        (self.when, self.id())
    }

    pub(super) fn says_something(&self) -> bool {
        !self.stems.is_empty() || !self.files.is_empty() || !self.troubles.is_empty()
    }
}

/// Numbers for names, given in the order of arrival.
#[derive(Default)]
pub(super) struct Names {
    numbers: HashMap<String, u32>,
    list: Vec<String>,
}

impl Names {
    pub(super) fn number(&mut self, name: &str) -> u32 {
        if let Some(known) = self.numbers.get(name) {
            return *known;
        }
        let number = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.numbers.insert(name.to_owned(), number);
        self.list.push(name.to_owned());
        number
    }

    pub(super) fn known(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    pub(super) fn name(&self, number: u32) -> &str {
        self.list.get(number as usize).map_or("", String::as_str)
    }
}

/// Turns episodes into cases, one vocabulary for all.
pub(super) struct CaseReader<'a> {
    around: &'a dyn Around,
    pub(super) words: Words,
    pub(super) stems: Names,
    pub(super) files: Names,
    pub(super) prints: Names,
    pub(super) steps: Names,
    meanings: HashMap<String, Option<Rc<[f32]>>>,
    fingerprints: HashMap<String, u32>,
    /// Lines that stand in the goals of many tasks: a form that somebody fills in.
    forms: HashSet<String>,
    scratch: Scratch,
    /// In how many of how many cases each error was met.
    met: HashMap<u32, usize>,
    cases: usize,
}

impl<'a> CaseReader<'a> {
    /// A reader for these: what all of them have in common tells none from another.
    pub(super) fn new(around: &'a dyn Around, episodes: &[&Arc<Memory>]) -> CaseReader<'a> {
        CaseReader {
            around,
            met: HashMap::new(),
            cases: 0,
            forms: forms(episodes),
            scratch: Scratch::of(episodes.iter().copied()),
            words: Words::new(),
            stems: Names::default(),
            files: Names::default(),
            prints: Names::default(),
            steps: Names::default(),
            meanings: HashMap::new(),
            fingerprints: HashMap::new(),
        }
    }

    pub(super) fn read(&mut self, memory: &Arc<Memory>) -> Case {
        let none = Episode::default();
        let episode = match &memory.body {
            Body::Episode(episode) => episode.as_ref(),
            _ => &none,
        };
        let goal = self.goal_of(memory, episode);
        let mut deeds = deeds(&episode.action_log, self.around);
        deeds.retain(|deed| !self.scratch.names(&deed.shown) && !self.scratch.is_run_by(&deed.shown));
        let mut steps: Vec<u32> = Vec::new();
        for deed in &deeds {
            let step = self.steps.number(&deed.key);
            if !steps.contains(&step) {
                steps.push(step);
            }
        }
        let troubles = self.troubles(episode);
        self.cases += 1;
        troubles.iter().for_each(|trouble| *self.met.entry(trouble.print).or_default() += 1);
        Case {
            when: when(memory),
            end: end_of(memory, &deeds),
            phase: head(episode.phase.trim(), 40).to_lowercase(),
            stems: self.stems_of(&goal),
            meaning: self.meaning(&goal),
            files: self.files_of(memory, episode),
            memory: Arc::clone(memory),
            task: told_in(memory, episode).split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase(),
            goal,
            troubles,
            deeds,
            steps,
        }
    }

    /// Is this error met wherever anything is done?
    pub(super) fn is_everywhere(&self, print: u32) -> bool {
        is_everywhere(self.met.get(&print).copied().unwrap_or(0), 0, self.cases)
    }

    /// The line that says what this task is about.
    fn goal_of(&self, memory: &Memory, episode: &Episode) -> String {
        let told = told_in(memory, episode);
        let first = lines(told).next().unwrap_or("");
        let own = || lines(told).take(24).filter(|line| !self.forms.contains(*line)).find_map(filled_in);
        let line = if self.forms.contains(first) { own().unwrap_or(first) } else { first };
        head(line, LONGEST_GOAL).trim().to_owned()
    }

    fn stems_of(&mut self, goal: &str) -> Vec<(u32, f32)> {
        let mut found: Vec<(u32, f32)> = Vec::new();
        for word in self.words.of(goal) {
            let stem = self.stems.number(&word.stem);
            if found.len() < MOST_STEMS && !found.iter().any(|(known, _)| *known == stem) {
                found.push((stem, weight(&word.stem)));
            }
        }
        found
    }

    pub(super) fn meaning(&mut self, text: &str) -> Option<Rc<[f32]>> {
        if let Some(known) = self.meanings.get(text) {
            return known.clone();
        }
        let sane = |vector: &Vec<f32>| !vector.is_empty() && vector.iter().all(|part| part.is_finite());
        let found: Option<Rc<[f32]>> =
            if text.is_empty() { None } else { self.around.meaning(text).filter(sane).map(Rc::from) };
        self.meanings.insert(text.to_owned(), found.clone());
        found
    }

    /// What was changed, or what was said to be involved, or else what was read.
    fn files_of(&mut self, memory: &Memory, episode: &Episode) -> Vec<u32> {
        let lists = [&episode.files_modified, &memory.anchors.files, &episode.artifacts, &episode.files_read];
        let mut found: Vec<u32> = Vec::new();
        for list in lists {
            let lasting = |path: &&String| !self.scratch.names(path);
            for path in list.iter().take(4 * MOST_FILES).filter(lasting).filter_map(|path| path_of(path)) {
                let file = self.files.number(&path);
                if found.len() < MOST_FILES && !found.contains(&file) {
                    found.push(file);
                }
            }
            if !found.is_empty() {
                break;
            }
        }
        found
    }

    fn troubles(&mut self, episode: &Episode) -> Vec<Trouble> {
        let mut found: Vec<Trouble> = Vec::new();
        let told = episode.errors.iter().map(|error| {
            let (message, kind) = (head(error.message.trim(), LONGEST_ERROR), head(error.kind.trim(), 80));
            let message = if message.is_empty() { kind } else { message };
            (message.to_owned(), head(error.resolution.trim(), LONGEST_ERROR).to_owned())
        });
        let log = &episode.action_log;
        let ends = log.iter().take(MOST_ERRORS * 3).chain(log.iter().skip(MOST_ERRORS * 3).rev().take(MOST_ERRORS * 3));
        let met = ends.map(|action| (head(action.error.trim(), LONGEST_ERROR).to_owned(), String::new()));
        for (message, resolution) in told.take(2 * MOST_ERRORS).chain(met) {
            // `true` and `1` say that something failed, not what.
            let resolution = worth::fix_in(&resolution, &self.scratch).unwrap_or_default();
            if found.len() == MOST_ERRORS || message.len() < 6 || worth::is_noise(&headline(&message), &resolution) {
                continue;
            }
            let print = self.fingerprint(&message);
            match found.iter_mut().find(|known| known.print == print) {
                Some(known) if known.resolution.is_empty() => known.resolution = resolution,
                Some(_) => {}
                None => found.push(Trouble { print, message, resolution }),
            }
        }
        found
    }

    fn fingerprint(&mut self, message: &str) -> u32 {
        if let Some(known) = self.fingerprints.get(message) {
            return *known;
        }
        let print = self.prints.number(&self.around.fingerprint(message));
        self.fingerprints.insert(message.to_owned(), print);
        print
    }
}

pub(super) fn when(memory: &Memory) -> Option<i64> {
    let micros = memory.times.created_at.as_micros();
    SANE.contains(&micros).then_some(micros)
}

/// The newest time of the evidence that has passed; `now` where nobody's clock was right.
pub(super) fn newest(cases: &[&Case], now: Timestamp) -> Timestamp {
    let passed = cases.iter().filter_map(|case| case.when).filter(|when| *when <= now.as_micros());
    passed.max().map_or(now, Timestamp::from_micros)
}

fn told_in<'m>(memory: &'m Memory, episode: &'m Episode) -> &'m str {
    let told = [episode.goal.as_str(), memory.title.as_str(), memory.text.as_str()];
    let text = told.into_iter().map(|text| head(text, 4 * LONGEST_GOAL).trim()).find(|text| !text.is_empty());
    text.unwrap_or("")
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// Lines that the goals of several tasks share.
fn forms(episodes: &[&Arc<Memory>]) -> HashSet<String> {
    const SHARED: usize = 3;
    let mut tasks: HashMap<&str, HashSet<&str>> = HashMap::new();
    for memory in episodes {
        let Body::Episode(episode) = &memory.body else { continue };
        let told = told_in(memory, episode);
        for line in lines(told).take(12).filter(|line| line.len() < told.len()) {
            let known = tasks.entry(line).or_default();
            if known.len() < SHARED {
                known.insert(told);
            }
        }
    }
    tasks.into_iter().filter(|(_, tasks)| tasks.len() >= SHARED).map(|(line, _)| line.to_owned()).collect()
}

/// A line of a form without its label: `title: Login fails` says what `id: 7` does not.
fn filled_in(line: &str) -> Option<&str> {
    let value = line.split_once(": ").filter(|(label, _)| !label.contains(' ')).map_or(line, |(_, value)| value);
    (value.split_whitespace().count() >= 3).then_some(value)
}

fn end_of(memory: &Memory, deeds: &[Deed]) -> End {
    match memory.outcome {
        Some(Outcome::Success) => return End::Well,
        Some(Outcome::Failure) => return End::Badly,
        Some(Outcome::Partial) => return End::Open,
        None => {}
    }
    if let Some(last) = deeds.last() {
        return if last.failed { End::Badly } else { End::Open };
    }
    if memory.body != Body::None {
        return End::Open;
    }
    told_end(head(&memory.text, 4 * LONGEST_GOAL))
}

/// How a line says that it ended, where nobody noted it.
fn told_end(text: &str) -> End {
    const BADLY: &[&str] = &["failed", "fails", "gave", "reverted", "abandoned", "broke", "unsuccessful", "still"];
    const WELL: &[&str] =
        &["fixed", "passes", "passed", "works", "completed", "resolved", "solved", "succeeded", "done"];
    let mut counts: BTreeMap<bool, usize> = BTreeMap::new();
    let lower = text.to_lowercase();
    for word in lower.split(|letter: char| !letter.is_alphanumeric()) {
        if BADLY.contains(&word) {
            *counts.entry(false).or_default() += 1;
        } else if WELL.contains(&word) {
            *counts.entry(true).or_default() += 1;
        }
    }
    match (counts.contains_key(&true), counts.contains_key(&false)) {
        (true, false) => End::Well,
        (false, true) => End::Badly,
        _ => End::Open,
    }
}
