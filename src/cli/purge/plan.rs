//! What a purge removes: which paths, how large, and how many memories. It looks and removes nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::super::failure::Failure;
use super::super::settings::Settings;
use super::super::words;
use lokid_engine::{KnownProject, Registry, traces_at};
use lokid_model::Key;
use lokid_sys::plain;

pub(super) struct PurgePlan {
    pub(super) projects: Vec<Doomed>,
    /// lokid's own directories, when all of them go.
    pub(super) folders: Vec<Gone>,
}

/// One project's part.
pub(super) struct Doomed {
    pub(super) root: PathBuf,
    pub(super) memory_dir: PathBuf,
    /// `None` for a memory that came with the repository and was never used here.
    pub(super) known: Option<KnownProject>,
    /// Living and archived.
    pub(super) memories: Option<(usize, usize)>,
    pub(super) paths: Vec<Gone>,
    /// Folders that go if nothing is left in them, the innermost first.
    pub(super) empty: Vec<PathBuf>,
    /// Ours in files that stay.
    pub(super) records: Vec<Key>,
    /// Somebody else's in those.
    pub(super) stays: usize,
}

/// A path that goes.
pub(super) struct Gone {
    pub(super) path: PathBuf,
    pub(super) files: u64,
    pub(super) bytes: u64,
}

impl Gone {
    /// `None` when nothing is there.
    fn look(path: PathBuf) -> Option<Gone> {
        let (files, bytes) = plain::measure(&path)?;
        Some(Gone { path, files, bytes })
    }

    pub(super) fn row(&self) -> Vec<String> {
        let files = words::count(self.files, "file", "files");
        vec![format!("  {}", self.path.display()), files, words::size(self.bytes)]
    }
}

impl PurgePlan {
    pub(super) fn is_empty(&self) -> bool {
        self.folders.is_empty() && self.projects.iter().all(|doomed| doomed.paths.is_empty() && doomed.known.is_none())
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &Gone> {
        self.projects.iter().flat_map(|doomed| &doomed.paths).chain(&self.folders)
    }

    pub(super) fn of_project(registry: &Registry, path: &Path) -> Result<PurgePlan, Failure> {
        let (root, known) = registry.known_at(path).map_err(anyhow::Error::new)?;
        let mut projects = Vec::new();
        for known in known {
            projects.push(Doomed::of(registry, known)?);
        }
        if projects.is_empty() {
            // A repository may bring its memory along and never have been used here.
            projects.push(Doomed::in_repository(&root)?);
        }
        Ok(PurgePlan { projects, folders: Vec::new() })
    }

    pub(super) fn of_everything(registry: &Registry, settings: &Settings) -> Result<PurgePlan, Failure> {
        let mut projects: Vec<Doomed> = Vec::new();
        for known in registry.known().map_err(anyhow::Error::new)? {
            projects.push(Doomed::of(registry, known)?);
        }
        let dirs = &settings.dirs;
        let mut folders =
            BTreeSet::from([dirs.state.clone(), dirs.cache.clone(), dirs.data.clone(), dirs.config.clone()]);
        folders.extend(dirs.default_socket().parent().map(Path::to_owned));
        // Where the user chose another place for the socket.
        folders.extend([settings.socket.clone(), PathBuf::from(format!("{}.lock", settings.socket.display()))]);
        let inside = |path: &Path| folders.iter().any(|other| path != other && path.starts_with(other));
        let outermost: Vec<PathBuf> = folders.iter().filter(|path| !inside(path)).cloned().collect();
        for doomed in &mut projects {
            doomed.paths.retain(|gone| !inside(&gone.path));
        }
        Ok(PurgePlan { projects, folders: outermost.into_iter().filter_map(Gone::look).collect() })
    }
}

impl Doomed {
    fn of(registry: &Registry, known: KnownProject) -> Result<Doomed, Failure> {
        let mut doomed = Doomed::in_repository(&known.root)?;
        doomed.memories = registry.count(&known);
        let own = [known.state.clone(), known.cache.clone(), known.data.clone()];
        doomed.paths.extend(own.into_iter().filter_map(Gone::look));
        doomed.known = Some(known);
        Ok(doomed)
    }

    fn in_repository(root: &Path) -> Result<Doomed, Failure> {
        let (memory_dir, traces) = traces_at(root).with_context(|| format!("cannot look into {}", root.display()))?;
        let mut paths = Vec::new();
        let (mut records, mut stays) = (Vec::new(), 0);
        match traces {
            Some(traces) if traces.shared => {
                paths.extend(traces.own.iter().map(|own| memory_dir.join(own)));
                (records, stays) = (traces.records, traces.theirs);
            }
            Some(_) => paths.push(memory_dir.clone()),
            None => {}
        }
        let (loki, metrics) = (root.join(".loki"), root.join(".loki/metrics"));
        // What lies behind a link lies elsewhere, and is not ours.
        if !plain::is_link(&loki) && !plain::is_link(&metrics) {
            paths.push(metrics.join("memory-strategy"));
        }
        let managed = root.join(".loki/managed");
        // Loki Mode tells its events there, too; the file that keeps git away is ours alone.
        if !plain::is_link(&loki) && !plain::is_link(&managed) && plain::is_file(&managed.join(".gitignore")) {
            paths.push(managed);
        }
        let empty = vec![memory_dir.join("semantic"), memory_dir.join("episodic"), memory_dir.clone(), metrics, loki];
        let paths = paths.into_iter().filter_map(Gone::look).collect();
        let root = root.to_owned();
        Ok(Doomed { root, memory_dir, known: None, memories: None, paths, empty, records, stays })
    }
}
