//! Thousands of files at once are no thousands of signals, and who works meanwhile is still heard.

use std::time::{Duration, SystemTime};

use super::lab::{Lab, signal};

const FILES: usize = 6_000;

#[test]
fn generated_files_are_told_as_one_line_and_an_edit_meanwhile_by_itself() {
    let mut lab = Lab::new();
    lab.write("src/main.py", "print(1)\n");
    lab.write("src/lib.py", "x = 1\n");
    lab.commit("Begin");
    lab.start();
    for at in 0..FILES {
        // Into one folder, into many, and into the one where somebody works.
        let folder = ["src/made".to_owned(), format!("vendor/part{at}"), "src".to_owned()][at % 3].clone();
        lab.write(&format!("{folder}/made{at}.py"), "y = 1\n");
        if at == FILES / 2 {
            lab.write("src/main.py", "print(2), print(3)\n");
        }
    }
    lab.write("src/lib.py", "x = 1_000\n");
    let mut missing = vec!["file_edited src/main.py", "file_edited src/lib.py"];
    let flood = lab.hear("the line about the flood", |event| event["kind"] == "flood");
    lab.sentinel();
    let told = lab.signals();
    missing.retain(|edit| !told.iter().any(|told| told == edit));
    assert!(missing.is_empty(), "{missing:?} of {}", told.len());
    assert!(told.len() <= 600, "{} signals", told.len());
    let counted: u64 = {
        let floods = lab.told().iter().filter(|event| event["kind"] == "flood");
        floods.map(|event| event["data"]["files"].as_u64().unwrap()).sum()
    };
    assert!(counted as usize + told.len() >= FILES, "{flood}: {counted} and {} signals", told.len());
    assert!(lab.count("flood") <= 3, "{}", lab.count("flood"));
}

#[test]
fn who_looks_at_a_file_right_after_a_checkout_is_seen() {
    let mut lab = Lab::new();
    for at in 0..30 {
        lab.write(&format!("src/part{at}.py"), "print(1)\n");
    }
    lab.commit("Begin");
    lab.git(&["checkout", "-q", "-b", "topic"]);
    for at in 0..30 {
        lab.write(&format!("src/part{at}.py"), "print(2), print(3)\n");
    }
    lab.write("src/new.py", "print(4)\n");
    lab.commit("Change all");
    lab.git(&["checkout", "-q", "main"]);
    lab.start();
    lab.git(&["checkout", "-q", "topic"]);
    lab.run("cat", &["src/part7.py"]);
    lab.run("cat", &["src/new.py"]);
    for _ in 0..2 {
        let opened = |told: String| told.starts_with("file_opened src/");
        lab.hear("an opening", |event| signal(event).is_some_and(opened));
    }
    let mut opened: Vec<String> = lab.signals().into_iter().filter(|told| told.starts_with("file_opened")).collect();
    opened.sort();
    assert_eq!(opened, ["file_opened src/new.py", "file_opened src/part7.py"]);
}

#[test]
fn what_is_written_after_git_was_done_is_told_though_both_are_seen_at_once() {
    let mut lab = Lab::new();
    lab.write("src/main.py", "print(1)\n");
    lab.commit("Begin");
    lab.start();
    lab.git(&["checkout", "-q", "-b", "topic"]);
    lab.hear_signal("branch_checkout", "topic");
    // To a daemon that was held up for three seconds it looks like this.
    let later = lab.home.path("later");
    std::fs::write(&later, "print(2), print(3)\n").unwrap();
    let three_seconds = SystemTime::now() + Duration::from_secs(3);
    std::fs::File::options().write(true).open(&later).unwrap().set_modified(three_seconds).unwrap();
    std::fs::rename(later, lab.path("src/main.py")).unwrap();
    lab.hear_signal("file_edited", "src/main.py");
}
