//! Real repositories for tests, made by the library the daemon itself uses: the tests need no program but cargo.

use std::path::Path;

use git2::{Repository, Signature};

/// A repository with nothing in it yet.
pub(crate) fn empty(path: &Path) -> Repository {
    std::fs::create_dir_all(path).expect("a folder for the repository");
    Repository::init(path).expect("a repository")
}

/// A repository with one commit, whose message makes its beginnings its own.
pub(crate) fn new(path: &Path, message: &str) -> Repository {
    let repository = empty(path);
    commit(&repository, message);
    repository
}

fn commit(repository: &Repository, message: &str) {
    let somebody = Signature::now("Ada", "ada@example.org").expect("a signature");
    let tree = repository.index().expect("an index").write_tree().expect("an empty tree");
    let tree = repository.find_tree(tree).expect("the tree just written");
    repository.commit(Some("HEAD"), &somebody, &somebody, message, &tree, &[]).expect("a commit");
}

/// Everything that stands in the working tree, in a commit on top of the last.
pub(crate) fn commit_all(path: &Path) {
    commit_all_as(path, "more", "Ada");
}

/// The same, with other words, by somebody else.
pub(crate) fn commit_all_as(path: &Path, message: &str, author: &str) {
    commit_all_later(path, message, author, 0);
}

/// The same, so many seconds from now.
pub(crate) fn commit_all_later(path: &Path, message: &str, author: &str, seconds: i64) {
    let repository = Repository::open(path).expect("a repository");
    let mut index = repository.index().expect("an index");
    index.add_all(["*"], git2::IndexAddOption::DEFAULT, None).expect("files to add");
    index.write().expect("the index on disk");
    let tree = index.write_tree().expect("a tree");
    let tree = repository.find_tree(tree).expect("the tree just written");
    let parent = repository.head().and_then(|head| head.peel_to_commit()).expect("a commit before");
    let now = Signature::now(author, "ada@example.org").expect("a signature").when();
    let when = git2::Time::new(now.seconds() + seconds, now.offset_minutes());
    let somebody = Signature::new(author, "ada@example.org", &when).expect("a signature");
    repository.commit(Some("HEAD"), &somebody, &somebody, message, &tree, &[&parent]).expect("a commit");
}

pub(crate) fn add_worktree(of: &Path, name: &str, path: &Path) {
    let repository = Repository::open(of).expect("a repository");
    repository.worktree(name, path, None).expect("a worktree");
}

pub(crate) fn clone(from: &Path, to: &Path) {
    Repository::clone(from.to_str().expect("a plain path"), to).expect("a clone");
}
