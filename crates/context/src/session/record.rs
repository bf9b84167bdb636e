//! One session as the book keeps it, and its written form. Reading is lenient: what cannot be read is left out.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::without;
use lokid_model::citation::{Cited, handle};
use lokid_model::{Key, MemoryId, Namespace, Outcome, Timestamp};

/// More keys than any session is handed; what comes later is not followed.
const MOST_KEYS: usize = 4096;
const LONGEST_TEXT: usize = 2000;
const LONGEST_BLOCK: usize = 1 << 20;
const MOST_DIMENSIONS: usize = 4096;

/// What is known of one session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Session {
    pub goal: String,
    pub agent: String,
    pub started: Timestamp,
    pub seen: Timestamp,
    pub ended: Option<Timestamp>,
    pub outcome: Option<Outcome>,
    /// The text given out at the beginning, once it was; empty if there was nothing to give.
    pub block: Option<String>,
    /// Tokens of all that was injected.
    pub tokens: u64,
    /// How often something could have been said unasked, and how often it was.
    pub asked: u64,
    pub spoken: u64,
    /// When an answer of it was heard last.
    pub answered: Option<Timestamp>,
    /// How full the session's own context is, 0 to 1.
    pub context_use: f64,
    /// The topic it began with. Only its direction matters, so eight bits a dimension are enough.
    pub(super) topic: Vec<i8>,
    pub(super) supplement_offered: bool,
    pub(super) pressure_told: bool,
    pub(super) memories: BTreeMap<Key, Traces>,
}

/// What happened to a memory in a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Traces {
    pub(super) injected: bool,
    pub(super) loaded: bool,
    pub(super) cited: bool,
    /// Judged already: a session that is resumed and ends again tells only what is new.
    pub(super) told_cited: bool,
    pub(super) told_ignored: bool,
    /// Handed out, and since then summarised away: it may be handed out again.
    pub(super) gone: bool,
}

impl Session {
    /// Handed out unasked.
    pub fn injected(&self) -> impl Iterator<Item = &Key> {
        self.with(|traces| traces.injected)
    }

    /// Asked for by the session.
    pub fn loaded(&self) -> impl Iterator<Item = &Key> {
        self.with(|traces| traces.loaded)
    }

    pub fn cited(&self) -> impl Iterator<Item = &Key> {
        self.with(|traces| traces.cited)
    }

    /// Handed out and not cited up to now.
    pub fn ignored(&self) -> impl Iterator<Item = &Key> {
        self.with(|traces| traces.injected && !traces.cited)
    }

    /// Was it handed out or asked for?
    pub fn has(&self, key: &Key) -> bool {
        self.memories.get(key).is_some_and(|traces| (traces.injected || traces.loaded) && !traces.gone)
    }

    /// Which of its memories an answer names. What the session never met is for others to find.
    pub fn named_by(&self, cited: &[Cited]) -> Vec<Key> {
        if cited.is_empty() {
            return Vec::new();
        }
        let named = |key: &&Key| {
            let (handle, id) = (handle(key), key.to_string());
            cited.iter().any(|cited| match cited {
                Cited::Handle(digits) => *digits == handle,
                Cited::Id(said) => *said == id || said == key.id.as_str(),
            })
        };
        self.memories.keys().filter(named).cloned().collect()
    }

    /// The session's context was summarised: of what it was handed only the block comes back by itself.
    pub(super) fn compacted(&mut self) {
        let block = self.block.as_deref().unwrap_or_default();
        for (key, traces) in &mut self.memories {
            traces.gone = !block.contains(&format!(":{}]", handle(key)));
        }
    }

    /// What is forgotten goes from the given text as well: the one thing that outweighs its staying the same.
    pub(super) fn forget(&mut self, key: &Key) {
        if self.memories.contains_key(key) {
            self.erase(key);
        }
    }

    /// The same where no line of it may stay, given to the session or not: a file may be told with the work that touched it.
    pub(super) fn erase(&mut self, key: &Key) {
        self.memories.remove(key);
        if let Some(less) = self.block.as_deref().and_then(|block| without(block, key)) {
            self.block = Some(less);
        }
    }

    /// Was this memory cited, as far as one can tell who was given it then? Nothing while there was no answer since.
    pub fn has_cited(&self, key: &Key, given: Timestamp) -> Option<bool> {
        let traces = self.memories.get(key).copied().unwrap_or_default();
        let judged = traces.told_ignored || self.ended.is_some() || self.answered.is_some_and(|at| at >= given);
        if traces.cited { Some(true) } else { judged.then_some(false) }
    }

    /// Handed out and not cited, once there was an answer or an end.
    pub fn passed_over(&self) -> usize {
        if self.ended.is_some() || self.answered.is_some() { self.ignored().count() } else { 0 }
    }

    pub fn supplement_offered(&self) -> bool {
        self.supplement_offered
    }

    fn with(&self, wanted: fn(Traces) -> bool) -> impl Iterator<Item = &Key> {
        self.memories.iter().filter(move |(_, traces)| wanted(**traces)).map(|(key, _)| key)
    }

    pub(super) fn mark(&mut self, key: &Key, change: impl FnOnce(&mut Traces)) {
        if self.memories.len() < MOST_KEYS || self.memories.contains_key(key) {
            change(self.memories.entry(key.clone()).or_default());
        }
    }

    pub(super) fn to_value(&self) -> Value {
        let memories: Map<String, Value> = self
            .memories
            .iter()
            .map(|(key, traces)| (format!("{}/{}", key.namespace, key.id), Value::String(traces.letters())))
            .collect();
        json!({
            "goal": self.goal,
            "agent": self.agent,
            "started_at": self.started.record_style(),
            "last_seen": self.seen.record_style(),
            "ended_at": self.ended.map(Timestamp::record_style),
            "outcome": self.outcome.map(Outcome::as_str),
            "block": self.block,
            "tokens_injected": self.tokens,
            "asked": self.asked,
            "spoken": self.spoken,
            "answered_at": self.answered.map(Timestamp::record_style),
            "context_use": self.context_use,
            "topic": hex(&self.topic),
            "supplement_offered": self.supplement_offered,
            "pressure_told": self.pressure_told,
            "memories": memories,
        })
    }

    /// Nothing without the two times, by which the book is ordered; everything else may be missing.
    pub(super) fn from_value(value: &Value) -> Option<Session> {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        let time = |name: &str| text(name).and_then(Timestamp::parse);
        let flag = |name: &str| value.get(name).and_then(Value::as_bool).unwrap_or_default();
        let count = |name: &str| value.get(name).and_then(Value::as_u64).unwrap_or_default();
        let mut session = Session {
            goal: shortened(text("goal").unwrap_or_default()),
            agent: shortened(text("agent").unwrap_or_default()),
            started: time("started_at")?,
            seen: time("last_seen")?,
            ended: time("ended_at"),
            outcome: text("outcome").and_then(Outcome::parse),
            block: text("block").filter(|block| block.len() <= LONGEST_BLOCK).map(str::to_owned),
            tokens: count("tokens_injected"),
            asked: count("asked"),
            spoken: count("spoken"),
            answered: time("answered_at"),
            context_use: share(value.get("context_use").and_then(Value::as_f64).unwrap_or_default()),
            topic: text("topic").and_then(unhex).unwrap_or_default(),
            supplement_offered: flag("supplement_offered"),
            pressure_told: flag("pressure_told"),
            memories: BTreeMap::new(),
        };
        for (name, letters) in value.get("memories").and_then(Value::as_object).into_iter().flatten() {
            if let (Some(key), Some(letters)) = (key_of(name), letters.as_str()) {
                session.mark(&key, |traces| *traces = Traces::of(letters));
            }
        }
        Some(session)
    }
}

type Flag = fn(&mut Traces) -> &mut bool;

/// How each trace is written.
const LETTERS: [(char, Flag); 6] = [
    ('i', |traces| &mut traces.injected),
    ('l', |traces| &mut traces.loaded),
    ('c', |traces| &mut traces.cited),
    ('C', |traces| &mut traces.told_cited),
    ('I', |traces| &mut traces.told_ignored),
    ('g', |traces| &mut traces.gone),
];

impl Traces {
    fn letters(mut self) -> String {
        LETTERS.iter().filter(|(_, flag)| *flag(&mut self)).map(|(letter, _)| letter).collect()
    }

    fn of(letters: &str) -> Traces {
        let mut traces = Traces::default();
        LETTERS.iter().for_each(|(letter, flag)| *flag(&mut traces) = letters.contains(*letter));
        traces
    }
}

/// A share of something, whatever was handed in.
pub(super) fn share(value: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) }
}

pub(super) fn shortened(text: &str) -> String {
    text.chars().take(LONGEST_TEXT).collect()
}

/// The direction of a vector, or nothing if it has none.
pub(super) fn direction(vector: &[f32]) -> Vec<i8> {
    let longest = vector.iter().fold(0.0_f32, |longest, part| longest.max(part.abs()));
    if vector.len() > MOST_DIMENSIONS || !longest.is_finite() || longest <= 0.0 || vector.iter().any(|x| x.is_nan()) {
        return Vec::new();
    }
    vector.iter().map(|part| (part / longest * 127.0).round() as i8).collect()
}

/// Keys are written with their namespace, which holds no slash; an id may hold anything.
fn key_of(name: &str) -> Option<Key> {
    let (namespace, id) = name.split_once('/')?;
    Some(Key::new(&Namespace::new(namespace)?, &MemoryId::foreign(id)?))
}

fn hex(parts: &[i8]) -> String {
    parts.iter().map(|part| format!("{:02x}", part.cast_unsigned())).collect()
}

fn unhex(text: &str) -> Option<Vec<i8>> {
    if !text.is_ascii() || !text.len().is_multiple_of(2) || text.len() > 2 * MOST_DIMENSIONS {
        return None;
    }
    let parts = (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16));
    parts.map(|part| part.ok().map(u8::cast_signed)).collect()
}
