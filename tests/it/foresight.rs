//! Looking ahead, through the program itself: what is handed out before it is asked for, what it costs, and what
//! becomes of it.
//!
//! Everything is waited for, on the stream of events or on an answer. The working tree is left alone where it can be: a
//! file that is touched moves the focus of whoever works there.

mod assembly;
mod blocks;
mod command_line;
mod experience;
mod five;
mod layers;
mod ledger;
mod measures;
mod prefetch;
mod replay;
mod trees;
mod week;

use std::time::Duration;

use lokid::serve::{Client, Request, Response};
use lokid_model::token;
use serde_json::{Value, json};

use crate::eyes::lab::Lab;
use crate::home::eventually_some;

const LEDGER: &str = ".loki/memory/token_economics.json";
const CONNECTING: Duration = Duration::from_millis(300);

/// Starts the daemon; comes back when it has read the past, can be asked, and is listened to.
fn begin(lab: &mut Lab) {
    lab.start_at_once();
    lab.past_is_read();
    settled(lab);
    for _ in 0..100 {
        // The one signal that moves nothing.
        signal(lab, json!({"type": "phase_change", "agent": "listening"}));
        if lab.hear_within(CONNECTING, |event| event["data"]["agent"] == "listening").is_some() {
            lab.mark();
            return;
        }
    }
    panic!("nobody listens");
}

fn begin_again(lab: &mut Lab) {
    lab.stop();
    begin(lab);
}

/// Comes back when everything remembered so far can be found.
fn settled(lab: &Lab) {
    let request = Request::post("/v1/recall", &json!({"query": "x", "fresh": true, "counted": false}));
    eventually_some(|| client(lab).send(&request).unwrap().is_success().then_some(()));
}

fn client(lab: &Lab) -> Client {
    Client::new(lab.home.socket()).patience(Duration::from_secs(30))
}

fn ask(lab: &Lab, path: &str, body: Value) -> Value {
    lab.send(&Request::post(path, &body))
}

fn refused(lab: &Lab, path: &str, body: Value) -> Response {
    let answer = client(lab).send(&Request::post(path, &body)).unwrap();
    assert_eq!((answer.status, answer.code().as_deref()), (400, Some("bad_request")), "{path}: {}", answer.text());
    answer
}

fn text(lab: &Lab, path: &str) -> String {
    let answer = client(lab).send(&Request::get(path)).unwrap();
    assert!(answer.is_success(), "{path}: {}", answer.text());
    answer.text().into_owned()
}

fn remember(lab: &Lab, body: Value) {
    let kept = ask(lab, "/v1/memories", body.clone());
    assert_eq!((&kept["id"], &kept["merged_into"]), (&body["id"], &Value::Null), "{kept}");
}

fn note(lab: &Lab, id: &str, text: &str, files: &[&str]) {
    remember(lab, json!({"id": id, "kind": "note", "text": text, "files": files}));
}

fn signal(lab: &Lab, body: Value) {
    ask(lab, "/v1/signals", body);
}

fn ids(answer: &Value) -> Vec<&str> {
    answer["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect()
}

/// As it is to be cited.
#[track_caller]
fn cite<'a>(block: &'a Value, id: &str) -> &'a str {
    let item = block["items"].as_array().unwrap().iter().find(|item| item["id"] == id);
    item.and_then(|item| item["cite"].as_str()).unwrap_or_else(|| panic!("{id} is not in {block:#}"))
}

fn said(answer: &Value) -> &str {
    answer["context"].as_str().unwrap()
}

#[track_caller]
fn is_within(answer: &Value, budget: usize) {
    let count = answer["token_count"].as_u64().unwrap() as usize;
    assert!(count <= budget, "{count} tokens are more than {budget}: {answer:#}");
    assert_eq!(count, token::estimate(said(answer)), "{answer:#}");
}

/// The context for a file, as it stood ready before this asked for it; `known` is a memory of the project.
fn ready_context(lab: &Lab, session: Option<&str>, file: &str, known: &str) -> Value {
    for attempt in 0..20 {
        let asked = json!({"session_id": session, "file_opened": file});
        eventually_some(|| (ask(lab, "/v1/context/predict", asked.clone())["prefetched"] == true).then_some(()));
        let asked = json!({"session_id": session, "signals": {"current_file": file}});
        let answer = ask(lab, "/v1/context/assemble", asked);
        if answer["prefetched"] == true {
            return answer;
        }
        // Something else changed at that moment. What was put together for this must not be taken for foreseen.
        lab.send(&Request::patch(format!("/v1/memories/{known}"), &json!({"tags": [format!("try-{attempt}")]})));
    }
    panic!("nothing stands ready for {file}");
}

/// The lines under one of the headings of a session block.
fn section<'a>(block: &'a str, heading: &str) -> Vec<&'a str> {
    let lines = block.lines().skip_while(|line| *line != format!("## {heading}")).skip(1);
    lines.take_while(|line| line.starts_with("- ")).collect()
}

fn economics(lab: &Lab, session: &str) -> Value {
    lab.get(&format!("/v1/economics?session_id={session}"))
}

fn measures(lab: &Lab) -> Vec<String> {
    let all = lab.get("/v1/economics");
    all["measures"].as_array().unwrap().iter().map(|measure| measure.as_str().unwrap().to_owned()).collect()
}

fn end(lab: &Lab, session: &str) {
    signal(lab, json!({"type": "session_end", "session_id": session, "outcome": "success"}));
    ledger_of(lab, session);
}

/// Waits until the ledger on disk is the one of a session: what ended it has then been looked at.
fn ledger_of(lab: &Lab, session: &str) -> Value {
    eventually_some(|| {
        let told = std::fs::read_to_string(lab.path(LEDGER)).ok()?;
        let told: Value = serde_json::from_str(&told).ok()?;
        (told["session_id"] == session).then_some(told)
    })
}

/// Where lokid keeps what it counts.
fn sessions_on_disk(lab: &Lab) -> Option<String> {
    let projects = std::fs::read_dir(lab.home.path("state/lokid/projects")).ok()?;
    projects.flatten().find_map(|project| std::fs::read_to_string(project.path().join("sessions.json")).ok())
}
