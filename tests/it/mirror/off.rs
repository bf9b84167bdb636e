//! Off means off: no thread, no file, no socket but our own.

use std::process::Command;

use lokid_testing::stores::StoreServer;

use super::desk::{Desk, episode};
use crate::home::eventually_some;

fn threads(id: u32) -> Vec<String> {
    let tasks = std::fs::read_dir(format!("/proc/{id}/task")).unwrap().flatten();
    tasks
        .filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok())
        .map(|name| name.trim().to_owned())
        .collect()
}

#[test]
fn off_means_no_thread_no_file_and_nobody_is_asked() {
    let desk = Desk::new();
    let text = std::fs::read_to_string(desk.home.path("config/lokid/config.toml")).unwrap();
    for off in ["memory = true", "agents = true\nmemory = true"] {
        desk.home.configure(&text.replace(off, "").replace("agents = true\n\n", "agents = true\n"));
        let daemon = desk.daemon();
        desk.import(&[episode("ep-1", "T-1")]);
        desk.run(&["recall", "what happened in T-1"]).succeeded().says("ep-1");
        let names = threads(daemon.child.id());
        assert!(names.contains(&"engine".to_owned()), "{names:?}");
        assert!(!names.iter().any(|name| name.starts_with("mirror")), "{names:?}");
        assert!(!desk.home.path("app/.loki/managed").exists());
        assert!(desk.server.requests().is_empty());
        assert_eq!(desk.get("/v1/managed/status")["enabled"], false);
        assert!(desk.get("/v1/managed/events")["items"].as_array().unwrap().is_empty());
        desk.run(&["managed", "status"]).succeeded().says("the mirror is off");
    }
    let files = crate::lab::tree(&desk.home.path("state"));
    assert!(files.keys().all(|path| !path.to_string_lossy().contains("mirror-")), "{files:?}");
}

#[test]
fn on_there_is_one_thread_and_it_sleeps_when_all_is_done() {
    let desk = Desk::new();
    let daemon = desk.daemon();
    desk.import(&[episode("ep-1", "T-1")]);
    desk.wait_for_mirrored(1);
    let names = threads(daemon.child.id());
    assert_eq!(names.iter().filter(|name| *name == "mirror").count(), 1, "{names:?}");
}

/// Every address family that is ever asked for, by the daemon and by commands.
#[test]
fn off_no_socket_is_opened_but_our_own() {
    let strace = Command::new("strace").arg("-V").output();
    if !strace.is_ok_and(|told| told.status.success()) {
        println!("skipped: there is no strace");
        return;
    }
    let desk = Desk::new();
    desk.home.configure("[night]\nenabled = false\n");
    let trace = desk.home.path("trace");
    let plain = desk.command(&["run"]);
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-e", "trace=socket,connect", "-o"]).arg(&trace).arg(plain.get_program()).arg("run");
    command.current_dir(desk.home.path("app")).env_clear();
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut daemon = desk.started(command);
    desk.import(&[episode("ep-1", "T-1")]);
    desk.run(&["recall", "what happened in T-1"]).succeeded();
    desk.run(&["stop"]).succeeded();
    eventually_some(|| daemon.child.try_wait().unwrap());
    let traced = std::fs::read_to_string(&trace).unwrap();
    let foreign: Vec<&str> = traced.lines().filter(|line| line.contains("AF_") && !line.contains("AF_UNIX")).collect();
    assert!(traced.contains("AF_UNIX") && foreign.is_empty(), "{foreign:#?}");
    assert!(!traced.contains(StoreServer::KEY));
}
