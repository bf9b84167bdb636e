//! What went wrong: the same error before and what became of it, what is tied to that, and trouble in the same files.

use std::sync::Arc;

use super::evidence::Evidence;
use super::file::{freshness, tells_of_error};
use super::home;
use super::pool::Pool;
use super::words;
use lokid_model::{Body, Key, Kind, Memory, Relation};

const MOST_ERRORS: usize = 5;
const MOST_FILES: usize = 6;
const MOST_TIES: usize = 12;

pub(super) fn look(pool: &mut Pool<'_>) {
    let clues = pool.clues;
    let snapshot = pool.sources.snapshot;
    for error in clues.errors.iter().take(MOST_ERRORS) {
        if let Some(fingerprint) = error.fingerprint.as_deref().filter(|print| !print.is_empty()) {
            let same: Vec<&Arc<Memory>> =
                snapshot.about_failure(fingerprint).filter(|memory| pool.admits(memory)).take(MOST_TIES).collect();
            same.into_iter().for_each(|memory| add_same(pool, memory));
        }
        places(pool, &error.files);
    }
}

/// The very error, with whatever is tied to it.
pub(super) fn add_same(pool: &mut Pool<'_>, memory: &Arc<Memory>) {
    pool.add(memory, Evidence::SameError, 1.0, || why_same(memory));
    let snapshot = pool.sources.snapshot;
    let key = memory.key();
    for link in snapshot.links_of(&key).into_iter().take(MOST_TIES) {
        let strength = match link.relation {
            Relation::DerivedFrom | Relation::Supersedes | Relation::SupersededBy => 1.0,
            Relation::RelatedTo | Relation::Elaborates | Relation::Supports | Relation::ExampleOf => 0.8,
            Relation::Contradicts => 0.6,
        };
        let other = if link.from == key.id { &link.to } else { &link.from };
        if let Some(other) = snapshot.get(&Key::new(&link.namespace, other)) {
            pool.add(other, Evidence::ErrorTie, strength, || "tied to the same error".to_owned());
        }
    }
}

fn places(pool: &mut Pool<'_>, files: &[String]) {
    let at = pool.at;
    for file in files.iter().take(MOST_FILES) {
        for (memory, says) in home::residents_elsewhere(pool.sources.snapshot, file, &pool.filter.namespace) {
            let is_trouble = tells_of_error(memory) || matches!(memory.kind, Kind::Learning | Kind::AntiPattern);
            if is_trouble {
                let strength = says * (0.5 + 0.5 * freshness(memory, at));
                pool.add(memory, Evidence::ErrorPlace, strength, || format!("trouble in {file} before"));
            }
        }
    }
}

/// Does this memory tell of the very error that was asked about?
pub(super) fn is_same(memory: &Memory, asked: &str) -> bool {
    let Body::Learning(learning) = &memory.body else { return false };
    let told = words::asked_error(&learning.error);
    // A word or two are shared by too many.
    told.split(' ').count() >= 3 && asked.to_lowercase().contains(&told.to_lowercase())
}

fn why_same(memory: &Memory) -> String {
    match fix_of(memory) {
        Some(fix) => format!("the same error was fixed by {fix}"),
        None => "the same error, seen before".to_owned(),
    }
}

pub(super) fn why_alike(memory: &Memory) -> String {
    match fix_of(memory) {
        Some(fix) => format!("a similar error was fixed by {fix}"),
        None => "about a similar error".to_owned(),
    }
}

/// What made the error go away, in few words.
fn fix_of(memory: &Memory) -> Option<String> {
    const MOST: usize = 60;
    let fix = match &memory.body {
        Body::Learning(learning) => &learning.fix,
        Body::Episode(episode) => &episode.errors.iter().find(|error| !error.resolution.is_empty())?.resolution,
        Body::AntiPattern(anti) => &anti.prevention,
        _ => return None,
    };
    Some(words::quote(fix, MOST)).filter(|fix| !fix.is_empty())
}

/// How much a memory that sounds like an error helps with it.
pub(super) fn helpfulness(memory: &Memory) -> f64 {
    match (fix_of(memory).is_some(), memory.kind) {
        (true, _) => 1.0,
        (false, Kind::Learning | Kind::AntiPattern) => 0.9,
        (false, Kind::Episode | Kind::Skill) => 0.7,
        _ => 0.6,
    }
}
