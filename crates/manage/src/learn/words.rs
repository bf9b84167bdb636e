//! Words of goals, as far as they tell one piece of work from another: stems with a weight, and the phrase that several
//! goals share. It knows no episodes.

pub(super) use lokid_model::words::head;

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use frostem::{Algorithm, Stemmer};

const LONGEST_WORD: usize = 40;
const MOST_WORDS: usize = 48;
/// A phrase longer than this is told by its shared words alone.
const LONGEST_PHRASE: usize = 6;
const MOST_SHARED_WORDS: usize = 5;

const STOP: &str = "a about after again all also am an and any are as at be because been before being both but by can could did \
    do does doing down each few for from further get gets got had has have having he her here him his how i if in into is it \
    its itself just let lets may me might more most must my no nor not now of off on once only or other our out over own \
    please same shall she should so some such than that the their them then there these they this those through to too \
    under until up us very via was we were what when where which while who whom why will with without would you your";
/// Said of any work: they do not tell what it was about.
const GENERIC: &str = "add adjust allow apply bug build change check clean cleanup code complete continue correct create debug \
    develop done ensure error extend feature file finish fix fixed function handle help implement implementation improve \
    investigate issue iteration look make method migrate modify module move need new old phase problem project properly \
    refactor remove rename repair replace resolve review run set setup simple solve start step support task test update \
    upgrade use using way work write wrong";
/// Work in one direction is no example for the other.
const OPPOSITES: &[(&str, &str)] = &[
    ("add", "remove"),
    ("add", "delete"),
    ("create", "delete"),
    ("create", "remove"),
    ("enable", "disable"),
    ("upgrade", "downgrade"),
    ("increase", "decrease"),
    ("raise", "lower"),
    ("install", "uninstall"),
    ("encrypt", "decrypt"),
    ("import", "export"),
    ("start", "stop"),
    ("allow", "deny"),
    ("allow", "forbid"),
    ("lock", "unlock"),
    ("publish", "unpublish"),
];

static STOPS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| STOP.split_whitespace().collect());
static GENERICS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let english = Stemmer::new(Algorithm::English);
    GENERIC.split_whitespace().map(|word| english.stem(word).into_owned()).collect()
});
static AGAINST: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let english = Stemmer::new(Algorithm::English);
    let mut against: HashMap<String, Vec<String>> = HashMap::new();
    for (one, other) in OPPOSITES {
        let (one, other) = (english.stem(one).into_owned(), english.stem(other).into_owned());
        against.entry(one.clone()).or_default().push(other.clone());
        against.entry(other).or_default().push(one);
    }
    against
});

pub(super) struct Words {
    english: Stemmer,
}

/// A word as it stands and its stem.
pub(super) struct Word<'a> {
    pub(super) raw: &'a str,
    pub(super) stem: String,
}

impl Words {
    pub(super) fn new() -> Words {
        Words { english: Stemmer::new(Algorithm::English) }
    }

    /// The first words of a text that mean something, in their order.
    pub(super) fn of<'a>(&self, text: &'a str) -> Vec<Word<'a>> {
        let part = |letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == '\'');
        let said = text.split(part).filter(|word| word.chars().any(char::is_alphabetic));
        said.filter_map(|raw| self.word(raw.trim_matches(['_', '\'']))).take(MOST_WORDS).collect()
    }

    fn word<'a>(&self, raw: &'a str) -> Option<Word<'a>> {
        if raw.len() < 2 || raw.len() > LONGEST_WORD {
            return None;
        }
        let lower = raw.to_lowercase();
        if STOPS.contains(lower.as_str()) {
            return None;
        }
        let stem = if lower.is_ascii() { self.english.stem(&lower).into_owned() } else { lower };
        Some(Word { raw, stem })
    }
}

pub(super) fn is_generic(stem: &str) -> bool {
    GENERICS.contains(stem)
}

/// How much it says that two goals share this stem.
pub(super) fn weight(stem: &str) -> f32 {
    if is_generic(stem) { 0.25 } else { 1.0 }
}

/// The stems that turn a goal round when they stand in place of this one.
pub(super) fn opposites(stem: &str) -> &'static [String] {
    AGAINST.get(stem).map_or(&[], Vec::as_slice)
}

/// What the goals are about, in the words of the one that says it best: `login timeout`.
pub(super) fn theme(goals: &[&str], words: &Words) -> Option<String> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut distinct: HashMap<&str, (usize, Vec<String>)> = HashMap::new();
    for goal in goals {
        let known = distinct.entry(goal).or_insert_with(|| {
            let stems: HashSet<String> = words.of(goal).into_iter().map(|word| word.stem).collect();
            (0, stems.into_iter().collect())
        });
        known.0 += 1;
    }
    for (times, stems) in distinct.values() {
        for stem in stems {
            *counts.entry(stem.clone()).or_default() += times;
        }
    }
    let spoken: usize = distinct.values().filter(|(_, stems)| !stems.is_empty()).map(|(times, _)| times).sum();
    let is_shared = |stem: &str| {
        let count = counts.get(stem).copied().unwrap_or(0);
        !is_generic(stem) && count >= 2 && 2 * count > spoken
    };
    let worth = |stems: &[String]| stems.iter().filter(|stem| is_shared(stem)).count();
    let best = distinct.iter().filter(|(_, (_, stems))| worth(stems) > 0).min_by(|a, b| {
        // What a goal begins with is mostly a command, which does not read well after "working on".
        let rank = |(goal, (_, stems)): &(&&str, &(usize, Vec<String>))| {
            let begins = words.of(goal).first().is_some_and(|word| is_shared(&word.stem));
            (std::cmp::Reverse(worth(stems)), begins, stems.len(), goal.len(), goal.to_string())
        };
        rank(a).cmp(&rank(b))
    });
    Some(phrase(best?.0, &words.of(best?.0), is_shared))
}

/// The stretch of a goal between its first and last shared word, or those words alone where it would be long.
fn phrase(goal: &str, said: &[Word<'_>], is_shared: impl Fn(&str) -> bool) -> String {
    let shared: Vec<&str> = said.iter().filter(|word| is_shared(&word.stem)).map(|word| word.raw).collect();
    let place = |word: &str| word.as_ptr() as usize - goal.as_ptr() as usize;
    if let (Some(first), Some(last)) = (shared.first(), shared.last()) {
        let stretch = &goal[place(first)..place(last) + last.len()];
        let plain = !stretch.contains(['\n', '`', ':', ';', '.', '(', ')']);
        if plain && stretch.split_whitespace().count() <= LONGEST_PHRASE {
            return stretch.split_whitespace().map(uncapitalised).collect::<Vec<_>>().join(" ");
        }
    }
    let mut told = HashSet::new();
    let few = shared.into_iter().filter(|word| told.insert(word.to_lowercase())).take(MOST_SHARED_WORDS);
    few.map(uncapitalised).collect::<Vec<_>>().join(" ")
}

/// `Login` as it stands inside a sentence; names such as `JWT` and `parseConfig` stay.
pub(super) fn uncapitalised(word: &str) -> String {
    let mut letters = word.chars();
    match letters.next() {
        Some(first) if first.is_uppercase() && letters.clone().all(|letter| letter.is_lowercase() || letter == '-') => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => word.to_owned(),
    }
}

/// The start of a text, on one line, without what would break a quotation or end the sentence around it.
pub(super) fn snippet(text: &str, most: usize) -> String {
    line(text, most).trim_end_matches(['.', ';', ':', ',']).to_owned()
}

/// The start of a text, on one line.
pub(super) fn line(text: &str, most: usize) -> String {
    let mut told = String::new();
    for word in text.split_whitespace() {
        let blank = usize::from(!told.is_empty());
        if told.chars().count() + blank + word.chars().count() > most {
            if told.is_empty() {
                told.extend(word.chars().take(most.saturating_sub(1)));
            }
            told.push('…');
            break;
        }
        if blank == 1 {
            told.push(' ');
        }
        told.push_str(word);
    }
    told.replace('`', "'")
}
