//! Number words become numbers, and numbers take their unit, the noun they count or the name whose version they are.

use super::lexicon::lexicon;
use super::number::{self, Bound, Dimension, Quantity};
use super::words::{Pause, Word};

/// How often, as the time between.
const PERIODS: &[(&str, f64)] = &[
    ("minutely", 60.0),
    ("hourly", 3600.0),
    ("daily", 86400.0),
    ("nightly", 86400.0),
    ("weekly", 604_800.0),
    ("biweekly", 1_209_600.0),
    ("fortnightly", 1_209_600.0),
    ("monthly", 2_592_000.0),
    ("quarterly", 7_776_000.0),
    ("yearly", 31_536_000.0),
    ("annually", 31_536_000.0),
];

/// Number words become numbers, and numbers take their unit or the noun they count.
pub(super) fn numbers(mut words: Vec<Word>) -> Vec<Word> {
    for at in 0..words.len() {
        if let Some((_, value)) = PERIODS.iter().find(|(period, _)| *period == words[at].lemma) {
            let quantity =
                Quantity { value: *value, dimension: Dimension::Seconds, bound: Bound::Exact, of: String::new() };
            words[at].quantity = Some(quantity);
        }
        if words[at].quantity.is_none()
            && let Some(value) = number::word(&words[at].lower)
        {
            // `one` is a pronoun unless it counts a noun.
            let counts = words.get(at + 1).is_some_and(|next| next.pause == Pause::None && next.quantity.is_none());
            if words[at].lower != "one" || counts {
                let quantity = Quantity { value, dimension: Dimension::Count, bound: Bound::Exact, of: String::new() };
                words[at].quantity = Some(quantity);
            }
        }
    }
    let mut at = 0;
    while at < words.len() {
        // `a hundred and twenty` is rare; `two hundred`, `five thousand` are not.
        if let (Some(first), Some(second)) = (
            words[at].quantity.clone(),
            words.get(at + 1).filter(|next| next.pause == Pause::None).and_then(|next| next.quantity.clone()),
        ) && first.dimension == Dimension::Count
            && second.dimension == Dimension::Count
            && words[at + 1].lower.starts_with(|letter: char| letter.is_alphabetic())
        {
            let value = if second.value >= 100.0 || second.value == 12.0 {
                first.value * second.value
            } else {
                first.value + second.value
            };
            words[at].quantity = Some(Quantity { value, ..first });
            words.remove(at + 1);
            continue;
        }
        measure(&mut words, at);
        at += 1;
    }
    words
}

fn measure(words: &mut Vec<Word>, at: usize) {
    let Some(mut quantity) = words[at].quantity.clone() else { return };
    if quantity.dimension == Dimension::Count {
        let follows = words.get(at + 1).filter(|next| next.pause == Pause::None && next.quantity.is_none()).cloned();
        if let Some((dimension, factor)) =
            follows.as_ref().and_then(|next| number::unit(&next.lemma).or_else(|| number::unit(&next.lower)))
            && !(follows.as_ref().is_some_and(|next| next.lower.len() == 1 && next.lower == "x"))
        {
            let unit = follows.map(|next| next.lower).unwrap_or_default();
            quantity.value = number::clock_of(quantity.value, &unit).unwrap_or(quantity.value * factor);
            quantity.dimension = dimension;
            words.remove(at + 1);
        } else if is_date(words, at, quantity.value) {
            quantity.dimension = Dimension::Date;
        } else if let Some(name) = version_of(words, at, quantity.value) {
            quantity.value =
                number::parse(&format!("v{}", words[at].lower)).map_or(quantity.value, |version| version.value);
            quantity.of = name;
            quantity.dimension = Dimension::Version;
        } else {
            quantity.of = words[at + 1..]
                .iter()
                .take(3)
                .take_while(|next| next.pause == Pause::None)
                .filter(|next| next.plural || quantity.value == 1.0)
                .map(|next| next.lemma.clone())
                .next()
                .unwrap_or_default();
        }
    } else if quantity.dimension == Dimension::Version {
        quantity.of = before(words, at).map(|word| word.lemma.clone()).unwrap_or_default();
    }
    if quantity.bound == Bound::Exact {
        let near = |cues: &[&str]| {
            (1..=2).filter_map(|back| at.checked_sub(back)).any(|place| cues.contains(&words[place].lemma.as_str()))
                || words.get(at + 1).is_some_and(|next| {
                    cues.contains(&next.lemma.as_str()) && next.lemma != "over" && next.lemma != "under"
                })
        };
        if near(&["atleast", "minimum", "min", "over", "above", "exceed"]) {
            quantity.bound = Bound::AtLeast;
        } else if near(&["atmost", "maximum", "max", "under", "below", "within"]) {
            quantity.bound = Bound::AtMost;
        }
    }
    words[at].quantity = Some(quantity);
}

fn before(words: &[Word], at: usize) -> Option<&Word> {
    let last = words.get(at.checked_sub(1)?)?;
    if matches!(last.lemma.as_str(), "version" | "v" | "release") { words.get(at.checked_sub(2)?) } else { Some(last) }
        .filter(|word| word.quantity.is_none())
}

/// `Node 16`, `Python 3.12`, `React 18`: a number right after a name, without a unit.
fn version_of(words: &[Word], at: usize, value: f64) -> Option<String> {
    if words[at].pause != Pause::None || words[at].lower.starts_with(|letter: char| letter.is_alphabetic()) {
        return None;
    }
    let named = before(words, at)?;
    let versioned = named.name
        || named.code
        || lexicon().get(&named.lemma).is_some_and(|entry| entry.names_a_choice())
        || matches!(words.get(at.checked_sub(1)?)?.lemma.as_str(), "version" | "v" | "edition")
        || LABELLED.contains(&named.lemma.as_str());
    let follows_noun = words.get(at + 1).is_some_and(|next| next.plural && next.pause == Pause::None);
    (versioned && !follows_noun && value < 3000.0).then(|| named.lemma.clone())
}

/// A number after one of these says which, not how many.
const LABELLED: &[&str] = &[
    "level",
    "phase",
    "step",
    "stage",
    "week",
    "tier",
    "layer",
    "chapter",
    "bank",
    "sprint",
    "milestone",
    "severity",
    "priority",
    "rule",
    "section",
    "appendix",
    "table",
    "figure",
    "node",
    "zone",
    "room",
    "version",
    "release",
];

const MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
    "q",
    "since",
];

fn is_date(words: &[Word], at: usize, value: f64) -> bool {
    let near = |place: Option<usize>| {
        place.and_then(|place| words.get(place)).is_some_and(|word| MONTHS.contains(&word.lower.as_str()))
    };
    (value.fract() == 0.0
        && (1990.0..2040.0).contains(&value)
        && words[at].lower.len() == 4
        && !words.get(at + 1).is_some_and(|next| next.plural && next.pause == Pause::None))
        || (value <= 31.0 && value.fract() == 0.0 && (near(at.checked_sub(1)) || near(Some(at + 1))))
}
