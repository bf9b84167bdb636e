//! Errors as episodes tell them: which error, in which episode, what was being run, and what was done about it.
//! It must not judge which of them are worth a memory.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::super::made::{self, flat};
use super::super::plan::Scene;
use super::super::worth::{self, Scratch};
use super::telling::{Fingerprints, headline, noted};
use lokid_model::{Action, Episode, Memory, MemoryId, Outcome, Scope, Timestamp};

const MOST_ACTIONS: usize = 2_000;
const MOST_ERRORS: usize = 200;
const LONGEST: usize = 300;
/// So many actions later another try is still about the same.
const SOON: usize = 6;

/// An error in one episode.
#[derive(Clone, Debug)]
pub(crate) struct Met<'a> {
    pub(crate) memory: &'a Arc<Memory>,
    pub(crate) headline: String,
    /// What sort of error it was called, in lower case.
    pub(crate) kinds: BTreeSet<String>,
    /// Commands that ended with it.
    pub(crate) commands: BTreeSet<String>,
    /// What somebody said solved it.
    pub(crate) resolutions: BTreeSet<String>,
    /// What was done between the command that failed and the same command that passed.
    pub(crate) between: Option<String>,
    /// Did another program do it right away?
    pub(crate) is_swapped: bool,
    /// Was it met by something that the same episode had just made?
    pub(crate) is_passing_thought: bool,
}

/// Something that was tried: a command with its arguments, or a whole way to a goal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tried<'a> {
    pub(crate) told: String,
    /// Failed and was not seen to pass in the same episode, with the error where one was told.
    pub(crate) failed: BTreeMap<&'a MemoryId, (&'a Arc<Memory>, Option<String>)>,
    pub(crate) passed: BTreeMap<&'a MemoryId, &'a Arc<Memory>>,
}

/// All that went wrong, by scope: what is private never counts for what is shared.
#[derive(Default)]
pub(crate) struct SeenErrors<'a> {
    pub(crate) errors: BTreeMap<(Scope, String), Vec<Met<'a>>>,
    pub(crate) tried: BTreeMap<Scope, BTreeMap<String, Tried<'a>>>,
    /// When commands that once failed have passed.
    pub(crate) passes: BTreeMap<(Scope, String), BTreeSet<Timestamp>>,
    /// One program in place of another, with the same arguments: what failed with the first, by both.
    pub(crate) swaps: BTreeMap<(Scope, String, String), Vec<Met<'a>>>,
    pub(crate) episodes: usize,
}

impl<'a> SeenErrors<'a> {
    /// Nothing if the night is over before everything was read: half of the evidence would be another verdict.
    pub(crate) fn read(scene: &Scene<'a>, prints: &Fingerprints<'_>) -> Option<SeenErrors<'a>> {
        let mut reader = SeenReader::new(scene, prints);
        let episodes = || scene.memories.iter().filter_map(|memory| Some((memory, made::episode(memory, scene.now)?)));
        for (memory, episode) in episodes() {
            if scene.around.is_over() {
                return None;
            }
            reader.seen.episodes += 1;
            reader.failures(memory, episode);
        }
        for (memory, episode) in episodes() {
            if scene.around.is_over() {
                return None;
            }
            reader.successes(memory, episode);
        }
        Some(reader.seen)
    }

    /// What a program said that another stands in for is told by that, and by nothing else.
    pub(crate) fn drop_swapped(&mut self, least: usize) {
        self.swaps.retain(|_, met| met.iter().map(|one| &one.memory.id).collect::<BTreeSet<_>>().len() >= least);
        for (scope, from, _) in self.swaps.keys() {
            for ((_, _), met) in self.errors.iter_mut().filter(|((of, _), _)| of == scope) {
                met.retain(|one| !one.commands.iter().any(|command| runs_program(command, from)));
            }
            if let Some(tried) = self.tried.get_mut(scope) {
                tried.retain(|command, _| !runs_program(command, from));
            }
        }
        self.errors.retain(|_, met| !met.is_empty());
    }

    /// Only the errors, and only those of some episodes.
    pub(crate) fn errors_in(
        scene: &Scene<'a>,
        prints: &Fingerprints<'_>,
        memories: impl Iterator<Item = &'a Arc<Memory>>,
    ) -> SeenErrors<'a> {
        let mut reader = SeenReader::new(scene, prints);
        for memory in memories {
            if let Some(episode) = made::episode(memory, scene.now) {
                reader.failures(memory, episode);
            }
        }
        reader.seen
    }
}

struct SeenReader<'a, 's> {
    scene: &'s Scene<'a>,
    prints: &'s Fingerprints<'s>,
    steps: HashMap<String, Option<String>>,
    has_failed_ways: bool,
    scratch: Scratch,
    seen: SeenErrors<'a>,
}

impl<'a, 's> SeenReader<'a, 's> {
    fn new(scene: &'s Scene<'a>, prints: &'s Fingerprints<'s>) -> SeenReader<'a, 's> {
        let scratch = Scratch::of(scene.memories.iter());
        SeenReader {
            scene,
            prints,
            steps: HashMap::new(),
            has_failed_ways: false,
            scratch,
            seen: SeenErrors::default(),
        }
    }

    fn failures(&mut self, memory: &'a Arc<Memory>, episode: &'a Episode) {
        let mut met: BTreeMap<String, Met<'a>> = BTreeMap::new();
        for error in episode.errors.iter().take(MOST_ERRORS) {
            let line = noted(&error.kind, &error.message);
            let Some(print) = self.prints.of(&line).filter(|_| !worth::is_noise(&line, &error.resolution)) else {
                continue;
            };
            let one = met.entry(print).or_insert_with(|| Met::new(memory, line));
            one.kinds.insert(flat(&error.kind, 60).to_lowercase());
            let resolution = worth::fix_in(&flat(&error.resolution, LONGEST), &self.scratch);
            one.resolutions.extend(resolution.filter(|resolution| says_something(resolution)));
        }
        // Who tells what came of it has sorted its errors; what else failed on the way is no lesson.
        let runs = if is_sorted(episode) { Vec::new() } else { runs(episode) };
        let made = if runs.is_empty() { BTreeSet::new() } else { made_in(episode) };
        for (command, how) in runs {
            let Some(print) = self.prints.of(&how.error) else { continue };
            if !met.contains_key(&print) && how.swap.is_none() && worth::is_noise(&how.error, "") {
                continue;
            }
            let one = met.entry(print.clone()).or_insert_with(|| Met::new(memory, how.error));
            one.commands.insert(command.clone());
            // A script of the moment fails while somebody thinks.
            one.is_passing_thought |= names_one(&command, &made);
            if let Some((from, to)) = how.swap {
                one.is_swapped = true;
                let one = one.clone();
                self.seen.swaps.entry((memory.scope, from, to)).or_default().push(one);
                continue;
            }
            self.seen.passes.entry((memory.scope, command.clone())).or_default();
            if let Some(between) = how.between {
                one.between.get_or_insert(between);
            }
            if !how.passed_later && self.is_telling(&command, how.is_shell) {
                let tried = self.tried(memory.scope, &command, || format!("`{command}`"));
                tried.failed.insert(&memory.id, (memory, Some(print)));
            }
        }
        if met.is_empty() && memory.outcome == Some(Outcome::Failure) {
            self.failed_way(memory, episode);
        }
        met.retain(|_, one| !one.is_swapped);
        for (print, one) in met {
            self.seen.errors.entry((memory.scope, print)).or_default().push(one);
        }
    }

    /// It ended badly and nobody said with which error: the way as a whole is what failed.
    fn failed_way(&mut self, memory: &'a Arc<Memory>, episode: &'a Episode) {
        let Some((key, steps)) = self.way(episode) else { return };
        self.has_failed_ways = true;
        let goal = flat(&episode.goal, 120);
        let tried = self.tried(memory.scope, &key, || format!("{} for “{goal}”", steps.join(" → ")));
        tried.failed.insert(&memory.id, (memory, None));
    }

    fn successes(&mut self, memory: &'a Arc<Memory>, episode: &'a Episode) {
        let may_be_way = self.has_failed_ways && memory.outcome == Some(Outcome::Success);
        let way = may_be_way.then(|| self.way(episode)).flatten();
        if !self.seen.passes.is_empty() {
            for action in episode.action_log.iter().take(MOST_ACTIONS).filter(|action| is_blank(&action.error)) {
                if let Some(times) = self.seen.passes.get_mut(&(memory.scope, told(action))) {
                    times.insert(memory.times.created_at);
                }
            }
        }
        let Some(tried) = self.seen.tried.get_mut(&memory.scope) else { return };
        let mut pass = |command: &str| match tried.get_mut(command) {
            Some(tried) if !tried.failed.contains_key(&memory.id) => drop(tried.passed.insert(&memory.id, memory)),
            _ => {}
        };
        way.iter().for_each(|(key, _)| pass(key));
        for action in episode.action_log.iter().take(MOST_ACTIONS).filter(|action| is_blank(&action.error)) {
            pass(&told(action));
        }
    }

    fn tried(&mut self, scope: Scope, key: &str, told: impl FnOnce() -> String) -> &mut Tried<'a> {
        let new = || Tried { told: told(), ..Tried::default() };
        self.seen.tried.entry(scope).or_default().entry(key.to_owned()).or_insert_with(new)
    }

    fn step(&mut self, action: &str) -> Option<&String> {
        if !self.steps.contains_key(action) {
            self.steps.insert(action.to_owned(), self.scene.around.step(action));
        }
        self.steps.get(action)?.as_ref()
    }

    /// Says more than which tool was run: `cargo test` fails while people work, `cargo test --all-features` may never
    /// pass. That a file could not be edited says nothing about how to go on.
    fn is_telling(&mut self, command: &str, is_shell: bool) -> bool {
        let words = command.split_whitespace().count();
        match is_shell {
            true => words >= 3 || (words == 2 && self.step(command).is_some_and(|step| !step.contains(' '))),
            false => words >= 4,
        }
    }

    /// The goal and every step towards it; one step alone is no way.
    fn way(&mut self, episode: &Episode) -> Option<(String, Vec<String>)> {
        let goal = self.prints.of(&flat(&episode.goal, LONGEST))?;
        let mut steps: Vec<String> = Vec::new();
        for action in episode.action_log.iter().take(MOST_ACTIONS) {
            if let Some(step) = self.step(&told(action)).filter(|step| steps.last() != Some(step)).cloned() {
                steps.push(step);
            }
            if steps.len() >= 12 {
                break;
            }
        }
        let is_telling = steps.len() >= 2 && steps.iter().any(|step| !worth::is_everyday(step));
        is_telling.then(|| (format!("\0{goal}\0{}", steps.join("\0")), steps))
    }
}

impl<'a> Met<'a> {
    fn new(memory: &'a Arc<Memory>, headline: String) -> Met<'a> {
        let [kinds, commands, resolutions] = [const { BTreeSet::new() }; 3];
        Met {
            memory,
            headline,
            kinds,
            commands,
            resolutions,
            between: None,
            is_swapped: false,
            is_passing_thought: false,
        }
    }

    pub(crate) fn at(&self) -> Timestamp {
        self.memory.times.created_at
    }

    pub(crate) fn succeeded(&self) -> bool {
        self.memory.outcome == Some(Outcome::Success)
    }
}

pub(super) fn is_sorted(episode: &Episode) -> bool {
    !episode.conclusion.is_empty() || !episode.changes.is_empty()
}

/// One run of a command, seen from the end of its episode.
struct Run {
    error: String,
    is_shell: bool,
    passed_later: bool,
    between: Option<String>,
    /// The program that failed, and the one that passed with the same arguments soon after.
    swap: Option<(String, String)>,
}

fn runs(episode: &Episode) -> Vec<(String, Run)> {
    let actions = &episode.action_log[..episode.action_log.len().min(MOST_ACTIONS)];
    if actions.iter().all(|action| is_blank(&action.error)) {
        return Vec::new();
    }
    let tolds: Vec<String> = actions.iter().map(told).collect();
    let mut next_pass: HashMap<&str, usize> = HashMap::new();
    let mut found = Vec::new();
    for (at, (action, command)) in actions.iter().zip(&tolds).enumerate().rev() {
        if is_blank(&action.error) {
            next_pass.insert(command, at);
            continue;
        }
        let pass = next_pass.get(command.as_str()).copied();
        let between = pass.and_then(|pass| {
            let changes = |at: &usize| changes(&actions[*at]) && !worth::is_everyday(&tolds[*at]);
            let done = (at + 1..pass).rev().take(20).filter(changes);
            let mut done: Vec<String> = done.map(|at| format!("`{}`", tolds[at])).take(3).collect();
            done.reverse();
            done.dedup();
            (!done.is_empty()).then(|| format!("{}, then `{command}` passed", done.join(", ")))
        });
        let (error, is_shell, passed_later) = (headline(&action.error), is_shell(action), pass.is_some());
        let passed = |(action, _): &(&Action, &String)| is_blank(&action.error) && self::is_shell(action);
        let soon = actions.iter().zip(&tolds).skip(at + 1).take(SOON).filter(passed);
        let swap = soon.filter(|_| is_shell && !passed_later).find_map(|(_, other)| swap(command, other));
        found.push((command.clone(), Run { error, is_shell, passed_later, between, swap }));
    }
    found.reverse();
    found
}

/// `python x.py` and `python3 x.py`: the program is another, everything else is the same.
fn swap(failed: &str, passed: &str) -> Option<(String, String)> {
    let (failed, passed): (Vec<&str>, Vec<&str>) =
        (failed.split_whitespace().collect(), passed.split_whitespace().collect());
    let differ: Vec<usize> = (0..failed.len().min(passed.len())).filter(|at| failed[*at] != passed[*at]).collect();
    let [at] = differ[..] else { return None };
    let is_program = at == 0 || matches!(failed[at - 1], "&&" | "||" | ";" | "|");
    let is_name = |word: &str| word.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'));
    let is_alike = is_program && failed.len() == passed.len() && failed.len() > at + 1;
    (is_alike && is_name(failed[at]) && is_name(passed[at])).then(|| (failed[at].to_owned(), passed[at].to_owned()))
}

/// The names of files that an episode made: said so, written by a tool, or by a shell.
fn made_in(episode: &Episode) -> BTreeSet<String> {
    let file = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let mut made: BTreeSet<String> = episode.artifacts.iter().take(200).map(|path| file(path)).collect();
    for action in episode.action_log.iter().take(MOST_ACTIONS) {
        if ["write", "create", "write_file", "create_file"].iter().any(|verb| action.action.eq_ignore_ascii_case(verb))
        {
            made.insert(file(action.target.trim()));
        } else if is_shell(action) {
            let words: Vec<&str> = action.target.split_whitespace().take(200).collect();
            made.extend(words.windows(2).filter(|pair| pair[0] == ">").map(|pair| file(pair[1])));
        }
    }
    made
}

/// Does a command name one of these files?
fn names_one(command: &str, made: &BTreeSet<String>) -> bool {
    let name = |word: &str| made.contains(word.rsplit('/').next().unwrap_or(word));
    command.split(|c: char| c.is_whitespace() || c == ':').any(name)
}

/// Does a line run this program, wherever in it?
fn runs_program(line: &str, program: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let begins = |at: usize| at == 0 || matches!(words[at - 1], "&&" | "||" | ";" | "|");
    words.iter().enumerate().any(|(at, word)| *word == program && begins(at))
}

/// Looking at something solves nothing.
fn changes(action: &Action) -> bool {
    let looks = ["read", "view", "search", "grep", "glob", "list", "think", "ls", "cat"];
    let begins = |look: &&str| action.action.get(..look.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(look));
    is_blank(&action.error) && !looks.iter().any(begins)
}

/// An action in the words of whoever did it; of a shell only what it was told.
pub(crate) fn told(action: &Action) -> String {
    match (is_shell(action), action.target.is_empty()) {
        (true, false) => flat(&action.target, LONGEST),
        (_, true) => flat(&action.action, LONGEST),
        (false, false) => {
            flat(&format!("{} {}", flat(&action.action, LONGEST), flat(&action.target, LONGEST)), LONGEST)
        }
    }
}

pub(crate) fn is_shell(action: &Action) -> bool {
    ["bash", "shell", "run", "command", "exec"].iter().any(|shell| action.action.eq_ignore_ascii_case(shell))
}

pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

/// `fixed`, `n/a` and `-` are no resolutions.
pub(crate) fn says_something(resolution: &str) -> bool {
    let word = resolution.trim().trim_end_matches('.').to_lowercase();
    let empty =
        ["none", "n/a", "na", "null", "unresolved", "unknown", "fixed", "resolved", "pending", "todo", "done", "ok"];
    word.chars().any(char::is_alphanumeric) && !empty.contains(&word.as_str())
}
