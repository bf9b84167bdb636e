//! The working trees that are watched: the project's own, and those that `git worktree add` made of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use super::env::Env;
use lokid_sys::{git, kept, plain};
use lokid_watch::{OwnDoings, Seen, Watch, WatchLimits, WatchPlan, WatchState, ignored_by};

/// Takes what was seen in a working tree; answers whether there was room.
pub(super) type Sink = dyn Fn(&Arc<Path>, Seen) -> bool + Send + Sync;

/// The repository's own files, in order; outside git there are none. Their names may be secrets.
pub(super) fn tracked_files(env: &Env) -> Vec<String> {
    let mut files = git::tracked(&env.root).unwrap_or_default();
    files.retain(|path| !path.starts_with(".loki/"));
    let is_ignored = ignored_by(&env.config.load().watch.ignore);
    files.retain(|path| !is_ignored(path));
    files
}

/// The text of a file of the working tree, its opening announced so that nobody takes it for somebody's.
pub(super) fn text_of(env: &Env, own: Option<OwnDoings>, path: &str, largest: u64) -> Option<String> {
    if !kept::is_inside(&env.root, path) {
        return None;
    }
    own.inspect(|own| own.expect_open(path));
    let bytes = plain::read(&env.root.join(path), largest).ok()??;
    (!bytes.contains(&0)).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// Nobody changes more files of one folder at once by hand.
const TOLD_SINGLY: usize = 64;

#[derive(Clone)]
pub(super) struct Trees {
    env: Arc<Env>,
    sink: Arc<Sink>,
    watched: Arc<Mutex<BTreeMap<PathBuf, Watched>>>,
}

struct Watched {
    watch: Watch,
    plan: WatchPlan,
}

impl Trees {
    pub(super) fn new(env: Arc<Env>, sink: Arc<Sink>) -> Trees {
        Trees { env, sink, watched: Arc::default() }
    }

    /// Watches what is there and lets go of what is gone. Answers with what is there.
    pub(super) fn follow(&self) -> Vec<PathBuf> {
        let wanted = self.wanted();
        let gone: Vec<Watched> = {
            let mut watched = self.watched.lock();
            let gone: Vec<PathBuf> = watched.keys().filter(|known| !wanted.contains(known)).cloned().collect();
            gone.iter().filter_map(|path| watched.remove(path)).collect()
        };
        gone.into_iter().for_each(|watched| watched.watch.stop());
        for worktree in &wanted {
            if self.watched.lock().contains_key(worktree) {
                continue;
            }
            let plan = self.plan(worktree);
            let (tree, sink): (Arc<Path>, _) = (worktree.as_path().into(), Arc::clone(&self.sink));
            let sink = move |seen| sink(&tree, seen);
            match Watch::start(plan.clone(), self.env.clock.clone(), sink) {
                Ok(watch) => {
                    self.watched.lock().insert(worktree.clone(), Watched { watch, plan });
                }
                Err(error) => {
                    let tree = worktree.display().to_string();
                    tracing::error!(tree, reason = %error, "cannot be watched; files are looked at when somebody asks");
                }
            }
        }
        wanted
    }

    /// The project's own tree first.
    fn wanted(&self) -> Vec<PathBuf> {
        let root = self.env.root.clone();
        let shared = self.env.config.load().project.worktrees.share();
        let linked = match git::head::common_dir(&root) {
            Some(common) if shared => git::linked_worktrees(&common),
            _ => Vec::new(),
        };
        let others: Vec<PathBuf> = linked.into_iter().filter(|tree| *tree != root).collect();
        std::iter::once(root).chain(others).collect()
    }

    fn plan(&self, worktree: &Path) -> WatchPlan {
        let config = self.env.config.load();
        let is_main = worktree == self.env.root;
        let usual = self.env.root.join(".loki").join("memory");
        WatchPlan {
            worktree: worktree.to_owned(),
            git_dir: git::head::git_dir(worktree),
            common_dir: git::head::common_dir(worktree),
            loki_dir: worktree.join(".loki"),
            memory_dir: (is_main && self.env.memory_dir != usual).then(|| self.env.memory_dir.clone()),
            ignore: config.watch.ignore.clone(),
            error_logs: config.watch.error_logs.clone(),
            limits: WatchLimits {
                max_watches: config.watch.max_watches,
                told_singly: TOLD_SINGLY,
                ..WatchLimits::default()
            },
        }
    }

    pub(super) fn full_path(&self, tree: &Path, path: &str) -> PathBuf {
        let watched = self.watched.lock();
        watched.get(tree).map_or_else(|| tree.join(path), |watched| watched.plan.full_path(path))
    }

    pub(super) fn states(&self) -> Vec<(PathBuf, WatchState)> {
        self.watched.lock().iter().map(|(path, watched)| (path.clone(), watched.watch.state())).collect()
    }

    /// Where our own reading of the project's files is announced.
    pub(crate) fn own_doings(&self) -> Option<OwnDoings> {
        self.watched.lock().get(&self.env.root).map(|watched| watched.watch.own_doings())
    }

    pub(super) fn close(&self) {
        let watched = std::mem::take(&mut *self.watched.lock());
        watched.into_values().for_each(|watched| watched.watch.stop());
    }
}
