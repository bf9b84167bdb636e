//! Memories in the order of every listing: newest first, then by key. They stand there themselves, so that whoever goes
//! through a listing looks nothing up.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::ops::Bound::{Excluded, Included, Unbounded};
use std::sync::Arc;

use imbl::OrdSet;

use lokid_model::{Key, Memory, Timestamp};

#[derive(Clone, Debug, Default)]
pub(super) struct Dated(OrdSet<Entry>);

impl Dated {
    /// All at once, for a start.
    pub(super) fn of<'a>(memories: impl Iterator<Item = &'a Arc<Memory>>) -> Dated {
        Dated(memories.map(Entry::of).collect())
    }

    pub(super) fn add(&mut self, memory: &Arc<Memory>) {
        self.0.insert(Entry::of(memory));
    }

    pub(super) fn remove(&mut self, memory: &Memory) {
        self.0.remove(memory as &dyn Placed);
    }

    pub(super) fn newest(&self) -> impl Iterator<Item = &Arc<Memory>> {
        self.0.iter().map(|entry| &entry.memory)
    }

    /// From just behind that one on.
    pub(super) fn behind<'a>(&'a self, last: &(Timestamp, Key)) -> impl Iterator<Item = &'a Arc<Memory>> + use<'a> {
        self.0.range::<_, dyn Placed + '_>((Excluded(last as &dyn Placed), Unbounded)).map(|entry| &entry.memory)
    }

    /// Those created before a moment.
    pub(super) fn before(&self, moment: Timestamp) -> impl Iterator<Item = &Arc<Memory>> {
        let since = self.0.range::<_, dyn Placed + '_>((Included(&moment as &dyn Placed), Unbounded));
        since.skip_while(move |entry| entry.at >= moment).map(|entry| &entry.memory)
    }
}

#[derive(Clone, Debug)]
struct Entry {
    at: Timestamp,
    memory: Arc<Memory>,
}

impl Entry {
    fn of(memory: &Arc<Memory>) -> Entry {
        Entry { at: memory.times.created_at, memory: Arc::clone(memory) }
    }
}

/// What has a place in the order. Who it is tells only between those of one moment: it lies elsewhere in memory.
trait Placed {
    fn at(&self) -> Timestamp;

    fn name(&self) -> (&str, &str);
}

fn order(one: &(impl Placed + ?Sized), other: &(impl Placed + ?Sized)) -> Ordering {
    other.at().cmp(&one.at()).then_with(|| one.name().cmp(&other.name()))
}

impl Placed for Entry {
    fn at(&self) -> Timestamp {
        self.at
    }

    fn name(&self) -> (&str, &str) {
        self.memory.name()
    }
}

impl Placed for Memory {
    fn at(&self) -> Timestamp {
        self.times.created_at
    }

    fn name(&self) -> (&str, &str) {
        (self.namespace.as_str(), self.id.as_str())
    }
}

impl Placed for (Timestamp, Key) {
    fn at(&self) -> Timestamp {
        self.0
    }

    fn name(&self) -> (&str, &str) {
        (self.1.namespace.as_str(), self.1.id.as_str())
    }
}

/// Before everybody of that moment.
impl Placed for Timestamp {
    fn at(&self) -> Timestamp {
        *self
    }

    fn name(&self) -> (&str, &str) {
        ("", "")
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> Ordering {
        order(self, other)
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Entry {}

impl<'a> Borrow<dyn Placed + 'a> for Entry {
    fn borrow(&self) -> &(dyn Placed + 'a) {
        self
    }
}

impl Ord for dyn Placed + '_ {
    fn cmp(&self, other: &Self) -> Ordering {
        order(self, other)
    }
}

impl PartialOrd for dyn Placed + '_ {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for dyn Placed + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for dyn Placed + '_ {}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::{Kind, MemoryId};

    fn memory(id: &str, at: i64) -> Arc<Memory> {
        Arc::new(Memory::new(MemoryId::new(id).unwrap(), Kind::Note, id, Timestamp::from_micros(at)))
    }

    fn ids<'a>(found: impl Iterator<Item = &'a Arc<Memory>>) -> String {
        found.map(|memory| memory.id.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_newest_come_first_from_whichever_place_on() {
        let all = [memory("b", 5), memory("a", 5), memory("c", 9), memory("d", 1)];
        let mut one_by_one = Dated::default();
        all.iter().for_each(|memory| one_by_one.add(memory));
        for mut dated in [one_by_one, Dated::of(all.iter())] {
            assert_eq!(ids(dated.newest()), "c a b d");
            assert_eq!(ids(dated.behind(&(all[1].times.created_at, all[1].key()))), "b d");
            assert_eq!(ids(dated.behind(&(Timestamp::from_micros(7), all[3].key()))), "a b d");
            assert_eq!(ids(dated.before(Timestamp::from_micros(5))), "d");
            assert_eq!(ids(dated.before(Timestamp::from_micros(6))), "a b d");
            dated.remove(&all[0]);
            assert_eq!(ids(dated.newest()), "c a d");
        }
    }
}
