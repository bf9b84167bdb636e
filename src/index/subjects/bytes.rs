//! What was said as bytes, and back. Whatever is not exactly what was written reads as nothing, and is read again from
//! the history.
//!
//! A mark, a version, a checksum, then the content: numbers in as few bytes as they need, text behind its length,
//! rising numbers by their steps.

use std::collections::{BTreeSet, VecDeque};

use super::{File, LONGEST_PATH, MOST_COMMITS, MOST_FILES_OF_A_COMMIT, Posting, Said, Subjects, limit};
use crate::index::analyze;

const MARK: &[u8; 4] = b"LKSJ";
/// Another version of the content is another number here; the terms have their own.
const VERSION: u8 = 1;
/// Numbers of commits never get so far.
const FURTHEST: u32 = 1 << 30;
const CHECKSUM: usize = 16;

impl Subjects {
    /// The same subjects give the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer(Vec::new());
        out.small(self.first);
        out.number(self.files.len() as u64);
        for file in &self.files {
            out.text(&file.path);
            out.small(file.last);
            out.0.push(u8::from(file.gone));
        }
        out.number(self.said.len() as u64);
        for said in &self.said {
            out.0.extend(said.time.to_le_bytes());
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
        let mut bytes = MARK.to_vec();
        bytes.extend([VERSION, analyze::VERSION]);
        bytes.extend(&blake3::hash(&out.0).as_bytes()[..CHECKSUM]);
        bytes.extend(out.0);
        bytes
    }

    /// `None` when the bytes are damaged, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Option<Subjects> {
        let rest = bytes.strip_prefix(MARK)?.strip_prefix(&[VERSION, analyze::VERSION])?;
        let (checksum, content) = rest.split_at_checked(CHECKSUM)?;
        if blake3::hash(content).as_bytes()[..CHECKSUM] != *checksum {
            return None;
        }
        Reader(content).subjects()
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

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

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend(text.as_bytes());
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn subjects(&mut self) -> Option<Subjects> {
        let first = self.small().filter(|first| first.unsigned_abs() < FURTHEST)?;
        let mut subjects = Subjects { first, ..Subjects::default() };
        for place in 0..self.count(limit::MOST_FILES)? as u32 {
            let file = File { path: self.text()?, last: self.small()?, gone: self.count(1)? == 1 };
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
        self.0.is_empty().then_some(subjects)
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

    fn take(&mut self, length: usize) -> Option<&[u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// A number that may not be larger than this.
    fn count(&mut self, most: usize) -> Option<usize> {
        usize::try_from(self.number()?).ok().filter(|count| *count <= most)
    }

    fn small(&mut self) -> Option<i32> {
        self.take(4)?.try_into().ok().map(i32::from_le_bytes)
    }

    fn signed(&mut self) -> Option<i64> {
        self.take(8)?.try_into().ok().map(i64::from_le_bytes)
    }

    fn text(&mut self) -> Option<String> {
        let length = self.count(LONGEST_PATH)?;
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }
}
