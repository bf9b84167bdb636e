//! Every schema reads back what it writes, keeps what it does not know, and survives whatever it is given.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use lokid_model::{
    Action, Anchors, AntiPattern, Body, CommonError, Episode, EpisodeError, Fact, Kind, Learning, MemoryId, Outcome,
    Pattern, Scope, Skill, Source, Status, Tier, Usage, render,
};

fn setting() -> Setting {
    Setting { namespace: Namespace::default(), at: Timestamp::from_micros(7) }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-zA-Z ]{1,12}", "\\PC{1,12}", Just("a \"quote\" \\ and\nlines\t😀".to_owned())]
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(text(), 0..3)
}

fn time() -> impl Strategy<Value = Timestamp> {
    (0i64..4_000_000_000_000_000).prop_map(Timestamp::from_micros)
}

fn share() -> impl Strategy<Value = f64> {
    (0u32..=1000).prop_map(|thousandths| f64::from(thousandths) / 1000.0)
}

fn word<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
    prop::sample::select(all)
}

fn body(kind: Kind) -> BoxedStrategy<Body> {
    match kind {
        Kind::Fact => (text(), text(), "[a-z]{0,5}")
            .prop_map(|(key, value, scope)| Body::Fact(Box::new(Fact { key, value, scope })))
            .boxed(),
        Kind::Episode => (texts(), text(), text(), texts(), prop::option::of(text()))
            .prop_map(|(list, goal, word, files, git_commit)| {
                Body::Episode(Box::new(Episode {
                    task_id: word.clone(),
                    duration_seconds: Some(2.5),
                    agent: word.clone(),
                    phase: word.clone(),
                    goal: goal.clone(),
                    constraints: list.clone(),
                    action_log: vec![Action {
                        t: Some(1.0),
                        action: word.clone(),
                        target: "f".into(),
                        result: word.clone(),
                        error: String::new(),
                    }],
                    errors: vec![EpisodeError { kind: word.clone(), message: word, resolution: String::new() }],
                    artifacts: list.clone(),
                    git_commit,
                    tokens_used: Some(12),
                    files_read: list,
                    files_modified: files.clone(),
                    conclusion: goal,
                    changes: files,
                }))
            })
            .boxed(),
        Kind::Pattern => (text(), "[a-z-]{1,8}", texts(), text())
            .prop_map(|(pattern, category, conditions, approach)| {
                let category = if category == "anti-pattern" { "other".to_owned() } else { category };
                Body::Pattern(Box::new(Pattern {
                    pattern,
                    category,
                    source_episodes: conditions.clone(),
                    conditions,
                    correct_approach: approach.clone(),
                    incorrect_approach: approach,
                }))
            })
            .boxed(),
        Kind::AntiPattern => (text(), text(), text(), text())
            .prop_map(|(what_fails, why, prevention, learnt_from)| {
                Body::AntiPattern(Box::new(AntiPattern { what_fails, why, prevention, learnt_from }))
            })
            .boxed(),
        Kind::Skill => (text(), texts(), text())
            .prop_map(|(name, list, fix)| {
                Body::Skill(Box::new(Skill {
                    name,
                    description: fix.clone(),
                    prerequisites: list.clone(),
                    steps: list.clone(),
                    common_errors: vec![CommonError { error: fix.clone(), fix }],
                    exit_criteria: list,
                }))
            })
            .boxed(),
        Kind::Learning => (text(), text(), text())
            .prop_map(|(error, cause, fix)| {
                Body::Learning(Box::new(Learning { error, cause, fix, fingerprint: "f".into() }))
            })
            .boxed(),
        _ => Just(Body::None).boxed(),
    }
}

prop_compose! {
    fn memory(kind: Kind)(
        body in body(kind),
        own_text in prop::option::of(text()),
        tags in texts(),
        files in texts(),
        importance in share(),
        confidence in share(),
        created in time(),
        later in prop::option::of(time()),
        tier in word(Tier::ALL),
        source in word(Source::ALL),
        status in word(Status::ALL),
        outcome in prop::option::of(word(Outcome::ALL)),
        restricted in any::<bool>(),
        counts in (0u64..5, 0u64..5, 0u64..5, 0u64..5),
    ) -> Memory {
        let mut memory = Memory::new(MemoryId::new("x-1").unwrap(), kind, "", created);
        memory.text = own_text.unwrap_or_else(|| render::text_of(&body));
        if memory.text.is_empty() {
            memory.text = "words".to_owned();
        }
        memory.title = render::title_of(&body);
        memory.body = body;
        memory.tags = tags;
        memory.anchors = Anchors { files, symbols: vec!["f::g".into()], commits: vec!["abc".into()] };
        memory.importance = importance;
        memory.confidence = confidence;
        memory.times.invalid_at = later;
        memory.times.stale_after = later;
        memory.times.updated_at = created.plus_micros(5);
        memory.tier = lokid_model::draft::allowed_tier(tier, source);
        memory.source = source;
        memory.status = status;
        memory.outcome = outcome;
        memory.restricted = restricted;
        memory.usage =
            Usage { loaded: counts.0, referenced: counts.1, success: counts.2, ignored: counts.3, ..Usage::default() }.into();
        memory
    }
}

fn shape_and_memory() -> impl Strategy<Value = (Shape, Memory)> {
    prop_oneof![
        memory(Kind::Episode).prop_map(|memory| (Shape::Episode, memory)),
        memory(Kind::Pattern).prop_map(|memory| (Shape::Patterns, memory)),
        memory(Kind::AntiPattern).prop_map(|memory| (Shape::AntiPatterns, memory)),
        memory(Kind::Fact).prop_map(|memory| (Shape::Facts, memory)),
        memory(Kind::Skill).prop_map(|memory| (Shape::Skill, memory)),
        memory(Kind::Learning).prop_map(|memory| (Shape::Learnings, memory)),
        word(Kind::ALL).prop_flat_map(|kind| memory(kind).prop_map(|memory| (Shape::Notes, memory))),
    ]
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,8}".prop_map(Value::from),
        Just(json!("2026-13-45T99:00:00Z")),
    ];
    let name = prop::sample::select(vec![
        "id",
        "kind",
        "text",
        "timestamp",
        "context",
        "goal",
        "action_log",
        "errors_encountered",
        "outcome",
        "pattern",
        "category",
        "links",
        "lokid",
        "fact",
        "key",
        "value",
        "scope",
        "usage",
        "created_at",
        "common_errors",
        "name",
        "patterns",
        "facts",
        "record",
        "archived_at",
        "importance",
        "tags",
        "files",
        "deleted",
        "updated_at",
    ]);
    leaf.prop_recursive(4, 48, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name.clone(), inner), 0..8).prop_map(|fields| Value::Object(
                fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
            )),
        ]
    })
}

proptest! {
    #[test]
    fn every_shape_reads_back_what_it_writes((shape, memory) in shape_and_memory()) {
        let found = read(shape, view(shape, &memory), &setting()).unwrap();
        prop_assert_eq!(found.memory.as_ref(), &memory);
    }

    #[test]
    fn a_record_survives_an_answer_too(mut memory in word(Kind::ALL).prop_flat_map(memory)) {
        memory.title = memory.headline().to_owned(); // an answer always has one
        let back = record::read(record::write(&memory, Detail::Whole)).unwrap();
        prop_assert_eq!(record::content(&back), record::content(&memory));
    }

    #[test]
    fn unknown_fields_are_kept_wherever_they_stand((shape, memory) in shape_and_memory(), odd in json_value()) {
        let mut object = view(shape, &memory);
        object.insert("x_unknown".to_owned(), odd.clone());
        let found = read(shape, object, &setting()).unwrap();
        let written = view(shape, &found.memory);
        prop_assert_eq!(written.get("x_unknown"), Some(&odd));
    }

    #[test]
    fn no_json_makes_a_reader_panic(value in json_value()) {
        if let Value::Object(object) = value {
            for shape in [Shape::Episode, Shape::Patterns, Shape::AntiPatterns, Shape::Facts, Shape::Skill, Shape::Learnings, Shape::Notes] {
                if let Ok(found) = read(shape, object.clone(), &setting()) {
                    let _ = view(shape, &found.memory);
                }
            }
            let _ = lists::read_archive_line(object.clone(), &Namespace::default());
            let _ = lists::read_contradiction(object.clone(), &Namespace::default());
            let _ = lists::read_tombstone(object.clone(), &Namespace::default(), Scope::System);
            let _ = lists::read_link(object, &Namespace::default(), Timestamp::default());
        }
    }
}

#[test]
fn aliases_met_in_the_wild_are_understood() {
    let object = json!({
        "id": "ep-1", "goal": "g", "phase": "p", "timestamp": "2026-01-06T10:00:00+00:00Z",
        "action_log": [{"tool": "Edit", "input": "a.rs", "output": "ok", "timestamp": 3}],
        "errors_encountered": [{"error_type": "E1", "message": "m"}],
        "outcome": "completed",
    });
    let found = read(Shape::Episode, object.as_object().unwrap().clone(), &setting()).unwrap();
    let Body::Episode(episode) = &found.memory.body else { panic!("an episode") };
    assert_eq!((episode.goal.as_str(), episode.phase.as_str()), ("g", "p"));
    assert_eq!((episode.action_log[0].action.as_str(), episode.action_log[0].target.as_str()), ("Edit", "a.rs"));
    assert_eq!(episode.errors[0].kind, "E1");
    assert_eq!(found.memory.times.created_at.to_string(), "2026-01-06T10:00:00Z");
    assert_eq!(found.memory.outcome, None, "an unknown outcome is none, and stays in the file");
}

#[test]
fn loki_modes_anti_patterns_are_anti_patterns() {
    let object = json!({
        "id": "sem-1", "pattern": "Avoid: retry without backoff", "category": "anti-pattern",
        "correct_approach": "back off", "incorrect_approach": "hammers the server", "source_episodes": ["ep-1"],
        "links": [{"to": "sem-2", "relation": "related_to"}],
    });
    let found = read(Shape::Patterns, object.as_object().unwrap().clone(), &setting()).unwrap();
    assert_eq!(found.memory.kind, Kind::AntiPattern);
    let Body::AntiPattern(anti) = &found.memory.body else { panic!("an anti-pattern") };
    assert_eq!(anti.what_fails, "retry without backoff");
    assert_eq!(anti.prevention, "back off");
    assert_eq!(found.links.len(), 1);
}

#[test]
fn a_pattern_gets_back_what_loki_mode_dropped() {
    let mut memory = Memory::new(MemoryId::new("sem-1").unwrap(), Kind::Pattern, "", Timestamp::from_micros(9));
    memory.body = Body::Pattern(Box::new(Pattern { pattern: "p".into(), ..Pattern::default() }));
    memory.text = render::text_of(&memory.body);
    memory.title = render::title_of(&memory.body);
    memory.tier = Tier::Guardrail;
    memory.scope = Scope::System;
    let kept = sidecar(&memory).unwrap();
    let mut object = view(Shape::Patterns, &memory);
    object.shift_remove("lokid");
    restore_from_sidecar(&mut object, &kept);
    assert_eq!(*read(Shape::Patterns, object, &setting()).unwrap().memory, memory);
}

#[test]
fn an_unknown_field_of_a_pattern_is_in_its_body_before_and_after_a_restart() {
    let told = json!({"id": "sem-1", "kind": "pattern", "pattern": {"pattern": "retry", "severity": "high"}});
    let memory = record::read(told.as_object().unwrap().clone()).unwrap();
    let file = view(Shape::Patterns, &memory);
    assert_eq!(file.get("severity"), Some(&json!("high")));
    let found = read(Shape::Patterns, file, &setting()).unwrap();
    assert_eq!(record::write(&found.memory, Detail::Whole)["pattern"]["severity"], "high");
    assert_eq!(record::content(&found.memory), record::content(&memory));
}
