//! What sessions are given, what they make of it, and what it costs: the book of sessions, the token ledger and the
//! measures that follow from it. The counts stand in the project's state directory; the files of the memory are changed
//! only by what was learnt from them (a tier that was earned) and by the ledger itself, when a task or a session ends.

mod beside;
mod handed;
mod handoffs;
mod judged;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use super::event::Event;
use super::foresight::Task;
use super::foresight::focus::Owner;
use super::project::Project;
use lokid_context::economics::{Checkpoint, Correction, Entry, Ledger, Measures};
use lokid_context::layers::Arrangement;
use lokid_context::predict::memories::{Evidence, MemoryWeights};
use lokid_context::session::{SessionItem, Sessions};
use lokid_model::{Key, Level, Outcome, Signal, SignalKind, Tier};
use lokid_sys::plain;

/// The account of requests that name no session.
const NOBODY: &str = "(no session)";
/// A larger file is not ours.
const LARGEST: u64 = 64 << 20;
/// Files a session opened, for sessions that are under way.
const MOST_OPENED: usize = 512;
const MOST_SESSIONS: usize = 64;

pub use handed::{PromptGiven, TaskFound};
pub use judged::Report;

/// A memory in what a session is given.
pub type InSession = SessionItem;

pub struct Economy {
    path: Option<PathBuf>,
    state: Mutex<State>,
    changed: AtomicBool,
    /// Held while the file is written: what is older must not land on what is newer.
    saving: Mutex<()>,
}

#[derive(Default)]
struct State {
    sessions: Sessions,
    ledger: Ledger,
    measures: Measures,
    weights: MemoryWeights,
    /// What each session under way has opened, and whether its answers are heard: only then does silence tell anything.
    under_way: BTreeMap<String, UnderWay>,
    turns: u64,
    /// Tiers that were asked for and are not yet published: asking again would tell of them twice.
    rising: BTreeMap<Key, Tier>,
}

#[derive(Default)]
struct UnderWay {
    opened: BTreeSet<String>,
    is_heard: bool,
    /// What spoke for the memories it was given.
    evidence: BTreeMap<Key, Evidence>,
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

impl Economy {
    /// A file that cannot be read costs the counts, nothing else.
    pub(super) fn open(folder: Option<PathBuf>) -> Economy {
        let path = folder.map(|folder| folder.join("sessions.json"));
        let text = path.as_deref().and_then(|path| plain::read_text(path, LARGEST).ok().flatten());
        let saved = text.and_then(|text| serde_json::from_str::<Value>(&text).ok()).unwrap_or_default();
        let part = |name: &str| saved.get(name).unwrap_or(&Value::Null).clone();
        let state = State {
            sessions: Sessions::from_value(&part("book")),
            ledger: Ledger::from_value(&part("ledger")),
            measures: Measures::from_value(&part("measures")),
            weights: MemoryWeights::from_value(&part("weights")),
            under_way: BTreeMap::new(),
            turns: 0,
            rising: BTreeMap::new(),
        };
        Economy { path, state: Mutex::new(state), changed: AtomicBool::new(false), saving: Mutex::new(()) }
    }

    /// Purged: nothing kept here may still tell of it.
    pub(super) fn forget(&self, key: &Key) {
        self.state.lock().sessions.forget(key);
        self.changed.store(true, Ordering::Release);
    }

    pub(super) fn save(&self) -> std::io::Result<()> {
        let _held = self.saving.lock();
        let Some(path) = self.path.as_deref().filter(|_| self.changed.swap(false, Ordering::AcqRel)) else {
            return Ok(());
        };
        let text = {
            let state = self.state.lock();
            json!({
                "book": state.sessions.to_value(),
                "ledger": state.ledger.to_value(),
                "measures": state.measures.to_value(),
                "weights": state.weights.to_value(),
            })
            .to_string()
        };
        plain::replace(path, text.as_bytes()).inspect_err(|_| self.changed.store(true, Ordering::Release))
    }
}

impl State {
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

impl Project {
    pub(super) fn save_economy(&self) {
        if let Err(error) = self.economy.save() {
            tracing::warn!(project = %self.root.display(), reason = %error, "the book of sessions could not be kept");
        }
        if let Err(error) = self.strategy.flush(self.clock.now()) {
            tracing::warn!(project = %self.root.display(), reason = %error, "how questions fared could not be kept");
        }
    }

    /// Something was counted: it is written down soon.
    pub(super) fn economy_changed(&self) {
        self.economy.changed.store(true, Ordering::Release);
        self.foresight.tell(Task::Counted);
    }

    pub(super) fn measures(&self, owner: &Owner) -> InForce {
        let state = self.economy.state.lock();
        let session = session_of(owner);
        let agent = session.and_then(|session| state.sessions.get(session)).map(|session| session.agent.clone());
        InForce {
            longest: state.measures.longest(),
            stricter: state.measures.min_score_bump(),
            only_binding: agent.is_some_and(|agent| !agent.is_empty() && state.measures.bypasses(&agent)),
            share: session.map_or(WHOLE, |session| state.sessions.allowance(session, WHOLE)),
        }
    }

    /// How the short layers are arranged. Only answers are: files that are committed do not depend on who read what.
    pub fn arrangement(&self) -> Arrangement {
        let state = self.economy.state.lock();
        let measures = &state.measures;
        let composites = measures.composites().iter().map(|one| (one.name.clone(), one.topics.clone())).collect();
        Arrangement {
            composites,
            by_use: measures.topics_by_use().then(|| measures.topic_use()),
            timeline_days: measures.timeline_days(),
        }
    }

    pub(super) fn memory_weights(&self) -> MemoryWeights {
        self.economy.state.lock().weights.clone()
    }

    /// What a signal means for sessions and their accounts.
    pub(super) fn heed(&self, signal: &Signal) {
        let Some(session) = signal.session.as_deref().filter(|session| !session.is_empty()) else { return };
        match signal.kind {
            SignalKind::SessionStart => {
                let topic = signal.goal.as_deref().map(|goal| self.vector_of(goal)).unwrap_or_default();
                self.begin_session(session, signal.agent.clone(), signal.goal.clone(), topic);
            }
            SignalKind::FileOpened | SignalKind::FileEdited => {
                let mut state = self.economy.state.lock();
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
            SignalKind::SessionEnd => self.end_session(session, signal.outcome),
            _ => {}
        }
    }

    fn record(&self, session: &str, entries: &[Entry<'_>]) {
        let now = self.clock.now();
        let everything = self.snapshot.load().tokens();
        let mut state = self.economy.state.lock();
        for entry in entries {
            state.ledger.record(session, *entry, now);
        }
        state.ledger.record(session, Entry::FullLoad { tokens: everything }, now);
        drop(state);
        self.economy_changed();
    }

    /// Looks whether a bound is crossed, and does what is to be done then.
    fn check(&self, session: &str, checkpoint: Checkpoint) {
        let mut state = self.economy.state.lock();
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
            self.say("economy", data);
        }
    }

    fn write_ledger(&self, session: &str) {
        let state = self.economy.state.lock();
        // The end of a session that nobody has heard of tells nothing.
        let is_known = !state.ledger.view(Some(session)).is_unknown();
        let document = state.ledger.document(Some(session));
        drop(state);
        if !is_known {
            return;
        }
        let _ = self.inbox.try_send(Event::Economics(document));
    }

    /// The account of a session, or of all of them; nothing for a session nobody knows.
    pub fn economics(&self, session: Option<&str>) -> Option<Map<String, Value>> {
        let state = self.economy.state.lock();
        if let Some(session) = session
            && state.ledger.sessions().all(|known| known != session)
        {
            return None;
        }
        let mut document = state.ledger.document(session);
        document.insert("measures".to_owned(), state.measures.in_words().into());
        Some(document)
    }

    pub(crate) fn say(&self, kind: &'static str, data: Value) {
        let data: Map<String, Value> = data.as_object().cloned().unwrap_or_default();
        let project = self.root.display().to_string().into();
        self.feed.tell(self.clock.now(), &project, kind, data);
    }

    // What an agent reads by itself.

    pub fn count_index(&self, session: Option<&str>, tokens: usize) {
        self.record(session.unwrap_or(NOBODY), &[Entry::Index { tokens: tokens as u64 }]);
    }

    pub fn count_timeline(&self, session: Option<&str>, scanned: usize, available: usize) {
        let entry = Entry::Timeline { scanned: scanned as u64, available: available as u64 };
        self.record(session.unwrap_or(NOBODY), &[entry]);
    }

    pub fn count_search(&self, session: Option<&str>, tokens: usize) {
        self.record(session.unwrap_or(NOBODY), &[Entry::Search { tokens: tokens as u64 }]);
    }
}

fn session_of(owner: &Owner) -> Option<&str> {
    match owner {
        Owner::Session(session) => Some(session),
        _ => None,
    }
}

/// The words of an outcome as a success or not.
fn is_good(outcome: Option<Outcome>) -> bool {
    outcome == Some(Outcome::Success)
}
