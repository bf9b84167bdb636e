//! `lokid purge`: after it a search over everything finds nothing of what was remembered, and what is somebody else's is
//! as it was.

use std::path::Path;

use rustix::process::Signal;
use serde_json::json;

use crate::home::Home;

/// A word that stands in everything that is told.
const PLANTED: &str = "zanzibar";

/// Files below a folder whose name or content has the word.
pub(crate) fn found(folder: &Path, word: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        for entry in std::fs::read_dir(path).unwrap().flatten() {
            let path = entry.path();
            let kind = entry.file_type().unwrap();
            // A file may be replaced while it is looked at: what is gone holds nothing.
            let holds = || match std::fs::read(&path) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
                read => String::from_utf8_lossy(&read.unwrap()).contains(word),
            };
            if path.to_string_lossy().contains(word) || (kind.is_file() && holds()) {
                found.push(path.display().to_string());
            }
            if kind.is_dir() {
                open.push(path);
            }
        }
    }
    found
}

/// In every way there is to tell something.
fn plant(home: &Home) {
    let records = [
        json!({"kind": "pattern", "pattern": {"pattern": "retry in zanzibar", "category": "net"}}),
        json!({"kind": "episode", "episode": {"goal": "sail to zanzibar", "outcome": "success"}}),
        json!({"kind": "skill", "skill": {"name": "Zanzibar zanzibar", "steps": ["sail to zanzibar"]}}),
        json!({"kind": "anti_pattern", "text": "never walk to zanzibar"}),
        json!({"kind": "note", "text": "another place near zanzibar", "namespace": "islands"}),
    ];
    let lines: String = records.iter().map(|record| record.to_string() + "\n").collect();
    home.run_with(&["import", "--trust", "-"], &lines).succeeded();
    home.remember("the office is in zanzibar");
    home.run(&["remember", "--private", "my desk in zanzibar"]).succeeded();
    home.run(&["remember", "--key", "office.city", "--value", "zanzibar"]).succeeded();
    home.run(&["remember", "--key", "office.city", "--value", "zanzibar town"]).succeeded();
    let id = home.remember("the old office in zanzibar");
    home.run(&["forget", "--yes", &id]).succeeded();
    home.run(&["recall", "where in zanzibar is the office"]).succeeded().says(PLANTED);
    home.run(&["context", "--goal", "move to zanzibar"]).succeeded();
    home.run(&["consolidate"]).succeeded();
}

#[test]
fn after_a_purge_nothing_of_the_project_is_found_anywhere_and_the_others_are_whole() {
    let home = Home::new();
    let other = home.repository("other");
    let mut daemon = home.daemon();
    home.run(&["project", "add", other.to_str().unwrap()]).succeeded();
    let kept = home.run(&["--project", other.to_str().unwrap(), "remember", "the other lamp"]).succeeded();
    plant(&home);
    assert!(found(&home.path(""), PLANTED).len() > 4);

    home.run(&["purge"]).exited(2).says("nobody is here to be asked").says("--yes");
    let shown = home.run(&["purge", "--dry-run"]).succeeded();
    for part in ["app/.loki/memory", "state/lokid/projects/", "data/lokid/", "cache/lokid/", "memories", "1 archived"] {
        assert!(shown.out.contains(part), "{part}: {shown:#?}");
    }
    let told = home.run(&["purge", "--dry-run", "--json"]).succeeded().json();
    assert_eq!(
        (told["purged"].as_bool(), told["projects"][0]["archived"].as_u64()),
        (Some(false), Some(1)),
        "{told:#}"
    );
    assert!(found(&home.path(""), PLANTED).len() > 4, "nothing was removed yet");

    home.run(&["purge", "--yes"]).succeeded().says("removed");
    assert_eq!(found(&home.path(""), PLANTED), Vec::<String>::new());
    assert!(!home.path("app/.loki").exists());
    let book = std::fs::read_to_string(home.path("state/lokid/projects.json")).unwrap();
    assert!(!book.contains(home.path("app").to_str().unwrap()), "{book}");
    let id = kept.out.trim().strip_prefix("remembered ").unwrap();
    home.run(&["--project", other.to_str().unwrap(), "show", id]).succeeded().says("the other lamp");
    home.run(&["purge", "--yes"]).succeeded().says("nothing to remove");
    daemon.signal(Signal::TERM);
    assert_eq!(daemon.ended().0, Some(0));
}

#[test]
fn what_loki_mode_wrote_stays_byte_by_byte_and_lokids_records_beside_it_go() {
    let home = Home::new();
    let memory = home.path("app/.loki/memory");
    std::fs::create_dir_all(memory.join("semantic")).unwrap();
    std::fs::create_dir_all(memory.join("episodic/2026-11-01")).unwrap();
    std::fs::create_dir_all(home.path("app/.loki/state")).unwrap();
    let theirs = [
        (
            memory.join("episodic/2026-11-01/task-ep-1.json"),
            r#"{"id": "ep-1", "timestamp": "2026-11-01T10:00:00Z", "context": {"goal": "sharpen the saw"}, "outcome": "success"}"#,
        ),
        (home.path("app/.loki/state/session.json"), r#"{"whose": "theirs"}"#),
    ];
    for (path, text) in &theirs {
        std::fs::write(path, text).unwrap();
    }
    let patterns = memory.join("semantic/patterns.json");
    let pattern =
        json!({"patterns": [{"id": "sem-001", "pattern": "saw along the line", "category": "wood", "mine": 7}]});
    std::fs::write(&patterns, pattern.to_string()).unwrap();
    let daemon = home.daemon();
    plant(&home);
    drop(daemon);

    home.run(&["purge", "--dry-run"]).succeeded().says("of Loki Mode's");
    home.run(&["purge", "--yes"]).succeeded();
    assert_eq!(found(&home.path(""), PLANTED), Vec::<String>::new());
    for (path, text) in &theirs {
        assert_eq!(std::fs::read_to_string(path).unwrap(), *text, "{}", path.display());
    }
    let left: serde_json::Value = serde_json::from_slice(&std::fs::read(&patterns).unwrap()).unwrap();
    assert_eq!(left["patterns"], pattern["patterns"], "{left:#}");
    for own in ["notes", "archive", "learnings", ".lokid", "semantic/facts.json", "islands"] {
        assert!(!memory.join(own).exists(), "{own}");
    }
}

#[test]
fn a_purge_of_everything_leaves_no_file_of_lokids() {
    let home = Home::new();
    let other = home.repository("other");
    home.configure("[log]\nlevel = \"warn\"\n");
    let mut daemon = home.daemon();
    home.run(&["project", "add", other.to_str().unwrap()]).succeeded();
    home.run(&["--project", other.to_str().unwrap(), "remember", "a lamp in zanzibar"]).succeeded();
    plant(&home);
    home.run(&["hooks", "install", "claude", "--yes"]).succeeded();

    let told = home.run(&["purge", "--everything", "--yes"]).succeeded();
    assert!(told.out.contains("lokid hooks uninstall claude"), "{told:#?}");
    assert_eq!(daemon.ended().0, Some(0), "the daemon was asked to stop");
    assert_eq!(found(&home.path(""), PLANTED), Vec::<String>::new());
    for folder in ["state/lokid", "cache/lokid", "data/lokid", "config/lokid", "run/lokid", "app/.loki", "other/.loki"]
    {
        assert!(!home.path(folder).exists(), "{folder}");
    }
    home.run(&["hooks", "uninstall", "claude", "--yes"]).succeeded();
    home.run(&["purge", "--everything", "--project", "/tmp"]).exited(2);
}
