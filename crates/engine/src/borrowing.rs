//! What the memory stores hold that is not known here: read in the background, kept in the cache, and handed to the writer
//! as a chapter of its own. It is there only where the flags of `[managed]` ask for it.
//!
//! Nobody ever waits for it. A question or a session says that it was asked, and is answered from what came before; what
//! comes late is there the next time. Everything that comes passes the redactor, and none of it binds.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use super::env::Env;
use super::follow::Follower;
use super::inbox::WriterHandle;
use super::lesson::{Chapter, Lesson};
use lokid_config::{Flag, Managed};
use lokid_mirror::augment::{self, Ended, Reading, Source};
use lokid_mirror::events::{EventKind, Events};
use lokid_mirror::layer::{Layer, Owner};
use lokid_mirror::{ApiError, KeyKind, Stores, limits, mapping, verdict};
use lokid_model::{Change, Memory, clean};
use lokid_sys::{plain, thread};

const FILE: &str = "borrowed.json";
const LARGEST: u64 = 64 << 20;
const SENTINEL: &str = "hydrate.lock";
/// Of those that Loki Mode left in the repository, the newest are told.
const MOST_VERDICTS: usize = 20;
/// More than that many who ask are heard as one.
const WAITING: usize = 8;
/// An answer that is on its way when the daemon stops is waited for this long.
const LAST_ANSWER: Duration = Duration::from_secs(2);

enum BorrowTask {
    /// Somebody wants to know something.
    Asked,
    /// A session begins.
    Hydrate(String),
    /// Something was purged.
    Purged,
    Stop,
}

pub(super) struct Borrowing {
    env: Arc<Env>,
    writer: WriterHandle,
    managed: Managed,
    events: Arc<Events>,
    tasks: Sender<BorrowTask>,
    inbox: Receiver<BorrowTask>,
    stopping: AtomicBool,
    thread: Mutex<Option<Running>>,
}

/// The thread, and what is closed when it ends.
type Running = (JoinHandle<()>, Receiver<()>);

impl Follower for Borrowing {
    fn changed(&self, changes: &[Change]) {
        if changes.iter().any(|change| matches!(change, Change::Purge(_))) {
            let _ = self.tasks.try_send(BorrowTask::Purged);
        }
    }
}

impl Borrowing {
    /// Nothing unless the mirror is on and there is a store to read from.
    pub(super) fn new(env: &Arc<Env>, writer: &WriterHandle, events: &Arc<Events>) -> Option<Arc<Borrowing>> {
        let managed = env.config.load().managed.clone();
        let has_store = managed.org_store.is_some() || managed.user_store.is_some();
        if !managed.uses_network() || !has_store || env.read_only {
            return None;
        }
        let (tasks, inbox) = crossbeam_channel::bounded(WAITING);
        Some(Arc::new(Borrowing {
            env: Arc::clone(env),
            writer: writer.clone(),
            managed,
            events: Arc::clone(events),
            tasks,
            inbox,
            stopping: AtomicBool::new(false),
            thread: Mutex::default(),
        }))
    }

    pub(super) fn start(self: &Arc<Borrowing>) -> std::io::Result<()> {
        let work = Arc::clone(self);
        let (still_running, ended) = crossbeam_channel::bounded::<()>(0);
        let running = thread::spawn("mirror-read", move || {
            let _until_it_ends = still_running;
            work.run();
        })?;
        *self.thread.lock() = Some((running, ended));
        Ok(())
    }

    /// Never waits: when there is no room, somebody else has asked already.
    pub(super) fn asked(&self) {
        let _ = self.tasks.try_send(BorrowTask::Asked);
    }

    pub(super) fn session_begins(&self, session: &str) {
        if self.managed.is_on(Flag::Hydrate) {
            let _ = self.tasks.try_send(BorrowTask::Hydrate(session.to_owned()));
        }
    }

    /// A call that hangs is left behind: what it brings is dropped.
    pub(super) fn stop(&self) {
        self.stopping.store(true, Ordering::Release);
        // A full inbox wakes the thread as well.
        let _ = self.tasks.try_send(BorrowTask::Stop);
        let Some((thread, ended)) = self.thread.lock().take() else { return };
        // Nothing is ever sent: it ends by being closed.
        if ended.recv_timeout(LAST_ANSWER) == Err(RecvTimeoutError::Disconnected) {
            let _ = thread.join();
        }
    }

    fn run(&self) {
        thread::step_back();
        let mut layer = self.kept();
        self.teach(&layer);
        let mut last: Option<Instant> = None;
        for task in &self.inbox {
            if self.stopping.load(Ordering::Acquire) {
                return;
            }
            match task {
                BorrowTask::Asked => {
                    let now = self.env.clock.monotonic();
                    if last.is_none_or(|last| now.saturating_duration_since(last) >= limits::FRESH) {
                        last = Some(now);
                        self.augment(&mut layer);
                    }
                }
                BorrowTask::Hydrate(session) if self.is_first(&session) => self.hydrate(&mut layer),
                BorrowTask::Hydrate(_) => {}
                BorrowTask::Purged => {
                    let snapshot = self.writer.snapshot();
                    layer.forget(&self.env.redaction, &|key| snapshot.tombstone(key).is_some());
                    self.keep(&layer);
                }
                BorrowTask::Stop => return,
            }
        }
    }

    fn augment(&self, layer: &mut Layer) {
        let Some((reading, stores)) = self.read(layer, augment::SHARED, augment::OWN, limits::ASK) else { return };
        if reading.ended == Ended::Whole {
            self.send_verdicts(&stores, layer);
        }
        let found = layer.len();
        let kind = if found == 0 { EventKind::RetrieveEmpty } else { EventKind::Retrieve };
        match reading.ended {
            Ended::Failed(error) => self.fell_back("retrieve", error.reason(), &error.to_string()),
            ended => {
                let late = ended == Ended::Late;
                self.tell(kind, json!({"fetched": reading.fetched, "known": found, "late": late}));
            }
        }
    }

    fn hydrate(&self, layer: &mut Layer) {
        let Some((reading, _)) = self.read(layer, augment::HYDRATED, &[], limits::HYDRATE) else { return };
        match reading.ended {
            Ended::Whole => {
                let count = |folder: &str| layer.count(Owner::Organisation, folder);
                let (patterns, skills) = (count("/patterns/"), count("/skills/"));
                let fields =
                    json!({"patterns": patterns, "skills": skills, "fetched": reading.fetched, "skipped": false});
                self.tell(EventKind::Hydrate, fields);
            }
            Ended::Late => self.tell(EventKind::HydrateTimeout, json!({"fetched": reading.fetched})),
            Ended::Failed(error) => self.fell_back("hydrate", error.reason(), &error.to_string()),
        }
    }

    /// Reads these folders of the two stores, keeps what came and hands it on. Nothing where nobody can be asked.
    fn read(&self, layer: &mut Layer, shared: &[&str], own: &[&str], time: Duration) -> Option<(Reading, Stores)> {
        let stores = KeyKind::User.read(&self.managed).map_err(|error| error.to_string());
        let stores = stores.and_then(|key| Stores::new(&self.managed, key).map_err(|error| error.to_string()));
        let mut stores = match stores {
            Ok(stores) => stores,
            Err(reason) => {
                self.fell_back("retrieve", "no_client", &reason);
                return None;
            }
        };
        let org = self.managed.org_store.as_deref().map(|store| (Owner::Organisation, store, shared));
        let user = self.managed.user_store.as_deref().map(|store| (Owner::User, store, own));
        let sources = org.into_iter().chain(user).map(|(owner, store, folders)| Source { owner, store, folders });
        let sources: Vec<Source<'_>> = sources.collect();
        let local = self.local_paths();
        let began = self.env.clock.monotonic();
        let left = || {
            let gone = self.env.clock.monotonic().saturating_duration_since(began);
            time.checked_sub(gone).filter(|_| !self.stopping.load(Ordering::Acquire))
        };
        let reading = augment::read(&mut stores, layer, &sources, &|path| local.contains(path), &left);
        if self.stopping.load(Ordering::Acquire) {
            return None;
        }
        self.keep(layer);
        self.teach(layer);
        Some((reading, stores))
    }

    /// Approved verdicts of this project that the user's store does not hold yet. What stands there stays as it is.
    fn send_verdicts(&self, stores: &Stores, layer: &mut Layer) {
        let Some(store) = &self.managed.user_store else { return };
        for document in self.verdicts() {
            let Some(path) = verdict::path_of(&document).filter(|path| !layer.knows(Owner::User, path)) else {
                continue;
            };
            let content = mapping::written(&Value::Object(document));
            match stores.create(store, &path, &content) {
                Ok(_) => self.tell(EventKind::ShadowWrite, json!({"kind": "verdict", "path": path})),
                // Somebody was quicker.
                Err(ApiError::PathConflict { .. }) => {}
                Err(error) => return self.fell_back("shadow_write", error.reason(), &error.to_string()),
            }
        }
    }

    /// The newest approved verdicts of this project, clean.
    fn verdicts(&self) -> Vec<Map<String, Value>> {
        let clean = |document: Map<String, Value>| {
            let text = Value::Object(document.clone()).to_string();
            let cleaned = clean::json(&text, &self.env.redaction);
            cleaned.map_or(Some(document), |cleaned| serde_json::from_str(&cleaned.text).ok())
        };
        verdict::approved_in(&self.env.root, MOST_VERDICTS).into_iter().filter_map(clean).collect()
    }

    /// Where local memories stand, or would stand, in a store.
    fn local_paths(&self) -> BTreeSet<String> {
        let snapshot = self.writer.snapshot();
        let own = snapshot.memories().filter(|memory| !snapshot.is_derived(&memory.key()));
        let verdicts = self.verdicts();
        let verdicts = verdicts.iter().filter_map(verdict::path_of);
        own.filter_map(|memory| mapping::paths(memory)).flatten().chain(verdicts).collect()
    }

    fn teach(&self, layer: &Layer) {
        let (local, now) = (self.local_paths(), self.env.now());
        let timely = |mut memory: Memory| {
            // A clock elsewhere that is wrong makes nothing the newest of all.
            memory.times.created_at = memory.times.created_at.min(now);
            memory.times.updated_at = memory.times.updated_at.min(now);
            Arc::new(memory)
        };
        let own = self.verdicts().into_iter().filter_map(|document| verdict::read(&document, now));
        let borrowed = layer.memories(&self.env.redaction, &|path| local.contains(path));
        let memories = own.chain(borrowed).map(timely).collect();
        self.writer.teach(Chapter::Borrowed, Lesson { memories, links: Vec::new() });
    }

    fn file(&self) -> Option<PathBuf> {
        self.env.own_cache().map(|cache| cache.join(FILE))
    }

    fn kept(&self) -> Layer {
        let text = self.file().and_then(|file| plain::read_text(&file, LARGEST).ok().flatten());
        text.map(|text| Layer::from_json(&text)).unwrap_or_default()
    }

    fn keep(&self, layer: &Layer) {
        let Some(file) = self.file() else { return };
        if let Err(error) = self.env.redaction.keep(&file, &layer.to_json()) {
            tracing::warn!(reason = %error, "what was read from the memory stores will be read again");
        }
    }

    /// Notes the session in the sentinel; another one may have done so before a restart.
    fn is_first(&self, session: &str) -> bool {
        let mark = blake3::hash(session.as_bytes()).to_hex()[..16].to_owned();
        let known = self.events.kept(SENTINEL).unwrap_or_default();
        let known: Map<String, Value> = serde_json::from_slice(&known).unwrap_or_default();
        if known.get("session").and_then(Value::as_str) == Some(&mark) {
            return false;
        }
        let text = json!({"session": mark, "at": self.env.now().record_style()}).to_string();
        if let Err(error) = self.events.keep(SENTINEL, &text, &self.env.redaction) {
            tracing::warn!(reason = %error, "the start of a session could not be noted");
        }
        true
    }

    fn tell(&self, kind: EventKind, fields: Value) {
        self.events.tell(self.env.now(), kind, fields, &self.env.redaction);
    }

    fn fell_back(&self, op: &str, reason: &str, detail: &str) {
        self.tell(EventKind::Fallback, json!({"op": op, "reason": reason, "detail": detail}));
    }
}
