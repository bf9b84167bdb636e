//! The recogniser against recorded output of the real tools. Each entry of a corpus says what must be found in it.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

macro_rules! corpus {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/errors/", $name, ".txt")))),*]
    };
}

const CORPORA: &[(&str, &str)] = corpus![
    "rust/rust",
    "rust/cargo",
    "python/python",
    "python/pytest",
    "javascript/javascript",
    "javascript/typescript",
    "javascript/jest",
    "javascript/vitest",
    "javascript/npm",
    "go/go",
    "java/java",
    "java/builders",
    "gcc/gcc",
    "logs/logs",
];
const INNOCENT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/errors/innocent.txt"));

struct Entry {
    corpus: &'static str,
    name: &'static str,
    expect: Vec<Vec<&'static str>>,
    lines: Vec<&'static str>,
}

fn entries() -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for (corpus, text) in CORPORA {
        for line in text.lines() {
            if let Some(heading) = line.strip_prefix("=== failure: ") {
                let (name, _) = heading.rsplit_once(" variant: ").unwrap();
                entries.push(Entry { corpus, name, expect: Vec::new(), lines: Vec::new() });
            } else if let Some(expect) = line.strip_prefix(">>> ") {
                entries.last_mut().unwrap().expect.push(expect.split(" | ").collect());
            } else {
                entries.last_mut().unwrap().lines.push(line);
            }
        }
    }
    entries
}

fn read<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<Failure> {
    let mut reader = ErrorReader::new();
    let mut found: Vec<Failure> = lines.into_iter().flat_map(|line| reader.line(line)).collect();
    found.extend(reader.flush());
    found
}

fn prints(failures: &[Failure]) -> Vec<&str> {
    failures.iter().map(|failure| failure.fingerprint.as_str()).collect()
}

#[test]
fn every_recorded_failure_is_found_as_it_is() {
    let mut wrong = Vec::new();
    for entry in entries() {
        let found = read(entry.lines.iter().copied());
        let told: Vec<String> = found
            .iter()
            .map(|failure| {
                let file = failure.place.as_ref().map_or("-", |place| place.file.as_str());
                format!("{} | {} | {file} | {:?}", failure.tool.name(), failure.kind, failure.test)
            })
            .collect();
        let right = found.len() == entry.expect.len()
            && found.iter().zip(&entry.expect).all(|(failure, expect)| {
                let file = failure.place.as_ref().map_or("-", |place| place.file.as_str());
                let file_right = match expect.get(2) {
                    Some(&"-") | None => failure.place.is_none(),
                    Some(end) => file == *end || file.ends_with(&format!("/{end}")),
                };
                failure.tool.name() == expect[0]
                    && failure.kind == expect[1]
                    && file_right
                    && failure.test.as_deref() == expect.get(3).copied()
                    && !failure.message.is_empty()
            });
        if !right {
            wrong.push(format!("{}: {}\n  expected {:?}\n  found {told:#?}", entry.corpus, entry.name, entry.expect));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn variants_share_a_fingerprint_and_different_failures_do_not() {
    let mut known: BTreeMap<(&str, &str), Vec<Failure>> = BTreeMap::new();
    let mut wrong = Vec::new();
    for entry in entries() {
        let found = read(entry.lines.iter().copied());
        match known.get(&(entry.corpus, entry.name)) {
            Some(first) if prints(first) != prints(&found) => {
                let show = |failures: &[Failure]| {
                    failures
                        .iter()
                        .map(|f| format!("{} {:?} {:?} {:?}", f.kind, normalise(&f.message), f.place, f.frames.first()))
                        .collect::<Vec<_>>()
                };
                wrong.push(format!("{} {}\n{:#?}\n{:#?}", entry.corpus, entry.name, show(first), show(&found)));
            }
            Some(_) => {}
            None => {
                known.insert((entry.corpus, entry.name), found);
            }
        }
    }
    let mut owners: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    for (name, failures) in &known {
        for print in prints(failures) {
            if let Some(other) = owners.insert(print, *name) {
                wrong.push(format!("{other:?} and {name:?} share a fingerprint"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn innocent_lines_give_no_failure() {
    let together = read(INNOCENT.lines());
    assert!(together.is_empty(), "{together:#?}");
    for line in INNOCENT.lines() {
        assert_eq!(read([line]), [], "{line}");
    }
}

#[test]
fn the_corpora_are_large_enough() {
    assert!(INNOCENT.lines().count() >= 80);
    for (name, text) in CORPORA {
        let variants = text.lines().filter(|line| line.starts_with("=== failure: ")).count();
        assert!(variants >= 10, "{name}");
    }
}

#[test]
fn one_log_of_everything_gives_what_the_parts_give() {
    let entries = entries();
    let parts: Vec<Failure> =
        entries.iter().filter(|e| !has_echo_alone(e)).flat_map(|entry| read(entry.lines.iter().copied())).collect();
    let whole = read(
        entries
            .iter()
            .filter(|e| !has_echo_alone(e))
            .flat_map(|entry| ["$ next", ""].into_iter().chain(entry.lines.iter().copied())),
    );
    // A runner's repetition is recognised within a run; two entries of the same run's words would be one.
    let count = |failures: &[Failure]| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for failure in failures {
            *counts.entry(format!("{} {} {:?}", failure.tool.name(), failure.message, failure.place)).or_default() += 1;
        }
        counts
    };
    let (parts, whole) = (count(&parts), count(&whole));
    for (failure, times) in &parts {
        assert!(whole.contains_key(failure), "{failure} ({times}) is lost among the others");
    }
    assert_eq!(parts.keys().collect::<Vec<_>>(), whole.keys().collect::<Vec<_>>());
}

/// Failures that are told only when nothing else has failed just before.
fn has_echo_alone(entry: &Entry) -> bool {
    ["make alone", "segfault", "gradle cannot resolve", "script fails alone"].contains(&entry.name)
}

#[test]
fn collectors_prefixes_and_line_endings_change_nothing() {
    let wraps: [fn(&str) -> String; 4] = [
        |line| format!("web_1  | {line}"),
        |line| format!("2026-11-15T09:05:37.1234567Z {line}"),
        |line| format!("{line}\r"),
        |line| format!("\u{1b}[31m{line}\u{1b}[0m"),
    ];
    for entry in entries() {
        let plain = read(entry.lines.iter().copied());
        for wrap in wraps {
            let lines: Vec<String> = entry.lines.iter().map(|line| wrap(line)).collect();
            let wrapped = read(lines.iter().map(String::as_str));
            assert_eq!(prints(&plain), prints(&wrapped), "{} {} {:?}", entry.corpus, entry.name, lines.first());
        }
    }
}

#[test]
fn streams_that_a_collector_mixed_are_read_apart() {
    let python =
        ["Traceback (most recent call last):", "  File \"/app/a.py\", line 3, in f", "    g()", "KeyError: 'x'"];
    let go = ["panic: boom", "", "goroutine 1 [running]:", "main.main()"];
    let mixed: Vec<String> =
        python.iter().zip(go).flat_map(|(a, b)| [format!("web-1  | {a}"), format!("api-1  | {b}")]).collect();
    let found = read(mixed.iter().map(String::as_str));
    let kinds: Vec<&str> = found.iter().map(|failure| failure.kind.as_str()).collect();
    assert_eq!(kinds, ["panic", "KeyError"]);
}

#[test]
fn a_flush_between_failures_changes_nothing() {
    for entry in entries() {
        let mut reader = ErrorReader::new();
        let mut found: Vec<Failure> = entry.lines.iter().flat_map(|line| reader.line(line)).collect();
        found.extend(reader.flush());
        assert_eq!(reader.flush(), [], "{}", entry.name);
        let again: Vec<Failure> = entry.lines.iter().flat_map(|line| reader.line(line)).collect();
        assert!(again.len() <= found.len(), "{}", entry.name);
    }
}

#[test]
fn what_is_kept_is_bounded() {
    let long = "x".repeat(10_000_000);
    let lines = [format!("ERROR {long}"), format!("KeyError: {long}"), format!("error[E0001]: {long}")];
    for failure in read(lines.iter().map(String::as_str)) {
        assert!(failure.message.chars().count() <= 300);
        assert!(failure.excerpt.len() <= 2048);
    }
    for entry in entries() {
        for failure in read(entry.lines.iter().copied()) {
            assert!(failure.message.chars().count() <= 300 && !failure.message.contains('\n'));
            assert!(failure.excerpt.len() <= 2048 && failure.frames.len() <= 30);
            assert_eq!(failure.fingerprint.len(), 16);
        }
    }
}

#[test]
fn chains_name_their_other_end() {
    let related = |corpus: &str, name: &str| {
        let entry = entries().into_iter().find(|entry| entry.corpus == corpus && entry.name == name).unwrap();
        read(entry.lines.iter().copied()).remove(0).related.unwrap()
    };
    assert_eq!(related("python/python", "raise from"), "KeyError: 'id-4711'");
    assert_eq!(related("java/java", "caused by"), "IllegalStateException: order 4711");
    assert!(related("javascript/javascript", "cause").starts_with("SyntaxError: "));
    assert!(related("python/python", "exception group").starts_with("ValueError: "));
}

#[test]
fn an_old_panic_reads_like_a_new_one() {
    let old = read(["thread 'main' panicked at 'no price for 3', src/main.rs:4:5"]);
    let new = read(["thread 'main' (12) panicked at src/main.rs:9:1:", "no price for 4"]);
    assert_eq!(prints(&old), prints(&new));
    assert_eq!(old[0].message, "no price for 3");
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(lines in proptest::collection::vec(".{0,120}", 0..20)) {
        read(lines.iter().map(String::as_str));
    }

    #[test]
    fn no_mixture_of_real_lines_makes_the_reader_panic(picks in proptest::collection::vec((0usize..6000, 0usize..80), 0..60)) {
        let all: Vec<&str> = CORPORA.iter().flat_map(|(_, text)| text.lines()).collect();
        let cut = |line: &str, at: usize| line.chars().skip(at % 7 * usize::from(at.is_multiple_of(3))).collect::<String>();
        let lines: Vec<String> = picks.iter().map(|(n, at)| cut(all[n % all.len()], *at)).collect();
        for failure in read(lines.iter().map(String::as_str)) {
            prop_assert!(failure.excerpt.len() <= 2048 && failure.message.chars().count() <= 300);
        }
    }

    #[test]
    fn normalising_takes_any_text(message in ".{0,200}") {
        let once = normalise(&message);
        prop_assert!(once.len() <= message.len() * 8 + 8);
    }
}
