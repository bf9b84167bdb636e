//! Taking fields out of a JSON object that anybody may have written.
//!
//! Each `take_*` removes the field when it is of a usable type and leaves it alone otherwise, so that what remains in
//! the object afterwards is exactly what lokid did not understand.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};

use lokid_model::Timestamp;

pub(crate) type Object = Map<String, Value>;

/// Something fields can be taken out of.
pub(crate) trait Fields {
    fn peek(&self, name: &str) -> Option<&Value>;
    fn pull(&mut self, name: &str) -> Option<Value>;
    fn put_back(&mut self, name: &str, value: Value);
}

impl Fields for Object {
    fn peek(&self, name: &str) -> Option<&Value> {
        self.get(name)
    }

    fn pull(&mut self, name: &str) -> Option<Value> {
        self.shift_remove(name)
    }

    fn put_back(&mut self, name: &str, value: Value) {
        self.insert(name.to_owned(), value);
    }
}

/// The fields of an object in their written order, also those that stand there twice.
#[derive(Debug)]
pub(crate) struct Pairs<K, V>(pub(crate) Vec<(K, V)>);

/// An object as a line of text holds it. Records have a dozen fields and are read by the hundred thousand: names stay
/// in the line, and finding one by looking is quicker than any table.
pub(crate) type Line<'a> = Pairs<Name<'a>, Value>;

impl<V> Pairs<Name<'_>, V> {
    /// Of a name that is there twice the last counts, as for every other reader of JSON.
    pub(crate) fn get(&self, name: &str) -> Option<&V> {
        self.0.iter().rev().find(|(known, _)| known.0 == name).map(|(_, value)| value)
    }
}

impl Fields for Line<'_> {
    fn peek(&self, name: &str) -> Option<&Value> {
        self.get(name)
    }

    fn pull(&mut self, name: &str) -> Option<Value> {
        let at = self.0.iter().rposition(|(known, _)| known.0 == name)?;
        let (_, value) = self.0.remove(at);
        self.0.retain(|(known, _)| known.0 != name);
        Some(value)
    }

    fn put_back(&mut self, name: &str, value: Value) {
        self.0.push((Name(Cow::Owned(name.to_owned())), value));
    }
}

impl Line<'_> {
    pub(crate) fn into_object(self) -> Object {
        self.0.into_iter().map(|(name, value)| (name.0.into_owned(), value)).collect()
    }
}

impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de> for Pairs<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each<K, V>(PhantomData<(K, V)>);
        impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for Each<K, V> {
            type Value = Pairs<K, V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<K, V>, A::Error> {
                let mut pairs = Vec::with_capacity(16);
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Each(PhantomData))
    }
}

/// A name that is borrowed from the text where it has no escapes.
#[derive(Debug)]
pub(crate) struct Name<'a>(pub(crate) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Word;
        impl<'de> Visitor<'de> for Word {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Borrowed(name)))
            }

            fn visit_str<E>(self, name: &str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Owned(name.to_owned())))
            }
        }
        deserializer.deserialize_str(Word)
    }
}

/// A string; numbers and booleans count as their spelling, null as nothing.
pub(crate) fn take_text(object: &mut impl Fields, name: &str) -> Option<String> {
    if matches!(object.peek(name)?, Value::Array(_) | Value::Object(_)) {
        return None;
    }
    match object.pull(name)? {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// The same, left where it is.
pub(crate) fn peek_text(object: &Object, name: &str) -> Option<String> {
    match object.get(name)? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// The first of several names a field goes by.
pub(crate) fn take_any(object: &mut impl Fields, names: &[&str]) -> String {
    let mut found = String::new();
    for name in names {
        if found.is_empty() {
            found = take_text(object, name).unwrap_or_default();
        }
    }
    found
}

/// A list of strings; a single string counts as a list of one. A list with anything but scalars in it is not ours.
pub(crate) fn take_texts(object: &mut impl Fields, name: &str) -> Option<Vec<String>> {
    let usable = match object.peek(name)? {
        Value::Array(items) => items.iter().all(|item| item.is_string() || item.is_number()),
        value => value.is_string() || value.is_null(),
    };
    if !usable {
        return None;
    }
    let text = |item: Value| match item {
        Value::String(text) => text,
        other => other.to_string(),
    };
    Some(match object.pull(name)? {
        Value::Array(items) => items.into_iter().map(text).collect(),
        Value::String(text) => vec![text],
        _ => Vec::new(),
    })
}

pub(crate) fn take_time(object: &mut impl Fields, name: &str) -> Option<Timestamp> {
    let time = match object.peek(name)? {
        Value::String(text) => Some(Timestamp::parse(text)?),
        Value::Null => None,
        _ => return None,
    };
    object.pull(name);
    time
}

pub(crate) fn take_number(object: &mut impl Fields, name: &str) -> Option<f64> {
    let number = object.peek(name)?.as_f64().filter(|number| number.is_finite())?;
    object.pull(name);
    Some(number)
}

/// A number between 0 and 1; others are pulled to the nearer end.
pub(crate) fn take_share(object: &mut impl Fields, name: &str) -> Option<f64> {
    take_number(object, name).map(|number| number.clamp(0.0, 1.0))
}

pub(crate) fn take_count(object: &mut impl Fields, name: &str) -> Option<u64> {
    let value = object.peek(name)?;
    let count = value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        (number >= 0.0 && number.fract() == 0.0 && number < 9e15).then_some(number as u64)
    })?;
    object.pull(name);
    Some(count)
}

pub(crate) fn take_flag(object: &mut impl Fields, name: &str) -> Option<bool> {
    let flag = object.peek(name)?.as_bool()?;
    object.pull(name);
    Some(flag)
}

pub(crate) fn take_object(object: &mut impl Fields, name: &str) -> Option<Object> {
    object.peek(name)?.as_object()?;
    match object.pull(name) {
        Some(Value::Object(inner)) => Some(inner),
        _ => None,
    }
}

/// A list of objects, or nothing when any element is something else.
pub(crate) fn take_objects(object: &mut impl Fields, name: &str) -> Option<Vec<Object>> {
    if !object.peek(name)?.as_array()?.iter().all(Value::is_object) {
        return None;
    }
    let inner = |item: Value| match item {
        Value::Object(inner) => inner,
        _ => Object::new(),
    };
    match object.pull(name)? {
        Value::Array(items) => Some(items.into_iter().map(inner).collect()),
        _ => None,
    }
}

/// One word of a closed vocabulary; an unknown word stays where it is.
pub(crate) fn take_word<T>(object: &mut impl Fields, name: &str, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
    let word = parse(object.peek(name)?.as_str()?)?;
    object.pull(name);
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
