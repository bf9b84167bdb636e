//! What becomes of a memory that two people changed at once: each of the other wordings is a memory beside it, and an
//! open contradiction asks somebody to choose. Pure, and the same on every machine: ids and times come from the records.

use std::collections::BTreeMap;
use std::sync::Arc;

use lokid_index::Snapshot;
use lokid_manage::contradict;
use lokid_model::memory::Claim;
use lokid_model::{Change, Conflict, ContradictionStatus, Memory, MemoryId, Source, Tier, Timestamp};
use lokid_store::schema::record;

/// Nothing for a memory without conflicts. Otherwise the memory without them, and whatever of them is not known yet.
pub fn settle(snapshot: &Snapshot, memory: &Arc<Memory>, now: Timestamp) -> Vec<Change> {
    let conflicts = memory.conflicts();
    if conflicts.is_empty() {
        return Vec::new();
    }
    let mut bare = memory.as_ref().clone();
    bare.drop_conflicts();
    // Just later than it was: every machine that does the same writes the same.
    bare.times.updated_at = memory.times.updated_at.plus_micros(1);
    let mut changes = Vec::new();
    // What one record said belongs together.
    let mut records: BTreeMap<(Option<Timestamp>, usize), Vec<&Conflict>> = BTreeMap::new();
    for conflict in &conflicts {
        let of_one = |turn: &usize| {
            let taken = records.get(&(conflict.updated_at, *turn));
            taken.is_none_or(|taken| taken.iter().all(|other| other.field != conflict.field))
        };
        let turn = (0..).find(of_one).unwrap_or_default();
        records.entry((conflict.updated_at, turn)).or_default().push(conflict);
    }
    for ((at, _), said) in &records {
        if let Some(other) = sibling(&bare, said, at.unwrap_or(memory.times.created_at)) {
            changes.extend(ask(snapshot, &bare, other, said, now));
        }
    }
    changes.insert(0, Change::Put { before: Some(Arc::clone(memory)), after: Arc::new(bare) });
    changes
}

/// The memory as the other record had it; nothing when it says the same after all.
fn sibling(memory: &Memory, said: &[&Conflict], at: Timestamp) -> Option<Memory> {
    let fields = said.iter().map(|conflict| (conflict.field.as_str(), &conflict.value));
    let mut other = record::with_fields(memory, fields)?;
    if (&other.text, &other.title, &other.body) != (&memory.text, &memory.title, &memory.body) {
        other.shorter = Default::default();
    } else if other.extra == memory.extra && other.anchors == memory.anchors && other.sources == memory.sources {
        return None;
    }
    other.id = id_of(memory, said)?;
    // Whose it is tells whoever brings it to the team.
    other.drop_author();
    other.times.updated_at = at.max(memory.times.created_at);
    (other.usage, other.outcome) = (Default::default(), memory.outcome);
    // The words may be anybody's: they bind nobody here before somebody says so.
    let asks = memory.claimed();
    let source = if asks.source == Source::User { Source::Import } else { asks.source };
    (other.tier, other.source) = (asks.tier.max(Tier::Reference), source);
    other.claim = ((other.tier, other.source) != (asks.tier, asks.source)).then_some(Claim { ..asks });
    Some(other)
}

fn id_of(memory: &Memory, said: &[&Conflict]) -> Option<MemoryId> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(memory.id.as_str().as_bytes());
    for conflict in said {
        let mut value = conflict.value.clone();
        value.sort_all_objects();
        hasher.update(format!("\0{}\0{value}", conflict.field).as_bytes());
    }
    let hex = hasher.finalize().to_hex();
    MemoryId::new(&format!("{}-{}", memory.id, &hex[..8]))
        .or_else(|| MemoryId::new(&format!("{}-{}", memory.kind.id_prefix(), &hex[..12])))
}

/// Puts the other wording beside the one that stands and asks, once: what was settled, forgotten or purged is not asked
/// again.
fn ask(snapshot: &Snapshot, memory: &Memory, other: Memory, said: &[&Conflict], now: Timestamp) -> Vec<Change> {
    if !super::decide::is_free(snapshot, &other.key()) {
        return Vec::new();
    }
    let fields: Vec<String> = said.iter().map(|conflict| format!("`{}`", conflict.field)).collect();
    let why = format!("two edits of {}", fields.join(" and "));
    let is_earlier = (other.times.updated_at, &other.id) <= (memory.times.updated_at, &memory.id);
    let (a, b) = if is_earlier { (&other, memory) } else { (memory, &other) };
    let found_at = b.times.updated_at.min(now);
    let found = contradict::found(a, b, ContradictionStatus::Open, &why, found_at);
    vec![Change::Put { before: None, after: Arc::new(other) }, Change::Contradict(found)]
}

#[cfg(test)]
mod tests;
