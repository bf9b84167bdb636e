//! The tool that tells why something is as it is: commits and memories, quoted.

use serde_json::{Value, json};

use super::fields::{Arguments, Object};
use super::quote;
use super::schema::{found, recalled};
use super::session::{McpAnswer, Session};

pub(super) fn why(session: &Session, asked: &Arguments) -> McpAnswer {
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
    let told = json!({
        "id": "", "date": "", "author": "", "kind": "", "subject": "", "reason": "", "files": [""], "why": "",
    });
    let mut blamed = json!({"lines": [[0]], "path?": ""});
    for (name, value) in told.as_object().into_iter().flatten() {
        blamed[name] = value.clone();
    }
    recalled(json!({
        "file": "", "earlier_names?": [""], "symbol?": "", "lines?": [0], "blame": [blamed], "explained_by": [told],
        "broke_before": [told], "memories": [found()], "missing?": "",
    }))
}
