//! What a branch is about: the commits and files it has that the branch it will return to has not.
//!
//! Committed work only; what lies uncommitted in the working tree is not asked for.

use std::path::Path;

use git2::{BranchType, Commit, DiffOptions, Oid, Repository};

use super::head::branch_of;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchWork {
    /// `None` when `HEAD` is detached.
    pub branch: Option<String>,
    /// The commit where it left `against`. `None` when there is nothing to compare with; `commits` are then simply the
    /// newest ones, and `files` is empty.
    pub base: Option<String>,
    /// The branch it was compared with: `origin/main`.
    pub against: Option<String>,
    /// Newest first.
    pub commits: Vec<CommitHead>,
    /// Changed since the base, in order.
    pub files: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitHead {
    pub id: String,
    pub summary: String,
    pub author: String,
    /// Seconds since 1970.
    pub time: i64,
}

/// Where work usually returns to, likeliest first.
const TRUNKS: [&str; 4] = ["main", "master", "trunk", "develop"];

/// At most `most` commits and `most` files. `None` without a repository or a commit.
pub fn about(worktree: &Path, most: usize) -> Option<BranchWork> {
    let repository = Repository::open(worktree).ok()?;
    let head = repository.head().ok()?.peel_to_commit().ok()?;
    let branch = branch_of(&repository);
    work(&repository, &head, branch, most)
}

/// The same for a branch that need not be checked out; one that only the remote has counts, too.
pub fn about_branch(worktree: &Path, name: &str, most: usize) -> Option<BranchWork> {
    let repository = Repository::open(worktree).ok()?;
    let places = [format!("refs/heads/{name}"), format!("refs/remotes/origin/{name}")];
    let head = places.iter().find_map(|place| repository.find_reference(place).ok()?.peel_to_commit().ok())?;
    work(&repository, &head, Some(name.to_owned()), most)
}

fn work(repository: &Repository, head: &Commit<'_>, branch: Option<String>, most: usize) -> Option<BranchWork> {
    let found = candidates(repository, branch.as_deref()).into_iter().find_map(|name| {
        let tip = repository.revparse_single(&name).ok()?.peel_to_commit().ok()?.id();
        Some((name, tip, repository.merge_base(head.id(), tip).ok()?))
    });
    let commits = commits(repository, head.id(), found.as_ref().map(|(_, tip, _)| *tip), most).unwrap_or_default();
    let files = found.as_ref().and_then(|(_, _, base)| files(repository, *base, head, most)).unwrap_or_default();
    let base = found.as_ref().map(|(_, _, base)| base.to_string());
    let against = found.map(|(name, _, _)| short(&name).to_owned());
    Some(BranchWork { branch, base, against, commits, files })
}

/// Full names of what the branch may be compared with. A trunk is compared with its own published state alone: what it
/// has that another trunk has not is no piece of work.
fn candidates(repository: &Repository, branch: Option<&str>) -> Vec<String> {
    let published = repository.find_reference("refs/remotes/origin/HEAD").ok();
    let published = published.and_then(|head| head.symbolic_target().ok().flatten().map(str::to_owned));
    let is_trunk = branch.is_some_and(|name| {
        TRUNKS.contains(&name) || published.as_deref().is_some_and(|full| short(full) == format!("origin/{name}"))
    });
    let mut names = Vec::new();
    if is_trunk {
        names.extend(branch.map(|name| format!("refs/remotes/origin/{name}")));
    } else {
        names.extend(published);
        for trunk in TRUNKS {
            names.push(format!("refs/remotes/origin/{trunk}"));
            names.push(format!("refs/heads/{trunk}"));
        }
    }
    names.extend(branch.and_then(|name| upstream(repository, name)));
    names
}

fn upstream(repository: &Repository, branch: &str) -> Option<String> {
    let upstream = repository.find_branch(branch, BranchType::Local).ok()?.upstream().ok()?;
    upstream.get().name().ok().map(str::to_owned)
}

fn short(full: &str) -> &str {
    full.strip_prefix("refs/remotes/").or_else(|| full.strip_prefix("refs/heads/")).unwrap_or(full)
}

fn commits(repository: &Repository, head: Oid, hide: Option<Oid>, most: usize) -> Result<Vec<CommitHead>, git2::Error> {
    let mut walk = repository.revwalk()?;
    walk.push(head)?;
    if let Some(hide) = hide {
        walk.hide(hide)?;
    }
    walk.take(most).map(|id| repository.find_commit(id?).map(|commit| told(&commit))).collect()
}

fn told(commit: &Commit<'_>) -> CommitHead {
    CommitHead {
        id: commit.id().to_string(),
        summary: String::from_utf8_lossy(commit.summary_bytes().unwrap_or_default()).into_owned(),
        author: String::from_utf8_lossy(commit.author().name_bytes()).into_owned(),
        time: commit.time().seconds(),
    }
}

fn files(repository: &Repository, base: Oid, head: &Commit<'_>, most: usize) -> Option<Vec<String>> {
    let before = repository.find_commit(base).ok()?.tree().ok()?;
    let mut options = DiffOptions::new();
    options.skip_binary_check(true);
    let diff = repository.diff_tree_to_tree(Some(&before), Some(&head.tree().ok()?), Some(&mut options)).ok()?;
    let path = |delta: git2::DiffDelta<'_>| {
        let bytes = delta.new_file().path_bytes().or_else(|| delta.old_file().path_bytes())?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    };
    Some(diff.deltas().filter_map(path).take(most).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_testing::git::{GitLab, git};

    fn summaries(work: &BranchWork) -> Vec<&str> {
        work.commits.iter().map(|commit| commit.summary.as_str()).collect()
    }

    #[test]
    fn a_branch_is_about_what_it_did_since_it_left_the_trunk() {
        let Some(mut lab) = GitLab::new() else { return };
        let base = lab.commit("base", &[("a", "1"), ("gone", "1")]);
        lab.git(&["checkout", "-q", "-b", "login"]);
        lab.commit("Add login", &[("src/login.rs", "1")]);
        lab.git(&["rm", "-q", "gone"]);
        lab.commit("Drop the old one", &[]);
        lab.git(&["checkout", "-q", "main"]);
        lab.commit("elsewhere", &[("b", "1")]);
        lab.git(&["checkout", "-q", "login"]);
        let work = about(&lab.main(), 10).unwrap();
        assert_eq!(work.branch.as_deref(), Some("login"));
        assert_eq!(work.against.as_deref(), Some("main"));
        assert_eq!(work.base, Some(base));
        assert_eq!(summaries(&work), ["Drop the old one", "Add login"]);
        assert_eq!(work.files, ["gone", "src/login.rs"]);
        assert_eq!(work.commits[0].author, "Ada");
        assert_eq!(about(&lab.main(), 1).map(|work| (work.commits.len(), work.files.len())), Some((1, 1)));
    }

    #[test]
    fn a_merge_from_the_trunk_does_not_make_its_commits_our_work() {
        let Some(mut lab) = GitLab::new() else { return };
        lab.commit("base", &[("a", "1")]);
        lab.git(&["checkout", "-q", "-b", "login"]);
        lab.commit("ours", &[("ours", "1")]);
        lab.git(&["checkout", "-q", "main"]);
        lab.commit("theirs", &[("theirs", "1")]);
        lab.git(&["checkout", "-q", "login"]);
        lab.dated(&["merge", "-q", "--no-edit", "main"]);
        let work = about(&lab.main(), 10).unwrap();
        assert_eq!(summaries(&work), ["Merge branch 'main' into login", "ours"]);
        assert_eq!(work.files, ["ours"]);
    }

    #[test]
    fn the_published_default_branch_comes_first_and_a_trunk_counts_what_it_has_not_published() {
        let Some(mut lab) = GitLab::new() else { return };
        lab.git(&["checkout", "-q", "-b", "stable"]);
        lab.commit("base", &[("a", "1")]);
        git(&lab.root, &["clone", "-q", "main", "clone"]).unwrap();
        let clone = lab.root.join("clone");
        git(&clone, &["commit", "-q", "--allow-empty", "-m", "not yet published"]).unwrap();
        let work = about(&clone, 10).unwrap();
        assert_eq!(work.against.as_deref(), Some("origin/stable"));
        assert_eq!(summaries(&work), ["not yet published"]);
        git(&clone, &["checkout", "-q", "-b", "fix"]).unwrap();
        assert_eq!(about(&clone, 10).unwrap().against.as_deref(), Some("origin/stable"));
    }

    #[test]
    fn with_nothing_to_compare_the_newest_commits_are_told() {
        let Some(mut lab) = GitLab::new() else { return };
        assert_eq!(about(&lab.main(), 10), None, "there is no commit yet");
        lab.commit("first", &[("a", "1")]);
        lab.commit("second", &[]);
        let work = about(&lab.main(), 10).unwrap();
        assert_eq!((work.base.clone(), work.against.clone()), (None, None));
        assert_eq!(summaries(&work), ["second", "first"]);
        assert!(work.files.is_empty());
        lab.git(&["checkout", "-q", "--orphan", "pages"]);
        lab.commit("another beginning", &[]);
        let work = about(&lab.main(), 10).unwrap();
        assert_eq!(work.base, None, "the histories share nothing");
        assert_eq!(summaries(&work), ["another beginning"]);
        assert_eq!(about(&lab.root, 10), None);
    }

    #[test]
    fn a_detached_head_is_compared_too() {
        let Some(mut lab) = GitLab::new() else { return };
        lab.commit("base", &[("a", "1")]);
        lab.git(&["checkout", "-q", "--detach"]);
        lab.commit("loose", &[("b", "1")]);
        let work = about(&lab.main(), 10).unwrap();
        assert_eq!(work.branch, None);
        assert_eq!(summaries(&work), ["loose"]);
    }
}
