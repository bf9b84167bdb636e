//! The second reading, in the manner of natural logic: every word of one statement is laid beside one of the other and
//! gets a relation (equal, opposite, alternative, another number …), seen with the denials and the place around it.
//! What comes out is a row of named numbers; what they amount to is for `judge`.

mod align;
mod antonyms;
mod denial;
mod exclusive;
mod features;
mod grammar;
mod lemma;
mod lexicon;
mod measure;
mod number;
mod phrases;
mod reading;
mod synonyms;
mod wording;
mod words;

pub(super) use self::features::Features;
pub(super) use self::reading::{Reading, read};

/// What agrees and what conflicts. `whole` is the likeness of both texts.
pub(super) fn weigh(a: &Reading, b: &Reading, whole: f64, alike: &dyn Fn(&str, &str) -> f32) -> Features {
    let alignment = align::align(a, b, alike);
    features::features(a, b, &alignment, whole, alike)
}
