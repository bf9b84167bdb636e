//! What speaks for a file: subjects of commits and words of its path. Numbers only; which
//! files are still there is not asked here.

use super::question::Question;
use lokid_index::analyze;
use lokid_index::subjects::{MOST_COMMITS, Subjects};

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

/// How surely a word comes with a file, whatever else was said.
const WORD_HALF_LIFE: f64 = 500.0;
const WORD_FLOOR: f64 = 0.02;
const WORD_SPREAD: f64 = 0.25;
const WORD_DOUBT: f64 = 0.25;

/// A word that is in this share of all paths names none.
const PATH_COMMON: f64 = 0.3;

/// By file, as `Subjects` numbers them.
#[derive(Default)]
pub(super) struct GoalEvidence {
    /// What commits that said the like touched, a share of all they touched,
    pub(super) said: Vec<f64>,
    /// what each word for itself comes with,
    pub(super) word: Vec<f64>,
    /// and how much of the goal stands in the path.
    pub(super) path: Vec<f64>,
    /// The commits most like the goal, by place.
    pub(super) alike: Vec<(usize, f64)>,
    /// How much of the goal the likest one said.
    pub(super) likeness: f64,
    touched: Vec<u32>,
}

impl GoalEvidence {
    pub(super) fn gather(subjects: &Subjects, question: &Question<'_>) -> GoalEvidence {
        let [said, word, path] = [(); 3].map(|()| vec![0.0; subjects.files()]);
        let mut evidence = GoalEvidence { said, word, path, ..GoalEvidence::default() };
        evidence.hear_commits(subjects, question);
        evidence.hear_words(subjects, question);
        evidence.hear_paths(subjects, question);
        evidence.touched.sort_unstable();
        evidence.touched.dedup();
        evidence
    }

    /// At a glance, to choose whom to look at.
    fn weight(&self, file: u32) -> f64 {
        let at = file as usize;
        2.0 * self.said[at] + 0.5 * self.word[at] + 0.3 * self.path[at]
    }

    /// The likeliest at a glance.
    pub(super) fn heaviest(&self, subjects: &Subjects, most: usize) -> impl Iterator<Item = u32> {
        let mut files: Vec<(u32, f64)> = self.touched.iter().map(|file| (*file, self.weight(*file))).collect();
        let by_weight = |one: &(u32, f64), other: &(u32, f64)| {
            other.1.total_cmp(&one.1).then_with(|| subjects.path(one.0).cmp(subjects.path(other.0)))
        };
        if files.len() > most {
            files.select_nth_unstable_by(most, by_weight);
            files.truncate(most);
        }
        files.sort_unstable_by(by_weight);
        files.into_iter().map(|(file, _)| file)
    }

    /// The commits most like the goal vote for their files.
    fn hear_commits(&mut self, subjects: &Subjects, question: &Question<'_>) {
        let mut scores = vec![0.0_f64; subjects.commits()];
        let mut shared = vec![0_u8; subjects.commits()];
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
                shared[mention.place] = shared[mention.place].saturating_add(1);
            }
        }
        // What was taken back says little of what is to be done; that it has one word of it, nothing.
        let revert = analyze::hash(&analyze::stem("revert"));
        let is_undoing = |place: usize| shared[place] == 1 && subjects.says(place, revert);
        ages.retain(|(place, _)| !subjects.files_of(*place).is_empty() && !is_undoing(*place));
        self.likeness = ages.iter().map(|(place, _)| scores[*place] / whole).fold(0.0, f64::max).min(1.0);
        let mut alike: Vec<(usize, f64)> = ages
            .into_iter()
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
            let vote = likeness / all / (files.len() as f64).powf(SPREAD);
            files.iter().for_each(|file| self.said[*file as usize] += vote);
            self.touched.extend(files);
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
                let vote = term.rarity / whole * left(mention.age) * share / all;
                for file in files {
                    let word = &mut self.word[*file as usize];
                    if *word == 0.0 {
                        self.touched.push(*file);
                    }
                    *word += vote;
                }
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
        met.iter().for_each(|file| self.path[*file as usize] /= whole);
        self.touched.extend(met);
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
