//! A home and a repository of their own, the daemon in them, and what the kernel and the log say of it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use lokid::serve::{Client, Request};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct House {
    folder: tempfile::TempDir,
}

impl House {
    pub(crate) fn new() -> House {
        let house = House { folder: tempfile::tempdir().unwrap() };
        for name in ["home", "config/lokid", "state", "cache", "data", "run", "repo"] {
            std::fs::create_dir_all(house.path(name)).unwrap();
        }
        house.git(&["init", "-q", "-b", "main"]);
        for (key, value) in [("user.name", "Ada"), ("user.email", "ada@example.org"), ("gc.auto", "0")] {
            house.git(&["config", key, value]);
        }
        house.git(&["commit", "-q", "--allow-empty", "-m", "Begin"]);
        house
    }

    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(inside)
    }

    pub(crate) fn repo(&self, inside: &str) -> PathBuf {
        self.path("repo").join(inside)
    }

    pub(crate) fn configure(&self, text: &str) {
        std::fs::write(self.path("config/lokid/config.toml"), text).unwrap();
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        lokid_testing::git::git(&self.path("repo"), arguments).unwrap()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let full = self.repo(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(full, text).unwrap();
    }

    pub(crate) fn append(&self, path: &str, text: &str) {
        let full = self.repo(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(full).unwrap();
        std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.path("run/lokid/lokid.sock")
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.socket()).patience(PATIENCE)
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command.args(arguments).current_dir(self.path("repo")).env_clear().env("HOME", self.path("home"));
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        for (name, folder) in [("CONFIG", "config"), ("STATE", "state"), ("CACHE", "cache"), ("DATA", "data")] {
            command.env(format!("XDG_{name}_HOME"), self.path(folder));
        }
        command.env("XDG_RUNTIME_DIR", self.path("run")).stdin(Stdio::null()).stdout(Stdio::null());
        command
    }

    /// The program without waiting for anything; what it says goes to the log.
    pub(crate) fn launch(&self) -> Daemon {
        let log = std::fs::OpenOptions::new().create(true).append(true).open(self.path("log")).unwrap();
        Daemon { child: self.command(&["run"]).stderr(log).spawn().unwrap() }
    }

    /// A daemon that has read the project and opened its indexes.
    pub(crate) fn start(&self) -> Daemon {
        let daemon = self.launch();
        let (client, end) = (self.client(), Instant::now() + PATIENCE);
        let ready = Request::post("/v1/context/assemble", &json!({"goal": "begin"}));
        while !client.send(&ready).is_ok_and(|answer| answer.status == 200) {
            assert!(Instant::now() < end, "no daemon: {}", self.log());
            std::thread::sleep(Duration::from_millis(5));
        }
        daemon
    }

    pub(crate) fn log(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(self.path("log")).unwrap_or_default()).into_owned()
    }

    /// What is on disk, as a person without a daemon reads it.
    pub(crate) fn exported(&self) -> Vec<Value> {
        let output = self.command(&["-q", "export"]).stdout(Stdio::piped()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// The one that was built with this, unless another is named.
fn binary() -> PathBuf {
    std::env::var_os("LOKID_BENCH_BINARY").map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_lokid")), PathBuf::from)
}

pub(crate) struct Daemon {
    pub(crate) child: Child,
}

impl Daemon {
    pub(crate) fn resident_mb(&self) -> f64 {
        let status = std::fs::read_to_string(self.proc("status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
    }

    pub(crate) fn open_files(&self) -> usize {
        std::fs::read_dir(self.proc("fd")).map_or(0, Iterator::count)
    }

    pub(crate) fn children(&self) -> usize {
        let tasks = std::fs::read_dir(self.proc("task")).into_iter().flatten().flatten();
        let children = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
        children.map(|list| list.split_whitespace().count()).sum()
    }

    fn proc(&self, name: &str) -> PathBuf {
        Path::new("/proc").join(self.child.id().to_string()).join(name)
    }

    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn stop(mut self, house: &House) {
        assert!(house.command(&["stop"]).status().unwrap().success());
        assert!(self.child.wait().unwrap().success(), "{}", house.log());
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The value below which this share of them lies.
pub(crate) fn at(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    sorted.get((last as f64 * share).round() as usize).copied().unwrap_or(f64::NAN)
}
