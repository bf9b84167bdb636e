//! What a family of failures and the reader of lines have in common: the block that takes the lines of one failure, the
//! draft it becomes, and what a run has said so far.

use std::collections::{BTreeMap, BTreeSet};

use super::{Frame, Place, Tool};

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
    pub(super) failed_at: Option<u64>,
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
    pub(super) once: BTreeSet<String>,
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
