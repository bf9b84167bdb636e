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
use crate::sys::{Clock, plain, process};

const PATIENCE: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(20);

pub(super) fn run(settings: &Settings, screen: &mut Screen) -> Done {
    let daemon = Reach::daemon(settings)?;
    let health = daemon.learn(&Ask::get("/health"))?;
    let pid = health.get("pid").and_then(Value::as_u64).and_then(|pid| u32::try_from(pid).ok());
    let pid = pid.context("the daemon does not tell its process id")?;
    process::terminate(pid).with_context(|| format!("cannot signal process {pid}"))?;
    let clock = Clock::system();
    let deadline = clock.monotonic() + PATIENCE;
    while reach::is_up(&settings.socket) || is_alive(pid) {
        if clock.monotonic() > deadline {
            let message = format!("process {pid} was told to stop and still runs");
            return Err(Failure::new(message).hint("it may be finishing a long write; look again in a moment"));
        }
        std::thread::sleep(PAUSE);
    }
    if settings.json {
        return screen.line(json!({"stopped": true, "pid": pid}).to_string());
    }
    screen.line(format!("stopped lokid (process {pid})"))
}

/// The socket goes first and the last writes come after it, so a new daemon has to wait for the process. Where there is
/// no `/proc`, the socket has to do.
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
