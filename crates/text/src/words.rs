//! Cutting text into words the way the static model was trained: accents off, punctuation out, humps apart.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Text without accents. ASCII, by far the most of what comes along, is not touched.
pub(super) fn without_accents(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.nfd().filter(|character| !is_combining_mark(*character)).collect())
}

/// Runs of letters and digits; an ideograph is a word by itself.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let runs = text.split(|character: char| !character.is_alphanumeric());
    let up_to_ideographs = runs.flat_map(|run| run.split_inclusive(is_ideograph));
    up_to_ideographs.flat_map(|piece| {
        let last = piece.char_indices().next_back().filter(|(_, character)| is_ideograph(*character));
        let (before, ideograph) = piece.split_at(last.map_or(piece.len(), |(at, _)| at));
        [before, ideograph].into_iter().filter(|word| !word.is_empty())
    })
}

fn is_ideograph(character: char) -> bool {
    matches!(character, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{f900}'..='\u{faff}')
}

/// The parts of a compound name: `parseHTTPBody2Json` is parse, HTTP, Body2, Json. What has no small letter is whole.
pub(super) fn humps(word: &str) -> impl Iterator<Item = &str> {
    let bytes = word.as_bytes();
    let has_small = bytes.iter().any(u8::is_ascii_lowercase);
    let ends = (1..bytes.len()).filter(move |at| has_small && hump_begins(bytes, *at)).chain([bytes.len()]);
    let mut start = 0;
    ends.map(move |end| &word[std::mem::replace(&mut start, end)..end])
}

/// At a capital after a small letter or a digit, and at the last of several capitals before a small letter.
fn hump_begins(word: &[u8], at: usize) -> bool {
    let before = word[at - 1];
    let small_follows = word.get(at + 1).is_some_and(u8::is_ascii_lowercase);
    word[at].is_ascii_uppercase()
        && (before.is_ascii_lowercase() || before.is_ascii_digit() || (before.is_ascii_uppercase() && small_follows))
}

pub(super) fn lower_case(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(word.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_words(text: &str, expect: &[&str]) {
        assert_eq!(words(&without_accents(text)).collect::<Vec<_>>(), expect, "{text}");
    }

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        check_words("", &[]);
        check_words(" -- ", &[]);
        check_words("src/store/read.rs:42", &["src", "store", "read", "rs", "42"]);
        check_words("naïve Café—ÅNGSTRÖM", &["naive", "Cafe", "ANGSTROM"]);
        check_words("a漢字b かな", &["a", "漢", "字", "b", "かな"]);
        check_words("漢", &["漢"]);
    }

    #[test]
    fn humps_are_found_in_names_with_small_letters() {
        let check = |word, expect: &[&str]| assert_eq!(humps(word).collect::<Vec<_>>(), expect);
        check("parseHTTPBody2Json", &["parse", "HTTP", "Body2", "Json"]);
        check("E0382", &["E0382"]);
        check("UTF8BOM", &["UTF8BOM"]);
        check("straßenName", &["straßen", "Name"]);
        check("x", &["x"]);
    }

    #[test]
    fn a_final_sigma_is_written_as_one() {
        assert_eq!(lower_case("ΟΔΟΣ"), "οδος");
        assert_eq!(lower_case("Rust2"), "rust2");
    }
}
