//! Transcripts of agents become episodes, as often as they are read.

use serde_json::Value;

use super::lab::Lab;

fn fixture(name: &str) -> String {
    format!("{}/tests/data/transcripts/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn episodes(lab: &Lab) -> Vec<Value> {
    let all = lab.memories();
    let expected = ["episode"];
    assert!(all.iter().all(|memory| expected.iter().any(|kind| memory["kind"] == *kind)), "{all:#?}");
    all.iter()
        .filter(|memory| memory["kind"] == "episode")
        .map(|memory| lab.record(memory["id"].as_str().unwrap()))
        .collect()
}

#[test]
fn transcripts_become_episodes_and_reading_them_again_is_harmless() {
    let mut lab = Lab::new();
    lab.start();
    let (claude, codex) = (fixture("claude.jsonl"), fixture("codex.jsonl"));
    lab.home.run(&["import", "--claude-transcript", &claude]).succeeded().says("0 failed");
    let first = episodes(&lab);
    assert!(!first.is_empty());
    let goal = "Fix the sum in add.sh";
    let told = first.iter().filter(|episode| episode["text"].as_str().unwrap().contains(goal)).count();
    assert!(told >= 1, "{first:#?}");
    assert!(first.iter().any(|episode| episode.to_string().contains("add.sh")));

    lab.home.run(&["import", "--claude-transcript", &claude]).succeeded().says("0 new").says("0 failed");
    assert_eq!(episodes(&lab), first, "twice is once");
    lab.home.run(&["import", "--codex-transcript", &codex]).succeeded().says("0 failed");
    let both = episodes(&lab);
    assert!(both.len() > first.len(), "another agent's session is another episode");

    let folder = lab.home.path("sessions");
    std::fs::create_dir(&folder).unwrap();
    std::fs::copy(&claude, folder.join("one.jsonl")).unwrap();
    std::fs::write(folder.join("notes.txt"), "no transcript").unwrap();
    let named = folder.to_str().unwrap();
    lab.home.run(&["import", "--claude-transcript", named]).succeeded().says("0 new");
    assert_eq!(episodes(&lab), both);

    // Half a line from a crash, junk, and a line of another program among good ones.
    let mut broken = std::fs::read(&claude).unwrap();
    broken.extend(b"{\"type\":\"user\",\"message\":{\"ro\n\xff\xfe\x00junk\n[1,2,3]\nnull\n\"text\"\n\n");
    std::fs::write(folder.join("two.jsonl"), &broken).unwrap();
    lab.home.run(&["import", "--claude-transcript", named]).succeeded().says("0 new").says("passed over");
    assert_eq!(episodes(&lab), both);
    std::fs::write(folder.join("three.jsonl"), "only\njunk\n").unwrap();
    lab.home.run(&["import", "--codex-transcript", folder.join("three.jsonl").to_str().unwrap()]).succeeded();
    assert_eq!(episodes(&lab), both);

    lab.home.run(&["import", "--claude-transcript", "/nowhere"]).exited(2).says("/nowhere");
    let empty = lab.home.path("empty");
    std::fs::create_dir(&empty).unwrap();
    lab.home.run(&["import", "--codex-transcript", empty.to_str().unwrap()]).exited(2).says("no transcript");
    lab.sentinel();
    assert_eq!(lab.signals(), Vec::<String>::new(), "what was long ago is no signal");
}
