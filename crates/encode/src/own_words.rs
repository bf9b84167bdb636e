//! Recognises what lokid itself has put into prompts, transcripts and CONTINUITY.md, so that it is never learnt again.
//! Must not take away what a person wrote: the marker, the citations and one heading are all that is ours.

use std::borrow::Cow;
use std::ops::Range;

pub use lokid_model::citation::{CLOSE, OPEN};

const SECTION: &str = "relevant memories (auto-retrieved)";
const REMINDER_OPEN: &str = "<system-reminder>";
const REMINDER_CLOSE: &str = "</system-reminder>";
/// Attributes longer than this are no attributes.
const LONGEST_TAG: usize = 512;
/// What closes over a gap may read as ours again; a few rounds settle it.
const MOST_ROUNDS: usize = 4;

/// The text without our own words. Borrows the text if there were none.
pub fn without_own_words(text: &str) -> Cow<'_, str> {
    let mut clean = Cow::Borrowed(text);
    for _ in 0..MOST_ROUNDS {
        let own = own_words(&clean);
        if own.is_empty() {
            break;
        }
        let mut kept = String::with_capacity(clean.len());
        let mut done = 0;
        for range in own {
            kept.push_str(clean.get(done..range.start).unwrap_or_default());
            done = done.max(range.end);
        }
        kept.push_str(&clean[done..]);
        clean = Cow::Owned(kept);
    }
    clean
}

/// Where our words stand, in order; they may overlap.
fn own_words(text: &str) -> Vec<Range<usize>> {
    let mut own = marked(text);
    if !own.is_empty() {
        own = with_reminders(text, own);
    }
    own.extend(cited_lines(text));
    own.sort_by_key(|range| (range.start, range.end));
    own
}

/// The marked blocks. One that is never closed ends where the next begins, at the next heading behind an empty line,
/// or with the text.
fn marked(text: &str) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let opens: Vec<Range<usize>> = text.match_indices(name(OPEN)).filter_map(|(at, _)| tag(text, at, OPEN)).collect();
    let mut closes = text.match_indices(name(CLOSE)).filter_map(|(at, _)| tag(text, at, CLOSE)).peekable();
    for (place, open) in opens.iter().enumerate() {
        let next = opens.get(place + 1).map_or(text.len(), |open| open.start);
        // A lone end tag is ours as well.
        while let Some(close) = closes.next_if(|close| close.start < open.start) {
            blocks.push(close);
        }
        let end = match closes.next_if(|close| close.start < next) {
            Some(close) => close.end,
            None => heading_apart(&text[..next], open.end).unwrap_or(next),
        };
        blocks.push(open.start..end);
    }
    blocks.extend(closes);
    blocks
}

/// The tag without its bracket.
fn name(tag: &'static str) -> &'static str {
    &tag[..tag.len() - 1]
}

fn tag(text: &str, at: usize, whole: &'static str) -> Option<Range<usize>> {
    let behind = at + name(whole).len();
    let length = text.as_bytes()[behind..].iter().take(LONGEST_TAG).position(|byte| matches!(byte, b'<' | b'>'))?;
    let closed = text.as_bytes()[behind + length] == b'>';
    let named = closed && (length == 0 || text.as_bytes()[behind].is_ascii_whitespace());
    named.then_some(at..behind + length + 1)
}

fn heading_apart(text: &str, from: usize) -> Option<usize> {
    let mut blank = false;
    let mut at = from;
    for line in text[from..].split_inclusive('\n') {
        if blank && heading(line).is_some() {
            return Some(at);
        }
        // The rest of the line the tag stands on is no line of its own.
        blank = line.trim().is_empty() && at != from;
        at += line.len();
    }
    None
}

/// A reminder that holds our marker goes as a whole.
fn with_reminders(text: &str, blocks: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut reminders = Vec::new();
    let mut closes = text.match_indices(REMINDER_CLOSE).map(|(at, close)| at + close.len()).peekable();
    for (open, _) in text.match_indices(REMINDER_OPEN) {
        while closes.next_if(|close| *close <= open).is_some() {}
        reminders.push(open..closes.peek().copied().unwrap_or(text.len()));
    }
    let mut own = Vec::with_capacity(blocks.len());
    for block in blocks {
        let before = reminders.partition_point(|reminder| reminder.start <= block.start);
        let around = before.checked_sub(1).map(|at| reminders[at].clone());
        match around.filter(|reminder| reminder.end > block.start) {
            // An open end is not ours to guess: then what is marked goes, and the tag before it.
            Some(reminder) if !text[..reminder.end].ends_with(REMINDER_CLOSE) => own.push(reminder.start..block.end),
            Some(reminder) => own.push(reminder.start..reminder.end.max(block.end)),
            None => own.push(block),
        }
    }
    own
}

/// Lines that cite a memory, and the section other programs give our memories in.
fn cited_lines(text: &str) -> Vec<Range<usize>> {
    let mut own = Vec::new();
    let mut section: Option<usize> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        if let Some((level, title)) = heading(line) {
            section = match section {
                Some(outer) if level > outer => Some(outer),
                _ => title.eq_ignore_ascii_case(SECTION).then_some(level),
            };
        }
        if section.is_some() || cites(line) {
            own.push(range);
        }
    }
    own
}

/// The level and the title of a Markdown heading.
fn heading(line: &str) -> Option<(usize, &str)> {
    let line = line.trim();
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let title = line[level..].strip_prefix([' ', '\t'])?;
    (1..=6).contains(&level).then(|| (level, title.trim().trim_end_matches([':', '#']).trim_end()))
}

/// `- [M:1a2b3c4d] …`
fn cites(line: &str) -> bool {
    let line = line.trim_start();
    let Some(item) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")) else { return false };
    let id = ["[M:", "[G:", "[R:"].iter().find_map(|begin| item.trim_start().strip_prefix(begin));
    let Some((id, _)) = id.and_then(|rest| rest.split_once(']')) else { return false };
    // Crockford's alphabet, of which hexadecimal digits are a part.
    let in_alphabet = |byte: u8| byte.is_ascii_alphanumeric() && !b"ilouILOU".contains(&byte);
    id.len() == 8 && id.bytes().all(in_alphabet)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        assert_eq!(without_own_words(text), expect, "{text:?}");
        assert_eq!(without_own_words(expect), expect, "twice: {text:?}");
    }

    #[test]
    fn a_text_without_our_words_is_borrowed() {
        let text = "## Notes\n- [x] done\n- [M: not an id]\n<lokid-memory-x> stays\n- M:1a2b3c4d\n";
        assert!(matches!(without_own_words(text), Cow::Borrowed(kept) if kept == text));
    }

    #[test]
    fn a_marked_block_goes_whatever_its_attributes() {
        check("before\n<lokid-memory>\n- x\n</lokid-memory>\nafter", "before\n\nafter");
        check("a <lokid-memory tokens=\"12\" v='1'>b</lokid-memory> c", "a  c");
        check("a</lokid-memory>b", "ab");
    }

    #[test]
    fn an_unclosed_block_ends_at_the_next_heading_behind_an_empty_line_or_with_the_text() {
        check("a\n<lokid-memory>\nb\n# not apart\nc\n\n## Next\nd\n", "a\n## Next\nd\n");
        check("a\n<lokid-memory>\nb\nc", "a\n");
        check("<lokid-memory>b\n\n# H\nmine\n<lokid-memory>x</lokid-memory>y", "# H\nmine\ny");
    }

    #[test]
    fn lines_that_cite_a_memory_go() {
        check("keep\n- [M:1a2b3c4d] use tabs\n  - [G:0ZXCVBNM] global\n- [R:deadbeef] r\nkeep too", "keep\nkeep too");
        for text in ["Applied: [M:1a2b3c4d]", "- [M:1a2b3c4] short", "- [M:1a2b3cil] letters", "- [X:1a2b3c4d] other"] {
            check(text, text);
        }
    }

    #[test]
    fn the_section_of_retrieved_memories_goes_up_to_the_next_heading_of_its_level() {
        check(
            "# C\n## Relevant Memories (Auto-Retrieved)\n- sem-1\n### Deeper\nx\n## Next Up\n- y\n",
            "# C\n## Next Up\n- y\n",
        );
        check("### relevant memories (auto-retrieved):\nx\n# Top\ny", "# Top\ny");
        check("## Relevant Memories (Auto-Retrieved)\nto the end", "");
    }

    #[test]
    fn a_reminder_that_holds_our_marker_goes_as_a_whole() {
        check("a<system-reminder>\nhi <lokid-memory>m</lokid-memory> ho</system-reminder>b", "ab");
        let other = "<system-reminder>not ours</system-reminder>";
        check(&format!("{other} a <lokid-memory>m</lokid-memory>b"), &format!("{other} a b"));
        check("a<system-reminder><lokid-memory>m</lokid-memory>b", "ab");
    }

    #[test]
    fn large_texts_complete() {
        for piece in
            ["<lokid-memory>\n\n# x\n", "<lokid-memory ", "<system-reminder><lokid-memory>", "- [M:1a2b3c4d]\n"]
        {
            let text = piece.repeat((1 << 20) / piece.len());
            assert!(without_own_words(&text).len() <= text.len());
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(parts in proptest::collection::vec(proptest::sample::select(vec![
            OPEN, CLOSE, "<lokid-memory a=1>", "<system-reminder>", "</system-reminder>", "\n", "\n\n", "# h\n", "é", "x",
            "## Relevant Memories (Auto-Retrieved)\n", "- [M:1a2b3c4d] ", "<lokid-memory",
        ]), 0..24)) {
            let text = parts.concat();
            proptest::prop_assert!(without_own_words(&text).len() <= text.len());
        }

        #[test]
        fn any_characters_are_survived(text in "(?s).{0,200}") {
            proptest::prop_assert!(without_own_words(&text).len() <= text.len());
        }
    }
}
