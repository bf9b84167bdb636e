//! Tools that take memories away: forgetting, which can be undone, and redacting, which cannot.

use serde_json::{Value, json};

use super::fields::{Arguments, Object};
use super::quote;
use super::session::{McpAnswer, Refusal, Session, memory_path};
use lokid_model::Kind;

const BLACK: &str = "[redacted]";
/// Titles of what is forgotten are told up to here.
const TOLD: usize = 2_000;

pub(super) fn forget(session: &Session, asked: &Arguments) -> McpAnswer {
    let given = ["id", "query", "key"].iter().filter(|name| asked.get(name).is_some()).count();
    if given != 1 {
        return Err(Refusal::argument("id", "give exactly one of `id`, `query` and `key`"));
    }
    if asked.get("id").is_none() {
        let request = several(session, asked, false);
        return Ok(gone(session.write(&request)?));
    }
    let id = asked.said("id")?;
    if asked.flag("undo", false) {
        let request = session.post(&format!("{}/restore", memory_path(id)), asked.only(&["namespace"]));
        session.write(&request)?;
        return Ok(gone(json!({"restored": id, "count": 0})));
    }
    if asked.flag("dry_run", false) {
        let looked = one(session, asked, id)?;
        let told = json!({"id": looked["id"], "kind": looked["kind"], "title": looked["title"]});
        return Ok(gone(json!({"dry_run": true, "forgotten": [told], "count": 1})));
    }
    Ok(gone(session.write(&away(session, asked, id, false))?))
}

pub(super) fn redact(session: &Session, asked: &Arguments) -> McpAnswer {
    if asked.get("pattern").is_some() {
        return by_pattern(session, asked);
    }
    match (asked.get("id"), asked.get("query")) {
        (Some(_), None) => {}
        (None, Some(_)) if asked.get("find").is_some() => {
            return Err(Refusal::argument("find", "goes with an `id`; a `query` erases whole memories"));
        }
        (None, Some(_)) => return Ok(gone(session.write(&several(session, asked, true))?)),
        _ => return Err(Refusal::argument("id", "give an `id`, a `query` or a `pattern`")),
    }
    let id = asked.said("id")?;
    let dry_run = asked.flag("dry_run", false);
    let Some(find) = asked.text("find") else {
        if asked.get("replacement").is_some() {
            return Err(Refusal::argument("replacement", "goes with `find`: what it replaces"));
        }
        if dry_run {
            let looked = one(session, asked, id)?;
            let told = json!({"id": looked["id"], "kind": looked["kind"], "title": looked["title"]});
            return Ok(gone(json!({"dry_run": true, "purge": true, "forgotten": [told], "count": 1})));
        }
        return Ok(gone(session.write(&away(session, asked, id, true))?));
    };
    if find.trim().is_empty() {
        return Err(Refusal::argument("find", "must not be empty"));
    }
    let old = one(session, asked, id)?;
    let mut places = 0;
    let new = blacken(old, find, asked.text("replacement").unwrap_or(BLACK), &mut places);
    if places == 0 {
        return Err(Refusal::argument("find", format!("does not stand in {id}")));
    }
    if dry_run {
        return Ok(gone(json!({"dry_run": true, "places": places, "count": 0})));
    }
    // A change of the old memory could leave the words in what was made of it. So a clean copy takes its place first,
    // and then every trace of the old one is erased.
    let kept = session.write(&session.post("/memories", as_new(new)))?;
    session.write(&away(session, asked, id, true))?;
    Ok(gone(json!({"purge": true, "forgotten": [{"id": id}], "count": 1, "places": places, "replaced_by": kept["id"]})))
}

/// What would leave, and how the person has it leave: nobody confirms that in their place.
pub(super) fn promote(session: &Session, asked: &Arguments) -> McpAnswer {
    let id = asked.said("id")?;
    let request = session.get(&format!("{}/promotion", memory_path(id)));
    let namespace = asked.text("namespace").into_iter();
    let shown = session.read(&namespace.fold(request, |request, name| request.query("namespace", name)))?;
    let confirm = "nothing was written. If the person you work for wants it, they type: lokid promote";
    Ok(quote::recalled(json!({"id": shown["id"], "path": shown["path"], "content": shown["content"],
        "sha256": shown["sha256"], "call": shown["call"], "confirm": format!("{confirm} {id} --to org")})))
}

/// What matches, in all memories: first told, then done.
fn by_pattern(session: &Session, asked: &Arguments) -> McpAnswer {
    if let Some(other) = ["id", "query", "find", "replacement"].into_iter().find(|name| asked.get(name).is_some()) {
        return Err(Refusal::argument(other, "does not go with a `pattern`"));
    }
    let scope = asked.text("scope").unwrap_or("local");
    let dry_run = asked.flag("dry_run", true);
    let mut told = json!({"dry_run": dry_run, "count": 0});
    if scope != "managed" {
        let mut body = asked.only(&["pattern", "reason", "namespace"]);
        body.insert("dry_run".to_owned(), dry_run.into());
        let here = session.write(&session.post("/memories/redact", body))?;
        let count = ["memories", "archived", "derived"].iter().filter_map(|name| here[name].as_u64()).sum::<u64>();
        told = json!({"dry_run": dry_run, "count": count, "forgotten": here["redacted"], "places": here["places"],
            "documents": here["documents"], "history": here["history"]});
    }
    if scope != "local" {
        match in_store(session, asked, dry_run) {
            Ok(versions) => told["versions"] = versions.into(),
            // Loki Mode says `all` whether there is a store or not.
            Err(Refusal::No(why)) if scope == "all" && why.contains("managed memory is off") => {}
            Err(refusal) => return Err(refusal),
        }
    }
    Ok(gone(told))
}

/// How many versions in the user's store match, or were made unreadable.
fn in_store(session: &Session, asked: &Arguments, dry_run: bool) -> Result<u64, Refusal> {
    let mut body = asked.only(&["pattern"]);
    body.extend([("store".to_owned(), "user".into()), ("dry_run".to_owned(), dry_run.into())]);
    let mut versions = 0;
    loop {
        let page = session.write(&session.post("/managed/redact", body.clone()))?;
        versions += page[if dry_run { "matched" } else { "redacted" }].as_u64().unwrap_or(0);
        match page["next_page"].as_str() {
            Some(next) => body.insert("page".to_owned(), next.into()),
            None => return Ok(versions),
        };
    }
}

/// Several by what they say: first told, then done.
fn several(session: &Session, asked: &Arguments, purge: bool) -> crate::serve::message::Request {
    let mut body = asked.only(&["query", "key", "reason", "namespace"]);
    body.insert("dry_run".to_owned(), asked.flag("dry_run", true).into());
    body.insert("purge".to_owned(), purge.into());
    session.post("/memories/forget", body)
}

fn one(session: &Session, asked: &Arguments, id: &str) -> McpAnswer {
    let request = session.get(&memory_path(id)).query("counted", "false");
    session.read(&asked.text("namespace").into_iter().fold(request, |request, name| request.query("namespace", name)))
}

fn away(session: &Session, asked: &Arguments, id: &str, purge: bool) -> crate::serve::message::Request {
    let mut request = session.delete(&memory_path(id));
    for name in ["reason", "namespace"] {
        request = asked.text(name).into_iter().fold(request, |request, value| request.query(name, value));
    }
    if purge { request.query("purge", "true") } else { request }
}

fn gone(answer: Value) -> Value {
    let titles = answer.get("forgotten").and_then(Value::as_array).cloned().unwrap_or_default();
    let (titles, more) = quote::within(titles, TOLD);
    let mut told = json!({
        "dry_run": answer.get("dry_run").and_then(Value::as_bool).unwrap_or(false),
        "purge": answer.get("purge").and_then(Value::as_bool).unwrap_or(false),
        "count": answer.get("count").and_then(Value::as_u64).unwrap_or(0),
        "forgotten": titles,
        "more": more,
    });
    for name in ["restored", "places", "replaced_by", "documents", "history", "versions"] {
        if let Some(value) = answer.get(name) {
            told[name] = value.clone();
        }
    }
    quote::recalled(told)
}

/// The same with every place where it stands made unreadable.
fn blacken(value: Value, find: &str, by: &str, places: &mut usize) -> Value {
    match value {
        Value::String(text) => {
            *places += text.matches(find).count();
            text.replace(find, by).into()
        }
        Value::Array(list) => list.into_iter().map(|one| blacken(one, find, by, places)).collect(),
        Value::Object(object) => {
            let each = object.into_iter().map(|(name, value)| {
                // Names of things, times and words of closed vocabularies are no text.
                let fixed = ["id", "kind", "namespace", "tier", "scope", "source", "status", "outcome"];
                let kept = fixed.contains(&name.as_str()) || name.ends_with("_at");
                let value = if kept { value } else { blacken(value, find, by, places) };
                (name, value)
            });
            Value::Object(each.collect())
        }
        other => other,
    }
}

/// A record as it is saved anew: with its own times, and a name of its own.
fn as_new(record: Value) -> Object {
    let Value::Object(mut record) = record else { return Object::new() };
    let prefix = record.get("kind").and_then(Value::as_str).and_then(Kind::parse).map_or("note", Kind::id_prefix);
    let id = format!("{prefix}-{}", lokid_sys::process::random_hex(6));
    record.insert("id".to_owned(), id.into());
    record.retain(|name, value| !value.is_null() && name != "superseded_by" && name != "usage");
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_blackened_and_names_stay() {
        let record = json!({"id": "hunter2", "text": "pw hunter2, hunter2", "title": "hunter2", "tags": ["hunter2"],
            "learning": {"error": "hunter2", "fix": "x"}, "created_at": "2026"});
        let mut places = 0;
        let clean = blacken(record, "hunter2", BLACK, &mut places);
        assert_eq!((places, clean.to_string().matches("hunter2").count()), (5, 1));
        assert_eq!(clean["text"], "pw [redacted], [redacted]");
    }

    #[test]
    fn a_clean_copy_gets_a_name_of_its_own() {
        let new = as_new(json!({"id": "dec-1", "kind": "decision", "text": "x", "invalid_at": null}));
        let id = new["id"].as_str().unwrap();
        assert!(id.starts_with("dec-") && id != "dec-1" && !new.contains_key("invalid_at"), "{new:?}");
    }
}
