//! Taking back what was done by hand: all of it or nothing, only where nothing happened since, and taking that back, too.

use serde_json::{Value, json};

use super::{bare, changes, newest, patch, remember, show, stays, undo, words};
use crate::home::{Home, client, get, post};
use lokid::serve::Request;

#[test]
fn what_is_new_leaves_what_left_comes_back_and_words_are_what_they_were() {
    let home = Home::new();
    let _daemon = home.daemon();
    let id =
        remember(&home, json!({"kind": "note", "text": "Lamps are green.", "tags": ["lamp"], "files": ["src/a.rs"]}));
    let first = show(&home, &id).unwrap();
    patch(&home, &id, json!({"text": "Lamps are red.", "tier": "guardrail", "files": []}));
    let changed = newest(&home, "op=changed");
    assert_eq!(undo(&home, &changed)["undone"], json!([changed["id"]]));
    assert_eq!(bare(show(&home, &id).unwrap()), bare(first.clone()));
    assert!(stays(&home, &changed).contains("undone already"));
    // An undo is a change like any other.
    let back = newest(&home, "op=changed");
    assert_eq!((&back["by"], &back["fields"]), (&json!("user"), &json!(["text", "tier", "files"])));
    undo(&home, &back);
    assert_eq!(show(&home, &id).unwrap()["text"], "Lamps are red.");
    assert_eq!(
        newest(&home, &format!("change={}", changed["id"].as_str().unwrap()))["undone"],
        false,
        "it was done again"
    );
    undo(&home, &changed);
    assert_eq!(bare(show(&home, &id).unwrap()), bare(first.clone()));

    home.run(&["forget", "--yes", &id]).succeeded();
    undo(&home, &newest(&home, "op=archived"));
    assert_eq!(bare(show(&home, &id).unwrap()), bare(first));
    let new = changes(&home, "op=new").pop().unwrap();
    undo(&home, &new);
    assert!(show(&home, &id).is_none());
    home.run(&["forget", "--undo", &id]).succeeded();
    undo(&home, &newest(&home, "op=restored"));
    assert!(show(&home, &id).is_none());
}

/// A team goes by the reason: what a night put away on one machine is no removal for the others.
#[test]
fn what_had_been_restored_leaves_for_the_reason_it_had_left_for() {
    let home = Home::new();
    let _daemon = home.daemon();
    let id = remember(&home, json!({"kind": "note", "text": "Lamps are green."}));
    home.run(&["forget", "--yes", "--reason", "night: unused for 200 days", &id]).succeeded();
    home.run(&["forget", "--undo", &id]).succeeded();
    // And once more: an undo that brought it back is taken back as well.
    for _ in 0..2 {
        undo(&home, &newest(&home, "op=restored"));
        let archive = std::fs::read_dir(home.path("app/.loki/memory/archive")).unwrap().flatten();
        let text: String = archive.map(|file| std::fs::read_to_string(file.path()).unwrap()).collect();
        assert!(text.contains("night: unused for 200 days") && !text.contains("undone"), "{text}");
        undo(&home, &newest(&home, "op=archived"));
    }
}

#[test]
fn what_changed_again_since_stays_and_what_changed_is_named() {
    let home = Home::new();
    let _daemon = home.daemon();
    let id = remember(&home, json!({"kind": "note", "text": "Lamps are green."}));
    patch(&home, &id, json!({"text": "Lamps are red."}));
    let changed = newest(&home, "op=changed");
    patch(&home, &id, json!({"tags": ["lamp"]}));
    let why = stays(&home, &changed);
    assert!(why.contains(&id) && why.contains("tags") && !why.contains("text"), "{why}");
    let told = newest(&home, &format!("change={}", changed["id"].as_str().unwrap()));
    assert_eq!((&told["can_undo"], told["hindrance"].as_str().unwrap().contains("tags")), (&json!(false), true));
    assert_eq!(show(&home, &id).unwrap()["text"], "Lamps are red.");
    // Newest first, both go.
    undo(&home, &newest(&home, "op=changed"));
    undo(&home, &changed);
    assert_eq!(show(&home, &id).unwrap()["text"], "Lamps are green.");
    for (path, status) in [("/v1/changes/c-0000000000000/undo", 404), ("/v1/changes/%00/undo", 400)] {
        assert_eq!(client(&home).send(&Request::post(path, &json!({}))).unwrap().status, status, "{path}");
    }
}

#[test]
fn a_newer_value_goes_with_all_it_did_or_not_at_all() {
    let home = Home::new();
    let _daemon = home.daemon();
    let fact = |value: &str| remember(&home, json!({"kind": "fact", "fact": {"key": "build.tool", "value": value}}));
    let old = fact("make");
    let before = show(&home, &old).unwrap();
    let new = fact("just");
    assert!(show(&home, &old).unwrap()["expired_at"].is_string());
    let group = newest(&home, &format!("memory={new}&op=new"));
    let told = changes(&home, &format!("change={}", group["id"].as_str().unwrap()));
    let mut ops = words(&told, "op");
    ops.sort();
    assert_eq!(ops, ["changed", "linked", "linked", "new", "settled"], "{told:#?}");
    // One of the two was touched: nothing of it is taken back.
    patch(&home, &old, json!({"tags": ["tool"]}));
    let why = stays(&home, &group);
    assert!(why.contains(&old), "{why}");
    assert!(show(&home, &new).unwrap()["expired_at"].is_null(), "nothing half done");
    undo(&home, &newest(&home, "op=changed&by=user"));

    let undone = undo(&home, &group);
    assert_eq!(undone["undone"].as_array().unwrap().len(), 5, "{undone:#}");
    assert_eq!(bare(show(&home, &old).unwrap()), bare(before));
    assert!(show(&home, &new).is_none());
    let links = get(&home, &format!("/v1/links/{old}"));
    assert_eq!(links["edges"].as_array().unwrap().len(), 0, "{links:#}");
    assert_eq!(get(&home, "/v1/contradictions?status=open")["items"], json!([]));
}

#[test]
fn a_matter_that_was_settled_is_open_again_and_one_that_was_found_is_dismissed() {
    let home = Home::new();
    let _daemon = home.daemon();
    let said = |text: &str| remember(&home, json!({"kind": "decision", "text": text}));
    said("Deployments to production happen every Friday.");
    said("Deployments to production never happen on Fridays.");
    let open = || get(&home, "/v1/contradictions?status=open")["items"].as_array().unwrap().clone();
    let found = crate::home::eventually_some(|| open().pop());
    let id = found["id"].as_str().unwrap();
    post(&home, &format!("/v1/contradictions/{id}/resolve"), &json!({"resolution": "b_wins", "note": "agreed"}));
    let settled = newest(&home, "op=settled");
    assert_eq!((&settled["why"], &settled["contradiction"]["resolution"]), (&json!("agreed"), &json!("b_wins")));
    undo(&home, &settled);
    assert_eq!(open().len(), 1);
    assert!(show(&home, found["a"].as_str().unwrap()).unwrap()["expired_at"].is_null());
    let conflict = changes(&home, "op=conflict").pop().unwrap();
    assert_eq!((&conflict["by"], &conflict["contradiction"]["a_says"]), (&json!("night"), &found["a_says"]));
    undo(&home, &conflict);
    assert!(open().is_empty());
    let dismissed = &get(&home, "/v1/contradictions?status=resolved")["items"][0];
    assert_eq!(dismissed["resolution"], "both_valid", "{dismissed:#}");
}

#[test]
fn links_are_tied_and_untied_again() {
    let home = Home::new();
    let _daemon = home.daemon();
    let [a, b] =
        ["Lamps are green.", "Doors are blue."].map(|text| remember(&home, json!({"kind": "note", "text": text})));
    post(&home, "/v1/links", &json!({"from": a, "to": b, "relation": "related_to"}));
    let linked = newest(&home, "op=linked");
    assert_eq!((&linked["memory_id"], &linked["links"][0]["to"]), (&json!(a), &json!(b)));
    assert_eq!(changes(&home, &format!("memory={b}&op=linked")).len(), 1, "both ends tell of it");
    let edges = || get(&home, &format!("/v1/links/{a}"))["edges"].as_array().unwrap().len();
    undo(&home, &linked);
    assert_eq!(edges(), 0);
    undo(&home, &newest(&home, "op=unlinked"));
    assert_eq!(edges(), 1);
}

#[test]
fn what_another_hand_wrote_is_told_and_taken_back() {
    let home = Home::new();
    let _daemon = home.daemon();
    let id = remember(&home, json!({"kind": "note", "text": "Lamps are green.", "source": "user"}));
    let before = show(&home, &id).unwrap();
    let line = |text: &str| json!({"id": id, "kind": "note", "text": text, "created_at": before["created_at"], "updated_at": "2030-01-01T00:00:00Z"});
    let file = home.path("app/.loki/memory/notes/2030-01.00c0ffee.ndjson");
    std::fs::write(
        &file,
        format!(
            "{}\n{}\n",
            line("Lamps are red."),
            json!({"id": "n-theirs", "kind": "note", "text": "Doors are blue.", "created_at": "2030-01-01T00:00:00Z"})
        ),
    )
    .unwrap();
    get(&home, "/v1/status?fresh=true");
    let told = changes(&home, "by=file");
    assert_eq!(told.len(), 2, "{told:#?}");
    let changed = told.iter().find(|item| item["op"] == "changed").unwrap();
    assert_eq!(changed["after"]["text"], "Lamps are red.");
    undo(&home, changed);
    let back = show(&home, &id).unwrap();
    assert_eq!((&back["text"], &back["source"]), (&json!("Lamps are green."), &json!("user")));
    // A file that is gone takes its memory with it, until somebody wants it back.
    std::fs::remove_file(&file).unwrap();
    get(&home, "/v1/status?fresh=true");
    assert!(show(&home, "n-theirs").is_none());
    let gone = newest(&home, "by=file&op=archived");
    assert_eq!((&gone["memory_id"], &gone["before"]["text"]), (&json!("n-theirs"), &json!("Doors are blue.")));
    undo(&home, &gone);
    assert_eq!(show(&home, "n-theirs").unwrap()["text"], "Doors are blue.");
}

#[test]
fn what_the_repository_teaches_by_itself_is_not_told() {
    let mut lab = crate::eyes::lab::Lab::new();
    lab.write("CONTRIBUTING.md", "# Contributing\n\n- Always run `make lint` before a commit.\n");
    lab.commit("Add rules");
    lab.start_at_once();
    lab.past_is_read();
    let list = |path: &str| lab.send(&Request::get(path));
    assert!(!list("/v1/memories?derived=true")["items"].as_array().unwrap().is_empty());
    assert_eq!(list("/v1/changes")["items"], Value::Array(Vec::new()));
}
