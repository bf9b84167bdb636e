//! The counts as bytes, and back. Whatever is not exactly what was written reads as nothing, and is counted again.
//!
//! How numbers and text are packed stands in `packed.rs`.

use std::collections::VecDeque;

use super::{Author, Cochange, Entry, File, MOST_FILES_OF_A_COMMIT, Weight, limit};
use crate::packed::{self, Reader, Writer};

/// A mark, and a version: another content or other half-lives are another number here.
const HEAD: &[u8] = b"LKCC\x04\0\0\0";
const LONGEST_TEXT: usize = 1 << 20;

impl Cochange {
    /// The same counts give the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.signed(self.first);
        out.number(self.commits);
        out.text(self.head.as_deref().unwrap_or(""));
        out.number(self.authors.len() as u64);
        self.authors.iter().for_each(|author| out.text(&author.name));
        out.number(self.files.len() as u64);
        self.files.iter().for_each(|file| out.file(file));
        let mut older: Vec<(&str, u32)> = self.places.iter().map(|(name, place)| (name.as_str(), *place)).collect();
        older.retain(|(name, place)| self.files[*place as usize].path != *name);
        older.sort_unstable();
        out.number(older.len() as u64);
        for (name, place) in older {
            out.text(name);
            out.number(u64::from(place));
        }
        out.number(u64::from(self.tells_deletions));
        out.number(self.followed.len() as u64);
        for (old, new) in &self.followed {
            out.number(u64::from(*old));
            out.number(u64::from(*new));
        }
        out.number(self.log.len() as u64);
        self.log.iter().for_each(|entry| out.entry(entry));
        packed::seal(HEAD, &out)
    }

    /// `None` when the bytes are damaged, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Option<Cochange> {
        packed::open(HEAD, bytes)?.counts()
    }
}

impl Writer {
    fn weight(&mut self, weight: Weight) {
        self.0.extend(weight.0.to_le_bytes());
    }

    fn file(&mut self, file: &File) {
        self.text(&file.path);
        self.number(u64::from(file.changes));
        self.signed(file.last_time);
        self.number(u64::from(file.gone));
        self.weight(file.weight);
        self.weight(file.heat);
        self.number(file.authors.len() as u64);
        for (author, times) in &file.authors {
            self.number(u64::from(*author));
            self.number(u64::from(*times));
        }
    }

    fn entry(&mut self, entry: &Entry) {
        self.signed(entry.time);
        self.number(entry.author.map_or(0, |author| u64::from(author) + 1));
        self.number(entry.files.len() as u64);
        entry.files.iter().for_each(|place| self.number(u64::from(*place)));
    }
}

impl Reader<'_> {
    fn counts(&mut self) -> Option<Cochange> {
        let mut counts = Cochange {
            first: self.signed()?,
            commits: self.number()?,
            head: Some(self.text(LONGEST_TEXT)?).filter(|head| !head.is_empty()),
            ..Cochange::default()
        };
        for place in 0..self.count(limit::MOST_AUTHORS)? {
            let name = self.text(LONGEST_TEXT)?;
            counts.author_places.insert(name.clone(), place as u32);
            counts.authors.push(Author { name, commits: VecDeque::new() });
        }
        let files = self.count(limit::MOST_FILES + limit::MOST_FILES / 10)?;
        for place in 0..files {
            let file = self.file(counts.authors.len())?;
            counts.places.insert(file.path.clone(), place as u32);
            counts.files.push(file);
            counts.list(place as u32);
        }
        for _ in 0..self.count(usize::MAX)? {
            let name = self.text(LONGEST_TEXT)?;
            let place = self.count(files.checked_sub(1)?)?;
            counts.places.insert(name, place as u32);
        }
        counts.tells_deletions = self.number()? != 0;
        for _ in 0..self.count(files)? {
            let (old, new) = (self.count(files.checked_sub(1)?)?, self.count(files.checked_sub(1)?)?);
            counts.follow(old as u32, new as u32);
        }
        self.log(&mut counts)?;
        self.is_at_end().then_some(counts)
    }

    fn log(&mut self, counts: &mut Cochange) -> Option<()> {
        let entries = self.count(usize::MAX)?;
        // Numbers stay far from where they would overflow.
        counts.first.checked_abs().filter(|first| *first < 1 << 40)?;
        for at in 0..entries {
            let number = counts.first + at as i64;
            let time = self.signed()?;
            let author = self.count(counts.authors.len())?.checked_sub(1);
            let mut files = Vec::new();
            for _ in 0..self.count(MOST_FILES_OF_A_COMMIT)? {
                let place = self.count(counts.files.len().checked_sub(1)?)?;
                counts.files[place].commits.push_back(number);
                files.push(place as u32);
            }
            if let Some(author) = author {
                counts.authors[author].take_in(number, true);
            }
            counts.touches += files.len();
            counts.log.push_back(Entry { time, author: author.map(|author| author as u32), files: files.into() });
        }
        Some(())
    }

    fn file(&mut self, authors: usize) -> Option<File> {
        let mut file = File::new(&self.text(LONGEST_TEXT)?);
        file.changes = u32::try_from(self.number()?).ok()?;
        file.last_time = self.signed()?;
        file.gone = self.number()? != 0;
        file.weight = self.weight()?;
        file.heat = self.weight()?;
        for _ in 0..self.count(super::MOST_AUTHORS_OF_A_FILE)? {
            file.authors.push((self.count(authors.checked_sub(1)?)? as u32, u32::try_from(self.number()?).ok()?));
        }
        Some(file)
    }

    fn weight(&mut self) -> Option<Weight> {
        let weight = self.take(4)?.try_into().ok().map(f32::from_le_bytes)?;
        (!weight.is_nan()).then_some(Weight(weight))
    }
}
