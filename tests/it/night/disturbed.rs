//! Nights that are cut off: at every write, and by kill -9 in a loop. What is there afterwards is whole, and the next
//! night ends where an undisturbed one does.

use std::collections::BTreeMap;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::{client, episode, get, logins, night, remember};
use crate::home::{Home, eventually_some};
use lokid::serve::Request;

/// The same in every home, so that what follows is the same.
const DAY: &str = "2026-03-02T00:00:00Z";

/// Something for every part of a night.
fn prepare(home: &Home) {
    logins(home);
    let steps = [("cargo test", ""), ("cargo build --release", ""), ("git tag v1", ""), ("git push --tags", "")];
    for at in 0..4 {
        remember(home, episode(&format!("ep-rel-{at}"), &format!("release version {at}"), "success", &steps, &[]));
    }
    let lines = [
        json!({"id": "n-tabs", "kind": "note", "text": "The code base is indented with tabs.", "timestamp": DAY}),
        json!({"id": "n-spaces", "kind": "note", "text": "The code base is indented with spaces.", "timestamp": DAY}),
        json!({"id": "n-main-1", "kind": "note", "text": "Never push to main.", "timestamp": DAY}),
        json!({"id": "n-main-2", "kind": "note", "text": "Don't push to main.", "timestamp": DAY}),
        json!({"id": "n-old", "kind": "note", "text": "word ".repeat(200), "timestamp": "2026-01-01T00:00:00Z"}),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    home.run_with(&["import", "-"], &text).succeeded();
}

/// All that is known, without the moments at which it came to be so.
fn known(home: &Home) -> BTreeMap<String, Value> {
    let text = home.run(&["export"]).succeeded().out;
    let timeless = |value: &mut Value| {
        if let Some(record) = value.as_object_mut() {
            for time in ["updated_at", "expired_at", "invalid_at"] {
                if record.get(time).is_some_and(Value::is_string) {
                    record.insert(time.to_owned(), json!("then"));
                }
            }
        }
    };
    let mut found: BTreeMap<String, Value> = BTreeMap::new();
    for line in text.lines() {
        let mut record: Value = serde_json::from_str(line).unwrap();
        timeless(&mut record);
        if let Some(links) = record.get_mut("links").and_then(Value::as_array_mut) {
            for link in links.iter_mut().filter_map(Value::as_object_mut) {
                link.remove("created_at");
            }
        }
        found.insert(record["id"].as_str().unwrap().to_owned(), record);
    }
    for one in get(home, "/v1/contradictions")["items"].as_array().unwrap() {
        found.insert(one["id"].as_str().unwrap().to_owned(), json!([one["a"], one["b"], one["status"]]));
    }
    found
}

#[test]
fn killed_again_and_again_it_ends_where_an_undisturbed_night_does() {
    let undisturbed = {
        let home = Home::new();
        let _daemon = home.daemon();
        prepare(&home);
        night(&home);
        known(&home)
    };
    let home = Home::new();
    let daemon = home.daemon();
    prepare(&home);
    drop(daemon);
    for turn in 0..12_u64 {
        let mut daemon = home.daemon();
        let asking = {
            let client = client(&home);
            std::thread::spawn(move || client.send(&Request::post("/v1/consolidate", &json!({}))))
        };
        // A little later each time; whatever it has reached is the moment.
        let until = std::time::Instant::now() + std::time::Duration::from_millis(3 * turn * turn);
        eventually_some(|| {
            let done = std::time::Instant::now() >= until || asking.is_finished();
            done.then_some(())
        });
        daemon.signal(Signal::KILL);
        daemon.ended();
        let _ = asking.join().unwrap();
    }
    let _daemon = home.daemon();
    assert!(get(&home, "/v1/status")["projects"][0]["problems"].as_array().unwrap().is_empty());
    night(&home);
    let disturbed = known(&home);
    for (id, record) in &undisturbed {
        assert_eq!(disturbed.get(id), Some(record), "{id}");
    }
    assert_eq!(disturbed.len(), undisturbed.len());
}
