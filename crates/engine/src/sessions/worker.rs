//! The queue of what signals tell of sessions, and the thread that takes it in and keeps the counts. It loses nothing: what
//! a session is given and what it made of it is decided by its beginning and its end.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use parking_lot::Mutex;

use super::Sessions;
use crate::said::{Echo, Goes};
use lokid_model::{Key, Signal};
use lokid_sys::thread;

/// Counts are written down this much later, so that a burst is written once.
const SAVE_AFTER: Duration = Duration::from_secs(5);

pub(super) enum SessionTask {
    Signal(Box<Signal>),
    /// Working notes name these memories.
    Referenced(Vec<String>),
    /// Something was said.
    Said,
    /// These memories are no longer to be read in what was.
    Left(Vec<(Key, Goes)>),
    /// Something was counted and wants to be kept.
    Counted,
    Stop,
}

#[derive(Default)]
pub(super) struct Queue {
    tasks: OnceLock<Sender<SessionTask>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Queue {
    /// Never waits; without a thread there is nobody to tell.
    pub(super) fn tell(&self, task: SessionTask) {
        if let Some(tasks) = self.tasks.get() {
            let _ = tasks.send(task);
        }
    }
}

impl Sessions {
    pub(crate) fn start(self: &Arc<Sessions>) -> std::io::Result<()> {
        let (sender, tasks) = crossbeam_channel::unbounded();
        let sessions = Arc::clone(self);
        *self.queue.thread.lock() = Some(thread::spawn("sessions", move || sessions.run(&tasks))?);
        let _ = self.queue.tasks.set(sender);
        Ok(())
    }

    /// Everything that was told is taken in and written down.
    pub(crate) fn stop(&self) {
        let Some(thread) = self.queue.thread.lock().take() else { return };
        self.queue.tell(SessionTask::Stop);
        if thread.join().is_err() {
            tracing::error!(project = %self.env.name, "the account of sessions ended in a panic");
        }
    }

    fn run(&self, tasks: &Receiver<SessionTask>) {
        let mut save_at: Option<Instant> = None;
        loop {
            let next = match save_at {
                None => tasks.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(at) => tasks.recv_timeout(at.saturating_duration_since(self.env.clock.monotonic())),
            };
            match next {
                Ok(SessionTask::Stop) | Err(RecvTimeoutError::Disconnected) => break,
                Ok(task) => {
                    save_at.get_or_insert(self.env.clock.monotonic() + SAVE_AFTER);
                    if std::panic::catch_unwind(AssertUnwindSafe(|| self.take(task))).is_err() {
                        tracing::error!(project = %self.env.name, "what a signal tells of a session could not be taken in");
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if save_at.is_some_and(|at| at <= self.env.clock.monotonic()) {
                save_at = None;
                self.save();
            }
        }
        self.save();
    }

    fn take(&self, task: SessionTask) {
        match task {
            SessionTask::Signal(signal) => self.heed(&signal),
            SessionTask::Referenced(names) => self.note_references(&names),
            SessionTask::Said => self.keep_said(),
            SessionTask::Left(keys) => self.strike_said(&keys, &Echo::default()),
            SessionTask::Counted | SessionTask::Stop => {}
        }
    }
}
