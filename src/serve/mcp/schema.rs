//! What tools answer with, as schemas: plain types alone, since not every client understands more. A value that may be
//! missing is left out, never `null`.

use serde_json::{Map, Value, json};

/// The schema of answers that look like this example. Names that end in `?` may be missing; an empty object is something
/// of the API's that is handed on as it is.
pub(super) fn like(example: &Value) -> Value {
    match example {
        Value::Null => json!({}),
        Value::Bool(_) => json!({"type": "boolean"}),
        Value::Number(number) => json!({"type": if number.is_f64() { "number" } else { "integer" }}),
        Value::String(_) => json!({"type": "string"}),
        Value::Array(items) => json!({"type": "array", "items": items.first().map(like)}),
        Value::Object(fields) if fields.is_empty() => json!({"type": "object", "additionalProperties": true}),
        Value::Object(fields) => {
            let schemas = fields.iter().map(|(name, of)| (name.trim_end_matches('?').to_owned(), like(of)));
            let mut schema = json!({"type": "object", "properties": schemas.collect::<Map<_, _>>()});
            let required: Vec<&String> = fields.keys().filter(|name| !name.ends_with('?')).collect();
            if !required.is_empty() {
                schema["required"] = json!(required);
            }
            schema
        }
    }
}

/// An answer that holds words of memories, between the marks that tell them as such.
pub(super) fn recalled(fields: Value) -> Value {
    let mut all = json!({"recalled": "", "note": ""});
    for (name, value) in fields.as_object().into_iter().flatten().chain([(&"end".to_owned(), &json!(""))]) {
        all[name] = value.clone();
    }
    all
}

/// One memory in a list.
pub(super) fn found() -> Value {
    json!({
        "id": "", "cite": "", "kind": "", "tier": "", "title?": "", "text": "", "score?": 0.5, "files?": [""],
        "created_at": "", "invalid_at?": "", "outcome?": "",
    })
}
