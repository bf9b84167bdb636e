//! Error logs: what they say since the last look, understood line by line; what is left over is completed when a log
//! falls silent for a moment.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::EyesWorker;
use lokid_encode::errors::{ErrorReader, Failure};
use lokid_encode::own_words::without_own_words;
use lokid_model::{Signal, SignalKind, Timestamp};
use lokid_sys::{kept, plain};
use lokid_watch::{Logs, TailPlace, TailPolicy};

/// A log that said nothing for so long has finished its sentence.
const SILENCE: Duration = Duration::from_millis(300);
/// Errors of one log that become memories before it falls silent; more at once are a storm, of which only the counts
/// and signals are kept.
const MOST_MEMORIES: usize = 50;

pub(super) struct ErrorLogs {
    logs: Logs,
    readers: BTreeMap<String, LogReading>,
}

#[derive(Default)]
struct LogReading {
    reader: ErrorReader,
    flush_at: Option<Instant>,
    /// Fingerprints since it was last silent.
    found: Vec<String>,
    /// New memories since it was last silent.
    remembered: usize,
    /// The end of a block that nobody may read, whose beginning has been seen.
    hidden_until: Option<&'static str>,
}

/// Blocks that stand over several lines: how they begin and how they end.
const HIDDEN: [(&str, &str); 2] = [("-----begin ", "-----end "), ("<private", "</private")];

impl LogReading {
    /// Leaves out what lies inside a hidden block that began in lines read earlier, and notes one that stays open.
    fn without_hidden(&mut self, lines: Vec<String>) -> Vec<String> {
        let mut seen = Vec::with_capacity(lines.len());
        for line in lines {
            let lower = line.to_ascii_lowercase();
            let is_hidden = self.hidden_until.is_some();
            if let Some(end) = self.hidden_until
                && lower.contains(end)
            {
                self.hidden_until = None;
                continue;
            }
            for (begin, end) in HIDDEN {
                let opened =
                    lower.rfind(begin).filter(|_| !lower.contains("public key") && !lower.contains("certificate"));
                if let Some(at) = opened.filter(|at| !lower[*at..].contains(end)) {
                    self.hidden_until = Some(end);
                    if !is_hidden {
                        seen.push(line.get(..at).unwrap_or_default().to_owned());
                    }
                }
            }
            if self.hidden_until.is_none() && !is_hidden {
                seen.push(line);
            }
        }
        seen
    }
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

impl EyesWorker {
    pub(super) fn look_at_log(&mut self, tree: &Arc<Path>, path: &str) {
        let full = self.trees.full_path(tree, path);
        // Logs of one name in two working trees are two logs.
        let named = if **tree == *self.env.root { path.to_owned() } else { full.display().to_string() };
        let path = named.as_str();
        if !self.may_read(tree, &full) {
            return;
        }
        while !self.is_stopping() {
            let now = self.env.clock.now();
            let (lines, more) = self.logs.lines(path, &full, now);
            if !lines.is_empty() {
                let silent_at = self.env.clock.monotonic() + SILENCE;
                let reading = self.logs.readers.entry(path.to_owned()).or_default();
                reading.flush_at = Some(silent_at);
                let text = reading.without_hidden(lines).join("\n");
                // Before anything is cut: half a secret no longer looks like one.
                let text = self.env.redaction.text(&without_own_words(&text));
                // A file is the same by its whole path and by its path from the root.
                let text = text.replace(&format!("{}/", tree.display()), "");
                let failures: Vec<Failure> = text.lines().flat_map(|line| reading.reader.line(line)).collect();
                self.note_failures(path, failures);
                self.save_soon();
            }
            if !more {
                return;
            }
        }
    }

    /// A log that is a link, or lies behind one, may be anybody's file.
    fn may_read(&self, tree: &Path, full: &Path) -> bool {
        let inside = full.strip_prefix(tree).ok().and_then(Path::to_str);
        inside.is_none_or(|inside| !plain::is_file(full) || kept::is_inside(tree, inside))
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
            let resolved = self.book.errors.quiet(Some(&path), &reading.found, self.env.clock.now());
            self.remember(resolved);
            // The reader stays for what it knows of this log; only its timer is gone.
            let rested = LogReading { flush_at: None, found: Vec::new(), remembered: 0, ..reading };
            self.logs.readers.insert(path, rested);
        }
    }

    pub(super) fn note_failures(&mut self, log: &str, failures: Vec<Failure>) {
        let root = self.env.root.display().to_string();
        let mut drafts = Vec::new();
        for mut failure in failures {
            if self.is_stopping() {
                break;
            }
            failure.message = self.env.redaction.text(&failure.message);
            failure.excerpt = self.env.redaction.text(&failure.excerpt);
            let now = self.env.clock.now();
            let folder = self.env.root.clone();
            let exists = |path: &str| plain::is_file(&folder.join(path));
            let noted = self.book.errors.seen(&failure, log, &root, &exists, now);
            if let Some(reading) = self.logs.readers.get_mut(log) {
                reading.found.push(failure.fingerprint.clone());
            }
            let signal = Signal::new(now, SignalKind::Error);
            self.signal(Signal { path: noted.file, text: Some(noted.headline), ..signal });
            let reading = self.logs.readers.entry(log.to_owned()).or_default();
            if let Some(draft) = noted.draft.filter(|_| reading.remembered < MOST_MEMORIES) {
                reading.remembered += 1;
                drafts.push(draft);
            }
        }
        self.remember(drafts);
    }
}
