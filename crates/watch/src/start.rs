//! The handle of a watcher: start it, ask how it is, tell it about our own doings, stop it.

use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam_channel::{Sender, bounded};
use parking_lot::Mutex;

use super::run::{Command, Driver};
use super::shared::Shared;
use super::{Seen, WatchMode, WatchPlan, WatchState};
use lokid_sys::{Clock, thread};

pub struct Watch {
    commands: Sender<Command>,
    thread: Option<JoinHandle<()>>,
    shared: Arc<Shared>,
}

/// Says what lokid itself is about to do below the working tree. Cheap to clone.
#[derive(Clone)]
pub struct OwnDoings(Arc<Shared>);

impl OwnDoings {
    /// Before each opening. Paths are those of the observations.
    pub fn expect_open(&self, path: &str) {
        self.0.ledger.lock().expect_open(self.0.clock.monotonic(), path, 1);
    }

    /// Before each write, rename or removal.
    pub fn expect_write(&self, path: &str) {
        self.0.ledger.lock().expect_write(self.0.clock.monotonic(), path);
    }
}

impl Watch {
    /// Returns at once; the first listing is made by the thread, and [`Seen::Ready`] says that it stands.
    ///
    /// `sink` must not wait: it says whether it took the observation, and is asked again later when it did not.
    pub fn start(plan: WatchPlan, clock: Clock, sink: impl FnMut(Seen) -> bool + Send + 'static) -> io::Result<Watch> {
        let state = WatchState {
            mode: WatchMode::Native,
            watched_dirs: 0,
            polled_dirs: 0,
            files: 0,
            backlog: 0,
            scans: 0,
            unreadable_names: 0,
            reason: None,
            warnings: Vec::new(),
        };
        let shared = Arc::new(Shared { state: Mutex::new(state), ledger: Mutex::default(), clock });
        let (commands, orders) = bounded(16);
        let driver = Driver::new(plan, shared.clone(), orders, Box::new(sink));
        let thread = thread::spawn("watch", move || driver.run())?;
        Ok(Watch { commands, thread: Some(thread), shared })
    }

    pub fn state(&self) -> WatchState {
        let mut state = self.shared.state.lock().clone();
        state.warnings.extend(state.reason.clone());
        state
    }

    pub fn own_doings(&self) -> OwnDoings {
        OwnDoings(self.shared.clone())
    }

    /// Looks at everything again, as after a sleep of the machine. Differences are reported.
    pub fn rescan(&self) {
        // Sixteen rescans that wait are one.
        let _ = self.commands.try_send(Command::Rescan);
    }

    /// Ends the thread and waits for it.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = self.commands.send(Command::Stop);
            let _ = thread.join();
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.end();
    }
}
