//! What was just told, held against what is known: right behind the answer, and never in its way.
//!
//! Whoever writes has been answered when this begins. Each new statement is read together with a few that speak of the same
//! thing, and what cannot hold beside it is handed to the writer as the night would hand it. Its thread and the model it
//! reads with are there while there is something to read and a little longer. Where more is told than can be read, the rest
//! is left to the night.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::company::{self, PairReader};
use super::env::Env;
use super::follow::Follower;
use super::inbox::WriterHandle;
use super::search::{Search, SearchHandle};
use lokid_index::Snapshot;
use lokid_manage::plan::Proposal;
use lokid_manage::{contradict, statement};
use lokid_model::{Change, Contradiction, Key, Memory};
use lokid_retrieve::query;
use lokid_sys::{heap, thread};
use lokid_text::pairs::Pairs;

/// Held against so many of those most like it.
const CANDIDATES: usize = 5;
/// So many statements may wait.
const MOST_WAITING: usize = 256;
/// So many are known to stand beside a matter.
const MOST_BESIDE: usize = 10_000;
/// The indexes are waited for so often and so long.
const GLANCES: usize = 100;
const GLANCE: Duration = Duration::from_millis(100);
/// Who told something soon tells more: so long the thread stays, and the model with it.
const LINGER: Duration = Duration::from_secs(2);

pub(super) struct Review {
    env: Arc<Env>,
    writer: WriterHandle,
    search: Arc<Search>,
    work: Mutex<Work>,
    woken: Condvar,
    beside: Mutex<Beside>,
}

/// What was found to contradict a side of an open matter, and which: one of many that disagree about one thing. Known as
/// long as the daemon runs; the night finds out by itself.
#[derive(Default)]
struct Beside {
    matters: HashMap<Key, String>,
    is_full: bool,
}

#[derive(Default)]
struct Work {
    waiting: VecDeque<Key>,
    thread: Option<JoinHandle<()>>,
    /// The thread takes whatever is waiting.
    is_awake: bool,
    is_stopping: bool,
}

impl Follower for Arc<Review> {
    fn told(&self, keys: &[Key]) {
        self.tell(keys);
    }

    /// Behind a matter that somebody settled there may be the next one.
    fn changed(&self, changes: &[Change]) {
        let settled = changes.iter().filter_map(|change| match change {
            Change::Contradict(found) if found.settled.is_some() => Some(found.sides()),
            _ => None,
        });
        let sides: Vec<Key> = settled.flatten().collect();
        if !sides.is_empty() {
            self.tell(&sides);
        }
    }
}

impl Review {
    pub(super) fn new(env: Arc<Env>, writer: WriterHandle, search: Arc<Search>) -> Review {
        Review { env, writer, search, work: Mutex::default(), woken: Condvar::new(), beside: Mutex::default() }
    }

    /// Never waits. What does not fit is read by the night.
    fn tell(self: &Arc<Review>, keys: &[Key]) {
        let mut work = self.work.lock();
        if work.is_stopping {
            return;
        }
        let room = MOST_WAITING - work.waiting.len();
        work.waiting.extend(keys.iter().take(room).cloned());
        if work.is_awake {
            self.woken.notify_all();
        } else if !work.waiting.is_empty() {
            let ended = work.thread.take();
            let review = Arc::clone(self);
            match thread::spawn("review", move || review.run()) {
                Ok(thread) => (work.thread, work.is_awake) = (Some(thread), true),
                Err(error) => {
                    tracing::warn!(reason = %error, "what was told is compared by the night only");
                    work.waiting.clear();
                }
            }
            drop(work);
            // It said that it is over before it was: this takes no time.
            ended.map(JoinHandle::join);
        }
    }

    /// What still waits is left to the night.
    pub(super) fn stop(&self) {
        let thread = {
            let mut work = self.work.lock();
            work.is_stopping = true;
            work.waiting.clear();
            self.woken.notify_all();
            work.thread.take()
        };
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the review ended in a panic");
        }
    }

    fn run(&self) {
        thread::step_back();
        // Kept ready from one statement to the next; what was read is not, or it would grow as long as somebody writes.
        let model = Pairs::built_in();
        while let Some(key) = self.next() {
            let read = std::panic::catch_unwind(AssertUnwindSafe(|| self.read(&key, &PairReader::default())));
            if read.is_err() {
                tracing::error!(memory = %key, "a statement could not be compared; the night tries again");
            }
        }
        drop(model);
        heap::give_back();
    }

    fn next(&self) -> Option<Key> {
        let mut work = self.work.lock();
        let is_idle = |work: &mut Work| work.waiting.is_empty() && !work.is_stopping;
        self.woken.wait_while_for(&mut work, is_idle, LINGER);
        let next = work.waiting.pop_front().filter(|_| !work.is_stopping);
        work.is_awake = next.is_some();
        next
    }

    /// Waits until what is known can be found, which takes a moment after the start; not for ever, and not when it is over.
    fn is_searchable(&self, search: &SearchHandle) -> bool {
        (0..GLANCES).any(|_| {
            let is_over = self.work.lock().is_stopping;
            is_over || search.opened(GLANCE) && (search.waiting() == 0 || search.wait(GLANCE))
        })
    }

    fn read(&self, key: &Key, reader: &PairReader) {
        let (now, snapshot) = (self.env.clock.now(), self.writer.snapshot());
        let Some(told) = snapshot.get(key).filter(|told| contradict::speaks(told, now)) else { return };
        let Some(search) = self.search.if_started().filter(|search| self.is_searchable(search)) else { return };
        let ready = search.ready();
        let Some(ready) = ready.as_ref() else { return };
        let known = company::disputable(ready, &snapshot, told, CANDIDATES, now);
        let is_new = |other: &Arc<Memory>| !snapshot.disputes_of(key).any(|found| found.sides().contains(&other.key()));
        let pairs: Vec<_> =
            known.iter().filter(|other| is_new(other)).map(|other| contradict::in_order(other, told)).collect();
        let texts: Vec<(&str, &str)> = pairs.iter().map(|(a, b)| (a.text.as_str(), b.text.as_str())).collect();
        let is_over = || self.work.lock().is_stopping;
        let (mut ended, mut open) = (Vec::new(), Vec::new());
        for ((a, b), shares) in pairs.iter().zip(reader.weigh(&texts, &is_over)) {
            let Some(judgement) = shares.map(|shares| statement::judge(&a.text, &b.text, shares)) else { continue };
            if contradict::is_sure(&judgement) {
                // Whichever of the two is read first, the later ends the earlier.
                let ends = contradict::ends(a, b, &judgement);
                let proposal = contradict::propose(a, b, ends, &judgement.why, now);
                if ends {
                    ended.push(proposal)
                } else {
                    open.push((proposal, [a.key(), b.key()]))
                };
            }
        }
        ended.extend(self.one_matter(&snapshot, open));
        if !ended.is_empty() {
            let _ = self.writer.tidy(ended, None);
        }
    }

    /// What disagrees about one thing is one matter, opened once: with it stand all that were found to disagree.
    fn one_matter(&self, snapshot: &Snapshot, found: Vec<(Proposal, [Key; 2])>) -> Option<Proposal> {
        let sides: Vec<Key> = found.iter().flat_map(|(_, sides)| sides.clone()).collect();
        let mut beside = self.beside.lock();
        let stands_beside = |side: &Key| {
            let matter = beside.matters.get(side)?;
            snapshot.open_contradictions_of(&side.namespace).any(|open| open.id == *matter).then(|| matter.clone())
        };
        let disputed = |side: &Key| snapshot.open_dispute_of(side).map(|open| open.id.clone());
        let known = sides.iter().find_map(|side| disputed(side).or_else(|| stands_beside(side)));
        let known = known.or_else(|| in_the_same_words(snapshot, sides.first()?));
        let is_full = known.is_none() && snapshot.open_contradictions() >= contradict::MOST_OPEN;
        if is_full && !found.is_empty() {
            if !std::mem::replace(&mut beside.is_full, true) {
                let most = contradict::MOST_OPEN;
                tracing::warn!(project = %self.env.name, most, "so many contradictions are open that no more are opened");
            }
            return None;
        }
        let (matter, opened) = match known {
            Some(matter) => (matter, None),
            None => {
                let (proposal, [a, b]) = found.into_iter().next()?;
                (Contradiction::id_of(&a, &b), Some(proposal))
            }
        };
        beside.is_full = false;
        if beside.matters.len() >= MOST_BESIDE {
            beside.matters.clear();
        }
        beside.matters.extend(sides.into_iter().map(|side| (side, matter.clone())));
        opened
    }
}

/// The open matter that is about what this memory is about, as far as its words tell.
fn in_the_same_words(snapshot: &Snapshot, key: &Key) -> Option<String> {
    let words = |text: &str| query::wanted(text).into_iter().map(|wanted| wanted.word).collect::<BTreeSet<_>>();
    let own = words(&snapshot.get(key)?.text);
    let is_alike = |side: &Key| {
        let said = snapshot.get(side).map(|memory| words(&memory.text)).unwrap_or_default();
        let shared = own.intersection(&said).count();
        shared * 2 > own.union(&said).count()
    };
    let mut open = snapshot.open_contradictions_of(&key.namespace);
    open.find(|open| open.sides().iter().any(is_alike)).map(|open| open.id.clone())
}
