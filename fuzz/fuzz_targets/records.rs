//! Memories as they stand on disk, and skills as Markdown. What was read and written is read the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lokid_store::schema::{Detail, record, skill_text};

fuzz_target!(|text: &str| {
    if let Some(skill) = skill_text::parse(text) {
        skill_text::patch(text, &skill, &skill);
    }
    let Ok(object) = serde_json::from_str(text) else { return };
    if let Ok(memory) = record::read(object) {
        let again = record::read(record::write(&memory, Detail::Whole)).expect("what was written can be read");
        assert_eq!(record::content(&memory), record::content(&again));
    }
});
