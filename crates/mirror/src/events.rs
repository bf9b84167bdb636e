//! What the mirror did, line by line: `.loki/managed/events.ndjson`. Only the daemon that holds the project writes it, it
//! only ever grows, and a long one is put aside.
//!
//! An event names paths, ids, counts and reasons. It never holds the words of a memory, nor a key.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use lokid_model::{Cleaner, Timestamp, clean};
use lokid_sys::Disk;
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

/// Below the project. Whoever brought the repository may have put links there, which are not followed.
const FOLDER: &str = ".loki/managed";
const FILE: &str = "events.ndjson";
/// The one before.
const ASIDE: &str = "events.1.ndjson";

/// The file. It is made with the first event.
pub struct Events {
    root: PathBuf,
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
    pub fn new(root: &Path) -> Events {
        Events { root: root.to_owned(), writing: Mutex::default() }
    }

    /// The folder, for writing.
    fn made(&self) -> io::Result<Disk> {
        let disk = Disk::open_nofollow_chain(&self.root, Path::new(FOLDER), true)?;
        // What happened on this machine is nothing for the repository.
        if disk.stamp(".gitignore")?.is_none() {
            disk.replace(".gitignore", b"*\n")?;
        }
        Ok(disk)
    }

    /// A file that is kept beside the events.
    pub fn keep(&self, name: &str, json: &str, cleaner: &dyn Cleaner) -> io::Result<()> {
        let cleaned = clean::json(json, cleaner);
        self.made()?.replace(name, cleaned.as_ref().map_or(json, |cleaned| &cleaned.text).as_bytes())
    }

    /// The same, read back; nothing where there is none.
    pub fn kept(&self, name: &str) -> io::Result<Vec<u8>> {
        let read =
            Disk::open_nofollow_chain(&self.root, Path::new(FOLDER), false).and_then(|disk| disk.read(name, MOST_READ));
        match read {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            read => read,
        }
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

    fn append(&self, line: &str) -> io::Result<()> {
        let disk = self.made()?;
        let length = disk.stamp(FILE)?.map_or(0, |stamp| stamp.size);
        if length > 0 && length + line.len() as u64 > limits::MOST_EVENTS {
            disk.rename(FILE, ASIDE)?;
        }
        disk.append(FILE, line.as_bytes()).map(drop)
    }

    /// The newest events that are wanted, the oldest of them first.
    pub fn read(&self, wanted: &Wanted) -> io::Result<Vec<Value>> {
        let mut found = Vec::new();
        for file in [FILE, ASIDE] {
            let text = self.kept(file)?;
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

    fn append(lab: &tempfile::TempDir, bytes: &[u8]) {
        lokid_sys::plain::append_or_begin(&lab.path().join(FOLDER).join(FILE), bytes).unwrap();
    }

    #[test]
    fn a_link_that_came_with_the_repository_is_not_followed() {
        let lab = tempfile::tempdir().unwrap();
        let (root, elsewhere) = (lab.path().join("repo"), lab.path().join("elsewhere"));
        std::fs::create_dir_all(root.join(".loki")).unwrap();
        std::fs::create_dir(&elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, root.join(FOLDER)).unwrap();
        let events = Events::new(&root);
        events.tell(at(0), EventKind::Hydrate, json!({}), &AsItIs);
        assert!(events.keep("x.lock", "{}", &AsItIs).is_err() && events.read(&wanted(9)).is_err());
        assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
        std::fs::remove_file(root.join(FOLDER)).unwrap();
        std::fs::create_dir(root.join(FOLDER)).unwrap();
        std::os::unix::fs::symlink(elsewhere.join("shell.rc"), root.join(FOLDER).join(FILE)).unwrap();
        events.tell(at(0), EventKind::Hydrate, json!({}), &AsItIs);
        assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
    }

    #[test]
    fn events_are_found_by_number_time_and_kind_the_oldest_first() {
        let lab = tempfile::tempdir().unwrap();
        let events = Events::new(lab.path());
        assert!(
            events.read(&wanted(9)).unwrap().is_empty() && !lab.path().join(".loki").exists(),
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
        append(&lab, b"{torn");
        assert_eq!(numbers(&wanted(9)), [0, 1, 2, 3, 4]);
        assert_eq!(std::fs::read_to_string(lab.path().join(FOLDER).join(".gitignore")).unwrap(), "*\n");
    }

    #[test]
    fn a_long_file_is_put_aside_and_still_read() {
        let lab = tempfile::tempdir().unwrap();
        let events = Events::new(lab.path());
        events.tell(at(0), EventKind::Hydrate, json!({"n": 0}), &AsItIs);
        append(&lab, &vec![b' '; limits::MOST_EVENTS as usize]);
        events.tell(at(1), EventKind::Hydrate, json!({"n": 1}), &AsItIs);
        assert!(lab.path().join(FOLDER).join(ASIDE).exists() && events.kept(FILE).unwrap().len() < 200);
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
