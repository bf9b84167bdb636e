//! Which items may leave this machine, and with which words; and what an item from elsewhere becomes here.
//!
//! Pure. Private and restricted memories never leave, nor what this machine counts about its own reading, nor paths outside
//! of the repository; what leaves has passed the redactor once more, and so has what comes.

use lokid_model::memory::{AUTHOR, Episode};
use lokid_model::{
    Body, Cleaner, Contradiction, Key, Link, Memory, MemoryId, Namespace, Rare, Relation, Scope, Source, clean, lengths,
};
use lokid_store::schema::lists::{read_contradiction, read_link, view_contradiction, view_link};
use lokid_store::schema::{Detail, record};
use serde_json::{Map, Value};

use super::item::{ItemKey, ItemKind};
use super::limits;

/// Which lines of other machines' files a line was made from: only the files know.
const BUILT_ON: &str = "built_on";

pub fn key_of(key: &Key) -> ItemKey {
    ItemKey::new(ItemKind::Memory, key.namespace.as_str(), key.id.as_str())
}

pub fn key_of_link(link: &Link) -> ItemKey {
    let name = format!("{} {} {}", link.from.as_str(), link.relation.as_str(), link.to.as_str());
    ItemKey::new(ItemKind::Link, link.namespace.as_str(), name)
}

pub fn key_of_contradiction(found: &Contradiction) -> ItemKey {
    let name = format!("{} {} {}", found.id, found.a.as_str(), found.b.as_str());
    ItemKey::new(ItemKind::Contradiction, found.namespace.as_str(), name)
}

/// The memory an item is.
pub fn memory_key(item: &ItemKey) -> Option<Key> {
    let named = item.kind == ItemKind::Memory;
    named.then(|| Some(Key::new(&Namespace::new(&item.namespace)?, &MemoryId::foreign(&item.name)?))).flatten()
}

/// The link an item is.
pub fn link_key(item: &ItemKey) -> Option<lokid_model::link::LinkKey> {
    let words: Vec<&str> = item.name.split(' ').collect();
    let [from, relation, to] = words[..] else { return None };
    let namespace = Namespace::new(&item.namespace)?;
    Some((namespace, MemoryId::foreign(from)?, Relation::parse(relation)?, MemoryId::foreign(to)?))
}

/// The contradiction an item is.
pub fn contradiction_key(item: &ItemKey) -> Option<(Namespace, String)> {
    Some((Namespace::new(&item.namespace)?, item.name.split(' ').next()?.to_owned()))
}

/// May it leave? Cheap, so that it can be asked of every memory.
pub fn may_leave(memory: &Memory) -> bool {
    memory.scope == Scope::ProjectShared && !memory.restricted && !memory.is_borrowed() && memory.id.is_path_safe()
}

/// The record as it leaves; nothing for one that stays. What nobody else said is said by `me`.
pub fn of_memory(memory: &Memory, me: &str, cleaner: &dyn Cleaner) -> Option<Value> {
    if !may_leave(memory) {
        return None;
    }
    let mut bare = memory.clone();
    bare.usage = Rare::default();
    // Each machine makes the shorter lengths for itself.
    lengths::drop_made(&mut bare);
    leave_out_places(&mut bare);
    let mut record = record::write(&bare, Detail::Lean);
    record.shift_remove(BUILT_ON);
    record.entry(AUTHOR).or_insert_with(|| me.into());
    cleaned(Value::Object(record), cleaner)
}

pub fn of_link(link: &Link) -> Option<Value> {
    let ids_are_words = link.from.is_path_safe() && link.to.is_path_safe();
    // One that stands inside of a record travels with it.
    (ids_are_words && !link.inline).then(|| view_link(link))
}

pub fn of_contradiction(found: &Contradiction, cleaner: &dyn Cleaner) -> Option<Value> {
    let ids_are_words = found.a.is_path_safe() && found.b.is_path_safe();
    if ids_are_words { cleaned(view_contradiction(found), cleaner) } else { None }
}

fn cleaned(record: Value, cleaner: &dyn Cleaner) -> Option<Value> {
    let text = record.to_string();
    if text.len() > limits::MOST_RECORD {
        return None;
    }
    match clean::json(&text, cleaner) {
        Some(cleaned) => serde_json::from_str(&cleaned.text).ok(),
        None => Some(record),
    }
}

/// What a record from elsewhere is as a memory of this machine. `author` is whose it is where it does not say so itself;
/// `ours` is what stands here, and keeps what is only this machine's.
pub fn memory_from(
    item: &ItemKey,
    record: &Value,
    author: &str,
    ours: Option<&Memory>,
    cleaner: &dyn Cleaner,
) -> Result<Memory, String> {
    let key = memory_key(item).ok_or("a name that no memory can have")?;
    let Some(Value::Object(object)) = cleaned(record.clone(), cleaner) else {
        return Err("no record, or one that is too long".to_owned());
    };
    let mut object = object;
    object.shift_remove(BUILT_ON);
    let mut memory = record::read(object)?;
    if memory.id != key.id {
        return Err(format!("the record says that it is {}", memory.id.as_str()));
    }
    lengths::drop_made(&mut memory);
    (memory.namespace, memory.scope) = (key.namespace, Scope::ProjectShared);
    // Who may see it here, and that it comes from a store, nobody else says.
    memory.restricted = ours.is_some_and(|ours| ours.restricted);
    if memory.is_borrowed() {
        memory.source = Source::Import;
    }
    if memory.author().is_none() && !author.is_empty() {
        memory.set_author(author);
    }
    memory.usage = ours.map(|ours| ours.usage.clone()).unwrap_or_default();
    leave_out_places(&mut memory);
    if let Some(ours) = ours {
        bring_back_places(&mut memory, ours);
    }
    Ok(memory)
}

pub fn link_from(item: &ItemKey, record: &Value) -> Result<Link, String> {
    let key = link_key(item).ok_or("a name that no link can have")?;
    let object = object(record)?;
    let link = read_link(object, &key.0, Default::default()).ok_or("no link that is understood")?;
    if link.key() == key { Ok(link) } else { Err("a link that is called otherwise".to_owned()) }
}

pub fn contradiction_from(item: &ItemKey, record: &Value, cleaner: &dyn Cleaner) -> Result<Contradiction, String> {
    let (namespace, _) = contradiction_key(item).ok_or("a name that no contradiction can have")?;
    let record = cleaned(record.clone(), cleaner).ok_or("a record that is too long")?;
    let found = read_contradiction(object(&record)?, &namespace).ok_or("no contradiction that is understood")?;
    let is_named = key_of_contradiction(&found) == *item;
    if is_named { Ok(found) } else { Err("a contradiction that is called otherwise".to_owned()) }
}

fn object(record: &Value) -> Result<Map<String, Value>, String> {
    record.as_object().cloned().ok_or_else(|| "no record".to_owned())
}

/// Every list of paths a memory has.
fn places(memory: &mut Memory) -> Vec<&mut Vec<String>> {
    let mut places = vec![&mut memory.anchors.files];
    if let Body::Episode(episode) = &mut memory.body {
        let Episode { files_read, files_modified, artifacts, .. } = episode.as_mut();
        places.extend([files_read, files_modified, artifacts]);
    }
    places
}

fn leave_out_places(memory: &mut Memory) {
    places(memory).into_iter().for_each(|list| list.retain(|path| !is_outside(path)));
}

fn bring_back_places(memory: &mut Memory, ours: &Memory) {
    let mut ours = ours.clone();
    for (list, own) in places(memory).into_iter().zip(places(&mut ours)) {
        list.extend(own.iter().filter(|path| is_outside(path)).cloned());
    }
}

/// Does a path lead out of the repository?
fn is_outside(path: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':');
    path.starts_with(['/', '~', '\\']) || drive || path.split(['/', '\\']).any(|part| part == "..")
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::clean::AsItIs;
    use lokid_model::{Kind, Tier, Timestamp};

    fn note() -> Memory {
        let at = Timestamp::parse("2026-11-17T10:00:00Z").unwrap();
        let mut memory = Memory::new(MemoryId::new("note-1").unwrap(), Kind::Note, "words", at);
        memory.anchors.files =
            ["src/a.rs", "/home/ana/secret.txt", "../other/b.rs", "~/.netrc"].map(String::from).into();
        memory.usage.loaded = 7;
        memory.tier = Tier::Guardrail;
        memory
    }

    #[test]
    fn counts_and_paths_outside_of_the_repository_stay_here() {
        let memory = note();
        let record = of_memory(&memory, "ana", &AsItIs).unwrap();
        assert_eq!(record["files"], serde_json::json!(["src/a.rs"]));
        assert!(record.get("usage").is_none());
        let item = key_of(&memory.key());
        let back = memory_from(&item, &record, "ana", Some(&memory), &AsItIs).unwrap();
        assert_eq!((back.usage.loaded, back.anchors.files.len(), back.tier), (7, 4, Tier::Guardrail));
        assert_eq!(
            of_memory(&back, "ben", &AsItIs),
            Some(record.clone()),
            "what came back differs in nothing that leaves"
        );
        let elsewhere = memory_from(&item, &record, "ana", None, &AsItIs).unwrap();
        assert_eq!((elsewhere.usage.loaded, elsewhere.anchors.files.len()), (0, 1));
    }

    #[test]
    fn what_is_private_or_restricted_does_not_leave() {
        assert!(of_memory(&Memory { scope: Scope::UserPrivate, ..note() }, "ana", &AsItIs).is_none());
        assert!(of_memory(&Memory { scope: Scope::System, ..note() }, "ana", &AsItIs).is_none());
        assert!(of_memory(&Memory { restricted: true, ..note() }, "ana", &AsItIs).is_none());
    }

    #[test]
    fn a_record_under_another_name_is_refused() {
        let record = of_memory(&note(), "ana", &AsItIs).unwrap();
        let other = ItemKey::new(ItemKind::Memory, "default", "note-2");
        assert!(memory_from(&other, &record, "ana", None, &AsItIs).is_err());
    }
}
