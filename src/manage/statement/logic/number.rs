//! Numbers as they are written in statements, with their unit brought to one: seconds, bytes, percent, a counted noun.

/// What a number measures.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Dimension {
    Seconds,
    Bytes,
    Percent,
    /// Minutes since midnight.
    Clock,
    Money,
    /// A version, of the name that stands before it if there is one.
    Version,
    /// A year or day of a month: tells when, not how much.
    Date,
    /// So many of what the next noun says, or of nothing named.
    Count,
}

/// How exactly it is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Quantity {
    pub(super) value: f64,
    pub(super) dimension: Dimension,
    pub(super) bound: Bound,
    /// The counted noun, or the name a version is of.
    pub(super) of: String,
}

#[rustfmt::skip]
const WORDS: &[(&str, f64)] = &[
    ("zero", 0.0), ("one", 1.0), ("two", 2.0), ("three", 3.0), ("four", 4.0), ("five", 5.0), ("six", 6.0), ("seven", 7.0),
    ("eight", 8.0), ("nine", 9.0), ("ten", 10.0), ("eleven", 11.0), ("twelve", 12.0), ("thirteen", 13.0), ("fourteen", 14.0),
    ("fifteen", 15.0), ("sixteen", 16.0), ("seventeen", 17.0), ("eighteen", 18.0), ("nineteen", 19.0), ("twenty", 20.0),
    ("thirty", 30.0), ("forty", 40.0), ("fifty", 50.0), ("sixty", 60.0), ("seventy", 70.0), ("eighty", 80.0),
    ("ninety", 90.0), ("hundred", 100.0), ("thousand", 1000.0), ("million", 1e6), ("billion", 1e9), ("dozen", 12.0),
    ("twice", 2.0), ("thrice", 3.0), ("pair", 2.0),
];

#[rustfmt::skip]
const UNITS: &[(&str, Dimension, f64)] = &[
    ("ns", Dimension::Seconds, 1e-9), ("us", Dimension::Seconds, 1e-6), ("µs", Dimension::Seconds, 1e-6),
    ("ms", Dimension::Seconds, 1e-3), ("millisecond", Dimension::Seconds, 1e-3), ("s", Dimension::Seconds, 1.0),
    ("sec", Dimension::Seconds, 1.0), ("second", Dimension::Seconds, 1.0), ("m", Dimension::Seconds, 60.0),
    ("min", Dimension::Seconds, 60.0), ("minute", Dimension::Seconds, 60.0), ("h", Dimension::Seconds, 3600.0),
    ("hr", Dimension::Seconds, 3600.0), ("hour", Dimension::Seconds, 3600.0), ("d", Dimension::Seconds, 86400.0),
    ("day", Dimension::Seconds, 86400.0), ("night", Dimension::Seconds, 86400.0), ("week", Dimension::Seconds, 604_800.0),
    ("wk", Dimension::Seconds, 604_800.0), ("w", Dimension::Seconds, 604_800.0), ("sprint", Dimension::Seconds, 1_209_600.0),
    ("fortnight", Dimension::Seconds, 1_209_600.0), ("month", Dimension::Seconds, 2_592_000.0),
    ("quarter", Dimension::Seconds, 7_776_000.0), ("year", Dimension::Seconds, 31_536_000.0), ("yr", Dimension::Seconds, 31_536_000.0),
    ("b", Dimension::Bytes, 1.0), ("byte", Dimension::Bytes, 1.0), ("kb", Dimension::Bytes, 1e3), ("kib", Dimension::Bytes, 1e3),
    ("mb", Dimension::Bytes, 1e6), ("mib", Dimension::Bytes, 1e6), ("gb", Dimension::Bytes, 1e9), ("gib", Dimension::Bytes, 1e9),
    ("g", Dimension::Bytes, 1e9), ("tb", Dimension::Bytes, 1e12), ("tib", Dimension::Bytes, 1e12), ("megabyte", Dimension::Bytes, 1e6),
    ("gigabyte", Dimension::Bytes, 1e9), ("kilobyte", Dimension::Bytes, 1e3), ("mi", Dimension::Bytes, 1e6), ("gi", Dimension::Bytes, 1e9),
    ("%", Dimension::Percent, 1.0), ("percent", Dimension::Percent, 1.0), ("pct", Dimension::Percent, 1.0),
    ("$", Dimension::Money, 1.0), ("€", Dimension::Money, 1.0), ("eur", Dimension::Money, 1.0), ("euro", Dimension::Money, 1.0),
    ("usd", Dimension::Money, 1.0), ("dollar", Dimension::Money, 1.0), ("cent", Dimension::Money, 0.01),
    ("am", Dimension::Clock, 60.0), ("pm", Dimension::Clock, 60.0), ("k", Dimension::Count, 1e3), ("x", Dimension::Count, 1.0),
];

pub(super) fn word(lower: &str) -> Option<f64> {
    WORDS.iter().find(|(word, _)| *word == lower).map(|(_, value)| *value)
}

pub(super) fn unit(lemma: &str) -> Option<(Dimension, f64)> {
    UNITS.iter().find(|(unit, _, _)| *unit == lemma).map(|(_, dimension, factor)| (dimension.clone(), *factor))
}

/// A word that begins with a digit (after `~`, `<`, `v`, `$`) and is a number, with or without its unit.
pub(super) fn parse(lower: &str) -> Option<Quantity> {
    let (bound, bare) = bound_of(lower);
    let exact = |value, dimension| Some(Quantity { value, dimension, bound, of: String::new() });
    let (version, digits) = match bare.strip_prefix('v') {
        Some(rest) if rest.starts_with(|first: char| first.is_ascii_digit()) => (true, rest),
        _ => (false, bare.trim_start_matches(['$', '€', '~', '≈'])),
    };
    if !digits.starts_with(|first: char| first.is_ascii_digit()) || digits.len() > 24 {
        return None;
    }
    if let Some((hours, minutes)) = digits.split_once(':') {
        let (hours, minutes): (f64, f64) = (hours.parse().ok()?, minutes.get(..2)?.parse().ok()?);
        return (hours < 25.0 && minutes < 60.0)
            .then_some(())
            .and_then(|()| exact(hours * 60.0 + minutes, Dimension::Clock));
    }
    let end =
        digits.find(|letter: char| !letter.is_ascii_digit() && letter != '.' && letter != ',').unwrap_or(digits.len());
    let (number, suffix) = (digits[..end].trim_end_matches(['.', ',']), digits[end..].trim_start_matches('-'));
    let dots = number.matches('.').count();
    if version || dots > 1 || (dots == 1 && suffix == "x") {
        let mut value = 0.0;
        for (place, part) in number.split('.').take(3).enumerate() {
            value += part.parse::<f64>().unwrap_or(0.0) * 1000f64.powi(-i32::try_from(place).unwrap_or(0));
        }
        return exact(value, Dimension::Version);
    }
    let value: f64 = number.replace(',', "").parse().ok()?;
    if bare.starts_with(['$', '€']) {
        return exact(value, Dimension::Money);
    }
    match suffix {
        "" | "+" | "st" | "nd" | "rd" | "th" => exact(value, Dimension::Count),
        _ => {
            let (dimension, factor) = unit(suffix).or_else(|| unit(suffix.strip_suffix('s')?))?;
            exact(clock_of(value, suffix).unwrap_or(value * factor), dimension)
        }
    }
}

pub(super) fn clock_of(hours: f64, unit: &str) -> Option<f64> {
    match unit {
        "am" => Some(hours % 12.0 * 60.0),
        "pm" => Some((hours % 12.0 + 12.0) * 60.0),
        _ => None,
    }
}

fn bound_of(lower: &str) -> (Bound, &str) {
    let strip = |marks: &[&str]| marks.iter().find_map(|mark| lower.strip_prefix(mark));
    if let Some(rest) = strip(&[">=", "≥", ">"]) {
        (Bound::AtLeast, rest)
    } else if let Some(rest) = strip(&["<=", "≤", "<"]) {
        (Bound::AtMost, rest)
    } else {
        (if lower.ends_with('+') { Bound::AtLeast } else { Bound::Exact }, lower)
    }
}

impl Quantity {
    pub(super) fn equals(&self, other: &Quantity) -> bool {
        (self.value - other.value).abs() <= 1e-6 * self.value.abs().max(other.value.abs()).max(1e-9)
    }

    /// Both can be true of one thing: at least 12 and at most 72.
    pub(super) fn leaves_room(&self, other: &Quantity) -> bool {
        match (self.bound, other.bound) {
            (Bound::AtLeast, Bound::AtMost) => self.value <= other.value,
            (Bound::AtMost, Bound::AtLeast) => self.value >= other.value,
            _ => false,
        }
    }
}
