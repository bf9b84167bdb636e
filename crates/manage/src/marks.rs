//! Notes of the night that stand beside a record's own fields, because the next night must know them. Each is one
//! object under one name; whatever else stands there is left as it is.

use serde_json::{Map, Value};

use lokid_model::{Memory, Timestamp};

pub(super) type Mark = Map<String, Value>;

pub(super) fn get<'a>(memory: &'a Memory, name: &str) -> Option<&'a Mark> {
    memory.extra.as_ref()?.get(name)?.as_object()
}

pub(super) fn put(memory: &mut Memory, name: &str, mark: Mark) {
    memory.extra.get_or_insert_default().insert(name.to_owned(), Value::Object(mark));
}

pub(super) fn text<'a>(mark: &'a Mark, name: &str) -> Option<&'a str> {
    mark.get(name)?.as_str()
}

pub(super) fn time(mark: &Mark, name: &str) -> Option<Timestamp> {
    Timestamp::parse(text(mark, name)?)
}

pub(super) fn count(mark: &Mark, name: &str) -> u64 {
    mark.get(name).and_then(Value::as_u64).unwrap_or(0)
}

/// How long ago, in microseconds; less than nothing for what is still to come.
pub(super) fn since(then: Timestamp, now: Timestamp) -> i64 {
    now.as_micros().saturating_sub(then.as_micros())
}
