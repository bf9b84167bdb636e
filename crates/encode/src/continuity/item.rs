//! When an item says something, and when two items are the same one in other clothes.

use super::lines::Item;
use crate::excerpt::{common_words, is_time, likeness, plain_words};

/// From here on an edited item is still the same item.
const SAME_ITEM: f64 = 0.8;
/// Loki Mode cuts what it copies from the timeline; a beginning this long is no other item.
const TELLING_BEGINNING: usize = 60;

/// Text without bold marks, code ticks and the stamps around it.
pub(super) fn bare(text: &str) -> String {
    let text = text.replace("**", "").replace("__", "");
    let mut text = text.trim();
    let tie = |c: char| c.is_whitespace() || matches!(c, '-' | '–' | '—' | '@' | '|');
    loop {
        let before = text.len();
        if let Some(word) = text.split_whitespace().next().filter(|word| is_time(word)) {
            text = text[word.len()..].trim_start_matches(|c: char| tie(c) || matches!(c, ':' | ']' | ')'));
        }
        // Behind, a date may be the point of the sentence: only one that is tied on by a dash or a bracket goes.
        if let Some(word) = text.split_whitespace().next_back().filter(|word| is_time(word)) {
            let rest = text[..text.len() - word.len()].trim_end();
            if word.starts_with(['(', '[']) || rest.ends_with(['-', '–', '—', '@', '|']) {
                text = rest.trim_end_matches(tie);
            }
        }
        if text.len() == before {
            break;
        }
    }
    text.to_owned()
}

/// What a template leaves where somebody should have written: "None", "TBD", "[what we are doing]".
pub(super) fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    let inner = text.strip_prefix(['[', '<', '{']).and_then(|rest| rest.strip_suffix([']', '>', '}']));
    if inner.is_some_and(|inner| !inner.contains(['[', '<', '{'])) {
        return true;
    }
    // A dictionary as Python or JSON prints it is a record of the timeline that Loki Mode could not put into words.
    if text.starts_with("{'") || text.starts_with("{\"") {
        return true;
    }
    let words = plain_words(text);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let nothing = ["none", "n", "na", "nil", "nothing", "tbd", "tba", "todo", "empty", "pending", "unknown", "null"];
    let filler = [
        "none",
        "a",
        "n",
        "yet",
        "currently",
        "recorded",
        "at",
        "this",
        "time",
        "so",
        "far",
        "to",
        "report",
        "the",
        "moment",
        "active",
        "known",
        "now",
        "right",
        "identified",
        "be",
        "determined",
        "added",
        "here",
        "found",
        "set",
    ];
    let subjects = [
        "blocker",
        "blockers",
        "tasks",
        "task",
        "decisions",
        "decision",
        "commits",
        "commit",
        "items",
        "issues",
        "learnings",
        "mistakes",
        "entries",
        "memories",
        "pending",
        "open",
        "outstanding",
        "key",
        "completed",
        "next",
        "steps",
    ];
    let in_brackets = text.starts_with('(') && text.ends_with(')');
    match words.as_slice() {
        [] => true,
        // "(None yet - first iteration)"
        ["none" | "no" | "nothing" | "empty", ..] if in_brackets && words.len() <= 8 => true,
        [first, rest @ ..] if nothing.contains(first) => rest.iter().all(|word| filler.contains(word)),
        ["no" | "not" | "zero", rest @ ..] => {
            !rest.is_empty() && rest.iter().all(|word| filler.contains(word) || subjects.contains(word))
        }
        ["to", "be", "determined" | "decided", ..] => words.len() <= 4,
        _ => false,
    }
}

/// An item in one line, with what hangs on it.
pub(super) fn told(item: &Item) -> String {
    let mut parts = vec![bare(&item.text)];
    if item.cells.is_empty() {
        parts.extend(item.details.iter().map(|detail| bare(detail)));
    } else {
        parts.extend(item.cells.iter().skip(1).map(|(_, cell)| bare(cell)));
    }
    parts.retain(|part| !part.is_empty() && !is_placeholder(part));
    match parts.split_first() {
        Some((first, [])) => first.clone(),
        Some((first, rest)) => format!("{}: {}", first.trim_end_matches(':'), rest.join("; ")),
        None => String::new(),
    }
}

/// The words by which items are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key(Vec<String>);

impl Key {
    pub(super) fn of(text: &str) -> Key {
        Key(plain_words(text))
    }

    /// The same words, or one is the cut beginning of the other.
    pub(super) fn is_same(&self, other: &Key) -> bool {
        self.0 == other.0 || self.is_cut_of(other) || other.is_cut_of(self)
    }

    fn is_cut_of(&self, other: &Key) -> bool {
        let letters: usize = self.0.iter().map(|word| word.len() + 1).sum();
        let Some((last, whole)) = self.0.split_last() else { return false };
        letters >= TELLING_BEGINNING
            && other.0.len() >= self.0.len()
            && other.0.starts_with(whole)
            && other.0[whole.len()].starts_with(last.as_str())
    }

    /// Edited a little, so that the words stayed.
    pub(super) fn is_edited(&self, other: &Key) -> f64 {
        let likeness = likeness(&self.0, &other.0);
        if likeness >= SAME_ITEM { likeness } else { 0.0 }
    }

    /// Edited in a way that cannot mean another thing: no number and no "not" came or went.
    pub(super) fn is_respelt(&self, other: &Key) -> bool {
        let telling = |word: &&str| {
            word.bytes().any(|byte| byte.is_ascii_digit())
                || ["not", "no", "never", "don", "without", "cannot", "un"].contains(word)
        };
        self.is_edited(other) > 0.0 && !common_words(&self.0, &other.0).1.iter().any(telling)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_say_nothing() {
        for text in [
            "None",
            "none.",
            "N/A",
            "n/a",
            "(none yet)",
            "(None yet - first iteration)",
            "TBD",
            "No blockers",
            "No pending tasks",
            "None recorded yet",
            "No commits yet",
            "[Any current blockers or waiting items]",
            "…",
            "-",
            "",
            "Nothing yet",
            "_None_",
            "{'decision': 'Use JWT', 'rationale': 'no st",
            "None at this time",
            "No active blockers",
        ] {
            assert!(is_placeholder(text), "{text}");
        }
        for text in [
            "None of the tests cover the parser",
            "No retries on POST",
            "Not all hosts have IPv6",
            "TBD whether to use Kafka",
            "[sem-001] Express handlers need types",
            "Null pointer in the cache",
            "Pending review from security",
            "Nothing works without VPN",
        ] {
            assert!(!is_placeholder(text), "{text}");
        }
    }

    #[test]
    fn stamps_and_marks_are_taken_off() {
        assert_eq!(bare("**Use JWT** - 2026-01-04T00:16:00Z"), "Use JWT");
        assert_eq!(bare("[2026-01-04 10:20] Use JWT"), "Use JWT");
        assert_eq!(bare("2026-01-04: Use JWT"), "Use JWT");
        assert_eq!(bare("Ship before 2026-02-01"), "Ship before 2026-02-01");
        assert_eq!(bare("Ship on 2026-02-01 at the latest"), "Ship on 2026-02-01 at the latest");
        assert_eq!(bare("2026-01-04"), "");
    }

    #[test]
    fn an_edit_that_changes_a_number_may_mean_another_thing() {
        let key = Key::of;
        assert!(key("Fix teh login form on mobile").is_respelt(&key("Fix the login form on mobile")));
        assert!(!key("Run step 3 of the plan").is_respelt(&key("Run step 4 of the plan")));
        assert!(!key("Do cache the answers of the api").is_respelt(&key("Do not cache the answers of the api")));
        assert!(key("Run step 3 of the plan").is_edited(&key("Run step 4 of the plan")) > 0.8);
        let whole = key("Keep the session token in an http-only cookie because local storage is open to any script");
        assert!(key("Keep the session token in an http-only cookie because local storage is op").is_same(&whole));
        assert!(!key("Keep the session").is_same(&whole));
    }
}
