//! What a hostile or unlucky repository brings: corrupt traces, loops, names that are no text, folders that go away,
//! several working trees, and a death in the middle of reading.

use std::os::unix::ffi::OsStrExt;

use serde_json::Value;

use super::lab::{Lab, has};

#[test]
fn corrupt_traces_loops_and_odd_names_do_no_harm() {
    let mut lab = Lab::new();
    lab.write("src/main.py", "print(1)\n");
    lab.write(".gitignore", ".loki/\n");
    std::os::unix::fs::symlink("..", lab.path("src/loop")).unwrap();
    std::os::unix::fs::symlink("b", lab.path("src/a")).unwrap();
    std::os::unix::fs::symlink("a", lab.path("src/b")).unwrap();
    std::fs::write(lab.path("src").join(std::ffi::OsStr::from_bytes(b"bad\xff.py")), "x = 1\n").unwrap();
    lab.commit("Odd names");
    lab.start();
    lab.write(
        ".loki/events.jsonl",
        b"{\"type\": \"session_st\n\xff\xfe\x00\n[]\n{\"type\": 7}\n{\"type\":\"session_start\",\"data\":{\"session_id\":\"s\"}}\n",
    );
    lab.hear_signal("session_start", "");
    lab.append(".loki/events.jsonl", "{\"type\": \"task_complete\", \"data\": {\"goal\": \"nest");
    lab.append(".loki/events.jsonl", format!("{}\n", "[".repeat(100_000)));
    for junk in ["", "{", "[[[[", "\u{0}", "{\"currentPhase\": [1]}", "nul"] {
        lab.write(".loki/state/orchestrator.json", junk);
        lab.write(".loki/queue/completed.json", junk);
        lab.write(".loki/queue/failed.json", junk);
        lab.write(".loki/crash/one.json", junk);
        lab.write(".loki/CONTINUITY.md", junk);
    }
    std::fs::write(lab.path("src").join(std::ffi::OsStr::from_bytes(b"worse\xfe.py")), "x = 1\n").unwrap();
    lab.append(".loki/events.jsonl", "{\"type\":\"session_end\",\"data\":{\"session_id\":\"s\"}}\n");
    lab.hear_signal("session_end", "");
    lab.write("src/main.py", "print(2)\n");
    lab.hear_signal("file_edited", "src/main.py");
    assert_eq!(lab.signals(), ["session_start", "session_end", "file_edited src/main.py"]);
    let daemon = lab.stop();
    assert!(
        !daemon.iter().any(|line| line.contains("panic") || line.contains("could not be understood")),
        "{daemon:#?}"
    );
}

#[test]
fn a_repository_that_goes_away_and_comes_back_is_watched_again() {
    let mut lab = Lab::new();
    lab.write("src/main.py", "print(1)\n");
    lab.commit("Begin");
    lab.start();
    let id = lab.home.remember("kept through it all");
    lab.hear_memory("created", "note");
    let (here, away) = (lab.path(""), lab.home.path("away"));
    std::fs::rename(&here, &away).unwrap();
    let told = crate::home::eventually_some(|| {
        let project = lab.project();
        (project["watch"]["state"] == "absent").then_some(project)
    });
    assert!(told["watch"]["warnings"].to_string().contains("moved away"), "{told:#}");
    std::fs::write(away.join("src/main.py"), "print(2), while away\n").unwrap();
    std::fs::rename(&away, &here).unwrap();
    lab.hear_signal("file_edited", "src/main.py");
    lab.sentinel();
    lab.git(&["checkout", "-q", "-b", "topic"]);
    lab.hear_signal("branch_checkout", "topic");
    lab.home.run(&["show", &id]).succeeded().says("kept through it all");
    lab.home.remember("and on it goes");
    assert_eq!(lab.signals(), ["file_edited src/main.py", "branch_checkout topic"]);
}

#[test]
fn linked_working_trees_are_seen_with_the_repository_they_belong_to() {
    let mut lab = Lab::new();
    lab.write("src/main.py", "print(1)\n");
    lab.commit("Begin");
    let (one, two) = (lab.home.path("one"), lab.home.path("two"));
    lab.git(&["worktree", "add", "-q", one.to_str().unwrap(), "-b", "one"]);
    lab.start();
    assert_eq!(lab.project()["watch"]["trees"].as_array().unwrap().len(), 2);
    lab.git(&["worktree", "add", "-q", two.to_str().unwrap(), "-b", "two"]);
    lab.hear_signal("branch_checkout", &format!("{} two", two.display()));
    lab.run_in(&one, "git", &["checkout", "-q", "-b", "other"]);
    lab.hear_signal("branch_checkout", &format!("{} other", one.display()));
    lab.sentinel();
    std::fs::create_dir_all(one.join(".loki/logs")).unwrap();
    std::fs::write(one.join(".loki/logs/x.log"), "ERROR: one of the trees is on fire\n").unwrap();
    lab.hear_signal("error", "");
    lab.home.remember("said in one place");
    let command = lab.home.command(&["recall", "place"]).current_dir(&two).output().unwrap();
    assert!(String::from_utf8_lossy(&command.stdout).contains("said in one place"), "{command:?}");
    assert!(!one.join(".loki/memory").exists() && !two.join(".loki").exists(), "one memory for all");
    lab.git(&["worktree", "remove", "--force", two.to_str().unwrap()]);
    crate::home::eventually_some(|| (lab.project()["watch"]["trees"].as_array().unwrap().len() == 2).then_some(()));
    lab.sentinel();
}

#[test]
fn logs_of_one_name_in_two_working_trees_are_two_logs() {
    let mut lab = Lab::new();
    let side = lab.home.path("side");
    lab.git(&["worktree", "add", "-q", side.to_str().unwrap(), "-b", "side"]);
    lab.start();
    let log = ".loki/logs/run.log";
    std::fs::create_dir_all(side.join(".loki/logs")).unwrap();
    let beside = |text: &str| {
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(side.join(log)).unwrap();
        std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
    };
    lab.append(log, "ERROR: the main lamp is out\n");
    lab.hear_signal("error", "");
    beside("ERROR: the side lamp is out\n");
    lab.hear_signal("error", "");
    for round in 0..4 {
        lab.append(log, format!("round {round} is quiet\n"));
        lab.sentinel();
        beside(&format!("round {round} is quiet\n"));
        lab.sentinel();
    }
    lab.append(log, "ERROR: the last lamp is out\n");
    lab.until(|all| all.iter().any(|memory| has(&memory["title"], "last lamp")));
    lab.sentinel();
    assert_eq!(lab.signals(), ["error"; 3], "lines were read more than once");
    assert!(!lab.titled("main lamp")["text"].as_str().unwrap().contains("times"));
    assert!(!lab.titled("side lamp")["text"].as_str().unwrap().contains("times"));
}

#[test]
fn killed_while_it_reads_the_past_the_daemon_knows_everything_the_next_time() {
    let mut lab = Lab::new();
    for number in 0..120 {
        lab.write(&format!("src/module{number}.py"), format!("def function{number}(x):\n    return x + {number}\n"));
    }
    let rules: String = (0..40).map(|number| format!("- Use the tool number {number} for task {number}\n")).collect();
    lab.write("AGENTS.md", format!("# Agents\n\n## Tools\n\n{rules}"));
    lab.commit("Begin");
    for number in 0..30 {
        lab.write(&format!("src/module{number}.py"), format!("def function{number}(x):\n    return x - {number}\n"));
        lab.commit(&format!(
            "fix: crash in function {number} when the argument is empty\n\nThe function failed because nobody checked \
             the argument of number {number}, which caused a crash at the first call."
        ));
    }
    for pause in [0, 15, 60, 150] {
        lab.start_at_once();
        // At whatever it is just doing.
        std::thread::park_timeout(std::time::Duration::from_millis(pause));
        lab.kill();
    }
    lab.start();
    let all = lab.memories();
    let of = |kind: &str| all.iter().filter(|memory| memory["kind"] == kind).count();
    assert_eq!(of("learning"), 30, "{:#?}", lab.titles());
    let rules = all.iter().filter(|memory| memory["tier"] == "guardrail").count();
    assert_eq!(rules, 40, "{:#?}", lab.titles());
    let past = lab.project()["past"].clone();
    assert_eq!((&past["commits"], &past["code_files"]), (&33.into(), &120.into()), "{past:#}");
    lab.home.run(&["doctor"]).succeeded();
    lab.home.remember("a state that is valid can be written");

    // What was killed and read again is what an undisturbed reading brings.
    lab.stop();
    std::fs::remove_dir_all(lab.home.path("cache/lokid")).unwrap();
    lab.start();
    let undisturbed: Vec<Value> =
        lab.memories().into_iter().filter(|one| !has(&one["title"], "a state that")).collect();
    assert_eq!(undisturbed, all);
}
