//! What git knows about a path: its working tree, the repository that tree shares, and that repository's first commit.
//!
//! It reads and never writes. A repository that libgit2 will not open (owned by someone else, damaged) counts as no
//! repository: the path is then a plain directory.

use std::path::{Path, PathBuf};

use git2::Repository;

/// All paths are canonical.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    pub worktree: PathBuf,
    /// The `.git` directory that all working trees of the repository share.
    pub common_dir: PathBuf,
    /// `None` when the repository is bare.
    pub main_worktree: Option<PathBuf>,
    /// Whether `worktree` was made by `git worktree add`.
    pub linked: bool,
}

/// The checkout that `path` lies in. The path may be a file, and may be gone: its nearest living parent counts.
pub fn discover(path: &Path) -> Option<Checkout> {
    let start = path.ancestors().find(|ancestor| ancestor.is_dir())?.canonicalize().ok()?;
    let repository = Repository::discover(&start).ok()?;
    let worktree = repository.workdir()?.canonicalize().ok()?;
    let common_dir = repository.commondir().canonicalize().ok()?;
    let linked = repository.is_worktree();
    let main_worktree = if linked { main_worktree(&common_dir) } else { Some(worktree.clone()) };
    Some(Checkout { worktree, common_dir, main_worktree, linked })
}

fn main_worktree(common_dir: &Path) -> Option<PathBuf> {
    Repository::open(common_dir).ok()?.workdir()?.canonicalize().ok()
}

/// The first commit of the history: first parents from `HEAD` down. Clones of one project share it.
///
/// `None` without commits, and in a shallow clone, whose oldest commit is not the first.
pub fn root_commit(common_dir: &Path) -> Option<String> {
    let repository = Repository::open(common_dir).ok()?;
    if repository.is_shallow() {
        return None;
    }
    let mut commit = repository.head().ok()?.peel_to_commit().ok()?;
    while commit.parent_count() > 0 {
        commit = commit.parent(0).ok()?;
    }
    Some(commit.id().to_string())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Runs the `git` program away from the user's configuration; `None` when there is none.
    fn git(dir: &Path, arguments: &[&str]) -> Option<String> {
        let output = Command::new("git")
            .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always"])
            .args(["-c", "init.defaultBranch=main"])
            .args(arguments)
            .current_dir(dir)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env_remove("GIT_DIR")
            .env_remove("GIT_WORK_TREE")
            .output();
        let Ok(output) = output else {
            eprintln!("skipped: there is no git program");
            return None;
        };
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        Some(String::from_utf8(output.stdout).unwrap().trim().to_owned())
    }

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
}
