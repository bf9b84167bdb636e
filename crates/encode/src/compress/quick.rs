//! The shorter lengths at once: the beginning of the text, cut where a sentence or a word ends.

use std::borrow::Cow;

use super::{COMPRESSED_CHARS, INDEX_CHARS, SUMMARY_CHARS, headline};
use lokid_model::{Level, Memory, render};

pub(super) fn at_level(memory: &Memory, level: Level) -> Cow<'_, str> {
    match level {
        Level::Full | Level::Summary => sentences(render::told(memory), SUMMARY_CHARS),
        Level::Compressed => sentences(render::told(memory), COMPRESSED_CHARS),
        Level::Index => match headline(memory) {
            Cow::Borrowed(line) => words(line, INDEX_CHARS),
            Cow::Owned(line) => Cow::Owned(words(&line, INDEX_CHARS).into_owned()),
        },
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
