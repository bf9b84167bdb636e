//! Turning what happens into memories, and memories into shorter ones. Pure: no files, no clock.

pub mod compress;
