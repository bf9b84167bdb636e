//! Dates as people write them in documents, found anywhere in a line. It must not guess the order of 03/04/2021.

use lokid_model::Timestamp;
use lokid_model::time::MONTHS;

/// The first date of a line: `2026-02-18`, `2026/02/18`, `18 February 2026` or `Feb 18th, 2026`.
pub(super) fn find(line: &str) -> Option<Timestamp> {
    let line = crate::prose::head(line, 400);
    numeric(line).or_else(|| spelled(line))
}

fn numeric(line: &str) -> Option<Timestamp> {
    let bytes = line.as_bytes();
    (0..bytes.len().saturating_sub(9)).find_map(|at| {
        let window = &bytes[at..at + 10];
        let separator = window[4];
        let fits = matches!(separator, b'-' | b'/')
            && window[7] == separator
            && window.iter().enumerate().all(|(place, byte)| matches!(place, 4 | 7) || byte.is_ascii_digit());
        let alone = at.checked_sub(1).is_none_or(|before| !bytes[before].is_ascii_alphanumeric())
            && bytes.get(at + 10).is_none_or(|after| !after.is_ascii_digit());
        let text: String = window.iter().map(|byte| if *byte == b'/' { '-' } else { char::from(*byte) }).collect();
        (fits && alone).then(|| Timestamp::parse(&text)).flatten()
    })
}

fn spelled(line: &str) -> Option<Timestamp> {
    let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.windows(3).find_map(|three| {
        let (day, month, year) = match (month(three[0]), month(three[1])) {
            (Some(month), _) => (three[1], month, three[2]),
            (None, Some(month)) => (three[0], month, three[2]),
            _ => return None,
        };
        let day = day.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let well_formed = (1..=2).contains(&day.len()) && year.len() == 4;
        well_formed.then(|| Timestamp::parse(&format!("{year}-{month:02}-{day:0>2}"))).flatten()
    })
}

fn month(word: &str) -> Option<usize> {
    let word = word.to_lowercase();
    let is = |name: &str| name == word || name[..3] == word || word == "sept" && name.starts_with("sept");
    MONTHS.iter().position(|name| is(name)).map(|place| place + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_found_where_people_put_them() {
        let check =
            |line: &str, expect: Option<&str>| assert_eq!(find(line).map(Timestamp::day).as_deref(), expect, "{line}");
        check("## [1.2.0] - 2026-02-18", Some("2026-02-18"));
        check("5.1.0 / 2025-03-31", Some("2025-03-31"));
        check("Released on August 3rd, 2024.", Some("2024-08-03"));
        check("Version 2 (7 Sept 2019)", Some("2019-09-07"));
        check("released 2019/9/7", None);
        check("v2026.02.18", None);
        check("id 12026-02-181", None);
        check("may 45 2020", None);
        check("é2020-01-01", Some("2020-01-01"));
    }

    proptest::proptest! {
        #[test]
        fn no_line_makes_it_panic(line in "\\PC{0,60}") {
            let _ = find(&line);
        }
    }
}
