//! Keeping what is remembered in order: what says the same becomes one, what happened again and again becomes a pattern,
//! what cannot both hold is found, what nobody needs leaves. Pure: proposes, never writes.

pub mod age;
pub mod connect;
pub mod contradict;
pub mod errors;
pub mod forget;
pub mod judge;
#[cfg(test)]
pub(crate) mod lab;
pub mod learn;
mod made;
mod marks;
pub mod merge;
pub mod plan;
pub mod promote;
pub mod schedule;
pub mod skills;
pub mod stale;
pub mod statement;
pub mod undone;
pub mod words;
mod worth;
