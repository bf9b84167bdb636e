//! The files only lokid writes: facts, learnings, and the lines of `notes/`.

use super::attributes::{self, Detail};
use super::fields::{Line, Object, put_text, take_text, take_time, take_word};
use super::{Setting, Shape, body, loki, record};
use lokid_model::{Body, Fact, Kind, Learning, Memory, Scope};

/// Flat, as a person would want to read and edit it. `scope` is what the fact is about; who may see it is
/// `visibility`, written only when it is not the whole project.
pub(super) fn read_fact(mut object: Object, setting: &Setting) -> Result<Memory, String> {
    let mut memory = start(&mut object, Shape::Facts, Kind::Fact, setting)?;
    let fact = body::take_fact(&mut object);
    let visibility = take_word(&mut object, "visibility", Scope::parse);
    attributes::take(&mut object, &mut memory);
    memory.scope = visibility.unwrap_or_default();
    if fact != Fact::default() {
        memory.body = Body::Fact(Box::new(fact));
    }
    record::finish(memory, object)
}

pub(super) fn view_fact(memory: &Memory) -> Object {
    let mut out = Object::new();
    put_text(&mut out, "id", memory.id.as_str());
    if let Body::Fact(fact) = &memory.body {
        body::put_fact(fact, &mut out);
    }
    let mut rest = attributes::put_all(memory, Detail::Lean);
    rest.shift_remove("scope");
    rest.entry("source").or_insert_with(|| memory.claimed().source.as_str().into());
    rest.entry("confidence").or_insert_with(|| memory.confidence.into());
    rest.entry("valid_at").or_insert_with(|| memory.times.valid_at.record_style().into());
    out.extend(rest);
    if memory.scope != Scope::default() {
        put_text(&mut out, "visibility", memory.scope.as_str());
    }
    record::add_extra(&mut out, memory);
    out
}

pub(super) fn read_learning(mut object: Object, setting: &Setting) -> Result<Memory, String> {
    let mut memory = start(&mut object, Shape::Learnings, Kind::Learning, setting)?;
    attributes::take(&mut object, &mut memory);
    let learning = body::take_learning(&mut object);
    if learning != Learning::default() {
        memory.body = Body::Learning(Box::new(learning));
    } else if memory.text.is_empty() {
        memory.text = body::take_lesson(&mut object);
    }
    record::finish(memory, object)
}

pub(super) fn view_learning(memory: &Memory) -> Object {
    let mut out = Object::new();
    put_text(&mut out, "id", memory.id.as_str());
    if let Body::Learning(learning) = &memory.body {
        body::put_learning(learning, &mut out);
    }
    out.extend(attributes::put_all(memory, Detail::Lean));
    record::add_extra(&mut out, memory);
    out
}

/// The folder a line stands in tells its namespace, whatever the line says.
pub(super) fn read_note(mut object: Object, setting: &Setting) -> Result<Memory, String> {
    take_text(&mut object, "namespace");
    let memory = record::read(object)?;
    Ok(Memory { namespace: setting.namespace.clone(), ..memory })
}

/// The same from a line of text.
pub(super) fn read_note_line(mut line: Line<'_>, setting: &Setting) -> Result<Memory, String> {
    take_text(&mut line, "namespace");
    let memory = record::read_line(line)?;
    Ok(Memory { namespace: setting.namespace.clone(), ..memory })
}

fn start(object: &mut Object, shape: Shape, kind: Kind, setting: &Setting) -> Result<Memory, String> {
    let id = loki::list_id(shape, object)?;
    let at = take_time(object, "timestamp").unwrap_or(setting.at);
    let mut memory = Memory::new(id, kind, String::new(), at);
    memory.namespace = setting.namespace.clone();
    Ok(memory)
}
