//! Our own doings: what lokid is about to open or write, so that the watcher does not report it as somebody's work.
//!
//! Pure: the time is an argument. Expectations end by themselves and their number is bounded.

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// How long an event may be on its way.
pub(super) const DELAY: Duration = Duration::from_secs(2);
/// How long a scan may be on its way.
pub(super) const SCAN_DELAY: Duration = Duration::from_secs(60);
const ROOM: usize = 4_096;

#[derive(Default)]
pub(super) struct Ledger {
    opens: HashMap<String, Expected>,
    writes: HashMap<String, Expected>,
}

struct Expected {
    count: u32,
    latest: Instant,
}

impl Ledger {
    pub(super) fn expect_open(&mut self, now: Instant, path: &str, times: u32) {
        expect(&mut self.opens, now, path, times);
    }

    pub(super) fn expect_write(&mut self, now: Instant, path: &str) {
        expect(&mut self.writes, now, path, 1);
    }

    /// Whether this opening is ours. Each expectation covers one; a file that we write, we also open.
    pub(super) fn takes_open(&mut self, now: Instant, path: &str) -> bool {
        if self.writes.get(path).is_some_and(|expected| now.duration_since(expected.latest) <= DELAY) {
            return true;
        }
        let Some(expected) = self.opens.get_mut(path) else { return false };
        let ours = now.duration_since(expected.latest) <= DELAY;
        expected.count -= 1;
        if expected.count == 0 || !ours {
            self.opens.remove(path);
        }
        ours
    }

    /// Whether this change is ours. Writes that were noticed together count as one, so all that was expected is used up.
    pub(super) fn takes_write(&mut self, now: Instant, path: &str, delay: Duration) -> bool {
        self.writes.remove(path).is_some_and(|expected| now.duration_since(expected.latest) <= delay)
    }
}

fn expect(list: &mut HashMap<String, Expected>, now: Instant, path: &str, times: u32) {
    if times == 0 {
        return;
    }
    if let Some(expected) = list.get_mut(path) {
        let fresh = now.duration_since(expected.latest) <= DELAY;
        expected.count = if fresh { expected.count.saturating_add(times) } else { times };
        expected.latest = now;
        return;
    }
    if list.len() >= ROOM {
        list.retain(|_, expected| now.duration_since(expected.latest) <= DELAY);
    }
    // Still full: a report too many is better than memory without end.
    if list.len() < ROOM {
        list.insert(path.to_owned(), Expected { count: times, latest: now });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::Timestamp;
    use lokid_sys::Clock;

    fn start() -> Instant {
        Clock::manual(Timestamp::default()).monotonic()
    }

    #[test]
    fn opens_are_swallowed_by_count_and_for_a_while() {
        let (now, mut ledger) = (start(), Ledger::default());
        ledger.expect_open(now, "a", 1);
        ledger.expect_open(now, "a", 1);
        assert!(ledger.takes_open(now + DELAY, "a"));
        assert!(ledger.takes_open(now + DELAY, "a"));
        assert!(!ledger.takes_open(now + DELAY, "a"), "the third is somebody else's");
        ledger.expect_open(now, "a", 1);
        assert!(!ledger.takes_open(now + DELAY + Duration::from_millis(1), "a"));
        assert!(!ledger.takes_open(now, "b"));
    }

    #[test]
    fn a_write_covers_its_opening_and_is_used_up_by_one_change() {
        let (now, mut ledger) = (start(), Ledger::default());
        ledger.expect_write(now, "a");
        ledger.expect_write(now, "a");
        assert!(ledger.takes_open(now, "a"));
        assert!(ledger.takes_write(now, "a", DELAY));
        assert!(!ledger.takes_write(now, "a", DELAY));
        ledger.expect_write(now, "a");
        assert!(!ledger.takes_write(now + DELAY * 2, "a", DELAY));
    }

    #[test]
    fn a_scan_comes_later_than_an_event() {
        let (now, mut ledger) = (start(), Ledger::default());
        ledger.expect_write(now, "a");
        assert!(ledger.takes_write(now + DELAY * 10, "a", SCAN_DELAY));
    }

    #[test]
    fn the_ledger_is_bounded() {
        let (now, mut ledger) = (start(), Ledger::default());
        for n in 0..ROOM + 10 {
            ledger.expect_open(now, &n.to_string(), 1);
        }
        assert_eq!(ledger.opens.len(), ROOM);
        ledger.expect_open(now + DELAY * 2, "late", 1);
        assert_eq!(ledger.opens.len(), 1);
    }
}
