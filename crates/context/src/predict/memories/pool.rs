//! Where evidence gathers: each memory once, with everything that speaks for it. What may not be told never gets in.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::PredictedMemory;
use super::clues::Clues;
use super::evidence::Evidence;
use super::merit::{MOST_MERIT, merit};
use crate::sources::Sources;
use lokid_index::roster::Filter;
use lokid_model::{Key, Memory, TaskType, Timestamp};
use lokid_retrieve::task;

pub(super) struct Pool<'a> {
    pub(super) sources: &'a Sources<'a>,
    pub(super) clues: &'a Clues,
    pub(super) filter: &'a Filter,
    /// The moment the prediction is for.
    pub(super) at: Timestamp,
    /// What is being done, as far as it is known.
    pub(super) activity: Option<TaskType>,
    found: BTreeMap<Key, Found>,
}

struct Found {
    memory: Arc<Memory>,
    seen: Vec<SeenKeys>,
}

struct SeenKeys {
    evidence: Evidence,
    strength: f64,
    why: String,
}

impl<'a> Pool<'a> {
    pub(super) fn new(sources: &'a Sources<'a>, clues: &'a Clues, filter: &'a Filter) -> Pool<'a> {
        let at = filter.as_of.unwrap_or(filter.now);
        Pool { sources, clues, filter, at, activity: activity(clues), found: BTreeMap::new() }
    }

    pub(super) fn admits(&self, memory: &Memory) -> bool {
        self.filter.admits(memory)
    }

    /// Strength is between 0 and 1. The same sort of evidence twice counts once, at its strongest.
    pub(super) fn add(
        &mut self,
        memory: &Arc<Memory>,
        evidence: Evidence,
        strength: f64,
        why: impl FnOnce() -> String,
    ) {
        if strength <= 0.0 || !self.filter.admits(memory) {
            return;
        }
        let strength = strength.min(1.0);
        let found =
            self.found.entry(memory.key()).or_insert_with(|| Found { memory: Arc::clone(memory), seen: Vec::new() });
        match found.seen.iter_mut().find(|seen| seen.evidence == evidence) {
            Some(seen) if seen.strength < strength => *seen = SeenKeys { evidence, strength, why: why() },
            Some(_) => {}
            None => found.seen.push(SeenKeys { evidence, strength, why: why() }),
        }
    }

    /// The best, ties by key. Each piece of evidence leaves less room for doubt; merit bends what remains.
    pub(super) fn best(self, k: usize) -> Vec<PredictedMemory> {
        let Pool { sources, at, activity, found, .. } = self;
        let worth = |seen: &SeenKeys| sources.memory_weights.of(seen.evidence) * seen.strength;
        let likely = |(key, mut found): (Key, Found)| {
            found
                .seen
                .sort_by(|one, other| worth(other).total_cmp(&worth(one)).then(one.evidence.cmp(&other.evidence)));
            let doubt: f64 = found.seen.iter().map(|seen| 1.0 - worth(seen)).product();
            (1.0 - doubt, key, found)
        };
        let mut likely: Vec<(f64, Key, Found)> = found.into_iter().map(likely).collect();
        likely.sort_by(|one, other| other.0.total_cmp(&one.0));
        let mut predicted: Vec<(Key, PredictedMemory)> = Vec::new();
        let mut least = f64::NEG_INFINITY;
        for (likelihood, key, Found { memory, seen }) in likely {
            // Nobody behind this one comes among the best, whatever its merit.
            if score(likelihood, MOST_MERIT) < least {
                break;
            }
            let score = score(likelihood, merit(&memory, &(sources.usage)(&memory), activity, at));
            let evidence: Vec<Evidence> = seen.iter().map(|seen| seen.evidence).collect();
            let anchored = evidence.contains(&Evidence::Anchored);
            let why = seen.into_iter().next().map(|seen| seen.why).unwrap_or_default();
            predicted.push((key, PredictedMemory { memory, score, why, anchored, evidence }));
            if predicted.len() > 2 * k {
                keep_best(&mut predicted, k);
                least = predicted.last().map_or(least, |(_, last)| last.score);
            }
        }
        keep_best(&mut predicted, k);
        predicted.into_iter().map(|(_, predicted)| predicted).collect()
    }
}

fn keep_best(predicted: &mut Vec<(Key, PredictedMemory)>, k: usize) {
    predicted.sort_by(|one, other| other.1.score.total_cmp(&one.1.score).then_with(|| one.0.cmp(&other.0)));
    predicted.truncate(k);
}

/// None of the digits may depend on the machine.
fn score(likelihood: f64, merit: f64) -> f64 {
    (bend(likelihood, merit) * 1e6).round() / 1e6
}

/// Moves the odds, not the likelihood: that stays between 0 and 1, and what is nearly sure stays nearly sure.
fn bend(likelihood: f64, merit: f64) -> f64 {
    let likelihood = likelihood.clamp(0.0, 1.0);
    let favoured = likelihood * merit * merit;
    favoured / (favoured + 1.0 - likelihood)
}

/// As it was told; else as the goal sounds; else, with an error at hand, one debugs.
fn activity(clues: &Clues) -> Option<TaskType> {
    let by_goal = || {
        let found = task::detect(clues.goal.as_deref()?, None, None);
        (!found.signals.is_empty()).then_some(found.task_type)
    };
    let by_error = || (!clues.errors.is_empty()).then_some(TaskType::Debugging);
    clues.activity.or_else(by_goal).or_else(by_error)
}
