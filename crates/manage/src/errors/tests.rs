//! What becomes of errors, over one night and over many.

use proptest::prelude::*;

use super::lab::{DAY, Lab, edit, episode, id, is_steady, met, ran};
use super::*;
use crate::plan::Act;
use lokid_model::{Action, Body, EpisodeError, Kind, Outcome, Scope, Source, Status};

fn lessons(scene: &Scene<'_>) -> Vec<Proposal> {
    plan(scene, &Limits::default())
}

fn after(memories: impl IntoIterator<Item = Memory>) -> Lab {
    after_nights(30, memories)
}

fn after_nights(nights: usize, memories: impl IntoIterator<Item = Memory>) -> Lab {
    let mut lab = Lab::new(memories);
    is_steady(&lab, nights, lessons);
    lab.night(lessons);
    lab
}

fn learnt(lab: &Lab) -> &Learning {
    let [memory] = lab.of(Kind::Learning).try_into().unwrap();
    let Body::Learning(learning) = &memory.body else { panic!("{memory:?}") };
    learning
}

fn avoided(lab: &Lab) -> (&Memory, &AntiPattern) {
    let [memory] = lab.of(Kind::AntiPattern).try_into().unwrap();
    let Body::AntiPattern(anti) = &memory.body else { panic!("{memory:?}") };
    (memory, anti)
}

const LOCKED: &str = "database is locked by process 4711";

#[test]
fn an_error_that_was_solved_once_is_a_learning_and_no_anti_pattern() {
    let lab = after([met(episode("ep-1", 1, Outcome::Success), "SqlError", LOCKED, "close the other shell")]);
    let learning = learnt(&lab);
    assert_eq!((learning.error.as_str(), learning.fix.as_str()), (LOCKED, "close the other shell"));
    let memory = lab.of(Kind::Learning)[0];
    assert_eq!(memory.sources, ["ep-1"]);
    assert_eq!(memory.actor.as_deref(), Some("lokid"));
    assert_eq!(memory.times.created_at, Timestamp::from_micros(10_001 * DAY));
    assert!(lab.of(Kind::AntiPattern).is_empty());
}

#[test]
fn an_error_that_nobody_solved_teaches_nothing_until_it_comes_back() {
    assert_eq!(after([met(episode("ep-1", 1, Outcome::Failure), "", LOCKED, "")]).memories.len(), 1);
    assert_eq!(after([met(episode("ep-1", 1, Outcome::Failure), "", LOCKED, "N/A")]).memories.len(), 1);
    let lab = after([
        met(episode("ep-1", 1, Outcome::Failure), "", LOCKED, ""),
        ran(episode("ep-2", 2, Outcome::Failure), "cargo test -p db", "SqlError: database is locked by process 7"),
    ]);
    let (memory, anti) = avoided(&lab);
    assert_eq!(anti.what_fails, LOCKED);
    assert_eq!(anti.why, "`cargo test -p db` ends with it");
    assert_eq!(anti.learnt_from, "ep-1");
    assert_eq!(memory.sources, ["ep-2", "ep-1"]);
    assert_eq!(memory.confidence, 0.8);
    assert_eq!(lab.links.len(), 2);
    assert!(lab.of(Kind::Learning).is_empty());
}

#[test]
fn an_error_that_ended_the_work_is_open_until_its_command_passes_or_somebody_mends_it() {
    let broken = || ran(episode("ep-1", 1, Outcome::Failure), "cargo test -p db", LOCKED);
    let state = |lab: &Lab| (avoided(lab).0.tags[1].clone(), avoided(lab).1.clone());
    let mut lab = after([broken()]);
    let (tag, anti) = state(&lab);
    assert_eq!((tag.as_str(), anti.what_fails.as_str()), ("open", LOCKED));
    assert_eq!((anti.why.as_str(), anti.prevention.as_str()), ("`cargo test -p db` ends with it", ""));
    lab.put(ran(episode("ep-2", 2, Outcome::Success), "cargo test -p db", ""));
    lab.night(lessons);
    let (tag, anti) = state(&lab);
    assert_eq!((tag.as_str(), anti.prevention.as_str()), ("closed", "`cargo test -p db` passes since 1997-05-21"));
    lab.put(met(episode("ep-3", 3, Outcome::Success), "", LOCKED, "close the other shell"));
    lab.night(lessons);
    let (tag, anti) = state(&lab);
    assert_eq!((tag.as_str(), anti.prevention.as_str()), ("learnt", "close the other shell"));
    let passed = ran(episode("ep-2", 2, Outcome::Success), "cargo test -p db", "");
    assert!(after([broken(), passed]).of(Kind::AntiPattern).is_empty(), "over before anybody noted it");
}

#[test]
fn what_belongs_to_the_room_and_what_only_went_away_teaches_nothing() {
    let noise = ["pwd failed", "ls: testbed: No such file or directory", "ImportError: No module named django"];
    let episodes = |error: &'static str| {
        (1..6).map(move |day| ran(episode(&format!("ep-{day}"), day, Outcome::Failure), "python x.py --all", error))
    };
    for error in noise {
        assert!(after(episodes(error)).of(Kind::AntiPattern).is_empty(), "{error}");
    }
    let again = met(episode("ep-1", 1, Outcome::Success), "", LOCKED, "passed when run again");
    assert_eq!(after([again]).memories.len(), 1);
}

#[test]
fn a_program_that_another_had_to_stand_in_for_is_one_anti_pattern_whatever_it_said() {
    let one = |name, day, error| {
        let begun = ran(episode(name, day, Outcome::Success), "cd app && python check.py", error);
        ran(begun, "cd app && python3 check.py", "")
    };
    let lab =
        after([one("ep-1", 1, "object has no attribute 'lru_cache'"), one("ep-2", 2, "SyntaxError: invalid syntax")]);
    let (memory, anti) = avoided(&lab);
    assert_eq!(anti.what_fails, "`python` fails here where `python3` passes");
    assert_eq!((anti.prevention.as_str(), memory.sources.len()), ("run `python3` with the same arguments", 2));
}

#[test]
fn a_failure_told_whole_and_cut_is_one_anti_pattern() {
    let long =
        format!("ConfigError: {} end", "the settings of the service are not what they should be, and ".repeat(3));
    let cut = format!("E {}…", &long[..140]);
    let lab = after([
        met(episode("ep-1", 1, Outcome::Success), "", &long, "set SERVICE_ENV"),
        met(episode("ep-2", 2, Outcome::Success), "", &cut, "set SERVICE_ENV"),
    ]);
    assert_eq!(avoided(&lab).1.prevention, "set SERVICE_ENV");
}

#[test]
fn of_several_fixes_the_one_that_worked_most_is_told_and_the_others_are_mentioned() {
    let lab = after([
        met(episode("ep-1", 1, Outcome::Success), "", LOCKED, "Close the other shell."),
        met(episode("ep-2", 2, Outcome::Success), "", LOCKED, "close the other shell"),
        met(episode("ep-3", 3, Outcome::Success), "", LOCKED, "set busy_timeout"),
        met(episode("ep-4", 4, Outcome::Failure), "", LOCKED, "delete the lock file"),
    ]);
    let told = "Close the other shell. (also helped: set busy_timeout) (also tried: delete the lock file)";
    assert_eq!(avoided(&lab).1.prevention, told);
    assert_eq!(learnt(&lab).fix, told);
    let lab = after([
        met(episode("ep-1", 1, Outcome::Success), "", LOCKED, "restart"),
        met(episode("ep-2", 2, Outcome::Success), "", LOCKED, "set busy_timeout"),
    ]);
    assert_eq!(learnt(&lab).fix, "set busy_timeout (also helped: restart)", "the later of equals");
}

#[test]
fn what_was_done_before_the_same_command_passed_is_told_where_nobody_said_what_helped() {
    let one = |name, day| {
        let begun = ran(episode(name, day, Outcome::Success), "cargo test -p db", LOCKED);
        ran(ran(begun, "docker restart db", ""), "cargo test -p db", "")
    };
    let lab = after([one("ep-1", 1), one("ep-2", 2)]);
    assert_eq!(avoided(&lab).1.prevention, "`docker restart db`, then `cargo test -p db` passed");
    assert!(lab.of(Kind::Learning).is_empty(), "nobody said so");
}

#[test]
fn the_learning_that_a_log_left_gains_the_fix_and_keeps_its_words_and_its_source() {
    let body = Learning { error: format!("SqlError: {LOCKED}"), fingerprint: "00ff".into(), ..Learning::default() };
    let mut seen = Memory::new(id("learn-err-00ff"), Kind::Learning, "SqlError\n\nexcerpt", Timestamp::default());
    (seen.body, seen.source, seen.sources) = (Body::Learning(Box::new(body)), Source::Log, vec!["run.log".into()]);
    seen.confidence = 0.4;
    let lab = after([seen, met(episode("ep-1", 1, Outcome::Success), "SqlError", LOCKED, "close the other shell")]);
    assert_eq!(learnt(&lab).fix, "close the other shell");
    let memory = lab.of(Kind::Learning)[0];
    assert_eq!(memory.text, "SqlError\n\nexcerpt\nfix: close the other shell");
    assert_eq!(memory.sources, ["run.log", "ep-1"]);
    assert_eq!((memory.source, memory.confidence), (Source::Log, 0.67));
}

#[test]
fn what_a_person_wrote_gains_evidence_and_keeps_every_word() {
    let body = AntiPattern { what_fails: format!("Never share the file: {LOCKED}"), ..AntiPattern::default() };
    let mut told = Memory::new(id("anti-1"), Kind::AntiPattern, "Never share the file", Timestamp::default());
    (told.body, told.source, told.confidence) = (Body::AntiPattern(Box::new(body)), Source::User, 0.3);
    let lab = after([
        told.clone(),
        met(episode("ep-1", 1, Outcome::Failure), "", LOCKED, ""),
        met(episode("ep-2", 2, Outcome::Failure), "", LOCKED, "wait"),
    ]);
    let (memory, _) = avoided(&lab);
    assert_eq!((&memory.text, &memory.body, memory.confidence), (&told.text, &told.body, 0.3));
    assert_eq!(memory.sources, ["ep-2", "ep-1"]);
    assert_eq!(lab.links.len(), 4, "two of them from the learning: {:?}", lab.links.keys());
}

#[test]
fn an_anti_pattern_that_names_only_the_sort_of_error_is_known_by_its_episodes() {
    let body =
        AntiPattern { what_fails: "SqlError".into(), learnt_from: "ep-1, ep-2".into(), ..AntiPattern::default() };
    let mut told = Memory::new(id("sem-1"), Kind::AntiPattern, "SqlError", Timestamp::default());
    told.body = Body::AntiPattern(Box::new(body));
    let episodes = |name, day| met(episode(name, day, Outcome::Failure), "SqlError", LOCKED, "wait");
    let lab = after([told.clone(), episodes("ep-1", 1), episodes("ep-2", 2), episodes("ep-3", 3)]);
    let (memory, anti) = avoided(&lab);
    assert_eq!((memory.id.as_str(), anti.prevention.as_str()), ("sem-1", "wait"));
    assert_eq!(memory.sources, ["ep-3", "ep-2", "ep-1"]);
    let lab = after([told, episodes("ep-3", 3), episodes("ep-4", 4)]);
    assert_eq!(lab.of(Kind::AntiPattern).len(), 2, "that one was learnt from something else");
}

#[test]
fn a_command_that_fails_each_time_with_another_error_is_an_anti_pattern() {
    let failing = |name, day, error| ran(episode(name, day, Outcome::Failure), "npm install --force left", error);
    let both = [failing("ep-1", 1, "peer dependency conflict found"), failing("ep-2", 2, "tarball is corrupt today")];
    let lab = after(both.clone());
    let (memory, anti) = avoided(&lab);
    assert_eq!(anti.what_fails, "`npm install --force left`");
    assert_eq!(anti.why, "it ended with peer dependency conflict found; tarball is corrupt today");
    assert_eq!(memory.confidence, 0.8);
    let passing = ["ep-3", "ep-4"].map(|name| ran(episode(name, 3, Outcome::Success), "npm install --force left", ""));
    let lab = after(both.into_iter().chain(passing));
    assert!(lab.of(Kind::AntiPattern).is_empty(), "it passes as often");
}

#[test]
fn a_test_run_that_fails_while_people_work_is_no_anti_pattern() {
    let worked = |name, day, error| {
        ran(ran(episode(name, day, Outcome::Success), "cargo test -p web", error), "cargo test -p web", "")
    };
    let lab = after([worked("ep-1", 1, "assertion on left failed"), worked("ep-2", 2, "no such route was found")]);
    assert_eq!(lab.memories.len(), 2);
}

#[test]
fn a_way_that_led_nowhere_twice_is_an_anti_pattern_although_nobody_named_an_error() {
    let way = |name, day, outcome| {
        let ran = ran(ran(episode(name, day, outcome), "docker build .", ""), "docker push registry", "");
        edit(ran, |episode| episode.goal = "ship the image".into())
    };
    let twice = [way("ep-1", 1, Outcome::Failure), way("ep-2", 2, Outcome::Failure)];
    assert_eq!(avoided(&after(twice.clone())).1.what_fails, "docker build → docker push for “ship the image”");
    let passed = [way("ep-3", 3, Outcome::Success), way("ep-4", 4, Outcome::Success)];
    assert!(after(twice.into_iter().chain(passed)).of(Kind::AntiPattern).is_empty());
}

#[test]
fn scopes_never_mix_and_hearsay_stays_hearsay() {
    let mut private = met(episode("ep-1", 1, Outcome::Success), "", LOCKED, "ask Ann, her number is secret");
    private.scope = Scope::UserPrivate;
    let mut heard = met(episode("ep-2", 2, Outcome::Success), "", LOCKED, "wait");
    heard.source = Source::Tool;
    let lab = after([private, heard]);
    assert!(lab.of(Kind::AntiPattern).is_empty(), "one episode each");
    let mut found: Vec<_> = lab.of(Kind::Learning).into_iter().map(|one| (one.scope, one.source)).collect();
    found.sort();
    assert_eq!(found, [(Scope::UserPrivate, Source::Agent), (Scope::ProjectShared, Source::Tool)]);
    let shared = lab.of(Kind::Learning).into_iter().find(|one| one.scope == Scope::ProjectShared).unwrap();
    assert!(!shared.text.contains("Ann"));
}

#[test]
fn restricted_unverified_and_ended_episodes_are_no_evidence() {
    let one = || met(episode("ep-1", 1, Outcome::Success), "", LOCKED, "wait");
    assert_eq!(after([Memory { restricted: true, ..one() }]).memories.len(), 1);
    assert_eq!(after([Memory { status: Status::Unverified, ..one() }]).memories.len(), 1);
    let mut ended = one();
    ended.times.invalid_at = Some(Timestamp::default());
    assert_eq!(after([ended]).memories.len(), 1);
}

#[test]
fn what_was_purged_is_not_made_again() {
    let mut lab = Lab::new([met(episode("ep-1", 1, Outcome::Success), "", LOCKED, "wait")]);
    let made = lab.look(lessons)[0].about[0].clone();
    lab.purged.insert(made);
    assert!(lab.night(lessons).is_empty());
}

#[test]
fn words_that_somebody_changed_stay_changed() {
    let mut lab = after([met(episode("ep-1", 1, Outcome::Success), "", LOCKED, "wait")]);
    let mut edited = lab.of(Kind::Learning)[0].clone();
    edited.text = "Locked again: ask Ben".into();
    lab.put(edited);
    lab.put(met(episode("ep-2", 2, Outcome::Success), "", LOCKED, "restart it"));
    lab.night(lessons);
    let memory = lab.of(Kind::Learning)[0];
    assert_eq!(memory.text, "Locked again: ask Ben");
    assert_eq!(memory.sources, ["ep-1", "ep-2"]);
}

#[test]
fn evidence_grows_night_by_night_within_bounds_and_makes_no_twins() {
    let mut lab = Lab::new([]);
    for day in 0..80 {
        lab.put(met(episode(&format!("ep-{day:02}"), day, Outcome::Success), "", LOCKED, "wait"));
        let acts: Vec<Act> = lab.night(lessons).iter().map(|proposal| proposal.act).collect();
        assert!(acts.len() <= 2, "{acts:?}");
    }
    let (memory, _) = avoided(&lab);
    assert_eq!(memory.sources.len(), 50);
    assert!(memory.sources.contains(&"ep-79".to_owned()));
    assert_eq!(lab.links.len(), 40, "twenty from each");
    assert_eq!(lab.of(Kind::Learning).len(), 1);
    let confidence = memory.confidence;
    lab.memories.retain(|id, memory| memory.kind != Kind::Episode || id.as_str() > "ep-60");
    lab.night(lessons);
    assert!((avoided(&lab).0.confidence - confidence).abs() < 0.011, "forgotten episodes still happened");
}

#[test]
fn what_is_absurdly_long_or_far_away_is_borne() {
    let long = "disk is full ".repeat(100_000);
    let mut one = met(episode("ep-1", i64::MAX / DAY / 2, Outcome::Success), &long, &long, &long);
    for n in 0..10_000 {
        one = ran(one, if n % 2 == 0 { "df -h /data now" } else { "" }, if n % 3 == 0 { "disk is full" } else { "" });
    }
    let lab = after_nights(1, [one, met(episode("ep-2", i64::MIN / DAY / 2, Outcome::Success), "", &long, "")]);
    let (memory, _) = avoided(&lab);
    assert!(memory.times.created_at <= lab.now, "nobody has lived tomorrow");
    assert!(memory.text.len() < 4_000, "{}", memory.text.len());
}

fn a_text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("connection refused by host 7".to_owned()),
        Just("TypeError: cannot add None to int".to_owned()),
        Just("cargo test -p web".to_owned()),
        Just("Traceback (most\n\n x: y".to_owned()),
        "\\PC{0,30}",
        "[a-z`:\". ]{0,20}",
    ]
}

prop_compose! {
    fn an_episode()(
        n in 0..12_u32,
        day in prop_oneof![0..20_i64, Just(i64::MAX / DAY / 2), Just(-9_000_000_i64)],
        end in 0..4_usize,
        errors in prop::collection::vec((a_text(), a_text(), a_text()), 0..3),
        actions in prop::collection::vec((a_text(), a_text(), a_text()), 0..5),
        marks in (0..6_usize, any::<bool>(), 0..7_usize),
    ) -> Memory {
        let mut memory = episode(&format!("ep-{n}"), day, Outcome::Success);
        memory.outcome = Outcome::ALL.get(end).copied();
        memory.restricted = marks.0 == 0;
        memory.scope = if marks.1 { Scope::UserPrivate } else { Scope::ProjectShared };
        memory.source = Source::ALL[marks.2];
        let error = |(kind, message, resolution)| EpisodeError { kind, message, resolution };
        let action = |(target, error, action): (String, String, String)| {
            let action = if action.is_empty() { "bash".into() } else { action };
            Action { action, target, error, ..Action::default() }
        };
        edit(memory, |episode| {
            episode.errors = errors.into_iter().map(error).collect();
            episode.action_log = actions.into_iter().map(action).collect();
        })
    }
}

prop_compose! {
    fn a_lesson()(
        n in 0..6_u32, texts in prop::array::uniform4(a_text()), source in 0..7_usize, is_anti in any::<bool>(),
    ) -> Memory {
        let [one, two, three, four] = texts;
        let anti = |what_fails, why, prevention, learnt_from| AntiPattern { what_fails, why, prevention, learnt_from };
        let learning = |error, cause, fix, fingerprint| Learning { error, cause, fix, fingerprint };
        let (kind, body) = match is_anti {
            true => (Kind::AntiPattern, Body::AntiPattern(Box::new(anti(one, two, three, four)))),
            false => (Kind::Learning, Body::Learning(Box::new(learning(one, two, three, four)))),
        };
        let mut memory = Memory::new(id(&format!("x-{n}")), kind, "told", Timestamp::from_micros(i64::from(n)));
        (memory.body, memory.source) = (body, Source::ALL[source]);
        memory
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn any_memory_comes_to_rest_after_one_night(
        episodes in prop::collection::vec(an_episode(), 0..14), told in prop::collection::vec(a_lesson(), 0..4),
    ) {
        let before = Lab::new(episodes.iter().chain(&told).cloned());
        let lab = after_nights(3, episodes.into_iter().chain(told));
        let words = |memory: &Memory| (memory.title.clone(), memory.text.clone(), memory.body.clone(), memory.source);
        for told in before.memories.values().filter(|memory| memory.source == Source::User) {
            prop_assert_eq!(words(&lab.memories[&told.id]), words(told));
        }
        for memory in lab.memories.values() {
            prop_assert!(memory.sources.len() <= 50 && memory.anchors.files.len() <= 8);
        }
    }
}
