//! Programs that read everything are no readers, and git that writes everything is no writer.

use super::lab::{Lab, installed};

#[test]
fn reading_and_switching_in_bulk_gives_no_signals_of_files_and_one_look_afterwards_does() {
    let mut lab = Lab::new();
    for number in 0..2_000 {
        lab.write(&format!("lib/part{:02}/file{number}.txt", number % 100), format!("line {number}\n"));
    }
    lab.commit("Many files");
    lab.git(&["checkout", "-q", "-b", "topic"]);
    for number in 0..300 {
        lab.write(&format!("lib/part{:02}/file{number}.txt", number % 100), "changed\n");
    }
    lab.commit("Change some");
    lab.git(&["checkout", "-q", "main"]);
    lab.start();

    lab.run("grep", &["-r", "nothing of this", "."]);
    if installed("rg") {
        lab.run("rg", &["nothing of this"]);
    }
    lab.git(&["status", "--short"]);
    lab.run("find", &["lib", "-type", "f", "-exec", "cat", "{}", "+"]);
    lab.git(&["checkout", "-q", "topic"]);
    lab.hear_signal("branch_checkout", "topic");
    lab.look_until_seen();
    lab.sentinel();
    assert_eq!(lab.signals(), ["branch_checkout topic"]);
    assert!(lab.project()["watch"]["warnings"].as_array().unwrap().is_empty());
}
