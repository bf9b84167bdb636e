//! Memories that are no longer new get their shorter lengths, once, so that nobody makes them again for every answer.
//! The full text is never touched, and neither is a length that somebody wrote.

use std::sync::Arc;

use super::marks::since;
use super::plan::{Act, Phase, Proposal, Scene, holds, revise};
use lokid_model::time::DAY;
use lokid_model::{Body, Level, Memory, lengths};

/// From this age a summary is kept,
const SUMMARY_AFTER: i64 = 7 * DAY;
/// and from this age the one line as well.
const COMPRESSED_AFTER: i64 = 30 * DAY;
/// Nothing is kept for a text shorter than this: it is as soon read as its summary.
const SHORT_CHARS: usize = 120;
const SHORT_PARTS_CHARS: usize = 600;

pub fn plan(scene: &Scene<'_>) -> Vec<Proposal> {
    let mut proposals = Vec::new();
    for memory in scene.memories {
        if scene.around.is_over() {
            break;
        }
        proposals.extend(shorten(scene, memory));
    }
    proposals
}

fn shorten(scene: &Scene<'_>, memory: &Arc<Memory>) -> Option<Proposal> {
    let outdated =
        [Level::Summary, Level::Compressed, Level::Index].into_iter().any(|level| lengths::is_outdated(memory, level));
    // What has parts is as soon read by its parts.
    let has_parts = !matches!(memory.body, Body::None | Body::Fact(_));
    let is_long = memory.text.chars().nth(if has_parts { SHORT_PARTS_CHARS } else { SHORT_CHARS }).is_some();
    if !outdated && (!is_long || is_complete(memory) || !holds(memory, scene.now)) {
        return None;
    }
    let mut plain = memory.as_ref().clone();
    if outdated {
        lengths::drop_made(&mut plain);
    }
    let made = if is_long { made(scene, &plain) } else { Vec::new() };
    let levels: Vec<&str> = made.iter().map(|(level, _)| level.as_str()).collect();
    let has_line = made.iter().any(|(level, _)| *level == Level::Compressed);
    let act = if has_line { Act::Compressed } else { Act::Summarized };
    let days = since(memory.times.created_at, scene.now) / DAY;
    let why = if outdated {
        format!("its text is another than the one its shorter lengths were made from ({days} days old)")
    } else {
        let chars = memory.text.chars().count();
        format!("{days} days old and {chars} characters long: {} kept", levels.join(", "))
    };
    let change = revise(memory, scene.now, |new| {
        if outdated {
            lengths::drop_made(new);
        }
        lengths::put_made(new, made);
    })?;
    Some(Proposal::new(Phase::Compress, act, memory, why, vec![change]))
}

fn is_complete(memory: &Memory) -> bool {
    let shorter = &memory.shorter;
    shorter.summary.is_some() && shorter.compressed.is_some() && shorter.index.is_some()
}

/// The lengths that are due, missing and worth keeping. `memory` holds only what somebody wrote or what is up to date.
fn made(scene: &Scene<'_>, memory: &Memory) -> Vec<(Level, String)> {
    let age = since(memory.times.created_at, scene.now);
    let full = memory.text.trim().chars().count();
    let shorter = &memory.shorter;
    let at = |level, written: &Option<String>| written.clone().unwrap_or_else(|| scene.around.shorten(memory, level));
    let summary = at(Level::Summary, &shorter.summary);
    let summary_chars = summary.chars().count();
    let is_long = is_clearly_longer(full, summary_chars);
    let mut made = Vec::new();
    if is_long && age > SUMMARY_AFTER && shorter.summary.is_none() {
        made.push((Level::Summary, summary));
    }
    // What is too short for a summary may still be worth one line.
    if age > COMPRESSED_AFTER && shorter.compressed.is_none() {
        made.push((Level::Compressed, scene.around.shorten(memory, Level::Compressed)));
    }
    if is_long && shorter.index.is_none() {
        made.push((Level::Index, scene.around.shorten(memory, Level::Index)));
    }
    made.retain(|(level, text)| {
        let chars = text.chars().count();
        let saves = is_clearly_longer(full, chars) && chars < full;
        !text.trim().is_empty() && saves && (*level == Level::Summary || chars <= summary_chars)
    });
    made
}

/// Half as long again: below that, a second copy costs more than it saves.
fn is_clearly_longer(full: usize, summary: usize) -> bool {
    summary > 0 && full * 2 >= summary * 3
}

#[cfg(test)]
mod tests;
