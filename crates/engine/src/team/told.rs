//! What is known of the team at the moment, for whoever asks, and what can be wrong when somebody asks for something.

use serde_json::{Value, json};

use super::{Team, moment};
use lokid_model::Timestamp;
use lokid_team::book::Book;
use lokid_team::relay::Peer;
use lokid_team::sync::Report;

/// Who this machine is to the database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Membership {
    pub member: String,
    pub may_promote: bool,
    pub may_promote_org: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TeamError {
    #[error("the project is opened for reading: another lokid owns it")]
    ReadOnly,
    #[error("the project is in a team already; `lokid team leave` ends that")]
    Elsewhere,
    #[error("the project is in no team; `lokid team join` changes that")]
    Alone,
    #[error("the address of the database: {0}")]
    Address(String),
    #[error("the database cannot be reached: {0}")]
    Away(String),
    #[error("{0}")]
    Refused(String),
    #[error("which team this is cannot be kept: {0}")]
    Kept(String),
    #[error("no memory {0} here that may leave this machine")]
    NotHere(String),
}

/// What the thread last knew.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    pub(super) membership: Option<Membership>,
    pub(super) connected: bool,
    pub(super) items: usize,
    pub(super) cursor: u64,
    pub(super) seq: u64,
    pub(super) waiting: usize,
    pub(super) removals: usize,
    pub(super) received: u64,
    pub(super) sent: u64,
    pub(super) removed: u64,
    pub(super) merged: u64,
    pub(super) refused: u64,
    pub(super) last_pass: Option<Timestamp>,
    pub(super) last_error: Option<(Timestamp, String)>,
    pub(super) paused_until: Option<Timestamp>,
    pub(super) replica: String,
    pub(super) peers: Vec<Peer>,
}

impl Told {
    pub(super) fn count(&mut self, report: &Report) {
        self.received += report.received as u64;
        self.sent += report.sent as u64;
        self.removed += report.removed as u64;
        self.merged += report.merged as u64;
        self.refused += report.refused.len() as u64;
    }
}

impl Team {
    /// How the team fares. Asks nobody.
    pub fn status(&self) -> Value {
        let Some(joined) = self.joined() else { return json!({"joined": false}) };
        let mut told = self.told.lock().clone();
        if self.thread.lock().is_none()
            && let Ok((book, _)) = Book::read(self.book_file(&joined))
        {
            (told.items, told.cursor) = (book.standing(), book.cursor);
        }
        let waiting = {
            let work = self.work.lock();
            if work.all { None } else { Some(work.names.len().max(told.waiting)) }
        };
        let peer = |peer: &Peer| {
            // Of itself it knows more than it last told the others.
            let is_own = peer.replica == told.replica;
            let cursor = if is_own { told.cursor.max(peer.cursor) } else { peer.cursor };
            json!({
                "member": peer.member, "machine": peer.label, "seen_at": peer.seen_at.record_style(),
                "behind": told.seq.saturating_sub(cursor), "is_this_machine": is_own,
            })
        };
        json!({
            "joined": true,
            "database": joined.database,
            "project": joined.project,
            "connected": told.connected,
            "member": told.membership.as_ref().map(|own| own.member.clone()),
            "may_promote": told.membership.as_ref().is_some_and(|own| own.may_promote),
            "may_promote_org": told.membership.as_ref().is_some_and(|own| own.may_promote_org),
            "items": told.items,
            "behind": told.seq.saturating_sub(told.cursor),
            "waiting": waiting,
            "removals_waiting": told.removals,
            "received": told.received,
            "sent": told.sent,
            "removed": told.removed,
            "merged": told.merged,
            "refused": told.refused,
            "conflicts": self.writer.snapshot().open_contradictions(),
            "last_pass": moment(told.last_pass),
            "last_error": told.last_error.as_ref().map(|(at, says)| json!({"at": at.record_style(), "detail": says})),
            "paused_until": moment(told.paused_until),
            "peers": told.peers.iter().map(peer).collect::<Vec<_>>(),
        })
    }
}
