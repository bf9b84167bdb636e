//! Why a command did not do what it was asked: the exit code, the message and the way on.
//!
//! Errors arrive as `anyhow` chains; only what a script may branch on (the exit code) is told apart here.

use std::fmt::Display;
use std::io;
use std::path::Path;

/// What every command hands back.
pub(super) type Done = Result<(), Failure>;

/// The command ran and failed.
const FAILED: u8 = 1;
/// It was asked in a way that cannot work: bad usage or bad configuration.
const MISUSED: u8 = 2;
/// It needs the daemon, and there is none.
const UNREACHABLE: u8 = 3;

#[derive(Debug)]
pub(super) struct Failure {
    pub(super) code: u8,
    /// `None` when everything worth saying has been said.
    pub(super) error: Option<anyhow::Error>,
    pub(super) hint: Option<String>,
}

impl Failure {
    pub(super) fn new(message: impl Display) -> Failure {
        Failure { code: FAILED, error: Some(anyhow::anyhow!("{message}")), hint: None }
    }

    pub(super) fn usage(message: impl Display) -> Failure {
        Failure { code: MISUSED, ..Failure::new(message) }
    }

    /// No daemon answers at `socket`, and the command cannot do without.
    pub(super) fn no_daemon(socket: &Path) -> Failure {
        let message = format!("no daemon at {}; start one with `lokid run`", socket.display());
        Failure { code: UNREACHABLE, ..Failure::new(message) }
    }

    pub(super) fn is_unreachable(&self) -> bool {
        self.code == UNREACHABLE
    }

    /// Failed, and the reader has been told already.
    pub(super) fn told() -> Failure {
        Failure { code: FAILED, error: None, hint: None }
    }

    /// Nobody reads what is printed any more (`lokid export | head`): that is no failure.
    pub(super) fn printing(error: io::Error) -> Failure {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Failure { code: 0, error: None, hint: None };
        }
        Failure::from(anyhow::Error::new(error).context("cannot write to the standard output"))
    }

    pub(super) fn hint(self, hint: impl Into<String>) -> Failure {
        Failure { hint: Some(hint.into()), ..self }
    }

    /// What stands on the standard error at the end.
    pub(super) fn message(&self) -> Option<String> {
        let error = self.error.as_ref()?;
        // A name may hold a line break: what stands behind one is set in, so that it passes for no line of ours.
        let set_in = |text: String| text.replace('\n', "\n  ");
        let hint = self.hint.as_ref().map(|hint| format!("\nhint: {}", set_in(hint.clone()))).unwrap_or_default();
        Some(format!("lokid: {}{hint}", set_in(format!("{error:#}"))))
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Failure {
        Failure { code: FAILED, error: Some(error), hint: None }
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn a_chain_reads_from_what_to_why_and_the_hint_stands_below() {
        let error = Err::<(), _>(io::Error::other("disk full")).context("cannot write x").unwrap_err();
        let failure = Failure::from(error).hint("make room");
        assert_eq!(failure.message().as_deref(), Some("lokid: cannot write x: disk full\nhint: make room"));
        assert_eq!(failure.code, 1);
    }

    #[test]
    fn a_closed_pipe_is_a_quiet_success() {
        let failure = Failure::printing(io::ErrorKind::BrokenPipe.into());
        assert_eq!((failure.code, failure.message()), (0, None));
        assert_eq!(Failure::printing(io::ErrorKind::StorageFull.into()).code, 1);
    }

    #[test]
    fn a_missing_daemon_is_named_with_the_way_to_start_one() {
        let failure = Failure::no_daemon(Path::new("/run/x.sock"));
        assert_eq!(failure.message().as_deref(), Some("lokid: no daemon at /run/x.sock; start one with `lokid run`"));
        assert_eq!(failure.code, 3);
    }
}
