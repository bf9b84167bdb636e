//! Where lokid's own files lie: configuration, state, cache, data, and the socket of its daemon.
//!
//! The XDG base directory specification decides, also on macOS, where only the socket lies elsewhere. Nothing is created
//! here.

use std::path::{Path, PathBuf};

use super::env;

const NAME: &str = "lokid";

/// Every path already ends in `lokid`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dirs {
    pub config: PathBuf,
    pub state: PathBuf,
    pub cache: PathBuf,
    pub data: PathBuf,
    pub runtime: Option<PathBuf>,
    /// `~/Library/Application Support/lokid`, on macOS only: there is no runtime directory there.
    application_support: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub enum DirsError {
    #[error("cannot find the home directory: $HOME is not set to an absolute path")]
    NoHome,
}

impl Dirs {
    pub fn from_env() -> Result<Dirs, DirsError> {
        let home = etcetera::home_dir().ok().filter(|home| home.is_absolute()).ok_or(DirsError::NoHome)?;
        Ok(Dirs::resolve(&home, env::var_path, cfg!(target_os = "macos")))
    }

    /// A private set of directories below `root`.
    pub fn under(root: &Path) -> Dirs {
        Dirs {
            config: root.join("config").join(NAME),
            state: root.join("state").join(NAME),
            cache: root.join("cache").join(NAME),
            data: root.join("data").join(NAME),
            runtime: Some(root.join("run").join(NAME)),
            application_support: None,
        }
    }

    pub fn default_socket(&self) -> PathBuf {
        let home = self.application_support.as_ref().or(self.runtime.as_ref()).unwrap_or(&self.state);
        home.join("lokid.sock")
    }

    /// The specification calls relative values invalid and asks to ignore them; an empty one is relative, too.
    fn resolve(home: &Path, var_path: impl Fn(&str) -> Option<PathBuf>, macos: bool) -> Dirs {
        let named = |name: &str| var_path(name).filter(|path| path.is_absolute()).map(|base| base.join(NAME));
        let named_or = |name: &str, fallback: &str| named(name).unwrap_or_else(|| home.join(fallback).join(NAME));
        Dirs {
            config: named_or("XDG_CONFIG_HOME", ".config"),
            state: named_or("XDG_STATE_HOME", ".local/state"),
            cache: named_or("XDG_CACHE_HOME", ".cache"),
            data: named_or("XDG_DATA_HOME", ".local/share"),
            runtime: named("XDG_RUNTIME_DIR"),
            application_support: macos.then(|| home.join("Library/Application Support").join(NAME)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(vars: &[(&str, &str)], macos: bool) -> Dirs {
        let lookup = |name: &str| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| PathBuf::from(value));
        Dirs::resolve(Path::new("/home/ada"), lookup, macos)
    }

    #[test]
    fn without_variables_everything_lies_in_the_home_directory() {
        let dirs = resolve(&[], false);
        assert_eq!(dirs.config, Path::new("/home/ada/.config/lokid"));
        assert_eq!(dirs.state, Path::new("/home/ada/.local/state/lokid"));
        assert_eq!(dirs.cache, Path::new("/home/ada/.cache/lokid"));
        assert_eq!(dirs.data, Path::new("/home/ada/.local/share/lokid"));
        assert_eq!(dirs.runtime, None);
        assert_eq!(dirs.default_socket(), Path::new("/home/ada/.local/state/lokid/lokid.sock"));
    }

    #[test]
    fn absolute_variables_win_and_the_socket_lies_in_the_runtime_directory() {
        let dirs = resolve(&[("XDG_CONFIG_HOME", "/etc/ada"), ("XDG_RUNTIME_DIR", "/run/user/7")], false);
        assert_eq!(dirs.config, Path::new("/etc/ada/lokid"));
        assert_eq!(dirs.default_socket(), Path::new("/run/user/7/lokid/lokid.sock"));
    }

    #[test]
    fn relative_and_empty_variables_are_ignored() {
        let dirs = resolve(&[("XDG_STATE_HOME", "state"), ("XDG_CACHE_HOME", ""), ("XDG_RUNTIME_DIR", "run")], false);
        assert_eq!(dirs, resolve(&[], false));
    }

    #[test]
    fn on_macos_the_socket_lies_in_application_support() {
        let dirs = resolve(&[("XDG_RUNTIME_DIR", "/run/user/7")], true);
        assert_eq!(dirs.default_socket(), Path::new("/home/ada/Library/Application Support/lokid/lokid.sock"));
    }

    #[test]
    fn a_private_set_lies_below_its_root() {
        let dirs = Dirs::under(Path::new("/tmp/lab"));
        for path in [&dirs.config, &dirs.state, &dirs.cache, &dirs.data, &dirs.default_socket()] {
            assert!(path.starts_with("/tmp/lab"), "{}", path.display());
        }
    }
}
