//! Any other log: a line whose level says error or worse, in plain text, JSON or `key=value` form.
//!
//! The level must stand where loggers put it, before the message. A line that merely speaks of errors is none.

use std::sync::LazyLock;

use regex::Regex;

use super::block::{Block, Draft, Opened, Run, Verdict};
use super::line::{head, pattern, says_nothing_happened};
use super::{Frame, Tool, stack};

static JSON_LEVEL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)"(?:level|severity|levelname|lvl|log\.level|loglevel)"\s*:\s*(?:"(error|err|fatal|critical|crit|panic|dpanic|emerg|emergency|alert|severe)"|([56]0)\b)"#,
    )
});
static JSON_MESSAGE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#""(?:msg|message|event|@message|text)"\s*:\s*"((?:[^"\\]|\\.)*)"#));
static JSON_ERROR: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#""(?:error|err|exception|detail)"\s*:\s*"((?:[^"\\]|\\.)*)"#));
static JSON_CLASS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#""(?:type|name|error_type|exc_type|class)"\s*:\s*"([\w.$]*(?:Error|Exception))""#));
static FIELD_LEVEL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)(?:^|\s)(?:level|lvl|severity)="?(error|err|fatal|critical|crit|panic|dpanic|emerg|alert|eror)"?(?:\s|$)"#,
    )
});
static FIELD_MESSAGE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?:^|\s)(?:msg|message|event)=(?:"((?:[^"\\]|\\.)*)"|(\S+))"#));
static FIELD_ERROR: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?:^|\s)(?:err|error)=(?:"((?:[^"\\]|\\.)*)"|(\S+))"#));
static GLOG: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^([EF])\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ ([\w./-]+):(\d+)\] (.+)$"));
static LOGGER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:\d+ --- )?(?:\[[^\]]{1,60}\]:? +)*(?:[\w.$-]+(?:::[\w.$-]+)+(?:\{[^}]*\})?: |(?:[\w$-]+\.)*[\w$-]+ +[-:] |(?:[\w$-]+\.)+[\w$-]+: |[\w.$-]+:[\w.$<>-]+:\d+ - )?",
    )
});
static PLACE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^([\w./\\-]+\.[A-Za-z]{1,4}):(\d+)(?::\d+)?[:\s]\s*"));
static CLASS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?:^|[\s:])((?:[\w$]+\.)*[A-Z][\w$]*(?:Error|Exception))(?:: (.*))?$"));
static WORKFLOW: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:##\[error\]|::error(?: [^:]*)?::)(.+)$"));

const MOST_WORDS: usize = 10;

pub(super) fn begin(text: &str) -> Opened {
    let trimmed = text.trim_start();
    let draft = if let Some(found) = WORKFLOW.captures(trimmed) {
        // Build services repeat what the tool has said.
        let mut draft = Draft::new(Tool::Generic, "ERROR", &found[1]);
        draft.echo = true;
        draft
    } else if trimmed.starts_with('{') {
        json(trimmed)?
    } else if let Some(found) = GLOG.captures(trimmed) {
        let kind = if &found[1] == "F" { "FATAL" } else { "ERROR" };
        Draft::new(Tool::Generic, kind, &found[4]).at(&found[2], found[3].parse().ok())
    } else if let Some(found) = FIELD_LEVEL.captures(trimmed) {
        let value = |pattern: &Regex| {
            let found = pattern.captures(trimmed)?;
            found.get(1).or(found.get(2)).map(|m| m.as_str().replace("\\\"", "\""))
        };
        let message = joined(value(&FIELD_MESSAGE), value(&FIELD_ERROR))?;
        Draft::new(Tool::Generic, level_name(&found[1])?, message)
    } else {
        plain(text)?
    };
    if says_nothing_happened(&draft.message) {
        return None;
    }
    Some(Box::new(ErrorLine { draft, jvm: false }))
}

fn joined(message: Option<String>, error: Option<String>) -> Option<String> {
    match (message, error) {
        (Some(message), Some(error)) if !message.contains(&error) => Some(format!("{message}: {error}")),
        (Some(message), _) => Some(message),
        (None, error) => error,
    }
}

fn json(text: &str) -> Option<Draft> {
    let found = JSON_LEVEL.captures(text)?;
    let level = match (found.get(1), found.get(2)) {
        (Some(level), _) => level_name(level.as_str())?,
        (None, Some(number)) if number.as_str() == "60" => "FATAL",
        _ => "ERROR",
    };
    let value = |pattern: &Regex| {
        let value = pattern.captures(text)?.get(1)?.as_str();
        let value = value.split("\\n").next().unwrap_or(value);
        Some(value.replace("\\\"", "\"").replace("\\t", " ").replace("\\\\", "\\"))
    };
    let message = joined(value(&JSON_MESSAGE), value(&JSON_ERROR))?;
    let class =
        JSON_CLASS.captures(text).map(|found| found[1].rsplit(['.', '$']).next().unwrap_or_default().to_owned());
    Some(Draft::new(Tool::Generic, class.unwrap_or_else(|| level.to_owned()), message))
}

fn level_name(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_uppercase().as_str() {
        "ERROR" | "ERR" | "EROR" => "ERROR",
        "FATAL" => "FATAL",
        "CRITICAL" | "CRIT" => "CRITICAL",
        "SEVERE" => "SEVERE",
        "PANIC" | "DPANIC" => "PANIC",
        "EMERG" | "EMERGENCY" => "EMERGENCY",
        "ALERT" => "ALERT",
        _ => return None,
    })
}

/// Walks over what loggers put before the level; the first word of prose ends the search.
fn plain(text: &str) -> Option<Draft> {
    let mut rest = text.trim_start();
    // Only a word at the margin may be a level without anything around it.
    let margin = rest.len() == text.len();
    for at in 0..MOST_WORDS {
        if let Some(inner) = rest.strip_prefix(['[', '<', '(']) {
            let end = head(inner, 96).find([']', '>', ')'])?;
            let level =
                inner[..end].split([' ', '/', ':', ',', '|']).filter(|word| !word.is_empty()).find_map(level_name);
            rest = inner[end + 1..].trim_start_matches([':', '-', '|', ' ', '\t']);
            match level {
                Some(level) => return Some(told(level, rest)),
                None if inner[..end].split([' ', '/', ':', ',', '|']).any(is_harmless) => return None,
                None => continue,
            }
        }
        let end = rest.find([' ', '\t']).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if word.is_empty() {
            return None;
        }
        if let Some(found) = leading_level(word, after, at == 0, margin) {
            return Some(found);
        }
        if !is_prefix(word) || is_harmless(word.split([':', '|', '/']).next().unwrap_or_default()) {
            return None;
        }
        rest = after.trim_start();
    }
    None
}

/// A word that is a level: `ERROR`, `ERROR:`, `Error:` at the beginning, `ERROR:root:message` in one piece.
fn leading_level(word: &str, after: &str, first: bool, margin: bool) -> Option<Draft> {
    let (name, tail) = word.split_at(word.find([':', '|', ']', '/']).unwrap_or(word.len()));
    let level = level_name(name.trim_matches('*'))?;
    let shouted = name.bytes().all(|b| !b.is_ascii_lowercase());
    let colon = tail.starts_with(':');
    let accepted = match (first, shouted) {
        // `ERR` and `ALERT` are too common as words to stand alone; prose never shouts the others.
        (true, true) => margin && (colon || !matches!(name, "ERR" | "ALERT" | "CRIT" | "EMERG")),
        (true, false) => margin && colon && name.len() > 3,
        (false, true) => true,
        // zap's console format separates by tabs.
        (false, false) => tail.is_empty() && after.starts_with('\t'),
    };
    if !accepted {
        return None;
    }
    let tail = tail.trim_start_matches([':', '|', '/']);
    // `ERROR:root:message`: the second piece is the logger.
    let message = match tail.split_once(':') {
        Some((logger, begin)) if colon && is_name(logger) => format!("{begin}{after}"),
        _ => format!("{tail}{after}"),
    };
    Some(told(level, &message))
}

fn is_name(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b'$'))
}

/// A level that says all is well, or well enough.
fn is_harmless(word: &str) -> bool {
    ["trace", "debug", "info", "notice", "warn", "warning"].iter().any(|level| word.eq_ignore_ascii_case(level))
}

/// Stamps, process ids, hosts, loggers and the strokes between them.
fn is_prefix(word: &str) -> bool {
    const WORDS: &[&str] = &["UTC", "GMT", "CET", "CEST", "EST", "PST", "AM", "PM", "am", "pm"];
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDecMonTueWedThuFriSatSun";
    let bare = word.trim_end_matches([':', ',', '|', '-']);
    bare.is_empty()
        || bare.starts_with(|c: char| c.is_ascii_digit())
        || WORDS.contains(&bare)
        || (bare.len() == 3 && MONTHS.contains(bare))
        || (is_name(bare) && bare.len() < word.len())
        || (bare.contains(['.', ':', '/', '#', '[', '=']) && !bare.ends_with('.') && bare.len() <= 80)
}

fn told(level: &str, rest: &str) -> Draft {
    let mut rest = rest.trim_start_matches([':', '-', '|', ' ', '\t', '>', '*']);
    let mut place = None;
    for _ in 0..2 {
        if let Some(found) = PLACE.captures(rest) {
            place = Some((found[1].to_owned(), found[2].parse().ok()));
            rest = &rest[found[0].len()..];
        }
        if let Some(found) = LOGGER.find(rest)
            && found.end() < rest.len()
        {
            rest = &rest[found.end()..];
        }
    }
    let draft = Draft::new(Tool::Generic, level, rest.trim());
    match place {
        Some((file, line)) => draft.at(file, line),
        None => draft,
    }
}

/// The line, and a stack that follows it without naming its exception anew.
struct ErrorLine {
    draft: Draft,
    jvm: bool,
}

impl Block for ErrorLine {
    fn feed(&mut self, line: &str, _: &mut Run) -> Verdict {
        if !line.starts_with([' ', '\t']) || !line.trim_start().starts_with("at ") {
            return Verdict::Refused;
        }
        let frame: Option<Frame> = match stack::call(line) {
            Some((stack::StackCall::Jvm(frame), _)) => {
                self.jvm = true;
                Some(frame)
            }
            Some((stack::StackCall::Js(frame), _)) => frame,
            None => return Verdict::Refused,
        };
        self.draft.frames.extend(frame);
        self.draft.frames.truncate(500);
        Verdict::Mine
    }

    fn gives_way(&self) -> bool {
        self.draft.frames.is_empty()
    }

    fn finish(mut self: Box<Self>, _: &mut Run) -> Vec<Draft> {
        if !self.draft.frames.is_empty() {
            self.draft.tool = if self.jvm { Tool::Java } else { Tool::Node };
            if let Some(found) = CLASS.captures(&self.draft.message.clone()) {
                self.draft.kind = found[1].rsplit(['.', '$']).next().unwrap_or_default().to_owned();
                if let Some(message) = found.get(2) {
                    message.as_str().clone_into(&mut self.draft.message);
                }
            }
        }
        vec![self.draft]
    }
}
