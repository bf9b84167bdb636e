//! From features to a verdict: two small learnt models that are asked together, and the guard before `duplicate`.
//!
//! The weights come from some 1,500 labelled pairs of statements: everyday pairs, hard ones, and pairs drawn from a
//! hundred small families (a statement, its paraphrases, what denies it, what may stand beside it). Every pair was
//! learnt twice, with the likeness of an embedder and with none, so that both are judged. A multinomial logistic
//! regression over standardised features (L2) and gradient-boosted trees of depth three were fitted offline; their
//! probabilities are mixed one to two. How large the models may be was chosen by cross-validation over themes, so that
//! no theme is learnt and tested at once.

use super::feature::Features;
use super::trees;
use super::weights::{LINEAR, LINEAR_PRIOR, PRIOR};
use crate::model::Verdict;

pub(super) const CLASSES: usize = 4;
const ORDER: [Verdict; CLASSES] = [Verdict::Contradicts, Verdict::Duplicate, Verdict::Compatible, Verdict::Unrelated];

/// Seven questions, breadth first, and eight answers.
pub(super) type Tree = ([(u8, f32); 7], [f32; 8]);

/// A contradiction taken for a duplicate would be merged away, so a duplicate has to be this likely, and a
/// contradiction this unlikely.
const SAME: f64 = 0.5;
const DENIED: f64 = 0.25;
const LEAN: f64 = 1.1;

/// How likely each class is, in the order of `Verdict`.
pub(super) fn likelihoods(features: &Features) -> [f64; CLASSES] {
    let row = features.row().map(|value| value as f32);
    let mut linear = LINEAR_PRIOR;
    for (value, (_, mean, spread, weights)) in row.iter().zip(&LINEAR) {
        let standard = (value - mean) / spread.max(1e-6);
        for (score, weight) in linear.iter_mut().zip(weights) {
            *score += standard * weight;
        }
    }
    let mut boosted = PRIOR;
    for (score, trees) in boosted.iter_mut().zip(trees::ALL) {
        *score += trees.iter().map(|tree| leaf(tree, &row)).sum::<f32>();
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
    let [denied, same, together, _] = likely;
    let most = likely.iter().copied().fold(0.0, f64::max);
    if same >= most && same > denied * LEAN && (same < SAME || denied > DENIED || parts(features)) {
        // Two memories too many cost a line; what is not surely a contradiction is left to stand beside the other.
        let clashes = parts(features) && denied > together;
        return if clashes { (Verdict::Contradicts, denied) } else { (Verdict::Compatible, together.max(same / 2.0)) };
    }
    // A contradiction overlooked stays for good, one too many is settled by a glance.
    if denied * LEAN >= most {
        return (Verdict::Contradicts, denied);
    }
    let found = ORDER.into_iter().zip(likely).find(|(_, share)| *share >= most);
    found.unwrap_or((Verdict::Compatible, together))
}

/// Does any slot differ, whatever the models think?
fn parts(features: &Features) -> bool {
    features.opposite_said + features.rival_said + features.rival_scope + features.rival_named > 0.0
        || features.number_differs + features.number_apart + features.bound_differs + features.label_differs > 0.0
        || features.order_swapped + features.exchanged > 0.0
        || features.elsewhere_named + features.elsewhere_scope + features.elsewhere_said + features.opposite_named > 0.0
}
