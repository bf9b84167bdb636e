//! `lokid doctor`: look at everything a memory depends on, and name the fix for what is wrong.
//!
//! It works with a broken configuration and without a daemon: these are what it is asked about.

mod clock;
mod daemon;
mod health;
mod hooks;
mod managed;
mod merging;
mod places;
mod project;
mod team;

use serde_json::{Value, json};

use super::args::Global;
use super::failure::{Done, Failure};
use super::screen::{Screen, Style};
use super::settings::{self, Settings};
use lokid_config::Config;
use lokid_sys::{Dirs, env};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    Good,
    /// Works, but somebody should know.
    Doubtful,
    Broken,
}

/// One thing that was looked at.
#[derive(Debug)]
pub(super) struct Check {
    name: &'static str,
    state: State,
    found: String,
    fix: Option<String>,
}

impl Check {
    fn good(name: &'static str, found: impl Into<String>) -> Check {
        Check { name, state: State::Good, found: found.into(), fix: None }
    }

    fn doubtful(name: &'static str, found: impl Into<String>, fix: impl Into<String>) -> Check {
        Check { name, state: State::Doubtful, found: found.into(), fix: Some(fix.into()) }
    }

    fn broken(name: &'static str, found: impl Into<String>, fix: impl Into<String>) -> Check {
        Check { state: State::Broken, ..Check::doubtful(name, found, fix) }
    }

    fn json(&self) -> Value {
        let state = match self.state {
            State::Good => "good",
            State::Doubtful => "doubtful",
            State::Broken => "broken",
        };
        json!({"name": self.name, "state": state, "found": self.found, "fix": self.fix})
    }
}

/// What was found, and whether anything is broken.
struct Findings {
    checks: Vec<Check>,
    settings: Settings,
}

impl Findings {
    fn is_broken(&self) -> bool {
        self.checks.iter().any(|check| check.state == State::Broken)
    }

    fn json(&self) -> Value {
        let all: Vec<Value> = self.checks.iter().map(Check::json).collect();
        json!({"ok": !self.is_broken(), "checks": all})
    }
}

/// What `--json` prints.
pub(super) fn findings(global: &Global) -> Result<Value, Failure> {
    look(global).map(|found| found.json())
}

pub(super) fn run(global: &Global, screen: &mut Screen) -> Done {
    let found = look(global)?;
    if found.settings.json {
        screen.line(found.json().to_string())?;
    } else {
        for check in &found.checks {
            show(check, screen)?;
        }
    }
    if found.is_broken() { Err(Failure::told()) } else { Ok(()) }
}

fn look(global: &Global) -> Result<Findings, Failure> {
    let mut checks = vec![Check::good("program", format!("lokid {}", env!("CARGO_PKG_VERSION")))];
    let settings = configuration(global, &mut checks)?;
    places::look(&settings, &mut checks);
    let reach = daemon::look(&settings, &mut checks);
    let status = project::look(&settings, reach.as_ref(), &mut checks);
    hooks::look(&settings, status.as_ref(), reach.is_some(), &mut checks);
    checks.extend(reach.as_ref().and_then(|reach| team::look(reach, &settings)));
    managed::look(&settings, &mut checks);
    Ok(Findings { checks, settings })
}

fn show(check: &Check, screen: &mut Screen) -> Done {
    let mark = match check.state {
        State::Good => screen.paint(Style::Green, "✓"),
        State::Doubtful => screen.paint(Style::Yellow, "!"),
        State::Broken => screen.paint(Style::Red, "✗"),
    };
    screen.line(format!("{mark} {}: {}", check.name, check.found))?;
    match &check.fix {
        Some(fix) => screen.line(format!("    fix: {fix}")),
        None => Ok(()),
    }
}

/// The settings as they are, or those the defaults give when the file is bad.
fn configuration(global: &Global, checks: &mut Vec<Check>) -> Result<Settings, Failure> {
    let dirs = Dirs::from_env().map_err(Failure::usage)?;
    let path = settings::config_path(global, &dirs)?;
    let config = match settings::load(&path, global.config.is_some()) {
        Ok(config) => {
            let found = if path.exists() { path.display().to_string() } else { "none, the defaults hold".to_owned() };
            checks.push(Check::good("configuration", found));
            config
        }
        Err(failure) => {
            let why = failure.error.map(|error| format!("{error:#}")).unwrap_or_default();
            let fix = failure.hint.unwrap_or_else(|| format!("mend {}", path.display()));
            checks.push(Check::broken("configuration", why, fix));
            Config::default()
        }
    };
    let socket = settings::socket(global, &config, &dirs)?;
    let project = match &global.project {
        Some(path) => settings::absolute(path)?,
        None => env::current_dir().map_err(|error| Failure::usage(format!("cannot tell where you stand: {error}")))?,
    };
    let (json, verbose, project_named) = (global.json, global.verbose, global.project.is_some());
    Ok(Settings { dirs, config_path: path, config, socket, project, project_named, json, verbose })
}
