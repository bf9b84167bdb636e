//! The way to the answers: the daemon, or the same engine in this process when there is none.
//!
//! Reads may do without a daemon and say so; writes may not, for one writer a project is what keeps memories whole.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use serde_json::Value;

use super::ask::{Ask, json, or_problem, told};
use super::failure::{Done, Failure};
use super::screen::Screen;
use super::settings::Settings;
use crate::serve::{App, Client, ClientError, Embedded, Request, Response};
use lokid_engine::{ProjectError, Registry};
use lokid_sys::{Clock, git, thread};

/// Health is answered in a millisecond by whoever is well.
const AT_ONCE: Duration = Duration::from_millis(900);
/// How long a daemon that says `busy` is asked again.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) struct Reach {
    way: Way,
    socket: PathBuf,
    project: PathBuf,
}

/// Where a project stands, and where its state is kept.
pub(super) struct SocketPlace {
    pub(super) root: PathBuf,
    pub(super) state: PathBuf,
}

enum Way {
    Daemon(Client),
    Direct { twin: Box<Embedded>, registry: Arc<Registry> },
}

impl Reach {
    /// For what only the daemon may do.
    pub(super) fn daemon(settings: &Settings) -> Result<Reach, Failure> {
        match UnixStream::connect(&settings.socket) {
            Ok(_) => Ok(Reach::by(Way::Daemon(Client::new(&settings.socket)), settings)),
            Err(error) => Err(unreachable(&settings.socket, &error)),
        }
    }

    /// The daemon, if one answers at once: whoever only reads does without one that hangs.
    pub(super) fn answering(settings: &Settings) -> Result<Reach, Failure> {
        let client = Client::new(&settings.socket);
        let clock = Clock::system();
        let until = clock.monotonic() + AT_ONCE;
        let left = || until.saturating_duration_since(clock.monotonic());
        match client.send_within(&Request::get("/v1/health"), &left) {
            Ok(_) => Ok(Reach::by(Way::Daemon(client), settings)),
            Err(ClientError::Unreachable { source, .. }) => Err(unreachable(&settings.socket, &source)),
            Err(error) => {
                let message = format!("the daemon at {} does not answer: {error}", settings.socket.display());
                Err(Failure::new(message).hint("`lokid doctor` looks closer"))
            }
        }
    }

    /// For reads about the user's project.
    pub(super) fn reader(settings: &Settings, screen: &mut Screen) -> Result<Reach, Failure> {
        Reach::answering(settings).or_else(|why| {
            note_direct(&why, settings, screen);
            Reach::direct(settings)
        })
    }

    /// Where the user's project stands, and where its state is kept.
    pub(super) fn place(settings: &Settings) -> Result<SocketPlace, Failure> {
        // What is no repository is not written down as a project, either.
        if git::discover(&settings.project).is_none() {
            let message = format!("{} is in no git repository", settings.project.display());
            return Err(Failure::new(message).hint("go to a repository, or name one with `--project PATH`"));
        }
        let (root, state) = Reach::empty(settings).place_of(&settings.project).map_err(unusable)?;
        Ok(SocketPlace { root, state })
    }

    /// The engine in this process, for the user's project alone.
    pub(super) fn direct(settings: &Settings) -> Result<Reach, Failure> {
        let project = &settings.project;
        let known = git::discover(project).is_some() || project.ancestors().any(|folder| folder.join(".loki").is_dir());
        if !known {
            let message = format!("{} is in no git repository, and nothing is remembered there", project.display());
            return Err(Failure::new(message).hint("go to a repository, or name one with `--project PATH`"));
        }
        let registry = Reach::empty(settings);
        registry.add_ephemeral(project).map_err(unusable)?;
        Reach::within(registry, settings)
    }

    /// For reads about all projects that were ever watched.
    pub(super) fn saved(settings: &Settings, screen: &mut Screen) -> Result<Reach, Failure> {
        Reach::answering(settings).or_else(|why| {
            note_direct(&why, settings, screen);
            let registry = Reach::empty(settings);
            for error in registry.start_saved() {
                screen.note(error.to_string());
            }
            Reach::within(registry, settings)
        })
    }

    pub(super) fn empty(settings: &Settings) -> Registry {
        Registry::open(settings.dirs.clone(), settings.config.clone(), Clock::system())
    }

    fn within(registry: Registry, settings: &Settings) -> Result<Reach, Failure> {
        Reach::over(Arc::new(registry), settings)
    }

    /// The engine in this process, with the projects it has.
    pub(super) fn over(registry: Arc<Registry>, settings: &Settings) -> Result<Reach, Failure> {
        let twin = Embedded::new(App::new(Arc::clone(&registry), settings.socket.clone()));
        let twin = Box::new(twin.context("cannot start the engine")?);
        Ok(Reach::by(Way::Direct { twin, registry }, settings))
    }

    fn by(way: Way, settings: &Settings) -> Reach {
        Reach { way, socket: settings.socket.clone(), project: settings.project.clone() }
    }

    /// The same way, about another project.
    pub(super) fn about(mut self, project: PathBuf) -> Reach {
        self.project = project;
        self
    }

    pub(super) fn is_daemon(&self) -> bool {
        matches!(self.way, Way::Daemon(_))
    }

    /// A daemon that has just started, or has its hands full, says so; it is asked again for a few seconds.
    fn patiently(&self, ask: impl Fn() -> Result<Response, ClientError>) -> Result<Response, ClientError> {
        let mut pause = Duration::from_millis(20);
        let mut left = PATIENCE;
        loop {
            let answer = ask()?;
            if answer.status != 503 || left < pause {
                return Ok(answer);
            }
            thread::pause(pause);
            left -= pause;
            pause = (pause * 2).min(Duration::from_millis(500));
        }
    }

    /// The answer, or why there is none.
    pub(super) fn ask(&self, ask: &Ask) -> Result<Response, Failure> {
        or_problem(self.send(&ask.request())?, &self.project)
    }

    /// What the answer says; `None` when it was asked for as it came and has been printed so.
    pub(super) fn told(&self, ask: &Ask, settings: &Settings, screen: &mut Screen) -> Result<Option<Value>, Failure> {
        told(&self.ask(ask)?, settings, screen)
    }

    /// Whatever is answered, a refusal included.
    pub(super) fn send(&self, request: &Request) -> Result<Response, Failure> {
        let answer = self.patiently(|| match &self.way {
            Way::Daemon(client) => client.send(request),
            Way::Direct { twin, .. } => twin.send(request),
        });
        answer.map_err(|error| self.lost(error))
    }

    /// The answer as JSON.
    pub(super) fn learn(&self, ask: &Ask) -> Result<Value, Failure> {
        json(&self.ask(ask)?)
    }

    /// Hands on every line of the answer as it comes, for as long as `on_line` wants more.
    pub(super) fn follow(&self, ask: &Ask, mut on_line: impl FnMut(&str) -> Done) -> Done {
        let mut ended = Ok(());
        let mut take = |line: &str| {
            ended = on_line(line);
            ended.is_ok()
        };
        let answer = match &self.way {
            Way::Daemon(client) => client.follow(&ask.request(), &mut take),
            Way::Direct { twin, .. } => twin.send(&ask.request()).inspect(|answer| {
                if answer.is_success() {
                    let _all_wanted = answer.text().lines().all(&mut take);
                }
            }),
        };
        ended?;
        or_problem(answer.map_err(|error| self.lost(error))?, &self.project).map(drop)
    }

    /// Sends a long body and hands on every line of the answer as it comes. Only a daemon takes one.
    pub(super) fn upload(&self, ask: &Ask, body: impl Read, on_line: impl FnMut(&str)) -> Result<Response, Failure> {
        let Way::Daemon(client) = &self.way else { return Err(Failure::no_daemon(&self.socket)) };
        let answer = client.upload(&ask.request(), body, on_line).map_err(|error| self.lost(error))?;
        or_problem(answer, &self.project)
    }

    fn lost(&self, error: ClientError) -> Failure {
        match error {
            ClientError::Unreachable { source, .. } => unreachable(&self.socket, &source),
            ClientError::Broken(_) => {
                let hint = "it was stopping, or it failed; `lokid doctor` tells whether it is back";
                Failure::from(anyhow::Error::new(error)).hint(hint)
            }
            error => Failure::from(anyhow::Error::new(error)),
        }
    }
}

impl Drop for Reach {
    /// Writers end and are joined; what they were given is written.
    fn drop(&mut self) {
        if let Way::Direct { registry, .. } = &self.way {
            registry.stop();
        }
    }
}

fn note_direct(why: &Failure, settings: &Settings, screen: &mut Screen) {
    let what = if why.is_unreachable() { "no daemon" } else { "a daemon that does not answer" };
    screen.note(format!("{what} at {}: reading directly", settings.socket.display()));
}

/// Whether somebody listens there.
pub(super) fn is_up(socket: &Path) -> bool {
    UnixStream::connect(socket).is_ok()
}

/// A socket that is not there, or that nobody listens on, means that no daemon runs; anything else is worth telling.
fn unreachable(socket: &Path, error: &io::Error) -> Failure {
    let failure = Failure::no_daemon(socket);
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => failure,
        _ => Failure {
            error: Some(anyhow::anyhow!("cannot reach the daemon at {}: {error}", socket.display())),
            ..failure
        },
    }
}

fn unusable(error: ProjectError) -> Failure {
    Failure::from(anyhow::Error::new(error)).hint("`lokid doctor` looks closer")
}
