//! The corpus: planted secrets, which must be found, and innocent lines, which must stay.
//!
//! In `planted.txt` a secret stands between « and »; `{{}}` breaks it so that no scanner takes this repository for a
//! leak, and ⏎ is the end of a line.

use super::super::Redactor;

const PLANTED: &str = include_str!("../../../../../tests/data/redact/planted.txt");
const INNOCENT: &str = include_str!("../../../../../tests/data/redact/innocent.txt");
/// Written when the rules stood.
const PLANTED_LATER: &str = include_str!("../../../../../tests/data/redact/planted_later.txt");
const INNOCENT_LATER: &str = include_str!("../../../../../tests/data/redact/innocent_later.txt");

/// What had slipped through: formats of vendors, speech, tables, blocks, other languages, disguises.
const PLANTED_SLIPS: &str = include_str!("../../../../../tests/data/redact/planted_slips.txt");
const INNOCENT_SLIPS: &str = include_str!("../../../../../tests/data/redact/innocent_slips.txt");

/// What a part of the corpus has shown.
struct Tally {
    all: usize,
    found: usize,
    exact: usize,
}

impl Tally {
    fn recall(&self) -> f64 {
        self.found as f64 / self.all as f64
    }
}

fn load(line: &str) -> String {
    line.replace("{{}}", "").replace('⏎', "\n")
}

/// The secrets of a planted line.
fn secrets(line: &str) -> Vec<&str> {
    line.split('«').skip(1).filter_map(|rest| rest.split('»').next()).collect()
}

/// Whether enough of a secret is left to be worth something: eight characters in a row, or all of a short one.
pub(super) fn leaks(text: &str, secret: &str) -> bool {
    let characters: Vec<char> = secret.chars().collect();
    let size = characters.len().min(8);
    characters.windows(size).any(|window| text.contains(&window.iter().collect::<String>()))
}

/// The text with every replacement reading alike.
fn unnamed(text: &str) -> String {
    let mut parts = text.split("[redacted:");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str("[redacted]");
        plain.push_str(part.split_once(']').map_or("", |(_, rest)| rest));
    }
    plain
}

fn tally<'a>(redactor: &Redactor, lines: impl Iterator<Item = &'a str>) -> Tally {
    let mut tally = Tally { all: 0, found: 0, exact: 0 };
    for line in lines {
        let marked = load(line);
        let plain = marked.replace(['«', '»'], "");
        let redacted = redactor.redact(&plain);
        let expect = secrets(&marked)
            .iter()
            .fold(marked.clone(), |text, secret| text.replacen(&format!("«{secret}»"), "[redacted]", 1));
        for secret in secrets(&marked) {
            tally.all += 1;
            if leaks(&redacted.text, secret) {
                println!("missed: {plain:?}\n     -> {:?}", redacted.text);
            } else {
                tally.found += 1;
                let exact = unnamed(&redacted.text) == expect;
                tally.exact += usize::from(exact);
                if !exact {
                    println!("not exact: {plain:?}\n        -> {:?}", redacted.text);
                }
            }
        }
    }
    tally
}

fn wronged(redactor: &Redactor, lines: &str) -> usize {
    let wrong = lines.lines().filter(|line| {
        let plain = load(line);
        let redacted = redactor.redact(&plain);
        if redacted.text != plain {
            println!("false: {plain:?}\n    -> {:?}", redacted.text);
        }
        redacted.text != plain
    });
    wrong.count()
}

fn check(planted: &str, innocent: &str) {
    let redactor = Redactor::built_in();
    let planted = tally(&redactor, planted.lines());
    let wrong = wronged(&redactor, innocent);
    let innocent = innocent.lines().count();
    let share = wrong as f64 / innocent as f64;
    println!("planted {}, recall {:.4}, exact {}", planted.all, planted.recall(), planted.exact);
    println!("innocent {innocent}, taken for secrets {wrong} ({share:.4})");
    assert!(planted.recall() >= 0.98, "recall {:.4}", planted.recall());
    assert!(planted.exact * 100 >= planted.all * 95, "{} of {} were cut out exactly", planted.exact, planted.all);
    assert!(share <= 0.01, "{wrong} of {innocent} innocent lines were changed");
}

#[test]
fn planted_secrets_are_found_and_lookalikes_stay() {
    assert!(PLANTED.lines().count() >= 90 && INNOCENT.lines().count() >= 300);
    check(PLANTED, INNOCENT);
}

#[test]
fn what_was_planted_later_is_found_as_well() {
    check(PLANTED_LATER, INNOCENT_LATER);
}

#[test]
fn what_had_slipped_through_is_found() {
    check(PLANTED_SLIPS, INNOCENT_SLIPS);
}
