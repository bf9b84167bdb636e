//! What a path belongs to.

use lokid_testing::git::git;

use super::*;

/// A directory with a repository `main` of two commits, and its canonical path.
fn lab() -> Option<(tempfile::TempDir, PathBuf)> {
    let lab = tempfile::tempdir().unwrap();
    let root = lab.path().canonicalize().unwrap();
    git(&root, &["init", "-q", "main"])?;
    for message in ["first", "second"] {
        git(&root.join("main"), &["commit", "-q", "--allow-empty", "-m", message])?;
    }
    Some((lab, root))
}

#[test]
fn a_path_deep_inside_finds_its_checkout() {
    let Some((_lab, root)) = lab() else { return };
    let main = root.join("main");
    std::fs::create_dir_all(main.join("src/deep")).unwrap();
    std::fs::write(main.join("src/deep/file.rs"), "").unwrap();
    let expected = Checkout {
        worktree: main.clone(),
        common_dir: main.join(".git"),
        main_worktree: Some(main.clone()),
        linked: false,
    };
    for inside in ["", "src/deep", "src/deep/file.rs", "src/gone/file.rs"] {
        assert_eq!(discover(&main.join(inside)).as_ref(), Some(&expected), "{inside}");
    }
}

#[test]
fn a_linked_worktree_is_found_with_its_main_worktree() {
    let Some((_lab, root)) = lab() else { return };
    git(&root.join("main"), &["worktree", "add", "-q", "../side"]).unwrap();
    let checkout = discover(&root.join("side")).unwrap();
    assert_eq!(checkout.worktree, root.join("side"));
    assert_eq!(checkout.common_dir, root.join("main/.git"));
    assert_eq!(checkout.main_worktree, Some(root.join("main")));
    assert!(checkout.linked);
}

#[test]
fn a_worktree_of_a_bare_repository_has_no_main_worktree() {
    let Some((_lab, root)) = lab() else { return };
    git(&root, &["clone", "-q", "--bare", "main", "bare.git"]).unwrap();
    git(&root.join("bare.git"), &["worktree", "add", "-q", "../side"]).unwrap();
    let checkout = discover(&root.join("side")).unwrap();
    assert_eq!(checkout.main_worktree, None);
    assert_eq!(checkout.common_dir, root.join("bare.git"));
    assert_eq!(discover(&root.join("bare.git")), None, "a bare repository is no checkout");
}

#[test]
fn a_submodule_is_its_own_repository() {
    let Some((_lab, root)) = lab() else { return };
    git(&root, &["init", "-q", "outer"]).unwrap();
    git(&root.join("outer"), &["submodule", "--quiet", "add", "../main", "inner"]).unwrap();
    let checkout = discover(&root.join("outer/inner")).unwrap();
    assert_eq!(checkout.worktree, root.join("outer/inner"));
    assert_eq!(checkout.main_worktree, Some(root.join("outer/inner")));
    assert!(!checkout.linked);
}

#[test]
fn the_root_commit_is_the_first_one_and_shallow_clones_do_not_know_it() {
    let Some((_lab, root)) = lab() else { return };
    let first = git(&root.join("main"), &["rev-list", "--max-parents=0", "HEAD"]).unwrap();
    assert_eq!(root_commit(&root.join("main/.git")), Some(first));
    let url = format!("file://{}", root.join("main").display());
    git(&root, &["clone", "-q", "--depth=1", &url, "shallow"]).unwrap();
    assert_eq!(root_commit(&root.join("shallow/.git")), None);
}

#[test]
fn a_repository_without_commits_has_no_root_commit() {
    let Some((_lab, root)) = lab() else { return };
    git(&root, &["init", "-q", "empty"]).unwrap();
    assert!(discover(&root.join("empty")).is_some());
    assert_eq!(root_commit(&root.join("empty/.git")), None);
}

#[test]
fn a_plain_or_foreign_or_damaged_directory_is_no_checkout() {
    let lab = tempfile::tempdir().unwrap();
    assert_eq!(discover(lab.path()), None);
    assert_eq!(root_commit(lab.path()), None);
    std::fs::write(lab.path().join(".git"), "gitdir: /nowhere").unwrap();
    assert_eq!(discover(lab.path()), None);
    let Some((_keep, root)) = self::lab() else { return };
    for path in ["main", "main/.git"] {
        if std::os::unix::fs::chown(root.join(path), Some(12_345), None).is_err() {
            eprintln!("skipped: changing the owner needs root");
            return;
        }
    }
    // Whether libgit2 accepts a stranger's repository depends on the user; it must only never panic.
    let _ = discover(&root.join("main"));
}
