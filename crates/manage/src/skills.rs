//! What was done again and again with a good end becomes a skill: a document that says what to do, step by step.
//!
//! A skill that somebody else wrote, or whose words somebody changed, is left alone, and none is made beside it. The
//! night's own skills gather evidence; their words change when the steps do, and else only gain errors not yet met.

mod done;
mod tell;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use self::done::{Done, StepPlace};
use self::tell::Errors;
use super::errors::seen::SeenErrors;
use super::errors::telling::{Fingerprints, headline};
use super::made::{self, Roots};
use super::plan::{Act, Phase, Proposal, Scene, create, holds, lower_bound, revise};
use super::worth::{self, Scratch};
use lokid_model::words::slug;
use lokid_model::{Body, Change, Kind, Memory, MemoryId, Outcome, Scope, Skill};

/// A sequence of steps that episodes have in common, as it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub name: String,
    /// Commands without what differs from one time to the next, as [`super::plan::Around::step`] tells them.
    pub steps: Vec<String>,
    pub support: usize,
    /// Ids of episodes it was found in.
    pub sources: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Episodes that did the same before it is a skill.
    pub support: usize,
    /// How sure it must be that it ends well.
    pub sure: f64,
    pub steps: usize,
    pub sources: usize,
    pub links: usize,
    /// Episodes whose words are compared for one skill, the newest.
    pub read: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { support: 3, sure: 0.8, steps: 12, sources: 50, links: 20, read: 300 }
    }
}

pub fn plan(scene: &Scene<'_>, found: &[Found], limits: &Limits) -> Vec<Proposal> {
    let scratch = Scratch::of(scene.memories.iter());
    let is_wanted = |found: &&Found| {
        found.support >= limits.support && is_sequence(&found.steps, limits) && worth::is_way(&found.steps, &scratch)
    };
    let mut found: Vec<&Found> = found.iter().filter(is_wanted).collect();
    if found.is_empty() {
        return Vec::new();
    }
    found.sort_by(|one, other| {
        other.support.cmp(&one.support).then_with(|| (&one.steps, &one.name).cmp(&(&other.steps, &other.name)))
    });
    found.dedup_by(|one, other| one.steps == other.steps);
    let Some(done) = Done::read(scene) else { return Vec::new() };
    let prints = Fingerprints::new(scene.around);
    let mut all: Vec<(Scope, &Found, Evidence<'_>)> = Vec::new();
    for found in found {
        all.extend(evidence(&done, found).into_iter().map(|(scope, evidence)| (scope, found, evidence)));
    }
    let read: BTreeMap<&MemoryId, &Arc<Memory>> = all
        .iter()
        .flat_map(|(_, _, evidence)| evidence.good.iter().take(limits.read))
        .map(|place| (&place.memory.id, place.memory))
        .collect();
    let seen = SeenErrors::errors_in(scene, &prints, read.into_values());
    let mut errors: Errors<'_, '_> = BTreeMap::new();
    for ((_, print), met) in &seen.errors {
        met.iter().for_each(|one| errors.entry(&one.memory.id).or_default().push((print, one)));
    }
    let roots = Roots::of(scene.links.iter().map(Arc::as_ref));
    let mut planner = Planner {
        scene,
        limits,
        prints: &prints,
        scratch: &scratch,
        errors,
        roots,
        shelf: Shelf::of(scene),
        proposals: Vec::new(),
    };
    let mut rest = Vec::new();
    // Whoever has a skill of exactly these steps already comes first, so that no variant takes it away.
    for (scope, found, evidence) in all {
        match planner.shelf.claim(scope, |skill| skill.steps == found.steps) {
            Some(at) => planner.update(at, found, &evidence),
            None => rest.push((scope, found, evidence)),
        }
    }
    for (scope, found, evidence) in rest {
        if scene.around.is_over() {
            break;
        }
        planner.place(scope, found, &evidence);
    }
    planner.proposals
}

fn is_sequence(steps: &[String], limits: &Limits) -> bool {
    (2..=limits.steps).contains(&steps.len()) && steps.iter().all(|step| !step.trim().is_empty())
}

/// Episodes that took the steps, within one scope.
struct Evidence<'a> {
    /// Those that ended well, newest first.
    good: Vec<StepPlace<'a>>,
    /// All whose end is known.
    known: usize,
}

/// By scope: what is private never counts for what is shared.
fn evidence<'a>(done: &Done<'a>, found: &Found) -> BTreeMap<Scope, Evidence<'a>> {
    let mut scopes: BTreeMap<Scope, Evidence<'a>> = BTreeMap::new();
    for place in done.places(&found.steps, &found.sources) {
        let evidence = scopes.entry(place.memory.scope).or_insert(Evidence { good: Vec::new(), known: 0 });
        evidence.known += usize::from(place.memory.outcome.is_some());
        if place.memory.outcome == Some(Outcome::Success) {
            evidence.good.push(place);
        }
    }
    for evidence in scopes.values_mut() {
        evidence.good.sort_by(|one, other| {
            let at = |place: &StepPlace<'_>| place.memory.times.created_at;
            at(other).cmp(&at(one)).then_with(|| one.memory.id.cmp(&other.memory.id))
        });
    }
    scopes
}

/// The skills that are there, and those that were just made.
struct Shelf<'a> {
    skills: Vec<OnShelf<'a>>,
}

struct OnShelf<'a> {
    memory: Option<&'a Arc<Memory>>,
    scope: Scope,
    slugs: BTreeSet<String>,
    steps: Vec<String>,
    is_own: bool,
    is_claimed: bool,
}

struct Planner<'s, 'a> {
    scene: &'s Scene<'a>,
    limits: &'s Limits,
    prints: &'s Fingerprints<'s>,
    scratch: &'s Scratch,
    errors: Errors<'s, 'a>,
    roots: Roots<'a>,
    shelf: Shelf<'a>,
    proposals: Vec<Proposal>,
}

impl<'a> Planner<'_, 'a> {
    /// A sequence without a skill of its own: a changed one, a new one, or nothing.
    fn place(&mut self, scope: Scope, found: &Found, evidence: &Evidence<'a>) {
        let is_sure = lower_bound(evidence.good.len(), evidence.known) >= self.limits.sure;
        if evidence.good.len() < self.limits.support || !is_sure {
            return;
        }
        let alike = |skill: &OnShelf<'_>| is_alike(&skill.steps, &found.steps);
        if let Some(at) = self.shelf.claim(scope, |skill| skill.is_own && skill.memory.is_some() && alike(skill)) {
            return self.update(at, found, evidence);
        }
        // A variant of what is told already, by whomever.
        if self.shelf.skills.iter().any(|skill| skill.scope == scope && alike(skill)) {
            return;
        }
        // What everybody did in words of their own is how work goes, and no way of doing something.
        if !worth::is_way(&tell::usual(&found.steps, self.read(evidence)), self.scratch) {
            return;
        }
        if let Some(name) = self.shelf.free_name(scope, found) {
            self.create(scope, name, found, evidence);
        }
    }

    fn create(&mut self, scope: Scope, name: String, found: &Found, evidence: &Evidence<'a>) {
        let Some(newest) = evidence.good.first() else { return };
        let slug = slug(&name);
        let id = match scope {
            Scope::ProjectShared => MemoryId::new(&format!("skill-{slug}")),
            _ => MemoryId::new(&format!("skill-{slug}-{}", &blake3::hash(scope.as_str().as_bytes()).to_hex()[..4])),
        };
        let Some(id) = id else { return };
        let body = Body::Skill(Box::new(self.words(&name, found, evidence)));
        let at = newest.memory.times.created_at;
        let ids = ids(evidence);
        let mut memory = made::new(id, newest.memory, Kind::Skill, body, at, self.scene.now);
        memory.tags = vec!["learnt".to_owned()];
        memory.source = made::source_of(evidence.good.iter().map(|place| place.memory.source));
        memory.sources = made::gathered(&[], &ids, self.limits.sources, true);
        memory.importance = 0.6;
        memory.confidence = made::rounded(lower_bound(evidence.good.len(), evidence.known));
        made::seal(&mut memory);
        made::note(&mut memory, "steps", json!(found.steps));
        let is_welcome = self.scene.around.is_free(&memory.id) && !self.scene.around.is_buried(&memory);
        if !is_welcome {
            return;
        }
        let mut changes = vec![create(memory.clone())];
        changes.extend(self.roots.missing(&memory, &ids, self.limits.links, self.scene.now));
        self.propose(&memory, found, evidence, changes);
        self.shelf.skills.push(OnShelf {
            memory: None,
            scope,
            slugs: BTreeSet::from([slug]),
            steps: found.steps.clone(),
            is_own: true,
            is_claimed: true,
        });
    }

    fn update(&mut self, at: usize, found: &Found, evidence: &Evidence<'a>) {
        let skill = &self.shelf.skills[at];
        let Some(living) = skill.memory.filter(|_| skill.is_own) else { return };
        let is_open = holds(living, self.scene.now) && made::is_plain(living);
        let Body::Skill(old) = &living.body else { return };
        if !is_open || evidence.known == 0 {
            return;
        }
        let words = if skill.steps == found.steps {
            let mut words = old.as_ref().clone();
            let errors = tell::common_errors(self.read(evidence), &self.errors);
            tell::add_errors(&mut words, errors, |error| self.prints.of(&headline(error)));
            words
        } else {
            self.words(&old.name, found, evidence)
        };
        // Whoever comes later is compared with what the skill says from now on.
        self.shelf.skills[at].steps.clone_from(&found.steps);
        let ids = ids(evidence);
        let mut changes: Vec<Change> = revise(living, self.scene.now, |memory| {
            memory.sources = made::gathered(&memory.sources, &ids, self.limits.sources, true);
            // Episodes that were forgotten since still happened.
            let gone = |id: &&String| MemoryId::foreign(id).is_none_or(|id| self.scene.get(&id).is_none());
            let gone = memory.sources.iter().filter(gone).count();
            memory.confidence = made::rounded(lower_bound(evidence.good.len() + gone, evidence.known + gone));
            if memory.source.is_hearsay() {
                let found = made::source_of(evidence.good.iter().map(|place| place.memory.source));
                memory.source = if found.is_hearsay() { memory.source } else { found };
            }
            if words != **old {
                made::reword(memory, Body::Skill(Box::new(words)));
                made::note(memory, "steps", json!(found.steps));
            }
        })
        .into_iter()
        .collect();
        changes.extend(self.roots.missing(living, &ids, self.limits.links, self.scene.now));
        if !changes.is_empty() {
            self.propose(living, found, evidence, changes);
        }
    }

    fn read<'e>(&self, evidence: &'e Evidence<'a>) -> &'e [StepPlace<'a>] {
        &evidence.good[..evidence.good.len().min(self.limits.read)]
    }

    fn words(&self, name: &str, found: &Found, evidence: &Evidence<'a>) -> Skill {
        tell::skill(name, &found.steps, self.read(evidence), &self.errors)
    }

    fn propose(&mut self, memory: &Memory, found: &Found, evidence: &Evidence<'a>, changes: Vec<Change>) {
        let (good, known) = (evidence.good.len(), evidence.known);
        let why = format!("{good} of {known} episodes that did {} ended well", found.steps.join(" → "));
        let proposal = Proposal::new(Phase::Skills, Act::Skill, memory, why, changes);
        self.proposals.push(proposal.with(ids(evidence).into_iter().take(self.limits.links)));
    }
}

fn ids(evidence: &Evidence<'_>) -> Vec<MemoryId> {
    evidence.good.iter().map(|place| place.memory.id.clone()).collect()
}

impl<'a> Shelf<'a> {
    fn of(scene: &Scene<'a>) -> Shelf<'a> {
        let on_shelf = |memory: &'a Arc<Memory>| {
            let is_own = made::is_own(memory);
            let noted = made::noted(memory, "steps").and_then(Value::as_array).filter(|_| is_own);
            let noted = noted.map(|steps| steps.iter().filter_map(Value::as_str).map(str::to_owned).collect());
            let mut slugs = BTreeSet::from([slug(memory.headline())]);
            slugs.extend(memory.id.as_str().strip_prefix("skill-").map(slug));
            if let Body::Skill(skill) = &memory.body {
                slugs.insert(slug(&skill.name));
            }
            OnShelf {
                memory: Some(memory),
                scope: memory.scope,
                slugs,
                steps: noted.unwrap_or_else(|| tell::steps_of(memory, |text| scene.around.step(text))),
                is_own,
                is_claimed: false,
            }
        };
        Shelf { skills: scene.memories.iter().filter(|memory| memory.kind == Kind::Skill).map(on_shelf).collect() }
    }

    /// The first skill of this scope that fits and that no other sequence has.
    fn claim(&mut self, scope: Scope, fits: impl Fn(&OnShelf<'_>) -> bool) -> Option<usize> {
        let fits = |skill: &OnShelf<'_>| skill.scope == scope && !skill.is_claimed && fits(skill);
        let at = self.skills.iter().position(fits)?;
        self.skills[at].is_claimed = true;
        Some(at)
    }

    /// The name it was found under, or all of its steps where another skill of the night has that name. Nothing where
    /// somebody else's has it: they know how that is done.
    fn free_name(&self, scope: Scope, found: &Found) -> Option<String> {
        let is_held = |name: &str, by_own: bool| {
            let slug = slug(name);
            let held =
                |skill: &OnShelf<'_>| skill.is_own == by_own && skill.scope == scope && skill.slugs.contains(&slug);
            self.skills.iter().any(held)
        };
        let whole = made::flat(&found.steps.join(" then "), 76);
        let short = made::flat(&worth::name_of_way(&found.name, &found.steps), 60);
        let short = if short.chars().any(char::is_alphanumeric) { short } else { whole.clone() };
        if is_held(&short, false) {
            return None;
        }
        [short, whole].into_iter().find(|name| !is_held(name, true) && !is_held(name, false))
    }
}

/// Nearly the same steps, whatever their order.
fn is_alike(one: &[String], other: &[String]) -> bool {
    let shared = one.iter().filter(|step| other.contains(step)).count();
    shared > 0 && shared * 10 >= one.len().max(other.len()) * 7
}
