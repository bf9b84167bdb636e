//! Looking into JSON that anybody may have written: a field under one of its names, a time in one of its spellings.

use serde_json::{Map, Value};

use crate::excerpt::one_line;
use lokid_model::Timestamp;

/// A queue of thousands of tasks has a few megabytes; beyond this nobody meant us to read it.
const MOST_BYTES: usize = 16 << 20;
const MOST_TEXT: usize = 1_000;

pub(super) fn parse(text: &str) -> Option<Value> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() || text.len() > MOST_BYTES {
        return None;
    }
    serde_json::from_str(text).ok()
}

pub(super) fn object(text: &str) -> Option<Map<String, Value>> {
    match parse(text)? {
        Value::Object(map) => Some(map),
        _ => None,
    }
}

/// The first of these fields that says something, in one line. Numbers count as text; objects do not.
pub(super) fn text(map: &Map<String, Value>, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| match map.get(*name)? {
        Value::String(text) => Some(one_line(text, MOST_TEXT)).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

pub(super) fn number(map: &Map<String, Value>, names: &[&str]) -> Option<i64> {
    names.iter().find_map(|name| match map.get(*name)? {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    })
}

/// A time as RFC 3339, or in seconds or milliseconds since 1970.
pub(super) fn time(map: &Map<String, Value>, names: &[&str]) -> Option<Timestamp> {
    names.iter().find_map(|name| match map.get(*name)? {
        Value::String(text) => Timestamp::parse(text),
        Value::Number(number) => {
            let number = number.as_f64().filter(|number| *number > 0.0)?;
            // Seconds stay below this for three thousand years.
            let seconds = if number > 1e11 { number / 1_000.0 } else { number };
            Some(Timestamp::from_micros((seconds * 1e6) as i64))
        }
        _ => None,
    })
}
