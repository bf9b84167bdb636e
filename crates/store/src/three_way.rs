//! Two changed copies of one record made one again, field by field, by what they had in common.
//!
//! Pure, and the same whichever side asks: of two values that cannot both stand, the one of the record that was changed
//! last is kept (of records of the same time, by what they say), and its field is named. What the other said of it is
//! kept too, by [`merge_records`]. Nothing else is ever lost.
//!
//! Three copies of one origin come, in whatever order they are merged, to the same words: what stands in a field and
//! what is kept beside it are together the same set, and so are lists, sums and tiers. *Which* of the words stands may
//! differ where the copies changed different fields: a record has one time for all of them, and a merged one the
//! later, so an early word can ride on the time of a late change of another field. Counters that were set back, two copies
//! that are the same in everything (one, not two), and the order of names and lists may differ, too. No clock of each field would be worth its bytes.

mod conflicts;
mod meaning;

use std::collections::HashSet;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use conflicts::Said;
use lokid_model::Timestamp;

#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    pub value: Value,
    /// Fields (`lokid.text`, `links.ep-1.strength`) that both sides changed, each to something else.
    pub conflicts: Vec<String>,
}

/// What both records say together. Without a base, what only one of them has counts as added.
pub fn merge(base: Option<&Value>, ours: &Value, theirs: &Value) -> Merged {
    let (merged, _) = both(base, ours, theirs);
    merged
}

/// The same for a memory, a link or a contradiction, where no word may be lost: what could not stand in a memory is kept
/// in its list `conflicts`, as `{"field", "value", "updated_at"}`, until somebody settles it.
pub fn merge_records(base: Option<&Value>, ours: &Value, theirs: &Value) -> Merged {
    if let Some(other) = unchanged(base, ours, theirs) {
        return Merged { value: other.clone(), conflicts: Vec::new() };
    }
    let kept = conflicts::together(base, ours, theirs);
    let bare = |record: &Value| conflicts::without(record);
    let (mut merged, said) = both(base.map(bare).as_ref(), &bare(ours), &bare(theirs));
    if meaning::is_memory(&merged.value) {
        conflicts::put(&mut merged.value, kept, said);
    }
    merged
}

/// Where one side changed nothing, or both the same, the record as the other wrote it.
fn unchanged<'a>(base: Option<&Value>, ours: &'a Value, theirs: &'a Value) -> Option<&'a Value> {
    if ours == theirs {
        return [ours, theirs].into_iter().max_by_key(|side| side.to_string());
    }
    match base {
        Some(base) if base == ours => Some(theirs),
        Some(base) if base == theirs => Some(ours),
        _ => None,
    }
}

fn both(base: Option<&Value>, ours: &Value, theirs: &Value) -> (Merged, Vec<Said>) {
    let (first, second) = ranked(ours, theirs);
    let times = [meaning::changed_at(first), meaning::changed_at(second)];
    let mut merge = Merge { times, path: Vec::new(), conflicts: Vec::new(), said: Vec::new() };
    let mut value = merge.field("", base, Some(first), Some(second)).unwrap_or_default();
    meaning::settle(&mut value, base, first, second);
    (Merged { value, conflicts: merge.conflicts }, merge.said)
}

/// The record changed last comes first.
pub(crate) fn ranked<'a>(ours: &'a Value, theirs: &'a Value) -> (&'a Value, &'a Value) {
    let rank = |record: &Value| (meaning::changed_at(record), record.to_string());
    if rank(ours) >= rank(theirs) { (ours, theirs) } else { (theirs, ours) }
}

/// What a value says, whatever the order of its names.
pub(crate) fn canonical(value: &Value) -> String {
    let mut sorted = value.clone();
    sorted.sort_all_objects();
    sorted.to_string()
}

struct Merge {
    /// When each of the two records was changed last.
    times: [Option<Timestamp>; 2],
    path: Vec<String>,
    conflicts: Vec<String>,
    /// What could not stand.
    said: Vec<Said>,
}

impl Merge {
    fn field(
        &mut self,
        name: &str,
        base: Option<&Value>,
        first: Option<&Value>,
        second: Option<&Value>,
    ) -> Option<Value> {
        if base == second || (first == second && !self.may_count(name, first)) {
            return first.cloned();
        }
        if base == first {
            return second.cloned();
        }
        // Of one moment, what they say decides, so that a third record of it finds the same.
        let is_tie = self.times[0] == self.times[1];
        let swap = is_tie && first.map(canonical) < second.map(canonical);
        let (later, earlier, earlier_at) =
            if swap { (second, first, self.times[0]) } else { (first, second, self.times[1]) };
        if let Some(meant) = meaning::of(name, base, later, earlier) {
            return meant;
        }
        if let Some(merged) = first.zip(second).and_then(|(first, second)| self.parts(base, first, second)) {
            return Some(merged);
        }
        let field = self.path.join(".");
        if let (Some(_), Some(lost)) = (later, earlier) {
            self.said.push(Said::new(&field, lost, earlier_at));
        }
        self.conflicts.push(field);
        // What one side threw away and the other wrote anew is still wanted.
        later.or(earlier).cloned()
    }

    /// Two sides that came to the same number each counted for themselves, unless the whole records are the same.
    fn may_count(&self, name: &str, value: Option<&Value>) -> bool {
        !self.path.is_empty() && (meaning::is_counter(name) || value.is_some_and(Value::is_object))
    }

    /// Objects by name, lists by what tells their elements apart.
    fn parts(&mut self, base: Option<&Value>, first: &Value, second: &Value) -> Option<Value> {
        match (first, second) {
            (Value::Object(first), Value::Object(second)) => {
                let base = base.and_then(Value::as_object).map(named).unwrap_or_default();
                Some(Value::Object(Map::from_iter(self.entries(&base, &named(first), &named(second)))))
            }
            (Value::Array(first), Value::Array(second)) => {
                let base = base.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
                let by_id = [base, first, second].iter().all(|list| list.iter().all(|item| id(item).is_some()));
                let base = keyed(base, by_id).unwrap_or_default();
                let merged = self.entries(&base, &keyed(first, by_id)?, &keyed(second, by_id)?);
                Some(Value::Array(merged.into_iter().map(|(_, item)| item).collect()))
            }
            _ => None,
        }
    }

    fn entries(&mut self, base: &Entries<'_>, first: &Entries<'_>, second: &Entries<'_>) -> Vec<(String, Value)> {
        let mut merged = Vec::new();
        for name in in_order(base, first, second) {
            self.path.push(name.to_owned());
            let value = self.field(name, base.get(name).copied(), first.get(name).copied(), second.get(name).copied());
            self.path.pop();
            merged.extend(value.map(|value| (name.to_owned(), value)));
        }
        merged
    }
}

type Entries<'a> = IndexMap<String, &'a Value>;

fn named(object: &Map<String, Value>) -> Entries<'_> {
    object.iter().map(|(name, value)| (name.clone(), value)).collect()
}

/// Elements by id, or else by all they say. None for a list that says something twice: it is no set.
fn keyed(list: &[Value], by_id: bool) -> Option<Entries<'_>> {
    let key = |item: &Value| match id(item).filter(|_| by_id) {
        Some(id) => id,
        None => canonical(item),
    };
    let entries: Entries<'_> = list.iter().map(|item| (key(item), item)).collect();
    (entries.len() == list.len()).then_some(entries)
}

fn id(item: &Value) -> Option<String> {
    match item.get("id")? {
        Value::String(id) => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

/// All names: as the side has them that changed the order of what was there, and each new one of the other behind the
/// one it follows there.
pub(crate) fn in_order<'a, T>(
    base: &IndexMap<String, T>,
    first: &'a IndexMap<String, T>,
    second: &'a IndexMap<String, T>,
) -> Vec<&'a str> {
    let left = |side: &IndexMap<String, T>| {
        let both = |name: &&String| first.contains_key(*name) && second.contains_key(*name) && base.contains_key(*name);
        side.keys().filter(both).cloned().collect::<Vec<_>>()
    };
    let is_moved = |side| left(side) != left(base);
    let (frame, other) = if is_moved(second) && !is_moved(first) { (second, first) } else { (first, second) };
    let mut order: Vec<&str> = frame.keys().map(String::as_str).collect();
    let known: HashSet<&str> = order.iter().copied().collect();
    let mut behind = None;
    for name in other.keys().map(String::as_str) {
        if !known.contains(name) {
            let at = behind.and_then(|behind| order.iter().position(|known| *known == behind)).map_or(0, |at| at + 1);
            order.insert(at, name);
        }
        behind = Some(name);
    }
    order
}

#[cfg(test)]
mod tests;
