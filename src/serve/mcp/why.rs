//! The tool that tells why something is as it is: commits and memories, quoted.

use serde_json::{Value, json};

use super::fields::{Arguments, Object};
use super::quote;
use super::schema::{found, list, object, recalled, text, texts, whole};
use super::session::{Answer, Session};

pub(super) fn why(session: &Session, asked: &Arguments) -> Answer {
    asked.said("file")?;
    let body = asked.only(&["file", "line", "end_line", "symbol", "k", "namespace"]);
    let Value::Object(answer) = session.read(&session.post("/why", body))? else { return Ok(json!({})) };
    let memories = answer.get("memories").and_then(Value::as_array).cloned().unwrap_or_default();
    let memories: Vec<Value> =
        memories.iter().map(|one| quote::found(one, "summary", asked.text("namespace"))).collect();
    let mut told: Object = answer.into_iter().filter(|(name, _)| name != "took_us").collect();
    told.insert("memories".to_owned(), memories.into());
    // The quotation has a note of its own.
    if let Some(note) = told.shift_remove("note") {
        told.insert("missing".to_owned(), note);
    }
    Ok(quote::recalled(Value::Object(told)))
}

/// What it answers with.
pub(super) fn answer() -> Value {
    let told = [
        ("id", text()),
        ("date", text()),
        ("author", text()),
        ("kind", text()),
        ("subject", text()),
        ("reason", text()),
        ("files", texts()),
        ("why", text()),
    ];
    let lines = [("lines", list(list(whole()))), ("path?", text())];
    let blamed = object(&[&lines[..], &told[..]].concat());
    recalled(&[
        ("file", text()),
        ("earlier_names?", texts()),
        ("symbol?", text()),
        ("lines?", list(whole())),
        ("blame", list(blamed)),
        ("explained_by", list(object(&told))),
        ("broke_before", list(object(&told))),
        ("memories", list(found())),
        ("missing?", text()),
    ])
}
