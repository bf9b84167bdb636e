//! What the tests of several rooms share. Never part of the program: only dev-dependencies name it.

#![allow(clippy::print_stderr, clippy::unwrap_used, clippy::disallowed_methods)]

pub mod git;
pub mod postgres;
pub mod stores;
pub mod years;
