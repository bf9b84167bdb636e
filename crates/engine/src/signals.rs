//! The one router of signals: each is cleaned of secrets, counted, told to those who listen, and handed to the actors it
//! concerns. Signals are hints, but for those that begin and end a session: these are never lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value};

use super::env::Env;
use super::night::{self, Night};
use super::prefetch::{self, Prefetch};
use super::sessions::Sessions;
use lokid_model::{Signal, SignalKind};

pub struct Signals {
    env: Arc<Env>,
    seen: [AtomicU64; SignalKind::ALL.len()],
    night: Arc<Night>,
    prefetch: Arc<Prefetch>,
    sessions: Arc<Sessions>,
}

impl Signals {
    pub(super) fn new(env: Arc<Env>, night: Arc<Night>, prefetch: Arc<Prefetch>, sessions: Arc<Sessions>) -> Signals {
        Signals { env, seen: Default::default(), night, prefetch, sessions }
    }

    /// How often it was heard since the start.
    pub fn seen(&self, kind: SignalKind) -> u64 {
        self.seen[kind as usize].load(Ordering::Relaxed)
    }

    pub fn total(&self) -> u64 {
        SignalKind::ALL.iter().map(|kind| self.seen(*kind)).sum()
    }

    /// Never waits.
    pub fn hear(&self, mut signal: Signal) {
        self.env.redaction.clean(&mut signal);
        self.seen[signal.kind as usize].fetch_add(1, Ordering::Relaxed);
        tracing::debug!(project = %self.env.name, kind = %signal.kind, path = signal.path.as_deref(), "signal");
        self.env.feed.tell(signal.at, &self.env.name, "signal", told(&signal));
        self.night.tell(night::NightTask::Happened(signal.kind));
        self.sessions.hear(&signal);
        self.prefetch.tell(prefetch::PrefetchTask::Signal(Box::new(signal)));
    }

    /// A file may have been opened: too early to say so, early enough to get ready.
    pub(super) fn guess(&self, worktree: Option<String>, path: String) {
        self.prefetch.tell(prefetch::PrefetchTask::Guess { worktree, path });
    }

    /// A text outside any session named these memories: working notes, say.
    pub(super) fn referenced(&self, names: Vec<String>) {
        self.sessions.referenced(names);
    }
}

fn told(signal: &Signal) -> Map<String, Value> {
    let fields = [
        ("type", Some(signal.kind.as_str())),
        ("path", signal.path.as_deref()),
        ("branch", signal.branch.as_deref()),
        ("session_id", signal.session.as_deref()),
        ("agent", signal.agent.as_deref()),
        ("author", signal.author.as_deref()),
        ("outcome", signal.outcome.map(|outcome| outcome.as_str())),
    ];
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into()))).collect()
}
