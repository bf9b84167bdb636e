//! Editing a document that holds a list of entries, entry by entry, as raw text.

use std::collections::HashMap;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::layout::{self, FileId, Role};
use super::plan::Edit;
use super::raw::{self, RawObject};
use super::read::{ListDocument, hash, read_item};
use super::schema::fields::{Name, Pairs};
use super::schema::lists::view_link;
use super::schema::{self, Object, Setting, Shape};
use super::version::{self, NewerFormat};
use lokid_model::link::LinkKey;
use lokid_model::{Memory, MemoryId, Timestamp};

/// How deep an entry stands: the document, the list, the entry.
const DEPTH: usize = 2;

pub(super) struct ListEditor<'a> {
    file: &'a FileId,
    envelope: RawObject,
    items: Vec<Option<(String, Box<RawValue>)>>,
    places: HashMap<String, usize>,
    /// Some id stands there more than once.
    repeats: bool,
}

/// What an entry is known by, whichever list it stands in.
struct Names<'a>(Pairs<Name<'a>, &'a RawValue>);

impl<'a> Names<'a> {
    fn of(item: &'a str) -> Option<Names<'a>> {
        serde_json::from_str(item).ok().map(Names)
    }

    fn get(&self, name: &str) -> Option<String> {
        serde_json::from_str(self.0.get(name)?.get()).ok()
    }

    fn entry_id(&self, role: Role, item: &str) -> Option<String> {
        match role {
            Role::Links => Some(link_id(&self.get("from")?, &self.get("relation")?, &self.get("to")?)),
            Role::Memories(shape) => {
                self.get("id").or_else(|| schema::entry_id(shape, &serde_json::from_str(item).ok()?))
            }
            _ => self.get("id"),
        }
    }

    /// Does the entry speak of this memory?
    fn mentions(&self, id: &str) -> bool {
        ["id", "from", "to", "a", "b"].into_iter().any(|name| self.get(name).as_deref() == Some(id))
    }
}

/// What an entry of such a list is known by.
pub(super) fn entry_id(role: Role, item: &str) -> Option<String> {
    Names::of(item)?.entry_id(role, item)
}

fn link_id(from: &str, relation: &str, to: &str) -> String {
    format!("{from}\0{relation}\0{to}")
}

fn id_of_link((_, from, relation, to): &LinkKey) -> String {
    link_id(from.as_str(), relation.as_str(), to.as_str())
}

impl<'a> ListEditor<'a> {
    /// `bytes` is the file as it stands, or nothing for a new one.
    pub(super) fn open(file: &'a FileId, bytes: Option<&[u8]>) -> Result<ListEditor<'a>, String> {
        let document = match bytes {
            Some(bytes) => ListDocument::parse(bytes, layout::list_field(file.role))?,
            None => new_document(file.role),
        };
        if let Some(version) = version::newer(file.role, &document.envelope) {
            return Err(NewerFormat { file: file.label(), version }.to_string());
        }
        let mut editor =
            ListEditor { file, envelope: document.envelope, items: Vec::new(), places: HashMap::new(), repeats: false };
        for item in document.items {
            let names = Names::of(item.get());
            let id = names.and_then(|names| names.entry_id(file.role, item.get()));
            editor.push(id.unwrap_or_default(), item);
        }
        Ok(editor)
    }

    fn push(&mut self, id: String, item: Box<RawValue>) {
        if !id.is_empty() {
            self.repeats |= self.places.insert(id.clone(), self.items.len()).is_some();
        }
        self.items.push(Some((id, item)));
    }

    fn set(&mut self, id: &str, text: String) {
        let item = RawValue::from_string(text).expect("written by the raw writer");
        match self.places.get(id) {
            Some(at) => self.items[*at] = Some((id.to_owned(), item)),
            None => self.push(id.to_owned(), item),
        }
    }

    /// Out with it, and with the copies a merge may have left.
    fn drop_entry(&mut self, id: &str) {
        if let Some(at) = self.places.remove(id) {
            self.items[at] = None;
            if self.repeats {
                self.items
                    .iter_mut()
                    .filter(|slot| slot.as_ref().is_some_and(|(own, _)| own == id))
                    .for_each(|slot| *slot = None);
            }
        }
    }

    pub(super) fn get(&self, id: &str) -> Option<&str> {
        self.items[*self.places.get(id)?].as_ref().map(|(_, item)| item.get())
    }

    pub(super) fn apply(&mut self, edit: &Edit, setting: &Setting, sidecar: &Object) {
        match edit {
            Edit::Put { before, after, raw } => self.put(before.as_deref(), after, raw.as_deref(), setting, sidecar),
            Edit::Take { memory, .. } => self.drop_entry(memory.id.as_str()),
            Edit::SetLink(link) => self.set(&id_of_link(&link.key()), raw::pretty(&view_link(link), DEPTH)),
            Edit::DropLink(key) => self.drop_entry(&id_of_link(key)),
            Edit::Set { id, value } if value.is_null() => self.drop_entry(id),
            Edit::Set { id, value } => self.set_value(id, value),
            Edit::Purge(id) => self.purge(id),
            Edit::Line(_) => {}
        }
    }

    fn set_value(&mut self, id: &str, value: &Value) {
        let known = self.get(id).and_then(|text| serde_json::from_str::<Object>(text).ok());
        let text = match (known, value, self.get(id).map(RawObject::parse)) {
            (Some(known), Value::Object(new), Some(Ok(mut raw))) => {
                let before: Object = known.into_iter().filter(|(name, _)| new.contains_key(name)).collect();
                raw.patch(&before, new, DEPTH);
                raw.pretty(DEPTH)
            }
            _ => raw::pretty(value, DEPTH),
        };
        self.set(id, text);
    }

    fn put(&mut self, before: Option<&Memory>, after: &Memory, raw: Option<&str>, setting: &Setting, sidecar: &Object) {
        let Role::Memories(shape) = self.file.role else { return };
        let id = after.id.as_str().to_owned();
        let text = match self.get(&id) {
            Some(old) => patched(shape, old, before, after, setting, sidecar, DEPTH),
            None => raw.map_or_else(|| fresh(shape, after, DEPTH), str::to_owned),
        };
        self.set(&id, text);
    }

    fn purge(&mut self, id: &MemoryId) {
        for slot in &mut self.items {
            let names = slot.as_ref().and_then(|(_, item)| Names::of(item.get()));
            let derived = slot.as_ref().is_some_and(|(own, _)| own == id.as_str());
            if derived || names.is_some_and(|names| names.mentions(id.as_str())) {
                *slot = None;
            }
        }
        self.places.remove(id.as_str());
    }

    /// The document as it will stand.
    pub(super) fn finish(mut self, now: Timestamp) -> String {
        let mut items: Vec<(String, Box<RawValue>)> = self.items.into_iter().flatten().collect();
        if layout::is_sorted(self.file.role) {
            items.sort_by(|a, b| a.0.cmp(&b.0));
        }
        let texts: Vec<&str> = items.iter().map(|(_, item)| item.get()).collect();
        self.envelope.set(layout::list_field(self.file.role), raw::list(&texts, 1));
        if self.envelope.get("last_updated").is_some() {
            self.envelope.set_value("last_updated", &now.envelope_style().into(), 0);
        }
        self.envelope.pretty(0)
    }
}

/// New documents look as Loki Mode's own do.
fn new_document(role: Role) -> ListDocument {
    let mut envelope = RawObject::default();
    let version = if role == Role::Memories(Shape::Patterns) { "1.1.0" } else { "1.0" };
    envelope.set_value("version", &json!(version), 0);
    envelope.set_value(layout::list_field(role), &json!([]), 0);
    if let Role::Memories(_) = role {
        envelope.set_value("last_updated", &json!(""), 0);
    }
    ListDocument { envelope, items: Vec::new() }
}

/// A memory that was not in the file.
pub(super) fn fresh(shape: Shape, memory: &Memory, depth: usize) -> String {
    raw::pretty(&Value::Object(schema::view(shape, memory)), depth)
}

/// A memory that was in the file, changed by as much as we meant to change it and no more: what another program did
/// to it in the meantime stays.
pub(super) fn patched(
    shape: Shape,
    old: &str,
    before: Option<&Memory>,
    after: &Memory,
    setting: &Setting,
    sidecar: &Object,
    depth: usize,
) -> String {
    let (Ok(mut raw), Ok(found)) = (RawObject::parse(old), read_item(shape, old, setting, sidecar)) else {
        return fresh(shape, after, depth);
    };
    let before = schema::view(shape, before.unwrap_or(&found.memory));
    let after_view = schema::view(shape, after);
    if raw.get("id").is_none() {
        raw.set_value("id", &after.id.as_str().into(), depth);
    }
    raw.patch(&before, &after_view, depth);
    raw.pretty(depth)
}

/// What a document's entries hash to, for the catalogue.
pub(super) fn entry_hash(editor: &ListEditor<'_>, id: &str) -> Option<u64> {
    editor.get(id).map(hash)
}
