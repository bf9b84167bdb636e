//! Where memories are at home: by the files and symbols they are anchored to, by the folders of those files, and by the
//! failure they tell of. Finding them costs a look, whatever the number of memories; keeping them costs a pointer each.
//!
//! Places are kept as hashes. Who asks compares for itself, so two places of one hash do no harm.

use std::cmp::Ordering;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use imbl::OrdMap;

use lokid_model::{Body, Memory};

/// Anchors of one memory that count: what is at home everywhere is at home nowhere.
const MOST_ANCHORS: usize = 64;

#[derive(Clone, Debug, Default)]
pub(super) struct Places(OrdMap<u64, Residents>);

/// Newest first. Most places have one.
#[derive(Clone, Debug)]
enum Residents {
    One(Arc<Memory>),
    Many(Arc<Vec<Arc<Memory>>>),
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Place<'a> {
    File(&'a str),
    Folder(&'a str),
    Symbol(&'a str),
    Failure(&'a str),
}

impl Place<'_> {
    fn hash(self) -> u64 {
        let (sort, name) = match self {
            Place::File(name) => (0_u8, name),
            Place::Folder(name) => (1, name),
            Place::Symbol(name) => (2, name),
            Place::Failure(name) => (3, name),
        };
        let mut hasher = DefaultHasher::new();
        (sort, name).hash(&mut hasher);
        hasher.finish()
    }

    fn is_home_of(self, memory: &Memory) -> bool {
        let mut files = memory.anchors.files.iter().map(|file| plain_path(file));
        match self {
            Place::File(path) => files.any(|file| file == path),
            Place::Folder(folder) => files.any(|file| folder_of(file) == Some(folder)),
            Place::Symbol(symbol) => memory.anchors.symbols.iter().any(|known| known == symbol),
            Place::Failure(fingerprint) => failure_of(memory) == Some(fingerprint),
        }
    }
}

impl Places {
    /// All at once, for a start.
    pub(super) fn of<'a>(memories: impl Iterator<Item = &'a Arc<Memory>>) -> Places {
        let mut memories: Vec<&Arc<Memory>> = memories.collect();
        memories.sort_by(|one, other| newest_first(one, other));
        let mut seats: Vec<(u64, u32)> = Vec::with_capacity(2 * memories.len());
        for (at, memory) in memories.iter().enumerate() {
            seats.extend(hashes(memory).into_iter().map(|hash| (hash, at as u32)));
        }
        seats.sort_unstable();
        let residents = |group: &[(u64, u32)]| match group {
            [(_, only)] => Residents::One(Arc::clone(memories[*only as usize])),
            _ => Residents::Many(Arc::new(group.iter().map(|(_, at)| Arc::clone(memories[*at as usize])).collect())),
        };
        Places(seats.chunk_by(|one, other| one.0 == other.0).map(|group| (group[0].0, residents(group))).collect())
    }

    pub(super) fn add(&mut self, memory: &Arc<Memory>) {
        for hash in hashes(memory) {
            match self.0.get_mut(&hash) {
                None => drop(self.0.insert(hash, Residents::One(Arc::clone(memory)))),
                Some(residents) => residents.add(memory),
            }
        }
    }

    pub(super) fn remove(&mut self, memory: &Memory) {
        for hash in hashes(memory) {
            let is_empty = self.0.get_mut(&hash).is_some_and(|residents| residents.remove(memory));
            if is_empty {
                self.0.remove(&hash);
            }
        }
    }

    /// Newest first.
    pub(super) fn at<'a>(&'a self, place: Place<'a>) -> impl Iterator<Item = &'a Arc<Memory>> {
        let residents = match self.0.get(&place.hash()) {
            None => &[],
            Some(Residents::One(only)) => std::slice::from_ref(only),
            Some(Residents::Many(many)) => many.as_slice(),
        };
        residents.iter().filter(move |memory| place.is_home_of(memory))
    }
}

impl Residents {
    fn add(&mut self, memory: &Arc<Memory>) {
        match self {
            Residents::One(only) => {
                let mut both = vec![Arc::clone(only), Arc::clone(memory)];
                both.sort_by(|one, other| newest_first(one, other));
                *self = Residents::Many(Arc::new(both));
            }
            Residents::Many(many) => {
                let at = many.partition_point(|known| newest_first(known, memory).is_lt());
                Arc::make_mut(many).insert(at, Arc::clone(memory));
            }
        }
    }

    /// Answers whether nobody is left.
    fn remove(&mut self, memory: &Memory) -> bool {
        let is_it = |known: &Memory| known.id == memory.id && known.namespace == memory.namespace;
        match self {
            Residents::One(only) => is_it(only),
            Residents::Many(many) => {
                let from = many.partition_point(|known| newest_first(known, memory).is_lt());
                match many.get(from) {
                    Some(known) if is_it(known) => drop(Arc::make_mut(many).remove(from)),
                    _ => {}
                }
                if let [only] = many.as_slice() {
                    *self = Residents::One(Arc::clone(only));
                }
                false
            }
        }
    }
}

fn newest_first(one: &Memory, other: &Memory) -> Ordering {
    let by_time = other.times.created_at.cmp(&one.times.created_at);
    by_time.then_with(|| one.namespace.cmp(&other.namespace)).then_with(|| one.id.cmp(&other.id))
}

fn hashes(memory: &Memory) -> Vec<u64> {
    let anchors = &memory.anchors;
    let mut hashes = Vec::new();
    for file in anchors.files.iter().take(MOST_ANCHORS).map(|file| plain_path(file)) {
        hashes.push(Place::File(file).hash());
        hashes.extend(folder_of(file).map(|folder| Place::Folder(folder).hash()));
    }
    hashes.extend(anchors.symbols.iter().take(MOST_ANCHORS).map(|symbol| Place::Symbol(symbol).hash()));
    hashes.extend(failure_of(memory).map(|fingerprint| Place::Failure(fingerprint).hash()));
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// A path as it is compared: people write `./src/a.rs` and `src/`.
pub fn plain_path(path: &str) -> &str {
    path.trim_start_matches("./").trim_end_matches('/')
}

pub fn folder_of(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(folder, _)| folder)
}

fn failure_of(memory: &Memory) -> Option<&str> {
    match &memory.body {
        Body::Learning(learning) => Some(learning.fingerprint.as_str()).filter(|print| !print.is_empty()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::{Kind, Learning, MemoryId, Timestamp};

    fn memory(id: &str, at: i64, files: &[&str]) -> Arc<Memory> {
        let mut memory = Memory::new(MemoryId::new(id).unwrap(), Kind::Decision, id, Timestamp::from_micros(at));
        memory.anchors.files = files.iter().map(|file| (*file).to_owned()).collect();
        Arc::new(memory)
    }

    fn ids(places: &Places, place: Place<'_>) -> String {
        places.at(place).map(|memory| memory.id.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_newest_comes_first_however_they_came_in() {
        let all = [memory("b", 5, &["./src/a.rs"]), memory("a", 5, &["src/a.rs"]), memory("c", 9, &["src/a.rs", "x"])];
        let mut one_by_one = Places::default();
        all.iter().for_each(|memory| one_by_one.add(memory));
        for places in [one_by_one, Places::of(all.iter())] {
            assert_eq!(ids(&places, Place::File("src/a.rs")), "c a b");
            assert_eq!(ids(&places, Place::Folder("src")), "c a b");
            assert_eq!(ids(&places, Place::File("x")), "c");
            assert_eq!(ids(&places, Place::Symbol("x")), "");
        }
    }

    #[test]
    fn who_leaves_leaves_no_place_behind() {
        let all = [memory("a", 1, &["src/a.rs", "src/b.rs"]), memory("b", 2, &["src/a.rs"]), memory("c", 3, &["c"])];
        let mut places = Places::of(all.iter());
        places.remove(&all[1]);
        assert_eq!(ids(&places, Place::File("src/a.rs")), "a");
        places.remove(&all[0]);
        places.remove(&all[2]);
        assert!(places.0.is_empty());
    }

    #[test]
    fn a_failure_is_found_by_its_fingerprint() {
        let learning = Learning { fingerprint: "00ff".into(), ..Learning::default() };
        let mut told = Memory::clone(&memory("learn-1", 1, &[]));
        told.body = Body::Learning(Box::new(learning));
        let places = Places::of([Arc::new(told)].iter());
        assert_eq!(ids(&places, Place::Failure("00ff")), "learn-1");
        assert_eq!(ids(&places, Place::Failure("")), "");
    }
}
