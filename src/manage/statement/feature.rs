//! Two statements side by side as numbers a person can read: how much they share, and where they part.

mod kinship;
mod numbers;
mod places;
mod stances;

use self::kinship::kinship;
use self::numbers::numbers;
use self::places::{bonds, open, slots};
use self::stances::stances;
use super::align::{Alignment, Pair};
use super::clause::{Part, Role, Statement};
use super::lexicon::{self, Class, Relation, Table};
use super::order::Order;
use super::reading::{Break, Kind, Token};

macro_rules! features {
    ($($name:ident,)*) => {
        #[derive(Clone, Debug, Default)]
        pub(super) struct Features { $(pub(super) $name: f64,)* }
        pub(super) const NAMES: &[&str] = &[$(stringify!($name)),*];
        impl Features {
            pub(super) fn row(&self) -> [f64; NAMES.len()] { [$(self.$name),*] }
        }
    };
}

features! {
    cover_min, cover_max, whole_min, whole_max, alike, topic_min, topic_max, value_min, value_max, action_min,
    scope_min, scope_one, head, action_same, role_agreement, strong, code_shared, light_share,
    opposite_said, opposite_named, opposite_settled, rival_said, rival_named, rival_scope, elsewhere_said,
    elsewhere_named, elsewhere_scope, number_same, number_differs, number_apart, number_one_sided, number_context,
    version_differs, bound_differs,
    against, free, loose, denied_share, denied_best, denials_differ, denials_both,
    order_swapped, order_kept, all_some, all_none, only_one, also_one, some_one, all_both,
    exception_one, exception_any, past_one, past_both, change_one, change_any, cause_any, cause_both,
    value_open, code_open, name_open, topic_open, topic_open_max, open_min, open_max, modifier_topic, modifier_value,
    swapped_roles, condition_one, condition_open, length_min, length_max, length_ratio, identical,
    same_shape, code_differs, clash, apart, slot_clash, denied_cover, denied_agreed, denied_words, all_only, open_alike,
    solid_open, solid_open_max, exchanged, bonds, own_shared, label_differs, denied_predicate, past_told_one,
    past_told_both, topic_apart, action_differs, restricts_one, restricts_both,
    kin_synonym, kin_opposite, kin_indirect, kin_broader, kin_sibling_value, kin_sibling_topic, kin_sibling_like,
    field_value, soft_min, soft_max, soft_value, word_for_word,
}

/// What was found, to say why.
#[derive(Clone, Debug)]
pub(super) enum Finding {
    Opposite(String, String),
    Rival(&'static str, String, String),
    Number(String, String),
    Denied(String),
    Order,
    Scope(String, String),
    Quantifier,
}

pub(super) struct Compared {
    pub(super) features: Features,
    /// Each speaks of another one of many that are numbered.
    pub(super) numbered: bool,
    pub(super) findings: Vec<Finding>,
}

/// Longer ones may differ where nothing is read any more.
const MOST_WORD_FOR_WORD: usize = 100;

type Alike<'a> = &'a dyn Fn(&str, &str) -> f32;

pub(super) fn compare(a: &Statement, b: &Statement, alignment: &Alignment, whole: f64, alike: Alike<'_>) -> Compared {
    let features = Features { alike: whole, ..Features::default() };
    let mut compared = Compared { features, numbered: false, findings: Vec::new() };
    coverage(a, b, alignment, &mut compared.features);
    differences(a, b, alignment, &mut compared);
    numbers(a, b, alignment, &mut compared);
    stances(a, b, alignment, &mut compared);
    orders(a, b, alignment, &mut compared);
    marks(a, b, &mut compared);
    open(a, b, alignment, &mut compared.features);
    slots(a, b, alignment, &mut compared.features, alike);
    bonds(a, b, alignment, &mut compared.features);
    kinship(a, b, alignment, &mut compared.features);
    let features = &mut compared.features;
    let denied = flag(features.denied_cover > 0.5 && features.denied_predicate > 0.5);
    features.clash = features.opposite_said
        + features.rival_said
        + features.number_differs
        + features.order_swapped
        + features.exchanged
        + denied;
    features.apart = features.opposite_named
        + features.rival_scope
        + features.elsewhere_said
        + features.elsewhere_named
        + features.elsewhere_scope
        + features.label_differs
        + features.modifier_topic;
    features.topic_apart = features.topic_open.min(2.0) + features.apart;
    compared
}

struct Side<'a> {
    statement: &'a Statement,
    strength: Box<dyn Fn(usize) -> f64 + 'a>,
}

fn sides<'a>(a: &'a Statement, b: &'a Statement, alignment: &'a Alignment) -> [Side<'a>; 2] {
    [
        Side { statement: a, strength: Box::new(|at| alignment.strength_a(at)) },
        Side { statement: b, strength: Box::new(|at| alignment.strength_b(at)) },
    ]
}

impl Side<'_> {
    /// The share of the words for which this holds that the other side says too; `None` if there are none.
    fn covered(&self, holds: impl Fn(&Token, Role) -> bool) -> Option<f64> {
        let (mut all, mut met) = (0.0, 0.0);
        for (at, token) in self.statement.tokens.iter().enumerate() {
            if token.number.is_none() && token.has_content() && holds(token, self.statement.roles[at]) {
                all += token.weight;
                met += token.weight * (self.strength)(at);
            }
        }
        (all > 0.0).then(|| met / all)
    }
}

fn coverage(a: &Statement, b: &Statement, alignment: &Alignment, features: &mut Features) {
    let sides = sides(a, b, alignment);
    let both = |holds: &dyn Fn(&Token, Role) -> bool, missing: f64| {
        let [one, other] = [&sides[0], &sides[1]].map(|side| side.covered(holds).unwrap_or(missing));
        (one.min(other), one.max(other))
    };
    (features.cover_min, features.cover_max) = both(&|_, role| role != Role::Reason, 0.0);
    (features.whole_min, features.whole_max) = both(&|_, _| true, 0.0);
    (features.topic_min, features.topic_max) = both(&|_, role| role == Role::Topic, 0.5);
    (features.value_min, features.value_max) = both(&|_, role| role == Role::Value, 0.5);
    features.action_min = both(&|_, role| role == Role::Action, 0.5).0;
    let scoped = |_: &Token, role: Role| matches!(role, Role::Scope | Role::Condition);
    let scopes = [&sides[0], &sides[1]].map(|side| side.covered(scoped));
    features.scope_min = scopes.iter().flatten().copied().fold(1.0, f64::min);
    features.scope_one = flag(scopes[0].is_some() != scopes[1].is_some());
    let (mut matched, mut light, mut role_equal) = (0.0, 0.0, 0.0);
    for pair in alignment.pairs.iter().filter(|pair| pair.relation == Relation::Same) {
        let (one, other) = (&a.tokens[pair.a], &b.tokens[pair.b]);
        let weight = one.weight.min(other.weight) * pair.strength;
        matched += weight;
        light += if one.weight < 1.0 { weight } else { 0.0 };
        role_equal += if a.roles[pair.a] == b.roles[pair.b] { weight } else { 0.0 };
        features.strong += flag(one.weight >= 1.0 && pair.strength >= 0.8);
        features.code_shared += flag(one.kind == Kind::Code && pair.strength >= 0.99);
        features.action_same += flag(a.roles[pair.a] == Role::Action && b.roles[pair.b] == Role::Action);
    }
    let acts = |statement: &Statement| {
        (0..statement.tokens.len()).any(|at| statement.roles[at] == Role::Action && statement.tokens[at].has_content())
    };
    let met = |pair: &&Pair| {
        pair.relation == Relation::Same && (a.roles[pair.a] == Role::Action || b.roles[pair.b] == Role::Action)
    };
    features.action_differs = flag(acts(a) && acts(b) && !alignment.pairs.iter().any(|pair| met(&pair)));
    features.role_agreement = if matched > 0.0 { role_equal / matched } else { 0.0 };
    features.light_share = if matched > 0.0 { light / matched } else { 1.0 };
    features.head = flag(matches!((head(a), head(b)), (Some(one), Some(other)) if paired(alignment, one, other)));
    let [one, other] = [a, b].map(|statement| content(statement) as f64);
    features.length_min = one.min(other).ln_1p();
    features.length_max = one.max(other).ln_1p();
    features.length_ratio = if one.max(other) > 0.0 { one.min(other) / one.max(other) } else { 0.0 };
    let words = |statement: &Statement| {
        let mut stems: Vec<String> =
            statement.tokens.iter().filter(|t| t.has_content()).map(|token| token.stem.clone()).collect();
        stems.sort();
        stems
    };
    features.identical = flag(words(a) == words(b));
    let told = |statement: &Statement| -> Vec<String> {
        let bare = |token: &&Token| !["a", "an", "the", "please"].contains(&token.lower.as_str());
        statement.tokens.iter().filter(bare).map(|token| token.lower.clone()).collect()
    };
    let short = (1..MOST_WORD_FOR_WORD).contains(&a.tokens.len());
    features.word_for_word = flag(short && told(a) == told(b));
}

fn content(statement: &Statement) -> usize {
    statement.tokens.iter().filter(|token| token.has_content()).count()
}

/// The last word of the first topic: what the sentence is about.
fn head(statement: &Statement) -> Option<usize> {
    let first = statement.segments.iter().find(|segment| segment.part == Part::Main)?;
    let topic = |at: &usize| statement.roles[*at] == Role::Topic && statement.tokens[*at].has_content();
    let begin = (first.start..first.end).find(topic)?;
    let mut at = begin;
    while at + 1 < first.end && topic(&(at + 1)) && statement.tokens[at + 1].gap == Break::None {
        at += 1;
    }
    Some(at)
}

fn paired(alignment: &Alignment, a: usize, b: usize) -> bool {
    let pair = alignment.of_a[a].and_then(|pair| alignment.pairs.get(pair));
    pair.is_some_and(|pair| pair.b == b && pair.relation == Relation::Same)
}

fn flag(is: bool) -> f64 {
    f64::from(u8::from(is))
}

/// Is the pair a modifier of one and the same noun on both sides: access tokens, refresh tokens?
fn names(a: &Statement, b: &Statement, alignment: &Alignment, pair: &Pair) -> bool {
    let next = |statement: &Statement, at: usize| {
        statement.tokens.get(at + 1).filter(|next| next.gap == Break::None && next.has_content()).map(|_| at + 1)
    };
    let follows =
        matches!((next(a, pair.a), next(b, pair.b)), (Some(one), Some(other)) if paired(alignment, one, other));
    let topics = a.roles[pair.a] == Role::Topic && b.roles[pair.b] == Role::Topic;
    follows || topics
}

fn differences(a: &Statement, b: &Statement, alignment: &Alignment, compared: &mut Compared) {
    let features = &mut compared.features;
    for pair in alignment.pairs.iter().filter(|pair| pair.relation != Relation::Same) {
        let (one, other) = (&a.tokens[pair.a], &b.tokens[pair.b]);
        let roles = [a.roles[pair.a], b.roles[pair.b]];
        if roles.contains(&Role::Reason) {
            continue;
        }
        let scope = roles.iter().all(|role| matches!(role, Role::Scope | Role::Condition));
        let named = names(a, b, alignment, pair);
        let denied = [a.is_denied(pair.a), b.is_denied(pair.b)];
        let scoped = lexicon::differ_in(Table::Scopes, one.senses, other.senses);
        let elsewhere = scoped && (named || roles.iter().any(|role| matches!(role, Role::Scope | Role::Condition)));
        let words = (one.raw.clone(), other.raw.clone());
        let relation = if elsewhere { Relation::Elsewhere } else { pair.relation };
        match relation {
            Relation::Opposite if denied[0] != denied[1] => features.opposite_settled += 1.0,
            Relation::Opposite if named || scope => {
                features.opposite_named += 1.0;
                compared.findings.push(Finding::Scope(words.0, words.1));
            }
            Relation::Opposite => {
                features.opposite_said += 1.0;
                compared.findings.push(Finding::Opposite(words.0, words.1));
            }
            Relation::Rival if denied[0] != denied[1] => features.opposite_settled += 1.0,
            Relation::Rival if scope => {
                features.rival_scope += 1.0;
                compared.findings.push(Finding::Scope(words.0, words.1));
            }
            Relation::Rival if named => {
                features.rival_named += 1.0;
                compared.findings.push(Finding::Rival(pair.kind, words.0, words.1));
            }
            Relation::Rival => {
                features.rival_said += 1.0;
                compared.findings.push(Finding::Rival(pair.kind, words.0, words.1));
            }
            Relation::Elsewhere | Relation::None | Relation::Same => {
                match (scope, named) {
                    (true, _) => features.elsewhere_scope += 1.0,
                    (false, true) => features.elsewhere_named += 1.0,
                    (false, false) => features.elsewhere_said += 1.0,
                }
                compared.findings.push(Finding::Scope(words.0, words.1));
            }
        }
    }
}

/// Does its first verb tell of something that happened?
fn tells_the_past(statement: &Statement) -> bool {
    let told = |at: usize| {
        let token = &statement.tokens[at];
        let before = at.checked_sub(1).map(|before| &statement.tokens[before]);
        let helped = before
            .is_some_and(|before| before.is(Class::BE) || before.is(Class::AUXILIARIES) || before.is(Class::NEGATIONS));
        let ends = token.lower.ends_with("ed") && lexicon::is_verb(&token.stem) && statement.roles[at] == Role::Action;
        ["was", "were", "did", "took", "came", "went", "had", "ran", "broke", "fell", "left", "led"]
            .contains(&token.lower.as_str())
            || ends && !helped
    };
    (0..statement.tokens.len())
        .any(|at| statement.roles[at] != Role::Reason && statement.roles[at] != Role::Condition && told(at))
}
fn orders(a: &Statement, b: &Statement, alignment: &Alignment, compared: &mut Compared) {
    let shared = |one: (usize, usize), other: (usize, usize)| -> f64 {
        let within = |pair: &&Pair| {
            pair.relation == Relation::Same && (one.0..one.1).contains(&pair.a) && (other.0..other.1).contains(&pair.b)
        };
        alignment.pairs.iter().filter(within).map(|pair| pair.strength * a.tokens[pair.a].weight).sum()
    };
    let (mut swapped, mut kept) = (0.0_f64, 0.0_f64);
    for one in &a.orders {
        for other in &b.orders {
            let Order { earlier, later } = other;
            let same = shared(one.earlier, *earlier).min(shared(one.later, *later));
            let cross = shared(one.earlier, *later).min(shared(one.later, *earlier));
            swapped = swapped.max(cross - same);
            kept = kept.max(same - cross);
        }
    }
    compared.features.order_swapped = flag(swapped > 0.3 && swapped > kept);
    compared.features.order_kept = flag(kept > 0.3 && kept >= swapped);
    if swapped > 0.3 && swapped > kept {
        compared.findings.push(Finding::Order);
    }
}

fn marks(a: &Statement, b: &Statement, compared: &mut Compared) {
    let features = &mut compared.features;
    let told = |class| [a, b].map(|statement| statement.says(class));
    let one = |class| {
        let [a, b] = told(class);
        flag(a != b)
    };
    let any = |class| flag(told(class).contains(&true));
    let both = |class| flag(!told(class).contains(&false));
    let cross = |one, other| {
        let (one, other) = (told(one), told(other));
        flag((one[0] && other[1] && !other[0]) || (one[1] && other[0] && !other[1]))
    };
    features.all_some = cross(Class::ALL, Class::SOME);
    features.own_shared = cross(Class::OWN, Class::SHARED);
    let restricts = [a, b].map(|statement| {
        statement.says(Class::ONLY)
            || statement.says(Class::EXCEPTIONS) && (statement.says(Class::NEGATIONS) || statement.says(Class::FORBIDS))
    });
    features.restricts_one = flag(restricts[0] != restricts[1]);
    features.restricts_both = flag(restricts[0] && restricts[1]);
    let past = [a, b].map(tells_the_past);
    features.past_told_one = flag(past[0] != past[1]);
    features.past_told_both = flag(past[0] && past[1]);
    features.all_only = cross(Class::ALL, Class::ONLY);
    features.all_none = cross(Class::ALL, Class::NONE);
    features.only_one = one(Class::ONLY);
    features.also_one = one(Class::ALSO);
    features.some_one = one(Class::SOME);
    features.all_both = both(Class::ALL);
    features.exception_one = one(Class::EXCEPTIONS);
    features.exception_any = any(Class::EXCEPTIONS);
    features.past_one = one(Class::PAST);
    features.past_both = both(Class::PAST);
    features.change_one = one(Class::CHANGES);
    features.change_any = any(Class::CHANGES);
    features.cause_any = any(Class::CAUSES);
    features.cause_both = both(Class::CAUSES);
    let conditional = |statement: &Statement| statement.roles.contains(&Role::Condition);
    features.condition_one = flag(conditional(a) != conditional(b));
    if features.all_some > 0.0 || features.all_none > 0.0 {
        compared.findings.push(Finding::Quantifier);
    }
}
