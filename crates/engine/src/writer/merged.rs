//! What a merge of two histories leaves in the files to be settled: records that two changed at once, and records that one
//! side purged while the other kept them.

use std::collections::HashMap;
use std::sync::Arc;

use super::Writer;
use super::turn::Turn;
use crate::bundle::Bundle;
use crate::conflict;
use crate::error::EngineError;
use lokid_model::{By, Change, Key, Kind, Memory, Tier, Timestamp, Tombstone};

/// Found in a look, before it is applied.
#[derive(Default)]
pub(super) struct Merged {
    disputed: Vec<Key>,
    purged: Vec<Tombstone>,
    /// Records that two machines changed at once, with what both say.
    reconciled: Vec<Memory>,
}

impl Writer {
    pub(super) fn merged(&mut self, seen: &[Change]) -> Merged {
        if self.store.is_read_only() {
            return Merged::default();
        }
        let state = &self.state;
        let reconciled = self.store.rivals(|key| state.get(key).cloned());
        let buried: HashMap<&Key, &Tombstone> =
            seen.iter().filter_map(grave).map(|grave| (&grave.key, grave)).collect();
        let grave_of = |memory: &Memory| {
            // A skill's tombstone does not name it: what it said does.
            let nameless = || Tombstone::of(memory, Timestamp::default(), "").kept().key;
            let nameless = (memory.kind == Kind::Skill).then(nameless);
            let keys = [Some(memory.key()), nameless].into_iter().flatten();
            let mut graves = keys.filter_map(|key| buried.get(&key).copied().or(self.state.tombstone(&key)).cloned());
            let is_meant = |grave: &Tombstone| {
                let before = !grave.is_nameless() || memory.times.updated_at <= grave.at;
                before && grave.scope == memory.scope
            };
            graves.find(is_meant).map(|grave| Tombstone { key: memory.key(), ..grave })
        };
        let of_key = |key: &Key| self.state.get(key).or(self.state.archived(key).map(|entry| &entry.memory));
        let known = seen.iter().filter_map(grave).filter_map(|grave| {
            of_key(&grave.key).or_else(|| self.state.same_as(&grave.fingerprint).filter(|_| grave.is_nameless()))
        });
        let come = seen.iter().filter_map(Change::memory);
        let mut purged: Vec<Tombstone> = come.chain(known).filter_map(|memory| grave_of(memory)).collect();
        purged.sort_by(|a, b| a.key.cmp(&b.key));
        purged.dedup_by(|a, b| a.key == b.key);
        // A tombstone in the repository says nothing about the user's own.
        purged.retain(|grave| self.store.is_only_in(&grave.key, grave.scope));
        let puts = seen.iter().filter(|change| matches!(change, Change::Put { .. })).filter_map(Change::memory);
        let disputed = puts.filter(|memory| !memory.conflicts().is_empty()).map(|memory| memory.key()).collect();
        Merged { disputed, purged, reconciled }
    }

    /// Writes what follows; what cannot be written now is found again at the next start.
    pub(super) fn settle_merged(&mut self, now: Timestamp, left: Merged) {
        let purges = left.purged.into_iter().map(Change::Purge);
        let reconciled = left.reconciled.into_iter().flat_map(|merged| self.reconcile(merged, now));
        let reconciled: Vec<Change> = reconciled.collect();
        let memories: Vec<Arc<Memory>> = left.disputed.iter().filter_map(|key| self.state.get(key).cloned()).collect();
        let settled = memories.iter().flat_map(|memory| conflict::settle(&self.state, memory, now));
        let changes: Vec<Change> = purges.chain(reconciled).chain(settled).collect();
        if changes.is_empty() {
            return;
        }
        let (mut draft, mut known, project) = (self.state.clone(), changes.clone(), Arc::clone(&self.env.name));
        lokid_store::forget_lineage(&mut known);
        draft.apply_all(&known);
        let many = changes.len();
        let reply = Box::new(move |written: Result<(), EngineError>| match written {
            Ok(()) => tracing::info!(%project, changes = many, "what a merge left is settled"),
            Err(error) => tracing::warn!(%project, reason = %error, "what a merge left could not be settled yet"),
        });
        let bundles = vec![Bundle::by(By::Git, "left by a merge", changes)];
        self.finish(now, vec![Turn { bundles, told: false, reply }], draft);
    }

    fn reconcile(&self, merged: Memory, now: Timestamp) -> Vec<Change> {
        let Some(before) = self.state.get(&merged.key()).cloned() else { return Vec::new() };
        let merged = self.authority.weigh(&Arc::new(merged), Tier::Reference);
        if merged.conflicts().is_empty() {
            return vec![Change::Put { before: Some(before), after: merged }];
        }
        conflict::settle(&self.state, &merged, now)
    }
}

fn grave(change: &Change) -> Option<&Tombstone> {
    match change {
        Change::Purge(tombstone) => Some(tombstone),
        _ => None,
    }
}
