//! What is new at the end of one log: where we stand in it, and the lines since.
//!
//! Pure but for a source of bytes that the caller brings. It holds back a line that is not finished, starts over when
//! the file was replaced or cut, passes over binary junk, and never buffers more than a line's beginning.

use std::io;

/// Where reading goes on. The caller keeps it between runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TailPlace {
    pub device: u64,
    pub inode: u64,
    pub offset: u64,
    /// Of the first bytes, up to 256 of them; with how many of them.
    pub head_hash: u64,
    pub head_length: u64,
    /// Inside a line of which the beginning was handed out already.
    pub skipping: bool,
}

/// Where to begin in a log that is seen for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TailPolicy {
    /// A file that is no longer than this is read from its start, if it is recent.
    pub small: u64,
    /// Changed within this many nanoseconds is recent.
    pub recent: i64,
}

impl Default for TailPolicy {
    fn default() -> TailPolicy {
        TailPolicy { small: 64 << 10, recent: 600 * 1_000_000_000 }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Without their ends; what is no UTF-8 becomes a mark, what is too long is cut.
    pub lines: Vec<String>,
    /// There is more than one turn takes.
    pub more: bool,
    /// The file was replaced or cut since the last turn.
    pub started_over: bool,
}

/// As much of the start as tells two files with one inode apart.
pub(super) const HEAD: usize = 256;
/// Of a longer line only this much is kept.
const LONGEST: usize = 4 << 10;
const MOST_A_TURN: u64 = 1 << 20;
const CHUNK: usize = 64 << 10;

/// What the file is like now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a, R: Fn(u64, &mut [u8]) -> io::Result<usize>> {
    pub(super) device: u64,
    pub(super) inode: u64,
    pub(super) size: u64,
    pub(super) read_at: &'a R,
}

impl TailPlace {
    /// A file that was not there before: from its start when `from_start`, else from its end.
    pub(super) fn first(from_start: bool, size: u64) -> TailPlace {
        TailPlace { offset: if from_start { 0 } else { size }, ..TailPlace::default() }
    }

    /// The finished lines since the last turn.
    pub(super) fn read<R>(&mut self, source: Source<'_, R>) -> io::Result<Lines>
    where
        R: Fn(u64, &mut [u8]) -> io::Result<usize>,
    {
        let mut found = Lines::default();
        let other_file = self.inode != 0 && (self.device, self.inode) != (source.device, source.inode);
        if other_file || source.size < self.offset || !self.has_same_head(&source)? {
            *self = TailPlace::default();
            found.started_over = true;
        }
        (self.device, self.inode) = (source.device, source.inode);
        let end = source.size.min(self.offset.saturating_add(MOST_A_TURN));
        self.take_lines(&source, end, &mut found)?;
        found.more = end < source.size;
        self.note_head(&source)?;
        Ok(found)
    }

    fn take_lines<R>(&mut self, source: &Source<'_, R>, end: u64, found: &mut Lines) -> io::Result<()>
    where
        R: Fn(u64, &mut [u8]) -> io::Result<usize>,
    {
        let mut chunk = vec![0; CHUNK];
        let mut line: Vec<u8> = Vec::new();
        let mut at = self.offset;
        while at < end {
            let wanted = usize::try_from(end - at).unwrap_or(CHUNK).min(CHUNK);
            let count = (source.read_at)(at, &mut chunk[..wanted])?;
            if count == 0 {
                break;
            }
            let mut rest = &chunk[..count];
            while let Some(length) = rest.iter().position(|byte| *byte == b'\n') {
                keep(&mut line, &rest[..length]);
                at += length as u64 + 1;
                self.offset = at;
                if !std::mem::take(&mut self.skipping) {
                    found.lines.extend(text_of(&line));
                }
                line.clear();
                rest = &rest[length + 1..];
            }
            keep(&mut line, rest);
            at += rest.len() as u64;
        }
        // What is longer than a line is kept has said what it says: hand it out and pass over the rest of it.
        if at - self.offset > LONGEST as u64 {
            if !std::mem::replace(&mut self.skipping, true) {
                found.lines.extend(text_of(&line));
            }
            self.offset = at;
        }
        Ok(())
    }

    fn has_same_head<R>(&self, source: &Source<'_, R>) -> io::Result<bool>
    where
        R: Fn(u64, &mut [u8]) -> io::Result<usize>,
    {
        if self.head_length == 0 {
            return Ok(true);
        }
        let (hash, length) = head(source, self.head_length)?;
        Ok(length == self.head_length && hash == self.head_hash)
    }

    fn note_head<R>(&mut self, source: &Source<'_, R>) -> io::Result<()>
    where
        R: Fn(u64, &mut [u8]) -> io::Result<usize>,
    {
        if self.head_length < HEAD as u64 && self.offset > self.head_length {
            (self.head_hash, self.head_length) = head(source, self.offset)?;
        }
        Ok(())
    }
}

fn head<R>(source: &Source<'_, R>, most: u64) -> io::Result<(u64, u64)>
where
    R: Fn(u64, &mut [u8]) -> io::Result<usize>,
{
    let mut bytes = [0; HEAD];
    let wanted = usize::try_from(most).unwrap_or(HEAD).min(HEAD);
    let count = (source.read_at)(0, &mut bytes[..wanted])?;
    let hash = blake3::hash(&bytes[..count]);
    let first: [u8; 8] = std::array::from_fn(|at| hash.as_bytes()[at]);
    Ok((u64::from_le_bytes(first), count as u64))
}

fn keep(line: &mut Vec<u8>, part: &[u8]) {
    let room = LONGEST - line.len().min(LONGEST);
    line.extend_from_slice(&part[..part.len().min(room)]);
}

/// `None` for blank lines and for what is no text.
fn text_of(line: &[u8]) -> Option<String> {
    let zeros = line.iter().filter(|byte| **byte == 0).count();
    if zeros * 10 > line.len() {
        return None;
    }
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end_matches(['\r', '\n']);
    (!text.trim().is_empty()).then(|| text.replace('\0', ""))
}

#[cfg(test)]
mod tests;
