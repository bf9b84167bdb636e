//! The watcher on real files: what editors, git, searches and builds do, and what is seen of it.

mod lab;
mod losses;
mod openings;

use crate::home::eventually_some;
use lab::Repo;
use lokid_watch::{GitArea, Seen};

fn created(path: &str) -> Seen {
    Seen::Created { path: path.to_owned() }
}

fn edited(path: &str) -> Seen {
    Seen::Edited { path: path.to_owned() }
}

fn removed(path: &str) -> Seen {
    Seen::Removed { path: path.to_owned() }
}

/// Without openings, which have tests of their own.
fn changes(seen: Vec<Seen>) -> Vec<Seen> {
    let mut changes: Vec<Seen> =
        seen.into_iter().filter(|seen| !matches!(seen, Seen::MaybeOpened { .. } | Seen::Opened { .. })).collect();
    // On a busy machine a writer may be caught between creating a file and filling it.
    changes.dedup_by(|next, before| match (next, before) {
        (Seen::Edited { path }, Seen::Created { path: created }) => path == created,
        _ => false,
    });
    changes
}

#[test]
fn files_that_are_written_moved_and_removed_are_seen_once() {
    let lab = Repo::new().watched();
    lab.write("new.rs", "one");
    assert_eq!(changes(lab.settled()), [created("new.rs")]);
    lab.write("new.rs", "two");
    assert_eq!(changes(lab.settled()), [edited("new.rs")]);
    std::fs::rename(lab.path("new.rs"), lab.path("other.rs")).unwrap();
    let mut moved = changes(lab.settled());
    moved.sort();
    assert_eq!(moved, [created("other.rs"), removed("new.rs")]);
    std::fs::remove_file(lab.path("other.rs")).unwrap();
    assert_eq!(changes(lab.settled()), [removed("other.rs")]);
}

#[test]
fn a_save_by_rename_is_an_edit_and_a_change_of_mode_is_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let lab = Repo::new().watched();
    std::fs::write(lab.path("src/main.rs.new"), "fn main() { 1; }\n").unwrap();
    std::fs::rename(lab.path("src/main.rs.new"), lab.path("src/main.rs")).unwrap();
    assert_eq!(changes(lab.settled()), [edited("src/main.rs")]);
    std::fs::set_permissions(lab.path("src/main.rs"), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(changes(lab.settled()), []);
}

#[test]
fn passing_and_ignored_files_are_silent() {
    let lab = Repo::new().watched();
    for path in ["target/debug/x", "a.o", "src/4913", "src/.main.rs.swx", "x.json.lock", ".tmp_y.json", "z.tmp"] {
        lab.write(path, "x");
    }
    lab.write("gone", "x");
    std::fs::remove_file(lab.path("gone")).unwrap();
    lab.write(".loki/memory/semantic/patterns.json.lock", "");
    lab.write(".loki/memory/semantic/.tmp_a.json", "");
    lab.write(".git/objects/ab/x", "");
    lab.write("target/debug/y", "x");
    assert_eq!(changes(lab.settled()), []);
}

#[test]
fn a_deep_folder_and_the_file_written_into_it_at_once_are_seen() {
    let lab = Repo::new().watched();
    for round in 0..20 {
        let path = format!("a{round}/b/c/d.rs");
        lab.write(&path, "x");
        assert_eq!(changes(lab.settled()), [created(&path)]);
        lab.write(&path, "y y");
        assert_eq!(changes(lab.settled()), [edited(&path)]);
    }
}

#[test]
fn a_folder_that_moves_takes_its_files_along() {
    let repo = Repo::new();
    repo.write("one/deep/a.rs", "a");
    let lab = repo.watched();
    std::fs::rename(lab.path("one"), lab.path("two")).unwrap();
    let mut seen = changes(lab.settled());
    seen.sort();
    assert_eq!(seen, [created("two/deep/a.rs"), removed("one/deep/a.rs")]);
    lab.write("two/deep/a.rs", "b b");
    assert_eq!(changes(lab.settled()), [edited("two/deep/a.rs")]);
    std::fs::remove_dir_all(lab.path("two")).unwrap();
    assert_eq!(changes(lab.settled()), [removed("two/deep/a.rs")]);
}

#[test]
fn what_is_in_loki_comes_by_its_name() {
    let lab = Repo::new().watched();
    let check = |path: &str, expect: Seen| {
        lab.write(path, "x");
        assert_eq!(changes(lab.settled()), [expect], "{path}");
    };
    check(".loki/CONTINUITY.md", Seen::Continuity);
    check(".loki/events.jsonl", Seen::LokiTrace { path: ".loki/events.jsonl".to_owned() });
    check(".loki/queue/failed.json", Seen::LokiTrace { path: ".loki/queue/failed.json".to_owned() });
    check(".loki/logs/a.log", Seen::Log { path: ".loki/logs/a.log".to_owned() });
    let day = ".loki/memory/episodic/2026-01-06/task-1.json";
    check(day, Seen::Memory { path: day.to_owned() });
    check("logs/app.log", Seen::Log { path: "logs/app.log".to_owned() });
    check(".loki/memory/failures.jsonl", Seen::LokiTrace { path: ".loki/memory/failures.jsonl".to_owned() });
}

#[test]
fn our_own_writes_are_silent_and_the_next_one_of_another_is_not() {
    let lab = Repo::new().watched();
    let path = ".loki/memory/semantic/patterns.json";
    lab.watch().own_doings().expect_write(path);
    lab.write(path, "ours");
    assert_eq!(changes(lab.settled()), []);
    lab.write(path, "theirs!");
    assert_eq!(changes(lab.settled()), [Seen::Memory { path: path.to_owned() }]);
}

#[test]
fn a_loki_folder_that_comes_later_is_watched() {
    let repo = Repo::new();
    std::fs::remove_dir_all(repo.root.join(".loki")).unwrap();
    let lab = repo.watched();
    lab.write(".loki/CONTINUITY.md", "x");
    assert_eq!(changes(lab.settled()), [Seen::Continuity]);
}

#[test]
fn rules_that_change_are_followed() {
    let repo = Repo::new();
    repo.write("gen/a.txt", "x");
    repo.write("target/b.txt", "x");
    let lab = repo.watched();
    lab.write(".gitignore", "gen/\n");
    assert_eq!(changes(lab.settled()), [Seen::Rules { path: ".gitignore".to_owned() }]);
    // The new rules hold from the next listing on, which a busy machine puts off.
    let mut text = String::from("y");
    let seen = eventually_some(|| {
        text.push('y');
        lab.write("gen/a.txt", &text);
        lab.write("target/b.txt", &text);
        Some(changes(lab.settled())).filter(|seen| !seen.is_empty())
    });
    assert_eq!(seen, [edited("target/b.txt")]);
}

#[test]
fn git_is_seen_by_area() {
    let repo = Repo::new();
    repo.git(&["branch", "topic"]);
    let lab = repo.watched();
    let areas = |lab: &lab::Lab| -> Vec<GitArea> {
        let seen = lab.settled().into_iter();
        let mut areas: Vec<GitArea> =
            seen.filter_map(|seen| if let Seen::Git(area) = seen { Some(area) } else { None }).collect();
        areas.sort();
        areas.dedup();
        areas
    };
    lab.git(&["checkout", "-q", "topic"]);
    assert!(areas(&lab).contains(&GitArea::Head));
    lab.write("src/main.rs", "fn main() { 2; }\n");
    lab.git(&["add", "src"]);
    assert_eq!(areas(&lab), [GitArea::Index]);
    lab.git(&["commit", "-qm", "second"]);
    assert!(areas(&lab).contains(&GitArea::Refs));
    lab.git(&["worktree", "add", "-q", "../linked", "-b", "side"]);
    assert!(areas(&lab).contains(&GitArea::Worktrees));
    lab.git(&["checkout", "-q", "main"]);
    lab.write("src/main.rs", "fn main() { 3; }\n");
    lab.git(&["commit", "-qam", "third"]);
    areas(&lab);
    let conflict = std::process::Command::new("git").args(["merge", "topic"]).current_dir(&lab.root).output().unwrap();
    assert!(!conflict.status.success(), "the merge has to stop");
    assert!(areas(&lab).contains(&GitArea::Operation));
    lab.git(&["merge", "--abort"]);
    assert!(areas(&lab).contains(&GitArea::Operation));
    let conflict = std::process::Command::new("git").args(["rebase", "topic"]).current_dir(&lab.root).output().unwrap();
    assert!(!conflict.status.success(), "the rebase has to stop");
    assert!(areas(&lab).contains(&GitArea::Operation));
    lab.git(&["rebase", "--abort"]);
    assert!(areas(&lab).contains(&GitArea::Operation));
}

#[test]
fn a_linked_working_tree_sees_its_own_head() {
    let repo = Repo::new();
    repo.git(&["worktree", "add", "-q", "../linked", "-b", "side"]);
    let mut plan = repo.plan();
    plan.worktree = repo.root.parent().unwrap().join("linked");
    plan.git_dir = Some(repo.root.join(".git/worktrees/linked"));
    let main = repo.root.clone();
    let lab = repo.watched_with(plan);
    lab.git(&["checkout", "-q", "-b", "other"]);
    lab.expect(&Seen::Git(GitArea::Head));
    lab.write("src/main.rs", "fn main() { 4; }\n");
    lab.expect(&edited("src/main.rs"));
    std::fs::write(main.join(".loki/CONTINUITY.md"), "x").unwrap();
    lab.expect(&Seen::Continuity);
}

#[test]
fn a_nested_repository_is_a_border() {
    let repo = Repo::new();
    repo.write("module/.git", "gitdir: ../.git/modules/module\n");
    repo.write("other/.git/HEAD", "ref: refs/heads/main\n");
    let lab = repo.watched();
    lab.write("other/.git/HEAD", "ref: refs/heads/topic\n");
    lab.write("module/.git", "gitdir: elsewhere\n");
    lab.write("module/file.c", "x");
    assert_eq!(changes(lab.settled()), [created("module/file.c")]);
}

#[test]
fn names_that_are_no_text_and_loops_do_no_harm() {
    use std::os::unix::ffi::OsStrExt;
    let repo = Repo::new();
    std::fs::write(repo.root.join(std::ffi::OsStr::from_bytes(b"bad\xff")), "x").unwrap();
    std::os::unix::fs::symlink("..", repo.root.join("src/loop")).unwrap();
    let lab = repo.watched();
    assert_eq!(lab.watch().state().unreadable_names, 1);
    std::fs::write(lab.path("src").join(std::ffi::OsStr::from_bytes(b"worse\xfe")), "x").unwrap();
    assert_eq!(changes(lab.settled()), []);
}
