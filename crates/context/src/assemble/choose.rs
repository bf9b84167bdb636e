//! Which candidates there are, once each and in the order of their rank. Decides nothing about room.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use super::entry::ContextEntry;
use crate::parts::Candidate;
use lokid_model::{Key, Memory};

/// Characters in which two texts are compared before they are read to the end.
const BEGINNING: usize = 64;

/// No key twice and no words twice, best first: binding before others, then by value, the part, the key.
pub(super) fn ranked(candidates: &[Candidate]) -> Vec<ContextEntry<'_>> {
    let mut entries: Vec<ContextEntry<'_>> = candidates.iter().map(ContextEntry::new).collect();
    // A memory that is given twice stands in the most pressing part.
    entries.sort_by(|a, b| {
        let binding = b.is_binding().cmp(&a.is_binding());
        a.part().cmp(&b.part()).then(binding).then_with(|| by_value(a, b)).then_with(|| by_content(a, b))
    });
    let mut keys: HashSet<Key> = HashSet::with_capacity(entries.len());
    entries.retain(|entry| keys.insert(entry.key.clone()));
    // Of two memories with the same words, one that binds stays, wherever it stands.
    entries.sort_by_key(|entry| !entry.is_binding());
    without_repetitions(&mut entries);
    entries.sort_by(|a, b| {
        let binding = b.is_binding().cmp(&a.is_binding());
        binding.then_with(|| by_value(a, b)).then(a.part().cmp(&b.part())).then_with(|| a.key.cmp(&b.key))
    });
    entries
}

/// The first of those with the same words stays. Most differ early on, so few are read to their ends.
fn without_repetitions(entries: &mut Vec<ContextEntry<'_>>) {
    let beginning =
        |entry: &ContextEntry<'_>| folded(said(&entry.candidate.memory)).take(BEGINNING).collect::<String>();
    let mut alike: HashMap<String, usize> = HashMap::with_capacity(entries.len());
    let beginnings: Vec<String> = entries.iter().map(beginning).collect();
    beginnings.iter().for_each(|beginning| *alike.entry(beginning.clone()).or_default() += 1);
    let mut words = HashSet::new();
    let mut beginnings = beginnings.iter();
    entries.retain(|entry| {
        let shared = beginnings.next().is_some_and(|beginning| alike[beginning] > 1);
        !shared || words.insert(words_of(&entry.candidate.memory))
    });
}

fn by_value(a: &ContextEntry<'_>, b: &ContextEntry<'_>) -> Ordering {
    b.value.total_cmp(&a.value)
}

/// Ties are broken by what is said, so that the order in which candidates come never shows.
fn by_content(a: &ContextEntry<'_>, b: &ContextEntry<'_>) -> Ordering {
    fn content<'e>(entry: &'e ContextEntry<'_>) -> impl Ord + 'e {
        let (candidate, memory) = (entry.candidate, &entry.candidate.memory);
        let shorter = (&memory.shorter.summary, &memory.shorter.compressed, &memory.shorter.index);
        (&entry.key, candidate.longest, &candidate.why, &memory.text, &memory.title, shorter)
    }
    content(a).cmp(&content(b))
}

/// What tells the words of a memory from those of others.
pub(crate) fn words_of(memory: &Memory) -> [u8; 32] {
    digest(said(memory))
}

/// The same words have the same digest, whatever their blanks and case.
pub(crate) fn digest(text: &str) -> [u8; 32] {
    let even: String = folded(text).collect();
    *blake3::hash(even.trim_end().as_bytes()).as_bytes()
}

fn said(memory: &Memory) -> &str {
    if memory.text.trim().is_empty() { memory.headline() } else { &memory.text }
}

/// Blanks evened, case folded.
fn folded(text: &str) -> impl Iterator<Item = char> {
    let mut blank = true;
    let one_blank = move |character: char| {
        let again = blank && character.is_whitespace();
        blank = character.is_whitespace();
        (!again).then_some(if blank { ' ' } else { character })
    };
    text.trim().chars().filter_map(one_blank).flat_map(char::to_lowercase)
}
