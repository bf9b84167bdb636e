//! The handle to one project: its snapshot for readers, its inbox for writers.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use arc_swap::ArcSwap;
use crossbeam_channel::{Sender, TrySendError};
use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::care::Care;
use super::ears::Ears;
use super::economy::Economy;
use super::error::EngineError;
use super::event::{Event, Imported, Remembered, Reply, Trust};
use super::eyes::{Eyes, Noticed};
use super::feed::Feed;
use super::foresight::Foresight;
use super::judge::Judge;
use super::night::Night;
use super::past::PastKnown;
use super::redaction::Redaction;
use super::review::Review;
use super::search::{self, SearchHandle};
use super::strategy::Strategy;
use super::usage::UsageBook;
use lokid_config::Config;
use lokid_index::Snapshot;
use lokid_model::{
    Contradiction, Document, DocumentKind, Draft, Key, Link, Memory, MemoryId, Namespace, Patch, Problem, Relation,
    Resolution, Signal, SignalKind, Tier, Timestamp,
};
use lokid_sys::Clock;
use lokid_text::Embedder;

/// An answer that is on its way from the writer.
pub struct Pending<T>(oneshot::Receiver<Result<T, EngineError>>);

impl<T> Pending<T> {
    pub(super) fn new(receiver: oneshot::Receiver<Result<T, EngineError>>) -> Pending<T> {
        Pending(receiver)
    }

    pub async fn answer(self) -> Result<T, EngineError> {
        self.0.await.unwrap_or(Err(EngineError::Stopping))
    }

    /// For callers outside any runtime.
    pub fn wait(self) -> Result<T, EngineError> {
        self.0.blocking_recv().unwrap_or(Err(EngineError::Stopping))
    }
}

/// What the writer tells about itself, for `status`.
#[derive(Debug, Default)]
pub struct Counters {
    pub writes: AtomicU64,
    pub write_failures: AtomicU64,
    /// Changes that are safe in the state directory and not yet in their files.
    pub kept_outside: AtomicU64,
    pub signals: AtomicU64,
    pub rescans: AtomicU64,
    pub last_scan: AtomicU64,
    /// What the last look at the files took, in microseconds.
    pub scan_cost: AtomicU64,
    /// Batches the writer has done with, whatever became of them.
    pub turns: AtomicU64,
}

pub struct Project {
    pub(super) id: String,
    pub(super) root: PathBuf,
    /// Where the shared memory stands: `.loki/memory` unless the environment says otherwise.
    pub(super) memory_dir: PathBuf,
    pub(super) capture: bool,
    pub(super) inbox: Sender<Event>,
    pub(super) snapshot: Arc<ArcSwap<Snapshot>>,
    pub(super) counters: Arc<Counters>,
    pub(super) signals_by_kind: Arc<[AtomicU64; SignalKind::ALL.len()]>,
    pub(super) thread: Mutex<Option<JoinHandle<()>>>,
    pub(super) search: Arc<OnceLock<SearchHandle>>,
    pub(super) usage: Arc<UsageBook>,
    /// Where the indexes are kept; nowhere for a project that is only read.
    pub(super) cache: Option<PathBuf>,
    /// Where the cache and the state of the project are, whoever may write there.
    pub(super) cache_folder: PathBuf,
    pub(super) state: PathBuf,
    /// What the past taught, for a project that is not watched.
    pub(super) kept_past: OnceLock<PastKnown>,
    pub(super) clock: Clock,
    pub(super) config: Arc<ArcSwap<Config>>,
    pub(super) redaction: Redaction,
    pub(super) ears: Ears,
    pub(super) eyes: OnceLock<Eyes>,
    /// The writer's way to the eyes.
    pub(super) tell_eyes: Arc<OnceLock<Sender<Noticed>>>,
    pub(super) foresight: Arc<Foresight>,
    pub(super) economy: Arc<Economy>,
    pub(super) night: Arc<Night>,
    pub(super) review: Arc<Review>,
    pub(super) strategy: Strategy,
    /// One for all projects.
    pub(super) judge: Arc<Judge>,
    pub(super) feed: Feed,
    pub(super) started_at: Timestamp,
    /// One for all projects.
    pub(super) care: Arc<Care>,
}

impl Project {
    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn memory_dir(&self) -> &Path {
        &self.memory_dir
    }

    /// May what happens here become memory by itself? Loki Mode's opt-outs say no.
    pub fn captures(&self) -> bool {
        self.capture
    }

    pub fn started_at(&self) -> Timestamp {
        self.started_at
    }

    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    pub fn signals_seen(&self, kind: SignalKind) -> u64 {
        self.signals_by_kind[kind as usize].load(Ordering::Relaxed)
    }

    /// Events waiting for the writer.
    pub fn backlog(&self) -> usize {
        self.inbox.len()
    }

    /// How many turns the writer has taken so far.
    pub fn turns(&self) -> u64 {
        self.counters.turns.load(Ordering::Relaxed)
    }

    /// The same, and it is asked for another one: whoever finds the same number after a while knows that it is stuck.
    pub fn beat(&self) -> u64 {
        let turns = self.turns();
        // A full inbox gives it enough to do.
        let _ = self.inbox.try_send(Event::Beat);
        turns
    }

    /// What is known now; never waits for the writer.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// Starts the search indexes, unless they are running.
    pub fn search(&self) -> &SearchHandle {
        self.search.get_or_init(|| {
            let name = self.root.display().to_string().into();
            let embedder = self.embedder();
            let (snapshot, usage) = (Arc::clone(&self.snapshot), Arc::clone(&self.usage));
            let started = SearchHandle::start(name, self.cache.clone(), embedder, snapshot, usage, self.clock.clone());
            started.expect("a thread can be started")
        })
    }

    pub fn search_if_started(&self) -> Option<&SearchHandle> {
        self.search.get()
    }

    /// The model that the configuration names, or the one inside when that cannot be used.
    fn embedder(&self) -> Arc<Embedder> {
        search::embedder(self.config.load().embed.model.as_deref()).unwrap_or_else(|reason| {
            tracing::error!(%reason, "the model of [embed] cannot be used; the one inside lokid answers");
            Embedder::built_in()
        })
    }

    /// The configuration was read again: another model may be wanted.
    pub(super) fn reconfigured(&self) {
        let Some(search) = self.search.get() else { return };
        match search::embedder(self.config.load().embed.model.as_deref()) {
            Ok(embedder) => search.use_model(embedder),
            Err(reason) => {
                tracing::error!(%reason, "the model of [embed] cannot be used; the one before it goes on answering");
            }
        }
    }

    pub fn care(&self) -> &Care {
        &self.care
    }

    /// Lets go of what can be made again.
    pub(super) fn shed(&self) {
        self.foresight.shelf.lock().clear();
        *self.foresight.pointers.lock() = None;
        if let Some(search) = self.search.get() {
            search.rest();
        }
    }

    pub fn usage(&self) -> &UsageBook {
        &self.usage
    }

    /// How the project is watched, if it is.
    pub fn eyes(&self) -> Option<&Eyes> {
        self.eyes.get()
    }

    pub fn problems(&self) -> Vec<Problem> {
        self.snapshot().problems().to_vec()
    }

    // Secrets are taken out here, before anything waits, is written or is told.

    pub fn remember(&self, mut draft: Draft) -> Result<Pending<Remembered>, EngineError> {
        self.redaction.clean(&mut draft);
        self.ask(|reply| Event::Remember { draft: Box::new(draft), reply })
    }

    /// One batch of an import: each record with its line number. `trusted` keeps sources and mandates as given.
    pub fn import(&self, mut records: Vec<(u64, Draft)>, trusted: bool) -> Result<Pending<Imported>, EngineError> {
        records.iter_mut().for_each(|(_, draft)| self.redaction.clean(draft));
        let trust = if trusted { Trust::Vouched } else { Trust::File };
        self.ask(|reply| Event::Import { records, trust, reply })
    }

    pub fn patch(
        &self,
        key: Key,
        mut patch: Patch,
        if_match: Option<String>,
    ) -> Result<Pending<Arc<Memory>>, EngineError> {
        self.redaction.clean(&mut patch);
        self.ask(|reply| Event::Patch { key, patch: Box::new(patch), if_match, reply })
    }

    /// Archives, or with `purge` erases. Answers with the keys that were there.
    pub fn forget(&self, keys: Vec<Key>, reason: String, purge: bool) -> Result<Pending<Vec<Key>>, EngineError> {
        let reason = self.redaction.text(&reason);
        self.ask(|reply| Event::Forget { keys, reason, purge, reply })
    }

    pub fn restore(&self, key: Key) -> Result<Pending<Arc<Memory>>, EngineError> {
        self.ask(|reply| Event::Restore { key, reply })
    }

    pub fn link(
        &self,
        namespace: Namespace,
        from: MemoryId,
        to: MemoryId,
        relation: Relation,
    ) -> Result<Pending<Link>, EngineError> {
        self.ask(|reply| Event::Link { namespace, from, to, relation, reply })
    }

    pub fn resolve(
        &self,
        namespace: Namespace,
        id: String,
        resolution: Resolution,
        note: &str,
    ) -> Result<Pending<Contradiction>, EngineError> {
        let note = self.redaction.text(note);
        self.ask(|reply| Event::Resolve { namespace, id, resolution, note, reply })
    }

    /// A person vouches for it.
    pub fn confirm(&self, key: Key, tier: Option<Tier>) -> Result<Pending<Arc<Memory>>, EngineError> {
        self.ask(|reply| Event::Confirm { key, tier, reply })
    }

    pub fn write_document(&self, mut document: Document) -> Result<Pending<()>, EngineError> {
        self.redaction.clean(&mut document);
        self.ask(|reply| Event::Write { document: Box::new(document), reply })
    }

    /// Accepted, not waited for.
    pub fn signal(&self, mut signal: Signal) -> Result<(), EngineError> {
        self.redaction.clean(&mut signal);
        self.send(Event::Signal(Box::new(signal)))
    }

    /// Asks the writer to look at the files again and waits for it.
    pub fn rescan(&self) -> Result<Pending<()>, EngineError> {
        self.ask(|reply| Event::Rescan { reply: Some(reply) })
    }

    /// Asks for a look at the files if the last one is older than `age_micros`, or than twenty times what it took: a
    /// store of very many files is not looked at all day. A full inbox is no reason to complain.
    pub fn look_again(&self, now: Timestamp, age_micros: i64) {
        let last = self.counters.last_scan.load(Ordering::Relaxed) as i64;
        let cost = self.counters.scan_cost.load(Ordering::Relaxed) as i64;
        // A clock that was set back must not keep us from looking.
        if (now.as_micros() - last).abs() > age_micros.max(20 * cost) {
            self.counters.last_scan.store(now.as_micros().max(0) as u64, Ordering::Relaxed);
            let _ = self.send(Event::Rescan { reply: None });
        }
    }

    /// Loki Mode's ledgers or handoffs, by name. Reads the disk.
    pub fn documents(&self, kind: DocumentKind) -> std::io::Result<Vec<Document>> {
        lokid_store::documents::list(&self.root, &self.memory_dir, kind)
    }

    fn ask<T>(&self, event: impl FnOnce(Reply<T>) -> Event) -> Result<Pending<T>, EngineError> {
        let (reply, pending) = oneshot::channel();
        self.send(event(reply))?;
        Ok(Pending(pending))
    }

    fn send(&self, event: Event) -> Result<(), EngineError> {
        self.inbox.try_send(event).map_err(|error| match error {
            TrySendError::Full(_) => EngineError::Busy,
            TrySendError::Disconnected(_) => EngineError::Stopping,
        })
    }
}
