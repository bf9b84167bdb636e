//! Files of the memory as two branches may have left them.

use std::path::Path;

use serde_json::{Value, json};

use super::*;

mod random;

fn file(value: &Value) -> String {
    raw::pretty(value, 0)
}

#[track_caller]
fn check(path: &str, base: Option<&str>, ours: &str, theirs: &str) -> String {
    let base = base.map(str::as_bytes);
    let merged = merge_file(Path::new(path), base, ours.as_bytes(), theirs.as_bytes()).unwrap();
    let mirrored = merge_file(Path::new(path), base, theirs.as_bytes(), ours.as_bytes()).unwrap();
    let text = String::from_utf8(merged).unwrap();
    assert_eq!(text, String::from_utf8(mirrored).unwrap(), "the other side sees it otherwise");
    text
}

fn facts(facts: Value, day: u8) -> String {
    file(&json!({"version": "1.0", "facts": facts, "last_updated": format!("2026-05-0{day}T00:00:00.000000+00:00")}))
}

#[test]
fn two_new_facts_stand_in_order_and_look_as_the_store_writes_them() {
    let fact = |id: &str| json!({"id": id, "key": "k\u{e9}", "value": "v", "scope": "", "odd": {"kept": []}});
    let base = facts(json!([fact("m")]), 1);
    let merged = check(
        "semantic/facts.json",
        Some(&base),
        &facts(json!([fact("m"), fact("z")]), 2),
        &facts(json!([fact("a"), fact("m")]), 3),
    );
    assert_eq!(merged, facts(json!([fact("a"), fact("m"), fact("z")]), 3));
}

#[test]
fn an_entry_that_one_side_took_out_is_gone_unless_the_other_changed_it() {
    let fact = |id: &str, value: &str| json!({"id": id, "key": "k", "value": value});
    let base = facts(json!([fact("a", "1"), fact("b", "1")]), 1);
    let merged = check(
        "web/semantic/facts.json",
        Some(&base),
        &facts(json!([]), 2),
        &facts(json!([fact("a", "1"), fact("b", "2")]), 3),
    );
    assert_eq!(merged, facts(json!([fact("b", "2")]), 3));
}

#[test]
fn numbers_of_another_program_keep_their_spelling() {
    let with = |more: &str| {
        format!(
            "{{\n  \"version\": \"1.1.0\",\n  \"patterns\": [\n    {{\n      \"id\": \"p\",\n      \"n\": 1.10,\n      \"big\": 12345678901234567890123{more}\n    }}\n  ]\n}}"
        )
    };
    let merged = check(
        ".loki/memory/semantic/patterns.json",
        Some(&with("")),
        &with(",\n      \"category\": \"x\""),
        &with(",\n      \"conditions\": []"),
    );
    assert!(merged.contains("\"n\": 1.10,") && merged.contains("12345678901234567890123"), "{merged}");
    assert!(merged.contains("category") && merged.contains("conditions"), "{merged}");
}

#[test]
fn tombstones_are_never_taken_back() {
    let graves = |ids: &[&str]| {
        let one = |id: &&str| json!({"id": id, "fingerprint": "0".repeat(32), "purged_at": "2026-05-01T00:00:00Z", "reason": ""});
        file(&json!({"version": "1.0", "tombstones": ids.iter().map(one).collect::<Vec<_>>()}))
    };
    let merged = check("archive/tombstones.json", Some(&graves(&["a"])), &graves(&["b"]), &graves(&["a"]));
    // Whoever takes one out alone has edited the file, and git asks nobody.
    assert_eq!(merged, graves(&["b"]));
    assert_eq!(
        check("archive/tombstones.json", Some(&graves(&["a"])), &graves(&["b"]), &graves(&["a", "c"])),
        graves(&["a", "b", "c"])
    );
}

#[test]
fn a_note_that_both_changed_gets_a_line_that_holds_both() {
    let line = |id: &str, text: &str, day: u8, more: Value| {
        let mut line =
            json!({"id": id, "kind": "note", "text": text, "updated_at": format!("2026-05-0{day}T00:00:00Z")});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        format!("{line}\n")
    };
    let none = || json!({});
    let base = line("a", "x", 1, none()) + "not json\n";
    let ours = base.clone() + &line("a", "y", 2, none()) + &line("b", "only ours", 2, none());
    let theirs = base.clone() + &line("a", "x", 3, json!({"tags": ["t"]}));
    let merged = check("notes/2026-05.0a1b2c3d.ndjson", Some(&base), &ours, &theirs);
    let lines: Vec<&str> = merged.lines().collect();
    assert_eq!(lines.len(), 6, "{merged}");
    let last: Value = serde_json::from_str(lines[5]).unwrap();
    assert_eq!((&last["text"], &last["tags"]), (&json!("y"), &json!(["t"])));
    assert_eq!(last["updated_at"], "2026-05-03T00:00:00.000001Z");
    // What was struck out on one side stays out.
    assert_eq!(
        check("notes/2026-05.0a1b2c3d.ndjson", Some(&base), "", &(base.clone() + &line("c", "z", 4, none()))),
        line("c", "z", 4, none())
    );
}

#[test]
fn a_side_that_a_text_merge_damaged_is_taken_from_its_marks() {
    let fact = |value: &str| facts(json!([{"id": "a", "key": "k", "value": value}]), 1);
    let (ours, theirs) = (fact("1"), fact("2"));
    let damaged: String = ours
        .lines()
        .zip(theirs.lines())
        .map(
            |(a, b)| {
                if a == b { format!("{a}\n") } else { format!("<<<<<<< HEAD\n{a}\n=======\n{b}\n>>>>>>> other\n") }
            },
        )
        .collect();
    assert!(is_damaged(Path::new("semantic/facts.json"), damaged.as_bytes()));
    let merged = check("semantic/facts.json", None, &damaged, "{\"cut off");
    let merged: Value = serde_json::from_str(&merged).unwrap();
    assert_eq!(
        (&merged["facts"][0]["value"], &merged["facts"][0]["conflicts"][0]["value"]),
        (&json!("2"), &json!("1"))
    );
    let nothing = merge_file(Path::new("semantic/facts.json"), None, b"<", b">");
    assert_eq!(nothing, Err(Unmergeable::NothingValid));
}

#[test]
fn a_newer_format_is_left_to_git() {
    let later = |version: &str| file(&json!({"version": version, "facts": []}));
    let merged = merge_file(Path::new("semantic/facts.json"), None, later("2.0").as_bytes(), later("1.0").as_bytes());
    assert_eq!(merged, Err(Unmergeable::Newer("2.0".to_owned())));
}

#[test]
fn a_skill_in_markdown_keeps_both_sides_sections_and_prose() {
    let skill = |steps: &str, prose: &str| format!("# Release\n\nShips it.\n\n## Steps\n\n{steps}\n{prose}");
    let base = skill("1. build\n2. ship\n", "");
    let merged = check(
        "skills/release.md",
        Some(&base),
        &skill("1. build\n2. test\n3. ship\n", ""),
        &skill("1. build\n2. ship\n", "\n## History\n\nsince 2020\n"),
    );
    assert!(merged.contains("test") && merged.contains("since 2020"), "{merged}");
}

#[test]
fn only_files_of_the_memory_are_merged() {
    for path in ["README.md", "semantic/other.json", "ledgers/agent.md", "../semantic/facts.json", ".lokid/odd.json"] {
        assert_eq!(merge_file(Path::new(path), None, b"{}", b"{}"), Err(Unmergeable::NotOurs), "{path}");
    }
    for path in
        ["episodic/2026-01-06/task-x.json", "skills/x.json", "handoffs/h.json", "index.json", ".lokid/patterns.json"]
    {
        assert_eq!(merge_file(Path::new(path), None, b"{}", b"{}"), Ok(b"{}".to_vec()), "{path}");
    }
}
