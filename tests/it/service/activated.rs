//! A daemon that is given its socket: ready when it answers, nothing lost while it is away, silent when it is stuck.

use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lokid::serve::Request;
use rustix::fs::{FlockOperation, flock};
use rustix::process::Signal;
use serde_json::json;

use super::manager::Manager;
use crate::home::{Home, eventually_some};

/// A home in which `app` is watched and holds one memory, and its id.
fn with_a_memory() -> (Home, String) {
    let home = Home::new();
    let mut daemon = home.daemon();
    let id = home.remember("integration tests need redis");
    home.run(&["stop"]).succeeded();
    assert_eq!(daemon.ended().0, Some(0));
    (home, id)
}

#[test]
fn the_first_request_waits_for_the_daemon_and_its_project() {
    let (home, id) = with_a_memory();
    let manager = Manager::new(home);
    let before = std::fs::metadata(manager.home.socket()).unwrap().ino();
    let mut early = UnixStream::connect(manager.home.socket()).unwrap();
    let project = manager.home.path("app").display().to_string();
    write!(early, "GET /v1/memories/{id}?project={project} HTTP/1.1\r\nhost: l\r\nconnection: close\r\n\r\n").unwrap();

    let mut daemon = manager.start();
    let mut answer = String::new();
    early.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("redis"), "{answer}");
    manager.wait_for("READY=1");
    manager.wait_for("STATUS=watching 1 project");

    daemon.signal(Signal::TERM);
    manager.wait_for("STOPPING=1");
    assert_eq!(daemon.ended().0, Some(0));
    let after = std::fs::metadata(manager.home.socket()).map(|found| found.ino());
    assert_eq!(after.ok(), Some(before), "the socket belongs to the manager and stays");
}

#[test]
fn no_request_is_lost_while_it_is_restarted() {
    const WRITES: usize = 120;
    let (home, _) = with_a_memory();
    let manager = Manager::new(home);
    let mut daemon = manager.start();
    manager.wait_for("READY=1");
    let done = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..WRITES {
                let answer =
                    manager.post("/v1/memories", json!({"kind": "note", "text": format!("note number {number}")}));
                assert!(answer.is_success(), "{number}: {} {}", answer.status, answer.text());
                done.store(number + 1, Ordering::SeqCst);
            }
        });
        for part in 1..4 {
            eventually_some(|| (done.load(Ordering::SeqCst) >= part * WRITES / 4).then_some(()));
            daemon.signal(Signal::TERM);
            assert_eq!(daemon.ended().0, Some(0));
            daemon = manager.start();
        }
    });
    let listed = manager.home.run(&["export"]).succeeded();
    let found = listed.out.lines().filter(|line| line.contains("note number")).count();
    assert_eq!(found, WRITES, "every answered write is there");
}

#[test]
fn signs_of_life_stop_when_a_writer_is_stuck_and_come_back_with_it() {
    let granted = Duration::from_secs(1);
    let (home, _) = with_a_memory();
    home.configure("[store]\nlock_timeout = \"10m\"\n");
    let mut manager = Manager::new(home);
    manager.watchdog = Some(granted);
    let _daemon = manager.start();
    manager.wait_for("READY=1");
    let fact = |value: &str| {
        let fact = json!({"key": "build.tool", "value": value, "scope": ""});
        manager.post("/v1/memories", json!({"kind": "fact", "text": value, "fact": fact}))
    };
    assert!(fact("make").is_success());
    manager.wait_for("WATCHDOG=1");

    let lock = manager.home.path("app/.loki/memory/semantic/facts.json.lock");
    let held = std::fs::File::options().write(true).create(true).truncate(false).open(lock).unwrap();
    flock(&held, FlockOperation::LockExclusive).unwrap();
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| fact("just"));
        manager.wait_for("does not answer");
        assert_eq!(manager.hear_within(2 * granted), None, "a daemon that is stuck says nothing");
        assert!(manager.ask(&Request::get("/v1/health")).is_success(), "though its socket answers");
        flock(&held, FlockOperation::Unlock).unwrap();
        manager.wait_for("WATCHDOG=1");
        assert!(writing.join().unwrap().is_success());
    });
}
