//! Quantities of both sides: which agree, which differ, and whether they are numbers of one thing.

use super::super::align::Alignment;
use super::super::clause::{Role, Statement};
use super::super::quantity::{self, Bound, Match};
use super::super::reading::Break;
use super::{Compared, Finding, flag};

pub(super) fn numbers(a: &Statement, b: &Statement, alignment: &Alignment, compared: &mut Compared) {
    let told = |statement: &Statement| -> Vec<usize> {
        (0..statement.quantities.len())
            .filter(|at| statement.roles[statement.quantities[*at].at] != Role::Reason)
            .collect()
    };
    let (mut ours, mut theirs) = (told(a), told(b));
    let features = &mut compared.features;
    // Those that agree are out of the way first, also with what is only explained on the other side.
    for wanted in [Match::Equal, Match::Differs] {
        ours.retain(|i| {
            let one = &a.quantities[*i];
            let all: Vec<usize> =
                if wanted == Match::Equal { (0..b.quantities.len()).collect() } else { theirs.clone() };
            let Some(j) = all.into_iter().find(|j| quantity::compare(one, &b.quantities[*j]) == wanted) else {
                return true;
            };
            let other = &b.quantities[j];
            compared.numbered |= wanted == Match::Differs && is_one_of_many(a, one) && is_one_of_many(b, other);
            let opposed =
                matches!((one.bound, other.bound), (Bound::AtLeast, Bound::AtMost) | (Bound::AtMost, Bound::AtLeast));
            match wanted {
                Match::Equal => {
                    features.number_same += 1.0;
                    features.bound_differs += flag(opposed);
                }
                _ if opposed => features.bound_differs += 1.0,
                _ if is_label(a, one) && is_label(b, other) => features.label_differs += 1.0,
                _ => {
                    let version = matches!(one.measure, quantity::Measure::Version(_));
                    features.version_differs += flag(version);
                    features.number_differs += 1.0;
                    let context = around(a, one.at, |at| alignment.strength_a(at))
                        .min(around(b, other.at, |at| alignment.strength_b(at)));
                    features.number_context = features.number_context.max(context);
                    compared.findings.push(Finding::Number(one.shown.clone(), other.shown.clone()));
                }
            }
            theirs.retain(|at| *at != j);
            false
        });
    }
    // What agrees with an explanation of ours is no open number of theirs.
    theirs.retain(|j| !a.quantities.iter().any(|one| quantity::compare(one, &b.quantities[*j]) == Match::Equal));
    features.number_apart = ours.len().min(theirs.len()) as f64;
    features.number_one_sided = ours.len().max(theirs.len()) as f64;
}

/// What is numbered so that it can be told from others of its kind.
const NUMBERED: &[&str] = &[
    "attempt",
    "bug",
    "case",
    "chapter",
    "day",
    "episode",
    "example",
    "exercise",
    "experiment",
    "issue",
    "item",
    "lesson",
    "milestone",
    "no",
    "note",
    "number",
    "page",
    "part",
    "phase",
    "question",
    "round",
    "run",
    "sample",
    "section",
    "shard",
    "sprint",
    "step",
    "story",
    "task",
    "test",
    "ticket",
    "topic",
    "week",
];

/// "ticket 12", "topic 3": two of these with other numbers speak of two things.
fn is_one_of_many(statement: &Statement, quantity: &quantity::Quantity) -> bool {
    let before = quantity.at.checked_sub(1).map(|before| statement.tokens[before].lower.as_str());
    let counted = matches!(quantity.measure, quantity::Measure::Count(_));
    counted && before.is_some_and(|word| NUMBERED.contains(&word))
}

/// "bus 1", "phase two": which one, not how many.
fn is_label(statement: &Statement, quantity: &quantity::Quantity) -> bool {
    let at = quantity.at;
    let named = at.checked_sub(1).is_some_and(|before| {
        let token = &statement.tokens[before];
        token.has_content() && token.number.is_none() && statement.roles[before] != Role::Action
    });
    let alone = statement
        .tokens
        .get(at + 1)
        .is_none_or(|next| !next.has_content() || next.gap > Break::None || statement.roles[at + 1] == Role::Action);
    let counted = matches!(quantity.measure, quantity::Measure::Count(_) | quantity::Measure::Version(_));
    let topic = matches!(statement.roles[at], Role::Topic | Role::Scope | Role::Condition);
    named && alone && counted && topic && statement.tokens[at].gap == Break::None
}

/// How much of what stands around a number the other side says too.
fn around(statement: &Statement, at: usize, strength: impl Fn(usize) -> f64) -> f64 {
    let segment = &statement.segments[statement.within[at]];
    let words = (segment.start..segment.end)
        .filter(|at| statement.tokens[*at].has_content() && statement.tokens[*at].number.is_none());
    let (mut all, mut met) = (0.0, 0.0);
    for at in words {
        all += statement.tokens[at].weight;
        met += statement.tokens[at].weight * strength(at);
    }
    if all > 0.0 { met / all } else { 0.5 }
}
