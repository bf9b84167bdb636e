//! The daemon, wired: socket, registry, runtime, signals. It comes up answering and loads projects afterwards, and it
//! goes down in the opposite order, with everything accepted written and every thread joined.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Context;
use parking_lot::Mutex;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use tokio::sync::watch;

use super::failure::{Done, Failure};
use super::handover;
use super::logging::Logging;
use super::reading::Past;
use super::run::Greeting;
use super::settings::Settings;
use super::{watchdog, words};
use crate::serve::{self, App, Client, Request};
use lokid_engine::{Project, Registry};
use lokid_manage::schedule::Cause;
use lokid_model::Kind;
use lokid_sys::notify::Notifier;
use lokid_sys::{Clock, heap, process, thread};

/// Answers that were under way when the daemon was told to stop get this long.
const LAST_ANSWERS: Duration = Duration::from_secs(3);

/// Then connections are cut off, and may take this long to notice.
const CUT_OFF: Duration = Duration::from_millis(200);

/// A project that came up, as the greeting tells it.
pub(super) struct Loaded {
    pub(super) root: PathBuf,
    pub(super) by_kind: Vec<(String, u64)>,
}

/// What the threads of the daemon share.
struct Daemon {
    settings: Settings,
    registry: Arc<Registry>,
    logging: Logging,
    greeting: Greeting,
    notifier: Arc<Notifier>,
    /// True from the first request to stop on; never false again.
    stop: watch::Sender<bool>,
    /// Why it stops, if not because it was asked to.
    failure: Mutex<Option<Failure>>,
}

pub(super) fn run(mut settings: Settings, place: Option<PathBuf>, replace: bool, greeting: Greeting) -> Done {
    heap::keep_compact();
    let files = process::raise_file_limit();
    let logging = Logging::start(&settings.config.log, settings.verbose)?;
    // Before anything that a signal must not tear apart.
    leave_at_once_when_told_twice().context("cannot listen for signals")?;
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2]).context("cannot listen for signals")?;
    let notifier = Arc::new(Notifier::from_env());
    let (mut bound, socket) = handover::take(&settings, replace, greeting)?;
    settings.socket = socket;
    // Until the last write is done, no other daemon may come.
    let _lock = bound.take_lock();
    let registry = Arc::new(Registry::open(settings.dirs.clone(), settings.config.clone(), Clock::system()));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("serve")
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let app = App::new(Arc::clone(&registry), settings.socket.clone());
    let heard = app.clone();
    let (stop, mut stopped) = watch::channel(false);
    let daemon = Arc::new(Daemon {
        settings,
        registry,
        logging,
        greeting,
        notifier: Arc::clone(&notifier),
        stop,
        failure: Mutex::new(None),
    });
    if let Some(granted) = notifier.watchdog() {
        runtime.spawn(watchdog::keep(Arc::clone(&daemon.registry), notifier, granted));
    }

    let hangup = signals.handle();
    let listener = spawn("signals", &daemon, move |daemon| daemon.obey(&mut signals))?;
    daemon.registry.announce(place.as_deref());
    let loader = spawn("load", &daemon, move |daemon| {
        daemon.tell_ready();
        let since = Clock::system().monotonic();
        let first = daemon.load(place.as_deref());
        daemon.registry.all_started();
        serve::hook::replay(&heard);
        if let Some((project, before)) = first {
            let took = || Clock::system().monotonic().saturating_duration_since(since);
            daemon.greeting.reading(&project, &before, took, || !*daemon.stop.borrow());
        }
    })?;
    tracing::info!(socket = %daemon.settings.socket.display(), version = env!("CARGO_PKG_VERSION"), files, "listening");
    greeting.listening(&daemon.settings.socket);
    let mut overdue = stopped.clone();
    let served = runtime.block_on(async move {
        let serving = serve::run(bound, app, async move { told(&mut stopped).await });
        tokio::select! {
            served = serving => served,
            () = async { told(&mut overdue).await; tokio::time::sleep(LAST_ANSWERS).await } => {
                tracing::warn!("some requests did not finish in time and were cut off");
                Ok(())
            }
        }
    });

    daemon.stop.send_replace(true);
    let loaded = loader.join();
    daemon.registry.stop();
    runtime.shutdown_timeout(CUT_OFF);
    hangup.close();
    let listened = listener.join();
    tracing::info!("stopped");
    if loaded.is_err() || listened.is_err() {
        return Err(Failure::new("a thread of the daemon panicked; its message stands in the log"));
    }
    if let Some(failure) = daemon.failure.lock().take() {
        return Err(failure);
    }
    Ok(served.context("the socket failed")?)
}

/// Whatever the threads are waiting for: the second request ends the process in the very moment it arrives.
fn leave_at_once_when_told_twice() -> std::io::Result<()> {
    let told = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGINT] {
        flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&told))?;
        flag::register(signal, Arc::clone(&told))?;
    }
    Ok(())
}

async fn told(stop: &mut watch::Receiver<bool>) {
    // An error means the sender is gone, and with it the daemon.
    let _ = stop.wait_for(|stop| *stop).await;
}

fn spawn(
    name: &str,
    daemon: &Arc<Daemon>,
    work: impl FnOnce(&Daemon) + Send + 'static,
) -> anyhow::Result<JoinHandle<()>> {
    let daemon = Arc::clone(daemon);
    thread::spawn(name, move || work(&daemon)).with_context(|| format!("cannot start the thread {name}"))
}

impl Daemon {
    /// The project the user stands in first: its greeting is waited for. It comes back with what it taught before.
    fn load(&self, place: Option<&Path>) -> Option<(Arc<Project>, Past)> {
        let mut first = None;
        if let Some(place) = place {
            match self.registry.add(place) {
                Ok(project) => {
                    self.greeting.watching(&loaded(&project));
                    let known = Past::of(&project);
                    first = Some((project, known));
                }
                Err(error) => {
                    let failure = anyhow::Error::new(error).context("cannot watch this project");
                    tracing::error!(reason = %format!("{failure:#}"), "stopping");
                    *self.failure.lock() = Some(Failure::from(failure).hint("`lokid doctor` looks closer"));
                    self.halt();
                    return None;
                }
            }
        }
        if *self.stop.borrow() {
            return None;
        }
        for error in self.registry.start_saved() {
            tracing::warn!(reason = %error, "a project watched before cannot be watched now");
        }
        self.registry.sweep();
        let projects = self.registry.projects();
        self.greeting.also(projects.len().saturating_sub(usize::from(place.is_some())));
        tracing::info!(projects = projects.len(), "all projects are loaded");
        self.notifier.status(&format!("watching {}", words::count(projects.len() as u64, "project", "projects")));
        first
    }

    /// Whoever waits for the daemon to be ready may ask it from then on: it is asked first.
    fn tell_ready(&self) {
        if !self.notifier.is_heard() {
            return;
        }
        match Client::new(&self.settings.socket).send(&Request::get("/v1/health")) {
            Ok(health) if health.is_success() => self.notifier.tell("READY=1\nSTATUS=reading the projects"),
            Ok(refusal) => tracing::error!(status = refusal.status, "the socket refuses what it should answer"),
            Err(error) => tracing::error!(reason = %error, "the socket does not answer"),
        }
    }

    fn halt(&self) {
        self.notifier.tell("STOPPING=1\nSTATUS=writing what was accepted");
        self.stop.send_replace(true);
    }

    /// Sleeps until a signal comes.
    fn obey(&self, signals: &mut Signals) {
        for signal in signals.forever() {
            match signal {
                SIGHUP => self.reload(),
                SIGUSR1 => self.tell_status(),
                SIGUSR2 => self.consolidate(),
                _ => {
                    tracing::info!("stopping");
                    self.halt();
                    // Somebody may wait for one, and answers that are under way are waited for.
                    self.registry.end_nights();
                }
            }
        }
    }

    fn reload(&self) {
        let config = match self.settings.reload() {
            Ok(config) => config,
            Err(failure) => {
                let why = failure.message().unwrap_or_default();
                tracing::error!(reason = %why, "the new configuration is refused, the old one stays");
                return;
            }
        };
        if config.server.socket != self.settings.config.server.socket
            || config.log.format != self.settings.config.log.format
        {
            tracing::warn!("server.socket and log.format take effect at the next start");
        }
        self.logging.reconfigure(&config.log);
        self.registry.reconfigure(config);
        tracing::info!(path = %self.settings.config_path.display(), "configuration read again");
    }

    fn consolidate(&self) {
        for project in self.registry.projects() {
            project.night.consolidate_soon(Cause::Signal);
        }
    }

    fn tell_status(&self) {
        let projects = self.registry.projects();
        for project in &projects {
            tracing::info!(
                project = %project.env.root.display(),
                memories = project.writer.snapshot().len(),
                problems = project.writer.problems().len(),
                backlog = project.writer.backlog(),
                writes = project.writer.counters().writes.load(Ordering::Relaxed),
                "status"
            );
        }
        let rss_bytes = process::rss_bytes().unwrap_or(0);
        tracing::info!(projects = projects.len(), rss_bytes, "status of all");
    }
}

fn loaded(project: &Project) -> Loaded {
    let snapshot = project.writer.snapshot();
    let by_kind = Kind::ALL.iter().map(|kind| (kind.as_str().to_owned(), snapshot.count(*kind) as u64)).collect();
    Loaded { root: project.env.root.to_owned(), by_kind }
}
