//! Notes of the night that stand beside a record's own fields, because the next night must know them. Each is one
//! object under one name; whatever else stands there is left as it is.

use serde_json::{Map, Value};

use lokid_model::{Memory, Tier, Timestamp, Usage};

/// The last change of tier: `at`, `from`, `to` and the counts at that time. Without `from`, another hand did it.
pub(super) const MOVED: &str = "tier_moved";

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

/// Another tier, with a note of when and from where.
pub(super) fn shift(memory: &mut Memory, to: Tier, usage: &Usage, now: Timestamp) {
    let mut mark = Mark::new();
    mark.insert("at".to_owned(), now.record_style().into());
    mark.insert("from".to_owned(), memory.tier.as_str().into());
    mark.insert("to".to_owned(), to.as_str().into());
    mark.insert("referenced".to_owned(), usage.referenced.into());
    mark.insert("ignored".to_owned(), usage.ignored.into());
    memory.lower_to(to);
    put(memory, MOVED, mark);
}

/// How long ago, in microseconds; less than nothing for what is still to come.
pub(super) fn since(then: Timestamp, now: Timestamp) -> i64 {
    now.as_micros().saturating_sub(then.as_micros())
}
