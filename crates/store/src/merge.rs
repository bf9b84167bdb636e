//! One file of the memory, changed on two branches, made one again: what a merge driver of git's has to do.
//!
//! Pure, and the same whichever side merges. What is written looks as the store itself would write it, entries that only
//! one side changed keep their bytes, and never is there a conflict marker in it. A side that is no document of its kind
//! does not count; where none is, there is no result, and git keeps the conflict.

mod lines;
mod lists;
mod markdown;
mod markers;

use std::path::{Component, Path};

use serde_json::{Map, Value};

use super::layout::{self, Role};
use super::raw::{self, RawObject};
use super::schema::Shape;
use super::three_way;
use super::version;

pub use markers::{Sides, has_markers};

/// Why two copies of a file cannot be made one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmergeable {
    #[error("neither side can be understood")]
    NothingValid,
    #[error("written by a newer lokid (format {0})")]
    Newer(String),
    #[error("no file of the memory")]
    NotOurs,
}

/// What stands in a file of the memory, by where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    List(Role),
    Record,
    Lines,
    Markdown,
    Sidecar,
    /// Made by agents, and nobody else knows what it says.
    Document,
    /// Made anew from the rest whenever it is wrong.
    Layer,
}

/// `path` is the way from the repository, or from its memory, to the file. Without a base, what only one side has counts
/// as added.
pub fn merge_file(path: &Path, base: Option<&[u8]>, ours: &[u8], theirs: &[u8]) -> Result<Vec<u8>, Unmergeable> {
    let form = form_of(path).ok_or(Unmergeable::NotOurs)?;
    let valid = |bytes: &[u8]| understood(path, form, bytes);
    let (ours, theirs, base) = (valid(ours), valid(theirs), base.and_then(valid));
    let (ours, theirs) = match (ours, theirs) {
        (Some(ours), Some(theirs)) => (ours, theirs),
        (Some(one), None) | (None, Some(one)) => return Ok(one),
        (None, None) => return Err(Unmergeable::NothingValid),
    };
    if ours == theirs || base.as_ref() == Some(&theirs) {
        return Ok(ours);
    }
    if base.as_ref() == Some(&ours) {
        return Ok(theirs);
    }
    match form {
        Form::Lines => Ok(lines::merge(base.as_deref(), &ours, &theirs)),
        Form::Markdown => markdown::merge(base.as_deref(), &ours, &theirs).ok_or(Unmergeable::NothingValid),
        Form::List(role) => lists::merge(role, base.as_deref(), &ours, &theirs),
        Form::Record | Form::Document => Ok(whole(base.as_deref(), &ours, &theirs, three_way::merge_records)),
        Form::Layer => Ok(whole(base.as_deref(), &ours, &theirs, three_way::merge)),
        Form::Sidecar => Ok(sidecar(base.as_deref(), &ours, &theirs)),
    }
}

/// Is this a file of the memory that could be merged, and holds it what such a file holds?
pub fn is_damaged(path: &Path, bytes: &[u8]) -> bool {
    match form_of(path) {
        Some(Form::Lines) => has_markers(bytes),
        Some(form) => !is_valid(form, bytes),
        None => false,
    }
}

fn form_of(path: &Path) -> Option<Form> {
    let mut names: Vec<&str> = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => names.push(name.to_str()?),
            Component::CurDir => {}
            _ => return None,
        }
    }
    let is_inside = names.windows(2).rposition(|pair| pair == [".loki", "memory"]);
    if let Some(at) = is_inside {
        names.drain(..at + 2);
    }
    let (name, folders) = names.split_last()?;
    known_form(name, folders).or_else(|| {
        // What another program keeps there is merged as what it is.
        let form = if name.ends_with(".ndjson") { Form::Lines } else { Form::Document };
        (is_inside.is_some() && (name.ends_with(".json") || form == Form::Lines)).then_some(form)
    })
}

fn known_form(name: &str, folders: &[&str]) -> Option<Form> {
    let is_json = name.ends_with(".json");
    if let [.., ".lokid"] = folders {
        return (name == "patterns.json").then_some(Form::Sidecar);
    }
    let known = ["semantic", "episodic", "skills", "learnings", "notes", "archive", "ledgers", "handoffs"];
    let Some(folder) = folders.iter().find(|folder| known.contains(folder)) else {
        let layers = ["index.json", "timeline.json", "token_economics.json"];
        return layers.contains(&name).then_some(Form::Layer);
    };
    match (*folder, layout::role_in(folder, name)) {
        ("ledgers" | "handoffs", _) if is_json && !name.starts_with('.') => Some(Form::Document),
        ("episodic", _) if name == "index.json" => Some(Form::Layer),
        (_, Some(Role::Memories(Shape::Notes) | Role::Archive)) => Some(Form::Lines),
        (_, Some(Role::Memories(Shape::Skill))) if !is_json => Some(Form::Markdown),
        (_, Some(Role::Memories(Shape::Episode | Shape::Skill))) => Some(Form::Record),
        (_, Some(role)) => Some(Form::List(role)),
        _ => None,
    }
}

/// The side as it stands, or as it was before a text merge damaged it.
fn understood(path: &Path, form: Form, bytes: &[u8]) -> Option<Vec<u8>> {
    if is_valid(form, bytes) {
        return Some(bytes.to_vec());
    }
    let sides = Sides::of(bytes)?;
    merge_file(path, sides.base.as_deref(), &sides.ours, &sides.theirs).ok()
}

fn is_valid(form: Form, bytes: &[u8]) -> bool {
    match form {
        Form::Lines => true,
        Form::Markdown => std::str::from_utf8(bytes).is_ok() && !has_markers(bytes),
        Form::List(role) => lists::is_valid(role, bytes),
        Form::Record | Form::Document | Form::Layer | Form::Sidecar => object(bytes).is_some(),
    }
}

fn object(bytes: &[u8]) -> Option<Map<String, Value>> {
    serde_json::from_slice(bytes).ok()
}

type MergeValues = fn(Option<&Value>, &Value, &Value) -> three_way::Merged;

/// A document that is one object.
fn whole(base: Option<&[u8]>, ours: &[u8], theirs: &[u8], merge: MergeValues) -> Vec<u8> {
    let text = |bytes| std::str::from_utf8(bytes).unwrap_or_default();
    one_text(base.map(text), text(ours), text(theirs), merge, 0).into_bytes()
}

/// One object out of the texts of two, which stand `depth` levels deep: what was not merged keeps its spelling.
fn one_text(base: Option<&str>, ours: &str, theirs: &str, merge: MergeValues, depth: usize) -> String {
    let value = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    let (base, our_value, their_value) = (base.map(value), value(ours), value(theirs));
    if our_value == their_value {
        return ours.max(theirs).to_owned();
    }
    if base.as_ref() == Some(&their_value) {
        return ours.to_owned();
    }
    if base.as_ref() == Some(&our_value) {
        return theirs.to_owned();
    }
    let merged = merge(base.as_ref(), &our_value, &their_value).value;
    let (first, _) = three_way::ranked(&our_value, &their_value);
    let frame = if *first == our_value { ours } else { theirs };
    match (RawObject::parse(frame), first, &merged) {
        (Ok(mut raw), Value::Object(before), Value::Object(after)) => {
            raw.patch(before, after, depth);
            raw.pretty(depth)
        }
        _ => raw::pretty(&merged, depth),
    }
}

/// Only ever a repetition of what the patterns say: sorted, as the store writes it.
fn sidecar(base: Option<&[u8]>, ours: &[u8], theirs: &[u8]) -> Vec<u8> {
    let value = |bytes: &[u8]| Value::Object(object(bytes).unwrap_or_default());
    let mut merged = three_way::merge(base.map(value).as_ref(), &value(ours), &value(theirs)).value;
    if let Some(patterns) = merged.get_mut("patterns").and_then(Value::as_object_mut) {
        patterns.sort_keys();
    }
    raw::pretty(&merged, 0).into_bytes()
}

#[cfg(test)]
mod tests;
