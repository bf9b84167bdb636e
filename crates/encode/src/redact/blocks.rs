//! Private keys, which go as whole blocks: PEM and OpenSSH, also cut at either end, also inside a string with
//! escaped line ends, PuTTY's, the private members of a JSON web key, the data of a Kubernetes secret. Public keys
//! and certificates stay.

use super::chars::{self, run, window, window_until};
use super::{Rank, Span};

const RULE: &str = "private-key";
/// No private key is longer than this, and no two dashes are looked for farther.
const LONGEST: usize = 32 << 10;
const LABEL: usize = 64;

/// A block by its first line, which begins at `at`.
pub(super) fn begun(text: &str, at: usize) -> Option<Span<'static>> {
    let body = label_end(text, at + "-----BEGIN ".len())?;
    let rest = window_until(text, body, LONGEST, "-----");
    let dashes = body + rest.len();
    if text[dashes..].starts_with("-----END") && holds_key(rest) {
        let end = label_end(text, dashes + "-----END ".len()).unwrap_or(dashes + "-----END".len());
        return Some(Span::new(at, end, RULE, Rank::Block));
    }
    let cut = key_lines(rest);
    (cut > 0).then_some(Span::new(at, body + cut, RULE, Rank::Block))
}

/// A block whose first line is lost, by its last line, which begins at `at`. No key goes back beyond `dashes`, where
/// another block begins or ends.
pub(super) fn ended(text: &str, at: usize, dashes: usize) -> Option<Span<'static>> {
    let end = label_end(text, at + "-----END ".len())?;
    let mut from = at.saturating_sub(LONGEST).max(dashes);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let before = window(text, from, at - from);
    let mut start = before.len();
    for line in before.split_inclusive('\n').rev() {
        let escaped = line.rsplit("\\n").take_while(|piece| is_key_line(piece)).map(|piece| piece.len() + 2);
        let taken = if is_key_line(line) { line.len() } else { escaped.sum::<usize>().saturating_sub(2) };
        start -= taken.min(start);
        if taken < line.len() {
            break;
        }
    }
    while !before.is_char_boundary(start) {
        start += 1;
    }
    holds_key(&before[start..]).then_some(Span::new(from + start, end, RULE, Rank::Block))
}

/// PuTTY's `Private-Lines: 8` and the lines below it.
pub(super) fn putty(text: &str, at: usize) -> Option<Span<'static>> {
    let body = at + "Private-Lines:".len();
    let line = body + run(text.as_bytes(), body, LONGEST, |byte| matches!(byte, b' ' | b'0'..=b'9' | b'\r' | b'\n'));
    let rest = window_until(text, line, LONGEST, "Private-");
    let length = key_lines(rest);
    let value = rest[..length].trim_end().len();
    (value > 0).then_some(Span::new(line, line + value, RULE, Rank::Block))
}

/// The end of a label that speaks of a private key, behind its dashes.
fn label_end(text: &str, from: usize) -> Option<usize> {
    let label = window(text, from, LABEL);
    let length = label.find("-----")?;
    let label = &label[..length];
    let of_label = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ';
    (label.contains("PRIVATE KEY") && label.bytes().all(of_label)).then_some(from + length + 5)
}

/// Whether there is key material at all: code that only names the two lines has none.
fn holds_key(body: &str) -> bool {
    let mut run = 0;
    body.bytes().any(|byte| {
        run = if byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/') { run + 1 } else { 0 };
        run >= 16
    })
}

/// How much of a block without an end is key: up to the first line that cannot be part of it.
fn key_lines(body: &str) -> usize {
    let mut end = 0;
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        let mut inside = at;
        for piece in line.split("\\n") {
            if !is_key_line(piece) {
                // The last piece may run into what follows a string: `…AQAB", "next": 1`
                let run = piece.bytes().take_while(|byte| is_key_byte(*byte)).count();
                return if run >= 16 { inside + run } else { body[..end].trim_end().len() };
            }
            inside += piece.len() + 2;
            if piece.bytes().any(is_key_byte) {
                end = (inside - 2).min(at + line.len());
            }
        }
        at += line.len();
    }
    body[..end].trim_end().len()
}

fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// A line of base64, bare or decorated as source code, quotations and diffs do; an empty one; a header of old keys.
fn is_key_line(line: &str) -> bool {
    let line = line.trim_matches(|c: char| c.is_whitespace() || "\"'`\\,;>#|*".contains(c)).trim_start_matches("//");
    let line = line.trim_end_matches(['+', '.']).trim_matches(|c: char| c.is_whitespace() || "\"'`\\".contains(c));
    let line = line.trim_end_matches("\\n").trim_start_matches(['+', '-']).trim_start();
    let header = ["Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Hash:"].iter().any(|name| line.starts_with(name));
    let base64 = line.bytes().all(is_key_byte) && (line.len() >= 40 || line.len() % 4 == 0 || line.starts_with('='));
    // A lone short word is prose; key lines are long, but for the last.
    header
        || line.is_empty()
        || (base64 && (line.len() >= 16 || line.ends_with('=') || line.bytes().any(|b| b.is_ascii_digit())))
}

/// The members of a JSON web key that are nobody's business; `at` is where its `"kty"` stands, `done` how far the last
/// one was read. Returns how far it read.
pub(super) fn web_key(text: &str, at: usize, done: usize, found: &mut Vec<Span<'static>>) -> usize {
    const REACH: usize = 4 << 10;
    let from = chars::floor_boundary(text, at.saturating_sub(REACH)).max(done.min(at));
    let before = window(text, from, at - from);
    let from = before.rfind('{').map_or(at, |brace| from + brace);
    let object = window_until(text, from, 2 * REACH, "}");
    for (place, _) in object.match_indices('"') {
        let member = &object[place + 1..];
        let Some(name) = ["d", "p", "q", "dp", "dq", "qi", "k"]
            .iter()
            .find(|name| member.strip_prefix(**name).is_some_and(|rest| rest.starts_with('"')))
        else {
            continue;
        };
        let value = member[name.len() + 1..].trim_start_matches([' ', ':', '\n', '\t', '"']);
        let length = value.bytes().take_while(|byte| chars::is_word(*byte)).count();
        let start = from + (value.as_ptr() as usize - object.as_ptr() as usize);
        if length >= 16 {
            found.push(Span::new(start, start + length, RULE, Rank::Block));
        }
    }
    from + object.len()
}

/// The values below `data:` of a manifest that says `kind: Secret`; the word stands at `at..end`, `done` is how far the
/// last one was read. Returns how far it read.
pub(super) fn kubernetes(text: &str, (at, end): (usize, usize), done: usize, found: &mut Vec<Span<'static>>) -> usize {
    const REACH: usize = 4 << 10;
    let kind = window(text, end, 16).trim_start_matches([' ', '"', '\'', ':']);
    if !kind.get(..6).is_some_and(|kind| kind.eq_ignore_ascii_case("secret"))
        || kind[6..].starts_with(char::is_alphabetic)
    {
        return done;
    }
    let from = chars::floor_boundary(text, at.saturating_sub(REACH)).max(done.min(at));
    let before = window(text, from, at - from);
    let from = from + before.rfind("---").map_or(0, |line| line + 3);
    let manifest = window_until(text, from, 2 * REACH, "\n---");
    let mut inside = None;
    for line in manifest.lines() {
        let indent = line.len() - line.trim_start().len();
        let Some((name, value)) = line.split_once(':') else { continue };
        let name = name.trim().trim_matches(['"', '\'']);
        if matches!(name, "data" | "stringData") {
            inside = Some(indent);
        } else if inside.is_some_and(|outer| indent > outer) {
            let value = value.trim().trim_matches(['"', '\'', ',']);
            let public = name.ends_with(".crt") || matches!(name, "ca" | "tls.ca");
            if !public && value.len() >= 8 && value.bytes().all(is_key_byte) {
                let start = value.as_ptr() as usize - text.as_ptr() as usize;
                found.push(Span::new(start, start + value.len(), "secret", Rank::Block));
            }
        } else if !line.trim_start().starts_with('#') {
            inside = None;
        }
    }
    from + manifest.len()
}
