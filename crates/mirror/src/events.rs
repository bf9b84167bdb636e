//! What the mirror did, line by line: `.loki/managed/events.ndjson`. Only the daemon that holds the project writes it, it
//! only ever grows, and a long one is put aside.
//!
//! An event names paths, ids, counts and reasons. It never holds the words of a memory, nor a key.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use lokid_model::{Cleaner, Timestamp, clean};
use lokid_sys::plain;
use serde_json::{Map, Value};

use super::limits;

/// What the reader takes in of one file.
const MOST_READ: u64 = limits::MOST_EVENTS + (1 << 20);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    Retrieve,
    RetrieveEmpty,
    ShadowWrite,
    ShadowWrite409,
    Hydrate,
    HydrateTimeout,
    Redact,
    /// Something was given up or put off: `op`, `reason` and `detail` say what and why.
    Fallback,
}

impl EventKind {
    pub fn as_str(self) -> &'static str {
        match self {
            EventKind::Retrieve => "managed_memory_retrieve",
            EventKind::RetrieveEmpty => "managed_memory_retrieve_empty",
            EventKind::ShadowWrite => "managed_memory_shadow_write",
            EventKind::ShadowWrite409 => "managed_memory_shadow_write_409",
            EventKind::Hydrate => "managed_memory_hydrate",
            EventKind::HydrateTimeout => "managed_memory_hydrate_timeout",
            EventKind::Redact => "managed_memory_redact",
            EventKind::Fallback => "managed_agents_fallback",
        }
    }
}

/// The file. It is made with the first event.
pub struct Events {
    folder: PathBuf,
    /// One line after the other.
    writing: Mutex<()>,
}

/// Which events somebody wants.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The newest so many.
    pub limit: usize,
    /// Those at this time and later.
    pub since: Option<Timestamp>,
    pub kind: Option<String>,
}

impl Events {
    /// `loki` is the project's `.loki`.
    pub fn new(loki: &Path) -> Events {
        Events { folder: loki.join("managed"), writing: Mutex::default() }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn file(&self) -> PathBuf {
        self.folder.join("events.ndjson")
    }

    /// The one before.
    fn aside(&self) -> PathBuf {
        self.folder.join("events.1.ndjson")
    }

    /// `fields` is an object. An event that cannot be written is told in the log, and nothing else suffers.
    pub fn tell(&self, now: Timestamp, kind: EventKind, fields: Value, cleaner: &dyn Cleaner) {
        let mut event = Map::new();
        event.insert("ts".to_owned(), now.record_style().into());
        event.insert("type".to_owned(), kind.as_str().into());
        if let Value::Object(fields) = fields {
            event.extend(fields);
        }
        let line = Value::Object(event).to_string();
        let line = clean::json(&line, cleaner).map_or(line, |cleaned| cleaned.text) + "\n";
        let _one_at_a_time = self.writing.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Err(error) = self.append(&line) {
            tracing::warn!(reason = %error, "an event of the mirror could not be written");
        }
    }

    /// Makes the folder, should it not be there.
    pub fn prepare(&self) -> std::io::Result<()> {
        plain::make_folder(&self.folder)?;
        // What happened on this machine is nothing for the repository.
        let ignore = self.folder.join(".gitignore");
        if plain::is_file(&ignore) { Ok(()) } else { plain::replace(&ignore, b"*\n") }
    }

    fn append(&self, line: &str) -> std::io::Result<()> {
        self.prepare()?;
        let file = self.file();
        let length = plain::measure(&file).map_or(0, |(_, length)| length);
        if length > 0 && length + line.len() as u64 > limits::MOST_EVENTS {
            plain::rename(&file, &self.aside())?;
        }
        plain::append_or_begin(&file, line.as_bytes())
    }

    /// The newest events that are wanted, the oldest of them first.
    pub fn read(&self, wanted: &Wanted) -> std::io::Result<Vec<Value>> {
        let mut found = Vec::new();
        for file in [self.file(), self.aside()] {
            let text = plain::read(&file, MOST_READ)?.unwrap_or_default();
            let lines = text.split(|byte| *byte == b'\n').rev();
            // A torn line is none.
            let events = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
            found.extend(events.filter(|event| fits(event, wanted)).take(wanted.limit.saturating_sub(found.len())));
        }
        found.reverse();
        Ok(found)
    }
}

fn fits(event: &Value, wanted: &Wanted) -> bool {
    let at = || event["ts"].as_str().and_then(Timestamp::parse);
    wanted.kind.as_ref().is_none_or(|kind| event["type"] == kind.as_str())
        && wanted.since.is_none_or(|since| at().is_some_and(|at| at >= since))
}

#[cfg(test)]
mod tests {
    use lokid_model::clean::AsItIs;
    use serde_json::json;

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_micros(1_790_000_000_000_000 + second * 1_000_000)
    }

    fn wanted(limit: usize) -> Wanted {
        Wanted { limit, ..Wanted::default() }
    }

    #[test]
    fn events_are_found_by_number_time_and_kind_the_oldest_first() {
        let lab = tempfile::tempdir().unwrap();
        let events = Events::new(lab.path());
        assert!(
            events.read(&wanted(9)).unwrap().is_empty() && !events.folder().exists(),
            "nothing is made for reading"
        );
        for second in 0..5 {
            let kind = if second == 3 { EventKind::Fallback } else { EventKind::ShadowWrite };
            events.tell(at(second), kind, json!({"n": second}), &AsItIs);
        }
        let numbers = |wanted: &Wanted| -> Vec<i64> {
            events.read(wanted).unwrap().iter().map(|event| event["n"].as_i64().unwrap()).collect()
        };
        assert_eq!(numbers(&wanted(2)), [3, 4]);
        assert_eq!(numbers(&Wanted { since: Some(at(2)), ..wanted(9) }), [2, 3, 4]);
        let kind = Some("managed_agents_fallback".to_owned());
        assert_eq!(numbers(&Wanted { kind, ..wanted(9) }), [3]);
        plain::append(&events.file(), b"{torn").unwrap();
        assert_eq!(numbers(&wanted(9)), [0, 1, 2, 3, 4]);
        assert_eq!(std::fs::read_to_string(events.folder().join(".gitignore")).unwrap(), "*\n");
    }

    #[test]
    fn a_long_file_is_put_aside_and_still_read() {
        let lab = tempfile::tempdir().unwrap();
        let events = Events::new(lab.path());
        events.tell(at(0), EventKind::Hydrate, json!({"n": 0}), &AsItIs);
        plain::append(&events.file(), &vec![b' '; limits::MOST_EVENTS as usize]).unwrap();
        events.tell(at(1), EventKind::Hydrate, json!({"n": 1}), &AsItIs);
        assert!(events.aside().exists() && plain::measure(&events.file()).unwrap().1 < 200);
        assert_eq!(events.read(&wanted(9)).unwrap().len(), 2);
    }

    #[test]
    fn what_must_not_be_kept_is_not() {
        struct NoX;
        impl Cleaner for NoX {
            fn clean(&self, text: &str) -> Option<lokid_model::Cleaned> {
                let cleaned = || lokid_model::Cleaned { text: text.replace("x", "-"), ..Default::default() };
                text.contains("x").then(cleaned)
            }
        }
        let lab = tempfile::tempdir().unwrap();
        let events = Events::new(lab.path());
        events.tell(at(0), EventKind::Redact, json!({"detail": "xyz"}), &NoX);
        assert_eq!(events.read(&wanted(1)).unwrap()[0]["detail"], "-yz");
    }
}
