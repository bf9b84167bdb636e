//! A change from one thing to another, and why, in one line: `auth: JWT→sessions (tokens too large)`. Where a sentence
//! tells of none, there is none: nothing is guessed.

use super::plain::{clipped, count, one_line, terse};

/// Longer ends are no names of things but half a story.
const END_CHARS: usize = 48;
const REASON_CHARS: usize = 64;
const SUBJECT_CHARS: usize = 32;

/// Before these begins the reason.
const REASONS: &[&str] =
    &[" because of ", " because ", " due to ", " so that ", " in order to ", " since ", " as the "];
/// After these the new end of a change says no more about it.
const AFTER: &[&str] =
    &[", which ", ", and ", ", but ", " and then ", ", so ", " when ", " while ", " after ", "; ", ", "];
/// What stands between somebody and what they changed.
const CHANGES: &[&str] =
    &["switched", "switch", "moved", "migrated", "migrate", "changed", "went", "upgraded", "bumped", "renamed"];

#[derive(Debug, PartialEq)]
pub(super) struct Turn {
    subject: String,
    from: String,
    to: String,
    reason: String,
}

impl Turn {
    /// What a sentence tells of a change.
    pub(super) fn of(sentence: &str) -> Option<Turn> {
        let line = one_line(sentence);
        let lower = line.to_ascii_lowercase();
        let (end, reason) = reason(&line, &lower);
        let (line, lower) = (&line[..end], &lower[..end]);
        let mut turn = from_to(line, lower).or_else(|| replaced(line, lower)).or_else(|| instead(line, lower))?;
        turn.reason = reason;
        let is_name = |text: &str| !text.is_empty() && count(text) <= END_CHARS;
        let differ = !turn.from.eq_ignore_ascii_case(&turn.to);
        (is_name(&turn.from) && is_name(&turn.to) && differ).then_some(turn)
    }

    /// In at most `most` characters, without the reason or the subject where there is no room; nothing if even the
    /// change itself has none.
    pub(super) fn line(&self, subject: &str, most: usize) -> Option<String> {
        let core = format!("{}→{}", self.from, self.to);
        let subject = if self.subject.is_empty() { subject } else { &self.subject };
        let known = subject.eq_ignore_ascii_case(&self.from) || subject.eq_ignore_ascii_case(&self.to);
        let lead = if subject.is_empty() || known { core.clone() } else { format!("{subject}: {core}") };
        let whole = (!self.reason.is_empty()).then(|| format!("{lead} ({})", self.reason));
        whole.into_iter().chain([lead, core]).find(|line| count(line) <= most)
    }
}

/// Where the sentence ends without its reason, and the reason in few words.
fn reason(line: &str, lower: &str) -> (usize, String) {
    let found = REASONS.iter().filter_map(|word| Some((lower.find(word)?, word.len())));
    match found.min_by_key(|(at, length)| (*at, usize::MAX - *length)) {
        Some((at, length)) if at > 0 => {
            let rest = &line[at + length..];
            let end = rest.find([';', '.']).filter(|at| rest[*at..].len() == 1 || rest[at + 1..].starts_with(' '));
            (at, clipped(&terse(&rest[..end.unwrap_or(rest.len())]), REASON_CHARS))
        }
        _ => (line.len(), String::new()),
    }
}

/// `switched [the auth layer] from X to Y`, `auth moved from X to Y`.
fn from_to(line: &str, lower: &str) -> Option<Turn> {
    let (verb, length) = word_of(lower, CHANGES)?;
    let after = verb + length;
    let from = find(lower, " from ", after)?;
    let to = find(lower, " to ", from + 6)?;
    let object = name(&line[after..from]);
    let before = name(&line[..verb]);
    let subject = if object.is_empty() { before } else { object };
    Some(turn(subject, &line[from + 6..to], until_next(&line[to + 4..])))
}

/// `replaced X with Y`, `replace X by Y`.
fn replaced(line: &str, lower: &str) -> Option<Turn> {
    let (verb, length) = word_of(lower, &["replaced", "replacing", "replace", "swapped"])?;
    let after = verb + length;
    let (with, between) =
        [" with ", " by ", " for "].iter().filter_map(|word| Some((find(lower, word, after)?, word.len()))).min()?;
    Some(turn(String::new(), &line[after..with], until_next(&line[with + between..])))
}

/// `use Y instead of X`: what came before it is the old one.
fn instead(line: &str, lower: &str) -> Option<Turn> {
    let (at, length) =
        [" instead of ", " rather than "].iter().filter_map(|word| Some((lower.find(word)?, word.len()))).min()?;
    let before = &line[..at];
    let (verb, used) =
        word_of(&lower[..at], &["uses", "use", "using", "used", "chose", "prefer", "picked", "adopted"])?;
    Some(turn(String::new(), until_next(&line[at + length..]), &before[verb + used..]))
}

fn turn(subject: String, from: &str, to: &str) -> Turn {
    let subject = if count(&subject) <= SUBJECT_CHARS { subject } else { String::new() };
    Turn { subject, from: name(from), to: name(to), reason: String::new() }
}

/// Without articles, pronouns and what is around it.
fn name(text: &str) -> String {
    let text = text.trim().trim_matches(|c: char| matches!(c, '.' | ',' | ';' | ':' | '!' | '"' | '(' | ')'));
    if text.is_empty() { String::new() } else { filled(text) }
}

/// Nothing, if there are only words that hold others together.
fn filled(text: &str) -> String {
    let short = terse(text);
    let is_filler = terse(&format!("{short} x")) == "x";
    if is_filler { String::new() } else { short }
}

fn until_next(text: &str) -> &str {
    let lower = text.to_ascii_lowercase();
    let end = AFTER.iter().filter_map(|word| lower.find(word)).min().unwrap_or(text.len());
    &text[..end]
}

/// The first of these words that stands alone.
fn word_of(lower: &str, words: &[&str]) -> Option<(usize, usize)> {
    let alone = |at: usize, word: &str| {
        let before = lower[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
        before && lower[at + word.len()..].starts_with(' ')
    };
    words
        .iter()
        .filter_map(|word| Some((lower.match_indices(word).find(|(at, _)| alone(*at, word))?.0, word.len())))
        .min_by_key(|(at, length)| (*at, usize::MAX - *length))
}

fn find(lower: &str, word: &str, start: usize) -> Option<usize> {
    Some(start + lower.get(start..)?.find(word)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_with_its_reason_is_one_line() {
        let check = |sentence: &str, expected: Option<&str>| {
            let line = Turn::of(sentence).and_then(|turn| turn.line("", 160));
            assert_eq!(line.as_deref(), expected, "{sentence}");
        };
        check("Auth switched from JWT to sessions because of size.", Some("Auth: JWT→sessions (size)"));
        check(
            "We switched the auth layer from JWT to server-side sessions because the tokens were too large.",
            Some("auth layer: JWT→server-side sessions (tokens too large)"),
        );
        check("Replaced `moment` with `date-fns`, which is smaller.", Some("`moment`→`date-fns`"));
        check("We use Postgres instead of MySQL due to JSON support.", Some("MySQL→Postgres (JSON support)"));
        check("Migrated from Travis to GitHub Actions.", Some("Travis→GitHub Actions"));
        check("Moved the file.", None);
        check("It goes from bad to worse.", None);
        check("", None);
        check("replaced with", None);
    }

    #[test]
    fn where_there_is_no_room_the_reason_goes_first() {
        let turn = Turn::of("Auth switched from JWT to sessions because the tokens are large").unwrap();
        assert_eq!(turn.line("", 20).as_deref(), Some("Auth: JWT→sessions"));
        assert_eq!(turn.line("", 13).as_deref(), Some("JWT→sessions"));
        assert_eq!(turn.line("", 3), None);
    }
}
