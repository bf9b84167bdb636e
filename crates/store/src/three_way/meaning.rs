//! What the name of a field says about two values of it: counters, times, tiers, scopes, and who wins where the later
//! record decides and nobody need be asked.

use serde_json::Value;

use lokid_model::{ContradictionStatus, Scope, Tier, Timestamp};

/// Whole numbers that only ever grow, each side counting for itself: what both counted is added up.
const COUNTERS: [&str; 6] = ["loaded", "referenced", "success", "ignored", "access_count", "usage_count"];
/// Of two different times, the later is true,
const LATEST: [&str; 5] = ["updated_at", "last_accessed", "last_used", "last_updated", "stale_after"];
/// or the earlier.
const EARLIEST: [&str; 5] = ["created_at", "timestamp", "found_at", "purged_at", "expired_at"];
/// Not words but a judgement, or made of the words: the record that was changed last decides.
const LATER_RECORD: [&str; 17] = [
    "importance",
    "confidence",
    "status",
    "source",
    "actor",
    "outcome",
    "kind",
    "valid_at",
    "invalid_at",
    "summary",
    "compressed",
    "index",
    "shortened",
    "fingerprint",
    "merged_into",
    "made_by",
    "described",
];
/// What somebody said when they ended a contradiction belongs together.
const SETTLEMENT: [&str; 4] = ["status", "resolution", "settled_at", "note"];

pub(super) fn time(value: &Value) -> Option<Timestamp> {
    Timestamp::parse(value.as_str()?)
}

/// When a record was last changed, as it says itself.
pub(super) fn changed_at(record: &Value) -> Option<Timestamp> {
    let own = record.get("lokid").unwrap_or(record);
    let named = |names: [&str; 2]| {
        let parts = [record, own].into_iter().flat_map(move |part| names.map(|name| part.get(name)));
        parts.flatten().filter_map(time).max()
    };
    named(["updated_at", "settled_at"]).or_else(|| named(["created_at", "timestamp"]))
}

/// Only memories say something that two may say differently; links, contradictions and tombstones are judgements.
pub(super) fn is_memory(record: &Value) -> bool {
    let has = |names: &[&str]| names.iter().all(|name| record.get(name).is_some());
    record.is_object()
        && !has(&["from", "relation"])
        && !is_contradiction(record)
        && !has(&["purged_at", "fingerprint"])
}

fn is_contradiction(record: &Value) -> bool {
    ["a", "b", "verdict"].iter().all(|name| record.get(name).is_some())
}

/// What becomes of two changed values, where the name tells; `later` is that of the later record. The inner nothing: the
/// field is left out.
pub(super) fn of(
    name: &str,
    base: Option<&Value>,
    later: Option<&Value>,
    earlier: Option<&Value>,
) -> Option<Option<Value>> {
    if is_counter(name) {
        return counted(base, later, earlier).map(Some);
    }
    match name {
        // Two people told the same: it is known as the word of whoever told it first.
        "author" => return earlier.or(later).filter(|value| value.is_string()).cloned().map(Some),
        "tier" => return less_binding(later, earlier).map(|value| value.cloned()),
        "scope" | "visibility" => {
            if let Some(scope) = more_private(later, earlier) {
                return Some(scope.cloned());
            }
        }
        "built_on" => return newest_each(later?, earlier?).map(Some),
        "restricted" => return later.or(earlier).filter(|value| value.is_boolean()).map(|_| Some(true.into())),
        _ => {}
    }
    if LATER_RECORD.contains(&name) {
        let plain = |value: Option<&Value>| value.is_none_or(|value| !value.is_object() && !value.is_array());
        return (plain(later) && plain(earlier)).then(|| later.or(earlier).cloned());
    }
    let (later, earlier) = (later?, earlier?);
    if name == "strength" {
        let greater = later.as_f64()? >= earlier.as_f64()?;
        return Some(Some(if greater { later } else { earlier }.clone()));
    }
    let (one, other) = (time(later)?, time(earlier)?);
    let takes_later_record = if LATEST.contains(&name) {
        one >= other
    } else if EARLIEST.contains(&name) {
        one <= other
    } else {
        // The same moment in two spellings.
        return (one == other).then(|| Some(later.clone()));
    };
    Some(Some(if takes_later_record { later } else { earlier }.clone()))
}

pub(super) fn is_counter(name: &str) -> bool {
    COUNTERS.contains(&name)
}

/// A counter that is not written has counted nothing yet.
fn counted(base: Option<&Value>, first: Option<&Value>, second: Option<&Value>) -> Option<Value> {
    let count = |value: Option<&Value>| value.map_or(Some(0), Value::as_u64);
    let (first, second) = (count(first)?, count(second)?);
    let known = base.map_or(Some(first.min(second)), Value::as_u64)?;
    let both_rose = first >= known && second >= known;
    Some(if both_rose { first.saturating_add(second - known) } else { first.max(second) }.into())
}

/// Of each machine the newest line that either was made from.
fn newest_each(one: &Value, other: &Value) -> Option<Value> {
    let mut all = one.as_object()?.clone();
    for (writer, at) in other.as_object()? {
        let known = all.get(writer).and_then(time);
        if known.is_none_or(|known| time(at).is_some_and(|at| at > known)) {
            all.insert(writer.clone(), at.clone());
        }
    }
    all.sort_keys();
    Some(Value::Object(all))
}

/// What is not written is reference.
fn less_binding<'a>(one: Option<&'a Value>, other: Option<&'a Value>) -> Option<Option<&'a Value>> {
    let tier = |value: Option<&Value>| value.map_or(Some(Tier::Reference), |value| Tier::parse(value.as_str()?));
    Some(if tier(one)? >= tier(other)? { one } else { other })
}

/// What is not written is for everybody who works on the project.
fn more_private<'a>(one: Option<&'a Value>, other: Option<&'a Value>) -> Option<Option<&'a Value>> {
    let privacy = |value: Option<&Value>| {
        let scope = value.map_or(Some(Scope::default()), |value| Scope::parse(value.as_str()?))?;
        Some(match scope {
            Scope::ProjectShared => 0,
            Scope::System => 1,
            Scope::UserPrivate => 2,
        })
    };
    Some(if privacy(one)? >= privacy(other)? { one } else { other })
}

/// A contradiction that somebody settled is settled, and by one word, not by half of each.
pub(super) fn settle(merged: &mut Value, base: Option<&Value>, first: &Value, second: &Value) {
    let differs = |side: &Value, from: &Value| SETTLEMENT.iter().any(|name| side.get(name) != from.get(name));
    let changed = |side: &Value| base.is_none_or(|base| differs(side, base));
    if !is_contradiction(merged) || !differs(first, second) || !changed(first) || !changed(second) {
        return;
    }
    let is_open = |side: &Value| side.get("status").and_then(Value::as_str) == Some(ContradictionStatus::Open.as_str());
    let settled = if is_open(first) { second } else { first };
    let Some(merged) = merged.as_object_mut() else { return };
    for name in SETTLEMENT {
        match settled.get(name) {
            Some(value) => merged.insert(name.to_owned(), value.clone()),
            None => merged.shift_remove(name),
        };
    }
}
