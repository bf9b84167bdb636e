//! A store's disk behind the door that keeps secrets out: whatever is read from it or written to it passes the cleaner,
//! whoever wrote it. Files are not changed by being read; one that is written anew is written clean.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lokid_model::{Cleaned, Cleaner, clean};
use lokid_sys::{Disk, LinePart, thread};

/// What must not be kept, as a store is told.
pub type Door = Arc<dyn Cleaner>;

/// Below this a thread costs more than it saves.
const PART_BYTES: usize = 1 << 18;

/// Like the disk itself, except that texts come and go clean.
#[derive(Clone)]
pub(super) struct CleanDisk {
    disk: Disk,
    door: Door,
}

impl Deref for CleanDisk {
    type Target = Disk;

    fn deref(&self) -> &Disk {
        &self.disk
    }
}

impl CleanDisk {
    pub(super) fn new(disk: Disk, door: &Door) -> CleanDisk {
        CleanDisk { disk, door: Arc::clone(door) }
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
        let (clean, found) = self.cleaned(path.as_ref(), &bytes);
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
                let (clean, found) = self.cleaned(path.as_ref(), bytes);
                secrets.extend(found);
                tell(LinePart::Lines(&clean));
            }
            LinePart::TooLong => tell(LinePart::TooLong),
        })?;
        Ok(secrets)
    }

    pub(super) fn replace(&self, path: impl AsRef<Path>, bytes: &[u8]) -> io::Result<()> {
        self.disk.replace(&path, &self.cleaned(path.as_ref(), bytes).0)
    }

    pub(super) fn append(&self, path: impl AsRef<Path>, bytes: &[u8]) -> io::Result<u64> {
        self.disk.append(&path, &self.cleaned(path.as_ref(), bytes).0)
    }

    pub(super) fn write_many(&self, files: &[(PathBuf, Vec<u8>)]) -> io::Result<()> {
        let clean = |(path, bytes): &(PathBuf, Vec<u8>)| (path.clone(), self.cleaned(path, bytes).0.into_owned());
        self.disk.write_many(&files.iter().map(clean).collect::<Vec<_>>())
    }

    /// A name of a file, or whatever else is told of it.
    pub(super) fn is_clean(&self, text: &str) -> bool {
        self.door.clean(text).is_none()
    }

    fn cleaned<'a>(&self, path: &Path, bytes: &'a [u8]) -> (Cow<'a, [u8]>, BTreeSet<String>) {
        let is_json = path.extension().is_some_and(|extension| extension == "json" || extension == "ndjson");
        let text = |text: &str| if is_json { clean::json(text, &*self.door) } else { self.door.clean(text) };
        let piece = |bytes: &[u8]| -> Option<(Vec<u8>, BTreeSet<String>)> {
            let Ok(whole) = std::str::from_utf8(bytes) else { return by_lines(bytes, &text) };
            text(whole).map(|cleaned| (cleaned.text.into_bytes(), cleaned.found))
        };
        // No string of JSON goes over a line.
        let least = if is_json { PART_BYTES } else { usize::MAX };
        let work = |part: &[u8]| (part.len(), piece(part));
        let parts = thread::in_parts(bytes, least, |byte| *byte == b'\n', work);
        if parts.iter().all(|(_, cleaned)| cleaned.is_none()) {
            return (Cow::Borrowed(bytes), BTreeSet::new());
        }
        let (mut clean, mut found, mut rest) = (Vec::with_capacity(bytes.len()), BTreeSet::new(), bytes);
        for (length, cleaned) in parts {
            let (part, behind) = rest.split_at(length);
            rest = behind;
            let (part, kinds) = cleaned.unwrap_or_else(|| (part.to_vec(), BTreeSet::new()));
            clean.extend(part);
            found.extend(kinds);
        }
        (Cow::Owned(clean), found)
    }
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
