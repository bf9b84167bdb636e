//! What must not be missed: the very error at hand, contradictions that nobody settled, what the working notes name,
//! decisions about the file or the task, and the errors of the last day with what became of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{CRITICAL, Table};
use crate::parts::Part;
use crate::predict::memories::{Clues, Evidence, PredictedMemory, quote, tells_of_error};
use lokid_model::{Body, Key, Kind, Memory, time};

/// From this score on a decision about the goal is one about the task.
const ABOUT_THE_TASK: f64 = 0.5;
/// And from this one on a memory belongs to what is at hand.
const IN_FOCUS: f64 = 0.5;
/// Learnings that are asked whether they are errors of the last day, and those that are told without being foreseen.
const MOST_LEARNINGS: usize = 300;
const MOST_ERRORS: usize = 8;
const MOST_CONTRADICTIONS: usize = 8;
const LATELY: i64 = time::DAY;
/// Of those that say what is at hand itself, so many stay when nearly everything has to go.
const MOST_PRESSING: usize = 2;
/// What working notes name is wanted.
const CITED: f64 = 0.9;

pub(super) fn add(table: &mut Table<'_>, clues: &Clues, predicted: &[PredictedMemory]) {
    the_very_error(table, predicted);
    contradictions(table, predicted);
    for memory in &clues.cited {
        table.put(memory, Part::Critical, CRITICAL + CITED, "named in the working notes".to_owned());
    }
    decisions(table, predicted);
    errors(table, clues, predicted);
}

/// However short the context: what became of the same error, the likeliest first.
fn the_very_error(table: &mut Table<'_>, predicted: &[PredictedMemory]) {
    let same = predicted.iter().filter(|found| found.evidence.contains(&Evidence::SameError));
    for found in same.take(MOST_PRESSING) {
        table.press(&found.memory, found.score, found.why.clone());
    }
}

fn decisions(table: &mut Table<'_>, predicted: &[PredictedMemory]) {
    for found in predicted.iter().filter(|found| found.memory.kind == Kind::Decision) {
        let about_the_task = found.score >= ABOUT_THE_TASK && found.evidence.contains(&Evidence::Goal);
        if (found.anchored || about_the_task) && table.is_wanted(found) {
            table.put(&found.memory, Part::Critical, CRITICAL + table.worth(found), found.why.clone());
        }
    }
}

/// Both sides, each naming the other.
fn contradictions(table: &mut Table<'_>, predicted: &[PredictedMemory]) {
    let in_focus = predicted.iter().filter(|found| found.anchored || found.score >= IN_FOCUS);
    let scores: BTreeMap<Key, f64> = in_focus.map(|found| (found.memory.key(), found.score)).collect();
    let snapshot = table.sources.snapshot;
    let namespace = table.filter.namespace.clone();
    let mut told = 0;
    for open in snapshot.open_contradictions_of(&namespace) {
        if told == MOST_CONTRADICTIONS || open.found_at > table.at() {
            continue;
        }
        let keys = [Key::new(&namespace, &open.a), Key::new(&namespace, &open.b)];
        let score = keys.iter().filter_map(|key| scores.get(key)).copied().reduce(f64::max);
        let (Some(score), [Some(a), Some(b)]) = (score, keys.each_ref().map(|key| snapshot.get(key))) else { continue };
        // With one side gone there is nothing left to decide.
        if !(table.admits(a) && table.admits(b)) {
            continue;
        }
        told += 1;
        let why = format!("open contradiction: “{}” against “{}”", quote(a.headline(), 60), quote(b.headline(), 60));
        for side in [a, b] {
            if told <= MOST_PRESSING {
                table.press(side, score, why.clone());
            } else {
                table.put(side, Part::Critical, CRITICAL + 0.2 + 0.8 * score, why.clone());
            }
        }
    }
}

fn errors(table: &mut Table<'_>, clues: &Clues, predicted: &[PredictedMemory]) {
    let since = table.at().plus_micros(-LATELY);
    let is_late = |memory: &Memory| memory.times.updated_at.max(memory.times.created_at) >= since;
    for found in predicted {
        let is_at_hand = found.evidence.contains(&Evidence::SameError) || found.evidence.contains(&Evidence::ErrorTie);
        let is_fresh = tells_of_error(&found.memory)
            && is_late(&found.memory)
            && (presses(&found.memory) || table.is_wanted(found));
        if is_at_hand || is_fresh || (!clues.errors.is_empty() && has_fix(found) && table.is_wanted(found)) {
            table.put(&found.memory, Part::Critical, CRITICAL + table.worth(found), found.why.clone());
        }
    }
    let newest = table.sources.snapshot.latest(Kind::Learning, &table.filter.namespace).take(MOST_LEARNINGS);
    let is_news = |memory: &&Arc<Memory>| tells_of_error(memory) && is_late(memory) && presses(memory);
    let fresh = newest.filter(|memory| is_news(memory) && table.admits(memory));
    let fresh: Vec<Arc<Memory>> = fresh.take(MOST_ERRORS).cloned().collect();
    for memory in fresh {
        table.put(&memory, Part::Critical, CRITICAL + 0.3, "an error of the last day".to_owned());
    }
}

/// It is open, or a log told of it; what a session mended is told to whoever meets it again.
fn presses(memory: &Memory) -> bool {
    let was_logged = matches!(&memory.body, Body::Learning(learning) if !learning.fingerprint.is_empty());
    was_logged || memory.tags.iter().any(|tag| tag == "open")
}

/// Does it tell what helped against an error like the one at hand?
fn has_fix(found: &PredictedMemory) -> bool {
    let is_like = found.evidence.first() == Some(&Evidence::LikeError);
    is_like && matches!(&found.memory.body, Body::Learning(learning) if !learning.fix.is_empty())
}
