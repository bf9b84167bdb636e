//! Which sentences of a text tell most: those with the words the text keeps coming back to, those that decide, explain
//! or fix, and those with names, numbers and code. The order of the text is kept.

use std::collections::{HashMap, HashSet};

use super::plain::{clipped, count, one_line};

/// Words that say nothing about what a text is about.
const STOP_WORDS: &str = "a about after again all also am an and any are as at be been before being both but by can could \
    did do does each even for from get got had has have he her here him his how i if in into is it its just like made make \
    may me might more most much my new no not now of off on once one only or other our out over own same shall she should \
    so some still such than that the their them then there these they this those through to too under until up us use \
    used using very was way we were what when where which while who whom why will with would you your";

/// What a sentence says that decides, explains or fixes; the stems as they begin words.
const CUES: &[&str] = &[
    "because",
    "decid",
    "decision",
    "chose",
    "fix",
    "caus",
    "root cause",
    "instead",
    "switch",
    "replac",
    "migrat",
    "must",
    "never",
    "always",
    "so that",
    "due to",
    "turned out",
    "solution",
    "solved",
    "resolv",
    "avoid",
    "breaks",
    "broke",
    "fail",
    "important",
    "therefore",
    "reason",
    "requires",
    "workaround",
    "lesson",
    "prefer",
    "do not",
    "don't",
];
/// Room alone is no reason to say what tells less than this share of the best.
const WORTH_SAYING: f64 = 0.5;
/// Only the best so many are compared with each other,
const MOST_COMPARED: usize = 24;
/// and no length has room for more than these.
const MOST_CHOSEN: usize = 12;

pub(super) struct Ranked<'a> {
    pub(super) sentence: &'a str,
    /// Its place in the text.
    pub(super) at: usize,
    score: f64,
    terms: HashSet<u64>,
}

/// The sentences that tell most, best first. Equal ones in the order of the text.
pub(super) fn rank<'a>(sentences: &[&'a str]) -> Vec<Ranked<'a>> {
    let stops: HashSet<&str> = STOP_WORDS.split_ascii_whitespace().collect();
    let terms: Vec<Vec<u64>> = sentences.iter().map(|sentence| terms(sentence, &stops)).collect();
    let mut often: HashMap<u64, u32> = HashMap::new();
    for term in terms.iter().flatten() {
        *often.entry(*term).or_default() += 1;
    }
    let last = sentences.len().saturating_sub(1);
    let mut ranked: Vec<Ranked<'a>> = sentences
        .iter()
        .zip(terms)
        .enumerate()
        .map(|(at, (sentence, terms))| {
            let terms: HashSet<u64> = terms.into_iter().collect();
            let mut counts: Vec<u32> = terms.iter().map(|term| often[term].min(64)).collect();
            // In a fixed order, so that the sum is the same to the last bit.
            counts.sort_unstable();
            let salience: f64 = counts.iter().map(|count| f64::from(1 + count).ln()).sum();
            let place = match at {
                0 => 1.2,
                1 => 0.4,
                _ if at == last => 0.3,
                _ => 0.0,
            };
            let length = (terms.len() as f64 + 3.0).sqrt();
            let empty = if terms.len() < 2 { 1.0 } else { 0.0 };
            let score = salience / length + place + 0.5 * cues(sentence) + 0.35 * carries(sentence) - empty;
            Ranked { sentence, at, score, terms }
        })
        .collect();
    ranked.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.at.cmp(&other.at)));
    ranked.truncate(MOST_COMPARED);
    varied(ranked)
}

/// Best first, each judged by what it adds to those before it.
fn varied(mut rest: Vec<Ranked<'_>>) -> Vec<Ranked<'_>> {
    let mut chosen: Vec<Ranked<'_>> = Vec::with_capacity(rest.len());
    let mut said: HashSet<u64> = HashSet::new();
    while !rest.is_empty() && chosen.len() < MOST_CHOSEN {
        let worth = |one: &Ranked<'_>| {
            let known = one.terms.intersection(&said).count() as f64 / one.terms.len().max(1) as f64;
            one.score - 2.0 * known * known
        };
        let mut best = (0, worth(&rest[0]));
        for (at, one) in rest.iter().enumerate().skip(1) {
            let worth = worth(one);
            if worth > best.1 {
                best = (at, worth);
            }
        }
        let one = rest.remove(best.0);
        said.extend(&one.terms);
        chosen.push(one);
    }
    chosen
}

/// The best sentences that fit in `most` characters together, in the order of the text.
pub(super) fn summary(sentences: &[&str], most: usize) -> String {
    let mut taken: Vec<(usize, String)> = Vec::new();
    let mut room = most;
    let ranked = rank(sentences);
    let least = ranked.iter().map(|one| one.score).fold(0.0, f64::max) * WORTH_SAYING;
    for one in ranked.iter().filter(|one| one.score >= least || one.at == 0) {
        let line = one_line(one.sentence);
        let chars = count(&line);
        let needed = chars + usize::from(!taken.is_empty());
        if needed <= room {
            room -= needed;
            taken.push((one.at, line));
        } else if taken.is_empty() {
            // The best is too long for itself: its beginning still leads.
            let line = clipped(&line, most * 2 / 3);
            room = most.saturating_sub(count(&line));
            taken.push((one.at, line));
        }
    }
    taken.sort();
    taken.into_iter().map(|(_, line)| line).collect::<Vec<_>>().join(" ")
}

/// Hashes of what a sentence is about. Where words are not apart, two letters together stand for one.
fn terms(sentence: &str, stops: &HashSet<&str>) -> Vec<u64> {
    let mut terms = Vec::new();
    let mut lower = String::new();
    for word in sentence.split(|c: char| !c.is_alphanumeric() && c != '_') {
        if word.is_empty() || word.len() > 256 {
            continue;
        }
        if word.chars().next().is_some_and(is_unspaced) {
            let letters: Vec<char> = word.chars().collect();
            terms.extend(
                letters.windows(2).map(|two| u64::from(u32::from(two[0])) << 32 | u64::from(u32::from(two[1]))),
            );
            continue;
        }
        lower.clear();
        lower.extend(word.chars().flat_map(char::to_lowercase));
        // The plural is the same thing.
        let stem = lower.strip_suffix('s').filter(|stem| stem.len() > 3 && !stem.ends_with('s')).unwrap_or(&lower);
        if stem.len() > 1 && !stops.contains(lower.as_str()) {
            terms.push(fnv(stem));
        }
    }
    terms
}

/// Scripts written without blanks between words.
fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{0e00}'..='\u{0eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}')
}

fn fnv(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// How many cues, at most three. A cue begins a word.
fn cues(sentence: &str) -> f64 {
    let lower = sentence.to_ascii_lowercase();
    let begins = |at: usize| at == 0 || !lower.as_bytes()[at - 1].is_ascii_alphanumeric();
    let found = CUES.iter().filter(|cue| lower.match_indices(**cue).any(|(at, _)| begins(at))).count();
    found.min(3) as f64
}

/// How many names, numbers and pieces of code, at most four.
fn carries(sentence: &str) -> f64 {
    let is_telling = |(at, word): (usize, &str)| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '`');
        let has = |test: fn(char) -> bool| word.chars().any(test);
        let inner = word.chars().skip(1).any(char::is_uppercase);
        let is_code = word.starts_with('`') || word.contains("::") || word.contains('_') || word.contains('/');
        let is_name = at > 0 && word.chars().next().is_some_and(char::is_uppercase) && count(word) > 1;
        is_code || inner || is_name || has(|c| c.is_ascii_digit())
    };
    sentence.split_whitespace().enumerate().filter(|word| is_telling(*word)).take(4).count() as f64
}
