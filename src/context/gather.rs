//! Candidates for a context: what binds, what presses, what is likely to be needed and what is good to know. Which of
//! them fit, and how long each may be, is decided elsewhere.
//!
//! Unverified, restricted and no longer valid memories never get here, nor those of another namespace.

mod background;
mod critical;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::context::parts::{Candidate, Part};
use crate::context::predict::memories::{Clues, Evidence, PredictedMemory, predict_within};
use crate::context::sources::Sources;
use crate::index::roster::Filter;
use crate::model::{Key, Kind, Level, Memory, Namespace, Tier, Timestamp, Usage, time};

/// Nobody reads more.
const MOST_CANDIDATES: usize = 300;
const MOST_PREDICTED: usize = 200;

pub struct GatherFilter<'a> {
    pub namespace: Namespace,
    pub now: Timestamp,
    /// What was known and held then, instead of now.
    pub as_of: Option<Timestamp>,
    /// What is less likely to be needed stays out, unless it binds or is at home in the file at hand.
    pub min_score: f64,
    /// And what is older than this, under the same conditions.
    pub window_days: u32,
    /// The longest form any candidate may take.
    pub longest: Level,
    /// Mandates and guardrails, nothing else.
    pub only_binding: bool,
    pub exclude: &'a dyn Fn(&Key) -> bool,
}

/// What may become part of a context, and the strongest evidence for what was foreseen: what there is to learn from
/// when it is used, or not.
pub struct Gathered {
    pub candidates: Vec<Candidate>,
    pub evidence: BTreeMap<Key, Evidence>,
}

/// In the order of the parts, the most valuable first, ties by key.
pub fn gather(sources: &Sources<'_>, clues: &Clues, filter: &GatherFilter<'_>) -> Gathered {
    let admitted = Filter { as_of: filter.as_of, ..Filter::new(filter.namespace.clone(), filter.now) };
    let predicted =
        if filter.only_binding { Vec::new() } else { predict_within(sources, clues, &admitted, MOST_PREDICTED) };
    let mut table = Table { sources, filter, admitted, taken: BTreeMap::new() };
    table.binding(&predicted);
    if !filter.only_binding {
        critical::add(&mut table, clues, &predicted);
        table.relevant(&predicted);
        background::add(&mut table, clues, &predicted);
    }
    let evidence = predicted.iter().filter_map(|found| Some((found.memory.key(), *found.evidence.first()?))).collect();
    Gathered { candidates: table.finish(), evidence }
}

/// Each memory once, in the most pressing part it was put into.
struct Table<'a> {
    sources: &'a Sources<'a>,
    filter: &'a GatherFilter<'a>,
    admitted: Filter,
    taken: BTreeMap<Key, Candidate>,
}

/// What the parts are worth besides how likely a memory is to be needed.
const MANDATE: f64 = 2.5;
const GUARDRAIL: f64 = 2.0;
const CRITICAL: f64 = 1.0;
const BACKGROUND: f64 = 0.5;

impl Table<'_> {
    fn admits(&self, memory: &Memory) -> bool {
        self.admitted.admits(memory)
    }

    fn at(&self) -> Timestamp {
        self.filter.as_of.unwrap_or(self.filter.now)
    }

    /// Is it new enough, or was it lately of use?
    fn is_timely(&self, memory: &Memory, usage: &Usage) -> bool {
        let oldest = self.at().plus_micros(-i64::from(self.filter.window_days).saturating_mul(time::DAY));
        let last = memory.times.created_at.max(memory.times.updated_at);
        usage.last_used.map_or(last, |used| used.max(last)) >= oldest
    }

    /// What is at home in the file at hand is told however old it is.
    fn is_wanted(&self, predicted: &PredictedMemory) -> bool {
        let memory = &predicted.memory;
        predicted.anchored
            || (predicted.score >= self.filter.min_score && self.is_timely(memory, &(self.sources.usage)(memory)))
    }

    fn put(&mut self, memory: &Arc<Memory>, part: Part, value: f64, why: String) {
        let longest = match part {
            Part::Critical | Part::Relevant => self.filter.longest,
            Part::Background | Part::Index => self.filter.longest.max(Level::Compressed),
        };
        self.put_candidate(Candidate { memory: Arc::clone(memory), part, value, why, binding: false, longest });
    }

    fn put_candidate(&mut self, candidate: Candidate) {
        let key = candidate.memory.key();
        if (self.filter.exclude)(&key) || !self.admits(&candidate.memory) {
            return;
        }
        let candidate = Candidate { value: (candidate.value * 1e6).round() / 1e6, ..candidate };
        self.taken.entry(key).or_insert(candidate);
    }

    /// Always there. The more likely one is to matter now, the longer it stays.
    fn binding(&mut self, predicted: &[PredictedMemory]) {
        let scores: BTreeMap<Key, f64> = predicted.iter().map(|found| (found.memory.key(), found.score)).collect();
        let gotchas = predicted.iter().filter(|found| is_gotcha(&found.memory) && self.is_wanted(found));
        let gotchas: Vec<&Arc<Memory>> = gotchas.map(|found| &found.memory).collect();
        let snapshot = self.sources.snapshot;
        let binding = snapshot.binding(&self.filter.namespace).filter(|memory| self.admits(memory));
        let binding: Vec<&Arc<Memory>> = binding.take(MOST_CANDIDATES).chain(gotchas).collect();
        for memory in binding {
            let (base, why) = match memory.tier {
                Tier::Mandate => (MANDATE, "a mandate"),
                Tier::Guardrail => (GUARDRAIL, "a guardrail"),
                Tier::Reference | Tier::Archive => (GUARDRAIL, "a gotcha"),
            };
            let score = scores.get(&memory.key()).copied().unwrap_or(0.0);
            self.put_candidate(Candidate {
                memory: Arc::clone(memory),
                part: Part::Critical,
                value: base + 0.4 * score + 0.1 * memory.importance.clamp(0.0, 1.0),
                why: why.to_owned(),
                binding: true,
                longest: self.filter.longest,
            });
        }
    }

    fn relevant(&mut self, predicted: &[PredictedMemory]) {
        for found in predicted {
            if self.is_wanted(found) && !is_background(found) {
                self.put(&found.memory, Part::Relevant, found.score, found.why.clone());
            }
        }
    }

    fn finish(self) -> Vec<Candidate> {
        let mut found: Vec<(Key, Candidate)> = self.taken.into_iter().collect();
        let worth = |one: &Candidate, other: &Candidate| {
            other.binding.cmp(&one.binding).then_with(|| other.value.total_cmp(&one.value))
        };
        found.sort_by(|one, other| worth(&one.1, &other.1).then_with(|| one.0.cmp(&other.0)));
        found.truncate(MOST_CANDIDATES);
        found.sort_by(|one, other| {
            let by_part = one.1.part.cmp(&other.1.part);
            by_part.then_with(|| other.1.value.total_cmp(&one.1.value)).then_with(|| one.0.cmp(&other.0))
        });
        found.into_iter().map(|(_, candidate)| candidate).collect()
    }
}

fn is_gotcha(memory: &Memory) -> bool {
    memory.tags.iter().any(|tag| tag.eq_ignore_ascii_case("gotcha"))
}

/// Habits and conventions are good to know and seldom more, unless something besides the place speaks for them.
fn is_background(found: &PredictedMemory) -> bool {
    let by_place = |evidence: &Evidence| {
        matches!(
            evidence,
            Evidence::Anchored | Evidence::Related | Evidence::Folder | Evidence::Recent | Evidence::BranchFile
        )
    };
    match found.memory.kind {
        Kind::CodePattern => found.evidence.iter().all(by_place),
        Kind::Workflow => !found.evidence.contains(&Evidence::Goal),
        _ => false,
    }
}
