//! Structures that recur in a repository: how its endpoints, tests, errors and commands are usually written.
//!
//! Each definition is reduced to a [`Shape`], the salient calls, attributes and bases in their order, once a file. What
//! the shapes of one role have in common is then mined over all files at once; that part needs no text.

mod callee;
mod choose;
mod mine;
mod render;
mod role;
mod role_words;
pub(super) mod shape;
mod signature;
mod steps;
mod trivial;

#[cfg(test)]
mod tests;

use super::{Language, Parser};

/// One definition, reduced to what may recur. Strings and numbers only, so that it can be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// What it is for: endpoint, test, error type, config block, handler, command, model, component, hook …
    pub role: String,
    /// What it shares with others of its role by name: a base class, an interface, the verb of its name. Often empty.
    pub family: String,
    pub name: String,
    pub line: u32,
    /// The normalised skeleton in one line.
    pub template: String,
    pub steps: Vec<String>,
}

/// The shapes of one file.
#[derive(Debug, Clone, Copy)]
pub struct FileShapes<'a> {
    pub path: &'a str,
    pub language: Language,
    pub shapes: &'a [Shape],
}

/// A structure that recurs.
#[derive(Debug, Clone, PartialEq)]
pub struct CodePattern {
    /// Follows from the template, the role and the language alone, so it stays while they do.
    pub key: String,
    pub role: String,
    /// One line: `endpoint: post→safeParse→status→json`.
    pub hint: String,
    /// The skeleton over several lines, in the manner of the language.
    pub template: String,
    /// How many definitions follow it.
    pub support: usize,
    /// Up to eight files that do, sorted.
    pub files: Vec<String>,
    pub language: Language,
    /// What the patterns are sorted by, the greatest first.
    pub score: f64,
}

/// The shapes of one file. [`Parser::study`] gives them together with the outline.
pub fn shapes(parser: &mut Parser, language: Language, path: &str, text: &str) -> Vec<Shape> {
    parser.study(language, path, text).shapes
}

/// The patterns of a repository, at most forty, the weightiest first. The order of the files does not matter.
pub fn find(files: &[FileShapes<'_>]) -> Vec<CodePattern> {
    choose::patterns(files)
}
