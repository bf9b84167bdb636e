//! Text as a reader sees it: full-width letters as plain ones, and without characters that have no width. Secrets are
//! looked for in that, and cut from what was written. Must not know any rule.

use std::borrow::Cow;

/// A text without disguise.
pub(super) struct Folded<'a> {
    pub(super) text: Cow<'a, str>,
    /// Every character that was changed or left out, in order.
    changes: Vec<Change>,
}

struct Change {
    /// Its place in the folded text, empty if it was left out.
    start: usize,
    end: usize,
    /// Where it ends in the written text.
    written: usize,
}

impl<'a> Folded<'a> {
    /// Borrows the text if it has no disguise, as nearly all have.
    pub(super) fn of(text: &'a str) -> Folded<'a> {
        let mut changes = Vec::new();
        if text.is_ascii() || text.chars().all(|written| plain(written) == Some(written)) {
            return Folded { text: Cow::Borrowed(text), changes };
        }
        let mut folded = String::with_capacity(text.len());
        for (at, written) in text.char_indices() {
            let (start, seen) = (folded.len(), plain(written));
            folded.extend(seen);
            if seen != Some(written) {
                changes.push(Change { start, end: folded.len(), written: at + written.len_utf8() });
            }
        }
        Folded { text: Cow::Owned(folded), changes }
    }

    /// Where a stretch of the folded text stands in the written one, without what is invisible at its edges.
    pub(super) fn written(&self, start: usize, end: usize) -> (usize, usize) {
        let place = |behind: usize, at: usize| match behind.checked_sub(1).map(|last| &self.changes[last]) {
            Some(change) => change.written + (at - change.end),
            None => at,
        };
        let first = self.changes.partition_point(|change| change.end <= start);
        let last = self.changes.partition_point(|change| change.end < end || change.end == end && change.start < end);
        (place(first, start), place(last.max(first), end))
    }
}

/// What a reader sees of a character; nothing, if it has no width.
fn plain(written: char) -> Option<char> {
    match written {
        '\u{ad}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2060}'..='\u{2064}'
        | '\u{feff}'
        | '\u{180e}'
        | '\u{e0000}'..='\u{e007f}' => None,
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(written) - 0xfee0),
        '\u{3000}' | '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' => Some(' '),
        other => Some(other),
    }
}
