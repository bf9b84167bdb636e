//! The program itself, in a home of its own and in real git repositories: what a person types and what comes back.
//!
//! Everything that takes time is waited for by its line of output or its answer, with a deadline and never a sleep.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use lokid::serve::{Client, Request};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::home::{Daemon, Home, Told, eventually_some};

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
    "list",
    "show",
    "changes",
    "undo",
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
    "hooks",
    "hooks install",
    "hooks uninstall",
    "hooks status",
    "events",
    "purge",
    "service",
    "service install",
    "service uninstall",
    "service status",
    "man",
    "completions",
    "config",
];

#[test]
fn a_memory_goes_the_whole_way_from_remembering_to_another_project() {
    let home = Home::new();
    let mut daemon = home.daemon();
    let id = home.remember("integration tests need redis");
    home.run(&["remember", "integration tests need redis"]).succeeded().says("already known");
    home.run(&["show", &id]).succeeded().says(&id).says("integration tests need redis");

    home.run(&["forget", &id, "--reason", "a try"]).succeeded().says("forgot").says("--undo");
    home.run(&["show", &id]).exited(1);
    home.run(&["forget", "--undo", &id]).succeeded().says("is back");
    home.run(&["show", &id]).succeeded();

    let file = home.path("all.ndjson");
    let file = file.to_str().unwrap();
    home.run(&["export", "-o", file]).succeeded();
    let exported = home.run(&["export"]).succeeded();
    assert_eq!(std::fs::read_to_string(file).unwrap(), exported.out);
    assert!(exported.out.contains("integration tests need redis"));

    let other = home.repository("other");
    let other = other.to_str().unwrap();
    home.run(&["--project", other, "import", file]).exited(1).says("lokid project add");
    home.run(&["project", "add", other]).succeeded().says("watching");
    home.run(&["--project", other, "import", file]).succeeded().says("1 new");
    home.run(&["--project", other, "show", &id]).succeeded().says("redis");
    home.run(&["project", "list"]).succeeded().says("app").says("other");

    home.run(&["status"]).succeeded().says("1 memory: 1 note").says("other");
    home.run(&["project", "remove", other]).succeeded();
    home.run(&["--project", other, "show", &id]).exited(1).says("lokid project add");
    home.run(&["stop"]).succeeded().says("stopped");
    // Told to be stopped means that the next one can come at once.
    let mut next = home.daemon();
    assert_eq!(daemon.ended().0, Some(0));
    home.run(&["stop"]).succeeded();
    assert_eq!(next.ended().0, Some(0));
    home.run(&["stop"]).exited(3);
}

#[test]
fn reads_work_without_a_daemon_and_say_so() {
    let home = Home::new();
    let mut daemon = home.daemon();
    let id = home.remember("the cache is warm");
    home.run(&["stop"]).succeeded();
    daemon.ended();
    for read in
        [&["show", &id][..], &["status"], &["export"], &["index"], &["timeline"], &["links", &id], &["skill", "list"]]
    {
        let told = home.run(read).succeeded();
        assert!(told.err.contains("no daemon at") && told.err.contains("reading directly"), "{told:#?}");
    }
    for read in [&["ledger", "list"][..], &["handoff"], &["project", "list"], &["doctor"]] {
        home.run(read).succeeded();
    }
    home.run(&["-q", "show", &id]).succeeded().says("the cache is warm");
    home.run(&["show", "note-none"]).exited(1);
}

#[test]
fn writes_without_a_daemon_exit_with_3_and_name_the_way_to_start_one() {
    let home = Home::new();
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
        home.run(write).exited(3).says("no daemon at").says("start one with `lokid run`");
    }
    assert!(!home.path("app/.loki").exists(), "nothing was written");
}

#[test]
fn a_bad_configuration_exits_with_2_and_names_the_key() {
    let home = Home::new();
    home.configure("[server]\nsokcet = \"/x\"\n");
    for command in [&["run"][..], &["status"], &["config", "--check"]] {
        home.run(command).exited(2).says("server.sokcet").says("server.socket").says("config.toml");
    }
    home.run(&["doctor"]).exited(1).says("server.sokcet").says("✗");
    home.run(&["config"]).succeeded().says("[server]");
    home.configure("[server]\ninbox = 7\n");
    home.run(&["config", "--check"]).succeeded().says("is good");
    home.run(&["--config", "/nowhere.toml", "status"]).exited(2).says("/nowhere.toml");
    home.run(&["frobnicate"]).exited(2);
}

#[test]
fn a_hangup_reloads_and_refuses_a_bad_configuration() {
    let home = Home::new();
    let mut daemon = home.daemon();
    home.configure("[log]\nlevel = \"loud\"\n");
    daemon.signal(Signal::HUP);
    let line = daemon.err.wait_for("the old one stays");
    assert!(line.contains("log.level"), "{line}");
    home.configure("[log]\nlevel = \"debug\"\n");
    daemon.signal(Signal::HUP);
    daemon.err.wait_for("configuration read again");
    home.remember("still here");
    daemon.signal(Signal::USR1);
    let line = daemon.err.wait_for("\"memories\":1");
    assert!(!line.contains("still here"), "{line}");
}

#[test]
fn a_term_ends_the_daemon_in_time_and_takes_the_socket_away() {
    let home = Home::new();
    let mut daemon = home.daemon();
    home.remember("kept");
    assert!(home.socket().exists());
    daemon.signal(Signal::TERM);
    let (code, took) = daemon.ended();
    assert_eq!(code, Some(0));
    assert!(took < Duration::from_secs(2), "{took:?}");
    assert!(!home.socket().exists(), "the socket is gone");
    home.run(&["export"]).succeeded().says("kept");
}

#[test]
fn an_int_ends_the_daemon_while_somebody_follows_its_events() {
    let home = Home::new();
    let mut daemon = home.daemon();
    let mut follower = Daemon::start(home.command(&["events", "--json"]));
    // The follower is there when it has heard something; what was remembered before that it may miss.
    let mut at = 0;
    let line = eventually_some(|| {
        at += 1;
        home.remember(&format!("seen by the follower, number {at}"));
        follower.out.next()
    });
    assert!(serde_json::from_str::<Value>(&line).is_ok() && !line.contains("seen by"), "{line}");
    daemon.signal(Signal::INT);
    assert_eq!(daemon.ended().0, Some(0));
    follower.err.wait_for("waiting for it to come back");
    while let Some(line) = daemon.err.next() {
        assert!(!line.contains("cut off"), "a follower keeps nobody from ending: {line}");
    }
    follower.signal(Signal::TERM);
    follower.ended();
}

#[test]
fn a_second_daemon_on_the_same_socket_exits_with_1() {
    let home = Home::new();
    let daemon = home.daemon();
    let told = home.run(&["run"]).exited(1).says("lokid.sock");
    assert!(told.err.contains(&daemon.child.id().to_string()), "{told:#?}");
}

#[test]
fn outside_of_a_repository_the_daemon_wants_to_be_told() {
    let home = Home::new();
    let plain = home.path("plain");
    std::fs::create_dir(&plain).unwrap();
    let plain = plain.to_str().unwrap();
    home.run(&["run", plain]).exited(2).says("in no git repository").says("--here");
    let mut daemon = Daemon::start(home.command(&["run", plain, "--here"]));
    daemon.out.wait_for("listens on");
    daemon.out.wait_for("plain");
    daemon.out.wait_for("0 memories");
    home.run(&["--project", plain, "remember", "x"]).succeeded();
}

#[test]
fn whoever_is_told_to_end_twice_ends_at_once() {
    use rustix::fs::{FlockOperation, flock};
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130)] {
        let home = Home::new();
        home.configure("[store]\nlock_timeout = \"10m\"\n");
        let mut daemon = home.daemon();
        // Another program holds the file that is to be written: the last write is waited for.
        let folder = home.path("app/.loki/memory/semantic");
        std::fs::create_dir_all(&folder).unwrap();
        let held = std::fs::File::create(folder.join("facts.json.lock")).unwrap();
        flock(&held, FlockOperation::LockExclusive).unwrap();
        let fact = json!({"kind": "fact", "text": "make", "fact": {"key": "build.tool", "value": "make", "scope": ""}});
        let socket = home.socket();
        let writing = std::thread::spawn(move || drop(Client::new(socket).send(&Request::post("/v1/memories", &fact))));
        eventually_some(|| {
            let status = Client::new(home.socket()).send(&Request::get("/v1/status")).ok()?.json().ok()?;
            (status["projects"][0]["watch"]["backlog"].as_u64()? > 0).then_some(())
        });
        daemon.signal(signal);
        daemon.err.wait_for("stopping");
        daemon.signal(signal);
        assert_eq!(daemon.ended().0, Some(code));
        writing.join().unwrap();
    }
}

#[test]
fn a_daemon_without_a_project_answers_and_watches_what_it_watched_before() {
    let home = Home::new();
    let mut daemon = home.daemon();
    let id = home.remember("before");
    daemon.signal(Signal::TERM);
    daemon.ended();
    let mut daemon = Daemon::start(home.command(&["run", "--no-project"]));
    daemon.out.wait_for("also watching 1 project");
    home.run(&["show", &id]).succeeded();
}

#[test]
fn json_is_json_with_and_without_a_daemon() {
    let home = Home::new();
    let mut daemon = home.daemon();
    let remembered = home.run(&["--json", "remember", "as data"]).succeeded().json();
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
        let told = home.run(&[&["--json"], *read].concat()).succeeded();
        assert!(told.json().is_object() && told.err.is_empty(), "{told:#?}");
    }
    home.run(&["stop", "--json"]).succeeded().json();
    daemon.ended();
    for read in reads {
        home.run(&[&["--json"], *read].concat()).succeeded().json();
    }
}

#[test]
fn a_fact_replaces_the_value_it_had() {
    let home = Home::new();
    let _daemon = home.daemon();
    let old = home.run(&["remember", "--key", "build.tool", "--value", "make"]).succeeded();
    let old = old.out.trim().rsplit(' ').next().unwrap().to_owned();
    home.run(&["remember", "--key", "build.tool", "--value", "just"]).succeeded().says(&format!("supersedes {old}"));
}

#[test]
fn memories_are_forgotten_by_words_only_after_they_were_shown() {
    let home = Home::new();
    let _daemon = home.daemon();
    let id = home.remember("redis is slow");
    home.remember("the sky is blue");
    home.run(&["forget", "--query", "redis"]).succeeded().says(&id).says("--yes");
    home.run(&["show", &id]).succeeded();
    home.run(&["forget", "--query", "redis", "--yes"]).succeeded().says(&format!("forgot {id}"));
    home.run(&["show", &id]).exited(1);
    home.run(&["status"]).succeeded().says("1 memory");
    home.run(&["forget", "--query", "no such words", "--yes"]).succeeded().says("nothing matches");
}

#[test]
fn text_comes_from_the_standard_input_and_files_are_named_from_the_root() {
    let home = Home::new();
    let _daemon = home.daemon();
    let told = home.run_with(&["--json", "remember", "--file", "src/../src/db.rs", "--tag", "db"], "from a pipe\n");
    let id = told.succeeded().json()["id"].as_str().unwrap().to_owned();
    let record = home.run(&["--json", "show", &id]).succeeded().json();
    assert_eq!(record["text"], "from a pipe");
    assert_eq!(record["files"], serde_json::json!(["src/db.rs"]));
    home.run_with(&["remember"], "").exited(2).says("nothing to remember");
    home.run(&["remember", "x", "--file", "/etc/passwd"]).exited(2).says("/etc/passwd");
    home.run(&["remember", "x", "--expires", "soon"]).exited(2).says("--expires");
}

#[test]
fn an_import_takes_the_good_lines_and_names_the_bad_ones() {
    let home = Home::new();
    let _daemon = home.daemon();
    let lines = "{\"kind\":\"note\",\"text\":\"one\"}\nnonsense\n{\"kind\":\"note\",\"text\":\"three\"}\n";
    home.run_with(&["import", "-"], lines).exited(1).says("2 new").says("line 2");
    home.run(&["status"]).succeeded().says("2 notes");
    home.run_with(&["import", "-"], "").succeeded().says("0 new");
    home.run(&["import", "no-such-file"]).exited(2).says("no-such-file");
}

#[test]
fn skills_ledgers_and_handoffs_are_written_listed_and_shown() {
    let home = Home::new();
    let _daemon = home.daemon();
    let skill = "# Skill: Cut a release\n\nHow we release.\n\n## Steps\n\n1. Tag\n2. Push\n";
    home.run_with(&["skill", "add", "-"], skill).succeeded();
    home.run(&["skill"]).succeeded().says("Cut a release").says("How we release.");
    home.run(&["skill", "show", "cut-a-release"]).succeeded().says("2. Push");
    home.run(&["skill", "show", "other"]).exited(1).says("lokid skill list");
    home.run_with(&["skill", "add", "-"], "no heading").exited(2).says("# Skill: Name");
    for noun in ["ledger", "handoff"] {
        home.run_with(&[noun, "write", "builder"], r#"{"done": ["parser"]}"#).succeeded();
        home.run(&[noun, "list"]).succeeded().says("builder");
        let shown = home.run(&["--json", noun, "show", "builder"]).succeeded().json();
        assert_eq!(shown["done"], serde_json::json!(["parser"]));
        home.run_with(&[noun, "write", "builder"], "[]").exited(2).says("JSON object");
        home.run(&[noun, "show", "nobody"]).exited(1);
    }
}

#[test]
fn memories_are_linked_and_the_links_are_shown() {
    let home = Home::new();
    let _daemon = home.daemon();
    let (one, two) = (home.remember("one thing"), home.remember("another thing"));
    home.run(&["links", "add", &one, "elaborates", &two]).succeeded();
    home.run(&["links", &two]).succeeded().says(&one).says("elaborates");
    home.run(&["links", "add", &one, "likes", &two]).exited(2).says("elaborates");
}

#[test]
fn nobody_reading_any_more_is_no_error() {
    let home = Home::new();
    let _daemon = home.daemon();
    let record = |at: usize| format!("{{\"kind\":\"note\",\"text\":\"note {at} {}\"}}\n", "x".repeat(2000));
    let lines: String = (0..100).map(record).collect();
    home.run_with(&["import", "-"], &lines).succeeded().says("100 new");
    let mut export = home.command(&["export"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(export.stdout.take());
    let told = Told::new(&["export"], export.wait_with_output().unwrap()).succeeded();
    assert_eq!(told.err, "");
}

#[test]
fn the_doctor_names_the_fix() {
    let home = Home::new();
    home.run(&["doctor"]).succeeded().says("lokid run");
    let _daemon = home.daemon();
    home.run(&["doctor"]).succeeded().says("is watched");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(home.path("run/lokid"), open).unwrap();
    let told = home.run(&["--json", "doctor"]).exited(1).json();
    assert_eq!(told["ok"], false);
    home.run(&["doctor"]).exited(1).says("chmod 700");
}

#[test]
fn the_socket_is_told_with_and_without_a_daemon_and_can_be_chosen() {
    let home = Home::new();
    assert_eq!(Path::new(home.run(&["socket"]).succeeded().out.trim()), home.socket());
    home.configure("[server]\nsocket = \"/tmp/from-file.sock\"\n");
    assert_eq!(home.run(&["socket"]).succeeded().out, "/tmp/from-file.sock\n");
    let output = home.command(&["socket"]).env("LOKID_SOCKET", "/tmp/from-env.sock").output().unwrap();
    assert_eq!(output.stdout, b"/tmp/from-env.sock\n");
    assert_eq!(home.run(&["socket", "--socket", "/tmp/typed.sock"]).out, "/tmp/typed.sock\n");
}

#[test]
fn completions_and_help_teach_every_command() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish"] {
        home.run(&["completions", shell]).succeeded().says("timeline");
    }
    for command in COMMANDS {
        let words: Vec<&str> = command.split(' ').chain(["--help"]).collect();
        let told = home.run(&words).succeeded();
        assert!(told.out.contains("Example") && told.out.contains("lokid "), "{told:#?}");
    }
    home.run(&["--version"]).succeeded().says(env!("CARGO_PKG_VERSION"));
    home.run(&["sttaus"]).exited(2).says("status");
}
