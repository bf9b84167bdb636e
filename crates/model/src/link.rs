//! A directed, named connection between two memories of one namespace.

use super::{MemoryId, Namespace, Relation, Timestamp};

#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    pub namespace: Namespace,
    pub from: MemoryId,
    pub to: MemoryId,
    pub relation: Relation,
    /// 0 to 1.
    pub strength: f64,
    pub created_at: Timestamp,
    /// Somebody else wrote it into the record of `from`: it stands there, and only they take it back.
    pub inline: bool,
}

/// What makes two links the same link, in the order they are kept and written.
pub type LinkKey = (Namespace, MemoryId, Relation, MemoryId);

impl Link {
    /// As strong as can be, and our own.
    pub fn new(namespace: Namespace, from: MemoryId, relation: Relation, to: MemoryId, created_at: Timestamp) -> Link {
        Link { namespace, from, to, relation, strength: 1.0, created_at, inline: false }
    }

    pub fn key(&self) -> LinkKey {
        (self.namespace.clone(), self.from.clone(), self.relation, self.to.clone())
    }

    pub fn touches(&self, id: &MemoryId) -> bool {
        self.from == *id || self.to == *id
    }
}
