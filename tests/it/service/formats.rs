//! Stores of other versions: one from the future is read and left alone, one from the past is read as it is.

use lokid::serve::{Client, Request};
use serde_json::json;

use crate::home::Home;
use crate::lab::tree;

fn plant(home: &Home, version: &str) {
    let folder = home.path("app/.loki/memory");
    std::fs::create_dir_all(folder.join("semantic")).unwrap();
    std::fs::create_dir_all(folder.join("episodic/2026-01-06")).unwrap();
    let fact = r#"{"id":"fact-1","key":"build.tool","value":"just","source":"user","confidence":0.9,"valid_at":"2026-01-06T10:00:00.000000Z","shade":"blue"}"#;
    let facts = format!("{{\"version\":\"{version}\",\"facts\":[{fact}],\"weave\":7}}");
    std::fs::write(folder.join("semantic/facts.json"), facts).unwrap();
    let episode = r#"{"id":"ep-2026-01-06-001","task_id":"t","timestamp":"2026-01-06T10:00:00Z","context":{"goal":"mend the login","phase":"act"},"outcome":"success"}"#;
    std::fs::write(folder.join("episodic/2026-01-06/task-ep-2026-01-06-001.json"), episode).unwrap();
}

#[test]
fn a_store_of_a_newer_format_is_read_and_never_written() {
    let home = Home::new();
    plant(&home, "2.0");
    let before = tree(&home.path("app"));
    let mut daemon = home.daemon();
    daemon.err.wait_for("was written by a newer lokid");
    home.run(&["show", "fact-1"]).succeeded().says("just");
    home.run(&["export"]).succeeded().says("mend the login").says("build.tool");
    home.run(&["status", "--json"]).succeeded().says("newer lokid");
    home.run(&["doctor"]).says("newer lokid");

    let project = home.path("app");
    let client = Client::new(home.socket());
    let note = json!({"project": project, "kind": "note", "text": "a new note"});
    let refused = client.send(&Request::post("/v1/memories", &note)).unwrap();
    assert_eq!((refused.status, refused.code().as_deref()), (403, Some("forbidden")), "{}", refused.text());
    assert!(
        refused.text().contains("semantic/facts.json was written by a newer lokid (format 2.0"),
        "{}",
        refused.text()
    );
    for write in [&["remember", "x"][..], &["forget", "fact-1", "-y"], &["ledger", "write", "a"]] {
        home.run_with(write, "{}").exited(1).says("newer lokid");
    }
    home.run(&["consolidate"]);
    home.run(&["stop"]).succeeded();
    assert_eq!(daemon.ended().0, Some(0));
    assert_eq!(tree(&home.path("app")), before, "not a byte was changed");

    // The upgrade, or what was newer leaves: it is written again.
    plant(&home, "1.0");
    let _daemon = home.daemon();
    home.remember("now it can be written");
}

#[test]
fn a_store_that_becomes_newer_while_the_daemon_runs_is_left_alone_from_then_on() {
    let home = Home::new();
    plant(&home, "1.0");
    let _daemon = home.daemon();
    home.remember("before");
    plant(&home, "3");
    let before = tree(&home.path("app/.loki/memory/semantic"));
    let told = home.run(&["remember", "--key", "build.tool", "--value", "make"]).exited(1);
    told.says("newer lokid (format 3");
    home.run(&["remember", "not even elsewhere"]).exited(1).says("newer lokid");
    assert_eq!(tree(&home.path("app/.loki/memory/semantic")), before);
}

#[test]
fn an_older_store_is_read_as_it_is() {
    let home = Home::new();
    plant(&home, "0.9");
    let before = tree(&home.path("app"));
    let mut daemon = home.daemon();
    home.run(&["show", "fact-1"]).succeeded().says("just");
    home.run(&["show", "ep-2026-01-06-001"]).succeeded().says("mend the login");
    home.run(&["export"]).succeeded().says("mend the login");
    home.run(&["stop"]).succeeded();
    assert_eq!(daemon.ended().0, Some(0));
    assert_eq!(tree(&home.path("app")), before, "nothing is migrated, so not a byte was changed");

    // What is written keeps the old version and whatever is not known of it.
    let mut daemon = home.daemon();
    home.run(&["remember", "--key", "test.tool", "--value", "nextest"]).succeeded();
    home.run(&["stop"]).succeeded();
    daemon.ended();
    let facts = std::fs::read_to_string(home.path("app/.loki/memory/semantic/facts.json")).unwrap();
    for kept in [r#""version": "0.9""#, r#""weave": 7"#, r#""shade":"blue""#, "nextest"] {
        assert!(facts.contains(kept), "{kept} in {facts}");
    }
}
