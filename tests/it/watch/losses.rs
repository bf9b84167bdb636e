//! When events are lost, watches are refused or the tree itself is gone, the truth is found all the same.

use std::process::{Command, Stdio};
use std::time::Duration;

use super::lab::{Lab, Repo};
use super::{created, edited, removed};
use lokid_watch::{Seen, WatchLimits, WatchMode};

fn polling() -> WatchLimits {
    WatchLimits {
        poll_least: Duration::from_millis(50),
        poll_most: Duration::from_millis(100),
        ..WatchLimits::default()
    }
}

fn expect_all(lab: &Lab, mut wanted: Vec<Seen>) {
    let missing = std::cell::RefCell::new(&mut wanted);
    lab.until(|seen| {
        let mut missing = missing.borrow_mut();
        missing.retain(|wanted| wanted != seen);
        missing.is_empty()
    });
}

#[test]
fn a_full_queue_ends_in_a_scan_that_tells_the_truth() {
    let repo = Repo::new();
    for n in 0..300 {
        repo.write(&format!("src/old{n}.rs"), "x");
    }
    let mut plan = repo.plan();
    plan.limits.queue = 1;
    let lab = repo.watched_with(plan);
    let mut wanted = Vec::new();
    for n in 0..300 {
        lab.write(&format!("src/old{n}.rs"), "longer");
        lab.write(&format!("new/n{n}.rs"), "x");
        wanted.extend([edited(&format!("src/old{n}.rs")), created(&format!("new/n{n}.rs"))]);
    }
    std::fs::remove_file(lab.path("src/main.rs")).unwrap();
    wanted.push(removed("src/main.rs"));
    expect_all(&lab, wanted);
}

#[test]
fn a_receiver_without_room_hears_of_it_later() {
    let repo = Repo::new();
    let plan = repo.plan();
    let (sender, seen) = crossbeam_channel::bounded(1);
    let watch =
        lokid_watch::Watch::start(plan, lokid_sys::Clock::system(), move |what| sender.try_send(what).is_ok()).unwrap();
    assert_eq!(seen.recv().unwrap(), Seen::Ready);
    for n in 0..50 {
        repo.write(&format!("n{n}"), "x");
    }
    let mut found = std::collections::BTreeSet::new();
    while found.len() < 50 {
        if let Seen::Created { path } = seen.recv_timeout(Duration::from_secs(20)).unwrap() {
            found.insert(path);
        }
    }
    watch.stop();
}

#[test]
fn with_few_watches_every_change_is_still_noticed() {
    let repo = Repo::new();
    for n in 0..40 {
        repo.write(&format!("d{n}/deep/file.rs"), "x");
    }
    let mut plan = repo.plan();
    plan.limits = WatchLimits { max_watches: 20, ..polling() };
    let lab = repo.watched_with(plan);
    let state = lab.watch().state();
    assert_eq!(state.mode, WatchMode::Partial);
    assert!(state.watched_dirs <= 20 && state.polled_dirs > 40, "{state:?}");
    assert_eq!(state.warnings.len(), 1, "{state:?}");
    let mut wanted = Vec::new();
    for n in 0..40 {
        lab.write(&format!("d{n}/deep/file.rs"), "longer");
        lab.write(&format!("d{n}/deep/more/new.rs"), "x");
        wanted.extend([edited(&format!("d{n}/deep/file.rs")), created(&format!("d{n}/deep/more/new.rs"))]);
    }
    std::fs::remove_dir_all(lab.path("src")).unwrap();
    wanted.push(removed("src/main.rs"));
    expect_all(&lab, wanted);
}

/// Set where the kernel was told to allow few watches.
const FEW_WATCHES: &str = "LOKID_TEST_FEW_WATCHES";

/// Runs a test of this file once more, where the kernel allows 30 watches; systems that let nobody arrange that are
/// passed over.
fn once_more_with_few_watches(test: &str) {
    let unshare = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["-Ur", "sh", "-c", script, "sh"]).stdin(Stdio::null());
        command
    };
    let limit = "echo 30 > /proc/sys/user/max_inotify_watches";
    if !unshare(limit).output().is_ok_and(|tried| tried.status.success()) {
        return;
    }
    let mut command = unshare(&format!("{limit}; exec \"$@\""));
    command.arg(std::env::current_exe().unwrap()).args(["--exact", test]).env(FEW_WATCHES, "30");
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
fn when_the_kernel_refuses_every_change_is_still_noticed() {
    if std::env::var_os(FEW_WATCHES).is_none() {
        return once_more_with_few_watches("watch::losses::when_the_kernel_refuses_every_change_is_still_noticed");
    }
    let repo = Repo::new();
    for n in 0..40 {
        repo.write(&format!("d{n}/deep/file.rs"), "x");
    }
    let mut plan = repo.plan();
    plan.limits = polling();
    let lab = repo.watched_with(plan);
    let state = lab.watch().state();
    assert_eq!(state.mode, WatchMode::Partial, "{state:?}");
    assert_eq!(state.warnings.len(), 1, "{state:?}");
    lab.write(".loki/CONTINUITY.md", "x");
    let mut wanted = vec![Seen::Continuity];
    for n in 0..40 {
        lab.write(&format!("d{n}/deep/file.rs"), "longer");
        lab.write(&format!("d{n}/deep/more/new.rs"), "x");
        wanted.extend([edited(&format!("d{n}/deep/file.rs")), created(&format!("d{n}/deep/more/new.rs"))]);
    }
    expect_all(&lab, wanted);
}

#[test]
fn without_the_kernel_every_change_is_still_noticed() {
    let repo = Repo::new();
    let mut plan = repo.plan();
    plan.limits = WatchLimits { polling: true, ..polling() };
    let lab = repo.watched_with(plan);
    assert_eq!(lab.watch().state().mode, WatchMode::Polling);
    lab.write("src/main.rs", "fn main() { 5; }\n");
    lab.write("a/b/c.rs", "x");
    lab.write(".loki/CONTINUITY.md", "x");
    lab.git(&["checkout", "-q", "-b", "topic"]);
    let head = Seen::Git(lokid_watch::GitArea::Head);
    expect_all(&lab, vec![edited("src/main.rs"), created("a/b/c.rs"), Seen::Continuity, head]);
}

#[test]
fn a_tree_that_goes_and_comes_back_is_watched_again() {
    let repo = Repo::new();
    let mut plan = repo.plan();
    plan.limits = polling();
    let lab = repo.watched_with(plan);
    let away = lab.root.with_file_name("away");
    std::fs::rename(&lab.root, &away).unwrap();
    lab.wait_for_state(|state| state.mode == WatchMode::Absent);
    std::fs::write(away.join("src/main.rs"), "changed while away").unwrap();
    std::fs::rename(&away, &lab.root).unwrap();
    lab.expect(&edited("src/main.rs"));
    lab.write("src/new.rs", "x");
    lab.expect(&created("src/new.rs"));
    let state = lab.watch().state();
    assert_eq!((state.mode, state.warnings.len()), (WatchMode::Native, 1), "{state:?}");
}

#[test]
fn a_rescan_finds_nothing_when_nothing_was_lost() {
    let lab = Repo::new().watched();
    lab.write("src/main.rs", "fn main() { 6; }\n");
    lab.expect(&edited("src/main.rs"));
    let before = lab.watch().state().scans;
    lab.watch().rescan();
    lab.wait_for_state(|state| state.scans > before);
    assert_eq!(super::changes(lab.settled()), []);
}

#[test]
fn a_panic_is_told_once_and_the_watch_goes_on() {
    let repo = Repo::new();
    let plan = repo.plan();
    let (sender, seen) = crossbeam_channel::unbounded();
    let sink = move |what| {
        assert_ne!(what, created("bad"), "as a bug would have it");
        sender.try_send(what).is_ok()
    };
    let watch = lokid_watch::Watch::start(plan, lokid_sys::Clock::system(), sink).unwrap();
    assert_eq!(seen.recv().unwrap(), Seen::Ready);
    repo.write("bad", "x");
    crate::home::eventually_some(|| (watch.state().warnings.len() == 1).then_some(()));
    repo.write("good", "x");
    while seen.recv_timeout(Duration::from_secs(20)).unwrap() != created("good") {}
    assert_eq!(watch.state().warnings.len(), 1);
    watch.stop();
}

#[test]
fn stopping_ends_the_thread_even_when_nobody_listens() {
    let mut lab = Repo::new().watched();
    let (_, silent) = crossbeam_channel::bounded(0);
    lab.seen = silent;
    lab.write("a", "x");
    lab.watch.take().unwrap().stop();
}
