//! A collaborator: what they said and decided, what they like, and what was decided where they work.

use super::clues::AuthorClue;
use super::evidence::Evidence;
use super::pool::Pool;
use super::words;
use lokid_index::places::plain_path;
use lokid_model::{Kind, Memory};

/// The newest of each kind that are asked whose they are.
const MOST_OF_A_KIND: usize = 200;
/// Of a text: a taste is told at once.
const READ: usize = 400;
const MOST_TOLD: usize = 12;
const MOST_AREAS: usize = 5;
/// A shorter name is met by chance.
const SHORTEST_NAME: usize = 3;

pub(super) fn look(pool: &mut Pool<'_>) {
    let Some(author) = pool.clues.author.as_ref().filter(|author| !author.name.trim().is_empty()) else { return };
    let areas = areas(pool, author);
    let (snapshot, namespace) = (pool.sources.snapshot, &pool.filter.namespace);
    for kind in [Kind::Decision, Kind::Learning, Kind::AntiPattern, Kind::Pattern] {
        let (mut said, mut decided) = (0, 0);
        for memory in snapshot.latest(kind, namespace).take(MOST_OF_A_KIND) {
            let is_own = memory.actor.as_deref().is_some_and(|actor| same_name(actor, &author.name));
            if said < MOST_TOLD && is_own {
                said += 1;
                pool.add(memory, Evidence::AuthorVoice, recent(said), || format!("{} said so", author.name));
            }
            tastes(pool, memory, author);
            if decided < MOST_TOLD
                && kind == Kind::Decision
                && let Some(area) = areas.iter().find(|area| is_in(memory, area))
            {
                decided += 1;
                let why = || format!("decided in {area}/, where {} works", author.name);
                pool.add(memory, Evidence::AuthorArea, recent(decided), why);
            }
        }
    }
}

/// Is it about what they like, or do they say what they like?
pub(super) fn tastes(pool: &mut Pool<'_>, memory: &std::sync::Arc<Memory>, author: &AuthorClue) {
    let is_own = memory.actor.as_deref().is_some_and(|actor| same_name(actor, &author.name));
    let named = || is_named(memory, &author.name);
    let is_marked = memory.tags.iter().any(|tag| tag.to_lowercase().starts_with("prefer"));
    let says_so = || tells_a_taste(words::head(&memory.text, READ)) || tells_a_taste(&memory.title);
    if (is_marked || says_so()) && (is_own || named()) {
        pool.add(memory, Evidence::AuthorTaste, 1.0, || format!("{} prefers it so", author.name));
    }
}

/// What to ask about them.
pub(super) fn question(author: &AuthorClue) -> Option<String> {
    let name = author.name.trim();
    (!name.is_empty()).then(|| format!("{} prefers", words::head(name, 100)))
}

fn areas(pool: &Pool<'_>, author: &AuthorClue) -> Vec<String> {
    let told = author.areas.iter().map(|area| plain_path(area)).filter(|area| !matches!(*area, "" | "."));
    let told: Vec<String> = told.take(MOST_AREAS).map(str::to_owned).collect();
    if !told.is_empty() {
        return told;
    }
    let counted = pool.sources.cochange.areas_of(&author.name, MOST_AREAS);
    counted.into_iter().map(|(area, _)| area.to_owned()).collect()
}

fn is_in(memory: &Memory, area: &str) -> bool {
    let inside = |file: &str| file.strip_prefix(area).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    memory.anchors.files.iter().any(|file| inside(plain_path(file)))
}

pub(super) fn is_named(memory: &Memory, name: &str) -> bool {
    let first = name.split_whitespace().next().unwrap_or(name);
    let said = |text: &str| {
        words::is_said(text, name) || (first.chars().count() >= SHORTEST_NAME && words::is_said(text, first))
    };
    said(&memory.title) || said(words::head(&memory.text, READ)) || memory.tags.iter().any(|tag| said(tag))
}

fn tells_a_taste(text: &str) -> bool {
    const TASTES: &[&str] =
        &["prefers", "prefer", "preference", "preferences", "likes", "dislikes", "wants", "insists"];
    // Few texts hold any of these, and finding out is quick.
    if !["refer", "REFER", "likes", "wants", "insist"].iter().any(|part| text.contains(part)) {
        return false;
    }
    let mut words = text.split(|c: char| !c.is_alphabetic());
    words.any(|word| TASTES.iter().any(|taste| taste.eq_ignore_ascii_case(word)))
}

fn same_name(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

fn recent(rank: usize) -> f64 {
    1.0 / (1.0 + 0.1 * (rank as f64 - 1.0))
}
