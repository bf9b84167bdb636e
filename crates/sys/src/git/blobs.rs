//! The files of a repository as they stood at a commit: their names, and what was in them. From the objects alone: no
//! working tree is needed or looked at.

use std::ops::Range;
use std::path::Path;

use git2::{DiffOptions, ObjectType, Odb, Oid, Patch, Repository, TreeWalkMode, TreeWalkResult};

/// A repository, opened for reading objects.
pub struct Blobs {
    repository: Repository,
}

/// Names what stood in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobId(Oid);

impl Blobs {
    /// A working tree, or the git directory of one or of none. `None` when there is no repository.
    pub fn open(path: &Path) -> Option<Blobs> {
        Some(Blobs { repository: Repository::open(path).ok()? })
    }

    /// The plain files of a commit, in order. `None` when there is no such commit, or its tree is damaged.
    pub fn files(&self, commit: &str) -> Option<Vec<(String, BlobId)>> {
        let mut files = Vec::new();
        let tree = self.tree(commit)?;
        tree.walk(TreeWalkMode::PreOrder, |folder, entry| {
            if entry.kind() == Some(ObjectType::Blob)
                && is_plain(entry.filemode())
                && let Ok(name) = entry.name()
            {
                files.push((format!("{folder}{name}"), BlobId(entry.id())));
            }
            TreeWalkResult::Ok
        })
        .ok()?;
        files.sort_unstable();
        Some(files)
    }

    /// What one file was at a commit.
    pub fn find(&self, commit: &str, path: &str) -> Option<BlobId> {
        let entry = self.tree(commit)?.get_path(Path::new(path)).ok()?;
        (entry.kind() == Some(ObjectType::Blob) && is_plain(entry.filemode())).then(|| BlobId(entry.id()))
    }

    /// The first parent of a commit.
    pub fn parent(&self, commit: &str) -> Option<String> {
        let id = Oid::from_str(commit).ok().filter(|_| commit.len() == 40)?;
        Some(self.repository.find_commit(id).ok()?.parent_id(0).ok()?.to_string())
    }

    /// Which lines of a file another version of it has not, from 1; where something was only added, the line above it, as an
    /// empty range after it. Nothing of what is no text.
    pub fn changed_lines(&self, before: BlobId, after: BlobId) -> Vec<Range<u32>> {
        let blobs = self.repository.find_blob(before.0).ok().zip(self.repository.find_blob(after.0).ok());
        let Some((before, after)) = blobs else { return Vec::new() };
        let mut options = DiffOptions::new();
        options.context_lines(0);
        let patch = Patch::from_blobs(&before, None, &after, None, Some(&mut options));
        let Ok(patch) = patch else { return Vec::new() };
        let hunk = |at: usize| {
            let (hunk, _) = patch.hunk(at).ok()?;
            let first = hunk.old_start() + u32::from(hunk.old_lines() == 0);
            Some(first..first + hunk.old_lines())
        };
        (0..patch.num_hunks()).filter_map(hunk).collect()
    }

    /// Its text; nothing if it is larger, gone, or no text.
    pub fn text(&self, blob: BlobId, largest: u64) -> Option<String> {
        let objects: Odb<'_> = self.repository.odb().ok()?;
        let (size, _) = objects.read_header(blob.0).ok()?;
        if size as u64 > largest {
            return None;
        }
        let object = objects.read(blob.0).ok()?;
        let bytes = object.data();
        (!bytes.contains(&0)).then(|| String::from_utf8_lossy(bytes).into_owned())
    }

    fn tree(&self, commit: &str) -> Option<git2::Tree<'_>> {
        let id = Oid::from_str(commit).ok().filter(|_| commit.len() == 40)?;
        self.repository.find_commit(id).ok()?.tree().ok()
    }
}

/// No link: what it names is another file's.
fn is_plain(mode: i32) -> bool {
    mode & 0o170_000 == 0o100_000
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_testing::git::GitLab;

    #[test]
    fn the_files_of_a_commit_are_told_as_they_were() {
        let Some(mut lab) = GitLab::new() else { return };
        let first = lab.commit("one", &[("a.txt", "old"), ("b/c.txt", "deep"), ("bin", "\0")]);
        std::os::unix::fs::symlink("a.txt", lab.main().join("link")).unwrap();
        let second = lab.commit("two", &[("a.txt", "new")]);
        for place in [lab.main(), lab.main().join(".git")] {
            let blobs = Blobs::open(&place).unwrap();
            for commit in [&first, &second] {
                let files = blobs.files(commit).unwrap();
                let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
                assert_eq!(paths, ["a.txt", "b/c.txt", "bin"], "a link is no file");
                for (path, blob) in &files {
                    assert_eq!(blobs.find(commit, path), Some(*blob));
                }
            }
            let text = |commit: &str, path: &str, largest| blobs.text(blobs.find(commit, path)?, largest);
            assert_eq!(text(&first, "a.txt", 9).as_deref(), Some("old"));
            assert_eq!(text(&second, "a.txt", 9).as_deref(), Some("new"));
            assert_eq!(text(&first, "bin", 9), None);
            assert_eq!(text(&first, "b/c.txt", 3), None);
            assert_eq!(text(&first, "b", 9).or(text(&first, "link", 9)).or(text(&first, "gone", 9)), None);
            assert!(blobs.files(&first[..12]).or(blobs.files(&"1".repeat(40))).or(blobs.files("HEAD")).is_none());
        }
        let blobs = Blobs::open(&lab.main()).unwrap();
        assert_eq!(blobs.parent(&second).as_deref(), Some(first.as_str()));
        assert!(blobs.parent(&first).is_none());
        let third = lab.commit("three", &[("a.txt", "1\n2\n3\n4\n")]);
        let fourth = lab.commit("four", &[("a.txt", "1\ntwo\n3\n4\n5\n")]);
        let [before, after] = [&third, &fourth].map(|commit| blobs.find(commit, "a.txt").unwrap());
        assert_eq!(blobs.changed_lines(before, after), [2..3, 5..5]);
        assert!(Blobs::open(&lab.root).is_none());
    }
}
