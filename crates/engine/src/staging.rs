//! Memories of linked working trees that wait for their branch (`[project] worktrees = "staged"`): who waits, and what
//! becomes of them when the branch is merged, or deleted.

use std::path::Path;

use super::env::Env;
use super::inbox::WriterHandle;
use lokid_config::{Config, Worktrees};
use lokid_model::{By, Key, Patch, Staged};
use lokid_sys::git::{self, head, merged};

/// For whom what is told at this path has to wait; nothing in the main working tree, or when the trees do not wait.
pub fn waits_for(config: &Config, path: &Path) -> Option<Staged> {
    if config.project.worktrees != Worktrees::Staged {
        return None;
    }
    let checkout = git::discover(path).filter(|checkout| checkout.linked)?;
    let state = head::state(&checkout.worktree)?;
    let (branch, commit) = (state.branch?, state.commit?);
    let fresh = merged::contains(checkout.main_worktree.as_deref()?, &commit);
    Some(Staged { branch, commit, fresh, restricted: false })
}

/// Hands out what was merged, whatever the configuration says by now; `archives` puts away what will never be.
pub(super) fn settle(env: &Env, writer: &WriterHandle, archives: bool) {
    let snapshot = writer.snapshot();
    let mut waiting = snapshot.memories().filter_map(|memory| Some((memory.key(), memory.staged()?))).peekable();
    // A rebase of the main tree passes over commits nobody chose to stand on.
    let state = waiting.peek().and_then(|_| head::state(&env.root));
    if state.is_none_or(|state| state.in_progress.is_some_and(|operation| operation.moves_head())) {
        return;
    }
    for (key, staged) in waiting {
        match merged::fate(&env.root, &staged.branch, &staged.commit, staged.fresh) {
            merged::Fate::Open => {}
            merged::Fate::Merged => hand_out(env, writer, key, &staged),
            merged::Fate::Gone if archives => put_away(env, writer, key, &staged),
            merged::Fate::Gone => {}
        }
    }
}

fn hand_out(env: &Env, writer: &WriterHandle, key: Key, staged: &Staged) {
    let patch = Patch { unstage: true, ..Patch::default() };
    match writer.by(By::Git).patch(key, patch, None).and_then(|pending| pending.wait()) {
        Ok(memory) => {
            tracing::info!(project = %env.name, id = %memory.id, branch = staged.branch, "merged with its branch")
        }
        Err(error) => {
            tracing::warn!(project = %env.name, reason = %error, "a memory waits on though its branch is merged")
        }
    }
}

fn put_away(env: &Env, writer: &WriterHandle, key: Key, staged: &Staged) {
    let reason = format!("its branch {} was deleted unmerged", staged.branch);
    if let Err(error) = writer.by(By::Git).forget(vec![key], reason, false).and_then(|pending| pending.wait()) {
        tracing::warn!(project = %env.name, reason = %error, "a memory of a deleted branch could not be archived");
    }
}
