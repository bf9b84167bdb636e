//! The environment the process was started in: variables, the working directory, and whether a person is watching.
//!
//! It reads and never sets: a changed variable would be seen by every thread at once.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

/// A variable that is set and is UTF-8; it may be empty.
pub fn var(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// A variable that names a path. An empty one counts as absent.
pub fn var_path(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

pub fn current_dir() -> io::Result<PathBuf> {
    std::env::current_dir()
}

pub fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}

pub fn stderr_is_terminal() -> bool {
    io::stderr().is_terminal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absent_variable_is_none() {
        assert_eq!(var("LOKID_TEST_SURELY_ABSENT"), None);
        assert_eq!(var_path("LOKID_TEST_SURELY_ABSENT"), None);
    }

    #[test]
    fn a_set_variable_is_read() {
        assert!(var("CARGO_MANIFEST_DIR").is_some(), "cargo sets it for tests");
        assert!(var_path("CARGO_MANIFEST_DIR").is_some_and(|path| path.is_absolute()));
    }
}
