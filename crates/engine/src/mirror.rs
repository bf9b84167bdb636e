//! Carries episodes to the user's memory store, behind the writer and never in its way. It is there only where the flags
//! of `[managed]` ask for it.
//!
//! The writer hands over the names of what it made durable and goes on. One thread takes them, compares what is remembered
//! with the book of what stands over there, and sends the difference, the oldest first. It sleeps while there is nothing
//! to send. What cannot be sent now waits; nothing here waits for it.

mod carry;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use serde_json::{Value, json};

use super::env::Env;
use super::follow::Follower;
use super::inbox::WriterHandle;
use lokid_config::{Flag, Managed};
use lokid_mirror::api::RemoteVersion;
use lokid_mirror::mapping::sha256;
use lokid_mirror::queue::Book;
use lokid_mirror::{EventKind, Events, KeyKind, Stores, limits};
use lokid_model::{Change, Key, Kind, Timestamp};
use lokid_sys::thread;

/// More names than this are not kept: everything is compared instead.
const MOST_NAMES: usize = 10_000;
/// An answer that is on its way when the daemon stops is waited for this long. What it would have said is found out at
/// the next start.
const LAST_ANSWER: Duration = Duration::from_secs(2);

pub struct Mirror {
    env: Arc<Env>,
    writer: WriterHandle,
    managed: Managed,
    store: String,
    events: Arc<Events>,
    work: Mutex<Work>,
    woken: Condvar,
    stopping: AtomicBool,
    /// Still to be sent, as far as it was counted.
    waiting: AtomicUsize,
    told: Mutex<Told>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Work {
    names: BTreeSet<Key>,
    /// Everything is to be compared.
    all: bool,
    /// Nothing is tried before this.
    not_before: Option<Instant>,
    ended: bool,
}

/// What was last known, for whoever asks.
#[derive(Clone, Debug, Default)]
struct Told {
    mirrored: usize,
    refused: usize,
    left_out: usize,
    last_success: Option<Timestamp>,
    last_failure: Option<(Timestamp, &'static str, String)>,
    paused_until: Option<Timestamp>,
}

/// What is to be compared.
enum Taken {
    All,
    Names(BTreeSet<Key>),
}

impl Follower for Mirror {
    /// Called on the writer's thread: names are noted, and nothing else happens here.
    fn changed(&self, changes: &[Change]) {
        let is_ours = |change: &&Change| match change {
            Change::Purge(_) => true,
            change => change.memory().is_some_and(|memory| memory.kind == Kind::Episode),
        };
        let names: Vec<Key> = changes.iter().filter(is_ours).flat_map(Change::keys).collect();
        if !names.is_empty() {
            self.want(names);
        }
    }
}

impl Mirror {
    /// Nothing unless the mirror is on and there is a store to write into.
    pub(super) fn new(env: &Arc<Env>, writer: &WriterHandle, events: &Arc<Events>) -> Option<Arc<Mirror>> {
        let managed = env.config.load().managed.clone();
        if !managed.uses_network() || env.read_only {
            return None;
        }
        let store = managed.user_store.clone()?;
        Some(Arc::new(Mirror {
            env: Arc::clone(env),
            writer: writer.clone(),
            managed,
            store,
            events: Arc::clone(events),
            work: Mutex::new(Work { all: true, ..Work::default() }),
            woken: Condvar::new(),
            stopping: AtomicBool::new(false),
            waiting: AtomicUsize::new(0),
            told: Mutex::default(),
            thread: Mutex::default(),
        }))
    }

    pub(super) fn start(self: &Arc<Mirror>) -> std::io::Result<()> {
        let mirror = Arc::clone(self);
        *self.thread.lock() = Some(thread::spawn("mirror", move || mirror.run())?);
        Ok(())
    }

    /// A call that hangs is left behind: it writes nothing here any more, and what became of it is found out later.
    pub(super) fn stop(&self) {
        let Some(thread) = self.thread.lock().take() else { return };
        self.stopping.store(true, Ordering::SeqCst);
        let mut work = self.work.lock();
        self.woken.notify_all();
        self.woken.wait_while_for(&mut work, |work| !work.ended, LAST_ANSWER);
        if !work.ended {
            tracing::info!(project = %self.env.name, "the memory store does not answer; it is not waited for");
            return;
        }
        drop(work);
        if thread.join().is_err() {
            tracing::error!(project = %self.env.name, "the mirror ended in a panic");
        }
    }

    fn is_over(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    fn want(&self, names: impl IntoIterator<Item = Key>) {
        let mut work = self.work.lock();
        if work.all {
            return;
        }
        work.names.extend(names);
        if work.names.len() > MOST_NAMES {
            work.names.clear();
            work.all = true;
        }
        self.waiting.store(work.names.len(), Ordering::Relaxed);
        self.woken.notify_all();
    }

    fn run(&self) {
        thread::step_back();
        let carried = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.carry()));
        let mut work = self.work.lock();
        work.ended = true;
        self.woken.notify_all();
        drop(work);
        if let Err(panic) = carried {
            std::panic::resume_unwind(panic);
        }
    }

    /// Sleeps until there is something to compare and the pause is over.
    fn next(&self) -> Option<Taken> {
        let mut work = self.work.lock();
        loop {
            if self.is_over() {
                return None;
            }
            let now = self.env.clock.monotonic();
            let pause = work.not_before.map(|at| at.saturating_duration_since(now)).unwrap_or_default();
            if !work.all && work.names.is_empty() {
                self.woken.wait(&mut work);
            } else if pause.is_zero() {
                work.not_before = None;
                let names = std::mem::take(&mut work.names);
                let all = std::mem::take(&mut work.all);
                return Some(if all { Taken::All } else { Taken::Names(names) });
            } else {
                self.woken.wait_for(&mut work, pause);
            }
        }
    }

    /// What was taken comes back, and nothing is tried for a while.
    fn put_off(&self, taken: Taken, pause: Duration) {
        let mut work = self.work.lock();
        match taken {
            Taken::All => work.all = true,
            Taken::Names(names) => work.names.extend(names),
        }
        work.not_before = Some(self.env.clock.monotonic() + pause);
        let until = self.env.now().plus_micros(i64::try_from(pause.as_micros()).unwrap_or(i64::MAX));
        self.told.lock().paused_until = Some(until);
    }

    fn tell(&self, kind: EventKind, fields: Value) {
        self.events.tell(self.env.now(), kind, fields, &self.env.redaction);
    }

    /// One book a store, wherever that is.
    fn book_file(&self) -> PathBuf {
        let name = sha256(&format!("{} {}", self.managed.base_url, self.store));
        self.env.state.join(format!("mirror-{}.ndjson", &name[..12]))
    }
}

impl Mirror {
    /// The history of a memory in the store, by its id here or there. Asks the store.
    pub fn versions(&self, id: &str) -> Result<Vec<RemoteVersion>, String> {
        let said = |error: &dyn std::fmt::Display| error.to_string();
        let (book, _) = Book::read(self.book_file()).map_err(|error| said(&error))?;
        let there = book.get(id).and_then(|entry| Some(entry.there.as_ref()?.memory.clone()));
        let there = there.or_else(|| id.starts_with("mem_").then(|| id.to_owned()));
        let there = there.ok_or("it is not mirrored")?;
        let key = KeyKind::User.read(&self.managed).map_err(|error| said(&error))?;
        let stores = Stores::new(&self.managed, key).map_err(|error| said(&error))?;
        let page = stores.versions(&self.store, Some(&there), false, None).map_err(|error| said(&error))?;
        Ok(page.data)
    }

    /// What is known of it, also where its thread does not run.
    fn told(&self) -> Told {
        let mut told = self.told.lock().clone();
        if self.thread.lock().is_none()
            && let Ok((book, _)) = Book::read(self.book_file())
        {
            (told.mirrored, told.refused) = (book.standing(), book.refused());
        }
        told
    }
}

/// How the mirror of a project fares; `mirror` is there while it is on.
pub fn status(env: &Env, mirror: Option<&Mirror>) -> Value {
    let managed = &env.config.load().managed;
    let flags: serde_json::Map<String, Value> =
        Flag::ALL.iter().map(|flag| (flag.variable().to_owned(), managed.is_on(*flag).into())).collect();
    let enabled = managed.uses_network();
    let mut told = json!({"enabled": enabled, "flags": flags});
    if !enabled {
        return told;
    }
    told["base_url"] = managed.base_url.clone().into();
    told["beta"] = limits::BETA.into();
    told["user_store"] = managed.user_store.clone().into();
    told["org_store"] = managed.org_store.clone().into();
    let Some(mirror) = mirror else { return told };
    let state = mirror.told();
    told["shadow_write"] = json!({
        "mirrored": state.mirrored,
        "waiting": mirror.waiting.load(Ordering::Relaxed),
        "refused": state.refused,
        "left_out": state.left_out,
        "last_success": state.last_success.map(Timestamp::record_style),
        "paused_until": state.paused_until.map(Timestamp::record_style),
        "last_failure": state.last_failure.map(|(at, reason, detail)| {
            json!({"at": at.record_style(), "reason": reason, "detail": detail})
        }),
    });
    told
}
