//! The repository of a home, other programs, and what the kernel counts of them and of the daemon.

use super::*;

pub(crate) struct Repo(pub(crate) PathBuf);

impl Repo {
    pub(crate) fn of(home: &Home) -> Repo {
        Repo(home.folder.join("repo"))
    }

    /// Who commits here, whatever the machine says.
    pub(crate) fn settle_in(&self) {
        self.git(&["symbolic-ref", "HEAD", "refs/heads/main"]);
        self.introduce();
    }

    pub(crate) fn introduce(&self) {
        for (key, value) in [("user.name", "A"), ("user.email", "a@example.org"), ("gc.auto", "0")] {
            self.git(&["config", key, value]);
        }
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        lokid_testing::git::git(&self.0, arguments).unwrap()
    }

    pub(crate) fn run(&self, program: &str, arguments: &[&str]) {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.0).stdin(Stdio::null()).stdout(Stdio::null());
        // A build that a person or cargo arranged for us is none of its business.
        command.env("CARGO_TARGET_DIR", self.0.join("target")).env_remove("RUSTFLAGS");
        command.stderr(Stdio::null()).status().unwrap();
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let full = self.0.join(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(full, text).unwrap();
    }

    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-qm", message]);
    }
}

/// Seconds of processor that we and the programs we ran took.
pub(crate) fn own_seconds() -> f64 {
    ticks_of("self") as f64 / 100.0
}

/// Wall and processor seconds of a program that we wait for.
pub(crate) fn cost_of(work: impl FnOnce()) -> (f64, f64) {
    let (started, before) = (Instant::now(), own_seconds());
    work();
    (started.elapsed().as_secs_f64(), own_seconds() - before)
}

/// What the kernel counted of a process so far.
#[derive(Clone)]
pub(crate) struct Counted {
    ticks: u64,
    /// Nanoseconds by the name of the thread; threads that ended are no longer here.
    threads: BTreeMap<String, u64>,
    switches: u64,
}

impl Counted {
    pub(crate) fn of(daemon: &Daemon) -> Counted {
        Counted::of_process(daemon.child.id())
    }

    pub(crate) fn of_process(process: u32) -> Counted {
        let mut counted = Counted { ticks: ticks_of(&process.to_string()), threads: BTreeMap::new(), switches: 0 };
        for task in std::fs::read_dir(format!("/proc/{process}/task")).unwrap().flatten() {
            let read = |name: &str| std::fs::read_to_string(task.path().join(name)).unwrap_or_default();
            let nanos = read("schedstat").split(' ').next().and_then(|nanos| nanos.parse::<u64>().ok());
            *counted.threads.entry(read("comm").trim().to_owned()).or_default() += nanos.unwrap_or(0);
            let status = read("status");
            let lines = status.lines().filter(|line| line.contains("voluntary_ctxt_switches"));
            counted.switches += lines.filter_map(|line| line.rsplit('\t').next()?.parse::<u64>().ok()).sum::<u64>();
        }
        counted
    }

    /// In hundredths of a second, of all threads there ever were and of programs that were run.
    pub(crate) fn seconds_since(&self, before: &Counted) -> f64 {
        (self.ticks - before.ticks) as f64 / 100.0
    }

    /// Exact, of the threads that are still there.
    pub(crate) fn millis_since(&self, before: &Counted) -> f64 {
        self.by_thread(before).iter().fold(0.0, |sum, (_, millis)| sum + millis)
    }

    pub(crate) fn switches_since(&self, before: &Counted) -> u64 {
        self.switches.saturating_sub(before.switches)
    }

    /// Milliseconds of each name, most first, those that matter.
    pub(crate) fn by_thread(&self, before: &Counted) -> Vec<(String, f64)> {
        let taken = |name: &String, nanos: u64| nanos.saturating_sub(before.threads.get(name).copied().unwrap_or(0));
        let mut all: Vec<(String, f64)> =
            self.threads.iter().map(|(name, nanos)| (name.clone(), taken(name, *nanos) as f64 / 1e6)).collect();
        all.retain(|(_, millis)| *millis >= 0.005);
        all.sort_by(|one, other| other.1.total_cmp(&one.1));
        all
    }

    pub(crate) fn told_by_thread(&self, before: &Counted, times: f64) -> String {
        let all = self.by_thread(before);
        let told: Vec<String> =
            all.iter().take(8).map(|(name, millis)| format!("{name} {:.2}", millis / times)).collect();
        told.join(", ")
    }
}

/// A line of `/proc/…/status` in megabytes: `VmRSS`, or `VmHWM` for the most it ever was.
pub(crate) fn memory_mb(daemon: &Daemon, line: &str) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", daemon.child.id())).unwrap();
    let found = status.lines().find(|known| known.starts_with(line)).unwrap();
    found.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() * 1024.0 / 1e6
}

/// The daemon's status once it says so.
pub(crate) fn wait_for(daemon: &Daemon, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
    let end = Instant::now() + PATIENCE;
    loop {
        let status = daemon.try_status().map(|status| status["projects"][0].clone()).unwrap_or_default();
        if fits(&status) {
            return status;
        }
        assert!(Instant::now() < end, "{what}: {status}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) fn has_read_the_past(status: &Value) -> bool {
    status["past"]["state"] == "ready"
}
