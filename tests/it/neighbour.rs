//! Living beside Loki Mode: a tree by its rules is read without loss, left alone when nothing changes, and loses no
//! field when something does.

use std::sync::Arc;

use lokid_model::{
    Archived, Body, Change, Key, Kind, Memory, MemoryId, Namespace, Outcome, Pattern, Relation, Tier, render,
};

use crate::lab::{Lab, at, memory, put, tree};

const EPISODE: &str = r#"{
  "id": "ep-2026-01-06-0a1b2c3d",
  "task_id": "iteration-3",
  "timestamp": "2026-01-06T10:00:00.371649Z",
  "duration_seconds": 42,
  "agent": "orchestrator",
  "context": {
    "phase": "ACT",
    "goal": "Fix caf\u00e9 login",
    "files_involved": [
      "src/auth.py"
    ],
    "mystery": 1.10
  },
  "action_log": [
    {
      "t": 3,
      "action": "Edit",
      "target": "src/auth.py",
      "result": "ok",
      "own_field": [
        1
      ]
    }
  ],
  "outcome": "failure",
  "errors_encountered": [
    {
      "type": "ValueError",
      "message": "bad",
      "resolution": ""
    }
  ],
  "artifacts_produced": [],
  "git_commit": null,
  "tokens_used": 123456789012345678901234567890,
  "files_read": [],
  "files_modified": [
    "src/auth.py"
  ],
  "importance": 0.5,
  "access_count": 0,
  "_namespace": "default",
  "edit_summary": "x"
}"#;

const PATTERNS: &str = r#"{
  "version": "1.1.0",
  "patterns": [
    {
      "id": "sem-001",
      "pattern": "Retry with backoff",
      "category": "error-handling",
      "conditions": [
        "HTTP client"
      ],
      "correct_approach": "exponential backoff",
      "incorrect_approach": "retry at once",
      "confidence": 0.8,
      "source_episodes": [],
      "usage_count": 1,
      "links": [
        {
          "to": "sem-002",
          "relation": "related_to",
          "strength": 0.7
        }
      ],
      "importance": 0.5,
      "access_count": 0,
      "created_at": "2026-01-06T10:00:00.372793+00:00",
      "odd": 1e-07
    },
    {
      "id": "sem-002",
      "pattern": "Avoid: silent failures",
      "category": "anti-pattern",
      "conditions": [],
      "correct_approach": "check the exit code",
      "incorrect_approach": "ignore it",
      "confidence": 0.5,
      "source_episodes": [
        "ep-2026-01-06-0a1b2c3d"
      ],
      "usage_count": 0,
      "links": [],
      "importance": 0.5,
      "access_count": 0
    }
  ],
  "last_updated": "2026-01-06T10:00:00.374025+00:00",
  "whose": "theirs"
}"#;

const TIMELINE: &str = r#"{
  "version": "1.1.0",
  "last_updated": "2026-01-06T10:00:00.374025+00:00",
  "recent_actions": [
    {
      "timestamp": "2026-01-06T10:00:00.371649Z",
      "action": "Fix login",
      "outcome": "failure",
      "topic_id": "ACT"
    }
  ],
  "key_decisions": [],
  "active_context": {}
}"#;

const SKILL_JSON: &str = "{\n  \"id\": \"skill-deploy\",\n  \"name\": \"Deploy\",\n  \"description\": \"\",\n  \"prerequisites\": [],\n  \"steps\": [\n    \"build\"\n  ],\n  \"common_errors\": [],\n  \"exit_criteria\": [],\n  \"importance\": 0.5,\n  \"access_count\": 0,\n  \"example_usage\": \"deploy()\"\n}";
const SKILL_TEXT: &str = "# Skill: Deploy\n\n## Steps\n1. build\n\n## Notes of mine\nKeep me.\n";

fn loki_tree() -> Lab {
    let lab = Lab::new();
    lab.write("episodic/2026-01-06/task-ep-2026-01-06-0a1b2c3d.json", EPISODE);
    lab.write("episodic/2026-01-06/task-ep-2026-01-06-0a1b2c3d.json.lock", "");
    lab.write("semantic/patterns.json", PATTERNS);
    lab.write("semantic/anti-patterns.json", "{\n  \"anti_patterns\": [\n    {\n      \"what_fails\": \"sleeping in tests\",\n      \"why\": \"flaky\",\n      \"prevention\": \"wait on events\",\n      \"source\": \"ep-1\"\n    }\n  ]\n}");
    lab.write("skills/deploy.json", SKILL_JSON);
    lab.write("skills/deploy.md", SKILL_TEXT);
    lab.write("skills/API_Client.json", "{\n  \"id\": \"skill-api-client\",\n  \"name\": \"API Client\"\n}");
    lab.write("skills/api-client.md", "# Skill: API Client\n\n## Steps\n1. call\n");
    lab.write("timeline.json", TIMELINE);
    lab.write("index.json", "{\n  \"version\": \"1.1.0\",\n  \"last_updated\": \"2026-01-06T10:00:00+00:00\",\n  \"topics\": [\n    {\n      \"id\": \"act\",\n      \"summary\": \"Fix login\",\n      \"episode_ids\": [\n        \"ep-1\"\n      ],\n      \"relevance_score\": 0.5\n    }\n  ]\n}");
    lab.write("web-app/semantic/patterns.json", "{\n  \"patterns\": {\n    \"sem-009\": {\n      \"id\": \"sem-009\",\n      \"pattern\": \"from a hydrated object\"\n    }\n  }\n}");
    lab.write("vectors/episodic_index.json", "{}");
    lab
}

fn key(id: &str) -> Key {
    Key::new(&Namespace::default(), &MemoryId::new(id).unwrap())
}

#[test]
fn a_tree_by_loki_modes_rules_is_read_without_loss() {
    let snapshot = loki_tree().reload();
    let episode = snapshot.get(&key("ep-2026-01-06-0a1b2c3d")).unwrap();
    assert_eq!(episode.outcome, Some(Outcome::Failure));
    assert_eq!(episode.anchors.files, ["src/auth.py"]);
    assert_eq!(episode.headline(), "Fix café login");
    assert_eq!(snapshot.get(&key("sem-001")).unwrap().kind, Kind::Pattern);
    assert_eq!(snapshot.get(&key("sem-002")).unwrap().kind, Kind::AntiPattern);
    assert_eq!(snapshot.count(Kind::AntiPattern), 2);
    assert_eq!(snapshot.count(Kind::Skill), 2, "two spellings are one skill");
    assert_eq!(snapshot.links().next().unwrap().relation, Relation::RelatedTo);
    let web = Namespace::new("web-app").unwrap();
    assert!(snapshot.get(&Key::new(&web, &MemoryId::new("sem-009").unwrap())).is_some());
    assert_eq!(snapshot.problems(), []);
}

#[test]
fn looking_changes_no_byte_of_it() {
    let lab = loki_tree();
    let before = tree(&lab.repo());
    lab.reload();
    lab.reload();
    assert_eq!(tree(&lab.repo()), before);
}

#[test]
fn a_change_touches_what_it_means_and_loses_no_field() {
    let lab = loki_tree();
    let mut store = lab.store(None).unwrap();
    let mut snapshot = lokid_index::Snapshot::default();
    store.look(at(0)).iter().for_each(|change| snapshot.apply(change));
    let edit = |id: &str, change: &dyn Fn(&mut Memory)| {
        let before = Arc::clone(snapshot.get(&key(id)).unwrap());
        let mut after = before.as_ref().clone();
        change(&mut after);
        Change::Put { before: Some(before), after: Arc::new(after) }
    };
    store
        .commit(
            at(1),
            &[
                edit("ep-2026-01-06-0a1b2c3d", &|memory| memory.importance = 0.9),
                edit("sem-001", &|memory| memory.tier = Tier::Guardrail),
                edit("skill-deploy", &|memory| memory.importance = 0.7),
            ],
        )
        .unwrap();

    let episode = lab.read("episodic/2026-01-06/task-ep-2026-01-06-0a1b2c3d.json");
    assert_eq!(episode, EPISODE.replace("\"importance\": 0.5", "\"importance\": 0.9"));

    let patterns = lab.read("semantic/patterns.json");
    let expect = PATTERNS
        .replace(
            "\"odd\": 1e-07\n    }",
            "\"odd\": 1e-07,\n      \"lokid\": {\n        \"tier\": \"guardrail\"\n      }\n    }",
        )
        .replace("2026-01-06T10:00:00.374025+00:00", &at(1).envelope_style());
    assert_eq!(patterns, expect);

    assert!(lab.read("skills/deploy.json").contains("\"example_usage\": \"deploy()\""));
    assert_eq!(lab.read("skills/deploy.md"), SKILL_TEXT);
}

#[test]
fn what_loki_mode_drops_from_a_pattern_comes_back() {
    let lab = Lab::new();
    let mut store = lab.store(None).unwrap();
    let mut pattern = memory("sem-1", Kind::Pattern, "");
    pattern.body = Body::Pattern(Box::new(Pattern { pattern: "retry".into(), ..Pattern::default() }));
    pattern.text = render::text_of(&pattern.body);
    pattern.title = render::title_of(&pattern.body);
    pattern.tier = Tier::Mandate;
    pattern.usage.success = 7;
    store.commit(at(1), &[put(pattern.clone())]).unwrap();

    // Loki Mode saves the pattern again with only the fields it knows.
    let mut document: serde_json::Value = serde_json::from_str(&lab.read("semantic/patterns.json")).unwrap();
    let entry = document["patterns"][0].as_object_mut().unwrap();
    assert!(entry.shift_remove("lokid").is_some());
    entry.insert("confidence".into(), 0.85.into());
    lab.write("semantic/patterns.json", &document.to_string());

    let snapshot = lab.reload();
    let found = snapshot.get(&key("sem-1")).unwrap();
    assert_eq!((found.tier, found.usage.success, found.confidence), (Tier::Mandate, 7, 0.85));
}

#[test]
fn what_another_program_writes_meanwhile_is_kept_and_noticed() {
    let lab = loki_tree();
    let mut store = lab.store(None).unwrap();
    store.look(at(0));
    lab.write("semantic/patterns.json", &PATTERNS.replace("\"usage_count\": 1,", "\"usage_count\": 5,"));
    let mut new = memory("sem-003", Kind::Pattern, "");
    new.body = Body::Pattern(Box::new(Pattern { pattern: "third".into(), ..Pattern::default() }));
    new.text = render::text_of(&new.body);
    let seen = store.commit(at(1), &[put(new)]).unwrap();
    let referenced = seen.iter().find_map(|change| match change {
        Change::Put { after, .. } if after.id.as_str() == "sem-001" => Some(after.usage.referenced),
        _ => None,
    });
    assert_eq!(referenced, Some(5), "{seen:?}");
    let text = lab.read("semantic/patterns.json");
    assert!(text.contains("\"usage_count\": 5,") && text.contains("sem-003") && text.contains("\"odd\": 1e-07"));
}

#[test]
fn an_edit_of_ours_and_an_edit_of_theirs_to_one_entry_both_stand() {
    let lab = loki_tree();
    let mut store = lab.store(None).unwrap();
    let mut snapshot = lokid_index::Snapshot::default();
    store.look(at(0)).iter().for_each(|change| snapshot.apply(change));
    lab.write("semantic/patterns.json", &PATTERNS.replace("\"usage_count\": 1,", "\"usage_count\": 6,"));
    let before = Arc::clone(snapshot.get(&key("sem-001")).unwrap());
    let mut after = before.as_ref().clone();
    after.confidence = 0.99;
    let seen = store.commit(at(1), &[Change::Put { before: Some(before), after: Arc::new(after) }]).unwrap();
    let text = lab.read("semantic/patterns.json");
    assert!(text.contains("\"confidence\": 0.99") && text.contains("\"usage_count\": 6"));
    assert!(
        matches!(&seen[..], [Change::Put { after, .. }] if after.usage.referenced == 6 && after.confidence == 0.99)
    );
}

#[test]
fn an_archived_episode_returns_byte_for_byte() {
    let lab = loki_tree();
    let mut store = lab.store(None).unwrap();
    let mut snapshot = lokid_index::Snapshot::default();
    store.look(at(0)).iter().for_each(|change| snapshot.apply(change));
    for id in ["ep-2026-01-06-0a1b2c3d", "skill-deploy"] {
        let living = Arc::clone(snapshot.get(&key(id)).unwrap());
        let entry = |seconds| Arc::new(Archived { memory: Arc::clone(&living), at: at(seconds), reason: "r".into() });
        store.commit(at(1), &[Change::Archive(entry(1))]).unwrap();
        assert!(lab.reload().get(&key(id)).is_none());
        assert!(lab.reload().archived(&key(id)).is_some());
        store.commit(at(2), &[Change::Restore(entry(2))]).unwrap();
        assert!(lab.reload().get(&key(id)).is_some());
    }
    assert_eq!(lab.read("episodic/2026-01-06/task-ep-2026-01-06-0a1b2c3d.json"), EPISODE);
    assert_eq!(lab.read("skills/deploy.json"), SKILL_JSON);
    assert_eq!(lab.read("skills/deploy.md"), SKILL_TEXT);
}

#[test]
fn a_corrupt_file_costs_itself_is_left_alone_and_is_named() {
    let lab = loki_tree();
    let broken = "{\"version\": \"1.0\", \"facts\": [{\"id\"";
    lab.write("semantic/facts.json", broken);
    lab.write("episodic/2026-01-07/task-bad.json", "\u{0}\u{1}not json");
    lab.write(
        "notes/2026-01.ffffffff.ndjson",
        "{\"id\":\"n-1\",\"kind\":\"note\",\"text\":\"fine\"}\n{\"id\": 5}\n{half",
    );
    let mut store = lab.store(None).unwrap();
    let mut snapshot = lokid_index::Snapshot::default();
    store.look(at(0)).iter().for_each(|change| snapshot.apply(change));
    assert_eq!(snapshot.count(Kind::Episode), 1);
    assert!(snapshot.get(&key("n-1")).is_some());
    let named: Vec<String> = store.problems().iter().map(|problem| problem.path.clone()).collect();
    assert_eq!(named.len(), 3, "{named:?}");

    // A new fact has to stand somewhere else, and is there after a restart.
    let fact = Memory {
        body: Body::Fact(lokid_model::Fact { key: "k".into(), value: "v".into(), scope: String::new() }.into()),
        ..memory("fact-1", Kind::Fact, "k: v")
    };
    store.commit(at(1), &[put(fact)]).unwrap();
    assert_eq!(lab.read("semantic/facts.json"), broken);
    assert_eq!(lab.reload().get(&key("fact-1")).unwrap().fact().unwrap().value, "v");
}

#[test]
fn a_link_out_of_the_store_is_not_followed() {
    let lab = Lab::new();
    let outside = lab.folder.path().join("outside");
    std::fs::create_dir_all(outside.join("notes")).unwrap();
    std::fs::write(outside.join("notes/2026-01.ffffffff.ndjson"), "{\"id\":\"x\",\"kind\":\"note\",\"text\":\"t\"}\n")
        .unwrap();
    std::fs::create_dir_all(lab.memory_dir()).unwrap();
    std::os::unix::fs::symlink(outside.join("notes"), lab.memory_dir().join("notes")).unwrap();
    assert!(lab.reload().is_empty());
    let mut store = lab.store(None).unwrap();
    assert!(store.commit(at(1), &[put(memory("note-1", Kind::Note, "t"))]).is_err());
    assert_eq!(std::fs::read_dir(outside.join("notes")).unwrap().count(), 1);

    let elsewhere = Lab::new();
    std::os::unix::fs::symlink(&outside, elsewhere.repo().join(".loki")).unwrap();
    let mut store = elsewhere.store(None).unwrap();
    assert!(store.commit(at(1), &[put(memory("note-1", Kind::Note, "t"))]).is_err());
    assert_eq!(store.problems().len(), 0);
    store.look(at(2));
    assert!(store.problems()[0].reason.contains("symbolic link"), "{:?}", store.problems());
}

#[test]
fn a_purged_memory_is_found_in_no_file() {
    let lab = Lab::new();
    let mut store = lab.store(None).unwrap();
    let secret = memory("note-1", Kind::Note, "the word is xyzzy");
    let fact = Memory {
        body: Body::Fact(lokid_model::Fact { key: "k".into(), value: "xyzzy".into(), scope: String::new() }.into()),
        ..memory("fact-1", Kind::Fact, "k: xyzzy")
    };
    let archived = Arc::new(Archived { memory: Arc::new(secret.clone()), at: at(2), reason: "r".into() });
    store.commit(at(1), &[put(secret.clone()), put(fact.clone()), put(memory("note-2", Kind::Note, "other"))]).unwrap();
    store.commit(at(2), &[Change::Archive(archived)]).unwrap();
    let purge = |memory: &Memory| {
        Change::Purge(lokid_model::Tombstone {
            key: memory.key(),
            fingerprint: memory.fingerprint(),
            at: at(3),
            reason: String::new(),
            scope: lokid_model::Scope::ProjectShared,
        })
    };
    store.commit(at(3), &[purge(&secret), purge(&fact)]).unwrap();
    for (path, bytes) in tree(lab.folder.path()) {
        assert!(!String::from_utf8_lossy(&bytes).contains("xyzzy"), "{}", path.display());
    }
    let snapshot = lab.reload();
    assert!(snapshot.get(&key("note-2")).is_some());
    assert!(snapshot.is_buried(&secret.fingerprint()) && snapshot.tombstone(&fact.key()).is_some());

    // A merge that brings the line back does not bring the memory back.
    lab.write(
        "notes/2026-01.ffffffff.ndjson",
        "{\"id\":\"note-1\",\"kind\":\"note\",\"text\":\"the word is xyzzy\"}\n",
    );
    assert!(lab.reload().get(&key("note-1")).is_none());
}
