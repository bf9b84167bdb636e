//! Which definitions a goal means, as they are told: of the whole program, of a folder or a file that is known to be meant.
//!
//! How likely each is comes from `lokid_context::predict::goal::definitions`. `cargo bench -p lokid-engine --bench definitions`
//! tells in how many goals one of three was changed, by how likely that seemed.

use std::ops::Range;

use super::Contexts;
use super::folders::{Folder, is_inside, is_shown, is_work};
use super::place::telling_words;
use super::written::bare;
use crate::ground::passages::pieces_of_goal;
use crate::past::PastKnown;
use lokid_context::predict::goal;
use lokid_context::predict::goal::definitions::{PredictedDefinition, Terms, definitions};
use lokid_index::cochange::stem_of;
use lokid_text::Embedder;

/// Files whose likelihood counts, and definitions that are looked at.
const FILES: usize = 60;
const DEFINITIONS: usize = 170;
/// How likely it has to be that one of those told is meant: anywhere, in a folder, in a file.
const ANYWHERE: f64 = 0.55;
const OF_FOLDER: f64 = 0.5;
const IN_ONE: f64 = 0.5;
/// One that is so much less likely than the first is not told beside it, of another file even less.
const BESIDE: f64 = 0.4;
const ELSEWHERE: f64 = 0.65;
/// One word alone leads anywhere.
const FEWEST_WORDS: usize = 2;
/// Where nothing in a file speaks for any of its definitions, none is likelier than another.
const LEAST_OF_FILE: f64 = 0.1;
const MOST_IN_ONE: usize = 2;
const MOST_IN_ALL: usize = 3;

/// A definition that may be meant.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Passage {
    pub(super) path: String,
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) chance: f64,
}

impl Contexts {
    /// All that something speaks for, likeliest first.
    pub(super) fn meant_by(&self, past: &PastKnown, said: &str, now_seconds: i64) -> Vec<Passage> {
        if telling_words(said, "").len() < FEWEST_WORDS {
            return Vec::new();
        }
        let files = goal::predict(&past.subjects, &past.cochange, &*past.ground, said, now_seconds, FILES);
        let table = Embedder::built_in();
        let [goal, telling] = pieces_of_goal(said);
        let terms = Terms {
            files: past.ground.passages().collect(),
            counts: past.ground.passage_counts(),
            goal,
            telling,
            meaning: &|pieces| table.embed_pieces(pieces),
        };
        let found = definitions(&past.subjects, &past.cochange, &terms, &files, said, DEFINITIONS);
        // What a file is called after is told by the file.
        let is_told = |one: &PredictedDefinition| {
            bare(&one.name) != bare(&stem_of(&one.path)) && is_work(&one.path) && !is_shown(&one.path)
        };
        let found = found.into_iter().filter(is_told);
        let passage = |PredictedDefinition { path, name, line, chance, .. }| Passage { path, name, line, chance };
        found.map(passage).collect()
    }

    /// Those that are likely enough; `folder` is where they have to be, if one is meant.
    pub(super) fn spoken(&self, meant: &[Passage], folder: Option<&Folder>) -> Vec<Passage> {
        match folder {
            Some(folder) => {
                given(meant.iter().filter(|one| is_inside(&one.path, &folder.path)), OF_FOLDER, MOST_IN_ALL)
            }
            None => likely(meant.iter().cloned(), ANYWHERE, MOST_IN_ALL),
        }
    }

    /// Those in a file that is known to be meant, or in some lines of it.
    pub(super) fn spoken_in(&self, meant: &[Passage], path: &str, lines: Range<usize>) -> Vec<Passage> {
        given(meant.iter().filter(|one| one.path == path && lines.contains(&one.line)), IN_ONE, MOST_IN_ONE)
    }
}

/// How likely each is where it is known that one of them is meant.
fn given<'a>(meant: impl Iterator<Item = &'a Passage>, least: f64, most: usize) -> Vec<Passage> {
    let meant: Vec<Passage> = meant.cloned().collect();
    let any = any(&meant);
    if any < LEAST_OF_FILE {
        return Vec::new();
    }
    let meant = meant.into_iter().map(|one| Passage { chance: (one.chance / any).min(0.99), ..one });
    likely(meant, least, most)
}

/// How likely it is that one of them is meant.
pub(super) fn any(passages: &[Passage]) -> f64 {
    1.0 - passages.iter().map(|one| 1.0 - one.chance).product::<f64>()
}

fn likely(meant: impl Iterator<Item = Passage>, least: f64, most: usize) -> Vec<Passage> {
    let mut first: Vec<Passage> = meant.take(most).collect();
    let any = any(&first);
    let best = first.first().cloned().unwrap_or_default();
    let least_of = |one: &Passage| if one.path == best.path { BESIDE } else { ELSEWHERE };
    first.retain(|one| any >= least && one.chance >= least_of(one) * best.chance);
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passages(chances: &[f64]) -> Vec<Passage> {
        chances.iter().map(|chance| Passage { chance: *chance, ..Passage::default() }).collect()
    }

    #[test]
    fn some_that_are_likely_together_are_told_and_nothing_where_all_are_unlikely() {
        let told = |chances: &[f64]| likely(passages(chances).into_iter(), 0.5, 3).len();
        assert_eq!(told(&[0.4, 0.3, 0.2, 0.2]), 3);
        assert_eq!(told(&[0.6, 0.2, 0.1]), 1, "the others are nothing beside it");
        assert_eq!(told(&[0.2, 0.1, 0.1]), 0);
    }

    #[test]
    fn where_it_is_known_that_one_is_meant_each_is_likelier() {
        let all = passages(&[0.2, 0.01, 0.01]);
        assert_eq!(given(all.iter(), 0.5, 2).len(), 1);
        assert_eq!(likely(all.into_iter(), 0.5, 2).len(), 0);
    }
}
