//! Python: tracebacks alone, chained and grouped, syntax errors, and unittest's announcements of them.

use std::sync::LazyLock;

use regex::Regex;

use super::block::{Block, Draft, Opened, Run, Verdict};
use super::line::pattern;
use super::{Frame, Place, Tool};

static FILE: LazyLock<Regex> = LazyLock::new(|| pattern(r#"^\s*File "([^"]+)", line (\d+)(?:, in (.+))?$"#));
static EXCEPTION: LazyLock<Regex> = LazyLock::new(|| pattern(r"^((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(?:: ?(.*))?$"));
static UNITTEST: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:ERROR|FAIL): (\w+) \(([\w.]+)\)"));
static PART: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*\+(?:-\+)?-{4,}"));

const HEAD: &str = "Traceback (most recent call last):";
const GROUP_HEAD: &str = "+ Exception Group Traceback (most recent call last):";
const CHAINS: &[&str] = &[
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
];

pub(super) fn begin(text: &str, run: &mut Run) -> Opened {
    if let Some(found) = UNITTEST.captures(text) {
        let (name, class) = (&found[1], &found[2]);
        // Newer versions repeat the method at the end of the class.
        let class = class.strip_suffix(name).map_or(class, |class| class.trim_end_matches('.'));
        let class = class.rsplit('.').next().unwrap_or(class);
        run.announced = Some((Tool::Unittest, format!("{class}.{name}"), run.lines));
        return Some(Box::new(Announcement));
    }
    let trimmed = text.trim();
    // Some loggers put the header behind their own words.
    if trimmed.ends_with(HEAD) && !trimmed.ends_with(GROUP_HEAD) {
        return Some(Box::new(Traceback::default()));
    }
    if trimmed == GROUP_HEAD {
        return Some(Box::new(Traceback { group: true, ..Traceback::default() }));
    }
    let found = FILE.captures(text)?;
    if found.get(3).is_some() || !text.starts_with("  File") {
        return None;
    }
    let mut block = Traceback { bare: true, ..Traceback::default() };
    block.frame(&found);
    Some(Box::new(block))
}

/// unittest's `FAIL: test (class)`: nothing by itself, the stack below it is the failure.
struct Announcement;

impl Block for Announcement {
    fn feed(&mut self, line: &str, _: &mut Run) -> Verdict {
        if line.starts_with("----") { Verdict::Last } else { Verdict::Refused }
    }

    fn finish(self: Box<Self>, _: &mut Run) -> Vec<Draft> {
        Vec::new()
    }
}

#[derive(Default)]
struct Traceback {
    frames: Vec<Frame>,
    /// A frame without a function: where a syntax error is.
    syntax: Option<Place>,
    code: String,
    error: Option<(String, String)>,
    first: Option<String>,
    parts: Vec<String>,
    group: bool,
    in_parts: bool,
    bare: bool,
    waiting: bool,
    lines_of_code: usize,
}

impl Traceback {
    fn frame(&mut self, found: &regex::Captures<'_>) {
        let (file, line) = (found[1].to_owned(), found[2].parse().ok());
        self.lines_of_code = 0;
        match found.get(3) {
            Some(function) => {
                self.frames.push(Frame { file, line, function: Some(function.as_str().trim().to_owned()) });
                // The innermost are at the end; a runaway recursion may not fill the memory.
                if self.frames.len() > 2000 {
                    self.frames.drain(..1000);
                }
            }
            None => self.syntax = Some(Place { file, line }),
        }
    }

    fn chain(&mut self) {
        if let Some((kind, message)) = self.error.take()
            && self.first.is_none()
        {
            self.first = Some(told(&kind, &message));
        }
        self.frames.clear();
        self.syntax = None;
        self.waiting = false;
    }

    /// A line of the traceback proper; groups take off their frame of bars first.
    fn take(&mut self, line: &str) -> Verdict {
        let trimmed = line.trim();
        if self.error.is_some() {
            if trimmed.is_empty() {
                self.waiting = true;
                return Verdict::Maybe;
            }
            if CHAINS.contains(&trimmed) {
                self.chain();
                return Verdict::Mine;
            }
            return Verdict::Refused;
        }
        if trimmed.is_empty() || trimmed == HEAD || trimmed == GROUP_HEAD {
            return Verdict::Mine;
        }
        if let Some(found) = FILE.captures(line) {
            self.frame(&found);
            return Verdict::Mine;
        }
        if line.starts_with(' ') {
            // The code comes first, then marks under it.
            if self.lines_of_code == 0 {
                trimmed.clone_into(&mut self.code);
            }
            self.lines_of_code += 1;
            return if self.lines_of_code > 60 { Verdict::Refused } else { Verdict::Mine };
        }
        match EXCEPTION.captures(line) {
            Some(found) => {
                let kind = found[1].rsplit('.').next().unwrap_or_default().to_owned();
                self.error = Some((kind, found.get(2).map_or("", |m| m.as_str()).trim().to_owned()));
                if self.bare { Verdict::Last } else { Verdict::Mine }
            }
            None => Verdict::Refused,
        }
    }

    fn take_grouped(&mut self, line: &str) -> Verdict {
        if PART.is_match(line) {
            self.in_parts = true;
            return Verdict::Mine;
        }
        let trimmed = line.trim_start();
        let Some(inner) = trimmed.strip_prefix("| ").or_else(|| trimmed.strip_prefix('|')) else {
            let chained = trimmed.is_empty() || CHAINS.contains(&trimmed) || trimmed == HEAD;
            return if chained && !self.in_parts { Verdict::Mine } else { Verdict::Refused };
        };
        if self.in_parts {
            let starts = inner.starts_with(|c: char| c.is_alphabetic() || c == '_');
            if starts
                && inner != HEAD
                && self.parts.len() < 8
                && let Some(found) = EXCEPTION.captures(inner)
            {
                let kind = found[1].rsplit('.').next().unwrap_or_default();
                self.parts.push(told(kind, found.get(2).map_or("", |m| m.as_str())));
            }
        } else {
            self.take(inner);
        }
        Verdict::Mine
    }
}

fn told(kind: &str, message: &str) -> String {
    if message.is_empty() { kind.to_owned() } else { format!("{kind}: {message}") }
}

impl Block for Traceback {
    fn feed(&mut self, line: &str, _: &mut Run) -> Verdict {
        if self.group { self.take_grouped(line) } else { self.take(line) }
    }

    fn is_stack(&self) -> bool {
        true
    }

    fn finish(mut self: Box<Self>, run: &mut Run) -> Vec<Draft> {
        let Some((kind, mut message)) = self.error.take() else { return Vec::new() };
        if message.is_empty() {
            message = std::mem::take(&mut self.code);
        }
        if !self.parts.is_empty() {
            message = format!("{message}: {}", self.parts.join("; "));
        }
        let (tool, test) = match run.announced(4 + self.frames.len() as u64 * 6) {
            Some((tool, test)) => (tool, Some(test)),
            None => (Tool::Python, None),
        };
        let mut draft = Draft::new(tool, kind, message);
        self.frames.reverse();
        draft.frames = self.frames;
        draft.place = self.syntax.take();
        draft.site = draft.place.as_ref().map(|place| place.file.clone());
        draft.test = test;
        draft.related = self.first.or_else(|| self.parts.first().cloned());
        vec![draft]
    }
}
