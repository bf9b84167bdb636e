//! Handing out beside a deed: what binds at the file or the command at hand, and what mended a failure before. Mostly
//! nothing: only what clearly belongs there is said, and never twice in a session.

use super::length;
use crate::contexts::Contexts;
use crate::said::{Because, Handed, Reasoned};
use crate::sessions::failures::failures;
use lokid_context::session::{self, Occasion};
use lokid_encode::errors::Failure;
use lokid_index::roster::Filter;
use lokid_model::render::first_line;
use lokid_model::{Body, Key, Kind, Memory, Namespace, Status, TaskType, Tier};
use lokid_retrieve::query;
use lokid_retrieve::recall::{self, Request};

/// Lines of a text without a failure we can read that may name it.
const TELLING_LINES: usize = 3;
/// In characters.
const LONGEST_QUESTION: usize = 400;
/// Memories that may answer for a failure.
const ANSWERS: usize = 2;
/// A memory that holds this share of a failure's words, and this many of them, is about it.
const SURE: f64 = 0.6;
const FEWEST: usize = 2;
/// In bytes: a shorter error is a word of every text.
const SHORTEST_ERROR: usize = 4;

impl Contexts {
    /// A text without secrets, before it leaves for an agent: records that others wrote were never cleaned.
    pub fn redacted(&self, text: &str) -> String {
        self.env.redaction.text(text)
    }

    /// What binds at these files, or where `names` says that the memory speaks of the deed itself.
    pub fn beside_deed(
        &self,
        namespace: &Namespace,
        session: &str,
        files: &[String],
        names: &dyn Fn(&Memory) -> bool,
        budget: usize,
    ) -> Handed {
        let snapshot = self.writer.snapshot();
        let inside: Vec<String> = files.iter().map(|path| self.repository.inside(path)).collect();
        let at_home = inside.iter().flat_map(|path| snapshot.anchored_to(path).map(move |memory| (memory, path)));
        let at_home = at_home
            .filter(|(memory, _)| matches!(memory.tier, Tier::Mandate | Tier::Guardrail))
            .filter(|(memory, path)| !self.is_muted(&memory.key(), std::slice::from_ref(*path)))
            .map(|(memory, path)| (memory, Because::AtHome(path.clone())));
        let named = snapshot.binding(namespace).filter(|memory| names(memory));
        let named = named.filter(|memory| !self.is_muted(&memory.key(), &inside));
        let found: Vec<Reasoned> = at_home
            .chain(named.map(|memory| (memory, Because::Commanded)))
            .filter(|(memory, _)| self.may_tell(memory, namespace))
            .map(|(memory, because)| Reasoned::new(memory, memory.importance, because))
            .collect();
        self.hand_beside(Occasion::Deed, session, &found, budget)
    }

    /// What mended this failure of a deed at `files` before: by its fingerprint, or by words that leave no doubt.
    pub fn known_fix(
        &self,
        namespace: &Namespace,
        session: &str,
        text: &str,
        files: &[String],
        budget: usize,
    ) -> Handed {
        let failures = failures(text);
        let inside: Vec<String> = files.iter().map(|path| self.repository.inside(path)).collect();
        let snapshot = self.writer.snapshot();
        let learnt = failures.iter().flat_map(|failure| snapshot.about_failure(&failure.fingerprint));
        let mut found: Vec<Reasoned> = learnt
            .filter(|memory| has_fix(memory) && self.may_tell(memory, namespace))
            .map(|memory| Reasoned::new(memory, 1.0, Because::SameFailure))
            .collect();
        let is_told = |found: &Reasoned| !self.is_muted(&found.memory.key(), &inside);
        if !found.iter().any(is_told) {
            found.extend(self.alike(namespace, &question(text, &failures), text));
        }
        let failure = failures.first().map_or_else(|| question(text, &failures), |first| first.fingerprint.clone());
        self.sessions.meet_failure(session, &failure, found.iter().map(|found| found.memory.key()).collect());
        found.retain(is_told);
        self.hand_beside(Occasion::Failure, session, &found, budget)
    }

    /// Only when the indexes are open: nobody waits for them here.
    fn alike(&self, namespace: &Namespace, question: &str, text: &str) -> Vec<Reasoned> {
        if question.is_empty() || self.search.handle().ready().is_none() {
            return Vec::new();
        }
        let mut filter = Filter::new(namespace.clone(), self.env.clock.now());
        let telling = |kind: &Kind| !matches!(kind, Kind::Episode | Kind::CodePattern);
        filter.kinds = Kind::ALL.iter().copied().filter(telling).collect();
        let request = Request {
            query: question.to_owned(),
            k: ANSWERS,
            task_type: Some(TaskType::Debugging),
            phase: None,
            action: None,
            files: Vec::new(),
            filter,
            min_score: Some(self.env.config.load().context.min_score),
        };
        let hits = self.recall.recall(&request, None).map(|recalled| recalled.answer.hits).unwrap_or_default();
        let sure = hits.into_iter().filter(|hit| has_fix(&hit.memory) && is_about(&hit.memory, question, text));
        sure.map(|hit| Reasoned::new(&hit.memory, hit.score, Because::LikeFailure(Box::new(hit.parts)))).collect()
    }

    fn may_tell(&self, memory: &Memory, namespace: &Namespace) -> bool {
        memory.namespace == *namespace
            && memory.holds_now(self.env.clock.now())
            && !memory.restricted
            && memory.status == Status::Asserted
    }

    fn hand_beside(&self, occasion: Occasion, session: &str, found: &[Reasoned], budget: usize) -> Handed {
        if found.is_empty() {
            return Handed::default();
        }
        let candidates = Reasoned::candidates(found);
        let tail = |already: &dyn Fn(&Key) -> bool| session::tail_for(occasion, &candidates, already, budget, &length);
        Handed::of(self.sessions.hand(session, tail), found)
    }
}

/// A failure that was only seen answers nothing.
fn has_fix(memory: &Memory) -> bool {
    match &memory.body {
        Body::Learning(learning) => !learning.fix.trim().is_empty(),
        _ => true,
    }
}

/// The error it was learnt from stands in the text, or most of the failure's words stand in the memory.
fn is_about(memory: &Memory, question: &str, text: &str) -> bool {
    if matches!(&memory.body, Body::Learning(learning) if says(text, first_line(&learning.error))) {
        return true;
    }
    let (wanted, held) = (query::wanted(question).len(), recall::matched_words(memory, question).len());
    held >= FEWEST && held as f64 >= SURE * wanted as f64
}

/// Are these words in the text, as words?
fn says(text: &str, words: &str) -> bool {
    let words = words.trim();
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    words.len() >= SHORTEST_ERROR
        && text
            .match_indices(words)
            .any(|(at, _)| !text[..at].ends_with(is_word) && !text[at + words.len()..].starts_with(is_word))
}

/// What a failure is asked for with: its own message, or the last lines that say something.
fn question(text: &str, failures: &[Failure]) -> String {
    if let Some(failure) = failures.first() {
        return clip(&format!("{} {}", failure.kind, failure.message));
    }
    let says = |line: &&str| line.chars().any(char::is_alphabetic) && !line.starts_with("Exit code");
    let lines: Vec<&str> = text.lines().map(str::trim).filter(says).collect();
    clip(&lines[lines.len().saturating_sub(TELLING_LINES)..].join(" "))
}

fn clip(text: &str) -> String {
    text.chars().take(LONGEST_QUESTION).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_asked_for_with_its_message_and_noise_is_left_out() {
        let text = "Exit code 101\nrunning 1 test\nthread 'main' (7) panicked at src/a.rs:3:5:\nno port is free\n";
        let found = failures(text);
        assert!(question(text, &found).contains("no port is free"), "{found:?}");
        assert_eq!(question("Exit code 3\nboom", &[]), "boom");
        assert_eq!(question("Exit code 1", &[]), "");
        assert_eq!(question("", &[]), "");
    }

    #[test]
    fn an_error_is_said_as_words_and_not_inside_of_others() {
        assert!(says("Exit code 3\nboom", "boom") && says("x: boom!", " boom "));
        assert!(!says("boomerang", "boom") && !says("a kaboom", "boom") && !says("x", "x") && !says("", ""));
    }
}
