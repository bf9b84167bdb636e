//! When a night comes: at its local time, later when that was missed, and in between when work makes it worth while.
//! Pure: clocks, zones and batteries are told. One answer, so that whoever sleeps knows until when.

use std::time::Duration;

use lokid_model::Timestamp;
use lokid_model::words::vocabulary;

vocabulary!(
    /// Why a night came.
    Cause {
        Nightly = "nightly",
        /// The machine slept or was off when it was due.
        Missed = "missed",
        Idle = "idle",
        Task = "task",
        /// One stage of the work ended and another begins.
        Phase = "phase",
        Asked = "asked",
        Signal = "signal",
    }
);

/// What the configuration says.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    pub enabled: bool,
    /// Minutes after local midnight.
    pub minute: u32,
    pub jitter: Duration,
    /// So long without a signal is idle; zero never is.
    pub idle: Duration,
    /// A little of it after a task.
    pub after_tasks: bool,
    pub on_battery: bool,
    /// Of each core.
    pub most_load: f64,
}

/// What is known when the question is asked.
pub struct SeenNow<'a> {
    pub now: Timestamp,
    /// Seconds from UTC to the clock on the wall, at a time.
    pub offset: &'a dyn Fn(Timestamp) -> i32,
    /// When the last whole night began; when the project was first met, if there was none.
    pub finished: Timestamp,
    /// When the daemon started, or the machine woke.
    pub awake: Timestamp,
    /// Tells projects apart, so that not all begin at once.
    pub lot: u64,
    pub heard: Option<Timestamp>,
    /// Work that ended, and when.
    pub ended: Option<(Cause, Timestamp)>,
    /// When a whole night was last begun by itself, whatever became of it.
    pub tried: Option<Timestamp>,
    /// When the last night of any kind was over.
    pub rested: Option<Timestamp>,
    /// Is there anything that no night has seen?
    pub has_news: bool,
    pub paused: bool,
    pub on_battery: Option<bool>,
    pub load: Option<f64>,
    /// The process is close to its own ceiling.
    pub memory_scarce: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// A whole night.
    Night(Cause),
    /// Only what a finished task calls for.
    Nap(Cause),
    /// Look again then; the next whole night is expected at `night`.
    Later { look: Timestamp, night: Option<Timestamp>, waits: Option<&'static str> },
}

const MINUTE: i64 = 60_000_000;
const DAY: i64 = 24 * 60 * MINUTE;
/// What begins this late was not begun in time.
const LATE: i64 = 20 * MINUTE;
/// A machine that just woke has other things to do.
const SETTLE: i64 = 2 * MINUTE;
/// While it waits for power or quiet, it looks again after this.
const AGAIN: i64 = 10 * MINUTE;
/// A finished task is followed by others.
const AFTER_TASK: i64 = MINUTE / 2;
/// Naps and idle nights keep this distance from whatever came before them.
const BETWEEN_NAPS: i64 = 10 * MINUTE;
const BETWEEN_NIGHTS: i64 = 12 * 60 * MINUTE;
/// A time this far ahead was written under a clock that was wrong.
const IMPOSSIBLE: i64 = DAY + DAY / 8;

pub fn decide(policy: &Policy, seen: &SeenNow<'_>) -> Decision {
    let now = seen.now.as_micros();
    if !policy.enabled || seen.paused {
        return later(now + DAY, None, Some(if seen.paused { "paused" } else { "switched off" }));
    }
    let finished = seen.finished.as_micros();
    let finished = if finished > now + IMPOSSIBLE { now - 2 * DAY } else { finished };
    let day = (now + i64::from((seen.offset)(seen.now)) * 1_000_000).div_euclid(DAY);
    // Yesterday's may be due after midnight, by its jitter.
    let slots = [day - 1, day, day + 1, day + 2].map(|day| slot(policy, seen, day));
    let due = slots.iter().rev().find(|slot| **slot <= now).copied().filter(|slot| *slot > finished);
    let next = slots.iter().find(|slot| **slot > now).copied().unwrap_or(now + DAY);
    let hindrance = hindrance(policy, seen);
    if let Some(due) = due {
        let is_late = now - due > LATE;
        let begin = if is_late { seen.awake.as_micros() + SETTLE } else { due };
        // One that did not come to its end is tried again, but not at once and for ever.
        let again = seen.tried.map(|tried| tried.as_micros() + AGAIN).filter(|again| *again > now);
        return match hindrance {
            Some(why) => later(now + AGAIN, Some(now + AGAIN), Some(why)),
            None if again.is_some_and(|again| again - now <= AGAIN) => {
                let again = again.unwrap_or(now);
                later(again, Some(again), Some("the last one did not come to its end"))
            }
            None if begin > now && begin - now <= SETTLE => later(begin, Some(begin), None),
            None => Decision::Night(if is_late { Cause::Missed } else { Cause::Nightly }),
        };
    }
    let rested = seen.rested.map_or(i64::MIN / 2, Timestamp::as_micros).min(now);
    let mut look = next;
    if hindrance.is_none() && seen.has_news {
        let nap = seen.ended.filter(|_| policy.after_tasks).map(|(cause, at)| {
            let at = at.as_micros().min(now);
            (cause, (at + AFTER_TASK).max(rested + BETWEEN_NAPS))
        });
        match nap {
            Some((cause, at)) if at <= now => return Decision::Nap(cause),
            Some((_, at)) => look = look.min(at),
            None => {}
        }
        let idle = policy.idle.as_micros() as i64;
        if let Some(heard) = seen.heard.filter(|_| idle > 0) {
            let at = (heard.as_micros().min(now) + idle).max(finished.min(now) + BETWEEN_NIGHTS).max(rested + idle);
            if at <= now {
                return Decision::Night(Cause::Idle);
            }
            look = look.min(at);
        }
    }
    later(look, Some(next), None)
}

fn later(look: i64, night: Option<i64>, waits: Option<&'static str>) -> Decision {
    Decision::Later { look: Timestamp::from_micros(look), night: night.map(Timestamp::from_micros), waits }
}

fn hindrance(policy: &Policy, seen: &SeenNow<'_>) -> Option<&'static str> {
    if !policy.on_battery && seen.on_battery == Some(true) {
        Some("on battery")
    } else if seen.load.is_some_and(|load| load > policy.most_load) {
        Some("the machine is busy")
    } else if seen.memory_scarce {
        Some("memory is scarce")
    } else {
        None
    }
}

/// When the night of a local day is. Each day has one, also where an hour is left out or comes twice.
fn slot(policy: &Policy, seen: &SeenNow<'_>, day: i64) -> i64 {
    let spread = policy.jitter.as_micros() as i64;
    let jitter = if spread > 0 { (mixed(seen.lot, day) % spread as u64) as i64 } else { 0 };
    let local = day * DAY + i64::from(policy.minute) * MINUTE + jitter;
    let shift = |at: i64| i64::from((seen.offset)(Timestamp::from_micros(at))) * 1_000_000;
    local - shift(local - shift(local))
}

fn mixed(lot: u64, day: i64) -> u64 {
    let mut bytes = lot.to_le_bytes().to_vec();
    bytes.extend(day.to_le_bytes());
    let hash = blake3::hash(&bytes);
    hash.as_bytes().iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy() -> Policy {
        Policy {
            enabled: true,
            minute: 3 * 60 + 30,
            jitter: Duration::ZERO,
            idle: Duration::from_secs(30 * 60),
            after_tasks: true,
            on_battery: false,
            most_load: 2.0,
        }
    }

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    const UTC: &dyn Fn(Timestamp) -> i32 = &|_| 0;

    fn seen<'a>(now: &str, finished: &str) -> SeenNow<'a> {
        SeenNow {
            now: at(now),
            offset: UTC,
            finished: at(finished),
            awake: at("2026-01-01T00:00:00Z"),
            lot: 7,
            heard: None,
            ended: None,
            tried: None,
            rested: None,
            has_news: true,
            paused: false,
            on_battery: None,
            load: None,
            memory_scarce: false,
        }
    }

    fn next(decision: Decision) -> String {
        match decision {
            Decision::Later { look, .. } => look.to_string(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_night_comes_at_its_time_and_once() {
        let before = decide(&policy(), &seen("2026-03-02T03:29:00Z", "2026-03-01T03:30:00Z"));
        assert!(next(before).starts_with("2026-03-02T03:30:00"));
        let due = decide(&policy(), &seen("2026-03-02T03:30:01Z", "2026-03-01T03:30:00Z"));
        assert_eq!(due, Decision::Night(Cause::Nightly));
        let after = decide(&policy(), &seen("2026-03-02T03:30:05Z", "2026-03-02T03:30:01Z"));
        assert!(next(after).starts_with("2026-03-03T03:30:00"));
    }

    #[test]
    fn a_missed_night_follows_soon_after_the_machine_is_back() {
        let mut back = seen("2026-03-02T09:00:10Z", "2026-02-20T03:30:00Z");
        back.awake = at("2026-03-02T09:00:00Z");
        assert!(next(decide(&policy(), &back)).starts_with("2026-03-02T09:02:00"));
        back.now = at("2026-03-02T09:02:00Z");
        assert_eq!(decide(&policy(), &back), Decision::Night(Cause::Missed));
    }

    #[test]
    fn a_night_that_fails_is_tried_again_and_not_at_once() {
        let mut failed = seen("2026-03-02T03:30:05Z", "2026-03-01T03:30:00Z");
        failed.tried = Some(at("2026-03-02T03:30:01Z"));
        assert!(next(decide(&policy(), &failed)).starts_with("2026-03-02T03:40:01"));
        failed.now = at("2026-03-02T03:40:01Z");
        assert_eq!(decide(&policy(), &failed), Decision::Night(Cause::Nightly));
        failed.tried = Some(at("2031-01-01T00:00:00Z"));
        assert_eq!(decide(&policy(), &failed), Decision::Night(Cause::Nightly), "under a clock that was wrong");
    }

    #[test]
    fn what_is_first_met_in_the_day_waits_for_the_night() {
        let first = decide(&policy(), &seen("2026-03-02T10:00:00Z", "2026-03-02T09:59:00Z"));
        assert!(next(first).starts_with("2026-03-03T03:30:00"));
    }

    #[test]
    fn summer_time_neither_skips_nor_doubles_a_night() {
        // Central Europe: 02:00 to 03:00 is left out on 2026-03-29 and comes twice on 2026-10-25.
        let offset = |at: Timestamp| {
            let (begin, end) = (1_774_746_000_000_000, 1_792_890_000_000_000);
            if (begin..end).contains(&at.as_micros()) { 7200 } else { 3600 }
        };
        let policy = Policy { minute: 2 * 60 + 30, ..policy() };
        for (from, until) in
            [("2026-03-26T00:00:00Z", "2026-04-02T00:00:00Z"), ("2026-10-22T00:00:00Z", "2026-10-29T00:00:00Z")]
        {
            let (mut now, mut finished, mut nights) = (at(from), at(from), 0);
            while now < at(until) {
                let asked = SeenNow { now, offset: &offset, ..seen(from, &finished.to_string()) };
                if let Decision::Night(cause) = decide(&policy, &asked) {
                    assert_eq!(cause, Cause::Nightly);
                    (finished, nights) = (now, nights + 1);
                }
                now = now.plus_micros(5 * MINUTE);
            }
            assert_eq!(nights, 7, "{from}");
        }
    }

    #[test]
    fn a_clock_that_jumps_costs_at_most_a_night_too_many() {
        let ahead = decide(&policy(), &seen("2026-03-02T12:00:00Z", "2031-01-01T00:00:00Z"));
        assert_eq!(
            ahead,
            Decision::Night(Cause::Missed),
            "a time from a wrong clock does not hold nights off for years"
        );
        let hour_back = decide(&policy(), &seen("2026-03-02T03:31:00Z", "2026-03-02T04:10:00Z"));
        assert!(next(hour_back).starts_with("2026-03-03T03:30:00"));
    }

    #[test]
    fn on_battery_or_under_load_it_waits_and_says_so() {
        let mut asked = seen("2026-03-02T03:31:00Z", "2026-03-01T03:30:00Z");
        asked.on_battery = Some(true);
        let Decision::Later { look, waits, .. } = decide(&policy(), &asked) else { panic!() };
        assert_eq!((look, waits), (at("2026-03-02T03:41:00Z"), Some("on battery")));
        assert_eq!(decide(&Policy { on_battery: true, ..policy() }, &asked), Decision::Night(Cause::Nightly));
        (asked.on_battery, asked.load) = (Some(false), Some(3.5));
        let Decision::Later { waits, .. } = decide(&policy(), &asked) else { panic!() };
        assert_eq!(waits, Some("the machine is busy"));
        (asked.load, asked.memory_scarce) = (None, true);
        let Decision::Later { waits, .. } = decide(&policy(), &asked) else { panic!() };
        assert_eq!(waits, Some("memory is scarce"));
    }

    #[test]
    fn a_finished_task_brings_a_nap_and_many_bring_one() {
        let mut asked = seen("2026-03-02T12:00:00Z", "2026-03-02T03:30:00Z");
        asked.ended = Some((Cause::Task, at("2026-03-02T11:59:50Z")));
        assert!(next(decide(&policy(), &asked)).starts_with("2026-03-02T12:00:20"));
        asked.now = at("2026-03-02T12:00:20Z");
        assert_eq!(decide(&policy(), &asked), Decision::Nap(Cause::Task));
        asked.rested = Some(at("2026-03-02T11:55:00Z"));
        assert!(next(decide(&policy(), &asked)).starts_with("2026-03-02T12:05:00"), "one rested just now");
        assert!(matches!(decide(&Policy { after_tasks: false, ..policy() }, &asked), Decision::Later { .. }));
    }

    #[test]
    fn idle_hours_are_used_when_there_is_something_new() {
        let mut asked = seen("2026-03-02T18:00:00Z", "2026-03-02T03:30:00Z");
        asked.heard = Some(at("2026-03-02T17:29:00Z"));
        assert_eq!(decide(&policy(), &asked), Decision::Night(Cause::Idle));
        asked.has_news = false;
        assert!(matches!(decide(&policy(), &asked), Decision::Later { .. }));
    }

    #[test]
    fn projects_do_not_all_begin_at_once_and_each_keeps_its_moment() {
        let policy = Policy { jitter: Duration::from_secs(20 * 60), ..policy() };
        let moment = |lot| {
            let asked = SeenNow { lot, ..seen("2026-03-02T00:00:00Z", "2026-03-01T23:00:00Z") };
            next(decide(&policy, &asked))
        };
        let moments: std::collections::BTreeSet<String> = (0..20).map(moment).collect();
        assert!(moments.len() > 15);
        assert_eq!(moment(3), moment(3));
        assert!(moments.iter().all(|at| at.as_str() >= "2026-03-02T03:30" && at.as_str() < "2026-03-02T03:50:01"));
    }

    #[test]
    fn paused_or_switched_off_nothing_comes() {
        let asked = SeenNow { paused: true, ..seen("2026-03-02T03:31:00Z", "2026-03-01T03:30:00Z") };
        let Decision::Later { night, waits, .. } = decide(&policy(), &asked) else { panic!() };
        assert_eq!((night, waits), (None, Some("paused")));
    }
}
