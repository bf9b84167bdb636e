//! What sessions are given, what they make of it, and what it costs: the book of sessions, the token ledger, the measures
//! that follow from it, the counts of use, and which weights questions are asked with. The counts stand in the project's
//! state directory; the files of the memory are changed only by what was learnt from them (a tier that was earned) and by
//! the ledger itself, when a task or a session ends.
//!
//! What signals tell of sessions comes through a queue of its own, which loses nothing, and is taken in by its own thread.

mod counted;
pub(crate) mod failures;
mod handoffs;
mod judged;
mod told;
mod worker;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use super::env::Env;
use super::focus::Owner;
use super::follow::Follower;
use super::inbox::WriterHandle;
use super::said::{Echo, Goes, SaidLog};
use super::search::Search;
use super::strategy::Strategy;
use super::usage::UsageBook;
use lokid_context::economics::{Checkpoint, Correction, Entry, Ledger, Measures};
use lokid_context::layers::Arrangement;
use lokid_context::predict::memories::{Evidence, MemoryWeights};
use lokid_context::session::{Beginning, SessionBook, SessionItem};
use lokid_model::{Change, Key, Level, Memory, Outcome, Signal, SignalKind, Tier, time};
use lokid_sys::plain;

const FILE: &str = "sessions.json";
/// Sessions that began since [`FILE`] was written: their beginnings must last at once, and the whole book is long.
const BEGUN: &str = "sessions-begun.json";
/// A larger file is not ours.
const LARGEST: u64 = 64 << 20;
/// Files a session opened, for sessions that are under way.
const MOST_OPENED: usize = 512;
const MOST_SESSIONS: usize = 64;

pub use judged::UsageReport;
pub use told::SessionSummary;

/// A memory in what a session is given.
pub type InSession = SessionItem;

pub struct Sessions {
    env: Arc<Env>,
    writer: WriterHandle,
    search: Arc<Search>,
    pub usage: Arc<UsageBook>,
    pub(super) strategy: Strategy,
    said: SaidLog,
    state: Mutex<SessionsState>,
    changed: AtomicBool,
    /// Held while the file is written: what is older must not land on what is newer.
    saving: Mutex<()>,
    queue: worker::Queue,
}

#[derive(Default)]
struct SessionsState {
    book: SessionBook,
    ledger: Ledger,
    measures: Measures,
    weights: MemoryWeights,
    /// What each session under way has opened, and whether its answers are heard: only then does silence tell anything.
    under_way: BTreeMap<String, UnderWay>,
    turns: u64,
    /// Those in [`BEGUN`].
    begun: Vec<String>,
    /// Tiers that were asked for and are not yet published: asking again would tell of them twice.
    rising: BTreeMap<Key, Tier>,
}

#[derive(Default)]
struct UnderWay {
    opened: BTreeSet<String>,
    is_heard: bool,
    /// What spoke for the memories it was given.
    evidence: BTreeMap<Key, Evidence>,
    /// The failures it met of which something was known, by what they are known again by.
    met: BTreeMap<String, failures::Met>,
    /// Which turn it was heard of last.
    turn: u64,
}

/// What the measures ask for, for one owner.
pub(super) struct InForce {
    pub(super) longest: Level,
    pub(super) stricter: f64,
    pub(super) only_binding: bool,
    /// What is left of a budget of a million.
    share: usize,
}

impl InForce {
    pub(super) fn allowance(&self, budget: usize) -> usize {
        if self.share == WHOLE { budget } else { (budget as u128 * self.share as u128 / WHOLE as u128) as usize }
    }
}

const WHOLE: usize = 1_000_000;

impl Sessions {
    /// A file that cannot be read costs the counts, nothing else.
    pub(super) fn open(
        env: Arc<Env>,
        writer: WriterHandle,
        search: Arc<Search>,
        usage: Arc<UsageBook>,
        strategy: Strategy,
    ) -> Sessions {
        let read = |file: &str| {
            let text = env.state_file(file).and_then(|path| plain::read_text(&path, LARGEST).ok().flatten());
            text.and_then(|text| serde_json::from_str::<Value>(&text).ok()).unwrap_or_default()
        };
        let saved = read(FILE);
        let part = |name: &str| saved.get(name).unwrap_or(&Value::Null).clone();
        let mut book = SessionBook::from_value(&part("book"));
        book.take_in(SessionBook::from_value(&read(BEGUN)));
        let state = SessionsState {
            book,
            ledger: Ledger::from_value(&part("ledger")),
            measures: Measures::from_value(&part("measures")),
            weights: MemoryWeights::from_value(&part("weights")),
            ..SessionsState::default()
        };
        let said = SaidLog::new(&env);
        let (state, changed, saving) = (Mutex::new(state), AtomicBool::new(false), Mutex::new(()));
        let queue = worker::Queue::default();
        Sessions { env, writer, search, usage, strategy, said, state, changed, saving, queue }
    }

    fn save_book(&self) -> std::io::Result<()> {
        let _held = self.saving.lock();
        let Some(path) = self.env.state_file(FILE).filter(|_| self.changed.swap(false, Ordering::AcqRel)) else {
            return Ok(());
        };
        let text = {
            let state = self.state.lock();
            json!({
                "book": state.book.to_value(),
                "ledger": state.ledger.to_value(),
                "measures": state.measures.to_value(),
                "weights": state.weights.to_value(),
            })
            .to_string()
        };
        self.env.redaction.keep(&path, &text).inspect_err(|_| self.changed.store(true, Ordering::Release))?;
        self.state.lock().begun.clear();
        plain::remove_if_there(&path.with_file_name(BEGUN))
    }

    /// What an agent holds as its beginning must not change, though the daemon be killed this moment.
    fn keep_beginning(&self, session: &str) {
        let _held = self.saving.lock();
        let Some(path) = self.env.state_file(BEGUN) else { return };
        let text = {
            let mut state = self.state.lock();
            state.begun.push(session.to_owned());
            state.book.to_value_of(&state.begun).to_string()
        };
        if let Err(error) = self.env.redaction.keep(&path, &text) {
            tracing::warn!(project = %self.env.name, reason = %error, "how a session began could not be kept");
        }
        self.note_changed();
    }
}

/// Archived or purged: nothing kept here may still tell of it. Text that sessions were given is kept here, so a purge has
/// answered only when it is written, too.
impl Follower for Sessions {
    fn named(&self) -> Vec<Key> {
        let state = self.state.lock();
        let given = state.book.iter().flat_map(|(_, one)| one.injected().chain(one.loaded()).chain(one.cited()));
        let given: Vec<Key> = given.cloned().collect();
        drop(state);
        [given, self.said.named()].concat()
    }

    fn purged(&self, keys: &BTreeSet<Key>, last_words: &[Arc<Memory>]) {
        let mut state = self.state.lock();
        keys.iter().for_each(|key| state.book.erase(key));
        drop(state);
        self.changed.store(true, Ordering::Release);
        let keys: Vec<(Key, Goes)> = keys.iter().map(|key| (key.clone(), Goes::All)).collect();
        self.strike_said(&keys, &Echo::of(last_words));
        self.keep_book();
    }

    fn changed(&self, changes: &[Change]) {
        let left = told::leaving(changes);
        if !left.is_empty() {
            let mut state = self.state.lock();
            left.iter().for_each(|(key, _)| state.book.forget(key));
            drop(state);
            self.changed.store(true, Ordering::Release);
            self.queue.tell(worker::SessionTask::Left(left));
        }
    }
}

impl SessionsState {
    fn under_way(&mut self, session: &str) -> &mut UnderWay {
        if self.under_way.len() >= MOST_SESSIONS && !self.under_way.contains_key(session) {
            // Sessions that never say that they end: the one not heard of for longest makes room.
            let idlest = self.under_way.iter().min_by_key(|(_, session)| session.turn).map(|(name, _)| name.clone());
            idlest.map(|name| self.under_way.remove(&name));
        }
        self.turns += 1;
        let under_way = self.under_way.entry(session.to_owned()).or_default();
        under_way.turn = self.turns;
        under_way
    }
}

impl Sessions {
    fn keep_book(&self) {
        if let Err(error) = self.save_book() {
            tracing::warn!(project = %self.env.name, reason = %error, "the book of sessions could not be kept");
        }
    }

    pub(super) fn save(&self) {
        self.keep_said();
        self.keep_book();
        if let Err(error) = self.strategy.flush(self.env.clock.now()) {
            tracing::warn!(project = %self.env.name, reason = %error, "how questions fared could not be kept");
        }
    }

    /// Something was counted: it is written down soon.
    pub(super) fn note_changed(&self) {
        self.changed.store(true, Ordering::Release);
        self.queue.tell(worker::SessionTask::Counted);
    }

    /// What a signal tells of a session is taken in soon, and surely.
    pub(super) fn hear(&self, signal: &Signal) {
        if signal.session.as_ref().is_some_and(|session| !session.is_empty()) {
            self.queue.tell(worker::SessionTask::Signal(Box::new(signal.clone())));
        }
    }

    /// A text outside any session named these memories.
    pub(super) fn referenced(&self, names: Vec<String>) {
        self.queue.tell(worker::SessionTask::Referenced(names));
    }

    pub(super) fn begin_session(&self, session: &str, agent: Option<String>, goal: Option<String>, topic: Vec<f32>) {
        let now = self.env.clock.now();
        let clean = |text: Option<String>| text.map(|text| self.env.redaction.text(&text)).unwrap_or_default();
        let beginning = Beginning { goal: clean(goal), agent: clean(agent), topic };
        let mut state = self.state.lock();
        state.book.begin(session, &beginning, now);
        state.ledger.begin(session, &beginning.agent, now);
        drop(state);
        self.note_changed();
    }

    /// The agent of a session, as it called itself; nothing for anybody else.
    pub(super) fn agent_of(&self, owner: &Owner) -> String {
        let Some(session) = owner.session() else { return String::new() };
        self.state.lock().book.get(session).map(|known| known.agent.clone()).unwrap_or_default()
    }

    pub(super) fn measures(&self, owner: &Owner) -> InForce {
        let state = self.state.lock();
        let session = owner.session();
        let agent = session.and_then(|session| state.book.get(session)).map(|session| session.agent.clone());
        InForce {
            longest: state.measures.longest(),
            stricter: state.measures.min_score_bump(),
            only_binding: agent.is_some_and(|agent| !agent.is_empty() && state.measures.bypasses(&agent)),
            share: session.map_or(WHOLE, |session| state.book.allowance(session, WHOLE)),
        }
    }

    /// How the short layers are arranged. Only answers are: files that are committed do not depend on who read what.
    pub fn arrangement(&self) -> Arrangement {
        let state = self.state.lock();
        let measures = &state.measures;
        let composites = measures.composites().iter().map(|one| (one.name.clone(), one.topics.clone())).collect();
        Arrangement {
            composites,
            by_use: measures.topics_by_use().then(|| measures.topic_use()),
            timeline_days: measures.timeline_days(),
        }
    }

    pub(super) fn memory_weights(&self) -> MemoryWeights {
        self.state.lock().weights.clone()
    }

    /// What a signal means for sessions and their accounts.
    pub(super) fn heed(&self, signal: &Signal) {
        let Some(session) = signal.session.as_deref().filter(|session| !session.is_empty()) else { return };
        match signal.kind {
            SignalKind::SessionStart => {
                let topic = signal.goal.as_deref().map(|goal| self.search.vector_of(goal)).unwrap_or_default();
                self.begin_session(session, signal.agent.clone(), signal.goal.clone(), topic);
            }
            SignalKind::FileOpened | SignalKind::FileEdited => {
                let mut state = self.state.lock();
                let opened = &mut state.under_way(session).opened;
                if let Some(path) = signal.path.as_ref().filter(|_| opened.len() < MOST_OPENED) {
                    opened.insert(path.clone());
                }
            }
            SignalKind::TaskComplete => {
                self.record(session, &[Entry::TaskDone]);
                self.check(session, Checkpoint::TaskDone);
                self.write_ledger(session);
            }
            SignalKind::Error => self.heed_failure(session, signal),
            SignalKind::SessionEnd => self.end_session(session, signal.outcome),
            _ => {}
        }
    }

    fn record(&self, session: &str, entries: &[Entry<'_>]) {
        let now = self.env.clock.now();
        let everything = self.writer.snapshot().tokens();
        let mut state = self.state.lock();
        for entry in entries {
            state.ledger.record(session, *entry, now);
        }
        state.ledger.record(session, Entry::FullLoad { tokens: everything }, now);
        drop(state);
        self.note_changed();
    }

    /// Looks whether a bound is crossed, and does what is to be done then.
    fn check(&self, session: &str, checkpoint: Checkpoint) {
        let mut state = self.state.lock();
        let view = state.ledger.view(Some(session));
        let is_heard = state.under_way.get(session).is_some_and(|session| session.is_heard);
        let mut done: Vec<Correction> = Vec::new();
        for action in view.check(checkpoint) {
            // Who never says what it applied cannot be said to ignore.
            if action.kind.needs_answers() && !is_heard {
                continue;
            }
            done.extend(state.measures.carry_out(&action, &view));
        }
        if checkpoint == Checkpoint::SessionEnd {
            done.extend(state.measures.session_ended(&view));
        }
        drop(state);
        for correction in done {
            let data = json!({"op": correction.action.as_str(), "session_id": session, "did": correction.sentence});
            self.env.say("economy", data);
        }
    }

    fn write_ledger(&self, session: &str) {
        let state = self.state.lock();
        // The end of a session that nobody has heard of tells nothing.
        let is_known = !state.ledger.view(Some(session)).is_unknown();
        let document = state.ledger.document(Some(session));
        drop(state);
        if !is_known {
            return;
        }
        self.writer.write_economics(document);
    }

    /// The account of all sessions, day by day: of so many days, today's first.
    pub fn economics_by_day(&self, days: u32) -> Vec<Value> {
        let since = self.env.clock.now().plus_micros(-i64::from(days.saturating_sub(1)) * time::DAY);
        self.state.lock().ledger.days(&since.day())
    }

    /// The account of a session, or of all of them; nothing for a session nobody knows.
    pub fn economics(&self, session: Option<&str>) -> Option<Map<String, Value>> {
        let state = self.state.lock();
        if let Some(session) = session
            && state.ledger.sessions().all(|known| known != session)
        {
            return None;
        }
        let mut document = state.ledger.document(session);
        document.insert("measures".to_owned(), state.measures.in_words().into());
        Some(document)
    }
}

/// The words of an outcome as a success or not.
fn is_good(outcome: Option<Outcome>) -> bool {
    outcome == Some(Outcome::Success)
}
