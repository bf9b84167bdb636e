//! Developer text becomes terms: what may be searched for, in both forms. `parseConfig` is found as `parseconfig`,
//! as `parse` and as `config`; a path whole, by its file name and by its parts; English words by their stem. Pure,
//! and the same for what is stored and what is asked.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::LazyLock;

use frostem::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Changes whenever the terms of a text change, so that an index made by another version is not trusted.
pub const VERSION: u8 = 1;

/// Longer runs are data (hashes, base64), not words.
const LONGEST_WORD: usize = 64;
/// Longer compounds are searchable by their parts alone.
const LONGEST_COMPOUND: usize = 128;

/// Words that say nothing about what a text is about.
const STOP_WORDS: &str = "a about am an and are as at be been being but by can could did do does for from had has have he \
    her him his how i if in into is it its may me might my no not of on or our shall she should so such than that the \
    their them then there these they this to us was we were what when where which who whom why will with would you your";

static STOPS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| STOP_WORDS.split_whitespace().collect());

thread_local! {
    static ENGLISH: RefCell<Stemmer> = RefCell::new(Stemmer::new(Algorithm::English));
}

/// Hands out every term of `text`, in its order.
pub fn terms(text: &str, mut emit: impl FnMut(&str)) {
    ENGLISH.with_borrow(|english| {
        let mut analyzer = Analyzer { english, lower: String::new(), whole: String::new() };
        if text.is_ascii() {
            analyzer.text(text, &mut emit);
        } else {
            let plain: String = text.nfkd().filter(|letter| !is_combining_mark(*letter)).collect();
            analyzer.text(&plain, &mut emit);
        }
    });
}

/// The terms of a question, each once, in its order.
pub fn distinct(text: &str, most: usize) -> Vec<String> {
    let (mut seen, mut found) = (HashSet::new(), Vec::new());
    terms(text, |term| {
        if found.len() < most && !seen.contains(term) {
            seen.insert(term.to_owned());
            found.push(term.to_owned());
        }
    });
    found
}

/// What the inflections of an English word have in common; the word itself in small letters where it is none.
pub fn stem(word: &str) -> String {
    let lower = word.to_lowercase();
    if lower.bytes().all(|letter| letter.is_ascii_lowercase()) {
        ENGLISH.with_borrow(|english| english.stem(&lower).into_owned())
    } else {
        lower
    }
}

/// A short name for a term.
pub fn hash(term: &str) -> u64 {
    let mut state = 0xcbf2_9ce4_8422_2325_u64;
    for byte in term.as_bytes() {
        state = (state ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    // FNV alone leaves the high bits poor for short terms.
    state ^= state >> 32;
    state.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

struct Analyzer<'a> {
    english: &'a Stemmer,
    lower: String,
    whole: String,
}

impl Analyzer<'_> {
    fn text(&mut self, text: &str, emit: &mut impl FnMut(&str)) {
        let joined = |letter: char| letter.is_alphanumeric() || is_joint(letter);
        for chunk in text.split(|letter| !joined(letter)) {
            let chunk = chunk.trim_matches(is_joint);
            if !chunk.is_empty() {
                self.chunk(chunk, emit);
            }
        }
    }

    /// A run without blanks: one word, or a compound of several.
    fn chunk(&mut self, chunk: &str, emit: &mut impl FnMut(&str)) {
        let words = chunk.split(is_joint).filter(|word| !word.is_empty());
        let mut count = 0;
        for word in words {
            count += 1;
            self.word(word, emit);
        }
        if count > 1 && chunk.len() <= LONGEST_COMPOUND {
            self.compound(chunk, emit);
        }
    }

    /// The compound as one term: an identifier without its joints, so that its spellings meet; a path and a dotted
    /// name with theirs.
    fn compound(&mut self, chunk: &str, emit: &mut impl FnMut(&str)) {
        let mut whole = std::mem::take(&mut self.whole);
        if chunk.contains(['/', '\\']) {
            lower_into(&mut whole, chunk.chars().map(|letter| if letter == '\\' { '/' } else { letter }));
            emit(whole.trim_start_matches("./"));
            if let Some(name) = whole.rsplit('/').next().filter(|name| name.len() < whole.len() && name.contains('.')) {
                emit(name);
            }
        } else if chunk.contains(['.', ':']) {
            let mut last = ' ';
            let dotted = chunk.chars().map(|letter| if letter == ':' { '.' } else { letter }).filter(|letter| {
                let keep = *letter != '.' || last != '.';
                last = *letter;
                keep
            });
            lower_into(&mut whole, dotted);
            emit(&whole);
        } else {
            lower_into(&mut whole, chunk.chars().filter(|letter| letter.is_alphanumeric()));
            if !STOPS.contains(whole.as_str()) {
                emit(&whole);
            }
        }
        self.whole = whole;
    }

    /// Letters and digits only; may still be `camelCase`.
    fn word(&mut self, word: &str, emit: &mut impl FnMut(&str)) {
        if word.len() > LONGEST_WORD && word.chars().nth(LONGEST_WORD).is_some() {
            return;
        }
        let mut start = 0;
        let mut before: Option<char> = None;
        let mut letters = word.char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            let next = letters.peek().map(|(_, next)| *next);
            let alone = is_ideograph(letter);
            if at > start && (alone || before.is_some_and(|before| is_hump(before, letter, next))) {
                self.part(&word[start..at], emit);
                start = at;
            }
            before = Some(letter);
        }
        self.part(&word[start..], emit);
        if start > 0 && word.is_ascii() {
            let mut whole = std::mem::take(&mut self.whole);
            lower_into(&mut whole, word.chars());
            emit(&whole);
            self.whole = whole;
        }
    }

    /// One word of a language.
    fn part(&mut self, part: &str, emit: &mut impl FnMut(&str)) {
        let mut lower = std::mem::take(&mut self.lower);
        lower_into(&mut lower, part.chars());
        if !STOPS.contains(lower.as_str()) && lower != "s" && lower != "t" {
            if lower.len() > 2 && lower.bytes().all(|letter| letter.is_ascii_lowercase()) {
                emit(&self.english.stem(&lower));
            } else {
                emit(&lower);
            }
        }
        self.lower = lower;
    }
}

/// What may join words into one name.
fn is_joint(letter: char) -> bool {
    matches!(letter, '_' | '-' | '.' | '/' | '\\' | ':' | '\'' | '’')
}

/// Does a new word start at `letter`: aB, 1B, or the B of ABc?
fn is_hump(before: char, letter: char, next: Option<char>) -> bool {
    if is_ideograph(before) {
        return true;
    }
    let rises = letter.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit());
    let ends_capitals = letter.is_ascii_uppercase()
        && before.is_ascii_uppercase()
        && next.is_some_and(|next| next.is_ascii_lowercase());
    rises || ends_capitals
}

/// Scripts that put no blanks between words.
fn is_ideograph(letter: char) -> bool {
    matches!(letter as u32, 0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF)
}

fn lower_into(buffer: &mut String, letters: impl Iterator<Item = char>) {
    buffer.clear();
    for letter in letters {
        if letter.is_ascii() {
            buffer.push(letter.to_ascii_lowercase());
        } else {
            buffer.extend(letter.to_lowercase());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let mut found = Vec::new();
        terms(text, |term| found.push(term.to_owned()));
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn english_words_are_found_by_their_stem_and_stop_words_not_at_all() {
        check("The parsers were failing", &["parser", "fail"]);
        check("don't stop", &["don", "dont", "stop"]);
    }

    #[test]
    fn identifiers_are_found_whole_and_by_their_parts_however_they_are_spelt() {
        check("parseConfig", &["pars", "config", "parseconfig"]);
        check("parse_config", &["pars", "config", "parseconfig"]);
        check("HTTPServer2Go", &["http", "server2", "go", "httpserver2go"]);
        check("is_valid", &["valid", "isvalid"]);
    }

    #[test]
    fn paths_are_found_whole_by_file_name_and_by_parts() {
        check("src/store/raw.rs", &["src", "store", "raw", "rs", "src/store/raw.rs", "raw.rs"]);
        check("./a\\b.c", &["b", "c", "a/b.c", "b.c"]);
    }

    #[test]
    fn dotted_names_versions_and_error_codes_stay_whole() {
        check("std::fs::read", &["std", "fs", "read", "std.fs.read"]);
        check("E0308 TS2304", &["e0308", "ts2304"]);
        check("v1.2.3.", &["v1", "2", "3", "v1.2.3"]);
    }

    #[test]
    fn accents_case_and_scripts_without_blanks_are_levelled() {
        check("Café ÜBER", &["cafe", "uber"]);
        check("内存", &["内", "存"]);
    }

    #[test]
    fn data_is_not_words() {
        let long = "x".repeat(1_000_000);
        check(&long, &[]);
        check("... --- ///", &[]);
        check("\u{0}\u{202e}🙂", &[]);
    }
}
