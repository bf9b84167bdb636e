//! One at a time: a lock file that tells who holds it. One daemon a socket and one engine a project rest on it.
//!
//! The lock is the kernel's (`flock`), so a killed holder lets go by dying; the pid inside is only for the message. The
//! file is never unlinked: a second holder could otherwise lock a new file of the same name.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::disk::{Disk, FileLock, LockKind};
use super::process;

/// A program that a holder who died or let go was just starting shares the lock until it runs.
const LAST_BREATH: Duration = Duration::from_secs(2);

/// Held until dropped.
pub struct InstanceLock {
    lock: FileLock,
}

#[derive(Debug, thiserror::Error)]
pub enum InstanceError {
    #[error("{} is held by {}", path.display(), holder(*pid))]
    Held { path: PathBuf, pid: Option<u32> },
    #[error("cannot lock {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

fn holder(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

impl InstanceLock {
    /// Takes the lock or fails at once. Missing parents of `path` are created for the owner alone.
    pub fn acquire(path: &Path) -> Result<InstanceLock, InstanceError> {
        let failed = |source| InstanceError::Io { path: path.to_owned(), source };
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file")));
        };
        let disk = Disk::create_following(parent).map_err(failed)?;
        let pid = || disk.read(name, 64).ok().and_then(|bytes| parse_pid(&bytes));
        let mut taken = disk.lock(name, LockKind::Exclusive, Duration::ZERO);
        if taken.is_err() && pid().is_none_or(|pid| !process::is_alive(pid)) {
            taken = disk.lock(name, LockKind::Exclusive, LAST_BREATH);
        }
        let lock = match taken {
            Ok(lock) => lock,
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                return Err(InstanceError::Held { path: path.to_owned(), pid: pid() });
            }
            Err(error) => return Err(failed(error)),
        };
        write_pid(lock.file()).map_err(failed)?;
        Ok(InstanceLock { lock })
    }
}

impl Drop for InstanceLock {
    /// Takes the pid out, so that nobody blames it later.
    fn drop(&mut self) {
        let _ = self.lock.file().set_len(0);
    }
}

fn write_pid(mut file: &File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", process::pid())
}

fn parse_pid(bytes: &[u8]) -> Option<u32> {
    std::str::from_utf8(bytes).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_holder_is_refused_and_told_the_pid_of_the_first() {
        let lab = tempfile::tempdir().unwrap();
        let path = lab.path().join("deep/er/daemon.lock");
        let first = InstanceLock::acquire(&path).unwrap();
        match InstanceLock::acquire(&path).err().unwrap() {
            InstanceError::Held { pid, .. } => assert_eq!(pid, Some(process::pid())),
            other => panic!("{other}"),
        }
        drop(first);
        InstanceLock::acquire(&path).unwrap();
        assert!(path.exists(), "the lock file stays");
    }

    #[test]
    fn the_directory_of_the_lock_may_be_behind_a_link() {
        let lab = tempfile::tempdir().unwrap();
        std::fs::create_dir(lab.path().join("real")).unwrap();
        std::os::unix::fs::symlink("real", lab.path().join("link")).unwrap();
        let _held = InstanceLock::acquire(&lab.path().join("link/x.lock")).unwrap();
        assert!(InstanceLock::acquire(&lab.path().join("real/x.lock")).is_err());
    }

    #[test]
    fn an_unreadable_pid_still_makes_a_message() {
        let held = InstanceError::Held { path: "/run/x.lock".into(), pid: parse_pid(b"\xff") };
        assert_eq!(held.to_string(), "/run/x.lock is held by another process");
        let held = InstanceError::Held { path: "/run/x.lock".into(), pid: parse_pid(b"42\n") };
        assert_eq!(held.to_string(), "/run/x.lock is held by process 42");
    }

    #[test]
    fn a_path_that_cannot_be_made_is_an_error_that_names_it() {
        let lab = tempfile::tempdir().unwrap();
        std::fs::write(lab.path().join("file"), "").unwrap();
        let error = InstanceLock::acquire(&lab.path().join("file/x.lock")).err().unwrap();
        assert!(error.to_string().contains("file/x.lock"), "{error}");
    }
}
