//! What an alignment amounts to, in numbers with names: how much agrees, what conflicts and where, which cues differ.
//!
//! The names are the contract with the learnt table; adding one means learning again.

use super::align::{Alignment, Edge, Relation};
use super::grammar as g;
use super::reading::{Clause, Reading, Region, Sort, Stance, Token};
use super::wording::{parts, wording};

/// A named list of numbers, in a fixed order.
#[derive(Default)]
pub(in super::super) struct Features {
    pub(in super::super) names: Vec<&'static str>,
    pub(in super::super) values: Vec<f64>,
}

impl Features {
    pub(super) fn put(&mut self, name: &'static str, value: f64) {
        self.names.push(name);
        self.values.push(if value.is_finite() { value } else { 0.0 });
    }

    pub(super) fn flag(&mut self, name: &'static str, value: bool) {
        self.put(name, f64::from(u8::from(value)));
    }

    pub(super) fn get(&self, name: &str) -> f64 {
        self.names.iter().position(|known| *known == name).map_or(0.0, |at| self.values[at])
    }
}

/// Whether an edge says that both cannot hold, seen with the denials around its ends.
pub(super) fn conflicts(edge: &Edge, a: &Reading, b: &Reading) -> bool {
    let (ours, theirs) = (&a.tokens[edge.a], &b.tokens[edge.b]);
    match edge.relation {
        relation if relation.is_like() => ours.denied != theirs.denied,
        Relation::Opposite => ours.denied == theirs.denied,
        Relation::Alternative | Relation::Unlike | Relation::Instead | Relation::OtherNumber => {
            !ours.denied && !theirs.denied
        }
        _ => false,
    }
}

/// The pair tells two things of one kind apart instead of saying two things of one.
pub(super) fn tells_apart(edge: &Edge, a: &Reading, b: &Reading) -> bool {
    let (ours, theirs) = (&a.tokens[edge.a], &b.tokens[edge.b]);
    let known = matches!((ours.entry, theirs.entry), (Some(one), Some(other)) if one.tells_apart(other));
    let modifying = ours.modifies && theirs.modifies;
    let beside = |token: &Token| token.modifies || matches!(token.region, Region::Subject | Region::Scope);
    matches!(
        edge.relation,
        Relation::Opposite
            | Relation::Alternative
            | Relation::Unlike
            | Relation::Instead
            | Relation::Similar
            | Relation::OtherNumber
    ) && ((known && (beside(ours) && beside(theirs) || ours.topic && theirs.topic))
        || (matches!(edge.relation, Relation::Instead | Relation::Unlike) && ours.topic && theirs.topic)
        || (modifying && ours.region == Region::Subject && theirs.region == Region::Subject))
}

struct Side<'a> {
    reading: &'a Reading,
    partners: &'a [Option<usize>],
}

impl Side<'_> {
    fn share(&self, counts: impl Fn(&Token) -> bool, meets: impl Fn(usize) -> bool) -> f64 {
        let (mut all, mut met) = (0.0, 0.0);
        for (at, token) in self.reading.tokens.iter().enumerate().filter(|(_, token)| counts(token)) {
            all += token.weight;
            met += if meets(at) { token.weight } else { 0.0 };
        }
        if all > 0.0 { met / all } else { 1.0 }
    }

    fn open(&self, counts: impl Fn(&Token) -> bool) -> f64 {
        let tokens = self.reading.tokens.iter().zip(self.partners);
        tokens.filter(|(token, partner)| partner.is_none() && counts(token)).map(|(token, _)| token.weight).sum()
    }
}

fn lowest(one: f64, other: f64) -> f64 {
    one.min(other)
}

/// `cosine` is the likeness of the whole texts, `alike` that of any two.
pub(super) fn features(
    a: &Reading,
    b: &Reading,
    alignment: &Alignment,
    cosine: f64,
    alike: &dyn Fn(&str, &str) -> f32,
) -> Features {
    let mut all = Features::default();
    let side_a = Side { reading: a, partners: &alignment.partner_a };
    let side_b = Side { reading: b, partners: &alignment.partner_b };
    shares(&mut all, &side_a, &side_b, alignment, cosine);
    topics(&mut all, &side_a, &side_b, alignment);
    wording(&mut all, a, b);
    parts(&mut all, a, b, alike);
    edges(&mut all, a, b, alignment);
    denial(&mut all, a, b);
    cues(&mut all, a, b);
    order_and_roles(&mut all, a, b, alignment);
    together(&mut all);
    all
}

fn shares(all: &mut Features, a: &Side<'_>, b: &Side<'_>, alignment: &Alignment, cosine: f64) {
    let mut like_a = vec![false; a.partners.len()];
    let mut like_b = vec![false; b.partners.len()];
    let mut equal_a = vec![false; a.partners.len()];
    let mut equal_b = vec![false; b.partners.len()];
    for edge in &alignment.edges {
        like_a[edge.a] = edge.relation.is_like();
        like_b[edge.b] = edge.relation.is_like();
        equal_a[edge.a] =
            matches!(edge.relation, Relation::Equal | Relation::Synonym | Relation::Derived | Relation::SameNumber);
        equal_b[edge.b] = equal_a[edge.a];
    }
    let main = |token: &Token| token.kind != Clause::Aside;
    let shares: [(&'static str, &'static str, f64, f64); 4] = [
        ("like_min", "like_max", a.share(main, |at| like_a[at]), b.share(main, |at| like_b[at])),
        ("equal_min", "equal_max", a.share(main, |at| equal_a[at]), b.share(main, |at| equal_b[at])),
        (
            "met_min",
            "met_max",
            a.share(main, |at| a.partners[at].is_some()),
            b.share(main, |at| b.partners[at].is_some()),
        ),
        (
            "all_met_min",
            "all_met_max",
            a.share(|_| true, |at| a.partners[at].is_some()),
            b.share(|_| true, |at| b.partners[at].is_some()),
        ),
    ];
    for (low, high, ours, theirs) in shares {
        all.put(low, ours.min(theirs));
        all.put(high, ours.max(theirs));
    }
    all.put("later_tells_more", b.open(main) - a.open(main));
    all.put("cosine", cosine);
    all.flag("without_vectors", cosine == 0.0);
    all.put(
        "shared_weight",
        a.reading
            .tokens
            .iter()
            .zip(&equal_a)
            .filter(|(_, equal)| **equal)
            .map(|(token, _)| token.weight)
            .sum::<f64>()
            .min(6.0),
    );
    let rare = |token: &Token| token.weight >= 0.9;
    all.put(
        "shared_rare",
        a.reading.tokens.iter().zip(&equal_a).filter(|(token, equal)| **equal && rare(token)).count().min(6) as f64,
    );
    let scoped = |token: &Token| token.region == Region::Scope && main(token);
    all.put("scope_open_later", b.open(scoped).min(3.0));
    all.put("scope_open_earlier", a.open(scoped).min(3.0));
    let regions = [
        (Region::Subject, "subject_met_min", "subject_met_max", "subject_open_both"),
        (Region::Verb, "verb_met_min", "verb_met_max", "verb_open_both"),
        (Region::Object, "object_met_min", "object_met_max", "object_open_both"),
        (Region::Scope, "scope_met_min", "scope_met_max", "scope_open_both"),
    ];
    for (region, low, high, open) in regions {
        let here = |token: &Token| token.region == region && main(token);
        let (ours, theirs) = (a.share(here, |at| like_a[at]), b.share(here, |at| like_b[at]));
        all.put(low, ours.min(theirs));
        all.put(high, ours.max(theirs));
        all.put(open, lowest(a.open(here), b.open(here)).min(3.0));
    }
    // What the two speak about: whatever stands first in each.
    let begins = |side: &Side<'_>| {
        side.reading.tokens.iter().zip(side.partners).take(2).filter(|(_, partner)| partner.is_some()).count() as f64
    };
    all.put("beginning_met_min", lowest(begins(a), begins(b)));
    all.put("beginning_met_max", begins(a).max(begins(b)));
    let named = |token: &Token| matches!(token.sort, Sort::Name | Sort::Code);
    all.put("names_open_both", lowest(a.open(named), b.open(named)).min(4.0));
    all.put("names_open_later", b.open(named).min(4.0));
    all.put("names_open_earlier", a.open(named).min(4.0));
    all.put("words_open_both", lowest(a.open(main), b.open(main)).min(8.0));
    all.put("words_open_most", a.open(main).max(b.open(main)).min(15.0));
    let (ours, theirs) = (a.reading.weight(), b.reading.weight());
    all.put("shorter", ours.min(theirs).min(15.0));
    all.put("length_ratio", if ours.max(theirs) > 0.0 { ours.min(theirs) / ours.max(theirs) } else { 1.0 });
}

/// What the two speak about, and whether they tell it apart from one another.
fn topics(all: &mut Features, a: &Side<'_>, b: &Side<'_>, alignment: &Alignment) {
    let mut like_a = vec![false; a.partners.len()];
    let mut like_b = vec![false; b.partners.len()];
    for edge in alignment.edges.iter().filter(|edge| edge.relation.is_like()) {
        (like_a[edge.a], like_b[edge.b]) = (true, true);
    }
    let topic = |token: &Token| token.topic && token.kind == Clause::Main;
    let (ours, theirs) = (a.share(topic, |at| like_a[at]), b.share(topic, |at| like_b[at]));
    all.put("topic_met_min", ours.min(theirs));
    all.put("topic_met_max", ours.max(theirs));
    all.put("topic_met_earlier", ours);
    let rest = |token: &Token| !token.topic && token.kind != Clause::Aside;
    let (ours, theirs) = (a.share(rest, |at| like_a[at]), b.share(rest, |at| like_b[at]));
    all.put("comment_met_min", ours.min(theirs));
    all.put("comment_met_max", ours.max(theirs));
    all.put("topic_open_both", lowest(a.open(topic), b.open(topic)).min(3.0));
    let first = |token: &Token| topic(token) && token.clause == 0;
    all.put("first_topic_open_both", lowest(a.open(first), b.open(first)).min(3.0));
    let (mut apart, mut narrowed) = (0, 0);
    for edge in alignment.edges.iter().filter(|edge| edge.relation.is_like()) {
        let before = |side: &Side<'_>, at: usize| {
            at.checked_sub(1).filter(|before| {
                side.reading.tokens[*before].modifies
                    && side.reading.tokens[*before].clause == side.reading.tokens[at].clause
                    && side.reading.tokens[*before].region != Region::Verb
            })
        };
        match (before(a, edge.a), before(b, edge.b)) {
            (Some(one), Some(other)) if !like_a[one] && !like_b[other] => apart += 1,
            (Some(one), None) if !like_a[one] => narrowed += 1,
            (None, Some(other)) if !like_b[other] => narrowed += 1,
            _ => {}
        }
    }
    all.put("heads_apart", f64::from(apart.min(3)));
    all.put("heads_narrowed", f64::from(narrowed.min(3)));
    let soft = |side: &Side<'_>, soft: &[f64]| {
        let (mut total, mut met) = (0.0, 0.0);
        for (at, token) in side.reading.tokens.iter().enumerate().filter(|(_, token)| token.kind != Clause::Aside) {
            total += token.weight;
            met += token.weight * if side.partners[at].is_some() { 1.0 } else { soft[at].clamp(0.0, 1.0) };
        }
        if total > 0.0 { met / total } else { 0.0 }
    };
    let (ours, theirs) = (soft(a, &alignment.soft_a), soft(b, &alignment.soft_b));
    all.put("soft_min", ours.min(theirs));
    all.put("soft_max", ours.max(theirs));
}

fn edges(all: &mut Features, a: &Reading, b: &Reading, alignment: &Alignment) {
    let count = |counts: &dyn Fn(&Edge, &Token, &Token) -> bool| {
        alignment.edges.iter().filter(|edge| counts(edge, &a.tokens[edge.a], &b.tokens[edge.b])).count().min(3) as f64
    };
    let main = |ours: &Token, theirs: &Token| ours.kind != Clause::Aside && theirs.kind != Clause::Aside;
    let central = |token: &Token| matches!(token.region, Region::Verb | Region::Object);
    let of = |relation: Relation| move |edge: &Edge| edge.relation == relation;
    for (relation, central_name, beside_name, harmless) in [
        (Relation::Opposite, "opposite_central", "opposite_beside", "opposite_denied"),
        (Relation::Alternative, "alternative_central", "alternative_beside", "alternative_denied"),
        (Relation::Unlike, "unlike_central", "unlike_beside", "unlike_denied"),
        (Relation::Instead, "instead_central", "instead_beside", "instead_denied"),
    ] {
        let is = of(relation);
        let against = |edge: &Edge, ours: &Token, theirs: &Token| {
            is(edge) && conflicts(edge, a, b) && !tells_apart(edge, a, b) && main(ours, theirs)
        };
        all.put(
            central_name,
            count(&|edge, ours, theirs| against(edge, ours, theirs) && (central(ours) || central(theirs))),
        );
        all.put(
            beside_name,
            count(&|edge, ours, theirs| against(edge, ours, theirs) && !central(ours) && !central(theirs)),
        );
        all.put(harmless, count(&|edge, _, _| is(edge) && !conflicts(edge, a, b)));
    }
    all.put("told_apart", count(&|edge, _, _| tells_apart(edge, a, b)));
    all.put("told_apart_open", apart_open(a, b, alignment));
    all.put(
        "similar_central",
        count(&|edge, ours, theirs| edge.relation == Relation::Similar && (central(ours) || central(theirs))),
    );
    all.put("similar", count(&|edge, _, _| edge.relation == Relation::Similar));
    all.put("kin", count(&|edge, _, _| edge.relation == Relation::Kin));
    all.put("number_same", count(&|edge, _, _| edge.relation == Relation::SameNumber));
    all.put("number_other", count(&|edge, _, _| edge.relation == Relation::OtherNumber && conflicts(edge, a, b)));
    all.put("number_other_strong", count(&|edge, _, _| edge.relation == Relation::OtherNumber && edge.score > 0.78));
    all.put("number_room", count(&|edge, _, _| edge.relation == Relation::Room));
    let numbers =
        |reading: &Reading| reading.tokens.iter().filter(|token| token.sort == Sort::Number).count().min(4) as f64;
    all.put("numbers_min", numbers(a).min(numbers(b)));
    all.put("numbers_max", numbers(a).max(numbers(b)));
    let denied_against = |edge: &Edge| edge.relation.is_like() && conflicts(edge, a, b);
    for (region, name) in [
        (Region::Subject, "denied_subject"),
        (Region::Verb, "denied_verb"),
        (Region::Object, "denied_object"),
        (Region::Scope, "denied_scope"),
    ] {
        all.put(name, count(&|edge, ours, theirs| denied_against(edge) && ours.region == region && main(ours, theirs)));
    }
    let weight = |counts: &dyn Fn(&Edge) -> bool| -> f64 {
        alignment
            .edges
            .iter()
            .filter(|edge| counts(edge))
            .map(|edge| a.tokens[edge.a].weight.min(b.tokens[edge.b].weight))
            .sum()
    };
    let total = a.weight().min(b.weight()).max(0.5);
    all.put("denied_share", weight(&denied_against) / total);
    let comment = |reading: &Reading| -> f64 {
        reading
            .tokens
            .iter()
            .filter(|token| !token.topic && token.kind != Clause::Aside)
            .map(|token| token.weight)
            .sum()
    };
    let said = weight(&|edge| denied_against(edge) && (!a.tokens[edge.a].topic || !b.tokens[edge.b].topic));
    all.put("denied_comment", said / comment(a).min(comment(b)).max(0.9));
    all.put("denied_comment_most", said / comment(a).max(comment(b)).max(0.9));
    all.put(
        "both_denied_share",
        weight(&|edge| edge.relation.is_like() && a.tokens[edge.a].denied && b.tokens[edge.b].denied) / total,
    );
    all.put(
        "named_denied",
        count(&|edge, ours, _| denied_against(edge) && matches!(ours.sort, Sort::Name | Sort::Code)),
    );
    all.put("best_clause_denied", best_clause(a, b, alignment, true));
    all.put("best_clause_agreeing", best_clause(a, b, alignment, false));
}

/// The largest share of a pair of clauses that answer each other, of those where just one (or not just one) is denied.
fn best_clause(a: &Reading, b: &Reading, alignment: &Alignment, denied: bool) -> f64 {
    let clauses =
        |reading: &Reading| reading.tokens.iter().map(|token| token.clause).max().map_or(0, |last| last + 1).min(12);
    let mut best = 0.0f64;
    let (count_a, count_b) = (clauses(a), clauses(b));
    let mut met = vec![(0.0, 0.0); count_a * count_b];
    for edge in &alignment.edges {
        let (ours, theirs) = (&a.tokens[edge.a], &b.tokens[edge.b]);
        if ours.clause < count_a && theirs.clause < count_b {
            let cell = &mut met[ours.clause * count_b + theirs.clause];
            let weight = ours.weight.min(theirs.weight);
            let against = edge.relation.is_like() && conflicts(edge, a, b);
            if against { cell.0 += weight } else { cell.1 += weight }
        }
    }
    let total = |reading: &Reading, clause: usize| -> f64 {
        reading.tokens.iter().filter(|token| token.clause == clause).map(|token| token.weight).sum()
    };
    for clause_a in 0..count_a {
        for clause_b in 0..count_b {
            let (against, agreeing) = met[clause_a * count_b + clause_b];
            let share = if denied { against } else { agreeing };
            if share > 0.0 {
                best = best.max(share / total(a, clause_a).max(total(b, clause_b)).max(1.0));
            }
        }
    }
    best
}

/// Words that tell things apart, without a partner, of one set: `staging` here, `production` there.
fn apart_open(a: &Reading, b: &Reading, alignment: &Alignment) -> f64 {
    let open = |reading: &Reading, partners: &[Option<usize>]| -> Vec<&'static super::lexicon::Entry> {
        reading
            .tokens
            .iter()
            .zip(partners)
            .filter(|(_, partner)| partner.is_none())
            .filter_map(|(token, _)| token.entry.filter(|entry| entry.tells_something_apart()))
            .collect()
    };
    let (ours, theirs) = (open(a, &alignment.partner_a), open(b, &alignment.partner_b));
    ours.iter().filter(|one| theirs.iter().any(|other| one.tells_apart(other))).count().min(3) as f64
}

fn denial(all: &mut Features, a: &Reading, b: &Reading) {
    all.flag("denials_odd", (a.denials + b.denials) % 2 == 1);
    all.flag("main_denials_odd", (a.main_denials + b.main_denials) % 2 == 1);
    all.flag("only_earlier_denies", a.denials > 0 && b.denials == 0);
    all.flag("only_later_denies", b.denials > 0 && a.denials == 0);
    all.flag("both_deny", a.denials > 0 && b.denials > 0);
    let either =
        |one: Stance, other: Stance| (a.stance, b.stance) == (one, other) || (b.stance, a.stance) == (one, other);
    all.flag(
        "forbids_against_allows",
        either(Stance::Forbids, Stance::Permits) || either(Stance::Forbids, Stance::Demands),
    );
    all.flag("demands_against_frees", either(Stance::Demands, Stance::Frees));
    all.flag("demands_against_permits", either(Stance::Demands, Stance::Permits));
    all.flag("stance_same", a.stance == b.stance && a.stance != Stance::States);
    all.flag("stance_forbids_one", (a.stance == Stance::Forbids) != (b.stance == Stance::Forbids));
    all.flag("stance_states_both", a.stance == Stance::States && b.stance == Stance::States);
}

fn cues(all: &mut Features, a: &Reading, b: &Reading) {
    let either = |one: &[&str], other: &[&str]| (a.has(one) && b.has(other)) || (a.has(other) && b.has(one));
    all.flag("all_against_some", either(g::UNIVERSAL, g::SOME));
    all.flag("all_against_only", either(g::UNIVERSAL, g::ONLY));
    all.flag("only_against_many", either(g::ONLY, g::MANY));
    all.flag("none_against_some", either(g::NOTHING, g::SOME));
    all.flag("only_both", a.has(g::ONLY) && b.has(g::ONLY));
    all.flag("only_earlier", a.has(g::ONLY) && !b.has(g::ONLY));
    all.flag("only_later", b.has(g::ONLY) && !a.has(g::ONLY));
    all.flag("all_earlier", a.has(g::UNIVERSAL) && !b.has(g::UNIVERSAL));
    all.flag("all_both", a.has(g::UNIVERSAL) && b.has(g::UNIVERSAL));
    all.flag("only_and_denial", (a.has(g::ONLY) && b.denials > 0) || (b.has(g::ONLY) && a.denials > 0));
    all.flag("only_and_exception", either(g::ONLY, g::EXCEPTION));
    all.flag("exception_later", b.has(g::EXCEPTION) && !a.has(g::EXCEPTION));
    all.flag("exception_earlier", a.has(g::EXCEPTION) && !b.has(g::EXCEPTION));
    all.flag("exception_both", a.has(g::EXCEPTION) && b.has(g::EXCEPTION));
    all.flag("replacing_later", b.has(g::REPLACING));
    all.flag("replacing_earlier", a.has(g::REPLACING));
    let conditional = |reading: &Reading| reading.tokens.iter().any(|token| token.kind == Clause::Condition);
    all.flag("condition_later", conditional(b) && !conditional(a));
    all.flag("condition_earlier", conditional(a) && !conditional(b));
    all.flag("past_one", a.has(g::PAST) != b.has(g::PAST));
    all.flag("planned_one", a.has(g::PLANNED) != b.has(g::PLANNED));
    all.flag("trouble_then_cure", a.has(g::TROUBLE) && b.has(g::CURE));
    all.flag("ownership_both", a.has(g::OWNERSHIP) && b.has(g::OWNERSHIP));
    all.flag("trouble_both", a.has(g::TROUBLE) && b.has(g::TROUBLE));
}

fn order_and_roles(all: &mut Features, a: &Reading, b: &Reading, alignment: &Alignment) {
    let (mut turned, mut kept) = (0.0, 0.0);
    let (mut swapped, mut unswapped) = (0.0, 0.0);
    let mut crossing = 0;
    for edge in alignment.edges.iter().filter(|edge| edge.relation.is_like()) {
        let (ours, theirs) = (&a.tokens[edge.a], &b.tokens[edge.b]);
        let weight = ours.weight.min(theirs.weight);
        match ours.order * theirs.order {
            -1 => turned += weight,
            1 => kept += weight,
            _ => {}
        }
        match (ours.region, theirs.region) {
            (Region::Subject, Region::Object) | (Region::Object, Region::Subject) => swapped += weight,
            (one, other) if one == other && matches!(one, Region::Subject | Region::Object) => unswapped += weight,
            _ => {}
        }
    }
    for (at, edge) in alignment.edges.iter().enumerate().take(30) {
        crossing += alignment.edges[at + 1..].iter().take(30).filter(|later| later.b < edge.b).count();
    }
    all.flag("ordered_both", a.ordered && b.ordered);
    all.put("order_turned", (turned - kept).clamp(-3.0, 3.0));
    all.put("order_turned_share", if turned + kept > 0.0 { turned / (turned + kept) } else { 0.0 });
    all.put("roles_swapped", swapped.min(4.0));
    all.put("roles_swapped_share", if swapped + unswapped > 0.0 { swapped / (swapped + unswapped) } else { 0.0 });
    let pairs = alignment.edges.len().min(30);
    all.put("crossing", if pairs > 1 { crossing as f64 / (pairs * (pairs - 1) / 2) as f64 } else { 0.0 });
    let preposition = |edge: &&Edge| {
        let (ours, theirs) = (a.tokens[edge.a].preposition, b.tokens[edge.b].preposition);
        edge.relation.is_like()
            && matches!(
                (ours, theirs),
                ("to", "from") | ("from", "to") | ("over", "to") | ("inside", "outside") | ("outside", "inside")
            )
    };
    all.put("direction_turned", alignment.edges.iter().filter(preposition).count().min(3) as f64);
}

/// A few products a linear reader would miss.
fn together(all: &mut Features) {
    let met = all.get("met_min");
    let hard = all.get("opposite_central")
        + all.get("alternative_central")
        + all.get("number_other")
        + all.get("unlike_central")
        + all.get("instead_central");
    let told_apart = all.get("told_apart") + all.get("told_apart_open");
    all.put("conflicts", hard.min(4.0));
    all.put("conflict_and_met", hard.min(2.0) * met);
    all.put("conflict_and_apart", hard.min(2.0) * told_apart.min(1.0));
    all.put("conflict_and_open_subject", hard.min(2.0) * all.get("subject_open_both").min(1.0));
    all.put("conflict_and_open_topic", hard.min(2.0) * (all.get("topic_open_both") + all.get("heads_apart")).min(1.0));
    all.put(
        "denied_and_open_topic",
        all.get("denied_share").min(1.0) * (all.get("topic_open_both") + all.get("heads_apart")).min(1.0),
    );
    all.put("instead_and_run", all.get("instead_central") * all.get("run_share"));
    all.put("swapped_and_bag", all.get("roles_swapped_share") * all.get("bag_share"));
    all.put("denied_and_met", all.get("denied_share").min(1.0) * all.get("like_min"));
    all.put("odd_and_met", all.get("main_denials_odd") * all.get("like_min"));
    all.put("denied_comment_and_topic", all.get("denied_comment").min(1.0) * all.get("topic_met_min"));
    all.put("denied_and_open_subject", all.get("denied_share").min(1.0) * all.get("subject_open_both").min(1.0));
    all.put("turned_and_met", all.get("order_turned").max(0.0) * met);
    all.put("stance_and_met", (all.get("forbids_against_allows") + all.get("demands_against_frees")) * met);
    all.put("replacing_and_named_denied", all.get("replacing_later") * all.get("named_denied"));
    all.put("replacing_and_met", all.get("replacing_later") * met);
    all.put("cosine_and_met", all.get("cosine") * met);
}
