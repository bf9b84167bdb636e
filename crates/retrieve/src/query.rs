//! What is asked for becomes words with a weight, a question for the vectors, and times that matter. The text of a
//! question is data: nothing in it is syntax.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::when::{self, Clue};
use lokid_index::analyze;
use lokid_index::text::view::Wanted;
use lokid_model::Timestamp;

/// Of a longer question only the beginning is read.
const LONGEST: usize = 32 * 1024;
/// More words than this do not make a question clearer.
const MOST_WORDS: usize = 256;
/// With more words than this somebody pasted a report: nobody answers most of it, and its first line says what it is
/// about. Measured on problem statements as questions: the session that fixed the like comes first in 16 of 25 without,
/// 18 at twice the weight, 19 at three times and 20 at four and at six times.
pub const LONG: usize = 30;
const TITLE_WEIGHT: f32 = 4.0;
const FEWEST_IN_A_TITLE: usize = 3;
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

/// Words of something having happened, without saying what.
const HAPPENING: &str = "accomplish achieve activity anything change day do done event events everything finish happen \
    history learn log made make memories memory new news occur progress project record summarise summarize summary \
    timeline update updates work";

static HAPPENING_WORDS: LazyLock<HashSet<String>> =
    LazyLock::new(|| analyze::distinct(HAPPENING, usize::MAX).into_iter().collect());
static ASKING_WORDS: LazyLock<HashSet<String>> =
    LazyLock::new(|| analyze::distinct(ASKING, usize::MAX).into_iter().collect());
static COUNTING_WORDS: LazyLock<HashSet<String>> =
    LazyLock::new(|| analyze::distinct(COUNTING, usize::MAX).into_iter().collect());

pub struct Query {
    pub wanted: Vec<Wanted>,
    pub clues: Vec<Clue>,
    /// It asks what happened at a time, and for nothing else.
    pub of_time_alone: bool,
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
        let clues = when::dates(text, now);
        let of_time_alone = files.is_empty() && is_of_time_alone(&wanted, &clues);
        Query { wanted, clues, of_time_alone }
    }
}

/// A span is named, and no word is left that a memory could answer.
fn is_of_time_alone(wanted: &[Wanted], clues: &[Clue]) -> bool {
    let span = |clue: &Clue| match clue {
        Clue::Span(when) => Some(when.words.clone()),
        Clue::Event { .. } => None,
    };
    let spans: Option<Vec<String>> = clues.iter().map(span).collect();
    let Some(spans) = spans.filter(|spans| !spans.is_empty()) else { return false };
    let dated: HashSet<String> = analyze::distinct(&spans.join(" "), MOST_WORDS).into_iter().collect();
    let says_nothing = |word: &str| {
        dated.contains(word)
            || [&*ASKING_WORDS, &*COUNTING_WORDS, &*HAPPENING_WORDS].iter().any(|words| words.contains(word))
    };
    wanted.iter().all(|wanted| says_nothing(&wanted.word))
}

impl Query {
    pub fn is_long(&self) -> bool {
        self.wanted.len() > LONG
    }

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
    let told = without_addresses(beginning(text));
    let text = if told.trim().is_empty() { beginning(text) } else { &told };
    let words = analyze::distinct(text, MOST_WORDS);
    let title = if words.len() > LONG { title(text) } else { HashSet::new() };
    let weight = |word: &str| if title.contains(word) { TITLE_WEIGHT } else { 1.0 };
    words.into_iter().map(|word| Wanted { share: share(&word) * weight(&word), word }).collect()
}

/// An address says where to look, and its parts are no words that a memory could answer.
fn without_addresses(text: &str) -> String {
    let is_address = |word: &&str| word.contains("http://") || word.contains("https://");
    text.split_inclusive(char::is_whitespace).filter(|word| !is_address(word)).collect()
}

/// The words of the first line that says something.
fn title(text: &str) -> HashSet<String> {
    let lines = text.lines().map(|line| analyze::distinct(line, MOST_WORDS));
    lines.into_iter().find(|words| words.len() >= FEWEST_IN_A_TITLE).unwrap_or_default().into_iter().collect()
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
    fn an_address_is_only_asked_for_where_nothing_else_is() {
        let words = |text| wanted(text).into_iter().map(|wanted| wanted.word).collect::<Vec<_>>();
        assert_eq!(words("apart drops [a term](https://groups.example/V2qydfXuw7Y)"), ["apart", "drop"]);
        assert!(words("https://groups.example/V2qydfXuw7Y").contains(&"group".to_owned()));
    }

    #[test]
    fn the_first_line_of_a_pasted_report_weighs_most() {
        let words: Vec<String> = (0..40).map(|at| format!("word{at}x")).collect();
        let found = wanted(&format!("##\nparser drops trailing commas\n{}", words.join(" ")));
        let weight = |word: &str| found.iter().find(|wanted| wanted.word == word).unwrap().share;
        assert_eq!((weight("parser"), weight("word3x")), (TITLE_WEIGHT, 1.0));
        assert!(wanted("parser drops commas\nin lists").iter().all(|wanted| wanted.share == 1.0));
    }

    #[test]
    fn a_question_about_time_alone_names_a_span_and_nothing_else() {
        let now = Timestamp::parse("2026-11-16T10:00:00Z").unwrap();
        let alone = |text: &str| Query::of(text, &[], now).of_time_alone;
        for text in
            ["what happened yesterday?", "What did we do last week", "on 2026-11-15", "anything new since Monday?"]
        {
            assert!(alone(text), "{text}");
        }
        for text in ["which parser did we choose yesterday", "what happened", "what happened before the migration", ""]
        {
            assert!(!alone(text), "{text}");
        }
        assert!(!Query::of("what happened yesterday", &["src/a.rs".to_owned()], now).of_time_alone);
    }

    #[test]
    fn a_huge_question_is_read_in_part_and_cut_between_letters() {
        let text = "ü ".repeat(5_000_000);
        assert!(beginning(&text).len() <= LONGEST);
        assert!(Query::of(&text, &[], Timestamp::from_micros(0)).wanted.len() <= MOST_WORDS);
    }
}
