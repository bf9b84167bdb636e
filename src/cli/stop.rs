//! `lokid stop`: ask the daemon to end, and wait until it has.

use std::time::Duration;

use anyhow::Context;
use serde_json::{Value, json};

use super::ask::Ask;
use super::failure::{Done, Failure};
use super::reach::{self, Reach};
use super::screen::Screen;
use super::settings::Settings;
use crate::sys::{Clock, process};

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
    while reach::is_up(&settings.socket) {
        if clock.monotonic() > deadline {
            let message = format!("process {pid} still answers at {}", settings.socket.display());
            return Err(Failure::new(message).hint("it may be finishing a long write; look again in a moment"));
        }
        std::thread::sleep(PAUSE);
    }
    if settings.json {
        return screen.line(json!({"stopped": true, "pid": pid}).to_string());
    }
    screen.line(format!("stopped lokid (process {pid})"))
}
