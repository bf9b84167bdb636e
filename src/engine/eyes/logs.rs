//! Error logs: what they say since the last look, understood line by line; what is left over is completed when a log
//! falls silent for a moment.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Looker;
use crate::encode::errors::{ErrorReader, Failure};
use crate::encode::own_words::without_own_words;
use crate::model::{Signal, SignalKind, Timestamp};
use crate::sys::plain;
use crate::watch::{Logs, TailPlace, TailPolicy};

/// A log that said nothing for so long has finished its sentence.
const SILENCE: Duration = Duration::from_millis(300);
/// A log that never falls silent gets other work done in between.
const MOST_TURNS: usize = 64;

pub(super) struct ErrorLogs {
    logs: Logs,
    readers: BTreeMap<String, Reading>,
}

struct Reading {
    reader: ErrorReader,
    flush_at: Option<Instant>,
    /// Fingerprints since it was last silent.
    found: Vec<String>,
}

impl ErrorLogs {
    pub(super) fn new(since: Timestamp, places: BTreeMap<String, TailPlace>) -> ErrorLogs {
        ErrorLogs { logs: Logs::new(TailPolicy::default(), since, places), readers: BTreeMap::new() }
    }

    pub(super) fn places(&self) -> BTreeMap<String, TailPlace> {
        self.logs.places()
    }

    pub(super) fn flush_at(&self) -> Option<Instant> {
        self.readers.values().filter_map(|reading| reading.flush_at).min()
    }

    /// New lines of a file, up to a megabyte a turn; `true` when there is more.
    pub(super) fn lines(&mut self, path: &str, full: &Path, now: Timestamp) -> (Vec<String>, bool) {
        match self.logs.read(path, full, now) {
            Ok(read) => (read.lines.lines, read.lines.more),
            Err(error) => {
                tracing::debug!(path, reason = %error, "a log cannot be read");
                (Vec::new(), false)
            }
        }
    }
}

impl Looker {
    pub(super) fn look_at_log(&mut self, tree: &Arc<Path>, path: &str) {
        let full = self.trees.full_path(tree, path);
        // Logs of one name in two working trees are two logs.
        let named = if **tree == *self.setting.root { path.to_owned() } else { full.display().to_string() };
        let path = named.as_str();
        for _ in 0..MOST_TURNS {
            let now = self.setting.clock.now();
            let (lines, more) = self.logs.lines(path, &full, now);
            if !lines.is_empty() {
                let text = lines.join("\n");
                // Before anything is cut: half a secret no longer looks like one.
                let text = self.setting.redaction.text(&without_own_words(&text));
                // A file is the same by its whole path and by its path from the root.
                let text = text.replace(&format!("{}/", tree.display()), "");
                let silent_at = self.setting.clock.monotonic() + SILENCE;
                let reading = self.logs.readers.entry(path.to_owned()).or_insert_with(|| Reading {
                    reader: ErrorReader::new(),
                    flush_at: None,
                    found: Vec::new(),
                });
                reading.flush_at = Some(silent_at);
                let failures: Vec<Failure> = text.lines().flat_map(|line| reading.reader.line(line)).collect();
                self.note_failures(path, failures);
                self.save_soon();
            }
            if !more {
                return;
            }
        }
    }

    pub(super) fn flush_logs(&mut self, now: Instant) {
        let silent: Vec<String> = self
            .logs
            .readers
            .iter()
            .filter(|(_, reading)| reading.flush_at.is_some_and(|at| at <= now))
            .map(|(path, _)| path.clone())
            .collect();
        for path in silent {
            let Some(mut reading) = self.logs.readers.remove(&path) else { continue };
            let failures = reading.reader.flush();
            reading.found.extend(failures.iter().map(|failure| failure.fingerprint.clone()));
            self.note_failures(&path, failures);
            let resolved = self.book.errors.quiet(Some(&path), &reading.found, self.setting.clock.now());
            self.remember(resolved);
            // The reader stays for what it knows of this log; only its timer is gone.
            self.logs.readers.insert(path, Reading { flush_at: None, found: Vec::new(), ..reading });
        }
    }

    pub(super) fn note_failures(&mut self, log: &str, failures: Vec<Failure>) {
        let root = self.setting.root.display().to_string();
        for mut failure in failures {
            failure.message = self.setting.redaction.text(&failure.message);
            failure.excerpt = self.setting.redaction.text(&failure.excerpt);
            let now = self.setting.clock.now();
            let folder = self.setting.root.clone();
            let exists = |path: &str| plain::is_file(&folder.join(path));
            let noted = self.book.errors.seen(&failure, log, &root, &exists, now);
            if let Some(reading) = self.logs.readers.get_mut(log) {
                reading.found.push(failure.fingerprint.clone());
            }
            let signal = Signal::new(now, SignalKind::Error);
            self.signal(Signal { path: noted.file, text: Some(noted.headline), ..signal });
            self.remember(noted.draft.into_iter().collect());
        }
    }
}
