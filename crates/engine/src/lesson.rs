//! What a repository teaches by itself, chapter by chapter, as it is handed from who reads it to the writer.

use std::sync::Arc;

use lokid_model::{Memory, MemoryId, Relation};

/// The parts of what a repository teaches, each replaced as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Chapter {
    History,
    Documents,
    Code,
    Newcomer,
    Habits,
    /// What Loki Mode's timeline says was decided: read with its other files and never kept.
    Timeline,
    /// What the memory stores hold that is not known here.
    Borrowed,
    /// What all teams of the organisation share.
    Organisation,
}

impl Chapter {
    /// Those that are read from the repository.
    pub const ALL: [Chapter; 5] =
        [Chapter::History, Chapter::Documents, Chapter::Code, Chapter::Newcomer, Chapter::Habits];

    pub fn as_str(self) -> &'static str {
        match self {
            Chapter::History => "history",
            Chapter::Documents => "documents",
            Chapter::Code => "code",
            Chapter::Newcomer => "facts",
            Chapter::Habits => "habits",
            Chapter::Timeline => "timeline",
            Chapter::Borrowed => "borrowed",
            Chapter::Organisation => "organisation",
        }
    }
}

/// What one chapter teaches.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Lesson {
    pub(super) memories: Vec<Arc<Memory>>,
    pub(super) links: Vec<(MemoryId, MemoryId, Relation)>,
}
