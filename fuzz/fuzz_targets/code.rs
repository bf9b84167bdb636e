//! Source code of every language there is a grammar for.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lokid_encode::code::{Language, Parser};

fuzz_target!(|text: &str| {
    let mut parser = Parser::new();
    for path in ["a.rs", "a.py", "a.go", "a.ts", "a.tsx", "a.js", "a.java", "a.c", "a.cpp"] {
        if let Some(language) = Language::of(path) {
            parser.study(language, path, text);
        }
    }
});
