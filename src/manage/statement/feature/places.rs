//! Who stands where: what is left over on both sides, which words stand together, and which changed places.

use super::super::align::{Alignment, Pair};
use super::super::clause::{Role, Statement};
use super::super::lexicon::{self, Class, Relation};
use super::super::reading::{Break, Kind, Token};
use super::{Alike, Features, flag};

/// Which words stand together, and whether two of them have changed places.
pub(super) fn bonds(a: &Statement, b: &Statement, alignment: &Alignment, features: &mut Features) {
    let neighbours = |statement: &Statement, taken: &[Option<usize>]| -> Vec<Vec<usize>> {
        let mut near = vec![Vec::new(); alignment.pairs.len()];
        let mut last: Option<(usize, usize)> = None;
        for (at, pair) in taken.iter().enumerate() {
            let Some(pair) = pair.filter(|pair| alignment.pairs[*pair].relation == Relation::Same) else {
                continue;
            };
            let segment = statement.within[at];
            if let Some((_, before)) = last.filter(|(there, _)| *there == segment) {
                near[pair].push(before);
                near[before].push(pair);
            }
            last = Some((segment, pair));
        }
        near
    };
    let (ours, theirs) = (neighbours(a, &alignment.of_a), neighbours(b, &alignment.of_b));
    let count = ours.len().min(40);
    let (mut kept, mut all) = (0.0, 0.0);
    for pair in 0..count {
        all += ours[pair].len().max(theirs[pair].len()) as f64;
        kept += ours[pair].iter().filter(|near| theirs[pair].contains(near)).count() as f64;
    }
    features.bonds = if all > 0.0 { kept / all } else { 0.5 };
    let moved = |one: usize, other: usize| {
        ours[one].iter().any(|near| theirs[other].contains(near) && !theirs[one].contains(near))
    };
    let exchanged = |one: usize, other: usize| moved(one, other) && moved(other, one) && !ours[one].contains(&other);
    features.exchanged = flag((0..count).any(|one| (one + 1..count).any(|other| exchanged(one, other))));
}

/// What one side says and the other does not.
pub(super) fn open(a: &Statement, b: &Statement, alignment: &Alignment, features: &mut Features) {
    let left = |side: usize, holds: &dyn Fn(&Token, Role) -> bool| -> f64 {
        let (statement, taken) = if side == 0 { (a, &alignment.of_a) } else { (b, &alignment.of_b) };
        let is_open = |at: &usize| {
            let token = &statement.tokens[*at];
            let same = taken[*at].is_some_and(|pair| alignment.pairs[pair].relation == Relation::Same);
            !same && token.has_content() && token.number.is_none() && holds(token, statement.roles[*at])
        };
        (0..statement.tokens.len()).filter(is_open).count() as f64
    };
    let least = |holds: &dyn Fn(&Token, Role) -> bool| left(0, holds).min(left(1, holds));
    let most = |holds: &dyn Fn(&Token, Role) -> bool| left(0, holds).max(left(1, holds));
    features.value_open = least(&|_, role| role == Role::Value);
    features.code_open = least(&|token, role| token.kind == Kind::Code && role != Role::Reason);
    features.code_differs = least(&|token, role| token.kind == Kind::Code && role == Role::Value);
    features.name_open = least(&|token, role| token.kind == Kind::Name && role != Role::Reason);
    features.topic_open = least(&|_, role| role == Role::Topic);
    features.topic_open_max = most(&|_, role| role == Role::Topic);
    features.open_min = least(&|_, role| role != Role::Reason);
    features.open_max = most(&|_, role| role != Role::Reason);
    features.condition_open = most(&|_, role| role == Role::Condition);
    // Another modifier before the same noun.
    for pair in alignment.pairs.iter().filter(|pair| pair.relation == Relation::Same && pair.strength > 0.6) {
        let modifier = |statement: &Statement, at: usize| {
            let before = at.checked_sub(1)?;
            let joined = statement.tokens[at].gap == Break::None;
            (joined && statement.tokens[before].has_content() && statement.tokens[before].number.is_none())
                .then_some(before)
        };
        let (Some(one), Some(other)) = (modifier(a, pair.a), modifier(b, pair.b)) else { continue };
        let same = alignment.strength_a(one) > 0.0 || alignment.strength_b(other) > 0.0;
        if same || a.roles[pair.a] == Role::Reason || b.roles[pair.b] == Role::Reason {
            continue;
        }
        if a.roles[pair.a] == Role::Topic || b.roles[pair.b] == Role::Topic {
            features.modifier_topic += 1.0;
        } else {
            features.modifier_value += 1.0;
        }
    }
    features.swapped_roles = swapped(a, b, alignment);
    features.same_shape = flag(features.open_min >= 1.0 && features.open_max <= 2.0);
}

/// What is left on both sides: does it fill the same place, and is it of one sort?
pub(super) fn slots(a: &Statement, b: &Statement, alignment: &Alignment, features: &mut Features, alike: Alike<'_>) {
    let left = |statement: &Statement, taken: &[Option<usize>]| -> Vec<usize> {
        let is_open = |at: &usize| {
            let token = &statement.tokens[*at];
            let same = taken[*at].is_some_and(|pair| alignment.pairs[pair].relation == Relation::Same);
            !same && token.has_content() && token.number.is_none() && statement.roles[*at] != Role::Reason
        };
        (0..statement.tokens.len()).filter(is_open).take(12).collect()
    };
    let (ours, theirs) = (left(a, &alignment.of_a), left(b, &alignment.of_b));
    let solid = |statement: &Statement, open: &[usize]| {
        let is_solid = |at: &&usize| {
            let token = &statement.tokens[**at];
            statement.roles[**at] != Role::Action && !lexicon::is_verb(&token.stem) && token.weight >= 1.0
        };
        open.iter().filter(is_solid).count() as f64
    };
    let (one, other) = (solid(a, &ours), solid(b, &theirs));
    (features.solid_open, features.solid_open_max) = (one.min(other), one.max(other));
    let said = |statement: &Statement, open: &[usize]| {
        open.iter().map(|at| statement.tokens[*at].lower.as_str()).collect::<Vec<_>>().join(" ")
    };
    if !ours.is_empty() && !theirs.is_empty() {
        features.open_alike = f64::from(alike(&said(a, &ours), &said(b, &theirs)));
    }
    let governed = |statement: &Statement, at: usize| -> Option<String> {
        let before = (0..at).rev().take(4).find(|at| {
            let token = &statement.tokens[*at];
            token.is(Class::PREPOSITIONS) || token.is(Class::BE) || statement.roles[*at] == Role::Action
        })?;
        let token = &statement.tokens[before];
        Some(if token.is(Class::BE) { "be".to_owned() } else { token.stem.clone() })
    };
    let filled = |at: &&usize, statement: &Statement| statement.roles[**at] == Role::Value;
    for i in ours.iter().filter(|at| filled(at, a)) {
        for j in theirs.iter().filter(|at| filled(at, b)) {
            let same = matches!((governed(a, *i), governed(b, *j)), (Some(one), Some(other)) if one == other);
            features.slot_clash = features.slot_clash.max(flag(same));
        }
    }
}

/// Who does it and whom it is done to, the other way round.
fn swapped(a: &Statement, b: &Statement, alignment: &Alignment) -> f64 {
    let passive = |statement: &Statement| {
        let by = statement.tokens.iter().any(|token| token.lower == "by");
        flag(by)
    };
    if passive(a) != passive(b) {
        return 0.0;
    }
    let sure: Vec<&Pair> =
        alignment.pairs.iter().filter(|pair| pair.relation == Relation::Same && pair.strength >= 0.8).collect();
    let role = |pair: &Pair| (a.roles[pair.a], b.roles[pair.b]);
    let up = sure.iter().any(|pair| role(pair) == (Role::Topic, Role::Value));
    let down = sure.iter().any(|pair| role(pair) == (Role::Value, Role::Topic));
    flag(up && down)
}
