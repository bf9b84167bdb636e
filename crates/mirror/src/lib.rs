//! The mirror: a copy of what may leave this machine in Anthropic's memory stores, and what is read from there.
//!
//! What stands on this machine is the truth; the copy can be lost and made again. Nothing here runs, no file is made and
//! no connection opened unless the flags of `[managed]` ask for it.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod api;
pub mod augment;
pub mod events;
pub mod key;
pub mod layer;
pub mod limits;
pub mod mapping;
pub mod promote;
pub mod queue;
pub mod shadow;
pub mod verdict;
pub mod versions;

pub use api::{ApiError, Stores};
pub use events::{EventKind, Events};
pub use key::{KeyError, KeyKind};
