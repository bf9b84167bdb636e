//! Who asks for more authority than they have here, and what becomes of it when the user says so.

use std::sync::Arc;

use super::Writer;
use crate::authority::asks_for_more;
use crate::error::EngineError;
use crate::event::{Claimant, TrustRequest};
use lokid_model::{Change, Key, Memory, Tier, Timestamp};

impl Writer {
    pub(super) fn trust(&mut self, request: TrustRequest, now: Timestamp) -> Result<Vec<Claimant>, EngineError> {
        let asking = |memory: &&Arc<Memory>| memory.claim.is_some_and(|claim| asks_for_more(claim, Tier::Reference));
        let claimants = || self.state.memories().filter(asking).cloned();
        let find = |key: &Key| self.state.get(key).cloned().ok_or_else(|| EngineError::NotFound(key.clone()));
        let (chosen, grants): (Vec<Arc<Memory>>, bool) = match &request {
            TrustRequest::List => (claimants().collect(), false),
            TrustRequest::All => (claimants().collect(), true),
            TrustRequest::Authors(names) => {
                let is_theirs = |memory: &Arc<Memory>| memory.actor.as_ref().is_some_and(|actor| names.contains(actor));
                (claimants().filter(is_theirs).collect(), true)
            }
            TrustRequest::Keys(keys) => (keys.iter().map(find).collect::<Result<_, _>>()?, true),
            TrustRequest::Revoke(keys) => (keys.iter().map(find).collect::<Result<_, _>>()?, false),
        };
        let done = match &request {
            TrustRequest::Revoke(keys) => self.authority.revoke(keys, now),
            _ if grants => self.authority.confirm(chosen.iter().filter(asking), now).map(drop),
            _ => Ok(()),
        };
        done.map_err(|error| EngineError::refused(&error))?;
        if request != TrustRequest::List {
            self.weigh_again(&chosen, now);
        }
        let keys = chosen.iter().map(|memory| memory.key());
        Ok(keys.filter_map(|key| self.claimant(&key)).collect())
    }

    /// Nothing of it is written to the repository: what a file asks to be stays its own.
    pub(super) fn weigh_again(&mut self, memories: &[Arc<Memory>], now: Timestamp) {
        if memories.is_empty() {
            return;
        }
        let mut changes = Vec::new();
        for memory in memories {
            let is_derived = self.state.is_derived(&memory.key());
            let weighed =
                if is_derived { self.weigh_derived(memory) } else { self.authority.weigh(memory, Tier::Reference) };
            if !Arc::ptr_eq(&weighed, memory) {
                changes.push(Change::Put { before: Some(Arc::clone(memory)), after: weighed });
            }
        }
        // A put leaves who taught it untold.
        let derived: Vec<Key> =
            changes.iter().flat_map(Change::keys).filter(|key| self.state.is_derived(key)).collect();
        self.state.apply_all(&changes);
        derived.iter().for_each(|key| self.state.set_derived(key, true));
        self.publish();
        self.announce(&changes);
        self.tell(now, &changes);
    }

    fn claimant(&self, key: &Key) -> Option<Claimant> {
        let memory = self.state.get(key)?.clone();
        let taught = || memory.sources.first().filter(|_| self.state.is_derived(key)).cloned();
        let file = self.store.file_of(key).or_else(taught);
        Some(Claimant { memory, file })
    }
}
