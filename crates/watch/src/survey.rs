//! Going through the tree, folder by folder and a slice at a time: the first listing, new folders, changed rules, the look
//! at everything after a loss, and the look where no event comes from.
//!
//! Between two slices the thread hears events and orders, so that no tree, however large or deep, makes it deaf.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::debounce::Hint;
use super::ears::Ears;
use super::filter::DEEPEST;
use super::ledger::SCAN_DELAY;
use super::rules::Rules;
use super::run::Driver;
use super::scan::Difference;
use super::walk::{self, ReadFolder};
use lokid_sys::tree;

/// So long it goes on before events are heard again.
const SLICE: Duration = Duration::from_millis(20);
/// Folders that are read, listened to and compared together.
const BATCH: usize = 64;
/// New files of a new folder rest like others, unless they are many.
const MOST_RESTING: usize = 1_024;

/// What is made of a folder and those below it.
#[derive(Clone)]
pub(super) enum Manner {
    /// What stands there at the start is no news.
    Quiet,
    Report,
    /// It has just appeared: its files come to rest like others before they are reported.
    Rest,
    /// It is known, and so are those below it: it is read only when a name came or went.
    Look,
    /// What is ignored changed: only what would have been reported before is reported now.
    Reshape(Arc<Rules>),
}

/// What is still to be looked at.
#[derive(Default)]
pub(super) struct Survey {
    waiting: VecDeque<(PathBuf, Manner)>,
    cost: Duration,
    changed: bool,
    /// All of the tree.
    whole: bool,
    /// Where no event comes from.
    polls: bool,
}

impl Survey {
    pub(super) fn is_over(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn end(&mut self) {
        *self = Survey::default();
    }

    /// Before whatever waits: somebody works there just now.
    pub(super) fn soon(&mut self, path: &Path, manner: Manner) {
        self.waiting.push_front((path.to_owned(), manner));
    }

    fn later(&mut self, paths: impl IntoIterator<Item = PathBuf>, manner: &Manner) {
        self.waiting.extend(paths.into_iter().map(|path| (path, manner.clone())));
    }
}

impl Driver {
    /// The working tree is there, at the start or again: listen and list.
    pub(super) fn arrive(&mut self) {
        let now = self.now();
        self.survey.end();
        self.root = tree::identity(&self.plan.worktree);
        if self.root.is_none() {
            self.warn("the working tree is not there".to_owned());
            self.say_ready();
            return self.pace.begin(now);
        }
        self.ears = None;
        self.watched.clear();
        self.polled.clear();
        self.open_ears();
        self.read_shared_rules();
        let first = self.listing.folders().next().is_none();
        let manner = if first { Manner::Quiet } else { Manner::Report };
        self.survey.later(self.filter.roots(), &manner);
        self.survey.whole = true;
    }

    /// Answers whether there are ears now that were not there before.
    fn open_ears(&mut self) -> bool {
        if self.plan.limits.polling || tree::is_remote(&self.plan.worktree) {
            self.because("this file system is looked at from time to time instead of listened to");
            return false;
        }
        match Ears::new(&self.queue.0, &self.losses) {
            Ok(ears) => self.ears = Some(ears),
            Err(error) => self.because(&format!("cannot listen for changes, looking from time to time: {error}")),
        }
        self.ears.is_some()
    }

    /// Looks at everything, because something was lost or long ago.
    pub(super) fn scan_all(&mut self, now: Instant) {
        self.scan_due = None;
        if !self.is_root_there(now) {
            return;
        }
        self.debounce.clear();
        let known: Vec<PathBuf> = self.listing.folders().cloned().collect();
        self.survey.later(known, &Manner::Look);
        let new = self.filter.roots().into_iter().filter(|root| self.listing.folder(root).is_none());
        self.survey.later(new, &Manner::Report);
        self.survey.whole = true;
    }

    /// Looks where no event comes from, and whether events can be had there by now.
    pub(super) fn poll(&mut self, now: Instant) {
        if !self.is_root_there(now) {
            return self.pace.looked(now, Duration::ZERO, false);
        }
        if self.ears.is_none() && self.open_ears() {
            self.polled.clear();
            self.survey.later(self.filter.roots(), &Manner::Report);
            self.survey.whole = true;
            return;
        }
        if self.ears.is_none() {
            self.scan_all(now);
        } else {
            let polled: Vec<PathBuf> = self.polled.iter().cloned().collect();
            self.listen(polled.clone());
            self.survey.later(polled, &Manner::Look);
        }
        self.survey.polls = true;
        if self.survey.is_over() {
            self.surveyed(now);
        }
    }

    /// What is ignored changed: the listing follows.
    pub(super) fn reshape(&mut self) {
        let before = Arc::new(self.filter.rules.clone());
        self.read_shared_rules();
        self.survey.later([self.plan.worktree.clone()], &Manner::Reshape(before));
    }

    /// Goes on for a slice of time.
    pub(super) fn go_on(&mut self) {
        if self.survey.is_over() {
            return;
        }
        let began = self.now();
        let mut now = began;
        while !self.survey.is_over() && now.saturating_duration_since(began) < SLICE {
            let count = self.survey.waiting.len().min(BATCH);
            let batch = self.survey.waiting.drain(..count).collect();
            self.look_at(now, batch);
            now = self.now();
        }
        self.survey.cost += now.saturating_duration_since(began);
        if self.survey.is_over() {
            self.surveyed(now);
        }
    }

    /// First reads, then listens, then reads again what changed in between: so our own reading makes no noise.
    fn look_at(&mut self, now: Instant, batch: Vec<(PathBuf, Manner)>) {
        let mut read = Vec::new();
        for (path, manner) in batch {
            if matches!(manner, Manner::Look) {
                let Some(known) = self.listing.folder(&path) else { continue };
                if let Some(folder) = walk::refresh(&path, known) {
                    let differences = self.listing.replace(&path, folder);
                    self.tell(now, differences, &manner);
                    continue;
                }
            }
            match self.read_folder(now, &path) {
                Some(folder) => read.push((folder, manner)),
                None => self.is_gone(now, &path),
            }
        }
        self.listen(read.iter().map(|(folder, _)| folder.path.clone()).collect());
        for (folder, manner) in read {
            let path = folder.path.clone();
            match if folder.is_current() { Some(folder) } else { self.read_folder(now, &path) } {
                Some(folder) => self.take_in(now, folder, &manner),
                None => self.is_gone(now, &path),
            }
        }
        if std::mem::take(&mut self.filter.has_depths) {
            self.warn(format!("folders more than {DEEPEST} levels deep are passed over"));
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

    fn is_gone(&mut self, now: Instant, path: &Path) {
        if self.listing.folder(path).is_some() {
            self.survey.changed = true;
            self.forget(now, path, SCAN_DELAY);
        }
    }

    /// Compares a folder with what was known of it, and sees to those that lie in it.
    fn take_in(&mut self, now: Instant, folder: ReadFolder, manner: &Manner) {
        let path = folder.path.clone();
        let below: HashSet<&PathBuf> = folder.below.iter().collect();
        let known = self.listing.folders_in(&path);
        let rests = matches!(manner, Manner::Rest);
        for gone in known.iter().filter(|known| !below.contains(known)) {
            if rests {
                self.debounce.hint(now, gone, Hint::Edited);
            } else {
                self.is_gone(now, gone);
            }
        }
        match manner {
            Manner::Look => {
                let known: HashSet<&PathBuf> = known.iter().collect();
                let new: Vec<PathBuf> = folder.below.iter().filter(|below| !known.contains(below)).cloned().collect();
                self.survey.changed |= !new.is_empty();
                self.survey.later(new, &Manner::Report);
            }
            Manner::Rest => folder.below.iter().for_each(|below| self.survey.soon(below, Manner::Rest)),
            manner => self.survey.later(folder.below.iter().cloned(), manner),
        }
        if rests && self.let_rest(now, &folder) {
            return;
        }
        let differences = self.listing.replace(&path, folder.into_folder());
        self.tell(now, differences, manner);
    }

    /// `false` when they are too many. It may be known from a moment ago, or be another one of the same name: then what
    /// was known is looked at too.
    fn let_rest(&mut self, now: Instant, folder: &ReadFolder) -> bool {
        let known = self.listing.folder(&folder.path).into_iter().flat_map(|known| known.names());
        let mut resting: HashSet<PathBuf> = known.map(|name| folder.path.join(name)).collect();
        resting.extend(folder.files());
        if resting.len() > MOST_RESTING.min(self.debounce.room()) {
            return false;
        }
        self.listing.open_folder(&folder.path);
        for path in resting {
            self.debounce.hint(now, &path, Hint::Edited);
        }
        true
    }

    fn tell(&mut self, now: Instant, differences: Vec<(PathBuf, Difference)>, manner: &Manner) {
        self.survey.changed |= !differences.is_empty();
        for (file, what) in differences {
            let counts = match manner {
                Manner::Quiet => false,
                Manner::Reshape(before) => !before.ignores(&file, false),
                Manner::Report | Manner::Rest | Manner::Look => true,
            };
            if counts {
                self.report(now, &file, what, SCAN_DELAY);
            }
        }
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
            self.because(
                "too many folders to listen to all of them; the rest is looked at from time to time \
                 (raise fs.inotify.max_user_watches, or ignore what is generated)",
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

    /// Everything that waited was looked at.
    fn surveyed(&mut self, now: Instant) {
        let Survey { cost, changed, whole, polls, .. } = std::mem::take(&mut self.survey);
        if whole {
            self.last_scan = Some((now, cost));
            let mut state = self.shared.state.lock();
            state.scans += 1;
            state.files = self.listing.files();
            state.unreadable_names = self.listing.unreadable();
        }
        if self.polled.is_empty() {
            self.pace.stop();
        } else if polls {
            self.pace.looked(now, cost, changed);
        } else if self.pace.deadline().is_none() {
            self.pace.begin(now);
        }
        if whole {
            self.say_ready();
        }
    }
}
