//! Secrets through every door: none of them is found afterwards, and the words around them are.

mod planted;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use aho_corasick::AhoCorasick;
use lokid::serve::Request;
use serde_json::{Value, json};

use super::lab::{Lab, has};
use planted::{Planted, all, lines, secret};

/// Doors whose words become memories.
const TOLD: &[&str] =
    &["remember", "import", "patch", "skill", "continuity", "log", "commit", "document", "transcript", "trace"];
/// Doors whose words are kept elsewhere, or not at all.
const OTHERS: &[&str] = &["ledger", "handoff", "signal", "reason", "code"];

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().map(Result::unwrap) {
            match entry.file_type().unwrap().is_dir() {
                true => waiting.push(entry.path()),
                false => found.push(entry.path()),
            }
        }
    }
    found
}

/// Everything that came through these doors, each with its name.
fn planted(doors: &[&str]) -> Vec<(String, Planted)> {
    let of = |door: &&str| {
        let door = (*door).to_owned();
        all(&door).into_iter().enumerate().map(move |(kind, (_, one))| (format!("{door} {kind}"), one))
    };
    doors.iter().flat_map(of).collect()
}

/// What of the planted is found where the daemon writes: `door kind: where`.
fn found(lab: &Lab, planted: &[(String, Planted)], logged: &[String]) -> Vec<String> {
    let pieces: Vec<(&str, &str)> =
        planted.iter().flat_map(|(name, one)| one.pieces.iter().map(|piece| (name.as_str(), piece.as_str()))).collect();
    let search =
        AhoCorasick::builder().ascii_case_insensitive(true).build(pieces.iter().map(|(_, piece)| piece)).unwrap();
    let mut found = BTreeSet::new();
    let mut look = |place: &str, bytes: &[u8]| {
        let hits = search.find_overlapping_iter(bytes).map(|hit| pieces[hit.pattern().as_usize()].0);
        found.extend(hits.map(|name| format!("{name}: {place}")));
    };
    // What Loki Mode and its user write themselves is theirs.
    let theirs = ["CONTINUITY.md", "logs", "queue", "events.jsonl"].map(|name| lab.path(".loki").join(name));
    let folders = ["cache", "state", "data", "app/.loki"].map(|folder| lab.home.path(folder));
    let mut many = 0;
    for file in folders.iter().flat_map(|folder| files(folder)) {
        if !theirs.iter().any(|own| file.starts_with(own)) {
            look(&file.display().to_string(), &std::fs::read(&file).unwrap());
            many += 1;
        }
    }
    assert!(many > 8, "there is little to look at");
    look("the daemon's log", logged.join("\n").as_bytes());
    found.into_iter().collect()
}

/// Before anybody watches: a history, a document and code with secrets in them.
fn prepare(lab: &Lab) {
    for (at, part) in all("commit").chunks(3).enumerate() {
        lab.write("src/lights.py", format!("count = {at}\n"));
        let told: String = part.iter().map(|(sentence, _)| format!("The lamp failed because {sentence}.\n")).collect();
        lab.commit(&format!("fix: crash of the lamp number {at} when the night is dark\n\n{told}"));
    }
    let rules: String =
        all("document").iter().map(|(sentence, _)| format!("- Never forget that {sentence}\n")).collect();
    lab.write("AGENTS.md", format!("# Agents\n\n## Rules\n\n{rules}"));
    for (at, (sentence, _)) in all("code").iter().enumerate() {
        let body = format!(
            "def lamp{at}(key):\n    client = connect(key)\n    client.login(\"{sentence}\")\n    return client\n"
        );
        lab.write(&format!("src/lamp{at}.py"), body);
    }
    lab.write(".gitignore", ".loki/\n");
    lab.commit("Write down how we work");
}

fn transcript(said: &str) -> String {
    let fixture = format!("{}/tests/data/transcripts/claude.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(fixture).unwrap();
    let told = json!(format!("Fix the sum, {said}")).to_string();
    text.replace("The tests fail. Fix the sum in add.sh", told.trim_matches('"'))
}

#[test]
fn nothing_planted_is_found_and_the_words_around_it_are() {
    let mut lab = Lab::new();
    lab.home.configure("[log]\nlevel = \"debug\"\n");
    prepare(&lab);
    lab.start();
    lab.home.run_with(&["remember"], &lines("remember")).succeeded();
    let imported: String = all("import")
        .iter()
        .map(|(sentence, _)| json!({"kind": "note", "text": sentence}).to_string() + "\n")
        .collect();
    lab.home.run_with(&["import", "-"], &imported).succeeded();
    let patched = lab.home.remember("soon to be said in other words");
    lab.send(&Request::patch(format!("/v1/memories/{patched}"), &json!({"text": lines("patch")})));
    for door in ["ledger", "handoff"] {
        let notes: Vec<String> = all(door).into_iter().map(|(sentence, _)| sentence).collect();
        lab.home.run_with(&[door, "write", "builder"], &json!({"notes": notes}).to_string()).succeeded();
    }
    let steps: String = all("skill").iter().enumerate().map(|(at, (one, _))| format!("{}. {one}\n", at + 1)).collect();
    let skill = format!("# Skill: Light the lamp\n\nHow we light it.\n\n## Steps\n\n{steps}");
    lab.home.run_with(&["skill", "add", "-"], &skill).succeeded();
    for (sentence, _) in all("signal") {
        let body = json!({"type": "error", "text": sentence, "path": sentence, "goal": sentence, "author": sentence});
        lab.send(&Request::post("/v1/signals", &body));
    }
    let forgotten = lab.home.remember("a thing to be forgotten");
    lab.home.run(&["forget", &forgotten, "--reason", &lines("reason")]).succeeded();
    let file = lab.home.path("session.jsonl");
    std::fs::write(&file, transcript(&lines("transcript"))).unwrap();
    lab.home.run(&["import", "--claude-transcript", file.to_str().unwrap()]).succeeded();

    let learnt: String = all("continuity").iter().map(|(sentence, _)| format!("- {sentence}\n")).collect();
    lab.write(
        ".loki/CONTINUITY.md",
        format!("# Now\n\n## Current Task\n- {}\n## Mistakes & Learnings\n{learnt}", all("continuity")[1].0),
    );
    let errors: String = all("log").iter().map(|(sentence, _)| format!("ERROR: {sentence}\n")).collect();
    lab.append(".loki/logs/run.log", errors);
    let failed: Vec<Value> = all("trace")
        .iter()
        .map(|(sentence, _)| json!({"id": sentence, "title": sentence, "error": sentence}))
        .collect();
    lab.write(".loki/queue/failed.json", Value::from(failed).to_string());

    let told = |lab: &Lab, door: &str| {
        let records: Vec<String> = lab.home.run(&["export"]).succeeded().out.lines().map(str::to_owned).collect();
        let derived = lab.memories().iter().map(|memory| memory.to_string()).collect::<Vec<_>>();
        let words = format!("keeper of the {door} light number");
        records.iter().chain(&derived).map(|text| text.matches(&words).count()).sum::<usize>()
    };
    for door in TOLD {
        crate::home::eventually_some(|| (told(&lab, door) > 0).then_some(()));
        lab.home
            .run(&["recall", &format!("keeper of the {door} light that night"), "-k", "3"])
            .succeeded()
            .says("keeper");
    }
    lab.sentinel();
    let shown = lab.home.run(&["show", &patched]).succeeded().out;
    assert!(shown.contains("keeper of the patch light") && shown.contains("[redacted"), "{shown}");
    let doors: Vec<&str> = TOLD.iter().chain(OTHERS).copied().collect();
    for door in &doors {
        let heard = Value::from(lab.told().to_vec()).to_string();
        let leaks: Vec<String> =
            all(door).into_iter().flat_map(|(_, one)| one.pieces).filter(|piece| heard.contains(piece)).collect();
        assert!(leaks.is_empty(), "the stream of events told of the {door}: {leaks:?}");
    }
    let logged = lab.stop();
    assert!(logged.len() > 10, "the log was looked at");
    assert_eq!(found(&lab, &planted(&doors), &logged), Vec::<String>::new());
}

/// Texts are cut at some length or other. Wherever that is, each of these has a secret there.
fn at_many_places(door: &str, lengths: std::ops::Range<usize>) -> Vec<(String, String, Planted)> {
    let filling = "far out at sea ".repeat(300);
    let one = |length: usize| {
        // A token, which is known by its length, and a password, which is known by its name.
        let planted = secret(&format!("{door} {length}"), if length.is_multiple_of(2) { 1 } else { 10 });
        let sentence = format!("{} {}", &filling[..length], planted.phrase);
        (format!("{door} {length}"), sentence, planted)
    };
    lengths.step_by(9).map(one).collect()
}

#[test]
fn a_secret_that_is_cut_in_two_is_still_a_secret() {
    let mut lab = Lab::new();
    let commits = at_many_places("commit", 50..115);
    let rules = at_many_places("document", 40..110);
    let long_rules = at_many_places("long document", 340..400);
    let errors = at_many_places("log", 240..300);
    let long_errors = at_many_places("long log", 4_040..4_090);
    let events = at_many_places("event", 940..1_000);
    let sessions = at_many_places("session", 60..330);
    for (at, (_, sentence, _)) in commits.iter().enumerate() {
        lab.write("src/a.py", format!("a = {at}\n"));
        let why = "The lamp failed because nobody looked at what was written there at all, which was wrong.";
        lab.commit(&format!("fix: crash when {sentence}\n\n{why}"));
    }
    let listed: String = rules.iter().chain(&long_rules).map(|(_, one, _)| format!("- Never forget {one}\n")).collect();
    lab.write("AGENTS.md", format!("# Agents\n\n## Rules\n\n{listed}"));
    lab.write(".gitignore", ".loki/\n");
    lab.commit("Write down how we work");
    lab.start();
    let logged: String =
        errors.iter().chain(&long_errors).map(|(_, one, _)| format!("ERROR: no way {one}\n")).collect();
    lab.append(".loki/logs/run.log", logged);
    let line = |(name, sentence, _): &(String, String, Planted)| {
        json!({"type": "tool_error", "data": {"message": sentence, "tool": name}}).to_string() + "\n"
    };
    lab.append(".loki/events.jsonl", events.iter().map(line).collect::<String>());
    for (name, sentence, _) in &sessions {
        let file = lab.home.path(&format!("{name}.jsonl"));
        std::fs::write(&file, transcript(sentence).replace("67ffbf22", &format!("{:08}", name.len() + sentence.len())))
            .unwrap();
        lab.home.run(&["import", "--claude-transcript", file.to_str().unwrap()]).succeeded();
    }
    lab.append(".loki/logs/run.log", "ERROR: this is the end of the log\n");
    let end = json!({"type": "tool_error", "data": {"message": "this is the end of the events"}});
    lab.append(".loki/events.jsonl", format!("{end}\n"));
    lab.until(|all| {
        ["end of the log", "end of the events"].iter().all(|end| all.iter().any(|one| has(&one["title"], end)))
    });
    for words in ["crash when far out", "Never forget far out", "no way far out", "Fix the sum, far out"] {
        assert!(lab.titles().iter().any(|title| title.contains(words)), "{words}: {:#?}", lab.titles());
    }
    lab.sentinel();
    let logged = lab.stop();
    let everything = [commits, rules, long_rules, errors, long_errors, events, sessions].into_iter().flatten();
    let everything: Vec<(String, Planted)> = everything.map(|(name, _, planted)| (name, planted)).collect();
    assert_eq!(found(&lab, &everything, &logged), Vec::<String>::new());
}
