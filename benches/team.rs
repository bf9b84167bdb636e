//! What a team's database costs, on a real server with `fsync`: a newcomer who reads everything, and fifty machines that
//! write all the time; then the same through real daemons: how long a newcomer takes until everything is remembered there,
//! when an edit is seen by another machine, and what recall costs beside it.
//!
//! `cargo bench --bench team`; `-- 20000 10` takes another number of memories, and of seconds; `daemons` or `database` only
//! that half.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout)]

use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use lokid::serve::{Client, Request};
use lokid_sys::postgres::Parameters;
use lokid_team::relay::admin::{Admin, NewRole, Setup};
use lokid_team::relay::{Relay, Space};
use lokid_team::{HeadState, ItemKey, ItemKind, Op, Outcome};
use lokid_testing::postgres::{PASSWORD, SUPERUSER, Server};
use serde_json::{Value, json};

const REPLICAS: usize = 50;
const PAUSE: Duration = Duration::from_millis(200);
/// What each memory of the newcomer says.
const WORDS: &str = "the writer holds the lock while it renames, so a reader never sees half of a file, and whoever crashed \
    left either the old or the new one; the journal tells which";

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|word| word.parse().ok());
    let (count, seconds) = (numbers.next().unwrap_or(100_000), numbers.next().unwrap_or(60));
    let server = Server::start();
    let database = server.database();
    let parameters = Parameters::read(&server.url(SUPERUSER, &database)).unwrap();
    for project in ["many", "busy"] {
        let setup = Setup { project: project.into(), members: vec![SUPERUSER.into()], ..Setup::default() };
        Admin::open(&parameters).unwrap().apply(&setup).unwrap();
    }
    let wants = |half: &str| !std::env::args().any(|word| ["daemons", "database"].contains(&&*word) && word != half);
    if wants("database") {
        newcomer(&parameters, count);
        busy(&parameters, Duration::from_secs(seconds as u64));
    }
    if wants("daemons") {
        daemons(&server, &database, count);
    }
}

/// How many edits are timed, and how many questions are asked in each state.
const EDITS: usize = 200;
const QUESTIONS: usize = 1_000;

fn daemons(server: &Server, database: &str, count: usize) {
    let names = ["ada", "ben", "cyd"];
    let members: Vec<String> = names.map(String::from).into();
    let created = members.iter().map(|name| NewRole { name: name.clone(), password: PASSWORD.into() }).collect();
    let setup = Setup { project: "shared".into(), members, created, ..Setup::default() };
    let admin = Parameters::read(&server.url(SUPERUSER, database)).unwrap();
    Admin::open(&admin).unwrap().apply(&setup).unwrap();
    let address = |name: &str| format!("postgres://{name}@127.0.0.1:{}/{database}", server.port());
    let [ada, ben, alone] = ["ada", "ben", "alone"].map(|name| Machine::start(server, name));
    let lines: String = (0..count).map(|at| format!("{}\n", note(at))).collect();
    for machine in [&ada, &alone] {
        let file = machine.folder.path().join("notes.ndjson");
        std::fs::write(&file, &lines).unwrap();
        let answer = machine.lokid(&["import", &file.display().to_string()]);
        assert!(answer.status.success(), "{answer:?}");
    }
    println!("\nthrough real daemons, {count} memories");
    for (machine, name, what) in [(&ada, "ada", "sent by the first machine"), (&ben, "ben", "remembered by a newcomer")]
    {
        let began = Instant::now();
        machine.post("/v1/team/join", &json!({"database": address(name), "team": "shared"}));
        while machine.get("/v1/team/status")["items"].as_u64().unwrap_or(0) < count as u64 {
            assert!(began.elapsed() < Duration::from_secs(900), "{:#}", machine.get("/v1/team/status"));
            std::thread::sleep(Duration::from_millis(50));
        }
        println!("  {what:<38} {:>7.1} s", began.elapsed().as_secs_f64());
    }
    let found = ben.get("/v1/memories/note-team-0");
    assert!(found["text"].as_str().is_some_and(|text| text.contains(WORDS)), "{found:#}");

    let mut seen = Vec::new();
    for turn in 0..EDITS {
        let id = format!("note-team-{}", turn * 7 % count);
        let text = format!("edited in turn {turn}");
        let began = Instant::now();
        ada.patch(&format!("/v1/memories/{id}"), &json!({"text": text}));
        while ben.get(&format!("/v1/memories/{id}"))["text"] != text {
            assert!(began.elapsed() < Duration::from_secs(60), "turn {turn} is not seen");
            std::thread::sleep(Duration::from_millis(1));
        }
        seen.push(began.elapsed().as_micros() as u64);
    }
    shares("an edit is seen by another machine", seen);

    // In turn: whatever else this machine does, it does to both. At every other question there is an edit: one hears of it
    // from the team, the other makes it itself.
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for turn in 0..QUESTIONS {
        if turn % 2 == 0 {
            ada.patch(
                &format!("/v1/memories/note-team-{}", turn * 11 % count),
                &json!({"text": format!("again {turn}: {WORDS}")}),
            );
        }
        let question = json!({"query": format!("who sees half of file {}", turn * 13 % count), "k": 5});
        for (machine, took) in [(&ben, &mut with), (&alone, &mut without)] {
            let began = Instant::now();
            machine.post("/v1/recall", &question);
            took.push(began.elapsed().as_micros() as u64);
        }
    }
    shares("recall beside edits of the team", with);
    shares("recall beside edits of its own", without);
}

fn note(at: usize) -> Value {
    json!({"id": format!("note-team-{at}"), "kind": "note", "text": format!("file {at}: {WORDS}")})
}

/// A daemon with a home of its own.
struct Machine {
    folder: tempfile::TempDir,
    client: Client,
    daemon: Child,
}

impl Machine {
    fn start(server: &Server, name: &str) -> Machine {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["CONFIG/lokid", "app"] {
            std::fs::create_dir_all(at(name)).unwrap();
        }
        std::fs::write(at("CONFIG/lokid/config.toml"), "[night]\nenabled = false\n").unwrap();
        std::fs::write(at(".pgpass"), format!("127.0.0.1:{}:*:{name}:{PASSWORD}\n", server.port())).unwrap();
        std::fs::set_permissions(at(".pgpass"), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        let socket = at("lokid.sock");
        let daemon = command(&folder, &["run", "--here"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let client = Client::new(socket).patience(Duration::from_secs(600));
        let began = Instant::now();
        while client.send(&Request::get("/v1/health")).is_err() {
            assert!(began.elapsed() < Duration::from_secs(60), "the daemon does not start");
            std::thread::sleep(Duration::from_millis(20));
        }
        Machine { folder, client, daemon }
    }

    fn lokid(&self, arguments: &[&str]) -> Output {
        command(&self.folder, arguments).output().unwrap()
    }

    fn get(&self, path: &str) -> Value {
        self.client.send(&Request::get(path)).unwrap().json().unwrap()
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let answer = self.client.send(&Request::post(path, body)).unwrap();
        assert!(answer.is_success(), "{path}: {}", answer.text());
        answer.json().unwrap()
    }

    fn patch(&self, path: &str, body: &Value) {
        let answer = self.client.send(&Request::patch(path, body)).unwrap();
        assert!(answer.is_success(), "{path}: {}", answer.text());
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

fn command(folder: &tempfile::TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lokid"));
    command.args(arguments).arg("--socket").arg(folder.path().join("lokid.sock")).env("HOME", folder.path());
    command.current_dir(folder.path().join("app")).stdin(Stdio::null());
    for name in ["CONFIG", "STATE", "CACHE", "DATA"] {
        command.env(format!("XDG_{name}_HOME"), folder.path().join(name));
    }
    command
}

fn op(index: u64, name: String, text: String) -> Op {
    let item = ItemKey { kind: ItemKind::Memory, namespace: "default".into(), name };
    Op { item, index, hlc: 0, base: 0, record: Some(json!({"kind": "learning", "text": text, "importance": 0.5})) }
}

fn newcomer(parameters: &Parameters, count: usize) {
    let mut first = Relay::open(parameters, "many", "first").unwrap();
    let began = Instant::now();
    let ops: Vec<Op> = (0..count).map(|at| op(at as u64, format!("m-{at}"), format!("{at}: {WORDS}"))).collect();
    for batch in ops.chunks(1_000) {
        assert!(first.append(batch).unwrap().iter().all(|outcome| matches!(outcome, Outcome::Taken { .. })));
    }
    let sent = began.elapsed().as_secs_f64();
    println!("{count} memories appended by one machine   {sent:>8.1} s, {:.0} a second", count as f64 / sent);
    let began = Instant::now();
    let mut second = Relay::open(parameters, "many", "second").unwrap();
    let mut seen = 0;
    second.copy(Space::Project, (0, usize::MAX >> 1), &mut |_| seen += 1).unwrap();
    assert_eq!(seen, count);
    println!("copied by a newcomer                       {:>8.2} s", began.elapsed().as_secs_f64());
    let began = Instant::now();
    let (mut cursor, mut seen) = (0, 0);
    loop {
        let heads = second.changes(Space::Project, cursor, 1_000).unwrap();
        let Some(last) = heads.last() else { break };
        (cursor, seen) = (last.seq, seen + heads.len());
    }
    assert_eq!(seen, count);
    println!("read by cursor, a thousand at a time       {:>8.2} s", began.elapsed().as_secs_f64());
}

/// Each write carries when it was made; another machine tells when it saw it.
fn busy(parameters: &Parameters, time: Duration) {
    let (start, done) = (Instant::now(), AtomicBool::new(false));
    let since = || start.elapsed().as_micros() as u64;
    let (mut taken, mut lags) = (Vec::new(), Vec::new());
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| watch(parameters, &done, &since));
        let writers: Vec<_> =
            (0..REPLICAS).map(|at| scope.spawn(move || write(parameters, at, time, &since))).collect();
        taken.extend(writers.into_iter().flat_map(|writer| writer.join().unwrap()));
        done.store(true, Ordering::Release);
        lags.extend(reader.join().unwrap());
    });
    assert_eq!(taken.len(), lags.len(), "every write was seen");
    println!("{REPLICAS} machines, 5 writes a second each: {} writes in {} s", taken.len(), time.as_secs());
    shares("an append is answered", taken);
    let (early, late) = lags.split_at(lags.len() / 2);
    shares("seen by another machine, first half", early.to_vec());
    shares("seen by another machine, second half", late.to_vec());
}

fn write(parameters: &Parameters, machine: usize, time: Duration, since: &dyn Fn() -> u64) -> Vec<u64> {
    let mut relay = Relay::open(parameters, "busy", &format!("machine-{machine}")).unwrap();
    let mut took = Vec::new();
    // They do not all begin at once.
    let mut next = Instant::now() + PAUSE * machine as u32 / REPLICAS as u32;
    let end = next + time;
    for index in 1.. {
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
        if next >= end {
            break;
        }
        let began = since();
        let outcome = relay.append(&[op(index, format!("m-{machine}-{index}"), format!("{began}"))]).unwrap();
        assert_eq!(outcome, [Outcome::Taken { version: 1 }]);
        took.push(since() - began);
        next += PAUSE;
    }
    took
}

fn watch(parameters: &Parameters, done: &AtomicBool, since: &dyn Fn() -> u64) -> Vec<u64> {
    let mut relay = Relay::open(parameters, "busy", "watcher").unwrap();
    let (mut cursor, mut lags) = (0, Vec::new());
    loop {
        let last_look = done.load(Ordering::Acquire);
        let heads = relay.changes(Space::Project, cursor, 1_000).unwrap();
        let now = since();
        for head in &heads {
            cursor = head.seq;
            let HeadState::Live(record) = &head.state else { panic!("{head:?}") };
            lags.push(now - record["text"].as_str().unwrap().parse::<u64>().unwrap());
        }
        if heads.is_empty() && last_look {
            return lags;
        }
        if heads.is_empty() {
            relay.wait(Duration::from_millis(500)).unwrap();
        }
    }
}

fn shares(what: &str, mut micros: Vec<u64>) {
    micros.sort_unstable();
    let at = |share: f64| micros[((micros.len() - 1) as f64 * share) as usize] as f64 / 1_000.0;
    println!("  {what:<38} p50 {:>7.1} ms  p95 {:>7.1} ms  p99 {:>7.1} ms", at(0.5), at(0.95), at(0.99));
}
