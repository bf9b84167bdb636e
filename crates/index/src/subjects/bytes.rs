//! What was said as bytes, and back. Whatever is not exactly what was written reads as nothing, and is read again from
//! the history.

use std::collections::BTreeMap;

use super::Subjects;
use crate::{analyze, packed};

/// A mark, and two versions: of the content and of the terms.
const HEAD: &[u8] = &[b'L', b'K', b'S', b'J', 3, analyze::VERSION];
/// Numbers of commits never get so far.
const FURTHEST: u32 = 1 << 30;

impl Subjects {
    /// The same subjects give the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let postings: BTreeMap<_, _> = self.postings.iter().collect();
        let path_postings: BTreeMap<_, _> = self.path_postings.iter().collect();
        packed::seal(HEAD, &(self.first, &self.files, &self.said, postings, path_postings))
    }

    /// `None` when the bytes are damaged, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Option<Subjects> {
        let (first, files, said, postings, path_postings) = packed::open(HEAD, bytes)?;
        let mut subjects = Subjects { first, files, said, postings, path_postings, ..Subjects::default() };
        subjects.length = subjects.said.iter().map(|said| u64::from(said.length)).sum();
        subjects.places = subjects.files.iter().zip(0..).map(|(file, place)| (file.path.clone(), place)).collect();
        subjects.is_sound().then_some(subjects)
    }

    /// Does everything that names a file or a commit name one there is, and no two files have one name?
    fn is_sound(&self) -> bool {
        let are_files = |places: &Vec<u32>| places.iter().all(|place| (*place as usize) < self.files.len());
        let numbers = self.first..self.first.saturating_add_unsigned(self.said.len() as u32);
        self.first.unsigned_abs() < FURTHEST
            && self.places.len() == self.files.len()
            && self.said.iter().all(|said| are_files(&said.files))
            && self.path_postings.values().all(are_files)
            && self.postings.values().flatten().all(|posting| numbers.contains(&posting.number))
    }
}
