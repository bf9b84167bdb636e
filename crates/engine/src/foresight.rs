//! Looking ahead: every signal moves somebody's focus, and what the new focus will need is put together before it is
//! asked for. It owns the focuses, the shelf of contexts that stand ready, and the thread that fills it.
//!
//! The thread decides nothing: what it prepares is what a request would get. It waits for a lull, for whoever sent a
//! signal is being answered at that moment, and gives way to whoever wants the processor. When signals come faster than
//! contexts can be made, only the last of each focus is prepared.

pub mod focus;
pub mod shelf;

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use super::care::Pressure;
use super::context::Asked;
use super::feed::Feed;
use super::project::Project;
use focus::{Branch, Focuses, Owner};
use lokid_context::layers::Arrangement;
use lokid_context::parts::Pointer;
use lokid_model::{Namespace, Signal};
use lokid_sys::git::{branch, head};
use lokid_sys::thread;
use shelf::Shelf;

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
/// Counts are written down this much later, so that a burst is written once.
const SAVE_AFTER: Duration = Duration::from_secs(5);
/// What a branch is about fits into so many commits and files.
const MOST_TOLD: usize = 8;
/// A focus that was quiet for longer is not kept ready.
const ACTIVE: Duration = Duration::from_secs(30 * 60);

pub(super) enum Task {
    Signal(Box<Signal>),
    /// A file may have been opened: too early to say so, early enough to get ready.
    Guess {
        worktree: Option<String>,
        path: String,
    },
    /// Working notes name these memories.
    Referenced(Vec<String>),
    /// The memory changed.
    Changed,
    /// Something was counted and wants to be kept.
    Counted,
    Stop,
}

/// What topics were named from, and what that gave.
pub(super) struct Pointed {
    pub(super) version: u64,
    pub(super) namespace: Namespace,
    pub(super) arrangement: Arrangement,
    pub(super) pointers: Arc<[Pointer]>,
}

#[derive(Default)]
pub struct Foresight {
    pub(super) focuses: Mutex<Focuses>,
    pub(super) shelf: Mutex<Shelf>,
    /// Topics that can be asked for, as they were last named: naming them takes as long as all the rest.
    pub(super) pointers: Mutex<Option<Pointed>>,
    tasks: OnceLock<Sender<Task>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Foresight {
    pub(super) fn start(project: &Arc<Project>, feed: Feed) -> std::io::Result<()> {
        let (sender, inbox) = crossbeam_channel::bounded(INBOX);
        let looker = Looker {
            project: Arc::clone(project),
            inbox,
            feed,
            active: Vec::new(),
            moved: BTreeSet::new(),
            burst: None,
            again_at: None,
            not_before: project.clock.monotonic(),
            save_at: None,
            guessed: None,
        };
        let thread = thread::spawn("foresight", move || looker.run())?;
        let _ = project.foresight.tasks.set(sender);
        *project.foresight.thread.lock() = Some(thread);
        Ok(())
    }

    pub fn is_running(&self) -> bool {
        self.tasks.get().is_some()
    }

    // Hints: one that does not fit is lost.

    pub(super) fn tell(&self, task: Task) {
        if let Some(tasks) = self.tasks.get() {
            let _ = tasks.try_send(task);
        }
    }

    pub(super) fn stop(&self) {
        let Some(thread) = self.thread.lock().take() else { return };
        if let Some(tasks) = self.tasks.get() {
            let _ = tasks.send(Task::Stop);
        }
        if thread.join().is_err() {
            tracing::error!("looking ahead ended in a panic");
        }
    }
}

struct Looker {
    project: Arc<Project>,
    inbox: Receiver<Task>,
    feed: Feed,
    /// Whose focus moved lately, and when.
    active: Vec<(Owner, Instant)>,
    /// Whose focus moved and is not ready yet.
    moved: BTreeSet<Owner>,
    /// When the first and the last signal came that nothing was made ready for yet.
    burst: Option<(Instant, Instant)>,
    again_at: Option<Instant>,
    /// What stands ready is not made anew before this.
    not_before: Instant,
    save_at: Option<Instant>,
    guessed: Option<Instant>,
}

impl Branch {
    /// What a branch has that the one it will return to has not.
    pub(super) fn on_disk(root: &Path, name: &str) -> Option<Branch> {
        let work = branch::about_branch(root, name, MOST_TOLD)?;
        let subjects = work.commits.into_iter().map(|commit| commit.summary).collect();
        Some(Branch { name: name.to_owned(), subjects, files: work.files })
    }
}

impl Looker {
    fn run(mut self) {
        thread::step_back();
        self.look_at_the_branch();
        if let Some(goal) = self.project.notes(&Namespace::default()).focus {
            self.project.foresight.focuses.lock().take_up(goal);
        }
        loop {
            let first = match [self.lull_at(), self.again_at, self.save_at].into_iter().flatten().min() {
                None => self.inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(at) => self.inbox.recv_timeout(at.saturating_duration_since(self.project.clock.monotonic())),
            };
            let batch: Vec<Task> = match first {
                Ok(first) => std::iter::once(first).chain(self.inbox.try_iter().take(INBOX)).collect(),
                Err(RecvTimeoutError::Timeout) => Vec::new(),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            let looked = std::panic::catch_unwind(AssertUnwindSafe(|| self.take(batch)));
            match looked {
                Ok(false) => {}
                Ok(true) => break,
                Err(_) => tracing::error!(project = %self.project.root.display(), "a look ahead failed"),
            }
        }
        self.project.save_economy();
    }

    /// Whoever comes back is where they left off.
    fn look_at_the_branch(&self) {
        let root = &self.project.root;
        let Some(name) = head::state(root).and_then(|state| state.branch) else { return };
        let branch = Branch::on_disk(root, &name).unwrap_or(Branch { name, ..Branch::default() });
        self.project.foresight.focuses.lock().stand_on(branch);
    }

    /// When what moved is made ready.
    fn lull_at(&self) -> Option<Instant> {
        self.burst.map(|(first, last)| (last + LULL).min(first + LONGEST_BURST))
    }

    /// Answers whether it was the last.
    fn take(&mut self, batch: Vec<Task>) -> bool {
        let now = self.project.clock.monotonic();
        let mut guess = None;
        let mut last = false;
        for task in batch {
            match task {
                Task::Signal(signal) => {
                    let moved = self.project.foresight.focuses.lock().hear(&signal);
                    if !moved.is_empty() {
                        self.moved.extend(moved);
                        self.burst = Some((self.burst.map_or(now, |(first, _)| first), now));
                    }
                    self.project.heed(&signal);
                    self.save_at.get_or_insert(now + SAVE_AFTER);
                }
                Task::Guess { worktree, path } => guess = Some((worktree, path)),
                Task::Referenced(names) => self.project.note_references(&names),
                Task::Changed => drop(self.again_at.get_or_insert(self.not_before.max(now + SETTLE))),
                Task::Counted => drop(self.save_at.get_or_insert(now + SAVE_AFTER)),
                Task::Stop => last = true,
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
            let done = self.project.clock.monotonic();
            self.not_before = done + done.saturating_duration_since(now) * 10;
        }
        if self.save_at.is_some_and(|at| at <= now) {
            self.save_at = None;
            self.project.save_economy();
        }
        false
    }

    /// Puts together what a focus needs, with another file than its own where one is guessed.
    fn get_ready(&self, owner: &Owner, file: Option<String>) {
        if !self.project.config.load().context.prefetch || self.project.care.look() == Pressure::Scarce {
            return;
        }
        let started = self.project.clock.monotonic();
        let asked = Asked { file, ..Asked::default() };
        let Some(prepared) = self.project.prepare_ahead(owner, &asked) else { return };
        let took = self.project.clock.monotonic().saturating_duration_since(started);
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
        let data: Map<String, Value> = data.as_object().cloned().unwrap_or_default();
        let project = self.project.root.display().to_string().into();
        self.feed.tell(self.project.clock.now(), &project, "prefetch", data);
    }
}
