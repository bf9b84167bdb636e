//! The standard error as the log of a service. Where a service manager lets it run into a file, as launchd does, nobody
//! but us keeps that file short: past a limit it begins anew.

use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{FileType, OFlags};

/// Years of a quiet daemon, and enough of a noisy one to see what is wrong.
pub const LONGEST: u64 = 16 << 20;

/// How long the file is by now; `None` when it is no file that is appended to.
static LENGTH: OnceLock<Option<AtomicU64>> = OnceLock::new();

/// For one message.
pub fn log() -> Log {
    Log
}

pub struct Log;

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(length) = LENGTH.get_or_init(appended_length)
            && length.fetch_add(bytes.len() as u64, Ordering::Relaxed) > LONGEST
            && rustix::fs::ftruncate(io::stderr(), 0).is_ok()
        {
            length.store(bytes.len() as u64, Ordering::Relaxed);
        }
        io::stderr().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Only a file that is appended to can be cut: elsewhere the next message would leave a hole.
fn appended_length() -> Option<AtomicU64> {
    let found = rustix::fs::fstat(io::stderr()).ok()?;
    let flags = rustix::fs::fcntl_getfl(io::stderr()).ok()?;
    let is_file = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
    (is_file && flags.contains(OFlags::APPEND)).then(|| AtomicU64::new(u64::try_from(found.st_size).unwrap_or(0)))
}
