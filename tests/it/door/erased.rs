//! Erased for good: a search over everything finds nothing of what was purged.

use lokid::serve::Request;
use serde_json::json;

use super::{post, stopped};
use crate::home::{Home, client, eventually_some};
use crate::purge::found;

/// Stands in everything that is to go, and nowhere else.
const PLANTED: &str = "quetzalcoatl";

/// As a writer leaves it that is killed between writing and renaming.
const LEFT: &str = ".tmp_7fffffff0a1b2c3d.json";

fn everywhere(home: &Home) -> Vec<String> {
    found(&home.path(""), PLANTED)
}

#[track_caller]
fn hook(home: &Home, event: &str, extra: &serde_json::Value) {
    let mut input = json!({"session_id": "s-1", "cwd": home.path("app"), "hook_event_name": event});
    input.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    home.hook(&[event], &input.to_string()).succeeded();
}

#[test]
fn a_memory_that_lived_through_everything_is_found_nowhere_once_it_is_purged() {
    let home = Home::new();
    let daemon = home.daemon();
    let app = home.path("app");
    let page = |decision: &str| {
        let text = format!("# Continuity\n\n## Key Decisions\n\n- {decision}\n\n## Next\n\n- tests\n");
        std::fs::create_dir_all(app.join(".loki")).unwrap();
        std::fs::write(app.join(".loki/CONTINUITY.md"), text).unwrap();
    };
    page(&format!("The release is called {PLANTED}"));
    eventually_some(|| home.run(&["list"]).out.contains(PLANTED).then_some(()));
    let id = home.remember(&format!("the release server is {PLANTED}, reached over the tunnel"));
    let other = home.remember(&format!("the release server {PLANTED} restarts on Sunday"));
    home.run(&["remember", "--private", &format!("my login at {PLANTED}")]).succeeded();
    home.run(&["remember", "--key", "release.server", "--value", PLANTED]).succeeded();
    let episode = |number: usize| {
        json!({"kind": "episode", "outcome": "success", "episode": {"goal": format!("release {number} over the tunnel"),
            "errors_encountered": [{"type": "Timeout", "message": format!("{PLANTED} timed out after 30 s"),
                "resolution": format!("wake {PLANTED} first")}]}})
    };
    (1..=3).for_each(|number| drop(post(&home, "/v1/memories", &episode(number))));
    let skill = json!({"name": format!("Wake {PLANTED}"), "steps": ["ring the bell"]});
    let skill = post(&home, "/v1/skills", &skill)["id"].as_str().unwrap().to_owned();
    assert!(skill.contains(PLANTED));
    hook(&home, "SessionStart", &json!({"source": "startup"}));
    hook(&home, "UserPromptSubmit", &json!({"prompt": "how do I reach the release server?", "prompt_id": "p-1"}));
    post(&home, "/v1/context/assemble", &json!({"signals": {"goal": "release over the tunnel"}, "session_id": "s-1"}));
    post(&home, "/v1/context/session", &json!({"session_id": "s-2", "goal": "release over the tunnel"}));
    home.run(&["mute", &id]).succeeded();
    let said = client(&home).send(&Request::get("/v1/said")).unwrap();
    assert!(said.is_success() && said.text().contains(PLANTED), "{}", said.text());
    post(&home, "/v1/consolidate", &json!({}));
    home.run(&["forget", "--yes", &other]).succeeded();
    home.run(&["forget", "--yes", &id]).succeeded();
    home.run(&["forget", "--undo", &id]).succeeded();
    home.run(&["recall", "release server"]).succeeded().says(PLANTED);
    // Also what was taken back, and what it was in between.
    let archived = home.run(&["changes", &other, "--op", "archived", "--json"]).succeeded().json();
    home.run(&["undo", archived["items"][0]["id"].as_str().unwrap()]).succeeded();
    post(&home, "/v1/memories", &json!({"kind": "note", "text": format!("{PLANTED} sleeps"), "supersedes": [other]}));
    home.run_with(&["handoff", "write", "h-1"], &json!({"note": format!("ask {PLANTED}")}).to_string()).succeeded();
    home.run_with(&["ledger", "write", "coder"], &json!({"task": format!("wake {PLANTED}")}).to_string()).succeeded();
    assert!(everywhere(&home).len() > 4);

    page("The release has no name");
    home.run(&["forget", "--purge", "--yes", "--query", PLANTED]).succeeded();
    home.run(&["handoff", "erase", "h-1"]).succeeded().says("erased");
    home.run(&["handoff", "erase", "h-1"]).exited(1);
    home.run(&["ledger", "erase", "coder"]).succeeded();
    hook(&home, "SessionEnd", &json!({"reason": "exit"}));
    post(&home, "/v1/consolidate", &json!({}));
    stopped(daemon);
    assert_eq!(everywhere(&home), Vec::<String>::new());
}

/// A purge is in the repository's files, and what is kept beside them is as it was before: so a kill leaves it right behind
/// the commit, and so it is when another machine purged while no daemon ran.
#[test]
fn what_was_purged_while_nobody_kept_account_is_found_nowhere_after_the_next_start() {
    let home = Home::new();
    let daemon = home.daemon();
    let id = home.remember(&format!("the release server is {PLANTED}, reached over the tunnel"));
    let skill = json!({"name": format!("Wake {PLANTED}"), "steps": ["ring the bell"]});
    let skill = post(&home, "/v1/skills", &skill)["id"].as_str().unwrap().to_owned();
    hook(&home, "SessionStart", &json!({"source": "startup"}));
    let asked = format!("note that the release server is {PLANTED}, reached over the tunnel");
    hook(&home, "UserPromptSubmit", &json!({"prompt": asked, "prompt_id": "p-1"}));
    hook(&home, "UserPromptSubmit", &json!({"prompt": "how do I reach the release server?", "prompt_id": "p-2"}));
    home.run(&["recall", "release server"]).succeeded().says(PLANTED);
    [&id, &skill].iter().for_each(|id| drop(home.run(&["mute", id]).succeeded()));
    post(&home, "/v1/consolidate", &json!({}));
    stopped(daemon);
    let state = home.path("state");
    let before = crate::lab::tree(&state);
    assert!(found(&state, &id).len() >= 4, "{:?}", found(&state, &id));

    let daemon = home.daemon();
    [&id, &skill].iter().for_each(|id| drop(home.run(&["forget", "--purge", "--yes", id]).succeeded()));
    stopped(daemon);
    assert_eq!(everywhere(&home), Vec::<String>::new());
    for (path, bytes) in before {
        std::fs::create_dir_all(state.join(&path).parent().unwrap()).unwrap();
        std::fs::write(state.join(&path), bytes).unwrap();
    }
    assert!(!everywhere(&home).is_empty());
    stopped(home.daemon());
    assert_eq!((everywhere(&home), found(&state, &id)), (Vec::new(), Vec::new()));
}

#[test]
fn what_a_killed_writer_left_is_swept_out_at_the_next_start_and_what_others_left_stays() {
    let home = Home::new();
    let daemon = home.daemon();
    home.remember("a lamp");
    home.run(&["remember", "--private", "a lamp of my own"]).succeeded();
    stopped(daemon);
    let mut left = Vec::new();
    let own = |folder: &str| std::fs::read_dir(home.path(folder)).unwrap().flatten().map(|entry| entry.path());
    for place in own("state/lokid/projects").chain(own("cache/lokid")).chain(own("data/lokid")) {
        left.extend(place.is_dir().then(|| place.join(LEFT)));
    }
    let memory = home.path("app/.loki/memory");
    left.extend([memory.join(LEFT), memory.join("notes").join(LEFT)]);
    let theirs = memory.join(".tmp_k3x9a2b_.json");
    for path in left.iter().chain([&theirs]) {
        std::fs::write(path, PLANTED).unwrap();
    }
    stopped(home.daemon());
    assert_eq!(everywhere(&home), [theirs.display().to_string()]);
}

#[test]
fn a_purge_of_the_project_takes_what_lokid_wrote_and_leaves_the_documents_of_others() {
    let home = Home::new();
    let memory = home.path("app/.loki/memory");
    std::fs::create_dir_all(memory.join("handoffs")).unwrap();
    let theirs = memory.join("handoffs/theirs.json");
    std::fs::write(&theirs, "{\"id\": \"theirs\", \"note\": \"sharpen the saw\"}").unwrap();
    let daemon = home.daemon();
    home.remember(PLANTED);
    home.run_with(&["handoff", "write", "h-1"], &json!({"note": format!("ask {PLANTED}")}).to_string()).succeeded();
    home.run_with(&["ledger", "write", "coder"], &json!({"task": format!("wake {PLANTED}")}).to_string()).succeeded();
    let shown = home.run(&["handoff", "show", "h-1", "--json"]).succeeded().json();
    assert!(shown.get("made_by").is_none(), "{shown}");
    stopped(daemon);
    home.run(&["purge", "--dry-run"]).succeeded().says("handoffs/h-1.json").says("ledgers/coder.json");
    home.run(&["purge", "--yes"]).succeeded();
    assert_eq!(everywhere(&home), Vec::<String>::new());
    assert_eq!(std::fs::read_to_string(&theirs).unwrap(), "{\"id\": \"theirs\", \"note\": \"sharpen the saw\"}");
    let timeline = std::fs::read_to_string(memory.join("timeline.json"));
    assert!(timeline.is_err(), "{timeline:?}");
    let left: Vec<_> = std::fs::read_dir(&memory).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["handoffs"]);
}
