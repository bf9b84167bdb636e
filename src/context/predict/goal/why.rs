//! Why a file is named, in one clause for a person: the witness that said most.

use super::Candidate;
use super::evidence::{Evidence, Question, Term};
use crate::index::subjects::Subjects;

/// Longer words are cut.
const LONGEST_WORD: usize = 40;

pub(super) fn clause(
    subjects: &Subjects,
    question: &Question<'_>,
    evidence: &Evidence,
    candidate: &Candidate,
) -> String {
    let pulled = candidate.pulled_by.as_ref();
    let pull = pulled.map_or(0.0, |(_, weight)| *weight);
    if let Some(file) = candidate.file {
        let at = file as usize;
        let lately = evidence.lately.get(&file).copied().unwrap_or_default();
        let (said, path) = (evidence.said[at], evidence.path[at]);
        if said > 0.0 && said >= path && said >= lately && said >= pull {
            return said_clause(subjects, question, evidence, file);
        }
        if path > 0.0 && path >= lately && path >= pull {
            let term = question.terms.iter().filter(|term| subjects.with_path(term.hash).contains(&file));
            if let Some(term) = rarest(term, |term| term.path_rarity) {
                return format!("its path says \"{}\"", shown(term.word));
            }
        }
        if lately > 0.0 && lately >= pull {
            return "it was touched by the last commits".to_owned();
        }
    }
    match pulled {
        Some((seed, _)) => format!("changes with {seed}"),
        None => "earlier commits said the like".to_owned(),
    }
}

fn said_clause(subjects: &Subjects, question: &Question<'_>, evidence: &Evidence, file: u32) -> String {
    let about: Vec<usize> = evidence
        .alike
        .iter()
        .map(|(commit, _)| *commit)
        .filter(|commit| subjects.files_of(*commit).binary_search(&file).is_ok())
        .collect();
    let times = |term: &Term<'_>| about.iter().filter(|commit| subjects.says(**commit, term.hash)).count();
    let said = question.terms.iter().filter(|term| times(term) > 0);
    match rarest(said, |term| term.rarity * times(term) as f64) {
        Some(term) if times(term) == 1 => format!("an earlier commit said \"{}\"", shown(term.word)),
        Some(term) => format!("{} earlier commits said \"{}\"", times(term), shown(term.word)),
        None => "earlier commits said the like".to_owned(),
    }
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
