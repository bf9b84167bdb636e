//! A value as it is written: in quotes of any kind, bare, below its name, or in a block. Finds where it begins and ends;
//! where to look is said by [`super::assign`].

use super::chars::{self, run, skip_blank, window};
use super::value::Style;

/// Values are read this far before they are judged; one that is a secret is then followed to its end.
pub(super) const LONGEST_VALUE: usize = 384;

#[derive(Clone, Copy)]
pub(super) enum Quote {
    Plain(u8),
    /// `\"`, a quote inside a string.
    Escaped(u8),
}

impl Quote {
    pub(super) fn length(self) -> usize {
        if matches!(self, Quote::Plain(_)) { 1 } else { 2 }
    }
}

pub(super) fn quote_at(bytes: &[u8], at: usize) -> Option<Quote> {
    match bytes.get(at..)? {
        [quote @ (b'"' | b'\'' | b'`'), ..] => Some(Quote::Plain(*quote)),
        [b'\\', quote @ (b'"' | b'\''), ..] => Some(Quote::Escaped(*quote)),
        _ => None,
    }
}

pub(super) struct Literal {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) style: Style,
    /// Longer than is read at once.
    pub(super) cut: bool,
    /// It stands on a line of its own, which begins here.
    pub(super) below: Option<usize>,
}

impl Literal {
    pub(super) fn at(text: &str, at: usize, name_start: usize, style: Style) -> Option<Literal> {
        let bytes = text.as_bytes();
        let mut at = skip_blank(bytes, at);
        if let Some(line) = line_below(text, at) {
            let value = skip_blank(bytes, line);
            return Literal::bare(text, value, Style::Bare, name_start)
                .map(|found| Literal { below: Some(line), ..found });
        }
        // The letters before a string (`b"…"`, `r"…"`, `@"…"`), and what makes one (`String::from("…")`).
        let wrapped = wrapper(text, at);
        at = wrapped.unwrap_or(at);
        if matches!(bytes.get(at), Some(b'b' | b'r' | b'f' | b'u' | b'@' | b'L' | b'$'))
            && quote_at(bytes, at + 1).is_some()
        {
            at += 1;
        }
        at = skip_tags(text, at);
        while matches!(bytes.get(at..at + 2), Some(b"**" | b"__")) {
            at = skip_blank(bytes, at + 2);
        }
        if matches!(bytes.get(at..at + 3), Some(b"\"\"\"" | b"\'\'\'" | b"```")) {
            at += 2;
        }
        if let Some(mark) = text[at..].chars().next().filter(|mark| matches!(mark, '“' | '„' | '«' | '‘')) {
            at += mark.len_utf8();
        }
        let entity = ["&quot;", "&#34;", "&#39;"].iter().find(|entity| text[at..].starts_with(**entity));
        if let Some(entity) = entity {
            let start = at + entity.len();
            let end = start + window(text, start, LONGEST_VALUE).find(*entity)?;
            return Some(Literal { start, end, style: Style::Quoted, cut: false, below: None });
        }
        match quote_at(bytes, at) {
            Some(quote) => Literal::quoted(text, at + quote.length(), quote),
            None => Literal::bare(text, at, style, name_start),
        }
    }

    fn quoted(text: &str, start: usize, quote: Quote) -> Option<Literal> {
        let bytes = text.as_bytes();
        let limit = bytes.len().min(start + LONGEST_VALUE);
        let mut end = start;
        while end < limit {
            match (bytes[end], quote) {
                (b'\n', _) => break,
                (b'\\', Quote::Escaped(mark)) if bytes.get(end + 1) == Some(&mark) => break,
                (byte, Quote::Escaped(mark)) if byte == mark => break,
                (b'\\', _) => end += 2,
                (byte, Quote::Plain(mark)) if byte == mark => break,
                _ => end += 1,
            }
        }
        let cut = end >= limit && end < bytes.len();
        let end = chars::floor_boundary(text, end.min(bytes.len()));
        (end > start).then_some(Literal { start, end, style: Style::Quoted, cut, below: None })
    }

    fn bare(text: &str, start: usize, style: Style, name_start: usize) -> Option<Literal> {
        let rest = window(text, start, LONGEST_VALUE);
        let length = rest.char_indices().find(|(at, c)| ends_bare(rest, *at, *c)).map_or(rest.len(), |(at, _)| at);
        let mut value = &rest[..length];
        let xml = name_start > 0 && text.as_bytes()[name_start - 1] == b'<';
        value = if xml { value.split('<').next().unwrap_or_default() } else { value };
        value = value.trim_end_matches(['.', ',', ';', ':', '*']);
        for (open, close) in [('(', ')'), ('[', ']'), ('{', '}')] {
            value = if value.contains(open) { value } else { value.trim_end_matches(close) };
        }
        value = value.trim_end_matches(['.', ',', ';']);
        let cut = length == rest.len() && start + length < text.len();
        (!value.is_empty()).then_some(Literal { start, end: start + value.len(), style, cut, below: None })
    }
}

fn ends_bare(rest: &str, at: usize, character: char) -> bool {
    match character {
        '"' | '\'' | '`' | '<' | '>' | '\\' => true,
        // A list goes on with another name, or ends; a password may hold these too.
        ',' | ';' | '&' => {
            let next = &rest[at + 1..];
            let word = next.bytes().take(40).take_while(|byte| chars::is_word(*byte) || *byte == b' ').count();
            next.is_empty() || next.starts_with(char::is_whitespace) || next[word..].starts_with(['=', ':'])
        }
        c => {
            c.is_whitespace()
                || c.is_control()
                || matches!(c, '“' | '”' | '„' | '«' | '»' | '‘' | '’' | '、' | '。' | '，')
        }
    }
}

/// Behind `String::from(`, `Some(`, `SecretString::new(`: these hold the value itself, while `getenv(` does not.
fn wrapper(text: &str, at: usize) -> Option<usize> {
    const HOLD: &[&str] =
        &["String::from", "Some", "Ok", "str", "bytes", "new String", "String", "Buffer.from", "Secret", "some"];
    let rest = window(text, at, 48);
    let open = rest.find('(')?;
    let call = &rest[..open];
    let holds = HOLD.contains(&call) || call.contains("Secret") || call.contains("Secure");
    let at = at + open + 1;
    (holds && quote_at(text.as_bytes(), at).is_some()).then_some(at)
}

/// The line that holds the value alone, if the one with the name ends at `at`, or with the mark of a YAML block.
fn line_below(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mark = run(bytes, at, 3, |byte| matches!(byte, b'|' | b'>' | b'+' | b'-' | b'0'..=b'9'));
    let line = match bytes.get(at + mark..)? {
        [b'\n', ..] => at + mark + 1,
        [b'\r', b'\n', ..] => at + mark + 2,
        _ => return None,
    };
    let indent = run(bytes, line, 64, |byte| matches!(byte, b' ' | b'\t'));
    let value = window(text, line + indent, LONGEST_VALUE).lines().next().unwrap_or_default().trim_end();
    let alone = !value.contains(char::is_whitespace) && !value.ends_with([':', ',', '{', '(', '[', ';']);
    (indent > 0 && alone && !value.starts_with(['-', '<', '#', '}', ']', ')', '"', '\''])).then_some(line)
}

/// Where a block ends: at the first line that is set in less than `line`, or holds more than a word.
pub(super) fn block_end(text: &str, line: usize, mut end: usize) -> usize {
    const MOST_LINES: usize = 64;
    let indent = run(text.as_bytes(), line, 64, |byte| matches!(byte, b' ' | b'\t'));
    for _ in 0..MOST_LINES {
        let next = match text.as_bytes().get(end..) {
            Some([b'\n', ..]) => end + 1,
            Some([b'\r', b'\n', ..]) => end + 2,
            _ => break,
        };
        let more = window(text, next, LONGEST_VALUE).lines().next().unwrap_or_default().trim_end();
        let (Some(blank), Some(word)) = (more.get(..indent), more.get(indent..)) else { break };
        if !blank.trim().is_empty() || word.is_empty() || word.contains([' ', ':', '<']) {
            break;
        }
        end = next + more.len();
    }
    end
}

/// A value longer than was read goes on until something ends it, so that no half of it stays.
pub(super) fn rest_of_run(text: &str, from: usize) -> usize {
    let ends = |c: char| c.is_whitespace() || c.is_control() || "\"'`<>".contains(c);
    text[from..].find(ends).map_or(text.len(), |length| from + length)
}

/// Behind the tags that set a name apart from its value.
pub(super) fn skip_tags(text: &str, mut at: usize) -> usize {
    const TAGS: &[&str] = &[
        "</b>",
        "</strong>",
        "</em>",
        "</th>",
        "</td>",
        "<td>",
        "</dt>",
        "<dd>",
        "</span>",
        "<code>",
        "</label>",
        "<br>",
    ];
    while let Some(tag) = TAGS.iter().find(|tag| text[at..].starts_with(**tag)) {
        at = skip_blank(text.as_bytes(), at + tag.len());
    }
    at
}
