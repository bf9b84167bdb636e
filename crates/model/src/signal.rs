//! Something that happened in a project: a hint about what is being worked on.

use super::words::vocabulary;
use super::{Outcome, Timestamp};

vocabulary!(
    /// What happened.
    SignalKind {
        FileOpened = "file_opened",
        FileEdited = "file_edited",
        BranchCheckout = "branch_checkout",
        Error = "error",
        SessionStart = "session_start",
        SessionEnd = "session_end",
        TaskStart = "task_start",
        TaskComplete = "task_complete",
        PhaseChange = "phase_change",
        CollaboratorJoined = "collaborator_joined",
    }
);

#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    pub at: Timestamp,
    pub kind: SignalKind,
    pub path: Option<String>,
    pub branch: Option<String>,
    pub text: Option<String>,
    pub goal: Option<String>,
    pub session: Option<String>,
    pub agent: Option<String>,
    pub author: Option<String>,
    pub outcome: Option<Outcome>,
    /// The linked working tree it happened in; nothing for the main one.
    pub worktree: Option<String>,
}

impl Signal {
    pub fn new(at: Timestamp, kind: SignalKind) -> Signal {
        Signal {
            at,
            kind,
            path: None,
            branch: None,
            text: None,
            goal: None,
            session: None,
            agent: None,
            author: None,
            outcome: None,
            worktree: None,
        }
    }
}
