//! Which memories have earned another tier: those that are named again and again rise, those that are given again and
//! again and never named sink. [`judge`] looks at one memory and its counts alone; [`propose`] adds what keeps a tier from
//! swinging: when it was last changed, and what was counted since.
//!
//! Only what this machine saw itself lets a memory rise, on several days and in so many sessions: counts in a file may
//! be anybody's, and a script makes a hundred sessions in a minute.
//!
//! What a person decided stays: a mandate of a person is never taken back here, a tier that somebody else changed after
//! the night did is left alone, and text that nobody vouches for never becomes a mandate.

use std::sync::Arc;

use super::marks::{self, MOVED, Mark, shift, since};
use super::plan::{Act, Phase, Proposal, Scene, holds, revise};
use super::{stale, undone};
use lokid_model::time::DAY;
use lokid_model::{Memory, Source, Status, Tier, Timestamp, Usage};

/// A reference that was named this often becomes a guardrail,
const REFERENCES_OF_A_GUARDRAIL: u64 = 10;
/// if it was named in this share of the sessions that saw it.
const RELEVANCE_OF_A_GUARDRAIL: f64 = 0.7;
/// A guardrail that was named and led to a good end this often becomes a mandate,
const REFERENCES_OF_A_MANDATE: u64 = 25;
const SUCCESSES_OF_A_MANDATE: u64 = 20;
/// both on this many days at least,
const FEWEST_DAYS: u64 = 3;
/// unless it is mostly passed over. Far above where a mandate sinks, so that none rises only to sink.
const RELEVANCE_OF_A_MANDATE: f64 = 0.3;
/// What was given this often
const IGNORED: u64 = 20;
/// and named in less than this share of the sessions that saw it sinks.
const RELEVANCE_OF_THE_IGNORED: f64 = 0.1;

/// Nothing goes back within this time,
const REST: i64 = 14 * DAY;
/// and nothing rises by two steps in one night.
const STEP: i64 = DAY * 5 / 6;

const CONFIRMED: &str = "confirmed_at";

#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub tier: Tier,
    pub why: String,
}

/// The tier a memory has earned, if it is another than it has.
pub fn judge(memory: &Memory, usage: &Usage) -> Option<Verdict> {
    let settled = memory.status == Status::Asserted && memory.times.expired_at.is_none() && !memory.restricted;
    // What asks for more than it has is for a person to decide.
    if !settled || memory.claim.is_some() {
        return None;
    }
    let relevance = relevance(usage.referenced, usage.ignored);
    let (named, seen) = (usage.referenced, usage.referenced.saturating_add(usage.ignored));
    let witnessed = &usage.witnessed;
    let is_lasting = |sessions| witnessed.sessions >= sessions && witnessed.days >= FEWEST_DAYS;
    match memory.tier {
        Tier::Archive if woke(memory, usage) => {
            Some(Verdict { tier: Tier::Reference, why: "used again after a long rest".to_owned() })
        }
        Tier::Reference if is_lasting(REFERENCES_OF_A_GUARDRAIL) && relevance >= RELEVANCE_OF_A_GUARDRAIL => {
            Some(Verdict { tier: Tier::Guardrail, why: format!("named in {named} of {seen} sessions") })
        }
        Tier::Guardrail
            if is_lasting(REFERENCES_OF_A_MANDATE)
                && witnessed.good >= SUCCESSES_OF_A_MANDATE
                && relevance >= RELEVANCE_OF_A_MANDATE
                && memory.source.may_mandate() =>
        {
            let (sessions, days) = (witnessed.sessions, witnessed.days);
            let why = format!("named in {sessions} sessions on {days} days, {} with a good end", witnessed.good);
            Some(Verdict { tier: Tier::Mandate, why })
        }
        Tier::Mandate | Tier::Guardrail if memory.source == Source::User => None,
        Tier::Mandate | Tier::Guardrail if usage.ignored >= IGNORED && relevance < RELEVANCE_OF_THE_IGNORED => {
            let tier = if memory.tier == Tier::Mandate { Tier::Guardrail } else { Tier::Reference };
            Some(Verdict { tier, why: format!("named in {named} of {seen} sessions that saw it") })
        }
        _ => None,
    }
}

/// Was it of use again since the night put it to rest?
fn woke(memory: &Memory, usage: &Usage) -> bool {
    let Some(mark) = marks::get(memory, MOVED) else { return false };
    let by_night = marks::text(mark, "to").and_then(Tier::parse) == Some(Tier::Archive);
    by_night && marks::time(mark, "at").zip(usage.last_used).is_some_and(|(rested, used)| used > rested)
}

/// Since when it is known to be right: it was said, or somebody vouched for it.
pub fn right_since(memory: &Memory) -> Timestamp {
    let said = memory.times.created_at.max(memory.times.valid_at);
    confirmed_at(memory).map_or(said, |confirmed| said.max(confirmed))
}

/// The tiers that change tonight.
pub fn plan(scene: &Scene<'_>) -> Vec<Proposal> {
    let disputed = scene.disputed();
    let mut proposals = Vec::new();
    for memory in scene.memories {
        if scene.around.is_over() {
            break;
        }
        let proposal = propose(memory, &scene.around.usage(memory), scene.now);
        proposals.extend(proposal.filter(|found| found.act != Act::Promoted || !disputed.contains(&memory.id)));
    }
    proposals
}

/// The tier a memory has earned and may have now.
pub fn propose(memory: &Arc<Memory>, usage: &Usage, now: Timestamp) -> Option<Proposal> {
    let verdict = judge(memory, usage).filter(|_| holds(memory, now))?;
    if undone::is_left_alone(memory, Phase::Promote) {
        return None;
    }
    let rises = verdict.tier < memory.tier;
    if (rises && stale::is_marked(memory)) || !is_due(memory, usage, rises, now) {
        return None;
    }
    let why = format!("{} to {}: {}", memory.tier, verdict.tier, verdict.why);
    let act = if rises { Act::Promoted } else { Act::Demoted };
    let change = revise(memory, now, |new| shift(new, verdict.tier, usage, now))?;
    Some(Proposal::new(Phase::Promote, act, memory, why, vec![change]))
}

/// May the tier change, after what was done to it before?
fn is_due(memory: &Memory, usage: &Usage, rises: bool, now: Timestamp) -> bool {
    let Some(mark) = marks::get(memory, MOVED) else { return true };
    if memory.tier == Tier::Archive {
        return true;
    }
    let tier = |name| marks::text(mark, name).and_then(Tier::parse);
    if tier("to") != Some(memory.tier) {
        // Somebody chose another tier than the night did, and knows why.
        return false;
    }
    // A time that cannot be read, or that is still to come, says nothing: better wait than swing.
    let Some(rested) = marks::time(mark, "at").map(|at| since(at, now)) else { return false };
    let rose = tier("from").map(|from| memory.tier < from);
    match (rises, rose) {
        (true, Some(true)) => rested >= STEP,
        (true, _) => rested >= REST,
        (false, _) => {
            let named = usage.referenced.saturating_sub(marks::count(mark, "referenced"));
            let ignored = usage.ignored.saturating_sub(marks::count(mark, "ignored"));
            rested >= REST && ignored >= IGNORED && relevance(named, ignored) < RELEVANCE_OF_THE_IGNORED
        }
    }
}

/// Another hand gave the memory the tier it has: the night rests before it moves it either way.
pub fn note_move(memory: &mut Memory, now: Timestamp) {
    let mut mark = Mark::new();
    mark.insert("at".to_owned(), now.record_style().into());
    mark.insert("to".to_owned(), memory.tier.as_str().into());
    mark.insert("referenced".to_owned(), memory.usage.referenced.into());
    mark.insert("ignored".to_owned(), memory.usage.ignored.into());
    marks::put(memory, MOVED, mark);
}

/// A person vouched for the memory.
pub fn note_confirmed(memory: &mut Memory, now: Timestamp) {
    memory.extra.get_or_insert_default().insert(CONFIRMED.to_owned(), now.record_style().into());
}

/// When a person last vouched for the memory.
pub fn confirmed_at(memory: &Memory) -> Option<Timestamp> {
    Timestamp::parse(memory.extra.as_ref()?.get(CONFIRMED)?.as_str()?)
}

/// In which share of the sessions that saw it a memory was named.
fn relevance(named: u64, ignored: u64) -> f64 {
    let seen = named.saturating_add(ignored);
    if seen == 0 { 0.0 } else { named as f64 / seen as f64 }
}

#[cfg(test)]
mod tests;
