//! What corrective actions leave behind, and how sessions that go well undo it.

use super::*;
use lokid_model::Level;

/// Ends one session after another, each with these entries, as the engine would.
fn live(measures: &mut Measures, sessions: std::ops::Range<u32>, entries: &[Entry<'_>]) -> Vec<Correction> {
    let mut told = Vec::new();
    for number in sessions {
        let view = view(&format!("s-{number}"), entries);
        for action in view.check(Checkpoint::SessionEnd) {
            told.extend(measures.carry_out(&action, &view));
        }
        told.extend(measures.session_ended(&view));
    }
    told
}

const CITED: Entry<'_> = Entry::Cited { memories: 1 };
const COSTLY_SEARCH: [Entry<'_>; 2] = [Entry::Search { tokens: 100 }, Entry::Full { tokens: 100, topic: "a" }];

#[test]
fn layer_three_grows_shorter_and_after_good_sessions_longer_again() {
    let mut measures = Measures::default();
    live(&mut measures, 0..2, &COSTLY_SEARCH);
    assert_eq!(measures.longest(), Level::Full, "one session speaks for nobody else");
    live(&mut measures, 2..3, &COSTLY_SEARCH);
    assert_eq!(measures.longest(), Level::Summary);
    live(&mut measures, 3..5, &COSTLY_SEARCH);
    assert_eq!(measures.longest(), Level::Summary, "a measure is given time to show");
    live(&mut measures, 5..9, &COSTLY_SEARCH);
    assert_eq!(measures.longest(), Level::Compressed);
    let good = [Entry::Full { tokens: 500, topic: "a" }, CITED];
    live(&mut measures, 20..22, &good);
    assert_eq!(measures.longest(), Level::Compressed);
    let told = live(&mut measures, 22..23, &good);
    assert_eq!(measures.longest(), Level::Summary);
    assert_eq!(told[0].sentence, "Memories are handed out at the length \"summary\" again");
    live(&mut measures, 23..40, &good);
    assert_eq!(measures.longest(), Level::Full);
}

#[test]
fn memory_that_is_applied_is_not_kept_short() {
    let mut measures = Measures::default();
    let applied: Vec<Entry<'_>> = COSTLY_SEARCH.into_iter().chain([CITED]).collect();
    live(&mut measures, 0..9, &applied);
    assert_eq!(measures.longest(), Level::Full);
}

#[test]
fn relevance_is_asked_for_up_to_a_bound_and_given_back() {
    let mut measures = Measures::default();
    let wasteful = [Entry::FullLoad { tokens: 5000 }, Entry::Injected { tokens: 4000, full: 0 }, CITED];
    live(&mut measures, 0..1, &wasteful);
    assert_eq!(measures.min_score_bump(), 0.05);
    live(&mut measures, 1..9, &wasteful);
    assert_eq!(measures.min_score_bump(), 0.2);
    let thrifty = [Entry::FullLoad { tokens: 5000 }, Entry::Injected { tokens: 400, full: 0 }, CITED];
    live(&mut measures, 10..12, &thrifty);
    assert_eq!(measures.min_score_bump(), 0.1);
    live(&mut measures, 12..20, &thrifty);
    assert_eq!(measures.min_score_bump(), 0.0);
}

#[test]
fn a_small_store_has_nothing_to_choose_from() {
    let mut measures = Measures::default();
    let small = [Entry::FullLoad { tokens: 500 }, Entry::Injected { tokens: 400, full: 0 }, CITED];
    assert_eq!(live(&mut measures, 0..4, &small), []);
    assert_eq!(measures.min_score_bump(), 0.0);
}

#[test]
fn topics_read_together_become_one() {
    let mut measures = Measures::default();
    let full = |topic| Entry::Full { tokens: 500, topic };
    let told = live(&mut measures, 0..2, &[full("b"), full("a"), full("a"), full("a"), CITED]);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].sentence, "The topics a + b are read together and now offered as one");
    live(&mut measures, 2..3, &[full("a"), full("c"), full("c"), full("c"), CITED]);
    let names: Vec<&str> = measures.composites().iter().map(|composite| composite.name.as_str()).collect();
    assert_eq!(names, ["a + b + c"]);
    live(&mut measures, 3..4, &[full("a"), full("a"), full("a"), full("a"), CITED]);
    assert_eq!(measures.composites().len(), 1, "one topic is no composite");
    for (number, pair) in (10..).zip([["d", "e"], ["f", "g"], ["h", "i"], ["j", "k"], ["l", "m"]]) {
        live(&mut measures, number..number + 1, &[full(pair[0]), full(pair[0]), full(pair[1]), full(pair[1]), CITED]);
    }
    assert_eq!(measures.composites().len(), 4);
    assert!(measures.composites().iter().any(|composite| composite.name == "a + b + c"), "the most used stays");
}

#[test]
fn topics_are_ordered_by_use_which_fades() {
    let mut measures = Measures::default();
    live(&mut measures, 0..1, &[Entry::Search { tokens: 300 }, Entry::Full { tokens: 9000, topic: "a" }, CITED]);
    assert!(measures.topics_by_use());
    live(&mut measures, 1..2, &[Entry::Full { tokens: 9000, topic: "b" }, CITED]);
    assert!(measures.use_of("b") > measures.use_of("a") && measures.use_of("a") > measures.use_of("c"));
    live(&mut measures, 10..60, &[Entry::Injected { tokens: 10, full: 10 }, CITED]);
    assert!(!measures.topics_by_use());
}

#[test]
fn a_long_timeline_is_split_and_made_whole_again() {
    let mut measures = Measures::default();
    let long = [Entry::Timeline { scanned: 150, available: 160 }, CITED];
    live(&mut measures, 0..3, &long);
    assert_eq!(measures.timeline_days(), Some(30));
    live(&mut measures, 3..20, &long);
    assert_eq!(measures.timeline_days(), Some(7));
    live(&mut measures, 20..30, &[Entry::Timeline { scanned: 150, available: 900 }, CITED]);
    assert_eq!(measures.timeline_days(), None);
}

#[test]
fn an_agent_for_whom_memory_never_pays_is_given_only_what_binds() {
    let mut measures = Measures::default();
    let useless = [Entry::Injected { tokens: 400, full: 0 }];
    live(&mut measures, 0..1, &useless);
    assert!(!measures.bypasses("agent"));
    live(&mut measures, 1..2, &[Entry::Injected { tokens: 400, full: 0 }, Entry::AvoidedReading { tokens: 500 }]);
    live(&mut measures, 2..3, &useless);
    assert!(!measures.bypasses("agent"), "not in a row");
    let told = live(&mut measures, 3..4, &useless);
    assert_eq!(told[0].sentence, "The agent agent is now given only what binds");
    assert!(measures.bypasses("agent") && !measures.bypasses("another"));
    assert_eq!(measures.bypassed().collect::<Vec<_>>(), ["agent"]);
    live(&mut measures, 4..5, &[Entry::Injected { tokens: 100, full: 0 }, CITED]);
    assert!(!measures.bypasses("agent"));
}

#[test]
fn a_bypassed_agent_is_tried_again_after_a_while() {
    let mut measures = Measures::default();
    let useless = [Entry::Injected { tokens: 400, full: 0 }];
    live(&mut measures, 0..6, &useless);
    assert!(measures.bypasses("agent"));
    live(&mut measures, 6..7, &useless);
    assert!(!measures.bypasses("agent"));
    live(&mut measures, 7..8, &useless);
    assert!(measures.bypasses("agent"));
}

#[test]
fn an_action_is_carried_out_once_a_session_and_never_for_all_of_them() {
    let mut measures = Measures::default();
    live(&mut measures, 0..2, &COSTLY_SEARCH);
    let ledger = ledger("s", &COSTLY_SEARCH);
    let view = ledger.view(Some("s"));
    let action = &view.check(Checkpoint::TaskDone)[0];
    assert_eq!(measures.carry_out(action, &ledger.view(None)), None);
    assert!(measures.carry_out(action, &view).is_some());
    assert_eq!(measures.carry_out(action, &view), None);
    assert_eq!(measures.session_ended(&ledger.view(None)), []);
}

#[test]
fn a_document_somebody_edited_cannot_ask_for_more_than_a_measure_may_do() {
    let edited = json!({
        "length": {"step": 900, "good": 255, "settling": "x"}, "days": [], "bumps": 77, "use_of_topics": {"a": "b"},
        "composites": [{"topics": ["one"]}, {"topics": [1, 2]}, 7, {"topics": ["x", "y"], "uses": 1}],
        "bypass": {"agent": {"strikes": 99, "waited": 99}}, "handled": [["s"], 3, ["t", 900]],
    });
    let mut measures = Measures::from_value(&edited);
    assert_eq!((measures.longest(), measures.min_score_bump()), (Level::Compressed, 0.2));
    assert_eq!((measures.timeline_days(), measures.composites().len()), (None, 1));
    live(&mut measures, 0..20, &COSTLY_SEARCH);
    assert_eq!(Measures::from_value(&json!(null)), Measures::default());
}

proptest! {
    #[test]
    fn measures_stay_within_their_bounds_and_are_read_again(
        sessions in prop::collection::vec(prop::collection::vec(any_entry(), 0..8), 0..30)
    ) {
        let mut measures = Measures::default();
        for (number, entries) in (0..).zip(&sessions) {
            live(&mut measures, number..number + 1, entries);
            prop_assert!(measures.longest() != Level::Index);
            prop_assert!((0.0..=0.2).contains(&measures.min_score_bump()));
            prop_assert!(measures.composites().len() <= 4);
            prop_assert!(measures.composites().iter().all(|composite| (2..=4).contains(&composite.topics.len())));
        }
        prop_assert_eq!(Measures::from_value(&measures.to_value()), measures);
    }
}
