//! One topic opened: the best of what is remembered about it.

use std::cmp::Reverse;
use std::sync::Arc;

use serde_json::Value;

use super::shelves::TopicGroups;
use lokid_index::Snapshot;
use lokid_index::topics::{is_told, name_of};
use lokid_model::time::DAY;
use lokid_model::{Body, Kind, Memory, Namespace, Tier, Timestamp, token};

/// What is a month old counts half as recent.
const HALF_LIFE_DAYS: f64 = 30.0;
/// So many uses make a memory half as used as can be.
const HALF_USED: f64 = 5.0;

/// The best memories of a topic that fit into `budget` tokens at full length: what binds first, then decisions,
/// patterns and learnings, and among each the weightiest. The topic may be one that is shown, a part of it or a whole
/// of which only parts are shown, by its name or its id. Looks at every memory of the namespace once.
pub fn expand(
    snapshot: &Snapshot,
    shelves: &TopicGroups,
    topic: &str,
    budget: usize,
    now: Timestamp,
) -> Vec<Arc<Memory>> {
    let mut left = budget;
    let mut best = ranked(snapshot, shelves, topic, now, |_| true);
    if best.is_empty() {
        best = neighbours(snapshot, shelves, topic, now);
    }
    best.retain(|memory| {
        let tokens = if left == 0 { usize::MAX } else { token::estimate(&memory.text).max(1) };
        let fits = tokens <= left;
        left -= if fits { tokens } else { 0 };
        fits
    });
    best
}

/// A topic of Loki Mode's: what it names, or what bears its name as it means it (an episode's phase, a pattern's
/// category); failing that, what speaks of it.
fn neighbours(snapshot: &Snapshot, shelves: &TopicGroups, topic: &str, now: Timestamp) -> Vec<Arc<Memory>> {
    let namespace = shelves.namespace();
    let Some(theirs) = snapshot.neighbour(namespace).and_then(|known| known.topic(topic).cloned()) else {
        return Vec::new();
    };
    let ids = theirs.get("episode_ids").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let is_named = |memory: &Memory| {
        let bears = match &memory.body {
            Body::Episode(episode) => episode.phase.eq_ignore_ascii_case(topic),
            Body::Pattern(pattern) => pattern.category.eq_ignore_ascii_case(topic),
            _ => false,
        };
        let tagged = memory.tags.iter().any(|tag| tag.eq_ignore_ascii_case(topic));
        bears || tagged || memory.id.as_str() == topic || ids.iter().any(|id| id.as_str() == Some(memory.id.as_str()))
    };
    let found = told_of(snapshot, namespace, now, is_named);
    if !found.is_empty() {
        return found;
    }
    let words: Vec<String> =
        topic.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2).map(str::to_lowercase).collect();
    let spoken = |memory: &Memory, all: bool| {
        let text = memory.text.to_lowercase();
        let has = |word: &String| text.contains(word.as_str());
        if all { !words.is_empty() && words.iter().all(has) } else { words.iter().any(has) }
    };
    let found = told_of(snapshot, namespace, now, |memory| spoken(memory, true));
    if found.is_empty() { told_of(snapshot, namespace, now, |memory| spoken(memory, false)) } else { found }
}

/// What binds in a topic, the weightiest first.
pub(crate) fn binding(snapshot: &Snapshot, shelves: &TopicGroups, topic: &str, now: Timestamp) -> Vec<Arc<Memory>> {
    ranked(snapshot, shelves, topic, now, |memory| matches!(memory.tier, Tier::Mandate | Tier::Guardrail))
}

fn ranked(
    snapshot: &Snapshot,
    shelves: &TopicGroups,
    topic: &str,
    now: Timestamp,
    is_wanted: impl Fn(&Memory) -> bool,
) -> Vec<Arc<Memory>> {
    // To name a memory costs more than all else.
    told_of(snapshot, shelves.namespace(), now, |memory| is_wanted(memory) && shelves.holds(topic, &name_of(memory)))
}

fn told_of(
    snapshot: &Snapshot,
    namespace: &Namespace,
    now: Timestamp,
    is_wanted: impl Fn(&Memory) -> bool,
) -> Vec<Arc<Memory>> {
    let of_topic = snapshot.memories().filter(|memory| {
        memory.namespace == *namespace && is_told(memory) && memory.holds_now(now) && is_wanted(memory)
    });
    let mut ranked: Vec<(Rank, &Arc<Memory>)> = of_topic.map(|memory| (rank(memory, now), memory)).collect();
    ranked.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.id.cmp(&b.1.id)));
    ranked.into_iter().map(|(_, memory)| Arc::clone(memory)).collect()
}

/// The lower, the earlier: how binding, of which kind, how weighty.
type Rank = (u8, u8, Reverse<u32>);

fn rank(memory: &Memory, now: Timestamp) -> Rank {
    let tier = match memory.tier {
        Tier::Mandate => 0,
        Tier::Guardrail => 1,
        Tier::Reference => 2,
        Tier::Archive => 3,
    };
    let kind = match memory.kind {
        Kind::Decision => 0,
        Kind::Pattern | Kind::AntiPattern => 1,
        Kind::Learning => 2,
        Kind::Fact | Kind::Skill | Kind::Workflow => 3,
        Kind::Note | Kind::CodePattern => 4,
        Kind::Episode => 5,
    };
    // Whole thousandths, so that equal weights are equal everywhere.
    (tier, kind, Reverse((weight(memory, now) * 1_000.0) as u32))
}

/// By importance first, then by recency and use; between 0 and 1.
fn weight(memory: &Memory, now: Timestamp) -> f64 {
    let age = now.as_micros().saturating_sub(memory.times.updated_at.as_micros()).max(0);
    let recency = 0.5_f64.powf(age as f64 / DAY as f64 / HALF_LIFE_DAYS);
    let usage = &memory.usage;
    let uses = usage.referenced.saturating_mul(2).saturating_add(usage.success) as f64;
    let used = uses / (uses + HALF_USED);
    memory.importance.clamp(0.0, 1.0) * 0.5 + recency * 0.3 + used * 0.2
}
