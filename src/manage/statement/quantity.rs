//! Numbers and what they count: written in digits or words, with a unit brought to its base, and whether they are
//! meant exactly or as a bound.

use super::lexicon;
use super::reading::{Break, Kind, Token};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number {
    pub(super) value: f64,
    pub(super) form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Plain,
    /// 16:30, in minutes.
    Clock,
    /// Two dots or more.
    Version,
    Percent,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Measure {
    Seconds,
    Bytes,
    Percent,
    Clock,
    Money,
    /// Of what the version is.
    Version(String),
    /// What is counted, by its stem; empty if nothing is said.
    Count(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Exactly,
    AtLeast,
    AtMost,
}

#[derive(Clone, Debug)]
pub(super) struct Quantity {
    pub(super) value: f64,
    pub(super) measure: Measure,
    pub(super) bound: Bound,
    /// Where it stands among the tokens.
    pub(super) at: usize,
    pub(super) shown: String,
    /// How often, not how long.
    pub(super) again: bool,
    /// What else is spoken of around it, by stems.
    pub(super) near: Vec<String>,
}

const WORDS: &[(&str, f64)] = &[
    ("zero", 0.0),
    ("one", 1.0),
    ("two", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("five", 5.0),
    ("six", 6.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
    ("eleven", 11.0),
    ("twelve", 12.0),
    ("fifteen", 15.0),
    ("sixteen", 16.0),
    ("twenty", 20.0),
    ("thirty", 30.0),
    ("forty", 40.0),
    ("fifty", 50.0),
    ("sixty", 60.0),
    ("ninety", 90.0),
    ("hundred", 100.0),
    ("thousand", 1000.0),
    ("million", 1e6),
    ("dozen", 12.0),
    ("twice", 2.0),
    ("thrice", 3.0),
    ("couple", 2.0),
];

/// How long it takes until it comes again.
const PERIODS: &[(&str, f64)] = &[
    ("hourly", 3600.0),
    ("daily", 86_400.0),
    ("nightly", 86_400.0),
    ("weekly", 7.0 * 86_400.0),
    ("fortnightly", 14.0 * 86_400.0),
    ("biweekly", 14.0 * 86_400.0),
    ("monthly", 30.0 * 86_400.0),
    ("quarterly", 91.0 * 86_400.0),
    ("yearly", 365.0 * 86_400.0),
    ("annually", 365.0 * 86_400.0),
];

pub(super) fn word(lower: &str) -> Option<Number> {
    let value = WORDS.iter().find(|(word, _)| *word == lower)?.1;
    Some(Number { value, form: Form::Plain })
}

/// A word that begins with a digit, and the unit stuck to it.
pub(super) fn number(lower: &str) -> Option<(Number, &str)> {
    let text = lower.trim_start_matches(['~', '≈', '±', '<', '>', '=', '≤', '≥', '$', '€', '£', '#']);
    let text = text.strip_prefix('-').filter(|rest| rest.len() < text.len()).unwrap_or(text);
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let digits = text.find(|c: char| !(c.is_ascii_digit() || ['.', ',', ':', '_'].contains(&c))).unwrap_or(text.len());
    let (figure, unit) = text.split_at(digits);
    let unit = unit.strip_prefix('-').unwrap_or(unit);
    let figure = figure.trim_end_matches(['.', ',', ':', '_']);
    if !unit.chars().all(|c| c.is_alphabetic() || ['%', '+', 'µ', '°'].contains(&c)) || unit.chars().count() > 12 {
        return None;
    }
    if let Some((hours, minutes)) = figure.split_once(':') {
        let (hours, minutes) = (hours.parse::<f64>().ok()?, minutes.get(..2)?.parse::<f64>().ok()?);
        let late = if unit == "pm" && hours < 12.0 { 12.0 } else { 0.0 };
        return Some((Number { value: (hours + late) * 60.0 + minutes, form: Form::Clock }, ""));
    }
    if figure.matches('.').count() > 1 {
        let value = figure.split('.').take(4).fold(0.0, |sum, part| sum * 1000.0 + part.parse::<f64>().unwrap_or(0.0));
        return Some((Number { value, form: Form::Version }, ""));
    }
    let value = figure.replace([',', '_'], "").parse::<f64>().ok()?;
    let plain = |value| Number { value, form: Form::Plain };
    Some(match unit {
        "%" => (Number { value, form: Form::Percent }, ""),
        "k" => (plain(value * 1e3), ""),
        "am" => (Number { value: value * 60.0, form: Form::Clock }, ""),
        "pm" => (Number { value: (if value < 12.0 { value + 12.0 } else { value }) * 60.0, form: Form::Clock }, ""),
        "st" | "nd" | "rd" | "th" | "x" | "+" => (plain(value), ""),
        _ => (plain(value), unit.trim_end_matches('+')),
    })
}

/// Is this the unit of the number before it?
pub(super) fn is_unit(lower: &str) -> bool {
    unit(lower).is_some()
}

/// What a unit measures, and how much of the base it is.
fn unit(lower: &str) -> Option<(Measure, f64)> {
    let seconds = |factor| Some((Measure::Seconds, factor));
    let bytes = |factor| Some((Measure::Bytes, factor));
    match lower {
        "ns" | "nanosecond" | "nanoseconds" => seconds(1e-9),
        "µs" | "us" | "microsecond" | "microseconds" => seconds(1e-6),
        "ms" | "millisecond" | "milliseconds" | "msec" | "millis" => seconds(1e-3),
        "s" | "sec" | "secs" | "second" | "seconds" => seconds(1.0),
        "m" | "min" | "mins" | "minute" | "minutes" => seconds(60.0),
        "h" | "hr" | "hrs" | "hour" | "hours" => seconds(3600.0),
        "d" | "day" | "days" => seconds(86_400.0),
        "w" | "week" | "weeks" => seconds(7.0 * 86_400.0),
        "fortnight" => seconds(14.0 * 86_400.0),
        "month" | "months" => seconds(30.0 * 86_400.0),
        "quarter" | "quarters" => seconds(91.0 * 86_400.0),
        "y" | "year" | "years" | "yr" | "yrs" => seconds(365.0 * 86_400.0),
        "b" | "byte" | "bytes" => bytes(1.0),
        "kb" | "kib" | "kilobyte" | "kilobytes" => bytes(1e3),
        "mb" | "mib" | "mi" | "megabyte" | "megabytes" | "meg" => bytes(1e6),
        "gb" | "gib" | "gi" | "g" | "gigabyte" | "gigabytes" | "gig" => bytes(1e9),
        "tb" | "tib" | "terabyte" | "terabytes" => bytes(1e12),
        "%" | "percent" | "pct" => Some((Measure::Percent, 1.0)),
        "dollar" | "dollars" | "usd" | "euro" | "euros" | "eur" | "cent" | "cents" => Some((Measure::Money, 1.0)),
        "o'clock" => Some((Measure::Clock, 60.0)),
        _ => None,
    }
}

const AT_LEAST: &[&str] =
    &["least", "minimum", "min", "over", "above", "exceeds", "beyond", "fewer", "longer", "older"];
const AT_MOST: &[&str] = &[
    "most", "maximum", "max", "under", "below", "within", "up", "limit", "limited", "inside", "capped", "cap", "beyond",
];

pub(super) fn quantities(tokens: &[Token]) -> Vec<Quantity> {
    let mut found: Vec<Quantity> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let Some(mut number) = tokens[at].number else {
            found.extend(period(tokens, at));
            at += 1;
            continue;
        };
        let start = at;
        // "one hundred", "2 million"
        while let Some(next) = tokens.get(at + 1).and_then(|next| next.number).filter(|next| next.value >= 100.0) {
            let spelled = tokens[at + 1].raw.starts_with(|c: char| c.is_alphabetic());
            if !spelled {
                break;
            }
            number.value *= next.value;
            at += 1;
        }
        found.push(measure(tokens, start, at, number));
        at += 1;
    }
    found
}

/// "daily", "every week", "once an hour", and the number of "twice a day".
fn period(tokens: &[Token], at: usize) -> Option<Quantity> {
    let token = &tokens[at];
    let quantity = |value, shown: String| {
        Some(Quantity {
            value,
            measure: Measure::Seconds,
            bound: Bound::Exactly,
            at,
            shown,
            again: true,
            near: Vec::new(),
        })
    };
    if let Some((_, value)) = PERIODS.iter().find(|(word, _)| *word == token.lower) {
        return quantity(*value, token.raw.clone());
    }
    let next = tokens.get(at + 1).filter(|next| next.gap == Break::None)?;
    let before = at.checked_sub(1).map_or("", |before| tokens[before].lower.as_str());
    const MEASURED: [&str; 14] =
        ["of", "for", "within", "in", "than", "takes", "lasts", "about", "is", "are", "after", "take", "last", "every"];
    let half = ["half", "quarter"].contains(&before) || before == "of" && at > 1 && tokens[at - 2].lower == "quarter";
    if ["a", "an"].contains(&token.lower.as_str()) && (half || MEASURED.contains(&before)) {
        let part = match () {
            () if before == "half" => 0.5,
            () if half => 0.25,
            () => 1.0,
        };
        if let Some((measure @ (Measure::Seconds | Measure::Bytes), factor)) = unit(&next.lower) {
            let shown = format!("{} {}", token.raw, next.raw);
            let again = before == "every";
            return Some(Quantity {
                value: factor * part,
                measure,
                bound: Bound::Exactly,
                at,
                shown,
                again,
                near: Vec::new(),
            });
        }
    }
    let every = ["every", "each"].contains(&token.lower.as_str());
    let once = token.lower == "once" && ["a", "an", "per", "every", "each"].contains(&next.lower.as_str());
    let named = if once { tokens.get(at + 2)? } else { next };
    match unit(&named.lower) {
        Some((Measure::Seconds, factor)) if every || once => quantity(factor, format!("{} {}", token.raw, named.raw)),
        _ => None,
    }
}

fn measure(tokens: &[Token], start: usize, end: usize, number: Number) -> Quantity {
    let next = tokens.get(end + 1).filter(|next| next.gap == Break::None);
    let before = start.checked_sub(1).and_then(|at| tokens.get(at)).filter(|_| tokens[start].gap == Break::None);
    let mut shown: String = tokens[start..=end].iter().map(|token| token.raw.as_str()).collect::<Vec<_>>().join(" ");
    let mut value = number.value;
    let times =
        ["twice", "thrice"].contains(&tokens[start].lower.as_str()) || next.is_some_and(|next| next.stem == "time");
    let per = if next.is_some_and(|next| next.stem == "time") { end + 2 } else { end + 1 };
    if let (true, Some(per), Some(named)) = (times, tokens.get(per), tokens.get(per + 1))
        && ["a", "an", "per", "each", "every"].contains(&per.lower.as_str())
        && let Some((Measure::Seconds, factor)) = unit(&named.lower)
        && value > 0.0
    {
        let shown = format!("{shown} {} {}", per.raw, named.raw);
        let measure = Measure::Seconds;
        return Quantity {
            value: factor / value,
            measure,
            bound: Bound::Exactly,
            at: start,
            shown,
            again: true,
            near: Vec::new(),
        };
    }
    let unit = next.and_then(|next| unit(&next.lower));
    let measure = match (number.form, unit) {
        (Form::Clock, _) => Measure::Clock,
        (Form::Percent, _) => Measure::Percent,
        (_, Some((measure, factor))) => {
            value *= factor;
            shown = format!("{shown} {}", next.map_or("", |next| next.raw.as_str()));
            measure
        }
        (form, None) => match before.filter(|before| is_product(before)) {
            Some(product) => Measure::Version(product.stem.clone()),
            None if form == Form::Version => Measure::Version(String::new()),
            None => Measure::Count(counted(tokens, end)),
        },
    };
    let around = &tokens[start.saturating_sub(3)..start];
    let says = |list: &[&str]| around.iter().any(|token| list.contains(&token.lower.as_str()));
    let more = next.is_some_and(|next| next.lower == "or")
        && tokens.get(end + 2).is_some_and(|after| ["more", "above", "older"].contains(&after.lower.as_str()));
    let bound = match () {
        () if more || says(AT_LEAST) => Bound::AtLeast,
        () if says(AT_MOST) => Bound::AtMost,
        () => Bound::Exactly,
    };
    let again = before.is_some_and(|before| ["every", "each"].contains(&before.lower.as_str()));
    Quantity { value, measure, bound, at: start, shown, again, near: near(tokens, start) }
}

fn near(tokens: &[Token], at: usize) -> Vec<String> {
    let around = &tokens[at.saturating_sub(6)..(at + 6).min(tokens.len())];
    around
        .iter()
        .filter(|token| token.has_content() && token.number.is_none())
        .map(|token| token.stem.clone())
        .collect()
}

fn is_product(token: &Token) -> bool {
    let known = token.senses.iter().any(|sense| sense.table == lexicon::Table::Choices);
    let shouted = token.raw.len() > 1 && token.raw.chars().all(|c| c.is_ascii_uppercase());
    token.has_content() && token.kind != Kind::Number && (known || token.kind == Kind::Name || shouted)
}

/// The head of what follows: "12 flaky tests" counts tests.
fn counted(tokens: &[Token], end: usize) -> String {
    let follows = tokens.get(end + 1..).unwrap_or_default();
    let run = follows.iter().take(3).take_while(|token| token.gap == Break::None && token.has_content());
    let nouns = run.take_while(|token| token.kind != Kind::Number).take(2);
    nouns.last().map(|token| token.stem.clone()).unwrap_or_default()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Match {
    Equal,
    Differs,
    /// Of different things.
    Apart,
}

pub(super) fn compare(one: &Quantity, other: &Quantity) -> Match {
    let equal = (one.value - other.value).abs() <= 1e-6 * one.value.abs().max(other.value.abs()).max(1e-12);
    // Ports, dimensions, limits: nobody has to say of what.
    let large = one.value >= 100.0 && other.value >= 100.0;
    let comparable = match (&one.measure, &other.measure) {
        (Measure::Count(a), Measure::Count(b)) => {
            let same = |one: &str, other: &str| {
                one == other
                    || lexicon::relate(lexicon::senses(one), lexicon::senses(other)).0 == lexicon::Relation::Same
            };
            let spoken_of = |noun: &str, near: &[String]| near.iter().any(|other| same(noun, other));
            match (a.is_empty(), b.is_empty()) {
                (true, true) => true,
                (false, false) => same(a, b),
                (true, false) => large || spoken_of(b, &one.near),
                (false, true) => large || spoken_of(a, &other.near),
            }
        }
        (Measure::Version(a), Measure::Version(b)) => a == b || a.is_empty() || b.is_empty(),
        (Measure::Count(count), Measure::Version(_)) | (Measure::Version(_), Measure::Count(count)) => {
            equal || count.is_empty()
        }
        (Measure::Seconds, Measure::Seconds) => equal || one.again == other.again,
        (a, b) => a == b,
    };
    match (comparable, equal) {
        (true, true) => Match::Equal,
        (true, false) => Match::Differs,
        (false, _) => Match::Apart,
    }
}
