//! What was typed, resolved: which configuration, which socket, which project. Flags win over the environment, the
//! environment over the file, the file over the default.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::args::Global;
use super::failure::Failure;
use lokid_config::{Config, ConfigError};
use lokid_sys::{Dirs, env, plain};

/// A configuration that long is something else.
const MOST_CONFIG: u64 = 1 << 20;

pub(super) struct Settings {
    pub(super) dirs: Dirs,
    pub(super) config_path: PathBuf,
    pub(super) config: Config,
    pub(super) socket: PathBuf,
    /// Absolute; it need not exist.
    pub(super) project: PathBuf,
    /// Whether the project was named, or is only where the user stands.
    pub(super) project_named: bool,
    pub(super) json: bool,
    pub(super) verbose: u8,
}

impl Settings {
    /// A configuration that cannot be read or is not valid is bad usage.
    pub(super) fn resolve(global: &Global) -> Result<Settings, Failure> {
        let dirs = Dirs::from_env().map_err(Failure::usage)?;
        let config_path = config_path(global, &dirs)?;
        let config = load(&config_path, global.config.is_some())?;
        let socket = socket(global, &config, &dirs)?;
        let project = match &global.project {
            Some(path) => absolute(path)?,
            None => env::current_dir().context("cannot tell which directory this is")?,
        };
        Ok(Settings {
            dirs,
            config_path,
            config,
            socket,
            project,
            project_named: global.project.is_some(),
            json: global.json,
            verbose: global.verbose,
        })
    }

    /// As it would be read now: a reload asks for it again.
    pub(super) fn reload(&self) -> Result<Config, Failure> {
        load(&self.config_path, false)
    }
}

pub(super) fn config_path(global: &Global, dirs: &Dirs) -> Result<PathBuf, Failure> {
    match &global.config {
        Some(path) => absolute(path),
        None => Ok(dirs.config.join("config.toml")),
    }
}

/// No file is the default, unless this very file was asked for.
pub(super) fn load(path: &Path, must_exist: bool) -> Result<Config, Failure> {
    let text = plain::read_text(path, MOST_CONFIG)
        .map_err(|error| Failure::usage(format!("cannot read the configuration: {error}")))?;
    let text = match text {
        Some(text) => text,
        None if must_exist => {
            let message = format!("there is no configuration file {}", path.display());
            return Err(Failure::usage(message).hint("`lokid config` prints one to begin with"));
        }
        None => String::new(),
    };
    let bad = |error: ConfigError| {
        Failure::usage(format!("bad configuration: {error}")).hint("`lokid config` prints every key with its default")
    };
    let mut config = Config::load(Some(path), &text).map_err(bad)?;
    config.managed = config.managed.under(env::var).map_err(bad)?;
    Ok(config)
}

/// A flag of the mirror without the one it needs stops every command, also those that work with a broken file.
pub(super) fn refuse_orphans(global: &Global) -> Result<(), Failure> {
    let Ok(dirs) = Dirs::from_env() else { return Ok(()) };
    let text = plain::read_text(&config_path(global, &dirs)?, MOST_CONFIG).ok().flatten().unwrap_or_default();
    let managed = Config::parse(&text).unwrap_or_default().managed;
    managed.under(env::var).map(drop).map_err(|error| Failure::usage(format!("bad configuration: {error}")))
}

pub(super) fn socket(global: &Global, config: &Config, dirs: &Dirs) -> Result<PathBuf, Failure> {
    let typed = global.socket.clone().or_else(|| env::var_path("LOKID_SOCKET"));
    match typed {
        Some(path) => absolute(&path),
        None => Ok(config.server.socket.clone().unwrap_or_else(|| dirs.default_socket())),
    }
}

pub(super) fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_the_default_unless_it_was_asked_for() {
        let lab = tempfile::tempdir().unwrap();
        let path = lab.path().join("config.toml");
        assert_eq!(load(&path, false).unwrap(), Config::default());
        assert_eq!(load(&path, true).unwrap_err().code, 2);
    }

    #[test]
    fn a_bad_key_is_bad_usage_and_named_with_its_file() {
        let lab = tempfile::tempdir().unwrap();
        let path = lab.path().join("config.toml");
        plain::replace(&path, b"[server]\nsokcet = \"/x\"\n").unwrap();
        let failure = load(&path, false).unwrap_err();
        let message = failure.message().unwrap();
        assert_eq!(failure.code, 2);
        assert!(message.contains("config.toml") && message.contains("server.sokcet"), "{message}");
    }

    #[test]
    fn the_flag_wins_over_the_file_and_the_file_over_the_default() {
        let dirs = Dirs::under(Path::new("/lab"));
        let config = Config::parse("[server]\nsocket = \"/file.sock\"").unwrap();
        let typed = Global { socket: Some("/flag.sock".into()), ..Global::default() };
        assert_eq!(socket(&typed, &config, &dirs).unwrap(), Path::new("/flag.sock"));
        if env::var_path("LOKID_SOCKET").is_none() {
            assert_eq!(socket(&Global::default(), &config, &dirs).unwrap(), Path::new("/file.sock"));
            let default = socket(&Global::default(), &Config::default(), &dirs).unwrap();
            assert_eq!(default, dirs.default_socket());
        }
    }
}
