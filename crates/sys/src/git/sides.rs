//! What a file was on both sides of a merge, as git still knows it: in the index while the merge is open, in the parents
//! of the commit afterwards. Only read: neither the index nor any reference is touched.

use std::path::Path;

use git2::{Commit, Oid, Repository};

/// A file on both sides, and before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSides {
    pub base: Option<Vec<u8>>,
    pub ours: Vec<u8>,
    pub theirs: Vec<u8>,
    /// Where that was found, in words.
    pub from: &'static str,
    /// Nothing says that it was these two that were merged.
    pub is_guess: bool,
}

/// How far back a version is looked for that nothing has damaged.
const FARTHEST: usize = 64;

/// Everything git can tell, the surest first. `file` is the way from the working tree at or above `folder`, and `is_damaged`
/// says of a version whether it is no longer what it should be.
pub fn of(folder: &Path, file: &Path, is_damaged: &dyn Fn(&[u8]) -> bool) -> Vec<FileSides> {
    let Ok(repository) = Repository::discover(folder) else { return Vec::new() };
    let Some(top) = repository.workdir().and_then(|top| top.canonicalize().ok()) else { return Vec::new() };
    let Some(path) = folder.join(file).strip_prefix(&top).map(Path::to_path_buf).ok() else { return Vec::new() };
    let look = Look { repository: &repository, path: &path };
    let found = [look.in_index(), look.in_progress(), look.in_parents(is_damaged), look.before(is_damaged)];
    found.into_iter().flatten().collect()
}

struct Look<'a> {
    repository: &'a Repository,
    path: &'a Path,
}

impl Look<'_> {
    fn blob(&self, id: Oid) -> Option<Vec<u8>> {
        Some(self.repository.find_blob(id).ok()?.content().to_vec())
    }

    fn in_commit(&self, commit: &Commit<'_>) -> Option<Vec<u8>> {
        self.blob(commit.tree().ok()?.get_path(self.path).ok()?.id())
    }

    fn base_of(&self, one: &Commit<'_>, other: &Commit<'_>) -> Option<Vec<u8>> {
        let base = self.repository.merge_base(one.id(), other.id()).ok()?;
        self.in_commit(&self.repository.find_commit(base).ok()?)
    }

    fn head(&self) -> Option<Commit<'_>> {
        self.repository.head().ok()?.peel_to_commit().ok()
    }

    fn named(&self, name: &str) -> Option<Commit<'_>> {
        self.repository.find_reference(name).ok()?.peel_to_commit().ok()
    }

    /// The three stages of a merge that nobody has ended yet.
    fn in_index(&self) -> Option<FileSides> {
        let index = self.repository.index().ok()?;
        let stage = |stage| self.blob(index.get_path(self.path, stage)?.id);
        Some(FileSides { base: stage(1), ours: stage(2)?, theirs: stage(3)?, from: "the open merge", is_guess: false })
    }

    /// Open too, though the file was called settled.
    fn in_progress(&self) -> Option<FileSides> {
        let head = self.head()?;
        let ours = self.in_commit(&head)?;
        if let Some(other) = self.named("MERGE_HEAD") {
            let (base, theirs) = (self.base_of(&head, &other), self.in_commit(&other)?);
            return Some(FileSides { base, ours, theirs, from: "the open merge", is_guess: false });
        }
        let picked = ["CHERRY_PICK_HEAD", "REBASE_HEAD"].into_iter().find_map(|name| self.named(name));
        let picked = picked.map(|picked| (picked, false)).or_else(|| Some((self.named("REVERT_HEAD")?, true)));
        let (commit, reverts) = picked?;
        let (after, before) =
            (self.in_commit(&commit), commit.parent(0).ok().and_then(|parent| self.in_commit(&parent)));
        let (base, theirs) = if reverts { (after, before) } else { (before, after) };
        Some(FileSides { base, ours, theirs: theirs?, from: "the commit that is being applied", is_guess: false })
    }

    /// The damage was committed, and the commit has two parents.
    fn in_parents(&self, is_damaged: &dyn Fn(&[u8]) -> bool) -> Option<FileSides> {
        let head = self.head()?;
        if head.parent_count() < 2 || !self.in_commit(&head).is_some_and(|bytes| is_damaged(&bytes)) {
            return None;
        }
        let (one, other) = (head.parent(0).ok()?, head.parent(1).ok()?);
        let base = self.base_of(&one, &other);
        Some(FileSides {
            base,
            ours: self.in_commit(&one)?,
            theirs: self.in_commit(&other)?,
            from: "both parents",
            is_guess: false,
        })
    }

    /// A rebase ended with damage in it: the last good version, and what stood here before it began.
    fn before(&self, is_damaged: &dyn Fn(&[u8]) -> bool) -> Option<FileSides> {
        let mut commit = self.head()?;
        let head = commit.id();
        for _ in 0..FARTHEST {
            match self.in_commit(&commit).filter(|bytes| !is_damaged(bytes)) {
                Some(_) if commit.id() == head => return None,
                Some(ours) => {
                    let other = self.named("ORIG_HEAD")?;
                    let (base, theirs) = (self.base_of(&commit, &other), self.in_commit(&other)?);
                    return Some(FileSides { base, ours, theirs, from: "what stood before", is_guess: true });
                }
                None => commit = commit.parent(0).ok()?,
            }
        }
        None
    }
}
