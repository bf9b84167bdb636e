//! Memories that belong to one occasion: same namespace, same tag, same day, and not too many of them. The turns of
//! one conversation, the notes of one meeting, the steps of one session: each tells something about its neighbours.

use std::sync::Arc;

use super::roster::Number;
use lokid_model::Memory;

/// More than this is a topic, not an occasion.
const MOST: usize = 512;

/// Names an occasion without keeping its words.
type Name = u64;

/// A member in the order of its occasions: by time, then by id with its numbers read as numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Member {
    at: i64,
    order: Box<str>,
    ord: Number,
}

#[derive(Clone, Debug)]
struct Seat {
    member: Arc<Member>,
    names: Box<[Name]>,
}

#[derive(Clone, Debug)]
enum Group {
    Circle(Vec<Arc<Member>>),
    /// Too many to be one occasion: only their number is kept.
    Crowd(usize),
}

#[derive(Clone, Debug, Default)]
pub struct Occasions {
    groups: imbl::HashMap<Name, Arc<Group>>,
    seats: imbl::HashMap<Number, Arc<Seat>>,
}

impl Occasions {
    pub(super) fn add(&mut self, ord: Number, memory: &Memory) {
        if memory.tags.is_empty() {
            return;
        }
        let mut names: Vec<Name> = memory.tags.iter().map(|tag| name(memory, tag)).collect();
        names.sort_unstable();
        names.dedup();
        let at = memory.times.created_at.as_micros();
        let member = Arc::new(Member { at, order: natural(memory.id.as_str()).into(), ord });
        for name in &names {
            let group = self.groups.entry(*name).or_insert_with(|| Arc::new(Group::Circle(Vec::new())));
            let group = Arc::make_mut(group);
            match group {
                Group::Circle(members) if members.len() == MOST => *group = Group::Crowd(MOST + 1),
                Group::Circle(members) => {
                    let at = members.partition_point(|other| *other < member);
                    members.insert(at, Arc::clone(&member));
                }
                Group::Crowd(count) => *count += 1,
            }
        }
        self.seats.insert(ord, Arc::new(Seat { member, names: names.into() }));
    }

    pub(super) fn remove(&mut self, ord: Number) {
        let Some(seat) = self.seats.remove(&ord) else { return };
        for name in &seat.names {
            let Some(group) = self.groups.get_mut(name) else { continue };
            let group = Arc::make_mut(group);
            match group {
                Group::Circle(members) => members.retain(|member| member.ord != ord),
                Group::Crowd(count) if *count > MOST + 1 => *count -= 1,
                Group::Crowd(_) => {
                    let seated = self.seats.values().filter(|seat| seat.names.contains(name));
                    let mut members: Vec<Arc<Member>> = seated.map(|seat| Arc::clone(&seat.member)).collect();
                    members.sort();
                    *group = Group::Circle(members);
                }
            }
            if matches!(group, Group::Circle(members) if members.is_empty()) {
                self.groups.remove(name);
            }
        }
    }

    /// Is it part of any occasion?
    pub fn is_seated(&self, ord: Number) -> bool {
        self.seats.contains_key(&ord)
    }

    /// Everyone of the closest circle `ord` is part of, in order, and its own place there.
    pub fn circle(&self, ord: Number) -> Option<(Vec<Number>, usize)> {
        let circles = self.seats.get(&ord)?.names.iter().filter_map(|name| match self.groups.get(name)?.as_ref() {
            Group::Circle(members) if members.len() > 1 => Some((members, *name)),
            _ => None,
        });
        let (members, _) = circles.min_by_key(|(members, name)| (members.len(), *name))?;
        let place = members.iter().position(|member| member.ord == ord)?;
        Some((members.iter().map(|member| member.ord).collect(), place))
    }
}

fn name(memory: &Memory, tag: &str) -> Name {
    let mut hasher = blake3::Hasher::new();
    for part in [memory.namespace.as_str(), tag, &memory.times.created_at.day()] {
        hasher.update(part.as_bytes());
        hasher.update(b"\0");
    }
    let mut short = [0; 8];
    short.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(short)
}

/// Numbers inside are made equally wide: `d1-10` follows `d1-9`.
fn natural(id: &str) -> String {
    let mut order = String::with_capacity(id.len() + 8);
    let mut digits = String::new();
    for letter in id.chars().chain(std::iter::once('\0')) {
        if letter.is_ascii_digit() {
            digits.push(letter);
            continue;
        }
        if !digits.is_empty() {
            order.push_str(&format!("{digits:0>8}"));
            digits.clear();
        }
        order.push(letter);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::{Kind, MemoryId, Timestamp};

    fn turn(id: &str, day: i64, tags: &[&str]) -> Memory {
        let at = Timestamp::from_micros(day * 86_400_000_000);
        let mut memory = Memory::new(MemoryId::new(id).unwrap(), Kind::Note, "x", at);
        memory.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        memory
    }

    #[test]
    fn turns_of_one_session_stand_in_the_order_of_their_numbers() {
        let mut occasions = Occasions::default();
        for (ord, id) in ["d1-10", "d1-2", "d1-1"].iter().enumerate() {
            occasions.add(ord as Number, &turn(id, 3, &["session-1"]));
        }
        occasions.add(9, &turn("d2-1", 4, &["session-1"]));
        assert_eq!(occasions.circle(0), Some((vec![2, 1, 0], 2)));
        assert_eq!(occasions.circle(9), None, "alone on its day");
    }

    #[test]
    fn a_crowd_is_no_occasion_until_it_has_dwindled() {
        let mut occasions = Occasions::default();
        for ord in 0..=MOST as Number {
            occasions.add(ord, &turn(&format!("n-{ord}"), 1, &["rust"]));
        }
        assert_eq!(occasions.circle(5), None);
        occasions.remove(7);
        let (members, place) = occasions.circle(5).unwrap();
        assert_eq!((members.len(), place), (MOST, 5));
        assert!(!members.contains(&7));
    }

    #[test]
    fn the_closest_circle_wins() {
        let mut occasions = Occasions::default();
        for ord in 0..6 {
            let tags: &[&str] = if ord < 2 { &["wide", "close"] } else { &["wide"] };
            occasions.add(ord, &turn(&format!("n-{ord}"), 1, tags));
        }
        assert_eq!(occasions.circle(0), Some((vec![0, 1], 0)));
    }
}
