//! What a hook costs an agent, as a whole process: `lokid-hook` with a warm daemon that knows 10,000 memories, and with
//! none, beside `true` and a bare program of two lines of C started in the same way, in turn with them.
//!
//! `cargo bench --bench hook` runs each 600 times; `-- 1000` takes another number.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout)]

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use lokid::serve::{Client, Request};
use serde_json::{Value, json};

const MEMORIES: usize = 10_000;
const RUNS: usize = 600;
const WARM: usize = 30;
const WORDS: [&str; 48] = [
    "handler",
    "timeout",
    "cache",
    "socket",
    "retry",
    "backoff",
    "schema",
    "migration",
    "token",
    "session",
    "parser",
    "index",
    "queue",
    "worker",
    "metric",
    "config",
    "release",
    "deploy",
    "cursor",
    "page",
    "batch",
    "stream",
    "buffer",
    "lock",
    "thread",
    "signal",
    "watch",
    "commit",
    "branch",
    "merge",
    "rebase",
    "patch",
    "review",
    "design",
    "limit",
    "quota",
    "budget",
    "ledger",
    "invoice",
    "order",
    "basket",
    "payment",
    "refund",
    "customer",
    "address",
    "geocode",
    "search",
    "ranking",
];

fn main() {
    let runs = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(RUNS).max(500);
    let folder = tempfile::tempdir().unwrap();
    let lab = Lab::new(folder.path());
    let mut daemon = lab.start();
    lab.import();
    println!("{MEMORIES} memories, {runs} runs each in turn, {} cores", std::thread::available_parallelism().unwrap());
    let bare = bare_program(folder.path());
    if bare.is_none() {
        println!("there is no C compiler (cc): the floor of a bare program is left out");
    }
    let mut took: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for run in 0..runs + WARM {
        let mut measure = |name: &'static str, command: Command, input: Value| {
            let time = lab.time(command, &input);
            if run >= WARM {
                took.entry(name).or_default().push(time);
            }
        };
        measure("1 true", Command::new("true"), json!({}));
        if let Some(bare) = &bare {
            measure("2 bare C", Command::new(bare), json!({}));
        }
        let word = |step: usize| WORDS[(run * step + step) % WORDS.len()];
        let read = json!({"tool_name": "Read", "tool_use_id": format!("r{run}"),
                          "tool_input": {"file_path": format!("src/{}.rs", word(3))}});
        measure("3 hook PreToolUse Read", lab.hook("PreToolUse", true), lab.input("warm", read.clone()));
        let bash = json!({"tool_name": "Bash", "tool_use_id": format!("b{run}"),
                          "tool_input": {"command": format!("cargo test {}", word(5))}});
        measure("4 hook PreToolUse Bash", lab.hook("PreToolUse", true), lab.input("warm", bash));
        let asked = format!("why does the {} of the {} need a {} and the {}", word(7), word(11), word(13), word(5));
        let prompt = json!({"prompt": asked, "prompt_id": format!("p{run}")});
        measure("5 hook UserPromptSubmit", lab.hook("UserPromptSubmit", true), lab.input("warm", prompt));
        let again = json!({"prompt": asked, "prompt_id": format!("q{run}")});
        measure("6 the same by `lokid hook`", lab.large("UserPromptSubmit"), lab.input("warm", again));
        measure("7 hook PreToolUse, away", lab.hook("PreToolUse", false), lab.input("away", read));
    }
    let _ = daemon.kill();
    let _ = daemon.wait();

    let at = |name: &str, share: f64| {
        let mut all = took[name].clone();
        all.sort_by(f64::total_cmp);
        all[((all.len() - 1) as f64 * share).round() as usize]
    };
    println!("\n{:<26} {:>9} {:>9}   {:>17}   {:>17}", "", "p50 ms", "p95 ms", "over true", "over bare C");
    for name in took.keys() {
        let (middle, most) = (at(name, 0.5), at(name, 0.95));
        let over = |floor: &str| match took.contains_key(floor) {
            true => format!("{:>8.3} {:>8.3}", middle - at(floor, 0.5), most - at(floor, 0.95)),
            false => format!("{:>17}", "-"),
        };
        println!("{:<26} {middle:>9.3} {most:>9.3}   {}   {}", &name[2..], over("1 true"), over("2 bare C"));
    }
}

/// Two lines of C: what no program started like this can do without.
fn bare_program(folder: &Path) -> Option<PathBuf> {
    let (source, program) = (folder.join("bare.c"), folder.join("bare"));
    std::fs::write(&source, "int main(void)\n{ return 0; }\n").unwrap();
    let built = Command::new("cc").args(["-O2", "-o"]).arg(&program).arg(&source).status();
    built.is_ok_and(|status| status.success()).then_some(program)
}

/// `lokid`, with `lokid-hook` beside it.
fn program() -> PathBuf {
    let named = std::env::var_os("LOKID_BENCH_BINARY").filter(|path| !path.is_empty());
    named.unwrap_or_else(|| env!("CARGO_BIN_EXE_lokid").into()).into()
}

struct Lab {
    folder: PathBuf,
    socket: PathBuf,
}

impl Lab {
    fn new(folder: &Path) -> Lab {
        let folder = folder.canonicalize().unwrap();
        git2::Repository::init(folder.join("repo")).unwrap();
        Lab { socket: folder.join("lokid.sock"), folder }
    }

    fn command(&self, program: &Path, socket: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.join("repo"));
        command.env("HOME", &self.folder).env("LOKID_SOCKET", socket);
        for name in ["CONFIG", "STATE", "CACHE", "DATA"] {
            command.env(format!("XDG_{name}_HOME"), self.folder.join(name.to_lowercase()));
        }
        command.env("XDG_RUNTIME_DIR", self.folder.join("run"));
        command
    }

    fn start(&self) -> Child {
        let mut command = self.command(&program(), &self.socket);
        command.arg("run").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().unwrap();
        self.wait_for(&Request::get("/v1/status"));
        child
    }

    fn wait_for(&self, request: &Request) {
        let client = Client::new(&self.socket).patience(Duration::from_secs(60));
        let started = Instant::now();
        while !client.send(request).is_ok_and(|answer| answer.is_success()) {
            assert!(started.elapsed() < Duration::from_secs(300), "the daemon never answered");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn import(&self) {
        let word = |n: usize| WORDS[(n.wrapping_mul(2_654_435_761) >> 7) % WORDS.len()];
        let mut lines = String::new();
        for n in 0..MEMORIES {
            let text: Vec<&str> = (0..24).map(|at| word(n * 31 + at * 17)).collect();
            let tier = if n % 200 == 0 { "guardrail" } else { "reference" };
            let file = format!("src/{}.rs", word(n));
            let record = json!({"id": format!("n-{n}"), "kind": "note", "text": format!("{n}: {}", text.join(" ")),
                                "files": [file], "tier": tier});
            lines.push_str(&format!("{record}\n"));
        }
        let import = Request::new("POST", "/v1/memories/import").header("content-type", "application/x-ndjson");
        let client = Client::new(&self.socket).patience(Duration::from_secs(300));
        let answer = client.upload(&import, lines.as_bytes(), |_| {}).unwrap();
        assert!(answer.is_success(), "{}", answer.text());
        let found = json!({"query": "timeout of the handler", "fresh": true});
        self.wait_for(&Request::post("/v1/recall", &found));
    }

    fn hook(&self, event: &str, warm: bool) -> Command {
        let nowhere = self.folder.join("nowhere.sock");
        let small = program().with_file_name("lokid-hook");
        let mut command = self.command(&small, if warm { &self.socket } else { &nowhere });
        if !warm {
            command.env("XDG_STATE_HOME", self.folder.join("away"));
        }
        command.arg(event);
        command
    }

    fn large(&self, event: &str) -> Command {
        let mut command = self.command(&program(), &self.socket);
        command.args(["hook", event]);
        command
    }

    fn input(&self, session: &str, extra: Value) -> Value {
        let mut input = json!({"session_id": session, "cwd": self.folder.join("repo"), "permission_mode": "default"});
        input.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        input
    }

    /// Milliseconds from the start of the process to its end.
    fn time(&self, mut command: Command, input: &Value) -> f64 {
        let file = self.folder.join("input.json");
        std::fs::write(&file, input.to_string()).unwrap();
        command.stdin(File::open(&file).unwrap()).stdout(Stdio::null()).stderr(Stdio::null());
        let started = Instant::now();
        let status = command.status().unwrap();
        let took = started.elapsed();
        assert!(status.success());
        took.as_secs_f64() * 1e3
    }
}
