//! The files of a store: a capability for one directory, and for nothing outside it.
//!
//! Promises: no path and no symbolic link leads out of the root (`cap_std` resolves every directory beneath it), and a
//! symbolic link in the last place is never followed at all. What a writing call reported done survives a power cut; a
//! reader sees a replaced file old or new, never half. What may still be lost: the old content of a file on a disk that
//! lies about flushing, and order between files that were not written by one call.
//!
//! It knows nothing about formats. Callers that need two steps to be one take a [`FileLock`] and keep a journal.

mod append;
mod faults;
mod lock;
mod read;
mod write;

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::Dir;
use rustix::fs::{Mode, OFlags};

pub use faults::{FaultMode, Faults};
pub use lock::{FileLock, LockKind};
pub(super) use read::read_bounded;
pub use read::{Entry, EntryKind, LinePart, Stamp};

/// Cheap to clone; clones share the open directory and the planned faults.
#[derive(Clone)]
pub struct Disk {
    root: Arc<Root>,
    faults: Arc<Faults>,
}

struct Root {
    path: PathBuf,
    dir: Dir,
}

/// The directory a path lies in, open, and the last name of the path.
struct DiskPlace<'a> {
    dir: Dir,
    name: &'a OsStr,
    full: PathBuf,
}

impl Disk {
    /// `root` must exist and must not itself be a symbolic link; its parents may be.
    pub fn open(root: &Path) -> io::Result<Disk> {
        let path = absolute(root)?;
        let dir = open_dir_nofollow(rustix::fs::CWD, &path, &path)?;
        Ok(Disk::at(path, dir))
    }

    /// Creates what is missing of `root`, for the owner alone.
    pub fn create(root: &Path) -> io::Result<Disk> {
        let path = absolute(root)?;
        create_ambient(&path)?;
        Disk::open(&path)
    }

    /// Like [`Disk::create`] for lokid's own directories, which people may keep behind a link.
    pub(crate) fn create_following(root: &Path) -> io::Result<Disk> {
        create_ambient(&absolute(root)?)?;
        Disk::open(&root.canonicalize()?)
    }

    /// Opens `base` as it is given, then goes down `relative` name by name and refuses every symbolic link on the way.
    pub fn open_nofollow_chain(base: &Path, relative: &Path, create: bool) -> io::Result<Disk> {
        let mut path = absolute(base)?;
        let mut dir =
            Dir::open_ambient_dir(&path, cap_std::ambient_authority()).map_err(|error| named(&path, error))?;
        for component in relative.components() {
            let Component::Normal(name) = component else {
                return Err(refused(relative, "may only consist of plain names"));
            };
            path.push(name);
            dir = match open_dir_nofollow(&dir, Path::new(name), &path) {
                Err(error) if create && error.kind() == io::ErrorKind::NotFound => {
                    make_dir(&dir, name).map_err(|error| named(&path, error))?;
                    sync_dir(&dir).map_err(|error| named(&path, error))?;
                    open_dir_nofollow(&dir, Path::new(name), &path)?
                }
                opened => opened?,
            };
        }
        Ok(Disk::at(path, dir))
    }

    /// For tests: the same directory, with failures planned.
    pub fn with_faults(self, faults: Arc<Faults>) -> Disk {
        Disk { faults, ..self }
    }

    pub fn root(&self) -> &Path {
        &self.root.path
    }

    /// What the file system still has for users who are not root.
    pub fn free_bytes(&self) -> io::Result<u64> {
        let space = rustix::fs::fstatvfs(&self.root.dir).map_err(|error| named(self.root(), error.into()))?;
        Ok(space.f_bavail.saturating_mul(space.f_frsize))
    }

    fn at(path: PathBuf, dir: Dir) -> Disk {
        Disk { root: Arc::new(Root { path, dir }), faults: Faults::counting() }
    }

    fn full(&self, path: &Path) -> PathBuf {
        self.root.path.join(path)
    }

    fn place<'a>(&self, path: &'a Path) -> io::Result<DiskPlace<'a>> {
        let full = self.full(path);
        let Some(name) = path.file_name() else {
            return Err(refused(path, "names no file below the root"));
        };
        let dir = self.dir(path.parent().unwrap_or(Path::new(""))).map_err(|error| named(&full, error))?;
        Ok(DiskPlace { dir, name, full })
    }

    fn dir(&self, path: &Path) -> io::Result<Dir> {
        if path.as_os_str().is_empty() { self.root.dir.try_clone() } else { self.root.dir.open_dir(path) }
    }
}

impl DiskPlace<'_> {
    /// Opens the last name itself: never a link's target, never waiting for the other end of a pipe.
    fn open(&self, flags: OFlags) -> io::Result<File> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        match rustix::fs::openat(&self.dir, self.name, flags, Mode::from_raw_mode(0o600)) {
            Ok(fd) => Ok(File::from(fd)),
            Err(rustix::io::Errno::LOOP) => Err(is_link(&self.full)),
            Err(error) => Err(named(&self.full, error.into())),
        }
    }

    fn open_regular(&self, flags: OFlags) -> io::Result<File> {
        let file = self.open(flags)?;
        if file.metadata()?.is_file() { Ok(file) } else { Err(is_irregular(&self.full)) }
    }

    /// `None` when nothing is there; a link's own data when it is a link.
    fn metadata(&self) -> io::Result<Option<cap_std::fs::Metadata>> {
        match self.dir.symlink_metadata(self.name) {
            Ok(metadata) => Ok(Some(metadata)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(named(&self.full, error)),
        }
    }

    fn sync_dir(&self, faults: &Faults) -> io::Result<()> {
        faults.step()?;
        sync_dir(&self.dir).map_err(|error| named(&self.full, error))
    }
}

/// Without `.` and trailing slashes, which would make the kernel follow a link in the last place.
fn absolute(path: &Path) -> io::Result<PathBuf> {
    Ok(std::path::absolute(path)?.components().collect())
}

fn open_dir_nofollow(at: impl rustix::fd::AsFd, path: &Path, full: &Path) -> io::Result<Dir> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match rustix::fs::openat(at, path, flags, Mode::empty()) {
        Ok(fd) => Ok(Dir::from_std_file(File::from(fd))),
        Err(_) if full.is_symlink() => Err(is_link(full)),
        Err(error) => Err(named(full, error.into())),
    }
}

fn create_ambient(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let parent = path.parent().unwrap_or(Path::new("/"));
    create_ambient(parent)?;
    let parent = Dir::open_ambient_dir(parent, cap_std::ambient_authority()).map_err(|error| named(path, error))?;
    make_dir(&parent, path.file_name().unwrap_or_default()).map_err(|error| named(path, error))?;
    sync_dir(&parent).map_err(|error| named(path, error))
}

/// A directory that somebody else made a moment ago will do.
fn make_dir(parent: &Dir, name: &OsStr) -> io::Result<()> {
    match rustix::fs::mkdirat(parent, name, Mode::from_raw_mode(0o700)) {
        Ok(()) | Err(rustix::io::Errno::EXIST) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// `cap_std` holds directories by `O_PATH`, which cannot be flushed: open them once more.
fn sync_dir(dir: &Dir) -> io::Result<()> {
    File::from(readable(dir)?).sync_all()
}

fn readable(dir: &Dir) -> io::Result<rustix::fd::OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(dir, ".", flags, Mode::empty())?)
}

/// Keeps the kind, which callers branch on, and says which file it was.
fn named(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn refused(path: &Path, why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("the path {:?} {why}", path.display().to_string()))
}

fn is_link(path: &Path) -> io::Error {
    let message = format!("{} is a symbolic link, which is not followed here", path.display());
    io::Error::new(io::ErrorKind::PermissionDenied, message)
}

fn is_irregular(path: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{} is not a regular file", path.display()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// A disk in a folder of its own.
    pub(super) fn lab() -> (tempfile::TempDir, Disk) {
        let lab = tempfile::tempdir().unwrap();
        let disk = Disk::open(lab.path()).unwrap();
        (lab, disk)
    }

    pub(super) fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_root_must_exist_unless_it_is_created_for_the_owner_alone() {
        let lab = tempfile::tempdir().unwrap();
        let root = lab.path().join("a/b");
        assert_eq!(Disk::open(&root).err().unwrap().kind(), io::ErrorKind::NotFound);
        assert_eq!(Disk::create(&root).unwrap().root(), root);
        assert_eq!((mode(&root), mode(&lab.path().join("a"))), (0o700, 0o700));
        Disk::create(&root).unwrap();
        assert!(Disk::open(&root).unwrap().free_bytes().unwrap() > 0);
    }

    #[test]
    fn a_root_that_is_a_link_is_refused_with_or_without_a_slash() {
        let lab = tempfile::tempdir().unwrap();
        std::fs::create_dir(lab.path().join("real")).unwrap();
        symlink("real", lab.path().join("link")).unwrap();
        for spelling in ["link", "link/", "link/."] {
            let error = Disk::open(&lab.path().join(spelling)).err().unwrap();
            assert!(error.to_string().contains("is a symbolic link"), "{spelling}: {error}");
        }
    }

    #[test]
    fn a_chain_is_created_on_request_and_refuses_links_on_the_way() {
        let lab = tempfile::tempdir().unwrap();
        let relative = Path::new(".loki/memory");
        let absent = Disk::open_nofollow_chain(lab.path(), relative, false).err().unwrap();
        assert_eq!(absent.kind(), io::ErrorKind::NotFound);
        let disk = Disk::open_nofollow_chain(lab.path(), relative, true).unwrap();
        assert_eq!(disk.root(), lab.path().join(relative));
        disk.replace("x", b"1").unwrap();
        Disk::open_nofollow_chain(lab.path(), relative, false).unwrap();

        let other = tempfile::tempdir().unwrap();
        symlink(lab.path().join(".loki"), other.path().join(".loki")).unwrap();
        let error = Disk::open_nofollow_chain(other.path(), relative, true).err().unwrap();
        assert!(error.to_string().contains(".loki is a symbolic link"), "{error}");
        let error = Disk::open_nofollow_chain(other.path(), Path::new("../x"), true).err().unwrap();
        assert!(error.to_string().contains("plain names"), "{error}");
    }

    #[test]
    fn nothing_outside_the_root_can_be_named() {
        let lab = tempfile::tempdir().unwrap();
        std::fs::write(lab.path().join("secret"), "s").unwrap();
        let disk = Disk::create(&lab.path().join("root")).unwrap();
        symlink("..", disk.root().join("up")).unwrap();
        symlink("../secret", disk.root().join("leak")).unwrap();
        let absolute = lab.path().join("secret");
        for path in ["../secret", "up/secret", "leak", "x/../../secret", absolute.to_str().unwrap()] {
            assert!(disk.read(path, 100).is_err(), "read {path}");
            assert!(disk.replace(path, b"x").is_err(), "replace {path}");
            assert!(disk.append(path, b"x").is_err(), "append {path}");
            assert!(disk.truncate(path, 0).is_err(), "truncate {path}");
            assert!(disk.write_many(&[(path.into(), b"x".to_vec())]).is_err(), "write_many {path}");
        }
        for path in ["up", "..", "up/root", absolute.parent().unwrap().to_str().unwrap()] {
            assert!(disk.list(path).is_err(), "list {path}");
            assert!(disk.create_dirs(Path::new(path).join("new")).is_err(), "create_dirs {path}");
        }
        assert_eq!(std::fs::read_to_string(absolute).unwrap(), "s");
    }
}
