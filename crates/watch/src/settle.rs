//! The truth behind the hints: what stands there is compared with the listing, and the difference is reported.
//!
//! A file that came to rest, a folder that is gone, the tree itself when it moves away: each ends in the listing, and
//! only what changes the listing is reported.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::filter::TreePlace;
use super::ledger::DELAY;
use super::run::Driver;
use super::scan::{Difference, Folder};
use super::survey::Manner;
use super::walk::being_there;
use super::{Seen, WatchPlan};
use lokid_sys::tree::{self, Sort};

/// The roots without links, as events name them.
pub(super) fn resolved(mut plan: WatchPlan) -> WatchPlan {
    let resolve = |path: &mut PathBuf| {
        // A folder that does not exist yet stands in one that does.
        let parent = path.parent().and_then(|parent| lokid_sys::plain::canonical(parent).ok());
        let beside = parent.zip(path.file_name()).map(|(parent, name)| parent.join(name));
        if let Some(real) = lokid_sys::plain::canonical(path).ok().or(beside) {
            *path = real;
        }
    };
    resolve(&mut plan.worktree);
    resolve(&mut plan.loki_dir);
    [&mut plan.git_dir, &mut plan.common_dir, &mut plan.memory_dir].into_iter().flatten().for_each(resolve);
    plan
}

impl Driver {
    pub(super) fn read_shared_rules(&mut self) {
        let exclude = self.plan.common_dir.as_ref().or(self.plan.git_dir.as_ref());
        let exclude = exclude.and_then(|common| tree::rules(&common.join("info/exclude")));
        self.filter.rules.set_exclude(exclude.as_deref().unwrap_or_default());
        let global = tree::global_rules().and_then(|path| tree::rules(&path));
        self.filter.rules.set_global(global.as_deref().unwrap_or_default());
    }

    pub(super) fn report_known_logs(&mut self) {
        let files = self.listing.folders().flat_map(|path| {
            let names = self.listing.folder(path).into_iter().flat_map(Folder::names);
            names.map(|name| path.join(name))
        });
        let logs = files.filter_map(|path| self.filter.locate(&path).filter(|located| located.place == TreePlace::Log));
        let logs: Vec<String> = logs.map(|located| located.path).collect();
        logs.into_iter().for_each(|path| self.emit(Seen::Log { path }));
    }

    /// A path that came to rest.
    pub(super) fn settle(&mut self, now: Instant, path: &Path) {
        let found = tree::look(path);
        // A tree that is taken away piece by piece does not always say so itself.
        if found.is_none() && tree::identity(&self.plan.worktree).is_none() {
            self.scan_due = Some(now);
        }
        let is_folder = found.is_some_and(|(sort, _)| sort == Sort::Folder);
        if is_folder && self.filter.enters(path) {
            return self.survey.soon(path, Manner::Report);
        }
        if self.listing.folder(path).is_some() {
            self.forget(now, path, DELAY);
        }
        let Some(located) = self.filter.locate(path) else { return };
        // Folders matter only to git's operations, by being there.
        let counts = |sort| sort != Sort::Other && (sort != Sort::Folder || matches!(located.place, TreePlace::Git(_)));
        let mark = found.filter(|(sort, _)| counts(*sort)).map(|(_, mark)| being_there(mark, is_folder));
        if let Some(difference) = self.listing.put(path, mark) {
            self.report(now, path, difference, DELAY);
        }
    }

    /// A folder is gone with all below it.
    pub(super) fn forget(&mut self, now: Instant, path: &Path, delay: Duration) {
        let (folders, files) = self.listing.remove(path);
        for folder in folders {
            self.polled.remove(&folder);
            if self.watched.remove(&folder)
                && let Some(ears) = &mut self.ears
            {
                ears.unwatch(&folder, self.filter.is_work(&folder));
            }
        }
        files.iter().for_each(|file| self.report(now, file, Difference::Removed, delay));
        if self.polled.is_empty() && self.root.is_some() {
            self.pace.stop();
        }
    }

    /// A root that was renamed, removed or unmounted is noticed here, and so is its return, with which everything is looked
    /// at anyway.
    pub(super) fn is_root_there(&mut self, now: Instant) -> bool {
        let current = tree::identity(&self.plan.worktree);
        if current == self.root {
            return current.is_some();
        }
        if current.is_some() {
            self.arrive();
            return false;
        }
        self.warn("the working tree was moved away; waiting for its return".to_owned());
        (self.root, self.ears) = (None, None);
        self.watched.clear();
        self.debounce.clear();
        self.survey.end();
        self.pace.begin(now);
        false
    }

    pub(super) fn report(&mut self, now: Instant, path: &Path, difference: Difference, delay: Duration) {
        let Some(located) = self.filter.locate(path) else { return };
        let path = located.path;
        if self.shared.ledger.lock().takes_write(now, &path, delay) {
            return;
        }
        if located.place == TreePlace::Work && !self.flood.passes(now, &path, difference) {
            return;
        }
        let seen = match (located.place, difference) {
            (TreePlace::Work, Difference::Created) => Seen::Created { path },
            (TreePlace::Work, Difference::Edited) => Seen::Edited { path },
            (TreePlace::Work, Difference::Removed) => Seen::Removed { path },
            (TreePlace::Git(area), _) => {
                self.areas.insert(area);
                return;
            }
            (TreePlace::Continuity, _) => Seen::Continuity,
            (TreePlace::Trace, _) => Seen::LokiTrace { path },
            (TreePlace::Log, _) => Seen::Log { path },
            (TreePlace::Memory, _) => Seen::Memory { path },
            (TreePlace::Rules, _) => {
                self.rules_changed = true;
                Seen::Rules { path }
            }
            (TreePlace::IndexLock | TreePlace::EditorsFile, _) => return,
        };
        self.emit(seen);
    }
}
