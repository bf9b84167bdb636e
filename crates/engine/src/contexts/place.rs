//! Where in a long file a goal is: the definitions that speak of it most, or else the line that says most of it.
//!
//! Of 322 later commits of 19 repositories such a definition was told for one in two, and changed in .78 of these. The line stood
//! within the change in two of three cases where it said clearly more than all others.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use super::Contexts;
use super::named::DEFINES;
use super::passages::Passage;
use super::sites::names_said;
use super::written::{COMMENTS, QUOTES, bare, quotes};
use crate::ground::LARGEST_CODE;
use lokid_context::predict::goal;
use lokid_context::predict::goal::without_head;
use lokid_context::situation;
use lokid_index::analyze;
use lokid_retrieve::query;

/// In a shorter file nothing has to be looked for.
const SHORTEST_FILE: usize = 80;
const LONGEST_LINE: usize = 400;
/// `try:` says nothing.
const SHORTEST_SHOWN: usize = 12;
/// Words that stand a few lines apart belong together.
const AROUND: usize = 3;
const NEARBY: f64 = 0.7;
/// Other places begin so far away.
const ELSEWHERE: usize = 30;
/// How much of a goal a line has to say, and how much more than any other place.
const SHARE: f64 = 0.25;
const AHEAD: f64 = 0.1;
/// In prose all words are common; and two of them meet by chance, unless they are all there is to say.
const SHARE_OF_PROSE: f64 = 0.4;
const AHEAD_IN_PROSE: f64 = 0.15;
const FEWEST_WORDS: usize = 2;
pub(super) const LIKELY_IN: &str = "likely in ";

impl Contexts {
    /// The definitions that speak of a goal; else the line that says most of it, if no other place comes near. Of a comment that is
    /// what it stands before; whoever has the file open is told no comments.
    pub(super) fn place_in(&self, path: &str, goal: &str, meant: &[Passage], is_open: bool) -> Option<String> {
        let text = self.repository.text_of(path, LARGEST_CODE)?;
        let lines: Vec<&str> = text.lines().collect();
        let (words, is_program) = (telling_words(goal, path), goal::is_program(path));
        let spoken = match lines.len() < SHORTEST_FILE {
            true => Vec::new(),
            false => self.spoken_in(meant, path, 0..usize::MAX),
        };
        // Who has the file and the name needs no line.
        let is_said = |passage: &Passage| goal.contains(&passage.name);
        let told = self.told_of(&spoken, path);
        if is_open && !spoken.is_empty() && spoken.iter().any(is_said) {
            return None;
        }
        if !told.is_empty() {
            return Some(told);
        }
        let said_at = place(&lines, &words, is_program)?;
        let is_parted = self.repository.code().get(path).is_some_and(|file| !file.symbols.is_empty());
        if is_parted && words_near(&lines, &words, said_at) <= FEWEST_WORDS {
            return None;
        }
        let at = if is_program { code_from(&lines, said_at)? } else { said_at };
        if is_open && at != said_at {
            return None;
        }
        let shown = Some(self.shown(lines[at])).filter(|shown| shown.len() >= SHORTEST_SHOWN)?;
        Some(format!("line {}: {shown}", at + 1))
    }

    /// What a file defines and a goal names; of a type also where in it, and without a name all that speaks of it.
    pub(super) fn named_there(&self, path: &str, goal: &str, spoken: &[Passage], meant: &[Passage]) -> String {
        let names = names_said(goal);
        let code = self.repository.code();
        let mut symbols = code.get(path).into_iter().flat_map(|file| &file.symbols);
        // The name of the whole program is no place in it.
        let program = self.env.root.file_name().map(|name| bare(&name.to_string_lossy()));
        let is_named = |name: &String| names.contains(name) && Some(name) != program.as_ref();
        let Some(symbol) = symbols.find(|symbol| is_named(&bare(&symbol.name))) else {
            return self.told_of(spoken, path);
        };
        let others: Vec<Passage> = spoken.iter().filter(|passage| passage.name != symbol.name).cloned().collect();
        let is_type = symbol.name.starts_with(char::is_uppercase) && others.len() == spoken.len();
        let inside = match self.held_by(path, symbol.line as usize) {
            // A class that holds its methods says where they are.
            Some(lines) => self.told_of(&self.spoken_in(meant, path, lines), path),
            None if is_type => self.told_of(&others, path),
            None => String::new(),
        };
        let inside = if inside.is_empty() { inside } else { format!("; {inside}") };
        let shown = self.shown(&symbol.name);
        format!("{DEFINES}{} (line {}){inside}", shown.trim_matches('`'), symbol.line)
    }

    /// The lines of what a definition in a file holds, if it holds others: what stands below it and further in.
    fn held_by(&self, path: &str, line: usize) -> Option<Range<usize>> {
        let (code, text) = (self.repository.code(), self.repository.text_of(path, LARGEST_CODE)?);
        let depths: Vec<usize> = text.lines().map(|line| line.len() - line.trim_start().len()).collect();
        let own = *depths.get(line.checked_sub(1)?)?;
        let mut below: Vec<usize> = code.get(path)?.symbols.iter().map(|symbol| symbol.line as usize).collect();
        below.retain(|other| (line + 1..=depths.len()).contains(other));
        below.sort_unstable();
        let first = *below.first().filter(|first| depths[**first - 1] > own)?;
        let end = below.into_iter().find(|other| depths[*other - 1] <= own).unwrap_or(usize::MAX);
        Some(first..end)
    }

    /// Those that stand in the file.
    pub(super) fn told_of(&self, passages: &[Passage], path: &str) -> String {
        let there: Vec<&Passage> = passages.iter().filter(|passage| passage.path == path).collect();
        let is_first = |at: &usize| there[..*at].iter().all(|known| known.name != there[*at].name);
        let told = |at: usize| {
            let name = Some(self.shown(&there[at].name)).filter(|name| !name.is_empty())?;
            let alike = there.iter().filter(|passage| passage.name == there[at].name);
            let lines: Vec<String> = alike.map(|passage| passage.line.to_string()).collect();
            Some(format!("{name} ({} {})", if lines.len() > 1 { "lines" } else { "line" }, lines.join(", ")))
        };
        let names: Vec<String> = (0..there.len()).filter(is_first).filter_map(told).collect();
        if names.is_empty() { String::new() } else { format!("{LIKELY_IN}{}", names.join(" or ")) }
    }
}

/// The first line from this one on that is no comment, if it is near.
fn code_from(lines: &[&str], at: usize) -> Option<usize> {
    let mut is_quoted = lines[..at].iter().map(|line| quotes(line)).sum::<usize>() % 2 == 1;
    let is_code = |at: &usize| {
        let (line, was_quoted) = (lines[*at].trim_start(), is_quoted);
        is_quoted ^= quotes(line) % 2 == 1;
        !(was_quoted || line.is_empty() || COMMENTS.iter().chain(&QUOTES).any(|start| line.starts_with(start)))
    };
    (at..lines.len()).take(ELSEWHERE).find(is_code)
}

/// What is done and what the file is called tells nothing of where in it.
pub(super) fn telling_words(goal: &str, path: &str) -> BTreeSet<String> {
    let of_path: BTreeSet<String> = analyze::distinct(path, usize::MAX).into_iter().collect();
    let wanted = query::wanted(without_head(goal)).into_iter().filter(|wanted| wanted.share >= 1.0);
    let is_telling = |word: &String| {
        !of_path.contains(word) && !situation::is_doing(word) && word.chars().any(char::is_alphabetic) && word.len() > 1
    };
    wanted.map(|wanted| wanted.word).filter(is_telling).take(situation::MOST_WORDS).collect()
}

/// The line that says most of these words with its neighbours, and how much of all they could say. A word counts the less the
/// more lines say it.
fn place(lines: &[&str], words: &BTreeSet<String>, is_program: bool) -> Option<usize> {
    if words.len() < FEWEST_WORDS || lines.len() < SHORTEST_FILE {
        return None;
    }
    let mut said: HashMap<usize, BTreeSet<&str>> = HashMap::new();
    let mut times: HashMap<&str, usize> = HashMap::new();
    // A link within the document leads to the place, and is none.
    let is_place = |line: &str| line.len() <= LONGEST_LINE && !line.contains("](#");
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| is_place(line)) {
        analyze::terms(line, |term| {
            if let Some(word) = words.get(term)
                && said.entry(at).or_default().insert(word)
            {
                *times.entry(word).or_default() += 1;
            }
        });
    }
    let all = lines.len() as f64;
    let whole = words.len() as f64 * (1.0 + all).ln();
    let weight = |word: &str| (1.0 + all / (1.0 + times[word] as f64)).ln();
    let worth = |at: usize| {
        let mut near: BTreeMap<&str, f64> = BTreeMap::new();
        for other in at.saturating_sub(AROUND)..=at + AROUND {
            let share = if other == at { 1.0 } else { NEARBY };
            for word in said.get(&other).into_iter().flatten() {
                let known = near.entry(word).or_default();
                *known = known.max(share);
            }
        }
        let share = near.iter().map(|(word, share)| weight(word) * share).sum::<f64>() / whole;
        (at, share, near.len())
    };
    let mut found: Vec<(usize, f64, usize)> = said.keys().map(|at| worth(*at)).collect();
    found.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    let (at, share, several) = *found.first()?;
    let second = found.iter().find(|(other, ..)| other.abs_diff(at) > ELSEWHERE).map_or(0.0, |(_, share, _)| *share);
    let is_chance = several < FEWEST_WORDS || (several == FEWEST_WORDS && share < SHARE_OF_PROSE);
    let (least, ahead) = if is_program { (SHARE, AHEAD) } else { (SHARE_OF_PROSE, AHEAD_IN_PROSE) };
    (share >= least && share - second >= ahead && !is_chance).then_some(at)
}

/// How many of the words are said around a line.
fn words_near(lines: &[&str], words: &BTreeSet<String>, at: usize) -> usize {
    let near = &lines[at.saturating_sub(AROUND)..lines.len().min(at + AROUND + 1)];
    let mut said: BTreeSet<&str> = BTreeSet::new();
    for line in near {
        analyze::terms(line, |term| said.extend(words.get(term).map(String::as_str)));
    }
    said.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_goal_is_where_most_of_its_words_stand_and_nowhere_if_they_stand_in_two() {
        let mut lines = vec!["let other = 1;"; 200];
        (lines[120], lines[121]) = ("// The forwarded address", "headers.set(X_FORWARDED_FOR, real_ip)");
        lines[20] = "use forwarded;";
        let words = telling_words("fix: append the real ip to X-Forwarded-For", "src/proxy.rs");
        assert_eq!(place(&lines, &words, true), Some(121));
        lines[40] = "headers.get(X_FORWARDED_FOR, real_ip)";
        assert_eq!(place(&lines, &words, true), None);
        assert_eq!(place(&lines[..60], &words, true), None, "a short file is read");
        assert_eq!([20, 119, 120, 121].map(|at| code_from(&lines, at)), [20, 119, 121, 121].map(Some));
        assert_eq!(code_from(&["// nothing", ""], 0), None);
        let python = ["def get():", "    \"\"\"The address.", "", "    Or none.", "    \"\"\"", "    return address"];
        assert_eq!([0, 1, 3, 4, 5].map(|at| code_from(&python, at)), [0, 5, 5, 5, 5].map(Some));
    }
}
