//! A repository that cannot be written, or is not there: what is remembered is kept in the state directory, said once,
//! known all the while, and goes into its files when it can.

use lokid::serve::{Client, Request};
use rustix::process::Signal;
use serde_json::json;

use super::mounts::Shut;
use super::project;
use crate::home::{Daemon, Home, eventually_some};

fn stop(mut daemon: Daemon) -> Vec<String> {
    daemon.signal(Signal::TERM);
    daemon.ended();
    let mut said = Vec::new();
    while let Some(line) = daemon.err.next() {
        said.push(line);
    }
    said
}

/// Everything lokid keeps besides the repository.
fn kept(home: &Home) -> String {
    let mut text = String::new();
    let mut open = vec![home.path("state"), home.path("data"), home.path("cache")];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            match entry.file_type().unwrap() {
                kind if kind.is_dir() => open.push(entry.path()),
                kind if kind.is_file() => {
                    text.push_str(&String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap()))
                }
                _ => {}
            }
        }
    }
    text
}

fn notes(home: &Home) -> String {
    let Ok(entries) = std::fs::read_dir(home.path("app/.loki/memory/notes")) else { return String::new() };
    entries.flatten().map(|entry| std::fs::read_to_string(entry.path()).unwrap()).collect()
}

#[test]
fn a_read_only_repository_keeps_its_memory_outside_and_takes_it_in_when_it_can() {
    let home = Home::new();
    let Some(shut) = Shut::new(&home.path("app")) else { return };
    let daemon = home.daemon();
    let first = home.remember("the lamp is green");
    let second = home.remember("the kettle is blue");
    let secret = home.remember("the violet parrot is a mistake");
    home.run(&["remember", "--key", "lamp.volt", "--value", "12"]).succeeded();
    home.run(&["remember", "--key", "lamp.volt", "--value", "24"]).succeeded();
    home.run(&["recall", "which colour is the lamp"]).succeeded().says(&first);
    assert!(!home.path("app/.loki").exists(), "nothing was written there");
    let told = project(&home);
    assert!(told["kept_outside"].as_u64().unwrap() >= 5, "{told:#}");
    assert!(told["problems"].to_string().contains("cannot be written"), "{told:#}");
    home.run(&["status"]).succeeded().says("cannot be written");
    home.run(&["forget", "--purge", "--yes", &secret]).succeeded();
    home.run(&["forget", "--yes", &second]).succeeded();
    assert!(!kept(&home).contains("violet parrot"), "what is purged does not wait, either");
    let said = stop(daemon);
    let times = said.iter().filter(|line| line.contains("the repository cannot be written")).count();
    assert_eq!(times, 1, "{said:#?}");

    // It is known to whoever comes next, and the order is kept.
    let daemon = home.daemon();
    home.run(&["show", &first]).succeeded().says("the lamp is green");
    home.run(&["show", &second]).exited(1);
    home.run(&["recall", "lamp.volt"]).succeeded().says("24");
    shut.set(false);
    home.remember("and now there is room");
    eventually_some(|| {
        let _look = home.run(&["status"]);
        (project(&home)["kept_outside"] == 0).then_some(())
    });
    assert!(notes(&home).contains("the lamp is green") && notes(&home).contains("and now there is room"));
    assert!(!notes(&home).contains("violet parrot"));
    let facts = std::fs::read_to_string(home.path("app/.loki/memory/semantic/facts.json")).unwrap();
    assert!(facts.contains("\"12\"") && facts.contains("\"24\""), "{facts}");
    eventually_some(|| home.path("app/.loki/memory/index.json").exists().then_some(()));
    assert!(project(&home)["problems"].as_array().unwrap().is_empty());
    stop(daemon);
    let exported = home.run(&["-q", "export"]).succeeded().out;
    assert_eq!(exported.lines().count(), 4, "{exported}");
    // The log of changes tells of it, as it should.
    for project in std::fs::read_dir(home.path("state/lokid/projects")).unwrap().flatten() {
        let _there = std::fs::remove_dir_all(project.path().join("changes"));
    }
    assert!(!kept(&home).contains("the lamp is green\",\"created"), "the journal is empty again");
}

#[test]
fn what_is_told_while_the_repository_is_away_is_there_when_it_is_back() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.remember("before it went");
    let (here, away) = (home.path("app"), home.path("away"));
    std::fs::rename(&here, &away).unwrap();
    eventually_some(|| (project(&home)["watch"]["state"] == "absent").then_some(()));
    let record = json!({"kind": "note", "text": "while it was away", "project": here});
    let answer = Client::new(home.socket()).send(&Request::post("/v1/memories", &record)).unwrap();
    assert_eq!(answer.status, 201, "{}", answer.text());
    assert!(!here.exists(), "no folder is made where the repository was");
    std::fs::rename(&away, &here).unwrap();
    eventually_some(|| {
        let _look = home.run(&["status"]);
        (project(&home)["kept_outside"] == 0).then_some(())
    });
    assert!(notes(&home).contains("while it was away") && notes(&home).contains("before it went"));
}
