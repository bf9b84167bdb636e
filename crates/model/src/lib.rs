//! The language all rooms speak: what a memory is, what may happen to it, and when.
//!
//! Plain data and pure functions. Nothing here reads a file, a clock or the environment, and nothing here knows how
//! a memory looks on disk or on the wire.

pub mod change;
pub mod citation;
pub mod clean;
pub mod commit;
pub mod conflict;
pub mod contradiction;
pub mod draft;
pub mod id;
pub mod layer;
pub mod lengths;
pub mod link;
pub mod memory;
pub mod noise;
pub mod problem;
pub mod rare;
pub mod render;
pub mod signal;
pub mod staged;
pub mod texts;
pub mod time;
pub mod token;
pub mod unseen;
pub mod words;

pub use change::{Archived, By, Change, ChangeOp, Document, DocumentKind, Tombstone};
pub use clean::{Cleaned, Cleaner};
pub use commit::{Commit, FileChange, FileStatus};
pub use conflict::Conflict;
pub use contradiction::{Contradiction, ContradictionStatus, Resolution, Settled, Verdict};
pub use draft::{Draft, Patch};
pub use id::{Key, MemoryId, Namespace};
pub use layer::{LayerDocuments, Neighbour};
pub use link::Link;
pub use memory::{
    Action, Anchors, AntiPattern, Body, CommonError, Episode, EpisodeError, Extra, Fact, Learning, Memory, Pattern,
    Shorter, Skill, Times, Usage,
};
pub use problem::Problem;
pub use rare::Rare;
pub use signal::{Signal, SignalKind};
pub use staged::Staged;
pub use time::Timestamp;
pub use words::{Kind, Level, Outcome, Relation, Scope, Source, Status, TaskType, Tier};
