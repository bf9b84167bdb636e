//! Keeping what is remembered in order: what says the same is one memory. Pure: decides, never writes.

pub mod duplicate;
pub mod promote;
