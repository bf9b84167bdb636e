//! Which word of one statement answers which word of the other, and how the two stand to each other.
//!
//! Greedy over scored candidates: the lists first, the likeness of vectors for what is left, then values that stand in
//! the same slot. One word answers at most one word.

use super::super::thesaurus::{self, Kinship};
use super::number::{Dimension, Quantity};
use super::reading::{Reading, Region, Sort, Token};

/// How a word of the one text stands to its partner in the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Relation {
    Equal,
    Synonym,
    Derived,
    Similar,
    /// One is a kind or a part of the other.
    Kin,
    Opposite,
    /// Two of a set of which a thing has one.
    Alternative,
    SameNumber,
    OtherNumber,
    /// Two bounds that leave room for both.
    Room,
    /// Two values or names in the same slot, with nothing known of either.
    Unlike,
    /// Two plain words in the same slot of otherwise equal surroundings.
    Instead,
}

#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) relation: Relation,
    pub(super) score: f64,
}

impl Relation {
    pub(super) fn is_like(self) -> bool {
        self <= Relation::Kin || self == Relation::SameNumber
    }
}

/// So many of the words still without a partner are compared by vector.
const MOST_COMPARED: usize = 9;
/// Texts with more content than this are aligned by equal words only beyond it.
const MOST_ALIGNED: usize = 60;
const ALIKE: f32 = 0.36;

pub(super) struct Alignment {
    pub(super) edges: Vec<Edge>,
    pub(super) partner_a: Vec<Option<usize>>,
    pub(super) partner_b: Vec<Option<usize>>,
    /// For words without a partner, the likeness to the likest one left on the other side.
    pub(super) soft_a: Vec<f64>,
    pub(super) soft_b: Vec<f64>,
}

pub(super) fn align(a: &Reading, b: &Reading, alike: &dyn Fn(&str, &str) -> f32) -> Alignment {
    let mut candidates = Vec::new();
    for (i, ours) in a.tokens.iter().enumerate() {
        for (j, theirs) in b.tokens.iter().enumerate() {
            let far = i >= MOST_ALIGNED || j >= MOST_ALIGNED;
            let found =
                if far { (ours.lemma == theirs.lemma).then_some((Relation::Equal, 1.0)) } else { relate(ours, theirs) };
            if let Some((relation, score)) = found {
                candidates.push(Edge { a: i, b: j, relation, score: score + nearness(a, b, i, j) });
            }
        }
    }
    let mut alignment = Alignment {
        edges: Vec::new(),
        partner_a: vec![None; a.tokens.len()],
        partner_b: vec![None; b.tokens.len()],
        soft_a: vec![0.0; a.tokens.len()],
        soft_b: vec![0.0; b.tokens.len()],
    };
    alignment.take(candidates);
    let (left_a, left_b) = (alignment.left(a, &alignment.partner_a), alignment.left(b, &alignment.partner_b));
    let mut similar = Vec::new();
    for &i in &left_a {
        for &j in &left_b {
            let (ours, theirs) = (&a.tokens[i], &b.tokens[j]);
            let named = |token: &Token| matches!(token.sort, Sort::Name | Sort::Code);
            // Names that look alike are two names.
            if ours.sort == Sort::Number || theirs.sort == Sort::Number || (named(ours) && named(theirs)) {
                continue;
            }
            let cosine = alike(&ours.lemma, &theirs.lemma);
            alignment.soft_a[i] = alignment.soft_a[i].max(f64::from(cosine));
            alignment.soft_b[j] = alignment.soft_b[j].max(f64::from(cosine));
            if cosine >= ALIKE {
                similar.push(Edge {
                    a: i,
                    b: j,
                    relation: Relation::Similar,
                    score: f64::from(cosine) + nearness(a, b, i, j),
                });
            }
        }
    }
    let exchanged = exchanged(a, b, &alignment);
    alignment.take(exchanged);
    alignment.take(similar);
    alignment.take(slots(a, b, &alignment));
    alignment.edges.sort_by_key(|edge| (edge.a, edge.b));
    alignment
}

impl Alignment {
    fn take(&mut self, mut candidates: Vec<Edge>) {
        candidates
            .sort_by(|one, other| other.score.total_cmp(&one.score).then((one.a, one.b).cmp(&(other.a, other.b))));
        for edge in candidates {
            if self.partner_a[edge.a].is_none() && self.partner_b[edge.b].is_none() {
                self.partner_a[edge.a] = Some(edge.b);
                self.partner_b[edge.b] = Some(edge.a);
                self.edges.push(edge);
            }
        }
    }

    fn left(&self, reading: &Reading, partners: &[Option<usize>]) -> Vec<usize> {
        let mut left: Vec<usize> = (0..partners.len()).filter(|at| partners[*at].is_none()).collect();
        left.sort_by(|one, other| {
            reading.tokens[*other].weight.total_cmp(&reading.tokens[*one].weight).then(one.cmp(other))
        });
        left.truncate(MOST_COMPARED);
        left
    }
}

/// A little for standing in the same place, so that of two equal words the fitting one is taken.
fn nearness(a: &Reading, b: &Reading, i: usize, j: usize) -> f64 {
    let (ours, theirs) = (&a.tokens[i], &b.tokens[j]);
    let same =
        |i: Option<usize>, j: Option<usize>| match (i.and_then(|i| a.tokens.get(i)), j.and_then(|j| b.tokens.get(j))) {
            (Some(one), Some(other)) => one.lemma == other.lemma,
            _ => false,
        };
    let region = if ours.region == theirs.region { 0.05 } else { 0.0 };
    let kind = if ours.kind == theirs.kind { 0.03 } else { 0.0 };
    let before = if same(i.checked_sub(1), j.checked_sub(1)) { 0.04 } else { 0.0 };
    let after = if same(Some(i + 1), Some(j + 1)) { 0.04 } else { 0.0 };
    region + kind + before + after
}

pub(super) fn relate(a: &Token, b: &Token) -> Option<(Relation, f64)> {
    if let (Some(ours), Some(theirs)) = (&a.quantity, &b.quantity) {
        return relate_numbers(ours, theirs);
    }
    if a.quantity.is_some() || b.quantity.is_some() {
        return None;
    }
    if a.lemma == b.lemma {
        return Some((Relation::Equal, 1.0));
    }
    if let (Some(ours), Some(theirs)) = (a.entry, b.entry) {
        if ours.is_synonym(theirs) {
            return Some((Relation::Synonym, 0.9));
        }
        if ours.is_opposite(theirs) {
            return Some((Relation::Opposite, 0.8));
        }
        if ours.is_alternative(theirs) {
            return Some((Relation::Alternative, 0.7));
        }
    }
    if is_denying_form(&a.lemma, &b.lemma) || is_denying_form(&b.lemma, &a.lemma) {
        return Some((Relation::Opposite, 0.8));
    }
    if a.stem == b.stem && a.stem.len() >= 4 {
        return Some((Relation::Derived, 0.85));
    }
    if a.sort == Sort::Code || b.sort == Sort::Code {
        return relate_code(a, b);
    }
    if is_abbreviation(&a.lemma, &b.lemma) || is_abbreviation(&b.lemma, &a.lemma) {
        return Some((Relation::Derived, 0.75));
    }
    match thesaurus::relate(a.meanings, b.meanings) {
        Some(Kinship::Synonym) => return Some((Relation::Synonym, 0.8)),
        Some(Kinship::Opposite) => return Some((Relation::Opposite, 0.75)),
        Some(Kinship::Broader) => return Some((Relation::Kin, 0.5)),
        Some(Kinship::Indirect | Kinship::Sibling) | None => {}
    }
    let kin = a.entry.is_some_and(|entry| entry.is_kind_of(&b.lemma))
        || b.entry.is_some_and(|entry| entry.is_kind_of(&a.lemma));
    kin.then_some((Relation::Kin, 0.55))
}

/// `unsafe` of `safe`, `nonblocking` of `blocking`.
fn is_denying_form(long: &str, short: &str) -> bool {
    short.len() >= 4
        && ["un", "non", "in", "im", "ir", "dis", "mis"].iter().any(|prefix| long.strip_prefix(prefix) == Some(short))
        && !matches!(
            short,
            "form" | "line" | "side" | "stall" | "stance" | "tend" | "tent" | "port" | "play" | "patch" | "put"
        )
}

fn is_abbreviation(short: &str, long: &str) -> bool {
    short.len() >= 3
        && long.len() >= short.len() + 3
        && long.len() >= 6
        && short.is_ascii()
        && long.starts_with(short)
        && !matches!(
            short,
            "non"
                | "pre"
                | "dis"
                | "inter"
                | "sub"
                | "per"
                | "con"
                | "com"
                | "pro"
                | "auto"
                | "multi"
                | "over"
                | "under"
                | "out"
        )
}

/// Code by its parts: `doc_vectors.embedding` and `doc_vectors`, `user_email` and `email`.
fn relate_code(a: &Token, b: &Token) -> Option<(Relation, f64)> {
    let parts = |text: &str| -> Vec<String> {
        text.split(|letter: char| !letter.is_alphanumeric()).filter(|part| part.len() > 2).map(str::to_owned).collect()
    };
    let (ours, theirs) = (parts(&a.text), parts(&b.text));
    if ours.is_empty() || theirs.is_empty() {
        return None;
    }
    if ours == theirs {
        return Some((Relation::Equal, 0.95));
    }
    let shared = ours.iter().filter(|part| theirs.contains(part)).count();
    let smaller = ours.len().min(theirs.len());
    let stems = || {
        ours.iter().any(|part| super::lemma::stem(part) == b.stem)
            || theirs.iter().any(|part| super::lemma::stem(part) == a.stem)
    };
    if a.sort == Sort::Code && b.sort == Sort::Code {
        return (shared == smaller).then_some((Relation::Kin, 0.6));
    }
    (shared > 0 || stems()).then_some((Relation::Kin, 0.5))
}

fn relate_numbers(a: &Quantity, b: &Quantity) -> Option<(Relation, f64)> {
    let bare = |quantity: &Quantity| quantity.dimension == Dimension::Count && quantity.of.is_empty();
    let mixed = a.dimension != b.dimension;
    if mixed && !((bare(a) && b.dimension == Dimension::Version) || (bare(b) && a.dimension == Dimension::Version)) {
        return None;
    }
    let same_noun = a.of == b.of || {
        let entries = (super::lexicon::lexicon().get(&a.of), super::lexicon::lexicon().get(&b.of));
        matches!(entries, (Some(ours), Some(theirs)) if ours.is_synonym(theirs))
    };
    let named = !a.of.is_empty() && !b.of.is_empty();
    // `Node 16 … to 20`: the bare number is a version too.
    let as_version = |quantity: &Quantity| {
        if mixed && bare(quantity) {
            super::number::parse(&format!("v{}", quantity.value)).unwrap_or_else(|| quantity.clone())
        } else {
            quantity.clone()
        }
    };
    let (a, b) = (&as_version(a), &as_version(b));
    if a.equals(b) {
        return Some((Relation::SameNumber, if named && !same_noun { 0.5 } else { 1.0 }));
    }
    if a.dimension == Dimension::Date || (named && !same_noun) {
        return None;
    }
    let score = if same_noun && named {
        0.8
    } else if mixed {
        0.5
    } else {
        0.65
    };
    Some((if a.leaves_room(b) { Relation::Room } else { Relation::OtherNumber }, score))
}

/// Plain words without a partner whose neighbours on both sides answer each other: the one thing that was changed.
fn exchanged(a: &Reading, b: &Reading, alignment: &Alignment) -> Vec<Edge> {
    let answers = |i: Option<usize>, j: Option<usize>| match (i, j) {
        (Some(i), Some(j)) => match (alignment.partner_a.get(i), alignment.partner_b.get(j)) {
            (Some(found), Some(_)) => *found == Some(j),
            // Both texts end here.
            (None, None) => true,
            _ => false,
        },
        (None, None) => true,
        _ => false,
    };
    let mut found = Vec::new();
    for i in (0..a.tokens.len().min(MOST_ALIGNED)).filter(|at| alignment.partner_a[*at].is_none()) {
        for j in (0..b.tokens.len().min(MOST_ALIGNED)).filter(|at| alignment.partner_b[*at].is_none()) {
            let (ours, theirs) = (&a.tokens[i], &b.tokens[j]);
            let plain = ours.sort == Sort::Word && theirs.sort == Sort::Word;
            if plain
                && ours.region == theirs.region
                && a.tokens.len().abs_diff(b.tokens.len()) <= 2
                && answers(i.checked_sub(1), j.checked_sub(1))
                && answers(Some(i + 1), Some(j + 1))
                && a.tokens.len() > 2
            {
                found.push(Edge { a: i, b: j, relation: Relation::Instead, score: 0.5 });
            }
        }
    }
    found
}

/// Names and values without a partner that stand where the other text has another one.
fn slots(a: &Reading, b: &Reading, alignment: &Alignment) -> Vec<Edge> {
    let valued = |token: &Token| matches!(token.sort, Sort::Name | Sort::Code) && !token.text.starts_with('-');
    let open = |reading: &Reading, partners: &[Option<usize>]| -> Vec<usize> {
        (0..partners.len()).filter(|at| partners[*at].is_none() && valued(&reading.tokens[*at])).take(8).collect()
    };
    let (open_a, open_b) = (open(a, &alignment.partner_a), open(b, &alignment.partner_b));
    let mut found = Vec::new();
    for &i in &open_a {
        for &j in &open_b {
            let (ours, theirs) = (&a.tokens[i], &b.tokens[j]);
            let mut score = 0.0;
            score += if ours.region == theirs.region { 0.25 } else { 0.0 };
            score += if ours.preposition == theirs.preposition { 0.2 } else { 0.0 };
            score += if ours.sort == theirs.sort { 0.1 } else { 0.0 };
            let answers = |i: Option<usize>, j: Option<usize>| matches!((i, j), (Some(i), Some(j)) if alignment.partner_a.get(i).copied().flatten() == Some(j));
            score += if answers(i.checked_sub(1), j.checked_sub(1)) { 0.25 } else { 0.0 };
            score += if answers(Some(i + 1), Some(j + 1)) { 0.25 } else { 0.0 };
            score += if open_a.len() == 1 && open_b.len() == 1 { 0.2 } else { 0.0 };
            if score >= if ours.sort == theirs.sort { 0.4 } else { 0.6 } && ours.region != Region::Verb {
                found.push(Edge { a: i, b: j, relation: Relation::Unlike, score });
            }
        }
    }
    found
}
