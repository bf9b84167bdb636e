//! How a memory is shown: whole, or shorter by a level.

use crate::serve::dto::answers::Mention;
use crate::serve::dto::bodies::Object;
use lokid_encode::compress::at_level;
use lokid_index::Snapshot;
use lokid_model::{Key, Level, Memory, token};
use lokid_store::schema::{Detail, record, usage_object};

pub(in crate::serve) fn whole(memory: &Memory) -> Object {
    record::write(memory, Detail::Whole)
}

/// With the links that start at it, so that an import brings them back.
pub(in crate::serve) fn exported(memory: &Memory, snapshot: &Snapshot) -> Object {
    let mut out = whole(memory);
    let links: Vec<_> = snapshot
        .links_of(&Key::new(&memory.namespace, &memory.id))
        .into_iter()
        .filter(|link| link.from == memory.id)
        .map(|link| serde_json::json!({"to": link.to.as_str(), "relation": link.relation.as_str()}))
        .collect();
    if !links.is_empty() {
        out.insert("links".to_owned(), links.into());
    }
    out
}

/// One memory at a level: what a client needs to decide whether it wants all of it.
pub(in crate::serve) fn shorter(memory: &Memory, level: Level) -> Object {
    let text = at_level(memory, level);
    let mut out = brief(memory, level);
    out.insert("level".to_owned(), level.as_str().into());
    out.insert("text".to_owned(), text.into_owned().into());
    out.insert("usage".to_owned(), usage_object(&memory.usage, true).into());
    out
}

/// An item of a list.
pub(in crate::serve) fn brief(memory: &Memory, level: Level) -> Object {
    let text = at_level(memory, level);
    let mut out = Object::new();
    let mut put = |name: &str, value: serde_json::Value| out.insert(name.to_owned(), value);
    put("id", memory.id.as_str().into());
    put("kind", memory.kind.as_str().into());
    put("namespace", memory.namespace.as_str().into());
    put("tier", memory.tier.as_str().into());
    put("title", memory.headline().into());
    put("tokens", token::estimate(&text).into());
    put(level.as_str(), text.into_owned().into());
    put("tags", memory.tags.clone().into());
    put("files", memory.anchors.files.clone().into());
    put("importance", memory.importance.into());
    put("confidence", memory.confidence.into());
    put("created_at", memory.times.created_at.record_style().into());
    put("updated_at", memory.times.updated_at.record_style().into());
    put("valid_at", memory.times.valid_at.record_style().into());
    put("invalid_at", memory.times.invalid_at.map(|at| at.record_style()).into());
    put("source", memory.source.as_str().into());
    put("status", memory.status.as_str().into());
    put("restricted", memory.restricted.into());
    put("scope", memory.scope.as_str().into());
    put("outcome", memory.outcome.map(|outcome| outcome.as_str()).into());
    out
}

pub(in crate::serve) fn mention(memory: &Memory) -> Mention {
    Mention { id: memory.id.to_string(), kind: memory.kind.as_str(), title: memory.headline().to_owned() }
}
