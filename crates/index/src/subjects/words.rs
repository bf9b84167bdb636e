//! The terms of a subject, a goal and a path: those of `analyze`, by their hash.

use std::collections::{BTreeMap, HashSet};

use crate::analyze;
use lokid_model::Commit;

/// What a term weighs in a subject, and in a body: much of a body is beside the point.
pub(super) const IN_SUBJECT: u8 = 5;
const IN_BODY: u8 = 1;
const LONGEST_BODY: usize = 1_500;
/// So much of a text is looked at: nobody names files after this.
const LONGEST_TEXT: usize = 8_000;

/// The terms of a text in its order, each once, with the word it was first met in.
pub fn words(text: &str, most: usize) -> Vec<(u64, &str)> {
    let (mut seen, mut found) = (HashSet::new(), Vec::new());
    let text = &text[..text.floor_char_boundary(LONGEST_TEXT)];
    for run in text.split_whitespace() {
        if found.len() >= most {
            break;
        }
        let word = run.trim_matches(|letter: char| !letter.is_alphanumeric());
        let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
        analyze::terms(run, |term| {
            let term = analyze::hash(term);
            if seen.insert(term) {
                found.push((term, word));
            }
        });
    }
    found.truncate(most);
    found
}

/// The terms of a commit with their weights, in order of their hashes. The subject has the first claim on the room.
pub(super) fn of_commit(commit: &Commit, most: usize) -> Vec<(u64, u8)> {
    let mut weights = BTreeMap::new();
    weigh(&commit.subject, IN_SUBJECT, most, &mut weights);
    let body = &commit.body[..commit.body.floor_char_boundary(LONGEST_BODY)];
    body.lines().filter(|line| !is_trailer(line)).for_each(|line| weigh(line, IN_BODY, most, &mut weights));
    weights.into_iter().collect()
}

/// In order of their hashes.
pub(super) fn of_path(path: &str, most: usize) -> Vec<u64> {
    let mut weights = BTreeMap::new();
    weigh(path, IN_SUBJECT, most, &mut weights);
    weights.into_keys().collect()
}

fn weigh(text: &str, weight: u8, most: usize, weights: &mut BTreeMap<u64, u8>) {
    analyze::terms(&text[..text.floor_char_boundary(LONGEST_TEXT)], |term| {
        let has_room = weights.len() < most;
        match weights.get_mut(&analyze::hash(term)) {
            Some(sum) => *sum = sum.saturating_add(weight),
            None if has_room => drop(weights.insert(analyze::hash(term), weight)),
            None => {}
        }
    });
}

/// `Signed-off-by: Ada`: who, not what.
fn is_trailer(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(key, _)| key.ends_with("-by") || key.ends_with("-By"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, &str)]) {
        let expected: Vec<(u64, &str)> = expected.iter().map(|(term, word)| (analyze::hash(term), *word)).collect();
        assert_eq!(words(text, 99), expected, "{text:?}");
    }

    #[test]
    fn a_term_knows_the_word_it_was_met_in() {
        check("Fix (parsing!) the parse", &[("fix", "Fix"), ("pars", "parsing")]);
        check("src/a.rs", &[("src", "src/a.rs"), ("rs", "src/a.rs"), ("src/a.rs", "src/a.rs"), ("a.rs", "src/a.rs")]);
        check(" \u{0} -- ", &[]);
    }

    #[test]
    fn no_more_are_told_than_asked_for() {
        assert_eq!(words("one two three", 2).len(), 2);
        assert_eq!(words("one/two/three", 2).len(), 2);
        assert_eq!(words(&"ä".repeat(30_000), 2).len(), 0);
    }

    #[test]
    fn subjects_weigh_more_than_bodies_and_trailers_nothing() {
        let commit = Commit {
            subject: "Test the parser".to_owned(),
            body: "It tests.\n\nSigned-off-by: Ada <ada@example.com>".to_owned(),
            ..Commit::default()
        };
        let weights = of_commit(&commit, 9);
        let mut expected = vec![(analyze::hash("test"), 6), (analyze::hash("parser"), 5)];
        expected.sort_unstable();
        assert_eq!(weights, expected);
        assert_eq!(of_commit(&commit, 1), [(analyze::hash("test"), 6)]);
    }

    #[test]
    fn weights_do_not_overflow() {
        let commit = Commit { subject: "test ".repeat(1_000), ..Commit::default() };
        assert_eq!(of_commit(&commit, 9), [(analyze::hash("test"), u8::MAX)]);
    }
}
