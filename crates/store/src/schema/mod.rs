//! How memories look on disk: the only place that knows the names and shapes of fields in files.
//!
//! Every file has a `read`, which takes whatever stands there and keeps what it does not understand, and a `view`,
//! which says how lokid would write the same memory. Files are changed by carrying the difference between two views
//! over to the raw text, so fields nobody here knows survive.

mod attributes;
mod body;
pub(crate) mod fields;
pub mod lists;
mod loki;
mod ours;
pub mod record;
pub mod skill_text;

pub use attributes::Detail;
pub use attributes::usage_object;
pub(crate) use fields::Object;

use std::sync::Arc;

use lokid_model::{Link, Memory, Namespace, Timestamp};

/// The kinds of file a memory can stand in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shape {
    Episode,
    Patterns,
    AntiPatterns,
    Facts,
    Skill,
    Learnings,
    /// Lines of whole records.
    Notes,
}

/// A memory as found in a file, with the links written inside it.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) memory: Arc<Memory>,
    pub(crate) links: Vec<Link>,
}

/// What a file's place says about the memories in it, for what they do not say themselves.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) namespace: Namespace,
    /// The day of the folder, or the time of the file: used when a record has no usable time.
    pub(crate) at: Timestamp,
}

/// Reads one memory out of a file of this shape.
pub(crate) fn read(shape: Shape, object: Object, setting: &Setting) -> Result<Found, String> {
    let bare = |memory| Found { memory: Arc::new(memory), links: Vec::new() };
    match shape {
        Shape::Episode => loki::read_episode(object, setting).map(bare),
        Shape::Patterns => loki::read_pattern(object, setting),
        Shape::AntiPatterns => loki::read_anti_pattern(object, setting).map(bare),
        Shape::Skill => loki::read_skill(object, setting).map(bare),
        Shape::Facts => ours::read_fact(object, setting).map(bare),
        Shape::Learnings => ours::read_learning(object, setting).map(bare),
        Shape::Notes => ours::read_note(object, setting).map(bare),
    }
}

/// Reads a record out of a line of `notes/`: the shape there may be a hundred thousand of.
pub(crate) fn read_note_line(line: fields::Line<'_>, setting: &Setting) -> Result<Found, String> {
    ours::read_note_line(line, setting).map(|memory| Found { memory: Arc::new(memory), links: Vec::new() })
}

/// How lokid would write this memory into a file of this shape.
pub(crate) fn view(shape: Shape, memory: &Memory) -> Object {
    match shape {
        Shape::Episode => loki::view_episode(memory),
        Shape::Patterns => loki::view_pattern(memory),
        Shape::AntiPatterns => loki::view_anti_pattern(memory),
        Shape::Skill => loki::view_skill(memory),
        Shape::Facts => ours::view_fact(memory),
        Shape::Learnings => ours::view_learning(memory),
        Shape::Notes => record::write(memory, Detail::Lean),
    }
}

/// What Loki Mode drops from a pattern when it merges, and the sidecar therefore keeps.
pub(crate) fn sidecar(memory: &Memory) -> Option<Object> {
    loki::own_attributes(memory, loki::PATTERN_NATIVE)
}

/// Gives a pattern back what the sidecar kept, when its file has lost it.
pub(crate) fn restore_from_sidecar(object: &mut Object, kept: &Object) {
    if !object.contains_key(loki::OWN) {
        object.insert(loki::OWN.to_owned(), serde_json::Value::Object(kept.clone()));
    }
}

/// The id of an entry of a list: its own, or one made of its words, so that the same entry is always the same memory.
pub(crate) fn entry_id(shape: Shape, object: &Object) -> Option<String> {
    fields::peek_text(object, "id").or_else(|| {
        let (prefix, words) = body::identity(shape, object)?;
        Some(format!("{prefix}-{}", &blake3::hash(words.as_bytes()).to_hex()[..12]))
    })
}

/// The same, and that it was made here.
pub(crate) fn signed(mut document: Object) -> Object {
    document.entry(loki::MADE_BY).or_insert_with(|| loki::OWN.into());
    document
}

pub(crate) fn unsigned(mut document: Object) -> Object {
    if document.get(loki::MADE_BY).is_some_and(|maker| maker == loki::OWN) {
        document.shift_remove(loki::MADE_BY);
    }
    document
}

/// Was this record, in a file that Loki Mode writes too, made by lokid? One that lokid only changed was not.
pub(crate) fn made_here(object: &serde_json::Value) -> bool {
    object.get(loki::MADE_BY).is_some_and(|maker| maker == loki::OWN)
}

/// A memory that stands alone in a document of JSON, as lokid or as Loki Mode writes one of that kind. `at` is when it was
/// last changed, should it not say.
pub fn read_alone(kind: lokid_model::Kind, object: Object, at: Timestamp) -> Result<Memory, String> {
    use lokid_model::Kind;
    let of_kind = |memory: Memory| if memory.kind == kind { Ok(memory) } else { Err("of another kind".to_owned()) };
    if object.get("kind").and_then(serde_json::Value::as_str).and_then(Kind::parse).is_some() {
        return record::read(object).and_then(of_kind);
    }
    let shape = match kind {
        Kind::Episode => Shape::Episode,
        Kind::Pattern => Shape::Patterns,
        Kind::AntiPattern => Shape::AntiPatterns,
        Kind::Skill => Shape::Skill,
        _ => return Err("of a kind that does not stand alone".to_owned()),
    };
    let found = read(shape, object, &Setting { namespace: Namespace::default(), at })?;
    of_kind(Arc::unwrap_or_clone(found.memory))
}

/// Reads a structured body of a record, leaving in the object what it did not understand.
pub fn take_body(field: &str, object: &mut Object) -> lokid_model::Body {
    body::take(field, object)
}

/// A structured body as a record has it.
pub(crate) fn body_value(body: &lokid_model::Body) -> serde_json::Value {
    serde_json::Value::Object(body::put_body(body))
}

#[cfg(test)]
mod tests;
