//! The hall where the rooms meet: one writer a project, many readers of an immutable snapshot.
//!
//! One turn: *decide* what an event means (pure), *commit* it to disk (the only step that can fail), *apply* it to the
//! state, *publish* the new snapshot, and only then reply. So what is published is durable, and what was replied is
//! published.

pub mod care;
mod commits;
mod company;
pub mod context;
mod decide;
mod derived;
mod ears;
pub mod economy;
mod error;
mod event;
pub mod eyes;
mod feed;
pub mod foresight;
pub mod ground;
mod identity;
mod import;
pub mod judge;
mod layers;
mod neighbour;
pub mod night;
pub mod past;
mod place;
mod project;
pub mod recall;
pub mod redaction;
mod registry;
pub mod replay;
mod review;
mod run;
pub mod search;
pub mod strategy;
mod tidy;
pub mod usage;
pub mod why;

pub use decide::etag;
pub use ears::Overheard;
pub use error::{EngineError, ProjectError};
pub use event::{ImportError, Imported, Remembered};
pub use feed::{Feed, Follower, Happening, News};
pub use project::{Counters, Pending, Project};
pub use registry::{KnownProject, Registry, strip_at, traces_at};
