//! Growing a line file (a journal, a log of records) so that a failed or torn write never harms its neighbours.
//!
//! The caller holds a lock when more than one process appends; whole lines and their meaning are the caller's.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use rustix::fs::OFlags;

use super::{Disk, DiskPlace, Faults, named};

/// The end of a file is looked for in pieces of this size.
const PIECE: u64 = 4_096;

impl Disk {
    /// Adds `bytes` at the end, on disk when it returns, and tells the new length. A file that does not end in a line
    /// break (torn by a crash) gets one first. What failed is cut off again, as far as that works.
    pub fn append(&self, path: impl AsRef<Path>, bytes: &[u8]) -> io::Result<u64> {
        self.append_after(path.as_ref(), bytes, &|_| true).map(|(length, _)| length)
    }

    /// The same, but a last line without an end that is not whole goes, as a crash left it and nobody was promised it. Tells
    /// also whether one went.
    pub fn append_after(&self, path: &Path, bytes: &[u8], is_whole: &dyn Fn(&[u8]) -> bool) -> io::Result<(u64, bool)> {
        let place = self.place(path)?;
        let (file, created) = open_or_create(&place, &self.faults)?;
        let length = file.metadata()?.len();
        let last = last_line(&file, length)?;
        let is_torn = last < length && !is_whole(&read_from(&file, last, length)?);
        let before = if is_torn { last } else { length };
        if is_torn {
            self.faults.step()?;
            file.set_len(before)?;
        }
        let healed: Vec<u8>;
        let bytes = if last < before {
            healed = [b"\n", bytes].concat();
            &healed
        } else {
            bytes
        };
        let appended = append_from(&file, before, bytes, &self.faults)
            .and_then(|length| if created { place.sync_dir(&self.faults).map(|()| length) } else { Ok(length) });
        if appended.is_err() && self.faults.step().is_ok() {
            // The first failure is the one to report.
            let _ = file.set_len(before);
        }
        let appended = appended.map(|length| (length, is_torn));
        appended.map_err(|error| if error.get_ref().is_some() { error } else { named(&place.full, error) })
    }
}

fn open_or_create(place: &DiskPlace<'_>, faults: &Faults) -> io::Result<(File, bool)> {
    let flags = OFlags::RDWR | OFlags::APPEND;
    match place.open_regular(flags) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            faults.step()?;
            Ok((place.open_regular(flags | OFlags::CREATE)?, true))
        }
        opened => Ok((opened?, false)),
    }
}

fn append_from(mut file: &File, before: u64, bytes: &[u8], faults: &Faults) -> io::Result<u64> {
    if let Err(cut) = faults.write_step() {
        if cut.torn {
            file.write_all(&bytes[..bytes.len() / 2])?;
        }
        return Err(cut.error);
    }
    file.write_all(bytes)?;
    faults.step()?;
    file.sync_data()?;
    Ok(before.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX)))
}

/// Where the last line begins, if it has no end; else the end of the file.
fn last_line(file: &File, length: u64) -> io::Result<u64> {
    let mut at = length;
    while at > 0 {
        let from = at.saturating_sub(if at == length { 1 } else { PIECE });
        if let Some(end) = read_from(file, from, at)?.iter().rposition(|byte| *byte == b'\n') {
            return Ok(from + end as u64 + 1);
        }
        at = from;
    }
    Ok(0)
}

fn read_from(file: &File, from: u64, to: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(to - from).unwrap_or(usize::MAX)];
    file.read_exact_at(&mut bytes, from)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::super::tests::lab;
    use super::*;

    #[test]
    fn lines_are_added_and_the_length_is_told() {
        let (lab, disk) = lab();
        assert_eq!(disk.append("log", b"one\n").unwrap(), 4);
        assert_eq!(disk.append("log", b"two\n").unwrap(), 8);
        assert_eq!(disk.read("log", 100).unwrap(), b"one\ntwo\n");
        let mode = std::fs::metadata(lab.path().join("log")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_torn_line_is_closed_before_the_next_begins() {
        let (lab, disk) = lab();
        std::fs::write(lab.path().join("log"), "one\n{\"tor").unwrap();
        assert_eq!(disk.append("log", b"two\n").unwrap(), 14);
        assert_eq!(disk.read("log", 100).unwrap(), b"one\n{\"tor\ntwo\n");
    }

    #[test]
    fn what_a_crash_left_of_a_line_goes_and_a_line_that_lacks_its_end_stays() {
        let (lab, disk) = lab();
        let is_whole = |line: &[u8]| line.ends_with(b"}");
        let long = format!("{{\"{}", "x".repeat(10_000));
        for (stands, then, went) in [
            ("", "two\n".to_owned(), false),
            ("{one}\n", "{one}\ntwo\n".to_owned(), false),
            ("{one}", "{one}\ntwo\n".to_owned(), false),
            ("{one}\n{\"tor", "{one}\ntwo\n".to_owned(), true),
            ("{\"tor", "two\n".to_owned(), true),
            (&format!("{{one}}\n{long}"), "{one}\ntwo\n".to_owned(), true),
            (&format!("{long}}}"), format!("{long}}}\ntwo\n"), false),
        ] {
            std::fs::write(lab.path().join("log"), stands).unwrap();
            let appended = disk.append_after(Path::new("log"), b"two\n", &is_whole).unwrap();
            assert_eq!(appended, (then.len() as u64, went));
            assert_eq!(disk.read("log", 20_000).unwrap(), then.as_bytes());
        }
    }

    #[test]
    fn a_missing_directory_is_an_error_that_names_the_file() {
        let (_lab, disk) = lab();
        let error = disk.append("none/log", b"x\n").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(error.to_string().contains("none/log"), "{error}");
    }
}
