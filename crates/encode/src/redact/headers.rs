//! Secrets in what programs are told: `Authorization` and `Cookie` headers, passwords on command lines.

use super::chars::{self, Makeup, begins_word, run, skip_blank, window};
use super::value::{is_filler, is_placeholder};
use super::{Rank, Span};

/// How much of a command line or a header is read.
const LONGEST: usize = 2048;
/// And how much of a credential, before it is taken whole.
const JUDGED: usize = 512;

fn is_credential_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~+/=:%".contains(&byte)
}

/// What follows `Bearer` or `Basic`; `at` is where the scheme ends, `taken` where the last credential did.
pub(super) fn scheme(text: &str, begins: usize, at: usize, taken: &mut usize) -> Option<Span<'static>> {
    let bytes = text.as_bytes();
    let start = skip_blank(bytes, at);
    if start == at || !begins_word(bytes, begins) {
        return None;
    }
    // "basic HTTP-based access" is speech: what follows `Basic` is base64, whole.
    let basic = bytes[begins..at].eq_ignore_ascii_case(b"basic");
    let found = credential(text, start, *taken).filter(|span| {
        let value = &bytes[span.start..span.end];
        let base64 = value.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
        !basic || (base64 && value.len().is_multiple_of(4))
    });
    found.inspect(|span| *taken = span.end)
}

/// `Authorization: <scheme> <credential>`, as a header, in JSON, in code; `at` is where the name ends, `taken` where
/// the last credential did.
pub(super) fn authorization(text: &str, at: usize, taken: &mut usize) -> Option<Span<'static>> {
    let bytes = text.as_bytes();
    let is_quote = |byte| matches!(byte, b'"' | b'\'' | b'\\' | b'`' | b']' | b'*');
    let quotes = |at: usize| skip_blank(bytes, at + run(bytes, at, usize::MAX, is_quote));
    let at = quotes(at);
    if !matches!(bytes.get(at), Some(b':' | b'=' | b',')) {
        return None;
    }
    let start = quotes(skip_blank(bytes, at + 1));
    let word = start + run(bytes, start, 24, |byte| byte.is_ascii_alphabetic());
    let next = skip_blank(bytes, word);
    let has_scheme = word > start && next > word;
    let found = credential(text, if has_scheme { next } else { start }, *taken);
    found.inspect(|span| *taken = span.end)
}

/// Judged by its beginning, then followed to its end: what is refused costs little, however long it is.
fn credential(text: &str, start: usize, taken: usize) -> Option<Span<'static>> {
    if start < taken {
        return None;
    }
    let bytes = text.as_bytes();
    let trimmed = |length: usize| text[start..start + length].trim_end_matches(['.', ':']);
    let judged = run(bytes, start, JUDGED, is_credential_byte);
    let value = trimmed(judged);
    let makeup = Makeup::of(value);
    let mixed =
        makeup.digits > 0 && makeup.letters() > 0 || makeup.upper > 1 && makeup.lower > 0 || value.ends_with('=');
    let told = value.len() >= 8 && mixed && !value.contains("://") && !is_placeholder(value) && !is_filler(value);
    let words = chars::reads_as_words(value) && value.len() < 24 && makeup.digits < 3;
    let goes_on = matches!(bytes.get(start + value.len()), Some(b'(' | b'{' | b'$'));
    if !told || words || goes_on {
        return None;
    }
    let more = if judged == JUDGED { run(bytes, start + judged, usize::MAX, is_credential_byte) } else { 0 };
    Some(Span::new(start, start + trimmed(judged + more).len(), "authorization", Rank::Header))
}

/// The values of `Cookie:` and `Set-Cookie:`; `at` is where the name ends.
/// Returns how far it has read.
pub(super) fn cookies(text: &str, at: usize, found: &mut Vec<Span<'static>>) -> usize {
    let bytes = text.as_bytes();
    let is_quote = |byte| matches!(byte, b'"' | b'\'' | b'\\');
    let at = at + run(bytes, at, usize::MAX, is_quote);
    let colon = skip_blank(bytes, at);
    if !matches!(bytes.get(colon), Some(b':' | b'=')) {
        return at;
    }
    let start = skip_blank(bytes, colon + 1);
    let start = start + run(bytes, start, usize::MAX, is_quote);
    let line = window(text, start, LONGEST);
    let line = &line[..line.find(['\n', '\r', '"', '\'', '\\']).unwrap_or(line.len())];
    for pair in line.split(';') {
        let Some((name, value)) = pair.split_once('=') else { continue };
        let name = name.trim().to_ascii_lowercase();
        let value = value.split(|c: char| c.is_whitespace() || c == ',').next().unwrap_or_default();
        let attribute = matches!(name.as_str(), "path" | "domain" | "expires" | "max-age" | "samesite" | "version");
        let named = ["sess", "sid", "auth", "token", "csrf", "jwt", "remember"].iter().any(|part| name.contains(part));
        let makeup = Makeup::of(value);
        let told = value.len() >= 6 && (named && makeup.letters() + makeup.digits >= 6 || chars::looks_random(value));
        if !attribute && told && !is_placeholder(value) && !is_filler(value) && !name.contains(' ') {
            // `pair` is a part of the text, so the distance of their beginnings is where it stands.
            let from = start + offset(line, value);
            found.push(Span::new(from, from + value.len(), "cookie", Rank::Header));
        }
    }
    start + line.len()
}

fn offset(whole: &str, part: &str) -> usize {
    part.as_ptr() as usize - whole.as_ptr() as usize
}

/// Programs that take a password behind a short flag, and whether it is glued to it.
const COMMANDS: &[(&str, &[&str])] = &[
    ("sshpass", &["-p"]),
    ("mysql", &["-p"]),
    ("mariadb", &["-p"]),
    ("curl", &["-u", "--user", "--proxy-user", "-U", "--oauth2-bearer"]),
    ("wget", &["--http-user"]),
    ("redis-cli", &["-a"]),
    ("docker login", &["-p"]),
    ("podman login", &["-p"]),
    ("helm registry login", &["-p"]),
    ("htpasswd", &["-b"]),
    ("sqlcmd", &["-P"]),
    ("ldap", &["-w"]),
    ("openssl", &["pass:"]),
    ("unzip", &["-P"]),
    ("rar", &["-p"]),
    ("lftp", &["-u"]),
    ("http", &["-a", "--auth"]),
    ("xfreerdp", &["/p:"]),
    ("psexec", &["-p"]),
    ("useradd", &["-p"]),
    ("usermod", &["-p"]),
    ("ConvertTo-SecureString", &["-String", "\"", "'", "\\\""]),
    ("mongo", &["-p"]),
    ("zip", &["-P"]),
    ("7z", &["-p"]),
    ("smbclient", &["-U"]),
    ("az login", &["-p"]),
];

pub(super) fn commands() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|(name, _)| *name)
}

/// `mysql -uroot -pSommer2024`, `curl -u me:secret`; `at` is where the program's name begins.
pub(super) fn command_line(text: &str, at: usize, found: &mut Vec<Span<'static>>) {
    let line = window(text, at, LONGEST / 4);
    // A backslash at its end takes the line on.
    let ends = |(at, mark): (usize, &str)| mark == "|" || !line[..at].ends_with('\\');
    let line = &line[..line.match_indices(['\n', '|']).find(|found| ends(*found)).map_or(line.len(), |(at, _)| at)];
    let lower = |name: &str| line.get(..name.len()).is_some_and(|begin| begin == name);
    let Some((program, flags)) = COMMANDS.iter().find(|(name, _)| lower(name)) else { return };
    if !begins_word(text.as_bytes(), at) {
        return;
    }
    let mut words = line.split([' ', '\t', '\n']).filter(|word| !matches!(*word, "" | "\\")).peekable();
    while let Some(word) = words.next() {
        let Some(flag) = flags.iter().find(|flag| word.starts_with(**flag)) else { continue };
        let glued = &word[flag.len()..];
        let spaced = !matches!(*program, "mysql" | "mariadb" | "7z" | "rar");
        let value = match glued.strip_prefix('=').unwrap_or(glued) {
            "" if spaced => words.peek().copied().unwrap_or_default(),
            "" => continue,
            value => value,
        };
        let value = value.trim_start_matches("\\\"").trim_matches(['"', '\'', '`', ')', ',', ';']);
        let value = value.strip_suffix("\\\"").unwrap_or(value);
        let value = match matches!(*flag, "-u" | "--user" | "-U" | "--proxy-user" | "-a" | "--auth")
            && *program != "redis-cli"
        {
            true => value.split_once([':', '%', ',']).map_or("", |(_, password)| password),
            false => value,
        };
        let makeup = Makeup::of(value);
        let told =
            value.len() >= 4 && !is_placeholder(value) && !is_filler(value) && !value.starts_with(['/', '.', '-']);
        if told && makeup.letters() + makeup.digits >= 4 {
            let from = at + offset(line, value);
            found.push(Span::new(from, from + value.len(), "password", Rank::Header));
        }
    }
}
