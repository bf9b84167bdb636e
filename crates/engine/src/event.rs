//! Everything that can wake a project's writer: one closed list.

use tokio::sync::oneshot;

use super::error::EngineError;
use super::lesson::{Chapter, Lesson};
use super::logged::{LeftAsItIs, LoggedChange};
use super::pattern::{Pattern, Redacted};
use lokid_manage::plan::Proposal;
use lokid_model::{
    By, Contradiction, Document, Draft, Key, Link, Memory, MemoryId, Namespace, Patch, Relation, Resolution, Tier,
    Timestamp,
};
use lokid_team::ItemKey;
use lokid_team::sync::{Incoming, Us};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) type Reply<T> = oneshot::Sender<Result<T, EngineError>>;

pub(super) enum Event {
    Remember {
        draft: Box<Draft>,
        reply: Reply<Remembered>,
    },
    Import {
        records: Vec<(u64, Draft)>,
        trust: Trust,
        reply: Reply<Imported>,
    },
    Patch {
        key: Key,
        patch: Box<Patch>,
        if_match: Option<String>,
        by: By,
        reply: Reply<Arc<Memory>>,
    },
    Forget {
        keys: Vec<Key>,
        reason: String,
        purge: bool,
        by: By,
        reply: Reply<Vec<Key>>,
    },
    Restore {
        key: Key,
        by: By,
        reply: Reply<Arc<Memory>>,
    },
    Link {
        namespace: Namespace,
        from: MemoryId,
        to: MemoryId,
        relation: Relation,
        by: By,
        reply: Reply<Link>,
    },
    /// What the night proposes, made from an earlier snapshot; and when it began, where it is one.
    Tidy {
        proposals: Vec<Proposal>,
        night: Option<Timestamp>,
        reply: Reply<Tidied>,
    },
    Resolve {
        namespace: Namespace,
        id: String,
        resolution: Resolution,
        note: String,
        by: By,
        reply: Reply<Contradiction>,
    },
    /// Take back what was done together, each group as a whole or not at all.
    Undo {
        groups: Vec<Vec<LoggedChange>>,
        by: By,
        /// Of each group what needed no taking back, or why it stays.
        reply: Reply<Vec<Result<LeftAsItIs, String>>>,
    },
    Confirm {
        key: Key,
        tier: Option<Tier>,
        by: By,
        reply: Reply<Arc<Memory>>,
    },
    /// What files ask to be, confirmed or taken back.
    Trust {
        request: TrustRequest,
        reply: Reply<Vec<Claimant>>,
    },
    Write {
        document: Box<Document>,
        reply: Reply<()>,
    },
    /// Nothing is to be done: the turn itself is the answer.
    Beat,
    /// What the project is about now, as `CONTINUITY.md` tells it.
    Focus(serde_json::Value),
    /// What a part of the repository teaches by itself, in place of what it taught before.
    Derived {
        chapter: Chapter,
        lesson: Lesson,
        /// Dropped when it is taken in.
        taken: crossbeam_channel::Sender<()>,
    },
    /// What memory cost and saved, as it is to stand beside it.
    Economics(serde_json::Map<String, serde_json::Value>),
    /// What stands in the team's database, and whoever this machine is there; `sign` are memories of this machine that
    /// say so from now on.
    Team {
        incoming: Vec<Incoming>,
        sign: Vec<Key>,
        us: Us,
        /// What could not be taken in.
        reply: Reply<BTreeSet<ItemKey>>,
    },
    /// Make the words of these unreadable that match.
    Redact {
        keys: Vec<Key>,
        pattern: Arc<Pattern>,
        reason: String,
        reply: Reply<Vec<Redacted>>,
    },
    /// Count the lines that newer ones have replaced and that match; with `strike`, take them out.
    History {
        pattern: Arc<Pattern>,
        strike: bool,
        reply: Reply<usize>,
    },
    /// Take out of the files what newer lines have replaced.
    Shorten {
        reply: Reply<()>,
    },
    /// Look at the files again.
    Rescan {
        reply: Option<Reply<()>>,
    },
    Stop,
}

/// Which of a batch of proposals were carried out, in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct Tidied {
    pub(super) done: Vec<bool>,
}

/// Who brings records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// A file, which may claim anything.
    File,
    /// Somebody who vouches for it.
    Vouched,
    /// The daemon itself, which saw it happen: what a person changed or forgot since stays that way.
    Seen,
}

/// What somebody wants to do about the authority that files ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrustRequest {
    /// Only tell who asks for more than they have.
    List,
    /// Confirm all of them, those with these keys, or those of these authors.
    All,
    Keys(Vec<Key>),
    Authors(Vec<String>),
    /// Take back what was confirmed.
    Revoke(Vec<Key>),
}

/// A memory that asks for more authority than it has, or did until now.
#[derive(Clone, Debug)]
pub struct Claimant {
    pub memory: Arc<Memory>,
    /// Where it stands, from the root of the repository.
    pub file: Option<String>,
}

/// What became of a record that was to be remembered.
#[derive(Clone, Debug)]
pub struct Remembered {
    pub id: MemoryId,
    pub created: bool,
    pub merged_into: Option<MemoryId>,
    pub contradictions: Vec<Contradiction>,
}

/// What became of a batch of an import.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    pub imported: u64,
    pub updated: u64,
    pub skipped: u64,
    pub errors: Vec<ImportError>,
}

#[derive(Clone, Debug)]
pub struct ImportError {
    pub line: u64,
    pub code: &'static str,
    pub detail: String,
}
