//! The files Loki Mode writes too: episodes, patterns, anti-patterns, skills.
//!
//! What lokid knows beyond Loki Mode's own fields stands in one object named `lokid`, so that it is plain whose it is.

use std::sync::Arc;

use serde_json::Value;

use super::attributes::{self, Detail};
use super::fields::{
    Object, put, put_text, take_any, take_count, take_object, take_objects, take_share, take_text, take_texts,
    take_time, take_word,
};
use super::{Found, Setting, Shape, body, record};
use lokid_model::memory::OWN_FIELDS;
use lokid_model::{AntiPattern, Body, Kind, Link, Memory, MemoryId, Outcome, Pattern, Relation, Timestamp};

pub(super) const OWN: &str = "lokid";
pub(super) const MADE_BY: &str = "made_by";
/// The description of a skill was made for Loki Mode's sake and is nobody's word.
const DESCRIBED: &str = "described";

/// What a file has fields of its own for: attributes, and counters of the usage.
pub(super) struct Native {
    attributes: &'static [&'static str],
    usage: &'static [&'static str],
}

const EPISODE_NATIVE: &Native =
    &Native { attributes: &["files", "importance", "created_at", "outcome"], usage: &["loaded", "last_accessed"] };
pub(super) const PATTERN_NATIVE: &Native = &Native {
    attributes: &["importance", "confidence", "created_at"],
    usage: &["loaded", "referenced", "last_used", "last_accessed"],
};
const ANTI_NATIVE: &Native = &Native { attributes: &[], usage: &[] };
const SKILL_NATIVE: &Native =
    &Native { attributes: &["importance", "created_at"], usage: &["loaded", "last_accessed"] };

/// What goes into the `lokid` object: every attribute the file has no field of its own for.
pub(super) fn own_attributes(memory: &Memory, native: &Native) -> Option<Object> {
    let mut own = attributes::put_all(memory, Detail::Lean);
    own.retain(|name, _| !native.attributes.contains(&name.as_str()));
    if let Some(Value::Object(usage)) = own.get_mut("usage") {
        usage.retain(|name, _| !native.usage.contains(&name.as_str()));
        if usage.is_empty() {
            own.shift_remove("usage");
        }
    }
    (!own.is_empty()).then_some(own)
}

fn put_own(out: &mut Object, memory: &Memory, native: &Native) {
    if let Some(own) = own_attributes(memory, native) {
        out.insert(OWN.to_owned(), Value::Object(own));
    }
    // The same in every view, so it never comes into a record that was there before: only what lokid made has it.
    put_text(out, MADE_BY, OWN);
    record::add_extra(out, memory);
}

/// A memory of this kind with what the `lokid` object says of it; unknown fields in there are kept too.
fn start(object: &mut Object, id: MemoryId, kind: Kind, at: Timestamp, setting: &Setting) -> Memory {
    let mut memory = Memory::new(id, kind, String::new(), at);
    memory.namespace = setting.namespace.clone();
    if let Some(mut own) = take_object(object, OWN) {
        attributes::take(&mut own, &mut memory);
        if !own.is_empty() {
            object.insert(OWN.to_owned(), Value::Object(own));
        }
    }
    take_text(object, "_namespace");
    if object.get(MADE_BY).is_some_and(|maker| maker == OWN) {
        object.shift_remove(MADE_BY);
    }
    memory
}

/// Some writers give the entries of a list no id: the words make one.
pub(super) fn list_id(shape: Shape, object: &mut Object) -> Result<MemoryId, String> {
    let id = super::entry_id(shape, object).ok_or("an entry without an id, and without words to make one of")?;
    take_text(object, "id");
    MemoryId::foreign(&id).ok_or_else(|| "an id that is empty or unprintable".to_owned())
}

fn take_id(object: &mut Object) -> Result<Option<MemoryId>, String> {
    match take_text(object, "id") {
        Some(text) => MemoryId::foreign(&text).map(Some).ok_or_else(|| "an id that is empty or unprintable".to_owned()),
        None => Ok(None),
    }
}

/// Counters Loki Mode keeps for itself are the newest there are: they win over what the `lokid` object says.
fn take_counters(object: &mut Object, memory: &mut Memory) {
    if let Some(count) = take_count(object, "access_count") {
        memory.usage.loaded = count;
    }
    if let Some(time) = take_time(object, "last_accessed") {
        memory.usage.last_accessed = Some(time);
    }
}

fn put_counters(out: &mut Object, memory: &Memory) {
    put(out, "importance", memory.importance);
    put(out, "access_count", memory.usage.loaded);
    if let Some(time) = memory.usage.last_accessed {
        put_text(out, "last_accessed", &time.record_style());
    }
}

pub(super) fn read_episode(mut object: Object, setting: &Setting) -> Result<Memory, String> {
    let id = take_id(&mut object)?.ok_or("an episode without an id")?;
    let at = take_time(&mut object, "timestamp").unwrap_or(setting.at);
    let mut memory = start(&mut object, id, Kind::Episode, at, setting);
    if let Some(files) = body::take_files_involved(&mut object) {
        memory.anchors.files = files;
    }
    if let Some(outcome) = take_word(&mut object, "outcome", Outcome::parse) {
        memory.outcome = Some(outcome);
    }
    if let Some(share) = take_share(&mut object, "importance") {
        memory.importance = share;
    }
    take_counters(&mut object, &mut memory);
    let mut episode = body::take_episode(&mut object);
    if episode.task_id == own_task(&memory.id) {
        episode.task_id.clear();
    }
    memory.body = Body::Episode(Box::new(episode));
    record::finish(memory, object)
}

/// The task of an episode that belongs to none, named like its file.
fn own_task(id: &MemoryId) -> String {
    format!("task-{id}")
}

pub(super) fn view_episode(memory: &Memory) -> Object {
    let mut out = Object::new();
    put_text(&mut out, "id", memory.id.as_str());
    let empty = Default::default();
    let episode = match &memory.body {
        Body::Episode(episode) => episode.as_ref(),
        _ => &empty,
    };
    let mut fields = Object::new();
    body::put_episode(episode, Some(&memory.anchors.files), &mut fields);
    if episode.task_id.is_empty() {
        // Loki Mode takes no episode without a task; one that has none is its own.
        put_text(&mut fields, "task_id", &own_task(&memory.id));
    }
    for (name, value) in fields {
        match name.as_str() {
            "duration_seconds" => put_text(&mut out, "timestamp", &memory.times.created_at.record_style()),
            "errors_encountered" => {
                if let Some(outcome) = memory.outcome {
                    put_text(&mut out, "outcome", outcome.as_str());
                }
            }
            _ => {}
        }
        out.insert(name, value);
    }
    put_counters(&mut out, memory);
    put_own(&mut out, memory, EPISODE_NATIVE);
    out
}

/// `category: "anti-pattern"` and `Avoid: …` is how Loki Mode keeps what failed.
pub(super) fn read_pattern(mut object: Object, setting: &Setting) -> Result<Found, String> {
    let id = list_id(Shape::Patterns, &mut object)?;
    let at = take_time(&mut object, "created_at").unwrap_or(setting.at);
    let mut memory = start(&mut object, id, Kind::Pattern, at, setting);
    if let Some(time) = take_time(&mut object, "updated_at") {
        memory.times.updated_at = memory.times.updated_at.max(time);
    }
    if let Some(share) = take_share(&mut object, "importance") {
        memory.importance = share;
    }
    if let Some(share) = take_share(&mut object, "confidence") {
        memory.confidence = share;
    }
    take_counters(&mut object, &mut memory);
    if let Some(count) = take_count(&mut object, "usage_count") {
        memory.usage.referenced = count;
    }
    if let Some(time) = take_time(&mut object, "last_used") {
        memory.usage.last_used = memory.usage.last_used.max(Some(time));
    }
    let links = inline_links(&mut object, &memory);
    let pattern = body::take_pattern(&mut object);
    if is_anti_pattern(&pattern) {
        memory.kind = Kind::AntiPattern;
        memory.body = Body::AntiPattern(Box::new(AntiPattern {
            what_fails: pattern.pattern.strip_prefix("Avoid: ").unwrap_or(&pattern.pattern).to_owned(),
            why: pattern.incorrect_approach,
            prevention: pattern.correct_approach,
            learnt_from: pattern.source_episodes.join(", "),
        }));
    } else {
        memory.body = Body::Pattern(Box::new(pattern));
        object = within_body(object);
    }
    Ok(Found { memory: Arc::new(record::finish(memory, object)?), links })
}

/// In the file a pattern lies flat; what is not understood of it belongs to the body, where a record has it.
fn within_body(mut rest: Object) -> Object {
    let names = [OWN].into_iter().chain(OWN_FIELDS);
    let own: Vec<_> = names.filter_map(|name| Some((name.to_owned(), rest.shift_remove(name)?))).collect();
    let mut extra = Object::new();
    if !rest.is_empty() {
        extra.insert("pattern".to_owned(), Value::Object(rest));
    }
    extra.extend(own);
    extra
}

fn is_anti_pattern(pattern: &Pattern) -> bool {
    matches!(pattern.category.as_str(), "anti-pattern" | "anti_pattern")
}

/// Links written inside a pattern are read and left where they are.
fn inline_links(object: &mut Object, memory: &Memory) -> Vec<Link> {
    let items = take_objects(object, "links").unwrap_or_default();
    let link = |mut item: Object| {
        Some(Link {
            namespace: memory.namespace.clone(),
            from: memory.id.clone(),
            to: MemoryId::foreign(&take_any(&mut item, &["to", "to_id"]))?,
            relation: take_word(&mut item, "relation", Relation::parse)?,
            strength: take_share(&mut item, "strength").unwrap_or(1.0),
            created_at: memory.times.created_at,
            inline: true,
        })
    };
    items.into_iter().filter_map(link).collect()
}

pub(super) fn view_pattern(memory: &Memory) -> Object {
    let mut out = Object::new();
    put_text(&mut out, "id", memory.id.as_str());
    match &memory.body {
        Body::AntiPattern(anti) => {
            put_text(&mut out, "pattern", &format!("Avoid: {}", anti.what_fails));
            put_text(&mut out, "category", "anti-pattern");
            put_text(&mut out, "correct_approach", &anti.prevention);
            put_text(&mut out, "incorrect_approach", &anti.why);
        }
        Body::Pattern(pattern) => body::put_pattern(pattern, &mut out),
        _ => put_text(&mut out, "pattern", &memory.text),
    }
    put(&mut out, "confidence", memory.confidence);
    put(&mut out, "usage_count", memory.usage.referenced);
    put(&mut out, "links", Value::Array(Vec::new()));
    put_counters(&mut out, memory);
    if let Some(time) = memory.usage.last_used {
        put_text(&mut out, "last_used", &time.record_style());
    }
    put_text(&mut out, "created_at", &memory.times.created_at.envelope_style());
    put_own(&mut out, memory, PATTERN_NATIVE);
    out
}

pub(super) fn read_anti_pattern(mut object: Object, setting: &Setting) -> Result<Memory, String> {
    let id = list_id(Shape::AntiPatterns, &mut object)?;
    let mut memory = start(&mut object, id, Kind::AntiPattern, setting.at, setting);
    memory.body = Body::AntiPattern(Box::new(body::take_anti_pattern(&mut object)));
    record::finish(memory, object)
}

pub(super) fn view_anti_pattern(memory: &Memory) -> Object {
    let mut out = Object::new();
    put_text(&mut out, "id", memory.id.as_str());
    match &memory.body {
        Body::AntiPattern(anti) => body::put_anti_pattern(anti, &mut out),
        _ => put_text(&mut out, "what_fails", &memory.text),
    }
    put_own(&mut out, memory, ANTI_NATIVE);
    out
}

pub(super) fn read_skill(mut object: Object, setting: &Setting) -> Result<Memory, String> {
    let name = object.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let id = match take_id(&mut object)? {
        Some(id) => id,
        None if name.is_empty() => return Err("a skill without an id and a name".to_owned()),
        None => MemoryId::foreign(&format!("skill-{}", super::skill_text::slug(&name)))
            .ok_or("a skill whose name makes no id")?,
    };
    let at = take_time(&mut object, "created_at").unwrap_or(setting.at);
    let own = object.get_mut(OWN).and_then(Value::as_object_mut);
    let is_described = own.and_then(|own| own.shift_remove(DESCRIBED)).is_some();
    let mut memory = start(&mut object, id, Kind::Skill, at, setting);
    if let Some(share) = take_share(&mut object, "importance") {
        memory.importance = share;
    }
    take_counters(&mut object, &mut memory);
    if let Some(tags) = take_texts(&mut object, "tags") {
        memory.tags = tags;
    }
    let mut skill = body::take_skill(&mut object);
    if is_described && skill.description == body::described(&skill) {
        skill.description.clear();
    }
    memory.body = Body::Skill(Box::new(skill));
    record::finish(memory, object)
}

pub(super) fn view_skill(memory: &Memory) -> Object {
    let mut out = Object::new();
    put_text(&mut out, "id", memory.id.as_str());
    match &memory.body {
        Body::Skill(skill) => {
            body::put_skill(skill, &mut out);
            if skill.description.is_empty() {
                put_text(&mut out, "description", &body::described(skill));
            }
        }
        _ => {
            put_text(&mut out, "name", memory.headline());
            put_text(&mut out, "description", &memory.text);
        }
    }
    put_counters(&mut out, memory);
    put_text(&mut out, "created_at", &memory.times.created_at.envelope_style());
    put_own(&mut out, memory, SKILL_NATIVE);
    let is_described = matches!(&memory.body, Body::Skill(skill) if skill.description.is_empty());
    if is_described && let Value::Object(own) = out.entry(OWN).or_insert_with(|| Object::new().into()) {
        own.insert(DESCRIBED.to_owned(), true.into());
    }
    out
}
