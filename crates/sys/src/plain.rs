//! lokid's own files by absolute path (configuration, registry): read whole, replaced whole.
//!
//! People keep their configuration behind symbolic links, so these are followed here. Files of a store never go through
//! this file; they go through `Disk`.

use std::fs::{File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::disk::{Disk, read_bounded};

/// The content, or `None` when there is no such file. Devices and pipes are refused without waiting for them.
pub fn read(path: &Path, max_bytes: u64) -> io::Result<Option<Vec<u8>>> {
    match open(path) {
        Ok(file) => read_bounded(file, path, max_bytes).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io::Error::new(error.kind(), format!("{}: {error}", path.display()))),
    }
}

pub fn read_text(path: &Path, max_bytes: u64) -> io::Result<Option<String>> {
    let not_text = |_| io::Error::new(io::ErrorKind::InvalidData, format!("{} is not UTF-8", path.display()));
    read(path, max_bytes)?.map(|bytes| String::from_utf8(bytes).map_err(not_text)).transpose()
}

/// Replaces the whole file or leaves the old one; the missing directories are created for the owner alone.
///
/// A symbolic link keeps its place: the file it leads to is replaced.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (Some(parent), Some(name)) = (target.parent(), target.file_name()) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{} names no file", path.display())));
    };
    Disk::create_following(parent)?.replace(name, bytes)
}

fn open(path: &Path) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

/// To be read from the start, or `None` when there is no such file.
pub fn reader(path: &Path) -> io::Result<Option<impl io::Read + use<>>> {
    match open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Behind what stands there. Not forced to the disk: for what can be made again.
pub fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use io::Write;
    OpenOptions::new().append(true).open(path)?.write_all(bytes)
}

/// The same, in a file that is made where there is none, for its owner alone.
pub fn append_or_begin(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use io::Write;
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)?.write_all(bytes)
}

pub fn remove(path: &Path) -> io::Result<()> {
    std::fs::remove_file(path)
}

/// One that is not there is no error.
pub fn remove_if_there(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// How many files there are, and how long they are together; `None` when nothing is there. A link that is met on the way
/// is one file.
pub fn measure(path: &Path) -> Option<(u64, u64)> {
    let mut open = vec![leads_to(path).ok().flatten().unwrap_or_else(|| path.to_owned())];
    open[0].symlink_metadata().ok()?;
    let (mut files, mut bytes) = (0, 0);
    while let Some(next) = open.pop() {
        let Ok(found) = next.symlink_metadata() else { continue };
        if found.is_dir() {
            open.extend(files_in(&next).unwrap_or_default());
        } else {
            files += 1;
            bytes += found.len();
        }
    }
    Some((files, bytes))
}

/// What stands directly in a folder.
pub fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect()
}

/// Makes a folder and those above it, for the owner alone.
pub fn make_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// With everything in it. One that is not there is no error.
pub fn remove_folder(path: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Device and inode of a folder: what stays when it is renamed.
pub fn folder_identity(path: &Path) -> io::Result<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::NotADirectory, "not a folder"));
    }
    Ok((metadata.dev(), metadata.ino()))
}

/// Whose it is.
pub fn owner(path: &Path) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|found| found.uid())
}

/// Can nobody but its owner read or write it?
pub fn is_private(path: &Path) -> io::Result<bool> {
    Ok(std::fs::metadata(path)?.permissions().mode() & 0o077 == 0)
}

/// For its owner alone.
pub fn make_private(path: &Path) -> io::Result<()> {
    std::fs::set_permissions(path, Permissions::from_mode(0o600))
}

/// For everybody to read.
pub fn make_readable(path: &Path) -> io::Result<()> {
    std::fs::set_permissions(path, Permissions::from_mode(0o644))
}

/// Is there a plain file, behind a link or not? Opens nothing.
pub fn is_file(path: &Path) -> bool {
    path.is_file()
}

/// Is the name itself a link, wherever it leads?
pub fn is_link(path: &Path) -> bool {
    path.is_symlink()
}

/// Where a path leads when its links are followed; `None` when nothing is there. A link that leads nowhere is an error.
pub fn leads_to(path: &Path) -> io::Result<Option<PathBuf>> {
    match path.canonicalize() {
        Ok(real) => Ok(Some(real)),
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(io::Error::new(error.kind(), format!("{} is a link that leads nowhere", path.display())))
        }
        Err(error) => Err(io::Error::new(error.kind(), format!("{}: {error}", path.display()))),
    }
}

/// Is it known that nothing can be written there: a read-only file system, or rights that are missing? What is not there
/// yet is judged by the nearest folder above it.
pub fn refuses_writing(path: &Path) -> bool {
    use rustix::io::Errno;
    let standing = path.ancestors().find(|above| above.symlink_metadata().is_ok());
    let asked = standing.map(|standing| rustix::fs::access(standing, rustix::fs::Access::WRITE_OK));
    matches!(asked, Some(Err(Errno::ROFS | Errno::ACCESS | Errno::PERM)))
}

/// Only when nothing is in it; tells whether it is gone.
pub fn remove_empty_folder(path: &Path) -> bool {
    std::fs::remove_dir(path).is_ok()
}

/// Without links and dots.
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_measured_and_links_lead_nowhere_from_it() {
        let lab = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(lab.path().join("a/b")).unwrap();
        std::fs::write(lab.path().join("a/b/one"), "12345").unwrap();
        std::fs::write(lab.path().join("a/two"), "123").unwrap();
        std::fs::write(lab.path().join("elsewhere"), "a long text that does not count").unwrap();
        std::os::unix::fs::symlink("../elsewhere", lab.path().join("a/link")).unwrap();
        let (files, bytes) = measure(&lab.path().join("a")).unwrap();
        assert_eq!((files, bytes), (3, 8 + "../elsewhere".len() as u64));
        assert_eq!(measure(&lab.path().join("not-there")), None);
        remove_if_there(&lab.path().join("not-there")).unwrap();
    }

    #[test]
    fn where_nothing_can_be_written_is_told_and_what_is_not_there_is_judged_by_what_is() {
        let lab = tempfile::tempdir().unwrap();
        assert!(!refuses_writing(lab.path()) && !refuses_writing(&lab.path().join("not/there")));
        let shut = lab.path().join("shut");
        std::fs::create_dir(&shut).unwrap();
        std::fs::set_permissions(&shut, Permissions::from_mode(0o555)).unwrap();
        // Root heeds no rights.
        let heeds = !rustix::process::geteuid().is_root();
        assert_eq!((refuses_writing(&shut), refuses_writing(&shut.join("not/there"))), (heeds, heeds));
    }

    #[test]
    fn what_was_replaced_is_read_back() {
        let lab = tempfile::tempdir().unwrap();
        let path = lab.path().join("a/b/registry.json");
        assert_eq!(read(&path, 100).unwrap(), None);
        replace(&path, b"one").unwrap();
        replace(&path, b"two").unwrap();
        assert_eq!(read_text(&path, 100).unwrap().as_deref(), Some("two"));
        assert_eq!(read(&path, 2).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn a_linked_file_keeps_its_link_and_changes_its_target() {
        let lab = tempfile::tempdir().unwrap();
        let (real, link) = (lab.path().join("real.toml"), lab.path().join("link.toml"));
        std::fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        replace(&link, b"new").unwrap();
        assert_eq!(std::fs::read_to_string(&real).unwrap(), "new");
        assert!(link.is_symlink());
    }

    #[test]
    fn a_link_that_leads_nowhere_is_neither_followed_nor_replaced() {
        let lab = tempfile::tempdir().unwrap();
        let (real, link) = (lab.path().join("real"), lab.path().join("link"));
        std::os::unix::fs::symlink(&real, &link).unwrap();
        assert!(leads_to(&link).unwrap_err().to_string().ends_with("link is a link that leads nowhere"));
        assert!(replace(&link, b"x").is_err() && is_link(&link));
        assert_eq!(leads_to(&real).unwrap(), None);
        std::fs::write(&real, "").unwrap();
        assert_eq!(leads_to(&link).unwrap(), Some(real.canonicalize().unwrap()));
    }

    #[test]
    fn only_an_empty_folder_is_removed() {
        let lab = tempfile::tempdir().unwrap();
        let folder = lab.path().join("a");
        std::fs::create_dir_all(folder.join("b")).unwrap();
        assert!(
            !remove_empty_folder(&folder) && remove_empty_folder(&folder.join("b")) && remove_empty_folder(&folder)
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_by_name() {
        let lab = tempfile::tempdir().unwrap();
        let path = lab.path().join("config.toml");
        std::fs::write(&path, b"\xff\xfe").unwrap();
        assert!(read_text(&path, 100).unwrap_err().to_string().ends_with("config.toml is not UTF-8"));
    }
}
