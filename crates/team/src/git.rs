//! A team's memory over git: what two branches made of one file, and how git is told whom to ask.

pub mod attributes;

pub use lokid_store::merge::{Unmergeable, merge_file};
