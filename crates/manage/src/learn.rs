//! Episodes become patterns: what happened twice and ended well is worth knowing the third time. Episodes of the same
//! work are found together, what those that ended well share becomes a sentence, and how sure it is comes from counting.
//!
//! A pattern is made when its evidence suffices; until then nothing is stored and the next night counts again. A pattern
//! that is there, whoever wrote it, gains the evidence instead of a twin, and loses certainty when the evidence turns.
//! Nothing is ever taken away here, and words that are not a night's own are never touched.

mod approach;
mod case;
mod deed;
mod entry;
mod group;
mod hooks;
mod known;
mod lesson;
mod likeness;
#[cfg(test)]
mod tests;
mod words;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use self::case::{Case, CaseReader, newest, when};
use self::entry::{Entries, Entry, Lot};
use self::group::group;
use self::known::{ACTOR, KnownLessons, Like, body_of, is_ours, leans_alike, names, set_words, words_are_ours};
use self::lesson::Lesson;
use self::likeness::cosine;
use super::plan::{Act, Phase, Proposal, Scene, archive, create, holds, revise, tie};
use lokid_model::{Body, Change, Kind, Memory, MemoryId, Rare, Relation, Scope, Source, Status};

/// How much evidence is asked for, and how much is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Fewer episodes teach nothing.
    pub episodes: usize,
    /// A pattern is made from here on.
    pub confidence: f64,
    /// Below, somebody else's pattern is no longer believed.
    pub doubt: f64,
    /// Episodes this alike are the same work: 0 to 1.
    pub alike: f32,
    /// Patterns whose meanings are this near say the same.
    pub same: f32,
    /// How many neighbours of a new pattern are looked at.
    pub neighbours: usize,
    /// Episodes named by a pattern, the newest.
    pub sources: usize,
    /// Links from a pattern to its episodes, the oldest.
    pub links: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            episodes: 2,
            confidence: 0.8,
            doubt: 0.5,
            alike: 0.5,
            same: 0.9,
            neighbours: 8,
            sources: 50,
            links: 20,
        }
    }
}

/// What this night would learn from the episodes.
pub fn plan(scene: &Scene<'_>, limits: &Limits) -> Vec<Proposal> {
    let mut proposals = Vec::new();
    // Words never pass from one scope to another.
    for scope in Scope::ALL {
        proposals.extend(Learning { scene, limits, scope: *scope }.proposals());
    }
    proposals
}

struct Learning<'a> {
    scene: &'a Scene<'a>,
    limits: &'a Limits,
    scope: Scope,
}

impl<'a> Learning<'a> {
    fn is_evidence(&self, memory: &Memory) -> bool {
        memory.kind == Kind::Episode
            && memory.scope == self.scope
            && memory.status == Status::Asserted
            && !memory.restricted
            && holds(memory, self.scene.now)
    }

    fn proposals(&self) -> Vec<Proposal> {
        let mut episodes: Vec<&Arc<Memory>> =
            self.scene.memories.iter().filter(|memory| self.is_evidence(memory)).collect();
        if episodes.is_empty() {
            return Vec::new();
        }
        // Whose clock was wrong comes last: it may join, and never decides where others belong.
        episodes.sort_by_key(|memory| (when(memory).is_none(), when(memory), &memory.id));
        let known = KnownLessons::new(self.scene, self.scope);
        let mut reader = CaseReader::new(self.scene.around, &episodes);
        let mut cases: Vec<Case> = Vec::with_capacity(episodes.len());
        for memory in episodes {
            if cases.len().is_multiple_of(256) && self.scene.around.is_over() {
                return Vec::new();
            }
            cases.push(reader.read(memory));
        }
        let past = self.past(&known, &mut reader);
        let Some(groups) = group(&cases, &reader, self.limits.alike, self.scene.around) else { return Vec::new() };
        let mut entries = Entries::default();
        for group in groups {
            let members: Vec<&Case> = group.members.iter().map(|at| &cases[*at]).collect();
            let lot = Lot { cohesion: (group.cohesion(), members.len()), cases: members };
            match known.of(&lot.cases, self.scope, &mut reader) {
                Some(memory) => {
                    entries.give(memory, lot);
                }
                None if tasks_of(&lot.cases) >= self.limits.episodes => entries.list.push(Entry::new(None, lot)),
                None => {}
            }
        }
        let entries = self.compared(entries, &known, &mut reader);
        // What gains evidence tonight is not retired tonight, and nothing is retired twice.
        let mut settled: BTreeSet<&MemoryId> =
            entries.iter().filter_map(|entry| entry.pattern.map(|known| &known.id)).collect();
        let mut proposals = Vec::new();
        for mut entry in entries {
            if self.scene.around.is_over() {
                return proposals;
            }
            let Some(memory) = entry.pattern else {
                proposals.extend(self.make(&entry.lot, &reader));
                continue;
            };
            let living: BTreeSet<&str> = entry.lot.cases.iter().map(|case| case.id()).collect();
            let gone = known.sources(&memory.id).filter(|source| !living.contains(source));
            let gone: Vec<&Case> = gone.filter_map(|source| past.get(source)).collect();
            entry.lot.cases.extend(gone);
            proposals.extend(self.strengthen(memory, &entry.lot, &living, &known, &reader));
            if is_ours(memory) {
                entry.twins.extend(known.twins(&memory.id, &entry.lot.cases));
                entry.twins.retain(|twin| settled.insert(&twin.id));
                proposals.extend(entry.twins.into_iter().map(|twin| self.retire(twin, memory)));
            }
        }
        proposals
    }

    /// Archived episodes that a pattern comes from: they still count for it, though they teach nothing new.
    fn past(&self, known: &KnownLessons<'_>, reader: &mut CaseReader<'_>) -> HashMap<String, Case> {
        let named: BTreeSet<&str> = known.all_sources().collect();
        let archived = self.scene.archived.iter().map(|archived| &archived.memory);
        let evidence = archived.filter(|memory| named.contains(memory.id.as_str()) && self.is_evidence(memory));
        evidence.map(|memory| (memory.id.as_str().to_owned(), reader.read(memory))).collect()
    }

    /// What says the same becomes one entry: two lessons of this night, or one of this night and a pattern somebody
    /// has noted. What is not sure enough to be noted is left out.
    fn compared<'b, 'k>(
        &self,
        entries: Entries<'b, 'k>,
        known: &KnownLessons<'k>,
        reader: &mut CaseReader<'_>,
    ) -> Vec<Entry<'b, 'k>> {
        let mut ready = Entries::default();
        let mut alike: HashMap<String, Vec<usize>> = HashMap::new();
        for entry in entries.list {
            let others = entry.pattern.is_some_and(|memory| !words_are_ours(memory));
            let lesson = entry.lot.lesson(reader).filter(|lesson| lesson.confidence >= self.limits.confidence);
            let Some(lesson) = lesson.filter(|_| !others && !self.scene.around.is_over()) else {
                if let Some(memory) = entry.pattern {
                    ready.give(memory, entry.lot);
                }
                continue;
            };
            if let Some(memory) = entry.pattern.filter(|memory| ready.places.contains_key(&memory.id)) {
                ready.give(memory, entry.lot);
                continue;
            }
            if let Some(twin) = self.twin(&lesson, &entry, &ready, &alike, reader) {
                ready.unite(twin, entry);
                continue;
            }
            let at = match entry.pattern {
                Some(memory) => ready.give(memory, entry.lot),
                None if known.is_retired(&entry.lot.cases) => continue,
                None => {
                    let Some(memory) = self.pattern(&entry.lot, &lesson) else { continue };
                    match known.like(&memory, self.scene, self.limits, reader) {
                        Like::Found(memory) => ready.give(memory, entry.lot),
                        Like::Closed => continue,
                        Like::Nothing => {
                            ready.list.push(entry);
                            ready.list.len() - 1
                        }
                    }
                }
            };
            ready.list[at].lesson = Some(lesson.clone());
            hooks(&lesson).for_each(|hook| alike.entry(hook).or_default().push(at));
        }
        ready.list
    }

    /// The entry before this one that says the same.
    fn twin(
        &self,
        lesson: &Lesson,
        entry: &Entry<'_, '_>,
        ready: &Entries<'_, '_>,
        alike: &HashMap<String, Vec<usize>>,
        reader: &mut CaseReader<'_>,
    ) -> Option<usize> {
        const LOOKED_AT: usize = 32;
        let hung = hooks(lesson).filter_map(|hook| alike.get(&hook)).flat_map(|at| at.iter().take(LOOKED_AT).copied());
        let near: BTreeSet<usize> = hung.collect();
        let memory = self.draft(&entry.lot, lesson)?;
        let meaning = reader.meaning(&lesson.pattern.pattern);
        near.into_iter().find(|at| {
            let other = &ready.list[*at];
            let Some(other_lesson) = other.lesson.as_ref().filter(|_| other.may_unite(entry)) else { return false };
            let theirs = reader.meaning(&other_lesson.pattern.pattern);
            let cosine = meaning.as_ref().zip(theirs).and_then(|(ours, theirs)| cosine(ours, &theirs));
            cosine.is_some_and(|cosine| cosine >= self.limits.same)
                && self.draft(&other.lot, other_lesson).is_some_and(|other| leans_alike(&memory, &other, reader))
        })
    }

    fn make(&self, lot: &Lot<'_>, reader: &CaseReader<'_>) -> Option<Proposal> {
        let lesson = lot.lesson(reader).filter(|lesson| lesson.confidence >= self.limits.confidence)?;
        let memory = self.pattern(lot, &lesson)?;
        let living = lot.cases.iter().map(|case| case.id()).collect();
        let links = self.links(&memory, lot, &living, &BTreeSet::new());
        let about: Vec<MemoryId> =
            self.oldest_first(lot).map(|case| case.memory.id.clone()).take(self.limits.links).collect();
        let mut changes = vec![create(memory.clone())];
        changes.extend(links);
        Some(Proposal::new(Phase::Learn, Act::PatternCreated, &memory, lesson.why, changes).with(about))
    }

    /// The pattern a lesson becomes, unless it was made before and taken away.
    fn pattern(&self, lot: &Lot<'_>, lesson: &Lesson) -> Option<Memory> {
        let free = names(&lot.cases, self.scope).all(|name| self.scene.around.is_free(&name));
        self.draft(lot, lesson).filter(|memory| free && !self.scene.around.is_buried(memory))
    }

    fn draft(&self, lot: &Lot<'_>, lesson: &Lesson) -> Option<Memory> {
        let id = names(&lot.cases, self.scope).next()?;
        let mut memory = Memory::new(id, Kind::Pattern, "", newest(&lot.cases, self.scene.now));
        memory.namespace = lot.cases.first()?.memory.namespace.clone();
        memory.scope = self.scope;
        memory.source = self.source(lot);
        memory.actor = Some(ACTOR.to_owned());
        memory.tags = vec!["learnt".to_owned()];
        memory.confidence = lesson.confidence;
        memory.anchors.files = lesson.files.clone();
        set_words(&mut memory, lesson);
        set_sources(&mut memory, self.sources(&[], lot, true));
        Some(memory)
    }

    /// What only tools and logs have told stays hearsay.
    fn source(&self, lot: &Lot<'_>) -> Source {
        let last = lot.cases.iter().max_by_key(|case| case.order()).map(|case| case.memory.source);
        let heard = lot.cases.iter().all(|case| case.memory.source.is_hearsay());
        last.filter(|_| heard).unwrap_or(Source::Agent)
    }

    /// What a pattern that is there gains, or loses.
    fn strengthen(
        &self,
        memory: &Arc<Memory>,
        lot: &Lot<'_>,
        living: &BTreeSet<&str>,
        known: &KnownLessons<'_>,
        reader: &CaseReader<'_>,
    ) -> Option<Proposal> {
        let ours = is_ours(memory);
        let lesson = lot.lesson(reader);
        let listed = body_of(memory).map_or(&[][..], |pattern| &pattern.source_episodes);
        let sources = self.sources(listed, lot, ours);
        let linked: BTreeSet<&str> = known.sources(&memory.id).collect();
        let news = lot.cases.iter().filter(|case| !linked.contains(case.id())).count();
        let seen_anew = lot.cases.iter().any(|case| self.scene.around.is_fresh(&case.memory));
        let has_news = if body_of(memory).is_some() { sources != listed } else { news > 0 };
        let change = revise(memory, self.scene.now, |memory| {
            let words = lesson.as_ref().filter(|_| words_are_ours(memory) && (has_news || seen_anew));
            let before = memory.text.clone();
            if let Some(lesson) = words {
                set_words(memory, lesson);
                memory.shorter = if memory.text == before { memory.shorter.clone() } else { Rare::default() };
            }
            let has_news = has_news || memory.text != before;
            set_sources(memory, sources);
            if has_news {
                memory.confidence = self.confidence(memory, lot, lesson.as_ref());
                if ours && let Some(lesson) = &lesson {
                    let files = &mut memory.anchors.files;
                    let room = lesson.files.len().max(files.len());
                    let new: Vec<String> = lesson.files.iter().filter(|file| !files.contains(file)).cloned().collect();
                    files.extend(new);
                    files.truncate(room);
                }
            }
        });
        let links = self.links(memory, lot, living, &known.linked(&memory.id));
        let act = if change.is_some() { Act::PatternUpdated } else { Act::Linked };
        let changes: Vec<Change> = change.into_iter().chain(links).collect();
        let counted = lesson.map_or_else(|| "none of its episodes ended well".to_owned(), |lesson| lesson.why);
        let why = format!("{news} more episodes of {}: {counted}", lot.cases.len());
        let new = self.oldest_first(lot).filter(|case| !linked.contains(case.id())).map(|case| case.memory.id.clone());
        let about: Vec<MemoryId> = new.take(self.limits.links).collect();
        (!changes.is_empty()).then(|| Proposal::new(Phase::Learn, act, memory, why, changes).with(about))
    }

    /// Two lessons of ours from what turned out to be one line of work: its episodes speak for the other now.
    fn retire(&self, twin: &Arc<Memory>, kept: &Memory) -> Proposal {
        let why = format!("the same episodes taught {} and {}", kept.id, twin.id);
        let change = archive(twin, self.scene.now, &format!("its episodes are evidence for {}", kept.id));
        Proposal::new(Phase::Learn, Act::Deduped, twin, why, vec![change]).with([kept.id.clone()])
    }

    /// Counted anew for a pattern of ours. What others wrote was known otherwise too: it rises with good evidence and
    /// sinks with bad, but what a person wrote never sinks.
    fn confidence(&self, memory: &Memory, lot: &Lot<'_>, lesson: Option<&Lesson>) -> f64 {
        let old = memory.confidence;
        let heard = lot.cases.iter().any(|case| case.end != case::End::Open);
        match lesson.map(|lesson| lesson.confidence) {
            Some(counted) if is_ours(memory) => counted,
            None if is_ours(memory) && heard => 0.0,
            Some(counted) if counted >= self.limits.confidence => old.max(counted),
            Some(counted) if counted < self.limits.doubt && memory.source != Source::User => old.min(counted),
            _ => old,
        }
    }

    fn oldest_first<'b>(&self, lot: &Lot<'b>) -> impl Iterator<Item = &'b Case> + use<'b> {
        let mut cases = lot.cases.clone();
        cases.sort_by_key(|case| case.order());
        cases.into_iter()
    }

    /// The episodes a pattern names: those it named and those of the lot, the newest where there are too many.
    fn sources(&self, listed: &[String], lot: &Lot<'_>, sorted: bool) -> Vec<String> {
        let times: HashMap<&str, Option<i64>> =
            lot.cases.iter().map(|case| case.order()).map(|(at, id)| (id, at)).collect();
        let mut seen = BTreeSet::new();
        let all = listed.iter().map(String::as_str).chain(self.oldest_first(lot).map(|case| case.id()));
        let mut all: Vec<&str> = all.filter(|id| seen.insert(*id)).collect();
        if sorted || all.len() > self.limits.sources {
            // What lives no more counts as oldest.
            all.sort_by_key(|id| (times.contains_key(id), times.get(id).copied().flatten(), *id));
        }
        all[all.len().saturating_sub(self.limits.sources)..].iter().map(|id| (*id).to_owned()).collect()
    }

    fn links(&self, memory: &Memory, lot: &Lot<'_>, living: &BTreeSet<&str>, linked: &BTreeSet<&str>) -> Vec<Change> {
        let room = self.limits.links.saturating_sub(linked.len());
        let new = self.oldest_first(lot).filter(|case| living.contains(case.id()) && !linked.contains(case.id()));
        new.take(room).map(|case| tie(memory, Relation::DerivedFrom, &case.memory.id, 1.0, self.scene.now)).collect()
    }
}

/// How many different tasks: one that was tried again is evidence for itself alone.
fn tasks_of(cases: &[&Case]) -> usize {
    cases.iter().map(|case| case.task.as_str()).collect::<BTreeSet<_>>().len()
}

/// Where a lesson that says the same would be found.
fn hooks(lesson: &Lesson) -> impl Iterator<Item = String> {
    let approach = lesson.pattern.correct_approach.split(" (").next().unwrap_or("").to_owned();
    lesson.pattern.conditions.iter().cloned().chain([approach]).collect::<Vec<_>>().into_iter()
}

fn set_sources(memory: &mut Memory, sources: Vec<String>) {
    if let Body::Pattern(pattern) = &mut memory.body {
        pattern.source_episodes = sources;
    }
}
