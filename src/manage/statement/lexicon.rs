//! What is known about words: which mean the same, which deny one another, which are two of one kind.
//!
//! Built once from the tables below it, by stems, so that every inflection is found. A word may have several senses;
//! two words relate by any sense they share.

mod closed;
mod more_synonyms;
mod opposites;
mod rivals;
mod synonyms;

use std::collections::HashMap;
use std::sync::LazyLock;

use frostem::{Algorithm, Stemmer};

pub(super) use closed::*;

/// The longest phrase of the tables, in words.
pub(super) const LONGEST: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    Synonyms,
    Opposites,
    Choices,
    Scopes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sense {
    pub(super) table: Table,
    line: u16,
    member: u16,
}

/// How two words stand to one another, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Relation {
    Same,
    Opposite,
    /// Two members of one kind, of which one is chosen.
    Rival,
    /// Two members of one kind of scope.
    Elsewhere,
    None,
}

struct Lexicon {
    senses: HashMap<String, Vec<Sense>>,
    /// Stems that begin a phrase of more than one word.
    begins: HashMap<String, usize>,
    kinds: Vec<&'static str>,
    stemmer: Stemmer,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::build);

impl Lexicon {
    fn build() -> Lexicon {
        let mut lexicon = Lexicon {
            senses: HashMap::new(),
            begins: HashMap::new(),
            kinds: Vec::new(),
            stemmer: Stemmer::new(Algorithm::English),
        };
        lexicon.table(Table::Synonyms, synonyms::SYNONYMS);
        lexicon.table(Table::Synonyms, more_synonyms::MORE_SYNONYMS);
        lexicon.table(Table::Opposites, opposites::OPPOSITES);
        lexicon.table(Table::Choices, rivals::CHOICES);
        lexicon.table(Table::Scopes, rivals::SCOPES);
        lexicon
    }

    fn table(&mut self, table: Table, text: &'static str) {
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let (kind, members) = match table {
                Table::Choices | Table::Scopes => line.split_once(": ").unwrap_or(("", line)),
                Table::Synonyms | Table::Opposites => ("", line),
            };
            let number = u16::try_from(self.kinds.len()).unwrap_or(u16::MAX);
            self.kinds.push(kind);
            for (member, words) in members.split('|').enumerate() {
                let member = u16::try_from(member).unwrap_or(u16::MAX);
                for word in words.split(',') {
                    self.enter(word.trim(), Sense { table, line: number, member });
                }
            }
        }
    }

    fn enter(&mut self, phrase: &str, sense: Sense) {
        let parts = phrase.split([' ', '-', '_']).filter(|part| !part.is_empty());
        let stems: Vec<String> = parts.map(|part| self.stem(&part.to_lowercase())).collect();
        if let [first, _, ..] = &stems[..] {
            let longest = self.begins.entry(first.clone()).or_default();
            *longest = stems.len().min(LONGEST).max(*longest);
        }
        let senses = self.senses.entry(stems.join(" ")).or_default();
        if !senses.contains(&sense) {
            senses.push(sense);
        }
    }

    fn stem(&self, lower: &str) -> String {
        let regular = closed::irregular(lower).unwrap_or(lower);
        if regular.len() <= 3 || !regular.bytes().all(|b| b.is_ascii_lowercase()) {
            return regular.to_owned();
        }
        let british = regular.replace("isation", "ization").replace("our", "or");
        let spelled = match british.strip_suffix("ise").filter(|stem| stem.len() > 3) {
            Some(stem) => format!("{stem}ize"),
            None => british.replace("ising", "izing").replace("ised", "ized").replace("ises", "izes"),
        };
        self.stemmer.stem(&spelled).into_owned()
    }
}

/// The stem of a word in lower case; irregular forms first.
pub(super) fn stem(lower: &str) -> String {
    LEXICON.stem(lower)
}

/// Of how many words the longest phrase is that begins with this stem; 0 if none does.
pub(super) fn phrase_from(stem: &str) -> usize {
    LEXICON.begins.get(stem).copied().unwrap_or(0)
}

pub(super) fn senses(stems: &str) -> &'static [Sense] {
    LEXICON.senses.get(stems).map_or(&[], Vec::as_slice)
}

/// What a shared line of a table says of two words. Equal in any sense counts before different in another.
pub(super) fn relate(a: &[Sense], b: &[Sense]) -> (Relation, &'static str) {
    let mut best = (Relation::None, "");
    // Entered in the order of lines.
    let mut rest = b;
    for a in a {
        rest = &rest[rest.iter().take_while(|b| b.line < a.line).count()..];
        for b in rest.iter().take_while(|b| b.line == a.line) {
            let found = match (a.member == b.member, a.table) {
                (true, _) => Relation::Same,
                (false, Table::Opposites) => Relation::Opposite,
                (false, Table::Choices) => Relation::Rival,
                (false, Table::Scopes) => Relation::Elsewhere,
                (false, Table::Synonyms) => Relation::None,
            };
            if found < best.0 {
                best = (found, LEXICON.kinds.get(usize::from(a.line)).copied().unwrap_or(""));
            }
        }
    }
    best
}

/// Do they stand in one line of this table as different members?
pub(super) fn differ_in(table: Table, a: &[Sense], b: &[Sense]) -> bool {
    let clash = |a: &Sense| b.iter().any(|b| b.line == a.line && b.member != a.member);
    let agree = |a: &Sense| b.iter().any(|b| b.line == a.line && b.member == a.member);
    a.iter().any(|sense| sense.table == table && clash(sense)) && !a.iter().any(|s| s.table == table && agree(s))
}

/// `signed` and `unsigned`, `compatible` and `non-compatible`: a prefix that denies, if what is left is the other word.
pub(super) fn denies(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let rest = |prefix: &str| long.strip_prefix(prefix) == Some(short);
    short.len() > 3 && (rest("un") || rest("non") || (rest("dis") && !closed::NOT_DENIED.contains(&short)))
}
