//! The word lists, read once into one table: what a word is, beside what it means with another word.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::OnceLock;

use super::antonyms::{ANTONYMS, DENYING, KINDS, REMOVING};
use super::exclusive::{EXCLUSIVE, TELLING_APART};
use super::grammar::{AMBIGUOUS, COMMON, FUNCTION, VERBS};
use super::lemma::irregular;
use super::phrases::PHRASES;
use super::synonyms::SYNONYMS;

/// What is known of one lemma; numbers name the sets it stands in.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    synonyms: Vec<u16>,
    left: Vec<u16>,
    right: Vec<u16>,
    exclusive: Vec<u16>,
    apart: Vec<u16>,
    kinds: Vec<&'static str>,
    pub(super) denies: bool,
    /// Denies once it is done: `was removed`.
    pub(super) removes: bool,
    /// The name of a tool, and an ordinary word too.
    pub(super) ambiguous: bool,
    pub(super) verb: bool,
    /// Says little by itself: `use`, `service`, `new`.
    pub(super) common: bool,
    pub(super) function: bool,
}

type Map<Value> = HashMap<&'static str, Value, BuildHasherDefault<Quick>>;

/// FNV-1a: the keys are ours and short, so nobody can make them collide, and every word of a statement is looked up.
struct Quick(u64);

impl Default for Quick {
    fn default() -> Quick {
        Quick(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Quick {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Lexicon {
    entries: Map<Entry>,
    irregular: Map<&'static str>,
    /// By the first word: the rest of the phrase and what it is read as, longest first.
    phrases: Map<Vec<(Vec<&'static str>, Vec<&'static str>)>>,
    exclusive_names: Vec<&'static str>,
}

pub(super) fn lexicon() -> &'static Lexicon {
    static LEXICON: OnceLock<Lexicon> = OnceLock::new();
    LEXICON.get_or_init(Lexicon::read)
}

fn items(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split([';', '\n']).map(str::trim).filter(|item| !item.is_empty())
}

impl Lexicon {
    fn read() -> Lexicon {
        let mut all = Lexicon::default();
        all.irregular.extend(irregular().iter().copied());
        for (number, set) in (0..).zip(items(SYNONYMS)) {
            set.split_whitespace().for_each(|word| all.entry(word).synonyms.push(number));
        }
        for (number, pair) in (0..).zip(items(ANTONYMS)) {
            let (left, right) = pair.split_once('/').unwrap_or((pair, ""));
            left.split_whitespace().for_each(|word| all.entry(word).left.push(number));
            right.split_whitespace().for_each(|word| all.entry(word).right.push(number));
        }
        for (number, set) in (0..).zip(items(EXCLUSIVE)) {
            let (name, members) = set.split_once(':').unwrap_or(("alternatives", set));
            all.exclusive_names.push(name);
            members.split_whitespace().for_each(|word| all.entry(word).exclusive.push(number));
        }
        for (number, set) in (0..).zip(TELLING_APART.lines().filter(|line| !line.is_empty())) {
            set.split([' ', ';']).filter(|word| !word.is_empty()).for_each(|word| all.entry(word).apart.push(number));
        }
        for set in items(KINDS) {
            let (kind, members) = set.split_once(':').unwrap_or(("", set));
            members.split_whitespace().for_each(|word| all.entry(word).kinds.push(kind));
        }
        DENYING.split_whitespace().for_each(|word| all.entry(word).denies = true);
        REMOVING.split_whitespace().for_each(|word| all.entry(word).removes = true);
        AMBIGUOUS.split_whitespace().for_each(|word| all.entry(word).ambiguous = true);
        VERBS.split_whitespace().for_each(|word| all.entry(word).verb = true);
        COMMON.split_whitespace().for_each(|word| all.entry(word).common = true);
        FUNCTION.split_whitespace().for_each(|word| all.entry(word).function = true);
        for phrase in items(PHRASES) {
            let (from, to) = phrase.split_once('=').unwrap_or((phrase, phrase));
            let mut words = from.split_whitespace();
            let Some(first) = words.next() else { continue };
            all.phrases.entry(first).or_default().push((words.collect(), to.split_whitespace().collect()));
        }
        all.phrases.values_mut().for_each(|found| found.sort_by_key(|(rest, _)| std::cmp::Reverse(rest.len())));
        all
    }

    fn entry(&mut self, word: &'static str) -> &mut Entry {
        self.entries.entry(word).or_default()
    }

    pub(super) fn get(&self, lemma: &str) -> Option<&Entry> {
        self.entries.get(lemma)
    }

    pub(super) fn knows(&self, lemma: &str) -> bool {
        self.entries.contains_key(lemma)
    }

    pub(super) fn irregular(&self, word: &str) -> Option<&'static str> {
        self.irregular.get(word).copied()
    }

    pub(super) fn phrases(&self, first: &str) -> &[(Vec<&'static str>, Vec<&'static str>)] {
        self.phrases.get(first).map_or(&[], Vec::as_slice)
    }
}

fn meet(a: &[u16], b: &[u16]) -> bool {
    a.iter().any(|set| b.contains(set))
}

impl Entry {
    pub(super) fn is_synonym(&self, other: &Entry) -> bool {
        meet(&self.synonyms, &other.synonyms)
    }

    pub(super) fn is_opposite(&self, other: &Entry) -> bool {
        meet(&self.left, &other.right) || meet(&self.right, &other.left)
    }

    pub(super) fn is_alternative(&self, other: &Entry) -> bool {
        meet(&self.exclusive, &other.exclusive)
    }

    /// Put before a noun, the two make two things of one kind.
    pub(super) fn tells_apart(&self, other: &Entry) -> bool {
        meet(&self.apart, &other.apart)
    }

    pub(super) fn is_kind_of(&self, lemma: &str) -> bool {
        self.kinds.contains(&lemma)
    }

    /// Whether it is the name of one of several tools, formats …, wherever it stands.
    pub(super) fn names_a_choice(&self) -> bool {
        !self.exclusive.is_empty() && !self.ambiguous
    }

    pub(super) fn tells_something_apart(&self) -> bool {
        !self.apart.is_empty()
    }
}
