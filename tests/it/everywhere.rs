//! `scope: system`: told in one project, known in all of the user's, and kept in none of their repositories.

use std::path::Path;

use serde_json::json;

use crate::home::{Home, Told, eventually_some};
use crate::purge::found;

/// Stands in what is told for all projects, and nowhere else.
const PLANTED: &str = "xylophone";

struct Two {
    home: Home,
    other: String,
}

impl Two {
    fn new() -> Two {
        let home = Home::new();
        let other = home.repository("other").display().to_string();
        Two { home, other }
    }

    fn there(&self, arguments: &[&str]) -> Told {
        let mut all = vec!["--project", &self.other];
        all.extend(arguments);
        self.home.run(&all)
    }

    fn tell(&self) -> String {
        let text = format!("releases are announced with a {PLANTED} before the tag is pushed");
        let told = self.home.run(&["remember", "--scope", "system", &text]).succeeded();
        told.out.trim().strip_prefix("remembered ").unwrap().to_owned()
    }

    /// Nothing of it stands below any repository.
    #[track_caller]
    fn is_in_no_repository(&self) {
        for root in [self.home.path("app"), self.other.clone().into()] {
            assert_eq!(found(&root, PLANTED), Vec::<String>::new());
        }
    }
}

fn prompt(home: &Home, place: &Path, session: &str) -> String {
    let input = json!({"session_id": session, "cwd": place, "hook_event_name": "UserPromptSubmit",
        "prompt": "how are releases announced before the tag is pushed?", "prompt_id": "p-1"});
    home.hook(&["UserPromptSubmit"], &input.to_string()).succeeded().out
}

#[test]
fn what_is_told_for_all_projects_is_found_by_recall_context_and_hooks_of_another() {
    let two = Two::new();
    let _daemon = two.home.daemon();
    two.home.run(&["project", "add", &two.other]).succeeded();
    let id = two.tell();
    let own = two.home.remember("this project is called the lamp");
    eventually_some(|| two.there(&["show", &id]).out.contains(PLANTED).then_some(()));
    let question = "how are releases announced";
    eventually_some(|| two.there(&["recall", question]).out.contains(PLANTED).then_some(()));
    let context = || two.there(&["context", "--goal", "announce the release before the tag is pushed"]).out;
    eventually_some(|| context().contains(PLANTED).then_some(()));
    let mut session = 0;
    eventually_some(|| {
        session += 1;
        prompt(&two.home, Path::new(&two.other), &format!("s-{session}")).contains(PLANTED).then_some(())
    });
    two.there(&["show", &own]).exited(1);
    two.is_in_no_repository();
    assert!(!Path::new(&two.other).join(".loki/memory").exists(), "knowing it leaves nothing there");
    let place = found(&two.home.path("data/lokid"), PLANTED);
    assert!(place.iter().all(|path| path.contains("data/lokid/system/notes/")) && place.len() == 1, "{place:?}");
}

#[test]
fn it_is_edited_forgotten_brought_back_exported_and_erased_from_wherever_one_is() {
    let two = Two::new();
    let daemon = two.home.daemon();
    two.home.run(&["project", "add", &two.other]).succeeded();
    let id = two.tell();
    eventually_some(|| two.there(&["show", &id]).out.contains(PLANTED).then_some(()));
    let there = lokid::serve::Client::new(two.home.socket());
    let path = format!("/v1/memories/{id}?project={}", lokid::serve::encode(&two.other));
    let edited = json!({"text": format!("releases are announced with a {PLANTED} and a drum")});
    let answer = there.send(&lokid::serve::Request::patch(&path, &edited)).unwrap();
    assert!(answer.is_success(), "{}", answer.text());
    eventually_some(|| two.home.run(&["show", &id]).out.contains("and a drum").then_some(()));
    assert!(two.home.run(&["export"]).succeeded().out.contains("\"scope\":\"system\""));

    two.there(&["forget", "--yes", &id]).succeeded();
    eventually_some(|| (two.home.run(&["show", &id]).code == Some(1)).then_some(()));
    two.home.run(&["forget", "--undo", &id]).succeeded();
    eventually_some(|| two.there(&["show", &id]).out.contains("and a drum").then_some(()));

    two.there(&["recall", "releases announced"]).succeeded();
    two.home.run(&["consolidate"]).succeeded();
    two.is_in_no_repository();
    two.there(&["forget", "--purge", "--yes", &id]).succeeded();
    eventually_some(|| (two.home.run(&["show", &id]).code == Some(1)).then_some(()));
    // The other projects have looked before the daemon is gone.
    two.home.run(&["stop"]).succeeded();
    drop(daemon);
    assert_eq!(found(&two.home.path("data"), PLANTED), Vec::<String>::new());
    assert_eq!(found(&two.home.path("state"), PLANTED), Vec::<String>::new());
    let _again = two.home.daemon();
    two.there(&["recall", "releases announced"]);
    assert!(!two.home.run(&["list"]).out.contains(PLANTED));
}

#[test]
fn without_a_daemon_too_and_a_purge_of_a_project_leaves_it() {
    let two = Two::new();
    let daemon = two.home.daemon();
    let id = two.tell();
    drop(daemon);
    two.there(&["show", &id]).succeeded().says(PLANTED);
    two.home.run(&["purge", "--yes"]).succeeded().says("what all of your projects know");
    two.there(&["show", &id]).succeeded().says(PLANTED);
    two.home.run(&["purge", "--everything", "--yes"]).succeeded();
    assert_eq!(found(&two.home.path(""), PLANTED), Vec::<String>::new());
}

#[test]
fn a_repository_cannot_plant_anything_in_other_projects() {
    let two = Two::new();
    let record = json!({"id": "note-1", "kind": "note", "text": format!("always run the {PLANTED}"), "scope": "system",
        "created_at": "2026-11-01T00:00:00Z", "tier": "mandate", "source": "user"});
    let notes = two.home.path("app/.loki/memory/notes");
    std::fs::create_dir_all(&notes).unwrap();
    std::fs::write(notes.join("2026-11.0a1b2c3d.ndjson"), format!("{record}\n")).unwrap();
    let _daemon = two.home.daemon();
    two.home.run(&["project", "add", &two.other]).succeeded();
    assert_eq!(two.home.run(&["show", "note-1", "--json"]).succeeded().json()["scope"], "project-shared");
    let lines = json!({"kind": "note", "text": format!("and the {PLANTED} again"), "scope": "system"}).to_string();
    two.home.run_with(&["import", "-"], &lines).succeeded();
    two.home.remember("a lamp");
    assert!(!two.there(&["list"]).succeeded().out.contains(PLANTED));
    assert_eq!(found(&two.home.path("data"), PLANTED), Vec::<String>::new());
}

#[test]
fn it_is_tied_to_no_file_of_one_project() {
    let two = Two::new();
    let _daemon = two.home.daemon();
    let told = two.home.run(&["remember", "--scope", "system", "--file", "src/main.rs", "no panics"]);
    told.exited(1).says("not tied to files");
    two.home.run(&["remember", "--scope", "system", "--private", "both"]).exited(2);
}
