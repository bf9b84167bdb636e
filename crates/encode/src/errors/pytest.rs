//! pytest: the section of each failed test, and the summary that lists them again or, on request, alone.

use std::sync::LazyLock;

use regex::Regex;

use super::block::{Block, Draft, Opened, Run, Single, Verdict};
use super::line::pattern;
use super::{Frame, Place, Tool, frames};

static SECTION: LazyLock<Regex> = LazyLock::new(|| pattern(r"^_{3,} (.+?) _{3,}$"));
static SUMMARY: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(FAILED|ERROR) (\S+?\.py)((?:::.+?)?)(?: - (.*))?$"));
static LOCATION: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(\S.*?):(\d+): (?:in (.+)|([\w.]+))?$"));
static EXPLAINED: LazyLock<Regex> = LazyLock::new(|| pattern(r"^E   (\s*)(.*)$"));
static EXCEPTION: LazyLock<Regex> = LazyLock::new(|| pattern(r"^((?:[A-Za-z_]\w*\.)*[A-Z]\w*)(?:: (.*))?$"));
static SYNTAX: LazyLock<Regex> = LazyLock::new(|| pattern(r#"^File "([^"]+)", line (\d+)"#));

pub(super) fn begin(text: &str, run: &mut Run) -> Opened {
    if text.starts_with("===") && text.contains(" test session starts ") {
        run.begin_tests();
        return None;
    }
    if let Some(found) = SECTION.captures(text) {
        let title = &found[1];
        let (test, file) = match title.strip_prefix("ERROR collecting ") {
            Some(file) => (None, Some(file.to_owned())),
            None => {
                let name = title
                    .strip_prefix("ERROR at ")
                    .map_or(title, |rest| rest.split_once(" of ").map_or(rest, |(_, test)| test));
                (Some(test_name(name)), None)
            }
        };
        return Some(Box::new(PytestSection { test, file, ..PytestSection::default() }));
    }
    let found = SUMMARY.captures(text)?;
    let test = found[3].strip_prefix("::").map(test_name);
    let key = test.clone().unwrap_or_else(|| found[2].to_owned());
    if let Some(left) = run.pytest_told.get_mut(&key)
        && *left > 0
    {
        *left -= 1;
        return Some(Box::new(KnownTest));
    }
    let said = found.get(4).map_or("", |m| m.as_str());
    let (kind, message) = exception(said).unwrap_or_else(|| ("FAILED test".to_owned(), said.to_owned()));
    let mut draft = Draft::new(Tool::Pytest, kind, message).at(&found[2], None);
    draft.test = test;
    Single::opened(draft, |_| false)
}

/// `TestPrice.test_known[a.b]` and `TestPrice::test_known[a.b]` are one test.
fn test_name(printed: &str) -> String {
    let (name, parameters) = printed.split_at(printed.find('[').unwrap_or(printed.len()));
    format!("{}{parameters}", name.replace('.', "::"))
}

/// The class and the words of what pytest explains; a bare `assert` is an assertion.
fn exception(said: &str) -> Option<(String, String)> {
    if said == "assert" || said.starts_with("assert ") {
        return Some(("AssertionError".to_owned(), said.to_owned()));
    }
    let found = EXCEPTION.captures(said)?;
    let kind = found[1].rsplit('.').next().unwrap_or_default().to_owned();
    Some((kind, found.get(2).map_or("", |m| m.as_str()).to_owned()))
}

/// A line of the summary whose failure has been told.
struct KnownTest;

impl Block for KnownTest {
    fn feed(&mut self, _: &str, _: &mut Run) -> Verdict {
        Verdict::Refused
    }

    fn finish(self: Box<Self>, _: &mut Run) -> Vec<Draft> {
        Vec::new()
    }
}

#[derive(Default)]
struct PytestSection {
    test: Option<String>,
    file: Option<String>,
    /// In the order of the calls, outermost first.
    frames: Vec<Frame>,
    kind: Option<String>,
    message: Option<String>,
    syntax: Option<Place>,
}

impl Block for PytestSection {
    fn feed(&mut self, line: &str, _: &mut Run) -> Verdict {
        if (line.starts_with("===") && line.ends_with("===")) || SECTION.is_match(line) || SUMMARY.is_match(line) {
            return Verdict::Refused;
        }
        if let Some(found) = EXPLAINED.captures(line) {
            let said = found[2].trim();
            if let Some(found) = SYNTAX.captures(said) {
                self.syntax = Some(Place { file: found[1].to_owned(), line: found[2].parse().ok() });
            } else if self.message.is_none() || (self.syntax.is_some() && self.kind.is_none()) {
                // Under `File "…"` the class comes after the picture of the code.
                if let Some((kind, message)) = exception(said) {
                    self.kind = Some(kind);
                    self.message = Some(message);
                } else if self.syntax.is_none() {
                    self.message = Some(said.to_owned());
                }
            }
        } else if let Some(found) = LOCATION.captures(line) {
            let function = found.get(3).map(|name| name.as_str().to_owned());
            if let Some(kind) = found.get(4)
                && self.kind.is_none()
            {
                self.kind = Some(kind.as_str().rsplit('.').next().unwrap_or_default().to_owned());
            }
            self.frames.push(Frame { file: found[1].to_owned(), line: found[2].parse().ok(), function });
        }
        Verdict::Mine
    }

    fn finish(mut self: Box<Self>, run: &mut Run) -> Vec<Draft> {
        // Sections of captured output and of warnings look alike and explain nothing.
        if self.kind.is_none() && self.message.is_none() {
            return Vec::new();
        }
        let key = self.test.clone().or_else(|| self.file.clone()).unwrap_or_default();
        *run.pytest_told.entry(key).or_default() += 1;
        let kind = self.kind.unwrap_or_else(|| "FAILED test".to_owned());
        let mut draft = Draft::new(Tool::Pytest, kind, self.message.unwrap_or_default());
        // The file of the test is what the summary names when it stands alone.
        let first = self.frames.iter().find(|frame| frames::is_application(frame));
        draft.site = self.file.clone().or_else(|| first.map(|frame| frame.file.clone()));
        self.frames.reverse();
        draft.frames = self.frames;
        draft.place = self.syntax.or_else(|| frames::place(&draft.frames));
        draft.place = draft.place.or(self.file.map(|file| Place { file, line: None }));
        draft.test = self.test;
        vec![draft]
    }
}
