//! Why a file is named, in one clause for a person: what said most.

use super::GoalCandidate;
use super::evidence::GoalEvidence;
use super::features::{Feature, WEIGHTS};
use super::question::{Question, Term};
use lokid_index::subjects::Subjects;

/// Words of doing, which say nothing of what it is done to.
#[rustfmt::skip]
const DOING: &[&str] = &[
    "add", "fix", "feat", "remove", "update", "use", "support", "make", "improve", "refactor", "test", "tests", "docs", "chore",
    "change", "handle", "allow", "new", "the", "and", "for", "with", "when", "from",
    "merge", "commit", "fork", "revert", "work", "instead", "without", "before", "after", "only", "also", "again", "always",
    "never", "while", "treat", "ensure", "avoid", "prevent", "correct", "missing", "into", "not", "more", "some", "other",
    "should", "properly", "correctly",
];
const COMMON: f64 = 3.9;
/// With fewer commits nothing is known to be common.
const MANY: usize = 500;
/// A word of more paths names none of them.
const FEW_PATHS: usize = 6;
/// Longer words are cut.
const LONGEST_WORD: usize = 40;

/// What can be said; of equals the first is.
const REASONS: [(GoalReason, &[Feature]); 5] = [
    (GoalReason::Named, &[Feature::Named]),
    (GoalReason::Said, &[Feature::Alike, Feature::AlikeBest, Feature::WordBest]),
    (GoalReason::Path, &[Feature::Path, Feature::PathBest, Feature::Name, Feature::Scope]),
    (GoalReason::Says, &[Feature::Says, Feature::SaysBest]),
    (GoalReason::Pulled, &[Feature::Pulled, Feature::Beside]),
];

#[derive(Clone, Copy, PartialEq)]
enum GoalReason {
    Named,
    Said,
    Path,
    Says,
    Pulled,
}

pub(super) fn clause(
    subjects: &Subjects,
    question: &Question<'_>,
    evidence: &GoalEvidence,
    one: &GoalCandidate,
) -> String {
    let weight = |features: &[Feature]| -> f64 {
        features.iter().map(|feature| WEIGHTS[*feature as usize] * one.get(*feature)).sum()
    };
    let mut reasons = REASONS.map(|(reason, features)| (weight(features), reason));
    // What many files hold is said where there is nothing else to say.
    let is_vague = |reason: GoalReason| matches!(reason, GoalReason::Says | GoalReason::Pulled);
    reasons.sort_by(|one, other| is_vague(one.1).cmp(&is_vague(other.1)).then_with(|| other.0.total_cmp(&one.0)));
    let told = reasons.iter().filter(|(weight, _)| *weight > 0.0);
    told.filter_map(|(_, reason)| tell(*reason, subjects, question, evidence, one))
        .next()
        .unwrap_or_else(|| "touched by commits like this".to_owned())
}

fn tell(
    reason: GoalReason,
    subjects: &Subjects,
    question: &Question<'_>,
    evidence: &GoalEvidence,
    one: &GoalCandidate,
) -> Option<String> {
    match reason {
        GoalReason::Named => Some("it is named".to_owned()),
        GoalReason::Said => said_clause(subjects, question, evidence, one.file?),
        GoalReason::Path => {
            let file = one.file?;
            let path = one.path.to_lowercase();
            let is_in_it = |term: &&Term<'_>| {
                let word = term.word.to_lowercase();
                // `terminate` and `terminal` have the same stem.
                let is_there = path.contains(word.trim_end_matches('s')) || is_compound(term.word);
                is_there && !DOING.contains(&word.as_str())
            };
            let terms = question.terms.iter().filter(is_in_it);
            let is_in_few = |term: &&Term<'_>| {
                let files = subjects.with_path(term.hash).iter().filter(|file| !subjects.is_gone(**file));
                files.take(FEW_PATHS + 1).count() <= FEW_PATHS
            };
            let terms = terms.filter(|term| subjects.with_path(term.hash).contains(&file)).filter(is_in_few);
            let term = rarest(terms, |term| term.path_rarity)?;
            let words = if is_compound(term.word) { "words of " } else { "" };
            Some(format!("its path says {words}\"{}\"", shown(term.word)))
        }
        GoalReason::Says => Some("its text is about that".to_owned()),
        GoalReason::Pulled => one.pulled_by.as_ref().map(|seed| format!("changes with {seed}")),
    }
}
fn said_clause(subjects: &Subjects, question: &Question<'_>, evidence: &GoalEvidence, file: u32) -> Option<String> {
    let about: Vec<usize> = evidence
        .alike
        .iter()
        .map(|(commit, _)| *commit)
        .filter(|commit| subjects.files_of(*commit).binary_search(&file).is_ok())
        .collect();
    let times = |term: &Term<'_>| about.iter().filter(|commit| subjects.says(**commit, term.hash)).count();
    // `fix(ssr` is how a subject begins, not what it is about.
    let is_word = |term: &&Term<'_>| !term.word.contains('(') && !DOING.contains(&term.word.to_lowercase().as_str());
    let said = question.terms.iter().filter(is_word).filter(|term| times(term) > 0);
    // What one commit in fifty says leads to the files that everything touches.
    let said = said.filter(|term| term.rarity >= COMMON || subjects.commits() < MANY);
    let term = rarest(said, |term| term.rarity * times(term) as f64)?;
    Some(match (times(term), shown(term.word)) {
        // Of `utils.compileETag` they may have said one part only.
        (_, word) if is_compound(word) => format!("earlier commits about words of \"{word}\""),
        (1, word) => format!("an earlier commit about \"{word}\""),
        (times, word) => format!("{times} earlier commits about \"{word}\""),
    })
}

fn is_compound(word: &str) -> bool {
    let mut letters = word.chars();
    let first = letters.next();
    !first.is_none_or(|letter| letter.is_alphanumeric()) || letters.any(|letter| !letter.is_lowercase())
}

/// Of equals the one met first.
fn rarest<'q, 'a: 'q>(
    terms: impl Iterator<Item = &'q Term<'a>>,
    weight: impl Fn(&Term<'a>) -> f64,
) -> Option<&'q Term<'a>> {
    terms.fold(None, |best: Option<&Term<'a>>, term| match best {
        Some(best) if weight(best) >= weight(term) => Some(best),
        _ => Some(term),
    })
}

fn shown(word: &str) -> &str {
    &word[..word.floor_char_boundary(LONGEST_WORD)]
}
