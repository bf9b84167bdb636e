//! A place to try things in: a folder, a store in it, and the state a reader would see.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lokid_index::Snapshot;
use lokid_model::{Change, Kind, Memory, MemoryId, Timestamp};
use lokid_store::{Options, Store, StorePlace};
use lokid_sys::Faults;

pub(crate) struct Lab {
    pub(crate) folder: tempfile::TempDir,
}

impl Lab {
    pub(crate) fn new() -> Lab {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir_all(folder.path().join("repo")).expect("a folder for the repository");
        Lab { folder }
    }

    pub(crate) fn repo(&self) -> PathBuf {
        self.folder.path().join("repo")
    }

    pub(crate) fn memory_dir(&self) -> PathBuf {
        self.repo().join(".loki/memory")
    }

    pub(crate) fn place(&self) -> StorePlace {
        StorePlace {
            root: self.repo(),
            shared: ".loki/memory".into(),
            private: self.folder.path().join("data/private"),
            system: self.folder.path().join("data/system"),
            proof: String::new(),
            state: self.folder.path().join("state"),
            writer: "0a1b2c3d".into(),
        }
    }

    pub(crate) fn store(&self, faults: Option<Arc<Faults>>) -> std::io::Result<Store> {
        let options = Options { lock_timeout: Duration::from_secs(5), max_document: 64 << 20, read_only: false };
        let door: lokid_store::Door = std::sync::Arc::new(lokid_model::clean::AsItIs);
        Store::open(&self.place(), options, &door, faults)
    }

    /// What a fresh process would know.
    pub(crate) fn reload(&self) -> Snapshot {
        let mut store = self.store(None).expect("the store opens");
        let mut snapshot = Snapshot::default();
        for change in store.look(at(1_000_000)) {
            snapshot.apply(&change);
        }
        snapshot
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.memory_dir().join(path);
        std::fs::create_dir_all(path.parent().expect("inside the store")).expect("folders");
        std::fs::write(path, text).expect("a file");
    }

    pub(crate) fn read(&self, path: &str) -> String {
        let path = self.memory_dir().join(path);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}

pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_micros(1_790_000_000_000_000 + seconds * 1_000_000)
}

pub(crate) fn memory(id: &str, kind: Kind, text: &str) -> Memory {
    Memory::new(MemoryId::new(id).expect("a valid id"), kind, text, at(0))
}

pub(crate) fn put(memory: Memory) -> Change {
    Change::Put { before: None, after: Arc::new(memory) }
}

/// Everything that counts about a state, in one comparable text.
pub(crate) fn picture(snapshot: &Snapshot) -> String {
    let mut lines: Vec<String> = snapshot.memories().map(|memory| format!("{memory:?}")).collect();
    lines.extend(snapshot.all_archived().map(|entry| format!("archived {:?} {}", entry.memory, entry.reason)));
    lines.extend(snapshot.links().map(|link| format!("{link:?}")));
    lines.extend(snapshot.contradictions().map(|found| format!("{found:?}")));
    lines.join("\n")
}

/// Every file below a folder with its bytes, locks left out.
pub(crate) fn tree(folder: &Path) -> std::collections::BTreeMap<PathBuf, Vec<u8>> {
    let mut found = std::collections::BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_none_or(|extension| extension != "lock") {
                found.insert(path.clone(), std::fs::read(&path).unwrap_or_default());
            }
        }
    }
    found
}
