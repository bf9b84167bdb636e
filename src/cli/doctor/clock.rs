//! The clock, held against what carries times: memories, git's files and the store's own.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::super::ask::Ask;
use super::super::reach::Reach;
use super::super::settings::Settings;
use super::super::words;
use super::Check;
use lokid_model::Timestamp;
use lokid_model::time::DAY;
use lokid_sys::{Clock, Disk, EntryKind, git};

/// Files of the store that are looked at; a wrong clock shows in the first of them.
const MOST_FILES: usize = 5_000;

/// What does not hold yet is listed only when it is asked for. A clock that stands before the newest memory makes what is learnt now older than what was learnt before.
pub(super) fn newest(reach: &Reach, settings: &Settings) -> Option<Check> {
    let newest = Ask::get("/memories").project(settings).query("limit", "1").query("include", "invalid");
    let newest = reach.learn(&newest).ok()?;
    let newest = newest.pointer("/items/0")?;
    let stamp = ["created_at", "timestamp"].iter().find_map(|key| Timestamp::parse(&words::field(newest, key)))?;
    let now = Clock::system().now();
    Some(if stamp.as_micros() - now.as_micros() > DAY {
        let id = words::field(newest, "id");
        let found = format!("it is {}, and the newest memory, {id}, is from {}", now.day(), stamp.day());
        Check::broken("clock", found, format!("set the clock of this machine; if it is right, `lokid forget {id}`"))
    } else {
        Check::good("clock", "agrees with the newest memory")
    })
}

/// Changes are told by the times of files: one from the future seems not to change until its time has come.
pub(super) fn files(root: &Path, memory: &Path) -> Option<Check> {
    let latest = Clock::system().now().as_micros() + DAY;
    let git = git::head::git_dir(root);
    let git_files = git.iter().flat_map(|git| ["HEAD", "index", "logs/HEAD"].map(|name| git.join(name)));
    let future: Vec<PathBuf> = git_files.chain(stored(memory)).filter(|path| changed_after(path, latest)).collect();
    let first = future.first()?;
    let others = match future.len() - 1 {
        0 => String::new(),
        more => format!(", and {}", words::count(more as u64, "other", "others")),
    };
    let found = format!("{} is from the future{others}", first.display());
    let fix = format!("set the clock of this machine, or `touch {}` if it is right", first.display());
    Some(Check::doubtful("clock", found, fix))
}

fn changed_after(path: &Path, micros: i64) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.mtime().saturating_mul(1_000_000) > micros)
}

/// The files of the store, folder by folder.
fn stored(memory: &Path) -> Vec<PathBuf> {
    let Ok(disk) = Disk::open(memory) else { return Vec::new() };
    let (mut found, mut open) = (Vec::new(), vec![PathBuf::new()]);
    while let (Some(folder), true) = (open.pop(), found.len() < MOST_FILES) {
        for entry in disk.list(&folder).unwrap_or_default() {
            let path = folder.join(&entry.name);
            match entry.kind {
                EntryKind::Dir => open.push(path),
                EntryKind::File => found.push(memory.join(path)),
                EntryKind::Symlink | EntryKind::Other => {}
            }
        }
    }
    found
}
