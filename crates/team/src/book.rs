//! What this machine knows of the database: which version of each item it has seen, by a hash of what it said, and how far
//! it has read. A line for each change, the last one holds. It may be deleted: then everything is compared anew.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

use super::item::{Endorsement, ItemKey, ItemKind};
use lokid_model::Timestamp;
use lokid_sys::plain;

/// A file larger than this is none of ours.
const MOST_BOOK: u64 = 1 << 30;
/// Lines that say nothing any more are borne up to this many, and as many again as there are that do.
const SPARE_LINES: usize = 1_000;
/// A crash may have cost the number of the last operations: the next start leaves out that many.
const NUMBERS_LEFT_OUT: u64 = 100_000;

/// One item as it was last seen in the database.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    pub version: u64,
    pub state: Seen,
    /// Who wrote that version, by the database's word.
    pub author: Arc<str>,
    pub endorsed: Option<Endorsement>,
    /// By the hash of its words, without what surrounds them.
    pub words: [u8; 16],
    /// It could not be taken in here: it is tried again at the next start, and what stands here is not sent in its place.
    pub left_out: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// By the hash of what it said.
    Live([u8; 16]),
    Forgotten,
    Purged,
}

#[derive(Debug, Default)]
pub struct Book {
    /// Nothing for one that is not kept.
    file: Option<PathBuf>,
    items: BTreeMap<ItemKey, Known>,
    /// Which database this is about, and under which name this machine writes there.
    pub database: String,
    pub replica: String,
    pub cursor: u64,
    pub org_cursor: u64,
    index: u64,
    pub hlc: i64,
    standing: usize,
    lines: usize,
    unwritten: Vec<u8>,
}

impl Book {
    pub fn open(file: PathBuf) -> io::Result<Book> {
        let (mut book, torn) = Book::read(file)?;
        if book.lines == 0 {
            return Ok(book);
        }
        book.index += NUMBERS_LEFT_OUT;
        if torn || book.lines > 2 * book.items.len() + SPARE_LINES {
            book.rewrite()?;
        } else {
            // At once: two starts in a row must not begin at the same number.
            book.keep()?;
        }
        Ok(book)
    }

    /// For whoever only looks. Also told: is its last line torn?
    pub fn read(file: PathBuf) -> io::Result<(Book, bool)> {
        let text = plain::read(&file, MOST_BOOK)?.unwrap_or_default();
        let mut book = Book { file: Some(file), ..Book::default() };
        for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            book.lines += 1;
            // Torn by a crash: it is found again as a difference.
            if let Ok(line) = serde_json::from_slice::<Value>(line) {
                book.take(&line);
            }
        }
        let torn = text.last().is_some_and(|last| *last != b'\n');
        Ok((book, torn))
    }

    fn take(&mut self, line: &Value) -> Option<()> {
        let number = |name: &str| line.get(name).and_then(Value::as_u64);
        if let Some(database) = line.get("database").and_then(Value::as_str) {
            database.clone_into(&mut self.database);
            self.replica = line.get("replica")?.as_str()?.to_owned();
            self.cursor = number("cursor").unwrap_or(0);
            self.org_cursor = number("org").unwrap_or(0);
            self.index = number("index").unwrap_or(0).max(self.index);
            self.hlc = line.get("hlc").and_then(Value::as_i64).unwrap_or(0).max(self.hlc);
            return Some(());
        }
        let [kind, namespace, name] = line.get("item")?.as_array()?.as_slice() else { return None };
        let key = ItemKey {
            kind: ItemKind::parse(kind.as_str()?)?,
            namespace: namespace.as_str()?.to_owned(),
            name: name.as_str()?.to_owned(),
        };
        let Some(version) = number("version") else {
            self.set(key, None);
            return Some(());
        };
        let state = match line.get("state")?.as_str()? {
            "forgotten" => Seen::Forgotten,
            "purged" => Seen::Purged,
            hex => Seen::Live(u128::from_str_radix(hex, 16).ok()?.to_be_bytes()),
        };
        let author = line.get("author").and_then(Value::as_str).unwrap_or_default();
        let endorsed = line.get("endorsed").and_then(endorsement);
        let author = self.shared(author);
        let words = line.get("words").and_then(|hex| u128::from_str_radix(hex.as_str()?, 16).ok());
        let (words, left_out) = (words.unwrap_or_default().to_be_bytes(), line.get("left_out").is_some());
        self.set(key, Some(Known { version, state, author, endorsed, words, left_out }));
        Some(())
    }

    /// Few people write many items.
    fn shared(&self, author: &str) -> Arc<str> {
        let last = self.items.values().next_back().filter(|known| *known.author == *author);
        last.map_or_else(|| author.into(), |known| Arc::clone(&known.author))
    }

    fn set(&mut self, key: ItemKey, known: Option<Known>) {
        let is_live = |known: &Known| usize::from(matches!(known.state, Seen::Live(_)));
        self.standing += known.as_ref().map_or(0, is_live);
        let before = match known {
            Some(known) => self.items.insert(key, known),
            None => self.items.remove(&key),
        };
        self.standing -= before.as_ref().map_or(0, is_live);
    }

    pub fn get(&self, key: &ItemKey) -> Option<&Known> {
        self.items.get(key)
    }

    pub fn version(&self, key: &ItemKey) -> u64 {
        self.items.get(key).map_or(0, |known| known.version)
    }

    pub fn items(&self) -> impl Iterator<Item = (&ItemKey, &Known)> {
        self.items.iter()
    }

    /// How many items stand there alive, as far as is known.
    pub fn standing(&self) -> usize {
        self.standing
    }

    /// The number of the next operation of this machine.
    pub fn next_index(&mut self, now: Timestamp) -> u64 {
        // A home that was copied or restored must not begin where it was before.
        self.index = (self.index + 1).max(u64::try_from(now.as_micros()).unwrap_or_default());
        self.index
    }

    /// Is there something that could not be taken in?
    pub fn has_left_out(&self) -> bool {
        self.items.values().any(|known| known.left_out)
    }

    /// Later than everything that was seen, and than the clock.
    pub fn tick(&mut self, now: Timestamp) -> i64 {
        self.hlc = (self.hlc + 1).max(now.as_micros());
        self.hlc
    }

    /// Durable after the next [`Book::keep`].
    pub fn note(&mut self, key: &ItemKey, known: Known) {
        self.write(&line_of(key, Some(&known)));
        self.set(key.clone(), Some(known));
    }

    /// What was noted, and how far was read.
    pub fn keep(&mut self) -> io::Result<()> {
        let header = self.header();
        self.write(&header);
        let bytes = std::mem::take(&mut self.unwritten);
        match &self.file {
            Some(file) => plain::append_or_begin(file, &bytes),
            None => Ok(()),
        }
    }

    /// Another database than the one this book was about, or one that was wiped or restored: everything is compared
    /// anew, and nothing counts as taken away.
    pub fn begin_again(&mut self, database: &str, replica: &str) -> io::Result<()> {
        let file = self.file.take();
        *self = Book { file, hlc: self.hlc, index: self.index, ..Book::default() };
        (self.database, self.replica) = (database.to_owned(), replica.to_owned());
        self.rewrite()
    }

    fn header(&self) -> Value {
        json!({
            "database": self.database, "replica": self.replica, "cursor": self.cursor, "org": self.org_cursor,
            "index": self.index, "hlc": self.hlc,
        })
    }

    fn write(&mut self, line: &Value) {
        self.lines += 1;
        self.unwritten.extend(line.to_string().into_bytes());
        self.unwritten.push(b'\n');
    }

    fn rewrite(&mut self) -> io::Result<()> {
        let mut text = String::new();
        for (key, known) in &self.items {
            text.push_str(&format!("{}\n", line_of(key, Some(known))));
        }
        text.push_str(&format!("{}\n", self.header()));
        self.lines = self.items.len() + 1;
        self.unwritten.clear();
        match &self.file {
            Some(file) => plain::replace(file, text.as_bytes()),
            None => Ok(()),
        }
    }
}

fn line_of(key: &ItemKey, known: Option<&Known>) -> Value {
    let mut line = json!({"item": [key.kind.as_str(), key.namespace, key.name]});
    let Some(known) = known else { return line };
    line["version"] = known.version.into();
    line["state"] = match known.state {
        Seen::Live(print) => format!("{:032x}", u128::from_be_bytes(print)).into(),
        Seen::Forgotten => "forgotten".into(),
        Seen::Purged => "purged".into(),
    };
    line["author"] = (*known.author).into();
    line["words"] = format!("{:032x}", u128::from_be_bytes(known.words)).into();
    if known.left_out {
        line["left_out"] = true.into();
    }
    if let Some(endorsed) = &known.endorsed {
        line["endorsed"] = json!({
            "print": endorsed.print, "tier": endorsed.tier, "by": endorsed.by, "at": endorsed.at.record_style(),
        });
    }
    line
}

fn endorsement(value: &Value) -> Option<Endorsement> {
    let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
    let at = Timestamp::parse(&text("at")?)?;
    Some(Endorsement { print: text("print")?, tier: text("tier")?, by: text("by")?, at })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> ItemKey {
        ItemKey { kind: ItemKind::Memory, namespace: "default".into(), name: name.into() }
    }

    fn known(version: u64, state: Seen) -> Known {
        Known { version, state, author: "ana".into(), endorsed: None, words: [3; 16], left_out: false }
    }

    #[test]
    fn a_book_is_read_back_as_it_was_written_also_with_a_torn_end() {
        let lab = tempfile::tempdir().unwrap();
        let file = lab.path().join("team.ndjson");
        let mut book = Book::open(file.clone()).unwrap();
        assert!(!file.exists(), "nothing is made for reading");
        book.begin_again("db", "me").unwrap();
        book.note(&key("a"), known(1, Seen::Live([7; 16])));
        book.note(&key("b"), known(2, Seen::Forgotten));
        book.note(&key("a"), known(3, Seen::Live([9; 16])));
        book.cursor = 12;
        book.keep().unwrap();
        plain::append(&file, b"{\"item\":[\"mem").unwrap();
        let again = Book::open(file.clone()).unwrap();
        assert_eq!((again.items.clone(), again.standing(), again.cursor), (book.items.clone(), 1, 12));
        assert_eq!((again.database.as_str(), again.replica.as_str()), ("db", "me"));
        assert!(again.index > book.index, "no number is given twice");
        assert!(std::fs::read(&file).unwrap().ends_with(b"\n"), "the next line begins a line");
    }

    #[test]
    fn another_database_is_another_book() {
        let mut book = Book::default();
        book.note(&key("a"), known(1, Seen::Live([7; 16])));
        book.begin_again("other", "me").unwrap();
        assert_eq!((book.version(&key("a")), book.standing(), book.cursor), (0, 0, 0));
    }
}
