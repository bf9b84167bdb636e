//! JavaScript and TypeScript: scripts that node stopped, and the type checker's errors in both of its layouts.

use std::sync::LazyLock;

use regex::Regex;

use super::block::{Block, Draft, Opened, Run, Single, Verdict};
use super::line::pattern;
use super::stack::Stack;
use super::{Place, Tool};

static PLAIN: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(.+?)\((\d+),\d+\): error (TS\d+): (.+)$"));
static PRETTY: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(.+?):(\d+):\d+ - error (TS\d+): (.+)$"));
static PROJECT: LazyLock<Regex> = LazyLock::new(|| pattern(r"^error (TS\d+): (.+)$"));
static SCRIPT: LazyLock<Regex> = LazyLock::new(|| pattern(r"^((?:file://|node:|/|[A-Za-z]:\\)\S*):(\d+)$"));

pub(super) fn begin(text: &str) -> Opened {
    if let Some(found) = PLAIN.captures(text).or_else(|| PRETTY.captures(text)) {
        let draft = Draft::new(Tool::Typescript, &found[3], &found[4]).at(&found[1], found[2].parse().ok());
        return Single::opened(draft, |line| line.starts_with("  "));
    }
    if let Some(found) = PROJECT.captures(text) {
        return Single::opened(Draft::new(Tool::Typescript, &found[1], &found[2]), |line| line.starts_with("  "));
    }
    let found = SCRIPT.captures(text)?;
    let place = Place { file: found[1].to_owned(), line: found[2].parse().ok() };
    Some(Box::new(Script { place, pointed: false, lines: 0, stack: None }))
}

/// `file:line`, the code, a mark under it, a blank line, and then the error.
struct Script {
    place: Place,
    pointed: bool,
    lines: usize,
    stack: Option<Stack>,
}

impl Block for Script {
    fn feed(&mut self, line: &str, _: &mut Run) -> Verdict {
        if let Some(stack) = &mut self.stack {
            return stack.take(line);
        }
        self.lines += 1;
        let trimmed = line.trim();
        if !trimmed.is_empty() && trimmed.bytes().all(|b| b == b'^') {
            self.pointed = true;
            return Verdict::Mine;
        }
        if self.pointed && !trimmed.is_empty() {
            let mut stack = Stack::named(line).unwrap_or_else(|| Stack::thrown(line));
            stack.script = Some(self.place.clone());
            self.stack = Some(stack);
            return Verdict::Mine;
        }
        if self.lines > 12 { Verdict::Refused } else { Verdict::Maybe }
    }

    fn is_stack(&self) -> bool {
        true
    }

    fn finish(self: Box<Self>, _: &mut Run) -> Vec<Draft> {
        self.stack.and_then(Stack::draft).into_iter().collect()
    }
}
