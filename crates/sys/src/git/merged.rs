//! Whether a branch has become part of the one that the main working tree stands on.

use std::path::Path;

use git2::{Oid, Repository};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// There, and not merged; or nothing is known of it here.
    Open,
    Merged,
    /// Deleted, and what it was is no part of the branch here.
    Gone,
}

/// Is this commit part of what the working tree stands on?
pub fn contains(worktree: &Path, commit: &str) -> bool {
    let Ok(repository) = Repository::open(worktree) else { return false };
    Oid::from_str(commit).is_ok_and(|commit| is_part(&repository, commit))
}

fn is_part(repository: &Repository, commit: Oid) -> bool {
    let head = repository.head().and_then(|head| head.peel_to_commit()).map(|head| head.id());
    head.is_ok_and(|head| head == commit || repository.graph_descendant_of(head, commit).unwrap_or(false))
}

/// What became of a branch that stood on `commit`; `fresh` when it had nothing of its own then.
pub fn fate(worktree: &Path, branch: &str, commit: &str, fresh: bool) -> Fate {
    let (Ok(repository), Ok(commit)) = (Repository::open(worktree), Oid::from_str(commit)) else { return Fate::Open };
    match tip(&repository, branch) {
        Some(tip) if fresh && tip == commit => Fate::Open,
        Some(tip) => {
            if is_part(&repository, tip) {
                Fate::Merged
            } else {
                Fate::Open
            }
        }
        // A branch of another machine's is not there either.
        None if repository.find_commit(commit).is_err() => Fate::Open,
        None if !fresh && is_part(&repository, commit) => Fate::Merged,
        None => Fate::Gone,
    }
}

/// Here, or where somebody else keeps it.
fn tip(repository: &Repository, branch: &str) -> Option<Oid> {
    let local = repository.find_reference(&format!("refs/heads/{branch}")).ok();
    let remote = || {
        let mut all = repository.references_glob(&format!("refs/remotes/*/{branch}")).ok()?;
        all.find_map(Result::ok)
    };
    local.or_else(remote)?.peel_to_commit().ok().map(|commit| commit.id())
}
