//! What a repository teaches by itself: its history, documents, code, build files and habits, read in the background
//! when it is first watched and kept up with afterwards.
//!
//! All of it is derived: it stands in the cache directory, is handed to the writer chapter by chapter, and is read
//! anew when the cache is gone. Nothing of it is written into the repository. Reading steps back behind all other work
//! and can be stopped at any file or commit; the next start goes on from what was kept.

mod cache;
mod code;
mod definitions;
mod evidence;
mod files;
mod ground;
mod habits;
mod history;
mod newcomer;

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use arc_swap::{ArcSwap, ArcSwapOption};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use parking_lot::Mutex;
use serde_json::{Map, Value};

use super::env::Env;
use super::ground::CodeGround;
use super::inbox::WriterHandle;
use super::lesson::{Chapter, Lesson};
use super::trees::{self, Trees};
use lokid_config::RedactConfig;
use lokid_context::predict::files::Weights;
use lokid_index::cochange::Cochange;
use lokid_index::commits::CommitIndex;
use lokid_index::subjects::Subjects;
use lokid_model::{Draft, Memory, Timestamp};
use lokid_sys::thread;

pub use code::{CodeMap, Symbol};
pub(super) use evidence::kept_evidence;
pub use evidence::{PastKnown, WEIGHTS, weights};
pub(super) use habits::steps_of;

/// Changes of files are gathered for this long before they are read again.
const SETTLE: Duration = Duration::from_secs(2);
const TASKS: usize = 1_024;

/// How far the reading is.
#[derive(Debug, Default)]
pub struct PastProgress {
    /// The chapter being read, as its place in [`Chapter::ALL`] plus one; 0 when all is read.
    stage: AtomicUsize,
    done: AtomicUsize,
    total: AtomicUsize,
    commits: AtomicU64,
    documents: AtomicUsize,
    memories: AtomicUsize,
    complete: AtomicBool,
}

impl PastProgress {
    /// The chapter being read.
    pub fn reading(&self) -> Option<Chapter> {
        Chapter::ALL.get(self.stage.load(Ordering::Relaxed).checked_sub(1)?).copied()
    }

    pub fn done(&self) -> (usize, usize) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }

    pub fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    pub fn documents(&self) -> usize {
        self.documents.load(Ordering::Relaxed)
    }

    pub fn memories(&self) -> usize {
        self.memories.load(Ordering::Relaxed)
    }

    /// Was everything read once since the start?
    pub fn is_complete(&self) -> bool {
        self.complete.load(Ordering::Acquire)
    }
}

enum PastTask {
    /// Another commit is checked out.
    Head,
    Changed(String),
    Everything,
    Stop,
}

/// Told what happens, asked how far it is.
#[derive(Clone)]
pub struct PastHandle {
    tasks: Sender<PastTask>,
    stopping: Arc<AtomicBool>,
    /// Something did not fit into the inbox.
    missed: Arc<AtomicBool>,
    thread: Arc<Mutex<Option<JoinHandle<()>>>>,
    pub(super) progress: Arc<PastProgress>,
    pub(super) cochange: Arc<ArcSwap<Cochange>>,
    pub(super) code: Arc<ArcSwap<CodeMap>>,
    pub(super) ground: Arc<ArcSwap<CodeGround>>,
    pub(super) subjects: Arc<ArcSwap<Subjects>>,
    /// Every commit, once the index is opened; none where it cannot be.
    pub(super) commits: Arc<ArcSwapOption<CommitIndex>>,
    pub(super) weights: Arc<ArcSwap<Weights>>,
    pub(super) author: Arc<ArcSwap<Option<Arc<str>>>>,
    /// How often any of these was published.
    generation: Arc<AtomicU64>,
}

impl PastHandle {
    pub fn progress(&self) -> &PastProgress {
        &self.progress
    }

    /// Tells what is published now from what was before and after. Whoever asks for it first and for the parts
    /// afterwards may hold newer parts than it says, never older ones.
    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    fn publish<T>(&self, place: &ArcSwap<T>, content: T) {
        place.store(Arc::new(content));
        self.generation.fetch_add(1, Ordering::Release);
    }

    /// Which files change together.
    pub fn cochange(&self) -> Arc<Cochange> {
        self.cochange.load_full()
    }

    /// What the source files define and import.
    pub fn code(&self) -> Arc<CodeMap> {
        self.code.load_full()
    }

    /// Which files there are, and which belong together by what stands in them.
    pub fn ground(&self) -> Arc<CodeGround> {
        self.ground.load_full()
    }

    // Hints: one that does not fit is made up for by the next look at everything.

    pub(super) fn head_moved(&self) {
        if self.tasks.try_send(PastTask::Head).is_err() {
            self.look_again();
        }
    }

    pub(super) fn changed(&self, path: &str) {
        if self.tasks.try_send(PastTask::Changed(path.to_owned())).is_err() {
            self.look_again();
        }
    }

    pub(super) fn look_again(&self) {
        // A full inbox is read soon, and then this is asked.
        self.missed.store(true, Ordering::Release);
        let _ = self.tasks.try_send(PastTask::Everything);
    }

    pub(super) fn stop(&self) {
        self.stopping.store(true, Ordering::Release);
        let _ = self.tasks.send(PastTask::Stop);
        if let Some(thread) = self.thread.lock().take()
            && thread.join().is_err()
        {
            tracing::error!("the reading of a repository's past ended in a panic");
        }
    }
}

/// What was learnt in earlier runs, as it stands in the cache directory of the project.
pub(super) fn kept(cache: &std::path::Path, redact: &RedactConfig, now: Timestamp) -> Vec<(Chapter, Lesson)> {
    cache::Folder::new(cache, redact).lessons(now)
}

/// `tell_people` is told, by hash, who has worked here before.
pub(super) fn start(
    env: Arc<Env>,
    writer: WriterHandle,
    trees: Trees,
    tell_people: Box<dyn Fn(Vec<String>) + Send>,
) -> std::io::Result<PastHandle> {
    let (sender, tasks) = crossbeam_channel::bounded(TASKS);
    let handle = PastHandle {
        tasks: sender,
        stopping: Arc::default(),
        missed: Arc::default(),
        thread: Arc::default(),
        progress: Arc::default(),
        cochange: Arc::default(),
        code: Arc::default(),
        ground: Arc::default(),
        subjects: Arc::default(),
        commits: Arc::default(),
        weights: Arc::default(),
        author: Arc::default(),
        generation: Arc::default(),
    };
    let worker = PastWorker {
        stopping: Arc::clone(&handle.stopping),
        missed: Arc::clone(&handle.missed),
        progress: Arc::clone(&handle.progress),
        published: handle.clone(),
        folder: cache::Folder::new(&env.cache, &env.config.load().redact),
        env,
        writer,
        trees,
        tell_people,
        tasks,
        lessons: Default::default(),
        documents: Default::default(),
        newcomer: Default::default(),
        code: CodeMap::default(),
        ground: CodeGround::default(),
        cochange: Cochange::default(),
        subjects: Subjects::default(),
        counted: BTreeSet::new(),
    };
    *handle.thread.lock() = Some(thread::spawn("past", move || worker.run())?);
    Ok(handle)
}

struct PastWorker {
    env: Arc<Env>,
    writer: WriterHandle,
    trees: Trees,
    tell_people: Box<dyn Fn(Vec<String>) + Send>,
    tasks: Receiver<PastTask>,
    stopping: Arc<AtomicBool>,
    missed: Arc<AtomicBool>,
    progress: Arc<PastProgress>,
    published: PastHandle,
    folder: cache::Folder,
    lessons: [Lesson; Chapter::ALL.len()],
    documents: files::Documents,
    newcomer: newcomer::Newcomer,
    code: CodeMap,
    ground: CodeGround,
    cochange: Cochange,
    subjects: Subjects,
    /// The commits that it counts.
    counted: BTreeSet<u64>,
}

impl PastWorker {
    fn run(mut self) {
        self.guard(PastWorker::recall);
        thread::step_back();
        self.guard(|worker| worker.read(&Gathered { everything: true, ..Gathered::default() }));
        self.progress.complete.store(true, Ordering::Release);
        while let Some(tasks) = self.wait() {
            self.guard(|worker| worker.read(&tasks));
        }
    }

    /// A panic costs what was being read and not the reading: the next change is read again.
    fn guard(&mut self, work: impl FnOnce(&mut PastWorker)) {
        if std::panic::catch_unwind(AssertUnwindSafe(|| work(self))).is_err() {
            tracing::error!(project = %self.env.name, "something of the repository's past could not be read");
            self.rest();
        }
    }

    fn read(&mut self, tasks: &Gathered) {
        if !self.env.config.load().bootstrap.enabled {
            return;
        }
        if tasks.everything | self.missed.swap(false, Ordering::AcqRel) {
            return self.read_everything();
        }
        if tasks.head {
            self.read_history();
            self.read_changed_definitions();
        }
        self.read_changed(&tasks.paths);
        self.read_changed_newcomer(&tasks.paths, tasks.head);
        self.rest();
    }

    /// What earlier runs kept; the writer has it already.
    fn recall(&mut self) {
        for (chapter, lesson) in self.folder.lessons(self.env.clock.now()) {
            self.lessons[chapter as usize] = lesson;
        }
        self.look_at_weights();
        self.published.commits.store(self.folder.commits(true).map(Arc::new));
        if let Some((cochange, subjects, counted)) = self.folder.history() {
            self.subjects = subjects;
            (self.cochange, self.counted) = (cochange, counted);
            self.publish_cochange();
        }
        self.code = self.folder.code();
        self.published.publish(&self.published.code, self.code.clone());
        self.ground = self.folder.ground();
        self.publish_ground(false);
    }

    fn read_everything(&mut self) {
        let files = self.all_files();
        self.read_history();
        self.read_documents(&files);
        self.read_code(&files);
        self.read_newcomer(&files);
        self.read_habits();
        self.read_changed_definitions();
        self.rest();
    }

    /// Everything is read for now.
    fn rest(&self) {
        self.progress.stage.store(0, Ordering::Relaxed);
        self.tell();
    }

    /// The tasks of a while, gathered; nothing when it is time to stop.
    fn wait(&self) -> Option<Gathered> {
        let mut gathered = Gathered::default();
        gathered.take(self.tasks.recv().ok()?)?;
        let until = self.env.clock.monotonic() + SETTLE;
        loop {
            let patience = until.saturating_duration_since(self.env.clock.monotonic());
            match self.tasks.recv_timeout(patience) {
                Ok(task) => gathered.take(task)?,
                Err(RecvTimeoutError::Timeout) => return Some(gathered),
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    fn begin(&self, chapter: Chapter, total: usize) {
        self.progress.stage.store(chapter as usize + 1, Ordering::Relaxed);
        self.progress.done.store(0, Ordering::Relaxed);
        self.progress.total.store(total, Ordering::Relaxed);
        if chapter == Chapter::Documents {
            self.progress.documents.store(total, Ordering::Relaxed);
        }
        self.tell();
    }

    fn step(&self) {
        self.progress.done.fetch_add(1, Ordering::Relaxed);
    }

    fn tell(&self) {
        let (done, total) = self.progress.done();
        let mut data = Map::new();
        let chapter = self.progress.reading().map_or("done", Chapter::as_str);
        data.insert("reading".to_owned(), Value::String(chapter.to_owned()));
        data.insert("done".to_owned(), done.into());
        data.insert("total".to_owned(), total.into());
        data.insert("memories".to_owned(), self.progress.memories().into());
        self.env.feed.tell(self.env.clock.now(), &self.env.name, "bootstrap", data);
    }

    /// Keeps what a chapter teaches and hands it to the writer, if it is anything new.
    fn teach(&mut self, chapter: Chapter, mut lesson: Lesson) {
        lesson.memories.sort_by(|one, other| one.id.cmp(&other.id));
        lesson.memories.dedup_by(|one, other| one.id == other.id);
        let is_known = self.lessons[chapter as usize] == lesson;
        if is_known && self.folder.has_lesson(chapter) {
            return;
        }
        self.lessons[chapter as usize] = lesson.clone();
        if let Err(error) = self.folder.keep_lesson(chapter, &lesson) {
            tracing::warn!(project = %self.env.name, reason = %error, "what the past taught could not be kept");
        }
        if is_known {
            return;
        }
        let all: usize = self.lessons.iter().map(|lesson| lesson.memories.len()).sum();
        self.progress.memories.store(all, Ordering::Relaxed);
        self.writer.teach(chapter, lesson);
    }

    /// A draft as the memory it stays until its source changes; without secrets.
    fn memory(&self, mut draft: Draft, at: Timestamp) -> Option<Arc<Memory>> {
        self.env.redaction.clean(&mut draft);
        let at = draft.timestamp.unwrap_or(at);
        draft.timestamp = Some(at);
        draft.updated_at = Some(at);
        let id = draft.id.clone()?;
        let memory = draft.into_memory(id, at);
        (!memory.text.trim().is_empty()).then(|| Arc::new(memory))
    }

    fn publish_cochange(&self) {
        self.progress.commits.store(self.cochange.commits(), Ordering::Relaxed);
        self.published.publish(&self.published.cochange, self.cochange.clone());
        self.published.publish(&self.published.subjects, self.subjects.clone());
        self.look_at_weights();
    }

    fn text_of(&self, path: &str, largest: u64) -> Option<String> {
        trees::text_of(&self.env, self.trees.own_doings(), path, largest)
    }

    /// The repository's own files, in order; outside git there are none.
    fn all_files(&self) -> Vec<String> {
        let mut files = trees::tracked_files(&self.env);
        files.retain(|path| self.env.redaction.is_clean(path));
        files
    }
}

#[derive(Default)]
struct Gathered {
    head: bool,
    everything: bool,
    paths: BTreeSet<String>,
}

impl Gathered {
    fn take(&mut self, task: PastTask) -> Option<()> {
        match task {
            PastTask::Head => self.head = true,
            PastTask::Changed(path) => drop(self.paths.insert(path)),
            PastTask::Everything => self.everything = true,
            PastTask::Stop => return None,
        }
        Some(())
    }
}
