//! The log on disk: after a restart, a kill, a broken line, and without it.

use std::io::Write;
use std::path::PathBuf;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::{changes, newest, patch, remember, show, undo, words};
use crate::door::stopped;
use crate::home::{Home, get};

pub(super) fn folder(home: &Home) -> PathBuf {
    let mut projects = std::fs::read_dir(home.path("state/lokid/projects")).unwrap().flatten();
    projects.find_map(|project| Some(project.path().join("changes")).filter(|folder| folder.is_dir())).unwrap()
}

fn pieces(home: &Home) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(folder(home)).unwrap().flatten().map(|entry| entry.path()).collect();
    found.sort();
    found
}

/// Every kind is kept in a file of a form of its own.
#[test]
fn every_kind_can_be_taken_back_after_a_restart() {
    let home = Home::new();
    let daemon = home.daemon();
    let records = [
        json!({"kind": "note", "text": "Lamps are green."}),
        json!({"kind": "decision", "text": "We use lamps.", "title": "Lamps"}),
        json!({"kind": "fact", "fact": {"key": "lamp.colour", "value": "green"}}),
        json!({"kind": "episode", "outcome": "success", "episode": {"goal": "hang the lamps", "files_modified": ["a.rs"]}}),
        json!({"kind": "pattern", "pattern": {"pattern": "lamps hang high", "category": "rooms", "conditions": ["dark"]}}),
        json!({"kind": "anti_pattern", "anti_pattern": {"what_fails": "candles", "why": "they burn", "prevention": "lamps"}}),
        json!({"kind": "skill", "skill": {"name": "Hang a lamp", "steps": ["drill", "hang"]}}),
        json!({"kind": "learning", "learning": {"error": "it is dark", "cause": "no lamp", "fix": "a lamp"}}),
        json!({"kind": "note", "scope": "user-private", "text": "My lamp is blue."}),
    ];
    let ids: Vec<String> = records.into_iter().map(|record| remember(&home, record)).collect();
    let first: Vec<Value> = ids.iter().map(|id| show(&home, id).unwrap()).collect();
    ids.iter().for_each(|id| patch(&home, id, json!({"tags": ["lamp"], "importance": 0.9, "tier": "guardrail"})));
    stopped(daemon);
    let daemon = home.daemon();
    for id in &ids {
        undo(&home, &newest(&home, &format!("memory={id}&op=changed")));
    }
    stopped(daemon);
    let _daemon = home.daemon();
    for (id, first) in ids.iter().zip(&first) {
        let back = show(&home, id).unwrap();
        for name in ["text", "title", "tags", "importance", "tier", "kind", "scope"] {
            assert_eq!(back[name], first[name], "{id} {name}");
        }
        undo(&home, &newest(&home, &format!("memory={id}&op=new")));
        assert!(show(&home, id).is_none());
    }
}

#[test]
fn a_broken_line_and_a_torn_end_cost_themselves_and_are_said_once() {
    let home = Home::new();
    let mut daemon = home.daemon();
    remember(&home, json!({"kind": "note", "text": "Lamps are green."}));
    assert_eq!(changes(&home, "").len(), 1);
    daemon.signal(Signal::KILL);
    daemon.ended();
    let piece = pieces(&home).pop().unwrap();
    let mut file = std::fs::OpenOptions::new().append(true).open(&piece).unwrap();
    file.write_all(b"not JSON\n{\"id\": 7}\n\xff\xfe\n{\"id\":\"c-torn").unwrap();
    drop(file);
    let mut daemon = home.daemon();
    let id = remember(&home, json!({"kind": "note", "text": "Doors are blue."}));
    patch(&home, &id, json!({"text": "Doors are red."}));
    assert_eq!(words(&changes(&home, ""), "op"), ["changed", "new", "new"]);
    changes(&home, "");
    undo(&home, &newest(&home, "op=changed"));
    assert_eq!(show(&home, &id).unwrap()["text"], "Doors are blue.");
    daemon.signal(Signal::TERM);
    assert_eq!(daemon.ended().0, Some(0));
    let mut said = 0;
    while let Some(line) = daemon.err.next() {
        said += usize::from(line.contains("passed over"));
    }
    assert_eq!(said, 1);
}

#[test]
fn without_its_log_a_memory_is_what_it_is_and_a_new_log_begins() {
    let home = Home::new();
    let daemon = home.daemon();
    let id = remember(&home, json!({"kind": "note", "text": "Lamps are green."}));
    let first = newest(&home, "")["id"].as_str().unwrap().to_owned();
    std::fs::remove_dir_all(folder(&home)).unwrap();
    assert_eq!(changes(&home, "").len(), 0);
    patch(&home, &id, json!({"text": "Lamps are red."}));
    let told = changes(&home, "");
    assert_eq!(words(&told, "op"), ["changed"]);
    assert!(told[0]["id"].as_str().unwrap() > first.as_str(), "a name is given once");
    assert_eq!(get(&home, "/v1/changes")["since"], told[0]["at"]);
    let mode = |path: PathBuf| std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(path).unwrap().permissions());
    assert_eq!((mode(folder(&home)) & 0o777, mode(pieces(&home).pop().unwrap()) & 0o777), (0o700, 0o600));
    stopped(daemon);
}

#[test]
fn a_folder_that_cannot_be_written_keeps_nobody_from_remembering() {
    let home = Home::new();
    let daemon = home.daemon();
    remember(&home, json!({"kind": "note", "text": "Lamps are green."}));
    changes(&home, "");
    std::fs::remove_dir_all(folder(&home)).unwrap();
    stopped(daemon);
    let state = std::fs::read_dir(home.path("state/lokid/projects")).unwrap().flatten().next().unwrap().path();
    std::fs::write(state.join("changes"), "in the way").unwrap();
    let _daemon = home.daemon();
    let id = remember(&home, json!({"kind": "note", "text": "Doors are blue."}));
    assert!(show(&home, &id).is_some());
    assert_eq!(changes(&home, "").len(), 0);
    home.run(&["forget", "--purge", "--yes", &id]).succeeded();
}
