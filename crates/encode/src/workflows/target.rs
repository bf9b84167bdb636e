//! A named piece of work as a build file states it. It must not know any notation: the readers beside it hand them over.

pub(super) const MOST_BYTES: usize = 512 << 10;
pub(super) const MOST_TARGETS: usize = 200;
pub(super) const MOST_COMMANDS: usize = 40;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Target {
    pub(crate) name: String,
    /// Targets that come first, in order.
    pub(crate) before: Vec<String>,
    pub(crate) commands: Vec<String>,
    /// Targets that come last.
    pub(crate) after: Vec<String>,
    /// What its author says of it.
    pub(crate) about: String,
    /// A step of others that nobody types.
    pub(crate) hidden: bool,
}
