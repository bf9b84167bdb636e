//! One line as a tool wrote it: without colours, carriage returns and what a log collector put in front of it.
//!
//! It keeps the indentation, which the families read. It does not decide whether the line is an error.

use std::sync::LazyLock;

use regex::Regex;

pub(super) use crate::prose::head;

/// Only the beginning of a line is looked at; no tool says more than this in one that matters.
const MOST_BYTES: usize = 4096;

/// A cleaned line and the process it came from (empty when the log has a single one).
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cleaned {
    pub(super) source: String,
    pub(super) text: String,
}

static SOURCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^([A-Za-z][\w.-]{0,63}) *\| "));
static STAMP: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d) "));
static SYSLOG: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [\w./@-]+(?:\[\d+\])?: "));
static BRACKET: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\[([\w./:@ ,+-]{1,40})\] "));
static LEVEL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\b(?:trace|debug|info|notice|warn|warning|error|err|fatal|crit|critical|severe|panic|emerg|alert)\b")
});

/// A pattern whose classes are those of ASCII: tools print ASCII where it matters, and Unicode's tables make the
/// automata many times larger and slower.
pub(super) fn pattern(text: &str) -> Regex {
    let text = text.replace(r"\d", "[0-9]").replace(r"\w", "[0-9A-Za-z_]").replace(r"\s", r"[ \t\r]");
    let text = text.replace(r"\b", r"(?-u:\b)");
    Regex::new(&text).expect("the patterns of this module are constants")
}

pub(super) fn clean(raw: &str) -> Cleaned {
    let raw = head(raw, MOST_BYTES);
    let plain = if raw.contains('\u{1b}') { without_escapes(raw) } else { raw.to_owned() };
    let mut text = shown(&plain);
    let mut source = "";
    // A collector may put its stamp before or after the name of the container.
    text = without_stamp(text);
    if text.starts_with(|c: char| c.is_ascii_alphabetic())
        && head(text, 160).contains("| ")
        && let Some(found) = SOURCE.captures(head(text, 160))
        && let (Some(name), Some(whole)) = (found.get(1), found.get(0))
        && !is_level(name.as_str())
    {
        source = &text[name.range()];
        text = &text[whole.end()..];
        text = without_stamp(text);
    }
    if text.as_bytes().get(3) == Some(&b' ') && text.starts_with(|c: char| c.is_ascii_uppercase()) {
        text = cut(text, &SYSLOG);
    }
    if text.starts_with('[')
        && let Some(found) = BRACKET.captures(head(text, 160))
        && let (Some(inner), Some(whole)) = (found.get(1), found.get(0))
        && !LEVEL.is_match(inner.as_str())
    {
        text = &text[whole.end()..];
    }
    Cleaned { source: source.to_owned(), text: text.to_owned() }
}

fn is_level(word: &str) -> bool {
    LEVEL.find(word).is_some_and(|found| found.len() == word.len())
}

fn without_stamp(text: &str) -> &str {
    if text.as_bytes().get(10) == Some(&b'T') { cut(text, &STAMP) } else { text }
}

fn cut<'a>(text: &'a str, prefix: &Regex) -> &'a str {
    match prefix.find(head(text, 160)) {
        Some(found) => &text[found.end()..],
        None => text,
    }
}

/// What a terminal would show: the part after the last carriage return that something follows.
fn shown(line: &str) -> &str {
    let line = line.trim_end_matches(['\r', '\n']);
    line.rsplit('\r').find(|part| !part.trim().is_empty()).unwrap_or("")
}

fn without_escapes(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '\u{1b}' {
            plain.push(character);
            continue;
        }
        match characters.next() {
            Some('[') => while characters.next().is_some_and(|c| !('\u{40}'..='\u{7e}').contains(&c)) {},
            Some(']') => {
                while let Some(c) = characters.next() {
                    if c == '\u{7}' || (c == '\u{1b}' && characters.next_if_eq(&'\\').is_some()) {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    plain
}

/// `error: 0`, `Error: none`, `ERROR 0 failures`: a report that all is well.
pub(super) fn says_nothing_happened(message: &str) -> bool {
    NOTHING.is_match(message) || message.trim().is_empty()
}

static NOTHING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)^[\s:=(\["']*(?:0|no|none|null|nil|false|nothing|undefined|n/a)\b[)\]"'|]*(?:\s+(?:errors?|failures?|failed|problems?|issues?|warnings?)\b.*|[\s.,;|]*)$"#,
    )
});

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: &str, source: &str, text: &str) {
        assert_eq!(clean(raw), Cleaned { source: source.into(), text: text.into() });
    }

    #[test]
    fn colours_and_carriage_returns_disappear() {
        check("\u{1b}[1m\u{1b}[31merror\u{1b}[0m: x\r", "", "error: x");
        check("10%\r20%\rdone", "", "done");
        check("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{7}", "", "link");
    }

    #[test]
    fn collectors_prefixes_are_taken_off_and_indentation_stays() {
        check("web_1  |   File \"x.py\", line 3", "web_1", "  File \"x.py\", line 3");
        check("2026-01-02T03:04:05.1234567Z     at f (x.js:1:2)", "", "    at f (x.js:1:2)");
        check("web-1  | 2026-01-02T03:04:05Z boom", "web-1", "boom");
        check(
            "Nov 15 09:05:37 host app[12]: Traceback (most recent call last):",
            "",
            "Traceback (most recent call last):",
        );
        check("[worker-3] panic: x", "", "panic: x");
    }

    #[test]
    fn a_level_is_no_prefix() {
        check("[ERROR] no disk", "", "[ERROR] no disk");
        check("ERROR | no disk", "", "ERROR | no disk");
        check("[2026-01-02 03:04:05,1: ERROR/Pool-1] no disk", "", "[2026-01-02 03:04:05,1: ERROR/Pool-1] no disk");
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        assert_eq!(clean(&"é".repeat(9000)).text.len(), MOST_BYTES);
        assert_eq!(head("aé", 2), "a");
    }
}
