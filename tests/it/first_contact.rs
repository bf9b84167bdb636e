//! What a newcomer sees: what the first reading learns, the list of it, its topics and days, and a bare context.

use lokid_model::token;
use serde_json::Value;

use crate::eyes::lab::Lab;
use crate::home::{Daemon, Told};

const FIX: &str = "fix: crash when the list of samples is empty\n\nThe mean divided by the length of the list, which \
    fails with a ZeroDivisionError because nobody checked for an empty list.\nNow an empty list has the mean zero.";
const DECISION: &str = "Store samples in SQLite\n\nWe decided to use SQLite instead of Postgres because it needs no \
    server, so that the tests run anywhere without a container.";
const RULES: &str = "# Contributing\n\n## Code\n\nAlways run the formatter before you commit, because the build \
    refuses code that is not formatted.\n\nNever call the database from a test; use the fixture in tests/db.py.\n";

/// A repository whose history, documents and code teach something.
fn lab() -> Lab {
    let lab = Lab::new();
    lab.write("src/stats.py", "def mean(xs):\n    return sum(xs) / len(xs)\n");
    lab.write("CONTRIBUTING.md", RULES);
    lab.commit("Add the statistics");
    lab.write("src/stats.py", "def mean(xs):\n    return sum(xs) / len(xs) if xs else 0\n");
    lab.commit(FIX);
    lab.write("src/db.py", "NAME = \"samples\"\n");
    lab.commit(DECISION);
    lab
}

/// The ids of a list, and that each line has its parts.
fn listed(told: &Told) -> Vec<String> {
    let line = |line: &str| {
        let parts: Vec<&str> = line.split_whitespace().collect();
        assert!(parts.len() >= 4 && parts[1].len() == 10 && parts[1].starts_with("20"), "{line}");
        parts[0].to_owned()
    };
    told.out.lines().map(line).collect()
}

#[test]
fn a_first_start_tells_what_it_learnt_and_from_what_and_a_second_that_it_is_nothing_new() {
    let lab = lab();
    let start = || {
        let mut daemon = Daemon::start(lab.home.command(&["run"]));
        daemon.out.wait_for("watching ");
        let told = daemon.out.wait_for(" commits, ");
        lab.home.run(&["stop"]).succeeded();
        assert_eq!(daemon.ended().0, Some(0));
        assert!(!told.contains(char::is_control), "{told:?}");
        told
    };
    let first = start();
    assert!(first.starts_with("learnt from 5 commits, 1 document, 2 source files: "), "{first}");
    assert!(first.contains("1 decision") && first.ends_with(" s"), "{first}");
    let second = start();
    assert!(second.starts_with("read 5 commits, 1 document, 2 source files in "), "{second}");
    assert!(second.ends_with(" s: nothing new"), "{second}");
}

#[test]
fn whoever_adds_a_project_sees_what_it_taught_unless_they_do_not_wait() {
    let mut lab = lab();
    let other = lab.home.repository("other");
    let third = lab.home.repository("third");
    lab.start();
    let told = lab.home.run(&["project", "add", other.to_str().unwrap()]).succeeded();
    assert!(told.out.starts_with("watching ") && told.out.lines().count() == 1, "{told:#?}");
    assert!(told.err.contains("1 commit") && !told.err.contains(['\r', '\x1b']), "{told:#?}");
    let again = lab.home.run(&["project", "add", other.to_str().unwrap()]).succeeded();
    assert_eq!(again.err, "", "it was read already");
    let hurried = lab.home.run(&["project", "add", third.to_str().unwrap(), "--no-wait"]).succeeded();
    assert!(hurried.out.starts_with("watching ") && hurried.err.is_empty(), "{hurried:#?}");
}

#[test]
fn memories_are_listed_newest_first_by_what_they_are_with_a_daemon_and_without() {
    let mut lab = lab();
    lab.start();
    let arguments = ["remember", "ask Dana about SQLite", "--tag", "People", "--file", "src/db.py"];
    let told = lab.home.run(&arguments).succeeded().out;
    let own = told.trim().strip_prefix("remembered ").unwrap().to_owned();
    let list = |filters: &[&str]| listed(&lab.home.run(&[&["list"], filters].concat()).succeeded());
    let (all, derived) = (list(&[]), list(&["--derived"]));
    assert_eq!(all.first(), Some(&own), "newest first");
    assert!(derived.len() >= 3 && !derived.contains(&own), "{derived:?}");
    assert_eq!(all.len(), derived.len() + 1);
    for filters in
        [&["--told"][..], &["--tag", "people"], &["--source", "user", "--kind", "note", "--file", "src/db.py"]]
    {
        assert_eq!(list(filters), [own.as_str()], "{filters:?}");
    }
    assert!(list(&["--file", "./src"]).len() >= 3, "of a folder");
    assert_eq!(list(&["--file", "sr"]), [""; 0], "half a name is no folder");
    assert_eq!(list(&["--since", "2999-01-01"]), [""; 0]);
    assert_eq!(list(&["--until", "2000-01-01"]), [""; 0]);
    let decisions = list(&["--kind", "decision", "--kind", "learning", "--source", "git"]);
    assert_eq!(decisions.len(), 2, "{decisions:?}");
    let first = lab.home.run(&["list", "-n", "1"]).succeeded().says("there are more");
    let cursor = first.err.split("--cursor ").nth(1).and_then(|rest| rest.split('`').next()).unwrap();
    assert_eq!(list(&["-n", "1", "--cursor", cursor]), all[1..2]);
    let json = lab.home.run(&["--json", "list", "--told"]).succeeded().json();
    assert_eq!((&json["items"][0]["id"], &json["items"][0]["derived"]), (&Value::from(own), &Value::from(false)));
    lab.home.run(&["list", "--since", "soon"]).exited(2).says("--since");
    lab.home.run(&["list", "--told", "--derived"]).exited(2);
    lab.stop();
    let alone = lab.home.run(&["list"]).succeeded().says("reading directly");
    assert_eq!(listed(&alone), all);
}

#[test]
fn an_export_leaves_out_what_the_repository_taught_unless_it_is_asked_for() {
    let mut lab = lab();
    lab.start();
    lab.home.remember("ask Dana about SQLite");
    let own = lab.home.run(&["export"]).succeeded().out;
    let all = lab.home.run(&["export", "--derived"]).succeeded().out;
    assert_eq!(own.lines().count(), 1, "{own}");
    assert!(own.lines().all(|line| all.contains(line)) && all.contains("dec-git-"), "{all}");
    let listed = lab.home.run(&["list", "-n", "500"]).succeeded();
    assert_eq!(all.lines().count(), listed.out.lines().count());
}

#[test]
fn topics_have_names_a_person_would_use_and_the_timeline_tells_what_happened() {
    let mut lab = lab();
    lab.start();
    let index = lab.home.run(&["index"]).succeeded().says("lokid index TOPIC");
    let topics: Vec<&str> = index.out.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(topics.contains(&"conventions") && topics.contains(&"stats"), "{index:#?}");
    assert!(!topics.iter().any(|topic| ["rule", "contributing", "git", "notes"].contains(topic)), "{index:#?}");
    let timeline = lab.home.run(&["timeline"]).succeeded().out;
    assert!(timeline.contains("Store samples in SQLite") && timeline.contains("list of samples"), "{timeline}");
    assert!(!timeline.contains("formatter"), "a rule did not happen on a day: {timeline}");
    lab.home
        .run(&["remember", "We moved to trunk-based work", "-k", "decision", "--valid-at", "2024-03-01"])
        .succeeded();
    lab.home.run(&["timeline"]).succeeded().says("- 2024-03-01 We moved to trunk-based work");
}

#[test]
fn a_bare_context_is_short_and_says_how_to_ask_when_there_is_nothing_to_say() {
    let mut lab = lab();
    lab.start();
    for number in 0..60 {
        let text = format!("Matter {number}: the desk of orders answers question {number} within a day, and files it.");
        lab.home.run(&["remember", &text, "--tier", "guardrail", "--importance", "1"]).succeeded();
    }
    let bare = lab.home.run(&["context"]).succeeded().out;
    assert!(token::estimate(&bare) <= 1_000, "{} tokens: {bare}", token::estimate(&bare));
    let empty = Lab::new();
    let nothing = empty.home.run(&["context"]).succeeded();
    assert!(nothing.out.is_empty() && nothing.err.contains("lokid context --goal"), "{nothing:#?}");
}
