//! What a daemon costs while nothing happens: ten projects, empty and then with 10,000 memories, watched for minutes; and
//! `sleep` beside it for the same time.
//!
//! `cargo bench --bench rest` watches for one minute each; `-- 5` for five.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use lokid::serve::{Client, Request};
use serde_json::{Value, json};

const PROJECTS: usize = 10;
const MEMORIES: usize = 10_000;
/// Nothing may have happened for this long before it counts.
const QUIET: Duration = Duration::from_secs(15);

fn main() {
    let minutes = std::env::args().filter_map(|argument| argument.parse::<f64>().ok()).next().unwrap_or(1.0);
    let time = Duration::from_secs_f64(minutes * 60.0);
    let home = Home::new();
    let mut sleep = Command::new("sleep").arg("86400").spawn().unwrap();
    println!("{PROJECTS} projects, {minutes} minutes each");
    {
        let daemon = home.start();
        println!("empty, no project      {:>7.1} MB resident", daemon.resident());
        home.add_projects(&daemon);
        daemon.settle();
        daemon.rest("10 projects, empty", time, &sleep);
        home.fill(&daemon);
        daemon.settle();
        daemon.rest("10 projects, 10,000 memories", time, &sleep);
    }
    let daemon = home.start();
    daemon.settle();
    daemon.rest("the same after a restart", time, &sleep);
    sleep.kill().unwrap();
    sleep.wait().unwrap();
}

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Home {
        let home = Home(tempfile::tempdir().unwrap());
        for project in 0..PROJECTS {
            let path = home.project(project);
            std::fs::create_dir_all(path.join("src")).unwrap();
            for file in 0..50 {
                std::fs::write(path.join(format!("src/file{file}.rs")), format!("pub fn f{file}() {{}}\n")).unwrap();
            }
            let git = |arguments: &[&str]| lokid_testing::git::git(&path, arguments).unwrap();
            git(&["init", "-q"]);
            git(&["add", "-A"]);
            git(&["commit", "-qm", &format!("Begin {project}")]);
        }
        home
    }

    fn project(&self, number: usize) -> PathBuf {
        self.0.path().join(format!("p{number}"))
    }

    fn start(&self) -> Daemon {
        let socket = self.0.path().join("lokid.sock");
        let mut command = Command::new(program());
        command.args(["run", "--no-project", "--socket"]).arg(&socket).env("HOME", self.0.path());
        for name in ["CONFIG", "STATE", "CACHE", "DATA"] {
            command.env(format!("XDG_{name}_HOME"), self.0.path().join(name));
        }
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let daemon = Daemon { child, client: Client::new(&socket).patience(Duration::from_secs(120)) };
        while daemon.client.send(&Request::get("/v1/health")).is_err() {
            std::thread::sleep(Duration::from_millis(5));
        }
        daemon
    }

    fn add_projects(&self, daemon: &Daemon) {
        for number in 0..PROJECTS {
            daemon.ask("/v1/projects", &json!({"path": self.project(number)}));
        }
    }

    /// A tenth of the memories each.
    fn fill(&self, daemon: &Daemon) {
        for number in 0..PROJECTS {
            let lines: String = (0..MEMORIES / PROJECTS)
                .map(|n| {
                    let text =
                        format!("note {n} of project {number}: the handler {} waits for queue {}", n * 7, n % 13);
                    json!({"kind": "note", "text": text, "files": [format!("src/file{}.rs", n % 50)]}).to_string()
                        + "\n"
                })
                .collect();
            let project = self.project(number).display().to_string();
            let request = Request::new("POST", "/v1/memories/import").query("project", &project);
            let request = request.header("content-type", "application/x-ndjson");
            let answer = daemon.client.upload(&request, lines.as_bytes(), |_| {}).unwrap();
            assert!(answer.is_success(), "{}", answer.text());
        }
    }
}

struct Daemon {
    child: Child,
    client: Client,
}

impl Daemon {
    fn ask(&self, path: &str, body: &Value) {
        let answer = self.client.send(&Request::post(path, body)).unwrap();
        assert!(answer.is_success(), "{}", answer.text());
    }

    fn resident(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches("kB").trim().parse::<f64>().unwrap() / 1000.0 * 1.024
    }

    /// Until nothing is being read or indexed, and then some.
    fn settle(&self) {
        loop {
            let status = self.client.send(&Request::get("/v1/status")).unwrap().json().unwrap();
            let projects = status["projects"].as_array().unwrap();
            let is_done = |project: &Value| {
                project["past"]["state"] == "ready"
                    && project["index"]["state"] == "ready"
                    && project["index"]["waiting"] == 0
            };
            if projects.len() == PROJECTS && projects.iter().all(is_done) {
                break;
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        std::thread::sleep(QUIET);
    }

    fn rest(&self, what: &str, time: Duration, sleep: &Child) {
        let before = [Counted::of(self.child.id()), Counted::of(sleep.id())];
        let started = Instant::now();
        std::thread::sleep(time);
        let seconds = started.elapsed().as_secs_f64();
        let after = [Counted::of(self.child.id()), Counted::of(sleep.id())];
        let rate = |at: usize| (after[at].switches - before[at].switches) as f64 / seconds;
        let millis = |at: usize| (after[at].nanos - before[at].nanos) as f64 / 1e6;
        println!(
            "{what:<30} {:>7.1} MB resident  {:>6.3} switches/s (sleep {:.3})  {:>8.2} ms processor in {seconds:.0} s = {:.3} % (sleep {:.2} ms)",
            self.resident(),
            rate(0),
            rate(1),
            millis(0),
            millis(0) / seconds / 10.0,
            millis(1),
        );
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        let _ = self.child.wait();
    }
}

/// All threads together.
struct Counted {
    /// Voluntary or not.
    switches: u64,
    nanos: u64,
}

impl Counted {
    fn of(process: u32) -> Counted {
        let mut counted = Counted { switches: 0, nanos: 0 };
        for task in std::fs::read_dir(Path::new("/proc").join(process.to_string()).join("task")).unwrap().flatten() {
            let read = |name: &str| std::fs::read_to_string(task.path().join(name)).unwrap_or_default();
            let status = read("status");
            let switches = status.lines().filter(|line| line.contains("ctxt_switches"));
            counted.switches += switches.filter_map(|line| line.rsplit('\t').next()?.parse::<u64>().ok()).sum::<u64>();
            let schedstat = read("schedstat");
            counted.nanos += schedstat.split(' ').next().and_then(|nanos| nanos.parse::<u64>().ok()).unwrap_or(0);
        }
        counted
    }
}

/// The one that was built with this, unless `LOKID_BENCH_BINARY` names another.
fn program() -> PathBuf {
    std::env::var_os("LOKID_BENCH_BINARY").map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_lokid")), PathBuf::from)
}
