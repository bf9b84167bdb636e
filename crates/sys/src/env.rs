//! The environment the process was started in: variables, the working directory, and whether a person is watching.
//!
//! It reads and never sets: a changed variable would be seen by every thread at once.

use std::io::{self, IsTerminal};
use std::os::unix::fs::MetadataExt;
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

/// The user's home, when it is told as an absolute path.
pub fn home_dir() -> Option<PathBuf> {
    etcetera::home_dir().ok().filter(|home| home.is_absolute())
}

/// The file of the running program, without links. An error when it was removed or replaced meanwhile.
pub fn current_program() -> io::Result<PathBuf> {
    std::env::current_exe()?.canonicalize()
}

/// The file that a shell would run for this name: the first one on `$PATH` that may be executed, or the path itself.
pub fn program(name: &str) -> Option<PathBuf> {
    let runs = |path: &PathBuf| path.metadata().is_ok_and(|found| found.is_file() && found.mode() & 0o111 != 0);
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(runs);
    }
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(name)).find(runs)
}

pub fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}

pub fn stderr_is_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Does the standard error lead into the journal? The variable alone does not tell: whatever a service starts, a
/// terminal for one, inherits it.
pub fn stderr_is_journal() -> bool {
    let found = rustix::fs::fstat(io::stderr()).ok();
    let own = found.map(|found| format!("{}:{}", found.st_dev, found.st_ino));
    own.is_some() && var("JOURNAL_STREAM") == own
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
    fn the_program_knows_its_own_file() {
        assert!(current_program().unwrap().is_file());
    }

    #[test]
    fn a_program_is_found_by_its_name_and_by_its_path() {
        assert!(program("sh").is_some_and(|path| path.is_absolute()));
        assert_eq!(program("/bin/sh"), Some("/bin/sh".into()));
        assert_eq!(program("lokid-test-surely-absent"), None);
        assert_eq!(program("/etc/passwd"), None);
    }

    #[test]
    fn a_set_variable_is_read() {
        assert!(var("CARGO_MANIFEST_DIR").is_some(), "cargo sets it for tests");
        assert!(var_path("CARGO_MANIFEST_DIR").is_some_and(|path| path.is_absolute()));
    }
}
