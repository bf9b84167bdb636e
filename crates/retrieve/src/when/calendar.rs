//! Spans of days in the UTC calendar, and what their parts are called.

use jiff::Span;
use jiff::civil::{Date, Weekday, date};

use lokid_model::Timestamp;
use lokid_model::time::{DAY, MONTHS};

const EPOCH: Date = date(1970, 1, 1);

pub(super) fn day_of(now: Timestamp) -> Option<Date> {
    plus(EPOCH, now.as_micros().div_euclid(DAY))
}

pub(super) fn midnight(day: Date) -> Timestamp {
    Timestamp::from_micros(i64::from((day - EPOCH).get_days()) * DAY)
}

pub(super) fn plus(day: Date, days: i64) -> Option<Date> {
    day.checked_add(Span::new().try_days(days).ok()?).ok()
}

/// From the first day up to, and without, the last.
#[derive(Clone, Copy)]
pub(super) struct Days {
    pub(super) from: Date,
    pub(super) until: Date,
}

impl Days {
    /// The day, week, month, quarter or year a day lies in. Weeks begin on Monday.
    pub(super) fn around(day: Date, unit: Unit) -> Option<Days> {
        let from = match unit {
            Unit::Day => day,
            Unit::Week => plus(day, -i64::from(day.weekday().to_monday_zero_offset()))?,
            Unit::Month => day.first_of_month(),
            Unit::Quarter => Date::new(day.year(), (day.month() - 1) / 3 * 3 + 1, 1).ok()?,
            Unit::Year => day.first_of_year(),
        };
        Some(Days { from, until: from.checked_add(unit.times(1)).ok()? })
    }

    /// The unit before the one that contains today.
    pub(super) fn previous(today: Date, unit: Unit) -> Option<Days> {
        Days::around(plus(Days::around(today, unit)?.from, -1)?, unit)
    }

    /// So many units back from today, today included.
    pub(super) fn back(today: Date, count: i64, unit: Unit) -> Option<Days> {
        Some(Days { from: today.checked_sub(unit.times(count)).ok()?, until: plus(today, 1)? })
    }

    /// Around the day that many units ago: who says "three weeks ago" does not mean Tuesday.
    pub(super) fn ago(today: Date, least: i64, most: i64, unit: Unit) -> Option<Days> {
        let from = plus(today.checked_sub(unit.times(most)).ok()?, -unit.slack())?;
        let until = plus(today.checked_sub(unit.times(least)).ok()?, unit.slack() + 1)?;
        Some(Days { from, until })
    }

    /// The Saturday and Sunday of the week a day lies in.
    pub(super) fn weekend(day: Date) -> Option<Days> {
        let Days { until, .. } = Days::around(day, Unit::Week)?;
        Some(Days { from: plus(until, -2)?, until })
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Unit {
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

impl Unit {
    pub(super) fn named(word: &str) -> Option<Unit> {
        Some(match word.strip_suffix('s').unwrap_or(word) {
            "day" => Unit::Day,
            "week" => Unit::Week,
            "month" => Unit::Month,
            "quarter" => Unit::Quarter,
            "year" => Unit::Year,
            _ => return None,
        })
    }

    /// Callers count in at most three digits, far from what a span can hold.
    fn times(self, count: i64) -> Span {
        match self {
            Unit::Day => Span::new().days(count),
            Unit::Week => Span::new().weeks(count),
            Unit::Month => Span::new().months(count),
            Unit::Quarter => Span::new().months(3 * count),
            Unit::Year => Span::new().years(count),
        }
    }

    /// Half of it, in days.
    fn slack(self) -> i64 {
        match self {
            Unit::Day => 0,
            Unit::Week => 3,
            Unit::Month => 15,
            Unit::Quarter => 45,
            Unit::Year => 182,
        }
    }
}

pub(super) fn weekday_named(word: &str) -> Option<Weekday> {
    Some(match word {
        "monday" => Weekday::Monday,
        "tuesday" => Weekday::Tuesday,
        "wednesday" => Weekday::Wednesday,
        "thursday" => Weekday::Thursday,
        "friday" => Weekday::Friday,
        "saturday" => Weekday::Saturday,
        "sunday" => Weekday::Sunday,
        _ => return None,
    })
}

/// The number of a month by its name, or by the first three letters of it (four for `sept`).
pub(super) fn month_named(word: &str) -> Option<i8> {
    let short = word.len() == 3 || word == "sept";
    let at = MONTHS.iter().position(|month| *month == word || short && month.starts_with(word))?;
    i8::try_from(at + 1).ok()
}

pub(super) fn is_whole_month_name(word: &str) -> bool {
    MONTHS.contains(&word)
}

/// The latest first day of such a month that is not ahead of today.
pub(super) fn latest_month(today: Date, month: i8) -> Option<Date> {
    latest(today, |year| Date::new(year, month, 1).ok())
}

/// The latest such day that is not ahead of today.
pub(super) fn latest_day(today: Date, month: i8, day: i8) -> Option<Date> {
    latest(today, |year| Date::new(year, month, day).ok())
}

fn latest(today: Date, in_year: impl Fn(i16) -> Option<Date>) -> Option<Date> {
    // Eight years reach the last leap day from everywhere.
    (0..=8).filter_map(|back| in_year(today.year() - back)).find(|day| *day <= today)
}

/// The latest such weekday that is not ahead of a day.
pub(super) fn latest_weekday(day: Date, weekday: Weekday) -> Option<Date> {
    plus(day, -i64::from(weekday.until(day.weekday())))
}
