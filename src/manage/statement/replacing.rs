//! Does a statement say itself that it takes the place of something: "no longer", "we moved from X to Y", "replaced by",
//! "in favour of", "as of May"? Told in the main part only: a reason or a condition replaces nothing.

use super::clause::{Part, Statement};
use super::reading::{Kind, Token};

pub(super) fn replaces(statement: &Statement) -> bool {
    statement.segments.iter().any(|segment| {
        let tokens = &statement.tokens[segment.start..segment.end];
        // "As of May, …" opens like a reason and is none.
        let dated = says(tokens, 0) && tokens.first().is_some_and(|token| token.lower == "as");
        dated || segment.part == Part::Main && (0..tokens.len()).any(|at| says(tokens, at))
    })
}

fn says(tokens: &[Token], at: usize) -> bool {
    let word = |offset: usize| tokens.get(at + offset).map_or("", |token| token.lower.as_str());
    let near = |words: &[&str], reach: usize| {
        tokens[at + 1..].iter().take(reach).any(|token| words.contains(&token.lower.as_str()))
    };
    let before = |words: &[&str]| tokens[..at].iter().any(|token| words.contains(&token.lower.as_str()));
    match word(0) {
        "no longer" | "any more" | "anymore" | "in favour of" | "in favor of" | "from now on" | "supersedes"
        | "instead of" | "in place of" => true,
        "no" | "any" => word(1) == "longer",
        "favour" | "favor" => word(1) == "of" && before(&["in"]),
        "instead" | "lieu" => word(1) == "of",
        "superseded" | "replaced" => near(&["by", "with"], 6),
        "replaces" => true,
        // "we moved from X to Y", "has switched to Y"; a record that is moved to the archive is not meant.
        "switched" | "moved" | "migrated" | "transitioned" | "converted" | "changed" | "ported" | "upgraded"
        | "downgraded" => {
            let passage = near(&["from"], 6) && near(&["to", "into"], 10) || near(&["away", "off"], 2);
            let ours =
                at > 0 && ["we", "'ve", "have", "has", "team", "everyone"].contains(&tokens[at - 1].lower.as_str());
            passage || ours && near(&["to", "over"], 3)
        }
        "as" if word(1) == "of" => tokens.get(at + 2).is_some_and(|next| {
            next.number.is_some()
                || next.kind != Kind::Word
                || ["now", "today", "this", "next", "last", "version", "release"].contains(&next.lower.as_str())
                || MONTHS.contains(&next.lower.as_str())
        }),
        _ => false,
    }
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
