//! What nobody needs leaves: what something else took the place of, and what nobody has used for long. Nothing is
//! destroyed here, and when in doubt nothing leaves: what a person wrote, what binds, what others rest on, what is
//! disputed and what speaks of code that stands are kept.
//!
//! Two steps. What rests has the tier `archive`: it is given to nobody unasked and found by whoever asks for it, and
//! being used wakes it. What leaves is in no answer until somebody brings it back.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::sync::Arc;

use super::marks::{shift, since};
use super::plan::{Act, Phase, Proposal, Scene, archive, holds, revise};
use lokid_model::time::DAY;
use lokid_model::{Kind, Memory, MemoryId, Relation, Source, Tier, Timestamp, Usage};

/// How the reason of everything begins that a night archived.
pub const REASON: &str = "night: ";

#[derive(Clone, Debug, PartialEq)]
pub struct ForgetLimits {
    /// How long something must be over before it leaves, or be unused before it rests. What tells of a day (episodes,
    /// notes) and was never of use leaves then.
    pub quiet: i64,
    /// How long everything else must be unused before it leaves: a decision is not wrong because nobody asked for it
    /// this quarter.
    pub quiet_lasting: i64,
    /// What was named this often is no longer forgotten for want of use.
    pub references: u64,
    /// What was named again this long after it was written has a rhythm …
    pub rhythm: i64,
    /// … and is waited for this many times as long.
    pub patience: i64,
    /// At most this share of a kind leaves in one night, and always one.
    pub share: f64,
    /// How long a night lasts, as far as that share is concerned.
    pub night: i64,
    /// A fact this sure that holds now is kept.
    pub sure: f64,
    /// Since when use is counted here. What is older counts as unused from then on at the earliest.
    pub watched_since: Option<Timestamp>,
}

impl Default for ForgetLimits {
    fn default() -> ForgetLimits {
        ForgetLimits {
            quiet: 90 * DAY,
            quiet_lasting: 730 * DAY,
            references: 5,
            rhythm: 21 * DAY,
            patience: 4,
            share: 0.25,
            night: DAY * 5 / 6,
            sure: 0.8,
            watched_since: None,
        }
    }
}

pub fn plan(scene: &Scene<'_>, limits: &ForgetLimits) -> Vec<Proposal> {
    let mut leaving = Leaving::of(scene, limits);
    let mut proposals = Vec::new();
    while let Some(Reverse((_, _, at))) = leaving.waiting.pop() {
        if scene.around.is_over() {
            break;
        }
        let memory = &scene.memories[at];
        let room = leaving.room.entry(memory.kind).or_default();
        let Some(end) = leaving.ends[at].as_ref() else { continue };
        if is_on_living_code(scene, memory) && matches!(end, ForgetEnd::Unused { .. }) {
            continue;
        }
        if !end.leaves(limits, memory, scene.now) {
            proposals.extend(rest(scene, memory, end));
            continue;
        }
        if *room == 0 {
            continue;
        }
        *room -= 1;
        let (act, why) = end.told(scene.now);
        let change = archive(memory, scene.now, &format!("{REASON}{why}"));
        proposals.push(Proposal::new(Phase::Forget, act, memory, why, vec![change]));
        leaving.release(at);
    }
    proposals
}

fn rest(scene: &Scene<'_>, memory: &Arc<Memory>, end: &ForgetEnd) -> Option<Proposal> {
    let (act, why) = end.told(scene.now);
    let usage = scene.around.usage(memory);
    let change = revise(memory, scene.now, |new| shift(new, Tier::Archive, &usage, scene.now))?;
    Some(Proposal::new(Phase::Forget, act, memory, format!("{why}: it rests"), vec![change]))
}

/// Why a memory may leave.
enum ForgetEnd {
    Over { since: Timestamp, replaced: bool },
    Unused { since: Timestamp, named: u64 },
}

impl ForgetEnd {
    fn of(scene: &Scene<'_>, limits: &ForgetLimits, memory: &Memory) -> Option<ForgetEnd> {
        let times = &memory.times;
        if memory.source == Source::User || memory.restricted || memory.tier == Tier::Mandate {
            return None;
        }
        // Whoever claims to be from tomorrow has no age that could be told.
        if times.created_at.max(times.updated_at) > scene.now {
            return None;
        }
        if !holds(memory, scene.now) {
            let past = times.invalid_at.filter(|end| *end <= scene.now);
            let since_when = times.expired_at.into_iter().chain(past).min()?;
            let used = scene.around.usage(memory).last_used.map_or(since_when, |used| used.max(since_when));
            let over = since(used, scene.now) > limits.quiet;
            return over.then_some(ForgetEnd::Over { since: since_when, replaced: times.expired_at.is_some() });
        }
        let sure = memory.fact().is_some() && memory.confidence >= limits.sure;
        if memory.tier == Tier::Guardrail || sure {
            return None;
        }
        let usage = scene.around.usage(memory);
        let last = last_need(memory, &usage, limits);
        let unused = usage.referenced < limits.references
            && since(last, scene.now) > limits.quiet.max(limits.rhythm_of(memory, &usage));
        let end = ForgetEnd::Unused { since: last, named: usage.referenced };
        let is_due = unused && (memory.tier != Tier::Archive || end.leaves(limits, memory, scene.now));
        is_due.then_some(end)
    }

    /// Or does it only rest?
    fn leaves(&self, limits: &ForgetLimits, memory: &Memory, now: Timestamp) -> bool {
        match self {
            ForgetEnd::Over { .. } => true,
            ForgetEnd::Unused { since: last, named } => {
                let passing = *named == 0 && matches!(memory.kind, Kind::Episode | Kind::Note);
                passing || since(*last, now) > limits.quiet_lasting.max(limits.quiet)
            }
        }
    }

    fn told(&self, now: Timestamp) -> (Act, String) {
        match self {
            ForgetEnd::Over { since: end, replaced } => {
                let what = if *replaced { "replaced" } else { "no longer true" };
                (Act::Forgotten, format!("{what} since {}, {} days ago", end.day(), since(*end, now) / DAY))
            }
            ForgetEnd::Unused { since: last, named } => {
                let days = since(*last, now) / DAY;
                (Act::Archived, format!("unused for {days} days and named {named} times in all"))
            }
        }
    }
}

impl ForgetLimits {
    /// What came up again long after it was written comes up again: a release every quarter, say.
    fn rhythm_of(&self, memory: &Memory, usage: &Usage) -> i64 {
        let gap = usage.last_used.map_or(0, |last| since(memory.times.created_at, last));
        if gap > self.rhythm { gap.saturating_mul(self.patience) } else { 0 }
    }
}

fn last_need(memory: &Memory, usage: &Usage, limits: &ForgetLimits) -> Timestamp {
    let times = &memory.times;
    // Old notes that were brought in from elsewhere have had no chance to be used before they came.
    let came = if memory.source == Source::Import { times.updated_at } else { times.created_at };
    came.max(times.created_at).max(usage.last_used.unwrap_or(came)).max(limits.watched_since.unwrap_or(came))
}

/// Does it speak of code that is there? Episodes tell of what was, so for them the code must stand as it did.
fn is_on_living_code(scene: &Scene<'_>, memory: &Memory) -> bool {
    let anchors = &memory.anchors;
    if anchors.files.is_empty() && anchors.symbols.is_empty() {
        return false;
    }
    let ground = scene.around.ground(memory);
    !ground.standing.is_empty() || (memory.kind != Kind::Episode && !ground.changed.is_empty())
}

/// Who may leave, in which order, and how many.
struct Leaving {
    ends: Vec<Option<ForgetEnd>>,
    /// Least used first, then longest ago, then by place.
    waiting: BinaryHeap<Reverse<(u64, Timestamp, usize)>>,
    room: BTreeMap<Kind, usize>,
    /// On how many living memories' word each is kept, and whom each keeps.
    kept_by: Vec<usize>,
    keeps: BTreeMap<usize, Vec<usize>>,
}

impl Leaving {
    fn of(scene: &Scene<'_>, limits: &ForgetLimits) -> Leaving {
        let disputed = scene.disputed();
        let mut ends = Vec::with_capacity(scene.memories.len());
        for memory in scene.memories {
            let kept = disputed.contains(&memory.id) || scene.around.is_over();
            ends.push(if kept { None } else { ForgetEnd::of(scene, limits, memory) });
        }
        let place = |id: &MemoryId| scene.memories.binary_search_by(|memory| memory.id.cmp(id)).ok();
        let pairs: BTreeSet<(usize, usize)> = scene
            .links
            .iter()
            .filter(|link| is_support(link.relation) && link.from != link.to)
            .filter_map(|link| Some((place(&link.from)?, place(&link.to)?)))
            .collect();
        let mut kept_by = vec![0; scene.memories.len()];
        let mut keeps: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (from, to) in pairs {
            kept_by[to] += 1;
            keeps.entry(from).or_default().push(to);
        }
        let room = room(scene, limits);
        let mut leaving = Leaving { ends, waiting: BinaryHeap::new(), room, kept_by, keeps };
        for at in 0..scene.memories.len() {
            leaving.offer(at);
        }
        leaving
    }

    fn offer(&mut self, at: usize) {
        if self.kept_by[at] > 0 {
            return;
        }
        match &self.ends[at] {
            Some(ForgetEnd::Over { since, .. }) => self.waiting.push(Reverse((0, *since, at))),
            Some(ForgetEnd::Unused { since, named }) => self.waiting.push(Reverse((*named, *since, at))),
            None => {}
        }
    }

    /// What only this one rested on may leave with it: another round would find the same.
    fn release(&mut self, at: usize) {
        for to in self.keeps.remove(&at).unwrap_or_default() {
            self.kept_by[to] -= 1;
            self.offer(to);
        }
    }
}

/// Does a link say that its end is needed? Likeness and succession do not.
fn is_support(relation: Relation) -> bool {
    !matches!(relation, Relation::RelatedTo | Relation::Supersedes | Relation::SupersededBy)
}

/// How many of each kind may still leave tonight.
fn room(scene: &Scene<'_>, limits: &ForgetLimits) -> BTreeMap<Kind, usize> {
    let mut living: BTreeMap<Kind, usize> = BTreeMap::new();
    for memory in scene.memories {
        *living.entry(memory.kind).or_default() += 1;
    }
    let mut left: BTreeMap<Kind, usize> = BTreeMap::new();
    let tonight = |at: Timestamp| since(at, scene.now).saturating_abs() < limits.night;
    for entry in scene.archived.iter().filter(|entry| entry.reason.starts_with(REASON) && tonight(entry.at)) {
        *left.entry(entry.memory.kind).or_default() += 1;
    }
    let room = |(kind, living): (Kind, usize)| {
        let gone = left.get(&kind).copied().unwrap_or(0);
        let most = ((living + gone) as f64 * limits.share).floor().max(1.0) as usize;
        (kind, most.saturating_sub(gone))
    };
    living.into_iter().map(room).collect()
}

#[cfg(test)]
mod tests;
