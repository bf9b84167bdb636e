//! A memory that several people and machines share.

mod git;
mod staged;
