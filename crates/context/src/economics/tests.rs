//! The ledger's figures, bounds and measures, each as a small story.

mod measures;

use serde_json::{Value, json};

use super::*;
use lokid_model::Timestamp;
use proptest::prelude::*;

const NOW: i64 = 1_768_000_000_000_000;

pub(super) fn now() -> Timestamp {
    Timestamp::from_micros(NOW)
}

pub(super) fn ledger(session: &str, entries: &[Entry<'_>]) -> Ledger {
    let mut ledger = Ledger::default();
    ledger.begin(session, "agent", now());
    entries.iter().for_each(|entry| ledger.record(session, *entry, now()));
    ledger
}

pub(super) fn view(session: &str, entries: &[Entry<'_>]) -> LedgerView {
    ledger(session, entries).view(Some(session))
}

fn actions(view: &LedgerView, checkpoint: Checkpoint) -> Vec<&'static str> {
    view.check(checkpoint).iter().map(|action| action.kind.as_str()).collect()
}

/// The example of the format's own description.
const EXAMPLE: [Entry<'_>; 4] = [
    Entry::FullLoad { tokens: 11_500 },
    Entry::Index { tokens: 100 },
    Entry::Timeline { scanned: 50, available: 450 },
    Entry::Full { tokens: 2400, topic: "src/auth" },
];

#[test]
fn the_document_has_the_form_its_readers_know() {
    let document = Value::Object(ledger("s-1", &EXAMPLE).document(Some("s-1")));
    assert_eq!(document["session_id"], "s-1");
    assert_eq!(document["started_at"], now().envelope_style());
    assert_eq!(document["metrics"]["discovery_tokens"], 150);
    assert_eq!(document["metrics"]["read_tokens"], 2400);
    assert_eq!(document["metrics"]["ratio"], 0.0625);
    assert_eq!(document["metrics"]["savings_vs_full_load"], "77.8%");
    assert_eq!(document["metrics"]["cache_hits"], 0);
    assert_eq!(document["breakdown"]["layer2_tokens_available"], 450);
    assert_eq!(document["breakdown"]["layer3_tokens"], 2400);
    assert_eq!(document["baseline_comparison"]["traditional_approach_tokens"], 11_500);
    assert_eq!(document["baseline_comparison"]["progressive_approach_tokens"], 2550);
    assert_eq!(document["baseline_comparison"]["tokens_saved"], 8950);
    assert_eq!(document["savings_percent"], 77.8261);
    let triggered = document["thresholds_triggered"].as_array().unwrap();
    assert_eq!(triggered.len(), 1);
    assert_eq!(triggered[0]["action_type"], "bypass_memory");
    assert_eq!(triggered[0]["triggered_by"], "net_tokens_saved < 0 (actual: -2550)");
}

#[test]
fn every_number_of_the_document_is_explained_once() {
    let document = Value::Object(ledger("s", &EXAMPLE).document(None));
    let known: Vec<&str> = MEANINGS.iter().map(|(name, _)| *name).collect();
    for part in ["metrics", "breakdown", "baseline_comparison"] {
        for name in document[part].as_object().unwrap().keys() {
            assert_eq!(known.iter().filter(|known| **known == name).count(), 1, "{name}");
        }
    }
    assert_eq!(document["session_id"], "all");
    let days = ledger("s", &EXAMPLE).days("");
    for name in days[0].as_object().unwrap().keys() {
        assert_eq!(known.iter().filter(|known| **known == name).count(), 1, "{name}");
    }
}

#[test]
fn every_day_has_its_own_counts_and_their_sum_is_the_whole() {
    const DAY: i64 = 86_400_000_000;
    let mut ledger = Ledger::default();
    let at = |day: i64| Timestamp::from_micros(NOW + day * DAY);
    for day in 0..3 {
        ledger.begin("long", "agent", at(day));
        ledger.begin(&format!("of-{day}"), "agent", at(day));
        for entry in [
            Entry::FullLoad { tokens: 1000 },
            Entry::Injected { tokens: 100, full: 0 },
            Entry::Given { memories: 4 },
            Entry::Cited { memories: 1 },
            Entry::ErrorsMet { errors: 2 },
            Entry::ErrorsAnswered { errors: 1 },
        ] {
            ledger.record(&format!("of-{day}"), entry, at(day));
        }
        ledger.record(NOBODY, Entry::CacheMiss, at(day));
    }
    ledger.record("long", Entry::Ignored { memories: 5 }, at(2));
    let days = ledger.days(&at(1).day());
    assert_eq!(days.iter().map(|day| &day["day"]).collect::<Vec<_>>(), [&at(2).day(), &at(1).day()]);
    let expected = json!({"day": at(2).day(), "sessions": 2, "spent_tokens": 100, "saved_vs_full_load": 900,
        "saved_vs_rereading": -100, "given": 4, "cited": 1, "ignored": 5, "prefetch_hits": 0, "prefetch_misses": 1,
        "errors_met": 2, "errors_answered": 1});
    assert_eq!(days[0], expected);
    let sum: i64 = ledger.days("").iter().map(|day| day["saved_vs_full_load"].as_i64().unwrap()).sum();
    assert_eq!(sum, ledger.view(None).counts.tokens_saved());
    assert_eq!(Ledger::from_value(&ledger.to_value()), ledger);
    for day in 3..500 {
        ledger.record("long", Entry::CacheHit, at(day));
    }
    assert_eq!((ledger.days("").len(), &ledger.days("")[0]["day"]), (400, &json!(at(499).day())));
    let mut broken = ledger.to_value();
    broken["days"] = json!({"2026-13-01": {}, "today": {}, "2026-01-01": 7, "2026-01-02": {"sessions": 1}});
    assert_eq!(Ledger::from_value(&broken).days("2026-01-02").len(), 1);
}

#[test]
fn losses_are_shown_as_losses() {
    let counts = view(
        "s",
        &[
            Entry::FullLoad { tokens: 100 },
            Entry::Injected { tokens: 400, full: 300 },
            Entry::AvoidedReading { tokens: 50 },
        ],
    )
    .counts;
    assert_eq!(counts.savings_vs_full_load(), Some(-300.0));
    assert_eq!(counts.savings_vs_rereading(), Some(-700.0));
    assert_eq!((counts.tokens_saved(), counts.net_tokens_saved()), (-300, -350));
    assert_eq!((counts.read_tokens(), counts.spent_tokens()), (300, 400));
}

#[test]
fn nothing_is_saved_that_nobody_measured() {
    let counts = view("s", &[Entry::Index { tokens: 100 }, Entry::Search { tokens: 30 }]).counts;
    assert_eq!(counts.discovery_tokens(), 130);
    assert_eq!((counts.ratio(), counts.savings_vs_full_load(), counts.savings_vs_rereading()), (None, None, None));
}

#[test]
fn the_account_of_all_adds_up_the_sessions() {
    let mut ledger = ledger("a", &EXAMPLE);
    EXAMPLE.iter().for_each(|entry| ledger.record("b", *entry, now()));
    ledger.record("b", Entry::FullLoad { tokens: 12_000 }, now());
    ledger.record("b", Entry::FullLoad { tokens: 9_000 }, now());
    let total = ledger.view(None).counts;
    assert_eq!((total.layer3_tokens, total.full_load_tokens), (4800, 23_500));
    assert_eq!(ledger.view(Some("b")).counts.full_load_tokens, 12_000);
    assert_eq!(ledger.view(Some("unknown")).counts, Counts::default());
    assert_eq!(ledger.sessions().collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn every_bound_asks_for_its_own_action() {
    let check = |entries: &[Entry<'_>], expect: &[&str]| {
        let mut entries = entries.to_vec();
        entries.push(Entry::Cited { memories: 1 });
        assert_eq!(actions(&view("s", &entries), Checkpoint::SessionEnd), expect, "{entries:?}");
    };
    let full = |tokens| Entry::Full { tokens, topic: "t" };
    check(&[Entry::Index { tokens: 16 }, full(100)], &["compress_layer3"]);
    check(&[Entry::Index { tokens: 15 }, full(100)], &[]);
    check(&[Entry::FullLoad { tokens: 199 }, full(100)], &["review_topic_relevance"]);
    check(&[Entry::FullLoad { tokens: 200 }, full(100)], &[]);
    check(&[full(1), full(1), full(1)], &[]);
    check(&[full(1), full(1), full(1), full(1)], &["create_specialized_index"]);
    check(&[Entry::Search { tokens: 201 }], &["reorganize_topic_index"]);
    check(&[Entry::Search { tokens: 200 }], &[]);
    check(&[Entry::Timeline { scanned: 121, available: 200 }], &["split_timeline"]);
    check(&[Entry::Timeline { scanned: 120, available: 200 }], &[]);
    check(&[Entry::Timeline { scanned: 100, available: 100 }], &[]);
}

#[test]
fn memory_pays_when_it_saves_its_cost_or_is_applied() {
    let check = |entries: &[Entry<'_>], expect: &[&str]| {
        assert_eq!(actions(&view("s", entries), Checkpoint::SessionEnd), expect, "{entries:?}");
    };
    let injected = Entry::Injected { tokens: 400, full: 0 };
    check(&[injected], &["bypass_memory"]);
    check(&[injected, Entry::AvoidedReading { tokens: 399 }], &["bypass_memory"]);
    check(&[injected, Entry::AvoidedReading { tokens: 400 }], &[]);
    check(&[injected, Entry::Cited { memories: 1 }], &[]);
    check(&[], &[]);
    check(&[Entry::CacheHit, Entry::CacheMiss, Entry::TaskDone, Entry::FullLoad { tokens: 10 }], &[]);
}

#[test]
fn checkpoints_look_at_what_they_are_for_and_in_order() {
    let full = Entry::Full { tokens: 100, topic: "t" };
    let mut entries = vec![
        Entry::FullLoad { tokens: 900 },
        Entry::Timeline { scanned: 300, available: 310 },
        Entry::Index { tokens: 100 },
        full,
        full,
    ];
    assert_eq!(actions(&view("s", &entries), Checkpoint::Layer3Load), [""; 0]);
    assert_eq!(actions(&view("s", &entries), Checkpoint::TaskDone), ["compress_layer3"]);
    entries.push(full);
    assert_eq!(actions(&view("s", &entries), Checkpoint::Layer3Load), ["compress_layer3"]);
    entries.push(full);
    let two = ["compress_layer3", "create_specialized_index"];
    assert_eq!(actions(&view("s", &entries), Checkpoint::Layer3Load), two);
    assert_eq!(actions(&view("s", &entries), Checkpoint::TaskDone), two);
    let all: Vec<&str> = ActionKind::ALL.iter().map(|kind| kind.as_str()).collect();
    assert_eq!(actions(&view("s", &entries), Checkpoint::SessionEnd), all);
    for (place, action) in view("s", &entries).check(Checkpoint::SessionEnd).iter().enumerate() {
        assert_eq!(action.priority(), place + 1);
        assert!(action.description().ends_with('.'), "{}", action.description());
    }
}

#[test]
fn bounds_stand_in_the_order_of_their_actions() {
    assert!(THRESHOLDS.iter().map(|threshold| threshold.action).eq(ActionKind::ALL.iter().copied()));
}

#[test]
fn the_oldest_account_goes_and_the_total_stays() {
    let mut ledger = Ledger::default();
    for number in 0..600_i64 {
        let at = Timestamp::from_micros(NOW + number);
        ledger.record(&format!("s-{number:03}"), Entry::Index { tokens: 1 }, at);
    }
    assert_eq!(ledger.sessions().count(), 512);
    assert_eq!(ledger.view(None).counts.layer1_tokens, 600);
    assert_eq!(ledger.view(Some("s-000")).counts, Counts::default());
    assert_eq!(Ledger::from_value(&ledger.to_value()), ledger);
}

#[test]
fn a_broken_account_costs_only_itself() {
    let good = ledger("good", &EXAMPLE);
    let mut value = good.to_value();
    value["sessions"]["bad"] = json!({"started_at": "never"});
    value["sessions"]["worse"] = json!(null);
    value["sessions"]["good"]["topics"]["x"] = json!("many");
    assert_eq!(Ledger::from_value(&value), good);
    assert_eq!(Ledger::from_value(&json!([])), Ledger::default());
}

pub(super) fn any_entry() -> impl Strategy<Value = Entry<'static>> {
    let tokens = prop_oneof![0..3000_u64, Just(u64::MAX)];
    (0..11_u8, tokens.clone(), tokens, prop::sample::select(vec!["", "a", "b", "c", "d", "e"])).prop_map(
        |(entry, tokens, other, topic)| match entry {
            0 => Entry::Index { tokens },
            1 => Entry::Timeline { scanned: tokens, available: other },
            2 => Entry::Search { tokens },
            3 => Entry::Full { tokens, topic },
            4 => Entry::Injected { tokens, full: other },
            5 => Entry::CacheHit,
            6 => Entry::CacheMiss,
            7 => Entry::TaskDone,
            8 => Entry::Cited { memories: tokens },
            9 => Entry::AvoidedReading { tokens },
            _ => Entry::FullLoad { tokens },
        },
    )
}

proptest! {
    #[test]
    fn any_account_is_written_and_read_again(entries in prop::collection::vec(any_entry(), 0..30)) {
        let ledger = ledger("s", &entries);
        prop_assert_eq!(&Ledger::from_value(&ledger.to_value()), &ledger);
        let view = ledger.view(Some("s"));
        prop_assert_eq!(&ledger.view(None).counts, &view.counts);
        prop_assert!(view.counts.read_tokens() <= view.counts.spent_tokens());
        let actions = view.check(Checkpoint::SessionEnd);
        prop_assert!(actions.windows(2).all(|pair| pair[0].priority() < pair[1].priority()));
        prop_assert_eq!(view.document()["thresholds_triggered"].as_array().map(Vec::len), Some(actions.len()));
    }
}
