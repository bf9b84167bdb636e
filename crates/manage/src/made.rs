//! What the night made by itself: how it is named, how it is told from what somebody else wrote or changed, and how it
//! gathers evidence without end. It must not decide what is worth making.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::plan::{holds, tie};
use lokid_model::{
    Body, Change, Episode, Kind, Link, Memory, MemoryId, Relation, Scope, Source, Status, Timestamp, render, unseen,
};

pub(super) const ACTOR: &str = "lokid";
/// Where the seal stands among the fields of a record.
const FIELD: &str = "night";

/// An episode that may teach: told as true, open to everyone of its scope, and not taken back.
pub(super) fn episode(memory: &Memory, now: Timestamp) -> Option<&Episode> {
    match &memory.body {
        Body::Episode(episode) if is_plain(memory) && holds(memory, now) => Some(episode),
        _ => None,
    }
}

/// Neither restricted nor only heard.
pub(super) fn is_plain(memory: &Memory) -> bool {
    !memory.restricted && memory.status == Status::Asserted
}

/// A name that comes from what the memory is about, so that two machines give the same one.
pub(super) fn mint(kind: Kind, scope: Scope, parts: &[&str]) -> MemoryId {
    let mut hasher = blake3::Hasher::new();
    for part in [kind.as_str(), scope.as_str()].iter().chain(parts) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let hex = hasher.finalize().to_hex();
    MemoryId::new(&format!("{}-{}", kind.id_prefix(), &hex[..12])).expect("a prefix and hex digits are an id")
}

/// Who says what was made from these. Hearsay stays hearsay, and what was only brought in never commands.
pub(super) fn source_of(evidence: impl Iterator<Item = Source>) -> Source {
    let rank = |source: &Source| match source {
        Source::User | Source::Agent | Source::Git | Source::Mirror => 0,
        Source::Import => 1,
        Source::Tool => 2,
        Source::Log => 3,
    };
    match evidence.min_by_key(rank) {
        Some(heard @ (Source::Import | Source::Tool | Source::Log)) => heard,
        _ => Source::Agent,
    }
}

/// A new memory of the night, not yet sealed. A time that lies ahead is nobody's experience.
pub(super) fn new(id: MemoryId, like: &Memory, kind: Kind, body: Body, newest: Timestamp, now: Timestamp) -> Memory {
    let mut memory = Memory::new(id, kind, render::text_of(&body), newest.min(now));
    memory.times.updated_at = now;
    memory.namespace = like.namespace.clone();
    memory.scope = like.scope;
    memory.title = render::title_of(&body);
    memory.actor = Some(ACTOR.to_owned());
    memory.body = body;
    memory
}

/// Other words for a memory of the night.
pub(super) fn reword(memory: &mut Memory, body: Body) {
    memory.text = render::text_of(&body);
    memory.title = render::title_of(&body);
    memory.body = body;
    seal(memory);
}

/// Marks the words as the night's own: whoever changes them breaks the seal, and they are left alone from then on.
pub(super) fn seal(memory: &mut Memory) {
    let seal = seal_of(memory);
    note(memory, "seal", json!(seal));
}

/// Keeps something beside the words that the night wants to know again.
pub(super) fn note(memory: &mut Memory, name: &str, value: Value) {
    let fields = memory.extra.get_or_insert_with(|| Box::new(Map::new()));
    let own = fields.entry(FIELD).or_insert_with(|| Value::Object(Map::new()));
    if !own.is_object() {
        *own = Value::Object(Map::new());
    }
    if let Some(own) = own.as_object_mut() {
        own.insert(name.to_owned(), value);
    }
}

pub(super) fn noted<'m>(memory: &'m Memory, name: &str) -> Option<&'m Value> {
    memory.extra.as_ref()?.get(FIELD)?.get(name)
}

/// Made here, and its words are still those that were made.
pub(super) fn is_own(memory: &Memory) -> bool {
    let seal = noted(memory, "seal").and_then(Value::as_str);
    memory.actor.as_deref() == Some(ACTOR) && memory.source != Source::User && seal == Some(&seal_of(memory))
}

/// Written or reworded by a person: its words are theirs.
pub(super) fn is_a_persons(memory: &Memory) -> bool {
    memory.source == Source::User || (noted(memory, "seal").is_some() && !is_own(memory))
}

fn seal_of(memory: &Memory) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [&memory.title, &memory.text, &render::text_of(&memory.body)] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// The sources that are known and the newest evidence. Only the night's own memories let go of old ones for new.
pub(super) fn gathered(known: &[String], newest: &[MemoryId], most: usize, is_own: bool) -> Vec<String> {
    let have: BTreeSet<&str> = known.iter().map(String::as_str).collect();
    let wanted = &newest[..newest.len().min(most)];
    let missing: Vec<&MemoryId> = wanted.iter().filter(|id| !have.contains(id.as_str())).collect();
    let mut sources = known.to_vec();
    if missing.is_empty() {
        return sources;
    }
    if is_own {
        let needed: BTreeSet<&str> = wanted.iter().map(MemoryId::as_str).collect();
        let mut excess = (sources.len() + missing.len()).saturating_sub(most);
        sources.retain(|id| {
            let goes = excess > 0 && !needed.contains(id.as_str());
            excess -= usize::from(goes);
            !goes
        });
    }
    let room = most.saturating_sub(sources.len());
    sources.extend(missing.into_iter().take(room).map(|id| id.as_str().to_owned()));
    sources
}

/// Two digits are all that the number of cases can tell, and they change less often.
pub(super) fn rounded(share: f64) -> f64 {
    (share * 100.0).round() / 100.0
}

/// What every memory is derived from, as far as links say so.
pub(super) struct Roots<'a>(BTreeMap<&'a MemoryId, BTreeSet<&'a MemoryId>>);

impl<'a> Roots<'a> {
    pub(super) fn of(links: impl Iterator<Item = &'a Link>) -> Roots<'a> {
        let mut roots: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for link in links.filter(|link| link.relation == Relation::DerivedFrom) {
            roots.entry(&link.from).or_default().insert(&link.to);
        }
        Roots(roots)
    }

    /// Links to the newest evidence, as long as there is room.
    pub(super) fn missing(&self, from: &Memory, newest: &[MemoryId], most: usize, now: Timestamp) -> Vec<Change> {
        let none = BTreeSet::new();
        let known = self.0.get(&from.id).unwrap_or(&none);
        let new = newest.iter().take(most).filter(|id| !known.contains(*id) && **id != from.id);
        let room = most.saturating_sub(known.len());
        new.take(room).map(|id| tie(from, Relation::DerivedFrom, id, 1.0, now)).collect()
    }
}

/// Blanks evened, and not longer than this many characters.
pub(super) fn flat(text: &str, most: usize) -> String {
    // Nearly everything is one clean line already.
    let mut before = b' ';
    let is_clean = |byte: u8| {
        let clean = byte.is_ascii_graphic() || (byte == b' ' && before != b' ');
        before = byte;
        clean
    };
    if text.len() <= most && text.bytes().all(is_clean) && !text.ends_with(' ') {
        return text.to_owned();
    }
    let mut even = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        if length > 0 {
            even.push(' ');
            length += 1;
        }
        for (_, character, _) in unseen::seen(word).filter(|(.., is_seen)| *is_seen) {
            if length >= most {
                even.push('…');
                return even;
            }
            even.push(character);
            length += 1;
        }
    }
    even
}
