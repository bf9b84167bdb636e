//! What an event means for the memory, decided on a snapshot: pure functions that return changes and an answer.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::commons;
use super::error::EngineError;
use super::event::Remembered;
use lokid_index::Snapshot;
use lokid_index::snapshot::slot_of;
use lokid_manage::contradict::{self, Ruling};
use lokid_manage::words::are_the_same;
use lokid_model::draft::allowed_tier;
use lokid_model::{
    Archived, Body, Change, Contradiction, ContradictionStatus, Draft, Key, Kind, Link, Memory, MemoryId, Namespace,
    Patch, Relation, Scope, Source, Timestamp, Tombstone,
};
use lokid_store::schema::{record, skill_text};

pub(super) type Decision<T> = Result<(Vec<Change>, T), EngineError>;

/// The sha256 of a record's content, in hex: what `If-Match` is held against.
pub fn etag(memory: &Memory) -> String {
    Sha256::digest(record::content(memory)).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A new memory, a second telling of one that is known, or a newer value of a known fact.
pub(super) fn remember(snapshot: &Snapshot, now: Timestamp, draft: Draft, twins: Twins<'_>) -> Decision<Remembered> {
    let (supersedes, links) = (draft.supersedes.clone(), draft.links.clone());
    let wanted = draft.id.clone();
    let placeholder = MemoryId::new("new").expect("a plain word is an id");
    // Only words may be merged with words: whoever says more than that means a memory of its own.
    let only_words = draft.importance.is_none() && draft.valid_at.is_none() && draft.timestamp.is_none();
    let mut memory = draft.into_memory(placeholder, now);
    if memory.text.trim().is_empty() {
        return Err(EngineError::Invalid { field: "text", reason: "must not be empty".to_owned() });
    }
    commons::may_hold(&memory)?;
    let wanted = wanted.filter(|id| is_free(snapshot, &Key::new(&memory.namespace, id)));
    let near = |memory: &Memory| {
        let bare = only_words && supersedes.is_empty() && links.is_empty();
        bare.then(|| near_twin(snapshot, memory, now, twins)).flatten()
    };
    // A name that is free is a wish to be told apart.
    let known = if wanted.is_some() { None } else { twin(snapshot, &memory, now).cloned().or_else(|| near(&memory)) };
    if let Some(known) = known {
        let (mut changes, answer) = merge(&known, &memory, now);
        for old in explicitly_superseded(snapshot, &known, &supersedes)?.iter().filter(|old| old.id != known.id) {
            supersede(old, &known, now, &mut changes);
        }
        changes.extend(ties(snapshot, &known, &links, now)?);
        return Ok((changes, answer));
    }
    memory.id = match wanted {
        Some(id) => id,
        None => mint(snapshot, &memory),
    };
    let mut changes = Vec::new();
    let explicit = explicitly_superseded(snapshot, &memory, &supersedes)?;
    let rivals: Vec<Arc<Memory>> =
        rivals(snapshot, &memory, now).into_iter().filter(|r| !explicit.contains(r)).collect();
    for old in &explicit {
        supersede(old, &memory, now, &mut changes);
    }
    let contradictions = settle_with(snapshot, &rivals, &mut memory, now, &mut changes);
    changes.extend(ties(snapshot, &memory, &links, now)?);
    let id = memory.id.clone();
    changes.insert(0, Change::Put { before: None, after: Arc::new(memory) });
    Ok((changes, Remembered { id, created: true, merged_into: None, contradictions }))
}

/// The links a new memory brings.
fn ties(
    snapshot: &Snapshot,
    memory: &Memory,
    links: &[(MemoryId, Relation)],
    now: Timestamp,
) -> Result<Vec<Change>, EngineError> {
    let one = |(to, relation): &(MemoryId, Relation)| {
        let other = Key::new(&memory.namespace, to);
        if snapshot.get(&other).is_none() {
            return Err(EngineError::Invalid { field: "links", reason: format!("no memory {other}") });
        }
        Ok(Change::Link(tie(&memory.namespace, &memory.id, *relation, to, now)))
    };
    links.iter().map(one).collect()
}

/// Memories that are so alike in meaning that they may say the same, best first.
pub(super) type Twins<'a> = &'a dyn Fn(&Memory) -> Vec<Key>;

/// A living memory that says this in nearly the same words. When in doubt there is none: two memories cost a line, a
/// wrong merge costs what one of them said.
fn near_twin(snapshot: &Snapshot, memory: &Memory, now: Timestamp, twins: Twins<'_>) -> Option<Arc<Memory>> {
    // An id, a value of its own or a structure may mean more than the words.
    let plain = memory.body == Body::None && memory.kind != Kind::Episode && memory.outcome.is_none();
    if !plain {
        return None;
    }
    let same = |known: &Arc<Memory>| {
        known.body == Body::None
            && known.kind == memory.kind
            && known.scope == memory.scope
            && known.outcome.is_none()
            && known.times.stale_after == memory.times.stale_after
            && known.times.invalid_at == memory.times.invalid_at
            && is_living_like(known, memory, now)
            && (known.title == memory.title || memory.title.is_empty())
            && are_the_same(&known.text, &memory.text)
    };
    twins(memory).iter().filter_map(|key| snapshot.get(key)).find(|known| same(known)).cloned()
}

/// A living memory that says exactly this. One that no longer holds is no twin: it was true, and is told again.
fn twin<'a>(snapshot: &'a Snapshot, memory: &Memory, now: Timestamp) -> Option<&'a Arc<Memory>> {
    let known = snapshot.same_as(&memory.fingerprint())?;
    is_living_like(known, memory, now).then_some(known)
}

fn is_living_like(known: &Memory, memory: &Memory, now: Timestamp) -> bool {
    let holds = known.times.invalid_at.is_none_or(|end| now < end) && known.times.expired_at.is_none();
    holds && known.status == memory.status && known.restricted == memory.restricted
}

/// The union of what both tellings bring; values never differ here.
fn merge(known: &Arc<Memory>, told: &Memory, now: Timestamp) -> (Vec<Change>, Remembered) {
    let mut merged = known.as_ref().clone();
    if outranks(told, known) {
        // Only the words that were said now have that rank: not a title or a summary that came along with a clone.
        merged = Memory { id: known.id.clone(), times: known.times.clone(), ..told.clone() };
        (merged.usage, merged.extra) = (known.usage.clone(), known.extra.clone());
        take_over(&mut merged, known);
    }
    take_over(&mut merged, told);
    // What a person confirms is no longer hearsay.
    if known.source.is_hearsay() && !told.source.is_hearsay() {
        merged.source = told.source;
    }
    merged.tier = allowed_tier(merged.tier.min(told.tier), merged.source);
    let answer = Remembered {
        id: known.id.clone(),
        created: false,
        merged_into: Some(known.id.clone()),
        contradictions: vec![],
    };
    if merged == **known {
        return (Vec::new(), answer);
    }
    merged.times.updated_at = now.max(known.times.updated_at.plus_micros(1));
    (vec![Change::Put { before: Some(Arc::clone(known)), after: Arc::new(merged) }], answer)
}

/// Does whoever tells it now give it more weight than it has?
fn outranks(told: &Memory, known: &Memory) -> bool {
    told.tier < known.tier || (told.source == Source::User && known.source != Source::User)
}

/// What surrounds the words of another memory: labels, places, origins.
pub(super) fn take_over(known: &mut Memory, told: &Memory) {
    unite(&mut known.tags, &told.tags);
    unite(&mut known.anchors.files, &told.anchors.files);
    unite(&mut known.anchors.symbols, &told.anchors.symbols);
    unite(&mut known.anchors.commits, &told.anchors.commits);
    unite(&mut known.sources, &told.sources);
    known.confidence = known.confidence.max(told.confidence);
}

fn unite(known: &mut Vec<String>, told: &[String]) {
    let have: BTreeSet<String> = known.iter().cloned().collect();
    known.extend(told.iter().filter(|item| !have.contains(*item)).cloned());
}

pub(super) fn is_free(snapshot: &Snapshot, key: &Key) -> bool {
    snapshot.get(key).is_none() && snapshot.archived(key).is_none() && snapshot.tombstone(key).is_none()
}

/// Ids come from content: the same record told on two machines gets the same name.
pub(super) fn mint(snapshot: &Snapshot, memory: &Memory) -> MemoryId {
    let fingerprint = memory.fingerprint();
    (0u32..)
        .map(|turn| {
            let mut hasher = blake3::Hasher::new();
            hasher.update(&fingerprint);
            hasher.update(&turn.to_le_bytes());
            let hex = hasher.finalize().to_hex();
            let name = match (&memory.body, memory.kind) {
                (Body::Skill(skill), _) if turn == 0 && memory.scope != Scope::System => {
                    format!("skill-{}", skill_text::slug(&skill.name))
                }
                (Body::Skill(skill), _) => format!("skill-{}-{}", skill_text::slug(&skill.name), &hex[..4]),
                (_, Kind::Episode) => format!("ep-{}-{}", memory.times.created_at.day(), &hex[..8]),
                (_, kind) => format!("{}-{}", kind.id_prefix(), &hex[..12]),
            };
            MemoryId::new(&name).expect("made of a slug, a date and hex digits")
        })
        .find(|id| is_free(snapshot, &Key::new(&memory.namespace, id)))
        .expect("some turn of the hash is free")
}

/// Facts about the same thing with another value, that hold now.
pub(super) fn rivals(snapshot: &Snapshot, memory: &Memory, now: Timestamp) -> Vec<Arc<Memory>> {
    let Some(slot) = slot_of(memory) else { return Vec::new() };
    let current =
        |old: &&Arc<Memory>| old.times.invalid_at.is_none_or(|end| now < end) && old.times.expired_at.is_none();
    let other_value = |old: &&Arc<Memory>| old.fact().map(|fact| &fact.value) != memory.fact().map(|fact| &fact.value);
    snapshot.facts_of(&slot).filter(current).filter(other_value).cloned().collect()
}

/// What becomes of all other values of the same thing, and what the writer is told of it. Values that nobody can choose
/// between are one matter, however many they are.
fn settle_with(
    snapshot: &Snapshot,
    rivals: &[Arc<Memory>],
    new: &mut Memory,
    now: Timestamp,
    changes: &mut Vec<Change>,
) -> Vec<Contradiction> {
    let is_replaced = |old: &&Arc<Memory>| contradict::rule(old, new) == Ruling::Replaces;
    let replaced: Vec<Key> = rivals.iter().filter(is_replaced).map(|old| old.key()).collect();
    let found: Vec<_> = rivals.iter().rev().map(|old| settle(old, new, now, changes)).collect();
    let (open, mut told): (Vec<_>, Vec<_>) = found.into_iter().partition(|one| one.status == ContradictionStatus::Open);
    // A matter is moot with a value that this one replaces, and goes on with this one.
    let known = rivals.iter().filter_map(|old| snapshot.open_dispute_of(&old.key()));
    let (moot, known): (Vec<_>, Vec<_>) = known.partition(|one| one.sides().iter().any(|side| replaced.contains(side)));
    let status = ContradictionStatus::Superseded;
    changes.extend(moot.into_iter().map(|one| Change::Contradict(Contradiction { status, ..one.as_ref().clone() })));
    changes.extend(told.iter().cloned().map(Change::Contradict));
    if let Some(open) = open.into_iter().next() {
        let known = known.first().map(|known| known.as_ref().clone());
        if known.is_none() && snapshot.open_contradictions() < contradict::MOST_OPEN {
            changes.push(Change::Contradict(open.clone()));
        }
        told.push(known.unwrap_or(open));
    }
    told
}

/// The later value wins by itself when both are asserted and it does not come from mere hearsay against better
/// knowledge; otherwise the matter stays open.
fn settle(old: &Arc<Memory>, new: &mut Memory, now: Timestamp, changes: &mut Vec<Change>) -> Contradiction {
    let key = new.fact().map_or_else(String::new, |fact| fact.key.clone());
    // What is known already and dated later than now has its date from a clock that was wrong: it was said before.
    let misdated = old.times.created_at > now && old.times.valid_at <= old.times.created_at;
    let ruling = match contradict::rule(old, new) {
        Ruling::WasBefore if misdated => Ruling::Replaces,
        ruling => ruling,
    };
    let (status, why) = match ruling {
        Ruling::Open(why) => (ContradictionStatus::Open, format!("`{key}` has another value, and {why}")),
        Ruling::Replaces => {
            supersede(old, new, now, changes);
            (ContradictionStatus::Superseded, format!("a newer value of `{key}`"))
        }
        Ruling::WasBefore => {
            // Late news of an earlier time: true then, over since the value that is known began.
            let end = new.times.invalid_at.map_or(old.times.valid_at, |end| end.min(old.times.valid_at));
            new.times.invalid_at = Some(end);
            changes.push(Change::Link(tie(&new.namespace, &old.id, Relation::Supersedes, &new.id, now)));
            (ContradictionStatus::Superseded, format!("an earlier value of `{key}`"))
        }
    };
    contradict::found(old, new, status, &why, now)
}

pub(super) fn supersede(old: &Arc<Memory>, new: &Memory, now: Timestamp, changes: &mut Vec<Change>) {
    let mut ended = old.as_ref().clone();
    ended.times.invalid_at = Some(new.times.valid_at.max(old.times.valid_at));
    ended.times.expired_at = Some(now.max(old.times.created_at));
    ended.times.updated_at = now.max(old.times.updated_at.plus_micros(1));
    changes.push(Change::Put { before: Some(Arc::clone(old)), after: Arc::new(ended) });
    changes.push(Change::Link(tie(&new.namespace, &new.id, Relation::Supersedes, &old.id, now)));
    changes.push(Change::Link(tie(&new.namespace, &old.id, Relation::SupersededBy, &new.id, now)));
}

fn explicitly_superseded(
    snapshot: &Snapshot,
    memory: &Memory,
    ids: &[MemoryId],
) -> Result<Vec<Arc<Memory>>, EngineError> {
    let find = |id: &MemoryId| {
        let key = Key::new(&memory.namespace, id);
        let missing = || EngineError::Invalid { field: "supersedes", reason: format!("no memory {key}") };
        snapshot.get(&key).cloned().ok_or_else(missing)
    };
    ids.iter().map(find).collect()
}

fn tie(namespace: &Namespace, from: &MemoryId, relation: Relation, to: &MemoryId, now: Timestamp) -> Link {
    Link::new(namespace.clone(), from.clone(), relation, to.clone(), now)
}

pub(super) fn patch(
    snapshot: &Snapshot,
    now: Timestamp,
    key: &Key,
    patch: Patch,
    if_match: Option<&str>,
) -> Decision<Arc<Memory>> {
    let old = snapshot.get(key).ok_or_else(|| EngineError::NotFound(key.clone()))?;
    let current = etag(old);
    if if_match.is_some_and(|wanted| wanted != "*" && wanted != current) {
        return Err(EngineError::Stale { etag: current });
    }
    let mut new = patch.apply(old, now);
    if new.text.trim().is_empty() && !old.text.trim().is_empty() {
        return Err(EngineError::Invalid { field: "text", reason: "must not be empty".to_owned() });
    }
    if new == **old {
        return Ok((Vec::new(), Arc::clone(old)));
    }
    commons::may_hold(&new)?;
    let after = if new.fact() == old.fact() { Vec::new() } else { settle_all(snapshot, &mut new, now) };
    let new = Arc::new(new);
    let put = Change::Put { before: Some(Arc::clone(old)), after: Arc::clone(&new) };
    Ok(([put].into_iter().chain(after).collect(), new))
}

/// A fact that comes back, or comes to speak of another thing, meets the values that hold there now.
pub(super) fn settle_all(snapshot: &Snapshot, memory: &mut Memory, now: Timestamp) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut others = rivals(snapshot, memory, now);
    others.retain(|rival| rival.id != memory.id);
    settle_with(snapshot, &others, memory, now, &mut changes);
    changes
}

/// Archives what is there, or purges what is there or in the archive. Answers with what was found.
pub(super) fn forget(
    snapshot: &Snapshot,
    now: Timestamp,
    keys: &[Key],
    reason: &str,
    purge: bool,
) -> (Vec<Change>, Vec<Key>) {
    let copies = if purge { copies_of(snapshot, keys) } else { Vec::new() };
    let keys: Vec<Key> = keys.iter().chain(&copies).cloned().collect();
    let mut changes = if purge { forget_origins(snapshot, &keys, now) } else { Vec::new() };
    let mut gone = Vec::new();
    let mut seen = HashSet::new();
    for key in keys.iter().filter(|key| seen.insert(*key)) {
        let living = snapshot.get(key);
        let memory = living.or_else(|| snapshot.archived(key).filter(|_| purge).map(|entry| &entry.memory));
        let Some(memory) = memory else { continue };
        if purge {
            changes.push(Change::Purge(Tombstone::of(memory, now, reason)));
        } else {
            let entry = Archived {
                memory: Arc::clone(memory),
                at: now.max(memory.times.updated_at),
                reason: reason.to_owned(),
            };
            changes.push(Change::Archive(Arc::new(entry)));
        }
        gone.push(key.clone());
    }
    (changes, gone)
}

/// Living or archived.
fn known<'a>(snapshot: &'a Snapshot, key: &Key) -> Option<&'a Arc<Memory>> {
    snapshot.get(key).or_else(|| snapshot.archived(key).map(|entry| &entry.memory))
}

/// The same words under other names: what became one with these, and what these became one with. Whoever purges one of
/// them means the words.
fn copies_of(snapshot: &Snapshot, keys: &[Key]) -> Vec<Key> {
    let mut seen: HashSet<Key> = keys.iter().cloned().collect();
    let mut waiting: Vec<Key> = keys.to_vec();
    let mut copies = Vec::new();
    while let Some(key) = waiting.pop() {
        let Some(memory) = known(snapshot, &key) else { continue };
        let links = snapshot.links_of(&key).into_iter();
        for link in links.filter(|link| matches!(link.relation, Relation::Supersedes | Relation::SupersededBy)) {
            let other = Key::new(&key.namespace, if link.from == key.id { &link.to } else { &link.from });
            let is_copy = known(snapshot, &other).is_some_and(|other| other.fingerprint() == memory.fingerprint());
            if is_copy && seen.insert(other.clone()) {
                copies.push(other.clone());
                waiting.push(other);
            }
        }
    }
    copies.sort();
    copies
}

/// Memories that were made from purged ones no longer name them, nor say what was put before their own words.
pub(super) fn forget_origins(snapshot: &Snapshot, keys: &[Key], now: Timestamp) -> Vec<Change> {
    let purged: HashSet<(&Namespace, &str)> = keys.iter().map(|key| (&key.namespace, key.id.as_str())).collect();
    let leaving: HashSet<&Key> = keys.iter().collect();
    let mut words: HashMap<Key, Vec<&str>> = HashMap::new();
    for (key, memory) in keys.iter().filter_map(|key| Some((key, known(snapshot, key)?))) {
        let heirs = snapshot.links_of(key).into_iter();
        for heir in heirs.filter(|link| link.relation == Relation::Supersedes && link.to == key.id) {
            words.entry(Key::new(&key.namespace, &heir.from)).or_default().push(memory.text.trim_end());
        }
    }
    let mut changes = Vec::new();
    for heir in snapshot.memories().filter(|memory| !memory.sources.is_empty() || !words.is_empty()) {
        let named = |source: &String| purged.contains(&(&heir.namespace, source.as_str()));
        let told = words.get(&heir.key()).into_iter().flatten();
        let rest = told.filter_map(|words| heir.text.strip_prefix(words)?.strip_prefix('\n')).next();
        let reworded = || words.get(&heir.key()).into_iter().flatten();
        let left: Vec<String> =
            heir.also().filter(|also| !reworded().any(|gone| *gone == also.trim_end())).map(str::to_owned).collect();
        let is_clean = rest.is_none() && !heir.sources.iter().any(named) && left.len() == heir.also().count();
        if is_clean || leaving.contains(&heir.key()) {
            continue;
        }
        let mut clean = heir.as_ref().clone();
        clean.set_also(left);
        clean.sources.retain(|source| !named(source));
        if let Some(rest) = rest.filter(|rest| !rest.trim().is_empty()) {
            clean.text = rest.to_owned();
            clean.shorter = Default::default();
        }
        clean.times.updated_at = now.max(heir.times.updated_at.plus_micros(1));
        changes.push(Change::Put { before: Some(Arc::clone(heir)), after: Arc::new(clean) });
    }
    changes
}

pub(super) fn restore(snapshot: &Snapshot, now: Timestamp, key: &Key) -> Decision<Arc<Memory>> {
    if let Some(living) = snapshot.get(key) {
        return Ok(parted(snapshot, living, now));
    }
    let entry = snapshot.archived(key).ok_or_else(|| EngineError::NotFound(key.clone()))?;
    let mut memory = entry.memory.as_ref().clone();
    memory.times.updated_at = now.max(entry.at.plus_micros(1)).max(memory.times.updated_at.plus_micros(1));
    let after = settle_all(snapshot, &mut memory, now);
    let memory = Arc::new(memory);
    let back = Archived { memory: Arc::clone(&memory), at: now.max(entry.at), reason: entry.reason.clone() };
    Ok(([Change::Restore(Arc::new(back))].into_iter().chain(after).collect(), memory))
}

/// One that became part of another is itself again, as it was; what the other took over of its words goes. That the other
/// once took its place stays written, so that no night does it again.
fn parted(snapshot: &Snapshot, living: &Arc<Memory>, now: Timestamp) -> (Vec<Change>, Arc<Memory>) {
    let Some(into) = living.merged_into().and_then(MemoryId::new) else {
        return (Vec::new(), Arc::clone(living));
    };
    let renewed = |old: &Arc<Memory>, change: &dyn Fn(&mut Memory)| {
        let mut new = old.as_ref().clone();
        change(&mut new);
        new.times.updated_at = now.max(old.times.updated_at.plus_micros(1));
        (Arc::clone(old), Arc::new(new))
    };
    let (before, back) = renewed(living, &|memory| {
        memory.times.expired_at = None;
        memory.set_merged_into(None);
    });
    let mut changes = vec![Change::Put { before: Some(before), after: Arc::clone(&back) }];
    if let Some(kept) = snapshot.get(&Key::new(&living.namespace, &into)) {
        let (before, after) = renewed(kept, &|memory| {
            memory.set_also(memory.also().filter(|also| *also != back.text).map(str::to_owned).collect());
            memory.sources.retain(|source| source != back.id.as_str());
        });
        changes.push(Change::Put { before: Some(before), after });
    }
    (changes, back)
}

pub(super) fn link(
    snapshot: &Snapshot,
    now: Timestamp,
    namespace: &Namespace,
    from: &MemoryId,
    to: &MemoryId,
    relation: Relation,
) -> Decision<Link> {
    for id in [from, to] {
        let key = Key::new(namespace, id);
        if snapshot.get(&key).is_none() {
            return Err(EngineError::NotFound(key));
        }
    }
    if from == to {
        return Err(EngineError::Invalid { field: "to", reason: "a memory cannot be linked to itself".to_owned() });
    }
    let link = tie(namespace, from, relation, to, now);
    match snapshot.link(&link.key()) {
        Some(known) => Ok((Vec::new(), known.as_ref().clone())),
        None => Ok((vec![Change::Link(link.clone())], link)),
    }
}
