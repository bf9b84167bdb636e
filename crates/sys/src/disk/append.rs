//! Growing a line file (a journal, a log of records) so that a failed or torn write never harms its neighbours.
//!
//! The caller holds a lock when more than one process appends; whole lines and their meaning are the caller's.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use rustix::fs::OFlags;

use super::{Disk, DiskPlace, Faults, named};

impl Disk {
    /// Adds `bytes` at the end, on disk when it returns, and tells the new length. A file that does not end in a line
    /// break (torn by a crash) gets one first. What failed is cut off again, as far as that works.
    pub fn append(&self, path: impl AsRef<Path>, bytes: &[u8]) -> io::Result<u64> {
        let place = self.place(path.as_ref())?;
        let (file, created) = open_or_create(&place, &self.faults)?;
        let before = file.metadata()?.len();
        let appended = append_from(&file, before, bytes, &self.faults)
            .and_then(|length| if created { place.sync_dir(&self.faults).map(|()| length) } else { Ok(length) });
        if appended.is_err() && self.faults.step().is_ok() {
            // The first failure is the one to report.
            let _ = file.set_len(before);
        }
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
    let mut healed = Vec::new();
    let bytes = if ends_torn(file, before)? {
        healed.reserve_exact(bytes.len() + 1);
        healed.push(b'\n');
        healed.extend_from_slice(bytes);
        &healed
    } else {
        bytes
    };
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

fn ends_torn(file: &File, length: u64) -> io::Result<bool> {
    let Some(last) = length.checked_sub(1) else { return Ok(false) };
    let mut byte = [0];
    file.read_exact_at(&mut byte, last)?;
    Ok(byte != *b"\n")
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
    fn a_missing_directory_is_an_error_that_names_the_file() {
        let (_lab, disk) = lab();
        let error = disk.append("none/log", b"x\n").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(error.to_string().contains("none/log"), "{error}");
    }
}
