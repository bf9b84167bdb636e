//! What speaks for a file: subjects of commits, words of its path, and that it was touched lately. Numbers only; which
//! files are still there is not asked here.

use std::collections::HashMap;

use crate::index::subjects::{MOST_COMMITS, Subjects, words};

/// Terms of a goal that are looked at: the rarest say most.
const MOST_TERMS: usize = 48;
const MOST_TERMS_READ: usize = 1_000;
/// Mentions of one term that are looked at, and of all; the newest come first, and rare terms.
const MOST_MENTIONS: usize = 1_500;
const MOST_MENTIONS_OF_ALL: usize = 10_000;

/// How soon a further mention in one subject stops counting, and how much long subjects are held back (BM25).
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.5;
/// The likeliest commits are heard,
const MOST_ALIKE: usize = 50;
/// of many files, each is less meant;
const SPREAD: f64 = 0.3;
/// and a commit counts half after so many further ones, but never less than this.
const ALIKE_HALF_LIFE: f64 = 1_125.0;
const ALIKE_FLOOR: f64 = 0.15;
const ALIKE: f64 = 2.0;

/// How surely a word comes with a file, whatever else was said.
const WORD: f64 = 0.5;
const WORD_HALF_LIFE: f64 = 500.0;
const WORD_FLOOR: f64 = 0.02;
const WORD_SPREAD: f64 = 0.25;
const WORD_DOUBT: f64 = 0.25;

/// How much of the goal is in the path, and how much against the path that has most of it.
const PATH: f64 = 0.2;
const PATH_BEST: f64 = 0.1;
const PATH_RARITY: f64 = 0.75;
/// A word that is in this share of all paths names none.
const PATH_COMMON: f64 = 0.3;

/// Work comes in series: half after so many further commits.
const LATELY: f64 = 0.1;
const LATELY_HALF_LIFE: f64 = 8.0;
const LATELY_COMMITS: usize = 80;

/// The terms that are asked for.
pub(super) struct Question<'a> {
    pub(super) terms: Vec<Term<'a>>,
}

pub(super) struct Term<'a> {
    pub(super) hash: u64,
    /// As it was written.
    pub(super) word: &'a str,
    /// Among subjects, and among paths.
    pub(super) rarity: f64,
    pub(super) path_rarity: f64,
    /// Mentions that are heard.
    mentions: usize,
}

impl<'a> Question<'a> {
    pub(super) fn new(subjects: &Subjects, text: &'a str) -> Question<'a> {
        let mut terms: Vec<Term<'a>> = words(text, MOST_TERMS_READ)
            .into_iter()
            .map(|(hash, word)| Term {
                hash,
                word,
                rarity: rarity(subjects.commits(), subjects.said_by(hash)),
                path_rarity: rarity(subjects.files(), subjects.with_path(hash).len()).powf(PATH_RARITY),
                mentions: subjects.said_by(hash).min(MOST_MENTIONS),
            })
            .collect();
        if terms.len() > MOST_TERMS {
            // A long text is about what is known of it.
            terms.retain(|term| term.mentions > 0 || !subjects.with_path(term.hash).is_empty());
        }
        terms.sort_by(|one, other| other.rarity.total_cmp(&one.rarity).then(one.hash.cmp(&other.hash)));
        terms.truncate(MOST_TERMS);
        let mut room = MOST_MENTIONS_OF_ALL;
        for term in &mut terms {
            term.mentions = term.mentions.min(room);
            room -= term.mentions;
        }
        Question { terms }
    }
}

/// Of so many, so many have it.
fn rarity(all: usize, with: usize) -> f64 {
    let (all, with) = (all as f64, with as f64);
    (1.0 + (all - with).max(0.0) / (with + 0.5) + 0.5 / (with + 0.5)).ln()
}

/// By file, as `Subjects` numbers them.
#[derive(Default)]
pub(super) struct Evidence {
    pub(super) said: Vec<f64>,
    pub(super) path: Vec<f64>,
    pub(super) lately: HashMap<u32, f64>,
    /// The commits most like the goal, by place.
    pub(super) alike: Vec<(usize, f64)>,
    touched: Vec<u32>,
}

impl Evidence {
    pub(super) fn gather(subjects: &Subjects, question: &Question<'_>) -> Evidence {
        let mut evidence =
            Evidence { said: vec![0.0; subjects.files()], path: vec![0.0; subjects.files()], ..Evidence::default() };
        evidence.hear_commits(subjects, question);
        evidence.hear_words(subjects, question);
        evidence.hear_paths(subjects, question);
        if !evidence.touched.is_empty() {
            evidence.hear_the_last(subjects);
        }
        evidence.touched.sort_unstable();
        evidence.touched.dedup();
        evidence
    }

    pub(super) fn is_empty(&self) -> bool {
        self.touched.is_empty()
    }

    pub(super) fn weight(&self, file: u32) -> f64 {
        let at = file as usize;
        self.said[at] + self.path[at] + self.lately.get(&file).copied().unwrap_or_default()
    }

    /// Files and their weights, heaviest first.
    pub(super) fn heaviest(&self, subjects: &Subjects, most: usize) -> Vec<(u32, f64)> {
        let mut files: Vec<(u32, f64)> = self.touched.iter().map(|file| (*file, self.weight(*file))).collect();
        let by_weight = |one: &(u32, f64), other: &(u32, f64)| {
            other.1.total_cmp(&one.1).then_with(|| subjects.path(one.0).cmp(subjects.path(other.0)))
        };
        if files.len() > most {
            files.select_nth_unstable_by(most, by_weight);
            files.truncate(most);
        }
        files.sort_unstable_by(by_weight);
        files
    }

    fn say(&mut self, file: u32, weight: f64) {
        let said = &mut self.said[file as usize];
        if *said == 0.0 {
            self.touched.push(file);
        }
        *said += weight;
    }

    /// The commits most like the goal vote for their files.
    fn hear_commits(&mut self, subjects: &Subjects, question: &Question<'_>) {
        let mut scores = vec![0.0_f64; subjects.commits()];
        let mut ages: Vec<(usize, usize)> = Vec::new();
        let average = subjects.average_length();
        let whole: f64 = question.terms.iter().map(|term| term.rarity).sum();
        for term in &question.terms {
            for mention in subjects.mentions(term.hash).take(term.mentions) {
                let times = mention.times;
                let length = subjects.length_of(mention.place) / average;
                let held_back = SATURATION * (1.0 - LENGTH + LENGTH * length);
                if scores[mention.place] == 0.0 {
                    ages.push((mention.place, mention.age));
                }
                scores[mention.place] += term.rarity * times / (times + held_back);
            }
        }
        let mut alike: Vec<(usize, f64)> = ages
            .into_iter()
            .filter(|(place, _)| !subjects.files_of(*place).is_empty())
            .map(|(place, age)| {
                (
                    place,
                    sharpened(scores[place] / whole)
                        * (ALIKE_FLOOR + (1.0 - ALIKE_FLOOR) * faded(age, ALIKE_HALF_LIFE)),
                )
            })
            .collect();
        let by_likeness =
            |one: &(usize, f64), other: &(usize, f64)| other.1.total_cmp(&one.1).then(other.0.cmp(&one.0));
        if alike.len() > MOST_ALIKE {
            alike.select_nth_unstable_by(MOST_ALIKE, by_likeness);
            alike.truncate(MOST_ALIKE);
        }
        alike.sort_unstable_by(by_likeness);
        let all: f64 = alike.iter().map(|(_, likeness)| likeness).sum();
        for (place, likeness) in &alike {
            let files = subjects.files_of(*place);
            let vote = ALIKE * likeness / all / (files.len() as f64).powf(SPREAD);
            files.iter().for_each(|file| self.say(*file, vote));
        }
        self.alike = alike;
    }

    /// Each word for itself votes for the files it usually comes with.
    fn hear_words(&mut self, subjects: &Subjects, question: &Question<'_>) {
        let fading: Vec<f64> = (0..=MOST_COMMITS)
            .map_while(|age| Some(faded(age, WORD_HALF_LIFE)).filter(|left| *left > WORD_FLOOR))
            .collect();
        let left = |age: usize| fading.get(age).copied().unwrap_or(WORD_FLOOR);
        let spread: Vec<f64> = (0..=100).map(|files| f64::from(files).max(1.0).powf(-WORD_SPREAD)).collect();
        let whole: f64 = question.terms.iter().map(|term| term.rarity).sum();
        for term in &question.terms {
            let mentions = || subjects.mentions(term.hash).take(term.mentions);
            let all: f64 = WORD_DOUBT + mentions().map(|mention| left(mention.age)).sum::<f64>();
            for mention in mentions() {
                let files = subjects.files_of(mention.place);
                let share = spread.get(files.len()).copied().unwrap_or_default();
                let vote = WORD * term.rarity / whole * left(mention.age) * share / all;
                files.iter().for_each(|file| self.say(*file, vote));
            }
        }
    }

    fn hear_paths(&mut self, subjects: &Subjects, question: &Question<'_>) {
        let whole: f64 = question.terms.iter().map(|term| term.path_rarity).sum();
        let mut met: Vec<u32> = Vec::new();
        for term in &question.terms {
            let files = subjects.with_path(term.hash);
            // In a project of a few files every word is common.
            if files.len() as f64 > PATH_COMMON * subjects.files() as f64 + 1.0 {
                continue;
            }
            for file in files {
                self.path[*file as usize] += term.path_rarity;
                met.push(*file);
            }
        }
        met.sort_unstable();
        met.dedup();
        let best = met.iter().map(|file| self.path[*file as usize]).fold(0.0, f64::max);
        for file in &met {
            let share = &mut self.path[*file as usize];
            *share = PATH * *share / whole + PATH_BEST * *share / best;
        }
        self.touched.extend(met);
    }

    fn hear_the_last(&mut self, subjects: &Subjects) {
        for (file, age) in subjects.touched_lately(LATELY_COMMITS) {
            self.lately.insert(file, LATELY * faded(age, LATELY_HALF_LIFE));
            self.touched.push(file);
        }
    }
}

/// To the power of 2 1/4, so that the very best decide.
fn sharpened(likeness: f64) -> f64 {
    let likeness = likeness.min(1.0);
    likeness * likeness * likeness.sqrt().sqrt()
}

/// What is left of one after so many commits.
fn faded(age: usize, half_life: f64) -> f64 {
    (-(age as f64) / half_life).exp2()
}
