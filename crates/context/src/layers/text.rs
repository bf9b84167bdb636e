//! The two layers in words: what an agent reads before anything else. Never longer than agreed, whatever the memory
//! holds, and the first without a clock.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::shelves::{Arrangement, TopicGroup, TopicGroups};
use super::{clip, happened_at, kinds_text, neighbour, since, timeline_of};
use crate::assemble::{self, Frame};
use lokid_config::LayersConfig;
use lokid_index::Snapshot;
use lokid_index::topics::{is_told, name_of};
use lokid_model::layer::{MEMORY_FIELD, TOPIC_PREFIX};
use lokid_model::{Kind, Memory, MemoryId, Namespace, Neighbour, Timestamp, token};

/// Layer one as text is read before every session.
const INDEX_TOKENS: usize = 100;
const TIMELINE_TOKENS: usize = 500;

/// How more is asked for.
const HOW_TO_OPEN: &str = "Open one: lokid index TOPIC; search: lokid recall WORDS";
const HOW_TO_SHOW: &str = "In full: lokid show ID\n";
const NOTHING_YET: &str = "Nothing is remembered yet\n";

/// Kinds told of a topic by name; the others are counted together.
const KINDS: usize = 2;
/// Topics of Loki Mode that are told, and how much of each.
const THEIR_TOPICS: usize = 3;
const THEIR_CHARS: usize = 60;
const LINE_CHARS: usize = 100;
const OUTCOME_CHARS: usize = 24;
/// How far back the newest lessons are looked for, in memories.
const LOOKED_AT: usize = 1_000;
const LESSONS: usize = 20;

/// Layer one in at most a hundred tokens. Decided by the memories alone. Names of topics are single words of ours; only
/// where Loki Mode's own sentences stand among them they have to be quoted.
pub fn index_text(
    snapshot: &Snapshot,
    namespace: &Namespace,
    limits: &LayersConfig,
    arrangement: &Arrangement,
) -> String {
    let shelves = TopicGroups::of(snapshot, namespace, limits.topics, arrangement);
    if neighbour(snapshot, namespace).topics.is_empty() {
        return assemble::clean(&index_within(snapshot, &shelves, INDEX_TOKENS)).into_owned();
    }
    let frame = Frame::new("", usize::MAX);
    frame.quote(&index_within(snapshot, &shelves, INDEX_TOKENS - frame.tokens))
}

/// Layer two in at most five hundred tokens.
pub fn timeline_text(
    snapshot: &Snapshot,
    namespace: &Namespace,
    limits: &LayersConfig,
    arrangement: &Arrangement,
    now: Timestamp,
) -> String {
    let shelves = TopicGroups::of(snapshot, namespace, limits.topics, arrangement);
    let frame = Frame::new("", TIMELINE_TOKENS);
    let most = TIMELINE_TOKENS - frame.tokens;
    frame.quote(&timeline_within(snapshot, &shelves, limits, arrangement, now, most, &[]).text)
}

/// The memories of an opened topic in full.
pub fn topic_text(found: &[Arc<Memory>]) -> String {
    let entry = |memory: &Arc<Memory>| format!("[{}] {}\n", memory.id, lines_of(&memory.text));
    Frame::new("", usize::MAX).quote(&found.iter().map(entry).collect::<String>())
}

/// At most so many characters on one line, and nothing that could leave the frame.
fn said(text: &str, most: usize) -> String {
    clip(&assemble::clean(text), most)
}

/// A text that stays behind what names it: its later lines are set in.
pub(crate) fn lines_of(text: &str) -> String {
    assemble::quoted_lines(text).join("\n  ")
}

/// Layer one in at most `most` tokens, and never more than a hundred: as many topics as possible, the first of them
/// with their kinds as far as there is room.
pub(crate) fn index_within(snapshot: &Snapshot, shelves: &TopicGroups, most: usize) -> String {
    let most = most.min(INDEX_TOKENS);
    let fits = |text: &String| token::estimate(text) <= most;
    let shown = shelves.shown();
    let forms = (0..=shown.len()).rev().flat_map(|count| (0..=count).rev().map(move |told| (count, told)));
    let mut texts = forms.map(|(count, told)| index_form(shelves, &shown[..count], told));
    let mut text = match shown {
        [] => Some(NOTHING_YET.to_owned()).filter(fits).unwrap_or_default(),
        _ => texts.find(fits).unwrap_or_default(),
    };
    for line in their_topics(&neighbour(snapshot, shelves.namespace()), shown) {
        let longer = format!("{text}{line}");
        if fits(&longer) {
            text = longer;
        }
    }
    text
}

/// The first `told` topics on a line each, the others together on one.
fn index_form(shelves: &TopicGroups, shown: &[TopicGroup], told: usize) -> String {
    let count = shelves.total().count;
    let memories = if count == 1 { "memory" } else { "memories" };
    let mut text = format!("{count} {memories} by topic. {HOW_TO_OPEN}\n");
    for TopicGroup { name, topic } in &shown[..told] {
        text.push_str(&format!("- {name}: {}\n", kinds_text(topic, KINDS)));
    }
    let brief: Vec<String> =
        shown[told..].iter().map(|TopicGroup { name, topic }| format!("{name} {}", topic.count)).collect();
    if !brief.is_empty() {
        text.push_str(&format!("- {}{}\n", if told > 0 { "also " } else { "" }, brief.join(", ")));
    }
    text
}

/// What Loki Mode says there is, the most relevant first, where it says more than a name.
fn their_topics(neighbour: &Neighbour, shown: &[TopicGroup]) -> Vec<String> {
    let word = |topic: &Value, names: &[&str]| -> String {
        let found = names.iter().find_map(|name| topic.get(*name).and_then(Value::as_str));
        said(found.unwrap_or_default(), THEIR_CHARS)
    };
    let relevance = |topic: &&Value| topic.get("relevance_score").and_then(Value::as_f64).unwrap_or(0.0);
    let mut topics: Vec<&Value> = neighbour.topics.iter().collect();
    topics.sort_by(|a, b| relevance(b).total_cmp(&relevance(a)));
    let named = topics.into_iter().map(|topic| (word(topic, &["id", "name"]), word(topic, &["summary", "title"])));
    let useful = named.filter(|(id, summary)| !summary.is_empty() && !shown.iter().any(|shelf| shelf.name == *id));
    useful.take(THEIR_TOPICS).map(|(id, summary)| format!("- Loki Mode, {id}: {summary}\n")).collect()
}

/// A timeline in words, and which memories it tells with how many tokens of their own.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) text: String,
    pub(crate) items: Vec<(MemoryId, usize)>,
}

/// One line of a timeline.
struct LayerLine {
    day: String,
    what: String,
    outcome: String,
    id: String,
}

/// Layer two in at most `most` tokens, and never more than five hundred: what is worked on, what was decided, what was
/// done and what was learnt lately. What one part leaves over is the next one's.
pub(crate) fn timeline_within(
    snapshot: &Snapshot,
    shelves: &TopicGroups,
    limits: &LayersConfig,
    arrangement: &Arrangement,
    now: Timestamp,
    most: usize,
    topics: &[&str],
) -> Told {
    let most = most.min(TIMELINE_TOKENS);
    let theirs = neighbour(snapshot, shelves.namespace());
    let mut timeline = timeline_of(snapshot, shelves, limits, arrangement, &theirs, now);
    only(&mut timeline, topics);
    let since = since(arrangement, now).max(Timestamp::from_micros(0));
    let since = if arrangement.timeline_days.is_some() { since.day() } else { String::new() };
    let mut told = Told::default();
    let sections = [
        ("Now", focus(&timeline), most / 6),
        ("Decisions", lines(&timeline, "key_decisions", &since), most / 2),
        ("Lately", lines(&timeline, "recent_actions", &since), most * 5 / 6),
        ("Learnt", lessons(snapshot, shelves, &since, now, topics), most),
    ];
    // The last line is worth its place whenever something can be shown.
    let reserve = token::estimate(HOW_TO_SHOW);
    for (heading, lines, share) in sections {
        told.add(heading, &lines, share.saturating_sub(reserve));
    }
    if told.text.is_empty() && topics.is_empty() {
        let text =
            if token::estimate("Nothing has happened yet\n") <= most { "Nothing has happened yet\n" } else { "" };
        told.text = text.to_owned();
    } else if !told.items.is_empty() {
        told.text.push_str(HOW_TO_SHOW);
    }
    told
}

impl Told {
    fn add(&mut self, heading: &str, lines: &[LayerLine], most: usize) {
        let mut heading = format!("{heading}\n");
        for (at, line) in lines.iter().enumerate() {
            // The same words again are no news.
            if lines[..at].iter().any(|told| told.what == line.what) {
                continue;
            }
            let longer = format!("{}{heading}{}", self.text, line.text());
            if token::estimate(&longer) > most {
                break;
            }
            self.text = longer;
            heading.clear();
            if let Some(id) = MemoryId::foreign(&line.id) {
                self.items.push((id, token::estimate(&line.what)));
            }
        }
    }
}

impl LayerLine {
    fn text(&self) -> String {
        let LayerLine { day, what, outcome, id } = self;
        let day = if day.is_empty() { String::new() } else { format!("{day} ") };
        let outcome = if matches!(outcome.as_str(), "" | "unknown") { String::new() } else { format!(" ({outcome})") };
        let id = if id.is_empty() { String::new() } else { format!(" [{id}]") };
        format!("- {day}{what}{outcome}{id}\n")
    }
}

/// Leaves what happened in these topics; without any, everything.
fn only(timeline: &mut Map<String, Value>, topics: &[&str]) {
    if topics.is_empty() {
        return;
    }
    for list in ["key_decisions", "recent_actions"] {
        let Some(entries) = timeline.get_mut(list).and_then(Value::as_array_mut) else { continue };
        entries.retain(|entry| {
            let topic = entry.get("topic_id").and_then(Value::as_str).unwrap_or_default();
            topics.contains(&topic.strip_prefix(TOPIC_PREFIX).unwrap_or(topic))
        });
    }
}

fn focus(timeline: &Map<String, Value>) -> Vec<LayerLine> {
    let active = timeline.get("active_context");
    let part = |name: &str| active.and_then(|active| active.get(name));
    let words = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; "),
        _ => String::new(),
    };
    let named = [("", "current_focus"), ("blocked by ", "blocked_by"), ("next: ", "next_up")];
    let told = named.map(|(label, name)| (label, said(&part(name).map(words).unwrap_or_default(), LINE_CHARS)));
    let told = told.into_iter().filter(|(_, text)| !text.is_empty());
    told.map(|(label, text)| LayerLine {
        what: format!("{label}{text}"),
        day: String::new(),
        outcome: String::new(),
        id: String::new(),
    })
    .collect()
}

fn lines(timeline: &Map<String, Value>, list: &str, since: &str) -> Vec<LayerLine> {
    let part = |entry: &Value, names: &[&str]| -> String {
        let found = names.iter().find_map(|name| entry.get(*name).and_then(Value::as_str));
        found.unwrap_or_default().to_owned()
    };
    let entries = timeline.get(list).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let told = entries.iter().map(|entry| LayerLine {
        day: said(&part(entry, &["date", "timestamp"]).chars().take(10).collect::<String>(), 10),
        what: said(&part(entry, &["decision", "action", "type"]), LINE_CHARS),
        outcome: said(&part(entry, &["outcome"]), OUTCOME_CHARS),
        id: MemoryId::foreign(&part(entry, &[MEMORY_FIELD])).map(|id| id.to_string()).unwrap_or_default(),
    });
    told.filter(|line| !line.what.is_empty() && line.day.as_str() >= since).collect()
}

/// The newest of what was learnt otherwise than by a decision. What documents and code show at any time did not happen
/// on a day.
fn lessons(snapshot: &Snapshot, shelves: &TopicGroups, since: &str, now: Timestamp, topics: &[&str]) -> Vec<LayerLine> {
    let happened = |memory: &Memory| match memory.kind {
        Kind::Learning | Kind::AntiPattern => true,
        Kind::Episode | Kind::Decision | Kind::CodePattern | Kind::Workflow => false,
        Kind::Note | Kind::Fact | Kind::Pattern | Kind::Skill => !snapshot.is_derived(&memory.key()),
    };
    let newest = snapshot.newest(None).take(LOOKED_AT).filter(|memory| memory.namespace == *shelves.namespace());
    let of_topic = |memory: &Memory| topics.is_empty() || topics.contains(&shelves.shelf_of(&name_of(memory)));
    let held = newest.filter(|memory| happened(memory) && is_told(memory) && memory.holds_now(now));
    let held = held.filter(|memory| of_topic(memory));
    let told = held.take(LESSONS).map(|memory| LayerLine {
        day: happened_at(memory).day(),
        what: said(memory.headline(), LINE_CHARS),
        outcome: String::new(),
        id: memory.id.as_str().to_owned(),
    });
    told.filter(|line| !line.what.is_empty() && line.day.as_str() >= since).collect()
}
