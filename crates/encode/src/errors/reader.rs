//! The reader: lines in, complete failures out. It owns what is open at the moment and what a run of tests has said.
//!
//! It knows no language: each family opens a [`Block`] at the line where it recognises one of its failures, and the
//! block takes lines until the failure is complete. Streams that a collector mixed are read apart.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::block::{Block, Draft, Opened, Run, Verdict};
use super::line::{self, head, pattern};
use super::{Failure, fingerprint, frames};
use super::{gcc, generic, go, java, javascript, jest, npm, pytest, python, rust, stack};

const MOST_MESSAGE: usize = 300;
const MOST_EXCERPT: usize = 2048;
/// Streams kept apart; a log with more of them is read as if the oldest had fallen silent.
const MOST_STREAMS: usize = 16;
/// How long `make: *** Error 1` and the like count as the echo of a failure already told.
const ECHO_LINES: u64 = 400;
const MOST_REMEMBERED: usize = 4096;
/// A block that takes this many lines has lost its thread.
const MOST_BLOCK_LINES: usize = 5000;

/// Reads the lines of one log.
#[derive(Default)]
pub struct ErrorReader {
    streams: BTreeMap<String, Stream>,
    lines: u64,
}

impl ErrorReader {
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next line, without its newline; gives the failures that are complete now.
    pub fn line(&mut self, raw: &str) -> Vec<Failure> {
        let mut found = Vec::new();
        self.lines += 1;
        let cleaned = line::clean(raw);
        if !self.streams.contains_key(&cleaned.source)
            && self.streams.len() >= MOST_STREAMS
            && let Some(oldest) =
                self.streams.iter().min_by_key(|(_, stream)| stream.seen).map(|(name, _)| name.clone())
            && let Some(mut stream) = self.streams.remove(&oldest)
        {
            stream.close(&mut found);
        }
        let stream = self.streams.entry(cleaned.source).or_default();
        stream.seen = self.lines;
        stream.line(&cleaned.text, &mut found);
        found
    }

    /// Nothing more is coming for now: whatever is open is completed as it stands.
    pub fn flush(&mut self) -> Vec<Failure> {
        let mut found = Vec::new();
        for stream in self.streams.values_mut() {
            stream.close(&mut found);
        }
        found
    }
}

#[derive(Default)]
struct Stream {
    open: Option<Open>,
    run: Run,
    seen: u64,
}

struct Open {
    block: Box<dyn Block>,
    excerpt: String,
    lines: usize,
    /// The log line this stack was taken to belong to; told after all if the stack turns out to be none.
    instead: Vec<Draft>,
}

impl Open {
    fn keep(&mut self, line: &str) {
        self.lines += 1;
        if self.excerpt.len() < MOST_EXCERPT {
            self.excerpt.push_str(head(line, 512).trim_end());
            self.excerpt.push('\n');
        }
    }
}

impl Stream {
    fn line(&mut self, text: &str, found: &mut Vec<Failure>) {
        self.run.lines += 1;
        self.take(text, found);
        self.run.previous.clear();
        self.run.previous.push_str(head(text, 512));
    }

    fn take(&mut self, text: &str, found: &mut Vec<Failure>) {
        let verdict = match &mut self.open {
            None => Verdict::Refused,
            Some(open) if open.lines >= MOST_BLOCK_LINES => Verdict::Refused,
            Some(open) => open.block.feed(text, &mut self.run),
        };
        match (verdict, &mut self.open) {
            (Verdict::Mine, Some(open)) => return open.keep(text),
            (Verdict::Last, Some(open)) => {
                open.keep(text);
                return self.close(found);
            }
            _ => {}
        }
        let begun = if may_begin(text) { begin(text, &mut self.run) } else { None };
        match (begun, &mut self.open) {
            (None, Some(open)) if verdict == Verdict::Maybe => open.keep(text),
            (None, _) => self.close(found),
            (Some(block), _) => {
                let mut open = Open { block, excerpt: String::new(), lines: 0, instead: Vec::new() };
                match self.open.take() {
                    Some(before) if before.block.gives_way() && open.block.is_stack() => {
                        open.excerpt = before.excerpt;
                        open.instead = before.block.finish(&mut self.run);
                    }
                    Some(before) => self.tell(before, found),
                    None => {}
                }
                open.keep(text);
                self.open = Some(open);
            }
        }
    }

    fn close(&mut self, found: &mut Vec<Failure>) {
        if let Some(open) = self.open.take() {
            self.tell(open, found);
        }
    }

    fn tell(&mut self, open: Open, found: &mut Vec<Failure>) {
        let mut drafts = open.block.finish(&mut self.run);
        if drafts.is_empty() {
            drafts = open.instead;
        }
        for draft in drafts {
            let echoes = self.run.failed_at.is_some_and(|at| self.run.lines.saturating_sub(at) < ECHO_LINES);
            if draft.echo && echoes {
                continue;
            }
            if let Some(key) = &draft.once {
                if self.run.once.len() >= MOST_REMEMBERED {
                    self.run.once.clear();
                }
                if !self.run.once.insert(format!("{} {key}", draft.tool.name())) {
                    continue;
                }
            }
            self.run.failed_at = Some(self.run.lines);
            found.push(complete(draft, &open.excerpt));
        }
    }
}

fn complete(mut draft: Draft, lines: &str) -> Failure {
    let mut message = one_line(&draft.message);
    if message.is_empty() {
        message.clone_from(&draft.kind);
    }
    draft.frames = frames::bounded(std::mem::take(&mut draft.frames));
    if draft.place.is_none() {
        draft.place = frames::place(&draft.frames);
    }
    let fingerprint = fingerprint::of(&draft, &message);
    let excerpt = head(draft.excerpt.as_deref().unwrap_or(lines), MOST_EXCERPT).trim_end().to_owned();
    let Draft { tool, kind, place, test, frames, related, .. } = draft;
    Failure {
        tool,
        kind,
        message,
        place,
        test,
        frames,
        related: related.map(|text| one_line(&text)),
        excerpt,
        fingerprint,
    }
}

fn one_line(message: &str) -> String {
    let line = head(message, 4 * MOST_MESSAGE + 64).split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST_MESSAGE - 1) {
        Some((at, last)) if at + last.len_utf8() < line.len() => format!("{}…", &line[..at]),
        _ => line,
    }
}

/// Whether a line can begin anything at all: most lines of a log hold none of these words.
fn may_begin(text: &str) -> bool {
    static WORDS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r#"(?i)error|err!|fail|panic|exception|traceback|fatal|crit|severe|emerg|alert|\.go:\d|undefined|● |multiple definition|file "|---- |fault|aborted|killed|terminate called|assertion|[jt]s:\d+$|^node:|____|session starts|=== run|^\s+at |running \d|cannot find -l|library not found|^e: |no rule to make|bus error|illegal instr|[/\]]err\b|^E\d{4} |cmake error|ran all test|scanning for projects|t e s t s"#,
        )
    });
    WORDS.is_match(text)
}

/// Where jest ends a run and Maven begins one; cargo and pytest are known to their own families.
const RUNS: &[&str] = &["Ran all test suites", "Scanning for projects", "T E S T S"];

/// The families in the order in which they may claim a line.
fn begin(text: &str, run: &mut Run) -> Opened {
    if RUNS.iter().any(|words| text.contains(words)) {
        run.begin_tests();
        return None;
    }
    pytest::begin(text, run)
        .or_else(|| python::begin(text, run))
        .or_else(|| rust::begin(text, run))
        .or_else(|| npm::begin(text))
        .or_else(|| jest::begin(text, run))
        .or_else(|| javascript::begin(text))
        .or_else(|| go::begin(text, run))
        .or_else(|| java::begin(text, run))
        .or_else(|| gcc::begin(text))
        .or_else(|| stack::begin(text, run))
        .or_else(|| generic::begin(text))
}
