//! What anybody would try first, to measure against: BM25 over past subjects; the ten commits that match best vote for
//! their files.

use std::collections::{BTreeMap, HashMap};

use lokid_index::analyze;
use lokid_model::Commit;

const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.75;
const VOTERS: usize = 10;

#[derive(Default)]
pub(super) struct Bm25 {
    /// By term, commits and how often they say it.
    postings: HashMap<String, Vec<(usize, f64)>>,
    lengths: Vec<f64>,
    length: f64,
    files: Vec<Vec<String>>,
}

impl Bm25 {
    pub(super) fn add(&mut self, commit: &Commit) {
        let mut counts: BTreeMap<String, f64> = BTreeMap::new();
        analyze::terms(&commit.subject, |term| *counts.entry(term.to_owned()).or_default() += 1.0);
        let length: f64 = counts.values().sum();
        for (term, times) in counts {
            self.postings.entry(term).or_default().push((self.lengths.len(), times));
        }
        self.lengths.push(length);
        self.length += length;
        self.files.push(commit.files.iter().map(|change| change.path.clone()).collect());
    }

    pub(super) fn suggest(&self, subject: &str, k: usize) -> Vec<&str> {
        let all = self.lengths.len() as f64;
        let average = (self.length / all.max(1.0)).max(1.0);
        let terms = analyze::distinct(subject, usize::MAX);
        let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
        for term in terms {
            let Some(postings) = self.postings.get(&term) else { continue };
            let with = postings.len() as f64;
            let rarity = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
            for (commit, times) in postings {
                let held_back = SATURATION * (1.0 - LENGTH + LENGTH * self.lengths[*commit] / average);
                *scores.entry(*commit).or_default() += rarity * times * (SATURATION + 1.0) / (times + held_back);
            }
        }
        let mut best: Vec<(usize, f64)> = scores.into_iter().collect();
        best.sort_by(|one, other| other.1.total_cmp(&one.1).then(other.0.cmp(&one.0)));
        let mut votes: BTreeMap<&str, f64> = BTreeMap::new();
        for (commit, score) in best.into_iter().take(VOTERS) {
            for file in &self.files[commit] {
                *votes.entry(file).or_default() += score;
            }
        }
        let mut files: Vec<(&str, f64)> = votes.into_iter().collect();
        files.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(other.0)));
        files.into_iter().take(k).map(|(file, _)| file).collect()
    }
}
