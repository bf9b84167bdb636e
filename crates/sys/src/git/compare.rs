//! The files in which two trees differ. Folders that are the same on both sides are not entered, where libgit2's own
//! comparison reads every folder of both.

use std::collections::BTreeMap;

use git2::{ObjectType, Oid, Repository, Tree};

use lokid_model::{FileChange, FileStatus};

/// What stands under one name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TreeEntry {
    Folder(Oid),
    /// Also a link or a submodule.
    File(Oid, i32),
}

impl TreeEntry {
    fn folder(self) -> Option<Oid> {
        match self {
            TreeEntry::Folder(id) => Some(id),
            TreeEntry::File(..) => None,
        }
    }
}

/// In the order of their paths, `most` at the most. A rename is a deletion and an addition.
pub(super) fn files(
    repository: &Repository,
    before: Option<&Tree<'_>>,
    after: &Tree<'_>,
    most: usize,
) -> Result<Vec<FileChange>, git2::Error> {
    let mut found: Vec<(Vec<u8>, FileStatus)> = Vec::new();
    let mut waiting = vec![(Vec::new(), before.map(Tree::id), Some(after.id()))];
    while let Some((path, before, after)) = waiting.pop() {
        let mut names: BTreeMap<Vec<u8>, [Option<TreeEntry>; 2]> = BTreeMap::new();
        for (side, tree) in [before, after].into_iter().enumerate() {
            let Some(tree) = tree else { continue };
            for entry in repository.find_tree(tree)?.iter() {
                let what = match entry.kind() {
                    Some(ObjectType::Tree) => TreeEntry::Folder(entry.id()),
                    _ => TreeEntry::File(entry.id(), entry.filemode()),
                };
                names.entry(entry.name_bytes().to_vec()).or_default()[side] = Some(what);
            }
        }
        for (name, sides) in names {
            if sides[0] == sides[1] {
                continue;
            }
            let full = if path.is_empty() { name } else { [&path[..], b"/", &name].concat() };
            let is_file = |entry: Option<TreeEntry>| matches!(entry, Some(TreeEntry::File(..)));
            let status = match sides.map(is_file) {
                [true, true] => Some(FileStatus::Modified),
                [true, false] => Some(FileStatus::Deleted),
                [false, true] => Some(FileStatus::Added),
                [false, false] => None,
            };
            found.extend(status.map(|status| (full.clone(), status)));
            let folders = sides.map(|entry| entry.and_then(TreeEntry::folder));
            if folders.iter().any(Option::is_some) {
                waiting.push((full, folders[0], folders[1]));
            }
        }
    }
    found.sort_by(|one, other| one.0.cmp(&other.0));
    let told = found.into_iter().take(most);
    Ok(told.map(|(path, status)| FileChange { path: String::from_utf8_lossy(&path).into_owned(), status }).collect())
}
