//! A whole memory as one JSON object: a line of `notes/`, of an export, of the journal, and the API's own answer.

use serde_json::Value;

use super::attributes::{self, Detail};
use super::body;
use super::fields::{Fields, Line, Object, put_text, take_object, take_text, take_time, take_word};
use lokid_model::draft::allowed_tier;
use lokid_model::{Body, Kind, Memory, MemoryId, Namespace, Timestamp, render};

/// Reads a record as lokid wrote it, or as a tolerant reader would take it from somebody else.
pub fn read(mut object: Object) -> Result<Memory, String> {
    let memory = take(&mut object)?;
    finish(memory, object)
}

/// The same from a line of text.
pub(super) fn read_line(mut line: Line<'_>) -> Result<Memory, String> {
    let memory = take(&mut line)?;
    finish(memory, line.into_object())
}

fn take(object: &mut impl Fields) -> Result<Memory, String> {
    let id = take_text(object, "id").ok_or("no id")?;
    let id = MemoryId::foreign(&id).ok_or("an id with control characters or too long")?;
    let kind = take_word(object, "kind", Kind::parse).ok_or("no kind that is known")?;
    let at = take_time(object, "timestamp").unwrap_or_default();
    let mut memory = Memory::new(id, kind, String::new(), at);
    if let Some(namespace) = take_text(object, "namespace") {
        memory.namespace = Namespace::new(&namespace).ok_or("a namespace that cannot be one")?;
    }
    attributes::take(object, &mut memory);
    for field in body::FIELDS {
        if let Some(mut inner) = take_object(object, field) {
            if let Some(files) = body::take_files_involved(&mut inner).filter(|_| memory.anchors.files.is_empty()) {
                memory.anchors.files = files;
            }
            memory.body = body::take(field, &mut inner);
            if !inner.is_empty() {
                object.put_back(field, Value::Object(inner));
            }
        }
    }
    Ok(memory)
}

/// What every reader does last: words for a body without any, and a place for what was not understood.
pub(super) fn finish(mut memory: Memory, rest: Object) -> Result<Memory, String> {
    if memory.text.is_empty() {
        memory.text = render::text_of(&memory.body);
    }
    if memory.title.is_empty() {
        memory.title = render::title_of(&memory.body);
    }
    // A file is only what somebody wrote: from logs and tools it is no mandate there either.
    memory.tier = allowed_tier(memory.tier, memory.source);
    memory.extra = (!rest.is_empty()).then(|| Box::new(rest));
    memory.settle();
    Ok(memory)
}

/// The record in the order a person would want to read it.
pub fn write(memory: &Memory, detail: Detail) -> Object {
    let mut out = Object::new();
    put_text(&mut out, "id", memory.id.as_str());
    put_text(&mut out, "kind", memory.kind.as_str());
    if detail == Detail::Whole || !memory.namespace.is_default() {
        put_text(&mut out, "namespace", memory.namespace.as_str());
    }
    out.extend(attributes::put_all(memory, detail));
    if let Some(field) = body::field(&memory.body) {
        out.insert(field.to_owned(), Value::Object(body::put_body(&memory.body)));
    }
    add_extra(&mut out, memory);
    out
}

/// Unknown fields go back where they came from; those of a body into the body.
pub(super) fn add_extra(out: &mut Object, memory: &Memory) {
    for (name, value) in memory.extra.iter().flat_map(|extra| extra.iter()) {
        match (out.get_mut(name), value) {
            (Some(Value::Object(known)), Value::Object(unknown)) => merge(known, unknown),
            // In a pattern's own file the body lies flat, and `pattern` is one of its words.
            (Some(_), Value::Object(unknown)) => merge(out, unknown),
            (Some(_), _) => {}
            (None, _) => {
                out.insert(name.clone(), value.clone());
            }
        }
    }
}

fn merge(known: &mut Object, unknown: &Object) {
    for (name, value) in unknown {
        match (known.get_mut(name), value) {
            (Some(Value::Object(inner)), Value::Object(more)) => merge(inner, more),
            (Some(_), _) => {}
            (None, _) => {
                known.insert(name.clone(), value.clone());
            }
        }
    }
}

/// Attributes that say something, and need not be written to be there.
const WORDS: [&str; 8] = ["title", "text", "tags", "files", "symbols", "commits", "sources", "also"];

/// The same memory, had these fields said something else. Their names are those of whichever file it stands in; what
/// nobody knows goes where unknown fields are kept.
pub fn with_fields<'a>(memory: &Memory, fields: impl Iterator<Item = (&'a str, &'a Value)>) -> Option<Memory> {
    let mut object = write(memory, Detail::Lean);
    let body = body::field(&memory.body);
    for (field, value) in fields {
        let (field, value) = as_in_body(&memory.body, field, value);
        let first = field.split('.').next().unwrap_or_default();
        let inside = body.and_then(|name| object.get(name)?.as_object());
        // A pattern's own words are in a field that is named like its body.
        let is_inner =
            inside.is_some_and(|inside| inside.contains_key(first)) && (body == Some(field) || body != Some(first));
        let is_outer = WORDS.contains(&first) || object.contains_key(first);
        match body.filter(|_| is_inner || !is_outer).and_then(|name| object.get_mut(name)) {
            Some(Value::Object(inside)) => set(inside, field, value),
            _ => set(&mut object, field, value),
        }
    }
    let changed = read(object).ok()?;
    let (usage, claim) = (memory.usage.clone(), memory.claim);
    Some(Memory {
        namespace: memory.namespace.clone(),
        usage,
        claim,
        tier: memory.tier,
        source: memory.source,
        ..changed
    })
}

/// Loki Mode keeps anti-patterns among its patterns, by other names.
fn as_in_body<'a>(body: &Body, field: &'a str, value: &Value) -> (&'a str, Value) {
    match (body, field) {
        (Body::AntiPattern(_), "pattern") => {
            let text = value.as_str().unwrap_or_default();
            ("what_fails", text.strip_prefix("Avoid: ").unwrap_or(text).into())
        }
        (Body::AntiPattern(_), "correct_approach") => ("prevention", value.clone()),
        (Body::AntiPattern(_), "incorrect_approach") => ("why", value.clone()),
        _ => (field, value.clone()),
    }
}

/// A field by its path; where the path leads nowhere, one of that name.
fn set(object: &mut Object, path: &str, value: Value) {
    if let Some((name, rest)) = path.split_once('.')
        && let Some(Value::Object(inner)) = object.get_mut(name)
    {
        return set(inner, rest, value);
    }
    object.insert(path.to_owned(), value);
}

/// What the content of a record is, without how often it was used or when it was last touched: the ETag.
pub fn content(memory: &Memory) -> Vec<u8> {
    let mut bare = memory.clone();
    bare.usage = Default::default();
    bare.times.updated_at = Timestamp::default();
    serde_json::to_vec(&write(&bare, Detail::Lean)).expect("a record of strings and numbers is JSON")
}

/// The kind a record is of when only its body tells.
pub fn kind_of_body(body: &Body) -> Option<Kind> {
    Some(match body {
        Body::None => return None,
        Body::Fact(_) => Kind::Fact,
        Body::Episode(_) => Kind::Episode,
        Body::Pattern(_) => Kind::Pattern,
        Body::AntiPattern(_) => Kind::AntiPattern,
        Body::Skill(_) => Kind::Skill,
        Body::Learning(_) => Kind::Learning,
    })
}
