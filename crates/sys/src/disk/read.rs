//! Looking at a store: whole files up to a limit, stamps that tell whether a file changed, and listings.
//!
//! Nothing here changes the disk or waits for another process.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use cap_std::fs::MetadataExt;
use rustix::fs::OFlags;

use super::{Disk, is_irregular, named};

/// Two equal stamps mean that nobody wrote in between, as far as the file system tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    pub dev: u64,
    pub ino: u64,
    pub size: u64,
    pub mtime_ns: i128,
    pub ctime_ns: i128,
}

/// Of a file of lines.
#[derive(Debug, PartialEq, Eq)]
pub enum LinePart<'a> {
    /// Whole ones; the very last may have no end.
    Lines(&'a [u8]),
    /// One that was passed over.
    TooLong,
}

/// As much of a file of lines is read at once.
const BLOCK: u64 = 16 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: OsString,
    pub kind: EntryKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Dir,
    Symlink,
    Other,
}

impl Disk {
    /// The whole file. Refuses what is no regular file, and what is longer than `max_bytes`.
    pub fn read(&self, path: impl AsRef<Path>, max_bytes: u64) -> io::Result<Vec<u8>> {
        let place = self.place(path.as_ref())?;
        read_bounded(place.open(OFlags::RDONLY)?, &place.full, max_bytes)
    }

    /// A file of lines of any length, a block at a time: memory is taken for the longest line that is allowed and no more.
    pub fn read_lines(&self, path: impl AsRef<Path>, longest: usize, tell: impl FnMut(LinePart<'_>)) -> io::Result<()> {
        self.read_blocks(path, BLOCK, longest, tell)
    }

    fn read_blocks(
        &self,
        path: impl AsRef<Path>,
        block: u64,
        longest: usize,
        mut tell: impl FnMut(LinePart<'_>),
    ) -> io::Result<()> {
        let place = self.place(path.as_ref())?;
        let with_name = |error| named(&place.full, error);
        let mut file = place.open(OFlags::RDONLY)?;
        if !file.metadata().map_err(with_name)?.is_file() {
            return Err(is_irregular(&place.full));
        }
        let mut held: Vec<u8> = Vec::new();
        let mut passes_over = false;
        while file.by_ref().take(block).read_to_end(&mut held).map_err(with_name)? > 0 {
            // Asked first, for that is quick: a line without end is nothing but blocks without one.
            let has_end = held.contains(&b'\n');
            if passes_over && !has_end {
                held.clear();
                continue;
            }
            let is_end = |byte: &u8| *byte == b'\n';
            if std::mem::take(&mut passes_over)
                && let Some(end) = held.iter().position(is_end)
            {
                held.drain(..=end);
            }
            if has_end && let Some(end) = held.iter().rposition(is_end) {
                tell(LinePart::Lines(&held[..=end]));
                held.drain(..=end);
            }
            if held.len() > longest {
                tell(LinePart::TooLong);
                held = Vec::new();
                passes_over = true;
            }
        }
        if !held.is_empty() {
            tell(LinePart::Lines(&held));
        }
        Ok(())
    }

    /// Asks the file system without opening the file; a link gives its own stamp.
    /// Is there something else than a regular file: a folder, a pipe, a link?
    pub fn is_irregular(&self, path: impl AsRef<Path>) -> io::Result<bool> {
        match self.place(path.as_ref()) {
            Ok(place) => Ok(place.metadata()?.is_some_and(|metadata| !metadata.is_file())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    pub fn stamp(&self, path: impl AsRef<Path>) -> io::Result<Option<Stamp>> {
        let path = path.as_ref();
        match self.root.dir.symlink_metadata(path) {
            Ok(metadata) => Ok(Some(Stamp {
                dev: metadata.dev(),
                ino: metadata.ino(),
                size: metadata.size(),
                mtime_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
                ctime_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
            })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(named(&self.full(path), error)),
        }
    }

    /// Sorted by name; a directory that is not there is empty.
    pub fn list(&self, dir: impl AsRef<Path>) -> io::Result<Vec<Entry>> {
        let path = dir.as_ref();
        let with_name = |error| named(&self.full(path), error);
        let dir = match self.dir(path) {
            Ok(dir) => dir,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(with_name(error)),
        };
        let mut entries = Vec::new();
        for entry in dir.entries().map_err(with_name)? {
            let entry = entry.map_err(with_name)?;
            let name = entry.file_name();
            let mut kind = entry.file_type().map_err(with_name)?;
            if kind == cap_std::fs::FileType::unknown() {
                kind = match entry.metadata() {
                    Ok(metadata) => metadata.file_type(),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    Err(error) => return Err(with_name(error)),
                };
            }
            entries.push(Entry { name, kind: kind_of(kind) });
        }
        entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        Ok(entries)
    }
}

/// Reads at most `max_bytes` of an open file, also when it grows meanwhile.
pub(crate) fn read_bounded(file: File, path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let with_name = |error| named(path, error);
    let metadata = file.metadata().map_err(with_name)?;
    if !metadata.is_file() {
        return Err(is_irregular(path));
    }
    let too_long = |size: u64| {
        let message = format!("{} has {size} bytes, more than the {max_bytes} allowed", path.display());
        io::Error::new(io::ErrorKind::InvalidData, message)
    };
    if metadata.len() > max_bytes {
        return Err(too_long(metadata.len()));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0).saturating_add(1));
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(with_name)?;
    let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if size > max_bytes { Err(too_long(size)) } else { Ok(bytes) }
}

fn nanoseconds(seconds: i64, nanos: i64) -> i128 {
    i128::from(seconds) * 1_000_000_000 + i128::from(nanos)
}

fn kind_of(kind: cap_std::fs::FileType) -> EntryKind {
    if kind.is_file() {
        EntryKind::File
    } else if kind.is_dir() {
        EntryKind::Dir
    } else if kind.is_symlink() {
        EntryKind::Symlink
    } else {
        EntryKind::Other
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::super::tests::lab;
    use super::*;

    fn make_fifo(path: &Path) {
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    #[test]
    fn a_file_is_read_up_to_its_limit_and_refused_beyond_it() {
        let (lab, disk) = lab();
        std::fs::write(lab.path().join("five"), "12345").unwrap();
        assert_eq!(disk.read("five", 5).unwrap(), b"12345");
        let error = disk.read("five", 4).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert!(error.to_string().ends_with("five has 5 bytes, more than the 4 allowed"), "{error}");
        assert_eq!(disk.read("none", 4).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_pipe_is_refused_without_waiting_for_a_writer() {
        let (lab, disk) = lab();
        make_fifo(&lab.path().join("pipe"));
        for error in [disk.read("pipe", 10).unwrap_err(), disk.append("pipe", b"x").unwrap_err()] {
            assert!(error.to_string().contains("pipe"), "{error}");
        }
        assert_eq!(disk.read("pipe", 10).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert!(disk.read(".", 10).is_err());
    }

    #[test]
    fn a_stamp_changes_with_the_file_and_is_none_without_it() {
        let (lab, disk) = lab();
        assert_eq!(disk.stamp("file").unwrap(), None);
        assert_eq!(disk.stamp("none/file").unwrap(), None);
        disk.replace("file", b"1").unwrap();
        let first = disk.stamp("file").unwrap().unwrap();
        assert_eq!(disk.stamp("file").unwrap(), Some(first));
        disk.replace("file", b"2").unwrap();
        assert_ne!(disk.stamp("file").unwrap(), Some(first));
        symlink("/nowhere/at/all", lab.path().join("link")).unwrap();
        assert!(disk.stamp("link").unwrap().is_some(), "the link itself is stamped");
    }

    #[test]
    fn a_listing_is_sorted_and_tells_the_kinds() {
        let (lab, disk) = lab();
        disk.create_dirs("dir").unwrap();
        disk.replace("b", b"").unwrap();
        make_fifo(&lab.path().join("pipe"));
        symlink("dir", lab.path().join("a")).unwrap();
        let entries = disk.list("").unwrap();
        let shown: Vec<_> = entries.iter().map(|entry| (entry.name.to_str().unwrap(), entry.kind)).collect();
        let expected =
            [("a", EntryKind::Symlink), ("b", EntryKind::File), ("dir", EntryKind::Dir), ("pipe", EntryKind::Other)];
        assert_eq!(shown, expected);
        assert_eq!(disk.list("none").unwrap(), []);
        assert!(disk.list("b").is_err());
    }

    #[test]
    fn lines_come_whole_and_one_that_is_too_long_is_passed_over() {
        let lab = tempfile::tempdir().unwrap();
        let disk = Disk::open(&lab.path().canonicalize().unwrap()).unwrap();
        let check = |text: &str, expect: &[&str]| {
            std::fs::write(lab.path().join("x"), text).unwrap();
            let mut found = Vec::new();
            // As if the file were longer than a block.
            let tell = |part: LinePart<'_>| match part {
                LinePart::Lines(lines) => {
                    found.extend(lines.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec))
                }
                LinePart::TooLong => found.push(b"too long".to_vec()),
            };
            disk.read_blocks("x", 4, 8, tell).unwrap();
            let found: Vec<&str> = found.iter().map(|line| std::str::from_utf8(line).unwrap()).collect();
            assert_eq!(found, expect, "{text:?}");
        };
        check("", &[]);
        check("a\nbc\n\nd", &["a\n", "bc\n", "\n", "d"]);
        check("12345678\nab\n", &["12345678\n", "ab\n"]);
        check("1\n12345678901234567890\nab\ncd", &["1\n", "too long", "ab\n", "cd"]);
        check("12345678901234567890", &["too long"]);
        check("12345678901234567890\n12345678901234567890\n", &["too long", "too long"]);
    }
}
