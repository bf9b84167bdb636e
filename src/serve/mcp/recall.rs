//! Reading tools: search, timeline, single memories and an assembled context. They change nothing.

use serde_json::{Value, json};

use super::fields::{Arguments, Object};
use super::quote::{self, Piece};
use super::session::{McpAnswer, Refusal, Session, memory_path};
use crate::serve::message::Request;
use lokid_model::token;

pub(super) const USUAL_RESULTS: usize = 8;
pub(super) const USUAL_ENTRIES: usize = 20;
/// Tokens, unless told.
pub(super) const USUAL_LIST: usize = 4_000;
pub(super) const USUAL_TEXT: usize = 8_000;
pub(super) const USUAL_CONTEXT: usize = 2_000;
pub(super) const MOST_IDS: usize = 20;
/// How far around a memory its neighbours in time are looked for.
const NEIGHBOURS: &str = "500";

const HOUR: i64 = 3_600_000_000;

/// What Loki Mode calls its collections.
pub(super) const COLLECTIONS: &[&str] = &["all", "episodes", "patterns", "skills"];

pub(super) fn search(session: &Session, asked: &Arguments) -> McpAnswer {
    asked.said("query")?;
    let level = asked.text("level").unwrap_or("summary");
    let mut body = asked.only(&["query", "kinds", "tiers", "files", "task_type", "as_of", "include", "namespace"]);
    body.insert("k".to_owned(), asked.size("k", USUAL_RESULTS).into());
    body.insert("level".to_owned(), level.into());
    body.insert("session_id".to_owned(), asked.text("session_id").unwrap_or(&session.id).into());
    let collection: &[&str] = match asked.text("collection") {
        Some("episodes") => &["episode"],
        Some("patterns") => &["pattern", "anti_pattern", "code_pattern"],
        Some("skills") => &["skill", "workflow"],
        _ => &[],
    };
    if !collection.is_empty() {
        body.entry("kinds").or_insert_with(|| json!(collection));
    }
    let answer = session.read(&session.post("/recall", body))?;
    let all = answer.get("results").and_then(Value::as_array).cloned().unwrap_or_default();
    let results = all.iter().map(|one| quote::found(one, level, asked.text("namespace"))).collect();
    let (results, more) = quote::within(results, asked.size("budget", USUAL_LIST));
    let mut told = json!({"results": results, "more": more, "task_type": answer["task_type"]});
    if let Some(waiting) = answer.get("waiting").filter(|waiting| waiting.is_u64()) {
        told["waiting"] = waiting.clone();
    }
    Ok(quote::recalled(told))
}

pub(super) fn timeline(session: &Session, asked: &Arguments) -> McpAnswer {
    let most = asked.size("limit", USUAL_ENTRIES);
    let entries = match asked.text("around_id").filter(|id| !id.trim().is_empty()) {
        Some(id) => around(session, asked, id, most)?,
        None => {
            let hours = asked.whole("since_hours");
            let since = hours.map(|hours| session.now().plus_micros(-hours.saturating_mul(HOUR)).to_string());
            let since = asked.text("since").map(str::to_owned).or(since);
            let mut request = listing(session, asked).query("limit", &most.to_string());
            for (name, value) in [("since", since.as_deref()), ("until", asked.text("until"))] {
                request = value.into_iter().fold(request, |request, value| request.query(name, value));
            }
            items(&session.read(&request)?)
        }
    };
    let entries = entries.iter().map(|one| quote::found(one, "summary", None)).collect();
    let (entries, more) = quote::within(entries, asked.size("budget", USUAL_LIST));
    Ok(quote::recalled(json!({"entries": entries, "more": more})))
}

fn listing(session: &Session, asked: &Arguments) -> Request {
    let request = session.get("/memories");
    let kinds = asked.texts("kinds").join(",");
    let request = if kinds.is_empty() { request } else { request.query("kind", &kinds) };
    asked.text("namespace").into_iter().fold(request, |request, name| request.query("namespace", name))
}

/// What was learnt before and after a memory, newest first, itself in the middle.
fn around(session: &Session, asked: &Arguments, id: &str, most: usize) -> Result<Vec<Value>, Refusal> {
    let whole = session.get(&memory_path(id)).query("level", "summary").query("counted", "false");
    let whole = asked.text("namespace").into_iter().fold(whole, |request, name| request.query("namespace", name));
    let middle = session.read(&whole)?;
    let at = middle.get("created_at").and_then(Value::as_str).unwrap_or_default();
    let half = (most.saturating_sub(1)).div_ceil(2).max(1).to_string();
    let mut before = items(&session.read(&listing(session, asked).query("until", at).query("limit", &half))?);
    let after = items(&session.read(&listing(session, asked).query("since", at).query("limit", NEIGHBOURS))?);
    let nearest = after.len().saturating_sub(most.saturating_sub(before.len()).max(1));
    let mut entries: Vec<Value> = after.into_iter().skip(nearest).collect();
    if !entries.iter().any(|entry| entry["id"] == middle["id"]) {
        entries.push(middle);
    }
    entries.append(&mut before);
    Ok(entries)
}

pub(super) fn items(answer: &Value) -> Vec<Value> {
    answer.get("items").and_then(Value::as_array).cloned().unwrap_or_default()
}

/// Fields of a record that only repeat what stands elsewhere, or that no agent needs.
const INTERNAL: &[&str] = &["usage", "sources", "updated_at", "symbols", "commits", "expired_at", "actor", "shorter"];
const BODIES: &[&str] = &["fact", "episode", "pattern", "anti_pattern", "skill", "learning"];

pub(super) fn get(session: &Session, asked: &Arguments) -> McpAnswer {
    let mut ids = asked.texts("ids");
    ids.extend(asked.text("id").filter(|id| !ids.contains(id)).into_iter().collect::<Vec<_>>());
    if ids.is_empty() {
        return Err(Refusal::argument("ids", "is required: ids of memories, as a search gives them"));
    }
    if ids.len() > MOST_IDS {
        return Err(Refusal::argument("ids", format!("{} were given; {MOST_IDS} are the most", ids.len())));
    }
    let budget = asked.size("budget", USUAL_TEXT) / ids.len();
    let offset = asked.size("offset", 0);
    let (mut memories, mut missing) = (Vec::new(), Vec::new());
    for id in ids {
        let mut request = session.get(&memory_path(id));
        request = request.query("session_id", asked.text("session_id").unwrap_or(&session.id));
        for name in ["namespace", "as_of"] {
            request = asked.text(name).into_iter().fold(request, |request, value| request.query(name, value));
        }
        match session.read(&request) {
            Ok(record) => memories.push(shown(record, offset, budget.max(100))),
            Err(Refusal::Absent(why)) => missing.push(json!({"id": id, "why": why})),
            Err(refusal) => return Err(refusal),
        }
    }
    if memories.is_empty() {
        let why: Vec<String> = missing.iter().map(|one| one["why"].as_str().unwrap_or_default().to_owned()).collect();
        return Err(Refusal::no(why.join("; ")));
    }
    Ok(quote::recalled(json!({"memories": memories, "missing": missing})))
}

/// The record with as much of its text as fits, and where to go on.
fn shown(record: Value, offset: usize, budget: usize) -> Value {
    let cite = quote::cite(&record);
    let Value::Object(mut record) = record else { return record };
    record.retain(|name, value| !(INTERNAL.contains(&name.as_str()) || value.is_null() || is_empty(value)));
    let text = record.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
    let piece = Piece::of(&text, offset, budget);
    if piece.next.is_some() || offset > 0 {
        record.insert("characters".to_owned(), text.chars().count().into());
        record.insert("text".to_owned(), piece.text.into());
    }
    if let Some(next) = piece.next {
        record.insert("next_offset".to_owned(), next.into());
    }
    if token::estimate(&Value::Object(record.clone()).to_string()) > budget.saturating_mul(2).max(1_000) {
        let left: Vec<&str> = BODIES.iter().copied().filter(|name| record.shift_remove(*name).is_some()).collect();
        if !left.is_empty() {
            record.insert("left_out".to_owned(), left.into());
        }
    }
    let mut out = Object::new();
    out.insert("id".to_owned(), record.get("id").cloned().unwrap_or_default());
    out.insert("cite".to_owned(), cite.unwrap_or_default().into());
    out.extend(record);
    Value::Object(out)
}

fn is_empty(value: &Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty) || value.as_str().is_some_and(str::is_empty)
}

pub(super) fn context(session: &Session, asked: &Arguments) -> McpAnswer {
    let mut signals = asked.only(&["current_file", "goal", "branch", "activity"]);
    if let Some(errors) = asked.get("errors") {
        signals.insert("recent_errors".to_owned(), errors.clone());
    }
    // A session nobody named has seen nothing happen; the working tree has.
    let mut body = asked.only(&["namespace", "as_of", "session_id"]);
    body.insert("budget".to_owned(), asked.size("budget", USUAL_CONTEXT).into());
    body.insert("signals".to_owned(), signals.into());
    let answer = session.read(&session.post("/context/assemble", body))?;
    // It comes between its marks already.
    let mut told = Object::new();
    for name in ["context", "token_count", "tiers", "items"] {
        told.insert(name.to_owned(), answer.get(name).cloned().unwrap_or_default());
    }
    Ok(Value::Object(told))
}
