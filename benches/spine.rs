//! What the spine costs, through the real binary and the real socket: import, warm start, memory, idleness, and a read
//! beside a bare echo on the same stack. Every figure stands beside a baseline taken in the same run.
//!
//! `cargo bench --bench spine` runs everything with 100,000 records; `-- 10000` takes another number.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Records of one import batch, between two syncs of the baseline.
const BATCH: usize = 4096;
const READS: usize = 20_000;
const IDLE: Duration = Duration::from_secs(5);

fn main() {
    let count = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(100_000);
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path());
    println!("{} records, {} cores", count, std::thread::available_parallelism().unwrap());

    let daemon = home.start();
    println!("\nempty daemon");
    println!("  resident            {:>10.1} MB", daemon.rss_mb());
    let (switches, cpu) = daemon.idle();
    println!("  idle for {IDLE:?}        {switches:>10} context switches, {cpu} ms of CPU");

    let lines = records(count);
    println!("\nimport of notes ({:.1} MB of NDJSON)", lines.len() as f64 / 1e6);
    let started = Instant::now();
    let report = home.import(&lines);
    let took = started.elapsed();
    assert_eq!(report["imported"].as_u64(), Some(count as u64), "{report}");
    let floor = append_and_sync(&folder.path().join("floor"), &lines);
    println!("  lokid               {:>10.0} records/s", count as f64 / took.as_secs_f64());
    println!(
        "  append + fdatasync  {:>10.0} records/s (the same bytes, the same batches, nothing else)",
        count as f64 / floor.as_secs_f64()
    );
    println!("  ratio               {:>10.1} x the floor", took.as_secs_f64() / floor.as_secs_f64());
    println!("  resident            {:>10.1} MB", daemon.rss_mb());

    println!("\none record over the socket, {READS} reads on one connection");
    let read = latencies(&home.socket, &format!("/v1/memories/rec-{}", count / 2));
    let echo_socket = folder.path().join("echo.sock");
    let _echo = echo_server(&echo_socket);
    let echo = latencies(&echo_socket, "/echo");
    row("lokid", &read);
    row("bare echo", &echo);
    println!(
        "  ratio               p50 {:.2} x, p99 {:.2} x",
        at(&read, 0.5) / at(&echo, 0.5),
        at(&read, 0.99) / at(&echo, 0.99)
    );

    println!("\none write over the socket (durable when it answers), 300 writes on one connection");
    let write = writes(&home.socket, 300);
    row("lokid", &write);
    let sync = single_syncs(&folder.path().join("single"), 300);
    row("append + fdatasync", &sync);

    daemon.stop();
    println!("\nwarm start with {count} records, to the first answered request for a record");
    let mut starts: Vec<f64> = (0..5).map(|_| home.time_to_first_answer(count / 3)).collect();
    starts.sort_by(f64::total_cmp);
    let bytes: u64 = home.store_bytes();
    let read_all = home.read_all();
    println!("  lokid               {:>10.0} ms median of 5 ({:.0}..{:.0})", starts[2], starts[0], starts[4]);
    println!("  reading the files   {:>10.0} ms ({:.1} MB, no parsing)", read_all, bytes as f64 / 1e6);

    println!("\nother kinds, each in a store of its own");
    for (kind, share) in [("fact", 1), ("mixed", 1), ("episode", 5)] {
        by_kind(&folder.path().join(kind), kind, count / share);
    }
    println!("\none fact more in a document of 10,000, which is written anew");
    full_document(&folder.path().join("full"));
}

/// Facts, patterns and learnings share documents; episodes with a body are a file each.
fn by_kind(folder: &Path, kind: &str, count: usize) {
    let kind_of = |n: usize| match kind {
        "mixed" => ["note", "fact", "decision", "pattern", "learning"][n % 5],
        kind => kind,
    };
    let record = |n: usize| {
        let text = format!("Record {n}: the cache keeps the socket until the parser of module {} is done.", n % 97);
        match kind_of(n) {
            "episode" => {
                json!({"id": format!("rec-{n}"), "kind": "episode", "episode": {"task_id": n.to_string(), "context": {"goal": text}}})
            }
            "fact" => json!({"id": format!("rec-{n}"), "fact": {"key": format!("k{n}"), "value": "v"}, "text": text}),
            kind => json!({"id": format!("rec-{n}"), "kind": kind, "text": text}),
        }
    };
    let lines: String = (0..count).map(|n| record(n).to_string() + "\n").collect();
    let home = Home::new(folder);
    let daemon = home.start();
    let started = Instant::now();
    let report = home.import(&lines);
    let rate = count as f64 / started.elapsed().as_secs_f64();
    assert_eq!(report["imported"].as_u64(), Some(count as u64), "{report}");
    let rss = daemon.rss_mb();
    daemon.stop();
    let mut starts: Vec<f64> = (0..3).map(|_| home.time_to_first_answer(count / 2)).collect();
    starts.sort_by(f64::total_cmp);
    println!(
        "  {kind:<9} {count:>7}   import {rate:>7.0}/s   resident {rss:>5.0} MB   start {:>5.0} ms   {} files",
        starts[1],
        home.files().len()
    );
}

fn full_document(folder: &Path) {
    let home = Home::new(folder);
    let daemon = home.start();
    let lines: String = (0..9_700)
        .map(|n| {
            json!({"fact": {"key": format!("k{n}"), "value": "v"}, "text": format!("fact number {n} of the document")})
                .to_string()
                + "\n"
        })
        .collect();
    home.import(&lines);
    row("lokid", &posts(&home.socket, 100, |n| json!({"fact": {"key": format!("more{n}"), "value": "v"}})));
    daemon.stop();
}

fn records(count: usize) -> String {
    let words = ["cache", "socket", "parser", "token", "branch", "index", "merge", "daemon", "editor", "lock", "queue"];
    let mut out = String::new();
    for n in 0..count {
        let pick = |k: usize| words[(n.wrapping_mul(2_654_435_761) >> (k * 3)) % words.len()];
        let text = format!(
            "Record {n}: the {} keeps the {} until the {} has been written, because the {} of module {} would otherwise \
             see a {} that is half done. Seen first in run {} and again after the {} changed.",
            pick(0),
            pick(1),
            pick(2),
            pick(3),
            n % 97,
            pick(4),
            n % 1013,
            pick(5)
        );
        let record = json!({
            "id": format!("rec-{n}"), "kind": "note", "text": text, "tags": [pick(6), pick(2)],
            "files": [format!("src/{}/{}.rs", pick(1), pick(3))], "timestamp": format!("2026-0{}-1{}T08:00:00Z", 1 + n % 9, n % 10),
        });
        out.push_str(&record.to_string());
        out.push('\n');
    }
    out
}

struct Home {
    folder: PathBuf,
    socket: PathBuf,
}

impl Home {
    fn new(folder: &Path) -> Home {
        let repo = folder.join("repo");
        std::fs::create_dir_all(&repo).unwrap();
        git2::Repository::init(&repo).unwrap();
        Home { folder: folder.to_owned(), socket: folder.join("lokid.sock") }
    }

    fn start(&self) -> Daemon {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lokid"));
        command.arg("run").current_dir(self.folder.join("repo")).env("LOKID_SOCKET", &self.socket);
        for name in ["CONFIG", "STATE", "CACHE", "DATA"] {
            command.env(format!("XDG_{name}_HOME"), self.folder.join(name.to_lowercase()));
        }
        let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut daemon = Daemon { child };
        let out = BufReader::new(daemon.child.stdout.take().unwrap());
        out.lines().map_while(Result::ok).find(|line| line.contains("memor")).expect("it says what it holds");
        daemon
    }

    fn import(&self, lines: &str) -> Value {
        let mut stream = UnixStream::connect(&self.socket).unwrap();
        let head = format!(
            "POST /v1/memories/import HTTP/1.1\r\nHost: l\r\nConnection: close\r\nContent-Type: application/x-ndjson\r\nContent-Length: {}\r\n\r\n",
            lines.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(lines.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let body = answer.split_once("\r\n\r\n").unwrap().1;
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"))
    }

    fn time_to_first_answer(&self, record: usize) -> f64 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lokid"));
        command.arg("run").current_dir(self.folder.join("repo")).env("LOKID_SOCKET", &self.socket);
        for name in ["CONFIG", "STATE", "CACHE", "DATA"] {
            command.env(format!("XDG_{name}_HOME"), self.folder.join(name.to_lowercase()));
        }
        let started = Instant::now();
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let daemon = Daemon { child };
        loop {
            if let Ok(mut stream) = UnixStream::connect(&self.socket) {
                let path = format!("/v1/memories/rec-{record}");
                if get(&mut stream, &path).is_some_and(|status| status == 200) {
                    break;
                }
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let took = started.elapsed().as_secs_f64() * 1000.0;
        daemon.stop();
        took
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut open = vec![self.folder.join("repo/.loki")];
        while let Some(next) = open.pop() {
            for entry in std::fs::read_dir(next).unwrap().flatten() {
                if entry.path().is_dir() { open.push(entry.path()) } else { found.push(entry.path()) }
            }
        }
        found
    }

    fn store_bytes(&self) -> u64 {
        self.files().iter().map(|path| path.metadata().unwrap().len()).sum()
    }

    fn read_all(&self) -> f64 {
        let started = Instant::now();
        let read: usize = self.files().iter().map(|path| std::fs::read(path).unwrap().len()).sum();
        assert!(read > 0);
        started.elapsed().as_secs_f64() * 1000.0
    }
}

struct Daemon {
    child: Child,
}

impl Daemon {
    fn rss_mb(&self) -> f64 {
        let kilobytes: f64 = self.proc("VmRSS:").trim_end_matches(" kB").trim().parse().unwrap();
        kilobytes / 1024.0
    }

    fn proc(&self, field: &str) -> String {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        status.lines().find_map(|line| line.strip_prefix(field)).unwrap().trim().to_owned()
    }

    /// Context switches of all threads that lived through it, and CPU in milliseconds, while nobody asks anything.
    fn idle(&self) -> (u64, u64) {
        let (before, cpu_before) = self.activity();
        std::thread::sleep(IDLE);
        let (after, cpu_after) = self.activity();
        let switches = after.iter().map(|(thread, count)| count - before.get(thread).unwrap_or(count)).sum();
        (switches, cpu_after - cpu_before)
    }

    fn activity(&self) -> (BTreeMap<String, u64>, u64) {
        let mut switches = BTreeMap::new();
        for thread in std::fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap().flatten() {
            let status = std::fs::read_to_string(thread.path().join("status")).unwrap_or_default();
            let counts = status.lines().filter(|line| line.contains("ctxt_switches"));
            let sum = counts.map(|line| line.rsplit('\t').next().unwrap().trim().parse::<u64>().unwrap()).sum();
            switches.insert(thread.file_name().to_string_lossy().into_owned(), sum);
        }
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        let ticks = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
        (switches, ticks * 10)
    }

    fn stop(mut self) {
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let _ = self.child.wait();
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn append_and_sync(path: &Path, lines: &str) -> Duration {
    let started = Instant::now();
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
    let all: Vec<&str> = lines.lines().collect();
    for batch in all.chunks(BATCH) {
        let mut bytes = batch.join("\n");
        bytes.push('\n');
        file.write_all(bytes.as_bytes()).unwrap();
        file.sync_data().unwrap();
    }
    started.elapsed()
}

fn single_syncs(path: &Path, count: usize) -> Vec<f64> {
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
    let mut took: Vec<f64> = (0..count)
        .map(|_| {
            let started = Instant::now();
            file.write_all(&[b'x'; 300]).unwrap();
            file.sync_data().unwrap();
            started.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    took.sort_by(f64::total_cmp);
    took
}

/// The same HTTP stack with a handler that does nothing.
fn echo_server(socket: &Path) -> std::thread::JoinHandle<()> {
    let (ready, wait) = std::sync::mpsc::channel();
    let socket = socket.to_owned();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async move {
            let app = axum::Router::new().route("/echo", axum::routing::get(|| async { "hello" }));
            let listener = tokio::net::UnixListener::bind(socket).unwrap();
            ready.send(()).unwrap();
            axum::serve(listener, app).await.unwrap();
        });
    });
    wait.recv().unwrap();
    thread
}

/// Microseconds, sorted, of reads on one kept connection.
fn latencies(socket: &Path, path: &str) -> Vec<f64> {
    let mut stream = UnixStream::connect(socket).unwrap();
    for _ in 0..READS / 10 {
        assert_eq!(get(&mut stream, path), Some(200));
    }
    let mut took: Vec<f64> = (0..READS)
        .map(|_| {
            let started = Instant::now();
            assert_eq!(get(&mut stream, path), Some(200));
            started.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    took.sort_by(f64::total_cmp);
    took
}

fn writes(socket: &Path, count: usize) -> Vec<f64> {
    posts(socket, count, |n| json!({"kind": "note", "text": format!("written one by one, number {n}")}))
}

/// Microseconds, sorted, of writes on one kept connection.
fn posts(socket: &Path, count: usize, record: impl Fn(usize) -> Value) -> Vec<f64> {
    let mut stream = UnixStream::connect(socket).unwrap();
    let mut took: Vec<f64> = (0..count)
        .map(|n| {
            let body = record(n).to_string();
            let request = format!(
                "POST /v1/memories HTTP/1.1\r\nHost: l\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
            let started = Instant::now();
            stream.write_all(request.as_bytes()).unwrap();
            assert_eq!(answer(&mut stream), Some(201));
            started.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    took.sort_by(f64::total_cmp);
    took
}

fn get(stream: &mut UnixStream, path: &str) -> Option<u16> {
    write!(stream, "GET {path} HTTP/1.1\r\nHost: l\r\n\r\n").ok()?;
    answer(stream)
}

/// The status of an answer, read to its end.
fn answer(stream: &mut UnixStream) -> Option<u16> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 16384];
    loop {
        let read = stream.read(&mut chunk).ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&chunk[..read]);
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = std::str::from_utf8(&bytes[..end]).ok()?;
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
        })?;
        if bytes.len() >= end + 4 + length {
            return head.split(' ').nth(1)?.parse().ok();
        }
    }
}

fn at(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share) as usize]
}

fn row(name: &str, sorted: &[f64]) {
    println!("  {name:<19} p50 {:>8.1} µs   p99 {:>8.1} µs", at(sorted, 0.5), at(sorted, 0.99));
}
