//! How often to look where no event comes from: soon after a change, seldom in quiet times, never at more than a
//! hundredth of a processor.
//!
//! Pure: the time is an argument.

use std::time::{Duration, Instant};

pub(super) struct Pace {
    least: Duration,
    most: Duration,
    wait: Duration,
    next: Option<Instant>,
}

/// One part of looking to this many parts of rest.
const REST: u32 = 100;

impl Pace {
    pub(super) fn new(least: Duration, most: Duration) -> Pace {
        Pace { least, most: most.max(least), wait: least, next: None }
    }

    /// When to look next; `None` while there is nothing to look at.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.next
    }

    pub(super) fn stop(&mut self) {
        self.next = None;
    }

    pub(super) fn begin(&mut self, now: Instant) {
        self.wait = self.least;
        self.next = Some(now + self.wait);
    }

    pub(super) fn looked(&mut self, now: Instant, cost: Duration, changed: bool) {
        self.wait = if changed { self.least } else { (self.wait * 3 / 2).min(self.most) };
        self.next = Some(now + self.wait.max(cost * REST));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::Timestamp;
    use lokid_sys::Clock;

    #[test]
    fn quiet_slows_and_change_hastens() {
        let now = Clock::manual(Timestamp::default()).monotonic();
        let mut pace = Pace::new(Duration::from_secs(2), Duration::from_secs(30));
        assert_eq!(pace.deadline(), None);
        pace.begin(now);
        let mut waits = Vec::new();
        for changed in [false, false, false, false, false, false, false, false, true] {
            pace.looked(now, Duration::from_millis(1), changed);
            waits.push((pace.deadline().unwrap() - now).as_millis());
        }
        assert_eq!(waits, [3000, 4500, 6750, 10125, 15187, 22781, 30000, 30000, 2000]);
    }

    #[test]
    fn a_dear_look_is_a_rare_look() {
        let now = Clock::manual(Timestamp::default()).monotonic();
        let mut pace = Pace::new(Duration::from_secs(2), Duration::from_secs(30));
        pace.looked(now, Duration::from_millis(500), true);
        assert_eq!(pace.deadline(), Some(now + Duration::from_secs(50)));
    }
}
