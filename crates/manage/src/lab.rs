//! For the tests of this room: a small world whose nights are run by hand.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::plan::{Anchored, Around, Proposal, Scene};
use lokid_model::time::DAY;
use lokid_model::{Archived, Change, Contradiction, Kind, Level, Link, Memory, MemoryId, Relation, Timestamp};

/// Nights are counted from here.
pub(crate) fn day(days: i64) -> Timestamp {
    Timestamp::from_micros((20_000 + days) * DAY)
}

pub(crate) fn id(name: &str) -> MemoryId {
    MemoryId::new(name).unwrap()
}

pub(crate) fn memory(name: &str, kind: Kind, text: &str, created: i64) -> Memory {
    Memory::new(id(name), kind, text, day(created))
}

#[derive(Default)]
pub(crate) struct World {
    pub(crate) memories: BTreeMap<MemoryId, Arc<Memory>>,
    pub(crate) links: Vec<Arc<Link>>,
    pub(crate) contradictions: Vec<Arc<Contradiction>>,
    pub(crate) archived: Vec<Arc<Archived>>,
    pub(crate) gone: BTreeSet<String>,
    pub(crate) changed: BTreeSet<String>,
    pub(crate) lost: BTreeSet<String>,
}

impl World {
    pub(crate) fn of(memories: impl IntoIterator<Item = Memory>) -> World {
        let memories = memories.into_iter().map(|memory| (memory.id.clone(), Arc::new(memory))).collect();
        World { memories, ..World::default() }
    }

    pub(crate) fn get(&self, name: &str) -> &Memory {
        &self.memories[&id(name)]
    }

    pub(crate) fn edit(&mut self, name: &str, change: impl FnOnce(&mut Memory)) {
        change(Arc::make_mut(self.memories.get_mut(&id(name)).unwrap()));
    }

    pub(crate) fn tie(&mut self, from: &str, relation: Relation, to: &str) {
        let (from, to) = (id(from), id(to));
        let namespace = lokid_model::Namespace::default();
        self.links.push(Arc::new(Link {
            namespace,
            from,
            to,
            relation,
            strength: 1.0,
            created_at: day(0),
            inline: false,
        }));
    }

    pub(crate) fn plan(&self, now: Timestamp, planner: impl Fn(&Scene<'_>) -> Vec<Proposal>) -> Vec<Proposal> {
        let memories: Vec<Arc<Memory>> = self.memories.values().cloned().collect();
        let scene = Scene {
            now,
            memories: &memories,
            links: &self.links,
            contradictions: &self.contradictions,
            archived: &self.archived,
            around: self,
        };
        planner(&scene)
    }

    pub(crate) fn apply(&mut self, proposals: &[Proposal]) {
        for change in proposals.iter().flat_map(|proposal| &proposal.changes) {
            match change {
                Change::Put { before, after } => {
                    assert_eq!(self.memories.get(&after.id), before.as_ref(), "made from what is there");
                    self.memories.insert(after.id.clone(), Arc::clone(after));
                }
                Change::Archive(entry) => {
                    let left = self.memories.remove(&entry.memory.id);
                    assert_eq!(left.as_ref(), Some(&entry.memory));
                    self.archived.push(Arc::clone(entry));
                }
                other => panic!("not from these planners: {other:?}"),
            }
        }
    }

    /// Plans, applies, and checks that there is nothing left to propose.
    pub(crate) fn night(&mut self, now: Timestamp, planner: impl Fn(&Scene<'_>) -> Vec<Proposal>) -> Vec<Proposal> {
        let proposals = self.plan(now, &planner);
        assert_eq!(proposals, self.plan(now, &planner), "the same twice");
        self.apply(&proposals);
        let more = self.plan(now, &planner);
        assert!(more.is_empty(), "a night comes to rest: {more:?}");
        proposals
    }
}

impl Around for World {
    fn shorten(&self, memory: &Memory, level: Level) -> String {
        let most = match level {
            Level::Full => usize::MAX,
            Level::Summary => 400,
            Level::Compressed => 160,
            Level::Index => 60,
        };
        memory.text.trim().chars().take(most).collect()
    }

    fn ground(&self, memory: &Memory) -> Anchored {
        let mut ground = Anchored::default();
        for file in &memory.anchors.files {
            let list = if self.gone.contains(file) {
                &mut ground.gone
            } else if self.changed.contains(file) {
                &mut ground.changed
            } else {
                &mut ground.standing
            };
            list.push(file.clone());
        }
        ground.lost_symbols.extend(memory.anchors.symbols.iter().filter(|name| self.lost.contains(*name)).cloned());
        ground
    }

    fn is_free(&self, id: &MemoryId) -> bool {
        !self.memories.contains_key(id)
    }
}
