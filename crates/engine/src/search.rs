//! The thread that keeps a project's search indexes up to date, and the handle through which questions are asked.
//!
//! It takes the memories of the snapshot it starts with and then every change the writer makes; it embeds, indexes and
//! publishes a view after each batch. It never holds up a question: while it works, questions are answered from the
//! last view. What it keeps in the cache directory can be deleted at any time.

mod worker;

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use arc_swap::ArcSwap;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use parking_lot::Mutex;

use self::worker::{Bench, Worker};
use super::env::Env;
use super::follow::Follower;
use super::usage::UsageBook;
use lokid_index::Snapshot;
use lokid_index::search::View;
use lokid_model::{Change, Key, Memory};
use lokid_retrieve::query;
use lokid_sys::{plain, thread};
use lokid_text::Embedder;

/// Up to this many changes are searchable before the writer answers.
const PROMPT: usize = 64;
/// Longer than this nobody waits for the index; what was remembered is on disk all the same.
const PROMPT_WAIT: Duration = Duration::from_secs(1);

enum SearchTask {
    /// These are not what they were; look them up.
    Changed {
        keys: Vec<Key>,
        purged: bool,
    },
    Model(Arc<Embedder>),
    /// Something was counted and wants to be kept.
    Used,
    /// Memory is wanted elsewhere: no waiting until nothing has come for a while.
    Rest,
    /// Answered when everything that is known is searchable.
    Reached(Sender<()>),
    /// Answered when the few changes told before are searchable.
    Heard(Sender<()>),
    Stop,
}

/// What questions are answered from at one moment: the indexes, and the model their vectors were made with.
pub struct Ready {
    pub view: View,
    pub embedder: Arc<Embedder>,
}

/// How far the indexes are behind.
#[derive(Debug, Default)]
struct IndexProgress {
    /// Told and not heard yet.
    queued: AtomicUsize,
    /// Heard and not taken in yet.
    backlog: AtomicUsize,
    /// How often another content was published.
    generation: AtomicU64,
    indexed: AtomicUsize,
    passages: AtomicUsize,
}

pub struct SearchHandle {
    ready: Arc<ArcSwap<Option<Ready>>>,
    tasks: Sender<SearchTask>,
    progress: Arc<IndexProgress>,
    /// Closed when there is a first view.
    opening: Receiver<()>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// The search of a project: its indexes are opened when somebody first asks.
pub struct Search {
    env: Arc<Env>,
    published: Arc<ArcSwap<Snapshot>>,
    usage: Arc<UsageBook>,
    started: OnceLock<SearchHandle>,
}

impl Search {
    pub(super) fn new(env: Arc<Env>, published: Arc<ArcSwap<Snapshot>>, usage: Arc<UsageBook>) -> Search {
        Search { env, published, usage, started: OnceLock::new() }
    }

    /// Starts the indexes, unless they are running.
    pub fn handle(&self) -> &SearchHandle {
        self.started.get_or_init(|| {
            SearchHandle::start(&self.env, self.embedder(), &self.published, &self.usage)
                .expect("a thread can be started")
        })
    }

    pub fn if_started(&self) -> Option<&SearchHandle> {
        self.started.get()
    }

    /// The model that the configuration names, or the one inside when that cannot be used.
    fn embedder(&self) -> Arc<Embedder> {
        embedder(self.env.config.load().embed.model.as_deref()).unwrap_or_else(|reason| {
            tracing::error!(%reason, "the model of [embed] cannot be used; the one inside lokid answers");
            Embedder::built_in()
        })
    }

    /// The configuration was read again: another model may be wanted.
    pub(super) fn reconfigured(&self) {
        let Some(search) = self.started.get() else { return };
        match embedder(self.env.config.load().embed.model.as_deref()) {
            Ok(embedder) => search.use_model(embedder),
            Err(reason) => {
                tracing::error!(%reason, "the model of [embed] cannot be used; the one before it goes on answering");
            }
        }
    }

    /// A text as a vector; nothing while the indexes are still being opened.
    pub(super) fn vector_of(&self, text: &str) -> Vec<f32> {
        let ready = self.handle().ready();
        ready.as_ref().as_ref().map(|ready| ready.embedder.embed(query::beginning(text))).unwrap_or_default()
    }
}

impl Follower for Search {
    fn changed(&self, changes: &[Change]) {
        for change in changes {
            if let Change::Restore(entry) = change {
                self.usage.wanted(entry.memory.key(), self.env.clock.now());
            }
        }
        if let Some(search) = self.started.get() {
            search.tell(changes);
        }
    }

    fn named(&self) -> Vec<Key> {
        self.usage.named()
    }

    fn purged(&self, keys: &BTreeSet<Key>, _: &[Arc<Memory>]) {
        keys.iter().for_each(|key| self.usage.forget(key));
    }
}

impl SearchHandle {
    /// Starts with what `published` holds at that moment; changes made from now on must be told.
    fn start(
        env: &Arc<Env>,
        embedder: Arc<Embedder>,
        published: &Arc<ArcSwap<Snapshot>>,
        usage: &Arc<UsageBook>,
    ) -> std::io::Result<SearchHandle> {
        let (env, published, usage) = (Arc::clone(env), Arc::clone(published), Arc::clone(usage));
        let (tasks, inbox) = crossbeam_channel::unbounded();
        let ready = Arc::new(ArcSwap::from_pointee(None));
        let progress = Arc::new(IndexProgress::default());
        let (still_opening, opening) = crossbeam_channel::bounded::<()>(0);
        let (views, told) = (Arc::clone(&ready), Arc::clone(&progress));
        let work = move || {
            let mut still_opening = Some(still_opening);
            // A panic in derived data (a flipped bit, say) costs the indexes and not the answers: once more, from
            // nothing, and then in memory.
            for (careful, cached) in [(false, true), (true, true), (true, false)] {
                let bench = Bench {
                    project: Arc::clone(&env.name),
                    cache: env.own_cache().filter(|_| cached).map(Path::to_owned),
                    published: Arc::clone(&published),
                    usage: Arc::clone(&usage),
                    clock: env.clock.clone(),
                    ready: Arc::clone(&views),
                    progress: Arc::clone(&told),
                };
                let turn = AssertUnwindSafe(|| {
                    let mut worker = Worker::open(bench, Arc::clone(&embedder), careful);
                    drop(still_opening.take());
                    thread::step_back();
                    worker.run(&inbox);
                });
                match std::panic::catch_unwind(turn) {
                    Ok(()) => return,
                    Err(_) => tracing::error!(project = %env.name, "the search index broke and is made anew"),
                }
            }
        };
        let thread = thread::spawn("search", work)?;
        Ok(SearchHandle { ready, tasks, progress, opening, thread: Mutex::new(Some(thread)) })
    }

    /// The last view; nothing while the first one is being made.
    pub fn ready(&self) -> Arc<Option<Ready>> {
        self.ready.load_full()
    }

    /// Waits until there is a first view, or the time is up. Answers which.
    pub fn opened(&self, most: Duration) -> bool {
        // Nothing is ever sent: it ends by being closed.
        self.opening.recv_timeout(most) != Err(RecvTimeoutError::Timeout)
    }

    /// Memories that are known and cannot be found yet.
    pub fn waiting(&self) -> usize {
        self.progress.queued.load(Ordering::Acquire) + self.progress.backlog.load(Ordering::Acquire)
    }

    /// Tells one published content from another.
    pub fn generation(&self) -> u64 {
        self.progress.generation.load(Ordering::Acquire)
    }

    pub fn indexed(&self) -> usize {
        self.progress.indexed.load(Ordering::Relaxed)
    }

    pub fn passages(&self) -> usize {
        self.progress.passages.load(Ordering::Relaxed)
    }

    /// Waits until everything that was changed so far can be found, or the time is up. Answers which.
    pub fn wait(&self, most: Duration) -> bool {
        let (reply, reached) = crossbeam_channel::bounded(1);
        self.tasks.send(SearchTask::Reached(reply)).is_ok() && reached.recv_timeout(most).is_ok()
    }

    /// Tells of changes. A few of them are waited for, so that who remembered something can ask for it at once.
    fn tell(&self, changes: &[Change]) {
        let keys: Vec<Key> = changes.iter().filter(|change| concerns_search(change)).flat_map(Change::keys).collect();
        if keys.is_empty() {
            return;
        }
        let purged = changes.iter().any(|change| matches!(change, Change::Purge(_)));
        let few = keys.len() <= PROMPT;
        self.progress.queued.fetch_add(keys.len(), Ordering::AcqRel);
        let _ = self.tasks.send(SearchTask::Changed { keys, purged });
        let heard = || self.progress.queued.load(Ordering::Acquire) == 0;
        if few && !heard() {
            let (reply, reached) = crossbeam_channel::bounded(1);
            let _ = self.tasks.send(SearchTask::Heard(reply));
            let _ = reached.recv_timeout(PROMPT_WAIT);
        }
    }

    /// Counts are kept with the next commit.
    pub fn used(&self) {
        let _ = self.tasks.send(SearchTask::Used);
    }

    /// Lets go of buffers and threads as soon as nothing waits.
    pub(super) fn rest(&self) {
        let _ = self.tasks.send(SearchTask::Rest);
    }

    fn use_model(&self, embedder: Arc<Embedder>) {
        let _ = self.tasks.send(SearchTask::Model(embedder));
    }

    pub(super) fn stop(&self) {
        let _ = self.tasks.send(SearchTask::Stop);
        if let Some(thread) = self.thread.lock().take() {
            let _ = thread.join();
        }
    }
}

fn concerns_search(change: &Change) -> bool {
    matches!(
        change,
        Change::Put { .. } | Change::Archive(_) | Change::Restore(_) | Change::Purge(_) | Change::Vanished(_)
    )
}

/// The model that the configuration names.
fn embedder(folder: Option<&Path>) -> Result<Arc<Embedder>, String> {
    /// Models of this size are not small any more.
    const LARGEST: u64 = 4 << 30;
    let Some(folder) = folder else { return Ok(Embedder::built_in()) };
    let read = |name: &str| plain::read(&folder.join(name), LARGEST).ok().flatten();
    Embedder::from_files(&read).map(Arc::new).map_err(|error| format!("{}: {error}", folder.display()))
}
