//! Every project that was ever seen and where its parts are: for whoever wants to remove them, and for sweeping out the
//! caches of those that are gone.

use std::io;
use std::path::{Path, PathBuf};

use super::{Registry, unusable};
use crate::error::ProjectError;
use crate::identity::{KnownIdentity, ProjectBook, is_id};
use crate::place::{memory_dir, split};
use lokid_model::{Memory, Scope};
use lokid_store::traces::{self, Traces};
use lokid_sys::plain;

#[derive(Clone, Debug)]
pub struct KnownProject {
    pub id: String,
    /// Where it stood when it was last seen.
    pub root: PathBuf,
    pub state: PathBuf,
    pub cache: PathBuf,
    /// What its user keeps to themselves.
    pub data: PathBuf,
}

/// Where the memory of the repository at `root` stands, and what of it is lokid's; `None` when there is none.
pub fn traces_at(root: &Path) -> io::Result<(PathBuf, Option<Traces>)> {
    let memory_dir = memory_dir(root);
    let (base, shared) = split(root, &memory_dir);
    let traces = if plain::folder_identity(&base).is_ok() { traces::look(&base, &shared)? } else { None };
    Ok((memory_dir, traces))
}

/// Takes lokid's part out of the documents that Loki Mode writes too, once its memories are gone.
pub fn strip_at(root: &Path) -> io::Result<()> {
    let (base, shared) = split(root, &memory_dir(root));
    if plain::folder_identity(&base).is_ok() { traces::strip(&base, &shared) } else { Ok(()) }
}

impl Registry {
    /// In the order in which they were first seen.
    pub fn known(&self) -> Result<Vec<KnownProject>, ProjectError> {
        let failed = |error| unusable(&self.dirs.state, error);
        // Asking leaves nothing behind.
        if plain::folder_identity(&self.dirs.state).is_err() {
            return Ok(Vec::new());
        }
        let known = ProjectBook::open(&self.dirs).and_then(|book| book.read()).map_err(failed)?;
        Ok(known.into_iter().map(|known| self.place(known)).collect())
    }

    /// What is kept for projects that nobody knows any more, and a list of projects that was found damaged.
    pub fn orphans(&self) -> Result<Vec<PathBuf>, ProjectError> {
        if plain::folder_identity(&self.dirs.state).is_err() {
            return Ok(Vec::new());
        }
        let orphans = ProjectBook::open(&self.dirs).and_then(|book| book.orphans());
        orphans.map_err(|error| unusable(&self.dirs.state, error))
    }

    /// The ones that are, or were, where a path lies. Usually one; several where one repository took another's place.
    pub fn known_at(&self, path: &Path) -> Result<(PathBuf, Vec<KnownProject>), ProjectError> {
        let root = self.locate(path).map_or_else(|| path.to_owned(), |located| located.root);
        let at = |known: &KnownProject| known.root == root || known.root == path;
        Ok((root.clone(), self.known()?.into_iter().filter(at).collect()))
    }

    fn place(&self, known: KnownIdentity) -> KnownProject {
        KnownProject {
            state: self.dirs.state.join("projects").join(&known.id),
            cache: self.dirs.cache.join(&known.id),
            data: self.dirs.data.join(&known.id),
            root: known.path,
            id: known.id,
        }
    }

    /// Where the project of a path stands, and where its state is kept. Starts nothing.
    pub fn place_of(&self, path: &Path) -> Result<(PathBuf, PathBuf), ProjectError> {
        let located = self.locate_existing(path)?;
        let failed = |error: io::Error| unusable(&located.root, error);
        let book = ProjectBook::open(&self.dirs).map_err(failed)?;
        let known = book.identify(&located.root, located.git_dir.as_deref(), self.clock.now()).map_err(failed)?;
        Ok((located.root.clone(), self.dirs.state.join("projects").join(&known.id)))
    }

    /// How many memories it has, living and archived; `None` when that cannot be found out.
    pub fn count(&self, known: &KnownProject) -> Option<(usize, usize)> {
        plain::folder_identity(&known.state).ok()?;
        let located = self.locate(&known.root).filter(|located| located.root == known.root)?;
        let project = self.start(&located, true).ok()?;
        let snapshot = project.writer.snapshot();
        // What all projects know is no part of this one.
        let is_own = |memory: &Memory| memory.scope != Scope::System;
        let common = snapshot.memories().filter(|memory| !is_own(memory)).count();
        let living = snapshot.len().saturating_sub(snapshot.derived_count() + common);
        let counted = (living, snapshot.all_archived().filter(|entry| is_own(&entry.memory)).count());
        project.stop();
        Some(counted)
    }

    /// From now on nobody has heard of it.
    pub fn strike(&self, id: &str) -> Result<(), ProjectError> {
        let struck = ProjectBook::open(&self.dirs).and_then(|book| book.strike(id));
        struck.map_err(|error| unusable(&self.dirs.state, error))
    }

    /// Removes the caches of projects that nobody knows, and of those that are neither watched nor there. They can be
    /// made again; state and memories stay, whatever became of the repository. Answers with how many went.
    pub fn sweep(&self) -> usize {
        let Ok(known) = ProjectBook::open(&self.dirs).and_then(|book| book.read()) else { return 0 };
        let folders = plain::files_in(&self.dirs.cache).unwrap_or_default();
        let is_wanted = |name: &str| {
            let entry = known.iter().find(|known| known.id == name);
            entry.is_some_and(|known| known.watched || plain::folder_identity(&known.path).is_ok())
        };
        let surplus = folders.iter().filter(|folder| {
            let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            // Only what looks like one of ours.
            is_id(name) && !is_wanted(name)
        });
        let gone = surplus.filter(|folder| plain::remove_folder(folder).is_ok()).count();
        if gone > 0 {
            tracing::info!(caches = gone, "removed the caches of projects that are gone");
        }
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_config::Config;
    use lokid_sys::{Clock, Dirs};

    #[test]
    fn caches_of_projects_that_are_gone_are_swept_and_nothing_else() {
        let lab = tempfile::tempdir().unwrap();
        let dirs = Dirs::under(lab.path());
        let registry = Registry::open(dirs.clone(), Config::default(), Clock::system());
        let (here, gone) = (lab.path().join("here"), lab.path().join("gone"));
        plain::make_folder(&here).unwrap();
        plain::make_folder(&gone).unwrap();
        let (_, at_home) = registry.place_of(&here).unwrap();
        let (_, away) = registry.place_of(&gone).unwrap();
        let name = |state: &Path| state.file_name().unwrap().to_owned();
        let cache = |name: &std::ffi::OsStr| dirs.cache.join(name);
        for folder in [cache(&name(&at_home)), cache(&name(&away)), dirs.cache.join("00112233445566aa")] {
            plain::make_folder(&folder.join("past")).unwrap();
        }
        plain::make_folder(&dirs.cache.join("models")).unwrap();
        assert_eq!(registry.sweep(), 1, "a cache of nobody");
        plain::remove_folder(&gone).unwrap();
        assert_eq!(registry.sweep(), 1, "a cache of a folder that is gone");
        assert_eq!(registry.sweep(), 0);
        assert!(cache(&name(&at_home)).exists() && dirs.cache.join("models").exists());
        assert!(!cache(&name(&away)).exists());
        assert_eq!(registry.known().unwrap().len(), 2, "both are still known");
    }

    #[test]
    fn whoever_is_struck_is_not_known_and_asking_makes_no_folder() {
        let lab = tempfile::tempdir().unwrap();
        let dirs = Dirs::under(lab.path());
        let registry = Registry::open(dirs.clone(), Config::default(), Clock::system());
        assert!(registry.known().unwrap().is_empty() && !dirs.state.exists());
        registry.place_of(lab.path()).unwrap();
        let (root, known) = registry.known_at(lab.path()).unwrap();
        assert_eq!((root, known.len()), (lab.path().canonicalize().unwrap(), 1));
        registry.strike(&known[0].id).unwrap();
        assert!(registry.known().unwrap().is_empty());
    }
}
