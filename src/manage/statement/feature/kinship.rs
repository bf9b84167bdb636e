//! What a dictionary says of the words left over on both sides, and how near they are where it says nothing.

use super::super::align::Alignment;
use super::super::clause::{Role, Statement};
use super::super::lexicon::Relation;
use super::super::thesaurus::{self, Kinship};
use super::{Features, flag};

/// As many words left over are looked up in pairs.
const MOST: usize = 12;

pub(super) fn kinship(a: &Statement, b: &Statement, alignment: &Alignment, features: &mut Features) {
    let left = |statement: &Statement, taken: &[Option<usize>]| -> Vec<usize> {
        let is_left = |at: &usize| {
            let token = &statement.tokens[*at];
            let sure = taken[*at].is_some_and(|pair| {
                alignment.pairs[pair].relation == Relation::Same && alignment.pairs[pair].strength >= 0.85
            });
            !sure && token.has_content() && token.number.is_none() && statement.roles[*at] != Role::Reason
        };
        (0..statement.tokens.len()).filter(is_left).take(MOST).collect()
    };
    let (ours, theirs) = (left(a, &alignment.of_a), left(b, &alignment.of_b));
    for i in &ours {
        for j in &theirs {
            let (one, other) = (&a.tokens[*i], &b.tokens[*j]);
            let value = a.roles[*i] == Role::Value && b.roles[*j] == Role::Value;
            let topic = a.roles[*i] == Role::Topic && b.roles[*j] == Role::Topic;
            let field = thesaurus::same_field(one.meanings, other.meanings);
            features.field_value +=
                flag(value && field && alignment.of_a[*i].is_none() && alignment.of_b[*j].is_none());
            match thesaurus::relate(one.meanings, other.meanings) {
                Some(Kinship::Synonym) => features.kin_synonym += 1.0,
                Some(Kinship::Opposite) => features.kin_opposite += 1.0,
                Some(Kinship::Indirect) => features.kin_indirect += 1.0,
                Some(Kinship::Broader) => features.kin_broader += 1.0,
                Some(Kinship::Sibling) => {
                    features.kin_sibling_value += flag(value);
                    features.kin_sibling_topic += flag(topic);
                    let paired = alignment.of_a[*i].is_some_and(|pair| alignment.pairs[pair].b == *j);
                    features.kin_sibling_like += flag(paired);
                }
                None => {}
            }
        }
    }
    let soft = |side: usize, value: bool| -> f64 {
        let (statement, near) = if side == 0 { (a, &alignment.near_a) } else { (b, &alignment.near_b) };
        let (mut all, mut met) = (0.0, 0.0);
        for (at, token) in statement.tokens.iter().enumerate() {
            let role = statement.roles[at];
            let counts = if value { role == Role::Value } else { role != Role::Reason };
            if token.has_content() && token.number.is_none() && counts {
                let sure = if side == 0 { alignment.strength_a(at) } else { alignment.strength_b(at) };
                all += token.weight;
                met += token.weight * sure.max(near[at].clamp(0.0, 1.0));
            }
        }
        if all > 0.0 { met / all } else { 0.5 }
    };
    let (one, other) = (soft(0, false), soft(1, false));
    (features.soft_min, features.soft_max) = (one.min(other), one.max(other));
    features.soft_value = soft(0, true).min(soft(1, true));
}
