//! Which definitions speak of a goal: in the file at hand, or in the few files that are foreseen.
//!
//! Counted on 254 later commits of 15 repositories, by the subject alone: of the five likeliest files one of the three definitions
//! that speak most of it was changed in .65 of the three in five that spoke clearest, the file of the first in .76 and one of their
//! files in .82. Of the half of the branches that spoke clearest .59, .67 and .77.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use super::Contexts;
use super::folders::{Folder, is_inside, is_work};
use super::written::{COMMENTS, bare};
use crate::past::Symbol;
use lokid_context::predict::{PredictedFile, files};
use lokid_index::analyze;
use lokid_index::cochange::stem_of;
use regex::{Regex, RegexBuilder};

/// Files that are looked through where nothing is at hand.
const MOST_FILES: usize = 5;
/// Of all of them.
const MOST_TEXT: usize = 512 << 10;
/// Of fewer none has to be found.
const FEWEST: usize = 4;
/// A shorter one declares something, and in a longer one everything is said.
const SHORTEST: usize = 3;
const LONGEST: usize = 600;
const SHORTEST_FILE: usize = 80;
/// One word alone is chance.
const FEWEST_WORDS: usize = 2;
/// How much of what the words could say a definition has to say in the file at hand, and of all foreseen, where likelier files
/// count more.
const IN_ONE: f64 = 0.3;
/// What a branch is called says less than a goal does.
const OF_GOAL: f64 = -0.1;
const OF_BRANCH: f64 = 0.0;
const SHARE_OF_BRANCH: f64 = 0.4;
/// In a file that is less likely one definition of five was changed, unless it is called after the goal.
const LEAST_LIKELY: f64 = 0.3;
const OF_LIKELIHOOD: f64 = 0.3;
/// In a folder that is named every program is thought of, and how likely each is tells little.
const LEAST_OF_FOLDER: f64 = 0.01;
const OF_FOLDER: f64 = 0.33;
const SHARE_OF_FOLDER: f64 = 0.3;
/// Another says nearly as much.
const NEARLY: f64 = 0.7;
const MOST_IN_ONE: usize = 2;
const MOST_IN_ALL: usize = 3;
/// BM25: how soon a word said again says nothing new, how much a long definition is held back, how often its own name counts.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.4;
const NAME: f64 = 2.0;

/// Words before the name of what holds other definitions.
const HOLDERS: [&str; 8] = ["class", "trait", "interface", "impl", "mod", "namespace", "module", "enum"];

/// A definition with the comments above it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Passage {
    pub(super) path: String,
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) lines: usize,
    /// Which of the words it says, and how often.
    pub(super) said: BTreeMap<String, f64>,
}

impl Contexts {
    /// The definitions of a long file, or of some lines of it, that speak of what is to be done there.
    pub(super) fn spoken_in(
        &self,
        path: &str,
        text: &str,
        words: &BTreeSet<String>,
        lines: Range<usize>,
    ) -> Vec<Passage> {
        let code = self.repository.code();
        let Some((file, pattern)) = code.get(path).zip(spelling(words)) else { return Vec::new() };
        let mut found = passages(path, &file.symbols, text, words, &pattern);
        found.retain(|passage| lines.contains(&passage.line));
        if found.len() < FEWEST || text.lines().count() < SHORTEST_FILE {
            return Vec::new();
        }
        let ranked = ranked(found, words, &|_| 1.0);
        let best = ranked.first().map_or(0.0, |(share, ..)| *share);
        let is_chance = ranked.first().is_none_or(|(.., first)| first.said.len() < FEWEST_WORDS.min(words.len()));
        let told = ranked.into_iter().take_while(|(share, ..)| *share >= IN_ONE.max(NEARLY * best));
        told.map(|(.., passage)| passage).take(if is_chance { 0 } else { MOST_IN_ONE }).collect()
    }

    /// The same of the programs that are foreseen, those that are likelier first.
    pub(super) fn spoken_among(
        &self,
        foreseen: &[PredictedFile],
        words: &BTreeSet<String>,
        has_goal: bool,
    ) -> Vec<Passage> {
        let (least, least_share) = if has_goal { (OF_GOAL, 0.0) } else { (OF_BRANCH, SHARE_OF_BRANCH) };
        let programs = foreseen.iter().map(|file| file.path.as_str()).filter(|path| is_work(path));
        let found = self.passages_of(&mut programs.take(MOST_FILES), words);
        if found.len() < FEWEST {
            return Vec::new();
        }
        let likelihood = |path: &str| foreseen.iter().find(|file| file.path == path).map_or(0.0, |file| file.score);
        let ranked = ranked(found, words, &likelihood);
        let best = ranked.first().map_or(0.0, |(_, share, _)| *share);
        let is_called_so = |name: &str| analyze::distinct(name, usize::MAX).iter().any(|word| words.contains(word));
        let is_clear = ranked.first().is_some_and(|(score, share, first)| {
            let is_likely = !has_goal || likelihood(&first.path) >= LEAST_LIKELY || is_called_so(&first.name);
            *score >= least && *share >= least_share && first.said.len() >= FEWEST_WORDS && is_likely
        });
        let told = ranked.into_iter().take(MOST_IN_ALL).filter(|(_, share, _)| is_clear && *share >= NEARLY * best);
        told.map(|(.., passage)| passage).collect()
    }

    /// The same of all programs of the folder that is meant.
    pub(super) fn spoken_inside(
        &self,
        folder: &Folder,
        foreseen: &[PredictedFile],
        words: &BTreeSet<String>,
    ) -> Vec<Passage> {
        let ground = self.repository.known().ground;
        let likely = foreseen.iter().map(|file| file.path.as_str());
        let others = ground.paths().filter(|path| foreseen.iter().all(|file| file.path != *path));
        let mut programs = likely.chain(others).filter(|path| is_inside(path, &folder.path) && is_work(path));
        let found = self.passages_of(&mut programs, words);
        if found.len() < FEWEST {
            return Vec::new();
        }
        let likelihood = |path: &str| {
            let foreseen = foreseen.iter().find(|file| file.path == path && !folder.is_name_of(path));
            foreseen.map_or(0.0, |file| file.score).max(LEAST_OF_FOLDER).powf(OF_FOLDER)
        };
        let ranked = ranked(found, words, &likelihood);
        let best = ranked.first().map_or(0.0, |(_, share, _)| *share);
        let is_chance = best < SHARE_OF_FOLDER;
        let told = ranked.into_iter().take(MOST_IN_ALL).filter(|(_, share, _)| !is_chance && *share >= NEARLY * best);
        told.map(|(.., passage)| passage).collect()
    }

    fn passages_of(&self, programs: &mut dyn Iterator<Item = &str>, words: &BTreeSet<String>) -> Vec<Passage> {
        let code = self.repository.code();
        let Some(pattern) = spelling(words) else { return Vec::new() };
        let (mut found, mut room) = (Vec::new(), MOST_TEXT);
        for path in programs {
            if let Some((file, text)) = code.get(path).zip(self.repository.text_of(path, room as u64)) {
                room -= text.len();
                found.extend(passages(path, &file.symbols, &text, words, &pattern));
            }
        }
        found
    }
}

/// What may say one of the words: an inflected word begins as its stem does, nearly to the end.
fn spelling(words: &BTreeSet<String>) -> Option<Regex> {
    let begin = |word: &String| {
        let letters: Vec<char> = word.chars().collect();
        regex::escape(&letters[..letters.len().min(letters.len().saturating_sub(1).max(3))].iter().collect::<String>())
    };
    let begins: Vec<String> = words.iter().map(begin).collect();
    RegexBuilder::new(&begins.join("|")).case_insensitive(true).build().ok().filter(|_| !begins.is_empty())
}

/// Each definition from the comments above it to those above the next one; of a program not what tests it.
fn passages(path: &str, symbols: &[Symbol], text: &str, words: &BTreeSet<String>, pattern: &Regex) -> Vec<Passage> {
    let lines: Vec<&str> = text.lines().collect();
    let mut symbols: Vec<(usize, &str)> =
        symbols.iter().map(|symbol| (symbol.line as usize, symbol.name.as_str())).collect();
    symbols.retain(|(line, _)| (1..=lines.len()).contains(line));
    symbols.sort_unstable();
    symbols.dedup_by_key(|(line, _)| *line);
    let tests = |pair: &[&str]| pair[0].trim() == "#[cfg(test)]" && pair[1].trim_start().starts_with("mod ");
    let holds_tests = path.ends_with(".rs") && !files::is_test(path);
    let last = if holds_tests { lines.windows(2).position(tests) } else { None }.unwrap_or(lines.len());
    symbols.retain(|(line, _)| *line <= last);
    // What holds others is told by them, and what the file is called after by the file.
    let stem = bare(&stem_of(path));
    let depth = |line: usize| lines[line - 1].len() - lines[line - 1].trim_start().len();
    let says_holder = |line: usize| lines[line - 1].split_whitespace().any(|word| HOLDERS.contains(&word));
    let is_above = |line: &&&str| COMMENTS.iter().chain(&["@", "#["]).any(|start| line.trim_start().starts_with(start));
    let begin = |line: usize| line - 1 - lines[..line - 1].iter().rev().take_while(is_above).count();
    let ends = symbols.iter().skip(1).map(|(line, _)| begin(*line)).chain([last]);
    let nexts = symbols.iter().skip(1).map(|(line, _)| Some(*line)).chain([None]);
    let is_told = |((line, name), next): &(&(usize, &str), Option<usize>)| {
        *name != "default"
            && bare(name) != stem
            && name.contains(char::is_lowercase)
            && !(says_holder(*line) && next.is_some_and(|next| depth(next) > depth(*line)))
    };
    let spoken = spoken(text, words, pattern);
    let passage = |((line, name), end): (&(usize, &str), usize)| {
        let (first, end) = (begin(*line), end.max(begin(*line)));
        let mut said: BTreeMap<String, f64> = BTreeMap::new();
        let from = spoken.partition_point(|(at, _)| *at < first);
        let own = spoken[from..].iter().take_while(|(at, _)| *at < end);
        own.for_each(|(_, word)| *said.entry((*word).clone()).or_default() += 1.0);
        analyze::terms(name, |term| {
            if words.contains(term) {
                *said.entry(term.to_owned()).or_default() += NAME;
            }
        });
        Passage { path: path.to_owned(), name: (*name).to_owned(), line: *line, lines: end - first, said }
    };
    let told = symbols.iter().zip(nexts).zip(ends).filter(|(symbol, _)| is_told(symbol));
    let found = told.map(|((symbol, _), end)| passage((symbol, end)));
    found.filter(|passage| (SHORTEST..=LONGEST).contains(&passage.lines)).collect()
}

/// Which of the words are said in which line, in their order. Only what begins like one of them is taken apart: most of a text
/// says something else.
fn spoken<'a>(text: &str, words: &'a BTreeSet<String>, pattern: &Regex) -> Vec<(usize, &'a String)> {
    let is_joined = |sign: char| sign.is_alphanumeric() || sign == '_';
    let (mut found, mut line, mut counted, mut at) = (Vec::new(), 0, 0, 0);
    let mut known: HashMap<&str, Vec<&String>> = HashMap::new();
    while let Some(hit) = pattern.find_at(text, at) {
        let start = hit.start()
            - text[counted..hit.start()]
                .chars()
                .rev()
                .take_while(|sign| is_joined(*sign))
                .map(char::len_utf8)
                .sum::<usize>();
        let end = hit.end()
            + text[hit.end()..].chars().take_while(|sign| is_joined(*sign)).map(char::len_utf8).sum::<usize>();
        line += text[counted..start].bytes().filter(|byte| *byte == b'\n').count();
        let own = known.entry(&text[start..end]).or_insert_with_key(|chunk| {
            let mut own = Vec::new();
            analyze::terms(chunk, |term| own.extend(words.get(term)));
            own
        });
        found.extend(own.iter().map(|word| (line, *word)));
        (counted, at) = (start, end);
    }
    found
}

/// Best first, each with its score and its share of what the words could say. A word counts the less the more definitions say it.
fn ranked(
    passages: Vec<Passage>,
    words: &BTreeSet<String>,
    likelihood: &dyn Fn(&str) -> f64,
) -> Vec<(f64, f64, Passage)> {
    let all = passages.len() as f64;
    let rarity = |word: &str| {
        let holders = passages.iter().filter(|passage| passage.said.contains_key(word)).count() as f64;
        (1.0 + (all - holders + 0.5) / (holders + 0.5)).ln()
    };
    let weights: BTreeMap<&str, f64> = words.iter().map(|word| (word.as_str(), rarity(word))).collect();
    let whole: f64 = weights.values().sum();
    let usual = passages.iter().map(|passage| passage.lines as f64).sum::<f64>() / all.max(1.0);
    let share = |passage: &Passage| {
        let held_back = SATURATION * (1.0 - LENGTH + LENGTH * passage.lines as f64 / usual);
        let worth = |(word, times): (&String, &f64)| {
            weights.get(word.as_str()).copied().unwrap_or(0.0) * times * (SATURATION + 1.0) / (times + held_back)
        };
        passage.said.iter().map(worth).sum::<f64>() / whole.max(f64::MIN_POSITIVE)
    };
    let shares: Vec<f64> = passages.iter().map(share).collect();
    let scored = passages.into_iter().zip(shares).filter(|(_, share)| *share > 0.0);
    let score = |path: &str, share: f64| share + OF_LIKELIHOOD * likelihood(path).max(0.001).ln();
    let mut ranked: Vec<(f64, f64, Passage)> =
        scored.map(|(passage, share)| (score(&passage.path, share), share, passage)).collect();
    ranked.sort_by(|one, other| {
        let by_place = || (&one.2.path, one.2.line).cmp(&(&other.2.path, other.2.line));
        other.0.total_cmp(&one.0).then_with(by_place)
    });
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(path: &str, name: &str, said: &[(&str, f64)]) -> Passage {
        let said = said.iter().map(|(word, times)| ((*word).to_owned(), *times)).collect();
        Passage { path: path.to_owned(), name: name.to_owned(), line: 1, lines: 10, said }
    }

    #[test]
    fn a_definition_that_says_the_rare_words_is_meant_and_a_likelier_file_comes_first() {
        let words: BTreeSet<String> = ["forward", "address"].map(str::to_owned).into();
        let all = || {
            vec![
                passage("a.rs", "read", &[("address", 1.0)]),
                passage("a.rs", "write", &[("address", 1.0)]),
                passage("a.rs", "real", &[("address", 1.0), ("forward", 2.0)]),
                passage("b.rs", "real_too", &[("address", 1.0), ("forward", 2.0)]),
                passage("b.rs", "close", &[]),
            ]
        };
        let names = |likelihood: &dyn Fn(&str) -> f64| -> Vec<String> {
            ranked(all(), &words, likelihood).into_iter().map(|(.., passage)| passage.name).collect()
        };
        assert_eq!(names(&|_| 1.0), ["real", "real_too", "read", "write"]);
        assert_eq!(names(&|path| if path == "b.rs" { 0.9 } else { 0.1 })[0], "real_too");
    }

    #[test]
    fn words_are_found_with_their_lines_whatever_they_are_joined_with() {
        let words: BTreeSet<String> = ["round", "offset"].map(str::to_owned).into();
        let text = "let around = 1;\n// Offsets are rounded\nfn roundOffset_minutes() {}\n\nén_round";
        let found = spoken(text, &words, &spelling(&words).unwrap());
        let found: Vec<(usize, &str)> = found.into_iter().map(|(line, word)| (line, word.as_str())).collect();
        assert_eq!(found, [(1, "offset"), (1, "round"), (2, "round"), (2, "offset"), (4, "round")]);
    }

    #[test]
    fn what_may_say_a_word_begins_as_it_does() {
        let words: BTreeSet<String> = ["polici", "ip", "round"].map(str::to_owned).into();
        let spelling = spelling(&words).unwrap();
        for said in ["a Policy", "policies", "let ip = 1", "rounding"] {
            assert!(spelling.is_match(said), "{said}");
        }
        assert!(!spelling.is_match("nothing of all this"));
    }

    #[test]
    fn a_definition_has_the_comments_above_it_and_ends_before_the_tests() {
        let text = "/// Rounds it.\nfn a() {\n    one();\n}\n\nstruct Bolt {\n    at: u8,\n}\n\n#[cfg(test)]\nmod tests {\n    fn rounded() {}\n}\n";
        let symbols = [("a", 2), ("Bolt", 6), ("tests", 11), ("rounded", 12)];
        let symbols = symbols.map(|(name, line)| Symbol { name: name.to_owned(), line, is_public: true });
        let words: BTreeSet<String> = ["round".to_owned()].into();
        let found = |path: &str| -> Vec<(String, usize, usize)> {
            let found = passages(path, &symbols, text, &words, &spelling(&words).unwrap());
            found.into_iter().map(|passage| (passage.name, passage.lines, passage.said.len())).collect()
        };
        let bolt = || ("Bolt".to_owned(), 4, 0);
        assert_eq!(found("src/b.rs"), [("a".to_owned(), 5, 1), bolt()]);
        assert_eq!(found("src/a.rs"), [bolt()], "what the file is called after is told by the file");
    }
}
