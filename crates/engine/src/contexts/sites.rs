//! Where in the tree the words of a goal, a branch or an error stand: names of code with the few files that say them.
//!
//! Read off 1,156 later commits of 25 repositories: of the files that say a name of a goal one was touched in four of five
//! cases, of those that say a word which is nobody's everyday one in two of three, of other words, however rare, in one of
//! three.

use std::collections::BTreeSet;

use super::Contexts;
use super::cache::Need;
use super::named::{self, READING};
use super::written::{COMMENTS, QUOTES};
use crate::ground::{CodeGround, LARGEST_TEXT, names};
use crate::past::CodeMap;
use lokid_context::parts::FileLine;
use lokid_context::predict::goal::without_head;
use lokid_context::predict::memories::is_common_branch;
use lokid_context::predict::{files, goal};
use lokid_context::situation;
use lokid_index::analyze;
use lokid_index::cochange::{folder_of, is_trivial, stem_of};
use regex::Regex;

/// A name that more files say is everybody's, unless so few of them are programs.
const MOST_FILES: usize = 6;
const MOST_AT_WORK: usize = 3;
const MOST_READ: usize = 20;
const MOST_NAMES: usize = 8;
/// Files that are asked whether they define a name.
const MOST_DEFINING: usize = 32;
const MOST_TOLD: usize = 2;
const MOST_SITES: usize = 4;
const MOST_SOURCES: usize = 2;
/// A word of a branch that is a name of code in the tree has no capitals and no joints.
const SHORTEST_IN_A_BRANCH: usize = 8;
const SHORTEST_TAKEN_AWAY: usize = 4;
/// Written like names of code, and none.
const PROPER: [&str; 8] = ["github", "gitlab", "javascript", "typescript", "graphql", "postgresql", "godoc", "readme"];
const AWAY: [&str; 8] = ["remove", "removes", "delete", "drop", "rename", "renames", "move", "rm"];
const FAILURES: [&str; 3] = ["error", "warning", "exception"];
/// Folders whose files nobody wrote for this.
const ASIDE: [&str; 6] = ["fixtures", "testdata", "snapshots", "__snapshots__", "vendor", "third_party"];
/// Texts that tell what was.
const LOGS: [&str; 5] = ["change", "history", "release", "news", "whatsnew"];
/// How a line begins that brings a name in from elsewhere.
const BRINGING_IN: [&str; 6] = ["import ", "from ", "use ", "pub use ", "#include", "export {"];
const MOST_MARKS: usize = 8;
const LONGEST_SHOWN: usize = 90;
/// A longer line is data.
const LONGEST_LINE: usize = 300;

/// A name of code that is spoken of.
#[derive(Clone, Debug, PartialEq)]
struct Name {
    folded: String,
    /// How an option is spelt; only one may be written with hyphens, elsewhere that would be prose.
    option: Option<String>,
    /// `TestClient`, which is no `test_client`.
    is_type: bool,
}

struct Site {
    path: String,
    line: usize,
    text: String,
    written: String,
    /// It comes from here.
    is_definition: bool,
}

impl Site {
    fn is_work(&self) -> bool {
        goal::is_program(&self.path) && !files::is_test(&self.path)
    }
}

/// Names that stand in the same files, and where.
struct Found {
    names: Vec<String>,
    sites: Vec<Site>,
    /// Others that say it.
    more: usize,
}

impl Contexts {
    /// The names of code that are spoken of, with where they stand; not what is told already. The first of them with how it is
    /// tested, where no line says that of anything.
    pub(super) fn name_lines(
        &self,
        need: &Need,
        told_already: &[FileLine],
        how_to_test: &dyn Fn(&str) -> Option<String>,
    ) -> Vec<FileLine> {
        let errors: Vec<&str> = need.errors.iter().map(|error| error.text.as_str()).collect();
        let branch = need.branch.as_ref().filter(|branch| need.goal.is_none() && !is_common_branch(&branch.name));
        let mut names = told_names(need.goal.as_deref(), branch.map(|branch| branch.name.as_str()));
        // A branch that begins with what a folder is called says where, and names nothing.
        if need.goal.is_none() && !names.is_empty() {
            let ground = self.repository.known().ground;
            let folders: BTreeSet<&str> = ground.paths().flat_map(|path| folder_of(path).split('/')).collect();
            names.retain(|name| !folders.contains(name.folded.as_str()));
        }
        // What a language calls its errors is everybody's.
        let is_failure = |name: &Name| FAILURES.iter().any(|end| name.folded.ends_with(end));
        let (failures, mut names): (Vec<Name>, Vec<Name>) = names.into_iter().partition(is_failure);
        names.extend(self.defined(failures));
        let mut found = self.found(&names, need, &errors);
        if found.is_empty() && !errors.is_empty() {
            found = self.found(&self.defined(names_in_errors(&errors)), need, &errors);
            // Texts and tests are not to blame, unless the test is what failed.
            let is_failed = |site: &Site| files::is_test(&site.path) && named::is_of_tests(&site.written);
            found.iter_mut().for_each(|found| found.sites.retain(|site| site.is_work() || is_failed(site)));
            found.retain(|found| found.more == 0 && !found.sites.is_empty());
            // Where it failed is known, and what its line calls is nearly always whole.
            let ground = self.repository.known().ground;
            found.retain(|_| self.around(need, &ground).is_empty());
        }
        let is_told = |site: &Site| {
            let here = [
                format!("line {}: ", site.line),
                format!("(line {})", site.line),
                format!("its name is \"{}\"", site.written.to_lowercase()),
            ];
            let elsewhere = format!("({}:{})", site.path, site.line);
            told_already.iter().any(|line| {
                let is_there = |path: &str| path == site.path && here.iter().any(|at| line.text().contains(at));
                line.text().contains(&elsewhere) || matches!(line, FileLine::Likely { path, .. } if is_there(path))
            })
        };
        found.retain(|found| need.file.is_some() || found.more > 0 || !found.sites.iter().all(is_told));
        // Beside a file, what many say led to two files in 34 that no other line named.
        let has_place = need.file.is_some() || told_already.iter().any(|line| matches!(line, FileLine::Likely { .. }));
        found.retain(|found| !has_place || found.more == 0);
        // Which tests say it is told with them.
        found.retain(|found| need.file.is_none() || !found.sites.iter().all(|site| files::is_test(&site.path)));
        // What a goal begins with is mostly what is to be done: a name only where something is called so.
        let verb = need.goal.as_deref().map(without_head).and_then(|goal| goal.split_whitespace().next());
        let verb = verb.filter(|word| word.chars().all(char::is_alphabetic)).map(str::to_lowercase);
        let is_verb = |found: &Found| {
            verb.is_some() && found.names.iter().all(|name| verb.as_ref() == Some(&name.to_lowercase()))
        };
        found.retain(|found| !is_verb(found) || found.sites.iter().any(|site| site.is_definition));
        // A word of texts and data is no name of the code; versions, options and files are everywhere.
        let code = self.repository.code();
        let is_word =
            |name: &String| !name.starts_with('-') && !name.contains(|sign: char| sign.is_ascii_digit() || sign == '.');
        let is_of_code = |site: &Site| code.get(&site.path).is_some() && !files::is_test(&site.path);
        found.retain(|found| code.is_empty() || !found.names.iter().all(is_word) || found.sites.iter().any(is_of_code));
        // Tests and examples alone are nowhere to begin.
        let is_aside = |site: &Site| files::is_test(&site.path) || site.path.split('/').any(|part| part == "examples");
        found.retain(|found| need.file.is_some() || !errors.is_empty() || !found.sites.iter().all(is_aside));
        // Nor is what only comments say.
        let is_comment = |site: &Site| {
            let text = site.text.trim_start_matches('`');
            site.is_work() && COMMENTS.iter().chain(&QUOTES).any(|start| text.starts_with(start))
        };
        found.retain(|found| need.file.is_some() || !found.sites.iter().filter(|site| site.is_work()).all(is_comment));
        found.sort_by_key(|found| found.sites.len());
        found.truncate(MOST_TOLD);
        let is_asked = need.file.is_none() && errors.is_empty() && !told_already.iter().any(FileLine::tells_how_to_run);
        let first = found.first().and_then(|found| found.sites.first()).filter(|site| is_asked && site.is_work());
        let run = first.and_then(|site| how_to_test(&site.path)).map(|run| format!("; run: {run}"));
        let mut lines: Vec<String> = found.iter().map(told).collect();
        lines.iter_mut().zip(run).for_each(|(line, run)| line.push_str(&run));
        lines.into_iter().map(FileLine::Others).collect()
    }

    /// Of an error only what is defined here leads somewhere.
    fn defined(&self, mut names: Vec<Name>) -> Vec<Name> {
        let (ground, code) = (self.repository.known().ground, self.repository.code());
        let defines = |path: &str, name: &Name| {
            let symbols = code.get(path).map(|file| file.symbols.as_slice()).unwrap_or_default();
            symbols.iter().any(|symbol| folded(&symbol.name).contains(&name.folded))
        };
        names.retain(|name| ground.may_say(&name.folded).take(MOST_DEFINING).any(|path| defines(path, name)));
        names
    }

    fn found(&self, names: &[Name], need: &Need, errors: &[&str]) -> Vec<Found> {
        let ground = self.repository.known().ground;
        let stem = need.file.as_deref().map(stem_of).unwrap_or_default();
        let said = need.goal.as_deref().or(need.branch.as_ref().map(|branch| branch.name.as_str()));
        let said: Vec<String> = analyze::distinct(said.unwrap_or_default(), situation::MOST_WORDS);
        let mut found: Vec<Found> = Vec::new();
        for name in names.iter().filter(|name| !folded(&stem).contains(&name.folded)) {
            let mut sites = self.sites(&ground, name, need.file.as_deref(), errors);
            if sites.is_empty() && need.goal.is_none() && need.file.is_none() && errors.is_empty() {
                sites = self.sources(&ground, name);
            }
            let all = sites.len();
            let Some(first) = sites.first() else { continue };
            // A path that says another word of the goal is nearer.
            let own: Vec<String> = analyze::distinct(&first.written, situation::MOST_WORDS);
            let about: Vec<&String> =
                said.iter().filter(|word| !own.contains(word) && !situation::is_doing(word)).collect();
            let is_near =
                |site: &Site| analyze::distinct(&site.path, usize::MAX).iter().any(|word| about.contains(&word));
            let code = self.repository.code();
            sites.sort_by_cached_key(|site| {
                let is_code = code.get(&site.path).is_some();
                (!site.is_work(), !goal::is_program(&site.path), !is_code, !site.is_definition, !is_near(site))
            });
            if all > MOST_FILES {
                sites = self.at_work(name, sites, &is_near);
            }
            if sites.is_empty() {
                continue;
            }
            let written = sites[0].written.clone();
            let is_alike =
                |known: &&mut Found| known.sites.iter().map(|site| &site.path).eq(sites.iter().map(|site| &site.path));
            match found.iter_mut().find(is_alike) {
                Some(known) => known.names.push(written),
                None => found.push(Found { names: vec![written], more: all - sites.len(), sites }),
            }
        }
        found
    }

    /// What many say is told where it is defined, or where few of them do the work.
    fn at_work(&self, name: &Name, sites: Vec<Site>, is_near: &dyn Fn(&Site) -> bool) -> Vec<Site> {
        let code = self.repository.code();
        let defined = |site: &Site| {
            let written = site.written.clone();
            Some(Site { written, ..self.defined_at(&code, &site.path, name)? })
        };
        let defining: Vec<Site> = sites.iter().filter(|site| site.is_work()).filter_map(defined).collect();
        if (1..=MOST_SOURCES).contains(&defining.len()) {
            return defining;
        }
        let is_spelt = |site: &Site| name.option.as_ref().is_none_or(|option| site.text.contains(option));
        let mut working: Vec<Site> = sites.into_iter().filter(|site| site.is_work() && is_spelt(site)).collect();
        if working.len() > MOST_AT_WORK {
            working.retain(is_near);
        }
        if working.len() <= MOST_AT_WORK { working } else { Vec::new() }
    }

    /// A line of each file that says the name. What is at hand, or told by the error itself, is known.
    fn sites(&self, ground: &CodeGround, name: &Name, at_hand: Option<&str>, errors: &[&str]) -> Vec<Site> {
        let is_known = |path: &str| at_hand == Some(path) || errors.iter().any(|error| error.contains(path));
        let is_log = |path: &str| LOGS.iter().any(|log| stem_of(path).starts_with(log)) && !goal::is_program(path);
        let is_aside =
            |path: &str| is_trivial(path) || is_log(path) || path.split('/').any(|part| ASIDE.contains(&part));
        let paths = ground.may_say(&name.folded).filter(|path| !is_aside(path) && !is_known(path));
        let paths: Vec<&str> = paths.take(MOST_READ + 1).collect();
        if paths.is_empty() || paths.len() > MOST_READ {
            return Vec::new();
        }
        let Some(spelling) = names::spelling(&name.folded) else { return Vec::new() };
        paths.into_iter().filter_map(|path| self.site(path, name, &spelling)).collect()
    }

    /// Where a name comes from that a branch speaks of and everybody says; not what a whole folder is called.
    fn sources(&self, ground: &CodeGround, name: &Name) -> Vec<Site> {
        let code = self.repository.code();
        let paths = ground.may_say(&name.folded).filter(|path| !files::is_test(path));
        let is_of_folder = |site: &Site| site.path.split('/').any(|part| part.eq_ignore_ascii_case(&name.folded));
        let is_word = |site: &Site| site.written.bytes().all(|sign| sign.is_ascii_lowercase());
        let defining = paths.filter_map(|path| self.defined_at(&code, path, name));
        let defining = defining.filter(|site| !is_of_folder(site) && !is_word(site));
        let defining: Vec<Site> = defining.take(MOST_SOURCES + 1).collect();
        if defining.len() > MOST_SOURCES { Vec::new() } else { defining }
    }

    fn defined_at(&self, code: &CodeMap, path: &str, name: &Name) -> Option<Site> {
        let mut symbols = code.get(path)?.symbols.iter();
        let symbol = symbols.find(|symbol| folded(&symbol.name).contains(&name.folded))?;
        let text = self.repository.text_of(path, LARGEST_TEXT)?;
        let (line, text) = headed(&text, symbol.line as usize)?;
        let text = self.shown(text);
        Some(Site { path: path.to_owned(), line, text, written: symbol.name.clone(), is_definition: true })
    }

    /// The first line that says it, and does more than bring it in or speak of it.
    fn site(&self, path: &str, name: &Name, spelling: &Regex) -> Option<Site> {
        let text = self.repository.text_of(path, LARGEST_TEXT)?;
        let written = |line: &str| {
            let mut written = None;
            names::each(line, |folded, as_written| {
                let is_prose = as_written.contains('-') && !names::is_file(as_written);
                let is_other = name.is_type && as_written.starts_with(|sign: char| sign.is_lowercase());
                if folded == name.folded && (name.option.is_some() || !(is_prose || is_other)) {
                    written.get_or_insert(as_written.to_owned());
                }
            });
            written
        };
        let is_said = |line: &str| line.len() <= LONGEST_LINE && spelling.is_match(line);
        let lines = text.lines().enumerate().filter(|(_, line)| is_said(line));
        let mut lines = lines.filter_map(|(at, line)| Some((at, line, written(line)?)));
        let first = lines.next()?;
        let is_item =
            |line: &str, written: &str| line.trim().trim_end_matches(',').trim_matches(['"', '\'']) == written;
        let aside = if goal::is_program(path) { &COMMENTS[..] } else { &[] };
        let is_brought_in = |line: &str, written: &str| {
            let starts = |start: &&str| line.trim_start().starts_with(*start);
            is_item(line, written) || BRINGING_IN.iter().any(&starts) || aside.iter().any(starts)
        };
        let is_first = is_brought_in(first.1, &first.2);
        let telling = is_first.then(|| lines.find(|(_, line, written)| !is_brought_in(line, written))).flatten();
        let spelt = name.option.as_ref().and_then(|option| {
            let mut lines = text.lines().enumerate().filter(|(_, line)| line.contains(option.as_str()));
            lines.find_map(|(at, line)| Some((at, line, written(line)?)))
        });
        let (at, line, written) = spelt.or(telling).unwrap_or(first);
        let code = self.repository.code();
        let mut symbols = code.get(path).into_iter().flat_map(|file| &file.symbols);
        let definition =
            symbols.find(|symbol| symbol.name.trim_matches('_') == written).map(|symbol| symbol.line as usize);
        let there = definition.and_then(|at| headed(&text, at));
        let (line, shown) = there.unwrap_or((at + 1, line));
        let is_definition = definition.is_some();
        Some(Site { path: path.to_owned(), line, text: self.shown(shown), written, is_definition })
    }

    /// A line as it stands, quoted; nothing of one that holds a secret.
    pub(super) fn shown(&self, line: &str) -> String {
        let line = line.trim().replace('`', "'");
        if line.is_empty() || !self.env.redaction.is_clean(&line) {
            return String::new();
        }
        match line.char_indices().nth(LONGEST_SHOWN) {
            Some((end, _)) => format!("`{}…`", &line[..end]),
            None => format!("`{line}`"),
        }
    }
}

/// The line that says what is defined, below what marks it: `@cached_property`, `#[inline]`.
fn headed(text: &str, line: usize) -> Option<(usize, &str)> {
    let lines = text.lines().enumerate().skip(line.checked_sub(1)?);
    let mut lines = lines.map(|(at, text)| (at + 1, text)).take(MOST_MARKS);
    let first = lines.next()?;
    let is_mark = |line: &str| ["@", "#["].iter().any(|start| line.trim_start().starts_with(start));
    if is_mark(first.1) { lines.find(|(_, line)| !is_mark(line)) } else { Some(first) }
}

/// Where names stand, and what is there where there are only one or two places.
fn told(found: &Found) -> String {
    let sites = &found.sites;
    let place = |site: &Site| match sites.len() <= 2 && !site.text.is_empty() {
        true => format!("{}:{} {}", site.path, site.line, site.text),
        false if site.is_definition => format!("{}:{} (defined)", site.path, site.line),
        false => format!("{}:{}", site.path, site.line),
    };
    // To say that there is one more takes as much as to say which.
    let shown = if sites.len() == MOST_SITES + 1 { sites.len() } else { MOST_SITES };
    let places: Vec<String> = sites.iter().take(shown).map(place).collect();
    let more = match sites.len().saturating_sub(shown) + found.more {
        0 => String::new(),
        1 => " and one more file".to_owned(),
        more => format!(" and {more} more files"),
    };
    format!("`{}`: {}{more}", found.names.join("`, `"), places.join(", "))
}

fn folded(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    names::each(text, |folded, _| found.push(folded.to_owned()));
    found
}

/// What a goal names, in small letters and without joints.
pub(super) fn names_said(goal: &str) -> Vec<String> {
    told_names(Some(goal), None).into_iter().map(|name| name.folded).collect()
}

/// What a goal names, or else a branch.
fn told_names(goal: Option<&str>, branch: Option<&str>) -> Vec<Name> {
    let mut found = Names::default();
    for goal in goal.into_iter().map(without_head) {
        let parts = goal.split(|sign: char| sign.is_whitespace() || "\"'`()[]{}<>,;=|.:/#@!?&*".contains(sign));
        for word in parts.filter(|word| !word.is_empty()) {
            // Of what has a hyphen only options are names, and what is marked as code.
            if let Some(option) = names::option_in(word) {
                found.push(option.to_owned(), Some(option.to_owned()));
                continue;
            }
            let before = &goal[..word.as_ptr().addr() - goal.as_ptr().addr()];
            let is_marked = before.ends_with('`');
            // `$PAGER`
            let variable = word.strip_prefix('$').or_else(|| is_marked.then_some(word));
            let is_file = goal[before.len() + word.len()..].starts_with('.');
            if let Some(variable) = variable.filter(|word| names::is_capitals(word) && !is_file) {
                found.push(variable.to_owned(), None);
                continue;
            }
            found.add(word, (is_marked || word.starts_with("--")) && word.trim_matches('-').contains('-'));
        }
    }
    // Who takes a version or a file away has to find who names it; of a version that is to come only others say it.
    let words = || goal.into_iter().flat_map(str::split_whitespace);
    for (before, word) in std::iter::once("").chain(words()).zip(words()) {
        let is_old = before == "from" || goal.is_some_and(takes_away);
        let version = names::version_in(word).filter(|_| is_old);
        version.into_iter().for_each(|version| found.push(version.to_owned(), None));
    }
    if goal.is_some_and(takes_away) {
        // Where it goes is another file.
        let pairs = std::iter::once("").chain(words()).zip(words());
        let words = pairs.filter(|(before, _)| !["to", "into"].contains(before)).map(|(_, word)| word);
        let words = words.map(|word| word.trim_matches(['`', '"', '\'', ',']));
        let files = words.filter_map(|word| word.rsplit('/').next()).filter(|word| names::is_file(word));
        files.flat_map(folded).for_each(|file| found.push(file, None));
    }
    let is_told = |word: &&str| names::version_in(word).is_none() || branch.is_some_and(takes_away);
    let of_branch = branch.and_then(|branch| branch.rsplit('/').next()).into_iter().flat_map(|name| name.split('-'));
    for word in of_branch.filter(is_told) {
        found.add(word, false);
        // All in small letters: whether it is a name of code, the tree tells.
        let word = word.to_lowercase();
        let shortest = if branch.is_some_and(takes_away) { SHORTEST_TAKEN_AWAY } else { SHORTEST_IN_A_BRANCH };
        let is_long = word.len() >= shortest && word.bytes().all(|sign| sign.is_ascii_alphanumeric());
        if is_long && !lokid_text::is_everyday(&word) {
            found.push(word, None);
        }
    }
    found.0
}

fn takes_away(text: &str) -> bool {
    text.split(|sign: char| !sign.is_alphanumeric()).any(|word| AWAY.contains(&word.to_lowercase().as_str()))
}

fn names_in_errors(errors: &[&str]) -> Vec<Name> {
    let mut found = Names::default();
    for error in errors {
        let words = error.split(|sign: char| sign.is_whitespace() || "\"'`()[]{}<>,;=|:!?&*".contains(sign));
        let words = words.filter(|word| !word.is_empty());
        // What is read of nothing is anything's: `(reading 'children')`.
        let read = std::iter::once("").chain(words.clone()).zip(words).filter(|(before, _)| *before != READING);
        let words = read.map(|(_, word)| word).filter(|word| !word.contains(['/', '\\']));
        let words = words.flat_map(|word| word.split('.')).filter(|word| !named::OF_LANGUAGES.contains(word));
        words.for_each(|word| found.add(word, false));
    }
    found.0
}

/// Each once, in their order.
#[derive(Default)]
struct Names(Vec<Name>);

impl Names {
    fn add(&mut self, word: &str, is_option: bool) {
        let option = is_option.then(|| word.to_owned());
        if is_option || !word.trim_matches('-').contains('-') {
            let is_type = word.starts_with(char::is_uppercase) && word.contains(char::is_lowercase);
            // Nearly all of `JSON` and `README` are words.
            let names = folded(word).into_iter().filter(|name| !names::is_capitals(name));
            names.for_each(|folded| self.push_as(Name { folded, option: option.clone(), is_type }));
        }
    }

    fn push(&mut self, folded: String, option: Option<String>) {
        self.push_as(Name { folded, option, is_type: false });
    }

    fn push_as(&mut self, name: Name) {
        let is_new = !PROPER.contains(&name.folded.as_str()) && self.0.iter().all(|known| known.folded != name.folded);
        if is_new && self.0.len() < MOST_NAMES {
            self.0.push(name);
        }
    }
}

#[cfg(test)]
mod tests;
