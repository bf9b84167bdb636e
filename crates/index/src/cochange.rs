//! Which files change together, how often and how lately: kept from commits, for the question "what else belongs to
//! this file?".
//!
//! Derived data: it can be thrown away and read again. Commits are kept as a log of small numbers with, for each file
//! and author, the places in it; whoever asks weighs them as they like. It never reads a repository or a clock.

mod areas;
mod bytes;
mod followed;
mod heat;
mod limit;
mod log;
mod moves;
mod names;
mod noise;
mod partners;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use lokid_model::{Commit, FileStatus};
use serde::{Deserialize, Serialize};

pub use log::{Entry, PathId};
pub use names::{folder_of, stem_of};
pub use noise::{is_bot, is_release, is_trivial};
pub use partners::Partner;

/// A commit counts half as much after this many days,
const HALF_LIFE_DAYS: f64 = 365.0;
/// and half as much after this many further commits.
const HALF_LIFE_COMMITS: f64 = 4_000.0;
/// The same for how busy a file is these days.
const HALF_LIFE_HEAT: f64 = 200.0;
/// A commit with more files says nothing about what belongs together, and is not logged.
const MOST_FILES_OF_A_COMMIT: usize = 50;
const MOST_AUTHORS_OF_A_FILE: usize = 8;
/// An author's latest commits.
const MOST_COMMITS_OF_AN_AUTHOR: usize = 32;

/// Commits may be taken in newest first, as history is read, or oldest first; later ones as they are made. New commits
/// that come several at once are best taken in oldest first.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Cochange {
    files: Vec<File>,
    /// Every name a file ever had leads to its place in `files`.
    places: HashMap<String, PathId>,
    /// By today's names.
    folders: HashMap<String, BTreeSet<PathId>>,
    stems: HashMap<String, BTreeSet<PathId>>,
    authors: Vec<Author>,
    author_places: HashMap<String, u32>,
    /// Oldest first.
    log: VecDeque<Entry>,
    /// The number of the first commit in the log: new ones count up, older ones down.
    first: i64,
    /// Files of all commits in the log.
    touches: usize,
    commits: u64,
    /// What seems to go on under another name, in a history that never tells of a deletion: the old and the new file.
    followed: BTreeMap<PathId, PathId>,
    /// The same, the other way round.
    following: BTreeMap<PathId, PathId>,
    tells_deletions: bool,
    /// Up to which commit history was read, for whoever reads on.
    head: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct File {
    /// As it is called today.
    path: String,
    changes: u32,
    /// Those of them that mended it.
    fixes: u32,
    last_time: i64,
    gone: bool,
    weight: Weight,
    heat: Weight,
    /// By author.
    authors: Vec<(u32, u32)>,
    /// Numbers of the commits in the log, rising.
    #[serde(skip)]
    commits: VecDeque<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Author {
    name: String,
    /// Numbers of the latest commits in the log, rising.
    #[serde(skip)]
    commits: VecDeque<i64>,
}

/// The binary logarithm of a sum of faded counts, seen from the fixed moment. Logarithms never overflow, however long a
/// history is, and nothing has to be touched for growing old.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
struct Weight(f32);

impl Weight {
    const NOTHING: Weight = Weight(f32::NEG_INFINITY);

    fn plus(self, other: Weight) -> Weight {
        let (more, less) = if self.0 >= other.0 { (self.0, other.0) } else { (other.0, self.0) };
        if less == f32::NEG_INFINITY {
            return Weight(more);
        }
        Weight(more + (1.0 + (less - more).exp2()).log2())
    }

    /// As a plain number, for somebody who stands at `age`.
    fn at(self, age: f64) -> f64 {
        (f64::from(self.0) - age).exp2()
    }
}

/// How far a moment lies from the fixed one, in half-lives.
fn age(time: i64, number: i64) -> f64 {
    time as f64 / (HALF_LIFE_DAYS * 86_400.0) + number as f64 / HALF_LIFE_COMMITS
}

#[derive(Clone, Debug, PartialEq)]
pub struct FileStats<'a> {
    /// As it is called today.
    pub path: &'a str,
    pub changes: u32,
    pub fixes: u32,
    /// Seconds since 1970.
    pub last_change: i64,
    pub gone: bool,
    /// Up to three, by how often they changed it.
    pub authors: Vec<(&'a str, u32)>,
}

impl Cochange {
    pub fn commits(&self) -> u64 {
        self.commits
    }

    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// The commit that `set_head` was last told.
    pub fn head(&self) -> Option<&str> {
        self.head.as_deref()
    }

    pub fn set_head(&mut self, commit: &str) {
        self.head = Some(commit.to_owned());
    }

    /// Takes a commit in. The same one twice counts twice.
    pub fn add(&mut self, commit: &Commit) {
        self.commits += 1;
        if commit.is_merge() || commit.files.is_empty() {
            return;
        }
        let author = self.author(&commit.author_name);
        for (old, new) in moves::of(commit) {
            self.rename(old, new, commit.time);
        }
        self.look_for_followed(commit);
        let mut telling = Vec::new();
        for change in &commit.files {
            if change.status == FileStatus::Added {
                self.part(&change.path, commit.time);
            }
            let place = self.place(&change.path);
            self.files[place as usize].touch(commit.time, change.status, author);
            if !is_trivial(&change.path) {
                telling.push(place);
            }
        }
        telling.sort_unstable();
        telling.dedup();
        let is_work = !is_bot(&commit.author_name, &commit.author_email);
        // One file is paired with none, and that it changed still tells how busy it is.
        let is_pairing_release = telling.len() > 1 && is_release(commit);
        if is_work && !is_pairing_release && (1..=MOST_FILES_OF_A_COMMIT).contains(&telling.len()) {
            self.enter(Entry { time: commit.time, author, files: telling.into() });
        }
        self.keep_bounds();
    }

    fn rename(&mut self, old: &str, new: &str, time: i64) {
        match (self.places.get(old).copied(), self.places.get(new).copied()) {
            // Reading backwards: the older name is met after the newer one.
            (None, Some(place)) => drop(self.places.insert(old.to_owned(), place)),
            (Some(place), None) if time >= self.files[place as usize].last_time => {
                self.places.insert(new.to_owned(), place);
                self.call(place, new);
            }
            (None, None) => {
                let place = self.place(new);
                self.places.insert(old.to_owned(), place);
            }
            // Moved back.
            (Some(place), Some(same)) if place == same && time >= self.files[place as usize].last_time => {
                self.call(place, new);
            }
            _ => {}
        }
    }

    fn call(&mut self, place: PathId, path: &str) {
        self.unlist(place);
        path.clone_into(&mut self.files[place as usize].path);
        self.list(place);
    }

    /// A file that appears under a name another one has left is a file of its own.
    fn part(&mut self, path: &str, time: i64) {
        let Some(left) = self.file(path) else { return };
        if left.path != path && time >= left.last_time {
            self.places.remove(path);
        }
    }

    fn place(&mut self, path: &str) -> PathId {
        if let Some(place) = self.places.get(path) {
            return *place;
        }
        let place = self.files.len() as PathId;
        self.files.push(File::new(path));
        self.places.insert(path.to_owned(), place);
        self.list(place);
        place
    }

    fn list(&mut self, place: PathId) {
        let path = &self.files[place as usize].path;
        self.folders.entry(folder_of(path).to_owned()).or_default().insert(place);
        self.stems.entry(stem_of(path)).or_default().insert(place);
    }

    fn unlist(&mut self, place: PathId) {
        let path = &self.files[place as usize].path;
        let stem = stem_of(path);
        if let Some(places) = self.folders.get_mut(folder_of(path)) {
            places.remove(&place);
        }
        if let Some(places) = self.stems.get_mut(&stem) {
            places.remove(&place);
        }
        self.folders.retain_if_empty(folder_of(&self.files[place as usize].path));
        self.stems.retain_if_empty(&stem);
    }

    fn author(&mut self, name: &str) -> Option<u32> {
        if let Some(place) = self.author_places.get(name) {
            return Some(*place);
        }
        if name.is_empty() || self.authors.len() >= limit::MOST_AUTHORS {
            return None;
        }
        let place = self.authors.len() as u32;
        self.authors.push(Author { name: name.to_owned(), commits: VecDeque::new() });
        self.author_places.insert(name.to_owned(), place);
        Some(place)
    }

    fn file(&self, path: &str) -> Option<&File> {
        self.places.get(path).map(|place| &self.files[*place as usize])
    }

    pub fn stats(&self, path: &str) -> Option<FileStats<'_>> {
        let file = self.file(path)?;
        let mut authors: Vec<(&str, u32)> =
            file.authors.iter().map(|(author, times)| (self.authors[*author as usize].name.as_str(), *times)).collect();
        authors.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(other.0)));
        authors.truncate(3);
        Some(FileStats {
            path: &file.path,
            changes: file.changes,
            fixes: file.fixes,
            last_change: file.last_time,
            gone: file.gone,
            authors,
        })
    }
}

/// Lists without members go, so that equal knowledge is equal.
trait RetainIfEmpty {
    fn retain_if_empty(&mut self, name: &str);
}

impl RetainIfEmpty for HashMap<String, BTreeSet<PathId>> {
    fn retain_if_empty(&mut self, name: &str) {
        if self.get(name).is_some_and(BTreeSet::is_empty) {
            self.remove(name);
        }
    }
}

impl File {
    fn new(path: &str) -> File {
        File {
            path: path.to_owned(),
            changes: 0,
            fixes: 0,
            last_time: i64::MIN,
            gone: false,
            weight: Weight::NOTHING,
            heat: Weight::NOTHING,
            authors: Vec::new(),
            commits: VecDeque::new(),
        }
    }

    fn touch(&mut self, time: i64, status: FileStatus, author: Option<u32>) {
        self.changes = self.changes.saturating_add(1);
        // Of a move, the deletion comes with the addition, at the same time.
        if time > self.last_time || (time == self.last_time && status != FileStatus::Deleted) {
            self.last_time = time;
            self.gone = status == FileStatus::Deleted;
        }
        let Some(author) = author else { return };
        if let Some((_, times)) = self.authors.iter_mut().find(|(known, _)| *known == author) {
            *times = times.saturating_add(1);
        } else if self.authors.len() < MOST_AUTHORS_OF_A_FILE {
            self.authors.push((author, 1));
        } else if let Some(rarest) = self.authors.iter_mut().min_by_key(|(author, times)| (*times, *author)) {
            // The rarest gives way and leaves its count behind, so that a newcomer who stays is seen.
            *rarest = (author, rarest.1.saturating_add(1));
        }
    }
}

#[cfg(test)]
mod tests;
