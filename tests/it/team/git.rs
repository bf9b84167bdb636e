//! The memory over git: real repositories, real merges, and what a daemon then reads.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::home::Home;

const FACTS: &str = ".loki/memory/semantic/facts.json";
const NOTES: &str = ".loki/memory/notes/2026-05.0a1b2c3d.ndjson";

fn try_git(home: &Home, folder: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new("git");
    command.args(["-c", "protocol.file.allow=always"]).args(arguments).current_dir(home.path(folder)).env_clear();
    command.env("HOME", home.path("home")).env("PATH", std::env::var_os("PATH").unwrap_or_default());
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "Ada").env(format!("GIT_{who}_EMAIL"), "ada@example.org");
    }
    command.env("GIT_EDITOR", "true").output().unwrap()
}

#[track_caller]
pub(super) fn git(home: &Home, folder: &str, arguments: &[&str]) -> String {
    let output = try_git(home, folder, arguments);
    let told = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "git {arguments:?}: {}{}", told(&output.stdout), told(&output.stderr));
    told(&output.stdout)
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn read(home: &Home, path: &str) -> String {
    std::fs::read_to_string(home.path(path)).unwrap()
}

/// As the store writes it.
fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

fn fact(id: &str, value: &str, day: u8) -> Value {
    json!({"id": id, "key": format!("key.{id}"), "value": value, "scope": "", "created_at": "2026-05-01T00:00:00Z",
        "source": "agent", "confidence": 0.8, "valid_at": "2026-05-01T00:00:00Z",
        "updated_at": format!("2026-05-0{day}T00:00:00Z")})
}

fn write_facts(home: &Home, folder: &str, facts: &[Value], day: u8) {
    let document = json!({"version": "1.0", "facts": facts, "last_updated": format!("2026-05-0{day}T00:00:00+00:00")});
    write(&home.path(folder).join(FACTS), &pretty(&document));
}

fn note(id: &str, text: &str, day: u8) -> String {
    format!(
        "{}\n",
        json!({"id": id, "kind": "note", "text": text, "created_at": "2026-05-01T00:00:00Z", "updated_at": format!("2026-05-0{day}T00:00:00Z")})
    )
}

fn append(home: &Home, folder: &str, line: &str) {
    let path = home.path(folder).join(NOTES);
    let old = std::fs::read_to_string(&path).unwrap_or_default();
    write(&path, &(old + line));
}

pub(super) fn commit(home: &Home, folder: &str, message: &str) {
    git(home, folder, &["add", "-A"]);
    git(home, folder, &["commit", "-qm", message]);
}

fn branch(home: &Home, name: &str) {
    git(home, "app", &["switch", "-qc", name, "main"]);
}

/// A memory of two facts and a note, on `main`, and git told to merge with lokid.
fn lab(installed: bool) -> Home {
    let home = Home::new();
    git(&home, "app", &["branch", "-M", "main"]);
    if installed {
        home.run(&["team", "git", "install", "--yes"]).succeeded().says("installed");
    }
    write(&home.path("app/.loki/memory/.gitignore"), "*.lock\n.tmp_*\n/index.json\n/timeline.json\n");
    write_facts(&home, "app", &[fact("fact-a", "one", 1), fact("fact-m", "same", 1)], 1);
    append(&home, "app", &note("note-1", "as it was", 1));
    commit(&home, "app", "base");
    home
}

/// Both change the same fact and the same note, and add something of their own.
fn two_branches(home: &Home) {
    branch(home, "left");
    write_facts(home, "app", &[fact("fact-a", "left", 2), fact("fact-l", "new", 2), fact("fact-m", "same", 1)], 2);
    append(home, "app", &note("note-1", "left says", 2));
    commit(home, "app", "left");
    branch(home, "right");
    write_facts(home, "app", &[fact("fact-a", "right", 3), fact("fact-m", "same", 1), fact("fact-r", "new", 3)], 3);
    append(home, "app", &note("note-1", "right says", 3));
    commit(home, "app", "right");
}

/// Valid, without marks, with everything that anybody said.
#[track_caller]
fn check_both(home: &Home, folder: &str) {
    let (facts, notes) = (read(home, &format!("{folder}/{FACTS}")), read(home, &format!("{folder}/{NOTES}")));
    let document: Value = serde_json::from_str(&facts).unwrap();
    let ids: Vec<&str> =
        document["facts"].as_array().unwrap().iter().map(|fact| fact["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["fact-a", "fact-l", "fact-m", "fact-r"]);
    let one = &document["facts"][0];
    assert_eq!((&one["value"], &one["conflicts"][0]["value"]), (&json!("right"), &json!("left")));
    assert_eq!(facts, pretty(&document), "as the store writes it");
    let last: Value = serde_json::from_str(notes.lines().last().unwrap()).unwrap();
    assert_eq!((&last["text"], &last["conflicts"][0]["value"]), (&json!("right says"), &json!("left says")));
    assert!(!facts.contains("<<<<") && !notes.contains("<<<<"));
}

/// What a daemon makes of it: two matters to settle, and nothing lost.
#[track_caller]
fn check_daemon(home: &Home) {
    let _daemon = home.daemon();
    let asked = home.run(&["contradictions", "--json"]).succeeded().json();
    let mut why: Vec<&str> =
        asked["items"].as_array().unwrap().iter().map(|one| one["why"].as_str().unwrap()).collect();
    why.sort_unstable();
    assert_eq!(why, ["two edits of `text`", "two edits of `value`"], "{asked}");
    assert!(!read(home, &format!("app/{FACTS}")).contains("conflicts"), "told elsewhere now");
    let of_note =
        asked["items"].as_array().unwrap().iter().find(|one| one["why"].as_str().unwrap().contains("text")).unwrap();
    home.run(&["contradictions", "resolve", of_note["id"].as_str().unwrap(), "b_wins"]).succeeded();
    let living = home.run(&["list", "--kind", "note"]).succeeded().out;
    assert!(living.contains("right says") && !living.contains("left says"), "{living}");
}

#[test]
fn a_merge_keeps_both_whoever_merges_and_the_daemon_asks() {
    let home = lab(true);
    two_branches(&home);
    let clone = home.path("clone");
    git(&home, ".", &["clone", "-q", "app", clone.to_str().unwrap()]);
    git(&home, "clone", &["switch", "-q", "left"]);
    git(&home, "clone", &["config", "merge.lokid.driver", git(&home, "app", &["config", "merge.lokid.driver"]).trim()]);
    git(&home, "clone", &["merge", "-q", "--no-edit", "origin/right"]);
    git(&home, "app", &["merge", "-q", "--no-edit", "left"]);
    check_both(&home, "app");
    for file in [FACTS, NOTES] {
        assert_eq!(
            read(&home, &format!("app/{file}")),
            read(&home, &format!("clone/{file}")),
            "the other side sees it otherwise"
        );
    }
    check_daemon(&home);
}

#[test]
fn a_rebase_comes_to_the_same() {
    let home = lab(true);
    two_branches(&home);
    git(&home, "app", &["rebase", "-q", "left"]);
    check_both(&home, "app");
}

#[test]
fn a_squash_and_a_cherry_pick_come_to_the_same() {
    let home = lab(true);
    two_branches(&home);
    git(&home, "app", &["cherry-pick", "left"]);
    check_both(&home, "app");
    git(&home, "app", &["reset", "-q", "--hard", "HEAD~1"]);
    git(&home, "app", &["merge", "-q", "--squash", "left"]);
    check_both(&home, "app");
}

#[test]
fn a_revert_takes_back_what_one_commit_brought_and_nothing_else() {
    let home = lab(true);
    two_branches(&home);
    git(&home, "app", &["merge", "-q", "--no-edit", "left"]);
    git(&home, "app", &["revert", "--no-edit", "left"]);
    let facts: Value = serde_json::from_str(&read(&home, &format!("app/{FACTS}"))).unwrap();
    let ids: Vec<&str> = facts["facts"].as_array().unwrap().iter().map(|fact| fact["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["fact-a", "fact-m", "fact-r"]);
    assert_eq!(facts["facts"][0]["value"], "right");
    assert!(!read(&home, &format!("app/{NOTES}")).contains("<<<<"));
}

#[test]
fn histories_that_cross_come_to_one() {
    let home = lab(true);
    two_branches(&home);
    git(&home, "app", &["branch", "was-right", "right"]);
    git(&home, "app", &["merge", "-q", "--no-edit", "left"]);
    git(&home, "app", &["switch", "-q", "left"]);
    git(&home, "app", &["merge", "-q", "--no-edit", "was-right"]);
    append(&home, "app", &note("note-2", "on the left", 4));
    commit(&home, "app", "more left");
    git(&home, "app", &["switch", "-q", "right"]);
    append(&home, "app", &note("note-3", "on the right", 4));
    commit(&home, "app", "more right");
    git(&home, "app", &["merge", "-q", "--no-edit", "left"]);
    let notes = read(&home, &format!("app/{NOTES}"));
    for text in ["on the left", "on the right", "left says", "right says"] {
        assert!(notes.contains(text), "{text}: {notes}");
    }
    assert!(notes.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{notes}");
    serde_json::from_str::<Value>(&read(&home, &format!("app/{FACTS}"))).unwrap();
}

#[test]
fn what_is_installed_is_taken_out_to_the_byte_in_trees_and_modules_too() {
    let home = lab(false);
    write(&home.path("app/.gitattributes"), "*.rs diff=rust\r\n*.md diff=markdown");
    commit(&home, "app", "attributes");
    git(&home, "app", &["worktree", "add", "-q", "-b", "side", home.path("tree").to_str().unwrap()]);
    home.repository("inner");
    git(&home, "app", &["submodule", "--quiet", "add", home.path("inner").to_str().unwrap(), "module"]);
    for folder in ["app", "tree", "app/module"] {
        let common =
            PathBuf::from(git(&home, folder, &["rev-parse", "--path-format=absolute", "--git-common-dir"]).trim());
        let before = |_: ()| {
            (
                std::fs::read(home.path(folder).join(".gitattributes")).ok(),
                std::fs::read(common.join("config")).unwrap(),
            )
        };
        let (attributes, config) = before(());
        let lokid = |arguments: &[&str]| {
            let mut command = home.command(arguments);
            crate::home::Told::new(arguments, command.current_dir(home.path(folder)).output().unwrap())
        };
        let shown = lokid(&["team", "git", "install"]).exited(2);
        assert!(shown.out.contains("merge=lokid") && shown.out.contains("merge-driver %O %A %B %P"), "{shown:?}");
        assert_eq!(before(()), (attributes.clone(), config.clone()), "nobody said yes");
        lokid(&["team", "git", "install", "--yes"]).succeeded();
        lokid(&["team", "git", "install", "--yes"]).succeeded().says("already installed");
        assert_eq!(lokid(&["team", "git", "status", "--json"]).succeeded().json()["works"], true, "{folder}");
        let asked =
            git(&home, folder, &["check-attr", "merge", "--", FACTS, NOTES, ".loki/memory/web/skills/x.md", "a.json"]);
        assert_eq!(asked.matches("merge: lokid").count(), 3, "{asked}");
        lokid(&["team", "git", "uninstall", "--yes"]).succeeded();
        assert_eq!(before(()), (attributes, config), "{folder}");
        lokid(&["team", "git", "uninstall", "--yes"]).succeeded().says("not installed");
    }
}

#[test]
fn doctor_says_what_a_clone_lacks() {
    let home = lab(true);
    let doctor = |wanted: &str| {
        let checks = home.run(&["doctor", "--json"]).json();
        let text = checks.to_string();
        assert!(text.contains(wanted), "{wanted}: {text}");
    };
    doctor("git knows it");
    git(&home, "app", &["config", "merge.lokid.driver", "'/no where/lokid' merge-driver %O %A %B %P"]);
    doctor("git would run /no where/lokid, which is not there");
    git(&home, "app", &["config", "--remove-section", "merge.lokid"]);
    doctor("lokid team git install");
    home.run(&["team", "git", "install", "--yes"]).succeeded();
    let old = read(&home, "app/.gitattributes").replace("*.ndjson", "*.lines");
    write(&home.path("app/.gitattributes"), &old);
    doctor("lines of another lokid");
}

#[test]
fn a_text_merge_that_is_still_open_is_mended_at_the_next_start() {
    let home = lab(false);
    two_branches(&home);
    assert!(!try_git(&home, "app", &["merge", "-q", "--no-edit", "left"]).status.success());
    let damaged = read(&home, &format!("app/{FACTS}"));
    assert!(damaged.contains("<<<<<<<"));
    let open = git(&home, "app", &["ls-files", "-u"]);
    check_daemon(&home);
    assert_eq!(git(&home, "app", &["ls-files", "-u"]), open, "the index is the user's");
    assert_eq!(read(&home, "app/.loki/memory/semantic/.tmp_facts.json.corrupt"), damaged);
    let told = home.run(&["doctor", "--json"]).json().to_string();
    assert!(told.contains("a text merge damaged 2 of"), "{told}");
    let _daemon = home.daemon();
    home.run(&["forget", "fact-m", "--purge", "--yes"]).succeeded();
    assert!(!home.path("app/.loki/memory/semantic/.tmp_facts.json.corrupt").exists(), "it held what is purged");
}

#[test]
fn a_text_merge_that_was_committed_is_mended_from_both_parents() {
    let home = lab(false);
    two_branches(&home);
    assert!(!try_git(&home, "app", &["merge", "-q", "--no-edit", "left"]).status.success());
    // Somebody took the marks for all there is to it.
    let without: String = read(&home, &format!("app/{FACTS}"))
        .lines()
        .filter(|line| !line.starts_with(['<', '=', '>']))
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(serde_json::from_str::<Value>(&without).is_err() || !without.is_empty());
    write(&home.path("app").join(FACTS), &without.replace("\"facts\": [", "\"facts\": [,"));
    commit(&home, "app", "merged");
    check_daemon(&home);
}

#[test]
fn a_cherry_pick_that_left_marks_is_mended_from_them() {
    let home = lab(false);
    two_branches(&home);
    assert!(!try_git(&home, "app", &["cherry-pick", "left"]).status.success());
    commit(&home, "app", "picked");
    check_daemon(&home);
}

#[test]
fn a_file_that_is_merely_broken_stays_as_it_is() {
    let home = lab(false);
    let broken = &read(&home, &format!("app/{FACTS}"))[..60];
    write(&home.path("app").join(FACTS), broken);
    let _daemon = home.daemon();
    assert_eq!(read(&home, &format!("app/{FACTS}")), broken);
}

#[test]
fn what_one_side_purged_leaves_the_files_of_the_other() {
    let home = lab(false);
    {
        let _daemon = home.daemon();
        home.run(&["list"]).succeeded().says("as it was");
    }
    let grave =
        |id: &str| json!({"id": id, "fingerprint": "0".repeat(32), "purged_at": "2026-05-09T00:00:00Z", "reason": ""});
    let graves = json!({"version": "1.0", "tombstones": [grave("fact-a"), grave("note-1")]});
    write(&home.path("app/.loki/memory/archive/tombstones.json"), &pretty(&graves));
    let _daemon = home.daemon();
    let (facts, notes) = (read(&home, &format!("app/{FACTS}")), read(&home, &format!("app/{NOTES}")));
    assert!(!facts.contains("fact-a") && facts.contains("fact-m"), "{facts}");
    assert!(!notes.contains("as it was"), "{notes}");
}

#[test]
fn conflicts_in_the_files_of_loki_mode_are_settled_too() {
    let home = lab(false);
    let own = |field: &str, value: Value| json!({"conflicts": [{"field": field, "value": value, "updated_at": "2026-05-02T00:00:00Z"}]});
    let pattern = json!({"id": "sem-1", "pattern": "migrate first", "category": "deploy", "correct_approach": "as here",
        "access_count": 7, "odd": 1, "created_at": "2026-05-01T00:00:00+00:00", "lokid": own("correct_approach", json!("as there"))});
    let episode = json!({"id": "ep-1", "task_id": "t", "timestamp": "2026-05-01T00:00:00Z", "context": {"goal": "mend the gate"},
        "outcome": "success", "lokid": own("context.goal", json!("mend the fence"))});
    let skill = json!({"id": "skill-release", "name": "Release", "description": "Ships it.", "steps": ["build"],
        "lokid": own("description", json!("Delivers it."))});
    let files = [
        ("semantic/patterns.json", json!({"version": "1.1.0", "patterns": [pattern]})),
        ("episodic/2026-05-01/task-ep-1.json", episode),
        ("skills/release.json", skill),
    ];
    for (path, document) in &files {
        write(&home.path("app/.loki/memory").join(path), &pretty(document));
    }
    let _daemon = home.daemon();
    let asked = home.run(&["contradictions", "--json"]).succeeded().json();
    let mut why: Vec<&str> =
        asked["items"].as_array().unwrap().iter().map(|one| one["why"].as_str().unwrap()).collect();
    why.sort_unstable();
    assert_eq!(why, ["two edits of `context.goal`", "two edits of `correct_approach`", "two edits of `description`"]);
    let all = home.run(&["export"]).succeeded().out;
    for words in ["as there", "as here", "mend the fence", "mend the gate", "Delivers it.", "Ships it."] {
        assert!(all.contains(words), "{words}: {all}");
    }
    assert!(!all.contains("conflicts"), "{all}");
    for (path, _) in &files {
        assert!(!read(&home, &format!("app/.loki/memory/{path}")).contains("conflicts"), "{path}");
    }
    assert!(read(&home, "app/.loki/memory/semantic/patterns.json").contains("\"odd\": 1"));
}

#[test]
fn two_machines_that_edit_one_note_between_two_pulls_keep_both() {
    let home = lab(false);
    let line = |text: &str, day: u8, more: Value| {
        let mut line: Value = serde_json::from_str(&note("note-1", text, day)).unwrap();
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        format!("{line}\n")
    };
    let other = home.path("app/.loki/memory/notes/2026-05.99999999.ndjson");
    // Made from the line of the first day, while this side went on without knowing of it.
    let built = json!({"built_on": {"0a1b2c3d": "2026-05-01T00:00:00Z"}});
    write(&other, &line("the other machine says", 2, built));
    append(&home, "app", &line("this machine says", 3, json!({"tags": ["here"]})));
    {
        let _daemon = home.daemon();
        let asked = home.run(&["contradictions", "--json"]).succeeded().json();
        assert_eq!(asked["items"][0]["why"], "two edits of `text`", "{asked}");
        let living = home.run(&["list"]).succeeded().out;
        assert!(living.contains("the other machine says") && living.contains("this machine says"), "{living}");
        home.run(&["stop"]).succeeded();
    }
    let notes = |home: &Home| {
        let files = std::fs::read_dir(home.path("app/.loki/memory/notes")).unwrap().flatten();
        let mut files: Vec<String> = files.map(|file| std::fs::read_to_string(file.path()).unwrap()).collect();
        files.sort();
        files
    };
    let before = notes(&home);
    let _daemon = home.daemon();
    home.run(&["list"]).succeeded();
    assert_eq!(notes(&home), before, "settled once");
}

#[test]
fn a_note_of_another_machine_says_what_it_was_made_from_when_it_is_changed() {
    let home = lab(false);
    let _daemon = home.daemon();
    home.run(&["confirm", "note-1", "--tier", "guardrail"]).succeeded();
    let files = std::fs::read_dir(home.path("app/.loki/memory/notes")).unwrap().flatten();
    let ours = files.map(|file| file.path()).find(|path| !path.ends_with("2026-05.0a1b2c3d.ndjson")).unwrap();
    let line: Value = serde_json::from_str(std::fs::read_to_string(ours).unwrap().lines().last().unwrap()).unwrap();
    assert_eq!(line["built_on"], json!({"0a1b2c3d": "2026-05-01T00:00:00Z"}), "{line}");
}

#[test]
fn the_driver_writes_nothing_where_neither_side_is_whole() {
    let home = lab(false);
    for (name, text) in [("base", ""), ("ours", "{\"facts\": [<"), ("theirs", "{\"facts\"")] {
        write(&home.path("app").join(name), text);
    }
    let told = home.run(&["merge-driver", "base", "ours", "theirs", FACTS]).exited(1);
    assert!(told.err.contains("neither side can be understood"), "{told:?}");
    assert_eq!(read(&home, "app/ours"), "{\"facts\": [<");
    let help = home.run(&["--help"]).succeeded();
    assert!(!help.out.contains("merge-driver") && help.out.contains("team"));
}
