//! Which projects are being read from disk right now, and waiting for them.
//!
//! They are announced before the first request is taken, so that one who asks early waits, or is told to, and does not
//! hear that there is no such project.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use parking_lot::RwLock;
use tokio::sync::watch;

use super::Registry;
use crate::error::ProjectError;

#[derive(Default)]
pub(super) struct Readings {
    roots: RwLock<BTreeSet<PathBuf>>,
    /// Told whenever one of them is over.
    over: watch::Sender<()>,
}

/// A project is being read, until this is dropped, however that comes about.
pub(super) struct ProjectReading<'a> {
    all: &'a Readings,
    root: &'a Path,
}

impl Readings {
    pub(super) fn begin<'a>(&'a self, root: &'a Path) -> ProjectReading<'a> {
        self.roots.write().insert(root.to_owned());
        ProjectReading { all: self, root }
    }

    pub(super) fn is_over(&self) -> bool {
        self.roots.read().is_empty()
    }

    pub(super) fn has(&self, root: &Path) -> bool {
        self.roots.read().contains(root)
    }

    pub(super) fn error(&self) -> ProjectError {
        let paths: Vec<String> = self.roots.read().iter().map(|path| path.display().to_string()).collect();
        ProjectError::Starting { path: paths.join(", ") }
    }
}

impl Drop for ProjectReading<'_> {
    fn drop(&mut self) {
        self.all.roots.write().remove(self.root);
        self.all.over.send_replace(());
    }
}

impl Registry {
    /// Says before the first request is taken which projects are about to be started.
    pub fn announce(&self, place: Option<&Path>) {
        let saved = self.saved().unwrap_or_default();
        let paths = saved.iter().map(PathBuf::as_path).chain(place);
        let roots = paths.filter_map(|path| self.locate(path)).map(|located| located.root);
        self.reading.roots.write().extend(roots);
    }

    /// Whatever was announced and is not there by now will not come.
    pub fn all_started(&self) {
        self.reading.roots.write().clear();
        self.reading.over.send_replace(());
    }

    /// Returns as soon as this project is not being read, or no longer; without a path, as soon as none is.
    pub async fn until_read(&self, named: Option<&Path>) {
        if self.reading.is_over() {
            return;
        }
        let mut over = self.reading.over.subscribe();
        while matches!(self.find(named), Err(ProjectError::Starting { .. })) {
            // The sender lives as long as the registry.
            if over.changed().await.is_err() {
                return;
            }
        }
    }
}
