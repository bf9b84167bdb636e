//! The ground as it was at a commit, and as it became with each commit after: read from the repository's objects, so
//! that nothing of what came later is known.

use std::collections::BTreeMap;
use std::path::Path;

use super::view::{FileView, LARGEST_CODE, LARGEST_TEXT, TextReading, is_text};
use super::{CodeGround, naming};
use lokid_encode::code::{Files, GoModule, Language};
use lokid_index::passages::FilePassages;
use lokid_model::{Commit, FileStatus};
use lokid_sys::git::blobs::{BlobId, Blobs};

/// Files that are read; of the others only the names are known.
const MOST_READ: usize = 5_000;

/// Marks a stamp as the fingerprint of what a file imports.
const NAMED: i64 = -1;

pub struct HistoryGround {
    blobs: Blobs,
    reading: TextReading,
    ground: CodeGround,
    /// All files, and what is in them.
    tree: BTreeMap<String, BlobId>,
    files: Files,
    /// How many of them were read.
    read: usize,
}

impl HistoryGround {
    /// The ground at a commit, which is given by its full id. `progress` is told how many files of how many are read.
    /// `None` without such a repository or commit.
    pub fn at(repository: &Path, commit: &str, progress: &mut dyn FnMut(usize, usize)) -> Option<HistoryGround> {
        let blobs = Blobs::open(repository)?;
        let tree: BTreeMap<String, BlobId> = blobs.files(commit)?.into_iter().collect();
        let files = file_set(&blobs, &tree);
        let mut past =
            HistoryGround { blobs, reading: TextReading::new(), ground: CodeGround::default(), tree, files, read: 0 };
        // Source code first: there may be more than can be read.
        let code = past.tree.iter().filter(|(path, _)| Language::of(path).is_some());
        let text = past.tree.iter().filter(|(path, _)| is_text(path));
        let wanted: Vec<(String, BlobId)> =
            code.chain(text).take(MOST_READ).map(|(path, blob)| (path.clone(), *blob)).collect();
        let (mut views, all) = (Vec::with_capacity(past.tree.len()), wanted.len());
        for (done, (path, blob)) in wanted.into_iter().enumerate() {
            if let Some(view) = past.view(&path, blob) {
                views.push((path, view));
            }
            progress(done + 1, all);
        }
        past.read = views.len();
        past.ground.put_all(views);
        let unread = past.tree.keys().filter(|path| past.ground.stamp(path).is_none());
        for path in unread.cloned().collect::<Vec<_>>() {
            past.ground.put(&path, FileView::default());
        }
        Some(past)
    }

    /// Takes a later commit in. A merge tells no files: those of the commits it merges were told by themselves.
    pub fn learn(&mut self, commit: &Commit) {
        let mut changed = Vec::new();
        let mut is_another_tree = false;
        for file in &commit.files {
            let blob = match file.status {
                FileStatus::Deleted => None,
                FileStatus::Added | FileStatus::Modified => self.blobs.find(&commit.id, &file.path),
            };
            let Some(blob) = blob else {
                is_another_tree |= self.tree.remove(&file.path).is_some();
                self.read -= usize::from(self.was_read(&file.path));
                self.ground.remove(&file.path);
                continue;
            };
            let before = self.tree.insert(file.path.clone(), blob);
            is_another_tree |= before.is_none() || file.path.ends_with("go.mod");
            if before != Some(blob) {
                changed.push((file.path.as_str(), blob));
            }
        }
        // What is imported may have come with the same commit.
        if is_another_tree {
            self.files = file_set(&self.blobs, &self.tree);
        }
        for (path, blob) in changed {
            let was_read = self.was_read(path);
            let view = if was_read || self.read < MOST_READ { self.view(path, blob) } else { None };
            self.read = self.read + usize::from(view.is_some()) - usize::from(was_read);
            self.ground.put(path, view.unwrap_or_default());
        }
    }

    pub fn ground(&self) -> &CodeGround {
        &self.ground
    }

    fn was_read(&self, path: &str) -> bool {
        self.ground.stamp(path).is_some_and(|(_, mark)| mark == NAMED)
    }

    fn view(&mut self, path: &str, blob: BlobId) -> Option<FileView> {
        let largest = match Language::of(path) {
            Some(_) => LARGEST_CODE,
            None if is_text(path) => LARGEST_TEXT,
            None => return None,
        };
        let text = self.blobs.text(blob, largest)?;
        let named = naming::fingerprint(&text);
        let known = self.ground.file(path).filter(|(_, file)| file.stamp == (named, NAMED));
        let known = known.map(|(_, file)| {
            (
                file.imports.iter().map(|import| import.as_ref().to_owned()).collect(),
                FilePassages::clone(&file.passages),
            )
        });
        let view = match known {
            Some((imports, passages)) => FileView { imports, passages, ..FileView::of_text(path, &text) },
            None => self.reading.view(path, &text, &self.files),
        };
        Some(FileView { stamp: (named, NAMED), ..view })
    }
}

fn file_set(blobs: &Blobs, tree: &BTreeMap<String, BlobId>) -> Files {
    let modules = tree.iter().filter(|(path, _)| *path == "go.mod" || path.ends_with("/go.mod"));
    let modules = modules.filter_map(|(path, blob)| GoModule::read(path, &blobs.text(*blob, LARGEST_TEXT)?));
    Files::new(tree.keys().cloned().collect()).with_go_modules(modules.collect())
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use lokid_context::predict::terrain::Terrain;
    use lokid_sys::git::history;
    use lokid_testing::git::GitLab;

    #[test]
    fn the_ground_grows_with_its_commits_and_knows_nothing_of_later_ones() {
        let Some(mut lab) = GitLab::new() else { return };
        let cart = "from shop.price import total\n\ndef pay(basket):\n    return total(basket)\n";
        let price = "def total(basket):\n    return sum(basket)\n";
        let first =
            lab.commit("one", &[("shop/cart.py", cart), ("shop/price.py", price), ("logo.png", "x"), ("c.go", "")]);
        lab.commit("two", &[("shop/tax.py", "def vat(basket):\n    return 7\n")]);
        let changed = cart.replace("price import total", "tax import vat").replace("total(", "vat(");
        lab.commit("three", &[("shop/cart.py", &changed)]);
        lab.git(&["rm", "-q", "shop/price.py"]);
        lab.commit("four", &[]);
        let mut commits = Vec::new();
        let all = history::mine(&lab.main(), None, 9, &mut |commit| {
            commits.push(commit);
            ControlFlow::Continue(())
        });
        assert_eq!(all.unwrap().commits, 4);

        let mut told = (0, 0);
        let mut past = HistoryGround::at(&lab.main(), &first, &mut |done, all| told = (done, all)).unwrap();
        assert_eq!(told, (3, 3), "a picture is not read");
        assert_eq!(past.ground().len(), 4);
        assert!(past.ground().is_there("logo.png") && !past.ground().is_there("shop/tax.py"));
        assert_eq!(past.ground().imports("shop/cart.py"), ["shop/price.py"]);
        assert!(past.ground().alike("shop/price.py", 1)[0].1 > 0.0);
        commits.reverse();
        past.learn(&commits[1]);
        assert!(past.ground().is_there("shop/tax.py"));
        assert!(past.ground().importers("shop/tax.py").is_empty());
        past.learn(&commits[2]);
        assert_eq!(past.ground().importers("shop/tax.py"), ["shop/cart.py"]);
        assert!(past.ground().is_there("shop/price.py"));
        past.learn(&commits[3]);
        assert!(!past.ground().is_there("shop/price.py"));
        assert_eq!(past.ground().siblings("shop/cart.py"), ["shop/tax.py"]);

        let fresh = HistoryGround::at(&lab.main().join(".git"), &commits[3].id, &mut |_, _| {}).unwrap();
        assert!(fresh.ground().paths().eq(past.ground().paths()), "as if it had been read now");
        assert!(HistoryGround::at(&lab.main(), &"1".repeat(40), &mut |_, _| {}).is_none());
        assert!(HistoryGround::at(&lab.root, &first, &mut |_, _| {}).is_none());
    }
}
