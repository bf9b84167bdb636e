//! Turning what happens into memories, and memories into shorter ones or vectors. Pure: no files, no clock.

pub mod compress;
pub mod embed;
