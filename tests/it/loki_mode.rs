//! Beside Loki Mode, through the program itself: what its files say takes effect and stays, and its own engine reads what
//! lokid wrote. Its Python runs where `LOKID_BENCH_LOKI_MODE` names the folder that holds its `memory` package; without
//! it the same files are written by hand and only its own judgement is left out.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::home::{Home, eventually_some};

fn loki_mode() -> Option<PathBuf> {
    std::env::var_os("LOKID_BENCH_LOKI_MODE").filter(|path| !path.is_empty()).map(PathBuf::from)
}

fn memory(home: &Home) -> PathBuf {
    home.path("app/.loki/memory")
}

fn write(home: &Home, path: &str, document: &Value) {
    let path = memory(home).join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, serde_json::to_vec_pretty(document).unwrap()).unwrap();
}

fn read(path: impl AsRef<Path>) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn pattern(id: &str, text: &str, links: Value) -> Value {
    json!({"id": id, "pattern": text, "category": "auth", "conditions": [], "correct_approach": text,
        "incorrect_approach": "", "confidence": 0.8, "source_episodes": [], "usage_count": 0, "links": links,
        "importance": 0.5, "access_count": 0, "created_at": "2026-11-10T10:00:00+00:00"})
}

fn patterns(links: Value) -> Value {
    json!({"version": "1.1.0", "patterns": [
        pattern("sem-old", "Sessions expire after thirty minutes", json!([])),
        pattern("sem-x", "Colours of the terminal follow the theme", json!([])),
        pattern("sem-new", "Sessions expire after sixty minutes", links),
    ]})
}

/// What Loki Mode left there before lokid came.
fn inhabited() -> Home {
    let home = Home::new();
    let links = json!([{"to": "sem-old", "relation": "supersedes", "strength": 0.9},
        {"to": "sem-x", "relation": "related_to", "strength": 0.7}]);
    write(&home, "semantic/patterns.json", &patterns(links));
    write(
        &home,
        "timeline.json",
        &json!({"version": "1.1.0", "recent_actions": [], "active_context": {}, "key_decisions": [
            {"timestamp": "2026-11-01T10:00:00+00:00", "decision": "Use Kafka for the billing outbox",
             "rationale": "cheaper than a second database", "topic_id": "auth-system"}]}),
    );
    write(
        &home,
        "index.json",
        &json!({"version": "1.1.0", "total_memories": 1, "total_tokens_available": 2400, "topics": [
            {"id": "auth-system", "summary": "Sessions and login", "relevance_score": 0.9, "token_count": 2400}]}),
    );
    write(&home, "semantic/facts.json", &json!({"facts": [{"key": "cache.ttl", "value": "15m"}]}));
    write(
        &home,
        "learnings/2026-11-01.json",
        &json!({"learnings": [{"error": "E0382 borrow of moved value", "fix": "clone the handle"},
            {"lesson": "never amend a pushed commit"}]}),
    );
    home
}

/// The socket's own answer.
fn ask(home: &Home, path: &str, body: &str) -> Value {
    let mut curl = Command::new("curl");
    curl.args(["-s", "--unix-socket"]).arg(home.socket()).arg(format!("http://l/v1{path}"));
    if !body.is_empty() {
        curl.args(["-d", body]);
    }
    serde_json::from_slice(&curl.output().unwrap().stdout).unwrap()
}

fn recalled(home: &Home, words: &str) -> Vec<String> {
    let body = json!({"query": words, "fresh": true, "counted": false});
    let found = ask(home, "/recall", &body.to_string());
    let told = |found: &Value| format!("{} {}", found["id"].as_str().unwrap(), found["summary"].as_str().unwrap());
    found["results"].as_array().unwrap().iter().map(told).collect()
}

#[test]
fn what_its_files_say_takes_effect_and_outlives_a_night_and_a_restart() {
    let home = inhabited();
    let before = std::fs::read(memory(&home).join("semantic/patterns.json")).unwrap();
    for life in ["first", "second"] {
        let daemon = home.daemon();
        let found = recalled(&home, "when do sessions expire");
        let is_told = |id: &str| found.iter().any(|one| one.starts_with(id));
        assert!(found[0].starts_with("sem-new ") && !is_told("sem-old"), "{life}: {found:?}");
        home.run(&["show", "sem-old"]).succeeded().says("superseded by sem-new");
        home.run(&["consolidate"]).succeeded();
        home.run(&["contradictions"]).succeeded().says("no contradiction is open");
        home.run(&["links", "sem-new"]).succeeded().says("related_to").says("supersedes");
        for (words, expected) in [
            ("kafka billing outbox", "cheaper than a second database"),
            ("cache ttl", "cache.ttl: 15m"),
            ("amend a pushed commit", "never amend a pushed commit"),
        ] {
            let found = recalled(&home, words);
            assert!(found[0].contains(expected), "{life}: {found:?}");
        }
        home.run(&["index", "auth-system"]).succeeded().says("Use Kafka for the billing outbox");
        home.run(&["status"]).succeeded().says("watched");
        drop(daemon);
    }
    assert_eq!(std::fs::read(memory(&home).join("semantic/patterns.json")).unwrap(), before, "reading changes nothing");
}

#[test]
fn a_replacement_that_is_taken_back_revives_what_it_replaced() {
    let home = inhabited();
    let _daemon = home.daemon();
    home.run(&["show", "sem-old"]).succeeded().says("superseded by sem-new");
    write(&home, "semantic/patterns.json", &patterns(json!([])));
    eventually_some(|| {
        let shown = home.run(&["show", "sem-old", "--json"]).json();
        shown["expired_at"].is_null().then_some(())
    });
    assert!(recalled(&home, "sessions expire after thirty minutes").iter().any(|found| found.starts_with("sem-old ")));
}

#[test]
fn totals_are_not_less_than_what_its_topics_hold_and_entries_without_an_id_can_be_changed() {
    let home = inhabited();
    let mut daemon = home.daemon();
    let found = recalled(&home, "cache ttl").remove(0);
    let fact = found.split(' ').next().unwrap();
    home.run(&["remember", "the gate is painted green"]).succeeded();
    let confirmed = home.run(&["confirm", fact, "--tier", "guardrail"]).succeeded();
    assert!(!confirmed.out.is_empty());
    daemon.signal(rustix::process::Signal::TERM);
    daemon.ended();
    let facts = read(memory(&home).join("semantic/facts.json"));
    assert_eq!((&facts["facts"][0]["id"], &facts["facts"][0]["tier"]), (&json!(fact), &json!("guardrail")));
    let index = read(memory(&home).join("index.json"));
    assert!(index["total_tokens_available"].as_u64() >= Some(2400), "{index:#}");
    assert_eq!(index["topics"][0]["token_count"], 2400);
}

const RELEASE: &str = "# Skill: Release\n\n## Steps\n1. tag it\n2. push it\n\n## Notes of mine\nKeep me.\n";

/// Saves the skill as Loki Mode's `save_skill` does: anew, under its own spelling, and only the JSON.
fn save_skill(home: &Home) {
    let document = json!({"id": "skill-release", "name": "Release", "description": "How we release",
        "prerequisites": [], "steps": ["tag it", "sign it", "push it"], "common_errors": [], "exit_criteria": [],
        "importance": 0.5, "access_count": 0, "_namespace": "default"});
    write(home, "skills/Release.json", &document);
}

#[test]
fn a_skill_it_saves_anew_is_one_skill_and_its_markdown_follows() {
    let home = Home::new();
    let _daemon = home.daemon();
    std::fs::write(home.path("release.md"), RELEASE).unwrap();
    home.run(&["skill", "add", home.path("release.md").to_str().unwrap()]).succeeded();
    let skills = memory(&home).join("skills");
    let written = read(skills.join("release.json"));
    assert_eq!(written["description"], "tag it; push it", "Loki Mode takes no skill without one");
    save_skill(&home);
    let markdown = eventually_some(|| {
        home.run(&["status"]).succeeded();
        let text = std::fs::read_to_string(skills.join("release.md")).unwrap();
        text.contains("sign it").then_some(text)
    });
    assert!(markdown.contains("How we release") && markdown.contains("2. sign it\n3. push it"), "{markdown}");
    // The file is written before the snapshot of it is published.
    eventually_some(|| home.run(&["show", "skill-release"]).succeeded().out.contains("sign it").then_some(()));
    let listed = home.run(&["skill", "list", "--json"]).succeeded().json();
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(1), "{listed:#}");
    assert!(!skills.join("release.json").exists(), "the stale copy under lokid's spelling is gone");
}

#[test]
fn use_is_shown_at_once_and_written_to_the_files_at_night() {
    let home = inhabited();
    let _daemon = home.daemon();
    ask(&home, "/memories/sem-new", "");
    ask(&home, "/usage", r#"{"session_id":"s1","cited":["sem-new"],"outcome":"success"}"#);
    let usage = eventually_some(|| {
        let usage = ask(&home, "/memories/sem-new?counted=false", "")["usage"].clone();
        (usage["success"] == 1).then_some(usage)
    });
    assert!(usage["loaded"].as_u64() >= Some(1) && usage["referenced"] == 1, "{usage}");
    assert!(usage["last_accessed"].is_string() && usage["last_used"].is_string(), "{usage}");
    let found = ask(&home, "/recall", r#"{"query":"sessions expire","fresh":true,"counted":false,"explain":true}"#);
    assert_eq!(found["results"][0]["usage"], usage, "{found:#}");
    home.run(&["show", "sem-new"]).succeeded().says("named once, last 2");
    let entry = |id: &str| {
        let document = read(memory(&home).join("semantic/patterns.json"));
        let entries = document["patterns"].as_array().unwrap().clone();
        entries.into_iter().find(|entry| entry["id"] == id).unwrap()
    };
    assert_eq!(entry("sem-new")["usage_count"], 0, "by day nothing is written for a read");
    home.run(&["consolidate"]).succeeded();
    let written = entry("sem-new");
    assert_eq!((&written["usage_count"], &written["last_used"]), (&json!(1), &usage["last_used"]));
    assert_eq!((&written["access_count"], &written["last_accessed"]), (&usage["loaded"], &usage["last_accessed"]));
    assert_eq!(ask(&home, "/memories/sem-new?counted=false", "")["usage"], usage, "and is counted once");
    assert_eq!(written["links"][0]["relation"], "supersedes", "what it wrote stays");
}

/// Its own engine looks at what stands there.
const SCRIPT: &str = "
import json, sys
sys.path.insert(0, sys.argv[1])
from memory.storage import MemoryStorage
from memory.schemas import EpisodeTrace, ProceduralSkill, SemanticPattern
storage = MemoryStorage(base_path=sys.argv[2])
told = {'skills': {}, 'episodes': {}, 'patterns': {}}
for name in storage.list_skills():
    skill = ProceduralSkill.from_dict(storage.load_skill(name))
    told['skills'][skill.id] = skill.validate()
for name in storage.list_episodes():
    episode = EpisodeTrace.from_dict(storage.load_episode(name))
    told['episodes'][episode.id] = [episode.files_read, episode.files_modified, episode.validate()]
for name in storage.list_patterns():
    pattern = SemanticPattern.from_dict(storage.load_pattern(name))
    told['patterns'][pattern.id] = [pattern.usage_count, pattern.validate()]
print(json.dumps(told))
";

#[test]
fn its_own_engine_reads_and_accepts_what_lokid_wrote() {
    let Some(code) = loki_mode() else {
        println!("skipped: LOKID_BENCH_LOKI_MODE is not set");
        return;
    };
    let home = Home::new();
    let _daemon = home.daemon();
    std::fs::write(home.path("release.md"), RELEASE).unwrap();
    home.run(&["skill", "add", home.path("release.md").to_str().unwrap()]).succeeded();
    let records = [
        json!({"id": "ep-2026-11-10-aaaaaaaa", "kind": "episode", "outcome": "success", "files": ["src/auth.rs"],
            "timestamp": "2026-11-10T10:00:00Z", "episode": {"goal": "make login faster", "agent": "b", "phase": "ACT"}}),
        json!({"id": "ep-2026-11-10-bbbbbbbb", "kind": "episode", "outcome": "success",
            "timestamp": "2026-11-10T11:00:00Z", "files": ["a.rs", "b.rs"], "episode": {"goal": "split the parser",
            "agent": "b", "phase": "ACT", "task_id": "t-1", "files_read": ["a.rs"], "files_modified": ["b.rs"]}}),
        json!({"id": "sem-1", "kind": "pattern", "pattern": {"pattern": "Retry with backoff", "category": "net",
            "correct_approach": "backoff"}}),
    ];
    let lines: Vec<String> = records.iter().map(Value::to_string).collect();
    home.run_with(&["import", "--trust", "-"], &lines.join("\n")).succeeded();
    let mut python = Command::new("python3");
    python.args(["-c", SCRIPT]).arg(&code).arg(memory(&home)).env("PYTHONDONTWRITEBYTECODE", "1");
    let output = python.env("HOME", home.path("home")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let told: Value = serde_json::from_str(String::from_utf8(output.stdout).unwrap().lines().last().unwrap()).unwrap();
    assert_eq!(told["skills"], json!({"skill-release": []}));
    assert_eq!(
        told["episodes"],
        json!({"ep-2026-11-10-aaaaaaaa": [["src/auth.rs"], [], []], "ep-2026-11-10-bbbbbbbb": [["a.rs"], ["b.rs"], []]})
    );
    assert_eq!(told["patterns"], json!({"sem-1": [0, []]}));
}
