//! What every actor of a project may know: where it stands, the time, the settings, what must leave a text, and the feed
//! it tells of its work. Nobody is started, stopped or asked through it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arc_swap::ArcSwap;
use serde_json::{Map, Value};

use super::feed::Feed;
use super::redaction::Redaction;
use lokid_config::Config;
use lokid_model::{Document, DocumentKind, Key, Memory, Timestamp};
use lokid_sys::Clock;

pub struct Env {
    pub id: String,
    pub root: PathBuf,
    /// The root, as logs and events name the project.
    pub name: Arc<str>,
    /// Where the shared memory stands: `.loki/memory` unless the environment says otherwise.
    pub memory_dir: PathBuf,
    /// May what happens here become memory by itself? Loki Mode's opt-outs say no.
    pub captures: bool,
    /// Another process holds the project: nothing is written, not even state and cache.
    pub read_only: bool,
    pub state: PathBuf,
    /// The user's own records: of this project, and of all.
    pub own: [PathBuf; 2],
    pub cache: PathBuf,
    pub clock: Clock,
    pub config: Arc<ArcSwap<Config>>,
    pub redaction: Redaction,
    pub feed: Feed,
    pub started_at: Timestamp,
    /// Under which this machine writes lines of its own into shared files.
    pub writer_name: String,
}

impl Env {
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// For whoever follows the feed. `data` is an object.
    pub fn say(&self, kind: &'static str, data: Value) {
        let data: Map<String, Value> = data.as_object().cloned().unwrap_or_default();
        self.feed.tell(self.clock.now(), &self.name, kind, data);
    }

    /// A file of the project's state, where it may be written.
    pub(super) fn state_file(&self, name: &str) -> Option<PathBuf> {
        (!self.read_only).then(|| self.state.join(name))
    }

    /// The folder of indexes, where it may be written.
    pub(super) fn own_cache(&self) -> Option<&Path> {
        (!self.read_only).then_some(&*self.cache)
    }

    /// Loki Mode's ledgers or handoffs, by name. Reads the disk.
    pub fn documents(&self, kind: DocumentKind) -> std::io::Result<Vec<Document>> {
        lokid_store::documents::list(&self.root, &self.memory_dir, kind, &self.door())
    }

    /// What the files still say of earlier versions of a memory, the oldest first. Reads the disk.
    pub fn earlier_versions(&self, key: &Key) -> std::io::Result<Vec<Arc<Memory>>> {
        let mut found = lokid_store::versions(Some(&self.root), &self.memory_dir, key, &self.door())?;
        for folder in &self.own {
            found.extend(lokid_store::versions(None, folder, key, &self.door())?);
        }
        Ok(found)
    }

    /// What the files of the project pass on their way in and out.
    pub(super) fn door(&self) -> lokid_store::Door {
        Arc::new(self.redaction.clone())
    }
}
