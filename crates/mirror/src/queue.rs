//! What still has to go over: the difference between what is remembered here and the book of what stands there.
//!
//! The book is a file of lines in the project's state. There is no other queue on disk, and none is needed: what is
//! remembered here is durable before anybody hears of it, so whatever was on its way when the power went is found again as
//! a difference. A line that was lost costs one call, which finds that the store holds it already.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use lokid_model::{Key, Memory, MemoryId, Namespace, Timestamp};
use lokid_sys::plain;
use serde::{Deserialize, Serialize};

/// A book that long is something else.
const MOST_BOOK: u64 = 1 << 30;
/// Lines that say nothing any more are borne up to this many, and as many again as there are that do.
const SPARE_LINES: usize = 1_000;

/// One memory as it was last seen over there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub id: String,
    pub path: String,
    /// What was sent last, by its hash: the same is not sent again.
    pub ours: String,
    /// When it was made, in microseconds: the oldest make room.
    pub made: i64,
    /// Where it stands; nothing when it was refused or given up.
    pub there: Option<There>,
    /// Why it does not stand there as it is here; what it says has to change before it is tried again.
    pub refused: Option<String>,
    /// Under which names it stood there before: their history is still there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub past: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct There {
    pub memory: String,
    pub version: String,
    pub sha256: String,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Line {
    Known(Entry),
    Gone { gone: String },
}

/// The book, in memory and on disk. Every change is a line at its end.
#[derive(Debug)]
pub struct Book {
    file: PathBuf,
    entries: BTreeMap<String, Entry>,
    lines: usize,
}

impl Book {
    /// One file a store: a book of another one says nothing about this.
    pub fn open(file: PathBuf) -> io::Result<Book> {
        let (mut book, torn) = Book::read(file)?;
        if torn || book.lines > 2 * book.entries.len() + SPARE_LINES {
            book.rewrite()?;
        }
        Ok(book)
    }

    /// For whoever only looks, beside the one who writes. Also told: is its last line torn?
    pub fn read(file: PathBuf) -> io::Result<(Book, bool)> {
        let text = plain::read(&file, MOST_BOOK)?.unwrap_or_default();
        let mut book = Book { file, entries: BTreeMap::new(), lines: 0 };
        for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            book.lines += 1;
            match serde_json::from_slice(line) {
                Ok(Line::Known(entry)) => drop(book.entries.insert(entry.id.clone(), entry)),
                Ok(Line::Gone { gone }) => drop(book.entries.remove(&gone)),
                // Torn by a crash: it is found again as a difference.
                Err(_) => {}
            }
        }
        let torn = text.last().is_some_and(|last| *last != b'\n');
        Ok((book, torn))
    }

    pub fn get(&self, id: &str) -> Option<&Entry> {
        self.entries.get(id)
    }

    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    /// How many stand over there.
    pub fn standing(&self) -> usize {
        self.entries.values().filter(|entry| entry.there.is_some()).count()
    }

    pub fn refused(&self) -> usize {
        self.entries.values().filter(|entry| entry.refused.is_some()).count()
    }

    /// It no longer stands there, but what it said can still be read in its history.
    pub fn set_aside(&mut self, id: &str) -> io::Result<()> {
        let Some(mut entry) = self.entries.get(id).cloned() else { return Ok(()) };
        entry.past.extend(entry.there.take().map(|there| there.memory));
        self.note(Entry { ours: String::new(), ..entry })
    }

    /// The first to make room.
    pub fn oldest(&self) -> Option<&Entry> {
        self.entries.values().filter(|entry| entry.there.is_some()).min_by_key(|entry| (entry.made, &entry.id))
    }

    pub fn is_taken(&self, path: &str, but: &str) -> bool {
        self.entries.values().any(|entry| entry.there.is_some() && entry.path == path && entry.id != but)
    }

    pub fn note(&mut self, entry: Entry) -> io::Result<()> {
        self.append(&Line::Known(entry.clone()))?;
        self.entries.insert(entry.id.clone(), entry);
        Ok(())
    }

    pub fn strike(&mut self, id: &str) -> io::Result<()> {
        if self.entries.contains_key(id) {
            self.append(&Line::Gone { gone: id.to_owned() })?;
            self.entries.remove(id);
        }
        Ok(())
    }

    fn append(&mut self, line: &Line) -> io::Result<()> {
        self.lines += 1;
        plain::append_or_begin(&self.file, &bytes(line)?)
    }

    fn rewrite(&mut self) -> io::Result<()> {
        let mut text = Vec::new();
        for entry in self.entries.values() {
            text.extend(bytes(&Line::Known(entry.clone()))?);
        }
        self.lines = self.entries.len();
        plain::replace(&self.file, &text)
    }
}

fn bytes(line: &Line) -> io::Result<Vec<u8>> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    Ok(text)
}

/// Memories by their ids, in the namespace that is mirrored.
pub fn key_of(id: &str) -> Option<Key> {
    Some(Key::new(&Namespace::default(), &MemoryId::new(id)?))
}

/// Oldest first; of the same time by id.
pub fn order(memory: &Memory) -> (Timestamp, &str) {
    (memory.times.created_at, memory.id.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str, made: i64) -> Entry {
        let there = There { memory: format!("mem_{id}"), version: "memver_1".into(), sha256: "ab".into() };
        Entry {
            id: id.into(),
            path: format!("/{id}.json"),
            ours: "ab".into(),
            made,
            there: Some(there),
            refused: None,
            past: Vec::new(),
        }
    }

    #[test]
    fn a_book_is_read_back_as_it_was_written_also_with_a_torn_end() {
        let lab = tempfile::tempdir().unwrap();
        let file = lab.path().join("mirror.ndjson");
        let mut book = Book::open(file.clone()).unwrap();
        assert!(!file.exists(), "nothing is made for reading");
        for (id, made) in [("b", 2), ("a", 3), ("c", 1)] {
            book.note(entry(id, made)).unwrap();
        }
        book.note(Entry { there: None, refused: Some("refused".into()), ..entry("d", 0) }).unwrap();
        book.strike("b").unwrap();
        book.strike("never").unwrap();
        book.note(entry("e", 0)).unwrap();
        book.set_aside("e").unwrap();
        assert_eq!(book.get("e").map(|it| (it.there.clone(), it.past.clone())), Some((None, vec!["mem_e".to_owned()])));
        plain::append(&file, b"{\"id\":\"z").unwrap();
        let again = Book::open(file.clone()).unwrap();
        assert_eq!(again.entries, book.entries);
        assert_eq!((again.standing(), again.refused(), again.oldest().unwrap().id.as_str()), (2, 1, "c"));
        assert!(again.is_taken("/a.json", "c") && !again.is_taken("/a.json", "a") && !again.is_taken("/d.json", "a"));
        assert!(std::fs::read(&file).unwrap().ends_with(b"\n"), "the next line begins a line");
    }

    #[test]
    fn lines_that_say_nothing_any_more_are_taken_out() {
        let lab = tempfile::tempdir().unwrap();
        let file = lab.path().join("mirror.ndjson");
        let mut book = Book::open(file.clone()).unwrap();
        for _ in 0..SPARE_LINES + 10 {
            book.note(entry("a", 1)).unwrap();
        }
        assert_eq!(Book::open(file).unwrap().lines, 1);
    }
}
