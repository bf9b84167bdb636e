//! What an answer is worth: whether it is about this situation and no other, and about what was really changed.

use super::*;

/// A memory or a commit that was shown.
pub(crate) struct Line {
    pub(crate) files: BTreeSet<String>,
    pub(crate) words: BTreeSet<String>,
}

/// By what names them.
pub(crate) type Lines = BTreeMap<String, Line>;

/// An answer in one situation.
pub(crate) struct Answer {
    pub(crate) lines: Vec<String>,
    /// The share of the wanted files that it names, where any are wanted.
    pub(crate) files: Option<f64>,
    pub(crate) tokens: f64,
}

impl Answer {
    pub(crate) fn of_files(named: &[String], wanted: &[String]) -> Answer {
        let found = wanted.iter().filter(|file| named.contains(file)).count();
        let files = (!wanted.is_empty()).then(|| found as f64 / wanted.len() as f64);
        Answer { lines: Vec::new(), files, tokens: f64::NAN }
    }
}

/// What does not apply is no number.
#[derive(Clone, Copy)]
pub(crate) struct Score {
    /// In the mean of the situations.
    pub(crate) lines: f64,
    pub(crate) specific: f64,
    pub(crate) grounded: f64,
    pub(crate) files: f64,
    pub(crate) tokens: f64,
    pub(crate) why: f64,
}

impl Default for Score {
    fn default() -> Score {
        let none = f64::NAN;
        Score { lines: none, specific: none, grounded: none, files: none, tokens: none, why: none }
    }
}

impl Score {
    pub(crate) fn mean(all: &[&Score]) -> Score {
        let of = |value: fn(&Score) -> f64| {
            mean(&all.iter().map(|score| value(score)).filter(|value| !value.is_nan()).collect::<Vec<_>>())
        };
        Score {
            lines: of(|score| score.lines),
            specific: of(|score| score.specific),
            grounded: of(|score| score.grounded),
            files: of(|score| score.files),
            tokens: of(|score| score.tokens),
            why: of(|score| score.why),
        }
    }
}

/// Of one answer a situation, in the order of the situations.
pub(crate) fn of(past: &Past, answers: &[Answer], lines: &Lines) -> Score {
    let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
    for key in answers.iter().flat_map(|answer| answer.lines.iter().collect::<BTreeSet<_>>()) {
        *shown.entry(key).or_default() += 1;
    }
    let (mut all, mut specific, mut grounded) = (0.0, 0.0, 0.0);
    for (later, answer) in past.later.iter().zip(answers) {
        for key in &answer.lines {
            let Some(line) = lines.get(key) else { continue };
            all += 1.0;
            specific += f64::from(shown[key.as_str()] * 5 < past.later.len());
            let about = later.files.iter().any(|file| line.files.contains(file));
            grounded += f64::from(about || line.words.intersection(&later.marks).take(2).count() == 2);
        }
    }
    let tokens: Vec<f64> = answers.iter().map(|answer| answer.tokens).collect();
    let files: Vec<f64> = answers.iter().filter_map(|answer| answer.files).collect();
    let share = |count: f64| if all == 0.0 { f64::NAN } else { count / all };
    Score {
        lines: if lines.is_empty() { f64::NAN } else { all / answers.len() as f64 },
        specific: share(specific),
        grounded: share(grounded),
        files: mean(&files),
        tokens: mean(&tokens),
        why: f64::NAN,
    }
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { f64::NAN } else { values.iter().sum::<f64>() / values.len() as f64 }
}
