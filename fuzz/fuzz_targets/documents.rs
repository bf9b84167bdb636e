//! Documents of a repository, under every name that is read. The same text teaches the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lokid_encode::documents::{connect, learn, which};

const PATHS: [&str; 6] =
    ["AGENTS.md", "CONTRIBUTING.md", "docs/adr/0001-x.md", "docs/decision-log.md", "docs/testing.md", "docs/contributing.rst"];

fuzz_target!(|text: &str| {
    for path in PATHS {
        let Some(kind) = which(path) else { continue };
        let once = learn(kind, path, text);
        assert_eq!(once, learn(kind, path, text));
        connect([&once]);
    }
});
