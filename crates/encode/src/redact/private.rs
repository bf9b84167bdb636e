//! `<private>…</private>`: what somebody marked as nobody's business. Must not look at what stands inside.

use std::ops::Range;

pub(super) const REPLACEMENT: &str = "[private]";
const OPEN: &str = "<private";
const CLOSE: &str = "</private";
/// Attributes longer than this are no attributes.
const LONGEST_TAG: usize = 512;

/// The blocks of a text, outermost only, in order. `tags` are the places where `<private` or `</private` stands.
/// A block that is never closed hides all that follows.
pub(super) fn blocks(text: &str, tags: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for at in tags {
        let Some(tag) = Tag::read(text, at) else { continue };
        match tag.kind {
            Kind::Empty if depth == 0 => blocks.push(at..tag.end),
            Kind::Open => {
                start = if depth == 0 { at } else { start };
                depth += 1;
            }
            Kind::Close if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    blocks.push(start..tag.end);
                }
            }
            Kind::Empty | Kind::Close => {}
        }
    }
    if depth > 0 {
        blocks.push(start..text.len());
    }
    blocks
}

struct Tag {
    kind: Kind,
    end: usize,
}

enum Kind {
    Open,
    Close,
    Empty,
}

impl Tag {
    fn read(text: &str, at: usize) -> Option<Tag> {
        if is_type_parameter(text, at) {
            return None;
        }
        let rest = &text.as_bytes()[at..];
        let closes = rest.get(1) == Some(&b'/');
        let name = if closes { CLOSE.len() } else { OPEN.len() };
        let length = rest.iter().take(LONGEST_TAG).position(|byte| *byte == b'>')?;
        // `<privateKey>` and `<private-notes>` are other elements.
        if !rest.get(name).is_some_and(|byte| matches!(byte, b'>' | b'/') || byte.is_ascii_whitespace()) {
            return None;
        }
        let kind = match (closes, rest[length - 1]) {
            (true, _) => Kind::Close,
            (false, b'/') => Kind::Empty,
            (false, _) => Kind::Open,
        };
        Some(Tag { kind, end: at + length + 1 })
    }
}

/// `Key<Private>` is code.
fn is_type_parameter(text: &str, at: usize) -> bool {
    let glued = text[..at].bytes().last().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    glued && text[at..].starts_with("<Private")
}
