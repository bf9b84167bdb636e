//! What a session taught beside its episode, without anybody thinking about it: what the person corrected or decided,
//! and errors whose cause and fix were told and confirmed. Each is said once, under an id that its words give it.

use super::person::sentences;
use super::telling;
use crate::excerpt::{one_line, plain_words};
use lokid_model::{Body, Draft, Episode, Kind, Learning, MemoryId, Outcome, Source, Tier, Timestamp, noise};

const MOST_WORDS: usize = 40;
const LEAST_WORDS: usize = 3;
const MOST_SAID: usize = 20;
const MOST_ERRORS: usize = 3;
const MOST_PART: usize = 240;

/// Sentences of the person that hold beyond this piece of work. `answers` when the agent had done something before.
pub(super) fn said(words: &str, answers: bool) -> Vec<(Kind, String)> {
    let mut found = Vec::new();
    for sentence in sentences(words) {
        let plain = plain_words(sentence);
        if !(LEAST_WORDS..=MOST_WORDS).contains(&plain.len()) || sentence.ends_with('?') {
            continue;
        }
        let text = format!(" {} ", plain.join(" "));
        let opens = |list: &[&str]| list.iter().any(|words| text[1..].starts_with(&format!("{words} ")));
        let has = |list: &[&str]| list.iter().any(|words| text.contains(&format!(" {words} ")));
        let kind =
            if opens(&["we decided", "we have decided", "decision", "let s go with", "we ll go with", "we chose"]) {
                Kind::Decision
            } else if opens(&[
                "always",
                "never",
                "from now on",
                "please always",
                "please never",
                "we always",
                "we never",
            ]) || (opens(&["we use", "we prefer", "i prefer", "use", "prefer", "don t use"])
                && has(&["instead of", "not", "rather than", "never", "always", "don t", "over"]))
                || (answers
                    && opens(&["no", "actually", "instead", "stop", "don t"])
                    && has(&["use", "don t", "never", "always", "prefer", "instead", "must", "should"]))
            {
                Kind::Note
            } else {
                continue;
            };
        found.push((kind, without_protest(sentence)));
        if found.len() == MOST_SAID {
            break;
        }
    }
    found
}

/// "No, use pnpm" says "Use pnpm".
fn without_protest(sentence: &str) -> String {
    let mut rest = sentence.trim();
    for opening in ["no", "nope", "actually", "please"] {
        if let Some(after) = rest.get(opening.len()..).filter(|_| rest[..opening.len()].eq_ignore_ascii_case(opening))
            && let Some(after) = after.strip_prefix([',', ';', ':', ' ', '-', '—'])
        {
            rest = after.trim_start();
        }
    }
    let mut letters = rest.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// A memory of what the person said.
pub(super) fn of_person(kind: Kind, text: String, agent: &str, session: &str, at: Option<Timestamp>) -> Draft {
    let tag = if kind == Kind::Decision { "decision" } else { "preference" };
    Draft {
        id: id(kind, &text),
        title: one_line(&text, 120),
        tier: Some(Tier::Reference),
        tags: vec![tag.to_owned(), "said".to_owned()],
        timestamp: at,
        source: Some(Source::User),
        sources: vec![format!("{agent}:{session}")],
        ..Draft::new(kind, text)
    }
}

/// Errors of a piece of work that went well: what was wrong, why, and what ended it.
pub(super) fn of_errors(draft: &Draft, episode: &Episode) -> Vec<Draft> {
    if draft.outcome != Some(Outcome::Success) {
        return Vec::new();
    }
    let fixed = episode
        .errors
        .iter()
        .filter(|error| !error.resolution.is_empty() && !noise::is_noise(&error.message, &error.resolution));
    let (cause, fix) = telling::cause_and_fix(&episode.conclusion);
    let learnt = fixed.take(MOST_ERRORS).map(|error| {
        let done = one_line(error.resolution.trim_start_matches("edited ").trim_start_matches("ran "), MOST_PART);
        let fix = if fix.is_empty() { done } else { format!("{} ({done})", one_line(fix, MOST_PART)) };
        let cause = one_line(cause, MOST_PART);
        let body = Learning { error: error.message.clone(), cause, fix, ..Learning::default() };
        Draft {
            id: id(Kind::Learning, &error.message),
            title: one_line(&error.message, 120),
            tier: Some(Tier::Reference),
            tags: vec!["error".to_owned(), episode.agent.clone()],
            files: episode.files_modified.iter().take(4).cloned().collect(),
            commits: draft.commits.clone(),
            timestamp: draft.timestamp,
            source: Some(Source::Import),
            actor: draft.actor.clone(),
            sources: draft.sources.clone(),
            body: Body::Learning(Box::new(body)),
            ..Draft::new(Kind::Learning, String::new())
        }
    });
    learnt.collect()
}

fn id(kind: Kind, text: &str) -> Option<MemoryId> {
    let words = plain_words(text).join(" ");
    MemoryId::new(&format!("{}-{}", kind.id_prefix(), &blake3::hash(words.as_bytes()).to_hex()[..8]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_wants_for_good_is_told_from_what_they_want_now() {
        let check = |words: &str, expect: &[(Kind, &str)]| {
            let found = said(words, true);
            let found: Vec<(Kind, &str)> = found.iter().map(|(kind, text)| (*kind, text.as_str())).collect();
            assert_eq!(found, expect, "{words}");
        };
        check("no, use pnpm", &[(Kind::Note, "Use pnpm")]);
        check(
            "Great. Never commit to main directly. Now fix the login",
            &[(Kind::Note, "Never commit to main directly.")],
        );
        check(
            "We decided to keep SQLite for the cache.",
            &[(Kind::Decision, "We decided to keep SQLite for the cache.")],
        );
        check("use tabs instead of spaces", &[(Kind::Note, "Use tabs instead of spaces")]);
        for other in ["Fix the login", "no", "Use the new parser in a.rs", "should we always use tabs?", "thanks"] {
            check(other, &[]);
        }
    }
}
