//! Understanding source code: what a file defines and imports, which files its imports mean, and which structures
//! recur in a repository. Text in, values out; reading files, and remembering what was found, is for others.
//!
//! A file is read with tree-sitter and a walk by hand: no query is compiled, nothing recurses deeper than a fixed
//! bound, and a text that takes too long is given up after a counted number of steps, never by a clock.

mod area;
mod doc;
mod language;
mod node;
mod outline;
mod parser;
pub mod pattern;
mod resolve;
#[cfg(test)]
mod tests;
mod unread;

pub use area::module_of;
pub use language::Language;
pub use outline::{Definition, DefinitionKind, Import, Outline};
pub use parser::{Parser, Study};
pub use resolve::{FileSet, Files, GoModule, resolve};
pub(crate) use resolve::{join, parts};
pub use unread::Unread;
