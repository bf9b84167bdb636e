//! Who is asked about a part: what CODEOWNERS says, and where it is silent, who changed it most when that is somebody
//! else than everywhere.

use std::collections::BTreeMap;

use super::{Project, draft, paths};
use lokid_model::{Draft, Kind};

const MOST_LINES: usize = 20;
const MOST_AREAS: usize = 10;
/// Of an area, before it says anything about people.
const LEAST_CHANGES: u32 = 30;

/// A file and who changed it how often.
#[derive(Clone, Debug)]
pub struct Changed<'a> {
    pub path: &'a str,
    pub authors: Vec<(&'a str, u32)>,
}

struct OwnersLine<'a> {
    glob: &'a str,
    owners: Vec<&'a str>,
}

fn lines<'a>(project: &Project<'a>) -> Option<(&'static str, Vec<OwnersLine<'a>>)> {
    let places = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];
    let (path, text) = places.into_iter().find_map(|path| Some((path, project.text(path)?)))?;
    let line = |line: &'a str| {
        let line = line.split(" #").next().unwrap_or(line).trim();
        let mut words = line.split_whitespace();
        let glob = words.next().filter(|glob| !glob.starts_with(['#', '[', '^']))?;
        let owners: Vec<&str> = words.filter(|word| word.contains('@')).collect();
        (!owners.is_empty()).then_some(OwnersLine { glob, owners })
    };
    Some((path, text.lines().filter_map(line).take(MOST_LINES).collect()))
}

/// The lines of CODEOWNERS, the same owners together.
pub fn owners(project: &Project<'_>) -> Vec<Draft> {
    let Some((path, lines)) = lines(project) else { return Vec::new() };
    let mut together: BTreeMap<Vec<&str>, Vec<&str>> = BTreeMap::new();
    // Who owns all of it says nothing about any part.
    for line in lines.iter().filter(|line| line.glob != "*") {
        together.entry(line.owners.clone()).or_default().push(line.glob);
    }
    let tell = |(owners, globs): (Vec<&str>, Vec<&str>)| {
        let named: Vec<String> = globs.iter().take(8).map(|glob| format!("`{glob}`")).collect();
        let what = named.join(", ");
        let text = format!("{} must review changes of {what} ({path})", owners.join(", "));
        let folders = globs
            .iter()
            .map(|glob| glob.trim_matches(['/', '*']))
            .filter(|folder| !folder.is_empty() && !folder.contains('*'));
        let files: Vec<String> = folders.take(8).map(str::to_owned).collect();
        let files = if files.is_empty() { vec![path.to_owned()] } else { files };
        Draft {
            title: format!("Owners of {what}"),
            files,
            importance: Some(0.25),
            confidence: Some(0.9),
            ..draft(Kind::Note, &format!("owners\0{}", owners.join(" ")), text, path)
        }
    };
    together.into_iter().map(tell).collect()
}

/// Areas whose main author is not that of the whole.
pub fn recent_authors(project: &Project<'_>, changed: &[Changed<'_>]) -> Vec<Draft> {
    let owned = lines(project).map(|(_, lines)| lines).unwrap_or_default();
    if owned.iter().any(|line| line.glob == "*") {
        return Vec::new();
    }
    let mut all: BTreeMap<&str, u32> = BTreeMap::new();
    let mut areas: BTreeMap<&str, BTreeMap<&str, u32>> = BTreeMap::new();
    for file in changed.iter().filter(|file| paths::is_source(file.path)) {
        let area = area(file.path);
        for (author, times) in &file.authors {
            *all.entry(author).or_insert(0) += times;
            if !area.is_empty() {
                *areas.entry(area).or_default().entry(author).or_insert(0) += times;
            }
        }
    }
    let Some(usual) = all.iter().max_by_key(|(_, times)| **times).map(|(author, _)| *author) else { return Vec::new() };
    let mut told: Vec<(u32, Draft)> = Vec::new();
    for (area, authors) in &areas {
        let sum: u32 = authors.values().sum();
        let mut ranked: Vec<(&&str, &u32)> = authors.iter().collect();
        ranked.sort_by_key(|(author, times)| (std::cmp::Reverse(**times), **author));
        let Some((first, times)) = ranked.first().copied() else { continue };
        let is_owned = owned.iter().any(|line| line.glob.trim_matches(['/', '*']).starts_with(area));
        if *first == usual || *times * 5 < sum * 3 || sum < LEAST_CHANGES || is_owned {
            continue;
        }
        let text = format!(
            "`{area}` is mostly the work of {first} ({times} of {sum} changes of its files), not of {usual} as elsewhere"
        );
        let one = Draft {
            title: format!("Who knows {area}"),
            importance: Some(0.2),
            confidence: Some(0.7),
            ..draft(Kind::Note, &format!("authors\0{area}"), text, area)
        };
        told.push((sum, one));
    }
    told.sort_by_key(|(sum, _)| std::cmp::Reverse(*sum));
    told.into_iter().take(MOST_AREAS).map(|(_, draft)| draft).collect()
}

/// The first two folders of a path, or its first; files at the top are nowhere.
fn area(path: &str) -> &str {
    let folder = paths::folder(path);
    let second = folder.match_indices('/').nth(1).map_or(folder.len(), |(at, _)| at);
    &folder[..second]
}
