//! One memory as one line. Whatever a memory says, it can neither begin a heading nor end the block it stands in.

use super::avoid::{avoidable, lower_first, not_this};
use crate::model::citation::mark;
use crate::model::{AntiPattern, Body, Level, Memory, Tier};

/// In characters; no section has room for more.
const LONGEST: usize = 4000;
const LONGEST_PLACE: usize = 40;
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

/// `- [M:1a2b3c4d] text`, or nothing for a memory without words.
pub(super) fn line_of(memory: &Memory, level: Level, lengths: &dyn Fn(&Memory, Level) -> String) -> Option<String> {
    let mark = mark(memory.tier, &memory.key());
    let said = match memory.tier {
        Tier::Guardrail if matches!(memory.body, Body::AntiPattern(_)) => {
            let what = anti_pattern(memory, level, lengths);
            if what.is_empty() { what } else { format!("In {}, avoid {what}", place_of(memory)) }
        }
        _ => even(&lengths(memory, level), LONGEST),
    };
    (!said.is_empty()).then(|| format!("- [{mark}] {said}"))
}

/// What is to be avoided, in words that follow "avoid".
fn anti_pattern(memory: &Memory, level: Level, lengths: &dyn Fn(&Memory, Level) -> String) -> String {
    match &memory.body {
        Body::AntiPattern(anti) if !anti.what_fails.trim().is_empty() => what_fails(anti, level),
        Body::AntiPattern(anti) if !anti.prevention.trim().is_empty() => {
            avoidable(&even(&anti.prevention, most(level))).unwrap_or_else(|said| not_this(&said))
        }
        _ => avoidable(&even(&lengths(memory, level), LONGEST)).unwrap_or_else(|said| not_this(&said)),
    }
}

/// The longer forms also say what to do instead.
fn what_fails(anti: &AntiPattern, level: Level) -> String {
    // What fails names the thing itself, so it follows "avoid" as it is.
    let what = avoidable(&even(&anti.what_fails, most(level))).unwrap_or_else(|said| lower_first(&said));
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

/// Where an anti-pattern is at home: its directory, else its first tag.
fn place_of(memory: &Memory) -> String {
    let named = memory.anchors.files.first().map(|file| directory(file));
    let named = named.or_else(|| memory.tags.first().cloned());
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
    for (at, character) in text.char_indices() {
        if character.is_whitespace() || character.is_control() || is_direction(character) {
            blank = true;
            continue;
        }
        if is_unseen(character) {
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

/// Characters that turn the order of what follows.
fn is_direction(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Characters that nobody sees and some models read: they could spell what looks like nothing.
fn is_unseen(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
        || matches!(character, '\u{e0000}'..='\u{e007f}')
}

fn begins_mark(rest: &str) -> bool {
    let mut characters = rest.chars().filter(|c| !is_unseen(*c) && !c.is_whitespace());
    matches!((characters.next(), characters.next()), (Some('M' | 'G' | 'R' | 'm' | 'g' | 'r'), Some(':')))
}

fn begins_tag(rest: &str) -> bool {
    let between = |c: char| {
        let joins = matches!(c, '\u{200c}' | '\u{200d}');
        c == '/' || c.is_whitespace() || c.is_control() || is_direction(c) || is_unseen(c) || joins
    };
    let name: String = rest.trim_start_matches(between).chars().filter(|c| !is_unseen(*c)).take(LONGEST_TAG).collect();
    TAGS.iter().any(|tag| name.get(..tag.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(tag)))
}
