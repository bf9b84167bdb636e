//! The shorter lengths of a memory, made from its text when nobody wrote them: extractive, deterministic, and each no
//! longer than the one before. Nothing is said that the text does not say.
//!
//! Two ways: [`at_level`] answers at once, with the beginning of the text where nothing better is kept; [`made`] takes
//! its time to find what is telling, for lengths that are kept.

mod bodies;
mod listed;
mod plain;
mod quick;
mod remedy;
mod sentences;
mod telling;
mod turn;

use std::borrow::Cow;

use lokid_model::{Body, Level, Memory, lengths, render};
use plain::{clipped, count, one_line, terse};
use turn::Turn;

const SUMMARY_CHARS: usize = 400;
const COMPRESSED_CHARS: usize = 160;
const INDEX_CHARS: usize = 60;
/// What is as short as this needs no summary,
const BRIEF_CHARS: usize = 240;
/// and of this no sentence is left out.
const SHORT_CHARS: usize = 80;

/// A memory at one of its four lengths. What somebody wrote for a length is used, and what was made for it while the
/// text is the same; otherwise the text is cut at the end of a sentence, a word at the least.
pub fn at_level(memory: &Memory, level: Level) -> Cow<'_, str> {
    if level == Level::Full {
        return Cow::Borrowed(&memory.text);
    }
    let found = kept(memory, level).map_or_else(|| quick::at_level(memory, level), Cow::Borrowed);
    // Nobody asks for a shorter length to be given more to read.
    let above = match level {
        Level::Summary => Cow::Borrowed(memory.text.trim()),
        Level::Compressed => at_level(memory, Level::Summary),
        // A title is what people look for.
        Level::Full | Level::Index => return found,
    };
    if count(&found) <= count(&above) { found } else { above }
}

/// A memory as it is handed out unasked.
pub fn in_context(memory: &Memory, level: Level) -> Cow<'_, str> {
    if level == Level::Full { Cow::Borrowed(render::told(memory)) } else { at_level(memory, level) }
}

/// A shorter length as it is worth keeping: what the text tells, in fewer words.
pub fn made(memory: &Memory, level: Level) -> String {
    told(memory, level).into_owned()
}

fn kept(memory: &Memory, level: Level) -> Option<&str> {
    let shorter = &memory.shorter;
    let written = match level {
        Level::Full => return Some(&memory.text),
        Level::Summary => &shorter.summary,
        Level::Compressed => &shorter.compressed,
        Level::Index => &shorter.index,
    };
    written.as_deref().filter(|_| !lengths::is_outdated(memory, level))
}

fn told(memory: &Memory, level: Level) -> Cow<'_, str> {
    if kept(memory, level).is_some() {
        return at_level(memory, level);
    }
    match level {
        Level::Full | Level::Summary => summary(memory),
        Level::Compressed => compressed(memory),
        Level::Index => index(memory),
    }
}

fn summary(memory: &Memory) -> Cow<'_, str> {
    let text = memory.text.trim();
    if fits(text, BRIEF_CHARS) {
        return Cow::Borrowed(text);
    }
    // A third saved is the least that a second text is worth.
    let most = SUMMARY_CHARS.min(count(text) * 2 / 3);
    if let Some(line) = structured(memory, most) {
        return Cow::Owned(line);
    }
    let made = telling::summary(&sentences::of(text), most);
    Cow::Owned(if made.is_empty() { beginning(text, most) } else { made })
}

fn compressed(memory: &Memory) -> Cow<'_, str> {
    let text = memory.text.trim();
    let before = told(memory, Level::Summary);
    let room = COMPRESSED_CHARS.min(count(&before));
    let found = sentences::of(text);
    let turn = || turn_of(memory).and_then(|turn| turn.line(&subject(memory), room));
    let told = structured(memory, room)
        .or_else(|| listed::line(memory, room))
        .or_else(|| remedy::line(&found, room))
        .or_else(turn);
    match told {
        Some(made) => Cow::Owned(made),
        None if fits(text, SHORT_CHARS) => match found.as_slice() {
            [one] => Cow::Owned(clipped(&terse(one), room)),
            _ => Cow::Borrowed(text),
        },
        None if fits(text, room) => Cow::Borrowed(text),
        None => {
            let made = phrases(text, room);
            Cow::Owned(if made.is_empty() { beginning(text, room) } else { made })
        }
    }
}

/// The title, where there is one: people look for it. Otherwise the text in a few words.
fn index(memory: &Memory) -> Cow<'_, str> {
    if !memory.title.trim().is_empty() {
        let head = headline(memory);
        return if fits(&head, INDEX_CHARS) { head } else { Cow::Owned(clipped(&head, INDEX_CHARS)) };
    }
    let head = render::first_line(memory.headline());
    let before = told(memory, Level::Compressed);
    let room = INDEX_CHARS.min(count(&before));
    if fits(head, room) {
        return Cow::Borrowed(head);
    }
    if fits(&before, room) {
        return Cow::Owned(one_line(&before));
    }
    let turn = || turn_of(memory).and_then(|turn| turn.line("", room));
    let made = structured(memory, room).or_else(turn).unwrap_or_else(|| {
        let lead = sentences::of(head).first().map_or_else(String::new, |lead| terse(lead));
        clipped(&lead, room)
    });
    Cow::Owned(if made.is_empty() { beginning(head, room) } else { made })
}

/// The line a memory is known by. A title of one word names something and does not tell what: the text goes on.
fn headline(memory: &Memory) -> Cow<'_, str> {
    let head = render::first_line(memory.headline());
    let is_named = !memory.title.trim().is_empty() && !head.contains(char::is_whitespace);
    let told = memory.text.trim_start();
    let told = told.strip_prefix(head).unwrap_or(told).trim_start_matches([':', '\n', ' ']);
    if !is_named || told.is_empty() {
        return Cow::Borrowed(head);
    }
    Cow::Owned(format!("{head}: {}", one_line(&told[..told.floor_char_boundary(8 * INDEX_CHARS)])))
}

/// The form of a body with parts, if the text says no more than the parts.
fn structured(memory: &Memory, most: usize) -> Option<String> {
    let derived = !matches!(memory.body, Body::None | Body::Fact(_)) && memory.text == render::text_of(&memory.body);
    if derived { bodies::line(memory, most) } else { None }
}

/// The change a text tells of: in its title or among the first things it says.
fn turn_of(memory: &Memory) -> Option<Turn> {
    const FIRST: usize = 4;
    sentences::of(&memory.text).into_iter().take(FIRST).find_map(Turn::of)
}

/// What a change is about, where its sentence does not say: a short title.
fn subject(memory: &Memory) -> String {
    let title = one_line(&memory.title);
    if fits(&title, 32) { title } else { String::new() }
}

/// The most telling sentences in few words, one after the other, as many as fit.
fn phrases(text: &str, most: usize) -> String {
    let found = sentences::of(text);
    let mut taken: Vec<(usize, String)> = Vec::new();
    let mut room = most;
    for one in telling::rank(&found) {
        let line = terse(one.sentence);
        let between = if taken.is_empty() { 0 } else { 2 };
        let chars = count(&line);
        if chars + between <= room {
            room -= chars + between;
            taken.push((one.at, line));
        } else if taken.is_empty() {
            return clipped(&line, most);
        }
    }
    taken.sort();
    taken.into_iter().map(|(_, line)| line).collect::<Vec<_>>().join("; ")
}

fn beginning(text: &str, most: usize) -> String {
    let head = &text[..text.floor_char_boundary(8 * most + 8)];
    clipped(&one_line(head), most)
}

fn fits(text: &str, most: usize) -> bool {
    text.char_indices().nth(most).is_none()
}

#[cfg(test)]
mod tests;
