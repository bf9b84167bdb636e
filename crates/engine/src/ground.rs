//! The ground a repository's work goes on: which files there are, which import which, and which speak of the same
//! things. It answers what the [`Terrain`] is asked; reading files or objects is for those who fill it.
//!
//! Of the words of a file only the most telling are kept, as short hashes: a few hundred bytes a file.

mod common;
mod history;
mod kept;
pub mod names;
mod naming;
pub mod passages;
mod sketch;
#[cfg(test)]
mod tests;
mod view;
mod words;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use common::Common;
use lokid_context::predict::terrain::Terrain;
use lokid_index::analyze;
use lokid_index::passages::{FilePassages, PassageCounts};
use names::NameFilter;
use sketch::Sketches;

pub use history::HistoryGround;
pub use view::{FileView, LARGEST_CODE, LARGEST_TEXT, TextReading, is_text};

#[derive(Clone, Debug, Default)]
pub struct CodeGround {
    /// Where each file stands in `files`.
    places: BTreeMap<Arc<str>, u32>,
    files: Vec<Option<File>>,
    free: Vec<u32>,
    /// By the file that is imported, which need not be here.
    importers: HashMap<Arc<str>, BTreeSet<Arc<str>>>,
    sketches: Sketches,
    common: Common,
    counts: PassageCounts,
    /// There are more files than these.
    is_part: bool,
}

#[derive(Clone, Debug)]
struct File {
    path: Arc<str>,
    imports: Box<[Arc<str>]>,
    names: NameFilter,
    passages: Arc<FilePassages>,
    stamp: (u64, i64),
}

impl CodeGround {
    /// What is kept under another version was made of other words.
    pub const VERSION: u64 = 7 << 8 | analyze::VERSION as u64;

    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.places.keys().map(AsRef::as_ref)
    }

    /// How many imports lead to a file.
    pub fn links(&self) -> usize {
        self.files.iter().flatten().map(|file| file.imports.len()).sum()
    }

    /// Files that were left out may be there nevertheless.
    pub fn set_part(&mut self, is_part: bool) {
        self.is_part = is_part;
    }

    /// What was told when the file was put here.
    pub fn stamp(&self, path: &str) -> Option<(u64, i64)> {
        Some(self.file(path)?.1.stamp)
    }

    /// The files that may say a name of code, which is told folded ([`names::each`]), in order.
    pub fn may_say<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let says = |place: &u32| self.files[*place as usize].as_ref().is_some_and(|file| file.names.may_say(name));
        self.places.iter().filter(move |(_, place)| says(place)).map(|(path, _)| path.as_ref())
    }

    /// What the programs define, in the order of their paths.
    pub fn passages(&self) -> impl Iterator<Item = (&str, &FilePassages)> {
        let file = |place: &u32| self.files[*place as usize].as_ref();
        let files = self.places.iter().filter_map(move |(path, place)| Some((path.as_ref(), &*file(place)?.passages)));
        files.filter(|(_, file)| !file.passages.is_empty())
    }

    pub fn passage_counts(&self) -> &PassageCounts {
        &self.counts
    }

    /// Takes in many files at once: which words are common is counted over all of them before any is judged.
    pub fn put_all(&mut self, views: Vec<(String, FileView)>) {
        let count = |(path, _): &&(String, FileView)| !self.places.contains_key(path.as_str());
        let fresh: Vec<&FileView> = views.iter().filter(count).map(|(_, view)| view).collect();
        for view in fresh {
            self.common.count(&view.words);
        }
        for (path, view) in views {
            self.place(&path, view);
        }
    }

    /// Takes a file in, in place of what was known of it.
    pub fn put(&mut self, path: &str, view: FileView) {
        if !self.places.contains_key(path) {
            self.common.count(&view.words);
        }
        self.place(path, view);
    }

    pub fn remove(&mut self, path: &str) {
        let Some(place) = self.places.remove(path) else { return };
        if let Some(file) = self.files[place as usize].take() {
            self.counts.remove(&file.passages);
            self.forget_imports(&file);
        }
        self.sketches.remove(place);
        self.free.push(place);
    }

    fn place(&mut self, path: &str, view: FileView) {
        self.remove(path);
        let place = self.free.pop().unwrap_or_else(|| {
            self.files.push(None);
            self.files.len() as u32 - 1
        });
        let sketches = &self.sketches;
        let chosen = self.common.most_telling(view.words, |word| sketches.files_with(word));
        self.sketches.put(place, &chosen);
        let path: Arc<str> = path.into();
        let imports = view.imports.iter().map(|import| self.known(import)).collect();
        let file = File {
            path: Arc::clone(&path),
            imports,
            names: view.names,
            passages: view.passages.into(),
            stamp: view.stamp,
        };
        for import in &file.imports {
            self.importers.entry(Arc::clone(import)).or_default().insert(Arc::clone(&path));
        }
        self.counts.add(&file.passages);
        self.files[place as usize] = Some(file);
        self.places.insert(path, place);
    }

    /// The path as it is kept already, if it is.
    fn known(&self, path: &str) -> Arc<str> {
        let named = self.places.get_key_value(path).map(|(known, _)| known);
        let imported = || self.importers.get_key_value(path).map(|(known, _)| known);
        named.or_else(imported).map_or_else(|| path.into(), Arc::clone)
    }

    fn forget_imports(&mut self, file: &File) {
        for import in &file.imports {
            if let Some(importers) = self.importers.get_mut(import) {
                importers.remove(&file.path);
                if importers.is_empty() {
                    self.importers.remove(import);
                }
            }
        }
    }

    fn file(&self, path: &str) -> Option<(u32, &File)> {
        let place = *self.places.get(path)?;
        Some((place, self.files[place as usize].as_ref()?))
    }
}

impl Terrain for CodeGround {
    fn is_there(&self, path: &str) -> bool {
        self.is_part || self.is_empty() || self.places.contains_key(path)
    }

    fn siblings<'a>(&'a self, path: &str) -> Vec<&'a str> {
        let folder = path.rfind('/').map_or("", |end| &path[..=end]);
        let mut found = Vec::new();
        let mut from = folder.to_owned();
        'folders: loop {
            for (other, _) in self.places.range::<str, _>((Bound::Included(from.as_str()), Bound::Unbounded)) {
                let Some(name) = other.strip_prefix(folder) else { break 'folders };
                if let Some(end) = name.find('/') {
                    // Over all that stands in that folder: the next sign after the slash.
                    from = format!("{folder}{}0", &name[..end]);
                    continue 'folders;
                }
                if other.as_ref() != path {
                    found.push(other.as_ref());
                }
            }
            break;
        }
        found
    }

    fn imports<'a>(&'a self, path: &str) -> Vec<&'a str> {
        let Some((_, file)) = self.file(path) else { return Vec::new() };
        file.imports.iter().map(AsRef::as_ref).filter(|import| self.places.contains_key(*import)).collect()
    }

    fn importers<'a>(&'a self, path: &str) -> Vec<&'a str> {
        self.importers.get(path).into_iter().flatten().map(AsRef::as_ref).collect()
    }

    fn alike<'a>(&'a self, path: &str, k: usize) -> Vec<(&'a str, f64)> {
        let Some((place, _)) = self.file(path) else { return Vec::new() };
        let near = self.sketches.nearest(place, self.len());
        let mut found: Vec<(&str, f64)> = near
            .into_iter()
            .filter_map(|(place, score)| Some((self.files[place as usize].as_ref()?.path.as_ref(), score)))
            .collect();
        let order = |one: &(&str, f64), other: &(&str, f64)| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(other.0));
        if found.len() > k && k > 0 {
            found.select_nth_unstable_by(k - 1, order);
        }
        found.truncate(k);
        found.sort_by(order);
        found
    }

    fn saying<'a>(&'a self, terms: &[u64]) -> Vec<(&'a str, f64)> {
        let said = self.sketches.saying(terms.iter().map(|term| words::short(*term)), &self.common);
        let path = |place: u32| Some(self.files[place as usize].as_ref()?.path.as_ref());
        let mut found: Vec<(&str, f64)> =
            said.into_iter().filter_map(|(place, share)| Some((path(place)?, share))).collect();
        found.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(other.0)));
        found
    }
}
