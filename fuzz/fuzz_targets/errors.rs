//! Logs of any tool. What is kept of a failure has a bound.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lokid_encode::errors::ErrorReader;

fuzz_target!(|text: &str| {
    let mut reader = ErrorReader::new();
    let mut found: Vec<_> = text.lines().flat_map(|line| reader.line(line)).collect();
    found.extend(reader.flush());
    assert!(found.iter().all(|failure| failure.excerpt.len() <= 2048));
});
