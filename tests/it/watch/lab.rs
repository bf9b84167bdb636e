//! A repository in a temporary folder, a watcher on it, and what the watcher saw.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, unbounded};
use lokid_sys::Clock;
use lokid_watch::{Seen, Watch, WatchLimits, WatchPlan, WatchState};

pub(super) struct Lab {
    pub(super) seen: Receiver<Seen>,
    pub(super) watch: Option<Watch>,
    pub(super) root: PathBuf,
    sentinels: std::cell::Cell<u32>,
    _folder: tempfile::TempDir,
}

/// Generous, for slow machines; nothing waits so long when all is well.
const PATIENCE: Duration = Duration::from_secs(20);

/// A repository with a commit, before anybody watches.
pub(super) struct Repo {
    pub(super) root: PathBuf,
    folder: tempfile::TempDir,
}

impl Repo {
    pub(super) fn new() -> Repo {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("repo");
        std::fs::create_dir(&root).unwrap();
        let repo = Repo { root, folder };
        repo.git(&["init", "-q", "-b", "main"]);
        for (key, value) in [("user.name", "A"), ("user.email", "a@example.org"), ("gc.auto", "0")] {
            repo.git(&["config", key, value]);
        }
        repo.write(".gitignore", "target/\nlogs/\n*.o\n");
        repo.write("src/main.rs", "fn main() {}\n");
        repo.write("src/lib.rs", "pub fn run() {}\n");
        repo.write("Cargo.toml", "[package]\n");
        repo.write(".loki/memory/semantic/patterns.json", "{}");
        repo.commit("first");
        repo
    }

    pub(super) fn git(&self, arguments: &[&str]) {
        git(&self.root, arguments);
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        write(&self.root, path, text);
    }

    pub(super) fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-qm", message]);
    }

    pub(super) fn plan(&self) -> WatchPlan {
        WatchPlan {
            worktree: self.root.clone(),
            git_dir: Some(self.root.join(".git")),
            common_dir: Some(self.root.join(".git")),
            loki_dir: self.root.join(".loki"),
            memory_dir: None,
            ignore: Vec::new(),
            error_logs: vec!["logs/*.log".to_owned()],
            limits: WatchLimits::default(),
        }
    }

    pub(super) fn watched(self) -> Lab {
        let plan = self.plan();
        self.watched_with(plan)
    }

    pub(super) fn watched_with(self, plan: WatchPlan) -> Lab {
        crate::instances::wait_until_some_are_free();
        let (sender, seen) = unbounded();
        let root = plan.worktree.clone();
        let watch = Watch::start(plan, Clock::system(), move |what| sender.try_send(what).is_ok()).unwrap();
        let sentinels = std::cell::Cell::new(0);
        let lab = Lab { seen, watch: Some(watch), root, sentinels, _folder: self.folder };
        lab.until(|seen| *seen == Seen::Ready);
        lab
    }
}

impl Lab {
    pub(super) fn git(&self, arguments: &[&str]) {
        git(&self.root, arguments);
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        write(&self.root, path, text);
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    pub(super) fn watch(&self) -> &Watch {
        self.watch.as_ref().unwrap()
    }

    /// All that was seen up to and with what fits.
    pub(super) fn until(&self, fits: impl Fn(&Seen) -> bool) -> Vec<Seen> {
        let mut all = Vec::new();
        let end = Instant::now() + PATIENCE;
        loop {
            match self.seen.recv_deadline(end) {
                Ok(seen) => {
                    let done = fits(&seen);
                    all.push(seen);
                    if done {
                        return all;
                    }
                }
                Err(_) => panic!("not seen in time; seen was {all:#?}"),
            }
        }
    }

    pub(super) fn expect(&self, what: &Seen) -> Vec<Seen> {
        self.until(|seen| seen == what)
    }

    /// All that was seen up to two files of our own, which are left out. Files come to rest in order, but the working
    /// tree and `.git` are heard by two threads: what comes after the first has been seen is late enough.
    pub(super) fn settled(&self) -> Vec<Seen> {
        let mut all = self.until_sentinel();
        all.extend(self.until_sentinel());
        all
    }

    fn until_sentinel(&self) -> Vec<Seen> {
        self.sentinels.set(self.sentinels.get() + 1);
        let name = format!("sentinel-{}", self.sentinels.get());
        self.write(&name, "x");
        let mut all = self.expect(&Seen::Created { path: name });
        all.pop();
        // A survey may come upon one between its making and its writing: then it is edited besides.
        let is_own = |seen: &Seen| match seen {
            Seen::MaybeOpened { path } | Seen::Edited { path } => path.starts_with("sentinel"),
            _ => false,
        };
        all.retain(|seen| !is_own(seen));
        all
    }

    pub(super) fn wait_for_state(&self, fits: impl Fn(&WatchState) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !fits(&self.watch().state()) {
            assert!(Instant::now() < end, "{:?}", self.watch().state());
            std::thread::yield_now();
        }
    }

    /// The openings that pass within the time for which one is held, and a little more.
    pub(super) fn openings(&self) -> Vec<String> {
        let end = Instant::now() + Duration::from_millis(2_200);
        let mut found = Vec::new();
        while let Ok(seen) = self.seen.recv_deadline(end) {
            if let Seen::Opened { path, .. } = seen {
                found.push(path);
            }
        }
        found
    }

    pub(super) fn run(&self, program: &str, arguments: &[&str]) {
        run(&self.root, program, arguments);
    }
}

pub(super) fn run(folder: &Path, program: &str, arguments: &[&str]) {
    let status = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .env("TERM", "dumb")
        .status();
    assert!(status.is_ok(), "{program} does not start");
}

pub(super) fn has(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

fn git(root: &Path, arguments: &[&str]) {
    lokid_testing::git::git(root, arguments).unwrap();
}

fn write(root: &Path, path: &str, text: &str) {
    let full = root.join(path);
    std::fs::create_dir_all(full.parent().unwrap()).unwrap();
    std::fs::write(full, text).unwrap();
}
