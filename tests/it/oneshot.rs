//! `lokid run --oneshot`, and what can be asked afterwards without any daemon.

use serde_json::Value;

use crate::eyes::lab::Lab;
use crate::home::Home;

const FIX: &str = "fix: crash when the list of samples is empty\n\nThe mean divided by the length of the list, which \
    fails with a ZeroDivisionError because nobody checked for an empty list.\nNow an empty list has the mean zero.";
const DECISION: &str = "Store samples in SQLite\n\nWe decided to use SQLite instead of Postgres because it needs no \
    server, so that the tests run anywhere without a container.";

/// A repository with a past, a page of continuity and a log, in which no daemon ever ran.
fn lab() -> Lab {
    let lab = Lab::new();
    lab.write("src/stats.py", "def mean(xs):\n    return sum(xs) / len(xs)\n");
    lab.write("src/app.py", "from src.stats import mean\n\n\ndef main():\n    print(mean([1]))\n");
    lab.commit("Add the statistics");
    lab.write("src/stats.py", "def mean(xs):\n    return sum(xs) / len(xs) if xs else 0\n");
    lab.commit(FIX);
    lab.write("src/db.py", "NAME = \"samples\"\n");
    lab.commit(DECISION);
    lab.write(
        ".loki/CONTINUITY.md",
        "# Continuity\n\n## Current Task\n\nSpeed up the parser\n\n## Mistakes & Learnings\n\n\
         - The socket must be closed before the file is renamed\n",
    );
    lab.write(
        ".loki/logs/build.log",
        "Traceback (most recent call last):\n  File \"src/app.py\", line 5, in main\n    print(mean([]))\n\
         ZeroDivisionError: division by zero in the mean of samples\n",
    );
    lab
}

fn learnt(told: &Value) -> u64 {
    told["learnt"]["memories"].as_u64().unwrap()
}

#[test]
fn everything_there_is_to_read_is_read_and_then_it_exits() {
    let lab = lab();
    let told = lab.home.run(&["run", "--oneshot", "--json"]).succeeded();
    assert!(told.err.contains("reading ") && told.err.contains("indexing"), "{told:#?}");
    let summary = told.json();
    assert!(learnt(&summary) >= 4, "{summary:#}");
    assert_eq!((&summary["project"]["past"]["commits"], &summary["consolidation"]), (&5.into(), &Value::Null));
    assert_eq!(summary["project"]["past"]["state"], "ready");
    assert_eq!(summary["project"]["index"]["waiting"], 0);
    assert!(!lab.home.socket().exists(), "nobody listens");
    for (question, answer) in [
        ("which database do we use", "SQLite"),
        ("when must the socket be closed", "before the file is renamed"),
        ("division by zero in the mean of samples", "ZeroDivisionError"),
    ] {
        lab.home.run(&["recall", question]).succeeded().says(answer);
    }
    lab.home.run(&["predict", "src/stats.py"]).succeeded().says("src/");
}

#[test]
fn a_second_run_learns_nothing_new_and_tells_so() {
    let lab = lab();
    let first = lab.home.run(&["run", "--oneshot"]).succeeded().says("learnt").says("5 commits");
    assert!(!first.out.contains("nothing new"), "{first:#?}");
    lab.home.run(&["run", "--oneshot"]).succeeded().says("nothing new");
    lab.home.run(&["project", "list"]).succeeded().says("no project is watched");
    let quiet = lab.home.run(&["-q", "run", "--oneshot", "--json"]).succeeded();
    assert_eq!((learnt(&quiet.json()), quiet.err.as_str()), (0, ""));
}

#[test]
fn one_night_may_be_had_before_it_exits() {
    let lab = lab();
    let summary = lab.home.run(&["run", "--oneshot", "--consolidate", "--json"]).succeeded().json();
    assert!(summary["consolidation"]["took_ms"].is_u64(), "{summary:#}");
    assert!(summary["project"]["consolidation"]["last"].is_string(), "{summary:#}");
    lab.home.run(&["consolidate", "--last"]).succeeded().says("asked");
    lab.home.run(&["run", "--consolidate"]).exited(2).says("--oneshot");
}

#[test]
fn while_a_daemon_watches_it_there_is_nothing_to_do() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.run(&["run", "--oneshot"]).exited(1).says("lokid status");
}

#[test]
fn an_opt_out_holds_here_too() {
    let lab = lab();
    let output = lab.home.command(&["run", "--oneshot"]).env("LOKI_MEMORY_CAPTURE_DISABLED", "1").output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && err.contains("opt-out"), "{err}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("nothing new"));
}

#[test]
fn every_read_works_without_a_daemon() {
    let lab = lab();
    let summary = lab.home.run(&["run", "--oneshot", "--json"]).succeeded().json();
    assert!(learnt(&summary) > 0);
    let record = lab.home.run(&["-q", "export"]).succeeded().out.lines().next().unwrap_or_default().to_owned();
    let record: Value = serde_json::from_str(&record).unwrap();
    let id = record["id"].as_str().unwrap();
    let reads: &[&[&str]] = &[
        &["status"],
        &["recall", "the mean"],
        &["context"],
        &["context", "--task", "mend the mean"],
        &["context", "--relevant", "the mean"],
        &["predict", "src/stats.py"],
        &["show", id],
        &["list", "--derived"],
        &["index"],
        &["timeline"],
        &["economics"],
        &["contradictions"],
        &["contradictions", "check", "tests run on node 20", "tests run on node 22"],
        &["links", id],
        &["export"],
        &["skill"],
        &["ledger"],
        &["handoff"],
        &["consolidate", "--last"],
        &["project", "list"],
        &["doctor"],
    ];
    for read in reads {
        let told = lab.home.run(read).succeeded();
        assert!(read[0] == "doctor" || told.err.contains("reading directly"), "{told:#?}");
        if read[0] != "export" {
            lab.home.run(&[&["--json"], *read].concat()).succeeded().json();
        }
    }
}
