//! The daemon's side: its socket, who may open it, whether it answers, and whether what answers is this version.

use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::time::Duration;

use super::super::reach::Reach;
use super::super::settings::Settings;
use super::super::words;
use super::Check;
use crate::serve::{Client, Request};
use lokid_sys::process;

/// Health is answered at once by whoever is well.
const PATIENCE: Duration = Duration::from_secs(3);
/// What the system takes as the path of a socket: 104 bytes on macOS, 108 on Linux, the last one a zero.
const LONGEST_PATH: usize = if cfg!(target_os = "macos") { 103 } else { 107 };

/// The daemon, if one answers.
pub(super) fn look(settings: &Settings, checks: &mut Vec<Check>) -> Option<Reach> {
    let socket = &settings.socket;
    let shown = socket.display();
    checks.extend(directory(settings));
    if socket.as_os_str().len() > LONGEST_PATH {
        let found = format!("{shown} is longer than the {LONGEST_PATH} bytes that a socket's path may have");
        checks.push(Check::broken("socket", found, "name a shorter one with `[server] socket` or $LOKID_SOCKET"));
        return None;
    }
    let Ok(metadata) = socket.symlink_metadata() else {
        checks.push(Check::doubtful("socket", format!("no daemon listens at {shown}"), "`lokid run` starts one"));
        return None;
    };
    if !metadata.file_type().is_socket() {
        checks.push(Check::broken("socket", format!("{shown} is no socket"), format!("remove {shown}")));
        return None;
    }
    if metadata.uid() != process::uid() {
        let fix = "choose another place with `[server] socket` or $LOKID_SOCKET";
        checks.push(Check::broken("socket", format!("{shown} belongs to somebody else"), fix));
        return None;
    }
    let reach = match Reach::daemon(settings) {
        Ok(reach) => reach,
        Err(_) => {
            let found = format!("{shown} is left over: nobody answers there");
            checks.push(Check::doubtful("socket", found, "`lokid run` replaces it"));
            return None;
        }
    };
    checks.push(match metadata.mode() & 0o177 {
        0 => Check::good("socket", format!("{shown}, for its owner alone")),
        _ => Check::broken("socket", format!("others may open {shown}"), format!("chmod 600 {shown}")),
    });
    let asked = Client::new(socket).patience(PATIENCE).send(&Request::get("/v1/health"));
    let health = asked.map_err(|error| error.to_string());
    match health.and_then(|health| health.json().map_err(|error| error.to_string())) {
        Ok(health) => {
            let (version, ours) = (words::field(&health, "version"), env!("CARGO_PKG_VERSION"));
            let found = format!("process {}, version {version}", words::field(&health, "pid"));
            checks.push(if version == ours {
                Check::good("daemon", found)
            } else {
                let fix = "`systemctl --user restart lokid` where it is a service, else `lokid run --replace`";
                Check::doubtful("daemon", format!("{found}, while this program is {ours}"), fix)
            });
            Some(reach)
        }
        Err(why) => {
            let found = format!("it takes connections and does not answer: {why}");
            checks.push(Check::broken("daemon", found, "end the process that holds it, then `lokid run`"));
            None
        }
    }
}

/// lokid's own directory is for its owner alone; in a place the user chose, nobody may replace the socket.
fn directory(settings: &Settings) -> Option<Check> {
    let directory = settings.socket.parent()?;
    let metadata = directory.metadata().ok()?;
    let (owner, mode, shown) = (metadata.uid(), metadata.mode(), directory.display());
    let own = settings.socket == settings.dirs.default_socket();
    let open = if own { mode & 0o077 != 0 } else { mode & 0o022 != 0 && mode & 0o1000 == 0 };
    Some(if owner != process::uid() && (own || owner != 0) {
        let fix = "choose another place with `[server] socket` or $LOKID_SOCKET";
        Check::broken("socket directory", format!("{shown} belongs to somebody else"), fix)
    } else if open {
        Check::broken("socket directory", format!("{shown} is open to others"), format!("chmod 700 {shown}"))
    } else {
        Check::good("socket directory", shown.to_string())
    })
}
