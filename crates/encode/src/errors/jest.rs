//! The JavaScript test runners: jest's `● suite › test` sections and vitest's ` FAIL  file > suite > test`.

use std::sync::LazyLock;

use regex::Regex;

use super::block::{Block, Draft, Opened, Run, Verdict};
use super::line::pattern;
use super::{Frame, Place, Tool, frames, stack};

static JEST_FILE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^\s?FAIL\s+(?:\S+ )??(\S+\.[cm]?[jt]sx?)(?: \([\d.]+ m?s\))?$"));
static JEST_TEST: LazyLock<Regex> = LazyLock::new(|| pattern(r"^  ● (.+)$"));
static VITEST: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^ ?FAIL  (?:\|?[\w-]+\|? )?(\S+\.[cm]?[jt]sx?)(?: > (.+)|\s+\[ .+ \])$"));
static VITEST_CALL: LazyLock<Regex> = LazyLock::new(|| pattern(r"^ ❯ (?:(\S.*?) )?(\S+?):(\d+):\d+$"));
static ERROR: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^\s*(?:Uncaught )?((?:\w+\.)?[A-Z]\w*(?:Error|Exception|Failure))(?: \[\w+\])?(?:: (.*))?$")
});

pub(super) fn begin(text: &str, run: &mut Run) -> Opened {
    if let Some(found) = VITEST.captures(text) {
        let test = found.get(2).map(|test| test.as_str().to_owned());
        return Some(Box::new(JestSection::new(Tool::Vitest, Some(found[1].to_owned()), test)));
    }
    if let Some(found) = JEST_FILE.captures(text) {
        // A file may be told twice: as it fails, and in the summary of a long run.
        run.suite = Some(found[1].to_owned());
        return None;
    }
    let title = JEST_TEST.captures(text)?.get(1)?.as_str();
    let file = run.suite.clone()?;
    if title == "Console" || title.starts_with("Cannot log after") {
        return None;
    }
    let test = (title != "Test suite failed to run").then(|| title.to_owned());
    Some(Box::new(JestSection::new(Tool::Jest, Some(file), test)))
}

struct JestSection {
    tool: Tool,
    file: Option<String>,
    test: Option<String>,
    kind: Option<String>,
    message: Option<String>,
    frames: Vec<Frame>,
    /// jest explains at length that it could not parse a file; the error itself comes below.
    explains: bool,
}

impl JestSection {
    fn new(tool: Tool, file: Option<String>, test: Option<String>) -> Self {
        JestSection { tool, file, test, kind: None, message: None, frames: Vec::new(), explains: false }
    }

    fn ends(&self, line: &str) -> bool {
        match self.tool {
            Tool::Vitest => line.starts_with("⎯⎯") || VITEST.is_match(line) || line.starts_with(" Test Files"),
            _ => JEST_TEST.is_match(line) || (!line.is_empty() && !line.starts_with([' ', '\t'])),
        }
    }
}

impl Block for JestSection {
    fn feed(&mut self, line: &str, _: &mut Run) -> Verdict {
        if self.ends(line) {
            return Verdict::Refused;
        }
        let trimmed = line.trim();
        if trimmed.is_empty() || self.frames.len() > 500 {
            return Verdict::Mine;
        }
        if self.tool == Tool::Vitest
            && let Some(found) = VITEST_CALL.captures(line)
        {
            let function = found.get(1).map(|name| name.as_str().to_owned());
            self.frames.push(Frame { file: found[2].to_owned(), line: found[3].parse().ok(), function });
            return Verdict::Mine;
        }
        if trimmed.starts_with("at ")
            && let Some((call, _)) = stack::call(line)
        {
            if let stack::StackCall::Js(Some(frame)) = call {
                self.frames.push(frame);
            }
            return Verdict::Mine;
        }
        if self.message.is_none() || (self.explains && self.kind.is_none()) {
            if let Some(found) = ERROR.captures(line) {
                self.kind = Some(found[1].rsplit('.').next().unwrap_or_default().to_owned());
                self.message = Some(found.get(2).map_or("", |m| m.as_str()).to_owned());
            } else if self.message.is_none() {
                self.explains = trimmed.starts_with("Jest encountered an unexpected token");
                self.message = Some(trimmed.to_owned());
            }
        }
        Verdict::Mine
    }

    fn finish(self: Box<Self>, _: &mut Run) -> Vec<Draft> {
        let message = self.message.unwrap_or_default();
        let asserts = message.starts_with("expect(");
        let kind = self.kind.unwrap_or_else(|| if asserts { "AssertionError" } else { "Error" }.to_owned());
        let mut draft = Draft::new(self.tool, kind, message);
        draft.place = frames::place(&self.frames).or(self.file.clone().map(|file| Place { file, line: None }));
        draft.frames = self.frames;
        // jest lists the failures of a long run again at its end.
        draft.once = (self.tool == Tool::Jest).then(|| format!("{:?} {:?} {}", self.file, self.test, draft.message));
        draft.test = self.test;
        vec![draft]
    }
}
