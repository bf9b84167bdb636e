//! Reading folders the way the filter sees them: which files matter, and which folders lie below.
//!
//! Rules files are read on the way, before the names beside them are judged. It keeps no state and compares nothing.

use std::path::{Path, PathBuf};

use super::filter::{Filter, TreePlace};
use super::scan::Folder;
use lokid_model::Timestamp;
use lokid_sys::tree::{self, Mark, Sort};

/// A folder as it was read; the marks of its files come later.
pub(super) struct ReadFolder {
    pub(super) path: PathBuf,
    mark: Option<Mark>,
    /// With whether it is itself a folder, which counts only as being there.
    names: Vec<(Box<str>, bool)>,
    pub(super) below: Vec<PathBuf>,
    unreadable: usize,
}

/// A folder that changed so short a time before it was read may have changed again in the same tick of its clock.
const TICK: i64 = 50_000_000;

/// `None` when it is not there or may not be read.
pub(super) fn read(filter: &mut Filter, path: &Path, now: Timestamp) -> Option<ReadFolder> {
    let found = tree::names(path).ok()??;
    let is_work = filter.is_work(path);
    let has_rules = found.names.iter().any(|(name, sort)| name == ".gitignore" && *sort == Sort::File);
    if is_work {
        let text = if has_rules { tree::rules(&path.join(".gitignore")) } else { None };
        filter.rules.set_nested(path, text.as_deref().unwrap_or_default());
    }
    let age = now.as_micros().saturating_mul(1_000).saturating_sub(found.mark.modified);
    let mut read = ReadFolder {
        path: path.to_owned(),
        mark: (age > TICK).then_some(found.mark),
        names: Vec::new(),
        below: Vec::new(),
        unreadable: found.unreadable,
    };
    let is_ignored = is_work && filter.rules.ignores(path, true);
    for (name, sort) in found.names {
        let full = path.join(&name);
        match sort {
            Sort::Folder if filter.enters_in(&full, is_ignored) => read.below.push(full),
            Sort::Folder if filter.is_too_deep(&full) => filter.has_depths = true,
            Sort::Other => {}
            _ => {
                let located = filter.locate_in(&full, is_ignored);
                let matters = located.is_some_and(|located| match located.place {
                    TreePlace::EditorsFile | TreePlace::IndexLock => false,
                    TreePlace::Git(_) => true,
                    _ => sort != Sort::Folder,
                });
                if matters {
                    read.names.push((name.into_boxed_str(), sort == Sort::Folder));
                }
            }
        }
    }
    Some(read)
}

impl ReadFolder {
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.names.iter().map(|(name, _)| self.path.join(&**name))
    }

    /// Whether no name came or went since.
    pub(super) fn is_current(&self) -> bool {
        self.mark.is_some() && tree::look(&self.path).map(|(_, mark)| mark) == self.mark
    }

    /// Takes the marks of the files, which is the last look at them.
    pub(super) fn into_folder(self) -> Folder {
        let marks = tree::marks(&self.path, self.names.iter().map(|(name, _)| &**name));
        let files = self.names.into_iter().zip(marks);
        let files = files.filter_map(|((name, is_folder), mark)| Some((name, being_there(mark?, is_folder))));
        Folder::new(self.mark, files).with_unreadable(self.unreadable)
    }
}

/// A known folder with fresh marks, when no name came or went since it was read.
pub(super) fn refresh(path: &Path, known: &Folder) -> Option<Folder> {
    let mark = known.mark?;
    let (sort, current) = tree::look(path)?;
    if sort != Sort::Folder || current != mark {
        return None;
    }
    let marks = tree::marks(path, known.names());
    let files = known.names().zip(marks);
    let files = files.filter_map(|(name, mark)| {
        let is_folder = known.mark_of(name).is_some_and(|mark| mark == being_there(mark, true));
        Some((name.into(), being_there(mark?, is_folder)))
    });
    Some(Folder::new(Some(mark), files).with_unreadable(known.unreadable))
}

/// Of a folder that counts as a file only its being there is compared.
pub(super) fn being_there(mark: Mark, is_folder: bool) -> Mark {
    if is_folder { Mark { modified: 0, size: 0, ..mark } } else { mark }
}
