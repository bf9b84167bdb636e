//! Where keywords stand in a text, whatever their case. An automaton reads long texts once and takes a while to build; a
//! process that reads one short text compares word by word instead. Both find the same, in the same order.

use aho_corasick::{AhoCorasick, AhoCorasickKind, BuildError, FindOverlappingIter};

#[derive(Clone)]
pub(super) enum Keywords {
    Automaton(AhoCorasick),
    OneByOne(Few),
}

/// By their first byte in lower case.
#[derive(Clone)]
pub(super) struct Few {
    words: Vec<&'static str>,
    begin: Vec<Vec<usize>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Hit {
    pub(super) end: usize,
    pub(super) start: usize,
    pub(super) word: usize,
}

impl Keywords {
    pub(super) fn new(words: Vec<&'static str>, brief: bool) -> Result<Keywords, BuildError> {
        if !brief {
            let mut builder = AhoCorasick::builder();
            builder.ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA));
            return builder.build(words).map(Keywords::Automaton);
        }
        let mut begin = vec![Vec::new(); 256];
        for (at, word) in words.iter().enumerate() {
            if let Some(first) = word.bytes().next() {
                begin[usize::from(first.to_ascii_lowercase())].push(at);
            }
        }
        Ok(Keywords::OneByOne(Few { words, begin }))
    }

    /// In the order of their ends, the longer of two with the same end first.
    pub(super) fn hits<'a>(&'a self, text: &'a str) -> Hits<'a> {
        match self {
            Keywords::Automaton(automaton) => Hits::Found(automaton.find_overlapping_iter(text)),
            Keywords::OneByOne(few) => Hits::Listed(few.hits(text.as_bytes()).into_iter()),
        }
    }
}

impl Few {
    fn hits(&self, text: &[u8]) -> Vec<Hit> {
        let mut hits = Vec::new();
        for (start, byte) in text.iter().enumerate() {
            for word in &self.begin[usize::from(byte.to_ascii_lowercase())] {
                let end = start + self.words[*word].len();
                let is_here =
                    text.get(start..end).is_some_and(|here| here.eq_ignore_ascii_case(self.words[*word].as_bytes()));
                if is_here {
                    hits.push(Hit { end, start, word: *word });
                }
            }
        }
        hits.sort_unstable();
        hits
    }
}

pub(super) enum Hits<'a> {
    Found(FindOverlappingIter<'a, 'a>),
    Listed(std::vec::IntoIter<Hit>),
}

impl Iterator for Hits<'_> {
    type Item = Hit;

    fn next(&mut self) -> Option<Hit> {
        match self {
            Hits::Found(found) => {
                found.next().map(|hit| Hit { end: hit.end(), start: hit.start(), word: hit.pattern().as_usize() })
            }
            Hits::Listed(listed) => listed.next(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::sample;
    use proptest::strategy::Strategy;

    use super::*;
    use crate::redact::{Redactor, scan};

    proptest::proptest! {
        #[test]
        fn both_ways_find_the_same_in_the_same_order(parts in proptest::collection::vec(part(), 0..24)) {
            let text = parts.concat();
            let found = |keywords: &Keywords| keywords.hits(&text).collect::<Vec<Hit>>();
            proptest::prop_assert_eq!(found(&BRIEF.0), found(&USUAL.0));
            proptest::prop_assert_eq!(BRIEF.1.redact(&text), USUAL.1.redact(&text));
        }
    }

    static BRIEF: LazyLock<(Keywords, Redactor)> =
        LazyLock::new(|| (Keywords::new(scan::words().0, true).unwrap(), Redactor::brief(&[], &[]).unwrap()));
    static USUAL: LazyLock<(Keywords, Redactor)> =
        LazyLock::new(|| (Keywords::new(scan::words().0, false).unwrap(), Redactor::built_in()));

    /// A keyword in some case, or what stands around keywords.
    fn part() -> impl Strategy<Value = String> {
        let word = sample::select(scan::words().0);
        let around = sample::select(vec![
            "=",
            "hunter2hunter2",
            ": ",
            "\"",
            "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
            "Bearer ",
            "é",
            "\n",
            ".",
            " ",
            "https://a:b@c.d",
            "<private>",
            "</private>",
            "[redacted:x]",
            "RSA PRIVATE KEY-----",
            "x@y.org",
            "curl -u a:b ",
        ]);
        proptest::prop_oneof![
            word.clone().prop_map(str::to_owned),
            word.prop_map(str::to_ascii_uppercase),
            around.prop_map(str::to_owned),
            ".{0,4}",
        ]
    }

    #[test]
    fn hits_come_by_their_ends_and_the_longer_first() {
        let words = vec!["pass", "password", "word", "a"];
        for brief in [true, false] {
            let keywords = Keywords::new(words.clone(), brief).unwrap();
            let hits: Vec<usize> = keywords.hits("é PASSword").map(|hit| hit.word).collect();
            assert_eq!(hits, [3, 0, 1, 2], "{brief}");
        }
    }
}
