//! How it stands with looking ahead, for whoever watches: what is being worked on, and what is ready for it.

use std::sync::Arc;

use super::Contexts;
use super::cache::{Prepared, Tally};
use crate::focus::{Focus, Owner};

impl Contexts {
    /// Known focuses, contexts that stand ready, and how often that paid.
    pub fn cached(&self) -> (usize, usize, Tally) {
        let focuses = self.focuses.lock().count();
        let cache = self.cache.lock();
        (focuses, cache.count(), cache.tally)
    }

    /// What is being worked on, as far as signals tell, and in which working tree.
    pub fn focus(&self) -> (Owner, Focus) {
        self.focuses.lock().latest()
    }

    /// Contexts that would be handed out as they are, the latest first, and whether somebody has asked for them.
    pub fn standing_ready(&self, most: usize) -> Vec<(Arc<Prepared>, bool)> {
        let (stamp, now) = (self.stamp(), self.env.clock.now());
        let cache = self.cache.lock();
        let standing = cache.standing(&stamp, now).take(most);
        standing.map(|(prepared, asked)| (Arc::clone(prepared), asked)).collect()
    }
}
