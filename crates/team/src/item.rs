//! What travels between machines: items by name, the operations that change them, and the heads that stand in the database.

use lokid_model::Timestamp;
use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemKind {
    Memory,
    Link,
    Contradiction,
}

impl ItemKind {
    pub const ALL: [ItemKind; 3] = [ItemKind::Memory, ItemKind::Link, ItemKind::Contradiction];

    pub fn as_str(self) -> &'static str {
        match self {
            ItemKind::Memory => "memory",
            ItemKind::Link => "link",
            ItemKind::Contradiction => "contradiction",
        }
    }

    pub fn parse(word: &str) -> Option<ItemKind> {
        ItemKind::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// What an item is called, everywhere the same. The name of a memory is its id, that of a link `FROM RELATION TO`, that of
/// a contradiction `ID A B`: what speaks of a memory is found by its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemKey {
    pub kind: ItemKind,
    pub namespace: String,
    pub name: String,
}

impl ItemKey {
    pub fn new(kind: ItemKind, namespace: &str, name: impl Into<String>) -> ItemKey {
        ItemKey { kind, namespace: namespace.to_owned(), name: name.into() }
    }

    /// Is this a link or a contradiction that speaks of the memory of that id?
    pub fn names(&self, id: &str) -> bool {
        self.kind != ItemKind::Memory && self.name.split(' ').any(|word| word == id)
    }
}

/// One change of one item, as a machine wants it to stand in the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Op {
    pub item: ItemKey,
    /// Counts the operations of this machine: one that arrives twice is taken once.
    pub index: u64,
    /// Microseconds of a hybrid logical clock: later than everything this machine had seen.
    pub hlc: i64,
    /// The version that was changed; 0 for an item that was not known to the database.
    pub base: u64,
    /// The whole record as it stands now, or nothing for one that was forgotten.
    pub record: Option<Value>,
}

/// What became of an operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It stands in the log, now or since an earlier attempt.
    Taken {
        version: u64,
    },
    /// Somebody else was there before: this stands now, and the operation has to be made anew from it.
    Behind(Box<Head>),
    /// The item, or what it says, was purged and does not come back.
    Purged,
    Refused(String),
}

/// An item as it stands in the database.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    pub item: ItemKey,
    /// Where in the log its last operation stands: what was read up to here need not be read again.
    pub seq: u64,
    /// Counts the operations on this item from 1, without a gap.
    pub version: u64,
    pub state: HeadState,
    /// Who wrote this version, by the database's word.
    pub author: String,
    pub at: Timestamp,
    pub hlc: i64,
    /// Whether a promoter of the team stands behind it.
    pub endorsed: Option<Endorsement>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum HeadState {
    Live(Value),
    Forgotten,
    /// `fingerprint` is the hash by which its content would be known again, in hex.
    Purged {
        fingerprint: String,
    },
}

/// A promoter read these very words and wants them to bind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endorsement {
    /// A hash of the words.
    pub print: String,
    pub tier: String,
    pub by: String,
    pub at: Timestamp,
}
