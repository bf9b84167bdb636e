//! Names and what is assigned to them: `password = "…"`, `API_KEY=…`, `"clientSecret": "…"`, `--token …`, YAML, XML,
//! `login … password …`, "the password is …". Finds the value; whether it is one, [`super::value`] says.

use super::chars::{self, colour_end, run, run_before, skip_blank, window};
use super::keys::{self, Grade, Promise};
use super::literal::{LONGEST_VALUE, Literal, block_end, quote_at, rest_of_run, skip_tags};
use super::value::{self, Style};
use super::{Rank, Span, said};

const LONGEST_NAME: usize = 64;

/// The value of the name around `start..end`, where a keyword stands.
pub(super) fn read(text: &str, start: usize, end: usize) -> Option<Span<'static>> {
    let glued = || {
        let word = text[start..end].to_ascii_lowercase();
        let told = matches!(word.as_str(), "secret" | "token" | "key" | "access" | "private");
        said::glued(text, end, Promise { grade: Grade::Key, rule: "api-key" }).filter(|_| told)
    };
    named(text, start, end).or_else(glued)
}

fn named(text: &str, start: usize, end: usize) -> Option<Span<'static>> {
    let name = Name::around(text, start, end)?;
    let promise = keys::promise(&text[name.start..name.end]).or_else(|| two_words(text, &name))?;
    assigned(text, &name, promise).or_else(|| said::read(text, name.end, promise))
}

/// `private key`, `Twitter key`: the word before tells what the key is.
fn two_words(text: &str, name: &Name) -> Option<Promise> {
    let lone = text[name.start..name.end].eq_ignore_ascii_case("key");
    let bytes = text.as_bytes();
    let blank = name.start.checked_sub(1).filter(|at| lone && matches!(bytes[*at], b' ' | b'?' | b'&'))?;
    if bytes[blank] != b' ' {
        return Some(Promise { grade: Grade::Key, rule: "api-key" });
    }
    let word = blank - run_before(bytes, blank, 24, |byte| byte.is_ascii_alphanumeric());
    let grade = if text[word..blank].eq_ignore_ascii_case("private") { Grade::Token } else { Grade::Key };
    keys::makes_key(&text[word..blank]).then_some(Promise { grade, rule: "api-key" })
}

fn assigned(text: &str, name: &Name, promise: Promise) -> Option<Span<'static>> {
    let place = behind(text, name, promise)?;
    let literal = Literal::at(text, place.at, name.start, place.style)?;
    let grade = place.grade;
    let value = &text[literal.start..literal.end];
    let user = value::pair(value).filter(|_| matches!(grade, Grade::Pair | Grade::Password));
    if user.is_none() && !value::is_secret(value, grade, literal.style) {
        return None;
    }
    let end = match literal.below {
        Some(line) => block_end(text, line, literal.end),
        None if literal.cut => rest_of_run(text, literal.end),
        None => literal.end,
    };
    Some(Span::new(literal.start + user.unwrap_or(0), end, promise.rule, Rank::Assigned))
}

/// `IDENTIFIED BY '…'`, `IDENTIFIED WITH mysql_native_password BY '…'`; `at` is where the first word ends.
pub(super) fn identified(text: &str, at: usize) -> Option<Span<'static>> {
    const REACH: usize = 64;
    let before = line_before(text, at).to_ascii_lowercase();
    if !["user ", "grant ", "role "].iter().any(|word| before.contains(word)) {
        return None;
    }
    let rest = window(text, at, REACH).to_ascii_lowercase();
    let by = at
        + rest.find(" by ").or_else(|| rest.find(" as ")).filter(|by| !rest[..*by].contains([';', '\n', '(']))?
        + " by ".len();
    let word = window(text, by, "password ".len()).to_ascii_lowercase();
    let by =
        by + ["password ", "values "].iter().find(|other| word.starts_with(**other)).map_or(0, |other| other.len());
    let literal = Literal::at(text, by, at, Style::Bare)?;
    let told = value::is_secret(&text[literal.start..literal.end], Grade::Password, literal.style);
    told.then_some(Span::new(literal.start, literal.end, "password", Rank::Assigned))
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
    let colons = run(bytes, spaced, 4, |byte| byte == b':');
    let in_row = matches!(line_before(text, name.start).trim(), "" | "|");
    let place = |at, style| Some(AssignmentPlace { at, style, grade: promise.grade });
    let strict = |at| Some(AssignmentPlace { at, style: Style::Quoted, grade: strict(promise.grade) });
    let rest = &bytes[spaced..];
    if let Some(particle) = keys::PARTICLES.iter().find(|particle| text[spaced..].starts_with(**particle)) {
        return place(spaced + particle.len(), Style::Bare);
    }
    // What stands in for a variable nobody set: `env.PASSWORD || "…"`, `get("PASSWORD") or "…"`.
    if let Some(other) = ["||", "??", "or "].iter().find(|other| rest.starts_with(other.as_bytes())) {
        let at = skip_blank(bytes, spaced + other.len());
        if quote_at(bytes, at).is_some() {
            return strict(at);
        }
    }
    match rest {
        [b'<', ..] if skip_tags(text, spaced) > spaced => {
            let at = skip_tags(text, spaced);
            place(at + usize::from(matches!(bytes.get(at), Some(b':' | b'='))), Style::Bare)
        }
        [b'%', b'3', b'D' | b'd', ..] => place(spaced + 3, Style::Plain),
        [b':', b':', ..] if rest.get(colons) == Some(&b'=') => place(spaced + colons + 1, Style::Bare),
        [b':', b':', ..] | [b'=', b'~', ..] => None,
        [b'|', next, ..] if in_row && !matches!(next, b'|' | b'=') => place(spaced + 1, Style::Bare),
        [b'-', b' ', ..] if spaced > at => place(spaced + 1, Style::Bare),
        [b'.' | b'+' | b'|', b'=', ..] | [b'?' | b'|', b'?' | b'|', b'=', ..] => {
            place(skip_equals(bytes, spaced + 1 + usize::from(rest[1] != b'=')), Style::Bare)
        }
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
        [b',', ..] if quoted.is_some() || name.capitals => {
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
        let sure = text[name.start..name.end].ends_with("storepass") || text[name.start..name.end].ends_with("keypass");
        return Some(AssignmentPlace {
            at: spaced,
            style: Style::Plain,
            grade: if sure { grade } else { strict(grade) },
        });
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
    let said = [
        "is ", "was ", "to ", "ist ", "lautet ", "by ", "= ", "is: ", "is now ", "are ", "es ", "est ", "é ", "jest ",
        "är ", "это ",
    ];
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
