//! The thread itself: takes memories in, embeds, commits, publishes, rests; and makes anew what cannot be used.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use crossbeam_channel::{Receiver, RecvTimeoutError};

use super::{Progress, Ready, Task};
use crate::encode::embed::Embedder;
use crate::engine::usage::UsageBook;
use crate::index::meaning::Model;
use crate::index::search::{Indexer, Outcome, Replacement};
use crate::index::searchable::passages;
use crate::index::vector::Row;
use crate::model::{Change, Key, Memory};
use crate::sys::{Clock, plain, thread};

/// How many memories are taken in before the next view is published.
const BATCH: usize = 64;
/// Uncommitted memories are held in memory, and looked through one by one.
const MOST_UNCOMMITTED: usize = 2048;
const COMMIT_AFTER: Duration = Duration::from_secs(2);
const REST_AFTER: Duration = Duration::from_secs(10);

pub(super) struct Worker {
    project: Arc<str>,
    cache: Option<PathBuf>,
    embedder: Arc<Embedder>,
    indexer: Indexer,
    /// Known from the start, not taken in yet; newest first.
    missing: VecDeque<Arc<Memory>>,
    /// Another model's vectors, being made.
    next: Option<(Arc<Embedder>, Replacement, VecDeque<Arc<Memory>>)>,
    usage: Arc<UsageBook>,
    clock: Clock,
    ready: Arc<ArcSwap<Option<Ready>>>,
    progress: Arc<Progress>,
    /// When the oldest change that is not on disk was made, and the last one.
    dirty_since: Option<Instant>,
    busy_at: Instant,
    told: usize,
}

impl Worker {
    #[expect(clippy::too_many_arguments, reason = "all of them are kept")]
    pub(super) fn open(
        project: Arc<str>,
        cache: Option<PathBuf>,
        wanted: Arc<Embedder>,
        memories: Vec<Arc<Memory>>,
        usage: Arc<UsageBook>,
        clock: Clock,
        ready: Arc<ArcSwap<Option<Ready>>>,
        progress: Arc<Progress>,
    ) -> Worker {
        let total = memories.len();
        progress.waiting.fetch_add(total, Ordering::AcqRel);
        // A model that takes milliseconds a passage is caught up with in the background; the one inside answers now.
        let first = if wanted.is_instant() { Arc::clone(&wanted) } else { Embedder::built_in() };
        let (indexer, missing) = open_indexer(&project, &mut cache.clone(), &first, memories);
        progress.waiting.fetch_sub(total - missing.len() + 1, Ordering::AcqRel);
        if !missing.is_empty() {
            tracing::info!(project = %project, memories = missing.len(), "making the search index");
        }
        let busy_at = clock.monotonic();
        let mut worker = Worker {
            project,
            cache,
            embedder: first,
            indexer,
            missing: missing.into(),
            next: None,
            usage,
            clock,
            ready,
            progress,
            dirty_since: None,
            busy_at,
            told: 0,
        };
        worker.publish();
        if !Arc::ptr_eq(&wanted, &worker.embedder) {
            worker.switch(wanted);
        }
        worker
    }

    pub(super) fn run(&mut self, inbox: &Receiver<Task>) {
        loop {
            let task = match self.patience() {
                Some(Duration::ZERO) => inbox.try_recv().ok(),
                Some(patience) => match inbox.recv_timeout(patience) {
                    Ok(task) => Some(task),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => Some(Task::Stop),
                },
                None => Some(inbox.recv().unwrap_or(Task::Stop)),
            };
            match task {
                Some(Task::Changes(changes)) => self.take(changes),
                Some(Task::Model(embedder)) => self.switch(embedder),
                Some(Task::Used) => drop(self.dirty_since.get_or_insert(self.clock.monotonic())),
                Some(Task::Reached(reply)) => {
                    // What was there at the start is part of "everything".
                    while !self.missing.is_empty() {
                        self.catch_up();
                    }
                    let _ = reply.send(());
                }
                Some(Task::Stop) => {
                    self.commit();
                    self.save_next();
                    return;
                }
                None if !self.missing.is_empty() => self.catch_up(),
                None if self.next.is_some() => self.embed_next(),
                None => {}
            }
            self.settle();
        }
    }

    /// How long to wait for the next task: not at all while there is work, for ever when all is done.
    fn patience(&self) -> Option<Duration> {
        if !self.missing.is_empty() || self.next.is_some() {
            return Some(Duration::ZERO);
        }
        let now = self.clock.monotonic();
        let left = |since: Instant, after: Duration| after.saturating_sub(now.saturating_duration_since(since));
        match self.dirty_since {
            Some(since) => Some(left(since, COMMIT_AFTER).max(Duration::from_millis(1))),
            None if !self.indexer.is_resting() => Some(left(self.busy_at, REST_AFTER).max(Duration::from_millis(1))),
            None => None,
        }
    }

    fn take(&mut self, changes: Vec<Change>) {
        let count = changes.len();
        for part in changes.chunks(BATCH) {
            for change in part {
                self.apply(change);
            }
            self.changed();
        }
        self.progress.waiting.fetch_sub(count, Ordering::AcqRel);
    }

    fn apply(&mut self, change: &Change) {
        match change {
            Change::Put { after, .. } => self.put(after),
            Change::Restore(entry) => self.put(&entry.memory),
            Change::Archive(entry) => self.forget(&entry.memory.key()),
            Change::Vanished(key) => self.forget(key),
            Change::Purge(tombstone) => {
                self.forget(&tombstone.key);
                self.attempt(Indexer::scrub);
            }
            Change::Link(_) | Change::Unlink(_) | Change::Contradict(_) | Change::Write(_) => {}
        }
    }

    fn put(&mut self, memory: &Arc<Memory>) {
        let rows = if self.indexer.wants(memory) { embed(&self.embedder, memory) } else { Vec::new() };
        self.attempt(|indexer| indexer.put(memory, &rows));
    }

    fn forget(&mut self, key: &Key) {
        self.missing.retain(|memory| memory.key() != *key);
        self.attempt(|indexer| indexer.take(key));
    }

    /// Some more of what was there at the start.
    fn catch_up(&mut self) {
        let part: Vec<Arc<Memory>> = self.missing.drain(..self.missing.len().min(BATCH)).collect();
        let embedder = &self.embedder;
        let rows = thread::in_parts(
            &part,
            BATCH / 2,
            |_| true,
            |part| part.iter().map(|memory| embed(embedder, memory)).collect::<Vec<_>>(),
        );
        for (memory, rows) in part.iter().zip(rows.into_iter().flatten()) {
            self.attempt(|indexer| indexer.put(memory, &rows));
        }
        self.progress.waiting.fetch_sub(part.len(), Ordering::AcqRel);
        self.changed();
        self.told += part.len();
        if self.missing.is_empty() {
            tracing::info!(project = %self.project, memories = self.told, "the search index is complete");
            self.told = 0;
        } else if self.told % 16_384 < part.len() {
            tracing::info!(project = %self.project, done = self.told, left = self.missing.len(), "making the search index");
        }
    }

    /// Publishes what is new, and commits when much has gathered.
    fn changed(&mut self) {
        let now = self.clock.monotonic();
        self.dirty_since.get_or_insert(now);
        self.busy_at = now;
        if self.indexer.uncommitted() >= MOST_UNCOMMITTED {
            self.commit();
        }
        self.publish();
    }

    fn commit(&mut self) {
        self.attempt(Indexer::commit);
        if let Err(error) = self.usage.save() {
            tracing::warn!(project = %self.project, reason = %error, "what was counted could not be kept");
        }
        self.dirty_since = None;
    }

    /// What is due by now.
    fn settle(&mut self) {
        let now = self.clock.monotonic();
        if self.dirty_since.is_some_and(|since| now.saturating_duration_since(since) >= COMMIT_AFTER) {
            self.commit();
            self.publish();
        }
        let idle = self.dirty_since.is_none() && self.missing.is_empty() && self.next.is_none();
        if idle && !self.indexer.is_resting() && now.saturating_duration_since(self.busy_at) >= REST_AFTER {
            self.attempt(Indexer::rest);
            self.publish();
        }
    }

    fn publish(&mut self) {
        let view = self.indexer.view();
        self.progress.indexed.store(self.indexer.len(), Ordering::Relaxed);
        self.progress.passages.store(view.meanings.passages(), Ordering::Relaxed);
        self.ready.store(Arc::new(Some(Ready { view, embedder: Arc::clone(&self.embedder) })));
    }

    /// Whatever goes wrong with derived data, the answer is to make it again.
    fn attempt(&mut self, work: impl FnOnce(&mut Indexer) -> Outcome<()>) {
        if let Err(error) = work(&mut self.indexer) {
            tracing::warn!(project = %self.project, reason = %error, "the search index is made anew");
            let memories = self.indexer.memories();
            let (indexer, missing) = fresh_indexer(&self.project, &mut self.cache, &self.embedder, memories);
            self.indexer = indexer;
            self.progress.waiting.fetch_add(missing.len(), Ordering::AcqRel);
            self.missing.extend(missing);
        }
    }

    /// Another model was chosen.
    fn switch(&mut self, embedder: Arc<Embedder>) {
        if embedder.id() == self.embedder.id() {
            self.next = None;
            return;
        }
        tracing::info!(project = %self.project, model = embedder.id(), "embedding everything with another model");
        let replacement = self.indexer.begin(&model_of(&embedder));
        let left = self.indexer.memories().into_iter().filter(|memory| replacement.wants(memory)).collect();
        self.next = Some((embedder, replacement, left));
    }

    /// One more memory for the other model, or the switch to it.
    fn embed_next(&mut self) {
        let Some((embedder, mut replacement, mut left)) = self.next.take() else { return };
        if let Some(memory) = left.pop_front() {
            replacement.put(&memory, embed(&embedder, &memory));
            if left.len().is_multiple_of(1024) {
                tracing::info!(project = %self.project, left = left.len(), "embedding with another model");
                let _ = replacement.save();
            }
            self.next = Some((embedder, replacement, left));
            return;
        }
        let missing = self.indexer.missing_in(&replacement);
        if !missing.is_empty() {
            self.next = Some((embedder, replacement, missing.into()));
            return;
        }
        if let Err(error) = self.indexer.replace(replacement) {
            tracing::warn!(project = %self.project, reason = %error, "the vectors could not be kept");
        }
        tracing::info!(project = %self.project, model = embedder.id(), "the other model answers now");
        self.embedder = embedder;
        self.publish();
    }

    fn save_next(&mut self) {
        if let Some((_, replacement, _)) = &mut self.next {
            let _ = replacement.save();
        }
    }
}

fn model_of(embedder: &Embedder) -> Model {
    Model { id: embedder.id().into(), dim: embedder.dim() }
}

/// What the cache has; made anew when that cannot be read; in memory when the cache cannot be written.
fn open_indexer(
    project: &str,
    cache: &mut Option<PathBuf>,
    embedder: &Embedder,
    memories: Vec<Arc<Memory>>,
) -> (Indexer, Vec<Arc<Memory>>) {
    match Indexer::open(cache.as_deref(), &model_of(embedder), memories.clone()) {
        Ok(opened) => opened,
        Err(error) => {
            tracing::warn!(project, reason = %error, "the search index cannot be used and is made anew");
            fresh_indexer(project, cache, embedder, memories)
        }
    }
}

fn fresh_indexer(
    project: &str,
    cache: &mut Option<PathBuf>,
    embedder: &Embedder,
    memories: Vec<Arc<Memory>>,
) -> (Indexer, Vec<Arc<Memory>>) {
    let model = model_of(embedder);
    if let Some(folder) = cache.as_deref() {
        let emptied = plain::remove_folder(folder).map_err(Into::into);
        match emptied.and_then(|()| Indexer::open(Some(folder), &model, memories.clone())) {
            Ok(opened) => return opened,
            Err(error) => {
                tracing::warn!(project, reason = %error, "the search index is kept in memory only");
                *cache = None;
            }
        }
    }
    Indexer::open(None, &model, memories).expect("an index in memory can always be made")
}

/// The vectors of one memory's passages.
fn embed(embedder: &Embedder, memory: &Memory) -> Vec<Row> {
    passages(memory).iter().map(|passage| Row::of(&embedder.embed(&passage.text), passage.aside)).collect()
}
