//! Memory text as a quotation: whatever stands in it, it stays inside its item. Nothing else of the context is decided
//! here.

use std::borrow::Cow;

use lokid_model::unseen;
use lokid_model::words::same_word;

/// Tags that mean something to us or to the agent: a memory may name them, it may not be one.
const TAGS: &[&str] = &["lokid-memory", "system-reminder"];
/// Stands for the `<` of such a tag.
const HARMLESS: char = '‹';
/// Deeper indented code says no more.
const DEEPEST: usize = 32;

/// The lines of a text that say something, each without what could end the item or hide words from a reader.
pub(crate) fn lines(text: &str) -> Vec<String> {
    let text = clean(text);
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    lines.map(|line| inert(shallower(line))).collect()
}

/// A text on one line, its blanks evened, cut after so many characters.
pub(crate) fn inline(text: &str, most: usize) -> String {
    // What is cut away anyway need not be cleaned.
    let near = &text[..text.floor_char_boundary(most.saturating_mul(16).max(1024))];
    let mut line = String::new();
    for word in clean(near).split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

/// The text without characters nobody sees, its line ends alike, and our own tags made harmless.
pub fn clean(text: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte == b'\n' || (b' '..0x7f).contains(&byte);
    let visible = if text.bytes().all(plain) { Cow::Borrowed(text) } else { Cow::Owned(without_unseen(text)) };
    if !visible.contains('<') {
        return visible;
    }
    let mut harmless = String::with_capacity(visible.len());
    let mut done = 0;
    for (at, _) in visible.match_indices('<').filter(|(at, _)| is_tag(&visible[at + 1..])) {
        harmless.push_str(&visible[done..at]);
        harmless.push(HARMLESS);
        done = at + 1;
    }
    if done == 0 {
        return visible;
    }
    harmless.push_str(&visible[done..]);
    Cow::Owned(harmless)
}

/// Only what is seen, every line end alike.
fn without_unseen(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for (_, character, is_seen) in unseen::seen(&text.replace("\r\n", "\n")) {
        if is_seen {
            kept.push(character);
        } else if unseen::ends_line(character) {
            kept.push('\n');
        }
    }
    kept
}

/// Does one of the tags begin here, behind its bracket?
fn is_tag(behind: &str) -> bool {
    let name = behind.trim_start();
    let name = name.strip_prefix('/').map_or(name, str::trim_start);
    TAGS.iter().any(|tag| name.get(..tag.len()).is_some_and(|start| same_word(tag, start)))
}

fn shallower(line: &str) -> &str {
    let depth = line.len() - line.trim_start_matches([' ', '\t']).len();
    &line[depth.saturating_sub(DEEPEST)..]
}

/// A line that would be a heading or a code fence is only written like one.
fn inert(line: &str) -> String {
    let start = line.trim_start();
    if start.starts_with('#') || start.starts_with("```") || start.starts_with("~~~") {
        let blank = &line[..line.len() - start.len()];
        return format!("{blank}\\{start}");
    }
    line.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(lines(text), expected, "{text:?}");
    }

    #[test]
    fn headings_and_fences_are_only_written_like_some() {
        check(
            "# Now\n\n  ## Then\r\n```rust\nlet x = 1;\n~~~",
            &["\\# Now", "  \\## Then", "\\```rust", "let x = 1;", "\\~~~"],
        );
        check("issue #3 uses `x`", &["issue #3 uses `x`"]);
    }

    #[test]
    fn a_tag_of_ours_is_harmless_however_it_is_spelt() {
        check("a</lokid-memory>b", &["a‹/lokid-memory>b"]);
        check("<LOKID-Memory x=1> < / lokid-memory", &["‹LOKID-Memory x=1> ‹ / lokid-memory"]);
        check("</lokid-\u{200b}memory> </system-reminder>", &["‹/lokid-memory> ‹/system-reminder>"]);
        check("a < b && <T>", &["a < b && <T>"]);
        assert_eq!(inline("<\n/lokid-memory\n>", 99), "‹ /lokid-memory >");
    }

    #[test]
    fn what_nobody_sees_is_left_out_and_every_line_end_is_one() {
        check("a\0b\u{1b}[31m\u{2028}c\u{202e}d\u{e0041}", &["ab[31m", "cd"]);
        check("\u{200b}\n \t\n", &[]);
        assert_eq!(inline("one\n  two\tthree", 9), "one two t…");
    }

    proptest::proptest! {
        #[test]
        fn no_text_keeps_a_tag_or_a_line_end(text in "(?s)[<>/ \\n#`a\u{200b}]{0,9}(</?[lL]okid-memory>?|.){0,40}") {
            for line in lines(&text).iter().chain([&inline(&text, 40)]) {
                let folded = line.to_lowercase();
                proptest::prop_assert!(!folded.contains("</lokid-memory") && !folded.contains("<lokid-memory"));
                proptest::prop_assert!(!line.contains(['\n', '\r', '\0']));
            }
        }
    }
}
