//! What keeps two statements from saying the same, whatever else is thought of them: another quantity of the same sort,
//! in digits or a small number before a unit, or another name in code in its place. It tells only that two texts differ,
//! never that they agree.

use std::collections::BTreeMap;

use crate::words::words;

/// What is measured, and how much of its base unit, as text, so that it can be compared.
type Quantity = (&'static str, String);

/// The value of one that the other has another for, each as it is written.
pub(super) fn difference(a: &str, b: &str) -> Option<(String, String)> {
    let (one, other) = (quantities(a), quantities(b));
    let of = |all: &BTreeMap<Quantity, String>, kind: &str| -> Vec<(Quantity, String)> {
        all.iter()
            .filter(|(value, _)| value.0 == kind)
            .map(|(value, written)| (value.clone(), written.clone()))
            .collect()
    };
    for kind in one.keys().map(|(kind, _)| *kind) {
        let (ours, theirs) = (of(&one, kind), of(&other, kind));
        if let (Some(first), Some(second)) = (ours.first(), theirs.first())
            && ours.iter().all(|(value, _)| !other.contains_key(value))
        {
            return Some((first.1.clone(), second.1.clone()));
        }
    }
    let (lower_a, lower_b) = (a.to_lowercase(), b.to_lowercase());
    let names = |text: &str, elsewhere: &str| names(text).find(|name| !elsewhere.contains(&name.to_lowercase()));
    names(a, &lower_b).zip(names(b, &lower_a))
}

/// What only code, paths and addresses look like.
fn names(text: &str) -> impl Iterator<Item = String> + '_ {
    let coded = text.split('`').skip(1).step_by(2).flat_map(words);
    let looks_so = |word: &&str| {
        let inside = word.chars().skip(1);
        let has_mark = word.trim_start_matches("--").contains(['_', '/', '.', ':', '@', '#', '$', '=']);
        let is_number = word.starts_with(|letter: char| letter.is_ascii_digit());
        !is_number && (has_mark || inside.clone().any(char::is_uppercase) && inside.clone().any(char::is_lowercase))
    };
    let bare = |word: &str| word.trim_start_matches("./").trim_start_matches('-').to_owned();
    coded.filter(|word| quantity(word, None).is_none()).chain(words(text).filter(looks_so)).map(bare)
}

fn quantities(text: &str) -> BTreeMap<Quantity, String> {
    let all: Vec<&str> = words(text).collect();
    let mut found = BTreeMap::new();
    for (at, word) in all.iter().enumerate() {
        let next = all.get(at + 1).copied();
        if let Some(value) = quantity(word, next) {
            let unit = next.filter(|next| unit(next).is_some()).map_or_else(String::new, |unit| format!(" {unit}"));
            found.insert(value, format!("{word}{unit}"));
        }
    }
    found
}

fn quantity(word: &str, next: Option<&str>) -> Option<Quantity> {
    let lower = word.to_lowercase();
    // "One minute", "an hour": only before a unit is a small word a number.
    if let (Some(amount), Some((kind, factor))) = (spelled(&lower), next.and_then(unit)) {
        return Some((kind, format!("{:.6e}", amount * factor)));
    }
    let (number, rest) = numeral(&lower)?;
    let (kind, factor) = match rest.trim_start_matches('-') {
        "" => next.and_then(unit).unwrap_or(("", 1.0)),
        "k" => ("", 1e3),
        // `3rd`, `2x`, `03:00`: what is glued to a number and measures nothing belongs to its name.
        glued => unit(glued)?,
    };
    // A version has more than one point.
    let value = number.parse::<f64>().map_or_else(|_| number.clone(), |amount| format!("{:.6e}", amount * factor));
    Some((kind, value))
}

fn spelled(word: &str) -> Option<f64> {
    const NUMBERS: [&str; 12] =
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    let at = NUMBERS.iter().position(|number| *number == word);
    at.map(|at| at as f64 + 1.0).or_else(|| ["a", "an"].contains(&word).then_some(1.0))
}

/// The digits a word begins with, and what is left of it.
fn numeral(word: &str) -> Option<(String, &str)> {
    let bare = word.trim_start_matches(['v', '#', '>', '=', '<', '~', '^', '$', '€']);
    let end = bare.find(|letter: char| !letter.is_ascii_digit() && !['.', ','].contains(&letter));
    let (digits, rest) = bare.split_at(end.unwrap_or(bare.len()));
    let digits = digits.trim_end_matches(['.', ',']);
    if !digits.starts_with(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    let mut groups = digits.split('.').next().unwrap_or(digits).split(',').skip(1);
    let thousands = digits.contains(',') && groups.all(|group| group.len() == 3);
    Some((if thousands { digits.replace(',', "") } else { digits.to_owned() }, rest))
}

/// What a unit measures, and how much of the base unit it is.
fn unit(word: &str) -> Option<(&'static str, f64)> {
    let lower = word.to_lowercase();
    let found = UNITS.iter().find(|(_, _, names)| names.split(' ').any(|name| name == lower));
    found.map(|(kind, factor, _)| (*kind, *factor))
}

const UNITS: &[(&str, f64, &str)] = &[
    ("time", 1e-6, "us µs microsecond microseconds"),
    ("time", 1e-3, "ms msec millisecond milliseconds millis"),
    ("time", 1.0, "s sec secs second seconds"),
    ("time", 60.0, "min mins minute minutes"),
    ("time", 3600.0, "h hr hrs hour hours"),
    ("time", 86_400.0, "d day days"),
    ("time", 604_800.0, "w week weeks"),
    ("months", 1.0, "month months"),
    ("months", 12.0, "year years"),
    ("bytes", 1.0, "byte bytes"),
    ("bytes", 1024.0, "kb kib kilobyte kilobytes"),
    ("bytes", 1_048_576.0, "mb mib meg megs megabyte megabytes"),
    ("bytes", 1_073_741_824.0, "gb gib gig gigs gigabyte gigabytes"),
    ("bytes", 1_099_511_627_776.0, "tb tib terabyte terabytes"),
    ("rate", 1.0, "hz hertz"),
    ("rate", 1e3, "khz kilohertz"),
    ("rate", 1e6, "mhz"),
    ("", 1e3, "thousand"),
    ("", 1e6, "million"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_amount_in_another_unit_or_in_words_is_no_difference() {
        for (a, b) in [
            ("Requests time out after 60 s.", "The timeout is one minute."),
            ("Requests time out after 120 s.", "The timeout is 2 minutes."),
            ("Clips are resampled to 48 kHz", "resample all → 48000 Hz"),
            ("At most 1,000 rows", "no more than 1000 rows"),
            ("Retry three times", "retries: 3"),
            ("On call is paged from 10k on", "10,000 and on-call is paged"),
            ("Never push to `main`", "main takes no pushes"),
            ("Use v2 of the API", "the API is used in version 2"),
            ("More than 85%", "85 percent, or 85 of 100"),
            ("No deployments after 4 pm", "from 16:00 on we don't ship"),
            ("Cleanup at 3", "wait 5 minutes"),
        ] {
            assert_eq!(difference(a, b), None, "{a} / {b}");
        }
    }

    #[test]
    fn another_value_is_told_as_it_is_written() {
        let check = |a: &str, b: &str, one: &str, other: &str| {
            assert_eq!(difference(a, b), Some((one.to_owned(), other.to_owned())), "{a} / {b}");
        };
        check("timeout is 30 seconds", "timeout is 60 seconds", "30 seconds", "60 seconds");
        check("timeout is 30s", "timeout is 5 minutes", "30s", "5 minutes");
        check("Docs are at docs.acme.io.", "Docs are at developers.acme.io.", "docs.acme.io", "developers.acme.io");
        check("Python 3.11", "Python 3.12", "3.11", "3.12");
        check("`parse_row` is pure", "`parse_line` is pure", "parse_row", "parse_line");
    }

    #[test]
    fn nothing_is_made_of_odd_texts() {
        for odd in ["", "…", "``", "1.2.3.4:80/x", "v", "-- --x", "9".repeat(400).as_str(), "½ №5 µs"] {
            assert_eq!(difference(odd, odd), None, "{odd}");
        }
    }
}
