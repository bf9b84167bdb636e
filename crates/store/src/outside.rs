//! What is remembered while the repository cannot be written: a read-only mount, rights that are missing, a working tree
//! that is not there. It waits in the journal, which stands in lokid's own state directory, and goes into its files, in
//! the order in which it was told, as soon as they can be written again. Readers see it all the while.

use std::collections::HashSet;
use std::io;

use super::{Store, Waiting};
use lokid_model::{Change, Key, Problem};
use lokid_sys::plain;

impl Store {
    /// Has this to wait until the repository can be written?
    pub(super) fn must_stay_outside(&self, changes: &[Change]) -> bool {
        changes.iter().any(is_shared) && self.is_shut()
    }

    pub(super) fn is_shut(&self) -> bool {
        plain::refuses_writing(&self.shared.path()) || !self.shared.has_base()
    }

    /// Durable when this returns, though not where it belongs.
    pub(super) fn put_outside(&mut self, changes: &[Change]) -> io::Result<()> {
        self.journal.intend(changes)?;
        self.waiting.push(Waiting { changes: changes.to_vec(), left: None });
        let purged: HashSet<Key> = changes.iter().filter_map(purged).collect();
        if !purged.is_empty() {
            self.strike(&purged);
        }
        self.trouble = Some(self.say_shut());
        Ok(())
    }

    /// In the log once, in the status for as long as it lasts.
    pub(super) fn say_shut(&mut self) -> (Problem, io::ErrorKind) {
        let place = self.shared.path();
        if !std::mem::replace(&mut self.shut, true) {
            tracing::warn!(
                path = %place.display(),
                "the repository cannot be written: what is remembered is kept in lokid's state directory until it can"
            );
        }
        let many = self.kept_outside();
        let why = format!("{} cannot be written; changes kept safe until it can: {many}", place.display());
        (Problem::new("journal", why), io::ErrorKind::ReadOnlyFilesystem)
    }

    /// What is purged may not wait in the journal, either. Its purge stays, for the files.
    fn strike(&mut self, purged: &HashSet<Key>) {
        let holds = |change: &Change| match change {
            Change::Put { after, .. } => purged.contains(&after.key()),
            Change::Archive(entry) | Change::Restore(entry) => purged.contains(&entry.memory.key()),
            _ => false,
        };
        for waiting in &mut self.waiting {
            // A plan that was begun holds the text, too; what is left is planned anew.
            if waiting.changes.iter().any(holds) {
                waiting.changes.retain(|change| !holds(change));
                waiting.left = None;
            }
        }
        self.waiting.retain(|waiting| !waiting.changes.is_empty());
        self.clear_journal();
    }

    /// Tells when everything that waited for the repository is in its files.
    pub(super) fn say_open(&mut self) {
        if self.shut && !self.waiting.iter().any(|waiting| waiting.changes.iter().any(is_shared)) {
            self.shut = false;
            tracing::info!(
                path = %self.shared.path().display(),
                changes = self.let_in.len(),
                "the repository can be written again, and what waited for it was"
            );
        }
    }

    /// Changes that have come into their files since they were told, and that nobody has heard of yet: the layers that
    /// were not written meanwhile should be.
    pub fn take_let_in(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.let_in)
    }

    /// Changes that are safe and not yet in their files.
    pub fn kept_outside(&self) -> usize {
        self.waiting.iter().map(|waiting| waiting.changes.len()).sum()
    }
}

fn purged(change: &Change) -> Option<Key> {
    match change {
        Change::Purge(tombstone) => Some(tombstone.key.clone()),
        _ => None,
    }
}

/// Does it belong below the repository? What is the user's own never does.
pub(super) fn is_shared(change: &Change) -> bool {
    match change {
        Change::Put { after, .. } => after.scope.is_shared(),
        Change::Archive(entry) | Change::Restore(entry) => entry.memory.scope.is_shared(),
        Change::Purge(tombstone) => tombstone.scope.is_shared(),
        Change::Link(_) | Change::Unlink(_) | Change::Contradict(_) | Change::Write(_) | Change::Vanished(_) => true,
    }
}
