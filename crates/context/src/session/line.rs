//! One memory as one line. Whatever a memory says, it can neither begin a heading nor end the block it stands in.

use crate::assemble::said_by;
use lokid_model::citation::mark;
use lokid_model::unseen;
use lokid_model::{AntiPattern, Body, Level, Memory, Tier};

/// In characters; no section has room for more.
const LONGEST: usize = 4000;
const LONGEST_PLACE: usize = 40;
/// Of a commit.
const MOST_FILES: usize = 3;
const COMPRESSED: usize = 160;
const INDEX: usize = 60;
/// In characters: enough to know any of [`TAGS`].
const LONGEST_TAG: usize = 24;
const NOWHERE_SPECIAL: &str = "this repository";
/// Tags that the text around us may be closed or opened with.
const TAGS: [&str; 18] = [
    "lokid-memory",
    "lokid_memory",
    "system-reminder",
    "system",
    "assistant",
    "human",
    "user",
    "developer",
    "instruction",
    "function_",
    "function-",
    "tool_",
    "tool-",
    "antml",
    "invoke",
    "context",
    "|",
    "!--",
];

/// `- [M:1a2b3c4d] text`, or nothing for a memory without words. What somebody said stands as they said it.
pub(super) fn line_of(memory: &Memory, level: Level, lengths: &dyn Fn(&Memory, Level) -> String) -> Option<String> {
    let mark = mark(memory.tier, &memory.key());
    let said = match &memory.body {
        Body::AntiPattern(anti) if memory.tier == Tier::Guardrail && !anti.what_fails.trim().is_empty() => {
            format!("In {}, avoid: {}", place_of(memory), what_fails(anti, level))
        }
        _ if memory.is_commit() => {
            let files = memory.anchors.files.iter().take(MOST_FILES).map(String::as_str).collect::<Vec<_>>().join(", ");
            let day = memory.times.created_at.day();
            // The whole message is not what a first block is for.
            let said = lengths(memory, level.max(Level::Summary));
            even(&format!("{said} ({} {day}: {files})", memory.id), LONGEST)
        }
        _ => even(&lengths(memory, level), LONGEST),
    };
    let author = said_by(memory).map(|author| format!("{author}: ")).unwrap_or_default();
    (!said.is_empty()).then(|| format!("- [{mark}] {author}{said}"))
}

/// The longer forms also say what to do instead.
fn what_fails(anti: &AntiPattern, level: Level) -> String {
    let what = even(&anti.what_fails, most(level));
    let instead = even(&anti.prevention, most(level));
    if instead.is_empty() || !matches!(level, Level::Full | Level::Summary) {
        return what;
    }
    format!("{}; instead: {instead}", what.trim_end_matches(['.', ' ']))
}

fn most(level: Level) -> usize {
    match level {
        Level::Full | Level::Summary => LONGEST,
        Level::Compressed => COMPRESSED,
        Level::Index => INDEX,
    }
}

/// Where an anti-pattern is at home: its directory, or its first tag.
fn place_of(memory: &Memory) -> String {
    let named = memory.anchors.files.first().map(|file| directory(file)).or_else(|| memory.tags.first().cloned());
    let place = even(&named.unwrap_or_default(), LONGEST_PLACE);
    if place.is_empty() { NOWHERE_SPECIAL.to_owned() } else { place }
}

/// `src/auth` for `src/auth/token/parse.rs`; a file of the root is its own place.
fn directory(file: &str) -> String {
    let parts: Vec<&str> = file.split('/').filter(|part| !part.is_empty() && *part != ".").take(3).collect();
    match parts.as_slice() {
        [first, second, _] => format!("{first}/{second}"),
        [first, ..] => (*first).to_owned(),
        [] => String::new(),
    }
}

/// The text on one line, at most so many characters of it, and no tag in it.
pub(super) fn even(text: &str, most: usize) -> String {
    let mut line = String::new();
    let mut length = 0;
    let mut blank = false;
    for (at, character, is_seen) in unseen::seen(text) {
        if character.is_whitespace() || character.is_control() {
            blank = true;
            continue;
        }
        if !is_seen {
            continue;
        }
        if length >= most {
            return cut(line);
        }
        if blank && !line.is_empty() {
            line.push(' ');
            length += 1;
        }
        blank = false;
        let tag = character == '<' && begins_tag(&text[at + 1..]);
        // A mark that stands in a text was not given by us.
        let mark = character == '[' && begins_mark(&text[at + 1..]);
        line.push(if tag {
            '‹'
        } else if mark {
            '('
        } else {
            character
        });
        length += 1;
    }
    line
}

/// Ends at a word where that does not cost half of the text.
fn cut(mut line: String) -> String {
    if let Some(at) = line.rfind(' ').filter(|at| at * 2 > line.len()) {
        line.truncate(at);
    }
    line.truncate(line.trim_end_matches([' ', ',', ';', ':']).len());
    line.push('…');
    line
}

fn begins_mark(rest: &str) -> bool {
    let mut characters = seen(rest).filter(|c| !c.is_whitespace());
    matches!((characters.next(), characters.next()), (Some('M' | 'G' | 'R' | 'm' | 'g' | 'r'), Some(':')))
}

fn begins_tag(rest: &str) -> bool {
    let between = |c: &char| *c == '/' || c.is_whitespace() || c.is_control();
    let name: String = seen(rest).skip_while(between).take(LONGEST_TAG).collect();
    TAGS.iter().any(|tag| name.get(..tag.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(tag)))
}

/// What a tag or a mark is told by; what joins is no part of either.
fn seen(text: &str) -> impl Iterator<Item = char> {
    unseen::seen(text).filter(|(_, c, is_seen)| *is_seen && !unseen::joins(*c)).map(|(_, c, _)| c)
}
