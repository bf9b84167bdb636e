//! What happens in a working tree, as a short closed list of observations.
//!
//! Signals are hints, the scan is the truth: an event only says where to look. What is reported is the difference
//! between the last listing and what stands there now, so lost events, renames and half-finished saves all end the
//! same way. `filter`, `debounce`, `burst`, `flood`, `ledger`, `scan` and `pace` are pure and take the time as an argument;
//! `ears` places the watches, `run` is the one thread that drives them, `survey` goes through the tree in small steps,
//! `tail` and `logs` read error logs.
//!
//! This room decides nothing about memories and writes no file.

mod burst;
mod debounce;
#[cfg_attr(target_os = "linux", path = "hub.rs")]
#[cfg_attr(not(target_os = "linux"), path = "notify.rs")]
mod ears;
mod filter;
mod flood;
mod ledger;
mod logs;
mod names;
mod outbox;
mod pace;
mod raw;
mod rules;
mod run;
mod scan;
mod settle;
mod shared;
mod start;
mod survey;
mod tail;
mod walk;

use std::path::PathBuf;
use std::time::{Duration, Instant};

pub use logs::{LogLines, Logs};
pub use start::{OwnDoings, Watch};
pub use tail::{Lines, TailPlace, TailPolicy};

/// Paths are relative to the working tree, with `/`. Files of a `.loki` folder that lies elsewhere, as a linked
/// working tree's may, are still called `.loki/…`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Seen {
    /// The first listing is complete: what happens from here on is noticed.
    Ready,
    /// Perhaps a person or an agent looks at this file. Start what can be thrown away; [`Seen::Opened`] may follow.
    MaybeOpened {
        path: String,
    },
    /// Somebody looked at this file, and it was no search, build or checkout. Never told of lists of dependencies, which tools
    /// read unasked.
    Opened {
        path: String,
    },
    Created {
        path: String,
    },
    Edited {
        path: String,
    },
    Removed {
        path: String,
    },
    Git(GitArea),
    /// `.loki/CONTINUITY.md`, which may be half written still.
    Continuity,
    /// A trace that another program left in `.loki`: events, queue, state, crashes.
    LokiTrace {
        path: String,
    },
    /// An error log grew, shrank, came or went.
    Log {
        path: String,
    },
    /// Somebody else changed a file below `.loki/memory`.
    Memory {
        path: String,
    },
    /// What is ignored changed; the watches follow by themselves.
    Rules {
        path: String,
    },
    /// So many more files below this folder changed at once than are told one by one; the empty name is the whole tree.
    Many {
        folder: String,
        files: usize,
        since: Instant,
    },
    /// Observations were lost because the receiver was full for too long: look at everything again.
    Dirty,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GitArea {
    /// Another branch or commit is checked out here.
    Head,
    /// A branch or tag moved. In repositories with reftables the head is kept there as well.
    Refs,
    /// A hint that something was staged, or only looked at.
    Index,
    /// A linked working tree came, went or switched.
    Worktrees,
    /// A merge, rebase, pick, revert or bisection began, went on or ended.
    Operation,
}

#[derive(Clone, Debug)]
pub struct WatchPlan {
    pub worktree: PathBuf,
    /// `None` outside git.
    pub git_dir: Option<PathBuf>,
    /// The same as `git_dir` unless this is a linked working tree.
    pub common_dir: Option<PathBuf>,
    pub loki_dir: PathBuf,
    /// When it is not `memory` in `loki_dir`.
    pub memory_dir: Option<PathBuf>,
    /// In the language of `.gitignore`, over whatever the repository ignores.
    pub ignore: Vec<String>,
    /// Globs of log files, relative to the working tree. They count even where they are ignored.
    pub error_logs: Vec<String>,
    pub limits: WatchLimits,
}

impl WatchPlan {
    /// Where a path of an observation stands.
    pub fn full_path(&self, path: &str) -> PathBuf {
        let memory = self.memory_dir.as_ref().zip(path.strip_prefix(".loki/memory/"));
        match (memory, path.strip_prefix(".loki/")) {
            (Some((folder, inside)), _) => folder.join(inside),
            (None, Some(inside)) => self.loki_dir.join(inside),
            (None, None) => self.worktree.join(path),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchLimits {
    /// Folders that are watched; those beyond are looked at from time to time.
    pub max_watches: usize,
    /// Events that may wait. When more come, a scan finds the truth.
    pub queue: usize,
    /// Look from time to time instead of listening, as on network file systems.
    pub polling: bool,
    pub poll_least: Duration,
    pub poll_most: Duration,
    /// Files that may change side by side in one folder before the rest of them is told as one number.
    pub told_singly: usize,
}

/// Tells whether a list in the language of `.gitignore` names a path, or a folder it lies in.
pub fn ignored_by(rules: &[String]) -> impl Fn(&str) -> bool + use<> {
    let top = std::path::Path::new("/");
    let rules = rules::Rules::new(top, rules);
    move |path| rules.ignores(&top.join(path), false)
}

impl Default for WatchLimits {
    fn default() -> WatchLimits {
        WatchLimits {
            max_watches: 50_000,
            queue: 8_192,
            polling: false,
            poll_least: Duration::from_secs(2),
            poll_most: Duration::from_secs(30),
            told_singly: 512,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchState {
    pub mode: WatchMode,
    pub watched_dirs: usize,
    /// Folders that are looked at from time to time.
    pub polled_dirs: usize,
    pub files: usize,
    /// Observations that wait for a receiver with room.
    pub backlog: usize,
    /// Scans since the start, the first included.
    pub scans: u64,
    /// File names that are not UTF-8, which are passed over.
    pub unreadable_names: usize,
    /// Why something is looked at from time to time instead of listened to.
    pub reason: Option<String>,
    /// What a person should know, each once; the reason stands among them while it holds.
    pub warnings: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchMode {
    Native,
    /// Some folders are watched, others polled.
    Partial,
    Polling,
    /// The working tree is not there.
    Absent,
}
