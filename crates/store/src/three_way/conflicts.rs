//! What one side said and could not stand: the list `conflicts` of a record.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::canonical;
use lokid_model::Timestamp;
use lokid_model::memory::CONFLICTS;

const OWN: &str = "lokid";
/// What no file of lokid's own has, and every file that Loki Mode writes too.
const LOKI_MODES: [&str; 7] = ["made_by", "pattern", "what_fails", "task_id", "context", "steps", "links"];

/// One value that a field might have had.
pub(super) struct Said(Value);

impl Said {
    pub(super) fn new(field: &str, value: &Value, at: Option<Timestamp>) -> Said {
        let field = field.strip_prefix("lokid.").unwrap_or(field);
        let mut said = json!({"field": field, "value": value});
        if let Some(at) = at {
            said["updated_at"] = at.record_style().into();
        }
        Said(said)
    }

    /// The same words for the same field are the same, whenever they were said.
    fn key(&self) -> (String, String) {
        let field = self.0.get("field").and_then(Value::as_str).unwrap_or_default();
        (field.to_owned(), self.0.get("value").map(canonical).unwrap_or_default())
    }
}

pub(super) type Kept = BTreeMap<(String, String), Value>;

fn of(record: &Value) -> Kept {
    let holders = [Some(record), record.get(OWN)].into_iter().flatten();
    let list = holders.filter_map(|holder| holder.get(CONFLICTS)?.as_array());
    let mut kept = Kept::new();
    for said in list.flatten().map(|said| Said(said.clone())) {
        keep(&mut kept, said);
    }
    kept
}

/// Told twice, the first time counts.
fn keep(kept: &mut Kept, said: Said) {
    let at = |value: &Value| value.get("updated_at").and_then(super::meaning::time);
    let rank = |value: &Value| (at(value).is_none(), at(value), canonical(value));
    match kept.entry(said.key()) {
        std::collections::btree_map::Entry::Vacant(free) => drop(free.insert(said.0)),
        std::collections::btree_map::Entry::Occupied(mut taken) => {
            if rank(&said.0) < rank(taken.get()) {
                taken.insert(said.0);
            }
        }
    }
}

/// What both have, and what one of them has since; one that was settled on a side is settled.
pub(super) fn together(base: Option<&Value>, ours: &Value, theirs: &Value) -> Kept {
    let base = base.map(of).unwrap_or_default();
    let (ours, theirs) = (of(ours), of(theirs));
    let mut kept = Kept::new();
    for (key, value) in ours.iter().chain(&theirs) {
        if (ours.contains_key(key) && theirs.contains_key(key)) || !base.contains_key(key) {
            keep(&mut kept, Said(value.clone()));
        }
    }
    kept
}

pub(super) fn without(record: &Value) -> Value {
    let mut bare = record.clone();
    if let Some(fields) = bare.as_object_mut() {
        if fields.get(CONFLICTS).is_some_and(Value::is_array) {
            fields.shift_remove(CONFLICTS);
        }
        let own = fields.get_mut(OWN).and_then(Value::as_object_mut);
        if own.is_some_and(|own| own.shift_remove(CONFLICTS).is_some() && own.is_empty()) {
            fields.shift_remove(OWN);
        }
    }
    bare
}

/// Puts the list where it belongs. What the record itself says after all needs no telling.
pub(super) fn put(record: &mut Value, mut kept: Kept, said: Vec<Said>) {
    for said in said {
        keep(&mut kept, said);
    }
    kept.retain(|(field, value), _| standing(record, field).map(canonical).as_ref() != Some(value));
    let Some(fields) = record.as_object_mut().filter(|_| !kept.is_empty()) else { return };
    let list = Value::Array(kept.into_values().collect());
    let is_loki_modes = fields.contains_key(OWN)
        || (!fields.contains_key("kind") && LOKI_MODES.iter().any(|name| fields.contains_key(*name)));
    if is_loki_modes {
        let own = fields.entry(OWN).or_insert_with(|| Map::new().into());
        if let Some(own) = own.as_object_mut() {
            own.insert(CONFLICTS.to_owned(), list);
            return;
        }
    }
    fields.insert(CONFLICTS.to_owned(), list);
}

fn standing<'a>(record: &'a Value, field: &str) -> Option<&'a Value> {
    let inside = |part: &'a Value| field.split('.').try_fold(part, |part, name| part.get(name));
    inside(record).or_else(|| inside(record.get(OWN)?))
}
