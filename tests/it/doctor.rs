//! `lokid doctor`: each thing a user can have wrong, provoked, and the fix that is named for it.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::home::{Home, Told, eventually_some};

/// What the doctor found under this name in this state: `found` and `fix`.
#[track_caller]
fn finding(told: &Told, name: &str, state: &str, word: &str) -> Value {
    let checks = told.json()["checks"].as_array().unwrap().clone();
    let found = checks.iter().find(|check| {
        let says = |key: &str| check[key].as_str().is_some_and(|text| text.contains(word));
        check["name"] == name && check["state"] == state && (says("found") || says("fix"))
    });
    let found = found.unwrap_or_else(|| panic!("no {state} {name} about {word:?}: {:#}", told.json())).clone();
    assert_eq!(found["fix"].is_string(), state != "good", "what is wrong comes with a fix: {found}");
    found
}

/// Broken things end it with 1 and say so; doubtful ones do not.
#[track_caller]
fn check(home: &Home, name: &str, state: &str, word: &str) -> Value {
    let told = home.run(&["--json", "doctor"]).exited(i32::from(state == "broken"));
    assert_eq!(told.json()["ok"], state != "broken");
    finding(&told, name, state, word)
}

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn a_healthy_house_has_nothing_to_complain_of() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.remember("all is well");
    let told = eventually_some(|| {
        let told = home.run(&["--json", "doctor"]).succeeded();
        told.json()["checks"].as_array().unwrap().iter().all(|check| check["state"] == "good").then_some(told)
    });
    for name in [
        "program",
        "configuration",
        "state directory",
        "data directory",
        "cache directory",
        "socket directory",
        "socket",
        "daemon",
        "repository",
        "store",
        "disk",
        "capture",
        "merge driver",
        "project",
        "lock",
        "files",
        "clock",
        "watches",
        "index",
        "night",
    ] {
        finding(&told, name, "good", "");
    }
}

#[test]
fn sockets_that_are_stale_mute_foreign_or_impossible_are_told_apart() {
    let home = Home::new();
    check(&home, "socket", "doubtful", "lokid run");
    std::fs::create_dir(home.path("run/lokid")).unwrap();
    chmod(&home.path("run/lokid"), 0o700);
    drop(UnixListener::bind(home.socket()).unwrap());
    check(&home, "socket", "doubtful", "left over");
    std::fs::remove_file(home.socket()).unwrap();
    let mute = UnixListener::bind(home.socket()).unwrap();
    chmod(&home.socket(), 0o600);
    check(&home, "daemon", "broken", "does not answer");
    chmod(&home.socket(), 0o666);
    finding(&home.run(&["--json", "doctor"]).exited(1), "socket", "broken", "chmod 600");
    drop(mute);
    std::fs::remove_file(home.socket()).unwrap();
    write(&home.socket(), "no socket");
    check(&home, "socket", "broken", "is no socket");
    if rustix::process::getuid().is_root() {
        std::fs::remove_file(home.socket()).unwrap();
        let _foreign = UnixListener::bind(home.socket()).unwrap();
        std::os::unix::fs::chown(home.socket(), Some(12345), None).unwrap();
        check(&home, "socket", "broken", "belongs to somebody else");
    }
    home.configure(&format!("[server]\nsocket = \"/tmp/{}.sock\"\n", "x".repeat(120)));
    check(&home, "socket", "broken", "bytes");
}

#[test]
fn directories_that_others_may_look_into_or_that_are_none_are_broken() {
    let home = Home::new();
    home.run(&["status"]).succeeded();
    for (name, path) in [("state directory", "state/lokid"), ("cache directory", "cache/lokid")] {
        std::fs::create_dir_all(home.path(path)).unwrap();
        chmod(&home.path(path), 0o755);
        check(&home, name, "broken", "chmod 700");
        chmod(&home.path(path), 0o700);
    }
    write(&home.path("data/lokid"), "in the way");
    check(&home, "data directory", "broken", "is no directory");
    std::fs::remove_file(home.path("data/lokid")).unwrap();
    home.configure("[server]\ninbox = 7\n");
    chmod(&home.path("config/lokid/config.toml"), 0o666);
    check(&home, "configuration", "broken", "chmod 600");
}

#[test]
fn hooks_are_missed_where_an_agent_is_used_and_followed_to_their_program() {
    let home = Home::new();
    let told = home.run(&["--json", "doctor"]).succeeded();
    assert!(!told.out.contains("\"hooks\""), "no agent is used here: {told:#?}");
    std::fs::create_dir_all(home.path("home/.claude")).unwrap();
    std::fs::create_dir_all(home.path("home/.codex")).unwrap();
    check(&home, "hooks", "doubtful", "lokid hooks install claude");
    check(&home, "hooks", "doubtful", "lokid hooks install codex");
    let settings = home.path("app/.claude/settings.json");
    let hooked = |program: &str| {
        let command = serde_json::json!({"type": "command", "command": format!("'{program}' hook Stop")});
        serde_json::json!({"hooks": {"Stop": [{"hooks": [command]}]}}).to_string()
    };
    write(&settings, &hooked("/nowhere/lokid"));
    check(&home, "hooks", "broken", "/nowhere/lokid");
    write(&settings, &hooked(env!("CARGO_BIN_EXE_lokid")));
    check(&home, "hooks", "good", "Claude Code calls");
    std::fs::rename(&settings, settings.with_file_name("settings.local.json")).unwrap();
    check(&home, "hooks", "good", "Claude Code calls");
    write(&home.path("home/.codex/hooks.json"), "{ // a remark\n}");
    check(&home, "hooks", "broken", "line 1, column 3");
    std::fs::remove_file(home.path("home/.codex/hooks.json")).unwrap();

    // A daemon knows whether they fire.
    let _daemon = home.daemon();
    home.run(&["hooks", "install", "codex", "-y"]).succeeded();
    check(&home, "hooks", "doubtful", "Codex has never been heard");
    let mut hook = home.command(&["hook", "--agent", "codex", "Stop"]);
    hook.env("LOKID_HOOK_DEADLINE_MS", "20000").stdin(std::process::Stdio::null());
    assert!(hook.status().unwrap().success());
    check(&home, "hooks", "good", "Codex was last heard");
    check(&home, "hooks", "doubtful", "Claude Code has never been heard");
}

#[test]
fn a_merge_driver_that_is_asked_for_and_not_known_is_named_with_its_line() {
    let home = Home::new();
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.args(arguments).current_dir(home.path("app")).env("HOME", home.path("home"));
        assert!(command.status().unwrap().success());
    };
    write(&home.path("app/.gitattributes"), "# merge=lokid\n*.rs merge=union\n");
    check(&home, "merge driver", "good", "not used");
    write(&home.path("app/.gitattributes"), ".loki/memory/**/*.json merge=lokid\n");
    check(&home, "merge driver", "doubtful", "git config merge.lokid.driver");
    git(&["config", "merge.lokid.driver", "/nowhere/lokid merge-driver %O %A %B %P"]);
    check(&home, "merge driver", "broken", "/nowhere/lokid");
    git(&["config", "merge.lokid.driver", &format!("{} merge-driver %O %A %B %P", env!("CARGO_BIN_EXE_lokid"))]);
    check(&home, "merge driver", "good", "git knows it");
    std::fs::remove_file(home.path("app/.gitattributes")).unwrap();
    check(&home, "merge driver", "doubtful", ".gitattributes");
}

#[test]
fn files_and_memories_from_the_future_speak_against_the_clock() {
    let home = Home::new();
    let _daemon = home.daemon();
    let record = r#"{"kind":"note","text":"from tomorrow's tomorrow","timestamp":"2199-01-01T00:00:00Z"}"#;
    home.run_with(&["import", "-"], &format!("{record}\n")).succeeded();
    check(&home, "clock", "broken", "2199");
    let home = Home::new();
    let _daemon = home.daemon();
    home.remember("a file of the store");
    let future = SystemTime::now() + Duration::from_secs(30 * 86_400);
    let head = home.path("app/.git/HEAD");
    std::fs::File::options().append(true).open(&head).unwrap().set_modified(future).unwrap();
    check(&home, "clock", "doubtful", ".git/HEAD is from the future");
}

#[test]
fn files_that_are_not_understood_are_named() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.remember("whole");
    write(&home.path("app/.loki/memory/semantic/patterns.json"), "<<<<<<< HEAD\n{}\n=======\n");
    check(&home, "files", "doubtful", "patterns.json");
}

#[test]
fn watches_that_fall_short_name_the_way_to_more() {
    let home = Home::new();
    home.configure("[watch]\nmax_watches = 1\n");
    for folder in ["a", "b", "c"] {
        write(&home.path(&format!("app/{folder}/file")), "x");
    }
    let _daemon = home.daemon();
    eventually_some(|| {
        let told = home.run(&["--json", "doctor"]).succeeded().json();
        let checks = told["checks"].as_array().unwrap().clone();
        let says = |check: &Value| check["fix"].as_str().is_some_and(|fix| fix.contains("max_watches"));
        checks.iter().any(|check| check["name"] == "watches" && says(check)).then_some(())
    });
}

#[test]
fn what_the_configuration_switched_off_is_told() {
    let home = Home::new();
    home.configure("[watch]\nenabled = false\n[night]\nenabled = false\n[embed]\nmodel = \"/nowhere/model\"\n");
    let _daemon = home.daemon();
    check(&home, "watches", "doubtful", "[watch]");
    check(&home, "night", "doubtful", "[night]");
    eventually_some(|| {
        let told = home.run(&["--json", "doctor"]).succeeded();
        told.out.contains("/nowhere/model cannot be used").then_some(())
    });
}

#[test]
fn nights_that_are_paused_or_long_ago_are_told() {
    let home = Home::new();
    let mut daemon = home.daemon();
    home.remember("something to tidy");
    check(&home, "night", "good", "none yet");
    home.run(&["consolidate"]).succeeded();
    check(&home, "night", "good", "last 20");
    home.run(&["consolidate", "--pause"]).succeeded();
    check(&home, "night", "doubtful", "--resume");
    home.run(&["consolidate", "--resume"]).succeeded();
    home.run(&["stop"]).succeeded();
    daemon.ended();
    let projects = std::fs::read_dir(home.path("state/lokid/projects")).unwrap();
    let file = projects.map(|project| project.unwrap().path().join("night.json")).find(|file| file.exists()).unwrap();
    let mut kept: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    kept["nights"][0]["started_at"] = "2001-01-02T03:04:05Z".into();
    write(&file, &kept.to_string());
    check(&home, "night", "doubtful", "2001-01-02");
    kept["nights"][0]["failed"] = true.into();
    write(&file, &kept.to_string());
    check(&home, "night", "broken", "lokid consolidate");
}
