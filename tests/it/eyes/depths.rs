//! A tree that is made to keep the watcher busy: it hears, and it stops, all the same.

use std::path::Path;

use rustix::process::Signal;

use super::lab::Lab;

/// Two chains of folders, each 1,000 deep, with rules and a file at every level.
fn chains(root: &Path) {
    for first in ["one", "two"] {
        let mut folder = root.join(first);
        for _ in 0..1_000 {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join(".gitignore"), "*.o\n").unwrap();
            std::fs::write(folder.join("f"), "x").unwrap();
            folder.push("d");
        }
    }
}

#[test]
fn chains_of_folders_without_end_blind_nobody() {
    let mut lab = Lab::new();
    lab.write("src/main.py", "print(1)\n");
    lab.commit("Begin");
    chains(&lab.path(""));
    lab.start();
    lab.write("src/main.py", "print(2)\n");
    lab.hear_signal("file_edited", "src/main.py");
    // And once more while it watches.
    chains(&lab.path("later"));
    lab.write("src/main.py", "print(3)\n");
    lab.hear_signal("file_edited", "src/main.py");
    let warnings = lab.project()["watch"]["warnings"].clone();
    assert_eq!(warnings, serde_json::json!(["folders more than 64 levels deep are passed over"]));
    lab.home.run(&["doctor"]).says("more than 64 levels deep");
    lab.stop();
}

/// The rules of every folder are judged by those of all above: the start is stopped in the middle of it.
#[test]
fn a_first_look_at_a_large_tree_does_not_keep_the_daemon_from_stopping() {
    let mut lab = Lab::new();
    chains(&lab.path(""));
    for number in 0..3_000 {
        lab.write(&format!("wide/part{number}/file"), "x");
    }
    lab.start_at_once();
    lab.signal(Signal::TERM);
    lab.ended();
}
