//! Traces that Loki Mode leaves in `.loki`: what each file says that it did not say before becomes signals, and errors
//! are kept with those of the logs.

use std::path::Path;
use std::sync::Arc;

use super::EyesWorker;
use lokid_encode::errors::{Failure, Tool, normalise};
use lokid_encode::traces::{
    Queue, Trace, crash, event_line, failure_line, last_error, memory_error_line, orchestrator, queue_change, signals,
};
use lokid_sys::{kept, plain};

const LARGEST: u64 = 16 << 20;

/// Files that are compared with what they said before.
const STOCK: [&str; 5] = [
    ".loki/state/orchestrator.json",
    ".loki/state/LAST_ERROR.json",
    ".loki/queue/in-progress.json",
    ".loki/queue/completed.json",
    ".loki/queue/failed.json",
];

/// Reads one line of a file that grows.
type LineReader = fn(&str) -> Vec<Trace>;

impl EyesWorker {
    /// What stands there when a project is first seen is no news; what changed while we were away is.
    pub(super) fn take_stock(&mut self, tree: &Arc<Path>) {
        for path in STOCK {
            if self.book.text(path).is_some() {
                self.look_at_trace(tree, path);
            } else {
                self.new_version(tree, path, |_, _| Vec::new());
            }
        }
    }

    pub(super) fn look_at_trace(&mut self, tree: &Arc<Path>, path: &str) {
        if self.look_at_memory_log(tree, path) {
            return;
        }
        let inside = path.strip_prefix(".loki/").unwrap_or(path);
        let name = inside.rsplit('/').next().unwrap_or(inside);
        let traces = match inside {
            "events.jsonl" => self.new_lines(tree, path, event_line),
            "state/failure-history.jsonl" => self.new_lines(tree, path, failure_line),
            "state/orchestrator.json" => self.new_version(tree, path, orchestrator),
            "state/LAST_ERROR.json" => self.new_version(tree, path, |_, new| last_error(new)),
            _ if inside.starts_with("events/pending/") => self.new_version(tree, path, |_, new| event_line(new)),
            _ if inside.starts_with("crash/") => self.new_version(tree, path, |_, new| crash(new)),
            _ if inside.starts_with("queue/") => match Queue::of_file(name) {
                Some(queue) => self.new_version(tree, path, |old, new| queue_change(old, new, queue)),
                None => return,
            },
            _ => return,
        };
        self.tell_traces(path, &traces);
    }

    /// Error files that Loki Mode keeps below its memory. Answers whether this is one.
    pub(super) fn look_at_memory_log(&mut self, tree: &Arc<Path>, path: &str) -> bool {
        let read: LineReader = match path {
            ".loki/memory/failures.jsonl" => failure_line,
            ".loki/memory/.errors.log" => memory_error_line,
            _ => return false,
        };
        let traces = self.new_lines(tree, path, read);
        self.tell_traces(path, &traces);
        true
    }

    fn new_lines(&mut self, tree: &Arc<Path>, path: &str, read: LineReader) -> Vec<Trace> {
        let full = self.trees.full_path(tree, path);
        let mut traces = Vec::new();
        while !self.is_stopping() {
            let (lines, more) = self.logs.lines(path, &full, self.env.clock.now());
            traces.extend(lines.iter().flat_map(|line| read(&self.env.redaction.text(line))));
            if !more {
                break;
            }
        }
        self.save_soon();
        traces
    }

    fn new_version(
        &mut self,
        tree: &Arc<Path>,
        path: &str,
        read: impl Fn(Option<&str>, &str) -> Vec<Trace>,
    ) -> Vec<Trace> {
        let full = self.trees.full_path(tree, path);
        if kept::standing(&full).is_none() || !kept::is_inside(tree, path) {
            return Vec::new();
        }
        let Ok(Some(bytes)) = plain::read(&full, LARGEST) else { return Vec::new() };
        let text = self.env.redaction.text(&String::from_utf8_lossy(&bytes));
        let old = self.book.text(path);
        if old == Some(text.as_str()) {
            return Vec::new();
        }
        // Half a document is no document: the next event brings all of it.
        if serde_json::from_str::<serde::de::IgnoredAny>(&text).is_err() {
            return Vec::new();
        }
        let traces = read(old, &text);
        self.book.set_text(path, text);
        self.save_soon();
        traces
    }

    fn tell_traces(&mut self, path: &str, traces: &[Trace]) {
        for trace in traces {
            match failure_of(trace) {
                Some(failure) => self.note_failures(path, vec![failure]),
                None => {
                    if let Some(signal) = signals(trace, self.env.clock.now()) {
                        self.signal_once(signal);
                    }
                }
            }
        }
    }
}

fn failure_of(trace: &Trace) -> Option<Failure> {
    let (kind, message, excerpt) = match trace {
        Trace::ErrorSeen { message, kind, context, .. } => (kind.clone(), message.clone(), context.clone()),
        Trace::Crash(crash) => (crash.kind.clone(), crash.headline(), crash.frames.join("\n")),
        _ => return None,
    };
    let named = blake3::hash(format!("{kind}\0{}", normalise(&message)).as_bytes());
    Some(Failure {
        tool: Tool::default(),
        kind,
        message,
        place: None,
        test: None,
        frames: Vec::new(),
        related: None,
        excerpt,
        fingerprint: named.to_hex()[..16].to_owned(),
    })
}
