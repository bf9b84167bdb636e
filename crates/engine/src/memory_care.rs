//! The ceiling on the memory of the process: before the system ends it, it lets go of what can be made again, and then
//! stops making it.
//!
//! It is looked at when something happens, and never by a timer: a daemon that rests grows by nothing. Where the system
//! does not tell what the process holds, there is no ceiling.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use parking_lot::Mutex;

use lokid_config::Config;
use lokid_sys::{Clock, heap, process};

/// Two looks are at least this far apart: reading what the process holds takes microseconds, and nobody fills a
/// gigabyte in less.
const GLANCE: Duration = Duration::from_millis(200);
/// Letting go takes milliseconds, so it is not done again sooner.
const SHED_AGAIN: Duration = Duration::from_secs(10);
/// What was freed goes back to the system when the indexes rest. Where somebody writes all day they never do, and then it
/// goes back this often, or more seldom where it takes long: never for more than a thousandth of the time.
const TRIM: Duration = Duration::from_secs(10);
const TRIM_SHARE: u32 = 1_000;

/// Shares of the ceiling, in per cent: where each state begins, and where it ends again.
const TIGHT: (u64, u64) = (80, 70);
const SCARCE: (u64, u64) = (90, 85);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pressure {
    Calm,
    /// What can be made again was let go of.
    Tight,
    /// Nothing is made ready in advance, and nights wait.
    Scarce,
}

impl Pressure {
    const ALL: [Pressure; 3] = [Pressure::Calm, Pressure::Tight, Pressure::Scarce];

    pub fn as_str(self) -> &'static str {
        match self {
            Pressure::Calm => "calm",
            Pressure::Tight => "tight",
            Pressure::Scarce => "scarce",
        }
    }
}

/// Who holds what can be made again.
pub(super) trait Shed: Send + Sync {
    fn shed(&self);
}

pub struct MemoryCare {
    clock: Clock,
    config: Arc<ArcSwap<Config>>,
    pressure: AtomicU8,
    sheds: AtomicU64,
    holders: Mutex<Vec<Weak<dyn Shed>>>,
    last: Mutex<Last>,
}

#[derive(Default)]
struct Last {
    looked: Option<Instant>,
    shed: Option<Instant>,
    /// When freed memory is given back next.
    trim: Option<Instant>,
}

impl MemoryCare {
    pub(super) fn new(clock: Clock, config: Arc<ArcSwap<Config>>) -> MemoryCare {
        let (pressure, sheds) = (AtomicU8::new(0), AtomicU64::new(0));
        MemoryCare { clock, config, pressure, sheds, holders: Mutex::default(), last: Mutex::default() }
    }

    pub(super) fn look_after(&self, holder: Weak<dyn Shed>) {
        let mut holders = self.holders.lock();
        holders.retain(|known| known.strong_count() > 0);
        holders.push(holder);
    }

    pub fn pressure(&self) -> Pressure {
        Pressure::ALL[usize::from(self.pressure.load(Ordering::Relaxed)).min(2)]
    }

    /// How often something was let go of.
    pub fn sheds(&self) -> u64 {
        self.sheds.load(Ordering::Relaxed)
    }

    pub fn limit(&self) -> u64 {
        self.config.load().service.memory_limit
    }

    /// To be called where work is done; most calls cost a look at the clock.
    pub fn look(&self) -> Pressure {
        let now = self.clock.monotonic();
        // Somebody else looks just now.
        let Some(mut last) = self.last.try_lock() else { return self.pressure() };
        let since = |then: Option<Instant>| then.map(|then| now.saturating_duration_since(then));
        if since(last.looked).is_some_and(|since| since < GLANCE) {
            return self.pressure();
        }
        last.looked = Some(now);
        let (Some(held), limit, before) = (process::rss_bytes(), self.limit(), self.pressure()) else {
            return Pressure::Calm;
        };
        let mut found = judge(before, held, limit);
        let rested = since(last.shed).is_none_or(|since| since >= SHED_AGAIN);
        if found > Pressure::Calm && (found > before || rested) {
            last.shed = Some(now);
            self.shed();
            found = judge(found, process::rss_bytes().unwrap_or(held), limit);
        }
        self.pressure.store(found as u8, Ordering::Relaxed);
        if found != before {
            tell(before, found, held, limit);
        }
        found
    }

    /// To be called by whoever writes, when nobody waits for it.
    pub(super) fn trim_heap(&self) {
        let now = self.clock.monotonic();
        let Some(mut last) = self.last.try_lock() else { return };
        if now < *last.trim.get_or_insert(now + TRIM) {
            return;
        }
        heap::give_back();
        let done = self.clock.monotonic();
        last.trim = Some(done + TRIM.max(done.saturating_duration_since(now) * TRIM_SHARE));
    }

    fn shed(&self) {
        self.sheds.fetch_add(1, Ordering::Relaxed);
        let holders: Vec<Arc<dyn Shed>> = self.holders.lock().iter().filter_map(Weak::upgrade).collect();
        holders.iter().for_each(|holder| holder.shed());
        heap::give_back();
    }
}

fn tell(before: Pressure, found: Pressure, held: u64, limit: u64) {
    let (rss_bytes, limit_bytes) = (held, limit);
    match found {
        Pressure::Calm => tracing::info!(rss_bytes, limit_bytes, "memory is no longer scarce"),
        Pressure::Tight if before > found => tracing::info!(rss_bytes, limit_bytes, "memory is less scarce"),
        Pressure::Tight => {
            tracing::warn!(
                rss_bytes,
                limit_bytes,
                "close to service.memory_limit: what can be made again was let go of"
            );
        }
        Pressure::Scarce => tracing::warn!(
            rss_bytes,
            limit_bytes,
            "very close to service.memory_limit: nothing is made ready in advance, and nights wait"
        ),
    }
}

/// A state ends lower than it begins, so that nothing swings.
fn judge(before: Pressure, held: u64, limit: u64) -> Pressure {
    let share = held.saturating_mul(100) / limit.max(1);
    let reaches = |state: Pressure, (begins, ends): (u64, u64)| share >= if before >= state { ends } else { begins };
    if reaches(Pressure::Scarce, SCARCE) {
        Pressure::Scarce
    } else if reaches(Pressure::Tight, TIGHT) {
        Pressure::Tight
    } else {
        Pressure::Calm
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_begins_higher_than_it_ends() {
        use Pressure::{Calm, Scarce, Tight};
        let mut state = Calm;
        let way =
            [(79, Calm), (80, Tight), (71, Tight), (69, Calm), (95, Scarce), (86, Scarce), (84, Tight), (10, Calm)];
        for (share, expected) in way {
            state = judge(state, share, 100);
            assert_eq!(state, expected, "at {share}");
        }
    }

    #[test]
    fn no_number_makes_it_panic() {
        for held in [0, 1, u64::MAX] {
            for limit in [0, 1, u64::MAX] {
                judge(Pressure::Calm, held, limit);
            }
        }
    }

    #[test]
    fn a_small_ceiling_is_noticed_once_and_a_large_one_never() {
        let look = |limit: u64| {
            let mut config = Config::default();
            config.service.memory_limit = limit;
            let care = MemoryCare::new(Clock::system(), Arc::new(ArcSwap::from_pointee(config)));
            let pressures = [care.look(), care.look()];
            (pressures, care.sheds())
        };
        assert_eq!(look(1 << 40), ([Pressure::Calm; 2], 0));
        if process::rss_bytes().is_some() {
            assert_eq!(look(1 << 20), ([Pressure::Scarce; 2], 1));
        }
    }
}
