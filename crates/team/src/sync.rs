//! How a machine and the database come to agree: what is new there is read, what is new here is appended, and where both
//! changed the same item, the machine merges and appends again.
//!
//! It knows neither connections nor files: whoever calls it brings both. A machine that stops at any point goes on from its
//! book; what the book does not know yet is found again as a difference. Absence is never a deletion: only what somebody
//! took away on purpose leaves the database, after a while, looked at once more, and not all of it at once.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::book::{Book, Known, Seen};
use super::item::{Head, HeadState, ItemKey, Op, Outcome};
use super::limits;
use super::merge::{LocalItem, print};
use lokid_model::{Memory, Timestamp};

/// The database, as far as this needs it.
pub trait Hub {
    type Error;

    /// One outcome for each operation, in their order.
    fn append(&mut self, ops: &[Op]) -> Result<Vec<Outcome>, Self::Error>;
    /// Items whose last operation stands behind `after`, in the order of the log.
    fn changes(&mut self, after: u64, limit: usize) -> Result<Vec<Head>, Self::Error>;
    /// Everything, for a newcomer; answers how far that is.
    fn everything(&mut self, each: &mut dyn FnMut(Head) -> Result<(), Self::Error>) -> Result<u64, Self::Error>;
    /// What an item said in a version.
    fn record(&mut self, item: &ItemKey, version: u64) -> Result<Option<Value>, Self::Error>;
    /// Out of the log and out of every machine.
    fn purge(&mut self, item: &ItemKey, fingerprint: &str) -> Result<Outcome, Self::Error>;
}

/// The memory of this machine, as far as this needs it.
pub trait Replica {
    type Error;

    fn local(&self, item: &ItemKey) -> LocalItem;
    /// What these would say if they stood here: fields this machine does not send do not make a difference.
    fn as_kept_here(&self, item: &ItemKey, record: &Value) -> Value;
    /// Has each carried out ([`super::merge::decide`]) and is durable when it returns.
    fn take(&mut self, incoming: Vec<Incoming>) -> Result<(), Self::Error>;
}

/// An item that stands in the database and is to be taken in here.
#[derive(Clone, Debug, PartialEq)]
pub struct Incoming {
    pub head: Head,
    /// What both had in common, where that is known.
    pub base: Option<Value>,
    /// A promoter stood behind it, and no longer does.
    pub is_demoted: bool,
}

/// Who this machine is to the team, and whose word weighs more than a member's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Us {
    pub me: String,
    pub promoters: BTreeSet<String>,
}

impl Us {
    /// What somebody else wrote is taken from here only by a promoter: a member who was the first to use a name in the
    /// database must not be able to take away what others have under it.
    pub fn lets_purge(&self, ours: &Memory, author: &str) -> bool {
        self.promoters.contains(author) || ours.author() == Some(author)
    }
}

/// Why it did not go on.
#[derive(Debug)]
pub enum SyncError<H, R> {
    Hub(H),
    Replica(R),
    Book(std::io::Error),
}

type Attempt<T, H, R> = Result<T, SyncError<<H as Hub>::Error, <R as Replica>::Error>>;

/// What has to be thought of between two passes.
#[derive(Debug, Default)]
pub struct Waiting {
    /// Taken away here, and since when.
    removals: BTreeMap<ItemKey, Timestamp>,
    /// What the database refused, by what it said then: the same is not sent again.
    refused: BTreeMap<ItemKey, [u8; 16]>,
}

impl Waiting {
    pub fn removals(&self) -> usize {
        self.removals.len()
    }

    /// When the next of what was taken away is due.
    pub fn next_removal(&self) -> Option<Timestamp> {
        self.removals.values().min().map(|since| since.plus_micros(limits::REMOVAL_DELAY))
    }
}

/// What a pass did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub received: usize,
    pub sent: usize,
    pub removed: usize,
    /// Items that somebody else had changed meanwhile: they were merged.
    pub merged: usize,
    /// What the database would not take, and why.
    pub refused: Vec<(ItemKey, String)>,
}

pub struct Pass<'a, H, R> {
    pub hub: &'a mut H,
    pub replica: &'a mut R,
    pub book: &'a mut Book,
    pub waiting: &'a mut Waiting,
    pub now: Timestamp,
    pub report: Report,
}

impl<H: Hub, R: Replica> Pass<'_, H, R> {
    /// Reads what is new there.
    pub fn pull(&mut self) -> Attempt<(), H, R> {
        if self.book.cursor == 0 && self.book.standing() == 0 {
            self.catch_up()?;
        }
        loop {
            let heads = self.hub.changes(self.book.cursor, limits::PAGE).map_err(SyncError::Hub)?;
            let Some(last) = heads.iter().map(|head| head.seq).max() else { return Ok(()) };
            self.receive(heads)?;
            self.book.cursor = last.max(self.book.cursor);
            self.book.keep().map_err(SyncError::Book)?;
        }
    }

    /// A newcomer reads everything at once and takes it in by pages.
    fn catch_up(&mut self) -> Attempt<(), H, R> {
        let mut heads = Vec::new();
        let read = self.hub.everything(&mut |head| {
            heads.push(head);
            Ok(())
        });
        let cursor = read.map_err(SyncError::Hub)?;
        let mut heads = heads.into_iter().peekable();
        while heads.peek().is_some() {
            let page: Vec<Head> = heads.by_ref().take(limits::PAGE).collect();
            self.receive(page)?;
        }
        self.book.cursor = cursor;
        self.book.keep().map_err(SyncError::Book)
    }

    fn receive(&mut self, heads: Vec<Head>) -> Attempt<(), H, R> {
        let mut incoming = Vec::new();
        for head in heads {
            self.book.hlc = self.book.hlc.max(head.hlc);
            let known = self.book.get(&head.item);
            let is_known = |known: &Known| {
                known.version > head.version || known.version == head.version && known.endorsed == head.endorsed
            };
            if !known.is_some_and(is_known) {
                let base = self.base(&head.item)?;
                let was_endorsed = self.book.get(&head.item).is_some_and(|known| known.endorsed.is_some());
                let is_demoted = was_endorsed && head.endorsed.is_none();
                incoming.push(Incoming { head, base, is_demoted });
            }
        }
        if incoming.is_empty() {
            return Ok(());
        }
        self.replica.take(incoming.clone()).map_err(SyncError::Replica)?;
        self.report.received += incoming.len();
        for Incoming { head, .. } in &incoming {
            self.note(head);
        }
        Ok(())
    }

    /// What was there when this machine last looked. As long as nobody changed it here, that is what stands here.
    fn base(&mut self, item: &ItemKey) -> Attempt<Option<Value>, H, R> {
        let Some(known) = self.book.get(item) else { return Ok(None) };
        let Seen::Live(seen) = known.state else { return Ok(None) };
        if let LocalItem::Live(ours) | LocalItem::Forgotten(ours) = self.replica.local(item)
            && print(&ours) == seen
        {
            return Ok(Some(ours));
        }
        let version = known.version;
        let record = self.hub.record(item, version).map_err(SyncError::Hub)?;
        Ok(record.map(|record| self.replica.as_kept_here(item, &record)))
    }

    fn note(&mut self, head: &Head) {
        let state = match &head.state {
            HeadState::Live(record) => Seen::Live(print(&self.replica.as_kept_here(&head.item, record))),
            HeadState::Forgotten => Seen::Forgotten,
            HeadState::Purged { .. } => Seen::Purged,
        };
        let (version, author, endorsed) = (head.version, head.author.as_str().into(), head.endorsed.clone());
        self.book.note(&head.item, Known { version, state, author, endorsed });
    }

    /// Appends what differs here of these items. Answers with those that are to be looked at again.
    pub fn push(&mut self, items: BTreeSet<ItemKey>, me: &str) -> Attempt<BTreeSet<ItemKey>, H, R> {
        let mut items = items;
        for _ in 0..limits::ROUNDS {
            let (ops, missing) = self.compare(&items)?;
            self.fetch_again(missing)?;
            items = BTreeSet::new();
            for page in ops.chunks(limits::BATCH) {
                let outcomes = self.hub.append(page).map_err(SyncError::Hub)?;
                items.extend(self.settle(page, outcomes, me)?);
                self.book.keep().map_err(SyncError::Book)?;
            }
            if items.is_empty() {
                break;
            }
        }
        items.extend(self.remove_what_is_due(me)?);
        Ok(items)
    }

    /// What has to be appended, and what should be here and is not.
    fn compare(&mut self, items: &BTreeSet<ItemKey>) -> Attempt<(Vec<Op>, Vec<ItemKey>), H, R> {
        let (mut ops, mut missing) = (Vec::new(), Vec::new());
        for item in items {
            let known = self.book.get(item).map(|known| (known.version, known.state));
            let (base, seen) = known.map_or((0, None), |(version, state)| (version, Some(state)));
            let local = self.replica.local(item);
            if !matches!(local, LocalItem::Forgotten(_)) {
                self.waiting.removals.remove(item);
            }
            match local {
                LocalItem::Live(record) => {
                    let print = print(&record);
                    let is_known = seen == Some(Seen::Live(print)) || seen == Some(Seen::Purged);
                    if !is_known && self.waiting.refused.get(item) != Some(&print) {
                        ops.push(self.op(item, base, Some(record)));
                    }
                }
                LocalItem::Forgotten(_) if matches!(seen, Some(Seen::Live(_))) => {
                    self.waiting.removals.entry(item.clone()).or_insert(self.now);
                }
                LocalItem::Purged { fingerprint } if seen.is_some_and(|seen| seen != Seen::Purged) => {
                    self.purge(item, &fingerprint)?;
                }
                LocalItem::Kept if matches!(seen, Some(Seen::Live(_))) => self.purge(item, "")?,
                LocalItem::Absent if matches!(seen, Some(Seen::Live(_))) => missing.push(item.clone()),
                _ => {}
            }
        }
        Ok((ops, missing))
    }

    fn op(&mut self, item: &ItemKey, base: u64, record: Option<Value>) -> Op {
        let (index, hlc) = (self.book.next_index(), self.book.tick(self.now));
        Op { item: item.clone(), index, hlc, base, record }
    }

    fn settle(&mut self, ops: &[Op], outcomes: Vec<Outcome>, me: &str) -> Attempt<BTreeSet<ItemKey>, H, R> {
        let (mut again, mut behind) = (BTreeSet::new(), Vec::new());
        for (op, outcome) in ops.iter().zip(outcomes) {
            let state = match &op.record {
                Some(record) => Seen::Live(print(record)),
                None => Seen::Forgotten,
            };
            match outcome {
                Outcome::Taken { version } => {
                    let endorsed = None;
                    self.book.note(&op.item, Known { version, state, author: me.into(), endorsed });
                    *(if op.record.is_some() { &mut self.report.sent } else { &mut self.report.removed }) += 1;
                }
                Outcome::Behind(head) => {
                    self.report.merged += 1;
                    again.insert(op.item.clone());
                    behind.push(*head);
                }
                // That an item was purged is read like any other news; here it is only what it says that was.
                outcome @ (Outcome::Purged | Outcome::Refused(_)) => {
                    let why = match outcome {
                        Outcome::Refused(why) => why,
                        _ => "what it says was purged in the team".to_owned(),
                    };
                    if let Seen::Live(print) = state {
                        self.waiting.refused.insert(op.item.clone(), print);
                    }
                    self.report.refused.push((op.item.clone(), why));
                }
            }
        }
        self.receive(behind)?;
        Ok(again)
    }

    /// It stood here, nobody took it away, and it is gone: another hand wiped it. What the database has comes back.
    fn fetch_again(&mut self, missing: Vec<ItemKey>) -> Attempt<(), H, R> {
        let mut incoming = Vec::new();
        for item in missing {
            let Some(known) = self.book.get(&item).cloned() else { continue };
            let Some(record) = self.hub.record(&item, known.version).map_err(SyncError::Hub)? else { continue };
            let (version, author, at) = (known.version, known.author.to_string(), self.now);
            let (state, endorsed) = (HeadState::Live(record), known.endorsed);
            incoming.push(Incoming {
                head: Head { item, seq: 0, version, state, author, at, hlc: 0, endorsed },
                base: None,
                is_demoted: false,
            });
        }
        self.report.received += incoming.len();
        if incoming.is_empty() { Ok(()) } else { self.replica.take(incoming).map_err(SyncError::Replica) }
    }

    /// What was taken away a while ago, and still is: a few at a time.
    fn remove_what_is_due(&mut self, me: &str) -> Attempt<BTreeSet<ItemKey>, H, R> {
        let is_due = |since: &Timestamp| since.plus_micros(limits::REMOVAL_DELAY) <= self.now || *since > self.now;
        let most = limits::most_removals(self.book.standing());
        let due = self.waiting.removals.iter().filter(|(_, since)| is_due(since));
        let due: Vec<ItemKey> = due.map(|(item, _)| item.clone()).take(most).collect();
        let mut ops = Vec::new();
        for item in &due {
            self.waiting.removals.remove(item);
            if let (LocalItem::Forgotten(_), Some(known)) = (self.replica.local(item), self.book.get(item)) {
                let base = known.version;
                ops.push(self.op(item, base, None));
            }
        }
        if ops.is_empty() {
            return Ok(BTreeSet::new());
        }
        let outcomes = self.hub.append(&ops).map_err(SyncError::Hub)?;
        let again = self.settle(&ops, outcomes, me)?;
        // The rest waits for another pass: should something have gone wrong here, somebody may notice.
        let rest = self.now.plus_micros(limits::BETWEEN_REMOVALS - limits::REMOVAL_DELAY);
        self.waiting.removals.values_mut().for_each(|since| *since = (*since).max(rest));
        self.book.keep().map_err(SyncError::Book)?;
        Ok(again)
    }

    /// With everything that names it.
    fn purge(&mut self, item: &ItemKey, fingerprint: &str) -> Attempt<(), H, R> {
        let names = |other: &ItemKey| other.namespace == item.namespace && other.names(&item.name);
        let around: Vec<ItemKey> =
            self.book.items().map(|(other, _)| other).filter(|other| names(other)).cloned().collect();
        let whole = std::iter::once((item.clone(), fingerprint));
        for (item, fingerprint) in whole.chain(around.into_iter().map(|other| (other, ""))) {
            match self.hub.purge(&item, fingerprint).map_err(SyncError::Hub)? {
                Outcome::Refused(why) => self.report.refused.push((item.clone(), why)),
                _ => self.report.removed += 1,
            }
            // Refused or not: here it is gone, and is not asked for again.
            let version = self.book.version(&item);
            self.book.note(&item, Known { version, state: Seen::Purged, author: "".into(), endorsed: None });
        }
        self.book.keep().map_err(SyncError::Book)
    }
}

#[cfg(test)]
mod tests;
