//! Learns from a repository's own past how much each kind of evidence counts there.
//!
//! Questions of the past become lessons: the evidence for each candidate and whether it was needed. The weights are
//! moved so that what was needed would have come first, and are held back to where they started: a short history moves
//! them little.

use super::measure::{LIST, Score};
use super::{Progress, Protocol, ReplayTerrain, telling};
use crate::predict::files::{FEATURES, Feature, FileEvidence, Opened, Weights, best, gather};
use lokid_index::cochange::Cochange;
use lokid_model::Commit;

/// Files opened in a commit that become lessons.
const MOST_OPENED: usize = 6;
const MOST_LESSONS: usize = 2_000;
/// Candidates of a lesson: those that weigh most, and as many of the rest, evenly chosen.
const MOST_CANDIDATES: usize = 60;
const ROUNDS: usize = 80;
const STEP: f64 = 0.03;
/// How strongly the weights are held back, first much and then less.
const PULLS: [f64; 2] = [0.1, 0.02];
/// The part of the history before what is asked that only serves as knowledge.
const ONLY_KNOWLEDGE: f64 = 0.3;

/// One question of the past, with what would have been the answer.
struct Lesson {
    rows: Vec<Row>,
    /// Counts so much; all questions of a commit together count 1.
    share: f64,
    commit: usize,
    needed: usize,
}

struct Row {
    features: [f32; FEATURES],
    is_needed: bool,
    /// The logarithm of how many candidates it stands for.
    stands_for: f32,
}

/// What was learnt, and what it was worth on a part of the past that it was not learnt from.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    pub weights: Weights,
    pub before: Score,
    pub after: Score,
}

impl Fitted {
    /// Do they foretell better where they were tried, by more than chance?
    pub fn helps(&self) -> bool {
        self.after.recall10 >= self.before.recall10 + LEAST_GAIN
    }
}

/// Less is as likely to be chance.
const LEAST_GAIN: f64 = 0.005;

/// The weights that suit this repository. What the protocol asks about is not looked at, so that a later replay stays
/// honest. `None` when it was stopped, or there is too little to learn from.
pub fn fit(
    commits: &[Commit],
    protocol: &Protocol,
    terrain: &mut dyn ReplayTerrain,
    progress: Progress<'_>,
) -> Option<Fitted> {
    let qualified: Vec<usize> = (0..commits.len()).filter(|at| protocol.qualifies(&commits[*at])).collect();
    let asked = protocol.asked_of(commits).len();
    let learnt = &qualified[..qualified.len() - asked];
    let lessons_from = (learnt.len() as f64 * ONLY_KNOWLEDGE) as usize;
    let asked = &learnt[lessons_from..];
    let end = *asked.last()? + 1;
    let every = (asked.len() * 3).div_ceil(MOST_LESSONS).max(1);
    let mut next = asked.iter().step_by(every).copied().peekable();
    let start = Weights::default();
    let (mut known, mut lessons) = (Cochange::default(), Vec::new());
    for (at, commit) in commits[..end].iter().enumerate() {
        if progress(at, end).is_break() {
            return None;
        }
        if next.next_if_eq(&at).is_some() {
            lessons.extend(lessons_of(commit, at, &known, terrain, &start));
        }
        known.add(commit);
        terrain.learn(commit);
    }
    choose(&lessons, &start)
}

/// Tries how far to go from the start on the later fifth, then learns from all.
fn choose(lessons: &[Lesson], start: &Weights) -> Option<Fitted> {
    let border = lessons.get(lessons.len() * 4 / 5)?.commit;
    let (earlier, later) = lessons.split_at(lessons.partition_point(|lesson| lesson.commit < border));
    let before = score(later, start);
    let worth = |score: Score| score.hit3 + score.recall10;
    let mut chosen = (before, None);
    for pull in PULLS {
        let after = score(later, &learn(earlier, start, pull, ROUNDS));
        if worth(after) > worth(chosen.0) {
            chosen = (after, Some(pull));
        }
    }
    let weights = chosen.1.map_or_else(|| start.clone(), |pull| learn(lessons, start, pull, ROUNDS));
    Some(Fitted { weights, before, after: chosen.0 })
}

fn lessons_of(
    commit: &Commit,
    at: usize,
    known: &Cochange,
    terrain: &dyn ReplayTerrain,
    start: &Weights,
) -> Vec<Lesson> {
    let files = telling(commit);
    let every = files.len().div_ceil(MOST_OPENED);
    let opened: Vec<&str> = files.iter().copied().step_by(every).collect();
    let share = 1.0 / opened.len() as f64;
    opened
        .iter()
        .map(|path| {
            let clue = Opened { path, author: Some(&commit.author_name), now: commit.time, recent: &[] };
            lesson(&gather(known, terrain.now(), &clue), &clue, &files, start, at, share)
        })
        .collect()
}

fn lesson(
    candidates: &[FileEvidence<'_>],
    clue: &Opened<'_>,
    files: &[&str],
    start: &Weights,
    commit: usize,
    share: f64,
) -> Lesson {
    let row = |evidence: &FileEvidence<'_>, stands_for: f64| Row {
        features: evidence.features,
        is_needed: files.binary_search(&evidence.path).is_ok(),
        stands_for: stands_for.ln() as f32,
    };
    let ordered = best(candidates, start, candidates.len());
    let (first, rest) = ordered.split_at(MOST_CANDIDATES.min(ordered.len()));
    let mut rows: Vec<Row> = first.iter().map(|(_, evidence)| row(evidence, 1.0)).collect();
    let (needed, others): (Vec<_>, Vec<_>) =
        rest.iter().map(|(_, evidence)| *evidence).partition(|evidence| files.binary_search(&evidence.path).is_ok());
    rows.extend(needed.into_iter().map(|evidence| row(evidence, 1.0)));
    let every = others.len().div_ceil(MOST_CANDIDATES).max(1);
    rows.extend(others.into_iter().step_by(every).map(|evidence| row(evidence, every as f64)));
    let needed = files.iter().filter(|file| **file != clue.path).count();
    Lesson { rows, share, commit, needed }
}

/// As the replay counts it.
fn score(lessons: &[Lesson], weights: &Weights) -> Score {
    let mut sum = Score::default();
    let mut commits = 0.0;
    for lesson in lessons {
        let mut rows: Vec<(f64, usize)> =
            lesson.rows.iter().enumerate().map(|(at, row)| (weights.weigh(&row.features), at)).collect();
        rows.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let hits = |count: usize| rows.iter().take(count).filter(|(_, at)| lesson.rows[*at].is_needed).count();
        let one = Score {
            hit3: f64::from(hits(3) > 0),
            hit10: f64::from(hits(LIST) > 0),
            recall10: hits(LIST) as f64 / lesson.needed.max(1) as f64,
        };
        sum.add(one, lesson.share);
        commits += lesson.share;
    }
    let mut mean = Score::default();
    if commits > 0.0 {
        mean.add(sum, 1.0 / commits);
    }
    mean
}

/// Moves the weights so that the needed ones would have come first; then sets what chance a weight stands for.
fn learn(lessons: &[Lesson], start: &Weights, pull: f64, rounds: usize) -> Weights {
    let from = start.as_array();
    let mut weights = from;
    let (mut mean, mut square) = ([0.0; FEATURES], [0.0; FEATURES]);
    let all: f64 = lessons.iter().map(|lesson| lesson.share).sum::<f64>().max(1.0);
    for round in 1..=rounds {
        let mut slope = [0.0; FEATURES];
        lessons.iter().for_each(|lesson| lesson.slope(&weights, &mut slope));
        let step = STEP * (1.0 - 0.9 * round as f64 / rounds as f64);
        for at in 0..FEATURES {
            let slope = slope[at] / all + pull * (weights[at] - from[at]);
            mean[at] = 0.9 * mean[at] + 0.1 * slope;
            square[at] = 0.99 * square[at] + 0.01 * slope * slope;
            let (mean, square): (f64, f64) =
                (mean[at] / (1.0 - 0.9_f64.powi(round as i32)), square[at] / (1.0 - 0.99_f64.powi(round as i32)));
            weights[at] -= step * mean / (square.sqrt() + 1e-8);
        }
    }
    calibrate(lessons, &Weights::from_array(weights, start.bias()))
}

impl Lesson {
    /// Of the surprise at what was needed, by each weight.
    fn slope(&self, weights: &[f64; FEATURES], slope: &mut [f64; FEATURES]) {
        let needed = self.rows.iter().filter(|row| row.is_needed).count();
        if needed == 0 {
            return;
        }
        let mut chances: Vec<f64> = self
            .rows
            .iter()
            .map(|row| {
                let weighed: f64 =
                    weights.iter().zip(&row.features).map(|(weight, value)| weight * f64::from(*value)).sum();
                weighed + f64::from(row.stands_for)
            })
            .collect();
        let most = chances.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        chances.iter_mut().for_each(|chance| *chance = (*chance - most).exp());
        let all: f64 = chances.iter().sum();
        for (row, chance) in self.rows.iter().zip(&chances) {
            let wish = if row.is_needed { 1.0 / needed as f64 } else { 0.0 };
            let much = self.share * (chance / all - wish);
            slope.iter_mut().zip(&row.features).for_each(|(slope, value)| *slope += much * f64::from(*value));
        }
    }
}

/// One factor and one bias, so that a weight tells how often a file that weighs so much was needed. Order stays.
fn calibrate(lessons: &[Lesson], weights: &Weights) -> Weights {
    let (mut factor, mut bias) = (1.0_f64, weights.bias());
    let rows: Vec<(f64, f64, f64)> = lessons
        .iter()
        .flat_map(|lesson| lesson.rows.iter())
        .map(|row| (weights.weigh(&row.features), f64::from(row.is_needed), f64::from(row.stands_for).exp()))
        .collect();
    // Newton's method for two numbers.
    for _ in 0..20 {
        let (mut a, mut b, mut aa, mut ab, mut bb) = (0.0, 0.0, 1e-6, 0.0, 1e-6);
        for (weighed, needed, count) in &rows {
            let chance = 1.0 / (1.0 + (-(factor * weighed + bias)).exp());
            let (off, width) = (count * (chance - needed), count * chance * (1.0 - chance));
            a += off * weighed;
            b += off;
            aa += width * weighed * weighed;
            ab += width * weighed;
            bb += width;
        }
        let determinant = aa * bb - ab * ab;
        if determinant.is_nan() || determinant.abs() < 1e-9 {
            break;
        }
        factor = (factor - (bb * a - ab * b) / determinant).clamp(0.2, 5.0);
        bias = (bias - (aa * b - ab * a) / determinant).clamp(-12.0, 2.0);
    }
    let by_feature = Feature::ALL.map(|feature| weights.of(feature) * factor);
    Weights::from_array(by_feature, bias)
}
