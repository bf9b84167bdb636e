//! What an error says, apart from where it was printed: its telling line, and what tells it from other errors.
//! It must not know where errors come from.

use lokid_model::words::head;
use std::cell::RefCell;
use std::collections::HashMap;

use super::super::made::flat;
use super::super::plan::Around;

const LONGEST: usize = 300;
/// Only the beginning of what a tool printed is read.
const MOST_LINES: usize = 200;
const MOST_BYTES: usize = 16 * 1024;
/// So many words tell an error without the name of its kind.
const TELLING_WORDS: usize = 3;
/// The beginning tells one error from another.
const ENOUGH_BYTES: usize = 110;

/// The one line of an error that a person would quote.
pub(crate) fn headline(text: &str) -> String {
    let text = head(text, MOST_BYTES);
    let lines = || text.lines().take(MOST_LINES).map(str::trim).filter(|line| !line.is_empty());
    let Some(first) = lines().next() else { return String::new() };
    // Python says what it was about at the end.
    let told = if first.starts_with("Traceback") { lines().filter(|line| names_kind(line)).last() } else { None };
    let told = told.or_else(|| lines().find(|line| sounds_bad(line))).unwrap_or(first);
    flat(told, LONGEST)
}

/// An error that was noted with its kind apart from its message.
pub(crate) fn noted(kind: &str, message: &str) -> String {
    let (kind, message) = (flat(kind, 60), headline(message));
    match (kind.is_empty(), message.is_empty()) {
        (_, true) => kind,
        (true, _) => message,
        _ if message.starts_with(&kind) || words(&message) >= TELLING_WORDS => message,
        _ => format!("{kind}: {message}"),
    }
}

fn words(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()
}

fn names_kind(line: &str) -> bool {
    line.split_once(':').map_or(line, |(kind, _)| kind).chars().all(is_of_name)
}

fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '.' | '[' | ']' | '-')
}

fn sounds_bad(line: &str) -> bool {
    let lower = line.to_lowercase();
    ["error", "fail", "panic", "exception", "fatal", "cannot", "denied", "refused"]
        .iter()
        .any(|bad| lower.contains(bad))
}

/// The headline without the name of the kind before it, where enough is left: one tool names it, another does not.
fn core(headline: &str) -> &str {
    let Some((kind, rest)) = headline.split_once(": ") else { return headline };
    let names = !kind.is_empty() && kind.len() <= 60 && kind.chars().all(is_of_name);
    if names && words(rest) >= TELLING_WORDS { rest } else { headline }
}

/// Asks each error for its fingerprint only once. The map is never walked, so its order reaches nothing.
pub(crate) struct Fingerprints<'a> {
    around: &'a dyn Around,
    known: RefCell<HashMap<String, String>>,
}

impl<'a> Fingerprints<'a> {
    pub(crate) fn new(around: &'a dyn Around) -> Fingerprints<'a> {
        Fingerprints { around, known: RefCell::default() }
    }

    /// Of a headline; nothing where nothing is said.
    pub(crate) fn of(&self, headline: &str) -> Option<String> {
        if !headline.chars().any(char::is_alphanumeric) {
            return None;
        }
        if let Some(known) = self.known.borrow().get(headline) {
            return Some(known.clone());
        }
        // A line that somebody has cut is the same error as the whole of it, and pytest marks its own.
        let core = core(headline.strip_prefix("E ").unwrap_or(headline).trim_start());
        let found = self.around.fingerprint(head(core, ENOUGH_BYTES).trim_end_matches('…').trim_end());
        self.known.borrow_mut().insert(headline.to_owned(), found.clone());
        Some(found)
    }

    /// Of every error that a sentence may name: the whole, what stands in quotes, what stands behind a colon.
    pub(crate) fn named_in(&self, sentence: &str) -> Vec<String> {
        let sentence = headline(sentence);
        let mut parts: Vec<String> = vec![sentence.clone()];
        for quote in ['`', '"'] {
            parts.extend(sentence.split(quote).skip(1).step_by(2).take(8).map(headline));
        }
        let behind = sentence.match_indices(": ").take(4).map(|(at, colon)| headline(&sentence[at + colon.len()..]));
        parts.extend(behind.filter(|part| words(part) >= TELLING_WORDS));
        let whole = parts.first().cloned().unwrap_or_default();
        parts.retain(|part| *part == whole || words(part) >= TELLING_WORDS);
        parts.iter().filter_map(|part| self.of(part)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_a_person_would_quote_is_found() {
        let check = |text: &str, expect: &str| assert_eq!(headline(text), expect, "{text}");
        check("", "");
        check(" \n \n", "");
        check("connection   refused", "connection refused");
        check("Compiling x\nerror[E0308]: mismatched types\n --> src/x.rs", "error[E0308]: mismatched types");
        check("Traceback (most recent call last):\n  File \"x.py\", line 3\nKeyError: 'a'\n", "KeyError: 'a'");
        check("first\nsecond", "first");
    }

    #[test]
    fn the_kind_is_said_only_where_the_message_alone_says_too_little() {
        assert_eq!(noted("E0308", "mismatched types"), "E0308: mismatched types");
        assert_eq!(noted("Timeout", "the database did not answer"), "the database did not answer");
        assert_eq!(noted("Timeout", ""), "Timeout");
        assert_eq!(core("TypeError: unsupported operand for +"), "unsupported operand for +");
        assert_eq!(core("E0308: mismatched types"), "E0308: mismatched types");
        assert_eq!(core("at the end: it was all too late"), "at the end: it was all too late");
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(?s).{0,300}", kind in "\\PC{0,80}") {
            let _ = (headline(&text), noted(&kind, &text), core(&text));
        }
    }
}
