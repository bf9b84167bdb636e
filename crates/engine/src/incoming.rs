//! What the items of others mean for the memory here: decided on a snapshot, pure.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::conflict;
use super::decide;
use super::redaction::Redaction;
use lokid_index::Snapshot;
use lokid_manage::{contradict, forget};
use lokid_model::clean::AsItIs;
use lokid_model::{
    Archived, Change, Contradiction, ContradictionStatus, Key, Link, Memory, MemoryId, Namespace, Source, Timestamp,
    Tombstone,
};
use lokid_team::merge::{self, Decision, LocalItem};
use lokid_team::projection;
use lokid_team::sync::{Incoming, Us};
use lokid_team::{Head, HeadState, ItemKey, ItemKind};
use serde_json::Value;

/// Why a memory of the team left.
const FORGOTTEN: &str = "forgotten by the team";
const PURGED: &str = "purged by the team";

/// An item as it stands here.
pub(crate) fn local(snapshot: &Snapshot, item: &ItemKey, me: &str) -> LocalItem {
    match item.kind {
        ItemKind::Memory => {
            projection::memory_key(item).map_or(LocalItem::Aside, |key| local_memory(snapshot, &key, me))
        }
        ItemKind::Link => {
            let link = projection::link_key(item).and_then(|key| snapshot.link(&key));
            let leaves = |link: &&Arc<Link>| all_leave(snapshot, &link.namespace, [&link.from, &link.to]);
            match link {
                Some(link) => live(Some(link).filter(leaves).and_then(|link| projection::of_link(link))),
                None => LocalItem::Absent,
            }
        }
        ItemKind::Contradiction => {
            let found = projection::contradiction_key(item).and_then(|(space, id)| snapshot.contradiction(&space, &id));
            let leaves = |found: &&Arc<Contradiction>| all_leave(snapshot, &found.namespace, [&found.a, &found.b]);
            match found {
                Some(found) => {
                    live(Some(found).filter(leaves).and_then(|found| projection::of_contradiction(found, &AsItIs)))
                }
                None => LocalItem::Absent,
            }
        }
    }
}

/// What speaks of memories leaves with them: not where one of them stays here, or is made anew wherever the repository is.
fn all_leave(snapshot: &Snapshot, namespace: &Namespace, ids: [&MemoryId; 2]) -> bool {
    ids.into_iter().all(|id| {
        let key = Key::new(namespace, id);
        let known = snapshot.get(&key).or(snapshot.archived(&key).map(|entry| &entry.memory));
        known.is_none_or(|memory| projection::may_leave(memory)) && !snapshot.is_derived(&key)
    })
}

fn local_memory(snapshot: &Snapshot, key: &Key, me: &str) -> LocalItem {
    // What came from a file was cleaned when it was read: it is cleaned once more when it is sent.
    if let Some(memory) = snapshot.get(key).filter(|_| !snapshot.is_derived(key)) {
        return match projection::may_leave(memory) {
            true => live(projection::of_memory(memory, me, &AsItIs)),
            false => LocalItem::Kept,
        };
    }
    if let Some(tombstone) = snapshot.tombstone(key) {
        return LocalItem::Purged { fingerprint: hex(&tombstone.fingerprint) };
    }
    match snapshot.archived(key) {
        // What nobody used here may be in use elsewhere.
        Some(entry) if entry.reason.starts_with(forget::REASON) => LocalItem::Aside,
        Some(entry) => projection::of_memory(&entry.memory, me, &AsItIs).map_or(LocalItem::Aside, LocalItem::Forgotten),
        None => LocalItem::Absent,
    }
}

fn live(record: Option<Value>) -> LocalItem {
    record.map_or(LocalItem::Aside, LocalItem::Live)
}

/// What a record of the database would be here, as it would leave again.
pub(crate) fn as_kept_here(item: &ItemKey, record: &Value, author: &str) -> Value {
    let kept = match item.kind {
        ItemKind::Memory => projection::memory_from(item, record, author, None, &AsItIs)
            .ok()
            .and_then(|memory| projection::of_memory(&memory, author, &AsItIs)),
        ItemKind::Link => projection::link_from(item, record).ok().and_then(|link| projection::of_link(&link)),
        ItemKind::Contradiction => projection::contradiction_from(item, record, &AsItIs)
            .ok()
            .and_then(|found| projection::of_contradiction(&found, &AsItIs)),
    };
    kept.unwrap_or_else(|| record.clone())
}

/// The changes that take these in, item by item, and what could not be: that is left where it is, and told.
pub(crate) fn take(
    snapshot: &Snapshot,
    now: Timestamp,
    (incoming, us): (&[Incoming], &Us),
    cleaner: &Redaction,
) -> (Vec<Vec<Change>>, BTreeSet<ItemKey>) {
    let mut left_out = BTreeSet::new();
    let mut draft = snapshot.clone();
    let mut taken = Vec::new();
    for Incoming { head, base, .. } in incoming {
        let base = base.as_ref();
        let decided = match merge::decide(&local(&draft, &head.item, &us.me), base, &head.state, &us.me) {
            Decision::Nothing => continue,
            decision => carry_out(&draft, now, (head, us), decision, cleaner),
        };
        match decided {
            Ok(mut changes) => {
                draft.apply_all(&changes);
                // Two edits of one memory stand side by side until somebody chooses.
                let edited: Vec<Arc<Memory>> = changes.iter().filter_map(Change::memory).cloned().collect();
                for memory in &edited {
                    let settled = conflict::settle(&draft, memory, now);
                    draft.apply_all(&settled);
                    changes.extend(settled);
                }
                taken.push(changes);
            }
            Err(why) => {
                tracing::warn!(item = %head.item.name, author = %head.author, reason = %why, "an item of the team is left out");
                left_out.insert(head.item.clone());
            }
        }
    }
    (taken, left_out)
}

/// Memories of this machine that stand in the database: they say whose word they are, and are otherwise as they were.
pub(crate) fn signed(snapshot: &Snapshot, keys: &[Key], me: &str) -> Vec<Change> {
    let unsigned = keys.iter().filter_map(|key| snapshot.get(key)).filter(|memory| memory.author() != Some(me));
    let sign = |memory: &Arc<Memory>| {
        let mut signed = memory.as_ref().clone();
        signed.set_author(me);
        Change::Put { before: Some(Arc::clone(memory)), after: Arc::new(signed) }
    };
    unsigned.map(sign).collect()
}

fn carry_out(
    snapshot: &Snapshot,
    now: Timestamp,
    (head, us): (&Head, &Us),
    decision: Decision,
    cleaner: &Redaction,
) -> Result<Vec<Change>, String> {
    let item = &head.item;
    match item.kind {
        ItemKind::Memory => {
            let key = projection::memory_key(item).ok_or("a name that no memory can have")?;
            memory(snapshot, now, &key, (head, us), decision, cleaner)
        }
        ItemKind::Link => match decision {
            Decision::Put(record) | Decision::Restore(record) => {
                Ok(vec![Change::Link(projection::link_from(item, &record)?)])
            }
            _ => Ok(unlinked(snapshot, item).map(Change::Unlink).into_iter().collect()),
        },
        ItemKind::Contradiction => match decision {
            Decision::Put(record) | Decision::Restore(record) => {
                let found: Contradiction = projection::contradiction_from(item, &record, cleaner)?;
                Ok(vec![Change::Contradict(found)])
            }
            // Nobody takes back that there was a matter; it goes with what it is about.
            _ => Ok(Vec::new()),
        },
    }
}

fn unlinked(snapshot: &Snapshot, item: &ItemKey) -> Option<Link> {
    let link = snapshot.link(&projection::link_key(item)?)?;
    (!link.inline).then(|| link.as_ref().clone())
}

fn memory(
    snapshot: &Snapshot,
    now: Timestamp,
    key: &Key,
    (head, us): (&Head, &Us),
    decision: Decision,
    cleaner: &Redaction,
) -> Result<Vec<Change>, String> {
    let living = snapshot.get(key).filter(|_| !snapshot.is_derived(key));
    let archived = snapshot.archived(key);
    let ours = living.or(archived.map(|entry| &entry.memory));
    let read =
        |record: &Value| projection::memory_from(&head.item, record, &head.author, ours.map(Arc::as_ref), cleaner);
    Ok(match decision {
        Decision::Nothing => Vec::new(),
        Decision::Put(record) => put(snapshot, now, living, read(&record)?)?,
        Decision::Restore(record) => {
            let (Some(entry), mut memory) = (archived, read(&record)?) else { return Ok(Vec::new()) };
            let left = entry.at.max(entry.memory.times.updated_at);
            memory.times.updated_at = memory.times.updated_at.max(left.plus_micros(1));
            let back = Archived { memory: Arc::new(memory), at: now.max(entry.at), reason: entry.reason.clone() };
            vec![Change::Restore(Arc::new(back))]
        }
        Decision::Archive => {
            let Some(memory) = living else { return Ok(Vec::new()) };
            let at = now.max(memory.times.updated_at);
            let entry = Archived { memory: Arc::clone(memory), at, reason: FORGOTTEN.to_owned() };
            vec![Change::Archive(Arc::new(entry))]
        }
        Decision::Purge if ours.is_some_and(|ours| !us.lets_purge(ours, &head.author)) => {
            return Err("whoever purged it neither wrote it nor promotes".to_owned());
        }
        Decision::Purge if ours.is_some() => decide::forget(snapshot, now, std::slice::from_ref(key), PURGED, true).0,
        Decision::Purge => match &head.state {
            HeadState::Purged { fingerprint } if snapshot.tombstone(key).is_none() => {
                buried(key, fingerprint, now).map(Change::Purge).into_iter().collect()
            }
            _ => Vec::new(),
        },
    })
}

fn put(
    snapshot: &Snapshot,
    now: Timestamp,
    living: Option<&Arc<Memory>>,
    mut memory: Memory,
) -> Result<Vec<Change>, String> {
    // A reader of the files takes the newest version, whatever the clocks of others say.
    if let Some(living) = living.filter(|living| memory.times.updated_at <= living.times.updated_at) {
        memory.times.updated_at = living.times.updated_at.plus_micros(1);
    }
    if snapshot.is_buried(&memory.fingerprint()) {
        return Err("what it says was purged here".to_owned());
    }
    let settled = if living.is_none() { met(snapshot, &mut memory, now) } else { Vec::new() };
    let change = Change::Put { before: living.cloned(), after: Arc::new(memory) };
    Ok([change].into_iter().chain(settled).collect())
}

/// A fact that another member knows meets the values that hold here. The later one takes the place of the other, and both
/// stay with their authors; what a person said themselves gives way to nobody without being asked.
fn met(snapshot: &Snapshot, memory: &mut Memory, now: Timestamp) -> Vec<Change> {
    let holds = memory.times.invalid_at.is_none_or(|end| now < end) && memory.times.expired_at.is_none();
    if memory.fact().is_none() || !holds {
        return Vec::new();
    }
    let is_own_word = |rival: &Arc<Memory>| {
        let said_by_person = rival.source == Source::User || memory.source == Source::User;
        said_by_person && rival.author() != memory.author()
    };
    let Some(rival) = decide::rivals(snapshot, memory, now).into_iter().find(is_own_word) else {
        return decide::settle_all(snapshot, memory, now);
    };
    let told = Arc::new(memory.clone());
    let (a, b) = contradict::in_order(&rival, &told);
    let key = memory.fact().map(|fact| fact.key.as_str()).unwrap_or_default();
    let why = format!("two members of the team say different things of `{key}`, one of them as a person");
    let found = contradict::found(a, b, ContradictionStatus::Open, &why, now);
    let is_known = snapshot.contradiction(&found.namespace, &found.id).is_some();
    if is_known { Vec::new() } else { vec![Change::Contradict(found)] }
}

/// One that was never here: it must not come by another way.
fn buried(key: &Key, fingerprint: &str, now: Timestamp) -> Option<Tombstone> {
    let digits = u128::from_str_radix(fingerprint, 16).ok().filter(|_| fingerprint.len() == 32)?;
    let (fingerprint, scope) = (digits.to_be_bytes(), lokid_model::Scope::ProjectShared);
    Some(Tombstone { key: key.clone(), fingerprint, at: now, reason: PURGED.to_owned(), scope })
}

fn hex(bytes: &[u8; 16]) -> String {
    format!("{:032x}", u128::from_be_bytes(*bytes))
}
