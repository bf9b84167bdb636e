//! Counts of use, added to the records whose files have room for them.

use super::Writer;
use lokid_model::{Body, Change, Key, Memory, Timestamp, Usage};

impl Writer {
    /// Adds what was counted to the records that have fields for it. Nothing about them is new, so nobody is told.
    pub(super) fn fold_usage(&mut self, now: Timestamp) {
        let has_fields = |memory: &Memory| {
            let in_loki_modes_file = matches!(memory.body, Body::Episode(_) | Body::Pattern(_) | Body::Skill(_));
            in_loki_modes_file && memory.scope.is_shared()
        };
        let own = |key: &Key| self.state.get(key).filter(|memory| has_fields(memory) && !self.state.is_derived(key));
        let taken = self.usage.take(|key| own(key).is_some());
        let counted = |(key, usage): &(Key, Usage)| {
            let before = self.state.get(key)?;
            let after = Memory { usage: before.usage.plus(usage).into(), ..before.as_ref().clone() };
            Some(Change::Put { before: Some(before.clone()), after: after.into() })
        };
        let changes: Vec<Change> = taken.iter().filter_map(counted).collect();
        if changes.is_empty() {
            return;
        }
        match self.commit(now, &changes) {
            Ok(mut seen) => {
                self.state.apply_all(&changes);
                let before = self.apply_seen(&mut seen);
                self.publish();
                self.announce_seen(&before, &seen);
            }
            Err(error) => {
                tracing::warn!(project = %self.env.name, reason = %error, "how often memories were used could not be written");
                self.usage.give_back(taken);
            }
        }
    }
}
