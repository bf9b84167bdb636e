//! Transcripts of agents as records to import: each session becomes episodes, told anew under the same ids when it is
//! read again.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::args::Import;
use super::failure::Failure;
use super::screen::Screen;
use super::words;
use lokid_encode::own_words::without_own_words;
use lokid_encode::transcript::Transcript;
use lokid_model::citation::{self, Cited};
use lokid_store::schema::{Detail, record};
use lokid_sys::{Clock, plain};

/// What transcripts hold: episodes to import, a line each, and the memories that each session said it applied.
#[derive(Default)]
pub(super) struct Told {
    pub(super) lines: Vec<u8>,
    pub(super) cited: Vec<(String, Vec<String>)>,
}

/// Everything the transcripts that were named tell.
pub(super) fn read_all(import: &Import, screen: &mut Screen) -> Result<Told, Failure> {
    let mut told = Told::default();
    let claude = files(&import.claude_transcript)?.into_iter().map(|file| (file, true));
    let codex = files(&import.codex_transcript)?.into_iter().map(|file| (file, false));
    for (file, is_claude) in claude.chain(codex) {
        let transcript = match is_claude {
            true => Transcript::claude(&without_own_words),
            false => Transcript::codex(&without_own_words),
        };
        let unread = read(&file, transcript, &mut told)?;
        if unread > 0 {
            let many = words::count(unread, "line", "lines");
            screen.warn(format!("{}: {many} could not be read and were passed over", file.display()));
        }
    }
    Ok(told)
}

/// Files as they are, folders as the transcripts in them.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut all = Vec::new();
    for path in paths {
        if plain::is_file(path) {
            all.push(path.clone());
            continue;
        }
        let found = plain::files_in(path)
            .map_err(|error| Failure::usage(format!("cannot read {}: {error}", path.display())))?;
        let mut found: Vec<PathBuf> =
            found.into_iter().filter(|file| file.extension().is_some_and(|ending| ending == "jsonl")).collect();
        if found.is_empty() {
            return Err(Failure::usage(format!("there is no transcript (*.jsonl) in {}", path.display())));
        }
        found.sort();
        all.append(&mut found);
    }
    Ok(all)
}

/// Answers with how many lines could not be read.
fn read(file: &Path, mut transcript: Transcript<'_>, told: &mut Told) -> Result<u64, Failure> {
    let failed = |error: std::io::Error| Failure::usage(format!("cannot read {}: {error}", file.display()));
    let Some(reader) = plain::reader(file).map_err(failed)? else {
        return Err(Failure::usage(format!("there is no {}", file.display())));
    };
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    let mut cited: Vec<String> = Vec::new();
    while reader.read_until(b'\n', &mut line).map_err(failed)? > 0 {
        let text = String::from_utf8_lossy(&line);
        if is_answer(&text) {
            let names = citation::cited(&text).into_iter().map(Cited::into_name);
            cited.extend(names.filter(|name| !cited.contains(name)).collect::<Vec<_>>());
        }
        transcript.line(&text);
        line.clear();
    }
    if let Some(session) = file.file_stem().and_then(|stem| stem.to_str()).filter(|_| !cited.is_empty()) {
        told.cited.push((session.to_owned(), cited));
    }
    let unread = transcript.unread();
    let now = Clock::system().now();
    for draft in transcript.finish() {
        let Some(id) = draft.id.clone() else { continue };
        let memory = draft.into_memory(id, now);
        told.lines.extend(Value::Object(record::write(&memory, Detail::Whole)).to_string().into_bytes());
        told.lines.push(b'\n');
    }
    Ok(unread)
}

/// Did the agent say this? Both agents mark what they say themselves so.
fn is_answer(line: &str) -> bool {
    line.contains("\"role\":\"assistant\"") || line.contains("\"role\": \"assistant\"")
}
