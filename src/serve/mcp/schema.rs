//! What tools answer with, as schemas: plain types alone, since not every client understands more. A value that may be
//! missing is left out, never `null`.

use serde_json::{Value, json};

use super::fields::Object;

pub(super) fn text() -> Value {
    json!({"type": "string"})
}

pub(super) fn whole() -> Value {
    json!({"type": "integer"})
}

pub(super) fn number() -> Value {
    json!({"type": "number"})
}

pub(super) fn flag() -> Value {
    json!({"type": "boolean"})
}

pub(super) fn texts() -> Value {
    json!({"type": "array", "items": text()})
}

/// Something of the API's that is handed on as it is.
pub(super) fn open() -> Value {
    json!({"type": "object", "additionalProperties": true})
}

pub(super) fn list(of: Value) -> Value {
    json!({"type": "array", "items": of})
}

/// An object; names that end in `?` may be missing.
pub(super) fn object(fields: &[(&str, Value)]) -> Value {
    let properties: Object =
        fields.iter().map(|(name, schema)| (name.trim_end_matches('?').to_owned(), schema.clone())).collect();
    let required: Vec<&str> = fields.iter().map(|(name, _)| *name).filter(|name| !name.ends_with('?')).collect();
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    schema
}

/// An answer that holds words of memories, between the marks that tell them as such.
pub(super) fn recalled(fields: &[(&str, Value)]) -> Value {
    let mut all = vec![("recalled", text()), ("note", text())];
    all.extend(fields.iter().cloned());
    all.push(("end", text()));
    object(&all)
}

/// One memory in a list.
pub(super) fn found() -> Value {
    object(&[
        ("id", text()),
        ("cite", text()),
        ("kind", text()),
        ("tier", text()),
        ("title?", text()),
        ("text", text()),
        ("score?", number()),
        ("files?", texts()),
        ("created_at", text()),
        ("invalid_at?", text()),
        ("outcome?", text()),
    ])
}
