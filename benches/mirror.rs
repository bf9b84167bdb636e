//! What the mirror costs, through the real binary: 10,000 episodes sent and read back, and recall beside a server that is
//! dead or never answers.
//!
//! `cargo bench --bench mirror`; `-- 2000` takes another number of episodes.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout)]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use lokid::serve::{Client, Request};
use lokid_mirror::Stores;
use lokid_mirror::api::Listing;
use lokid_sys::https::Secret;
use lokid_testing::stores::{Fault, ShelfLimits, StoreServer};
use serde_json::{Value, json};

const RECALLS: usize = 2_000;
/// What recall is asked about.
const KNOWN: usize = 1_000;
/// Recall with a dead server may take this much longer than without.
const MAY_COST: f64 = 1.1;

fn main() {
    let count = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(10_000);
    read_back(count);
    recall_beside_a_dead_server();
}

fn read_back(count: usize) {
    let server = StoreServer::new();
    // The real one holds 2,000 a store; this is about the client.
    server.limits(ShelfLimits { memories: count + 1, ..ShelfLimits::default() });
    let store = server.new_store("mine");
    let home = Home::new(&format!("max_memories = {}\n{}", count + 1, on(&server.url(), &store)));
    let daemon = home.start();
    let began = Instant::now();
    daemon.import(count);
    let imported = began.elapsed();
    loop {
        let mirrored = daemon.get("/v1/managed/status")["shadow_write"]["mirrored"].as_u64().unwrap_or(0);
        if mirrored == count as u64 {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(1_800), "{mirrored} of {count} after half an hour");
        std::thread::sleep(Duration::from_millis(200));
    }
    let took = began.elapsed();
    println!("{count} episodes");
    println!("  remembered here     {:>10.1} s", imported.as_secs_f64());
    println!("  mirrored            {:>10.1} s, {:.0} a second", took.as_secs_f64(), count as f64 / took.as_secs_f64());
    println!("  requests            {:>10}", server.requests().len());

    let mut managed = lokid_config::Config::default().managed;
    managed.base_url = server.url();
    let stores = Stores::new(&managed, Secret::new(StoreServer::KEY).unwrap()).unwrap();
    let began = Instant::now();
    let there = stores.list_all(&store, Listing { full: true, ..Listing::default() }).unwrap();
    let there: BTreeMap<String, Value> = there
        .into_iter()
        .map(|memory| (memory.path, serde_json::from_str(&memory.content.unwrap()).unwrap()))
        .collect();
    assert_eq!(there.len(), count, "each once");
    for number in 0..count {
        let (sent, found) = (episode(number), &there[&format!("/episodic/2026-11-02/T-{number}.json")]);
        assert_eq!(found["id"], sent["id"]);
        assert_eq!(found["context"]["goal"], sent["episode"]["goal"]);
        assert_eq!(found["lokid"]["text"], sent["text"]);
        assert_eq!(found["importance"], sent["importance"]);
    }
    println!("  read back equal     {:>10.1} s\n", began.elapsed().as_secs_f64());
}

fn recall_beside_a_dead_server() {
    let mut dead = StoreServer::new();
    dead.stop();
    let silent = StoreServer::new();
    silent.fail(usize::MAX, "", "", Fault::Held);
    let store = "memstore_none";
    let homes = [
        ("off", Home::new("")),
        ("dead server", Home::new(&on(&dead.url(), store))),
        ("silent server", Home::new(&on(&silent.url(), store))),
    ];
    let daemons: Vec<Daemon> = homes.iter().map(|(_, home)| home.start()).collect();
    daemons.iter().for_each(|daemon| daemon.import(KNOWN));
    let mut took: Vec<Vec<f64>> = vec![Vec::new(); homes.len()];
    for round in 0..RECALLS {
        // One after the other, each first in turn: whatever else this machine does, it does to all.
        for step in 0..homes.len() {
            let at = (round + step) % homes.len();
            let query = format!("what happened with queue {} in T-{}", round % 17, round * 7 % KNOWN);
            let began = Instant::now();
            let answer =
                daemons[at].client.send(&Request::post("/v1/recall", &json!({"query": query, "k": 5}))).unwrap();
            assert!(answer.is_success(), "{}", answer.text());
            took[at].push(began.elapsed().as_secs_f64() * 1e3);
        }
    }
    println!("recall among {KNOWN} episodes, {RECALLS} questions each");
    took.iter_mut().for_each(|took| took.sort_by(f64::total_cmp));
    let at = |took: &[f64], share: f64| took[((took.len() - 1) as f64 * share) as usize];
    let base = at(&took[0], 0.99);
    for ((name, _), took) in homes.iter().zip(&took) {
        let p99 = at(took, 0.99);
        println!("  {name:<15} p50 {:>7.2} ms  p99 {p99:>7.2} ms  {:.2} x", at(took, 0.5), p99 / base);
    }
    for took in &took[1..] {
        let cost = at(took, 0.99) / base;
        println!("  {}", if cost <= MAY_COST { "within 1.1 x" } else { "NOT within 1.1 x" });
    }
}

fn episode(number: usize) -> Value {
    json!({"id": format!("ep-{number}"), "kind": "episode", "importance": 0.8, "created_at": "2026-11-02T10:00:00Z",
        "text": format!("what happened in T-{number}: the handler {} waited for queue {}", number * 7, number % 17),
        "episode": {"task_id": format!("T-{number}"), "goal": format!("drain queue {} number {number}", number % 17)}})
}

fn on(url: &str, store: &str) -> String {
    format!("agents = true\nmemory = true\nbase_url = \"{url}\"\nuser_store = \"{store}\"\n")
}

struct Home(tempfile::TempDir);

impl Home {
    fn new(managed: &str) -> Home {
        let home = Home(tempfile::tempdir().unwrap());
        std::fs::create_dir_all(home.0.path().join("CONFIG/lokid")).unwrap();
        std::fs::create_dir_all(home.0.path().join("app")).unwrap();
        let text = format!("[night]\nenabled = false\n[managed]\n{managed}");
        std::fs::write(home.0.path().join("CONFIG/lokid/config.toml"), text).unwrap();
        home
    }

    fn start(&self) -> Daemon {
        let socket = self.0.path().join("lokid.sock");
        let mut command = Command::new(program());
        command.args(["run", "--here", "--socket"]).arg(&socket).env("HOME", self.0.path());
        command.current_dir(self.0.path().join("app")).env("ANTHROPIC_API_KEY", StoreServer::KEY);
        for name in ["CONFIG", "STATE", "CACHE", "DATA"] {
            command.env(format!("XDG_{name}_HOME"), self.0.path().join(name));
        }
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let daemon = Daemon { child, client: Client::new(&socket).patience(Duration::from_secs(300)) };
        let is_up = |answer: Result<lokid::serve::Response, _>| answer.is_ok_and(|answer| answer.is_success());
        while !is_up(daemon.client.send(&Request::get("/v1/memories?limit=1"))) {
            std::thread::sleep(Duration::from_millis(10));
        }
        daemon
    }
}

struct Daemon {
    child: Child,
    client: Client,
}

impl Daemon {
    fn get(&self, path: &str) -> Value {
        serde_json::from_str(&self.client.send(&Request::get(path)).unwrap().text()).unwrap()
    }

    fn import(&self, count: usize) {
        let lines: String = (0..count).map(|number| format!("{}\n", episode(number))).collect();
        let request = Request::new("POST", "/v1/memories/import").header("content-type", "application/x-ndjson");
        let answer = self.client.upload(&request, lines.as_bytes(), |_| {}).unwrap();
        assert!(answer.is_success(), "{}", answer.text());
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        let _ = self.child.wait();
    }
}

/// The one that was built with this, unless `LOKID_BENCH_BINARY` names another.
fn program() -> PathBuf {
    std::env::var_os("LOKID_BENCH_BINARY").map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_lokid")), PathBuf::from)
}
