//! One daemon after another: a newer one takes over from an older one, and two never serve at once.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use lokid::serve::{Client, Request};
use serde_json::json;

use super::manager::Manager;
use crate::home::{Daemon, Home};

/// This program under an older version: the same file, the number in it replaced by one of the same length.
fn older(home: &Home) -> PathBuf {
    let (ours, theirs) = (env!("CARGO_PKG_VERSION").as_bytes(), b"0.0.9");
    assert_eq!(ours.len(), theirs.len(), "choose an older version of the same length");
    let mut program = std::fs::read(env!("CARGO_BIN_EXE_lokid")).unwrap();
    let mut at = 0;
    while let Some(found) = program[at..].windows(ours.len()).position(|window| window == ours) {
        program[at + found..][..ours.len()].copy_from_slice(theirs);
        at += found + ours.len();
    }
    let path = home.path("old/lokid");
    std::fs::create_dir(home.path("old")).unwrap();
    // Written by another process: what this one has open for writing, a child that starts in this moment has open, too, and
    // nobody can start it.
    std::fs::write(home.path("old/bytes"), program).unwrap();
    assert!(Command::new("cp").arg(home.path("old/bytes")).arg(&path).status().unwrap().success());
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    path
}

fn as_program(plain: &Command, program: PathBuf) -> Command {
    let mut command = Command::new(program);
    command.args(plain.get_args()).env_clear().current_dir(plain.get_current_dir().unwrap());
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command
}

fn version(home: &Home) -> String {
    home.run(&["status", "--json"]).succeeded().json()["version"].as_str().unwrap().to_owned()
}

#[test]
fn an_older_daemon_is_asked_to_hand_over_and_a_newer_one_is_not() {
    let home = Home::new();
    let old = older(&home);
    let start_old = || as_program(&home.command(&["run"]), old.clone());
    let mut first = Daemon::start(start_old());
    first.out.wait_for("watching ");
    let id = home.remember("written by the older one");
    assert_eq!(version(&home), "0.0.9");

    let mut second = Daemon::start(home.command(&["run"]));
    second.out.wait_for("lokid 0.0.9");
    second.out.wait_for("watching ");
    assert_eq!(first.ended().0, Some(0));
    assert_eq!(version(&home), env!("CARGO_PKG_VERSION"));
    home.run(&["show", &id]).succeeded().says("written by the older one");

    let refused = start_old().output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    let told = String::from_utf8(refused.stderr).unwrap();
    assert!(told.contains("is already served by process") && told.contains("--replace"), "{told}");
    assert!(second.child.try_wait().unwrap().is_none());
}

#[test]
fn a_daemon_is_replaced_when_that_is_asked_for_and_not_otherwise() {
    let home = Home::new();
    let mut first = home.daemon();
    let id = home.remember("before");
    home.run(&["run"]).exited(1).says("is already served by process").says("--replace");
    let mut second = Daemon::start(home.command(&["run", "--replace"]));
    second.out.wait_for("asking it to hand over");
    second.out.wait_for("watching ");
    assert_eq!(first.ended().0, Some(0));
    home.run(&["show", &id]).succeeded();
    // With nobody to replace it simply starts.
    home.run(&["stop"]).succeeded();
    assert_eq!(second.ended().0, Some(0));
    let mut third = Daemon::start(home.command(&["run", "--replace"]));
    third.out.wait_for("watching ");
}

#[test]
fn of_many_that_come_at_once_one_serves() {
    let home = Home::new();
    let mut first = home.daemon();
    let mut daemons: Vec<Daemon> = (0..5).map(|_| Daemon::start(home.command(&["run", "--replace"]))).collect();
    assert_eq!(first.ended().0, Some(0));
    // Each asks whom it finds, so all but one end, well or refused, and that one answers.
    crate::home::eventually_some(|| {
        let living: Vec<u32> = daemons.iter_mut().filter_map(living).collect();
        let health = Client::new(home.socket()).send(&Request::get("/v1/health")).ok()?.json().ok()?;
        (living.len() == 1 && health["pid"].as_u64() == Some(living[0].into())).then_some(())
    });
}

fn living(daemon: &mut Daemon) -> Option<u32> {
    daemon.child.try_wait().unwrap().is_none().then(|| daemon.child.id())
}

#[test]
fn one_that_runs_by_hand_makes_room_for_the_service() {
    let home = Home::new();
    let mut by_hand = home.daemon();
    let id = home.remember("kept by hand");
    let manager = Manager::new(home);
    let mut service = manager.start();
    manager.wait_for("READY=1");
    assert_eq!(by_hand.ended().0, Some(0));
    manager.home.run(&["show", &id]).succeeded().says("kept by hand");
    assert!(manager.post("/v1/memories", json!({"kind": "note", "text": "kept by the service"})).is_success());

    // `lokid stop` does not wake it by asking whether it is gone.
    let told = manager.home.run(&["stop", "--json"]).succeeded().json();
    assert_eq!(told["socket_kept"].as_bool(), Some(true));
    assert_eq!(service.ended().0, Some(0));
}
