//! Progressive disclosure: layer one says what there is, layer two what happened lately. Small, bounded, and the same
//! bytes for the same memory. Here are the documents; `text` tells them in words, `shelves` decides which topics are
//! shown, and `expand` opens one of them.

mod expand;
mod shelves;
mod text;

use serde_json::{Map, Value, json};

pub(super) use expand::binding;
pub use expand::expand;
pub use shelves::{Arrangement, TopicGroup, TopicGroups};
pub use text::{index_text, timeline_text, topic_text};
pub(super) use text::{index_within, lines_of, timeline_within};

use lokid_config::LayersConfig;
use lokid_index::Snapshot;
use lokid_index::topics::{Topic, is_told, name_of, plural};
use lokid_model::layer::{MEMORY_FIELD, TOPIC_PREFIX, decision_words};
use lokid_model::time::DAY;
use lokid_model::{Kind, LayerDocuments, Memory, Namespace, Neighbour, Timestamp};

/// The documents of a namespace, with the neighbour's entries among ours.
pub fn compose(
    snapshot: &Snapshot,
    namespace: &Namespace,
    limits: &LayersConfig,
    arrangement: &Arrangement,
    neighbour: &Neighbour,
    now: Timestamp,
    with_days: bool,
) -> LayerDocuments {
    let shelves = TopicGroups::of(snapshot, namespace, limits.topics, arrangement);
    LayerDocuments {
        index: index_of(&shelves, neighbour, now),
        timeline: timeline_of(snapshot, &shelves, limits, arrangement, neighbour, now),
        days: with_days.then(|| days_of(snapshot, &shelves, now)),
    }
}

/// Layer one.
pub fn index(
    snapshot: &Snapshot,
    namespace: &Namespace,
    limits: &LayersConfig,
    arrangement: &Arrangement,
    now: Timestamp,
) -> Map<String, Value> {
    let shelves = TopicGroups::of(snapshot, namespace, limits.topics, arrangement);
    index_of(&shelves, &neighbour(snapshot, namespace), now)
}

/// Layer two.
pub fn timeline(
    snapshot: &Snapshot,
    namespace: &Namespace,
    limits: &LayersConfig,
    arrangement: &Arrangement,
    now: Timestamp,
) -> Map<String, Value> {
    let shelves = TopicGroups::of(snapshot, namespace, limits.topics, arrangement);
    timeline_of(snapshot, &shelves, limits, arrangement, &neighbour(snapshot, namespace), now)
}

fn neighbour(snapshot: &Snapshot, namespace: &Namespace) -> Neighbour {
    snapshot.neighbour(namespace).map(|known| known.as_ref().clone()).unwrap_or_default()
}

fn index_of(shelves: &TopicGroups, neighbour: &Neighbour, now: Timestamp) -> Map<String, Value> {
    let mut topics = neighbour.topics.clone();
    topics.extend(shelves.shown().iter().map(|shelf| topic_value(shelf, now)));
    document(json!({
        "version": "1.0",
        "last_updated": now.envelope_style(),
        "topics": topics,
        "total_memories": shelves.total().count,
        // Loki Mode counts what stands in its topics; it must not find less than that.
        "total_tokens_available": shelves.total().tokens.max(neighbour.tokens()),
    }))
}

/// How much a topic may matter to whoever has not asked yet: what its memories weigh on average, half of it fading by
/// half in a month in which nothing of it was said or handed out.
fn relevance(topic: &Topic, now: Timestamp) -> f64 {
    const HALF_LIFE_DAYS: i64 = 30;
    let days = now.as_micros().saturating_sub(topic.last.as_micros()).max(0) / DAY;
    let recency = 0.5_f64.powf(days as f64 / HALF_LIFE_DAYS as f64);
    topic.importance as f64 / 1000.0 / topic.count.max(1) as f64 * (0.5 + recency * 0.5)
}

fn topic_value(shelf: &TopicGroup, now: Timestamp) -> Value {
    let TopicGroup { name, topic } = shelf;
    json!({
        "id": topic_id(name),
        "summary": format!("{name}: {}", kinds_text(topic, Kind::ALL.len())),
        "relevance_score": (relevance(topic, now) * 1000.0).round() / 1000.0,
        "last_accessed": topic.last.record_style(),
        "token_count": topic.tokens,
    })
}

fn topic_id(name: &str) -> String {
    format!("{TOPIC_PREFIX}{name}")
}

/// `12 notes, 3 decisions`, the most frequent first, and how many more there are of other kinds.
fn kinds_text(topic: &Topic, most: usize) -> String {
    let mut kinds: Vec<(u32, Kind)> = Kind::ALL.iter().map(|kind| (topic.kinds[*kind as usize], *kind)).collect();
    kinds.retain(|(count, _)| *count > 0);
    kinds.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let more: u32 = kinds.iter().skip(most).map(|(count, _)| count).sum();
    let words = kinds.iter().take(most).map(|(count, kind)| match count {
        1 => format!("1 {}", kind.as_str().replace('_', "-")),
        _ => format!("{count} {}", plural(*kind)),
    });
    words.chain((more > 0).then(|| format!("{more} more"))).collect::<Vec<_>>().join(", ")
}

fn timeline_of(
    snapshot: &Snapshot,
    shelves: &TopicGroups,
    limits: &LayersConfig,
    arrangement: &Arrangement,
    neighbour: &Neighbour,
    now: Timestamp,
) -> Map<String, Value> {
    let namespace = shelves.namespace();
    let since = since(arrangement, now);
    let told = |memory: &Memory| neighbour.actions.iter().any(|entry| tells_of(entry, memory));
    let latest = |kind| {
        let recent = snapshot.latest(kind, namespace).take_while(move |memory| memory.times.created_at >= since);
        recent.filter(|memory| is_told(memory))
    };
    let topic = |memory: &Memory| topic_id(shelves.shelf_of(&name_of(memory)));
    let episodes = latest(Kind::Episode).filter(|memory| !told(memory)).take(limits.actions);
    let actions = episodes.map(|memory| action_value(memory, &topic(memory)));
    let known =
        |memory: &Memory| neighbour.decisions.iter().any(|entry| decision_words(entry) == Some(memory.headline()));
    let decisions = latest(Kind::Decision).filter(|memory| memory.holds_now(now) && !known(memory));
    let decisions = decisions.take(limits.decisions);
    let decisions = decisions.map(|memory| decision_value(memory, &topic(memory)));
    let active = neighbour.active_context.clone();
    document(json!({
        "version": "1.0",
        "last_updated": now.envelope_style(),
        "recent_actions": newest_first(&neighbour.actions, actions, "timestamp", limits.actions),
        "key_decisions": newest_first(&neighbour.decisions, decisions, "date", limits.decisions),
        "active_context": active.unwrap_or_else(|| json!({"current_focus": "", "blocked_by": [], "next_up": []})),
    }))
}

/// What the timeline reaches back to.
fn since(arrangement: &Arrangement, now: Timestamp) -> Timestamp {
    let days = arrangement.timeline_days.map(|days| now.plus_micros(-DAY.saturating_mul(i64::from(days))));
    days.unwrap_or(Timestamp::from_micros(i64::MIN))
}

/// Loki Mode tells of its own episodes itself.
fn tells_of(entry: &Value, memory: &Memory) -> bool {
    let time = entry.get("timestamp").and_then(Value::as_str).and_then(Timestamp::parse);
    time == Some(memory.times.created_at)
}

fn newest_first(theirs: &[Value], ours: impl Iterator<Item = Value>, field: &str, most: usize) -> Vec<Value> {
    let mut entries: Vec<Value> = theirs.iter().cloned().chain(ours).collect();
    let time = |entry: &Value| {
        let text = entry.get(field).or_else(|| entry.get("timestamp")).and_then(Value::as_str);
        std::cmp::Reverse(text.and_then(Timestamp::parse).unwrap_or_default())
    };
    entries.sort_by_key(time);
    entries.truncate(most);
    entries
}

fn action_value(memory: &Memory, topic: &str) -> Value {
    json!({
        "timestamp": memory.times.created_at.record_style(),
        "action": ten_words(memory.headline()),
        "outcome": memory.outcome.map_or("unknown", |outcome| outcome.as_str()),
        "topic_id": topic,
        MEMORY_FIELD: memory.id.as_str(),
    })
}

fn decision_value(memory: &Memory, topic: &str) -> Value {
    let rationale = memory.text.split_once('\n').map_or("", |(_, rest)| without_label(rest));
    json!({
        "decision": clip(memory.headline(), 200),
        "rationale": clip(rationale, 300),
        "date": happened_at(memory).record_style(),
        "topic_id": topic,
        MEMORY_FIELD: memory.id.as_str(),
    })
}

/// The field says already that it is the reason.
fn without_label(text: &str) -> &str {
    let text = text.trim();
    let label = text.split_once(':').filter(|(label, _)| {
        ["rationale", "reason", "because", "why"].iter().any(|known| label.trim().eq_ignore_ascii_case(known))
    });
    label.map_or(text, |(_, rest)| rest.trim_start())
}

/// What was told later than it came to hold bears the earlier date.
fn happened_at(memory: &Memory) -> Timestamp {
    memory.times.created_at.min(memory.times.valid_at)
}

fn days_of(snapshot: &Snapshot, shelves: &TopicGroups, now: Timestamp) -> Map<String, Value> {
    let mut days: std::collections::BTreeMap<String, Vec<Value>> = Default::default();
    let episodes = snapshot.latest(Kind::Episode, shelves.namespace());
    for memory in episodes.filter(|memory| memory.scope.is_shared()) {
        days.entry(memory.times.created_at.day()).or_default().push(json!({
            "id": memory.id.as_str(),
            "t": memory.times.created_at.record_style(),
            "outcome": memory.outcome.map(|outcome| outcome.as_str()),
            "topic_id": topic_id(shelves.shelf_of(&name_of(memory))),
        }));
    }
    for entries in days.values_mut() {
        entries.reverse();
    }
    document(json!({"version": "1.0", "last_updated": now.envelope_style(), "days": days}))
}

fn document(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// No word is cut, unless it is one that has no end.
fn clip(text: &str, most: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let Some((end, next)) = text.char_indices().nth(most) else { return text };
    let whole = if next == ' ' { Some(end) } else { text[..end].rfind(' ').filter(|at| *at > end / 2) };
    format!("{}…", text[..whole.unwrap_or(end)].trim_end())
}

/// What an action was, as short as Loki Mode's timeline wants it.
fn ten_words(text: &str) -> String {
    let mut words = text.split_whitespace();
    let mut short = words.by_ref().take(10).collect::<Vec<_>>().join(" ");
    if words.next().is_some() {
        short.push('…');
    }
    clip(&short, 100)
}

#[cfg(test)]
pub(crate) mod tests;
