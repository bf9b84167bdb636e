//! Words as people write them, for whoever has to look at them: what they are, which of them carry nothing, which deny,
//! and whether two texts are the same words. It must not judge what they mean.

use std::collections::BTreeSet;

const ARTICLES: [&str; 3] = ["the", "a", "an"];
const DENIALS: [&str; 17] = [
    "not",
    "no",
    "never",
    "none",
    "nor",
    "neither",
    "without",
    "cannot",
    "avoid",
    "avoids",
    "unless",
    "except",
    "nobody",
    "nothing",
    "stop",
    "forbidden",
    "instead",
];
const POINTING: [&str; 10] = ["this", "here", "these", "those", "it", "its", "above", "below", "todo", "fixme"];

/// Words with what belongs to them inside: `v1.2`, `src/main.rs`, `don't`, `max_width`.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|letter: char| letter.is_whitespace() || "()[]{}<>;!?\"`*|“”„".contains(letter));
    parts.map(|part| part.trim_matches(|letter: char| !letter.is_alphanumeric())).filter(|part| !part.is_empty())
}

/// White space and the full stop at the end do not count.
pub(super) fn even(text: &str) -> String {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    joined.trim_end_matches('.').to_owned()
}

/// A key is the same in any case and with any of the usual separators.
pub(super) fn even_key(key: &str) -> String {
    let spaced = key.to_lowercase().replace(['_', '-'], " ");
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Does the text point at what it is attached to?
pub(super) fn points(text: &str) -> bool {
    words(text).any(|word| POINTING.iter().any(|pointing| word.eq_ignore_ascii_case(pointing)))
}

/// Does every word of the one stand in the other?
pub(super) fn is_within(short: &str, long: &str) -> bool {
    let long: BTreeSet<String> = words(long).map(str::to_lowercase).collect();
    words(short).all(|word| long.contains(&word.to_lowercase()))
}

/// How often something is denied.
pub(super) fn denials(text: &str) -> usize {
    let denies = |word: &&str| {
        let lower = word.to_lowercase().replace('’', "'");
        lower.ends_with("n't") || DENIALS.contains(&lower.as_str())
    };
    words(text).filter(denies).count()
}

/// The same words in the same order: articles, quotation marks, the capital of a sentence and the stop at its end do not
/// count, and everything else does. Where blanks and breaks have a meaning, they count, too.
pub fn are_the_same(a: &str, b: &str) -> bool {
    let is_layout = |text: &str| text.contains(['=', '\t', '<', '>']) || text.contains("\n ") || text.contains("\n-");
    if is_layout(a.trim()) || is_layout(b.trim()) {
        return a.trim() == b.trim();
    }
    let (a, b) = (said(a), said(b));
    !a.is_empty()
        && a.len() == b.len()
        && a.iter().zip(&b).all(|((one, begins), (other, opens))| {
            let lower = || (*begins || *opens) && uncapital(one) == uncapital(other);
            one == other || lower()
        })
}

/// Each word with its marks, and whether it begins a sentence.
fn said(text: &str) -> Vec<(String, bool)> {
    let mut found: Vec<(String, bool)> = Vec::new();
    let mut begins = true;
    for chunk in text.split_whitespace() {
        let bare: String = chunk.chars().map(plain).filter(|letter| !['`', '"', '*', '…'].contains(letter)).collect();
        let word = bare.trim_end_matches(['.', '!']);
        let ends = word.len() < bare.len() || word.ends_with([':', '?']);
        if !word.is_empty() && !ARTICLES.contains(&word.to_lowercase().as_str()) {
            found.push((word.to_owned(), begins));
            begins = false;
        }
        begins |= ends;
    }
    found
}

fn plain(letter: char) -> char {
    match letter {
        '‘' | '’' | 'ʼ' => '\'',
        '“' | '”' | '„' | '«' | '»' => '"',
        '‑' | '‐' | '−' => '-',
        other => other,
    }
}

fn uncapital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_carries_nothing_does_not_tell_words_apart() {
        for (a, b) in [
            ("Never push to the main branch.", "never push to main branch"),
            ("Use `pnpm`, not npm", "Use pnpm, not npm."),
            ("“Done” means  merged!", "\"Done\" means merged"),
            ("The cache is cold. Warm it.", "Cache is cold. warm it"),
        ] {
            assert!(are_the_same(a, b) && are_the_same(b, a), "{a} / {b}");
        }
    }

    #[test]
    fn whatever_may_mean_something_does() {
        for (a, b) in [
            ("Timeout is 30 s", "Timeout is 60 s"),
            ("No, deploy", "No deploy"),
            ("Send it to US", "Send it to us"),
            ("A before B", "B before A"),
            ("Use main", "Use `main.rs`"),
            ("if x:\n  y", "if x:\ny"),
            ("a = b", "a  = b"),
            ("It works?", "It works"),
            ("", ""),
            ("the", "a"),
        ] {
            assert!(!are_the_same(a, b), "{a} / {b}");
        }
    }

    #[test]
    fn denials_are_counted_however_they_are_written() {
        assert_eq!(denials("Don’t. Never, ever; it can't be without."), 4);
        assert_eq!(denials("Nothing stops it"), 1);
        assert_eq!(denials("notable"), 0);
    }
}
