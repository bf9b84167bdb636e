//! Words that match a pattern, made unreadable wherever memory holds them.
//!
//! Changing a memory in its place would leave the words in what was made of it. So a clean copy takes its place, under a
//! name of its own, and then every trace of the old one is erased.

use std::collections::HashMap;
use std::sync::Arc;

use super::decide;
use super::pattern::{Pattern, Redacted};
use lokid_index::Snapshot;
use lokid_model::{Archived, Change, Key, Link, Memory, MemoryId, Timestamp, Tombstone};

pub(super) fn redact(
    snapshot: &Snapshot,
    now: Timestamp,
    keys: &[Key],
    pattern: &Pattern,
    reason: &str,
) -> (Vec<Change>, Vec<Redacted>) {
    let mut state = snapshot.clone();
    let mut changes = decide::forget_origins(snapshot, keys, now);
    let mut purges = Vec::new();
    let mut names: HashMap<Key, Option<MemoryId>> = HashMap::new();
    for key in keys {
        let archived = snapshot.archived(key);
        let Some(memory) = snapshot.get(key).or(archived.map(|entry| &entry.memory)) else { continue };
        purges.push(Change::Purge(Tombstone::of(memory, now, reason)));
        if snapshot.is_derived(key) {
            names.insert(key.clone(), None);
            continue;
        }
        let clean = Arc::new(clean_copy(&state, memory, pattern, now));
        names.insert(key.clone(), Some(clean.id.clone()));
        let change = match archived.filter(|_| snapshot.get(key).is_none()) {
            None => Change::Put { before: None, after: clean },
            Some(entry) => {
                let (at, reason) = (now.max(entry.at), pattern.text(&entry.reason));
                Change::Archive(Arc::new(Archived { memory: clean, at, reason }))
            }
        };
        state.apply(&change);
        changes.push(change);
    }
    changes.extend(links(snapshot, &names));
    changes.append(&mut purges);
    (changes, names.into_iter().map(|(key, replaced_by)| Redacted { key, replaced_by }).collect())
}

fn clean_copy(state: &Snapshot, memory: &Memory, pattern: &Pattern, now: Timestamp) -> Memory {
    let mut clean = memory.clone();
    pattern.blacken(&mut clean);
    clean.times.updated_at = now.max(memory.times.updated_at.plus_micros(1));
    clean.id = decide::mint(state, &clean);
    clean
}

/// The links of those that go, tied to what takes their places.
fn links(snapshot: &Snapshot, names: &HashMap<Key, Option<MemoryId>>) -> Vec<Change> {
    let mut found: Vec<&Arc<Link>> = names.keys().flat_map(|key| snapshot.links_of(key)).collect();
    found.sort_by_key(|link| link.key());
    found.dedup();
    let now_called = |link: &Link, id: &MemoryId| match names.get(&Key::new(&link.namespace, id)) {
        Some(name) => name.clone(),
        None => Some(id.clone()),
    };
    let renamed = found.into_iter().filter_map(|link| {
        let (from, to) = (now_called(link, &link.from)?, now_called(link, &link.to)?);
        Some(Change::Link(Link { from, to, inline: false, ..link.as_ref().clone() }))
    });
    renamed.collect()
}
