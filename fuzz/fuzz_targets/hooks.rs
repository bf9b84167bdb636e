#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| lokid_fuzz::hooks(input));
