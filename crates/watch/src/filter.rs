//! What matters: to which observation a path belongs, and which folders are worth watching.
//!
//! Paths in, answers out. It honours ignore rules, never looks into git's own folders except where branches move, and
//! passes over locks and passing files.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::names::{edited_beside, is_passing};
use super::rules::Rules;
use super::{GitArea, WatchPlan};

/// Where a path belongs, and what it is called in an observation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Located {
    pub(super) place: TreePlace,
    pub(super) path: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TreePlace {
    Work,
    Git(GitArea),
    /// git is about to read or write many files.
    IndexLock,
    Continuity,
    Trace,
    Log,
    Memory,
    Rules,
    /// An editor has the file `path` open.
    EditorsFile,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Home {
    Work,
    Git { own: bool, common: bool },
    Loki,
    Memory,
}

pub(super) struct Filter {
    /// The deepest first, so that the first that fits is the right one.
    homes: Vec<(PathBuf, Home)>,
    pub(super) rules: Rules,
    logs: GlobSet,
    /// The folders that the log globs name before their first wildcard, and whether they go deeper than one level.
    log_folders: Vec<(PathBuf, bool)>,
    pub(super) warnings: Vec<String>,
    /// Folders were passed over because they lie too deep.
    pub(super) has_depths: bool,
}

/// Nobody's sources lie deeper than this; what does was made to keep us busy.
pub(super) const DEEPEST: usize = 64;

impl Filter {
    pub(super) fn new(plan: &WatchPlan) -> Filter {
        let mut homes = vec![(plan.worktree.clone(), Home::Work), (plan.loki_dir.clone(), Home::Loki)];
        homes.extend(plan.memory_dir.iter().map(|dir| (dir.clone(), Home::Memory)));
        match (&plan.git_dir, &plan.common_dir) {
            (Some(own), Some(common)) if own != common => {
                homes.push((own.clone(), Home::Git { own: true, common: false }));
                homes.push((common.clone(), Home::Git { own: false, common: true }));
            }
            (Some(both), _) => homes.push((both.clone(), Home::Git { own: true, common: true })),
            (None, _) => {}
        }
        homes.sort_by_key(|(path, _)| std::cmp::Reverse(path.components().count()));
        let mut filter = Filter {
            homes,
            rules: Rules::new(&plan.worktree, &plan.ignore),
            logs: GlobSet::empty(),
            log_folders: Vec::new(),
            warnings: Vec::new(),
            has_depths: false,
        };
        filter.take_log_globs(plan);
        filter
    }

    fn take_log_globs(&mut self, plan: &WatchPlan) {
        let mut set = GlobSetBuilder::new();
        for glob in &plan.error_logs {
            let inside = match glob.strip_prefix('/') {
                None => Some(glob.trim_start_matches("./")),
                Some(_) => plan.worktree.to_str().and_then(|root| glob.strip_prefix(root)?.strip_prefix('/')),
            };
            let Some(inside) = inside else {
                self.warnings.push(format!("the error log glob \"{glob}\" lies outside the working tree"));
                continue;
            };
            match GlobBuilder::new(inside).literal_separator(true).build() {
                Ok(glob) => drop(set.add(glob)),
                Err(error) => {
                    self.warnings.push(format!("the error log glob \"{glob}\" is not valid: {}", error.kind()));
                    continue;
                }
            }
            let wild = |name: &&str| !name.contains(['*', '?', '[', '{', '\\']);
            let mut names: Vec<&str> = inside.split('/').collect();
            names.pop();
            let literal: Vec<&str> = names.iter().copied().take_while(wild).collect();
            if !literal.is_empty() {
                self.log_folders.push((plan.worktree.join(literal.join("/")), literal.len() < names.len()));
            }
        }
        self.logs = set.build().unwrap_or_else(|_| GlobSet::empty());
    }

    /// The folders from which walks begin.
    pub(super) fn roots(&self) -> Vec<PathBuf> {
        self.homes.iter().rev().map(|(path, _)| path.clone()).collect()
    }

    /// Whether opening a file below this path means anything: only in the working tree itself.
    pub(super) fn is_work(&self, path: &Path) -> bool {
        self.home(path).is_some_and(|(home, _)| home == Home::Work)
    }

    /// `None` for what does not matter.
    pub(super) fn locate(&self, path: &Path) -> Option<Located> {
        self.locate_when(path, |path| self.rules.ignores(path, false))
    }

    /// The same for a file of a folder of which is known whether it is ignored.
    pub(super) fn locate_in(&self, path: &Path, folder_is_ignored: bool) -> Option<Located> {
        self.locate_when(path, |path| folder_is_ignored || self.rules.ignores_itself(path, false))
    }

    fn locate_when(&self, path: &Path, is_ignored: impl Fn(&Path) -> bool) -> Option<Located> {
        let (home, inside) = self.home(path)?;
        let name = path.file_name()?.to_str()?;
        match home {
            Home::Work => self.locate_work(path, inside, name, is_ignored),
            Home::Git { own, common } => {
                let place = git_place(inside, own, common)?;
                Some(Located { place, path: format!(".git/{inside}") })
            }
            Home::Loki if is_passing(name) => None,
            Home::Loki => Some(Located { place: loki_place(inside)?, path: format!(".loki/{inside}") }),
            Home::Memory if is_passing(name) || inside.is_empty() => None,
            Home::Memory => Some(Located { place: memory_place(inside), path: format!(".loki/memory/{inside}") }),
        }
    }

    fn locate_work(
        &self,
        path: &Path,
        inside: &str,
        name: &str,
        is_ignored: impl Fn(&Path) -> bool,
    ) -> Option<Located> {
        if inside.is_empty() || inside.split('/').any(is_repository_folder) {
            return None;
        }
        if is_passing(name) {
            let owner = edited_beside(name)?;
            let path = inside.strip_suffix(name)?.to_owned() + owner;
            return Some(Located { place: TreePlace::EditorsFile, path });
        }
        let place = if self.logs.is_match(inside) {
            TreePlace::Log
        } else if is_ignored(path) {
            return None;
        } else if name == ".gitignore" {
            TreePlace::Rules
        } else {
            TreePlace::Work
        };
        Some(Located { place, path: inside.to_owned() })
    }

    /// Whether a folder is worth reading and watching.
    pub(super) fn enters(&self, folder: &Path) -> bool {
        self.enters_when(folder, |folder| self.rules.ignores(folder, true))
    }

    /// The same for a folder in one of which is known whether it is ignored.
    pub(super) fn enters_in(&self, folder: &Path, above_is_ignored: bool) -> bool {
        self.enters_when(folder, |folder| above_is_ignored || self.rules.ignores_itself(folder, true))
    }

    fn enters_when(&self, folder: &Path, is_ignored: impl Fn(&Path) -> bool) -> bool {
        let Some((home, inside)) = self.home(folder) else { return false };
        if inside.is_empty() {
            return true;
        }
        if is_too_deep(inside) {
            return false;
        }
        match home {
            Home::Work => {
                let name = inside.rsplit('/').next().unwrap_or(inside);
                !is_repository_folder(name) && (self.may_hold_logs(folder) || !is_ignored(folder))
            }
            Home::Git { common, .. } => git_enters(inside, common),
            Home::Loki => loki_enters(inside),
            Home::Memory => true,
        }
    }

    /// Whether a folder is passed over only because of where it lies.
    pub(super) fn is_too_deep(&self, folder: &Path) -> bool {
        self.home(folder).is_some_and(|(_, inside)| is_too_deep(inside))
    }

    /// An ignored folder that a log glob names.
    fn may_hold_logs(&self, folder: &Path) -> bool {
        let leads_there =
            |(named, deep): &(PathBuf, bool)| named.starts_with(folder) || (*deep && folder.starts_with(named));
        self.log_folders.iter().any(leads_there)
    }

    /// The home and the path in it, with `/`; `None` for names that are not UTF-8 and for paths elsewhere.
    fn home<'a>(&self, path: &'a Path) -> Option<(Home, &'a str)> {
        let path = path.to_str()?;
        self.homes.iter().find_map(|(root, home)| {
            // Paths of events and walks are already plain, so bytes tell what components would, and much faster.
            let inside = path.strip_prefix(root.to_str()?)?;
            Some((*home, if inside.is_empty() { inside } else { inside.strip_prefix('/')? }))
        })
    }
}

fn is_too_deep(inside: &str) -> bool {
    inside.bytes().filter(|byte| *byte == b'/').count() >= DEEPEST
}

/// A nested repository's own folder is a border: its files are watched, its history is not.
fn is_repository_folder(name: &str) -> bool {
    matches!(name, ".git" | ".hg" | ".svn" | ".jj")
}

fn git_place(inside: &str, own: bool, common: bool) -> Option<TreePlace> {
    if own && inside == "index.lock" {
        return Some(TreePlace::IndexLock);
    }
    let name = inside.rsplit('/').next().unwrap_or(inside);
    if name.ends_with(".lock") || name.starts_with("tmp_") || name.starts_with(".tmp_") {
        return None;
    }
    let area = match inside.split_once('/') {
        None => match inside {
            "HEAD" if own => GitArea::Head,
            "index" if own => GitArea::Index,
            "packed-refs" if common => GitArea::Refs,
            "MERGE_HEAD" | "CHERRY_PICK_HEAD" | "REVERT_HEAD" | "REBASE_HEAD" | "BISECT_LOG" | "BISECT_START"
            | "rebase-merge" | "rebase-apply" | "sequencer"
                if own =>
            {
                GitArea::Operation
            }
            _ => return None,
        },
        Some(("refs", _)) => GitArea::Refs,
        Some(("reftable", _)) if common => GitArea::Refs,
        Some(("info", "exclude")) if common => return Some(TreePlace::Rules),
        Some(("worktrees", inside)) if common => match inside.split_once('/') {
            Some((_, "HEAD" | "gitdir" | "locked")) => GitArea::Worktrees,
            _ => return None,
        },
        Some(_) => return None,
    };
    Some(TreePlace::Git(area))
}

fn git_enters(inside: &str, common: bool) -> bool {
    let depth = inside.split('/').count();
    match inside.split('/').next() {
        Some("refs") => true,
        Some("reftable" | "info") => common && depth == 1,
        Some("worktrees") => common && depth <= 2,
        _ => false,
    }
}

/// The folders of `.loki` in which other programs leave something for us.
const TRACE_FOLDERS: [&str; 7] = ["events", "state", "crash", "quality", "queue", "signals", "metrics"];

fn loki_place(inside: &str) -> Option<TreePlace> {
    match inside.split_once('/') {
        None if inside == "CONTINUITY.md" => Some(TreePlace::Continuity),
        None if matches!(inside, "events.jsonl" | "events.jsonl.1" | "config.json") => Some(TreePlace::Trace),
        None => None,
        Some(("memory", rest)) => Some(memory_place(rest)),
        Some(("logs", _)) => Some(TreePlace::Log),
        // Written by ourselves.
        Some(("metrics", rest)) if is_own_metric(rest) => None,
        Some((folder, _)) => TRACE_FOLDERS.contains(&folder).then_some(TreePlace::Trace),
    }
}

fn memory_place(inside: &str) -> TreePlace {
    if matches!(inside, "failures.jsonl" | ".errors.log") { TreePlace::Trace } else { TreePlace::Memory }
}

fn loki_enters(inside: &str) -> bool {
    let first = inside.split('/').next().unwrap_or(inside);
    if inside.strip_prefix("metrics/").is_some_and(is_own_metric) {
        return false;
    }
    TRACE_FOLDERS.contains(&first) || first == "memory" || first == "logs"
}

fn is_own_metric(inside: &str) -> bool {
    inside.split('/').next() == Some("memory-strategy")
}

#[cfg(test)]
mod tests;
