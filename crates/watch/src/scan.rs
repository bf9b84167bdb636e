//! What stands in the tree, folder by folder, and how two listings differ.
//!
//! Pure: listings in, differences out. Files are kept with their marks only; a working tree of 100,000 files has to
//! fit into a few megabytes.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::{Path, PathBuf};

use lokid_sys::tree::Mark;

/// The files of one folder, sorted by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Folder {
    /// When it last gained or lost a name. `None` when that is too recent to be trusted.
    pub(super) mark: Option<Mark>,
    /// Names that are not UTF-8, which are passed over.
    pub(super) unreadable: usize,
    files: Vec<(Box<str>, Mark)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Difference {
    Created,
    Edited,
    Removed,
}

impl Folder {
    pub(super) fn new(mark: Option<Mark>, files: impl IntoIterator<Item = (Box<str>, Mark)>) -> Folder {
        let mut files: Vec<(Box<str>, Mark)> = files.into_iter().collect();
        files.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        files.dedup_by(|one, other| one.0 == other.0);
        files.shrink_to_fit();
        Folder { mark, files, unreadable: 0 }
    }

    pub(super) fn with_unreadable(self, unreadable: usize) -> Folder {
        Folder { unreadable, ..self }
    }

    pub(super) fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.files.iter().map(|(name, _)| &**name)
    }

    pub(super) fn mark_of(&self, name: &str) -> Option<Mark> {
        self.find(name).ok().map(|at| self.files[at].1)
    }

    fn find(&self, name: &str) -> Result<usize, usize> {
        self.files.binary_search_by(|(known, _)| (**known).cmp(name))
    }

    /// Puts what is there now in the place of what was known, and says what that means.
    fn put(&mut self, name: &str, mark: Option<Mark>) -> Option<Difference> {
        match (self.find(name), mark) {
            (Ok(at), Some(mark)) if self.files[at].1 == mark => None,
            (Ok(at), Some(mark)) => {
                self.files[at].1 = mark;
                Some(Difference::Edited)
            }
            (Ok(at), None) => {
                self.files.remove(at);
                Some(Difference::Removed)
            }
            (Err(at), Some(mark)) => {
                self.files.insert(at, (name.into(), mark));
                Some(Difference::Created)
            }
            (Err(_), None) => None,
        }
    }
}

/// What differs, by name.
pub(super) fn differences<'a>(before: &'a Folder, after: &'a Folder) -> Vec<(&'a str, Difference)> {
    let mut found = Vec::new();
    let (mut old, mut new) = (before.files.iter().peekable(), after.files.iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return found,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some((one, _)), Some((other, _))) => one.cmp(other),
        };
        match order {
            std::cmp::Ordering::Less => found.extend(old.next().map(|(name, _)| (&**name, Difference::Removed))),
            std::cmp::Ordering::Greater => found.extend(new.next().map(|(name, _)| (&**name, Difference::Created))),
            std::cmp::Ordering::Equal => {
                if let (Some((name, was)), Some((_, is))) = (old.next(), new.next())
                    && was != is
                {
                    found.push((name, Difference::Edited));
                }
            }
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Listing {
    folders: BTreeMap<PathBuf, Folder>,
}

impl Listing {
    pub(super) fn folder(&self, path: &Path) -> Option<&Folder> {
        self.folders.get(path)
    }

    pub(super) fn folders(&self) -> impl Iterator<Item = &PathBuf> {
        self.folders.keys()
    }

    pub(super) fn has_file(&self, path: &Path) -> bool {
        split(path).is_some_and(|(folder, name)| self.folders.get(folder).is_some_and(|f| f.find(name).is_ok()))
    }

    pub(super) fn files(&self) -> usize {
        self.folders.values().map(|folder| folder.files.len()).sum()
    }

    pub(super) fn unreadable(&self) -> usize {
        self.folders.values().map(|folder| folder.unreadable).sum()
    }

    /// A folder as it is now; what that changes is told by name.
    pub(super) fn replace(&mut self, path: &Path, folder: Folder) -> Vec<(PathBuf, Difference)> {
        let before = self.folders.insert(path.to_owned(), folder).unwrap_or_default();
        let after = &self.folders[path];
        differences(&before, after).into_iter().map(|(name, difference)| (path.join(name), difference)).collect()
    }

    /// A file as it is now. Files in unknown folders are not kept: the folder is not watched, or not any more.
    pub(super) fn put(&mut self, path: &Path, mark: Option<Mark>) -> Option<Difference> {
        let (folder, name) = split(path)?;
        self.folders.get_mut(folder)?.put(name, mark)
    }

    /// Only notes that a folder is there, so that files can be put into it.
    pub(super) fn open_folder(&mut self, path: &Path) {
        self.folders.entry(path.to_owned()).or_default();
    }

    /// Forgets a folder and all below it, and says which folders and files that were.
    pub(super) fn remove(&mut self, path: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let below = self.folders_below(path);
        let mut files = Vec::new();
        for folder in &below {
            let gone = self.folders.remove(folder).unwrap_or_default();
            files.extend(gone.names().map(|name| folder.join(name)));
        }
        (below, files)
    }

    /// The known folders that lie in this one, without those below them.
    pub(super) fn folders_in(&self, path: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut after = Bound::Excluded(path.to_owned());
        while let Some((next, _)) = self.folders.range((after, Bound::Unbounded)).next() {
            if !next.starts_with(path) {
                break;
            }
            if next.parent() == Some(path) {
                found.push(next.clone());
            }
            // Paths sort by component: no name comes between one and the same with a zero behind it.
            let mut end = next.clone().into_os_string();
            end.push("\0");
            after = Bound::Included(PathBuf::from(end));
        }
        found
    }

    /// A folder and all known ones below it.
    fn folders_below(&self, path: &Path) -> Vec<PathBuf> {
        let from = (Bound::Included(path), Bound::Unbounded);
        // Paths sort by component, so what lies below stands together.
        let below = self.folders.range::<Path, _>(from).map(|(folder, _)| folder);
        below.take_while(|folder| folder.starts_with(path)).cloned().collect()
    }
}

fn split(path: &Path) -> Option<(&Path, &str)> {
    Some((path.parent()?, path.file_name()?.to_str()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Difference::{Created, Edited, Removed};

    fn mark(version: i64) -> Mark {
        Mark { modified: version, size: 1, inode: 1 }
    }

    fn folder(files: &[(&str, i64)]) -> Folder {
        Folder::new(None, files.iter().map(|(name, version)| ((*name).into(), mark(*version))))
    }

    #[test]
    fn two_listings_differ_by_name() {
        let check = |before: &[(&str, i64)], after: &[(&str, i64)], expect: &[(&str, Difference)]| {
            assert_eq!(differences(&folder(before), &folder(after)), expect);
        };
        check(&[], &[], &[]);
        check(&[("a", 1)], &[("a", 1)], &[]);
        check(&[("a", 1)], &[("a", 2)], &[("a", Edited)]);
        check(&[("b", 1), ("a", 1)], &[("c", 1), ("b", 1)], &[("a", Removed), ("c", Created)]);
        check(&[("a", 1), ("z", 1)], &[("m", 3)], &[("a", Removed), ("m", Created), ("z", Removed)]);
    }

    #[test]
    fn one_file_is_compared_with_what_is_known() {
        let mut listing = Listing::default();
        listing.replace(Path::new("/w"), folder(&[("a", 1)]));
        for (path, now, expect) in [
            ("/w/a", Some(1), None),
            ("/w/a", Some(2), Some(Edited)),
            ("/w/a", Some(2), None),
            ("/w/b", Some(1), Some(Created)),
            ("/w/b", None, Some(Removed)),
            ("/w/b", None, None),
            ("/unknown/a", Some(1), None),
            ("/", Some(1), None),
        ] {
            assert_eq!(listing.put(Path::new(path), now.map(mark)), expect, "{path}");
        }
    }

    #[test]
    fn a_folder_goes_with_all_below_it_and_nothing_beside_it() {
        let mut listing = Listing::default();
        for (path, files) in [("/w", "a"), ("/w/x", "b"), ("/w/x/y", "c"), ("/w/x-ray", "d"), ("/w/z", "e")] {
            listing.replace(Path::new(path), folder(&[(files, 1)]));
        }
        listing.replace(Path::new("/w/lost/and/found"), folder(&[]));
        assert_eq!(listing.folders_in(Path::new("/w")), ["/w/x", "/w/x-ray", "/w/z"].map(PathBuf::from));
        let (folders, files) = listing.remove(Path::new("/w/x"));
        assert_eq!(folders, ["/w/x", "/w/x/y"].map(PathBuf::from));
        assert_eq!(files, ["/w/x/b", "/w/x/y/c"].map(PathBuf::from));
        assert!(listing.has_file(Path::new("/w/x-ray/d")));
        assert_eq!(listing.files(), 3);
    }

    proptest::proptest! {
        #[test]
        fn putting_every_difference_gives_the_other_listing(
            before in proptest::collection::btree_map("[a-e]", 0i64..3, 0..6),
            after in proptest::collection::btree_map("[a-e]", 0i64..3, 0..6),
        ) {
            let build = |files: &BTreeMap<String, i64>| {
                Folder::new(None, files.iter().map(|(name, version)| (name.as_str().into(), mark(*version))))
            };
            let (old, new) = (build(&before), build(&after));
            let mut patched = old.clone();
            for (name, difference) in differences(&old, &new) {
                proptest::prop_assert_eq!(patched.put(name, after.get(name).copied().map(mark)), Some(difference));
            }
            proptest::prop_assert_eq!(patched, new);
        }
    }
}
