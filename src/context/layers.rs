//! Progressive disclosure: layer one says what there is, layer two what happened lately. Small, bounded, and the same
//! bytes for the same memory.

use serde_json::{Map, Value, json};

use crate::config::LayersConfig;
use crate::index::Snapshot;
use crate::index::topics::{Topic, name_of};
use crate::model::layer::{MEMORY_FIELD, TOPIC_PREFIX};
use crate::model::{Kind, LayerDocuments, Memory, Namespace, Neighbour, Scope, Status, Timestamp, token};

/// Layer one as text is read before every session.
const INDEX_TOKENS: usize = 100;
const TIMELINE_TOKENS: usize = 500;

/// The documents of a namespace, with the neighbour's entries among ours.
pub fn compose(
    snapshot: &Snapshot,
    namespace: &Namespace,
    limits: &LayersConfig,
    neighbour: &Neighbour,
    now: Timestamp,
    with_days: bool,
) -> LayerDocuments {
    LayerDocuments {
        index: index_of(snapshot, namespace, limits, neighbour, now),
        timeline: timeline_of(snapshot, namespace, limits, neighbour, now),
        days: with_days.then(|| days_of(snapshot, namespace, now)),
    }
}

/// Layer one.
pub fn index(snapshot: &Snapshot, namespace: &Namespace, limits: &LayersConfig, now: Timestamp) -> Map<String, Value> {
    index_of(snapshot, namespace, limits, &neighbour(snapshot, namespace), now)
}

/// Layer two.
pub fn timeline(
    snapshot: &Snapshot,
    namespace: &Namespace,
    limits: &LayersConfig,
    now: Timestamp,
) -> Map<String, Value> {
    timeline_of(snapshot, namespace, limits, &neighbour(snapshot, namespace), now)
}

fn neighbour(snapshot: &Snapshot, namespace: &Namespace) -> Neighbour {
    snapshot.neighbour(namespace).map(|known| known.as_ref().clone()).unwrap_or_default()
}

fn index_of(
    snapshot: &Snapshot,
    namespace: &Namespace,
    limits: &LayersConfig,
    neighbour: &Neighbour,
    now: Timestamp,
) -> Map<String, Value> {
    let (mut memories, mut tokens) = (0, 0);
    for (_, topic) in snapshot.topics().of(namespace) {
        memories += topic.count;
        tokens += topic.tokens;
    }
    let ours = best_topics(snapshot, namespace, limits.topics);
    let most = ours.iter().map(|(_, topic)| topic.count).max().unwrap_or(1);
    let mut topics = neighbour.topics.clone();
    topics.extend(ours.iter().map(|(name, topic)| topic_value(name, topic, most)));
    document(json!({
        "version": "1.0",
        "last_updated": now.envelope_style(),
        "topics": topics,
        "total_memories": memories,
        "total_tokens_available": tokens,
    }))
}

/// The largest, ties by name: stable from day to day.
fn best_topics<'a>(snapshot: &'a Snapshot, namespace: &'a Namespace, most: usize) -> Vec<(&'a str, &'a Topic)> {
    let mut topics: Vec<_> = snapshot.topics().of(namespace).collect();
    topics.sort_by(|a, b| b.1.count.cmp(&a.1.count).then(a.0.cmp(b.0)));
    topics.truncate(most);
    topics
}

fn topic_value(name: &str, topic: &Topic, most: u64) -> Value {
    let share = topic.count as f64 / most.max(1) as f64;
    json!({
        "id": topic_id(name),
        "summary": format!("{name}: {}", kinds_text(topic)),
        "relevance_score": (share * 1000.0).round() / 1000.0,
        "last_accessed": topic.last.record_style(),
        "token_count": topic.tokens,
    })
}

fn topic_id(name: &str) -> String {
    let word: String = name.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    format!("{TOPIC_PREFIX}{word}")
}

/// `12 notes, 3 decisions`, the most frequent first.
fn kinds_text(topic: &Topic) -> String {
    let mut kinds: Vec<(u32, Kind)> = Kind::ALL.iter().map(|kind| (topic.kinds[*kind as usize], *kind)).collect();
    kinds.retain(|(count, _)| *count > 0);
    kinds.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let words = kinds.iter().map(|(count, kind)| {
        let word = kind.as_str().replace('_', "-");
        if *count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
    });
    words.collect::<Vec<_>>().join(", ")
}

fn timeline_of(
    snapshot: &Snapshot,
    namespace: &Namespace,
    limits: &LayersConfig,
    neighbour: &Neighbour,
    now: Timestamp,
) -> Map<String, Value> {
    let told = |memory: &Memory| neighbour.actions.iter().any(|entry| tells_of(entry, memory));
    let shown = |memory: &&std::sync::Arc<Memory>| {
        memory.scope != Scope::UserPrivate && !memory.restricted && memory.status == Status::Asserted
    };
    let episodes = snapshot.latest(Kind::Episode, namespace).filter(shown).filter(|memory| !told(memory));
    let actions = episodes.take(limits.actions).map(|memory| action_value(memory));
    let decisions = snapshot.latest(Kind::Decision, namespace).filter(shown).filter(|memory| memory.holds_at(now));
    let decisions = decisions.take(limits.decisions).map(|memory| decision_value(memory));
    let active = neighbour.active_context.clone();
    document(json!({
        "version": "1.0",
        "last_updated": now.envelope_style(),
        "recent_actions": newest_first(&neighbour.actions, actions, "timestamp", limits.actions),
        "key_decisions": newest_first(&neighbour.decisions, decisions, "date", limits.decisions),
        "active_context": active.unwrap_or_else(|| json!({"current_focus": "", "blocked_by": [], "next_up": []})),
    }))
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

fn action_value(memory: &Memory) -> Value {
    json!({
        "timestamp": memory.times.created_at.record_style(),
        "action": clip(memory.headline(), 100),
        "outcome": memory.outcome.map_or("unknown", |outcome| outcome.as_str()),
        "topic_id": topic_id(&name_of(memory)),
        MEMORY_FIELD: memory.id.as_str(),
    })
}

fn decision_value(memory: &Memory) -> Value {
    let rationale = memory.text.split_once('\n').map_or("", |(_, rest)| rest.trim());
    json!({
        "decision": clip(memory.headline(), 200),
        "rationale": clip(rationale, 300),
        "date": memory.times.created_at.record_style(),
        "topic_id": topic_id(&name_of(memory)),
        MEMORY_FIELD: memory.id.as_str(),
    })
}

fn days_of(snapshot: &Snapshot, namespace: &Namespace, now: Timestamp) -> Map<String, Value> {
    let mut days: std::collections::BTreeMap<String, Vec<Value>> = Default::default();
    for memory in snapshot.latest(Kind::Episode, namespace).filter(|memory| memory.scope != Scope::UserPrivate) {
        days.entry(memory.times.created_at.day()).or_default().push(json!({
            "id": memory.id.as_str(),
            "t": memory.times.created_at.record_style(),
            "outcome": memory.outcome.map(|outcome| outcome.as_str()),
            "topic_id": topic_id(&name_of(memory)),
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

fn clip(text: &str, most: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text,
    }
}

/// Layer one in at most a hundred tokens.
pub fn index_text(snapshot: &Snapshot, namespace: &Namespace, limits: &LayersConfig, _now: Timestamp) -> String {
    let total: u64 = snapshot.topics().of(namespace).map(|(_, topic)| topic.count).sum();
    let mut text = format!("{total} memories");
    for (name, topic) in best_topics(snapshot, namespace, limits.topics) {
        let line = format!("\n- {}: {}", clip(name, 40), kinds_text(topic));
        if token::estimate(&text) + token::estimate(&line) > INDEX_TOKENS {
            break;
        }
        text.push_str(&line);
    }
    text.push('\n');
    text
}

/// Layer two in at most five hundred tokens.
pub fn timeline_text(snapshot: &Snapshot, namespace: &Namespace, limits: &LayersConfig, now: Timestamp) -> String {
    let timeline = timeline(snapshot, namespace, limits, now);
    let mut text = String::new();
    let part = |entry: &Value, names: &[&str]| -> String {
        let found = names.iter().find_map(|name| entry.get(*name).and_then(Value::as_str));
        found.unwrap_or_default().to_owned()
    };
    for (heading, list, share) in
        [("Decisions", "key_decisions", TIMELINE_TOKENS / 2), ("Lately", "recent_actions", TIMELINE_TOKENS)]
    {
        let entries = timeline.get(list).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let mut heading = format!("{heading}\n");
        for entry in entries {
            let day = part(entry, &["date", "timestamp"]).chars().take(10).collect::<String>();
            let what = clip(&part(entry, &["decision", "action", "type"]), 100);
            let outcome = part(entry, &["outcome"]);
            let outcome =
                if outcome.is_empty() || outcome == "unknown" { String::new() } else { format!(" ({outcome})") };
            let id = part(entry, &[MEMORY_FIELD]);
            let id = if id.is_empty() { id } else { format!(" [{id}]") };
            let line = format!("{heading}- {day} {what}{outcome}{id}\n");
            if token::estimate(&text) + token::estimate(&line) > share {
                break;
            }
            text.push_str(&line);
            heading.clear();
        }
    }
    if text.is_empty() { "Nothing has happened yet\n".to_owned() } else { text }
}
