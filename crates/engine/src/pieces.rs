//! Lines of JSON in a folder, in pieces: each is named after the first thing told in it, and the oldest is dropped whole.
//! Whatever cannot be read costs itself.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::pattern::Pattern;
use super::redaction::Redaction;
use lokid_model::{Cleaner, Timestamp, clean};
use lokid_sys::plain;

/// Each piece is of so many bytes and lines, or a little more: what was done together stands together.
const PIECE_BYTES: usize = 1 << 20;
const PIECE_LINES: usize = 2_000;
/// A larger file is not ours.
const LARGEST: u64 = 64 << 20;
const EXTENSION: &str = "ndjson";

pub(super) struct Pieces {
    folder: PathBuf,
    /// What the names in it begin with.
    letter: char,
    /// So many pieces are kept.
    most: usize,
    redaction: Redaction,
    /// The last number that was given as a name, once that is known.
    last: Option<u64>,
    open: Option<OpenPiece>,
    /// That something could not be read was said.
    complained: bool,
}

struct OpenPiece {
    path: PathBuf,
    bytes: usize,
    lines: usize,
}

impl OpenPiece {
    fn has_room(&self) -> bool {
        self.bytes < PIECE_BYTES && self.lines < PIECE_LINES
    }
}

impl Pieces {
    pub(super) fn new(folder: PathBuf, letter: char, most: usize, redaction: &Redaction) -> Pieces {
        Pieces { folder, letter, most, redaction: redaction.clone(), last: None, open: None, complained: false }
    }

    /// Oldest first.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        let mut found = plain::files_in(&self.folder).unwrap_or_default();
        found.retain(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
        found.sort();
        found
    }

    pub(super) fn text(&mut self, path: &Path) -> String {
        let bytes = plain::read(path, LARGEST).unwrap_or_else(|error| {
            self.complain(&error);
            None
        });
        String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
    }

    /// The lines of a piece that are JSON, oldest first; of all lines or of those that are wanted.
    pub(super) fn read(&mut self, path: &Path, is_wanted: impl Fn(&str) -> bool) -> Vec<Value> {
        let text = self.text(path);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty() && is_wanted(line)).collect();
        let read: Vec<Value> = lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
        if read.len() < lines.len() {
            self.complain(&"a line of it is broken");
        }
        read
    }

    pub(super) fn read_all(&mut self, path: &Path) -> Vec<Value> {
        self.read(path, |_| true)
    }

    /// Said once.
    pub(super) fn complain(&mut self, reason: &dyn std::fmt::Display) {
        if !std::mem::replace(&mut self.complained, true) {
            let folder = self.folder.display();
            tracing::warn!(%folder, %reason, "a part of what was told here cannot be read and is passed over");
        }
    }

    /// A name that nothing had before, and behind all of them, though the clock was set back.
    pub(super) fn name(&mut self, at: Timestamp) -> String {
        let letter = self.letter;
        let number = |line: &Value| {
            u64::from_str_radix(line.get("id")?.as_str()?.strip_prefix(letter)?.strip_prefix('-')?, 16).ok()
        };
        let paths = self.last.map_or_else(|| self.paths(), |_| Vec::new());
        let newest = paths.iter().rev().find_map(|path| self.read_all(path).iter().rev().find_map(number));
        let last = self.last.or(newest).unwrap_or(0);
        let next = last.saturating_add(1).max(at.as_micros().unsigned_abs());
        self.last = Some(next);
        format!("{letter}-{next:013x}")
    }

    /// Lines that belong together, under the name of the first of them; what fits into one piece is written at once.
    pub(super) fn append(&mut self, groups: &[(String, Vec<String>)]) -> io::Result<()> {
        let mut rest = groups;
        while let Some((name, _)) = rest.first() {
            let has_room = |piece: &OpenPiece| piece.has_room() && plain::is_file(&piece.path);
            let mut piece = match self.open.take().or_else(|| self.newest()).filter(has_room) {
                Some(open) => open,
                None => self.begin(name)?,
            };
            let mut text = String::new();
            while let Some(((_, lines), behind)) = rest.split_first().filter(|_| piece.has_room()) {
                for line in lines {
                    text.push_str(line);
                    text.push('\n');
                    piece.bytes += line.len() + 1;
                }
                piece.lines += lines.len();
                rest = behind;
            }
            self.redaction.append(&piece.path, &text)?;
            self.open = Some(piece);
        }
        Ok(())
    }

    /// As an earlier life left it; what was torn there ends here.
    fn newest(&self) -> Option<OpenPiece> {
        let path = self.paths().pop()?;
        let bytes = plain::read(&path, LARGEST).ok().flatten()?;
        let is_torn = bytes.last().is_some_and(|last| *last != b'\n');
        if is_torn {
            plain::append_or_begin(&path, b"\n").ok()?;
        }
        let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
        Some(OpenPiece { path, bytes: bytes.len(), lines })
    }

    fn begin(&mut self, name: &str) -> io::Result<OpenPiece> {
        plain::make_folder(&self.folder)?;
        let paths = self.paths();
        for old in &paths[..(paths.len() + 1).saturating_sub(self.most)] {
            plain::remove_if_there(old)?;
        }
        let path = self.folder.join(format!("{name}.{EXTENSION}"));
        Ok(OpenPiece { path, bytes: 0, lines: 0 })
    }

    /// Every line becomes what `less` leaves of it; what cannot be read goes. Answers how many lines are others since. A
    /// piece that cannot be rewritten is removed: what was to go is gone.
    pub(super) fn strike(&mut self, less: &dyn Fn(&str) -> Option<Cow<'_, str>>) -> io::Result<usize> {
        let (mut struck, mut done) = (0, Ok(()));
        for path in self.paths() {
            // Nobody can tell what stands there.
            let Ok(bytes) = plain::read(&path, LARGEST) else {
                plain::remove_if_there(&path)?;
                continue;
            };
            let text = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
            let mut kept = String::with_capacity(text.len());
            let before = struck;
            for line in text.lines().filter(|line| !line.trim().is_empty()) {
                let is_whole = serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok();
                let left = less(line).filter(|_| is_whole);
                struck += usize::from(left.as_deref() != Some(line));
                kept.extend(left.iter().flat_map(|left| [left, "\n"]));
            }
            if struck == before {
                continue;
            }
            self.open = None;
            let written =
                if kept.is_empty() { plain::remove_if_there(&path) } else { self.redaction.keep(&path, &kept) };
            if let Err(error) = written {
                done = plain::remove_if_there(&path).and(Err(error));
            }
        }
        done.map(|()| struck)
    }

    pub(super) fn clear(&mut self) -> io::Result<()> {
        self.open = None;
        plain::remove_folder(&self.folder)
    }

    /// How many lines hold what must not be kept; with `strike` they go.
    pub(super) fn history(&mut self, pattern: &Pattern, strike: bool) -> io::Result<usize> {
        let says = |line: &str| clean::json(line, pattern as &dyn Cleaner).is_some();
        if strike {
            return self.strike(&|line| (!says(line)).then_some(Cow::Borrowed(line)));
        }
        let paths = self.paths();
        Ok(paths.iter().map(|path| self.read(path, says).len()).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_config::RedactConfig;

    const MOST: usize = 16;

    fn lab() -> (tempfile::TempDir, Pieces) {
        let folder = tempfile::tempdir().unwrap();
        let pieces = again(folder.path());
        (folder, pieces)
    }

    fn again(folder: &Path) -> Pieces {
        Pieces::new(folder.join("changes"), 'c', MOST, &Redaction::new(&RedactConfig::default()))
    }

    fn group(pieces: &mut Pieces, at: i64, lines: usize, length: usize) -> (String, Vec<String>) {
        let name = pieces.name(Timestamp::from_micros(at));
        let line = serde_json::json!({"id": name, "text": "x".repeat(length)}).to_string();
        (name, vec![line; lines])
    }

    #[test]
    fn the_log_has_so_many_pieces_of_so_many_lines_and_bytes_and_the_oldest_go_whole() {
        for (lines, length, turns) in [(100, 10, 500), (1, 20_000, 1_200)] {
            let (_folder, mut pieces) = lab();
            for at in 0..turns {
                let told = group(&mut pieces, at, lines, length);
                pieces.append(&[told]).unwrap();
            }
            let paths = pieces.paths();
            assert_eq!(paths.len(), MOST);
            for path in &paths {
                let read = pieces.read_all(path);
                let first = read[0]["id"].as_str().unwrap().to_owned();
                assert_eq!(path.file_stem().unwrap().to_str(), Some(first.as_str()));
                assert!(
                    read.len() < PIECE_LINES + 100 && plain::measure(path).unwrap().1 < (PIECE_BYTES + 30_000) as u64
                );
            }
            let last = pieces.read_all(paths.last().unwrap()).pop().unwrap();
            assert_eq!(last["id"], format!("c-{:013x}", pieces.last.unwrap()), "the newest is there");
        }
    }

    #[test]
    fn many_groups_at_once_fill_one_piece_after_the_other() {
        let (_folder, mut pieces) = lab();
        let groups: Vec<_> = (0..3_000).map(|at| group(&mut pieces, at, 2, 10)).collect();
        pieces.append(&groups).unwrap();
        let many: Vec<usize> = pieces.paths().iter().map(|path| pieces.read_all(path).len()).collect();
        assert_eq!(many, [2_000, 2_000, 2_000]);
    }

    #[test]
    fn a_name_is_behind_all_others_though_the_clock_was_set_back() {
        let (folder, mut pieces) = lab();
        let first = group(&mut pieces, 5_000, 1, 1);
        pieces.append(std::slice::from_ref(&first)).unwrap();
        let mut again = again(folder.path());
        let (second, third) = (again.name(Timestamp::from_micros(10)), again.name(Timestamp::from_micros(9_000)));
        assert!(first.0 < second && second < third, "{} {second} {third}", first.0);
    }

    #[test]
    fn what_is_meant_is_struck_and_what_cannot_be_read_with_it() {
        let (_folder, mut pieces) = lab();
        for at in 0..4 {
            let told = group(&mut pieces, at, 1, 1);
            pieces.append(&[told]).unwrap();
        }
        let path = pieces.paths().pop().unwrap();
        plain::append_or_begin(&path, b"half a li").unwrap();
        let names: Vec<String> =
            pieces.read_all(&path).iter().map(|line| line["id"].as_str().unwrap().to_owned()).collect();
        assert_eq!(pieces.strike(&|line| (!line.contains(&names[1])).then_some(Cow::Borrowed(line))).unwrap(), 2);
        let left: Vec<Value> = pieces.read_all(&path);
        assert_eq!(left.len(), 3);
        assert_eq!(pieces.strike(&|_| None).unwrap(), 3);
        assert!(pieces.paths().is_empty());
    }
}
