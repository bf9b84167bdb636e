//! The projects a daemon watches: finding the one a path belongs to, starting and stopping them.

mod alone;
mod known;
mod reading;

pub use known::{KnownProject, strip_at, traces_at};

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwap;
use parking_lot::{Mutex, RwLock};

use super::care::Care;
use super::derived::Derived;
use super::ears::Ears;
use super::economy::Economy;
use super::error::ProjectError;
use super::event::Event;
use super::eyes::{Eyes, Setting};
use super::feed::Feed;
use super::foresight::Foresight;
use super::identity::Book;
use super::judge::Judge;
use super::layers::LayersDue;
use super::night::Night;
use super::past;
use super::place::{captures, memory_dir, split};
use super::project::{Counters, Project};
use super::redaction::Redaction;
use super::review::Review;
use super::run::Writer;
use super::strategy::{self, Strategy};
use super::usage::UsageBook;
use lokid_config::{Config, Worktrees};
use lokid_index::Snapshot;
use lokid_store::{Options, Place, Store};
use lokid_sys::{Clock, Dirs, Faults, InstanceError, InstanceLock, git, plain, thread};
use reading::Readings;

/// Paths that were found to lie in a project, so that a busy client does not cost a search each time.
const REMEMBERED_PATHS: usize = 4096;

pub struct Registry {
    dirs: Dirs,
    config: Arc<ArcSwap<Config>>,
    clock: Clock,
    feed: Feed,
    redaction: Redaction,
    judge: Arc<Judge>,
    care: Arc<Care>,
    projects: RwLock<BTreeMap<PathBuf, Arc<Project>>>,
    resolved: RwLock<BTreeMap<PathBuf, PathBuf>>,
    /// Being read from disk right now.
    reading: Readings,
    /// Starting and stopping happen one after the other.
    door: Mutex<()>,
    /// What a test lets happen to the disk below the stores.
    faults: Option<Arc<Faults>>,
}

/// Where the memory of a path lives.
struct Located {
    root: PathBuf,
    git_dir: Option<PathBuf>,
}

impl Registry {
    pub fn open(dirs: Dirs, config: Config, clock: Clock) -> Registry {
        let redaction = Redaction::new(&config.redact);
        let config = Arc::new(ArcSwap::from_pointee(config));
        Registry {
            redaction,
            judge: Arc::new(Judge::open(Some(dirs.state.join("judge.json")))),
            care: Arc::new(Care::new(clock.clone(), Arc::clone(&config))),
            config,
            clock,
            feed: Feed::default(),
            projects: RwLock::default(),
            resolved: RwLock::default(),
            reading: Readings::default(),
            door: Mutex::new(()),
            faults: None,
            dirs,
        }
    }

    /// Every store opened from now on fails as planned; for tests.
    pub fn with_faults(self, faults: Arc<Faults>) -> Registry {
        Registry { faults: Some(faults), ..self }
    }

    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    pub fn dirs(&self) -> &Dirs {
        &self.dirs
    }

    pub fn config(&self) -> Arc<Config> {
        self.config.load_full()
    }

    pub fn feed(&self) -> &Feed {
        &self.feed
    }

    /// The new configuration holds from the next request on; what a running project was started with stays.
    pub fn reconfigure(&self, config: Config) {
        let model_changed = self.config.swap(Arc::new(config)).embed != self.config.load().embed;
        self.resolved.write().clear();
        self.redaction.reconfigured(&self.config.load().redact);
        if model_changed {
            self.projects().iter().for_each(|project| project.reconfigured());
        }
    }

    /// In the order of their paths.
    pub fn projects(&self) -> Vec<Arc<Project>> {
        self.projects.read().values().cloned().collect()
    }

    /// The watched project a path lies in; without a path the only one there is.
    pub fn find(&self, path: Option<&Path>) -> Result<Arc<Project>, ProjectError> {
        let Some(path) = path else {
            let projects = self.projects.read();
            return match projects.len() {
                _ if !self.reading.is_over() => Err(self.reading.error()),
                0 => Err(ProjectError::NoneWatched),
                1 => Ok(projects.values().next().cloned().expect("there is one")),
                _ => Err(ProjectError::Ambiguous { watched: self.watched() }),
            };
        };
        if let Some(project) = self.remembered(path) {
            return Ok(project);
        }
        let not_watched = || ProjectError::NotWatched { path: path.display().to_string(), watched: self.watched() };
        let located = self.locate(path).ok_or_else(not_watched)?;
        let project = self.projects.read().get(&located.root).cloned();
        let project = project.ok_or_else(|| match self.reading.has(&located.root) {
            true => ProjectError::Starting { path: located.root.display().to_string() },
            false => not_watched(),
        })?;
        let mut resolved = self.resolved.write();
        if resolved.len() >= REMEMBERED_PATHS {
            resolved.clear();
        }
        resolved.insert(path.to_owned(), located.root);
        Ok(project)
    }

    fn remembered(&self, path: &Path) -> Option<Arc<Project>> {
        let projects = self.projects.read();
        projects.get(path).or_else(|| projects.get(self.resolved.read().get(path)?)).cloned()
    }

    fn watched(&self) -> String {
        let paths: Vec<String> = self.projects.read().keys().map(|path| path.display().to_string()).collect();
        if paths.is_empty() { "nothing".to_owned() } else { paths.join(", ") }
    }

    /// A repository's working trees share their memory unless the configuration keeps them apart. Outside git it is
    /// the nearest folder that has a `.loki`, else the folder itself.
    fn locate(&self, path: &Path) -> Option<Located> {
        // A file that is yet to be written, or is gone, still lies in its repository.
        let path = path.ancestors().find_map(|known| plain::canonical(known).ok())?;
        if let Some(checkout) = git::discover(&path) {
            let shared = self.config().project.worktrees == Worktrees::Shared;
            let root = match checkout.main_worktree {
                Some(main) if shared => main,
                _ => checkout.worktree,
            };
            return Some(Located { root, git_dir: Some(checkout.common_dir) });
        }
        let with_loki = path.ancestors().find(|folder| plain::folder_identity(&folder.join(".loki")).is_ok());
        let root = with_loki.unwrap_or(&path).to_owned();
        plain::folder_identity(&root).ok()?;
        Some(Located { root, git_dir: None })
    }

    fn locate_existing(&self, path: &Path) -> Result<Located, ProjectError> {
        plain::canonical(path).map_err(|error| unusable(path, error))?;
        self.locate(path).ok_or_else(|| unusable(path, "it lies in no folder that can be read"))
    }

    /// Starts watching the project a path lies in, and again whenever the daemon starts.
    pub fn add(&self, path: &Path) -> Result<Arc<Project>, ProjectError> {
        let _one_at_a_time = self.door.lock();
        let located = self.locate_existing(path)?;
        if let Some(project) = self.projects.read().get(&located.root) {
            return Ok(Arc::clone(project));
        }
        let reading = self.reading.begin(&located.root);
        let project = self.start(&located, false)?;
        self.projects.write().insert(located.root.clone(), Arc::clone(&project));
        drop(reading);
        project.search();
        self.watch(&project);
        if let Err(error) = Foresight::start(&project, self.feed.clone()) {
            tracing::error!(project = %project.root.display(), reason = %error, "nothing can be made ready in advance");
        }
        if let Err(error) = Night::start(&project) {
            tracing::error!(project = %project.root.display(), reason = %error, "there will be no nights");
        }
        let book = Book::open(&self.dirs.state).map_err(|error| unusable(path, error))?;
        book.set_watched(&project.id, true).map_err(|error| unusable(path, error))?;
        Ok(project)
    }

    /// Opens the project's eyes, unless somebody wants them shut. What cannot be watched can still be asked.
    fn watch(&self, project: &Arc<Project>) {
        let Some(cache) = project.cache.clone() else { return };
        project.hear_what_was_left();
        if !self.config.load().watch.enabled || !project.captures() {
            return;
        }
        let setting = Setting {
            project: project.root.display().to_string().into(),
            root: project.root.clone(),
            memory_dir: project.memory_dir.clone(),
            state: self.dirs.state.join("projects").join(&project.id),
            cache,
            clock: self.clock.clone(),
            config: Arc::clone(&self.config),
            redaction: self.redaction.clone(),
            engine: project.inbox.clone(),
            counters: Arc::clone(&project.counters),
            published: Arc::clone(&project.snapshot),
            feed: self.feed.clone(),
            foresight: Arc::clone(&project.foresight),
        };
        match Eyes::open(&setting) {
            Ok(eyes) => {
                let _ = project.tell_eyes.set(eyes.inbox());
                let _ = project.eyes.set(eyes);
            }
            Err(error) => {
                tracing::error!(project = %project.root.display(), reason = %error, "the project cannot be watched");
            }
        }
    }

    /// Opens the project a path lies in for this process only. While a daemon holds it, it is opened for reading.
    pub fn add_ephemeral(&self, path: &Path) -> Result<Arc<Project>, ProjectError> {
        let _one_at_a_time = self.door.lock();
        let located = self.locate_existing(path)?;
        let project = match self.start(&located, false) {
            Err(ProjectError::InUse { .. }) => self.start(&located, true)?,
            started => started?,
        };
        self.projects.write().insert(located.root, Arc::clone(&project));
        Ok(project)
    }

    /// Where the projects stand that were watched when the daemon last ran.
    pub fn saved(&self) -> Result<Vec<PathBuf>, ProjectError> {
        let saved = Book::open(&self.dirs.state).and_then(|book| book.read());
        let saved = saved.map_err(|error| unusable(&self.dirs.state, error))?;
        Ok(saved.into_iter().filter(|known| known.watched).map(|known| known.path).collect())
    }

    /// Starts the saved projects. One that cannot be started does not hinder the others.
    pub fn start_saved(&self) -> Vec<ProjectError> {
        match self.saved() {
            Ok(saved) => saved.iter().filter_map(|path| self.add(path).err()).collect(),
            Err(error) => vec![error],
        }
    }

    /// Stops watching, and answers with where the project stands. Nothing is erased. A project whose folder is gone can
    /// still be named.
    pub fn remove(&self, path: &Path) -> Result<PathBuf, ProjectError> {
        let _one_at_a_time = self.door.lock();
        let book = Book::open(&self.dirs.state).map_err(|error| unusable(path, error))?;
        let known = |path: &Path| {
            let all = book.read().unwrap_or_default();
            all.into_iter().find(|known| known.watched && known.path == path)
        };
        let (id, root) = match self.find(Some(path)) {
            Ok(project) => (project.id.clone(), project.root.clone()),
            Err(error) => known(path).map(|known| (known.id, known.path)).ok_or(error)?,
        };
        let project = self.projects.write().remove(&root);
        self.resolved.write().clear();
        if let Some(project) = project {
            stop(&project);
        }
        book.set_watched(&id, false).map_err(|error| unusable(path, error))?;
        Ok(root)
    }

    /// Nights end at their next step. Does not wait for them.
    pub fn end_nights(&self) {
        self.judge.stop();
        self.projects.read().values().for_each(|project| project.night.ask_to_stop());
    }

    /// Drains every inbox and waits until the last write is done.
    pub fn stop(&self) {
        let _one_at_a_time = self.door.lock();
        // All at once: each may need a moment.
        self.end_nights();
        let projects = std::mem::take(&mut *self.projects.write());
        for project in projects.values() {
            close_eyes(project);
            project.foresight.stop();
            project.night.stop();
            project.review.stop();
            ask_to_stop(project);
        }
        for project in projects.values() {
            stop(project);
        }
    }

    fn start(&self, located: &Located, read_only: bool) -> Result<Arc<Project>, ProjectError> {
        let failed = |error: io::Error| unusable(&located.root, error);
        let now = self.clock.now();
        let book = Book::open(&self.dirs.state).map_err(failed)?;
        let known = book.identify(&located.root, located.git_dir.as_deref(), now).map_err(failed)?;
        let state = self.dirs.state.join("projects").join(&known.id);
        let lock = if read_only { None } else { Some(self.lock(&located.root, &state)?) };
        let usage_file = state.join("usage.json");
        let cache_folder = self.dirs.cache.join(&known.id);
        let cache = (!read_only).then(|| cache_folder.clone());
        let memory_dir = memory_dir(&located.root);
        let (base, shared) = split(&located.root, &memory_dir);
        let place = Place {
            root: base,
            shared,
            private: self.dirs.data.join(&known.id).join("private"),
            state: state.clone(),
            writer: book.writer().map_err(failed)?,
        };
        let config = self.config();
        let options =
            Options { lock_timeout: config.store.lock_timeout, max_document: config.store.max_document, read_only };
        let store = Store::open(&place, options, self.faults.clone()).map_err(failed)?;
        let name: Arc<str> = located.root.display().to_string().into();
        let (sender, inbox) = crossbeam_channel::bounded(config.server.inbox);
        let published = Arc::new(ArcSwap::from_pointee(Snapshot::default()));
        let counters = Arc::new(Counters::default());
        let signals_by_kind = Arc::new(std::array::from_fn(|_| Default::default()));
        let search = Arc::new(OnceLock::new());
        let usage = Arc::new(UsageBook::open((!read_only).then_some(usage_file), self.clock.clone()));
        let tell_eyes = Arc::new(OnceLock::new());
        let foresight = Arc::new(Foresight::default());
        let economy = Arc::new(Economy::open((!read_only).then_some(state.clone())));
        let review = Arc::new(Review::default());
        let night = Arc::new(Night::open((!read_only).then(|| state.join("night.json"))));
        let strategy = if read_only {
            Strategy::open(None, None)
        } else {
            let (root, writer) = (located.root.clone(), place.writer.clone());
            let place = strategy::Place { root, loki: ".loki".into(), writer };
            Strategy::open(captures(&located.root).then_some(place), Some(state.join("strategy.json")))
        };
        let mut writer = Writer {
            search: Arc::clone(&search),
            usage: Arc::clone(&usage),
            project: name,
            store,
            state: Snapshot::default(),
            published: Arc::clone(&published),
            inbox,
            clock: self.clock.clone(),
            config: Arc::clone(&self.config),
            feed: self.feed.clone(),
            counters: Arc::clone(&counters),
            signals_by_kind: Arc::clone(&signals_by_kind),
            layers: LayersDue::default(),
            eyes: Arc::clone(&tell_eyes),
            foresight: Arc::clone(&foresight),
            derived: Derived::default(),
            economy: Arc::clone(&economy),
            night: Arc::clone(&night),
            review: Arc::clone(&review),
            refused: false,
            care: Arc::clone(&self.care),
        };
        writer.load(now);
        // What the repository taught earlier is known from the first question on.
        if config.bootstrap.enabled && captures(&located.root) {
            for (chapter, lesson) in past::kept(&self.dirs.cache.join(&known.id), &config.redact, now) {
                writer.take_lesson(now, chapter, lesson);
            }
        }
        let work = move || {
            let _held_while_running = lock;
            writer.run();
        };
        let thread = thread::spawn("engine", work).map_err(failed)?;
        let project = Arc::new(Project {
            id: known.id,
            root: located.root.clone(),
            capture: captures(&located.root),
            memory_dir,
            inbox: sender,
            snapshot: published,
            counters,
            signals_by_kind,
            thread: Mutex::new(Some(thread)),
            search,
            usage,
            cache,
            cache_folder,
            state,
            kept_past: OnceLock::new(),
            clock: self.clock.clone(),
            config: Arc::clone(&self.config),
            redaction: self.redaction.clone(),
            ears: Ears::default(),
            eyes: OnceLock::new(),
            tell_eyes,
            foresight,
            economy,
            night,
            review,
            strategy,
            judge: Arc::clone(&self.judge),
            feed: self.feed.clone(),
            started_at: now,
            care: Arc::clone(&self.care),
        });
        project.review.serve(&project);
        self.care.look_after(&project);
        Ok(project)
    }

    fn lock(&self, root: &Path, state: &Path) -> Result<InstanceLock, ProjectError> {
        InstanceLock::acquire(&state.join("engine.lock")).map_err(|error| match error {
            InstanceError::Held { pid, .. } => ProjectError::InUse {
                path: root.display().to_string(),
                pid: pid.map_or_else(|| "unknown".to_owned(), |pid| pid.to_string()),
            },
            error => unusable(root, error),
        })
    }
}

fn unusable(path: &Path, reason: impl std::fmt::Display) -> ProjectError {
    ProjectError::Unusable { path: path.display().to_string(), reason: reason.to_string() }
}

/// Waits for room in a full inbox: what was accepted before is written before.
fn ask_to_stop(project: &Project) {
    let _ = project.inbox.send(Event::Stop);
}

/// Before the writer stops: what was seen last is still told.
fn close_eyes(project: &Project) {
    project.ears.stop();
    if let Some(eyes) = project.eyes.get() {
        eyes.stop();
    }
}

fn stop(project: &Project) {
    close_eyes(project);
    project.foresight.stop();
    project.night.stop();
    project.review.stop();
    let thread = project.thread.lock().take();
    if let Some(thread) = thread {
        ask_to_stop(project);
        if thread.join().is_err() {
            tracing::error!(project = %project.root.display(), "the writer ended in a panic");
        }
    }
    if let Some(search) = project.search.get() {
        search.stop();
    }
}
