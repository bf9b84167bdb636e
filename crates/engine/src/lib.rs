//! The hall where the rooms meet: one writer a project, many readers of an immutable snapshot.
//!
//! One turn: *decide* what an event means (pure), *commit* it to disk (the only step that can fail), *apply* it to the
//! state, *publish* the new snapshot, and only then reply. So what is published is durable, and what was replied is
//! published.

mod authority;
mod borrowing;
pub mod browse;
mod bundle;
pub mod changes;
mod commits;
mod commons;
mod company;
pub mod conflict;
pub mod contexts;
mod decide;
mod ears;
mod env;
mod error;
mod event;
pub mod eyes;
mod feed;
pub mod focus;
mod follow;
pub mod ground;
mod identity;
mod import;
mod inbox;
mod incoming;
pub mod judge;
mod lesson;
pub mod logged;
pub mod memory_care;
pub mod mirror;
pub mod mutes;
pub mod night;
pub mod past;
pub mod pattern;
mod pieces;
mod place;
mod prefetch;
mod project;
pub mod recall;
mod redact;
pub mod redaction;
mod registry;
pub mod replay;
mod repository;
mod review;
pub mod said;
pub mod search;
pub mod sessions;
mod signals;
pub mod staging;
pub mod strategy;
pub mod team;
mod tidy;
mod trees;
pub mod undo;
pub mod usage;
pub mod why;
mod writer;

pub use decide::etag;
pub use ears::{Ears, Overheard};
pub use env::Env;
pub use error::{EngineError, ProjectError};
pub use event::{Claimant, ImportError, Imported, Remembered, TrustRequest};
pub use feed::{Feed, FeedFollower, Happening, News};
pub use inbox::{Counters, Pending, WriterHandle};
pub use lesson::Chapter;
pub use prefetch::Prefetch;
pub use project::Project;
pub use registry::{KnownProject, Registry, strip_at, traces_at};
pub use repository::Repository;
pub use signals::Signals;
