//! Along the links: from the best matches to what they are tied to, up to three steps, fainter with every step; and
//! from what was replaced to what replaced it.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use lokid_index::Snapshot;
use lokid_model::{Key, Memory, MemoryId, Namespace, Relation};

const DEEPEST: usize = 3;
/// What is left of a score after each step.
const STEP: f64 = 0.5;
/// Fainter than this it is not worth the way.
const FAINTEST: f64 = 0.03;
/// Memories that are looked at from one start.
const MOST_SEEN: usize = 512;
/// Links of one memory that are followed.
const MOST_LINKS: usize = 64;
/// Who has more links than this says less about each.
const FEW_LINKS: f64 = 8.0;

/// How a memory was reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival {
    pub strength: f64,
    /// The last link of the way.
    pub relation: Relation,
    pub from: MemoryId,
}

/// Everything that can be reached from the starts, each with the strongest of the shortest ways from each start. Starts
/// themselves are reached from each other, never from themselves.
/// No way leads through a memory that is not `admitted`.
pub fn spread(
    snapshot: &Snapshot,
    starts: &[(Key, f64)],
    admitted: impl Fn(&Memory) -> bool,
) -> BTreeMap<Key, Arrival> {
    let mut reached: BTreeMap<Key, Arrival> = BTreeMap::new();
    for (start, strength) in starts {
        let mut seen = HashSet::from([start.id.clone()]);
        let mut here = BTreeMap::from([(start.clone(), *strength)]);
        for _ in 0..DEEPEST {
            let next = one_step(snapshot, &here, &mut seen, &admitted);
            here = next.iter().map(|(key, arrival)| (key.clone(), arrival.strength)).collect();
            for (key, arrival) in next {
                let known = reached.entry(key).or_insert_with(|| arrival.clone());
                if known.strength < arrival.strength {
                    *known = arrival;
                }
            }
        }
    }
    reached
}

/// Whom one more link leads to, of those not seen yet.
fn one_step(
    snapshot: &Snapshot,
    here: &BTreeMap<Key, f64>,
    seen: &mut HashSet<MemoryId>,
    admitted: &impl Fn(&Memory) -> bool,
) -> BTreeMap<Key, Arrival> {
    let mut next: BTreeMap<Key, Arrival> = BTreeMap::new();
    for (key, strength) in here {
        let ties: Vec<(&MemoryId, Relation)> = snapshot.tied_to(key).take(MOST_LINKS).collect();
        let strength = strength * STEP * voice(ties.len());
        for (other, relation) in ties {
            let other = at(&key.namespace, other);
            // Whom everybody is tied to says little about any of them.
            let strength = strength * bond(relation);
            if strength < FAINTEST {
                continue;
            }
            let strength = strength * voice(snapshot.tied_to(&other).take(MOST_LINKS).count());
            if strength < FAINTEST {
                continue;
            }
            let arrival = || Arrival { strength, relation, from: key.id.clone() };
            if seen.contains(&other.id) {
                if let Some(known) = next.get_mut(&other).filter(|known| known.strength < strength) {
                    *known = arrival();
                }
            } else if seen.len() <= MOST_SEEN {
                seen.insert(other.id.clone());
                if snapshot.get(&other).is_some_and(|memory| admitted(memory)) {
                    next.insert(other, arrival());
                }
            }
        }
    }
    next
}

/// How much of a memory reaches each it is tied to, by the links that are followed.
fn voice(links: usize) -> f64 {
    (1.0 + (links as f64 / FEW_LINKS).ln().max(0.0)).recip()
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
    use lokid_model::{Change, Kind, Link, Timestamp};

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
            let link = Link { namespace, from, to, relation: *relation, strength: 1.0, created_at: at, inline: false };
            snapshot.apply(&Change::Link(link));
        }
        snapshot
    }

    #[test]
    fn everybody_is_reached_three_steps_far_and_not_through_those_left_out() {
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
    fn ties_are_the_links_and_in_their_order() {
        use Relation::{DerivedFrom, RelatedTo, Supports};
        let snapshot =
            tied(&[("b", Supports, "a"), ("a", RelatedTo, "d"), ("c", DerivedFrom, "a"), ("a", DerivedFrom, "b")]);
        let here = key("a");
        let other = |link: &Arc<Link>| if link.from == here.id { link.to.clone() } else { link.from.clone() };
        let links: Vec<_> = snapshot.links_of(&here).into_iter().map(|link| (other(link), link.relation)).collect();
        let ties: Vec<_> = snapshot.tied_to(&here).map(|(other, relation)| (other.clone(), relation)).collect();
        assert_eq!((links.len(), &links), (4, &ties));
    }

    #[test]
    fn of_two_ways_that_are_equally_long_the_stronger_counts() {
        use Relation::{DerivedFrom, RelatedTo};
        let snapshot =
            tied(&[("a", DerivedFrom, "b"), ("a", DerivedFrom, "c"), ("b", RelatedTo, "x"), ("c", DerivedFrom, "x")]);
        let reached = spread(&snapshot, &[(key("a"), 0.8)], |_| true);
        assert_eq!(reached[&key("x")], Arrival { strength: 0.2, relation: DerivedFrom, from: key("c").id });
    }

    #[test]
    fn who_has_many_links_says_little_about_each_and_no_way_is_gone_for_what_is_too_faint() {
        let crowd: Vec<String> = (0..40).flat_map(|near| (0..10).map(move |far| format!("{near:02}-{far}"))).collect();
        let mut links = Vec::new();
        for name in &crowd {
            links.push((&name[..2], Relation::RelatedTo, name.as_str()));
            links.push(("start", Relation::DerivedFrom, &name[..2]));
        }
        let snapshot = tied(&links);
        let strength = |from: f64| {
            let reached = spread(&snapshot, &[(key("start"), from)], |_| true);
            let of = |name: &str| reached.get(&key(name)).map_or(0.0, |arrival| (arrival.strength * 1e3).round());
            (reached.len(), of("00"), of("00-0"))
        };
        // 40 links: 1 / (1 + ln 5), and 11 of each they lead to: 1 / (1 + ln 11/8), on arriving and on going on.
        assert_eq!(strength(1.0), (440, 145.0, 33.0));
        assert_eq!(strength(0.5), (40, 73.0, 0.0));
        assert_eq!(strength(0.1), (0, 0.0, 0.0));
    }
}
