//! The plain answer to "what changes with this file?": by how surely it does these days.

use std::collections::HashMap;

use super::{Cochange, PathId, Weight, age};
use lokid_model::Timestamp;

/// Two commits that happened to touch two files prove little: a pair has to outweigh this.
const DOUBT: f64 = 0.5;
/// How much a partner's own changes count against it, between 0 and 1.
const UBIQUITY: f64 = 0.3;
/// Commits of one file that are looked at.
const MOST_COMMITS: usize = 1_000;

#[derive(Clone, Debug, PartialEq)]
pub struct Partner<'a> {
    pub path: &'a str,
    /// Between 0 and 1: how surely a change of the one comes with a change of the other these days.
    pub score: f64,
    /// How often they changed together, as far as is known.
    pub times: u32,
}

impl Cochange {
    /// The files that change with this one, surest first, without those that are gone.
    pub fn partners(&self, path: &str, now: Timestamp, k: usize) -> Vec<Partner<'_>> {
        let Some(place) = self.find(path) else { return Vec::new() };
        let mut pairs: HashMap<PathId, (u32, Weight)> = HashMap::new();
        for (since, entry) in self.commits_of(place).take(MOST_COMMITS) {
            // The more files a commit has, the less each pair of them means. The square root foretold later commits
            // better than the number itself, and than no sharing.
            let others = (entry.files.len().saturating_sub(1)).max(1) as f64;
            let share = Weight((age(entry.time, self.newest() - since as i64) - others.log2() / 2.0) as f32);
            for other in entry.files.iter().map(|other| self.today(*other)).filter(|other| *other != place) {
                let pair = pairs.entry(other).or_insert((0, Weight::NOTHING));
                *pair = (pair.0 + 1, pair.1.plus(share));
            }
        }
        let age = age(now.as_micros().div_euclid(lokid_model::time::SECOND), self.newest());
        let own = self.files[place as usize].weight.at(age);
        let mut found: Vec<Partner<'_>> =
            pairs.into_iter().filter_map(|(other, pair)| self.partner(other, pair, own, age)).collect();
        found.sort_by(|one, other| other.score.total_cmp(&one.score).then_with(|| one.path.cmp(other.path)));
        found.truncate(k);
        found
    }

    /// How often the one asked about changed without the other counts against the pair, and to a lesser degree how
    /// often the other changed by itself: a partner that changes with everything is nobody's partner.
    fn partner(&self, other: PathId, (times, weight): (u32, Weight), own: f64, age: f64) -> Option<Partner<'_>> {
        let other = &self.files[other as usize];
        let alone = own.powf(1.0 - UBIQUITY) * other.weight.at(age).powf(UBIQUITY);
        let score = weight.at(age) / (alone + DOUBT);
        (!other.gone && score > 0.0).then_some(Partner { path: &other.path, score: score.min(1.0), times })
    }
}
