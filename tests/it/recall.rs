//! Questions through the binary: with a daemon and without, across restarts, without a cache, with a broken one, with
//! another model, and in the middle of making the index.

use std::path::Path;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::home::{Home, eventually_some};

fn notes(count: usize) -> String {
    let line = |at: usize| {
        let text = format!("Worker {} of queue {} retries job kind {} after {at} seconds.", at % 7, at % 11, at % 13);
        format!(
            "{}\n",
            json!({"id": format!("n-{at}"), "kind": "note", "text": text, "timestamp": "2026-01-01T00:00:00Z"})
        )
    };
    (0..count).map(line).collect()
}

fn answer(home: &Home) -> Value {
    let told = home.run(&["recall", "retries of queue 5", "-k", "20", "--explain", "--json"]).succeeded();
    let mut answer = told.json();
    answer.as_object_mut().unwrap().remove("took_us");
    answer
}

fn index(home: &Home) -> Value {
    home.run(&["status", "--json"]).succeeded().json()["projects"][0]["index"].clone()
}

fn wait_until_ready(home: &Home) -> Value {
    eventually_some(|| Some(index(home)).filter(|index| index["state"] == "ready" && index["waiting"] == 0))
}

fn cache(home: &Home) -> std::path::PathBuf {
    let folder = std::fs::read_dir(home.path("cache/lokid")).unwrap().next().unwrap();
    folder.unwrap().path()
}

fn each_file(folder: &Path, change: &mut dyn FnMut(&Path)) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { each_file(&path, change) } else { change(&path) }
    }
}

#[test]
fn a_question_has_the_same_answer_after_a_restart_without_a_daemon_and_whatever_becomes_of_the_cache() {
    let home = Home::new();
    let mut daemon = home.daemon();
    home.run_with(&["import", "-"], &notes(400)).succeeded();
    let first = answer(&home);
    assert_eq!(first["results"].as_array().unwrap().len(), 20);
    assert_eq!(first.get("waiting"), None, "an import has answered when everything of it can be found");
    daemon.signal(Signal::TERM);
    assert_eq!(daemon.ended().0, Some(0));

    let told = home.run(&["recall", "retries of queue 5"]).succeeded();
    assert!(told.err.contains("reading directly"), "{told:?}");
    assert_eq!(answer(&home), first, "without a daemon");

    type Harm<'a> = &'a dyn Fn(&Path);
    let cut = |path: &Path| {
        let bytes = std::fs::read(path).unwrap();
        std::fs::write(path, &bytes[..bytes.len().min(10)]).unwrap_or_default();
    };
    let junk = |path: &Path| std::fs::write(path, "not what was here").unwrap();
    let flip = |path: &Path| {
        let mut bytes = std::fs::read(path).unwrap();
        bytes.iter_mut().skip(3).step_by(41).for_each(|byte| *byte ^= 0x5a);
        std::fs::write(path, bytes).unwrap();
    };
    let is = |path: &Path, ending: &str| path.extension().is_some_and(|found| found == ending);
    let harms: [(&str, Harm<'_>); 8] = [
        ("flipped in its postings", &|folder| {
            each_file(folder, &mut |path| {
                if is(path, "idx") {
                    flip(path)
                }
            })
        }),
        ("flipped in its words", &|folder| {
            each_file(folder, &mut |path| {
                if is(path, "term") {
                    flip(path)
                }
            })
        }),
        ("left alone", &|_| {}),
        ("deleted", &|folder| std::fs::remove_dir_all(folder).unwrap()),
        ("vectors cut", &|folder| {
            each_file(folder, &mut |path| {
                if path.extension().is_some_and(|e| e == "bin") {
                    cut(path)
                }
            })
        }),
        ("meta gone", &|folder| std::fs::remove_file(folder.join("text/meta.json")).unwrap()),
        ("all junk", &|folder| each_file(folder, &mut |path| junk(path))),
        ("a file in its place", &|folder| {
            std::fs::remove_dir_all(folder).unwrap();
            std::fs::write(folder, "x").unwrap();
        }),
    ];
    for (harm, work) in harms {
        work(&cache(&home));
        let mut daemon = home.daemon();
        wait_until_ready(&home);
        assert_eq!(answer(&home), first, "{harm}");
        home.remember(&format!("something new after the cache was {harm}"));
        // It is on disk; on a busy machine nobody waits longer than a second for the index.
        wait_until_ready(&home);
        let told = home.run(&["recall", &format!("was {harm}"), "--json"]).succeeded();
        assert!(told.out.contains(&format!("the cache was {harm}")), "{harm}");
        home.run(&["forget", "--yes", "--purge", told.json()["results"][0]["id"].as_str().unwrap()]).succeeded();
        daemon.signal(Signal::TERM);
        assert_eq!(daemon.ended().0, Some(0), "{harm}");
    }
}

#[test]
fn what_changes_while_the_index_is_being_made_is_found_as_it_is_now() {
    let home = Home::new();
    let mut daemon = home.daemon();
    home.run_with(&["import", "-"], &notes(3000)).succeeded();
    daemon.signal(Signal::TERM);
    assert_eq!(daemon.ended().0, Some(0));
    std::fs::remove_dir_all(cache(&home)).unwrap();
    let _daemon = home.daemon();
    let client = lokid::serve::Client::new(home.socket());
    for at in 0..20 {
        let text = json!({"text": format!("zebra{at} crossing the savanna")});
        let changed =
            client.send(&lokid::serve::Request::patch(format!("/v1/memories/n-{}", at * 100), &text)).unwrap();
        assert_eq!(changed.status, 200);
        client.send(&lokid::serve::Request::delete(format!("/v1/memories/n-{}", at * 100 + 1))).unwrap();
    }
    let index = wait_until_ready(&home);
    assert_eq!(index["indexed"], 2980);
    for at in 0..20 {
        let found = home.run(&["recall", &format!("zebra{at}"), "-k", "1", "--json"]).succeeded().json();
        assert_eq!(found["results"][0]["id"], format!("n-{}", at * 100), "{found}");
    }
}

#[test]
fn the_cache_may_vanish_under_a_running_daemon() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.run_with(&["import", "-"], &notes(50)).succeeded();
    let first = answer(&home);
    // The daemon may be writing there at this moment.
    eventually_some(|| std::fs::remove_dir_all(cache(&home)).ok());
    for at in 0..5 {
        home.remember(&format!("the lighthouse number {at} was painted white"));
    }
    let told = home.run(&["recall", "painted lighthouse", "-k", "10", "--json"]).succeeded();
    assert_eq!(told.json()["results"].as_array().unwrap().len(), 5);
    wait_until_ready(&home);
    assert_eq!(answer(&home)["results"].as_array().unwrap().len(), first["results"].as_array().unwrap().len());
}

#[test]
fn another_model_takes_over_in_the_background_and_a_bad_one_is_refused_with_a_reason() {
    let home = Home::new();
    let mut daemon = home.daemon();
    for text in ["the hello world program", "tests run at night"] {
        home.remember(text);
    }
    let inside = wait_until_ready(&home)["model"].clone();
    assert!(inside.as_str().unwrap().starts_with("sha256:"));
    home.configure("[embed]\nmodel = \"/nowhere/at/all\"\n");
    daemon.signal(Signal::HUP);
    daemon.err.wait_for("the model of [embed] cannot be used");
    assert_eq!(index(&home)["model"], inside);

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/embed/bert");
    home.configure(&format!("[embed]\nmodel = {:?}\n", folder.to_str().unwrap()));
    daemon.signal(Signal::HUP);
    let other = eventually_some(|| Some(index(&home)["model"].clone()).filter(|model| *model != inside));
    let found = home.run(&["recall", "hello", "--json"]).succeeded().json();
    assert!(found["results"][0]["title"].as_str().unwrap().contains("hello"), "{found}");

    daemon.signal(Signal::TERM);
    assert_eq!(daemon.ended().0, Some(0));
    let _daemon = home.daemon();
    assert_eq!(
        eventually_some(|| Some(index(&home)["model"].clone()).filter(|model| !model.is_null() && *model != inside)),
        other
    );
}

#[test]
fn a_daemon_killed_in_the_middle_of_indexing_finds_everything_afterwards() {
    let home = Home::new();
    let mut daemon = home.daemon();
    home.run_with(&["import", "-"], &notes(300)).succeeded();
    let first = answer(&home);
    for _ in 0..3 {
        home.remember("a passing thought about the weather");
        daemon.signal(Signal::KILL);
        daemon.ended();
        daemon = home.daemon();
        home.run(&["forget", "--yes", "--purge", "--query", "passing weather"]).succeeded();
    }
    wait_until_ready(&home);
    assert_eq!(answer(&home), first);
}

/// The ids that answer a question, best first.
fn found(home: &Home, question: &str) -> Vec<String> {
    let told = home.run(&["recall", question, "-k", "5", "--json"]).succeeded().json();
    told["results"].as_array().unwrap().iter().map(|hit| hit["id"].as_str().unwrap().to_owned()).collect()
}

fn import(home: &Home, records: &[Value]) {
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    home.run_with(&["import", "-"], &lines).succeeded();
}

#[test]
fn a_question_about_a_time_alone_is_answered_from_the_timeline() {
    let home = Home::new();
    let _daemon = home.daemon();
    let note = |id: &str, day: &str, importance: f64| {
        json!({"id": id, "kind": "note", "text": format!("the {id} of the lighthouse"), "importance": importance,
            "timestamp": format!("2026-01-{day}T12:00:00Z")})
    };
    let records = [note("paint", "03", 0.5), note("roof", "04", 0.5), note("lamp", "04", 0.9), note("door", "05", 0.5)];
    import(&home, &records);
    assert_eq!(found(&home, "what happened on 2026-01-04"), ["lamp", "roof"]);
    assert!(found(&home, "what happened on 2025-01-04").is_empty());
}

#[test]
fn what_is_newer_and_what_a_person_said_comes_first() {
    let home = Home::new();
    let _daemon = home.daemon();
    let note = |id: &str, day: &str, actor: &str, text: &str| json!({"id": id, "kind": "note", "text": text, "actor": actor, "timestamp": format!("2026-01-{day}T12:00:00Z")});
    import(
        &home,
        &[
            note("old", "03", "user", "staging listens on port 8080"),
            note("new", "09", "user", "staging listens on port 9090 now"),
            note("a-guess", "09", "assistant", "deploys go out by hand on Friday evening"),
            note("b-word", "09", "user", "deploys go out by hand on Monday evening"),
        ],
    );
    assert_eq!(found(&home, "which port does staging listen on")[..2], ["new", "old"]);
    assert_eq!(found(&home, "when do deploys go out by hand")[..2], ["b-word", "a-guess"]);
}

#[test]
fn a_question_that_nothing_answers_gets_nothing_unless_the_caller_says_how_much_is_enough() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.run_with(&["import", "-"], &notes(400)).succeeded();
    let strange = "lower the humidity in the greenhouse before the apple trees bloom";
    assert!(found(&home, strange).is_empty());
    assert!(!found(&home, "retries of queue 5").is_empty());
    home.run(&["recall", strange, "--min-score", "0"]).succeeded();
}
