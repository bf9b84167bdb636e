//! Secrets in speech: "the token … expired", "login is admin/…", a wallet's words. A few plain words behind the name
//! stands something nobody would say. Must not read beyond the line, nor far on it.

use super::keys::{Grade, Promise};
use super::{Rank, Span, chars, value};

/// How many plain words may stand between the name and the secret, and how far it may be.
const WORDS: usize = 5;
const REACH: usize = 160;

/// What stands behind the name that ends at `from`.
pub(super) fn read(text: &str, from: usize, promise: Promise) -> Option<Span<'static>> {
    let rest = chars::window(text, from, REACH).lines().next().filter(|rest| rest.starts_with([' ', '\t']))?;
    let mut at = from;
    for (place, word) in rest.split_inclusive([' ', '\t']).filter(|word| !word.is_empty()).take(WORDS + 1).enumerate() {
        let bare = word.trim().trim_matches(['"', '\'', '`', ',', ';', '.', ':', '(', ')', '!', '?']);
        let open = matches!(promise.grade, Grade::Pair | Grade::Password);
        let pair = value::pair(bare).filter(|_| open);
        let value = &bare[pair.or_else(|| user_before(bare)).unwrap_or(0)..];
        let told = pair.is_some() || is_drawn(value) || place < 2 && (is_key(value) || is_no_word(value));
        if let Some(offset) = word.find(value).filter(|_| told && !value.is_empty()) {
            let start = at + offset;
            return Some(Span::new(start, start + value.len(), promise.rule, Rank::Assigned));
        }
        let is_plain = bare.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'/');
        if !is_plain {
            return None;
        }
        at += word.len();
    }
    None
}

fn user_before(bare: &str) -> Option<usize> {
    let (user, _) = bare.rsplit_once('/')?;
    user.bytes().all(|byte| byte.is_ascii_lowercase()).then_some(user.len() + 1)
}

/// Drawn by a machine: long, of all classes, and not made of words. In prose nothing else tells a secret.
fn is_drawn(value: &str) -> bool {
    let makeup = chars::Makeup::of(value);
    (12..=128).contains(&value.len())
        && value.bytes().all(|byte| byte.is_ascii_graphic() && !b"/\\()[]{}<>:;,|".contains(&byte))
        && makeup.upper > 0
        && makeup.lower > 0
        && makeup.digits > 1
        && chars::looks_random(value)
        && chars::share_of_words(value) < 50
        && !value::is_placeholder(value)
}

/// In one case only, but right behind the name.
fn is_key(value: &str) -> bool {
    let version = value.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    (16..=160).contains(&value.len())
        && !version
        && !value.starts_with('-')
        && !value.trim_end_matches('=').contains('=')
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-=+.".contains(&byte))
        && chars::Makeup::of(value).digits > usize::from(value.len() < 20) + 1
        && chars::looks_random(value)
        && !value::is_placeholder(value)
}

/// Right behind the name: a word longer than those of any language, or the groups of a serial number.
fn is_no_word(value: &str) -> bool {
    let long = (20..=160).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (long && chars::share_of_words(value) < 50 || value::is_serial(value)) && !value::is_placeholder(value)
}

/// `…-token-<drawn>`, `…KEY_<drawn>`: the secret is glued to a word for it, which ends at `end`.
pub(super) fn glued(text: &str, end: usize, promise: Promise) -> Option<Span<'static>> {
    const FEWEST: usize = 20;
    let bytes = text.as_bytes();
    let start = end + usize::from(matches!(bytes.get(end), Some(b'-' | b'_' | b'.')));
    let length = chars::run(bytes, start, 160, chars::is_word);
    let told = start > end && length >= FEWEST && is_key(&text[start..start + length]);
    told.then_some(Span::new(start, start + length, promise.rule, Rank::Assigned))
}

/// The words of a wallet, which are its key: `at` is where a word that speaks of them ends.
pub(super) fn seed_phrase(text: &str, at: usize) -> Option<Span<'static>> {
    const FEWEST: usize = 12;
    const LONGEST: usize = 360;
    const NEAR: usize = 40;
    let rest = chars::window(text, at, LONGEST);
    let (mut start, mut end, mut count) = (0, 0, 0);
    for word in rest.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty()) {
        let place = word.as_ptr() as usize - rest.as_ptr() as usize;
        let listed = rest[end..place].bytes().all(|byte| byte.is_ascii_digit() || b" ,.)\n".contains(&byte));
        if count > 0 && !(listed && is_seed_word(word)) {
            if count >= FEWEST {
                break;
            }
            count = 0;
        }
        if !is_seed_word(word) {
            continue;
        }
        start = if count == 0 { place } else { start };
        if start > NEAR {
            break;
        }
        (end, count) = (place + word.len(), count + 1);
    }
    (count >= FEWEST).then_some(Span::new(at + start, at + end, "seed-phrase", Rank::Shape))
}

/// Three to eight small letters, and none of the words that hold every English sentence together: no list has those.
fn is_seed_word(word: &str) -> bool {
    const SPOKEN: &[&str] = &[
        "the", "and", "for", "are", "not", "was", "but", "its", "from", "into", "has", "have", "your", "which", "must",
        "when", "phrase", "words",
    ];
    (3..=8).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase()) && !SPOKEN.contains(&word)
}
