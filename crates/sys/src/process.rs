//! Facts about the running process, its file mode mask, and randomness for names that must not collide.
//!
//! Only [`start_apart`] starts another process, and only [`terminate`] reaches one.

use std::ffi::OsString;
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

pub fn pid() -> u32 {
    std::process::id()
}

/// From here on whatever this process makes is for its owner alone, also what libraries make for it.
pub fn keep_private() {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
}

/// The real user id of the process.
pub fn uid() -> u32 {
    rustix::process::getuid().as_raw()
}

/// Asks another process of this user to end, with SIGTERM. It may still be ending when this returns.
pub fn terminate(pid: u32) -> io::Result<()> {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    let pid = pid.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "this is no process id"))?;
    Ok(rustix::process::kill_process(pid, rustix::process::Signal::TERM)?)
}

/// Starts a program that outlives this one: in a group of its own, so that what ends this one does not end it, and with
/// nothing to read and nowhere to write.
pub fn start_apart(program: &Path, arguments: &[OsString]) -> io::Result<Child> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.process_group(0).spawn()
}

/// Is there such a process? One of another user counts.
pub fn is_alive(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

/// Does it still run? One that has ended and that nobody has looked after does not.
pub fn is_running(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    // `25520 (lokid) Z …`: the name may hold anything.
    let state = stat.ok().and_then(|stat| stat.rsplit_once(')').map(|(_, rest)| rest.trim_start().to_owned()));
    match state {
        Some(state) => !state.starts_with(['Z', 'X']),
        None if Path::new("/proc/self").exists() => false,
        None => is_alive(pid),
    }
}

/// Lets the process open as many files as its owner may: some systems begin with 256, and every client is one. Answers
/// with how many that is; `None` where there is no telling.
pub fn raise_file_limit() -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    /// More is never needed, and macOS refuses to be asked for all there are.
    const ENOUGH: u64 = 65_536;
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.unwrap_or(ENOUGH).min(ENOUGH);
    let current = current?;
    if current >= wanted {
        return Some(current);
    }
    // macOS allows no more than this, whatever it says.
    [wanted, 10_240.min(wanted)]
        .into_iter()
        .find(|most| *most > current && setrlimit(Resource::Nofile, Rlimit { current: Some(*most), maximum }).is_ok())
        .or(Some(current))
}

/// How many files the process has open, where `/proc` tells.
pub fn open_files() -> Option<u64> {
    Some(std::fs::read_dir("/proc/self/fd").ok()?.count() as u64)
}

/// Memory the process holds in RAM, where `/proc` tells.
pub fn rss_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    resident_bytes(&status)
}

/// `VmRSS:     1234 kB`. Unlike `statm` it does not ask the reader to know the page size.
fn resident_bytes(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// `bytes` random bytes, two digits each.
pub fn random_hex(bytes: usize) -> String {
    let mut random = vec![0; bytes];
    if File::open("/dev/urandom").and_then(|mut source| source.read_exact(&mut random)).is_err() {
        fill_from_hasher(&mut random);
    }
    random.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Every `RandomState` is keyed anew from the system's randomness: enough where `/dev` is hidden.
fn fill_from_hasher(random: &mut [u8]) {
    for chunk in random.chunks_mut(8) {
        let word = RandomState::new().build_hasher().finish().to_ne_bytes();
        chunk.copy_from_slice(&word[..chunk.len()]);
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn a_process_is_asked_to_end_and_nonsense_is_refused() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        terminate(child.id()).unwrap();
        assert!(!child.wait().unwrap().success());
        for nonsense in [0, u32::MAX] {
            assert_eq!(terminate(nonsense).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        }
    }

    #[test]
    fn as_many_files_may_be_opened_as_the_owner_allows() {
        let most = raise_file_limit().unwrap();
        assert!(most >= 256, "{most}");
        assert_eq!(raise_file_limit(), Some(most), "once is enough");
        #[cfg(target_os = "linux")]
        assert!(open_files().is_some_and(|open| (3..most).contains(&open)));
    }

    #[test]
    fn resident_memory_is_read_in_kibibytes() {
        assert_eq!(resident_bytes("VmHWM:\t 9 kB\nVmRSS:\t    1234 kB\n"), Some(1234 * 1024));
        assert_eq!(resident_bytes("VmHWM:\t 9 kB\n"), None);
        #[cfg(target_os = "linux")]
        assert!(rss_bytes().is_some_and(|bytes| bytes > 64 * 1024));
    }

    #[test]
    fn random_names_have_two_digits_a_byte_and_differ() {
        assert_eq!(random_hex(8).len(), 16);
        assert_ne!(random_hex(8), random_hex(8));
        let mut fallback = [0; 13];
        fill_from_hasher(&mut fallback);
        assert_ne!(fallback, [0; 13]);
    }
}
