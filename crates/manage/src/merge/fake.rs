//! A small world for tests: memories, links and contradictions that proposals are applied to, and neighbours by words.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::plan::{Around, Proposal, Scene};
use lokid_model::link::LinkKey;
use lokid_model::{Change, Contradiction, Kind, Link, Memory, MemoryId, Relation, Timestamp, Usage};

pub(crate) const DAY: i64 = 86_400_000_000;

pub(crate) fn id(text: &str) -> MemoryId {
    MemoryId::new(text).unwrap()
}

pub(crate) fn memory(name: &str, kind: Kind, text: &str) -> Memory {
    Memory::new(id(name), kind, text, Timestamp::from_micros(100 * DAY))
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct World {
    pub(crate) memories: BTreeMap<MemoryId, Arc<Memory>>,
    pub(crate) links: BTreeMap<LinkKey, Arc<Link>>,
    pub(crate) contradictions: BTreeMap<String, Arc<Contradiction>>,
    pub(crate) now: Timestamp,
}

impl World {
    pub(crate) fn of(memories: impl IntoIterator<Item = Memory>) -> World {
        let memories = memories.into_iter().map(|memory| (memory.id.clone(), Arc::new(memory))).collect();
        World { memories, now: Timestamp::from_micros(1_000 * DAY), ..World::default() }
    }

    pub(crate) fn link(&mut self, from: &str, relation: Relation, to: &str, strength: f64) {
        let (namespace, created_at) = (Default::default(), self.now);
        let link = Link { namespace, from: id(from), to: id(to), relation, strength, created_at, inline: false };
        self.links.insert(link.key(), Arc::new(link));
    }

    pub(crate) fn get(&self, name: &str) -> &Memory {
        &self.memories[name]
    }

    /// Which links stand, as `from relation to`.
    pub(crate) fn ties(&self) -> BTreeSet<String> {
        self.links.values().map(|link| format!("{} {} {}", link.from, link.relation, link.to)).collect()
    }

    pub(crate) fn holding(&self) -> Vec<&str> {
        let holding = self.memories.values().filter(|memory| crate::plan::holds(memory, self.now));
        holding.map(|memory| memory.id.as_str()).collect()
    }

    pub(crate) fn with<T>(&self, near: &Neighbours, look: impl FnOnce(&Scene<'_>) -> T) -> T {
        let memories: Vec<_> = self.memories.values().cloned().collect();
        let links: Vec<_> = self.links.values().cloned().collect();
        let contradictions: Vec<_> = self.contradictions.values().cloned().collect();
        look(&Scene {
            now: self.now,
            memories: &memories,
            links: &links,
            contradictions: &contradictions,
            archived: &[],
            around: near,
        })
    }

    pub(crate) fn plan(&self, planner: &dyn Fn(&Scene<'_>) -> Vec<Proposal>) -> Vec<Proposal> {
        self.with(&Neighbours::of(self), |scene| planner(scene))
    }

    /// What is stored must be what the proposal was made from.
    pub(crate) fn apply(&mut self, proposal: &Proposal) {
        assert!(!proposal.changes.is_empty() && !proposal.why.is_empty(), "{proposal:?}");
        for change in &proposal.changes {
            match change {
                Change::Put { before, after } => {
                    assert_eq!(self.memories.get(&after.id), before.as_ref());
                    self.memories.insert(after.id.clone(), Arc::clone(after));
                }
                Change::Link(link) => {
                    assert!(link.from != link.to, "{link:?}");
                    assert!(self.memories.contains_key(&link.from) && self.memories.contains_key(&link.to), "{link:?}");
                    self.links.insert(link.key(), Arc::new(link.clone()));
                }
                Change::Unlink(link) => assert!(self.links.remove(&link.key()).is_some(), "{link:?}"),
                Change::Contradict(found) => {
                    self.contradictions.insert(found.id.clone(), Arc::new(found.clone()));
                }
                other => panic!("{other:?}"),
            }
        }
    }

    /// Plans and applies, in as many rounds as a night has; then another look must find nothing.
    pub(crate) fn night(&mut self, planner: &dyn Fn(&Scene<'_>) -> Vec<Proposal>) -> Vec<Proposal> {
        const ROUNDS: usize = 3;
        let mut all = Vec::new();
        for _ in 0..ROUNDS {
            let proposals = self.plan(planner);
            assert_eq!(proposals, self.plan(planner), "the same twice");
            proposals.iter().for_each(|proposal| self.apply(proposal));
            all.extend(proposals);
        }
        assert_eq!(self.plan(planner), Vec::new(), "a fixed point");
        all
    }
}

/// Memories that share words are near: the cosine of their sets of words.
pub(crate) struct Neighbours {
    words: HashMap<MemoryId, (Arc<Memory>, Vec<u32>)>,
    holders: Vec<Vec<MemoryId>>,
    /// Only these are fresh; all, if there is no list.
    pub(crate) fresh: Option<BTreeSet<MemoryId>>,
    /// What was counted beside the files.
    pub(crate) counted: BTreeMap<MemoryId, Usage>,
    pub(crate) asked: Cell<usize>,
    /// The night is over after this many looks at the clock.
    pub(crate) patience: Cell<usize>,
}

impl Neighbours {
    pub(crate) fn of(world: &World) -> Neighbours {
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut holders: Vec<Vec<MemoryId>> = Vec::new();
        let mut words = HashMap::new();
        for memory in world.memories.values() {
            let mut own: Vec<u32> = Vec::new();
            for word in memory.text.to_lowercase().split(|letter: char| !letter.is_alphanumeric()) {
                if !word.is_empty() {
                    let next = numbers.len() as u32;
                    own.push(*numbers.entry(word.to_owned()).or_insert(next));
                }
            }
            own.sort_unstable();
            own.dedup();
            holders.resize(numbers.len(), Vec::new());
            own.iter().for_each(|word| holders[*word as usize].push(memory.id.clone()));
            words.insert(memory.id.clone(), (Arc::clone(memory), own));
        }
        let (counted, asked, patience) = (BTreeMap::new(), Cell::new(0), Cell::new(usize::MAX));
        Neighbours { words, holders, fresh: None, counted, asked, patience }
    }
}

impl Around for Neighbours {
    fn usage(&self, memory: &Memory) -> Usage {
        let mut usage = Usage::clone(&memory.usage);
        if let Some(more) = self.counted.get(&memory.id) {
            usage.loaded += more.loaded;
            usage.referenced += more.referenced;
        }
        usage
    }

    fn near(&self, memory: &Memory, most: usize) -> Vec<(Arc<Memory>, f32)> {
        self.asked.set(self.asked.get() + 1);
        let Some((_, own)) = self.words.get(&memory.id) else { return Vec::new() };
        let mut rare: Vec<&Vec<MemoryId>> = own.iter().map(|word| &self.holders[*word as usize]).collect();
        rare.sort_by_key(|holders| holders.len());
        let found: BTreeSet<&MemoryId> =
            rare.iter().take(4).flat_map(|holders| holders.iter().take(400)).filter(|id| **id != memory.id).collect();
        let cosine = |theirs: &Vec<u32>| {
            let common = own.iter().filter(|word| theirs.binary_search(word).is_ok()).count();
            (common as f64 / ((own.len() * theirs.len()) as f64).sqrt()) as f32
        };
        let mut near: Vec<(Arc<Memory>, f32)> = found
            .into_iter()
            .map(|id| &self.words[id])
            .map(|(one, theirs)| (Arc::clone(one), cosine(theirs)))
            .collect();
        near.sort_by(|(one, near), (other, far)| far.total_cmp(near).then(one.id.cmp(&other.id)));
        near.truncate(most);
        near
    }

    fn fingerprint(&self, error: &str) -> String {
        error.chars().filter(|letter| !letter.is_ascii_digit()).collect()
    }

    fn is_fresh(&self, memory: &Memory) -> bool {
        self.fresh.as_ref().is_none_or(|fresh| fresh.contains(&memory.id))
    }

    fn is_free(&self, id: &MemoryId) -> bool {
        !self.words.contains_key(id)
    }

    fn is_over(&self) -> bool {
        let left = self.patience.get();
        self.patience.set(left.saturating_sub(1));
        left == 0
    }
}
