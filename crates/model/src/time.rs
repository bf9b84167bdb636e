//! Points in time, in microseconds, and the spellings of them met on disk.

use std::fmt;
use std::num::NonZeroU64;

/// Microseconds since 1970 in UTC. Loki Mode's files carry at most six fraction digits, so nothing is lost. Kept as
/// counted from just before the first instant that can be spelt: none is 0, so a time that may be missing takes no more
/// room than one that is there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(NonZeroU64);

/// In small letters, as people spell them out.
#[rustfmt::skip]
pub const MONTHS: [&str; 12] = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
];
pub const SECOND: i64 = 1_000_000;
pub const DAY: i64 = 86_400 * SECOND;

impl Timestamp {
    /// The years 0001 to 9999, what RFC 3339 can spell.
    const FIRST: i64 = -62_135_596_800 * SECOND;
    const LAST: i64 = 253_402_300_799 * SECOND + 999_999;

    pub const fn from_micros(micros: i64) -> Timestamp {
        let since_first = if micros < Self::FIRST {
            0
        } else if micros > Self::LAST {
            Self::LAST.abs_diff(Self::FIRST)
        } else {
            micros.abs_diff(Self::FIRST)
        };
        Timestamp(NonZeroU64::MIN.saturating_add(since_first))
    }

    pub const fn as_micros(self) -> i64 {
        Self::FIRST.wrapping_add_unsigned(self.0.get() - 1)
    }

    pub fn plus_micros(self, micros: i64) -> Timestamp {
        Timestamp::from_micros(self.as_micros().saturating_add(micros))
    }

    /// Accepts RFC 3339 with any offset, a naive time (which means UTC), a bare date, a blank for the `T`, and the
    /// malformed `+00:00Z` that exists in the wild.
    pub fn parse(text: &str) -> Option<Timestamp> {
        let text = text.trim();
        if !text.is_ascii() || text.len() < 10 || text.len() > 40 {
            return None;
        }
        let (date, rest) = text.split_at(10);
        let days = days_since_1970(parse_date(date)?);
        let within_day = match rest.as_bytes().first() {
            None => 0,
            Some(b'T' | b't' | b' ') => parse_time_of_day(&rest[1..])?,
            Some(_) => return None,
        };
        let micros = days.checked_mul(DAY)?.checked_add(within_day)?;
        (Self::FIRST..=Self::LAST).contains(&micros).then_some(Timestamp::from_micros(micros))
    }

    /// The style of record fields: `2026-11-13T04:59:53.622638Z`, without a fraction when it is zero.
    pub fn record_style(self) -> String {
        format!("{self}")
    }

    /// The style of envelope fields (`last_updated`, …): the same with `+00:00`.
    pub fn envelope_style(self) -> String {
        let mut text = self.record_style();
        text.pop();
        text.push_str("+00:00");
        text
    }

    /// `2026-11-13`
    pub fn day(self) -> String {
        let (year, month, day) = self.date();
        format!("{year:04}-{month:02}-{day:02}")
    }

    /// `2026-11`
    pub fn month(self) -> String {
        self.day()[..7].to_owned()
    }

    /// Year, month and day.
    fn date(self) -> (i64, i64, i64) {
        let days = self.as_micros().div_euclid(DAY) + 719_468;
        let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * day_of_year + 2) / 153;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = era * 400 + year_of_era + i64::from(month <= 2);
        (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
    }
}

/// 1970.
impl Default for Timestamp {
    fn default() -> Timestamp {
        Timestamp::from_micros(0)
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Timestamp").field(&self.as_micros()).finish()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.date();
        let second = self.as_micros().rem_euclid(DAY) / SECOND;
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")?;
        match self.as_micros().rem_euclid(SECOND) {
            0 => f.write_str("Z"),
            fraction => write!(f, ".{fraction:06}Z"),
        }
    }
}

fn parse_date(text: &str) -> Option<jiff::civil::Date> {
    let bytes = text.as_bytes();
    if bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let year = i16::try_from(digits(&text[..4])?).ok()?;
    let month = i8::try_from(digits(&text[5..7])?).ok()?;
    let day = i8::try_from(digits(&text[8..10])?).ok()?;
    jiff::civil::Date::new(year, month, day).ok()
}

/// Counted from the first of March, so that the leap day is the last of its year.
fn days_since_1970(date: jiff::civil::Date) -> i64 {
    let (year, month, day) = (i64::from(date.year()), i64::from(date.month()), i64::from(date.day()));
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// `HH:MM[:SS[.fraction]][zone]` as microseconds of the day in UTC; the zone may push it below zero or past a day.
fn parse_time_of_day(text: &str) -> Option<i64> {
    let zone_at = text.find(['Z', 'z', '+', '-']).unwrap_or(text.len());
    let (clock, zone) = text.split_at(zone_at);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let mut parts = clock.trim_end().split(':');
    let hour = two_digits(parts.next()?, 23)?;
    let minute = two_digits(parts.next()?, 59)?;
    let second = parts.next().map_or(Some(0), |part| two_digits(part, 60))?.min(59);
    if parts.next().is_some() {
        return None;
    }
    let fraction = parse_fraction(fraction.trim_end())?;
    Some((hour * 3600 + minute * 60 + second) * SECOND + fraction - parse_zone(zone)?)
}

fn parse_fraction(text: &str) -> Option<i64> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let six: String = text.chars().chain("000000".chars()).take(6).collect();
    digits(&six)
}

fn parse_zone(zone: &str) -> Option<i64> {
    let zone = if zone.len() > 1 { zone.trim_end_matches(['Z', 'z']) } else { zone };
    let sign = match zone.as_bytes().first() {
        None | Some(b'Z' | b'z') => return (zone.len() <= 1).then_some(0),
        Some(b'+') => 1,
        Some(_) => -1,
    };
    let bare: String = zone[1..].chars().filter(|c| *c != ':').collect();
    let (hours, minutes) = match bare.len() {
        2 => (two_digits(&bare, 23)?, 0),
        4 => (two_digits(&bare[..2], 23)?, two_digits(&bare[2..], 59)?),
        _ => return None,
    };
    Some(sign * (hours * 3600 + minutes * 60) * SECOND)
}

fn two_digits(text: &str, most: i64) -> Option<i64> {
    if text.len() != 2 {
        return None;
    }
    digits(text).filter(|number| *number <= most)
}

fn digits(text: &str) -> Option<i64> {
    text.bytes().try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<&str>) {
        assert_eq!(Timestamp::parse(text).map(|t| t.to_string()).as_deref(), expect, "{text}");
    }

    #[test]
    fn both_styles_and_the_malformed_one_mean_the_same_instant() {
        check("2026-11-13T04:59:53.622638Z", Some("2026-11-13T04:59:53.622638Z"));
        check("2026-11-13T04:59:53.622638+00:00", Some("2026-11-13T04:59:53.622638Z"));
        check("2026-11-13T04:59:53.622638+00:00Z", Some("2026-11-13T04:59:53.622638Z"));
        check("2026-11-13T04:59:53", Some("2026-11-13T04:59:53Z"));
        check("2026-11-13 04:59:53", Some("2026-11-13T04:59:53Z"));
        check("2026-11-13T06:59:53+02:00", Some("2026-11-13T04:59:53Z"));
        check("2026-11-13T00:30:00+0200", Some("2026-11-12T22:30:00Z"));
        check("2026-11-13T04:59:53.5-03", Some("2026-11-13T07:59:53.500000Z"));
        check("2026-11-13", Some("2026-11-13T00:00:00Z"));
        check("2026-11-13T04:59Z", Some("2026-11-13T04:59:00Z"));
        check("2026-11-13T04:59:53.1234567890Z", Some("2026-11-13T04:59:53.123456Z"));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in ["", "yesterday", "2026-13-01", "2026-02-30", "2026-11-13T25:00:00Z", "2026-11-13T04:59:53ZZ9"] {
            check(text, None);
        }
        check("2026-11-13T04:59:53+00:00:00:00", None);
        check("２０２６-11-13", None);
    }

    #[test]
    fn the_two_styles_are_written_as_loki_mode_writes_them() {
        let time = Timestamp::parse("2026-01-06T10:00:00.000042Z").unwrap();
        assert_eq!(time.record_style(), "2026-01-06T10:00:00.000042Z");
        assert_eq!(time.envelope_style(), "2026-01-06T10:00:00.000042+00:00");
        assert_eq!(time.day(), "2026-01-06");
        assert_eq!(time.month(), "2026-01");
    }

    #[test]
    fn a_time_that_may_be_missing_takes_no_more_room_and_comes_before_all_others() {
        assert_eq!(size_of::<Option<Timestamp>>(), size_of::<i64>());
        assert_eq!(
            (Timestamp::default().as_micros(), format!("{:?}", Timestamp::default())),
            (0, "Timestamp(0)".into())
        );
        let at = Timestamp::from_micros;
        assert!(None < Some(at(i64::MIN)) && at(i64::MIN) < at(-1) && at(-1) < at(0) && at(1) < at(i64::MAX));
    }

    #[test]
    fn the_first_and_the_last_instant_can_be_written() {
        for (micros, expect) in [
            (Timestamp::FIRST, "0001-01-01T00:00:00Z"),
            (Timestamp::LAST, "9999-12-31T23:59:59.999999Z"),
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400 * SECOND, "2000-02-29T00:00:00Z"),
        ] {
            assert_eq!(Timestamp::from_micros(micros).to_string(), expect);
            check(expect, Some(expect));
        }
        assert_eq!(Timestamp::from_micros(i64::MAX).day(), "9999-12-31");
    }

    proptest::proptest! {
        #[test]
        fn every_instant_survives_both_styles(micros in Timestamp::FIRST..=Timestamp::LAST) {
            let time = Timestamp::from_micros(micros);
            proptest::prop_assert_eq!(Timestamp::parse(&time.record_style()), Some(time));
            proptest::prop_assert_eq!(Timestamp::parse(&time.envelope_style()), Some(time));
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "\\PC{0,44}") {
            let _ = Timestamp::parse(&text);
        }

        #[test]
        fn no_almost_time_makes_the_parser_panic(text in "[0-9TZtz:+. -]{0,40}") {
            let _ = Timestamp::parse(&text);
        }
    }
}
