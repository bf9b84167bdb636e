//! Which tests of a file speak of what is worked on: of the function an error is in, of a name the goal says as code, or of most
//! of the goal's words.

use std::collections::{BTreeSet, HashMap};

use super::Contexts;
use super::written::bare;
use crate::ground::LARGEST_TEXT;
use lokid_context::predict::files;
use lokid_index::analyze;
use lokid_index::cochange::{folder_of, stem_of};

/// A function that more tests call is what all of them need.
const MOST_CALLING: usize = 4;
const MOST_TOLD: usize = 2;
const SHORTEST_NAME: usize = 4;
const SHORTEST_PART: usize = 6;
/// A function that is named in more files of tests is everybody's.
const MOST_NAMING: usize = 2;
/// How much of a goal the name of a test has to say; and one that says nearly as much is told beside it.
const SHARE: f64 = 0.34;
const NEARLY: f64 = 0.8;
const FEWEST_WORDS: usize = 2;
/// A name that more files of tests say is nobody's, and one that is said less often is met on the way.
const MOST_SAYING: usize = 8;
const FEWEST_SAID: usize = 2;
const SHORTEST_SAID: usize = 8;
/// How calls begin that hold tests, in JavaScript.
const CALLS: [&str; 5] = ["it", "test", "describe", "suite", "specify"];
/// Lines above a function of Rust or Java that may say it is a test.
const ABOVE: usize = 4;
/// Names that every part of a program has.
const EVERYWHERE: [&str; 7] = ["main", "init", "call", "setup", "handle", "close", "default"];

/// What is worked on, as tests would say it.
#[derive(Debug, Default)]
pub(super) struct Spoken {
    /// Names of code, in small letters and without joints.
    names: Vec<String>,
    /// Stems of the goal's words that say what it is about.
    words: BTreeSet<String>,
}

struct Case<'a> {
    name: &'a str,
    line: usize,
    words: Vec<String>,
    calls: bool,
    is_called_so: bool,
}

impl Spoken {
    pub(super) fn new(names: &[String], words: BTreeSet<String>) -> Spoken {
        let is_telling = |name: &String| name.len() >= SHORTEST_NAME && !EVERYWHERE.contains(&name.as_str());
        Spoken { names: names.iter().flat_map(|name| called(name)).filter(is_telling).collect(), words }
    }
}

/// As tests say it: `TestIP4Addr` of `isIP4Addr`.
fn called(name: &str) -> Vec<String> {
    let name = bare(name.rsplit(['.', ':', '#']).next().unwrap_or(name));
    let without = ["is", "get", "set", "has"].iter().filter_map(|start| name.strip_prefix(start));
    let without: Vec<String> = without.filter(|rest| rest.len() >= SHORTEST_PART).map(str::to_owned).collect();
    [name].into_iter().chain(without).collect()
}

impl Contexts {
    /// The file of tests that has some which are called after a function of this file, where its own are not known.
    pub(super) fn tests_called(&self, path: &str, functions: &[String]) -> Option<String> {
        let (ground, code) = (self.repository.known().ground, self.repository.code());
        // Titles in prose say everyday words.
        let is_name = |name: &String| name.len() >= SHORTEST_PART && !lokid_text::is_everyday(name);
        let names: Vec<String> = functions.iter().flat_map(|name| called(name)).filter(is_name).collect();
        let is_called_so = |name: &str| {
            let name = bare(name);
            names.iter().any(|known| name.contains(known.as_str()))
        };
        let ending = |path: &str| path.rsplit_once('.').map(|(_, ending)| ending.to_owned());
        let is_called_test = |path: &str| files::is_test(path.rsplit('/').next().unwrap_or(path));
        let is_one = |other: &&str| files::is_test(other) && is_called_test(other) && ending(other) == ending(path);
        let has = |other: &&str| {
            code.get(other).is_some_and(|file| file.symbols.iter().any(|symbol| is_called_so(&symbol.name)))
        };
        let mut found: Vec<&str> = ground.paths().filter(|_| !names.is_empty()).filter(is_one).filter(has).collect();
        if found.iter().any(|other| folder_of(other) == folder_of(path)) {
            found.retain(|other| folder_of(other) == folder_of(path));
        }
        let found = found.first().filter(|_| found.len() <= MOST_NAMING)?;
        Some((*found).to_owned())
    }

    /// The file of tests that says one of these names most, and the name, where the file that is called so says none of them.
    pub(super) fn tests_saying(&self, called_so: &str, names: &[String]) -> Option<(String, String)> {
        let (ground, code) = (self.repository.known().ground, self.repository.code());
        let name = |name: &String| name.rsplit(['.', ':', '#']).next().unwrap_or(name).to_owned();
        let is_telling = |name: &String| {
            let is_rare = name.len() >= SHORTEST_SAID && !lokid_text::is_everyday(name);
            // What several files define is tested for any of them.
            is_rare && !EVERYWHERE.contains(&name.as_str()) && code.defining(name).take(2).count() == 1
        };
        let names: Vec<String> = names.iter().map(name).filter(is_telling).collect();
        let text_of = |path: &str| self.repository.text_of(path, LARGEST_TEXT);
        let own = text_of(called_so)?;
        if names.iter().any(|name| own.contains(name.as_str())) {
            return None;
        }
        let ending = |path: &str| path.rsplit_once('.').map(|(_, ending)| ending.to_owned());
        let is_one =
            |path: &&str| files::is_test(path.rsplit('/').next().unwrap_or(path)) && ending(path) == ending(called_so);
        names.into_iter().find_map(|name| {
            let folded = bare(&name);
            let paths: Vec<&str> = ground.may_say(&folded).filter(is_one).take(MOST_SAYING + 1).collect();
            let times = |path: &str| text_of(path).map_or(0, |text| text.matches(&name).count());
            let found = paths.iter().filter(|_| paths.len() <= MOST_SAYING).map(|path| (times(path), *path));
            let (_, path) = found.filter(|(times, _)| *times >= FEWEST_SAID).max()?;
            Some((path.to_owned(), name))
        })
    }

    /// `closest: test_a (line 3)`, or nothing.
    pub(super) fn closest(&self, tests: &str, spoken: &Spoken) -> Option<String> {
        // What the file of tests is called after, all of them are.
        let file = bare(&stem_of(tests));
        let names = spoken.names.iter().filter(|name| **name != file).cloned();
        let spoken = &Spoken { names: names.collect(), words: spoken.words.clone() };
        if spoken.names.is_empty() && spoken.words.len() < FEWEST_WORDS {
            return None;
        }
        let code = self.repository.code();
        let text = self.repository.text_of(tests, LARGEST_TEXT)?;
        let lines: Vec<&str> = text.lines().collect();
        let symbols = code.get(tests)?.symbols.iter().map(|symbol| (symbol.name.as_str(), symbol.line as usize));
        let mut places: Vec<(&str, usize)> = symbols.filter(|(_, line)| (1..=lines.len()).contains(line)).collect();
        places.sort_by_key(|(_, line)| *line);
        places.dedup_by_key(|(_, line)| *line);
        // A test ends where something begins that is not inside of it.
        let depth = |line: usize| lines[line - 1].len() - lines[line - 1].trim_start().len();
        let end = |at: usize| {
            let after = places[at + 1..].iter().find(|(_, line)| depth(*line) <= depth(places[at].1));
            after.map_or(lines.len(), |(_, line)| line - 1)
        };
        let cases = places.iter().enumerate().filter(|(_, (name, line))| is_case(tests, &lines, name, *line));
        let cases = cases.map(|(at, (name, line))| Case::new(name, *line, &lines[line - 1..end(at)], spoken));
        let cases: Vec<Case<'_>> = cases.collect();
        let told: Vec<String> = chosen(&cases, &spoken.words)
            .into_iter()
            .map(|case| (self.shown(case.name), case.line))
            .filter(|(name, _)| !name.is_empty())
            .map(|(name, line)| format!("{name} (line {line})"))
            .collect();
        (!told.is_empty()).then(|| format!("closest: {}", told.join(", ")))
    }
}

impl<'a> Case<'a> {
    fn new(name: &'a str, line: usize, body: &[&str], spoken: &Spoken) -> Case<'a> {
        let own = bare(name);
        let says = |line: &&str| parts(line).any(|part| spoken.names.contains(&bare(part)));
        Case {
            name,
            line,
            words: analyze::distinct(name, usize::MAX),
            calls: body.iter().skip(1).any(says),
            is_called_so: spoken.names.iter().any(|known| own.contains(known.as_str())),
        }
    }
}

/// The tests that are called after what is worked on, or else the few that call it, or else those that say most of the goal.
fn chosen<'a, 'b>(cases: &'b [Case<'a>], words: &BTreeSet<String>) -> Vec<&'b Case<'a>> {
    let named: Vec<&Case<'_>> = cases.iter().filter(|case| case.is_called_so).collect();
    let calling: Vec<&Case<'_>> = cases.iter().filter(|case| case.calls).collect();
    let mut said: HashMap<&str, usize> = HashMap::new();
    cases.iter().flat_map(|case| &case.words).for_each(|word| *said.entry(word).or_default() += 1);
    let weight = |word: &str| (1.0 + cases.len() as f64 / (1.0 + said.get(word).copied().unwrap_or(0) as f64)).ln();
    let whole: f64 = words.iter().map(|word| weight(word)).sum();
    let share = |case: &Case<'_>| {
        let own = case.words.iter().filter(|word| words.contains(*word));
        (own.clone().map(|word| weight(word)).sum::<f64>() / whole.max(1.0), own.count())
    };
    let is_few = |cases: &[&Case<'_>]| (1..=MOST_CALLING).contains(&cases.len());
    // What most tests are called after tells none of them from the others, unless the goal does.
    let is_told = |case: &&Case<'_>| share(case).1 > 0;
    let among: Vec<&Case<'_>> = if is_few(&named) || named.iter().any(is_told) {
        named
    } else if is_few(&calling) {
        calling
    } else {
        let is_about = |case: &&Case<'_>| {
            let (share, several) = share(case);
            several >= FEWEST_WORDS && share >= SHARE
        };
        cases.iter().filter(is_about).collect()
    };
    let mut ranked: Vec<(f64, &Case<'_>)> = among.into_iter().map(|case| (share(case).0, case)).collect();
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.line.cmp(&other.1.line)));
    let best = ranked.first().map_or(0.0, |(share, _)| *share);
    let ranked = ranked.into_iter().filter(|(share, _)| *share >= NEARLY * best);
    ranked.map(|(_, case)| case).take(MOST_TOLD).collect()
}

/// Does a definition in this line hold a test, by the customs of its language?
fn is_case(path: &str, lines: &[&str], name: &str, line: usize) -> bool {
    let Some(own) = line.checked_sub(1).and_then(|at| lines.get(at)) else { return false };
    let above = || lines[line.saturating_sub(1 + ABOVE)..line - 1].iter().rev();
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "py" => name.starts_with("test"),
        "go" => ["Test", "Fuzz", "Example"].iter().any(|start| name.starts_with(start)),
        "rs" | "java" => {
            let said = own.trim_start();
            let is_mark = |line: &str| {
                line.starts_with(['#', '@']) && line.to_lowercase().contains("test") && !line.contains("cfg(")
            };
            is_mark(said)
                || above().map(|line| line.trim()).take_while(|line| line.starts_with(['#', '@', '/'])).any(is_mark)
        }
        _ => CALLS
            .iter()
            .any(|call| own.trim_start().strip_prefix(call).is_some_and(|rest| rest.starts_with(['(', '.']))),
    }
}

fn parts(line: &str) -> impl Iterator<Item = &str> {
    line.split(|sign: char| !sign.is_alphanumeric() && sign != '_').filter(|part| part.len() >= SHORTEST_NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TESTS: &str = "import x\n\ndef test_load_all():\n    assert load_all()\n\ndef test_empty():\n    assert load_all([])\n\n\
        def test_retry_after_timeout():\n    sleep()\n\ndef helper():\n    pass\n";

    fn told(names: &[&str], goal: &str) -> Vec<String> {
        let lines: Vec<&str> = TESTS.lines().collect();
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let spoken = Spoken::new(&names, analyze::distinct(goal, usize::MAX).into_iter().collect());
        let places = [("test_load_all", 3), ("test_empty", 6), ("test_retry_after_timeout", 9)];
        let ends = [5, 8, lines.len()];
        let case =
            |((name, line), end): ((&'static str, usize), usize)| Case::new(name, line, &lines[line - 1..end], &spoken);
        let cases: Vec<Case<'_>> = places.into_iter().zip(ends).map(case).collect();
        chosen(&cases, &spoken.words).iter().map(|case| case.name.to_owned()).collect()
    }

    #[test]
    fn the_tests_called_after_a_name_come_before_those_that_call_it() {
        assert_eq!(told(&["load_all"], ""), ["test_load_all"]);
        assert_eq!(told(&["sleeper"], ""), Vec::<String>::new());
        assert_eq!(told(&["sleep"], ""), ["test_retry_after_timeout"]);
    }

    #[test]
    fn what_most_tests_are_called_after_tells_none_of_them() {
        let names: Vec<String> = (0..6).map(|at| format!("test_load_{at}")).collect();
        let case = |name| Case { name, line: 1, words: analyze::distinct(name, 9), calls: false, is_called_so: true };
        let cases: Vec<Case<'_>> = names.iter().map(|name| case(name)).collect();
        assert!(chosen(&cases, &BTreeSet::new()).is_empty());
        assert_eq!(chosen(&cases[..3], &BTreeSet::new()).len(), 2);
    }

    #[test]
    fn a_goal_is_tested_where_the_name_says_most_of_it_and_one_word_is_chance() {
        assert_eq!(told(&[], "retry after a timeout"), ["test_retry_after_timeout"]);
        assert_eq!(told(&[], "retry with other words that nobody tests"), Vec::<String>::new());
    }

    #[test]
    fn what_holds_a_test_is_told_by_the_customs_of_a_language() {
        let lines =
            ["#[test]", "fn keeps_it() {", "it('keeps', () => {", "func TestA(t *testing.T) {", "def test_a():"];
        let is = |path: &str, name: &str, line| is_case(path, &lines, name, line);
        assert!(is("a.rs", "keeps_it", 2) && !is("a.rs", "other", 5) && is("a.ts", "keeps", 3) && !is("a.ts", "a", 2));
        assert!(is("a_test.go", "TestA", 4) && !is("a_test.go", "BenchmarkA", 4) && is("a.py", "test_a", 5));
    }
}
