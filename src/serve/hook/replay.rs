//! What waited in the spool while nobody listened, told to its projects in the order it happened. Nobody is answered.

use std::path::Path;
use std::time::Duration;

use super::act::tell;
use super::ask::spool;
use super::payload::Agent;
use super::told::Told;
use crate::serve::app::App;
use lokid_engine::{EngineError, ProjectError};
use lokid_sys::thread;

/// A full inbox is waited for, so many times so long.
const PATIENCE: u32 = 500;
const PAUSE: Duration = Duration::from_millis(10);

/// Something may wait since an earlier event found nobody. It is heard beside this one, which must not wait for it.
pub(in crate::serve) fn hear_what_waits(app: &App) {
    if !spool(&app.registry().dirs().state).is_empty() {
        let app = app.clone();
        drop(tokio::task::spawn_blocking(move || replay(&app)));
    }
}

/// Reads the spool empty. What cannot be told yet stays there.
pub fn replay(app: &App) {
    let Some(_alone) = app.heard().replaying.try_lock() else { return };
    let spool = spool(&app.registry().dirs().state);
    while !spool.is_empty() {
        let taken = match spool.take() {
            Ok(taken) => taken,
            Err(error) => {
                tracing::warn!(reason = %error, "what hooks left while nobody listened cannot be read");
                return;
            }
        };
        if taken.lost > 0 {
            tracing::warn!(lost = taken.lost, "more events waited than the spool holds; the oldest are lost");
        }
        let mut told = 0_usize;
        for line in &taken.lines {
            match Told::from_line(line).map(|one| tell_again(app, &one)) {
                Some(Ok(is_new)) => told += usize::from(is_new),
                Some(Err(Later)) => {
                    tracing::debug!("what hooks left waits until its project is there");
                    return;
                }
                None => tracing::debug!("a line of the spool cannot be read"),
            }
        }
        app.last_heard().write_down();
        tracing::info!(events = told, "heard what hooks left while nobody listened");
        if let Err(error) = spool.done() {
            tracing::warn!(reason = %error, "the spool cannot be emptied");
            return;
        }
    }
}

/// Takes out of the spool what waits for a project that is to be forgotten.
pub fn strike(state: &Path, root: &Path) -> std::io::Result<()> {
    let spool = spool(state);
    if spool.is_empty() {
        return Ok(());
    }
    let taken = spool.take()?;
    let concerns = |line: &&String| {
        let told = Told::from_line(line);
        told.is_none_or(|told| told.cwd.as_deref().is_none_or(|cwd| cwd.starts_with(root)))
    };
    for line in taken.lines.iter().filter(|line| !concerns(line)) {
        spool.append(line)?;
    }
    spool.done()
}

/// Its project is not there yet, or has no room.
struct Later;

/// Answers whether it was news.
fn tell_again(app: &App, told: &Told) -> Result<bool, Later> {
    let Some(cwd) = told.cwd.as_deref() else { return Ok(false) };
    let project = match app.registry().find(Some(cwd)) {
        Ok(project) => project,
        Err(ProjectError::Starting { .. }) => return Err(Later),
        Err(_) => return Ok(false),
    };
    if let Some(agent) = Agent::parse(&told.agent) {
        app.last_heard().heard(agent, told.at);
    }
    if !app.heard().is_new(&told.mark, told.at) {
        return Ok(false);
    }
    for _ in 0..PATIENCE {
        match tell(&project, told) {
            Err(EngineError::Busy) => thread::pause(PAUSE),
            Err(_) => break,
            Ok(()) => return Ok(true),
        }
    }
    app.heard().forget(&told.mark);
    Err(Later)
}
