//! Two changed copies of one record made one again, field by field, by what they had in common.
//!
//! Pure, and the same whichever side asks: of two values that cannot both stand, the one of the record that was changed
//! last is kept (of records of the same time, by what they say), and its field is named. Nothing else is ever lost.

use std::collections::HashSet;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use lokid_model::Timestamp;

/// Whole numbers that only ever grow, each side counting for itself: what both counted is added up.
const COUNTERS: [&str; 6] = ["loaded", "referenced", "success", "ignored", "access_count", "usage_count"];
/// Of two different times, the later is true,
const LATEST: [&str; 4] = ["updated_at", "last_accessed", "last_used", "last_updated"];
/// or the earlier.
const EARLIEST: [&str; 1] = ["created_at"];

#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    pub value: Value,
    /// Fields (`lokid.text`, `links.ep-1.strength`) that both sides changed, each to something else.
    pub conflicts: Vec<String>,
}

/// What both records say together. Without a base, what only one of them has counts as added.
pub fn merge(base: Option<&Value>, ours: &Value, theirs: &Value) -> Merged {
    let (first, second) = if rank(ours) >= rank(theirs) { (ours, theirs) } else { (theirs, ours) };
    let mut merge = Merge { path: Vec::new(), conflicts: Vec::new() };
    let value = merge.field("", base, Some(first), Some(second)).unwrap_or_default();
    Merged { value, conflicts: merge.conflicts }
}

/// The record changed last comes first.
fn rank(record: &Value) -> (Option<Timestamp>, String) {
    let own = record.get("lokid").unwrap_or(record);
    let changed = [record, own].into_iter().filter_map(|part| time(part.get("updated_at")?)).max();
    (changed, record.to_string())
}

fn time(value: &Value) -> Option<Timestamp> {
    Timestamp::parse(value.as_str()?)
}

struct Merge {
    path: Vec<String>,
    conflicts: Vec<String>,
}

impl Merge {
    fn field(
        &mut self,
        name: &str,
        base: Option<&Value>,
        first: Option<&Value>,
        second: Option<&Value>,
    ) -> Option<Value> {
        if first == second || base == second {
            return first.cloned();
        }
        if base == first {
            return second.cloned();
        }
        let meant = by_meaning(name, base, first, second);
        let merged = meant.or_else(|| self.parts(base, first?, second?));
        merged.or_else(|| {
            self.conflicts.push(self.path.join("."));
            // What one side threw away and the other wrote anew is still wanted.
            first.or(second).cloned()
        })
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

/// What a field's name says about two values of it, where it says something.
fn by_meaning(name: &str, base: Option<&Value>, first: Option<&Value>, second: Option<&Value>) -> Option<Value> {
    if COUNTERS.contains(&name) {
        // A counter that is not written has counted nothing yet.
        let count = |value: Option<&Value>| value.map_or(Some(0), Value::as_u64);
        let (first, second) = (count(first)?, count(second)?);
        let known = base.map_or(Some(first.min(second)), Value::as_u64)?;
        let both_rose = first >= known && second >= known;
        return Some(if both_rose { first.saturating_add(second - known) } else { first.max(second) }.into());
    }
    let (first, second) = (first?, second?);
    let (one, other) = (time(first)?, time(second)?);
    let keeps_first = if LATEST.contains(&name) {
        one >= other
    } else if EARLIEST.contains(&name) {
        one <= other
    } else {
        // The same moment in two spellings.
        return (one == other).then(|| first.clone());
    };
    Some(if keeps_first { first } else { second }.clone())
}

type Entries<'a> = IndexMap<String, &'a Value>;

fn named(object: &Map<String, Value>) -> Entries<'_> {
    object.iter().map(|(name, value)| (name.clone(), value)).collect()
}

/// Elements by id, or else by all they say. None for a list that says something twice: it is no set.
fn keyed(list: &[Value], by_id: bool) -> Option<Entries<'_>> {
    let key = |item: &Value| match id(item).filter(|_| by_id) {
        Some(id) => id,
        None => {
            let mut sorted = item.clone();
            sorted.sort_all_objects();
            sorted.to_string()
        }
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
fn in_order<'a>(base: &Entries<'_>, first: &'a Entries<'_>, second: &'a Entries<'_>) -> Vec<&'a str> {
    let left = |side: &Entries<'_>| {
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
