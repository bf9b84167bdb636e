//! What a piece of text is made of: where words begin in escaped and coloured text, how random a string looks.
//! Knows no rules and no keywords.

/// How much of a value is looked at to judge it.
const JUDGED_BYTES: usize = 256;

/// How many bytes from `from` on are of a kind; no more than `most` are looked at. Whoever reads to the end from each
/// of a million keywords reads a million times: all who look around a keyword come through here or [`window`].
pub(super) fn run(bytes: &[u8], from: usize, most: usize, holds: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    counted(rest.iter().take(most).take_while(|byte| holds(**byte)).count())
}

/// The same, backwards from `end`.
pub(super) fn run_before(bytes: &[u8], end: usize, most: usize, holds: impl Fn(u8) -> bool) -> usize {
    counted(bytes[..end].iter().rev().take(most).take_while(|byte| holds(**byte)).count())
}

/// The text from `from` on, at most so many bytes of it, cut between two characters.
pub(super) fn window(text: &str, from: usize, most: usize) -> &str {
    let window = text.get(from..floor_boundary(text, from + most)).unwrap_or_default();
    counted(window.len());
    window
}

/// The same, up to where something else begins.
pub(super) fn window_until<'t>(text: &'t str, from: usize, most: usize, other: &str) -> &'t str {
    let window = text.get(from..floor_boundary(text, from + most)).unwrap_or_default();
    let window = &window[..window.find(other).unwrap_or(window.len())];
    counted(window.len());
    window
}

#[cfg(test)]
std::thread_local! {
    /// How many bytes the rules have looked at in this thread.
    pub(super) static EXAMINED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

fn counted(bytes: usize) -> usize {
    #[cfg(test)]
    EXAMINED.set(EXAMINED.get() + bytes + 1);
    bytes
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Whether a secret may begin at `at`: not in the middle of a word. What stands before may also be an escape
/// (`\n`, `%3D`, `\u003d`) or a colour code, whose last letter is no part of the word.
pub(super) fn begins_word(text: &[u8], at: usize) -> bool {
    let before = &text[..at];
    match before.last() {
        Some(byte) if byte.is_ascii_alphanumeric() => ends_with_escape(before),
        _ => true,
    }
}

/// Where a word that was found from `start` on really begins, if an escape or a colour code stands before it.
pub(super) fn behind_escape(text: &[u8], start: usize, end: usize) -> usize {
    let last = end.min(start + 6);
    (start + 1..last).rev().find(|at| ends_with_escape(&text[..*at])).unwrap_or(start)
}

/// Whether the text ends with an escape sequence whose last byte is a letter or a digit.
pub(super) fn ends_with_escape(before: &[u8]) -> bool {
    match before {
        [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f' | b'v' | b'0'] => true,
        [.., b'%', a, b] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => true,
        [.., b'\\', b'x', a, b] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => true,
        [rest @ .., b'm'] => ends_with_colour_parameters(rest),
        _ if before.len() > 6 => {
            let tail = &before[before.len() - 6..];
            tail.starts_with(b"\\u") && tail[2..].iter().all(u8::is_ascii_hexdigit)
        }
        _ => false,
    }
}

fn ends_with_colour_parameters(before: &[u8]) -> bool {
    let parameters = run_before(before, before.len(), 19, |byte| byte.is_ascii_digit() || byte == b';');
    before[..before.len() - parameters].ends_with(b"[")
}

/// The first place from `at` on that is no blank and no colour code. Stays on the line.
pub(super) fn skip_blank(text: &[u8], mut at: usize) -> usize {
    loop {
        at += run(text, at, usize::MAX, |byte| matches!(byte, b' ' | b'\t'));
        match text.get(at).filter(|byte| **byte == 0x1b).and_then(|_| colour_end(text, at)) {
            Some(end) => at = end,
            None => return at,
        }
    }
}

/// Where the colour code that begins at `at` ends.
pub(super) fn colour_end(text: &[u8], at: usize) -> Option<usize> {
    if text.get(at + 1) != Some(&b'[') {
        return None;
    }
    let end = at + 2 + run(text, at + 2, 20, |byte| byte.is_ascii_digit() || byte == b';');
    text.get(end).is_some_and(u8::is_ascii_alphabetic).then_some(end + 1)
}

/// What a string holds, counted once.
#[derive(Default, Clone, Copy)]
pub(super) struct Makeup {
    pub(super) upper: usize,
    pub(super) lower: usize,
    pub(super) digits: usize,
    pub(super) special: usize,
    pub(super) blanks: usize,
}

impl Makeup {
    pub(super) fn of(value: &str) -> Makeup {
        let mut makeup = Makeup::default();
        for byte in judged(value) {
            match byte {
                b'A'..=b'Z' => makeup.upper += 1,
                b'a'..=b'z' => makeup.lower += 1,
                b'0'..=b'9' => makeup.digits += 1,
                byte if byte.is_ascii_whitespace() => makeup.blanks += 1,
                _ => makeup.special += 1,
            }
        }
        makeup
    }

    pub(super) fn letters(self) -> usize {
        self.upper + self.lower
    }
}

fn judged(value: &str) -> &[u8] {
    &value.as_bytes()[..value.len().min(JUDGED_BYTES)]
}

/// Shannon entropy in bits a byte.
pub(super) fn entropy(value: &str) -> f64 {
    let bytes = judged(value);
    let mut counts = [0_u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let total = bytes.len().max(1) as f64;
    let share = |count: &u32| f64::from(*count) / total;
    counts.iter().filter(|count| **count > 0).map(|count| -share(count) * share(count).log2()).sum()
}

/// Whether nearly all of it reads as words, as names and labels do: `db-credentials`, `mySecretName`, `token_v2`.
pub(super) fn reads_as_words(value: &str) -> bool {
    // Letters without a single digit are seldom drawn; digits strewn in between seldom written.
    let numbers = parts(value).filter(|part| part.starts_with(|c: char| c.is_ascii_digit())).count();
    let enough = if numbers == 0 { 60 } else { 85 };
    let alone = value.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let turns = judged(value).windows(2).filter(|pair| {
        pair.iter().all(u8::is_ascii_alphanumeric) && pair[0].is_ascii_digit() != pair[1].is_ascii_digit()
    });
    let strewn = alone && (numbers >= 2 && value.len() >= 16 || numbers >= 3 && value.len() >= 12)
        || value.len() >= 16 && turns.count() >= 6;
    share_of_words(value) >= enough && !strewn
}

/// How much of a string reads as words and short numbers, in hundredths.
pub(super) fn share_of_words(value: &str) -> usize {
    let (mut in_words, mut all) = (0, 0);
    for part in parts(value) {
        all += part.len();
        let number = part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
        if number || is_wordlike(part) {
            in_words += part.len();
        }
    }
    (in_words * 100).checked_div(all).unwrap_or(0)
}

/// The words of an identifier: cut at what is no letter or digit, where the case rises and where digits begin.
pub(super) fn parts(value: &str) -> impl Iterator<Item = &str> {
    let value = &value[..floor_boundary(value, JUDGED_BYTES)];
    value.split(|c: char| !c.is_ascii_alphanumeric()).filter(|piece| !piece.is_empty()).flat_map(humps)
}

fn humps(piece: &str) -> impl Iterator<Item = &str> {
    let bytes = piece.as_bytes();
    let mut start = 0;
    let cuts = (1..=bytes.len()).filter(move |at| *at == bytes.len() || is_hump(bytes, *at));
    cuts.map(move |at| {
        let part = &piece[start..at];
        start = at;
        part
    })
}

fn is_hump(bytes: &[u8], at: usize) -> bool {
    let (before, here) = (bytes[at - 1], bytes[at]);
    before.is_ascii_digit() != here.is_ascii_digit()
        || (before.is_ascii_lowercase() && here.is_ascii_uppercase())
        || (before.is_ascii_uppercase()
            && here.is_ascii_uppercase()
            && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase))
}

fn is_wordlike(part: &str) -> bool {
    let is_vowel = |byte: u8| matches!(byte.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u' | b'y');
    let (mut vowels, mut streak, mut longest) = (0, 0, 0);
    for byte in part.bytes() {
        if !byte.is_ascii_alphabetic() {
            return false;
        }
        streak = if is_vowel(byte) { 0 } else { streak + 1 };
        vowels += usize::from(is_vowel(byte));
        longest = longest.max(streak);
    }
    const SHORT_WORDS: &[&str] = &["db", "my", "to", "of", "in", "is", "id", "v", "k", "ci", "ws", "tls", "ssl", "jwt"];
    let long = part.len() >= 3 && vowels > 0 && longest <= 4 && vowels * 6 >= part.len();
    long || SHORT_WORDS.iter().any(|word| part.eq_ignore_ascii_case(word))
}

/// The last place not behind `at` where a character begins.
pub(super) fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Whether a string looks drawn at random: mixed, not made of words, rich enough for its length.
pub(super) fn looks_random(value: &str) -> bool {
    let makeup = Makeup::of(value);
    let mixed = (makeup.digits > 0 && makeup.letters() > 0)
        || (makeup.upper > 0 && makeup.lower > 0 && value.len() >= 12)
        || (makeup.digits >= 16);
    let rich = if value.len() >= 16 && makeup.letters() > 0 { 2.9 } else { 2.4 };
    mixed && makeup.blanks == 0 && entropy(value) >= rich && !reads_as_words(value)
}
