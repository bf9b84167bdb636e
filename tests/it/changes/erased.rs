//! What is purged or redacted is in no line of the log, whoever repeated it.

use serde_json::{Value, json};

use super::kept::folder;
use super::{changes, patch, remember, show};
use crate::door::stopped;
use crate::home::{Home, client, get, post};
use crate::purge::found;
use lokid::serve::Request;

const PLANTED: &str = "quetzalcoatl";

fn told(home: &Home) -> Vec<String> {
    found(&folder(home), PLANTED)
}

#[test]
fn a_purge_strikes_out_every_line_that_names_it_or_repeats_its_words() {
    let home = Home::new();
    let daemon = home.daemon();
    let words = format!("The release server is called {PLANTED}.");
    let id = remember(&home, json!({"id": "n-gone", "kind": "decision", "text": words}));
    let other = remember(&home, json!({"id": "n-stays", "kind": "decision", "text": "Releases happen on Mondays."}));
    patch(&home, &id, json!({"text": format!("The release server {PLANTED} has moved.")}));
    patch(&home, &id, json!({"text": "The release server has no name."}));
    // Its words become part of another, and stay there when it goes: the log may not say where they came from.
    post(&home, "/v1/links", &json!({"from": other, "to": id, "relation": "related_to"}));
    patch(&home, &other, json!({"text": format!("Releases happen on Mondays.\n{words}")}));
    patch(&home, &other, json!({"text": "Releases happen on Tuesdays."}));
    let before = changes(&home, "").len();
    assert!(!told(&home).is_empty());
    home.run(&["forget", "--purge", "--yes", &id]).succeeded();
    assert_eq!(told(&home), Vec::<String>::new(), "before the purge has answered");
    let left = changes(&home, "");
    assert!(!left.is_empty() && left.len() < before, "the others stay");
    assert!(left.iter().all(|item| item["memory_id"] == json!(other)), "{left:#?}");
    assert!(show(&home, &other).is_some());
    stopped(daemon);
    assert_eq!(found(&home.path("state"), PLANTED), Vec::<String>::new());
}

#[test]
fn what_was_purged_while_nobody_kept_the_log_goes_at_the_next_start() {
    let home = Home::new();
    let daemon = home.daemon();
    let id = remember(&home, json!({"kind": "note", "text": format!("ask {PLANTED} first")}));
    changes(&home, "");
    stopped(daemon);
    // As a pull brings it from a machine where it was purged.
    let memory = home.path("app/.loki/memory");
    for file in std::fs::read_dir(memory.join("notes")).unwrap().flatten() {
        std::fs::remove_file(file.path()).unwrap();
    }
    let grave = json!({"id": id, "fingerprint": "47dbee0cd66453c5a5356c197197fbaf", "purged_at": "2030-01-01T00:00:00Z", "reason": ""});
    let graves = json!({"version": "1.0", "tombstones": [grave], "last_updated": "2030-01-01T00:00:00+00:00"});
    std::fs::create_dir_all(memory.join("archive")).unwrap();
    std::fs::write(memory.join("archive/tombstones.json"), graves.to_string()).unwrap();
    let _daemon = home.daemon();
    assert_eq!(changes(&home, ""), Vec::<Value>::new());
    assert_eq!(found(&home.path("state"), PLANTED), Vec::<String>::new());
}

#[test]
fn a_pattern_that_is_redacted_reaches_what_was_said_before() {
    let home = Home::new();
    let _daemon = home.daemon();
    let id = remember(&home, json!({"kind": "decision", "text": format!("ask {PLANTED} first")}));
    patch(&home, &id, json!({"text": "ask nobody"}));
    changes(&home, "");
    let redact = |dry_run: bool| post(&home, "/v1/memories/redact", &json!({"pattern": PLANTED, "dry_run": dry_run}));
    assert_eq!((&redact(true)["history"], &redact(true)["changes"]), (&json!(1), &json!(2)));
    assert!(!told(&home).is_empty());
    redact(false);
    assert_eq!(told(&home), Vec::<String>::new());
    assert_eq!((&redact(true)["history"], &redact(true)["changes"]), (&json!(0), &json!(0)));
}

#[test]
fn secrets_do_not_reach_the_log_and_what_is_a_secret_since_is_not_shown() {
    let home = Home::new();
    let daemon = home.daemon();
    let id = remember(&home, json!({"kind": "note", "text": format!("the badge is {PLANTED}-4711")}));
    patch(&home, &id, json!({"text": "the badge is lost"}));
    changes(&home, "");
    stopped(daemon);
    home.configure(&format!("[[redact.rules]]\nname = \"badge\"\npattern = \"{PLANTED}-[0-9]+\"\n"));
    let _daemon = home.daemon();
    let answer = client(&home).send(&Request::get("/v1/changes")).unwrap();
    assert!(answer.is_success() && !answer.text().contains("4711"), "{}", answer.text());
    let lived = get(&home, &format!("/v1/memories/{id}/history"));
    assert!(!lived.to_string().contains("4711"), "{lived:#}");
    super::undo(&home, &super::newest(&home, "op=changed"));
    assert!(!show(&home, &id).unwrap().to_string().contains("4711"));
}
