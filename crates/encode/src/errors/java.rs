//! The JVM's builders and test runners: javac, kotlinc, Maven with surefire, Gradle. Stacks are read elsewhere.

use std::sync::LazyLock;

use regex::Regex;

use super::block::{Block, Draft, Opened, Run, Single, Verdict};
use super::line::pattern;
use super::stack;
use super::{Frame, Place, Tool};

static JAVAC: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(.+?\.(?:java|kt|scala|groovy)):(\d+): error: (.+)$"));
static KOTLIN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^e: (?:file://)?(.+?\.kts?):(?: \()?(\d+)[:,] ?\d+\)?:? (.+)$"));
static MAVEN_COMPILE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^\[ERROR\] (.+?\.\w+):\[(\d+),\d+\] (?:error: )?(.+)$"));
static SUREFIRE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:\[ERROR\] )?\s*([\w.$\[\]]+)(?:\(([\w.$]+)\))?\s.*<<< (?:FAILURE|ERROR)!$"));
static MAVEN: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\[ERROR\] ?(.*)$"));
static GRADLE_TEST: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(\S+) > (.+) FAILED$"));
static GRADLE_ERROR: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^\s+((?:[\w$]+\.)+[A-Z][\w$]*)(?:: (.*?))?(?: at (\S+):(\d+))?$"));

/// What Maven wraps around the errors it has already told.
const MAVEN_TALK: &[&str] = &[
    "Tests run:",
    "Failures:",
    "Errors:",
    "-> [Help",
    "Re-run",
    "To see",
    "For more",
    "[Help",
    "After correcting",
    "COMPILATION ERROR",
    "There are test failures",
    "There was a",
    "Please refer",
    "See ",
    "  ",
    "symbol:",
    "location:",
];

/// A file, a line and a message, as the compiler says them, alone or through Maven.
fn compiler(found: &regex::Captures<'_>, tool: Tool) -> Opened {
    let place = Place { file: found[1].to_owned(), line: found[2].parse().ok() };
    Some(Box::new(Javac { place, message: found[3].to_owned(), symbol: None, lines: 0, tool }))
}

pub(super) fn begin(text: &str, run: &mut Run) -> Opened {
    if let Some(found) = JAVAC.captures(text) {
        return compiler(&found, Tool::Javac);
    }
    if let Some(found) = KOTLIN.captures(text) {
        let draft = Draft::new(Tool::Javac, "error", &found[3]).at(&found[1], found[2].parse().ok());
        return Single::opened(draft, |_| false);
    }
    if let Some(found) = GRADLE_TEST.captures(text)
        && !text.starts_with("> Task")
    {
        let mut test = Draft::new(Tool::Gradle, "FAILED test", "");
        test.test = Some(format!("{}.{}", &found[1], found[2].trim_end_matches("()")));
        return Some(Box::new(GradleTest { draft: test, named: false }));
    }
    if text.starts_with("FAILURE: Build failed with an exception.") {
        return Some(Box::new(GradleBuild::default()));
    }
    if let Some(found) = SUREFIRE.captures(text) {
        let name = match (&found[1], found.get(2)) {
            ("Tests", _) => return None,
            (method, Some(class)) => format!("{}.{method}", class.as_str()),
            (name, None) => name.to_owned(),
        };
        let parts: Vec<&str> = name.rsplitn(3, '.').collect();
        let name = parts.iter().take(2).rev().copied().collect::<Vec<_>>().join(".");
        run.announced = Some((Tool::Junit, name, run.lines));
        return None;
    }
    if let Some(found) = MAVEN_COMPILE.captures(text) {
        return compiler(&found, Tool::Maven);
    }
    let said = MAVEN.captures(text)?.get(1)?.as_str();
    if said.trim().is_empty() || MAVEN_TALK.iter().any(|talk| said.starts_with(talk)) {
        return Some(Box::new(Talk));
    }
    if said.starts_with("Failed to execute goal") || said.starts_with("Plugin ") {
        let mut draft = Draft::new(Tool::Maven, "goal", said.split(" -> [Help").next().unwrap_or(said));
        draft.echo = true;
        return Single::opened(draft, |_| false);
    }
    None
}

/// A line that belongs to a builder's account and tells nothing new.
struct Talk;

impl Block for Talk {
    fn feed(&mut self, _: &str, _: &mut Run) -> Verdict {
        Verdict::Refused
    }

    fn finish(self: Box<Self>, _: &mut Run) -> Vec<Draft> {
        Vec::new()
    }
}

/// A compiler's error with the code, the mark and the symbol it could not find.
struct Javac {
    place: Place,
    message: String,
    symbol: Option<String>,
    lines: usize,
    tool: Tool,
}

impl Block for Javac {
    fn feed(&mut self, line: &str, _: &mut Run) -> Verdict {
        self.lines += 1;
        let line = if self.tool == Tool::Maven { line.strip_prefix("[ERROR]").unwrap_or(line) } else { line };
        let trimmed = line.trim();
        if let Some(symbol) = trimmed.strip_prefix("symbol:") {
            self.symbol = Some(symbol.trim().to_owned());
            return Verdict::Mine;
        }
        if trimmed.starts_with("location:") {
            return Verdict::Last;
        }
        let indented = line.starts_with("  ") || line.starts_with('\t');
        // The code may stand at the margin; the mark comes right below it.
        match self.tool {
            Tool::Maven if indented && !trimmed.is_empty() => Verdict::Mine,
            Tool::Javac if indented || trimmed == "^" => Verdict::Mine,
            Tool::Javac if self.lines == 1 && !JAVAC.is_match(line) => Verdict::Maybe,
            _ => Verdict::Refused,
        }
    }

    fn finish(self: Box<Self>, _: &mut Run) -> Vec<Draft> {
        let once = format!("{} {:?} {}", self.place.file, self.place.line, self.message);
        let message = match &self.symbol {
            Some(symbol) => format!("{}: {symbol}", self.message),
            None => self.message,
        };
        let mut draft = Draft::new(self.tool, "error", message).at(self.place.file, self.place.line);
        // Maven lists its compiler errors a second time at the end.
        draft.once = (self.tool == Tool::Maven).then_some(once);
        vec![draft]
    }
}

/// `CartTest > total FAILED`, the exception below it and its calls.
struct GradleTest {
    draft: Draft,
    named: bool,
}

impl Block for GradleTest {
    fn feed(&mut self, line: &str, _: &mut Run) -> Verdict {
        if line.starts_with("        ")
            && let Some((call, _)) = stack::call(line)
        {
            if let stack::StackCall::Jvm(frame) = call {
                self.draft.frames.push(frame);
            }
            return Verdict::Mine;
        }
        if self.named || !line.starts_with("    ") {
            return if line.starts_with("    ") { Verdict::Mine } else { Verdict::Refused };
        }
        if let Some(found) = GRADLE_ERROR.captures(line) {
            self.named = true;
            self.draft.kind = found[1].rsplit(['.', '$']).next().unwrap_or_default().to_owned();
            found.get(2).map_or("", |m| m.as_str()).clone_into(&mut self.draft.message);
            if let (Some(file), Some(at)) = (found.get(3), found.get(4)) {
                let frame = Frame { file: file.as_str().to_owned(), line: at.as_str().parse().ok(), function: None };
                self.draft.frames.push(frame);
            }
        }
        Verdict::Mine
    }

    fn finish(self: Box<Self>, _: &mut Run) -> Vec<Draft> {
        vec![self.draft]
    }
}

/// `FAILURE: Build failed …` with its reason; an echo of compiler errors and failed tests.
#[derive(Default)]
struct GradleBuild {
    reasons: Vec<String>,
    asked: bool,
}

impl Block for GradleBuild {
    fn feed(&mut self, line: &str, _: &mut Run) -> Verdict {
        if line.starts_with("* What went wrong:") {
            self.asked = true;
            return Verdict::Mine;
        }
        if line.starts_with("* ") || line.starts_with("BUILD FAILED") {
            return Verdict::Last;
        }
        if self.asked && !line.trim().is_empty() && self.reasons.len() < 4 {
            self.reasons.push(line.trim_start_matches(['>', ' ']).to_owned());
        }
        Verdict::Mine
    }

    fn finish(self: Box<Self>, _: &mut Run) -> Vec<Draft> {
        let mut draft = Draft::new(Tool::Gradle, "build", self.reasons.join(" "));
        draft.echo = true;
        vec![draft]
    }
}
