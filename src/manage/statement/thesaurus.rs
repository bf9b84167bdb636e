//! What a dictionary of English knows of two words: that they share a meaning, deny one another, that one is a kind of
//! the other, or both are kinds of one thing. Read once from a compiled table (its origin and form: `assets/lexicon`).
//!
//! General knowledge beside the hand-made lists of developers' words, which count first.

use std::collections::HashMap;
use std::sync::LazyLock;

static TABLE: &[u8] = include_bytes!("../../../assets/lexicon/words.bin");

/// The meanings of a word, by number, the commonest first; empty for a word that is not in the table.
pub(super) type Meanings = &'static [u16];

/// How two words stand to one another, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kinship {
    Synonym,
    Opposite,
    /// One is a kind of the other.
    Broader,
    /// Like words that are opposites: `tiny` and `big`.
    Indirect,
    /// Two kinds of one thing.
    Sibling,
}

struct Thesaurus {
    words: HashMap<&'static str, Meanings>,
    /// For every meaning, the one above it (0 for none) and its field.
    above: Vec<(u16, u8)>,
    opposites: HashMap<u16, Vec<u16>>,
}

static THESAURUS: LazyLock<Thesaurus> = LazyLock::new(|| Thesaurus::read(TABLE).unwrap_or_else(Thesaurus::empty));

impl Thesaurus {
    fn empty() -> Thesaurus {
        Thesaurus { words: HashMap::new(), above: Vec::new(), opposites: HashMap::new() }
    }

    /// Four sections, each after its length: words, their meanings, what is above each meaning, pairs of opposites.
    fn read(table: &'static [u8]) -> Option<Thesaurus> {
        let (names, rest) = section(table)?;
        let (meanings, rest) = section(rest)?;
        let (above, rest) = section(rest)?;
        let (opposites, _) = section(rest)?;
        let mut words = HashMap::new();
        let (mut all, mut spans) = (Vec::with_capacity(meanings.len() / 2), Vec::new());
        let mut left = meanings;
        for name in std::str::from_utf8(names).ok()?.split('\n') {
            let (count, rest) = left.split_first()?;
            let (own, rest) = rest.split_at_checked(usize::from(*count) * 2)?;
            spans.push((name, all.len(), usize::from(*count)));
            all.extend(own.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]])));
            left = rest;
        }
        // Kept for as long as the process lives, as the table itself is.
        let all: &'static [u16] = all.leak();
        words.extend(spans.into_iter().map(|(name, start, count)| (name, &all[start..start + count])));
        let above = above.chunks_exact(3).map(|three| (u16::from_le_bytes([three[0], three[1]]), three[2])).collect();
        let mut pairs: HashMap<u16, Vec<u16>> = HashMap::new();
        for four in opposites.chunks_exact(4) {
            let (one, other) = (u16::from_le_bytes([four[0], four[1]]), u16::from_le_bytes([four[2], four[3]]));
            pairs.entry(one).or_default().push(other);
            pairs.entry(other).or_default().push(one);
        }
        Some(Thesaurus { words, above, opposites: pairs })
    }

    fn above(&self, meaning: u16) -> u16 {
        self.entry(meaning).0
    }

    fn entry(&self, meaning: u16) -> (u16, u8) {
        usize::from(meaning).checked_sub(1).and_then(|at| self.above.get(at)).copied().unwrap_or((0, 0))
    }

    fn opposed(&self, one: u16, other: u16) -> bool {
        self.opposites.get(&one).is_some_and(|all| all.contains(&other))
    }
}

fn section(table: &'static [u8]) -> Option<(&'static [u8], &'static [u8])> {
    let (length, rest) = table.split_first_chunk::<4>()?;
    rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)
}

/// The meanings of a word in lower case, also of an inflected one.
pub(super) fn meanings(lower: &str) -> Meanings {
    let found = |word: &str| THESAURUS.words.get(word).copied();
    let bare = |ending: &str| lower.strip_suffix(ending).filter(|stem| stem.len() > 2);
    let base = |stem: &str| {
        let mut letters = stem.chars().rev();
        let doubled = letters.next().is_some_and(|last| letters.next() == Some(last));
        found(&format!("{stem}e"))
            .filter(|_| !doubled)
            .or_else(|| found(stem))
            .or_else(|| if doubled { stem.get(..stem.len() - 1).and_then(found) } else { None })
    };
    let inflected = || {
        None.or_else(|| bare("ies").or_else(|| bare("ied")).and_then(|stem| found(&format!("{stem}y"))))
            .or_else(|| bare("s").and_then(found))
            .or_else(|| bare("es").and_then(found))
            .or_else(|| bare("ing").or_else(|| bare("ed")).and_then(base))
    };
    let verbal = lower.ends_with("ed") || lower.ends_with("ing") || lower.ends_with('s');
    let first = if verbal { inflected().or_else(|| found(lower)) } else { found(lower) };
    first.unwrap_or(&[])
}

pub(super) fn relate(a: Meanings, b: Meanings) -> Option<Kinship> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    if a.iter().any(|one| b.contains(one)) {
        return Some(Kinship::Synonym);
    }
    let table = &*THESAURUS;
    let mut best: Option<Kinship> = None;
    for one in a {
        let over = table.above(*one);
        for other in b {
            let above = table.above(*other);
            let kin = match () {
                () if table.opposed(*one, *other) => Kinship::Opposite,
                () if over == *other || above == *one => Kinship::Broader,
                () if over != 0 && (table.opposed(over, *other) || above != 0 && table.opposed(over, above)) => {
                    Kinship::Indirect
                }
                () if above != 0 && table.opposed(*one, above) => Kinship::Indirect,
                () if over != 0 && over == above => Kinship::Sibling,
                () => continue,
            };
            best = Some(best.map_or(kin, |best| best.min(kin)));
        }
    }
    best
}

/// Do the commonest meanings of both belong to one field: times, persons, places, tools …?
pub(super) fn same_field(a: Meanings, b: Meanings) -> bool {
    let field = |all: Meanings| all.first().map(|first| THESAURUS.entry(*first).1);
    matches!((field(a), field(b)), (Some(one), Some(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use super::{Kinship, meanings, relate, same_field};

    #[track_caller]
    fn check(a: &str, b: &str, expect: Option<Kinship>) {
        assert_eq!(relate(meanings(a), meanings(b)), expect, "{a} {b}");
        assert_eq!(relate(meanings(b), meanings(a)), expect, "{b} {a}");
    }

    #[test]
    fn words_stand_to_one_another_as_the_dictionary_says() {
        check("purchase", "buy", Some(Kinship::Synonym));
        check("big", "small", Some(Kinship::Opposite));
        check("increases", "decreased", Some(Kinship::Opposite));
        check("monday", "tuesday", Some(Kinship::Sibling));
        check("zebra", "monday", None);
        check("", "monday", None);
        check("qqqq", "wwww", None);
    }

    #[test]
    fn an_inflected_word_has_the_meanings_of_its_base() {
        for (inflected, base) in [("stored", "store"), ("dropping", "drop"), ("copies", "copy"), ("servers", "server")]
        {
            assert_eq!(meanings(inflected), meanings(base), "{inflected}");
            assert!(!meanings(base).is_empty(), "{base}");
        }
    }

    #[test]
    fn weekdays_are_of_one_field() {
        assert!(same_field(meanings("monday"), meanings("friday")));
        assert!(!same_field(meanings("monday"), meanings("teacher")));
    }
}
