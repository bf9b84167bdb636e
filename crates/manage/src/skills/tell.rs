//! The words of a skill: what it needs, what is done, what goes wrong, and how one knows that it is done.
//! It must not decide whether there is a skill.

use std::collections::{BTreeMap, BTreeSet};

use super::super::errors::fixes;
use super::super::errors::seen::{Met, told};
use super::super::made::flat;
use super::done::{StepPlace, StepWords};
use lokid_model::{Body, CommonError, Episode, Memory, MemoryId, Skill};

const MOST_ERRORS: usize = 5;
const MOST_FILES: usize = 4;
const MOST_TOOLS: usize = 8;

/// Errors by the episode they were met in, with their fingerprints.
pub(super) type Errors<'s, 'a> = BTreeMap<&'a MemoryId, Vec<(&'s str, &'s Met<'a>)>>;

/// A skill from the places where it led to a good end, newest first.
pub(super) fn skill(name: &str, steps: &[String], places: &[StepPlace<'_>], errors: &Errors<'_, '_>) -> Skill {
    let used: Vec<Option<Used>> = (0..steps.len()).map(|at| used(places, at)).collect();
    Skill {
        name: name.to_owned(),
        description: description(steps, places),
        prerequisites: prerequisites(&used, places),
        steps: steps.iter().enumerate().map(|(at, step)| tell_step(step, used[at].as_ref())).collect(),
        common_errors: common_errors(places, errors).into_iter().map(|(_, error)| error).collect(),
        exit_criteria: exit_criteria(steps, &used, places),
    }
}

/// The words most often used for a step.
struct Used {
    words: StepWords,
    /// At least half used them; otherwise they are only an example.
    is_usual: bool,
}

/// Of equals the shortest.
fn used(places: &[StepPlace<'_>], at: usize) -> Option<Used> {
    let mut counts: BTreeMap<&StepWords, usize> = BTreeMap::new();
    places.iter().filter_map(|place| place.steps.get(at)).for_each(|(_, words)| *counts.entry(words).or_default() += 1);
    let rank = |words: &StepWords, count: usize| (count, std::cmp::Reverse(words.plain().len()));
    let best = counts.into_iter().rev().max_by_key(|(words, count)| rank(words, *count));
    best.map(|(words, count)| Used { words: words.clone(), is_usual: count * 2 >= places.len() })
}

/// The steps that at least half of them took in the same words, and those of which nobody's words are known.
pub(super) fn usual(steps: &[String], places: &[StepPlace<'_>]) -> Vec<String> {
    let is_usual = |(at, _): &(usize, &String)| used(places, *at).is_none_or(|used| used.is_usual);
    steps.iter().enumerate().filter(is_usual).map(|(_, step)| step.clone()).collect()
}

fn tell_step(step: &str, used: Option<&Used>) -> String {
    let Some(Used { words, is_usual }) = used else { return format!("Run `{step}`") };
    match words {
        _ if *is_usual => words.readable(),
        StepWords::Command(command) if command == step => words.readable(),
        StepWords::Command(command) => format!("Run `{step}`, such as `{command}`"),
        StepWords::Act(act, _) => StepWords::Act(act.clone(), String::new()).readable(),
    }
}

fn description(steps: &[String], places: &[StepPlace<'_>]) -> String {
    let mut goals: Vec<String> = Vec::new();
    for place in places.iter().rev() {
        let goal = flat(&place.episode.goal, 80);
        if !goal.is_empty() && !goals.contains(&goal) && goals.len() < 2 {
            goals.push(goal);
        }
    }
    let way = steps.join(" → ");
    let goals: Vec<String> = goals.iter().map(|goal| format!("“{goal}”")).collect();
    if goals.is_empty() { way } else { format!("{way}. Done for {}.", goals.join(" and ")) }
}

/// Tools that are run, and files that set the work up.
fn prerequisites(used: &[Option<Used>], places: &[StepPlace<'_>]) -> Vec<String> {
    let mut tools: Vec<String> = Vec::new();
    for used in used.iter().flatten() {
        let StepWords::Command(command) = &used.words else { continue };
        if let Some(tool) = tool(command).filter(|tool| !tools.iter().any(|known| known == tool)) {
            tools.push(tool.to_owned());
        }
    }
    let files = usual_of(places, MOST_FILES, |place| {
        let episode = place.episode;
        let all = episode.files_read.iter().chain(&episode.files_modified).chain(&place.memory.anchors.files);
        all.take(200).filter(|file| is_setup(file)).map(|file| flat(file, 200)).collect()
    });
    let tools = tools.into_iter().take(MOST_TOOLS).map(|tool| format!("`{tool}` can be run"));
    tools.chain(inputs(used)).chain(files.into_iter().map(|file| format!("`{file}` is in place"))).collect()
}

/// What differs from one time to the next has to be chosen.
fn inputs(used: &[Option<Used>]) -> Vec<String> {
    let varies = used.iter().flatten().filter(|used| !used.is_usual);
    let commands = varies.filter_map(|used| match &used.words {
        StepWords::Command(command) => command.rsplit_once(' '),
        StepWords::Act(..) => None,
    });
    commands
        .map(|(run, argument)| format!("input: what follows `{run}`, such as `{argument}`"))
        .take(MOST_FILES)
        .collect()
}

/// The program of a command, behind assignments and `sudo`.
fn tool(command: &str) -> Option<&str> {
    let word =
        command.split_whitespace().find(|word| !word.contains('=') && !matches!(*word, "sudo" | "time" | "env"))?;
    word.chars().any(char::is_alphanumeric).then_some(word)
}

fn is_setup(file: &str) -> bool {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file).to_lowercase();
    let names = [
        "dockerfile",
        "makefile",
        "justfile",
        "package.json",
        "go.mod",
        "gemfile",
        "rakefile",
        "procfile",
        "tsconfig.json",
    ];
    let ends = [".toml", ".yml", ".yaml", ".ini", ".cfg", ".env", ".conf", ".properties", ".gradle", ".tf"];
    names.contains(&name.as_str()) || name.starts_with(".env") || ends.iter().any(|end| name.ends_with(end))
}

/// What at least half of the episodes have, the most common first.
fn usual_of(places: &[StepPlace<'_>], most: usize, items: impl Fn(&StepPlace<'_>) -> BTreeSet<String>) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for item in places.iter().flat_map(items).filter(|item| !item.is_empty()) {
        *counts.entry(item).or_default() += 1;
    }
    let mut ranked: Vec<(usize, String)> = counts.into_iter().map(|(item, count)| (count, item)).collect();
    ranked.retain(|(count, _)| count * 2 >= places.len());
    ranked.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    ranked.into_iter().take(most).map(|(_, item)| item).collect()
}

/// Errors met between the first step and the last for which somebody found a fix, the most common first, each with its
/// fingerprint.
pub(super) fn common_errors(places: &[StepPlace<'_>], errors: &Errors<'_, '_>) -> Vec<(String, CommonError)> {
    let mut groups: BTreeMap<&str, Vec<Met<'_>>> = BTreeMap::new();
    for place in places {
        let Some((first, last)) = place.span() else { continue };
        let log = &place.episode.action_log;
        let within: BTreeSet<String> = log[first..=last].iter().map(told).collect();
        let is_most = (last - first + 1) * 2 >= log.len();
        for (print, met) in errors.get(&place.memory.id).into_iter().flatten() {
            let is_here = if met.commands.is_empty() { is_most } else { !met.commands.is_disjoint(&within) };
            if is_here {
                groups.entry(print).or_default().push((*met).clone());
            }
        }
    }
    let mut ranked: Vec<(usize, String, CommonError)> = Vec::new();
    for (print, met) in groups {
        let Some(fix) = fixes::told(&met).or_else(|| fixes::watched(&met)) else { continue };
        let first = met.iter().min_by_key(|one| (one.at(), &one.memory.id));
        let error = first.map(|one| one.headline.clone()).unwrap_or_default();
        ranked.push((met.len(), print.to_owned(), CommonError { error, fix: fix.told }));
    }
    ranked.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.2.error.cmp(&other.2.error)));
    ranked.into_iter().take(MOST_ERRORS).map(|(_, print, error)| (print, error)).collect()
}

/// Errors that were not yet met when the skill was written; those it tells of keep their words.
pub(super) fn add_errors(skill: &mut Skill, found: Vec<(String, CommonError)>, print: impl Fn(&str) -> Option<String>) {
    let known: BTreeSet<String> = skill.common_errors.iter().filter_map(|error| print(&error.error)).collect();
    let room = MOST_ERRORS.saturating_sub(skill.common_errors.len());
    let new = found.into_iter().filter(|(print, _)| !known.contains(print)).take(room);
    skill.common_errors.extend(new.map(|(_, error)| error));
}

fn exit_criteria(steps: &[String], used: &[Option<Used>], places: &[StepPlace<'_>]) -> Vec<String> {
    let name = |at: usize| match &used[at] {
        Some(used) if used.is_usual => used.words.plain(),
        _ => steps[at].clone(),
    };
    let mut criteria = Vec::new();
    let check = (0..steps.len()).rev().find(|at| is_check(&steps[*at]));
    if let Some(at) = check {
        criteria.push(format!("`{}` passes", name(at)));
    }
    if let Some(last) = steps.len().checked_sub(1).filter(|last| check != Some(*last)) {
        criteria.push(format!("`{}` ends without an error", name(last)));
    }
    let artifacts = |episode: &Episode| episode.artifacts.iter().take(100).map(|file| flat(file, 200)).collect();
    let artifacts = usual_of(places, 3, |place| artifacts(place.episode));
    criteria.extend(artifacts.into_iter().map(|file| format!("`{file}` is there")));
    criteria
}

fn is_check(step: &str) -> bool {
    let words =
        "test tests check lint clippy pytest jest vitest tsc mypy ruff eslint verify validate e2e spec rspec fmt";
    let part = |part: &str| words.split(' ').any(|word| part.eq_ignore_ascii_case(word));
    step.split(|c: char| !c.is_alphanumeric()).any(part)
}

impl StepPlace<'_> {
    /// The first and the last action of the sequence.
    fn span(&self) -> Option<(usize, usize)> {
        let (first, last) = (self.steps.first()?.0, self.steps.last()?.0);
        (first <= last && last < self.episode.action_log.len()).then_some((first, last))
    }
}

/// The steps of a skill as somebody wrote them, each by its first words that are a step.
pub(super) fn steps_of(memory: &Memory, step: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let Body::Skill(skill) = &memory.body else { return Vec::new() };
    let found = |line: &String| {
        let line = flat(line, 400);
        line.split('`').skip(1).step_by(2).find_map(&step).or_else(|| step(&line.replace('`', "")))
    };
    skill.steps.iter().take(40).filter_map(found).collect()
}
