//! The two ways of reading history, side by side over a repository with everything that is hard to read.

use std::os::unix::ffi::OsStrExt;

use super::*;
use lokid_model::FileStatus;
use lokid_testing::git::{GitLab, git};

fn hard_to_read(lab: &mut GitLab) {
    lab.commit(
        "Begin\nin two lines\n\nWith a body.\n\nAnd more.",
        &[("a.txt", "1"), ("dir/b.txt", "1"), ("dir.txt", "1")],
    );
    lab.commit("", &[]);
    lab.commit("Nothing changed", &[]);
    std::fs::write(lab.main().join(std::ffi::OsStr::from_bytes(b"caf\xe9 \t\".txt")), "1").unwrap();
    lab.commit("Größe: naïve — ünïcode", &[("ünï.txt", "1"), ("line\nbreak", "1")]);
    lab.git(&["mv", "a.txt", "renamed.txt"]);
    lab.commit("Rename\r\n\r\nwindows body\r\nsecond line", &[]);
    lab.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
    lab.commit("side work", &[("side.txt", "1")]);
    lab.git(&["checkout", "-q", "main"]);
    lab.commit("main work", &[("dir/b.txt", "2")]);
    lab.dated(&["merge", "-q", "--no-ff", "-m", "Merge side", "side"]);
    std::fs::remove_file(lab.main().join("dir/b.txt")).unwrap();
    std::os::unix::fs::symlink("../dir.txt", lab.main().join("dir/b.txt")).unwrap();
    lab.commit("a file becomes a link", &[]);
    std::fs::remove_file(lab.main().join("dir.txt")).unwrap();
    lab.commit("a file becomes a folder", &[("dir.txt/inner", "1")]);
    lab.git(&["config", "i18n.commitEncoding", "ISO-8859-1"]);
    let latin = lab.main().join(".git/latin");
    std::fs::write(&latin, b"caf\xe9 au lait\n").unwrap();
    lab.dated(&["commit", "-q", "--allow-empty", "-F", ".git/latin"]);
    lab.git(&["config", "--unset", "i18n.commitEncoding"]);
}

fn all(worktree: &Path, since: Option<&str>, most: usize) -> Vec<Commit> {
    let mut commits = Vec::new();
    let mined = mine(worktree, since, most, &mut |commit| {
        commits.push(commit);
        ControlFlow::Continue(())
    });
    assert_eq!(mined, Some(Mined { commits: commits.len(), broken: false }));
    commits
}

fn both(lab: &GitLab, hide: Option<Oid>) -> [Vec<Commit>; 2] {
    let repository = Repository::open(lab.main()).unwrap();
    let head = repository.head().unwrap().peel_to_commit().unwrap().id();
    let (mut first, mut second) = (Vec::new(), Vec::new());
    let program = program::log(repository.path(), head, hide, 100, &mut |commit| {
        first.push(commit);
        ControlFlow::Continue(())
    });
    let walked = walk::log(&repository, head, hide, 100, &mut |commit| {
        second.push(commit);
        ControlFlow::Continue(())
    });
    assert_eq!(program, Some(walked));
    [first, second]
}

#[test]
fn the_program_and_the_library_tell_the_same() {
    let Some(mut lab) = GitLab::new() else { return };
    hard_to_read(&mut lab);
    let [program, library] = both(&lab, None);
    assert_eq!(program, library);
    assert_eq!(program.len(), 11);
    let side = lab.git(&["rev-parse", "side"]);
    let [program, library] = both(&lab, Oid::from_str(&side).ok());
    assert_eq!(program, library);
    assert_eq!(program.len(), 6);
}

#[test]
fn a_commit_is_told_with_its_message_and_files() {
    let Some(mut lab) = GitLab::new() else { return };
    hard_to_read(&mut lab);
    let commits = all(&lab.main(), None, 100);
    let files = |subject: &str| -> Vec<(String, FileStatus)> {
        let commit = commits.iter().find(|commit| commit.subject == subject).unwrap();
        commit.files.iter().map(|file| (file.path.clone(), file.status)).collect()
    };
    let begin = commits.last().unwrap();
    assert_eq!((begin.subject.as_str(), begin.body.as_str()), ("Begin in two lines", "With a body.\n\nAnd more."));
    assert_eq!((begin.parents, begin.time), (0, GitLab::START + 60));
    assert_eq!((begin.author_name.as_str(), begin.author_email.as_str()), ("Ada", "ada@example.org"));
    assert_eq!(begin.files.len(), 3);
    assert_eq!(commits[0].subject, "café au lait");
    assert_eq!(files("Nothing changed"), []);
    assert_eq!(files("Merge side"), []);
    assert_eq!(files("a file becomes a link"), [("dir/b.txt".to_owned(), FileStatus::Modified)]);
    assert_eq!(
        files("Rename"),
        [("a.txt".to_owned(), FileStatus::Deleted), ("renamed.txt".to_owned(), FileStatus::Added)]
    );
    let odd = files("Größe: naïve — ünïcode");
    assert_eq!(odd[0].0, "caf\u{fffd} \t\".txt");
    assert_eq!(odd[1].0, "line\nbreak");
    assert!(commits.iter().any(|commit| commit.subject.is_empty()));
}

#[test]
fn what_somebody_configured_does_not_change_the_answer() {
    let Some(mut lab) = GitLab::new() else { return };
    hard_to_read(&mut lab);
    let before = both(&lab, None);
    std::fs::write(lab.main().join(".git/order"), "z*\n").unwrap();
    for (name, value) in [
        ("log.showSignature", "true"),
        ("log.showRoot", "false"),
        ("log.decorate", "full"),
        ("log.date", "relative"),
        ("log.diffMerges", "first-parent"),
        ("log.abbrevCommit", "true"),
        ("format.pretty", "oneline"),
        ("diff.renames", "copies"),
        ("diff.orderFile", ".git/order"),
        ("diff.external", "false"),
        ("diff.ignoreSubmodules", "all"),
        ("color.ui", "always"),
        ("core.quotePath", "true"),
        ("core.pager", "false"),
        ("i18n.logOutputEncoding", "ISO-8859-1"),
    ] {
        lab.git(&["config", name, value]);
    }
    assert_eq!(both(&lab, None), before);
}

#[test]
fn mining_goes_from_a_commit_up_to_a_number_and_stops_when_told() {
    let Some(mut lab) = GitLab::new() else { return };
    assert_eq!(all(&lab.main(), None, 9), [], "there is nothing yet");
    let ids: Vec<String> = (0..6).map(|number| lab.commit(&format!("c{number}"), &[])).collect();
    let subjects = |commits: Vec<Commit>| commits.into_iter().map(|commit| commit.subject).collect::<Vec<_>>();
    assert_eq!(subjects(all(&lab.main(), None, 2)), ["c5", "c4"]);
    assert_eq!(subjects(all(&lab.main(), Some(&ids[3]), 9)), ["c5", "c4"]);
    assert_eq!(all(&lab.main(), Some(&ids[5]), 9), []);
    assert_eq!(all(&lab.main(), Some(&"0".repeat(40)), 9).len(), 6, "a commit that is gone hides nothing");
    assert_eq!(all(&lab.main(), Some("--all"), 9).len(), 6, "an option is no commit");
    let mut seen = 0;
    let mined = mine(&lab.main(), None, 9, &mut |_| {
        seen += 1;
        if seen == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!((seen, mined), (3, Some(Mined { commits: 3, broken: false })));
    assert_eq!(mine(&lab.root, None, 9, &mut |_| ControlFlow::Continue(())), None);
}

#[test]
fn linked_and_bare_repositories_are_mined_too() {
    let Some(mut lab) = GitLab::new() else { return };
    lab.commit("first", &[("a", "1")]);
    lab.git(&["worktree", "add", "-q", "-b", "side", "../side"]);
    lab.commit("second", &[("b", "1")]);
    git(&lab.root, &["clone", "-q", "--bare", "main", "bare.git"]).unwrap();
    assert_eq!(all(&lab.root.join("side"), None, 9).len(), 1);
    assert_eq!(all(&lab.root.join("bare.git"), None, 9).len(), 2);
}

#[test]
fn fresh_commits_are_those_the_old_head_did_not_reach() {
    let Some(mut lab) = GitLab::new() else { return };
    let first = lab.commit("first", &[("a", "1")]);
    let second = lab.commit("second", &[("b", "1")]);
    let third = lab.commit("third", &[("c", "1")]);
    let at = lab.main();
    let subjects = |fresh: &Fresh| fresh.commits.iter().map(|commit| commit.subject.clone()).collect::<Vec<_>>();
    let news = fresh(&at, &first, &third, 9).unwrap();
    assert_eq!((subjects(&news), news.rewritten, news.cut), (vec!["third".into(), "second".into()], false, false));
    assert_eq!(news.commits[0].files[0].path, "c");
    assert!(fresh(&at, &first, &third, 1).unwrap().cut);
    assert_eq!(fresh(&at, &third, &third, 9), Some(Fresh::default()));
    let back = fresh(&at, &third, &first, 9).unwrap();
    assert_eq!((back.commits.len(), back.rewritten), (0, true));
    lab.dated(&["commit", "-q", "--amend", "-m", "third, better"]);
    let amended = lab.git(&["rev-parse", "HEAD"]);
    let news = fresh(&at, &third, &amended, 9).unwrap();
    assert_eq!((subjects(&news), news.rewritten), (vec!["third, better".into()], true));
    let gone = fresh(&at, &"1".repeat(40), &second, 9).unwrap();
    assert_eq!((gone.commits.len(), gone.rewritten), (2, true));
    assert_eq!(fresh(&at, &first, "HEAD", 9), None, "only full ids name commits");
    assert_eq!(fresh(&lab.root, &first, &third, 9), None);
}

#[test]
fn many_fresh_commits_are_all_told() {
    let Some(mut lab) = GitLab::new() else { return };
    let first = lab.commit("first", &[]);
    let repository = Repository::open(lab.main()).unwrap();
    let mut last = repository.head().unwrap().peel_to_commit().unwrap();
    for number in 0..FEW + 6 {
        let (author, tree) = (last.author().to_owned(), last.tree().unwrap());
        let id = repository.commit(Some("HEAD"), &author, &author, &number.to_string(), &tree, &[&last]).unwrap();
        last = repository.find_commit(id).unwrap();
    }
    let last = last.id().to_string();
    assert_eq!(all(&lab.main(), None, 1_000).len(), FEW + 7);
    let news = fresh(&lab.main(), &first, &last, 1_000).unwrap();
    assert_eq!((news.commits.len(), news.cut), (FEW + 6, false));
    let news = fresh(&lab.main(), &first, &last, FEW + 2).unwrap();
    assert_eq!((news.commits.len(), news.cut), (FEW + 2, true));
}

#[test]
fn no_process_is_left_behind_when_mining_stops_early() {
    let Some(mut lab) = GitLab::new() else { return };
    for number in 0..40 {
        lab.commit(&format!("{number}\n\n{}", "word ".repeat(2_000)), &[]);
    }
    let repository = Repository::open(lab.main()).unwrap();
    let head = repository.head().unwrap().peel_to_commit().unwrap().id();
    for _ in 0..5 {
        let mined = read(&repository, head, None, 40, &mut |_| ControlFlow::Break(()));
        assert_eq!(mined, Mined { commits: 1, broken: false });
    }
    let folder = lab.main().join(".git").to_string_lossy().into_owned();
    let Ok(processes) = std::fs::read_dir("/proc") else { return };
    for process in processes.flatten() {
        let command = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command).into_owned();
        assert!(!command.contains(&folder), "{command} still runs");
    }
}
