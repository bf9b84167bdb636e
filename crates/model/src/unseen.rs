//! Characters that something obeys or that nobody sees: the one list of them. A terminal obeys control characters, a
//! reader is misled by marks that turn the order of reading, and what has no width can spell to a model what no person
//! reads.

use std::borrow::Cow;
use std::fmt::Write;

/// Joins two characters that would be drawn apart, as families of emoji are, or keeps them from it.
pub fn joins(character: char) -> bool {
    matches!(character, '\u{200c}' | '\u{200d}')
}

/// Asks for the coloured or the plain form of the character before it.
fn selects(character: char) -> bool {
    matches!(character, '\u{fe0e}' | '\u{fe0f}')
}

/// Never to be seen, whatever stands around it. A line break and a tab are seen.
pub fn is_unseen(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control() && !matches!(character, '\n' | '\t');
    }
    character.is_control()
        // What Unicode calls default ignorable, which are also those that turn the order of reading.
        || matches!(character, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}')
        || matches!(character, '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{200e}'..='\u{200f}')
        || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0d}')
        || matches!(character, '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}')
        || matches!(character, '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
        || ends_line(character)
}

/// Ends a line for some and not for others.
pub fn ends_line(character: char) -> bool {
    matches!(character, '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Every character with its place, and whether it is seen: what joins or selects is, where it has something to do so
/// with. In ASCII there is nothing, so that no word is spelt in two ways that look alike.
pub fn seen(text: &str) -> impl Iterator<Item = (usize, char, bool)> {
    let mut before = '\0';
    text.char_indices().map(move |(at, character)| {
        let idle = before.is_ascii() || joins(before) || (selects(character) && selects(before));
        let is_seen = !is_unseen(character) && !(idle && (joins(character) || selects(character)));
        if is_seen {
            before = character;
        }
        (at, character, is_seen)
    })
}

/// The text as a person may be shown it: what is not seen stands there as `\u001b`, which means the same to a reader of
/// JSON. A line break stays one; before it nothing is said of a `\r`.
pub fn shown(text: &str) -> Cow<'_, str> {
    escaped(text, true)
}

/// Like [`shown`], and whatever stands in it, it is one line.
pub fn shown_line(text: &str) -> Cow<'_, str> {
    escaped(text, false)
}

fn escaped(text: &str, lines: bool) -> Cow<'_, str> {
    let plain = |byte: u8| matches!(byte, b' '..0x7f | b'\t') || (lines && byte == b'\n');
    if text.bytes().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for (at, character, is_seen) in seen(text) {
        match character {
            '\n' if !lines => out.push_str("\\n"),
            '\r' if lines && text[at + 1..].starts_with('\n') => {}
            _ if is_seen => out.push(character),
            _ => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    // A string takes whatever is written to it.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_obeyed_or_hidden_is_spelt_out() {
        for (given, expected) in [
            ("plain\n\ttext", "plain\n\ttext"),
            ("\u{1b}]52;c;eA==\u{7}", "\\u001b]52;c;eA==\\u0007"),
            ("\u{9b}2J\u{7f}", "\\u009b2J\\u007f"),
            ("a\u{202e}b\u{2066}\u{61c}", "a\\u202eb\\u2066\\u061c"),
            ("\u{e0041}\u{e0101}", "\\udb40\\udc41\\udb40\\udd01"),
            ("one\r\ntwo\rthree\u{2028}", "one\ntwo\\u000dthree\\u2028"),
        ] {
            assert_eq!(shown(given), expected);
        }
        assert_eq!(shown_line("a\nb\r\n"), "a\\nb\\u000d\\n");
    }

    #[test]
    fn people_keep_their_scripts_and_their_emoji() {
        for text in ["❤\u{fe0f}\u{200d}🔥", "👩\u{200d}👩\u{200d}👧", "می\u{200c}خواهم", "שלום", "naïve 東京"]
        {
            assert_eq!(shown(text), text);
        }
    }

    #[test]
    fn what_joins_nothing_is_not_seen() {
        assert_eq!(shown("a\u{200d}b\u{fe0f}"), "a\\u200db\\ufe0f");
        assert_eq!(shown("é\u{fe0f}\u{fe0f}\u{200d}\u{200d}"), "é\u{fe0f}\\ufe0f\u{200d}\\u200d");
    }

    proptest::proptest! {
        #[test]
        fn json_means_the_same_and_nothing_unseen_is_left(text in "\\PC{0,20}[\u{0}-\u{9f}\u{200b}-\u{206f}\u{fe00}-\u{fe0f}]{0,20}.{0,20}") {
            let written = serde_json::to_string(&text).unwrap();
            let escaped = shown_line(&written);
            proptest::prop_assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
            proptest::prop_assert!(!escaped.contains(|c| is_unseen(c) || c == '\n'));
        }
    }
}
