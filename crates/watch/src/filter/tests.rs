//! Which paths matter, as tables.

use super::*;
use crate::WatchLimits;

fn plan(git: &str, common: &str) -> WatchPlan {
    WatchPlan {
        worktree: "/w".into(),
        git_dir: Some(git.into()),
        common_dir: Some(common.into()),
        loki_dir: "/w/.loki".into(),
        memory_dir: None,
        ignore: vec!["*.min.js".to_owned()],
        error_logs: ["logs/*.log", "build/out/**/*.err", "**/*.crash", "/w/abs.log", "/var/log/x", "a[", "./dot.log"]
            .map(str::to_owned)
            .to_vec(),
        limits: WatchLimits::default(),
    }
}

fn filter() -> Filter {
    let mut filter = Filter::new(&plan("/w/.git", "/w/.git"));
    filter.rules.set_nested(Path::new("/w"), "target/\nlogs/\nbuild/\nabs.log\n");
    filter
}

fn check(filter: &Filter, path: &str, expect: Option<(TreePlace, &str)>) {
    let found = filter.locate(Path::new(path));
    let found = found.as_ref().map(|located| (located.place, located.path.as_str()));
    assert_eq!(found, expect, "{path}");
}

#[test]
fn files_of_the_tree_matter_unless_they_are_ignored_or_passing() {
    let filter = filter();
    check(&filter, "/w/src/main.rs", Some((TreePlace::Work, "src/main.rs")));
    check(&filter, "/w/Cargo.lock", Some((TreePlace::Work, "Cargo.lock")));
    check(&filter, "/w/target/debug/x", None);
    check(&filter, "/w/web/x.min.js", None);
    check(&filter, "/w/src/4913", None);
    check(&filter, "/w/src/a.json.lock", None);
    check(&filter, "/w/src/.main.rs.swp", Some((TreePlace::EditorsFile, "src/main.rs")));
    check(&filter, "/w/main.rs~", Some((TreePlace::EditorsFile, "main.rs")));
    check(&filter, "/w/sub/.gitignore", Some((TreePlace::Rules, "sub/.gitignore")));
    check(&filter, "/w/module/.git", None);
    check(&filter, "/w/module/.git/HEAD", None);
    check(&filter, "/w", None);
    check(&filter, "/elsewhere", None);
}

#[test]
fn logs_count_even_where_they_are_ignored() {
    let filter = filter();
    check(&filter, "/w/logs/a.log", Some((TreePlace::Log, "logs/a.log")));
    check(&filter, "/w/logs/a.txt", None);
    check(&filter, "/w/logs/deep/a.log", None);
    check(&filter, "/w/build/out/x/y.err", Some((TreePlace::Log, "build/out/x/y.err")));
    check(&filter, "/w/src/a.crash", Some((TreePlace::Log, "src/a.crash")));
    check(&filter, "/w/abs.log", Some((TreePlace::Log, "abs.log")));
    check(&filter, "/w/dot.log", Some((TreePlace::Log, "dot.log")));
    for (folder, expect) in [
        ("/w/logs", true),
        ("/w/logs/deep", false),
        ("/w/build", true),
        ("/w/build/other", false),
        ("/w/build/out", true),
        ("/w/build/out/x", true),
        ("/w/target", false),
    ] {
        assert_eq!(filter.enters(Path::new(folder)), expect, "{folder}");
    }
    assert_eq!(filter.warnings.len(), 2, "{:?}", filter.warnings);
}

#[test]
fn of_git_only_what_moves_a_branch_matters() {
    let filter = filter();
    let git = |area, path| Some((TreePlace::Git(area), path));
    check(&filter, "/w/.git/HEAD", git(GitArea::Head, ".git/HEAD"));
    check(&filter, "/w/.git/refs/heads/a/b", git(GitArea::Refs, ".git/refs/heads/a/b"));
    check(&filter, "/w/.git/packed-refs", git(GitArea::Refs, ".git/packed-refs"));
    check(&filter, "/w/.git/reftable/tables.list", git(GitArea::Refs, ".git/reftable/tables.list"));
    check(&filter, "/w/.git/index", git(GitArea::Index, ".git/index"));
    check(&filter, "/w/.git/rebase-merge", git(GitArea::Operation, ".git/rebase-merge"));
    check(&filter, "/w/.git/MERGE_HEAD", git(GitArea::Operation, ".git/MERGE_HEAD"));
    check(&filter, "/w/.git/worktrees/x/HEAD", git(GitArea::Worktrees, ".git/worktrees/x/HEAD"));
    check(&filter, "/w/.git/index.lock", Some((TreePlace::IndexLock, ".git/index.lock")));
    check(&filter, "/w/.git/info/exclude", Some((TreePlace::Rules, ".git/info/exclude")));
    for silent in ["HEAD.lock", "refs/heads/a.lock", "objects/ab/cd", "logs/HEAD", "COMMIT_EDITMSG", "config"] {
        check(&filter, &format!("/w/.git/{silent}"), None);
    }
    for (folder, expect) in [
        ("", true),
        ("/refs", true),
        ("/refs/heads/x", true),
        ("/objects", false),
        ("/logs", false),
        ("/worktrees", true),
        ("/worktrees/x", true),
        ("/worktrees/x/logs", false),
        ("/modules", false),
        ("/rebase-merge", false),
    ] {
        assert_eq!(filter.enters(Path::new(&format!("/w/.git{folder}"))), expect, "{folder}");
    }
}

#[test]
fn a_linked_working_tree_has_its_own_head_and_shares_the_branches() {
    let filter = Filter::new(&plan("/main/.git/worktrees/w", "/main/.git"));
    let git = |area, path| Some((TreePlace::Git(area), path));
    check(&filter, "/main/.git/worktrees/w/HEAD", git(GitArea::Head, ".git/HEAD"));
    check(&filter, "/main/.git/worktrees/w/index.lock", Some((TreePlace::IndexLock, ".git/index.lock")));
    check(&filter, "/main/.git/HEAD", None);
    check(&filter, "/main/.git/index", None);
    check(&filter, "/main/.git/refs/heads/x", git(GitArea::Refs, ".git/refs/heads/x"));
    check(&filter, "/main/.git/worktrees/other/HEAD", git(GitArea::Worktrees, ".git/worktrees/other/HEAD"));
    check(&filter, "/w/.git", None);
}

#[test]
fn the_traces_in_loki_are_told_apart() {
    let filter = filter();
    for (inside, expect) in [
        ("CONTINUITY.md", Some(TreePlace::Continuity)),
        ("events.jsonl", Some(TreePlace::Trace)),
        ("events/pending/1.json", Some(TreePlace::Trace)),
        ("state/LAST_ERROR.json", Some(TreePlace::Trace)),
        ("queue/failed.json", Some(TreePlace::Trace)),
        ("memory/failures.jsonl", Some(TreePlace::Trace)),
        ("memory/.errors.log", Some(TreePlace::Trace)),
        ("logs/session.log", Some(TreePlace::Log)),
        ("memory/semantic/patterns.json", Some(TreePlace::Memory)),
        ("memory/semantic/patterns.json.lock", None),
        ("memory/episodic/2026-01-06/.tmp_x.json", None),
        ("dashboard/x.json", None),
        ("other.txt", None),
    ] {
        let path = format!("/w/.loki/{inside}");
        check(&filter, &path, expect.map(|place| (place, &path[3..])));
    }
    assert!(filter.enters(Path::new("/w/.loki/memory/episodic/2026-01-06")));
    assert!(!filter.enters(Path::new("/w/.loki/dashboard")));
}

#[test]
fn a_memory_folder_elsewhere_keeps_its_usual_name() {
    let filter = Filter::new(&WatchPlan { memory_dir: Some("/m".into()), ..plan("/w/.git", "/w/.git") });
    check(&filter, "/m/skills/a.md", Some((TreePlace::Memory, ".loki/memory/skills/a.md")));
    check(&filter, "/m/failures.jsonl", Some((TreePlace::Trace, ".loki/memory/failures.jsonl")));
}

proptest::proptest! {
    #[test]
    fn no_path_makes_it_panic(path in "(/w)?(/[a-z.~#é*]{0,6}){0,5}") {
        let filter = filter();
        let _ = (filter.locate(Path::new(&path)), filter.enters(Path::new(&path)));
    }
}
