//! Memories that speak of code which is gone, or is no longer what it was, are marked and bind less until the code comes
//! back or somebody says that they still hold. A mere edit marks nothing, and episodes tell of what was: they never
//! grow stale. What a person wrote is marked only.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::marks::{self, Mark, since};
use super::plan::{Act, Anchored, Phase, Proposal, Scene, holds, revise};
use lokid_model::time::DAY;
use lokid_model::{Change, Kind, Memory, Source, Tier, lengths};

/// The tag of what is marked.
pub const TAG: &str = "stale";
/// The note: the `state`, `at` when, `over` what, of which `words`, and what was there before.
const MARK: &str = "staled";
/// So many of a memory's files or symbols, one in so many, must be missing.
const ONE_IN: usize = 3;
/// Half as sure as before.
const CONFIDENCE: f64 = 0.5;
/// A note names no more than this.
const MOST_NAMES: usize = 50;
/// Code that came back is not missed again at once: branches come and go.
const REST: i64 = 14 * DAY;

#[derive(Clone, Debug, PartialEq)]
pub struct StaleLimits {
    /// What of a file must be other lines than before …
    pub changed: f64,
    /// … and below what it counts as the old one again.
    pub same: f64,
}

impl Default for StaleLimits {
    fn default() -> StaleLimits {
        StaleLimits { changed: 0.6, same: 0.4 }
    }
}

/// Which share of a file is another than when a memory was last known to be right, if that is known.
pub type Drift<'a> = dyn Fn(&Memory, &str) -> Option<f64> + 'a;

pub fn plan(scene: &Scene<'_>, limits: &StaleLimits, drift: &Drift<'_>) -> Vec<Proposal> {
    let mut proposals = Vec::new();
    for memory in scene.memories {
        if scene.around.is_over() {
            break;
        }
        let anchored = !memory.anchors.files.is_empty() || !memory.anchors.symbols.is_empty();
        let concerned = anchored || marks::get(memory, MARK).is_some();
        if concerned && memory.kind != Kind::Episode && !memory.restricted && holds(memory, scene.now) {
            proposals.extend(look(scene, limits, drift, memory));
        }
    }
    proposals
}

/// Does the night hold it to be out of date?
pub fn is_marked(memory: &Memory) -> bool {
    state(memory) == State::Marked && has_tag(memory)
}

/// Somebody says that it holds: the mark goes, and the same code does not bring it back. It is as sure as it was, unless
/// somebody has said how sure it is; how much it binds is theirs to say.
pub fn clear(memory: &mut Memory) {
    memory.tags.retain(|tag| tag != TAG);
    let Some(mut mark) = marks::get(memory, MARK).cloned() else { return };
    if marks::text(&mark, "state") == Some(State::Marked.word()) {
        memory.times.stale_after = marks::time(&mark, "stale_after");
    }
    let number = |name: &str| mark.get(name).and_then(serde_json::Value::as_f64);
    let is_lowered = number("lowered").is_some_and(|low| (low - memory.confidence).abs() < 1e-9);
    if let Some(confidence) = number("confidence").filter(|_| is_lowered) {
        memory.confidence = confidence;
    }
    for name in ["stale_after", "tier", "demoted", "confidence", "lowered"] {
        mark.shift_remove(name);
    }
    mark.insert("state".to_owned(), State::Cleared.word().into());
    marks::put(memory, MARK, mark);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Fresh,
    Marked,
    /// Somebody said it holds all the same.
    Cleared,
    /// The code came back.
    Returned,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            State::Fresh => "fresh",
            State::Marked => "marked",
            State::Cleared => "cleared",
            State::Returned => "returned",
        }
    }
}

fn state(memory: &Memory) -> State {
    let word = marks::get(memory, MARK).and_then(|mark| marks::text(mark, "state"));
    [State::Marked, State::Cleared, State::Returned]
        .into_iter()
        .find(|state| word == Some(state.word()))
        .unwrap_or(State::Fresh)
}

fn has_tag(memory: &Memory) -> bool {
    memory.tags.iter().any(|tag| tag == TAG)
}

fn look(scene: &Scene<'_>, limits: &StaleLimits, drift: &Drift<'_>, memory: &Arc<Memory>) -> Option<Proposal> {
    let state = state(memory);
    if state == State::Fresh && has_tag(memory) {
        // Somebody marked it already, for reasons of their own.
        return None;
    }
    let ground = scene.around.ground(memory);
    let limit = if state == State::Marked { limits.same } else { limits.changed };
    let trouble = trouble(memory, &ground, limit, drift);
    let mark = marks::get(memory, MARK);
    let text = |name| mark.and_then(|mark| marks::text(mark, name));
    match state {
        State::Marked if trouble.is_empty() => back(scene, memory, &trouble, "the code it speaks of is there again"),
        State::Marked if !has_tag(memory) => back(scene, memory, &trouble, "somebody took the mark away"),
        State::Marked if text("words") != Some(&lengths::words(memory)) => {
            back(scene, memory, &trouble, "somebody rewrote it since the code changed")
        }
        State::Marked => None,
        State::Cleared => {
            let known: BTreeSet<&str> = mark.into_iter().flat_map(names).collect();
            let is_new = trouble.iter().any(|name| !known.contains(name.as_str()));
            if is_new { set(scene, memory, &trouble) } else { None }
        }
        State::Returned => {
            let rested = mark.and_then(|mark| marks::time(mark, "at")).is_none_or(|at| since(at, scene.now) >= REST);
            if rested { set(scene, memory, &trouble) } else { None }
        }
        State::Fresh => set(scene, memory, &trouble),
    }
}

fn names(mark: &Mark) -> impl Iterator<Item = &str> {
    mark.get("over").and_then(|over| over.as_array()).into_iter().flatten().filter_map(|name| name.as_str())
}

/// What is wrong with the ground, if it is enough to matter: in a fixed order, each once.
fn trouble(memory: &Memory, ground: &Anchored, limit: f64, drift: &Drift<'_>) -> BTreeSet<String> {
    let files = ground.standing.len() + ground.changed.len() + ground.gone.len();
    let mut trouble = BTreeSet::new();
    if ground.gone.len() * ONE_IN >= files {
        trouble.extend(ground.gone.iter().take(MOST_NAMES).map(|file| format!("{file} is gone")));
    }
    if ground.lost_symbols.len() * ONE_IN >= memory.anchors.symbols.len() {
        trouble.extend(ground.lost_symbols.iter().take(MOST_NAMES).map(|symbol| format!("{symbol} is gone")));
    }
    if is_about_code(memory) && ground.standing.is_empty() {
        // All of its files, not one of them: an edit here or there leaves the rest to speak for it.
        let shares: Vec<f64> = ground.changed.iter().take(MOST_NAMES).filter_map(|file| drift(memory, file)).collect();
        if shares.len() == ground.changed.len() && shares.iter().all(|share| *share >= limit) {
            trouble.extend(ground.changed.iter().map(|file| format!("{file} is rewritten")));
        }
    }
    while trouble.len() > MOST_NAMES {
        trouble.pop_last();
    }
    trouble
}

/// Kinds that say how code is, rather than what was decided or how work is done.
fn is_about_code(memory: &Memory) -> bool {
    match memory.kind {
        Kind::CodePattern | Kind::Learning | Kind::Pattern | Kind::Fact => true,
        Kind::Note => !memory.anchors.symbols.is_empty(),
        Kind::Episode | Kind::AntiPattern | Kind::Decision | Kind::Skill | Kind::Workflow => false,
    }
}

fn set(scene: &Scene<'_>, memory: &Arc<Memory>, trouble: &BTreeSet<String>) -> Option<Proposal> {
    let first = trouble.first()?;
    let now = scene.now;
    let why = match trouble.len() {
        1 => format!("{first}, which it speaks of"),
        more => format!("{first} and {} more that it speaks of", more - 1),
    };
    let usage = scene.around.usage(memory);
    let change = revise(memory, now, |new| {
        let mut mark = Mark::new();
        mark.insert("state".to_owned(), State::Marked.word().into());
        mark.insert("at".to_owned(), now.record_style().into());
        mark.insert("over".to_owned(), listed(trouble));
        mark.insert("words".to_owned(), lengths::words(new).into());
        if let Some(time) = new.times.stale_after {
            mark.insert("stale_after".to_owned(), time.record_style().into());
        }
        if new.source != Source::User {
            lower(new, &mut mark);
            let lower_tier = match new.tier {
                Tier::Mandate => Some(Tier::Guardrail),
                Tier::Guardrail => Some(Tier::Reference),
                Tier::Reference | Tier::Archive => None,
            };
            if let Some(tier) = lower_tier {
                mark.insert("tier".to_owned(), new.tier.as_str().into());
                mark.insert("demoted".to_owned(), tier.as_str().into());
                marks::shift(new, tier, &usage, now);
            }
        }
        if !has_tag(new) {
            new.tags.push(TAG.to_owned());
        }
        new.times.stale_after = Some(now);
        marks::put(new, MARK, mark);
    })?;
    Some(proposal(Act::Staled, memory, why, change))
}

fn listed(trouble: &BTreeSet<String>) -> serde_json::Value {
    trouble.iter().map(String::as_str).collect::<Vec<_>>().into()
}

fn lower(memory: &mut Memory, mark: &mut Mark) {
    let lowered = memory.confidence * CONFIDENCE;
    mark.insert("confidence".to_owned(), memory.confidence.into());
    mark.insert("lowered".to_owned(), lowered.into());
    memory.confidence = lowered;
}

/// Takes the mark away, and gives back what it took where nobody has changed it since.
fn back(scene: &Scene<'_>, memory: &Arc<Memory>, trouble: &BTreeSet<String>, why: &str) -> Option<Proposal> {
    let mark = marks::get(memory, MARK)?;
    let tier = |name| marks::text(mark, name).and_then(Tier::parse);
    let tier = tier("tier").filter(|_| tier("demoted") == Some(memory.tier));
    let usage = scene.around.usage(memory);
    let change = revise(memory, scene.now, |new| {
        clear(new);
        if let Some(tier) = tier {
            marks::shift(new, tier, &usage, scene.now);
        }
        let mut mark = marks::get(new, MARK).cloned().unwrap_or_default();
        let state = if trouble.is_empty() { State::Returned } else { State::Cleared };
        mark.insert("state".to_owned(), state.word().into());
        mark.insert("at".to_owned(), scene.now.record_style().into());
        mark.insert("over".to_owned(), listed(trouble));
        marks::put(new, MARK, mark);
    })?;
    let act = if tier.is_some() { Act::Promoted } else { Act::Staled };
    Some(proposal(act, memory, why.to_owned(), change))
}

fn proposal(act: Act, memory: &Memory, why: String, change: Change) -> Proposal {
    Proposal::new(Phase::Stale, act, memory, why, vec![change])
}

#[cfg(test)]
mod tests;
