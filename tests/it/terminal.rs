//! Whatever stands in names, texts and messages: no command hands a terminal, or who reads over its shoulder, a
//! character that is obeyed or that nobody sees. Every command of the tree is tried, so that none can be forgotten.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Output, Stdio};

use lokid::serve::{Client, Request};
use serde_json::{Value, json};

use crate::eyes::lab::Lab;
use crate::home::eventually_some;

/// The clipboard, the screen, the order of reading, and letters that are not to be seen. No `/`: it is a file name, too.
const HOSTILE: &str = "\u{1b}]52;c;cm0gLXJm\u{7}\u{1b}[2J\u{9b}31m\u{85}\u{202e}\u{2066}\u{200e}\u{200f}\u{61c}\u{200b}\u{180e}\
    \u{feff}\u{ad}\u{34f}\u{e0041}\u{e0101}x\u{fe00}x\u{fe0f}x\u{200d}x\u{2028}\u{2029}\u{7f}\u{8}\r";
/// What git lets stand in the name of a branch.
const BRANCH: &str = "fix-\u{9b}31m\u{202e}\u{e0041}\u{200b}samples";
/// Begins a line of its own where the name it stands in is printed as it is.
const FORGED: &str = "FORGED: all is well";

/// Written down here once more, so that the list of the program is not its own judge.
fn is_forbidden(character: char) -> bool {
    let c = character as u32;
    (c < 0x20 && !matches!(c, 9 | 10))
        || (0x7f..=0x9f).contains(&c)
        || matches!(c, 0xad | 0x34f | 0x61c | 0x180e | 0xfeff | 0x200b | 0x200e | 0x200f)
        || matches!(c, 0x2028..=0x202e | 0x2060..=0x206f | 0xfe00..=0xfe0d | 0xe0000..=0xe01ef)
}

#[track_caller]
fn assert_harmless(what: &str, bytes: &[u8]) {
    let text = std::str::from_utf8(bytes).unwrap_or_else(|error| panic!("{what}: {error}: {:?}", tail(bytes)));
    if let Some(line) = text.lines().find(|line| line.contains(is_forbidden)) {
        panic!("{what}: {line:?}");
    }
    assert!(!text.lines().any(|line| line.starts_with(FORGED)), "{what}: a line is forged in {text}");
    // Joined to letters of ASCII they join nothing, and only hide something.
    assert!(!text.contains("x\u{200d}") && !text.contains("x\u{fe0f}"), "{what}: {text:?}");
}

fn tail(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(400)..]).into_owned()
}

fn name() -> String {
    format!("src/mean{HOSTILE}\n{FORGED}.py")
}

/// A repository in which everything a stranger can choose is hostile.
fn hostile() -> Lab {
    let lab = Lab::new();
    lab.home.configure("[log]\nformat = \"human\"\n");
    lab.git(&["config", "user.name", &format!("Eve {HOSTILE} l")]);
    let raw = lab.path("").join(OsStr::from_bytes(b"src/raw\x9b31m\x1b[2J.py"));
    std::fs::create_dir_all(lab.path("src")).unwrap();
    for round in 0..4 {
        lab.write(&name(), format!("def mean{round}(xs):\n    return sum(xs) / len(xs) + {round}\n"));
        lab.write("src/app.py", format!("from mean import mean\n\nprint(mean([{round}]))\n"));
        std::fs::write(&raw, format!("NAME = {round}\n")).unwrap();
        lab.commit(&format!(
            "fix: the mean of nothing {HOSTILE} is zero, round {round}\n\nBecause nobody checked {HOSTILE}\nfor an \
             empty list, it failed with a ZeroDivisionError.\n{FORGED}"
        ));
    }
    lab.git(&["checkout", "-q", "-b", BRANCH]);
    lab.write(
        ".loki/CONTINUITY.md",
        format!(
            "# Continuity\n\n## Current Task\n\nSpeed up {HOSTILE} the mean\n\n## Mistakes & Learnings\n\n\
             - The socket {HOSTILE} must be closed before the mean is renamed\n"
        ),
    );
    lab.write(
        ".loki/logs/build.log",
        format!(
            "Traceback (most recent call last):\n  File \"src/app.py\", line 3, in main\n    print(mean([]))\n\
             ZeroDivisionError: division by zero {HOSTILE} in the mean\n"
        ),
    );
    // What doctor has to name, and nobody can read.
    lab.write(&format!(".loki/memory/semantic/note{HOSTILE}\n{FORGED}.json"), "{");
    lab.write(&format!(".loki/memory/episodic/2026-01-01/task-{HOSTILE}.json"), "{\"id\":");
    lab
}

fn run(lab: &Lab, arguments: &[OsString], input: &str) -> Output {
    let mut command = lab.home.command(&[]);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that wants no input may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

#[track_caller]
fn check(lab: &Lab, arguments: &[&str], input: &str) -> Output {
    let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
    let output = run(lab, &arguments, input);
    assert_harmless(&format!("stdout of {arguments:?}"), &output.stdout);
    assert_harmless(&format!("stderr of {arguments:?}"), &output.stderr);
    output
}

/// A program that goes on, and the files its words run into.
struct Running {
    child: Child,
    out: PathBuf,
    err: PathBuf,
}

impl Running {
    fn start(lab: &Lab, name: &str, arguments: &[&str]) -> Running {
        let (out, err) = (lab.home.path(&format!("{name}.out")), lab.home.path(&format!("{name}.err")));
        let mut command = lab.home.command(arguments);
        command.stdout(File::create(&out).unwrap()).stderr(File::create(&err).unwrap());
        Running { child: command.spawn().unwrap(), out, err }
    }

    fn says(&self, what: &str) -> bool {
        let said = [&self.out, &self.err].map(|path| std::fs::read(path).unwrap());
        said.iter().any(|said| String::from_utf8_lossy(said).contains(what))
    }

    fn end(mut self, what: &str, says: &str) {
        eventually_some(|| self.says(says).then_some(()));
        let _ = self.child.kill();
        let _ = self.child.wait();
        assert_harmless(&format!("stdout of {what}"), &std::fs::read(&self.out).unwrap());
        assert_harmless(&format!("stderr of {what}"), &std::fs::read(&self.err).unwrap());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Every command there is, as the manual knows them: `hooks install`.
fn commands(lab: &Lab) -> BTreeSet<String> {
    let pages = lab.home.path("man");
    let told = lab.home.run(&["--json", "man", pages.to_str().unwrap()]).succeeded().json();
    let names = told["written"].as_array().unwrap().iter().map(|path| {
        let page = Path::new(path.as_str().unwrap()).file_stem().unwrap().to_str().unwrap().to_owned();
        page.strip_prefix("lokid").unwrap().trim_start_matches('-').replace('-', " ")
    });
    names.filter(|name| !name.is_empty()).collect()
}

/// How a command is asked so that it has something to say. One that is not named here is tried with nothing and with
/// a hostile word.
fn ways(command: &str, id: &str) -> Vec<Vec<String>> {
    let path = name();
    let words =
        |rest: &[&str]| -> Vec<String> { command.split(' ').chain(rest.iter().copied()).map(str::to_owned).collect() };
    let many = |ways: &[&[&str]]| ways.iter().map(|rest| words(rest)).collect::<Vec<_>>();
    match command {
        "run" => many(&[&["--oneshot"], &[&path], &["--here", HOSTILE]]),
        "status" => many(&[&[], &["--watch=0.1", "--times", "2"]]),
        "recall" => many(&[&["the mean of nothing"], &["--explain", "mean"], &["--file", &path, "mean"]]),
        "context" => many(&[
            &[],
            &["--goal", HOSTILE],
            &["--file", &path, "--explain"],
            &["--task", "mend the mean"],
            &["--relevant", "the mean"],
            &["--session", "s-1", "--block"],
        ]),
        "predict" => many(&[&["src/app.py"], &[&path], &["--branch", BRANCH], &["--error", "ZeroDivisionError mean"]]),
        "why" => many(&[&[&path], &["src/app.py:3"], &[HOSTILE]]),
        "list" => many(&[&[], &["--derived"], &["--file", "src"]]),
        "show" => many(&[&[id], &["--history", id], &[HOSTILE]]),
        // It serves until somebody ends it; what it prints is an address of its own.
        "ui" => many(&[&["--port", HOSTILE], &["--socket", HOSTILE]]),
        "links" => many(&[&[id], &[HOSTILE]]),
        "links add" => many(&[&[id, "related_to", HOSTILE]]),
        "forget" => many(&[&[HOSTILE], &["--query", "the socket mean"], &["--undo", HOSTILE]]),
        "remember" => many(&[&[HOSTILE], &["--file", &path, "--tag", HOSTILE, "--title", HOSTILE, "the mean"]]),
        "confirm" => many(&[&[id], &[HOSTILE]]),
        "consolidate" => many(&[&["--dry-run"], &["--last"], &[]]),
        "contradictions check" => many(&[&[HOSTILE, "the mean is one"]]),
        "contradictions resolve" => many(&[&[HOSTILE, "keep_both"]]),
        "index" => many(&[&[], &["src"], &[HOSTILE]]),
        "export" => many(&[&["--derived"], &["--output", HOSTILE]]),
        "import" => many(&[&[HOSTILE], &["-"], &["--claude-transcript", &path]]),
        "economics" => many(&[&[], &["--explain"], &["--session", "s-1"]]),
        "events" | "mcp" | "hook" | "stop" | "purge" => Vec::new(),
        "hooks install" | "hooks uninstall" => many(&[&["claude-code", "--scope", "project"], &[HOSTILE]]),
        "service install" => many(&[&["--print"]]),
        "project add" => many(&[&["--no-wait"], &[HOSTILE]]),
        "project remove" => many(&[&[HOSTILE]]),
        "completions" => many(&[&["bash"], &[HOSTILE]]),
        "config" => many(&[&[], &["--check"]]),
        "ledger write" | "handoff write" | "ledger show" | "handoff show" => many(&[&["l-1"], &[HOSTILE]]),
        "skill show" | "skill add" => many(&[&[HOSTILE]]),
        _ => many(&[&[], &[HOSTILE]]),
    }
}

/// What an agent sends.
fn mcp_session() -> String {
    let call = |id: u32, method: &str, params: Value| {
        format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    };
    let client = json!({"name": HOSTILE, "version": "1"});
    let opening = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    let opened = format!("{}\n", json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let recall = json!({"name": "mem_search", "arguments": {"query": "the mean of nothing"}});
    let wrong = json!({"name": HOSTILE, "arguments": {HOSTILE: 1}});
    call(1, "initialize", opening) + &opened + &call(2, "tools/call", recall) + &call(3, "tools/call", wrong)
}

#[test]
fn no_command_hands_a_terminal_what_it_would_obey() {
    let lab = hostile();
    crate::instances::wait_until_some_are_free();
    let daemon = Running::start(&lab, "daemon", &["-vv", "run"]);
    let client = Client::new(lab.home.socket());
    eventually_some(|| client.send(&Request::get("/v1/health")).ok());
    eventually_some(|| {
        let status = client.send(&Request::get("/v1/status")).ok()?.json().ok()?;
        (status["projects"][0]["past"]["state"] == "ready").then_some(())
    });
    let events = ["events", "json-events"].map(|name| {
        let json: &[&str] = if name == "events" { &["events"] } else { &["events", "--json"] };
        Running::start(&lab, name, json)
    });
    let remembered =
        check(&lab, &["remember", "--json", "--file", &name(), "--title", HOSTILE, &format!("the mean {HOSTILE}")], "");
    let remembered: Value = serde_json::from_slice(&remembered.stdout).unwrap();
    let id = remembered["id"].as_str().unwrap_or_else(|| panic!("{remembered}"));
    let session = json!({"session_id": "s-1", "goal": format!("mend the mean {HOSTILE}")});
    client.send(&Request::post("/v1/context/session", &session)).unwrap();
    let ledger = json!({"agent_id": "l-1", "note": HOSTILE, HOSTILE: [HOSTILE]});
    client.send(&Request::post("/v1/ledgers", &ledger)).unwrap();
    // What is written before they listen is told to nobody.
    let mut later = 0;
    eventually_some(|| {
        later += 1;
        lab.write(&format!("src/later{later}{HOSTILE}.py"), "LATER = 1\n");
        events.iter().all(|events| events.says("src/later")).then_some(())
    });

    for command in commands(&lab) {
        for way in ways(&command, id) {
            let way: Vec<&str> = way.iter().map(String::as_str).collect();
            check(&lab, &way, "");
            check(&lab, &[&["--json"], &way[..]].concat(), "{}");
        }
        let inner: Vec<&str> = command.split(' ').collect();
        check(&lab, &[&inner[..], &["--help"]].concat(), "");
        if command != "hook" {
            // The parser repeats what it does not understand.
            check(&lab, &[&inner[..], &[&format!("--{HOSTILE}")]].concat(), "");
        }
    }
    check(&lab, &[HOSTILE], "");
    check(&lab, &["--config", HOSTILE, "status"], "");
    check(&lab, &["--socket", HOSTILE, "stop"], "");
    let payload =
        json!({"session_id": "s-1", "cwd": lab.path(""), "source": "startup", "prompt": format!("the mean {HOSTILE}")});
    for event in ["SessionStart", "UserPromptSubmit", HOSTILE] {
        check(&lab, &["hook", event, "--agent", "claude-code"], &payload.to_string());
    }
    check(&lab, &["mcp"], &mcp_session());
    for (events, what) in events.into_iter().zip(["events", "events --json"]) {
        events.end(what, "src/later");
    }
    check(&lab, &["purge", "--dry-run"], "");
    check(&lab, &["--json", "purge", "--dry-run"], "");
    check(&lab, &["stop"], "");
    daemon.end("run -vv", "watching");
    for read in [&["doctor"][..], &["recall", "mean"], &["predict", "src/app.py"], &["run", "--oneshot", "-vv"]] {
        check(&lab, read, "");
    }
    check(&lab, &["purge", "--yes"], "");
}

#[test]
fn json_says_the_same_with_every_such_character_escaped() {
    let lab = hostile();
    let _daemon = lab.home.daemon();
    let text = format!("the mean {HOSTILE} of nothing, ❤\u{fe0f} and שלום");
    let told = check(&lab, &["remember", "--json", &text], "");
    let told: Value = serde_json::from_slice(&told.stdout).unwrap();
    let shown = check(&lab, &["--json", "show", told["id"].as_str().unwrap()], "").stdout;
    let shown: Value = serde_json::from_slice(&shown).unwrap();
    assert_eq!(shown["text"], text.trim_end(), "{shown:#}");
}
