//! A team's memory over git: what two branches made of one file.

pub use lokid_store::merge::{Unmergeable, merge_file};
