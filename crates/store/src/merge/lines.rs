//! Files of lines, merged as sets of lines. A record that both sides changed gets a line of its own, which holds both.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Value, json};

use super::{markers, three_way};
use lokid_model::Timestamp;

pub(super) fn merge(base: Option<&[u8]>, ours: &[u8], theirs: &[u8]) -> Vec<u8> {
    let (base, ours, theirs) = (lines(base.unwrap_or_default()), lines(ours), lines(theirs));
    let [in_base, in_ours, in_theirs] =
        [&base, &ours, &theirs].map(|side| side.iter().copied().collect::<HashSet<_>>());
    let stays = |line: &&&[u8]| in_ours.contains(**line) && in_theirs.contains(**line);
    let mut seen = HashSet::new();
    let mut kept: Vec<&[u8]> = base.iter().filter(stays).filter(|line| seen.insert(**line)).copied().collect();
    let mut new: Vec<&[u8]> = ours.iter().chain(&theirs).filter(|line| !in_base.contains(**line)).copied().collect();
    // In the order in which they were said, on whichever side.
    new.sort_by_cached_key(|line| (said_at(line), line.to_vec()));
    new.dedup();
    kept.extend(new);
    let mut out = Vec::new();
    let both = both_changed([&base, &ours, &theirs]);
    for line in kept.into_iter().map(<[u8]>::to_vec).chain(both) {
        out.extend_from_slice(&line);
        out.push(b'\n');
    }
    out
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    lines.filter(|line| !line.is_empty() && !markers::is_marker(line)).collect()
}

fn said_at(line: &[u8]) -> Option<Timestamp> {
    let line: Value = serde_json::from_slice(line).ok()?;
    let names = ["updated_at", "archived_at", "restored_at", "created_at"];
    names.iter().find_map(|name| Timestamp::parse(line.get(name)?.as_str()?))
}

/// The last word on each record.
fn newest(lines: &[&[u8]]) -> BTreeMap<String, (Option<Timestamp>, Value)> {
    let mut newest: BTreeMap<String, (Option<Timestamp>, Value)> = BTreeMap::new();
    for line in lines {
        let Ok(record) = serde_json::from_slice::<Value>(line) else { continue };
        // A line of the archive is no record but tells of one.
        let Some(id) = record.get("kind").and_then(|_| record.get("id")?.as_str()).map(str::to_owned) else { continue };
        let at = said_at(line);
        if newest.get(&id).is_none_or(|(known, _)| *known <= at) {
            newest.insert(id, (at, record));
        }
    }
    newest
}

/// A later line takes the place of an earlier one. Where both sides wrote one, one more says what they say together.
fn both_changed([base, ours, theirs]: [&[&[u8]]; 3]) -> Vec<Vec<u8>> {
    let (base, ours, theirs) = (newest(base), newest(ours), newest(theirs));
    let mut both = Vec::new();
    for (id, (our_time, our)) in &ours {
        let Some((their_time, their)) = theirs.get(id) else { continue };
        let before = base.get(id).map(|(_, record)| record);
        // Of an edit and a line that takes the record back, the later counts, as everywhere.
        let is_taken_back = [our, their].iter().any(|record| record.get("deleted").is_some());
        if is_taken_back || our == their || before == Some(our) || before == Some(their) {
            continue;
        }
        let mut merged = three_way::merge_records(before, our, their).value;
        let last = (*our_time).max(*their_time);
        let latest = if our_time >= their_time { our } else { their };
        if our_time != their_time && merged == *latest {
            continue;
        }
        if let Some(last) = last {
            merged["updated_at"] = json!(last.plus_micros(1).record_style());
        }
        both.push(merged.to_string().into_bytes());
    }
    both
}
