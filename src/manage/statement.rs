//! Two statements of developers: do they contradict one another, say the same, go together, or have nothing in common?
//!
//! Each is read twice. Once into slots: segments with their stance (does, must, may, need not, must not), words with
//! their roles (topic, action, value, scope, condition, reason), quantities in base units, what comes before what. And
//! once in the manner of natural logic (`logic`). Words of one are laid beside words of the other: equal, synonyms,
//! opposites, two of one kind, by hand-made lists and a dictionary (`thesaurus`). What agrees and what differs becomes a
//! row of readable features, and `judge` decides by it. The likeness of words may come from an embedder, or be nought;
//! and where the two may matter to each other, a small model that reads both together may be heard as well.
//!
//! It reads prose in English, the first four hundred words, and never fails on any text. It must not be asked what is
//! true, only whether both can be.

mod align;
mod clause;
mod feature;
mod judge;
mod lexicon;
mod logic;
mod order;
mod quantity;
mod reading;
mod reason;
mod replacing;
#[cfg(test)]
mod tests;
mod thesaurus;
mod trees;

use self::align::Alignment;
use self::clause::Statement;
use self::feature::Compared;
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

/// A statement taken apart, to be compared with as many others as one likes.
#[derive(Clone, Debug)]
pub struct Read {
    text: String,
    slots: Statement,
    /// Read as it is meant beside another that speaks of removing too; only for one that does.
    removing: Option<Statement>,
    logic: logic::Reading,
}

type Alike<'a> = &'a dyn Fn(&str, &str) -> f32;

/// What speaks for each of contradicts, duplicate, compatible, unrelated when both are read together, if anybody can
/// tell.
pub type Weigh<'a> = &'a dyn Fn(&str, &str) -> Option<[f32; judge::CLASSES]>;

pub fn read(text: &str) -> Read {
    let (slots, removing) = Statement::read(text);
    Read { text: text.to_owned(), slots, removing, logic: logic::read(text) }
}

/// Compares an earlier statement with a later one. `alike` gives the likeness of two words or short texts, 0 if it
/// knows none. The verdict does not depend on which is the earlier; only `replaces` does.
pub fn compare(a: &str, b: &str, alike: Alike<'_>) -> Judgement {
    compare_read(&read(a), &read(b), alike, &|_, _| None)
}

/// As `compare`, for statements read before. Whoever can weigh both together is only asked where it may matter.
pub fn compare_read(earlier: &Read, later: &Read, alike: Alike<'_>, weigh: Weigh<'_>) -> Judgement {
    let (Compared { features, numbered, findings }, row) = side_by_side(earlier, later, alike);
    let at_a_glance = judge::likelihoods(&row);
    let matters = judge::may_matter(at_a_glance) && !numbered && features.word_for_word == 0.0;
    let (one, other) = in_order(earlier, later);
    let weighed = matters.then(|| weigh(&one.text, &other.text)).flatten();
    let likely = weighed.map_or(at_a_glance, |weighed| judge::together(at_a_glance, weighed));
    let (verdict, score) = judge::decide(&features, numbered, weighed.is_some(), likely);
    let clear = match verdict {
        Verdict::Contradicts => score >= CLEAR_CONTRADICTION,
        Verdict::Duplicate => score >= CLEAR_DUPLICATE,
        Verdict::Compatible | Verdict::Unrelated => score >= CLEAR_OTHERWISE,
    };
    let replaces = replacing::replaces(&later.slots);
    Judgement { verdict, score, why: reason::why(verdict, &features, &findings), clear, replaces }
}

/// The features' names and values, to look into a judgement.
pub fn explain(a: &str, b: &str, alike: Alike<'_>) -> Vec<(&'static str, f64)> {
    let (a, b) = (read(a), read(b));
    let logic = logic::weigh(&a.logic, &b.logic, 0.0, &|_, _| 0.0);
    let names = feature::NAMES.iter().copied().chain(logic.names);
    names.zip(side_by_side(&a, &b, alike).1).map(|(name, value)| (name, f64::from(value))).collect()
}

/// Always in the same order, whichever came first, so that the verdict is the same both ways.
fn in_order<'a>(a: &'a Read, b: &'a Read) -> (&'a Read, &'a Read) {
    if a.text <= b.text { (a, b) } else { (b, a) }
}

fn side_by_side(a: &Read, b: &Read, alike: Alike<'_>) -> (Compared, Vec<f32>) {
    let (a, b) = in_order(a, b);
    let (one, other) = match (&a.removing, &b.removing) {
        (Some(one), Some(other)) => (one, other),
        _ => (&a.slots, &b.slots),
    };
    let whole = f64::from(alike(&a.text, &b.text));
    let alignment = Alignment::of(one, other, alike);
    let compared = feature::compare(one, other, &alignment, whole, alike);
    let logic = logic::weigh(&a.logic, &b.logic, whole, alike);
    let row = compared.features.row().into_iter().chain(logic.values).map(|value| value as f32).collect();
    (compared, row)
}
