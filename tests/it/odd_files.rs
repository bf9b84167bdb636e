//! Files of the store that are not what they should be, and the modes of those that are.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lokid::serve::{Client, Request};
use serde_json::{Value, json};

use crate::eyes::lab::Lab;
use crate::home::{Home, eventually_some};

fn make_fifo(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// What stands in the place of a document.
fn put(path: &Path, what: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    match what {
        "folder" => std::fs::create_dir(path).unwrap(),
        "pipe" => make_fifo(path),
        "link" => symlink("/etc/hostname", path).unwrap(),
        _ => symlink("/nowhere/at/all", path).unwrap(),
    }
}

const DOCUMENTS: [&str; 11] = [
    "semantic/facts.json",
    "semantic/patterns.json",
    "semantic/anti-patterns.json",
    "semantic/links.json",
    "semantic/contradictions.json",
    "archive/tombstones.json",
    "learnings/2026-01-01.json",
    "skills/deploy.json",
    "episodic/2026-01-01/task-1.json",
    "index.json",
    "timeline.json",
];

#[test]
fn doctor_names_what_stands_where_a_document_should() {
    for what in ["folder", "pipe", "link", "lost link"] {
        let home = Home::new();
        for document in DOCUMENTS {
            put(&home.path("app/.loki/memory").join(document), what);
        }
        let begun = Instant::now();
        let direct = home.run(&["--json", "doctor"]);
        let _daemon = home.daemon();
        home.remember("The parser is slow on long lines");
        home.run(&["recall", "parser"]).succeeded().says("slow on long lines");
        let watched = home.run(&["--json", "doctor"]);
        assert!(begun.elapsed() < Duration::from_secs(40), "nobody waited for a writer of the pipe");
        for told in [direct, watched] {
            let named = told.json()["checks"].to_string();
            for document in DOCUMENTS {
                // Ten are told one by one, and that there are more.
                let shown = named.contains(document) || named.contains("more");
                assert!(shown, "{what} at {document} is not named: {told:#?}");
            }
            assert!(named.contains("facts.json") || named.contains("anti-patterns.json"), "{told:#?}");
        }
    }
}

#[test]
fn a_folder_of_the_store_that_is_none_is_named() {
    for what in ["pipe", "link"] {
        let home = Home::new();
        put(&home.path("app/.loki/memory/semantic"), what);
        let told = home.run(&["--json", "doctor"]);
        assert!(told.json()["checks"].to_string().contains("semantic"), "{what}: {told:#?}");
    }
}

#[test]
fn layers_that_cannot_be_read_are_made_again() {
    let home = Home::new();
    let memory = home.path("app/.loki/memory");
    std::fs::create_dir_all(&memory).unwrap();
    for (name, text) in [("index.json", "{\"topics\": [{\"id\": \"cut"), ("timeline.json", "\u{0}\u{0}")] {
        std::fs::write(memory.join(name), text).unwrap();
    }
    let _daemon = home.daemon();
    home.remember("The parser is slow on long lines");
    let whole = |name: &str| -> Option<Value> {
        serde_json::from_slice(&std::fs::read(memory.join(name)).ok()?).ok().filter(Value::is_object)
    };
    let index = eventually_some(|| whole("index.json"));
    assert!(index["topics"].is_array(), "{index}");
    eventually_some(|| whole("timeline.json"));
    assert_eq!(
        std::fs::read_to_string(memory.join(".tmp_index.corrupt.json")).unwrap(),
        "{\"topics\": [{\"id\": \"cut"
    );
    let told = home.run(&["doctor"]).out;
    assert!(!told.contains("index.json") && !told.contains("timeline.json"), "{told}");
}

/// Everything below these folders.
fn below(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                open.push(path.clone());
            }
            found.push(path);
        }
    }
    found
}

#[test]
fn what_lokid_writes_outside_the_repository_is_for_its_owner_alone() {
    let mut lab = Lab::new();
    lab.write("src/stats.py", "def mean(xs):\n    return sum(xs) / len(xs)\n");
    lab.commit("fix: the mean of nothing\n\nBecause nobody checked for an empty list it failed with an error.");
    lab.write(
        ".loki/logs/build.log",
        "Traceback (most recent call last):\n  File \"a.py\", line 5\nZeroDivisionError: x\n",
    );
    lab.start();
    let home = &lab.home;
    let id = home.remember("The parser is slow on long lines");
    home.run(&["remember", "--private", "Only mine"]).succeeded();
    home.run(&["recall", "parser"]).succeeded();
    let client = Client::new(home.socket());
    let session = json!({"session_id": "s-1", "goal": "make it fast", "project": lab.path("")});
    assert!(client.send(&Request::post("/v1/context/session", &session)).unwrap().is_success());
    home.run(&["context", "--goal", "make it fast", "--session", "s-1"]).succeeded();
    home.run(&["predict", "src/stats.py"]).succeeded();
    home.run(&["why", "src/stats.py"]).succeeded();
    let payload = json!({"session_id": "s-1", "cwd": lab.path(""), "prompt": "the parser"}).to_string();
    home.hook(&["UserPromptSubmit", "--agent", "claude-code"], &payload).succeeded();
    home.run(&["consolidate"]).succeeded();
    home.run(&["forget", &id]).succeeded();
    home.run(&["stop"]).succeeded();
    home.hook(&["UserPromptSubmit", "--agent", "claude-code"], &payload).succeeded();
    home.run(&["recall", "parser"]).succeeded();
    home.run(&["run", "--oneshot"]).succeeded();
    home.run(&["replay"]);
    let mut many = 0;
    for (folder, ours) in [("state", "lokid"), ("cache", "lokid"), ("data", "lokid"), ("run", "lokid")] {
        let folder = home.path(folder);
        if !folder.join(ours).exists() {
            continue;
        }
        for path in below(&folder).into_iter().filter(|path| !path.is_symlink()) {
            let found = std::fs::metadata(&path).unwrap();
            let most = if found.is_dir() { 0o700 } else { 0o600 };
            let mode = found.permissions().mode() & 0o777;
            assert_eq!(mode & !most, 0, "{} has the mode {mode:o}", path.display());
            many += 1;
        }
    }
    assert!(many > 10, "only {many} were looked at");
}

/// The same facts, as a clock that was wrong would have dated them.
fn date_into_the_future(path: &Path) {
    let text = std::fs::read_to_string(path).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    let created = document["facts"][0]["created_at"].as_str().unwrap();
    std::fs::write(path, text.replace(&created[..4], "2199")).unwrap();
}

#[test]
fn a_fact_from_the_future_is_named_and_gives_way_to_what_is_said_now() {
    let home = Home::new();
    let daemon = home.daemon();
    home.run(&["remember", "--key", "database", "--value", "sqlite", "We store samples in sqlite"]).succeeded();
    home.run(&["stop"]).succeeded();
    drop(daemon);
    let path = home.path("app/.loki/memory/semantic/facts.json");
    date_into_the_future(&path);
    let facts: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let id = facts["facts"][0]["id"].as_str().unwrap();
    let _daemon = home.daemon();
    let told = home.run(&["doctor"]).exited(1);
    assert!(told.out.contains("2199") && told.out.contains(id), "{told:#?}");
    home.run(&["remember", "--key", "database", "--value", "postgres", "We store samples in postgres"]).succeeded();
    let listed = home.run(&["--json", "list", "--kind", "fact"]).succeeded().json();
    let texts: Vec<&str> =
        listed["items"].as_array().unwrap().iter().filter_map(|item| item["title"].as_str()).collect();
    assert_eq!(texts.len(), 1, "{listed:#}");
    assert!(texts[0].contains("postgres"), "{listed:#}");
}
