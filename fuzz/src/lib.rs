//! What is done with foreign text, whatever it is: one function for each reader of it. The fuzz targets call them, and so do
//! ordinary tests (`tests/it/foreign.rs`), so that they keep up with the program.

use std::borrow::Cow;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::LazyLock;
use std::time::Duration;

use lokid::serve::hook::{Event, waiting};
use lokid_config::Config;
use lokid_encode::code::{Language, Parser};
use lokid_encode::continuity::{Continuity, drafts, looks_complete, read, what_is_new};
use lokid_encode::documents;
use lokid_encode::errors::ErrorReader;
use lokid_encode::redact::Redactor;
use lokid_encode::traces::{crash, event_line, failure_line, last_error, memory_error_line, orchestrator};
use lokid_encode::transcript::Transcript;
use lokid_model::Timestamp;
use lokid_store::schema::{Detail, record, skill_text};
use lokid_sys::http::{Address, HttpLimits, post_json};

/// Source code of every language there is a grammar for.
pub fn code(text: &str) {
    let mut parser = Parser::new();
    for path in ["a.rs", "a.py", "a.go", "a.ts", "a.tsx", "a.js", "a.java", "a.c", "a.cpp"] {
        if let Some(language) = Language::of(path) {
            parser.study(language, path, text);
        }
    }
}

/// A configuration somebody typed. What is refused is refused in words.
pub fn config(text: &str) {
    if let Err(refusal) = Config::parse(text) {
        assert!(!refusal.to_string().is_empty());
    }
}

/// `CONTINUITY.md`, whoever wrote it. What is read twice is no news.
pub fn continuity(text: &str) {
    let found = read(text);
    looks_complete(text, Some("# x\n"));
    drafts(&what_is_new(&Continuity::default(), &found), Timestamp::from_micros(0));
    assert!(what_is_new(&found, &found).is_empty());
}

const PATHS: [&str; 6] = [
    "AGENTS.md",
    "CONTRIBUTING.md",
    "docs/adr/0001-x.md",
    "docs/decision-log.md",
    "docs/testing.md",
    "docs/contributing.rst",
];

/// Documents of a repository, under every name that is read. The same text teaches the same.
pub fn documents(text: &str) {
    for path in PATHS {
        let Some(kind) = documents::which(path) else { continue };
        let once = documents::learn(kind, path, text);
        assert_eq!(once, documents::learn(kind, path, text));
        documents::connect([&once]);
    }
}

/// Logs of any tool. What is kept of a failure has a bound.
pub fn errors(text: &str) {
    let mut reader = ErrorReader::new();
    let mut found: Vec<_> = text.lines().flat_map(|line| reader.line(line)).collect();
    found.extend(reader.flush());
    assert!(found.iter().all(|failure| failure.excerpt.len() <= 2048));
}

const NAMES: [&str; 5] = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"];

/// What agents hand to a hook: JSON, as far as anybody knows.
pub fn hooks(input: &[u8]) {
    for name in NAMES {
        let event = Event::new(None, name, Timestamp::from_micros(0), Some("/app".into()), input.to_vec());
        waiting(&event, &str::to_owned);
    }
}

/// The answer of a server that a person configured: head, chunks, lengths. And the address itself.
pub fn http(answer: &[u8]) {
    let _ = Address::parse(&String::from_utf8_lossy(answer));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it was bound").port();
    let address = Address::parse(&format!("http://127.0.0.1:{port}/v1")).expect("an address");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (mut stream, _) = listener.accept().expect("somebody comes");
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(answer);
        });
        let limits = HttpLimits { time: Duration::from_secs(2), answer: 4096 };
        let _ = post_json(&address, "/x", "{}", limits, &|| false);
    });
}

/// Memories as they stand on disk, and skills as Markdown. What was read and written is read the same.
pub fn records(text: &str) {
    if let Some(skill) = skill_text::parse(text) {
        skill_text::patch(text, &skill, &skill);
    }
    let Ok(object) = serde_json::from_str(text) else { return };
    if let Ok(memory) = record::read(object) {
        let again = record::read(record::write(&memory, Detail::Lean)).expect("what was written can be read");
        assert_eq!(record::content(&memory), record::content(&again));
    }
}

static REDACTOR: LazyLock<Redactor> = LazyLock::new(Redactor::built_in);

/// Secrets are taken out of any text, however it is broken.
pub fn redact(text: &str) {
    REDACTOR.redact(text);
}

/// Loki Mode's events, failures and queues: JSON lines and documents.
pub fn traces(text: &str) {
    for line in text.lines() {
        event_line(line);
        failure_line(line);
        memory_error_line(line);
    }
    orchestrator(Some(text), text);
    last_error(text);
    crash(text);
}

fn unchanged(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

/// A transcript of Claude Code or Codex, or lines that look like one.
pub fn transcripts(text: &str) {
    for mut transcript in [Transcript::claude(&unchanged), Transcript::codex(&unchanged)] {
        text.lines().for_each(|line| transcript.line(line));
        transcript.finish();
    }
}
