//! The projects a daemon watches: finding the one a path belongs to, starting and stopping them.

mod alone;
mod known;
mod reading;

pub use known::{KnownProject, strip_at, traces_at};

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arc_swap::ArcSwap;
use parking_lot::{Mutex, RwLock};

use super::authority::Authority;
use super::commons::Commons;
use super::env::Env;
use super::error::ProjectError;
use super::feed::Feed;
use super::identity::ProjectBook;
use super::judge::Judge;
use super::memory_care::MemoryCare;
use super::place::{captures, memory_dir, no_place, split};
use super::project::{Project, Shared};
use super::redaction::Redaction;
use lokid_config::Config;
use lokid_store::{Options, Store, StorePlace};
use lokid_sys::{Clock, Dirs, Disk, Faults, InstanceError, InstanceLock, git, plain};
use reading::Readings;

/// Paths that were found to lie in a project, so that a busy client does not cost a search each time.
const REMEMBERED_PATHS: usize = 4096;

pub struct Registry {
    dirs: Dirs,
    config: Arc<ArcSwap<Config>>,
    clock: Clock,
    feed: Feed,
    redaction: Redaction,
    shared: Shared,
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
            shared: Shared {
                judge: Arc::new(Judge::open(Some(dirs.state.join("judge.json")))),
                memory: Arc::new(MemoryCare::new(clock.clone(), Arc::clone(&config))),
                commons: Commons::default(),
            },
            config,
            clock,
            feed: Feed::default(),
            projects: RwLock::default(),
            resolved: RwLock::default(),
            reading: Readings::default(),
            door: Mutex::new(()),
            faults: None,
            redaction,
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
            self.projects().iter().for_each(|project| project.search.reconfigured());
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
            let shared = self.config().project.worktrees.share();
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
        let located = self.locate(path).ok_or_else(|| unusable(path, "it lies in no folder that can be read"))?;
        match no_place(&located.root, located.git_dir.is_some()) {
            Some(why) => Err(unusable(&located.root, why)),
            None => Ok(located),
        }
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
        project.search.handle();
        project.look_ahead();
        project.watch();
        if let Err(error) = project.have_nights() {
            tracing::error!(project = %project.env.name, reason = %error, "there will be no nights");
        }
        let book = ProjectBook::open(&self.dirs).map_err(|error| unusable(path, error))?;
        book.set_watched(&project.env.id, true).map_err(|error| unusable(path, error))?;
        Ok(project)
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
        let saved = ProjectBook::open(&self.dirs).and_then(|book| book.read());
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
        let book = ProjectBook::open(&self.dirs).map_err(|error| unusable(path, error))?;
        let known = |path: &Path| {
            let all = book.read().unwrap_or_default();
            all.into_iter().find(|known| known.watched && known.path == path)
        };
        let (id, root) = match self.find(Some(path)) {
            Ok(project) => (project.env.id.clone(), project.env.root.clone()),
            Err(error) => known(path).map(|known| (known.id, known.path)).ok_or(error)?,
        };
        let project = self.projects.write().remove(&root);
        self.resolved.write().clear();
        if let Some(project) = project {
            project.stop();
        }
        book.set_watched(&id, false).map_err(|error| unusable(path, error))?;
        Ok(root)
    }

    /// Nights end at their next step. Does not wait for them.
    pub fn end_nights(&self) {
        self.shared.judge.stop();
        self.projects.read().values().for_each(|project| project.night.ask_to_stop());
    }

    /// Drains every inbox and waits until the last write is done.
    pub fn stop(&self) {
        let _one_at_a_time = self.door.lock();
        // All at once: each may need a moment.
        self.end_nights();
        let projects = std::mem::take(&mut *self.projects.write());
        for project in projects.values() {
            project.quiet();
            project.writer.stop();
        }
        for project in projects.values() {
            project.stop();
        }
    }

    fn start(&self, located: &Located, read_only: bool) -> Result<Arc<Project>, ProjectError> {
        let failed = |error: io::Error| unusable(&located.root, error);
        let now = self.clock.now();
        let book = ProjectBook::open(&self.dirs).map_err(failed)?;
        let known = book.identify(&located.root, located.git_dir.as_deref(), now).map_err(failed)?;
        self.leave_former_place(&known.id, &located.root);
        let proof = known.proof();
        let env = Env {
            name: located.root.display().to_string().into(),
            memory_dir: memory_dir(&located.root),
            captures: captures(&located.root),
            read_only,
            state: self.dirs.state.join("projects").join(&known.id),
            own: [self.dirs.data.join(&known.id).join("private"), self.system()],
            cache: self.dirs.cache.join(&known.id),
            root: located.root.clone(),
            id: known.id.clone(),
            clock: self.clock.clone(),
            config: Arc::clone(&self.config),
            redaction: self.redaction.clone(),
            feed: self.feed.clone(),
            started_at: now,
            writer_name: book.writer().map_err(failed)?,
        };
        let lock = if read_only { None } else { Some(self.lock(&env.root, &env.state)?) };
        if !read_only {
            sweep(&[&env.state, &env.cache, &self.dirs.data.join(&env.id)]);
            if self.projects.read().is_empty() {
                sweep(&[&self.system()]);
            }
        }
        let store = self.open_store(&env, proof).map_err(failed)?;
        let authority = Authority::open(self.dirs.data.join(&env.id), read_only, known.adopts);
        let id = env.id.clone();
        let project = Arc::new(Project::open(env, (store, authority), lock, &self.shared).map_err(failed)?);
        if known.adopts && !read_only {
            book.set_adopted(&id).map_err(failed)?;
        }
        Ok(project)
    }

    /// A project that was moved while it was open still stands in the list under the path it had, and holds its lock.
    fn leave_former_place(&self, id: &str, root: &Path) {
        let former = |project: &Project| project.env.id == id && project.env.root != root;
        let Some(project) = self.projects().into_iter().find(|project| former(project)) else { return };
        self.projects.write().remove(&project.env.root);
        self.resolved.write().clear();
        tracing::info!(from = %project.env.name, to = %root.display(), "the project was moved");
        project.stop();
    }

    fn open_store(&self, env: &Env, proof: String) -> io::Result<Store> {
        let (root, shared) = split(&env.root, &env.memory_dir);
        let [private, system] = env.own.clone();
        let (state, writer) = (env.state.clone(), env.writer_name.clone());
        let place = StorePlace { root, shared, private, system, proof, state, writer };
        let config = env.config.load();
        let (lock_timeout, max_document) = (config.store.lock_timeout, config.store.max_document);
        let options = Options { lock_timeout, max_document, read_only: env.read_only };
        Store::open(&place, options, &env.door(), self.faults.clone())
    }

    /// Where stands what all projects of the user know.
    fn system(&self) -> PathBuf {
        self.dirs.data.join("system")
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

/// Half-written files of a process that was killed; the store sees to the repository's.
fn sweep(folders: &[&Path]) {
    for folder in folders.iter().filter(|folder| plain::folder_identity(folder).is_ok()) {
        if let Err(error) = Disk::open(folder).and_then(|disk| disk.sweep()) {
            tracing::debug!(reason = %error, "half-written files may be left");
        }
    }
}

fn unusable(path: &Path, reason: impl std::fmt::Display) -> ProjectError {
    ProjectError::Unusable { path: path.display().to_string(), reason: reason.to_string() }
}
