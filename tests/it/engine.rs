//! The first whole life of a memory, through the engine: remembered, found, superseded, forgotten, brought back.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lokid_config::Config;
use lokid_engine::{EngineError, Project, ProjectError, Registry};
use lokid_model::{
    Body, ContradictionStatus, Draft, Fact, Kind, Memory, Namespace, Patch, Relation, Scope, Source, Status, Tier,
    Timestamp,
};
use lokid_sys::{Clock, Dirs};

use crate::repo;

struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    fn new() -> Desk {
        let desk = Desk { folder: tempfile::tempdir().unwrap() };
        desk.repository("repo");
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn repository(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        repo::new(&path, name);
        path
    }

    fn registry(&self) -> Registry {
        self.registry_with(Config::default())
    }

    fn registry_with(&self, config: Config) -> Registry {
        Registry::open(Dirs::under(&self.path("xdg")), config, Clock::system())
    }
}

fn fact(key: &str, value: &str) -> Draft {
    let body = Body::Fact(Fact { key: key.into(), value: value.into(), scope: String::new() }.into());
    Draft { body, ..Draft::new(Kind::Fact, "") }
}

/// As Loki Mode writes: nobody sees half of it.
fn replace(file: &Path, text: &str) {
    let whole = file.with_file_name(".tmp_theirs.json");
    std::fs::write(&whole, text).unwrap();
    std::fs::rename(&whole, file).unwrap();
}

fn remember(project: &Project, draft: Draft) -> Arc<Memory> {
    let namespace = draft.namespace.clone();
    let told = project.writer.remember(draft).unwrap().wait().unwrap();
    let key = lokid_model::Key::new(&namespace, &told.id);
    Arc::clone(project.writer.snapshot().get(&key).expect("replied means published"))
}

#[test]
fn a_memory_lives_across_a_restart_and_in_plain_files() {
    let desk = Desk::new();
    let registry = desk.registry();
    let project = registry.add(&desk.path("repo")).unwrap();
    assert!(!desk.path("repo/.loki").exists(), "looking leaves nothing behind");
    let note = remember(&project, Draft::new(Kind::Note, "tabs, not spaces"));
    registry.stop();
    let notes: Vec<_> = std::fs::read_dir(desk.path("repo/.loki/memory/notes")).unwrap().collect();
    assert_eq!(notes.len(), 1);

    let again = desk.registry();
    assert_eq!(again.start_saved().len(), 0);
    let project = again.find(None).unwrap();
    assert_eq!(project.writer.snapshot().get(&note.key()).unwrap().text, "tabs, not spaces");
    again.stop();
}

#[test]
fn the_same_words_told_twice_are_one_memory_with_both_origins() {
    let desk = Desk::new();
    let registry = desk.registry();
    let project = registry.add(&desk.path("repo")).unwrap();
    let first = remember(&project, Draft { tags: vec!["style".into()], ..Draft::new(Kind::Note, "tabs") });
    let told = project
        .writer
        .remember(Draft {
            tags: vec!["editor".into()],
            sources: vec!["commit abc".into()],
            ..Draft::new(Kind::Note, " tabs\n")
        })
        .unwrap()
        .wait()
        .unwrap();
    assert_eq!((told.created, told.merged_into.as_ref()), (false, Some(&first.id)));
    let merged = Arc::clone(project.writer.snapshot().get(&first.key()).unwrap());
    assert_eq!(merged.tags, ["style", "editor"]);
    assert_eq!(merged.sources, ["commit abc"]);
    // In another scope or namespace it is another memory.
    let private = remember(&project, Draft { scope: Scope::UserPrivate, ..Draft::new(Kind::Note, "tabs") });
    assert_ne!(private.id, first.id);
    registry.stop();
}

#[test]
fn a_newer_value_supersedes_the_older_and_both_can_be_read() {
    let desk = Desk::new();
    let registry = desk.registry();
    let project = registry.add(&desk.path("repo")).unwrap();
    let old = remember(&project, fact("port", "8080"));
    let told = project.writer.remember(fact("port", "9090")).unwrap().wait().unwrap();
    assert_eq!(told.contradictions.len(), 1);
    assert_eq!(told.contradictions[0].status, ContradictionStatus::Superseded);
    assert_eq!(told.contradictions[0].a, old.id);
    let snapshot = project.writer.snapshot();
    let ended = snapshot.get(&old.key()).unwrap();
    assert!(ended.times.invalid_at.is_some() && ended.times.expired_at.is_some());
    let now = Timestamp::from_micros(registry.clock().now().as_micros() + 1_000_000);
    assert!(!ended.holds_at(now) && ended.holds_at(old.times.created_at));
    let relations: Vec<Relation> = snapshot.links_of(&old.key()).iter().map(|link| link.relation).collect();
    assert!(relations.contains(&Relation::Supersedes) && relations.contains(&Relation::SupersededBy), "{relations:?}");
    for file in ["facts.json", "links.json", "contradictions.json"] {
        assert!(desk.path("repo/.loki/memory/semantic").join(file).exists(), "{file}");
    }
    registry.stop();
}

#[test]
fn hearsay_does_not_overrule_what_a_person_said() {
    let desk = Desk::new();
    let registry = desk.registry();
    let project = registry.add(&desk.path("repo")).unwrap();
    let said = remember(&project, Draft { source: Some(Source::User), ..fact("port", "8080") });
    for draft in [
        Draft { source: Some(Source::Log), ..fact("port", "1") },
        Draft { status: Status::Unverified, ..fact("port", "2") },
    ] {
        let told = project.writer.remember(draft).unwrap().wait().unwrap();
        assert_eq!(told.contradictions[0].status, ContradictionStatus::Open);
    }
    assert_eq!(project.writer.snapshot().get(&said.key()).unwrap().times.invalid_at, None);
    assert_eq!(project.writer.snapshot().open_contradictions(), 1, "three values are one matter");
    registry.stop();
}

#[test]
fn forgotten_means_gone_from_every_answer_and_undone_by_restore() {
    let desk = Desk::new();
    let registry = desk.registry();
    let project = registry.add(&desk.path("repo")).unwrap();
    let note = remember(&project, Draft::new(Kind::Note, "keep me"));
    let gone = project.writer.forget(vec![note.key()], "test".into(), false).unwrap().wait().unwrap();
    assert_eq!(gone, [note.key()]);
    assert!(project.writer.snapshot().get(&note.key()).is_none());
    registry.stop();

    let again = desk.registry();
    let project = again.add(&desk.path("repo")).unwrap();
    assert!(project.writer.snapshot().get(&note.key()).is_none());
    let back = project.writer.restore(note.key()).unwrap().wait().unwrap();
    assert_eq!(back.text, "keep me");
    again.stop();

    let third = desk.registry();
    let project = third.add(&desk.path("repo")).unwrap();
    assert!(project.writer.snapshot().get(&note.key()).is_some());
    let purged = project.writer.forget(vec![note.key()], "test".into(), true).unwrap().wait().unwrap();
    assert_eq!(purged.len(), 1);
    assert!(matches!(project.writer.restore(note.key()).unwrap().wait(), Err(EngineError::NotFound(_))));
    let again = Draft { id: Some(note.id.clone()), ..Draft::new(Kind::Note, "keep me") };
    let report = project.writer.import(vec![(1, again)], true).unwrap().wait().unwrap();
    assert_eq!((report.imported, report.skipped), (0, 1), "a tombstone keeps an import from bringing it back");
    third.stop();
}

#[test]
fn a_patch_with_a_stale_tag_is_refused() {
    let desk = Desk::new();
    let registry = desk.registry();
    let project = registry.add(&desk.path("repo")).unwrap();
    let note = remember(&project, Draft::new(Kind::Note, "one"));
    let tag = lokid_engine::etag(&note);
    let patch = |text: &str| Patch { text: Some(text.into()), ..Patch::default() };
    project.writer.patch(note.key(), patch("two"), Some(tag.clone())).unwrap().wait().unwrap();
    let refused = project.writer.patch(note.key(), patch("three"), Some(tag)).unwrap().wait();
    assert!(matches!(refused, Err(EngineError::Stale { .. })));
    assert_eq!(project.writer.snapshot().get(&note.key()).unwrap().text, "two");
    registry.stop();
}

#[test]
fn an_untrusted_file_cannot_issue_mandates_and_the_same_file_twice_changes_nothing() {
    let desk = Desk::new();
    let registry = desk.registry();
    let project = registry.add(&desk.path("repo")).unwrap();
    let records = || {
        let mandate = Draft { tier: Some(Tier::Mandate), source: Some(Source::User), ..Draft::new(Kind::Note, "obey") };
        vec![(1, mandate), (2, Draft::new(Kind::Note, "plain")), (3, Draft::new(Kind::Note, " "))]
    };
    let first = project.writer.import(records(), false).unwrap().wait().unwrap();
    assert_eq!((first.imported, first.skipped, first.errors.len()), (2, 0, 1));
    assert_eq!(first.errors[0].line, 3);
    assert!(
        project
            .writer
            .snapshot()
            .memories()
            .all(|memory| memory.tier != Tier::Mandate && memory.source == Source::Import)
    );
    let second = project.writer.import(records(), false).unwrap().wait().unwrap();
    assert_eq!((second.imported, second.updated, second.skipped), (0, 0, 2));
    registry.stop();
}

#[test]
fn private_memories_never_stand_below_the_repository() {
    let desk = Desk::new();
    let registry = desk.registry();
    let project = registry.add(&desk.path("repo")).unwrap();
    let draft =
        |text: &str| Draft { scope: Scope::UserPrivate, tags: vec!["hush".into()], ..Draft::new(Kind::Note, text) };
    let private = remember(&project, draft("xyzzy-1"));
    let shared = remember(&project, Draft::new(Kind::Note, "for all"));
    let secret = remember(&project, Draft { scope: Scope::UserPrivate, ..fact("k", "xyzzy-2") });
    project
        .writer
        .link(Namespace::default(), private.id.clone(), shared.id.clone(), Relation::RelatedTo)
        .unwrap()
        .wait()
        .unwrap();
    project.writer.remember(Draft { scope: Scope::UserPrivate, ..fact("k", "xyzzy-3") }).unwrap().wait().unwrap();
    registry.stop();
    for (path, bytes) in crate::lab::tree(&desk.path("repo/.loki")) {
        let text = String::from_utf8_lossy(&bytes);
        for word in ["xyzzy", private.id.as_str(), secret.id.as_str(), "hush"] {
            assert!(!text.contains(word), "{word} in {}", path.display());
        }
    }
    let again = desk.registry();
    let project = again.add(&desk.path("repo")).unwrap();
    assert_eq!(project.writer.snapshot().get(&private.key()).unwrap().text, "xyzzy-1");
    assert_eq!(project.writer.snapshot().links_of(&private.key()).len(), 1);
    again.stop();
}

#[test]
fn linked_worktrees_share_their_repositorys_memory_unless_kept_apart() {
    let desk = Desk::new();
    repo::add_worktree(&desk.path("repo"), "tree", &desk.path("tree"));
    let registry = desk.registry();
    let project = registry.add(&desk.path("tree")).unwrap();
    assert_eq!(project.env.root, desk.path("repo"));
    let folder = desk.path("tree/src");
    std::fs::create_dir_all(&folder).unwrap();
    assert_eq!(registry.find(Some(&folder)).unwrap().env.id, project.env.id);
    registry.stop();

    let apart = desk.registry_with(Config::parse("[project]\nworktrees = \"isolated\"\n").unwrap());
    let one = apart.add(&desk.path("repo")).unwrap();
    let other = apart.add(&desk.path("tree")).unwrap();
    assert_ne!(one.env.id, other.env.id);
    let note = remember(&other, Draft::new(Kind::Note, "only here"));
    assert!(one.writer.snapshot().get(&note.key()).is_none());
    apart.stop();
}

#[test]
fn a_moved_repository_is_still_the_same_project_and_a_second_clone_is_not() {
    let desk = Desk::new();
    let registry = desk.registry();
    let id = registry.add(&desk.path("repo")).unwrap().env.id.clone();
    registry.stop();
    std::fs::rename(desk.path("repo"), desk.path("elsewhere")).unwrap();
    let registry = desk.registry();
    assert_eq!(registry.start_saved().len(), 1, "the old place is gone, and said so");
    assert_eq!(registry.add(&desk.path("elsewhere")).unwrap().env.id, id);
    repo::clone(&desk.path("elsewhere"), &desk.path("clone"));
    assert_ne!(registry.add(&desk.path("clone")).unwrap().env.id, id);
    registry.stop();
}

#[test]
fn one_project_has_one_writer() {
    let desk = Desk::new();
    let first = desk.registry();
    first.add(&desk.path("repo")).unwrap();
    let second = desk.registry();
    assert!(matches!(second.add(&desk.path("repo")), Err(ProjectError::InUse { .. })));
    let reader = second.add_ephemeral(&desk.path("repo")).unwrap();
    let refused = reader.writer.remember(Draft::new(Kind::Note, "x")).unwrap().wait();
    assert!(matches!(refused, Err(EngineError::Disk(_))));
    second.stop();
    first.stop();
    assert!(desk.registry().add(&desk.path("repo")).is_ok());
}

#[test]
fn paths_outside_every_project_are_refused_by_name() {
    let desk = Desk::new();
    let registry = desk.registry();
    assert!(matches!(registry.find(None), Err(ProjectError::NoneWatched)));
    registry.add(&desk.path("repo")).unwrap();
    let other = desk.repository("other");
    let error = registry.find(Some(&other)).err().unwrap().to_string();
    assert!(error.contains("other") && error.contains("repo"), "{error}");
    registry.add(&other).unwrap();
    assert!(matches!(registry.find(None), Err(ProjectError::Ambiguous { .. })));
    registry.remove(&other).unwrap();
    assert!(registry.find(None).is_ok());
    registry.stop();
}

#[test]
fn namespaces_never_see_each_other() {
    let desk = Desk::new();
    let registry = desk.registry();
    let project = registry.add(&desk.path("repo")).unwrap();
    let web = Namespace::new("web-app").unwrap();
    let one = remember(&project, fact("port", "1"));
    let told = project.writer.remember(Draft { namespace: web.clone(), ..fact("port", "2") }).unwrap().wait().unwrap();
    assert_eq!(told.contradictions.len(), 0);
    assert_eq!(project.writer.snapshot().get(&one.key()).unwrap().times.invalid_at, None);
    registry.stop();
    assert!(desk.path("repo/.loki/memory/web-app/semantic/facts.json").exists());
}

#[test]
fn index_and_timeline_are_current_bounded_and_keep_what_loki_mode_wrote() {
    let desk = Desk::new();
    let memory = desk.path("repo/.loki/memory");
    std::fs::create_dir_all(&memory).unwrap();
    let timeline = r#"{"version":"1.1.0","recent_actions":[{"timestamp":"2030-01-01T00:00:00Z","action":"theirs","odd":1}],"key_decisions":[],"active_context":{"current_focus":"x"}}"#;
    std::fs::write(memory.join("timeline.json"), timeline).unwrap();
    std::fs::write(memory.join("index.json"), r#"{"topics":[{"id":"act","summary":"theirs"}],"total_memories":3}"#)
        .unwrap();
    let registry = desk.registry();
    let project = registry.add(&desk.path("repo")).unwrap();
    let records: Vec<(u64, Draft)> = (0..150)
        .flat_map(|n| {
            let tags = vec![format!("tag-{}", n % 30)];
            let episode = Draft {
                tags: tags.clone(),
                source: Some(Source::Agent),
                ..Draft::new(Kind::Episode, format!("did {n}"))
            };
            let decision = Draft { tags, ..Draft::new(Kind::Decision, format!("chose {n}\nbecause")) };
            [(2 * n, episode), (2 * n + 1, decision)]
        })
        .collect();
    assert_eq!(project.writer.import(records, true).unwrap().wait().unwrap().imported, 300);
    registry.stop();
    let read = |name: &str| -> serde_json::Value {
        serde_json::from_slice(&std::fs::read(memory.join(name)).unwrap()).unwrap()
    };
    let (index, timeline, days) = (read("index.json"), read("timeline.json"), read("episodic/index.json"));
    let topics = index["topics"].as_array().unwrap();
    assert_eq!(topics.len(), 13, "twelve of ours and one of theirs");
    assert_eq!(topics[0]["summary"], "theirs");
    assert_eq!(index["total_memories"], 300);
    let actions = timeline["recent_actions"].as_array().unwrap();
    assert_eq!(actions.len(), 100);
    assert_eq!((&actions[0]["action"], &actions[0]["odd"]), (&"theirs".into(), &1.into()));
    assert_eq!(timeline["key_decisions"].as_array().unwrap().len(), 50);
    assert_eq!(timeline["active_context"]["current_focus"], "x");
    assert_eq!(timeline["version"], "1.1.0");
    let count: usize = days["days"].as_object().unwrap().values().map(|day| day.as_array().unwrap().len()).sum();
    assert_eq!(count, 150);
    let files = std::fs::read_dir(memory.join("episodic")).unwrap().flatten().filter(|entry| entry.path().is_dir());
    let episodes: usize = files.map(|day| std::fs::read_dir(day.path()).unwrap().count()).sum();
    assert_eq!(episodes, 150, "a file each for episodes that were lived here, and no locks beside them");
}

#[test]
fn what_loki_mode_writes_while_we_run_is_found_at_the_next_look() {
    let desk = Desk::new();
    let registry = desk.registry();
    let project = registry.add(&desk.path("repo")).unwrap();
    let folder = desk.path("repo/.loki/memory/episodic/2026-01-06");
    std::fs::create_dir_all(&folder).unwrap();
    let text = r#"{"id":"ep-1","context":{"goal":"from outside"},"timestamp":"2026-01-06T00:00:00Z"}"#;
    std::fs::write(folder.join("task-ep-1.json"), text).unwrap();
    project.writer.rescan().unwrap().wait().unwrap();
    assert_eq!(project.writer.snapshot().count(Kind::Episode), 1);
    std::fs::remove_file(folder.join("task-ep-1.json")).unwrap();
    project.writer.rescan().unwrap().wait().unwrap();
    assert_eq!(project.writer.snapshot().count(Kind::Episode), 0);
    registry.stop();
}

#[test]
fn a_full_inbox_says_busy_and_loses_nothing_it_took() {
    let desk = Desk::new();
    let registry = desk.registry_with(Config::parse("[server]\ninbox = 4\n").unwrap());
    let project = registry.add(&desk.path("repo")).unwrap();
    let mut taken = Vec::new();
    let mut busy = 0;
    for n in 0..500 {
        match project.writer.remember(Draft::new(Kind::Note, format!("note {n}"))) {
            Ok(pending) => taken.push(pending),
            Err(EngineError::Busy) => busy += 1,
            Err(error) => panic!("{error}"),
        }
    }
    let count = taken.len();
    for pending in taken {
        pending.wait().unwrap();
    }
    assert!(busy > 0);
    assert_eq!(project.writer.snapshot().len(), count);
    registry.stop();
    let again = desk.registry();
    assert_eq!(again.add(&desk.path("repo")).unwrap().writer.snapshot().len(), count);
    again.stop();
}

fn skill(name: &str, id: &str) -> Draft {
    let body =
        Body::Skill(Box::new(lokid_model::Skill { name: name.into(), steps: vec![id.into()], ..Default::default() }));
    Draft { id: lokid_model::MemoryId::new(id), body, ..Draft::new(Kind::Skill, "") }
}

#[test]
fn skills_whose_names_look_alike_do_not_share_a_file_and_a_file_of_others_is_left_alone() {
    let desk = Desk::new();
    let folder = desk.path("repo/.loki/memory/skills");
    std::fs::create_dir_all(&folder).unwrap();
    let theirs = r#"{"id":"skill-x1","name":"Deploy","custom":7}"#;
    std::fs::write(folder.join("deploy.json"), theirs).unwrap();
    let registry = desk.registry();
    let project = registry.add(&desk.path("repo")).unwrap();
    let ids = ["skill-Foo", "skill-foo", "foo", "skill-foo."];
    for id in ids {
        remember(&project, skill("Foo", id));
    }
    let deploy = remember(&project, Draft { id: None, ..skill("Deploy", "ours") });
    registry.stop();
    assert_eq!(std::fs::read_to_string(folder.join("deploy.json")).unwrap(), theirs);
    let again = desk.registry();
    let snapshot = again.add(&desk.path("repo")).unwrap().writer.snapshot();
    assert_eq!(snapshot.count(Kind::Skill), ids.len() + 2);
    assert!(snapshot.get(&deploy.key()).is_some());
    again.stop();
}

#[test]
fn times_at_the_end_of_the_calendar_are_only_times() {
    let desk = Desk::new();
    let registry = desk.registry();
    let project = registry.add(&desk.path("repo")).unwrap();
    let never = Timestamp::parse("9999-12-31T23:59:59Z");
    let note =
        remember(&project, Draft { invalid_at: never, timestamp: never, ..Draft::new(Kind::Episode, "for ever") });
    registry.stop();
    let again = desk.registry();
    assert_eq!(
        again.add(&desk.path("repo")).unwrap().writer.snapshot().get(&note.key()).unwrap().times.invalid_at,
        never
    );
    again.stop();
}

#[test]
fn a_record_from_the_future_stays_forgotten_and_an_import_brings_it_back_for_good() {
    let desk = Desk::new();
    let registry = desk.registry();
    let project = registry.add(&desk.path("repo")).unwrap();
    let draft = || Draft {
        id: lokid_model::MemoryId::new("n-1"),
        updated_at: Timestamp::parse("2099-01-01"),
        ..Draft::new(Kind::Note, "soon")
    };
    project.writer.import(vec![(1, draft())], true).unwrap().wait().unwrap();
    let key = project.writer.snapshot().memories().next().unwrap().key();
    project.writer.forget(vec![key.clone()], String::new(), false).unwrap().wait().unwrap();
    registry.stop();
    let again = desk.registry();
    let project = again.add(&desk.path("repo")).unwrap();
    assert!(project.writer.snapshot().get(&key).is_none());
    assert_eq!(project.writer.import(vec![(1, draft())], true).unwrap().wait().unwrap().imported, 1);
    again.stop();
    let third = desk.registry();
    assert!(third.add(&desk.path("repo")).unwrap().writer.snapshot().get(&key).is_some());
    third.stop();
}

#[test]
fn one_file_that_cannot_be_written_does_not_hold_up_the_others() {
    let desk = Desk::new();
    let registry = desk.registry();
    let project = registry.add(&desk.path("repo")).unwrap();
    remember(&project, fact("port", "1"));
    let links = desk.path("repo/.loki/memory/semantic/links.json");
    std::fs::write(&links, "<<<<<<< HEAD\n").unwrap();
    // Known to be broken: refused before anything is promised.
    project.writer.rescan().unwrap().wait().unwrap();
    let refused = project.writer.remember(fact("port", "2")).unwrap().wait();
    assert!(matches!(&refused, Err(EngineError::Disk(why)) if why.contains("links.json")), "{refused:?}");
    remember(&project, Draft::new(Kind::Note, "others go on"));
    // Not known yet: safe in the journal, and still the others go on.
    std::fs::remove_file(&links).unwrap();
    project.writer.rescan().unwrap().wait().unwrap();
    std::fs::create_dir(&links).unwrap();
    let stuck = project.writer.remember(fact("port", "3")).unwrap().wait();
    assert!(stuck.is_err(), "a folder in its place is seen before the promise");
    remember(&project, Draft::new(Kind::Note, "and on"));
    std::fs::remove_dir(&links).unwrap();
    // Whoever watches may have looked while the folder stood there.
    project.writer.rescan().unwrap().wait().unwrap();
    remember(&project, fact("port", "4"));
    registry.stop();
    let again = desk.registry();
    let snapshot = again.add(&desk.path("repo")).unwrap().writer.snapshot();
    assert_eq!((snapshot.count(Kind::Note), snapshot.count(Kind::Fact)), (2, 2));
    again.stop();
}

#[test]
fn a_memory_that_becomes_private_leaves_no_line_in_the_repository() {
    let desk = Desk::new();
    let registry = desk.registry();
    let project = registry.add(&desk.path("repo")).unwrap();
    let note = remember(&project, Draft::new(Kind::Note, "xyzzy-9"));
    let other = remember(&project, Draft::new(Kind::Note, "plain"));
    project
        .writer
        .link(Namespace::default(), note.id.clone(), other.id.clone(), Relation::Elaborates)
        .unwrap()
        .wait()
        .unwrap();
    let patch = Patch { scope: Some(Scope::UserPrivate), ..Patch::default() };
    project.writer.patch(note.key(), patch, None).unwrap().wait().unwrap();
    registry.stop();
    for (path, bytes) in crate::lab::tree(&desk.path("repo/.loki")) {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("xyzzy") && !text.contains(note.id.as_str()), "{}", path.display());
    }
    let again = desk.registry();
    let snapshot = again.add(&desk.path("repo")).unwrap().writer.snapshot();
    assert_eq!(snapshot.get(&note.key()).unwrap().scope, Scope::UserPrivate);
    assert_eq!(snapshot.links_of(&note.key()).len(), 1);
    again.stop();
}

#[test]
fn a_purge_has_answered_only_when_the_layers_are_clean_too() {
    let desk = Desk::new();
    let memory = desk.path("repo/.loki/memory");
    std::fs::create_dir_all(memory.join("episodic/2026-01-06")).unwrap();
    let episode =
        r#"{"id":"ep-1","timestamp":"2026-01-06T10:00:00Z","context":{"goal":"xyzzy from outside","phase":"ACT"}}"#;
    std::fs::write(memory.join("episodic/2026-01-06/task-ep-1.json"), episode).unwrap();
    std::fs::write(
        memory.join("timeline.json"),
        r#"{"recent_actions":[{"timestamp":"2026-01-06T10:00:00Z","action":"xyzzy from outside"}]}"#,
    )
    .unwrap();
    std::fs::write(
        memory.join("index.json"),
        r#"{"topics":[{"id":"act","summary":"xyzzy from outside","episode_ids":["ep-1","ep-2"]}]}"#,
    )
    .unwrap();
    let registry = desk.registry();
    let project = registry.add(&desk.path("repo")).unwrap();
    let decision = remember(&project, Draft::new(Kind::Decision, "xyzzy it is"));
    let outside = lokid_model::Key::new(&Namespace::default(), &lokid_model::MemoryId::new("ep-1").unwrap());
    project.writer.forget(vec![decision.key(), outside], String::new(), true).unwrap().wait().unwrap();
    // At once, while it still runs.
    for (path, bytes) in crate::lab::tree(&desk.path("")) {
        assert!(!String::from_utf8_lossy(&bytes).contains("xyzzy"), "{}", path.display());
    }
    assert!(std::fs::read_to_string(memory.join("index.json")).unwrap().contains("ep-2"));
    registry.stop();
}

#[test]
fn a_new_repository_in_an_old_place_does_not_inherit_private_memories() {
    let desk = Desk::new();
    let bare = desk.path("fresh");
    repo::empty(&bare);
    let registry = desk.registry();
    let project = registry.add(&bare).unwrap();
    remember(&project, Draft { scope: Scope::UserPrivate, ..Draft::new(Kind::Note, "mine") });
    registry.stop();
    std::fs::remove_dir_all(&bare).unwrap();
    let other = desk.path("other0");
    repo::empty(&other);
    let again = desk.registry();
    assert_eq!(again.add(&other).unwrap().writer.snapshot().len(), 0);
    assert_eq!(again.remove(&bare).unwrap(), bare, "one whose folder is gone can still be named");
    again.stop();
}

#[test]
fn what_another_program_did_just_before_our_own_write_is_seen_at_the_next_look() {
    let desk = Desk::new();
    let registry = desk.registry();
    let project = registry.add(&desk.path("repo")).unwrap();
    let episode = remember(&project, Draft::new(Kind::Episode, "did it"));
    let folder = desk.path("repo/.loki/memory/episodic").join(episode.times.created_at.day());
    let file = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(&file).unwrap();
    replace(&file, &text.replace("\"importance\": 0.5", "\"importance\": 0.99"));
    let patch = Patch { tags: Some(vec!["t".into()]), ..Patch::default() };
    project.writer.patch(episode.key(), patch, None).unwrap().wait().unwrap();
    project.writer.rescan().unwrap().wait().unwrap();
    let seen = Arc::clone(project.writer.snapshot().get(&episode.key()).unwrap());
    assert_eq!((seen.importance, seen.tags.as_slice()), (0.99, &["t".to_owned()][..]));
    registry.stop();
}

#[test]
fn a_restored_fact_does_not_stand_beside_the_value_that_took_its_place() {
    let desk = Desk::new();
    let registry = desk.registry();
    let project = registry.add(&desk.path("repo")).unwrap();
    let old = remember(&project, fact("port", "1"));
    project.writer.forget(vec![old.key()], String::new(), false).unwrap().wait().unwrap();
    remember(&project, fact("port", "2"));
    let back = project.writer.restore(old.key()).unwrap().wait().unwrap();
    assert!(back.times.invalid_at.is_some());
    registry.stop();
}

#[test]
fn copies_that_a_merge_left_go_together_and_an_older_copy_speaks_when_the_newer_is_gone() {
    let desk = Desk::new();
    let memory = desk.path("repo/.loki/memory");
    std::fs::create_dir_all(memory.join("notes")).unwrap();
    std::fs::create_dir_all(memory.join("semantic")).unwrap();
    let twice = r#"{"patterns":[{"id":"sem-1","pattern":"a"},{"id":"sem-1","pattern":"b"},{"id":"x","id":"sem-9","pattern":"c"}]}"#;
    std::fs::write(memory.join("semantic/patterns.json"), twice).unwrap();
    let line = |at: &str, text: &str| {
        format!(
            "{{\"id\":\"m1\",\"kind\":\"note\",\"text\":\"{text}\",\"created_at\":\"{at}\",\"updated_at\":\"{at}\"}}\n"
        )
    };
    std::fs::write(memory.join("notes/2026-10.aaaaaaaa.ndjson"), line("2026-10-01", "older")).unwrap();
    std::fs::write(memory.join("notes/2026-10.bbbbbbbb.ndjson"), line("2026-10-02", "newer")).unwrap();
    let registry = desk.registry();
    let project = registry.add(&desk.path("repo")).unwrap();
    let key = |id: &str| lokid_model::Key::new(&Namespace::default(), &lokid_model::MemoryId::new(id).unwrap());
    assert_eq!(project.writer.snapshot().get(&key("m1")).unwrap().text, "newer");
    std::fs::remove_file(memory.join("notes/2026-10.bbbbbbbb.ndjson")).unwrap();
    project.writer.rescan().unwrap().wait().unwrap();
    assert_eq!(project.writer.snapshot().get(&key("m1")).unwrap().text, "older");
    let theirs = std::fs::read(memory.join("notes/2026-10.aaaaaaaa.ndjson")).unwrap();
    project.writer.forget(vec![key("m1"), key("sem-1")], String::new(), false).unwrap().wait().unwrap();
    project.writer.forget(vec![key("sem-9")], String::new(), true).unwrap().wait().unwrap();
    registry.stop();
    assert_eq!(std::fs::read(memory.join("notes/2026-10.aaaaaaaa.ndjson")).unwrap(), theirs, "not ours to write");
    let again = desk.registry();
    assert_eq!(again.add(&desk.path("repo")).unwrap().writer.snapshot().len(), 0);
    again.stop();
}

#[test]
fn a_write_goes_into_the_folder_that_stands_there_now() {
    let desk = Desk::new();
    let registry = desk.registry();
    let project = registry.add(&desk.path("repo")).unwrap();
    remember(&project, Draft::new(Kind::Note, "before"));
    std::fs::rename(desk.path("repo/.loki"), desk.path("repo/.loki.old")).unwrap();
    let note = remember(&project, Draft::new(Kind::Note, "after"));
    registry.stop();
    let again = desk.registry();
    assert!(again.add(&desk.path("repo")).unwrap().writer.snapshot().get(&note.key()).is_some());
    again.stop();
}

#[test]
fn a_document_that_is_full_takes_no_more_and_nothing_is_lost() {
    let desk = Desk::new();
    let registry = desk.registry();
    let project = registry.add(&desk.path("repo")).unwrap();
    let facts =
        |from: u64, to: u64| -> Vec<(u64, Draft)> { (from..to).map(|n| (n, fact(&format!("k{n}"), "v"))).collect() };
    for batch in 0..3 {
        project.writer.import(facts(batch * 4_000, batch * 4_000 + 4_000), true).unwrap().wait().unwrap();
    }
    // One in the document and one in the lines are superseded alike.
    let told =
        [fact("k1", "w"), fact("k11999", "w")].map(|draft| project.writer.remember(draft).unwrap().wait().unwrap());
    assert!(told.iter().all(|told| told.contradictions.len() == 1));
    registry.stop();
    let text = std::fs::read(desk.path("repo/.loki/memory/semantic/facts.json")).unwrap();
    let document: serde_json::Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(document["facts"].as_array().unwrap().len(), 4_000);
    let again = desk.registry();
    let snapshot = again.add(&desk.path("repo")).unwrap().writer.snapshot();
    assert_eq!(snapshot.count(Kind::Fact), 12_002);
    let ended = snapshot.memories().filter(|memory| memory.times.expired_at.is_some()).count();
    assert_eq!(ended, 2);
    again.stop();
}

#[test]
fn a_long_list_goes_on_in_another_document_and_each_entry_stays_where_it_is() {
    let desk = Desk::new();
    let registry = desk.registry();
    let project = registry.add(&desk.path("repo")).unwrap();
    // Each value that replaces another leaves two links and a matter that is settled.
    let told = |value: &str| -> Vec<(u64, Draft)> { (0..2_500).map(|n| (n, fact(&format!("k{n}"), value))).collect() };
    for value in ["v", "w", "x"] {
        project.writer.import(told(value), true).unwrap().wait().unwrap();
    }
    let count = |name: &str, list: &str| {
        let text = std::fs::read(desk.path(&format!("repo/.loki/memory/semantic/{name}.json"))).unwrap();
        let document: serde_json::Value = serde_json::from_slice(&text).unwrap();
        document[list].as_array().unwrap().len()
    };
    let links = [count("links", "links"), count("links-2", "links"), count("links-3", "links")];
    assert_eq!(links, [4_000, 4_000, 2_000]);
    assert_eq!(
        [count("contradictions", "contradictions"), count("contradictions-2", "contradictions")],
        [4_000, 1_000]
    );
    let snapshot = project.writer.snapshot();
    let last = snapshot.memories().find(|memory| memory.fact().is_some_and(|f| (&*f.key, &*f.value) == ("k2499", "v")));
    let key = last.unwrap().key();
    project.writer.forget(vec![key.clone()], String::new(), true).unwrap().wait().unwrap();
    registry.stop();
    let left = || count("links", "links") + count("links-2", "links") + count("links-3", "links");
    assert_eq!(left(), 9_998, "what is erased leaves the document it stands in");
    let again = desk.registry();
    let snapshot = again.add(&desk.path("repo")).unwrap().writer.snapshot();
    assert_eq!((snapshot.contradictions().count(), snapshot.disputes_of(&key).count()), (4_999, 0));
    again.stop();
}

#[test]
fn a_spare_place_that_is_taken_too_is_not_taken_again() {
    let desk = Desk::new();
    let registry = desk.registry();
    let project = registry.add(&desk.path("repo")).unwrap();
    // The second and the third would stand in the place of the first, or in the place beside it.
    let ids = ["a_b-08b91858", "a:b", "a.b", "skill-foo-04e0bb39", "skill-foo", "foo"];
    for id in ids {
        let draft = if id.contains("foo") { skill("Foo", id) } else { Draft::new(Kind::Episode, format!("did {id}")) };
        remember(&project, Draft { id: lokid_model::MemoryId::new(id), ..draft });
    }
    registry.stop();
    let again = desk.registry();
    let snapshot = again.add(&desk.path("repo")).unwrap().writer.snapshot();
    let found: Vec<&str> = snapshot.memories().map(|memory| memory.id.as_str()).collect();
    assert!(ids.iter().all(|id| found.contains(id)), "{found:?}");
    again.stop();
}

/// A lock another program holds, as Loki Mode would.
fn hold(path: PathBuf) -> std::fs::File {
    let file = std::fs::File::create(path).unwrap();
    file.lock().unwrap();
    file
}

#[test]
fn a_lock_that_is_held_delays_only_what_needs_it_and_what_happened_meanwhile_is_seen() {
    let desk = Desk::new();
    let registry = desk.registry_with(Config::parse("[store]\nlock_timeout = \"50ms\"\n").unwrap());
    let project = registry.add(&desk.path("repo")).unwrap();
    let pattern = |name: &str| {
        let body = lokid_model::Pattern { pattern: name.into(), ..Default::default() };
        Draft { body: Body::Pattern(Box::new(body)), ..Draft::new(Kind::Pattern, "") }
    };
    remember(&project, pattern("first"));
    let file = desk.path("repo/.loki/memory/semantic/patterns.json");
    let held = hold(desk.path("repo/.loki/memory/semantic/patterns.json.lock"));
    let promised = Draft { tier: Some(Tier::Guardrail), ..pattern("second") };
    let second = remember(&project, promised);
    for n in 0..20 {
        remember(&project, Draft::new(Kind::Note, format!("others go on {n}")));
    }
    let third = project.writer.remember(pattern("third")).unwrap().wait();
    assert!(matches!(third, Err(EngineError::Locked(_))), "{third:?}");
    let text = std::fs::read_to_string(&file).unwrap();
    let foreign = text.replace("\"patterns\": [", "\"patterns\": [{\"id\": \"sem-foreign\", \"pattern\": \"theirs\"},");
    replace(&file, &foreign);
    held.unlock().unwrap();
    let third = remember(&project, pattern("third"));
    let snapshot = project.writer.snapshot();
    let theirs = lokid_model::MemoryId::new("sem-foreign").unwrap();
    assert!(snapshot.get(&lokid_model::Key::new(&Namespace::default(), &theirs)).is_some());
    assert!(snapshot.problems().is_empty(), "{:?}", snapshot.problems());
    registry.stop();
    let again = desk.registry();
    let snapshot = again.add(&desk.path("repo")).unwrap().writer.snapshot();
    assert_eq!(snapshot.count(Kind::Pattern), 4);
    assert!(snapshot.get(&second.key()).is_some() && snapshot.get(&third.key()).is_some());
    again.stop();
}

#[test]
fn a_purge_takes_no_line_of_loki_modes_that_only_reads_alike() {
    let desk = Desk::new();
    let memory = desk.path("repo/.loki/memory");
    std::fs::create_dir_all(&memory).unwrap();
    let timeline = r#"{"recent_actions":[{"timestamp":"2026-01-06T10:00:00Z","action":"Fix tests"}],"key_decisions":[{"decision":"Fix tests","rationale":"theirs"}]}"#;
    std::fs::write(memory.join("timeline.json"), timeline).unwrap();
    let registry = desk.registry();
    let project = registry.add(&desk.path("repo")).unwrap();
    let note = remember(
        &project,
        Draft { timestamp: Timestamp::parse("2026-01-06T10:00:00Z"), ..Draft::new(Kind::Note, "Fix tests") },
    );
    project.writer.forget(vec![note.key()], String::new(), true).unwrap().wait().unwrap();
    registry.stop();
    let kept = std::fs::read_to_string(memory.join("timeline.json")).unwrap();
    assert_eq!(kept.matches("Fix tests").count(), 2, "{kept}");
}
