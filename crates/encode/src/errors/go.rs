//! Go: compiler errors, failed tests with their subtests, and panics with the trace of the first goroutine.

use std::sync::LazyLock;

use regex::Regex;

use super::block::{Block, Draft, Opened, Run, Single, Verdict};
use super::line::pattern;
use super::{Frame, Place, Tool};

static COMPILE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:vet: |# \S+ )?(\S+\.go):(\d+):\d+: (.+)$"));
static FAILED: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(\s*)--- (FAIL|PASS|SKIP): (\S+) \([\d.]+s\)$"));
static TEST_LINE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s+(\S+\.go):(\d+): (.*)$"));
static PANIC: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(panic|fatal error): (.+)$"));
static GOROUTINE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^goroutine \d+ (?:gp=\S+ m=\S+ (?:mp=\S+ )?)?\[.*\]:$"));
static CALL: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:created by )?(\S.*?)(?:\([^()]*\)| in goroutine \d+)?$"));
static CALL_AT: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\t(\S.*?):(\d+)(?: \+0x[0-9a-f]+)?$"));

const MOST_LINES_KEPT: usize = 200;

pub(super) fn begin(text: &str, run: &mut Run) -> Opened {
    if let Some(test) = text.strip_prefix("=== RUN ") {
        test.trim().clone_into(&mut run.go_test);
        if !run.go_test.contains('/') {
            run.go_lines.clear();
        }
        return None;
    }
    if text.starts_with("=== ") {
        return None;
    }
    if let Some(found) = FAILED.captures(text) {
        if &found[2] != "FAIL" {
            return None;
        }
        let mut tests = Tests { told: std::mem::take(&mut run.go_lines), failed: Vec::new() };
        tests.failed.push(Test::new(&found[3]));
        return Some(Box::new(tests));
    }
    if !run.go_test.is_empty()
        && TEST_LINE.is_match(text)
        && text.starts_with("    ")
        && run.go_lines.len() < MOST_LINES_KEPT
    {
        // With -v a test speaks before it is known to have failed.
        run.go_lines.push((run.go_test.clone(), text.to_owned()));
        return None;
    }
    if let Some(found) = PANIC.captures(text) {
        return Some(Box::new(GoPanic::new(&found[1], &found[2], None)));
    }
    let found = COMPILE.captures(text)?;
    let message = found[3].strip_prefix("error: ").unwrap_or(&found[3]);
    if message.starts_with("warning: ") || message.starts_with("note: ") || is_log_line(message) {
        return None;
    }
    let draft = Draft::new(Tool::Go, "error", message).at(&found[1], found[2].parse().ok());
    Single::opened(draft, |line| line.starts_with('\t'))
}

/// Loggers print `file.go:12:3: INFO …` too.
fn is_log_line(message: &str) -> bool {
    let first = message.split([' ', ':']).next().unwrap_or_default();
    first.len() > 3 && first.bytes().all(|b| b.is_ascii_uppercase())
}

struct Test {
    name: String,
    message: Option<String>,
    place: Option<Place>,
}

impl Test {
    fn new(name: &str) -> Self {
        Test { name: name.to_owned(), message: None, place: None }
    }

    fn take(&mut self, line: &str) {
        let Some(found) = TEST_LINE.captures(line) else {
            // testify and friends put the words below the place.
            if self.message.as_deref() == Some("") && !line.trim().is_empty() {
                self.message = Some(line.trim().to_owned());
            }
            return;
        };
        if self.message.is_none() {
            self.message = Some(found[3].trim().to_owned());
            self.place = Some(Place { file: found[1].to_owned(), line: found[2].parse().ok() });
        }
    }
}

/// `--- FAIL` and what is indented below it.
struct Tests {
    /// What tests said before they failed.
    told: Vec<(String, String)>,
    failed: Vec<Test>,
}

impl Block for Tests {
    fn feed(&mut self, line: &str, run: &mut Run) -> Verdict {
        if let Some(found) = FAILED.captures(line) {
            if found[1].is_empty() {
                return Verdict::Refused;
            }
            if &found[2] == "FAIL" && self.failed.len() < MOST_LINES_KEPT {
                self.failed.push(Test::new(&found[3]));
            }
            return Verdict::Mine;
        }
        if PANIC.is_match(line) {
            // The panic is why the test failed; the reader opens it next.
            let test = self.failed.pop().map(|test| test.name);
            run.announced = test.map(|test| (Tool::GoPanic, test, run.lines));
            return Verdict::Refused;
        }
        if line.starts_with([' ', '\t']) {
            if let Some(test) = self.failed.last_mut() {
                test.take(line);
            }
            return Verdict::Mine;
        }
        Verdict::Refused
    }

    fn finish(mut self: Box<Self>, run: &mut Run) -> Vec<Draft> {
        for (name, line) in &self.told {
            if let Some(test) = self.failed.iter_mut().find(|test| test.name == *name) {
                test.take(line);
            }
        }
        run.go_test.clear();
        let names: Vec<String> = self.failed.iter().map(|test| test.name.clone()).collect();
        let is_parent = |test: &Test| {
            test.message.is_none()
                && names.iter().any(|name| name.strip_prefix(&test.name).is_some_and(|r| r.starts_with('/')))
        };
        let failed = self.failed.into_iter().filter(|test| !is_parent(test));
        failed
            .map(|test| {
                let mut draft = Draft::new(Tool::GoTest, "test", test.message.unwrap_or_default());
                draft.place = test.place;
                draft.test = Some(test.name);
                draft
            })
            .collect()
    }
}

struct GoPanic {
    kind: String,
    message: String,
    test: Option<String>,
    frames: Vec<Frame>,
    goroutines: usize,
    traced: bool,
    before: usize,
}

impl GoPanic {
    fn new(kind: &str, message: &str, test: Option<String>) -> Self {
        let message = message.trim_end_matches(" [recovered]").trim_end_matches(" [recovered, repanicked]").to_owned();
        GoPanic { kind: kind.to_owned(), message, test, frames: Vec::new(), goroutines: 0, traced: false, before: 0 }
    }
}

impl Block for GoPanic {
    fn feed(&mut self, line: &str, run: &mut Run) -> Verdict {
        if self.test.is_none()
            && let Some((Tool::GoPanic, test)) = run.announced(2)
        {
            self.test = Some(test);
        }
        if GOROUTINE.is_match(line) {
            self.goroutines += 1;
            return Verdict::Mine;
        }
        if self.goroutines == 0 {
            self.before += 1;
            let known = line.is_empty() || line.starts_with("\tpanic: ") || line.starts_with("[signal ");
            return match known {
                true => Verdict::Mine,
                false if self.before > 12 => Verdict::Refused,
                false => Verdict::Maybe,
            };
        }
        if line.is_empty() {
            self.traced = true;
            return Verdict::Mine;
        }
        if let Some(found) = CALL_AT.captures(line) {
            if self.goroutines == 1
                && !self.traced
                && let Some(frame) = self.frames.last_mut()
            {
                found[1].clone_into(&mut frame.file);
                frame.line = found[2].parse().ok();
            }
            return Verdict::Mine;
        }
        if self.traced && self.goroutines == 1 {
            return Verdict::Refused;
        }
        let call = line.ends_with(')') || line.starts_with("created by ") || line.starts_with("...");
        if !call || line.starts_with("FAIL") {
            return Verdict::Refused;
        }
        if self.goroutines == 1
            && self.frames.len() < 500
            && let Some(found) = CALL.captures(line)
        {
            self.frames.push(Frame { file: String::new(), line: None, function: Some(found[1].to_owned()) });
        }
        Verdict::Mine
    }

    fn finish(self: Box<Self>, run: &mut Run) -> Vec<Draft> {
        let tool = if self.goroutines > 0 { Tool::GoPanic } else { Tool::Generic };
        let mut draft = Draft::new(tool, self.kind, self.message);
        draft.frames = self.frames;
        draft.test = self.test;
        run.go_test.clear();
        vec![draft]
    }
}
