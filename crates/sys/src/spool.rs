//! Lines that wait for somebody who is away: short-lived processes append, one process takes them all, in order.
//!
//! The file is the owner's alone and bounded in bytes and lines; when it is full the older half goes, and its first line
//! says how many went. Nothing is forced to the disk: what a power failure takes was a hint. Appending never waits
//! longer than a few milliseconds.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// No line that is worth keeping is shorter, so that short files need no counting.
const SHORTEST: u64 = 32;
const TRIES: u32 = 40;
const PAUSE: Duration = Duration::from_micros(250);
/// How a line begins that tells of lines that went.
const LOST: &str = "lost ";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spool {
    path: PathBuf,
    most_bytes: u64,
    most_lines: usize,
}

/// What was taken.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Taken {
    pub lines: Vec<String>,
    /// Lines that had to go before.
    pub lost: u64,
}

impl Spool {
    pub fn new(path: impl Into<PathBuf>, most_bytes: u64, most_lines: usize) -> Spool {
        Spool { path: path.into(), most_bytes, most_lines }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Does anything wait? One look at the folder.
    pub fn is_empty(&self) -> bool {
        let is_empty = |path: &Path| std::fs::metadata(path).map_or(true, |file| file.len() == 0);
        is_empty(&self.path) && is_empty(&self.aside())
    }

    /// One line, without its end.
    pub fn append(&self, line: &str) -> io::Result<()> {
        let mut bytes = line.replace('\n', " ").into_bytes();
        bytes.push(b'\n');
        if bytes.len() as u64 > self.most_bytes / 2 {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a line too long to wait"));
        }
        for _ in 0..TRIES {
            let file = self.open()?;
            if !self.lock(&file)? {
                std::thread::sleep(PAUSE);
                continue;
            }
            let length = file.metadata()?.len();
            if self.is_full(&file, length, bytes.len() as u64)? {
                self.keep_newer_half(&file)?;
                // Another file stands there now.
                continue;
            }
            if length > 0 && !ends_whole(&file, length)? {
                bytes.insert(0, b'\n');
            }
            return (&file).write_all(&bytes);
        }
        Err(io::Error::new(io::ErrorKind::TimedOut, "the spool is held by another process"))
    }

    /// Everything that waits, oldest first. It is gone from the spool only when the answer is [`Spool::done`].
    pub fn take(&self) -> io::Result<Taken> {
        let aside = self.aside();
        // What an earlier process took and did not finish comes first.
        if !aside.exists() {
            match OpenOptions::new().read(true).open(&self.path) {
                Ok(file) => {
                    file.lock()?;
                    if !is_at(&file, &self.path)? {
                        return Ok(Taken::default());
                    }
                    std::fs::rename(&self.path, &aside)?;
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Taken::default()),
                Err(error) => return Err(error),
            }
        }
        let mut bytes = Vec::new();
        File::open(&aside)?.take(self.most_bytes * 2).read_to_end(&mut bytes)?;
        let mut taken = Taken::default();
        for line in String::from_utf8_lossy(&bytes).lines().filter(|line| !line.trim().is_empty()) {
            match line.strip_prefix(LOST).and_then(|count| count.trim().parse::<u64>().ok()) {
                Some(count) => taken.lost += count,
                None => taken.lines.push(line.to_owned()),
            }
        }
        Ok(taken)
    }

    /// What was taken is dealt with.
    pub fn done(&self) -> io::Result<()> {
        match std::fs::remove_file(self.aside()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn aside(&self) -> PathBuf {
        self.path.with_extension("taken")
    }

    fn open(&self) -> io::Result<File> {
        let open = || {
            let no_link = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::CLOEXEC;
            let mut options = OpenOptions::new();
            options.read(true).append(true).create(true).mode(0o600).custom_flags(no_link.bits().cast_signed());
            options.open(&self.path)
        };
        match open() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if let Some(folder) = self.path.parent() {
                    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
                }
                open()
            }
            opened => opened,
        }
    }

    /// `false` while somebody else holds it, and when the file was taken away in between.
    fn lock(&self, file: &File) -> io::Result<bool> {
        match file.try_lock() {
            Ok(()) => is_at(file, &self.path),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn is_full(&self, file: &File, length: u64, more: u64) -> io::Result<bool> {
        if length + more > self.most_bytes {
            return Ok(true);
        }
        // Only a long file can hold too many lines.
        Ok(length > SHORTEST * self.most_lines as u64 && count(file)? >= self.most_lines)
    }

    fn keep_newer_half(&self, file: &File) -> io::Result<()> {
        let bytes = whole(file)?;
        let text = String::from_utf8_lossy(&bytes);
        let told = |line: &&str| line.strip_prefix(LOST).and_then(|count| count.trim().parse::<u64>().ok());
        let lost: u64 = text.lines().filter_map(|line| told(&line)).sum();
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty() && told(line).is_none()).collect();
        let newer = &lines[lines.len().div_ceil(2)..];
        let mut kept = format!("{LOST}{}\n", lost + (lines.len() - newer.len()) as u64);
        newer.iter().for_each(|line| kept.extend([line, "\n"]));
        let beside = self.path.with_extension("new");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600).open(&beside)?.write_all(kept.as_bytes())?;
        std::fs::rename(&beside, &self.path)
    }
}

fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let ours = file.metadata()?;
    match std::fs::symlink_metadata(path) {
        Ok(named) => Ok((named.dev(), named.ino()) == (ours.dev(), ours.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn whole(mut file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn count(file: &File) -> io::Result<usize> {
    Ok(whole(file)?.iter().filter(|byte| **byte == b'\n').count())
}

/// A process that was killed in the middle of its line leaves it without an end.
fn ends_whole(file: &File, length: u64) -> io::Result<bool> {
    use std::os::unix::fs::FileExt;
    let mut last = [0];
    file.read_exact_at(&mut last, length - 1)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn lab(most_bytes: u64, most_lines: usize) -> (tempfile::TempDir, Spool) {
        let lab = tempfile::tempdir().unwrap();
        let spool = Spool::new(lab.path().join("state/hooks.spool"), most_bytes, most_lines);
        (lab, spool)
    }

    #[test]
    fn lines_are_taken_in_order_and_are_gone_when_that_is_done() {
        let (_lab, spool) = lab(1000, 100);
        assert!(spool.is_empty());
        assert_eq!(spool.take().unwrap(), Taken::default());
        spool.append("one").unwrap();
        spool.append("two\nlines").unwrap();
        assert_eq!(spool.take().unwrap().lines, ["one", "two lines"]);
        spool.append("three").unwrap();
        assert_eq!(spool.take().unwrap().lines, ["one", "two lines"], "not done with the first");
        spool.done().unwrap();
        assert!(!spool.is_empty());
        assert_eq!(spool.take().unwrap().lines, ["three"]);
        spool.done().unwrap();
        spool.done().unwrap();
        assert!(spool.is_empty());
    }

    #[test]
    fn the_file_and_its_folder_are_the_owners_alone() {
        let (_lab, spool) = lab(1000, 100);
        spool.append("x").unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(spool.path()), 0o600);
        assert_eq!(mode(spool.path().parent().unwrap()), 0o700);
    }

    #[test]
    fn a_full_spool_keeps_the_newer_half_and_tells_what_went() {
        let (_lab, spool) = lab(400, 1000);
        for number in 0..200 {
            spool.append(&format!("line {number:03}")).unwrap();
            assert!(std::fs::metadata(spool.path()).unwrap().len() <= 400);
        }
        let taken = spool.take().unwrap();
        assert_eq!(taken.lost + taken.lines.len() as u64, 200);
        assert_eq!(taken.lines.last().map(String::as_str), Some("line 199"));
        assert!(taken.lines.is_sorted());
        assert!(spool.append(&"x".repeat(300)).is_err());
    }

    #[test]
    fn too_many_lines_are_as_bad_as_too_many_bytes() {
        let (_lab, spool) = lab(1 << 20, 10);
        for number in 0..35 {
            spool.append(&format!("a line that is about as long as lines are here, {number:03}")).unwrap();
        }
        let taken = spool.take().unwrap();
        assert!(taken.lines.len() <= 10 && taken.lost > 0, "{taken:?}");
        assert!(taken.lines.last().unwrap().ends_with("034"));
    }

    #[test]
    fn a_torn_line_costs_only_itself() {
        let (_lab, spool) = lab(1000, 100);
        spool.append("one").unwrap();
        OpenOptions::new().append(true).open(spool.path()).unwrap().write_all(b"{\"to").unwrap();
        spool.append("two").unwrap();
        assert_eq!(spool.take().unwrap().lines, ["one", "{\"to", "two"]);
    }

    #[test]
    fn many_who_append_and_one_who_takes_lose_nothing() {
        let (_lab, spool) = lab(1 << 20, 100_000);
        let mut taken = Vec::new();
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..4)
                .map(|writer| {
                    let spool = &spool;
                    scope.spawn(move || {
                        (0..50).filter(|n| spool.append(&format!("writer {writer} {n:03}")).is_ok()).count()
                    })
                })
                .collect();
            for _ in 0..20 {
                taken.extend(spool.take().unwrap().lines);
                spool.done().unwrap();
            }
            let appended: usize = writers.into_iter().map(|writer| writer.join().unwrap()).sum();
            taken.extend(spool.take().unwrap().lines);
            spool.done().unwrap();
            assert_eq!(taken.len(), appended);
        });
        for writer in 0..4 {
            let own: Vec<&String> = taken.iter().filter(|line| line.starts_with(&format!("writer {writer}"))).collect();
            assert!(own.is_sorted());
        }
    }

    #[test]
    fn a_link_in_its_place_is_not_written_through() {
        let (lab, spool) = lab(1000, 100);
        std::fs::create_dir(lab.path().join("state")).unwrap();
        std::os::unix::fs::symlink(lab.path().join("elsewhere"), spool.path()).unwrap();
        assert!(spool.append("x").is_err());
        assert!(!lab.path().join("elsewhere").exists());
    }
}
