//! Locks between processes: `flock` on a file that is made when missing and never unlinked.
//!
//! They are advisory and die with their process. They say nothing about what they protect.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use cap_std::fs::MetadataExt as _;
use rustix::fs::OFlags;

use super::{Disk, DiskPlace, named};

const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(25);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockKind {
    Shared,
    Exclusive,
}

/// Held until dropped.
#[derive(Debug)]
pub struct FileLock {
    file: File,
}

/// To close it is not enough: a process that is just being started still has every file of its parent's open, and keeps the
/// lock until it runs its own program.
impl Drop for FileLock {
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

impl FileLock {
    pub(crate) fn file(&self) -> &File {
        &self.file
    }
}

impl Disk {
    /// Tries at once, then again and again until `timeout` has passed: then `TimedOut`, which names the file.
    pub fn lock(&self, path: impl AsRef<Path>, kind: LockKind, timeout: Duration) -> io::Result<FileLock> {
        let place = self.place(path.as_ref())?;
        let started = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            if let Some(file) = try_lock(&place, kind)? {
                return Ok(FileLock { file });
            }
            let left = timeout.saturating_sub(started.elapsed());
            if left.is_zero() {
                let waited = format!("{} is locked by another process, waited {timeout:?}", place.full.display());
                return Err(io::Error::new(io::ErrorKind::TimedOut, waited));
            }
            std::thread::sleep(pause.min(left));
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

/// `None` while somebody else holds it, and when the file was swapped under our hands: a lock on a file that no longer
/// carries the name keeps nobody out.
fn try_lock(place: &DiskPlace<'_>, kind: LockKind) -> io::Result<Option<File>> {
    let file = place.open_regular(OFlags::RDWR | OFlags::CREATE)?;
    let taken = match kind {
        LockKind::Shared => file.try_lock_shared(),
        LockKind::Exclusive => file.try_lock(),
    };
    match taken {
        Ok(()) => {
            let ours = file.metadata()?;
            let named_now = place.metadata()?;
            let same = named_now.is_some_and(|now| (now.dev(), now.ino()) == (ours.dev(), ours.ino()));
            Ok(same.then_some(file))
        }
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(named(&place.full, error)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::lab;
    use super::*;

    const BRIEF: Duration = Duration::from_millis(30);

    #[test]
    fn a_held_lock_times_out_naming_the_file_and_is_free_after_the_drop() {
        let (_lab, disk) = lab();
        let held = disk.lock("lock", LockKind::Exclusive, BRIEF).unwrap();
        for kind in [LockKind::Exclusive, LockKind::Shared] {
            let started = Instant::now();
            let error = disk.lock("lock", kind, BRIEF).unwrap_err();
            assert!(started.elapsed() >= BRIEF);
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
            assert!(error.to_string().contains("/lock is locked"), "{error}");
        }
        let _open_in_a_process_that_starts = held.file.try_clone().unwrap();
        drop(held);
        disk.lock("lock", LockKind::Exclusive, Duration::ZERO).unwrap();
        assert!(disk.stamp("lock").unwrap().is_some(), "the lock file stays");
    }

    #[test]
    fn readers_share_and_keep_a_writer_out() {
        let (_lab, disk) = lab();
        let _one = disk.lock("lock", LockKind::Shared, BRIEF).unwrap();
        let _two = disk.lock("lock", LockKind::Shared, BRIEF).unwrap();
        assert!(disk.lock("lock", LockKind::Exclusive, BRIEF).is_err());
    }

    #[test]
    fn a_lock_that_comes_free_in_time_is_taken() {
        let (_lab, disk) = lab();
        let held = disk.lock("lock", LockKind::Exclusive, BRIEF).unwrap();
        let waiting = disk.clone();
        let waiter = crate::thread::spawn("waiter", move || {
            waiting.lock("lock", LockKind::Exclusive, Duration::from_secs(20)).map(drop)
        });
        drop(held);
        waiter.unwrap().join().unwrap().unwrap();
    }

    #[test]
    fn a_lock_file_that_was_deleted_keeps_nobody_out_of_the_new_one() {
        let (lab, disk) = lab();
        let stale = disk.lock("lock", LockKind::Exclusive, BRIEF).unwrap();
        std::fs::remove_file(lab.path().join("lock")).unwrap();
        let fresh = disk.lock("lock", LockKind::Exclusive, BRIEF).unwrap();
        drop(stale);
        assert!(disk.lock("lock", LockKind::Exclusive, BRIEF).is_err());
        drop(fresh);
    }

    #[test]
    fn a_link_is_no_lock_file() {
        let (lab, disk) = lab();
        std::os::unix::fs::symlink("/tmp/elsewhere", lab.path().join("lock")).unwrap();
        assert!(disk.lock("lock", LockKind::Exclusive, BRIEF).is_err());
    }
}
