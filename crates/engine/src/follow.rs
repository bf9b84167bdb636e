//! Whoever has to know what the writer did, without the writer knowing them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::bundle::Bundle;
use lokid_index::Snapshot;
use lokid_model::{Change, Key, Memory};

/// Called on the writer's thread, one after the other, before whoever asked for a change is answered: nobody may wait for
/// the writer in here.
pub(super) trait Follower: Send + Sync {
    /// These changes are durable, whoever made them.
    fn changed(&self, _changes: &[Change]) {}

    /// These were seen in files that another hand changed.
    fn seen(&self, changes: &[Change]) {
        self.changed(changes);
    }

    /// The same changes once more, without what the repository teaches by itself: which of them belong together, who made
    /// them, and what stood there before.
    fn done(&self, _before: &Snapshot, _bundles: &[Bundle]) {}

    /// The memories named in what is kept beside them. Asked once, at the start, and on another thread.
    fn named(&self) -> Vec<Key> {
        Vec::new()
    }

    /// These are gone for good, with what they said as far as that is known: when this returns nothing kept here tells of
    /// them. Called behind `done`; and at the start, on another thread, of those that were purged while nobody followed.
    fn purged(&self, _keys: &BTreeSet<Key>, _last_words: &[Arc<Memory>]) {}

    /// There is a new snapshot.
    fn published(&self) {}

    /// Somebody told these, one by one; unlike the others this is called behind the answer.
    fn told(&self, _keys: &[Key]) {}
}
