//! Stacks of `at` lines, as JavaScript and the JVM print them, below the line that names the exception.
//!
//! Of a JVM chain the root cause is the failure; of a JavaScript error the outermost is, and its cause is noted.

use std::sync::LazyLock;

use regex::Regex;

use super::block::{Block, Draft, Opened, Run, Verdict};
use super::line::{pattern, says_nothing_happened};
use super::{Frame, Place, Tool};

static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"^\s*(?:Exception in thread "[^"]*" |\[[\w-]+\] |Uncaught (?:\(in promise\) )?|Unhandled (?:Promise )?[Rr]ejection:? |\(node:\d+\) (?:UnhandledPromiseRejectionWarning: )?)?((?:[\w$]+\.)*[A-Z_][\w$]*)(?: \[(\w+)\])?(?::\s*(.*?))?( \{)?$"#,
    )
});
static CAUSE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*(?:Caused by|\[?cause\]?): (.+)$"));
static JVM_CALL: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^\s+at ([\w.$<>/@-]+)\(([\w$-]+\.\w+|Native Method|Unknown Source)(?::(\d+))?\)"));
static JS_CALL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^\s+at (?:(?:async )?(.+?) \()?((?:file://|[a-z]+:)?[^\s()]+?|<anonymous>):(\d+):\d+\)?( \{)?$")
});
static JS_OTHER: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s+at (?:async )?\S.*?( \{)?$"));
static CODE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s+code: '(\w+)'"));

/// Whether the class is one by its name alone.
fn is_telling(class: &str) -> bool {
    ["Error", "Exception", "Throwable"].iter().any(|end| class.ends_with(end))
}

pub(super) fn begin(text: &str, run: &mut Run) -> Opened {
    // A call with no stack open: the line above must have named the exception, however it is called.
    if text.trim_start().starts_with("at ") && text.starts_with([' ', '\t']) {
        let mut stack = Stack::named(&run.previous)?;
        stack.call(text)?;
        stack.announced = run.announced(4);
        return Some(Box::new(stack));
    }
    let mut stack = Stack::named(text)?;
    let thread = text.starts_with("Exception in thread");
    if !stack.telling && !thread {
        return None;
    }
    // Test runners indent; but an indented name counts only with calls below it.
    stack.telling = !text.starts_with([' ', '\t']);
    stack.announced = run.announced(4);
    Some(Box::new(stack))
}

/// What one call of a stack says.
pub(super) enum StackCall {
    Jvm(Frame),
    Js(Option<Frame>),
}

pub(super) fn call(line: &str) -> Option<(StackCall, bool)> {
    if let Some(found) = JVM_CALL.captures(line) {
        let line = found.get(3).and_then(|line| line.as_str().parse().ok());
        return Some((
            StackCall::Jvm(Frame { file: found[2].to_owned(), line, function: Some(found[1].to_owned()) }),
            false,
        ));
    }
    if let Some(found) = JS_CALL.captures(line) {
        let function = found.get(1).map(|name| name.as_str().to_owned());
        let frame = Frame { file: found[2].to_owned(), line: found[3].parse().ok(), function };
        return Some((StackCall::Js(Some(frame)), found.get(4).is_some()));
    }
    let found = JS_OTHER.captures(line)?;
    Some((StackCall::Js(None), found.get(1).is_some()))
}

#[derive(Default)]
pub(super) struct Stack {
    class: String,
    code: Option<String>,
    message: String,
    frames: Vec<Frame>,
    jvm: bool,
    called: bool,
    telling: bool,
    /// Inside the braces of an error's own fields.
    fields: bool,
    suppressed: bool,
    before_calls: usize,
    related: Option<String>,
    announced: Option<(Tool, String)>,
    /// Where node says a script broke, for errors whose stack is all node's own.
    pub(super) script: Option<Place>,
}

impl Stack {
    /// A stack below a line that names an exception.
    pub(super) fn named(line: &str) -> Option<Stack> {
        let found = HEADER.captures(line)?;
        let class = found[1].to_owned();
        let telling = is_telling(&class);
        Some(Stack {
            telling,
            class,
            code: found.get(2).map(|code| code.as_str().to_owned()),
            message: found.get(3).map_or("", |m| m.as_str()).trim().to_owned(),
            fields: found.get(4).is_some(),
            ..Stack::default()
        })
    }

    /// A value that was thrown without being an error.
    pub(super) fn thrown(line: &str) -> Stack {
        Stack { class: "Uncaught".into(), message: line.trim().to_owned(), called: true, ..Stack::default() }
    }

    fn call(&mut self, line: &str) -> Option<()> {
        let (call, opens) = call(line)?;
        self.called = true;
        self.fields |= opens;
        match call {
            _ if self.suppressed => {}
            StackCall::Jvm(frame) => {
                self.jvm = true;
                self.frames.push(frame);
            }
            StackCall::Js(Some(frame)) => self.frames.push(frame),
            StackCall::Js(None) => {}
        }
        self.frames.truncate(2000);
        Some(())
    }

    pub(super) fn take(&mut self, line: &str) -> Verdict {
        let trimmed = line.trim();
        if self.fields {
            if let Some(found) = CODE.captures(line)
                && self.code.is_none()
            {
                self.code = Some(found[1].to_owned());
            }
            if let Some(found) = CAUSE.captures(line)
                && self.related.is_none()
            {
                self.related = Some(found[1].trim_end_matches(" {").to_owned());
            }
            return if line.trim_end() == "}" { Verdict::Last } else { Verdict::Mine };
        }
        if trimmed.starts_with("at ") && line.starts_with([' ', '\t']) && self.call(line).is_some() {
            return Verdict::Mine;
        }
        if trimmed.starts_with("... ") && self.called {
            return Verdict::Mine;
        }
        if trimmed.starts_with("Suppressed: ") && self.called {
            self.suppressed = true;
            return Verdict::Mine;
        }
        if self.called
            && let Some(found) = CAUSE.captures(line)
        {
            // Within what was suppressed, or of another language: not the root of this failure.
            if line.starts_with([' ', '\t']) && self.suppressed {
                return Verdict::Mine;
            }
            return self.caused(&found[1]);
        }
        if self.called {
            return Verdict::Refused;
        }
        self.before_calls += 1;
        if self.message.ends_with(':') && !trimmed.is_empty() && self.message.len() < 300 {
            self.message = format!("{} {trimmed}", self.message);
        }
        if self.before_calls > 15 { Verdict::Refused } else { Verdict::Maybe }
    }

    fn caused(&mut self, header: &str) -> Verdict {
        let Some(cause) = Stack::named(header) else { return Verdict::Mine };
        if self.related.is_none() {
            self.related = Some(format!("{}: {}", short(&self.class), self.message));
        }
        self.class = cause.class;
        self.message = cause.message;
        self.suppressed = false;
        // The wrapper's own calls come after the cause's: the innermost first.
        self.frames.clear();
        Verdict::Mine
    }

    pub(super) fn draft(self) -> Option<Draft> {
        let script = self.script.is_some();
        if !self.called && !script && !self.fields {
            // Named and nothing more: a program that prints its errors without stacks.
            let plain = self.telling && !self.message.is_empty() && !says_nothing_happened(&self.message);
            return plain.then(|| Draft::new(Tool::Generic, short(&self.class), self.message));
        }
        let tool = if self.jvm { Tool::Java } else { Tool::Node };
        let mut kind = short(&self.class).to_owned();
        if let Some(code) = self.code.filter(|_| !self.jvm) {
            kind = code;
        }
        let mut draft = Draft::new(tool, kind, self.message);
        if let Some((tool, test)) = self.announced {
            draft.tool = tool;
            draft.test = Some(test);
        }
        draft.place = super::frames::place(&self.frames);
        draft.frames = self.frames;
        if draft.place.is_none()
            && let Some(script) = self.script
            && super::is_application(&Frame { file: script.file.clone(), line: None, function: None })
        {
            draft.place = Some(script);
        }
        draft.related = self.related;
        Some(draft)
    }
}

/// `shop.Cart$OutOfStock` is an `OutOfStock`.
fn short(class: &str) -> &str {
    class.rsplit(['.', '$']).find(|part| !part.is_empty()).unwrap_or(class)
}

impl Block for Stack {
    fn feed(&mut self, line: &str, _: &mut Run) -> Verdict {
        self.take(line)
    }

    fn is_stack(&self) -> bool {
        true
    }

    fn finish(self: Box<Self>, _: &mut Run) -> Vec<Draft> {
        self.draft().into_iter().collect()
    }
}
