//! Which memories, in which version, the last whole night went through: the others are fresh. What they say does not
//! count, only that they were there. So what another hand brings in with an old date is fresh, whatever the clock did.
//!
//! Derived: without the file everything is fresh, which costs a longer night and nothing else.

use std::path::{Path, PathBuf};

use crate::index::Snapshot;
use crate::model::{Memory, Timestamp};
use crate::sys::plain;

/// A larger file is not ours.
const LARGEST: u64 = 64 << 20;
const WIDTH: usize = 8;

/// Marks of memories, in order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Familiar(Vec<u64>);

impl Familiar {
    pub(super) fn of(snapshot: &Snapshot) -> Familiar {
        let mut marks: Vec<u64> = snapshot.memories().map(|memory| mark(memory)).collect();
        marks.sort_unstable();
        Familiar(marks)
    }

    pub(super) fn knows(&self, memory: &Memory) -> bool {
        !self.0.is_empty() && self.0.binary_search(&mark(memory)).is_ok()
    }

    /// What cannot be read knows nobody.
    pub(super) fn read(night: &Path) -> Familiar {
        let bytes = plain::read(&beside(night), LARGEST).ok().flatten().unwrap_or_default();
        let (marks, rest) = bytes.as_chunks::<WIDTH>();
        let marks: Vec<u64> = marks.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
        let is_ours = rest.is_empty() && marks.is_sorted();
        Familiar(if is_ours { marks } else { Vec::new() })
    }

    pub(super) fn write(&self, night: &Path) -> std::io::Result<()> {
        let bytes: Vec<u8> = self.0.iter().flat_map(|mark| mark.to_le_bytes()).collect();
        plain::replace(&beside(night), &bytes)
    }
}

/// Beside what is known of the nights.
fn beside(night: &Path) -> PathBuf {
    night.with_extension("seen")
}

fn mark(memory: &Memory) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for part in [memory.namespace.as_str(), memory.id.as_str(), memory.status.as_str()] {
        hasher.update(part.as_bytes()).update(b"\0");
    }
    let times = &memory.times;
    for time in [Some(times.updated_at), Some(times.valid_at), times.invalid_at, times.expired_at] {
        hasher.update(&time.map_or(i64::MIN, Timestamp::as_micros).to_le_bytes());
    }
    hasher.update(&memory.fingerprint());
    let hash = hasher.finalize();
    hash.as_bytes().iter().take(WIDTH).fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manage::plan::create;
    use crate::model::{Kind, MemoryId};

    fn note(id: &str, text: &str) -> Memory {
        Memory::new(MemoryId::new(id).unwrap(), Kind::Note, text, Timestamp::from_micros(5))
    }

    fn with(memories: &[Memory]) -> Familiar {
        let mut snapshot = Snapshot::default();
        memories.iter().for_each(|memory| snapshot.apply(&create(memory.clone())));
        Familiar::of(&snapshot)
    }

    #[test]
    fn what_was_there_is_known_and_every_change_makes_it_fresh() {
        let (a, b) = (note("a", "one"), note("b", "two"));
        let familiar = with(&[a.clone(), b.clone()]);
        assert!(familiar.knows(&a) && familiar.knows(&b));
        assert!(!familiar.knows(&note("c", "one")), "with however old a date");
        let mut rewritten = a.clone();
        rewritten.text = "another hand did not say when".to_owned();
        assert!(!familiar.knows(&rewritten));
        let mut touched = a;
        touched.times.updated_at = Timestamp::from_micros(6);
        assert!(!familiar.knows(&touched));
        assert!(!Familiar::default().knows(&b));
    }

    #[test]
    fn it_comes_back_from_its_file_and_a_broken_one_knows_nobody() {
        let lab = tempfile::tempdir().unwrap();
        let night = lab.path().join("night.json");
        assert_eq!(Familiar::read(&night), Familiar::default());
        let familiar = with(&[note("a", "one"), note("b", "two"), note("c", "three")]);
        familiar.write(&night).unwrap();
        assert_eq!(Familiar::read(&night), familiar);
        plain::replace(&beside(&night), b"not a row of marks").unwrap();
        assert_eq!(Familiar::read(&night), Familiar::default());
    }
}
