//! How long a screen of the page takes in a real Chromium, from the beginning of its navigation to the load event, and how
//! much it brings with it; beside a page of one line from a server that does nothing else, in the same browser.
//!
//! `cargo bench --bench page` with 10,000 memories; `-- 100000` with more.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout)]

#[allow(dead_code)]
#[path = "../tests/it/page/browser.rs"]
mod browser;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use browser::Tab;
use lokid::serve::{Client, Request};
use serde_json::{Value, json};

const TURNS: usize = 21;
const FILES: usize = 400;

fn main() {
    let memories = std::env::args().filter_map(|argument| argument.parse::<usize>().ok()).next().unwrap_or(10_000);
    let home = Home::new();
    let mut daemon = home.start(&["run"]);
    let client = Client::new(home.folder.path().join("lokid.sock")).patience(Duration::from_secs(300));
    while client.send(&Request::get("/v1/memories?limit=1")).is_err() {
        std::thread::sleep(Duration::from_millis(5));
    }
    home.fill(&client, memories);
    let mut ui = home.start(&["ui", "--no-browser", "--json"]);
    let mut line = String::new();
    BufReader::new(ui.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let told: Value = serde_json::from_str(&line).unwrap();

    let tab = Tab::new();
    tab.tools("Network.enable", json!({}));
    tab.tools("Network.setCacheDisabled", json!({"cacheDisabled": true}));
    println!("{memories} memories, {TURNS} turns each, nothing cached; p50 / p95 from navigation to load");
    measure(&tab, "a static page", &static_page());
    tab.go(told["address"].as_str().unwrap());
    tab.until("location.pathname.endsWith('/said')");
    let project = tab.address().strip_suffix("/said").unwrap().to_owned();
    for screen in [
        "said",
        "inbox",
        "memories",
        "memories?q=which+handler+waits",
        "files",
        "files?path=src/part1",
        "nights",
        "worth",
    ] {
        measure(&tab, screen, &format!("{project}/{screen}"));
    }
    drop(tab);
    for process in [&mut ui, &mut daemon] {
        rustix::process::kill_process(rustix::process::Pid::from_child(process), rustix::process::Signal::TERM)
            .unwrap();
        process.wait().unwrap();
    }
}

fn measure(tab: &Tab, what: &str, address: &str) {
    let (mut times, mut bytes) = (Vec::new(), 0.0);
    for _ in 0..TURNS {
        tab.go(address);
        tab.until("performance.getEntriesByType('navigation')[0].loadEventEnd > 0");
        let entry = tab.value("performance.getEntriesByType('navigation')[0].toJSON()");
        times.push(entry["loadEventEnd"].as_f64().unwrap());
        let loaded =
            tab.value("performance.getEntriesByType('resource').reduce((sum, one) => sum + one.transferSize, 0)");
        bytes = entry["transferSize"].as_f64().unwrap() + loaded.as_f64().unwrap();
    }
    times.sort_by(f64::total_cmp);
    println!("{what:<32} {:>7.1} / {:>6.1} ms {:>8.1} KB", times[TURNS / 2], times[TURNS * 95 / 100], bytes / 1000.0);
}

/// One line for whoever asks.
fn static_page() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
                lines.take_while(|line| !line.is_empty()).for_each(drop);
                let page = "<!doctype html><html lang=en><title>static</title><link rel=icon href=data:,><p>one line";
                let length = page.len();
                let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n");
                let _gone = write!(stream, "{head}Connection: close\r\n\r\n{page}");
            });
        }
    });
    address
}

struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    fn new() -> Home {
        let home = Home { folder: tempfile::tempdir().unwrap() };
        let repo = home.repo();
        for n in 0..FILES {
            let path = repo.join(file(n));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, format!("pub fn f{n}() {{}}\n")).unwrap();
        }
        let git = |arguments: &[&str]| lokid_testing::git::git(&repo, arguments).unwrap();
        git(&["init", "-q"]);
        git(&["add", "-A"]);
        git(&["commit", "-qm", "Begin"]);
        home
    }

    fn repo(&self) -> PathBuf {
        self.folder.path().join("repo")
    }

    fn start(&self, arguments: &[&str]) -> Child {
        let folder: &Path = self.folder.path();
        let named = std::env::var_os("LOKID_BENCH_BINARY").filter(|path| !path.is_empty());
        let mut command = Command::new(named.unwrap_or_else(|| env!("CARGO_BIN_EXE_lokid").into()));
        command
            .args(arguments)
            .current_dir(self.repo())
            .env("HOME", folder)
            .env("LOKID_SOCKET", folder.join("lokid.sock"));
        for name in ["CONFIG", "STATE", "CACHE", "DATA"] {
            command.env(format!("XDG_{name}_HOME"), folder.join(name));
        }
        let piped = if arguments[0] == "ui" { Stdio::piped() } else { Stdio::null() };
        command.stdin(Stdio::null()).stdout(piped).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Until all of it can be found.
    fn fill(&self, client: &Client, memories: usize) {
        let line = |n: usize| {
            let text = format!("handler {n} waits for queue {} before it answers, see ticket {}", n % 13, n * 7);
            let kind = ["note", "decision", "fact"][n % 3];
            json!({"kind": kind, "text": text, "tags": [format!("topic-{}", n % 700)], "files": [file(n)]}).to_string()
                + "\n"
        };
        let lines: String = (0..memories).map(line).collect();
        let request = Request::new("POST", "/v1/memories/import").header("content-type", "application/x-ndjson");
        let answer = client.upload(&request, lines.as_bytes(), |_| {}).unwrap();
        assert!(answer.is_success(), "{}", answer.text());
        let is_ready = || {
            let status = client.send(&Request::get("/v1/status")).unwrap().json().unwrap();
            let project = &status["projects"][0];
            project["index"]["state"] == "ready"
                && project["index"]["waiting"] == 0
                && project["past"]["state"] == "ready"
        };
        while !is_ready() {
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

fn file(n: usize) -> String {
    format!("src/part{}/file{}.rs", n % 20, n % FILES)
}
