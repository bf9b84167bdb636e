//! What a purge takes out of a snapshot, and how it keeps it from coming back.

use std::sync::Arc;

use super::Snapshot;
use lokid_model::link::LinkKey;
use lokid_model::{Key, Kind, Memory, Tombstone};

impl Snapshot {
    pub(super) fn bury(&mut self, tombstone: &Tombstone) {
        if tombstone.is_nameless() {
            self.meant_by(tombstone).iter().for_each(|key| self.erase(key));
        }
        self.erase(&tombstone.key);
        self.buried.insert(tombstone.fingerprint);
        self.tombstones.insert(tombstone.key.clone(), tombstone.clone());
    }

    /// What says the same and was there before it was purged.
    fn meant_by(&self, tombstone: &Tombstone) -> Vec<Key> {
        let living = self.by_fingerprint.get(&tombstone.fingerprint);
        let archived = self.archived.values().map(|entry| &entry.memory).filter(|memory| memory.kind == Kind::Skill);
        let archived = archived.filter(|memory| memory.fingerprint() == tombstone.fingerprint);
        let before = |memory: &&Arc<Memory>| memory.times.updated_at <= tombstone.at;
        living.into_iter().chain(archived).filter(before).map(|memory| memory.key()).collect()
    }

    fn erase(&mut self, key: &Key) {
        self.take(key);
        self.archived.remove(key);
        let ties: Vec<LinkKey> = self.links_of(key).iter().map(|link| link.key()).collect();
        for tie in ties {
            self.untie(&tie);
        }
        for found in self.disputes_of(key).cloned().collect::<Vec<_>>() {
            self.undispute(&found);
        }
    }
}
