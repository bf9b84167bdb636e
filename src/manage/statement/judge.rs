//! From features to a verdict: learnt trees over what can be read off, what a model says that reads both together, if
//! it was asked, and the guard before `duplicate`.
//!
//! Everything here was learnt from some 150,000 labelled pairs: everyday ones, hard ones, and those of small families (a
//! statement, its paraphrases, what denies it, what may stand beside it). The trees are gradient-boosted, of depth
//! three. How much each of the two is believed was fitted on families that neither had seen; the thresholds were chosen
//! on pairs that nothing was learnt from (`docs/BENCHMARKS.md`). `tools/pairs` tells how to do it again.

use super::feature::Features;
use super::trees;
use crate::model::Verdict;

pub(super) const CLASSES: usize = 4;

/// Seven questions, breadth first, and eight answers.
pub(super) type Tree = ([(u16, f32); 7], [f32; 8]);

/// A contradiction taken for a duplicate would be merged away, so a duplicate has to be this likely, and a
/// contradiction this unlikely.
const SAME: f64 = 0.55;
const DENIED: f64 = 0.06;
/// From here on it is called a contradiction, by whoever read both together and by whoever did not.
const SURELY_DENIED: f64 = 0.62;
const DENIED_AT_A_GLANCE: f64 = 0.55;
/// How sure it is that the same words in the same order say the same.
const WORD_FOR_WORD: f64 = 0.98;
/// What is at least this likely to deny or to repeat the other is worth reading together with it.
const WORTH_READING: f64 = 0.05;
/// Less than this nothing is unlikely.
const LEAST: f64 = 1e-3;

/// For each class: where it starts, and how much it is moved by the logarithm of what the trees find likely, and by
/// what the model finds speaks for it.
const TOGETHER: [(f64, [f64; CLASSES], [f64; CLASSES]); CLASSES] = [
    (0.61, [0.434, -0.205, -0.247, -0.001], [0.424, -0.28, -0.28, -0.501]),
    (0.388, [-0.209, 0.401, 0.101, 0.015], [0.251, 1.064, -0.177, -0.074]),
    (0.182, [0.039, -0.195, 0.239, -0.075], [-0.251, -0.179, 0.598, -0.232]),
    (-1.18, [-0.265, 0.0, -0.092, 0.061], [-0.424, -0.605, -0.141, 0.807]),
];

/// How likely each class is: contradicts, duplicate, compatible, unrelated.
pub(super) fn likelihoods(row: &[f32]) -> [f64; CLASSES] {
    shares(trees::ALL.map(|trees| trees.iter().map(|tree| f64::from(leaf(tree, row))).sum()))
}

/// Would it make a difference to read both together?
pub(super) fn may_matter([denied, same, _, _]: [f64; CLASSES]) -> bool {
    denied >= WORTH_READING || same >= WORTH_READING
}

/// The same, with what a model says that read both together: half by both readings, half by the model alone, for with
/// statements of other people the trees are right less often than with those they were fitted on.
pub(super) fn together(likely: [f64; CLASSES], weighed: [f32; CLASSES]) -> [f64; CLASSES] {
    let dot = |weights: &[f64; CLASSES], values: [f64; CLASSES]| -> f64 {
        weights.iter().zip(values).map(|(weight, value)| weight * value).sum()
    };
    let (logarithms, weighed) = (likely.map(|share| (share + LEAST).ln()), weighed.map(f64::from));
    let both = shares(TOGETHER.map(|(start, trees, model)| start + dot(&trees, logarithms) + dot(&model, weighed)));
    let alone = shares(weighed);
    std::array::from_fn(|class| f64::midpoint(both[class], alone[class]))
}

fn leaf((splits, leaves): &Tree, row: &[f32]) -> f32 {
    let mut at = 0;
    for _ in 0..3 {
        let (feature, threshold) = splits[at];
        let value = row.get(usize::from(feature)).copied().unwrap_or(0.0);
        at = 2 * at + if value <= threshold { 1 } else { 2 };
    }
    leaves[at - 7]
}

fn shares(scores: [f64; CLASSES]) -> [f64; CLASSES] {
    let most = scores.iter().copied().fold(f64::MIN, f64::max);
    let powers = scores.map(|score| (score - most).exp());
    let sum: f64 = powers.iter().sum();
    powers.map(|power| power / sum)
}

/// `numbered`: each speaks of another one of many. `weighed`: a model read both together.
pub(super) fn decide(features: &Features, numbered: bool, weighed: bool, likely: [f64; CLASSES]) -> (Verdict, f64) {
    let [denied, same, together, apart] = likely;
    if features.word_for_word > 0.0 {
        return (Verdict::Duplicate, same.max(WORD_FOR_WORD));
    }
    if same >= SAME && denied <= DENIED && !parts(features) && !numbered {
        return (Verdict::Duplicate, same);
    }
    let surely = if weighed { SURELY_DENIED } else { DENIED_AT_A_GLANCE };
    if denied >= surely && !numbered {
        return (Verdict::Contradicts, denied);
    }
    // Two memories too many cost a line: what is neither surely the same nor surely denied stands beside the other.
    if apart > together.max(same / 2.0).max(denied / 2.0) {
        (Verdict::Unrelated, apart)
    } else {
        (Verdict::Compatible, together)
    }
}

/// Does a slot differ for certain, whatever the models think?
fn parts(features: &Features) -> bool {
    features.opposite_said + features.rival_said + features.number_differs > 0.0
        || features.order_swapped + features.exchanged + features.label_differs > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_readings_count_and_the_model_for_itself_too() {
        let unsure = [0.25; CLASSES];
        let [denied, same, ..] = together(unsure, [6.0, -1.0, -1.0, -1.0]);
        assert!(denied > 0.9 && same < 0.05, "{denied} {same}");
        let [denied, same, ..] = together(unsure, [-1.0, 6.0, -1.0, -1.0]);
        assert!(denied < 0.05 && same > 0.9, "{denied} {same}");
        // The same words from the model, other trees.
        let half = [0.5, -1.0, 0.5, -1.0];
        assert!(together([0.9, 0.0, 0.1, 0.0], half)[0] > together([0.1, 0.0, 0.9, 0.0], half)[0]);
        let sum: f64 = together([1.0, 0.0, 0.0, 0.0], [0.1, 0.2, 0.3, 0.4]).iter().sum();
        assert!((sum - 1.0).abs() < 1e-9);
    }

    #[test]
    fn who_read_both_has_to_be_surer_of_a_contradiction() {
        let verdict = |denied: f64, weighed: bool| {
            decide(&Features::default(), false, weighed, [denied, 0.0, 1.0 - denied, 0.0]).0
        };
        let between = f64::midpoint(DENIED_AT_A_GLANCE, SURELY_DENIED);
        assert_eq!(verdict(between, false), Verdict::Contradicts);
        assert_eq!(verdict(between, true), Verdict::Compatible);
        assert_eq!(verdict(SURELY_DENIED, true), Verdict::Contradicts);
    }
}
