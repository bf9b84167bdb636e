//! Lines that stand around a message and are no part of it: code, trailers, references, addresses, the frame of a form.

pub(super) fn is_code(line: &str) -> bool {
    let deep = line.starts_with("    ") || line.starts_with('\t');
    let in_list = line.trim_start().starts_with(['-', '*', '+']);
    (deep && !in_list)
        || ["> ", ">>> ", "$ ", "diff --git", "Traceback ", "File \""]
            .iter()
            .any(|mark| line.trim_start().starts_with(mark))
}

pub(super) fn is_numbered(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    (1..=2).contains(&digits) && line[digits..].starts_with([')', '.']) && line[digits + 1..].starts_with(' ')
}

/// Headings, rules, trailers, references and addresses: around the message, not part of it.
pub(super) fn is_apparatus(line: &str) -> bool {
    let is_rule = line.chars().all(|c| matches!(c, '-' | '=' | '*' | '_' | '~' | '#' | ' '));
    let is_checkbox = line.contains("[ ] ") || line.to_ascii_lowercase().contains("[x] ");
    is_rule || is_checkbox || heading(line).is_some() || is_trailer(line) || is_reference(line)
}

/// `## Summary`, `**Motivation**` or `Test plan:` on a line of its own.
pub(super) fn heading(line: &str) -> Option<&str> {
    let bare = line.trim_start_matches('#');
    if bare.len() < line.len() && bare.starts_with(' ') {
        return Some(bare.trim());
    }
    let strong = line.strip_prefix("**").and_then(|rest| rest.trim_end_matches(':').strip_suffix("**"));
    let short = line.strip_suffix(':').filter(|line| {
        line.split_whitespace().count() <= 3 && line.starts_with(char::is_uppercase) && !line.contains('`')
    });
    strong.or(short).map(|heading| heading.trim_end_matches(':').trim())
}

const TRAILERS: [&str; 16] = [
    "signed-off-by",
    "co-authored-by",
    "change-id",
    "reviewed-by",
    "acked-by",
    "tested-by",
    "reported-by",
    "cc",
    "suggested-by",
    "pr-url",
    "reviewed-on",
    "differential revision",
    "git-svn-id",
    "gerrit",
    "link",
    "test plan",
];

pub(super) fn is_trailer(line: &str) -> bool {
    let Some((key, value)) = line.split_once(':') else { return false };
    let key = key.trim().to_ascii_lowercase();
    // `Some-Key: value` is a trailer, whoever invented the key; `note: value` is prose.
    let is_key =
        key.contains('-') && !key.contains(' ') && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    !value.is_empty()
        && (TRAILERS.contains(&key.as_str())
            || (is_key && key.len() <= 32 && line.starts_with(|c: char| c.is_ascii_uppercase())))
}

/// Nothing but what it closes or follows: `Fixes #12, closes #13`, `PR Close #4`, `See also: …`.
pub(super) fn is_reference(line: &str) -> bool {
    const WORDS: [&str; 28] = [
        "fix",
        "fixes",
        "fixed",
        "close",
        "closes",
        "closed",
        "resolve",
        "resolves",
        "resolved",
        "ref",
        "refs",
        "see",
        "also",
        "issue",
        "issues",
        "pr",
        "part",
        "of",
        "bug",
        "followup",
        "follow",
        "up",
        "follow-up",
        "to",
        "and",
        "backport",
        "related",
        "addresses",
    ];
    let mut numbers = 0;
    for word in line.split_whitespace() {
        let bare = word.trim_matches(|c: char| matches!(c, ',' | '.' | ':' | ';' | '(' | ')' | '[' | ']'));
        let is_id = bare.len() >= 7 && bare.bytes().all(|byte| byte.is_ascii_hexdigit());
        if bare.contains('#') || bare.contains("://") || is_id {
            numbers += 1;
        } else if !bare.is_empty() && !WORDS.contains(&bare.to_ascii_lowercase().as_str()) {
            return false;
        }
    }
    numbers > 0
}

/// Nothing but an address, or the address of a build.
pub(super) fn is_address(line: &str) -> bool {
    const HOSTS: [&str; 8] = [
        "/actions/runs/",
        "travis-ci.",
        "circleci.com",
        "appveyor.com",
        "buildkite.com",
        "/-/pipelines/",
        "/-/jobs/",
        "jenkins",
    ];
    line.contains("://") && (!line.contains(' ') || HOSTS.iter().any(|host| line.contains(host)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trailer_has_a_key_that_is_no_prose() {
        for line in ["Signed-off-by: Ada <a@b>", "Change-Id: I12", "Cc: Bob", "X-Made-Up: yes"] {
            assert!(is_trailer(line), "{line}");
        }
        for line in ["Note: this is prose", "The well-known case: it fails", "semi-colon: lower case", "Empty-Key:"] {
            assert!(!is_trailer(line), "{line}");
        }
    }

    #[test]
    fn a_reference_says_nothing_but_what_it_closes() {
        for line in ["Fixes #12, closes #13", "PR Close #4", "See https://example.org", "Follow-up to 0bba6363b0ec."] {
            assert!(is_reference(line), "{line}");
        }
        for line in ["Fixes the lock of #12", "see the guide", "", "issue"] {
            assert!(!is_reference(line), "{line}");
        }
    }
}
