//! Which files change together, how often and how lately: counted from commits, for the question "what else belongs to
//! this file?".
//!
//! Derived data: it can be thrown away and counted again. Weights fade with the age of a commit, in time and in
//! commits; they are kept as exponents relative to a fixed moment, so that nothing has to be touched for growing old
//! and taking in a commit costs the same whatever came before. It never reads a repository or a clock.

mod bytes;
mod limit;
mod moves;

use std::collections::HashMap;

use crate::model::{Commit, FileStatus, Timestamp};

/// A commit counts half as much after this many days,
const HALF_LIFE_DAYS: f64 = 365.0;
/// and half as much after this many further commits.
const HALF_LIFE_COMMITS: f64 = 4_000.0;
/// A commit with more files says nothing about pairs.
const MOST_FILES_OF_A_COMMIT: usize = 50;
/// Partners kept for each file. Twice as many may gather before the weakest go.
const MOST_PARTNERS: usize = 64;
const MOST_AUTHORS_OF_A_FILE: usize = 8;
/// Two commits that happened to touch two files prove little: a pair has to outweigh this.
const DOUBT: f64 = 0.5;
/// How much a partner's own changes count against it, between 0 and 1.
const UBIQUITY: f64 = 0.3;

/// Commits may be taken in newest first, as history is read, and later as they are made.
#[derive(Clone, Debug, PartialEq)]
pub struct Cochange {
    files: Vec<File>,
    /// Every name a file ever had leads to its place in `files`.
    places: HashMap<String, u32>,
    authors: Vec<String>,
    author_places: HashMap<String, u32>,
    /// Numbers of the newest and the oldest commit: new ones count up, older ones down.
    newest: i64,
    oldest: i64,
    newest_time: i64,
    commits: u64,
    /// Up to which commit history was read, for whoever reads on.
    head: Option<String>,
    pairs: usize,
    partners_kept: usize,
}

#[derive(Clone, Debug, PartialEq)]
struct File {
    /// As it is called today.
    path: String,
    changes: u32,
    /// The number and the time of the newest commit that touched it.
    last_number: i64,
    last_time: i64,
    gone: bool,
    weight: Weight,
    /// By author.
    authors: Vec<(u32, u32)>,
    partners: Vec<Pair>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair {
    file: u32,
    times: u32,
    weight: Weight,
}

/// The binary logarithm of a sum of faded counts, seen from the fixed moment. Logarithms never overflow, however long a
/// history is.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
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
pub struct Partner<'a> {
    pub path: &'a str,
    /// Between 0 and 1: how surely a change of the one comes with a change of the other these days.
    pub score: f64,
    /// How often they changed together, ever.
    pub times: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FileStats<'a> {
    /// As it is called today.
    pub path: &'a str,
    pub changes: u32,
    /// Seconds since 1970.
    pub last_change: i64,
    pub gone: bool,
    /// Up to three, by how often they changed it.
    pub authors: Vec<(&'a str, u32)>,
}

impl Default for Cochange {
    fn default() -> Cochange {
        Cochange {
            files: Vec::new(),
            places: HashMap::new(),
            authors: Vec::new(),
            author_places: HashMap::new(),
            newest: 0,
            oldest: 0,
            newest_time: i64::MIN,
            commits: 0,
            head: None,
            pairs: 0,
            partners_kept: MOST_PARTNERS,
        }
    }
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
        let is_newer = commit.time >= self.newest_time;
        let number = if self.commits == 0 {
            0
        } else if is_newer {
            self.newest += 1;
            self.newest
        } else {
            self.oldest -= 1;
            self.oldest
        };
        self.newest_time = self.newest_time.max(commit.time);
        self.commits += 1;
        if commit.is_merge() || commit.files.is_empty() {
            return;
        }
        let author = self.author(&commit.author_name);
        let moment = Weight(age(commit.time, number) as f32);
        self.follow_renames(commit);
        let mut touched = Vec::with_capacity(commit.files.len());
        for change in &commit.files {
            let place = self.place(&change.path);
            self.files[place as usize].touch(commit.time, number, change.status, moment, author);
            touched.push(place);
        }
        touched.sort_unstable();
        touched.dedup();
        if (2..=MOST_FILES_OF_A_COMMIT).contains(&touched.len()) {
            self.pair_up(&touched, moment);
        }
        self.keep_bounds();
    }

    /// The more files a commit has, the less each pair of them means. The square root foretold later commits better
    /// than the number itself, and than no sharing.
    fn pair_up(&mut self, touched: &[u32], moment: Weight) {
        let share = Weight(moment.0 - ((touched.len() - 1) as f32).log2() / 2.0);
        for file in touched {
            let partners = &mut self.files[*file as usize].partners;
            let before = partners.len();
            for other in touched.iter().filter(|other| *other != file) {
                match partners.iter_mut().find(|pair| pair.file == *other) {
                    Some(pair) => {
                        pair.times = pair.times.saturating_add(1);
                        pair.weight = pair.weight.plus(share);
                    }
                    None => partners.push(Pair { file: *other, times: 1, weight: share }),
                }
            }
            if partners.len() > 2 * self.partners_kept {
                limit::keep_heaviest(partners, self.partners_kept);
            }
            self.pairs = self.pairs + partners.len() - before;
        }
    }

    fn follow_renames(&mut self, commit: &Commit) {
        for (old, new) in moves::of(commit) {
            self.rename(old, new, commit.time);
        }
    }

    fn rename(&mut self, old: &str, new: &str, time: i64) {
        match (self.places.get(old).copied(), self.places.get(new).copied()) {
            // Reading backwards: the older name is met after the newer one.
            (None, Some(place)) => drop(self.places.insert(old.to_owned(), place)),
            (Some(place), None) if time >= self.files[place as usize].last_time => {
                self.places.insert(new.to_owned(), place);
                new.clone_into(&mut self.files[place as usize].path);
            }
            (None, None) => {
                let place = self.place(new);
                self.places.insert(old.to_owned(), place);
            }
            _ => {}
        }
    }

    fn place(&mut self, path: &str) -> u32 {
        if let Some(place) = self.places.get(path) {
            return *place;
        }
        let place = self.files.len() as u32;
        self.files.push(File::new(path));
        self.places.insert(path.to_owned(), place);
        place
    }

    fn author(&mut self, name: &str) -> Option<u32> {
        if let Some(place) = self.author_places.get(name) {
            return Some(*place);
        }
        if name.is_empty() || self.authors.len() >= limit::MOST_AUTHORS {
            return None;
        }
        let place = self.authors.len() as u32;
        self.authors.push(name.to_owned());
        self.author_places.insert(name.to_owned(), place);
        Some(place)
    }

    fn file(&self, path: &str) -> Option<&File> {
        self.places.get(path).map(|place| &self.files[*place as usize])
    }

    /// The files that change with this one, surest first, without those that are gone.
    pub fn partners(&self, path: &str, now: Timestamp, k: usize) -> Vec<Partner<'_>> {
        let Some(file) = self.file(path) else { return Vec::new() };
        let age = age(now.as_micros().div_euclid(crate::model::time::SECOND), self.newest);
        let own = file.weight.at(age);
        let mut found: Vec<Partner<'_>> =
            file.partners.iter().filter_map(|pair| self.partner(pair, own, age)).collect();
        found.sort_by(|one, other| other.score.total_cmp(&one.score).then_with(|| one.path.cmp(other.path)));
        found.truncate(k);
        found
    }

    /// How often the one asked about changed without the other counts against the pair, and to a lesser degree how
    /// often the other changed by itself: a partner that changes with everything is nobody's partner.
    fn partner(&self, pair: &Pair, own: f64, age: f64) -> Option<Partner<'_>> {
        let other = &self.files[pair.file as usize];
        let alone = own.powf(1.0 - UBIQUITY) * other.weight.at(age).powf(UBIQUITY);
        let score = pair.weight.at(age) / (alone + DOUBT);
        (!other.gone && score > 0.0).then_some(Partner { path: &other.path, score: score.min(1.0), times: pair.times })
    }

    pub fn stats(&self, path: &str) -> Option<FileStats<'_>> {
        let file = self.file(path)?;
        let mut authors: Vec<(&str, u32)> =
            file.authors.iter().map(|(author, times)| (self.authors[*author as usize].as_str(), *times)).collect();
        authors.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(other.0)));
        authors.truncate(3);
        Some(FileStats {
            path: &file.path,
            changes: file.changes,
            last_change: file.last_time,
            gone: file.gone,
            authors,
        })
    }
}

impl File {
    fn new(path: &str) -> File {
        File {
            path: path.to_owned(),
            changes: 0,
            last_number: i64::MIN,
            last_time: i64::MIN,
            gone: false,
            weight: Weight::NOTHING,
            authors: Vec::new(),
            partners: Vec::new(),
        }
    }

    fn touch(&mut self, time: i64, number: i64, status: FileStatus, moment: Weight, author: Option<u32>) {
        self.changes = self.changes.saturating_add(1);
        self.weight = self.weight.plus(moment);
        // Of a move, the deletion comes with the addition, under the same number.
        if number > self.last_number || (number == self.last_number && status != FileStatus::Deleted) {
            (self.last_number, self.last_time) = (number, time);
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
