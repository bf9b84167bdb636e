//! Entries of the lists that are no memories: links, contradictions, tombstones, and the lines of the archive.

use serde_json::{Value, json};

use super::fields::{Object, take_any, take_object, take_share, take_text, take_time, take_word};
use super::record;
use lokid_model::{
    Archived, Contradiction, ContradictionStatus, Key, Link, MemoryId, Namespace, Relation, Resolution, Scope, Settled,
    Timestamp, Tombstone, Verdict,
};

pub fn read_link(mut object: Object, namespace: &Namespace, at: Timestamp) -> Option<Link> {
    Some(Link {
        namespace: namespace.clone(),
        from: MemoryId::foreign(&take_text(&mut object, "from")?)?,
        to: MemoryId::foreign(&take_any(&mut object, &["to", "to_id"]))?,
        relation: take_word(&mut object, "relation", Relation::parse)?,
        strength: take_share(&mut object, "strength").unwrap_or(1.0),
        created_at: take_time(&mut object, "created_at").unwrap_or(at),
        inline: false,
    })
}

pub fn view_link(link: &Link) -> Value {
    json!({
        "from": link.from.as_str(),
        "to": link.to.as_str(),
        "relation": link.relation.as_str(),
        "strength": link.strength,
        "created_at": link.created_at.record_style(),
    })
}

pub fn read_contradiction(mut object: Object, namespace: &Namespace) -> Option<Contradiction> {
    Some(Contradiction {
        id: take_text(&mut object, "id")?,
        namespace: namespace.clone(),
        a: MemoryId::foreign(&take_text(&mut object, "a")?)?,
        b: MemoryId::foreign(&take_text(&mut object, "b")?)?,
        verdict: take_word(&mut object, "verdict", Verdict::parse)?,
        status: take_word(&mut object, "status", ContradictionStatus::parse)?,
        why: take_text(&mut object, "why").unwrap_or_default(),
        found_at: take_time(&mut object, "found_at").unwrap_or_default(),
        settled: read_settled(&mut object),
    })
}

fn read_settled(object: &mut Object) -> Option<Settled> {
    Some(Settled {
        resolution: take_word(object, "resolution", Resolution::parse)?,
        note: take_text(object, "note").unwrap_or_default(),
        at: take_time(object, "settled_at").unwrap_or_default(),
    })
}

pub fn view_contradiction(contradiction: &Contradiction) -> Value {
    let mut view = json!({
        "id": contradiction.id,
        "a": contradiction.a.as_str(),
        "b": contradiction.b.as_str(),
        "verdict": contradiction.verdict.as_str(),
        "status": contradiction.status.as_str(),
        "why": contradiction.why,
        "found_at": contradiction.found_at.record_style(),
    });
    if let (Some(settled), Some(view)) = (&contradiction.settled, view.as_object_mut()) {
        view.insert("resolution".to_owned(), settled.resolution.as_str().into());
        view.insert("settled_at".to_owned(), settled.at.record_style().into());
        if !settled.note.is_empty() {
            view.insert("note".to_owned(), settled.note.clone().into());
        }
    }
    view
}

pub(crate) fn read_tombstone(mut object: Object, namespace: &Namespace, scope: Scope) -> Option<Tombstone> {
    let id = MemoryId::foreign(&take_text(&mut object, "id")?)?;
    Some(Tombstone {
        key: Key::new(namespace, &id),
        fingerprint: fingerprint(&take_text(&mut object, "fingerprint")?)?,
        at: take_time(&mut object, "purged_at").unwrap_or_default(),
        reason: take_text(&mut object, "reason").unwrap_or_default(),
        scope,
    })
}

pub(crate) fn view_tombstone(tombstone: &Tombstone) -> Value {
    json!({
        "id": tombstone.key.id.as_str(),
        "fingerprint": hex(&tombstone.fingerprint),
        "purged_at": tombstone.at.record_style(),
        "reason": tombstone.reason,
    })
}

/// A line of the archive: the record, when and why it left, and the text it had in its file, for an exact return.
pub(crate) fn archive_line(archived: &Archived, raw: Option<&str>) -> Object {
    let mut line = Object::new();
    line.insert("archived_at".to_owned(), archived.at.record_style().into());
    line.insert("reason".to_owned(), archived.reason.clone().into());
    line.insert("record".to_owned(), Value::Object(record::write(&archived.memory, super::Detail::Lean)));
    if let Some(raw) = raw {
        line.insert("raw".to_owned(), raw.into());
    }
    line
}

pub(crate) fn restored_line(key: &Key, at: Timestamp) -> Object {
    let mut line = Object::new();
    line.insert("restored_at".to_owned(), at.record_style().into());
    line.insert("id".to_owned(), key.id.as_str().into());
    line
}

/// What an archive's line says.
#[derive(Debug)]
pub(crate) enum ArchiveLine {
    Archived { archived: Box<Archived>, raw: Option<String> },
    Restored { id: MemoryId, at: Timestamp },
}

pub(crate) fn read_archive_line(mut object: Object, namespace: &Namespace) -> Result<ArchiveLine, String> {
    if let Some(at) = take_time(&mut object, "restored_at") {
        let id = take_text(&mut object, "id").and_then(|id| MemoryId::foreign(&id)).ok_or("a return without an id")?;
        return Ok(ArchiveLine::Restored { id, at });
    }
    let at = take_time(&mut object, "archived_at").ok_or("no time of archiving")?;
    let mut memory = record::read(take_object(&mut object, "record").ok_or("no record")?)?;
    memory.namespace = namespace.clone();
    let reason = take_text(&mut object, "reason").unwrap_or_default();
    let raw = take_text(&mut object, "raw");
    Ok(ArchiveLine::Archived { archived: Box::new(Archived { memory: memory.into(), at, reason }), raw })
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn fingerprint(text: &str) -> Option<[u8; 16]> {
    let mut out = [0; 16];
    if text.len() != 32 || !text.is_ascii() {
        return None;
    }
    for (at, byte) in out.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[at * 2..at * 2 + 2], 16).ok()?;
    }
    Some(out)
}
