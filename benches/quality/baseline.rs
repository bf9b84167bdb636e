//! BM25 as the baseline, and how well a list of answers holds what was looked for.

use std::collections::{BTreeMap, HashMap, HashSet};

use frostem::{Algorithm, Stemmer};
use serde_json::Value;

use super::text;

/// The baseline: Lucene's form, k1 = 1.2, b = 0.75, Snowball stemming, stop words.
pub(super) struct Bm25 {
    ids: Vec<String>,
    lengths: Vec<f64>,
    average: f64,
    postings: HashMap<String, Vec<(usize, f64)>>,
}

const STOPS: &str = "a an and are as at be but by for if in into is it no not of on or such that the their then there \
    these they this to was will with i me my you your we our he she his her its what which who whom when where why how \
    do does did have has had been being am were would could should can may might";

fn stems(text: &str) -> Vec<String> {
    let (english, stops) = (Stemmer::new(Algorithm::English), STOPS.split(' ').collect::<HashSet<_>>());
    text.split(|letter: char| !letter.is_ascii_alphanumeric())
        .map(str::to_ascii_lowercase)
        .filter(|word| !word.is_empty() && !stops.contains(word.as_str()))
        .map(|word| english.stem(&word).to_string())
        .collect()
}

impl Bm25 {
    pub(super) fn of(records: &[Value], words: impl Fn(&Value) -> String) -> Bm25 {
        let mut postings: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
        let mut lengths = Vec::new();
        for (at, record) in records.iter().enumerate() {
            let mut counts: HashMap<String, f64> = HashMap::new();
            let found = stems(&words(record));
            lengths.push(found.len() as f64);
            for word in found {
                *counts.entry(word).or_default() += 1.0;
            }
            for (word, count) in counts {
                postings.entry(word).or_default().push((at, count));
            }
        }
        let average = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
        Bm25 { ids: records.iter().map(|record| text(record, "id").to_owned()).collect(), lengths, average, postings }
    }

    pub(super) fn best(&self, query: &str, most: usize) -> Vec<String> {
        let mut scores = vec![0.0; self.ids.len()];
        for word in stems(query).into_iter().collect::<HashSet<_>>() {
            let Some(found) = self.postings.get(&word) else { continue };
            let (all, holding) = (self.ids.len() as f64, found.len() as f64);
            let rarity = (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln();
            for (at, count) in found {
                let damp = 1.2 * (0.25 + 0.75 * self.lengths[*at] / self.average);
                scores[*at] += rarity * 2.2 * count / (count + damp);
            }
        }
        let mut order: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] > 0.0).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(self.ids[*a].cmp(&self.ids[*b])));
        order.into_iter().take(most).map(|at| self.ids[at].clone()).collect()
    }
}

#[derive(Default)]
pub(super) struct Tally {
    figures: BTreeMap<&'static str, Vec<f64>>,
}

impl Tally {
    pub(super) fn add(&mut self, ranked: &[String], gold: &HashSet<String>) {
        let within = |k: usize| ranked.iter().take(k).filter(|id| gold.contains(*id)).count() as f64;
        let all = gold.len() as f64;
        let first = ranked.iter().position(|id| gold.contains(id));
        for (name, value) in [
            ("any@5", f64::from(within(5) > 0.0)),
            ("all@5", f64::from(within(5) == all)),
            ("frac@5", within(5) / all),
            ("any@10", f64::from(within(10) > 0.0)),
            ("frac@10", within(10) / all),
            ("mrr", first.map_or(0.0, |place| 1.0 / (place + 1) as f64)),
        ] {
            self.figures.entry(name).or_default().push(value);
        }
    }

    pub(super) fn mean(&self, name: &str) -> f64 {
        let values = &self.figures[name];
        values.iter().sum::<f64>() / values.len() as f64
    }

    pub(super) fn print_pool(&self, name: &str) {
        let mean = |figure| self.mean(figure);
        println!(
            "{name:34} {:>7.3} {:>7.3} {:>7.3} {:>7.3} {:>7.3}",
            mean("any@5"),
            mean("frac@5"),
            mean("frac@10"),
            mean("all@5"),
            mean("mrr")
        );
    }

    pub(super) fn print_few(&self, name: &str, figures: [&str; 4]) {
        let [a, b, c, d] = figures.map(|figure| self.mean(figure));
        println!("{name:34} {a:>7.3} {b:>7.3} {c:>7.3} {d:>7.3}");
    }
}
