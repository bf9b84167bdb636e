//! The shorter lengths of a memory, made from its text when nobody wrote them: extractive, deterministic.

use std::borrow::Cow;

use crate::model::{Level, Memory, render};

const SUMMARY_CHARS: usize = 400;
const COMPRESSED_CHARS: usize = 160;
const INDEX_CHARS: usize = 60;

/// A memory at one of its four lengths. What somebody wrote for a length is used; otherwise the text is cut at the
/// end of a sentence, a word at the least.
pub fn at_level(memory: &Memory, level: Level) -> Cow<'_, str> {
    let shorter = &memory.shorter;
    let written = match level {
        Level::Full => return Cow::Borrowed(&memory.text),
        Level::Summary => &shorter.summary,
        Level::Compressed => &shorter.compressed,
        Level::Index => &shorter.index,
    };
    if let Some(text) = written {
        return Cow::Borrowed(text);
    }
    match level {
        Level::Full | Level::Summary => sentences(&memory.text, SUMMARY_CHARS),
        Level::Compressed => sentences(&memory.text, COMPRESSED_CHARS),
        Level::Index => words(memory.headline(), INDEX_CHARS),
    }
}

/// As many whole sentences from the beginning as fit; the first is cut if it alone is too long.
fn sentences(text: &str, most: usize) -> Cow<'_, str> {
    let text = text.trim();
    let Some((limit, _)) = text.char_indices().nth(most) else { return Cow::Borrowed(text) };
    let head = &text[..limit];
    let end = head.char_indices().rev().find(|(at, c)| is_sentence_end(*c, &text[at + c.len_utf8()..]));
    match end {
        Some((at, c)) if at * 3 >= limit => Cow::Borrowed(text[..at + c.len_utf8()].trim_end()),
        _ => words(text, most),
    }
}

fn is_sentence_end(character: char, rest: &str) -> bool {
    match character {
        '\n' | '。' | '！' | '？' => true,
        '.' | '!' | '?' => rest.starts_with(char::is_whitespace),
        _ => false,
    }
}

fn words(text: &str, most: usize) -> Cow<'_, str> {
    let line = render::first_line(text);
    let Some((limit, _)) = line.char_indices().nth(most) else { return Cow::Borrowed(line) };
    let head = &line[..limit];
    let end = head.rfind(char::is_whitespace).filter(|at| at * 2 > limit).unwrap_or(limit);
    Cow::Owned(format!("{}…", head[..end].trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Kind, MemoryId, Timestamp};

    fn memory(text: &str) -> Memory {
        Memory::new(MemoryId::new("n").unwrap(), Kind::Note, text, Timestamp::from_micros(0))
    }

    #[test]
    fn a_short_memory_is_the_same_at_every_length() {
        let memory = memory("Tabs, not spaces.");
        for level in Level::ALL {
            assert_eq!(at_level(&memory, *level), "Tabs, not spaces.");
        }
    }

    #[test]
    fn a_long_memory_is_cut_where_a_sentence_ends() {
        let long = memory(&format!("{} Second sentence. {}", "First one here.", "word ".repeat(200)));
        let compressed = at_level(&long, Level::Compressed);
        assert!(compressed.chars().count() <= COMPRESSED_CHARS + 1, "{compressed}");
        let sentences = memory(&"This is a sentence of some length, no more. ".repeat(20));
        assert!(at_level(&sentences, Level::Summary).ends_with("no more."));
    }

    #[test]
    fn what_somebody_wrote_for_a_length_is_used() {
        let mut memory = memory("long text");
        memory.shorter.index = Some("short".into());
        assert_eq!(at_level(&memory, Level::Index), "short");
    }

    proptest::proptest! {
        #[test]
        fn every_length_is_no_longer_than_the_one_before(text in "(?s).{0,900}") {
            let memory = memory(&text);
            let chars = |level| at_level(&memory, level).chars().count();
            proptest::prop_assert!(chars(Level::Summary) <= chars(Level::Full).min(SUMMARY_CHARS + 1));
            proptest::prop_assert!(chars(Level::Compressed) <= COMPRESSED_CHARS + 1);
            proptest::prop_assert!(chars(Level::Index) <= INDEX_CHARS + 1);
        }
    }
}
