//! The counts as bytes, and back. Whatever is not exactly what was written reads as nothing, and is counted again.
//!
//! A mark, a version, a checksum, then the content: numbers in as few bytes as they need, text behind its length.

use super::{Author, Cochange, Entry, File, MOST_FILES_OF_A_COMMIT, Weight, limit};
use std::collections::VecDeque;

const MARK: &[u8; 4] = b"LKCC";
/// Another version of the content or of the half-lives is another number here.
const VERSION: u32 = 3;
const CHECKSUM: usize = 16;

impl Cochange {
    /// The same counts give the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer(Vec::new());
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
        let mut bytes = MARK.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(&blake3::hash(&out.0).as_bytes()[..CHECKSUM]);
        bytes.extend(out.0);
        bytes
    }

    /// `None` when the bytes are damaged, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Option<Cochange> {
        let rest = bytes.strip_prefix(MARK)?.strip_prefix(&VERSION.to_le_bytes())?;
        let (checksum, content) = rest.split_at_checked(CHECKSUM)?;
        if blake3::hash(content).as_bytes()[..CHECKSUM] != *checksum {
            return None;
        }
        Reader(content).counts()
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

    fn signed(&mut self, number: i64) {
        self.0.extend(number.to_le_bytes());
    }

    fn weight(&mut self, weight: Weight) {
        self.0.extend(weight.0.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend(text.as_bytes());
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

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn counts(&mut self) -> Option<Cochange> {
        let mut counts = Cochange {
            first: self.signed()?,
            commits: self.number()?,
            head: Some(self.text()?).filter(|head| !head.is_empty()),
            ..Cochange::default()
        };
        for place in 0..self.count(limit::MOST_AUTHORS)? {
            let name = self.text()?;
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
            let name = self.text()?;
            let place = self.count(files.checked_sub(1)?)?;
            counts.places.insert(name, place as u32);
        }
        counts.tells_deletions = self.number()? != 0;
        for _ in 0..self.count(files)? {
            let (old, new) = (self.count(files.checked_sub(1)?)?, self.count(files.checked_sub(1)?)?);
            counts.follow(old as u32, new as u32);
        }
        self.log(&mut counts)?;
        self.0.is_empty().then_some(counts)
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
        let mut file = File::new(&self.text()?);
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

    fn signed(&mut self) -> Option<i64> {
        self.take(8)?.try_into().ok().map(i64::from_le_bytes)
    }

    fn weight(&mut self) -> Option<Weight> {
        let weight = self.take(4)?.try_into().ok().map(f32::from_le_bytes)?;
        (!weight.is_nan()).then_some(Weight(weight))
    }

    fn text(&mut self) -> Option<String> {
        let length = self.count(1 << 20)?;
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }
}
