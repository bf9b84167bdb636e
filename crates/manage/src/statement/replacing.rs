//! Does a statement say itself that it takes the place of something: "no longer", "we moved from X to Y", "replaced by",
//! "in favour of", "as of May"? Told in the main part only: a reason or a condition replaces nothing.

use crate::words::words;
use lokid_model::time::MONTHS;

const SAYING: [&str; 13] = [
    " no longer ",
    " not any longer ",
    " any more ",
    " anymore ",
    " in favour of ",
    " in favor of ",
    " from now on ",
    " instead of ",
    " in place of ",
    " in lieu of ",
    " supersedes ",
    " replaces ",
    " takes the place of ",
];
/// With who or what follows within a few words.
const PASSING: [(&str, &[&str]); 3] =
    [("superseded", &["by", "with"]), ("replaced", &["by", "with"]), ("dropped", &["for"])];
const MOVING: [&str; 9] =
    ["switched", "moved", "migrated", "transitioned", "converted", "changed", "ported", "upgraded", "downgraded"];
const OURS: [&str; 6] = ["we", "we've", "have", "has", "team", "everyone"];
/// Where the main part ends.
const ASIDE: [&str; 8] = ["because", "since", "if", "when", "whenever", "unless", "while", "until"];
/// Or a month.
const DATED: [&str; 7] = ["now", "today", "this", "next", "last", "version", "release"];

pub(super) fn replaces(text: &str) -> bool {
    text.split(['.', ';', ':']).any(|sentence| {
        let words: Vec<String> = words(sentence).map(|word| word.to_lowercase().replace('’', "'")).collect();
        // What opens a sentence is passed over up to its comma.
        let main =
            words.iter().skip(1).position(|word| ASIDE.contains(&word.as_str())).map_or(words.len(), |at| at + 1);
        let opens_aside = words.first().is_some_and(|word| ASIDE.contains(&word.as_str()));
        !opens_aside && says(&words[..main])
    })
}

fn says(words: &[String]) -> bool {
    let line = format!(" {} ", words.join(" "));
    let near = |from: usize, reach: usize, wanted: &[&str]| {
        words[from + 1..].iter().take(reach).any(|word| wanted.contains(&word.as_str()))
    };
    SAYING.iter().any(|saying| line.contains(saying))
        || words.iter().enumerate().any(|(at, word)| match word.as_str() {
            word if PASSING.iter().any(|(known, by)| *known == word && near(at, 6, by)) => true,
            // "we moved from X to Y", "has switched to Y"; a record that is moved to the archive is not meant.
            word if MOVING.contains(&word) => {
                let ours = at > 0 && OURS.contains(&words[at - 1].as_str());
                near(at, 6, &["from"]) && near(at, 10, &["to", "into"])
                    || near(at, 2, &["away", "off"])
                    || ours && near(at, 3, &["to", "over"])
            }
            "as" if words.get(at + 1).is_some_and(|next| next == "of") => words.get(at + 2).is_some_and(|next| {
                DATED.contains(&next.as_str())
                    || MONTHS.contains(&next.as_str())
                    || next.starts_with(|letter: char| letter.is_ascii_digit())
            }),
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use super::replaces;

    #[test]
    fn a_statement_says_itself_that_it_replaces_another() {
        for text in [
            "We no longer deploy on Fridays.",
            "We've moved from Jenkins to GitHub Actions.",
            "npm was replaced by pnpm.",
            "Use just instead of make.",
            "As of May, the API is v2.",
            "The team has switched to tabs.",
            "Logging moved away from log4j.",
        ] {
            assert!(replaces(text), "{text}");
        }
    }

    #[test]
    fn a_reason_a_condition_or_another_move_replaces_nothing() {
        for text in [
            "Deploys are frozen because the old runner is no longer there.",
            "If the cache is replaced by an empty one, start again.",
            "Old records are moved to the archive.",
            "The build uses make.",
            "Retry as often as needed.",
            "",
        ] {
            assert!(!replaces(text), "{text}");
        }
    }
}
