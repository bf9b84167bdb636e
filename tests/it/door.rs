//! What must not be kept passes no door, whoever wrote it and wherever it stands: files of others, goals, names, authors.
//! And what belongs to whom is not lost with one byte of a list.

mod erased;
mod register;

use std::path::{Path, PathBuf};
use std::time::Duration;

use lokid::serve::{Client, Request};
use rustix::process::Signal;
use serde_json::json;

use crate::home::{Daemon, Home, post};
use crate::purge::found;

/// Never whole in a source file, where others look for such things.
fn token() -> String {
    ["ghp", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("_")
}

fn password() -> String {
    ["Tr0ub4dor", "Xq9vT2mL8rKz"].join("-")
}

fn write(home: &Home, path: &str, text: &str) -> PathBuf {
    let path = home.path("app/.loki/memory").join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path
}

pub(crate) fn stopped(mut daemon: Daemon) {
    daemon.signal(Signal::TERM);
    assert_eq!(daemon.ended().0, Some(0));
}

/// What Loki Mode wrote, a secret in each; the first three are never lokid's to write.
fn theirs(home: &Home) -> Vec<PathBuf> {
    let (token, password) = (token(), password());
    let episode = |number: usize| {
        let goal = format!("push the image to the registry, try {number}");
        let error = json!({"type": "AuthError", "message": format!("401 for {token} at the registry"),
            "resolution": "log in again before the push"});
        let text = json!({"id": format!("ep-{number}"), "timestamp": format!("2026-11-0{number}T10:00:00Z"),
            "context": {"goal": goal, "phase": "deploy", "files_involved": []}, "outcome": "success",
            "action_log": [{"t": 1, "action": "bash", "target": format!("docker login -p {token}"), "result": "ok"}],
            "errors_encountered": [error], "db_password": password, "login": {"note": {token.clone(): "old"}}});
        write(home, &format!("episodic/2026-11-0{number}/task-ep-{number}.json"), &text.to_string())
    };
    let mut written: Vec<PathBuf> = (1..=3).map(episode).collect();
    // Escaped, as a program may write it that does not write what it means.
    let escaped: String = token.chars().map(|c| format!("\\u{:04x}", c as u32)).collect();
    let handoff = format!("{{\"id\": \"h-1\", \"from\": \"a\", \"note\": \"use {escaped}\"}}");
    written.push(write(home, "handoffs/h-1.json", &handoff));
    written.push(write(home, "ledgers/coder.md", &format!("# Ledger\npush with {token}\n")));
    let skill = json!({"id": "skill-push", "name": format!("Push with {token}"), "steps": [format!("use {token}")]});
    written.push(write(home, "skills/push.json", &skill.to_string()));
    written.push(write(home, "skills/pull.md", &format!("# Skill: Pull\n\n## Steps\n\n1. use {token}\n")));
    let fact = json!({"facts": [{"key": "registry.password", "value": password}]});
    written.push(write(home, "semantic/facts.json", &fact.to_string()));
    written.push(write(
        home,
        "timeline.json",
        &json!({"version": "1.1.0", "recent_actions": [], "active_context": {}, "key_decisions": [
            {"timestamp": "2026-11-01T10:00:00+00:00", "decision": format!("Use {token}"), "rationale": "it works"}]})
        .to_string(),
    ));
    written
}

#[test]
fn a_secret_in_a_file_of_somebody_else_is_told_nowhere_and_named_by_the_doctor() {
    let home = Home::new();
    let theirs = theirs(&home);
    let before: Vec<Vec<u8>> = theirs.iter().map(|path| std::fs::read(path).unwrap()).collect();
    let secrets = [token(), password()];
    let daemon = home.daemon();
    post(&home, "/v1/consolidate", &json!({}));
    home.remember("the registry is slow on Mondays");
    let commands: &[&[&str]] = &[
        &["list"],
        &["list", "--json"],
        &["show", "ep-1", "--json"],
        &["show", "ep-1"],
        &["recall", "push the image to the registry"],
        &["recall", "registry", "--json"],
        &["context", "--goal", "push the image to the registry"],
        &["timeline"],
        &["index"],
        &["export", "-"],
        &["skill", "list", "--json"],
        &["handoff", "show", "h-1"],
        &["ledger", "list", "--json"],
        &["status", "--json"],
        &["consolidate", "--last", "--json"],
        &["forget", "--query", "registry", "--dry-run"],
        &["doctor", "--json"],
        &["doctor"],
    ];
    for command in commands {
        let told = home.run(command);
        for secret in &secrets {
            let said = format!("{}{}", told.out, told.err);
            assert!(!said.contains(secret) && !said.contains(&secret.to_lowercase()), "{told:#?}");
        }
    }
    home.run(&["show", "ep-1"]).succeeded().says("push the image");
    home.run(&["doctor"]).says("episodic/2026-11-01/task-ep-1.json").says("github-token").says("skills/pull.md");
    home.run(&["doctor"]).says("handoffs/h-1.json").says("ledgers/coder.md");
    // What lokid only reads stays as it was.
    stopped(daemon);
    for (path, bytes) in theirs.iter().zip(&before).take(3) {
        assert_eq!(&std::fs::read(path).unwrap(), bytes, "{}", path.display());
    }
    for secret in &secrets {
        let elsewhere: Vec<String> = found(&home.path(""), secret);
        let elsewhere: Vec<&String> =
            elsewhere.iter().filter(|path| !theirs.iter().any(|own| own == Path::new(path))).collect();
        assert!(elsewhere.is_empty(), "{elsewhere:#?}");
    }
    let timeline = std::fs::read_to_string(home.path("app/.loki/memory/timeline.json")).unwrap();
    assert!(timeline.contains("it works") && !timeline.contains(&token()), "{timeline}");
}

#[test]
fn a_file_with_a_secret_is_written_clean_when_it_is_written_and_does_not_change_for_ever() {
    let home = Home::new();
    let theirs = theirs(&home);
    let daemon = home.daemon();
    let patch = Request::new("PATCH", "/v1/memories/ep-2").json(&json!({"tags": ["registry"]}));
    let answer = Client::new(home.socket()).patience(Duration::from_secs(60)).send(&patch).unwrap();
    assert!(answer.is_success(), "{}", answer.text());
    let written = std::fs::read_to_string(&theirs[1]).unwrap();
    assert!(written.contains("redacted:github-token") && !written.contains(&token()), "{written}");
    assert!(written.contains("db_password") && !written.contains(&password()), "{written}");
    let stands = || -> Vec<Vec<u8>> { theirs.iter().map(|path| std::fs::read(path).unwrap()).collect() };
    post(&home, "/v1/consolidate", &json!({}));
    let (before, log) = (stands(), home.run(&["list", "--json"]).out);
    for _ in 0..2 {
        post(&home, "/v1/recall", &json!({"query": "registry", "fresh": true}));
        home.run(&["status"]).succeeded();
    }
    assert_eq!((stands() == before, home.run(&["list", "--json"]).out), (true, log));
    home.run(&["forget", "--yes", "ep-1"]).succeeded();
    stopped(daemon);
    let archive = found(&home.path("app/.loki/memory/archive"), &token());
    assert!(archive.is_empty(), "{archive:#?}");
    let daemon = home.daemon();
    home.run(&["forget", "--undo", "ep-1"]).succeeded();
    stopped(daemon);
    let restored = std::fs::read_to_string(&theirs[0]).unwrap();
    assert!(restored.contains("push the image") && !restored.contains(&token()), "{restored}");
}

#[test]
fn goals_names_keys_authors_and_paths_leave_no_secret_in_what_is_kept() {
    let home = Home::new();
    let token = token();
    let app = home.path("app");
    let odd = app.join(format!("notes-{token}.rs"));
    std::fs::write(&odd, "pub fn lamp() {}\n").unwrap();
    let git = |arguments: &[&str]| lokid_testing::git::git(&app, arguments).unwrap();
    git(&["add", "."]);
    git(&["-c", &format!("user.name=Ann {token}"), "commit", "-m", "lamps"]);
    let daemon = home.daemon();
    let project = json!(app);
    let goal = format!("push with {token}");
    post(&home, "/v1/context/session", &json!({"project": project, "session_id": "s-1", "agent": token, "goal": goal}));
    post(&home, "/v1/context/assemble", &json!({"project": project, "session_id": "s-1", "signals": {"goal": goal}}));
    post(
        &home,
        "/v1/memories",
        &json!({"project": project, "kind": "note", "text": "a lamp",
        "source_ref": {token.clone(): {"x": 1}}, "actor": token, "tags": [token]}),
    );
    let skill =
        post(&home, "/v1/skills", &json!({"project": project, "name": format!("Push {token}"), "steps": ["a"]}));
    assert!(!skill["id"].as_str().unwrap().contains(&token.to_lowercase()[4..]), "{skill}");
    let kept =
        post(&home, "/v1/memories", &json!({"project": project, "kind": "note", "id": token, "text": "a shade"}));
    assert_ne!(kept["id"], token.as_str());
    let ledger = Request::post("/v1/ledgers", &json!({"project": project, "agent_id": token, "x": 1}));
    assert_eq!(Client::new(home.socket()).send(&ledger).unwrap().status, 400);
    let hidden = json!({"project": project, "kind": "note", "namespace": token.replace('_', "-"), "text": "a shade"});
    let _ = Client::new(home.socket()).send(&Request::post("/v1/memories", &hidden));
    home.hook(
        &["SessionStart"],
        &json!({"session_id": "s-2", "cwd": app,
        "hook_event_name": "SessionStart", "source": "startup"})
        .to_string(),
    );
    home.hook(
        &["UserPromptSubmit"],
        &json!({"session_id": "s-2", "cwd": app, "prompt": goal,
        "prompt_id": "p", "hook_event_name": "UserPromptSubmit"})
        .to_string(),
    );
    post(&home, "/v1/consolidate", &json!({}));
    stopped(daemon);
    for word in [token.clone(), token.to_lowercase(), token.to_lowercase()[4..].to_owned()] {
        let places = ["app/.loki", "state", "cache", "data", "run"];
        let kept: Vec<String> = places.iter().flat_map(|place| found(&home.path(place), &word)).collect();
        assert!(kept.is_empty(), "{kept:#?}");
    }
}
