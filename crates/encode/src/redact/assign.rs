//! Names and what is assigned to them: `password = "…"`, `API_KEY=…`, `"clientSecret": "…"`, `--token …`, YAML, XML,
//! `login … password …`, "the password is …". Finds the value; whether it is one, [`super::value`] says.

use super::chars::{self, colour_end, run, run_before, skip_blank, window};
use super::keys::{self, Grade, Promise};
use super::value::{self, Style};
use super::{Rank, Span};

const LONGEST_NAME: usize = 64;
/// Values are read this far before they are judged; one that is a secret is then followed to its end.
const LONGEST_VALUE: usize = 384;

/// The value of the name around `start..end`, where a keyword stands.
pub(super) fn read(text: &str, start: usize, end: usize) -> Option<Span<'static>> {
    let name = Name::around(text, start, end)?;
    let promise = keys::promise(&text[name.start..name.end])?;
    assigned(text, &name, promise).or_else(|| said(text, &name, promise))
}

fn assigned(text: &str, name: &Name, promise: Promise) -> Option<Span<'static>> {
    let place = behind(text, name, promise)?;
    let literal = Literal::at(text, place.at, name, place.style)?;
    let grade = place.grade;
    let value = &text[literal.start..literal.end];
    if !value::is_secret(value, grade, literal.style) {
        return None;
    }
    let end = if literal.cut { rest_of_run(text, literal.end) } else { literal.end };
    Some(Span::new(literal.start, end, promise.rule, Rank::Assigned))
}

/// "the token … expired", "login is admin/…": a few plain words behind the name stands something nobody would say.
fn said(text: &str, name: &Name, promise: Promise) -> Option<Span<'static>> {
    const WORDS: usize = 5;
    const REACH: usize = 160;
    let rest = window(text, name.end, REACH).lines().next().filter(|rest| rest.starts_with([' ', '\t']))?;
    let mut at = name.end;
    for word in rest.split_inclusive([' ', '\t']).take(WORDS + 1) {
        let bare = word.trim().trim_matches(['"', '\'', '`', ',', ';', '.', ':', '(', ')', '!', '?']);
        let value = match bare.rsplit_once('/') {
            Some((user, value)) if user.bytes().all(|byte| byte.is_ascii_lowercase()) => value,
            _ => bare,
        };
        if let Some(offset) = word.find(value).filter(|_| is_drawn(value)) {
            let start = at + offset;
            return Some(Span::new(start, start + value.len(), promise.rule, Rank::Assigned));
        }
        let is_plain = bare.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'/');
        if !is_plain {
            return None;
        }
        at += word.len();
    }
    None
}

/// Drawn by a machine: long, of all classes, and not made of words. In prose nothing else tells a secret.
fn is_drawn(value: &str) -> bool {
    let makeup = chars::Makeup::of(value);
    (12..=128).contains(&value.len())
        && value.bytes().all(|byte| byte.is_ascii_graphic() && !b"/\\()[]{}<>:;,|".contains(&byte))
        && makeup.upper > 0
        && makeup.lower > 0
        && makeup.digits > 1
        && chars::looks_random(value)
        && chars::share_of_words(value) < 50
        && !value::is_placeholder(value)
}

struct Name {
    start: usize,
    end: usize,
    /// Dashes stood before it: an option of a program.
    flag: bool,
    /// In capitals only, as variables of the environment are.
    capitals: bool,
}

impl Name {
    fn around(text: &str, start: usize, end: usize) -> Option<Name> {
        let bytes = text.as_bytes();
        let holds = |byte: u8| chars::is_word(byte) || byte == b'.';
        let before = run_before(bytes, start, LONGEST_NAME + 1, holds);
        let after = run(bytes, end, LONGEST_NAME + 1, holds);
        if before + after > LONGEST_NAME {
            return None;
        }
        let mut first = start - before;
        let mut last = end + after;
        // What belongs to an escape or a colour code is no part of the name.
        if let Some(cut) = (first..start).rev().find(|at| chars::ends_with_escape(&bytes[..*at])) {
            first = cut;
        }
        while last > end && matches!(bytes[last - 1], b'.' | b'-') {
            last -= 1;
        }
        // `https://x-access-token:…@host`: a user, whose password is looked for elsewhere.
        if bytes[..first].ends_with(b"://") {
            return None;
        }
        let dashes = run(bytes, first, start - first, |byte| byte == b'-');
        first += dashes;
        let name = &bytes[first..last];
        let capitals = !name.iter().any(u8::is_ascii_lowercase);
        Some(Name { start: first, end: last, flag: dashes > 0, capitals })
    }
}

/// Where a value begins, and how strictly it is to be judged there.
struct AssignmentPlace {
    at: usize,
    style: Style,
    grade: Grade,
}

/// Finds what connects the name with its value.
fn behind(text: &str, name: &Name, promise: Promise) -> Option<AssignmentPlace> {
    let bytes = text.as_bytes();
    let mut at = name.end;
    while let Some(end) = bytes.get(at).filter(|byte| **byte == 0x1b).and_then(|_| colour_end(bytes, at)) {
        at = end;
    }
    let quoted = quote_at(bytes, at);
    at += quoted.map_or(0, |quote| quote.length());
    while matches!(bytes.get(at), Some(b']' | b'*')) || (quoted.is_some() && bytes.get(at) == Some(&b')')) {
        at += 1;
    }
    let spaced = skip_blank(bytes, at);
    let place = |at, style| Some(AssignmentPlace { at, style, grade: promise.grade });
    let strict = |at| Some(AssignmentPlace { at, style: Style::Quoted, grade: strict(promise.grade) });
    let rest = &bytes[spaced..];
    match rest {
        [b':', b':', ..] | [b'=', b'~', ..] => None,
        [b':', b'=', ..] | [b'=', b'>', ..] | [b'?', b'=', ..] | [b'!', b'=', ..] | [b'-', b'>', ..] => {
            place(skip_equals(bytes, spaced + 2), Style::Bare)
        }
        [b'=', next, ..] => {
            let glued = spaced == at && !matches!(next, b' ' | b'\t' | b'=');
            let plain = glued && (name.capitals || name.flag || is_data_line(text, name)) || is_connection(text, name);
            place(skip_equals(bytes, spaced + 1), if plain { Style::Plain } else { Style::Bare })
        }
        [b':', ..] => {
            let typed = typed_value(text, spaced + 1);
            let style = if name.capitals && is_data_line(text, name) { Style::Plain } else { Style::Bare };
            place(typed.unwrap_or(spaced + 1), style)
        }
        [b'>', ..] if name.start > 0 && bytes[name.start - 1] == b'<' => {
            let inside = window(text, spaced + 1, LONGEST_VALUE);
            let closed = inside.find('<').is_some_and(|at| inside[at..].starts_with("</"));
            closed.then_some(AssignmentPlace { at: spaced + 1, style: Style::Plain, grade: promise.grade })
        }
        [b'(', ..] if quoted.is_none() && quote_at(bytes, spaced + 1).is_some() => {
            if text[name.start..name.end].ends_with("pass") { None } else { strict(spaced + 1) }
        }
        [b',', ..] if quoted.is_some() => {
            let at = skip_blank(bytes, spaced + 1);
            match named_value(text, at) {
                Some(at) => place(at, Style::Plain),
                None => quote_at(bytes, at).and_then(|_| strict(at)),
            }
        }
        _ => match named_value(text, at).or_else(|| declared_default(text, at, quoted.is_some())) {
            Some(at) => place(at, Style::Plain),
            None => apart(text, name, promise, at, spaced),
        },
    }
}

/// A value that is only set apart by a blank: options, `.netrc`, SQL, Dockerfiles, and speech.
fn apart(text: &str, name: &Name, promise: Promise, at: usize, spaced: usize) -> Option<AssignmentPlace> {
    let bytes = text.as_bytes();
    if spaced == at {
        return None;
    }
    let grade = promise.grade;
    let line = line_before(text, name.start);
    let word = |word: &str| line.split_ascii_whitespace().any(|other| other.eq_ignore_ascii_case(word));
    if name.flag {
        return Some(AssignmentPlace { at: spaced, style: Style::Plain, grade: strict(grade) });
    }
    if (word("login") && (word("machine") || word("default"))) || &text[name.start..name.end] == "requirepass" {
        return Some(AssignmentPlace { at: spaced, style: Style::Plain, grade });
    }
    let rest = window(text, spaced, 120).lines().next().unwrap_or_default().trim_end();
    let lone = line.trim().is_empty() && !rest.contains(' ');
    if word("login") || (lone && grade == Grade::Password) {
        return Some(AssignmentPlace { at: spaced, style: Style::Bare, grade });
    }
    if name.capitals && matches!(line.trim(), "ENV" | "ARG" | "set -gx" | "set -x" | "setenv") {
        return Some(AssignmentPlace { at: spaced, style: Style::Plain, grade });
    }
    let about_password = matches!(grade, Grade::Password | Grade::Phrase);
    if about_password && quote_at(bytes, spaced).is_some() {
        return Some(AssignmentPlace { at: spaced, style: Style::Quoted, grade: strict(grade) });
    }
    // "the password for the staging host is …"
    let phrase =
        if rest.starts_with("for ") { rest.find(" is ").filter(|at| *at < 40).map_or(0, |at| at + 1) } else { 0 };
    let spaced = spaced + phrase;
    let said = ["is ", "was ", "to ", "ist ", "lautet ", "by ", "= ", "is: ", "is now "];
    let after = said.iter().filter(|word| text[spaced..].starts_with(**word)).map(|word| word.len()).max()?;
    Some(AssignmentPlace { at: spaced + after, style: Style::Bare, grade })
}

/// In a call or a list the name may be a label: only what looks drawn, or has digits or marks in it, is a value there.
fn strict(grade: Grade) -> Grade {
    match grade {
        Grade::Secret => Grade::Token,
        Grade::Password => Grade::Listed,
        other => other,
    }
}

fn skip_equals(bytes: &[u8], at: usize) -> usize {
    at + run(bytes, at, usize::MAX, |byte| byte == b'=')
}

/// `password: &str = "…"`: the value stands behind the type.
fn typed_value(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_type = |byte: u8| byte.is_ascii_alphanumeric() || b" &_<>[]:'?|.*".contains(&byte);
    let equals = at + run(bytes, at, 48, is_type);
    let one = bytes.get(equals) == Some(&b'=') && bytes.get(equals + 1) != Some(&b'=');
    let has_type = text[at..equals].bytes().any(|byte| byte.is_ascii_alphabetic());
    (one && has_type && quote_at(bytes, skip_blank(bytes, equals + 1)).is_some()).then_some(equals + 1)
}

/// `name: DB_PASSWORD` and on the next line, or behind a comma, `value: …`; also `key="…" value="…"`.
fn named_value(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = at + run(bytes, at, 64, |byte| byte.is_ascii_whitespace());
    at += quote_at(bytes, at).map_or(0, |quote| quote.length());
    let word = text.get(at..at + 5).filter(|word| word.eq_ignore_ascii_case("value"))?;
    at += word.len();
    at += quote_at(bytes, at).map_or(0, |quote| quote.length());
    at = skip_blank(bytes, at);
    matches!(bytes.get(at), Some(b':' | b'=')).then_some(at + 1)
}

/// Terraform: `variable "db_password" { … default = "…" }`
fn declared_default(text: &str, at: usize, quoted: bool) -> Option<usize> {
    let at = skip_blank(text.as_bytes(), at);
    if !quoted || text.as_bytes().get(at) != Some(&b'{') {
        return None;
    }
    let inside = window(text, at, 320);
    let inside = &inside[..inside.find('}').unwrap_or(inside.len())];
    let word = inside.find("default")?;
    let equals = inside[word..].find('=')?;
    inside[word + "default".len()..word + equals].trim().is_empty().then_some(at + word + equals + 1)
}

fn line_before(text: &str, at: usize) -> &str {
    let from = (at.saturating_sub(160)..=at).find(|from| text.is_char_boundary(*from)).unwrap_or(at);
    let before = &text[from..at];
    before.rfind('\n').map_or(before, |newline| &before[newline + 1..])
}

/// Whether the line is nothing but `name=value`, as in property files.
fn is_data_line(text: &str, name: &Name) -> bool {
    let before = line_before(text, name.start);
    let first = before.rsplit("\\n").next().unwrap_or_default().trim();
    let alone = first.is_empty() || matches!(first, "export" | "set" | "-" | "- ") || first.ends_with(['?', '&']);
    let line = window(text, name.end, 200).lines().next().unwrap_or_default().trim_end();
    let line = line.strip_prefix(": ").unwrap_or(line);
    let dotted = text[name.start..name.end].contains('.');
    let digits = line.bytes().any(|byte| byte.is_ascii_digit());
    alone && (dotted || digits) && !line.contains(' ') && !line.ends_with([',', ';', ')', '{', '('])
}

/// `Server=…;Password=…;` and `host=… user=… password=…`
fn is_connection(text: &str, name: &Name) -> bool {
    let before = line_before(text, name.start).to_ascii_lowercase();
    let after = window(text, name.end, 120).to_ascii_lowercase();
    let after = after.lines().next().unwrap_or_default();
    let listed = |part: &str| before.contains(part) || after.contains(part);
    let keys = [
        "host=",
        "server=",
        "dbname=",
        "user id=",
        "uid=",
        "data source=",
        "database=",
        "user=",
        "username=",
        "accountname=",
    ];
    keys.iter().filter(|key| listed(key)).count() >= 1 && !before.ends_with('(') && !before.contains('(')
}

#[derive(Clone, Copy)]
enum Quote {
    Plain(u8),
    /// `\"`, a quote inside a string.
    Escaped(u8),
}

impl Quote {
    fn length(self) -> usize {
        if matches!(self, Quote::Plain(_)) { 1 } else { 2 }
    }
}

fn quote_at(bytes: &[u8], at: usize) -> Option<Quote> {
    match bytes.get(at..)? {
        [quote @ (b'"' | b'\'' | b'`'), ..] => Some(Quote::Plain(*quote)),
        [b'\\', quote @ (b'"' | b'\''), ..] => Some(Quote::Escaped(*quote)),
        _ => None,
    }
}

struct Literal {
    start: usize,
    end: usize,
    style: Style,
    /// Longer than is read at once.
    cut: bool,
}

impl Literal {
    fn at(text: &str, at: usize, name: &Name, style: Style) -> Option<Literal> {
        let bytes = text.as_bytes();
        let mut at = skip_blank(bytes, at);
        // The letters before a string (`b"…"`, `r"…"`, `@"…"`), and what makes one (`String::from("…")`).
        let wrapped = wrapper(text, at);
        at = wrapped.unwrap_or(at);
        if matches!(bytes.get(at), Some(b'b' | b'r' | b'f' | b'u' | b'@' | b'L' | b'$'))
            && quote_at(bytes, at + 1).is_some()
        {
            at += 1;
        }
        while bytes.get(at..at + 2) == Some(b"**") {
            at += 2;
        }
        if let Some(mark) = text[at..].chars().next().filter(|mark| matches!(mark, '“' | '„' | '«' | '‘')) {
            at += mark.len_utf8();
        }
        match quote_at(bytes, at) {
            Some(quote) => Literal::quoted(text, at + quote.length(), quote),
            None => Literal::bare(text, at, style, name),
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
        (end > start).then_some(Literal { start, end, style: Style::Quoted, cut })
    }

    fn bare(text: &str, start: usize, style: Style, name: &Name) -> Option<Literal> {
        let rest = window(text, start, LONGEST_VALUE);
        let length = rest.char_indices().find(|(at, c)| ends_bare(rest, *at, *c)).map_or(rest.len(), |(at, _)| at);
        let mut value = &rest[..length];
        let xml = name.start > 0 && text.as_bytes()[name.start - 1] == b'<';
        value = if xml { value.split('<').next().unwrap_or_default() } else { value };
        value = value.trim_end_matches(['.', ',', ';', ':', '*']);
        for (open, close) in [('(', ')'), ('[', ']'), ('{', '}')] {
            value = if value.contains(open) { value } else { value.trim_end_matches(close) };
        }
        value = value.trim_end_matches(['.', ',', ';']);
        let cut = length == rest.len() && start + length < text.len();
        (!value.is_empty()).then_some(Literal { start, end: start + value.len(), style, cut })
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

/// A value longer than was read goes on until something ends it, so that no half of it stays.
fn rest_of_run(text: &str, from: usize) -> usize {
    let ends = |c: char| c.is_whitespace() || c.is_control() || "\"'`<>".contains(c);
    text[from..].find(ends).map_or(text.len(), |length| from + length)
}
