//! Changing a store: whole files replaced at once, one or many, and the directories around them.
//!
//! New content goes to a temporary file next to its target, is flushed, and then takes the target's name. Temporaries
//! that a crash leaves behind are called `.tmp_*.json`, name the process that wrote them, and are swept out by a later one.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use cap_std::fs::{Dir, MetadataExt};
use rustix::fs::{AtFlags, OFlags};

use super::{Disk, DiskPlace, EntryKind, Faults, is_irregular, is_link, make_dir, named, readable, sync_dir};
use crate::process;

/// Up to this many files are flushed one by one; beyond, flushing the whole file system once is cheaper.
const FLUSHED_SINGLY: usize = 8;
/// No folder of lokid's lies deeper below another.
const DEEPEST: usize = 4;

impl Disk {
    /// Replaces the whole file: a reader sees the old one or the new one. The permission bits of the old one stay.
    ///
    /// When the very last step fails (flushing the directory), the new content is already visible.
    pub fn replace(&self, path: impl AsRef<Path>, bytes: &[u8]) -> io::Result<()> {
        let place = self.place(path.as_ref())?;
        let temporary = Temporary::write(&place, bytes, true, &self.faults)?;
        temporary.publish(&place, &self.faults)?;
        place.sync_dir(&self.faults)
    }

    /// Replaces many files, each as a whole and in the order given, for little more than the price of one flush. All
    /// content is on disk before the first file takes its name.
    pub fn write_many(&self, files: &[(PathBuf, Vec<u8>)]) -> io::Result<()> {
        let flush_each = files.len() <= FLUSHED_SINGLY || !cfg!(target_os = "linux");
        let mut directories: BTreeMap<&Path, Dir> = BTreeMap::new();
        let mut written: Vec<(DiskPlace<'_>, Option<Temporary>)> = Vec::with_capacity(files.len());
        let outcome = (|| {
            for (path, bytes) in files {
                let place = self.place(path)?;
                let temporary = Temporary::write(&place, bytes, flush_each, &self.faults)?;
                let parent = path.parent().unwrap_or(Path::new(""));
                if !directories.contains_key(parent) {
                    directories.insert(parent, place.dir.try_clone()?);
                }
                written.push((place, Some(temporary)));
            }
            if !flush_each {
                self.flush_file_systems(directories.values())?;
            }
            for (place, temporary) in &mut written {
                if let Some(temporary) = temporary.take() {
                    temporary.publish(place, &self.faults)?;
                }
            }
            Ok(())
        })();
        if outcome.is_err() {
            for (place, temporary) in &mut written {
                if let Some(temporary) = temporary.take() {
                    temporary.discard(&place.dir, &self.faults);
                }
            }
        }
        // Also after a failure: what did take its name shall keep it.
        let mut flushed = Ok(());
        for (path, dir) in &directories {
            let step = self.faults.step().and_then(|()| sync_dir(dir).map_err(|error| named(&self.full(path), error)));
            flushed = flushed.and(step);
        }
        outcome.and(flushed)
    }

    /// Makes the directory and those above it that are missing, for the owner alone.
    pub fn create_dirs(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let path = path.as_ref();
        match self.dir(path) {
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(named(&self.full(path), error)),
        }
        let mut reached = PathBuf::new();
        for component in path.components() {
            reached.push(component);
            match self.dir(&reached) {
                Ok(_) => continue,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(named(&self.full(&reached), error)),
            }
            let place = self.place(&reached)?;
            self.faults.step()?;
            make_dir(&place.dir, place.name).map_err(|error| named(&place.full, error))?;
            place.sync_dir(&self.faults)?;
        }
        Ok(())
    }

    /// Removes a file (or a link itself); one that is not there is fine.
    pub fn remove(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let place = match self.place(path.as_ref()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            place => place?,
        };
        self.faults.step()?;
        match rustix::fs::unlinkat(&place.dir, place.name, AtFlags::empty()) {
            Ok(()) => place.sync_dir(&self.faults),
            Err(rustix::io::Errno::NOENT) => Ok(()),
            Err(error) => Err(named(&place.full, error.into())),
        }
    }

    /// Removes what a writer that is gone left half-written in this folder and those below: the name alone tells that it
    /// is lokid's. Nobody in this process may be writing here.
    pub fn sweep(&self) -> io::Result<()> {
        let mut open = vec![PathBuf::new()];
        while let Some(folder) = open.pop() {
            for entry in self.list(&folder)? {
                let path = folder.join(&entry.name);
                match entry.kind {
                    EntryKind::Dir if path.components().count() <= DEEPEST => open.push(path),
                    EntryKind::File if is_left_over(&entry.name) => self.remove(&path)?,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Cuts a file to `length` bytes, or pads it with zeros.
    pub fn truncate(&self, path: impl AsRef<Path>, length: u64) -> io::Result<()> {
        let place = self.place(path.as_ref())?;
        let file = place.open_regular(OFlags::WRONLY)?;
        self.faults.step()?;
        file.set_len(length).map_err(|error| named(&place.full, error))?;
        self.faults.step()?;
        file.sync_all().map_err(|error| named(&place.full, error))
    }

    /// Gives a file another name, replacing a file of that name.
    pub fn rename(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
        let (from, to) = (from.as_ref(), to.as_ref());
        let (source, target) = (self.place(from)?, self.place(to)?);
        self.faults.step()?;
        rustix::fs::renameat(&source.dir, source.name, &target.dir, target.name)
            .map_err(|error| named(&source.full, error.into()))?;
        target.sync_dir(&self.faults)?;
        if from.parent() == to.parent() { Ok(()) } else { source.sync_dir(&self.faults) }
    }

    /// One flush for each file system that the directories lie on.
    fn flush_file_systems<'a>(&self, directories: impl Iterator<Item = &'a Dir>) -> io::Result<()> {
        let mut flushed = Vec::new();
        for dir in directories {
            let device = dir.dir_metadata()?.dev();
            if !flushed.contains(&device) {
                self.faults.step()?;
                flush_file_system(dir).map_err(|error| named(self.root(), error))?;
                flushed.push(device);
            }
        }
        Ok(())
    }
}

#[cfg(target_os = "linux")]
fn flush_file_system(dir: &Dir) -> io::Result<()> {
    Ok(rustix::fs::syncfs(readable(dir)?)?)
}

#[cfg(not(target_os = "linux"))]
fn flush_file_system(dir: &Dir) -> io::Result<()> {
    File::from(readable(dir)?).sync_all()
}

/// A temporary of ours whose writer is gone. Others call theirs `.tmp_*` too, and shorter.
fn is_left_over(name: &OsStr) -> bool {
    let digits = name.to_str().and_then(|name| name.strip_prefix(".tmp_")?.strip_suffix(".json"));
    let digits = digits.filter(|digits| digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let writer = digits.and_then(|digits| u32::from_str_radix(&digits[..8], 16).ok());
    writer.is_some_and(|pid| pid == process::pid() || !process::is_running(pid))
}

/// Content on its way to a name. Whoever holds one publishes or discards it.
struct Temporary {
    name: OsString,
}

impl Temporary {
    fn write(place: &DiskPlace<'_>, bytes: &[u8], flush: bool, faults: &Faults) -> io::Result<Temporary> {
        let permissions = replaceable(place)?;
        let name = OsString::from(format!(".tmp_{:08x}{}.json", process::pid(), process::random_hex(4)));
        faults.step()?;
        let hidden = DiskPlace { dir: place.dir.try_clone()?, name: &name, full: place.full.with_file_name(&name) };
        let file = hidden.open(OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)?;
        let filled = fill(file, permissions, bytes, flush, faults);
        let temporary = Temporary { name };
        match filled {
            Ok(()) => Ok(temporary),
            Err(error) => {
                temporary.discard(&place.dir, faults);
                Err(if error.get_ref().is_some() { error } else { named(&place.full, error) })
            }
        }
    }

    fn publish(self, place: &DiskPlace<'_>, faults: &Faults) -> io::Result<()> {
        let renamed = faults.step().and_then(|()| {
            rustix::fs::renameat(&place.dir, &self.name, &place.dir, place.name)
                .map_err(|error| named(&place.full, error.into()))
        });
        if renamed.is_err() {
            self.discard(&place.dir, faults);
        }
        renamed
    }

    /// Best effort: the failure that led here is the one to report.
    fn discard(self, dir: &Dir, faults: &Faults) {
        if faults.step().is_ok() {
            let _ = rustix::fs::unlinkat(dir, &self.name, AtFlags::empty());
        }
    }
}

fn fill(mut file: File, mode: Option<u32>, bytes: &[u8], flush: bool, faults: &Faults) -> io::Result<()> {
    if let Some(mode) = mode {
        file.set_permissions(Permissions::from_mode(mode))?;
    }
    if let Err(cut) = faults.write_step() {
        if cut.torn {
            file.write_all(&bytes[..bytes.len() / 2])?;
        }
        return Err(cut.error);
    }
    file.write_all(bytes)?;
    if flush {
        faults.step()?;
        file.sync_all()?;
    }
    Ok(())
}

/// The permission bits to keep when there is a file to replace. Links, directories and devices are not replaced.
fn replaceable(place: &DiskPlace<'_>) -> io::Result<Option<u32>> {
    match place.metadata()? {
        None => Ok(None),
        Some(metadata) if metadata.is_file() => Ok(Some(metadata.mode() & 0o777)),
        Some(metadata) if metadata.is_symlink() => Err(is_link(&place.full)),
        Some(_) => Err(is_irregular(&place.full)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{lab, mode};
    use super::*;

    #[test]
    fn what_a_dead_writer_left_is_swept_out_and_nothing_else() {
        let (lab, disk) = lab();
        disk.create_dirs("a/b").unwrap();
        let dead = ".tmp_7fffffff0a1b2c3d.json";
        let running = format!(".tmp_{:08x}0a1b2c3d.json", std::os::unix::process::parent_id());
        let stays = [running.as_str(), ".tmp_k3x_9a2b.json", ".tmp_lokid_doctor", "tmp_7fffffff0a1b2c3d.json"];
        for name in stays.iter().chain(&[dead]) {
            std::fs::write(lab.path().join("a/b").join(name), "x").unwrap();
        }
        disk.sweep().unwrap();
        let left: Vec<_> =
            disk.list("a/b").unwrap().into_iter().map(|entry| entry.name.into_string().unwrap()).collect();
        let mut stays: Vec<&str> = stays.to_vec();
        stays.sort_unstable();
        assert_eq!(left, stays);
    }

    #[test]
    fn a_new_file_is_private_and_a_replaced_one_keeps_its_mode_bits() {
        let (lab, disk) = lab();
        let path = lab.path().join("file");
        disk.replace("file", b"one").unwrap();
        assert_eq!(mode(&path), 0o600);
        std::fs::set_permissions(&path, Permissions::from_mode(0o664)).unwrap();
        disk.replace("file", b"two").unwrap();
        assert_eq!((mode(&path), std::fs::read(&path).unwrap()), (0o664, b"two".to_vec()));
        assert_eq!(disk.list("").unwrap().len(), 1, "no temporary is left");
    }

    #[test]
    fn directories_are_made_private_and_twice_is_fine() {
        let (lab, disk) = lab();
        disk.create_dirs("a/b").unwrap();
        disk.create_dirs("a/b/c").unwrap();
        disk.create_dirs("a/b/c").unwrap();
        assert_eq!((mode(&lab.path().join("a")), mode(&lab.path().join("a/b/c"))), (0o700, 0o700));
        disk.replace("a/file", b"").unwrap();
        assert!(disk.create_dirs("a/file/x").is_err());
    }

    #[test]
    fn many_files_are_written_few_or_not() {
        let (lab, disk) = lab();
        disk.create_dirs("sub").unwrap();
        for count in [0, 1, 8, 40] {
            let name = |n: usize| if n.is_multiple_of(2) { format!("f{n}") } else { format!("sub/f{n}") };
            let files: Vec<_> = (0..count).map(|n| (name(n).into(), vec![b'x'; n])).collect();
            disk.write_many(&files).unwrap();
            for (path, body) in &files {
                assert_eq!(disk.read(path, 100).unwrap(), *body);
            }
        }
        assert_eq!(disk.list("sub").unwrap().len(), 20);
        assert_eq!(mode(&lab.path().join("sub/f1")), 0o600);
    }

    #[test]
    fn removing_cutting_and_renaming_do_what_they_say() {
        let (_lab, disk) = lab();
        disk.create_dirs("sub").unwrap();
        disk.replace("file", b"12345").unwrap();
        disk.truncate("file", 2).unwrap();
        disk.rename("file", "sub/other").unwrap();
        assert_eq!(disk.read("sub/other", 10).unwrap(), b"12");
        disk.remove("sub/other").unwrap();
        disk.remove("sub/other").unwrap();
        disk.remove("none/other").unwrap();
        assert_eq!(disk.list("sub").unwrap(), []);
        assert!(disk.rename("none", "x").unwrap_err().to_string().contains("none"));
        assert!(disk.truncate("none", 0).is_err());
        assert!(disk.replace("sub", b"").is_err(), "a directory is not replaced");
    }
}
