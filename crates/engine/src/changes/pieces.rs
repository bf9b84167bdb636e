//! The files of the log: lines in pieces, each named after the first change in it, the oldest dropped whole. Whatever
//! cannot be read costs itself.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::redaction::Redaction;
use lokid_model::Timestamp;
use lokid_sys::plain;

/// So many pieces are kept,
const MOST_PIECES: usize = 16;
/// each of so many bytes and lines, or a little more: what was done together stands together.
const PIECE_BYTES: usize = 1 << 20;
const PIECE_LINES: usize = 2_000;
/// A larger file is not ours.
const LARGEST: u64 = 64 << 20;
const EXTENSION: &str = "ndjson";

pub(super) struct Pieces {
    folder: PathBuf,
    /// The number of the last change that was named, once that is known.
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
    pub(super) fn new(folder: PathBuf) -> Pieces {
        Pieces { folder, last: None, open: None, complained: false }
    }

    /// Oldest first.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        let mut found = plain::files_in(&self.folder).unwrap_or_default();
        found.retain(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
        found.sort();
        found
    }

    /// The lines of a piece that are JSON, oldest first; of all lines or of those that are wanted.
    pub(super) fn read(&mut self, path: &Path, is_wanted: impl Fn(&str) -> bool) -> Vec<Value> {
        let bytes = plain::read(path, LARGEST).unwrap_or_else(|error| {
            self.complain(&error.to_string());
            None
        });
        let bytes = bytes.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty() && is_wanted(line)).collect();
        let read: Vec<Value> = lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
        if read.len() < lines.len() {
            self.complain("a line of it is broken");
        }
        read
    }

    pub(super) fn read_all(&mut self, path: &Path) -> Vec<Value> {
        self.read(path, |_| true)
    }

    fn complain(&mut self, reason: &str) {
        if !std::mem::replace(&mut self.complained, true) {
            let folder = self.folder.display();
            tracing::warn!(%folder, reason, "a part of the log of changes cannot be read and is passed over");
        }
    }

    /// A name that no change had before, and behind all of them.
    pub(super) fn name(&mut self, at: Timestamp) -> String {
        let last = match self.last {
            Some(last) => last,
            None => self
                .paths()
                .iter()
                .rev()
                .find_map(|path| self.read_all(path).iter().rev().find_map(number))
                .unwrap_or(0),
        };
        let next = (last + 1).max(at.as_micros().unsigned_abs());
        self.last = Some(next);
        format!("c-{next:013x}")
    }

    /// Lines that belong together, under the name of the first of them; what fits into one piece is written at once.
    pub(super) fn append(&mut self, groups: &[(String, Vec<String>)], redaction: &Redaction) -> io::Result<()> {
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
            redaction.append(&piece.path, &text)?;
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
        for old in &paths[..(paths.len() + 1).saturating_sub(MOST_PIECES)] {
            plain::remove_if_there(old)?;
        }
        let path = self.folder.join(format!("{name}.{EXTENSION}"));
        Ok(OpenPiece { path, bytes: 0, lines: 0 })
    }

    /// Takes out the lines that are meant, and what cannot be read with them. Answers how many were meant.
    pub(super) fn strike(&mut self, redaction: &Redaction, is_meant: &dyn Fn(&str) -> bool) -> io::Result<usize> {
        let mut struck = 0;
        for path in self.paths() {
            let text = match plain::read(&path, LARGEST) {
                Ok(bytes) => String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned(),
                // Nobody can tell what stands there.
                Err(_) => {
                    plain::remove_if_there(&path)?;
                    continue;
                }
            };
            let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
            let is_whole = |line: &&str| serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok();
            let kept: Vec<&str> = lines.iter().copied().filter(is_whole).filter(|line| !is_meant(line)).collect();
            if kept.len() == lines.len() {
                continue;
            }
            struck += lines.len() - kept.len();
            self.open = None;
            match kept.as_slice() {
                [] => plain::remove_if_there(&path)?,
                kept => redaction.keep(&path, &format!("{}\n", kept.join("\n")))?,
            }
        }
        Ok(struck)
    }
}

fn number(line: &Value) -> Option<u64> {
    u64::from_str_radix(line.get("id")?.as_str()?.strip_prefix("c-")?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_config::RedactConfig;

    fn lab() -> (tempfile::TempDir, Pieces, Redaction) {
        let folder = tempfile::tempdir().unwrap();
        let pieces = Pieces::new(folder.path().join("changes"));
        (folder, pieces, Redaction::new(&RedactConfig::default()))
    }

    fn group(pieces: &mut Pieces, at: i64, lines: usize, length: usize) -> (String, Vec<String>) {
        let name = pieces.name(Timestamp::from_micros(at));
        let line = serde_json::json!({"id": name, "text": "x".repeat(length)}).to_string();
        (name, vec![line; lines])
    }

    #[test]
    fn the_log_has_so_many_pieces_of_so_many_lines_and_bytes_and_the_oldest_go_whole() {
        for (lines, length, turns) in [(100, 10, 500), (1, 20_000, 1_200)] {
            let (_folder, mut pieces, redaction) = lab();
            for at in 0..turns {
                let told = group(&mut pieces, at, lines, length);
                pieces.append(&[told], &redaction).unwrap();
            }
            let paths = pieces.paths();
            assert_eq!(paths.len(), MOST_PIECES);
            for path in &paths {
                let read = pieces.read_all(path);
                let first = read[0]["id"].as_str().unwrap().to_owned();
                assert_eq!(path.file_stem().unwrap().to_str(), Some(first.as_str()));
                assert!(
                    read.len() < PIECE_LINES + 100 && plain::measure(path).unwrap().1 < (PIECE_BYTES + 30_000) as u64
                );
            }
            let last = pieces.read_all(paths.last().unwrap()).pop().unwrap();
            assert_eq!(number(&last), pieces.last, "the newest is there");
        }
    }

    #[test]
    fn many_groups_at_once_fill_one_piece_after_the_other() {
        let (_folder, mut pieces, redaction) = lab();
        let groups: Vec<_> = (0..3_000).map(|at| group(&mut pieces, at, 2, 10)).collect();
        pieces.append(&groups, &redaction).unwrap();
        let many: Vec<usize> = pieces.paths().iter().map(|path| pieces.read_all(path).len()).collect();
        assert_eq!(many, [2_000, 2_000, 2_000]);
    }

    #[test]
    fn a_name_is_behind_all_others_though_the_clock_was_set_back() {
        let (folder, mut pieces, redaction) = lab();
        let first = group(&mut pieces, 5_000, 1, 1);
        pieces.append(std::slice::from_ref(&first), &redaction).unwrap();
        let mut again = Pieces::new(folder.path().join("changes"));
        let (second, third) = (again.name(Timestamp::from_micros(10)), again.name(Timestamp::from_micros(9_000)));
        assert!(first.0 < second && second < third, "{} {second} {third}", first.0);
    }

    #[test]
    fn what_is_meant_is_struck_and_what_cannot_be_read_with_it() {
        let (_folder, mut pieces, redaction) = lab();
        for at in 0..4 {
            let told = group(&mut pieces, at, 1, 1);
            pieces.append(&[told], &redaction).unwrap();
        }
        let path = pieces.paths().pop().unwrap();
        plain::append_or_begin(&path, b"half a li").unwrap();
        let names: Vec<String> =
            pieces.read_all(&path).iter().map(|line| line["id"].as_str().unwrap().to_owned()).collect();
        assert_eq!(pieces.strike(&redaction, &|line| line.contains(&names[1])).unwrap(), 2);
        let left: Vec<Value> = pieces.read_all(&path);
        assert_eq!(left.len(), 3);
        assert_eq!(pieces.strike(&redaction, &|_| true).unwrap(), 3);
        assert!(pieces.paths().is_empty());
    }
}
