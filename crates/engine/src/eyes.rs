//! The project's eyes: takes what `watch` notices, understands it with `encode`, and tells the writer in signals and
//! memories. It owns the watches of all working trees and one small book of what it has seen so far.
//!
//! It never writes a memory itself, and what it reads is hearsay: nothing read from a file becomes more than a
//! reference. When it is behind, observations wait in the watcher; when it is lost, the next look brings the truth.

mod book;
mod continuity;
mod errors;
mod git;
mod logs;
mod traces;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::env::Env;
use super::follow::Follower;
use super::inbox::WriterHandle;
use super::past::{self, PastHandle};
use super::place::captures;
use super::signals::Signals;
use super::trees::Trees;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use lokid_model::{Body, Change, Draft, Key, Memory, MemoryId, Namespace, Outcome, Signal, SignalKind, Timestamp};
use lokid_sys::thread;
use lokid_watch::{GitArea, Seen, WatchState};
use parking_lot::Mutex;
use serde_json::Map;

use book::EyesBook;
use logs::ErrorLogs;

/// Observations that may wait here; then they wait in the watcher.
const INBOX: usize = 4_096;
/// How long the writer waits for room to tell of a purge.
const PATIENCE: Duration = Duration::from_secs(1);
/// What was seen is written down this much later, so that a burst is written once.
const SAVE_AFTER: Duration = Duration::from_secs(5);
/// Changes of the memory's files come in bursts; they are looked at together.
const RESCAN_AFTER: Duration = Duration::from_millis(50);
/// A look at very many files takes long, and the writer's own changes call for one too: it is put off by so many times
/// what the last one took, so that the writer can go on writing, but never for longer than this.
const RESCAN_PAUSE: u32 = 4;
const RESCAN_AT_LATEST: Duration = Duration::from_secs(10);
/// What cannot be understood is not tried again and again without a breath.
const AFTER_A_FALL: Duration = Duration::from_secs(1);
/// The same thing is said once within this time, however many files tell it.
const SAME_SIGNAL: i64 = 5_000_000;

/// Where Loki Mode is told to remember nothing.
const OPT_OUT: &str = ".loki/config.json";

/// Everything that can wake the eyes.
enum Noticed {
    Seen {
        tree: Arc<Path>,
        seen: Seen,
    },
    /// An episode was remembered: the files it touched, and what it was about.
    Episode {
        files: Vec<String>,
        told: String,
    },
    /// Who has worked here before, by hash: nobody of these joins.
    Known(Vec<String>),
    /// These memories were purged: nothing that was seen may still tell of them.
    Purged(Vec<MemoryId>),
    /// Somebody waits until everything that is there was taken in.
    AtRest(Sender<()>),
    Stop,
}

pub struct Eyes {
    inbox: Sender<Noticed>,
    thread: Mutex<Option<JoinHandle<()>>>,
    trees: Trees,
    past: PastHandle,
    stopping: Arc<AtomicBool>,
}

impl Eyes {
    pub(super) fn open(env: &Arc<Env>, writer: &WriterHandle, signals: &Arc<Signals>) -> std::io::Result<Eyes> {
        let (sender, inbox) = crossbeam_channel::bounded(INBOX);
        let told = sender.clone();
        let sink = move |tree: &Arc<Path>, seen| told.try_send(Noticed::Seen { tree: Arc::clone(tree), seen }).is_ok();
        let trees = Trees::new(Arc::clone(env), Arc::new(sink));
        let told = sender.clone();
        let tell_people = move |people| drop(told.send(Noticed::Known(people)));
        let past = past::start(Arc::clone(env), writer.clone(), trees.clone(), Box::new(tell_people))?;
        let (env, writer, signals) = (Arc::clone(env), writer.clone(), Arc::clone(signals));
        let worker = EyesWorker::new(env, writer, signals, inbox, trees.clone(), past.clone());
        let stopping = Arc::clone(&worker.stopping);
        let thread = thread::spawn("eyes", move || worker.run())?;
        Ok(Eyes { inbox: sender, thread: Mutex::new(Some(thread)), trees, past, stopping })
    }

    pub(super) fn trees(&self) -> &Trees {
        &self.trees
    }

    /// How each working tree is watched.
    pub fn watches(&self) -> Vec<(PathBuf, WatchState)> {
        self.trees.states()
    }

    pub fn past(&self) -> &PastHandle {
        &self.past
    }

    /// Waits until what is there was looked at and taken in, or the time is up. Answers which.
    pub fn rest(&self, most: Duration) -> bool {
        let (reply, rested) = crossbeam_channel::bounded(1);
        self.inbox.send(Noticed::AtRest(reply)).is_ok() && rested.recv_timeout(most).is_ok()
    }

    /// Ends watching and waits for it; what was seen is written down.
    pub(super) fn stop(&self) {
        self.stopping.store(true, Ordering::Release);
        let Some(thread) = self.thread.lock().take() else { return };
        self.past.stop();
        self.trees.close();
        let _ = self.inbox.send(Noticed::Stop);
        if thread.join().is_err() {
            tracing::error!("the eyes of a project ended in a panic");
        }
    }
}

/// The files of a new episode may have mended an error.
impl Follower for OnceLock<Eyes> {
    fn changed(&self, changes: &[Change]) {
        let Some(eyes) = self.get() else { return };
        for change in changes {
            let Change::Put { before: None, after } = change else { continue };
            let Body::Episode(episode) = &after.body else { continue };
            if after.outcome != Some(Outcome::Failure) && !episode.files_modified.is_empty() {
                let (files, told) = (episode.files_modified.clone(), after.headline().to_owned());
                let _ = eyes.inbox.try_send(Noticed::Episode { files, told });
            }
        }
    }

    /// Not lost, though it be late: whoever looks may wait for the writer, so the writer does not wait for them.
    fn purged(&self, keys: &BTreeSet<Key>, _: &[Arc<Memory>]) {
        if let Some(eyes) = self.get() {
            let _ = eyes.inbox.send_timeout(Noticed::Purged(keys.iter().map(|key| key.id.clone()).collect()), PATIENCE);
        }
    }
}

struct EyesWorker {
    env: Arc<Env>,
    writer: WriterHandle,
    signals: Arc<Signals>,
    inbox: Receiver<Noticed>,
    trees: Trees,
    past: PastHandle,
    book: EyesBook,
    logs: ErrorLogs,
    git: git::Heads,
    continuity: continuity::ContinuityReading,
    rescan_at: Option<Instant>,
    save_at: Option<Instant>,
    said: Vec<(Timestamp, SignalKind, String)>,
    /// The project's own tree was listed.
    listed: bool,
    /// Who wants to know when nothing is left to do.
    waiting: Vec<Sender<()>>,
    /// Whatever goes on for long asks this.
    stopping: Arc<AtomicBool>,
    /// Somebody opted out while we looked.
    muted: bool,
}

impl EyesWorker {
    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    fn new(
        env: Arc<Env>,
        writer: WriterHandle,
        signals: Arc<Signals>,
        inbox: Receiver<Noticed>,
        trees: Trees,
        past: PastHandle,
    ) -> EyesWorker {
        let book = EyesBook::open(&env.state);
        let logs = ErrorLogs::new(env.clock.now(), book.places.clone());
        EyesWorker {
            env,
            writer,
            signals,
            inbox,
            trees,
            past,
            book,
            logs,
            git: git::Heads::default(),
            continuity: continuity::ContinuityReading::default(),
            rescan_at: None,
            save_at: None,
            said: Vec::new(),
            listed: false,
            waiting: Vec::new(),
            stopping: Arc::default(),
            muted: false,
        }
    }

    fn run(mut self) {
        self.git.were_there(self.trees.follow());
        self.sweep();
        loop {
            let first = match self.deadline() {
                None => self.inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(at) => {
                    let patience = at.saturating_duration_since(self.env.clock.monotonic());
                    self.inbox.recv_timeout(patience)
                }
            };
            let batch: Vec<Noticed> = match first {
                Ok(first) => std::iter::once(first).chain(self.inbox.try_iter().take(INBOX)).collect(),
                Err(RecvTimeoutError::Timeout) => Vec::new(),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            let looked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.look(batch)));
            match looked {
                Ok(false) => {}
                Ok(true) => break,
                Err(_) => {
                    tracing::error!(project = %self.env.name, "an observation could not be understood");
                    // That it is time to stop may have been among what was lost, and what is due is due again.
                    if self.is_stopping() {
                        break;
                    }
                    thread::pause(AFTER_A_FALL);
                }
            }
            if !self.waiting.is_empty() && self.is_at_rest() {
                for waiting in self.waiting.drain(..) {
                    let _ = waiting.try_send(());
                }
            }
        }
        self.save();
    }

    /// Answers whether it was the last.
    fn look(&mut self, batch: Vec<Noticed>) -> bool {
        let is_over = self.take(batch);
        if !is_over {
            self.do_what_is_due();
        }
        is_over
    }

    /// Was everything taken in that was there? A tree that cannot be watched is not waited for.
    fn is_at_rest(&self) -> bool {
        let listed = self.listed || !self.trees.states().iter().any(|(tree, _)| *tree == self.env.root);
        let timers = [self.rescan_at, self.continuity.again_at, self.logs.flush_at()];
        listed && self.inbox.is_empty() && timers.iter().all(Option::is_none)
    }

    /// The next moment something is due; without one the thread sleeps until it is woken.
    fn deadline(&self) -> Option<Instant> {
        let timers = [self.rescan_at, self.save_at, self.continuity.again_at, self.logs.flush_at(), self.errors_at()];
        timers.into_iter().flatten().min()
    }

    /// The moment at which an error that stayed away counts as resolved.
    fn errors_at(&self) -> Option<Instant> {
        let wait = self.book.errors.next_look()?.as_micros() - self.env.clock.now().as_micros();
        Some(self.env.clock.monotonic() + Duration::from_micros(wait.max(0) as u64))
    }

    fn do_what_is_due(&mut self) {
        let now = self.env.clock.monotonic();
        let due = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        if due(self.rescan_at) {
            self.rescan_at = None;
            self.writer.rescan_soon();
        }
        if due(self.continuity.again_at) {
            self.look_at_continuity();
        }
        if due(self.logs.flush_at()) {
            self.flush_logs(now);
        }
        if due(self.errors_at()) {
            let resolved = self.book.errors.quiet(None, &[], self.env.clock.now());
            self.remember(resolved);
        }
        if due(self.save_at) {
            self.save();
        }
    }

    /// Answers whether it was the last.
    fn take(&mut self, batch: Vec<Noticed>) -> bool {
        // Git first: files that a checkout writes are no edits, and its own signs may come after them.
        let mut edited: Vec<&Arc<Path>> = Vec::new();
        for noticed in &batch {
            match noticed {
                Noticed::Seen { tree, seen: Seen::Git(area) } => self.look_at_git(tree, *area),
                Noticed::Seen { tree, seen: Seen::Edited { .. } | Seen::Created { .. } } if !edited.contains(&tree) => {
                    edited.push(tree);
                }
                _ => {}
            }
        }
        edited.into_iter().for_each(|tree| self.look_at_git(tree, GitArea::Head));
        for noticed in batch {
            match noticed {
                Noticed::Stop => return true,
                Noticed::Seen { tree, seen } => self.see(&tree, seen),
                Noticed::Episode { files, told } => {
                    let at = self.env.clock.now().as_micros();
                    self.book.errors.touched(&files, &errors::Remedy { commit: None, told, at });
                    self.save_soon();
                }
                Noticed::Known(people) => {
                    self.book.people.get_or_insert_default().extend(people);
                    self.save_soon();
                }
                Noticed::Purged(ids) => self.forget(&ids),
                Noticed::AtRest(reply) => self.waiting.push(reply),
            }
        }
        false
    }

    fn see(&mut self, tree: &Arc<Path>, seen: Seen) {
        let is_main = **tree == *self.env.root;
        if is_main && matches!(&seen, Seen::LokiTrace { path } if path == OPT_OUT) {
            self.muted = !captures(&self.env.root);
        }
        if self.muted && !matches!(seen, Seen::Memory { .. }) {
            return;
        }
        match seen {
            Seen::Ready => {
                self.look_at_git(tree, GitArea::Head);
                if is_main {
                    self.look_at_continuity();
                    self.take_stock(tree);
                    self.listed = true;
                }
            }
            Seen::MaybeOpened { path } => {
                let worktree = self.linked(tree);
                self.signals.guess(worktree, path);
            }
            Seen::Rules { .. } | Seen::Git(_) => {}
            Seen::Opened { path } => self.signal_path(tree, SignalKind::FileOpened, path),
            Seen::Created { path } | Seen::Edited { path } => {
                if is_main {
                    self.past.changed(&path);
                }
                if !self.git.wrote(tree, &path, self.env.clock.monotonic()) {
                    self.signal_path(tree, SignalKind::FileEdited, path);
                }
            }
            Seen::Removed { path } => {
                if is_main {
                    self.past.changed(&path);
                }
            }
            Seen::Many { folder, files, since } => self.see_many(tree, folder, files, since),
            Seen::Continuity if is_main => self.look_at_continuity(),
            Seen::LokiTrace { path } if is_main => self.look_at_trace(tree, &path),
            Seen::Log { path } => self.look_at_log(tree, &path),
            Seen::Memory { path } => {
                if !self.look_at_memory_log(tree, &path) {
                    let soon = self.env.clock.monotonic() + self.rescan_after();
                    self.rescan_at.get_or_insert(soon);
                }
            }
            Seen::Dirty => {
                self.look_at_git(tree, GitArea::Head);
                self.rescan_at.get_or_insert(self.env.clock.monotonic());
                if is_main {
                    self.look_at_continuity();
                    self.past.look_again();
                }
            }
            Seen::Continuity | Seen::LokiTrace { .. } => {}
        }
    }

    /// More files changed at once than anybody changes by hand: one line instead of as many signals.
    fn see_many(&mut self, tree: &Path, folder: String, files: usize, since: Instant) {
        if *tree == *self.env.root {
            self.past.look_again();
        }
        if self.git.was_busy(tree, since, self.env.clock.monotonic()) {
            return;
        }
        tracing::info!(project = %self.env.name, folder, files, "many files changed at once, told as one");
        let mut data = Map::new();
        data.insert("path".to_owned(), self.env.redaction.text(&folder).into());
        data.insert("files".to_owned(), files.into());
        self.env.feed.tell(self.env.clock.now(), &self.env.name, "flood", data);
    }

    fn rescan_after(&self) -> Duration {
        let cost = Duration::from_micros(self.writer.counters().scan_cost.load(Ordering::Relaxed));
        (cost * RESCAN_PAUSE).min(RESCAN_AT_LATEST).max(RESCAN_AFTER)
    }

    fn signal_path(&mut self, tree: &Path, kind: SignalKind, path: String) {
        let now = self.env.clock.now();
        self.signal(Signal { path: Some(path), worktree: self.linked(tree), ..Signal::new(now, kind) });
    }

    /// The name of a working tree that is not the main one.
    fn linked(&self, tree: &Path) -> Option<String> {
        (*tree != *self.env.root).then(|| tree.display().to_string())
    }

    fn signal(&mut self, signal: Signal) {
        self.signals.hear(signal);
    }

    /// Like [`EyesWorker::signal`], for what several files tell of the same thing.
    fn signal_once(&mut self, signal: Signal) {
        let now = self.env.clock.now();
        self.said.retain(|(at, _, _)| (now.as_micros() - at.as_micros()).abs() < SAME_SIGNAL);
        let what = signal.goal.clone().or_else(|| signal.text.clone()).or_else(|| signal.session.clone());
        let what = what.unwrap_or_default();
        if !self.said.iter().any(|(_, kind, said)| *kind == signal.kind && *said == what) {
            self.said.push((now, signal.kind, what));
            self.signal(signal);
        }
    }

    /// Hands drafts to the writer: known ids are updated, known words are not told twice.
    fn remember(&mut self, drafts: Vec<Draft>) {
        if drafts.is_empty() {
            return;
        }
        for error in self.writer.remember_seen(drafts).into_iter().flat_map(|report| report.errors) {
            tracing::warn!(project = %self.env.name, reason = %error.detail, "something seen could not be kept");
        }
        self.save_soon();
    }

    /// What was purged while nobody looked.
    fn sweep(&mut self) {
        let snapshot = self.writer.snapshot();
        let is_gone = |id: &MemoryId| snapshot.tombstone(&Key::new(&Namespace::default(), id)).is_some();
        let gone: Vec<MemoryId> = self.book.errors.named().filter(is_gone).collect();
        if !gone.is_empty() {
            self.forget(&gone);
        }
    }

    /// Which of the texts that are compared told of it nobody knows: all of them are taken anew, as they stand.
    fn forget(&mut self, ids: &[MemoryId]) {
        self.book.forget(ids);
        self.take_stock(&Arc::from(self.env.root.as_path()));
        self.take_stock_of_continuity();
        self.save();
    }

    fn save_soon(&mut self) {
        self.save_at.get_or_insert(self.env.clock.monotonic() + SAVE_AFTER);
    }

    fn save(&mut self) {
        self.save_at = None;
        self.book.places = self.logs.places();
        if let Err(error) = self.book.save(&self.env.state, &self.env.redaction) {
            tracing::warn!(project = %self.env.name, reason = %error, "what was seen could not be written down");
        }
    }
}
