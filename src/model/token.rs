//! The one way tokens are counted.
//!
//! No public tokenizer is the model's own, so this is an estimate by runs of like characters: fast enough to call on
//! every memory, and never dependent on a vocabulary.

/// About how many tokens a model sees in this text.
pub fn estimate(text: &str) -> usize {
    let mut quarters = 0usize;
    let mut run = Run::None;
    let mut length = 0usize;
    for character in text.chars() {
        let class = Run::of(character);
        if class != run || class == Run::Wide {
            quarters += run.cost(length);
            run = class;
            length = 0;
        }
        length += 1;
    }
    quarters += run.cost(length);
    quarters.div_ceil(4)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    None,
    Letters,
    Digits,
    Blank,
    Newline,
    Punctuation,
    /// Scripts outside Latin: close to a token a character.
    Wide,
}

impl Run {
    fn of(character: char) -> Run {
        match character {
            'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' => Run::Letters,
            '0'..='9' => Run::Digits,
            ' ' | '\t' => Run::Blank,
            '\n' | '\r' => Run::Newline,
            _ if character.is_ascii() => Run::Punctuation,
            _ => Run::Wide,
        }
    }

    /// In quarters of a token.
    fn cost(self, length: usize) -> usize {
        match self {
            Run::None => 0,
            // A word of up to seven letters is mostly one token, then one more for about five.
            Run::Letters => 4 + length.saturating_sub(7).div_ceil(5) * 4,
            Run::Digits => length.div_ceil(3) * 4,
            // One blank joins the word that follows it.
            Run::Blank => usize::from(length > 1) * 4,
            Run::Newline => 4,
            Run::Punctuation => length.div_ceil(2) * 3,
            Run::Wide => 4,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_prose_is_about_a_token_a_word() {
        let text = "The parser keeps every unknown field and writes it back in the order it was read.";
        assert!((15..=22).contains(&estimate(text)), "{}", estimate(text));
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate("word"), 1);
    }

    #[test]
    fn more_text_never_costs_less() {
        let text = "let x = foo_bar(42); // 日本語 and more";
        let mut last = 0;
        for (end, _) in text.char_indices() {
            let count = estimate(&text[..end]);
            assert!(count >= last);
            last = count;
        }
    }
}
