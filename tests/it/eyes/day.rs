//! A day of work, action by action, and exactly what is told of it.

use std::io::Write;
use std::time::Duration;

use super::lab::{Lab, installed, signal};

const TRACEBACK: &str = "Traceback (most recent call last):\n  File \"src/stats.py\", line 2, in mean\n    \
    return sum(xs) / len(xs)\nZeroDivisionError: division by zero\n";

/// Prepared before anybody watches: `feature` has two commits that `main` does not build upon, and work is queued.
fn prepare(lab: &Lab) {
    lab.write("src/app.py", "print(1)\n");
    lab.write("src/stats.py", "def mean(xs):\n    return sum(xs) / len(xs)\n");
    lab.write("docs/guide.md", "# Guide\n");
    lab.write("notes.txt", "one\n");
    lab.write(".gitignore", ".loki/\n");
    lab.commit("Begin");
    lab.git(&["checkout", "-q", "-b", "feature"]);
    lab.write("src/feature.py", "a = 1\n");
    lab.commit("Feature, part one");
    lab.write("src/feature.py", "a = 2\n");
    lab.commit("Feature, part two");
    lab.git(&["checkout", "-q", "main"]);
    lab.write("src/app.py", "print(2)\n");
    lab.commit("Print more");
    lab.write(".loki/queue/completed.json", r#"[{"id": "t-1", "title": "Long done"}, {"id": "t-2", "title": "Done"}]"#);
    lab.write(".loki/state/orchestrator.json", r#"{"currentPhase": "BOOTSTRAP"}"#);
}

fn page(completed: &str, phase: &str) -> String {
    format!(
        "# Loki Mode Working Memory\n\n## Current State\n- **Phase:** {phase}\n\n## Current Task\n- Serve the mean\n\n\
         ## Just Completed\n{completed}\n## Next Up\n- Write the report\n"
    )
}

/// As Loki Mode writes: it empties the file, then fills it, not always at once.
fn rewrite(lab: &Lab, text: &str, pause: Duration) {
    let mut file = std::fs::File::create(lab.path(".loki/CONTINUITY.md")).unwrap();
    // In the middle of a line.
    let (one, two) = text.split_at(text.find("Working").unwrap() + 3);
    file.write_all(one.as_bytes()).unwrap();
    std::thread::park_timeout(pause);
    file.write_all(two.as_bytes()).unwrap();
}

#[test]
fn somebody_new_is_told_of_once() {
    let mut lab = Lab::new();
    lab.start();
    let grace = ["-c", "user.name=Grace", "-c", "user.email=grace@example.org"];
    for (at, message) in ["Say hello", "Say goodbye"].iter().enumerate() {
        lab.git(&[&grace[..], &["commit", "-q", "--allow-empty", "-m", message]].concat());
        lab.hear(&format!("commit {at}"), |event| event["kind"] == "git");
    }
    lab.git(&["commit", "-q", "--allow-empty", "-m", "Thank her"]);
    lab.hear("the last commit", |event| event["kind"] == "git");
    lab.sentinel();
    assert_eq!(lab.signals(), ["collaborator_joined Grace"]);
}

#[test]
fn a_day_of_real_actions_gives_exactly_the_expected_signals() {
    let mut lab = Lab::new();
    prepare(&lab);
    lab.start();
    let mut expect: Vec<String> = Vec::new();
    let mut signalled = |lab: &mut Lab, kind: &str, about: &str| {
        lab.hear_signal(kind, about);
        expect.push(format!("{kind} {about}").trim_end().to_owned());
    };

    lab.run("cat", &["docs/guide.md"]);
    signalled(&mut lab, "file_opened", "docs/guide.md");
    if installed("vim") {
        // Nobody writes in the very moment of opening.
        lab.run("vim", &["-es", "-u", "NONE", "-c", "sleep 300m", "-c", "normal ix = 1 ", "-c", "wq", "src/stats.py"]);
        signalled(&mut lab, "file_opened", "src/stats.py");
        signalled(&mut lab, "file_edited", "src/stats.py");
    }
    lab.run("sh", &["-c", "echo 'print(3)' >> src/app.py"]);
    signalled(&mut lab, "file_edited", "src/app.py");

    lab.git(&["checkout", "-q", "-b", "topic"]);
    signalled(&mut lab, "branch_checkout", "topic");
    lab.git(&["commit", "-qam", "Print even more"]);
    lab.hear("the commit", |event| event["kind"] == "git");
    lab.git(&["checkout", "-q", "main"]);
    signalled(&mut lab, "branch_checkout", "main");
    let tree = lab.home.path("side tree").display().to_string();
    lab.git(&["worktree", "add", "-q", &tree, "-b", "side"]);
    signalled(&mut lab, "branch_checkout", &format!("{tree} side"));
    lab.git(&["checkout", "-q", "feature"]);
    signalled(&mut lab, "branch_checkout", "feature");
    lab.git(&["rebase", "-q", "main"]);
    signalled(&mut lab, "branch_checkout", "feature");
    lab.git(&["reset", "-q", "--hard", "HEAD~1"]);
    signalled(&mut lab, "branch_checkout", "feature");
    lab.git(&["checkout", "-q", "--detach"]);
    let head = lab.git(&["rev-parse", "HEAD"]);
    signalled(&mut lab, "branch_checkout", &head[..12]);

    // What a stash takes away and brings back is an edit or is not; another branch it is not.
    lab.append("notes.txt", "two\n");
    lab.git(&["stash", "-q"]);
    lab.git(&["stash", "pop", "-q"]);

    lab.append(".loki/logs/x.log", TRACEBACK);
    signalled(&mut lab, "error", "src/stats.py");
    let learnt = lab.hear_memory("created", "learning");
    assert!(lab.record(&learnt)["text"].as_str().unwrap().contains("ZeroDivisionError: division by zero"));

    rewrite(&lab, &page("- The mean is computed\n", "BUILD"), Duration::ZERO);
    signalled(&mut lab, "task_complete", "");
    // What the page says is in work is the task from now on.
    signalled(&mut lab, "task_start", "");
    rewrite(&lab, &page("- The mean is computed\n- The mean is served\n", "BUILD"), Duration::from_millis(150));
    signalled(&mut lab, "task_complete", "");
    let queue =
        r#"[{"id": "t-1", "title": "Long done"}, {"id": "t-2", "title": "Done"}, {"id": "t-3", "title": "New"}]"#;
    lab.write(".loki/queue/completed.json", queue);
    signalled(&mut lab, "task_complete", "");
    lab.write(".loki/state/orchestrator.json", r#"{"currentPhase": "QA"}"#);
    signalled(&mut lab, "phase_change", "");

    lab.sentinel();
    lab.look_until_seen();
    let told: Vec<String> = lab.signals().into_iter().filter(|told| told != "file_edited notes.txt").collect();
    assert_eq!(told, expect, "{:#?}", lab.told());
    let commits = lab.told().iter().filter(|event| event["kind"] == "git").count();
    assert_eq!(commits, 4, "one made by hand and three that the rebase brought");
    let learnings = lab.told().iter().filter(|event| event["kind"] == "memory" && signal(event).is_none());
    assert_eq!(learnings.count(), 1, "{:#?}", lab.told());
}
