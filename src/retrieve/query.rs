//! What is asked for becomes words with a weight, a question for the vectors, and times that matter. The text of a
//! question is data: nothing in it is syntax.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::when::{self, Clue};
use crate::index::analyze;
use crate::index::text::view::Wanted;
use crate::model::Timestamp;

/// Of a longer question only the beginning is read.
const LONGEST: usize = 32 * 1024;
/// More words than this do not make a question clearer.
const MOST_WORDS: usize = 256;
/// As many of them as the history is asked for.
pub const MOST_ASKED: usize = 48;
/// Nobody asks about more files at once.
pub const MOST_FILES: usize = 64;

/// Words of asking rather than of what is asked for. They stand in every question and in few answers.
const ASKING: &str = "advice advise again ago already also amount any anything back chat chatted conversation currently \
    different discuss discussed earliest get give going got help idea ideas kind know last latest long look looking \
    many mention mentioned much need number often order past please previous previously recall recently recommend \
    recommendation remember remind show something sort still suggest suggestion talk talked tell thing think time \
    times tips told total type want wondering";
const ASKING_SHARE: f32 = 0.3;

/// Counts and spans of time, which questions are full of and memories too.
const COUNTING: &str = "one two three four five six seven eight nine ten day days week weeks month months year years \
    hour hours minute minutes";
const COUNTING_SHARE: f32 = 0.5;

static ASKING_WORDS: LazyLock<HashSet<String>> =
    LazyLock::new(|| analyze::distinct(ASKING, usize::MAX).into_iter().collect());
static COUNTING_WORDS: LazyLock<HashSet<String>> =
    LazyLock::new(|| analyze::distinct(COUNTING, usize::MAX).into_iter().collect());

pub struct Query {
    pub wanted: Vec<Wanted>,
    pub clues: Vec<Clue>,
}

impl Query {
    pub fn of(text: &str, files: &[String], now: Timestamp) -> Query {
        let text = beginning(text);
        let mut wanted = wanted(text);
        let mut known: HashSet<String> = wanted.iter().map(|wanted| wanted.word.clone()).collect();
        for file in files.iter().take(MOST_FILES) {
            let words = analyze::distinct(beginning(file), MOST_WORDS).into_iter();
            wanted.extend(words.filter(|word| known.insert(word.clone())).map(|word| Wanted { word, share: 1.0 }));
        }
        Query { wanted, clues: when::dates(text, now) }
    }
}

impl Query {
    /// From a quarter to 1: identifiers, codes and numbers have no meaning that a model could know.
    pub fn certainty(&self) -> f64 {
        let plain = |wanted: &&Wanted| wanted.word.chars().all(char::is_alphabetic);
        match self.wanted.len() {
            0 => 1.0,
            all => 0.25 + 0.75 * self.wanted.iter().filter(plain).count() as f64 / all as f64,
        }
    }
}

/// The words of a text, each with how much depends on it.
pub fn wanted(text: &str) -> Vec<Wanted> {
    let share = |word: &str| {
        if ASKING_WORDS.contains(word) {
            ASKING_SHARE
        } else if COUNTING_WORDS.contains(word) {
            COUNTING_SHARE
        } else {
            1.0
        }
    };
    let words = analyze::distinct(beginning(text), MOST_WORDS).into_iter();
    words.map(|word| Wanted { share: share(&word), word }).collect()
}

/// As much of a question as is looked at.
pub fn beginning(text: &str) -> &str {
    super::beginning(text, LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_asking_weigh_less_than_what_is_asked_for() {
        let found = wanted("Can you remind me which parser we use?");
        let shares: Vec<(&str, f32)> = found.iter().map(|wanted| (wanted.word.as_str(), wanted.share)).collect();
        assert_eq!(shares, [("remind", ASKING_SHARE), ("parser", 1.0), ("use", 1.0)]);
    }

    #[test]
    fn a_huge_question_is_read_in_part_and_cut_between_letters() {
        let text = "ü ".repeat(5_000_000);
        assert!(beginning(&text).len() <= LONGEST);
        assert!(Query::of(&text, &[], Timestamp::from_micros(0)).wanted.len() <= MOST_WORDS);
    }
}
