//! Git: which branch and commit each working tree stands on, what came in since, and who made it.
//!
//! While a rebase or the like is under way nothing is said; where it ends up is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::EyesWorker;
use super::errors::Remedy;
use lokid_model::{Commit, Signal, SignalKind};
use lokid_sys::git::{authors, branch, head, history};
use lokid_sys::{plain, tree};
use lokid_watch::GitArea;

/// Files that a checkout wrote may be noticed this much later.
const AFTERMATH: Duration = Duration::from_secs(1);
/// A checkout lets go of its lock before it moves the head.
const AFTER_LOCK: Duration = Duration::from_millis(300);
/// More commits at once than this are left to the reading of the history.
const MOST_COMMITS: usize = 200;
/// What a branch is about fits into so many commits and files.
const MOST_TOLD: usize = 10;

#[derive(Default)]
pub(super) struct Heads {
    trees: BTreeMap<PathBuf, Tree>,
    /// Working trees that were there when we came.
    from_the_start: Vec<PathBuf>,
}

#[derive(Default)]
struct Tree {
    head: Option<head::HeadState>,
    git_dir: Option<PathBuf>,
    /// Git was seen to have written files of the tree then.
    moved_at: Option<Instant>,
    /// When it was done with that by the clock of the files, in nanoseconds since 1970.
    moved_until: Option<i64>,
    /// A rebase or the like was under way.
    held: bool,
    /// Git was last seen to hold its lock.
    locked_at: Option<Instant>,
}

impl Tree {
    fn moves(&mut self, now: Instant) {
        let modified = |name| self.git_dir.as_ref().and_then(|folder| Some(tree::look(&folder.join(name))?.1.modified));
        self.moved_until = modified("index").max(modified("HEAD"));
        self.moved_at = Some(now);
    }
}

impl Heads {
    pub(super) fn were_there(&mut self, trees: Vec<PathBuf>) {
        self.from_the_start = trees;
    }

    /// Did git itself write this file? On a busy machine both are heard of late: by its own time it may be newer than what
    /// git wrote, and somebody's.
    pub(super) fn wrote(&mut self, tree: &Path, path: &str, now: Instant) -> bool {
        let modified = || Some(tree::look(&tree.join(path))?.1.modified);
        let until = self.trees.get(tree).and_then(|known| known.moved_until);
        let is_newer = || until.zip(modified()).is_some_and(|(until, at)| at > until + AFTERMATH.as_nanos() as i64);
        self.is_locked(tree, now) || self.has_moved(tree, now) && !is_newer()
    }

    /// Does git itself write the files of this tree just now?
    fn is_busy(&mut self, tree: &Path, now: Instant) -> bool {
        self.is_locked(tree, now) || self.has_moved(tree, now)
    }

    fn has_moved(&self, tree: &Path, now: Instant) -> bool {
        self.trees.get(tree).is_some_and(|tree| lately(tree.moved_at, AFTERMATH, now))
    }

    fn is_locked(&mut self, tree: &Path, now: Instant) -> bool {
        let Some(tree) = self.trees.get_mut(tree) else { return false };
        if tree.git_dir.as_ref().is_some_and(|folder| plain::is_file(&folder.join("index.lock"))) {
            tree.locked_at = Some(now);
        }
        lately(tree.locked_at, AFTER_LOCK, now)
    }

    /// Did it write files at any time since?
    pub(super) fn was_busy(&mut self, tree: &Path, since: Instant, now: Instant) -> bool {
        let busy = self.is_busy(tree, now);
        let known = self.trees.get(tree);
        let times = known.map(|known| [known.moved_at, known.locked_at]).into_iter().flatten().flatten();
        busy || times.max().is_some_and(|at| at >= since)
    }
}

fn lately(at: Option<Instant>, span: Duration, now: Instant) -> bool {
    at.is_some_and(|at| now.saturating_duration_since(at) < span)
}

impl EyesWorker {
    pub(super) fn look_at_git(&mut self, tree: &Arc<Path>, area: GitArea) {
        if matches!(area, GitArea::Worktrees) {
            self.trees.follow();
        }
        if matches!(area, GitArea::Index) {
            return;
        }
        let known = self.git.trees.entry(tree.to_path_buf()).or_default();
        if known.git_dir.is_none() {
            known.git_dir = head::git_dir(tree);
        }
        let Some(state) = head::state(tree) else { return };
        if state.in_progress.is_some_and(|operation| operation.moves_head()) {
            known.moves(self.env.clock.monotonic());
            known.held = true;
            return;
        }
        let was_held = std::mem::take(&mut known.held) || area == GitArea::Operation;
        let before = known.head.replace(state.clone());
        let is_main = **tree == *self.env.root;
        let is_new = before.as_ref() != Some(&state);
        match before {
            None if self.git.from_the_start.iter().any(|known| **known == **tree) => {}
            // A linked tree that has just been made was checked out just now.
            None => self.checked_out(tree, &state),
            Some(before) if before.branch != state.branch => self.checked_out(tree, &state),
            Some(before) if before.commit != state.commit => self.moved(tree, &before, &state, was_held),
            Some(_) => {}
        }
        if matches!(area, GitArea::Refs) {
            self.meet_people(authors::newcomers(tree, MOST_COMMITS).unwrap_or_default());
        }
        if is_main && is_new {
            self.past.head_moved();
        }
        if is_new || matches!(area, GitArea::Refs) {
            crate::staging::settle(&self.env, &self.writer, false);
        }
    }

    /// The same branch stands on another commit; `was_held` when git was in the middle of something before.
    fn moved(&mut self, tree: &Arc<Path>, before: &head::HeadState, state: &head::HeadState, was_held: bool) {
        let (Some(old), Some(new)) = (&before.commit, &state.commit) else { return };
        let Some(fresh) = history::fresh(tree, old, new, MOST_COMMITS) else { return };
        let now = self.env.clock.now();
        let made_just_now = |commit: &Commit| (now.as_micros() / 1_000_000 - commit.time).abs() < 5;
        let by_hand = fresh.commits.len() == 1 && fresh.commits.iter().all(|one| !one.is_merge() && made_just_now(one));
        // One commit made just now is a commit or an amended one, unless a rebase made it.
        let by_hand = by_hand && !(was_held && fresh.rewritten);
        if !by_hand && (fresh.rewritten || state.branch.is_none()) {
            self.checked_out(tree, state);
        } else if !by_hand {
            self.files_were_written(tree);
        }
        for commit in fresh.commits.iter().rev() {
            self.note_commit(commit);
        }
        let mut tally = authors::Tally::default();
        fresh.commits.iter().for_each(|commit| tally.add(commit));
        self.meet_people(tally.authors());
    }

    fn files_were_written(&mut self, tree: &Arc<Path>) {
        if let Some(known) = self.git.trees.get_mut(&**tree) {
            known.moves(self.env.clock.monotonic());
        }
    }

    fn checked_out(&mut self, tree: &Arc<Path>, state: &head::HeadState) {
        self.files_were_written(tree);
        let now = self.env.clock.now();
        let about = branch::about(tree, MOST_TOLD);
        let text = about.map(|work| {
            let subjects: Vec<&str> = work.commits.iter().map(|commit| commit.summary.as_str()).collect();
            format!("{}\n{}", subjects.join("\n"), work.files.join("\n"))
        });
        let worktree = self.linked(tree);
        let detached = || state.commit.as_ref().map(|commit| commit.chars().take(12).collect());
        self.signal(Signal {
            branch: state.branch.clone().or_else(detached),
            path: worktree.clone(),
            worktree,
            text,
            ..Signal::new(now, SignalKind::BranchCheckout)
        });
    }

    fn note_commit(&mut self, commit: &Commit) {
        let now = self.env.clock.now();
        let files: Vec<String> = commit.files.iter().map(|file| file.path.clone()).collect();
        let told = self.env.redaction.text(&commit.subject);
        let remedy = Remedy { commit: Some(commit.id.clone()), told, at: now.as_micros() };
        self.book.errors.touched(&files, &remedy);
        let mut data = Map::new();
        data.insert("op".to_owned(), "commit".into());
        data.insert("commit".to_owned(), Value::String(commit.id.clone()));
        data.insert("files".to_owned(), files.len().into());
        self.env.feed.tell(now, &self.env.name, "git", data);
        self.save_soon();
    }

    /// Says who has not been here before. Until the history was read everybody might be new, and nobody is announced.
    fn meet_people(&mut self, people: Vec<authors::Author>) {
        let Some(known) = &mut self.book.people else { return };
        let own = authors::own_hash(&self.env.root);
        let mut joined = Vec::new();
        for person in people {
            if known.insert(person.email_hash.clone()) && own.as_deref() != Some(&person.email_hash) {
                joined.push(person);
            }
        }
        let now = self.env.clock.now();
        for person in joined {
            let areas: Vec<&str> = person.areas.iter().map(|(area, _)| area.as_str()).collect();
            let text = Some(areas.join(", ")).filter(|areas| !areas.is_empty());
            self.signal(Signal { author: Some(person.name), text, ..Signal::new(now, SignalKind::CollaboratorJoined) });
            self.save_soon();
        }
    }
}
