//! The hour and the weekday: what is usually done at this time. The episodes that a workflow was seen in tell when.

use std::collections::BTreeSet;

use super::evidence::Evidence;
use super::pool::Pool;
use lokid_model::{Key, Kind, Memory, MemoryId, Relation, Timestamp, time};

const MOST_WORKFLOWS: usize = 64;
const MOST_OCCASIONS: usize = 24;
/// An hour before and an hour after are around now.
const AROUND_MINUTES: i64 = 60;
const DAY_MINUTES: i64 = 24 * 60;
const WEEKDAYS: [&str; 7] = ["Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays"];

/// A moment as the clock and the calendar on the wall show it.
struct Local {
    day: i64,
    minute: i64,
}

impl Local {
    fn of(at: Timestamp, utc_offset_seconds: i32) -> Local {
        let seconds = at.as_micros().div_euclid(time::SECOND) + i64::from(utc_offset_seconds);
        Local { day: seconds.div_euclid(86_400), minute: seconds.rem_euclid(86_400) / 60 }
    }

    /// 0 is Monday. The first of January 1970 was a Thursday.
    fn weekday(&self) -> usize {
        (self.day + 3).rem_euclid(7) as usize
    }

    /// How much earlier or later on the clock, the shorter way round midnight.
    fn minutes_from(&self, other: &Local) -> i64 {
        (self.minute - other.minute + DAY_MINUTES / 2).rem_euclid(DAY_MINUTES) - DAY_MINUTES / 2
    }
}

pub(super) fn look(pool: &mut Pool<'_>) {
    let (snapshot, offset) = (pool.sources.snapshot, pool.sources.utc_offset_seconds);
    let now = Local::of(pool.at, offset);
    let workflows = snapshot.latest(Kind::Workflow, &pool.filter.namespace).take(MOST_WORKFLOWS);
    for memory in workflows.collect::<Vec<_>>() {
        let occasions: Vec<Local> = occasions(pool, memory).into_iter().map(|at| Local::of(at, offset)).collect();
        if let Some((strength, why)) = habit(&occasions, &now) {
            pool.add(memory, Evidence::Habit, strength, || why);
        }
    }
}

/// When it was done, as far as the episodes are still known. What came after the moment asked about does not count.
fn occasions(pool: &Pool<'_>, memory: &Memory) -> Vec<Timestamp> {
    let snapshot = pool.sources.snapshot;
    let mut ids: BTreeSet<MemoryId> =
        memory.sources.iter().take(MOST_OCCASIONS).filter_map(|source| MemoryId::foreign(source)).collect();
    let ties = snapshot.links_of(&memory.key()).into_iter().take(MOST_OCCASIONS);
    let derived = ties.filter(|link| link.relation == Relation::DerivedFrom && link.from == memory.id);
    ids.extend(derived.map(|link| link.to.clone()));
    let episodes = ids.iter().filter_map(|id| snapshot.get(&Key::new(&memory.namespace, id)));
    let episodes = episodes.filter(|episode| episode.kind == Kind::Episode);
    episodes.map(|episode| episode.times.created_at).filter(|at| *at <= pool.at).collect()
}

/// Something done around this hour on this weekday, or on most days. Once is no habit.
fn habit(occasions: &[Local], now: &Local) -> Option<(f64, String)> {
    let around: Vec<&Local> =
        occasions.iter().filter(|occasion| occasion.minutes_from(now).abs() <= AROUND_MINUTES).collect();
    let days = |wanted: &dyn Fn(&Local) -> bool| -> BTreeSet<i64> {
        around.iter().filter(|occasion| wanted(occasion)).map(|occasion| occasion.day).collect()
    };
    let on_this_weekday = days(&|occasion| occasion.weekday() == now.weekday()).len();
    let on_any = days(&|_| true);
    let weekdays: BTreeSet<i64> = on_any.iter().map(|day| (day + 3).rem_euclid(7)).collect();
    let all: BTreeSet<i64> = occasions.iter().map(|occasion| occasion.day).collect();
    let (times, when) = if on_this_weekday >= 2 && 2 * on_this_weekday >= on_any.len() {
        (on_this_weekday, format!("on {}", WEEKDAYS[now.weekday()]))
    } else if on_any.len() >= 3 && weekdays.len() >= 3 && 2 * on_any.len() >= all.len() {
        (on_any.len(), "most days".to_owned())
    } else {
        return None;
    };
    // Two Mondays may be chance; five are not. What is also done at other times is less bound to this one.
    let sureness = times as f64 / (times as f64 + 1.0);
    let share = times as f64 / all.len().max(1) as f64;
    let usual = around.iter().map(|occasion| occasion.minutes_from(now)).sum::<i64>() / around.len() as i64;
    let hour = (now.minute + usual + 30).rem_euclid(DAY_MINUTES) / 60;
    Some((sureness * (0.5 + 0.5 * share), format!("runs {when} around {hour}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(text: &str) -> Local {
        Local::of(Timestamp::parse(text).unwrap(), 0)
    }

    fn check(occasions: &[&str], now: &str, expect: Option<&str>) {
        let occasions: Vec<Local> = occasions.iter().map(|text| local(text)).collect();
        let found = habit(&occasions, &local(now)).map(|(strength, why)| {
            assert!((0.0..=1.0).contains(&strength), "{strength}");
            why
        });
        assert_eq!(found.as_deref(), expect, "{now}");
    }

    #[test]
    fn what_is_done_on_a_weekday_is_foreseen_on_that_weekday() {
        let mondays = ["2026-11-02T09:10:00Z", "2026-11-09T08:50:00Z"];
        check(&mondays, "2026-11-16T09:30:00Z", Some("runs on Mondays around 9"));
        check(&mondays, "2026-11-17T09:30:00Z", None);
        check(&mondays, "2026-11-16T13:00:00Z", None);
        check(&mondays[..1], "2026-11-16T09:00:00Z", None);
    }

    #[test]
    fn what_is_done_daily_is_foreseen_on_any_day_even_around_midnight() {
        let nightly = ["2026-11-02T23:50:00Z", "2026-11-04T00:10:00Z", "2026-11-05T23:40:00Z"];
        check(&nightly, "2026-11-07T00:20:00Z", Some("runs most days around 0"));
        check(&nightly, "2026-11-07T12:00:00Z", None);
    }

    #[test]
    fn the_clock_on_the_wall_counts() {
        let at = Timestamp::parse("2026-11-15T23:30:00Z").unwrap();
        let there = Local::of(at, 3600);
        assert_eq!((there.weekday(), there.minute), (0, 30), "already Monday in the east");
    }
}
