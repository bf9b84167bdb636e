//! Short pieces of long text, and how alike two pieces are by their words. Owns no format; every cut falls between
//! characters and costs no more than one pass.

pub(super) use crate::prose::head;

/// At most `most` bytes from the beginning, with an ellipsis where something is missing.
pub(super) fn cut(text: &str, most: usize) -> String {
    let text = text.trim();
    if text.len() <= most {
        return text.to_owned();
    }
    let head = head(text, most);
    // A whole word reads better, unless the word is all there is.
    let end = head.rfind(char::is_whitespace).filter(|end| end * 2 > most).unwrap_or(head.len());
    format!("{}…", head[..end].trim_end())
}

/// White space made even, then [`cut`].
pub(super) fn one_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if line.len() > most {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(head(word, most + 1));
    }
    cut(&line, most)
}

/// The beginning and the end of what is too long: what a command prints matters at both.
pub(super) fn both_ends(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    format!("{}\n…\n{}", head(text, most / 2), tail(text, most / 2))
}

fn tail(text: &str, most: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(most))..]
}

/// The words of a text in small letters, without marks, dates and times of day: what stays when an item is moved,
/// numbered anew, wrapped or stamped again.
pub(super) fn plain_words(text: &str) -> Vec<String> {
    text.split_whitespace()
        .filter(|word| !is_time(word))
        .flat_map(|word| word.split(|character: char| !character.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// A date, a time of day or both, whatever brackets stand around it.
pub(super) fn is_time(word: &str) -> bool {
    let word = word.trim_matches(|character: char| !character.is_alphanumeric());
    let shape = |mask: &str| {
        word.len() >= mask.len()
            && word.bytes().zip(mask.bytes()).all(|(byte, wanted)| match wanted {
                b'0' => byte.is_ascii_digit(),
                other => byte == other,
            })
            && word.bytes().skip(mask.len()).all(|byte| byte.is_ascii_digit() || b":.+-TZtz".contains(&byte))
    };
    shape("0000-00-00") || shape("00:00") || (shape("0:00") && word.len() <= 8)
}

/// Twice the common words over all words: 1 for the same words in any order, 0 for none in common.
pub(super) fn likeness(one: &[String], other: &[String]) -> f64 {
    if one.is_empty() || other.is_empty() {
        return 0.0;
    }
    let common = common_words(one, other).0;
    2.0 * common as f64 / (one.len() + other.len()) as f64
}

/// How many words two texts share, and those that only one of them has.
pub(super) fn common_words<'a>(one: &'a [String], other: &'a [String]) -> (usize, Vec<&'a str>) {
    let sorted = |words: &'a [String]| {
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        words.sort_unstable();
        words
    };
    let (one, other) = (sorted(one), sorted(other));
    let (mut left, mut right, mut common, mut apart) = (0, 0, 0, Vec::new());
    while left < one.len() && right < other.len() {
        match one[left].cmp(other[right]) {
            std::cmp::Ordering::Equal => {
                common += 1;
                left += 1;
                right += 1;
            }
            std::cmp::Ordering::Less => {
                apart.push(one[left]);
                left += 1;
            }
            std::cmp::Ordering::Greater => {
                apart.push(other[right]);
                right += 1;
            }
        }
    }
    apart.extend_from_slice(&one[left..]);
    apart.extend_from_slice(&other[right..]);
    (common, apart)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_falls_between_words_and_never_inside_a_character() {
        assert_eq!(cut("  short ", 10), "short");
        assert_eq!(cut("several words in a row", 15), "several words…");
        assert_eq!(cut("äöüäöüäöü", 5), "äö…");
        assert_eq!(one_line("a\n  b\t c", 10), "a b c");
        assert_eq!(both_ends("0123456789", 4), "01\n…\n89");
    }

    #[test]
    fn dates_and_times_are_no_words() {
        assert_eq!(plain_words("**Use** JWT - 2026-01-04T00:16:00Z"), ["use", "jwt"]);
        assert_eq!(plain_words("[10:42] step (9:05:01) 3.2"), ["step", "3", "2"]);
        assert!(!is_time("port:8080") && !is_time("1.2.3") && !is_time(""));
    }

    #[test]
    fn likeness_counts_words_in_any_order() {
        let like = |one: &str, other: &str| likeness(&plain_words(one), &plain_words(other));
        assert_eq!(like("use tabs here", "here use tabs"), 1.0);
        assert_eq!(like("", "x"), 0.0);
        assert!((like("a b c d e", "a b c d x") - 0.8).abs() < 1e-9);
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_a_cut_panic(text in "\\PC{0,80}", most in 0usize..90) {
            proptest::prop_assert!(cut(&text, most).len() <= most + '…'.len_utf8());
            let _ = (one_line(&text, most), both_ends(&text, most), plain_words(&text));
        }
    }
}
