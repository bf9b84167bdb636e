//! Episodes on their way to a memory store, through the binary and against a server of our own: what leaves, what stays,
//! what a broken server does, and that nothing is lost and nothing stands there twice.

mod desk;
mod faults;
mod off;
mod tls;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::home::eventually_some;
use desk::{Desk, episode, with};

#[test]
fn episodes_of_weight_are_mirrored_and_nothing_else_is() {
    let desk = Desk::new();
    let _daemon = desk.daemon();
    desk.import(&[
        episode("ep-1", "T-1"),
        with(episode("ep-2", "T-2"), "importance", 0.59.into()),
        with(episode("ep-3", "T-3"), "restricted", true.into()),
        with(episode("ep-4", "T-4"), "scope", "user-private".into()),
        with(episode("ep-5", "T-5"), "text", "the key is sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789".into()),
        with(episode("ep-6", "T-1"), "created_at", "2026-11-02T11:00:00Z".into()),
        r#"{"id":"n-1","kind":"note","text":"a note of weight","importance":1.0}"#.parse().unwrap(),
    ]);
    desk.wait_for_mirrored(3);
    let all = desk.server.all(&desk.store);
    let paths: Vec<&str> = all.iter().map(|(path, _)| path.as_str()).collect();
    assert!(paths[0].starts_with("/episodic/2026-11-02/T-1-"), "the same task on the same day: {paths:?}");
    assert_eq!(&paths[1..], ["/episodic/2026-11-02/T-1.json", "/episodic/2026-11-02/T-5.json"]);
    let whole: String = all.iter().map(|(_, content)| content.as_str()).collect();
    assert!(whole.contains("[redacted:") && !whole.contains("abcdefghijklmnop"), "{whole}");
    let document: Value = serde_json::from_str(&all[1].1).unwrap();
    assert_eq!((document["id"].as_str(), document["task_id"].as_str()), (Some("ep-1"), Some("T-1")));
    // Reading here is no writing there.
    let asked = desk.server.requests().len();
    desk.run(&["recall", "what happened in T-1"]).succeeded();
    desk.run(&["remember", "--kind", "episode", "--importance", "0.9", "the last words about it"]).succeeded();
    desk.wait_for_mirrored(4);
    assert_eq!(desk.server.count("POST", "/memories"), asked + 1);
    for request in desk.server.requests() {
        assert_eq!(request.headers["anthropic-beta"], "agent-memory-2026-07-22");
        assert_eq!(request.headers["anthropic-version"], "2026-10-21");
    }
}

#[test]
fn what_changes_here_changes_there_and_what_is_forgotten_or_purged_goes() {
    let desk = Desk::new();
    let _daemon = desk.daemon();
    desk.import(&[episode("ep-1", "T-1"), episode("ep-2", "T-2"), episode("ep-3", "T-3")]);
    desk.wait_for_mirrored(3);
    desk.import(&[with(episode("ep-1", "T-1"), "text", "other words".into())]);
    desk.wait_for(|desk| desk.content("T-1").is_some_and(|content| content.contains("other words")));
    let versions = desk.get("/v1/managed/memory_versions/ep-1");
    let operations: Vec<&str> =
        versions["items"].as_array().unwrap().iter().map(|one| one["operation"].as_str().unwrap()).collect();
    assert_eq!(operations, ["modified", "created"], "{versions:#}");
    desk.run(&["forget", "ep-2"]).succeeded();
    desk.wait_for(|desk| desk.content("T-2").is_none());
    desk.run(&["forget", "ep-3", "--purge", "--yes"]).succeeded();
    desk.wait_for(|desk| desk.content("T-3").is_none() && desk.kinds("deleted") == 2);
    let told = desk.server.versions(&desk.store);
    let purged: Vec<&Value> =
        told.iter().filter(|one| one["content"].as_str().is_some_and(|it| it.contains("ep-3"))).collect();
    assert!(purged.is_empty(), "what was purged is in no version either: {purged:#?}");
    desk.run(&["forget", "--undo", "ep-2"]).succeeded();
    desk.wait_for(|desk| desk.content("T-2").is_some());
    // What becomes restricted is taken back, with all that was ever said of it there.
    desk.import(&[with(episode("ep-2", "T-2"), "restricted", true.into())]);
    desk.wait_for(|desk| desk.content("T-2").is_none() && desk.kinds("deleted") == 3);
    let told = desk.server.versions(&desk.store);
    let of_it = |one: &&Value| one["content"].as_str().is_some_and(|it| it.contains("ep-2"));
    let left: Vec<&Value> = told.iter().filter(of_it).collect();
    assert!(left.is_empty(), "also of when it was forgotten and brought back: {left:#?}");
    desk.run(&["purge", "--yes"]).succeeded();
    assert!(!desk.home.path("app/.loki").exists(), "{:?}", crate::lab::tree(&desk.home.path("app/.loki")));
}

#[test]
fn a_memory_that_is_wiped_here_takes_nothing_with_it() {
    let desk = Desk::new();
    let mut daemon = desk.daemon();
    desk.import(&[episode("ep-1", "T-1"), episode("ep-2", "T-2")]);
    desk.wait_for_mirrored(2);
    daemon.signal(Signal::TERM);
    daemon.ended();
    std::fs::remove_dir_all(desk.home.path("app/.loki")).unwrap();
    let _daemon = desk.daemon();
    desk.import(&[episode("ep-9", "T-9")]);
    desk.wait_for(|desk| desk.content("T-9").is_some() && desk.kinds("created") == 1);
    assert_eq!((desk.server.all(&desk.store).len(), desk.server.count("DELETE", "")), (3, 0));
}

#[test]
fn a_store_holds_the_newest_and_the_oldest_make_room() {
    let desk = Desk::with("max_memories = 3\n");
    let daemon = desk.daemon();
    let made = |n: usize| {
        with(episode(&format!("ep-{n}"), &format!("T-{n}")), "created_at", format!("2026-11-02T1{n}:00:00Z").into())
    };
    desk.import(&(0..5).map(made).collect::<Vec<_>>());
    desk.wait_for_mirrored(3);
    let tasks = |desk: &Desk| -> Vec<String> {
        let all = desk.server.all(&desk.store).into_iter();
        all.map(|(path, _)| path.rsplit('/').next().unwrap().to_owned()).collect()
    };
    desk.wait_for(|desk| tasks(desk) == ["T-2.json", "T-3.json", "T-4.json"]);
    desk.import(&[made(7)]);
    desk.wait_for(|desk| tasks(desk) == ["T-3.json", "T-4.json", "T-7.json"]);
    desk.import(&[with(made(1), "text", "an old one that changed".into())]);
    desk.import(&[made(8)]);
    // What was sent is written down a moment later, and told then.
    desk.wait_for(|desk| tasks(desk) == ["T-4.json", "T-7.json", "T-8.json"] && desk.kinds("created") == 5);
    desk.wait_for(|desk| desk.run(&["managed", "status"]).succeeded().out.contains("3 episodes mirrored"));
    drop(daemon);
    desk.run(&["managed", "status"]).succeeded().says("3 episodes mirrored");
}

#[test]
fn what_was_remembered_before_goes_first_and_without_a_daemon_nothing_goes() {
    let desk = Desk::new();
    for n in [3, 1, 2] {
        let path = desk.home.path(&format!("app/.loki/memory/episodic/2026-11-02/task-ep-{n}.json"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let time = format!("2026-11-02T1{n}:00:00Z");
        let record = json!({"id": format!("ep-{n}"), "task_id": format!("T-{n}"), "timestamp": time, "importance": 0.7,
            "context": {"goal": format!("what happened in T-{n}")}});
        std::fs::write(path, record.to_string()).unwrap();
    }
    desk.run(&["recall", "what happened in T-1"]).succeeded().says("ep-1");
    assert!(desk.server.requests().is_empty() && !desk.home.path("app/.loki/managed").exists());
    let _daemon = desk.daemon();
    desk.wait_for_mirrored(3);
    let sent: Vec<String> =
        desk.server.requests().iter().filter_map(|it| it.body["path"].as_str().map(str::to_owned)).collect();
    assert_eq!(sent, ["T-1", "T-2", "T-3"].map(|task| format!("/episodic/2026-11-02/{task}.json")));
}

#[test]
fn the_socket_and_the_terminal_tell_how_it_fares() {
    let desk = Desk::new();
    let mut daemon = desk.daemon();
    desk.import(&[episode("ep-1", "T-1")]);
    desk.wait_for_mirrored(1);
    let status = eventually_some(|| {
        let status = desk.get("/v1/managed/status");
        (status["shadow_write"]["mirrored"] == 1).then_some(status)
    });
    assert_eq!((&status["enabled"], &status["user_store"]), (&true.into(), &desk.store.as_str().into()));
    assert_eq!(status["flags"]["LOKI_MANAGED_MEMORY"], true);
    assert_eq!(status["shadow_write"]["waiting"], 0);
    desk.run(&["managed", "status"]).succeeded().says("1 episode mirrored, 0 waiting").says(&desk.store);
    let events = desk.get("/v1/managed/events?limit=5&type=managed_memory_shadow_write");
    assert_eq!(events["items"].as_array().unwrap().len(), 1, "{events:#}");
    let event = &events["items"][0];
    assert_eq!((&event["op"], &event["path"]), (&"created".into(), &"/episodic/2026-11-02/T-1.json".into()));
    assert!(desk.get("/v1/managed/events?since=2100-01-01T00:00:00Z")["items"].as_array().unwrap().is_empty());
    assert!(!event.to_string().contains("what happened"), "events hold no words");
    daemon.signal(Signal::TERM);
    daemon.ended();
    desk.run(&["managed", "status"]).succeeded().says("1 episode mirrored");
}

/// The process dies at any moment, again and again, while episodes come: what is found there in the end is each of them,
/// once, as it is here.
fn killed(times: usize) {
    let desk = Desk::new();
    let mut made = 0;
    for round in 0..times {
        let mut daemon = desk.daemon();
        let more: Vec<Value> =
            (0..5).map(|n| episode(&format!("ep-{}", made + n), &format!("T-{}", made + n))).collect();
        // The same moment never twice: some requests into the round, some answers lost.
        let asked = desk.server.requests().len();
        desk.import(&more);
        made += more.len();
        if round % 3 == 1 {
            desk.server.fail(1, "POST", "/memories", lokid_testing::stores::Fault::LostAnswer);
        }
        eventually_some(|| (desk.server.requests().len() >= asked.max(made - 5) + round % 5).then_some(()));
        daemon.child.kill().unwrap();
        daemon.child.wait().unwrap();
    }
    let _daemon = desk.daemon();
    eventually_some(|| (desk.server.all(&desk.store).len() == made).then_some(()));
    desk.wait_for(|desk| desk.get("/v1/managed/status")["shadow_write"]["mirrored"] == made);
    let mut found = desk.server.all(&desk.store);
    found.sort_by_key(|(path, _)| path.len());
    let wanted: std::collections::BTreeSet<String> =
        (0..made).map(|n| format!("/episodic/2026-11-02/T-{n}.json")).collect();
    let paths: std::collections::BTreeSet<String> = found.iter().map(|(path, _)| path.clone()).collect();
    assert_eq!(paths, wanted, "each once, and in its own place");
    println!("killed {times} times, {made} episodes, {} requests", desk.server.requests().len());
}

#[test]
fn killed_at_any_moment_nothing_is_lost_and_nothing_stands_there_twice() {
    killed(6);
}

#[test]
#[ignore = "takes a minute; the short one is above"]
fn killed_fifty_times_nothing_is_lost_and_nothing_stands_there_twice() {
    killed(50);
}
