//! C, C++ and everything that reports like their compilers; linkers, make, sanitizers, and programs killed by a signal.

use std::sync::LazyLock;

use regex::Regex;

use super::block::{Block, Draft, Opened, Run, Single, Verdict};
use super::line::pattern;
use super::{Frame, Tool};

static COMPILE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^([^\s:][^:]*?|[A-Za-z]:[\\/][^:]*?):(\d+):(?:\d+:)? (fatal error|error)(?:\[(E\d+)\])?: (.+?)(?:\s+\[(-W[\w=+-]+|[a-z]+(?:-[a-z]+)*)\])?$",
    )
});
static UNDEFINED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:.*?\bld(?:\.\w+)?: )?(?:(\S+?):(?:(\d+)|\(\.[^)]*\)): )?(?:error: )?(undefined reference|undefined symbol|multiple definition|cannot find -l|library not found for -l)(?: to| of)?:? ?[`'‘]?([^`'’;]+)",
    )
});
static RUNTIME: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(\S+?):(\d+):\d+: runtime error: ([^:]+)(?:: (.*))?$"));
static SANITIZER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^==\d+==\s?(?:ERROR|WARNING): \w+Sanitizer: (.+?)(?: on .*)?$"));
static SANITIZER_CALL: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^\s+#\d+ 0x[0-9a-f]+ (?:in )?(.+?) (\S+?):(\d+)(?::\d+)?$"));
static ASSERT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:\S+: )?(\S+?):(\d+): (?:.+: )?Assertion [`'](.+)' failed\.?$"));
static SIGNAL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:.*: line \d+:\s+\d+ )?(Segmentation fault|Aborted|Bus error|Illegal instruction|Floating point exception)(?:\s*:? ?\(?core dumped\)?|: 11)?(?:\s{2,}(.*))?$",
    )
});
static THROWN: LazyLock<Regex> = LazyLock::new(|| pattern(r"^terminate called after throwing an instance of '(.+)'$"));
static MAKE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^g?make(?:\[\d+\])?: \*\*\* (?:\[(?:(\S+?):(\d+): )?(.+?)\] (Error \d+|.+)|(.+?)\.?\s+Stop\.?)$")
});
static CMAKE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^CMake Error at (\S+?):(\d+) \((\w+)\):$"));

pub(super) fn begin(text: &str) -> Opened {
    if let Some(found) = UNDEFINED.captures(text) {
        return Some(undefined(&found));
    }
    if let Some(found) = COMPILE.captures(text) {
        let code = found.get(4).map(|code| code.as_str());
        let option = found.get(6).map(|option| option.as_str());
        let tool = match found[1].rsplit('.').next() {
            Some("py" | "pyi") => Tool::Mypy,
            Some("rs") => Tool::Rustc,
            Some("js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "vue" | "svelte") => Tool::Node,
            _ if code.is_some() => Tool::Rustc,
            _ => Tool::Gcc,
        };
        let option = option.filter(|option| tool == Tool::Mypy || option.starts_with("-W"));
        let kind = code.or(option).unwrap_or(&found[3]);
        let draft = Draft::new(tool, kind, &found[5]).at(&found[1], found[2].parse().ok());
        return Single::opened(draft, |line| {
            let more = line.starts_with("In file included") || line.contains(": note: ");
            more || (line.starts_with([' ', '\t']) && !line.trim().is_empty())
        });
    }
    if ["collect2: error: ", "clang: error: linker", "clang++: error: linker", "ninja: build stopped"]
        .iter()
        .any(|echo| text.starts_with(echo))
    {
        let mut draft = Draft::new(Tool::Linker, "error", text);
        draft.echo = true;
        return Single::opened(draft, |_| false);
    }
    if let Some(found) = RUNTIME.captures(text) {
        let said = found.get(4).map_or("", |m| m.as_str());
        let draft = Draft::new(Tool::Sanitizer, &found[3], said).at(&found[1], found[2].parse().ok());
        return Single::opened(draft, |line| line.starts_with("    #"));
    }
    if let Some(found) = SANITIZER.captures(text) {
        let draft = Draft::new(Tool::Sanitizer, found[1].trim(), "");
        return Some(Box::new(GccReport { draft, ended: false }));
    }
    if let Some(found) = ASSERT.captures(text) {
        let draft = Draft::new(Tool::Signal, "assertion", &found[3]).at(&found[1], found[2].parse().ok());
        return Single::opened(draft, |_| false);
    }
    if let Some(found) = THROWN.captures(text) {
        return Some(Box::new(Thrown { kind: found[1].to_owned(), message: None }));
    }
    if let Some(found) = SIGNAL.captures(text) {
        let kind = match &found[1] {
            "Segmentation fault" => "SIGSEGV",
            "Aborted" => "SIGABRT",
            "Bus error" => "SIGBUS",
            "Illegal instruction" => "SIGILL",
            _ => "SIGFPE",
        };
        let mut draft =
            Draft::new(Tool::Signal, kind, format!("{} {}", &found[1], found.get(2).map_or("", |m| m.as_str())));
        draft.echo = true;
        return Single::opened(draft, |_| false);
    }
    if let Some(found) = CMAKE.captures(text) {
        let draft = Draft::new(Tool::Make, "CMake Error", &found[3]).at(&found[1], found[2].parse().ok());
        return Some(Box::new(Cmake { draft, said: false }));
    }
    make(text)
}

fn make(text: &str) -> Opened {
    let found = MAKE.captures(text)?;
    let mut draft = match (found.get(3), found.get(4), found.get(5)) {
        (Some(target), Some(how), _) => {
            let how = how.as_str();
            let mut draft =
                Draft::new(Tool::Make, "make", format!("{}: {}", target.as_str(), how.replace("Error", "exit code")));
            draft.echo = true;
            draft
        }
        (_, _, Some(why)) => Draft::new(Tool::Make, "make", why.as_str()),
        _ => return None,
    };
    if let (Some(file), Some(line)) = (found.get(1), found.get(2)) {
        draft = draft.at(file.as_str(), line.as_str().parse().ok());
    }
    Single::opened(draft, |_| false)
}

fn undefined(found: &regex::Captures<'_>) -> Box<dyn Block> {
    let symbol = found[4].trim().to_owned();
    let kind = if found[3].ends_with("-l") { "missing library" } else { &found[3] };
    let mut draft = Draft::new(Tool::Linker, kind, symbol.clone());
    if let Some(file) = found.get(1) {
        draft = draft.at(file.as_str(), found.get(2).and_then(|line| line.as_str().parse().ok()));
    }
    Box::new(Undefined { symbols: vec![symbol], drafts: vec![draft] })
}

/// The symbols one link lacks; each is told once, however often it is used.
struct Undefined {
    symbols: Vec<String>,
    drafts: Vec<Draft>,
}

impl Block for Undefined {
    fn feed(&mut self, line: &str, _: &mut Run) -> Verdict {
        if let Some(found) = UNDEFINED.captures(line) {
            let symbol = found[4].trim();
            if self.symbols.len() < 50 && !self.symbols.iter().any(|known| known == symbol) {
                self.symbols.push(symbol.to_owned());
                let kind = if found[3].ends_with("-l") { "missing library" } else { &found[3] };
                let mut draft = Draft::new(Tool::Linker, kind, symbol);
                if let Some(file) = found.get(1) {
                    draft = draft.at(file.as_str(), found.get(2).and_then(|line| line.as_str().parse().ok()));
                }
                draft.excerpt = Some(line.to_owned());
                self.drafts.push(draft);
            }
            return Verdict::Mine;
        }
        let linking = line.contains("in function") || line.starts_with(">>> ") || line.starts_with([' ', '\t']);
        if linking { Verdict::Mine } else { Verdict::Refused }
    }

    fn finish(self: Box<Self>, _: &mut Run) -> Vec<Draft> {
        self.drafts
    }
}

/// A sanitizer's report; its first stack is where it happened.
struct GccReport {
    draft: Draft,
    ended: bool,
}

impl Block for GccReport {
    fn feed(&mut self, line: &str, _: &mut Run) -> Verdict {
        if let Some(found) = SANITIZER_CALL.captures(line) {
            if !self.ended && self.draft.frames.len() < 200 {
                let function = Some(found[1].to_owned());
                self.draft.frames.push(Frame { file: found[2].to_owned(), line: found[3].parse().ok(), function });
            }
            return Verdict::Mine;
        }
        if line.starts_with("SUMMARY: ") {
            return Verdict::Last;
        }
        if self.draft.frames.is_empty()
            && self.draft.message.is_empty()
            && !line.trim().is_empty()
            && !line.starts_with("    #")
        {
            // `READ of size 4 at 0x… thread T0`
            line.split(" at ").next().unwrap_or(line).trim().clone_into(&mut self.draft.message);
        }
        self.ended |= line.trim().is_empty() && !self.draft.frames.is_empty();
        if line.starts_with("==") && line.ends_with("ABORTING") { Verdict::Last } else { Verdict::Mine }
    }

    fn finish(self: Box<Self>, _: &mut Run) -> Vec<Draft> {
        vec![self.draft]
    }
}

struct Thrown {
    kind: String,
    message: Option<String>,
}

impl Block for Thrown {
    fn feed(&mut self, line: &str, _: &mut Run) -> Verdict {
        match line.trim_start().strip_prefix("what():") {
            Some(what) => {
                self.message = Some(what.trim().to_owned());
                Verdict::Last
            }
            None => Verdict::Refused,
        }
    }

    fn finish(self: Box<Self>, _: &mut Run) -> Vec<Draft> {
        vec![Draft::new(Tool::Signal, self.kind, self.message.unwrap_or_default())]
    }
}

struct Cmake {
    draft: Draft,
    said: bool,
}

impl Block for Cmake {
    fn feed(&mut self, line: &str, _: &mut Run) -> Verdict {
        if line.trim().is_empty() {
            return if self.said { Verdict::Last } else { Verdict::Mine };
        }
        if !line.starts_with(' ') {
            return Verdict::Refused;
        }
        if !self.said {
            self.said = true;
            self.draft.message = format!("{}: {}", self.draft.message, line.trim());
        }
        Verdict::Mine
    }

    fn finish(self: Box<Self>, _: &mut Run) -> Vec<Draft> {
        vec![self.draft]
    }
}
