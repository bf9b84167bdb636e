//! The whole of learning, day after day, on worlds whose truth is known.

use proptest::prelude::*;

use super::learner::{LEAST, first_shares, moved};
use super::*;
use lokid_model::time::DAY;
use lokid_model::{TaskType, Timestamp};

const TASK: TaskType = TaskType::Debugging;

/// A project of which it is known how often each profile helps.
struct World {
    learner: Learner,
    day: i64,
    /// In the order of [`Profile::ALL`].
    truth: [f64; 5],
    a_day: usize,
}

impl World {
    fn new(truth: [f64; 5], a_day: usize) -> World {
        World { learner: Learner::default(), day: 20_000, truth, a_day }
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.day * DAY)
    }

    /// The recalls of a day and the night behind it; what the night did.
    fn live(&mut self) -> Option<Step> {
        for number in 0..self.a_day {
            let number = format!("{} {number}", self.day);
            let profile = self.learner.choose(TASK, lot(&["which", &number]));
            let helped = lot(&["luck", &number]) < self.truth[profile as usize];
            self.learner.note(TASK, profile, helped, self.now());
        }
        let before = self.learner.shares(TASK);
        let steps = self.learner.night(true, self.now());
        let after = self.learner.shares(TASK);
        self.day += 1;
        assert!(steps.len() <= 1 && steps.iter().all(|step| step.task == TASK));
        assert!((after.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(after.iter().all(|share| *share >= LEAST - 1e-9), "{after:?}");
        let step = steps.into_iter().next();
        if step.as_ref().is_none_or(|step| !step.is_rollback) {
            assert!(moved(&before, &after) <= 0.05 + 1e-9, "{before:?} {after:?}");
        }
        step
    }

    fn share(&self, profile: Profile) -> f64 {
        self.learner.shares(TASK)[profile as usize]
    }

    fn live_days(&mut self, days: usize) -> Vec<Step> {
        (0..days).filter_map(|_| self.live()).collect()
    }
}

#[test]
fn the_better_profile_leads_within_a_month_and_the_others_are_still_tried() {
    for better in [Profile::Semantic, Profile::Trusted] {
        let mut truth = [0.5; 5];
        truth[better as usize] = 0.7;
        let mut world = World::new(truth, 100);
        let steps = world.live_days(30);
        assert!(steps.iter().all(|step| !step.is_rollback));
        assert!(world.share(better) >= 0.7, "{better}: {:?}", world.learner.shares(TASK));
        world.live_days(30);
        assert!(world.share(better) <= 0.9 + 1e-9, "{:?}", world.learner.shares(TASK));
        assert_eq!(world.learner.shares(TaskType::Review), first_shares(), "another kind of task was not met");
    }
}

#[test]
fn what_is_configured_keeps_its_lead_where_nothing_is_better() {
    let mut world = World::new([0.7, 0.5, 0.5, 0.5, 0.5], 100);
    world.live_days(40);
    assert!(world.share(Profile::Default) >= 0.7, "{:?}", world.learner.shares(TASK));
}

#[test]
fn a_fall_is_taken_back_and_nothing_moves_for_a_week() {
    let mut world = World::new([0.5, 0.7, 0.5, 0.5, 0.5], 100);
    assert!(world.live_days(20).iter().all(|step| !step.is_rollback));
    let led = world.share(Profile::Semantic);
    assert!(led > 0.6, "{led}");
    // From now on the one that leads hardly helps.
    world.truth[Profile::Semantic as usize] = 0.1;
    let mut waited = 0;
    let rollback = loop {
        waited += 1;
        assert!(waited <= 7, "it takes more than a week to see");
        if let Some(step) = world.live().filter(|step| step.is_rollback) {
            break step;
        }
    };
    assert!(rollback.why.contains("recalls of a week helped"), "{}", rollback.why);
    assert_eq!(rollback.to, world.learner.shares(TASK));
    assert!(rollback.to[Profile::Semantic as usize] < led - 0.2, "{rollback:?}");
    for _ in 0..6 {
        assert_eq!(world.live(), None);
    }
    world.live_days(30);
    assert!(world.share(Profile::Semantic) < 0.2, "{:?}", world.learner.shares(TASK));
}

#[test]
fn where_everything_falls_the_new_level_is_accepted() {
    let mut world = World::new([0.5, 0.7, 0.5, 0.5, 0.5], 100);
    world.live_days(20);
    world.truth = [0.2, 0.4, 0.2, 0.2, 0.2];
    let rollbacks = world.live_days(60).iter().filter(|step| step.is_rollback).count();
    assert!(rollbacks <= 1, "{rollbacks}");
    assert!(world.share(Profile::Semantic) > 0.6, "{:?}", world.learner.shares(TASK));
}

#[test]
fn too_few_recalls_move_nothing() {
    let mut world = World::new([0.0, 1.0, 0.0, 0.0, 0.0], 4);
    assert_eq!(world.live_days(30), []);
    assert_eq!(world.learner.shares(TASK), first_shares());
}

#[test]
fn what_may_not_move_only_fades() {
    let mut world = World::new([0.1, 0.9, 0.1, 0.1, 0.1], 100);
    world.live_days(10);
    let before = world.learner.clone();
    for _ in 0..100 {
        assert_eq!(world.learner.night(false, world.now()), []);
        world.day += 1;
    }
    assert_eq!(world.learner.shares(TASK), before.shares(TASK));
    let counted =
        |learner: &Learner| learner.tasks[TASK as usize].evidence.iter().map(|one| one.0 + one.1).sum::<f64>();
    assert!(counted(&world.learner) < counted(&before) / 100.0);
}

#[test]
fn a_second_night_of_a_day_and_a_clock_set_back_change_nothing() {
    let mut world = World::new([0.1, 0.9, 0.1, 0.1, 0.1], 100);
    world.live_days(3);
    let (now, before) = (world.now().plus_micros(-DAY), world.learner.clone());
    assert_eq!(world.learner.night(true, now), []);
    assert_eq!(world.learner.night(true, now.plus_micros(-DAY)), []);
    assert_eq!(world.learner, before);
    // Far ahead was the clock's mistake: the nights go on.
    world.learner.night(true, now.plus_micros(1_000 * DAY));
    world.learner.night(true, now);
    assert!(world.live_days(3).len() > 1);
}

#[test]
fn a_lot_falls_on_each_profile_as_often_as_its_share_says() {
    let learner = Learner::default();
    let mut met = [0_u32; 5];
    for number in 0..10_000 {
        met[learner.choose(TASK, lot(&["recall", &number.to_string()])) as usize] += 1;
    }
    assert!((8_900..9_100).contains(&met[0]), "{met:?}");
    assert!(met[1..].iter().all(|times| (200..300).contains(times)), "{met:?}");
    for odd in [f64::NAN, f64::INFINITY, -1.0] {
        assert_eq!(learner.choose(TASK, odd), Profile::Default, "{odd}");
    }
    assert_eq!(learner.choose(TASK, 0.99999), Profile::Trusted);
    assert_ne!(lot(&["ab", "c"]), lot(&["a", "bc"]));
}

#[test]
fn a_profile_moves_weight_and_makes_none() {
    let configured = RecallConfig::DESIGN;
    let sum = |weights: RecallConfig| weights.semantic + weights.keyword + weights.recency + weights.usage;
    assert_eq!(Profile::Default.weights(&configured), configured);
    for profile in Profile::ALL {
        assert!((sum(profile.weights(&configured)) - 1.0).abs() < 1e-9, "{profile}");
    }
    let check = |profile: Profile, expected: [f64; 4]| {
        let found = profile.weights(&configured);
        let found = [found.semantic, found.keyword, found.recency, found.usage];
        assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-9), "{found:?}");
    };
    check(Profile::Semantic, [0.41, 0.19, 0.2, 0.2]);
    check(Profile::Keyword, [0.11, 0.49, 0.2, 0.2]);
    check(Profile::Recent, [0.22, 0.38, 0.3, 0.1]);
    check(Profile::Trusted, [0.22, 0.38, 0.1, 0.3]);
}

#[test]
fn what_was_learnt_comes_back_from_its_text() {
    let mut world = World::new([0.5, 0.7, 0.5, 0.5, 0.5], 100);
    world.live_days(20);
    world.truth[1] = 0.1;
    while !world.live().is_some_and(|step| step.is_rollback) {}
    for _ in 0..10 {
        let again = Learner::from_text(&world.learner.to_text());
        assert_eq!(again.to_text(), world.learner.to_text());
        let mut other = World { learner: again, day: world.day, truth: world.truth, a_day: world.a_day };
        let (one, two) = (world.live(), other.live());
        assert_eq!(one.map(|step| step.is_rollback), two.map(|step| step.is_rollback));
        assert!(moved(&world.learner.shares(TASK), &other.learner.shares(TASK)) < 1e-6);
    }
}

#[test]
fn a_broken_text_is_as_if_nothing_had_been_learnt() {
    let shares = |text: &str| Learner::from_text(text).shares(TASK);
    for text in ["", "{", "null", "[]", "{\"version\":2}", "{\"version\":1,\"tasks\":7}", "\u{0}"] {
        assert_eq!(Learner::from_text(text), Learner::default(), "{text}");
    }
    for wrong in ["0.5", "-1", "\"x\"", "1e300", "null"] {
        let text = format!(
            r#"{{"version":1,"tasks":{{"debugging":{{"shares":
            {{"default":{wrong},"semantic":0.025,"keyword":0.025,"recent":0.025,"trusted":0.025}}}}}}}}"#
        );
        assert_eq!(shares(&text), first_shares(), "{wrong}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_text_breaks_the_learner(text in "\\PC{0,200}") {
        let mut learner = Learner::from_text(&text);
        learner.night(true, Timestamp::from_micros(20_000 * DAY));
    }

    #[test]
    fn no_number_in_its_text_breaks_the_learner(number in prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_filter("JSON has no others", |number| number.is_finite()).prop_map(|number| format!("{number:e}")),
    ], at in 0_usize..60) {
        let mut world = World::new([0.5, 0.7, 0.5, 0.5, 0.5], 20);
        for _ in 0..4 {
            for number in 0..20 {
                world.learner.note(TASK, Profile::Keyword, number % 2 == 0, world.now());
            }
            world.learner.night(true, world.now());
            world.day += 1;
        }
        let text = world.learner.to_text();
        // One number of the text is another.
        let numbers: Vec<(usize, usize)> = number_places(&text);
        let (from, until) = numbers[at % numbers.len()];
        let text = format!("{}{number}{}", &text[..from], &text[until..]);
        world.learner = Learner::from_text(&text);
        world.live();
        world.live();
    }
}

fn number_places(text: &str) -> Vec<(usize, usize)> {
    let is_part = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'e');
    let bytes = text.as_bytes();
    let begins =
        (1..bytes.len()).filter(|at| bytes[*at].is_ascii_digit() && matches!(bytes[at - 1], b':' | b'[' | b','));
    begins.map(|from| (from, (from..bytes.len()).find(|at| !is_part(bytes[*at])).unwrap_or(bytes.len()))).collect()
}
