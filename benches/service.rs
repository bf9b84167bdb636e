//! From a request to its answer when there is no daemon yet: a socket that somebody else listens on, as systemd does, a
//! request that waits in it, and the real binary started for it. Beside it the same with an empty memory, and the bare
//! start of a process.
//!
//! `cargo bench --bench service` takes 10,000 memories; `-- 30000` takes another number.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout)]

use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use lokid::serve::{Client, Request};
use serde_json::json;

const STARTS: usize = 15;

/// The one that was built with this, unless `LOKID_BENCH_BINARY` names another.
fn program() -> PathBuf {
    std::env::var_os("LOKID_BENCH_BINARY").map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_lokid")), PathBuf::from)
}

fn main() {
    let count = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(10_000);
    println!("first answer of a daemon that is started for it, median of {STARTS} (fastest..slowest)");
    let (full, empty) = (Place::with(count), Place::with(0));
    let one = full.times(&format!("GET /v1/memories/rec-{} HTTP/1.1\r\nhost: l\r\n", count / 2), "");
    let question = json!({"query": "who keeps the socket of module 7", "project": full.repo()}).to_string();
    let asked = format!("POST /v1/recall HTTP/1.1\r\nhost: l\r\ncontent-length: {}\r\n", question.len());
    let recall = full.times(&asked, &question);
    let nothing = empty.times("GET /v1/memories?limit=1 HTTP/1.1\r\nhost: l\r\n", "");
    let mut bare: Vec<f64> =
        (0..STARTS).map(|_| timed(|| drop(Command::new(program()).arg("--version").output()))).collect();
    bare.sort_by(f64::total_cmp);
    row(&format!("one of {count} memories"), &one);
    row(&format!("a question to {count} memories"), &recall);
    row("a list of an empty memory", &nothing);
    row("`lokid --version`", &bare);
    let ratio = one[STARTS / 2] / nothing[STARTS / 2];
    println!("  ratio                          {ratio:>8.2} x the empty memory");
}

fn timed(work: impl FnOnce()) -> f64 {
    let started = Instant::now();
    work();
    started.elapsed().as_secs_f64() * 1000.0
}

fn row(name: &str, sorted: &[f64]) {
    let (middle, last) = (sorted[sorted.len() / 2], sorted[sorted.len() - 1]);
    println!("  {name:<30} {middle:>8.1} ms ({:.1}..{last:.1})", sorted[0]);
}

/// A repository with its memory, and a socket in front of it that is never closed.
struct Place {
    folder: tempfile::TempDir,
    listener: UnixListener,
}

impl Place {
    fn with(count: usize) -> Place {
        let folder = tempfile::tempdir().unwrap();
        git2::Repository::init(folder.path().join("repo")).unwrap();
        let listener = UnixListener::bind(folder.path().join("lokid.sock")).unwrap();
        let place = Place { folder, listener };
        let mut daemon = place.start();
        let watch = Request::post("/v1/projects", &json!({"path": place.repo()}));
        assert!(Client::new(place.socket()).send(&watch).unwrap().is_success());
        let lines: String = (0..count).map(|n| record(n) + "\n").collect();
        let import = Request::post("/v1/memories/import", &json!({}));
        let answer = Client::new(place.socket()).upload(&import, lines.as_bytes(), |_| {}).unwrap();
        assert!(answer.is_success() && answer.text().contains(&format!("\"imported\":{count}")), "{}", answer.text());
        if count > 0 {
            // So that the indexes are there, as they are on every start but the first.
            let indexed = || {
                let status = Client::new(place.socket()).send(&Request::get("/v1/status")).unwrap();
                status.text().contains("\"state\":\"ready\"") && status.text().contains("\"waiting\":0")
            };
            while !indexed() {
                std::thread::sleep(std::time::Duration::from_millis(100));
            }
        }
        end(&mut daemon);
        place
    }

    fn repo(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("repo")
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("lokid.sock")
    }

    fn start(&self) -> Child {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", r#"export LISTEN_PID=$$; exec "$0" "$@" 3<&0 </dev/null"#]).arg(program());
        command.args(["run", "--no-project", "--quiet"]).current_dir(self.folder.path()).env("LISTEN_FDS", "1");
        for name in ["CONFIG", "STATE", "CACHE", "DATA"] {
            command.env(format!("XDG_{name}_HOME"), self.folder.path().join(name.to_lowercase()));
        }
        command.stdin(OwnedFd::from(self.listener.try_clone().unwrap()));
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// The request is there first, the daemon comes because of it.
    fn times(&self, head: &str, body: &str) -> Vec<f64> {
        let mut times: Vec<f64> = (0..STARTS).map(|_| self.time(head, body)).collect();
        times.sort_by(f64::total_cmp);
        times
    }

    fn time(&self, head: &str, body: &str) -> f64 {
        let started = Instant::now();
        let mut asking = UnixStream::connect(self.socket()).unwrap();
        write!(asking, "{head}connection: close\r\n\r\n{body}").unwrap();
        let mut daemon = self.start();
        let mut answer = String::new();
        asking.read_to_string(&mut answer).unwrap();
        let took = started.elapsed().as_secs_f64() * 1000.0;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        end(&mut daemon);
        took
    }
}

fn end(daemon: &mut Child) {
    let pid = rustix::process::Pid::from_child(daemon);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert!(daemon.wait().unwrap().success());
}

fn record(n: usize) -> String {
    let words = ["cache", "socket", "parser", "token", "branch", "index", "merge", "daemon", "editor", "lock", "queue"];
    let pick = |k: usize| words[(n.wrapping_mul(2_654_435_761) >> (k * 3)) % words.len()];
    let text = format!(
        "Record {n}: the {} keeps the {} until the {} has been written, because the {} of module {} would otherwise see \
         a {} that is half done.",
        pick(0),
        pick(1),
        pick(2),
        pick(3),
        n % 97,
        pick(4)
    );
    let files = [Path::new("src").join(pick(1)).join(format!("{}.rs", pick(3)))];
    json!({"id": format!("rec-{n}"), "kind": "note", "text": text, "files": files}).to_string()
}
