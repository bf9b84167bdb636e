//! Running while nobody is logged in: offered, switched on when asked for, and switched off again only by those who
//! switched it on.

use std::path::PathBuf;

use anyhow::Context;

use super::super::failure::Done;
use super::super::screen::Screen;
use super::super::settings::Settings;
use super::manager::{Steps, ask};
use lokid_sys::{plain, process};

/// Remembers that it was us.
fn mark(settings: &Settings) -> PathBuf {
    settings.dirs.state.join("service/linger")
}

/// Nothing where nobody knows.
pub(super) fn is_on() -> Option<bool> {
    let argv = ["loginctl", "show-user", &process::uid().to_string(), "--property=Linger", "--value"];
    ask(&argv.map(str::to_owned)).map(|answer| answer.trim() == "yes")
}

pub(super) fn is_ours(settings: &Settings) -> bool {
    plain::is_file(&mark(settings))
}

pub(super) fn offer(asked: bool, steps: &mut Steps, settings: &Settings, screen: &mut Screen) -> Done {
    let on = is_on();
    if on == Some(true) {
        return Ok(());
    }
    if !asked {
        if on.is_some() {
            screen.note("it ends with your last session; `lokid service install --linger` keeps it running");
        }
        return Ok(());
    }
    if steps.take(["loginctl", "enable-linger"].map(str::to_owned).to_vec()) {
        plain::replace(&mark(settings), b"").context("cannot remember that lingering was switched on")?;
    }
    Ok(())
}

pub(super) fn undo(steps: &mut Steps, settings: &Settings) {
    if is_ours(settings) && steps.take(["loginctl", "disable-linger"].map(str::to_owned).to_vec()) {
        let _ = plain::remove(&mark(settings));
    }
}
