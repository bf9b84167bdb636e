//! JSON that is edited without being understood.
//!
//! A file another program also writes may hold fields, numbers and spellings lokid does not know. So objects are kept
//! as ordered pairs of a name and the verbatim text of its value, and only what is set anew is written anew. What is
//! written follows Python's `json.dumps(indent=2)`: that is what Loki Mode's own files look like.

use std::fmt::Write as _;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::schema::fields::Pairs;

/// An object in its written order, each value as its own text.
#[derive(Clone, Debug, Default)]
pub(super) struct RawObject {
    fields: Vec<(String, Box<RawValue>)>,
}

impl RawObject {
    pub(super) fn parse(text: &str) -> serde_json::Result<RawObject> {
        serde_json::from_str(text).map(|Pairs(fields)| RawObject { fields })
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.fields.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.get())
    }

    pub(super) fn set(&mut self, name: &str, text: String) {
        let value = RawValue::from_string(text).expect("only JSON written by this module is set");
        match self.fields.iter_mut().rev().find(|(key, _)| key == name) {
            Some((_, old)) => *old = value,
            None => self.fields.push((name.to_owned(), value)),
        }
    }

    pub(super) fn set_value(&mut self, name: &str, value: &Value, depth: usize) {
        self.set(name, pretty(value, depth + 1));
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.fields.retain(|(key, _)| key != name);
    }

    /// Carries the difference between two views of a record over to its file: what both agree on stays as it is
    /// written, and so does every field neither knows.
    pub(super) fn patch(&mut self, before: &Map<String, Value>, after: &Map<String, Value>, depth: usize) {
        for (name, new) in after {
            let old = before.get(name);
            if old == Some(new) {
                continue;
            }
            let nested = match (old, new, self.get(name).map(RawObject::parse)) {
                (Some(Value::Object(old)), Value::Object(new), Some(Ok(mut inner))) => {
                    inner.patch(old, new, depth + 1);
                    Some(inner.pretty(depth + 1))
                }
                (Some(Value::Array(old)), Value::Array(new), Some(_)) => {
                    self.get(name).and_then(|text| patched_list(text, old, new, depth + 1))
                }
                _ => None,
            };
            self.set(name, nested.unwrap_or_else(|| pretty(new, depth + 1)));
        }
        for name in before.keys().filter(|name| !after.contains_key(*name)) {
            self.remove(name);
        }
    }

    pub(super) fn pretty(&self, depth: usize) -> String {
        let mut out = String::new();
        bracket(&mut out, depth, ['{', '}'], &self.fields, |out, (name, value)| {
            write_string(out, name);
            out.push_str(": ");
            out.push_str(value.get());
        });
        out
    }
}

/// Elements that did not change keep their text; the others are written anew.
fn patched_list(text: &str, before: &[Value], after: &[Value], depth: usize) -> Option<String> {
    let raw: Vec<Box<RawValue>> = serde_json::from_str(text).ok()?;
    if raw.len() != before.len() {
        return None;
    }
    let mut used = vec![false; before.len()];
    let items: Vec<String> = after
        .iter()
        .map(|new| match (0..before.len()).find(|&at| !used[at] && before[at] == *new) {
            Some(at) => {
                used[at] = true;
                raw[at].get().to_owned()
            }
            None => pretty(new, depth + 1),
        })
        .collect();
    Some(list(&items, depth))
}

/// A JSON array of elements that are already text.
pub(super) fn list<T: AsRef<str>>(items: &[T], depth: usize) -> String {
    let mut out = String::new();
    bracket(&mut out, depth, ['[', ']'], items, |out, item| out.push_str(item.as_ref()));
    out
}

/// As `json.dumps(value, indent=2)` writes it when it stands `depth` levels deep.
pub(super) fn pretty(value: &Value, depth: usize) -> String {
    let mut out = String::new();
    write_value(&mut out, value, depth);
    out
}

fn write_value(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => write_number(out, number),
        Value::String(text) => write_string(out, text),
        Value::Array(items) => bracket(out, depth, ['[', ']'], items, |out, item| write_value(out, item, depth + 1)),
        Value::Object(map) => {
            let fields: Vec<_> = map.iter().collect();
            bracket(out, depth, ['{', '}'], &fields, |out, (name, item)| {
                write_string(out, name);
                out.push_str(": ");
                write_value(out, item, depth + 1);
            });
        }
    }
}

/// Python spells the exponent of a float with a sign and two digits.
fn write_number(out: &mut String, number: &serde_json::Number) {
    let text = number.to_string();
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let (sign, digits) = exponent.strip_prefix('-').map_or(("+", exponent), |digits| ("-", digits));
            let mantissa = mantissa.strip_suffix(".0").unwrap_or(mantissa);
            let _ = write!(out, "{mantissa}e{sign}{:0>2}", digits.trim_start_matches('+'));
        }
        None => out.push_str(&text),
    }
}

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='\u{7f}' => out.push(character),
            _ => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push('"');
}

fn bracket<T>(out: &mut String, depth: usize, ends: [char; 2], items: &[T], mut each: impl FnMut(&mut String, &T)) {
    out.push(ends[0]);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        new_line(out, depth + 1);
        each(out, item);
    }
    if !items.is_empty() {
        new_line(out, depth);
    }
    out.push(ends[1]);
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn it_writes_as_python_does() {
        let value = json!({"a": [], "b": {}, "c": [1, 2.5, 1e-7, 1e22], "d": "é \"q\" 😀\u{1}\n", "e": {"f": null}});
        let expect = "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": [\n    1,\n    2.5,\n    1e-07,\n    1e+22\n  ],\n  \"d\": \"\\u00e9 \\\"q\\\" \\ud83d\\ude00\\u0001\\n\",\n  \"e\": {\n    \"f\": null\n  }\n}";
        assert_eq!(pretty(&value, 0), expect);
    }

    #[test]
    fn an_unchanged_object_is_written_back_byte_for_byte() {
        let text = "{\n  \"n\": 12345678901234567890123,\n  \"x\": 1.10,\n  \"s\": \"\\u00e9\",\n  \"o\": {\n    \"k\": []\n  }\n}";
        assert_eq!(RawObject::parse(text).unwrap().pretty(0), text);
    }

    #[test]
    fn a_patch_touches_only_what_changed_and_keeps_what_nobody_knows() {
        let text = "{\n  \"id\": \"a\",\n  \"odd\": 1.10,\n  \"context\": {\n    \"goal\": \"old\",\n    \"mystery\": 1.0\n  },\n  \"log\": [\n    {\n      \"t\": 0,\n      \"own\": 1\n    }\n  ]\n}";
        let mut raw = RawObject::parse(text).unwrap();
        let before = json!({"id": "a", "context": {"goal": "old"}, "log": [{"t": 0}], "gone": 1});
        let after = json!({"id": "a", "context": {"goal": "new"}, "log": [{"t": 0}, {"t": 1}], "more": true});
        raw.patch(before.as_object().unwrap(), after.as_object().unwrap(), 0);
        let expect = "{\n  \"id\": \"a\",\n  \"odd\": 1.10,\n  \"context\": {\n    \"goal\": \"new\",\n    \"mystery\": 1.0\n  },\n  \"log\": [\n    {\n      \"t\": 0,\n      \"own\": 1\n    },\n    {\n      \"t\": 1\n    }\n  ],\n  \"more\": true\n}";
        assert_eq!(raw.pretty(0), expect);
    }
}
