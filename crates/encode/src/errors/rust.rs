//! Rust: compiler and cargo errors, panics of any age, and the failures of a test binary.
//!
//! Warnings are no failures, and the lists a test run ends with repeat what its sections have told.

use std::sync::LazyLock;

use regex::Regex;

use super::block::{Block, Draft, Opened, Run, Single, Verdict};
use super::line::{pattern, says_nothing_happened};
use super::{Frame, Place, Tool};

static ERROR: LazyLock<Regex> = LazyLock::new(|| pattern(r"^error(?:\[(E\d{4})\])?: (.+)$"));
static ARROW: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*--> (.+?):(\d+):\d+$"));
static PANIC: LazyLock<Regex> = LazyLock::new(|| pattern(r"^thread '([^']*)' (?:\(\d+\) )?panicked at (.+)$"));
static NEW_STYLE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(.+?):(\d+):\d+:$"));
static OLD_STYLE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^'(.*)', ([^']+?):(\d+)(?::\d+)?$"));
static SECTION: LazyLock<Regex> = LazyLock::new(|| pattern(r"^---- (.+) stdout ----$"));
static CALL: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s+\d+:\s+(?:0x[0-9a-f]+ - )?(.+)$"));
static CALL_AT: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s+at (.+?):(\d+)(?::\d+)?$"));
static LINT: LazyLock<Regex> = LazyLock::new(|| pattern(r"`#\[(?:deny|forbid)\(([\w:]+)\)\]`|`-[DF] ([\w:-]+)`"));
static MISSING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(undefined reference to [`'‘]?[^`'’]+|undefined symbol: \S+|cannot find -l\S+|symbol\(s\) not found.*)")
});
static LABEL: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[\s|]*\|[\s|_-]*\^+ (expected .+)$"));
static UNEXPECTED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^note: (test did not panic .*?)(?: at (.+?):(\d+):\d+)?$"));

/// What cargo and rustc say last, after the errors themselves.
const ECHOES: &[&str] = &[
    "aborting due to",
    "could not compile",
    "test failed, to rerun",
    "process didn't exit successfully",
    "doctest failed",
    "build failed",
    "test run failed",
];

pub(super) fn begin(text: &str, run: &mut Run) -> Opened {
    if text.starts_with("running ") && (text.ends_with(" tests") || text.ends_with(" test")) {
        run.rust_tests = true;
        run.begin_tests();
        return None;
    }
    if let Some(found) = SECTION.captures(text) {
        return Some(Box::new(RustSection {
            test: found[1].to_owned(),
            panic: None,
            said: None,
            place: None,
            settled: false,
        }));
    }
    if let Some(panic) = RustPanic::begin(text, run) {
        return Some(Box::new(panic));
    }
    let found = ERROR.captures(text)?;
    let message = found.get(2).map_or("", |m| m.as_str());
    let code = found.get(1).map(|code| code.as_str().to_owned());
    let counted = message.contains(" target") && message.ends_with("failed:");
    if code.is_none() && (counted || ECHOES.iter().any(|echo| message.starts_with(echo))) {
        let mut draft = Draft::new(Tool::Cargo, "error", message);
        draft.echo = true;
        return Single::opened(draft, |_| false);
    }
    if code.is_none() && says_nothing_happened(message) {
        return None;
    }
    Some(Box::new(Compile { code, message: message.to_owned(), ..Compile::default() }))
}

/// `error[E0308]: …` down to the blank line.
#[derive(Default)]
struct Compile {
    code: Option<String>,
    message: String,
    place: Option<Place>,
    lint: Option<String>,
    missing: Option<String>,
    lines: usize,
    /// The picture of the code has begun: this is the compiler, not just any program that says `error:`.
    drawn: bool,
    causes: bool,
    cause: Option<String>,
    blank: bool,
}

impl Block for Compile {
    fn feed(&mut self, line: &str, _: &mut Run) -> Verdict {
        self.lines += 1;
        if self.blank {
            self.blank = false;
            if line.trim_end() == "Caused by:" {
                self.causes = true;
                return Verdict::Mine;
            }
            return Verdict::Refused;
        }
        let trimmed = line.trim_start();
        if trimmed.is_empty() {
            if self.drawn || self.code.is_some() {
                return Verdict::Last;
            }
            self.blank = true;
            return Verdict::Mine;
        }
        if self.causes {
            if !line.starts_with(' ') {
                return Verdict::Refused;
            }
            self.cause = Some(trimmed.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':').trim().to_owned());
            return Verdict::Mine;
        }
        if let Some(found) = ARROW.captures(line) {
            self.drawn = true;
            if self.place.is_none() {
                self.place = Some(Place { file: found[1].to_owned(), line: found[2].parse().ok() });
            }
            return Verdict::Mine;
        }
        self.drawn |= trimmed == "|" || trimmed.starts_with("= note:");
        // Which types did not match stands below the code only.
        if self.message == "mismatched types"
            && let Some(found) = LABEL.captures(line)
        {
            self.message = format!("mismatched types: {}", &found[1]);
        }
        if let Some(found) = LINT.captures(line) {
            self.lint = found.get(1).or(found.get(2)).map(|lint| lint.as_str().to_owned());
        }
        if self.missing.is_none()
            && let Some(found) = MISSING.find(line)
        {
            self.missing = Some(found.as_str().to_owned());
        }
        if self.drawn || self.code.is_some() {
            // Cargo's next word may follow without a blank line.
            let next = !line.starts_with(' ') && (ERROR.is_match(line) || line.starts_with("warning"));
            return if next { Verdict::Refused } else { Verdict::Mine };
        }
        if self.lines <= 3 { Verdict::Maybe } else { Verdict::Refused }
    }

    fn finish(self: Box<Self>, _: &mut Run) -> Vec<Draft> {
        let linking = self.message.starts_with("linking with");
        let tool = match &self.place {
            Some(place) if place.file.ends_with("Cargo.toml") => Tool::Cargo,
            _ if self.drawn || self.code.is_some() => Tool::Rustc,
            _ if self.causes => Tool::Cargo,
            _ => Tool::Generic,
        };
        let kind = match (self.code, self.lint) {
            (Some(code), _) => code,
            _ if linking => "linker".to_owned(),
            (None, Some(lint)) => lint,
            (None, None) => "error".to_owned(),
        };
        let message = match (self.missing, self.cause) {
            (Some(missing), _) if linking => missing,
            (_, Some(cause)) => format!("{}: {cause}", self.message),
            _ => self.message,
        };
        vec![Draft { place: self.place, ..Draft::new(tool, kind, message) }]
    }
}

/// A panic from its first line to the end of its backtrace.
struct RustPanic {
    thread: String,
    message: Option<String>,
    place: Option<Place>,
    frames: Vec<Frame>,
    tracing: bool,
    lines: usize,
    test: Option<String>,
}

impl RustPanic {
    fn begin(text: &str, run: &Run) -> Option<RustPanic> {
        let found = PANIC.captures(text)?;
        let thread = found[1].to_owned();
        let (message, place) = if let Some(new) = NEW_STYLE.captures(&found[2]) {
            (None, Some(Place { file: new[1].to_owned(), line: new[2].parse().ok() }))
        } else if let Some(old) = OLD_STYLE.captures(&found[2]) {
            (Some(old[1].to_owned()), Some(Place { file: old[2].to_owned(), line: old[3].parse().ok() }))
        } else {
            (Some(found[2].trim_matches('\'').to_owned()), None)
        };
        let unnamed = thread == "main" || thread.starts_with('<') || thread.contains('-');
        let test = (thread.contains("::") || (run.rust_tests && !unnamed)).then(|| thread.clone());
        Some(RustPanic { thread, message, place, frames: Vec::new(), tracing: false, lines: 0, test })
    }

    fn take(&mut self, line: &str) -> Verdict {
        self.lines += 1;
        if self.tracing {
            if let Some(found) = CALL_AT.captures(line) {
                if let Some(frame) = self.frames.last_mut() {
                    found[1].clone_into(&mut frame.file);
                    frame.line = found[2].parse().ok();
                }
                return Verdict::Mine;
            }
            if let Some(found) = CALL.captures(line) {
                self.frames.push(Frame { file: String::new(), line: None, function: Some(found[1].trim().to_owned()) });
                return Verdict::Mine;
            }
            return if line.starts_with("note: ") { Verdict::Last } else { Verdict::Refused };
        }
        if line == "stack backtrace:" {
            self.tracing = true;
            return Verdict::Mine;
        }
        if line.starts_with("note: run with `RUST_BACKTRACE") {
            return Verdict::Last;
        }
        if self.message.is_none() {
            self.message = Some(line.trim().to_owned());
            return Verdict::Mine;
        }
        let compares = ["  left: ", " right: ", "  left:`", " right:`"].iter().any(|side| line.starts_with(side));
        match line {
            _ if compares => Verdict::Mine,
            _ if line.trim().is_empty() || self.lines > 12 => Verdict::Refused,
            _ => Verdict::Maybe,
        }
    }

    fn draft(self) -> Draft {
        let mut draft = Draft::new(Tool::RustPanic, "panic", self.message.unwrap_or_default());
        // The backtrace is there or not as the environment pleases; the place always is.
        draft.site = self.place.as_ref().map(|place| place.file.clone());
        draft.place = self.place;
        draft.frames = self.frames;
        draft.test = self.test;
        draft
    }
}

impl Block for RustPanic {
    fn feed(&mut self, line: &str, _: &mut Run) -> Verdict {
        self.take(line)
    }

    fn finish(self: Box<Self>, _: &mut Run) -> Vec<Draft> {
        vec![self.draft()]
    }
}

/// What one failed test printed.
struct RustSection {
    test: String,
    panic: Option<(RustPanic, bool)>,
    said: Option<String>,
    place: Option<Place>,
    settled: bool,
}

impl Block for RustSection {
    fn feed(&mut self, line: &str, run: &mut Run) -> Verdict {
        if SECTION.is_match(line) || line == "failures:" || line.starts_with("test result: ") {
            return Verdict::Refused;
        }
        match &mut self.panic {
            Some((panic, open)) => {
                *open = *open && matches!(panic.take(line), Verdict::Mine | Verdict::Maybe);
            }
            None => self.panic = RustPanic::begin(line, run).map(|panic| (panic, true)),
        }
        if let Some(found) = UNEXPECTED.captures(line) {
            self.said = Some(found[1].to_owned());
            self.place = found.get(2).map(|file| Place {
                file: file.as_str().to_owned(),
                line: found.get(3).and_then(|line| line.as_str().parse().ok()),
            });
        }
        let telling = line.starts_with("Error: ") || line.starts_with("error");
        if !line.trim().is_empty() && (self.said.is_none() || (telling && !self.settled)) {
            self.settled = telling;
            self.said = Some(line.trim().to_owned());
        }
        Verdict::Mine
    }

    fn finish(self: Box<Self>, _: &mut Run) -> Vec<Draft> {
        let mut draft = match self.panic {
            Some((panic, _)) if panic.thread == self.test || panic.message.is_some() => panic.draft(),
            _ => Draft { place: self.place, ..Draft::new(Tool::RustTest, "test", self.said.unwrap_or_default()) },
        };
        draft.once = Some(self.test.clone());
        draft.test = Some(self.test);
        vec![draft]
    }
}
