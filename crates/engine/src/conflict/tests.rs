//! Two edits of one memory, as a merge leaves them in its record.

use serde_json::{Value, json};

use super::*;
use lokid_model::Scope;

fn read(record: Value) -> Arc<Memory> {
    let Value::Object(record) = record else { panic!("no object") };
    Arc::new(record::read(record).unwrap())
}

fn known(memory: &Arc<Memory>) -> Snapshot {
    let mut snapshot = Snapshot::default();
    snapshot.apply(&Change::Put { before: None, after: Arc::clone(memory) });
    snapshot
}

fn now() -> Timestamp {
    Timestamp::parse("2026-06-01T00:00:00Z").unwrap()
}

#[track_caller]
fn parts(memory: &Arc<Memory>) -> (Arc<Memory>, Arc<Memory>, lokid_model::Contradiction) {
    match settle(&known(memory), memory, now()).as_slice() {
        [Change::Put { after: bare, .. }, Change::Put { before: None, after: other }, Change::Contradict(found)] => {
            (Arc::clone(bare), Arc::clone(other), found.clone())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn another_text_is_a_memory_beside_it_and_somebody_has_to_choose() {
    let memory = read(json!({"id": "note-1", "kind": "note", "text": "late", "created_at": "2026-05-01T00:00:00Z",
        "updated_at": "2026-05-03T00:00:00Z", "source": "user", "tier": "mandate",
        "conflicts": [{"field": "text", "value": "early", "updated_at": "2026-05-02T00:00:00Z"}]}));
    let (bare, other, found) = parts(&memory);
    assert_eq!((bare.conflicts().len(), bare.extra.is_none(), other.text.as_str()), (0, true, "early"));
    assert_eq!((other.tier, other.source), (Tier::Reference, Source::Import), "words of anybody do not bind");
    assert_eq!((&found.a, &found.b, found.why.as_str()), (&other.id, &bare.id, "two edits of `text`"));
    let mut after = known(&memory);
    settle(&after.clone(), &memory, now()).iter().for_each(|change| after.apply(change));
    assert_eq!(settle(&after, &memory, now()).len(), 1, "asked once");
    assert_eq!(settle(&after, &bare, now()), Vec::new());
}

#[test]
fn what_one_record_said_stays_together_and_other_bodies_too() {
    let said = |field: &str, value: &str, day: u8| json!({"field": field, "value": value, "updated_at": format!("2026-05-0{day}T00:00:00Z")});
    let memory = read(json!({"id": "sem-1", "kind": "pattern", "created_at": "2026-05-01T00:00:00Z",
        "pattern": {"pattern": "p", "correct_approach": "c"},
        "lokid": {"conflicts": [said("correct_approach", "d", 2), said("pattern", "q", 2), said("pattern", "r", 3)]}}));
    let changes = settle(&known(&memory), &memory, now());
    let texts: Vec<String> = changes.iter().filter_map(Change::memory).skip(1).map(|one| one.text.clone()).collect();
    assert_eq!(texts.len(), 2);
    assert!(texts[0].contains('q') && texts[0].contains('d') && texts[1].contains('r'), "{texts:?}");
}

#[test]
fn a_value_that_changes_no_word_asks_nobody() {
    let memory = read(json!({"id": "n-1", "kind": "note", "text": "same",
        "conflicts": [{"field": "text", "value": "same"}]}));
    assert_eq!(settle(&known(&memory), &memory, now()).len(), 1);
    assert_eq!(memory.scope, Scope::ProjectShared);
}
