//! Characters: quotation marks of every kind, what stands around a word, and the one spelling of a number and a word.

pub(super) fn plain_quote(character: char) -> char {
    match character {
        '‘' | '’' | 'ʼ' => '\'',
        '“' | '”' | '„' | '«' | '»' => '"',
        '–' | '‑' | '‐' | '−' => '-',
        '。' => '.',
        '，' | '、' => ',',
        other => other,
    }
}

pub(super) const QUOTES: [char; 3] = ['`', '"', '\''];
const MARKS: [char; 8] = ['.', ',', ';', ':', '!', '?', '…', '—'];

/// Behind a word stand a few; a text that is all brackets is no reason to count for ever.
const MOST_MARKS: usize = 16;

/// `**never` → `never`; `**/*.rs` stays.
pub(super) fn without_emphasis(chunk: &str) -> &str {
    chunk.strip_prefix("**").filter(|rest| rest.starts_with(char::is_alphabetic)).unwrap_or(chunk)
}

/// A word without the punctuation behind it, and that punctuation. A bracket that was opened stays: `main()`.
pub(super) fn without_marks(chunk: &str) -> (&str, &str) {
    let mut body = chunk;
    for _ in 0..MOST_MARKS {
        body = body
            .strip_suffix("**")
            .filter(|rest| rest.ends_with(|c: char| c.is_alphabetic() || MARKS.contains(&c)))
            .unwrap_or(body);
        let Some(last) = body.chars().next_back() else { break };
        let unopened = |open: char| body.matches(open).count() < body.matches(last).count();
        let goes = match last {
            ')' => unopened('('),
            ']' => unopened('['),
            '}' => unopened('{'),
            _ => MARKS.contains(&last) || QUOTES.contains(&last),
        };
        if !goes {
            break;
        }
        body = &body[..body.len() - last.len_utf8()];
    }
    (body, &chunk[body.len()..])
}

/// The same inside a quotation, where punctuation before the closing mark belongs to what is quoted: `panic!`
pub(super) fn without_closing(chunk: &str) -> (&str, &str) {
    let body = chunk.trim_end_matches(|c| MARKS.contains(&c) || [')', ']', '}'].contains(&c));
    match body.strip_suffix(QUOTES) {
        Some(inside) => (inside, &chunk[body.len()..]),
        None if chunk.contains(QUOTES) => (body, &chunk[body.len()..]),
        None => (chunk, ""),
    }
}

/// `1,000` → `1000`; a comma elsewhere stays.
pub(super) fn without_thousands(number: &str) -> String {
    let mut groups = number.split('.').next().unwrap_or(number).split(',').skip(1);
    if groups.all(|group| group.len() == 3) { number.replace(',', "") } else { number.to_owned() }
}

/// `normalise` → `normalize`
pub(super) fn one_spelling(lower: &str) -> String {
    const ENDINGS: [(&str, &str); 6] = [
        ("ise", "ize"),
        ("ised", "ized"),
        ("ises", "izes"),
        ("ising", "izing"),
        ("isation", "ization"),
        ("isations", "izations"),
    ];
    let long = ENDINGS
        .iter()
        .find_map(|(ours, theirs)| Some((lower.strip_suffix(ours).filter(|stem| stem.len() > 3)?, theirs)));
    long.map_or_else(|| lower.to_owned(), |(stem, ending)| format!("{stem}{ending}"))
}
