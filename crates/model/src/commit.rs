//! One commit of the repository as the rest of the house sees it: who, when, what was said, and which files changed.
//!
//! Plain data. Where it comes from is the business of `sys::git`, what it teaches that of `encode::commits`.

/// Messages and paths that are not UTF-8 are told as well as they can be.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Commit {
    /// The full id, in hexadecimal digits.
    pub id: String,
    /// How many; more than one makes it a merge.
    pub parents: usize,
    pub author_name: String,
    pub author_email: String,
    /// When it was committed, in seconds since 1970.
    pub time: i64,
    /// The first paragraph of the message, on one line.
    pub subject: String,
    pub body: String,
    /// Against the only parent, in the order of their paths. A merge has none.
    pub files: Vec<FileChange>,
}

impl Commit {
    pub fn is_merge(&self) -> bool {
        self.parents > 1
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileChange {
    pub path: String,
    pub status: FileStatus,
}

/// A rename is a deletion and an addition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileStatus {
    Added,
    Modified,
    Deleted,
}

impl FileStatus {
    /// As git writes it.
    pub fn letter(self) -> char {
        match self {
            FileStatus::Added => 'A',
            FileStatus::Modified => 'M',
            FileStatus::Deleted => 'D',
        }
    }

    pub fn of_letter(letter: char) -> FileStatus {
        match letter {
            'A' => FileStatus::Added,
            'D' => FileStatus::Deleted,
            _ => FileStatus::Modified,
        }
    }
}
