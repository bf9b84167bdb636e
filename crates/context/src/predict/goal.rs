//! Which files a goal in words means: a task, a prompt, an issue, the subject of a commit.
//!
//! Heard are: what earlier commits with such words touched, whose path or text has such words, what is
//! often worked on, and what changes with the best of these or tests it. How much each counts was fitted on
//! the histories of public projects (`features`). A text without a word that is known gives nothing. It reads indexes
//! only, and no clock.

pub mod definitions;
mod evidence;
mod features;
mod question;
mod trees;
mod why;

use std::collections::BTreeMap;

use self::evidence::GoalEvidence;
use self::features::{Feature, Features, chance, weigh};
use self::question::{Question, sorts_of};
pub use self::question::{scope, sorts};
use super::PredictedFile;
use super::terrain::Terrain;
use lokid_index::cochange::{Cochange, is_trivial, stem_of};
use lokid_index::subjects::Subjects;
use lokid_model::Timestamp;

/// The best so many pull in what changes with them,
const SEEDS: usize = 5;
/// so many files each.
const PARTNERS: usize = 12;
/// So many are looked at closely, of those that history speaks for and of those that the tree does.
const MOST_OF_HISTORY: usize = 200;
const MOST_OF_TREE: usize = 60;
/// One of many files of the same name is seldom the one.
const MOST_NAMESAKES: usize = 12;

/// A file that the evidence speaks for, as it is called today.
struct GoalCandidate {
    path: String,
    features: Features,
    /// As `Subjects` knows it.
    file: Option<u32>,
    /// What pulled it in hardest.
    pulled_by: Option<String>,
}

impl GoalCandidate {
    fn new(path: &str) -> GoalCandidate {
        GoalCandidate { path: path.to_owned(), features: Features::default(), file: None, pulled_by: None }
    }

    fn get(&self, feature: Feature) -> f64 {
        f64::from(self.features[feature as usize])
    }

    fn raise(&mut self, feature: Feature, value: f64) -> bool {
        let known = &mut self.features[feature as usize];
        let is_more = value as f32 > *known;
        *known = known.max(value as f32);
        is_more
    }
}

/// The files that `text` means, likeliest first. A score is how likely a file is touched on the way to such a goal, as
/// it was in the histories looked at.
pub fn predict(
    subjects: &Subjects,
    cochange: &Cochange,
    terrain: &dyn Terrain,
    text: &str,
    now_seconds: i64,
    k: usize,
) -> Vec<PredictedFile> {
    let question = Question::new(subjects, text);
    let evidence = GoalEvidence::gather(subjects, &question);
    let found = gather(subjects, cochange, terrain, &question, &evidence, now_seconds);
    let mut weighed: Vec<(f64, &GoalCandidate)> = found.iter().map(|one| (weigh(&one.features), one)).collect();
    weighed.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.path.cmp(&other.1.path)));
    weighed
        .into_iter()
        .take(k)
        .map(|(weight, candidate)| PredictedFile {
            path: candidate.path.clone(),
            score: chance(weight),
            why: why::clause(subjects, &question, &evidence, candidate),
        })
        .collect()
}

/// `fix(parser): …` says what sort of work it is.
pub fn without_head(goal: &str) -> &str {
    let head = goal.split_once(": ").filter(|(head, _)| !head.contains(char::is_whitespace));
    head.map_or(goal, |(_, text)| text)
}

/// Neither a document nor part of the build.
pub fn is_program(path: &str) -> bool {
    sorts_of(path) == [false, false]
}

/// A text for people.
pub fn is_document(path: &str) -> bool {
    sorts_of(path)[0]
}

fn gather(
    subjects: &Subjects,
    cochange: &Cochange,
    terrain: &dyn Terrain,
    question: &Question<'_>,
    evidence: &GoalEvidence,
    now_seconds: i64,
) -> Vec<GoalCandidate> {
    let mut found: BTreeMap<String, GoalCandidate> = BTreeMap::new();
    of_history(&mut found, subjects, cochange, evidence);
    of_tree(&mut found, terrain, question);
    if found.is_empty() {
        return Vec::new();
    }
    let can_be_meant =
        |one: &GoalCandidate| terrain.is_there(&one.path) && (!is_trivial(&one.path) || one.get(Feature::Path) > 0.0);
    found.retain(|_, candidate| can_be_meant(candidate));
    for candidate in found.values_mut() {
        of_itself(candidate, cochange, question);
    }
    for (from, to) in [
        (Feature::Alike, Feature::AlikeBest),
        (Feature::WordBest, Feature::WordBest),
        (Feature::Path, Feature::PathBest),
        (Feature::Says, Feature::SaysBest),
    ] {
        let best = found.values().map(|one| one.get(from)).fold(0.0, f64::max);
        if best > 0.0 {
            found.values_mut().for_each(|one| one.features[to as usize] = (one.get(from) / best) as f32);
        }
    }
    let now = Timestamp::from_micros(now_seconds.saturating_mul(lokid_model::time::SECOND));
    let covered = found.values().map(|one| one.get(Feature::Says)).fold(0.0, f64::max);
    for candidate in found.values_mut() {
        candidate.raise(Feature::Heard, evidence.likeness);
        candidate.raise(Feature::Covered, covered);
    }
    of_the_best(&mut found, cochange, question, now);
    found.retain(|_, candidate| can_be_meant(candidate));
    found.into_values().collect()
}

/// What history says, those with several names gathered under today's.
fn of_history(
    found: &mut BTreeMap<String, GoalCandidate>,
    subjects: &Subjects,
    cochange: &Cochange,
    evidence: &GoalEvidence,
) {
    for file in evidence.heaviest(subjects, MOST_OF_HISTORY) {
        let (at, known) = (file as usize, cochange.find(subjects.path(file)));
        let known = known.map(|place| cochange.today(place));
        if known.map_or(subjects.is_gone(file), |place| cochange.is_gone(place)) {
            continue;
        }
        let path = known.map_or(subjects.path(file), |place| cochange.path(place));
        let candidate = found.entry(path.to_owned()).or_insert_with(|| GoalCandidate::new(path));
        candidate.file = candidate.file.or(Some(file));
        for (feature, value) in [(Feature::Alike, evidence.said[at]), (Feature::WordBest, evidence.word[at])] {
            candidate.features[feature as usize] += value as f32;
        }
        candidate.raise(Feature::Path, evidence.path[at]);
    }
}

/// What the files themselves say.
fn of_tree(found: &mut BTreeMap<String, GoalCandidate>, terrain: &dyn Terrain, question: &Question<'_>) {
    let terms: Vec<u64> = question.terms.iter().map(|term| term.hash).collect();
    for (at, (path, share)) in terrain.saying(&terms).into_iter().enumerate() {
        match found.get_mut(path) {
            Some(candidate) => candidate.features[Feature::Says as usize] = share as f32,
            None if at < MOST_OF_TREE => {
                found.entry(path.to_owned()).or_insert_with(|| GoalCandidate::new(path)).raise(Feature::Says, share);
            }
            None => {}
        }
    }
}

fn of_itself(candidate: &mut GoalCandidate, cochange: &Cochange, question: &Question<'_>) {
    let path = candidate.path.to_lowercase();
    let stem = stem_of(&path);
    let is_word = question.terms.iter().any(|term| term.word.eq_ignore_ascii_case(&stem));
    let ends_so =
        |name: &String| path == *name || path.strip_suffix(name.as_str()).is_some_and(|rest| rest.ends_with('/'));
    let in_scope = |scope: &String| path.split('/').any(|part| part == scope) || stem == *scope;
    let heat = cochange.find(&candidate.path).map_or(0.0, |place| cochange.heat(place).ln_1p() / 4.0);
    candidate.raise(Feature::Name, f64::from(is_word));
    candidate.raise(Feature::Named, f64::from(question.named.iter().any(ends_so)));
    candidate.raise(Feature::Scope, f64::from(question.scope.iter().any(in_scope)));
    candidate.raise(Feature::Heat, heat);
    let ([is_text, is_build], [speaks_of_texts, speaks_of_build]) = (sorts_of(&path), question.sorts);
    candidate.raise(Feature::TextUnasked, f64::from(is_text && !speaks_of_texts));
    candidate.raise(Feature::BuildAsked, f64::from(is_build && speaks_of_build));
}

/// What belongs to the likeliest so far.
fn of_the_best(
    found: &mut BTreeMap<String, GoalCandidate>,
    cochange: &Cochange,
    question: &Question<'_>,
    now: Timestamp,
) {
    let mut seeds: Vec<(f64, String)> =
        found.values().map(|one| (chance(weigh(&one.features)), one.path.clone())).collect();
    seeds.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    seeds.truncate(SEEDS);
    let any = found.values().next();
    let of_goal = [Feature::Heard, Feature::Covered].map(|feature| (feature, any.map_or(0.0, |one| one.get(feature))));
    for (sure, seed) in &seeds {
        let mut pull = |path: &str, feature: Feature, value: f64| {
            if path == seed {
                return;
            }
            let candidate = found.entry(path.to_owned()).or_insert_with(|| {
                let mut candidate = GoalCandidate::new(path);
                of_itself(&mut candidate, cochange, question);
                of_goal.iter().for_each(|(feature, value)| candidate.features[*feature as usize] = *value as f32);
                candidate
            });
            if candidate.raise(feature, value) && feature == Feature::Pulled {
                candidate.pulled_by = Some(seed.clone());
            }
        };
        for partner in cochange.partners(seed, now, PARTNERS) {
            pull(partner.path, Feature::Pulled, sure * partner.score);
        }
        let namesakes: Vec<_> =
            cochange.namesakes(seed).filter(|place| !cochange.is_gone(*place)).take(MOST_NAMESAKES).collect();
        let few = 1.0 / (namesakes.len() as f64).max(1.0).sqrt();
        for place in namesakes {
            pull(cochange.path(place), Feature::Beside, sure * few);
        }
    }
}

#[cfg(test)]
mod tests;
