//! Many at once: projects, connections beyond what may be opened, and daemons that begin in the same moment.

use std::os::unix::net::UnixStream;
use std::process::Command;

use lokid::serve::{Client, Request};
use rustix::process::Signal;
use serde_json::json;

use crate::home::{Daemon, Home, eventually_some};

const PROJECTS: usize = 50;
const PAIRS: usize = 20;
/// What is left to others of the kernel's inotify instances; a project takes two.
const LEFT: usize = 24;

#[test]
fn fifty_projects_at_once_all_answer_and_rest_together() {
    let home = Home::new();
    let daemon = home.daemon();
    let client = Client::new(home.socket()).patience(std::time::Duration::from_secs(60));
    let watched = crate::instances::free().map_or(PROJECTS, |free| free.saturating_sub(LEFT) / 2);
    for number in 0..PROJECTS {
        let path = home.repository(&format!("many/{number}"));
        if number >= watched {
            std::fs::create_dir(path.join(".loki")).unwrap();
            std::fs::write(path.join(".loki/config.json"), r#"{"memory": {"disabled": true}}"#).unwrap();
        }
        let added = client.send(&Request::post("/v1/projects", &json!({"path": path}))).unwrap();
        assert_eq!(added.status, 201, "{}", added.text());
        let record = json!({"project": path, "kind": "note", "text": format!("the lamp of house {number} is green")});
        let kept = client.send(&Request::post("/v1/memories", &record)).unwrap();
        assert_eq!(kept.status, 201, "{}", kept.text());
    }
    for number in 0..PROJECTS {
        let question = json!({"project": home.path(&format!("many/{number}")), "query": "the lamp of the house"});
        let answer = client.send(&Request::post("/v1/recall", &question)).unwrap().json().unwrap();
        let results = answer["results"].to_string();
        assert!(results.contains(&format!("the lamp of house {number} is green")), "{number}: {results}");
    }
    let status = super::status(&home);
    assert_eq!(status["projects"].as_array().unwrap().len(), PROJECTS + 1);
    let proc = format!("/proc/{}", daemon.child.id());
    let count = |what: &str| std::fs::read_dir(format!("{proc}/{what}")).map_or(0, Iterator::count);
    println!("{PROJECTS} projects: {} files, {} threads, {} bytes", count("fd"), count("task"), status["rss_bytes"]);
    if count("task") == 0 {
        println!("skipped: no /proc here");
        return;
    }
    // A full second in which nobody stirs comes as soon as everything is read and written.
    let switches = || -> u64 {
        let tasks = std::fs::read_dir(format!("{proc}/task")).unwrap().flatten();
        let said = tasks.map(|task| std::fs::read_to_string(task.path().join("status")).unwrap_or_default());
        let switches = said.filter_map(|said| {
            said.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:")?.trim().parse::<u64>().ok())
        });
        switches.sum()
    };
    let quiet = (0..30).any(|_| {
        let before = switches();
        std::thread::park_timeout(std::time::Duration::from_secs(1));
        switches() == before
    });
    assert!(quiet, "fifty projects nobody talks to keep waking up");
}

#[test]
fn more_connections_than_may_be_opened_are_waited_out_and_told_once() {
    let home = Home::new();
    let program = home.command(&["run"]);
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -Sn 50; ulimit -Hn 100; exec \"$0\" run"]).arg(program.get_program());
    command.current_dir(home.path("app")).env_clear();
    command.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut daemon = Daemon::start(command);
    let listening = daemon.err.wait_for("listening");
    assert!(listening.contains("\"files\":100"), "the limit is raised as far as it may be: {listening}");
    daemon.out.wait_for(" memor");
    let crowd: Vec<UnixStream> = (0..120).map(|_| UnixStream::connect(home.socket()).unwrap()).collect();
    daemon.err.wait_for("cannot accept connections");
    drop(crowd);
    let answer = eventually_some(|| Client::new(home.socket()).send(&Request::get("/v1/health")).ok());
    assert_eq!(answer.status, 200);
    home.remember("and all goes on");
    daemon.signal(Signal::TERM);
    daemon.ended();
    while let Some(line) = daemon.err.next() {
        assert!(!line.contains("cannot accept connections"), "{line}");
    }
}

#[test]
fn of_two_daemons_that_begin_at_once_exactly_one_serves() {
    let home = Home::new();
    for turn in 0..PAIRS {
        let mut two = [(); 2].map(|()| Daemon::start(home.command(&["run"])));
        let pid = eventually_some(|| {
            let health = Client::new(home.socket()).send(&Request::get("/v1/health")).ok()?.json().ok()?;
            health["pid"].as_u64()
        });
        let serving = two.iter().position(|daemon| u64::from(daemon.child.id()) == pid).expect("one of the two");
        let (code, _) = two[1 - serving].ended();
        assert_eq!(code, Some(1), "turn {turn}");
        assert!(two[serving].child.try_wait().unwrap().is_none(), "turn {turn}: the other one lives");
        two[serving].out.wait_for(" memor");
        two[serving].signal(Signal::TERM);
        assert_eq!(two[serving].ended().0, Some(0), "turn {turn}");
        assert!(!home.socket().exists(), "turn {turn}");
    }
}
