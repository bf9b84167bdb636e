//! What is handed out, and in which portions: what will be needed, what of it fits, and what it cost.
//!
//! Pure: snapshots, clues and budgets in, text and numbers out. Nothing here reads a file or a clock.

pub mod assemble;
pub mod disclose;
pub mod economics;
pub mod gate;
pub mod gather;
#[cfg(test)]
mod lab;
pub mod layers;
pub mod parts;
pub mod predict;
pub mod replay;
pub mod session;
pub mod situation;
pub mod sources;
pub mod task;
