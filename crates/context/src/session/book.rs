//! The book of sessions: what each was handed, what it asked for, what it cited, and how full it is. It decides
//! nothing about memories; it reads neither files nor clocks.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::SessionBlock;
use super::record::{Session, direction, share, shortened};
use lokid_model::{Key, Outcome, Timestamp};

const MOST_SESSIONS: usize = 512;
/// In characters.
const LONGEST_ID: usize = 200;
/// A cosine distance: beyond it the session works on something else than it began with.
const MOVED: f64 = 0.5;
/// From here on injections grow shorter …
const FULL_UNTIL: f64 = 0.5;
/// … down to the least, which is reached here.
const LEAST_FROM: f64 = 0.9;
const LEAST: f64 = 0.25;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionBook {
    sessions: BTreeMap<String, Session>,
}

/// What a prompt is about, beside what its session is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// Nothing was known of it before.
    First,
    Known,
    Moved,
}

/// What a session begins with, as far as it is known. What is missing may be told by a later beginning.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beginning {
    pub goal: String,
    pub agent: String,
    /// The vector of what it is about.
    pub topic: Vec<f32>,
}

/// What a session says about the memories it was handed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdicts {
    pub cited: Vec<Key>,
    /// Handed out unasked and never cited.
    pub ignored: Vec<Key>,
    pub outcome: Option<Outcome>,
}

/// A session's context is half full: worth saying once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pressure {
    pub share: f64,
}

impl SessionBook {
    pub fn get(&self, id: &str) -> Option<&Session> {
        self.sessions.get(&session_name(id))
    }

    /// By id.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Session)> {
        self.sessions.iter().map(|(id, session)| (id.as_str(), session))
    }

    /// A session begins, or goes on after a pause: then what was known stays.
    pub fn begin(&mut self, id: &str, beginning: &Beginning, now: Timestamp) {
        let session = self.of(id, now);
        session.ended = None;
        session.outcome = None;
        for (ours, theirs) in [(&mut session.goal, &beginning.goal), (&mut session.agent, &beginning.agent)] {
            if ours.is_empty() {
                *ours = shortened(theirs);
            }
        }
        if session.topic.is_empty() {
            session.topic = direction(&beginning.topic);
        }
    }

    /// The block of a session: made at the first call, the same bytes at every later one, also if it was empty.
    pub fn give_block(&mut self, id: &str, now: Timestamp, make: impl FnOnce() -> SessionBlock) -> &str {
        let session = self.of(id, now);
        if session.block.is_none() {
            let made = make();
            note(session, &made);
            session.block = Some(made.text);
        }
        session.block.as_deref().unwrap_or_default()
    }

    /// Something else was handed out, unasked: a tail, say.
    pub fn note_injected(&mut self, id: &str, block: &SessionBlock, now: Timestamp) {
        note(self.of(id, now), block);
    }

    /// Was this memory handed to the session, or loaded by it?
    pub fn has(&self, id: &str, key: &Key) -> bool {
        self.get(id).is_some_and(|session| session.has(key))
    }

    pub fn note_loaded<'a>(&mut self, id: &str, keys: impl IntoIterator<Item = &'a Key>, now: Timestamp) {
        let session = self.of(id, now);
        keys.into_iter().for_each(|key| session.mark(key, |traces| (traces.loaded, traces.gone) = (true, false)));
    }

    pub fn note_cited<'a>(&mut self, id: &str, keys: impl IntoIterator<Item = &'a Key>, now: Timestamp) {
        let session = self.of(id, now);
        keys.into_iter().for_each(|key| session.mark(key, |traces| traces.cited = true));
    }

    /// The session ends. Each memory is judged once, also when a session is resumed and ends again; a memory that was
    /// ignored at first may still be cited later.
    pub fn end(&mut self, id: &str, outcome: Option<Outcome>, now: Timestamp) -> Verdicts {
        let Some(session) = self.sessions.get_mut(&session_name(id)) else {
            return Verdicts { outcome, ..Verdicts::default() };
        };
        session.seen = session.seen.max(now);
        session.ended = Some(now);
        session.outcome = outcome.or(session.outcome);
        // A session that goes on later may well be about something else.
        session.topic.clear();
        let mut verdicts = Verdicts { outcome: session.outcome, ..Verdicts::default() };
        for (key, traces) in &mut session.memories {
            if traces.cited && !traces.told_cited {
                traces.told_cited = true;
                verdicts.cited.push(key.clone());
            } else if traces.injected && !traces.cited && !traces.told_ignored {
                traces.told_ignored = true;
                verdicts.ignored.push(key.clone());
            }
        }
        verdicts
    }

    /// The context of a session was summarised: what stood behind its prompts may be handed out again.
    pub fn compacted(&mut self, id: &str) {
        if let Some(session) = self.sessions.get_mut(&session_name(id)) {
            session.compacted();
        }
    }

    /// A memory was archived: nothing that was given of it may still tell of it.
    pub fn forget(&mut self, key: &Key) {
        self.sessions.values_mut().for_each(|session| session.forget(key));
    }

    /// A memory was purged: nothing the book keeps may still tell of it.
    pub fn erase(&mut self, key: &Key) {
        self.sessions.values_mut().for_each(|session| session.erase(key));
    }

    /// Something could have been said to a session, and was or was not. One that is no longer listed stays so.
    pub fn note_occasion(&mut self, id: &str, spoken: bool) {
        if let Some(session) = self.sessions.get_mut(&session_name(id)) {
            session.asked = session.asked.saturating_add(1);
            session.spoken = session.spoken.saturating_add(u64::from(spoken));
        }
    }

    /// An answer of the session was heard.
    pub fn note_answered(&mut self, id: &str, now: Timestamp) {
        self.of(id, now).answered = Some(now);
    }

    /// What this is beside the topic of the session. A session that began without one has it from now; that it has moved on
    /// is said once.
    pub fn topic(&mut self, id: &str, vector: &[f32]) -> Topic {
        let Some(session) = self.sessions.get_mut(&session_name(id)) else { return Topic::Known };
        let now = direction(vector);
        if session.topic.is_empty() {
            session.topic = now;
            return Topic::First;
        }
        let far = distance(&session.topic, &now).is_some_and(|distance| distance > MOVED);
        let offer = far && !session.supplement_offered;
        session.supplement_offered |= offer;
        if offer { Topic::Moved } else { Topic::Known }
    }

    /// How full a session's context is now. Crossing the half is told once.
    pub fn use_of_context(&mut self, id: &str, full: f64) -> Option<Pressure> {
        let session = self.sessions.get_mut(&session_name(id))?;
        if full.is_nan() {
            return None;
        }
        session.context_use = share(full);
        let tell = session.context_use > FULL_UNTIL && !session.pressure_told;
        session.pressure_told |= tell;
        tell.then_some(Pressure { share: session.context_use })
    }

    /// What may still be injected of a budget: all of it while the context is at most half full, then less and less.
    pub fn allowance(&self, id: &str, budget: usize) -> usize {
        let full = self.get(id).map_or(0.0, |session| session.context_use);
        let way = share((full - FULL_UNTIL) / (LEAST_FROM - FULL_UNTIL));
        if way <= 0.0 { budget } else { (budget as f64 * (1.0 - way * (1.0 - LEAST))) as usize }
    }

    pub fn to_value(&self) -> Value {
        value_of(self.sessions.iter())
    }

    /// These sessions alone, as a book.
    pub fn to_value_of(&self, ids: &[String]) -> Value {
        value_of(ids.iter().filter_map(|id| self.sessions.get_key_value(&session_name(id))))
    }

    /// Sessions that were written down apart, as they began: one whose beginning is known here went on since.
    pub fn take_in(&mut self, begun: SessionBook) {
        for (id, session) in begun.sessions {
            if self.sessions.get(&id).is_none_or(|known| known.block.is_none()) {
                self.sessions.insert(id, session);
            }
        }
        self.keep_to_the_most();
    }

    /// A broken entry costs only itself.
    pub fn from_value(value: &Value) -> SessionBook {
        let mut book = SessionBook::default();
        for (id, session) in value.get("sessions").and_then(Value::as_object).into_iter().flatten() {
            if let Some(session) = Session::from_value(session) {
                book.sessions.insert(session_name(id), session);
            }
        }
        book.keep_to_the_most();
        book
    }

    fn keep_to_the_most(&mut self) {
        while self.sessions.len() > MOST_SESSIONS {
            self.drop_oldest();
        }
    }

    fn of(&mut self, id: &str, now: Timestamp) -> &mut Session {
        let id = session_name(id);
        if !self.sessions.contains_key(&id) && self.sessions.len() >= MOST_SESSIONS {
            self.drop_oldest();
        }
        let session =
            self.sessions.entry(id).or_insert_with(|| Session { started: now, seen: now, ..Session::default() });
        session.seen = session.seen.max(now);
        session
    }

    fn drop_oldest(&mut self) {
        let oldest = self.sessions.iter().min_by_key(|(id, session)| (session.seen, *id)).map(|(id, _)| id.clone());
        oldest.map(|id| self.sessions.remove(&id));
    }
}

fn value_of<'a>(sessions: impl Iterator<Item = (&'a String, &'a Session)>) -> Value {
    let sessions: Map<String, Value> = sessions.map(|(id, session)| (id.clone(), session.to_value())).collect();
    json!({"version": 1, "sessions": sessions})
}

fn note(session: &mut Session, block: &SessionBlock) {
    session.tokens = session.tokens.saturating_add(block.tokens as u64);
    for item in &block.items {
        session.mark(&item.key, |traces| (traces.injected, traces.gone) = (true, false));
    }
}

/// An id as the book has it. One too long keeps a digest of what is cut, or two sessions might become one.
pub(crate) fn session_name(id: &str) -> String {
    const DIGEST: usize = 16;
    if id.chars().nth(LONGEST_ID).is_none() {
        return id.to_owned();
    }
    let head: String = id.chars().take(LONGEST_ID - DIGEST - 1).collect();
    format!("{head}~{}", &blake3::hash(id.as_bytes()).to_hex()[..DIGEST])
}

/// One minus the cosine; nothing for vectors of different kinds.
fn distance(one: &[i8], other: &[i8]) -> Option<f64> {
    if one.len() != other.len() || one.is_empty() {
        return None;
    }
    let dot = |a: &[i8], b: &[i8]| a.iter().zip(b).map(|(a, b)| i64::from(*a) * i64::from(*b)).sum::<i64>() as f64;
    let lengths = (dot(one, one) * dot(other, other)).sqrt();
    (lengths > 0.0).then(|| 1.0 - dot(one, other) / lengths)
}
