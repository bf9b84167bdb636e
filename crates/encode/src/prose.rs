//! Small tools for running text: inline markup away, sentences apart, lengths kept. One pass each, whatever the text; it
//! must not know which document the text comes from.

pub(super) use lokid_model::words::head;

const TAGS: &str = "\
    a b i p br img div span em strong code kbd sub sup details summary center table tr td th thead tbody ul ol \
    li picture source hr blockquote pre font h1 h2 h3 h4 h5 h6 u small section dl dt dd video";
/// How far the other end of a link or a tag is looked for.
const FAR: usize = 600;

/// As many whole sentences as fit in `most` characters, or whole words, and an ellipsis where something is left out.
pub(super) fn cut(text: &str, most: usize) -> String {
    let text = text.trim();
    let Some((limit, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let head = &text[..limit];
    let mut ends =
        head.match_indices(['.', '!', '?']).filter(|(at, _)| text[at + 1..].starts_with(char::is_whitespace));
    if let Some((at, _)) =
        ends.rfind(|(at, _)| head[at + 1..].chars().nth(1).is_some()).filter(|(at, _)| at * 2 >= limit)
    {
        return format!("{} …", &head[..=at]);
    }
    let room = head.char_indices().nth_back(0).map_or(0, |(at, _)| at);
    let end = head[..room].rfind(char::is_whitespace).filter(|at| at * 2 > limit).unwrap_or(room);
    format!("{}…", head[..end].trim_end())
}

/// One line, single blanks.
pub(super) fn collapse(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// Running text without links' addresses, images, emphasis and tags. What stands in backticks stays as it is.
pub(super) fn plain(text: &str) -> String {
    let text = without_images(text);
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let step = match bytes[at] {
            b'`' => code_span(rest, &mut out),
            b'[' => link(rest, &mut out),
            b'<' => tag(rest, &mut out),
            b'\\' if bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation) => {
                out.push(char::from(bytes[at + 1]));
                Some(2)
            }
            b'*' | b'_' | b'~' => emphasis(&text, at),
            b'&' => entity(rest, &mut out),
            b':' => role(rest),
            _ => None,
        };
        match step {
            Some(step) => at += step,
            None => {
                let character = rest.chars().next().unwrap_or(' ');
                out.push(character);
                at += character.len_utf8();
            }
        }
    }
    collapse(&out)
}

fn without_images(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("![") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match target_of_link(&rest[1..]) {
            Some((_, _, length)) => rest = &rest[1 + length..],
            None => {
                out.push_str("![");
                rest = &rest[2..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Of `[words](address)` or `[words][name]`: the words, the address or name, and the length of the whole.
pub(super) fn target_of_link(text: &str) -> Option<(&str, &str, usize)> {
    let window = head(text, FAR);
    let close = window.strip_prefix('[')?.find(']')? + 1;
    let after = &window[close + 1..];
    let end = match after.as_bytes().first()? {
        b'(' => after.find(')')?,
        b'[' => after.find(']')?,
        _ => return None,
    };
    Some((&window[1..close], &after[1..end], close + 1 + end + 1))
}

fn link(rest: &str, out: &mut String) -> Option<usize> {
    let (words, _, length) = target_of_link(rest)?;
    out.push_str(words.trim_matches(['*', '_']));
    Some(length)
}

/// Markdown's code in one or more backticks; a reStructuredText link `` `words <address>`_ `` gives its words.
fn code_span(rest: &str, out: &mut String) -> Option<usize> {
    let ticks = rest.bytes().take_while(|byte| *byte == b'`').count();
    let window = head(&rest[ticks..], FAR);
    let fence = &rest[..ticks.min(8)];
    let end = window.find(fence)?;
    let inside = window[..end].trim();
    let after = &rest[ticks + end + fence.len()..];
    let underscores = after.bytes().take_while(|byte| *byte == b'_').count().min(2);
    let words = inside.split_once(" <").filter(|_| underscores > 0).map(|(words, _)| words);
    match words {
        Some(words) => out.push_str(words),
        None if underscores > 0 => out.push_str(inside),
        None if inside.is_empty() => {}
        None => {
            out.push('`');
            out.push_str(inside);
            out.push('`');
        }
    }
    Some(ticks + end + fence.len() + underscores)
}

fn tag(rest: &str, out: &mut String) -> Option<usize> {
    let window = head(rest, FAR);
    let close = window.find('>')?;
    let inside = &window[1..close];
    if inside.starts_with("http://") || inside.starts_with("https://") {
        out.push_str(inside);
        return Some(close + 1);
    }
    let name = inside.trim_start_matches('/');
    let name = &name[..name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len())];
    if !TAGS.split(' ').any(|known| known.eq_ignore_ascii_case(name)) {
        return None;
    }
    out.push(' ');
    Some(close + 1)
}

/// A run of `*`, `_` or `~` is emphasis where it touches a word on one side only; `snake_case` and `a * b` are not.
fn emphasis(text: &str, at: usize) -> Option<usize> {
    let mark = text.as_bytes()[at];
    let run = text.as_bytes()[at..].iter().take_while(|byte| **byte == mark).count();
    if mark == b'~' && run < 2 {
        return None;
    }
    let word = |c: char| c.is_alphanumeric();
    let before =
        text[..at].chars().next_back().is_some_and(|c| if mark == b'_' { word(c) } else { !c.is_whitespace() });
    let after =
        text[at + run..].chars().next().is_some_and(|c| if mark == b'_' { word(c) } else { !c.is_whitespace() });
    let part_of_a_word = mark == b'_' && before && after;
    ((before || after || run > 1) && !part_of_a_word && run <= 3).then_some(run)
}

fn entity(rest: &str, out: &mut String) -> Option<usize> {
    let known = [("&nbsp;", ' '), ("&amp;", '&'), ("&lt;", '<'), ("&gt;", '>'), ("&quot;", '"'), ("&#39;", '\'')];
    let (name, character) = known.iter().find(|(name, _)| rest.starts_with(name))?;
    out.push(*character);
    Some(name.len())
}

/// `:role:` before a backtick, as reStructuredText has it.
fn role(rest: &str) -> Option<usize> {
    let window = head(rest, 40);
    let close = window[1..].find(':')? + 1;
    let name = &window[1..close];
    let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    (plain && window[close + 1..].starts_with('`')).then_some(close + 1)
}

/// The sentences of plain text. `e.g.` ends none, nor does a full stop inside backticks.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut in_code = false;
    for (at, character) in text.char_indices() {
        match character {
            '`' => in_code = !in_code,
            '.' | '!' | '?' if !in_code => {
                let after = &text[at + 1..];
                let next = after.trim_start().chars().next();
                let begins = next.is_none_or(|c| c.is_uppercase() || !c.is_alphanumeric());
                let ends = after.is_empty() || after.starts_with(char::is_whitespace);
                if ends && begins && !is_short_form(&text[start..at]) {
                    found.push(text[start..=at].trim());
                    start = at + 1;
                }
            }
            _ => {}
        }
    }
    found.push(text[start..].trim());
    found.retain(|sentence| !sentence.is_empty());
    found
}

fn is_short_form(before: &str) -> bool {
    let word = before.rsplit(char::is_whitespace).next().unwrap_or(before).trim_start_matches('(');
    let short = ["e.g", "i.e", "etc", "vs", "cf", "approx", "resp", "incl"];
    word.chars().count() == 1 || short.iter().any(|form| form.eq_ignore_ascii_case(word))
}

/// Lower-case words without punctuation: what stays the same when only the layout of a text changes.
pub(super) fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().flat_map(char::to_lowercase));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_goes_and_words_stay() {
        let check = |text: &str, expect: &str| assert_eq!(plain(text), expect, "{text}");
        check("Use **`just fmt`** and [the guide](https://x.y/z).", "Use `just fmt` and the guide.");
        check("[![build](https://a/b.svg)](https://c) *Fast* search", "Fast search");
        check("a * b and snake_case_name, __bold__ too", "a * b and snake_case_name, bold too");
        check("``__version__`` is gone. :pr:`5648`", "`__version__` is gone. `5648`");
        check("See the `docs <https://d>`_ for `more <m_>`_", "See the docs for more");
        check("<p align=\"center\">Hello<br/>you</p> Vec<T>", "Hello you Vec<T>");
        check("[open [x]", "[open [x]");
    }

    #[test]
    fn sentences_end_where_a_reader_would_say_so() {
        let text = "Use tabs, e.g. here. Run `cargo test. Now`! Never push v1.2 files. done";
        assert_eq!(sentences(text), ["Use tabs, e.g. here.", "Run `cargo test. Now`!", "Never push v1.2 files. done"]);
    }

    #[test]
    fn a_cut_text_is_never_longer_than_asked() {
        assert_eq!(cut("One sentence. Another one here.", 20), "One sentence. …");
        assert_eq!(cut("alpha beta gamma delta", 12), "alpha beta…");
        assert_eq!(cut("ééééééééééé", 5), "éééé…");
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_them_panic(text in "(?s)[a é.!`\\[\\]()<>*_~&:!\\\\\n/]{0,120}", most in 0usize..40) {
            let _ = (plain(&text), sentences(&text), fold(&text));
            proptest::prop_assert!(cut(&text, most).chars().count() <= most.max(1));
        }
    }
}
