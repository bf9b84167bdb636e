//! One pass after the other: read, append, sleep. What cannot be done now is done later, and nobody waits for it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::line::{self, Line};
use super::{Joined, Team};
use crate::error::EngineError;
use crate::inbox::WriterHandle;
use crate::incoming;
use lokid_index::Snapshot;
use lokid_model::{Key, Timestamp};
use lokid_sys::postgres::Parameters;
use lokid_team::book::{Book, Seen};
use lokid_team::merge::LocalItem;
use lokid_team::relay::{Relay, RelayError};
use lokid_team::sync::{Incoming, Pass, Replica, Report, SyncError, Us, Waiting};
use lokid_team::{ItemKey, ItemKind, limits, projection};

/// What the thread holds while it is connected.
struct Held {
    line: Line,
    book: Book,
    us: Us,
    /// When it last told the others how far it has read.
    beat: Option<Instant>,
}

/// The memory of this machine.
struct Here {
    writer: WriterHandle,
    snapshot: Arc<Snapshot>,
    unlinked: BTreeSet<ItemKey>,
    us: Us,
}

impl Replica for Here {
    type Error = EngineError;

    fn local(&self, item: &ItemKey) -> LocalItem {
        let local = incoming::local(&self.snapshot, item, &self.us.me);
        match local {
            LocalItem::Absent if self.unlinked.contains(item) => LocalItem::Forgotten(Value::Null),
            local => local,
        }
    }

    fn as_kept_here(&self, item: &ItemKey, record: &Value, author: &str) -> Value {
        incoming::as_kept_here(item, record, author)
    }

    /// Where a page cannot be written as a whole, each is tried alone: one broken file does not hold up the rest.
    fn take(&mut self, incoming: Vec<Incoming>) -> Result<BTreeSet<ItemKey>, EngineError> {
        let taken = self.writer.take_from_team(incoming.clone(), &self.us);
        let taken = match taken {
            Err(EngineError::Stopping) => Err(EngineError::Stopping),
            Err(error) if incoming.len() > 1 => self.one_by_one(incoming, error),
            taken => taken,
        };
        self.snapshot = self.writer.snapshot();
        taken
    }
}

impl Here {
    /// Where none can be written, it is no matter of a single one.
    fn one_by_one(&self, incoming: Vec<Incoming>, error: EngineError) -> Result<BTreeSet<ItemKey>, EngineError> {
        let (many, mut left_out) = (incoming.len(), BTreeSet::new());
        for one in incoming {
            let item = one.head.item.clone();
            match self.writer.take_from_team(vec![one], &self.us) {
                Ok(more) => left_out.extend(more),
                Err(_) => drop(left_out.insert(item)),
            }
        }
        if left_out.len() == many { Err(error) } else { Ok(left_out) }
    }
}

/// Why a pass did not come to its end.
enum Hindered {
    /// The line is of no use any more.
    Line(RelayError),
    Here(String),
}

impl From<SyncError<RelayError, EngineError>> for Hindered {
    fn from(error: SyncError<RelayError, EngineError>) -> Hindered {
        match error {
            SyncError::Hub(error) => Hindered::Line(error),
            SyncError::Replica(error) => Hindered::Here(error.to_string()),
            SyncError::Book(error) => Hindered::Here(format!("the book of the team cannot be written: {error}")),
        }
    }
}

impl Team {
    pub(super) fn keep_in_step(&self, stopping: &AtomicBool) {
        let (mut held, mut waiting, mut failures) = (None, Waiting::default(), 0);
        self.recall_organisation();
        let is_over = || stopping.load(Ordering::SeqCst);
        while let Some(joined) = self.next(&is_over) {
            match self.step(&joined, &mut held, &mut waiting, &is_over) {
                Ok(()) => failures = 0,
                Err(hindered) => {
                    held = None;
                    self.give_way(hindered, failures);
                    failures += 1;
                }
            }
        }
    }

    /// Sleeps until the pause is over.
    fn next(&self, is_over: &dyn Fn() -> bool) -> Option<Joined> {
        let mut work = self.work.lock();
        loop {
            if is_over() {
                return None;
            }
            let now = self.env.clock.monotonic();
            let pause = work.not_before.map(|at| at.saturating_duration_since(now)).unwrap_or_default();
            if pause.is_zero() {
                return work.joined.clone();
            }
            self.woken.wait_for(&mut work, pause);
        }
    }

    fn step(
        &self,
        joined: &Joined,
        held: &mut Option<Held>,
        waiting: &mut Waiting,
        is_over: &dyn Fn() -> bool,
    ) -> Result<(), Hindered> {
        if held.is_none() {
            *held = Some(self.connect(joined)?);
        }
        let Some(hand) = held.as_mut().filter(|_| !is_over()) else { return Ok(()) };
        self.pass(hand, waiting)?;
        self.beat(hand).map_err(Hindered::Line)?;
        if is_over() {
            return Ok(());
        }
        let due = waiting.next_removal().map(|at| at.as_micros() - self.env.now().as_micros());
        let due = due.map_or(limits::POLL, |micros| Duration::from_micros(micros.max(0) as u64));
        hand.line.relay.wait(due.min(limits::POLL)).map_err(Hindered::Line)?;
        Ok(())
    }

    fn connect(&self, joined: &Joined) -> Result<Held, Hindered> {
        let book = Book::open(self.book_file(joined)).map_err(|error| Hindered::Here(error.to_string()))?;
        let parameters = Parameters::read(&joined.database).map_err(|error| Hindered::Here(error.to_string()))?;
        let replica = match book.replica.as_str() {
            // Another book is another machine: no operation of the one counts as one of the other.
            "" => format!("{}-{:x}", self.env.writer_name, self.env.now().as_micros()),
            known => known.to_owned(),
        };
        let mut relay = Relay::open(&parameters, &joined.project, &replica).map_err(Hindered::Line)?;
        let hello = relay.hello().map_err(Hindered::Line)?;
        let mut book = book;
        if book.database != hello.database || book.cursor > hello.seq {
            if !book.database.is_empty() {
                tracing::warn!(project = %self.env.name, "the team's database is another than before: all is compared anew");
            }
            let kept = book.begin_again(&hello.database, &replica);
            kept.map_err(|error| Hindered::Here(error.to_string()))?;
            self.work.lock().all = true;
        }
        if book.has_left_out() {
            // Perhaps it can be taken in now.
            book.cursor = 0;
        }
        self.work.lock().wake = Some(relay.waker());
        let mut told = self.told.lock();
        (told.connected, told.membership) = (true, Some(line::membership(&hello)));
        (told.seq, told.paused_until) = (hello.seq, None);
        told.replica = replica;
        drop(told);
        tracing::info!(project = %self.env.name, team = %joined.project, member = %hello.member, "in step with the team's database");
        self.tell("connected", json!({"team": joined.project, "member": hello.member}));
        Ok(Held {
            line: Line::new(relay, &self.env.redaction),
            book,
            us: Us { me: hello.member, promoters: hello.promoters },
            beat: None,
        })
    }

    fn pass(&self, hand: &mut Held, waiting: &mut Waiting) -> Result<(), Hindered> {
        let snapshot = self.writer.snapshot();
        let (names, unlinked, asked) = {
            let mut work = self.work.lock();
            let all = std::mem::take(&mut work.all);
            let mut names = std::mem::take(&mut work.names);
            if all {
                names.extend(everything(&snapshot, &hand.book));
            }
            (names, work.unlinked.clone(), work.asked)
        };
        let mut here = Here { writer: self.writer.clone(), snapshot, unlinked, us: hand.us.clone() };
        let mut pass = Pass {
            hub: &mut hand.line,
            replica: &mut here,
            book: &mut hand.book,
            waiting,
            now: self.env.now(),
            report: Report::default(),
        };
        self.told.lock().waiting = names.len();
        let done = pass.pull().and_then(|()| pass.push(names.clone(), &hand.us.me));
        let report = std::mem::take(&mut pass.report);
        let removals = waiting.removals();
        self.note(hand, &report, removals);
        if report.went_back {
            tracing::warn!(project = %self.env.name, "the team's database went back in time: all is compared anew");
            let (database, replica) = (hand.book.database.clone(), hand.book.replica.clone());
            let kept = hand.book.begin_again(&database, &replica);
            kept.map_err(|error| Hindered::Here(error.to_string()))?;
            self.work.lock().all = true;
        }
        let left = done.map_err(|error| {
            self.work.lock().names.extend(names.clone());
            Hindered::from(error)
        })?;
        self.sign(hand, &names, &report)?;
        let Held { line, book, .. } = &mut *hand;
        self.read_organisation(&mut line.relay, book).map_err(Hindered::Line)?;
        let mut work = self.work.lock();
        work.unlinked.retain(|item| matches!(hand.book.get(item).map(|known| known.state), Some(Seen::Live(_))));
        work.names.extend(left);
        (work.tried, work.done) = (asked, asked);
        self.woken.notify_all();
        Ok(())
    }

    /// What was sent from here says whose word it is, here as there.
    fn sign(&self, hand: &Held, names: &BTreeSet<ItemKey>, report: &Report) -> Result<(), Hindered> {
        let snapshot = self.writer.snapshot();
        let is_unsigned = |key: &Key| {
            let changed = report.signed.contains(&projection::key_of(key));
            snapshot.get(key).is_some_and(|memory| changed || memory.author().is_none())
        };
        let is_ours = |item: &&ItemKey| hand.book.get(item).is_some_and(|known| *known.author == *hand.us.me);
        let sent = names.iter().filter(|item| item.kind == ItemKind::Memory).filter(is_ours);
        let keys: Vec<Key> = sent.filter_map(projection::memory_key).filter(is_unsigned).collect();
        for page in keys.chunks(limits::PAGE) {
            let signed = self.writer.sign_for_team(page.to_vec(), &hand.us);
            signed.map_err(|error| Hindered::Here(error.to_string()))?;
        }
        Ok(())
    }

    fn note(&self, hand: &Held, report: &Report, removals: usize) {
        let mut told = self.told.lock();
        told.count(report);
        (told.items, told.cursor, told.removals) = (hand.book.standing(), hand.book.cursor, removals);
        (told.seq, told.waiting) = (told.seq.max(hand.book.cursor), 0);
        told.last_pass = Some(self.env.now());
        for (item, why) in &report.refused {
            told.last_error = Some((self.env.now(), format!("{} was refused: {why}", item.name)));
            tracing::warn!(project = %self.env.name, item = %item.name, reason = %why, "the team's database refused an item");
        }
        drop(told);
        if *report != Report::default() {
            let Report { received, sent, removed, merged, refused, .. } = report;
            let refused = refused.len();
            self.tell(
                "pass",
                json!({"received": received, "sent": sent, "removed": removed, "merged": merged, "refused": refused}),
            );
        }
    }

    /// Tells the others how far this machine has read, and looks who they are.
    fn beat(&self, hand: &mut Held) -> Result<(), RelayError> {
        let now = self.env.clock.monotonic();
        if hand.beat.is_some_and(|last| now.saturating_duration_since(last) < limits::BETWEEN_BEATS) {
            return Ok(());
        }
        hand.line.relay.beat(&self.env.writer_name, hand.book.cursor)?;
        if let Ok(peers) = hand.line.relay.peers() {
            self.told.lock().peers = peers;
        }
        hand.beat = Some(now);
        Ok(())
    }

    /// Twice as long each time, and never quite the same for all who wait.
    fn give_way(&self, hindered: Hindered, failures: u32) {
        let (detail, waits) = match &hindered {
            Hindered::Line(error) => (error.to_string(), !error.passes()),
            Hindered::Here(detail) => (detail.clone(), false),
        };
        let whole = limits::FIRST_PAUSE.saturating_mul(1 << failures.min(20)).min(limits::LONGEST_PAUSE);
        // Somebody has to do something: asking often does not help.
        let whole = if waits { limits::LONGEST_PAUSE } else { whole };
        let now = self.env.now();
        let seed = blake3::hash(format!("{} {}", self.env.id, now.as_micros()).as_bytes());
        let pause = whole.mul_f64(0.5 + f64::from(seed.as_bytes()[0]) / 510.0);
        let mut told = self.told.lock();
        if told.connected || told.last_error.is_none() {
            tracing::warn!(project = %self.env.name, reason = %detail, "not in step with the team's database; it is tried again");
            self.tell("away", json!({"reason": detail, "retry_in_seconds": pause.as_secs_f64()}));
        }
        (told.connected, told.last_error) = (false, Some((now, detail)));
        let until: Timestamp = now.plus_micros(i64::try_from(pause.as_micros()).unwrap_or(i64::MAX));
        told.paused_until = Some(until);
        drop(told);
        let mut work = self.work.lock();
        work.wake = None;
        work.not_before = Some(self.env.clock.monotonic() + pause);
        work.tried = work.asked;
        self.woken.notify_all();
    }
}

/// Every item that may be in the database, or was.
fn everything(snapshot: &Snapshot, book: &Book) -> BTreeSet<ItemKey> {
    let memories = snapshot.memories().filter(|memory| !snapshot.is_derived(&memory.key()));
    let mut names: BTreeSet<ItemKey> = memories.map(|memory| projection::key_of(&memory.key())).collect();
    names.extend(snapshot.links().filter(|link| !link.inline).map(|link| projection::key_of_link(link)));
    names.extend(snapshot.contradictions().map(|found| projection::key_of_contradiction(found)));
    names.extend(book.items().map(|(item, _)| item.clone()));
    names
}
