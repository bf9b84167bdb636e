//! Candidates for a context: what binds, what presses, what is likely to be needed and what is good to know. Which of
//! them fit, and how long each may be, is decided elsewhere.
//!
//! Unverified, restricted and no longer valid memories never get here, nor those of another namespace.

mod critical;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::gate::{LEAST_CHANCE, LEAST_CHANCE_OF_COMMIT, Signs, Weighed};
use crate::parts::{Candidate, Part};
use crate::predict::episodes;
use crate::predict::memories::{Clues, Evidence, PredictedMemory, is_said, predict_within};
use crate::sources::Sources;
use lokid_index::roster::Filter;
use lokid_model::{Key, Kind, Level, Memory, Namespace, Scope, Tier, Timestamp, Usage, time};

/// Nobody reads more.
const MOST_CANDIDATES: usize = 300;
const MOST_PREDICTED: usize = 200;
const MOST_GOTCHAS: usize = 12;
const MOST_WEIGHED: usize = 40;
/// A meaning takes a millisecond or two.
const MOST_MEANT: usize = 12;
/// Of rules that documents give.
const MOST_RULES: usize = 3;
/// Of the files that are foreseen.
const MOST_FORESEEN: usize = 2;
/// A commit that only repeats the words of the situation says nothing.
const LEAST_NEWS: f64 = 0.2;
/// In tens of years: the code has moved on since.
const OLDEST_COMMIT: f64 = 0.3;
/// Of everything else that the repository taught.
const MOST_LEARNT: usize = 3;
/// Facts about how work is done here, most wanted first.
pub const HOW_TO_REASON: &str = "how work is done here";
pub const SIMILAR_REASON: &str = "similar work before";
const HOW_TO: [&str; 7] = ["test.all", "test.one", "build", "lint", "format", "typecheck", "ci.checks"];

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
    /// Somebody begins to work: how to build and test is told, too.
    pub beginning: bool,
    pub exclude: &'a dyn Fn(&Key) -> bool,
}

/// What may become part of a context, and the strongest evidence for what was foreseen: what there is to learn from
/// when it is used, or not.
pub struct Gathered {
    pub candidates: Vec<Candidate>,
    pub evidence: BTreeMap<Key, Evidence>,
    /// What stood before the gate, likeliest first.
    pub weighed: Vec<Weighed>,
    /// Earlier work that the goal or the error calls to mind, best first.
    pub episodes: Vec<PredictedMemory>,
}

/// In the order of the parts, the most valuable first, ties by key.
pub fn gather(sources: &Sources<'_>, clues: &Clues, filter: &GatherFilter<'_>) -> Gathered {
    let admitted = Filter { as_of: filter.as_of, ..Filter::new(filter.namespace.clone(), filter.now) };
    let mut predicted =
        if filter.only_binding { Vec::new() } else { predict_within(sources, clues, &admitted, MOST_PREDICTED) };
    predicted.retain(|found| !(filter.exclude)(&found.memory.key()));
    let mut table = Table { sources, clues, filter, admitted, taken: BTreeMap::new(), weighed: BTreeMap::new() };
    table.binding(&predicted);
    if !filter.only_binding {
        table.weigh(&predicted);
        table.rules();
        critical::add(&mut table, clues, &predicted);
        table.foreseen(&predicted);
        table.commit();
        table.how_to();
    }
    let evidence = predicted.iter().filter_map(|found| Some((found.memory.key(), *found.evidence.first()?))).collect();
    let mut weighed: Vec<Weighed> = std::mem::take(&mut table.weighed).into_values().collect();
    weighed.sort_by(|one, other| other.chance.total_cmp(&one.chance).then_with(|| one.key.cmp(&other.key)));
    weighed.truncate(MOST_WEIGHED);
    Gathered { candidates: table.finish(), evidence, weighed, episodes: episodes::matching(&predicted) }
}

/// Each memory once, in the most pressing part it was put into.
struct Table<'a> {
    sources: &'a Sources<'a>,
    clues: &'a Clues,
    filter: &'a GatherFilter<'a>,
    admitted: Filter,
    taken: BTreeMap<Key, Candidate>,
    weighed: BTreeMap<Key, Weighed>,
}

/// What the parts are worth besides how likely a memory is to be needed.
const PRESSING: f64 = 3.1;
const MANDATE: f64 = 2.5;
const GUARDRAIL: f64 = 2.0;
const CRITICAL: f64 = 1.0;
const BACKGROUND: f64 = 0.5;
/// However likely: whoever writes into a shared store does not decide what presses here.
const BORROWED: f64 = 0.1;

/// Is it there for what it is, whatever is going on?
pub fn is_always_said(candidate: &Candidate) -> bool {
    candidate.binding && candidate.value < PRESSING
}

impl Table<'_> {
    fn admits(&self, memory: &Memory) -> bool {
        self.admitted.admits(memory) && !(self.filter.exclude)(&memory.key())
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

    /// Told by somebody: likely enough, and not too old; what is at home in the file at hand however old it is. Learnt from
    /// the repository: only what speaks of the situation.
    fn is_wanted(&self, predicted: &PredictedMemory) -> bool {
        let memory = &predicted.memory;
        if self.is_derived(memory) {
            return self.chance(memory) >= LEAST_CHANCE;
        }
        predicted.anchored
            || (predicted.score >= self.filter.min_score && self.is_timely(memory, &(self.sources.usage)(memory)))
    }

    fn is_derived(&self, memory: &Memory) -> bool {
        memory.is_commit() || self.sources.snapshot.is_derived(&memory.key())
    }

    /// How likely it is of use here; nothing for what was not weighed.
    fn chance(&self, memory: &Memory) -> f64 {
        self.weighed.get(&memory.key()).map_or(0.0, |weighed| weighed.chance)
    }

    /// Weighs everything that nobody told. The meaning is looked at where the words are promising.
    fn weigh(&mut self, predicted: &[PredictedMemory]) {
        let errors: BTreeSet<Key> =
            predicted.iter().filter(|found| is_the_error(found)).map(|found| found.memory.key()).collect();
        let rules = self.sources.snapshot.binding(&self.filter.namespace).take(MOST_CANDIDATES);
        let all = predicted.iter().map(|found| &found.memory).chain(&self.clues.commits).chain(rules);
        let mut weighed: BTreeMap<Key, (Signs, &Memory)> = BTreeMap::new();
        for memory in all.filter(|memory| self.is_derived(memory) && self.admits(memory)) {
            let key = memory.key();
            let signs = Signs::of(memory, self.clues, errors.contains(&key), self.at());
            weighed.entry(key).or_insert((signs, memory));
        }
        let situation = &self.clues.situation;
        let mut promising: Vec<(f64, Key)> =
            weighed.iter().map(|(key, (signs, _))| (signs.meaning(0.5).chance(situation), key.clone())).collect();
        promising.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        let about = self.clues.subject().filter(|_| !situation.is_empty());
        let question = about.map(|about| (self.sources.vector_of)(&about)).unwrap_or_default();
        for (_, key) in promising.into_iter().take(MOST_MEANT) {
            let Some((signs, memory)) = weighed.get_mut(&key) else { continue };
            let alike = |title: Vec<f32>| question.iter().zip(&title).map(|(a, b)| f64::from(a * b)).sum();
            // Without a model the words of the title have to tell.
            let meaning =
                if question.is_empty() { signs.titled } else { alike((self.sources.vector_of)(memory.headline())) };
            *signs = signs.meaning(meaning);
        }
        self.weighed = weighed
            .into_iter()
            .map(|(key, (signs, memory))| {
                let (title, chance) = (memory.headline().to_owned(), signs.chance(situation));
                (key.clone(), Weighed { key, title, chance, signs })
            })
            .collect();
    }

    /// How much a foreseen memory is worth to have.
    fn worth(&self, found: &PredictedMemory) -> f64 {
        if self.is_derived(&found.memory) { self.chance(&found.memory) } else { found.score }
    }

    fn put(&mut self, memory: &Arc<Memory>, part: Part, value: f64, why: String) {
        let longest = match part {
            Part::Critical | Part::Relevant => self.filter.longest,
            Part::Background | Part::Index => self.filter.longest.max(Level::Compressed),
        };
        self.put_candidate(Candidate { memory: Arc::clone(memory), part, value, why, binding: false, longest });
    }

    /// What is at hand itself stands before what binds always: it is told however short the context is.
    fn press(&mut self, memory: &Arc<Memory>, score: f64, why: String) {
        let (memory, longest) = (Arc::clone(memory), self.filter.longest);
        self.put_candidate(Candidate {
            memory,
            part: Part::Critical,
            value: PRESSING + 0.1 * score,
            why,
            binding: true,
            longest,
        });
    }

    fn put_candidate(&mut self, candidate: Candidate) {
        let key = candidate.memory.key();
        if !self.admits(&candidate.memory) {
            return;
        }
        let mut candidate = Candidate { value: (candidate.value * 1e6).round() / 1e6, ..candidate };
        if candidate.memory.is_borrowed() {
            (candidate.part, candidate.binding) = (Part::Background, false);
            candidate.value = BORROWED * candidate.value.min(1.0);
        }
        self.taken.entry(key).or_insert(candidate);
    }

    /// What a person or an agent made binding is always there, and so is what they told as a gotcha or as most important.
    /// The more likely one is to matter now, the longer it stays.
    fn binding(&mut self, predicted: &[PredictedMemory]) {
        let scores: BTreeMap<Key, f64> = predicted.iter().map(|found| (found.memory.key(), found.score)).collect();
        let snapshot = self.sources.snapshot;
        let told = |memory: &&Arc<Memory>| self.admits(memory) && !self.is_derived(memory);
        let gotchas = snapshot.outstanding(&self.filter.namespace).filter(told);
        let gotchas: Vec<&Arc<Memory>> = gotchas.take(MOST_GOTCHAS).collect();
        let binding = snapshot.binding(&self.filter.namespace).filter(told);
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

    /// Of the rules that documents give, the few that match.
    fn rules(&mut self) {
        let rules = self.sources.snapshot.binding(&self.filter.namespace);
        let rules = rules.filter(|memory| self.admits(memory) && self.is_derived(memory));
        let mut rules: Vec<(f64, &Arc<Memory>)> = rules.map(|rule| (self.chance(rule), rule)).collect();
        rules.retain(|(chance, _)| *chance >= LEAST_CHANCE);
        rules.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.id.cmp(&other.1.id)));
        for (chance, rule) in rules.into_iter().take(MOST_RULES) {
            self.put(rule, Part::Critical, CRITICAL + chance, "a rule that matches".to_owned());
        }
    }

    /// A rule of a document: whether it is told is decided among the rules.
    fn is_rule(&self, memory: &Memory) -> bool {
        memory.tier <= Tier::Guardrail && self.is_derived(memory)
    }

    fn foreseen(&mut self, predicted: &[PredictedMemory]) {
        let mut best: Vec<&PredictedMemory> =
            predicted.iter().filter(|found| self.is_wanted(found) && !self.is_rule(&found.memory)).collect();
        best.sort_by(|one, other| {
            self.worth(other).total_cmp(&self.worth(one)).then_with(|| one.memory.id.cmp(&other.memory.id))
        });
        let mut learnt = 0;
        for found in best {
            learnt += usize::from(self.is_derived(&found.memory));
            if self.is_derived(&found.memory) && learnt > MOST_LEARNT {
                continue;
            }
            let worth = self.worth(found);
            if is_background(found) {
                self.put(&found.memory, Part::Background, BACKGROUND * worth, found.why.clone());
            } else {
                self.put(&found.memory, Part::Relevant, worth, found.why.clone());
            }
        }
    }

    /// The commit that tells most about the very function or failure, or of work like this, unless a memory tells of it
    /// already.
    fn commit(&mut self) {
        let told: BTreeSet<String> =
            self.taken.values().flat_map(|taken| taken.memory.anchors.commits.iter().cloned()).collect();
        let (clues, names) = (self.clues, self.clues.names());
        let place = |commit: &Memory| clues.places().find(|file| commit.anchors.files.iter().any(|one| one == file));
        // Where nothing is at hand, words alone may meet by chance: it touched what is foreseen, too.
        let is_foreseen = |commit: &Memory| {
            clues.related.iter().take(MOST_FORESEEN).any(|related| commit.anchors.files.contains(&related.path))
        };
        let is_here = |commit: &Memory| match clues.places().next() {
            Some(_) => place(commit).is_some(),
            None => is_foreseen(commit),
        };
        let chance = |commit: &Arc<Memory>| {
            let weighed = self.weighed.get(&commit.key()).filter(|weighed| weighed.signs.age <= OLDEST_COMMIT)?;
            let is_named = names.iter().any(|name| is_said(&commit.text, name)) && weighed.signs.news >= LEAST_NEWS;
            let named = Some(weighed.chance).filter(|chance| is_named && *chance >= LEAST_CHANCE_OF_COMMIT);
            // What was touched with it is the news. The words of an error are everybody's.
            let is_work = clues.errors.is_empty() || clues.goal.is_some();
            let is_work = is_work && commit.anchors.files.iter().any(|file| clues.file.as_ref() != Some(file));
            let alike = clues.situation.likeness(commit.headline()).filter(|_| is_work);
            named.into_iter().chain(alike).reduce(f64::max)
        };
        let found = clues.commits.iter().filter(|commit| !commit.anchors.commits.iter().any(|id| told.contains(id)));
        let found = found.filter(|commit| is_here(commit)).filter_map(|commit| Some((chance(commit)?, commit)));
        let newest = |one: &Memory, other: &Memory| one.times.created_at.cmp(&other.times.created_at);
        let best = found.max_by(|one, other| {
            let by_chance = one.0.total_cmp(&other.0).then_with(|| newest(one.1, other.1));
            by_chance.then_with(|| other.1.id.cmp(&one.1.id))
        });
        let Some((chance, commit)) = best else { return };
        self.put_candidate(Candidate {
            memory: Arc::clone(commit),
            part: Part::Relevant,
            value: chance,
            why: place(commit).map_or_else(|| SIMILAR_REASON.to_owned(), |file| format!("changed {file} before")),
            binding: false,
            longest: self.filter.longest.max(Level::Summary),
        });
    }

    /// Where nothing is going on yet: how to build, test and check. At the start of a session readers wanted one in ten of these
    /// commands.
    fn how_to(&mut self) {
        let clues = self.clues;
        if self.filter.beginning || clues.file.is_some() || !clues.situation.is_empty() {
            return;
        }
        for (place, key) in HOW_TO.iter().enumerate() {
            let slot = (self.filter.namespace.clone(), Scope::default(), (*key).to_owned(), String::new());
            let known = self.sources.snapshot.facts_of(&slot).filter(|fact| self.admits(fact)).last().cloned();
            if let Some(fact) = known {
                let worth = 1.0 - 0.05 * place as f64;
                self.put(&fact, Part::Background, BACKGROUND * worth, HOW_TO_REASON.to_owned());
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

/// Does it tell of the error at hand?
fn is_the_error(found: &PredictedMemory) -> bool {
    found.evidence.iter().any(|evidence| matches!(evidence, Evidence::SameError | Evidence::ErrorTie))
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
