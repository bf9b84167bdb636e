//! Tests of connecting: what evidence makes a link, what does not, and what happens when it is gone.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::merge::fake::{DAY, Neighbours, World, id, memory};
use lokid_model::{Body, Contradiction, Episode, Kind, Learning, Namespace, Pattern, Scope, Timestamp, render};

fn note(name: &str, text: &str, files: &[&str], symbols: &[&str]) -> Memory {
    let mut memory = memory(name, Kind::Note, text);
    memory.anchors.files = strings(files);
    memory.anchors.symbols = strings(symbols);
    memory
}

fn strings(list: &[&str]) -> Vec<String> {
    list.iter().map(|one| (*one).to_owned()).collect()
}

fn episode(name: &str, minute: i64, task: &str, goal: &str, files: &[&str]) -> Memory {
    let (task_id, goal, files_modified) = (task.to_owned(), goal.to_owned(), strings(files));
    let body = Body::Episode(Box::new(Episode { task_id, goal, files_modified, ..Episode::default() }));
    let mut memory = Memory { text: render::text_of(&body), body, ..memory(name, Kind::Episode, "") };
    memory.times.created_at = Timestamp::from_micros(100 * DAY + minute * 60_000_000);
    memory
}

fn check(memories: impl IntoIterator<Item = Memory>, expected: &[&str]) -> World {
    let mut world = World::of(memories);
    world.night(&plan);
    assert_eq!(world.ties(), expected.iter().map(|tie| (*tie).to_owned()).collect::<BTreeSet<_>>());
    world
}

#[test]
fn one_shared_file_is_not_enough_but_a_file_and_a_likeness_are() {
    check([note("a", "login needs a token", &["x.rs"], &[]), note("b", "colours are wrong", &["x.rs"], &[])], &[]);
    let world = check(
        [
            note("a", "login needs a fresh token", &["x.rs"], &[]),
            note("b", "login loses a fresh token", &["x.rs"], &[]),
        ],
        &["b related_to a"],
    );
    let link = world.links.values().next().unwrap();
    assert_eq!(link.strength, 0.75);
    let world = World::of(world.memories.values().map(|one| one.as_ref().clone()));
    assert_eq!(world.plan(&plan)[0].why, "b related_to a (0.75): shares 1 file, meaning (0.80)");
}

#[test]
fn very_strong_evidence_is_enough_alone() {
    let two = ["x.rs", "y.rs"];
    check([note("a", "one", &two, &["X::y"]), note("b", "two", &two, &["X::y"])], &["b related_to a"]);
    let text = "retries of the upload hide errors of the network layer";
    check([note("a", text, &[], &[]), note("b", &format!("{text} today"), &[], &[])], &["b related_to a"]);
}

#[test]
fn what_everybody_shares_connects_nobody() {
    let hub = (0..40).map(|at| note(&format!("n{at:02}"), &format!("word{at} other{at}"), &["lib.rs"], &["main"]));
    check(hub, &[]);
}

#[test]
fn the_same_error_and_the_same_commit_are_two_kinds_of_evidence() {
    let learning = |name: &str, error: &str, commit: &str| {
        let body = Body::Learning(Box::new(Learning { error: error.to_owned(), ..Learning::default() }));
        let mut memory = Memory { body, ..memory(name, Kind::Learning, &format!("only {name}")) };
        memory.anchors.commits = vec![commit.to_owned()];
        memory
    };
    check(
        [learning("a", "timeout after 30 s", "abcdef1234567"), learning("b", "timeout after 99 s", "ABCDEF1")],
        &["b related_to a"],
    );
    check([learning("a", "timeout", ""), learning("b", "no such file", "")], &[]);
}

#[test]
fn at_most_eight_links_touch_a_memory_and_the_strongest_stay() {
    let mut all: Vec<Memory> =
        (0..20).map(|at| note(&format!("n{at:02}"), &format!("cache cache{at}"), &["c.rs"], &["Cache::get"])).collect();
    all.push(note("z1", "cache eviction order", &["c.rs", "d.rs", "e.rs"], &["Cache::get"]));
    all.push(note("z2", "cache eviction order matters", &["c.rs", "d.rs", "e.rs"], &["Cache::get"]));
    let mut world = World::of(all);
    world.night(&plan);
    for name in world.memories.keys() {
        let touching = world.links.values().filter(|link| link.touches(name)).count();
        assert!(touching <= 8, "{name}: {touching}");
    }
    assert!(world.ties().contains("z2 related_to z1"));
    assert!(world.links.values().all(|link| link.strength <= STRONGEST && link.strength >= 0.3));
}

#[test]
fn a_longer_telling_elaborates_the_shorter() {
    let short = "Deploys need the release key of the vault";
    let long = "Deploys need the release key of the vault, which rotates every Monday at noon by a cron job";
    check([note("a", long, &[], &[]), note("b", short, &[], &[])], &["a elaborates b"]);
    let denied = long.replace("need", "need not");
    let world = World::of([note("a", &denied, &[], &[]), note("b", short, &[], &[])]);
    let found = world.plan(&plan);
    assert!(found.iter().all(|one| !one.why.contains("elaborates")), "{found:?}");
}

#[test]
fn what_a_memory_was_made_from_is_linked_and_a_case_is_an_example_of_a_rule() {
    let pattern = Pattern {
        pattern: "Pin the toolchain".into(),
        conditions: strings(&["nightly toolchain breaks"]),
        source_episodes: strings(&["ep-1", "ep-gone"]),
        ..Pattern::default()
    };
    let body = Body::Pattern(Box::new(pattern));
    let rule = Memory { text: render::text_of(&body), body, ..note("sem-1", "", &["rust-toolchain.toml"], &[]) };
    let rule = Memory { kind: Kind::Pattern, ..rule };
    let learning = Memory { sources: strings(&["ep-1"]), ..memory("learn-1", Kind::Learning, "clippy was new") };
    let case = episode("ep-2", 9_999, "t", "The nightly toolchain breaks the build", &["rust-toolchain.toml"]);
    check(
        [episode("ep-1", 0, "s", "Release", &[]), case, rule, learning],
        &["ep-2 example_of sem-1", "learn-1 derived_from ep-1", "learn-1 example_of sem-1", "sem-1 derived_from ep-1"],
    );
}

#[test]
fn episodes_of_one_work_are_tied_in_their_order() {
    let task = |name, minute, files: &[&str]| episode(name, minute, "task-1", name, files);
    check(
        [
            task("one", 0, &["a.rs"]),
            task("two", 10, &["a.rs", "b.rs"]),
            task("other", 15, &["z.rs"]),
            task("three", 20, &["b.rs"]),
            task("late", 20 + 24 * 60 + 1, &["b.rs"]),
        ],
        &["three elaborates two", "two elaborates one"],
    );
    let strangers = [episode("one", 0, "t1", "x", &["a.rs"]), episode("two", 1, "t2", "y", &["a.rs"])];
    check(strangers.clone(), &[]);
    check(strangers.map(|one| Memory { tags: strings(&["branch:login"]), ..one }), &["two elaborates one"]);
    let goal = "Move the session store to Redis";
    check([episode("one", 0, "t", goal, &[]), episode("two", 5, "t", goal, &[])], &["two elaborates one"]);
}

#[test]
fn an_episode_that_turns_up_late_is_put_into_its_place() {
    let task = |name, minute| episode(name, minute, "task-1", name, &["a.rs"]);
    let mut world = check([task("one", 0), task("three", 20)], &["three elaborates one"]);
    world.memories.insert(id("two"), Arc::new(task("two", 10)));
    let mut near = Neighbours::of(&world);
    near.fresh = Some(BTreeSet::from([id("two")]));
    let proposals = world.with(&near, plan);
    proposals.iter().for_each(|proposal| world.apply(proposal));
    assert_eq!(world.ties(), BTreeSet::from(["three elaborates two".to_owned(), "two elaborates one".to_owned()]));
}

#[test]
fn an_open_contradiction_is_a_link_until_it_is_settled() {
    let mut world = World::of([note("a", "tabs", &[], &[]), note("b", "spaces", &[], &[])]);
    let (namespace, verdict, found_at) = (Namespace::default(), Verdict::Contradicts, world.now);
    let mut found = Contradiction {
        id: "con".into(),
        namespace,
        a: id("a"),
        b: id("b"),
        verdict,
        status: ContradictionStatus::Open,
        why: String::new(),
        found_at,
        settled: None,
    };
    world.contradictions.insert("con".into(), Arc::new(found.clone()));
    world.night(&plan);
    assert_eq!(world.ties(), BTreeSet::from(["b contradicts a".to_owned()]));
    found.status = ContradictionStatus::Superseded;
    world.contradictions.insert("con".into(), Arc::new(found));
    let mut over = world.get("a").clone();
    over.times.expired_at = Some(world.now);
    world.memories.insert(id("a"), Arc::new(over));
    world.night(&plan);
    assert_eq!(world.ties(), BTreeSet::from(["b supersedes a".to_owned()]));
}

#[test]
fn links_whose_evidence_is_gone_go_unless_somebody_else_made_them() {
    let pair = |files: &[&str]| [note("a", "one", files, &["f"]), note("b", "two", files, &["f"])];
    let mut world = check(pair(&["x.rs", "y.rs"]), &["b related_to a"]);
    for moved in [note("a", "one", &[], &[]), note("c", "three", &[], &[])] {
        world.memories.insert(moved.id.clone(), Arc::new(moved));
    }
    world.link("a", Relation::RelatedTo, "c", 1.0);
    world.link("c", Relation::Supports, "a", 0.4);
    world.link("c", Relation::DerivedFrom, "b", 0.4);
    world.night(&plan);
    let left = ["a related_to c", "c derived_from b", "c supports a"].map(str::to_owned);
    assert_eq!(world.ties(), BTreeSet::from(left));
}

#[test]
fn a_link_to_what_is_over_goes_and_one_to_what_is_restricted_is_left_alone() {
    let text = ["login needs a fresh token", "login loses a fresh token"];
    let pair = || [note("a", text[0], &["x.rs"], &[]), note("b", text[1], &["x.rs"], &[])];
    let mut world = check(pair(), &["b related_to a"]);
    let mut over = world.get("a").clone();
    over.times.invalid_at = Some(Timestamp::from_micros(1));
    world.memories.insert(id("a"), Arc::new(over));
    world.night(&plan);
    assert!(world.links.is_empty());
    let mut world = check(pair(), &["b related_to a"]);
    let closed = Memory { restricted: true, ..world.get("a").clone() };
    world.memories.insert(id("a"), Arc::new(closed));
    assert_eq!(world.night(&plan), Vec::new());
}

#[test]
fn scopes_the_restricted_and_the_unverified_are_not_connected() {
    let text = ["login needs a fresh token", "login loses a fresh token"];
    let pair = |change: &dyn Fn(&mut Memory)| {
        let mut other = note("b", text[1], &["x.rs"], &[]);
        other.sources = strings(&["a"]);
        change(&mut other);
        check([note("a", text[0], &["x.rs"], &[]), other], &[]);
    };
    pair(&|memory| memory.scope = Scope::UserPrivate);
    pair(&|memory| memory.restricted = true);
    pair(&|memory| memory.status = Status::Unverified);
    pair(&|memory| memory.times.expired_at = Some(Timestamp::from_micros(1)));
}

#[test]
fn what_did_not_change_is_not_weighed_again() {
    let text = ["login needs a fresh token", "login loses a fresh token"];
    let mut world =
        check([note("a", text[0], &["x.rs"], &[]), note("b", text[1], &["x.rs"], &[])], &["b related_to a"]);
    for at in 0..10 {
        let other = note(&format!("c{at}"), &format!("word{at}"), &["x.rs"], &[]);
        world.memories.insert(other.id.clone(), Arc::new(other));
    }
    let mut near = Neighbours::of(&world);
    near.fresh = Some((0..10).map(|at| id(&format!("c{at}"))).collect());
    assert_eq!(world.with(&near, plan), Vec::new());
}

#[test]
fn a_night_without_time_takes_nothing_back() {
    let text = ["login needs a fresh token", "login loses a fresh token"];
    let world = check([note("a", text[0], &["x.rs"], &[]), note("b", text[1], &["x.rs"], &[])], &["b related_to a"]);
    for patience in 0..5 {
        let near = Neighbours::of(&world);
        near.patience.set(patience);
        assert_eq!(world.with(&near, plan), Vec::new());
    }
}

fn any_memory() -> impl Strategy<Value = Memory> {
    let words = || {
        prop::collection::vec(
            prop::sample::select(vec!["login", "token", "cache", "never", "deploy", "queue", "retry"]),
            0..7,
        )
    };
    let files = || prop::collection::vec(prop::sample::select(vec!["a.rs", "b.rs", "c.rs", "d.rs"]), 0..3);
    let kinds = prop::sample::select(vec![Kind::Note, Kind::Episode, Kind::Pattern, Kind::Learning]);
    let sources = prop::collection::vec(0..12usize, 0..3);
    (words(), words(), files(), files(), kinds, sources, 0..4_000i64, 0..12u8).prop_map(
        |(words, goal, files, symbols, kind, sources, minute, odd)| {
            let mut memory = note("x", &words.join(" "), &files, &symbols);
            memory.kind = kind;
            memory.sources = sources.iter().map(|at| format!("n{at:02}")).collect();
            memory.times.created_at = Timestamp::from_micros(100 * DAY + minute * 60_000_000);
            memory.body = match kind {
                Kind::Episode => episode("x", minute, ["t", "u"][minute as usize % 2], &goal.join(" "), &files).body,
                Kind::Pattern => {
                    Body::Pattern(Box::new(Pattern { conditions: vec![goal.join(" ")], ..Pattern::default() }))
                }
                Kind::Learning => Body::Learning(Box::new(Learning { error: goal.join(" "), ..Learning::default() })),
                _ => Body::None,
            };
            match odd {
                0 => memory.scope = Scope::UserPrivate,
                1 => memory.status = Status::Unverified,
                2 => memory.restricted = true,
                3 => memory.times.expired_at = Some(Timestamp::from_micros(5)),
                _ => {}
            }
            memory
        },
    )
}

fn any_world() -> impl Strategy<Value = World> {
    let links = prop::collection::vec((0..24usize, 0..24usize, 0..Relation::ALL.len(), 1..=10u8), 0..60);
    (prop::collection::vec(any_memory(), 0..24), links).prop_map(|(memories, links)| {
        let named = memories.into_iter().enumerate().map(|(at, one)| Memory { id: id(&format!("n{at:02}")), ..one });
        let mut world = World::of(named);
        for (from, to, relation, strength) in links {
            let (from, to) = (format!("n{from:02}"), format!("n{to:02}"));
            let known = |name: &str| world.memories.contains_key(name);
            if from != to && known(&from) && known(&to) {
                world.link(&from, Relation::ALL[relation], &to, f64::from(strength) / 10.0);
            }
        }
        world
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn one_night_is_enough_and_what_others_linked_stays(
        world in any_world(),
        fresh in prop::collection::btree_set(0..24usize, 0..24),
    ) {
        let mut after = world.clone();
        let mut part = world.clone();
        after.night(&plan);
        for (key, link) in &world.links {
            prop_assert!(link.strength <= STRONGEST || after.links.get(key) == Some(link));
        }
        for name in after.memories.keys() {
            let new = |link: &Link| link.strength <= STRONGEST && !world.links.contains_key(&link.key());
            let own = |link: &Link| link.touches(name) && new(link);
            prop_assert!(after.links.values().filter(|link| own(link)).count() <= 8);
        }
        for _ in 0..3 {
            after.now = after.now.plus_micros(DAY);
            prop_assert_eq!(after.plan(&plan), Vec::new());
        }
        // The same where only some are fresh.
        let list = fresh.iter().map(|at| id(&format!("n{at:02}"))).collect::<BTreeSet<_>>();
        let look = |world: &World| {
            let mut near = Neighbours::of(world);
            near.fresh = Some(list.clone());
            world.with(&near, plan)
        };
        look(&part).iter().for_each(|proposal| part.apply(proposal));
        prop_assert_eq!(look(&part), Vec::new());
    }

    #[test]
    fn a_night_that_ends_early_ends_where_an_undisturbed_one_does(world in any_world(), stop in 0..40usize) {
        let mut whole = world.clone();
        let all = whole.night(&plan);
        let mut broken = world;
        all.iter().take(stop).for_each(|proposal| broken.apply(proposal));
        broken.night(&plan);
        prop_assert_eq!(broken.ties(), whole.ties());
    }
}
