//! How code is written, whatever its language: its comments, its texts of several lines, and its names without joints.

/// How a line of a comment begins.
pub(super) const COMMENTS: [&str; 6] = ["//", "# ", "/*", "* ", "*/", "- "];
/// What begins and ends the text of a definition in Python.
pub(super) const QUOTES: [&str; 2] = ["\"\"\"", "'''"];

/// How often a line begins or ends a text of several lines.
pub(super) fn quotes(line: &str) -> usize {
    QUOTES.iter().map(|quotes| line.matches(quotes).count()).sum()
}

/// In small letters and without joints.
pub(super) fn bare(name: &str) -> String {
    name.chars().filter(|sign| sign.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
