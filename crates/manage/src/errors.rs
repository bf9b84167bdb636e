//! Errors become lessons: one that was solved once is a learning, one that came back is an anti-pattern.
//!
//! Evidence goes to what the memory already says about an error before anything new is made. What a person wrote gains
//! sources and keeps its words. Scopes are told apart, and text that only tools printed stays hearsay.

pub(super) mod fixes;
mod known;
pub(super) mod seen;
pub(super) mod telling;
mod write;

#[cfg(test)]
pub(super) mod lab;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use self::fixes::Fix;
use self::known::KnownFixes;
use self::seen::{Met, SeenErrors, Tried};
use self::telling::Fingerprints;
use self::write::{Evidence, Writer};
use super::made;
use super::plan::{Proposal, Scene, lower_bound};
use lokid_model::{AntiPattern, Body, Learning, Memory, MemoryId, Outcome, Scope, Timestamp};

/// How much evidence makes a lesson, and how much of it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Episodes in which the same thing failed before it is an anti-pattern.
    pub episodes: usize,
    /// How sure it must be that a command fails before it is called wrong.
    pub sure: f64,
    pub sources: usize,
    pub links: usize,
    pub files: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { episodes: 2, sure: 0.5, sources: 50, links: 20, files: 8 }
    }
}

/// An error in more episodes than this, and in more than a tenth of all, belongs to the surroundings.
const EVERYWHERE: usize = 8;

/// How far an error has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Somebody said, or was seen doing, what helps.
    Learnt,
    Open,
    /// It went away, and nobody said how.
    Closed,
}

impl State {
    fn tag(self) -> &'static str {
        match self {
            State::Learnt => "learnt",
            State::Open => "open",
            State::Closed => "closed",
        }
    }
}

pub fn plan(scene: &Scene<'_>, limits: &Limits) -> Vec<Proposal> {
    let prints = Fingerprints::new(scene.around);
    let Some(mut seen) = SeenErrors::read(scene, &prints) else { return Vec::new() };
    seen.errors.retain(|_, met| !is_of_the_room(met));
    seen.drop_swapped(limits.episodes);
    let known = KnownFixes::of(scene, &prints);
    let mut writer = Writer::new(scene, limits);
    // An error that tells itself needs no second anti-pattern for the command that ran into it.
    let recurring: BTreeSet<(Scope, String)> =
        seen.errors.iter().filter(|(_, met)| met.len() >= limits.episodes).map(|(key, _)| key.clone()).collect();
    for (key, met) in &mut seen.errors {
        if scene.around.is_over() {
            return writer.done();
        }
        met.sort_by(|one, other| other.at().cmp(&one.at()).then_with(|| one.memory.id.cmp(&other.memory.id)));
        let solved = met.iter().filter(|one| !one.resolutions.is_empty()).count();
        if known.learning(key).is_some() || !is_everywhere(met.len(), solved, seen.episodes) {
            learning(&mut writer, &known, key, met);
        }
    }
    let untold = |scope: Scope, tried: &Tried<'_>| {
        let is_untold = |print: &String| !recurring.contains(&(scope, print.clone()));
        tried.failed.values().filter(|(_, print)| print.as_ref().is_none_or(is_untold)).count()
    };
    let is_wrong = |scope: Scope, tried: &Tried<'_>| {
        let (failed, passed) = (tried.failed.len(), tried.passed.len());
        untold(scope, tried) >= limits.episodes && lower_bound(failed, failed + passed) >= limits.sure
    };
    // A command that is wrong whatever it says is told once, and not once for everything it said.
    let all =
        || seen.tried.iter().flat_map(|(scope, tried)| tried.iter().map(move |(key, tried)| (*scope, key, tried)));
    let wrong: Vec<(Scope, &String, &Tried<'_>)> = all().filter(|(scope, _, tried)| is_wrong(*scope, tried)).collect();
    let prints = |(scope, _, tried): &(Scope, &String, &Tried<'_>)| {
        let scope = *scope;
        tried.failed.values().filter_map(move |(_, print)| Some((scope, print.clone()?))).collect::<Vec<_>>()
    };
    let covered: BTreeSet<(Scope, String)> = wrong.iter().flat_map(prints).collect();
    for (key, met) in &seen.errors {
        if scene.around.is_over() {
            return writer.done();
        }
        if recurring.contains(key) || writer.knows(key) || is_unsolved(met) && !covered.contains(key) {
            anti_pattern_of_error(&mut writer, &known, &seen, key, met);
        }
    }
    for ((scope, from, to), met) in &seen.swaps {
        anti_pattern_of_program(&mut writer, &known, (*scope, from, to), met);
    }
    for (scope, key, tried) in wrong {
        if scene.around.is_over() {
            return writer.done();
        }
        anti_pattern_of_approach(&mut writer, &known, &seen, (scope, key), tried);
    }
    writer.done()
}

/// Met in several tasks and each time gone after a change somewhere else: nothing that was changed had to do with it.
fn is_of_the_room(met: &[Met<'_>]) -> bool {
    let edited = |one: &Met<'_>| -> BTreeSet<String> {
        let told = one.resolutions.iter().filter_map(|told| told.strip_prefix("edited "));
        told.filter_map(|told| told.split([' ', ',']).next()).map(str::to_owned).collect()
    };
    let places: Vec<BTreeSet<String>> = met.iter().map(edited).filter(|places| !places.is_empty()).collect();
    let all: BTreeSet<&String> = places.iter().flatten().collect();
    let sum: usize = places.iter().map(BTreeSet::len).sum();
    places.len() > 1 && 4 * all.len() >= 3 * sum
}

/// Does it belong to the surroundings: met in very many episodes, and hardly ever dealt with?
pub(super) fn is_everywhere(met: usize, solved: usize, episodes: usize) -> bool {
    met > EVERYWHERE.max(episodes / 10) && solved * 4 < met
}

/// Did the work end with it?
fn is_unsolved(met: &[Met<'_>]) -> bool {
    let ended = |one: &Met<'_>| matches!(one.memory.outcome, Some(Outcome::Failure | Outcome::Partial));
    let is_sorted = |one: &Met<'_>| matches!(&one.memory.body, Body::Episode(episode) if seen::is_sorted(episode));
    let is_open = |one: &Met<'_>| {
        one.resolutions.is_empty()
            && one.between.is_none()
            && (!one.commands.is_empty() || is_sorted(one))
            && !one.is_passing_thought
    };
    met.iter().any(|one| ended(one) && is_open(one))
}

/// What solved an error, even if it was met once.
fn learning(writer: &mut Writer<'_, '_>, known: &KnownFixes<'_>, key: &(Scope, String), met: &[Met<'_>]) {
    let told = fixes::told(met);
    let living = known.learning(key);
    if living.is_none() && told.is_none() {
        return;
    }
    let evidence = evidence(met);
    let cause = known.cause(key).unwrap_or_default();
    let (fix, confidence) = match &told {
        Some(fix) if fix.known > 0 => (fix.told.clone(), lower_bound(fix.worked, fix.known)),
        Some(fix) => (fix.told.clone(), 0.5),
        None => (String::new(), 0.0),
    };
    let body = Learning { error: first_told(met), cause, fix, fingerprint: key.1.clone() };
    let solved = met.iter().filter(|one| !one.resolutions.is_empty()).count();
    let why = match &told {
        Some(_) => format!("`{}` was met in {} and solved in {solved}", short(&body.error), episodes(met.len())),
        None => format!("`{}` was met in {}", short(&body.error), episodes(met.len())),
    };
    writer.learning(living, body, made::rounded(confidence), &evidence, why);
}

fn anti_pattern_of_error(
    writer: &mut Writer<'_, '_>,
    known: &KnownFixes<'_>,
    seen: &SeenErrors<'_>,
    key: &(Scope, String),
    met: &[Met<'_>],
) {
    let told = |fix: Option<Fix>| fix.map(|fix| fix.told);
    let fix = told(fixes::told(met)).or_else(|| known.fix(key)).or_else(|| told(fixes::watched(met)));
    let command = usual_command(met);
    let failing: BTreeSet<&MemoryId> = met.iter().map(|one| &one.memory.id).collect();
    let newest = met.first().map(Met::at).unwrap_or_default();
    // What passed after the last failure was mended, which says nothing against the lesson.
    let in_between = |id: &MemoryId, memory: &Arc<Memory>| !failing.contains(id) && memory.times.created_at <= newest;
    let tried = command.as_ref().and_then(|command| seen.tried.get(&key.0)?.get(command));
    let passed = tried.map_or(0, |tried| tried.passed.iter().filter(|(id, memory)| in_between(id, memory)).count());
    let ran = command.map(|command| format!("`{command}` ends with it"));
    let what_fails = first_told(met);
    let why = format!("`{}` failed in {}", short(&what_fails), of_all(met.len(), passed));
    // An error that nobody solved is open until what ended with it has passed.
    let times =
        met.iter().flat_map(|one| &one.commands).filter_map(|run| Some((run, seen.passes.get(&(key.0, run.clone()))?)));
    let later = times.filter_map(|(run, times)| Some((times.range(newest.plus_micros(1)..).next()?, run))).min();
    let state = match (&fix, later) {
        (Some(_), _) => State::Learnt,
        (None, Some(_)) => State::Closed,
        (None, None) => State::Open,
    };
    let passed_since = later.map(|(at, run)| format!("`{run}` passes since {}", at.day()));
    let cause = known.cause(key);
    let is_known = writer.knows(key) || known.anti(key).is_some();
    let solved = met.iter().filter(|one| !one.resolutions.is_empty() || one.between.is_some()).count();
    let is_told = match state {
        State::Learnt => true,
        State::Open => cause.is_some() || ran.is_some() && is_unsolved(met),
        State::Closed => false,
    };
    let is_told = is_told && (cause.is_some() || !is_everywhere(met.len(), solved, seen.episodes));
    if !is_told && !is_known {
        return;
    }
    let body = AntiPattern {
        what_fails,
        why: cause.or(ran).unwrap_or_default(),
        prevention: fix.or(passed_since).unwrap_or_default(),
        learnt_from: first_episode(met.iter().map(|one| one.memory)),
    };
    let of_kind = || known.anti_of_kind(key.0, met).filter(|memory| !writer.has_spoken_of(memory));
    let living = known.anti(key).or_else(of_kind);
    writer.anti_pattern(living, &key.1, (body, state), passed, &evidence(met), why);
}

/// A program that fails where another passes with the same arguments.
fn anti_pattern_of_program(
    writer: &mut Writer<'_, '_>,
    known: &KnownFixes<'_>,
    (scope, from, to): (Scope, &str, &str),
    met: &[Met<'_>],
) {
    let mut memories: Vec<&Arc<Memory>> = met.iter().map(|one| one.memory).collect();
    memories
        .sort_by(|one, other| other.times.created_at.cmp(&one.times.created_at).then_with(|| one.id.cmp(&other.id)));
    memories.dedup_by(|one, other| one.id == other.id);
    if memories.len() < writer.limits.episodes {
        return;
    }
    let errors: BTreeSet<String> = met.iter().map(|one| short(&one.headline)).collect();
    let count = episodes(memories.len());
    let body = AntiPattern {
        what_fails: format!("`{from}` fails here where `{to}` passes"),
        why: format!("it ended with {}", errors.into_iter().take(3).collect::<Vec<_>>().join("; ")),
        prevention: format!("run `{to}` with the same arguments"),
        learnt_from: first_episode(memories.iter().copied()),
    };
    let why = format!("`{to}` passed after `{from}` had failed in {count}");
    let living = known.approach(scope, &body.what_fails);
    let key = format!("swap\0{from}\0{to}");
    writer.anti_pattern(living, &key, (body, State::Learnt), 0, &Evidence { memories }, why);
}

/// A command or a way that fails whenever it is tried, each time with another error.
fn anti_pattern_of_approach(
    writer: &mut Writer<'_, '_>,
    known: &KnownFixes<'_>,
    seen: &SeenErrors<'_>,
    (scope, key): (Scope, &str),
    tried: &Tried<'_>,
) {
    let (failed, passed) = (tried.failed.len(), tried.passed.len());
    let mut memories: Vec<&Arc<Memory>> = tried.failed.values().map(|(memory, _)| *memory).collect();
    memories
        .sort_by(|one, other| other.times.created_at.cmp(&one.times.created_at).then_with(|| one.id.cmp(&other.id)));
    let mut met: Vec<Met<'_>> = Vec::new();
    for (memory, error) in tried.failed.values() {
        let Some(error) = error else { continue };
        let all = seen.errors.get(&(scope, error.clone())).into_iter().flatten();
        met.extend(all.filter(|one| one.memory.id == memory.id).cloned());
    }
    let errors: BTreeSet<String> = met.iter().map(|one| short(&one.headline)).collect();
    let why = match errors.len() {
        0 => "it was tried and did not lead to the goal".to_owned(),
        _ => format!("it ended with {}", errors.into_iter().take(3).collect::<Vec<_>>().join("; ")),
    };
    let told: Option<Fix> = fixes::told(&met).or_else(|| fixes::watched(&met));
    let body = AntiPattern {
        what_fails: tried.told.clone(),
        why,
        prevention: told.map(|fix| fix.told).unwrap_or_default(),
        learnt_from: first_episode(memories.iter().copied()),
    };
    let why = format!("{} failed in {}", tried.told, of_all(failed, passed));
    let living = known.approach(scope, &tried.told);
    writer.anti_pattern(living, key, (body, State::Learnt), passed, &Evidence { memories }, why);
}

fn evidence<'a>(met: &[Met<'a>]) -> Evidence<'a> {
    Evidence { memories: met.iter().map(|one| one.memory).collect() }
}

/// The command most of them ran into it with; of equals the first by name.
fn usual_command(met: &[Met<'_>]) -> Option<String> {
    let mut counts: std::collections::BTreeMap<&String, usize> = Default::default();
    met.iter().flat_map(|one| &one.commands).for_each(|command| *counts.entry(command).or_default() += 1);
    let (command, count) = counts.into_iter().max_by(|one, other| one.1.cmp(&other.1).then(other.0.cmp(one.0)))?;
    (count * 2 >= met.len()).then(|| command.clone())
}

/// As it was told the first time, which later evidence does not change.
fn first_told(met: &[Met<'_>]) -> String {
    let first = met.iter().min_by_key(|one| (one.at(), &one.memory.id));
    first.map(|one| one.headline.clone()).unwrap_or_default()
}

fn first_episode<'a>(memories: impl Iterator<Item = &'a Arc<Memory>>) -> String {
    let first: Option<(Timestamp, &MemoryId)> = memories.map(|memory| (memory.times.created_at, &memory.id)).min();
    first.map(|(_, id)| id.as_str().to_owned()).unwrap_or_default()
}

fn short(text: &str) -> String {
    made::flat(text, 80)
}

fn episodes(count: usize) -> String {
    if count == 1 { "1 episode".to_owned() } else { format!("{count} episodes") }
}

fn of_all(failed: usize, passed: usize) -> String {
    format!("{failed} of {}", episodes(failed + passed))
}
