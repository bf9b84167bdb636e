//! What readers see: an immutable picture of a project's memory, and the derived indexes over it.
//!
//! `snapshot` is the truth. The rest finds things in it by words (`text`), by meaning (`meaning`, `vector`) and by who
//! was there (`occasion`); `search` keeps them together. All of it can be deleted and is made again from the memories.

pub mod analyze;
pub mod cochange;
pub mod commits;
mod glance;
pub mod meaning;
pub mod occasion;
mod packed;
pub mod passages;
pub mod places;
pub mod roster;
pub mod search;
pub mod searchable;
mod sketch;
pub mod snapshot;
pub mod subjects;
pub mod text;
pub mod topics;
pub mod vector;

pub use snapshot::Snapshot;
