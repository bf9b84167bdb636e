//! A store's disk behind the door that keeps secrets out: whatever is read from it or written to it passes the cleaner,
//! whoever wrote it. Files are not changed by being read; one that is written anew is written clean.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use super::read;
use lokid_model::{Cleaned, Cleaner, clean};
use lokid_sys::{Disk, LinePart, thread};

/// What must not be kept, as a store is told.
pub type Door = Arc<dyn Cleaner>;

/// A file is read in pieces that end where an entry does, and which entry is told by what it says: a change in the middle
/// makes one piece another, and those behind it stay the same.
const LONGEST: usize = 1 << 18;
/// One entry in so many may end a piece.
const ENDS_ONE_IN: u64 = 24;
const TOLD_BY: usize = 512;
/// So many are worth a thread of their own.
const PIECES_APIECE: usize = 16;
const FILE: &str = "clean.bin";
/// Pieces that are remembered: more than any store has.
const MOST: usize = 1 << 19;
const WIDTH: usize = 8;

/// Like the disk itself, except that texts come and go clean.
#[derive(Clone)]
pub(super) struct CleanDisk {
    disk: Disk,
    door: Door,
    known: Arc<KnownClean>,
}

/// Pieces in which nothing was found, by hash, under the rules of now: reading them again costs no search.
#[derive(Default)]
pub(super) struct KnownClean {
    pieces: RwLock<HashSet<u64>>,
    has_news: AtomicBool,
}

impl KnownClean {
    /// As it was kept; what was kept under other rules counts for nothing.
    pub(super) fn open(disk: &Disk, door: &Door) -> KnownClean {
        let bytes = disk.read(FILE, (MOST * WIDTH) as u64 + 64).unwrap_or_default();
        let mut numbers = bytes.as_chunks::<WIDTH>().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
        let is_current = numbers.next() == Some(door.rules());
        KnownClean { pieces: RwLock::new(numbers.filter(|_| is_current).collect()), has_news: AtomicBool::new(false) }
    }

    pub(super) fn save(&self, disk: &Disk, door: &Door) -> io::Result<()> {
        if !self.has_news.swap(false, Ordering::AcqRel) {
            return Ok(());
        }
        let pieces = self.pieces.read().unwrap_or_else(PoisonError::into_inner);
        let numbers = [door.rules()].into_iter().chain(pieces.iter().copied());
        disk.replace(FILE, &numbers.flat_map(u64::to_le_bytes).collect::<Vec<u8>>())
    }

    fn has(&self, piece: u64) -> bool {
        self.pieces.read().unwrap_or_else(PoisonError::into_inner).contains(&piece)
    }

    fn add(&self, found: impl Iterator<Item = u64>) {
        let mut pieces = self.pieces.write().unwrap_or_else(PoisonError::into_inner);
        let before = pieces.len();
        if before >= MOST {
            pieces.clear();
        }
        pieces.extend(found);
        if pieces.len() != before {
            self.has_news.store(true, Ordering::Release);
        }
    }
}

impl Deref for CleanDisk {
    type Target = Disk;

    fn deref(&self) -> &Disk {
        &self.disk
    }
}

impl CleanDisk {
    pub(super) fn new(disk: Disk, door: &Door) -> CleanDisk {
        CleanDisk { disk, door: Arc::clone(door), known: Arc::default() }
    }

    pub(super) fn knowing(self, known: &Arc<KnownClean>) -> CleanDisk {
        CleanDisk { known: Arc::clone(known), ..self }
    }

    pub(super) fn read(&self, path: impl AsRef<Path>, max_bytes: u64) -> io::Result<Vec<u8>> {
        self.read_telling(path, max_bytes).map(|(bytes, _)| bytes)
    }

    /// With the kinds of secrets that were taken out.
    pub(super) fn read_telling(
        &self,
        path: impl AsRef<Path>,
        max_bytes: u64,
    ) -> io::Result<(Vec<u8>, BTreeSet<String>)> {
        let bytes = self.disk.read(&path, max_bytes)?;
        let (clean, found) = self.cleaned(path.as_ref(), &bytes, true);
        let clean = match clean {
            Cow::Borrowed(_) => None,
            Cow::Owned(clean) => Some(clean),
        };
        Ok((clean.unwrap_or(bytes), found))
    }

    /// Line by line, as the disk tells them, with the kinds of secrets that were taken out.
    pub(super) fn read_lines(
        &self,
        path: impl AsRef<Path>,
        longest: usize,
        mut tell: impl FnMut(LinePart<'_>),
    ) -> io::Result<BTreeSet<String>> {
        let mut secrets = BTreeSet::new();
        self.disk.read_lines(&path, longest, |part| match part {
            LinePart::Lines(bytes) => {
                let (clean, found) = self.cleaned(path.as_ref(), bytes, true);
                secrets.extend(found);
                tell(LinePart::Lines(&clean));
            }
            LinePart::TooLong => tell(LinePart::TooLong),
        })?;
        Ok(secrets)
    }

    pub(super) fn replace(&self, path: impl AsRef<Path>, bytes: &[u8]) -> io::Result<()> {
        self.disk.replace(&path, &self.cleaned(path.as_ref(), bytes, true).0)
    }

    /// Lines of JSON. Tells whether what a crash had left of one went; what begins otherwise is somebody's, and stays.
    pub(super) fn append(&self, path: impl AsRef<Path>, bytes: &[u8]) -> io::Result<bool> {
        let path = path.as_ref();
        let is_valid = |line: &[u8]| serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok();
        let is_whole = |line: &[u8]| !line.starts_with(b"{") || is_valid(line);
        let (_, went) = self.disk.append_after(path, &self.cleaned(path, bytes, false).0, &is_whole)?;
        if went {
            tracing::warn!(path = %path.display(), "its last line was torn, as by a crash, and was taken out");
        }
        Ok(went)
    }

    pub(super) fn write_many(&self, files: &[(PathBuf, Vec<u8>)]) -> io::Result<()> {
        let clean =
            |(path, bytes): &(PathBuf, Vec<u8>)| (path.clone(), self.cleaned(path, bytes, false).0.into_owned());
        self.disk.write_many(&files.iter().map(clean).collect::<Vec<_>>())
    }

    /// A name of a file, or whatever else is told of it.
    pub(super) fn is_clean(&self, text: &str) -> bool {
        self.door.clean(text).is_none()
    }

    fn cleaned<'a>(&self, path: &Path, bytes: &'a [u8], comes_again: bool) -> (Cow<'a, [u8]>, BTreeSet<String>) {
        let is_json = path.extension().is_some_and(|extension| extension == "json" || extension == "ndjson");
        let text = |text: &str| if is_json { clean::json(text, &*self.door) } else { self.door.clean(text) };
        let piece = |bytes: &[u8]| -> Option<(Vec<u8>, BTreeSet<String>)> {
            let Ok(whole) = std::str::from_utf8(bytes) else { return by_lines(bytes, &text) };
            text(whole).map(|cleaned| (cleaned.text.into_bytes(), cleaned.found))
        };
        // No string of JSON goes over a line.
        let pieces = if is_json { pieces(bytes) } else { vec![bytes] };
        let hash = |bytes: &&[u8]| read::hash_of(bytes) ^ u64::from(is_json) ^ self.door.rules();
        let hashes: Vec<u64> = if comes_again { pieces.iter().map(hash).collect() } else { Vec::new() };
        let is_known = |at: usize| hashes.get(at).is_some_and(|hash| self.known.has(*hash));
        let unknown: Vec<usize> = (0..pieces.len()).filter(|at| !is_known(*at)).collect();
        let look = |part: &[usize]| part.iter().map(|at| (*at, piece(pieces[*at]))).collect::<Vec<_>>();
        let looked: Vec<_> = thread::in_parts(&unknown, PIECES_APIECE, |_| true, look).into_iter().flatten().collect();
        let clean = looked.iter().filter(|(_, cleaned)| cleaned.is_none());
        self.known.add(clean.filter_map(|(at, _)| hashes.get(*at).copied()));
        let mut instead: HashMap<usize, (Vec<u8>, BTreeSet<String>)> =
            looked.into_iter().filter_map(|(at, cleaned)| Some((at, cleaned?))).collect();
        if instead.is_empty() {
            return (Cow::Borrowed(bytes), BTreeSet::new());
        }
        let (mut clean, mut found) = (Vec::with_capacity(bytes.len()), BTreeSet::new());
        for (at, piece) in pieces.into_iter().enumerate() {
            match instead.remove(&at) {
                Some((piece, kinds)) => {
                    clean.extend(piece);
                    found.extend(kinds);
                }
                None => clean.extend_from_slice(piece),
            }
        }
        (Cow::Owned(clean), found)
    }
}

fn pieces(bytes: &[u8]) -> Vec<&[u8]> {
    let (mut pieces, mut start, mut end) = (Vec::new(), 0, 0);
    for newline in memchr::memchr_iter(b'\n', bytes) {
        let line = &bytes[end..=newline];
        end = newline + 1;
        let length = end - start;
        let ends = || length >= LONGEST || told(&bytes[end.saturating_sub(TOLD_BY)..end]).is_multiple_of(ENDS_ONE_IN);
        if (ends_entry(line) && ends()) || length >= 2 * LONGEST {
            pieces.push(&bytes[start..end]);
            start = end;
        }
    }
    pieces.push(&bytes[start..]);
    pieces
}

/// A number that what was said last has to itself, more or less.
fn told(tail: &[u8]) -> u64 {
    let (words, _) = tail.as_chunks::<8>();
    let mixed = words
        .iter()
        .fold(0_u64, |sum, word| (sum ^ u64::from_le_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23));
    mixed ^ (mixed >> 29)
}

/// Is this a record of its own, or the end of one as documents are written? What belongs together is searched together.
fn ends_entry(line: &[u8]) -> bool {
    let indented = line.iter().take_while(|byte| **byte == b' ').count();
    line.starts_with(b"{") || (indented <= 4 && line[indented..].starts_with(b"}"))
}

/// A line that is no text is understood by nobody, and stays.
fn by_lines(bytes: &[u8], clean: &dyn Fn(&str) -> Option<Cleaned>) -> Option<(Vec<u8>, BTreeSet<String>)> {
    let (mut whole, mut found) = (Vec::with_capacity(bytes.len()), BTreeSet::new());
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match std::str::from_utf8(line).ok().and_then(clean) {
            Some(cleaned) => {
                whole.extend(cleaned.text.into_bytes());
                found.extend(cleaned.found);
            }
            None => whole.extend_from_slice(line),
        }
    }
    (!found.is_empty()).then_some((whole, found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_in_the_middle_leaves_most_pieces_as_they_were() {
        let entry = |number: usize| {
            format!(
                "    {{\n      \"key\": \"k{number}\",\n      \"value\": \"{:x}\",\n{}    }},\n",
                number * 7919,
                "      \"at\": \"2026-11-17\",\n".repeat(8)
            )
        };
        let document = |skip: usize| (0..4_000).filter(|number| *number != skip).map(entry).collect::<String>();
        let (before, after) = (document(usize::MAX), document(700));
        let of = |text: &'static str| pieces(text.as_bytes()).into_iter().collect::<HashSet<_>>();
        let (before, after) = (of(before.leak()), of(after.leak()));
        assert!(before.len() > 8, "{}", before.len());
        assert!(after.difference(&before).count() <= 2);
        assert!(before.iter().all(|piece| piece.len() <= 2 * LONGEST && piece.starts_with(b"    {")));
    }
}
