//! The log of what changed in the memory of a project, so that somebody can look over the last days and take things back.
//! It stands in the project's state directory, in pieces of which the oldest are dropped, and is nobody's truth: without it
//! nothing is lost but the looking back.
//!
//! The writer hands over what it did and goes on; a thread of its own writes it down, or whoever reads before it comes to
//! that. A purge has answered when nothing here tells of what was purged.

mod notice;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::io;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use aho_corasick::AhoCorasick;
use parking_lot::{Condvar, Mutex};
use serde_json::{Value, json};

use self::notice::{Notice, Noticed, worth_telling};
use super::bundle::Bundle;
use super::env::Env;
use super::follow::Follower;
use super::logged::{LoggedChange, LoggedWhat};
use super::pattern::Pattern;
use super::pieces::Pieces;
use lokid_index::Snapshot;
use lokid_model::{By, Key, Memory, Timestamp, Tombstone, words};
use lokid_sys::thread;

const FOLDER: &str = "changes";
const LETTER: char = 'c';
const MOST_PIECES: usize = 16;
/// The beginning of a text tells it from others.
const TELLING: usize = 64;
/// What is shorter than this counts only where it stands alone: it may be a part of anything.
const SHORT: usize = 8;
/// What the names of skills begin with.
const SKILL: &str = "skill-";
/// Whoever purges more than this at once loses the log with it.
const MOST_PURGED: usize = 2_048;
/// Marks of a person: the group is as it should be, or is to be looked at again.
const ACCEPT: &str = "accept";
const REOPEN: &str = "reopen";

pub struct ChangeLog {
    env: Arc<Env>,
    /// Held while files are read or written, and while a task is taken and done: whoever has it and finds no task knows
    /// that all of them are done.
    pieces: Mutex<Pieces>,
    queue: Mutex<LogQueue>,
    /// Held while what was purged before the start is swept out, which is done once.
    sweeping: Mutex<()>,
    woken: Condvar,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// The log could not be written, and that was said.
    refused: AtomicBool,
}

#[derive(Default)]
struct LogQueue {
    tasks: VecDeque<LogTask>,
    is_stopping: bool,
}

enum LogTask {
    /// Each without its changes, and these with what stood there before.
    Done(Timestamp, Vec<(Bundle, Vec<Noticed>)>),
    /// Whatever was purged while nobody kept account of it goes from all that these keep.
    Sweep(Arc<Snapshot>, Vec<Arc<dyn Follower>>),
}

/// What was done together, and what somebody made of it.
#[derive(Clone, Debug)]
pub struct LoggedGroup {
    /// In the order they were done.
    pub changes: Vec<LoggedChange>,
    pub accepted: bool,
    pub undone: bool,
}

impl LoggedGroup {
    pub fn id(&self) -> &str {
        self.changes.first().map_or("", |change| &change.group)
    }

    pub fn ids(&self) -> Vec<String> {
        self.changes.iter().map(|change| change.id.clone()).collect()
    }
}

impl Follower for ChangeLog {
    fn done(&self, before: &Snapshot, bundles: &[Bundle]) {
        let mut notice = Notice::after(before);
        let done = bundles.iter().map(|bundle| (bundle.bare(), notice.of(bundle)));
        let done: Vec<_> = done.filter(|(_, noticed)| !noticed.is_empty()).collect();
        if !done.is_empty() {
            self.hand_over(LogTask::Done(self.env.clock.now(), done));
        }
    }

    fn named(&self) -> Vec<Key> {
        let mut named = HashSet::new();
        self.newest(|group| {
            named.extend(group.changes.iter().flat_map(LoggedChange::keys));
            true
        });
        named.into_iter().collect()
    }

    /// Every line goes that names one of these or repeats what it said, whenever that was.
    fn purged(&self, keys: &BTreeSet<Key>, last_words: &[Arc<Memory>]) {
        if self.env.read_only {
            return;
        }
        self.catch_up();
        if let Err(error) = self.erase(keys, last_words) {
            tracing::warn!(project = %self.env.name, reason = %error, "a part of the log of changes cannot be rewritten and is dropped");
        }
    }
}

impl ChangeLog {
    pub(super) fn new(env: Arc<Env>) -> ChangeLog {
        let pieces = Pieces::new(env.state.join(FOLDER), LETTER, MOST_PIECES, &env.redaction);
        let (pieces, queue, refused) = (Mutex::new(pieces), Mutex::default(), AtomicBool::new(false));
        let (sweeping, thread) = (Mutex::default(), Mutex::default());
        ChangeLog { env, pieces, queue, sweeping, woken: Condvar::new(), thread, refused }
    }

    /// Who only reads keeps no log.
    pub(super) fn start(self: &Arc<ChangeLog>) -> io::Result<()> {
        if !self.env.read_only {
            let log = Arc::clone(self);
            *self.thread.lock() = Some(thread::spawn("changes", move || log.run())?);
        }
        Ok(())
    }

    /// What was purged by another machine, or just before the process died, goes from everything that is kept beside the
    /// memories.
    pub(super) fn sweep(&self, snapshot: Arc<Snapshot>, sidecars: Vec<Arc<dyn Follower>>) {
        self.hand_over(LogTask::Sweep(snapshot, sidecars));
    }

    /// Everything that was told is written down.
    pub(super) fn stop(&self) {
        let Some(thread) = self.thread.lock().take() else { return };
        self.queue.lock().is_stopping = true;
        self.woken.notify_one();
        if thread.join().is_err() {
            tracing::error!(project = %self.env.name, "the log of changes ended in a panic");
        }
    }

    fn hand_over(&self, task: LogTask) {
        if !self.env.read_only {
            self.queue.lock().tasks.push_back(task);
            self.woken.notify_one();
        }
    }

    fn run(&self) {
        thread::step_back();
        loop {
            let mut queue = self.queue.lock();
            self.woken.wait_while(&mut queue, |queue| queue.tasks.is_empty() && !queue.is_stopping);
            if queue.tasks.is_empty() {
                return;
            }
            drop(queue);
            self.catch_up();
        }
    }

    /// When this returns everything handed over is done.
    fn settle(&self) {
        self.catch_up();
        drop(self.sweeping.lock());
    }

    /// The same, but for a sweep that is under way. Nobody waits for the thread, which steps back behind others.
    fn catch_up(&self) {
        loop {
            let mut pieces = self.pieces.lock();
            let Some(task) = self.queue.lock().tasks.pop_front() else { return };
            let work = AssertUnwindSafe(|| match task {
                LogTask::Done(at, done) => self.tell(write(&mut pieces, at, done)),
                LogTask::Sweep(snapshot, sidecars) => {
                    let _held = self.sweeping.lock();
                    drop(pieces);
                    self.sweep_out(&snapshot, &sidecars);
                }
            });
            if std::panic::catch_unwind(work).is_err() {
                tracing::error!(project = %self.env.name, "a change could not be told in the log");
            }
        }
    }

    /// A full disk refuses everything that comes; that is one thing to say.
    fn tell(&self, written: io::Result<()>) {
        match written {
            Ok(()) => self.refused.store(false, Ordering::Relaxed),
            Err(error) if !self.refused.swap(true, Ordering::Relaxed) => {
                tracing::warn!(project = %self.env.name, reason = %error, "what changed cannot be told in the log");
            }
            Err(_) => {}
        }
    }

    fn erase(&self, keys: &BTreeSet<Key>, last_words: &[Arc<Memory>]) -> io::Result<()> {
        if keys.len() > MOST_PURGED {
            return self.pieces.lock().clear();
        }
        let mut said: HashSet<String> = keys.iter().map(|key| key.id.to_string()).collect();
        let mut note = |memory: &Arc<Memory>| said.extend([&memory.text, &memory.title].map(|text| telling(text)));
        last_words.iter().for_each(&mut note);
        self.words_of(keys).iter().for_each(&mut note);
        let names = said.iter().filter(|text| !text.trim().is_empty()).map(|text| as_written(text));
        let mut pieces = self.pieces.lock();
        let Ok(names) = AhoCorasick::new(names) else { return pieces.clear() };
        pieces.strike(&|line| (!names.is_match(line)).then_some(Cow::Borrowed(line)))?;
        Ok(())
    }

    /// Whatever these said, as far as it is told here.
    fn words_of(&self, keys: &BTreeSet<Key>) -> Vec<Arc<Memory>> {
        let mut words = Vec::new();
        self.newest(|group| {
            for change in group.changes.iter().filter(|change| keys.contains(&change.key)) {
                if let LoggedWhat::Memory { before, after, .. } = &change.what {
                    words.extend(before.iter().chain(after).cloned());
                }
            }
            true
        });
        words
    }

    fn sweep_out(&self, snapshot: &Snapshot, sidecars: &[Arc<dyn Follower>]) {
        let lives = |key: &Key| snapshot.get(key).is_some() || snapshot.archived(key).is_some();
        let is_skill = |key: &Key| key.id.as_str().starts_with(SKILL) && !lives(key);
        let mut gone: BTreeSet<Key> = sidecars.iter().flat_map(|sidecar| sidecar.named()).collect();
        gone.retain(|key| snapshot.tombstone(key).is_some() || is_skill(key));
        let mut words = if gone.is_empty() { return } else { self.words_of(&gone) };
        // A skill's tombstone does not name it: what it said does, where that is known.
        let is_buried =
            |memory: &Memory| snapshot.tombstone(&Tombstone::of(memory, Timestamp::default(), "").kept().key).is_some();
        let has =
            |key: &Key, is: &dyn Fn(&Memory) -> bool| words.iter().any(|memory| memory.key() == *key && is(memory));
        gone.retain(|key| snapshot.tombstone(key).is_some() || has(key, &is_buried) || !has(key, &|_| true));
        words.retain(|memory| gone.contains(&memory.key()));
        if !gone.is_empty() {
            sidecars.iter().for_each(|sidecar| sidecar.purged(&gone, &words));
        }
    }

    /// Hands on what was done, the newest first, for as long as more is wanted.
    pub fn read(&self, wants_more: impl FnMut(LoggedGroup) -> bool) {
        self.settle();
        self.newest(wants_more);
    }

    fn newest(&self, mut wants_more: impl FnMut(LoggedGroup) -> bool) {
        let paths = self.pieces.lock().paths();
        let mut accepted: HashMap<String, bool> = HashMap::new();
        let mut undone: HashSet<String> = HashSet::new();
        for path in paths.iter().rev() {
            let lines = self.pieces.lock().read_all(path);
            let mut lines = lines.iter().rev().peekable();
            while let Some(line) = lines.next() {
                if let Some((group, is_accepted)) = mark(line) {
                    accepted.entry(group.to_owned()).or_insert(is_accepted);
                    continue;
                }
                let group = line.get("group");
                let mut changes: Vec<LoggedChange> = LoggedChange::read(line).into_iter().collect();
                while let Some(line) = lines.next_if(|line| group.is_some() && line.get("group") == group) {
                    changes.extend(LoggedChange::read(line));
                }
                changes.reverse();
                let Some(first) = changes.first() else { continue };
                let is_undone = undone.contains(&first.group);
                undone.extend(first.undoes.clone().filter(|_| !is_undone));
                let is_accepted = accepted.get(&first.group).copied().unwrap_or(false);
                if !wants_more(LoggedGroup { accepted: is_accepted, undone: is_undone, changes }) {
                    return;
                }
            }
        }
    }

    /// The group that a change belongs to.
    pub fn group_of(&self, id: &str) -> Option<LoggedGroup> {
        let mut found = None;
        self.read(|group| {
            found = Some(group).filter(|group| group.changes.iter().any(|change| change.id == id));
            found.is_none()
        });
        found
    }

    /// What happened to a memory itself, the newest first.
    pub fn life_of(&self, key: &Key) -> Vec<LoggedChange> {
        self.settle();
        let mut pieces = self.pieces.lock();
        let named = as_written(key.id.as_str());
        let own = |change: &LoggedChange| change.key == *key && matches!(change.what, LoggedWhat::Memory { .. });
        let mut found = Vec::new();
        for path in pieces.paths().iter().rev() {
            let lines = pieces.read(path, |line| line.contains(&named));
            found.extend(lines.iter().rev().filter_map(LoggedChange::read).filter(own));
        }
        found
    }

    /// How far back the log goes.
    pub fn since(&self) -> Option<Timestamp> {
        let mut pieces = self.pieces.lock();
        let paths = pieces.paths();
        paths.iter().find_map(|path| {
            let at = |line: &Value| line.get("id").and(line.get("at"))?.as_str().and_then(Timestamp::parse);
            pieces.read_all(path).iter().find_map(at)
        })
    }

    /// Somebody looked at a group and wants it to be so; or wants to look again.
    pub fn accept(&self, group: &LoggedGroup, accepted: bool) -> io::Result<()> {
        if self.env.read_only {
            return Err(io::Error::new(io::ErrorKind::ReadOnlyFilesystem, "opened for reading"));
        }
        let name = if accepted { ACCEPT } else { REOPEN };
        let line = json!({name: group.id(), "at": self.env.clock.now().record_style()}).to_string();
        let mut pieces = self.pieces.lock();
        let next = pieces.name(self.env.clock.now());
        pieces.append(&[(next, vec![line])])
    }

    /// How many lines hold what must not be kept; with `strike` they are taken out.
    pub fn history(&self, pattern: &Pattern, strike: bool) -> io::Result<usize> {
        self.settle();
        self.pieces.lock().history(pattern, strike && !self.env.read_only)
    }
}

fn write(pieces: &mut Pieces, at: Timestamp, done: Vec<(Bundle, Vec<Noticed>)>) -> io::Result<()> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for (bundle, noticed) in done {
        let (mut first, mut lines) = (None, Vec::new());
        let mut noticed = worth_telling(noticed);
        let of = noticed.len();
        if bundle.by == By::File && of > 1 {
            noticed.truncate(1);
            noticed.iter_mut().for_each(|(.., what)| *what = LoggedWhat::memory(None, None));
        }
        for (op, key, what) in noticed {
            let id = pieces.name(at);
            let group = first.get_or_insert_with(|| id.clone()).clone();
            let Bundle { by, night, phase, why, undoes, .. } = bundle.clone();
            lines.push(LoggedChange { id, group, of, at, op, by, why, night, phase, undoes, key, what }.to_line());
        }
        groups.extend(first.map(|first| (first, lines)));
    }
    pieces.append(&groups)
}

fn mark(line: &Value) -> Option<(&str, bool)> {
    let of = |name: &str| line.get(name).and_then(Value::as_str);
    of(ACCEPT).map(|group| (group, true)).or_else(|| of(REOPEN).map(|group| (group, false)))
}

fn telling(text: &str) -> String {
    words::head(text.trim_end(), TELLING).to_owned()
}

/// As it stands in a line of JSON: anywhere, or only as a word of its own.
fn as_written(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    if text.len() < SHORT { quoted } else { quoted[1..quoted.len() - 1].to_owned() }
}
