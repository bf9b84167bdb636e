//! Memories, links and contradictions: no word is lost, and three copies come to the same in any order.

use std::collections::BTreeSet;

use super::*;

#[track_caller]
fn check(base: Option<Value>, ours: Value, theirs: Value, expect: Value) {
    let merged = merge_records(base.as_ref(), &ours, &theirs).value;
    assert_eq!(merged.to_string(), expect.to_string());
    assert_eq!(merge_records(base.as_ref(), &theirs, &ours).value.to_string(), merged.to_string());
}

#[test]
fn of_two_texts_the_later_stands_and_the_other_is_kept_beside_it() {
    check(
        Some(json!({"id": "n", "kind": "note", "text": "x", "created_at": "2026-05-01T00:00:00Z"})),
        json!({"id": "n", "kind": "note", "text": "late", "updated_at": "2026-05-03T00:00:00Z"}),
        json!({"id": "n", "kind": "note", "text": "early", "updated_at": "2026-05-02T00:00:00Z"}),
        json!({"id": "n", "kind": "note", "text": "late", "updated_at": "2026-05-03T00:00:00Z",
            "conflicts": [{"field": "text", "value": "early", "updated_at": "2026-05-02T00:00:00Z"}]}),
    );
}

#[test]
fn in_a_file_of_loki_mode_they_stand_in_our_own_object() {
    check(
        None,
        json!({"id": "s", "pattern": "p", "lokid": {"updated_at": "2026-05-03T00:00:00Z"}}),
        json!({"id": "s", "pattern": "q", "lokid": {"updated_at": "2026-05-02T00:00:00Z"}}),
        json!({"id": "s", "pattern": "p", "lokid": {"updated_at": "2026-05-03T00:00:00Z",
            "conflicts": [{"field": "pattern", "value": "q", "updated_at": "2026-05-02T00:00:00Z"}]}}),
    );
}

#[test]
fn tiers_sink_scopes_narrow_and_the_later_record_judges() {
    check(
        Some(json!({"id": "n", "kind": "note", "text": "x"})),
        json!({"id": "n", "kind": "note", "text": "x", "tier": "mandate", "importance": 0.9, "scope": "user-private",
            "updated_at": "2026-05-02T00:00:00Z"}),
        json!({"id": "n", "kind": "note", "text": "x", "tier": "guardrail", "importance": 0.1, "scope": "system",
            "updated_at": "2026-05-03T00:00:00Z"}),
        json!({"id": "n", "kind": "note", "text": "x", "tier": "guardrail", "importance": 0.1, "scope": "user-private",
            "updated_at": "2026-05-03T00:00:00Z"}),
    );
}

#[test]
fn who_went_back_to_reference_is_not_overruled() {
    check(
        Some(json!({"id": "n", "kind": "note", "tier": "mandate"})),
        json!({"id": "n", "kind": "note"}),
        json!({"id": "n", "kind": "note", "tier": "guardrail"}),
        json!({"id": "n", "kind": "note"}),
    );
}

#[test]
fn the_why_of_an_anti_pattern_is_a_word() {
    let side = |why: &str, day: u8| json!({"id": "a", "what_fails": "w", "why": why, "lokid": {"updated_at": format!("2026-05-0{day}T00:00:00Z")}});
    let merged = merge_records(Some(&side("x", 1)), &side("y", 2), &side("z", 3)).value;
    assert_eq!((&merged["why"], &merged["lokid"]["conflicts"][0]["value"]), (&json!("z"), &json!("y")));
}

#[test]
fn links_take_the_greater_strength_and_contradictions_stay_settled() {
    let link = |strength: f64| json!({"from": "a", "to": "b", "relation": "supports", "strength": strength});
    check(Some(link(0.5)), link(0.9), link(0.7), link(0.9));
    let con = |rest: Value| {
        let mut con = json!({"id": "c", "a": "x", "b": "y", "verdict": "contradicts", "status": "open", "why": "w", "found_at": "2026-05-02T00:00:00Z"});
        con.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        con
    };
    let won = json!({"status": "resolved", "resolution": "a_wins", "settled_at": "2026-05-03T00:00:00Z"});
    check(None, con(won.clone()), con(json!({"found_at": "2026-05-01T00:00:00Z"})), {
        let mut merged = con(won.clone());
        merged["found_at"] = json!("2026-05-01T00:00:00Z");
        merged
    });
    let later =
        json!({"status": "resolved", "resolution": "merged", "settled_at": "2026-05-04T00:00:00Z", "note": "both"});
    check(Some(con(json!({}))), con(won), con(later.clone()), con(later));
}

#[test]
fn what_was_settled_on_one_side_does_not_come_back() {
    let kept = json!([{"field": "text", "value": "a"}]);
    check(
        Some(json!({"id": "n", "text": "x", "conflicts": kept})),
        json!({"id": "n", "text": "x"}),
        json!({"id": "n", "text": "x", "title": "t", "conflicts": kept}),
        json!({"id": "n", "text": "x", "title": "t"}),
    );
}

const WORDS: [&str; 4] = ["text", "title", "extra", "goal"];

/// A copy of a record: each word as it was, gone, or one of this side's own.
fn copies(side: &'static str) -> impl Strategy<Value = Value> {
    let word = move |field: &'static str| {
        prop_oneof![
            3 => Just(Some(Value::from(format!("base {field}")))),
            1 => Just(None),
            3 => (0_u8..3).prop_map(move |n| Some(Value::from(format!("{side} {field} {n}")))),
            1 => Just(Some(Value::from(format!("same {field}")))),
        ]
    };
    let tags = proptest::sample::subsequence(vec!["b0", "b1", "b2", "x", "y"], 0..=5);
    let own = proptest::sample::subsequence((0..3).map(|n| format!("{side} tag {n}")).collect::<Vec<_>>(), 1..=3);
    let tier = proptest::option::of(proptest::sample::select(vec!["mandate", "guardrail", "archive"]));
    let words = (word("text"), word("title"), word("extra"), word("goal"));
    (words, tags, own, tier, 1_u8..5, 3_u64..6, any::<bool>()).prop_map(
        |((text, title, extra, goal), tags, own, tier, day, loaded, flip)| {
            let mut fields = vec![("id", Some(json!("n"))), ("kind", Some(json!("note"))), ("text", text)];
            fields.push(("title", title));
            fields.push(("tier", tier.map(Value::from)));
            let tags: Vec<String> = tags.into_iter().map(str::to_owned).chain(own).collect();
            fields.push(("tags", Some(tags.into())));
            fields.push(("extra", extra));
            fields.push(("context", goal.map(|goal| json!({"goal": goal}))));
            fields.push(("usage", Some(json!({"loaded": loaded}))));
            fields.push(("updated_at", Some(format!("2026-05-0{day}T00:00:00Z").into())));
            if flip {
                fields.reverse();
            }
            fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
        },
    )
}

fn base() -> Value {
    json!({"id": "n", "kind": "note", "text": "base text", "title": "base title", "tags": ["b0", "b1", "b2"],
        "extra": "base extra", "context": {"goal": "base goal"}, "usage": {"loaded": 3}, "created_at": "2026-05-01T00:00:00Z"})
}

/// Every word that stands or is kept, by field, and what else has to be the same in any order.
fn said(record: &Value) -> (BTreeSet<String>, String) {
    let mut words: BTreeSet<String> = WORDS
        .iter()
        .filter_map(|name| record.get(name).or_else(|| record.get("context")?.get(name)))
        .map(ToString::to_string)
        .collect();
    let kept = record.get("conflicts").and_then(Value::as_array).into_iter().flatten();
    words.extend(kept.map(|kept| kept["value"].to_string()));
    words.extend(record["tags"].as_array().into_iter().flatten().map(ToString::to_string));
    (words, format!("{:?} {} {}", record.get("tier"), record["usage"]["loaded"], record["updated_at"]))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]

    #[test]
    fn both_sides_come_to_the_same_bytes_and_no_word_is_lost(ours in copies("ours"), theirs in copies("theirs"), known in any::<bool>()) {
        let base = known.then(base);
        let merged = merge_records(base.as_ref(), &ours, &theirs).value;
        prop_assert_eq!(merged.to_string(), merge_records(base.as_ref(), &theirs, &ours).value.to_string());
        let (words, _) = said(&merged);
        for word in said(&ours).0.into_iter().chain(said(&theirs).0) {
            prop_assert!(words.contains(&word) || word.starts_with("\"b"), "{} is in neither {}", word, merged);
        }
        prop_assert_eq!(&merge_records(base.as_ref(), &merged, &merged).value, &merged);
        prop_assert_eq!(&merge_records(Some(&theirs), &merged, &theirs).value, &merged);
        prop_assert_eq!(merge_records(Some(&ours), &ours, &theirs).value.to_string(), theirs.to_string());
    }

    #[test]
    fn three_copies_come_to_the_same_words_in_any_order(one in copies("one"), two in copies("two"), three in copies("three")) {
        let base = base();
        let all = |[a, b, c]: [&Value; 3]| {
            let ab = merge_records(Some(&base), a, b).value;
            said(&merge_records(Some(&base), &ab, c).value)
        };
        let expect = all([&one, &two, &three]);
        prop_assert_eq!(&all([&one, &three, &two]), &expect);
        prop_assert_eq!(&all([&three, &two, &one]), &expect);
    }
}

proptest! {
    #[test]
    fn odd_records_merge_to_the_same_bytes_too(base in proptest::option::of(super::records()), ours in super::records(), theirs in super::records()) {
        let merged = merge_records(base.as_ref(), &ours, &theirs).value;
        prop_assert_eq!(merged.to_string(), merge_records(base.as_ref(), &theirs, &ours).value.to_string());
        prop_assert_eq!(&merge_records(base.as_ref(), &merged, &merged).value, &merged);
    }
}
