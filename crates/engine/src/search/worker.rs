//! The thread itself: takes memories in, embeds, commits, publishes, rests; and makes anew what cannot be used.
//!
//! Told changes are hints. What is put into the indexes is always what the published snapshot holds at that moment, so
//! the order in which hints arrive, or a hint that comes twice, cannot do harm.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use crossbeam_channel::{Receiver, RecvTimeoutError};

use super::{IndexProgress, Ready, SearchTask};
use crate::usage::UsageBook;
use lokid_index::Snapshot;
use lokid_index::meaning::Model;
use lokid_index::search::{Indexer, Outcome, Replacement};
use lokid_index::searchable::passages;
use lokid_index::vector::Row;
use lokid_model::{Key, Memory};
use lokid_sys::{Clock, heap, plain, thread};
use lokid_text::Embedder;

/// How many memories are taken in before somebody else has a turn, and the next view is published.
const BATCH: usize = 64;
/// Uncommitted memories are held in memory, and looked through one by one.
const MOST_UNCOMMITTED: usize = 2048;
const COMMIT_AFTER: Duration = Duration::from_secs(2);
const REST_AFTER: Duration = Duration::from_secs(10);
/// After so many failures the cache is left alone and the indexes are kept in memory.
const MOST_FAILURES: usize = 2;

/// What the thread was given, and keeps when it has to start over.
pub(super) struct Bench {
    pub(super) project: Arc<str>,
    pub(super) cache: Option<PathBuf>,
    pub(super) published: Arc<ArcSwap<Snapshot>>,
    pub(super) usage: Arc<UsageBook>,
    pub(super) clock: Clock,
    pub(super) ready: Arc<ArcSwap<Option<Ready>>>,
    pub(super) progress: Arc<IndexProgress>,
}

pub(super) struct Worker {
    bench: Bench,
    embedder: Arc<Embedder>,
    indexer: Indexer,
    /// Known to be missing or out of date.
    backlog: VecDeque<Key>,
    /// Another model's vectors, being made.
    next: Option<Next>,
    /// Something was purged whose words may still be in the cache.
    to_scrub: bool,
    failures: usize,
    /// When the oldest change that is not on disk was made, and the last one.
    dirty_since: Option<Instant>,
    busy_at: Instant,
    told: usize,
    /// Was memory given back since it was opened? Opening takes more than what is kept.
    given_back: bool,
}

struct Next {
    embedder: Arc<Embedder>,
    replacement: Replacement,
    left: VecDeque<Arc<Memory>>,
}

impl Worker {
    /// `careful` when the last try ended in a panic: what the cache holds is not looked at.
    pub(super) fn open(bench: Bench, wanted: Arc<Embedder>, careful: bool) -> Worker {
        let (embedder, indexer, missing) = if careful {
            let (indexer, missing) = fresh_indexer(&bench, &Embedder::built_in());
            (Embedder::built_in(), indexer, missing)
        } else {
            open_indexer(&bench, &wanted)
        };
        if !missing.is_empty() {
            tracing::info!(project = %bench.project, memories = missing.len(), "making the search index");
        }
        let busy_at = bench.clock.monotonic();
        let to_scrub = indexer.has_remains();
        let mut worker = Worker {
            bench,
            embedder,
            indexer,
            backlog: missing.into(),
            next: None,
            to_scrub,
            failures: usize::from(careful),
            dirty_since: None,
            busy_at,
            told: 0,
            given_back: false,
        };
        worker.publish();
        worker.switch(wanted);
        worker
    }

    /// Until it is told to stop. What is under way then is found missing at the next start.
    pub(super) fn run(&mut self, inbox: &Receiver<SearchTask>) {
        loop {
            let task = match self.patience() {
                Some(Duration::ZERO) => inbox.try_recv().ok(),
                Some(patience) => match inbox.recv_timeout(patience) {
                    Ok(task) => Some(task),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => Some(SearchTask::Stop),
                },
                None => Some(inbox.recv().unwrap_or(SearchTask::Stop)),
            };
            match task {
                Some(SearchTask::Changed { keys, purged }) => self.hear(keys, purged),
                Some(SearchTask::Model(embedder)) => self.switch(embedder),
                Some(SearchTask::Used) => self.mark_dirty(),
                Some(SearchTask::Rest) => self.rest(),
                Some(SearchTask::Reached(reply)) => {
                    while !self.backlog.is_empty() {
                        self.catch_up();
                    }
                    let _ = reply.send(());
                }
                Some(SearchTask::Heard(reply)) => drop(reply.send(())),
                Some(SearchTask::Stop) => {
                    self.commit();
                    self.scrub();
                    if let Some(next) = &mut self.next {
                        let _ = next.replacement.save();
                    }
                    return;
                }
                None if !self.backlog.is_empty() => self.catch_up(),
                None if self.next.is_some() => self.embed_next(),
                None => {}
            }
            self.settle();
        }
    }

    /// How long to wait for the next task: not at all while there is work, for ever when all is done.
    fn patience(&self) -> Option<Duration> {
        if !self.backlog.is_empty() || self.next.is_some() {
            return Some(Duration::ZERO);
        }
        let now = self.bench.clock.monotonic();
        let left = |since: Instant, after: Duration| {
            Some(after.saturating_sub(now.saturating_duration_since(since)).max(Duration::from_millis(1)))
        };
        match self.dirty_since {
            Some(since) => left(since, COMMIT_AFTER),
            None if !self.is_resting() => left(self.busy_at, REST_AFTER),
            None => None,
        }
    }

    /// A few are taken in at once; many wait in line, so that the next few need not wait behind them.
    fn hear(&mut self, keys: Vec<Key>, purged: bool) {
        self.to_scrub |= purged;
        let count = keys.len();
        if count > BATCH {
            self.backlog.extend(keys);
            self.publish_progress();
        } else {
            let snapshot = self.bench.published.load_full();
            for key in keys {
                self.bring(&snapshot, &key, None);
            }
            self.changed();
        }
        self.bench.progress.queued.fetch_sub(count, Ordering::AcqRel);
    }

    /// Brings the indexes up to what the snapshot holds of one memory.
    fn bring(&mut self, snapshot: &Snapshot, key: &Key, rows: Option<Vec<Row>>) {
        match snapshot.get(key) {
            Some(memory) => {
                let rows = match rows {
                    Some(rows) => rows,
                    None if self.indexer.wants(memory) => embed(&self.embedder, memory),
                    None => Vec::new(),
                };
                self.attempt(|indexer| indexer.put(memory, &rows));
            }
            None => self.attempt(|indexer| indexer.take(key)),
        }
    }

    /// Some more of those that wait in line, embedded on all cores.
    fn catch_up(&mut self) {
        let snapshot = self.bench.published.load_full();
        let part: Vec<Key> = self.backlog.drain(..self.backlog.len().min(BATCH)).collect();
        let (embedder, indexer) = (&self.embedder, &self.indexer);
        let rows = thread::in_parts(
            &part,
            BATCH / 2,
            |_| true,
            |part| {
                let wanted = |key: &Key| snapshot.get(key).filter(|memory| indexer.wants(memory));
                part.iter().map(|key| wanted(key).map(|memory| embed(embedder, memory))).collect::<Vec<_>>()
            },
        );
        for (key, rows) in part.iter().zip(rows.into_iter().flatten()) {
            self.bring(&snapshot, key, rows);
        }
        self.changed();
        self.told += part.len();
        if self.backlog.is_empty() {
            tracing::info!(project = %self.bench.project, memories = self.told, "the search index is complete");
            self.told = 0;
        } else if self.told % 16_384 < part.len() {
            let left = self.backlog.len();
            tracing::info!(project = %self.bench.project, done = self.told, left, "making the search index");
        }
    }

    fn mark_dirty(&mut self) {
        let now = self.bench.clock.monotonic();
        self.dirty_since.get_or_insert(now);
    }

    /// Publishes what is new, and commits when much has gathered.
    fn changed(&mut self) {
        self.mark_dirty();
        self.busy_at = self.bench.clock.monotonic();
        if self.indexer.uncommitted() >= MOST_UNCOMMITTED {
            self.commit();
        }
        self.publish();
    }

    fn commit(&mut self) {
        self.attempt(Indexer::commit);
        if let Err(error) = self.bench.usage.save() {
            tracing::warn!(project = %self.bench.project, reason = %error, "what was counted could not be kept");
        }
        self.dirty_since = None;
    }

    fn scrub(&mut self) {
        if std::mem::take(&mut self.to_scrub) {
            self.attempt(Indexer::scrub);
        }
    }

    /// What is due by now.
    fn settle(&mut self) {
        if !self.backlog.is_empty() {
            return;
        }
        let now = self.bench.clock.monotonic();
        let past = |since: Instant, after: Duration| now.saturating_duration_since(since) >= after;
        if self.to_scrub || self.dirty_since.is_some_and(|since| past(since, COMMIT_AFTER)) {
            self.commit();
            self.scrub();
            self.show();
        }
        let idle = self.dirty_since.is_none() && self.next.is_none();
        if idle && !self.is_resting() && past(self.busy_at, REST_AFTER) {
            self.rest();
        }
    }

    fn rest(&mut self) {
        if self.backlog.is_empty() && !self.is_resting() {
            self.commit();
            self.attempt(Indexer::rest);
            self.show();
            heap::give_back();
            self.given_back = true;
        }
    }

    /// Has it let go of all it does not need, also of what it took to open?
    fn is_resting(&self) -> bool {
        self.given_back && self.indexer.is_resting()
    }

    fn publish(&mut self) {
        self.show();
        self.bench.progress.generation.fetch_add(1, Ordering::Release);
    }

    /// The same content, wherever it lies now.
    fn show(&mut self) {
        let view = self.indexer.view();
        self.bench.progress.passages.store(view.meanings.passages(), Ordering::Relaxed);
        self.publish_progress();
        self.bench.ready.store(Arc::new(Some(Ready { view, embedder: Arc::clone(&self.embedder) })));
    }

    fn publish_progress(&self) {
        self.bench.progress.indexed.store(self.indexer.len(), Ordering::Relaxed);
        self.bench.progress.backlog.store(self.backlog.len(), Ordering::Release);
    }

    /// Whatever goes wrong with derived data, the answer is to make it again, from what the snapshot holds.
    fn attempt(&mut self, work: impl FnOnce(&mut Indexer) -> Outcome<()>) {
        let Err(error) = work(&mut self.indexer) else { return };
        self.failures += 1;
        tracing::warn!(project = %self.bench.project, reason = %error, "the search index is made anew");
        if self.failures >= MOST_FAILURES && self.bench.cache.take().is_some() {
            tracing::warn!(project = %self.bench.project, "the search index is kept in memory only");
        }
        let (indexer, missing) = fresh_indexer(&self.bench, &self.embedder);
        self.indexer = indexer;
        self.backlog = missing.into();
        self.publish_progress();
    }

    /// Another model was chosen.
    fn switch(&mut self, embedder: Arc<Embedder>) {
        if embedder.id() == self.embedder.id() {
            self.next = None;
            return;
        }
        tracing::info!(project = %self.bench.project, model = embedder.id(), "embedding everything with another model");
        let replacement = self.indexer.begin(&model_of(&embedder));
        let left = self.indexer.missing_in(&replacement).into();
        self.next = Some(Next { embedder, replacement, left });
    }

    /// One more memory for the other model, or the switch to it.
    fn embed_next(&mut self) {
        let Some(mut next) = self.next.take() else { return };
        if let Some(memory) = next.left.pop_front() {
            next.replacement.put(&memory, embed(&next.embedder, &memory));
            if next.left.len().is_multiple_of(1024) {
                tracing::info!(project = %self.bench.project, left = next.left.len(), "embedding with another model");
                let _ = next.replacement.save();
            }
            self.next = Some(next);
            return;
        }
        next.left = self.indexer.missing_in(&next.replacement).into();
        if !next.left.is_empty() {
            self.next = Some(next);
            return;
        }
        if let Err(error) = self.indexer.replace(next.replacement) {
            tracing::warn!(project = %self.bench.project, reason = %error, "the vectors could not be kept");
        }
        tracing::info!(project = %self.bench.project, model = next.embedder.id(), "the other model answers now");
        self.embedder = next.embedder;
        self.publish();
    }
}

fn model_of(embedder: &Embedder) -> Model {
    Model { id: embedder.id().into(), dim: embedder.dim() }
}

/// The vectors of one memory's passages.
fn embed(embedder: &Embedder, memory: &Memory) -> Vec<Row> {
    passages(memory).iter().map(|passage| Row::of(&embedder.embed(&passage.text), passage.aside)).collect()
}

fn all(bench: &Bench) -> Vec<Arc<Memory>> {
    bench.published.load().memories().cloned().collect()
}

type Opened = (Indexer, Vec<Key>);

/// What the cache has; made anew when that cannot be read. A slow model answers only when most of its vectors are
/// there; until then the one inside does.
fn open_indexer(bench: &Bench, wanted: &Arc<Embedder>) -> (Arc<Embedder>, Indexer, Vec<Key>) {
    let memories = all(bench);
    let inside = Embedder::built_in();
    for embedder in [wanted, &inside] {
        match Indexer::open(bench.cache.as_deref(), &model_of(embedder), memories.clone()) {
            Ok((indexer, missing)) => {
                if embedder.is_instant() || missing.len() * 2 <= memories.len() {
                    return (Arc::clone(embedder), indexer, missing);
                }
            }
            Err(error) => {
                tracing::warn!(project = %bench.project, reason = %error, "the search index cannot be used");
                break;
            }
        }
    }
    let (indexer, missing) = fresh_indexer(bench, &inside);
    (inside, indexer, missing)
}

/// Starts over in an empty folder; in memory when that is refused.
fn fresh_indexer(bench: &Bench, embedder: &Embedder) -> Opened {
    let model = model_of(embedder);
    if let Some(folder) = bench.cache.as_deref() {
        let emptied = plain::remove_folder(folder).or_else(|_| plain::remove(folder)).map_err(Into::into);
        match emptied.and_then(|()| Indexer::open(Some(folder), &model, all(bench))) {
            Ok(opened) => return opened,
            Err(error) => {
                let reason = error.to_string();
                tracing::warn!(project = %bench.project, reason, "the search index is kept in memory only");
            }
        }
    }
    Indexer::open(None, &model, all(bench)).expect("an index in memory can always be made")
}
