//! Linux' inotify: one instance, watches on single folders, and what happens in them, one thing after the other.
//!
//! It keeps no list of what is watched; whoever asks for a watch keeps its number.

use std::ffi::OsStr;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

pub struct Inotify {
    instance: OwnedFd,
}

/// What happened in a folder, to the name told with it, or without one to the folder itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happened {
    Created,
    /// A folder, or what was moved here.
    Arrived,
    Changed,
    Left,
    Opened,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Heard<'a> {
    Event {
        watch: i32,
        what: Happened,
        name: Option<&'a OsStr>,
    },
    /// The folder is gone, or nobody wants to hear of it any more: its number will not be used again.
    Over {
        watch: i32,
    },
    /// Events were lost, nobody knows which.
    Overflow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such folder, or it is none.
    Gone,
    /// This user has as many watches as the system allows.
    Limit,
    Other,
}

const CHANGES: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::MOVE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::DELETE_SELF);

const GONE: ReadFlags = ReadFlags::DELETE
    .union(ReadFlags::MOVED_FROM)
    .union(ReadFlags::DELETE_SELF)
    .union(ReadFlags::MOVE_SELF)
    .union(ReadFlags::UNMOUNT);

const BUFFER: usize = 64 << 10;

impl Inotify {
    /// The error is a reason for a person.
    pub fn open() -> Result<Inotify, String> {
        match inotify::init(CreateFlags::CLOEXEC) {
            Ok(instance) => Ok(Inotify { instance }),
            Err(Errno::MFILE) => Err(most_instances().map_or_else(
                || Errno::MFILE.to_string(),
                |most| format!("{most} of {most} inotify instances in use (raise fs.inotify.max_user_instances)"),
            )),
            Err(error) => Err(error.to_string()),
        }
    }

    /// One folder has one number, however often it is asked for and by whichever path.
    pub fn watch(&self, folder: &Path, openings: bool) -> Result<i32, Refusal> {
        // Others may listen at it too and want more of it.
        let manner = WatchFlags::ONLYDIR | WatchFlags::DONT_FOLLOW | WatchFlags::MASK_ADD;
        let wanted = if openings { CHANGES | WatchFlags::OPEN } else { CHANGES };
        inotify::add_watch(&self.instance, folder, wanted | manner).map_err(|error| match error {
            Errno::NOENT | Errno::NOTDIR | Errno::LOOP => Refusal::Gone,
            Errno::NOSPC => Refusal::Limit,
            _ => Refusal::Other,
        })
    }

    pub fn unwatch(&self, watch: i32) {
        // The kernel lets go of a folder that is gone by itself.
        let _ = inotify::remove_watch(&self.instance, watch);
    }

    /// Waits for events and tells them, for as long as the process lives.
    pub fn listen(&self, mut tell: impl FnMut(Heard<'_>)) {
        let mut buffer = vec![MaybeUninit::uninit(); BUFFER];
        let mut events = Reader::new(&self.instance, &mut buffer);
        loop {
            match events.next() {
                Ok(event) => {
                    let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()));
                    if let Some(heard) = heard(event.wd(), event.events(), name) {
                        tell(heard);
                    }
                }
                Err(Errno::INTR) => {}
                Err(_) => {
                    tell(Heard::Overflow);
                    super::thread::pause(std::time::Duration::from_secs(1));
                }
            }
        }
    }
}

fn heard(watch: i32, flags: ReadFlags, name: Option<&OsStr>) -> Option<Heard<'_>> {
    let any = |of: ReadFlags| flags.intersects(of);
    if any(ReadFlags::QUEUE_OVERFLOW) {
        return Some(Heard::Overflow);
    }
    if any(ReadFlags::IGNORED) {
        return Some(Heard::Over { watch });
    }
    let what = if any(ReadFlags::CREATE) && !any(ReadFlags::ISDIR) {
        Happened::Created
    } else if any(ReadFlags::CREATE | ReadFlags::MOVED_TO) {
        Happened::Arrived
    } else if any(GONE) {
        Happened::Left
    } else if any(ReadFlags::MODIFY | ReadFlags::CLOSE_WRITE | ReadFlags::ATTRIB) {
        Happened::Changed
    } else if any(ReadFlags::OPEN) {
        Happened::Opened
    } else {
        return None;
    };
    Some(Heard::Event { watch, what, name })
}

/// How many instances one user may have, all programs together.
fn most_instances() -> Option<u64> {
    let limit =
        |path: &str| -> Option<u64> { super::plain::read_text(path.as_ref(), 64).ok().flatten()?.trim().parse().ok() };
    let (of_user, of_space) =
        (limit("/proc/sys/fs/inotify/max_user_instances"), limit("/proc/sys/user/max_inotify_instances"));
    of_user.into_iter().chain(of_space).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_put_into_our_words() {
        let check = |flags: ReadFlags, expect: Happened| {
            let event = Heard::Event { watch: 1, what: expect, name: None };
            assert_eq!(heard(1, flags, None), Some(event), "{flags:?}");
        };
        check(ReadFlags::CREATE, Happened::Created);
        check(ReadFlags::CREATE | ReadFlags::ISDIR, Happened::Arrived);
        check(ReadFlags::MOVED_TO, Happened::Arrived);
        check(ReadFlags::MOVED_FROM, Happened::Left);
        check(ReadFlags::DELETE, Happened::Left);
        check(ReadFlags::DELETE_SELF, Happened::Left);
        check(ReadFlags::MOVE_SELF, Happened::Left);
        check(ReadFlags::UNMOUNT, Happened::Left);
        check(ReadFlags::MODIFY, Happened::Changed);
        check(ReadFlags::ATTRIB | ReadFlags::ISDIR, Happened::Changed);
        check(ReadFlags::CLOSE_WRITE, Happened::Changed);
        check(ReadFlags::OPEN | ReadFlags::ISDIR, Happened::Opened);
        assert_eq!(heard(1, ReadFlags::IGNORED, None), Some(Heard::Over { watch: 1 }));
        assert_eq!(heard(-1, ReadFlags::QUEUE_OVERFLOW, None), Some(Heard::Overflow));
        assert_eq!(heard(1, ReadFlags::CLOSE_NOWRITE, None), None);
    }
}
