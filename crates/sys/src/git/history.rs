//! The commits of a repository, newest first, one at a time.
//!
//! A long history is read with the `git` program, several times faster than libgit2 at comparing trees; a short one,
//! and what comes day by day, with libgit2, which starts no process. Both tell the same. Nothing is kept between two
//! questions.

use std::ops::ControlFlow;
use std::path::Path;

use git2::{Oid, Repository};

use super::{program, walk};
use lokid_model::{Commit, FileChange};

/// Of a longer message only the beginning is kept, and of a larger commit only the first files.
pub(super) const MOST_MESSAGE_BYTES: usize = 64 * 1024;
pub(super) const MOST_FILES: usize = 5_000;

/// Up to here no program is started. libgit2 is quicker for a few dozen, and for a few hundred it takes a part of a
/// second more, which is less than a daemon that has children all day is worth.
const FEW: usize = 512;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mined {
    pub commits: usize,
    /// Reading failed in the middle, in a damaged or partial clone: what came before is good.
    pub broken: bool,
}

/// Hands every commit that `HEAD` reaches and `since` does not to `each`, newest first, until it breaks or `most` are
/// told. A `since` that is gone hides nothing. `None` when there is no repository.
pub fn mine(
    worktree: &Path,
    since: Option<&str>,
    most: usize,
    each: &mut dyn FnMut(Commit) -> ControlFlow<()>,
) -> Option<Mined> {
    let repository = Repository::open(worktree).ok()?;
    let Some(head) = repository.head().ok().and_then(|head| head.peel_to_commit().ok()) else {
        return Some(Mined { commits: 0, broken: false });
    };
    let since = since.and_then(|id| commit_named(&repository, id));
    let few = walk::ids(&repository, head.id(), since, most.min(FEW + 1)).len() <= FEW;
    let log = if few { walk::log } else { read };
    Some(log(&repository, head.id(), since, most, each))
}

#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Fresh {
    /// Newest first.
    pub commits: Vec<Commit>,
    /// History was rewritten, or another branch was taken: `new` does not build upon `old`.
    pub rewritten: bool,
    /// There were more than asked for, or reading failed.
    pub cut: bool,
}

/// The commits that `new` reaches and `old` does not. With an `old` that is gone, these are simply the newest ones.
/// `None` without a repository, or when there is no such commit as `new`.
pub fn fresh(worktree: &Path, old: &str, new: &str, most: usize) -> Option<Fresh> {
    let repository = Repository::open(worktree).ok()?;
    let new = commit_named(&repository, new)?;
    let old = commit_named(&repository, old);
    let builds_upon = |old: Oid| old == new || repository.graph_descendant_of(new, old).unwrap_or(false);
    let rewritten = !old.is_some_and(builds_upon);
    let ids = walk::ids(&repository, new, old, most.saturating_add(1).min(FEW + 1));
    let mut commits = Vec::new();
    if ids.len() <= FEW {
        commits.extend(ids.iter().take(most).filter_map(|id| walk::commit(&repository, *id)));
        let cut = ids.len() > commits.len();
        return Some(Fresh { commits, rewritten, cut });
    }
    let mut each = |commit| {
        if commits.len() < most {
            commits.push(commit);
        }
        ControlFlow::Continue(())
    };
    let mined = read(&repository, new, old, most.saturating_add(1), &mut each);
    Some(Fresh { commits, rewritten, cut: mined.broken || mined.commits > most })
}

fn read(
    repository: &Repository,
    head: Oid,
    hide: Option<Oid>,
    most: usize,
    each: &mut dyn FnMut(Commit) -> ControlFlow<()>,
) -> Mined {
    match program::log(repository.path(), head, hide, most, each) {
        Some(mined) => mined,
        None => walk::log(repository, head, hide, most, each),
    }
}

/// Full ids only: a short one, or a branch that looks like one, names nothing.
fn commit_named(repository: &Repository, id: &str) -> Option<Oid> {
    let id = Oid::from_str(id).ok().filter(|_| id.len() == 40)?;
    repository.find_commit(id).ok().map(|commit| commit.id())
}

/// What both ways of reading know of a commit, before it is made presentable.
pub(super) struct Raw<'a> {
    pub(super) id: String,
    pub(super) parents: usize,
    pub(super) author_name: &'a [u8],
    pub(super) author_email: &'a [u8],
    pub(super) time: i64,
    /// Not longer than [`MOST_MESSAGE_BYTES`].
    pub(super) message: &'a [u8],
}

impl Raw<'_> {
    pub(super) fn with_files(self, files: Vec<FileChange>) -> Commit {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        let (subject, body) = split(&String::from_utf8_lossy(self.message));
        Commit {
            id: self.id,
            parents: self.parents,
            author_name: text(self.author_name),
            author_email: text(self.author_email),
            time: self.time,
            subject,
            body,
            files,
        }
    }
}

/// As git does: the subject is the first paragraph, however many lines it has.
fn split(message: &str) -> (String, String) {
    let message = message.trim();
    let mut subject = String::new();
    let mut rest = message;
    while !rest.is_empty() {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        rest = after;
        if line.trim().is_empty() {
            break;
        }
        if !subject.is_empty() {
            subject.push(' ');
        }
        subject.push_str(line.trim());
    }
    (subject, rest.trim().replace("\r\n", "\n"))
}

#[cfg(test)]
mod tests;
