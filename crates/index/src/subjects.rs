//! What past commits said, and which files they touched: for the question "which files does a goal in words mean?".
//!
//! Derived data: it can be thrown away and read again. It keeps terms by their hash, never a text, and the newest
//! commits only. It never reads a repository or a clock, and it judges nothing: `context::predict::goal` does.

mod bytes;
mod limit;
mod words;

use std::collections::{HashMap, HashSet, VecDeque};

use crate::analyze;
use crate::cochange::is_bot;
use lokid_model::{Commit, FileStatus};
use serde::{Deserialize, Serialize};

pub use words::words;

/// So many commits are kept; the oldest leave, a tenth at once.
pub const MOST_COMMITS: usize = 20_000;
/// A commit with more files is a sweep: what it said is about none of them.
const MOST_FILES_OF_A_COMMIT: usize = 100;
/// Terms kept of one commit, and of one path.
const MOST_TERMS: usize = 64;
/// Longer paths are not files that anybody works on.
const LONGEST_PATH: usize = 4_096;

/// Commits may be taken in newest first, as history is read, and later as they are made.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Subjects {
    /// Oldest first. The number of a commit is its place here plus `first`.
    said: VecDeque<Said>,
    first: i32,
    /// By term, the numbers of the commits that said it, oldest first.
    postings: HashMap<u64, VecDeque<Posting>>,
    /// Of all that was said.
    length: u64,
    files: Vec<SubjectFile>,
    places: HashMap<String, u32>,
    /// By term, the files whose path has it.
    path_postings: HashMap<u64, Vec<u32>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Said {
    time: i64,
    /// How much was said, in the weights of terms.
    length: u32,
    /// In order, each once.
    files: Vec<u32>,
    /// The beginning of its id.
    id: u64,
    /// The definitions it changed, once somebody has looked.
    changed: Option<Vec<u64>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Posting {
    number: i32,
    weight: u8,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SubjectFile {
    path: String,
    /// The number of the newest commit that touched it.
    last: i32,
    gone: bool,
}

/// A commit, as whoever asks sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mention {
    /// Its place, for `files_of` and `length_of`.
    pub place: usize,
    /// How many commits are newer.
    pub age: usize,
    /// How much it was said: one for each time in the subject, a fifth in the body.
    pub times: f64,
}

impl Subjects {
    /// Commits kept.
    pub fn commits(&self) -> usize {
        self.said.len()
    }

    /// Files ever met, as far as they are remembered; a file is named by its place, below this number.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// Takes a commit in. The same one twice counts twice.
    pub fn add(&mut self, commit: &Commit) {
        if commit.is_merge() || commit.files.is_empty() || is_bot(&commit.author_name, &commit.author_email) {
            return;
        }
        let is_newer = self.is_newer(commit.time);
        if !is_newer && self.said.len() >= MOST_COMMITS {
            return;
        }
        let number = if is_newer { self.first + self.said.len() as i32 } else { self.first - 1 };
        let changes = commit.files.iter().filter(|change| change.path.len() <= LONGEST_PATH);
        let mut files: Vec<u32> = changes.map(|change| self.touch(&change.path, change.status, number)).collect();
        files.sort_unstable();
        files.dedup();
        if files.len() > MOST_FILES_OF_A_COMMIT {
            files.clear();
        }
        let mut length = 0;
        for (term, weight) in words::of_commit(commit, MOST_TERMS) {
            length += u32::from(weight);
            let postings = self.postings.entry(term).or_default();
            let posting = Posting { number, weight };
            if is_newer { postings.push_back(posting) } else { postings.push_front(posting) }
        }
        self.length += u64::from(length);
        let said = Said { time: commit.time, length, files, id: short(&commit.id), changed: None };
        if is_newer {
            self.said.push_back(said);
        } else {
            self.said.push_front(said);
            self.first = number;
        }
        self.keep_bounds();
    }

    /// Clocks disagree, so a commit may lie between those known: it belongs to the end it is nearer to, for history is
    /// read from one end to the other.
    fn is_newer(&self, time: i64) -> bool {
        let (Some(oldest), Some(newest)) = (self.said.front(), self.said.back()) else { return true };
        time >= newest.time || newest.time.abs_diff(time) < time.abs_diff(oldest.time) && time > oldest.time
    }

    fn touch(&mut self, path: &str, status: FileStatus, number: i32) -> u32 {
        let place = self.place(path, number);
        let file = &mut self.files[place as usize];
        if number >= file.last {
            file.last = number;
            file.gone = status == FileStatus::Deleted;
        }
        place
    }

    fn place(&mut self, path: &str, number: i32) -> u32 {
        if let Some(place) = self.places.get(path) {
            return *place;
        }
        let place = self.files.len() as u32;
        self.files.push(SubjectFile { path: path.to_owned(), last: number, gone: false });
        self.places.insert(path.to_owned(), place);
        self.index_path(place);
        place
    }

    fn index_path(&mut self, place: u32) {
        for term in words::of_path(&self.files[place as usize].path, MOST_TERMS) {
            self.path_postings.entry(term).or_default().push(place);
        }
    }

    /// How many commits said the term.
    pub fn said_by(&self, term: u64) -> usize {
        self.postings.get(&term).map_or(0, VecDeque::len)
    }

    /// The commits that said the term, newest first.
    pub fn mentions(&self, term: u64) -> impl Iterator<Item = Mention> + '_ {
        self.postings.get(&term).into_iter().flat_map(|postings| postings.iter().rev()).map(|posting| {
            let place = (posting.number - self.first) as usize;
            Mention {
                place,
                age: self.said.len() - 1 - place,
                times: f64::from(posting.weight) / f64::from(words::IN_SUBJECT),
            }
        })
    }

    /// The files the commit touched; none of a sweep.
    pub fn files_of(&self, commit: usize) -> &[u32] {
        self.said.get(commit).map_or(&[], |said| &said.files)
    }

    /// Which of these commits nobody has looked into yet.
    pub fn unread<'a>(&self, commits: &'a [Commit]) -> Vec<&'a Commit> {
        let unread = self.said.iter().filter(|said| said.changed.is_none());
        let unread: HashSet<u64> = unread.map(|said| said.id).collect();
        commits.iter().filter(|commit| unread.contains(&short(&commit.id))).collect()
    }

    /// Takes in which definitions commits changed.
    pub fn note_changed(&mut self, changed: &mut HashMap<String, Vec<u64>>) {
        let mut changed: HashMap<u64, Vec<u64>> = changed.drain().map(|(id, keys)| (short(&id), keys)).collect();
        for said in self.said.iter_mut().rev() {
            if let Some(keys) = changed.remove(&said.id) {
                said.changed = Some(keys);
            }
        }
    }

    /// What the newest commits changed, the newest first.
    pub fn changed(&self) -> impl Iterator<Item = &[u64]> {
        self.said.iter().rev().map(|said| said.changed.as_deref().unwrap_or_default())
    }

    /// The definitions that the commit changed, as far as anybody has looked.
    pub fn changed_by(&self, commit: usize) -> &[u64] {
        self.said.get(commit).and_then(|said| said.changed.as_deref()).unwrap_or_default()
    }

    /// How much it said; only to be compared with `average_length`.
    pub fn length_of(&self, commit: usize) -> f64 {
        self.said.get(commit).map_or(1.0, |said| f64::from(said.length))
    }

    pub fn average_length(&self) -> f64 {
        (self.length as f64 / self.said.len().max(1) as f64).max(1.0)
    }

    pub fn says(&self, commit: usize, term: u64) -> bool {
        let number = self.first + commit as i32;
        self.postings.get(&term).is_some_and(|said| said.binary_search_by_key(&number, |said| said.number).is_ok())
    }

    /// The files whose path has the term.
    pub fn with_path(&self, term: u64) -> &[u32] {
        self.path_postings.get(&term).map_or(&[], Vec::as_slice)
    }

    /// The file that has this path.
    pub fn find(&self, path: &str) -> Option<u32> {
        self.places.get(path).copied()
    }

    pub fn path(&self, file: u32) -> &str {
        self.files.get(file as usize).map_or("", |file| &file.path)
    }

    /// Was it deleted when it was last touched?
    pub fn is_gone(&self, file: u32) -> bool {
        self.files.get(file as usize).is_none_or(|file| file.gone)
    }
}

/// Enough of a commit's id to know it again.
fn short(id: &str) -> u64 {
    u64::from_str_radix(id.get(..16).unwrap_or_default(), 16).unwrap_or(0)
}

/// A definition by the file it stands in and what tells it from others there.
pub fn definition(path: &str, own: u32) -> u64 {
    definition_in(analyze::hash(path), own)
}

/// The same by the hash of the path.
pub fn definition_in(path: u64, own: u32) -> u64 {
    path.rotate_left(21) ^ u64::from(own).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests;
