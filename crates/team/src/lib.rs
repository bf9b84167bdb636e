//! A memory that several people and machines share: over git, and over a PostgreSQL database that carries what one of them
//! says to the others.
//!
//! The files of each machine are the truth. The database is a projection of them that can be lost and made again, and
//! nothing here runs unless a project has joined a team.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod book;
pub mod git;
pub mod item;
pub mod limits;
pub mod merge;
pub mod projection;
pub mod relay;
pub mod sync;

pub use item::{Endorsement, Head, HeadState, ItemKey, ItemKind, Op, Outcome};
