//! npm's own errors. A script that failed has told its story already; npm's account of it is an echo.

use std::sync::LazyLock;

use regex::Regex;

use super::Tool;
use super::block::{Block, Draft, Opened, Run, Single, Verdict};
use super::line::pattern;

static PREFIX: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:npm|pnpm) (?:ERR!|error)(?: (.*))?$"));
static YARN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^error (Command failed with exit code \d+\.?|Command .+ failed.*)$"));
/// The words npm repeats before each line of an explanation: `enoent`, `404`, `notarget`.
static TAG: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:JSON\.parse|[a-z]+[0-9]*|\d{3}) (.+)$"));

const SAYS_LITTLE: &[&str] =
    &["code ", "errno ", "syscall ", "path ", "dest ", "A complete log", "command ", "workspace ", "location "];

pub(super) fn begin(text: &str) -> Opened {
    if let Some(found) = YARN.captures(text) {
        let mut draft = Draft::new(Tool::Npm, "lifecycle", &found[1]);
        draft.echo = true;
        return Single::opened(draft, |_| false);
    }
    let found = PREFIX.captures(text)?;
    let mut block = NpmReport::default();
    block.take(found.get(1).map_or("", |m| m.as_str()));
    Some(Box::new(block))
}

#[derive(Default)]
struct NpmReport {
    code: Option<String>,
    message: Option<String>,
    lifecycle: bool,
}

impl NpmReport {
    fn take(&mut self, said: &str) {
        let trimmed = said.trim();
        if let Some(code) = trimmed.strip_prefix("code ") {
            self.lifecycle |= code == "ELIFECYCLE" || code.bytes().all(|b| b.is_ascii_digit());
            self.code.get_or_insert_with(|| code.to_owned());
            return;
        }
        self.lifecycle |= trimmed.starts_with("Lifecycle script") || trimmed.starts_with("command failed");
        if self.message.is_none() && !trimmed.is_empty() && !SAYS_LITTLE.iter().any(|start| trimmed.starts_with(start))
        {
            let tagged = self.code.is_some().then(|| TAG.captures(trimmed)).flatten();
            let bare = tagged.as_ref().and_then(|found| found.get(1)).map_or(trimmed, |m| m.as_str());
            self.message = Some(bare.to_owned());
        }
    }
}

impl Block for NpmReport {
    fn feed(&mut self, line: &str, _: &mut Run) -> Verdict {
        let Some(found) = PREFIX.captures(line) else { return Verdict::Refused };
        self.take(found.get(1).map_or("", |m| m.as_str()));
        Verdict::Mine
    }

    fn finish(self: Box<Self>, _: &mut Run) -> Vec<Draft> {
        if self.code.is_none() && self.message.is_none() {
            return Vec::new();
        }
        let kind =
            if self.lifecycle { "lifecycle".to_owned() } else { self.code.unwrap_or_else(|| "error".to_owned()) };
        let mut draft = Draft::new(Tool::Npm, kind, self.message.unwrap_or_default());
        draft.echo = self.lifecycle;
        vec![draft]
    }
}
