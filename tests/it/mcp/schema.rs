//! As much of JSON Schema as the tools use, to hold their answers against their promises.

use serde_json::Value;

#[track_caller]
pub(super) fn check(schema: &Value, value: &Value, path: &str) {
    let right = match schema["type"].as_str().unwrap_or_default() {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{path}: a type {other:?}"),
    };
    assert!(right, "{path}: {value} is no {}", schema["type"]);
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(value.get(name.as_str().unwrap()).is_some(), "{path}: {name} is missing in {value}");
    }
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(value) = value.get(name) {
            check(inner, value, &format!("{path}.{name}"));
        }
    }
    if let (Some(inner), Some(list)) = (schema.get("items"), value.as_array()) {
        list.iter().for_each(|value| check(inner, value, &format!("{path}[]")));
    }
}
