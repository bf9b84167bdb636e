//! Changes that belong together, and whose they are: what the writer tells those who keep account of it.

use lokid_manage::plan::{Phase, Proposal};
use lokid_model::{By, Change, Timestamp};

#[derive(Clone, Debug)]
pub(super) struct Bundle {
    pub(super) by: By,
    /// For a person; empty where there is nothing to say.
    pub(super) why: String,
    /// When the night began that did it,
    pub(super) night: Option<Timestamp>,
    /// and in which part of it. Also without a night, where something was learnt in passing.
    pub(super) phase: Option<Phase>,
    /// The earlier changes that it takes back, by their group.
    pub(super) undoes: Option<String>,
    pub(super) changes: Vec<Change>,
}

impl Bundle {
    pub(super) fn by(by: By, why: impl Into<String>, changes: Vec<Change>) -> Bundle {
        Bundle { by, why: why.into(), night: None, phase: None, undoes: None, changes }
    }

    /// All but the changes; where nobody said why, what the first of them says itself.
    pub(super) fn bare(&self) -> Bundle {
        let why = match self.changes.first().filter(|_| self.why.is_empty()) {
            Some(Change::Archive(entry)) => &entry.reason,
            Some(Change::Vanished(_)) => "its file is gone",
            _ => self.why.as_str(),
        };
        Bundle { why: why.to_owned(), undoes: self.undoes.clone(), changes: Vec::new(), ..*self }
    }

    pub(super) fn of(proposal: &Proposal, night: Option<Timestamp>, changes: Vec<Change>) -> Bundle {
        Bundle { night, phase: Some(proposal.phase), ..Bundle::by(By::Night, &proposal.why, changes) }
    }
}
