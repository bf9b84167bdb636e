//! Documents with a list of entries, merged entry by entry by what each is known by.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::super::layout::{self, Role};
use super::super::list::entry_id;
use super::super::raw::{self, RawObject};
use super::super::read::ListDocument;
use super::{Unmergeable, one_text, three_way, version};

pub(super) fn is_valid(role: Role, bytes: &[u8]) -> bool {
    ListDocument::parse(bytes, layout::list_field(role)).is_ok()
}

/// A document taken apart: its entries by name, and what stands around them.
struct Side {
    envelope: RawObject,
    around: Value,
    entries: IndexMap<String, String>,
}

impl Side {
    fn parse(role: Role, bytes: &[u8]) -> Result<Side, Unmergeable> {
        let document = ListDocument::parse(bytes, layout::list_field(role)).map_err(|_| Unmergeable::NothingValid)?;
        if let Some(version) = version::newer(role, &document.envelope) {
            return Err(Unmergeable::Newer(version));
        }
        let mut around: Map<String, Value> = serde_json::from_slice(bytes).unwrap_or_default();
        around.shift_remove(layout::list_field(role));
        let mut entries: IndexMap<String, String> = IndexMap::new();
        for item in &document.items {
            let text = item.get();
            let value = || serde_json::from_str::<Value>(text).map(|value| three_way::canonical(&value));
            // What has no name is only like itself.
            let id = entry_id(role, text).unwrap_or_else(|| value().unwrap_or_else(|_| text.to_owned()));
            // A text merge may have left two of one name: nothing of either is lost.
            let one = match entries.get(&id) {
                Some(known) => one_text(None, known, text, three_way::merge_records, DEPTH),
                None => text.to_owned(),
            };
            entries.insert(id, one);
        }
        Ok(Side { envelope: document.envelope, around: Value::Object(around), entries })
    }
}

/// How deep an entry stands.
const DEPTH: usize = 2;

pub(super) fn merge(role: Role, base: Option<&[u8]>, ours: &[u8], theirs: &[u8]) -> Result<Vec<u8>, Unmergeable> {
    let (ours, theirs) = (Side::parse(role, ours)?, Side::parse(role, theirs)?);
    let base = base.map(|base| Side::parse(role, base)).transpose()?;
    let empty = IndexMap::new();
    let before = base.as_ref().map_or(&empty, |base| &base.entries);
    let ours_first = {
        let (first, _) = three_way::ranked(&ours.around, &theirs.around);
        // Of one time and one envelope, the entries decide.
        if ours.around == theirs.around {
            ours.entries.values().collect::<Vec<_>>() >= theirs.entries.values().collect::<Vec<_>>()
        } else {
            *first == ours.around
        }
    };
    let (mut first, second) = if ours_first { (ours, theirs) } else { (theirs, ours) };
    let mut merged: Vec<(&str, String)> = Vec::new();
    for id in three_way::in_order(before, &first.entries, &second.entries) {
        let sides = [before.get(id), first.entries.get(id), second.entries.get(id)];
        merged.extend(entry(role, sides.map(|side| side.map(String::as_str))).map(|text| (id, text)));
    }
    if layout::is_sorted(role) {
        merged.sort_by(|a, b| a.0.cmp(b.0));
    }
    let texts: Vec<&str> = merged.iter().map(|(_, text)| text.as_str()).collect();
    let list = raw::list(&texts, 1);
    let around = three_way::merge(base.as_ref().map(|base| &base.around), &first.around, &second.around).value;
    if let (Value::Object(old), Value::Object(new)) = (&first.around, &around) {
        first.envelope.patch(old, new, 0);
    }
    first.envelope.set(layout::list_field(role), list);
    Ok(first.envelope.pretty(0).into_bytes())
}

fn entry(role: Role, [base, first, second]: [Option<&str>; 3]) -> Option<String> {
    match (first, second) {
        (Some(first), Some(second)) => Some(one_text(base, first, second, three_way::merge_records, DEPTH)),
        (Some(one), None) | (None, Some(one)) => {
            // Taken out on the other side, and as it was on this one: gone. What was purged stays purged.
            let is_gone = role != Role::Tombstones && base.is_some_and(|base| is_same(base, one));
            (!is_gone).then(|| one.to_owned())
        }
        (None, None) => None,
    }
}

fn is_same(one: &str, other: &str) -> bool {
    let value = |text: &str| serde_json::from_str::<Value>(text).ok();
    one == other || value(one) == value(other)
}
