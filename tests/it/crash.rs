//! The disk fails, or the process dies, at every single step of a mixed workload: what is found afterwards is the
//! state before or the state after, never one between.

use std::io::{ErrorKind, Write};
use std::sync::Arc;

use lokid_index::Snapshot;
use lokid_model::{
    Archived, Body, Change, Contradiction, ContradictionStatus, Document, DocumentKind, Episode, Fact, Kind, Link,
    Memory, MemoryId, Namespace, Pattern, Relation, Scope, Skill, Tombstone, Verdict, render,
};
use lokid_sys::{FaultMode, Faults};

use crate::lab::{Lab, at, memory, picture, put};

fn with_body(mut memory: Memory, body: Body) -> Memory {
    memory.text = render::text_of(&body);
    memory.title = render::title_of(&body);
    memory.body = body;
    memory
}

fn link(from: &str, to: &str) -> Link {
    Link {
        namespace: Namespace::default(),
        from: MemoryId::new(from).unwrap(),
        to: MemoryId::new(to).unwrap(),
        relation: Relation::Supersedes,
        strength: 1.0,
        created_at: at(0),
        inline: false,
    }
}

fn changed(before: &Memory, change: impl FnOnce(&mut Memory)) -> (Change, Memory) {
    let mut after = before.clone();
    change(&mut after);
    after.times.updated_at = at(60);
    (Change::Put { before: Some(Arc::new(before.clone())), after: Arc::new(after.clone()) }, after)
}

/// Transactions that between them touch every kind of file.
fn workload() -> Vec<Vec<Change>> {
    let note = memory("note-1", Kind::Note, "a note");
    let fact = with_body(
        memory("fact-1", Kind::Fact, ""),
        Body::Fact(Fact { key: "port".into(), value: "80".into(), scope: String::new() }.into()),
    );
    let newer = with_body(
        memory("fact-2", Kind::Fact, ""),
        Body::Fact(Fact { key: "port".into(), value: "81".into(), scope: String::new() }.into()),
    );
    let episode = with_body(
        memory("ep-1", Kind::Episode, ""),
        Body::Episode(Box::new(Episode { goal: "ship it".into(), ..Episode::default() })),
    );
    let pattern = with_body(
        memory("sem-1", Kind::Pattern, ""),
        Body::Pattern(Box::new(Pattern { pattern: "retry".into(), ..Pattern::default() })),
    );
    let skill = with_body(
        memory("skill-deploy", Kind::Skill, ""),
        Body::Skill(Box::new(Skill { name: "Deploy".into(), steps: vec!["build".into()], ..Skill::default() })),
    );
    let private = Memory { scope: Scope::UserPrivate, ..memory("note-2", Kind::Note, "my own") };
    let system = Memory { scope: Scope::System, ..memory("note-3", Kind::Note, "for all projects") };
    let (end_fact, _) = changed(&fact, |memory| memory.times.invalid_at = Some(at(50)));
    let (edit_episode, episode_2) = changed(&episode, |memory| memory.importance = 0.9);
    let (edit_pattern, pattern_2) = changed(&pattern, |memory| memory.confidence = 0.95);
    // Out of the repository, into what all projects know.
    let (moved, _) = changed(&pattern_2, |memory| memory.scope = Scope::System);
    let (edit_skill, _) = changed(&skill, |memory| {
        let body = Skill { name: "Deploy".into(), steps: vec!["test".into(), "build".into()], ..Skill::default() };
        memory.body = Body::Skill(Box::new(body));
        memory.text = render::text_of(&memory.body);
    });
    let contradiction = Contradiction {
        id: "con-1".into(),
        namespace: Namespace::default(),
        a: fact.id.clone(),
        b: newer.id.clone(),
        verdict: Verdict::Contradicts,
        status: ContradictionStatus::Superseded,
        why: "newer".into(),
        found_at: at(1),
        settled: None,
    };
    let archived =
        |memory: &Memory| Arc::new(Archived { memory: Arc::new(memory.clone()), at: at(70), reason: "old".into() });
    let back = Archived {
        memory: Arc::new(Memory {
            times: lokid_model::Times { updated_at: at(90), ..note.times.clone() },
            ..note.clone()
        }),
        at: at(90),
        reason: "old".into(),
    };
    let ledger = Document {
        kind: DocumentKind::Ledger,
        name: "agent-1".into(),
        body: serde_json::Map::from_iter([("agent_id".to_owned(), "agent-1".into())]),
    };
    let tombstone = Tombstone {
        key: private.key(),
        fingerprint: private.fingerprint(),
        at: at(80),
        reason: String::new(),
        scope: Scope::UserPrivate,
    };
    vec![
        vec![put(note.clone()), put(fact), put(episode), put(pattern), put(private), put(system)],
        vec![end_fact, put(newer), Change::Link(link("fact-2", "fact-1")), Change::Contradict(contradiction)],
        vec![put(skill), edit_episode, edit_pattern],
        vec![edit_skill, Change::Write(ledger)],
        vec![moved],
        vec![Change::Archive(archived(&note)), Change::Archive(archived(&episode_2))],
        vec![Change::Restore(Arc::new(back)), Change::Purge(tombstone), Change::Unlink(link("fact-2", "fact-1"))],
    ]
}

/// The states between the transactions, each as it is found after a restart.
fn stations() -> Vec<String> {
    let mut stations = vec![picture(&Snapshot::default())];
    for length in 1..=workload().len() {
        let lab = Lab::new();
        let mut store = lab.store(None).unwrap();
        for transaction in &workload()[..length] {
            store.commit(at(100), transaction).unwrap();
        }
        stations.push(picture(&lab.reload()));
    }
    stations
}

fn fail_everywhere(mode: FaultMode) {
    let stations = stations();
    for step in 1.. {
        let lab = Lab::new();
        let faults = Faults::fail_at(step, mode);
        let mut done = 0;
        let mut failed = false;
        if let Ok(mut store) = lab.store(Some(Arc::clone(&faults))) {
            for transaction in workload() {
                if store.commit(at(100), &transaction).is_err() {
                    failed = true;
                    break;
                }
                done += 1;
            }
        }
        if faults.ops() < step {
            assert!(step > 100, "the workload has only {step} steps");
            return;
        }
        let found = picture(&lab.reload());
        let old = &stations[done];
        let new = &stations[(done + usize::from(failed)).min(stations.len() - 1)];
        let ids = |text: &str| text.lines().map(|line| line.chars().take(60).collect()).collect::<Vec<String>>();
        assert!(
            found == *old || found == *new,
            "{mode:?} at step {step}, {done} done: {:#?} is neither {:#?} nor {:#?}",
            ids(&found),
            ids(old),
            ids(new)
        );
        // And a second restart finds what the first one found.
        assert_eq!(picture(&lab.reload()), found, "{mode:?} at step {step}");
    }
}

#[test]
fn a_process_that_dies_at_any_write_leaves_the_old_or_the_new_state() {
    fail_everywhere(FaultMode::Crash);
}

#[test]
fn a_write_torn_in_half_leaves_the_old_or_the_new_state() {
    fail_everywhere(FaultMode::TornCrash);
}

#[test]
fn a_disk_that_refuses_one_write_leaves_the_old_or_the_new_state() {
    fail_everywhere(FaultMode::Error(ErrorKind::StorageFull));
}

#[test]
fn after_a_refused_write_the_next_one_succeeds_and_nothing_is_missing() {
    for step in 1..60 {
        let lab = Lab::new();
        let mut store = lab.store(Some(Faults::fail_at(step, FaultMode::Error(ErrorKind::StorageFull)))).unwrap();
        let mut expected = Snapshot::default();
        for transaction in workload() {
            // Whoever was refused asks again.
            if store.commit(at(100), &transaction).is_err() {
                store.commit(at(100), &transaction).unwrap();
            }
            transaction.iter().for_each(|change| expected.apply(change));
        }
        let ids = |snapshot: &Snapshot| snapshot.memories().map(|memory| memory.id.to_string()).collect::<Vec<_>>();
        assert_eq!(ids(&lab.reload()), ids(&expected), "step {step}");
    }
}

#[test]
fn what_a_crash_left_of_a_line_is_gone_with_the_next_write() {
    let lab = Lab::new();
    let mut store = lab.store(None).unwrap();
    store.commit(at(0), &[put(memory("note-1", Kind::Note, "one"))]).unwrap();
    let notes = std::fs::read_dir(lab.memory_dir().join("notes")).unwrap().next().unwrap().unwrap().path();
    let mut file = std::fs::OpenOptions::new().append(true).open(&notes).unwrap();
    file.write_all(b"{\"id\":\"note-2\",\"te").unwrap();
    store.look(at(1));
    assert!(store.problems()[0].reason.contains("line 2"), "{:?}", store.problems());
    store.commit(at(2), &[put(memory("note-3", Kind::Note, "three"))]).unwrap();
    assert!(store.problems().is_empty(), "{:?}", store.problems());
    drop(store);
    assert_eq!(lab.reload().memories().map(|memory| memory.id.to_string()).collect::<Vec<_>>(), ["note-1", "note-3"]);
    let mut again = lab.store(None).unwrap();
    again.look(at(3));
    assert!(again.problems().is_empty(), "{:?}", again.problems());
    assert_eq!(std::fs::read_to_string(&notes).unwrap().lines().count(), 2);

    file.write_all(b"typed by hand").unwrap();
    again.commit(at(4), &[put(memory("note-4", Kind::Note, "four"))]).unwrap();
    assert_eq!(std::fs::read_to_string(&notes).unwrap().lines().nth(2), Some("typed by hand"));
}
