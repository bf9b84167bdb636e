//! Somebody looks at a file, or a search, a build or a checkout reads them all: the kernel reports both alike.
//!
//! An opening is held for a moment. It passes when no storm broke out around it; an editor's helper file beside it lets
//! it pass at once. Pure: the time is an argument, and [`Burst::deadline`] says when to look next.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

const HOLD: Duration = Duration::from_millis(1_500);
/// The stretch over which files and folders are counted.
const STRETCH: Duration = Duration::from_secs(1);
const MOST_FILES: usize = 8;
const MOST_FOLDERS: usize = 20;
/// So many files of a folder right after it was listed: somebody walks the tree.
const SIBLINGS_OF_A_WALK: usize = 3;
/// A storm is over after so much quiet.
const QUIET: Duration = Duration::from_secs(1);
/// A lock of which nobody hears that it was given back counts for so long.
const AROUND_LOCK: Duration = Duration::from_secs(2);
/// One count a file.
const ONCE_IN: Duration = Duration::from_secs(30);
/// Entries that are kept to recognise a path again.
const ROOM: usize = 1_024;

#[derive(Default)]
pub(super) struct Burst {
    /// When each file was opened first; at most [`MOST_FILES`] and one.
    files: BTreeMap<String, Instant>,
    /// When each folder was listed first; at most [`MOST_FOLDERS`] and one.
    folders: BTreeMap<String, Instant>,
    held: BTreeMap<String, Instant>,
    counted: HashMap<String, Instant>,
    written: HashMap<String, Instant>,
    /// Files that an editor has open.
    proven: HashMap<String, Instant>,
    lock: Option<Instant>,
    /// The last opening of a storm that goes on.
    storm: Option<Instant>,
}

/// What an opening amounts to at first sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Discarded,
    /// Held; this much is known.
    Perhaps,
    Passed,
}

impl Burst {
    pub(super) fn opened(&mut self, now: Instant, path: &str) -> Verdict {
        if self.proven.get(path).is_some_and(|at| now.duration_since(*at) <= HOLD) {
            return if self.count(now, path) { Verdict::Passed } else { Verdict::Discarded };
        }
        // Before anything is counted: what git reads and writes is no storm that outlasts it.
        if self.is_locked(now) || self.storms_on(now) {
            return Verdict::Discarded;
        }
        self.age(now);
        self.files.entry(path.to_owned()).or_insert(now);
        if self.files.len() > MOST_FILES || self.walks(path) {
            self.break_out(now);
            return Verdict::Discarded;
        }
        if self.was_written(now, path) || self.was_counted(now, path) || self.held.contains_key(path) {
            return Verdict::Discarded;
        }
        self.held.insert(path.to_owned(), now);
        Verdict::Perhaps
    }

    /// Whether a storm goes on that this opening is part of.
    pub(super) fn absorbs(&mut self, now: Instant) -> bool {
        self.storms_on(now)
    }

    /// A folder was opened, which is to list it.
    pub(super) fn listed(&mut self, now: Instant, folder: &str) {
        if self.storms_on(now) {
            return;
        }
        self.age(now);
        self.folders.entry(folder.to_owned()).or_insert(now);
        if self.folders.len() > MOST_FOLDERS {
            self.break_out(now);
        }
    }

    /// git took the lock of its index: what was opened just before was opened by git.
    pub(super) fn locked(&mut self, now: Instant) {
        self.lock = Some(now);
        self.held.clear();
    }

    /// git gave the lock back and is done with the files: who opens one now is somebody else.
    pub(super) fn unlocked(&mut self) {
        self.lock = None;
        self.held.clear();
    }

    fn is_locked(&self, now: Instant) -> bool {
        self.lock.is_some_and(|at| now.duration_since(at) <= AROUND_LOCK)
    }

    /// More openings than could be told one by one.
    pub(super) fn flooded(&mut self, now: Instant) {
        self.break_out(now);
    }

    /// Whoever writes a file is no reader of it: the edit is reported, the opening is not.
    pub(super) fn wrote(&mut self, now: Instant, path: &str) {
        self.held.remove(path);
        // Whoever opens what git wrote is not the one that wrote it.
        if !self.is_locked(now) {
            remember(&mut self.written, now, path, HOLD);
        }
    }

    /// An editor put a helper file beside this one. `true` when that is news.
    pub(super) fn proved(&mut self, now: Instant, path: &str) -> bool {
        remember(&mut self.proven, now, path, HOLD);
        self.held.remove(path);
        self.count(now, path)
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.held.values().min().map(|at| *at + HOLD)
    }

    /// The openings that were held long enough.
    pub(super) fn due(&mut self, now: Instant) -> Vec<String> {
        let ripe = self.held.iter().filter(|(_, at)| now.duration_since(**at) >= HOLD);
        let ripe: Vec<String> = ripe.map(|(path, _)| path.clone()).collect();
        for path in &ripe {
            self.held.remove(path);
            self.count(now, path);
        }
        ripe
    }

    fn storms_on(&mut self, now: Instant) -> bool {
        let goes_on = self.storm.is_some_and(|last| now.duration_since(last) < QUIET);
        self.storm = goes_on.then_some(now);
        goes_on
    }

    fn age(&mut self, now: Instant) {
        self.files.retain(|_, at| now.duration_since(*at) < STRETCH);
        self.folders.retain(|_, at| now.duration_since(*at) < STRETCH);
    }

    fn break_out(&mut self, now: Instant) {
        self.storm = Some(now);
        self.held.clear();
        self.files.clear();
        self.folders.clear();
    }

    /// Whether files of a folder are opened one after the other since it was listed.
    fn walks(&self, path: &str) -> bool {
        let parent = parent(path);
        let Some(listed) = self.folders.get(parent) else { return false };
        let after = self.files.iter().filter(|(file, at)| parent == self::parent(file) && *at >= listed);
        after.count() >= SIBLINGS_OF_A_WALK
    }

    fn was_written(&self, now: Instant, path: &str) -> bool {
        self.written.get(path).is_some_and(|at| now.duration_since(*at) <= HOLD)
    }

    fn was_counted(&self, now: Instant, path: &str) -> bool {
        self.counted.get(path).is_some_and(|at| now.duration_since(*at) < ONCE_IN)
    }

    fn count(&mut self, now: Instant, path: &str) -> bool {
        let news = !self.was_counted(now, path);
        if news {
            remember(&mut self.counted, now, path, ONCE_IN);
        }
        news
    }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn remember(list: &mut HashMap<String, Instant>, now: Instant, path: &str, lasting: Duration) {
    if list.len() >= ROOM && !list.contains_key(path) {
        list.retain(|_, at| now.duration_since(*at) <= lasting);
        if list.len() >= ROOM {
            list.clear();
        }
    }
    list.insert(path.to_owned(), now);
}

#[cfg(test)]
mod tests;
