//! What can happen to the memories of a project. The engine decides changes, the store makes them durable, and the
//! same changes are then applied to what readers see.

use std::sync::Arc;

use super::words::vocabulary;
use super::{Contradiction, Key, Link, Memory, MemoryId, Scope, Source, Timestamp};

#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A memory is new or replaces an earlier version of itself.
    Put {
        before: Option<Arc<Memory>>,
        after: Arc<Memory>,
    },
    /// A memory leaves every answer but can be brought back.
    Archive(Arc<Archived>),
    /// An archived memory is back.
    Restore(Arc<Archived>),
    /// A memory is gone from every file; the tombstone keeps it from coming back.
    Purge(Tombstone),
    Link(Link),
    Unlink(Link),
    /// Found, or its status changed: the id tells which.
    Contradict(Contradiction),
    /// One of Loki Mode's documents that are no memories.
    Write(Document),
    /// A memory's file is gone by another hand. Seen, never committed.
    Vanished(Key),
}

vocabulary!(
    /// By whose hand the memory was changed.
    By {
        User = "user",
        Agent = "agent",
        Tool = "tool",
        Git = "git",
        Log = "log",
        Import = "import",
        Mirror = "mirror",
        Team = "team",
        Night = "night",
        /// Another program, or a person in an editor.
        File = "file",
    }
);

impl From<Source> for By {
    fn from(source: Source) -> By {
        match source {
            Source::User => By::User,
            Source::Agent => By::Agent,
            Source::Tool => By::Tool,
            Source::Log => By::Log,
            Source::Git => By::Git,
            Source::Import => By::Import,
            Source::Mirror => By::Mirror,
        }
    }
}

vocabulary!(
    /// What became of a memory, in a word.
    ChangeOp {
        New = "new",
        Changed = "changed",
        Merged = "merged",
        Archived = "archived",
        Restored = "restored",
        Conflict = "conflict",
        Settled = "settled",
        Linked = "linked",
        Unlinked = "unlinked",
    }
);

#[derive(Clone, Debug, PartialEq)]
pub struct Archived {
    pub memory: Arc<Memory>,
    pub at: Timestamp,
    pub reason: String,
}

/// All that is left of a purged memory: enough to recognise it, not enough to read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tombstone {
    pub key: Key,
    pub fingerprint: [u8; 16],
    pub at: Timestamp,
    pub reason: String,
    /// Of the memory: the tombstone stands where that stood.
    pub scope: Scope,
}

const NAMELESS: &str = "purged-";

impl Tombstone {
    /// Of a memory that leaves now: after its last change, whatever the clock says, or a reader of the files would take
    /// the change for the newer.
    pub fn of(memory: &Memory, now: Timestamp, reason: &str) -> Tombstone {
        let (key, at) = (memory.key(), now.max(memory.times.updated_at));
        Tombstone { key, fingerprint: memory.fingerprint(), at, reason: reason.to_owned(), scope: memory.scope }
    }

    /// As it is kept: the id of a skill is made of its name, which goes with the rest.
    pub fn kept(&self) -> Tombstone {
        let digits: String = self.fingerprint[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        let nameless =
            self.key.id.as_str().strip_prefix("skill-").and_then(|_| MemoryId::new(&(NAMELESS.to_owned() + &digits)));
        match nameless {
            Some(id) => Tombstone { key: Key::new(&self.key.namespace, &id), ..self.clone() },
            None => self.clone(),
        }
    }

    /// Only what was said tells what it means.
    pub fn is_nameless(&self) -> bool {
        self.key.id.as_str().starts_with(NAMELESS)
    }
}

/// Loki Mode's documents that are kept whole and not interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DocumentKind {
    Ledger,
    Handoff,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    pub kind: DocumentKind,
    /// The file's stem: an agent's name for a ledger, an id for a handoff.
    pub name: String,
    /// One that says nothing is taken away.
    pub body: serde_json::Map<String, serde_json::Value>,
}

impl Document {
    pub fn is_erased(&self) -> bool {
        self.body.is_empty()
    }
}

impl Change {
    /// The keys of all memories a change names.
    pub fn keys(&self) -> Vec<Key> {
        match self {
            Change::Purge(tombstone) => vec![tombstone.key.clone()],
            Change::Vanished(key) => vec![key.clone()],
            Change::Link(link) | Change::Unlink(link) => {
                vec![Key::new(&link.namespace, &link.from), Key::new(&link.namespace, &link.to)]
            }
            Change::Contradict(found) => {
                vec![Key::new(&found.namespace, &found.a), Key::new(&found.namespace, &found.b)]
            }
            _ => self.memory().map(|memory| memory.key()).into_iter().collect(),
        }
    }

    /// The memory a change is about, where it is about one.
    pub fn memory(&self) -> Option<&Arc<Memory>> {
        match self {
            Change::Put { after, .. } => Some(after),
            Change::Archive(archived) | Change::Restore(archived) => Some(&archived.memory),
            Change::Purge(_)
            | Change::Link(_)
            | Change::Unlink(_)
            | Change::Contradict(_)
            | Change::Write(_)
            | Change::Vanished(_) => None,
        }
    }
}
