//! Patterns that are already remembered, by whoever wrote them, and which of them a group of episodes speaks for. A group
//! that finds its pattern gives it evidence and makes no twin.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::Limits;
use super::case::{Case, CaseReader};
use super::lesson::{Lesson, sentence};
use super::likeness::cosine;
use super::words::is_generic;
use crate::plan::{Scene, holds};
use lokid_model::{Body, Kind, Memory, MemoryId, Pattern, Relation, Scope, Source, Status, Tier, render};

pub(super) const ACTOR: &str = "lokid";
/// So many of a group's episodes may each have named its pattern.
const NAMING: usize = 20;
/// A pattern somebody else wrote is about its episodes when it means this much the same.
const ABOUT_THE_SAME: f32 = 0.5;

/// The patterns of one scope that may gain evidence.
pub(super) struct KnownLessons<'a> {
    patterns: BTreeMap<&'a MemoryId, &'a Arc<Memory>>,
    /// The episodes each is said to come from.
    sources: HashMap<&'a MemoryId, BTreeSet<&'a str>>,
    named_by: HashMap<&'a str, Vec<&'a MemoryId>>,
    linked: HashMap<&'a MemoryId, BTreeSet<&'a str>>,
    /// Episodes whose pattern was taken away: it is not made again.
    retired: BTreeSet<&'a str>,
}

impl<'a> KnownLessons<'a> {
    pub(super) fn new(scene: &'a Scene<'a>, scope: Scope) -> KnownLessons<'a> {
        let usable = |memory: &&Arc<Memory>| {
            memory.kind == Kind::Pattern
                && memory.scope == scope
                && memory.status == Status::Asserted
                && !memory.restricted
                && holds(memory, scene.now)
        };
        let patterns: BTreeMap<&MemoryId, &Arc<Memory>> =
            scene.memories.iter().filter(usable).map(|memory| (&memory.id, memory)).collect();
        let mut sources: HashMap<&MemoryId, BTreeSet<&str>> = HashMap::new();
        for (id, memory) in &patterns {
            let told = body_of(memory).map_or(&[][..], |pattern| &pattern.source_episodes);
            sources.entry(id).or_default().extend(told.iter().map(String::as_str));
        }
        let mut linked: HashMap<&MemoryId, BTreeSet<&str>> = HashMap::new();
        for link in scene.links.iter().filter(|link| link.relation == Relation::DerivedFrom) {
            if let Some(sources) = sources.get_mut(&link.from) {
                sources.insert(link.to.as_str());
                linked.entry(&link.from).or_default().insert(link.to.as_str());
            }
        }
        let mut named_by: HashMap<&str, Vec<&MemoryId>> = HashMap::new();
        for id in patterns.keys() {
            for source in sources.get(id).into_iter().flatten() {
                named_by.entry(source).or_default().push(id);
            }
        }
        let gone = scene.archived.iter().map(|archived| &archived.memory);
        let lapsed = scene.memories.iter().filter(|memory| !holds(memory, scene.now));
        let ended = gone.chain(lapsed).filter(|memory| memory.kind == Kind::Pattern && memory.scope == scope);
        let retired = ended.filter(|memory| is_ours(memory)).filter_map(|memory| body_of(memory));
        let retired = retired.flat_map(|pattern| pattern.source_episodes.iter().map(String::as_str)).collect();
        KnownLessons { patterns, sources, named_by, linked, retired }
    }

    pub(super) fn get(&self, id: &MemoryId) -> Option<&'a Arc<Memory>> {
        self.patterns.get(id).copied()
    }

    pub(super) fn sources(&self, id: &MemoryId) -> impl Iterator<Item = &'a str> {
        self.sources.get(id).into_iter().flatten().copied()
    }

    pub(super) fn linked(&self, id: &MemoryId) -> BTreeSet<&'a str> {
        self.linked.get(id).cloned().unwrap_or_default()
    }

    /// Patterns of ours besides `id` that most of these episodes' work went into: the same work was learnt twice, before
    /// enough was known to see that it is one.
    pub(super) fn twins(&self, id: &MemoryId, cases: &[&Case]) -> Vec<&'a Arc<Memory>> {
        let mut shared: BTreeMap<&MemoryId, usize> = BTreeMap::new();
        for other in cases.iter().filter_map(|case| self.named_by.get(case.id())).flatten() {
            *shared.entry(other).or_default() += 1;
        }
        let covered = |other: &&MemoryId, times: usize| 2 * times > self.sources.get(*other).map_or(0, BTreeSet::len);
        let twins = shared.into_iter().filter(|(other, times)| *other != id && covered(other, *times));
        twins.filter_map(|(other, _)| self.get(other)).filter(|memory| may_retire(memory)).collect()
    }

    pub(super) fn all_sources(&self) -> impl Iterator<Item = &'a str> {
        self.named_by.keys().copied()
    }

    /// Was a pattern of these episodes taken away? Half of them say so, so that new experience is not lost with it.
    pub(super) fn is_retired(&self, cases: &[&Case]) -> bool {
        let gone = cases.iter().filter(|case| self.retired.contains(case.id())).count();
        gone > 0 && 2 * gone >= cases.len().min(2 * NAMING)
    }

    /// The pattern that was made from these episodes: by its name, or because it says so.
    pub(super) fn of(&self, cases: &[&Case], scope: Scope, reader: &mut CaseReader<'_>) -> Option<&'a Arc<Memory>> {
        let named = names(cases, scope).find_map(|id| self.get(&id)).filter(|memory| is_ours(memory));
        if named.is_some() {
            return named;
        }
        let mut shared: BTreeMap<&MemoryId, usize> = BTreeMap::new();
        for id in cases.iter().filter_map(|case| self.named_by.get(case.id())).flatten() {
            *shared.entry(id).or_default() += 1;
        }
        let mut found: Vec<(usize, &MemoryId)> = shared.into_iter().map(|(id, times)| (times, id)).collect();
        found.sort_by(|(times, id), (other_times, other)| other_times.cmp(times).then(id.cmp(other)));
        let memories = || found.iter().filter_map(|(times, id)| Some((*times, self.get(id)?)));
        let ours = memories().find(|(_, memory)| is_ours(memory)).map(|(_, memory)| memory);
        ours.or_else(|| {
            memories()
                .find(|(times, memory)| {
                    // A list that names everything is about nothing.
                    let named = self.sources.get(&memory.id).map_or(0, BTreeSet::len);
                    2 * times >= named && is_about(memory, cases, reader)
                })
                .map(|(_, memory)| memory)
        })
    }
}

/// Is the pattern about the work of these episodes?
fn is_about(memory: &Memory, cases: &[&Case], reader: &mut CaseReader<'_>) -> bool {
    let said = body_of(memory).map_or(memory.text.as_str(), |pattern| pattern.pattern.as_str());
    let said = super::words::head(said, 400).to_owned();
    let stems: Vec<u32> = {
        let words = reader.words.of(&said);
        let telling = words.iter().filter(|word| !is_generic(&word.stem));
        telling.filter_map(|word| reader.stems.known(&word.stem)).collect()
    };
    let speaks = |case: &&Case| case.stems.iter().any(|(stem, _)| stems.contains(stem));
    let speaking = cases.iter().filter(|case| speaks(case)).count();
    if 2 * speaking >= cases.len() {
        return true;
    }
    let meaning = reader.meaning(&said);
    let like = |case: &&&Case| {
        let both = meaning.as_ref().zip(case.meaning.as_ref());
        both.and_then(|(a, b)| cosine(a, b)).is_some_and(|cosine| cosine >= ABOUT_THE_SAME)
    };
    2 * cases.iter().filter(like).count() >= cases.len()
}

/// The names the pattern of these episodes may have, after the oldest of them.
pub(super) fn names(cases: &[&Case], scope: Scope) -> impl Iterator<Item = MemoryId> {
    cases.iter().take(NAMING).map(move |case| name(case.id(), scope))
}

/// Made from the episode that began it, so that the same experience has the same name everywhere and every night.
fn name(founder: &str, scope: Scope) -> MemoryId {
    let mut hasher = blake3::Hasher::new();
    for part in ["learn", scope.as_str(), founder] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let hex = hasher.finalize().to_hex();
    MemoryId::new(&format!("{}-{}", Kind::Pattern.id_prefix(), &hex[..12])).expect("made of a prefix and hex digits")
}

/// What a search among all memories finds for a lesson nobody has noted.
pub(super) enum Like<'a> {
    Nothing,
    /// This says it already.
    Found(&'a Arc<Memory>),
    /// It was said and is no longer held to be true, or may not be touched.
    Closed,
}

impl<'a> KnownLessons<'a> {
    /// The remembered pattern that says what the lesson says.
    pub(super) fn like(
        &self,
        lesson: &Memory,
        scene: &Scene<'_>,
        limits: &Limits,
        reader: &mut CaseReader<'_>,
    ) -> Like<'a> {
        for (memory, cosine) in scene.around.near(lesson, limits.neighbours) {
            let pattern = memory.kind == Kind::Pattern && memory.scope == lesson.scope;
            if !pattern || cosine < limits.same || !leans_alike(lesson, &memory, reader) {
                continue;
            }
            return self.get(&memory.id).map_or(Like::Closed, Like::Found);
        }
        Like::Nothing
    }
}

/// Do both say to do it? `Avoid the cache` is near `use the cache` and means the opposite.
pub(super) fn leans_alike(lesson: &Memory, other: &Memory, reader: &mut CaseReader<'_>) -> bool {
    const AGAINST: &[&str] = &["avoid", "never", "do not", "don't", "stop ", "beware"];
    let start = super::words::head(other.text.trim_start(), 40).to_lowercase();
    if AGAINST.iter().any(|word| start.starts_with(word)) {
        return false;
    }
    let (Some(ours), Some(theirs)) = (body_of(lesson), body_of(other)) else { return true };
    if theirs.category.replace('_', "-") == "anti-pattern" {
        return false;
    }
    let mut likeness = |a: &str, b: &str| {
        let (a, b) = (reader.meaning(a)?, reader.meaning(b)?);
        cosine(&a, &b)
    };
    let cut = |text: &str| super::words::head(text, 400).to_owned();
    let (right, right_there, wrong_there) =
        (cut(&ours.correct_approach), cut(&theirs.correct_approach), cut(&theirs.incorrect_approach));
    match (likeness(&right, &right_there), likeness(&right, &wrong_there)) {
        (Some(same), Some(opposite)) => same >= opposite,
        (None, Some(opposite)) => opposite < ABOUT_THE_SAME,
        _ => true,
    }
}

pub(super) fn body_of(memory: &Memory) -> Option<&Pattern> {
    match &memory.body {
        Body::Pattern(pattern) => Some(pattern),
        _ => None,
    }
}

/// Did a night make it?
pub(super) fn is_ours(memory: &Memory) -> bool {
    memory.actor.as_deref() == Some(ACTOR) && memory.source != Source::User
}

/// Are the words still those of a night? Then the next may find better ones.
pub(super) fn words_are_ours(memory: &Memory) -> bool {
    let made = |pattern: &Pattern| {
        pattern.pattern == sentence(&pattern.conditions, &pattern.correct_approach, &pattern.incorrect_approach)
            && memory.text == render::text_of(&memory.body)
    };
    is_ours(memory) && body_of(memory).is_some_and(made)
}

/// May another pattern take its place? Not when somebody found it worth a tier or words of their own.
pub(super) fn may_retire(memory: &Memory) -> bool {
    words_are_ours(memory) && memory.tier == Tier::Reference
}

/// The words of a lesson in a memory.
pub(super) fn set_words(memory: &mut Memory, lesson: &Lesson) {
    let sources = body_of(memory).map(|pattern| pattern.source_episodes.clone()).unwrap_or_default();
    let pattern = Pattern { source_episodes: sources, ..lesson.pattern.clone() };
    memory.body = Body::Pattern(Box::new(pattern));
    memory.text = render::text_of(&memory.body);
    memory.title = render::title_of(&memory.body);
}
