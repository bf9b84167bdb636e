//! A configuration somebody typed. What is refused is refused in words.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lokid_config::Config;

fuzz_target!(|text: &str| {
    if let Err(refusal) = Config::parse(text) {
        assert!(!refusal.to_string().is_empty());
    }
});
