//! Another program, asked one question: given a text, heard out up to a limit, and gone when its time is over.
//!
//! No shell stands in between. It runs in a process group of its own, which is ended and reaped whole, so that nothing
//! of it is left behind; only what moved itself into another group can escape. What it says beside its answer is not read.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

/// How long it is left alone between two looks: at first, and at most.
const SHORT: Duration = Duration::from_millis(1);
const LONG: Duration = Duration::from_millis(20);
/// What is read and written at once.
const PIECE: usize = 16 << 10;

#[derive(Clone, Copy, Debug)]
pub struct ChildLimits {
    pub time: Duration,
    pub output: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum ChildError {
    #[error("no program is named")]
    Nameless,
    #[error("{program} cannot be started: {source}")]
    Start { program: String, source: io::Error },
    #[error("no answer within {0:?}")]
    TimedOut(Duration),
    #[error("called off")]
    Cancelled,
    #[error("the answer is longer than {0} bytes")]
    TooLong(usize),
    #[error("ended with {0}")]
    Failed(ExitStatus),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Runs a program with its arguments, gives it `input` and brings what it wrote to its standard output.
pub fn run(
    argv: &[String],
    input: &[u8],
    limits: ChildLimits,
    cancelled: &dyn Fn() -> bool,
) -> Result<Vec<u8>, ChildError> {
    let (program, arguments) =
        argv.split_first().filter(|(program, _)| !program.is_empty()).ok_or(ChildError::Nameless)?;
    let mut command = Command::new(program);
    // An agent that is asked something by lokid does not tell lokid about it.
    command.args(arguments).env("LOKID_HOOK", "off");
    hear(command, input, limits, cancelled)
}

/// The same for a program whose arguments and environment are put together already.
pub fn hear(
    mut command: Command,
    input: &[u8],
    limits: ChildLimits,
    cancelled: &dyn Fn() -> bool,
) -> Result<Vec<u8>, ChildError> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    // Not in whatever folder the daemon was started from.
    command.current_dir("/").process_group(0);
    let program = command.get_program().to_string_lossy().into_owned();
    let start = |source| ChildError::Start { program, source };
    let mut group = Group { child: command.spawn().map_err(start)?, reaped: None };
    let mut talk = Talk::open(&mut group.child, input, limits.output)?;
    let deadline = Instant::now() + limits.time;
    let mut pause = SHORT;
    loop {
        let is_moving = talk.turn()?;
        // Looked for before the last words are read: what is written until then is there.
        if group.has_ended()? {
            talk.hear_out()?;
            let status = group.reap()?;
            return if status.success() { Ok(talk.heard) } else { Err(ChildError::Failed(status)) };
        }
        if cancelled() {
            return Err(ChildError::Cancelled);
        }
        if Instant::now() >= deadline {
            return Err(ChildError::TimedOut(limits.time));
        }
        pause = if is_moving { SHORT } else { (pause * 2).min(LONG) };
        std::thread::sleep(pause);
    }
}

/// The program and whatever it started; ended when this goes, however that comes.
struct Group {
    child: Child,
    reaped: Option<ExitStatus>,
}

impl Group {
    fn pid(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }

    /// Leaves it unreaped: as long as it is, its number and that of its group belong to nobody else.
    fn has_ended(&self) -> io::Result<bool> {
        let Some(pid) = self.pid() else { return Ok(true) };
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(rustix::process::waitid(WaitId::Pid(pid), look)?.is_some())
    }

    /// Ends the whole group first. Once only: afterwards the number may be somebody else's.
    fn reap(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.reaped {
            return Ok(status);
        }
        if let Some(pid) = self.pid() {
            let _ = rustix::process::kill_process_group(pid, Signal::KILL);
        }
        let status = self.child.wait()?;
        self.reaped = Some(status);
        Ok(status)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = self.reap();
    }
}

/// Both pipes, neither of which is ever waited for: what the program started may keep them open for ever.
struct Talk<'a> {
    input: &'a [u8],
    to: Option<ChildStdin>,
    from: Option<ChildStdout>,
    heard: Vec<u8>,
    most: usize,
}

impl<'a> Talk<'a> {
    fn open(child: &mut Child, input: &'a [u8], most: usize) -> io::Result<Talk<'a>> {
        let (to, from) = (child.stdin.take(), child.stdout.take());
        to.as_ref().map(never_wait).transpose()?;
        from.as_ref().map(never_wait).transpose()?;
        Ok(Talk { input, to, from, heard: Vec::new(), most })
    }

    /// Says and hears a piece each, where that is possible now; tells whether anything moved.
    fn turn(&mut self) -> Result<bool, ChildError> {
        let said = self.say()?;
        Ok(self.hear()? || said)
    }

    fn say(&mut self) -> io::Result<bool> {
        let Some(to) = &mut self.to else { return Ok(false) };
        let piece = &self.input[..self.input.len().min(PIECE)];
        let said = match to.write(piece) {
            Ok(count) => count,
            Err(error) if is_for_later(&error) => return Ok(false),
            // Who answers without reading everything has read enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.input.len(),
            Err(error) => return Err(error),
        };
        self.input = &self.input[said..];
        if self.input.is_empty() {
            // Closed, so that it knows that this was all.
            self.to = None;
        }
        Ok(true)
    }

    fn hear(&mut self) -> Result<bool, ChildError> {
        let Some(from) = &mut self.from else { return Ok(false) };
        let mut piece = [0; PIECE];
        match from.read(&mut piece) {
            Ok(0) => self.from = None,
            Ok(count) if self.heard.len() + count > self.most => return Err(ChildError::TooLong(self.most)),
            Ok(count) => self.heard.extend_from_slice(&piece[..count]),
            Err(error) if is_for_later(&error) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        Ok(true)
    }

    fn hear_out(&mut self) -> Result<(), ChildError> {
        while self.hear()? {}
        Ok(())
    }
}

fn never_wait(pipe: &impl AsFd) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(pipe)?;
    Ok(rustix::fs::fcntl_setfl(pipe, flags | rustix::fs::OFlags::NONBLOCK)?)
}

fn is_for_later(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process;

    const PATIENCE: ChildLimits = ChildLimits { time: Duration::from_secs(20), output: 1 << 20 };
    const NEVER: &dyn Fn() -> bool = &|| false;

    fn shell(script: &str) -> Vec<String> {
        ["/bin/sh", "-c", script].map(str::to_owned).to_vec()
    }

    fn check(script: &str, input: &str, expected: &str) {
        let answer = run(&shell(script), input.as_bytes(), PATIENCE, NEVER).unwrap();
        assert_eq!(String::from_utf8(answer).unwrap(), expected, "{script}");
    }

    #[test]
    fn a_program_gets_its_input_and_its_answer_is_heard() {
        check("cat", "two words", "two words");
        check("read -r line; echo \"got $line\"; echo aside >&2", "one\n", "got one\n");
        check("pwd", "", "/\n");
    }

    #[test]
    fn more_than_a_pipe_holds_goes_through_both_ways() {
        let long = "x".repeat(500_000);
        check("cat", &long, &long);
    }

    #[test]
    fn who_does_not_read_may_answer_all_the_same() {
        check("exec <&-; echo contradicts", &"x".repeat(500_000), "contradicts\n");
    }

    #[test]
    fn arguments_are_no_commands() {
        let argv = ["/bin/echo", "a; echo b", "$(id)", "*"].map(str::to_owned);
        assert_eq!(run(&argv, b"", PATIENCE, NEVER).unwrap(), b"a; echo b $(id) *\n");
    }

    #[test]
    fn what_fails_or_cannot_be_started_is_named() {
        let fail = |argv: &[String]| run(argv, b"", PATIENCE, NEVER).unwrap_err().to_string();
        assert_eq!(fail(&shell("exit 3")), "ended with exit status: 3");
        assert!(fail(&["/no/such/program".to_owned()]).starts_with("/no/such/program cannot be started: No such file"));
        assert_eq!(fail(&[]), "no program is named");
        assert_eq!(fail(&[String::new()]), "no program is named");
        assert!(fail(&["a\0b".to_owned()]).contains("cannot be started"));
    }

    /// The number of a process that the script wrote into a file before it did what it is stopped for.
    fn written(path: &std::path::Path) -> Option<u32> {
        std::fs::read_to_string(path).ok()?.strip_suffix('\n')?.parse().ok()
    }

    #[test]
    fn what_hangs_is_ended_in_time_with_everything_it_started() {
        let lab = tempfile::tempdir().unwrap();
        let note = lab.path().join("pid");
        let script = format!("trap '' TERM; sleep 600 & echo $! > {}; wait", note.display());
        let limits = ChildLimits { time: Duration::from_millis(500), ..PATIENCE };
        let began = Instant::now();
        assert!(matches!(run(&shell(&script), b"", limits, NEVER), Err(ChildError::TimedOut(_))));
        assert!(began.elapsed() < Duration::from_secs(10));
        // On a machine so slow that nothing was started there is nothing to be looked for.
        if let Some(sleeper) = written(&note) {
            assert!(is_gone(sleeper), "{sleeper} is still there");
        }
    }

    #[test]
    fn what_is_called_off_is_ended_at_once() {
        let lab = tempfile::tempdir().unwrap();
        let note = lab.path().join("pid");
        let script = format!("echo $$ > {}; exec sleep 600", note.display());
        let called_off = || written(&note).is_some();
        assert!(matches!(run(&shell(&script), b"", PATIENCE, &called_off), Err(ChildError::Cancelled)));
        assert!(!process::is_alive(written(&note).unwrap()), "it is reaped, too");
    }

    #[test]
    fn a_flood_is_stopped_at_the_limit() {
        let limits = ChildLimits { output: 100_000, ..PATIENCE };
        let flood = run(&shell("exec yes contradicts"), b"", limits, NEVER);
        assert!(matches!(flood, Err(ChildError::TooLong(100_000))), "{flood:?}");
    }

    #[test]
    fn a_helper_left_behind_keeps_nobody_waiting() {
        let began = Instant::now();
        check("sleep 600 & echo done", "", "done\n");
        assert!(began.elapsed() < Duration::from_secs(15));
    }

    #[test]
    fn who_closes_its_output_is_still_waited_for() {
        check("echo done; exec >&-; exit 0", "", "done\n");
        let closed = run(&shell("exec >&-; exit 4"), b"", PATIENCE, NEVER);
        assert!(matches!(closed, Err(ChildError::Failed(_))), "{closed:?}");
    }

    /// Killed; whoever inherited it reaps it a little later.
    fn is_gone(pid: u32) -> bool {
        let state = || std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(5) {
            let is_zombie = state().rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z'));
            if is_zombie || !process::is_alive(pid) {
                return true;
            }
            std::thread::yield_now();
        }
        false
    }
}
