//! What generated files are made from: this user's program, directories, socket and settings. It looks and changes
//! nothing.

use std::path::{Path, PathBuf};

use super::super::failure::Failure;
use super::super::hooks;
use super::super::settings::Settings;
use super::escape;
use lokid_config::Flag;
use lokid_sys::{env, git, plain};

/// What a daemon may do beside its own work, which decides how tightly it is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needs {
    Nothing,
    /// It asks a judge over the loopback interface, or memory stores far away.
    Network,
    /// It asks a program, which may do anything a program does.
    Programs,
}

#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub(super) home: String,
    pub(super) program: String,
    /// Options that stand before every command.
    pub(super) options: Vec<String>,
    /// What a service would not find in its environment by itself.
    pub(super) variables: Vec<(&'static str, String)>,
    /// For launchd, which gives its agents next to nothing.
    pub(super) path: String,
    /// Where the socket is, when it is not in the usual place.
    pub(super) socket: Option<String>,
    /// That place was typed, so a daemon that binds by itself has to be told.
    pub(super) socket_typed: bool,
    pub(super) needs: Needs,
    /// At how many bytes the daemon itself begins to let go of what it holds.
    pub(super) memory_limit: u64,
    /// Where units go, for each manager.
    pub(super) units: PathBuf,
    pub(super) agents: PathBuf,
}

const DIRECTORIES: [&str; 4] = ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"];

impl Facts {
    pub(super) fn look(settings: &Settings) -> Result<Facts, Failure> {
        let home = env::home_dir().ok_or_else(|| Failure::usage("$HOME is not set to an absolute path"))?;
        let absolute = |name| env::var_path(name).filter(|path| path.is_absolute());
        let mut variables = Vec::new();
        for name in DIRECTORIES {
            if let Some(path) = absolute(name) {
                variables.push((name, text(&path)?));
            }
        }
        let mut options = Vec::new();
        if settings.config_path != settings.dirs.config.join("config.toml") {
            options.extend(["--config".to_owned(), text(&settings.config_path)?]);
        }
        let usual = settings.dirs.default_socket();
        let configured = settings.config.server.socket.as_ref().unwrap_or(&usual);
        let socket = Some(text(&settings.socket)?).filter(|_| settings.socket != usual);
        if let Some(socket) = socket.as_deref().filter(|socket| !escape::can_be_whole(socket)) {
            let message = format!("{socket:?} cannot stand in a unit: it ends or begins with what systemd cuts off");
            return Err(Failure::usage(message).hint("choose another place with `[server] socket`"));
        }
        let judge = &settings.config.judge;
        let managed = &settings.config.managed;
        let flags = Flag::ALL.map(Flag::variable);
        variables.extend(flags.into_iter().filter_map(|flag| Some((flag, env::var(flag)?))));
        let stays = judge.url.is_none() && !managed.uses_network() && !settings.config.service.network;
        let needs = match (judge.command.is_empty(), stays) {
            (false, _) => Needs::Programs,
            (true, false) => Needs::Network,
            (true, true) => Needs::Nothing,
        };
        let config = absolute("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        Ok(Facts {
            program: text(&hooks::own_program()?)?,
            options,
            variables,
            path: search_path(&env::var("PATH").unwrap_or_default()),
            socket,
            socket_typed: settings.socket != *configured,
            needs,
            memory_limit: settings.config.service.memory_limit,
            units: config.join("systemd/user"),
            agents: home.join("Library/LaunchAgents"),
            home: text(&home)?,
        })
    }

    /// A user with nothing out of the ordinary: what the files in the repository are made for.
    #[cfg(test)]
    pub(super) fn plain(home: &str) -> Facts {
        Facts {
            home: home.to_owned(),
            program: "/usr/local/bin/lokid".to_owned(),
            options: Vec::new(),
            variables: Vec::new(),
            path: search_path(""),
            socket: None,
            socket_typed: false,
            needs: Needs::Nothing,
            memory_limit: 1 << 30,
            units: Path::new(home).join(".config/systemd/user"),
            agents: Path::new(home).join("Library/LaunchAgents"),
        }
    }
}

/// The project that a nightly run is for.
pub(super) fn project(settings: &Settings) -> Result<String, Failure> {
    let root = git::discover(&settings.project).map(|checkout| checkout.worktree);
    let root = root.or_else(|| Some(settings.project.clone()).filter(|path| path.join(".loki").is_dir()));
    let root = root.and_then(|root| plain::canonical(&root).ok());
    let root = root.ok_or_else(|| {
        let message = format!("{} is in no git repository", settings.project.display());
        Failure::usage(message).hint("go to one, or name one with `--project PATH`")
    })?;
    text(&root)
}

/// Nobody's file has such a name, and no manager takes one.
fn text(path: &Path) -> Result<String, Failure> {
    let told = |why| Failure::usage(format!("{} {why}, so it cannot stand in a service's file", path.display()));
    let text = path.to_str().ok_or_else(|| told("is not UTF-8"))?;
    if text.chars().any(char::is_control) {
        return Err(told("holds a control character"));
    }
    Ok(text.to_owned())
}

/// Where programs are looked for, without places that depend on where somebody stands.
fn search_path(path: &str) -> String {
    let mut folders: Vec<&str> = Vec::new();
    let usual = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"];
    for folder in path.split(':').filter(|folder| folder.starts_with('/')).chain(usual) {
        if !folders.contains(&folder) && !folder.chars().any(char::is_control) {
            folders.push(folder);
        }
    }
    folders.join(":")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_path_holds_absolute_folders_once() {
        assert_eq!(search_path("/opt/bin:.:/bin:/opt/bin"), "/opt/bin:/bin:/usr/local/bin:/usr/bin:/usr/sbin:/sbin");
    }

    #[test]
    fn what_no_file_can_hold_is_refused() {
        use std::os::unix::ffi::OsStrExt;
        let odd = Path::new(std::ffi::OsStr::from_bytes(b"/home/\xff"));
        assert_eq!(text(odd).unwrap_err().code, 2);
        assert_eq!(text(Path::new("/home/a\nb")).unwrap_err().code, 2);
        assert_eq!(text(Path::new("/home/zoë & co")).unwrap(), "/home/zoë & co");
    }
}
