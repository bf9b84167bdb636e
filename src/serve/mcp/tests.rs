//! The tools against a desk that answers by rote: what is asked of the API, and what becomes of its answers.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::desk::{Away, Desk, Need};
use super::session::{Refusal, Session};
use super::{catalogue, server};
use crate::serve::message::{Request, Response};

#[derive(Default)]
struct Rote {
    answers: Mutex<VecDeque<Result<Response, Away>>>,
    asked: Mutex<Vec<(String, Value, Need)>>,
}

impl Desk for Rote {
    fn ask(&self, request: &Request, need: Need) -> Result<Response, Away> {
        let body = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
        self.asked.lock().push((format!("{} {}", request.method, request.path), body, need));
        self.answers.lock().pop_front().expect("as many answers as questions")
    }

    fn project(&self) -> String {
        "/code/app".to_owned()
    }
}

fn answer(status: u16, body: Value) -> Result<Response, Away> {
    Ok(Response { status, body: body.to_string().into_bytes(), ..Response::default() })
}

/// Route, body, and whether it was to read or to write.
type Asked = (String, Value, Need);

/// Calls a tool and tells its answer and what was asked for it.
fn called(name: &str, given: Value, answers: Vec<Result<Response, Away>>) -> (Result<Value, Refusal>, Vec<Asked>) {
    let desk = Arc::new(Rote { answers: Mutex::new(answers.into()), ..Rote::default() });
    let session = Session::new(Arc::clone(&desk) as Arc<dyn Desk>);
    let Value::Object(given) = given else { panic!("an object") };
    let answer = server::call(&session, catalogue::find(name).unwrap(), given);
    let asked = desk.asked.lock().drain(..).collect();
    (answer, asked)
}

#[test]
fn a_search_asks_about_the_project_and_answers_with_citations() {
    let found = json!({"task_type": "debugging", "results": [
        {"id": "note-1", "kind": "note", "tier": "reference", "title": "x", "summary": "x y", "score": 0.51239, "files": [], "created_at": "t"}]});
    let (answer, asked) =
        called("search", json!({"query": "x", "top_k": 3, "collection": "skills"}), vec![answer(200, found)]);
    let answer = answer.unwrap();
    assert_eq!(asked[0].0, "POST /v1/recall");
    assert_eq!(asked[0].2, Need::Read);
    let body = &asked[0].1;
    assert_eq!((&body["project"], &body["k"]), (&json!("/code/app"), &json!(3)));
    assert_eq!(body["kinds"], json!(["skill", "workflow"]));
    assert!(body["session_id"].as_str().unwrap().starts_with("mcp-"));
    let one = &answer["results"][0];
    assert_eq!((one["text"].as_str(), one["score"].as_f64()), (Some("x y"), Some(0.5124)));
    assert!(one["cite"].as_str().unwrap().starts_with("R:") && one.get("title").is_none(), "{one}");
    assert!(answer["recalled"].is_string() && answer["end"].is_string());
}

#[test]
fn nobody_there_is_told_with_the_way_out() {
    let away = Away { what: "no daemon".to_owned(), fix: "start one".to_owned() };
    let (answer, _) = called("mem_save", json!({"text": "x"}), vec![Err(away)]);
    assert_eq!(answer.unwrap_err().told(), "no daemon\nFix: start one");
    let unwatched = answer_code(404, "project_not_watched", "watched: nothing");
    let (answer, _) = called("mem_search", json!({"query": "x"}), vec![unwatched]);
    assert!(answer.unwrap_err().told().contains("lokid project add /code/app"));
}

fn answer_code(status: u16, code: &str, detail: &str) -> Result<Response, Away> {
    answer(status, json!({"code": code, "detail": detail}))
}

#[test]
fn what_cannot_be_meant_is_not_asked() {
    let cases = [
        ("mem_search", json!({"query": "  "}), "query: must not be empty"),
        ("mem_save", json!({}), "text: is required, unless a `fact` is given"),
        ("mem_cite", json!({}), "cited: give `cited`, `ignored`, `text` or `outcome`"),
        ("mem_get", json!({}), "ids: is required: ids of memories, as a search gives them"),
        ("mem_forget", json!({}), "id: give exactly one of `id`, `query` and `key`"),
        ("mem_forget", json!({"id": "a", "key": "b"}), "id: give exactly one of `id`, `query` and `key`"),
        ("mem_redact", json!({"id": "a", "replacement": "b"}), "replacement: goes with `find`: what it replaces"),
        ("mem_resolve", json!({"id": "a"}), "resolution: is required"),
        ("memory", json!({"command": "view", "path": "/etc"}), "path: must begin with /memories"),
        (
            "memory",
            json!({"command": "delete", "path": "/memories"}),
            "path: the /memories directory itself cannot be deleted",
        ),
        (
            "memory",
            json!({"command": "rename", "path": "/memories/a"}),
            "path: does not go with rename: give `old_path` and `new_path`",
        ),
        ("memory", json!({"command": "insert", "path": "/memories/a"}), "insert_line: is required by this command"),
    ];
    for (tool, given, expect) in cases {
        let (answer, asked) = called(tool, given.clone(), Vec::new());
        assert_eq!(answer.unwrap_err().told(), expect, "{tool} {given}");
        assert!(asked.is_empty(), "{tool} {given}");
    }
}

#[test]
fn forgetting_by_words_is_only_told_unless_it_is_meant() {
    let gone = json!({"dry_run": true, "purge": false, "forgotten": [], "count": 0});
    let (_, asked) = called("mem_forget", json!({"query": "x"}), vec![answer(200, gone.clone())]);
    assert_eq!((&asked[0].1["dry_run"], asked[0].2), (&json!(true), Need::Write));
    let (_, asked) = called("mem_redact", json!({"query": "x"}), vec![answer(200, gone)]);
    assert_eq!((&asked[0].1["dry_run"], &asked[0].1["purge"]), (&json!(true), &json!(true)));
}

#[test]
fn a_pattern_is_only_told_what_it_matches_unless_it_is_meant() {
    let found = json!({"dry_run": true, "memories": 2, "archived": 1, "derived": 0, "documents": 1, "history": 4,
        "places": 9, "redacted": [{"id": "note-1", "kind": "note", "title": "x", "places": 9}]});
    let given = json!({"pattern": "x+", "scope": "all"});
    let page = |next: Value| json!({"matched": 2, "redacted": 0, "versions": 5, "next_page": next});
    let pages = [page("p-2".into()), page(Value::Null)].map(|page| answer(200, page));
    let answers = [answer(200, found)].into_iter().chain(pages).collect();
    let (told, asked) = called("loki_memory_redact", given, answers);
    assert_eq!((asked.len(), &asked[2].1["page"], &told.as_ref().unwrap()["versions"]), (3, &json!("p-2"), &json!(4)));
    assert_eq!(asked[0].0, "POST /v1/memories/redact");
    assert_eq!((&asked[0].1["dry_run"], &asked[0].1["pattern"]), (&json!(true), &json!("x+")));
    let told = told.unwrap();
    assert_eq!((&told["count"], &told["history"], &told["documents"]), (&json!(3), &json!(4), &json!(1)));
}

#[test]
fn a_redacted_memory_leaves_a_clean_copy_before_it_goes() {
    let record = json!({"id": "note-1", "kind": "note", "text": "key 1234 here", "source": "user"});
    let answers = vec![answer(200, record), answer(201, json!({"id": "note-2"})), answer(200, json!({}))];
    let (told, asked) = called("mem_redact", json!({"id": "note-1", "find": "1234"}), answers);
    assert_eq!((&told.unwrap()["replaced_by"], &asked[1].1["text"]), (&json!("note-2"), &json!("key [redacted] here")));
    assert!(asked[2].0.starts_with("DELETE /v1/memories/note-1?") && asked[2].0.contains("purge=true"), "{asked:?}");
}

#[test]
fn a_file_is_found_by_its_tag_and_changed_only_as_it_was_seen() {
    let page = json!({"items": [{"id": "note-9", "tags": ["path:/memories/a.md"]}], "next_cursor": null});
    let record = json!({"id": "note-9", "text": "one\ntwo\n", "tags": ["path:/memories/a.md"]});
    let seen = Response {
        status: 200,
        headers: vec![("etag".to_owned(), "\"7\"".to_owned())],
        body: record.to_string().into_bytes(),
    };
    let stale = answer_code(412, "precondition_failed", "stale");
    let given = json!({"command": "str_replace", "path": "/memories/a.md", "old_str": "two", "new_str": "2"});
    let (told, asked) = called("memory", given, vec![answer(200, page), Ok(seen), stale]);
    assert!(asked[2].0.starts_with("PATCH /v1/memories/note-9"));
    assert_eq!(asked[2].1["text"], "one\n2\n");
    assert!(told.unwrap_err().told().contains("changed meanwhile"));
}
