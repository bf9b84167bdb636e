//! The scanner: text in, a tree of places out, or the line and column of what is wrong.
//!
//! Comments and trailing commas are understood where they are allowed. It runs in one pass, never recurses deeper than
//! [`DEEPEST`] and never panics.

use std::fmt;

use super::Step;

/// Deeper than this is no settings file.
const DEEPEST: usize = 200;

/// What a program takes beyond the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli::hooks) struct Allowed {
    pub(in crate::cli::hooks) comments: bool,
    pub(in crate::cli::hooks) trailing_commas: bool,
}

impl Allowed {
    pub(in crate::cli::hooks) const NOTHING: Allowed = Allowed { comments: false, trailing_commas: false };
    pub(in crate::cli::hooks) const COMMENTS: Allowed = Allowed { comments: true, trailing_commas: false };
    pub(in crate::cli::hooks) const ALL: Allowed = Allowed { comments: true, trailing_commas: true };
}

/// What is wrong, and where; both numbers count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub(in crate::cli::hooks) struct Problem {
    pub(in crate::cli::hooks) line: usize,
    pub(in crate::cli::hooks) column: usize,
    pub(in crate::cli::hooks) what: String,
}

impl Problem {
    /// At a byte of the text. Columns count characters.
    pub(in crate::cli::hooks) fn at(text: &str, at: usize, what: impl fmt::Display) -> Problem {
        let before = text.get(..at).unwrap_or(text);
        let before = before.strip_prefix(BOM).unwrap_or(before);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        Problem {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            what: what.to_string(),
        }
    }
}

/// A value and where it stands: `start..end` are bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli::hooks) struct Node {
    pub(in crate::cli::hooks) start: usize,
    pub(in crate::cli::hooks) end: usize,
    pub(in crate::cli::hooks) kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli::hooks) enum Kind {
    Object(Vec<Entry>),
    Array(Vec<Entry>),
    /// Without its quotes and escapes.
    Text(String),
    /// A number, `true`, `false` or `null`, as it is written.
    Plain(String),
}

/// A member of an object or an element of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli::hooks) struct Entry {
    /// Where its key begins, or its value when it has none.
    pub(in crate::cli::hooks) start: usize,
    /// Empty in an array.
    pub(in crate::cli::hooks) key: String,
    pub(in crate::cli::hooks) value: Node,
    /// Where the comma behind it stands.
    pub(in crate::cli::hooks) comma: Option<usize>,
}

impl Node {
    pub(in crate::cli::hooks) fn entries(&self) -> &[Entry] {
        match &self.kind {
            Kind::Object(entries) | Kind::Array(entries) => entries,
            Kind::Text(_) | Kind::Plain(_) => &[],
        }
    }

    /// The last member of that name: programs take the last one, too.
    pub(in crate::cli::hooks) fn get(&self, key: &str) -> Option<&Node> {
        match &self.kind {
            Kind::Object(members) => members.iter().rev().find(|member| member.key == key).map(|found| &found.value),
            _ => None,
        }
    }

    pub(in crate::cli::hooks) fn find(&self, path: &[Step<'_>]) -> Option<&Node> {
        path.iter().try_fold(self, |node, step| match step {
            Step::Key(key) => node.get(key),
            Step::At(place) => match &node.kind {
                Kind::Array(items) => items.get(*place).map(|item| &item.value),
                _ => None,
            },
        })
    }

    pub(in crate::cli::hooks) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// With its article, for messages.
    pub(in crate::cli::hooks) fn what(&self) -> &'static str {
        match &self.kind {
            Kind::Object(_) => "an object",
            Kind::Array(_) => "a list",
            Kind::Text(_) => "a text",
            Kind::Plain(plain) if plain == "null" => "null",
            Kind::Plain(plain) if plain.starts_with(['t', 'f']) => "a truth value",
            Kind::Plain(_) => "a number",
        }
    }

    /// Says the same, wherever it stands and however it is laid out.
    pub(in crate::cli::hooks) fn same(&self, other: &Node) -> bool {
        match (&self.kind, &other.kind) {
            (Kind::Object(ours), Kind::Object(theirs)) | (Kind::Array(ours), Kind::Array(theirs)) => {
                ours.len() == theirs.len()
                    && ours.iter().zip(theirs).all(|(one, two)| one.key == two.key && one.value.same(&two.value))
            }
            (Kind::Text(ours), Kind::Text(theirs)) => ours == theirs,
            (Kind::Plain(ours), Kind::Plain(theirs)) => ours == theirs,
            _ => false,
        }
    }
}

pub(super) const BOM: char = '\u{feff}';

/// The one value of a text, and nothing behind it.
pub(in crate::cli::hooks) fn parse(text: &str, allowed: Allowed) -> Result<Node, Problem> {
    let mut scanner = Scanner { text, at: 0, allowed };
    if text.starts_with(BOM) {
        scanner.at = BOM.len_utf8();
    }
    scanner.skip()?;
    let root = scanner.value(0)?;
    scanner.skip()?;
    match scanner.peek() {
        None => Ok(root),
        Some(_) => Err(scanner.wrong("nothing may follow here")),
    }
}

/// Where the last comment of a stretch between values ends; its beginning when there is none. Also whether that comment
/// runs to the end of its line.
pub(super) fn after_comments(text: &str, from: usize, to: usize) -> (usize, bool) {
    let mut scanner = Scanner { text: text.get(..to).unwrap_or(text), at: from, allowed: Allowed::ALL };
    let mut last = (from, false);
    loop {
        scanner.blank();
        let line = scanner.rest().starts_with("//");
        match scanner.comment() {
            Ok(true) => last = (scanner.at, line),
            _ => return last,
        }
    }
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    allowed: Allowed,
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn wrong(&self, what: impl fmt::Display) -> Problem {
        Problem::at(self.text, self.at, what)
    }

    fn blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Blanks and comments.
    fn skip(&mut self) -> Result<(), Problem> {
        loop {
            self.blank();
            let start = self.at;
            if !self.comment()? {
                return Ok(());
            }
            if !self.allowed.comments {
                return Err(Problem::at(self.text, start, "a comment is not allowed in this file"));
            }
        }
    }

    fn comment(&mut self) -> Result<bool, Problem> {
        let rest = self.rest();
        if rest.starts_with("//") {
            // Without the line break, and without the carriage return before it.
            let line = rest.find('\n').map_or(rest, |end| &rest[..end]);
            self.at += line.strip_suffix('\r').unwrap_or(line).len();
            return Ok(true);
        }
        if !rest.starts_with("/*") {
            return Ok(false);
        }
        match rest[2..].find("*/") {
            Some(end) => self.at += end + 4,
            None => return Err(self.wrong("this comment never ends")),
        }
        Ok(true)
    }

    fn value(&mut self, depth: usize) -> Result<Node, Problem> {
        let start = self.at;
        let kind = match self.peek() {
            None => return Err(self.wrong("the file ends where a value is needed")),
            Some(b'{' | b'[') if depth >= DEEPEST => return Err(self.wrong("nested too deeply")),
            Some(b'{') => Kind::Object(self.container(b'}', true, depth)?),
            Some(b'[') => Kind::Array(self.container(b']', false, depth)?),
            Some(b'"') => Kind::Text(self.string()?),
            Some(_) => Kind::Plain(self.plain()?),
        };
        Ok(Node { start, end: self.at, kind })
    }

    fn container(&mut self, close: u8, keyed: bool, depth: usize) -> Result<Vec<Entry>, Problem> {
        let mut entries: Vec<Entry> = Vec::new();
        self.at += 1;
        loop {
            self.skip()?;
            if self.peek() == Some(close) {
                if let Some(comma) = entries.last().and_then(|last| last.comma)
                    && !self.allowed.trailing_commas
                {
                    return Err(Problem::at(self.text, comma, "a comma behind the last entry is not allowed"));
                }
                self.at += 1;
                return Ok(entries);
            }
            if entries.last().is_some_and(|last| last.comma.is_none()) {
                return Err(self.wrong(format!("a comma or `{}` is needed here", char::from(close))));
            }
            let start = self.at;
            let key = if keyed { self.key()? } else { String::new() };
            let value = self.value(depth + 1)?;
            self.skip()?;
            let comma = (self.peek() == Some(b',')).then_some(self.at);
            self.at += usize::from(comma.is_some());
            entries.push(Entry { start, key, value, comma });
        }
    }

    fn key(&mut self) -> Result<String, Problem> {
        if self.peek() != Some(b'"') {
            return Err(self.wrong("a key in double quotes is needed here"));
        }
        let key = self.string()?;
        self.skip()?;
        if self.peek() != Some(b':') {
            return Err(self.wrong("a colon is needed here"));
        }
        self.at += 1;
        self.skip()?;
        Ok(key)
    }

    /// From quote to quote; what stands between is decoded by the standard's own rules.
    fn string(&mut self) -> Result<String, Problem> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut at = start + 1;
        loop {
            match bytes.get(at) {
                None => return Err(self.wrong("this text never ends")),
                Some(b'"') => break,
                Some(b'\\') => at += 2,
                Some(byte) if *byte < 0x20 => {
                    return Err(Problem::at(self.text, at, "a line break or control character stands inside a text"));
                }
                Some(_) => at += 1,
            }
        }
        self.at = at + 1;
        // A surrogate without its other half is allowed by the grammar and means nothing: kept as it is written.
        let written = self.text.get(start..self.at).unwrap_or("\"\"");
        match serde_json::from_str(written) {
            Ok(text) => Ok(text),
            Err(_) if has_good_escapes(written) => Ok(written.to_owned()),
            Err(_) => Err(Problem::at(self.text, start, "a backslash in this text stands before the wrong character")),
        }
    }

    fn plain(&mut self) -> Result<String, Problem> {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let length = self.rest().bytes().take_while(is_part).count();
        let word = &self.rest()[..length];
        let good = matches!(word, "true" | "false" | "null")
            || (word.starts_with(|first: char| first == '-' || first.is_ascii_digit())
                && serde_json::from_str::<&serde_json::value::RawValue>(word).is_ok());
        if !good {
            let found = self.rest().chars().next().unwrap_or(' ');
            return Err(self.wrong(format!("a value is needed here, not `{}`", found.escape_debug())));
        }
        let word = word.to_owned();
        self.at += length;
        Ok(word)
    }
}

fn has_good_escapes(written: &str) -> bool {
    let mut rest = written;
    while let Some(at) = rest.find('\\') {
        let escape = &rest[at + 1..];
        let good = escape.starts_with(['"', '\\', '/', 'b', 'f', 'n', 'r', 't'])
            || (escape.starts_with('u')
                && escape.get(1..5).is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit())));
        if !good {
            return false;
        }
        // The character behind the backslash is one byte here.
        rest = &escape[1..];
    }
    true
}
