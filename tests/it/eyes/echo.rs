//! The daemon hears itself: it must not answer.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use serde_json::json;

use super::lab::Lab;
use crate::home::{eventually_some, post};

/// Every file below a folder with when it was last written.
fn written(folder: &Path) -> BTreeMap<String, SystemTime> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let data = entry.metadata().unwrap();
            if data.is_dir() {
                waiting.push(entry.path());
            } else {
                found.insert(entry.path().display().to_string(), data.modified().unwrap());
            }
        }
    }
    found
}

#[test]
fn what_the_daemon_writes_itself_is_no_news_to_it() {
    let mut lab = Lab::new();
    // On a busy machine a finished task would be slept over at any time: here it is when it is asked for.
    lab.home.configure("[night]\nafter_tasks = false\n");
    lab.start();
    for number in 0..5 {
        lab.home.remember(&format!("note number {number} about the harbour"));
    }
    lab.home.run(&["remember", "--key", "build.tool", "--value", "make"]).succeeded();
    lab.home.run(&["remember", "--key", "build.tool", "--value", "just"]).succeeded();
    let records: String =
        (0..200).map(|at| format!("{{\"kind\":\"note\",\"text\":\"imported ship number {at}\"}}\n")).collect();
    lab.home.run_with(&["import", "-"], &records).succeeded().says("200 new");
    let episode = "{\"kind\":\"episode\",\"text\":\"made the tests pass\",\"files\":[\"src/a.rs\"]}\n";
    lab.home.run_with(&["import", "-"], episode).succeeded();
    lab.home.run_with(&["ledger", "write", "builder"], r#"{"done": ["parser"]}"#).succeeded();
    post(&lab.home, "/v1/consolidate", &json!({"phases": ["learn", "errors", "contradict"]}));
    // The short layers are written a moment after the memories; reading brings what is due.
    lab.home.run(&["timeline"]).succeeded();
    lab.sentinel();
    // What was put off until it is quiet comes late where the machine is busy.
    let before = eventually_some(|| {
        let before = written(&lab.path(".loki"));
        lab.look_until_seen();
        (written(&lab.path(".loki")) == before).then_some(before)
    });
    lab.mark();
    assert!(before.len() > 4, "{before:#?}");

    lab.look_until_seen();
    lab.sentinel();
    assert_eq!(written(&lab.path(".loki")), before, "something was written again");
    assert_eq!(lab.signals(), Vec::<String>::new());
    assert_eq!(lab.count("memory") + lab.count("memories"), 0, "{:#?}", lab.told());
    assert_eq!(lab.memories().len(), 5 + 1 + 200 + 1, "{:#?}", lab.titles());
}
