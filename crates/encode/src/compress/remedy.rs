//! What was wrong and what put it right, in one line: `dates parsed in local time → parse as UTC`. Only where the text
//! says what the fix was.

use super::plain::{clipped, count, one_line, terse};

const FIXES: &[&str] = &[
    "fixed by ",
    "fixed it by ",
    "fixed this by ",
    "fixed with ",
    "solved by ",
    "resolved by ",
    "the fix was to ",
    "the fix is to ",
    "fix was to ",
    "fix is to ",
    "fix: ",
    "fixed to ",
    "fix to ",
    "workaround: ",
    "solution: ",
];
const CAUSES: &[&str] = &[
    "root cause was ",
    "root cause is ",
    "root cause: ",
    "caused by ",
    "because ",
    "due to ",
    "cause: ",
    "cause was ",
];

/// Nothing where no fix is told.
pub(super) fn line(sentences: &[&str], most: usize) -> Option<String> {
    let (at, fix, before) = sentences.iter().enumerate().find_map(|(at, sentence)| {
        let line = one_line(sentence);
        let (start, end) = place(&line, FIXES)?;
        let fix = clause(&line[end..]);
        (count(&fix) > 2).then(|| (at, fix, line[..start].to_owned()))
    })?;
    let told = sentences.iter().find_map(|sentence| {
        let line = one_line(sentence);
        let (_, end) = place(&line, CAUSES)?;
        Some(clause(&line[end..]))
    });
    // Without a cause, what went wrong is what was said before the fix.
    let before = [before.as_str(), if at > 0 { sentences[at - 1] } else { "" }].map(|text| terse(&one_line(text)));
    let cause = told.filter(|cause| count(cause) > 2).or_else(|| before.into_iter().find(|text| count(text) > 2));
    let fix = clipped(&fix, most * 3 / 5);
    if fix.is_empty() {
        return None;
    }
    let Some(cause) = cause.filter(|cause| !fix.contains(cause.as_str())) else { return Some(fix) };
    let room = most.saturating_sub(count(&fix) + 3);
    Some(if room < 8 { fix } else { format!("{} → {fix}", clipped(&cause, room)) })
}

/// Where the first of these phrases begins and ends, as whole words.
fn place(line: &str, phrases: &[&str]) -> Option<(usize, usize)> {
    let lower = line.to_ascii_lowercase();
    let found = phrases.iter().filter_map(|phrase| {
        let alone = |at: &usize| lower[..*at].chars().next_back().is_none_or(|before| !before.is_alphanumeric());
        let at = lower.match_indices(phrase).map(|(at, _)| at).find(alone)?;
        Some((at, at + phrase.len()))
    });
    found.min_by_key(|(at, end)| (*at, usize::MAX - end))
}

/// Up to the end of what is said, in few words.
fn clause(text: &str) -> String {
    let end = ["; ", ". ", " because ", ", which ", ", so "].iter().filter_map(|stop| text.find(stop)).min();
    terse(&text[..end.unwrap_or(text.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cause_and_fix_are_one_line() {
        let check = |sentences: &[&str], expected: Option<&str>| {
            assert_eq!(line(sentences, 160).as_deref(), expected, "{sentences:?}");
        };
        check(
            &["The report test failed because dates were parsed in local time.", "Fixed by parsing them as UTC."],
            Some("dates parsed in local time → parsing them as UTC"),
        );
        check(
            &["Login timed out.", "The fix was to raise the pool size to 20."],
            Some("Login timed out → raise pool size to 20"),
        );
        check(&["Fix: pin jinja2 below 3.1"], Some("pin jinja2 below 3.1"));
        check(&["Tests pass."], None);
        check(&["The prefix: none of it"], None);
    }

    #[test]
    fn there_is_no_more_than_was_asked_for() {
        let long =
            ["It broke because of the many words that were said about it.", "Fixed by saying fewer words about it."];
        for most in [10, 20, 40] {
            assert!(count(&line(&long, most).unwrap()) <= most);
        }
    }
}
