//! What is known of the repository itself: its working trees, its history and its code. Filled once the eyes are open; a
//! project that is not watched knows what earlier runs kept.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::env::Env;
use super::past::{self, CodeMap, PastHandle, PastKnown};
use super::trees::{self, Trees};
use lokid_model::{Signal, SignalKind};
use lokid_sys::kept;

pub struct Repository {
    env: Arc<Env>,
    watched: OnceLock<(Trees, PastHandle)>,
    kept: OnceLock<PastKnown>,
}

impl Repository {
    pub(super) fn new(env: Arc<Env>) -> Repository {
        Repository { env, watched: OnceLock::new(), kept: OnceLock::new() }
    }

    /// The project is watched from now on.
    pub(super) fn attach(&self, trees: Trees, past: PastHandle) {
        let _ = self.watched.set((trees, past));
    }

    /// The reader of the past, where the project is watched.
    pub(super) fn past(&self) -> Option<&PastHandle> {
        self.watched.get().map(|(_, past)| past)
    }

    /// What the history and the files tell.
    pub(super) fn known(&self) -> PastKnown {
        match self.past() {
            Some(past) => past.known(),
            None => {
                let redact = &self.env.config.load().redact;
                self.kept.get_or_init(|| past::kept_evidence(&self.env.cache, &self.env.state, redact)).clone()
            }
        }
    }

    /// What the source files define and import.
    pub(super) fn code(&self) -> Arc<CodeMap> {
        self.past().map(PastHandle::code).unwrap_or_default()
    }

    pub(super) fn is_reading(&self) -> bool {
        self.past().is_some_and(|past| !past.progress().is_complete())
    }

    /// The text of a file as it stands.
    pub(super) fn text_of(&self, path: &str, largest: u64) -> Option<String> {
        let own = self.watched.get().and_then(|(trees, _)| trees.own_doings());
        trees::text_of(&self.env, own, path, largest)
    }

    fn trees(&self) -> Vec<PathBuf> {
        let states = self.watched.get().map(|(trees, _)| trees.states()).unwrap_or_default();
        states.into_iter().map(|(tree, _)| tree).collect()
    }

    /// The linked working tree a path is in.
    pub(super) fn linked_tree(&self, path: Option<&Path>) -> Option<String> {
        let path = path?;
        let around = self.trees().into_iter().filter(|tree| path.starts_with(tree));
        let nearest = around.max_by_key(|tree| tree.as_os_str().len()).filter(|tree| *tree != self.env.root);
        nearest.map(|tree| tree.display().to_string())
    }

    /// A signal somebody sends, in the words of one that was seen: its path as memories name it, and its working tree.
    pub fn placed(&self, signal: Signal, from: Option<&Path>) -> Signal {
        let is_about_file = matches!(signal.kind, SignalKind::FileOpened | SignalKind::FileEdited | SignalKind::Error);
        let named = signal.path.as_deref().filter(|_| is_about_file);
        let absolute = named.map(Path::new).filter(|path| path.is_absolute());
        let worktree = self.linked_tree(absolute.or(from));
        let path = named.map(|path| self.inside(path)).or_else(|| signal.path.clone());
        Signal { worktree, path, ..signal }
    }

    /// Is the file of this name in the working tree, under this name or the one it has today?
    pub fn stands(&self, path: &str) -> bool {
        let here = |path: &str| kept::is_inside(&self.env.root, path);
        here(path) || self.known().cochange.name_today(path).is_some_and(here)
    }

    /// A path as memories name it: relative to its working tree.
    pub fn inside(&self, path: &str) -> String {
        let trees = self.trees();
        let trees = trees.iter().map(PathBuf::as_path).chain([self.env.root.as_path()]);
        let inside =
            trees.filter_map(|tree| Path::new(path).strip_prefix(tree).ok()).min_by_key(|rest| rest.as_os_str().len());
        let inside = inside.and_then(Path::to_str).unwrap_or(path);
        inside.trim_start_matches("./").to_owned()
    }
}
