//! The second look before two memories become one: do they say the same?
//!
//! Vectors find the pair; this decides by the words, and only one way is safe to be wrong. Two texts say the same when
//! what is left of them without articles, copulas and punctuation is equal word by word and in the same order, a word
//! being equal to its plural and to a few undisputed abbreviations. So a changed number, name, negation or direction
//! always keeps them apart, known or not. Far paraphrases stay two memories, which costs a line and loses nothing.

mod reading;
mod same;
mod sentence;
mod spelling;
#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeMap;

use self::reading::{Sort, Token, read};
use self::same::same;
use crate::model::words::vocabulary;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Same,
    Differs(Reason),
}

vocabulary!(
    /// The first thing that keeps two texts apart.
    Reason {
        /// One of them says nothing at all.
        Empty = "empty",
        /// A number, version, path, quoted string or piece of code.
        Value = "value",
        Negation = "negation",
        /// `enable` against `disable`.
        Opposite = "opposite",
        Name = "name",
        /// The same words the other way round.
        Order = "order",
        Wording = "wording",
    }
);

pub fn says_the_same(a: &str, b: &str) -> Verdict {
    let (text_a, text_b) = (a.trim(), b.trim());
    let (mut a, mut b) = (read(a), read(b));
    if a.is_empty() || b.is_empty() {
        return Verdict::Differs(Reason::Empty);
    }
    // "No, deploy" and "no deploy": where something is denied, a comma may turn it round.
    if !a.iter().chain(&b).any(|token| token.sort == Sort::Negation) {
        a.retain(|token| token.sort != Sort::Pause);
        b.retain(|token| token.sort != Sort::Pause);
    }
    if a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| same(a, b)) {
        return if text_a == text_b {
            Verdict::Same
        } else if is_layout(text_a) || is_layout(text_b) {
            Verdict::Differs(Reason::Wording)
        } else if points(text_a) != points(text_b) || recased(text_a, text_b) || recased(text_b, text_a) {
            Verdict::Differs(Reason::Name)
        } else {
            Verdict::Same
        };
    }
    Verdict::Differs(reason(&a, &b))
}

/// Where lines are indented, or an operator stands, blanks and breaks have a meaning.
fn is_layout(text: &str) -> bool {
    text.contains(['=', '\t', '<', '>']) || text.contains("\n ") || text.contains("\n-")
}

/// Does it begin by pointing at something? `That user` is not `the user`.
fn points(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or("").to_lowercase();
    ["that", "this", "those", "these"].contains(&first.as_str())
}

/// Is a word that has capitals here written without them there? `US` is not `us`, nor `Users` `users`. Where a
/// sentence begins, a capital means nothing.
fn recased(text: &str, other: &str) -> bool {
    let bare = |word: &str| word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_owned();
    let others: Vec<String> = other.split_whitespace().map(bare).collect();
    let mut begins = true;
    for word in text.split_whitespace() {
        let found = bare(word);
        let mut letters = found.chars();
        let capital = letters.next().is_some_and(char::is_uppercase);
        let telling = letters.any(char::is_uppercase) || (capital && !begins);
        let only_recased =
            || !others.contains(&found) && others.iter().any(|other| other.to_lowercase() == found.to_lowercase());
        if telling && only_recased() {
            return true;
        }
        begins = word.ends_with(['.', '!', '?', ':']);
    }
    false
}

fn reason(a: &[Token], b: &[Token]) -> Reason {
    let begin = a.iter().zip(b).take_while(|(a, b)| same(a, b)).count();
    let (a, b) = (&a[begin..], &b[begin..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| same(a, b)).count();
    let (a, b) = (sorts(&a[..a.len() - end]), sorts(&b[..b.len() - end]));
    let (ours, theirs) = (without(&a, &b), without(&b, &a));
    let either = |sort| ours.values().chain(theirs.values()).any(|found| *found == sort);
    let opposed = |(one, other): &(&str, &str)| {
        (ours.contains_key(one) && theirs.contains_key(other)) || (ours.contains_key(other) && theirs.contains_key(one))
    };
    if ours.is_empty() && theirs.is_empty() {
        Reason::Order
    } else if either(Sort::Value) {
        Reason::Value
    } else if either(Sort::Negation) {
        Reason::Negation
    } else if words::OPPOSITES.iter().any(opposed) {
        Reason::Opposite
    } else if either(Sort::Name) {
        Reason::Name
    } else {
        Reason::Wording
    }
}

fn sorts(tokens: &[Token]) -> BTreeMap<&str, Sort> {
    tokens.iter().map(|token| (token.text.as_str(), token.sort)).collect()
}

fn without<'a>(ours: &BTreeMap<&'a str, Sort>, theirs: &BTreeMap<&str, Sort>) -> BTreeMap<&'a str, Sort> {
    ours.iter().filter(|(text, _)| !theirs.contains_key(*text)).map(|(text, sort)| (*text, *sort)).collect()
}
