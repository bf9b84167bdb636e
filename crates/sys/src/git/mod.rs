//! What git knows about a path: its working tree, the repository that tree shares, and that repository's first commit.
//! Below it, what `HEAD` stands on, what a branch is about, the history, and who wrote it.
//!
//! It reads; only `configure` writes, and only where a command of the user's says so. A repository that libgit2 will not open (owned by someone else, damaged) counts as no
//! repository: the path is then a plain directory.

pub mod added;
pub mod authors;
pub mod blame;
pub mod blobs;
pub mod branch;
mod compare;
pub mod configure;
pub mod head;
pub mod history;
pub mod merged;
mod program;
pub mod sides;
#[cfg(test)]
mod tests;
mod walk;

use std::path::{Path, PathBuf};

use git2::Repository;

/// All paths are canonical.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    pub worktree: PathBuf,
    /// The `.git` directory that all working trees of the repository share.
    pub common_dir: PathBuf,
    /// `None` when the repository is bare.
    pub main_worktree: Option<PathBuf>,
    /// Whether `worktree` was made by `git worktree add`.
    pub linked: bool,
}

/// The checkout that `path` lies in. The path may be a file, and may be gone: its nearest living parent counts.
pub fn discover(path: &Path) -> Option<Checkout> {
    let start = path.ancestors().find(|ancestor| ancestor.is_dir())?.canonicalize().ok()?;
    let repository = Repository::discover(&start).ok()?;
    let worktree = repository.workdir()?.canonicalize().ok()?;
    let common_dir = repository.commondir().canonicalize().ok()?;
    let linked = repository.is_worktree();
    let main_worktree = if linked { main_worktree(&common_dir) } else { Some(worktree.clone()) };
    Some(Checkout { worktree, common_dir, main_worktree, linked })
}

fn main_worktree(common_dir: &Path) -> Option<PathBuf> {
    Repository::open(common_dir).ok()?.workdir()?.canonicalize().ok()
}

/// The working trees that `git worktree add` made of a repository, canonical, those that are there.
pub fn linked_worktrees(common_dir: &Path) -> Vec<PathBuf> {
    let Ok(repository) = Repository::open(common_dir) else { return Vec::new() };
    let Ok(names) = repository.worktrees() else { return Vec::new() };
    let path = |name: &str| repository.find_worktree(name).ok()?.path().canonicalize().ok();
    names.iter().flatten().flatten().filter_map(path).collect()
}

/// The plain files that git keeps in a working tree, as its index names them, in order. `None` without a repository.
pub fn tracked(worktree: &Path) -> Option<Vec<String>> {
    const KIND: u32 = 0o170_000;
    const PLAIN: u32 = 0o100_000;
    let index = Repository::open(worktree).ok()?.index().ok()?;
    let plain = index.iter().filter(|entry| entry.mode & KIND == PLAIN);
    let mut files: Vec<String> = plain.filter_map(|entry| String::from_utf8(entry.path).ok()).collect();
    // A conflict has up to three entries.
    files.dedup();
    Some(files)
}

/// The whole id of a commit by its first digits, if only one begins like that.
pub fn commit_of(worktree: &Path, digits: &str) -> Option<String> {
    Some(Repository::open(worktree).ok()?.find_commit_by_prefix(digits).ok()?.id().to_string())
}

/// A value of git's configuration as it holds in a working tree: the repository's own, the user's or the system's.
pub fn setting(worktree: &Path, key: &str) -> Option<String> {
    Repository::open(worktree).ok()?.config().ok()?.snapshot().ok()?.get_string(key).ok()
}

/// The first commit of the history: first parents from `HEAD` down. Clones of one project share it.
///
/// `None` without commits, and in a shallow clone, whose oldest commit is not the first.
pub fn root_commit(common_dir: &Path) -> Option<String> {
    let repository = Repository::open(common_dir).ok()?;
    if repository.is_shallow() {
        return None;
    }
    let mut commit = repository.head().ok()?.peel_to_commit().ok()?;
    while commit.parent_count() > 0 {
        commit = commit.parent(0).ok()?;
    }
    Some(commit.id().to_string())
}
