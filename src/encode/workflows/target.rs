//! A named piece of work as a build file states it. It must not know any notation: the readers beside it hand them over.

pub(super) const MOST_BYTES: usize = 512 << 10;
pub(super) const MOST_TARGETS: usize = 200;
pub(super) const MOST_COMMANDS: usize = 40;

#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::encode) struct Target {
    pub(in crate::encode) name: String,
    /// Targets that come first, in order.
    pub(in crate::encode) before: Vec<String>,
    pub(in crate::encode) commands: Vec<String>,
    /// Targets that come last.
    pub(in crate::encode) after: Vec<String>,
    /// What its author says of it.
    pub(in crate::encode) about: String,
    /// A step of others that nobody types.
    pub(in crate::encode) hidden: bool,
}
