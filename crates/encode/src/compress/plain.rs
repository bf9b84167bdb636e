//! Small tools for short lines: one line, so many characters, without the words that only hold others together.

pub(super) use crate::prose::collapse as one_line;

/// Words a short line does without.
const FILLERS: &[&str] = &[
    "the",
    "a",
    "an",
    "we",
    "i",
    "is",
    "are",
    "was",
    "were",
    "has",
    "have",
    "had",
    "been",
    "be",
    "that",
    "this",
    "it",
    "just",
    "really",
    "very",
    "also",
    "then",
    "so",
    "now",
    "actually",
    "basically",
    "simply",
    "our",
    "their",
    "there",
];

pub(super) fn count(text: &str) -> usize {
    text.chars().count()
}

/// At most `most` characters: whole words and an ellipsis where something is left out.
pub(super) fn clipped(line: &str, most: usize) -> String {
    if most == 0 {
        return String::new();
    }
    if line.char_indices().nth(most).is_none() {
        return line.to_owned();
    }
    let limit = line.char_indices().nth(most - 1).map_or(0, |(at, _)| at);
    let head = &line[..limit];
    let end = head.rfind(char::is_whitespace).filter(|at| at * 2 > limit).unwrap_or(limit);
    // A cut in the middle of a word stands where the words are long; a blank right after the head is no cut.
    let end = if line[limit..].starts_with(char::is_whitespace) { limit } else { end };
    format!("{}…", head[..end].trim_end().trim_end_matches([',', ';', ':', '(', '—', '-']).trim_end())
}

/// The same with fewer words and no full stop at the end. What stands in backticks stays as it is.
pub(super) fn terse(sentence: &str) -> String {
    let mut line = String::with_capacity(sentence.len());
    let mut in_code = false;
    for word in sentence.split_whitespace() {
        let is_filler = !in_code && FILLERS.iter().any(|filler| filler.eq_ignore_ascii_case(word));
        in_code ^= word.bytes().filter(|byte| *byte == b'`').count() % 2 == 1;
        if is_filler {
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let end = line.trim_end_matches(['.', ',', ';', ':', '。']).len();
    line.truncate(end);
    if line.is_empty() { one_line(sentence) } else { line }
}

/// The parts that say something, with this between them.
pub(super) fn joined(parts: &[String], between: &str) -> String {
    parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_between_words_and_never_longer_than_asked() {
        assert_eq!(clipped("one two three", 13), "one two three");
        assert_eq!(clipped("one two three", 9), "one two…");
        assert_eq!(clipped("one two, three", 10), "one two…");
        assert_eq!(clipped("abcdefgh", 4), "abc…");
        assert_eq!(clipped("日本語日本語", 4), "日本語…");
        assert_eq!(clipped("x", 0), "");
    }

    #[test]
    fn fillers_go_and_code_stays() {
        assert_eq!(terse("The tokens were too large for the cookies."), "tokens too large for cookies");
        assert_eq!(terse("Run `is the a` now."), "Run `is the a` now");
        assert_eq!(terse("It is."), "is");
    }
}
