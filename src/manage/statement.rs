//! Two statements of developers: do they contradict one another, say the same, go together, or have nothing in common?
//!
//! Each is read into what it is about and what it says: segments with their stance (does, must, may, need not, must
//! not), words with their roles (topic, action, value, scope, condition, reason), quantities in base units, what comes
//! before what. Words of one are laid beside words of the other: equal, synonyms, opposites, two of one kind. What
//! agrees and what differs, slot by slot, becomes a row of readable features, and `judge` decides by it. No model of
//! language is asked; the likeness of words may come from an embedder, or be nought.
//!
//! It reads prose in English, the first four hundred words, and never fails on any text. It must not be asked what is
//! true, only whether both can be.

mod align;
mod clause;
mod feature;
mod judge;
mod lexicon;
mod order;
mod quantity;
mod reading;
mod reason;
/// The features' names and values, to look into a judgement.
#[cfg(test)]
fn explain(a: &str, b: &str, alike: &dyn Fn(&str, &str) -> f32) -> Vec<(&'static str, f64)> {
    let (earlier, later) = Statement::pair(a, b);
    let compared = side_by_side((a, &earlier), (b, &later), alike);
    feature::NAMES.iter().copied().zip(compared.features.row()).collect()
}

#[cfg(test)]
mod tests;
mod trees;
#[allow(clippy::approx_constant)]
mod weights;

use self::align::Alignment;
use self::clause::Statement;
use self::feature::Compared;
use self::lexicon::Class;
use crate::model::Verdict;

/// From here on a verdict may be acted on without asking anyone.
const CLEAR_CONTRADICTION: f64 = 0.85;
const CLEAR_DUPLICATE: f64 = 0.85;
const CLEAR_OTHERWISE: f64 = 0.8;

#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    pub verdict: Verdict,
    /// How likely the verdict is right, 0 to 1.
    pub score: f64,
    /// One line for a person.
    pub why: String,
    /// Sure enough to act on without a person or a judge.
    pub clear: bool,
    /// The later statement says itself that it replaces something.
    pub replaces: bool,
}

/// Compares an earlier statement with a later one. `alike` gives the likeness of two words or short texts, 0 if it
/// knows none. The verdict does not depend on which is the earlier; only `replaces` does.
pub fn compare(a: &str, b: &str, alike: &dyn Fn(&str, &str) -> f32) -> Judgement {
    let (earlier, later) = Statement::pair(a, b);
    let replaces = later.says(Class::CHANGES);
    let Compared { features, findings } = side_by_side((a, &earlier), (b, &later), alike);
    let (verdict, score) = judge::decide(&features, judge::likelihoods(&features));
    let clear = match verdict {
        Verdict::Contradicts => score >= CLEAR_CONTRADICTION,
        Verdict::Duplicate => score >= CLEAR_DUPLICATE,
        Verdict::Compatible | Verdict::Unrelated => score >= CLEAR_OTHERWISE,
    };
    Judgement { verdict, score, why: reason::why(verdict, &features, &findings), clear, replaces }
}

/// Always in the same order, whichever came first, so that the verdict is the same both ways.
fn side_by_side(a: (&str, &Statement), b: (&str, &Statement), alike: &dyn Fn(&str, &str) -> f32) -> Compared {
    let (a, b) = if a.0 <= b.0 { (a, b) } else { (b, a) };
    let alignment = Alignment::of(a.1, b.1, alike);
    feature::compare(a.1, b.1, &alignment, f64::from(alike(a.0, b.0)), alike)
}
