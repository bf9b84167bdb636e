//! The `git log` program as a stream of commits: how it is started so that nobody's configuration or environment
//! changes its answer, how its answer is read, and that it is always ended and reaped.
//!
//! It runs nothing but `git log`, and `blame.rs` beside it `git blame` and `git diff-tree`: they write nothing and here
//! reach no network.

use std::io::{self, BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use git2::Oid;

use super::history::{MOST_FILES, MOST_MESSAGE_BYTES, Mined, Raw};
use lokid_model::{Commit, FileChange, FileStatus};

/// Begins a commit. No status of a file begins like this, and paths only follow a status.
const MARK: u8 = 1;

/// Everything git would otherwise take from the user's or the repository's configuration and that could change the
/// answer, run another program or reach a network (a partial clone fetches what it lacks).
const SETTINGS: [&str; 9] = [
    "core.quotePath=false",
    "core.fsmonitor=false",
    "log.showSignature=false",
    "log.showRoot=true",
    "log.mailmap=false",
    "log.diffMerges=off",
    "diff.relative=false",
    "diff.noprefix=false",
    "protocol.allow=never",
];

/// `None` when there is no such program or it has nothing to say, so that another way may be tried.
pub(super) fn log(
    git_dir: &Path,
    head: Oid,
    hide: Option<Oid>,
    most: usize,
    each: &mut dyn FnMut(Commit) -> ControlFlow<()>,
) -> Option<Mined> {
    let (mut running, output) = Running::start(command(git_dir, head, hide, most))?;
    let mut commits = 0;
    let ended = read(BufReader::with_capacity(64 * 1024, output), &mut |commit| {
        commits += 1;
        each(commit)
    });
    let whole = match ended {
        Ok(ControlFlow::Break(())) => true,
        Ok(ControlFlow::Continue(())) => running.succeeded(),
        Err(_) => false,
    };
    (whole || commits > 0).then_some(Mined { commits, broken: !whole })
}

/// The program with nothing but its settings: which of its commands it runs is for the caller.
pub(super) fn git(git_dir: &Path) -> Command {
    let mut command = Command::new("git");
    // An entry `.` of PATH must not find a program in the repository.
    command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"GIT_") {
            command.env_remove(name);
        }
    }
    // Replacements and lazy fetches are unknown to libgit2, too.
    command.env("GIT_NO_REPLACE_OBJECTS", "1").env("GIT_NO_LAZY_FETCH", "1").env("GIT_TERMINAL_PROMPT", "0");
    command.env("LC_ALL", "C").arg("--no-optional-locks").arg("--no-pager").arg("--git-dir").arg(git_dir);
    for setting in SETTINGS {
        command.arg("-c").arg(setting);
    }
    command
}

fn command(git_dir: &Path, head: Oid, hide: Option<Oid>, most: usize) -> Command {
    let mut command = git(git_dir);
    command.args(["log", "-z", "--no-renames", "--name-status", "--no-color", "--no-ext-diff", "-O/dev/null"]);
    command.args(["--no-show-signature", "--ignore-submodules=none", "--encoding=UTF-8"]);
    command.arg("--format=tformat:%x01%H%x00%P%x00%an%x00%ae%x00%ct%x00%B");
    command.arg(format!("--max-count={most}")).arg(head.to_string());
    if let Some(hide) = hide {
        command.arg(format!("^{hide}"));
    }
    command.arg("--");
    command
}

/// Ends the process when it goes out of scope, however that comes about.
struct Running(Child);

impl Running {
    fn start(mut command: Command) -> Option<(Running, ChildStdout)> {
        let mut running = Running(command.spawn().ok()?);
        let output = running.0.stdout.take()?;
        Some((running, output))
    }

    /// It has closed its output, so this does not wait for long.
    fn succeeded(&mut self) -> bool {
        self.0.wait().is_ok_and(|status| status.success())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Six fields a commit, then a status and a path for every file; all end with a NUL, which none of them can hold.
fn read(output: impl BufRead, each: &mut dyn FnMut(Commit) -> ControlFlow<()>) -> io::Result<ControlFlow<()>> {
    let mut tokens = Tokens { output, token: Vec::new() };
    let mut more = tokens.next()?;
    while more {
        let mut fields: [Vec<u8>; 6] = Default::default();
        for (at, field) in fields.iter_mut().enumerate() {
            if at > 0 && !tokens.next()? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            std::mem::swap(field, &mut tokens.token);
        }
        let mut files = Vec::new();
        loop {
            more = tokens.next()?;
            let status = tokens.token.trim_ascii_start();
            match status.first() {
                None if more => continue,
                None | Some(&MARK) => break,
                Some(letter) => {
                    let status = status_of(*letter);
                    if !tokens.next()? {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                    if files.len() < MOST_FILES {
                        files.push(FileChange { path: String::from_utf8_lossy(&tokens.token).into_owned(), status });
                    }
                }
            }
        }
        let commit = commit(&fields, files).ok_or(io::ErrorKind::InvalidData)?;
        if each(commit).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn commit(fields: &[Vec<u8>; 6], files: Vec<FileChange>) -> Option<Commit> {
    let [id, parents, name, email, time, message] = fields;
    let id = id.trim_ascii_start().strip_prefix(&[MARK])?;
    let raw = Raw {
        id: String::from_utf8_lossy(id).into_owned(),
        parents: parents.split(|byte| *byte == b' ').filter(|parent| !parent.is_empty()).count(),
        author_name: name,
        author_email: email,
        time: std::str::from_utf8(time).ok()?.parse().ok()?,
        message,
    };
    Some(raw.with_files(files))
}

fn status_of(letter: u8) -> FileStatus {
    match letter {
        b'A' => FileStatus::Added,
        b'D' => FileStatus::Deleted,
        _ => FileStatus::Modified,
    }
}

struct Tokens<R> {
    output: R,
    /// The last one read, without its NUL and not longer than a message may be.
    token: Vec<u8>,
}

impl<R: BufRead> Tokens<R> {
    /// Whether there was another one.
    fn next(&mut self) -> io::Result<bool> {
        self.token.clear();
        let mut begun = false;
        loop {
            let buffer = match self.output.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                buffer => buffer?,
            };
            if buffer.is_empty() {
                return Ok(begun);
            }
            begun = true;
            let end = buffer.iter().position(|byte| *byte == 0);
            let part = &buffer[..end.unwrap_or(buffer.len())];
            let room = MOST_MESSAGE_BYTES - self.token.len();
            self.token.extend_from_slice(&part[..part.len().min(room)]);
            let used = part.len() + usize::from(end.is_some());
            self.output.consume(used);
            if end.is_some() {
                return Ok(true);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(output: &[u8]) -> io::Result<Vec<Commit>> {
        let mut commits = Vec::new();
        // A tiny buffer, so that tokens lie across its edge.
        let _ = read(BufReader::with_capacity(3, output), &mut |commit| {
            commits.push(commit);
            ControlFlow::Continue(())
        })?;
        Ok(commits)
    }

    #[test]
    fn a_message_that_looks_like_the_stream_itself_is_still_a_message() {
        let output =
            b"\x01ab\0cd ef\0Ada\0a@b\x007\0Say \x01cd\n\nM\nbody\0\x01cd\0\0Ada\0a@b\x006\0Root\n\0\0\nA\0\x01odd\0D\0M\0";
        let commits = all(output).unwrap();
        assert_eq!(commits.len(), 2);
        assert_eq!((commits[0].subject.as_str(), commits[0].body.as_str()), ("Say \x01cd", "M\nbody"));
        assert_eq!((commits[0].parents, commits[0].files.len()), (2, 0));
        assert_eq!((commits[1].parents, commits[1].time), (0, 6));
        let files: Vec<_> = commits[1].files.iter().map(|file| (file.path.as_str(), file.status)).collect();
        assert_eq!(files, [("\x01odd", FileStatus::Added), ("M", FileStatus::Deleted)]);
    }

    #[test]
    fn an_endless_message_is_cut() {
        let mut output = b"\x01ab\0\0Ada\0a@b\x007\0".to_vec();
        output.extend(std::iter::repeat_n(b'x', 3 * MOST_MESSAGE_BYTES));
        output.push(0);
        assert_eq!(all(&output).unwrap()[0].subject.len(), MOST_MESSAGE_BYTES);
    }

    #[test]
    fn a_stream_that_ends_too_early_is_an_error() {
        assert!(all(b"").unwrap().is_empty());
        assert!(all(b"\x01ab\0cd").is_err());
        assert!(all(b"fatal: nonsense").is_err());
        assert!(all(b"\x01ab\0\0Ada\0a@b\0noon\0Say\0").is_err());
    }

    #[test]
    fn a_process_that_is_no_longer_wanted_is_ended_and_reaped() {
        let mut command = Command::new("sleep");
        command.arg("600").stdout(Stdio::piped());
        let Some((running, _output)) = Running::start(command) else { return };
        let process = format!("/proc/{}", running.0.id());
        if Path::new(&process).exists() {
            drop(running);
            assert!(!Path::new(&process).exists(), "not even its remains are left");
        }
    }

    #[test]
    fn without_a_repository_the_program_has_nothing_to_say() {
        let plain = tempfile::tempdir().unwrap();
        let none = Oid::from_str(&"1".repeat(40)).unwrap();
        assert_eq!(log(plain.path(), none, None, 9, &mut |_| ControlFlow::Continue(())), None);
    }

    proptest::proptest! {
        #[test]
        fn no_stream_makes_the_reader_panic(output in proptest::collection::vec(proptest::sample::select(b"\x00\x01\nMA7 \xff".to_vec()), 0..200)) {
            let _ = all(&output);
        }
    }
}
