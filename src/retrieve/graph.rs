//! Along the links: from the best matches to what they are tied to, up to three steps, fainter with every step; and
//! from what was replaced to what replaced it.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;

use crate::index::Snapshot;
use crate::model::{Key, Link, Memory, MemoryId, Namespace, Relation};

const DEEPEST: usize = 3;
/// What is left of a score after each step.
const STEP: f64 = 0.5;
/// Memories that are looked at from one start.
const MOST_SEEN: usize = 512;
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
    for (start, strength) in starts {
        let mut seen = HashSet::from([start.clone()]);
        let mut way = VecDeque::from([(start.clone(), *strength, 0)]);
        while let Some((key, strength, depth)) = way.pop_front() {
            if depth == DEEPEST {
                continue;
            }
            for link in snapshot.links_of(&key).into_iter().take(MOST_LINKS) {
                let (other, relation) = other_end(link, &key);
                let strength = strength * STEP * bond(relation);
                if strength < 1e-3 || seen.len() > MOST_SEEN || !seen.insert(other.clone()) {
                    continue;
                }
                if !snapshot.get(&other).is_some_and(|memory| admitted(memory)) {
                    continue;
                }
                let arrival = Arrival { strength, relation, from: key.id.clone() };
                way.push_back((other.clone(), strength, depth + 1));
                let known = reached.entry(other).or_insert_with(|| arrival.clone());
                if known.strength < arrival.strength {
                    *known = arrival;
                }
            }
        }
    }
    reached
}

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
