//! Where a working tree stands: its branch, its commit, and whether git is in the middle of something there.
//!
//! It opens the repository anew for every question, so that an answer is never older than the question.

use std::path::{Path, PathBuf};

use git2::{Repository, RepositoryState};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadState {
    /// The short name; `None` when `HEAD` is detached. A branch without commits has a name too.
    pub branch: Option<String>,
    /// `None` on a branch without commits.
    pub commit: Option<String>,
    /// While it lasts, what `HEAD` says passes: a rebase walks over commits nobody chose to stand on.
    pub in_progress: Option<InProgress>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InProgress {
    Rebase,
    Merge,
    CherryPick,
    Bisect,
    Revert,
    /// `git am`.
    Apply,
}

impl InProgress {
    /// Does `HEAD` pass over commits meanwhile that nobody chose to stand on?
    pub fn moves_head(self) -> bool {
        matches!(self, InProgress::Rebase | InProgress::Bisect | InProgress::Apply)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            InProgress::Rebase => "rebase",
            InProgress::Merge => "merge",
            InProgress::CherryPick => "cherry-pick",
            InProgress::Bisect => "bisect",
            InProgress::Revert => "revert",
            InProgress::Apply => "apply",
        }
    }
}

/// Of the repository at exactly this path: a working tree, linked or not, or a bare repository.
pub fn state(worktree: &Path) -> Option<HeadState> {
    let repository = Repository::open(worktree).ok()?;
    let branch = branch_of(&repository);
    let commit =
        repository.head().ok().and_then(|head| head.peel_to_commit().ok()).map(|commit| commit.id().to_string());
    Some(HeadState { branch, commit, in_progress: in_progress(&repository) })
}

/// The directory with the `HEAD` of this working tree, canonical: `.git`, or `.git/worktrees/<name>` of a linked one.
pub fn git_dir(worktree: &Path) -> Option<PathBuf> {
    Repository::open(worktree).ok()?.path().canonicalize().ok()
}

/// The directory with the branches and objects that all working trees of the repository share, canonical.
pub fn common_dir(worktree: &Path) -> Option<PathBuf> {
    Repository::open(worktree).ok()?.commondir().canonicalize().ok()
}

/// What `HEAD` points to is asked, not what it resolves to: an unborn branch resolves to nothing.
pub(super) fn branch_of(repository: &Repository) -> Option<String> {
    let head = repository.find_reference("HEAD").ok()?;
    let target = String::from_utf8_lossy(head.symbolic_target_bytes()?).into_owned();
    Some(target.strip_prefix("refs/heads/").unwrap_or(&target).to_owned())
}

fn in_progress(repository: &Repository) -> Option<InProgress> {
    match repository.state() {
        RepositoryState::Clean => None,
        RepositoryState::Merge => Some(InProgress::Merge),
        RepositoryState::Revert | RepositoryState::RevertSequence => Some(InProgress::Revert),
        RepositoryState::CherryPick | RepositoryState::CherryPickSequence => Some(InProgress::CherryPick),
        RepositoryState::Bisect => Some(InProgress::Bisect),
        RepositoryState::Rebase | RepositoryState::RebaseInteractive | RepositoryState::RebaseMerge => {
            Some(InProgress::Rebase)
        }
        RepositoryState::ApplyMailbox | RepositoryState::ApplyMailboxOrRebase => Some(InProgress::Apply),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_testing::git::{GitLab, git};

    fn stands(branch: Option<&str>, commit: &str) -> HeadState {
        HeadState { branch: branch.map(str::to_owned), commit: Some(commit.to_owned()), in_progress: None }
    }

    #[test]
    fn a_branch_is_named_before_its_first_commit_and_not_when_detached() {
        let Some(mut lab) = GitLab::new() else { return };
        let unborn = HeadState { branch: Some("main".into()), commit: None, in_progress: None };
        assert_eq!(state(&lab.main()), Some(unborn));
        let first = lab.commit("first", &[]);
        assert_eq!(state(&lab.main()), Some(stands(Some("main"), &first)));
        lab.git(&["checkout", "-q", "-b", "feature/deep"]);
        assert_eq!(state(&lab.main()), Some(stands(Some("feature/deep"), &first)));
        lab.git(&["checkout", "-q", "--detach"]);
        assert_eq!(state(&lab.main()), Some(stands(None, &first)));
    }

    #[test]
    fn a_linked_worktree_has_its_own_head_and_a_bare_repository_has_one_too() {
        let Some(mut lab) = GitLab::new() else { return };
        let first = lab.commit("first", &[]);
        lab.git(&["worktree", "add", "-q", "-b", "side", "../side"]);
        let second = lab.commit("second", &[]);
        let side = lab.root.join("side");
        assert_eq!(state(&side), Some(stands(Some("side"), &first)));
        assert_eq!(state(&lab.main()), Some(stands(Some("main"), &second)));
        assert_eq!(git_dir(&side), Some(lab.main().join(".git/worktrees/side")));
        assert_eq!(common_dir(&side), Some(lab.main().join(".git")));
        git(&lab.root, &["clone", "-q", "--bare", "main", "bare.git"]).unwrap();
        let bare = lab.root.join("bare.git");
        assert_eq!(state(&bare), Some(stands(Some("main"), &second)));
        assert_eq!(git_dir(&bare), Some(bare.clone()));
    }

    #[test]
    fn what_git_is_in_the_middle_of_is_told_until_it_is_over() {
        let Some(mut lab) = GitLab::new() else { return };
        lab.commit("first", &[("a", "1")]);
        lab.git(&["checkout", "-q", "-b", "other"]);
        lab.commit("theirs", &[("a", "2")]);
        lab.git(&["checkout", "-q", "main"]);
        lab.commit("ours", &[("a", "3")]);
        lab.commit("later", &[("a", "4")]);
        let now = |expect: Option<InProgress>| {
            assert_eq!(state(&lab.main()).unwrap().in_progress, expect);
        };
        let try_git = |arguments: &[&str]| {
            let quiet = std::process::Command::new("git").args(arguments).current_dir(lab.main()).output().unwrap();
            assert!(!quiet.status.success(), "{arguments:?} was to stop in a conflict");
        };
        now(None);
        let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
        for (start, end, expect) in [
            (["merge", "other"], ["merge", "--abort"], InProgress::Merge),
            (["rebase", "other"], ["rebase", "--abort"], InProgress::Rebase),
            (["cherry-pick", "other"], ["cherry-pick", "--abort"], InProgress::CherryPick),
            (["revert", "HEAD~1"], ["revert", "--abort"], InProgress::Revert),
        ] {
            try_git(&[&identity[..], &start[..]].concat());
            now(Some(expect));
            lab.git(&end);
            now(None);
        }
        lab.git(&["bisect", "start"]);
        now(Some(InProgress::Bisect));
        lab.git(&["bisect", "reset"]);
        now(None);
    }

    #[test]
    fn a_plain_directory_stands_nowhere() {
        let plain = tempfile::tempdir().unwrap();
        assert_eq!(state(plain.path()), None);
        assert_eq!(git_dir(plain.path()), None);
        assert_eq!(common_dir(plain.path()), None);
    }
}
