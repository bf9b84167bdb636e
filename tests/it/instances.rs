//! How many more inotify instances the kernel grants this user. Every program of theirs shares them, so a test that
//! wants to be told of changes waits until some are free: what a daemon does without any has tests of its own.

use std::os::unix::fs::MetadataExt;

use crate::home::eventually_some;

/// Enough for four watches that begin at once.
const ENOUGH: usize = 8;

pub(crate) fn wait_until_some_are_free() {
    eventually_some(|| free().is_none_or(|free| free >= ENOUGH).then_some(()));
}

/// Counted from what processes hold, since to try would take them from others. `None` where nobody counts them.
pub(crate) fn free() -> Option<usize> {
    let limit = |path| std::fs::read_to_string(path).ok()?.trim().parse::<usize>().ok();
    let most = limit("/proc/sys/fs/inotify/max_user_instances")?.min(limit("/proc/sys/user/max_inotify_instances")?);
    let user = std::fs::metadata("/proc/self").ok()?.uid();
    let own = std::fs::read_dir("/proc").ok()?.flatten().filter(|one| one.metadata().is_ok_and(|it| it.uid() == user));
    let files = own.filter_map(|process| std::fs::read_dir(process.path().join("fd")).ok()).flatten().flatten();
    let is_instance =
        |path: &std::path::Path| std::fs::read_link(path).is_ok_and(|to| to.ends_with("anon_inode:inotify"));
    Some(most.saturating_sub(files.filter(|file| is_instance(&file.path())).count()))
}
