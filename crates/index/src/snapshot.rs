//! The immutable snapshot. One writer makes the next from the last; readers keep the one they took as long as they
//! like. Everything in it shares structure with its predecessor, so taking or making one costs next to nothing.

mod dated;
mod disputes;
mod graves;

use std::sync::Arc;

use dated::Dated;
use imbl::{OrdMap, OrdSet};

use super::places::{Place, Places, plain_path};
use super::topics::Topics;
use lokid_model::link::LinkKey;
use lokid_model::{
    Archived, Change, Contradiction, Key, Kind, Link, Memory, MemoryId, Namespace, Neighbour, Problem, Relation, Tier,
    Timestamp, Tombstone, token,
};
use lokid_sys::thread;

/// What makes two facts be about the same thing.
pub type Slot = (Namespace, lokid_model::Scope, String, String);

#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    version: u64,
    memories: OrdMap<Key, Arc<Memory>>,
    by_time: Dated,
    /// Of the kinds that are listed; notes and facts are too many.
    by_kind: [Dated; Kind::ALL.len()],
    /// Mandates and guardrails; as reference, what is outstanding without binding.
    pressing: [Dated; Tier::ALL.len()],
    places: Places,
    topics: Topics,
    by_fingerprint: OrdMap<[u8; 16], Arc<Memory>>,
    by_slot: OrdMap<Slot, Vec<Key>>,
    archived: OrdMap<Key, Arc<Archived>>,
    links: OrdMap<LinkKey, Arc<Link>>,
    /// The other end of each link, so that both directions are a range.
    backlinks: OrdSet<LinkKey>,
    contradictions: OrdMap<(Namespace, String), Arc<Contradiction>>,
    /// Those of them that nobody settled yet.
    open: OrdSet<(Namespace, String)>,
    /// Under each of the two that cannot both hold.
    disputes: OrdSet<(Key, String)>,
    tombstones: OrdMap<Key, Tombstone>,
    buried: OrdSet<[u8; 16]>,
    kinds: [usize; Kind::ALL.len()],
    namespaces: OrdMap<Namespace, usize>,
    tokens: u64,
    problems: Arc<Vec<Problem>>,
    neighbours: OrdMap<Namespace, Arc<Neighbour>>,
    /// Taught by the repository itself: in no file of the memory.
    derived: OrdSet<Key>,
}

impl Snapshot {
    /// Rises with every change; two snapshots of the same number are the same.
    pub fn version(&self) -> u64 {
        self.version
    }

    pub fn get(&self, key: &Key) -> Option<&Arc<Memory>> {
        self.memories.get(key)
    }

    pub fn len(&self) -> usize {
        self.memories.len()
    }

    pub fn is_empty(&self) -> bool {
        self.memories.is_empty()
    }

    /// In the order of their keys.
    pub fn memories(&self) -> impl Iterator<Item = &Arc<Memory>> {
        self.memories.values()
    }

    /// Newest first, from just behind `after` on.
    pub fn newest(&self, after: Option<(Timestamp, Key)>) -> impl Iterator<Item = &Arc<Memory>> {
        let (all, behind) = match &after {
            None => (Some(self.by_time.newest()), None),
            Some(last) => (None, Some(self.by_time.behind(last))),
        };
        all.into_iter().flatten().chain(behind.into_iter().flatten())
    }

    /// Those created before a moment, newest first.
    pub fn newest_before(&self, moment: Timestamp) -> impl Iterator<Item = &Arc<Memory>> {
        self.by_time.before(moment)
    }

    /// The memories of a kind in a namespace, newest first: of every kind but notes and facts.
    pub fn latest(&self, kind: Kind, namespace: &Namespace) -> impl Iterator<Item = &Arc<Memory>> {
        self.by_kind[kind as usize].newest().filter(move |memory| memory.namespace == *namespace)
    }

    /// What binds in a namespace: mandates, then guardrails, the newest of each first.
    pub fn binding(&self, namespace: &Namespace) -> impl Iterator<Item = &Arc<Memory>> {
        self.of_tiers(namespace, &[Tier::Mandate, Tier::Guardrail])
    }

    /// Gotchas and what is most important, without what binds; the newest first.
    pub fn outstanding(&self, namespace: &Namespace) -> impl Iterator<Item = &Arc<Memory>> {
        self.of_tiers(namespace, &[Tier::Reference])
    }

    fn of_tiers(&self, namespace: &Namespace, tiers: &'static [Tier]) -> impl Iterator<Item = &Arc<Memory>> {
        let all = tiers.iter().flat_map(|tier| self.pressing[*tier as usize].newest());
        all.filter(move |memory| memory.namespace == *namespace)
    }

    /// Newest first, of every namespace.
    pub fn anchored_to<'a>(&'a self, path: &'a str) -> impl Iterator<Item = &'a Arc<Memory>> {
        self.places.at(Place::File(plain_path(path)))
    }

    /// Anchored to a file that stands directly in this folder. Newest first, of every namespace.
    pub fn anchored_in<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a Arc<Memory>> {
        self.places.at(Place::Folder(plain_path(folder)))
    }

    /// Newest first, of every namespace.
    pub fn anchored_to_symbol<'a>(&'a self, symbol: &'a str) -> impl Iterator<Item = &'a Arc<Memory>> {
        self.places.at(Place::Symbol(symbol))
    }

    /// What was learnt about a failure of this fingerprint. Newest first, of every namespace.
    pub fn about_failure<'a>(&'a self, fingerprint: &'a str) -> impl Iterator<Item = &'a Arc<Memory>> {
        self.places.at(Place::Failure(fingerprint))
    }

    pub fn topics(&self) -> &Topics {
        &self.topics
    }

    pub fn same_as(&self, fingerprint: &[u8; 16]) -> Option<&Arc<Memory>> {
        self.by_fingerprint.get(fingerprint)
    }

    /// The facts about one slot, in the order they were learnt.
    pub fn facts_of(&self, slot: &Slot) -> impl Iterator<Item = &Arc<Memory>> {
        self.by_slot.get(slot).into_iter().flatten().filter_map(|key| self.memories.get(key))
    }

    pub fn archived(&self, key: &Key) -> Option<&Arc<Archived>> {
        self.archived.get(key)
    }

    pub fn all_archived(&self) -> impl Iterator<Item = &Arc<Archived>> {
        self.archived.values()
    }

    pub fn tombstone(&self, key: &Key) -> Option<&Tombstone> {
        self.tombstones.get(key)
    }

    /// Was a memory that said this purged?
    pub fn is_buried(&self, fingerprint: &[u8; 16]) -> bool {
        self.buried.contains(fingerprint)
    }

    pub fn link(&self, key: &LinkKey) -> Option<&Arc<Link>> {
        self.links.get(key)
    }

    pub fn link_count(&self) -> usize {
        self.links.len()
    }

    pub fn links(&self) -> impl Iterator<Item = &Arc<Link>> {
        self.links.values()
    }

    /// Every link that starts or ends here, in a stable order.
    pub fn links_of(&self, key: &Key) -> Vec<&Arc<Link>> {
        let back = self.links_to(key).filter_map(|link| {
            let (namespace, to, relation, from) = link.clone();
            self.links.get(&(namespace, from, relation, to))
        });
        self.links_from(key).map(|(_, link)| link).chain(back).collect()
    }

    /// The other ends of these links and what they are tied by, in the same order.
    pub fn tied_to(&self, key: &Key) -> impl Iterator<Item = (&MemoryId, Relation)> {
        let out = self.links_from(key).map(|(link, _)| link);
        out.chain(self.links_to(key)).map(|(_, _, relation, other)| (other, *relation))
    }

    fn links_from(&self, key: &Key) -> impl Iterator<Item = (&LinkKey, &Arc<Link>)> {
        self.links.range(first_link(key)..).take_while(|(link, _)| is_link_of(link, key))
    }

    /// Turned round: the end before the start.
    fn links_to(&self, key: &Key) -> impl Iterator<Item = &LinkKey> {
        self.backlinks.range(first_link(key)..).take_while(|link| is_link_of(link, key))
    }

    pub fn count(&self, kind: Kind) -> usize {
        self.kinds[kind as usize]
    }

    /// Of all memories at full length.
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    pub fn neighbour(&self, namespace: &Namespace) -> Option<&Arc<Neighbour>> {
        self.neighbours.get(namespace)
    }

    /// Every namespace that holds something.
    pub fn namespaces(&self) -> Vec<Namespace> {
        let mut found: Vec<Namespace> = self.neighbours.keys().chain(self.namespaces.keys()).cloned().collect();
        found.push(Namespace::default());
        found.sort();
        found.dedup();
        found
    }

    pub fn set_problems(&mut self, problems: Vec<Problem>) {
        if *self.problems != problems {
            self.problems = Arc::new(problems);
            self.version += 1;
        }
    }

    /// Is this taught by the repository itself, and in no file of the memory?
    pub fn is_derived(&self, key: &Key) -> bool {
        self.derived.contains(key)
    }

    /// As it would be without what the repository teaches by itself.
    pub fn without_derived(&self) -> Snapshot {
        let mut own = self.clone();
        own.apply_all(&self.derived.iter().cloned().map(Change::Vanished).collect::<Vec<_>>());
        own
    }

    /// What the repository taught by itself.
    pub fn derived(&self) -> impl Iterator<Item = &Arc<Memory>> {
        self.derived.iter().filter_map(|key| self.memories.get(key))
    }

    pub fn derived_count(&self) -> usize {
        self.derived.len()
    }

    pub fn set_derived(&mut self, key: &Key, derived: bool) {
        if derived {
            self.derived.insert(key.clone());
        } else {
            self.derived.remove(key);
        }
    }

    pub fn set_neighbour(&mut self, namespace: Namespace, neighbour: Neighbour) {
        if self.neighbours.get(&namespace).is_none_or(|known| **known != neighbour) {
            self.neighbours.insert(namespace, Arc::new(neighbour));
            self.version += 1;
        }
    }

    /// Many changes at once, as a start brings them: what can be reckoned per memory is reckoned on all cores.
    pub fn apply_all(&mut self, changes: &[Change]) {
        let reckon = |part: &[Change]| -> Vec<Option<Digest>> {
            part.iter().map(|change| change.memory().map(|memory| Digest::of(memory))).collect()
        };
        let digests: Vec<Option<Digest>> =
            thread::in_parts(changes, DIGESTS_APIECE, |_| true, reckon).into_iter().flatten().collect();
        if self.memories.is_empty() && self.fill(changes, &digests) {
            return;
        }
        for (change, digest) in changes.iter().zip(digests) {
            match (change, digest) {
                (Change::Put { after, .. }, Some(digest)) => {
                    self.version += 1;
                    self.put(after, digest);
                }
                _ => self.apply(change),
            }
        }
    }

    /// The quick way into an empty snapshot: nothing has to make room, and the two halves are built side by side.
    /// Answers whether it could be taken.
    fn fill(&mut self, changes: &[Change], digests: &[Option<Digest>]) -> bool {
        let puts: Vec<(&Arc<Memory>, Key, &Digest)> = changes
            .iter()
            .zip(digests)
            .filter_map(|(change, digest)| match (change, digest) {
                (Change::Put { after, .. }, Some(digest)) => Some((after, after.key(), digest)),
                _ => None,
            })
            .collect();
        if puts.len() != changes.len() || !self.archived.is_empty() || !self.tombstones.is_empty() {
            return false;
        }
        let ((memories, places), (by_time, by_fingerprint)) = thread::both(
            || {
                let memories = puts.iter().map(|(memory, key, _)| (key.clone(), Arc::clone(memory)));
                (memories.collect::<OrdMap<_, _>>(), Places::of(puts.iter().map(|(memory, _, _)| *memory)))
            },
            || {
                let prints = puts.iter().map(|(memory, _, digest)| (digest.fingerprint, Arc::clone(memory)));
                (Dated::of(puts.iter().map(|(memory, _, _)| *memory)), prints.collect::<OrdMap<_, _>>())
            },
        );
        if memories.len() != puts.len() {
            return false;
        }
        (self.memories, self.by_time, self.by_fingerprint) = (memories, by_time, by_fingerprint);
        self.places = places;
        self.version += changes.len() as u64;
        for (memory, key, digest) in puts {
            self.count_in(memory, key, digest);
        }
        true
    }

    /// Cannot fail: what is decided and durable is so.
    pub fn apply(&mut self, change: &Change) {
        self.version += 1;
        match change {
            Change::Put { after, .. } => self.put(after, Digest::of(after)),
            Change::Archive(entry) => {
                self.take(&entry.memory.key());
                self.archived.insert(entry.memory.key(), Arc::clone(entry));
            }
            Change::Restore(entry) => self.put(&entry.memory, Digest::of(&entry.memory)),
            Change::Purge(tombstone) => self.bury(tombstone),
            Change::Link(link) => self.tie(link),
            Change::Unlink(link) => self.untie(&link.key()),
            Change::Contradict(found) => self.dispute(found),
            Change::Write(_) => {}
            Change::Vanished(key) => {
                self.take(key);
            }
        }
    }

    /// A purged memory stays away even when a merge brings its file back.
    fn put(&mut self, memory: &Arc<Memory>, digest: Digest) {
        let key = memory.key();
        if self.tombstones.contains_key(&key) {
            return;
        }
        self.take(&key);
        self.archived.remove(&key);
        self.by_time.add(memory);
        self.by_fingerprint.insert(digest.fingerprint, Arc::clone(memory));
        self.memories.insert(key.clone(), Arc::clone(memory));
        self.places.add(memory);
        self.count_in(memory, key, &digest);
    }

    /// What follows from a memory being there, besides finding it.
    fn count_in(&mut self, memory: &Arc<Memory>, key: Key, digest: &Digest) {
        self.kinds[memory.kind as usize] += 1;
        *self.namespaces.entry(memory.namespace.clone()).or_insert(0) += 1;
        self.tokens += digest.tokens;
        self.topics.add(memory, digest.tokens);
        if let Some(slot) = slot_of(memory) {
            let mut keys = self.by_slot.get(&slot).cloned().unwrap_or_default();
            keys.push(key);
            self.by_slot.insert(slot, keys);
        }
        if let Some(tier) = memory.presses() {
            self.pressing[tier as usize].add(memory);
        }
        if is_listed(memory.kind) {
            self.by_kind[memory.kind as usize].add(memory);
        }
    }

    fn take(&mut self, key: &Key) -> Option<Arc<Memory>> {
        let old = self.memories.remove(key)?;
        if is_listed(old.kind) {
            self.by_kind[old.kind as usize].remove(&old);
        }
        if let Some(tier) = old.presses() {
            self.pressing[tier as usize].remove(&old);
        }
        self.places.remove(&old);
        self.by_time.remove(&old);
        let Digest { fingerprint, tokens } = Digest::of(&old);
        if self.by_fingerprint.get(&fingerprint).is_some_and(|first| Arc::ptr_eq(first, &old)) {
            self.by_fingerprint.remove(&fingerprint);
        }
        if let Some(slot) = slot_of(&old) {
            let mut keys = self.by_slot.get(&slot).cloned().unwrap_or_default();
            keys.retain(|other| other != key);
            if keys.is_empty() {
                self.by_slot.remove(&slot);
            } else {
                self.by_slot.insert(slot, keys);
            }
        }
        self.kinds[old.kind as usize] -= 1;
        match self.namespaces.get(&key.namespace).copied().unwrap_or(0) {
            0 | 1 => self.namespaces.remove(&key.namespace),
            count => self.namespaces.insert(key.namespace.clone(), count - 1),
        };
        self.tokens -= tokens;
        self.topics.remove(&old, tokens);
        Some(old)
    }

    fn tie(&mut self, link: &Link) {
        let (namespace, from, relation, to) = link.key();
        self.backlinks.insert((namespace.clone(), to.clone(), relation, from.clone()));
        self.links.insert((namespace, from, relation, to), Arc::new(link.clone()));
    }

    fn untie(&mut self, key: &LinkKey) {
        let (namespace, from, relation, to) = key.clone();
        self.links.remove(key);
        self.backlinks.remove(&(namespace, to, relation, from));
    }
}

/// What is reckoned from a memory's text alone.
struct Digest {
    fingerprint: [u8; 16],
    tokens: u64,
}

/// Below this a thread costs more than it saves.
const DIGESTS_APIECE: usize = 4096;

impl Digest {
    fn of(memory: &Memory) -> Digest {
        Digest { fingerprint: memory.fingerprint(), tokens: token::estimate(&memory.text) as u64 }
    }
}

pub fn slot_of(memory: &Memory) -> Option<Slot> {
    let fact = memory.fact().filter(|fact| !fact.key.is_empty())?;
    Some((memory.namespace.clone(), memory.scope, fact.key.clone(), fact.scope.clone()))
}

fn is_listed(kind: Kind) -> bool {
    !matches!(kind, Kind::Note | Kind::Fact)
}

fn first_link(key: &Key) -> LinkKey {
    (key.namespace.clone(), key.id.clone(), Relation::ALL[0], lowest_id())
}

fn is_link_of(link: &LinkKey, key: &Key) -> bool {
    link.0 == key.namespace && link.1 == key.id
}

fn lowest_id() -> MemoryId {
    MemoryId::foreign(" ").expect("a blank is printable")
}
