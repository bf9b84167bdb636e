//! Which word of one statement answers which of the other: the same, a synonym, its opposite, another of its kind.

use super::clause::{Role, Statement};
use super::lexicon::{self, Relation};
use super::reading::{Kind, Token};
use super::thesaurus::{self, Kinship};

/// As many words without a partner are compared by their vectors.
const MOST_COMPARED: usize = 12;
/// Below this likeness two words have nothing to do with one another.
const LIKE: f32 = 0.36;

#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) relation: Relation,
    /// How surely they are the same (or of one kind), 0 to 1.
    pub(super) strength: f64,
    pub(super) kind: &'static str,
}

#[derive(Debug)]
pub(super) struct Alignment {
    pub(super) pairs: Vec<Pair>,
    pub(super) of_a: Vec<Option<usize>>,
    pub(super) of_b: Vec<Option<usize>>,
    /// The likeness to the likest word of the other side, for words whose vectors were compared.
    pub(super) near_a: Vec<f64>,
    pub(super) near_b: Vec<f64>,
}

impl Alignment {
    pub(super) fn of(a: &Statement, b: &Statement, alike: &dyn Fn(&str, &str) -> f32) -> Alignment {
        let mut found = Alignment {
            pairs: Vec::new(),
            of_a: vec![None; a.tokens.len()],
            of_b: vec![None; b.tokens.len()],
            near_a: vec![0.0; a.tokens.len()],
            near_b: vec![0.0; b.tokens.len()],
        };
        let open = |tokens: &[Token]| Self::open(tokens, &vec![None; tokens.len()]);
        let theirs = open(&b.tokens);
        let mut known: Vec<(Relation, f64, Pair)> = Vec::new();
        for i in open(&a.tokens) {
            for j in &theirs {
                let Some((step, relation, strength, kind)) = relation(&a.tokens[i], &b.tokens[*j]) else { continue };
                let same_role = f64::from(u8::from(a.roles[i] == b.roles[*j]));
                let rank = f64::from(step) - strength - 0.1 * same_role;
                known.push((relation, rank, Pair { a: i, b: *j, relation, strength, kind }));
            }
        }
        known.sort_by(|one, other| one.1.total_cmp(&other.1).then((one.2.a, one.2.b).cmp(&(other.2.a, other.2.b))));
        for (_, _, pair) in known {
            if found.of_a[pair.a].is_none() && found.of_b[pair.b].is_none() {
                found.push(pair);
            }
        }
        found.by_vectors(a, b, alike);
        found
    }

    fn open(tokens: &[Token], taken: &[Option<usize>]) -> Vec<usize> {
        (0..tokens.len())
            .filter(|at| taken[*at].is_none() && tokens[*at].has_content() && tokens[*at].number.is_none())
            .collect()
    }

    fn by_vectors(&mut self, a: &Statement, b: &Statement, alike: &dyn Fn(&str, &str) -> f32) {
        let main = |statement: &Statement, open: Vec<usize>| -> Vec<usize> {
            let told = open.into_iter().filter(|at| statement.roles[*at] != Role::Reason);
            told.filter(|at| statement.tokens[*at].kind != Kind::Code).take(MOST_COMPARED).collect()
        };
        let ours = main(a, Self::open(&a.tokens, &self.of_a));
        let theirs = main(b, Self::open(&b.tokens, &self.of_b));
        let mut likely: Vec<(f32, usize, usize)> = Vec::new();
        for i in &ours {
            for j in &theirs {
                let like = alike(&a.tokens[*i].lower, &b.tokens[*j].lower);
                self.near_a[*i] = self.near_a[*i].max(f64::from(like));
                self.near_b[*j] = self.near_b[*j].max(f64::from(like));
                if like >= LIKE {
                    likely.push((like, *i, *j));
                }
            }
        }
        likely.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)).then(one.2.cmp(&other.2)));
        for (like, i, j) in likely {
            if self.of_a[i].is_none() && self.of_b[j].is_none() {
                let strength = f64::from(like.min(0.85));
                self.push(Pair { a: i, b: j, relation: Relation::Same, strength, kind: "" });
            }
        }
    }

    fn push(&mut self, pair: Pair) {
        self.of_a[pair.a] = Some(self.pairs.len());
        self.of_b[pair.b] = Some(self.pairs.len());
        self.pairs.push(pair);
    }

    /// How surely the other statement says this word too.
    pub(super) fn strength_a(&self, at: usize) -> f64 {
        self.strength(self.of_a.get(at).copied().flatten())
    }

    pub(super) fn strength_b(&self, at: usize) -> f64 {
        self.strength(self.of_b.get(at).copied().flatten())
    }

    fn strength(&self, pair: Option<usize>) -> f64 {
        match pair.and_then(|pair| self.pairs.get(pair)) {
            Some(pair) if pair.relation == Relation::Same => pair.strength,
            _ => 0.0,
        }
    }
}

type Found = (u8, Relation, f64, &'static str);

/// The strongest relation of two words, the surest kind first.
fn relation(a: &Token, b: &Token) -> Option<Found> {
    if a.stem == b.stem || a.lower == b.lower {
        return Some((0, Relation::Same, 1.0, ""));
    }
    let (known, kind) = lexicon::relate(a.senses, b.senses);
    if known == Relation::Same {
        return Some((2, Relation::Same, 0.85, kind));
    }
    let kin = if known == Relation::None { thesaurus::relate(a.meanings, b.meanings) } else { None };
    match kin {
        Some(Kinship::Synonym) => return Some((3, Relation::Same, 0.75, "")),
        Some(Kinship::Opposite) => return Some((6, Relation::Opposite, 1.0, "")),
        Some(Kinship::Broader) => return Some((5, Relation::Same, 0.5, "")),
        Some(Kinship::Indirect | Kinship::Sibling) | None => {}
    }
    if known == Relation::None && is_part(a, b) {
        return Some((4, Relation::Same, 0.7, ""));
    }
    match known {
        Relation::None if lexicon::denies(&a.stem, &b.stem) => Some((6, Relation::Opposite, 1.0, "")),
        Relation::None => None,
        Relation::Opposite => Some((6, known, 1.0, kind)),
        Relation::Rival => Some((8, known, 1.0, kind)),
        Relation::Elsewhere | Relation::Same => Some((10, known, 1.0, kind)),
    }
}

/// A part of an identifier or a phrase: `customers.phone` and phone, unit tests and tests.
fn is_part(a: &Token, b: &Token) -> bool {
    match (a.parts.is_empty(), b.parts.is_empty()) {
        (true, true) => {
            let (short, long) = if a.stem.len() < b.stem.len() { (&a.stem, &b.stem) } else { (&b.stem, &a.stem) };
            short.len() >= 4 && long.starts_with(short.as_str())
        }
        (false, true) => a.parts.contains(&b.stem),
        (true, false) => b.parts.contains(&a.stem),
        (false, false) if a.kind == Kind::Code && b.kind == Kind::Code => {
            let (few, many) = if a.parts.len() < b.parts.len() { (a, b) } else { (b, a) };
            few.parts.len() < many.parts.len() && few.parts.iter().all(|part| many.parts.contains(part))
        }
        (false, false) => a.parts.iter().any(|part| b.parts.contains(part)),
    }
}
