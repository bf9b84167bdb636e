//! What changed, told and taken back, through the real daemon: by hand, by files, by nights; after a restart, after a kill,
//! with a broken log; and that nothing of it outlives a purge.

mod erased;
mod kept;
mod lives;
mod nights;
mod undone;

use lokid::serve::{Request, Response};
use serde_json::{Value, json};

use crate::home::{Home, client, get, post};
use crate::night::{remember, show};

#[track_caller]
fn patch(home: &Home, id: &str, fields: Value) {
    let answer = client(home).send(&Request::patch(format!("/v1/memories/{id}"), &fields)).unwrap();
    assert!(answer.is_success(), "{}", answer.text());
}

#[track_caller]
fn changes(home: &Home, query: &str) -> Vec<Value> {
    get(home, &format!("/v1/changes?{query}"))["items"].as_array().unwrap().clone()
}

fn words(items: &[Value], name: &str) -> Vec<String> {
    items.iter().map(|item| item[name].as_str().unwrap().to_owned()).collect()
}

/// The newest change of this sort.
#[track_caller]
fn newest(home: &Home, query: &str) -> Value {
    changes(home, query).into_iter().next().unwrap_or_else(|| panic!("no change for {query}"))
}

fn send_undo(home: &Home, change: &Value) -> Response {
    let path = format!("/v1/changes/{}/undo", change["id"].as_str().unwrap());
    client(home).send(&Request::post(path, &json!({}))).unwrap()
}

#[track_caller]
fn undo(home: &Home, change: &Value) -> Value {
    let answer = send_undo(home, change);
    assert!(answer.is_success(), "{change:#}: {}", answer.text());
    answer.json().unwrap()
}

/// Refused, and why.
#[track_caller]
fn stays(home: &Home, change: &Value) -> String {
    let answer = send_undo(home, change);
    assert_eq!(answer.status, 412, "{}", answer.text());
    answer.detail()
}

/// Without what tells of touching and using it.
fn bare(mut record: Value) -> Value {
    for name in ["updated_at", "usage", "undone"] {
        record.as_object_mut().unwrap().remove(name);
    }
    record
}

#[test]
fn a_checkout_of_many_differing_memories_is_told_in_part_and_summed_up_in_one_line() {
    let home = Home::new();
    let daemon = home.daemon();
    let record = |number: usize| json!({"kind": "note", "text": format!("Lamp {number} hangs in room {}", number * 7)});
    let lines: String = (0..400).map(|number| record(number).to_string() + "\n").collect();
    home.run_with(&["import", "--trust", "-"], &lines).succeeded();
    crate::door::stopped(daemon);
    let (memory, aside) = (home.path("app/.loki/memory"), home.path("aside"));
    std::fs::rename(&memory, &aside).unwrap();
    let _daemon = home.daemon();
    std::fs::rename(&aside, &memory).unwrap();
    crate::home::eventually_some(|| get(&home, "/v1/status").to_string().contains("\"memories\":400").then_some(()));
    // What changed is written down behind it.
    let is_sum = |line: &Value| line["why"].as_str().unwrap().contains("others in files");
    let seen = || Some(changes(&home, "by=file&limit=500")).filter(|seen| seen.iter().any(is_sum));
    let seen = crate::home::eventually_some(seen);
    assert!(seen.len() < 300, "{}", seen.len());
    let sum = seen.iter().find(|line| is_sum(line)).unwrap();
    assert!(stays(&home, sum).contains("told no more"), "{sum:#}");
}

#[test]
fn what_is_done_is_told_newest_first_with_who_did_it_and_what_it_was_before() {
    let home = Home::new();
    let _daemon = home.daemon();
    let id = remember(&home, json!({"kind": "note", "text": "The queue holds a thousand jobs."}));
    patch(&home, &id, json!({"text": "The queue holds ten thousand jobs.", "tier": "guardrail"}));
    home.run(&["forget", "--yes", "--reason", "wrong", &id]).succeeded();
    let told = changes(&home, "");
    assert_eq!(words(&told, "op"), ["archived", "changed", "new"]);
    assert_eq!(words(&told, "by"), ["user", "user", "agent"]);
    let [archived, changed, new] = told.as_slice() else { panic!("{told:#?}") };
    assert_eq!((&archived["why"], &archived["after"]), (&json!("wrong"), &Value::Null));
    assert_eq!(changed["fields"], json!(["text", "tier"]));
    assert_eq!(changed["before"]["text"], "The queue holds a thousand jobs.");
    assert_eq!(changed["after"]["text"], "The queue holds ten thousand jobs.");
    assert_eq!((&new["before"], &new["after"]["id"]), (&Value::Null, &json!(id)));
    assert_eq!((&new["kind"], &new["memory_id"], &new["namespace"]), (&json!("note"), &json!(id), &json!("default")));
    assert_eq!((&archived["can_undo"], &changed["can_undo"]), (&json!(true), &json!(false)));
    assert!(changed["hindrance"].as_str().unwrap().contains("archived since"), "{changed:#}");
    // Reading it is no change, and neither is telling it again.
    get(&home, "/v1/memories");
    let other = remember(&home, json!({"kind": "note", "text": "Lamps are green."}));
    remember(&home, json!({"kind": "note", "text": "Lamps are green."}));
    assert_eq!(changes(&home, &format!("memory={other}")).len(), 1);
}

#[test]
fn the_list_is_narrowed_by_what_is_asked_and_turned_page_by_page() {
    let home = Home::new();
    let _daemon = home.daemon();
    let ids: Vec<String> = (0..5)
        .map(|at| remember(&home, json!({"kind": "note", "text": format!("Lamp number {at} is green.")})))
        .collect();
    patch(&home, &ids[0], json!({"text": "Lamp number zero is red."}));
    remember(&home, json!({"kind": "note", "namespace": "other", "text": "Elsewhere lamps are blue."}));
    for (query, many) in [
        ("", 7),
        ("op=changed", 1),
        ("op=new,changed", 7),
        ("by=user", 1),
        ("open=true", 6),
        ("open=false", 1),
        ("namespace=other", 1),
        (&format!("memory={}", ids[0]), 2),
        (&format!("memory={}&namespace=other", ids[0]), 0),
        ("since=2020-01-01", 7),
        ("until=2020-01-01", 0),
        ("night=2020-01-01", 0),
    ] {
        assert_eq!(changes(&home, query).len(), many, "{query}");
    }
    let mut seen = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = get(&home, &format!("/v1/changes?limit=3{cursor}"));
        seen.extend(words(page["items"].as_array().unwrap(), "id"));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen, words(&changes(&home, ""), "id"));
    assert!(seen.is_sorted_by(|one, other| one > other), "{seen:?}");
    for (query, named) in [
        ("limit=0", "limit"),
        ("limit=501", "limit"),
        ("cursor=x", "cursor"),
        ("op=gone", "op"),
        ("by=nobody", "by"),
        ("since=soon", "since"),
    ] {
        let answer = client(&home).send(&Request::get(format!("/v1/changes?{query}"))).unwrap();
        assert_eq!(answer.status, 400, "{query}");
        assert!(answer.detail().contains(named), "{query}: {}", answer.detail());
    }
}

#[test]
fn an_agent_that_says_so_is_told_from_the_user() {
    let home = Home::new();
    let _daemon = home.daemon();
    let id = remember(&home, json!({"kind": "note", "text": "Lamps are green.", "source": "user"}));
    let request = Request::patch(format!("/v1/memories/{id}"), &json!({"text": "Lamps are red."}));
    assert!(client(&home).send(&request.header("lokid-by", "agent")).unwrap().is_success());
    assert_eq!(words(&changes(&home, ""), "by"), ["agent", "user"]);
    assert_eq!(words(&changes(&home, "open=true"), "op"), ["changed"]);
}

#[test]
fn what_was_looked_at_leaves_the_inbox_and_comes_back_when_somebody_thinks_again() {
    let home = Home::new();
    let daemon = home.daemon();
    remember(&home, json!({"kind": "fact", "fact": {"key": "build.tool", "value": "make"}}));
    remember(&home, json!({"kind": "fact", "fact": {"key": "build.tool", "value": "just"}}));
    let open = changes(&home, "open=true");
    let group: Vec<&Value> = open.iter().filter(|item| item["group"] == open[0]["group"]).collect();
    assert!(group.len() > 2, "{open:#?}");
    let path = format!("/v1/changes/{}/accept", open[0]["id"].as_str().unwrap());
    let accepted = post(&home, &path, &json!({}));
    assert_eq!(accepted["accepted"].as_array().unwrap().len(), group.len());
    assert_eq!(changes(&home, "open=true").len(), 1);
    crate::door::stopped(daemon);
    let _daemon = home.daemon();
    assert_eq!(changes(&home, "open=true").len(), 1, "it is remembered");
    assert!(client(&home).send(&Request::delete(&path)).unwrap().is_success());
    assert_eq!(changes(&home, "open=true").len(), open.len());
    let answer = client(&home).send(&Request::post("/v1/changes/c-0/accept", &json!({}))).unwrap();
    assert_eq!(answer.status, 404, "{}", answer.text());
}

#[test]
fn commands_tell_of_changes_and_take_them_back() {
    let home = Home::new();
    let daemon = home.daemon();
    let id = remember(&home, json!({"kind": "note", "text": "Lamps are green."}));
    patch(&home, &id, json!({"text": "Lamps are red."}));
    home.run(&["changes", "--since", "1h"]).succeeded().says("changed by user").says("new by agent");
    home.run(&["changes", "--open"]).succeeded().says("new by agent");
    home.run(&["changes", "--since", "whenever"]).exited(2).says("--since");
    let change = newest(&home, "op=changed")["id"].as_str().unwrap().to_owned();
    home.run(&["changes", &change]).succeeded().says("- Lamps are green.").says("+ Lamps are red.");
    home.run(&["changes", "c-0000000000000"]).exited(1).says("no change");
    home.run(&["show", &id, "--history"]).succeeded().says("Lamps are green.").says("Lamps are red.");
    home.run(&["undo", &change]).succeeded().says("1 change undone");
    home.run(&["undo", &change]).exited(1).says("undone already");
    assert_eq!(show(&home, &id).unwrap()["text"], "Lamps are green.");
    home.run(&["undo"]).exited(2);
    home.run(&["undo", "--night", "2026-01-01"]).exited(1).says("no night");
    let listed = home.run(&["changes", &id, "--json"]).succeeded().json();
    assert_eq!(listed["items"].as_array().unwrap().len(), 3);
    crate::door::stopped(daemon);
    // Without a daemon it can be read, and nothing else.
    home.run(&["changes", &id]).succeeded().says("undo of");
    home.run(&["undo", &change]).exited(3);
}
