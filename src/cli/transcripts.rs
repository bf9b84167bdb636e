//! Transcripts of agents as records to import: each session becomes episodes, told anew under the same ids when it is
//! read again.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::args::Import;
use super::failure::Failure;
use super::screen::Screen;
use super::words;
use crate::encode::own_words::without_own_words;
use crate::encode::transcript::Transcript;
use crate::store::schema::{Detail, record};
use crate::sys::{Clock, plain};

/// All episodes of the transcripts that were named, a line each.
pub(super) fn records(import: &Import, screen: &mut Screen) -> Result<Vec<u8>, Failure> {
    let mut lines = Vec::new();
    let claude = files(&import.claude_transcript)?.into_iter().map(|file| (file, true));
    let codex = files(&import.codex_transcript)?.into_iter().map(|file| (file, false));
    for (file, is_claude) in claude.chain(codex) {
        let transcript = match is_claude {
            true => Transcript::claude(&without_own_words),
            false => Transcript::codex(&without_own_words),
        };
        let unread = read(&file, transcript, &mut lines)?;
        if unread > 0 {
            let many = words::count(unread, "line", "lines");
            screen.warn(format!("{}: {many} could not be read and were passed over", file.display()));
        }
    }
    Ok(lines)
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
fn read(file: &Path, mut transcript: Transcript<'_>, lines: &mut Vec<u8>) -> Result<u64, Failure> {
    let failed = |error: std::io::Error| Failure::usage(format!("cannot read {}: {error}", file.display()));
    let Some(reader) = plain::reader(file).map_err(failed)? else {
        return Err(Failure::usage(format!("there is no {}", file.display())));
    };
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).map_err(failed)? > 0 {
        transcript.line(&String::from_utf8_lossy(&line));
        line.clear();
    }
    let unread = transcript.unread();
    let now = Clock::system().now();
    for draft in transcript.finish() {
        let Some(id) = draft.id.clone() else { continue };
        let memory = draft.into_memory(id, now);
        lines.extend(Value::Object(record::write(&memory, Detail::Whole)).to_string().into_bytes());
        lines.push(b'\n');
    }
    Ok(unread)
}
