//! A transcript of Claude Code or Codex, or lines that look like one.
#![no_main]

use std::borrow::Cow;

use libfuzzer_sys::fuzz_target;
use lokid_encode::transcript::Transcript;

fuzz_target!(|text: &str| {
    let strip = |text: &str| -> Cow<'_, str> { Cow::Owned(text.to_owned()) };
    for mut transcript in [Transcript::claude(&strip), Transcript::codex(&strip)] {
        text.lines().for_each(|line| transcript.line(line));
        transcript.finish();
    }
});
