//! What one side denies, forbids or leaves free, and what of that the other side says.

use super::super::align::Alignment;
use super::super::clause::{Part, Role, Stance, Statement};
use super::super::lexicon::{Class, Relation};
use super::{Compared, Finding, flag};

/// The segments whose opposites are settled by a denial: "not automatic" and "by hand".
fn settled(a: &Statement, b: &Statement, alignment: &Alignment) -> (Vec<bool>, Vec<bool>) {
    let mut segments = (vec![false; a.segments.len()], vec![false; b.segments.len()]);
    for pair in alignment.pairs.iter().filter(|pair| pair.relation == Relation::Opposite) {
        if a.is_denied(pair.a) != b.is_denied(pair.b) {
            segments.0[a.within[pair.a]] = true;
            segments.1[b.within[pair.b]] = true;
        }
    }
    segments
}

pub(super) fn stances(a: &Statement, b: &Statement, alignment: &Alignment, compared: &mut Compared) {
    let settled = settled(a, b, alignment);
    let mut overlap = vec![vec![0.0; b.segments.len()]; a.segments.len()];
    let (mut total, mut against, mut free, mut loose, mut denied) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for pair in alignment.pairs.iter().filter(|pair| pair.relation == Relation::Same) {
        let (i, j) = (a.within[pair.a], b.within[pair.b]);
        if a.segments[i].part == Part::Reason || b.segments[j].part == Part::Reason {
            continue;
        }
        let weight = pair.strength * a.tokens[pair.a].weight.min(b.tokens[pair.b].weight);
        total += weight;
        if settled.0[i] && settled.1[j] {
            continue;
        }
        overlap[i][j] += weight;
        denied += if a.is_denied(pair.a) != b.is_denied(pair.b) { weight } else { 0.0 };
        match (a.segments[i].stance, b.segments[j].stance) {
            (one, other) if one == other => {}
            (Stance::Not, Stance::NeedNot) | (Stance::NeedNot, Stance::Not) => loose += weight,
            (Stance::Not, _) | (_, Stance::Not) => against += weight,
            (Stance::NeedNot, Stance::Must) | (Stance::Must, Stance::NeedNot) => free += weight,
            (Stance::NeedNot, _) | (_, Stance::NeedNot) => free += weight * 0.5,
            (Stance::Must, Stance::May) | (Stance::May, Stance::Must) => loose += weight,
            _ => {}
        }
    }
    let features = &mut compared.features;
    if total > 0.0 {
        features.against = against / total;
        features.free = free / total;
        features.loose = loose / total;
        features.denied_share = denied / total;
    }
    // The segment that shares most, alone.
    let mut best = (0.0, 0, 0);
    for (i, row) in overlap.iter().enumerate() {
        for (j, weight) in row.iter().enumerate() {
            if *weight > best.0 {
                best = (*weight, i, j);
            }
        }
    }
    if best.0 > 0.0 {
        let (one, other) = (&a.segments[best.1], &b.segments[best.2]);
        let denied = [one, other].map(|segment| segment.stance == Stance::Not);
        features.denied_best = flag(denied[0] != denied[1]);
        if denied[0] != denied[1] {
            let (statement, segment) = if denied[0] { (a, one) } else { (b, other) };
            let words = statement.tokens[segment.start..segment.end].iter().map(|token| token.raw.as_str());
            compared.findings.push(Finding::Denied(words.take(12).collect::<Vec<_>>().join(" ")));
        }
    }
    for (side, statement) in [a, b].into_iter().enumerate() {
        for (number, segment) in statement.segments.iter().enumerate() {
            if if side == 0 { settled.0[number] } else { settled.1[number] } {
                continue;
            }
            if segment.part == Part::Reason || !(segment.start..segment.end).any(|at| statement.is_denied(at)) {
                continue;
            }
            let (mut all, mut met, mut agreed, mut words) = (0.0, 0.0, 0.0, 0.0);
            let (mut predicate, mut predicate_met) = (0.0, 0.0);
            for at in (segment.start..segment.end).filter(|at| statement.is_denied(*at)) {
                let token = &statement.tokens[at];
                if !token.has_content() || token.is(Class::FORBIDS) {
                    continue;
                }
                all += token.weight;
                let said = matches!(statement.roles[at], Role::Action | Role::Value);
                predicate += if said { token.weight } else { 0.0 };
                let taken = if side == 0 { alignment.of_a[at] } else { alignment.of_b[at] };
                let Some(pair) =
                    taken.map(|pair| &alignment.pairs[pair]).filter(|pair| pair.relation == Relation::Same)
                else {
                    continue;
                };
                let there = if side == 0 { b.is_denied(pair.b) } else { a.is_denied(pair.a) };
                if there {
                    agreed += token.weight * pair.strength;
                } else {
                    met += token.weight * pair.strength;
                    predicate_met += if said { token.weight * pair.strength } else { 0.0 };
                    words += 1.0;
                }
            }
            if all > 0.0 {
                features.denied_cover = features.denied_cover.max(met / all);
                features.denied_agreed = features.denied_agreed.max(agreed / all);
                features.denied_words = features.denied_words.max(words);
                let of_predicate = if predicate > 0.0 { predicate_met / predicate } else { met / all };
                features.denied_predicate = features.denied_predicate.max(of_predicate * flag(met > 0.0));
            }
        }
    }
    let count = |statement: &Statement| {
        statement.segments.iter().filter(|segment| segment.part != Part::Reason).map(|s| s.denials).sum::<usize>()
    };
    let (ours, theirs) = (count(a), count(b));
    compared.features.denials_differ = flag(ours % 2 != theirs % 2);
    compared.features.denials_both = flag(ours > 0 && theirs > 0);
}
