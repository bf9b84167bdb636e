//! The log of what changed in the memory of a project, so that somebody can look over the last days and take things back.
//! It stands in the project's state directory, in pieces of which the oldest are dropped, and is nobody's truth: without it
//! nothing is lost but the looking back.
//!
//! The writer hands over what it did and goes on; a thread of its own writes it down. Only a purge is waited for: it has
//! answered when nothing here tells of what was purged.

mod notice;
mod pieces;

use std::collections::{HashMap, HashSet};
use std::io;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use aho_corasick::AhoCorasick;
use crossbeam_channel::{Receiver, Sender};
use parking_lot::Mutex;
use serde_json::{Value, json};

use self::notice::{Notice, Noticed, worth_telling};
use self::pieces::Pieces;
use super::bundle::Bundle;
use super::env::Env;
use super::follow::Follower;
use super::logged::{LoggedChange, LoggedWhat};
use super::pattern::Pattern;
use lokid_index::Snapshot;
use lokid_model::{Change, Cleaner, Key, Kind, Memory, Timestamp, Tombstone, clean, words};
use lokid_sys::thread;

const FOLDER: &str = "changes";
/// The beginning of a text tells it from others.
const TELLING: usize = 64;
/// What is shorter than this counts only where it stands alone: it may be a part of anything.
const SHORT: usize = 8;
/// Whoever purges more than this at once loses the log with it.
const MOST_PURGED: usize = 2_048;
/// Marks of a person: the group is as it should be, or is to be looked at again.
const ACCEPT: &str = "accept";
const REOPEN: &str = "reopen";

pub struct ChangeLog {
    env: Arc<Env>,
    /// Held while files are read or written.
    pieces: Mutex<Pieces>,
    tasks: OnceLock<Sender<LogTask>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// The log could not be written, and that was said.
    refused: AtomicBool,
}

enum LogTask {
    /// Each without its changes, and these with what stood there before.
    Done(Timestamp, Vec<(Bundle, Vec<Noticed>)>),
    /// Whatever was purged while nobody kept this log goes.
    Sweep(Arc<Snapshot>),
    /// Answered when everything told before is written.
    Reached(Sender<()>),
    Stop,
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
        let Some(tasks) = self.tasks.get() else { return };
        let mut notice = Notice::after(before);
        let done = bundles.iter().map(|bundle| (bundle.bare(), notice.of(bundle)));
        let done: Vec<_> = done.filter(|(_, noticed)| !noticed.is_empty()).collect();
        if !done.is_empty() {
            let _ = tasks.send(LogTask::Done(self.env.clock.now(), done));
        }
        let purged: Vec<Key> = bundles.iter().flat_map(|bundle| &bundle.changes).filter_map(purge).collect();
        if !purged.is_empty() {
            self.reach();
            self.erase(&purged, |key| known(before, key));
        }
    }
}

impl ChangeLog {
    pub(super) fn new(env: Arc<Env>) -> ChangeLog {
        let pieces = Mutex::new(Pieces::new(env.state.join(FOLDER)));
        let refused = AtomicBool::new(false);
        ChangeLog { env, pieces, tasks: OnceLock::new(), thread: Mutex::default(), refused }
    }

    /// Who only reads keeps no log.
    pub(super) fn start(self: &Arc<ChangeLog>) -> io::Result<()> {
        if self.env.read_only {
            return Ok(());
        }
        let (sender, tasks) = crossbeam_channel::unbounded();
        let log = Arc::clone(self);
        *self.thread.lock() = Some(thread::spawn("changes", move || log.run(&tasks))?);
        let _ = self.tasks.set(sender);
        Ok(())
    }

    /// What was purged by another machine, or just before the process died, goes.
    pub(super) fn sweep(&self, snapshot: Arc<Snapshot>) {
        if let Some(tasks) = self.tasks.get() {
            let _ = tasks.send(LogTask::Sweep(snapshot));
        }
    }

    /// Everything that was told is written down.
    pub(super) fn stop(&self) {
        let Some(thread) = self.thread.lock().take() else { return };
        if let Some(tasks) = self.tasks.get() {
            let _ = tasks.send(LogTask::Stop);
        }
        if thread.join().is_err() {
            tracing::error!(project = %self.env.name, "the log of changes ended in a panic");
        }
    }

    fn run(&self, tasks: &Receiver<LogTask>) {
        thread::step_back();
        for task in tasks {
            if matches!(task, LogTask::Stop) {
                return;
            }
            if std::panic::catch_unwind(AssertUnwindSafe(|| self.take(task))).is_err() {
                tracing::error!(project = %self.env.name, "a change could not be told in the log");
            }
        }
    }

    fn take(&self, task: LogTask) {
        match task {
            LogTask::Done(at, done) => self.tell(self.write(at, done)),
            LogTask::Sweep(snapshot) => self.sweep_out(&snapshot),
            LogTask::Reached(reply) => drop(reply.send(())),
            LogTask::Stop => {}
        }
    }

    fn write(&self, at: Timestamp, done: Vec<(Bundle, Vec<Noticed>)>) -> io::Result<()> {
        let mut pieces = self.pieces.lock();
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        for (bundle, noticed) in done {
            let (mut first, mut lines) = (None, Vec::new());
            let noticed: Vec<_> = worth_telling(noticed).into_iter().collect();
            let of = noticed.len();
            for (op, key, what) in noticed {
                let id = pieces.name(at);
                let group = first.get_or_insert_with(|| id.clone()).clone();
                let Bundle { by, night, phase, why, undoes, .. } = bundle.clone();
                lines.push(LoggedChange { id, group, of, at, op, by, why, night, phase, undoes, key, what }.to_line());
            }
            groups.extend(first.map(|first| (first, lines)));
        }
        pieces.append(&groups, &self.env.redaction)
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

    /// Waits until what was done so far is written.
    fn reach(&self) {
        let (reply, reached) = crossbeam_channel::bounded(1);
        if self.tasks.get().is_some_and(|tasks| tasks.send(LogTask::Reached(reply)).is_ok()) {
            let _ = reached.recv();
        }
    }

    /// Every line goes that names one of these or repeats what it said, whenever that was. What cannot be rewritten is
    /// removed altogether.
    fn erase<'a>(&self, keys: &[Key], known: impl Fn(&Key) -> Option<&'a Arc<Memory>>) {
        if keys.len() > MOST_PURGED {
            return self.remove_all();
        }
        let wanted: HashSet<&Key> = keys.iter().collect();
        let mut said: HashSet<String> = keys.iter().map(|key| key.id.to_string()).collect();
        let mut note = |memory: &Memory| said.extend([&memory.text, &memory.title].map(|text| telling(text)));
        keys.iter().filter_map(known).for_each(|memory| note(memory));
        self.newest(|group| {
            for change in group.changes.iter().filter(|change| wanted.contains(&change.key)) {
                if let LoggedWhat::Memory { before, after } = &change.what {
                    before.iter().chain(after).for_each(|memory| note(memory));
                }
            }
            true
        });
        let names = said.iter().filter(|text| !text.trim().is_empty()).map(|text| as_written(text));
        let Ok(names) = AhoCorasick::new(names) else { return self.remove_all() };
        let struck = self.pieces.lock().strike(&self.env.redaction, &|line| names.is_match(line));
        if let Err(error) = struck {
            tracing::warn!(project = %self.env.name, reason = %error, "the log of changes cannot be rewritten and is dropped");
            self.remove_all();
        }
    }

    fn remove_all(&self) {
        let mut pieces = self.pieces.lock();
        let folder = self.env.state.join(FOLDER);
        if let Err(error) = lokid_sys::plain::remove_folder(&folder) {
            tracing::error!(project = %self.env.name, reason = %error, "the log of changes may still tell of what was purged");
        }
        *pieces = Pieces::new(folder);
    }

    fn sweep_out(&self, snapshot: &Snapshot) {
        let mut gone = HashSet::new();
        self.newest(|group| {
            gone.extend(group.changes.iter().flat_map(|change| buried(snapshot, change)));
            true
        });
        if !gone.is_empty() {
            self.erase(&gone.into_iter().collect::<Vec<_>>(), |_| None);
        }
    }

    /// Hands on what was done, the newest first, for as long as more is wanted.
    pub fn read(&self, wants_more: impl FnMut(LoggedGroup) -> bool) {
        self.reach();
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
        self.reach();
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
        pieces.append(&[(next, vec![line])], &self.env.redaction)
    }

    /// How many lines hold what must not be kept; with `strike` they are taken out.
    pub fn history(&self, pattern: &Pattern, strike: bool) -> io::Result<usize> {
        self.reach();
        let says = |line: &str| clean::json(line, pattern as &dyn Cleaner).is_some();
        let mut pieces = self.pieces.lock();
        if strike && !self.env.read_only {
            return pieces.strike(&self.env.redaction, &says);
        }
        let paths = pieces.paths();
        Ok(paths.iter().map(|path| pieces.read(path, says).len()).sum())
    }
}

fn purge(change: &Change) -> Option<Key> {
    match change {
        Change::Purge(tombstone) => Some(tombstone.key.clone()),
        _ => None,
    }
}

fn known<'a>(snapshot: &'a Snapshot, key: &Key) -> Option<&'a Arc<Memory>> {
    snapshot.get(key).or_else(|| snapshot.archived(key).map(|entry| &entry.memory))
}

/// Those it names that were purged. A skill's tombstone does not name it: what it said does.
fn buried(snapshot: &Snapshot, change: &LoggedChange) -> Vec<Key> {
    let mut found = change.keys();
    found.retain(|key| snapshot.tombstone(key).is_some());
    if let LoggedWhat::Memory { before, after } = &change.what {
        let is_nameless = |memory: &&Arc<Memory>| {
            let grave = Tombstone::of(memory, Timestamp::default(), "").kept().key;
            memory.kind == Kind::Skill && snapshot.tombstone(&grave).is_some() && snapshot.get(&change.key).is_none()
        };
        found.extend(before.iter().chain(after).find(is_nameless).map(|memory| memory.key()));
    }
    found
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
