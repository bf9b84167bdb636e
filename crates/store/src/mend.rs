//! Files that a text merge damaged, made whole again from both sides, and what is asked about a store as a whole.
//!
//! Without a merge driver git leaves its marks in a document, or lines that are no JSON any more. Both sides are still
//! known: to git, or from the marks themselves. Nothing else is ever mended: a file that is merely broken stays as it is.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::door::CleanDisk;
use super::layout::{self, Area};
use super::merge::{Sides, is_damaged, merge_file};
use super::{Store, read};
use lokid_model::{Change, Key, Scope};
use lokid_sys::disk::LockKind;
use lokid_sys::git;

impl Store {
    pub fn is_read_only(&self) -> bool {
        self.options.read_only
    }

    /// Stands nothing of it where another scope has its files?
    pub fn is_only_in(&self, key: &Key, scope: Scope) -> bool {
        let elsewhere = self.catalog.files.iter().filter(|(file, _)| file.area.scope() != scope);
        !elsewhere.into_iter().any(|(file, seen)| file.namespace == key.namespace && seen.entries.contains_key(&key.id))
    }

    /// Mends what a text merge has damaged, and tells whether there was something. While somebody is about to settle it
    /// themselves, only the first look does.
    pub(super) fn mend(&mut self, is_first: bool) -> bool {
        let suspects = self.suspects(is_first);
        if suspects.is_empty() || self.options.read_only || self.is_shut() {
            return false;
        }
        let (root, relative) = self.shared.parts();
        let is_busy = || git::head::state(&root).is_some_and(|state| state.in_progress.is_some());
        if !is_first && is_busy() {
            return false;
        }
        let limits = self.limits();
        let Ok(Some(disk)) = self.shared.look().map(|disk| disk.cloned()) else { return false };
        let mut is_mended = false;
        for path in suspects {
            let stamp = disk.stamp(&path).ok().flatten();
            if stamp.is_none() || self.catalog.not_mended.get(&path) == stamp.as_ref() {
                continue;
            }
            let bytes = disk.read(&path, limits.max_document).unwrap_or_default();
            let found = mended(&root, &relative, &path, &bytes);
            match found.map(|(mended, from)| replace(&disk, &path, &bytes, &mended).map(|()| from)) {
                Some(Ok(from)) => {
                    tracing::warn!(path = %path.display(), from, "a text merge had damaged it; mended from both sides");
                    is_mended = true;
                }
                Some(Err(error)) => tracing::warn!(path = %path.display(), reason = %error, "cannot be mended yet"),
                // As it is now it cannot be, and need not be tried at every look.
                None => self.catalog.not_mended.extend(stamp.map(|stamp| (path, stamp))),
            }
        }
        is_mended
    }

    /// Files that could not be read, or not wholly.
    fn suspects(&self, is_first: bool) -> Vec<PathBuf> {
        let troubled =
            self.catalog.files.iter().filter(|(file, seen)| file.area == Area::Shared && seen.problem.is_some());
        let documents = self.catalog.documents.keys().filter(|path| read::has_extension(path, "json"));
        let sidecars = self.catalog.sidecars.iter().filter(|(_, kept)| kept.is_empty());
        let sidecars = sidecars.map(|(namespace, _)| layout::sidecar(namespace).path);
        let others = documents.cloned().chain(sidecars).filter(|_| is_first);
        troubled.map(|(file, _)| file.path.clone()).chain(others).collect()
    }

    /// What was damaged may hold what is purged.
    pub(super) fn drop_damaged(&mut self, changes: &[Change]) {
        if !changes.iter().any(|change| matches!(change, Change::Purge(_))) {
            return;
        }
        let files = self.catalog.files.keys().map(|file| file.path.as_path());
        let files = files.chain(self.catalog.documents.keys().map(PathBuf::as_path));
        let paths: Vec<PathBuf> = files.map(set_aside).collect();
        if let Ok(Some(disk)) = self.shared.look() {
            for path in paths {
                let is_there = disk.stamp(&path).is_ok_and(|stamp| stamp.is_some());
                if let Err(error) = if is_there { disk.remove(&path) } else { Ok(()) } {
                    tracing::warn!(path = %path.display(), reason = %error, "a damaged file is left and may hold what was purged");
                }
            }
        }
    }
}

/// The file as both sides would have it, and where they were found.
fn mended(root: &Path, relative: &Path, path: &Path, bytes: &[u8]) -> Option<(Vec<u8>, &'static str)> {
    let inside = relative.join(path);
    if !is_damaged(&inside, bytes) {
        return None;
    }
    let told = git::sides::of(root, &inside, &|bytes| is_damaged(&inside, bytes));
    let (guessed, told): (Vec<_>, Vec<_>) = told.into_iter().partition(|told| told.is_guess);
    let sides = |told: git::sides::FileSides| (told.base, told.ours, told.theirs, told.from);
    let marked = Sides::of(bytes).map(|marked| (marked.base, marked.ours, marked.theirs, "the marks in it"));
    let all = told.into_iter().map(sides).chain(marked).chain(guessed.into_iter().map(sides));
    all.into_iter().find_map(|(base, ours, theirs, from)| {
        let merged = merge_file(&inside, base.as_deref(), &ours, &theirs).ok()?;
        (!is_damaged(&inside, &merged)).then_some((merged, from))
    })
}

fn replace(disk: &CleanDisk, path: &Path, damaged: &[u8], mended: &[u8]) -> std::io::Result<()> {
    let _held = disk.lock(layout::lock_path(path), LockKind::Exclusive, Duration::ZERO)?;
    disk.replace(set_aside(path), damaged)?;
    disk.replace(path, mended)
}

/// A name that git and everybody who reads the store pass over.
fn set_aside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".tmp_{name}.corrupt"))
}
