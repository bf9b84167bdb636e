//! The standard error as the log of a service. Where a service manager lets it run into a file, as launchd does, nobody
//! but us keeps that file short: past a limit it begins anew.

use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{FileType, OFlags};

use lokid_model::unseen;

/// Years of a quiet daemon, and enough of a noisy one to see what is wrong.
pub const LONGEST: u64 = 16 << 20;

/// How long the file is by now; `None` when it is no file that is appended to.
static LENGTH: OnceLock<Option<AtomicU64>> = OnceLock::new();

/// For one message, without colours.
pub fn log() -> Log {
    Log { colours: false }
}

/// For one message whose colours were added by who made it, and who let none stand in the message itself.
pub fn coloured_log() -> Log {
    Log { colours: true }
}

/// Each write is one message: whatever stands in it, it is one line, and no terminal obeys it.
pub struct Log {
    colours: bool,
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let line = shown(&String::from_utf8_lossy(bytes), self.colours);
        if let Some(length) = LENGTH.get_or_init(appended_length)
            && length.fetch_add(line.len() as u64, Ordering::Relaxed) > LONGEST
            && rustix::fs::ftruncate(io::stderr(), 0).is_ok()
        {
            length.store(line.len() as u64, Ordering::Relaxed);
        }
        io::stderr().write_all(line.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

fn shown(message: &str, colours: bool) -> String {
    let (message, end) = message.strip_suffix('\n').map_or((message, ""), |message| (message, "\n"));
    if !colours {
        return format!("{}{end}", unseen::shown_line(message));
    }
    let mut parts = message.split("\x1b[");
    let mut line = unseen::shown_line(parts.next().unwrap_or_default()).into_owned();
    for part in parts {
        let is_code = |code: &str| code.bytes().all(|byte| byte.is_ascii_digit() || byte == b';');
        match part.split_once('m').filter(|(code, _)| is_code(code)) {
            Some((code, rest)) => line.push_str(&format!("\x1b[{code}m{}", unseen::shown_line(rest))),
            None => line.push_str(&unseen::shown_line(&format!("\x1b[{part}"))),
        }
    }
    line + end
}

/// Only a file that is appended to can be cut: elsewhere the next message would leave a hole.
fn appended_length() -> Option<AtomicU64> {
    let found = rustix::fs::fstat(io::stderr()).ok()?;
    let flags = rustix::fs::fcntl_getfl(io::stderr()).ok()?;
    let is_file = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
    (is_file && flags.contains(OFlags::APPEND)).then(|| AtomicU64::new(u64::try_from(found.st_size).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_and_only_colours_pass_where_there_are_some() {
        let message = "\x1b[31mWARN\x1b[0m a\nb \x1b[2J\u{9b}\u{202e}\n";
        assert_eq!(shown(message, true), "\x1b[31mWARN\x1b[0m a\\nb \\u001b[2J\\u009b\\u202e\n");
        assert!(!shown(message, false).contains('\x1b'));
    }
}
