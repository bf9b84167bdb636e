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

    /// The lines of a piece that are JSON, oldest first.
    pub(super) fn read(&mut self, path: &Path) -> Vec<Value> {
        let text =
            plain::read(path, LARGEST).map(|bytes| bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()));
        let text = text.unwrap_or_else(|error| {
            self.complain(&error.to_string());
            None
        });
        let text = text.unwrap_or_default();
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let read: Vec<Value> = lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
        if read.len() < lines.len() {
            self.complain("a line of it is broken");
        }
        read
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
            None => {
                self.paths().iter().rev().find_map(|path| self.read(path).iter().rev().find_map(number)).unwrap_or(0)
            }
        };
        let next = (last + 1).max(at.as_micros().unsigned_abs());
        self.last = Some(next);
        format!("c-{next:013x}")
    }

    /// Lines that belong together.
    pub(super) fn append(&mut self, name: &str, lines: &[String], redaction: &Redaction) -> io::Result<()> {
        let mut text = lines.join("\n");
        text.push('\n');
        let room = |piece: &OpenPiece| piece.bytes < PIECE_BYTES && piece.lines < PIECE_LINES;
        let open = match self.open.take().or_else(|| self.newest()).filter(room) {
            Some(open) => open,
            None => self.begin(name)?,
        };
        redaction.append(&open.path, &text)?;
        let (bytes, lines) = (open.bytes + text.len(), open.lines + lines.len());
        self.open = Some(OpenPiece { bytes, lines, ..open });
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
            let text = match plain::read_text(&path, LARGEST) {
                Ok(text) => text.unwrap_or_default(),
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
