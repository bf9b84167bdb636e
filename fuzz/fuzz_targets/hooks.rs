//! What agents hand to a hook: JSON, as far as anybody knows.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lokid::serve::hook::{Event, waiting};
use lokid_model::Timestamp;

const NAMES: [&str; 5] = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"];

fuzz_target!(|input: &[u8]| {
    for name in NAMES {
        let event = Event::new(None, name, Timestamp::from_micros(0), Some("/app".into()), input.to_vec());
        waiting(&event, &str::to_owned);
    }
});
