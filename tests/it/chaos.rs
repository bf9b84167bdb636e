//! What machines and neighbours do: other programs on the same files, death in the middle of work, strangers at the door.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use lokid::serve::{Client, Request};
use serde_json::{Value, json};

use crate::home::{Daemon, Home};

const WRITERS: usize = 4;
const CHANGES: usize = 80;

fn has(program: &str) -> bool {
    let asked = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let found = asked.is_ok_and(|status| status.success());
    if !found {
        println!("skipped: there is no {program} here");
    }
    found
}

#[test]
fn four_clients_and_four_python_programs_on_the_same_files_lose_nothing_of_each_other() {
    if !has("python3") {
        return;
    }
    let home = Home::new();
    let _daemon = home.daemon();
    let memory = home.path("app/.loki/memory");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/loki_writer.py");
    let mut theirs: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (name, count) = (format!("py{writer}"), CHANGES.to_string());
            Command::new("python3").arg(script).arg(&memory).args([name, count]).spawn().unwrap()
        })
        .collect();
    let ours: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let client = Client::new(home.socket()).patience(Duration::from_secs(60));
            std::thread::spawn(move || {
                for number in 0..CHANGES {
                    let record = json!({
                        "id": format!("sem-rs{writer}-{number}"), "kind": "pattern",
                        "pattern": {"pattern": format!("pattern {number} of rs{writer}"), "category": "test"},
                    });
                    let answer = client.send(&Request::post("/v1/memories", &record)).unwrap();
                    assert_eq!(answer.status, 201, "{}", answer.text());
                }
            })
        })
        .collect();
    for thread in ours {
        thread.join().unwrap();
    }
    for child in &mut theirs {
        assert!(child.wait().unwrap().success());
    }

    let document: Value =
        serde_json::from_slice(&std::fs::read(memory.join("semantic/patterns.json")).unwrap()).unwrap();
    let patterns = document["patterns"].as_array().unwrap();
    let ids: BTreeSet<&str> = patterns.iter().map(|pattern| pattern["id"].as_str().unwrap()).collect();
    assert_eq!((patterns.len(), ids.len()), (2 * WRITERS * CHANGES, 2 * WRITERS * CHANGES));
    let kept = patterns.iter().filter(|pattern| pattern["their_own_field"]["writer"].is_string()).count();
    assert_eq!(kept, WRITERS * CHANGES, "no field of theirs is lost");
    let index: Value = serde_json::from_slice(&std::fs::read(memory.join("index.json")).unwrap()).unwrap();
    assert_eq!(index["their_count"], WRITERS * CHANGES, "nor any change to a file both keep");

    // And the daemon knows all of them, theirs too, without being told.
    let client = Client::new(home.socket());
    crate::home::eventually_some(|| {
        let status = client.send(&Request::get("/v1/status")).unwrap().json().unwrap();
        (status["projects"][0]["counts"]["pattern"] == 2 * WRITERS * CHANGES).then_some(())
    });
}

/// Feeds an import until the daemon is killed; answers with the last line that was acknowledged.
fn import_until_killed(home: &Home, daemon: &mut Daemon, lines: &str, kill_after: usize) -> usize {
    let mut stream = UnixStream::connect(home.socket()).unwrap();
    write!(
        stream,
        "POST /v1/memories/import HTTP/1.1\r\nHost: l\r\nAccept: application/x-ndjson\r\nContent-Type: application/x-ndjson\r\nContent-Length: {}\r\n\r\n",
        lines.len()
    )
    .unwrap();
    let mut sender = stream.try_clone().unwrap();
    let all = lines.to_owned();
    let feeding = std::thread::spawn(move || {
        for chunk in all.as_bytes().chunks(64 << 10) {
            if sender.write_all(chunk).is_err() {
                return;
            }
        }
    });
    let mut acknowledged = 0;
    let mut reports = 0;
    for line in BufReader::new(&mut stream).lines().map_while(Result::ok) {
        let Ok(report) = serde_json::from_str::<Value>(&line) else { continue };
        if let Some(number) = report["acknowledged"].as_u64() {
            acknowledged = number as usize;
            reports += 1;
        }
        if reports == kill_after {
            daemon.child.kill().unwrap();
        }
    }
    daemon.child.wait().unwrap();
    feeding.join().unwrap();
    acknowledged
}

#[test]
fn killed_again_and_again_during_an_import_every_acknowledged_record_is_there_once() {
    let home = Home::new();
    let count = 40_000;
    let line = |n: usize| {
        let kind = ["note", "fact", "decision", "pattern"][n % 4];
        json!({"id": format!("rec-{n}"), "kind": kind, "text": format!("record number {n} about something")})
            .to_string()
    };
    let lines: String = (0..count).map(|n| line(n) + "\n").collect();
    let mut most = 0;
    for turn in 1..=4 {
        let mut daemon = home.daemon();
        most = most.max(import_until_killed(&home, &mut daemon, &lines, turn));
        // What a person finds afterwards, without any daemon.
        let exported = home.run(&["-q", "export"]).succeeded().out;
        let ids: Vec<String> = exported
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned())
            .collect();
        let distinct: BTreeSet<&String> = ids.iter().collect();
        assert_eq!(distinct.len(), ids.len(), "none twice");
        for n in 0..most {
            assert!(distinct.contains(&format!("rec-{n}")), "rec-{n} was acknowledged ({most}) and is gone");
        }
    }
    assert!(most > 0, "something was acknowledged before the last kill");
    let _daemon = home.daemon();
    home.run_with(&["import", "-"], &lines).succeeded();
    let status = Client::new(home.socket()).send(&Request::get("/v1/status")).unwrap().json().unwrap();
    assert_eq!(status["projects"][0]["memories"], count);
}

#[test]
fn another_user_is_turned_away() {
    if rustix::process::geteuid().as_raw() != 0 || !has("python3") {
        println!("skipped: only root can become another user here");
        return;
    }
    let home = Home::new();
    let mut daemon = home.daemon();
    // As if somebody had opened every door on the way: the daemon itself must still say no.
    let mut folder = home.socket();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o666)).unwrap();
    while folder.pop() && folder.starts_with(home.path("")) {
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let ask = "import os,socket,sys\nos.setuid(65534)\ns=socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1])\ns.sendall(b'GET /v1/health HTTP/1.1\\r\\nHost: l\\r\\nConnection: close\\r\\n\\r\\n')\nd=b''\nwhile True:\n  p=s.recv(4096)\n  if not p: break\n  d+=p\nprint(d.decode())";
    let answer = Command::new("python3").args(["-c", ask]).arg(home.socket()).output().unwrap();
    let text = String::from_utf8_lossy(&answer.stdout);
    assert!(
        text.starts_with("HTTP/1.1 403") && text.contains("\"forbidden\""),
        "{text}{}",
        String::from_utf8_lossy(&answer.stderr)
    );
    daemon.err.wait_for("65534");
    assert_eq!(Client::new(home.socket()).send(&Request::get("/v1/health")).unwrap().status, 200);
}

#[test]
fn a_body_of_a_gigabyte_is_refused_before_it_is_sent() {
    let home = Home::new();
    let _daemon = home.daemon();
    let mut stream = UnixStream::connect(home.socket()).unwrap();
    write!(
        stream,
        "POST /v1/memories HTTP/1.1\r\nHost: l\r\nContent-Type: application/json\r\nContent-Length: 1073741824\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("\"too_large\""), "{answer}");
}

#[test]
fn an_idle_daemon_does_not_wake_up() {
    let home = Home::new();
    let daemon = home.daemon();
    home.remember("something to hold");
    let switches = || -> u64 {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", daemon.child.id())).unwrap().flatten();
        let status = tasks.map(|task| std::fs::read_to_string(task.path().join("status")).unwrap_or_default());
        status
            .flat_map(|status| {
                let lines = status.lines().filter(|line| line.starts_with("voluntary_ctxt_switches"));
                lines.filter_map(|line| line.rsplit('\t').next()?.trim().parse::<u64>().ok()).collect::<Vec<_>>()
            })
            .sum()
    };
    if !std::path::Path::new("/proc/self/task").exists() {
        println!("skipped: no /proc here");
        return;
    }
    // The last write still brings the layers up to date; then there must come a full second in which nobody stirs.
    let mut quiet = false;
    for _ in 0..10 {
        let before = switches();
        std::thread::park_timeout(Duration::from_secs(1));
        quiet = switches() == before;
        if quiet {
            break;
        }
    }
    assert!(quiet, "a daemon nobody talks to keeps waking up");
}
