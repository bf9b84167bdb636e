//! The way to the writer of a project: its snapshot for readers, its inbox for whoever wants something written.
//!
//! Secrets are taken out here, before anything waits, is written or is told.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;
use crossbeam_channel::{Sender, TrySendError};
use serde_json::{Map, Value};
use tokio::sync::oneshot;

use super::error::EngineError;
use super::event::{Claimant, Event, Imported, Remembered, Reply, Tidied, Trust, TrustRequest};
use super::lesson::{Chapter, Lesson};
use super::logged::{LeftAsItIs, LoggedChange, LoggedWhat};
use super::pattern::{Pattern, Redacted};
use super::redaction::Redaction;
use lokid_index::Snapshot;
use lokid_manage::plan::Proposal;
use lokid_model::{
    By, Contradiction, Document, Draft, Key, Link, Memory, MemoryId, Namespace, Patch, Problem, Relation, Resolution,
    Tier, Timestamp,
};
use lokid_team::ItemKey;
use lokid_team::sync::{Incoming, Us};

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
    pub rescans: AtomicU64,
    pub last_scan: AtomicU64,
    /// What the last look at the files took, in microseconds.
    pub scan_cost: AtomicU64,
    /// Batches the writer has done with, whatever became of them.
    pub turns: AtomicU64,
}

/// Cheap to clone; every clone reaches the same writer.
#[derive(Clone)]
pub struct WriterHandle {
    inbox: Sender<Event>,
    published: Arc<ArcSwap<Snapshot>>,
    counters: Arc<Counters>,
    redaction: Redaction,
    by: By,
}

impl WriterHandle {
    pub(super) fn new(inbox: Sender<Event>, redaction: Redaction) -> WriterHandle {
        WriterHandle { inbox, published: Arc::default(), counters: Arc::default(), redaction, by: By::User }
    }

    /// The same for somebody else than the user: what is asked through it is theirs.
    pub fn by(&self, by: By) -> WriterHandle {
        WriterHandle { by, ..self.clone() }
    }

    /// What is known now; never waits for the writer.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.published.load_full()
    }

    /// Where every new snapshot is published.
    pub(super) fn published(&self) -> &Arc<ArcSwap<Snapshot>> {
        &self.published
    }

    pub fn problems(&self) -> Vec<Problem> {
        self.snapshot().problems().to_vec()
    }

    pub fn counters(&self) -> &Arc<Counters> {
        &self.counters
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

    pub fn remember(&self, mut draft: Draft) -> Result<Pending<Remembered>, EngineError> {
        self.redaction.may_name("namespace", draft.namespace.as_str())?;
        self.redaction.clean_draft(&mut draft);
        self.ask(|reply| Event::Remember { draft: Box::new(draft), reply })
    }

    /// One batch of an import: each record with its line number. `trusted` keeps sources and mandates as given.
    pub fn import(&self, mut records: Vec<(u64, Draft)>, trusted: bool) -> Result<Pending<Imported>, EngineError> {
        records.iter_mut().for_each(|(_, draft)| self.redaction.clean_draft(draft));
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
        self.ask(|reply| Event::Patch { key, patch: Box::new(patch), if_match, by: self.by, reply })
    }

    /// Archives, or with `purge` erases. Answers with the keys that were there.
    pub fn forget(&self, keys: Vec<Key>, reason: String, purge: bool) -> Result<Pending<Vec<Key>>, EngineError> {
        let reason = self.redaction.text(&reason);
        self.ask(|reply| Event::Forget { keys, reason, purge, by: self.by, reply })
    }

    /// Puts clean copies in the place of memories that match, and erases these.
    pub fn redact(
        &self,
        keys: Vec<Key>,
        pattern: &Arc<Pattern>,
        reason: &str,
    ) -> Result<Pending<Vec<Redacted>>, EngineError> {
        let (pattern, reason) = (Arc::clone(pattern), self.redaction.text(reason));
        self.ask(|reply| Event::Redact { keys, pattern, reason, reply })
    }

    /// How many lines match that newer ones have replaced; with `strike` they go.
    pub fn history(&self, pattern: &Arc<Pattern>, strike: bool) -> Result<Pending<usize>, EngineError> {
        self.ask(|reply| Event::History { pattern: Arc::clone(pattern), strike, reply })
    }

    pub fn restore(&self, key: Key) -> Result<Pending<Arc<Memory>>, EngineError> {
        self.ask(|reply| Event::Restore { key, by: self.by, reply })
    }

    pub fn link(
        &self,
        namespace: Namespace,
        from: MemoryId,
        to: MemoryId,
        relation: Relation,
    ) -> Result<Pending<Link>, EngineError> {
        self.ask(|reply| Event::Link { namespace, from, to, relation, by: self.by, reply })
    }

    pub fn resolve(
        &self,
        namespace: Namespace,
        id: String,
        resolution: Resolution,
        note: &str,
    ) -> Result<Pending<Contradiction>, EngineError> {
        let note = self.redaction.text(note);
        self.ask(|reply| Event::Resolve { namespace, id, resolution, note, by: self.by, reply })
    }

    /// Takes back what was done together; answers for each group, in their order.
    pub fn undo(
        &self,
        mut groups: Vec<Vec<LoggedChange>>,
    ) -> Result<Pending<Vec<Result<LeftAsItIs, String>>>, EngineError> {
        for change in groups.iter_mut().flatten() {
            if let LoggedWhat::Memory { before: Some(before), .. } = &mut change.what {
                self.redaction.clean(Arc::make_mut(before));
            }
        }
        self.ask(|reply| Event::Undo { groups, by: self.by, reply })
    }

    /// A person vouches for it.
    pub fn confirm(&self, key: Key, tier: Option<Tier>) -> Result<Pending<Arc<Memory>>, EngineError> {
        self.ask(|reply| Event::Confirm { key, tier, by: self.by, reply })
    }

    /// What files ask to be; a person confirms it or takes it back.
    pub fn trust(&self, request: TrustRequest) -> Result<Pending<Vec<Claimant>>, EngineError> {
        self.ask(|reply| Event::Trust { request, reply })
    }

    pub fn write_document(&self, mut document: Document) -> Result<Pending<()>, EngineError> {
        self.redaction.may_name("name", &document.name)?;
        self.redaction.clean(&mut document);
        self.ask(|reply| Event::Write { document: Box::new(document), reply })
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

    /// The same without asking when the last look was.
    pub(super) fn rescan_soon(&self) {
        let _ = self.send(Event::Rescan { reply: None });
    }

    /// What the daemon itself saw happen. Waits for room and for the answer; nothing when the writer is gone.
    pub(super) fn remember_seen(&self, mut drafts: Vec<Draft>) -> Option<Imported> {
        drafts.iter_mut().for_each(|draft| self.redaction.clean_draft(draft));
        let records = drafts.into_iter().zip(1..).map(|(draft, line)| (line, draft)).collect();
        self.ask_patiently(|reply| Event::Import { records, trust: Trust::Seen, reply }).ok()
    }

    /// Hands over what a chapter teaches, and waits until it is known: what was read can be asked for.
    pub(super) fn teach(&self, chapter: Chapter, lesson: Lesson) {
        let (taken, until_taken) = crossbeam_channel::bounded(0);
        if self.inbox.send(Event::Derived { chapter, lesson, taken }).is_ok() {
            let _ = until_taken.recv();
        }
    }

    /// What the project is about now.
    pub(super) fn set_focus(&self, focus: Value) {
        let _ = self.inbox.send(Event::Focus(focus));
    }

    pub(super) fn write_economics(&self, document: Map<String, Value>) {
        let _ = self.inbox.try_send(Event::Economics(document));
    }

    /// What the daemon itself saw to be another now. Waits for room, not for the answer.
    pub(super) fn correct(&self, key: Key, patch: Patch) {
        let (reply, _nobody_waits) = oneshot::channel();
        let _ = self.inbox.send(Event::Patch { key, patch: Box::new(patch), if_match: None, by: By::File, reply });
    }

    /// A tier that was earned; answers whether it is on its way.
    pub(super) fn move_tier(&self, proposal: Proposal) -> bool {
        let (reply, _nobody_waits) = oneshot::channel();
        self.inbox.try_send(Event::Tidy { proposals: vec![proposal], night: None, reply }).is_ok()
    }

    /// Has proposals carried out; waits for it.
    pub(super) fn tidy(&self, proposals: Vec<Proposal>, night: Option<Timestamp>) -> Result<Tidied, EngineError> {
        self.ask_patiently(|reply| Event::Tidy { proposals, night, reply })
    }

    /// Has what stands in the team's database taken in; durable when it returns.
    pub(super) fn take_from_team(&self, incoming: Vec<Incoming>, us: &Us) -> Result<BTreeSet<ItemKey>, EngineError> {
        let (sign, us) = (Vec::new(), us.clone());
        self.ask_patiently(|reply| Event::Team { incoming, sign, us, reply })
    }

    /// From now on these say whose word they are.
    pub(super) fn sign_for_team(&self, sign: Vec<Key>, us: &Us) -> Result<(), EngineError> {
        let (incoming, us) = (Vec::new(), us.clone());
        self.ask_patiently(|reply| Event::Team { incoming, sign, us, reply }).map(drop)
    }

    /// Has what newer lines have replaced taken out of the files; waits for it.
    pub(super) fn shorten(&self) {
        let _ = self.ask_patiently(|reply| Event::Shorten { reply });
    }

    /// Waits for room in a full inbox: what was accepted before is written before.
    pub(super) fn stop(&self) {
        let _ = self.inbox.send(Event::Stop);
    }

    fn ask_patiently<T>(&self, event: impl FnOnce(Reply<T>) -> Event) -> Result<T, EngineError> {
        let (reply, pending) = oneshot::channel();
        self.inbox.send(event(reply)).map_err(|_| EngineError::Stopping)?;
        Pending(pending).wait()
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
