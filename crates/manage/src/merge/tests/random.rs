//! Random worlds: one night is enough, whatever stands in them; and how long a night over many memories takes.

use proptest::prelude::*;

use super::*;

fn any_memory() -> impl Strategy<Value = Memory> {
    let texts = prop::sample::select(vec![
        TEXT,
        "The integration tests are run before pushing to the main branch",
        "Run the integration tests after pushing to the main branch",
        "Use tabs",
        "We use tabs",
        "Use 4 tabs",
    ]);
    let kinds = prop::sample::select(vec![Kind::Note, Kind::Note, Kind::Decision, Kind::Episode]);
    let sources = prop::sample::select(vec![Source::Agent, Source::Agent, Source::User, Source::Tool, Source::Import]);
    let tiers = prop::sample::select(vec![Tier::Reference, Tier::Guardrail]);
    (texts, kinds, sources, tiers, 0..4u64, 0..4i64, 0..12u8).prop_map(|(text, kind, source, tier, used, day, odd)| {
        let mut memory = memory("x", kind, text);
        (memory.source, memory.tier, memory.usage.referenced) = (source, tier, used);
        memory.times.created_at = Timestamp::from_micros(day * DAY);
        match odd {
            0 => memory.scope = Scope::UserPrivate,
            1 => memory.status = Status::Unverified,
            2 => memory.restricted = true,
            3 => memory.times.invalid_at = Some(Timestamp::from_micros(5_000 * DAY)),
            4 => memory.title = "Titled".into(),
            5 => memory.tags = vec![format!("t{used}")],
            6 => memory.sources = vec![format!("s{used}")],
            _ => {}
        }
        memory
    })
}

fn any_world() -> impl Strategy<Value = World> {
    let ends = || (0..14usize, 0..14usize, 0..Relation::ALL.len(), 1..=10u8);
    let disputes = prop::collection::vec((0..14usize, 0..14usize, any::<bool>()), 0..3);
    (prop::collection::vec(any_memory(), 0..14), prop::collection::vec(ends(), 0..12), disputes).prop_map(
        |(memories, links, disputes)| {
            let named =
                memories.into_iter().enumerate().map(|(at, one)| Memory { id: id(&format!("n{at:02}")), ..one });
            let mut world = World::of(named);
            let count = world.memories.len();
            for (from, to, relation, strength) in links {
                if from < count && to < count && from != to {
                    let (from, to) = (format!("n{from:02}"), format!("n{to:02}"));
                    world.link(&from, Relation::ALL[relation], &to, f64::from(strength) / 10.0);
                }
            }
            for (a, b, open) in disputes {
                if a < count && b < count && a != b {
                    let status = if open { ContradictionStatus::Open } else { ContradictionStatus::Resolved };
                    dispute(&mut world, &format!("n{a:02}"), &format!("n{b:02}"), status);
                }
            }
            world
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn one_night_is_enough_and_a_persons_words_only_become_one_with_a_persons(world in any_world()) {
        let mut after = world.clone();
        after.night(&strictly);
        for (id, old) in &world.memories {
            let new = &after.memories[id];
            prop_assert_eq!((&old.text, &old.title, &old.body), (&new.text, &new.title, &new.body));
            if old.restricted || old.kind == Kind::Episode {
                prop_assert_eq!(old.times.expired_at, new.times.expired_at);
            }
            if old.source == Source::User && old.times.expired_at != new.times.expired_at {
                let kept = after.get(new.merged_into().unwrap());
                prop_assert_eq!((kept.source, &kept.actor), (old.source, &old.actor));
            }
            if old.restricted {
                prop_assert_eq!(old, new);
            }
            prop_assert!(new.tier != Tier::Mandate || new.source.may_mandate());
        }
        let used = |world: &World| {
            let now = world.now;
            world.memories.values().filter(|one| holds(one, now)).map(|one| one.usage.referenced).sum::<u64>()
        };
        prop_assert_eq!(used(&world), used(&after));
        prop_assert!(after.links.values().all(|link| link.from != link.to));
    }

    #[test]
    fn thirty_nights_are_as_one(world in any_world()) {
        let mut one = world.clone();
        one.night(&strictly);
        let mut thirty = one.clone();
        for _ in 0..29 {
            thirty.now = thirty.now.plus_micros(DAY);
            prop_assert_eq!(thirty.night(&strictly), Vec::new());
        }
    }

    #[test]
    fn any_words_are_read_without_harm(a in ".{0,80}", b in ".{0,80}") {
        let judge = |a: &str, b: &str| crate::statement::judge(a, b, [0.1, 0.7, 0.1, 0.1]).verdict;
        assert_eq!(judge(&a, &b), judge(&b, &a));
        let mut world = World::of([note("a", &a), note("b", &b)]);
        world.night(&credulously);
    }
}
