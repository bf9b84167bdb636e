//! Along the links: from the best matches to what they are tied to, up to three steps, fainter with every step; and
//! from what was replaced to what replaced it.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap, HashSet};
use std::sync::Arc;

use crate::index::Snapshot;
use crate::model::{Key, Link, Memory, MemoryId, Namespace, Relation};

const DEEPEST: usize = 3;
/// What is left of a score after each step.
const STEP: f64 = 0.5;
/// Fainter than this nothing is followed.
const FAINTEST: f64 = 1e-3;
/// Memories that are looked at for one question, the most strongly tied first.
const MOST_SEEN: usize = 64;
/// Links of one memory that are followed.
const MOST_LINKS: usize = 64;

/// How a memory was reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival {
    pub strength: f64,
    /// The last link of the way.
    pub relation: Relation,
    pub from: MemoryId,
}

/// Everything that can be reached from the starts, each with its strongest arrival. Starts themselves are reached
/// from each other, never from themselves.
/// No way leads through a memory that is not `admitted`.
pub fn spread(
    snapshot: &Snapshot,
    starts: &[(Key, f64)],
    admitted: impl Fn(&Memory) -> bool,
) -> BTreeMap<Key, Arrival> {
    let mut reached: BTreeMap<Key, Arrival> = BTreeMap::new();
    let mut seen: HashSet<(usize, Key)> = HashSet::new();
    let begin = |(start, (key, strength)): (usize, &(Key, f64))| Way {
        start,
        key: key.clone(),
        strength: *strength,
        last: None,
        depth: 0,
    };
    let mut ways: BinaryHeap<Way> = starts.iter().enumerate().map(begin).collect();
    let mut left = MOST_SEEN + starts.len();
    while left > 0
        && let Some(Way { start, key, strength, depth, last }) = ways.pop()
    {
        if !seen.insert((start, key.clone())) {
            continue;
        }
        if last.is_some() && !snapshot.get(&key).is_some_and(|memory| admitted(memory)) {
            continue;
        }
        left -= 1;
        if depth < DEEPEST {
            for link in snapshot.links_of(&key).into_iter().take(MOST_LINKS) {
                let (other, relation) = other_end(link, &key);
                let strength = strength * STEP * bond(relation);
                if strength >= FAINTEST {
                    let last = Some((relation, key.id.clone()));
                    ways.push(Way { start, key: other, strength, last, depth: depth + 1 });
                }
            }
        }
        // The strongest comes first.
        if let Some((relation, from)) = last {
            reached.entry(key).or_insert(Arrival { strength, relation, from });
        }
    }
    reached
}

/// Where a walk has come to.
struct Way {
    start: usize,
    key: Key,
    strength: f64,
    /// The last link, and the memory it was followed from.
    last: Option<(Relation, MemoryId)>,
    depth: usize,
}

/// The strongest is the greatest; among equals the order is always the same.
impl Ord for Way {
    fn cmp(&self, other: &Way) -> Ordering {
        let by_strength = self.strength.total_cmp(&other.strength);
        by_strength.then_with(|| (other.depth, other.start, &other.key).cmp(&(self.depth, self.start, &self.key)))
    }
}

impl PartialOrd for Way {
    fn partial_cmp(&self, other: &Way) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Way {
    fn eq(&self, other: &Way) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Way {}

/// What a replaced memory was replaced by, in the end.
pub fn successor(snapshot: &Snapshot, replaced: &Key) -> Option<Arc<Memory>> {
    let mut key = replaced.clone();
    let mut found = None;
    for _ in 0..16 {
        let next = snapshot.links_of(&key).into_iter().find_map(|link| match link.relation {
            Relation::SupersededBy if link.from == key.id => Some(at(&link.namespace, &link.to)),
            Relation::Supersedes if link.to == key.id => Some(at(&link.namespace, &link.from)),
            _ => None,
        });
        match next.and_then(|next| snapshot.get(&next)) {
            Some(memory) => {
                key = memory.key();
                found = Some(Arc::clone(memory));
            }
            None => break,
        }
    }
    found.filter(|memory| memory.key() != *replaced)
}

fn other_end(link: &Link, key: &Key) -> (Key, Relation) {
    let other = if link.from == key.id { &link.to } else { &link.from };
    (at(&link.namespace, other), link.relation)
}

fn at(namespace: &Namespace, id: &MemoryId) -> Key {
    Key { namespace: namespace.clone(), id: id.clone() }
}

/// How much one end of a link says about the other.
fn bond(relation: Relation) -> f64 {
    match relation {
        Relation::DerivedFrom | Relation::Elaborates | Relation::Supersedes | Relation::SupersededBy => 1.0,
        Relation::Supports | Relation::ExampleOf => 0.9,
        Relation::Contradicts => 0.8,
        Relation::RelatedTo => 0.6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Change, Kind, Timestamp};

    fn key(name: &str) -> Key {
        Key::new(&Namespace::default(), &MemoryId::new(name).unwrap())
    }

    fn tied(links: &[(&str, Relation, &str)]) -> Snapshot {
        let at = Timestamp::from_micros(1_000);
        let mut snapshot = Snapshot::default();
        for name in links.iter().flat_map(|(from, _, to)| [from, to]) {
            let after = Arc::new(Memory::new(key(name).id, Kind::Note, *name, at));
            snapshot.apply(&Change::Put { before: None, after });
        }
        for (from, relation, to) in links {
            let (from, to) = (key(from).id, key(to).id);
            let namespace = Namespace::default();
            let link = Link { namespace, from, to, relation: *relation, strength: 1.0, created_at: at };
            snapshot.apply(&Change::Link(link));
        }
        snapshot
    }

    #[test]
    fn everybody_is_reached_on_the_strongest_way_three_steps_far_and_not_through_those_left_out() {
        use Relation::{DerivedFrom, RelatedTo};
        let snapshot = tied(&[
            ("a", RelatedTo, "b"),
            ("c", DerivedFrom, "a"),
            ("b", DerivedFrom, "d"),
            ("d", DerivedFrom, "e"),
            ("e", DerivedFrom, "f"),
            ("c", DerivedFrom, "x"),
            ("x", DerivedFrom, "y"),
        ]);
        let reached = spread(&snapshot, &[(key("a"), 0.8), (key("b"), 0.4)], |memory| memory.id.as_str() != "x");
        let told = |name: &str| reached.get(&key(name)).map(|arrival| (arrival.strength, arrival.from.as_str()));
        assert_eq!(told("a"), Some((0.4 * 0.5 * 0.6, "b")));
        assert_eq!(told("b"), Some((0.8 * 0.5 * 0.6, "a")));
        assert_eq!(told("c"), Some((0.8 * 0.5, "a")));
        assert_eq!(told("d"), Some((0.4 * 0.5, "b")));
        assert_eq!(told("f"), Some((0.4 * 0.125, "e")));
        assert_eq!((told("x"), told("y")), (None, None));
    }

    #[test]
    fn among_very_many_only_the_strongest_are_looked_at() {
        let crowd: Vec<String> = (0..40).flat_map(|near| (0..10).map(move |far| format!("{near:02}-{far}"))).collect();
        let mut links = Vec::new();
        for name in &crowd {
            links.push((&name[..2], Relation::DerivedFrom, name.as_str()));
            links.push(("start", Relation::DerivedFrom, &name[..2]));
        }
        let reached = spread(&tied(&links), &[(key("start"), 1.0)], |_| true);
        assert_eq!(reached.len(), MOST_SEEN);
        assert_eq!(reached.values().filter(|arrival| arrival.strength == 0.5).count(), 40);
    }
}
