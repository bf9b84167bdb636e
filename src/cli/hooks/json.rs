//! JSON as text: a scanner that remembers where everything stands, and edits that leave every other byte alone.
//!
//! Settings belong to people: their order, comments, indentation and line ends are kept. Nothing here knows hooks or
//! files.

mod edit;
mod scan;
mod style;

#[cfg(test)]
mod tests;

pub(super) use edit::{insert, put_text, remove};
pub(super) use scan::{Allowed, Kind, Node, Problem, parse};
pub(super) use style::{JsonStyle, render};

/// One step down: a member by its name, or an element by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step<'a> {
    Key(&'a str),
    At(usize),
}
