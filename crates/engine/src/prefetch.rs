//! Looking ahead: every signal moves somebody's focus, and what the new focus will need is put together before it is
//! asked for. It owns the thread that fills the cache of contexts.
//!
//! The thread decides nothing: what it prepares is what a request would get. It waits for a lull, for whoever sent a
//! signal is being answered at that moment, and gives way to whoever wants the processor. When signals come faster than
//! contexts can be made, only the last of each focus is prepared.

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::contexts::{Asked, Contexts};
use super::env::Env;
use super::focus::{Branch, Owner};
use super::follow::Follower;
use super::memory_care::{MemoryCare, Pressure};
use lokid_model::{Namespace, Signal};
use lokid_sys::git::head;
use lokid_sys::thread;

/// Signals that may wait; those beyond are lost, as hints may be.
const INBOX: usize = 1_024;
/// Signals come in bursts as well, and the answer to the last one is still on its way.
const LULL: Duration = Duration::from_millis(12);
/// Getting ready is not put off for longer than this.
const LONGEST_BURST: Duration = Duration::from_millis(100);
/// Changes of the memory come in bursts; what stands ready is made anew behind them.
const SETTLE: Duration = Duration::from_millis(50);
/// What might have been opened is prepared at the most this often.
const GUESS_EVERY: Duration = Duration::from_millis(200);
/// A focus that was quiet for longer is not kept ready.
const ACTIVE: Duration = Duration::from_secs(30 * 60);

pub(super) enum PrefetchTask {
    Signal(Box<Signal>),
    /// A file may have been opened: too early to say so, early enough to get ready.
    Guess {
        worktree: Option<String>,
        path: String,
    },
    /// The memory changed.
    Changed,
    Stop,
}

pub struct Prefetch {
    contexts: Arc<Contexts>,
    env: Arc<Env>,
    memory: Arc<MemoryCare>,
    tasks: OnceLock<Sender<PrefetchTask>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Prefetch {
    pub(super) fn new(contexts: Arc<Contexts>, env: Arc<Env>, memory: Arc<MemoryCare>) -> Prefetch {
        Prefetch { contexts, env, memory, tasks: OnceLock::new(), thread: Mutex::default() }
    }

    pub(super) fn start(&self) -> std::io::Result<()> {
        let (sender, inbox) = crossbeam_channel::bounded(INBOX);
        let worker = PrefetchWorker {
            contexts: Arc::clone(&self.contexts),
            not_before: self.env.clock.monotonic(),
            env: Arc::clone(&self.env),
            memory: Arc::clone(&self.memory),
            inbox,
            active: Vec::new(),
            moved: BTreeSet::new(),
            burst: None,
            again_at: None,
            guessed: None,
        };
        *self.thread.lock() = Some(thread::spawn("prefetch", move || worker.run())?);
        let _ = self.tasks.set(sender);
        Ok(())
    }

    /// Is anything made ready in advance?
    pub fn is_on(&self) -> bool {
        self.tasks.get().is_some() && self.env.config.load().context.prefetch
    }

    /// What stands ready was made for something else: another is made behind this.
    pub fn make_anew(&self) {
        self.tell(PrefetchTask::Changed);
    }

    /// Hints: one that does not fit is lost.
    pub(super) fn tell(&self, task: PrefetchTask) {
        if let Some(tasks) = self.tasks.get() {
            let _ = tasks.try_send(task);
        }
    }

    pub(super) fn stop(&self) {
        let Some(thread) = self.thread.lock().take() else { return };
        if let Some(tasks) = self.tasks.get() {
            let _ = tasks.send(PrefetchTask::Stop);
        }
        if thread.join().is_err() {
            tracing::error!(project = %self.env.name, "prefetching ended in a panic");
        }
    }
}

impl Follower for Prefetch {
    fn published(&self) {
        self.make_anew();
    }
}

struct PrefetchWorker {
    contexts: Arc<Contexts>,
    env: Arc<Env>,
    memory: Arc<MemoryCare>,
    inbox: Receiver<PrefetchTask>,
    /// Whose focus moved lately, and when.
    active: Vec<(Owner, Instant)>,
    /// Whose focus moved and is not ready yet.
    moved: BTreeSet<Owner>,
    /// When the first and the last signal came that nothing was made ready for yet.
    burst: Option<(Instant, Instant)>,
    again_at: Option<Instant>,
    /// What stands ready is not made anew before this.
    not_before: Instant,
    guessed: Option<Instant>,
}

impl PrefetchWorker {
    fn run(mut self) {
        thread::step_back();
        self.look_at_the_branch();
        if let Some(goal) = self.contexts.notes(&Namespace::default()).focus {
            self.contexts.focuses.lock().take_up(goal);
        }
        loop {
            let first = match [self.lull_at(), self.again_at].into_iter().flatten().min() {
                None => self.inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(at) => self.inbox.recv_timeout(at.saturating_duration_since(self.env.clock.monotonic())),
            };
            let batch: Vec<PrefetchTask> = match first {
                Ok(first) => std::iter::once(first).chain(self.inbox.try_iter().take(INBOX)).collect(),
                Err(RecvTimeoutError::Timeout) => Vec::new(),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            let looked = std::panic::catch_unwind(AssertUnwindSafe(|| self.take(batch)));
            match looked {
                Ok(false) => {}
                Ok(true) => break,
                Err(_) => tracing::error!(project = %self.env.name, "a look ahead failed"),
            }
        }
    }

    /// Whoever comes back is where they left off.
    fn look_at_the_branch(&self) {
        let root = &self.env.root;
        let Some(name) = head::state(root).and_then(|state| state.branch) else { return };
        let branch = Branch::on_disk(root, &name).unwrap_or(Branch { name, ..Branch::default() });
        self.contexts.focuses.lock().stand_on(branch);
    }

    /// When what moved is made ready.
    fn lull_at(&self) -> Option<Instant> {
        self.burst.map(|(first, last)| (last + LULL).min(first + LONGEST_BURST))
    }

    /// Answers whether it was the last.
    fn take(&mut self, batch: Vec<PrefetchTask>) -> bool {
        let now = self.env.clock.monotonic();
        let mut guess = None;
        let mut last = false;
        for task in batch {
            match task {
                PrefetchTask::Signal(signal) => {
                    let moved = self.contexts.focuses.lock().hear(&signal);
                    if !moved.is_empty() {
                        self.moved.extend(moved);
                        self.burst = Some((self.burst.map_or(now, |(first, _)| first), now));
                    }
                }
                PrefetchTask::Guess { worktree, path } => guess = Some((worktree, path)),
                PrefetchTask::Changed => drop(self.again_at.get_or_insert(self.not_before.max(now + SETTLE))),
                PrefetchTask::Stop => last = true,
            }
        }
        if last {
            return true;
        }
        if self.lull_at().is_some_and(|at| at <= now)
            && let Some(owner) = self.moved.pop_last()
        {
            // One at a time, the sessions first: a signal that comes meanwhile is heard before the next.
            if self.moved.is_empty() {
                self.burst = None;
            }
            self.active.retain(|(known, _)| *known != owner);
            self.active.push((owner.clone(), now));
            self.get_ready(&owner, None);
        }
        if let Some((worktree, path)) = guess.filter(|_| self.guessed.is_none_or(|at| at + GUESS_EVERY <= now)) {
            self.guessed = Some(now);
            self.get_ready(&worktree.map_or(Owner::Main, Owner::Tree), Some(path));
        }
        if self.again_at.is_some_and(|at| at <= now) {
            self.again_at = None;
            self.active.retain(|(_, at)| *at + ACTIVE > now);
            for (owner, _) in self.active.clone() {
                self.get_ready(&owner, None);
            }
            // The longer it takes, the longer it may lag next time: a long import is not followed step by step.
            let done = self.env.clock.monotonic();
            self.not_before = done + done.saturating_duration_since(now) * 10;
        }
        false
    }

    /// Puts together what a focus needs, with another file than its own where one is guessed.
    fn get_ready(&self, owner: &Owner, file: Option<String>) {
        if !self.env.config.load().context.prefetch || self.memory.look() == Pressure::Scarce {
            return;
        }
        let started = self.env.clock.monotonic();
        let asked = Asked { file, ..Asked::default() };
        let Some(prepared) = self.contexts.prepare_ahead(owner, &asked) else { return };
        let took = self.env.clock.monotonic().saturating_duration_since(started);
        let name = match owner {
            Owner::Main => Value::Null,
            Owner::Tree(tree) => Value::String(tree.clone()),
            Owner::Session(session) => Value::String(session.clone()),
        };
        let data = json!({
            "for": name,
            "path": prepared.need.file,
            "branch": prepared.need.branch.as_ref().map(|branch| branch.name.as_str()),
            "items": prepared.assembled.items.len(),
            "tokens": prepared.assembled.tokens,
            "files": prepared.files.len(),
            "took_us": took.as_micros() as u64,
        });
        self.env.say("prefetch", data);
    }
}
