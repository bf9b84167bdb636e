//! Looking at folders and files from outside: names, kinds and marks, for the watcher.
//!
//! No file is opened except rules files, which are asked for by name: opening is what the watcher listens for. Folders are opened only
//! to be read; marks are taken through handles that cause no event. Links are never followed. It keeps no state.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};

/// What tells two versions of a file apart without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Mark {
    /// Nanoseconds since 1970.
    pub modified: i64,
    pub size: u64,
    pub inode: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    File,
    Folder,
    Link,
    Other,
}

/// The names in one folder, in no order.
#[derive(Debug, Default)]
pub struct Names {
    /// Taken before the names were read: a later change shows in a later mark.
    pub mark: Mark,
    pub names: Vec<(String, Sort)>,
    /// Names that are not UTF-8 and were left out.
    pub unreadable: usize,
}

/// `None` when there is no such folder, or it is a link or no folder.
pub fn names(folder: &Path) -> io::Result<Option<Names>> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = match rustix::fs::open(folder, flags, Mode::empty()) {
        Ok(handle) => handle,
        Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR | rustix::io::Errno::LOOP) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let mut found = Names { mark: mark_of(&rustix::fs::fstat(&handle)?), ..Names::default() };
    for entry in Dir::new(handle)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().to_str() else {
            found.unreadable += 1;
            continue;
        };
        if name == "." || name == ".." {
            continue;
        }
        let sort = match entry.file_type() {
            // Some file systems do not say.
            FileType::Unknown => look(&folder.join(name)).map_or(Sort::Other, |(sort, _)| sort),
            kind => sort_of(kind),
        };
        found.names.push((name.to_owned(), sort));
    }
    Ok(Some(found))
}

/// The marks of some names in one folder, `None` for what is not there.
pub fn marks<'a>(folder: &Path, names: impl Iterator<Item = &'a str>) -> Vec<Option<Mark>> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = rustix::fs::open(folder, flags, Mode::empty()).ok();
    names
        .map(|name| {
            let stat = rustix::fs::statat(handle.as_ref()?, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
            Some(mark_of(&stat))
        })
        .collect()
}

/// What stands at a path, a link as itself.
pub fn look(path: &Path) -> Option<(Sort, Mark)> {
    let stat = rustix::fs::lstat(path).ok()?;
    Some((sort_of(FileType::from_raw_mode(stat.st_mode)), mark_of(&stat)))
}

/// Device and inode: what stays the same while a root is the same root.
pub fn identity(path: &Path) -> Option<(u64, u64)> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Whether changes made elsewhere can reach this folder unannounced: a network or bridged file system.
pub fn is_remote(path: &Path) -> bool {
    #[cfg(target_os = "linux")]
    {
        const REMOTE: [u64; 6] = [0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x0102_1997, 0x6573_5546];
        rustix::fs::statfs(path).is_ok_and(|stat| REMOTE.contains(&(stat.f_type as u64)))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path;
        false
    }
}

/// The text of a rules file; what is no UTF-8 in it becomes a mark. `None` when there is none or it is unreasonable.
pub fn rules(path: &Path) -> Option<String> {
    const MOST: u64 = 1 << 20;
    let bytes = super::plain::read(path, MOST).ok()??;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The ignore file that git reads for every repository of this user.
pub fn global_rules() -> Option<PathBuf> {
    ignore::gitignore::gitconfig_excludes_path()
}

fn sort_of(kind: FileType) -> Sort {
    match kind {
        FileType::RegularFile => Sort::File,
        FileType::Directory => Sort::Folder,
        FileType::Symlink => Sort::Link,
        _ => Sort::Other,
    }
}

#[allow(clippy::unnecessary_cast, reason = "the fields differ in width between platforms")]
fn mark_of(stat: &Stat) -> Mark {
    let nanos = (stat.st_mtime as i64).saturating_mul(1_000_000_000).saturating_add(stat.st_mtime_nsec as i64);
    Mark { modified: nanos, size: stat.st_size as u64, inode: stat.st_ino as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn names_come_with_their_sort_and_odd_names_are_counted() {
        let lab = tempfile::tempdir().unwrap();
        std::fs::write(lab.path().join("a"), "x").unwrap();
        std::fs::create_dir(lab.path().join("d")).unwrap();
        std::os::unix::fs::symlink(".", lab.path().join("loop")).unwrap();
        std::fs::write(lab.path().join(std::ffi::OsStr::from_bytes(b"\xff")), "x").unwrap();
        let mut found = names(lab.path()).unwrap().unwrap();
        found.names.sort_by(|one, other| one.0.cmp(&other.0));
        let expect = [("a", Sort::File), ("d", Sort::Folder), ("loop", Sort::Link)];
        assert_eq!(found.names, expect.map(|(name, sort)| (name.to_owned(), sort)));
        assert_eq!(found.unreadable, 1);
        assert!(names(&lab.path().join("loop")).unwrap().is_none(), "a link is not followed");
        assert!(names(&lab.path().join("absent")).unwrap().is_none());
    }

    #[test]
    fn a_mark_changes_with_the_file() {
        let lab = tempfile::tempdir().unwrap();
        let path = lab.path().join("a");
        std::fs::write(&path, "x").unwrap();
        let before = marks(lab.path(), ["a", "b"].into_iter());
        assert_eq!(before[0], look(&path).map(|(_, mark)| mark));
        assert_eq!(before[1], None);
        std::fs::write(&path, "xy").unwrap();
        assert_ne!(marks(lab.path(), ["a"].into_iter())[0], before[0]);
    }
}
