//! Lessons as changes: made anew, or added to what is there. It must not judge evidence, only keep it within bounds.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::super::made::{self, Roots};
use super::super::plan::{Act, Phase, Proposal, Scene, create, holds, lower_bound, revise};
use super::{Limits, State};
use lokid_model::{AntiPattern, Body, Change, Kind, Learning, Memory, MemoryId, Scope, Source, render};

/// The episodes that show it, newest first.
pub(super) struct Evidence<'a> {
    pub(super) memories: Vec<&'a Arc<Memory>>,
}

pub(super) struct Writer<'s, 'a> {
    scene: &'s Scene<'a>,
    pub(super) limits: &'s Limits,
    roots: Roots<'a>,
    /// One proposal a memory: a second would be made from what the first has changed.
    spoken_of: BTreeSet<MemoryId>,
    proposals: Vec<Proposal>,
}

impl<'s, 'a> Writer<'s, 'a> {
    pub(super) fn new(scene: &'s Scene<'a>, limits: &'s Limits) -> Writer<'s, 'a> {
        let roots = Roots::of(scene.links.iter().map(Arc::as_ref));
        Writer { scene, limits, roots, spoken_of: BTreeSet::new(), proposals: Vec::new() }
    }

    pub(super) fn has_spoken_of(&self, memory: &Memory) -> bool {
        self.spoken_of.contains(&memory.id)
    }

    /// Is there an anti-pattern of the night about this error?
    pub(super) fn knows(&self, (scope, print): &(Scope, String)) -> bool {
        self.scene.get(&made::mint(Kind::AntiPattern, *scope, &[print])).is_some()
    }

    pub(super) fn done(self) -> Vec<Proposal> {
        self.proposals
    }

    pub(super) fn learning(
        &mut self,
        living: Option<&Arc<Memory>>,
        body: Learning,
        confidence: f64,
        evidence: &Evidence<'_>,
        why: String,
    ) {
        let Some(newest) = evidence.memories.first() else { return };
        let id = made::mint(Kind::Learning, newest.scope, &[&body.fingerprint]);
        let Some(living) = self.scene.get(&id).or(living) else {
            let body = Body::Learning(Box::new(body));
            let memory = Memory {
                tags: vec!["error".to_owned(), "resolved".to_owned()],
                importance: 0.55,
                confidence,
                ..self.fresh(id, Kind::Learning, body, evidence)
            };
            return self.make(Act::Learning, memory, evidence, why);
        };
        let is_own = made::is_own(living);
        self.add(Act::Learning, living, evidence, why, |memory| {
            if is_own {
                let error = first_words(memory).unwrap_or(body.error);
                if !body.fix.is_empty() {
                    made::reword(memory, Body::Learning(Box::new(Learning { error, ..body })));
                    memory.confidence = confidence;
                }
            } else if !made::is_a_persons(memory) && !body.fix.is_empty() {
                let old = render::text_of(&memory.body) == memory.text;
                let Body::Learning(learning) = &mut memory.body else { return };
                if learning.fix.is_empty() {
                    learning.fix.clone_from(&body.fix);
                    if old {
                        memory.text = render::text_of(&memory.body);
                    } else if !memory.text.contains(&body.fix) {
                        memory.text.push_str(&format!("\nfix: {}", body.fix));
                    }
                    memory.confidence = memory.confidence.max(confidence);
                }
            }
        });
    }

    pub(super) fn anti_pattern(
        &mut self,
        living: Option<&Arc<Memory>>,
        key: &str,
        (body, state): (AntiPattern, State),
        passed: usize,
        evidence: &Evidence<'_>,
        why: String,
    ) {
        let Some(newest) = evidence.memories.first() else { return };
        let id = made::mint(Kind::AntiPattern, newest.scope, &[key]);
        let failed = evidence.memories.len();
        let Some(living) = self.scene.get(&id).or(living) else {
            let body = Body::AntiPattern(Box::new(body));
            let memory = Memory {
                tags: vec!["error".to_owned(), state.tag().to_owned()],
                importance: 0.6,
                confidence: made::rounded(lower_bound(failed, failed + passed)),
                ..self.fresh(id, Kind::AntiPattern, body, evidence)
            };
            return self.make(Act::AntiPattern, memory, evidence, why);
        };
        let is_own = made::is_own(living);
        let scene = self.scene;
        self.add(Act::AntiPattern, living, evidence, why, |memory| {
            // Episodes that were forgotten since still happened.
            let gone = |id: &&String| MemoryId::foreign(id).is_none_or(|id| scene.get(&id).is_none());
            let failed = failed + if is_own { memory.sources.iter().filter(gone).count() } else { 0 };
            let confidence = made::rounded(lower_bound(failed, failed + passed));
            if is_own {
                let (what_fails, learnt_from) = match &memory.body {
                    Body::AntiPattern(old) => (old.what_fails.clone(), old.learnt_from.clone()),
                    _ => (body.what_fails, body.learnt_from),
                };
                made::reword(memory, Body::AntiPattern(Box::new(AntiPattern { what_fails, learnt_from, ..body })));
                let states = [State::Learnt, State::Open, State::Closed].map(State::tag);
                if let Some(tag) = memory.tags.iter_mut().find(|tag| states.contains(&tag.as_str())) {
                    state.tag().clone_into(tag);
                }
                memory.confidence = confidence;
            } else if !made::is_a_persons(memory) {
                let old = render::text_of(&memory.body) == memory.text;
                if let Body::AntiPattern(anti) = &mut memory.body
                    && anti.prevention.is_empty()
                    && !body.prevention.is_empty()
                {
                    anti.prevention.clone_from(&body.prevention);
                    if old {
                        memory.text = render::text_of(&memory.body);
                    } else if !memory.text.contains(&body.prevention) {
                        memory.text.push_str(&format!("\ninstead: {}", body.prevention));
                    }
                }
                memory.confidence = memory.confidence.max(confidence);
            }
        });
    }

    fn fresh(&self, id: MemoryId, kind: Kind, body: Body, evidence: &Evidence<'_>) -> Memory {
        let newest = evidence.memories[0];
        let mut memory = made::new(id, newest, kind, body, newest.times.created_at, self.scene.now);
        memory.source = made::source_of(evidence.memories.iter().map(|memory| memory.source));
        memory.sources = made::gathered(&[], &evidence.ids(), self.limits.sources, true);
        memory.anchors.files = evidence.files(&[], self.limits.files);
        made::seal(&mut memory);
        memory
    }

    fn make(&mut self, act: Act, memory: Memory, evidence: &Evidence<'_>, why: String) {
        let around = self.scene.around;
        if !around.is_free(&memory.id) || around.is_buried(&memory) || !self.spoken_of.insert(memory.id.clone()) {
            return;
        }
        let ids = evidence.ids();
        let mut changes = vec![create(memory.clone())];
        changes.extend(self.roots.missing(&memory, &ids, self.limits.links, self.scene.now));
        let proposal = Proposal::new(Phase::Errors, act, &memory, why, changes);
        self.proposals.push(proposal.with(ids.into_iter().take(self.limits.links)));
    }

    /// Adds evidence to what is there; `reword` says what becomes of its words.
    fn add(
        &mut self,
        act: Act,
        living: &Arc<Memory>,
        evidence: &Evidence<'_>,
        why: String,
        reword: impl FnOnce(&mut Memory),
    ) {
        // What was taken back stays so, and what is restricted or only heard is left alone.
        let is_open = holds(living, self.scene.now) && made::is_plain(living);
        if !is_open || !self.spoken_of.insert(living.id.clone()) {
            return;
        }
        let (ids, is_own, limits) = (evidence.ids(), made::is_own(living), self.limits);
        let mut changes: Vec<Change> = revise(living, self.scene.now, |memory| {
            memory.sources = made::gathered(&memory.sources, &ids, limits.sources, is_own);
            if is_own {
                memory.anchors.files = evidence.files(&memory.anchors.files, limits.files);
                let found = made::source_of(evidence.memories.iter().map(|memory| memory.source));
                if memory.source.is_hearsay() || (memory.source == Source::Import && found == Source::Agent) {
                    memory.source = if found.is_hearsay() { memory.source } else { found };
                }
            }
            reword(memory);
        })
        .into_iter()
        .collect();
        changes.extend(self.roots.missing(living, &ids, limits.links, self.scene.now));
        if !changes.is_empty() {
            let proposal = Proposal::new(Phase::Errors, act, living, why, changes);
            self.proposals.push(proposal.with(ids.into_iter().take(limits.links)));
        }
    }
}

/// The error as the night first told it: another spelling of it is no news.
fn first_words(memory: &Memory) -> Option<String> {
    match &memory.body {
        Body::Learning(learning) => Some(learning.error.clone()),
        _ => None,
    }
}

impl Evidence<'_> {
    fn ids(&self) -> Vec<MemoryId> {
        self.memories.iter().map(|memory| memory.id.clone()).collect()
    }

    /// Those already known, and those that at least half of the episodes touch.
    fn files(&self, known: &[String], most: usize) -> Vec<String> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for memory in &self.memories {
            let changed = match &memory.body {
                Body::Episode(episode) => episode.files_modified.as_slice(),
                _ => &[],
            };
            let files: BTreeSet<&str> =
                changed.iter().chain(&memory.anchors.files).take(200).map(String::as_str).collect();
            files
                .into_iter()
                .filter(|file| !file.trim().is_empty())
                .for_each(|file| *counts.entry(file).or_default() += 1);
        }
        let mut ranked: Vec<(usize, &str)> = counts.into_iter().map(|(file, count)| (count, file)).collect();
        ranked.retain(|(count, file)| count * 2 >= self.memories.len() && !known.iter().any(|have| have == file));
        ranked.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(other.1)));
        let room = most.saturating_sub(known.len());
        known.iter().cloned().chain(ranked.into_iter().take(room).map(|(_, file)| file.to_owned())).collect()
    }
}
