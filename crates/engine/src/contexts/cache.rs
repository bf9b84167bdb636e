//! Contexts that stand ready: each for one need, as long as nothing it was made from has changed. What is made ready and
//! never asked for is counted as wasted.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::focus::{Branch, Guest, SeenError};
use crate::mutes::MuteList;
use lokid_config::Config;
use lokid_context::assemble::Assembled;
use lokid_context::gate::Weighed;
use lokid_context::predict::PredictedFile;
use lokid_context::predict::memories::Evidence;
use lokid_model::{Key, Level, Namespace, TaskType, Timestamp};

/// Contexts that stand ready at the same time.
const ROOM: usize = 48;

/// Everything a context depends on besides the memory itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    pub namespace: Namespace,
    /// Who asks, as far as it is known: what an agent loads by itself is not repeated to it.
    pub agent: String,
    pub file: Option<String>,
    pub recent: Vec<String>,
    pub branch: Option<Branch>,
    pub goal: Option<String>,
    pub activity: Option<TaskType>,
    pub errors: Vec<SeenError>,
    pub guest: Option<Guest>,
    pub budget: usize,
    pub as_of: Option<Timestamp>,
    /// The moment it is put together for, without its minutes: within an hour the same need has the same answer.
    pub hour: Timestamp,
    pub least_score: f64,
    pub longest: Level,
    pub only_binding: bool,
}

/// Which memory, indexes, past, settings and mutes a context was made from: the first count how often they were published.
#[derive(Clone, Debug)]
pub struct Stamp {
    pub snapshot: u64,
    pub indexes: u64,
    pub past: u64,
    /// Held, so that no other can come to lie at its address.
    pub config: Arc<Config>,
    /// The same.
    pub mutes: Arc<MuteList>,
}

impl PartialEq for Stamp {
    fn eq(&self, other: &Stamp) -> bool {
        let counts = |stamp: &Stamp| (stamp.snapshot, stamp.indexes, stamp.past);
        counts(self) == counts(other)
            && Arc::ptr_eq(&self.config, &other.config)
            && Arc::ptr_eq(&self.mutes, &other.mutes)
    }
}

/// A context that was put together.
#[derive(Debug)]
pub struct Prepared {
    pub need: Need,
    pub stamp: Stamp,
    pub assembled: Assembled,
    /// From then on something in it no longer holds.
    pub until: Option<Timestamp>,
    pub files: Vec<PredictedFile>,
    /// What spoke for the memories in it, to learn from.
    pub evidence: BTreeMap<Key, Evidence>,
    /// What stood before the gate.
    pub weighed: Vec<Weighed>,
}

impl Prepared {
    fn fits(&self, need: &Need, stamp: &Stamp, now: Timestamp) -> bool {
        self.is_true(stamp, now) && self.need == *need
    }

    fn is_true(&self, stamp: &Stamp, now: Timestamp) -> bool {
        self.stamp == *stamp && self.until.is_none_or(|until| now < until)
    }
}

#[derive(Debug, Default)]
pub struct ContextCache {
    /// The one made or asked for last comes last.
    ready: VecDeque<Slot>,
    pub tally: Tally,
}

#[derive(Debug)]
struct Slot {
    prepared: Arc<Prepared>,
    ahead: bool,
    used: bool,
}

/// How often looking ahead paid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Put together before anybody asked.
    pub prepared: u64,
    /// Asked for, and ready.
    pub hits: u64,
    /// Asked for, and put together then.
    pub misses: u64,
    /// Put together ahead and gone without having been asked for.
    pub wasted: u64,
    /// Tokens of those.
    pub wasted_tokens: u64,
}

impl ContextCache {
    pub fn count(&self) -> usize {
        self.ready.len()
    }

    /// Those that are still true, the latest first, and whether somebody has asked for them.
    pub fn standing(&self, stamp: &Stamp, now: Timestamp) -> impl Iterator<Item = (&Arc<Prepared>, bool)> {
        let is_true = move |slot: &&Slot| slot.prepared.is_true(stamp, now);
        self.ready.iter().rev().filter(is_true).map(|slot| (&slot.prepared, slot.used))
    }

    /// Is there one for this need that is still true?
    pub fn has(&self, need: &Need, stamp: &Stamp, now: Timestamp) -> bool {
        self.ready.iter().any(|slot| slot.prepared.fits(need, stamp, now))
    }

    /// Somebody asks. Told besides: was it made before anybody did?
    pub fn take(&mut self, need: &Need, stamp: &Stamp, now: Timestamp) -> Option<(Arc<Prepared>, bool)> {
        let fits = |slot: &Slot| slot.prepared.fits(need, stamp, now);
        let Some(mut slot) = self.ready.iter().position(fits).and_then(|at| self.ready.remove(at)) else {
            self.tally.misses += 1;
            return None;
        };
        self.tally.hits += u64::from(slot.ahead);
        slot.used = true;
        let found = (Arc::clone(&slot.prepared), slot.ahead);
        self.ready.push_back(slot);
        Some(found)
    }

    /// One more; `ahead` when nobody has asked for it yet. An older one for the same need goes.
    pub fn put(&mut self, prepared: Arc<Prepared>, ahead: bool) {
        self.tally.prepared += u64::from(ahead);
        if let Some(at) = self.ready.iter().position(|slot| slot.prepared.need == prepared.need) {
            self.drop_at(at);
        }
        while self.ready.len() >= ROOM {
            self.drop_at(0);
        }
        self.ready.push_back(Slot { prepared, ahead, used: !ahead });
    }

    /// Everything goes; it is made again when it is asked for.
    pub fn clear(&mut self) {
        while !self.ready.is_empty() {
            self.drop_at(0);
        }
        self.ready.shrink_to_fit();
    }

    fn drop_at(&mut self, at: usize) {
        let Some(slot) = self.ready.remove(at) else { return };
        if slot.ahead && !slot.used {
            self.tally.wasted += 1;
            self.tally.wasted_tokens += slot.prepared.assembled.tokens as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn need(file: &str) -> Need {
        Need {
            namespace: Namespace::default(),
            agent: String::new(),
            file: Some(file.to_owned()),
            recent: Vec::new(),
            branch: None,
            goal: None,
            activity: None,
            errors: Vec::new(),
            guest: None,
            budget: 100,
            as_of: None,
            hour: Timestamp::default(),
            least_score: 0.35,
            longest: Level::Full,
            only_binding: false,
        }
    }

    fn stamp() -> Stamp {
        Stamp { snapshot: 1, indexes: 0, past: 0, config: Arc::default(), mutes: Arc::default() }
    }

    fn ready(file: &str, stamp: Stamp) -> Arc<Prepared> {
        let assembled = Assembled { tokens: 7, ..Assembled::default() };
        Arc::new(Prepared {
            need: need(file),
            stamp,
            assembled,
            until: None,
            files: Vec::new(),
            evidence: BTreeMap::new(),
            weighed: Vec::new(),
        })
    }

    #[test]
    fn what_stands_ready_is_handed_out_until_anything_it_was_made_from_changes() {
        let (mut cache, stamp) = (ContextCache::default(), stamp());
        cache.put(ready("a", stamp.clone()), true);
        assert!(cache.take(&need("a"), &stamp, Timestamp::default()).is_some());
        assert!(cache.take(&need("b"), &stamp, Timestamp::default()).is_none());
        assert_eq!(cache.standing(&stamp, Timestamp::default()).map(|(_, asked)| asked).collect::<Vec<_>>(), [true]);
        let (snapshot, indexes, past) = (stamp.snapshot + 1, stamp.indexes + 1, stamp.past + 1);
        let others = [
            Stamp { snapshot, ..stamp.clone() },
            Stamp { indexes, ..stamp.clone() },
            Stamp { past, ..stamp.clone() },
            Stamp { config: Arc::default(), ..stamp.clone() },
            Stamp { mutes: Arc::default(), ..stamp.clone() },
        ];
        assert!(others.iter().all(|other| cache.standing(other, Timestamp::default()).count() == 0));
        assert!(others.iter().all(|other| cache.take(&need("a"), other, Timestamp::default()).is_none()));
        let Tally { prepared, hits, misses, wasted, .. } = cache.tally;
        assert_eq!((prepared, hits, misses, wasted), (1, 1, 6, 0));
    }

    #[test]
    fn what_goes_without_having_been_asked_for_was_wasted() {
        let (mut cache, stamp) = (ContextCache::default(), stamp());
        cache.put(ready("a", stamp.clone()), true);
        cache.put(ready("a", Stamp { snapshot: 2, ..stamp.clone() }), true);
        assert_eq!((cache.tally.wasted, cache.tally.wasted_tokens), (1, 7));
        cache.put(ready("b", stamp.clone()), false);
        for number in 0..ROOM {
            cache.put(ready(&number.to_string(), stamp.clone()), true);
        }
        assert_eq!((cache.count(), cache.tally.wasted), (ROOM, 2), "what was made for somebody is no waste");
        cache.clear();
        assert_eq!((cache.count(), cache.tally.wasted), (0, 2 + ROOM as u64));
    }
}
