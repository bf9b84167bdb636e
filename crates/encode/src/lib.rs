//! Turning what happens into memories, and memories into shorter ones or vectors. Pure: no files, no clock.

pub mod code;
pub mod commits;
pub mod compress;
pub mod continuity;
pub mod documents;
pub mod errors;
mod excerpt;
pub mod newcomer;
pub mod own_words;
mod prose;
pub mod redact;
pub mod traces;
pub mod transcript;
pub mod workflows;
mod yaml;
