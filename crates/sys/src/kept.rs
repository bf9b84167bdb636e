//! A file that stays open and is read at places: reading it again is no new opening for whoever listens.
//!
//! It knows nothing about lines. It opens regular files only and never waits for the other end of a pipe.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

#[derive(Debug)]
pub struct KeptFile(File);

/// Which file it is, and how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    pub device: u64,
    pub inode: u64,
    pub size: u64,
    /// Nanoseconds since 1970.
    pub modified: i64,
    /// When it came into being, where the file system knows.
    pub born: Option<i64>,
}

impl KeptFile {
    /// `None` when there is no such regular file.
    pub fn open(path: &Path) -> io::Result<Option<KeptFile>> {
        let flags = rustix::fs::OFlags::NONBLOCK
            | rustix::fs::OFlags::NOCTTY
            | rustix::fs::OFlags::CLOEXEC
            | rustix::fs::OFlags::NOFOLLOW;
        let file = match File::options().read(true).custom_flags(flags.bits().cast_signed()).open(path) {
            Ok(file) => file,
            // A link is no regular file: it may lead anywhere.
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        Ok(file.metadata()?.is_file().then_some(KeptFile(file)))
    }

    pub fn standing(&self) -> io::Result<Standing> {
        self.0.metadata().map(|metadata| standing_of(&metadata))
    }

    /// As much as fits and is there.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.0.read_at(&mut buffer[filled..], offset + filled as u64) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

/// Does the way from a folder down to one of its files lead over no link? What a repository links to lies outside it.
pub fn is_inside(root: &Path, inside: &str) -> bool {
    let mut path = root.to_owned();
    inside.split('/').all(|name| {
        path.push(name);
        name != ".." && std::fs::symlink_metadata(&path).is_ok_and(|found| !found.is_symlink())
    })
}

/// What stands at a path now; `None` when it is no regular file, or a link.
pub fn standing(path: &Path) -> Option<Standing> {
    std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file).map(|metadata| standing_of(&metadata))
}

fn standing_of(metadata: &std::fs::Metadata) -> Standing {
    let modified = metadata.mtime().saturating_mul(1_000_000_000).saturating_add(metadata.mtime_nsec());
    let born = metadata.created().ok().and_then(|born| born.duration_since(std::time::UNIX_EPOCH).ok());
    let born = born.and_then(|since| i64::try_from(since.as_nanos()).ok());
    Standing { device: metadata.dev(), inode: metadata.ino(), size: metadata.len(), modified, born }
}
