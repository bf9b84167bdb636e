//! The parts of a commit's subject: a conventional type, a scope or an area, and the words themselves without the
//! numbers of tickets around them.

/// `fix(parser)!: stop at the end (#12)`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Subject<'a> {
    /// The conventional type in lower case: `fix`.
    pub(super) kind: Option<String>,
    /// The conventional scope, or the area many projects put in front: `parser: …`.
    pub(super) scope: Option<&'a str>,
    /// Declared with a `!`.
    pub(super) breaking: bool,
    /// A ticket stood beside it under the word "Fixed": `Fixed #12 -- …`, `… (fixes #12)`.
    pub(super) fixes_ticket: bool,
    pub(super) text: &'a str,
}

const TYPES: [&str; 22] = [
    "fix",
    "bugfix",
    "hotfix",
    "bug",
    "feat",
    "feature",
    "perf",
    "refactor",
    "cleanup",
    "docs",
    "doc",
    "test",
    "tests",
    "chore",
    "build",
    "ci",
    "style",
    "deps",
    "release",
    "revert",
    "security",
    "deprecate",
];
const MOST_SCOPE: usize = 32;

impl<'a> Subject<'a> {
    pub(super) fn parse(line: &'a str) -> Subject<'a> {
        let (fixed_behind, line) = without_ticket_behind(line.trim());
        let (fixed_before, line) = without_ticket_before(line);
        let fixes_ticket = fixed_behind || fixed_before;
        let plain = Subject { kind: None, scope: None, breaking: false, fixes_ticket, text: line };
        let Some((head, text)) = line.split_once(':').map(|(head, text)| (head.trim(), text.trim())) else {
            return plain;
        };
        // `std::mem` and `C:\` are no areas.
        if head.is_empty() || text.is_empty() || !line[head.len()..].trim_start_matches(' ').starts_with(": ") {
            return plain;
        }
        let (head, breaking) = head.strip_suffix('!').map_or((head, false), |head| (head, true));
        let (word, scope) = match head.split_once('(') {
            Some((word, scope)) => (word.trim(), scope.strip_suffix(')').map(str::trim)),
            None => (head, None),
        };
        let scope = scope.filter(|scope| !scope.is_empty() && scope.len() <= MOST_SCOPE);
        let kind = TYPES.iter().find(|known| known.eq_ignore_ascii_case(word)).map(|known| (*known).to_owned());
        if kind.is_some() {
            return Subject { kind, scope, breaking, text: inner_text(text), ..plain };
        }
        let is_area = word.len() <= MOST_SCOPE
            && !breaking
            && !word.is_empty()
            && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '.' | ','));
        if !is_area {
            return plain;
        }
        let area = word.split([',', '/']).find(|part| !part.is_empty()).filter(|_| !word.contains("..")).or(scope);
        Subject { scope: area, text, ..plain }
    }
}

/// `fix: Fix the lock` needs the ticket away once more.
fn inner_text(text: &str) -> &str {
    without_ticket_before(text).1
}

/// `… (#123)`, `… (fixes #12, #13)`, as hosts and people add them.
fn without_ticket_behind(mut line: &str) -> (bool, &str) {
    const WORDS: [&str; 10] = ["fix", "fixes", "fixed", "closes", "close", "closed", "refs", "ref", "resolves", "see"];
    let mut fixes = false;
    while let Some((before, ticket)) = line.strip_suffix(')').and_then(|rest| rest.rsplit_once('(')) {
        let parts = || ticket.split([',', ' ']).filter(|part| !part.is_empty());
        let is_word = |part: &str| WORDS.contains(&part.trim_end_matches(':').to_ascii_lowercase().as_str());
        let has_ticket = parts().any(is_ticket) && parts().all(|part| is_ticket(part) || is_word(part));
        if ticket.len() > 40 || !has_ticket || before.trim().is_empty() {
            break;
        }
        fixes |= parts().any(|part| part.to_ascii_lowercase().starts_with("fix"));
        line = before.trim_end();
    }
    (fixes, line)
}

/// `Fixed #12 -- …`, `Refs #12, #13: …`, `ABC-123: …`, `[ABC-123] …`
fn without_ticket_before(line: &str) -> (bool, &str) {
    let mut rest = line;
    let (mut fixes, mut tickets) = (false, 0);
    loop {
        let word = rest.split_whitespace().next().unwrap_or("");
        let bare = word.trim_matches(|c: char| matches!(c, '[' | ']' | ',' | ':' | '(' | ')'));
        let opens = ["fixed", "fixes", "fix", "refs", "ref", "closes", "closed", "issue", "and"];
        if is_ticket(bare) {
            tickets += 1;
        } else if opens.contains(&bare.to_ascii_lowercase().as_str()) && followed_by_ticket(rest, word) {
            fixes |= bare.to_ascii_lowercase().starts_with("fix");
        } else {
            break;
        }
        rest = rest[word.len()..].trim_start();
    }
    let rest = rest.trim_start_matches(['-', '–', '—', ':', ' ']);
    if tickets == 0 || rest.is_empty() { (false, line) } else { (fixes, rest) }
}

fn followed_by_ticket(rest: &str, word: &str) -> bool {
    let next = rest[word.len()..].split_whitespace().next().unwrap_or("");
    is_ticket(next.trim_matches([',', ':', '[', ']', '(', ')']))
}

/// `#12`, `GH-12`, `ABC-1234`, `owner/name#12`
fn is_ticket(word: &str) -> bool {
    if let Some((place, number)) = word.split_once('#') {
        let number = number.trim_end_matches('.');
        return !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && !place.chars().any(char::is_whitespace);
    }
    word.split_once('-').is_some_and(|(project, number)| {
        (2..=10).contains(&project.len())
            && project.bytes().all(|byte| byte.is_ascii_uppercase())
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// What a revert takes back: `Revert "…"`, `revert: …`, `core: revert "…"`. `Revert to …` goes back to something, and
/// whatever else is told without quotes may be said either way.
pub(super) fn reverted(line: &str) -> Option<&str> {
    let (_, line) = without_ticket_behind(line.trim());
    let line = match Subject::parse(line) {
        subject if subject.kind.as_deref() == Some("revert") => {
            return Some(unquoted(subject.text)).filter(|text| !text.to_ascii_lowercase().starts_with("to "));
        }
        subject if subject.scope.is_some() && subject.kind.is_none() => subject.text,
        _ => line,
    };
    let (word, rest) = line.split_once(char::is_whitespace)?;
    let is_revert = ["revert", "reverts", "reverted"].iter().any(|known| word.eq_ignore_ascii_case(known));
    let quoted = rest.trim_start().starts_with(['"', '“', '\'', '`']);
    (is_revert && quoted).then(|| unquoted(rest)).filter(|rest| !rest.is_empty())
}

/// `"Use mmap" related changes` is told by what stands in the quotes.
fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let Some(opened) = text.strip_prefix(['"', '“', '\'', '`']) else { return text };
    opened.rfind(['"', '”', '\'', '`']).map_or(opened, |end| &opened[..end]).trim_end_matches('…').trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, kind: Option<&str>, scope: Option<&str>, text: &str) {
        let subject = Subject::parse(line);
        assert_eq!((subject.kind.as_deref(), subject.scope, subject.text), (kind, scope, text), "{line}");
    }

    #[test]
    fn types_scopes_areas_and_tickets_are_told_apart_from_the_words() {
        check("fix(parser): stop at the end (#12)", Some("fix"), Some("parser"), "stop at the end");
        check("feat!: drop Python 3.7", Some("feat"), None, "drop Python 3.7");
        check("Fixed #36027 -- Made rendering thread-sensitive.", None, None, "Made rendering thread-sensitive.");
        check("Refs #1, #2 -- Added a test.", None, None, "Added a test.");
        check("ABC-123: Retry twice", None, None, "Retry twice");
        check("RED-129256, Fix TOUCH command (#13512)", None, None, "Fix TOUCH command");
        check("ignore,globset: increase pool", None, Some("ignore"), "increase pool");
        check("doc/guide: say more", None, Some("doc"), "say more");
        check("Use std::mem::take", None, None, "Use std::mem::take");
        check("Note: this is prose", None, Some("Note"), "this is prose");
        check("Make the parser strict: no more guessing", None, None, "Make the parser strict: no more guessing");
        check("Stop at the end (fixes #12, #13)", None, None, "Stop at the end");
        check("Handle a call (twice)", None, None, "Handle a call (twice)");
        check("#12", None, None, "#12");
        check("", None, None, "");
        assert!(Subject::parse("refactor(api)!: rename").breaking);
        assert!(Subject::parse("Fixed #12 -- X").fixes_ticket);
        assert!(!Subject::parse("Refs #12 -- X").fixes_ticket);
    }

    #[test]
    fn what_a_revert_takes_back_is_found_in_every_spelling() {
        for (line, expect) in [
            ("Revert \"Use mmap for reads\"", Some("Use mmap for reads")),
            ("Revert \"Use mmap (#12)\" (#13)", Some("Use mmap (#12)")),
            ("revert: use mmap", Some("use mmap")),
            ("Reverted \"x\".", Some("x")),
            ("core: revert \"use mmap\"", Some("use mmap")),
            ("Revert to reading files", None),
            ("revert: to reading files", None),
            ("Revert the way files are read", None),
            ("Reverting is hard", None),
            ("revert", None),
        ] {
            assert_eq!(reverted(line), expect, "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_subject_makes_the_parser_panic(line in "[\\PC#():! \u{e9}\"-]{0,80}") {
            let _ = (Subject::parse(&line), reverted(&line));
        }
    }
}
