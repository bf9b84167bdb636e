//! A transcript of Claude Code or Codex, or lines that look like one.
#![no_main]

use std::borrow::Cow;

use libfuzzer_sys::fuzz_target;
use lokid_encode::transcript::Transcript;

fn unchanged(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

fuzz_target!(|text: &str| {
    for mut transcript in [Transcript::claude(&unchanged), Transcript::codex(&unchanged)] {
        text.lines().for_each(|line| transcript.line(line));
        transcript.finish();
    }
});
