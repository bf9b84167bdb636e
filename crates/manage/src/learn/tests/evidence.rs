//! Patterns that are there: they gain evidence instead of twins, lose certainty when it turns, and keep their words.

use std::sync::Arc;

use super::super::known::body_of;
use super::corpus::{DAY, START};
use super::lab::Lab;
use super::{LATER, login, told};
use lokid_model::{Archived, Body, Kind, Memory, MemoryId, Pattern, Scope, Source, Status, Timestamp, render};

fn pattern(id: &str, words: &str, source: Source, sources: &[&str]) -> Arc<Memory> {
    let mut memory = Memory::new(MemoryId::new(id).unwrap(), Kind::Pattern, "", Timestamp::from_micros(START));
    memory.source = source;
    memory.body = Body::Pattern(Box::new(Pattern {
        pattern: words.into(),
        correct_approach: "run the auth tests".into(),
        source_episodes: sources.iter().map(|id| (*id).to_owned()).collect(),
        ..Pattern::default()
    }));
    memory.text = render::text_of(&memory.body);
    memory.confidence = 0.9;
    Arc::new(memory)
}

fn good(count: usize) -> Vec<Arc<Memory>> {
    (0..count).map(|number| login(number, true, "cargo test -p auth")).collect()
}

#[test]
fn one_case_waits_and_a_second_makes_the_pattern() {
    let mut lab = Lab::new(good(1));
    assert_eq!(lab.night(LATER), 0);
    lab.add(good(2));
    assert_eq!(lab.night(LATER + DAY), 1);
    assert_eq!(lab.patterns().len(), 1);
    assert_eq!(lab.patterns()[0].confidence, 0.8);
}

#[test]
fn a_pattern_somebody_wrote_gains_evidence_and_keeps_its_words() {
    for source in [Source::User, Source::Agent] {
        let theirs = pattern("sem-001", "Test login timeouts with the auth suite", source, &["ep-0000"]);
        let mut lab = Lab::new(good(4).into_iter().chain([Arc::clone(&theirs)]));
        lab.night(LATER);
        let [pattern] = lab.patterns()[..] else { panic!("a twin: {:#?}", told(&lab)) };
        let body = body_of(pattern).unwrap();
        assert_eq!((&pattern.id, &body.pattern), (&theirs.id, &body_of(&theirs).unwrap().pattern));
        assert_eq!(body.source_episodes, ["ep-0000", "ep-0001", "ep-0002", "ep-0003"]);
        assert!(pattern.confidence >= 0.9);
        assert_eq!(lab.links.len(), 3 + 1);
    }
}

#[test]
fn a_list_that_names_everything_is_about_nothing() {
    let all: Vec<String> = (0..40).map(|number| format!("ep-x{number}")).chain(["ep-0000".to_owned()]).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let mut lab =
        Lab::new(good(3).into_iter().chain([pattern("sem-001", "General development work", Source::Agent, &all)]));
    lab.night(LATER);
    assert_eq!(lab.patterns().len(), 2);
}

#[test]
fn a_pattern_that_says_the_same_without_naming_episodes_is_found() {
    let mut lab = Lab::new(good(3));
    lab.night(LATER);
    let mut theirs = Memory::clone(lab.patterns()[0]);
    (theirs.id, theirs.actor, theirs.source) = (MemoryId::new("sem-theirs").unwrap(), None, Source::User);
    let Body::Pattern(body) = &mut theirs.body else { panic!() };
    body.source_episodes.clear();
    let words = theirs.text.clone();
    let mut lab = Lab::new(good(4).into_iter().chain([Arc::new(theirs)]));
    lab.night(LATER);
    let [pattern] = lab.patterns()[..] else { panic!("a twin: {:#?}", told(&lab)) };
    assert_eq!((pattern.id.as_str(), &pattern.text), ("sem-theirs", &words));
    assert_eq!(body_of(pattern).unwrap().source_episodes.len(), 4);
}

#[test]
fn a_warning_near_by_is_not_the_same_lesson() {
    let mut lab = Lab::new(good(3));
    lab.night(LATER);
    let made = Arc::clone(lab.patterns()[0]);
    let mut warning = Memory::clone(&made);
    warning.id = MemoryId::new("sem-warning").unwrap();
    warning.actor = None;
    let Body::Pattern(body) = &mut warning.body else { panic!() };
    body.source_episodes.clear();
    body.pattern = format!("Avoid: {}", body.pattern);
    warning.text = render::text_of(&warning.body);
    let mut lab = Lab::new(good(3).into_iter().chain([Arc::new(warning)]));
    lab.night(LATER);
    assert_eq!(lab.patterns().len(), 2);
}

#[test]
fn when_the_evidence_turns_certainty_falls_and_the_pattern_stays() {
    let mut lab = Lab::new(good(3));
    lab.night(LATER);
    let before = lab.patterns()[0].confidence;
    lab.add((3..7).map(|number| login(number, false, "cargo test -p auth")));
    lab.night(LATER + DAY);
    let [pattern] = lab.patterns()[..] else { panic!("{:#?}", told(&lab)) };
    assert!(before >= 0.8 && pattern.confidence < 0.5, "{before} {}", pattern.confidence);
    assert_eq!(body_of(pattern).unwrap().source_episodes.len(), 7);
}

#[test]
fn a_person_s_certainty_never_falls() {
    let theirs = pattern("sem-001", "Test login timeouts with the auth suite", Source::User, &["ep-0000"]);
    let bad = (1..8).map(|number| login(number, false, "cargo test -p auth"));
    let mut lab = Lab::new(good(1).into_iter().chain(bad).chain([theirs]));
    lab.night(LATER);
    assert_eq!(lab.patterns()[0].confidence, 0.9);
}

#[test]
fn words_that_somebody_changed_stay_changed() {
    let mut lab = Lab::new(good(3));
    lab.night(LATER);
    let mut edited = Memory::clone(lab.patterns()[0]);
    let Body::Pattern(body) = &mut edited.body else { panic!() };
    body.correct_approach = "ask Ada first".into();
    edited.text = render::text_of(&edited.body);
    lab.add([Arc::new(edited.clone())]);
    lab.add((3..5).map(|number| login(number, true, "cargo test -p auth")));
    lab.night(LATER + DAY);
    let [pattern] = lab.patterns()[..] else { panic!("{:#?}", told(&lab)) };
    assert_eq!(body_of(pattern).unwrap().correct_approach, "ask Ada first");
    assert_eq!(body_of(pattern).unwrap().source_episodes.len(), 5);
}

#[test]
fn episodes_named_are_bounded_and_the_newest_are_kept() {
    let mut lab = Lab::new(good(120));
    lab.night(LATER);
    let body = body_of(lab.patterns()[0]).unwrap();
    assert_eq!((body.source_episodes.len(), lab.links.len()), (50, 20));
    assert_eq!(body.source_episodes[49], "ep-0119");
    assert!(body.correct_approach.contains("120 of 120"), "{}", body.correct_approach);
}

#[test]
fn what_was_taken_away_is_not_made_again() {
    let mut lab = Lab::new(good(3));
    lab.night(LATER);
    let made = Arc::clone(lab.patterns()[0]);
    lab.memories.remove(&made.id);
    lab.links.clear();
    lab.purged.insert(made.id.clone());
    lab.add((3..4).map(|number| login(number, true, "cargo test -p auth")));
    assert_eq!(lab.night(LATER + DAY), 0, "purged");
    lab.purged.clear();
    lab.archived.push(Arc::new(Archived { memory: made, at: Timestamp::from_micros(LATER), reason: "x".into() }));
    assert_eq!(lab.night(LATER + DAY), 0, "archived");
}

#[test]
fn archived_episodes_still_count_for_the_pattern_they_made() {
    let mut lab = Lab::new(good(6));
    lab.night(LATER);
    let before = told(&lab);
    for number in 0..4 {
        let memory = lab.memories.remove(&MemoryId::new(&format!("ep-{number:04}")).unwrap()).unwrap();
        lab.links.retain(|link| !link.touches(&memory.id));
        let at = Timestamp::from_micros(LATER);
        lab.archived.push(Arc::new(Archived { memory, at, reason: "old".into() }));
    }
    lab.night(LATER + DAY);
    assert_eq!(told(&lab), before);
}

#[test]
fn private_unverified_and_restricted_episodes_teach_nobody_else() {
    let change = |number: usize, change: fn(&mut Memory)| {
        let mut memory = Memory::clone(&login(number, true, "cargo test -p auth"));
        change(&mut memory);
        Arc::new(memory)
    };
    let mut lab = Lab::new([
        change(0, |_| {}),
        change(1, |memory| memory.scope = Scope::UserPrivate),
        change(2, |memory| memory.status = Status::Unverified),
        change(3, |memory| memory.restricted = true),
    ]);
    assert_eq!(lab.night(LATER), 0);
    lab.add([change(5, |memory| memory.scope = Scope::UserPrivate)]);
    lab.night(LATER);
    assert_eq!(lab.patterns().iter().map(|pattern| pattern.scope).collect::<Vec<_>>(), [Scope::UserPrivate]);
}

#[test]
fn what_only_logs_told_stays_hearsay() {
    let heard = |number: usize, source: Source| {
        let mut memory = Memory::clone(&login(number, true, "cargo test -p auth"));
        memory.source = source;
        Arc::new(memory)
    };
    for (sources, expected) in
        [([Source::Log, Source::Log], Source::Log), ([Source::Log, Source::Agent], Source::Agent)]
    {
        let mut lab = Lab::new(sources.into_iter().enumerate().map(|(number, source)| heard(number, source)));
        lab.night(LATER);
        assert_eq!(lab.patterns()[0].source, expected);
    }
}
