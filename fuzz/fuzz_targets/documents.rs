#![no_main]

libfuzzer_sys::fuzz_target!(|input: &str| lokid_fuzz::documents(input));
