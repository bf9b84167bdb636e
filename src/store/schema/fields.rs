//! Taking fields out of a JSON object that anybody may have written.
//!
//! Each `take_*` removes the field when it is of a usable type and leaves it alone otherwise, so that what remains in
//! the object afterwards is exactly what lokid did not understand.

use serde_json::{Map, Value};

use crate::model::Timestamp;

pub(crate) type Object = Map<String, Value>;

/// A string; numbers and booleans count as their spelling, null as nothing.
pub(crate) fn take_text(object: &mut Object, name: &str) -> Option<String> {
    match object.get(name)? {
        Value::String(_) => match object.shift_remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        },
        Value::Number(number) => {
            let text = number.to_string();
            object.shift_remove(name);
            Some(text)
        }
        Value::Bool(flag) => {
            let text = flag.to_string();
            object.shift_remove(name);
            Some(text)
        }
        Value::Null => {
            object.shift_remove(name);
            None
        }
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// The first of several names a field goes by.
pub(crate) fn take_any(object: &mut Object, names: &[&str]) -> String {
    let mut found = String::new();
    for name in names {
        if found.is_empty() {
            found = take_text(object, name).unwrap_or_default();
        }
    }
    found
}

/// A list of strings; a single string counts as a list of one. A list with anything but scalars in it is not ours.
pub(crate) fn take_texts(object: &mut Object, name: &str) -> Option<Vec<String>> {
    let scalar = |item: &Value| match item {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let texts = match object.get(name)? {
        Value::Array(items) => items.iter().map(scalar).collect::<Option<Vec<_>>>()?,
        Value::String(text) => vec![text.clone()],
        Value::Null => Vec::new(),
        _ => return None,
    };
    object.shift_remove(name);
    Some(texts)
}

pub(crate) fn take_time(object: &mut Object, name: &str) -> Option<Timestamp> {
    let time = match object.get(name)? {
        Value::String(text) => Timestamp::parse(text)?,
        Value::Null => {
            object.shift_remove(name);
            return None;
        }
        _ => return None,
    };
    object.shift_remove(name);
    Some(time)
}

pub(crate) fn take_number(object: &mut Object, name: &str) -> Option<f64> {
    let number = object.get(name)?.as_f64().filter(|number| number.is_finite())?;
    object.shift_remove(name);
    Some(number)
}

/// A number between 0 and 1; others are pulled to the nearer end.
pub(crate) fn take_share(object: &mut Object, name: &str) -> Option<f64> {
    take_number(object, name).map(|number| number.clamp(0.0, 1.0))
}

pub(crate) fn take_count(object: &mut Object, name: &str) -> Option<u64> {
    let value = object.get(name)?;
    let count = value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        (number >= 0.0 && number.fract() == 0.0 && number < 9e15).then_some(number as u64)
    })?;
    object.shift_remove(name);
    Some(count)
}

pub(crate) fn take_flag(object: &mut Object, name: &str) -> Option<bool> {
    let flag = object.get(name)?.as_bool()?;
    object.shift_remove(name);
    Some(flag)
}

pub(crate) fn take_object(object: &mut Object, name: &str) -> Option<Object> {
    object.get(name)?.as_object()?;
    match object.shift_remove(name) {
        Some(Value::Object(inner)) => Some(inner),
        _ => None,
    }
}

/// A list of objects, or nothing when any element is something else.
pub(crate) fn take_objects(object: &mut Object, name: &str) -> Option<Vec<Object>> {
    if !object.get(name)?.as_array()?.iter().all(Value::is_object) {
        return None;
    }
    match object.shift_remove(name) {
        Some(Value::Array(items)) => Some(
            items
                .into_iter()
                .filter_map(|item| match item {
                    Value::Object(inner) => Some(inner),
                    _ => None,
                })
                .collect(),
        ),
        _ => None,
    }
}

/// One word of a closed vocabulary; an unknown word stays where it is.
pub(crate) fn take_word<T>(object: &mut Object, name: &str, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
    let word = parse(object.get(name)?.as_str()?)?;
    object.shift_remove(name);
    Some(word)
}

pub(crate) fn put_text(object: &mut Object, name: &str, text: &str) {
    object.insert(name.to_owned(), Value::String(text.to_owned()));
}

pub(crate) fn put_texts(object: &mut Object, name: &str, texts: &[String]) {
    object.insert(name.to_owned(), Value::Array(texts.iter().map(|text| Value::String(text.clone())).collect()));
}

pub(crate) fn put(object: &mut Object, name: &str, value: impl Into<Value>) {
    object.insert(name.to_owned(), value.into());
}
