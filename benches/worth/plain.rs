//! Plain methods to stand beside: BM25 over the messages of commits, and files by the words of their paths.

use super::*;

const K1: f64 = 1.2;
const B: f64 = 0.75;
const FILES: usize = 10;
const COMMITS: usize = 5;

/// The words of every message, in an order that can be looked up.
pub(crate) struct Messages {
    /// By word: which messages have it, and how often.
    holders: BTreeMap<String, Vec<(usize, f64)>>,
    lengths: Vec<f64>,
    usual: f64,
}

impl Messages {
    pub(crate) fn of(messages: &[Message]) -> Messages {
        let mut holders: BTreeMap<String, Vec<(usize, f64)>> = BTreeMap::new();
        let mut lengths = Vec::with_capacity(messages.len());
        for (at, message) in messages.iter().enumerate() {
            let mut counts: BTreeMap<String, f64> = BTreeMap::new();
            for word in spoken(&format!("{} {}", message.subject, message.body)) {
                *counts.entry(word).or_default() += 1.0;
            }
            lengths.push(counts.values().sum());
            for (word, count) in counts {
                holders.entry(word).or_default().push((at, count));
            }
        }
        let usual = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
        Messages { holders, lengths, usual }
    }

    /// The messages that fit a question best.
    pub(crate) fn best(&self, question: &str, most: usize) -> Vec<usize> {
        let all = self.lengths.len() as f64;
        let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
        for word in spoken(question).collect::<BTreeSet<String>>() {
            let holders = self.holders.get(&word).map(Vec::as_slice).unwrap_or_default();
            let rarity = (1.0 + (all - holders.len() as f64 + 0.5) / (holders.len() as f64 + 0.5)).ln();
            for (at, count) in holders {
                let length = 1.0 - B + B * self.lengths[*at] / self.usual;
                *scores.entry(*at).or_default() += rarity * count * (K1 + 1.0) / (count + K1 * length);
            }
        }
        let mut ranked: Vec<(usize, f64)> = scores.into_iter().collect();
        ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        ranked.into_iter().take(most).map(|(at, _)| at).collect()
    }

    /// Five commits as a context: their messages and the files they changed.
    pub(crate) fn five(&self, question: &str, messages: &[Message], wanted: &[String]) -> Answer {
        let best = self.best(question, COMMITS);
        let named: Vec<String> = best.iter().flat_map(|at| messages[*at].files.clone()).collect();
        let text = |at: &usize| format!("{}\n{}\n", messages[*at].subject, messages[*at].body);
        let tokens = best.iter().map(|at| lokid_model::token::estimate(&text(at)) as f64).sum();
        Answer { lines: best.iter().map(usize::to_string).collect(), tokens, ..Answer::of_files(&named, wanted) }
    }

    pub(crate) fn lines(&self, messages: &[Message]) -> Lines {
        let line = |(at, message): (usize, &Message)| {
            let said = words(&format!("{} {}", message.subject, message.body));
            (at.to_string(), Line { files: message.files.iter().cloned().collect(), words: said })
        };
        messages.iter().enumerate().map(line).collect()
    }
}

fn spoken(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    parts.filter(|part| part.len() > 1).map(str::to_lowercase)
}

/// Files by how many words of their path are asked for, then by how often they changed.
pub(crate) struct PathWords(Vec<(String, BTreeSet<String>, usize)>);

impl PathWords {
    pub(crate) fn of(past: &Past) -> PathWords {
        let mut changes: BTreeMap<&str, usize> = BTreeMap::new();
        for file in past.messages.iter().flat_map(|message| &message.files) {
            *changes.entry(file).or_default() += 1;
        }
        let entry = |path: &String| (path.clone(), words(path), changes.get(path.as_str()).copied().unwrap_or(0));
        PathWords(past.known.iter().map(entry).collect())
    }

    pub(crate) fn best(&self, question: &str, opened: Option<&str>) -> Vec<String> {
        let asked = words(question);
        let others = self.0.iter().filter(|(path, ..)| Some(path.as_str()) != opened);
        let mut ranked: Vec<(usize, usize, &String)> =
            others.map(|(path, own, changes)| (own.intersection(&asked).count(), *changes, path)).collect();
        ranked.sort_by(|one, other| (other.0, other.1, one.2).cmp(&(one.0, one.1, other.2)));
        ranked.into_iter().take(FILES).map(|(.., path)| path.clone()).collect()
    }
}
