//! What time it is, for the few places that may ask; a manual clock stands still until it is told to move.
//!
//! Only the edges of the program hold a clock. Deciding functions take `now` as an argument.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use lokid_model::time::Timestamp;

#[derive(Clone)]
pub struct Clock(Source);

#[derive(Clone)]
enum Source {
    System,
    /// Clones share the passed time, so a test moves every holder at once.
    Manual {
        start: Timestamp,
        origin: Instant,
        passed_nanos: Arc<AtomicU64>,
    },
}

impl Clock {
    pub fn system() -> Clock {
        Clock(Source::System)
    }

    pub fn manual(start: Timestamp) -> Clock {
        Clock(Source::Manual { start, origin: Instant::now(), passed_nanos: Arc::default() })
    }

    /// The wall clock. It may jump; durations are measured with [`Clock::monotonic`].
    pub fn now(&self) -> Timestamp {
        match &self.0 {
            Source::System => Timestamp::from_micros(system_micros()),
            Source::Manual { start, passed_nanos, .. } => {
                let micros = passed_nanos.load(Ordering::SeqCst) / 1000;
                Timestamp::from_micros(start.as_micros().saturating_add(saturating_i64(u128::from(micros))))
            }
        }
    }

    pub fn monotonic(&self) -> Instant {
        match &self.0 {
            Source::System => Instant::now(),
            Source::Manual { origin, passed_nanos, .. } => {
                *origin + Duration::from_nanos(passed_nanos.load(Ordering::SeqCst))
            }
        }
    }

    /// From UTC to the clock on the wall, as the machine is set now; a manual clock keeps to UTC.
    pub fn utc_offset_seconds(&self) -> i32 {
        self.utc_offset_at(self.now())
    }

    /// The same at another time, by the rules of this machine's zone.
    pub fn utc_offset_at(&self, at: Timestamp) -> i32 {
        match &self.0 {
            Source::System => {
                let at = jiff::Timestamp::from_microsecond(at.as_micros()).unwrap_or_default();
                jiff::tz::TimeZone::system().to_offset(at).seconds()
            }
            Source::Manual { .. } => 0,
        }
    }

    /// Moves a manual clock and all its clones forward. The system clock moves by itself and ignores this.
    pub fn advance(&self, by: Duration) {
        if let Source::Manual { passed_nanos, .. } = &self.0 {
            let nanos = u64::try_from(by.as_nanos()).unwrap_or(u64::MAX);
            passed_nanos.fetch_add(nanos, Ordering::SeqCst);
        }
    }
}

fn system_micros() -> i64 {
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => saturating_i64(since.as_micros()),
        Err(before) => -saturating_i64(before.duration().as_micros()),
    }
}

fn saturating_i64(value: u128) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_stands_still_until_it_is_advanced() {
        let clock = Clock::manual(Timestamp::from_micros(1_000));
        let other_holder = clock.clone();
        let before = clock.monotonic();
        assert_eq!(clock.now().as_micros(), 1_000);
        clock.advance(Duration::from_millis(2));
        assert_eq!(other_holder.now().as_micros(), 3_000);
        assert_eq!(other_holder.monotonic() - before, Duration::from_millis(2));
    }

    #[test]
    fn the_system_clock_ignores_being_advanced() {
        let clock = Clock::system();
        let before = clock.now();
        clock.advance(Duration::from_secs(86_400));
        let passed = clock.now().as_micros() - before.as_micros();
        assert!((0..60_000_000).contains(&passed), "{passed}");
    }
}
