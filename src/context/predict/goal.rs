//! Which files a goal in words means: a task, a prompt, an issue, the subject of a commit.
//!
//! Four witnesses are heard: what earlier commits with such words touched, which paths have such words, what was
//! touched last, and what changes with the best of these. How much each counts was fitted on the histories of eleven
//! projects. A text without a word that is known gives nothing. It reads indexes only, and no clock.

mod evidence;
mod why;

use std::collections::HashMap;

use self::evidence::{Evidence, Question};
use super::PredictedFile;
use super::terrain::Terrain;
use crate::index::cochange::Cochange;
use crate::index::subjects::Subjects;
use crate::model::Timestamp;

/// The best so many pull in what changes with them,
const SEEDS: usize = 5;
/// so many files each,
const PARTNERS: usize = 12;
/// and no more than this much of their own weight: a pulled file fills a gap, it does not displace what was named.
const PULL: f64 = 0.05;
/// A file that was moved is found under its old names, one that is gone not at all: so many more are looked at.
const SPARE: usize = 200;
/// The evidence at which a file is as likely needed as not; see `likelihood`.
const EVEN: f64 = 0.68;

/// A file that the evidence speaks for, as it is called today.
struct Candidate {
    /// As `Subjects` knows it; `None` if it was only pulled in.
    file: Option<u32>,
    path: String,
    weight: f64,
    /// What pulled it in hardest, and how hard.
    pulled_by: Option<(String, f64)>,
}

/// The files that `text` means, likeliest first. Scores are how likely a file is touched on the way to such a goal, as
/// it was in the histories looked at; below a tenth it is a guess.
pub fn predict(
    subjects: &Subjects,
    cochange: &Cochange,
    terrain: &dyn Terrain,
    text: &str,
    now_seconds: i64,
    k: usize,
) -> Vec<PredictedFile> {
    let question = Question::new(subjects, text);
    let evidence = Evidence::gather(subjects, &question);
    if k == 0 || evidence.is_empty() {
        return Vec::new();
    }
    let mut found = candidates(subjects, cochange, &evidence, k + SPARE);
    let now = Timestamp::from_micros(now_seconds.saturating_mul(crate::model::time::SECOND));
    pull_partners(&mut found, cochange, now);
    found.sort_by(|one, other| other.weight.total_cmp(&one.weight).then_with(|| one.path.cmp(&other.path)));
    let there = found.into_iter().filter(|candidate| terrain.is_there(&candidate.path));
    there
        .take(k)
        .map(|candidate| PredictedFile {
            why: why::clause(subjects, &question, &evidence, &candidate),
            score: likelihood(candidate.weight),
            path: candidate.path,
        })
        .collect()
}

/// The heaviest files, those with several names gathered under today's.
fn candidates(subjects: &Subjects, cochange: &Cochange, evidence: &Evidence, most: usize) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (file, weight) in evidence.heaviest(subjects, most) {
        let stats = cochange.stats(subjects.path(file));
        let is_gone = stats.as_ref().map_or(subjects.is_gone(file), |stats| stats.gone);
        if is_gone {
            continue;
        }
        let path = stats.map_or(subjects.path(file), |stats| stats.path);
        if let Some(place) = places.get(path) {
            found[*place].weight += weight;
            continue;
        }
        places.insert(path.to_owned(), found.len());
        found.push(Candidate { file: Some(file), path: path.to_owned(), weight, pulled_by: None });
    }
    found.sort_by(|one, other| other.weight.total_cmp(&one.weight).then_with(|| one.path.cmp(&other.path)));
    found
}

fn pull_partners(found: &mut Vec<Candidate>, cochange: &Cochange, now: Timestamp) {
    let mut pulls: Vec<(String, String, f64)> = Vec::new();
    for seed in found.iter().take(SEEDS) {
        for partner in cochange.partners(&seed.path, now, PARTNERS) {
            pulls.push((partner.path.to_owned(), seed.path.clone(), PULL * seed.weight * partner.score));
        }
    }
    let mut places: HashMap<String, usize> =
        found.iter().enumerate().map(|(place, candidate)| (candidate.path.clone(), place)).collect();
    for (path, seed, weight) in pulls {
        let place = *places.entry(path).or_insert_with_key(|path| {
            found.push(Candidate { file: None, path: path.clone(), weight: 0.0, pulled_by: None });
            found.len() - 1
        });
        let candidate = &mut found[place];
        candidate.weight += weight;
        if candidate.pulled_by.as_ref().is_none_or(|(_, most)| weight > *most) {
            candidate.pulled_by = Some((seed, weight));
        }
    }
}

/// The share of files with such a weight that were right, in the histories it was fitted on: .05 at .15, .19 at .35,
/// .39 at .55, .64 at .85, .85 at 1.15.
fn likelihood(weight: f64) -> f64 {
    let squared = weight * weight;
    squared / (squared + EVEN * EVEN)
}

#[cfg(test)]
mod tests;
