//! Which files a commit moved, as far as their names tell.

use std::collections::{BTreeSet, HashMap};

use lokid_model::{Commit, FileStatus};

/// So many names at the end of a path are compared at first.
const DEEPEST: usize = 4;

/// Old and new path of what moved. A file that vanished beside one that appeared with the same names at its end has
/// moved, if there is only one of each; the more names agree, the surer, so those are paired first.
pub(super) fn of(commit: &Commit) -> Vec<(&str, &str)> {
    from(commit, FileStatus::Deleted)
}

/// The same for a history that tells of no deletion: what vanished is there as changed.
pub(super) fn perhaps_of(commit: &Commit) -> Vec<(&str, &str)> {
    from(commit, FileStatus::Modified)
}

fn from(commit: &Commit, vanished: FileStatus) -> Vec<(&str, &str)> {
    let with = |status| {
        let changes = commit.files.iter().filter(move |change| change.status == status);
        changes.map(|change| change.path.as_str()).collect::<BTreeSet<&str>>()
    };
    let (mut vanished, mut appeared) = (with(vanished), with(FileStatus::Added));
    let mut moves = Vec::new();
    for names in (1..=DEEPEST).rev() {
        if vanished.is_empty() || appeared.is_empty() {
            break;
        }
        let ends = by_end(&appeared, names);
        for (end, old) in by_end(&vanished, names) {
            if let (Some(old), Some(Some(new))) = (old, ends.get(end)) {
                vanished.remove(old);
                appeared.remove(new);
                moves.push((old, *new));
            }
        }
    }
    moves.sort_unstable();
    moves
}

/// The path with this end, or nothing where several have it.
fn by_end<'a>(paths: &BTreeSet<&'a str>, names: usize) -> HashMap<&'a str, Option<&'a str>> {
    let mut found = HashMap::new();
    for path in paths {
        if let Some(end) = end_of(path, names) {
            found.entry(end).and_modify(|only| *only = None).or_insert(Some(*path));
        }
    }
    found
}

fn end_of(path: &str, names: usize) -> Option<&str> {
    let mut slashes = path.rmatch_indices('/').map(|(at, _)| at + 1);
    match slashes.nth(names - 1) {
        Some(start) => Some(&path[start..]),
        None => (path.split('/').count() == names).then_some(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::FileChange;

    fn check(vanished: &[&str], appeared: &[&str], expect: &[(&str, &str)]) {
        let change = |status| move |path: &&str| FileChange { path: (*path).to_owned(), status };
        let mut files: Vec<FileChange> = vanished.iter().map(change(FileStatus::Deleted)).collect();
        files.extend(appeared.iter().map(change(FileStatus::Added)));
        assert_eq!(of(&Commit { files, ..Commit::default() }), expect);
    }

    #[test]
    fn files_move_with_their_names() {
        check(&["old/a.rs"], &["new/a.rs"], &[("old/a.rs", "new/a.rs")]);
        check(&["a.rs"], &["deep/er/a.rs"], &[("a.rs", "deep/er/a.rs")]);
        check(&["a.rs"], &["b.rs"], &[]);
        check(&[], &["b.rs"], &[]);
    }

    #[test]
    fn of_many_files_with_one_name_the_folders_tell_which_is_which() {
        let expect = [("src/x/one/mod.rs", "src/one/mod.rs"), ("src/x/two/mod.rs", "src/two/mod.rs")];
        check(&["src/x/one/mod.rs", "src/x/two/mod.rs"], &["src/one/mod.rs", "src/two/mod.rs"], &expect);
        check(&["x/mod.rs", "y/mod.rs"], &["z/mod.rs"], &[]);
    }
}
