//! What readers see: an immutable picture of a project's memory, and the derived indexes over it.

pub mod snapshot;
pub mod topics;

pub use snapshot::Snapshot;
