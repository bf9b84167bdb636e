//! `lokid run`: the daemon in the foreground. It decides what is watched and speaks to the person; `daemon.rs` does
//! the rest.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::args::Run;
use super::daemon::{self, Loaded};
use super::failure::{Done, Failure};
use super::oneshot;
use super::reading::{self, Past, Reading};
use super::screen::{self, Screen, Ticker};
use super::settings::{Settings, absolute};
use super::words;
use lokid_engine::Project;
use lokid_sys::{env, git};

pub(super) fn run(run: &Run, settings: Settings, screen: &mut Screen) -> Done {
    let place = match (&run.path, run.no_project) {
        (_, true) => None,
        (Some(path), false) => Some(project(&absolute(path)?, run.here)?),
        (None, false) => Some(project(&settings.project, run.here)?),
    };
    if let (true, Some(place)) = (run.oneshot, &place) {
        return oneshot::run(place, run.consolidate, settings, screen);
    }
    let moves = env::stdout_is_terminal() && screen::colour_is_wanted();
    let greeting = Greeting { quiet: screen.quiet(), moves };
    daemon::run(settings, place, run.replace, greeting)
}

/// What the person at the terminal is told; a daemon does not care whether somebody reads it.
#[derive(Clone, Copy)]
pub(super) struct Greeting {
    quiet: bool,
    /// Whether a line can be drawn over.
    moves: bool,
}

impl Greeting {
    pub(super) fn listening(self, socket: &Path) {
        self.say(&format!("lokid {} listens on {}", env!("CARGO_PKG_VERSION"), socket.display()));
        self.say("stop it with Ctrl-C here, or with `lokid stop` from elsewhere");
    }

    pub(super) fn watching(self, project: &Loaded) {
        self.say(&format!("watching {}", project.root.display()));
        self.say(&words::holdings(&project.by_kind));
    }

    /// Shows how far the reading is until it is over or `is_wanted` says no, then what was learnt.
    pub(super) fn reading(
        self,
        project: &Project,
        before: &Past,
        took: impl Fn() -> Duration,
        is_wanted: impl Fn() -> bool,
    ) {
        if self.quiet {
            return;
        }
        let mut reading = Reading::new(Ticker::Out, self.moves);
        let ended = reading.follow(reading::HERE, || Ok(is_wanted().then(|| Past::of(project))));
        if matches!(ended, Ok(Some(_)))
            && project.writer.rescan().and_then(|looked| looked.wait()).is_ok()
            && let Some(summary) = Past::of(project).summary(before, took())
        {
            self.say(&summary);
        }
    }

    pub(super) fn also(self, others: usize) {
        if others > 0 {
            self.say(&format!("also watching {}", words::count(others as u64, "project", "projects")));
        }
    }

    pub(super) fn handover(self, who: &str) {
        self.say(&format!("{who}: asking it to hand over"));
    }

    fn say(self, line: &str) {
        if !self.quiet {
            Ticker::Out.line(line);
        }
    }
}

/// A path in a git repository, or a directory that is known or declared to be a project.
fn project(path: &Path, here: bool) -> Result<PathBuf, Failure> {
    if !path.exists() {
        return Err(Failure::usage(format!("there is no {}", path.display())));
    }
    if git::discover(path).is_some() || path.join(".loki").is_dir() || (here && path.is_dir()) {
        return Ok(path.to_owned());
    }
    if here {
        return Err(Failure::usage(format!("{} is no directory", path.display())));
    }
    let message = format!("{} is in no git repository, and nothing is remembered there yet", path.display());
    Err(Failure::usage(message).hint(
        "go to a repository, or name one with `lokid run PATH`; `--here` watches this directory as it is, \
         `--no-project` starts without one",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_directory_is_watched_only_when_it_is_known_or_declared() {
        let lab = tempfile::tempdir().unwrap();
        assert_eq!(project(lab.path(), false).unwrap_err().code, 2);
        assert_eq!(project(lab.path(), true).unwrap(), lab.path());
        std::fs::create_dir(lab.path().join(".loki")).unwrap();
        assert_eq!(project(lab.path(), false).unwrap(), lab.path());
        assert_eq!(project(&lab.path().join("gone"), true).unwrap_err().code, 2);
    }
}
