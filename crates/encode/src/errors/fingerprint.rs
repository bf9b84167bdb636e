//! What makes two reports the same failure: a message without the accidents of one run, and a hash over it.
//!
//! Kept: identifiers, quoted words, error codes, exit codes, HTTP statuses, file names. Dropped: other numbers, line
//! and column numbers, addresses, hashes, ids, times, durations, temporary folders and the directories above a file.

use std::sync::LazyLock;

use regex::Regex;

use super::block::Draft;
use super::line::{head, pattern};
use super::{Frame, frames};

const MOST_BYTES: usize = 4096;

/// Words after which a number says which failure it is.
const TELLING: &[&str] = &[
    "status",
    "statuscode",
    "status_code",
    "http",
    "code",
    "errno",
    "exit",
    "exitcode",
    "exit_code",
    "returncode",
    "signal",
    "error",
    "sqlstate",
    "oserror",
    "winerror",
];

static UUID: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"));
static TIME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b\d{4}[-/]\d\d[-/]\d\d(?:[T_ ]\d\d[:_-]\d\d(?:[:_-]\d\d)?(?:[.,_]\d+)?)?(?:Z|[+-]\d\d:?\d\d\b)?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b",
    )
});
static PATH: LazyLock<Regex> = LazyLock::new(|| {
    // A scheme, a drive or a leading slash; relative paths are left as they are.
    pattern(r#"(?:[a-z][a-z+.-]*://|\b[A-Za-z]:[\\/]|(?:^|[\s"'`‘“(=:,\[<])[/\\~])[^\s"'`’”()<>,;|\]]*"#)
});
static REPEATED: LazyLock<Regex> = LazyLock::new(|| pattern(r"<n>(?:(?:, ?| )<n>)+"));
static NESTED_LINE: LazyLock<Regex> = LazyLock::new(|| pattern(r" \(line \d+\)$"));

/// The message as it would read in any run: the accidents are replaced by `<n>`, `<addr>`, `<hash>`, `<time>`, ….
pub fn normalise(message: &str) -> String {
    let message = head(message, MOST_BYTES);
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = UUID.replace_all(&message, "<uuid>");
    let message = TIME.replace_all(&message, "<time>");
    let message = PATH.replace_all(&message, |found: &regex::Captures<'_>| shortened(&found[0]));
    let message = without_numbers(&message);
    REPEATED.replace_all(&message, "<n>").into_owned()
}

/// An absolute path or address by its last segments, with the character before it that the pattern took along.
fn shortened(found: &str) -> String {
    let (before, path) = match found.chars().next() {
        Some(first) if !first.is_ascii_alphabetic() && !matches!(first, '/' | '\\' | '~') => {
            found.split_at(first.len_utf8())
        }
        _ => ("", found),
    };
    let bare = path.trim_end_matches(['.', ':', '!', '?']);
    let after = &path[bare.len()..];
    if let Some((scheme, rest)) = bare.split_once("://").filter(|(scheme, _)| *scheme != "file") {
        let rest = rest.split(['?', '#']).next().unwrap_or(rest);
        return format!("{before}{scheme}://{rest}{after}");
    }
    format!("{before}{}{after}", file_key(bare))
}

/// Folders that lie inside a project, never around one.
const INSIDE: &[&str] = &[
    "src",
    "lib",
    "libs",
    "test",
    "tests",
    "spec",
    "specs",
    "pkg",
    "cmd",
    "internal",
    "packages",
    "crates",
    "modules",
    "components",
    "benches",
    "examples",
    "scripts",
    "include",
    "__tests__",
];
/// Folders in a home directory that hold projects.
const AROUND: &[&str] = &["src", "dev", "code", "work", "projects", "repos", "git", "Documents", "workspace"];
/// Names that say nothing without their folder.
const NAMELESS: &[&str] = &["mod", "index", "__init__", "__main__"];

/// A file by its last two segments; where a path is absolute and its folder may be the checkout's own, by its name
/// alone. So checkouts in different directories agree.
pub(super) fn file_key(path: &str) -> String {
    let path = path.strip_prefix("file://").unwrap_or(path).replace('\\', "/");
    let absolute = path.starts_with('/') || path.starts_with('~') || path.as_bytes().get(1) == Some(&b':');
    let segments: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect();
    let Some((name, above)) = segments.split_last() else { return path };
    let inner = match above {
        ["usr", "src", rest @ ..] | ["home" | "Users" | "root", _, rest @ ..] | [_, "Users", _, rest @ ..] => rest,
        rest => rest,
    };
    let inner = match inner {
        [first, rest @ ..] if inner.len() < above.len() && !rest.is_empty() && AROUND.contains(first) => rest,
        rest => rest,
    };
    let nameless = NAMELESS.contains(&name.split('.').next().unwrap_or_default());
    let keeps_folder = !absolute || nameless || inner.iter().any(|folder| INSIDE.contains(folder));
    match above.last() {
        Some(folder) if keeps_folder => format!("{folder}/{name}"),
        _ => (*name).to_owned(),
    }
}

fn without_numbers(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut word = String::new();
    let mut telling = false;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = message;
    while let Some(first) = rest.chars().next() {
        if first == '<'
            && let Some(mark) = ["<uuid>", "<time>"].iter().find(|mark| rest.starts_with(**mark))
        {
            out.push_str(mark);
            rest = &rest[mark.len()..];
            continue;
        }
        if !is_word(first) {
            // Only what may stand between `status` and its number keeps the number telling.
            telling &= matches!(first, ' ' | ':' | '=' | '(' | '[' | '"' | '\'' | '#');
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        let run = &rest[..end];
        let after = &rest[end..];
        let (shown, taken) = run_shown(run, after, telling, &out, &word);
        out.push_str(&shown);
        rest = &after[taken..];
        if !run.chars().all(|c| c.is_ascii_digit()) {
            let lower = run.to_ascii_lowercase();
            // `exit code`, `exited with code`, `status is 3` lead to the number as well.
            telling = TELLING.contains(&lower.as_str()) || (telling && matches!(lower.as_str(), "is" | "was" | "of"));
            word = lower;
        } else {
            telling = false;
        }
    }
    out
}

/// How a run of letters and digits is shown, and how many bytes after it belong to it.
fn run_shown(run: &str, after: &str, telling: bool, out: &str, word: &str) -> (String, usize) {
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    if digits == 0 {
        return (run.to_owned(), 0);
    }
    if digits == run.len() {
        return number(run, after, telling, out, word);
    }
    let lower = run.to_ascii_lowercase();
    if lower.starts_with("0x") && lower[2..].bytes().all(|b| b.is_ascii_hexdigit()) {
        return ("<addr>".into(), 0);
    }
    if run.len() >= 7 && digits >= 2 && run.bytes().all(|b| b.is_ascii_hexdigit()) {
        return ("<hash>".into(), 0);
    }
    let starts_with_digit = run.starts_with(|c: char| c.is_ascii_digit());
    if starts_with_digit && run.is_ascii() {
        // `5ms`, `10MB`, `3rd`: the unit says what it is.
        let unit = run.trim_start_matches(|c: char| c.is_ascii_digit());
        if unit.len() <= 4 && !unit.contains(|c: char| c.is_ascii_digit()) {
            return (format!("<n>{unit}"), 0);
        }
    }
    let mixed = |test: fn(&u8) -> bool| run.as_bytes().iter().any(test);
    let random = run.len() >= 16 && mixed(u8::is_ascii_uppercase) && mixed(u8::is_ascii_lowercase) && digits >= 3;
    let temporary = lower.starts_with("tmp") && run.len() >= 8;
    if random || temporary || (starts_with_digit && run.len() >= 12) {
        return ("<id>".into(), 0);
    }
    (run.to_owned(), 0)
}

/// A whole number, with the decimals, groups and unit that follow.
fn number(run: &str, after: &str, telling: bool, out: &str, word: &str) -> (String, usize) {
    let status = run.len() == 3 && matches!(run.as_bytes()[0], b'4' | b'5') && reason_follows(after);
    if (telling && run.len() <= 6 && !(word == "error" && run.len() < 3)) || status {
        return (run.to_owned(), 0);
    }
    if out.ends_with("http/") || out.ends_with("HTTP/") {
        return (run.to_owned(), 0);
    }
    let mut taken = 0;
    while let Some(rest) = after[taken..].strip_prefix(['.', ',', ':']) {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        // `1, 2` is two numbers and `3.` ends a sentence; `3.5s` goes on with its unit below.
        if digits == 0 {
            break;
        }
        taken += 1 + digits;
    }
    ("<n>".into(), taken)
}

/// `404 Not Found`, `503 Service Unavailable`: a status by what stands after it.
fn reason_follows(after: &str) -> bool {
    [
        "bad",
        "unauthorized",
        "forbidden",
        "not found",
        "method",
        "conflict",
        "gone",
        "too many",
        "internal",
        "service",
        "gateway",
        "unprocessable",
        "client error",
        "server error",
        "payload",
        "request timeout",
    ]
    .iter()
    .any(|reason| {
        let after = after.trim_start_matches([' ', ':', '-', '(']);
        after.get(..reason.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(reason))
    })
}

/// 16 hex digits over what the failure is, not where or when it was seen.
pub(super) fn of(draft: &Draft, message: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    let test = draft.test.as_deref().map(|test| NESTED_LINE.replace(test, "").into_owned());
    let parts =
        [draft.tool.family(), &draft.kind, &normalise(message), &site(draft), test.as_deref().unwrap_or_default()];
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update(&[0]);
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// Where the failure lives: a file without its line, and the function where the tool always names one.
fn site(draft: &Draft) -> String {
    if let Some(site) = &draft.site {
        return file_key(site);
    }
    match (frames::top(&draft.frames), &draft.place) {
        (Some(frame), _) => format!("{} {}", file_key(&frame.file), function_key(frame)),
        (None, Some(place)) => file_key(&place.file),
        (None, None) => String::new(),
    }
}

/// A function without what compilers number anew in every build.
fn function_key(frame: &Frame) -> String {
    static NUMBERED: LazyLock<Regex> = LazyLock::new(|| pattern(r"::h[0-9a-f]{16}$|\$\d+|0x[0-9a-f]+|\(\.\.\.\)$"));
    NUMBERED.replace_all(frame.function.as_deref().unwrap_or_default(), "").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(message: &str, expect: &str) {
        assert_eq!(normalise(message), expect, "{message}");
    }

    #[test]
    fn accidents_of_a_run_are_dropped() {
        check("index 7 is out of 3", "index <n> is out of <n>");
        check("object at 0x7f38bf0b7750 is gone", "object at <addr> is gone");
        check("id 123e4567-e89b-12d3-a456-426614174000 unknown", "id <uuid> unknown");
        check("commit ab12cd34ef is missing", "commit <hash> is missing");
        check("at 2026-11-15T09:05:37.123Z: late", "at <time>: late");
        check("at 2026-11-15 09:05:37,5 late", "at <time> late");
        check("took 5.2s, limit 120ms", "took <n>s, limit <n>ms");
        check("cannot bind 127.0.0.1:8080", "cannot bind <n>");
        check("open '/tmp/none-ab12cd34/orders.json'", "open 'orders.json'");
        check("worker-3 died (pid 4711)", "worker-<n> died (pid <n>)");
        check("assert [1, 2, 3] == [1, 2]", "assert [<n>] == [<n>]");
    }

    #[test]
    fn checkouts_in_other_directories_agree() {
        for path in ["/home/a/proj/src/x.rs", "C:\\work\\proj\\src\\x.rs", "file:///build/src/x.rs"] {
            check(&format!("cannot read {path}: gone"), "cannot read src/x.rs: gone");
        }
        check("cannot read src/x.rs: gone", "cannot read src/x.rs: gone");
        for root in ["/app", "/home/ada/shop", "/home/ada/src/shop", "/srv/build/7/shop", "/usr/src/app", "C:\\work"] {
            assert_eq!(file_key(&format!("{root}/main.py")), "main.py", "{root}");
            assert_eq!(file_key(&format!("{root}/src/cart/mod.rs")), "cart/mod.rs", "{root}");
        }
        assert_eq!(file_key("./main.go"), "main.go");
    }

    #[test]
    fn what_tells_failures_apart_is_kept() {
        check("E0308 TS2322 utf8 sha256 user_2 Vec3", "E0308 TS2322 utf8 sha256 user_2 Vec3");
        check("exit code 2", "exit code 2");
        check("exited with exit status: 101", "exited with exit status: 101");
        check("status=503 from host", "status=503 from host");
        check("404 Client Error: Not Found", "404 Client Error: Not Found");
        check("got HTTP 500", "got HTTP 500");
        check("[Errno 13] denied", "[Errno 13] denied");
        check("no field `total` on type `Cart`", "no field `total` on type `Cart`");
        assert_ne!(normalise("KeyError: 'apple'"), normalise("KeyError: 'pear'"));
    }

    #[test]
    fn addresses_on_the_net_keep_their_host() {
        check("GET http://localhost:4711/orders/17?x=1 failed", "GET http://localhost:<n>/orders/<n> failed");
        assert_ne!(normalise("https://a.example/x"), normalise("https://b.example/x"));
    }
}
