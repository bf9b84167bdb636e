//! What those who listen hear of the writer's changes: never the text.

use serde_json::{Map, Value, json};

use super::{TELL_EACH, Writer};
use lokid_model::{Change, DocumentKind, Key, Kind, Link, Timestamp};

impl Writer {
    pub(super) fn tell(&self, now: Timestamp, changes: &[Change]) {
        if changes.len() > TELL_EACH {
            let data = Map::from_iter([("count".to_owned(), json!(changes.len()))]);
            self.env.feed.tell(now, &self.env.name, "memories", data);
            return;
        }
        for change in changes {
            let (kind, data) = told_of(change);
            self.env.feed.tell(now, &self.env.name, kind, data);
        }
    }
}

/// What those who listen hear of a change: never the text.
fn told_of(change: &Change) -> (&'static str, Map<String, Value>) {
    let about = |op: &str, key: &Key, kind: Option<Kind>| {
        let kind = kind.map(Kind::as_str);
        json!({"op": op, "id": key.id.as_str(), "namespace": key.namespace.as_str(), "kind": kind})
    };
    let linked = |op: &str, link: &Link| {
        let (from, to) = (link.from.as_str(), link.to.as_str());
        json!({"op": op, "from": from, "to": to, "relation": link.relation.as_str(), "namespace": link.namespace.as_str()})
    };
    let (kind, data) = match change {
        Change::Put { before, after } => {
            let op = if before.is_some() { "updated" } else { "created" };
            ("memory", about(op, &after.key(), Some(after.kind)))
        }
        Change::Archive(entry) => ("memory", about("archived", &entry.memory.key(), Some(entry.memory.kind))),
        Change::Restore(entry) => ("memory", about("restored", &entry.memory.key(), Some(entry.memory.kind))),
        Change::Purge(tombstone) => ("memory", about("purged", &tombstone.key, None)),
        Change::Vanished(key) => ("memory", about("vanished", key, None)),
        Change::Link(link) => ("link", linked("linked", link)),
        Change::Unlink(link) => ("link", linked("unlinked", link)),
        Change::Contradict(found) => {
            let (a, b, status) = (found.a.as_str(), found.b.as_str(), found.status.as_str());
            ("contradiction", json!({"id": found.id, "a": a, "b": b, "status": status}))
        }
        Change::Write(document) => {
            let kind = if document.kind == DocumentKind::Ledger { "ledger" } else { "handoff" };
            let op = if document.is_erased() { "erased" } else { "written" };
            ("document", json!({"op": op, "kind": kind, "id": document.name}))
        }
    };
    match data {
        Value::Object(data) => (kind, data),
        _ => (kind, Map::new()),
    }
}
