//! The paragraphs of a commit's body: what a person wrote for a person, without code, quotes, lists, trailers, the form
//! of a pull request, and the messages that a squash strings together.

use super::apparatus::{heading, is_address, is_apparatus, is_code, is_numbered, is_reference, is_trailer};

const MOST_BYTES: usize = 16 * 1024;
const MOST_PARAGRAPHS: usize = 40;
/// Longer ones are tables and logs.
const MOST_SENTENCE_BYTES: usize = 500;

/// Sentences by paragraph.
#[derive(Clone, Debug, Default)]
pub(super) struct Prose {
    pub(super) paragraphs: Vec<Vec<String>>,
}

impl Prose {
    pub(super) fn parse(body: &str) -> Prose {
        let told = paragraphs(without_squashed(head(body)));
        let told = told.iter().map(|text| sentences_of(text)).filter(|sentences| !sentences.is_empty());
        Prose { paragraphs: told.take(MOST_PARAGRAPHS).collect() }
    }
}

fn head(body: &str) -> &str {
    &body[..body.floor_char_boundary(MOST_BYTES)]
}

/// A squash lists the messages it was made of as `* subject` between blank lines; each is a commit of its own.
fn without_squashed(body: &str) -> &str {
    let mut at = 0;
    let mut blank_before = true;
    let mut lines = body.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let blank_behind = lines.peek().is_none_or(|next| next.trim().is_empty());
        if line.starts_with("* ") && blank_before && blank_behind {
            return &body[..at];
        }
        blank_before = line.trim().is_empty();
        at += line.len();
    }
    body
}

/// Stands at the end of a paragraph that leads into something left out.
const LEFT_OUT: char = '\u{1}';

/// Every paragraph on one line.
fn paragraphs(body: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let (mut fenced, mut commented, mut in_item, mut in_form, mut blank_before) = (false, false, false, false, true);
    for line in body.lines() {
        let trimmed = line.trim();
        if let Some(heading) = heading(trimmed).filter(|_| !fenced) {
            in_form = is_form(heading);
        }
        let is_fence = trimmed.starts_with("```") || trimmed.starts_with("~~~");
        fenced ^= is_fence;
        commented |= trimmed.contains("<!--");
        if is_numbered(trimmed) || ["* ", "- ", "+ ", "• "].iter().any(|mark| trimmed.starts_with(mark)) {
            in_item = true;
        } else if blank_before && !trimmed.is_empty() && !line.starts_with([' ', '\t']) {
            in_item = false;
        }
        blank_before = trimmed.is_empty();
        let is_hidden = is_fence || fenced || commented || in_form || in_item || is_code(line) || is_address(trimmed);
        commented &= !trimmed.contains("-->");
        if is_hidden || trimmed.is_empty() || is_apparatus(trimmed) {
            // Blank lines may lie between a paragraph and what it leads into.
            let before = found.iter_mut().rfind(|paragraph| !paragraph.is_empty());
            if let Some(before) = before.filter(|before| is_hidden && !blank_before && !before.ends_with(LEFT_OUT)) {
                before.push(LEFT_OUT);
            }
            found.push(String::new());
            continue;
        }
        let Some(paragraph) = found.last_mut() else { continue };
        if !paragraph.is_empty() {
            paragraph.push(' ');
        }
        paragraph.push_str(trimmed);
    }
    found.retain(|paragraph| !paragraph.is_empty());
    found
}

/// Parts of a form that speak of the work on the change, not of the change.
fn is_form(heading: &str) -> bool {
    let heading = heading.to_lowercase();
    [
        "test",
        "checklist",
        "check list",
        "how has this",
        "how was this",
        "screenshot",
        "type of change",
        "todo",
        "verification",
        "validation",
        "release note",
        "changelog",
        "to do",
        "reviewer",
        "deploy",
        "related",
        "reference",
        "next step",
        "follow",
        "docs",
        "documentation",
        "note",
        "files changed",
        "changes",
        "what changed",
        "commit",
    ]
    .iter()
    .any(|opening| heading.starts_with(opening))
}

/// Splits where a sentence ends and another begins, and leaves out what is no sentence.
fn sentences_of(paragraph: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut characters = paragraph.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        // `vec! is a macro` goes on.
        let shouts =
            character != '.' && paragraph[at + character.len_utf8()..].trim_start().starts_with(char::is_lowercase);
        let ends = matches!(character, '.' | '!' | '?')
            && characters.peek().is_some_and(|(_, next)| *next == ' ')
            && !shouts
            && !is_abbreviation(&paragraph[start..at]);
        let east = matches!(character, '。' | '！' | '？');
        if ends || east {
            let end = at + character.len_utf8();
            keep(&paragraph[start..end], &mut found);
            start = end;
        }
    }
    let rest = &paragraph[start..];
    match rest.strip_suffix(LEFT_OUT) {
        // Whoever reads on to nothing learns nothing.
        Some(rest) if !rest.ends_with(['.', '!', '?', ')']) => {}
        rest_without => keep(rest_without.unwrap_or(rest), &mut found),
    }
    found
}

fn keep(sentence: &str, found: &mut Vec<String>) {
    let sentence = sentence.trim();
    // It leads into code or a list that is left out, or asks what nobody answers.
    let dangles =
        [":", ",", "i.e.", "e.g.", " see", " because", "?", "…", "..."].iter().any(|end| sentence.ends_with(end));
    let words = sentence.split_whitespace().count();
    let is_long_enough = words >= 3 || !sentence.is_ascii();
    if is_long_enough && !dangles && !is_aside(sentence) && !is_reference(sentence) {
        found.push(sentence.to_owned());
    }
}

/// Thanks, tests, the talk around a change, and lines of a log that nobody indented.
fn is_aside(sentence: &str) -> bool {
    const OPENINGS: &str = "thanks|thank you|many thanks|add test|adds test|added test|add a test|added a test|add regression|\
        added regression|update test|updated test|cover the|cherry picked|(cherry picked|backport of|co-authored|\
        generated with|🤖|i think|i'm |i am |i believe|i guess|not sure|hopefully|this reverts|reverts |please |\
        see |as discussed|as mentioned|as suggested|note to |todo|fixes #|closes #|edit:|update:|breaking change|\
        by submitting|signed-off|reported by|credit|cc |also,|also |this pr is|this is a follow|this change is part|\
        follow-up|following up|in addition|while |for now";
    const TALK: [&str; 22] = [
        " i think",
        " i guess",
        " i'm not",
        "not sure",
        "no idea",
        "hopefully",
        " lgtm",
        "this pr ",
        "previous commit",
        "last commit",
        "next commit",
        " pull request",
        "changeset",
        "no test",
        "added a test",
        "released yet",
        "bad merge",
        "linter",
        "i can't",
        "earlier commit",
        "regression test",
        "rebas",
    ];
    let lower = sentence.to_lowercase();
    let is_number = |word: &&str| 2 * word.bytes().filter(u8::is_ascii_digit).count() > word.len() && word.len() < 40;
    let numbers = sentence.split_whitespace().filter(is_number).count();
    let is_log = numbers >= 3 && 5 * numbers > sentence.split_whitespace().count();
    OPENINGS.split('|').any(|opening| lower.starts_with(opening))
        || TALK.iter().any(|talk| lower.contains(talk))
        || sentence.len() > MOST_SENTENCE_BYTES
        || sentence.contains("://")
        || is_log
}

fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit([' ', '(']).next().unwrap_or("").to_ascii_lowercase();
    ["e.g", "i.e", "ie", "eg", "etc", "vs", "cf", "resp", "approx", "no", "fig", "ex"].contains(&word.as_str())
}

/// The text behind `BREAKING CHANGE:`, up to the end of its paragraph.
pub(super) fn breaking_change(body: &str) -> Option<String> {
    let mut lines = head(body).lines();
    let begins = |line: &str| {
        let line = line.trim();
        ["BREAKING CHANGE:", "BREAKING CHANGES:", "BREAKING-CHANGE:"]
            .iter()
            .find_map(|mark| line.strip_prefix(mark).map(str::to_owned))
    };
    let mut text = lines.find_map(begins)?.trim().to_owned();
    for line in lines {
        let line = line.trim();
        if line.is_empty() && !text.is_empty() {
            break;
        }
        if is_trailer(line) || is_reference(line) || line.is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(line.trim_start_matches(['*', '-']).trim_start());
    }
    (text.split_whitespace().count() >= 3).then_some(text)
}

/// `This reverts commit <id>.`, which git puts first, or behind the reason; not what a squash quotes.
pub(super) fn reverted_commit(body: &str) -> Option<&str> {
    let body = without_squashed(head(body));
    let after = body.lines().find_map(|line| line.trim_start().strip_prefix("This reverts commit "))?;
    let end = after.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(after.len());
    (end >= 7).then(|| &after[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, expect: &[&[&str]]) {
        assert_eq!(Prose::parse(body).paragraphs, expect, "{body}");
    }

    #[test]
    fn code_trailers_and_references_are_left_out() {
        check(
            "It broke when the\nfile was empty. Now it does not.",
            &[&["It broke when the file was empty.", "Now it does not."]],
        );
        check("Run this:\n\n    cargo test -- --ignored\n\nand see it pass.", &[&["and see it pass."]]);
        check("```\nfn main() {}\n```\nThe rest is prose.", &[&["The rest is prose."]]);
        check(
            "Why we do it.\n\nSigned-off-by: Ada <a@b>\nCo-authored-by: Bob <b@b>\nChange-Id: I12",
            &[&["Why we do it."]],
        );
        check("Fixes #12\nCloses #13, #14\nSee https://example.org/x", &[]);
        check("PR Close #70219", &[]);
        check("> quoted words of somebody\n\n## Description\n\n**Motivation**\n\n---------", &[]);
        check("Failed here: https://github.com/a/b/actions/runs/12 again", &[]);
        check("キャッシュを無効にした。壊れていた。", &[&["キャッシュを無効にした。", "壊れていた。"]]);
        let whole = "Some hosts, e.g. the old ones, differ in v1.2 and more.";
        check(whole, &[&[whole]]);
    }

    #[test]
    fn the_form_of_a_pull_request_is_no_message() {
        check("<!-- please fill in\nthis form -->\nIt was slow before.", &[&["It was slow before."]]);
        check(
            "## Summary\n\nIt was slow before.\n\n## Test plan\n\nAll of it was run twice.\n\n## Why\n\nPeople waited long.",
            &[&["It was slow before."], &["People waited long."]],
        );
        check("- [x] I have read the guide\n- [ ] It has tests\n\nIt was slow before.", &[&["It was slow before."]]);
    }

    #[test]
    fn lists_and_what_leads_into_them_are_left_out() {
        check("Now:\n- one thing happens\n- another thing\n  happens as well\n\nThat is all.", &[&["That is all."]]);
        let squash = "It was slow before.\n\n* Read twice\n\nBecause of this.\n\n* Revert \"Read twice\"\n\nThis reverts commit 0123456789.";
        check(squash, &[&["It was slow before."]]);
        assert_eq!(reverted_commit(squash), None);
    }

    #[test]
    fn a_breaking_change_is_read_to_the_end_of_its_paragraph() {
        let body = "Text.\n\nBREAKING CHANGE: the old flag\nis gone for good\n\nFixes #1";
        assert_eq!(breaking_change(body).as_deref(), Some("the old flag is gone for good"));
        assert_eq!(
            breaking_change("BREAKING CHANGE:\n\nUse the new flag now."),
            Some("Use the new flag now.".to_owned())
        );
        assert_eq!(breaking_change("This is no breaking change: fear not."), None);
    }

    #[test]
    fn the_reverted_commit_is_named_by_its_id() {
        assert_eq!(reverted_commit("This reverts commit 0123456789abcdef."), Some("0123456789abcdef"));
        assert_eq!(reverted_commit("This reverts commit abc."), None);
    }

    proptest::proptest! {
        #[test]
        fn no_body_makes_the_reader_panic(body in "(?s)[\\PC\\n`*#:<>. -]{0,300}") {
            let _ = (Prose::parse(&body), breaking_change(&body), reverted_commit(&body));
        }
    }
}
