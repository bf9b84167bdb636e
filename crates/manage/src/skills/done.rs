//! What episodes did, step by step, and where a sequence of steps stands in them. It must not judge how they ended.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::super::errors::seen::{is_shell, told};
use super::super::made;
use super::super::plan::Scene;
use lokid_model::{Action, Episode, Memory};

const MOST_ACTIONS: usize = 2_000;
const MOST_PARTS: usize = 24;
/// How far the next step may be: two others between them.
const REACH: usize = 3;

/// One step of an episode, and the action it belongs to.
#[derive(Clone, Copy)]
struct Did {
    step: u32,
    action: u32,
    part: u32,
}

pub(super) struct Done<'a> {
    numbers: HashMap<String, u32>,
    episodes: Vec<(&'a Arc<Memory>, &'a Episode, Vec<Did>)>,
    /// Episodes by the steps in them.
    having: Vec<Vec<u32>>,
}

/// Where a sequence stands in an episode: for every step the action and its words.
pub(super) struct StepPlace<'a> {
    pub(super) memory: &'a Arc<Memory>,
    pub(super) episode: &'a Episode,
    pub(super) steps: Vec<(usize, StepWords)>,
}

/// A step in the words of whoever did it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StepWords {
    Command(String),
    /// What was done, and to what.
    Act(String, String),
}

impl<'a> Done<'a> {
    pub(super) fn read(scene: &Scene<'a>) -> Option<Done<'a>> {
        let mut done = Done { numbers: HashMap::new(), episodes: Vec::new(), having: Vec::new() };
        // Commands repeat endlessly; each spelling is asked for once.
        let mut known: HashMap<String, Option<u32>> = HashMap::new();
        for memory in scene.memories {
            let Some(episode) = made::episode(memory, scene.now) else { continue };
            if scene.around.is_over() {
                return None;
            }
            let mut did: Vec<Did> = Vec::new();
            for (action, part, words) in all_words(episode) {
                let text = words.into_plain();
                let step = match known.get(&text) {
                    Some(step) => *step,
                    None => {
                        let step = scene.around.step(&text).map(|step| done.number(step));
                        known.insert(text, step);
                        step
                    }
                };
                if let Some(step) = step.filter(|step| did.last().is_none_or(|last| last.step != *step)) {
                    did.push(Did { step, action: action as u32, part: part as u32 });
                }
            }
            done.add(memory, episode, did);
        }
        Some(done)
    }

    fn number(&mut self, step: String) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(step).or_insert(next)
    }

    fn add(&mut self, memory: &'a Arc<Memory>, episode: &'a Episode, did: Vec<Did>) {
        let place = self.episodes.len() as u32;
        self.having.resize(self.numbers.len(), Vec::new());
        for one in &did {
            let having = &mut self.having[one.step as usize];
            if having.last() != Some(&place) {
                having.push(place);
            }
        }
        self.episodes.push((memory, episode, did));
    }

    /// Every episode that took these steps in this order, and those that are said to have.
    pub(super) fn places(&self, steps: &[String], said: &[String]) -> Vec<StepPlace<'a>> {
        let mut places = self.seen(steps);
        let known: BTreeSet<&str> = places.iter().map(|place| place.memory.id.as_str()).collect();
        let said: BTreeSet<&str> = said.iter().map(String::as_str).filter(|id| !known.contains(id)).collect();
        for id in said {
            // Episodes stand in the order of their ids.
            if let Ok(at) = self.episodes.binary_search_by(|(memory, ..)| memory.id.as_str().cmp(id)) {
                let (memory, episode) = (self.episodes[at].0, self.episodes[at].1);
                places.push(StepPlace { memory, episode, steps: Vec::new() });
            }
        }
        places
    }

    fn seen(&self, steps: &[String]) -> Vec<StepPlace<'a>> {
        let numbers: Option<Vec<u32>> = steps.iter().map(|step| self.numbers.get(step).copied()).collect();
        let Some(numbers) = numbers else { return Vec::new() };
        let having = |number: &u32| self.having.get(*number as usize).map_or(&[][..], Vec::as_slice);
        let rarest = numbers.iter().map(having).min_by_key(|having| having.len()).unwrap_or(&[]);
        let place = |number: &u32| {
            let (memory, episode, did) = &self.episodes[*number as usize];
            let words = |at: &usize| {
                let did = did[*at];
                let action = episode.action_log.get(did.action as usize)?;
                words_of(action).into_iter().nth(did.part as usize).map(|words| (did.action as usize, words))
            };
            let steps: Vec<(usize, StepWords)> = stands(did, &numbers)?.iter().filter_map(words).collect();
            (steps.len() == numbers.len()).then_some(StepPlace { memory, episode, steps })
        };
        rarest.iter().filter_map(place).collect()
    }
}

/// The first place where the steps follow each other closely enough.
fn stands(did: &[Did], steps: &[u32]) -> Option<Vec<usize>> {
    let (first, rest) = steps.split_first()?;
    let starts = || (0..did.len()).filter(|at| did[*at].step == *first);
    // For every step the places it can stand at, each with the place of the step before.
    let mut levels: Vec<Vec<(usize, usize)>> = vec![starts().map(|at| (at, at)).collect()];
    for step in rest {
        let mut next: Vec<(usize, usize)> = Vec::new();
        for (at, _) in levels.last()? {
            for ahead in (at + 1..=at + REACH).take_while(|ahead| *ahead < did.len()) {
                if did[ahead].step == *step && next.last().is_none_or(|(last, _)| *last < ahead) {
                    next.push((ahead, *at));
                }
            }
        }
        levels.push(next);
    }
    let (mut at, mut before) = *levels.last()?.first()?;
    let mut places = vec![at];
    for level in levels.iter().rev().skip(1) {
        let found = level.binary_search_by_key(&before, |(place, _)| *place).ok()?;
        (at, before) = level[found];
        places.push(at);
    }
    places.reverse();
    Some(places)
}

fn all_words(episode: &Episode) -> impl Iterator<Item = (usize, usize, StepWords)> {
    let actions = episode.action_log.iter().take(MOST_ACTIONS).enumerate();
    actions
        .flat_map(|(at, action)| words_of(action).into_iter().enumerate().map(move |(part, words)| (at, part, words)))
}

fn words_of(action: &Action) -> Vec<StepWords> {
    let bare = action.target.is_empty();
    if is_shell(action) || (bare && action.action.split_whitespace().nth(1).is_some()) {
        return parts(&told(action)).into_iter().map(StepWords::Command).collect();
    }
    let [act, on] = [&action.action, &action.target].map(|text| made::flat(text, 120));
    if act.is_empty() { Vec::new() } else { vec![StepWords::Act(act, on)] }
}

/// The commands of a line that run one after another.
fn parts(line: &str) -> Vec<String> {
    if !line.contains([';', '&', '|']) {
        return if line.is_empty() { Vec::new() } else { vec![line.to_owned()] };
    }
    let mut found = vec![String::new()];
    let (mut quote, mut characters) = (None, line.chars().peekable());
    while let Some(character) = characters.next() {
        let ends = match (quote, character) {
            (Some(open), _) => {
                quote = (character != open).then_some(open);
                false
            }
            (None, '\'' | '"' | '`') => {
                quote = Some(character);
                false
            }
            (None, ';') => true,
            (None, '&' | '|') => characters.next_if_eq(&character).is_some(),
            _ => false,
        };
        match found.last_mut() {
            Some(part) if !ends => part.push(character),
            _ => found.push(String::new()),
        }
    }
    found.iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).take(MOST_PARTS).collect()
}

impl StepWords {
    /// As it is asked for its step.
    fn into_plain(self) -> String {
        match self {
            StepWords::Command(command) => command,
            StepWords::Act(act, on) if on.is_empty() => act,
            StepWords::Act(act, on) => format!("{act} {on}"),
        }
    }

    pub(super) fn plain(&self) -> String {
        self.clone().into_plain()
    }

    /// As it stands in a skill.
    pub(super) fn readable(&self) -> String {
        match self {
            StepWords::Command(command) => format!("Run `{command}`"),
            StepWords::Act(act, on) => {
                let act = act.replace('_', " ");
                let mut letters = act.chars();
                let act = letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>());
                let act = act.unwrap_or_default();
                if on.is_empty() { act } else { format!("{act} `{on}`") }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_taken_apart_where_one_command_follows_another() {
        let check = |line: &str, expect: &[&str]| assert_eq!(parts(line), expect, "{line}");
        check("cd web && npm ci; npm run build || exit 1", &["cd web", "npm ci", "npm run build", "exit 1"]);
        check("git commit -m 'a && b; c' | tee log", &["git commit -m 'a && b; c' | tee log"]);
        check(" ;; && ", &[]);
    }

    #[test]
    fn steps_may_have_two_others_between_them_and_no_more() {
        let did = |steps: &[u32]| steps.iter().map(|step| Did { step: *step, action: 0, part: 0 }).collect::<Vec<_>>();
        let check =
            |all: &[u32], steps: &[u32], expect: Option<Vec<usize>>| assert_eq!(stands(&did(all), steps), expect);
        check(&[1, 9, 9, 2], &[1, 2], Some(vec![0, 3]));
        check(&[1, 9, 9, 9, 2], &[1, 2], None);
        check(&[1, 9, 9, 9, 1, 2, 3], &[1, 2, 3], Some(vec![4, 5, 6]));
        check(&[1, 2, 1, 3], &[1, 2, 3], Some(vec![0, 1, 3]));
        check(&[], &[1], None);
        check(&[1], &[], None);
    }

    proptest::proptest! {
        #[test]
        fn no_line_makes_it_panic(line in "\\PC{0,80}") {
            let _ = parts(&line);
        }
    }
}
