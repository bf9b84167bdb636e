//! How often memories were given out and whether they helped, counted beside what their files say. By day the counts stand
//! in the project's state: reading a memory must not change the repository. The night adds them to the files that have
//! fields for them, where Loki Mode looks for them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::RwLock;
use serde_json::{Map, Value, json};

use lokid_model::memory::Witnessed;
use lokid_model::{Key, Memory, MemoryId, Namespace, Timestamp, Usage};
use lokid_sys::{Clock, plain};

/// A larger file is not ours.
const LARGEST: u64 = 64 << 20;

pub struct UsageBook {
    path: Option<PathBuf>,
    clock: Clock,
    counts: RwLock<HashMap<Key, Usage>>,
    changed: AtomicBool,
}

impl UsageBook {
    /// A file that cannot be read costs the counts since the last night, nothing else.
    pub(super) fn open(path: Option<PathBuf>, clock: Clock) -> UsageBook {
        let text = path.as_deref().and_then(|path| plain::read_text(path, LARGEST).ok().flatten());
        let counts = text.as_deref().and_then(parse).unwrap_or_default();
        UsageBook { path, clock, counts: RwLock::new(counts), changed: AtomicBool::new(false) }
    }

    /// What its file says and what was counted since.
    pub fn of(&self, memory: &Memory) -> Usage {
        let counts = self.counts.read();
        counts.get(&memory.key()).map_or_else(|| Usage::clone(&memory.usage), |since| memory.usage.plus(since))
    }

    /// These left for an agent.
    pub fn loaded(&self, keys: impl Iterator<Item = Key>) {
        let now = self.clock.now();
        self.count(keys, |usage| {
            usage.loaded += 1;
            usage.last_accessed = usage.last_accessed.max(Some(now));
        });
    }

    /// These were named by an agent that applied them.
    pub fn referenced(&self, keys: impl Iterator<Item = Key>, now: Timestamp) {
        self.count(keys, |usage| {
            usage.referenced += 1;
            usage.last_used = usage.last_used.max(Some(now));
        });
    }

    /// The same, once for a session.
    pub fn named_in_session(&self, keys: impl Iterator<Item = Key> + Clone, now: Timestamp) {
        self.referenced(keys.clone(), now);
        self.count(keys, |usage| usage.witnessed.note(now));
    }

    /// Somebody brought it back: it is needed, whatever came of it so far.
    pub(super) fn wanted(&self, key: Key, now: Timestamp) {
        self.count([key].into_iter(), |usage| usage.last_used = usage.last_used.max(Some(now)));
    }

    /// These were given and never named.
    pub fn ignored(&self, keys: impl Iterator<Item = Key>) {
        self.count(keys, |usage| usage.ignored += 1);
    }

    /// A session that named these came to a good end.
    pub fn ended_well(&self, keys: impl Iterator<Item = Key> + Clone) {
        self.succeeded(keys.clone());
        self.count(keys, |usage| usage.witnessed.good += 1);
    }

    /// What was applied led to a good end.
    pub fn succeeded(&self, keys: impl Iterator<Item = Key>) {
        self.count(keys, |usage| usage.success += 1);
    }

    fn count(&self, keys: impl Iterator<Item = Key>, mut one: impl FnMut(&mut Usage)) {
        let mut counts = self.counts.write();
        for key in keys {
            one(counts.entry(key).or_default());
            self.changed.store(true, Ordering::Release);
        }
    }

    pub(super) fn named(&self) -> Vec<Key> {
        self.counts.read().keys().cloned().collect()
    }

    pub(super) fn forget(&self, key: &Key) {
        if self.counts.write().remove(key).is_some() {
            self.changed.store(true, Ordering::Release);
        }
    }

    /// What was counted for these, which is somebody else's to keep from now on. What was seen here stays here.
    pub(super) fn take(&self, is_wanted: impl Fn(&Key) -> bool) -> Vec<(Key, Usage)> {
        let mut counts = self.counts.write();
        let keys: BTreeSet<Key> = counts.keys().filter(|key| is_wanted(key)).cloned().collect();
        self.changed.fetch_or(!keys.is_empty(), Ordering::AcqRel);
        let part = |key: Key| {
            let usage = counts.remove(&key)?;
            let witnessed = usage.witnessed;
            if witnessed != Witnessed::default() {
                counts.insert(key.clone(), Usage { witnessed, ..Usage::default() });
            }
            let told = Usage { witnessed: Witnessed::default(), ..usage };
            (told != Usage::default()).then_some((key, told))
        };
        keys.into_iter().filter_map(part).collect()
    }

    /// They could not be kept elsewhere.
    pub(super) fn give_back(&self, taken: Vec<(Key, Usage)>) {
        let mut counts = self.counts.write();
        for (key, usage) in taken {
            let known = counts.entry(key).or_default();
            *known = known.plus(&usage);
        }
        self.changed.store(true, Ordering::Release);
    }

    pub(super) fn save(&self) -> std::io::Result<()> {
        let Some(path) = self.path.as_deref().filter(|_| self.changed.swap(false, Ordering::AcqRel)) else {
            return Ok(());
        };
        let text = format(&self.counts.read());
        let saved = plain::replace(path, text.as_bytes());
        if saved.is_err() {
            self.changed.store(true, Ordering::Release);
        }
        saved
    }
}

fn format(counts: &HashMap<Key, Usage>) -> String {
    let mut whole = Map::new();
    for (key, usage) in counts.iter().collect::<BTreeMap<_, _>>() {
        let row = json!([
            usage.loaded,
            usage.referenced,
            usage.success,
            usage.ignored,
            usage.last_used.map(Timestamp::as_micros),
            usage.last_accessed.map(Timestamp::as_micros),
            usage.witnessed.sessions,
            usage.witnessed.good,
            usage.witnessed.days,
            usage.witnessed.last_day
        ]);
        let space = whole.entry(key.namespace.as_str()).or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(space) = space {
            space.insert(key.id.as_str().to_owned(), row);
        }
    }
    Value::Object(whole).to_string()
}

fn parse(text: &str) -> Option<HashMap<Key, Usage>> {
    let Ok(Value::Object(whole)) = serde_json::from_str(text) else { return None };
    let mut counts = HashMap::new();
    for (space, rows) in &whole {
        let (Some(namespace), Some(rows)) = (Namespace::new(space), rows.as_object()) else { continue };
        for (id, row) in rows {
            let Some(id) = MemoryId::foreign(id) else { continue };
            let number = |at: usize| row.get(at).and_then(Value::as_u64).unwrap_or(0);
            let time = |at: usize| row.get(at).and_then(Value::as_i64).map(Timestamp::from_micros);
            let usage = Usage {
                loaded: number(0),
                referenced: number(1),
                success: number(2),
                ignored: number(3),
                last_used: time(4),
                last_accessed: time(5),
                witnessed: Witnessed {
                    sessions: number(6),
                    good: number(7),
                    days: number(8),
                    last_day: row.get(9).and_then(Value::as_i64).unwrap_or(0),
                },
            };
            counts.insert(Key { namespace: namespace.clone(), id }, usage);
        }
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::Kind;

    fn clock() -> Clock {
        Clock::manual(Timestamp::from_micros(7))
    }

    #[test]
    fn counts_are_added_to_what_the_file_says_and_come_back_after_a_restart() {
        let lab = tempfile::tempdir().unwrap();
        let path = lab.path().join("usage.json");
        let mut memory = Memory::new(MemoryId::new("n-1").unwrap(), Kind::Note, "x", Timestamp::from_micros(1));
        memory.usage.loaded = 2;
        let book = UsageBook::open(Some(path.clone()), clock());
        assert_eq!(book.of(&memory).loaded, 2);
        book.loaded([memory.key(), memory.key()].into_iter());
        assert_eq!((book.of(&memory).loaded, book.of(&memory).last_accessed), (4, Some(Timestamp::from_micros(7))));
        book.save().unwrap();
        let again = UsageBook::open(Some(path.clone()), clock());
        assert_eq!(again.of(&memory).loaded, 4);
        again.forget(&memory.key());
        again.save().unwrap();
        assert_eq!(UsageBook::open(Some(path), clock()).of(&memory).loaded, 2);
    }

    #[test]
    fn what_was_brought_back_counts_as_needed_and_not_as_named() {
        let memory = Memory::new(MemoryId::new("n-1").unwrap(), Kind::Note, "x", Timestamp::from_micros(1));
        let book = UsageBook::open(None, clock());
        for at in [9, 5] {
            book.wanted(memory.key(), Timestamp::from_micros(at));
        }
        let found = book.of(&memory);
        assert_eq!((found.last_used, found.referenced, found.loaded), (Some(Timestamp::from_micros(9)), 0, 0));
    }

    #[test]
    fn a_broken_file_costs_nothing_but_the_counts() {
        let lab = tempfile::tempdir().unwrap();
        let path = lab.path().join("usage.json");
        plain::replace(&path, b"{\"default\": {\"n-1\": [1, tru").unwrap();
        let book = UsageBook::open(Some(path), clock());
        let memory = Memory::new(MemoryId::new("n-1").unwrap(), Kind::Note, "x", Timestamp::from_micros(1));
        assert_eq!(book.of(&memory).loaded, 0);
    }
}
