//! The sentences of a commit's body: what a person wrote for a person, without code, quotes, trailers, templates and
//! addresses of build servers.

use super::apparatus::{is_address, is_apparatus, is_code, is_numbered, is_reference, is_trailer};

const MOST_BYTES: usize = 16 * 1024;
const MOST_SENTENCES: usize = 60;
/// Longer ones are tables and logs.
const MOST_SENTENCE_BYTES: usize = 700;
/// Fewer words than these explain nothing.
const EXPLAINING_WORDS: usize = 8;

#[derive(Clone, Debug, Default)]
pub(super) struct Prose {
    sentences: Vec<String>,
}

impl Prose {
    pub(super) fn parse(body: &str) -> Prose {
        Prose {
            sentences: paragraphs(head(body)).iter().flat_map(|text| sentences_of(text)).take(MOST_SENTENCES).collect(),
        }
    }

    pub(super) fn sentences(&self) -> impl Iterator<Item = &str> {
        self.sentences.iter().map(String::as_str)
    }

    pub(super) fn words(&self) -> usize {
        self.sentences().map(|sentence| sentence.split_whitespace().count()).sum()
    }

    /// Is there a sentence one could learn from?
    pub(super) fn explains(&self) -> bool {
        self.sentences().any(|sentence| sentence.split_whitespace().count() >= EXPLAINING_WORDS)
    }
}

fn head(body: &str) -> &str {
    let mut end = body.len().min(MOST_BYTES);
    while !body.is_char_boundary(end) {
        end -= 1;
    }
    &body[..end]
}

/// Stands at the end of a paragraph that leads into something left out.
const LEFT_OUT: char = '\u{1}';

/// Every paragraph and every item of a list on one line.
fn paragraphs(body: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut fenced = false;
    let mut commented = false;
    for line in body.lines() {
        let trimmed = line.trim();
        let is_fence = trimmed.starts_with("```") || trimmed.starts_with("~~~");
        fenced ^= is_fence;
        commented |= trimmed.starts_with("<!--");
        let is_hidden = is_fence || fenced || commented || is_code(line) || is_address(trimmed);
        commented &= !trimmed.contains("-->");
        if is_hidden || trimmed.is_empty() || is_apparatus(trimmed) {
            // Blank lines may lie between a paragraph and what it leads into.
            let before = found.iter_mut().rfind(|paragraph| !paragraph.is_empty());
            if let Some(before) = before.filter(|before| is_hidden && !before.ends_with(LEFT_OUT)) {
                before.push(LEFT_OUT);
            }
            found.push(String::new());
            continue;
        }
        let item = ["* ", "- ", "+ ", "• "].iter().find_map(|mark| trimmed.strip_prefix(mark));
        if item.is_some() || is_numbered(trimmed) {
            found.push(String::new());
        }
        let text = item.unwrap_or(trimmed);
        let paragraph = found.last_mut().expect("there is always a paragraph");
        if !paragraph.is_empty() {
            paragraph.push(' ');
        }
        paragraph.push_str(text);
    }
    found.retain(|paragraph| !paragraph.is_empty());
    found
}

/// Splits where a sentence ends and another begins, and leaves out what is no sentence.
pub(super) fn sentences_of(paragraph: &str) -> Vec<String> {
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
    // It leads into code that is left out.
    let dangles = [":", ",", "i.e.", "e.g.", " see"].iter().any(|end| sentence.ends_with(end));
    let words = sentence.split_whitespace().count();
    let is_long_enough = words >= 3 || !sentence.is_ascii();
    if is_long_enough && !dangles && !is_aside(sentence) && !is_reference(sentence) {
        found.push(sentence.to_owned());
    }
}

/// Thanks, tests, and lines of a log that nobody indented.
fn is_aside(sentence: &str) -> bool {
    const OPENINGS: [&str; 18] = [
        "breaking change",
        "thanks",
        "thank you",
        "many thanks",
        "add test",
        "adds test",
        "added test",
        "add a test",
        "added a test",
        "add regression",
        "added regression",
        "update test",
        "updated test",
        "cover the",
        "cherry picked",
        "(cherry picked",
        "backport of",
        "co-authored",
    ];
    let opens = |opening: &&str| sentence.get(..opening.len()).is_some_and(|head| head.eq_ignore_ascii_case(opening));
    let is_number = |word: &&str| 2 * word.bytes().filter(u8::is_ascii_digit).count() > word.len() && word.len() < 40;
    let numbers = sentence.split_whitespace().filter(is_number).count();
    let is_log = numbers >= 3 && 5 * numbers > sentence.split_whitespace().count();
    OPENINGS.iter().any(opens) || sentence.len() > MOST_SENTENCE_BYTES || is_log
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

/// `This reverts commit <id>.`
pub(super) fn reverted_commit(body: &str) -> Option<&str> {
    let (_, after) = head(body).split_once("This reverts commit ")?;
    let end = after.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(after.len());
    (end >= 7).then(|| &after[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, expect: &[&str]) {
        assert_eq!(Prose::parse(body).sentences().collect::<Vec<_>>(), expect, "{body}");
    }

    #[test]
    fn code_trailers_and_references_are_left_out() {
        check(
            "It broke when the\nfile was empty. Now it does not.",
            &["It broke when the file was empty.", "Now it does not."],
        );
        check("Run this:\n\n    cargo test -- --ignored\n\nand see it pass.", &["and see it pass."]);
        check("```\nfn main() {}\n```\nThe rest is prose.", &["The rest is prose."]);
        check(
            "Why we do it.\n\nSigned-off-by: Ada <a@b>\nCo-authored-by: Bob <b@b>\nChange-Id: I12",
            &["Why we do it."],
        );
        check("Fixes #12\nCloses #13, #14\nSee https://example.org/x", &[]);
        check("PR Close #70219", &[]);
        check("> quoted words of somebody\n\n## Description\n\n**Motivation**\n\n---------", &[]);
        check("<!-- please fill in\nthis form -->\nIt was slow before.", &["It was slow before."]);
        check("Failed here: https://github.com/a/b/actions/runs/12 again", &[]);
    }

    #[test]
    fn lists_are_told_item_by_item_and_abbreviations_end_nothing() {
        check(
            "Now:\n- one thing happens\n- another thing\n  happens as well",
            &["one thing happens", "another thing happens as well"],
        );
        check(
            "Some hosts, e.g. the old ones, differ in v1.2 and more.",
            &["Some hosts, e.g. the old ones, differ in v1.2 and more."],
        );
        check("キャッシュを無効にした。壊れていた。", &["キャッシュを無効にした。", "壊れていた。"]);
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
