//! What the user wants known in all of their projects (`scope: system`): each store reads it from one folder in the
//! user's data directory as if it were its own. A writer that changes something there tells the others of this process
//! to look; nobody waits for it, and nothing happens while nothing is written.

use std::sync::Arc;

use parking_lot::Mutex;

use super::error::EngineError;
use super::inbox::WriterHandle;
use lokid_model::memory::Anchors;
use lokid_model::{Change, Memory, Scope};

/// The writers of this process, each by its project's id.
#[derive(Clone, Default)]
pub(super) struct Commons(Arc<Mutex<Vec<(String, WriterHandle)>>>);

impl Commons {
    pub(super) fn join(&self, id: &str, writer: &WriterHandle) {
        self.0.lock().push((id.to_owned(), writer.clone()));
    }

    pub(super) fn leave(&self, id: &str) {
        self.0.lock().retain(|(known, _)| known != id);
    }

    /// The project of this id has written this.
    pub(super) fn written(&self, id: &str, changes: &[Change]) {
        if changes.iter().any(is_common) {
            self.0.lock().iter().filter(|(known, _)| known != id).for_each(|(_, writer)| writer.rescan_soon());
        }
    }
}

/// A path that is right in one project is another file in the next.
pub(super) fn may_hold(memory: &Memory) -> Result<(), EngineError> {
    if memory.scope != Scope::System || memory.anchors == Anchors::default() {
        return Ok(());
    }
    let reason = "a memory of all projects is not tied to files, symbols or commits of one".to_owned();
    Err(EngineError::Invalid { field: "scope", reason })
}

fn is_common(change: &Change) -> bool {
    match change {
        Change::Put { before, after } => {
            after.scope == Scope::System || before.as_ref().is_some_and(|before| before.scope == Scope::System)
        }
        Change::Archive(entry) | Change::Restore(entry) => entry.memory.scope == Scope::System,
        Change::Purge(tombstone) => tombstone.scope == Scope::System,
        _ => false,
    }
}
