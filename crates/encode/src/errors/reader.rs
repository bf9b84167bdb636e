//! The reader: lines in, complete failures out. It owns what is open at the moment and what a run of tests has said.
//!
//! It knows no language: each family opens a [`Block`] at the line where it recognises one of its failures, and the
//! block takes lines until the failure is complete. Streams that a collector mixed are read apart.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use super::line::{self, head, pattern};
use super::{Failure, Frame, Place, Tool, fingerprint, frames};
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

/// What a block says to a line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Part of the failure.
    Mine,
    /// Part of the failure, which is now complete.
    Last,
    /// Possibly part of it, unless another failure begins here.
    Maybe,
    /// The failure ended before this line.
    Refused,
}

/// A failure that is being read.
pub(super) trait Block: Send {
    fn feed(&mut self, line: &str, run: &mut Run) -> Verdict;
    fn finish(self: Box<Self>, run: &mut Run) -> Vec<Draft>;
    /// A mere log line: a stack that follows says the same thing better.
    fn gives_way(&self) -> bool {
        false
    }
    /// A stack that may belong to the log line above it.
    fn is_stack(&self) -> bool {
        false
    }
}

pub(super) type Opened = Option<Box<dyn Block>>;

/// A failure as a family read it, before it is bounded and fingerprinted.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    pub(super) tool: Tool,
    pub(super) kind: String,
    pub(super) message: String,
    pub(super) place: Option<Place>,
    pub(super) test: Option<String>,
    pub(super) frames: Vec<Frame>,
    pub(super) related: Option<String>,
    /// The file that stands for the place in the fingerprint, where frames are not always printed.
    pub(super) site: Option<String>,
    /// The consequence of another failure: told only when that one was not.
    pub(super) echo: bool,
    /// Its own lines, when a block holds several failures.
    pub(super) excerpt: Option<String>,
    /// Runners repeat themselves in summaries: the same key in the same run is the same report.
    pub(super) once: Option<String>,
}

impl Draft {
    pub(super) fn new(tool: Tool, kind: impl Into<String>, message: impl Into<String>) -> Self {
        Draft { tool, kind: kind.into(), message: message.into(), ..Draft::default() }
    }

    pub(super) fn at(mut self, file: impl Into<String>, line: Option<u32>) -> Self {
        self.place = Some(Place { file: file.into(), line });
        self
    }
}

/// A failure that one line tells, with the lines below it that `goes_on` accepts.
pub(super) struct Single {
    pub(super) draft: Draft,
    pub(super) goes_on: fn(&str) -> bool,
}

impl Single {
    pub(super) fn opened(draft: Draft, goes_on: fn(&str) -> bool) -> Opened {
        Some(Box::new(Single { draft, goes_on }))
    }
}

impl Block for Single {
    fn feed(&mut self, line: &str, _: &mut Run) -> Verdict {
        if (self.goes_on)(line) { Verdict::Mine } else { Verdict::Refused }
    }

    fn finish(self: Box<Self>, _: &mut Run) -> Vec<Draft> {
        vec![self.draft]
    }
}

/// What the lines before have said and later ones depend on.
#[derive(Default)]
pub(super) struct Run {
    pub(super) lines: u64,
    failed_at: Option<u64>,
    /// The line before, for stacks whose first line looks like nothing.
    pub(super) previous: String,
    /// The file whose tests jest is telling about.
    pub(super) suite: Option<String>,
    /// The test that the next stack belongs to, as unittest and surefire announce it, and the line it was said on.
    pub(super) announced: Option<(Tool, String, u64)>,
    /// Whether a Rust test binary is running.
    pub(super) rust_tests: bool,
    /// `file:line: message` lines of the Go test that is running.
    pub(super) go_lines: Vec<(String, String)>,
    pub(super) go_test: String,
    /// Failures pytest has told at length and will list again.
    pub(super) pytest_told: BTreeMap<String, usize>,
    once: BTreeSet<String>,
}

impl Run {
    pub(super) fn announced(&mut self, within: u64) -> Option<(Tool, String)> {
        let (tool, test, at) = self.announced.take()?;
        (self.lines.saturating_sub(at) <= within).then_some((tool, test))
    }

    /// A new run of tests begins: what the last one said may be said again.
    pub(super) fn begin_tests(&mut self) {
        self.once.clear();
        self.pytest_told.clear();
        self.announced = None;
    }
}

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
