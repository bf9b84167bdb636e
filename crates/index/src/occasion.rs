//! Memories that belong to one occasion: same namespace, same tag, same day, and not too many of them. The turns of
//! one conversation, the notes of one meeting, the steps of one session: each tells something about its neighbours.

use std::cmp::Ordering;
use std::sync::Arc;

use super::roster::Number;
use lokid_model::{Memory, MemoryId};

/// More than this is a topic, not an occasion.
const MOST: usize = 512;

/// Names an occasion without keeping its words.
type Name = u64;

/// Stands in its occasions by time, then by id with its numbers read as numbers.
#[derive(Clone, Copy, Debug)]
struct Member {
    at: i64,
    ord: Number,
}

#[derive(Clone, Debug)]
struct Seat {
    at: i64,
    id: MemoryId,
    names: Box<[Name]>,
}

#[derive(Clone, Debug)]
enum Group {
    Circle(Vec<Member>),
    /// Too many to be one occasion: only their number is kept.
    Crowd(usize),
}

#[derive(Clone, Debug, Default)]
struct Seats(imbl::Vector<Option<Arc<Seat>>>);

impl Seats {
    fn of(&self, ord: Number) -> Option<&Seat> {
        self.0.get(ord as usize)?.as_deref()
    }

    fn set(&mut self, ord: Number, seat: Seat) {
        while self.0.len() <= ord as usize {
            self.0.push_back(None);
        }
        self.0.set(ord as usize, Some(Arc::new(seat)));
    }

    fn leave(&mut self, ord: Number) -> Option<Arc<Seat>> {
        self.0.get_mut(ord as usize)?.take()
    }

    fn order(&self, one: &Member, other: &Member) -> Ordering {
        let named = |member: &Member| self.of(member.ord).map(|seat| natural(seat.id.as_str()));
        one.at.cmp(&other.at).then_with(|| named(one).cmp(&named(other))).then(one.ord.cmp(&other.ord))
    }

    /// Everybody who is part of an occasion.
    fn at(&self, name: Name) -> Vec<Member> {
        let seated = (0..).zip(&self.0).filter_map(|(ord, seat)| Some((ord, seat.as_ref()?)));
        let seated = seated.filter(|(_, seat)| seat.names.contains(&name));
        let mut members: Vec<Member> = seated.map(|(ord, seat)| Member { at: seat.at, ord }).collect();
        members.sort_by(|one, other| self.order(one, other));
        members
    }
}

#[derive(Clone, Debug, Default)]
pub struct Occasions {
    groups: imbl::OrdMap<Name, Arc<Group>>,
    seats: Seats,
}

impl Occasions {
    pub(super) fn add(&mut self, ord: Number, memory: &Memory) {
        if memory.tags.is_empty() {
            return;
        }
        let mut names: Vec<Name> = memory.tags.iter().map(|tag| name(memory, tag)).collect();
        names.sort_unstable();
        names.dedup();
        let member = Member { at: memory.times.created_at.as_micros(), ord };
        self.seats.set(ord, Seat { at: member.at, id: memory.id.clone(), names: names.as_slice().into() });
        for name in names {
            let group = self.groups.entry(name).or_insert_with(|| Arc::new(Group::Circle(Vec::new())));
            let group = Arc::make_mut(group);
            match group {
                Group::Circle(members) if members.len() == MOST => *group = Group::Crowd(MOST + 1),
                Group::Circle(members) => {
                    let at = members.partition_point(|other| self.seats.order(other, &member).is_lt());
                    members.reserve_exact(1);
                    members.insert(at, member);
                }
                Group::Crowd(count) => *count += 1,
            }
        }
    }

    pub(super) fn remove(&mut self, ord: Number) {
        let Some(seat) = self.seats.leave(ord) else { return };
        for name in &seat.names {
            let Some(group) = self.groups.get_mut(name) else { continue };
            let group = Arc::make_mut(group);
            match group {
                Group::Circle(members) => members.retain(|member| member.ord != ord),
                Group::Crowd(count) if *count > MOST + 1 => *count -= 1,
                Group::Crowd(_) => *group = Group::Circle(self.seats.at(*name)),
            }
            if matches!(group, Group::Circle(members) if members.is_empty()) {
                self.groups.remove(name);
            }
        }
    }

    /// Is it part of any occasion?
    pub fn is_seated(&self, ord: Number) -> bool {
        self.seats.of(ord).is_some()
    }

    /// Everyone of the closest circle `ord` is part of, in order, and its own place there.
    pub fn circle(&self, ord: Number) -> Option<(Vec<Number>, usize)> {
        let circles = self.seats.of(ord)?.names.iter().filter_map(|name| match self.groups.get(name)?.as_ref() {
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
