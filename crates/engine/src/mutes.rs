//! What a person does not want to be told unasked: memories by their ids, everywhere in the project, or where one file or
//! the files below a folder are at hand. Whoever asks a question still finds them. Ids and paths alone are kept, in the
//! project's state directory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::env::Env;
use super::error::EngineError;
use super::follow::Follower;
use lokid_model::{Key, Memory, MemoryId, Namespace, Timestamp};
use lokid_sys::plain;

const FILE: &str = "mutes.json";
/// A larger file is not ours.
const LARGEST: u64 = 16 << 20;
/// Nobody chooses so many by hand.
const MOST: usize = 10_000;

/// A memory, and the file or folder it is muted at; everywhere without one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Muted {
    pub key: Key,
    pub file: Option<String>,
}

/// All that is muted, with since when. Immutable: what was made while one was in force knows it again.
#[derive(Debug, Default)]
pub struct MuteList(BTreeMap<Muted, Timestamp>);

impl MuteList {
    /// Is this memory not to be told where these files are at hand? At several, only if it is muted at each.
    pub fn silences<'a>(&self, key: &Key, files: impl IntoIterator<Item = &'a str>) -> bool {
        let first = Muted { key: key.clone(), file: None };
        let own = self.0.range(first..).map(|(muted, _)| muted).take_while(|muted| muted.key == *key);
        let places: Vec<&Option<String>> = own.map(|muted| &muted.file).collect();
        let is_muted_at = |file: &str| places.iter().any(|place| place.as_deref().is_some_and(|at| is_at(file, at)));
        let mut files = files.into_iter().peekable();
        places.contains(&&None) || (files.peek().is_some() && files.all(is_muted_at))
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Muted, Timestamp)> {
        self.0.iter().map(|(muted, at)| (muted, *at))
    }
}

/// The file itself, or one below a folder.
fn is_at(file: &str, place: &str) -> bool {
    file.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

pub struct Mutes {
    env: Arc<Env>,
    /// Where nothing may be written, nothing can be muted.
    path: Option<PathBuf>,
    list: ArcSwap<MuteList>,
    /// Held while the file is written.
    writing: Mutex<()>,
}

impl Mutes {
    /// A file that cannot be read costs what it says, nothing else.
    pub(super) fn open(env: &Arc<Env>) -> Mutes {
        let path = env.state_file(FILE);
        let list = path.as_deref().map_or(Ok(MuteList::default()), read).unwrap_or_else(|reason| {
            tracing::warn!(project = %env.name, %reason, "what was muted cannot be read");
            MuteList::default()
        });
        Mutes { env: Arc::clone(env), path, list: ArcSwap::from_pointee(list), writing: Mutex::default() }
    }

    pub fn list(&self) -> Arc<MuteList> {
        self.list.load_full()
    }

    /// Since when it is muted, and whether that is news.
    pub fn mute(&self, muted: Muted) -> Result<(Timestamp, bool), EngineError> {
        let mut since = (self.env.clock.now(), true);
        self.change(|list| {
            if let Some(known) = list.get(&muted) {
                since = (*known, false);
            } else if list.len() >= MOST {
                let reason = format!("{MOST} memories are muted already; `lokid mute --list` shows them");
                return Err(EngineError::Invalid { field: "memory_id", reason });
            }
            list.insert(muted, since.0);
            Ok(since.1)
        })?;
        Ok(since)
    }

    /// Since when it was muted; nothing when it was not.
    pub fn unmute(&self, muted: &Muted) -> Result<Option<Timestamp>, EngineError> {
        let mut since = None;
        self.change(|list| {
            since = list.remove(muted);
            Ok(since.is_some())
        })?;
        Ok(since)
    }

    /// `edit` says whether anything changed. What is in force is on disk.
    fn change(
        &self,
        edit: impl FnOnce(&mut BTreeMap<Muted, Timestamp>) -> Result<bool, EngineError>,
    ) -> Result<(), EngineError> {
        let _held = self.writing.lock();
        let Some(path) = &self.path else {
            return Err(EngineError::Forbidden("another process holds the project".to_owned()));
        };
        let mut list = self.list.load().0.clone();
        if edit(&mut list)? {
            self.env.redaction.keep(path, &text(&list)).map_err(|error| EngineError::refused(&error))?;
            self.list.store(Arc::new(MuteList(list)));
        }
        Ok(())
    }
}

/// What is purged leaves its id nowhere.
impl Follower for Mutes {
    fn named(&self) -> Vec<Key> {
        self.list().iter().map(|(muted, _)| muted.key.clone()).collect()
    }

    fn purged(&self, keys: &BTreeSet<Key>, _: &[Arc<Memory>]) {
        if self.list.load().0.is_empty() {
            return;
        }
        let struck = self.change(|list| {
            let before = list.len();
            list.retain(|muted, _| !keys.contains(&muted.key));
            Ok(list.len() < before)
        });
        if let Err(error) = struck {
            tracing::warn!(project = %self.env.name, reason = %error, "what was muted could not be kept");
        }
    }
}

fn text(list: &BTreeMap<Muted, Timestamp>) -> String {
    let row = |(muted, at): (&Muted, &Timestamp)| {
        let Key { namespace, id } = &muted.key;
        json!({"id": id.as_str(), "namespace": namespace.as_str(), "file": muted.file, "at": at.record_style()})
    };
    json!({"version": 1, "mutes": list.iter().map(row).collect::<Vec<_>>()}).to_string()
}

/// A broken row costs only itself.
fn read(path: &Path) -> Result<MuteList, String> {
    let Some(text) = plain::read_text(path, LARGEST).map_err(|error| error.to_string())? else {
        return Ok(MuteList::default());
    };
    let whole: Value = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    let row = |row: &Value| {
        let word = |name: &str| row.get(name).and_then(Value::as_str);
        let key = Key::new(&Namespace::new(word("namespace")?)?, &MemoryId::foreign(word("id")?)?);
        Some((Muted { key, file: word("file").map(str::to_owned) }, Timestamp::parse(word("at")?)?))
    };
    let rows = whole.get("mutes").and_then(Value::as_array).into_iter().flatten();
    Ok(MuteList(rows.filter_map(row).take(MOST).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_is_muted_everywhere_or_where_all_files_at_hand_are_below_a_muted_place() {
        let key = |id: &str| Key::new(&Namespace::default(), &MemoryId::new(id).unwrap());
        let muted = |id: &str, file: Option<&str>| {
            (Muted { key: key(id), file: file.map(str::to_owned) }, Timestamp::from_micros(7))
        };
        let list = MuteList(BTreeMap::from([
            muted("everywhere", None),
            muted("there", Some("src/a.rs")),
            muted("there", Some("docs")),
        ]));
        assert!(list.silences(&key("everywhere"), []) && list.silences(&key("everywhere"), ["x"]));
        assert!(
            list.silences(&key("there"), ["src/a.rs"]) && list.silences(&key("there"), ["docs/b/c.md", "src/a.rs"])
        );
        for files in [&[][..], &["src/a.rs", "src/b.rs"], &["src/a.rs.txt"], &["docs.md"]] {
            assert!(!list.silences(&key("there"), files.iter().copied()), "{files:?}");
        }
        assert!(!list.silences(&key("other"), ["src/a.rs"]));
    }
}
