//! The program itself, in a home of its own and in real git repositories: what a person types and what comes back.
//!
//! Everything that takes time is waited for by its line of output or its answer, with a deadline and never a sleep.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use lab::{Daemon, Lab, Told};

mod lab;

const COMMANDS: &[&str] = &[
    "run",
    "status",
    "doctor",
    "socket",
    "stop",
    "project",
    "project add",
    "project remove",
    "project list",
    "remember",
    "show",
    "forget",
    "import",
    "export",
    "index",
    "timeline",
    "links",
    "links add",
    "skill",
    "skill list",
    "skill show",
    "skill add",
    "ledger",
    "ledger list",
    "ledger show",
    "ledger write",
    "handoff",
    "events",
    "completions",
    "config",
];

#[test]
fn a_memory_goes_the_whole_way_from_remembering_to_another_project() {
    let lab = Lab::new();
    let mut daemon = lab.daemon();
    let id = lab.remember("integration tests need redis");
    lab.run(&["remember", "integration tests need redis"]).succeeded().says("already known");
    lab.run(&["show", &id]).succeeded().says(&id).says("integration tests need redis");

    lab.run(&["forget", &id, "--reason", "a try"]).succeeded().says("forgot").says("--undo");
    lab.run(&["show", &id]).exited(1);
    lab.run(&["forget", "--undo", &id]).succeeded().says("is back");
    lab.run(&["show", &id]).succeeded();

    let file = lab.path("all.ndjson");
    let file = file.to_str().unwrap();
    lab.run(&["export", "-o", file]).succeeded();
    let exported = lab.run(&["export"]).succeeded();
    assert_eq!(std::fs::read_to_string(file).unwrap(), exported.out);
    assert!(exported.out.contains("integration tests need redis"));

    let other = lab.repository("other");
    let other = other.to_str().unwrap();
    lab.run(&["--project", other, "import", file]).exited(1).says("lokid project add");
    lab.run(&["project", "add", other]).succeeded().says("watching");
    lab.run(&["--project", other, "import", file]).succeeded().says("1 new");
    lab.run(&["--project", other, "show", &id]).succeeded().says("redis");
    lab.run(&["project", "list"]).succeeded().says("app").says("other");

    lab.run(&["status"]).succeeded().says("1 memory: 1 note").says("other");
    lab.run(&["project", "remove", other]).succeeded();
    lab.run(&["--project", other, "show", &id]).exited(1).says("lokid project add");
    lab.run(&["stop"]).succeeded().says("stopped");
    assert_eq!(daemon.ended().0, Some(0));
    lab.run(&["stop"]).exited(3);
}

#[test]
fn reads_work_without_a_daemon_and_say_so() {
    let lab = Lab::new();
    let mut daemon = lab.daemon();
    let id = lab.remember("the cache is warm");
    lab.run(&["stop"]).succeeded();
    daemon.ended();
    for read in
        [&["show", &id][..], &["status"], &["export"], &["index"], &["timeline"], &["links", &id], &["skill", "list"]]
    {
        let told = lab.run(read).succeeded();
        assert!(told.err.contains("no daemon at") && told.err.contains("reading directly"), "{told:#?}");
    }
    for read in [&["ledger", "list"][..], &["handoff"], &["project", "list"], &["doctor"]] {
        lab.run(read).succeeded();
    }
    lab.run(&["-q", "show", &id]).succeeded().says("the cache is warm");
    lab.run(&["show", "note-none"]).exited(1);
}

#[test]
fn writes_without_a_daemon_exit_with_3_and_name_the_way_to_start_one() {
    let lab = Lab::new();
    for write in [
        &["remember", "x"][..],
        &["forget", "note-1"],
        &["forget", "--undo", "note-1"],
        &["import", "-"],
        &["links", "add", "a", "related_to", "b"],
        &["ledger", "write", "x"],
        &["skill", "add", "-"],
        &["project", "add"],
        &["events"],
        &["stop"],
    ] {
        lab.run(write).exited(3).says("no daemon at").says("start one with `lokid run`");
    }
    assert!(!lab.path("app/.loki").exists(), "nothing was written");
}

#[test]
fn a_bad_configuration_exits_with_2_and_names_the_key() {
    let lab = Lab::new();
    lab.configure("[server]\nsokcet = \"/x\"\n");
    for command in [&["run"][..], &["status"], &["config", "--check"]] {
        lab.run(command).exited(2).says("server.sokcet").says("server.socket").says("config.toml");
    }
    lab.run(&["doctor"]).exited(1).says("server.sokcet").says("✗");
    lab.run(&["config"]).succeeded().says("[server]");
    lab.configure("[server]\ninbox = 7\n");
    lab.run(&["config", "--check"]).succeeded().says("is good");
    lab.run(&["--config", "/nowhere.toml", "status"]).exited(2).says("/nowhere.toml");
    lab.run(&["frobnicate"]).exited(2);
}

#[test]
fn a_hangup_reloads_and_refuses_a_bad_configuration() {
    let lab = Lab::new();
    let mut daemon = lab.daemon();
    lab.configure("[log]\nlevel = \"loud\"\n");
    daemon.signal(Signal::HUP);
    let line = daemon.err.wait_for("the old one stays");
    assert!(line.contains("log.level"), "{line}");
    lab.configure("[log]\nlevel = \"debug\"\n");
    daemon.signal(Signal::HUP);
    daemon.err.wait_for("configuration read again");
    lab.remember("still here");
    daemon.signal(Signal::USR1);
    let line = daemon.err.wait_for("\"memories\":1");
    assert!(!line.contains("still here"), "{line}");
}

#[test]
fn a_term_ends_the_daemon_in_time_and_takes_the_socket_away() {
    let lab = Lab::new();
    let mut daemon = lab.daemon();
    lab.remember("kept");
    assert!(lab.socket().exists());
    daemon.signal(Signal::TERM);
    let (code, took) = daemon.ended();
    assert_eq!(code, Some(0));
    assert!(took < Duration::from_secs(2), "{took:?}");
    assert!(!lab.socket().exists(), "the socket is gone");
    lab.run(&["export"]).succeeded().says("kept");
}

#[test]
fn an_int_ends_the_daemon_while_somebody_follows_its_events() {
    let lab = Lab::new();
    let mut daemon = lab.daemon();
    let mut follower = Daemon::start(lab.command(&["events", "--json"]));
    follower.err.wait_for("following");
    let id = lab.remember("seen by the follower");
    let line = follower.out.wait_for(&id);
    assert!(serde_json::from_str::<Value>(&line).is_ok() && !line.contains("seen by"), "{line}");
    daemon.signal(Signal::INT);
    let (code, took) = daemon.ended();
    assert!(code == Some(0) && took < Duration::from_secs(2), "{code:?} after {took:?}");
    assert_eq!(follower.ended().0, Some(0));
}

#[test]
fn a_second_daemon_on_the_same_socket_exits_with_1() {
    let lab = Lab::new();
    let daemon = lab.daemon();
    let told = lab.run(&["run"]).exited(1).says("lokid.sock");
    assert!(told.err.contains(&daemon.child.id().to_string()), "{told:#?}");
}

#[test]
fn outside_of_a_repository_the_daemon_wants_to_be_told() {
    let lab = Lab::new();
    let plain = lab.path("plain");
    std::fs::create_dir(&plain).unwrap();
    let plain = plain.to_str().unwrap();
    lab.run(&["run", plain]).exited(2).says("in no git repository").says("--here");
    let mut daemon = Daemon::start(lab.command(&["run", plain, "--here"]));
    daemon.out.wait_for("listens on");
    daemon.out.wait_for("plain");
    daemon.out.wait_for("0 memories");
    lab.run(&["--project", plain, "remember", "x"]).succeeded();
}

#[test]
fn a_daemon_without_a_project_answers_and_watches_what_it_watched_before() {
    let lab = Lab::new();
    let mut daemon = lab.daemon();
    let id = lab.remember("before");
    daemon.signal(Signal::TERM);
    daemon.ended();
    let mut daemon = Daemon::start(lab.command(&["run", "--no-project"]));
    daemon.out.wait_for("also watching 1 project");
    lab.run(&["show", &id]).succeeded();
}

#[test]
fn json_is_json_with_and_without_a_daemon() {
    let lab = Lab::new();
    let mut daemon = lab.daemon();
    let remembered = lab.run(&["--json", "remember", "as data"]).succeeded().json();
    let id = remembered["id"].as_str().unwrap();
    let reads: &[&[&str]] = &[
        &["status"],
        &["show", id],
        &["index"],
        &["timeline"],
        &["links", id],
        &["skill", "list"],
        &["ledger", "list"],
        &["project", "list"],
        &["doctor"],
        &["socket"],
        &["config"],
    ];
    for read in reads {
        let told = lab.run(&[&["--json"], *read].concat()).succeeded();
        assert!(told.json().is_object() && told.err.is_empty(), "{told:#?}");
    }
    lab.run(&["stop", "--json"]).succeeded().json();
    daemon.ended();
    for read in reads {
        lab.run(&[&["--json"], *read].concat()).succeeded().json();
    }
}

#[test]
fn a_fact_replaces_the_value_it_had() {
    let lab = Lab::new();
    let _daemon = lab.daemon();
    let old = lab.run(&["remember", "--key", "build.tool", "--value", "make"]).succeeded();
    let old = old.out.trim().rsplit(' ').next().unwrap().to_owned();
    lab.run(&["remember", "--key", "build.tool", "--value", "just"]).succeeded().says(&format!("supersedes {old}"));
}

#[test]
fn memories_are_forgotten_by_words_only_after_they_were_shown() {
    let lab = Lab::new();
    let _daemon = lab.daemon();
    let id = lab.remember("redis is slow");
    lab.remember("the sky is blue");
    lab.run(&["forget", "--query", "redis"]).succeeded().says(&id).says("--yes");
    lab.run(&["show", &id]).succeeded();
    lab.run(&["forget", "--query", "redis", "--yes"]).succeeded().says(&format!("forgot {id}"));
    lab.run(&["show", &id]).exited(1);
    lab.run(&["status"]).succeeded().says("1 memory");
    lab.run(&["forget", "--query", "no such words", "--yes"]).succeeded().says("nothing matches");
}

#[test]
fn text_comes_from_the_standard_input_and_files_are_named_from_the_root() {
    let lab = Lab::new();
    let _daemon = lab.daemon();
    let told = lab.run_with(&["--json", "remember", "--file", "src/../src/db.rs", "--tag", "db"], "from a pipe\n");
    let id = told.succeeded().json()["id"].as_str().unwrap().to_owned();
    let record = lab.run(&["--json", "show", &id]).succeeded().json();
    assert_eq!(record["text"], "from a pipe");
    assert_eq!(record["files"], serde_json::json!(["src/db.rs"]));
    lab.run_with(&["remember"], "").exited(2).says("nothing to remember");
    lab.run(&["remember", "x", "--file", "/etc/passwd"]).exited(2).says("/etc/passwd");
    lab.run(&["remember", "x", "--expires", "soon"]).exited(2).says("--expires");
}

#[test]
fn an_import_takes_the_good_lines_and_names_the_bad_ones() {
    let lab = Lab::new();
    let _daemon = lab.daemon();
    let lines = "{\"kind\":\"note\",\"text\":\"one\"}\nnonsense\n{\"kind\":\"note\",\"text\":\"three\"}\n";
    lab.run_with(&["import", "-"], lines).exited(1).says("2 new").says("line 2");
    lab.run(&["status"]).succeeded().says("2 notes");
    lab.run_with(&["import", "-"], "").succeeded().says("0 new");
    lab.run(&["import", "no-such-file"]).exited(2).says("no-such-file");
}

#[test]
fn skills_ledgers_and_handoffs_are_written_listed_and_shown() {
    let lab = Lab::new();
    let _daemon = lab.daemon();
    let skill = "# Skill: Cut a release\n\nHow we release.\n\n## Steps\n\n1. Tag\n2. Push\n";
    lab.run_with(&["skill", "add", "-"], skill).succeeded();
    lab.run(&["skill"]).succeeded().says("Cut a release").says("How we release.");
    lab.run(&["skill", "show", "cut-a-release"]).succeeded().says("2. Push");
    lab.run(&["skill", "show", "other"]).exited(1).says("lokid skill list");
    lab.run_with(&["skill", "add", "-"], "no heading").exited(2).says("# Skill: Name");
    for noun in ["ledger", "handoff"] {
        lab.run_with(&[noun, "write", "builder"], r#"{"done": ["parser"]}"#).succeeded();
        lab.run(&[noun, "list"]).succeeded().says("builder");
        let shown = lab.run(&["--json", noun, "show", "builder"]).succeeded().json();
        assert_eq!(shown["done"], serde_json::json!(["parser"]));
        lab.run_with(&[noun, "write", "builder"], "[]").exited(2).says("JSON object");
        lab.run(&[noun, "show", "nobody"]).exited(1);
    }
}

#[test]
fn memories_are_linked_and_the_links_are_shown() {
    let lab = Lab::new();
    let _daemon = lab.daemon();
    let (one, two) = (lab.remember("one thing"), lab.remember("another thing"));
    lab.run(&["links", "add", &one, "elaborates", &two]).succeeded();
    lab.run(&["links", &two]).succeeded().says(&one).says("elaborates");
    lab.run(&["links", "add", &one, "likes", &two]).exited(2).says("elaborates");
}

#[test]
fn nobody_reading_any_more_is_no_error() {
    let lab = Lab::new();
    let _daemon = lab.daemon();
    let record = |at: usize| format!("{{\"kind\":\"note\",\"text\":\"note {at} {}\"}}\n", "x".repeat(2000));
    let lines: String = (0..100).map(record).collect();
    lab.run_with(&["import", "-"], &lines).succeeded().says("100 new");
    let mut export = lab.command(&["export"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(export.stdout.take());
    let told = Told::new(&["export"], export.wait_with_output().unwrap()).succeeded();
    assert_eq!(told.err, "");
}

#[test]
fn the_doctor_names_the_fix() {
    let lab = Lab::new();
    lab.run(&["doctor"]).succeeded().says("lokid run");
    let _daemon = lab.daemon();
    lab.run(&["doctor"]).succeeded().says("is watched");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(lab.path("run/lokid"), open).unwrap();
    let told = lab.run(&["--json", "doctor"]).exited(1).json();
    assert_eq!(told["ok"], false);
    lab.run(&["doctor"]).exited(1).says("chmod 700");
}

#[test]
fn the_socket_is_told_with_and_without_a_daemon_and_can_be_chosen() {
    let lab = Lab::new();
    assert_eq!(Path::new(lab.run(&["socket"]).succeeded().out.trim()), lab.socket());
    lab.configure("[server]\nsocket = \"/tmp/from-file.sock\"\n");
    assert_eq!(lab.run(&["socket"]).succeeded().out, "/tmp/from-file.sock\n");
    let output = lab.command(&["socket"]).env("LOKID_SOCKET", "/tmp/from-env.sock").output().unwrap();
    assert_eq!(output.stdout, b"/tmp/from-env.sock\n");
    assert_eq!(lab.run(&["socket", "--socket", "/tmp/typed.sock"]).out, "/tmp/typed.sock\n");
}

#[test]
fn completions_and_help_teach_every_command() {
    let lab = Lab::new();
    for shell in ["bash", "zsh", "fish"] {
        lab.run(&["completions", shell]).succeeded().says("timeline");
    }
    for command in COMMANDS {
        let words: Vec<&str> = command.split(' ').chain(["--help"]).collect();
        let told = lab.run(&words).succeeded();
        assert!(told.out.contains("Example") && told.out.contains("  lokid "), "{told:#?}");
    }
    lab.run(&["--version"]).succeeded().says(env!("CARGO_PKG_VERSION"));
    lab.run(&["sttaus"]).exited(2).says("status");
}
