//! Loki Mode's events, failures and queues: JSON lines and documents.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lokid_encode::traces::{crash, event_line, failure_line, last_error, memory_error_line, orchestrator};

fuzz_target!(|text: &str| {
    for line in text.lines() {
        event_line(line);
        failure_line(line);
        memory_error_line(line);
    }
    orchestrator(Some(text), text);
    last_error(text);
    crash(text);
});
