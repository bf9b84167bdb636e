//! The ground moves under a running daemon: another branch with another memory, another `.git`, more changes than the
//! kernel can hold, and a clock that is set back.

use lokid::serve::Request;
use rustix::process::Signal;
use serde_json::json;

use super::lab::Lab;
use crate::home::eventually_some;

/// What is remembered here and now, in order.
fn texts(lab: &Lab) -> Vec<String> {
    lab.get("/v1/status?fresh=true");
    let mut texts: Vec<String> = lab.memories().iter().map(|one| one["title"].as_str().unwrap().to_owned()).collect();
    texts.sort();
    texts
}

#[track_caller]
fn remembers(lab: &Lab, expect: &[&str]) {
    eventually_some(|| (texts(lab) == expect).then_some(()));
}

#[test]
fn memory_that_stands_in_git_follows_the_branch_and_every_branch_keeps_its_own() {
    let mut lab = Lab::new();
    lab.start();
    lab.home.remember("told on main");
    lab.commit("Memory of main");
    lab.git(&["checkout", "-q", "-b", "other"]);
    lab.home.remember("told on other");
    lab.commit("Memory of other");
    for _ in 0..3 {
        lab.git(&["checkout", "-q", "main"]);
        remembers(&lab, &["told on main"]);
        lab.git(&["checkout", "-q", "other"]);
        remembers(&lab, &["told on main", "told on other"]);
    }
    lab.git(&["checkout", "-q", "main"]);
    lab.home.remember("told later");
    lab.commit("More of main");
    lab.kill();
    lab.git(&["checkout", "-q", "other"]);
    lab.start();
    remembers(&lab, &["told on main", "told on other"]);
    lab.git(&["checkout", "-q", "main"]);
    remembers(&lab, &["told later", "told on main"]);
}

#[test]
fn another_git_folder_in_the_place_of_the_old_one_is_taken_up() {
    let mut lab = Lab::new();
    lab.write("src/main.py", "print(1)\n");
    lab.write(".gitignore", ".loki/\n");
    lab.commit("Begin");
    lab.start();
    lab.home.remember("from before");
    std::fs::remove_dir_all(lab.path(".git")).unwrap();
    lab.home.remember("in between");
    lab.git(&["init", "-q", "-b", "trunk"]);
    for (key, value) in [("user.name", "Ada"), ("user.email", "ada@example.org")] {
        lab.git(&["config", key, value]);
    }
    lab.commit("Begin anew");
    lab.home.remember("from after");
    remembers(&lab, &["from after", "from before", "in between"]);
    lab.sentinel();
    lab.mark();
    lab.write("src/main.py", "print(2)\n");
    lab.hear_signal("file_edited", "src/main.py");
    lab.git(&["checkout", "-q", "-b", "topic"]);
    lab.hear_signal("branch_checkout", "topic");
}

#[test]
fn what_happened_while_the_kernel_dropped_events_is_still_seen() {
    let most = std::fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap_or_default();
    let Some(most) = most.trim().parse::<usize>().ok().filter(|most| *most <= 1 << 16) else {
        return println!("skipped: this kernel holds too many events to overflow it here");
    };
    let mut lab = Lab::new();
    lab.write("src/main.py", "print(1)\n");
    lab.write(".gitignore", ".loki/\n");
    lab.commit("Begin");
    lab.start();
    lab.sentinel();
    lab.mark();
    lab.signal(Signal::STOP);
    // Each is made, written and closed: more than enough.
    for at in 0..most / 2 {
        lab.write(&format!("src/made{at}.txt"), "x");
    }
    lab.write("src/main.py", "print(2)\n");
    lab.write(
        ".loki/CONTINUITY.md",
        "# Memory\n\n## Key Decisions This Session\n- Use SQLite because it needs no server\n",
    );
    lab.signal(Signal::CONT);
    lab.hear_memory("created", "decision");
    lab.git(&["checkout", "-q", "-b", "topic"]);
    lab.hear_signal("branch_checkout", "topic");
    lab.sentinel();
}

/// The daemon cannot be given another clock, but a record of tomorrow is what a clock that was set back leaves behind.
#[test]
fn a_clock_that_was_set_back_hides_nothing() {
    let mut lab = Lab::new();
    lab.start();
    let tomorrow = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(24);
    let tomorrow = tomorrow.to_string();
    let told = json!({"id": "n-1", "kind": "note", "text": "the gate opens at nine", "timestamp": tomorrow});
    lab.send(&Request::post("/v1/memories", &told));
    let planned = json!({"id": "n-2", "kind": "note", "text": "the gate opens at ten", "valid_at": tomorrow});
    lab.send(&Request::post("/v1/memories", &planned));
    let found = |lab: &Lab| -> Vec<String> {
        let answer = lab.send(&Request::post("/v1/recall", &json!({"query": "when does the gate open"})));
        answer["results"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(found(&lab), ["n-1"], "what is told to begin tomorrow has not begun");
    lab.restart();
    assert_eq!(found(&lab), ["n-1"]);
}
