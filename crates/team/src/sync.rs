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
use super::merge::{LocalItem, print, words_print};
use lokid_model::memory::AUTHOR;
use lokid_model::{Memory, Timestamp};

/// The database, as far as this needs it.
pub trait Hub {
    type Error;

    /// One outcome for each operation, in their order.
    fn append(&mut self, ops: &[Op]) -> Result<Vec<Outcome>, Self::Error>;
    /// Items whose last operation stands behind `after`, in the order of the log.
    fn changes(&mut self, after: u64, limit: usize) -> Result<Vec<Head>, Self::Error>;
    /// As `changes`, for a newcomer, who reads much at once.
    fn many_changes(&mut self, after: u64, limit: usize) -> Result<Vec<Head>, Self::Error>;
    /// What an item said in a version.
    fn record(&mut self, item: &ItemKey, version: u64) -> Result<Option<Value>, Self::Error>;
    /// Out of the log and out of every machine.
    fn purge(&mut self, item: &ItemKey, fingerprint: &str) -> Result<Outcome, Self::Error>;
}

/// The memory of this machine, as far as this needs it.
pub trait Replica {
    type Error;

    fn local(&self, item: &ItemKey) -> LocalItem;
    /// What these would say if they stood here: fields this machine does not send do not make a difference. `author` is whose
    /// it is where it does not say so itself.
    fn as_kept_here(&self, item: &ItemKey, record: &Value, author: &str) -> Value;
    /// Has each carried out ([`super::merge::decide`]) and is durable when it returns. Answers which could not be.
    fn take(&mut self, incoming: Vec<Incoming>) -> Result<BTreeSet<ItemKey>, Self::Error>;
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
    /// What it would not purge: it is asked again after the next start.
    kept_there: BTreeSet<ItemKey>,
    /// What was last sent of each: should the answer be lost, it is known again.
    sent: BTreeMap<ItemKey, [u8; 16]>,
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
    /// Words that were changed here are the word of this machine's user now.
    pub signed: BTreeSet<ItemKey>,
    /// The database knows less than it did: it was restored.
    pub went_back: bool,
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
    /// Reads what is new there. Not everything that others took away is taken away here at once.
    pub fn pull(&mut self) -> Attempt<(), H, R> {
        let is_newcomer = self.book.cursor == 0;
        let mut removals = limits::most_removals(self.book.standing());
        loop {
            let read = match is_newcomer {
                true => self.hub.many_changes(self.book.cursor, limits::MANY),
                false => self.hub.changes(self.book.cursor, limits::PAGE),
            };
            let mut heads = read.map_err(SyncError::Hub)?;
            heads.sort_by_key(|head| head.seq);
            let is_removal = |head: &Head| head.state == HeadState::Forgotten && !is_newcomer;
            let room = heads.iter().position(|head| {
                let left = removals;
                removals = removals.saturating_sub(usize::from(is_removal(head)));
                is_removal(head) && left == 0
            });
            heads.truncate(room.unwrap_or(heads.len()));
            let Some(last) = heads.iter().map(|head| head.seq).max() else { return Ok(()) };
            let mut heads = heads.into_iter().peekable();
            while heads.peek().is_some() {
                self.receive(heads.by_ref().take(limits::PAGE).collect())?;
            }
            self.book.cursor = last.max(self.book.cursor);
            self.book.keep().map_err(SyncError::Book)?;
            if room.is_some() {
                return Ok(());
            }
        }
    }

    fn receive(&mut self, heads: Vec<Head>) -> Attempt<(), H, R> {
        let mut incoming = Vec::new();
        for head in heads {
            self.book.hlc = self.book.hlc.max(head.hlc);
            let known = self.book.get(&head.item);
            let is_known = |known: &Known| {
                known.version > head.version
                    || known.version == head.version && known.endorsed == head.endorsed && !known.left_out
            };
            if !known.is_some_and(is_known) {
                let base = match self.is_own(&head) {
                    Some(own) => Some(own),
                    None => self.base(&head.item)?,
                };
                let was_endorsed = self.book.get(&head.item).is_some_and(|known| known.endorsed.is_some());
                let is_demoted = was_endorsed && head.endorsed.is_none() && head.state != HeadState::Forgotten;
                incoming.push(Incoming { head, base, is_demoted });
            }
        }
        if incoming.is_empty() {
            return Ok(());
        }
        let left_out = self.replica.take(incoming.clone()).map_err(SyncError::Replica)?;
        self.report.received += incoming.len() - left_out.len();
        for Incoming { head, .. } in &incoming {
            self.note(head, left_out.contains(&head.item));
        }
        Ok(())
    }

    /// The answer to what this machine sent was lost: what stands there is its own, and no word of another.
    fn is_own(&self, head: &Head) -> Option<Value> {
        let HeadState::Live(record) = &head.state else { return None };
        let kept = self.replica.as_kept_here(&head.item, record, &head.author);
        (self.waiting.sent.get(&head.item) == Some(&print(&kept))).then_some(kept)
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
        let (version, author) = (known.version, known.author.to_string());
        let record = self.hub.record(item, version).map_err(SyncError::Hub)?;
        Ok(record.map(|record| self.replica.as_kept_here(item, &record, &author)))
    }

    fn note(&mut self, head: &Head, left_out: bool) {
        let mut words = [0; 16];
        let mut state = match &head.state {
            HeadState::Live(record) => {
                let kept = self.replica.as_kept_here(&head.item, record, &head.author);
                words = words_print(&kept);
                Seen::Live(print(&kept))
            }
            HeadState::Forgotten => Seen::Forgotten,
            HeadState::Purged { .. } => Seen::Purged,
        };
        if let (true, LocalItem::Live(ours)) = (left_out, self.replica.local(&head.item)) {
            // What stands here must not go out in the place of what could not come in.
            state = Seen::Live(print(&ours));
        }
        let (version, author, endorsed) = (head.version, head.author.as_str().into(), head.endorsed.clone());
        self.book.note(&head.item, Known { version, state, author, endorsed, words, left_out });
    }

    /// Appends what differs here of these items. Answers with those that are to be looked at again.
    pub fn push(&mut self, items: BTreeSet<ItemKey>, me: &str) -> Attempt<BTreeSet<ItemKey>, H, R> {
        let mut items = items;
        for _ in 0..limits::ROUNDS {
            let (ops, missing) = self.compare(&items, me)?;
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
    fn compare(&mut self, items: &BTreeSet<ItemKey>, me: &str) -> Attempt<(Vec<Op>, Vec<ItemKey>), H, R> {
        let (mut ops, mut missing) = (Vec::new(), Vec::new());
        for item in items {
            let known = self.book.get(item).map(|known| (known.version, known.state));
            let (base, seen) = known.map_or((0, None), |(version, state)| (version, Some(state)));
            let local = self.replica.local(item);
            if !matches!(local, LocalItem::Forgotten(_)) {
                self.waiting.removals.remove(item);
            }
            match local {
                LocalItem::Live(mut record) => {
                    let ours = print(&record);
                    let is_known = seen == Some(Seen::Live(ours)) || seen == Some(Seen::Purged);
                    if is_known || self.waiting.refused.get(item) == Some(&ours) {
                        continue;
                    }
                    // Whoever changes the words of another says something of their own.
                    let is_theirs = record.get(AUTHOR).is_some_and(|author| author != me);
                    let said = self.book.get(item).map(|known| known.words);
                    if is_theirs && said.is_some_and(|said| said != words_print(&record)) {
                        record[AUTHOR] = me.into();
                        self.report.signed.insert(item.clone());
                    }
                    ops.push(self.op(item, base, Some(record)));
                }
                LocalItem::Forgotten(_) if matches!(seen, Some(Seen::Live(_))) => {
                    self.waiting.removals.entry(item.clone()).or_insert(self.now);
                }
                _ if self.waiting.kept_there.contains(item) => {}
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
        let (index, hlc) = (self.book.next_index(self.now), self.book.tick(self.now));
        if let Some(record) = &record {
            self.waiting.sent.insert(item.clone(), print(record));
        }
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
                    self.waiting.sent.remove(&op.item);
                    let (endorsed, author, left_out) = (None, me.into(), false);
                    let words = op.record.as_ref().map(words_print).unwrap_or_default();
                    self.book.note(&op.item, Known { version, state, author, endorsed, words, left_out });
                    *(if op.record.is_some() { &mut self.report.sent } else { &mut self.report.removed }) += 1;
                }
                Outcome::Behind(head) => {
                    self.report.merged += 1;
                    self.report.went_back |= head.version < op.base;
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
        if !incoming.is_empty() {
            self.replica.take(incoming).map_err(SyncError::Replica)?;
        }
        Ok(())
    }

    /// What was taken away a while ago, and still is: a few at a time.
    fn remove_what_is_due(&mut self, me: &str) -> Attempt<BTreeSet<ItemKey>, H, R> {
        let is_due = |since: &Timestamp| {
            since.plus_micros(limits::REMOVAL_DELAY) <= self.now
                || *since > self.now.plus_micros(limits::BETWEEN_REMOVALS)
        };
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
                Outcome::Refused(why) => {
                    self.report.refused.push((item.clone(), why));
                    self.waiting.kept_there.insert(item);
                }
                _ => {
                    self.report.removed += 1;
                    let version = self.book.version(&item);
                    let (state, author, endorsed) = (Seen::Purged, "".into(), None);
                    let (words, left_out) = ([0; 16], false);
                    self.book.note(&item, Known { version, state, author, endorsed, words, left_out });
                }
            }
        }
        self.book.keep().map_err(SyncError::Book)
    }
}

#[cfg(test)]
mod tests;
