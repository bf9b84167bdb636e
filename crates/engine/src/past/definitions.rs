//! Which definitions the newest commits changed, for whoever asks which of them a goal means. Read after all else: it takes a
//! few milliseconds a commit, and everything can be answered without it.

use std::ops::ControlFlow;

use super::{Chapter, PastWorker};
use crate::ground::passages::Changes;
use lokid_model::Commit;

/// What is older tells hardly anything more.
const MOST_COMMITS: usize = 1_000;

impl PastWorker {
    pub(super) fn read_changed_definitions(&mut self) {
        let Some(commits) = self.published.commits.load_full() else { return };
        let most = self.env.config.load().bootstrap.max_commits.min(MOST_COMMITS);
        let newest = commits.newest(most);
        let unread: Vec<&Commit> = self.subjects.unread(&newest);
        let Some(mut changes) = Changes::open(&self.env.root).filter(|_| !unread.is_empty() && most > 0) else {
            return;
        };
        self.begin(Chapter::History, unread.len());
        let mut step = || {
            self.step();
            if self.is_stopping() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mut changed = changes.of_all(&unread, &mut step);
        self.subjects.note_changed(&mut changed);
        self.published.publish(&self.published.subjects, self.subjects.clone());
        if let Err(error) = self.folder.keep_history(&self.cochange, &self.subjects, &self.counted) {
            tracing::warn!(project = %self.env.name, reason = %error, "the history could not be kept");
        }
    }
}
