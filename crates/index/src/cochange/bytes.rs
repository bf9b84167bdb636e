//! The counts as bytes, and back. Whatever is not exactly what was written reads as nothing, and is counted again.

use std::collections::BTreeMap;

use super::{Cochange, PathId};
use crate::packed;

/// A mark, and a version: another content or other half-lives are another number here.
const HEAD: &[u8] = b"LKCC\x06\0\0\0";
/// Numbers of commits stay far from where they would overflow.
const FURTHEST: u64 = 1 << 40;

impl Cochange {
    /// The same counts give the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let older = self.places.iter().filter(|(name, place)| self.files[**place as usize].path != **name);
        let older: BTreeMap<&str, PathId> = older.map(|(name, place)| (name.as_str(), *place)).collect();
        let read = (self.first, self.commits, &self.head, self.tells_deletions);
        packed::seal(HEAD, &(read, &self.authors, &self.files, older, &self.followed, &self.log))
    }

    /// `None` when the bytes are damaged, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Option<Cochange> {
        let (read, authors, files, places, followed, log) = packed::open(HEAD, bytes)?;
        let (first, commits, head, tells_deletions) = read;
        let mut counts =
            Cochange { first, commits, head, tells_deletions, authors, files, places, log, ..Cochange::default() };
        let followed: BTreeMap<PathId, PathId> = followed;
        if !counts.is_sound() || followed.iter().any(|(old, new)| *old.max(new) as usize >= counts.files.len()) {
            return None;
        }
        followed.into_iter().for_each(|(old, new)| counts.follow(old, new));
        counts.author_places = counts.authors.iter().zip(0..).map(|(author, at)| (author.name.clone(), at)).collect();
        for place in 0..counts.files.len() as PathId {
            counts.places.insert(counts.files[place as usize].path.clone(), place);
            counts.list(place);
        }
        for (entry, number) in counts.log.iter().zip(first..) {
            entry.files.iter().for_each(|place| counts.files[*place as usize].commits.push_back(number));
            entry.author.into_iter().for_each(|author| counts.authors[author as usize].take_in(number, true));
            counts.touches += entry.files.len();
        }
        Some(counts)
    }

    /// Does everything that names a file or an author name one there is?
    fn is_sound(&self) -> bool {
        let is_author = |author: &u32| (*author as usize) < self.authors.len();
        let is_file = |place: &PathId| (*place as usize) < self.files.len();
        self.first.unsigned_abs() < FURTHEST
            && self.places.values().all(is_file)
            && self.files.iter().all(|file| {
                !file.weight.0.is_nan()
                    && !file.heat.0.is_nan()
                    && file.authors.iter().all(|(author, _)| is_author(author))
            })
            && self.log.iter().all(|entry| entry.author.iter().all(is_author) && entry.files.iter().all(is_file))
    }
}
