//! Whatever reads foreign text, with texts put together at random out of what such texts are made of. `cargo fuzz` calls the
//! same functions for longer.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

#[path = "../../fuzz/src/lib.rs"]
#[expect(unreachable_pub, reason = "there it is a library")]
mod readers;

const PIECES: &[&str] = &[
    "\n",
    "\r\n",
    " ",
    "\t",
    "- ",
    "# ",
    "## In work\n",
    "```",
    "> ",
    "| a | b |\n|---|---|\n",
    "<!-- ",
    " -->",
    "---\n",
    "**",
    "\\",
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "null",
    "1e999",
    "-0",
    "\"id\":\"a\"",
    "\"kind\":\"note\"",
    "\"text\":\"x\"",
    "{\"id\":\"n-1\",\"kind\":\"episode\",\"timestamp\":\"2026-01-06T10:00:00Z\",\"text\":\"x\"}\n",
    "{\"type\":\"user\",\"message\":{\"content\":\"go on\"}}\n",
    "{\"session_id\":\"s\",\"cwd\":\"/app\",\"prompt\":\"go on\"}",
    "name: x\ndescription: y\n",
    "MUST ",
    "never ",
    "because ",
    "## Status\nAccepted\n",
    "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n",
    "ValueError: no\n",
    "error[E0432]: gone\n --> a.rs:1:2\n",
    "panicked at src/a.rs:1:2:\n",
    "at f (a.js:1:2)\n",
    "FAILED tests/a.py::b\n",
    "\u{1b}[31m",
    "\u{0}",
    "\u{200b}",
    "\u{e9}",
    "🚀",
    "password = ",
    "ghp_",
    "-----BEGIN RSA PRIVATE KEY-----\n",
    "AKIA",
    "http://a:b@c/",
    "[redact]\n",
    "enabled = true\n",
    "fn f() {\n",
    "class A:\n  def f(self):\n",
    "func (a *A) F() {",
    "import x from \"y\";\n",
    "HTTP/1.1 200 OK\r\n",
    "Transfer-Encoding: chunked\r\n\r\n",
    "Content-Length: 99999999999\r\n\r\n",
    "0\r\n\r\n",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![9 => select(PIECES).prop_map(str::to_owned), 1 => any::<String>()];
    prop_oneof![select(PIECES).prop_map(str::to_owned), vec(piece, 0..40).prop_map(|pieces| pieces.concat())]
}

macro_rules! read_whatever_comes {
    ($($reader:ident),+) => {
        proptest! {
            #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]
            $(#[test]
            fn $reader(text in text()) {
                readers::$reader(text.as_ref());
            })+
        }
    };
}

read_whatever_comes!(code, config, continuity, documents, errors, hooks, http, records, redact, traces, transcripts);
