//! Tools that keep memory right: saving, saying what helped, contradictions and their end, and the tidying of it all.

use serde_json::{Value, json};

use super::fields::{Arguments, Object};
use super::quote;
use super::recall::items;
use super::session::{McpAnswer, Refusal, Session};
use crate::serve::message::encode;

pub(super) fn save(session: &Session, asked: &Arguments) -> McpAnswer {
    let mut record = asked.all();
    record.shift_remove("private");
    let says = asked.text("text").is_some_and(|text| !text.trim().is_empty());
    if !says && !record.contains_key("fact") {
        return Err(Refusal::argument("text", "is required, unless a `fact` is given"));
    }
    if asked.flag("private", false) {
        record.insert("scope".to_owned(), "user-private".into());
    }
    let fact = record.contains_key("fact");
    record.entry("kind").or_insert_with(|| if fact { "fact" } else { "note" }.into());
    remember(session, record)
}

/// As Loki Mode's agents tell a pattern.
pub(super) fn store_pattern(session: &Session, asked: &Arguments) -> McpAnswer {
    let pattern = asked.only(&["pattern", "category", "correct_approach", "incorrect_approach"]);
    asked.said("pattern")?;
    let mut record = asked.only(&["confidence"]);
    record.insert("kind".to_owned(), "pattern".into());
    record.insert("pattern".to_owned(), pattern.into());
    remember(session, record)
}

fn remember(session: &Session, mut record: Object) -> McpAnswer {
    record.insert("source".to_owned(), "agent".into());
    let answer = session.write(&session.post("/memories", record))?;
    let mut told = json!({"id": answer["id"], "created": answer["created"]});
    if let Some(known) = answer.get("merged_into").filter(|known| known.is_string()) {
        told["merged_into"] = known.clone();
    }
    told["contradictions"] = quote::harmless(answer.get("contradictions").cloned().unwrap_or_else(|| json!([])));
    Ok(told)
}

pub(super) fn cite(session: &Session, asked: &Arguments) -> McpAnswer {
    let mut body = asked.only(&["cited", "ignored", "text", "outcome", "namespace"]);
    if !["cited", "ignored", "text", "outcome"].iter().any(|name| body.contains_key(*name)) {
        return Err(Refusal::argument("cited", "give `cited`, `ignored`, `text` or `outcome`"));
    }
    body.insert("session_id".to_owned(), asked.text("session_id").unwrap_or(&session.id).into());
    session.write(&session.post("/usage", body))?;
    Ok(json!({"accepted": true}))
}

pub(super) fn contradictions(session: &Session, asked: &Arguments) -> McpAnswer {
    if let Some(text) = asked.text("text") {
        let mut body = asked.only(&["namespace"]);
        body.insert("text".to_owned(), text.into());
        let check = session.read(&session.post("/contradictions/check", body))?;
        return Ok(quote::recalled(json!({"items": [], "more": 0, "check": check})));
    }
    let request = session.get("/contradictions").query("status", asked.text("status").unwrap_or("open"));
    let request = asked.text("namespace").into_iter().fold(request, |request, name| request.query("namespace", name));
    let mut found = items(&session.read(&request)?);
    let most = asked.size("limit", 20);
    let hidden = found.len().saturating_sub(most);
    found.truncate(most);
    found.iter_mut().for_each(without_nulls);
    let (found, left) = quote::within(found, asked.size("budget", super::recall::USUAL_LIST));
    Ok(quote::recalled(json!({"items": found, "more": left + hidden})))
}

pub(super) fn resolve(session: &Session, asked: &Arguments) -> McpAnswer {
    let id = asked.said("id")?;
    let body = asked.only(&["resolution", "note", "namespace"]);
    let mut ended = session.write(&session.post(&format!("/contradictions/{}/resolve", encode(id)), body))?;
    without_nulls(&mut ended);
    Ok(quote::recalled(json!({"item": ended})))
}

pub(super) fn consolidate(session: &Session, asked: &Arguments) -> McpAnswer {
    let mut body = Object::new();
    body.insert("dry_run".to_owned(), asked.flag("dry_run", false).into());
    let mut done = session.write(&session.post("/consolidate", body))?;
    without_nulls(&mut done);
    if let Value::Object(done) = &mut done {
        // What was done one by one can be long; the numbers say enough, and a dry run is asked for its plan.
        done.shift_remove("done");
        if let Some(Value::Array(plan)) = done.shift_remove("plan") {
            let (plan, left) = quote::within(plan, super::recall::USUAL_LIST);
            done.insert("plan".to_owned(), plan.into());
            done.insert("more".to_owned(), left.into());
        }
    }
    Ok(quote::harmless(done))
}

fn without_nulls(value: &mut Value) {
    if let Value::Object(object) = value {
        object.retain(|_, value| !value.is_null());
    }
}
