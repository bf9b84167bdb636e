//! Passwords inside addresses: `scheme://user:password@host`, a bare token before the host, Go's `user:pw@tcp(…)`.
//! User and host stay readable.

use super::value::{is_filler, is_placeholder};
use super::{Rank, Span, chars};

const RULE: &str = "url-password";
/// How far the `@` may stand behind the scheme.
const LONGEST: usize = 1024;

/// `at` is where `://` stands.
pub(super) fn url_password(text: &str, at: usize) -> Option<Span<'static>> {
    let bytes = text.as_bytes();
    let has_scheme = at > 0 && bytes[at - 1].is_ascii_alphanumeric();
    let start = at + 3;
    if !has_scheme {
        return None;
    }
    let run = chars::window(text, start, LONGEST);
    let run = start + run.find(ends_address).unwrap_or(run.len());
    let authority = text[start..run].find(['/', '?', '#']).map_or(run, |length| start + length);
    let (user, host) = match text[start..authority].rfind('@') {
        Some(sign) => (&text[start..start + sign], start + sign + 1),
        // A password may hold a slash nobody escaped: then what stands before it is neither host nor port.
        None => {
            let (_, port) = text[start..authority].split_once(':')?;
            let sign = text[authority..run].find('@')?;
            let host = &text[authority + sign + 1..run];
            let host = &host[..host.find('/').unwrap_or(host.len())];
            let sign = host.rfind('@').map_or(sign, |later| sign + 1 + later);
            let odd = !port.is_empty() && !port.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
            let odd = odd && !port.starts_with(['{', '$', '<']);
            let user = odd.then(|| &text[start..authority + sign])?;
            (user, authority + sign + 1)
        }
    };
    let host = text[host..run].split(['/', ':', '?']).next().unwrap_or_default();
    let (from, password) = match user.split_once(':') {
        Some((name, password)) => (start + name.len() + 1, password),
        None => (start, user),
    };
    let told = match user.contains(':') {
        true => is_password(password, host),
        false => password.len() >= 16 && chars::looks_random(password),
    };
    told.then_some(Span::new(from, from + password.len(), RULE, Rank::Shape))
}

fn ends_address(character: char) -> bool {
    character.is_whitespace() || character.is_control() || "\"'`<>\\|".contains(character)
}

fn is_password(password: &str, host: &str) -> bool {
    let lower = password.to_ascii_lowercase();
    let sample = matches!(lower.as_str(), "password" | "pass" | "pwd" | "passwd" | "pw" | "secret" | "token" | "user");
    let nowhere =
        matches!(host, "localhost" | "127.0.0.1" | "host" | "db" | "hostname" | "server" | "postgres" | "[::1]")
            || host.contains("example")
            || host.starts_with(']');
    let named_only = sample && nowhere;
    !password.is_empty() && !is_filler(password) && !is_placeholder(password) && !named_only
}

/// `user:password@tcp(host:3306)/db`; `at` is where the `@` stands.
pub(super) fn go_dsn(text: &str, at: usize) -> Option<Span<'static>> {
    let from = (at.saturating_sub(256)..at).find(|from| text.is_char_boundary(*from))?;
    let before = &text[from..at];
    let start = before.rfind(|c: char| ends_address(c) || "=,(".contains(c)).map_or(0, |at| at + 1);
    let start = (start..before.len()).find(|at| before.is_char_boundary(*at))?;
    let (user, password) = before[start..].split_once(':')?;
    let start = from + start + user.len() + 1;
    is_password(password, "").then_some(Span::new(start, at, RULE, Rank::Shape))
}
