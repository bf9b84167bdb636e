//! Tests of merging: what becomes one, what never does, and what the one takes over.

mod random;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::fake::{DAY, Neighbours, World, id, memory};
use super::*;
use crate::words::are_the_same;
use lokid_model::{Body, Fact, Outcome, Pattern, Scope, Status, Usage, Verdict, render};

fn strict(pairs: &[(&str, &str)]) -> Vec<bool> {
    pairs.iter().map(|(a, b)| are_the_same(a, b)).collect()
}

/// Whatever is near is the same: only what stands around the words is left to tell them apart.
fn gullible(pairs: &[(&str, &str)]) -> Vec<bool> {
    vec![true; pairs.len()]
}

fn strictly(scene: &Scene<'_>) -> Vec<Proposal> {
    plan(scene, &strict)
}

fn credulously(scene: &Scene<'_>) -> Vec<Proposal> {
    plan_within(scene, &gullible, &Limits { fact: 0.5, learnt: 0.5, other: 0.5, ..Limits::default() })
}

fn note(name: &str, text: &str) -> Memory {
    memory(name, Kind::Note, text)
}

fn fact(name: &str, key: &str, value: &str, scope: &str) -> Memory {
    let body = Body::Fact(Fact { key: key.into(), value: value.into(), scope: scope.into() }.into());
    Memory { text: render::text_of(&body), body, ..memory(name, Kind::Fact, "") }
}

fn after(memories: impl IntoIterator<Item = Memory>) -> World {
    let mut world = World::of(memories);
    world.night(&strictly);
    world
}

const TEXT: &str = "Run the integration tests before pushing to the main branch";

#[test]
fn the_same_words_become_one_and_the_other_is_ended_but_not_lost() {
    let mut late = note("b", TEXT);
    late.times.created_at = Timestamp::from_micros(200 * DAY);
    let world = after([note("a", TEXT), late]);
    assert_eq!(world.holding(), ["a"]);
    let gone = world.get("b");
    assert_eq!((gone.times.expired_at, gone.times.invalid_at), (Some(world.now), None));
    assert_eq!(gone.text, TEXT);
    assert_eq!(world.ties(), BTreeSet::from(["a supersedes b".to_owned(), "b superseded_by a".to_owned()]));
}

#[test]
fn what_stays_is_the_persons_then_the_more_binding_the_more_used_the_older() {
    let check = |change: &dyn Fn(&mut Memory)| {
        let mut better = note("b", TEXT);
        change(&mut better);
        assert_eq!(after([note("a", TEXT), better]).holding(), ["b"]);
    };
    check(&|memory| memory.source = Source::User);
    check(&|memory| memory.tier = Tier::Guardrail);
    check(&|memory| memory.usage.referenced = 1);
    check(&|memory| memory.times.created_at = Timestamp::from_micros(1));
    let tool = Memory { source: Source::Tool, tier: Tier::Guardrail, ..note("a", TEXT) };
    assert_eq!(after([tool, note("b", TEXT)]).holding(), ["b"], "hearsay does not replace what was said");
}

#[test]
fn two_peoples_words_are_two_memories() {
    let person = |name, actor: &str| Memory { source: Source::User, actor: Some(actor.to_owned()), ..note(name, TEXT) };
    assert_eq!(after([person("a", "ada"), person("b", "bo"), note("c", TEXT)]).holding(), ["a", "b"]);
    assert_eq!(after([person("a", "ada"), person("b", "ada")]).holding(), ["a"], "said twice by one");
}

#[test]
fn what_was_said_in_other_words_is_kept_beside_the_wording() {
    let other = "Before a push to main, the integration tests must have run";
    let person = Memory { source: Source::User, ..note("b", TEXT) };
    let mut world = World::of([note("a", other), person]);
    world.night(&credulously);
    assert_eq!(world.holding(), ["b"], "a person's own words are the wording");
    assert_eq!((world.get("b").text.as_str(), world.get("b").also().collect::<Vec<_>>()), (TEXT, vec![other]));
    assert_eq!(world.get("a").merged_into(), Some("b"));
    let mut twice = world.get("b").clone();
    unite::take_over(&mut twice, &note("d", other), &Usage::default());
    assert_eq!(twice.also().count(), 1, "each wording once");
}

#[test]
fn the_one_takes_over_tags_anchors_sources_and_counts_and_keeps_its_words() {
    let mut kept = Memory { source: Source::User, title: "T".into(), ..note("a", TEXT) };
    kept.tags = vec!["ci".into()];
    kept.usage = Usage { loaded: 1, referenced: 2, ..Usage::default() }.into();
    let mut gone = note("b", TEXT);
    gone.tags = vec!["tests".into(), "ci".into()];
    gone.anchors.files = vec!["src/a.rs".into()];
    gone.sources = vec!["ep-1".into()];
    gone.tier = Tier::Mandate;
    gone.importance = 0.9;
    gone.times.valid_at = Timestamp::from_micros(3);
    gone.usage = Usage {
        loaded: 10,
        referenced: 5,
        success: 4,
        ignored: 3,
        last_used: Some(Timestamp::from_micros(7)),
        ..Usage::default()
    }
    .into();
    let mut world = World::of([kept.clone(), gone]);
    let mut near = Neighbours::of(&world);
    near.counted.insert(id("a"), Usage { loaded: 100, ..Usage::default() });
    near.counted.insert(id("b"), Usage { loaded: 1_000, ..Usage::default() });
    let proposals = world.with(&near, strictly);
    assert_eq!(proposals.len(), 1);
    assert_eq!(proposals[0].about, [id("a"), id("b")]);
    assert_eq!(proposals[0].why, "another note says the same as a in the same words");
    world.apply(&proposals[0]);
    let one = world.get("a");
    assert_eq!((one.text.as_str(), one.title.as_str(), one.source), (TEXT, "T", Source::User));
    assert_eq!(one.tags, ["ci", "tests"]);
    assert_eq!(one.anchors.files, ["src/a.rs"]);
    assert_eq!(one.sources, ["b", "ep-1"]);
    assert_eq!((one.tier, one.importance, one.times.valid_at), (Tier::Mandate, 0.9, Timestamp::from_micros(3)));
    assert!(one.confidence > kept.confidence && one.confidence < 0.9, "a second witness: {}", one.confidence);
    let last_used = Some(Timestamp::from_micros(7));
    assert_eq!(
        *one.usage,
        Usage { loaded: 1_011, referenced: 7, success: 4, ignored: 3, last_used, ..Usage::default() }
    );
}

#[test]
fn imported_text_becomes_no_mandate_by_a_merge() {
    let mut kept = Memory { source: Source::Import, tier: Tier::Guardrail, ..note("a", TEXT) };
    unite::take_over(&mut kept, &Memory { tier: Tier::Mandate, ..note("b", TEXT) }, &Usage::default());
    assert_eq!(kept.tier, Tier::Guardrail);
}

#[test]
fn whatever_differs_around_the_words_keeps_them_apart() {
    let check = |what: &str, change: &dyn Fn(&mut Memory)| {
        let mut other = note("b", TEXT);
        change(&mut other);
        let mut world = World::of([note("a", TEXT), other]);
        assert_eq!(world.night(&credulously), Vec::new(), "{what}");
    };
    let later = Timestamp::from_micros(5_000 * DAY);
    check("scope", &|memory| memory.scope = Scope::UserPrivate);
    check("kind", &|memory| memory.kind = Kind::Decision);
    check("status", &|memory| memory.status = Status::Unverified);
    check("restricted", &|memory| memory.restricted = true);
    check("expiry", &|memory| memory.times.invalid_at = Some(later));
    check("not yet", &|memory| memory.times.valid_at = later);
    check("staleness", &|memory| memory.times.stale_after = Some(later));
    check("ended", &|memory| memory.times.expired_at = Some(Timestamp::from_micros(1)));
    check("outcome", &|memory| memory.outcome = Some(Outcome::Failure));
    check("title", &|memory| memory.title = "Only on staging".into());
    check("episode", &|memory| memory.kind = Kind::Episode);
    check("structure", &|memory| memory.body = Body::Pattern(Box::default()));
}

#[test]
fn episodes_with_the_same_words_are_two_events() {
    let episodes = ["a", "b"].map(|name| memory(name, Kind::Episode, TEXT));
    assert_eq!(after(episodes).holding(), ["a", "b"]);
}

#[test]
fn what_points_at_its_place_is_the_same_only_there() {
    let at = |name, file: &str| {
        let mut memory = note(name, "This is too slow and has to be split");
        memory.anchors.files = vec![file.into()];
        memory
    };
    assert_eq!(after([at("a", "x.rs"), at("b", "y.rs")]).holding(), ["a", "b"]);
    assert_eq!(after([at("a", "x.rs"), at("b", "x.rs")]).holding(), ["a"]);
}

#[test]
fn a_fact_is_merged_only_with_the_same_value_of_the_same_slot() {
    let check = |other: Memory, expected: &[&str]| {
        let mut world = World::of([fact("a", "db_host", "db.internal", "tests"), other]);
        world.night(&credulously);
        assert_eq!(world.holding(), expected);
    };
    check(fact("b", "DB-host", " `db.internal` ", "Tests"), &["a"]);
    check(fact("b", "db_host", "db.external", "tests"), &["a", "b"]);
    check(fact("b", "db_host", "DB.internal", "tests"), &["a", "b"]);
    check(fact("b", "db_host", "db.internal", "production"), &["a", "b"]);
    check(fact("b", "db_port", "db.internal", "tests"), &["a", "b"]);
}

#[test]
fn patterns_become_one_when_nothing_of_their_structure_is_lost() {
    let pattern = |name: &str, conditions: &[&str], correct: &str, episodes: &[&str]| {
        let list = |list: &[&str]| list.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        let body = Body::Pattern(Box::new(Pattern {
            pattern: "Run cargo fmt before a commit".into(),
            conditions: list(conditions),
            correct_approach: correct.into(),
            source_episodes: list(episodes),
            ..Pattern::default()
        }));
        Memory { text: render::text_of(&body), body, ..memory(name, Kind::Pattern, "") }
    };
    let mut world =
        World::of([pattern("a", &["in CI"], "cargo fmt", &["ep-1"]), pattern("b", &["in CI"], "", &["ep-2"])]);
    world.night(&credulously);
    assert_eq!(world.holding(), ["a"]);
    let Body::Pattern(one) = &world.get("a").body else { panic!() };
    assert_eq!(one.source_episodes, ["ep-1", "ep-2"]);
    let mut world = World::of([pattern("a", &["in CI"], "", &[]), pattern("b", &["on Windows"], "", &[])]);
    assert_eq!(world.night(&credulously), Vec::new());
    let mut world = World::of([pattern("a", &[], "", &[]), pattern("b", &[], "cargo fmt", &[])]);
    assert_eq!(world.night(&credulously), Vec::new(), "the one that would stay says less");
}

#[test]
fn a_row_of_near_misses_never_becomes_one() {
    // Each is like the next, the first and the last have little in common.
    let texts =
        ["alpha beta gamma delta", "beta gamma delta epsilon", "gamma delta epsilon zeta", "delta epsilon zeta eta"];
    let close = |pairs: &[(&str, &str)]| {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<BTreeSet<_>>();
        pairs.iter().map(|(a, b)| words(a).intersection(&words(b)).count() >= 3).collect()
    };
    let mut world = World::of(texts.iter().enumerate().map(|(at, text)| note(&format!("n{at}"), text)));
    let limits = Limits { other: 0.4, ..Limits::default() };
    world.night(&|scene| plan_within(scene, &close, &limits));
    assert_eq!(world.holding(), ["n0", "n2"], "n1 says what n0 says, n3 what n2 says");
    assert_eq!(world.get("n0").sources, ["n1"]);
}

fn dispute(world: &mut World, a: &str, b: &str, status: ContradictionStatus) {
    let (a, b) = (id(a), id(b));
    let namespace = lokid_model::Namespace::default();
    let name = format!("con-{a}-{b}");
    let (verdict, why, found_at) = (Verdict::Contradicts, String::new(), world.now);
    let found = Contradiction { id: name.clone(), namespace, a, b, verdict, status, why, found_at, settled: None };
    world.contradictions.insert(name, Arc::new(found));
}

#[test]
fn what_was_found_to_contradict_stays_two_however_it_was_settled() {
    for status in [ContradictionStatus::Open, ContradictionStatus::Resolved] {
        let mut world = World::of([note("a", TEXT), note("b", TEXT)]);
        dispute(&mut world, "a", "b", status);
        assert_eq!(world.night(&strictly), Vec::new());
    }
}

#[test]
fn a_dispute_is_never_lost_with_one_of_two_that_say_the_same() {
    let three = || World::of([note("a", TEXT), note("b", TEXT), note("x", "Push straight away")]);
    let mut world = three();
    dispute(&mut world, "b", "x", ContradictionStatus::Open);
    assert_eq!(world.night(&strictly), Vec::new(), "the one that would stay is not in it");
    let mut world = three();
    dispute(&mut world, "a", "x", ContradictionStatus::Open);
    dispute(&mut world, "b", "x", ContradictionStatus::Open);
    world.night(&strictly);
    assert_eq!(world.holding(), ["a", "x"]);
    let open = world.contradictions.values().filter(|one| one.status == ContradictionStatus::Open);
    assert_eq!(open.map(|one| one.id.as_str()).collect::<Vec<_>>(), ["con-a-x"]);
}

#[test]
fn who_was_told_apart_from_one_that_goes_stays_apart_from_the_one_that_stays() {
    let mut world = World::of(["a", "b", "c"].map(|name| note(name, TEXT)));
    world.link("b", Relation::Contradicts, "c", 1.0);
    world.night(&strictly);
    assert_eq!(world.holding(), ["a", "c"]);
    assert!(world.ties().contains("a contradicts c"));
}

#[test]
fn what_a_person_brought_back_is_not_merged_again() {
    let mut world = after([note("a", TEXT), note("b", TEXT)]);
    let mut back = world.get("b").clone();
    back.times.expired_at = None;
    world.memories.insert(id("b"), Arc::new(back));
    assert_eq!(world.night(&strictly), Vec::new());
}

#[test]
fn the_links_of_the_others_are_tied_to_the_one_without_circles_or_copies() {
    let mut world = World::of(["a", "b", "c", "x", "y"].map(|name| match name {
        "x" | "y" => note(name, "Something else about deployments"),
        _ => note(name, TEXT),
    }));
    for (from, relation, to, strength) in [
        ("b", Relation::RelatedTo, "x", 0.5),
        ("c", Relation::RelatedTo, "x", 1.0),
        ("x", Relation::DerivedFrom, "c", 1.0),
        ("b", Relation::RelatedTo, "c", 1.0),
        ("a", Relation::RelatedTo, "b", 1.0),
        ("y", Relation::RelatedTo, "b", 0.7),
    ] {
        world.link(from, relation, to, strength);
    }
    world.night(&strictly);
    let expected = [
        "a related_to x",
        "a supersedes b",
        "a supersedes c",
        "b superseded_by a",
        "c superseded_by a",
        "x derived_from a",
        "x related_to a",
        "x supersedes y",
        "y superseded_by x",
    ];
    assert_eq!(world.ties(), expected.iter().map(|tie| (*tie).to_owned()).collect());
    let strength =
        |from: &str| world.links.values().find(|link| link.from == id(from) && link.relation == Relation::RelatedTo);
    assert_eq!((strength("a").unwrap().strength, strength("x").unwrap().strength), (1.0, 0.7));
}

#[test]
fn a_thousand_copies_become_one_in_one_step() {
    let mut copies: Vec<Memory> = (0..1_000).map(|at| note(&format!("n{at:04}"), TEXT)).collect();
    copies.push(note("z", "The integration tests are run before pushing to the main branch"));
    let world = World::of(copies);
    let near = Neighbours::of(&world);
    let compared = std::cell::Cell::new(0);
    let compare = |pairs: &[(&str, &str)]| {
        compared.set(compared.get() + pairs.len());
        strict(pairs)
    };
    let proposals = world.with(&near, |scene| plan(scene, &compare));
    assert!(near.asked.get() < 20 && compared.get() < 20, "{} {}", near.asked.get(), compared.get());
    assert_eq!(proposals[0].about.len(), 1_000);
    assert_eq!(proposals[0].why, "999 other notes say the same as n0000 in the same words");
    let mut world = world;
    world.night(&strictly);
    assert_eq!(world.holding(), ["n0000", "z"]);
    assert_eq!(world.get("n0000").sources.len(), 50);
}

#[test]
fn a_night_that_ends_early_ends_where_an_undisturbed_one_does() {
    let texts = [TEXT, "Never commit secrets", "Use tabs for indentation"];
    let memories = || (0..30).map(|at| note(&format!("n{at:02}"), texts[at % 3]));
    let mut whole = World::of(memories());
    let all = whole.night(&strictly);
    for crash in 0..all.len() {
        let mut broken = World::of(memories());
        all[..crash].iter().for_each(|proposal| broken.apply(proposal));
        broken.night(&strictly);
        assert_eq!(broken, whole);
    }
}

#[test]
fn a_night_without_time_proposes_less_and_nothing_wrong() {
    let world = World::of((0..60).map(|at| note(&format!("n{at:02}"), &format!("{TEXT} number{}", at / 2))));
    for patience in [0, 1, 7, 40] {
        let near = Neighbours::of(&world);
        near.patience.set(patience);
        let found = world.with(&near, strictly);
        assert!(found.len() <= patience, "{} of {patience}", found.len());
        found.iter().for_each(|proposal| world.clone().apply(proposal));
    }
}

#[test]
fn only_what_is_fresh_is_compared() {
    let world = World::of([note("a", TEXT), note("b", TEXT), note("c", "Use tabs"), note("d", "Use tabs")]);
    let mut near = Neighbours::of(&world);
    near.fresh = Some(BTreeSet::from([id("d")]));
    let found = world.with(&near, strictly);
    assert_eq!(found.iter().map(|proposal| proposal.about.clone()).collect::<Vec<_>>(), [[id("c"), id("d")]]);
}

#[test]
fn absurd_memories_do_no_harm() {
    let mut strange =
        vec![note("a", ""), note("b", "  "), note("c", "…"), note("d", "…"), note("e", &"x ".repeat(500_000))];
    strange.push(note("f", &"x ".repeat(500_000)));
    let mut future = note("g", TEXT);
    future.times.created_at = Timestamp::from_micros(i64::MAX);
    future.importance = f64::INFINITY;
    future.tags = vec!["same".into(); 10_000];
    strange.extend([future, note("h", TEXT)]);
    assert_eq!(after(strange).holding(), ["a", "b", "c", "d", "e", "h"]);
}
