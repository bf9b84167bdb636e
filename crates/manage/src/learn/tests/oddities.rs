//! Episodes nobody should have written: they are planned like others and never spoil the rest.

use std::sync::Arc;

use super::corpus::{START, corpus, memory};
use super::lab::Lab;
use super::{LATER, action, login, told};
use lokid_model::{Body, Episode, EpisodeError, Kind, Memory, MemoryId, Outcome, Timestamp};

fn bad() -> Vec<Arc<Memory>> {
    let plain = |id: &str, text: String, at: i64| {
        let id = MemoryId::new(id).unwrap();
        Arc::new(Memory::new(id, Kind::Episode, text, Timestamp::from_micros(at)))
    };
    let huge = Episode {
        goal: "word ".repeat(200_000),
        action_log: (0..10_000).map(|n| action("Bash", &format!("run {n}"), &"x".repeat(n % 7))).collect(),
        errors: (0..500)
            .map(|n| EpisodeError {
                kind: "\u{0}".into(),
                message: format!("é{n}").repeat(900),
                resolution: "—".into(),
            })
            .collect(),
        files_modified: (0..10_000).map(|n| format!("f/{n}.rs")).collect(),
        ..Episode::default()
    };
    let twice = Episode {
        goal: "null".into(),
        files_modified: vec!["".into(), "/".into(), "////".into(), "a b".into(), "../..".into(), "ü/ü.rs".into()],
        action_log: vec![action("", "", ""), action("{\"tool\":", "}", "null"), action("None", "None", "None")],
        ..Episode::default()
    };
    vec![
        plain("bad-0", String::new(), i64::MIN),
        plain("bad-1", "\u{0}\u{0}\n\n".into(), i64::MAX),
        plain("bad-2", "x".repeat(1 << 20), 0),
        plain("bad-3", "é".repeat(1 << 19), -1),
        plain("bad-4", "{\"context\": null}".into(), START),
        plain("bad-5", "[1, 2, 3]".into(), START),
        Arc::new(memory("bad-6", i64::MAX, Some(Outcome::Failure), huge)),
        Arc::new(memory("bad-7", 1, None, twice.clone())),
        Arc::new(memory("bad-8", START, Some(Outcome::Partial), twice)),
        Arc::new(memory("bad-9", START, Some(Outcome::Success), Episode::default())),
    ]
}

#[test]
fn ten_bad_episodes_among_a_thousand_change_nothing() {
    let all = corpus(990, 21, 10);
    let mut clean = Lab::new(all.clone());
    clean.night(LATER);
    let mut spoilt = Lab::new(all.into_iter().chain(bad()));
    spoilt.night(LATER);
    assert!(!told(&clean).is_empty());
    assert_eq!(told(&spoilt), told(&clean));
}

#[test]
fn a_bad_time_takes_no_episode_out_and_gives_no_pattern_a_bad_time() {
    let at = |number: usize, micros: i64| {
        let mut memory = Memory::clone(&login(number, true, "cargo test -p auth"));
        memory.times.created_at = Timestamp::from_micros(micros);
        Arc::new(memory)
    };
    let mut lab = Lab::new([at(0, i64::MAX), at(1, i64::MIN), at(2, START), at(3, START + 5)]);
    lab.night(LATER);
    let [pattern] = lab.patterns()[..] else { panic!("{:#?}", told(&lab)) };
    assert_eq!(pattern.times.created_at.as_micros(), START + 5);
    assert_eq!(told(&lab)[0].2.len(), 4);
}

#[test]
fn five_thousand_times_the_same_is_one_pattern() {
    let mut lab = Lab::new((0..5_000).map(|number| login(number, true, "cargo test -p auth")));
    lab.night(LATER * 2);
    assert_eq!(told(&lab).len(), 1);
    assert!(lab.patterns()[0].confidence > 0.99);
}

#[test]
fn a_list_of_sources_that_repeats_itself_is_read_once() {
    let mut lab = Lab::new((0..3).map(|number| login(number, true, "cargo test -p auth")));
    lab.night(LATER);
    let mut doubled = Memory::clone(lab.patterns()[0]);
    let Body::Pattern(body) = &mut doubled.body else { panic!() };
    body.source_episodes = std::iter::repeat_n("ep-0000".to_owned(), 5_000).collect();
    lab.add([Arc::new(doubled)]);
    lab.night(LATER);
    assert_eq!(told(&lab)[0].2, ["ep-0000", "ep-0001", "ep-0002"]);
}
