//! What was said as bytes, and back. Whatever is not exactly what was written reads as nothing, and is read again from
//! the history.
//!
//! How numbers and text are packed stands in `packed.rs`; rising numbers are written by their steps.

use std::collections::{BTreeSet, VecDeque};

use super::{File, LONGEST_PATH, MOST_COMMITS, MOST_FILES_OF_A_COMMIT, Posting, Said, Subjects, limit};
use crate::analyze;
use crate::packed::{self, Reader, Writer};

/// A mark, and two versions: of the content and of the terms.
const HEAD: &[u8] = &[b'L', b'K', b'S', b'J', 1, analyze::VERSION];
/// Numbers of commits never get so far.
const FURTHEST: u32 = 1 << 30;

impl Subjects {
    /// The same subjects give the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.small(self.first);
        out.number(self.files.len() as u64);
        for file in &self.files {
            out.text(&file.path);
            out.small(file.last);
            out.0.push(u8::from(file.gone));
        }
        out.number(self.said.len() as u64);
        for said in &self.said {
            out.signed(said.time);
            out.number(u64::from(said.length));
            out.places(said.files.iter().copied());
        }
        let terms: BTreeSet<u64> = self.postings.keys().chain(self.path_postings.keys()).copied().collect();
        out.number(terms.len() as u64);
        for term in &terms {
            out.0.extend(term.to_le_bytes());
            out.places(self.with_path(*term).iter().copied());
            let postings = self.postings.get(term).into_iter().flatten();
            out.places(postings.clone().map(|posting| (posting.number - self.first) as u32));
            postings.for_each(|posting| out.0.push(posting.weight));
        }
        packed::seal(HEAD, &out)
    }

    /// `None` when the bytes are damaged, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Option<Subjects> {
        packed::open(HEAD, bytes)?.subjects()
    }
}

impl Writer {
    fn small(&mut self, number: i32) {
        self.0.extend(number.to_le_bytes());
    }

    /// Numbers that rise, by how much they do.
    fn places(&mut self, places: impl Iterator<Item = u32> + Clone) {
        self.number(places.clone().count() as u64);
        let mut next = 0;
        for place in places {
            self.number(u64::from(place - next));
            next = place + 1;
        }
    }
}

impl Reader<'_> {
    fn subjects(&mut self) -> Option<Subjects> {
        let first = self.small().filter(|first| first.unsigned_abs() < FURTHEST)?;
        let mut subjects = Subjects { first, ..Subjects::default() };
        for place in 0..self.count(limit::MOST_FILES)? as u32 {
            let file = File { path: self.text(LONGEST_PATH)?, last: self.small()?, gone: self.count(1)? == 1 };
            if subjects.places.insert(file.path.clone(), place).is_some() {
                return None;
            }
            subjects.files.push(file);
        }
        for _ in 0..self.count(MOST_COMMITS)? {
            let (time, length) = (self.signed()?, u32::try_from(self.number()?).ok()?);
            let files = self.places(MOST_FILES_OF_A_COMMIT, subjects.files.len())?;
            subjects.length += u64::from(length);
            subjects.said.push_back(Said { time, length, files });
        }
        for _ in 0..self.number()? {
            let term = u64::from_le_bytes(self.take(8)?.try_into().ok()?);
            let files = self.places(subjects.files.len(), subjects.files.len())?;
            if !files.is_empty() {
                subjects.path_postings.insert(term, files);
            }
            let commits = self.places(subjects.said.len(), subjects.said.len())?;
            let weights = self.take(commits.len())?;
            let postings = commits.iter().zip(weights);
            let postings: VecDeque<Posting> =
                postings.map(|(place, weight)| Posting { number: first + *place as i32, weight: *weight }).collect();
            if !postings.is_empty() {
                subjects.postings.insert(term, postings);
            }
        }
        self.is_at_end().then_some(subjects)
    }

    /// At most so many, all below `end`.
    fn places(&mut self, most: usize, end: usize) -> Option<Vec<u32>> {
        let (mut next, mut places) = (0_usize, Vec::new());
        for _ in 0..self.count(most)? {
            let place = next + self.count(end)?;
            if place >= end {
                return None;
            }
            places.push(place as u32);
            next = place + 1;
        }
        Some(places)
    }

    fn small(&mut self) -> Option<i32> {
        self.take(4)?.try_into().ok().map(i32::from_le_bytes)
    }
}
