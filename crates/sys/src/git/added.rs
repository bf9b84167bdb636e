//! The lines that one commit added, by file.

use std::collections::BTreeMap;
use std::path::Path;

use git2::{DiffOptions, Repository};

/// Of one commit; what it added beyond is not told.
const MOST_LINES: usize = 4_000;

/// Against its first parent. `None` where there is no such commit, or more of that name.
pub fn lines(worktree: &Path, id: &str) -> Option<Vec<(String, Vec<String>)>> {
    let repository = Repository::open(worktree).ok()?;
    let commit = repository.find_commit_by_prefix(id).ok()?;
    let before = commit.parent(0).ok().and_then(|parent| parent.tree().ok());
    let mut options = DiffOptions::new();
    options.context_lines(0).ignore_submodules(true);
    let diff = repository.diff_tree_to_tree(before.as_ref(), commit.tree().ok().as_ref(), Some(&mut options)).ok()?;
    let mut added: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut told = 0;
    // A diff that is cut short ends with an error, and what came before is good.
    let _ = diff.foreach(
        &mut |_, _| true,
        None,
        None,
        Some(&mut |file, _, line| {
            if line.origin() == '+' {
                told += 1;
                let path = file.new_file().path_bytes().map(|path| String::from_utf8_lossy(path).into_owned());
                let text = String::from_utf8_lossy(line.content()).trim_end().to_owned();
                added.entry(path.unwrap_or_default()).or_default().push(text);
            }
            told < MOST_LINES
        }),
    );
    Some(added.into_iter().collect())
}
