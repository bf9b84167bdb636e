//! Memories that the repository teaches by itself, beside those in its files: shown and found like any other, and never
//! written. Whoever changes, archives or purges one makes it a memory of their own; from then on it is left alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::Writer;
use crate::lesson::{Chapter, Lesson};
use lokid_encode::documents::{DocumentKind, which};
use lokid_index::Snapshot;
use lokid_model::{Change, Key, Link, Memory, Namespace, Tier, Timestamp};

/// What each chapter has brought.
#[derive(Default)]
pub(crate) struct Derived {
    chapters: BTreeMap<Chapter, BTreeMap<Key, Arc<Memory>>>,
    links: BTreeMap<Chapter, Vec<Link>>,
    /// What `CONTINUITY.md` says the project is about.
    pub(crate) focus: Option<Value>,
}

impl Derived {
    /// These were written to files: they are nobody's lesson any more.
    pub(crate) fn adopted(&mut self, changes: &[Change], state: &mut Snapshot) {
        if self.chapters.values().all(BTreeMap::is_empty) {
            return;
        }
        for key in changes.iter().flat_map(Change::keys) {
            state.set_derived(&key, false);
            self.chapters.values_mut().for_each(|known| drop(known.remove(&key)));
        }
    }
}

/// Rules that a repository gives to agents warn without anybody's word; whatever else it teaches is there to be read.
fn floor_of(chapter: Chapter, memory: &Memory) -> Tier {
    if chapter == Chapter::Organisation {
        // Only its promoters write there.
        return memory.claimed().tier;
    }
    let path = memory.sources.first().filter(|_| chapter == Chapter::Documents);
    match path.and_then(|path| which(path)) {
        Some(DocumentKind::AgentRules) => Tier::Guardrail,
        _ => Tier::Reference,
    }
}

impl Writer {
    pub(crate) fn take_lesson(&mut self, now: Timestamp, chapter: Chapter, lesson: Lesson) {
        let known = self.derived.chapters.remove(&chapter).unwrap_or_default();
        let mut kept = BTreeMap::new();
        let mut changes = Vec::new();
        for memory in lesson.memories {
            let memory = self.authority.weigh(&memory, floor_of(chapter, &memory));
            let key = memory.key();
            let is_ours = known.contains_key(&key);
            let current = self.state.get(&key);
            let forgotten = self.state.archived(&key).is_some()
                || self.state.tombstone(&key).is_some()
                || self.state.is_buried(&memory.fingerprint());
            // A file's memory of that name, or one that somebody forgot, goes before.
            if forgotten || (current.is_some() && !is_ours) {
                continue;
            }
            if current.is_none_or(|current| **current != *memory) {
                changes.push(Change::Put { before: current.cloned(), after: Arc::clone(&memory) });
            }
            kept.insert(key, memory);
        }
        let gone = known.keys().filter(|key| !kept.contains_key(*key));
        changes.extend(gone.map(|key| Change::Vanished(key.clone())));
        let link = |(from, to, relation)| Link::new(Namespace::default(), from, relation, to, now);
        let there = |link: &Link| {
            let end = |id| Key::new(&link.namespace, id);
            let holds = |key: &Key| kept.contains_key(key) || self.state.get(key).is_some();
            holds(&end(&link.from)) && holds(&end(&link.to))
        };
        let links: Vec<Link> = lesson.links.into_iter().map(link).filter(there).collect();
        let before = self.derived.links.insert(chapter, links.clone()).unwrap_or_default();
        let stays = |old: &Link| links.iter().any(|link| link.key() == old.key());
        changes.extend(before.into_iter().filter(|old| !stays(old)).map(Change::Unlink));
        changes.extend(links.iter().filter(|link| self.state.link(&link.key()).is_none()).cloned().map(Change::Link));
        self.state.apply_all(&changes);
        for key in known.keys() {
            self.state.set_derived(key, false);
        }
        for key in kept.keys() {
            self.state.set_derived(key, true);
        }
        self.derived.chapters.insert(chapter, kept);
        if changes.is_empty() {
            return;
        }
        self.publish();
        self.followers.iter().for_each(|follower| follower.seen(&changes));
        let data = json!({"chapter": chapter.as_str(), "count": changes.len()});
        let data: Map<String, Value> = data.as_object().cloned().unwrap_or_default();
        self.env.feed.tell(now, &self.env.name, "learnt", data);
    }

    /// What was taught, weighed anew: another word on it is known.
    pub(super) fn weigh_derived(&self, memory: &Arc<Memory>) -> Arc<Memory> {
        let key = memory.key();
        let chapter = self.derived.chapters.iter().find(|(_, known)| known.contains_key(&key));
        self.authority.weigh(memory, chapter.map_or(Tier::Reference, |(chapter, _)| floor_of(*chapter, memory)))
    }

    /// The timeline says from now on what the project is about.
    pub(crate) fn set_focus(&mut self, focus: Value) {
        if self.derived.focus.as_ref() == Some(&focus) {
            return;
        }
        self.derived.focus = Some(focus);
        let namespace = Namespace::default();
        let mut neighbour = self.state.neighbour(&namespace).map(|known| known.as_ref().clone()).unwrap_or_default();
        neighbour.active_context.clone_from(&self.derived.focus);
        self.state.set_neighbour(namespace.clone(), neighbour);
        self.layers.namespaces.insert(namespace);
        self.publish();
    }
}
