//! A text taken apart into what can stand alone: sentences, items of lists, headings. One pass; code between fences is
//! left out where there are words besides.

/// How much of a text is read: its beginning and, of a long one, its end, where outcomes stand.
const HEAD_BYTES: usize = 48 << 10;
const TAIL_BYTES: usize = 16 << 10;
/// A longer sentence is data, or somebody forgot the full stops.
const MOST_CHARS: usize = 600;
/// Of the beginning, and of the end.
const MOST_SENTENCES: [usize; 2] = [1_200, 300];

/// After these a full stop ends no sentence.
const ABBREVIATIONS: &[&str] =
    &["e.g", "i.e", "etc", "vs", "cf", "approx", "resp", "no", "fig", "dr", "mr", "mrs", "ca", "incl", "z.b", "bzw"];

/// Sentences in their order, trimmed, without the marks of lists and headings. Never an empty one.
pub(super) fn of(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let words = parts(text, false, &mut found);
    if !words {
        found.clear();
        parts(text, true, &mut found);
    }
    found
}

/// Answers whether anything was found.
fn parts<'a>(text: &'a str, with_code: bool, found: &mut Vec<&'a str>) -> bool {
    let mut fenced = false;
    for (piece, most) in pieces(text).into_iter().zip(MOST_SENTENCES) {
        let most = found.len() + most;
        for line in piece.lines() {
            let line = line.trim();
            if line.starts_with("```") || line.starts_with("~~~") {
                fenced = !fenced;
                continue;
            }
            if (fenced && !with_code) || found.len() >= most {
                continue;
            }
            split(unmarked(line), most, found);
        }
    }
    !found.is_empty()
}

fn pieces(text: &str) -> [&str; 2] {
    if text.len() <= HEAD_BYTES + TAIL_BYTES {
        [text, ""]
    } else {
        let end = text.len() - TAIL_BYTES;
        [&text[..text.floor_char_boundary(HEAD_BYTES)], &text[text.ceil_char_boundary(end)..]]
    }
}

/// Without `- `, `* `, `3. `, `## `, `> ` and the box of a task.
fn unmarked(line: &str) -> &str {
    let mut line = line.trim_start_matches(['#', '>']).trim_start();
    for mark in ["- ", "* ", "+ ", "• ", "[ ] ", "[x] ", "[X] "] {
        line = line.strip_prefix(mark).unwrap_or(line).trim_start();
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    match line[digits..].strip_prefix(['.', ')']) {
        Some(rest) if (1..=3).contains(&digits) && rest.starts_with(' ') => rest.trim_start(),
        _ => line,
    }
}

fn split<'a>(line: &'a str, most: usize, found: &mut Vec<&'a str>) {
    let mut start = 0;
    let mut chars = 0;
    let mut in_code = false;
    for (at, character) in line.char_indices() {
        chars += 1;
        let end = at + character.len_utf8();
        in_code ^= character == '`';
        let ends = match character {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' => !in_code && line[end..].starts_with(' ') && !is_abbreviation(&line[start..at]),
            ' ' => chars >= MOST_CHARS,
            _ => chars >= 2 * MOST_CHARS,
        };
        if ends && found.len() >= most {
            return;
        }
        if ends {
            push(&line[start..end], found);
            (start, chars, in_code) = (end, 0, false);
        }
    }
    push(&line[start..], found);
}

fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or("");
    ABBREVIATIONS.iter().any(|known| known.eq_ignore_ascii_case(word))
}

fn push<'a>(sentence: &'a str, found: &mut Vec<&'a str>) {
    let sentence = sentence.trim();
    if sentence.chars().any(char::is_alphanumeric) {
        found.push(sentence);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_items_and_headings_stand_alone() {
        let check = |text: &str, expected: &[&str]| assert_eq!(of(text), expected, "{text}");
        check("One. Two! Three", &["One.", "Two!", "Three"]);
        check("Use it, e.g. here. v1.2 is out.", &["Use it, e.g. here.", "v1.2 is out."]);
        check("# Title\n\n- first\n2) second\n- [x] done", &["Title", "first", "second", "done"]);
        check("今日は。明日は！", &["今日は。", "明日は！"]);
        check("Run `a. b` now. Then", &["Run `a. b` now.", "Then"]);
        check("Words\n```\nlet code;\n```\nmore", &["Words", "more"]);
        check("```\nlet code;\n```", &["let code;"]);
        check("---\n\n***", &[]);
    }

    #[test]
    fn of_a_long_text_the_beginning_and_the_end_are_read() {
        let text = format!("First.\n{}Very last.", "é é é.\n".repeat(30_000));
        let found = of(&text);
        assert_eq!(found.first(), Some(&"First."));
        assert!(found.len() <= 1_500, "{}", found.len());
    }
}
