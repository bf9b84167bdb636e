//! From features to a verdict: two small learnt models that are asked together, and the guard before `duplicate`.
//!
//! The weights come from some 3,700 labelled pairs of statements: everyday pairs, hard ones, and pairs drawn from small
//! families (a statement, its paraphrases, what denies it, what may stand beside it). Every pair was learnt twice, with
//! the likeness of an embedder and with none (at half the weight), so that both are judged. Gradient-boosted trees of
//! depth three and a multinomial logistic regression over standardised features (L2) were fitted offline; their
//! probabilities are mixed two to one. Sizes and thresholds were chosen on collections left out of the training whole.

use super::feature::Features;
use super::trees;
use super::weights::{LINEAR, LINEAR_PRIOR, PRIOR};
use crate::model::Verdict;

pub(super) const CLASSES: usize = 4;

/// Seven questions, breadth first, and eight answers.
pub(super) type Tree = ([(u16, f32); 7], [f32; 8]);

/// A contradiction taken for a duplicate would be merged away, so a duplicate has to be this likely, and a
/// contradiction this unlikely.
const SAME: f64 = 0.5;
const DENIED: f64 = 0.2;
/// From here on it is called a contradiction, whatever else is likely …
const SURELY_DENIED: f64 = 0.55;
/// … and from here on if nothing is likelier.
const LIKELY_DENIED: f64 = 0.45;
/// How sure it is that the same words in the same order say the same.
const WORD_FOR_WORD: f64 = 0.98;

/// How likely each class is: contradicts, duplicate, compatible, unrelated.
pub(super) fn likelihoods(row: &[f32]) -> [f64; CLASSES] {
    let mut linear = LINEAR_PRIOR;
    for (value, (_, mean, spread, weights)) in row.iter().zip(LINEAR) {
        let standard = (value - mean) / spread.max(1e-6);
        for (score, weight) in linear.iter_mut().zip(weights) {
            *score += standard * weight;
        }
    }
    let mut boosted = PRIOR;
    for (score, trees) in boosted.iter_mut().zip(trees::ALL) {
        *score += trees.iter().map(|tree| leaf(tree, row)).sum::<f32>();
    }
    let (linear, boosted) = (shares(linear), shares(boosted));
    std::array::from_fn(|class| (linear[class] + 2.0 * boosted[class]) / 3.0)
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

fn shares(scores: [f32; CLASSES]) -> [f64; CLASSES] {
    let most = scores.iter().copied().fold(f32::MIN, f32::max);
    let powers = scores.map(|score| f64::from(score - most).exp());
    let sum: f64 = powers.iter().sum();
    powers.map(|power| power / sum)
}

pub(super) fn decide(features: &Features, likely: [f64; CLASSES]) -> (Verdict, f64) {
    let [denied, same, together, apart] = likely;
    if features.word_for_word > 0.0 {
        return (Verdict::Duplicate, same.max(WORD_FOR_WORD));
    }
    if same >= SAME && denied <= DENIED && !parts(features) {
        return (Verdict::Duplicate, same);
    }
    let most = likely.iter().copied().fold(0.0, f64::max);
    if denied >= SURELY_DENIED || denied >= LIKELY_DENIED && denied >= most {
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
