//! Secrets known by their shape: several parts in a row, or a place in an address. Must not judge names of keys.

use super::chars::{
    Makeup, begins_word, behind_escape, entropy, is_word, looks_random, run, run_before, share_of_words,
};
use super::value::is_placeholder;
use super::{Rank, Span};

/// Tokens without a fixed beginning are found from the long words of a text.
const LONG_WORD: usize = 20;
/// How much of a path is looked at to judge it.
const JUDGED: usize = 2048;

/// `eyJ….eyJ….signature`, also cut before the signature, also with the five parts of an encrypted one. If it is none,
/// tells where the next may begin: no other part of the same word can be one either.
pub(super) fn jwt(text: &str, at: usize) -> Result<Span<'static>, usize> {
    let bytes = text.as_bytes();
    if !bytes[at..].starts_with(b"eyJ") || !begins_word(bytes, at) {
        return Err(at + 1);
    }
    let first = word_end(bytes, at);
    if first - at < 10 || !bytes[first..].starts_with(b".") {
        return Err(first);
    }
    let second = word_end(bytes, first + 1);
    let mut end = second;
    for _ in 0..3 {
        let part = if bytes.get(end) == Some(&b'.') { word_end(bytes, end + 1) } else { end };
        if part < end + 9 {
            break;
        }
        end = part;
    }
    let signed = end > second || bytes[first + 1..].starts_with(b"eyJ");
    if signed && second - first > 8 { Ok(Span::new(at, end, "jwt", Rank::Shape)) } else { Err(first) }
}

/// `SG.<id>.<secret>`
pub(super) fn sendgrid(text: &str, at: usize) -> Option<Span<'static>> {
    let bytes = text.as_bytes();
    if !bytes[at..].starts_with(b"SG.") || !begins_word(bytes, at) {
        return None;
    }
    let end = at + run(bytes, at, 80, |byte| is_word(byte) || matches!(byte, b'.' | b'='));
    let long = end - at >= 36 && looks_random(&text[at + 3..end]);
    long.then_some(Span::new(at, end, "sendgrid-key", Rank::Shape))
}

/// What follows the address of a webhook: whoever knows it may post. `keep` parts of the path name the place only.
/// `taken` is how far the last one went.
pub(super) fn webhook(
    text: &str,
    from: usize,
    (rule, keep): (&'static str, usize),
    taken: &mut usize,
) -> Option<Span<'static>> {
    let bytes = text.as_bytes();
    let is_path = |byte: u8| is_word(byte) || matches!(byte, b'/' | b'.' | b'@' | b'%' | b'+');
    let mut start = from;
    for _ in 0..keep {
        start = word_end(bytes, start);
        if bytes.get(start) != Some(&b'/') {
            return None;
        }
        start += 1;
    }
    if start < *taken {
        return None;
    }
    let trimmed = |length: usize| text[start..start + length].trim_end_matches(['.', '/']);
    let judged = run(bytes, start, JUDGED, is_path);
    let value = trimmed(judged);
    if value.len() < 16 || Makeup::of(value).digits == 0 || !looks_random(value) {
        return None;
    }
    let more = if judged == JUDGED { run(bytes, start + judged, usize::MAX, is_path) } else { 0 };
    *taken = start + trimmed(judged + more).len();
    Some(Span::new(start, *taken, rule, Rank::Shape))
}

/// The client secret of Azure's directory: `…Q~…`.
pub(super) fn azure_client(text: &str, at: usize) -> Option<Span<'static>> {
    let bytes = text.as_bytes();
    let holds = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'~' | b'.' | b'-');
    let before = run_before(bytes, at, 8, holds);
    let (start, end) = (at - before, at + run(bytes, at, 41, holds));
    let shaped = before == 4 && bytes[at - 1].is_ascii_digit() && (33..=40).contains(&(end - at));
    (shaped && looks_random(&text[start..end])).then_some(Span::new(start, end, "azure-key", Rank::Shape))
}

/// The secret that belongs to an AWS key id and is written next to it: `AKIA…:secret`, a row of a table, two lines.
pub(super) fn aws_secret_beside(text: &str, id_end: usize) -> Option<Span<'static>> {
    let bytes = text.as_bytes();
    let holds = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'+');
    let limit = bytes.len().min(id_end + 96);
    let mut at = id_end;
    while at < limit {
        let length = run(bytes, at, 41, holds);
        let value = &text[at..at + length];
        let makeup = Makeup::of(value);
        if length == 40 && makeup.upper > 3 && makeup.lower > 3 && makeup.digits > 0 {
            return Some(Span::new(at, at + length, "aws-secret-key", Rank::Shape));
        }
        at += length.max(1);
        while !text.is_char_boundary(at) {
            at += 1;
        }
    }
    None
}

/// Looks at every long word of the text once; most text has next to none, so only every twentieth byte is read.
pub(super) fn long_words(text: &str, found: &mut Vec<Span<'static>>) {
    let bytes = text.as_bytes();
    let (mut done, mut at) = (0, LONG_WORD - 1);
    while at < bytes.len() {
        if !is_word(bytes[at]) {
            at += LONG_WORD;
            continue;
        }
        let start = at - run_before(bytes, at, at - done, is_word);
        let end = word_end(bytes, at);
        let start = behind_escape(bytes, start, end);
        if end - start >= LONG_WORD {
            found.extend(twilio(text, start, end));
            found.extend(discord_bot(text, start, end));
            found.extend(telegram_bot(text, start, end));
            found.extend(after_number(text, start, end));
            found.extend(grouped(text, start, end));
            found.extend(drawn(text, start, end));
        }
        done = end;
        at = end + LONG_WORD;
    }
}

fn twilio(text: &str, start: usize, end: usize) -> Option<Span<'static>> {
    let bytes = text.as_bytes();
    // The word may hold more than the token: a dash or an underscore before it.
    let start = (start..end).rev().find(|at| !bytes[*at].is_ascii_alphanumeric()).map_or(start, |at| at + 1);
    let word = &bytes[start..end];
    let shaped = word.len() == 34
        && (word.starts_with(b"SK") || word.starts_with(b"AC"))
        && word[2..].iter().all(u8::is_ascii_hexdigit);
    (shaped && looks_random(&text[start + 2..end])).then_some(Span::new(start, end, "twilio-key", Rank::Shape))
}

/// `<id in base64>.<time>.<signature>`
fn discord_bot(text: &str, start: usize, end: usize) -> Option<Span<'static>> {
    let bytes = text.as_bytes();
    let second = if bytes.get(end) == Some(&b'.') { word_end(bytes, end + 1) } else { return None };
    let third = if bytes.get(second) == Some(&b'.') { word_end(bytes, second + 1) } else { return None };
    let shaped = (23..=30).contains(&(end - start))
        && matches!(bytes[start], b'M' | b'N' | b'O')
        && (6..=8).contains(&(second - end))
        && (26..=44).contains(&(third - second));
    (shaped && looks_random(&text[second + 1..third])).then_some(Span::new(start, third, "discord-token", Rank::Shape))
}

/// `<id>:<35 characters>`
fn telegram_bot(text: &str, start: usize, end: usize) -> Option<Span<'static>> {
    let bytes = text.as_bytes();
    if start == 0 || bytes[start - 1] != b':' || !(34..=36).contains(&(end - start)) {
        return None;
    }
    let digits = run_before(bytes, start - 1, 12, |byte| byte.is_ascii_digit());
    let value = &text[start..end];
    let is_digest = value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let shaped = (8..=10).contains(&digits) && !is_digest && looks_random(value);
    shaped.then_some(Span::new(start - 1 - digits, end, "telegram-token", Rank::Shape))
}

/// Facebook's `<id>|<27 and more>`, and the old tokens of Vault: `s.<24>`.
fn after_number(text: &str, start: usize, end: usize) -> Option<Span<'static>> {
    let (bytes, value) = (text.as_bytes(), &text[start..end]);
    let mark = *bytes.get(start.checked_sub(1)?)?;
    let before = match (mark, end - start) {
        (b'|', 27..=40) => run_before(bytes, start - 1, 17, |byte| byte.is_ascii_digit()),
        (b'.', 24) => run_before(bytes, start - 1, 2, |byte| byte == b's'),
        _ => 0,
    };
    let shaped = matches!((mark, before), (b'|', 15..=16) | (b'.', 1)) && begins_word(bytes, start - 1 - before);
    let told = shaped && looks_random(value) && Makeup::of(value).digits > 1;
    told.then_some(Span::new(start - 1 - before, end, "api-key", Rank::Shape))
}

/// Mailgun's `<32>-<8>-<8>`, Mailchimp's `<32>-us<number>`, Dropbox's `<11>AAAAAAAAAA<43>`.
fn grouped(text: &str, start: usize, end: usize) -> Option<Span<'static>> {
    if end - start == 64
        && text.get(start + 11..start + 21) == Some("AAAAAAAAAA")
        && looks_random(&text[start + 21..end])
    {
        return Some(Span::new(start, end, "dropbox-token", Rank::Shape));
    }
    let word = text.get(start..end).filter(|word| matches!(word.len(), 36 | 37 | 50))?;
    let (first, rest) = word.split_at_checked(32)?;
    let centre = rest.strip_prefix("-us").is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    let sums = word.len() == 50 && rest.as_bytes()[0] == b'-' && rest.as_bytes()[9] == b'-';
    let plain = first.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (plain && (centre || sums) && looks_random(first)).then_some(Span::new(start, end, "mailgun-key", Rank::Shape))
}

/// A value of its own that no name announces: drawn from letters and digits, and of no known use. Digests hold no letter
/// behind `f`, and what goes on with other signs is part of something larger.
fn drawn(text: &str, start: usize, end: usize) -> Option<Span<'static>> {
    let (bytes, value) = (text.as_bytes(), &text[start..end]);
    let stands_alone = start.checked_sub(1).is_none_or(|at| b"=\"'` \n\t".contains(&bytes[at]))
        && bytes.get(end).is_none_or(|next| b"\"'`,; \n\t\r)".contains(next));
    let makeup = Makeup::of(value);
    let no_digit = |byte: &u8| byte.is_ascii_alphabetic() && !byte.is_ascii_hexdigit();
    let mixed = makeup.digits > 2 && makeup.upper > 3 && makeup.lower > 3
        || makeup.digits > 5 && value.bytes().filter(no_digit).count() > 3;
    let told = stands_alone && (28..=80).contains(&value.len()) && mixed && share_of_words(value) < 25;
    (told && entropy(value) >= 4.0 && !is_placeholder(value)).then_some(Span::new(start, end, "api-key", Rank::Shape))
}

pub(super) fn word_end(bytes: &[u8], at: usize) -> usize {
    at + run(bytes, at, usize::MAX, is_word)
}
