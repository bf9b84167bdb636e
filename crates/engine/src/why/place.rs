//! What is asked about: the file as it stands, and the lines of it that a number or a name means.

use crate::error::EngineError;
use crate::recall::Recall;
use lokid_encode::code::{Definition, DefinitionKind, Language, Parser};
use lokid_index::commits::CommitIndex;
use lokid_model::{FileChange, FileStatus, MemoryId, Timestamp, time};
use lokid_sys::{git, kept, plain};

const LARGEST: u64 = 4 << 20;
/// As many names are proposed in place of one that is not known.
const MOST_NEAR: usize = 3;
/// From this likeness on two names may be mistaken for each other.
const NEAR: f64 = 0.5;
/// A larger definition says little about one line in it.
const LARGEST_AROUND: u32 = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WhyPlace {
    /// As git names it.
    pub(super) path: String,
    pub(super) text: String,
    /// First and last.
    pub(super) lines: Option<(u32, u32)>,
    /// The definition that was named, or that the lines stand in.
    pub(super) symbol: Option<String>,
    /// Its lines; else those that were asked for.
    pub(super) around: Option<(u32, u32)>,
}

impl Recall {
    pub(super) fn place(
        &self,
        file: &str,
        lines: Option<(u32, u32)>,
        symbol: Option<&str>,
    ) -> Result<WhyPlace, EngineError> {
        let path = self.repository.inside(file);
        let text = self.repository.text_of(&path, LARGEST).ok_or_else(|| invalid("file", self.missing(&path)))?;
        let mut place = WhyPlace { path, text, lines: None, symbol: None, around: None };
        if let Some(symbol) = symbol {
            let (name, span) = place.defined(symbol).map_err(|reason| {
                let elsewhere = self.defined_elsewhere(symbol, &place.path);
                invalid("symbol", format!("{reason}{elsewhere}"))
            })?;
            (place.symbol, place.lines, place.around) = (Some(name), Some(span), Some(span));
        } else if let Some(lines) = lines {
            place.check(lines)?;
            let around = definition_around(&place.path, &place.text, lines);
            place.around = Some(around.as_ref().map_or(lines, |found| (found.line, found.end_line)));
            place.symbol = around.map(|found| called(&found));
            place.lines = Some(lines);
        }
        Ok(place)
    }

    fn missing(&self, path: &str) -> String {
        let full = self.env.root.join(path);
        if plain::is_file(&full) && kept::is_inside(&self.env.root, path) {
            return format!("{path} is no text, or too large");
        }
        let past = self.repository.known();
        let known = &past.cochange;
        let today = known.all_names(path).first().filter(|today| **today != path).map(|today| (*today).to_owned());
        if let Some(today) = today.filter(|today| plain::is_file(&self.env.root.join(today))) {
            return format!("{path} is called {today} today");
        }
        let tracked = git::tracked(&self.env.root).unwrap_or_default();
        let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_lowercase();
        let wanted = name(path);
        let mut near: Vec<&str> = tracked.iter().map(String::as_str).filter(|known| name(known) == wanted).collect();
        near.truncate(MOST_NEAR);
        if near.is_empty() {
            near = nearest(path, tracked.iter().map(String::as_str));
        }
        let went = past.commits.as_deref().and_then(|commits| went_with(commits, path)).unwrap_or_default();
        format!("there is no file {path} here{went}{}", instead(&near))
    }

    fn defined_elsewhere(&self, symbol: &str, path: &str) -> String {
        let name = parts(symbol).1;
        let code = self.repository.code();
        let others: Vec<&str> = code.defining(name).filter(|file| *file != path).take(MOST_NEAR).collect();
        if others.is_empty() { String::new() } else { format!("; {name} is defined in {}", others.join(", ")) }
    }
}

impl WhyPlace {
    fn check(&self, (first, last): (u32, u32)) -> Result<(), EngineError> {
        let all = self.text.lines().count() as u32;
        let path = &self.path;
        match () {
            () if first == 0 => Err(invalid("line", "lines are counted from 1")),
            () if first > all => Err(invalid("line", format!("{path} has {all} lines, and {first} is beyond its end"))),
            () if last < first => Err(invalid("end_line", format!("{last} stands before {first}"))),
            () if last > all => {
                Err(invalid("end_line", format!("{path} has {all} lines, and {last} is beyond its end")))
            }
            () => Ok(()),
        }
    }

    fn definitions(&self) -> Vec<Definition> {
        definitions(&self.path, &self.text)
    }

    /// The lines of a definition by its name, which may say what it stands in: `Session.send`, `Session::send`.
    fn defined(&self, symbol: &str) -> Result<(String, (u32, u32)), String> {
        let definitions = self.definitions();
        let (container, name) = parts(symbol);
        let is_meant = |one: &&Definition| {
            let holder = one.container.as_deref().map(|holder| parts(holder).1);
            one.name == name && container.is_none_or(|container| holder == Some(container))
        };
        let found: Vec<&Definition> = definitions.iter().filter(is_meant).collect();
        let Some(first) = found.first() else {
            let near = nearest(name, definitions.iter().map(|one| one.name.as_str()));
            return Err(format!("{} defines no {symbol}{}", self.path, instead(&near)));
        };
        if found.iter().any(|one| one.container != first.container) {
            let mut all: Vec<String> =
                found.iter().map(|one| format!("{} (line {})", called(one), one.line)).take(8).collect();
            all.dedup();
            return Err(format!("{} defines several {name}: {}", self.path, all.join(", ")));
        }
        // Of overloads the longest is what is carried out.
        let longest = found.into_iter().max_by_key(|one| (one.end_line - one.line, std::cmp::Reverse(one.line)));
        let longest = longest.unwrap_or(&definitions[0]);
        Ok((called(longest), (longest.line, longest.end_line)))
    }
}

fn definitions(path: &str, text: &str) -> Vec<Definition> {
    let Some(language) = Language::of_file(path, text) else { return Vec::new() };
    Parser::new().outline(language, text).definitions
}

/// The smallest definition that these lines stand in.
pub(crate) fn definition_around(path: &str, text: &str, (first, last): (u32, u32)) -> Option<Definition> {
    let holds = |one: &Definition| one.line <= first && last <= one.end_line;
    let is_small = |one: &Definition| one.end_line - one.line < LARGEST_AROUND && one.kind != DefinitionKind::Module;
    let around = definitions(path, text).into_iter().filter(|one| holds(one) && is_small(one));
    around.min_by_key(|one| one.end_line - one.line)
}

/// The commit that took a file away.
fn went_with(commits: &CommitIndex, path: &str) -> Option<String> {
    let last = commits.touching(&[path], 1).pop()?;
    let is_it = |file: &FileChange| file.path == path && file.status == FileStatus::Deleted;
    let day = Timestamp::from_micros(last.time.saturating_mul(time::SECOND)).day();
    last.files.iter().any(is_it).then(|| Some(format!(", it went with {} on {day}", MemoryId::of_commit(&last.id)?)))?
}

fn invalid(field: &'static str, reason: impl Into<String>) -> EngineError {
    EngineError::Invalid { field, reason: reason.into() }
}

/// What it stands in, and its own name.
pub(super) fn parts(symbol: &str) -> (Option<&str>, &str) {
    let symbol = symbol.trim().trim_end_matches("()");
    let split = symbol.rsplit_once("::").or_else(|| symbol.rsplit_once(['.', '#']));
    let Some((container, name)) = split.filter(|(container, name)| !container.is_empty() && !name.is_empty()) else {
        return (None, symbol);
    };
    (Some(parts(container).1), name)
}

fn called(definition: &Definition) -> String {
    match &definition.container {
        Some(container) => format!("{container}.{}", definition.name),
        None => definition.name.clone(),
    }
}

fn instead(near: &[&str]) -> String {
    if near.is_empty() { String::new() } else { format!("; near it: {}", near.join(", ")) }
}

/// Those that are most like what was asked for, best first.
fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = pairs(wanted);
    let mut found: Vec<(f64, &str)> = names.map(|name| (likeness(&wanted, &pairs(name)), name)).collect();
    found.retain(|(alike, _)| *alike >= NEAR);
    found.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(other.1)));
    found.dedup_by(|one, other| one.1 == other.1);
    found.into_iter().take(MOST_NEAR).map(|(_, name)| name).collect()
}

/// Its neighbouring letters, in order.
fn pairs(name: &str) -> Vec<(char, char)> {
    let letters: Vec<char> = name.chars().take(200).flat_map(char::to_lowercase).collect();
    let mut pairs: Vec<(char, char)> = letters.windows(2).map(|two| (two[0], two[1])).collect();
    pairs.sort_unstable();
    pairs
}

/// The share of neighbouring letters that two names have in common.
fn likeness(one: &[(char, char)], other: &[(char, char)]) -> f64 {
    let (mut at, mut beside, mut common) = (0, 0, 0);
    while at < one.len() && beside < other.len() {
        match one[at].cmp(&other[beside]) {
            std::cmp::Ordering::Less => at += 1,
            std::cmp::Ordering::Greater => beside += 1,
            std::cmp::Ordering::Equal => {
                (at, beside, common) = (at + 1, beside + 1, common + 1);
            }
        }
    }
    2.0 * f64::from(common) / ((one.len() + other.len()).max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "import os\n\n\nclass Session:\n    def send(self):\n        return 1\n\n    def close(self):\n        pass\n\n\nclass Pool:\n    def close(self):\n        pass\n";

    fn place() -> WhyPlace {
        WhyPlace { path: "a.py".into(), text: TEXT.into(), lines: None, symbol: None, around: None }
    }

    #[test]
    fn a_name_leads_to_its_lines_and_one_that_several_bear_is_asked_back() {
        let place = place();
        assert_eq!(place.defined("send").unwrap(), ("Session.send".to_owned(), (5, 6)));
        assert_eq!(place.defined("Pool.close()").unwrap().1, (13, 14));
        assert_eq!(place.defined("app::Pool::close").unwrap().1, (13, 14));
        assert_eq!(place.defined("Session").unwrap().1, (4, 9));
        let several = place.defined("close").unwrap_err();
        assert_eq!(several, "a.py defines several close: Session.close (line 8), Pool.close (line 13)");
        assert_eq!(place.defined("sends").unwrap_err(), "a.py defines no sends; near it: send");
        assert_eq!(place.defined("zzz").unwrap_err(), "a.py defines no zzz");
    }

    #[test]
    fn a_line_stands_in_the_smallest_definition_around_it() {
        let place = place();
        assert_eq!(definition_around(&place.path, &place.text, (6, 6)).unwrap().name, "send");
        assert_eq!(definition_around(&place.path, &place.text, (6, 8)).unwrap().name, "Session");
        assert_eq!(definition_around(&place.path, &place.text, (1, 1)), None);
        for (lines, field) in [((0, 1), "line"), ((99, 99), "line"), ((3, 2), "end_line"), ((3, 99), "end_line")] {
            let refused = place.check(lines).unwrap_err().to_string();
            assert!(refused.starts_with(&format!("{field}: ")), "{lines:?}: {refused}");
        }
        assert!(place.check((1, 14)).is_ok());
    }
}
