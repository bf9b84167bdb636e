//! What two people, or two machines, may do to one record between two meetings.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Merged, merge, merge_records};

mod records;

#[track_caller]
fn check(base: Value, ours: Value, theirs: Value, expect: Value, conflicts: &[&str]) {
    let merged = merge(Some(&base), &ours, &theirs);
    assert_eq!(merged.value, expect);
    assert_eq!(merged.conflicts, conflicts);
    assert_eq!(merge(Some(&base), &theirs, &ours), merged, "the other side sees it otherwise");
}

#[test]
fn each_side_may_change_another_field_also_deep_inside() {
    check(
        json!({"id": "a", "text": "x", "lokid": {"tier": "reference", "tags": ["one"]}}),
        json!({"id": "a", "text": "y", "lokid": {"tier": "reference", "tags": ["one"]}}),
        json!({"id": "a", "text": "x", "lokid": {"tier": "guardrail", "tags": ["one"]}, "new": null}),
        json!({"id": "a", "text": "y", "lokid": {"tier": "guardrail", "tags": ["one"]}, "new": null}),
        &[],
    );
}

#[test]
fn what_one_side_removed_stays_removed_and_what_both_added_is_there_once() {
    check(
        json!({"tags": ["a", "b", "c"], "gone": 1}),
        json!({"tags": ["a", "c", "d", "both"], "gone": 1}),
        json!({"tags": ["a", "b", "c", "both", "e"]}),
        json!({"tags": ["a", "c", "d", "both", "e"]}),
        &[],
    );
}

#[test]
fn steps_keep_their_order_and_a_new_one_its_place() {
    check(
        json!({"steps": ["build", "test", "ship"]}),
        json!({"steps": ["build", "lint", "test", "ship"]}),
        json!({"steps": ["build", "ship", "test"]}),
        json!({"steps": ["build", "lint", "ship", "test"]}),
        &[],
    );
}

#[test]
fn lists_of_records_go_by_id() {
    check(
        json!({"links": [{"id": 1, "s": 0.5}, {"id": 2}, {"id": 3}]}),
        json!({"links": [{"id": 1, "s": 0.7}, {"id": 2}, {"id": 3}, {"id": 4}]}),
        json!({"links": [{"id": 1, "s": 0.5, "why": "w"}, {"id": 3}]}),
        json!({"links": [{"id": 1, "s": 0.7, "why": "w"}, {"id": 3}, {"id": 4}]}),
        &[],
    );
}

#[test]
fn counters_add_up_and_times_go_by_what_they_mean() {
    check(
        json!({"usage": {"loaded": 10}, "access_count": 4, "created_at": "2026-05-02T00:00:00Z", "updated_at": "2026-05-02T00:00:00Z"}),
        json!({"usage": {"loaded": 13, "success": 1}, "access_count": 5, "created_at": "2026-05-01T00:00:00Z", "updated_at": "2026-05-04T00:00:00Z"}),
        json!({"usage": {"loaded": 12, "success": 2}, "access_count": 0, "created_at": "2026-05-03T00:00:00Z", "updated_at": "2026-05-03T00:00:00Z"}),
        json!({"usage": {"loaded": 15, "success": 2}, "access_count": 5, "created_at": "2026-05-01T00:00:00Z", "updated_at": "2026-05-04T00:00:00Z"}),
        &[],
    );
}

#[test]
fn of_two_words_for_one_field_the_later_stands_and_the_field_is_named() {
    check(
        json!({"lokid": {"text": "x", "updated_at": "2026-05-01T00:00:00Z"}, "pattern": "p", "confidence": 0.5}),
        json!({"lokid": {"text": "late", "updated_at": "2026-05-03T00:00:00Z"}, "confidence": 0.5}),
        json!({"lokid": {"text": "early", "updated_at": "2026-05-02T00:00:00Z"}, "pattern": "q", "confidence": 0.6}),
        json!({"lokid": {"text": "late", "updated_at": "2026-05-03T00:00:00Z"}, "pattern": "q", "confidence": 0.6}),
        &["lokid.text", "pattern"],
    );
}

#[test]
fn a_list_that_says_something_twice_is_no_set() {
    check(
        json!({"steps": ["a"], "updated_at": "2026-05-01T00:00:00Z"}),
        json!({"steps": ["a", "b", "a"], "updated_at": "2026-05-03T00:00:00Z"}),
        json!({"steps": ["c"], "updated_at": "2026-05-01T00:00:00Z"}),
        json!({"steps": ["a", "b", "a"], "updated_at": "2026-05-03T00:00:00Z"}),
        &["steps"],
    );
}

#[test]
fn without_a_base_everything_is_new() {
    let merged = merge(None, &json!({"id": 1, "tags": ["a"], "loaded": 3}), &json!({"tags": ["b"], "loaded": 5}));
    let Merged { value, conflicts } = merged;
    assert_eq!(value["loaded"], 5);
    assert_eq!((value["id"].as_u64(), value["tags"].as_array().map(Vec::len)), (Some(1), Some(2)));
    assert_eq!(conflicts, Vec::<String>::new());
}

fn records() -> impl Strategy<Value = Value> {
    let scalar = || {
        prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (0_u64..4).prop_map(Value::from),
            "[ab]{0,2}".prop_map(Value::from),
            (1_u8..4).prop_map(|day| format!("2026-05-0{day}T00:00:00Z").into()),
        ]
    };
    let name = prop_oneof![
        Just("id"),
        Just("text"),
        Just("tags"),
        Just("loaded"),
        Just("updated_at"),
        Just("created_at"),
        Just("lokid")
    ];
    let value = scalar().prop_recursive(3, 24, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((name.clone(), inner), 0..5)
                .prop_map(|fields| fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()),
        ]
    });
    proptest::collection::vec(("[a-d]", value), 0..4).prop_map(|fields| fields.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn both_sides_come_to_the_same_bytes(base in proptest::option::of(records()), ours in records(), theirs in records()) {
        let merged = merge(base.as_ref(), &ours, &theirs);
        let mirrored = merge(base.as_ref(), &theirs, &ours);
        prop_assert_eq!(merged.value.to_string(), mirrored.value.to_string());
        prop_assert_eq!(merged.conflicts, mirrored.conflicts);
    }

    #[test]
    fn who_changed_nothing_takes_what_the_other_has(base in records(), theirs in records()) {
        prop_assert_eq!(merge(Some(&base), &base, &theirs), Merged { value: theirs, conflicts: Vec::new() });
    }

    #[test]
    fn merging_again_changes_nothing(base in proptest::option::of(records()), ours in records(), theirs in records()) {
        prop_assert_eq!(&merge(base.as_ref(), &ours, &ours).value, &ours);
        let merged = merge(base.as_ref(), &ours, &theirs).value;
        prop_assert_eq!(&merge(Some(&theirs), &merged, &theirs).value, &merged);
        prop_assert_eq!(&merge(base.as_ref(), &merged, &merged).value, &merged);
    }

    #[test]
    fn fields_only_one_side_touched_are_as_that_side_has_them(base in records(), ours in records(), theirs in records()) {
        let merged = merge(Some(&base), &ours, &theirs).value;
        for name in ["a", "b", "c", "d"] {
            if base.get(name) == ours.get(name) {
                prop_assert_eq!(merged.get(name), theirs.get(name));
            }
        }
    }
}
