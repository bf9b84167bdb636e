//! One comparison after the other: what has to go over, what has to be taken back, and what is done about each.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;

use super::{Mirror, Taken};
use lokid_index::Snapshot;
use lokid_mirror::mapping::{self, Projected, Stays};
use lokid_mirror::queue::{self, Book, Entry};
use lokid_mirror::shadow::{Sent, Shadow};
use lokid_mirror::{ApiError, EventKind, KeyKind, Stores, limits};
use lokid_model::{Key, Memory};

/// What the thread holds while it lives.
struct Hand {
    book: Book,
    stores: Stores,
    /// Pauses grow with it.
    failures: u32,
}

/// Why a comparison ended before its end.
enum Stop {
    Over,
    /// The same is tried again after this.
    Pause(Duration),
}

/// What a comparison found.
#[derive(Default)]
struct Plan {
    /// Ids, and whether the history goes too.
    removals: Vec<(String, bool)>,
    /// The oldest first.
    sends: Vec<(Arc<Memory>, Projected)>,
    left_out: usize,
}

impl Mirror {
    pub(super) fn carry(&self) {
        let mut hand: Option<Hand> = None;
        while let Some(taken) = self.next() {
            let ready = match hand.take() {
                Some(hand) => Ok(hand),
                None => self.begin(),
            };
            let Ok(mut ready) = ready.map_err(|(reason, detail)| self.fail(reason, &detail, limits::LONGEST_PAUSE))
            else {
                self.put_off(taken, limits::LONGEST_PAUSE);
                continue;
            };
            match self.compare(&mut ready, taken) {
                Ok(()) => ready.failures = 0,
                Err((_, Stop::Over)) => return,
                Err((left, Stop::Pause(pause))) => self.put_off(left, pause),
            }
            hand = Some(ready);
        }
    }

    /// The key and the book are read when there is something to send, so that a key that was mended is found.
    fn begin(&self) -> Result<Hand, (&'static str, String)> {
        let key = KeyKind::User.read(&self.managed).map_err(|error| ("no_key", error.to_string()))?;
        let stores = Stores::new(&self.managed, key).map_err(|error| ("no_client", error.to_string()))?;
        let book = Book::open(self.book_file()).map_err(|error| ("no_book", error.to_string()))?;
        Ok(Hand { book, stores, failures: 0 })
    }

    fn compare(&self, hand: &mut Hand, taken: Taken) -> Result<(), (Taken, Stop)> {
        let plan = self.plan(&self.writer.snapshot(), &hand.book, &taken);
        let most = limits::most_removals(hand.book.standing());
        let held_back: BTreeSet<Key> =
            plan.removals.iter().skip(most).filter_map(|(id, _)| queue::key_of(id)).collect();
        self.told.lock().left_out = plan.left_out;
        let mut left = plan.removals.len() + plan.sends.len();
        self.waiting.store(left, Ordering::Relaxed);
        let work = plan.removals.iter().take(most).map(Ok).chain(plan.sends.iter().map(Err));
        for step in work {
            let done = match step {
                Ok((id, history)) => self.take_back(hand, id, *history),
                Err((memory, projected)) => self.send(hand, memory, projected),
            };
            if let Err(stop) = done {
                self.count(&hand.book);
                return Err((taken, stop));
            }
            left -= 1;
            self.waiting.store(left, Ordering::Relaxed);
        }
        self.count(&hand.book);
        self.told.lock().paused_until = None;
        if held_back.is_empty() {
            return Ok(());
        }
        Err((Taken::Names(held_back), Stop::Pause(limits::BETWEEN_REMOVALS)))
    }

    fn plan(&self, snapshot: &Snapshot, book: &Book, taken: &Taken) -> Plan {
        let mut plan = Plan::default();
        let mut candidates: Vec<&Arc<Memory>> = match taken {
            Taken::All => snapshot.memories().collect(),
            Taken::Names(names) => names.iter().filter_map(|key| snapshot.get(key)).collect(),
        };
        candidates.retain(|memory| mapping::may_leave(memory).is_ok() && !snapshot.is_derived(&memory.key()));
        candidates.sort_by_key(|memory| queue::order(memory));
        plan.left_out = candidates.len().saturating_sub(self.managed.max_memories);
        for memory in candidates.into_iter().skip(plan.left_out) {
            let is_known = |sha256: &str| book.get(memory.id.as_str()).is_some_and(|entry| entry.ours == sha256);
            match mapping::episode(memory, &self.env.redaction) {
                Ok(projected) if is_known(&projected.sha256) => {}
                Ok(projected) => plan.sends.push((Arc::clone(memory), projected)),
                Err(_) => plan.left_out += 1,
            }
        }
        let named = |entry: &&Entry| match taken {
            Taken::All => true,
            Taken::Names(names) => queue::key_of(&entry.id).is_some_and(|key| names.contains(&key)),
        };
        let leaving = book.entries().filter(named).filter_map(|entry| {
            let history = leaves(snapshot, &entry.id)?;
            let is_there = entry.there.is_some() || history && !entry.past.is_empty();
            is_there.then(|| (entry.id.clone(), history))
        });
        plan.removals = leaving.collect();
        plan
    }

    fn send(&self, hand: &mut Hand, memory: &Memory, projected: &Projected) -> Result<(), Stop> {
        let id = memory.id.as_str();
        let known = hand.book.get(id).and_then(|entry| entry.there.clone());
        if known.is_none() && !self.make_room(hand, memory)? {
            return Ok(());
        }
        let on_conflict = |path: &str, error: &ApiError| {
            self.tell(EventKind::ShadowWrite409, json!({"op": "shadow_write", "path": path, "reason": error.reason()}));
        };
        let shadow = Shadow { stores: &hand.stores, store: &self.store, on_conflict: &on_conflict };
        let sent = shadow.send(projected, known.as_ref(), &|path| hand.book.is_taken(path, id));
        if self.is_over() {
            return Err(Stop::Over);
        }
        let made = memory.times.created_at.as_micros();
        let mut past = hand.book.get(id).map(|entry| entry.past.clone()).unwrap_or_default();
        if let (Some(known), Ok(Sent::Stands { there, .. })) = (&known, &sent) {
            // Deleted over there, and made anew under another name.
            past.extend((known.memory != there.memory).then(|| known.memory.clone()));
        }
        let entry = |path: &str, there, refused| {
            let (id, path, ours) = (id.to_owned(), path.to_owned(), projected.sha256.clone());
            Entry { id, path, ours, made, there, refused, past }
        };
        match sent {
            Ok(Sent::Stands { path, there, how }) => {
                self.note(hand, entry(&path, Some(there), None))?;
                self.succeed(hand);
                let fields = json!({"op": how, "id": id, "path": path, "content_sha256": projected.sha256});
                self.tell(EventKind::ShadowWrite, fields);
            }
            Ok(Sent::Refused { status, detail }) => {
                self.note(hand, entry(&projected.paths[0], known, Some(format!("refused with {status}"))))?;
                self.give_up(id, "refused", &format!("{status} {detail}"));
            }
            Ok(Sent::GivenUp { reason, detail }) => {
                self.note(hand, entry(&projected.paths[0], known, Some(reason.to_owned())))?;
                self.give_up(id, reason, &detail);
            }
            Err(error) => return Err(self.pause(hand, &error)),
        }
        Ok(())
    }

    /// A store holds so many and no more: the newest. For each that comes, the oldest one of this project goes.
    fn make_room(&self, hand: &mut Hand, memory: &Memory) -> Result<bool, Stop> {
        if hand.book.standing() < self.managed.max_memories {
            return Ok(true);
        }
        let Some(oldest) = hand.book.oldest().map(|entry| (entry.id.clone(), entry.made)) else { return Ok(true) };
        if oldest.1 >= memory.times.created_at.as_micros() {
            return Ok(false);
        }
        self.take_back(hand, &oldest.0, false)?;
        Ok(true)
    }

    fn take_back(&self, hand: &mut Hand, id: &str, history: bool) -> Result<(), Stop> {
        let Some(entry) = hand.book.get(id).cloned() else { return Ok(()) };
        let shadow = Shadow { stores: &hand.stores, store: &self.store, on_conflict: &|_, _| {} };
        let names = entry.past.iter().chain(entry.there.as_ref().map(|there| &there.memory));
        let removed = entry.there.as_ref().map_or(Ok(()), |there| shadow.remove(there));
        let removed = removed.and_then(|()| match history {
            true => names.into_iter().try_for_each(|name| shadow.erase_history(name)),
            false => Ok(()),
        });
        if self.is_over() {
            return Err(Stop::Over);
        }
        match removed {
            Ok(()) | Err(ApiError::NotFound) => {
                let noted = if history { hand.book.strike(id) } else { hand.book.set_aside(id) };
                noted.map_err(|error| self.no_book(&error))?;
                self.succeed(hand);
                self.tell(EventKind::ShadowWrite, json!({"op": "deleted", "id": id, "path": entry.path}));
                Ok(())
            }
            Err(error) if error.passes() => Err(self.pause(hand, &error)),
            Err(error) => {
                // It stays where it is, and is not asked for again before the next start.
                self.give_up(id, error.reason(), &error.to_string());
                Ok(())
            }
        }
    }

    fn note(&self, hand: &mut Hand, entry: Entry) -> Result<(), Stop> {
        hand.book.note(entry).map_err(|error| self.no_book(&error))
    }

    fn no_book(&self, error: &std::io::Error) -> Stop {
        self.fail("no_book", &error.to_string(), limits::LONGEST_PAUSE);
        Stop::Pause(limits::LONGEST_PAUSE)
    }

    fn succeed(&self, hand: &mut Hand) {
        hand.failures = 0;
        self.told.lock().last_success = Some(self.env.now());
    }

    fn count(&self, book: &Book) {
        let mut told = self.told.lock();
        (told.mirrored, told.refused) = (book.standing(), book.refused());
    }

    /// Of one memory; the others go on.
    fn give_up(&self, id: &str, reason: &'static str, detail: &str) {
        self.told.lock().last_failure = Some((self.env.now(), reason, detail.to_owned()));
        self.tell(EventKind::Fallback, json!({"op": "shadow_write", "reason": reason, "detail": detail, "id": id}));
    }

    /// Of all of it, for a while.
    fn fail(&self, reason: &'static str, detail: &str, pause: Duration) {
        self.told.lock().last_failure = Some((self.env.now(), reason, detail.to_owned()));
        let wait = pause.as_secs_f64();
        self.tell(
            EventKind::Fallback,
            json!({"op": "shadow_write", "reason": reason, "detail": detail, "retry_in_seconds": wait}),
        );
    }

    fn pause(&self, hand: &mut Hand, error: &ApiError) -> Stop {
        let pause = match error {
            // Somebody has to do something: asking often does not help.
            ApiError::Unauthorized(_) | ApiError::Beta(_) | ApiError::NotFound => limits::LONGEST_PAUSE,
            ApiError::Busy { retry_after: Some(time), .. } => (*time).max(self.backoff(hand.failures)),
            _ => self.backoff(hand.failures),
        };
        hand.failures = hand.failures.saturating_add(1);
        self.fail(error.reason(), &error.to_string(), pause);
        Stop::Pause(pause)
    }

    /// Twice as long each time, and never quite the same for all who wait.
    fn backoff(&self, failures: u32) -> Duration {
        let whole = limits::FIRST_PAUSE.saturating_mul(1 << failures.min(20)).min(limits::LONGEST_PAUSE);
        let seed = format!("{} {}", self.env.id, self.env.now().as_micros());
        let share = f64::from(blake3::hash(seed.as_bytes()).as_bytes()[0]) / 255.0;
        whole.mul_f64(0.5 + share / 2.0)
    }
}

/// Has what stands over there left the memory here, and does its history go too? Only what was taken away on purpose and
/// is remembered as such: a file that is merely gone, or a folder that was wiped, takes nothing with it.
fn leaves(snapshot: &Snapshot, id: &str) -> Option<bool> {
    let key = queue::key_of(id)?;
    if snapshot.tombstone(&key).is_some() {
        return Some(true);
    }
    match snapshot.get(&key) {
        Some(memory) => (mapping::may_leave(memory) == Err(Stays::Private)).then_some(true),
        None => snapshot.archived(&key).map(|_| false),
    }
}
