//! `lokid stop`: ask the daemon to end, and wait until it has.

use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use serde_json::{Value, json};

use super::ask::Ask;
use super::failure::{Done, Failure};
use super::reach::{self, Reach};
use super::screen::Screen;
use super::settings::Settings;
use lokid_sys::{Clock, plain, process};

const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);

pub(super) fn run(settings: &Settings, screen: &mut Screen) -> Done {
    let daemon = Reach::daemon(settings)?;
    let pid = terminate(&daemon)?;
    let clock = Clock::system();
    let deadline = clock.monotonic() + PATIENCE;
    while runs(pid, &settings.socket) {
        if clock.monotonic() > deadline {
            let message = format!("process {pid} was told to stop and still runs");
            return Err(Failure::new(message).hint("it may be finishing a long write; look again in a moment"));
        }
        std::thread::sleep(PAUSE);
    }
    // A daemon takes its own socket with it. What is left is kept by somebody who starts it again.
    let kept = settings.socket.exists();
    if settings.json {
        return screen.line(json!({"stopped": true, "pid": pid, "socket_kept": kept}).to_string());
    }
    screen.line(format!("stopped lokid (process {pid})"))?;
    if kept {
        screen.note("the next request starts it again; `systemctl --user stop lokid.socket` keeps that from happening");
    }
    Ok(())
}

/// Tells the daemon to end, and which process it is.
pub(super) fn terminate(daemon: &Reach) -> Result<u32, Failure> {
    let health = daemon.learn(&Ask::get("/health"))?;
    let pid = health.get("pid").and_then(Value::as_u64).and_then(|pid| u32::try_from(pid).ok());
    let pid = pid.context("the daemon does not tell its process id")?;
    process::terminate(pid).with_context(|| format!("cannot signal process {pid}"))?;
    Ok(pid)
}

/// The socket goes first and the last writes come after it, so a new daemon has to wait for the process. The socket is
/// asked only where there is no `/proc`: with systemd behind it, asking would start the next daemon.
fn runs(pid: u32, socket: &Path) -> bool {
    if Path::new("/proc/self").exists() { is_alive(pid) } else { reach::is_up(socket) }
}

fn is_alive(pid: u32) -> bool {
    let stat = plain::read_text(Path::new(&format!("/proc/{pid}/stat")), 4096);
    stat.ok().flatten().is_some_and(|stat| !is_over(&stat))
}

/// `25520 (lokid) Z …`: ended, and only its parent has not looked yet.
fn is_over(stat: &str) -> bool {
    let state = stat.rsplit_once(')').map(|(_, rest)| rest.trim_start());
    state.is_some_and(|state| state.starts_with(['Z', 'X']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_stands_behind_the_name_whatever_the_name_is() {
        assert!(is_over("25520 (lok) Z id) Z 1 25520"));
        assert!(!is_over("25520 (lokid) S 1 25520"));
        assert!(!is_over(""));
    }

    #[test]
    fn this_process_is_alive() {
        assert!(is_alive(process::pid()) || !Path::new("/proc").exists());
    }
}
