//! `lokid mcp`: the memory as an MCP server over the standard streams, which belong to the protocol alone.
//!
//! Answers come from the daemon; without one, reads come from the same engine in this process, opened for each
//! question so that a daemon can start at any time, and writes say what to do. Nothing is started unless asked for.

use std::ffi::OsString;
use std::process::Child;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::json;

use super::args::Mcp;
use super::failure::{Done, Failure};
use super::logging::Logging;
use super::reach::{self, Reach};
use super::settings::Settings;
use crate::serve::mcp::{self, Away, Desk, Need, Options};
use crate::serve::{Request, Response};
use lokid_sys::{env, process, thread};

/// How long a daemon that was just started may take to answer.
const COMING_UP: Duration = Duration::from_secs(10);
const GLANCE: Duration = Duration::from_millis(20);

pub(super) fn run(mcp: &Mcp, settings: Settings) -> Done {
    let _logging = Logging::start(&settings.config.log, settings.verbose)?;
    let counter = Counter { settings, start: mcp.start, started: Mutex::new(None) };
    let options = Options { loki_names: mcp.loki_names };
    mcp::run(Arc::new(counter), options).map_err(|error| Failure::from(anyhow::Error::new(error)))
}

struct Counter {
    settings: Settings,
    start: bool,
    /// A daemon this server started, until it is known to have ended.
    started: Mutex<Option<Child>>,
}

impl Desk for Counter {
    fn ask(&self, request: &Request, need: Need) -> Result<Response, Away> {
        let answer = self.send(request, need)?;
        let unwatched = || answer.code().as_deref() == Some("project_not_watched");
        if !self.start || answer.is_success() || !unwatched() {
            return Ok(answer);
        }
        let watch = Request::post("/v1/projects", &json!({"path": self.settings.project.display().to_string()}));
        let watched = self.send(&watch, Need::Write)?;
        if watched.is_success() { self.send(request, need) } else { Ok(watched) }
    }

    fn project(&self) -> String {
        self.settings.project.display().to_string()
    }
}

impl Counter {
    fn send(&self, request: &Request, need: Need) -> Result<Response, Away> {
        let reach = self.reach(need).map_err(|failure| self.away(failure))?;
        reach.send(request).map_err(|failure| self.away(failure))
    }

    fn reach(&self, need: Need) -> Result<Reach, Failure> {
        let reached = match need {
            Need::Read => Reach::answering(&self.settings),
            Need::Write => Reach::daemon(&self.settings),
        };
        match reached {
            Ok(reach) => Ok(reach),
            Err(_) if self.start => {
                self.start_daemon()?;
                Reach::daemon(&self.settings)
            }
            Err(_) if need == Need::Read => Reach::direct(&self.settings),
            Err(failure) => Err(failure),
        }
    }

    /// One at a time: whoever waited finds it started.
    fn start_daemon(&self) -> Result<(), Failure> {
        let mut started = self.started.lock();
        if reach::is_up(&self.settings.socket) {
            return Ok(());
        }
        let program =
            env::current_program().map_err(|error| Failure::new(format!("cannot tell what to start: {error}")))?;
        let mut arguments: Vec<OsString> = vec!["run".into(), self.settings.project.clone().into(), "--quiet".into()];
        arguments.extend(["--socket".into(), self.settings.socket.clone().into()]);
        if self.settings.config_path.exists() {
            arguments.extend(["--config".into(), self.settings.config_path.clone().into()]);
        }
        let child = process::start_apart(&program, &arguments);
        let child = child.map_err(|error| Failure::new(format!("cannot start the daemon: {error}")))?;
        let child = started.insert(child);
        let mut left = COMING_UP;
        while !reach::is_up(&self.settings.socket) {
            // Another server may have been first; then that daemon comes up instead.
            let ended = matches!(child.try_wait(), Ok(Some(_)));
            if left.is_zero() || (ended && !reach::is_up(&self.settings.socket)) {
                return Err(Failure::new("the daemon did not come up").hint("`lokid run` tells why"));
            }
            thread::pause(GLANCE);
            left = left.saturating_sub(GLANCE);
        }
        Ok(())
    }

    fn away(&self, failure: Failure) -> Away {
        let what = failure.error.as_ref().map(|error| format!("{error:#}")).unwrap_or_default();
        let project = self.settings.project.display();
        let usual =
            format!("start the daemon with `lokid run {project}`, or let this server do it: `lokid mcp --start`");
        Away { what, fix: failure.hint.unwrap_or(usual) }
    }
}
