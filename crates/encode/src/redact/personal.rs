//! What is no key but still somebody's: e-mail addresses, card numbers, bank accounts. Addresses of documentation,
//! of robots and of git remotes stay, and so does code that only looks like an address.

use super::chars::{run, run_before};
use super::{Rank, Span};

const LONGEST_LOCAL: usize = 64;
const LONGEST_DOMAIN: usize = 253;

/// The address around the `@` at `at`.
pub(super) fn email(text: &str, at: usize) -> Option<Span<'static>> {
    let bytes = text.as_bytes();
    let is_local = |byte: u8| byte.is_ascii_alphanumeric() || b"._%+-".contains(&byte);
    let mut start = at - run_before(bytes, at, LONGEST_LOCAL + 1, is_local);
    if at - start > LONGEST_LOCAL {
        return None;
    }
    start = behind_escape(bytes, start, at);
    while start < at && !bytes[start].is_ascii_alphanumeric() {
        start += 1;
    }
    let is_domain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let mut end = at + 1 + run(bytes, at + 1, LONGEST_DOMAIN, is_domain);
    while end > at + 1 && !bytes[end - 1].is_ascii_alphanumeric() {
        end -= 1;
    }
    let (local, domain) = (&text[start..at], &text[at + 1..end]);
    let personal = !local.is_empty() && is_public_domain(domain) && !is_nobody(local, domain);
    let inside = start > 0 && matches!(bytes[start - 1], b'/' | b'@' | b'$' | b'#') || text[..start].ends_with("\\\\");
    let goes_on = match bytes.get(end) {
        // `deploy@host.com:/srv`: a remote, while `mail me@host.com: thanks` is an address.
        Some(b':') => {
            bytes.get(end + 1).is_some_and(|next| next.is_ascii_alphanumeric() || matches!(next, b'/' | b'~' | b'.'))
        }
        Some(b'(' | b'@' | b'[') => true,
        Some(b'_') => true,
        _ => false,
    };
    (personal && !inside && !goes_on).then_some(Span::new(start, end, "email", Rank::Personal))
}

/// `\nme@…` in escaped text and `[31mme@…` in coloured text begin behind the escape.
fn behind_escape(bytes: &[u8], start: usize, at: usize) -> usize {
    if start > 0 && bytes[start - 1] == b'\\' && matches!(bytes[start], b'n' | b'r' | b't') {
        return start + 1;
    }
    if start > 0 && matches!(bytes[start - 1], b'[' | b';') {
        let digits = run(bytes, start, at - start, |byte| byte.is_ascii_digit());
        if bytes.get(start + digits) == Some(&b'm') && start + digits + 1 < at {
            return start + digits + 1;
        }
    }
    start
}

fn is_nobody(local: &str, domain: &str) -> bool {
    let local = local.to_ascii_lowercase();
    let domain = domain.to_ascii_lowercase();
    let robot =
        ["noreply", "no-reply", "no_reply", "donotreply", "do-not-reply"].iter().any(|name| local.contains(name));
    let sample = ["example.com", "example.org", "example.net", "test.com", "domain.com", "localhost.localdomain"];
    let sample = sample.iter().any(|name| domain == *name || domain.ends_with(&format!(".{name}")));
    let git = matches!(local.as_str(), "git" | "hg" | "svn" | "aur");
    robot || sample || git || domain.contains("noreply")
}

/// Whether a domain ends as real ones do. A list, since `x@y.mean` is Python and `icon@2x.png` a picture.
fn is_public_domain(domain: &str) -> bool {
    let mut labels = domain.rsplit('.');
    let top = labels.next().unwrap_or_default();
    let Some(name) = labels.next() else { return false };
    if domain.split('.').any(|label| label.is_empty() || label.starts_with('-') || label.ends_with('-')) {
        return false;
    }
    let lower = top.to_ascii_lowercase();
    let country = lower.len() == 2 && COUNTRIES.as_bytes().chunks(2).any(|code| code == lower.as_bytes());
    let known = country || TOPS.contains(&lower.as_str());
    known
        && name.len() >= 2
        && name.bytes().any(|byte| byte.is_ascii_alphabetic())
        && top.bytes().all(|b| b.is_ascii_alphabetic())
}

#[rustfmt::skip]
const TOPS: &[&str] = &[
    "com", "org", "net", "edu", "gov", "mil", "int", "info", "biz", "name", "pro", "dev", "app", "cloud", "tech", "online",
    "site", "store", "xyz", "shop", "blog", "email", "systems", "software", "solutions", "agency", "digital", "studio",
    "design", "media", "network", "group", "company", "consulting", "engineering", "health", "academy", "energy", "berlin",
    "london", "eus", "cat", "museum", "aero", "coop", "jobs", "mobi", "travel", "tel", "post", "asia", "bank", "finance",
    "ventures", "capital", "partners", "legal", "law", "care", "team", "works", "world", "global", "international", "link",
    "life", "live", "page", "wiki", "space", "website", "host", "hosting", "technology", "tools", "codes", "ninja", "rocks",
    "university", "school", "education", "community", "foundation", "ngo", "one", "art", "swiss", "hamburg", "koeln", "wien",
    "nyc", "tokyo", "club", "fun", "top", "vip", "news", "press", "science", "security", "services", "support",
];

const COUNTRIES: &str = "acadaeafagaialamaoaqarasatauawaxazbabbbdbebfbgbhbibjbmbnbobrbsbtbwbybzcacccdcfcgchcickclcmcncocrcu\
cvcwcxcyczdedjdkdmdodzeceeegereseteufifjfkfmfofrgagdgegfggghgiglgmgngpgqgrgsgtgugwgyhkhmhnhrhthuidieiliminioiqirisitjejm\
jojpkekgkhkikmknkpkrkwkykzlalblclilklrlsltlulvlymamcmdmemgmhmkmlmmmnmompmqmrmsmtmumvmwmxmymznancnenfngninlnonpnrnunzompa\
pepfpgphpkplpmpnprpsptpwpyqarerorsrurwsasbscsdsesgshsiskslsmsnsosrssstsvsxsysztctdtftgthtjtktltmtntotrtttvtwtzuaugukusuy\
uzvavcvevgvivnvuwfwsyeytzazmzw";

/// Card numbers and bank accounts, found from the digits of a text.
pub(super) fn numbers(text: &str, found: &mut Vec<Span<'static>>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if !byte.is_ascii_digit() {
            at += 1;
            continue;
        }
        let end = digits_end(bytes, at);
        if end - at >= 13 && is_apart(bytes, at, end) && is_card(&bytes[at..end]) {
            found.push(Span::new(at, end, "card-number", Rank::Personal));
        } else if at >= 2
            && let Some(span) = iban(bytes, at - 2)
        {
            at = span.end.max(end);
            found.push(span);
            continue;
        }
        at = end;
    }
}

/// The end of digits in groups, as people write them. Bounded: what is longer is no card.
fn digits_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    while let Some(byte) = bytes.get(end) {
        let joins =
            matches!(byte, b' ' | b'-') && end + 1 - at >= 4 && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        if !byte.is_ascii_digit() && !joins {
            break;
        }
        end += 1;
    }
    end
}

fn is_apart(bytes: &[u8], start: usize, end: usize) -> bool {
    let joins = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'/' | b'+');
    let before = start > 0 && joins(&bytes[start - 1]) && !super::chars::ends_with_escape(&bytes[..start]);
    let after = bytes.get(end).is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        || bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
    !before && !after
}

fn is_card(written: &[u8]) -> bool {
    if written.len() > 23 {
        return false;
    }
    let separators: Vec<u8> = written.iter().copied().filter(|byte| !byte.is_ascii_digit()).collect();
    let even = separators.windows(2).all(|pair| pair[0] == pair[1]);
    let groups = written.split(|byte| !byte.is_ascii_digit()).filter(|group| group.len() < 4).count();
    let digits: Vec<u32> = written.iter().filter(|b| b.is_ascii_digit()).map(|byte| u32::from(byte - b'0')).collect();
    let number = |count: usize| digits.iter().take(count).fold(0, |number, digit| number * 10 + digit);
    let brand = match digits.len() {
        16 => matches!(number(2), 40..=49 | 51..=55 | 65 | 35) || matches!(number(4), 2221..=2720 | 6011),
        15 => matches!(number(2), 34 | 37),
        14 => matches!(number(2), 36 | 38) || matches!(number(3), 300..=305),
        _ => false,
    };
    let varied = digits.iter().any(|digit| *digit != digits[0]);
    even && groups <= 1 && separators.len() <= 4 && brand && varied && luhn(&digits)
}

fn luhn(digits: &[u32]) -> bool {
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let weigh = |(place, digit): (usize, &u32)| if place % 2 == 1 { doubled(*digit) } else { *digit };
    digits.iter().rev().enumerate().map(weigh).sum::<u32>() % 10 == 0
}

/// `DE89 3704 0044 0532 0130 00`: country, check digits, and the sum of it all.
fn iban(bytes: &[u8], start: usize) -> Option<Span<'static>> {
    let head = bytes.get(start..start + 4)?;
    let shaped = head[..2].iter().all(u8::is_ascii_uppercase) && head[2..].iter().all(u8::is_ascii_digit);
    if !shaped || !super::chars::begins_word(bytes, start) {
        return None;
    }
    let mut kept = Vec::with_capacity(34);
    let mut end = start;
    for (at, byte) in bytes.iter().enumerate().skip(start).take(42) {
        match byte {
            b'A'..=b'Z' | b'0'..=b'9' => {
                kept.push(*byte);
                end = at + 1;
            }
            b' ' if kept.len() % 4 == 0 => {}
            _ => break,
        }
    }
    let whole = bytes.get(end).is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    let digits = kept.iter().filter(|byte| byte.is_ascii_digit()).count();
    let rest = |rest: u32, byte: &u8| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        _ => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
    };
    let told = (15..=34).contains(&kept.len()) && digits * 2 >= kept.len() && whole;
    let sum = kept.iter().cycle().skip(4).take(kept.len()).fold(0, rest);
    (told && sum == 1).then_some(Span::new(start, end, "iban", Rank::Personal))
}
