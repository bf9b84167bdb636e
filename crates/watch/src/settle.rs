//! The truth behind the hints: what stands there is compared with the listing, and the difference is reported.
//!
//! A file that came to rest, a folder that is new, the whole tree after a loss: each ends in the listing, and only what
//! changes the listing is reported.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::debounce::Hint;
use super::filter::TreePlace;
use super::ledger::{DELAY, SCAN_DELAY};
use super::notify::Ears;
use super::rules::Rules;
use super::run::Driver;
use super::scan::{Difference, Folder};
use super::walk::{self, ReadFolder, being_there};
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

/// New files of a new folder rest like others, unless they are many.
const MOST_RESTING: usize = 1_024;

impl Driver {
    /// The working tree is there, at the start or again: listen and list.
    pub(super) fn arrive(&mut self) {
        let now = self.now();
        self.root = tree::identity(&self.plan.worktree);
        if self.root.is_none() {
            self.warn("the working tree is not there".to_owned());
            return self.pace.begin(now);
        }
        self.ears = None;
        self.watched.clear();
        self.polled.clear();
        if self.plan.limits.polling || tree::is_remote(&self.plan.worktree) {
            self.warn("this file system is looked at from time to time instead of listened to".to_owned());
        } else {
            match Ears::new(&self.queue.0, &self.losses) {
                Ok(ears) => self.ears = Some(ears),
                Err(error) => self.warn(format!("cannot listen for changes, looking from time to time: {error}")),
            }
        }
        self.read_shared_rules();
        let first = self.listing.folders().next().is_none();
        for root in self.filter.roots() {
            self.visit(now, &root, !first);
        }
        if first {
            self.report_known_logs();
        }
        if self.polled.is_empty() {
            self.pace.stop();
        } else {
            self.pace.begin(now);
        }
        self.scanned(now);
    }

    fn read_shared_rules(&mut self) {
        let exclude = self.plan.common_dir.as_ref().or(self.plan.git_dir.as_ref());
        let exclude = exclude.and_then(|common| tree::rules(&common.join("info/exclude")));
        self.filter.rules.set_exclude(exclude.as_deref().unwrap_or_default());
        let global = tree::global_rules().and_then(|path| tree::rules(&path));
        self.filter.rules.set_global(global.as_deref().unwrap_or_default());
    }

    fn report_known_logs(&mut self) {
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
            return self.visit(now, path, true);
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

    /// A folder that just appeared: listen at once, since what is put into it now would go unheard.
    pub(super) fn visit_new(&mut self, now: Instant, path: &Path) {
        let mut read = Vec::new();
        self.listen_and_read(now, path, &mut read);
        // It may be known from a moment ago, or be another one of the same name: then what was known is looked at too.
        let known = self.listing.folders_below(path);
        let known_files = known.iter().filter_map(|path| Some((path, self.listing.folder(path)?)));
        let known_files = known_files.flat_map(|(path, folder)| folder.names().map(move |name| path.join(name)));
        let mut resting: BTreeSet<PathBuf> = known_files.collect();
        resting.extend(known);
        resting.extend(read.iter().flat_map(ReadFolder::files));
        for folder in &read {
            resting.remove(&folder.path);
        }
        if resting.len() > MOST_RESTING.min(self.debounce.room()) {
            return self.take_in(now, path, read, |_| true);
        }
        read.iter().for_each(|folder| self.listing.open_folder(&folder.path));
        for path in resting {
            self.debounce.hint(now, &path, Hint::Edited);
        }
    }

    /// Reads a folder and all below it, listens there, and compares.
    pub(super) fn visit(&mut self, now: Instant, path: &Path, report: bool) {
        let mut read = Vec::new();
        self.listen_and_read(now, path, &mut read);
        self.take_in(now, path, read, |_| report);
    }

    fn take_in(&mut self, now: Instant, path: &Path, read: Vec<ReadFolder>, counts: impl Fn(&Path) -> bool) {
        let mut gone: BTreeSet<PathBuf> = self.listing.folders_below(path).into_iter().collect();
        for folder in read {
            gone.remove(&folder.path);
            let path = folder.path.clone();
            let differences = self.listing.replace(&path, folder.into_folder());
            for (file, what) in differences {
                if counts(&file) {
                    self.report(now, &file, what, SCAN_DELAY);
                }
            }
        }
        // Another root may lie below this one; it is visited by itself.
        let roots = self.filter.roots();
        gone.retain(|folder| {
            !roots.iter().any(|root| root != path && root.starts_with(path) && folder.starts_with(root))
        });
        for folder in gone {
            self.forget(now, &folder, SCAN_DELAY);
        }
    }

    /// First reads, then listens, then reads again what changed in between: so our own reading makes no noise.
    fn listen_and_read(&mut self, now: Instant, path: &Path, read: &mut Vec<ReadFolder>) {
        let mut waiting = vec![path.to_owned()];
        while !waiting.is_empty() {
            let mut fresh = Vec::new();
            let mut level = std::mem::take(&mut waiting);
            while !level.is_empty() {
                let found: Vec<ReadFolder> = level.iter().filter_map(|folder| self.read_folder(now, folder)).collect();
                level = found.iter().flat_map(|folder| folder.below.iter().cloned()).collect();
                fresh.extend(found);
            }
            self.listen(fresh.iter().map(|folder| folder.path.clone()).collect());
            for folder in fresh {
                if folder.is_current() {
                    read.push(folder);
                } else if let Some(again) = self.read_folder(now, &folder.path) {
                    let before: BTreeSet<&PathBuf> = folder.below.iter().collect();
                    waiting.extend(again.below.iter().filter(|below| !before.contains(below)).cloned());
                    read.push(again);
                }
            }
        }
    }

    fn read_folder(&mut self, now: Instant, path: &Path) -> Option<ReadFolder> {
        if let Some(inside) = path.strip_prefix(&self.plan.worktree).ok().and_then(Path::to_str) {
            // Heard from the folder itself and from the one above.
            let times = [Some(path), path.parent()].into_iter().flatten();
            let times = times.filter(|folder| self.watched.contains(*folder)).count();
            self.shared.ledger.lock().expect_open(now, inside, u32::try_from(times).unwrap_or(0));
        }
        walk::read(&mut self.filter, path, self.shared.clock.now())
    }

    fn listen(&mut self, folders: Vec<PathBuf>) {
        let Some(ears) = &mut self.ears else {
            self.polled.extend(folders);
            return;
        };
        let room = self.plan.limits.max_watches.saturating_sub(self.watched.len());
        let (known, mut new): (Vec<PathBuf>, Vec<PathBuf>) =
            folders.into_iter().partition(|folder| self.watched.contains(folder));
        let beyond = new.split_off(room.min(new.len()));
        let asked: Vec<PathBuf> = known.into_iter().chain(new).collect();
        let filter = &self.filter;
        let refused = ears.watch(asked.clone(), |folder| filter.is_work(folder));
        for folder in asked {
            self.polled.remove(&folder);
            self.watched.insert(folder);
        }
        if refused.limited || !beyond.is_empty() {
            self.warn(
                "too many folders to listen to all of them; the rest is looked at from time to time \
                 (raise fs.inotify.max_user_watches, or ignore what is generated)"
                    .to_owned(),
            );
        }
        for folder in refused.folders.into_iter().chain(beyond) {
            self.watched.remove(&folder);
            self.polled.insert(folder);
        }
        if !self.polled.is_empty() && self.pace.deadline().is_none() {
            self.pace.begin(self.now());
        }
    }

    /// A folder is gone with all below it.
    fn forget(&mut self, now: Instant, path: &Path, delay: Duration) {
        let (folders, files) = self.listing.remove(path);
        for folder in folders {
            self.watched.remove(&folder);
            self.polled.remove(&folder);
        }
        files.iter().for_each(|file| self.report(now, file, Difference::Removed, delay));
        if self.polled.is_empty() && self.root.is_some() {
            self.pace.stop();
        }
    }

    /// What is ignored changed: the listing follows. Only what would have been reported before is reported now.
    pub(super) fn reshape(&mut self, now: Instant) {
        let rules = Rules::new(&self.plan.worktree, &self.plan.ignore);
        let before = std::mem::replace(&mut self.filter.rules, rules);
        self.read_shared_rules();
        let root = self.plan.worktree.clone();
        let mut read = Vec::new();
        self.listen_and_read(now, &root, &mut read);
        let kept: BTreeSet<&PathBuf> = read.iter().map(|folder| &folder.path).collect();
        let known = self.listing.folders_below(&root).into_iter();
        for folder in known.filter(|folder| !kept.contains(folder) && self.filter.is_work(folder)) {
            if let Some(ears) = &mut self.ears {
                ears.unwatch(&folder, true);
            }
        }
        self.take_in(now, &root, read, |path| !before.ignores(path, false));
    }

    /// Looks at everything, because something was lost or long ago.
    pub(super) fn scan_all(&mut self, now: Instant) {
        self.scan_due = None;
        if !self.is_root_there(now) {
            return;
        }
        self.debounce.clear();
        let folders: Vec<PathBuf> = self.listing.folders().cloned().collect();
        self.look_at(now, folders);
        for root in self.filter.roots() {
            if self.listing.folder(&root).is_none() {
                self.visit(now, &root, true);
            }
        }
        self.scanned(now);
    }

    /// Looks where no event comes from.
    pub(super) fn poll(&mut self, now: Instant) {
        if !self.is_root_there(now) {
            return self.pace.looked(now, Duration::ZERO, false);
        }
        if self.ears.is_none() {
            self.scan_all(now);
        } else {
            let folders = self.polled.iter().cloned().collect();
            self.look_at(now, folders);
        }
    }

    fn look_at(&mut self, now: Instant, folders: Vec<PathBuf>) {
        let mut changed = false;
        for path in folders {
            self.listen_again_if_replaced(&path);
            let Some(known) = self.listing.folder(&path) else { continue };
            let differences = match walk::refresh(&path, known) {
                Some(folder) => self.listing.replace(&path, folder),
                None => match self.read_folder(now, &path) {
                    Some(read) => {
                        let new = read.below.iter().filter(|below| self.listing.folder(below).is_none());
                        let new: Vec<PathBuf> = new.cloned().collect();
                        let differences = self.listing.replace(&path, read.into_folder());
                        changed |= !new.is_empty();
                        new.iter().for_each(|folder| self.visit(now, folder, true));
                        differences
                    }
                    None => {
                        changed = true;
                        self.forget(now, &path, SCAN_DELAY);
                        continue;
                    }
                },
            };
            changed |= !differences.is_empty();
            differences.into_iter().for_each(|(file, what)| self.report(now, &file, what, SCAN_DELAY));
        }
        if self.polled.is_empty() {
            self.pace.stop();
        } else {
            let done = self.now();
            self.pace.looked(done, done.saturating_duration_since(now), changed);
        }
    }

    /// When events were lost, a folder may have been replaced by another of its name, and the watch with it.
    fn listen_again_if_replaced(&mut self, path: &Path) {
        let known = self.listing.folder(path).and_then(|folder| folder.mark).map(|mark| mark.inode);
        let Some(current) = tree::look(path).map(|(_, mark)| mark.inode) else { return };
        if known != Some(current) && self.watched.remove(path) {
            let is_work = self.filter.is_work(path);
            if let Some(ears) = &mut self.ears {
                ears.unwatch(path, is_work);
            }
            self.listen(vec![path.to_owned()]);
        }
    }

    fn scanned(&mut self, began: Instant) {
        let now = self.now();
        self.last_scan = Some((now, now.saturating_duration_since(began)));
        let mut state = self.shared.state.lock();
        state.scans += 1;
        state.files = self.listing.files();
        state.unreadable_names = self.listing.unreadable();
    }

    /// A root that was renamed, removed or unmounted is noticed here, and so is its return.
    fn is_root_there(&mut self, now: Instant) -> bool {
        let current = tree::identity(&self.plan.worktree);
        if current == self.root {
            return current.is_some();
        }
        if current.is_some() {
            self.arrive();
            return true;
        }
        self.warn("the working tree was moved away; waiting for its return".to_owned());
        (self.root, self.ears) = (None, None);
        self.watched.clear();
        self.debounce.clear();
        self.pace.begin(now);
        false
    }

    fn report(&mut self, now: Instant, path: &Path, difference: Difference, delay: Duration) {
        let Some(located) = self.filter.locate(path) else { return };
        let path = located.path;
        if self.shared.ledger.lock().takes_write(now, &path, delay) {
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
