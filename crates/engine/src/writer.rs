//! The writer of one project: takes events in batches, and for each batch decides, commits, applies, publishes and
//! replies, in this order. It owns the store and the state; nobody else writes either.

mod counts;
mod derived;
mod layers;
mod merged;
mod neighbour;
mod team;
mod telling;
mod trust;
mod turn;

use std::collections::{BTreeSet, HashSet};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crossbeam_channel::{Receiver, RecvTimeoutError};

use super::authority::Authority;
use super::bundle::Bundle;
use super::commons::Commons;
use super::company;
use super::env::Env;
use super::error::EngineError;
use super::event::Event;
use super::follow::Follower;
use super::inbox::WriterHandle;
use super::memory_care::MemoryCare;
use super::search::Search;
use super::usage::UsageBook;
use lokid_index::Snapshot;
use lokid_model::{By, Change, Key, Memory, Timestamp};
use lokid_store::Store;

use derived::Derived;
use layers::LayersDue;
use turn::{Turn, decide_event};

/// How many events one batch takes at the most; what waits meanwhile is the next batch.
const BATCH: usize = 256;
/// Of what another hand changed at once so much is told one by one, and the rest in one line: a checkout must not crowd out
/// what was done before.
const MOST_SEEN: usize = 256;
/// More changes than this are told as one.
const TELL_EACH: usize = 64;

pub(super) struct Writer {
    pub(super) env: Arc<Env>,
    pub(super) store: Store,
    pub(super) authority: Authority,
    pub(super) state: Snapshot,
    inbox: Receiver<Event>,
    /// What readers see of it.
    pub(super) outside: WriterHandle,
    pub(super) followers: Vec<Arc<dyn Follower>>,
    pub(super) layers: LayersDue,
    pub(super) derived: Derived,
    search: Arc<Search>,
    pub(super) usage: Arc<UsageBook>,
    /// The last change was refused, and that was said.
    refused: bool,
    memory: Arc<MemoryCare>,
    commons: Commons,
}

impl Writer {
    pub(super) fn new(
        env: Arc<Env>,
        (store, authority): (Store, Authority),
        (inbox, outside): (Receiver<Event>, WriterHandle),
        followers: Vec<Arc<dyn Follower>>,
        search: Arc<Search>,
        usage: Arc<UsageBook>,
        (memory, commons): (Arc<MemoryCare>, Commons),
    ) -> Writer {
        Writer {
            env,
            store,
            authority,
            state: Snapshot::default(),
            inbox,
            outside,
            followers,
            layers: LayersDue::default(),
            derived: Derived::default(),
            search,
            usage,
            refused: false,
            memory,
            commons,
        }
    }

    pub(super) fn run(mut self) {
        loop {
            let first = match self.wait() {
                Some(event) => event,
                None => continue,
            };
            let mut batch = vec![first];
            while batch.len() < BATCH {
                match self.inbox.try_recv() {
                    Ok(event) => batch.push(event),
                    Err(_) => break,
                }
            }
            if self.guarded(batch) {
                break;
            }
        }
        self.write_layers();
    }

    /// The next event, or nothing when it was time to bring the layers up to date.
    fn wait(&mut self) -> Option<Event> {
        if self.layers.namespaces.is_empty() {
            return Some(self.inbox.recv().unwrap_or(Event::Stop));
        }
        let now = self.env.clock.monotonic();
        let due = self.layers.not_before.unwrap_or(now);
        match self.inbox.recv_timeout(due.saturating_duration_since(now)) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Disconnected) => Some(Event::Stop),
            Err(RecvTimeoutError::Timeout) => {
                self.write_layers();
                None
            }
        }
    }

    /// A turn that panics costs its own requests and not the project: nothing of it was applied, and another look at
    /// the files brings whatever it may have written.
    fn guarded(&mut self, batch: Vec<Event>) -> bool {
        let stops = batch.iter().any(|event| matches!(event, Event::Stop));
        let taken = std::panic::catch_unwind(AssertUnwindSafe(|| self.take(batch)));
        self.outside.counters().turns.fetch_add(1, Ordering::Relaxed);
        match taken {
            Ok(last) => last,
            Err(_) => {
                tracing::error!(project = %self.env.name, "a turn of the writer panicked; its requests are lost");
                self.outside.counters().write_failures.fetch_add(1, Ordering::Relaxed);
                self.outside.counters().last_scan.store(0, Ordering::Relaxed);
                stops
            }
        }
    }

    /// One turn of the engine. Answers whether it was the last.
    fn take(&mut self, batch: Vec<Event>) -> bool {
        let now = self.env.clock.now();
        let mut draft = self.state.clone();
        let mut turns = Vec::with_capacity(batch.len());
        let mut last = false;
        for event in batch {
            match event {
                Event::Stop => last = true,
                Event::Beat => {}
                Event::Focus(focus) => {
                    // The draft must know of it, or the next write takes it back.
                    self.finish(now, std::mem::take(&mut turns), draft);
                    self.set_focus(focus);
                    draft = self.state.clone();
                }
                Event::Economics(document) => {
                    if let Err(error) = self.store.write_economics(&document) {
                        tracing::warn!(project = %self.env.name, reason = %error, "the token ledger could not be written");
                    }
                }
                Event::Derived { chapter, lesson, taken } => {
                    // Like a look at files: what is decided so far comes first.
                    self.finish(now, std::mem::take(&mut turns), draft);
                    self.take_lesson(now, chapter, lesson);
                    drop(taken);
                    draft = self.state.clone();
                }
                Event::Rescan { reply } => {
                    // What is decided so far comes first, so that a look never overtakes a write.
                    self.finish(now, std::mem::take(&mut turns), draft);
                    self.look(now);
                    draft = self.state.clone();
                    if let Some(reply) = reply {
                        let _ = reply.send(Ok(()));
                    }
                }
                Event::Team { incoming, sign, us, reply } => {
                    self.finish(now, std::mem::take(&mut turns), draft);
                    self.take_from_team(now, &incoming, &sign, (&us, reply));
                    draft = self.state.clone();
                }
                Event::Trust { request, reply } => {
                    self.finish(now, std::mem::take(&mut turns), draft);
                    let _ = reply.send(self.trust(request, now));
                    draft = self.state.clone();
                }
                Event::History { pattern, strike, reply } => {
                    self.finish(now, std::mem::take(&mut turns), draft);
                    let lines = self.store.history(pattern.as_ref(), strike);
                    let _ = reply.send(lines.map_err(|error| EngineError::refused(&error)));
                    draft = self.state.clone();
                }
                Event::Shorten { reply } => {
                    self.finish(now, std::mem::take(&mut turns), draft);
                    self.fold_usage(now);
                    self.shorten();
                    draft = self.state.clone();
                    let _ = reply.send(Ok(()));
                }
                mut event => {
                    if let Event::Tidy { proposals, .. } = &mut event {
                        proposals.iter_mut().for_each(|proposal| self.authority.hold_back(proposal));
                    }
                    let twins = |memory: &Memory| company::twins(self.search.if_started(), memory, now);
                    if let Some(turn) = decide_event(&mut draft, now, event, &twins) {
                        turns.push(turn);
                    }
                }
            }
        }
        self.finish(now, turns, draft);
        self.memory.look();
        self.memory.trim_heap();
        last
    }

    /// Carries out what was decided. When a batch cannot be written, each of its turns is tried alone, so that one that
    /// cannot be written does not take the others with it.
    fn finish(&mut self, now: Timestamp, turns: Vec<Turn>, draft: Snapshot) {
        let Err((turns, error)) = self.carry_out(now, turns, draft) else { return };
        if turns.len() == 1 {
            return self.refuse(turns, &error);
        }
        tracing::debug!(project = %self.env.name, reason = %error, "a batch could not be written, trying each alone");
        let mut failed: HashSet<Key> = HashSet::new();
        for turn in turns {
            let keys: Vec<Key> = turn.changes().flat_map(Change::keys).collect();
            // What was decided on top of a change that did not happen cannot happen either.
            if keys.iter().any(|key| failed.contains(key)) {
                (turn.reply)(Err(EngineError::refused(&error)));
                continue;
            }
            let mut draft = self.state.clone();
            turn.changes().for_each(|change| draft.apply(change));
            if let Err((turn, error)) = self.carry_out(now, vec![turn], draft) {
                failed.extend(keys);
                self.refuse(turn, &error);
            }
        }
    }

    /// Commits, applies, publishes, replies. Turns that cannot be written come back untouched, with the reason.
    fn carry_out(
        &mut self,
        now: Timestamp,
        mut turns: Vec<Turn>,
        draft: Snapshot,
    ) -> Result<(), (Vec<Turn>, std::io::Error)> {
        let changes: Vec<Change> = turns.iter().flat_map(Turn::changes).cloned().collect();
        if changes.is_empty() {
            for turn in turns {
                (turn.reply)(Ok(()));
            }
            return Ok(());
        }
        let span = tracing::debug_span!("turn", project = %self.env.name, turns = turns.len(), changes = changes.len());
        let _entered = span.enter();
        let mut seen = match self.commit(now, &changes) {
            Ok(seen) => seen,
            Err(error) => return Err((turns, error)),
        };
        if std::mem::take(&mut self.refused) {
            tracing::info!(project = %self.env.name, "changes can be written again");
        }
        self.note_purged(&changes);
        let before = std::mem::replace(&mut self.state, draft);
        self.derived.adopted(&changes, &mut self.state);
        self.outside.counters().writes.fetch_add(changes.len() as u64, Ordering::Relaxed);
        self.mark_layers(&changes);
        let told: Vec<Key> =
            turns.iter().filter(|turn| turn.told).flat_map(Turn::changes).filter_map(new_words).collect();
        let bundles: Vec<Bundle> = turns.iter_mut().flat_map(|turn| std::mem::take(&mut turn.bundles)).collect();
        let ours = self.apply_seen(&mut seen);
        self.publish();
        self.announce(&changes);
        self.followers.iter().for_each(|follower| follower.done(&before, &bundles));
        self.announce_purged(&before, &changes);
        self.announce_seen(&ours, &seen);
        self.tell(now, &changes);
        self.commons.written(&self.env.id, &changes);
        // A purge has answered only when index and timeline no longer tell of it either.
        if !self.layers.purged.is_empty() {
            self.write_layers();
        }
        for turn in turns {
            (turn.reply)(Ok(()));
        }
        if !told.is_empty() {
            self.followers.iter().for_each(|follower| follower.told(&told));
        }
        Ok(())
    }

    fn refuse(&mut self, turns: Vec<Turn>, error: &std::io::Error) {
        self.outside.counters().write_failures.fetch_add(1, Ordering::Relaxed);
        // A full disk refuses everything that comes; that is one thing to say, not a thousand.
        if std::mem::replace(&mut self.refused, true) {
            tracing::debug!(project = %self.env.name, reason = %error, "another change could not be written");
        } else {
            tracing::error!(project = %self.env.name, reason = %error, "a change could not be written");
        }
        self.publish();
        let refusal = EngineError::refused(error);
        for turn in turns {
            (turn.reply)(Err(refusal.clone()));
        }
    }

    /// What is written here is what it says it is: that is noted first, so that no crash makes it somebody else's word.
    pub(super) fn commit(&mut self, now: Timestamp, changes: &[Change]) -> std::io::Result<Vec<Change>> {
        self.authority.witness(changes, now)?;
        self.store.commit(now, changes)
    }

    fn look(&mut self, now: Timestamp) {
        self.outside.counters().rescans.fetch_add(1, Ordering::Relaxed);
        let started = self.env.clock.monotonic();
        let mut seen = self.store.look(now);
        let took = self.env.clock.monotonic().saturating_duration_since(started);
        self.outside.counters().scan_cost.store(took.as_micros() as u64, Ordering::Relaxed);
        if !seen.is_empty() {
            tracing::info!(project = %self.env.name, changes = seen.len(), "files changed by another hand");
            self.mark_layers(&seen);
        }
        let left = self.merged(&seen);
        let before = self.apply_seen(&mut seen);
        if !seen.is_empty() {
            self.tell(now, &seen);
        }
        self.meet_neighbours(now);
        self.publish();
        self.announce_seen(&before, &seen);
        self.settle_merged(now, left);
    }

    /// A file that stays long harms nobody: the next night tries again.
    fn shorten(&mut self) {
        match self.store.shorten() {
            Ok(0) => {}
            Ok(lines) => tracing::info!(project = %self.env.name, lines, "replaced lines were taken out of the notes"),
            Err(error) => tracing::warn!(project = %self.env.name, reason = %error, "the notes could not be shortened"),
        }
    }

    pub(super) fn announce(&self, changes: &[Change]) {
        self.followers.iter().for_each(|follower| follower.changed(changes));
    }

    /// Of another hand, where this stood before.
    pub(super) fn announce_seen(&self, before: &Snapshot, changes: &[Change]) {
        if changes.is_empty() {
            return;
        }
        let alone = |change: &Change| Bundle::by(By::File, "", vec![change.clone()]);
        let (some, rest) = changes.split_at(changes.len().min(MOST_SEEN));
        let mut bundles: Vec<Bundle> = some.iter().map(alone).collect();
        if !rest.is_empty() {
            let why = format!("and {} others in files that changed at once", rest.len() - 1);
            bundles.push(Bundle::by(By::File, why, rest.to_vec()));
        }
        for follower in &self.followers {
            follower.seen(changes);
            follower.done(before, &bundles);
        }
        self.announce_purged(before, changes);
    }

    /// What was purged is gone everywhere before the feed tells of it.
    fn announce_purged(&self, before: &Snapshot, changes: &[Change]) {
        let purge = |change: &Change| match change {
            Change::Purge(tombstone) => Some(tombstone.key.clone()),
            _ => None,
        };
        let purged: BTreeSet<Key> = changes.iter().filter_map(purge).collect();
        if purged.is_empty() {
            return;
        }
        let known = |key: &Key| before.get(key).or_else(|| before.archived(key).map(|entry| &entry.memory)).cloned();
        let last_words: Vec<Arc<Memory>> = purged.iter().filter_map(known).collect();
        self.followers.iter().for_each(|follower| follower.purged(&purged, &last_words));
    }

    /// Answers with what stood there before.
    pub(super) fn apply_seen(&mut self, seen: &mut Vec<Change>) -> Snapshot {
        let before = self.state.clone();
        lokid_store::forget_lineage(seen);
        self.authority.weigh_all(seen);
        self.state.apply_all(seen);
        self.derived.adopted(seen, &mut self.state);
        let follows = self.successions(seen);
        self.state.apply_all(&follows);
        seen.extend(follows);
        before
    }

    /// What stands on disk when the project starts. Nothing is written for it, but for what a merge left to settle: a tree
    /// that was only read stays as it is.
    pub(super) fn load(&mut self, now: Timestamp) {
        let team = super::team::read(&self.env).and_then(|joined| joined.member);
        self.authority.is_member(team.as_deref());
        let mut seen = self.store.look(now);
        self.authority.begin(&seen, now);
        let left = self.merged(&seen);
        self.apply_seen(&mut seen);
        self.meet_neighbours(now);
        self.publish();
        self.settle_merged(now, left);
    }
}

/// Who says something that was not said before.
fn new_words(change: &Change) -> Option<Key> {
    let Change::Put { before, after } = change else { return None };
    let is_new = before.as_ref().is_none_or(|before| before.text != after.text);
    (is_new && after.times.expired_at.is_none()).then(|| after.key())
}
