//! A change over several files is one change.
//!
//! Before the first of its files is touched, the whole change is written here and synced. If the process dies in
//! between, the next start finds it and carries it out; carrying it out twice changes nothing. A line that is torn
//! was never promised to anybody and is dropped.
//!
//! It stands in lokid's own state directory, because a change may hold private memories.

use std::io;
use std::sync::Arc;

use serde_json::{Value, json};

use super::door::{Door, KnownClean};
use super::schema::fields::{Object, take_object, take_text, take_time};
use super::schema::{Detail, lists, record};
use lokid_model::{Archived, Change, Document, DocumentKind, Link, Memory, Namespace, Scope, clean};
use lokid_sys::Disk;

const FILE: &str = "journal.ndjson";
/// Import batches are bounded, so a journal never comes near this.
const MAX_BYTES: u64 = 1 << 30;

#[derive(Clone)]
pub(super) struct Journal {
    disk: Disk,
    door: Door,
}

impl Journal {
    pub(super) fn new(disk: Disk, door: &Door) -> Journal {
        Journal { disk, door: Arc::clone(door) }
    }

    /// When this returns, the change will happen, whatever happens.
    pub(super) fn intend(&self, changes: &[Change]) -> io::Result<()> {
        self.disk.append(FILE, self.line_of(changes).as_bytes()).map(drop)
    }

    /// What was intended and may not have been carried out, oldest first.
    pub(super) fn pending(&self) -> io::Result<Vec<Vec<Change>>> {
        if self.disk.stamp(FILE)?.is_none_or(|stamp| stamp.size == 0) {
            return Ok(Vec::new());
        }
        let bytes = self.disk.read(FILE, MAX_BYTES)?;
        Ok(bytes
            .split(|byte| *byte == b'\n')
            .filter_map(|line| read_line(line, &|payload| self.clean(payload)))
            .collect())
    }

    /// Everything is carried out but these.
    pub(super) fn keep(&self, waiting: &[&[Change]]) -> io::Result<()> {
        if !waiting.is_empty() {
            let lines: String = waiting.iter().map(|changes| self.line_of(changes)).collect();
            return self.disk.replace(FILE, lines.as_bytes());
        }
        match self.disk.stamp(FILE)? {
            Some(stamp) if stamp.size > 0 => self.disk.truncate(FILE, 0),
            _ => Ok(()),
        }
    }

    fn line_of(&self, changes: &[Change]) -> String {
        let payload = self.clean(Value::Array(changes.iter().map(change_object).collect()).to_string());
        format!("{} {payload}\n", checksum(&payload))
    }

    /// Beside it: what need not be searched for secrets again.
    pub(super) fn keep_known(&self, known: &KnownClean) {
        if let Err(error) = known.save(&self.disk, &self.door) {
            tracing::debug!(reason = %error, "the next start searches everything for secrets again");
        }
    }

    fn clean(&self, payload: String) -> String {
        clean::json(&payload, &*self.door).map_or(payload, |cleaned| cleaned.text)
    }
}

fn read_line(line: &[u8], clean: &dyn Fn(String) -> String) -> Option<Vec<Change>> {
    let (sum, payload) = std::str::from_utf8(line).ok()?.split_once(' ')?;
    if checksum(payload) != sum {
        return None;
    }
    let items: Vec<Object> = serde_json::from_str(&clean(payload.to_owned())).ok()?;
    items.into_iter().map(read_change).collect()
}

fn checksum(payload: &str) -> String {
    blake3::hash(payload.as_bytes()).to_hex()[..16].to_owned()
}

fn change_object(change: &Change) -> Value {
    let whole = |memory: &Memory| Value::Object(record::write(memory, Detail::Lean));
    let archived = |word: &str, archived: &Archived| json!({"op": word, "record": whole(&archived.memory), "at": archived.at.record_style(), "reason": archived.reason});
    let linked = |word: &str, link: &Link| json!({"op": word, "namespace": link.namespace.as_str(), "link": lists::view_link(link)});
    match change {
        Change::Put { before, after } => {
            json!({"op": "put", "before": before.as_deref().map(whole), "record": whole(after)})
        }
        Change::Archive(entry) => archived("archive", entry),
        Change::Restore(entry) => archived("restore", entry),
        Change::Purge(tombstone) => json!({
            "op": "purge",
            "namespace": tombstone.key.namespace.as_str(),
            "scope": tombstone.scope.as_str(),
            "tombstone": lists::view_tombstone(tombstone),
        }),
        Change::Link(link) => linked("link", link),
        Change::Unlink(link) => linked("unlink", link),
        Change::Contradict(found) => {
            json!({"op": "contradict", "namespace": found.namespace.as_str(), "contradiction": lists::view_contradiction(found)})
        }
        Change::Write(document) => {
            json!({"op": "write", "ledger": document.kind == DocumentKind::Ledger, "name": document.name, "body": document.body})
        }
        Change::Vanished(key) => unreachable!("{key} vanished by another hand: seen, never committed"),
    }
}

fn read_change(mut object: Object) -> Option<Change> {
    let op = take_text(&mut object, "op")?;
    let namespace = Namespace::new(&take_text(&mut object, "namespace").unwrap_or_else(|| "default".to_owned()))?;
    let read = |object: Object| record::read(object).ok().map(Arc::new);
    Some(match op.as_str() {
        "put" => Change::Put {
            before: take_object(&mut object, "before").and_then(read),
            after: read(take_object(&mut object, "record")?)?,
        },
        "archive" | "restore" => {
            let entry = Arc::new(Archived {
                memory: read(take_object(&mut object, "record")?)?,
                at: take_time(&mut object, "at")?,
                reason: take_text(&mut object, "reason").unwrap_or_default(),
            });
            if op == "archive" { Change::Archive(entry) } else { Change::Restore(entry) }
        }
        "purge" => {
            // Before there was a third place, a journal said only whether it was private.
            let was_private = || object.get("private").and_then(Value::as_bool).unwrap_or(false);
            let before = || if was_private() { Scope::UserPrivate } else { Scope::ProjectShared };
            let scope = object.get("scope").and_then(|word| Scope::parse(word.as_str()?)).unwrap_or_else(before);
            Change::Purge(lists::read_tombstone(take_object(&mut object, "tombstone")?, &namespace, scope)?)
        }
        "link" | "unlink" => {
            let link = lists::read_link(take_object(&mut object, "link")?, &namespace, Default::default())?;
            if op == "link" { Change::Link(link) } else { Change::Unlink(link) }
        }
        "contradict" => {
            Change::Contradict(lists::read_contradiction(take_object(&mut object, "contradiction")?, &namespace)?)
        }
        "write" => {
            let ledger = object.get("ledger")?.as_bool()?;
            Change::Write(Document {
                kind: if ledger { DocumentKind::Ledger } else { DocumentKind::Handoff },
                name: take_text(&mut object, "name")?,
                body: take_object(&mut object, "body")?,
            })
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::{Kind, MemoryId, Timestamp};

    fn door() -> Door {
        Arc::new(clean::AsItIs)
    }

    fn put(id: &str) -> Change {
        let memory = Memory::new(MemoryId::new(id).unwrap(), Kind::Note, "text", Timestamp::from_micros(5));
        Change::Put { before: None, after: Arc::new(memory) }
    }

    #[test]
    fn what_was_intended_is_found_again_until_it_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::new(Disk::create(folder.path()).unwrap(), &door());
        assert_eq!(journal.pending().unwrap(), Vec::<Vec<Change>>::new());
        journal.intend(&[put("a"), put("b")]).unwrap();
        journal.intend(&[put("c")]).unwrap();
        assert_eq!(journal.pending().unwrap(), vec![vec![put("a"), put("b")], vec![put("c")]]);
        journal.keep(&[&[put("c")]]).unwrap();
        assert_eq!(journal.pending().unwrap(), vec![vec![put("c")]]);
        journal.keep(&[]).unwrap();
        assert_eq!(journal.pending().unwrap(), Vec::<Vec<Change>>::new());
    }

    #[test]
    fn a_torn_line_was_never_promised() {
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk::create(folder.path()).unwrap();
        let journal = Journal::new(disk.clone(), &door());
        journal.intend(&[put("a")]).unwrap();
        let whole = disk.read(FILE, MAX_BYTES).unwrap();
        for length in 0..whole.len() - 1 {
            disk.replace(FILE, &whole[..length]).unwrap();
            assert_eq!(journal.pending().unwrap(), Vec::<Vec<Change>>::new(), "{length}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            let _ = read_line(&bytes, &|payload| payload);
        }
    }
}
