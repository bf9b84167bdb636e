//! What every handler shares: the registry of projects, the counters, and the word that the daemon is closing.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::hook::heard::Heard;
use super::hook::last::Last;
use super::problem::Problem;
use super::tally::Tally;
use lokid_config::Config;
use lokid_engine::{EngineError, Pending, Project, Registry};
use lokid_model::Timestamp;

/// How old a look at the files may be before a request asks for another one.
const FRESH_MICROS: i64 = 1_000_000;

/// How long a request waits for a project that is being read; whoever asked is told to come back after that.
const SETTLING: Duration = Duration::from_secs(2);

/// Cheap to clone; all clones are the same daemon.
#[derive(Clone)]
pub struct App {
    shared: Arc<Shared>,
}

struct Shared {
    registry: Arc<Registry>,
    socket: PathBuf,
    started: Instant,
    tally: Tally,
    heard: Heard,
    last: Last,
    closing: watch::Sender<bool>,
}

impl App {
    /// `socket` is only told to those who ask for the status.
    pub fn new(registry: Arc<Registry>, socket: PathBuf) -> App {
        let started = registry.clock().monotonic();
        let closing = watch::Sender::new(false);
        let (tally, heard) = (Tally::default(), Heard::default());
        let last = Last::open(&registry.dirs().state);
        App { shared: Arc::new(Shared { registry, socket, started, tally, heard, last, closing }) }
    }

    pub fn registry(&self) -> &Arc<Registry> {
        &self.shared.registry
    }

    pub fn socket(&self) -> &Path {
        &self.shared.socket
    }

    pub(super) fn config(&self) -> Arc<Config> {
        self.shared.registry.config()
    }

    pub(super) fn now(&self) -> Timestamp {
        self.shared.registry.clock().now()
    }

    pub(super) fn monotonic(&self) -> Instant {
        self.shared.registry.clock().monotonic()
    }

    pub(super) fn uptime(&self) -> Duration {
        self.monotonic().saturating_duration_since(self.shared.started)
    }

    pub(super) fn tally(&self) -> &Tally {
        &self.shared.tally
    }

    /// Which events of agents were heard lately.
    pub(super) fn heard(&self) -> &Heard {
        &self.shared.heard
    }

    /// When each agent was.
    pub(super) fn last_heard(&self) -> &Last {
        &self.shared.last
    }

    /// The project a request is about. One that is still being read is waited for a moment: right after a start, which
    /// may be the request's own doing, its answer is better late than no.
    pub(super) async fn project(&self, named: Option<&Path>) -> Result<Arc<Project>, Problem> {
        let patience = SETTLING.min(self.config().server.request_timeout);
        // Whatever is said then is the answer.
        let _ = tokio::time::timeout(patience, self.shared.registry.until_read(named)).await;
        self.project_now(named)
    }

    /// The same without waiting. Asking also brings a look at its files that other programs may have written.
    pub(super) fn project_now(&self, named: Option<&Path>) -> Result<Arc<Project>, Problem> {
        if let Some(path) = named.filter(|path| !path.is_absolute()) {
            let detail = format!("project: \"{}\" is not an absolute path", path.display());
            return Err(Problem::bad_request(detail));
        }
        let project = self.shared.registry.find(named)?;
        project.writer.look_again(self.now(), FRESH_MICROS);
        Ok(project)
    }

    /// All projects, each asked to look at its files again.
    pub(super) fn projects(&self) -> Vec<Arc<Project>> {
        let projects = self.shared.registry.projects();
        for project in &projects {
            project.writer.look_again(self.now(), FRESH_MICROS);
        }
        projects
    }

    /// Waits for the writer. It carries out what it accepted whether or not anybody still waits.
    pub(super) async fn settle<T>(&self, asked: Result<Pending<T>, EngineError>) -> Result<T, Problem> {
        let pending = asked?;
        match tokio::time::timeout(self.config().server.request_timeout, pending.answer()).await {
            Ok(answer) => Ok(answer?),
            Err(_) => Err(Problem::busy("the request was accepted and will be carried out, but is not durable yet")),
        }
    }

    pub(super) fn close(&self) {
        self.shared.closing.send_replace(true);
    }

    /// Resolves when the daemon begins to close: streams that would never end by themselves end then.
    pub(super) async fn closed(&self) {
        // The sender lives as long as `self`, so this cannot fail before the value arrives.
        let _ = self.shared.closing.subscribe().wait_for(|closing| *closing).await;
    }
}

/// Runs work that reads the disk or walks every memory beside the connections, not among them.
pub(super) async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Problem::internal(format!("the work was cut off: {error}")))
}
