//! `CONTINUITY.md`, whoever wrote it. What is read twice is no news.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lokid_encode::continuity::{Continuity, drafts, looks_complete, read, what_is_new};
use lokid_model::Timestamp;

fuzz_target!(|text: &str| {
    let found = read(text);
    looks_complete(text, Some("# x\n"));
    drafts(&what_is_new(&Continuity::default(), &found), Timestamp::from_micros(0));
    assert!(what_is_new(&found, &found).is_empty());
});
